/* SPDX-License-Identifier: MIT */
/*
 * The tables of analyses: trace_stats('FILE', 'ANALYSIS', 'OPTION', ...), trace_sim and
 * trace_calls. As functions they return a row per row of each table of the results, as a JSON
 * object; `create virtual table` has the columns of one table.
 */
#include "sql/analysis.h"

#include "polytrace/stats.h"

#include <string.h>

/* Columns of a function; the analysis and the options follow. */
enum { COLUMN_TABLE, COLUMN_ROW, COLUMN_RECORD, COLUMN_FILE, COLUMN_ARGUMENT };

/* Cost of an analysis, and rows of its results, assumed. */
#define COST_RUN 1e7
#define ROWS_DEFAULT 100

struct analysis_table {
	struct sql_table table;	  /* first */
	struct sql_result result; /* of `create virtual table` */
};

struct analysis_cursor {
	sqlite3_vtab_cursor base; /* first */
	struct sql_request request;
	char *analysis;		       /* owned; NULL: none was run */
	struct sql_result result;      /* of the request */
	const struct sql_result *rows; /* those of the cursor: its own or the table's */
	size_t row;
};

/* Returns the table of a cursor. */
static struct analysis_table *
table_of(const struct analysis_cursor *cursor)
{
	return (struct analysis_table *)cursor->base.pVtab;
}

/* Returns whether a function runs an analysis; if not, the table has a message. */
static bool
check_analysis(struct sql_table *table, const char *name)
{
	const struct sql_module *module = table->module;
	const struct poly_analysis_info *info = poly_analysis_find(name);
	if (info && (info->kind == POLY_ANALYSIS_SIMULATION) == module->simulates)
		return true;
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		if ((info->kind == POLY_ANALYSIS_SIMULATION) == module->simulates &&
			info->kind != POLY_ANALYSIS_HOMEWORK)
			sqlite3_str_appendf(
				text, "%s%s", sqlite3_str_length(text) ? ", " : "", info->name);
	}
	char *names = sqlite3_str_finish(text);
	sql_refuse(table, "%s: no such %s '%.100s' (expected one of: %s)", module->name,
		module->simulates ? "simulator" : "analysis", name, names ? names : "");
	sqlite3_free(names);
	return false;
}

/* Declares the columns of a function. */
static int
declare_function(const struct sql_table *table)
{
	sqlite3_str *text = sqlite3_str_new(table->db);
	sqlite3_str_appendf(text,
		"CREATE TABLE x(name TEXT, \"row\" INTEGER, record TEXT, file TEXT HIDDEN%s",
		table->module->analysis ? "" : ", analysis TEXT HIDDEN");
	for (int i = 1; i <= SQL_OPTIONS_MAX; i++)
		sqlite3_str_appendf(text, ", option%d TEXT HIDDEN", i);
	sqlite3_str_appendall(text, ")");
	return sql_declare(table->db, text);
}

/* Declares the columns of a table of results. */
static int
declare_keys(const struct sql_table *table, const char *keys)
{
	sqlite3_str *text = sqlite3_str_new(table->db);
	for (size_t n; *keys; keys += n + (keys[n] == ',')) {
		n = strcspn(keys, ",");
		sqlite3_str_appendf(text, "%s\"%.*w\"",
			sqlite3_str_length(text) ? ", " : "CREATE TABLE x(", (int)n, keys);
	}
	sqlite3_str_appendall(text, ")");
	return sql_declare(table->db, text);
}

/* Runs the analysis of a table of results: the first option names it. */
static int
run_table(struct analysis_table *table)
{
	struct sql_request *request = &table->table.request;
	const struct sql_module *module = table->table.module;
	char *named = NULL;
	bool selects = false;
	if (!module->analysis) {
		named = request->count ? request->options[0] : sqlite3_mprintf("");
		if (!named)
			return SQLITE_NOMEM;
		request->count -= request->count > 0;
		memmove(request->options, request->options + 1,
			request->count * sizeof *request->options);
	}
	for (size_t i = 0; i < request->count; i++)
		selects |= strncmp(request->options[i], "table=", 6) == 0;
	int code = SQLITE_OK;
	/* An unknown name: the message lists the tables. */
	if (!selects)
		code = sql_request_add(request, "table=");
	if (code == SQLITE_OK && named && !check_analysis(&table->table, named))
		code = SQLITE_ERROR;
	if (code == SQLITE_OK)
		code = sql_result_run(&table->result, &table->table, request,
			named ? named : module->analysis);
	sqlite3_free(named);
	return code;
}

static int
report_disconnect(sqlite3_vtab *base)
{
	sql_result_free(&((struct analysis_table *)base)->result);
	return sql_table_free(base);
}

static int
report_connect(sqlite3 *db, void *module, int count, const char *const *arguments,
	sqlite3_vtab **base, char **message)
{
	const struct sql_table initial = {.db = db, .module = module};
	struct sql_table *table;
	int code = sql_table_new(sizeof(struct analysis_table), &initial,
		(struct sql_arguments){arguments, count}, &table, message);
	if (code != SQLITE_OK)
		return code;
	struct analysis_table *created = (struct analysis_table *)table;
	if (table->request.path)
		code = run_table(created);
	if (code == SQLITE_OK)
		code = created->result.keys ? declare_keys(table, created->result.keys)
					    : declare_function(table);
	if (code == SQLITE_OK)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (code == SQLITE_OK) {
		*base = &table->base;
		return SQLITE_OK;
	}
	*message = table->base.zErrMsg;
	report_disconnect(&table->base);
	return code;
}

static int
report_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct analysis_table *table = (struct analysis_table *)base;
	bool has_file = false, has_analysis = table->table.module->analysis;
	info->estimatedCost = COST_RUN;
	info->estimatedRows = ROWS_DEFAULT;
	if (table->result.keys) {
		info->estimatedRows = (sqlite3_int64)table->result.count;
		info->estimatedCost = (double)table->result.count;
		return SQLITE_OK;
	}
	sqlite3_str *columns = sqlite3_str_new(NULL);
	for (int i = 0, n = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
		if (constraint->iColumn < COLUMN_FILE ||
			constraint->op != SQLITE_INDEX_CONSTRAINT_EQ ||
			sql_argument_is_repeated(info, i))
			continue;
		if (!constraint->usable) {
			sqlite3_free(sqlite3_str_finish(columns));
			return SQLITE_CONSTRAINT;
		}
		has_file |= constraint->iColumn == COLUMN_FILE;
		has_analysis |= constraint->iColumn == COLUMN_ARGUMENT;
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = true;
		sqlite3_str_appendchar(columns, 1, (char)('a' + constraint->iColumn));
	}
	const int code = sqlite3_str_errcode(columns);
	info->idxStr = sqlite3_str_finish(columns);
	info->needToFreeIdxStr = 1;
	if (code == SQLITE_OK && !(has_file && has_analysis))
		return sql_refuse(&table->table, "%s: missing %s; write %s('FILE'%s)",
			table->table.module->name, has_file ? "analysis" : "file name",
			table->table.module->name,
			table->table.module->analysis ? "" : ", 'NAME'");
	return code;
}

static int
report_open(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	(void)base;
	return sql_cursor_new(sizeof(struct analysis_cursor), cursor);
}

static int
report_close(sqlite3_vtab_cursor *base)
{
	struct analysis_cursor *cursor = (struct analysis_cursor *)base;
	sql_request_free(&cursor->request);
	sqlite3_free(cursor->analysis);
	sql_result_free(&cursor->result);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/* Collects the arguments of a function. SQLITE_DONE: one is NULL, and equal to none. */
static int
collect_arguments(const struct sql_module *module, const char *columns, sqlite3_value **values,
	struct sql_request *request, char **analysis)
{
	int code = SQLITE_OK;
	for (int i = 0; columns[i] && code == SQLITE_OK; i++) {
		const int column = columns[i] - 'a';
		const char *text = (const char *)sqlite3_value_text(values[i]);
		if (!text)
			return SQLITE_DONE;
		if (column == COLUMN_FILE)
			code = sql_request_set_path(request, text);
		else if (column != COLUMN_ARGUMENT || module->analysis)
			code = sql_request_add(request, text);
		else if (!(*analysis = sqlite3_mprintf("%s", text)))
			code = SQLITE_NOMEM;
	}
	if (code == SQLITE_OK && !*analysis && module->analysis)
		*analysis = sqlite3_mprintf("%s", module->analysis);
	return code == SQLITE_OK && !*analysis ? SQLITE_NOMEM : code;
}

static int
report_filter(sqlite3_vtab_cursor *base, int number, const char *columns, int count,
	sqlite3_value **values)
{
	(void)number;
	(void)count;
	static const struct sql_result none;
	struct analysis_cursor *cursor = (struct analysis_cursor *)base;
	struct analysis_table *table = table_of(cursor);
	struct sql_request request = {0};
	char *analysis = NULL;
	cursor->row = 0;
	cursor->rows = &none;
	if (table->result.keys) {
		cursor->rows = &table->result;
		return SQLITE_OK;
	}
	int code = collect_arguments(table->table.module, columns, values, &request, &analysis);
	const bool is_same = code == SQLITE_OK && cursor->analysis &&
			     strcmp(analysis, cursor->analysis) == 0 &&
			     sql_request_equal(&request, &cursor->request);
	/* A join evaluates the function per row of another table. */
	if (code == SQLITE_OK && !is_same) {
		sql_request_free(&cursor->request);
		sqlite3_free(cursor->analysis);
		sql_result_free(&cursor->result);
		cursor->request = request;
		cursor->analysis = NULL;
		memset(&request, 0, sizeof request);
		code = check_analysis(&table->table, analysis)
			       ? sql_result_run(&cursor->result, &table->table,
					 &cursor->request, analysis)
			       : SQLITE_ERROR;
		if (code == SQLITE_OK) {
			cursor->analysis = analysis;
			analysis = NULL;
		}
	}
	if (code == SQLITE_OK)
		cursor->rows = &cursor->result;
	sql_request_free(&request);
	sqlite3_free(analysis);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
report_next(sqlite3_vtab_cursor *base)
{
	((struct analysis_cursor *)base)->row++;
	return SQLITE_OK;
}

static int
report_eof(sqlite3_vtab_cursor *base)
{
	const struct analysis_cursor *cursor = (const struct analysis_cursor *)base;
	return cursor->row >= cursor->rows->count;
}

static int
report_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct analysis_cursor *cursor = (const struct analysis_cursor *)base;
	const struct sql_result *rows = cursor->rows;
	const struct sql_row *row = &rows->rows[cursor->row];
	const bool names = !table_of(cursor)->table.module->analysis;
	const size_t option = (size_t)column - COLUMN_ARGUMENT - names;
	const char *text = NULL;
	if (table_of(cursor)->result.keys) {
		sql_result_value(rows, row, column, context);
		return SQLITE_OK;
	}
	if (column == COLUMN_ROW) {
		sqlite3_result_int64(context, (sqlite3_int64)row->number);
		return SQLITE_OK;
	}
	if (column == COLUMN_RECORD) {
		sqlite3_result_text64(context, rows->text + row->offset, row->length,
			SQLITE_TRANSIENT, SQLITE_UTF8);
		return SQLITE_OK;
	}
	if (column == COLUMN_TABLE)
		text = rows->text + row->name;
	else if (column == COLUMN_FILE)
		text = cursor->request.path;
	else if (column == COLUMN_ARGUMENT && names)
		text = cursor->analysis;
	else if (option < cursor->request.count)
		text = cursor->request.options[option];
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int
report_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((struct analysis_cursor *)base)->row + 1;
	return SQLITE_OK;
}

const sqlite3_module sql_report_module = {
	.xCreate = report_connect,
	.xConnect = report_connect,
	.xBestIndex = report_best_index,
	.xDisconnect = report_disconnect,
	.xDestroy = report_disconnect,
	.xOpen = report_open,
	.xClose = report_close,
	.xFilter = report_filter,
	.xNext = report_next,
	.xEof = report_eof,
	.xColumn = report_column,
	.xRowid = report_rowid,
};
