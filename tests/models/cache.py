"""One cache, from the definitions: every set is a list of ways, looked through every time."""


class Way:
    def __init__(self):
        self.line, self.dirty, self.used, self.came, self.prediction = None, False, 0, 0, 0


class Random:
    """xorshift64*, the upper 32 bits."""

    def __init__(self, seed):
        self.state = seed or 0x9e3779b97f4a7c15

    def next(self):
        mask = 2 ** 64 - 1
        x = self.state
        x ^= x >> 12
        x = (x ^ x << 25) & mask
        x ^= x >> 27
        self.state = x
        return (x * 0x2545f4914f6cdd1d & mask) >> 32


class Cache:
    def __init__(self, sets=1, ways=1, line=64, policy='lru', through=0, around=0, valid=0, seed=0):
        self.sets, self.ways, self.line, self.policy = sets, ways, line, policy
        self.through, self.around = through, around
        self.frames = [[Way() for _ in range(ways)] for _ in range(sets)]
        for number, frames in enumerate(self.frames):
            for way in frames:
                way.line = number if valid else None
        self.pointers = [0] * sets
        # A tree is a list of bits in the order of a heap: False points left, to the lower ways.
        self.trees = [[False] * (2 * ways) for _ in range(sets)]
        self.random, self.duel, self.rare, self.time = Random(seed), 511, 0, 0
        self.misses = []
        self.counts = {kind: [0, 0, 0] for kind in 'rwf'}
        self.fills = self.evictions = self.dirty_evictions = self.down = 0

    def tree(self, tree, low, high, node, way):
        """Points all bits on the path to a way, among ways low to high, away from it."""
        if high - low > 1:
            middle = (low + high) // 2
            tree[node] = way < middle
            if way < middle:
                self.tree(tree, low, middle, 2 * node, way)
            else:
                self.tree(tree, middle, high, 2 * node + 1, way)

    def pointed(self, tree, low, high, node):
        if high - low == 1:
            return low
        middle = (low + high) // 2
        if tree[node]:
            return self.pointed(tree, middle, high, 2 * node + 1)
        return self.pointed(tree, low, middle, 2 * node)

    def use(self, number, way):
        frame = self.frames[number][way]
        frame.used = self.time
        frame.prediction = 0
        self.pointers[number] = (way + 1) % self.ways
        self.tree(self.trees[number], 0, self.ways, 1, way)

    def victim(self, number):
        frames = self.frames[number]
        if self.policy == 'pointer':
            return self.pointers[number]
        empty = [way for way in range(self.ways) if frames[way].line is None]
        if empty:
            return empty[0]
        if self.policy == 'lru':
            return min(range(self.ways), key=lambda way: frames[way].used)
        if self.policy == 'fifo':
            return min(range(self.ways), key=lambda way: frames[way].came)
        if self.policy == 'random':
            return self.random.next() % self.ways
        if self.policy == 'plru':
            return self.pointed(self.trees[number], 0, self.ways, 1)
        while all(frame.prediction != 3 for frame in frames):
            for frame in frames:
                frame.prediction += 1
        return [frame.prediction for frame in frames].index(3)

    def bimodal(self, number):
        """Whether brrip inserts a new line: the leaders of 32 groups of sets duel."""
        if self.policy != 'drrip':
            return False
        group = max(self.sets // 32, min(self.sets, 8))
        if number % group == 0:
            self.duel = min(self.duel + 1, 1023)
            return False
        if number % group == group - 1:
            self.duel = max(self.duel - 1, 0)
            return True
        return self.duel >= 512

    def fill(self, line, dirty):
        """Brings a line; returns the line and the dirtiness of what was replaced, or None."""
        number = line % self.sets
        way = self.victim(number)
        frame = self.frames[number][way]
        old = None if frame.line is None else (frame.line, frame.dirty)
        frame.line, frame.dirty, frame.came = line, dirty, self.time
        self.use(number, way)
        frame.prediction = 2
        if self.bimodal(number):
            self.rare += 1
            frame.prediction = 2 if self.rare % 32 == 0 else 3
        return old

    def find(self, line):
        number = line % self.sets
        for way, frame in enumerate(self.frames[number]):
            if frame.line == line:
                return number, way
        return None

    def access(self, index, kind, address, size):
        self.time += 1
        line = address // self.line
        writes = kind == 'w'
        self.counts[kind][0] += 1
        if writes and self.through:
            self.down += size
        place = self.find(line)
        if place:
            self.use(*place)
            if writes and not self.through:
                self.frames[place[0]][place[1]].dirty = True
            return True
        self.misses.append(index)
        self.counts[kind][1] += 1
        if writes and self.around:
            self.down += 0 if self.through else size
            return False
        old = self.fill(line, bool(writes and not self.through))
        self.fills += 1
        if old:
            self.evictions += 1
            self.dirty_evictions += old[1]
            self.counts[kind][2] += old[1]
            self.down += self.line * old[1]
        return False

    def summary(self):
        numbers = [n for kind in 'rwf' for n in self.counts[kind]]
        numbers += [self.fills, self.evictions, self.dirty_evictions, self.fills * self.line,
                    self.down]
        return 'counts ' + ' '.join(map(str, numbers))


POLICIES = ['lru', 'fifo', 'random', 'plru', 'srrip', 'drrip', 'pointer']
