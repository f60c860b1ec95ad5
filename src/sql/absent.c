/* SPDX-License-Identifier: MIT */
/* The database of a build without SQLite. */
#include "sql/database.h"

#include <string.h>

enum poly_status
sql_open(const struct sql_options *options, struct sql_database **database,
	struct poly_error *error)
{
	(void)options;
	*database = NULL;
	*error = (struct poly_error){.status = POLY_ERR_UNSUPPORTED, .offset = POLY_NO_OFFSET};
	strcpy(error->message, "this build lacks libsqlite3");
	return POLY_ERR_UNSUPPORTED;
}

void
sql_close(struct sql_database *database)
{
	(void)database;
}

enum poly_status
sql_add_trace(struct sql_database *database, const char *name, const char *path,
	const char *const *options, struct poly_error *error)
{
	(void)name;
	(void)path;
	(void)options;
	return sql_prepare(database, NULL, error);
}

enum poly_status
sql_prepare(struct sql_database *database, const char **text, struct poly_error *error)
{
	(void)text;
	return sql_open(NULL, &database, error);
}

int
sql_column_count(const struct sql_database *database)
{
	(void)database;
	return 0;
}

const char *
sql_column_name(const struct sql_database *database, int column)
{
	(void)database;
	(void)column;
	return "";
}

enum poly_status
sql_next(struct sql_database *database, struct poly_error *error)
{
	return sql_prepare(database, NULL, error);
}

struct sql_value
sql_value_at(struct sql_database *database, int column)
{
	(void)database;
	(void)column;
	return (struct sql_value){.type = SQL_NULL};
}
