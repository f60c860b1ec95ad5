"""What models share about branches: the instructions that branch, and their directions."""
import re

RETURN, CALL, CONDITIONAL, INDIRECT = 'return', 'call', 'conditional', 'indirect'


def powerpc(opcode):
    """The kinds of branch of a PowerPC instruction, by its fields (Power ISA I 2.4); None: not a branch."""
    primary, extended, link = opcode >> 26, opcode >> 1 & 0x3ff, opcode & 1
    if primary == 18:
        return {CALL} if link else set()
    if primary not in (16, 19) or (primary == 19 and extended not in (16, 528)):
        return None
    facts = set() if opcode >> 21 & 0x14 == 0x14 else {CONDITIONAL}
    if primary == 19:
        facts.add(INDIRECT)
    if link and opcode != 0x429f0005:
        facts.add(CALL)
    elif not link and primary == 19 and extended == 16:
        facts.add(RETURN)
    return facts


def arm(text):
    """The kinds of branch of an ARM instruction in the syntax of the samples; None: not a branch."""
    word, _, operands = text.lower().partition(' ')
    word = re.sub(r'\.[wn]$', '', word)
    condition = '(eq|ne|[ch]s|cc|lo|mi|pl|v[sc]|hi|ls|[gl][et])'
    facts = set()
    if re.fullmatch('(b|bl|bx|blx)' + condition, word) or word in ('cbz', 'cbnz'):
        facts.add(CONDITIONAL)
        word = re.sub(condition + '$', '', word) if word[0] == 'b' else word
    if word in ('b', 'cbz', 'cbnz'):
        return facts
    if word in ('bl', 'blx'):
        return facts | {CALL} | (set() if operands.startswith(('#', '0x')) else {INDIRECT})
    if word == 'ret':
        return {INDIRECT, RETURN}
    if word == 'bx':
        return facts | {INDIRECT} | ({RETURN} if operands == 'lr' else set())
    writes = re.match('(add|mov|ldr|sub)', word) and operands.startswith('pc,')
    if word in ('tbb', 'tbh') or writes:
        return {INDIRECT}
    if word == 'pop' and operands.endswith('pc}'):
        return {INDIRECT, RETURN}
    return None


def micro(row):
    """The kinds of branch of a CIS 501 micro-operation that is one."""
    facts = {CONDITIONAL} if row['flags'] == 'read' else set()
    if row['uop_name'] == 'JMP_REG':
        facts.add(INDIRECT)
    return facts | {'CALL': {CALL}, 'RET': {RETURN}}.get(row['mnemonic'], set())


def facts_of(row):
    if 'uop_name' in row:
        return micro(row) if 'branch' in row else None
    return arm(row['text']) if 'text' in row else powerpc(row['opcode'])


def instructions(rows):
    """The rows that are instructions the program executed, with all micro-operations."""
    return [row for row in rows if row['kind'] == 'instruction' and not row.get('synthetic')]


def aim(row):
    """The target of a branch that its row or its encoding states; None: neither does."""
    if 'target' in row:
        return row['target']
    if 'text' in row:
        found = re.search(r'#?0x([0-9a-f]+)$', row['text'].lower())
        return int(found.group(1), 16) if found else None
    opcode = row.get('opcode', 0) if row.get('opcode_size') == 4 else 0
    if 'uop_name' in row or opcode >> 26 != 16 or opcode & 2:
        return None
    return row['pc'] + ((opcode & 0xfffc) ^ 0x8000) - 0x8000


def fall_through(row):
    return row['fallthrough'] if 'fallthrough' in row else row['pc'] + row['opcode_size']


def branches(rows):
    """(row, facts, taken, target or None) of every branch, in traces of one context."""
    found, records = [], instructions(rows)
    has_branches = any('branch' in row for row in records)
    for row, after in zip(records, records[1:] + [None]):
        facts = facts_of(row)
        if has_branches and 'branch' in row:
            taken = row['branch'] == 'taken'
            target = row.get('target', row.get('next_pc') if taken else None)
            found.append((row, facts or set(), taken, target))
        elif not has_branches and facts is not None:
            if row.get('executed') is False:
                found.append((row, facts, False, None))
            elif after:
                taken = CONDITIONAL not in facts or after['pc'] != fall_through(row)
                found.append((row, facts, taken, after['pc'] if taken else None))
    return found


def kind(facts):
    for name in (RETURN, CALL, CONDITIONAL, INDIRECT):
        if name in facts:
            return name
    return 'direct'
