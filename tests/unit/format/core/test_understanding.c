/* SPDX-License-Identifier: MIT */
/*
 * What readers report of texts that they do not understand, or only in part: dialects of logs
 * as other programs wrote them, with counts by hand.
 */
#include "trace_help.h"

#define SPIKE "core   0: 3 0x0000000000001000 (0x00000013)\n"
#define TARMAC "1 clk cpu0 IT (1) 00001000 e1a00000 A svc_s : nop\n"

/* A text, and what is reported of it. */
struct text_case {
	const char *format; /* NULL: by detection */
	const char *text;
	const char *code; /* of the finding; NULL: none is expected */
	uint64_t count;
	const char *message;
	enum poly_understanding understanding;
};

static const struct text_case texts[] = {
	/* System emulation of RISC-V prints a line between IN: and the instructions. */
	{.format = NULL,
		.text = "----------------\nIN: \nPriv: 3; Virt: 0\n"
			"0x80000000:  00000297          auipc   t0,0\n"
			"0x80000004:  00000073          ecall\n\n"
			"Trace 0: 0x7f0000000100 [00000000/80000000/00209003/ff000200] \n"
			"Trace 0: 0x7f0000000100 [00000000/80000000/00209003/ff000200] \n"
			"Trace 0: 0x7f0000000100 [00000000/80000000/00209003/ff000200] \n",
		.code = "TXT1",
		.count = 3,
		.message = "line 3: 'Priv: 3; Virt: 0' is not a line of the log",
		.understanding = POLY_NOT_UNDERSTOOD},
	/* Only translations, no executions. */
	{.format = "qemu-log",
		.text = "----------------\nIN: \n0x00001000:  c3   retq\n\n",
		.code = "G04",
		.count = 1,
		.message = "no block was executed; record with -d in_asm,exec",
		.understanding = POLY_UNDERSTOOD},
	/* execlog with reg=...; the second line has an access and its device alone. */
	{.format = "qemu-log",
		.text = "0, 0xa14, 0xf2400408, \"movw r4, #8\", r4 -> 0x00000008\n"
			"0, 0xa18, 0xf94f86a1, \"ldr r1, [r0]\", load, 0x00010004, RAM\n"
			"0, 0xa18, 0xf94f86a1, \"ldr r1, [r0]\", load, 0x00010004, r1 -> 0x42\n"
			"0, 0xa1a, 0xe7fe, \"b #0xa1a\"\n",
		.code = "TXT2",
		.count = 2,
		.message = "line 1: '0, 0xa14, 0xf2400408, \"movw r4, #8\", r4 -> 0x00000008' "
			   "has more than an instruction and its accesses",
		.understanding = POLY_PARTLY_READ},
	/* The first record with a value has no time, so that its unit is not known. */
	{.format = "tarmac",
		.text = "     114000 tic ES  EXC [1] Reset\n                    R R0 00000000\n"
			"     114100 tic ES  (00020162:bf00) T thread_s:         NOP\n",
		.code = "TXT2",
		.count = 2,
		.message = "line 1: '114000 tic ES  EXC [1] Reset' has a time that cannot be "
			   "converted to the trace's unit",
		.understanding = POLY_PARTLY_READ},
	/* Two records on one line; flags and a mode after a value are annotations. */
	{.format = "tarmac",
		.text = TARMAC "2 clk R R1 00       ST 200016c0 00...... ........ ........\n"
			       "3 clk R cpsr 600001d3 _ZC_ (svc)\n",
		.code = "TXT2",
		.count = 1,
		.message = "line 2: '2 clk R R1 00       ST 200016c0 00...... ........ "
			   "........' has more than a register and its value",
		.understanding = POLY_PARTLY_READ},
	/* The tracer of CVA6's files trace_hart. */
	{.format = "riscv-log",
		.text = SPIKE
		"      88 0x80000000 M (0x00000297) auipc\tt0, 0x0 \x1b[31m\xff\n",
		.code = "TXT1",
		.count = 1,
		.message = "line 2: '88 0x80000000 M (0x00000297) auipc\\x09t0, 0x0 "
			   "\\x1b[31m\\xff' is not a record of the dialect spike",
		.understanding = POLY_NOT_UNDERSTOOD},
	/* A load of a capability: the upper half follows the lower one. */
	{.format = "riscv-log",
		.text = "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory\n"
			"10\t1\t80\t52283\tlw\tx5\tx5=0xa5+0x1\n",
		.code = "TXT2",
		.count = 1,
		.message = "line 2: '10\\x091\\x0980\\x0952283\\x09lw\\x09x5\\x09x5=0xa5+0x1' "
			   "has the upper half of a capability, which is ignored",
		.understanding = POLY_PARTLY_READ},
	/* Warnings of Spike's compiler of device trees, and blank lines. */
	{.format = "riscv-log",
		.text = "<stdin>:20.39-24.9: Warning (interrupt_provider): /cpus\n\n" SPIKE,
		.understanding = POLY_UNDERSTOOD},
	{.format = "lackey",
		.text = "==1== Lackey, an example Valgrind tool\n\nI  04016d90,3\n",
		.understanding = POLY_UNDERSTOOD},
	{.format = "din", .text = "0 1000\n1 2000\n2 400\n", .understanding = POLY_UNDERSTOOD},
};

static void
read_all(struct poly_reader *reader)
{
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
}

static void
what_is_not_read_is_reported_with_its_first_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const struct text_case *each = &texts[i];
		struct buf bytes = bytes_of(each->text);
		/* Also without the option check. */
		struct poly_reader *reader = open_bytes(&bytes, each->format, NULL, false);
		struct poly_finding finding;
		read_all(reader);
		assert_int_equal(poly_reader_understanding(reader), each->understanding);
		assert_int_equal(
			poly_reader_finding_at(reader, 0, &finding), each->code != NULL);
		if (each->code) {
			assert_string_equal(finding.rule->code, each->code);
			assert_int_equal(finding.rule->severity, POLY_WARNING);
			assert_int_equal(finding.count, each->count);
			assert_string_equal(finding.message, each->message);
		}
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

/* Opens lines of Spike of which one line per interval is text. */
static struct poly_reader *
open_mixed(struct buf *bytes, unsigned lines, unsigned interval,
	const struct poly_read_options *options)
{
	struct poly_reader *reader;
	for (unsigned i = 1; i <= lines; i++)
		buf_string(bytes, i % interval ? SPIKE : "text\n");
	assert_int_equal(
		poly_reader_open_memory(bytes->data, bytes->size, options, &reader, NULL),
		POLY_OK);
	return reader;
}

static void
one_line_in_a_hundred_may_be_something_else(void **state)
{
	(void)state;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "riscv-log";
	for (unsigned interval = 99; interval <= 100; interval++) {
		struct buf bytes = {0};
		struct poly_reader *reader =
			open_mixed(&bytes, 100 * interval, interval, &options);
		read_all(reader);
		assert_int_equal(poly_reader_understanding(reader),
			interval < 100 ? POLY_NOT_UNDERSTOOD : POLY_UNDERSTOOD);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

/* The lines that are compared are those of the records that were requested. */
static void
selected_records_are_judged_alone(void **state)
{
	(void)state;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "riscv-log";
	for (unsigned skip = 0; skip < 10; skip += 8) {
		struct buf bytes = {0};
		struct poly_finding finding;
		options.skip = skip;
		options.count = 5;
		struct poly_reader *reader = open_mixed(&bytes, 1000, 10, &options);
		read_all(reader);
		assert_int_equal(poly_reader_understanding(reader),
			skip ? POLY_NOT_UNDERSTOOD : POLY_UNDERSTOOD);
		assert_int_equal(poly_reader_finding_at(reader, 0, &finding), skip != 0);
		if (skip)
			assert_int_equal(finding.count, 1);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

/* Ibex before 2024 printed stores of loads. Such lines repeat, and are counted all the same. */
static void
lines_that_are_partly_read_are_never_predicted(void **state)
{
	(void)state;
	enum { LINES = 3000 };
	struct buf bytes =
		bytes_of("Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory\n");
	struct poly_finding finding;
	for (unsigned i = 0; i < LINES; i++) {
		char line[200];
		snprintf(line, sizeof line,
			"%u\t%u\t000081da\t3d852283\tlw\tx5,984(x10)\t x10:0x30134000  "
			"x5=0x00000000 PA:0x%08x store:0x00000000\n",
			100 + i, 10 + i, 0x30134000 + 4 * i);
		buf_string(&bytes, line);
	}
	struct poly_reader *reader = open_bytes(&bytes, "riscv-log", NULL, false);
	read_all(reader);
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_string_equal(finding.rule->code, "TXT2");
	assert_int_equal(finding.count, LINES);
	assert_non_null(strstr(finding.message, "is a load that states a store"));
	assert_int_equal(poly_reader_understanding(reader), POLY_PARTLY_READ);
	poly_reader_close(reader);
	buf_free(&bytes);
}

/* Several threads decode long inputs; text may be in any chunk. */
static void
threads_report_the_same_lines(void **state)
{
	(void)state;
	enum { LINES = 100000, INTERVAL = 50 };
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "riscv-log";
	for (options.threads = 1; options.threads <= 3; options.threads += 2) {
		struct buf bytes = {0};
		struct poly_finding finding;
		struct poly_reader *reader = open_mixed(&bytes, LINES, INTERVAL, &options);
		read_all(reader);
		assert_true(poly_reader_finding_at(reader, 4, &finding));
		assert_int_equal(finding.count, LINES / INTERVAL);
		assert_string_equal(finding.message,
			"line 250: 'text' is not a record of the dialect spike");
		assert_int_equal(poly_reader_understanding(reader), POLY_NOT_UNDERSTOOD);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_read_is_reported_with_its_first_line),
		cmocka_unit_test(one_line_in_a_hundred_may_be_something_else),
		cmocka_unit_test(selected_records_are_judged_alone),
		cmocka_unit_test(lines_that_are_partly_read_are_never_predicted),
		cmocka_unit_test(threads_report_the_same_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
