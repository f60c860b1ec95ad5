"""The pipelines of the CIS 501 course, stepped cycle by cycle as published results of CIS 501 words them.

Slow and simple on purpose: boards count down, lists are searched, nothing is shared with the C
models. Each function gives the lines that the course's programs print, without the heading.
"""

FLAGS = 49


class Uop:
    """A line of a trace; number from 1."""

    def __init__(self, number, line):
        f = line.split()
        self.number, self.uop, self.pc = number, int(f[0]), int(f[1], 16)
        self.src1, self.src2, self.dest = int(f[2]), int(f[3]), int(f[4])
        self.flags, self.branch, self.ldst = f[5], f[6], f[7]
        self.address, self.macro, self.micro = int(f[9], 16), f[12], f[13]
        self.sources = [r for r in (self.src1, self.src2) if 0 <= r < 50]
        self.dests = [self.dest] if 0 <= self.dest < 50 else []
        if self.flags == 'R':
            self.sources.append(FLAGS)
        if self.flags == 'W':
            self.dests.append(FLAGS)
        self.conditional = self.branch != '-' and self.flags == 'R'


def uops_of(text):
    return [Uop(i + 1, line) for i, line in enumerate(text.splitlines())]


class Gshare:
    def __init__(self, bits):
        self.table, self.bits, self.outcomes = {}, bits, []

    def wrong(self, pc, taken):
        history = 0
        for outcome in self.outcomes[-self.bits:]:
            history = history * 2 + outcome
        index = (pc ^ history) % 2 ** self.bits
        counter = self.table.get(index, 0)
        self.table[index] = min(counter + 1, 3) if taken else max(counter - 1, 0)
        self.outcomes.append(int(taken))
        return (counter in (2, 3)) != taken


class CourseCache:
    """Two ways, tags that begin as 0, replaced is the way that was not touched last (7.1.4)."""

    def __init__(self, size, block):
        self.block, self.sets = block, [[0, 0] for _ in range(size // block // 2)]
        self.touched = [1] * len(self.sets)

    def miss(self, address):
        block = address // self.block
        index, tag = block % len(self.sets), block // len(self.sets)
        tags = self.sets[index]
        missed = tag not in tags
        way = 1 - self.touched[index] if missed else tags.index(tag)
        tags[way] = tag
        self.touched[index] = way
        return missed


def superscalar(uops, experiment, width, cache_stores=False):
    lines, board, stall, cycle, at = [], [0] * 50, 0, 0, 0
    gshare, cache = Gshare(16), CourseCache(8192, 64)

    def show(uop, ready):
        words = ['(Ready)' if r else '(NotReady)' for r in ready]
        cells = ''.join(str(n) if n else '-' for n in board)
        lines.append(f'{cycle:5} {uop.number:5} {uop.src1:2} {words[0]:<10} {uop.src2:2} '
                     f'{words[1]:<10}  -> {uop.dest:2}  {uop.ldst}  {cells} {stall or "-"}')

    def free(r):
        return not 0 <= r < 50 or board[r] == 0

    while at < len(uops):
        if stall:
            show(uops[at - 1], (free(uops[at - 1].src1), free(uops[at - 1].src2)))
        for _ in range(0 if stall else width):
            if at == len(uops):
                break
            uop = uops[at]
            ready = free(uop.src1), free(uop.src2)
            if not all(free(r) for r in uop.sources + uop.dests):
                show(uop, ready)
                break
            latency = 2 if uop.ldst == 'L' else 1
            if experiment == 4 and uop.ldst in ('LS' if cache_stores else 'L'):
                latency += 7 * cache.miss(uop.address)
            for r in uop.dests:
                board[r] = latency
            if experiment >= 2 and uop.conditional and gshare.wrong(uop.pc, uop.branch == 'T'):
                stall = 5
            show(uop, ready)
            at += 1
            if stall or experiment >= 3 and uop.branch == 'T':
                break
        board = [max(n - 1, 0) for n in board]
        stall = max(stall - 1, 0)
        cycle += 1
    return lines + [f'Processed {len(uops)} trace records.', f'Micro-ops: {len(uops)}',
                    f'Macro-ops: {sum(u.uop == 1 for u in uops)}', f'TotalCycles: {cycle}']


class Entry:
    """A micro-op between fetch and commit."""

    def __init__(self, uop):
        self.uop, self.issued, self.done = uop, None, None


def mappings(entry):
    sources = [f'r{r} -> p{p}' for r, p in entry.sources]
    dests = [f'r{r} -> p{p} [p{old}]' for r, p, old in entry.dests]
    return ', '.join(sources + dests)


def rename(entry, table, free):
    entry.sources = [(r, table[r]) for r in entry.uop.sources]
    entry.dests = []
    for r in entry.uop.dests:
        old, table[r] = table[r], free.pop(0)
        entry.dests.append((r, table[r], old))


def opcodes(uop):
    return f'| {uop.macro} {uop.micro} '


def rename_only(uops, registers):
    table, free, lines = list(range(50)), list(range(50, registers)), []
    for uop in uops:
        entry = Entry(uop)
        rename(entry, table, free)
        free += [old for _, _, old in entry.dests]
        text = mappings(entry)
        lines.append(f'{uop.number}{", " + text if text else ""} {opcodes(uop)}')
    return lines


def out_of_order(uops, memory, width, registers, size, load):
    """memory: none conservative perfect naive ss2 ss3. The lines, cycles and stalls (7.1.6)."""
    table, free, ready = list(range(50)), list(range(50, registers)), [0] * registers
    rob, lines, now, at, stalls, resume, sets = [], [], 0, 0, 0, 0, {}

    def concerns(load, store):
        if memory in ('ss2', 'ss3'):
            return load.pc in sets and sets[load.pc] == sets.get(store.pc)
        return memory == 'conservative' or (memory == 'perfect' and store.address == load.address)

    def waits(i):
        stores = [e for e in rob[:i] if e.uop.ldst == 'S' and concerns(rob[i].uop, e.uop)]
        if memory == 'ss3':
            stores = stores[-1:]
        return any(e.done is None or e.done > now for e in stores)

    def join(load, store):
        ours = [sets[pc] for pc in (load.pc, store.pc) if pc in sets]
        sets[load.pc] = sets[store.pc] = min(ours) if ours else max(sets.values(), default=0) + 1

    def violation(i):
        """The position of the oldest load that passed the i-th oldest, a store done just now."""
        store = rob[i]
        if store.uop.ldst == 'S' and store.done == now:
            for k in range(i + 1, len(rob)):
                late = rob[k].issued is not None and rob[k].issued < now
                if rob[k].uop.ldst == 'L' and rob[k].uop.address == store.uop.address and late:
                    return k
        return None

    while at < len(uops) or rob:
        for _ in range(width):
            if not rob or rob[0].done is None or rob[0].done > now:
                break
            entry = rob.pop(0)
            free += [old for _, _, old in entry.dests]
            text = mappings(entry)
            lines.append(f'{entry.uop.number}: {entry.fetched} {entry.issued} {entry.done} {now}'
                         f'{", " + text if text else ""} {opcodes(entry.uop)}')
        i = 0
        while i < len(rob) and memory in ('naive', 'ss2', 'ss3'):
            k = violation(i)
            if k is not None:
                join(rob[k].uop, rob[i].uop)
                for entry in reversed(rob[k:]):
                    for r, p, old in reversed(entry.dests):
                        table[r] = old
                        free.insert(0, p)
                at -= len(rob) - k
                del rob[k:]
                resume = now + 1
            i += 1
        count = 0
        for i, entry in enumerate(rob):
            if count == width:
                break
            if entry.issued is not None or any(ready[p] for _, p in entry.sources):
                continue
            if entry.uop.ldst == 'L' and waits(i):
                continue
            latency = load if entry.uop.ldst == 'L' else 1
            entry.issued, entry.done = now, now + latency
            for _, p, _ in entry.dests:
                ready[p] = latency
            count += 1
        for _ in range(width if now >= resume else 0):
            if len(rob) == size:
                stalls += 1
                break
            if at == len(uops) or len(free) < len(uops[at].dests):
                break
            entry = Entry(uops[at])
            at += 1
            entry.fetched = now
            rename(entry, table, free)
            for _, p, _ in entry.dests:
                ready[p] = -1
            rob.append(entry)
        now += 1
        ready = [n - 1 if n > 0 else n for n in ready]
    return lines, now, stalls


class V2:
    """A line of a version 2 trace."""

    def __init__(self, line):
        f = [field.strip() for field in line.split('\t')]
        self.pc, self.size, self.kind, self.taken = int(f[0], 16), int(f[1]), f[2], f[3] == 'T'
        self.target, self.ldst, self.address = int(f[4], 16), f[5], int(f[6], 16)
        self.dest, self.src1, self.src2, self.text = f[9], f[10], f[11], line.split('\t')[12]


class V2Cache:
    """Sets as lists, the most recently used first."""

    def __init__(self, index, ways, block, hit, clean, dirty):
        self.sets, self.ways, self.block = [[] for _ in range(2 ** index)], ways, 2 ** block
        self.cycles = hit, clean, dirty

    def access(self, address, write):
        number = address // self.block
        blocks = self.sets[number % len(self.sets)]
        found = [entry for entry in blocks if entry[0] == number]
        cycles = self.cycles[0]
        if found:
            blocks.remove(found[0])
            write = write or found[0][1]
        else:
            gone = blocks.pop() if len(blocks) == self.ways else (0, False)
            cycles = self.cycles[2] if gone[1] else self.cycles[1]
        blocks.insert(0, (number, write))
        return cycles


def v2_mispredicted(insns, direction, bits, history, btb):
    """Which instructions are mispredicted; bits of counters, of history and of targets."""
    counters, targets, outcomes, result = {}, {}, [], []
    for i in insns:
        if i.kind == '_':
            result.append(False)
            continue
        fallthrough = i.pc + i.size
        key = (i.pc >> 1) % 2 ** bits
        if direction == 'gshare':
            for distance, outcome in enumerate(reversed(outcomes[-history:] if history else [])):
                key ^= (outcome << distance) % 2 ** bits
        count = counters.get(key, 0)
        goes = count >= 2 and direction != 'never'
        known = targets.get((i.pc >> 1) % 2 ** btb)
        guess = known[1] if goes and known and known[0] == i.pc else fallthrough
        counters[key] = min(3, count + 1) if i.taken else max(0, count - 1)
        outcomes.append(int(i.taken))
        if i.taken:
            targets[(i.pc >> 1) % 2 ** btb] = i.pc, i.target
        result.append(guess != (i.target if i.taken else fallthrough))
    return result


def v2(insns, bypass, memory, predictor=None, cache=None):
    """bypass: names out of MX WX WM; predictor: as of v2_mispredicted; cache: as of V2Cache."""
    wrong = v2_mispredicted(insns, *predictor) if predictor else [False] * len(insns)
    caches = [V2Cache(*cache), V2Cache(*cache)] if cache else None
    times, lines = [], []
    for n, i in enumerate(insns):
        fetch = caches[0].access(i.pc, False) if cache else 0
        extra = 0
        if i.ldst != '_':
            extra = caches[1].access(i.address, i.ldst == 'S') if cache else memory
        last = times[-1] if times else (0, 0, 0, 0, 0)
        f = (last[2] + 1 if wrong[n - 1] else last[1]) if n else int(bool(predictor and not cache))
        d = max(f + 1 + fetch, last[2])
        writers = {}
        for s in {i.src1, i.src2} - {'_'}:
            writers[s] = next((j for j in range(n - 1, -1, -1) if insns[j].dest == s), None)
        waiting = {s: j for s, j in writers.items() if j is not None}
        if 'WM' in bypass and i.ldst == 'S' and i.src1 != i.src2 and i.src1 in waiting:
            if waiting[i.src1] == n - 1 and insns[n - 1].ldst == 'L':
                del waiting[i.src1]

        def available(j, x):
            m, w = times[j][3], times[j][4]
            if insns[j].ldst == 'L':
                return x >= w if 'WX' in bypass else x > w
            return 'MX' in bypass and m <= x < w or 'WX' in bypass and x == w or x > w

        x = max(d + 1, last[3])
        while not all(available(j, x) for j in waiting.values()):
            x += 1
        m = max(x + 1, last[4])
        times.append((f, d, x, m, m + 1 + extra))
        labels = []
        for s, j in writers.items():
            data = i.ldst == 'S' and s == i.src1 and s != i.src2
            if j is not None and insns[j].ldst == 'L' and not data:
                if times[j][3] + (0 if cache else memory) > d and 'load-use' not in labels:
                    labels.append('load-use')
        labels += ['bmispred'] * wrong[n]
        labels += ['i$miss'] * (fetch > 0)
        labels += ['d$miss'] * (cache is not None and extra > 0)
        lines.append(' '.join(map(str, times[-1])) + f' {i.text} {{{", ".join(labels)}}}')
    return lines
