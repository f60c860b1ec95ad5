/* SPDX-License-Identifier: MIT */
/* Attribution of AIX events, the table of hooks, and the clock. */
#include "test_help.h"

#include "aix/attribution.h"
#include "aix/clock.h"

#include "base/bits.h"

/* A 32-bit event of words: type 6, or a generic one of D1 and a buffer. */
struct made {
	struct aix_event event;
	uint8_t data[64];
};

static struct aix_event *
make(struct made *made, uint16_t hook, uint64_t tid, const uint32_t *words, size_t n)
{
	memset(made, 0, sizeof *made);
	made->event = (struct aix_event){.hook = hook,
		.type = 0xe,
		.word = 4,
		.has_thread = true,
		.thread = tid,
		.data = made->data,
		.size = 4 * n};
	for (size_t i = 0; i < n; i++)
		store_be32(made->data + 4 * i, words[i]);
	return &made->event;
}

static struct aix_event *
make_named(struct made *made, uint16_t hook, const uint32_t *words, const char *name)
{
	make(made, hook, 1, words, 2);
	memcpy(made->data + 8, name, strlen(name) + 1);
	made->event.size += strlen(name) + 1;
	made->event.generic = true;
	made->event.type = 8;
	return &made->event;
}

static struct aix_attribution *
new_table(const char *text)
{
	struct aix_attribution *a;
	assert_int_equal(
		aix_attribution_new(text, text ? strlen(text) : 0, "t", &a, NULL), POLY_OK);
	return a;
}

static void
a_process_is_known_from_its_start_to_its_end(void **state)
{
	struct aix_attribution *a = new_table(NULL);
	struct made m;
	(void)state;
	/* Initially nothing is known. */
	struct aix_context who = aix_attribution_event(a, make(&m, 0x1630, 100, NULL, 0));
	assert_true(who.has_tid);
	assert_int_equal(who.tid, 100);
	assert_false(who.has_pid);
	assert_null(who.exec);
	assert_false(aix_attribution_trusted(a));
	/* Process 7 runs ksh (00A sub 1); thread 100 of it is dispatched on cpu 0. */
	const uint32_t info[] = {1, 7};
	aix_attribution_event(a, make_named(&m, 0x00a0, info, "ksh"));
	assert_string_equal(aix_attribution_path(a, 7), "ksh");
	const uint32_t dispatch[] = {7, 100};
	who = aix_attribution_event(a, make(&m, 0x1060, 99, dispatch, 2));
	assert_int_equal(who.tid, 100);
	assert_true(aix_attribution_trusted(a));
	who = aix_attribution_event(a, make(&m, 0x1630, 100, NULL, 0));
	assert_true(who.has_pid);
	assert_int_equal(who.pid, 7);
	assert_string_equal(who.exec, "ksh");
	/*
	 * It forks process 8 with thread 200, which runs the same program until it executes cp.
	 */
	const uint32_t fork[] = {8, 200};
	aix_attribution_event(a, make(&m, 0x1390, 100, fork, 2));
	who = aix_attribution_event(a, make(&m, 0x1630, 200, NULL, 0));
	assert_int_equal(who.pid, 8);
	assert_string_equal(who.exec, "ksh");
	const uint32_t exec[] = {8, 200};
	aix_attribution_event(a, make_named(&m, 0x1340, exec, "/usr/bin/cp"));
	who = aix_attribution_event(a, make(&m, 0x1630, 200, NULL, 0));
	assert_string_equal(who.exec, "/usr/bin/cp");
	assert_string_equal(aix_attribution_path(a, 7), "ksh");
	aix_attribution_event(a, make_named(&m, 0x1340, exec, "cp ../bin/track junk"));
	who = aix_attribution_event(a, make(&m, 0x1630, 200, NULL, 0));
	assert_string_equal(who.exec, "cp");
	/* The event of its end still belongs to it; later events with that thread id do not. */
	who = aix_attribution_event(a, make(&m, 0x1350, 200, NULL, 0));
	assert_int_equal(who.pid, 8);
	who = aix_attribution_event(a, make(&m, 0x1630, 200, NULL, 0));
	assert_false(who.has_pid);
	assert_null(aix_attribution_path(a, 8));
	aix_attribution_free(a);
}

static void
a_system_call_belongs_to_the_thread_until_return(void **state)
{
	struct aix_attribution *a = new_table(NULL);
	struct made m;
	const uint32_t call[] = {0x1234ab}, other[] = {0x77};
	(void)state;
	assert_int_equal(aix_attribution_name(a, 0x77, "kfork"), POLY_OK);
	struct aix_context who = aix_attribution_event(a, make(&m, 0x1010, 5, call, 1));
	assert_string_equal(who.svc, "1234AB");
	who = aix_attribution_event(a, make(&m, 0x1010, 6, other, 1));
	assert_string_equal(who.svc, "kfork");
	who = aix_attribution_event(a, make(&m, 0x1630, 5, NULL, 0));
	assert_string_equal(who.svc, "1234AB");
	who = aix_attribution_event(a, make(&m, 0x1040, 5, call, 1));
	assert_string_equal(who.svc, "1234AB");
	who = aix_attribution_event(a, make(&m, 0x1630, 5, NULL, 0));
	assert_null(who.svc);
	who = aix_attribution_event(a, make(&m, 0x1630, 6, NULL, 0));
	assert_string_equal(who.svc, "kfork");
	aix_attribution_free(a);
}

static void
interrupts_nest_by_cpu_and_are_counted_once(void **state)
{
	struct aix_attribution *a = new_table(NULL);
	struct made m;
	(void)state;
	assert_int_equal(aix_attribution_event(a, make(&m, 0x1000, 1, NULL, 0)).depth, 1);
	/* A template's flih() for a hook for which the table already has enter. */
	assert_int_equal(aix_attribution_interrupt(a, 1), 1);
	assert_int_equal(aix_attribution_event(a, make(&m, 0x1000, 1, NULL, 0)).depth, 2);
	struct aix_event *event = make(&m, 0x1630, 1, NULL, 0);
	event->has_cpu = true;
	event->cpu = 3;
	assert_int_equal(aix_attribution_event(a, event).depth, 0);
	/* And for a hook that only the template knows. */
	assert_int_equal(aix_attribution_interrupt(a, 1), 1);
	assert_int_equal(aix_attribution_interrupt(a, 0), 1);
	assert_int_equal(aix_attribution_event(a, make(&m, 0x2000, 1, NULL, 0)).depth, 2);
	assert_int_equal(aix_attribution_interrupt(a, -1), 2);
	assert_int_equal(aix_attribution_event(a, make(&m, 0x2000, 1, NULL, 0)).depth, 1);
	assert_int_equal(aix_attribution_event(a, make(&m, 0x1630, 1, NULL, 0)).depth, 0);
	assert_int_equal(aix_attribution_interrupt(a, -1), 0);
	aix_attribution_free(a);
}

static void
an_entry_without_thread_belongs_to_the_last_dispatched_one(void **state)
{
	struct aix_attribution *a = new_table(NULL);
	struct made m;
	const uint32_t dispatch[] = {7, 100};
	(void)state;
	aix_attribution_event(a, make(&m, 0x1060, 1, dispatch, 2));
	struct aix_event *event = make(&m, 0x1630, 0, NULL, 0);
	event->has_thread = false;
	struct aix_context who = aix_attribution_event(a, event);
	assert_true(who.has_tid);
	assert_int_equal(who.tid, 100);
	assert_int_equal(who.pid, 7);
	aix_attribution_free(a);
}

static void
a_user_table_replaces_the_built_in_one(void **state)
{
	struct aix_attribution *a = new_table("# ours\n"
					      "1234 dispatch tid=D1 pid=HD\n"
					      "0F0/2:32 exec name=T2 # a name\n");
	struct made m;
	const uint32_t tid[] = {42}, info[] = {2, 0};
	(void)state;
	make(&m, 0x1234, 1, tid, 1)->subhook = 9;
	struct aix_context who = aix_attribution_event(a, &m.event);
	assert_int_equal(who.tid, 42);
	assert_int_equal(who.pid, 9);
	/* 106 is not a dispatch here. */
	const uint32_t dispatch[] = {7, 100};
	who = aix_attribution_event(a, make(&m, 0x1060, 42, dispatch, 2));
	assert_int_equal(who.tid, 42);
	make_named(&m, 0x0f00, info, "x");
	memcpy(m.data + 4, "sed", 4);
	m.event.size = 8;
	m.event.thread = 42;
	assert_string_equal(aix_attribution_event(a, &m.event).exec, "sed");
	aix_attribution_free(a);
}

static void
expect_wrong(const char *text, const char *message)
{
	struct poly_error error;
	struct aix_attribution *a;
	assert_int_equal(
		aix_attribution_new(text, strlen(text), "mine", &a, &error), POLY_ERR_USAGE);
	assert_null(a);
	assert_string_equal(error.message, message);
}

static void
errors_in_a_table_are_reported_with_their_position(void **state)
{
	(void)state;
	expect_wrong("\n10 dispatch\n",
		"hook '10' in line 2, column 1 of 'mine', expected a hook such as 106, 1060, "
		"00A/1 or 00A/1:64");
	expect_wrong("00A/:32 idle\n",
		"hook '00A/:32' in line 1, column 1 of 'mine', expected a hook such as 106, "
		"1060, 00A/1 or 00A/1:64");
	expect_wrong("106 run\n",
		"action 'run' in line 1, column 5 of 'mine', expected dispatch, idle, "
		"process, exec, fork, exit, thread, call, return, current, enter, leave, "
		"handler, handled, lock or unlock");
	expect_wrong("106 idle  who=D1\n",
		"field 'who=D1' in line 1, column 11 of 'mine', expected tid=, pid=, name=, "
		"svc=, cpu= or lock=");
	expect_wrong("106 idle tid=D0",
		"place 'D0' in line 1, column 14 of 'mine', expected D1 to D99, T1 to T99, HD "
		"or TID");
	expect_wrong("106 idle tid=T1",
		"place 'T1' in line 1, column 14 of 'mine', expected that of a number");
}

/* Trace Hook IDs, 00A: ns = ticks m / d, only for type 2. */
static void
ticks_are_converted_by_the_rate_of_a_hook(void **state)
{
	struct aix_rate rate = {0};
	uint8_t data[24] = {0};
	struct aix_event event = {.wide = true,
		.hook = 0x00a0,
		.subhook = 0x25c,
		.word = 8,
		.data = data,
		.size = sizeof data};
	(void)state;
	assert_int_equal(aix_rate_ns(&rate, 5), 5);
	data[7] = 125;
	data[15] = 64;
	data[23] = 2;
	assert_true(aix_rate_event(&rate, &event));
	assert_int_equal(aix_rate_ns(&rate, 512), 1000);
	assert_int_equal(aix_rate_ns(&rate, 1), 1);
	/* The product of 2^60 * 125 / 64 overflows 64 bits. */
	assert_int_equal(aix_rate_ns(&rate, (uint64_t)1 << 60), 125 * ((uint64_t)1 << 54));
	assert_int_equal(aix_rate_ns(&rate, UINT64_MAX), UINT64_MAX);
	data[23] = 1;
	assert_true(aix_rate_event(&rate, &event));
	assert_int_equal(aix_rate_ns(&rate, 512), 512);
	event.subhook = 1;
	assert_false(aix_rate_event(&rate, &event));
	event.subhook = 0x25c;
	event.size = 23;
	assert_false(aix_rate_event(&rate, &event));
}

static void
timestamps_of_32_bits_wrap(void **state)
{
	struct aix_clock clock = {0};
	struct aix_event event = {.has_time = true};
	const uint64_t times[] = {0xfffffff0, 0x10, 0x8, 0x70000000, 0xe0000000, 5};
	const uint64_t expected[] = {
		0xfffffff0, 0x100000010, 0x100000008, 0x170000000, 0x1e0000000, 0x200000005};
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		event.time = times[i];
		assert_int_equal(aix_clock_ticks(&clock, &event), expected[i]);
	}
	/* A time that goes back in the first round is not changed. */
	clock = (struct aix_clock){0};
	event.time = 100;
	assert_int_equal(aix_clock_ticks(&clock, &event), 100);
	event.time = 90;
	assert_int_equal(aix_clock_ticks(&clock, &event), 90);
	event.wide = true;
	event.time = 0xffffffff;
	assert_int_equal(aix_clock_ticks(&clock, &event), 0xffffffff);
	event.time = 3;
	assert_int_equal(aix_clock_ticks(&clock, &event), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_known_from_its_start_to_its_end),
		cmocka_unit_test(a_system_call_belongs_to_the_thread_until_return),
		cmocka_unit_test(interrupts_nest_by_cpu_and_are_counted_once),
		cmocka_unit_test(an_entry_without_thread_belongs_to_the_last_dispatched_one),
		cmocka_unit_test(a_user_table_replaces_the_built_in_one),
		cmocka_unit_test(errors_in_a_table_are_reported_with_their_position),
		cmocka_unit_test(ticks_are_converted_by_the_rate_of_a_hook),
		cmocka_unit_test(timestamps_of_32_bits_wrap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
