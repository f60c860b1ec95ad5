#!/usr/bin/env python3
"""The instruction mix, computed from the rows, as TAP."""
import collections
import re
import sys

from model import Tap, public, stats, trace

CONDITIONS = 'eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le'.split()
# Mnemonics that have a condition in the samples.
CONDITIONAL = {'str', 'strb', 'strh', 'ldr', 'ldrb', 'ldrh', 'mov', 'add', 'sub', 'and', 'lsl'}


def mnemonic(row):
    """The mnemonic as the manual defines it: lower case, without width and, except of branches, condition."""
    if 'mnemonic' in row:
        return row['mnemonic']
    word = re.sub(r'\.[wn]$', '', row['text'].split(None, 1)[0].lower())
    for condition in CONDITIONS:
        if word.endswith(condition) and word[:-2] in CONDITIONAL:
            return word[:-2]
    return word


def table(key, counter, whole, top=None):
    """Rows of a table of counts, limited to the top highest if requested."""
    items = sorted(counter.items())
    if top:
        items = sorted(items, key=lambda item: -item[1])[:top]
    return [{key: name, 'count': count, 'share': count / whole}
            for name, count in items]


def without(rows, key):
    return [{name: value for name, value in row.items() if name != key} for row in rows]


def size(row):
    return row['opcode_size'] if 'opcode_size' in row else row['fallthrough'] - row['pc']


def check(tap, name):
    header, rows = trace(name)
    found = stats(name, 'mix', '-O', 'mix.top=10')
    records = [row for row in rows
               if row['kind'] == 'instruction' and not row.get('synthetic')]
    heads = [row for row in records if row.get('uop_index', 1) == 1]
    skipped = sum(row.get('executed') is False for row in records)
    sizes = collections.Counter(map(size, heads))
    expected = {
        'instructions': len(heads), 'not_executed_instructions': skipped,
        'synthetic_instructions': sum(row.get('synthetic', False) for row in rows),
        'instruction_lengths': table('instruction_length', sizes, len(heads))}
    if 'uop_index' in records[0]:
        groups = collections.Counter()
        for row, after in zip(records, records[1:] + [{'uop_index': 1}]):
            if after['uop_index'] == 1:
                groups[row['uop_index']] += 1
        expected['uops'] = len(records)
        expected['instructions_by_uops'] = table('uops', groups, len(heads))
        found['uop_names'] = without(found['uop_names'], 'operations')
        expected['uop_names'] = table('uop_name', collections.Counter(
            row['uop_name'] for row in records), len(records), 10)
    if 'mnemonic' in records[0] or 'text' in records[0]:
        found['mnemonics'] = without(without(found['mnemonics'], 'operations'), 'records')
        expected['mnemonics'] = table('mnemonic', collections.Counter(map(mnemonic, heads)),
                                      len(heads), 10)
    elif 'synthetic' in header['columns'] or 'full' in name:
        # The access and the record type determine the class of a PowerPC instruction.
        classes = {row['class']: row['count'] for row in found['instruction_classes']}
        loads = sum(row['record'] in ('memory', 'extended', 'instruction') and
                    row.get('access') == 'read' for row in records)
        stores = sum(row.get('access') == 'write' for row in records)
        cache = sum(row.get('access') in ('cache', 'prefetch') for row in records)
        tap.ok(name + ': loads and stores', (classes.get('load', 0), classes.get('store', 0) +
                                             classes.get('cache', 0)) == (loads, stores + cache),
               str(classes), f'{loads} {stores} {cache}')
    tap.same(name, found, expected)


tap = Tap()
for name in ('tt6/isamix.tt6', 'tt6/isamix.tt6e', 'qemu4v/arm_start_2k.q4v',
             'cis501/thumb.trace', 'cis501/sort_1k.trace', 'full/sort.full.gz'):
    check(tap, name)
gcc = public('cis501/gcc-1K.trace')
if gcc:
    # Published results of Penn CIS 501.
    found = stats(gcc, 'mix', '-O', 'mix.top=100')
    counts = {row['mnemonic']: row['records'] for row in found['mnemonics']}
    micro = {row['uop_name']: row['count'] for row in found['uop_names']}
    tap.same('gcc-1K', found, {'instructions': 754, 'uops': 1000, 'uops_per_instruction': 1000 / 754,
                               'mean_instruction_length': 3008 / 754})
    tap.same('mnemonics of gcc-1K', counts, dict(
        MOV=262, CMP=176, J=157, PUSH=70, POP=58, TEST=48, CALL=40, ADD=34, MOVZX=30, RET=27,
        JMP=17, LEA=13, XOR=11, AND=9, SHL=9, MOVSX=9, SUB=8, NOP=8, SET=6, SHR=4, XCHG=2, OR=1,
        NOT=1))
    tap.same('micro-operations of gcc-1K', micro, dict(
        LOAD=232, JMP_IMM=183, SUB_IMM=113, STORE=108, ADD_IMM=67, ADD=58, SAVE_PC=58, SUB=51,
        AND=49, LEA=16, JMP_REG=10, NOP=10, AND_IMM=8, ZEXT_BYTE_TO_DWORD=8,
        ZEXT_WORD_TO_DWORD=7, SHL_IMM=7, SEXT_DWORD_TO_QWORD=5, SHR_IMM=4, XOR=2, SHL=2, OR=1,
        NOT=1))
sys.exit(tap.end())
