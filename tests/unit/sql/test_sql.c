/* SPDX-License-Identifier: MIT */
/* Statements that run out of the library's memory. SQLite's own is limited in tests/sql. */
#include "sql/database.h"

#include "test_help.h"

/* Trace, and statements about it. */
struct query {
	const char *path, *text;
};

static int
never(void *user)
{
	(void)user;
	return 0;
}

static enum poly_status
run_statements(struct sql_database *database, const char *text)
{
	struct poly_error error;
	enum poly_status status;
	size_t rows = 0;
	while ((status = sql_prepare(database, &text, &error)) == POLY_OK) {
		while ((status = sql_next(database, &error)) == POLY_OK)
			rows++;
		if (status != POLY_END)
			return status;
	}
	assert_true(status != POLY_END || rows > 0);
	return status;
}

static enum poly_status
run_query(void *context)
{
	const struct query *query = context;
	const struct sql_options options = {.interrupted = never};
	const char *const settings[] = {"threads=1", NULL};
	struct sql_database *database;
	struct poly_error error;
	enum poly_status status = sql_open(&options, &database, &error);
	if (status != POLY_OK)
		return status;
	status = sql_add_trace(database, "t", query->path, settings, &error);
	if (status == POLY_OK)
		status = run_statements(database, query->text);
	sql_close(database);
	return status;
}

static void
lack_of_memory_is_reported_by_every_table(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"SELECT count(mnemonic), max(address) FROM t WHERE pc > 5 AND access = 'read'",
		"SELECT a.row, b.pc FROM t a JOIN t b ON b.rowid = a.row + 1 WHERE a.row < 4",
		("CREATE TABLE u AS SELECT row AS r FROM t WHERE row IN (3, 900);"
		 "SELECT pc FROM t, u WHERE row = r"),
	};
	char path[500];
	snprintf(path, sizeof path, "%s/tests/data/cis501/sort_1k.trace",
		getenv("POLYTRACE_ROOT"));
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		law_memory_as(&(struct memory_law){.run = run_query,
			.context = &(struct query){path, texts[i]},
			.every = 100});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lack_of_memory_is_reported_by_every_table),
	};
	return cmocka_run_group_tests_name("sql", tests, NULL, NULL);
}
