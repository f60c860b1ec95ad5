/* SPDX-License-Identifier: MIT */
/*
 * The text of templates: codes, the data pointer and blanks, against texts worked out by hand
 * from IBM, trcfmt File Format and AIX trace reference; the section stands by each.
 */
#include "trcfmt_help.h"

#include "aix/errno.h"

/* ---- vectors: AIX trace reference 7.4 ---- */

static size_t
load_vector(const char *name, const char *suffix, void *to, size_t most)
{
	char path[500];
	snprintf(path, sizeof path, "%s/tests/data/aix/vectors/%s.%s", getenv("POLYTRACE_ROOT"),
		name, suffix);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t n = fread(to, 1, most, file);
	fclose(file);
	return n;
}

static void
vectors_1_to_6_print_their_texts(void **state)
{
	(void)state;
	static const char *const names[] = {"v1", "v2", "v2u", "v3", "v4", "v5", "v6", "v6s"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char templates[500], text[200];
		uint8_t raw[200];
		templates[load_vector(names[i], "trcfmt", templates, sizeof templates - 1)] =
			'\0';
		text[load_vector(names[i], "txt", text, sizeof text - 1) - 1] = '\0';
		size_t n = load_vector(names[i], "raw", raw, sizeof raw);
		struct scene *scene = scene_new(templates, NULL);
		scene_hook32(scene, load_be32(raw), "");
		/* The thread and the timestamp are the last two words; padding is not data. */
		scene->event.data = raw + 4;
		scene->event.size = scene->event.generic ? 4u + scene->event.subhook : n - 12;
		assert_string_equal(scene_text(scene), text);
		assert_int_equal(scene->result.faults, 0);
		scene_free(scene);
	}
}

static void
vector_7_prints_bits(void **state)
{
	(void)state;
	assert_text(0x0f19a5c3, "", "B0.4 B0.4 B1.0", "1010 0101 11000011");
}

static void
vector_8_prints_macros(void **state)
{
	(void)state;
	assert_prints("{{ $dog = 7 + 6 }} {{ $cat = $dog * 2 }} $dog $cat", "000D 001A");
}

static void
vector_9_skips_the_event(void **state)
{
	(void)state;
	struct scene *scene = scene_of("\"a\" X2, 002A { $SKIP }, \\* \"other\"", NULL);
	scene_hook32(scene, 0x0f19002a, "");
	scene_text(scene);
	assert_int_equal(scene->result.outcome, OUTCOME_SKIP);
	scene_hook32(scene, 0x0f19002b, "");
	assert_string_equal(scene_text(scene), "aother");
	assert_int_equal(scene->result.outcome, OUTCOME_PRINT);
	scene_free(scene);
}

static void
vector_10_prints_words_of_64_bits(void **state)
{
	(void)state;
	struct scene *scene = scene_of("$HD $L1 $L2", NULL);
	scene_hook64(scene, 0x800000100f100002, "123456789ABCDEF000000000000000AA");
	assert_string_equal(scene_text(scene), "0002 123456789ABCDEF0 00AA");
	scene_free(scene);
}

static void
vector_11_faults_are_reported(void **state)
{
	(void)state;
	/* 5, L15: the data pointer stays at the start, and what follows is run */
	assert_fault("00000001", "R3 X1 \"next\"", "0F next", FAULT_POINTER);
	/* 5, L15; then 3 (13) of what is read there */
	assert_fault("00000001", "\"a\" G9 \"b\"", "a b", FAULT_POINTER);
	assert_fault("00000001", "\"a\" G9 X1 \"b\"", "a", FAULT_POINTER | FAULT_OVERREAD);
	assert_fault("00000001", "\"a\" O6.1", "a", FAULT_POINTER);
	/* 5, L14: the text is cut */
	assert_fault("00FF4142", "O2 S2 \"next\"", "AB next", FAULT_STRING);
}

/* ---- the data pointer: seed "Data Pointer", 4.3 ---- */

static void
the_data_pointer_starts_by_type(void **state)
{
	(void)state;
	assert_text(0x0f19002a, "", "X2", "002A");
	assert_text(0x0f12002a, "00000007", "X2 X4", "002A 00000007");
	assert_text(0x0f180002, "00000007AABB", "X4 X2", "00000007 AABB");
	assert_text(0x0f100002, "00000007AABB", "X4 X2", "00000007 AABB");
}

static void
text_of_64(const struct trcfmt_options *options, uint64_t word, const char *text)
{
	struct scene *scene = scene_of("X2", options);
	scene_hook64(scene, word, "111122223333444455556666777788889999");
	assert_string_equal(scene_text(scene), text);
	scene_free(scene);
}

static void
the_data_pointer_of_64_bits_starts_by_option(void **state)
{
	(void)state;
	/* 4.3: byte 6, the sub-hook; generic: byte 8, D1. 3 (2), 3 (3): others by option */
	const uint64_t plain = 0x800000120f10abcd, generic = 0xc000000a0f10abcd;
	struct trcfmt_options options = {0};
	text_of_64(&options, plain, "ABCD");
	text_of_64(&options, generic, "1111");
	options.start64 = 2;
	options.start64g = 16;
	text_of_64(&options, plain, "0012");
	text_of_64(&options, generic, "5555");
	options.start64 = 8;
	text_of_64(&options, plain, "1111");
}

static void
positions_move_the_data_pointer(void **state)
{
	(void)state;
	const char *words = "0000000100000002";
	/* G, O, R: seed; R0 and W: 4.3 */
	assert_text(0x0f1e002a, words, "G7 X1 G0 X2", "01 0F1E");
	assert_text(0x0f1e002a, words, "G7.4 B0.4", "0001");
	assert_text(0x0f1e002a, words, "O2 X4", "00000001");
	assert_text(0x0f1e002a, words, "O2.4 B0.4 X4", "0000 00000100");
	assert_text(0x0f1e002a, words, "X2 R2 X2", "002A 002A");
	assert_text(0x0f1e00a5, words, "O1 B0.4 R0 B1", "1010 10100101");
	assert_text(0x0f1e002a, words, "W2 X4 W0 X4 W1 X4", "00000002 0F1E002A 00000001");
	struct scene *scene = scene_of("W2 X4", NULL);
	scene_hook64(scene, 0x800000100f100000, "1111111111111111ABCDEF0122222222");
	assert_string_equal(scene_text(scene), "ABCDEF01");
	scene_free(scene);
}

static void
codes_begin_at_a_byte_but_b(void **state)
{
	(void)state;
	/* seed: only Bm.n may start within a byte */
	assert_text(0x0f12a5c3, "0000000D", "B0.4 X1", "1010 C3");
	assert_text(0x0f12a5c3, "0000000D", "B0.4 B0.4", "1010 0101");
	assert_text(0x0f12a5c3, "0000000D", "B1.1 D4", "101001011 13");
}

static void
reading_past_the_entry_ends_the_template(void **state)
{
	(void)state;
	/* 3 (13): nothing for that item, one fault; the thread id is not data */
	assert_fault("", "\"a\" X2 X1 \"b\"", "a002A", FAULT_OVERREAD);
	assert_fault("00", "\"a=\" U4", "a=", FAULT_OVERREAD);
	assert_fault("", "O2 B0.1", "", FAULT_OVERREAD);
	assert_fault("", "O1 S2", "", FAULT_OVERREAD);
	assert_fault("", "A3", "", FAULT_OVERREAD);
	struct trcfmt_options options = {.overread_zero = true};
	struct scene *scene = scene_of("U4 S1 X12 \"end\"", &options);
	scene_hook32(scene, 0x0f190001, "");
	assert_string_equal(scene_text(scene), "65536 000000000000000000000000 end");
	assert_int_equal(scene->result.faults, FAULT_OVERREAD);
	scene_free(scene);
}

static void
pointers_are_macros(void **state)
{
	(void)state;
	const char *words = "0000000100000002";
	/* 4.3: {{ $DATAPOINTER = 5 }} is G5; seed: $BASEPOINTER is added to it */
	assert_text(0x0f1e002a, words, "{{ $DATAPOINTER = 7 }} X1 $DATAPOINTER", "01 0008");
	assert_text(0x0f1e002a, words, "{{ $BASEPOINTER = 4 }} G4 X4 $BASEPOINTER",
		"00000002 0004");
	assert_text(0x0f1e002a, words, "{{ $DATAPOINTER = $DATAPOINTER + 2 }} X4", "00000001");
	assert_fault(
		words, "{{ $DATAPOINTER = 0 - 1 }} X1", "", FAULT_POINTER | FAULT_OVERREAD);
	assert_fault(words, "{{ $BASEPOINTER = 0 - 1 }} X1", "", FAULT_OVERREAD);
}

/* ---- codes: 4.4 ---- */

static void
text_is_printed_in_columns(void **state)
{
	(void)state;
	const char *hello = "0000000068656C6C6F20776F726C64000000"; /* hello world, NULs */
	assert_text(0x0f18000e, hello, "O4 \"[\" A8.16 \"]\"", "[hello wo         ]");
	assert_text(0x0f18000e, hello, "O4 \"[\" A14 \"]\"", "[hello world ]");
	assert_text(0x0f18000e, hello, "O4 \"[\" A0.4 \"]\"", "[    ]");
	assert_text(0x0f18000e, hello, "O4 A2.0 X1", "he 6C");
}

static void
bits_are_printed(void **state)
{
	(void)state;
	/* 4.4: B2.3 is B0.19; what is longer than 64 bits as well */
	assert_text(0x0f1ea5c3, "60000000", "B2.3", "1010010111000011011");
	assert_text(0x0f1ea5c3, "60000000", "B0.19", "1010010111000011011");
	assert_text(0x0f1e8001, "0000000000000003", "B9",
		"100000000000000100000000000000000000000000000000000000000000000000000000");
}

static void
integers_are_printed(void **state)
{
	(void)state;
	const char *ones = "FFFFFFFE0000000A";
	assert_text(0x0f1effff, ones, "D2 D4 D4", "-1 -2 10");
	assert_text(0x0f1effff, ones, "U2 U4 U4", "65535 4294967294 10");
	assert_text(0x0f1effff, ones, "O2 D8 G4 U8", "-8589934582 18446744065119617034");
	assert_text(0x0f1effff, ones, "o2 o4 o4", "177777 37777777776 12");
	assert_text(0x0f1effff, ones, "X1 X1 X3 X0 X4", "FF FF FFFFFF FE0000000A");
	assert_text(0x0f1e0000, "8000000000000000", "O2 D8", "-9223372036854775808");
	assert_text(0x0f1e1234, "56789ABCDEF00112233445566778", "X16",
		"123456789ABCDEF00112233445566778");
	assert_text(0x0f1effff, ones, "O2 o8", "1777777777700000000012");
	assert_text(0x0f1e0000, "", "U2 R2 o2", "0 0");
}

static void
words_have_the_size_of_the_hook(void **state)
{
	(void)state;
	/* 4.4: 4 or 8 bytes */
	assert_text(0x0f1e0000, "FFFFFFFE", "O2 DW R4 UW R4 XW R4 oW",
		"-2 4294967294 FFFFFFFE 37777777776");
	assert_text(0x0f1e0000, "0000000D00000002", "O2 EW PW", "EACCES 2");
	assert_text(0x0f180006, "000000024142", "SW", "AB");
	struct scene *scene = scene_of("DW R8 UW R8 XW R8 oW EW", NULL);
	scene_hook64(scene, 0xc00000000f100000, "FFFFFFFFFFFFFFFE000000000000000D");
	assert_string_equal(scene_text(scene),
		"-2 18446744073709551614 FFFFFFFFFFFFFFFE 1777777777777777777776 EACCES");
	scene_free(scene);
}

static void
floating_point_is_printed(void **state)
{
	(void)state;
	/* 4.4: 3F800000 is 1.0000E+00; IEEE 754: -3.14159, 1.5, -6.02214076E+23 */
	assert_text(0x0f1e0000, "3F800000C0490FD0", "O2 F4 F4", "1.0000E+00 -3.1416E+00");
	assert_text(0x0f1e0000, "3FF8000000000000C4DFE185CA57C517", "O2 F8 F8",
		"1.5000E+00 -6.0221E+23");
	assert_text(0x0f1e0000, "7F800000FF800000", "O2 F4 F4", "INF -INF");
}

static void
strings_have_their_length_before_them(void **state)
{
	(void)state;
	assert_text(0x0f180000, "00000007024142", "O4 S1 \"x\"", "AB x");
	assert_text(0x0f180000, "0000000700024142", "O4 S2", "AB");
	assert_text(0x0f180000, "00000007000000024142FF", "O4 S4 X1", "AB FF");
	assert_text(0x0f180000, "0000000700", "O4 \"x\" S1 \"y\"", "x y");
	/* 4.4: the length of a cast is that of the macro */
	assert_text(0x0f180000, "00000002414243", "{{ $n = U4 }} $n%S1 X1", "AB 43");
}

static void
times_are_printed(void **state)
{
	(void)state;
	/* 4.4, ctime; 3 (10): UTC. 0x381850CD s from 1970 on is the seed's Oct 28 13:34:05 1999
	 */
	assert_text(0x0f1e0000, "381850CD", "O2 T4", "Thu Oct 28 13:34:05 1999");
	assert_text(0x0f1e0000, "00000000", "O2 T4", "Thu Jan  1 00:00:00 1970");
	struct trcfmt_options options = {.tz_minutes = -330};
	struct scene *scene = scene_of("O2 T4", &options);
	scene_hook32(scene, 0x0f1e0000, "381850CD");
	assert_string_equal(scene_text(scene), "Thu Oct 28 08:04:05 1999");
	scene_free(scene);
}

static void
local_time_is_that_of_the_machine(void **state)
{
	(void)state;
	struct trcfmt_options options = {.tz_local = true};
	setenv("TZ", "XYZ-2", 1);
	struct scene *scene = scene_of("O2 T4", &options);
	scene_hook32(scene, 0x0f1e0000, "381850CD");
	assert_string_equal(scene_text(scene), "Thu Oct 28 15:34:05 1999");
	scene_free(scene);
}

static void
errno_values_have_names(void **state)
{
	(void)state;
	/* 4.9; 3 (11): what is unknown, and 0, is a number */
	assert_text(
		0x0f1e0d02, "001100000075", "E1 E1 E2 E4", "EACCES ENOENT EEXIST ECANCELED");
	assert_text(0x0f1e0033, "00000000000000FF", "E2 E4 E4", "51 0 255");
	assert_string_equal(aix_errno_name(127), "EOVERFLOW");
	assert_string_equal(aix_errno_name(35), "ENOMSG");
	assert_null(aix_errno_name(128));
	assert_null(aix_errno_name(UINT64_MAX));
}

static void
errno_values_have_the_names_of_the_user(void **state)
{
	(void)state;
	/* 3 (11) */
	struct scene *scene = scene_of("E2 R2 E2, \"EMINE\" \"yes\"", NULL);
	assert_int_equal(trcfmt_eval_errno(scene->eval, 51, "EMINE"), POLY_OK);
	scene_hook32(scene, 0x0f190033, "");
	assert_string_equal(scene_text(scene), "EMINE yes");
	scene_hook32(scene, 0x0f19000d, "");
	assert_string_equal(scene_text(scene), "EACCES");
	scene_free(scene);
}

static void
hook_type_buffer_and_data_are_codes(void **state)
{
	(void)state;
	/* 4.4 HT; its pointer is not moved (seed, $HT) */
	assert_text(0x0f1a002a, "00000001", "HT HD X2", "A 002A 002A");
	assert_text(0x0f180003, "00000001414243", "HT HB X4", "8 0003 00000001");
	assert_text(0x0f1a002a, "00000001",
		"HT & 0x07, 0 { \"generic\" }, 2 { \"one\" }, \\* { \"other\" }", "one");
}

/* ---- blanks: 4.7 ---- */

static void
blanks_follow_data_and_not_strings(void **state)
{
	(void)state;
	/* 7.2: pid=7214 tid=24713 */
	assert_text(0x0f1e0000, "00001C2E00006089", "O2 \"pid=\" D4 \"tid=\" D4",
		"pid=7214 tid=24713");
	assert_prints("\"in  ner \" X2", "in  ner 002A");
	/* rule 4, across pointer moves and assignments */
	assert_prints("\"a\" \"b\" O1 \"c\" {{ $x = 1 }} \"d\"", "a b c d");
	/* rule 3 */
	assert_prints("\"v=\" X2, 2A \"yes\" \"b\"", "v=yes b");
	assert_prints("X1 X1, 2A \"yes\" \"b\"", "00 yes b");
	assert_prints("\"a\" X2, 2A { \"yes\" } \"b\"", "a yes b");
	/* rule 5 */
	assert_prints("\"a  \" \\n X2 \\n \"  \"", "a\n002A\n");
	assert_prints("\"a\" \"\" \"b\"", "a b");
}

static void
setdelim_ends_blanks(void **state)
{
	(void)state;
	/* 4.7: V.S=0000.150E; 3 (20): for the rest of the event */
	assert_text(0x0f1e0000, "150E0000",
		"\"V.S=\" setdelim() X2 \".\" X2 \"x\" \"y\" X1, 0 \"z\" X1",
		"V.S=0000.150Exyz00");
	struct scene *scene = scene_of("X1 setdelim ( ) X1", NULL);
	scene_hook32(scene, 0x0f190102, "");
	assert_string_equal(scene_text(scene), "01 02");
	assert_string_equal(scene_text(scene), "01 02");
	scene_free(scene);
}

static void
raw_spacing_has_a_blank_after_everything(void **state)
{
	(void)state;
	/* 3 (1): the seed's sentence alone */
	struct trcfmt_options options = {.raw_spacing = true};
	struct scene *scene =
		scene_of("\"T1\" \"hd= \" X1 X0 \"x\" setdelim() \"y\" \"z\"", &options);
	scene_hook32(scene, 0x0f190102, "");
	assert_string_equal(scene_text(scene), "T1 hd= 01 02x yz");
	scene_free(scene);
}

static void
tabs_stop_every_eight_columns(void **state)
{
	(void)state;
	/* seed, \t */
	assert_prints("\"abc\" \\t \"d\" \\t \\t \"e\"", "abc     d               e");
	assert_prints("\"abcdefgh\" \\t \"i\"", "abcdefgh        i");
	assert_prints("X1 \\t X1", "00      2A");
	assert_prints("\"ab\" \\n \"c\" \\t \"d\"", "ab\nc       d");
	assert_prints("\"a\\tb\\nc\"", "a       b\nc");
}

static void
new_lines_and_levels_separate_the_text(void **state)
{
	(void)state;
	struct scene *scene = scene_of("\"a \" L=INT \"b\" L=INT \\n \"c\" L=APPL", NULL);
	scene_hook32(scene, 0x0f190000, "");
	/* 3 (26): the column changes from there on, and nothing stands before it */
	assert_string_equal(scene_text(scene), "a|b\nc");
	assert_int_equal(scene->result.span_count, 3);
	assert_int_equal(scene->result.spans[0].level, LEVEL_KERN);
	assert_int_equal(scene->result.spans[1].level, LEVEL_INT);
	assert_int_equal(scene->result.spans[2].level, LEVEL_INT);
	scene_free(scene);
	scene = scene_of("L=SVC \"a\" \\n", NULL);
	scene_hook32(scene, 0x0f190000, "");
	assert_string_equal(scene_text(scene), "a\n");
	assert_int_equal(scene->result.spans[0].level, LEVEL_SVC);
	scene_free(scene);
}

static void
a_label_with_an_at_is_not_printed(void **state)
{
	(void)state;
	/* 3 (27) */
	assert_prints("\"@LABEL\" \"a\" \"@b\"", "a @b");
	assert_prints("\"LABEL\" \"a\"", "LABEL a");
}

static void
unprintable_bytes_become_points(void **state)
{
	(void)state;
	assert_text(0x0f180000, "00000000066109621B0A00FF", "O4 S1 X1", "a       b.  FF");
	assert_text(0x0f180000, "0000000004C3A4FF62", "O4 S1", "...b");
	assert_text(0x0f180000, "0000000003C3A462", "O4 S1",
		"\xc3\xa4"
		"b");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_1_to_6_print_their_texts),
		cmocka_unit_test(vector_7_prints_bits),
		cmocka_unit_test(vector_8_prints_macros),
		cmocka_unit_test(vector_9_skips_the_event),
		cmocka_unit_test(vector_10_prints_words_of_64_bits),
		cmocka_unit_test(vector_11_faults_are_reported),
		cmocka_unit_test(the_data_pointer_starts_by_type),
		cmocka_unit_test(the_data_pointer_of_64_bits_starts_by_option),
		cmocka_unit_test(positions_move_the_data_pointer),
		cmocka_unit_test(codes_begin_at_a_byte_but_b),
		cmocka_unit_test(reading_past_the_entry_ends_the_template),
		cmocka_unit_test(pointers_are_macros),
		cmocka_unit_test(text_is_printed_in_columns),
		cmocka_unit_test(bits_are_printed),
		cmocka_unit_test(integers_are_printed),
		cmocka_unit_test(words_have_the_size_of_the_hook),
		cmocka_unit_test(floating_point_is_printed),
		cmocka_unit_test(strings_have_their_length_before_them),
		cmocka_unit_test(times_are_printed),
		cmocka_unit_test(local_time_is_that_of_the_machine),
		cmocka_unit_test(errno_values_have_names),
		cmocka_unit_test(errno_values_have_the_names_of_the_user),
		cmocka_unit_test(hook_type_buffer_and_data_are_codes),
		cmocka_unit_test(blanks_follow_data_and_not_strings),
		cmocka_unit_test(setdelim_ends_blanks),
		cmocka_unit_test(raw_spacing_has_a_blank_after_everything),
		cmocka_unit_test(tabs_stop_every_eight_columns),
		cmocka_unit_test(new_lines_and_levels_separate_the_text),
		cmocka_unit_test(a_label_with_an_at_is_not_printed),
		cmocka_unit_test(unprintable_bytes_become_points),
	};
	return cmocka_run_group_tests_name("trcfmt", tests, NULL, NULL);
}
