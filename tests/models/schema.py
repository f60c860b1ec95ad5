#!/usr/bin/env python3
"""The keys that `polytrace stats` prints against those that its manual page has, as TAP.

Every analysis has a section, which marks every key that is printed for any sample as .Cm; a key that
stands there but is not printed for any sample is listed as a comment.
"""
import json
import os
import re
import subprocess
import sys

from model import DATA, ROOT, Tap

PAGE = open(os.path.join(ROOT, 'doc', 'man', 'polytrace-stats.1')).read()


def sections():
    """The marked words of the page, by section."""
    found = {}
    for name, text in re.findall(r'^\.S[sh] (\S+)\n(.*?)(?=^\.S[sh] )', PAGE, re.M | re.S):
        marked = ' '.join(re.findall(r'^\.(?:It )?(?:Pq )?Cm (.*)$', text, re.M))
        found[name] = set(re.findall(r'[a-z][a-z0-9_.]*', marked))
    return found


def printed(value, into):
    """Adds the keys in a JSON value."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        into.add(key)
        printed(inner, into)
    for inner in value if isinstance(value, list) else ():
        printed(inner, into)


def run(*words):
    done = subprocess.run([sys.argv[1], 'stats', '--json', *words], stdin=subprocess.DEVNULL,
                          capture_output=True)
    return json.loads(done.stdout) if done.stdout else {}


tap = Tap()
paged = sections()
seen = {}
for line in open(os.path.join(DATA, 'samples')):
    if line.startswith('#') or not line.strip():
        continue
    name, path, *option = line.split()
    words = ['--from', name, '--all', *(['-O', option[0]] if option else []),
             os.path.join(DATA, path)]
    for key, value in run(*words).items():
        if isinstance(value, dict):
            printed(value, seen.setdefault(key, set()))
listed = run('--list')
samples = paged.pop('SAMPLES')
for analysis in [row['name'] for row in listed['analyses']]:
    options = {row['option'] for row in listed['options']
               if row['option'].startswith(analysis + '.')}
    page = paged.get(analysis)
    if page is None:
        tap.ok(f'{analysis} is in the manual', False)
        continue
    lacks = sorted((seen.get(analysis, set()) | options) - page)
    for key in sorted(page - seen.get(analysis, set()) - options):
        print(f'# {analysis}: {key} is not printed for any sample')
    tap.ok(f'every key and option of {analysis} is in the manual', not lacks, ' '.join(lacks))
tap.ok('the keys of intervals are in the manual',
       {'confidence', 'quantity', 'meaning', 'estimate', 'low', 'high', 'units'} <= samples)
sys.exit(tap.end())
