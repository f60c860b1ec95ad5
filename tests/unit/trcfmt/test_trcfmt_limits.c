/* SPDX-License-Identifier: MIT */
/* Templates that loop forever, or use lengths without sense. */
#include "trcfmt_help.h"

static void
endless_loops_end(void **state)
{
	(void)state;
	assert_fault("", "{{ $n = 0 - 1 }} LOOP $n { {{ $x = 1 }} }", "", FAULT_STEPS);
	assert_fault(
		"", "{{ $n = 0 - 1 }} LOOP $n { LOOP $n { LOOP $n { } } }", "", FAULT_STEPS);
	assert_fault("", "{{ $n = 0 - 1 }} LOOP $n { G0 X2, 0 \"x\" }", "", FAULT_STEPS);
	assert_fault("", "{{ $n = 0 - 1 }} LOOP $n { \\n }", NULL, FAULT_STEPS);
	assert_fault(
		"", "{{ $n = 0 - 1 }} LOOP $n { L=INT \"\" L=APPL \"\" }", "", FAULT_STEPS);
}

static void
long_text_ends(void **state)
{
	(void)state;
	assert_fault("", "{{ $n = 0 - 1 }} LOOP $n { A0.60000 \"x\" }", NULL, FAULT_OUTPUT);
	assert_fault("", "{{ $n = 0 - 1 }} LOOP $n { A0.60000 \\n }", NULL, FAULT_OUTPUT);
	assert_fault("", "{{ $n = 0 - 1 }} LOOP $n { \"a text of twenty-five bytes\" }", NULL,
		FAULT_OUTPUT);
}

static void
hostile_lengths_are_faults(void **state)
{
	(void)state;
	assert_fault("FFFFFFFF41", "O2 S4 \"end\"", "A end", FAULT_STRING);
	assert_fault(
		"FFFFFFFF41", "O2 {{ $n = U4 }} $n%S4 X1", "A", FAULT_STRING | FAULT_OVERREAD);
	assert_fault("", "R65535 R65535 X1", "0F", FAULT_POINTER);
	assert_fault("", "G65535 O65535 \"a\"", "a", FAULT_POINTER);
	assert_fault("", "A65535", "", FAULT_OVERREAD);
	assert_fault("FFFFFFFF41", "O2 {{ $n = U4 }} LOOP $n { X0 }", "41", FAULT_OVERREAD);
}

static void
division_by_zero_ends_the_template(void **state)
{
	(void)state;
	/* 3 (21) */
	assert_fault("", "\"a\" {{ $x = 1 / 0 }} \"b\"", "a", FAULT_DIVISION);
	assert_fault("", "\"a\" $x + 1 / $x, 0 \"b\", \\* \"c\"", "a", FAULT_DIVISION);
}

static void
template_008_that_refers_to_itself_ends(void **state)
{
	(void)state;
	struct scene *scene = scene_new("008 1.0 L=APPL \"d\" $DEFAULT \"e\"\n"
					"0F1 1.0 L=APPL \"a\" $DEFAULT\n",
		NULL);
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "a d");
	assert_int_equal(scene->result.faults, FAULT_STEPS);
	assert_int_equal(scene->result.fault_line, 1);
	scene_hook32(scene, 0x00890000, "");
	assert_string_equal(scene_text(scene), "d");
	assert_int_equal(scene->result.faults, FAULT_STEPS);
	scene_free(scene);
}

static void
the_next_event_is_not_touched_by_a_fault(void **state)
{
	(void)state;
	struct scene *scene = scene_of("\"n=\" X2 O2 X4 \"end\"", NULL);
	scene_hook32(scene, 0x0f19002a, "");
	assert_string_equal(scene_text(scene), "n=002A");
	assert_int_equal(scene->result.faults, FAULT_POINTER | FAULT_OVERREAD);
	scene_hook32(scene, 0x0f1e002a, "000000000000");
	assert_string_equal(scene_text(scene), "n=002A 00000000 end");
	assert_int_equal(scene->result.faults, 0);
	scene_free(scene);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endless_loops_end),
		cmocka_unit_test(long_text_ends),
		cmocka_unit_test(hostile_lengths_are_faults),
		cmocka_unit_test(division_by_zero_ends_the_template),
		cmocka_unit_test(template_008_that_refers_to_itself_ends),
		cmocka_unit_test(the_next_event_is_not_touched_by_a_fault),
	};
	return cmocka_run_group_tests_name("trcfmt", tests, NULL, NULL);
}
