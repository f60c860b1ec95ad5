/* SPDX-License-Identifier: MIT */
/* The database of the command: SQLite in memory, restricted. */
#include "sql/database.h"

#include "sql/tables.h"

#include <string.h>

/* Maximum bytes of a text, a blob or a row, and of a statement. */
#define LENGTH_MAX (64 << 20)
#define STATEMENT_MAX (1 << 20)

/* Instructions of SQLite's virtual machine between two calls of interrupted. */
#define STEPS 10000

/* Bytes of a statement that a message shows, before and after the error. */
#define EXCERPT 60

struct sql_database {
	sqlite3 *db;
	sqlite3_stmt *statement; /* the current one, or NULL */
	struct sql_host host;
};

/* Pragmas that only describe the database. */
static const char *const readable[] = {"collation_list", "compile_options", "database_list",
	"function_list", "index_info", "index_list", "index_xinfo", "module_list",
	"pragma_list", "table_info", "table_list", "table_xinfo", NULL};

static bool
is_among(const char *const *words, const char *word)
{
	while (word && *words && sqlite3_stricmp(*words, word) != 0)
		words++;
	return word && *words;
}

/* Denies what reaches beyond the database: other files, code, settings. */
static int
authorize(void *user, int action, const char *first, const char *second, const char *schema,
	const char *trigger)
{
	static const char *const functions[] = {"load_extension", "fts3_tokenizer", NULL};
	(void)user;
	(void)schema;
	(void)trigger;
	switch (action) {
	/* VACUUM INTO attaches its file. */
	case SQLITE_ATTACH: return SQLITE_DENY;
	case SQLITE_PRAGMA: return is_among(readable, first) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_FUNCTION: return is_among(functions, second) ? SQLITE_DENY : SQLITE_OK;
	default: return SQLITE_OK;
	}
}

static int
check_interrupt(void *user)
{
	const struct sql_host *host = user;
	return host->interrupted(host->user);
}

/* Fills an error. */
static enum poly_status
set_error(struct poly_error *error, enum poly_status status, const char *message)
{
	*error = (struct poly_error){.status = status, .offset = POLY_NO_OFFSET};
	sqlite3_snprintf(sizeof error->message, error->message, "%s", message);
	return status;
}

/* Returns the status of a result code. */
static enum poly_status
status_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM: return POLY_ERR_MEMORY;
	case SQLITE_TOOBIG: return POLY_ERR_LIMIT;
	case SQLITE_INTERRUPT: return POLY_ERR_CANCELLED;
	default: return POLY_ERR_USAGE;
	}
}

/* Fills an error with that of the last call. */
static enum poly_status
set_last_error(const struct sql_database *database, int code, struct poly_error *error)
{
	return set_error(error, status_of(code), sqlite3_errmsg(database->db));
}

/* Appends the excerpt of a statement and a caret under the error to a message. */
static void
append_excerpt(struct poly_error *error, const char *text, size_t offset)
{
	size_t begin = offset, end = offset;
	while (begin > 0 && offset - begin < EXCERPT && text[begin - 1] != '\n')
		begin--;
	while (text[end] && end - offset < EXCERPT && text[end] != '\n')
		end++;
	const size_t used = strlen(error->message);
	if (sizeof error->message - used < 4 * EXCERPT)
		return;
	sqlite3_snprintf((int)(sizeof error->message - used), error->message + used,
		"\n%.*s\n%*s", (int)(end - begin), text + begin, (int)(offset - begin) + 1,
		"^");
}

/* Restricts an open database and registers the tables. */
static int
set_up(struct sql_database *database, const struct sql_options *options)
{
	sqlite3 *db = database->db;
	sqlite3_hard_heap_limit64((sqlite3_int64)options->memory_bytes);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, STATEMENT_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	if (options->interrupted)
		sqlite3_progress_handler(db, STEPS, check_interrupt, &database->host);
	const int code = sql_register(db, &database->host);
	return code == SQLITE_OK ? sqlite3_set_authorizer(db, authorize, NULL) : code;
}

enum poly_status
sql_open(const struct sql_options *options, struct sql_database **database,
	struct poly_error *error)
{
	*database = NULL;
	struct sql_database *created = sqlite3_malloc64(sizeof *created);
	if (!created)
		return set_error(error, POLY_ERR_MEMORY, "out of memory");
	memset(created, 0, sizeof *created);
	created->host = (struct sql_host){options->interrupted, options->read, options->user};
	int code = sqlite3_open(":memory:", &created->db);
	if (code == SQLITE_OK)
		code = set_up(created, options);
	if (code == SQLITE_OK) {
		*database = created;
		return POLY_OK;
	}
	const enum poly_status status =
		code == SQLITE_MISUSE
			? set_error(error, POLY_ERR_UNSUPPORTED,
				  "libsqlite3 is too old (expected 3.38 or later)")
			: set_error(error, POLY_ERR_MEMORY, "out of memory");
	sql_close(created);
	return status;
}

void
sql_close(struct sql_database *database)
{
	if (!database)
		return;
	sqlite3_finalize(database->statement);
	sqlite3_close(database->db);
	sqlite3_free(database);
}

enum poly_status
sql_add_trace(struct sql_database *database, const char *name, const char *path,
	const char *const *options, struct poly_error *error)
{
	sqlite3_str *text = sqlite3_str_new(database->db);
	sqlite3_str_appendf(
		text, "CREATE VIRTUAL TABLE temp.\"%w\" USING trace(%Q", name, path);
	for (; options && *options; options++)
		sqlite3_str_appendf(text, ", %Q", *options);
	sqlite3_str_appendall(text, ")");
	char *sql = sqlite3_str_finish(text);
	if (!sql)
		return set_error(error, POLY_ERR_MEMORY, "out of memory");
	const int code = sqlite3_exec(database->db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return code == SQLITE_OK ? POLY_OK : set_last_error(database, code, error);
}

enum poly_status
sql_prepare(struct sql_database *database, const char **text, struct poly_error *error)
{
	sqlite3_finalize(database->statement);
	database->statement = NULL;
	/* Empty statements and comments are skipped. */
	while (**text && !database->statement) {
		const char *begin = *text;
		const int code =
			sqlite3_prepare_v2(database->db, begin, -1, &database->statement, text);
		if (code == SQLITE_OK)
			continue;
		const enum poly_status status = set_last_error(database, code, error);
		const int offset = sqlite3_error_offset(database->db);
		if (offset >= 0)
			append_excerpt(error, begin, (size_t)offset);
		return status;
	}
	return database->statement ? POLY_OK : POLY_END;
}

int
sql_column_count(const struct sql_database *database)
{
	return sqlite3_column_count(database->statement);
}

const char *
sql_column_name(const struct sql_database *database, int column)
{
	const char *name = sqlite3_column_name(database->statement, column);
	return name ? name : "";
}

enum poly_status
sql_next(struct sql_database *database, struct poly_error *error)
{
	const int code = sqlite3_step(database->statement);
	if (code == SQLITE_ROW)
		return POLY_OK;
	return code == SQLITE_DONE ? POLY_END : set_last_error(database, code, error);
}

struct sql_value
sql_value_at(struct sql_database *database, int column)
{
	static const enum sql_type types[] = {[SQLITE_NULL] = SQL_NULL,
		[SQLITE_INTEGER] = SQL_INTEGER,
		[SQLITE_FLOAT] = SQL_REAL,
		[SQLITE_TEXT] = SQL_TEXT,
		[SQLITE_BLOB] = SQL_BLOB};
	sqlite3_stmt *statement = database->statement;
	struct sql_value value = {.type = types[sqlite3_column_type(statement, column)]};
	if (value.type == SQL_NULL)
		return value;
	value.real = sqlite3_column_double(statement, column);
	value.bytes = value.type == SQL_BLOB
			      ? sqlite3_column_blob(statement, column)
			      : (const char *)sqlite3_column_text(statement, column);
	value.size = (size_t)sqlite3_column_bytes(statement, column);
	return value;
}
