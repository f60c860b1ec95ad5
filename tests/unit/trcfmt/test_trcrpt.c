/* SPDX-License-Identifier: MIT */
/*
 * Reports of AIX traces, against lines that stand in the documents (AIX trace reference 7.2)
 * and lines laid out by hand from its table of columns.
 */
#include "test_help.h"

#include "polytrace/reader.h"
#include "polytrace/trcrpt.h"

/* Templates of the published lines. The words of 119 and 101 are this test's own. */
static const char templates_text[] =
	"101 1.0 L=SVC \"@SYSTEM CALL\" $SVC \"LR = \" $D2%X4\n"
	"119 1.0 L=KERN \"@PIDSIG\" O2.0 \"pidsig:   pid=\" D4 \"signal=\" "
	"D4, 15 \"SIGTERM\" \"lr=\" $D3\n"
	"134 1.0 L=SVC \"@EXEC\" \"exec\"\n"
	"106 1.0 L=KERN \"DISPATCH\"\n"
	"0F0 1.0 L=APPL \"one\" \\n \"two\"\n"
	"0E0 1.0 L=APPL \"none\" $SKIP\n"
	"0D0 1.0 L=INT \"last\" $STOP\n";

#define HEADER                                                                                \
	"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"aix\",\"records\":[\"hook32\"]}" \
	"\n"

/* A row of a 32-bit event of type E. */
#define EVENT(time, thread, hook, payload)                                                    \
	"{\"record\":\"hook32\",\"time\":" #time ",\"thread\":" #thread ",\"hook\":\"0x" hook \
	"\",\"subhook\":\"0x0\",\"hook_type\":\"0xe\",\"payload\":\"" payload "\"}\n"

/* Process 17432792 (10a00d8), thread 100, runs ksh. */
#define KSH                                                                                \
	"{\"record\":\"hook32\",\"time\":1000,\"thread\":3,\"hook\":\"0xa0\",\"subhook\":" \
	"\"0x8\",\"hook_type\":\"0x8\",\"payload\":\"00000001010a00d86b736800\"}\n"
#define DISPATCH(time) EVENT(time, 100, "1060", "010a00d800000064")
/* pid=15990802, signal 15, lr E5D44. */
#define SIGNAL(time) EVENT(time, 100, "1190", "00f400120000000f000e5d44")

static struct poly_templates *
templates(void)
{
	struct poly_templates *made;
	struct poly_error error;
	if (poly_templates_parse(templates_text, strlen(templates_text), NULL, &made, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	return made;
}

static struct poly_reader *
open_rows(const char *rows)
{
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "jsonl";
	need_library("jansson");
	assert_int_equal(
		poly_reader_open_memory(rows, strlen(rows), &options, &reader, NULL), POLY_OK);
	return reader;
}

/* The report of up to two traces by a number of threads. */
static struct buf
report_by(unsigned threads, const char *first, const char *second,
	const struct poly_trcrpt_options *options)
{
	struct poly_trcrpt_options changed = *options;
	changed.thread_count = threads;
	if (threads > 1)
		changed.found = NULL;
	struct buf out = {0};
	struct poly_templates *set = templates();
	struct poly_reader *readers[2] = {open_rows(first), second ? open_rows(second) : NULL};
	static const char *const names[] = {"first", "second"};
	struct poly_source sources[2] = {poly_reader_source(readers[0])};
	if (second)
		sources[1] = poly_reader_source(readers[1]);
	const struct poly_trcrpt_inputs inputs = {
		.sources = sources, .names = names, .count = second ? 2 : 1};
	const struct poly_sink sink = {collect, &out};
	struct poly_trcrpt *report;
	struct poly_error error;
	if (poly_trcrpt_new(set, &changed, &report, &error) != POLY_OK)
		fail_msg("%s", error.message);
	if (poly_trcrpt_write(report, &inputs, &sink, &error) != POLY_OK)
		fail_msg("%s", error.message);
	poly_trcrpt_free(report);
	poly_reader_close(readers[0]);
	poly_reader_close(readers[1]);
	poly_templates_free(set);
	return out;
}

/* The report of up to two traces, which does not depend on the number of threads. */
static struct buf
report_of(const char *first, const char *second, const struct poly_trcrpt_options *options)
{
	struct buf one = report_by(1, first, second, options);
	for (unsigned threads = 2; threads <= 4; threads += 2) {
		struct buf many = report_by(threads, first, second, options);
		assert_string_equal(buf_text(&many), buf_text(&one));
		buf_free(&many);
	}
	return one;
}

static void
expect_of(const char *first, const char *second, const struct poly_trcrpt_options *options,
	const char *expected)
{
	struct buf out = report_of(first, second, options);
	assert_string_equal(buf_text(&out), expected);
	buf_free(&out);
}

/* The report of rows without header. */
static void
expect(const char *rows, const char *settings, const char *expected)
{
	const char *const list[] = {settings, NULL};
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	options.settings = settings ? list : NULL;
	options.no_header = true;
	expect_of(rows, NULL, &options, expected);
}

/* The one line of which the blanks are published (support page 887097). */
static void
the_published_line_is_printed_byte_for_byte(void **state)
{
	(void)state;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *const list[] = {"exec=on,pid=on,svc=on,timestamp=1", NULL};
	options.settings = list;
	options.only = "119";
	options.no_header = true;
	expect_of(HEADER KSH DISPATCH(2000) SIGNAL(8405182000), NULL, &options,
		"119  ksh            17432792                  8.405181                   "
		"pidsig:   pid=15990802 signal=SIGTERM lr=E5D44\n");
}

/* The heading's words stand where the columns of that line do: APPL at 57, KERNEL at 73. */
static void
the_heading_stands_over_its_columns(void **state)
{
	(void)state;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *const list[] = {"exec=on,pid=on,svc=on,timestamp=1", NULL};
	options.settings = list;
	expect_of(HEADER DISPATCH(5), NULL, &options,
		"Process hooks: built-in table, assumed\n\n"
		"ID   PROCESS NAME   PID      I SYSTEM CALL ELAPSED_SEC   "
		"APPL    SYSCALL KERNEL  INTERRUPT\n\n"
		"106                 17432792                  0.000000                   "
		"DISPATCH\n");
}

/* timestamp=0: seconds with 9 decimals, milliseconds with 6; 2: microseconds; 3: none. */
static void
times_are_shown_as_requested(void **state)
{
	(void)state;
	const char *rows =
		HEADER DISPATCH(1000000000) DISPATCH(1005833472) DISPATCH(1005940480);
	expect(rows, NULL,
		"106      0.000000000    0.000000                   DISPATCH\n"
		"106      0.005833472    5.833472                   DISPATCH\n"
		"106      0.005940480    0.107008                   DISPATCH\n");
	expect(rows, "timestamp=2",
		"106      0.000000000       0.000                   DISPATCH\n"
		"106      0.005833472    5833.472                   DISPATCH\n"
		"106      0.005940480     107.008                   DISPATCH\n");
	expect(rows, "timestamp=3",
		"106                     DISPATCH\n"
		"106                     DISPATCH\n"
		"106                     DISPATCH\n");
	expect(rows, "timestamp=3,ids=off",
		"                   DISPATCH\n"
		"                   DISPATCH\n"
		"                   DISPATCH\n");
}

static void
further_lines_stand_in_the_column_of_the_text(void **state)
{
	(void)state;
	const char *rows = HEADER EVENT(7, 1, "f00", "");
	expect(rows, "timestamp=3",
		"0F0     one\n"
		"        two\n");
	expect(rows, "timestamp=3,2line=on",
		"0F0\n"
		"        one\n"
		"        two\n");
	expect(rows, "timestamp=3,aix.columns=gap:1", "0F0   one\n      two\n");
}

/* As polytrace-aix(5) has the least of JSON Lines. */
static void
rows_without_more_than_their_hook_are_events(void **state)
{
	(void)state;
	expect("{\"hook\":\"0x1190\",\"time\":1,\"payload\":\"00f400120000000f000e5d44\"}\n"
	       "{\"hook\":\"0x1234\",\"subhook\":\"0x2\",\"time\":2}\n",
		"timestamp=3",
		"119                     pidsig:   pid=15990802 signal=SIGTERM lr=E5D44\n"
		"007     UNDEFINED TRACE ID 1234 hookword=0000000012340002\n");
}

static void
headings_are_repeated_and_levels_coloured(void **state)
{
	(void)state;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *const list[] = {"timestamp=3,pagesize=2", NULL};
	options.settings = list;
	options.color = true;
	expect_of(HEADER EVENT(1, 1, "f00", "") EVENT(2, 1, "1340", ""), NULL, &options,
		"ID      APPL    SYSCALL KERNEL  INTERRUPT\n\n"
		"0F0     one\n"
		"        two\n"
		"\n"
		"ID      APPL    SYSCALL KERNEL  INTERRUPT\n\n"
		"134             \033[36mexec\033[0m\n");
}

static void
hooks_are_counted_for_the_histogram(void **state)
{
	(void)state;
	expect(HEADER DISPATCH(1) SIGNAL(2) DISPATCH(3), "hist=on",
		"106            2 DISPATCH\n"
		"119            1 PIDSIG\n");
}

/* From 1 us to 2 us after the first event, both included. */
static void
a_window_of_time_is_shown(void **state)
{
	(void)state;
	expect(HEADER DISPATCH(5000) DISPATCH(5999) DISPATCH(6000) DISPATCH(7000)
			DISPATCH(7001),
		"starttime=0.000001,endtime=0.000002",
		"106      0.000001000    0.000000                   DISPATCH\n"
		"106      0.000002000    0.001000                   DISPATCH\n");
}

static void
registers_and_inputs_left_have_columns(void **state)
{
	(void)state;
	const char *rows = HEADER
		"{\"record\":\"hook32\",\"time\":1,\"hook\":\"0x1060\",\"hook_type\":\"0xe\","
		"\"counters\":\"00000000000000ff0000000000000001\"}\n";
	expect(rows, "timestamp=3,PURR=on,reportedcpus=on",
		"106  1    00000000000000FF                    DISPATCH\n");
}

/* Control characters in names and texts of a trace do not reach a terminal. */
static void
control_characters_of_the_trace_are_shown_as_full_stops(void **state)
{
	(void)state;
	expect(HEADER "{\"record\":\"hook32\",\"time\":1,\"thread\":3,\"hook\":\"0x1340\","
		      "\"subhook\":\"0x9\",\"hook_type\":\"0x8\",\"payload\":"
		      "\"00000007000000031b5b6d6100\"}\n",
		"timestamp=3,exec=on", "134  .[ma                      exec\n");
}

/* Skipped events are not shown, but count for time; after $STOP nothing is shown. */
static void
templates_skip_and_stop(void **state)
{
	(void)state;
	const char *rows = HEADER DISPATCH(1) EVENT(2, 1, "e00", "") DISPATCH(3)
		EVENT(4, 1, "d00", "") DISPATCH(5);
	expect(rows, "timestamp=2",
		"106      0.000000000       0.000                   DISPATCH\n"
		"106      0.000000002       0.002                   DISPATCH\n");
	expect(rows, "timestamp=2,aix.delta=all",
		"106      0.000000000       0.000                   DISPATCH\n"
		"106      0.000000002       0.001                   DISPATCH\n");
	/* The $STOP of an event that is not selected has no effect. */
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *const list[] = {"timestamp=3", NULL};
	options.settings = list;
	options.no_header = true;
	options.except = "0D0";
	expect_of(HEADER DISPATCH(1) EVENT(2, 1, "d00", "") DISPATCH(3), NULL, &options,
		"106                     DISPATCH\n"
		"106                     DISPATCH\n");
}

static void
a_hook_without_template_is_undefined_and_dumped(void **state)
{
	(void)state;
	const char *rows =
		HEADER EVENT(1, 1, "1234", "000000010000000200000003000000040000000f");
	expect(rows, "timestamp=3",
		"007     UNDEFINED TRACE ID 1234 hookword=123E0000\n"
		"        00000001 00000002 00000003 00000004\n"
		"        0000000F\n");
	expect(rows, "timestamp=3,aix.undefined=skip", "");
}

/* 38186ccd: Thu Oct 28 1999, 15:33:33 UTC, as date(1) prints it. */
static void
the_facilitys_own_hooks_have_texts_without_templates(void **state)
{
	(void)state;
	const char *rows =
		HEADER "{\"record\":\"hook32\",\"time\":5,\"thread\":1,\"hook\":\"0x10\","
		       "\"subhook\":\"0x2\",\"hook_type\":\"0xa\",\"payload\":\"38186ccd\"}\n"
		       "{\"record\":\"hook32\",\"time\":7,\"thread\":1,\"hook\":\"0x60\","
		       "\"subhook\":\"0x3\",\"hook_type\":\"0xa\",\"payload\":\"0000000c\"}\n"
		       "{\"record\":\"hook32\",\"time\":9,\"thread\":1,\"hook\":\"0x20\","
		       "\"subhook\":\"0x2\",\"hook_type\":\"0x9\"}\n";
	expect(rows, "timestamp=3",
		"001     TRACE ON channel 2\n"
		"        Thu Oct 28 15:33:33 1999\n"
		"006     TRACEBUFFER WRAPAROUND 3 12 missed entries\n"
		"002     TRACE OFF channel 2\n");
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *const list[] = {"timestamp=3,aix.tz=+0130", NULL};
	options.settings = list;
	options.wall = true;
	options.only = "002";
	expect_of(rows, NULL, &options,
		"Thu Oct 28 17:03:33 1999\n\n"
		"ID   TIME OF DAY                      APPL    SYSCALL KERNEL  INTERRUPT\n\n"
		"002  1999-10-28 17:03:33.000000004    TRACE OFF channel 2\n");
	options.end = "102817033299";
	options.wall = false;
	options.no_header = true;
	expect_of(rows, NULL, &options, "");
	options.end = "102817033399";
	expect_of(rows, NULL, &options, "002     TRACE OFF channel 2\n");
}

/* Reference aix 4.8: 000 is shown by template 004, "TRACEID IS ZERO hookword= file= index=". */
static void
a_hook_id_of_zero_is_shown_by_template_004(void **state)
{
	(void)state;
	const char *rows =
		HEADER "{\"record\":\"hook32\",\"time\":5,\"thread\":1,\"hook\":\"0x0\","
		       "\"subhook\":\"0x2a\",\"hook_type\":\"0x9\"}\n";
	expect(rows, "timestamp=3",
		"004     TRACEID IS ZERO hookword=0009002A file=first index=70\n");
	struct poly_templates *set;
	struct poly_trcrpt *report;
	struct buf out = {0};
	const char *const list[] = {"timestamp=3", NULL};
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	options.settings = list;
	options.no_header = true;
	struct poly_reader *reader = open_rows(rows);
	const char *const name = "first";
	const struct poly_source source = poly_reader_source(reader);
	const struct poly_trcrpt_inputs inputs = {
		.sources = &source, .names = &name, .count = 1};
	const struct poly_sink sink = {collect, &out};
	const char text[] = "004 1.0 L=KERN \"zero\" X2\n";
	assert_int_equal(
		poly_templates_parse(text, sizeof text - 1, NULL, &set, NULL), POLY_OK);
	assert_int_equal(poly_trcrpt_new(set, &options, &report, NULL), POLY_OK);
	assert_int_equal(poly_trcrpt_write(report, &inputs, &sink, NULL), POLY_OK);
	assert_string_equal(buf_text(&out), "004                     zero002A\n");
	poly_trcrpt_free(report);
	poly_reader_close(reader);
	poly_templates_free(set);
	buf_free(&out);
}

static void
traces_are_merged_by_time_and_keep_their_order(void **state)
{
	(void)state;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *const list[] = {"timestamp=2,filename=on", NULL};
	options.settings = list;
	options.no_header = true;
	expect_of(HEADER DISPATCH(10) DISPATCH(20) DISPATCH(40),
		HEADER EVENT(20, 1, "1340", "") EVENT(30, 1, "1340", ""), &options,
		"106  first               0.000000000       0.000                   DISPATCH\n"
		"106  first               0.000000010       0.010                   DISPATCH\n"
		"134  second              0.000000010       0.000           exec\n"
		"134  second              0.000000020       0.010           exec\n"
		"106  first               0.000000030       0.010                   "
		"DISPATCH\n");
	const char *const twins[] = {"timestamp=2,removedups=on", NULL};
	options.settings = twins;
	expect_of(HEADER DISPATCH(10) DISPATCH(20), HEADER DISPATCH(10) DISPATCH(21), &options,
		"106      0.000000000       0.000                   DISPATCH\n"
		"106      0.000000010       0.010                   DISPATCH\n"
		"106      0.000000011       0.001                   DISPATCH\n");
}

/* Inputs i from 0 to 8 have events at i % 4, i % 4 + 3 and i % 4 + 6 ns. */
static void
many_traces_are_merged_by_time_and_keep_their_order(void **state)
{
	enum { INPUTS = 9, TIMES = 10 };
	static const char *const names[INPUTS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
	struct poly_reader *readers[INPUTS];
	struct buf rows[INPUTS] = {0}, out = {0}, expected = {0};
	(void)state;
	for (unsigned i = 0; i < INPUTS; i++) {
		buf_string(&rows[i], HEADER);
		for (unsigned k = 0; k < 3; k++)
			buf_printf(&rows[i],
				"{\"record\":\"hook32\",\"time\":%u,\"hook\":\"0x1060\","
				"\"hook_type\":\"0x9\"}\n",
				i % 4 + 3 * k);
		readers[i] = open_rows(buf_text(&rows[i]));
	}
	for (unsigned time = 0; time < TIMES; time++) {
		for (unsigned i = 0; i < INPUTS; i++) {
			if (time >= i % 4 && (time - i % 4) % 3 == 0 && time - i % 4 < 9)
				buf_printf(&expected, "%u        0.00000000%u", i, time);
		}
	}
	const char *const list[] = {"ids=off,filename=on,aix.columns=filename:5", NULL};
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	struct poly_source sources[INPUTS];
	for (int i = 0; i < INPUTS; i++)
		sources[i] = poly_reader_source(readers[i]);
	const struct poly_trcrpt_inputs inputs = {
		.sources = sources, .names = names, .count = INPUTS};
	const struct poly_sink sink = {collect, &out};
	struct poly_templates *set = templates();
	struct poly_trcrpt *report;
	struct buf found = {0};
	options.settings = list;
	options.no_header = true;
	assert_int_equal(poly_trcrpt_new(set, &options, &report, NULL), POLY_OK);
	assert_int_equal(poly_trcrpt_write(report, &inputs, &sink, NULL), POLY_OK);
	for (const char *line = buf_text(&out); *line; line = strchr(line, '\n') + 1)
		buf_append(&found, line, 20); /* the columns of file and seconds */
	assert_string_equal(buf_text(&found), buf_text(&expected));
	poly_trcrpt_free(report);
	poly_templates_free(set);
	buf_free(&found);
	buf_free(&out);
	buf_free(&expected);
	for (unsigned i = 0; i < INPUTS; i++) {
		poly_reader_close(readers[i]);
		buf_free(&rows[i]);
	}
}

/* Which of five events an option leaves: their hooks. */
static void
expect_selected(const struct poly_trcrpt_options *given, const char *expected)
{
	struct poly_trcrpt_options options = *given;
	const char *const list[] = {"timestamp=3,aix.columns=gap:1", NULL};
	options.settings = list;
	options.no_header = true;
	struct buf out = report_of(HEADER KSH DISPATCH(2000) SIGNAL(3000)
					   EVENT(3000, 7, "1340", "0000000100000007")
						   EVENT(4000, 7, "0f00", "00000020"),
		NULL, &options);
	struct buf hooks = {0};
	for (const char *line = buf_text(&out); *line; line = strchr(line, '\n') + 1) {
		if (*line != ' ')
			buf_printf(&hooks, "%.3s ", line);
	}
	assert_string_equal(buf_text(&hooks), expected);
	buf_free(&hooks);
	buf_free(&out);
}

static void
events_are_selected(void **state)
{
	(void)state;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	expect_selected(&options, "106 119 134 0F0 ");
	options.only = "119,0f0";
	expect_selected(&options, "119 0F0 ");
	options.only = "1";
	struct poly_trcrpt *report;
	struct poly_error error;
	struct poly_templates *set = templates();
	assert_int_equal(poly_trcrpt_new(set, &options, &report, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "invalid hook '1' (expected two to four hexadecimal digits)");
	options.only = "0f,1190";
	options.except = "119";
	expect_selected(&options, "0F0 ");
	options = (struct poly_trcrpt_options)POLY_TRCRPT_OPTIONS_INIT;
	options.except_groups = "mine";
	static const char groups[] = "other: 0F0\nmine: 106,134\n";
	options.groups = (struct poly_trcrpt_text){groups, sizeof groups - 1, "groups"};
	expect_selected(&options, "119 0F0 ");
	options = (struct poly_trcrpt_options)POLY_TRCRPT_OPTIONS_INIT;
	options.processes = "ksh";
	expect_selected(&options, "106 119 ");
	options.processes = "1 17432792";
	expect_selected(&options, "106 119 134 0F0 ");
	options.processes = "1";
	expect_selected(&options, "134 0F0 ");
	options = (struct poly_trcrpt_options)POLY_TRCRPT_OPTIONS_INIT;
	options.threads = "!100";
	expect_selected(&options, "134 0F0 ");
	options.threads = "100";
	expect_selected(&options, "106 119 ");
	options = (struct poly_trcrpt_options)POLY_TRCRPT_OPTIONS_INIT;
	const char *const data[] = {"1=0x20", NULL};
	options.data = data;
	expect_selected(&options, "0F0 ");
	options.data = NULL;
	options.match = "sigTERM";
	expect_selected(&options, "");
	options.match = "SIGTERM lr";
	expect_selected(&options, "119 ");
	poly_templates_free(set);
}

static void
events_become_objects_and_lines_of_csv(void **state)
{
	(void)state;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const char *rows = HEADER KSH DISPATCH(2000) SIGNAL(3500) EVENT(4000, 7, "f00", "");
	options.form = POLY_TRCRPT_JSON;
	options.only = "119,0f0";
	options.date = "2026-11-21 20:00:00";
	expect_of(rows, NULL, &options,
		"{\"id\":\"119\",\"label\":\"PIDSIG\",\"elapsed\":0.000002500,\"delta\":"
		"0.000000000,\"time\":\"2026-11-21 20:00:00.000002500\",\"cpu\":0,\"pid\":"
		"17432792,\"tid\":100,\"process\":\"ksh\",\"depth\":0,\"level\":\"KERN\","
		"\"file\":\"first\",\"text\":\"pidsig:   pid=15990802 signal=SIGTERM "
		"lr=E5D44\"}\n"
		"{\"id\":\"0F0\",\"label\":\"one\",\"elapsed\":0.000003000,\"delta\":"
		"0.000000500,\"time\":\"2026-11-21 20:00:00.000003000\",\"tid\":7,\"depth\":0,"
		"\"level\":\"APPL\",\"file\":\"first\",\"text\":\"one\\ntwo\"}\n");
	options.form = POLY_TRCRPT_CSV;
	options.only = "0f0";
	options.date = NULL;
	expect_of(rows, NULL, &options,
		"id,label,elapsed,delta,time,cpu,pid,tid,process,syscall,depth,level,file,"
		"text\n"
		"0F0,one,0.000003000,0.000000000,,,,7,,,0,APPL,first,\"one\ntwo\"\n");
}

/* Findings as "L08 count hook" words. */
static void
note_finding(void *user, const struct poly_rule *rule, uint64_t count, uint16_t hook,
	const char *message)
{
	(void)message;
	buf_printf(user, "%s %u %04x ", rule->code, (unsigned)count, (unsigned)hook);
}

/* Hook 00A, sub-hook 25C: ticks times m. */
#define RATE(time, m)                                                                 \
	"{\"record\":\"hook32\",\"time\":" #time                                      \
	",\"thread\":3,\"hook\":\"0xa0\",\"subhook\":\"0x1c\",\"hook_type\":\"0x8\"," \
	"\"payload\":"                                                                \
	"\"0000025c00000000" m "00000000000000010000000000000002\"}\n"

static void
another_clock_rate_is_reported(void **state)
{
	(void)state;
	struct buf found = {0};
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	options.found = note_finding;
	options.user = &found;
	options.no_header = true;
	options.only = "0E0";
	struct buf out = report_of(
		HEADER RATE(1, "00000002") RATE(2, "00000002") DISPATCH(3), NULL, &options);
	assert_string_equal(buf_text(&found), "");
	buf_free(&out);
	out = report_of(
		HEADER RATE(1, "00000002") RATE(2, "00000003") DISPATCH(3), NULL, &options);
	assert_string_equal(buf_text(&found), "L17 1 00a0 ");
	buf_free(&out);
	buf_free(&found);
}

static void
missing_templates_and_hooks_are_reported_once(void **state)
{
	(void)state;
	struct buf found = {0};
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	options.found = note_finding;
	options.user = &found;
	/* 119 reads D1 and D2, and has neither. */
	struct buf out = report_of(HEADER EVENT(1, 1, "1234", "") EVENT(2, 1, "1234", "")
					   EVENT(3, 1, "1190", "") EVENT(4, 1, "1190", ""),
		NULL, &options);
	assert_string_equal(buf_text(&found), "L08 2 1234 L09 2 1190 L12 1 0000 ");
	buf_free(&out);
	buf_free(&found);
}

static void
a_summary_adds_up(void **state)
{
	(void)state;
	struct poly_templates *set = templates();
	/*
	 * Thread 100 calls 10 from 2 to 6 us and holds a lock from 7 to 9.5; then another
	 * process runs, which is interrupted from 12.5 to 14.5, with a handler from 12.6
	 * to 13.6.
	 */
	static const char rows[] = HEADER KSH DISPATCH(2000)
		EVENT(2000, 100, "1010", "00000010") EVENT(6000, 100, "1040", "00000010") EVENT(
			7000, 100, "1120", "00000abc") EVENT(9500, 100, "1130", "00000abc")
			EVENT(12000, 9, "1060", "0000000100000009") EVENT(12500, 9, "1000", "")
				EVENT(12600, 9, "1020", "") EVENT(13600, 9, "1030", "")
					EVENT(14500, 9, "2000", "");
	struct poly_reader *reader = open_rows(rows);
	static const char *const names[] = {"first"};
	const struct poly_source source = poly_reader_source(reader);
	const struct poly_trcrpt_inputs inputs = {
		.sources = &source, .names = names, .count = 1};
	struct poly_trcrpt *report;
	struct poly_report *tree = poly_report_new();
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	assert_int_equal(poly_trcrpt_new(set, NULL, &report, NULL), POLY_OK);
	assert_int_equal(poly_trcrpt_summary(report, &inputs, tree, NULL), POLY_OK);
	assert_int_equal(poly_report_render(tree, POLY_RENDER_CSV, &sink, NULL), POLY_OK);
	const char *text = buf_text(&out);
	assert_non_null(strstr(text, "\ntrace,events,11\n"));
	assert_non_null(strstr(text, "\nhooks,106,DISPATCH,2,0.18181818181818182\n"));
	/* ksh from 2 to 12 us: its five events; the rest has no process. */
	assert_non_null(strstr(text, "\nprocesses,17432792,ksh,1,5,1e-05\n"));
	assert_non_null(strstr(text, "\nprocesses,1,,1,5,2.5e-06\n"));
	assert_non_null(strstr(text, "\nsystem_calls,10,1,1,4,4,4,4\n"));
	assert_non_null(strstr(text, "\nlatencies,10,4,8,1\n"));
	assert_non_null(strstr(text, "\ninterrupts,first level (100 to 200),1,2,2,2,2\n"
				     "interrupts,second level (102 to 103),1,1,1,1,1\n"));
	assert_non_null(strstr(text, "\nlocks,0x00000abc,1,1,2.5,2.5,2.5,2.5\n"));
	poly_report_free(tree);
	poly_trcrpt_free(report);
	poly_reader_close(reader);
	poly_templates_free(set);
	buf_free(&out);
}

static void
expect_setting(const char *setting, const char *message)
{
	const char *const list[] = {setting, NULL};
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	struct poly_templates *set = templates();
	struct poly_trcrpt *report;
	struct poly_error error;
	options.settings = list;
	assert_int_equal(poly_trcrpt_new(set, &options, &report, &error), POLY_ERR_USAGE);
	assert_null(report);
	assert_string_equal(error.message, message);
	poly_templates_free(set);
}

static void
wrong_settings_are_refused(void **state)
{
	(void)state;
	expect_setting("exec=yes", "invalid setting 'exec=yes' (expected exec=on|off)");
	expect_setting("exec", "invalid setting 'exec' (expected exec=on|off)");
	expect_setting("pid=on,color=on", "unknown setting 'color=on'; see options.settings");
	expect_setting(
		"timestamp=4", "invalid setting 'timestamp=4' (expected timestamp=0..3)");
	expect_setting(
		"pagesize=501", "invalid setting 'pagesize=501' (expected pagesize=0..500)");
	expect_setting("starttime=1.0000000001",
		"invalid setting 'starttime=1.0000000001' (expected starttime=S)");
	expect_setting("aix.columns=exec:201",
		"invalid setting 'aix.columns=exec:201' (expected aix.columns=NAME:WIDTH)");
	expect_setting("aix.tz=+1500",
		"invalid setting 'aix.tz=+1500' (expected aix.tz=utc|local|+hhmm|-hhmm)");
}

static void
a_sink_that_fails_ends_the_report(void **state)
{
	(void)state;
	struct poly_templates *set = templates();
	struct poly_reader *reader = open_rows(HEADER DISPATCH(1));
	static const char *const names[] = {"first"};
	const struct poly_source source = poly_reader_source(reader);
	const struct poly_trcrpt_inputs inputs = {
		.sources = &source, .names = names, .count = 1};
	const struct poly_sink sink = {refuse, NULL};
	struct poly_trcrpt *report;
	struct poly_error error;
	assert_int_equal(poly_trcrpt_new(set, NULL, &report, NULL), POLY_OK);
	assert_int_equal(poly_trcrpt_write(report, &inputs, &sink, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	assert_true(poly_trcrpt_failed(report) >= 1);
	poly_trcrpt_free(report);
	poly_reader_close(reader);
	poly_templates_free(set);
}

/* A report that is written, or whose summary is. */
struct reporting {
	struct poly_templates *set;
	struct poly_reader *reader;
	bool is_summary;
};

static void
open_reporting(void *context)
{
	struct reporting *reporting = context;
	reporting->reader =
		open_rows(HEADER KSH DISPATCH(2000) SIGNAL(3000) EVENT(4000, 7, "1234", "00"));
}

static enum poly_status
write_report(void *context)
{
	static const char *const names[] = {"first"}, *const list[] = {"exec=on,svc=on", NULL};
	const struct reporting *reporting = context;
	struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
	const struct poly_source source = poly_reader_source(reporting->reader);
	const struct poly_trcrpt_inputs inputs = {
		.sources = &source, .names = names, .count = 1};
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	struct poly_trcrpt *report;
	struct poly_report *tree = reporting->is_summary ? poly_report_new() : NULL;
	options.settings = list;
	options.processes = "ksh 1";
	options.match = "a";
	enum poly_status status = poly_trcrpt_new(reporting->set, &options, &report, NULL);
	if (status == POLY_OK && reporting->is_summary)
		status = tree ? poly_trcrpt_summary(report, &inputs, tree, NULL)
			      : POLY_ERR_MEMORY;
	else if (status == POLY_OK)
		status = poly_trcrpt_write(report, &inputs, &sink, NULL);
	if (status == POLY_OK && tree)
		status = poly_report_render(tree, POLY_RENDER_TEXT, &sink, NULL);
	poly_trcrpt_free(report);
	poly_report_free(tree);
	return status;
}

static void
close_reporting(void *context)
{
	poly_reader_close(((struct reporting *)context)->reader);
}

static void
lack_of_memory_is_reported_and_leaks_nothing(void **state)
{
	struct reporting reporting = {.set = templates()};
	(void)state;
	for (int i = 0; i < 2; i++) {
		reporting.is_summary = i;
		law_memory_as(&(struct memory_law){.run = write_report,
			.prepare = open_reporting,
			.release = close_reporting,
			.context = &reporting});
	}
	poly_templates_free(reporting.set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_line_is_printed_byte_for_byte),
		cmocka_unit_test(the_heading_stands_over_its_columns),
		cmocka_unit_test(times_are_shown_as_requested),
		cmocka_unit_test(further_lines_stand_in_the_column_of_the_text),
		cmocka_unit_test(headings_are_repeated_and_levels_coloured),
		cmocka_unit_test(hooks_are_counted_for_the_histogram),
		cmocka_unit_test(a_window_of_time_is_shown),
		cmocka_unit_test(registers_and_inputs_left_have_columns),
		cmocka_unit_test(control_characters_of_the_trace_are_shown_as_full_stops),
		cmocka_unit_test(rows_without_more_than_their_hook_are_events),
		cmocka_unit_test(templates_skip_and_stop),
		cmocka_unit_test(a_hook_without_template_is_undefined_and_dumped),
		cmocka_unit_test(the_facilitys_own_hooks_have_texts_without_templates),
		cmocka_unit_test(a_hook_id_of_zero_is_shown_by_template_004),
		cmocka_unit_test(traces_are_merged_by_time_and_keep_their_order),
		cmocka_unit_test(many_traces_are_merged_by_time_and_keep_their_order),
		cmocka_unit_test(events_are_selected),
		cmocka_unit_test(events_become_objects_and_lines_of_csv),
		cmocka_unit_test(missing_templates_and_hooks_are_reported_once),
		cmocka_unit_test(another_clock_rate_is_reported),
		cmocka_unit_test(a_summary_adds_up),
		cmocka_unit_test(wrong_settings_are_refused),
		cmocka_unit_test(a_sink_that_fails_ends_the_report),
		cmocka_unit_test(lack_of_memory_is_reported_and_leaks_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
