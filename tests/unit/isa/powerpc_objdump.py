#!/usr/bin/env python3
"""The PowerPC table and the disassembler against GNU binutils: every line of powerpc.def in many
encodings. The text has to be that of objdump in one of its dialects, simplified or raw, wherever
one of them knows the encoding, and so has the table's own, which builds without Capstone show;
and every line has to be known to one of them in some encoding, under the table's mnemonic. Arguments: the listing program, powerpc.def."""
import glob
import gzip
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
import needs  # noqa: E402
import sampling  # noqa: E402

OBJDUMP = 'powerpc-linux-gnu-objdump'
# The processors of the table; and others, used if none of those knows an encoding.
DIALECTS = ['7450', 'power4', '601', 'cell']
OTHERS = ['power9', '970', 'pwr2', 'a2', 'e500']
# If both are right, or the form is invalid: rlwinm by 0 as slwi or rotlwi; what pwr2 calls an
# update form that updates nothing; reserved bits as operands of later processors.
EXPECTED = re.compile(r'(slwi|sldi) (r\d+, r\d+), 0$|\w+ .*\(0\)$|lwzu (r\d+), .*\(\3\)$')
# Instructions whose reserved bits are operands on processors of the second list, whose operands
# objdump lacks a dialect for, or whose encoding has another meaning there.
MNEMONIC_ONLY = {'tlbie', 'tlbiel', 'tlbia', 'slbia', 'slbmfev', 'sync', 'eieio', 'mffs', 'mtfsfi',
                 'dcbf', 'dcba', 'dcbtep', 'dcbtstep', 'dclst', 'paste.', 'sc', 'lswx', 'lswi',
                 'lwzux', 'stwux', 'lmw', 'mtfsf'}
# Encodings that objdump gives to another instruction alone, or whose number it never shows.
UNKNOWN = {'mftb', 'stqcx.', 'lq', 'lfdp', 'stfdp', 'tlbld', 'tlbli', 'lfdepx', 'stfdepx', 'rac'}
# The bits of a layout that are operands, and the extended opcodes that it stands for.
FREE = {'D': 0x3ffffff, 'X': 0x3fff801, 'XO': 0x3fff801, 'XS': 0x3fff803, 'MD': 0x3ffffe3,
        'MDS': 0x3ffffe1, 'VX': 0x3fff800, 'VC': 0x3fff800, 'VA': 0x3ffffc0, 'A': 0x3ffffc1,
        'DS': 0x3fffffc, 6: 0x3fffff0, 61: 0x3fffff8}
SHIFT = {'X': 1, 'XO': 1, 'XS': 2, 'MD': 2, 'MDS': 1, 'A': 1}
# Fields that some instructions need to be 0: rT, rA, rB, rC and the record bit.
FIELDS = [0x3e00000, 0x1f0000, 0xf800, 0x7c0, 1]


def table(path):
    """Mnemonic, layout, primary and extended opcode of every line that is an instruction."""
    lines = re.findall(r'^(?:MEM|OUT|RUN|FLOW)\("([^"]+)", (\w+), (\d+), (\d+), .*"([^"]*)"\)$',
                       open(path).read(), re.M)
    return [(name, layout, int(primary), int(extended), operands)
            for name, layout, primary, extended, operands in lines]


def encodings(layout, primary, extended):
    """Many encodings of a line: each field random or 0, and small displacements."""
    base = primary << 26 | extended << SHIFT.get(layout, 0)
    free = FREE.get(primary, FREE[layout]) if layout == 'DS' else FREE[layout]
    other = {'XO': 0x400, 'VC': 0x400}.get(layout, 0)
    for zero in range(32):
        mask = free & ~sum(field for i, field in enumerate(FIELDS) if zero >> i & 1)
        yield from sampling.some([(base | random.getrandbits(26) & mask) + other * random.getrandbits(1)
                                  for _ in range(4)])


def recorded():
    """The distinct opcodes of the TT6 listings among the shared data, where those are there."""
    shared = os.environ.get('POLYTRACE_SHARED', os.environ['POLYTRACE_ROOT'] + '/../shared')
    words = set()
    for path in glob.glob(shared + '/data/made/**/*.tt6.jsonl.gz', recursive=True):
        with gzip.open(path, 'rt') as file:
            words |= set(re.findall(r'"op": ?"(?:0x)?([0-9a-f]{8})"', file.read()))
    return sorted(int(word, 16) for word in words)


def run(command, text=None):
    """The lines that a command prints."""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode == 77:
        print('1..0 # SKIP the build lacks capstone')
        sys.exit()
    if done.returncode:
        print(f'Bail out! {command}: {done.returncode}: {done.stderr}')
        sys.exit(1)
    return done.stdout.split('\n')


def plain(text):
    """Objdump's text in this project's style."""
    text = re.sub(r'\s*(#|<).*', '', text)
    text = re.sub(r'\s+', ' ', text.replace(',', ', ')).strip()
    # A reserved bit of these is printed as an operand.
    text = re.sub(r'^((?:fre|fres|frsqrtes?|slbmfee)\.? .*), 1$', r'\1', text)
    return re.sub(r'0xffffffff([0-9a-f]{8})$', lambda m: '0x%x' % int(m[1], 16), text)


def objdump(words, dialect):
    """Objdump's text of words from address 0 on; None where it knows none."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b''.join(struct.pack('>I', word) for word in words))
        file.flush()
        lines = run([OBJDUMP, '-D', '-z', '-b', 'binary', '-m', 'powerpc:common64', '-EB', '-M',
                     dialect, file.name])
    texts = [plain(m[1]) for m in
             (re.match(r'\s*[0-9a-f]+:\t(?:[0-9a-f]{2} ){4}\t(.*)$', line) for line in lines) if m]
    assert len(texts) == len(words), (dialect, len(texts), len(words))
    return [None if text.startswith('.long') else untested_bit(text) for text in texts]


def dump(words, dialects):
    """The texts of each word in some dialects, simplified or raw."""
    columns = [objdump(words, dialect + raw) for dialect in dialects for raw in ('', ',raw')]
    return [{text for text in texts if text} for texts in zip(*columns)]


def untested_bit(text):
    """Text of a branch on no condition with its BI as a number (objdump names the bit)."""
    def number(m):
        bit = re.fullmatch(r'(?:4\*cr(\d)\+)?(lt|gt|eq|so)', m[2])
        return m[1] + str(4 * int(bit[1] or 0) + ('lt', 'gt', 'eq', 'so').index(bit[2]))
    return re.sub(r"^(bc\S* (?:1[6-9]|2\d|3[01]), )((?:4\*cr\d\+)?(?:lt|gt|eq|so))\b", number, text)


def zero_base(text):
    """Text with a base of nothing written as 0 (objdump spells it r0 in some)."""
    return re.sub(r'^(\S+ (?:v?[rfs]?\d+, )?)r0, (?=r)', r'\g<1>0, ', text.replace('(r0)', '(0)'))


def reserved_record(name, word, operands):
    """Whether the lowest bit is set that the instruction does not define."""
    return word & 1 and name[-1] != '.' and not re.search('[.:GJ]| .*L', operands)


def main():
    listing, path = sys.argv[1:3]
    random.seed(4242)
    cases = [(line[0], word, line[4]) for line in table(path) for word in encodings(*line[1:4])]
    traced = recorded()
    cases += [(None, word, '.') for word in traced if word >> 26]
    words = [word for _, word, _ in cases]
    texts = dump(words, DIALECTS)
    # Primary opcode 4 means something else on each of the others.
    rest = sorted({word for word, found in zip(words, texts) if not found and word >> 26 != 4})
    others = dict(zip(rest, dump(rest, OTHERS)))
    ours = run([listing], ''.join('%x %x\n' % (4 * i, word) for i, word in enumerate(words)))
    faults, known, compared = {}, {}, 0
    for i, (name, word, operands) in enumerate(cases):
        mnemonic, text, own = ours[i].split('\t')
        theirs = texts[i] or others.get(word, set())
        name = name or mnemonic
        if mnemonic != name:
            faults.setdefault((name, 'found as ' + mnemonic), (word, text, theirs))
        stems = {re.sub(r'\.?[+-]?$', '', t.split(' ')[0]) for t in theirs}
        known[name] = known.get(name) or bool({name.rstrip('.'), name + 'o'} & stems)
        if not theirs or reserved_record(name, word, operands):
            continue
        compared += 1
        for what, shown in ('text', text), ('text of the table', own):
            if name in MNEMONIC_ONLY | UNKNOWN and shown.startswith(name.rstrip('.')):
                continue
            if zero_base(shown) not in map(zero_base, theirs) and not EXPECTED.match(shown):
                faults.setdefault((name, what), (word, shown, theirs))
    for name, is_known in known.items():
        # In the few encodings of a sample some are not.
        if not is_known and name not in UNKNOWN and sampling.ONE_OF <= 8:
            faults[(name, 'unknown to objdump')] = (0, '', '')
    print(f'1..1\n# {compared} of {len(words)} encodings of {len(known)} instructions compared, '
          f'{len(traced)} of them from traces')
    for (name, what), (word, text, theirs) in faults.items():
        print(f'# {name}: {what}: {word:08x} {text!r} {theirs or ""}')
    print(f'{"not " if faults else ""}ok 1 - texts_are_those_of_objdump')


if needs.lacking(OBJDUMP):
    print(f'1..0 # SKIP {needs.lacking(OBJDUMP)}')
else:
    main()
