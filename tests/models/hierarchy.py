"""Levels of lru caches, from the definitions: lists of [line, dirty], newest first."""


class Lines:
    """Sets of lines; a line that is held is in the list of its set."""

    def __init__(self, sets, ways):
        self.lists, self.ways = [[] for _ in range(sets)], ways

    def find(self, line):
        lines = self.lists[line % len(self.lists)]
        return next((entry for entry in lines if entry[0] == line), None)

    def touch(self, line, dirty):
        entry = self.find(line)
        if entry:
            lines = self.lists[line % len(self.lists)]
            lines.remove(entry)
            lines.insert(0, entry)
            entry[1] |= dirty
        return entry is not None

    def take(self, line):
        entry = self.find(line)
        if entry:
            self.lists[line % len(self.lists)].remove(entry)
        return entry

    def fill(self, line, dirty):
        lines = self.lists[line % len(self.lists)]
        lines.insert(0, [line, dirty])
        return lines.pop() if len(lines) > self.ways else None


class Prefetcher:
    def __init__(self, kind, degree):
        self.kind, self.degree = kind, degree
        self.table, self.streams, self.time = {}, [None] * 16, 0

    def see(self, address, pc, missed, brought, size):
        """The lines wanted after an access, lines being of size bytes."""
        line = address // size
        if self.kind == 1:
            return [line + i for i in range(1, self.degree + 1)] if missed else []
        if self.kind == 2:
            place = pc // 4 % 256
            if place not in self.table or self.table[place][0] != pc:
                self.table[place] = (pc, address, 0)
                return []
            _, last, step = self.table[place]
            now = (address - last) % 2 ** 64
            self.table[place] = (pc, address, now)
            if now == 0 or now != step:
                return []
            return [(address + i * now) % 2 ** 64 // size for i in range(1, self.degree + 1)]
        if not missed and not brought:
            return []
        self.time += 1
        for stream in self.streams:
            if stream is None:
                continue
            if stream['way'] == 0 and line - stream['line'] in (1, -1):
                stream['way'] = line - stream['line']
            if 1 <= (line - stream['line']) * stream['way'] <= self.degree:
                stream['line'], stream['time'] = line, self.time
                return [line + i * stream['way'] for i in range(1, self.degree + 1)]
        if missed:
            times = [stream['time'] if stream else 0 for stream in self.streams]
            self.streams[times.index(min(times))] = {'line': line, 'way': 0, 'time': self.time}
        return []


class Level:
    def __init__(self, sets=4, ways=2, line=32, through=0, around=0, latency=1, victims=0,
                 prefetch=0, degree=1):
        self.lines, self.size = Lines(sets, ways), line
        self.victims = Lines(1, victims) if victims else None
        self.through, self.around, self.latency = through, around, latency
        self.prefetcher = Prefetcher(prefetch, degree) if prefetch else None
        self.brought, self.seen = set(), None
        self.accesses, self.misses = {k: 0 for k in 'rwf'}, {k: 0 for k in 'rwf'}
        self.victim_hits = self.stores = self.put = self.invalidations = 0
        self.prefetches = self.prefetch_hits = 0

    def holds(self, line):
        return self.lines.find(line) or (self.victims and self.victims.find(line))

    def summary(self):
        numbers = [n for k in 'rwf' for n in (self.accesses[k], self.misses[k])]
        numbers += [self.victim_hits, self.stores, self.put, self.invalidations, self.prefetches,
                    self.prefetch_hits]
        return 'level ' + ' '.join(map(str, numbers))


class Hierarchy:
    def __init__(self, levels, instructions, inclusion, memory=100):
        self.levels, self.instructions, self.inclusion = levels, instructions, inclusion
        self.memory, self.reads, self.writes, self.cycles = memory, 0, 0, []

    def below(self, level):
        """The level below one, None being the memory."""
        at = 0 if level is self.instructions else self.levels.index(level)
        return self.levels[at + 1] if at + 1 < len(self.levels) else None

    def above(self, level):
        tops = [self.instructions] if self.instructions else []
        return [one for one in self.levels + tops if self.below(one) is level]

    def take(self, level, line):
        level.brought.discard(line)
        return level.lines.take(line) or (level.victims and level.victims.take(line))

    def recall(self, level, line):
        """Takes a line out of all above a level; whether it was changed."""
        dirty = False
        for one in self.above(level):
            dirty |= self.recall(one, line)
            entry = self.take(one, line)
            if entry:
                one.invalidations += 1
                dirty |= entry[1]
        return dirty

    def fill(self, level, line, dirty):
        gone = level.lines.fill(line, dirty)
        if gone and level.victims:
            gone = level.victims.fill(*gone)
        if not gone:
            return
        level.brought.discard(gone[0])
        if self.inclusion == 1:
            gone[1] |= self.recall(level, gone[0])
        if gone[1] or self.inclusion == 2:
            self.give(self.below(level), gone[0] * level.size, gone[1], level.size)

    def give(self, level, address, dirty, size):
        if level is None:
            self.writes += dirty
            return
        level.put += 1
        line = address // level.size
        keeps = dirty and not level.through
        if not level.lines.touch(line, keeps) and not (
                level.victims and level.victims.touch(line, keeps)):
            if size != level.size:
                self.read(self.below(level), address, 'r', None, demand=False)
            self.fill(level, line, keeps)
        if dirty and level.through:
            self.give(self.below(level), address, True, level.size)

    def note(self, level, address, pc, missed):
        line = address // level.size
        if level.prefetcher:
            brought = line in level.brought
            level.brought.discard(line)
            level.prefetch_hits += brought
            level.seen = (address, pc, missed, brought)

    def find(self, level, line, store):
        """Whether a level or its victims has a line, which is then in the level, and newest."""
        keeps = store and not level.through
        if level.lines.touch(line, keeps):
            return 'held'
        entry = level.victims and level.victims.take(line)
        if entry:
            self.fill(level, line, entry[1] or keeps)
            return 'victim'
        return None

    def read(self, level, address, kind, pc, demand=True):
        """Reads a line from a level below the top; returns cycles and whether it was dirty."""
        if level is None:
            self.reads += 1
            return self.memory, False
        line = address // level.size
        found = self.find(level, line, False)
        if demand:
            level.accesses[kind] += 1
            level.misses[kind] += found != 'held'
            level.victim_hits += found == 'victim'
        cycles, dirty = 0, False
        if not found:
            cycles, dirty = self.read(self.below(level), address, kind, pc, demand)
            if self.inclusion != 2:
                self.fill(level, line, dirty)
                dirty = False
        if demand:
            self.note(level, address, pc, not found)
        if found and self.inclusion == 2:
            dirty = self.take(level, line)[1]
        return cycles + level.latency, dirty

    def store(self, level, address, kind, pc):
        """A store that the level above did not keep."""
        if level is None:
            self.writes += 1
            return
        level.stores += 1
        line = address // level.size
        found = self.find(level, line, True)
        level.victim_hits += found == 'victim'
        if not found and not level.around:
            _, dirty = self.read(self.below(level), address, kind, pc)
            self.fill(level, line, dirty or not level.through)
        if level.through or (not found and level.around):
            self.store(self.below(level), address, kind, pc)

    def access(self, kind, address, pc):
        level = self.instructions if kind == 'f' and self.instructions else self.levels[0]
        line, store = address // level.size, kind == 'w'
        found = self.find(level, line, store)
        level.accesses[kind] += 1
        level.misses[kind] += found != 'held'
        level.victim_hits += found == 'victim'
        cycles = level.latency
        if not found and not (store and level.around):
            more, dirty = self.read(self.below(level), address, kind, pc)
            cycles += more
            self.fill(level, line, dirty or (store and not level.through))
        if store and (level.through or (not found and level.around)):
            self.store(self.below(level), address, kind, pc)
        self.note(level, address, pc, not found)
        self.cycles.append(cycles)
        for one in self.levels + ([self.instructions] if self.instructions else []):
            if one.seen:
                self.prefetch(one)

    def prefetch(self, level):
        seen, level.seen = level.seen, None
        for line in level.prefetcher.see(*seen, level.size):
            line %= 2 ** 64 // level.size
            if level.holds(line):
                continue
            _, dirty = self.read(self.below(level), line * level.size, 'r', None, demand=False)
            level.prefetches += 1
            level.brought.add(line)
            self.fill(level, line, dirty)

    def summary(self):
        top = self.instructions or Level()
        totals = f'totals {len(self.cycles)} {sum(self.cycles)} {self.reads} {self.writes}'
        return [str(cycles) for cycles in self.cycles] + [
            level.summary() for level in self.levels] + [top.summary(), totals]
