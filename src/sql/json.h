/* SPDX-License-Identifier: MIT */
/*
 * Objects of the JSON that reports are rendered as: flat ones, valid, in UTF-8. (SQLite's own
 * functions return numbers above 2^63 - 1 inexactly.)
 */
#ifndef SQL_JSON_H
#define SQL_JSON_H

#include "sql/sqlite.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the next object from *at on in a text that ends in NUL: *at and *length are its bytes.
 * False: there is none.
 */
bool json_next_object(const char *text, size_t *at, size_t *length);

/*
 * Returns the value of the i-th member of an object as a result of SQL: texts as texts, true
 * and false as 1 and 0, numbers without a point as integers, those from 2^63 on as negative
 * ones.
 */
void json_member_value(const char *object, int i, sqlite3_context *context);

#endif
