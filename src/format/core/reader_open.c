/* SPDX-License-Identifier: MIT */
/* Readers: opening and closing. */
#include "format/core/reader_state.h"

#include "base/err.h"
#include "base/mem.h"
#include "isa/isa.h"

#include <stdio.h>

/* Chooses the format of a directory: its files are tested when it is opened. */
static enum poly_status
choose_directory_format(struct poly_reader *reader, struct poly_error *error)
{
	const struct format *format = NULL;
	size_t i = 0;
	if (reader->format && !reader->format->reads_directories)
		return err_usage(error, "format '%s' does not read directories",
			reader->format->info.name);
	while (!reader->format && (format = format_list_at(&reader->formats, i++)))
		reader->format = format->reads_directories ? format : NULL;
	if (!reader->format)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"a directory (expected a file)");
	snprintf(reader->probed.evidence, sizeof reader->probed.evidence, "a directory");
	return POLY_OK;
}

static enum poly_status
choose_format(struct poly_reader *reader, const char *path, struct poly_error *error)
{
	const char *wanted = reader->options.format;
	const bool is_directory = in_is_directory(reader->in);
	if (reader->options.by_thread && !is_directory)
		return err_usage(error, "options.by_thread: the input is not a directory");
	if (!wanted && is_directory)
		return choose_directory_format(reader, error);
	if (!wanted) {
		if (!reader->options.name)
			reader->options.name = path;
		const enum poly_status status = probe_format(
			reader->in, &reader->formats, &reader->options, &reader->probed, error);
		reader->format = reader->probed.format;
		return status;
	}
	reader->format = format_list_find(&reader->formats, wanted);
	if (!reader->format)
		return err_usage(error, "options.format: no such format '%s'", wanted);
	if (!reader->format->info.can_read)
		return err_usage(error, "format '%s' can only be written", wanted);
	if (is_directory)
		return choose_directory_format(reader, error);
	snprintf(reader->probed.evidence, sizeof reader->probed.evidence, "named by the user");
	return POLY_OK;
}

static enum poly_status
open_format(struct poly_reader *reader, struct poly_error *error)
{
	const struct format *format = reader->format;
	const struct option_words requested = {
		reader->options.format, reader->options.options, &reader->formats};
	enum poly_status status = option_values(
		&format->info, POLY_OPTION_READ, &requested, &reader->values, error);
	if (status != POLY_OK)
		return status;
	struct reading *reading = &reader->reading;
	reading->plugin = format->plugin;
	reading->state = mem_new(1, format->reader_size);
	if (!reading->state || !findings_init(&reader->findings, format->info.rules))
		return err_memory(error);
	reader->findings.skip = reader->options.skip;
	reader->findings.count = reader->options.count;
	reading->in = reader->in;
	reading->info = &reader->info;
	reading->findings = &reader->findings;
	reading->sites = &reader->sites;
	reading->max_line = reader->options.max_line;
	reading->options = reader->values.values;
	reading->texts = reader->values.texts;
	reading->by_thread = reader->options.by_thread;
	reading->check = reader->options.check || reader->options.strict;
	struct poly_trace_info *view = &reader->info.view;
	view->format = format->info.name;
	view->raw_format = format->info.family;
	view->columns = format->info.columns;
	reader->opened = true;
	if (encodings_open(&reader->encodings, reader->options.symbols))
		reading->encodings = &reader->encodings;
	if (format->open && (status = format->open(reading, error)) != POLY_OK)
		return status;
	if (reader->options.isa)
		view->isa = isa_find(reader->options.isa, error);
	if (reader->options.isa && !view->isa)
		return POLY_ERR_USAGE;
	if (POLY_HAS(reader_columns(reader), site))
		poly_columns_add(&view->columns, POLY_COLUMN_site);
	const struct format *family =
		view->raw_format ? format_list_find(&reader->formats, view->raw_format) : NULL;
	view->family = family ? &family->info : NULL;
	return POLY_OK;
}

/* Creates a reader that has only its options; NULL on failure. */
static enum poly_status
reader_new(const struct poly_read_options *options, struct poly_reader **result,
	struct poly_error *error)
{
	static const struct poly_read_options initial = POLY_READ_OPTIONS_INIT;
	static const struct poly_read_plan whole = POLY_READ_PLAN_INIT;
	struct poly_reader *reader = mem_new(1, sizeof *reader);
	*result = NULL;
	if (!reader)
		return err_memory(error);
	reader->options = initial;
	reader->plan = whole;
	enum poly_status status =
		option_struct(&reader->options, sizeof reader->options, options, error);
	if (status != POLY_OK) {
		mem_free(reader);
		return status;
	}
	size_t rows = reader->options.batch_rows;
	if (rows == 0 || rows > POLY_BATCH_ROWS)
		reader->options.batch_rows = POLY_BATCH_ROWS;
	info_init(&reader->info);
	*result = reader;
	return POLY_OK;
}

/* What is opened: the file at path, or size bytes at data if it is NULL. */
struct opening {
	const char *path;
	const void *data;
	size_t size;
};

static enum poly_status
open_reader(const struct opening *from, const struct poly_read_options *options,
	struct poly_reader **result, struct poly_error *error)
{
	struct poly_reader *reader;
	*result = NULL;
	enum poly_status status = reader_new(options, &reader, error);
	if (!reader)
		return status;
	const struct in_options input = {.nesting_limit = reader->options.nesting_limit,
		.expansion_limit = reader->options.expansion_limit,
		.block_size = reader->options.block_size,
		.one_thread = reader->options.one_thread,
		.directories = true};
	status = from->path
			 ? in_open(from->path, &input, &reader->in, error)
			 : in_open_memory(from->data, from->size, &input, &reader->in, error);
	if (status == POLY_OK)
		status = format_list_init(&reader->formats, reader->options.formats, error);
	if (status == POLY_OK)
		status = choose_format(reader, from->path, error);
	if (status == POLY_OK)
		status = open_format(reader, error);
	if (status != POLY_OK) {
		poly_reader_close(reader);
		return status;
	}
	reader->options.options = NULL;
	reader->options.formats = NULL;
	reader->options.name = reader->options.format = reader->options.isa = NULL;
	*result = reader;
	return POLY_OK;
}

enum poly_status
poly_reader_open(const char *path, const struct poly_read_options *options,
	struct poly_reader **reader, struct poly_error *error)
{
	return open_reader(&(struct opening){.path = path}, options, reader, error);
}

enum poly_status
poly_reader_open_memory(const void *data, size_t size, const struct poly_read_options *options,
	struct poly_reader **reader, struct poly_error *error)
{
	return open_reader(
		&(struct opening){.data = data, .size = size}, options, reader, error);
}

bool
reader_predict_by(struct poly_reader *reader, enum predict_way way)
{
	reader->reading.prediction = way;
	return way == PREDICT_NEVER || predict_walk_by(way);
}

void
poly_reader_close(struct poly_reader *reader)
{
	if (!reader)
		return;
	decode_pool_free(reader->pool);
	if (reader->opened && reader->format->close)
		reader->format->close(&reader->reading);
	batch_fini(&reader->batch);
	sites_fini(&reader->sites);
	slice_fini(&reader->slice);
	batch_gather_fini(&reader->kept);
	findings_fini(&reader->findings);
	registers_free(reader->registers);
	encodings_close(&reader->encodings);
	info_fini(&reader->info);
	mem_free(reader->reading.state);
	format_list_fini(&reader->formats);
	option_values_free(&reader->values);
	in_close(reader->in);
	mem_free(reader);
}
