/* SPDX-License-Identifier: MIT */
/*
 * Addresses as text and as numbers. SQLite's integers are signed, so an address from 2^63 on is
 * a negative one.
 */
#include "sql/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* hex(N): an integer as listings print addresses; of other values as SQLite's function does. */
static void
hex_of(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	static const char digits[] = "0123456789ABCDEF";
	if (sqlite3_value_type(values[0]) == SQLITE_INTEGER) {
		char text[24];
		sqlite3_snprintf(sizeof text, text, "0x%llx", sqlite3_value_int64(values[0]));
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
		return;
	}
	const uint8_t *bytes = sqlite3_value_blob(values[0]);
	const size_t n = (size_t)sqlite3_value_bytes(values[0]);
	char *text = sqlite3_malloc64(2 * n + 1);
	if (!text) {
		sqlite3_result_error_nomem(context);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * n] = 0;
	sqlite3_result_text64(context, text, 2 * n, sqlite3_free, SQLITE_UTF8);
}

/* addr(TEXT): the number of a hexadecimal text with 0x, or of a decimal one; numbers stay. */
static void
number_of(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	const int type = sqlite3_value_type(values[0]);
	if (type == SQLITE_INTEGER)
		sqlite3_result_int64(context, sqlite3_value_int64(values[0]));
	if (type == SQLITE_INTEGER || type == SQLITE_NULL)
		return;
	const char *text = (const char *)sqlite3_value_text(values[0]);
	if (!text) {
		sqlite3_result_error_nomem(context);
		return;
	}
	const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = is_hex ? text + 2 : text;
	char *end;
	errno = 0;
	const uint64_t number = strtoull(digits, &end, is_hex ? 16 : 10);
	const size_t n = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
	if (type == SQLITE_TEXT && n && digits + n == end && !*end && errno == 0) {
		sqlite3_result_int64(context, (sqlite3_int64)number);
		return;
	}
	char *message = sqlite3_mprintf(
		"addr: invalid address '%.40s' (expected a number as text, such as '0x401000')",
		text);
	if (message)
		sqlite3_result_error(context, message, -1);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(message);
}

int
sql_register_functions(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	const int code =
		sqlite3_create_function_v2(db, "hex", 1, flags, NULL, hex_of, NULL, NULL, NULL);
	return code != SQLITE_OK ? code
				 : sqlite3_create_function_v2(db, "addr", 1, flags, NULL,
					   number_of, NULL, NULL, NULL);
}
