"""The best replacement and that of pages, over (kind, address, size, thread)."""

POLICIES = ['fifo', 'lru', 'clock', 'opt']


def next_uses(numbers):
    """When each is used again, from the end to the front."""
    later, ahead = {}, []
    for index in reversed(range(len(numbers))):
        ahead.insert(0, later.get(numbers[index], float('inf')))
        later[numbers[index]] = index
    return ahead


def best(stream, sets, ways, line):
    """Places that miss, evictions, dirty ones."""
    numbers = [address // line for _, address, _, _ in stream]
    held = [[None] * ways for _ in range(sets)]
    missed, evictions, dirty, aheads = [], 0, 0, next_uses(numbers)
    for index, number in enumerate(numbers):
        one, store = held[number % sets], stream[index][0] == 'w'
        ahead = aheads[index]
        hit = [way for way in range(ways) if one[way] and one[way][0] == number]
        if hit:
            one[hit[0]] = (number, ahead, one[hit[0]][2] or store)
            continue
        missed.append(index)
        way = one.index(None) if None in one else max(
            range(ways), key=lambda way: (one[way][1], -way))
        if one[way]:
            evictions += 1
            dirty += one[way][2]
        one[way] = (number, ahead, store)
    return missed, evictions, dirty


def paging(stream, frames, page, policy):
    """Places that fault, and dirty pages that were replaced."""
    if policy == 'opt':
        missed, _, dirty = best(stream, 1, frames, page)
        return missed, dirty
    held, hand, missed, written = [], 0, [], 0
    for index, (kind, address, _, _) in enumerate(stream):
        number = address // page
        entry = next((entry for entry in held if entry['page'] == number), None)
        if not entry:
            missed.append(index)
            entry = {'page': number, 'dirty': False}
            if len(held) < frames:
                held.append(entry)
            elif policy == 'clock':
                while held[hand]['used']:
                    held[hand]['used'] = False
                    hand = (hand + 1) % frames
                written += held[hand]['dirty']
                held[hand] = entry
                hand = (hand + 1) % frames
            else:
                written += held.pop(0)['dirty']
                held.append(entry)
        elif policy == 'lru':
            held.remove(entry)
            held.append(entry)
        entry['used'] = True
        entry['dirty'] |= kind == 'w'
    return missed, written
