"""Rows as the fetches and accesses that simulators are given, and lists of lines."""
import model

KINDS = {'read': 'r', 'write': 'w', 'fetch': 'f'}
TRACES = ('tt6/sort.tt6', 'qemu4v/arm_start_2k.q4v', 'cis501/sort_1k.trace',
          'bach/bios_irq_4k.bach', 'lackey/words.lackey')


# The rows of the last trace, and the number of its instructions.
HEADS = [None, 0]


def is_operation(row):
    """An executed instruction or micro-operation."""
    return row['kind'] == 'instruction' and not row.get('synthetic')


def is_instruction(row):
    """An executed instruction: of its micro-operations, the first one."""
    return is_operation(row) and row.get('uop_index', 1) == 1


def uses(rows, of='all'):
    """(kind, address, size) of every use, a fetch before the access of the same row: one per instruction, and only
    with of='uops' one per micro-operation."""
    found = []
    for row in rows:
        if 'pc' in row and (is_instruction(row) or of == 'uops' and is_operation(row)):
            found.append(('f', row['pc'], row.get('opcode_size', 0)))
        if row.get('access') in KINDS and 'address' in row:
            found.append((KINDS[row['access']], row['address'], row.get('size', 0)))
    return [use for use in found if of == 'all' or (use[0] == 'f') == (of != 'data')]


def pieces(stream, line, fetch_line=None):
    """The parts of (kind, address, size, ...) that are each in a line: Dinero IV splits a reference across blocks
    into one for each block, and reports "Multi-block refs". Uses of unknown size are in the line of their address."""
    for kind, address, size, *more in stream:
        bytes, left = fetch_line if fetch_line and kind == 'f' else line, min(size, 4096)
        while True:
            part = min(left, bytes - address % bytes)
            yield (kind, address, part, *more)
            address, left = (address + part) % 2 ** 64, left - part
            if not left:
                break


def all_traces():
    """Names and rows of some traces."""
    for name in model.some(*TRACES, model.threads, model.overlaps):
        yield name, model.trace(name)[1]


def tops(numbers, weights, column, weight, most):
    """A table of the numbers that weigh most, of equals the first seen first."""
    used, heavy = {}, {}
    for number, one in zip(numbers, weights):
        used[number] = used.get(number, 0) + 1
        heavy[number] = heavy.get(number, 0) + one
    order = sorted(heavy, key=lambda number: -heavy[number])
    return [{column: f'0x{number:08x}', 'accesses': used[number], weight: heavy[number],
             'share': heavy[number] / sum(weights)}
            for number in order[:most] if heavy[number]]


def uses_and_pcs(rows, of='all'):
    """Uses as (kind, address, size, pc), pc being the instruction, or the address if it is unknown."""
    return [(*use, row.get('pc', use[1])) for row in rows for use in uses([row], of)]


def ratio(part, whole):
    return part / whole if whole else None


def mpki(rows, misses):
    """Misses per 1000 instructions, macro-operations if there are micro-operations; None: zero instructions."""
    if HEADS[0] is not rows:
        HEADS[:] = rows, sum(map(is_instruction, rows))
    heads = HEADS[1]
    return 1000 * misses / heads if heads else None


def distances(lines):
    """How many other lines were used since the last use; None: it is the first."""
    stack = []
    for line in lines:
        if line in stack:
            yield stack.index(line)
            stack.remove(line)
        else:
            yield None
        stack.insert(0, line)
