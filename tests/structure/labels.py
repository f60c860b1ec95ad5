#!/usr/bin/env python3
"""Labels of reports are their keys in words: src/report/terms.def and the keys of src, as TAP."""
import os
import re
import sys

ROOT = os.environ.get('POLYTRACE_ROOT') or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TERMS = os.path.join('src', 'report', 'terms.def')

ACRONYMS = ('BIC BTB CPI CPU CPUs GiB ID IDs IPC ISA LRU MPKI PC PCs PID RAS TID TLB WUSTL '
            'µop µops').split()
SPELLINGS = {word.lower().replace('µ', 'u'): word for word in ACRONYMS}
COMPOUNDS = ('back-invalidations cache-to-cache control-flow_discontinuities def-use happens-before '
             'inter-event last-value lock-order_inversions macro-op macro-ops memory-order micro-op '
             'micro-ops set-associative store-to-load').split()
COMPOUNDS = {word.replace('-', '_'): word.replace('_', ' ') for word in COMPOUNDS}
COMPOUNDS |= {'writeback': 'write-back', 'writebacks': 'write-backs'}
UNITS = {'bits': 'bits', 'bytes': 'bytes', 'ns': 'ns', 'percent': '%', 's': 's', 'us': 'us'}

# A label stands alone: it does not continue the one before it.
DEPENDENT = re.compile(r'(Of|And|In all|To|By|Such|Its) ')

# Headings that are not the key in words: the file, the argument of poly_report_heading, the reason.
HEADINGS = {
    ('src/analysis/sim/branch/branch_report.c', 'title'): 'names the predictor',
    ('src/analysis/sim/pipeline/pipeline_sweep_parse.c', 'name_of(option)'): 'the option that was swept',
    ('src/analysis/core/runner.c', 'info->title'): "the analysis's own title",
    ('src/analysis/stats/code/homework.c', '"avgInsnSize"'): "a word of the course's text",
    ('src/analysis/stats/code/homework.c', '"mostCommonUopCategory"'): "a word of the course's text",
    ('src/analysis/stats/code/homework.c', '"fractionOfBranchTargetsLteNBits"'):
        "a word of the course's text",
    ('src/analysis/stats/code/homework.c', '"fractionOfInsnsLteNBytes"'): "a word of the course's text",
    ('src/cli/commands/formats.c', 'NULL'): 'the only table of the output',
    ('src/cli/commands/formats.c', '"Options (-O NAME=VALUE)"'): 'names the switch that takes them',
    ('src/cli/commands/report.c', 'input->name'): 'the name of a file',
    ('src/cli/commands/sim.c', '"Options (-O NAME=VALUE)"'): 'names the switch that takes them',
    ('src/cli/commands/stats.c', '"Analyses (-a NAME,...)"'): 'names the switch that takes them',
    ('src/cli/commands/stats.c', '"Options (-O NAME=VALUE)"'): 'names the switch that takes them',
    ('src/cli/commands/stats.c', '"Queries (-a NAME,...)"'): 'names the switch that takes them',
    ('src/cli/commands/stats.c', 'input->name'): 'the name of a file',
    ('src/cli/commands/stats.c', 'poly_stats_part_at(stats, 0)->file'): 'the name of a file',
    ('src/cli/print/homework.c', '"Homeworks (--course=COURSE)"'): 'names the switch that takes them',
    ('src/cli/print/homework.c', '"Options of homeworks (-O NAME=VALUE)"'):
        'names the switch that takes them',
}

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
KEYED = r'poly_report_(?:section|list|table|text|count|address|real|ratio|bool|column)'
KEY_PARAMETER = re.compile(r'(?:\w+_)?key')
HELPER = re.compile(r'^((?:static )?)[\w *]+\n(\w+)\(([^;{}()]*\bstruct poly_report \*[^;{}()]*\bconst char \*(?:\w+_)?key\b'
                    r'[^;{}()]*)\)(?=\s*{)', re.M)
MACRO = re.compile(r'^#(d)efine (\w+)\(([\w, ]*\bkey\b[\w, ]*)\)', re.M)
DEFINITIONS = re.compile(HELPER.pattern + '|' + MACRO.pattern, re.M)


def helpers(text, everywhere):
    """Functions and macros that forward parameters as keys, with their positions: those that other
    files can call, or all."""
    for pattern in HELPER, MACRO:
        for local, name, parameters in pattern.findall(text):
            names = [part.split()[-1].strip('*') for part in parameters.split(',')]
            if not local or not everywhere:
                yield name, [i for i, word in enumerate(names) if KEY_PARAMETER.fullmatch(word)]


def derive(key):
    """The label of a key and the unit that it ends with."""
    words = key.split('_')
    unit = UNITS.get(words[-1]) if len(words) > 1 else None
    if unit:
        words.pop()
    key = '_'.join(words)
    for compound, spelling in COMPOUNDS.items():
        key = re.sub(rf'(?<![^_]){compound}(?![^_])', spelling.replace(' ', '_'), key)
    words = [SPELLINGS.get(word, word) for word in key.split('_')]
    if words[0] not in ACRONYMS:
        words[0] = words[0][:1].upper() + words[0][1:]
    return ' '.join(words), unit


def arguments(text, start):
    """The arguments of a call; start follows its opening parenthesis."""
    depth, begin, found, i = 0, start, [], start
    while True:
        string = STRING.match(text, i)
        if string:
            i = string.end()
            continue
        c = text[i]
        if c in '([{':
            depth += 1
        elif depth and c in ')]}':
            depth -= 1
        elif not depth and c in '),':
            found.append(' '.join(text[begin:i].split()))
            begin = i + 1
            if c == ')':
                return found
        i += 1


def calls(text, name):
    """Calls of the functions that match a name: the line, the name, the arguments."""
    for match in re.finditer(r'(?<![\w>.])(' + name + r')\(', text):
        yield text.count('\n', 0, match.start()) + 1, match[1], arguments(text, match.end())


class Source:
    """What the files of src do with keys."""

    def __init__(self, files):
        self.keys, self.headings, self.unmarked = {}, {}, []
        texts = {name: re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), text, flags=re.S)
                 for name, text in files}
        places = {'KEY': [0], KEYED: [1]}
        for text in texts.values():
            places.update(helpers(text, True))
        for name, text in texts.items():
            self.read(name, text, {**places, **dict(helpers(text, False))})

    def add(self, name, line, argument):
        """The keys in an argument: a string or a choice of strings; False: neither."""
        found = STRING.findall(argument)
        for key in found:
            self.keys.setdefault(key, f'{name}:{line}')
        return bool(found)

    def read(self, name, text, places):
        titled = {argument for _, _, (_, argument) in calls(text, 'poly_report_heading')}
        own = DEFINITIONS.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text)
        for call, positions in places.items():
            for line, _, given in calls(own, call):
                if given[0].startswith('struct poly_report *'):
                    continue  # a declaration
                for argument in (given[i] for i in positions):
                    known = self.add(name, line, argument) or KEY_PARAMETER.fullmatch(argument) or \
                        argument == 'NULL' or 'KEY("' in text or titled & {argument, 'info->title'}
                    if not known:
                        self.unmarked.append(f'{name}:{line}: {argument}')
        for line, called, given in calls(own, 'table_(?:open|columns)'):
            if not given[0].startswith('struct poly_report *'):
                columns = ''.join(STRING.findall(given[-1])).split()
                for key in STRING.findall(given[1]) * (called == 'table_open') + columns:
                    self.keys.setdefault(key.removesuffix(':text'), f'{name}:{line}')
        for line, _, (_, argument) in calls(text, 'poly_report_heading'):
            self.headings.setdefault((name, argument), line)


def terms():
    """The lines of terms.def: key, label, unit or None; and the invalid lines."""
    found, wrong = [], []
    with open(os.path.join(ROOT, TERMS), encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            match = re.fullmatch(r'TERM\((\w+), "([^"]+)", (?:NULL|"([^"]+)")\)\n', line)
            if match:
                found.append(match.groups())
            elif not re.match(r'/\*| \*|\n', line):
                wrong.append(f'{TERMS}:{number}: {line.rstrip()}')
    return found, wrong


def sources():
    for folder, folders, names in os.walk(os.path.join(ROOT, 'src')):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if name.endswith(('.c', '.h')) and not path.startswith(os.path.join('src', 'report')):
                with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                    yield path, file.read()


def unlike(listed):
    """Terms whose label or unit is not that of the key."""
    for key, label, unit in listed:
        words, ending = derive(key)
        if label != words:
            yield f'{key}: the label is "{label}", the key in words is "{words}"'
        if ending and unit != ending:
            yield f'{key}: the unit is {unit}, the key ends with {ending}'


def dependent(listed):
    return [f'{key}: "{label}" does not stand alone' for key, label, _ in listed
            if DEPENDENT.match(label)]


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def none(self, name, wrong):
        self.count += 1
        self.failed += bool(wrong)
        for line in wrong:
            print('#', line)
        print(f'{"not " if wrong else ""}ok {self.count} - {name}')


def main():
    tap = Tap()
    listed, wrong = terms()
    keys = [key for key, _, _ in listed]
    source = Source(sources())
    tap.none('every_line_of_terms_def_is_a_term', wrong)
    tap.none('terms_are_sorted_and_unique',
             [f'{b}: follows {a}' for a, b in zip(keys, keys[1:]) if a >= b])
    tap.none('labels_are_the_keys_in_words', list(unlike(listed)))
    tap.none('labels_stand_alone', dependent(listed))
    tap.none('every_key_is_a_term',
             [f'{where}: {key}' for key, where in source.keys.items() if key not in keys])
    tap.none('every_term_is_a_key', [key for key in keys if key not in source.keys])
    tap.none('keys_in_variables_are_marked_by_KEY', source.unmarked)
    tap.none('other_headings_have_a_reason',
             [f'{file}:{line}: {text}' for (file, text), line in source.headings.items()
              if (file, text) not in HEADINGS] +
             [f'{file}: {text}: is not a heading' for file, text in HEADINGS
              if (file, text) not in source.headings])
    planted = [('miss_ratio', 'Missed', '%'), ('line_bytes', 'Line', None), ('cpi', 'Cpi', None)]
    tap.none('pairs_that_differ_are_found', [] if len(list(unlike(planted))) == 3 else ['not all'])
    tap.none('labels_that_continue_another_are_found',
             [] if len(dependent([('of_these', 'Of these', None), ('to', 'To', None),
                                  ('to_pc', 'To PC', None)])) == 2 else ['not all'])
    print(f'1..{tap.count}')
    return tap.failed > 0


if __name__ == '__main__':
    sys.exit(main())
