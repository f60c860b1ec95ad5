/* SPDX-License-Identifier: MIT */
/* Values of the JSON of reports. */
#include "sql/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns the end of the string that begins at a quote. */
static const char *
skip_string(const char *text)
{
	for (text++; *text && *text != '"'; text++)
		text += *text == '\\' && text[1];
	return *text ? text + 1 : text;
}

/* Returns the first of some characters outside of strings, or the end of the text. */
static const char *
find_outside(const char *text, const char *characters)
{
	while (*text && !strchr(characters, *text))
		text = *text == '"' ? skip_string(text) : text + 1;
	return text;
}

bool
json_next_object(const char *text, size_t *at, size_t *length)
{
	const char *begin = find_outside(text + *at, "{]");
	if (*begin != '{')
		return false;
	const char *end = find_outside(begin, "}");
	*at = (size_t)(begin - text);
	*length = (size_t)(end - begin) + (*end == '}');
	return true;
}

/* Stores a character of the basic plane in UTF-8; returns its bytes. */
static size_t
store_character(char *dst, unsigned code)
{
	if (code < 0x80) {
		dst[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		dst[0] = (char)(0xc0 | code >> 6);
		dst[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	dst[0] = (char)(0xe0 | code >> 12);
	dst[1] = (char)(0x80 | (code >> 6 & 0x3f));
	dst[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

/* Returns the text of a string as a result of SQL. */
static void
give_string(const char *string, sqlite3_context *context)
{
	static const char escaped[] = "nrtbf", meant[] = "\n\r\t\b\f";
	const char *end = skip_string(string) - 1;
	char *text = sqlite3_malloc64((size_t)(end - string) + 1);
	size_t n = 0;
	if (!text) {
		sqlite3_result_error_nomem(context);
		return;
	}
	for (const char *at = string + 1; at < end; at++) {
		const char *letter;
		if (*at != '\\') {
			text[n++] = *at;
		} else if (*++at == 'u') {
			char digits[5] = {at[1], at[2], at[3], at[4], 0};
			n += store_character(text + n, (unsigned)strtoul(digits, NULL, 16));
			at += 4;
		} else {
			letter = strchr(escaped, *at);
			text[n++] = letter ? meant[letter - escaped] : *at;
		}
	}
	sqlite3_result_text64(context, text, n, sqlite3_free, SQLITE_UTF8);
}

/* Returns a number as a result of SQL. */
static void
give_number(const char *text, sqlite3_context *context)
{
	const size_t n = strspn(text, "-0123456789");
	if (text[n] == '.' || text[n] == 'e' || text[n] == 'E')
		sqlite3_result_double(context, strtod(text, NULL));
	else if (*text == '-')
		sqlite3_result_int64(context, strtoll(text, NULL, 10));
	else
		sqlite3_result_int64(context, (sqlite3_int64)strtoull(text, NULL, 10));
}

void
json_member_value(const char *object, int i, sqlite3_context *context)
{
	const char *at = object;
	for (int member = 0; *at && *at != '}'; member++) {
		const char *value = find_outside(at, ":");
		value += strspn(value, ": ");
		if (member < i) {
			at = find_outside(value, ",}");
			continue;
		}
		if (*value == '"')
			give_string(value, context);
		else if (*value == 't' || *value == 'f')
			sqlite3_result_int(context, *value == 't');
		else if (*value != 'n')
			give_number(value, context);
		return;
	}
}
