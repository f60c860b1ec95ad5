/* SPDX-License-Identifier: MIT */
/*
 * Macros, expressions, switches and loops of templates: AIX trace reference 4.5, by hand.
 */
#include "trcfmt_help.h"

/* ---- macros: 4.5 ---- */

static void
data_words_are_macros(void **state)
{
	(void)state;
	const char *words = "0000000100000002000000030000000400000005";
	assert_text(
		0x0f1e002a, words, "$D1 $D2 $D3 $D4 $D5 X2", "0001 0002 0003 0004 0005 002A");
	/* 3 (34): case does not matter */
	assert_text(0x0f1e002a, words, "$d1 $l2 $hd", "0001 300000004 002A");
	assert_text(0x0f1afffe, "FFFFFFFE", "$D1 $D1%D4 $HD%D2 $HD%X2", "FFFFFFFE -2 -2 FFFE");
	/* 3 (22): a word that is not there is 0 */
	assert_text(0x0f1a0000, "00000001", "$D2", "0000");
	/* 3 (17): words of 8 bytes */
	struct scene *scene = scene_of("$D1 $D2 $L2", NULL);
	scene_hook64(scene, 0x800000100f100002, "0000000100000002000000000000000A");
	assert_string_equal(scene_text(scene), "100000002 000A 000A");
	/* flag 0x2000: data words of 4 bytes */
	scene_hook64(scene, 0xa00000100f100002, "0000000100000002000000030000000A");
	assert_string_equal(scene_text(scene), "0001 0002 30000000A");
	scene_free(scene);
}

static void
hook_word_is_in_macros(void **state)
{
	(void)state;
	assert_text(0x0f180003, "00000001414243", "$HB $HD $HT $HL $GENERIC",
		"0003 0003 0008 0007 0001");
	assert_text(0x0f1a002a, "00000001", "$HD $HT $HL $GENERIC $HOOKENV $WORDSIZE $TRACEID",
		"002A 000A 0004 0000 0020 0004 0F10");
	struct scene *scene = scene_of("$HB $HD $HT $GENERIC $HOOKENV $WORDSIZE", NULL);
	/* 3 (16): the flags */
	scene_hook64(scene, 0xc00000030f100009, "0000000000000001414243");
	assert_string_equal(scene_text(scene), "0003 0009 C000 0001 0040 0008");
	scene_free(scene);
}

static void
processes_are_macros(void **state)
{
	(void)state;
	struct scene *scene =
		scene_of("$PID \"/\" $TID \"/\" $CPUID $SVC $EXECPATH $PRI", NULL);
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "/ /");
	scene->who = (struct aix_context){
		true, true, true, 7214, 24713, 3, "/usr/bin/ksh", "kfork", 0};
	/* 3 (28): hexadecimal, 7214 is 1C2E, 24713 is 6089 */
	assert_string_equal(scene_text(scene), "1C2E /6089 /0003 kfork /usr/bin/ksh");
	scene_free(scene);
	scene = scene_of("$PID%D4 $SVC, \"kfork\" \"fork\", \\* \"other\"", NULL);
	scene->who = (struct aix_context){.has_pid = true, .pid = 7214, .svc = "kfork"};
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "7214 fork");
	scene_free(scene);
}

static void
traces_are_macros(void **state)
{
	(void)state;
	struct scene *scene = scene_of("$LOGFILE $TRACEENV $TOTALCPUS $TRACEDCPUS "
				       "$REPORTEDCPUS $IPADDR $BUFF $LARGEDATATYPES",
		NULL);
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "trc.log 0020");
	scene->facts =
		(struct trcfmt_facts){"t", 64, 8, 4, 2, "9.53.155.187", "Kernel Heap", "on"};
	assert_string_equal(
		scene_text(scene), "t 0040 0008 0004 0002 9.53.155.187 Kernel Heap on");
	scene_free(scene);
}

static void
positions_are_macros(void **state)
{
	(void)state;
	/* 3 (4): both spellings; 40 is 28 hexadecimal. $LOGIDX is the offset in the event */
	assert_prints("$LOGID0 $LOGIDX0 $LOGIDX X1 $LOGIDX", "0028 0028 0002 00 0003");
	struct scene *scene = scene_of("$RELLINENO $LINENO \\n $RELLINENO $LINENO", NULL);
	scene->line = 17;
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "0001 0011\n0002 0012");
	scene_free(scene);
}

static void
registers_are_macros(void **state)
{
	(void)state;
	struct scene *scene = scene_of("$PURR \"|\" $MCR0 $MCR1 $MCRA \"|\" $PMC1 $PMC2 $PMC3 "
				       "$PMC4 $PMC5 $PMC6 $PMC7 $PMC8",
		NULL);
	scene_hook32(scene, 0x0f190000, "");
	/* a register that the entry lacks prints nothing */
	assert_string_equal(scene_text(scene), "| |");
	for (unsigned i = 0; i < 12; i++)
		scene->registers[8 * i + 7] = (uint8_t)(i + 1);
	scene->event.registers = scene->registers;
	scene->event.register_count = 5;
	assert_string_equal(scene_text(scene), "0001 |0002 0003 0004 |0005");
	scene->event.register_count = 12;
	/* 3 (36): PURR, MCR0, MCR1, MCRA, PMC1 ... PMC8 */
	assert_string_equal(scene_text(scene),
		"0001 |0002 0003 0004 |0005 0006 0007 0008 0009 000A 000B 000C");
	scene_free(scene);
}

static void
macros_live_for_the_event(void **state)
{
	(void)state;
	/* 4.5; 3 (22): not assigned is 0 */
	struct scene *scene = scene_of("$x {{ $x = U2 }} $x", NULL);
	scene_hook32(scene, 0x0f19002a, "");
	assert_string_equal(scene_text(scene), "0000 002A");
	assert_string_equal(scene_text(scene), "0000 002A");
	scene_free(scene);
}

static void
expressions_are_evaluated(void **state)
{
	(void)state;
	/* 3 (21): as C does, in 64 bits */
	assert_prints("{{ $x = 2 + 3 * 4 - 20 / 10 }} $x", "000C");
	assert_prints("{{ $x = (2 + 3) * 4 }} $x%U4", "20");
	assert_prints("{{ $x = 0x1234F & 0xFFF0 }} $x", "2340");
	assert_prints("{{ $x = 0 - 1 }} $x $x%D8", "FFFFFFFFFFFFFFFF -1");
	assert_prints("{{ $x = (0 - 10) / 2 }} $x%D8", "-5");
	assert_prints("{{ $x = (0 - 10) / (0 - 5) }} $x%D8", "2");
	assert_prints("{{ $x = 0x8000000000000000 / (0 - 1) }} $x", "8000000000000000");
	assert_prints("{{ $x = X1 * 256 + X1 }} $x", "002A");
	assert_prints("{{ $x = $HD%B0.4 + 1 }} $x", "000B");
	struct scene *scene = scene_of("{{ $x = 0 - 1 }} {{ $x = $x + 2 }} $x", NULL);
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "0001");
	scene_free(scene);
}

static void
casts_print_macros_as_codes(void **state)
{
	(void)state;
	assert_text(0x0f1a0000, "0000A5C3", "$D1%B2 $D1%o4 $D1%U2 $D1%D2 $D1%X1",
		"1010010111000011 122703 42435 -23101 C3");
	assert_text(0x0f1a0000, "3F800000", "$D1%F4", "1.0000E+00");
	assert_text(0x0f1a0000, "381850CD", "$D1%T4", "Thu Oct 28 13:34:05 1999");
	assert_text(0x0f1a0000, "0000000D", "$D1%E4 $D1%P4", "EACCES 13");
	assert_text(0x0f1a0000, "41420000", "$D1%A4 \"|\" $D1%A4.4", "AB |AB");
	assert_text(0x0f1a0000, "00000001", "$D1%B0.3 $D1%X12", "001 000000000000000000000001");
}

static void
break_prints_pending_text(void **state)
{
	(void)state;
	/* 3 (19) */
	assert_prints("\"a\" X2, 2A { \"b\" $BREAK \"c\" }, \\* \"d\" \"e\"", "a b");
	assert_prints("LOOP X1 { \"never\" } \"x\" LOOP X1 { \"y\" $BREAK } \"z\"", "x y");
}

static void
skip_and_noprint_print_nothing(void **state)
{
	(void)state;
	static const char *const descriptors[] = {"\"a\" $SKIP \"b\"", "\"a\" $NOPRINT \"b\""};
	for (size_t i = 0; i < 2; i++) {
		struct scene *scene = scene_of(descriptors[i], NULL);
		scene_hook32(scene, 0x0f190000, "");
		scene_text(scene);
		assert_int_equal(scene->result.outcome, OUTCOME_SKIP);
		scene_free(scene);
	}
}

static void
stop_ends_the_report(void **state)
{
	(void)state;
	struct scene *scene = scene_of("\"a\" $STOP \"b\"", NULL);
	scene_hook32(scene, 0x0f190000, "");
	scene_text(scene);
	assert_int_equal(scene->result.outcome, OUTCOME_STOP);
	scene_free(scene);
}

static void
default_runs_template_008(void **state)
{
	(void)state;
	struct scene *scene = scene_new("008 1.0 L=APPL \"@DEFAULT\" \"hd\" X2\n"
					"0F1 1.0 L=APPL \"a\" X2 $DEFAULT \"b\" X4\n"
					"0F2 1.0 L=APPL \"a\"\n",
		NULL);
	scene_hook32(scene, 0x0f1a002a, "00000007");
	assert_string_equal(scene_text(scene), "a002A hd002A b00000007");
	scene_free(scene);
	/* there is none */
	assert_prints("\"a\" $DEFAULT \"b\"", "a b");
}

static void
an_error_has_its_position_and_keeps_the_descriptor(void **state)
{
	(void)state;
	/* seed, $ERROR: log file, offset, trace id; leave after the current descriptor */
	assert_prints("\"a\" X2, 2A { $ERROR \"b\" }, \\* \"d\" \"e\"",
		"aERROR: logfile=trc.log offset=40 traceid=0F1 b");
	assert_text(0x0f180000, "00000003", "LOOP D4 { $ERROR \"b\" } \"c\"",
		"ERROR: logfile=trc.log offset=40 traceid=0F1 b");
	/* what the descriptor holds is part of it */
	assert_prints("\"a\" X2, 2A { $ERROR HD, 2A { \"b\" } \"c\" } \"d\"",
		"aERROR: logfile=trc.log offset=40 traceid=0F1 b c");
	assert_text(0x0f180002, "00000002AABB", "HB, 2 { $ERROR LOOP D4 { X1 } \"c\" } \"d\"",
		"ERROR: logfile=trc.log offset=40 traceid=0F1 AA BB c");
	struct scene *scene = scene_new("1F12 1.0 L=APPL $ERROR\n", NULL);
	scene_hook64(scene, 0x800000001f120000, "");
	assert_string_equal(scene_text(scene), "ERROR: logfile=trc.log offset=40 traceid=1F12");
	scene_free(scene);
}

/* ---- switches and loops ---- */

static void
the_first_matching_case_is_selected(void **state)
{
	(void)state;
	/* seed, Switch Statements; the selector moves the pointer */
	assert_prints("X1, 0 { X1 }, 00 \"second\"", "2A");
	assert_prints("X2, 1 \"one\", \\* \"any\" , 2A \"late\"", "any");
	assert_prints("X2, 1 \"one\", 2 \"two\"", "");
	assert_prints("X1, 0 { X1, 2A { \"inner\" }, \\* \"no\" }, \\* \"outer\"", "inner");
}

static void
match_values_have_the_radix_of_the_code(void **state)
{
	(void)state;
	/* 3 (7): 2A is 42 */
	assert_prints("X2, 42 \"no\", 2A \"yes\"", "yes");
	assert_prints("U2, 42 \"yes\"", "yes");
	assert_prints("D2, 0x2A \"yes\"", "yes");
	assert_prints("$HD, 2A \"yes\"", "yes");
	assert_prints("B2, 2A \"yes\"", "yes");
	assert_prints("$HD%U2, 42 \"yes\"", "yes");
	assert_prints("{{ $x = U2 }} $x + 1, 2B \"yes\"", "yes");
	assert_text(0x0f1a0000, "40E00000", "O2 F4, 7 \"yes\"", "yes"); /* 7.0 */
	assert_text(0x0f19ffff, "", "D2, -1 \"yes\"", "yes");
	assert_text(0x0f19ffff, "", "D2, 0xFFFF \"yes\"", "yes");
	assert_text(0x0f19ffff, "", "D2, 0xFF \"no\", \\* \"yes\"", "yes");
	assert_text(0x0f19ffff, "", "D2, 65535 \"no\", \\* \"yes\"", "yes");
	assert_text(0x0f1e0000, "00000001000000000000000000000007",
		"O2 X16, 7 \"no\", \\* \"yes\"", "yes");
}

static void
text_selects_by_text(void **state)
{
	(void)state;
	const char *one = "000000000361626331";
	assert_text(0x0f180005, one, "O4 S1, \"ab\" \"no\", \"abc\" \"yes\"", "yes");
	assert_text(0x0f180005, one, "O5 A3, \"abc\" \"yes\"", "yes");
	assert_text(0x0f180005, one, "O8 A1, 2 \"no\", 1 \"yes\"", "yes");
	assert_text(0x0f19000d, "", "E2, \"EACCES\" \"yes\"", "yes");
	assert_text(0x0f19000d, "", "E2, 13 \"yes\"", "yes");
	assert_text(
		0x0f1a0000, "381850CD", "O2 T4, \"Thu Oct 28 13:34:05 1999\" \"yes\"", "yes");
	assert_text(0x0f1a0000, "00000007", "O2 P4, \"7\" \"yes\"", "yes");
}

static void
no_match_prints_nothing_or_by_option_the_value(void **state)
{
	(void)state;
	/* 3 (9) */
	struct trcfmt_options options = {.nomatch_value = true};
	struct scene *scene = scene_of("\"a=\" X2, 1 \"one\" \"b\"", &options);
	scene_hook32(scene, 0x0f19002a, "");
	assert_string_equal(scene_text(scene), "a=002A b");
	scene_free(scene);
	assert_prints("\"a=\" X2, 1 \"one\" \"b\"", "a= b");
}

static void
loops_iterate_as_often_as_their_code_states(void **state)
{
	(void)state;
	/* seed, LOOP Statements; the pointer is moved by both */
	assert_text(0x0f180003, "00000003AABBCC", "LOOP U4 { X1 } \"end\"", "AA BB CC end");
	assert_text(0x0f180003, "00000003AABBCC", "O4 LOOP $HB { X0 }", "AABBCC");
	assert_text(0x0f180003, "00000000AABBCC", "LOOP U4 { X1 } X1", "AA");
	assert_text(0x0f180003, "FFFFFFFFAABBCC", "LOOP D4 { X1 } X1", "AA");
	assert_text(
		0x0f180003, "00000002AABBCC", "LOOP U4 { LOOP $HB { \"x\" } }", "x x x x x x");
	/* 3 (5): X0 takes a byte, as X1 does */
	assert_text(0x0f190203, "", "LOOP X0 { \"x\" } X1", "x x03");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_words_are_macros),
		cmocka_unit_test(hook_word_is_in_macros),
		cmocka_unit_test(processes_are_macros),
		cmocka_unit_test(traces_are_macros),
		cmocka_unit_test(positions_are_macros),
		cmocka_unit_test(registers_are_macros),
		cmocka_unit_test(macros_live_for_the_event),
		cmocka_unit_test(expressions_are_evaluated),
		cmocka_unit_test(casts_print_macros_as_codes),
		cmocka_unit_test(break_prints_pending_text),
		cmocka_unit_test(skip_and_noprint_print_nothing),
		cmocka_unit_test(stop_ends_the_report),
		cmocka_unit_test(default_runs_template_008),
		cmocka_unit_test(an_error_has_its_position_and_keeps_the_descriptor),
		cmocka_unit_test(the_first_matching_case_is_selected),
		cmocka_unit_test(match_values_have_the_radix_of_the_code),
		cmocka_unit_test(text_selects_by_text),
		cmocka_unit_test(no_match_prints_nothing_or_by_option_the_value),
		cmocka_unit_test(loops_iterate_as_often_as_their_code_states),
	};
	return cmocka_run_group_tests_name("trcfmt", tests, NULL, NULL);
}
