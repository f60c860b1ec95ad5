"""Branch predictors, written from their definitions: slow, simple, and without shared code.

A model is a class with predict(pc, target) and learn(pc, taken), pc being shifted already. The
definitions are those of src/sim/branch/bpred.h, bpred_perceptron.c and bpred_tage.c.
"""


def towards(value, up, low, high):
    """One step up or down, no farther than the ends."""
    return min(value + 1, high) if up else max(value - 1, low)


class Static:
    def __init__(self, kind):
        self.kind = kind

    def predict(self, pc, target):
        return {'taken': True, 'not-taken': False, 'btfn': target <= pc}[self.kind]

    def learn(self, pc, taken):
        pass


class Counters:
    """Any number of two-bit counters, made where they are first needed."""

    def __init__(self, initial):
        self.initial, self.table = initial, {}

    def __getitem__(self, index):
        return self.table.get(index, self.initial)

    def taken(self, index):
        return self[index] >= 2

    def move(self, index, up):
        self.table[index] = towards(self[index], up, 0, 3)


class TwoLevel:
    """A table of counters indexed by histories: where(pc, history) is the index of a branch, whose(pc)
    its history."""

    def __init__(self, c, where, whose=lambda pc: 0):
        self.history, self.where, self.whose = c['history'], where, whose
        self.counters, self.outcomes = Counters(c['initial']), {}

    def index(self, pc):
        outcomes = self.outcomes.get(self.whose(pc), '')
        return self.where(pc, int('0' + outcomes, 2))

    def predict(self, pc, target):
        return self.counters.taken(self.index(pc))

    def learn(self, pc, taken):
        self.counters.move(self.index(pc), taken)
        outcomes = self.outcomes.get(self.whose(pc), '') + '01'[taken]
        self.outcomes[self.whose(pc)] = outcomes[-self.history:] if self.history else ''


def gshare(c):
    entries = 2 ** c['entries']
    if c['mask_first']:
        return TwoLevel(c, lambda pc, past: (pc % entries) ^ past)
    return TwoLevel(c, lambda pc, past: (pc ^ past) % entries)


class Tournament:
    def __init__(self, c):
        self.bimodal = TwoLevel({**c, 'history': 0}, lambda pc, past: pc % 2 ** c['bimodal'])
        self.gshare = gshare(c)
        self.chooser, self.size = Counters(0), 2 ** c['chooser']

    def predict(self, pc, target):
        self.predicted = self.bimodal.predict(pc, 0), self.gshare.predict(pc, 0)
        return self.predicted[self.chooser.taken(pc % self.size)]

    def learn(self, pc, taken):
        self.predict(pc, 0)
        self.bimodal.learn(pc, taken)
        self.gshare.learn(pc, taken)
        if self.predicted[0] != self.predicted[1]:
            self.chooser.move(pc % self.size, self.predicted[1] == taken)


class Perceptron:
    def __init__(self, c):
        self.rows, self.n = 2 ** c['entries'], c['history']
        self.threshold = int(1.93 * self.n + 14)
        self.past = [-1] * self.n  # the youngest first
        self.weights = {}

    def total(self, pc):
        bias, weights = self.weights.setdefault(pc % self.rows, [0, [0] * self.n])
        return bias + sum(w * x for w, x in zip(weights, self.past))

    def predict(self, pc, target):
        return self.total(pc) >= 0

    def learn(self, pc, taken):
        total, outcome = self.total(pc), 1 if taken else -1
        if (total >= 0) != taken or abs(total) <= self.threshold:
            row = self.weights[pc % self.rows]
            row[0] = towards(row[0], taken, -128, 127)
            row[1] = [towards(w, x == outcome, -128, 127) for w, x in zip(row[1], self.past)]
        self.past = ([outcome] + self.past)[:self.n]


class Tage:
    def __init__(self, c):
        self.k, self.w, self.lengths = c['tagged'], c['tag'], c['lengths']
        self.base, self.base_size = Counters(c['initial']), 2 ** c['entries']
        self.tables = [{} for _ in self.lengths]  # by index: [tag, counter, use]
        self.random, self.period = c['seed'], 2 ** c['period']
        self.trust, self.past, self.branches = 8, 0, 0

    def fold(self, length, bits):
        past, folded = self.past % 2 ** length, 0
        while past:
            folded ^= past % 2 ** bits
            past >>= bits
        return folded

    def place(self, i, pc):
        """The index and tag of a branch in tagged table i."""
        length = self.lengths[i]
        index = pc ^ pc >> self.k ^ self.fold(length, self.k)
        tag = pc ^ self.fold(length, self.w) ^ 2 * self.fold(length, self.w - 1)
        return index % 2 ** self.k, tag % 2 ** self.w

    def look_up(self, pc):
        """Provider's table or None, whether it is new, what it and its alternative say."""
        predicted = [(None, self.base.taken(pc % self.base_size))]
        for i, table in enumerate(self.tables):
            index, tag = self.place(i, pc)
            if index in table and table[index][0] == tag:
                predicted.append((i, table[index][1] >= 0))
        provider, provided = predicted[-1]
        other = predicted[-2][1] if len(predicted) > 1 else provided
        new = False
        if provider is not None:
            entry = self.tables[provider][self.place(provider, pc)[0]]
            new = entry[2] == 0 and entry[1] in (0, -1)
        return provider, new, provided, other

    def predict(self, pc, target):
        provider, new, provided, other = self.look_up(pc)
        return other if new and self.trust >= 8 else provided

    def chance(self):
        x = self.random
        x ^= x << 13 & 0xffffffff
        x ^= x >> 17
        x ^= x << 5 & 0xffffffff
        self.random = x
        return x % 3 != 0

    def allocate(self, first, pc, taken):
        longer = [(i, *self.place(i, pc)) for i in range(first, len(self.tables))]
        free = [at for at in longer if self.tables[at[0]].get(at[1], [None, 0, 0])[2] == 0]
        if longer and not free:
            for i, index, _ in longer:
                self.tables[i][index][2] -= 1
        for at in free:
            if at == free[-1] or self.chance():
                self.tables[at[0]][at[1]] = [at[2], 0 if taken else -1, 0]
                break

    def learn(self, pc, taken):
        provider, new, provided, other = self.look_up(pc)
        predicted = self.predict(pc, 0)
        if new and provided != other:
            self.trust = towards(self.trust, other == taken, 0, 15)
        if predicted != taken:
            self.allocate(0 if provider is None else provider + 1, pc, taken)
        if provider is None:
            self.base.move(pc % self.base_size, taken)
        else:
            entry = self.tables[provider][self.place(provider, pc)[0]]
            entry[1] = towards(entry[1], taken, -4, 3)
            if provided != other:
                entry[2] = towards(entry[2], provided == taken, 0, 3)
        self.past = (2 * self.past + taken) % 2 ** max(self.lengths)
        self.branches += 1
        if self.branches % self.period == 0:
            keep = 1 if self.branches // self.period % 2 else 2
            for table in self.tables:
                for entry in table.values():
                    entry[2] &= keep


def model(c):
    """The model of a configuration: a dictionary with its kind and all of its numbers."""
    entries, local = 2 ** c['entries'], 2 ** c['local']
    makers = {
        'bimodal': lambda: TwoLevel({**c, 'history': 0}, lambda pc, past: pc % entries),
        'gshare': lambda: gshare(c),
        'gag': lambda: TwoLevel(c, lambda pc, past: past),
        'pag': lambda: TwoLevel(c, lambda pc, past: past, lambda pc: pc % local),
        'pap': lambda: TwoLevel(c, lambda pc, past: (pc % local, past), lambda pc: pc % local),
        'tournament': lambda: Tournament(c),
        'perceptron': lambda: Perceptron(c),
        'tage': lambda: Tage(c),
    }
    return makers[c['kind']]() if c['kind'] in makers else Static(c['kind'])


def predictions(c, branches):
    """The predictions of a model for branches (pc, target, taken) in order, as a string of 0 and 1."""
    predictor, predicted = model(c), []
    for pc, target, taken in branches:
        static = c['kind'] in ('taken', 'not-taken', 'btfn')
        pc = pc if static else pc >> c['shift']
        predicted.append('01'[predictor.predict(pc, target)])
        predictor.learn(pc, taken)
    return ''.join(predicted)
