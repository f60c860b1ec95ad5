"""The printouts of homeworks 1 to 4 and of San Francisco State's projects, as published results of CIS 501
words them. Slow and simple on purpose. Each function gives lines; uops are those of
course_pipelines, with field 11 and 12 as fall and target."""
import math


def mix(uops):
    """The lines of WUSTL's homework 1."""
    heads = [i for i, u in enumerate(uops) if u.uop == 1] + [len(uops)]
    branches = [u for u in uops if u.target]
    kinds = [0 if u.ldst == 'L' else 1 if u.ldst == 'S' else 4 if not u.target else
             2 if u.flags == '-' else 3 if u.flags == 'R' else 4 for u in uops]
    groups = (('mops consisting of %2d uops', [b - a for a, b in zip(heads, heads[1:])]),
              ('mops of length %2d bytes', [uops[i].fall - uops[i].pc for i in heads[:-1]]),
              ('targets requiring %2d bits',
               [2 + int(math.log2(abs(u.target - u.pc) or 1)) for u in branches]),
              ('uops of type %2d ', kinds))
    for text, values in groups:
        for value in sorted(set(values)):
            share = 100 * values.count(value) / len(values)
            yield ('  Percent of ' + text) % value + ': %4.1f%%' % share


def scoreboard(uops, latency, relaxed, name):
    yield f'Trace name  \t\t\t\t{name}'
    yield f'Load Latency (cycles) \t\t\t{latency}'
    yield 'cycle\tuop  Src1 (ready?)\tSrc2 (ready?)\tDestReg\tLdSt\tcontents-of-the-scoreboard'
    board, cycle, at = [0] * 50, 0, 0
    while at < len(uops):
        u = uops[at]
        ready = [r < 0 or board[r] == 0 for r in (u.src1, u.src2)]
        takes = latency if u.ldst == 'L' else 1
        if all(ready) and (relaxed or u.dest < 0 or board[u.dest] < takes):
            if u.dest >= 0:
                board[u.dest] = takes
            at += 1
        words = ['Ready' if r else 'NotReady' for r in ready]
        cells = ''.join(str(n) if n else '-' for n in board)
        yield (f'{cycle:5} {u.number:4}\t{u.src1:2} ({words[0]})\t{u.src2:2} ({words[1]})\t'
               f'--> {u.dest:2}\t{u.ldst}\t{cells}')
        board = [max(n - 1, 0) for n in board]
        cycle += 1
    yield from processed(uops)
    yield f'Num Mops (macro-ops): \t\t\t{sum(u.uop == 1 for u in uops)}'
    yield f'Total Execution Time (in cycles): \t{cycle}'
    yield f'CPI (per uop): \t\t\t\t{cycle / len(uops):.3f}'
    yield f'IPC (per uop): \t\t\t\t{len(uops) / cycle:.3f}'


def processed(uops):
    return [f'Processed {len(uops)} trace lines.', f'Num Uops (micro-ops): \t\t\t{len(uops)}']


class Counters:
    """2^log2 counters by letters, from 0 to 3."""

    def __init__(self, log2, letters='NntT'):
        self.values, self.letters = [0] * 2 ** log2, letters

    def text(self):
        return ''.join(self.letters[value] for value in self.values)

    def high(self, index):
        return self.values[index % len(self.values)] >= 2

    def move(self, index, up):
        place = index % len(self.values)
        self.values[place] = max(0, min(3, self.values[place] + (1 if up else -1)))


def branches(uops, kind, bimodal, gshare, history, chooser):
    """For each conditional branch: pc, the tables before it, the history, prediction, outcome."""
    by_pc, by_past, choice = Counters(bimodal), Counters(gshare), Counters(chooser, 'BbgG')
    past = [False] * history  # the oldest first
    for u in uops:
        if not u.conditional:
            continue
        taken = u.branch == 'T'
        index = u.pc ^ sum(2 ** i for i, outcome in enumerate(reversed(past)) if outcome)
        first, second = by_pc.high(u.pc), by_past.high(index)
        guess = {'taken': True, 'not-taken': False, 'bimodal': first, 'gshare': second,
                 'tournament': second if choice.high(u.pc) else first}[kind]
        yield (u.pc, by_pc.text(), by_past.text(), ''.join('NT'[o] for o in past),
               choice.text(), guess, taken)
        if first != second:
            choice.move(u.pc, second == taken)
        by_pc.move(u.pc, taken)
        by_past.move(index, taken)
        past = (past + [taken])[1:] if history else []


def penn_predictor(uops, kind, *sizes):
    wrong = 0
    for pc, bimodal, gshare, past, chooser, guess, taken in branches(uops, kind, *sizes):
        wrong += guess != taken
        tables = {'bimodal': bimodal, 'gshare': f'{gshare}  {past}',
                  'tournament': f'{chooser} {bimodal} {gshare}  {past}'}[kind]
        result = 'correct    ' if guess == taken else 'incorrect  '
        yield f'{tables} | {pc:x}  {"NT"[taken]} | {"NT"[guess]}  {result}{wrong}'


def wustl_predictor(uops, name, kind, *sizes):
    bimodal, gshare, history, chooser = sizes
    counters = 'entries, each has 2-bit sat ctrs'
    past_words = f'2^{gshare}{counters}, Plus BHR of length {history} bits'
    words = {'bimodal': f'2^{bimodal}{counters}', 'gshare': past_words,
             'tournament': f'Bimodal: 2^{bimodal}{counters}\nGSHARE: {past_words}\n'
                           f'Chooser Table: 2^{chooser}{counters}'}.get(kind, kind)
    label = {'bimodal': 'bimodal', 'gshare': 'gshare', 'tournament': 'tour'}.get(kind, 'static')
    yield 'debug mode on'
    yield f'Trace name  \t\t\t\t{name}'
    yield from f'Branch Predictor: \t\t\t{label} -- {words}'.split('\n')
    yield 'Instruction Limit\t\t\tnone'
    yield {'static': 'PC\tPred\tOutcome\t  Result\tnIncorrect',
           'bimodal': 'PC\tTableState\tPred\tOutcome\t  Result\tnIncorrect',
           'gshare': 'PC\tTableState\t\tHist\tPred\tOutcome\t  Result\tnIncorrect',
           'tour': 'PC\tBimodTable\tGshareTable\t\tHist\tChooseTable\tPred\tOutcome\tResult\t\t'
                   'nIncorrect'}[label]
    wrong = count = 0
    for pc, first, second, past, choice, guess, taken in branches(uops, kind, *sizes):
        wrong += guess != taken
        count += 1
        tables = {'static': [], 'bimodal': [first], 'gshare': [second, past],
                  'tour': [first, second, past, choice]}[label]
        result = 'correct' if guess == taken else 'incorrect'
        yield '\t'.join([f'{pc:x}', *tables, 'NT'[guess], 'NT'[taken], f'{result:>9}', str(wrong)])
    yield from processed(uops)
    yield from f'** {label} predictor, predicting {words} ** '.split('\n')
    rate = 100 * wrong / count
    yield f'Prediction Accuracy: {100 - rate:.2f}% (Mis-prediction rate: {rate:.2f}%)'


def cache(uops, name, size, block, ways, lru=False, entries=0):
    sets = size // block // ways
    bits = [int(math.log2(n)) for n in (sets, block)]
    yield 'debug mode on'
    yield f'Trace name  \t\t\t\t{name}'
    yield f'Cache size  = {size}B. Each block = {block}B.'
    yield f'{ways}-way set associative cache.'
    yield f'Tag = {32 - sum(bits)} bits, Index = {bits[0]} bits, Offset = {bits[1]} bits'
    yield f'There are {sets} sets total in the cache.'
    yield f'At this associativity, that means a total of {sets * ways} cache lines.'
    yield '(Assuming a 32-bit address.)'
    yield 'Instruction Limit\t\t\tnone'
    yield ('[SetNum: {WayNum: Tag,cl/dirty} LRU=WayNum]\t| Block-Addr\tType\tH/M\tEvicState')
    frames = [[[0, False] for _ in range(ways)] for _ in range(sets)]
    order = [list(range(ways)) for _ in range(sets)]  # the one that goes first
    misses = dirty = stores = count = wrong = 0
    predicted = {}  # way by block number modulo entries
    for u in uops:
        if u.ldst == '-':
            continue
        state = ''.join(f'[S{s}: ' + ''.join(f'{{W{w}: {tag:x}, {"CD"[d]}}} '
                                             for w, (tag, d) in enumerate(frames[s]))
                        + f'LRU={order[s][0]}] ' for s in range(sets))
        number = u.address // block
        at, tag = number % sets, number // sets
        found = [w for w in range(ways) if frames[at][w][0] == tag]
        way = found[0] if found else order[at][0]
        gone = 'dirty' if frames[at][way][1] else 'clean'
        yield (f'{state}\t| {number * block:x}\t{u.ldst}\t{"hit" if found else "miss"}\t'
               f'{"--" if found else gone}')
        count, stores = count + 1, stores + (u.ldst == 'S')
        if entries:
            wrong += bool(found) and predicted.get(number % entries, 0) != way
            predicted[number % entries] = way
        if not found:
            misses, dirty = misses + 1, dirty + (gone == 'dirty')
            frames[at][way] = [tag, False]
        frames[at][way][1] |= u.ldst == 'S'
        if lru:
            order[at] = [w for w in order[at] if w != way] + [way]
        else:
            order[at] = [(way + 1) % ways]
    yield from processed(uops)
    rate = 100 * misses / count
    yield f'Cache Hit Rate = {100 - rate:.2f}% (Mis-rate: {rate:.2f}%)'
    yield f'Total number of bytes transferred write-back: {(misses + dirty) * block}'
    yield f'Total number of bytes transferred write-thru: {misses * block + stores * 4}'
    if entries:
        yield f'way mispredictions = {wrong}'
        yield f'way misprediction rate = {wrong / (count - misses):.6f}'


def sfsu_branches(uops, predictors, entries):
    """The lines of system 2, and branches, wrong, accesses and misses."""
    counters, targets, lines, number = [1] * predictors, {}, [], 0
    wrong = accesses = misses = 0
    for u in uops:
        if u.branch == '-':
            continue
        index, taken = u.pc % predictors, u.branch == 'T'
        before = counters[index]
        counters[index] = min(3, before + 1) if taken else max(0, before - 1)
        wrong += (before >= 2) != taken
        place, tag = u.pc % entries, u.pc // entries
        if before >= 2:
            accesses += 1
            misses += targets.get(place) != tag
        if taken:
            targets[place] = tag
        lines.append(f'{number} {index:x} {before} {counters[index]} {place} {tag:x} '
                     f'{accesses} {misses}')
        number += 1
    return lines, (number, wrong, accesses, misses)


def sfsu_cache(uops, size, ways):
    """Reads, writes, read and write misses, dirty ones of both, cycles of reads and of writes."""
    sets = size // 16 // ways
    content = [[] for _ in range(sets)]  # [tag, dirty], the least recently used first
    counts = [0] * 8
    for u in uops:
        if u.ldst == '-':
            continue
        write = int(u.ldst == 'S')
        blocks, tag = content[u.address // 16 % sets], u.address // 16 // sets
        found = [entry for entry in blocks if entry[0] == tag]
        entry, cycles = found[0] if found else [tag, False], 1
        if found:
            blocks.remove(entry)
        else:
            gone = blocks.pop(0)[1] if len(blocks) == ways else False
            cycles += 160 if gone else 80
            counts[2 + write] += 1
            counts[4 + write] += gone
        entry[1] |= bool(write)
        blocks.append(entry)
        counts[write] += 1
        counts[6 + write] += cycles
    return counts
