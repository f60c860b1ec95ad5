/* SPDX-License-Identifier: MIT */
/*
 * The report of merging: unordered accesses, critical sections and cycles of locks, against
 * executions whose order is computed from what was simulated.
 */
#include "merge_sim.h"

/* The report of traces merged with analysis, as JSON on one line. */
static struct buf
report_on(const struct trace *traces, size_t count)
{
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	struct poly_report *report = poly_report_new();
	struct buf text = {0};
	const struct poly_sink sink = {collect, &text};
	options.analyse = true;
	struct poly_merge *merge = new_merge(&options);
	assert_int_equal(learn(merge, traces, count, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, count, NULL, &error), POLY_END);
	poly_merge_report(merge, report);
	assert_int_equal(
		poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, &error), POLY_OK);
	poly_report_free(report);
	poly_merge_free(merge);
	return text;
}

static void
unordered_accesses_are_possible_races(void **state)
{
	/* Under the mutex 0x2000 both use 0x5000; 0x6000 only one of them protects. 0x7000 is
	 * only read, and of 0x7100 each writes its own half. */
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 0, STORE, 0x5000, SIGNAL, 0x2000, 1,
					 STORE, 0x6000, LOAD, 0x7000, 0xb0000000, 0x7100),
		MAKE(0x8000, WAIT, 0x2000, 1, LOAD, 0x5000, LOAD, 0x6000, SIGNAL, 0x2000, 2,
			LOAD, 0x7000, 0xb0000000, 0x7102)};
	(void)state;
	struct buf report = report_on(traces, 2);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text, "\"access_pairs\": 1,"));
	assert_non_null(strstr(text,
		"\"address\": \"0x00006000\", \"thread\": 1, \"access\": \"write\", \"pc\": "
		"\"0x00001004\", \"record\": 5, \"other_thread\": 2, \"other_access\": "
		"\"read\", \"other_pc\": \"0x00008004\", \"other_record\": 4, \"count\": 1}"));
	/* The sections: one instruction of thread 1, two of thread 2. */
	assert_non_null(strstr(text,
		"\"address\": \"0x00002000\", \"locks\": 2, \"trylocks\": 0, "
		"\"blocked_acquisitions\": 0, "
		"\"wait_length\": 0, \"critical_sections\": 2, \"hold_time_mean\": "
		"1.5, \"hold_time_max\": 2, "
		"\"longest_hold_thread\": 2, \"longest_hold_record\": 2}"));
	buf_free(&report);
	free_traces(traces, 2);
}

/* True where a lock counts an unlock of a thread, from its event first on, as the last. */
static bool
follows(const struct sim_event *lock, const struct sim_thread *thread, size_t first)
{
	for (size_t i = first; i < thread->event_count; i++) {
		const struct sim_event *event = &thread->events[i];
		if (event->what == SIM_UNLOCK && event->pair == lock->pair &&
			event->ordinal == lock->ordinal &&
			(lock->what == SIM_LOCK || lock->what == SIM_TRY))
			return true;
	}
	return false;
}

/* Moves the first later event of the other thread down to one that follows this one's. */
static bool
extend_later(const struct sim *sim, size_t t, size_t first[2])
{
	const struct sim_thread *other = &sim->threads[1 - t];
	bool changed = false;
	for (size_t j = 0; j < first[1 - t]; j++) {
		if (!follows(&other->events[j], &sim->threads[t], first[t]))
			continue;
		first[1 - t] = j;
		changed = true;
	}
	return changed;
}

/*
 * True where an event comes before another one: following each thread's own order, and from
 * every unlock to the locks that count it as the last.
 */
static bool
reaches(const struct sim *sim, const size_t from[2], const size_t to[2])
{
	/* The first event of each thread that must come later, as all after it. */
	size_t first[2] = {sim->threads[0].event_count, sim->threads[1].event_count};
	first[from[0]] = from[1];
	for (bool changed = true; changed;) {
		changed = extend_later(sim, 0, first);
		changed |= extend_later(sim, 1, first);
	}
	return to[1] > first[to[0]];
}

/* True where two accesses to an address, one of them a write, are not ordered. */
static bool
has_race(const struct sim *sim, uint32_t address)
{
	for (size_t i = 0; i < sim->threads[0].access_count; i++) {
		const struct sim_access *a = &sim->threads[0].accesses[i];
		const size_t x[2] = {0, a->event};
		for (size_t j = 0; j < sim->threads[1].access_count; j++) {
			const struct sim_access *b = &sim->threads[1].accesses[j];
			const size_t y[2] = {1, b->event};
			if (a->address == address && b->address == address &&
				(a->writes || b->writes) && !reaches(sim, x, y) &&
				!reaches(sim, y, x))
				return true;
		}
	}
	return false;
}

static void
races_are_found(void **state)
{
	static struct sim sim;
	unsigned with = 0, without = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct trace traces[SIM_THREADS];
		simulate(&sim, seed, true);
		write_traces(&sim, traces);
		struct buf report = report_on(traces, SIM_THREADS);
		const char *text = buf_text(&report);
		for (unsigned i = 0; i < SIM_ADDRESSES; i++) {
			char found[60];
			const uint32_t address = 0x5000 + 8 * i;
			snprintf(found, sizeof found, "{\"address\": \"0x%08x\", \"thread\"",
				address);
			const bool truth = has_race(&sim, address);
			if (truth != (strstr(text, found) != NULL))
				fail_msg("seed %u: 0x%x %s a race", (unsigned)seed, address,
					truth ? "has" : "has not");
			with += truth;
			without += !truth;
		}
		buf_free(&report);
		free_traces(traces, SIM_THREADS);
	}
	assert_true(with > 20 && without > 20);
}

static void
a_mutex_given_up_in_a_wait_orders_accesses(void **state)
{
	/* Thread 2 locks while thread 1 waits for the condition variable 0x3000. */
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 0, STORE, 0x5000, WAIT, 0x3000, 1,
					 STORE, 0x5000, SIGNAL, 0x2000, 2),
		MAKE(0x8000, WAIT, 0x2000, 0, STORE, 0x5000, SIGNAL, 0x3000, 1, SIGNAL, 0x2000,
			1, NOP)};
	(void)state;
	struct buf report = report_on(traces, 2);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text, "\"access_pairs\": 0,"));
	assert_non_null(strstr(text, "\"note_count\": 0,"));
	buf_free(&report);
	free_traces(traces, 2);
}

static void
locks_taken_in_both_orders_may_deadlock(void **state)
{
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 0, WAIT, 0x3000, 0, SIGNAL, 0x3000,
					 1, SIGNAL, 0x2000, 1, NOP),
		MAKE(0x1000, WAIT, 0x3000, 1, WAIT, 0x2000, 1, SIGNAL, 0x2000, 2, SIGNAL,
			0x3000, 2, NOP)};
	(void)state;
	struct buf report = report_on(traces, 2);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text,
		"\"potential_deadlocks\": [{\"locks\": 2, \"cycle\": \"0x2000 under "
		"0x3000 (thread 2, record "
		"3), 0x3000 under 0x2000 (thread 1, record 3)\"}]"));
	/* One thread alone cannot wait for itself so. */
	buf_free(&report);
	report = report_on(traces, 1);
	text = buf_text(&report);
	assert_non_null(strstr(text, "\"potential_deadlocks\": []"));
	buf_free(&report);
	free_traces(traces, 2);
}

#define LI_CLONE 0x38000078 /* li r0,120 */
#define SC 0x44000002	    /* with the next pc */
#define BROADCAST 0x00210002

static void
a_call_of_clone_orders_the_creator_before_the_thread(void **state)
{
	/* Thread 1 calls at 0x1008, record 4. */
	struct trace traces[] = {
		MAKE(0x1000, STORE, 0x5000, LI_CLONE, SC, 0x100c, STORE, 0x6000, NOP),
		MAKE(0x100c, LOAD, 0x5000, LOAD, 0x6000, NOP)};
	(void)state;
	struct buf report = report_on(traces, 2);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text, "\"creator\": 1, \"creation_record\": 4}"));
	assert_non_null(strstr(text, "\"access_pairs\": 1,"));
	assert_non_null(strstr(text, "\"race_pairs\": [{\"address\": \"0x00006000\""));
	assert_null(strstr(text, "\"address\": \"0x00005000\""));
	buf_free(&report);
	free_traces(traces, 2);
	/* Another call, or another place, creates no thread. */
	struct trace others[] = {MAKE(0x1000, STORE, 0x5000, 0x38000004, SC, 0x100c, NOP),
		MAKE(0x100c, LOAD, 0x5000, NOP)};
	report = report_on(others, 2);
	text = buf_text(&report);
	assert_null(strstr(text, "\"creator\": 1"));
	buf_free(&report);
	free_traces(others, 2);
}

static void
the_second_call_creates_the_second_thread(void **state)
{
	struct trace traces[] = {
		MAKE(0x1000, LI_CLONE, SC, 0x1008, STORE, 0x5000, LI_CLONE, SC, 0x1014,
			0x4bfffff0, 0x1004, SC, 0x1008, STORE, 0x6000, NOP),
		MAKE(0x1008, LOAD, 0x5000, NOP), MAKE(0x1008, LOAD, 0x5000, LOAD, 0x6000, NOP)};
	(void)state;
	struct buf report = report_on(traces, 3);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text, "\"creator\": 1, \"creation_record\": 3}"));
	assert_non_null(strstr(text, "\"creator\": 1, \"creation_record\": 8}"));
	/* 0x5000 with thread 2 alone, 0x6000 with thread 3. */
	assert_non_null(strstr(text, "\"access_pairs\": 2,"));
	assert_non_null(strstr(text, "\"address\": \"0x00005000\", \"thread\": 1"));
	assert_null(strstr(text, "\"other_thread\": 3, \"other_access\": \"read\", "
				 "\"other_pc\": \"0x00001008\""));
	buf_free(&report);
	free_traces(traces, 3);
}

static void
pairs_that_creation_explains_are_listed_apart(void **state)
{
	/* Thread 1 knows of thread 2 from its wait on: a store after it does not precede the
	 * creation of thread 2. */
	struct trace traces[] = {
		MAKE(0x1000, STORE, 0x5000, WAIT, 0x2000, 1, STORE, 0x6000, NOP),
		MAKE(0x8000, LOAD, 0x5000, BROADCAST, 0x2000, 1, LOAD, 0x6000, NOP)};
	(void)state;
	struct buf report = report_on(traces, 2);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text, "\"access_pairs\": 2, "
				     "\"pairs_explained_by_thread_creation\": 1,"));
	assert_non_null(strstr(text, "\"race_pairs\": [{\"address\": \"0x00006000\""));
	assert_non_null(strstr(text, "\"race_pairs_explained_by_thread_creation\": "
				     "[{\"address\": \"0x00005000\""));
	buf_free(&report);
	free_traces(traces, 2);
}

static void
a_thread_that_must_precede_its_creation_does(void **state)
{
	/* Thread 1 waits for thread 2 before it calls. */
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 1, LI_CLONE, SC, 0x1008, NOP),
		MAKE(0x1008, BROADCAST, 0x2000, 1, NOP)};
	(void)state;
	struct buf report = report_on(traces, 2);
	const char *text = buf_text(&report);
	assert_non_null(strstr(text, "thread 2 precedes its creation by thread 1, record 4"));
	buf_free(&report);
	free_traces(traces, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unordered_accesses_are_possible_races),
		cmocka_unit_test(races_are_found),
		cmocka_unit_test(a_mutex_given_up_in_a_wait_orders_accesses),
		cmocka_unit_test(locks_taken_in_both_orders_may_deadlock),
		cmocka_unit_test(a_call_of_clone_orders_the_creator_before_the_thread),
		cmocka_unit_test(the_second_call_creates_the_second_thread),
		cmocka_unit_test(pairs_that_creation_explains_are_listed_apart),
		cmocka_unit_test(a_thread_that_must_precede_its_creation_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
