/* SPDX-License-Identifier: MIT */
/* Runs analyses for SQL. */
#include "sql/analysis.h"

#include "polytrace/stats.h"

#include "sql/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Maximum bytes of the name of a table, and of an option of an analysis. */
#define NAME_MAX_BYTES 300
#define OPTION_MAX 400

/* Temporary files of the analyses that read a trace twice. */

static void *
open_store(void *user)
{
	(void)user;
	return tmpfile();
}

static bool
put_store(void *store, uint64_t at, const void *data, size_t size)
{
	return fseeko(store, (off_t)at, SEEK_SET) == 0 && fwrite(data, 1, size, store) == size;
}

static bool
get_store(void *store, uint64_t at, void *data, size_t size)
{
	if (fseeko(store, (off_t)at, SEEK_SET) != 0)
		return false;
	errno = EIO;
	return fread(data, 1, size, store) == size;
}

static void
close_store(void *store)
{
	fclose(store);
}

static const struct poly_stats_stores stores = {
	.open = open_store,
	.put = put_store,
	.get = get_store,
	.close = close_store,
};

/* A run of an analysis. */
struct run {
	struct sql_table *table;
	const struct sql_request *request;
	const char *analysis;
	struct sql_reading reading;
	struct poly_stats_options options;
	const char *names[2];
	const char *words[SQL_OPTIONS_MAX + 1];
	char word[SQL_OPTIONS_MAX][OPTION_MAX];
	const char *selected; /* name of the only table; NULL: all */
	struct poly_symbols *symbols;
	struct poly_stats *stats;
	struct poly_reader *reader;
	struct poly_report *report;
};

/* Returns whether an analysis has an option of a name of n bytes. */
static bool
has_option(const struct poly_analysis_info *info, const char *name, size_t n)
{
	const size_t prefix = strlen(info->name) + 1;
	for (const struct poly_option *option = info->options; option->name; option++) {
		if (strlen(option->name) == prefix + n &&
			memcmp(option->name + prefix, name, n) == 0)
			return true;
	}
	return false;
}

/* Adds an option of the analysis. Lists of a sweep, such as size=32k, stand for it. */
static int
add_option(struct run *run, size_t i, const char *option)
{
	const struct poly_analysis_info *info = poly_analysis_find(run->analysis);
	const size_t n = strcspn(option, "=");
	const bool is_sweep = !has_option(info, option, n) && has_option(info, "sweep", 5) &&
			      option[n] == '=' && !memchr(option, '.', n);
	if (strlen(option) > OPTION_MAX - 100)
		return sql_refuse(run->table, "option '%.40s...': longer than %d bytes", option,
			OPTION_MAX - 100);
	if (memchr(option, '.', n))
		sqlite3_snprintf(OPTION_MAX, run->word[i], "%s", option);
	else
		sqlite3_snprintf(OPTION_MAX, run->word[i], "%s.%s%s", run->analysis,
			is_sweep ? "sweep=" : "", option);
	run->words[i] = run->word[i];
	return SQLITE_OK;
}

/* Collects the options of a run. */
static int
collect_options(struct run *run)
{
	const struct poly_stats_options initial = POLY_STATS_OPTIONS_INIT;
	const char *option;
	char *message = NULL;
	size_t count = 0;
	struct poly_error error;
	int code = SQLITE_OK;
	run->options = initial;
	if (!sql_request_resolve(run->request, &run->reading, &message)) {
		sql_refuse(run->table, "%s", message ? message : "out of memory");
		sqlite3_free(message);
		return SQLITE_ERROR;
	}
	for (size_t i = 0; code == SQLITE_OK && (option = run->reading.others[i]); i++) {
		if (strncmp(option, "table=", 6) == 0)
			run->selected = option + 6;
		else if (strncmp(option, "symbols=", 8) != 0)
			code = add_option(run, count++, option);
		else if (!run->symbols &&
			 poly_symbols_open(option + 8, &run->symbols, &error) != POLY_OK)
			code = sql_fail(run->table, option + 8, &error);
	}
	run->names[0] = run->analysis;
	run->options.analyses = run->names;
	run->options.options = run->words;
	run->options.stores = &stores;
	run->options.symbols = run->symbols;
	return code;
}

/* Opens the trace, and begins the analysis on it. */
static int
begin_run(struct run *run)
{
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	struct poly_error error;
	char *refusal = sql_file_refusal(run->request->path);
	if (refusal) {
		sql_refuse(run->table, "%s", refusal);
		sqlite3_free(refusal);
		return SQLITE_ERROR;
	}
	run->reading.options.progress = sql_progress;
	run->reading.options.user = run->table;
	if (poly_stats_new(&run->options, &run->stats, &error) != POLY_OK)
		return sql_fail(run->table, run->analysis, &error);
	enum poly_status status = poly_reader_open(
		run->request->path, &run->reading.options, &run->reader, &error);
	if (status == POLY_OK)
		status = poly_stats_begin(run->stats, poly_reader_info(run->reader), &error);
	if (status == POLY_OK) {
		plan.columns = poly_stats_columns(run->stats);
		plan.weights = poly_stats_accepts_weights(run->stats);
		status = poly_reader_plan(run->reader, &plan, &error);
	}
	return status == POLY_OK ? SQLITE_OK : sql_fail(run->table, run->request->path, &error);
}

/* Analyses the records, and builds the report. */
static int
analyse(struct run *run)
{
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	while ((status = poly_reader_next(run->reader, &batch, &error)) == POLY_OK &&
		(status = poly_stats_update(run->stats, batch, &error)) == POLY_OK) {
		if (sql_is_interrupted(run->table))
			return SQLITE_INTERRUPT;
	}
	if (status >= 0)
		status = poly_stats_finish(run->stats, &error);
	if (status < 0)
		return sql_fail(run->table, run->request->path, &error);
	run->report = poly_report_new();
	if (!run->report)
		return SQLITE_NOMEM;
	poly_stats_report(run->stats, run->analysis, run->report);
	return SQLITE_OK;
}

/* Appends bytes to the text of a result, after a failure nothing; a poly_write_fn. */
static int
append_text(void *user, const void *data, size_t size)
{
	struct sql_result *result = user;
	char *text = sqlite3_realloc64(result->text, result->size + size + 1);
	if (!text)
		return ENOMEM;
	result->text = text;
	memcpy(text + result->size, data, size);
	result->size += size;
	text[result->size] = 0;
	return 0;
}

/* Appends the row of the object at an offset. */
static int
append_row(struct sql_result *result, struct sql_row row)
{
	/* The array grows by powers of two. */
	if ((result->count & (result->count - 1)) == 0) {
		struct sql_row *rows = sqlite3_realloc64(
			result->rows, (result->count ? 2 * result->count : 1) * sizeof *rows);
		if (!rows)
			return SQLITE_NOMEM;
		result->rows = rows;
	}
	result->rows[result->count++] = row;
	return SQLITE_OK;
}

/* Renders a table at the end of the text. */
static int
render_table(struct run *run, struct sql_result *result, const char *name,
	enum poly_rendering rendering)
{
	struct poly_render_options options = POLY_RENDER_OPTIONS_INIT;
	const struct poly_sink sink = {append_text, result};
	struct poly_error error;
	options.rendering = rendering;
	options.table = name;
	const enum poly_status status =
		poly_report_render_with(run->report, &options, &sink, &error);
	if (status == POLY_ERR_IO)
		return SQLITE_NOMEM;
	return status == POLY_OK ? SQLITE_OK : sql_fail(run->table, NULL, &error);
}

/* Appends the rows of a table. */
static int
append_table(struct run *run, struct sql_result *result, const char *name)
{
	struct sql_row row = {.name = result->size};
	if (append_text(result, name, strlen(name) + 1) != 0)
		return SQLITE_NOMEM;
	size_t at = result->size;
	int code = render_table(run, result, name, POLY_RENDER_JSON_LINE);
	/* The array of the table's objects. */
	while (code == SQLITE_OK && at < result->size && result->text[at] != '[')
		at++;
	while (code == SQLITE_OK && json_next_object(result->text, &at, &row.length)) {
		row.offset = at;
		row.number++;
		at += row.length;
		code = append_row(result, row);
	}
	return code;
}

/* Stores the columns of the only table. */
static int
find_keys(struct run *run, struct sql_result *result, const char *name)
{
	const size_t at = result->size;
	const int code = render_table(run, result, name, POLY_RENDER_CSV);
	if (code != SQLITE_OK)
		return code;
	result->keys = sqlite3_mprintf(
		"%.*s", (int)strcspn(result->text + at, "\n"), result->text + at);
	return result->keys ? SQLITE_OK : SQLITE_NOMEM;
}

/* Refuses the name of the only table: the message lists those that there are. */
static int
refuse_name(struct run *run, const char *selected)
{
	char name[NAME_MAX_BYTES];
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (size_t i = 0; poly_report_table_at(run->report, i, name, sizeof name); i++)
		sqlite3_str_appendf(text, "%s%s", i ? ", " : "", name);
	char *names = sqlite3_str_finish(text);
	sql_refuse(run->table,
		"%s: no table '%s' (expected one of: %s); use the option "
		"'table=NAME'",
		run->analysis, selected, names ? names : "");
	sqlite3_free(names);
	return SQLITE_ERROR;
}

/* Appends the requested tables of the report. */
static int
append_tables(struct run *run, struct sql_result *result)
{
	char name[NAME_MAX_BYTES];
	int code = SQLITE_OK;
	if (!run->selected) {
		for (size_t i = 0; code == SQLITE_OK &&
				   poly_report_table_at(run->report, i, name, sizeof name);
			i++)
			code = append_table(run, result, name);
		return code;
	}
	for (size_t i = 0; poly_report_table_at(run->report, i, name, sizeof name); i++) {
		if (strcmp(name, run->selected) != 0)
			continue;
		code = append_table(run, result, name);
		return code == SQLITE_OK ? find_keys(run, result, name) : code;
	}
	return refuse_name(run, run->selected);
}

int
sql_result_run(struct sql_result *result, struct sql_table *table,
	const struct sql_request *request, const char *analysis)
{
	struct run *run = sqlite3_malloc64(sizeof *run);
	if (!run)
		return SQLITE_NOMEM;
	memset(run, 0, sizeof *run);
	run->table = table;
	run->request = request;
	run->analysis = analysis;
	int code = collect_options(run);
	if (code == SQLITE_OK)
		code = begin_run(run);
	if (code == SQLITE_OK)
		code = analyse(run);
	if (code == SQLITE_OK)
		code = append_tables(run, result);
	poly_report_free(run->report);
	poly_stats_free(run->stats);
	sql_close_reader(run->table, run->request->path, run->reader);
	poly_symbols_free(run->symbols);
	sqlite3_free(run);
	return code;
}

void
sql_result_free(struct sql_result *result)
{
	sqlite3_free(result->text);
	sqlite3_free(result->rows);
	sqlite3_free(result->keys);
	memset(result, 0, sizeof *result);
}

void
sql_result_value(const struct sql_result *result, const struct sql_row *row, int i,
	sqlite3_context *context)
{
	json_member_value(result->text + row->offset, i, context);
}
