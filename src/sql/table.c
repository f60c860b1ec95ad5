/* SPDX-License-Identifier: MIT */
/* What the virtual tables have in common. */
#include "sql/tables.h"

#include <stdarg.h>
#include <string.h>

/* Returns an argument of `create virtual table` without its quotes. */
static char *
unquote(const char *text)
{
	const size_t n = strlen(text);
	const char quote = *text;
	char *copy = sqlite3_malloc64(n + 1);
	if (!copy)
		return NULL;
	if (n < 2 || (quote != '\'' && quote != '"') || text[n - 1] != quote) {
		memcpy(copy, text, n + 1);
		return copy;
	}
	size_t used = 0;
	for (size_t i = 1; i < n - 1; i++) {
		copy[used++] = text[i];
		/* A quote within is doubled. */
		i += text[i] == quote;
	}
	copy[used] = 0;
	return copy;
}

/* Adds the arguments of `create virtual table` to the request of a table. */
static int
add_arguments(struct sql_table *table, struct sql_arguments arguments)
{
	int code = SQLITE_OK;
	for (int i = 3; i < arguments.count && code == SQLITE_OK; i++) {
		char *text = unquote(arguments.items[i]);
		if (!text)
			code = SQLITE_NOMEM;
		else if (i == 3)
			code = sql_request_set_path(&table->request, text);
		else
			code = sql_request_add(&table->request, text);
		sqlite3_free(text);
	}
	return code;
}

int
sql_table_new(size_t size, const struct sql_table *initial, struct sql_arguments arguments,
	struct sql_table **table, char **message)
{
	/* The module, the database, and the name of the table come first. */
	const char *module = arguments.items[0], *name = arguments.items[2];
	*table = NULL;
	if (arguments.count == 3 && strcmp(module, name) != 0) {
		*message = sqlite3_mprintf(
			"%s: missing file name; write 'using %s('FILE')'", name, module);
		return SQLITE_ERROR;
	}
	struct sql_table *created = sqlite3_malloc64(size);
	if (!created)
		return SQLITE_NOMEM;
	memset(created, 0, size);
	*created = *initial;
	const int code = add_arguments(created, arguments);
	if (code == SQLITE_OK) {
		*table = created;
		return SQLITE_OK;
	}
	if (code == SQLITE_TOOBIG)
		*message = sqlite3_mprintf("%s: more than %d options", name, SQL_OPTIONS_MAX);
	sql_table_free(&created->base);
	return code == SQLITE_TOOBIG ? SQLITE_ERROR : code;
}

int
sql_table_free(sqlite3_vtab *base)
{
	struct sql_table *table = (struct sql_table *)base;
	sql_request_free(&table->request);
	sqlite3_free(table);
	return SQLITE_OK;
}

int
sql_declare(sqlite3 *db, sqlite3_str *statement)
{
	char *text = sqlite3_str_finish(statement);
	const int code = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	return code;
}

bool
sql_argument_is_repeated(const sqlite3_index_info *info, int i)
{
	for (int k = i + 1; k < info->nConstraint; k++) {
		if (info->aConstraint[k].iColumn == info->aConstraint[i].iColumn &&
			info->aConstraint[k].op == SQLITE_INDEX_CONSTRAINT_EQ)
			return true;
	}
	return false;
}

int
sql_cursor_new(size_t size, sqlite3_vtab_cursor **cursor)
{
	*cursor = sqlite3_malloc64(size);
	if (!*cursor)
		return SQLITE_NOMEM;
	memset(*cursor, 0, size);
	return SQLITE_OK;
}

bool
sql_is_interrupted(const struct sql_table *table)
{
	const struct sql_host *host = table->module->host;
#if SQLITE_VERSION_NUMBER >= 3041000
	if (sqlite3_libversion_number() >= 3041000 && sqlite3_is_interrupted(table->db))
		return true;
#endif
	return host && host->interrupted && host->interrupted(host->user);
}

void
sql_close_reader(const struct sql_table *table, const char *path, struct poly_reader *reader)
{
	const struct sql_host *host = table->module->host;
	if (reader && host && host->read)
		host->read(host->user, path, reader);
	poly_reader_close(reader);
}

int
sql_progress(void *table, uint64_t input_bytes, uint64_t input_total)
{
	(void)input_bytes;
	(void)input_total;
	return sql_is_interrupted(table);
}

char *
sql_error_text(const char *path, const struct poly_error *error)
{
	char location[120] = "";
	size_t used = 0;
	if (error->record) {
		sqlite3_snprintf(sizeof location, location, "record %llu, ", error->record);
		used = strlen(location);
	}
	if (error->line) {
		sqlite3_snprintf((int)(sizeof location - used), location + used, "line %llu, ",
			error->line);
		used = strlen(location);
	}
	if (error->offset != POLY_NO_OFFSET)
		sqlite3_snprintf((int)(sizeof location - used), location + used,
			"byte %llu (0x%llx), ", error->offset, error->offset);
	used = strlen(location);
	if (used)
		location[used - 2] = 0;
	/* The tables have the options of the library by their names. */
	const char *const words = error->message + error->option_at;
	const bool is_own = error->option_size > strlen(error->option);
	const char *const verb = is_own && words[3] == ' ' ? "set " : "";
	return sqlite3_mprintf("%s%s%s%s%.*s%s%s%s%s%s", path ? path : "", path ? ": " : "",
		location, *location ? ": " : "", (int)error->option_at, error->message, verb,
		is_own ? "option '" : "", is_own ? error->option : "", is_own ? "'" : "",
		words + (is_own ? error->option_size : 0));
}

int
sql_fail(struct sql_table *table, const char *path, const struct poly_error *error)
{
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sql_error_text(path, error);
	if (error->status == POLY_ERR_CANCELLED)
		return SQLITE_INTERRUPT;
	return error->status == POLY_ERR_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

int
sql_refuse(struct sql_table *table, const char *message, ...)
{
	va_list list;
	va_start(list, message);
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_vmprintf(message, list);
	va_end(list);
	return SQLITE_ERROR;
}
