/* SPDX-License-Identifier: MIT */
/*
 * Conversions between the forms of rows: separated and joined again, the rows of a sample are
 * what they were; batches of any size give the same rows; lack of memory is reported.
 */
#include "../trace_help.h"

#include "effects/effects.h"
#include "memory_law.h"

#define LINE 400

/* What the joined form keeps of a row. */
static void
append_row(struct buf *text, const struct poly_batch *batch, size_t row)
{
	static const enum poly_column columns[] = {POLY_COLUMN_kind, POLY_COLUMN_pc,
		POLY_COLUMN_opcode, POLY_COLUMN_next_pc, POLY_COLUMN_branch, POLY_COLUMN_target,
		POLY_COLUMN_address, POLY_COLUMN_access, POLY_COLUMN_size, POLY_COLUMN_sync,
		POLY_COLUMN_escape, POLY_COLUMN_real_pc, POLY_COLUMN_raw,
		POLY_COLUMN_synthetic};
	char value[LINE];
	buf_printf(text, "%llu", (unsigned long long)poly_batch_number(batch, row));
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		/* A string of 0 bytes does not access memory. */
		if (columns[i] == POLY_COLUMN_size && poly_present(batch, columns[i], row) &&
			!batch->size[row])
			value[0] = 0;
		else
			poly_batch_format(batch, columns[i], row, value, sizeof value);
		buf_printf(text, " %s", value);
	}
	buf_byte(text, '\n');
}

/* Appends the rows of a source. */
static enum poly_status
append_rows(struct buf *text, const struct poly_source *source, bool only_joined)
{
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	while ((status = source->next(source->user, &batch, &error)) == POLY_OK) {
		assert_true(batch->rows > 0 && batch->rows <= POLY_BATCH_ROWS);
		for (size_t row = 0; row < batch->rows; row++) {
			const unsigned kind = batch->kind[row];
			if (!only_joined ||
				(kind != POLY_KIND_ACCESS && kind != POLY_KIND_REGISTER))
				append_row(text, batch, row);
		}
	}
	return status;
}

/* A sample, read in batches, and converted to forms one after the other. */
struct conversion {
	struct buf bytes;
	const char *format, *isa;
	size_t batch_rows;
	const enum effects_form *forms;
	size_t count;
	struct buf text;
};

static enum poly_status
run_forms(void *context)
{
	struct conversion *conversion = context;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct effects *effects[2] = {NULL, NULL};
	struct poly_reader *reader;
	struct poly_error error;
	options.format = conversion->format;
	options.batch_rows = conversion->batch_rows;
	options.isa = conversion->isa;
	buf_clear(&conversion->text);
	enum poly_status status = poly_reader_open_memory(
		conversion->bytes.data, conversion->bytes.size, &options, &reader, &error);
	if (status != POLY_OK)
		return status;
	struct poly_source source = poly_reader_source(reader);
	for (size_t i = 0; i < conversion->count && status == POLY_OK; i++) {
		const struct effects_options forms = {.form = conversion->forms[i],
			.wanted = POLY_COLUMNS_EXCEPT(text, mode)};
		status = effects_new(&forms, source.info, &effects[i], &error);
		if (status == POLY_OK)
			source = effects_source(effects[i], &source);
	}
	if (status == POLY_OK)
		status = append_rows(&conversion->text, &source, true);
	for (size_t i = 0; i < conversion->count; i++)
		effects_free(effects[i]);
	poly_reader_close(reader);
	return conversion->text.failed ? POLY_ERR_MEMORY : status;
}

static void
free_text(void *context)
{
	buf_free(&((struct conversion *)context)->text);
}

static const struct {
	const char *name, *format;
	bool has_states;
} samples[] = {{"full/isamix.full.gz", "full", true}, {"full/after.full1160", "full", true},
	{"full/altivec.full.gz", "full", true}, {"tt6/isamix.tt6e", "tt6e", false},
	{"tt6/isamix.tt6", "tt6", false}, {"amber/sync.tt6", "tt6", false},
	{"amber/thread_001.tt6e", "tt6e", false}};

static void
rows_separated_and_joined_are_those_of_the_trace(void **state)
{
	static const enum effects_form both[] = {EFFECTS_SEPARATE, EFFECTS_JOINED};
	(void)state;
	need_library("isal");
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		struct conversion plain = {.bytes = load_sample(samples[i].name),
			.isa = "powerpc",
			.format = samples[i].format,
			.batch_rows = POLY_BATCH_ROWS};
		assert_int_equal(run_forms(&plain), POLY_END);
		assert_true(plain.text.size > 200);
		for (size_t rows = 1; rows <= POLY_BATCH_ROWS; rows = rows * 7 + 1) {
			struct conversion twice = {.bytes = plain.bytes,
				.isa = "powerpc",
				.format = samples[i].format,
				.batch_rows = rows,
				.forms = both,
				.count = 2};
			assert_int_equal(run_forms(&twice), POLY_END);
			if (plain.text.size != twice.text.size ||
				memcmp(plain.text.data, twice.text.data, plain.text.size) != 0)
				fail_msg("%s differs in batches of %zu rows:\n%.600s\n%.600s",
					samples[i].name, rows, buf_text(&plain.text),
					buf_text(&twice.text));
			buf_free(&twice.text);
		}
		buf_free(&plain.text);
		buf_free(&plain.bytes);
	}
}

static void
lack_of_memory_is_reported(void **state)
{
	static const enum effects_form both[] = {EFFECTS_SEPARATE, EFFECTS_JOINED};
	(void)state;
	need_library("isal");
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i += 3) {
		struct conversion conversion = {.bytes = load_sample(samples[i].name),
			.isa = "powerpc",
			.format = samples[i].format,
			.batch_rows = 100,
			.forms = both,
			.count = 2};
		const struct memory_law law = {.run = run_forms,
			.release = free_text,
			.context = &conversion,
			.every = 200,
			.is_sampled = true};
		const struct memory_result result = memory_law_check(&law);
		if (*result.fault)
			fail_msg("%s: %s", samples[i].name, result.fault);
		buf_free(&conversion.text);
		buf_free(&conversion.bytes);
	}
}

/* Recordings in the forms that formats need. */
static const struct {
	const char *name;
	enum effects_form form;
} recordings[] = {{"effects/x86.ptz", EFFECTS_MICRO_OPS},
	{"effects/powerpc.ptz", EFFECTS_STATES}, {"effects/powerpc.ptz", EFFECTS_JOINED}};

static void
forms_of_recordings_do_not_depend_on_batches(void **state)
{
	(void)state;
	need_library("isal");
	for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
		struct conversion whole = {.bytes = load_sample(recordings[i].name),
			.format = "ptz",
			.batch_rows = POLY_BATCH_ROWS,
			.forms = &recordings[i].form,
			.count = 1};
		assert_int_equal(run_forms(&whole), POLY_END);
		assert_true(whole.text.size > 2000);
		for (size_t rows = 1; rows <= POLY_BATCH_ROWS; rows = rows * 7 + 1) {
			struct conversion parts = whole;
			parts.text = (struct buf){0};
			parts.batch_rows = rows;
			assert_int_equal(run_forms(&parts), POLY_END);
			assert_int_equal(parts.text.size, whole.text.size);
			assert_memory_equal(parts.text.data, whole.text.data, whole.text.size);
			buf_free(&parts.text);
		}
		buf_free(&whole.text);
		const struct memory_law law = {.run = run_forms,
			.release = free_text,
			.context = &whole,
			.every = 200,
			.is_sampled = true};
		const struct memory_result result = memory_law_check(&law);
		if (*result.fault)
			fail_msg("%s: %s", recordings[i].name, result.fault);
		buf_free(&whole.text);
		buf_free(&whole.bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_separated_and_joined_are_those_of_the_trace),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(forms_of_recordings_do_not_depend_on_batches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
