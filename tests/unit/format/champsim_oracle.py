#!/usr/bin/env python3
"""Compares conversions of a recorded program to ChampSim with the record of the program, as TAP.

    champsim_oracle.py POLYTRACE

Records are decoded here by their layout; what an instruction is comes from the text of its disassembly.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests', 'cli'))
import tap  # noqa: E402
import needs  # noqa: E402

needs.libraries('xxhash', 'zstd', 'capstone', 'jansson')
PROGRAM = os.path.abspath(sys.argv[1])
RECORDED = os.path.join(ROOT, 'tests', 'data', 'effects', 'x86.ptz')
SP, FLAGS, IP = 6, 25, 26


def polytrace(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise AssertionError(f'{arguments}: {done.stderr.decode()}')
    return done.stdout


def rows(path):
    return [json.loads(line) for line in polytrace('convert', path, '-t', 'jsonl', '-o', '-').splitlines()[1:]]


def recorded():
    """Instructions with their texts, lengths, loads and stores."""
    instructions = []
    head, *lines = polytrace('view', '-w', 'kind == instruction', RECORDED).decode().splitlines()
    texts = [line[head.index('text'):] for line in lines]
    for row in rows(RECORDED):
        if row['kind'] == 'instruction':
            text = texts[len(instructions)].strip()
            instructions.append({'pc': int(row['pc'], 16), 'size': row['opcode_size'], 'text': text, 'read': [],
                                 'write': []})
        else:
            instructions[-1][row['access']].append(int(row['address'], 16))
    return instructions


def records(data):
    for at in range(0, len(data), 64):
        ip, is_branch, taken, *rest = struct.unpack_from('<QBB2B4B2Q4Q', data, at)
        sets = [set(rest[:2]) - {0}, set(rest[2:6]) - {0}]
        yield ip, is_branch, taken, sets, [a for a in rest[8:] if a], [a for a in rest[6:8] if a]


def kind(text, sets):
    """Whether the sets of a branch, or of another instruction, are those of ChampSim's kinds."""
    dests, sources = sets
    others = bool(sources - {SP, FLAGS, IP})
    word = text.split()[0]
    operand = text[len(word):].strip()
    if word == 'jmp':
        is_direct = operand.startswith('0x')
        return dests == {IP} and (sources <= {IP} if is_direct else others and not sources & {SP, FLAGS, IP})
    if word.startswith('j'):
        return dests == {IP} and IP in sources and SP not in sources and (FLAGS in sources or others)
    if word == 'call':
        return dests == {IP, SP} and {IP, SP} <= sources and FLAGS not in sources and others != operand.startswith('0x')
    if word == 'ret':
        return dests == {IP, SP} and SP in sources and IP not in sources
    return IP not in dests


def records_are_the_recorded_instructions():
    instructions = recorded()
    data = polytrace('convert', RECORDED, '-t', 'champsim', '-o', '-')
    written = list(records(data))
    if len(written) != len(instructions):
        yield f'{len(written)} records of {len(instructions)} instructions'
    branches = 0
    for i, (made, record) in enumerate(zip(instructions, written)):
        ip, is_branch, taken, sets, loads, stores = record
        word = made['text'].split()[0]
        branch = word.startswith('j') or word in ('call', 'ret')
        branches += branch
        follows = i + 1 < len(instructions) and instructions[i + 1]['pc'] != made['pc'] + made['size']
        expected = made['pc'], branch, branch and (follows or word in ('jmp', 'call', 'ret'))
        if (ip, is_branch, taken) != expected:
            yield f'{i}: {record}, expected {expected}: {made["text"]}'
        if not kind(made['text'], sets):
            yield f'{i}: {sets}: {made["text"]}'
        if (loads, stores) != (list(dict.fromkeys(made['read'])), list(dict.fromkeys(made['write']))):
            yield f'{i}: {loads}, {stores}, expected {made["read"]}, {made["write"]}'
    if branches < 20:
        yield f'{branches} branches'


def a_chain_of_conversions_keeps_the_fields():
    with tempfile.TemporaryDirectory() as folder:
        # Without the last branch, whose outcome is unknown.
        base = os.path.join(folder, 'base.ptz')
        polytrace('convert', '--count', '550', RECORDED, '-o', base)
        paths = [os.path.join(folder, 'a.' + form) for form in ('champsim', 'ptz', 'jsonl')]
        for source, path in zip([base] + paths, paths):
            polytrace('convert', source, '-o', path)
        kept = 'kind', 'access', 'pc', 'address'
        first = [{key: row.get(key) for key in kept} for row in rows(base)]
        for path in paths:
            found = [{key: row.get(key) for key in kept} for row in rows(path)]
            if found != first:
                yield f'{path}: {next((a, b) for a, b in zip(first, found) if a != b)}'
            same = subprocess.run([PROGRAM, 'diff', base, path], capture_output=True)
            if same.returncode:
                yield f'diff {path}: {same.stdout.decode()}'
        # Numbers of caches need addresses alone; those of conditional branches, outcomes.
        for words in (['cache'], ['branch', '--json']):
            reports = [polytrace('sim', *words, path).decode() for path in [base] + paths]
            if words[0] == 'branch':
                reports = [[(p['predictor'], p['mispredictions']) for p in predictors(json.loads(report))
                            if p['predictor'] != 'btfn'] for report in reports]
            else:
                reports = [report.split('\n', 1)[1] for report in reports]
            if any(report != reports[0] for report in reports):
                yield f'{words}: {reports}'
        again = polytrace('convert', paths[2], '-t', 'champsim', '-o', '-')
        if again != open(paths[0], 'rb').read():
            yield 'JSON Lines become other bytes'


def predictors(report):
    """The table of predictors, wherever it is in a report."""
    if isinstance(report, dict):
        if 'predictors' in report:
            return report['predictors']
        report = list(report.values())
    for value in report if isinstance(report, list) else []:
        found = predictors(value)
        if found:
            return found
    return []


tap.run([records_are_the_recorded_instructions, a_chain_of_conversions_keeps_the_fields])
