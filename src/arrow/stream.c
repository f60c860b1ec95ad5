/* SPDX-License-Identifier: MIT */
/*
 * The rows of a source as a stream of Arrow arrays.
 * spec: Arrow C stream interface.
 */
#include "arrow/column.h"

#include "base/err.h"
#include "base/mem.h"
#include "format/core/reader_state.h"
#include "model/columns.h"
#include "model/option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Rows per array: a column of 8 bytes and its consumer's share a second-level cache. */
#define ROWS_DEFAULT 16384

struct stream {
	struct poly_source source;
	void (*close)(void *user); /* may be NULL */
	void *user;		   /* of close */
	size_t rows_max;
	const struct poly_batch *batch; /* the source's last batch; NULL: none */
	size_t from;			/* its first row that is in no array */
	enum poly_status ended;		/* POLY_OK while rows may follow */
	bool is_incomplete;		/* collected rows lack values */
	struct poly_error failure;
	char message[600]; /* of the failure; empty: none */
	size_t count;	   /* number of columns */
	struct arrow_column columns[];
};

/* Formats the message of a failure after its position. */
static void
describe_failure(struct stream *stream)
{
	const struct poly_error *failure = &stream->failure;
	const size_t size = sizeof stream->message;
	size_t used = 0;
	if (failure->record)
		used += (size_t)snprintf(stream->message, size, "record %llu, ",
			(unsigned long long)failure->record);
	if (failure->line)
		used += (size_t)snprintf(stream->message + used, size - used, "line %llu, ",
			(unsigned long long)failure->line);
	if (failure->offset != POLY_NO_OFFSET)
		used += (size_t)snprintf(stream->message + used, size - used, "byte %llu, ",
			(unsigned long long)failure->offset);
	if (used)
		stream->message[used - 2] = ':';
	snprintf(stream->message + used, size - used, "%s", failure->message);
}

/* Returns the errno value of a failure, and stores its message. */
static int
report_failure(struct stream *stream)
{
	describe_failure(stream);
	switch ((int)stream->failure.status) {
	case POLY_ERR_MEMORY: return ENOMEM;
	case POLY_ERR_USAGE: return EINVAL;
	case POLY_ERR_IO: return stream->failure.sys_errno ? stream->failure.sys_errno : EIO;
	default: return EIO;
	}
}

/* Ends the stream because memory ran out: the collected rows are incomplete. */
static void
run_out_of_memory(struct stream *stream)
{
	stream->ended = err_memory(&stream->failure);
	stream->is_incomplete = true;
}

static bool
add_child(struct stream *stream, size_t i, struct ArrowSchema *schema)
{
	const enum poly_column id = stream->columns[i].id;
	const char *name = poly_trace_column_name(stream->source.info, id);
	schema->children[i] = mem_new(1, sizeof *schema->children[i]);
	return schema->children[i] &&
	       arrow_column_schema(&stream->columns[i], name, schema->children[i]);
}

static int
get_schema(struct ArrowArrayStream *arrow, struct ArrowSchema *schema)
{
	struct stream *stream = arrow->private_data;
	bool done = arrow_schema_init(schema, "", stream->count);
	if (done)
		schema->format = "+s";
	for (size_t i = 0; done && i < stream->count; i++)
		done = add_child(stream, i, schema);
	if (done)
		return 0;
	if (schema->release)
		schema->release(schema);
	snprintf(stream->message, sizeof stream->message, "out of memory");
	return ENOMEM;
}

/* Gets the next batch if the last one has no further rows; false: the rows have ended. */
static bool
has_rows(struct stream *stream)
{
	if (stream->batch && stream->from < stream->batch->rows)
		return true;
	if (stream->ended != POLY_OK)
		return false;
	stream->from = 0;
	stream->batch = NULL;
	enum poly_status status =
		stream->source.next(stream->source.user, &stream->batch, &stream->failure);
	if (status == POLY_OK && poly_batch_weights(stream->batch))
		status = err_usage(&stream->failure, "a batch has weights");
	if (status == POLY_OK)
		return true;
	stream->ended = status;
	stream->batch = NULL;
	return false;
}

/* Appends rows of the batch after rows at; returns their number, 0: no room or a failure. */
static size_t
append_rows(struct stream *stream, size_t at)
{
	struct arrow_rows rows = {stream->batch, stream->from, 0, at};
	rows.count = stream->batch->rows - stream->from;
	if (rows.count > stream->rows_max - at)
		rows.count = stream->rows_max - at;
	for (size_t i = 0; i < stream->count; i++)
		rows.count = arrow_column_room(&stream->columns[i], &rows);
	if (!rows.count && !at) {
		stream->ended = err_set(&stream->failure, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"a value of the record has more than %d bytes", INT32_MAX);
		stream->failure.record = poly_batch_number(stream->batch, stream->from);
		stream->batch = NULL;
		return 0;
	}
	bool done = true;
	for (size_t i = 0; done && i < stream->count; i++)
		done = arrow_column_append(&stream->columns[i], &rows);
	stream->from += rows.count;
	if (done)
		return rows.count;
	run_out_of_memory(stream);
	return 0;
}

/* Collects the rows of the next array; returns their number. */
static size_t
collect_rows(struct stream *stream)
{
	size_t rows = 0, more = 1;
	bool begun = true;
	for (size_t i = 0; begun && i < stream->count; i++)
		begun = arrow_column_begin(&stream->columns[i], stream->rows_max);
	if (!begun)
		run_out_of_memory(stream);
	while (begun && more && rows < stream->rows_max && has_rows(stream)) {
		more = append_rows(stream, rows);
		rows += more;
	}
	return stream->is_incomplete ? 0 : rows;
}

/* Moves the collected rows to an array. */
static bool
store_array(struct stream *stream, size_t rows, struct ArrowArray *array)
{
	bool done = arrow_array_init(array, 1, stream->count);
	if (!done)
		return false;
	array->length = (int64_t)rows;
	for (size_t i = 0; done && i < stream->count; i++) {
		array->children[i] = mem_new(1, sizeof *array->children[i]);
		done = array->children[i] &&
		       arrow_column_finish(&stream->columns[i], stream->source.info, rows,
			       array->children[i]);
	}
	if (!done)
		array->release(array);
	return done;
}

/* Frees what was collected. */
static void
clear_columns(struct stream *stream)
{
	for (size_t i = 0; i < stream->count; i++) {
		struct arrow_column *column = &stream->columns[i];
		arrow_column_fini(column);
		*column = (struct arrow_column){.id = column->id};
		arrow_column_init(column);
	}
}

static int
get_next(struct ArrowArrayStream *arrow, struct ArrowArray *array)
{
	struct stream *stream = arrow->private_data;
	size_t rows = 0;
	memset(array, 0, sizeof *array);
	if (has_rows(stream))
		rows = collect_rows(stream);
	if (rows && !store_array(stream, rows, array)) {
		run_out_of_memory(stream);
		rows = 0;
	}
	if (rows)
		return 0;
	stream->batch = NULL;
	clear_columns(stream);
	return stream->ended < 0 ? report_failure(stream) : 0;
}

static const char *
get_last_error(struct ArrowArrayStream *arrow)
{
	const struct stream *stream = arrow->private_data;
	return *stream->message ? stream->message : NULL;
}

static void
free_stream(struct stream *stream)
{
	for (size_t i = 0; i < stream->count; i++)
		arrow_column_fini(&stream->columns[i]);
	mem_free(stream);
}

static void
release(struct ArrowArrayStream *arrow)
{
	struct stream *stream = arrow->private_data;
	if (stream->close)
		stream->close(stream->user);
	free_stream(stream);
	arrow->release = NULL;
}

/* The columns of a source that are exported unless they are named; returns their number. */
static size_t
default_columns(poly_columns able, enum poly_column *list)
{
	size_t count = 0;
	if (poly_columns_has(able, POLY_COLUMN_row))
		list[count++] = POLY_COLUMN_row;
	FOR_COLUMNS(column, able)
	{
		list[count++] = column;
	}
	return count;
}

/* Adds the columns of a list to a stream. POLY_ERR_USAGE: an unknown column. */
static enum poly_status
set_columns(struct stream *stream, const struct poly_arrow_options *options,
	struct poly_error *error)
{
	for (size_t i = 0; i < options->column_count; i++) {
		const enum poly_column id = options->columns[i];
		struct arrow_column *column = &stream->columns[i];
		if ((unsigned)id > POLY_COLUMN_row ||
			!poly_trace_column_name(stream->source.info, id))
			return err_usage(error,
				"options.columns[%zu]: no such column (found %u)", i,
				(unsigned)id);
		column->id = id;
		arrow_column_init(column);
	}
	stream->count = options->column_count;
	return POLY_OK;
}

/* Checks options, and sets those that have their initial value. */
static enum poly_status
complete_options(struct poly_arrow_options *options, struct poly_error *error)
{
	if (!options->column_count)
		return err_usage(error, "no column to export");
	if (options->rows > POLY_ARROW_ROWS_MAX)
		return err_usage(error, "options.rows is %zu (expected 0 to %d)", options->rows,
			POLY_ARROW_ROWS_MAX);
	if (!options->rows)
		options->rows = ROWS_DEFAULT;
	return POLY_OK;
}

enum poly_status
poly_source_arrow(const struct poly_source *source, const struct poly_arrow_options *options,
	struct ArrowArrayStream *arrow, struct poly_error *error)
{
	static const poly_columns hidden = POLY_COLUMNS_INIT(raw, origin, site, verbatim);
	enum poly_column list[POLY_COLUMN_NONE];
	struct poly_arrow_options wanted = POLY_ARROW_OPTIONS_INIT;
	memset(arrow, 0, sizeof *arrow);
	enum poly_status status = option_struct(&wanted, sizeof wanted, options, error);
	if (status == POLY_OK && !wanted.columns) {
		wanted.columns = list;
		wanted.column_count = default_columns(
			poly_columns_minus(source->info->columns, hidden), list);
	}
	if (status == POLY_OK)
		status = complete_options(&wanted, error);
	if (status != POLY_OK)
		return status;
	struct stream *stream =
		mem_new(1, sizeof *stream + wanted.column_count * sizeof *stream->columns);
	if (!stream)
		return err_memory(error);
	stream->source = *source;
	stream->close = wanted.close;
	stream->user = wanted.user;
	stream->rows_max = wanted.rows;
	status = set_columns(stream, &wanted, error);
	if (status != POLY_OK) {
		free_stream(stream);
		return status;
	}
	*arrow = (struct ArrowArrayStream){
		get_schema, get_next, get_last_error, release, stream};
	return POLY_OK;
}

static void
close_reader(void *user)
{
	poly_reader_close(user);
}

enum poly_status
poly_reader_arrow(
	struct poly_reader *reader, struct ArrowArrayStream *arrow, struct poly_error *error)
{
	enum poly_column list[POLY_COLUMN_NONE];
	const struct poly_source source = poly_reader_source(reader);
	struct poly_arrow_options options = POLY_ARROW_OPTIONS_INIT;
	memset(arrow, 0, sizeof *arrow);
	if (reader->plan.lazy || reader->plan.weights)
		return err_usage(error, "the plan of the reader accepts %s",
			reader->plan.lazy ? "lazy columns" : "weights");
	options.columns = list;
	options.column_count = default_columns(reader_requested(reader), list);
	options.close = close_reader;
	options.user = reader;
	return poly_source_arrow(&source, &options, arrow, error);
}
