/* SPDX-License-Identifier: MIT */
/*
 * What templates remember from event to event: names of files, timers, interrupts. Texts are
 * worked out by hand from IBM, trcfmt File Format (Built-in Macros) and AIX trace
 * reference 4.5, 4.6.
 */
#include "trcfmt_help.h"

#include "trcfmt/lang/files.h"

#define LOOKUP 0x0f180000u	  /* generic: D1, a string, a v-node */
#define EVENT(id) 0x0##id##e0000u /* data words */

static const char templates[] =
	"0F1 1.0 L=SVC O4 lookuppninstall1 S1 lookuppninstall2 X4\n"
	"0F2 1.0 L=SVC O2 \"fd=\" D4 fdinstall()\n"
	"0F3 1.0 L=SVC O2 \"fd=\" D4 fdtofilename ( ) \"end\"\n"
	"0F4 1.0 L=SVC O2 vnodetofilename(X4) \"end\"\n"
	"0F5 1.0 L=SVC O2 v-nodetofilename(X4)\n"
	"0F6 1.0 L=SVC O2 pfsrdwrinstall1(X4) pfsrdwrinstall2(X4.X4, U4)\n"
	"0F7 1.0 L=SVC O2 vpagetofilename(X4, X4)\n"
	"0F8 1.0 L=SVC O2 \"V.S=\" setdelim() X4 \".\" X4 \" bp=\" X4 vmbufinstall()\n"
	"0F9 1.0 L=SVC O2 buftofilename(X4)\n"
	"0FA 1.0 L=SVC O2 sidtofilename(X4)\n"
	"0FB 1.0 L=SVC starttimer(0xFB, 1)\n"
	"0FC 1.0 L=SVC \"last = \" endtimer(0xFB, 1) starttimer(0xFC, $D1)\n"
	"0FD 1.0 L=SVC endtimer(0xFC, $D1) \"end\"\n"
	"0FE 1.0 L=SVC O2 X4 slihlookup()\n"
	"0FF 1.0 L=SVC O2 fdtofilename() slihlookup() vmbufinstall() fdinstall() \"none\"\n";

static int
begin(void **state)
{
	*state = scene_new(templates, NULL);
	return 0;
}

static int
end(void **state)
{
	scene_free(*state);
	return 0;
}

/* Asserts that the next event prints text. */
static void
prints(struct scene *scene, uint32_t word, const char *digits, const char *text)
{
	scene_hook32(scene, word, digits);
	assert_string_equal(scene_text(scene), text);
	assert_int_equal(scene->result.faults, 0);
}

static void
run_by(struct scene *scene, uint64_t pid)
{
	scene->who.has_pid = true;
	scene->who.pid = pid;
}

/* /etc/hosts is v-node AAAA, /tmp is BBBB. */
static void
look_up(struct scene *scene)
{
	prints(scene, LOOKUP, "000000000A2F6574632F686F7374730000AAAA", "/etc/hosts 0000AAAA");
	prints(scene, LOOKUP, "00000000042F746D700000BBBB", "/tmp 0000BBBB");
}

static void
v_nodes_have_the_looked_up_names(void **state)
{
	struct scene *scene = *state;
	prints(scene, EVENT(f4), "0000AAAA", "end");
	look_up(scene);
	prints(scene, EVENT(f4), "0000AAAA", "/etc/hosts end");
	prints(scene, EVENT(f5), "0000BBBB", "/tmp");
	prints(scene, EVENT(f5), "0000CCCC", "");
	/* another name for the v-node takes its place */
	prints(scene, LOOKUP, "00000000042F6E65770000BBBB", "/new 0000BBBB");
	prints(scene, EVENT(f5), "0000BBBB", "/new");
}

static void
descriptors_belong_to_processes(void **state)
{
	struct scene *scene = *state;
	run_by(scene, 1);
	prints(scene, EVENT(f2), "00000007", "fd=7"); /* nothing was looked up */
	prints(scene, EVENT(f3), "00000007", "fd=7 end");
	look_up(scene);
	prints(scene, EVENT(f2), "00000003", "fd=3");
	prints(scene, EVENT(f3), "00000003", "fd=3 /tmp end");
	prints(scene, EVENT(f3), "00000004", "fd=4 end");
	run_by(scene, 2);
	prints(scene, EVENT(f3), "00000003", "fd=3 end");
}

static void
look_ups_of_two_processes_do_not_mix(void **state)
{
	struct scene *scene = *state;
	run_by(scene, 1);
	prints(scene, LOOKUP, "00000000022F610000AAAA", "/a 0000AAAA");
	run_by(scene, 2);
	prints(scene, LOOKUP, "00000000022F620000BBBB", "/b 0000BBBB");
	run_by(scene, 1);
	prints(scene, EVENT(f2), "00000003", "fd=3");
	prints(scene, EVENT(f3), "00000003", "fd=3 /a end");
}

static void
pages_and_segments_have_the_file_that_is_read(void **state)
{
	struct scene *scene = *state;
	look_up(scene);
	prints(scene, EVENT(f7), "000000010000150E", "");
	prints(scene, EVENT(fa), "0000150E", "");
	/* v-node AAAA: 4097 bytes from address 0x1FFF of segment 150E on are pages 1 and 2 */
	prints(scene, EVENT(f6), "0000AAAA00001FFF0000150E00001001", "");
	prints(scene, EVENT(f7), "000000010000150E", "/etc/hosts");
	prints(scene, EVENT(f7), "000000020000150E", "/etc/hosts");
	prints(scene, EVENT(f7), "000000000000150E", "");
	prints(scene, EVENT(f7), "000000030000150E", "");
	prints(scene, EVENT(f7), "000000010000150F", "");
	prints(scene, EVENT(fa), "0000150E", "/etc/hosts");
	/* the same pages of another file */
	prints(scene, EVENT(f6), "0000BBBB00001FFF0000150E00001001", "");
	prints(scene, EVENT(f7), "000000020000150E", "/tmp");
	/* no bytes, no page */
	prints(scene, EVENT(f6), "0000AAAA000020000000150E00000000", "");
	prints(scene, EVENT(f7), "000000020000150E", "/tmp");
	/* more than the address space */
	prints(scene, EVENT(f6), "0000AAAAFFFFF0000000150EFFFFFFFF", "");
	prints(scene, EVENT(f7), "000FFFFF0000150E", "/etc/hosts");
}

static void
buffers_have_the_file_of_their_page(void **state)
{
	struct scene *scene = *state;
	look_up(scene);
	prints(scene, EVENT(f6), "0000AAAA000010000000150E00001000", "");
	prints(scene, EVENT(f9), "00C0FFEE", "");
	/* page 1 of segment 150E is in buffer C0FFEE */
	prints(scene, EVENT(f8), "000000010000150E00C0FFEE",
		"V.S=00000001.0000150E bp=00C0FFEE");
	prints(scene, EVENT(f9), "00C0FFEE", "/etc/hosts");
	/* a page of no file */
	prints(scene, EVENT(f8), "000000050000150E00BEEF00",
		"V.S=00000005.0000150E bp=00BEEF00");
	prints(scene, EVENT(f9), "00BEEF00", "");
}

static void
timers_print_microseconds(void **state)
{
	struct scene *scene = *state;
	prints(scene, EVENT(fc), "", "last =");
	scene->ns = 1000000;
	prints(scene, EVENT(fb), "", "");
	scene->ns = 1123999;
	prints(scene, EVENT(fc), "00000001", "last = [123 usec]");
	scene->ns = 1126000;
	prints(scene, EVENT(fd), "00000001", "[2 usec] end");
	prints(scene, EVENT(fd), "00000002", "end"); /* another key */
	scene->who = (struct aix_context){.has_tid = true, .tid = 7};
	prints(scene, EVENT(fd), "00000001", "end"); /* another thread */
}

static void
timers_of_the_published_stanza(void **state)
{
	(void)state;
	/* 7.3, with the published descriptor */
	struct scene *scene =
		scene_new("# User event HKWD_USER1 Formatting Rules Stanza\n"
			  "010 1.0 L=APPL \"USER EVENT - HKWD_USER1\" O2.0           \\n\\\n"
			  "              \"The # of loop iterations =\" U4           \\n\\\n"
			  "              \"The elapsed time of the last loop = \"    \\\n"
			  "              endtimer(0x010,0x010) starttimer(0x010,0x010)\n",
			NULL);
	scene_hook32(scene, 0x010a0000, "0000000A");
	assert_string_equal(scene_text(scene),
		"USER EVENT - HKWD_USER1\nThe # of loop iterations =10\n"
		"The elapsed time of the last loop =");
	scene->ns = 123000;
	assert_string_equal(scene_text(scene),
		"USER EVENT - HKWD_USER1\nThe # of loop iterations =10\n"
		"The elapsed time of the last loop = [123 usec]");
	scene_free(scene);
}

static void
handlers_have_the_requested_names(void **state)
{
	struct scene *scene = *state;
	prints(scene, EVENT(fe), "00C0FFEE", "00C0FFEE");
	assert_int_equal(trcfmt_eval_handler(scene->eval, 0xc0ffee, "clock_intr"), POLY_OK);
	prints(scene, EVENT(fe), "00C0FFEE", "00C0FFEE clock_intr");
	prints(scene, EVENT(fe), "00C0FFEF", "00C0FFEF");
}

static void
built_ins_before_any_reading_do_nothing(void **state)
{
	struct scene *scene = *state;
	look_up(scene);
	prints(scene, EVENT(ff), "00000003", "none");
}

static void
arguments_of_an_unknown_built_in_are_read(void **state)
{
	(void)state;
	/* T11: it prints nothing */
	assert_prints("\"a\" nosuchthing(X1) X1", "a2A");
}

static void
names_that_are_too_long_are_not_remembered(void **state)
{
	(void)state;
	struct scene *scene =
		scene_new("0F1 1.0 L=SVC lookuppninstall1 S2 lookuppninstall2 X4\n"
			  "0F4 1.0 L=SVC O2 vnodetofilename(X4) \"end\"\n",
			NULL);
	static const unsigned lengths[] = {FILES_NAME, FILES_NAME + 1};
	for (size_t i = 0; i < 2; i++) {
		uint8_t *data = scene->data;
		scene_hook32(scene, 0x0f190000 + lengths[i], "");
		memset(data, 'a', lengths[i]);
		store_be32(data + lengths[i], 0xaaaa);
		scene->event.size = lengths[i] + 4;
		scene_run(scene);
		assert_int_equal(scene->result.faults, 0);
		scene_hook32(scene, EVENT(f4), "0000AAAA");
		scene_run(scene);
		/* the longer one is not remembered, so the name stays */
		assert_int_equal(scene->result.spans[0].length, FILES_NAME + strlen(" end"));
	}
	scene_free(scene);
}

static struct aix_attribution *
attribution_new(void)
{
	struct aix_attribution *attribution;
	struct poly_error error;
	if (aix_attribution_new(NULL, 0, NULL, &attribution, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return attribution;
}

static void
flih_and_resume_change_the_depth(void **state)
{
	(void)state;
	struct scene *scene = scene_new("0F1 1.0 L=INT flih() \"a\" flih ()\n"
					"0F2 1.0 L=INT \"b\" resume()\n",
		NULL);
	scene->attribution = attribution_new();
	scene_hook32(scene, 0x0f190000, "");
	scene->who = aix_attribution_event(scene->attribution, &scene->event);
	assert_int_equal(scene->who.depth, 0);
	assert_string_equal(scene_text(scene), "a");
	scene_hook32(scene, 0x0f290000, "");
	scene->who = aix_attribution_event(scene->attribution, &scene->event);
	assert_int_equal(scene->who.depth, 2);
	assert_string_equal(scene_text(scene), "b");
	assert_int_equal(aix_attribution_event(scene->attribution, &scene->event).depth, 1);
	scene_free(scene);
	/* without attribution */
	assert_prints("flih() \"a\" resume()", "a");
}

static void
p_prints_the_path_of_a_process(void **state)
{
	(void)state;
	struct scene *scene = scene_of("O2 P4 $D2%P4", NULL);
	struct poly_error error;
	static const char table[] = "0F2 exec pid=D1 name=T2\n";
	assert_int_equal(
		aix_attribution_new(table, sizeof table - 1, NULL, &scene->attribution, &error),
		POLY_OK);
	/* process 7214 runs /bin/ls */
	scene_hook32(scene, 0x0f2e0000, "00001C2E2F62696E2F6C730000000000");
	aix_attribution_event(scene->attribution, &scene->event);
	scene_hook32(scene, 0x0f1e0000, "00001C2E00000008");
	aix_attribution_event(scene->attribution, &scene->event);
	/* 3 (12): the number if its path is unknown */
	assert_string_equal(scene_text(scene), "/bin/ls 8");
	scene_free(scene);
}

static void
stored_names_are_bounded(void **state)
{
	(void)state;
	struct files files = {0};
	uint64_t value;
	for (uint64_t i = 0; i < FILES_LINKS + 10; i++)
		assert_true(files_set(&files, &(struct files_key){FILES_BUFFER, i, 0, 0}, i));
	assert_true(files_get(
		&files, &(struct files_key){FILES_BUFFER, FILES_LINKS - 1, 0, 0}, &value));
	assert_int_equal(value, FILES_LINKS - 1);
	assert_false(files_get(
		&files, &(struct files_key){FILES_BUFFER, FILES_LINKS, 0, 0}, &value));
	/* what is remembered still changes */
	assert_true(files_set(&files, &(struct files_key){FILES_BUFFER, 5, 0, 0}, 99));
	assert_true(files_get(&files, &(struct files_key){FILES_BUFFER, 5, 0, 0}, &value));
	assert_int_equal(value, 99);
	files_free(&files);
	for (uint64_t i = 0; i < FILES_RANGES + 10; i++)
		assert_true(files_add_range(
			&files, &(struct files_range){.first = 2 * i, .last = 2 * i}));
	assert_int_equal(files.range_count, FILES_RANGES);
	files_free(&files);
}

static void
keys_differ_in_every_part(void **state)
{
	(void)state;
	struct files files = {0};
	uint64_t value;
	static const struct files_key keys[] = {{FILES_TIMER, 1, 2, 3},
		{FILES_DESCRIPTOR, 1, 2, 3}, {FILES_TIMER, 2, 1, 3}, {FILES_TIMER, 1, 3, 2},
		{FILES_TIMER, 0, 2, 3}, {FILES_TIMER, 1, 0, 3}, {FILES_TIMER, 1, 2, 0}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		assert_false(files_get(&files, &keys[i], &value));
		assert_true(files_set(&files, &keys[i], i));
	}
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		assert_true(files_get(&files, &keys[i], &value));
		assert_int_equal(value, i);
	}
	files_free(&files);
}

/* Runs events with a new evaluator. */
static enum poly_status
run_events(void *context)
{
	struct scene *scene = context;
	unsigned faults = 0;
	scene->eval = trcfmt_eval_new(scene->templates, &scene->options);
	if (!scene->eval)
		return POLY_ERR_MEMORY;
	for (uint32_t id = 0xf1; id <= 0xfe; id++) {
		scene_hook32(scene, id << 20 | 0xe0000, "0200012F0000AAAA0000AAAA00001000");
		if (id == 0xf1)
			scene_hook32(scene, LOOKUP, "00000000042F746D700000AAAA");
		scene_run(scene);
		faults |= scene->result.faults & FAULT_MEMORY;
	}
	trcfmt_eval_free(scene->eval);
	scene->eval = NULL;
	return faults ? POLY_ERR_MEMORY : POLY_OK;
}

static void
lack_of_memory_is_a_fault(void **state)
{
	struct scene *scene = *state;
	trcfmt_eval_free(scene->eval);
	assert_true(law_memory(run_events, scene) > 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(v_nodes_have_the_looked_up_names, begin, end),
		cmocka_unit_test_setup_teardown(descriptors_belong_to_processes, begin, end),
		cmocka_unit_test_setup_teardown(
			look_ups_of_two_processes_do_not_mix, begin, end),
		cmocka_unit_test_setup_teardown(
			pages_and_segments_have_the_file_that_is_read, begin, end),
		cmocka_unit_test_setup_teardown(
			buffers_have_the_file_of_their_page, begin, end),
		cmocka_unit_test_setup_teardown(timers_print_microseconds, begin, end),
		cmocka_unit_test(timers_of_the_published_stanza),
		cmocka_unit_test_setup_teardown(handlers_have_the_requested_names, begin, end),
		cmocka_unit_test_setup_teardown(
			built_ins_before_any_reading_do_nothing, begin, end),
		cmocka_unit_test(arguments_of_an_unknown_built_in_are_read),
		cmocka_unit_test(names_that_are_too_long_are_not_remembered),
		cmocka_unit_test(flih_and_resume_change_the_depth),
		cmocka_unit_test(p_prints_the_path_of_a_process),
		cmocka_unit_test(stored_names_are_bounded),
		cmocka_unit_test(keys_differ_in_every_part),
		cmocka_unit_test_setup_teardown(lack_of_memory_is_a_fault, begin, end),
	};
	return cmocka_run_group_tests_name("trcfmt_state", tests, NULL, NULL);
}
