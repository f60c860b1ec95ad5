/* SPDX-License-Identifier: MIT */
/*
 * QEMU4V and Tarmac written by several threads: bytes, notes and failures are those of one
 * thread. Random rows have neither all times nor all numbers, are dropped, or keep their lines.
 */
#include "trace_help.h"

#define ROWS (POLY_BATCH_ROWS + 2500)

static uint64_t random_state;

static unsigned
random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

/* Of 100 rows, those that have times and numbers. A period of rows has other shares. */
static void
choose_shares(unsigned row, unsigned *times, unsigned *numbers)
{
	static const unsigned shares[] = {100, 0, 97, 3, 50};
	if (row % 500)
		return;
	*times = shares[random_below(5)];
	*numbers = shares[random_below(5)];
}

static void
print_fields(struct buf *to, unsigned row, unsigned kind)
{
	static const char *const registers[] = {"r1", "r13_svc", "MSP", "psr"};
	if (kind < 5) {
		buf_printf(to, "\"kind\":\"instruction\",\"pc\":\"0x%x\",\"opcode\":\"0x%x\"",
			4 * row, random_below(1u << 31));
	} else if (kind < 7) {
		buf_printf(to, "\"kind\":\"access\",\"access\":\"%s\",\"address\":\"0x%x\"",
			kind == 5 ? "read" : "write", random_below(1u << 31));
		if (random_below(5))
			buf_printf(to, ",\"size\":%u,\"value\":\"0x%x\"", 1 + random_below(9),
				random_below(256));
	} else if (kind < 9) {
		buf_printf(to, "\"kind\":\"register\",\"reg\":\"%s\",\"value\":\"0x%x\"",
			registers[random_below(4)], random_below(1u << 31));
	} else {
		buf_printf(to, "\"kind\":\"event\",\"text\":\"%s\"",
			random_below(2) ? "00000018 00000006 IRQ" : "noise");
	}
}

/* Rows of any trace. */
static void
print_rows(struct buf *to, unsigned cpus, bool complete)
{
	unsigned time = 0, times = 100, numbers = 100;
	buf_string(to, "{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\","
		       "\"isa\":\"arm\",\"clock\":\"ms\"}\n");
	for (unsigned row = 0; row < ROWS; row++) {
		const unsigned kind = random_below(10);
		if (!complete)
			choose_shares(row, &times, &numbers);
		time += random_below(3);
		buf_byte(to, '{');
		print_fields(to, row, kind);
		if (random_below(100) < times)
			buf_printf(to, ",\"time\":%u", random_below(50) ? time : time / 2);
		if (random_below(100) < numbers && kind < 5)
			buf_printf(to, ",\"instruction_id\":%u", row);
		if (cpus)
			buf_printf(to, ",\"cpu\":%u", random_below(cpus));
		buf_string(to, "}\n");
	}
}

/* Lines of Tarmac, some of which are not what is written from their columns. */
static void
print_lines(struct buf *to, unsigned plain)
{
	unsigned time = 0, number = 0;
	for (unsigned row = 0; row < ROWS; row++) {
		const bool indented = row && random_below(plain) == 0;
		time += !indented;
		if (indented)
			buf_string(to, "     ");
		else
			buf_printf(to, "%u clk", time);
		switch (random_below(5)) {
		case 0:
		case 1:
			buf_printf(to, " IT (%u) %08x e1a00000 A svc_ns : nop\n", ++number,
				4 * row);
			break;
		case 2: buf_printf(to, " ES (%08x:e1a00000) A svc_ns: nop\n", 4 * row); break;
		case 3: buf_printf(to, " R r%u %08x\n", random_below(13), row); break;
		default: buf_printf(to, " MW4 %08x %08x\n", 16 * row, row);
		}
		if (random_below(10 * plain) == 0)
			buf_string(to, "a comment\n");
	}
}

/* The result of writing a trace, up to its end or a failure. */
struct written {
	struct buf bytes, notes;
	struct poly_error error;
};

static struct written
write_trace(const struct buf *trace, const char *from, const char *const *to, unsigned threads)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_reader *reader = open_bytes(trace, from, NULL, false);
	struct written written = {.error = {.status = POLY_OK}};
	const struct poly_sink sink = {collect, &written.bytes};
	const struct poly_batch *batch;
	struct poly_writer *writer;
	const char *note;
	uint64_t count;
	options.threads = threads;
	options.format = to[0];
	options.options = to + 1;
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_OK);
	enum poly_status status = POLY_OK;
	while (written.error.status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, &written.error)) == POLY_OK)
		poly_writer_write(writer, batch, &written.error);
	if (status == POLY_END)
		written.error.status = POLY_END;
	else
		assert_int_equal(status, POLY_OK);
	poly_writer_finish(writer, NULL);
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++)
		buf_printf(&written.notes, "%llu %s\n", (unsigned long long)count, note);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return written;
}

static void
free_written(struct written *written)
{
	buf_free(&written->bytes);
	buf_free(&written->notes);
}

/* Writes a trace as each target; frees it. */
static void
compare_threads(struct buf *trace, const char *from)
{
	static const char *const targets[][3] = {{"qemu4v"},
		{"qemu4v", "qemu4v.profile=microtesk"}, {"tarmac"},
		{"tarmac", "tarmac.cpu=always"}, {"tarmac", "tarmac.cpu=never"}};
	static const unsigned threads[] = {2, 3, 8};
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		if (!sample_takes())
			continue;
		struct written one = write_trace(trace, from, targets[i], 1);
		for (size_t j = 0; j < sizeof threads / sizeof *threads; j++) {
			struct written many = write_trace(trace, from, targets[i], threads[j]);
			expect_same(&many.bytes, &one.bytes);
			assert_string_equal(buf_text(&many.notes), buf_text(&one.notes));
			assert_int_equal(many.error.status, one.error.status);
			assert_int_equal(many.error.record, one.error.record);
			free_written(&many);
		}
		free_written(&one);
	}
	buf_free(trace);
}

static void
rows_of_any_trace_are_written_by_any_number_of_threads(void **state)
{
	(void)state;
	random_state = sample_seed() + 1;
	for (unsigned cpus = 0; cpus < 3; cpus++) {
		struct buf trace = {0};
		print_rows(&trace, cpus, cpus == 1);
		compare_threads(&trace, "jsonl");
	}
}

static void
lines_of_tarmac_are_written_by_any_number_of_threads(void **state)
{
	static const unsigned plain[] = {2, 4000};
	(void)state;
	random_state = sample_seed() + 2;
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		struct buf trace = {0};
		print_lines(&trace, plain[i]);
		compare_threads(&trace, "tarmac");
	}
}

/* In the last batch a record is of a processor that those before were written without. */
static void
a_failure_is_that_of_one_thread(void **state)
{
	static const char *const target[] = {"tarmac", NULL};
	struct buf trace = {0};
	(void)state;
	for (unsigned row = 0; row < ROWS; row++)
		buf_printf(&trace,
			"{\"kind\":\"instruction\",\"pc\":\"0x%x\",\"opcode\":\"0x1\"%s}\n",
			4 * row, row > ROWS - 700 ? ",\"cpu\":1" : "");
	for (unsigned threads = 1; threads < 9; threads += 2) {
		struct written written = write_trace(&trace, "jsonl", target, threads);
		assert_int_equal(written.error.status, POLY_ERR_LOSS);
		assert_int_equal(written.error.record, ROWS - 698);
		free_written(&written);
	}
	buf_free(&trace);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_any_trace_are_written_by_any_number_of_threads),
		cmocka_unit_test(lines_of_tarmac_are_written_by_any_number_of_threads),
		cmocka_unit_test(a_failure_is_that_of_one_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
