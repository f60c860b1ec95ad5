/* SPDX-License-Identifier: MIT */
/*
 * The table trace_symbols('FILE'): the functions and data of an ELF file or of a list, by
 * address. pc between first and last joins them to records.
 */
#include "sql/tables.h"

#include "polytrace/symbols.h"

#include <string.h>

enum { COLUMN_NAME, COLUMN_FIRST, COLUMN_LAST, COLUMN_IS_CODE, COLUMN_FILE };

/* Symbols that are assumed of a file. */
#define ROWS_DEFAULT 1000

struct symbols_cursor {
	sqlite3_vtab_cursor base; /* first */
	char *path;		  /* of the symbols */
	struct poly_symbols *symbols;
	size_t row;
};

static int
symbols_connect(sqlite3 *db, void *module, int count, const char *const *arguments,
	sqlite3_vtab **base, char **message)
{
	const struct sql_table initial = {.db = db, .module = module};
	struct sql_table *table;
	int code = sql_table_new(sizeof(struct sql_table), &initial,
		(struct sql_arguments){arguments, count}, &table, message);
	if (code != SQLITE_OK)
		return code;
	code = sqlite3_declare_vtab(db, "CREATE TABLE x(name TEXT, first INTEGER, "
					"last INTEGER, is_code INTEGER, file TEXT HIDDEN)");
	if (code == SQLITE_OK)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (code == SQLITE_OK)
		*base = &table->base;
	else
		sql_table_free(&table->base);
	return code;
}

static int
symbols_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct sql_table *table = (struct sql_table *)base;
	bool has_file = table->request.path;
	info->estimatedRows = ROWS_DEFAULT;
	info->estimatedCost = ROWS_DEFAULT;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
		if (constraint->iColumn != COLUMN_FILE ||
			constraint->op != SQLITE_INDEX_CONSTRAINT_EQ ||
			sql_argument_is_repeated(info, i))
			continue;
		if (!constraint->usable)
			return SQLITE_CONSTRAINT;
		has_file = true;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = true;
	}
	return has_file ? SQLITE_OK
			: sql_refuse(table, "%s: missing file name; write %s('FILE')",
				  table->module->name, table->module->name);
}

static int
symbols_open(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	(void)base;
	return sql_cursor_new(sizeof(struct symbols_cursor), cursor);
}

/* Frees the symbols. */
static void
clear(struct symbols_cursor *cursor)
{
	poly_symbols_free(cursor->symbols);
	sqlite3_free(cursor->path);
	cursor->symbols = NULL;
	cursor->path = NULL;
}

static int
symbols_close(sqlite3_vtab_cursor *base)
{
	clear((struct symbols_cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int
symbols_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
	sqlite3_value **values)
{
	(void)number;
	(void)text;
	struct symbols_cursor *cursor = (struct symbols_cursor *)base;
	struct sql_table *table = (struct sql_table *)base->pVtab;
	const char *path =
		count ? (const char *)sqlite3_value_text(values[0]) : table->request.path;
	struct poly_error error;
	cursor->row = 0;
	/* A join evaluates the function per row of another table. */
	if (path && cursor->path && strcmp(path, cursor->path) == 0)
		return SQLITE_OK;
	clear(cursor);
	if (!path)
		return SQLITE_OK;
	char *refusal = sql_file_refusal(path);
	if (refusal) {
		sql_refuse(table, "%s", refusal);
		sqlite3_free(refusal);
		return SQLITE_ERROR;
	}
	if (poly_symbols_open(path, &cursor->symbols, &error) != POLY_OK)
		return sql_fail(table, path, &error);
	cursor->path = sqlite3_mprintf("%s", path);
	return cursor->path ? SQLITE_OK : SQLITE_NOMEM;
}

static int
symbols_next(sqlite3_vtab_cursor *base)
{
	((struct symbols_cursor *)base)->row++;
	return SQLITE_OK;
}

static int
symbols_eof(sqlite3_vtab_cursor *base)
{
	const struct symbols_cursor *cursor = (const struct symbols_cursor *)base;
	return !cursor->symbols || !poly_symbols_at(cursor->symbols, cursor->row);
}

static int
symbols_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct symbols_cursor *cursor = (const struct symbols_cursor *)base;
	const struct poly_symbol *symbol = poly_symbols_at(cursor->symbols, cursor->row);
	switch (column) {
	case COLUMN_NAME:
		sqlite3_result_text(context, symbol->name, -1, SQLITE_TRANSIENT);
		break;
	case COLUMN_FIRST: sqlite3_result_int64(context, (sqlite3_int64)symbol->address); break;
	case COLUMN_LAST:
		/* Symbols within others have no addresses of their own. */
		if (symbol->size)
			sqlite3_result_int64(
				context, (sqlite3_int64)(symbol->address + symbol->size - 1));
		break;
	case COLUMN_IS_CODE: sqlite3_result_int(context, symbol->is_code); break;
	default: sqlite3_result_text(context, cursor->path, -1, SQLITE_TRANSIENT);
	}
	return SQLITE_OK;
}

static int
symbols_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((struct symbols_cursor *)base)->row + 1;
	return SQLITE_OK;
}

const sqlite3_module sql_symbols_module = {
	.xCreate = symbols_connect,
	.xConnect = symbols_connect,
	.xBestIndex = symbols_best_index,
	.xDisconnect = sql_table_free,
	.xDestroy = sql_table_free,
	.xOpen = symbols_open,
	.xClose = symbols_close,
	.xFilter = symbols_filter,
	.xNext = symbols_next,
	.xEof = symbols_eof,
	.xColumn = symbols_column,
	.xRowid = symbols_rowid,
};
