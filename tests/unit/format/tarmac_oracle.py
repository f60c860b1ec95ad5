#!/usr/bin/env python3
"""Reads the Tarmac that polytrace writes with a reader as strict as Arm's tools, as TAP.

    tarmac_oracle.py POLYTRACE

The reader follows the parser of ARM-software/tarmac-trace-utilities: what that rejects, warns about or
reads as text is an error here. It reads Arm's own traces first, where they are available.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402

ROOT = os.environ['POLYTRACE_ROOT']
SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
PUBLIC = os.path.join(SHARED, 'data', 'public', 'tarmac')
MADE = os.path.join(SHARED, 'data', 'made', 'qemu4v')
PROGRAM = os.path.abspath(sys.argv[1])

HEX = '[0-9a-fA-F]+'
STAMP = re.compile(r'\s*(\d+) ?(clk|cyc|tic|cs|ps|ns|us) (?:cpu(\d+) )?')
ADDRESS = f'({HEX})(?::{HEX}(?:_N?S)?)?'
INSTRUCTION = re.compile(
    rf'(IT|IS) \(({HEX})\) {ADDRESS} ({HEX}) (A|T16|T32|T|O)(?: ([\w-]+))? ?: ?(.*)')
RTL = re.compile(rf'ES \(({HEX}):({HEX}|-+)\) (A|T16|T32|T|O) ([\w-]+) ?: ?(CCFAIL )?(.*)')
MEMORY = re.compile(rf'M([RW])(\d+)([A-Z_]*) {ADDRESS} ({HEX}(?:[_ ]{HEX})?)')
REGISTER = re.compile(r'R (\w+(?: \((?:\w{3})\))?) ([0-9a-fA-F_]+)')
EVENT = re.compile(rf'E {ADDRESS} ([0-9a-fA-F]{{8}}) CoreEvent_(\w+)')

# Digits of the registers that the tools have; they stop at a value of another width.
WIDTHS = [(r'r(\d|1[0-5])([_ ]\(?(usr|fiq|irq|svc|abt|und|mon|hyp)\)?)?', 8), (r'(sp|lr|pc)', 8),
          (r'[xX](\d|[12]\d|30)', 16), (r'[wW](\d|[12]\d|30)', 8), (r'SP(_EL[0-3])?', 16),
          (r'[sS]([12]?\d|3[01])', 8), (r'[dD]([12]?\d|3[01])', 16), (r'[qQvV]([12]?\d|3[01])', 32),
          (r'c?psr', 8), (r'FPC?S?R', 8)]


class Unreadable(Exception):
    """A line that Arm's tools do not read."""


def read_register(body):
    match = REGISTER.fullmatch(body)
    if not match or match[1].lower() in ('dc', 'ic', 'at', 'tlbi'):
        raise Unreadable('a register: ' + body)
    digits = match[2].replace('_', '')
    for name, width in WIDTHS:
        if re.fullmatch(name, match[1]) and len(digits) != width:
            raise Unreadable(f'{width} digits expected: {body}')
    if re.match('[xXwW]_', match[1]):
        raise Unreadable('a name: ' + body)
    return 'R', match[1].lower(), int(digits, 16)


def read_memory(body):
    match = MEMORY.fullmatch(body)
    if not match:
        raise Unreadable('an access: ' + body)
    size, digits = int(match[2]), re.sub('[_ ]', '', match[5])
    if size not in (1, 2, 3, 4, 8, 16) or len(digits) != 2 * size:
        raise Unreadable('the data of an access: ' + body)
    # Sixteen bytes are two words.
    if (size == 16) != (' ' in match[5]):
        raise Unreadable('the words of an access: ' + body)
    return 'M', match[1], size, match[3], int(match[4], 16), int(digits, 16)


def read_instruction(body):
    match = INSTRUCTION.fullmatch(body)
    if match:
        taken, number, pc, opcode, iset, mode, text = match.groups()
        if len(opcode) not in (4, 8) or len(pc) not in (8, 16):
            raise Unreadable('an instruction: ' + body)
        return 'I', taken == 'IT', int(number), int(pc, 16), opcode, iset, mode, text
    match = RTL.fullmatch(body)
    if not match or len(match[2]) not in (4, 8):
        raise Unreadable('an instruction: ' + body)
    pc, opcode, iset, mode, failed, text = match.groups()
    return ('I', not failed, None, int(pc, 16), None if '-' in opcode else opcode, iset,
            None if mode == '---_-' else mode, text)


def read_line(line):
    """Returns time, unit, processor or None, and the fields of a record."""
    stamp = STAMP.match(line)
    if not stamp:
        raise Unreadable('a time: ' + line)
    body = line[stamp.end():]
    kind = body.split(' ')[0]
    if kind in ('IT', 'IS', 'ES'):
        record = read_instruction(body)
    elif kind == 'R':
        record = read_register(body)
    elif kind == 'E':
        match = EVENT.fullmatch(body)
        if not match:
            raise Unreadable('an event: ' + body)
        record = 'E', int(match[1], 16), int(match[2], 16), match[3]
    elif re.match(r'M[RW]\d', kind):
        record = read_memory(body)
    else:
        raise Unreadable(f"unknown Tarmac event type '{kind}'")
    return int(stamp[1]), stamp[2], stamp[3], record


def read_tarmac(text):
    """Records of a trace, all of which name a processor if one does."""
    records = [read_line(line) for line in text.splitlines()]
    if len({record[2] is None for record in records}) > 1:
        raise Unreadable('some records name a processor, and some do not')
    return records


def read_qemu4v(text):
    """Records of the three forms of QEMU4V Trace Format; other lines are skipped."""
    records = []
    for line in text.splitlines():
        instruction = re.fullmatch(
            rf'(\d+) ([a-z]+) (\d+) (IT|IS) \((\d+)\) ({HEX}) ({HEX}) ([A-Z])(?: (\w+))? : ?(.*)', line)
        memory = re.fullmatch(rf'(\d+) ([a-z]+) M([RW])(\d+)([A-Z]*) ({HEX}) ({HEX})', line)
        register = re.fullmatch(rf'(\d+) ([a-z]+) R (\S+) ({HEX})', line)
        if instruction:
            time, unit, cpu, taken, number, pc, opcode, iset, mode, text = instruction.groups()
            record = 'I', taken == 'IT', int(number), int(pc, 16), opcode.lower(), iset, mode, text
        elif memory:
            time, unit, way, size, attributes, address, data = memory.groups()
            cpu, record = None, ('M', way, int(size), attributes, int(address, 16), int(data, 16))
        elif register:
            time, unit, name, value = register.groups()
            cpu, record = None, ('R', name.lower(), int(value, 16), len(value))
        else:
            continue
        records.append((int(time), unit, cpu and int(cpu), record))
    return records


def known_register(record, machine):
    """The register that Tarmac has for one of QEMU4V, as (name, value); or None."""
    _, name, value, digits = record
    name = 'cpsr' if name == 'psr' else name
    widths = {'r': (range(16), 8), 'x': (range(31), 16), 'w': (range(31), 8),
              'd': (range(32), 16), 'q': (range(32), 32)}
    match = re.fullmatch(r'([rxwdq])(0|[1-9]\d?)', name)
    if machine not in (None, 'arm', 'aarch64'):
        return None
    if match and int(match[2]) in widths[match[1]][0] and widths[match[1]][1] == digits:
        return 'R', name, value
    return ('R', name, value) if name in ('cpsr', 'lr', 'pc') and digits == 8 else None


def pieces(record):
    """The accesses of an access, of sizes that Tarmac has, in little-endian order."""
    _, way, size, attributes, address, data = record
    done = 0
    while done < size:
        left = size - done
        n = left if left == 3 else max(n for n in (1, 2, 4, 8, 16) if n <= left)
        yield 'M', way, n, attributes, address + done, data >> 8 * done & (1 << 8 * n) - 1
        done += n


def expected(records, machine=None):
    """The records of Tarmac for those of QEMU4V, without processors."""
    for time, unit, _, record in records:
        if record[0] == 'I':
            _, taken, number, pc, opcode, iset, mode, text = record
            if len(opcode) not in (4, 8):
                number = opcode = None
            yield time, unit, ('I', taken, number, pc, opcode, iset if iset in 'AT' else 'A', mode, text)
        elif record[0] == 'M':
            for piece in pieces(record):
                yield time, unit, piece
        else:
            register = known_register(record, machine)
            if register:
                yield time, unit, register


def convert(text, source, target, *options, code=0):
    """The converted text and the messages."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace')
        with open(path, 'w') as out:
            out.write(text)
        run = subprocess.run([PROGRAM, 'convert', '-f', source, '-t', target, *options, path, '-o', '-'],
                             capture_output=True, text=True)
    assert run.returncode == code, (run.returncode, run.stderr)
    return run.stdout, run.stderr


def to_tarmac(text, *options):
    return read_tarmac(convert(text, 'qemu4v', 'tarmac', *options)[0])


def same(found, wanted):
    found, wanted = list(found), list(wanted)
    for i, (a, b) in enumerate(zip(found, wanted)):
        assert a == b, f'record {i}: {a}, not {b}'
    assert len(found) == len(wanted), f'{len(found)} records, not {len(wanted)}'


def load(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        path = os.path.join(ROOT, 'tests', 'data', 'qemu4v', name)
    with open(path) as file:
        return file.read()


def samples():
    """Names and texts of the samples that are available, with their instruction sets."""
    for name in ('seed3.q4v', 'arm_start_2k.q4v', 'arm_modes.q4v', 'mips_2k.q4v'):
        if os.path.exists(os.path.join(MADE, name)) or name in ('seed3.q4v', 'arm_start_2k.q4v'):
            yield name, load(MADE, name)


def random_trace(seed, cpus=1):
    """A trace in which every instruction is followed by its accesses and registers."""
    draw = random.Random(seed)
    lines = []
    for time in range(1, 400):
        width = draw.choice((8, 8, 8, 16))
        opcode = draw.choice((4, 8, 8, 8, 16, 6))
        mode = draw.choice(('', 'svc ', 'usr_s ', 'irq_ns '))
        lines.append(f'{time} ns {draw.randrange(cpus)} {draw.choice(("IT", "IT", "IS"))} ({time - 1}) '
                     f'{draw.getrandbits(4 * width):0{width}x} {draw.getrandbits(4 * opcode):0{opcode}x} '
                     f'{draw.choice("AAATX")} {mode}: {draw.choice(("", "mov r0, r1", "a : b"))}')
        for _ in range(draw.randrange(3)):
            size = draw.choice((1, 2, 3, 4, 8, 16, 5, 32))
            lines.append(f'{time} ns M{draw.choice("RW")}{size}{draw.choice(("", "", "X", "T", "L"))} '
                         f'{draw.getrandbits(32):08x} {draw.getrandbits(8 * size):0{2 * size}x}')
        for _ in range(draw.randrange(3)):
            name, digits = draw.choice((('r3', 8), ('r15', 8), ('r16', 8), ('x5', 16), ('x5', 8), ('d1', 16),
                                        ('q2', 32), ('t0', 8), ('s0', 8), ('sp', 8), ('v0', 8),
                                        ('psr', 8), ('$8', 16), ('f0<31..0>', 8), ('w3', 8), ('r1', 16)))
            lines.append(f'{time} ns R {name} {draw.getrandbits(4 * digits):0{digits}x}')
    return '\n'.join(lines) + '\n'


ONE = '1 clk 0 IT (1) 00001000 e1a00000 A svc_s : nop\n'
TWO = ('1 clk 0 IT (1) 00001000 e1a00000 A svc_s : nop\n1 clk MR4 00002000 00000001\n'
       '2 clk 1 IT (1) 00001000 e1a00000 A svc_s : nop\n2 clk R r1 00000002\n')


def the_strict_reader_reads_arms_own_traces():
    counts = {'quicksort.tarmac': (2044, 788, 1474), 'calculator-aarch64-fastmodel.tarmac': (4783, 2832, 3929)}
    if not os.path.isdir(PUBLIC):
        return 'the public traces are not here'
    for name, wanted in counts.items():
        # Messages of the model are text for Arm's tools, too; so is one line of its registers.
        lines = [line for line in load(PUBLIC, name).splitlines()
                 if not re.match(r'\d+ clk (CADI|SIGNAL:) ', line)]
        kinds = [record[3][0] for record in map(read_line, lines)]
        assert (kinds.count('I'), kinds.count('M'), kinds.count('R')) == wanted, (name, kinds.count('I'))
    return None


def the_strict_reader_rejects_what_arms_tools_reject():
    for line in ('1 clk 0 IT (1) 00000004 3c080001 A svc : nop', '1 clk core0 IT (1) 00000004 3c080001 A svc : nop',
                 '1 clk cluster0.cpu1 R r0 00000000', '1 clk IT (1) 00000004 3c080001 X svc : nop',
                 '1 clk IT (1) 00000004 0000001f00000000 A svc : nop', '1 clk R x5 00000001',
                 '1 clk R v0 00000001', '1 clk R $8 00000001', '1 clk R f0<31..0> 3f800000',
                 '1 clk R X_v0 00000001', '1 clk MR16 00001000 00112233445566778899aabbccddeeff',
                 '1 clk MR5 00001000 0011223344', '1 clk FD (6) 80000004 80000010 A',
                 '1 clk EW 00000004', '1 clk E 1 2 x', '1 ms R r0 00000000', 'text'):
        try:
            read_line(line)
        except Unreadable:
            continue
        raise AssertionError('was read: ' + line)


def every_record_of_a_sample_is_there():
    """Arm's tools counted 1 of 1077 instructions: QEMU4V's processor is not an event."""
    for name, text in samples():
        wanted = read_qemu4v(text)
        found = to_tarmac(text)
        same(((time, unit, record) for time, unit, _, record in found), expected(wanted))
        assert {cpu for _, _, cpu, _ in found} == {None}, name
    counts = [record[3][0] for record in to_tarmac(load(MADE, 'arm_start_2k.q4v'))]
    assert [counts.count(kind) for kind in 'IMR'] == [898, 401, 701]


def every_record_of_a_random_trace_is_there():
    for seed in range(12):
        text = random_trace(seed, cpus=1 + seed % 3)
        found = to_tarmac(text)
        same(((time, unit, record) for time, unit, _, record in found), expected(read_qemu4v(text)))


def every_record_of_a_loop_is_there():
    """Lines that repeat but for their numbers are copied; their processors and values still count."""
    draw = random.Random(1)
    lines = []
    for time in range(1, 6000):
        cpu, step = time // 1500 % 2, time % 5
        lines.append(f'{time} clk {cpu} IT ({time}) {0x1000 + 4 * step:08x} e1a0000{step} A usr : step {step}')
        lines.append(f'{time} clk MR4 {0x2000 + 4 * draw.randrange(4000):08x} {draw.getrandbits(32):08x}')
        lines.append(f'{time} clk R {("r1", "t0", "x2", "x2", "r20")[step]} {draw.getrandbits(32):08x}')
        lines.append(f'{time} clk R x3 {draw.getrandbits(64):016x}')
    first, both = '\n'.join(lines[:4 * 1000]) + '\n', '\n'.join(lines) + '\n'
    same(((time, unit, record) for time, unit, _, record in to_tarmac(first)), expected(read_qemu4v(first)))
    found = to_tarmac(both, '-T', 'tarmac.cpu=always')
    same(((time, unit, record) for time, unit, _, record in found), expected(read_qemu4v(both)))
    assert all(int(cpu) == time // 1500 % 2 for time, _, cpu, _ in found)
    assert 'processor 1' in convert(both, 'qemu4v', 'tarmac', code=2)[1]


def several_processors_are_named_on_every_record():
    assert [cpu for _, _, cpu, _ in to_tarmac(TWO)] == ['0', '0', '1', '1']
    assert [cpu for _, _, cpu, _ in to_tarmac(ONE.replace(' 0 ', ' 3 '))] == ['3']
    for seed in range(3):
        text = random_trace(seed, cpus=4)
        owner = None
        wanted = []
        for _, _, cpu, record in read_qemu4v(text):
            owner = owner if cpu is None else cpu
            wanted += [str(owner)] * len(list(expected([(0, '', 0, record)])))
        same((cpu for _, _, cpu, _ in to_tarmac(text)), wanted)


def processors_are_named_always_or_never_on_request():
    assert [cpu for _, _, cpu, _ in to_tarmac(ONE, '-T', 'tarmac.cpu=always')] == ['0']
    assert [cpu for _, _, cpu, _ in to_tarmac(TWO, '-T', 'tarmac.cpu=never')] == [None] * 4
    assert 'numbers of processors were dropped (2 times)' in convert(
        TWO, 'qemu4v', 'tarmac', '-T', 'tarmac.cpu=never')[1]


def a_late_second_processor_is_an_error():
    """Records without a processor cannot be changed any more when the second one appears."""
    first = ''.join(f'{i} clk 0 IT ({i}) 00001000 e1a00000 A svc_s : nop\n' for i in range(9000))
    last = '9000 clk 2 IT (0) 00001000 e1a00000 A svc_s : nop\n'
    for lines in (first + last, first + last * 3):
        message = convert(lines, 'qemu4v', 'tarmac', code=2)[1]
        assert 'processor 2' in message and 'tarmac.cpu=always' in message, message
        found = to_tarmac(lines, '-T', 'tarmac.cpu=always')
        assert found[0][2] == '0' and found[-1][2] == '2' and len(found) == lines.count('\n')


def rows_without_a_sample_have_their_processors():
    """The processors of rows that are not read from lines of QEMU4V."""
    if needs.without('jansson'):
        return needs.without('jansson')
    rows = [f'{{"kind":"instruction","pc":"0x1000","opcode":"0x1","cpu":{cpu}}}\n' for cpu in (0, 0, 1)]
    header = '{"polytrace":"trace","version":1,"format":"jsonl"}\n'
    for count, wanted in ((2, ['0', '0']), (3, ['0', '0', '1'])):
        text = convert(header + ''.join(rows[:count]), 'jsonl', 'tarmac')[0]
        assert [cpu for _, _, cpu, _ in read_tarmac(text)] == wanted, text


def registers_of_other_machines_are_dropped():
    lines = ONE + ''.join(f'1 clk R {name}\n' for name in (
        'r1 00000001', 'x5 00000005', 'x5 0000000000000005', 'v0 00000000', 'sp 00000000', 's0 00000000',
        'd2 0000000000000002', 't0 00000000', '$8 00000000', 'f0<31..0> 3f800000', 'hi 00000000',
        'mips.v0 00000000', 'dc 00000000', 'psr 60000013', 'r13_svc 00000004', 'r16 00000000'))
    for isa, wanted in ((None, 'r1 x5 d2 cpsr r13_svc'), ('mips32', ''), ('powerpc', ''),
                        ('arm', 'r1 sp s0 d2 hi cpsr r13_svc'), ('aarch64', 'x5 x5 v0 s0 d2 sp hi cpsr')):
        options = ('--isa', isa) if isa else ()
        found = [record[1] for _, _, _, record in to_tarmac(lines, *options) if record[0] == 'R']
        assert sorted(found) == sorted(wanted.split()), (isa, found)
    assert "not known as an Arm processor's were dropped (16 times)" in convert(
        lines, 'qemu4v', 'tarmac', '--isa', 'mips32')[1]


def registers_have_the_digits_of_their_width():
    found = to_tarmac(ONE + '1 clk R x5 01\n1 clk R sp 00000000000000ff\n1 clk R pstate 0000000060000000\n'
                      '1 clk R w1 00000000000000001\n1 clk R q1 00000001\n', '--isa', 'aarch64')
    assert [record for _, _, _, record in found][1:] == [
        ('R', 'x5', 1), ('R', 'sp', 255), ('R', 'cpsr', 0x60000000), ('R', 'q1', 1)], found


def an_instruction_set_that_tarmac_lacks_is_replaced():
    line = ONE.replace(' A ', ' X ')
    assert to_tarmac(line)[0][3][5] == 'A'
    assert to_tarmac(line, '--isa', 'aarch64')[0][3][5] == 'O'
    assert to_tarmac(line, '--isa', 'thumb')[0][3][5] == 'T'


def an_opcode_that_tarmac_lacks_is_absent():
    """Arm's tools would read eight bytes as their lower four without a word."""
    line = ONE.replace('e1a00000', '0000001f00000000')
    out, message = convert(line + line.replace('IT', 'IS').replace('svc_s ', ''), 'qemu4v', 'tarmac')
    assert [record[3] for record in read_tarmac(out)] == [
        ('I', True, None, 0x1000, None, 'A', 'svc_s', 'nop'), ('I', False, None, 0x1000, None, 'A', None, 'nop')]
    assert 'opcodes that are not 2 or 4 bytes were dropped' in message


def units_are_those_that_arms_tools_have():
    for unit, time, wanted in (('ns', 7, (7, 'ns')), ('tic', 7, (7, 'tic')), ('ms', 7, (7000, 'us')),
                               ('fs', 7000, (7, 'ps')), ('steps', 7, (7, 'clk'))):
        line = ONE.replace('1 clk', f'{time} {unit}')
        assert to_tarmac(line)[0][:2] == wanted, (unit, to_tarmac(line))


def data_are_values_in_two_words_of_sixteen_bytes():
    text = ONE + '1 clk MR16 00001000 00112233445566778899aabbccddeeff\n1 clk MW5 00001001 0102030405\n'
    assert '\n1 clk MR16 00001000 0011223344556677 8899aabbccddeeff\n' in convert(text, 'qemu4v', 'tarmac')[0]
    assert [record for _, _, _, record in to_tarmac(text)][2:] == [
        ('M', 'W', 4, '', 0x1001, 0x02030405), ('M', 'W', 1, '', 0x1005, 0x01)]
    # The order in which the source's data are read is not that of the output.
    swapped = convert(ONE + '1 clk MR4 00001000 01020304\n', 'qemu4v', 'tarmac', '-O', 'tarmac.data=memory')[0]
    assert read_tarmac(swapped)[1][3][5] == 0x04030201, swapped


def exceptions_have_address_number_and_name():
    lines = ONE + ''.join(f'1 clk E {text}\n' for text in ('00008100 84 CoreEvent_IRQ', '8100 18 data abort'))
    assert [record for _, _, _, record in to_tarmac(lines)][1:] == [
        ('E', 0x8100, 0x84, 'IRQ'), ('E', 0x8100, 0x18, 'data_abort')]
    assert '(2 times)' in convert(ONE + '1 clk E x\n1 clk FD (6) 80000004 80000010 A\n', 'qemu4v', 'tarmac')[1]


def a_round_trip_keeps_what_the_manual_says():
    texts = [text for _, text in samples()] + [random_trace(seed, 1 + seed % 2) for seed in range(8)]
    for text in texts:
        back, _ = convert(convert(text, 'qemu4v', 'tarmac')[0], 'tarmac', 'qemu4v')
        # An instruction without its opcode is not one of QEMU4V.
        wanted = [record for record in expected(read_qemu4v(text))
                  if record[2][0] != 'I' or record[2][4] is not None]
        found = [(time, unit, record[:3] if record[0] == 'R' else record)
                 for time, unit, _, record in read_qemu4v(back)]
        same(found, wanted)
        cpus = [cpu for _, _, cpu, record in read_qemu4v(text)
                if record[0] == 'I' and len(record[4]) in (4, 8)]
        same((cpu for _, _, cpu, record in read_qemu4v(back) if record[0] == 'I'), cpus)


def tarmac_is_copied_unless_processors_are_requested():
    folder = os.path.join(ROOT, 'tests', 'data', 'tarmac')
    texts = [load(folder, name) for name in sorted(os.listdir(folder))]
    if os.path.isdir(PUBLIC):
        texts.append(load(PUBLIC, 'quicksort.tarmac'))
    for text in texts:
        assert convert(text, 'tarmac', 'tarmac')[0] == text
    names = '1 clk cluster0.cpu0 IT (1) 00001000 e1a00000 O EL1h_s : nop\n1 clk cluster0.cpu0 R X1 0000000000000001\n'
    never = convert(names, 'tarmac', 'tarmac', '-T', 'tarmac.cpu=never')[0]
    assert never == names.replace(' cluster0.cpu0', ''), never
    always = convert(names, 'tarmac', 'tarmac', '-T', 'tarmac.cpu=always')[0]
    assert always == names.replace('cluster0.cpu0', 'cpu0'), always


def main():
    tests = [the_strict_reader_reads_arms_own_traces, the_strict_reader_rejects_what_arms_tools_reject,
             every_record_of_a_sample_is_there, every_record_of_a_random_trace_is_there,
             every_record_of_a_loop_is_there,
             several_processors_are_named_on_every_record, processors_are_named_always_or_never_on_request,
             a_late_second_processor_is_an_error, rows_without_a_sample_have_their_processors,
             registers_of_other_machines_are_dropped, registers_have_the_digits_of_their_width,
             an_instruction_set_that_tarmac_lacks_is_replaced, an_opcode_that_tarmac_lacks_is_absent,
             units_are_those_that_arms_tools_have, data_are_values_in_two_words_of_sixteen_bytes,
             exceptions_have_address_number_and_name, a_round_trip_keeps_what_the_manual_says,
             tarmac_is_copied_unless_processors_are_requested]
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        try:
            skipped = test()
            print(f'ok {number} - {test.__name__}' + (f' # SKIP {skipped}' if skipped else ''))
        except (AssertionError, Unreadable) as fault:
            print(f'# {type(fault).__name__}: {fault}\nnot ok {number} - {test.__name__}')


main()
