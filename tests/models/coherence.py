"""Coherent caches: a state a line and thread, and every store with its time and its bytes."""

import copy

OPERATIONS = 'clean', 'flush', 'invalidate'  # of the line, in all caches
HIT, UPGRADE, COLD, REPLACED, TRUE, FALSE = range(6)


def model(stream, threads, sets, ways, line, word):
    """Of each access (kind, address, size, thread) its outcome and how many it took the line from;
    of threads what they lost, supplied and wrote back; of lines, in the order of their first use,
    address, true and false misses, how often they were taken, and who had them."""
    caches = [{} for _ in range(threads)]   # line: [state, time of last use]
    lost = [{} for _ in range(threads)]     # line: (how, time)
    stores = {}                             # line: [(time, thread, words)]
    out, seen, table = [], [], {}
    counts = [[0, 0, 0] for _ in range(threads)]
    for time, (kind, address, size, thread) in enumerate(stream):
        number, cache = address // line, caches[thread]
        if kind in OPERATIONS:
            for who, other in enumerate(caches):
                if number in other:
                    state = other.pop(number)
                    counts[who][2] += state[0] == 'M' and kind != 'invalidate'
                    if kind == 'clean':
                        other[number] = ['E' if state[0] == 'M' else state[0], state[1]]
                    else:
                        lost[who][number] = ('replaced', time)
            out.append((None, 0))
            continue
        if kind == 'prefetch':
            kept = copy.deepcopy((counts, table))
        words = {at // word for at in range(address, address + size) if at // line == number}
        if number not in table:
            table[number] = [0, 0, 0, set()]
            seen.append(number)
        others = [other for other in range(threads) if other != thread and number in caches[other]]
        if number in cache:
            outcome = UPGRADE if kind == 'w' and cache[number][0] == 'S' else HIT
        else:
            how, since = lost[thread].get(number, ('never', 0))
            if how == 'taken':
                new = {w for at, who, ws in stores.get(number, ())
                       if at >= since and who != thread for w in ws}
                outcome = TRUE if new & words else FALSE
                table[number][outcome - TRUE] += 1
            else:
                outcome = COLD if how == 'never' else REPLACED
            table[number][3].add(thread)
            for other in others:
                if caches[other][number][0] == 'M':
                    counts[other][1] += 1
                caches[other][number][0] = 'S'
            rivals = [held for held in cache if held % sets == number % sets]
            if len(rivals) == ways:
                oldest = min(rivals, key=lambda held: cache[held][1])
                counts[thread][2] += cache.pop(oldest)[0] == 'M'
                lost[thread][oldest] = ('replaced', time)
            cache[number] = ['S' if others else 'E', time]
        cache[number][1] = time
        if kind == 'w':
            for other in others:
                del caches[other][number]
                lost[other][number] = ('taken', time)
                counts[other][0] += 1
                table[number][2] += 1
            cache[number][0] = 'M'
            stores.setdefault(number, []).append((time, thread, words))
        if kind == 'prefetch':
            had = {line: table[line][3] for line in table}
            counts, table = kept
            for number, threads_of in had.items():
                table.setdefault(number, [0, 0, 0, set()])[3] = threads_of
            outcome = None
        out.append((outcome, len(others) if kind == 'w' else 0))
    lines = [(number * line, *table[number]) for number in seen]
    return out, counts, lines
