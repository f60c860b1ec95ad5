/* SPDX-License-Identifier: MIT */
/*
 * The counts of signals and unlocks, which determine the order: executions of a simulator are
 * judged by what was simulated; invalid counts, written by hand, are reported.
 */
#include "merge_sim.h"

/* What is seen of a merged execution. */
struct judged {
	const struct sim *sim;
	size_t events[SIM_THREADS];
	uint64_t pc[SIM_THREADS];
	uint64_t unlocks[SIM_PAIRS], signals[SIM_PAIRS];
	int owner[SIM_PAIRS];
	uint64_t overlaps; /* of sections */
};

/* True where a thread's next event is that it is done waiting, by which it has the mutex again.
 */
static bool
has_given_up(const struct judged *judged, int thread, unsigned pair)
{
	const struct sim_thread *other = &judged->sim->threads[thread];
	const size_t i = judged->events[thread];
	return i < other->event_count && other->events[i].what == SIM_WAIT &&
	       other->events[i].pair == pair;
}

static void
judge_row(void *user, const struct poly_batch *batch, size_t row)
{
	struct judged *judged = user;
	const size_t t = (size_t)batch->thread[row] - 1;
	if (batch->kind[row] == POLY_KIND_INSTRUCTION) {
		assert_int_equal(batch->pc[row], judged->pc[t]);
		judged->pc[t] += 4;
	}
	if (!poly_present(batch, POLY_COLUMN_sync, row))
		return;
	assert_true(judged->events[t] < judged->sim->threads[t].event_count);
	const struct sim_event *event = &judged->sim->threads[t].events[judged->events[t]++];
	const unsigned pair = event->pair;
	int *owner = &judged->owner[pair];
	assert_int_equal(batch->address[row], address_of(event->what, pair));
	switch (event->what) {
	case SIM_UNLOCK:
		assert_int_equal(++judged->unlocks[pair], event->ordinal);
		*owner = -1;
		break;
	case SIM_SIGNAL:
	case SIM_BROADCAST: assert_int_equal(++judged->signals[pair], event->ordinal); break;
	case SIM_WAIT:
	case SIM_LOCK:
	case SIM_TRY:
		assert_int_equal(
			event->what == SIM_WAIT ? judged->signals[pair] : judged->unlocks[pair],
			event->ordinal);
		judged->overlaps +=
			*owner >= 0 && *owner != (int)t && !has_given_up(judged, *owner, pair);
		*owner = (int)t;
	}
}

static void
executions_merge_without_a_violation(void **state)
{
	static struct sim sim;
	unsigned relaxed = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct trace traces[SIM_THREADS];
		struct poly_error error;
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct judged judged = {.sim = &sim,
			.pc = {0x1000, 0x1000, 0x1000, 0x1000},
			.owner = {-1, -1, -1}};
		if (!sample_takes())
			continue;
		simulate(&sim, seed, false);
		write_traces(&sim, traces);
		options.quantum = seed % 3 == 0 ? 5 : 0;
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, SIM_THREADS, &error), POLY_OK);
		assert_null(poly_merge_note_at(merge, 0, NULL));
		if (read_merged(merge, traces, SIM_THREADS,
			    &(struct visitor){judge_row, &judged}, &error) != POLY_END)
			fail_msg("seed %u: %s", (unsigned)seed, error.message);
		for (unsigned t = 0; t < SIM_THREADS; t++)
			assert_int_equal(judged.events[t], sim.threads[t].event_count);
		/* Overlapping sections are relaxed and noted. */
		assert_true(!judged.overlaps || poly_merge_note_at(merge, 0, NULL));
		relaxed += poly_merge_note_at(merge, 0, NULL) != NULL;
		poly_merge_free(merge);
		free_traces(traces, SIM_THREADS);
	}
	/* The counts alone do not always determine which of two waiters had the mutex first:
	 * Apple amber traces 7.1 has measured 14 of 1000, with fewer waits. */
	if (relaxed > 20)
		fail_msg("%u of 1000 executions were relaxed", relaxed);
}

/* The thread and the place in it of a signal by chance; false: there is none. */
static struct sim_event *
find_signal(struct sim *sim, unsigned *thread)
{
	struct sim_event *signals[SIM_THREADS * 400];
	unsigned threads[SIM_THREADS * 400], count = 0;
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		for (size_t i = 0; i < sim->threads[t].event_count; i++) {
			struct sim_event *event = &sim->threads[t].events[i];
			const bool waits = event->what == SIM_LOCK || event->what == SIM_TRY ||
					   event->what == SIM_WAIT;
			assert_true(count < sizeof threads / sizeof *threads);
			threads[count] = t;
			signals[count] = event;
			count += !waits;
		}
	}
	if (!count)
		return NULL;
	const unsigned chosen = below(sim, count);
	*thread = threads[chosen];
	return signals[chosen];
}

/* True where a note or the error names the address. */
static bool
is_named(const struct poly_merge *merge, uint32_t address)
{
	char name[20];
	const char *note;
	snprintf(name, sizeof name, "0x%x", address);
	for (size_t i = 0; (note = poly_merge_note_at(merge, i, NULL)); i++) {
		if (strstr(note, name))
			return true;
	}
	return false;
}

static void
a_corrupted_count_is_detected_and_named(void **state)
{
	static struct sim sim;
	unsigned tried = 0;
	(void)state;
	for (uint64_t seed = 1; tried < 300; seed++) {
		struct trace traces[SIM_THREADS];
		struct poly_error error;
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		unsigned thread;
		simulate(&sim, seed, false);
		const struct sim_event *event = find_signal(&sim, &thread);
		if (!event)
			continue;
		tried++;
		if (!sample_takes())
			continue;
		uint32_t *word = &sim.threads[thread].words[event->word];
		const uint32_t count = *word;
		while (*word == count)
			*word = below(&sim, 3) ? below(&sim, 40) : (uint32_t)sim.chance;
		write_traces(&sim, traces);
		/* A single signal alone would only show another numbering. */
		options.numbering = sim.before ? POLY_MERGE_BEFORE : POLY_MERGE_AFTER;
		options.force = tried % 2;
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, SIM_THREADS, &error), POLY_OK);
		if (!is_named(merge, address_of(event->what, event->pair)))
			fail_msg("seed %u: %u instead of %u", (unsigned)seed, *word, count);
		const enum poly_status status =
			read_merged(merge, traces, SIM_THREADS, NULL, &error);
		assert_true(
			status == POLY_END || (!options.force && status == POLY_ERR_FORMAT));
		if (status == POLY_ERR_FORMAT)
			assert_non_null(strstr(error.message, "contradict"));
		poly_merge_free(merge);
		free_traces(traces, SIM_THREADS);
	}
}

static void
a_cycle_is_reported_with_its_positions(void **state)
{
	/* Each waits for the signal that the other sends after its own wait. */
	struct trace traces[] = {MAKE(0x1000, NOP, WAIT, 0x2000, 1, NOP, SIGNAL, 0x3000, 1),
		MAKE(0x1000, NOP, NOP, WAIT, 0x3000, 1, SIGNAL, 0x2000, 1)};
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	(void)state;
	struct poly_merge *merge = new_merge(&options);
	assert_int_equal(learn(merge, traces, 2, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, 2, NULL, &error), POLY_ERR_FORMAT);
	assert_string_equal(error.message,
		"the records contradict each other: thread 1 instruction 1, wait 1 of 0x2000, "
		"waits for signal 1 of 0x2000 in thread 2 instruction 2, which is after thread "
		"2 instruction 2, wait 1 of 0x3000, waits for signal 1 of 0x3000 in thread 1 "
		"instruction 2, which is after thread 1 instruction 1");
	poly_merge_free(merge);
	options.force = true;
	merge = new_merge(&options);
	assert_int_equal(learn(merge, traces, 2, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, 2, NULL, &error), POLY_END);
	assert_string_equal(poly_merge_note_at(merge, 0, NULL),
		"forced: thread 1, record 3 precedes signal 1 of 0x2000 in thread 2");
	poly_merge_free(merge);
	free_traces(traces, 2);
}

static void
invalid_counts_are_reported(void **state)
{
	struct trace traces[] = {
		MAKE(0x1000, SIGNAL, 0x2000, 1, SIGNAL, 0x2000, 4, SIGNAL, 0x2000, 3, NOP),
		MAKE(0x1000, SIGNAL, 0x2000, 4, WAIT, 0x2000, 9, NOP)};
	static const char *const expected[] = {
		"missing signal: 2 of 0x2000 is not in any trace",
		"duplicate signal: 4 of 0x2000 is in thread 1, record 3 and in thread 2, "
		"record "
		"2",
		"missing signal: thread 2, record 3 waits for 9 of 0x2000; the last in any "
		"trace is 4",
		"signals out of order: thread 1, record 4 is 3 of 0x2000 and follows "
		"4"};
	struct poly_error error;
	uint64_t count;
	(void)state;
	struct poly_merge *merge = new_merge(NULL);
	assert_int_equal(learn(merge, traces, 2, &error), POLY_OK);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(poly_merge_note_at(merge, i, &count), expected[i]);
	assert_null(poly_merge_note_at(merge, 4, NULL));
	assert_int_equal(count, 4);
	poly_merge_free(merge);
	free_traces(traces, 2);
}

static void
a_signal_comes_after_the_waits_that_do_not_count_it(void **state)
{
	/* Round robin alone would let thread 1 signal twice before thread 2 comes to wait. */
	struct trace traces[] = {MAKE(0x1000, SIGNAL, 0x2000, 1, NOP, SIGNAL, 0x2000, 2, NOP),
		MAKE(0x8000, WAIT, 0x2000, 1, NOP)};
	char text[2000] = "";
	struct poly_error error;
	(void)state;
	struct poly_merge *merge = new_merge(NULL);
	assert_int_equal(learn(merge, traces, 2, &error), POLY_OK);
	assert_int_equal(
		read_merged(merge, traces, 2, &(struct visitor){add_text, text}, &error),
		POLY_END);
	/* Initial PCs and instructions have a pc; the other rows are whatever stood there. */
	assert_non_null(strstr(text, "1:1000 "));
	const char *last = strstr(text, "1:1004 "), *other = strstr(text, "2:8000 ");
	assert_true(last && other && other < last);
	poly_merge_free(merge);
	free_traces(traces, 2);
}

static void
a_wait_may_carry_a_lower_bound(void **state)
{
	/* Thread 2 reaches its second wait only after signal 2, and counts 1. */
	struct trace traces[] = {
		MAKE(0x1000, SIGNAL, 0x2000, 1, SIGNAL, 0x2000, 2, SIGNAL, 0x3000, 1),
		MAKE(0x1000, WAIT, 0x3000, 1, WAIT, 0x2000, 1, NOP)};
	(void)state;
	for (int bound = 0; bound < 2; bound++) {
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		options.wait = bound ? POLY_MERGE_WAIT_LOWER_BOUND : POLY_MERGE_WAIT_COMPLETION;
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, 2, &error), POLY_OK);
		assert_int_equal(read_merged(merge, traces, 2, NULL, &error), POLY_END);
		if (bound)
			assert_null(poly_merge_note_at(merge, 0, NULL));
		else
			assert_string_equal(poly_merge_note_at(merge, 0, NULL),
				"wait counts too few signals: thread 1, record 3 precedes "
				"wait 1 of 0x2000 in thread 2");
		poly_merge_free(merge);
	}
	free_traces(traces, 2);
}

/* A trace of events by chance: few addresses, small counts. */
static struct trace
make_nonsense(uint64_t *chance)
{
	static const uint32_t codes[] = {0x20, 0x21, 0x30, 0x31};
	uint32_t words[400];
	size_t count = 0;
	words[count++] = 0x1000;
	for (size_t n = next_chance(chance) % 90; n > 0; n--) {
		words[count++] = codes[next_chance(chance) % 4] << 16 | 2;
		words[count++] = 0x2000 + 16 * (uint32_t)(next_chance(chance) % 3);
		words[count++] = (uint32_t)(next_chance(chance) % 12);
		if (next_chance(chance) % 2)
			words[count++] = NOP;
	}
	return make_trace(words, count);
}

static void
count_row(void *user, const struct poly_batch *batch, size_t row)
{
	(void)batch;
	(void)row;
	++*(uint64_t *)user;
}

static void
reading_any_records_ends(void **state)
{
	uint64_t chance = 7 + sample_seed();
	(void)state;
	for (unsigned n = 0; n < 500; n++) {
		if (!sample_takes())
			continue;
		struct trace traces[5];
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		uint64_t seen = 0, rows = 0;
		options.quantum = n % 3;
		options.force = n % 2;
		options.analyse = true;
		for (size_t i = 0; i < 5; i++) {
			const struct poly_batch *batch;
			traces[i] = make_nonsense(&chance);
			struct poly_reader *reader = open_trace(&traces[i]);
			while (poly_reader_next(reader, &batch, &error) == POLY_OK)
				rows += batch->rows;
			poly_reader_close(reader);
		}
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, 5, &error), POLY_OK);
		const enum poly_status status = read_merged(
			merge, traces, 5, &(struct visitor){count_row, &seen}, &error);
		/* Forced, every record is given. */
		assert_true(
			status == POLY_END || (!options.force && status == POLY_ERR_FORMAT));
		assert_true(status == POLY_END ? seen == rows : seen < rows);
		poly_merge_free(merge);
		free_traces(traces, 5);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executions_merge_without_a_violation),
		cmocka_unit_test(a_corrupted_count_is_detected_and_named),
		cmocka_unit_test(a_cycle_is_reported_with_its_positions),
		cmocka_unit_test(invalid_counts_are_reported),
		cmocka_unit_test(a_signal_comes_after_the_waits_that_do_not_count_it),
		cmocka_unit_test(a_wait_may_carry_a_lower_bound),
		cmocka_unit_test(reading_any_records_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
