/* SPDX-License-Identifier: MIT */
/* Formats and analyses of the caller: what they may do, and each violation of the interface. */
#include "test_help.h"

#include "polytrace/polytrace.h"

#include <stdio.h>
#include <string.h>

/* What the functions of the format do next. */
static struct script {
	enum poly_status status; /* that read returns */
	size_t rows;		 /* that read counts */
	enum poly_column column; /* that it fills */
	size_t row;		 /* of the value */
	uint64_t value;		 /* of the column; of bytes: their number */
	bool puts_bytes;	 /* value is the size of bytes */
	bool fails_silently;	 /* failures have no message */
	int closed;		 /* number of calls of close */
} script;

static int
one_probe(const uint8_t *bytes, size_t size, bool is_complete, char *evidence,
	size_t evidence_size)
{
	(void)is_complete;
	if (size < 3 || memcmp(bytes, "ONE", 3) != 0)
		return 0;
	snprintf(evidence, evidence_size, "begins with ONE");
	return 24;
}

static enum poly_status
one_open(const struct poly_plugin_input *input, struct poly_trace_info *info,
	struct poly_error *error)
{
	static const char *const records[] = {"first", "second"};
	size_t have;
	(void)error;
	input->peek(input, 3, &have);
	input->consume(input, 3);
	assert_int_equal(input->offset(input), have < 3 ? have : 3);
	info->isa = "x86";
	info->format = "ignored";
	info->records = records;
	info->record_count = 2;
	return POLY_OK;
}

/* A row for each byte, as the script demands. */
static enum poly_status
one_read(const struct poly_plugin_input *input, struct poly_plugin_rows *rows,
	struct poly_error *error)
{
	uint64_t *seen = input->state;
	size_t have;
	const uint8_t *bytes = input->peek(input, rows->capacity, &have);
	const size_t count = have < rows->capacity ? have : rows->capacity;
	assert_non_null(input->options);
	for (size_t row = 0; row < count; row++)
		rows->put(rows, POLY_COLUMN_pc, row, bytes[row]);
	input->consume(input, count);
	*seen += count;
	rows->count = count;
	if (script.puts_bytes)
		rows->put_bytes(rows, script.column, script.row, script.value ? "abc" : NULL,
			(size_t)script.value);
	else if (script.column != POLY_COLUMN_pc)
		rows->put(rows, script.column, script.row, script.value);
	if (script.rows)
		rows->count = script.rows;
	if (script.status != POLY_OK && !script.fails_silently)
		snprintf(error->message, sizeof error->message, "as demanded");
	if (script.status == POLY_OK && !count)
		return script.rows == SIZE_MAX ? POLY_OK : POLY_END;
	return script.status;
}

static void
one_close(const struct poly_plugin_input *input)
{
	(void)input;
	script.closed++;
}

static enum poly_status
one_write(const struct poly_plugin_output *output, const struct poly_batch *batch,
	struct poly_error *error)
{
	(void)error;
	for (size_t row = 0; row < batch->rows; row++) {
		const uint8_t byte = (uint8_t)batch->pc[row];
		if (byte == '!')
			output->note(output, "exclamations were dropped");
		else
			output->write(output, &byte, 1);
	}
	return script.status;
}

static const struct poly_option one_options[] = {{.name = "one.size",
							 .type = POLY_OPTION_NUMBER,
							 .use = POLY_OPTION_READ,
							 .maximum = 9,
							 .help = "any number"},
	{.name = NULL}};

static const struct poly_format_info one_info = {.name = "one",
	.family = "one",
	.title = "bytes",
	.extensions = "one",
	.spec = "this file",
	.can_read = true,
	.can_write = true,
	.columns = POLY_COLUMNS_INIT(
		kind, record, pc, size, reg, text, branch, executed, immediate),
	.needs = POLY_COLUMNS_INIT(pc),
	.options = one_options};

static const struct poly_format_plugin one = {.size = sizeof one,
	.info = &one_info,
	.state_size = sizeof(uint64_t),
	.probe = one_probe,
	.open = one_open,
	.read = one_read,
	.close = one_close,
	.write = one_write};

/* Opens a text with a format of the caller; NULL: detected. */
static enum poly_status
open_text(const char *text, const struct poly_format_plugin *plugin, const char *format,
	struct poly_reader **reader, struct poly_error *error)
{
	const struct poly_format_plugin *const formats[] = {plugin, NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.formats = formats;
	options.format = format;
	return poly_reader_open_memory(text, strlen(text), &options, reader, error);
}

static void
a_format_is_detected_and_read(void **state)
{
	(void)state;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	script = (struct script){.column = POLY_COLUMN_reg, .puts_bytes = true, .value = 3};
	assert_int_equal(open_text("ONEab", &one, NULL, &reader, NULL), POLY_OK);
	assert_string_equal(poly_reader_format(reader)->name, "one");
	assert_string_equal(poly_reader_evidence(reader), "begins with ONE (24 bits)");
	assert_string_equal(poly_reader_info(reader)->format, "one");
	assert_string_equal(poly_reader_info(reader)->isa, "x86");
	assert_string_equal(poly_reader_info(reader)->records[1], "second");
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 2);
	assert_int_equal(batch->pc[1], 'b');
	assert_false(poly_present(batch, POLY_COLUMN_kind, 0));
	assert_string_equal(poly_trace_name(batch->info, batch->reg[0]), "abc");
	script.puts_bytes = false;
	script.column = POLY_COLUMN_pc;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_END);
	poly_reader_close(reader);
	assert_int_equal(script.closed, 1);
}

static void
a_name_without_data_is_empty(void **state)
{
	(void)state;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	script = (struct script){.column = POLY_COLUMN_reg, .puts_bytes = true};
	assert_int_equal(open_text("ONEab", &one, "one", &reader, NULL), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_string_equal(poly_trace_name(batch->info, batch->reg[0]), "");
	poly_reader_close(reader);
}

static void
rows_before_a_failure_are_delivered(void **state)
{
	(void)state;
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	script = (struct script){.status = POLY_ERR_FORMAT, .column = POLY_COLUMN_pc};
	assert_int_equal(open_text("ONEab", &one, "one", &reader, NULL), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 2);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_string_equal(error.message, "as demanded");
	assert_int_equal(error.record, 3);
	poly_reader_close(reader);
}

/* Reads a text by the script, which is a violation with this message. */
static void
expect_refusal(struct script demanded, enum poly_status status, const char *message)
{
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	script = demanded;
	assert_int_equal(open_text("ONEab", &one, "one", &reader, NULL), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, &error), status);
	assert_string_equal(error.message, message);
	poly_reader_close(reader);
}

#define ROW "format 'one': row 0 of the batch, column "

static void
invalid_values_are_refused(void **state)
{
	(void)state;
	static const struct {
		enum poly_column column;
		uint64_t value;
		const char *message;
	} values[] = {
		{POLY_COLUMN_kind, POLY_KIND_COUNT,
			ROW "kind: invalid value, or a column of text"},
		{POLY_COLUMN_kind, 256, ROW "kind: invalid value, or a column of text"},
		{POLY_COLUMN_record, 2, ROW "record: invalid value, or a column of text"},
		{POLY_COLUMN_branch, 2, ROW "branch: invalid value, or a column of text"},
		{POLY_COLUMN_executed, 2, ROW "executed: invalid value, or a column of text"},
		{POLY_COLUMN_size, (uint64_t)1 << 32,
			ROW "size: invalid value, or a column of text"},
		{POLY_COLUMN_reg, 0, ROW "reg: invalid value, or a column of text"},
		{POLY_COLUMN_text, 0, ROW "text: invalid value, or a column of text"},
		{POLY_COLUMN_address, 0, ROW "address: not one of the format's columns"},
		{POLY_COLUMN_site, 0, ROW "site: not one of the format's columns"},
		{POLY_COLUMN_row, 0, ROW "row: not one of the format's columns"},
		{POLY_COLUMN_COUNT, 0, ROW "unknown: not one of the format's columns"},
	};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		expect_refusal(
			(struct script){.column = values[i].column, .value = values[i].value},
			POLY_ERR_USAGE, values[i].message);
	expect_refusal((struct script){.column = POLY_COLUMN_size, .row = POLY_BATCH_ROWS},
		POLY_ERR_USAGE,
		"format 'one': row 4096 of the batch, column size: the row exceeds the "
		"capacity");
	expect_refusal(
		(struct script){.column = POLY_COLUMN_size, .puts_bytes = true, .value = 3},
		POLY_ERR_USAGE, ROW "size: a column of numbers");
}

static void
invalid_results_are_refused(void **state)
{
	(void)state;
	expect_refusal((struct script){.rows = POLY_BATCH_ROWS + 1, .column = POLY_COLUMN_pc},
		POLY_ERR_USAGE, "format 'one': read returned 4097 rows (expected 1 to 4096)");
	script = (struct script){.status = (enum poly_status)7, .column = POLY_COLUMN_pc};
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	assert_int_equal(open_text("ONE", &one, "one", &reader, NULL), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "format 'one': read returned the status 7");
	poly_reader_close(reader);
	script = (struct script){
		.status = POLY_ERR_IO, .column = POLY_COLUMN_pc, .fails_silently = true};
	assert_int_equal(open_text("ONE", &one, "one", &reader, NULL), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_IO);
	assert_string_equal(error.message, "format 'one': read failed");
	poly_reader_close(reader);
}

/* Opens a reader and a writer with a format that does not obey the interface. */
static void
expect_format_refusal(const struct poly_format_plugin *plugin, const char *message)
{
	struct poly_reader *reader;
	struct poly_error error;
	assert_int_equal(open_text("ONE", plugin, NULL, &reader, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, message);
	assert_null(reader);
}

/* Metadata, and a number of bits, that open and probe of hostile formats provide. */
static struct poly_trace_info stated;
static int bits;

static enum poly_status
hostile_open(const struct poly_plugin_input *input, struct poly_trace_info *info,
	struct poly_error *error)
{
	(void)input;
	(void)error;
	info->byte_order = stated.byte_order;
	info->addresses = stated.addresses;
	info->address_bits = stated.address_bits;
	info->records = stated.records;
	info->record_count = stated.record_count;
	return POLY_OK;
}

static int
hostile_probe(const uint8_t *bytes, size_t size, bool is_complete, char *evidence,
	size_t evidence_size)
{
	(void)bytes;
	(void)size;
	(void)is_complete;
	(void)evidence;
	(void)evidence_size;
	return bits;
}

static void
invalid_metadata_are_refused(void **state)
{
	(void)state;
	static const char *const names[] = {"first", NULL};
	static const struct {
		struct poly_trace_info info;
		const char *message;
	} cases[] = {
		{{.byte_order = (enum poly_byte_order)3},
			"byte_order is not a constant of enum poly_byte_order"},
		{{.addresses = (enum poly_address_space)3},
			"addresses is not a constant of enum poly_address_space"},
		{{.address_bits = 65}, "address_bits exceeds 64"},
		{{.record_count = 1}, "records is NULL"},
		{{.record_count = 2, .records = names}, "the name of a record is NULL"},
	};
	struct poly_format_plugin plugin = one;
	plugin.open = hostile_open;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char message[100];
		stated = cases[i].info;
		snprintf(message, sizeof message, "format 'one': open: %s", cases[i].message);
		expect_format_refusal(&plugin, message);
	}
}

static void
bids_that_no_input_has_are_refused(void **state)
{
	(void)state;
	struct poly_format_plugin plugin = one;
	struct poly_reader *reader;
	plugin.probe = hostile_probe;
	bits = 25;
	expect_format_refusal(
		&plugin, "format 'one': probe returned 25 bits of 3 bytes (expected 0 to 24)");
	bits = INT32_MAX;
	expect_format_refusal(&plugin,
		"format 'one': probe returned 2147483647 bits of 3 bytes (expected 0 to 24)");
	bits = -1;
	expect_format_refusal(
		&plugin, "format 'one': probe returned -1 bits of 3 bytes (expected 0 to 24)");
	bits = 24;
	script = (struct script){.column = POLY_COLUMN_pc};
	assert_int_equal(open_text("ONE", &plugin, NULL, &reader, NULL), POLY_OK);
	poly_reader_close(reader);
}

static void
incomplete_formats_are_refused(void **state)
{
	(void)state;
	struct poly_format_plugin plugin = one;
	struct poly_format_info info = one_info;
	plugin.info = NULL;
	expect_format_refusal(&plugin, "options.formats: format number 0: info is NULL");
	plugin.info = &info;
	info.name = NULL;
	expect_format_refusal(&plugin, "options.formats: format number 0: name is NULL");
	info.name = "din";
	expect_format_refusal(&plugin, "options.formats: format din: the name is not unique");
	info = one_info;
	info.spec = NULL;
	expect_format_refusal(&plugin, "options.formats: format one: spec is NULL");
	info = one_info;
	plugin.read = NULL;
	expect_format_refusal(
		&plugin, "options.formats: format one: can_read is set, but read is NULL");
	plugin = one;
	plugin.state_size = SIZE_MAX;
	expect_format_refusal(&plugin,
		"options.formats: format one: a state has more than 1073741824 bytes");
	plugin = one;
	plugin.size = offsetof(struct poly_format_plugin, read);
	expect_format_refusal(
		&plugin, "options.formats: format one: can_read is set, but read is NULL");
	plugin.size = 0;
	struct poly_reader *reader;
	assert_int_equal(open_text("ONE", &plugin, NULL, &reader, NULL), POLY_ERR_USAGE);
}

static void
two_formats_of_a_name_are_refused(void **state)
{
	(void)state;
	const struct poly_format_plugin *const formats[] = {&one, &one, NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	options.formats = formats;
	assert_int_equal(
		poly_reader_open_memory("ONE", 3, &options, &reader, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "options.formats: format one: the name is not unique");
}

static void
options_are_those_of_the_format(void **state)
{
	(void)state;
	const struct poly_format_plugin *const formats[] = {&one, NULL};
	const char *const words[] = {"one.size=10", NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	options.formats = formats;
	options.options = words;
	options.format = "one";
	assert_int_equal(
		poly_reader_open_memory("ONE", 3, &options, &reader, NULL), POLY_ERR_USAGE);
	/* Those of other formats are ignored. */
	const char *const other_words[] = {"one.size=9", NULL};
	options.options = other_words;
	options.format = "din";
	assert_int_equal(
		poly_reader_open_memory("0 10\n", 5, &options, &reader, NULL), POLY_OK);
	poly_reader_close(reader);
}

struct bytes {
	char text[20];
	size_t size;
};

static int
append(void *user, const void *data, size_t size)
{
	struct bytes *bytes = user;
	assert_true(bytes->size + size < sizeof bytes->text);
	memcpy(bytes->text + bytes->size, data, size);
	bytes->size += size;
	return 0;
}

/* Copies a text by the format; returns the status of the last call. */
static enum poly_status
copy_text(const char *text, bool strict, struct bytes *bytes, struct poly_error *error)
{
	const struct poly_format_plugin *const formats[] = {&one, NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const struct poly_sink sink = {append, bytes};
	struct poly_reader *reader;
	struct poly_writer *writer;
	const struct poly_batch *batch;
	uint64_t count = 0;
	*bytes = (struct bytes){.size = 0};
	options.formats = formats;
	options.format = "one";
	options.strict = strict;
	assert_int_equal(open_text(text, &one, "one", &reader, NULL), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_OK);
	enum poly_status status = poly_writer_write(writer, batch, error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, error);
	const char *note = poly_writer_note_at(writer, 0, &count);
	assert_int_equal(count, note ? 1 : 0);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status;
}

static void
a_format_is_written_with_its_notes(void **state)
{
	(void)state;
	struct bytes bytes;
	struct poly_error error;
	script = (struct script){.column = POLY_COLUMN_pc};
	assert_int_equal(copy_text("ONEa!b", false, &bytes, &error), POLY_OK);
	assert_string_equal(bytes.text, "ab");
	assert_int_equal(copy_text("ONEa!b", true, &bytes, &error), POLY_ERR_LOSS);
}

/* What a format of independent rows counts: states that are open, and all of them. */
struct state_counts {
	int open, total;
};

static enum poly_status
count_state(const struct poly_plugin_output *output, struct poly_error *error)
{
	struct state_counts *counts = *(struct state_counts **)output->state;
	(void)error;
	counts->open++;
	counts->total++;
	output->write(output, "<", 1);
	return POLY_OK;
}

static void
uncount_state(const struct poly_plugin_output *output)
{
	(*(struct state_counts **)output->state)->open--;
}

static enum poly_status
end_text(const struct poly_plugin_output *output, struct poly_error *error)
{
	(void)error;
	output->write(output, ">", 1);
	return POLY_OK;
}

static int
append_long(void *user, const void *data, size_t size)
{
	char *text = user;
	const size_t used = strlen(text);
	memcpy(text + used, data, size);
	text[used + size] = 0;
	return 0;
}

/* Every row is written once, in its order, and each state is closed. */
static void
a_format_of_independent_rows_is_written_by_threads(void **state)
{
	(void)state;
	enum { ROWS = 10000, NOTES = ROWS / 97 };
	static char text[3 + ROWS + 1], written[ROWS + 3];
	for (size_t i = 0; i < ROWS; i++)
		text[3 + i] = i % 97 == 96 ? '!' : (char)('a' + i * i % 26);
	memcpy(text, "ONE", 3);
	for (unsigned threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
		struct state_counts counts = {0, 0};
		struct state_counts *state_of = &counts;
		struct poly_format_plugin plugin = one;
		const struct poly_format_plugin *const formats[] = {&plugin, NULL};
		struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
		const struct poly_sink sink = {append_long, written};
		struct poly_reader *reader;
		struct poly_writer *writer;
		const struct poly_batch *batch;
		uint64_t notes = 0;
		plugin.begin_write = count_state;
		plugin.finish_write = end_text;
		plugin.close_writer = uncount_state;
		plugin.writer_state = &state_of;
		plugin.writer_state_size = sizeof state_of;
		plugin.rows_independent = true;
		options.formats = formats;
		options.format = "one";
		options.threads = threads;
		written[0] = 0;
		script = (struct script){.column = POLY_COLUMN_pc};
		assert_int_equal(open_text(text, &one, "one", &reader, NULL), POLY_OK);
		assert_int_equal(poly_writer_open_sink(&sink, poly_reader_info(reader),
					 &options, &writer, NULL),
			POLY_OK);
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
			assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
		assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
		poly_writer_note_at(writer, 0, &notes);
		assert_int_equal(notes, NOTES);
		poly_writer_close(writer);
		poly_reader_close(reader);
		assert_int_equal(counts.open, 0);
		assert_int_equal(counts.total > 1, threads > 1);
		assert_int_equal(strlen(written), 2 + ROWS - NOTES);
		const char *next = written;
		assert_int_equal(*next++, '<');
		for (const char *from = text + 3; *from; from++) {
			if (*from != '!')
				assert_int_equal(*next++, *from);
		}
		assert_string_equal(next, ">");
	}
}

/* The state of the analysis. */
struct sum {
	uint64_t step, total;
};

static int states; /* that were not freed */

static enum poly_status
sum_init(void *state, const uint64_t *options, const char *const *texts,
	struct poly_error *error)
{
	struct sum *sum = state;
	(void)texts;
	(void)error;
	states++;
	sum->step = options[0];
	return sum->step == 9 ? POLY_ERR_IO : POLY_OK;
}

static bool
sum_update(void *state, const struct poly_batch *batch)
{
	struct sum *sum = state;
	sum->total += sum->step * batch->rows;
	return true;
}

static bool
sum_merge(void *into, const void *from)
{
	struct sum *sum = into;
	sum->total += ((const struct sum *)from)->total;
	return true;
}

static void
sum_report(const void *state, struct poly_report *report)
{
	poly_report_count(report, "total", ((const struct sum *)state)->total);
}

static void
sum_free(void *state)
{
	(void)state;
	states--;
}

static const struct poly_option sum_options[] = {{.name = "sum.step",
							 .type = POLY_OPTION_NUMBER,
							 .use = POLY_OPTION_READ,
							 .initial = 1,
							 .minimum = 1,
							 .maximum = 9,
							 .help = "add N per record"},
	{.name = NULL}};

static const struct poly_analysis_info sum_info = {.name = "sum",
	.title = "Sum",
	.summary = "a sum",
	.needs = POLY_COLUMNS_INIT(pc),
	.options = sum_options};

static const struct poly_analysis_plugin sum = {.size = sizeof sum,
	.info = &sum_info,
	.state_size = sizeof(struct sum),
	.init = sum_init,
	.update = sum_update,
	.merge = sum_merge,
	.report = sum_report,
	.free_state = sum_free};

/* Creates a handle with an analysis of the caller and an option of it. */
static enum poly_status
new_stats(const struct poly_analysis_plugin *plugin, const char *option,
	struct poly_stats **stats, struct poly_error *error)
{
	const struct poly_analysis_plugin *const plugins[] = {plugin, NULL};
	const char *const names[] = {"sum", NULL}, *const words[] = {option, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.plugins = plugins;
	options.analyses = names;
	options.options = words;
	options.warmup = 0;
	return poly_stats_new(&options, stats, error);
}

/* Adds a text to a handle. */
static void
add_text(struct poly_stats *stats, const char *text)
{
	struct poly_reader *reader;
	const struct poly_batch *batch;
	script = (struct script){.column = POLY_COLUMN_pc};
	assert_int_equal(open_text(text, &one, NULL, &reader, NULL), POLY_OK);
	assert_int_equal(poly_stats_begin(stats, poly_reader_info(reader), NULL), POLY_OK);
	assert_false(poly_stats_accepts_weights(stats));
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		assert_int_equal(poly_stats_update(stats, batch, NULL), POLY_OK);
	poly_reader_close(reader);
}

static void
an_analysis_has_options_and_is_merged(void **state)
{
	(void)state;
	struct poly_stats *stats, *later;
	struct bytes bytes = {.size = 0};
	const struct poly_sink sink = {append, &bytes};
	struct poly_report *report = poly_report_new();
	assert_int_equal(new_stats(&sum, "sum.step=3", &stats, NULL), POLY_OK);
	assert_int_equal(new_stats(&sum, "sum.step=3", &later, NULL), POLY_OK);
	add_text(stats, "ONEab");
	add_text(later, "ONEabc");
	assert_int_equal(poly_stats_merge(stats, later, NULL), POLY_OK);
	assert_int_equal(poly_stats_finish(stats, NULL), POLY_OK);
	poly_stats_report(stats, "sum", report);
	assert_int_equal(
		poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, NULL), POLY_OK);
	assert_string_equal(bytes.text, "{\"total\": 15}\n");
	poly_report_free(report);
	poly_stats_free(later);
	poly_stats_free(stats);
	assert_int_equal(states, 0);
}

/* Creates a handle with an analysis that does not obey the interface. */
static void
expect_analysis_refusal(const struct poly_analysis_plugin *plugin, const char *message)
{
	struct poly_stats *stats;
	struct poly_error error;
	assert_int_equal(new_stats(plugin, NULL, &stats, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, message);
	assert_null(stats);
}

static void
incomplete_analyses_are_refused(void **state)
{
	(void)state;
	struct poly_analysis_plugin plugin = sum;
	struct poly_analysis_info info = sum_info;
	struct poly_stats *stats;
	struct poly_error error;
	plugin.info = NULL;
	expect_analysis_refusal(&plugin, "options.plugins: analysis number 0: info is NULL");
	plugin.info = &info;
	info.name = "mix";
	info.options = NULL;
	expect_analysis_refusal(
		&plugin, "options.plugins: analysis mix: the name is not unique");
	info = sum_info;
	info.name = "other";
	expect_analysis_refusal(&plugin,
		"options.plugins: analysis other: option sum.step: the "
		"name does not begin with 'other.'");
	info = sum_info;
	plugin.report = NULL;
	expect_analysis_refusal(&plugin, "options.plugins: analysis sum: report is NULL");
	plugin = sum;
	plugin.size = 1;
	assert_int_equal(new_stats(&plugin, NULL, &stats, NULL), POLY_ERR_USAGE);
	assert_int_equal(new_stats(&sum, "sum.step=9", &stats, &error), POLY_ERR_IO);
	assert_string_equal(error.message, "analysis 'sum': init failed");
	assert_int_equal(states, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_is_detected_and_read),
		cmocka_unit_test(a_name_without_data_is_empty),
		cmocka_unit_test(rows_before_a_failure_are_delivered),
		cmocka_unit_test(invalid_values_are_refused),
		cmocka_unit_test(invalid_results_are_refused),
		cmocka_unit_test(invalid_metadata_are_refused),
		cmocka_unit_test(bids_that_no_input_has_are_refused),
		cmocka_unit_test(incomplete_formats_are_refused),
		cmocka_unit_test(two_formats_of_a_name_are_refused),
		cmocka_unit_test(options_are_those_of_the_format),
		cmocka_unit_test(a_format_is_written_with_its_notes),
		cmocka_unit_test(a_format_of_independent_rows_is_written_by_threads),
		cmocka_unit_test(an_analysis_has_options_and_is_merged),
		cmocka_unit_test(incomplete_analyses_are_refused),
	};
	return cmocka_run_group_tests_name("plugins", tests, NULL, NULL);
}
