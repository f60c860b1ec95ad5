/* SPDX-License-Identifier: MIT */
/* A simulator of threads with mutexes and condition variables, which writes TT6 traces. */
#ifndef TESTS_MERGE_SIM_H
#define TESTS_MERGE_SIM_H

#include "merge_help.h"

#define EVENTS_MAX 4096

#define SIM_THREADS 4
#define SIM_PAIRS 3
#define SIM_WORDS 8192
#define SIM_ADDRESSES 6

enum sim_what { SIM_LOCK, SIM_TRY, SIM_UNLOCK, SIM_WAIT, SIM_SIGNAL, SIM_BROADCAST };

/* An event as it was simulated. */
struct sim_event {
	enum sim_what what;
	unsigned pair;
	uint64_t ordinal; /* of a signal from 1, or signals so far */
	size_t word;	  /* where its count stands */
};

/* An access as it was simulated. */
struct sim_access {
	size_t event; /* of its thread that comes next */
	uint32_t address;
	bool writes;
};

struct sim_thread {
	struct sim_access accesses[EVENTS_MAX];
	size_t access_count;
	uint32_t words[SIM_WORDS];
	size_t word_count;
	struct sim_event events[EVENTS_MAX];
	size_t event_count;
	bool holds[SIM_PAIRS];
	int wants;   /* pair whose mutex it waits for, or -1 */
	int waits;   /* pair whose condition it waits for, or -1 */
	bool awoken; /* it was signalled */
};

struct sim {
	struct sim_thread threads[SIM_THREADS];
	unsigned pairs;
	int owner[SIM_PAIRS]; /* thread, or -1 */
	uint64_t unlocks[SIM_PAIRS], signals[SIM_PAIRS];
	bool before;   /* signals carry the count before them */
	bool accesses; /* memory is accessed, and no thread waits for a condition */
	uint64_t chance;
};

static inline unsigned
below(struct sim *sim, unsigned n)
{
	return (unsigned)(next_chance(&sim->chance) % n);
}

static inline uint32_t
address_of(enum sim_what what, unsigned pair)
{
	const bool condition = what == SIM_WAIT || what == SIM_SIGNAL || what == SIM_BROADCAST;
	return (condition ? 0x3000u : 0x2000u) + 0x10u * pair;
}

static inline void
put_word(struct sim_thread *thread, uint32_t word)
{
	assert_true(thread->word_count < SIM_WORDS);
	thread->words[thread->word_count++] = word;
}

static inline void
put_event(struct sim *sim, struct sim_thread *thread, enum sim_what what, unsigned pair)
{
	static const uint32_t codes[] = {0x30, 0x31, 0x20, 0x30, 0x20, 0x21};
	const bool of_mutex = what == SIM_LOCK || what == SIM_TRY || what == SIM_UNLOCK;
	const bool is_signal =
		what == SIM_UNLOCK || what == SIM_SIGNAL || what == SIM_BROADCAST;
	uint64_t *count = of_mutex ? &sim->unlocks[pair] : &sim->signals[pair];
	*count += is_signal;
	put_word(thread, codes[what] << 16 | 2);
	put_word(thread, address_of(what, pair));
	assert_true(thread->event_count < EVENTS_MAX);
	thread->events[thread->event_count++] =
		(struct sim_event){what, pair, *count, thread->word_count};
	put_word(thread, (uint32_t)(*count - (is_signal && sim->before)));
}

/* Wakes one thread that waits for a condition, or all. */
static inline void
wake(struct sim *sim, unsigned pair, bool all)
{
	const unsigned start = below(sim, SIM_THREADS);
	for (unsigned i = 0; i < SIM_THREADS; i++) {
		struct sim_thread *thread = &sim->threads[(start + i) % SIM_THREADS];
		if (thread->waits != (int)pair || thread->awoken)
			continue;
		thread->awoken = true;
		if (!all)
			return;
	}
}

static inline unsigned
waiting(const struct sim *sim)
{
	unsigned count = 0;
	for (unsigned t = 0; t < SIM_THREADS; t++)
		count += sim->threads[t].waits >= 0;
	return count;
}

static inline void
unlock(struct sim *sim, struct sim_thread *thread, unsigned pair)
{
	put_event(sim, thread, SIM_UNLOCK, pair);
	thread->holds[pair] = false;
	sim->owner[pair] = -1;
}

static inline void
act(struct sim *sim, unsigned number, unsigned pair)
{
	struct sim_thread *thread = &sim->threads[number];
	unsigned held = 0, highest = 0;
	for (unsigned i = 0; i < sim->pairs; i++) {
		held += thread->holds[i];
		highest = thread->holds[i] ? i + 1 : highest;
	}
	switch (below(sim, 8)) {
	case 0:
	case 1:
		/* Only in rising order, so that the simulated program has no deadlock. */
		if (pair >= highest)
			thread->wants = (int)pair;
		break;
	case 2:
		if (pair >= highest && sim->owner[pair] < 0) {
			sim->owner[pair] = (int)number;
			thread->holds[pair] = true;
			put_event(sim, thread, SIM_TRY, pair);
		}
		break;
	case 3:
	case 4:
	case 5:
		if (thread->holds[pair])
			unlock(sim, thread, pair);
		break;
	case 6:
		if (held == 1 && thread->holds[pair] && waiting(sim) + 1 < SIM_THREADS &&
			!sim->accesses) {
			thread->waits = (int)pair;
			thread->awoken = false;
			sim->owner[pair] = -1;
		}
		break;
	default: {
		const bool all = below(sim, 4) == 0;
		put_event(sim, thread, all ? SIM_BROADCAST : SIM_SIGNAL, pair);
		wake(sim, pair, all);
	}
	}
}

static inline void
put_access(struct sim *sim, struct sim_thread *thread)
{
	const bool writes = below(sim, 3) == 0;
	const uint32_t address = 0x5000 + 8 * below(sim, SIM_ADDRESSES);
	put_word(thread, writes ? STORE : LOAD);
	put_word(thread, address);
	assert_true(thread->access_count < EVENTS_MAX);
	thread->accesses[thread->access_count++] =
		(struct sim_access){thread->event_count, address, writes};
}

/* One step of a thread: it waits, or executes some instructions, or acts. */
static inline void
step(struct sim *sim, unsigned number)
{
	struct sim_thread *thread = &sim->threads[number];
	if (thread->wants >= 0) {
		if (sim->owner[thread->wants] >= 0)
			return;
		sim->owner[thread->wants] = (int)number;
		thread->holds[thread->wants] = true;
		put_event(sim, thread, SIM_LOCK, (unsigned)thread->wants);
		thread->wants = -1;
	} else if (thread->waits >= 0) {
		if (!thread->awoken || sim->owner[thread->waits] >= 0)
			return;
		sim->owner[thread->waits] = (int)number;
		put_event(sim, thread, SIM_WAIT, (unsigned)thread->waits);
		thread->waits = -1;
	} else if (sim->accesses && below(sim, 3) == 0) {
		put_access(sim, thread);
	} else if (below(sim, 2)) {
		for (unsigned n = below(sim, 6); n > 0; n--)
			put_word(thread, 0x60000000);
	} else {
		act(sim, number, below(sim, sim->pairs));
	}
}

/* One step of a thread that comes to its end: what it holds and who waits is let go. */
static inline void
wind_up(struct sim *sim, unsigned number)
{
	struct sim_thread *thread = &sim->threads[number];
	if (thread->wants >= 0 || thread->waits >= 0) {
		step(sim, number);
		return;
	}
	for (unsigned i = 0; i < sim->pairs; i++) {
		if (thread->holds[i])
			unlock(sim, thread, i);
	}
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		if (sim->threads[t].waits < 0 || sim->threads[t].awoken)
			continue;
		put_event(sim, thread, SIM_BROADCAST, (unsigned)sim->threads[t].waits);
		wake(sim, (unsigned)sim->threads[t].waits, true);
	}
}

static inline bool
is_busy(const struct sim *sim)
{
	bool busy = waiting(sim) > 0;
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		busy |= sim->threads[t].wants >= 0;
		for (unsigned i = 0; i < sim->pairs; i++)
			busy |= sim->threads[t].holds[i];
	}
	return busy;
}

static inline void
simulate(struct sim *sim, uint64_t seed, bool accesses)
{
	memset(sim, 0, sizeof *sim);
	sim->chance = seed;
	sim->accesses = accesses;
	sim->pairs = 1 + below(sim, SIM_PAIRS);
	sim->before = below(sim, 2);
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		sim->threads[t].wants = sim->threads[t].waits = -1;
		put_word(&sim->threads[t], 0x1000 + (accesses ? t << 20 : 0));
	}
	for (unsigned i = 0; i < SIM_PAIRS; i++)
		sim->owner[i] = -1;
	for (unsigned steps = 100 + below(sim, accesses ? 50 : 500); steps > 0; steps--)
		step(sim, below(sim, accesses ? 2 : SIM_THREADS));
	while (!accesses && is_busy(sim))
		wind_up(sim, below(sim, SIM_THREADS));
}

static inline void
write_traces(const struct sim *sim, struct trace traces[SIM_THREADS])
{
	for (unsigned t = 0; t < SIM_THREADS; t++)
		traces[t] = make_trace(sim->threads[t].words, sim->threads[t].word_count);
}

#endif
