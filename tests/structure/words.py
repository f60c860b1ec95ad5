#!/usr/bin/env python3
"""Words that have a replacement in the terms of the field (HACKING.md, "Terms"), as TAP.

    words.py            the whole source tree, as TAP
    words.py PATH ...   lists every occurrence below the paths, with its replacement

A line of words.exceptions is "path: text of the line: reason"; a line of the source that has this text
is allowed to use the word. An exception that no line needs fails, too.
"""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.environ.get('POLYTRACE_ROOT') or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXCEPTIONS = os.path.join(ROOT, 'tests', 'structure', 'words.exceptions')
EXCEPTIONS_MAX = 40
CHECKED = ['src', 'include', 'doc', 'README.md', 'HACKING.md', 'CHANGES.md', 'examples', 'bench',
           'tools', 'tests', 'python']
# Data, expected outputs of other programs, and this list are not ours to reword.
SKIPPED = re.compile(r'tests/(data|fuzz/corpus)/|tests/structure/words|src/trcfmt/lang/default\.trcfmt')

# In any text: comments, messages, labels, manual pages, Markdown.
WORDS = [
    (r'behind', 'after, following, past'),
    (r'tells?|told|telling', 'report, print, describe, determine, distinguish'),
    (r'part(?:y|ies)', 'execution context'),
    (r'crews?', 'decode pool, workers'),
    (r'so many|as many as|so much', 'the noun itself: "the number of ..."'),
    (r'(?:is|are|was|were) no(?! longer)',
     'is not a, does not have, "no such"'),
    (r'damaged?', 'corrupt, corrupt data'),
    (r'cut off', 'truncated'),
    (r'(?:go|goes|went|going) on', 'continue, resume'),
    (r'(?:leave|leaves|left|leaving) out', 'skip, exclude, omit'),
    (r'(?:passes|passed|passing|to pass|not pass|may pass) over', 'skip'),
    (r'look(?:s|ed|ing)? at', 'read, examine'),
    (r'be had', 'be allocated; "out of memory"'),
    (r'cannot be made|(?:is|are|was|were|be) made', 'cannot create; is created, compressed, built'),
    (r'nobody|somebody', 'no writer, no caller, the user'),
    (r'asked(?: for)?', 'requested'),
    (r'says|said', 'states, reports, specifies'),
    (r'where (?:there|it|that|none|no|neither) (?:is|are|has|have|was|were)',
     'if, when, unless, in which case'),
    (r'where (?:there|none|neither)', 'if, when'),
    (r'stretch(?:es)?', 'interval, run'),
    (r'granules?', 'bin'),
    (r'tall(?:y|ies)', 'histogram, weights, counts'),
    (r'foretell?s?', 'predict'),
    (r'(?:a|an|one|\d+) (?:\w+ )?(?:cycles|bits|bytes|records|instructions|operations) an? '
     r'(?:access|record|instruction|processor|row|line)', 'per access, per record'),
    (r'(?:cycles|bits|bytes|micro-operations|operations|instructions|misses|events|lines) an? '
     r'(?:access|record|instruction|cycle|processor|row|line|branch|load|segment|second)',
     'per access, per record'),
    (r'one an? (?:processor|thread|record|row|line|instruction|segment)', 'one per processor'),
    (r'usual(?:ly)?', 'default; normally'),
    (r'translation (?:look-aside )?buffers?', 'TLB'),
    (r'(?<!branch )target buffers?', 'BTB'),
    (r'(?<!-address )return stacks?', 'return-address stack (RAS)'),
]
# In code without its comments and strings.
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
NAMES = [
    (r'\b\w*_(?:MOST|LEAST)\b', '_MAX, _MIN'),
    (r'\bit\b', 'a noun for the receiver'),
    (r'\b(?:\w*(?:party|parties|crew|granule|tally|told|behind)\w*|tell_\w*)',
     'the terms of HACKING.md'),
]
# A text in lower case is searched once for all words, then each place for its word.
ANY_WORD = re.compile(r'\b(?=' + '|'.join(pattern for pattern, _ in WORDS) + ')')
WORDS = [(re.compile(rf'(?<![\w-])(?:{pattern})(?![\w-])'), cure) for pattern, cure in WORDS]
ANY_NAME = re.compile('_most|_least|tell_|part(?:y|ies)|crew|granule|tally|told|behind|(?<!\\w)it(?!\\w)')
NAMES = [(re.compile(pattern.lower()), cure) for pattern, cure in NAMES]
# What stands in two lines of a comment or of a paragraph is one text.
JOIN = re.compile(r'\s*\n[ \t]*(?:\*(?!/)|//|#|\.\\")?[ \t]*|"\s*\n\s*"')


def files(paths):
    listed = shutil.which('git') and subprocess.run(
        ['git', 'ls-files', '--cached', '--others', '--exclude-standard', *paths],
        cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split('\n') if listed and listed.returncode == 0 else walk(paths)
    return [name for name in sorted(set(names)) if name and not SKIPPED.search(name) and
            os.path.isfile(os.path.join(ROOT, name))]


def walk(paths):
    """The same without git, or in a released archive."""
    for path in paths:
        if os.path.isfile(os.path.join(ROOT, path)):
            yield path
        for folder, _, names in os.walk(os.path.join(ROOT, path)):
            if os.path.basename(folder) != '__pycache__':
                yield from (os.path.relpath(os.path.join(folder, name), ROOT) for name in names)


def words_of(text):
    """Offset, word and replacement of each word of a text, whose lines may be joined within."""
    flat = JOIN.sub(' ', text).lower()
    places = [match.start() for match in ANY_WORD.finditer(flat)]
    found = [(match, cure) for place in places for pattern, cure in WORDS
             for match in [pattern.match(flat, place)] if match]
    if found:
        # The offsets of the text that remains when lines are joined.
        marked = JOIN.sub(lambda match: ' ' + '\0' * (len(match[0]) - 1), text)
        at = [offset for offset, char in enumerate(marked) if char != '\0']
        for match, cure in found:
            yield at[match.start()], match[0], cure


def names_of(text):
    """The same of names in code."""
    code = NOT_CODE.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text).lower()
    for start, end in {(code.rfind('\n', 0, place) + 1, code.find('\n', place) % (len(code) + 1))
                       for place in (match.start() for match in ANY_NAME.finditer(code))}:
        for pattern, cure in NAMES:
            for match in pattern.finditer(code, start, end):
                yield match.start(), match[0], cure


def find(text, is_code):
    """Line number, line, word and replacement of each word of a text."""
    lines = text.split('\n')
    for offset, word, cure in [*words_of(text), *(names_of(text) if is_code else ())]:
        line = text.count('\n', 0, offset)
        yield line + 1, lines[line], word, cure


def occurrences(path):
    """The same of a file."""
    try:
        text = open(os.path.join(ROOT, path), encoding='utf-8').read()
    except UnicodeDecodeError:
        return
    yield from find(text, path.endswith(('.c', '.h', '.cc', '.def')))


def exceptions():
    found = []
    for line in open(EXCEPTIONS):
        if line.strip() and not line.startswith('#'):
            path, text, reason = line.rstrip('\n').split(': ', 2)
            found.append((path, text, reason))
    return found


def main(paths):
    if paths:
        for path in files(paths):
            for number, line, word, cure in sorted(set(occurrences(path))):
                print(f'{path}:{number}: "{word}" -> {cure}\n    {line.strip()}')
        return
    allowed = exceptions()
    unused, faults = set(range(len(allowed))), []
    for path in files(CHECKED):
        for number, line, word, cure in sorted(set(occurrences(path))):
            fits = [i for i, (where, text, _) in enumerate(allowed) if where == path and text in line]
            unused -= set(fits)
            if not fits:
                faults.append(f'{path}:{number}: "{word}": write: {cure}')
    needless = [f'{allowed[i][0]}: {allowed[i][1]}: no line needs it' for i in sorted(unused)]
    many = [] if len(allowed) <= EXCEPTIONS_MAX else [f'{len(allowed)} exceptions, {EXCEPTIONS_MAX} at most']
    planted = '/* A reader that\n * is told of damage. */\nenum { ROWS_MOST };\nint a = it->b;\n'
    missed = {'told', 'damage', 'rows_most', 'it'} - {
        word for _, _, word, _ in find(planted, True)}
    print('1..4')
    for number, (name, found) in enumerate([('words have their replacements', faults),
                                            ('every exception is needed', needless),
                                            ('exceptions are few', many),
                                            ('planted words are found', sorted(missed))], 1):
        print(''.join(f'# {fault}\n' for fault in found) +
              f'{"not " if found else ""}ok {number} - {name}')


main(sys.argv[1:])
