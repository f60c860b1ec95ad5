#!/usr/bin/env python3
"""Pipelines, stepped through cycle by cycle over the rows of traces, as TAP. Registers are those that
CIS 501 traces state; instructions of others are taken to use none."""
import atexit
import itertools
import json
import os
import sys
import tempfile

from branching import CONDITIONAL, aim, facts_of, fall_through
from model import Tap, context, run, some, stats, trace
from uses import is_instruction

PARTS = ['busy', 'fetch', 'branch', 'squash', 'order', 'load', 'miss', 'execute']


def of_columns(row):
    """The registers that a micro-operation reads and writes; 49: the flags."""
    flags = row.get('flags', 'none')
    reads = {row[key] for key in ('src1', 'src2') if key in row} | ({49} if flags in ('read', 'both') else set())
    writes = {row['dest']} if 'dest' in row else set()
    return reads, writes | ({49} if flags in ('write', 'both') else set())


class Op:
    """An instruction, by its rows."""

    def __init__(self, row, registers):
        self.row, self.address, self.access, self.taken = row, None, set(), False
        self.sources, self.dests = of_columns(row) if registers else (set(), set())
        self.extra, self.mispredicted = 0, False
        self.cycles = dict.fromkeys(PARTS, 0)
        self.conditional = CONDITIONAL in (facts_of(row) or ())
        self.add(row)

    def add(self, row):
        if row.get('access') in ('read', 'write') and 'address' in row:
            self.address = row['address'] if self.address is None else self.address
            self.access |= {row['access']}

    @property
    def load(self):
        return 'read' in self.access


def ops_of(rows, registers):
    """The instructions of a context that are complete."""
    has_outcomes = any('branch' in row for row in rows)
    ops = []
    for row in rows:
        if row['kind'] != 'instruction':
            if ops and not has_outcomes:
                ops[-1].add(row)
        elif not row.get('synthetic'):
            ops.append(Op(row, registers and row.get('executed') is not False))
    if has_outcomes:
        for op in ops:
            op.taken = op.row.get('branch') == 'taken'
        return ops
    for op, after in zip(ops, ops[1:]):
        op.taken = op.row.get('executed') is not False and after.row['pc'] != fall_through(op.row)
    if ops:  # the end of the trace: not a branch
        ops[-1].conditional = False
    return ops


def predict(ops, kind, bits):
    """Marks what a predictor gets wrong; how many branches there are."""
    table, history, branches = {}, [], [op for op in ops if op.conditional]
    for op in branches:
        pc = op.row['pc']
        past = int(''.join(map(str, history[-bits:])) or '0', 2) if kind == 'gshare' else 0
        index = (pc ^ past) % 2 ** bits
        count = table.get(index, 0)
        guess = {'bimodal': count > 1, 'gshare': count > 1, 'taken': True, 'not-taken': False,
                 'btfn': aim(op.row) is not None and aim(op.row) <= pc}.get(kind, op.taken)
        table[index] = min(3, count + 1) if op.taken else max(0, count - 1)
        history.append(int(op.taken))
        op.mispredicted = guess != op.taken
    return len(branches)


def look_up(ops, size, ways, line, miss):
    """Gives loads that miss their extra cycles; accesses and misses."""
    sets, accesses, misses = [[] for _ in range(size // ways // line)], 0, 0
    for op in ops:
        if op.address is None or not sets:
            continue
        number = op.address // line
        lines = sets[number % len(sets)]
        accesses += 1
        if number in lines:
            lines.remove(number)
        else:
            misses += 1
            op.extra = miss if op.load else 0
        lines.insert(0, number)
        del lines[ways:]
    return (accesses, misses) if sets else (None, None)


def blame(ops, at, part, cycles=1):
    """Attributes cycles to an instruction, or, if they are a penalty, to the last mispredicted branch before it."""
    while part == 'branch' and not ops[at - 1].mispredicted:
        at -= 1
    ops[at - (part == 'branch')].cycles[part] += cycles


def in_order(ops, width, load, penalty, order='free', ends=False):
    parts, board, stall, at, now = dict.fromkeys(PARTS, 0), {}, 0, 0, 0
    while at < len(ops):
        issued, why = 0, 'branch'
        while at < len(ops) and issued < width and not stall:
            op = ops[at]
            latency = (load if op.load else 1) + op.extra
            held = max([board[r][0] for r in op.dests if r in board], default=0)
            wait = {'free': 0, 'all': held, 'latency': max(0, held - latency + 1)}[order]
            left, extra, kind = max([board[r] for r in op.sources if r in board], default=(0, 0, ''))
            if left or wait:
                why = 'order' if wait > left else 'miss' if left <= extra else kind
                break
            op.fetched = op.issued = now
            op.done = op.committed = now + latency
            for r in op.dests:
                board[r] = latency, op.extra if op.load else 0, 'load' if op.load else 'execute'
            at, issued = at + 1, issued + 1
            stall = penalty if op.mispredicted else 0
            if ends and op.taken:
                break
        parts['busy' if issued else why] += 1
        blame(ops, at - issued, 'busy' if issued else why)
        board = {r: (left - 1, *rest) for r, (left, *rest) in board.items() if left > 1}
        stall, now = max(0, stall - 1), now + 1
    return parts, 0


def out_of_order(ops, width, load, penalty, size=128, registers=0, memory='none', ends=False):
    parts, makers = dict.fromkeys(PARTS, 0), []
    last = {}
    for op in ops:
        makers.append([last[r] for r in op.sources if r in last])
        last.update(dict.fromkeys(op.dests, op))
    head = tail = now = resume = front = squashes = 0
    reason, never = 'fetch', float('inf')
    for op in ops:
        op.issued = op.done = never

    def stores(i):
        return [op for op in ops[head:i] if 'write' in op.access and op.done > now]

    def waits(i):
        if memory == 'conservative':
            return stores(i)
        return memory == 'perfect' and any(op.address == ops[i].address for op in stores(i))

    while head < len(ops):
        for k in range(head, tail):
            if memory != 'naive' or 'write' not in ops[k].access or ops[k].done != now:
                continue
            late = [i for i in range(k + 1, tail) if ops[i].load and ops[i].issued < now
                    and ops[i].address == ops[k].address]
            if late:
                for op in ops[late[0]:tail]:
                    op.issued = op.done = never
                tail, resume, reason, squashes = late[0], now + 1, 'squash', squashes + 1
        count = 0
        while count < width and head < tail and ops[head].done <= now:
            parts[ops[head].held] += front
            blame(ops, head, ops[head].held, front)
            ops[head].committed = now
            front, head, count = 0, head + 1, count + 1
        issued = 0
        for i in range(head, tail):
            op = ops[i]
            if issued == width or op.issued < never or any(m.done > now for m in makers[i]):
                continue
            if op.load and waits(i):
                continue
            op.issued, op.done, issued = now, now + (load if op.load else 1) + op.extra, issued + 1
            if op.mispredicted:
                resume = op.done + penalty
        if count:
            parts['busy'] += 1
            blame(ops, head - count, 'busy')
        elif head < len(ops) and (head == tail or ops[head].issued > now):
            front += 1
        elif head < len(ops):
            op = ops[head]
            part = 'execute' if not op.load else 'miss' if op.done - now <= op.extra else 'load'
            parts[part] += 1
            blame(ops, head, part)
        for _ in range(width):
            if now < resume or tail == len(ops) or tail - head == size:
                break
            if registers and sum(len(op.dests) for op in ops[head:tail + 1]) > registers:
                break
            ops[tail].held = reason if now == resume else 'fetch'
            ops[tail].fetched = now
            tail += 1
            if ops[tail - 1].mispredicted:
                resume, reason = never, 'branch'
            if ends and ops[tail - 1].taken:
                break
        now += 1
    return parts, squashes


def expected(rows, registers, model, machine, predictor=('perfect', 0), cache=(0, 8, 64, 20)):
    contexts = {}
    for row in rows:
        contexts.setdefault(context(row), []).append(row)
    parts, result, by_pc = dict.fromkeys(PARTS, 0), {}, {}

    def add(key, value):
        if value is not None:
            result[key] = result.get(key, 0) + value

    for own in contexts.values():
        ops = ops_of(own, registers)
        branches = predict(ops, *predictor)
        add('conditional_branches', branches if predictor[0] != 'perfect' else None)
        add('mispredictions', sum(op.mispredicted for op in ops) if predictor[0] != 'perfect' else None)
        for key, value in zip(('accesses', 'misses'), look_up(ops, *cache)):
            add(key, value)
        found, squashes = model(ops, **machine)
        add('memory_order_squashes', squashes if machine.get('memory') == 'naive' else None)
        add('uops', len(ops))
        add('instructions', sum(is_instruction(op.row) for op in ops))
        for part in PARTS:
            parts[part] += found[part]
        for op in ops:
            row = by_pc.setdefault(op.row['pc'], dict.fromkeys((*PARTS, 'executions'), 0))
            row['executions'] += is_instruction(op.row)
            for part in PARTS:
                row[part] += op.cycles[part]
    result['cycles'] = sum(parts.values())
    result['cpi'] = result['cycles'] / result['instructions']
    result['ipc'] = result['instructions'] / result['cycles']
    result['uops_per_cycle'] = result['uops'] / result['cycles']
    result['stalls_by_pc'] = by_pc
    result['cpi_stack'] = {part: cycles for part, cycles in parts.items() if cycles}
    return result


def words_of(setting, prefix):
    """The options of a setting, each after a switch."""
    model, machine, predictor, cache = machines_of(setting)
    options = {'model': 'inorder' if model is in_order else 'ooo', 'width': machine['width'],
               'load': machine['load'], 'penalty': machine['penalty'], 'float': 1,
               'taken-ends': int(machine.get('ends', False)), 'predictor': predictor[0],
               'bits': predictor[1], 'cache': cache[0], 'ways': cache[1], 'line': cache[2],
               'miss': cache[3]}
    if model is in_order:
        options['order'] = machine.get('order', 'free')
    else:
        options.update(size=machine.get('size', 128), registers=machine.get('registers', 0),
                       memory=machine.get('memory', 'none'))
    return [word for key, value in options.items() for word in (prefix[0], f'{prefix[1]}{key}={value}')]


def machines_of(setting):
    model, machine, *rest = setting
    return (model, machine, *(rest + [('perfect', 0), (0, 8, 64, 20)][len(rest):])[:2])


def check(tap, title, name, rows, registers, setting):
    model, machine, predictor, cache = machines_of(setting)
    words = words_of(setting, ('-O', 'pipeline.'))
    found = stats(name, 'pipeline', *words, '-O', 'pipeline.top=1000000')
    stalls = [row['stall_cycles'] for row in found['stalls_by_pc']]
    tap.ok(f'{title}: instructions in the order of their stall cycles', stalls == sorted(stalls, reverse=True))
    found['stalls_by_pc'] = {int(row['pc'], 16): {
        'executions': row['executions'], 'busy': row['busy_cycles'],
        **{part: row[f'{part}_stalls'] for part in PARTS if part != 'busy'}} for row in found['stalls_by_pc']}
    found['cpi_stack'] = {row['component']: row['cycles'] for row in found['cpi_stack']}
    tap.same(title, found, expected(rows, registers, model, machine, predictor, cache))


class Log:
    """A log of version 0004, by the description of its commands: lines of fields between tabs, of which the
    first is the command. C= sets the cycle and C adds to it; I begins an instruction (its number in the log,
    that of the simulator, its thread); L adds a text to one; S and E begin and end a stage of a lane; R ends
    an instruction (with the order of retirement, and 0 unless it is flushed)."""

    def __init__(self, text):
        head, *lines = text.split('\n')
        assert head == 'Kanata\t0004' and lines.pop() == '', 'the first line, and an end of the last one'
        self.cycle, self.ops = None, {}
        for line in lines:
            command, *fields = line.split('\t')
            getattr(self, {'C=': 'start', 'C': 'go_on'}.get(command, 'take_' + command))(*fields)
        assert all(op['retired'] is not None and not op['open'] for op in self.ops.values())

    def start(self, cycle):
        assert self.cycle is None
        self.cycle = int(cycle)

    def go_on(self, cycles):
        assert int(cycles) > 0
        self.cycle += int(cycles)

    def take_I(self, number, identity, thread):
        assert int(number) == len(self.ops) and thread == '0'
        self.ops[int(number)] = dict(identity=int(identity), begun=self.cycle, label='', open={}, stages=[],
                                     retired=None)

    def take_L(self, number, kind, text):
        assert kind == '0'
        self.ops[int(number)]['label'] += text

    def take_S(self, number, lane, stage):
        op = self.ops[int(number)]
        assert lane == '0' and not op['open'] and op['retired'] is None
        op['open'][stage] = self.cycle

    def take_E(self, number, lane, stage):
        op = self.ops[int(number)]
        op['stages'].append((stage, op['open'].pop(stage), self.cycle))

    def take_R(self, number, identity, flushed):
        op = self.ops[int(number)]
        assert op['identity'] == int(identity) and flushed == '0' and op['retired'] is None
        op['retired'] = self.cycle


def check_log(tap, title, name, rows, setting, first, count):
    """The stages of count micro-operations of a CIS 501 trace, from one on."""
    model, machine, predictor, cache = machines_of(setting)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'log')
        run('sim', 'pipeline', '--konata', path, *words_of(setting, ('-O', '')), '-O', f'from={first}',
            '-O', f'count={count}', os.path.join(ROOT, 'tests', 'data', name))
        with open(path) as file:
            log = Log(file.read())
    ops = ops_of(rows, True)
    predict(ops, *predictor)
    look_up(ops, *cache)
    model(ops, **machine)
    expected = {'count': len(ops[first - 1:first - 1 + count])}
    for number, op in enumerate(ops[first - 1:first - 1 + count], first):
        moments = op.fetched, op.issued, op.done, op.committed
        stages = [(stage, a, b) for stage, a, b in zip('FXC', moments, moments[1:]) if a < b]
        label = f"{number}: 0x{op.row['pc']:08x} {op.row['mnemonic']} {op.row['uop_name']}"
        expected[number - first] = dict(identity=number, begun=op.fetched, label=label, open={}, stages=stages,
                                        retired=op.committed)
    tap.same(title, {'count': len(log.ops), **log.ops}, expected)


def check_sweep(tap, title, name, rows, registers, fixed, swept):
    """Every pipeline of a sweep by itself; fixed: options of all, swept: values by option."""
    words = [word for key, value in fixed.items() for word in ('-O', f'{key}={value}')]
    text = ','.join(f"{key}={','.join(map(str, values))}" for key, values in swept.items())
    found = json.loads(run('sim', 'pipeline', '--json', '--sweep', text, *words,
                           os.path.join(ROOT, 'tests', 'data', name)))['pipeline']['sweep']
    expected_rows = {'count': 0}
    for values in itertools.product(*swept.values()):
        chosen = dict(zip(swept, values))
        at = {'model': 'ooo', 'width': 4, 'size': 128, 'load': 4, 'penalty': 10, 'predictor': 'gshare', 'bits': 12,
              'cache': 32768, 'ways': 8, 'line': 64, 'miss': 20, **fixed, **chosen}
        machine = dict(width=at['width'], load=at['load'], penalty=at['penalty'])
        if at['model'] == 'ooo':
            machine.update(size=at['size'], memory=at['memory'])
        result = expected(rows, registers, in_order if at['model'] == 'inorder' else out_of_order, machine,
                        (at['predictor'], at['bits']), (at['cache'], at['ways'], at['line'], at['miss']))
        expected_rows[expected_rows['count']] = {
            **chosen, 'cycles': result['cycles'], 'cpi': result['cpi'], 'ipc': result['ipc'],
            'mispredictions': result.get('mispredictions', 0),
            'misses': result.get('misses', 0)}
        expected_rows['count'] += 1
    keys = [*swept, 'cycles', 'cpi', 'ipc', 'mispredictions', 'misses']
    tap.same(title, {'count': len(found), **{i: {key: row[key] for key in keys} for i, row in enumerate(found)}},
             expected_rows)


def two_threads(name):
    """The name of a copy in which threads take turns of 5 records, until the program ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    copy = os.path.join(folder.name, 'threads.jsonl')
    header, *lines = run('convert', '--to', 'jsonl', '-o', '-', name).decode().splitlines()
    with open(copy, 'w') as to:
        header = json.loads(header)
        header['columns'].append('thread')
        to.write(json.dumps(header) + '\n')
        for number, line in enumerate(lines):
            row = json.loads(line)
            row['thread'] = number // 5 % 2 + 1
            to.write(json.dumps(row) + '\n')
    return copy


SMALL = (1024, 2, 16, 7)
SETTINGS = {
    'plain in order': (in_order, dict(width=1, load=2, penalty=0)),
    'wide in order': (in_order, dict(width=4, load=3, penalty=6, order='all', ends=True), ('gshare', 6), SMALL),
    'in order of writes': (in_order, dict(width=2, load=9, penalty=1, order='latency'), ('bimodal', 4)),
    'no rule': (out_of_order, dict(width=4, load=3, penalty=5), ('gshare', 5), SMALL),
    'conservative': (out_of_order, dict(width=2, load=4, penalty=0, size=16, memory='conservative'), ('btfn', 0)),
    'perfect': (out_of_order, dict(width=8, load=4, penalty=9, registers=9, memory='perfect', ends=True), ('taken', 0), SMALL),
    'naive': (out_of_order, dict(width=8, load=3, penalty=2, memory='naive'), ('not-taken', 0)),
}
tap = Tap()
ROOT = os.environ['POLYTRACE_ROOT']
SORT = os.path.join(ROOT, 'tests', 'data', 'cis501', 'sort_1k.trace')
TWO = two_threads(SORT)
ROWS = {name: trace(name)[1] for name in ('cis501/sort_1k.trace', 'cis501/thumb.trace', TWO, 'qemu4v/arm_start_2k.q4v')}
for title, setting in SETTINGS.items():
    for name in some(*ROWS):
        check(tap, f'{os.path.basename(name)}: {title}', name, ROWS[name], not name.endswith('.q4v'), setting)
rows = ROWS['cis501/sort_1k.trace']
for title, first in ('a log', 400), ('the end of a log', 950):
    for word in some(*SETTINGS):
        check_log(tap, f'{title}: {word}', 'cis501/sort_1k.trace', rows, SETTINGS[word], first, 300)
SWEEPS = {'in lanes': ({'model': 'inorder', 'float': 1, 'cache': 1024, 'ways': 2, 'line': 16},
                       {'width': (1, 2, 3), 'load': (1, 5), 'penalty': (0, 7), 'miss': (2, 30)}),
          'of everything': ({'memory': 'none', 'float': 1, 'ways': 2, 'line': 16},
                            {'model': ('ooo', 'inorder'), 'size': (4, 64), 'cache': (0, 1024),
                             'predictor': ('perfect', 'gshare'), 'bits': (3, 6)})}
for title, (fixed, swept) in SWEEPS.items():
    for name in some('cis501/sort_1k.trace', TWO):
        check_sweep(tap, f'{os.path.basename(name)}: a sweep {title}', name, ROWS[name], True, fixed, swept)


def delayed(opcode, text, is_likely):
    """A MIPS loop that ends with its tenth branch, whose outcome is known after the instruction in its delay slot;
    that of a likely one is skipped at the end."""
    loop = [(0x1000, 0x24420001, 'addiu v0,v0,1'), (0x1004, opcode, text), (0x1008, 0, 'nop')]
    loops = 10 * loop
    if is_likely:
        loops.pop()
    rows = [{'polytrace': 'trace', 'version': 1, 'format': 'text', 'isa': 'mips', 'address_bits': 32,
             'columns': ['kind', 'pc', 'opcode', 'opcode_size', 'text']}]
    rows += [{'kind': 'instruction', 'pc': hex(pc), 'opcode': hex(opcode), 'opcode_size': 4, 'text': text}
             for pc, opcode, text in loops + [(0x100c, 0, 'nop'), (0x1010, 0, 'nop')]]
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, 'loop.jsonl')
    with open(path, 'w', encoding='utf-8') as out:
        out.writelines(json.dumps(row) + '\n' for row in rows)
    return path


for opcode, text, executed in ((0x1440fffe, 'bne v0,zero,0x1000', 32), (0x1440fffe, 'bne v0,zero,1000 <loop>', 32),
                               (0x5440fffe, 'bnel v0,zero,0x1000', 31)):
    loop_of_mips = delayed(opcode, text, executed == 31)
    for predictor, wrong in ('taken', 1), ('not-taken', 9), ('btfn', 1):
        answer = stats(loop_of_mips, 'pipeline', '-O', f'pipeline.predictor={predictor}')
        tap.ok(f'{text}, predicted {predictor}', (answer['uops'], answer['conditional_branches'], answer['mispredictions'])
               == (executed, 10, wrong), answer)
        answer = stats(loop_of_mips, 'branch', '-O', f'branch.predictors={predictor}')
        tap.ok(f'{text}, as a branch that is predicted {predictor}',
               (answer['instructions'], answer['taken_branches'], answer['predictors'][0]['mispredictions']) == (executed, 9, wrong),
               answer)
sys.exit(tap.end())
