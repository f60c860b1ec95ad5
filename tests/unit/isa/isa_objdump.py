#!/usr/bin/env python3
"""Descriptions of x86-64 and AArch64 against GNU objdump over the code of a C library, as TAP:
length, branch kind, target, accesses and registers of each encoding. Arguments: isa_listing, the
instruction set. POLYTRACE_LONG=1 compares every encoding, otherwise a sample is."""
import collections
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
import needs  # noqa: E402

TOOLS = {'x86-64': ('objdump', ['-M', 'intel'], ['/lib/x86_64-linux-gnu/libc.so.6',
                                                 '/usr/lib/x86_64-linux-gnu/libm.so.6']),
         'aarch64': ('aarch64-linux-gnu-objdump', [], ['/usr/aarch64-linux-gnu/lib/libc.so.6',
                                                       '/usr/aarch64-linux-gnu/lib/libm.so.6'])}
SAMPLE = 40000
JUMPS, CONDITIONAL, INDIRECT, CALLS, RETURNS = 1, 2, 4, 8, 16
# What is not decoded may be this share of all instructions, by set.
UNKNOWN_MAX = {'x86-64': 0.005, 'aarch64': 0.005}


def code(isa):
    """Encoding in the order of the column opcode, mnemonic, operands and offset of each instruction."""
    tool, options, libraries = TOOLS[isa]
    libraries = [path for path in libraries if os.path.exists(path)]
    found = {}
    counts = collections.Counter()
    for path in libraries:
        listed = subprocess.run([tool, '-d', '-w', *options, path], capture_output=True, text=True)
        if 'file format elf64-' + ('x86-64' if isa == 'x86-64' else 'littleaarch64') \
                not in listed.stdout:
            continue
        for match in re.finditer(r'^ *([0-9a-f]+):\t([0-9a-f ]+?) *\t(.*)$', listed.stdout, re.M):
            encoding = match[2].replace(' ', '')
            text = re.sub(r'\s*(//|# |<).*', '', match[3]).strip()
            counts[encoding] += 1
            found.setdefault(encoding, (text, int(match[1], 16)))
    return [(encoding, *found[encoding], counts[encoding]) for encoding in found]


def listing(program, isa, encodings):
    done = subprocess.run([program, isa], input='\n'.join(encodings) + '\n', capture_output=True,
                          text=True)
    if done.returncode == 77:
        print('1..0 # SKIP without libcapstone')
        sys.exit(0)
    assert done.returncode == 0, done
    return [line.split('\t') for line in done.stdout.split('\n')[:-1]]


def split(text):
    """Mnemonic without prefixes, and operands."""
    text = re.sub(r'^((bnd|notrack|lock|repz?|repnz|data16|cs|ds|es|ss|addr32|rex(\.\w+)?|xacquire|'
                  r'xrelease) )+', '', text)
    name, _, operands = text.partition(' ' if ' ' in text.split('\t')[0] else '\t')
    if '\t' in text:
        name, _, operands = text.partition('\t')
    return name.strip(), re.split(r',\s*(?![^\[{]*[\]}])', operands.strip()) if operands.strip() else []


class X86:
    SIZES = {'BYTE': 1, 'WORD': 2, 'DWORD': 4, 'QWORD': 8, 'XMMWORD': 16, 'YMMWORD': 32,
             'ZMMWORD': 64, 'TBYTE': 10, 'FWORD': 6, 'OWORD': 16}
    # Operands of these are addresses, or have sizes of their own.
    NO_ACCESS = re.compile(r'lea$|nop|prefetch|clflush|ud[01]|bnd|invlpg')
    UNSIZED = re.compile(r'(rep|.*gather|.*scatter|fx|xsave|xrstor|fldenv|fnstenv|.*maskmov|fnsave|'
                         r'frstor|[sl][ig]dt|movs[bwdq]?$|stos|lods|scas|cmps|l[fgsde]s$)')
    READ_ONLY = re.compile(r'(cmp(?!xchg)|test|push|call|jmp|i?mul|i?div|bt$|fld|fi?(add|sub|mul|div|com)|'
                           r'fild|fbld|v?ldmxcsr|v?u?comis|ptest|ver[rw]|ltr|lmsw|lldt)')
    WRITE_ONLY = re.compile(r'(v?mov|set|stos|pop(?!cnt)|v?stmxcsr|fi?s?tp?|fn?st|fbstp|v?p?extr|vextr|kmov|'
                            r'sldt|smsw|vpmov|vcvtps2ph|str$)')
    FLAGS_ONLY = re.compile(r'(cmp$|cmps[bwdq]|test|push|call|jmp|bt$|v?u?comis|v?ptest$|'
                            r'vtest|out|ver[rw]|pcmp.str|vpcmp.str|int|wr[fg]sbase|nop|kortest|ktest|incssp|'
                            r'ltr|lldt|lmsw|f|v?maskmov|prefetch|ud|xabort|enter)')

    @staticmethod
    def register(name):
        """The whole register of a name; None: another operand."""
        name = re.sub(r'\{.*', '', name)
        match = re.fullmatch(r'[xyz]mm(\d+)', name)
        if match:
            return 'zmm' + match[1]
        match = re.fullmatch(r'mm(\d)|st\((\d)\)|k(\d)', name)
        if match:
            return 'k' + match[3] if match[3] else 'st' + (match[1] or match[2])
        match = re.fullmatch(r'(r\d+)[bwd]?', name)
        if match:
            return match[1]
        match = re.fullmatch(r'[re]?(ax|bx|cx|dx|si|di|sp|bp)|([abcd])[lh]|(si|di|sp|bp)l', name)
        if match:
            return 'r' + (match[1] or match[3] or match[2] + 'x')
        return name if re.fullmatch(r'[cdefgs]s|rip', name) else None

    @classmethod
    def flow(cls, name, operands):
        indirect = 0 if operands and re.match(r'[0-9a-f]+$|0x', operands[0]) else INDIRECT
        if name == 'ret':
            return JUMPS | INDIRECT | RETURNS
        if name == 'call':
            return JUMPS | CALLS | indirect
        if name == 'jmp':
            return JUMPS | indirect
        if name[0] == 'j' or name.startswith('loop'):
            return JUMPS | CONDITIONAL
        return 0

    @classmethod
    def address(cls, operand):
        """Base, index, scale, displacement."""
        inner = re.search(r'\[(.*)\]', operand)
        if not inner:
            return '', '', 1, int(re.search(r'0x([0-9a-f]+)$', operand)[1], 16)
        base = index = ''
        scale, displacement = 1, 0
        for sign, term in re.findall(r'([+-]?)([^+-]+)', inner[1]):
            if '*' in term:
                index, scale = cls.register(term.split('*')[0]) or '', int(term[-1])
            elif term[0].isdigit():
                displacement += int(sign + term, 16)
            elif base:
                index = cls.register(term)
            else:
                base = cls.register(term) or ''
        return base, index, scale, displacement

    @classmethod
    def access(cls, name, operands, written):
        """Direction, size and address of the memory operand; None: none, or not comparable."""
        places = [i for i, operand in enumerate(operands)
                  if 'PTR' in operand or '[' in operand or re.match(r'[d-g]s:', operand)]
        if len(places) != 1 or cls.NO_ACCESS.match(name) or 'riz' in operands[places[0]]:
            return None
        size = re.match(r'(\w+) (PTR|BCST)', operands[places[0]])
        if places[0] or cls.READ_ONLY.match(name):
            direction = 'RW' if name in ('xchg', 'xadd') else 'R'
        else:
            direction = 'W' if cls.WRITE_ONLY.match(name) else 'RW'
        return (direction, None if cls.UNSIZED.match(name) or not size else cls.SIZES[size[1]],
                *cls.address(operands[places[0]]))

    @classmethod
    def written(cls, name, operands):
        """The registers that the operands say are written; None: not known here."""
        if not operands or cls.FLAGS_ONLY.match(name) or name[0] == 'f':
            return set()
        if len(operands) == 1 and re.match('i?mul|i?div', name):
            return set()
        places = 2 if name in ('xchg', 'xadd', 'mulx') else 1
        return {cls.register(operand) for operand in operands[:places]} - {None}


class AArch64:
    LOADS = re.compile(r'ld(?!g)')
    STORES = re.compile(r'st(?!g)')
    ATOMICS = re.compile(r'(ld|st)(add|clr|eor|set|[su]max|[su]min)|cas|swp')
    NOTHING = re.compile(r'(cmp|cmn|tst|ccm[np]|fcmpe?|fccmpe?|cbn?z|tbn?z|b(\.\w+)?|blr?|br|ret|msr|prf|dc|ic|'
                         r'at|tlbi|sys|hint|nop|dmb|dsb|isb|svc|brk)$|st(?!l?xr|l?xp)')

    @staticmethod
    def register(name):
        match = re.fullmatch(r'[bhsdqv](\d+)(\..*)?', name)
        if match:
            return 'v' + match[1]
        match = re.fullmatch(r'[wx](\d+)', name)
        if match:
            return 'x' + match[1]
        return 'sp' if name in ('sp', 'wsp') else None

    @classmethod
    def flow(cls, name, operands):
        if name in ('ret', 'retaa', 'retab'):
            return JUMPS | INDIRECT | RETURNS
        if re.fullmatch(r'blra[ab]z?|blr', name):
            return JUMPS | INDIRECT | CALLS
        if re.fullmatch(r'bra[ab]z?|br', name):
            return JUMPS | INDIRECT
        if name in ('b', 'bl'):
            return JUMPS | (CALLS if name == 'bl' else 0)
        return JUMPS | CONDITIONAL if re.match(r'b\.|cbn?z|tbn?z', name) else 0

    @classmethod
    def size(cls, name, operands):
        """Bytes, by the suffix of the name or the register."""
        if re.match(r'ldp|stp|ldnp|stnp|ldxp|stl?xp|ldaxp|casp', name):
            data = operands[1 if name.startswith(('stx', 'stlx')) else 0]
            return 8 if name == 'ldpsw' else 2 * {'w': 4, 'x': 8, 's': 4, 'd': 8, 'q': 16}[data[0]]
        if re.match(r'(ld|st)[1-4]', name):
            listed = operands[0]
            match = re.search(r'\.(\d*)([bhsd])', listed)
            first, last = re.search(r'v(\d+)', listed), re.findall(r'v(\d+)', listed)[-1]
            count = (int(last) - int(first[1])) % 32 + 1
            element = {'b': 1, 'h': 2, 's': 4, 'd': 8}[match[2]]
            whole = not re.search(r'\}\[', listed) and not name.endswith('r')
            return count * element * (int(match[1]) if whole else 1)
        suffix = re.sub(r'^(ldap|lda?x?|stl?x?|ldt|stt|ldu|stu|ld(add|clr|eor|set|[su]max|[su]min)a?l?|'
                        r'casa?l?|swpa?l?|st(add|clr|eor|set|[su]max|[su]min)l?)(t|u)?r?(s(?=[bhw]))?', '', name)
        if suffix in ('b', 'h', 'w'):
            return {'b': 1, 'h': 2, 'w': 4}[suffix]
        data = operands[1 if re.match(r'stl?xr', name) else 0]
        return {'b': 1, 'h': 2, 'w': 4, 's': 4, 'x': 8, 'd': 8, 'q': 16}[data[0]]

    @classmethod
    def access(cls, name, operands, written):
        places = [i for i, operand in enumerate(operands) if operand.startswith('[')]
        atomic = cls.ATOMICS.match(name)
        if not (cls.LOADS.match(name) or cls.STORES.match(name) or atomic) or not places:
            return None
        inner = re.search(r'\[(.*?)\]', operands[places[0]])[1].split(', ' if ', ' in operands[places[0]]
                                                                      else ',')
        base, index, scale, displacement = cls.register(inner[0]), '', 1, 0
        size = cls.size(name, operands)
        if len(inner) > 1 and inner[1][0] == '#':
            displacement = int(inner[1][1:], 0)
        elif len(inner) > 1:
            index = cls.register(inner[1]) or ''
            extended = len(inner) > 2 and 'xtw' in inner[2]
            scale = 0 if extended else size if len(inner) > 2 and '#' in inner[2] else 1
            scale = scale if index else 1
        direction = 'RW' if atomic else 'R' if cls.LOADS.match(name) else 'W'
        return direction, size, base, index, scale, displacement

    @classmethod
    def written(cls, name, operands):
        if not operands or cls.NOTHING.match(name) or name.startswith('st') and \
                not re.match(r'stl?x', name):
            return set()
        if re.match(r'ld[1-4]', name):
            numbers = [int(number) for number in re.findall(r'v(\d+)', operands[0])]
            last = numbers[-1] + (32 if numbers[-1] < numbers[0] else 0)
            return {'v%d' % (i % 32) for i in range(numbers[0], last + 1)}
        if re.match(r'ld(add|clr|eor|set|[su]max|[su]min)|swp', name):
            return {cls.register(operands[1])} - {None}
        if name.startswith('casp'):
            return {cls.register(operand) for operand in operands[:2]} - {None}
        places = 2 if re.match(r'ld(n?p|a?xp)', name) else 1
        return {cls.register(operand) for operand in operands[:places]} - {None}


def named(oracle, operands):
    """The registers that stand in operands."""
    found = set()
    for operand in operands:
        ranges = re.search(r'\{v(\d+)\.\w+-v(\d+)', operand)
        if ranges:
            found |= {'v%d' % i for i in range(int(ranges[1]), int(ranges[2]) + 1)}
        found |= {oracle.register(word) for word in re.findall(r'(?<!\w)[a-z][\w()]*(?:\.\w+)?(?!:)', re.sub(r'\b[ed]s:', '', operand))}
    return found - {None}


def compare(isa, oracle, line, text, offset):
    """What differs of a description from objdump's text."""
    name, operands = split(text)
    length, _, flow, target, reads, writes, accesses = line[:7]
    reads, writes = set(reads.split()), set(writes.split())
    if int(flow) != oracle.flow(name, operands):
        return 'flow'
    if int(flow) and not int(flow) & INDIRECT and \
            (int(operands[-1], 16) - offset - int(target)) % 2**64:
        return 'target'
    access = oracle.access(name, operands, writes)
    if access and accesses != '?':
        described = [entry.split(':') for entry in accesses.split()]
        wanted = [str(field) for field in access]
        if access[1] is None:
            described = [entry[:1] + ['None'] + entry[2:] for entry in described]
        if wanted not in described:
            return 'access'
    if not access and not accesses.strip('?') == '' and isa == 'aarch64' and \
            not re.match(r'ldr(sw)?$', name):
        return 'access of none'
    if isa == 'x86-64' and oracle.NO_ACCESS.match(name):
        return 'access of none' if accesses else None
    if name in ('adr', 'adrp') or int(flow) and not int(flow) & INDIRECT:
        operands = operands[:-1]
    if not named(oracle, operands) - {'rip'} <= reads | writes:
        return 'registers'
    expected = oracle.written(name, operands)
    if expected is not None and not expected <= writes:
        return 'not written'
    if (named(oracle, operands) & writes) - expected - implied(isa, name, operands):
        return 'written'
    return None


def implied(isa, name, operands):
    """Registers of operands that are written but not as destinations: bases with write-back, and
    what instructions write always."""
    if isa == 'aarch64':
        text = ', '.join(operands)
        base = re.search(r'\[(\w+)', text)
        back = base and (text.endswith('!') or re.search(r'\],', text))
        return {AArch64.register(base[1])} if back else set()
    if name[0] == 'f':
        return {'st%d' % i for i in range(8)} | {'rax'}
    if re.match(r'push|pop|call|ret|leave|enter', name):
        return {'rsp'}
    if re.match(r'i?mul|i?div|cmpxchg|cqo|cdq|rdtsc|cpuid|xbegin', name):
        return {'rax', 'rdx'}
    if re.match(r'v?p?gather|v?gather|v?p?scatter', name):
        return named(X86, operands)
    if re.match(r'(movs|stos|lods|scas|cmps|ins|outs)', name):
        return {'rsi', 'rdi', 'rcx', 'rax'}
    return {'rcx', 'r11'} if name == 'syscall' else set()


# Where objdump means something else, by fault and text.
EXCEPTIONS = {
    'x86-64': [('length', r'fn?(st|init|clex|save)|f(st|init|clex|save)', 'WAIT and the instruction that waits are two'),
               ('registers', r'xchg +(\w+),\1$', 'an exchange with itself is NOP'),
               ('registers', r'ffree', 'marks a register as free and does not read it')],
    'aarch64': []}


def is_exception(isa, fault, text):
    return any(fault == kind and re.match(pattern, text) for kind, pattern, _ in EXCEPTIONS[isa])


def main():
    program, isa = sys.argv[1:3]
    tool, _, libraries = TOOLS[isa]
    lacking = needs.lacking(tool) or needs.lacking_file(libraries[0], 'libc6-arm64-cross' if isa == 'aarch64' else 'libc6')
    found = [] if lacking else code(isa)
    if not found:
        print(f'1..0 # SKIP {lacking or "no code of this processor"}')
        return 0
    oracle = X86 if isa == 'x86-64' else AArch64
    total = sum(entry[3] for entry in found)
    if not os.environ.get('POLYTRACE_LONG') and len(found) > SAMPLE:
        found = random.Random(int(os.environ.get('POLYTRACE_SEED', '1'))).sample(found, SAMPLE)
    lines = listing(program, isa, [entry[0] for entry in found])
    assert len(lines) == len(found)
    sampled = unknown = compared = excepted = 0
    faults, lacking = collections.defaultdict(list), collections.Counter()
    for (encoding, text, offset, count), line in zip(found, lines):
        if re.search(r'\(bad\)|undefined|^\.(inst|word|byte)|^udf', text):
            continue
        sampled += count
        if line[0] == '0':
            unknown += count
            lacking[split(text)[0]] += count
            continue
        if int(line[0]) * 2 != len(encoding):
            if not is_exception(isa, 'length', text):
                faults['length'].append((encoding, text, line))
            excepted += count
            continue
        compared += count
        fault = compare(isa, oracle, line, text, offset)
        if fault and is_exception(isa, fault, text):
            excepted += count
        elif fault:
            faults[fault].append((encoding, text, line))
    print('1..2')
    print(f'# {compared} of {total} instructions compared, as {len(found)} encodings; '
          f'{unknown} of {sampled} are unknown, {excepted} are exceptions')
    print('#', ', '.join(f'{name} {count}' for name, count in lacking.most_common(30)))
    for fault, cases in sorted(faults.items()):
        print(f'# {fault}: {len(cases)}')
        for case in cases[:int(os.environ.get('CASES', '12'))]:
            print('#   ', *case)
    print('not ok' if faults else 'ok', '1 - descriptions are those of objdump')
    print('ok' if unknown <= UNKNOWN_MAX[isa] * sampled else 'not ok', '2 - few are unknown')
    return 0


if __name__ == '__main__':
    sys.exit(main())
