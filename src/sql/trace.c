/* SPDX-License-Identifier: MIT */
/*
 * The table trace: the records of a trace, trace('FILE', 'OPTION', ...). Its columns are row,
 * the number of the record and the rowid, and those of polytrace-columns(5).
 *
 * spec: https://www.sqlite.org/vtab.html
 */
#include "sql/plan.h"

#include "polytrace/selection.h"

#include <string.h>

/* Rows that are assumed of a trace whose size is not known. */
#define ROWS_DEFAULT 1e6

/* Bytes of content per byte of a compressed file, assumed. */
#define EXPANSION 8.0

struct trace_table {
	struct sql_table table; /* first */
	struct sql_size size;	/* of the file of the last estimate */
	char *sized;		/* its path; NULL: none */
};

/* A scan of the records. */
struct trace_cursor {
	sqlite3_vtab_cursor base; /* first */
	struct sql_request request;
	struct poly_reader *reader; /* NULL: at the end */
	struct poly_selection *selection;
	const struct poly_batch *batch; /* the current row */
	size_t row;
};

/* Returns the table of a cursor. */
static struct trace_table *
table_of(const struct trace_cursor *cursor)
{
	return (struct trace_table *)cursor->base.pVtab;
}

/* Opens the file of a request as the table reads it. */
static int
open_reader(struct sql_table *table, const struct sql_request *request,
	struct sql_reading *reading, struct poly_reader **reader)
{
	struct poly_error error;
	char *message = sql_file_refusal(request->path);
	reading->options.progress = sql_progress;
	reading->options.user = table;
	if (!message && reading->others[0])
		message = sqlite3_mprintf("option '%s': no such option (expected from, isa, "
					  "partial, strict, on-error, by-thread, max-line, "
					  "threads, or FORMAT.NAME=VALUE)",
			reading->others[0]);
	if (message) {
		sql_refuse(table, "%s", message);
		sqlite3_free(message);
		return SQLITE_ERROR;
	}
	if (poly_reader_open(request->path, &reading->options, reader, &error) != POLY_OK)
		return sql_fail(table, request->path, &error);
	return SQLITE_OK;
}

/* Derives how to read from a request. */
static int
resolve(struct sql_table *table, const struct sql_request *request, struct sql_reading *reading)
{
	char *message = NULL;
	if (sql_request_resolve(request, reading, &message))
		return SQLITE_OK;
	sql_refuse(table, "%s", message ? message : "out of memory");
	sqlite3_free(message);
	return SQLITE_ERROR;
}

/* Estimates the number of records of an open trace: by its index, or by its first records. */
static struct sql_size
estimate_size(struct poly_reader *reader)
{
	struct sql_size size = {ROWS_DEFAULT, false};
	struct poly_size_breakdown breakdown;
	struct poly_reader_counts counts;
	const struct poly_batch *batch;
	struct poly_error error;
	const enum poly_status status = poly_reader_size_breakdown(reader, &breakdown, &error);
	if (status != POLY_ERR_USAGE && status != POLY_ERR_MEMORY)
		return (struct sql_size){(double)breakdown.records, true};
	if (poly_reader_next(reader, &batch, &error) != POLY_OK)
		return size;
	poly_reader_count(reader, &counts);
	if (!counts.input_total || !counts.content_bytes)
		return size;
	size.rows = (double)counts.records * (double)counts.input_total /
		    (double)counts.content_bytes;
	if (strcmp(poly_reader_compression(reader), "none") != 0)
		size.rows *= EXPANSION;
	return size;
}

/* Estimates the size of a file, unless that was the last one. */
static void
size_file(struct trace_table *table, const struct sql_request *request)
{
	struct sql_reading reading;
	struct poly_reader *reader;
	char *message = NULL, *refusal;
	if (table->sized && strcmp(table->sized, request->path) == 0)
		return;
	sqlite3_free(table->sized);
	table->sized = sqlite3_mprintf("%s", request->path);
	table->size = (struct sql_size){ROWS_DEFAULT, false};
	if (!sql_request_resolve(request, &reading, &message)) {
		sqlite3_free(message);
		return;
	}
	reading.options.columns = POLY_NO_COLUMNS;
	reading.options.one_thread = true;
	refusal = sql_file_refusal(request->path);
	if (!refusal &&
		poly_reader_open(request->path, &reading.options, &reader, NULL) == POLY_OK) {
		table->size = estimate_size(reader);
		poly_reader_close(reader);
	}
	sqlite3_free(refusal);
}

/*
 * Declares the columns. Columns that the trace of a table does not have are hidden, so that `*`
 * omits them.
 */
static int
declare(sqlite3 *db, poly_columns shown)
{
	sqlite3_str *text = sqlite3_str_new(db);
	sqlite3_str_appendall(text, "CREATE TABLE x(file TEXT HIDDEN");
	for (int i = 1; i <= SQL_OPTIONS_MAX; i++)
		sqlite3_str_appendf(text, ", option%d TEXT HIDDEN", i);
	sqlite3_str_appendall(text, ", \"row\" INTEGER");
	for (unsigned i = 0; i < POLY_COLUMN_COUNT; i++) {
		const enum poly_column column = (enum poly_column)i;
		const enum poly_form form = poly_column_form(column);
		const char *type = form == POLY_FORM_BYTES ? "BLOB"
				   : form == POLY_FORM_DEC || form == POLY_FORM_HEX ||
						   form == POLY_FORM_BOOL
					   ? "INTEGER"
					   : "TEXT";
		sqlite3_str_appendf(text, ", \"%w\" %s%s", poly_column_name(column), type,
			poly_columns_has(shown, column) ? "" : " HIDDEN");
	}
	sqlite3_str_appendall(text, ")");
	return sql_declare(db, text);
}

/* Finds the columns that the trace of a table has. */
static int
find_columns(struct sql_table *table, poly_columns *columns)
{
	struct sql_reading reading;
	struct poly_reader *reader;
	*columns = POLY_ALL_COLUMNS;
	if (!table->request.path)
		return SQLITE_OK;
	int code = resolve(table, &table->request, &reading);
	reading.options.columns = POLY_NO_COLUMNS;
	reading.options.one_thread = true;
	if (code == SQLITE_OK)
		code = open_reader(table, &table->request, &reading, &reader);
	if (code != SQLITE_OK)
		return code;
	*columns = poly_reader_info(reader)->columns;
	/* As in listings, CSV and JSON. */
	poly_columns_remove(columns, POLY_COLUMN_origin);
	poly_reader_close(reader);
	return SQLITE_OK;
}

static int
trace_disconnect(sqlite3_vtab *base)
{
	sqlite3_free(((struct trace_table *)base)->sized);
	return sql_table_free(base);
}

static int
trace_connect(sqlite3 *db, void *module, int count, const char *const *arguments,
	sqlite3_vtab **base, char **message)
{
	const struct sql_table initial = {.db = db, .module = module};
	struct sql_table *table;
	poly_columns columns;
	int code = sql_table_new(sizeof(struct trace_table), &initial,
		(struct sql_arguments){arguments, count}, &table, message);
	if (code != SQLITE_OK)
		return code;
	code = find_columns(table, &columns);
	if (code == SQLITE_OK)
		code = declare(db, columns);
	if (code == SQLITE_OK)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (code == SQLITE_OK) {
		*base = &table->base;
		return SQLITE_OK;
	}
	*message = table->base.zErrMsg;
	trace_disconnect(&table->base);
	return code;
}

/*
 * Finds the request that a plan will have, as far as the statement states it. Returns SQLITE_OK
 * with *path NULL if the file is known only later.
 */
static int
find_path(struct trace_table *table, sqlite3_index_info *info, const char **path)
{
	bool is_named = false;
	*path = table->table.request.path;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
		sqlite3_value *value = NULL;
		if (constraint->iColumn < 0 || constraint->iColumn >= SQL_COLUMN_ROW ||
			constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		/* Without all arguments the table cannot be read. */
		if (!constraint->usable)
			return SQLITE_CONSTRAINT;
		if (constraint->iColumn != SQL_COLUMN_FILE)
			continue;
		is_named = true;
		*path = NULL;
		if (sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK && value)
			*path = (const char *)sqlite3_value_text(value);
	}
	if (is_named || *path)
		return SQLITE_OK;
	return sql_refuse(&table->table, "trace: missing file name; write trace('FILE')");
}

static int
trace_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct trace_table *table = (struct trace_table *)base;
	const struct sql_size unknown = {ROWS_DEFAULT, false};
	const char *path;
	const int code = find_path(table, info, &path);
	if (code != SQLITE_OK)
		return code;
	if (path) {
		struct sql_request request = table->table.request;
		if (path != request.path)
			request.count = 0;
		char *copy = sqlite3_mprintf("%s", path);
		request.path = copy;
		if (copy)
			size_file(table, &request);
		sqlite3_free(copy);
	}
	return sql_plan_make(info, path ? &table->size : &unknown);
}

static int
trace_open(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	(void)base;
	return sql_cursor_new(sizeof(struct trace_cursor), cursor);
}

/* Ends a scan, and closes its file. */
static void
end_scan(struct trace_cursor *cursor)
{
	sql_close_reader(&table_of(cursor)->table, cursor->request.path, cursor->reader);
	poly_selection_free(cursor->selection);
	cursor->reader = NULL;
	cursor->selection = NULL;
	cursor->batch = NULL;
}

static int
trace_close(sqlite3_vtab_cursor *base)
{
	struct trace_cursor *cursor = (struct trace_cursor *)base;
	end_scan(cursor);
	sql_request_free(&cursor->request);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/* Gets the next batch; at the end closes the file. */
static int
next_batch(struct trace_cursor *cursor)
{
	const struct poly_source source = poly_reader_source(cursor->reader);
	struct sql_table *table = &table_of(cursor)->table;
	struct poly_error error = {.status = POLY_ERR_CANCELLED, .offset = POLY_NO_OFFSET};
	cursor->row = 0;
	if (sql_is_interrupted(table)) {
		end_scan(cursor);
		return SQLITE_INTERRUPT;
	}
	const enum poly_status status =
		cursor->selection ? poly_selection_next(
					    cursor->selection, &source, &cursor->batch, &error)
				  : poly_reader_next(cursor->reader, &cursor->batch, &error);
	if (status == POLY_OK)
		return SQLITE_OK;
	end_scan(cursor);
	return status == POLY_END ? SQLITE_OK : sql_fail(table, cursor->request.path, &error);
}

/* Returns the columns that the reader has to fill. */
static poly_columns
requested_columns(const struct sql_plan *plan)
{
	poly_columns columns = POLY_NO_COLUMNS;
	for (int i = 0; i < POLY_COLUMN_COUNT; i++) {
		const int column = i + SQL_COLUMN_FIRST;
		const int bit = column < SQL_COLUMN_SHARED ? column : SQL_COLUMN_SHARED;
		if (plan->used >> bit & 1)
			poly_columns_add(&columns, (enum poly_column)i);
	}
	for (int i = 0; i < plan->conditions; i++) {
		const int column = plan->condition[i].column;
		if (column >= SQL_COLUMN_FIRST)
			poly_columns_add(&columns, sql_column(column));
	}
	return columns;
}

/* Collects the file and the options of a plan. SQLITE_DONE: one is NULL, and equal to none. */
static int
collect_request(struct trace_cursor *cursor, const struct sql_plan *plan)
{
	const struct sql_request *initial = &table_of(cursor)->table.request;
	int code = SQLITE_OK;
	bool is_named = false;
	sql_request_free(&cursor->request);
	for (int i = 0; i < plan->conditions && code == SQLITE_OK; i++) {
		const struct sql_condition *condition = &plan->condition[i];
		if (condition->column >= SQL_COLUMN_ROW)
			continue;
		const char *text = (const char *)sqlite3_value_text(condition->value);
		if (!text)
			return SQLITE_DONE;
		is_named |= condition->column == SQL_COLUMN_FILE;
		code = condition->column == SQL_COLUMN_FILE
			       ? sql_request_set_path(&cursor->request, text)
			       : sql_request_add(&cursor->request, text);
	}
	if (is_named || code != SQLITE_OK)
		return code;
	code = sql_request_set_path(&cursor->request, initial->path);
	for (size_t i = 0; i < initial->count && code == SQLITE_OK; i++)
		code = sql_request_add(&cursor->request, initial->options[i]);
	return code == SQLITE_TOOBIG ? sql_refuse(&table_of(cursor)->table,
					       "%s: more than %d "
					       "options",
					       initial->path, SQL_OPTIONS_MAX)
				     : code;
}

/* Sets up the selection of an open trace, and the plan of its reader. */
static int
select_rows(struct trace_cursor *cursor, const struct sql_filter *filter, poly_columns columns)
{
	struct sql_table *table = &table_of(cursor)->table;
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	struct poly_error error;
	options.where = filter->where;
	options.keep_sites = POLY_HAS(columns, site);
	enum poly_status status = poly_selection_new(&options, &cursor->selection, &error);
	if (status == POLY_OK)
		status = poly_selection_bind(
			cursor->selection, poly_reader_info(cursor->reader), &error);
	if (status == POLY_OK) {
		plan.columns =
			poly_columns_union(columns, poly_selection_columns(cursor->selection));
		plan.may_match = poly_selection_pruning(cursor->selection);
		plan.user = cursor->selection;
		status = poly_reader_plan(cursor->reader, &plan, &error);
	}
	return status == POLY_OK ? SQLITE_OK : sql_fail(table, cursor->request.path, &error);
}

/* Opens the file of a scan and sets up what it selects. */
static int
begin_scan(struct trace_cursor *cursor, const struct sql_plan *plan, struct sql_filter *filter)
{
	struct sql_table *table = &table_of(cursor)->table;
	struct sql_reading reading;
	int code = resolve(table, &cursor->request, &reading);
	if (code != SQLITE_OK)
		return code;
	reading.options.columns = requested_columns(plan);
	sql_filter_bound(filter, plan->condition, (size_t)plan->conditions);
	/* Skipped records would have no sites. */
	const bool skips = !filter->none && !POLY_HAS(reading.options.columns, site);
	if (skips) {
		reading.options.skip = (uint64_t)filter->first - 1;
		reading.options.count = (uint64_t)(filter->last - filter->first) + 1;
		/* Threads cost more than they gain. */
		reading.options.one_thread = reading.options.count <= POLY_BATCH_ROWS;
	}
	code = open_reader(table, &cursor->request, &reading, &cursor->reader);
	if (code == SQLITE_OK)
		code = sql_filter_build(filter, plan->condition, (size_t)plan->conditions,
			poly_reader_info(cursor->reader), !skips);
	if (code == SQLITE_OK && filter->none)
		end_scan(cursor);
	else if (code == SQLITE_OK && filter->where)
		code = select_rows(cursor, filter, reading.options.columns);
	return code;
}

static int
trace_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
	sqlite3_value **values)
{
	(void)number;
	struct trace_cursor *cursor = (struct trace_cursor *)base;
	struct sql_filter filter = {0};
	struct sql_plan plan;
	end_scan(cursor);
	sql_plan_parse(&plan, text, count, values);
	int code = collect_request(cursor, &plan);
	if (code == SQLITE_DONE)
		return SQLITE_OK;
	if (code == SQLITE_OK)
		code = begin_scan(cursor, &plan, &filter);
	sql_filter_free(&filter);
	if (code == SQLITE_OK && cursor->reader)
		code = next_batch(cursor);
	if (code != SQLITE_OK)
		end_scan(cursor);
	return code;
}

static int
trace_next(sqlite3_vtab_cursor *base)
{
	struct trace_cursor *cursor = (struct trace_cursor *)base;
	return ++cursor->row < cursor->batch->rows ? SQLITE_OK : next_batch(cursor);
}

static int
trace_eof(sqlite3_vtab_cursor *base)
{
	return !((struct trace_cursor *)base)->reader;
}

/* Returns a name as the value of a column; the names of a trace last as long as its reader. */
static void
give_name(sqlite3_context *context, const char *name, bool is_static)
{
	if (name)
		sqlite3_result_text(
			context, name, -1, is_static ? SQLITE_STATIC : SQLITE_TRANSIENT);
}

/* Returns the value of a column of the trace. */
static void
give_value(sqlite3_context *context, const struct poly_batch *batch, size_t row,
	enum poly_column column)
{
	const enum poly_form form = poly_column_form(column);
	size_t n;
	if (form == POLY_FORM_TEXT || form == POLY_FORM_BYTES) {
		const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
		if (form == POLY_FORM_TEXT)
			sqlite3_result_text64(context, n ? (const char *)bytes : "", n,
				SQLITE_TRANSIENT, SQLITE_UTF8);
		else
			sqlite3_result_blob64(
				context, n ? (const void *)bytes : "", n, SQLITE_TRANSIENT);
		return;
	}
	const uint64_t value = poly_batch_integer(batch, column, row);
	if (form == POLY_FORM_NAME)
		give_name(context, poly_trace_name(batch->info, (uint32_t)value), false);
	else if (form == POLY_FORM_RECORD && value < batch->info->record_count)
		give_name(context, batch->info->records[value], false);
	else if (form < POLY_FORM_RECORD)
		give_name(context, poly_enum_name(form, (unsigned)value), true);
	else if (form != POLY_FORM_RECORD)
		sqlite3_result_int64(context, (sqlite3_int64)value);
}

static int
trace_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct trace_cursor *cursor = (const struct trace_cursor *)base;
	const struct poly_batch *batch = cursor->batch;
	const size_t option = (size_t)column - SQL_COLUMN_OPTION;
	if (column == SQL_COLUMN_FILE)
		sqlite3_result_text(context, cursor->request.path, -1, SQLITE_TRANSIENT);
	else if (column == SQL_COLUMN_ROW)
		sqlite3_result_int64(
			context, (sqlite3_int64)poly_batch_number(batch, cursor->row));
	else if (column < SQL_COLUMN_ROW && option < cursor->request.count)
		sqlite3_result_text(
			context, cursor->request.options[option], -1, SQLITE_TRANSIENT);
	else if (column >= SQL_COLUMN_FIRST &&
		 poly_present(batch, sql_column(column), cursor->row))
		give_value(context, batch, cursor->row, sql_column(column));
	return SQLITE_OK;
}

static int
trace_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	const struct trace_cursor *cursor = (const struct trace_cursor *)base;
	*rowid = (sqlite3_int64)poly_batch_number(cursor->batch, cursor->row);
	return SQLITE_OK;
}

const sqlite3_module sql_trace_module = {
	.xCreate = trace_connect,
	.xConnect = trace_connect,
	.xBestIndex = trace_best_index,
	.xDisconnect = trace_disconnect,
	.xDestroy = trace_disconnect,
	.xOpen = trace_open,
	.xClose = trace_close,
	.xFilter = trace_filter,
	.xNext = trace_next,
	.xEof = trace_eof,
	.xColumn = trace_column,
	.xRowid = trace_rowid,
};
