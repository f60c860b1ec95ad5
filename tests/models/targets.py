"""Predictors of where branches go, written from their definitions in src/sim/branch/btb.h and ittage.h."""


def buffer(c, branches):
    """A BTB: for each branch (pc, target, taken, looked_up) the target found, or None."""
    sets, found = {}, []  # by number, lists of [tag, target], the least recently used first
    for pc, target, taken, looked_up in branches:
        number = pc >> c['shift']
        tag = number // c['sets'] % 2 ** (c['tag'] or 64)
        ways = sets.setdefault(number % c['sets'], [])
        entry = next((way for way in ways if way[0] == tag), None)
        found.append(entry[1] if entry and looked_up else None)
        if entry and (looked_up or taken):
            ways.remove(entry)
            ways.append(entry)
        if taken and entry:
            entry[1] = target
        elif taken:
            ways.append([tag, target])
            del ways[:-c['ways']]
    return found


def stack(room, records):
    """A stack of return addresses: for each record (kind, address) whether a return is predicted."""
    addresses, right = [], []
    for kind, address in records:
        right.append(kind == 2 and bool(addresses) and addresses[-1] == address)
        if kind == 1:
            addresses = (addresses + [address])[-room:]
        elif kind == 2:
            addresses = addresses[:-1]
    return right


class Ittage:
    def __init__(self, c):
        self.c, self.last, self.past = c, {}, 0
        self.tables = [{} for _ in c['lengths']]  # by index: [tag, target, confidence, use]

    def fold(self, length, bits):
        past = f'{self.past % 2 ** length:b}'
        folded = 0
        for i, bit in enumerate(reversed(past)):
            folded ^= int(bit) << i % bits
        return folded

    def place(self, length, pc):
        k, w = self.c['entries'], self.c['tag']
        tag = pc ^ self.fold(length, w) ^ 2 * self.fold(length, w - 1)
        return (pc ^ pc >> k ^ self.fold(length, k)) % 2 ** k, tag % 2 ** w

    def branch(self, pc, target):
        """Predicts and learns an indirect branch."""
        places = [self.place(length, pc) for length in self.c['lengths']]
        base = pc % 2 ** self.c['base']
        candidates = [(-1, self.last.get(base, 0))]
        for i, (index, tag) in enumerate(places):
            if self.tables[i].get(index, [None])[0] == tag:
                candidates.append((i, self.tables[i][index][1]))
        provider, provided = candidates[-1]
        other = candidates[-2][1] if len(candidates) > 1 else provided
        entry = self.tables[provider][places[provider][0]] if provider >= 0 else None
        predicted = other if entry and entry[2] == 0 else provided
        if predicted != target:
            above = range(provider + 1, len(places))
            free = [i for i in above if self.tables[i].get(places[i][0], [0] * 4)[3] == 0]
            if free:
                self.tables[free[0]][places[free[0]][0]] = [places[free[0]][1], target, 0, 0]
            for i in above if not free else ():
                self.tables[i][places[i][0]][3] = 0
        if entry:
            if provided == target:
                entry[2] = min(entry[2] + 1, 3)
            elif entry[2]:
                entry[2] -= 1
            else:
                entry[1] = target
            if provided != other:
                entry[3] = int(provided == target)
        self.last[base] = target
        return predicted

    def run(self, branches):
        found = []
        for pc, target, taken, indirect in branches:
            pc >>= self.c['shift']
            found.append(self.branch(pc, target) if indirect else 0)
            bits = (target ^ target >> 2 ^ target >> 4 ^ target >> 6) % 4
            self.past = 4 * self.past + bits if indirect else 2 * self.past + taken
            self.past %= 2 ** 1024
        return found
