/* SPDX-License-Identifier: MIT */
/*
 * polytrace.so: the tables and functions in any program with SQLite.
 *
 * spec: https://www.sqlite.org/loadext.html, section 4
 */
#include "polytrace/status.h"

#include "sql/tables.h"

SQLITE_EXTENSION_INIT1

/* Called by SQLite, by its name, when the module is loaded. */
POLY_API int sqlite3_polytrace_init(
	sqlite3 *db, char **message, const sqlite3_api_routines *functions);

int
sqlite3_polytrace_init(sqlite3 *db, char **message, const sqlite3_api_routines *functions)
{
	SQLITE_EXTENSION_INIT2(functions);
	const int code = sql_register(db, NULL);
	if (code == SQLITE_MISUSE)
		*message = sqlite3_mprintf(
			"polytrace: SQLite %s is too old (expected 3.38 or later)",
			sqlite3_libversion());
	return code;
}
