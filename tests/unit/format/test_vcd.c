/* SPDX-License-Identifier: MIT */
/* Value change dumps compared with hand-written ones. */
#include "trace_help.h"

static const char trace[] = "3 ns cpu0 IT (1) 00001000 e1a00000 A svc_s : nop\n"
			    "3 ns cpu0 R r1 00000005\n"
			    "4 ns cpu1 IT (2) 00002000 e1a00000 A svc_s : nop\n"
			    "4 ns cpu1 R r1 00000000\n"
			    "7 ns cpu0 IT (3) 00001000 e1a00000 A svc_s : nop\n"
			    "7 ns cpu0 R r1 00000005\n"
			    "7 ns cpu0 R d0 0123456789abcdef\n";

static void
changes_are_written_by_scope_and_time(void **state)
{
	(void)state;
	expect_converted(trace, "tarmac", "vcd", NULL,
		"$version polytrace " POLY_VERSION " $end\n"
		"$timescale 1 ns $end\n"
		"$scope module cpu0 $end\n"
		"$var wire 32 ! pc $end\n"
		"$var wire 32 \" r1 $end\n"
		"$var wire 64 % d0 $end\n"
		"$upscope $end\n"
		"$scope module cpu1 $end\n"
		"$var wire 32 # pc $end\n"
		"$var wire 32 $ r1 $end\n"
		"$upscope $end\n"
		"$enddefinitions $end\n"
		"$dumpvars\nbx !\nbx \"\nbx #\nbx $\nbx %\n$end\n"
		"#3\nb1000000000000 !\nb101 \"\n"
		"#4\nb10000000000000 #\nb0 $\n"
		"#7\nb100100011010001010110011110001001101010111100110111101111 %\n");
}

/* Returns the part after the header. */
static void
expect_changes(const char *text, const char *format, const char *option, const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf out = convert(open_bytes(&bytes, format, NULL, false), "vcd", option, NULL);
	const char *changes = strstr(buf_text(&out), "\n$end\n");
	assert_non_null(changes);
	assert_string_equal(changes + 6, expected);
	buf_free(&out);
	buf_free(&bytes);
}

static void
record_numbers_serve_as_time(void **state)
{
	(void)state;
	expect_changes(trace, "tarmac", "vcd.time=record",
		"#1\nb1000000000000 !\n#2\nb101 \"\n#3\nb10000000000000 #\n#4\nb0 $\n"
		"#7\nb100100011010001010110011110001001101010111100110111101111 %\n");
}

static void
times_never_go_back(void **state)
{
	(void)state;
	expect_changes("9 clk R r1 01\n5 clk R r1 02\n9 clk R r1 03\n10 clk R r1 xx\n"
		       "11 clk R r1 03\n1 clk IT (1) 00001000 e1a00000 A svc_s : nop\n",
		"tarmac", NULL,
		"#9\nb1 !\nb10 !\nb11 !\n#10\nbx !\n#11\nb11 !\nb1000000000000 \"\n");
}

static void
codes_may_have_several_characters(void **state)
{
	struct buf text = {0};
	(void)state;
	for (int i = 0; i < 9000; i++)
		buf_printf(&text, "1 clk R r%d 1\n", i);
	buf_string(&text, "2 clk IT (1) 00001000 e1a00000 A svc_s : nop\n");
	struct buf out = convert(open_bytes(&text, "tarmac", NULL, false), "vcd", NULL, NULL);
	/* 94 codes of one character, 94 * 94 of two. */
	assert_non_null(strstr(buf_text(&out), " ~ r93 $end\n"));
	assert_non_null(strstr(buf_text(&out), " !! r94 $end\n"));
	assert_non_null(strstr(buf_text(&out), " \"! r95 $end\n"));
	assert_non_null(strstr(buf_text(&out), " ~~ r8929 $end\n"));
	assert_non_null(strstr(buf_text(&out), " !!! r8930 $end\n"));
	buf_free(&out);
	buf_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_written_by_scope_and_time),
		cmocka_unit_test(record_numbers_serve_as_time),
		cmocka_unit_test(times_never_go_back),
		cmocka_unit_test(codes_may_have_several_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
