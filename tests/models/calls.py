#!/usr/bin/env python3
"""Calls by the values of the link register, as Arm's Tarmac trace utilities infer them, as TAP.

Their rule: two instructions that follow each other in time but not in memory are a transfer of
control. It may be a call if one of the 8 instructions before it wrote the link register, and the
link register is within 64 bytes of the address after the branch. It is a call if a later transfer
goes to that value, with the stack pointer of the call, which was never larger in between. A trace may omit
writes that do not change a value: then the link register is exactly the address after the branch, and such a transfer
is the call if several have the same return address and stack pointer.
"""
import json
import os
import re
import sys
import tempfile

from model import DATA, Tap, public, run

INSTRUCTION = re.compile(r'\s*(\d+) \w+ (?:\w+ )?(I[TS]) \(\w+\) (\w+)(?::\w+)? (\w+) (\w) ')
REGISTER = re.compile(r'\s*\d+ \w+ (?:\w+ )?R (\w+) (?:\(\w+\) )?(\w+)')
LINKS = ('x30', 'lr', 'r14')
STACKS = ('sp', 'r13', 'sp_el0', 'sp_el1', 'sp_el2', 'sp_el3')


def instructions(text):
    """Each executed instruction: line, pc, the next address, registers before it, and whether it wrote the link
    register."""
    values, found = {'link': None, 'stack': None}, []
    for line, words in enumerate(text.splitlines(), 1):
        match = INSTRUCTION.match(words)
        if match:
            pc = int(match[3], 16)
            found.append({'line': line, 'pc': pc, 'next': pc + len(match[4]) // 2, 'links': False, **values})
            continue
        match = REGISTER.match(words)
        name = match and match[1].lower()
        if name in LINKS:
            values['link'] = int(match[2], 16) & ~(name != 'x30')
            if found:
                found[-1]['links'] = True
        elif name in STACKS:
            values['stack'] = int(match[2], 16)
    return found


def above(stack, other):
    """Whether a stack pointer is larger than another one; an unknown one is not."""
    return None not in (stack, other) and stack > other


def calls(text):
    """The calls of a trace: line of the call, of the entry, of the last instruction, and of the return."""
    executed, pending, found = instructions(text), [], []
    for i in range(1, len(executed)):
        before, now = executed[i - 1], executed[i]
        pending = [call for call in pending if not above(now['stack'], call['stack'])]
        if now['pc'] == before['next']:
            continue
        returned = next((k for k in reversed(range(len(pending)))
                         if pending[k]['link'] == now['pc'] and not above(pending[k]['stack'], now['stack'])), None)
        if returned is not None:
            call = pending[returned]
            found.append((call['site'], call['entry'], before['line'], now['line']))
            del pending[returned:]
        elif any(call['exact'] and (call['link'], call['stack']) == (now['link'], now['stack']) for call in pending):
            continue
        elif now['link'] == before['next'] or any(one['links'] for one in executed[max(i - 8, 0):i]) and \
                abs((now['link'] or -99) - before['next']) <= 64:
            pending.append({'link': now['link'], 'stack': now['stack'], 'exact': now['link'] == before['next'],
                            'site': before['line'], 'entry': now['line']})
    return sorted(found)


def listed(path, *words):
    """The same, of the command."""
    rows = json.loads(run('calls', '--json', '--style', 'list', '--unreturned', 'merge', *words, path))['call_list']
    return [(row['call_record'], row['entry_record'], row['last_record'], row['return_record'])
            for row in rows if row['call_record']]


def lines(steps, letter='A'):
    """A Tarmac trace: per step an address, an encoding, and registers with their values."""
    out = []
    for time, (pc, opcode, *writes) in enumerate(steps, 1):
        out.append(f'{time} clk IT ({time}) {pc:08x} {opcode} {letter} svc_s : x')
        out += [f'{time} clk R {name} {value:08x}' for name, value in writes]
    return '\n'.join(out) + '\n'


STACK = (0x7ffc, 'e3a0da09', ('r13', 0x9000))
NOP = 'e1a00000'

# Each trace with its calls by hand.
BY_HAND = {
    'mov_lr_pc_and_bx_are_a_call': (lines([
        STACK, (0x8000, 'e1a0e00f', ('r14', 0x8008)), (0x8004, 'e12fff13'), (0x8100, NOP), (0x8104, 'e12fff1e'),
        (0x8008, NOP)]), [(5, 6, 7, 8)]),
    'a_table_may_follow_the_jump': (lines([
        STACK, (0x8000, 'e28fe010', ('r14', 0x8018)), (0x8004, NOP), (0x8008, 'e59ff000'), (0x8100, 'e12fff1e'),
        (0x8018, NOP)]), [(6, 7, 7, 8)]),
    'a_jump_by_another_register_returns': (lines([
        STACK, (0x8000, 'eb00003e', ('r14', 0x8004)), (0x8100, 'e1a0200e', ('r2', 0x8004)), (0x8104, 'e12fff12'),
        (0x8004, NOP)]), [(3, 5, 7, 8)]),
    'bit_0_of_the_link_register_is_thumb': (lines([
        (0x7ffc, '46a5', ('r13', 0x9000)), (0x8000, '4798', ('r14', 0x8003)), (0x8100, '46f2', ('r10', 0x8003)),
        (0x8102, '4750'), (0x8002, 'bf00')], 'T'), [(3, 5, 7, 8)]),
    'a_branch_within_a_recursive_function_does_not_return': (lines([
        STACK, (0x8000, 'eb00003e', ('r14', 0x8004)),
        (0x8100, 'e52de004', ('r13', 0x8ffc)), (0x8104, '1a000000'), (0x8108, 'ebfffffc', ('r14', 0x810c)),
        (0x8100, 'e52de004', ('r13', 0x8ff8)), (0x8104, '1a000000'),
        (0x810c, 'e49df004', ('r13', 0x8ffc)), (0x810c, 'e49df004', ('r13', 0x9000)), (0x8004, NOP)]),
        [(3, 5, 15, 17), (8, 10, 13, 15)]),
    'the_stack_pointer_identifies_the_call_that_returns': (lines([
        STACK, (0x8000, 'eb00003e', ('r14', 0x8004)),
        (0x8100, 'e52de004', ('r13', 0x8ffc)), (0x8104, 'ebfffffd', ('r14', 0x8108)),
        (0x8100, 'e52de004', ('r13', 0x8ff8)), (0x8104, 'ebfffffd', ('r14', 0x8108)),
        (0x8100, 'ea00003e'), (0x8200, 'e1a0d005', ('r13', 0x8ffc)), (0x8204, 'e12fff1e'),
        (0x8108, 'e49df004', ('r13', 0x9000)), (0x8004, NOP)]), [(3, 5, 17, 19), (7, 9, 16, 17)]),
}


def by_hand(tap):
    for name, (text, expected) in BY_HAND.items():
        with tempfile.NamedTemporaryFile('w', suffix='.tarmac') as file:
            file.write(text)
            file.flush()
            tap.same(name, {'calls': listed(file.name, '--isa', 'arm')}, {'calls': expected})
        tap.same(f'{name}_as_the_model_finds', {'calls': calls(text)}, {'calls': sorted(expected, key=lambda c: c[0])})


def a_restored_link_register_is_not_a_call(tap):
    """Their rule takes the jump for a call; the address belongs to the call before."""
    text = lines([STACK, (0x8030, 'ebfffff6', ('r14', 0x8034)), (0x8010, 'e52de004', ('r13', 0x8ffc)),
                  (0x8014, 'e49de004', ('r14', 0x8034), ('r13', 0x9000)), (0x8018, 'e12fff13'), (0x8200, 'e12fff1e'),
                  (0x8034, NOP)])
    with tempfile.NamedTemporaryFile('w', suffix='.tarmac') as file:
        file.write(text)
        file.flush()
        tap.same('a_restored_link_register_is_not_a_call', {'calls': listed(file.name, '--isa', 'arm')},
                 {'calls': [(3, 5, 11, 12)]})


def full(tap, post):
    """The stack pointer identifies the call that returns, and bctr returns, by the states of FULL records."""
    steps = [(0x8000, 0x48000101, 0x9000, 0), (0x8100, 0x9421fff0, 0x9000, 0x8004),
             (0x8104, 0x4bfffffd, 0x8ff0, 0x8004), (0x8100, 0x9421fff0, 0x8ff0, 0x8108),
             (0x8104, 0x4bfffffd, 0x8fe0, 0x8108), (0x8200, 0x38210010, 0x8fe0, 0x8108),
             (0x8204, 0x4e800020, 0x8ff0, 0x8108), (0x8108, 0x38210010, 0x8ff0, 0x8108),
             (0x810c, 0x4e800420, 0x9000, 0x8108), (0x8004, 0x60000000, 0x9000, 0x8108)]
    header = {'polytrace': 'trace', 'version': 1, 'format': 'full', 'isa': 'powerpc', 'address_bits': 32,
              'columns': ['kind', 'pc', 'opcode', 'opcode_size', 'payload'],
              'facts': {'amber.endian': 'be', 'amber.state': 'post' if post else 'pre', 'amber.record': '1004'}}
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
        file.write(json.dumps(header) + '\n')
        for i, (pc, opcode, *_) in enumerate(steps):
            words = [0] * 250
            words[3], words[36] = steps[min(i + post, len(steps) - 1)][2:]
            payload = b''.join(word.to_bytes(4, 'big') for word in words).hex()
            file.write(json.dumps({'kind': 'instruction', 'pc': hex(pc), 'opcode': f'0x{opcode:08x}',
                                   'opcode_size': 4, 'payload': payload}) + '\n')
        file.flush()
        tap.same(f'states_{"after" if post else "before"}_instructions_have_link_registers',
                 {'calls': listed(file.name)}, {'calls': [(1, 2, 9, 10), (3, 4, 7, 8)]})


if __name__ == '__main__':
    tap = Tap()
    by_hand(tap)
    a_restored_link_register_is_not_a_call(tap)
    for post in (False, True):
        full(tap, post)
    for name in ('tarmac/calls.tarmac', 'qemu4v/arm_start_2k.q4v', *filter(None, (
            public('tarmac/quicksort.tarmac'), public('tarmac/calculator-aarch64-fastmodel.tarmac')))):
        name = os.path.join(DATA, name)
        with open(name, encoding='latin-1') as file:
            expected = {'calls': calls(file.read())}
        tap.same(os.path.basename(name), {'calls': listed(name)}, expected)
        symbols = os.path.splitext(name)[0] + '.elf'
        if os.path.exists(symbols) and 'elf' not in os.environ.get('POLYTRACE_LACKS', '').split():
            tap.same(os.path.basename(symbols), {'calls': listed(name, '--symbols', symbols)}, expected)
    sys.exit(tap.end())
