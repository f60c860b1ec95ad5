#!/usr/bin/env python3
"""Laws of the help and of lists, as TAP.

    help.py POLYTRACE
"""
import json
import os
import re
import subprocess
import sys

import tap

PROGRAM = os.path.abspath(sys.argv[1])
TOPICS = ['columns', 'filters', 'analyses', 'simulators', 'courses', 'keys', 'filter', 'report-keys']
SYNONYMS = {'compress': 'pack', 'decompress': 'unpack', 'cat': 'join', 'validate': 'check',
            'flamegraph': 'calls', 'callgraph': 'calls', 'profile': 'calls', 'identify': 'info',
            'print': 'view', 'show': 'view', 'compare': 'diff', 'html': 'report'}


def polytrace(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


COMMANDS = re.findall(r'^  (\w+) ', polytrace('help').stdout, re.M)
FORMATS = [row['name'] for row in json.loads(polytrace('formats', '--json').stdout)['formats']]
PAGES = [['help'], *(['help', name] for name in COMMANDS + TOPICS), ['formats'],
         *(['formats', name] for name in FORMATS), ['stats', '--list'], ['sim', '--list']]


def too_wide(width, **environment):
    for page in PAGES:
        done = polytrace(*page, **environment)
        if done.returncode or not done.stdout or done.stderr:
            yield f'{page}: {done}'
        for line in done.stdout.split('\n'):
            # A word that is too long stands alone; an example is one line, which can be copied.
            if len(line) > width and len(line.split()) > 1:
                yield f'{page}: {len(line)}: {line}'
            if line != line.rstrip():
                yield f'{page}: blanks at the end: {line}'


def help_and_lists_have_at_most_80_columns():
    yield from too_wide(80, COLUMNS='')


def help_and_lists_have_at_most_60_columns_on_a_terminal_of_60():
    yield from too_wide(60, COLUMNS='60')


def the_help_lists_every_command_once():
    listed = open(os.path.join(os.environ['POLYTRACE_ROOT'], 'src', 'meson.build')).read()
    commands = re.findall(r"'(\w+)'", re.search(r'^commands = \[(.*?)\]', listed, re.M | re.S)[1])
    if sorted(commands) != sorted(COMMANDS):
        yield str(set(commands) ^ set(COMMANDS))


def synonyms_lead_to_commands():
    for word, command in SYNONYMS.items():
        done = polytrace(word)
        if done.returncode != 2 or f"did you mean '{command}'?" not in done.stderr:
            yield f'{word}: {done.stderr}'
    if polytrace('defuse', '--help').stdout != polytrace('who', '--help').stdout:
        yield 'defuse'


def the_version_has_three_spellings():
    if len({polytrace(word).stdout for word in ('--version', '-V', 'version')}) != 1:
        yield polytrace('-V').stdout


def names_of_options_determine_whose_they_are():
    """-O takes options of formats and of analyses: no prefix is both."""
    formats = set()
    for name in FORMATS:
        for option in json.loads(polytrace('formats', '--json', name).stdout).get('options', []):
            formats.add(option['option'].split('.')[0])
            if '.' not in option['option']:
                yield f'{name}: {option["option"]}'
    analyses = {row['name'] for row in json.loads(polytrace('stats', '--list', '--json').stdout)['analyses']}
    analyses |= {row['name'] for row in json.loads(polytrace('sim', '--list', '--json').stdout)['simulators']}
    if not formats or not analyses or formats & analyses:
        yield str(formats & analyses)


tap.run([help_and_lists_have_at_most_80_columns,
         help_and_lists_have_at_most_60_columns_on_a_terminal_of_60,
         the_help_lists_every_command_once, synonyms_lead_to_commands,
         the_version_has_three_spellings, names_of_options_determine_whose_they_are])
