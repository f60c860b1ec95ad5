/* SPDX-License-Identifier: MIT */
/*
 * One line of JSON, parsed by Jansson.
 * spec: RFC 8259.
 */
#include "format/jsonl/object.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

const struct json_member *
object_find(const struct object *object, const char *key)
{
	for (size_t i = 0; i < object->count; i += 1 + object->members[i].children) {
		if (strcmp(object->members[i].key, key) == 0)
			return &object->members[i];
	}
	return NULL;
}

/* Makes text from the input safe for messages: one line of printable ASCII. */
static void
make_printable(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

static void
show_string(const char *text, size_t length, char *dst, size_t size)
{
	char front[41] = "";
	size_t n = length < sizeof front ? length : sizeof front - 1;
	memcpy(front, text, n);
	make_printable(front);
	snprintf(dst, size, "'%s%s'", front, n < length ? "..." : "");
}

void
member_show_key(const struct json_member *member, char *dst, size_t size)
{
	if (member->key)
		show_string(member->key, member->key_length, dst, size);
	else
		snprintf(dst, size, "an element");
}

void
member_show(const struct json_member *member, char *dst, size_t size)
{
	static const char *const names[] = {
		[MEMBER_REAL] = "a real number",
		[MEMBER_TRUE] = "true",
		[MEMBER_FALSE] = "false",
		[MEMBER_NULL] = "null",
		[MEMBER_ARRAY] = "an array",
		[MEMBER_OBJECT] = "an object",
	};
	if (member->kind == MEMBER_STRING)
		show_string(member->text, member->length, dst, size);
	else if (member->kind == MEMBER_INTEGER)
		snprintf(dst, size, "%lld", (long long)member->integer);
	else
		snprintf(dst, size, "%s", names[member->kind]);
}

#ifdef POLY_WITH_JANSSON

#include <jansson.h>

#define FLAGS (JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)

/* Digits of the shortest number that Jansson's 64-bit integers may not hold. */
#define LARGE_DIGITS 19

/* Maximum depth of members: a header's list of names that are objects needs three. */
#define DEPTH_MAX 3

static bool add_tree(struct object *object, const char *key, json_t *value, unsigned depth);

static bool
add_member(struct object *object, const char *key, const json_t *value)
{
	static const enum member_kind kinds[] = {
		[JSON_STRING] = MEMBER_STRING,
		[JSON_INTEGER] = MEMBER_INTEGER,
		[JSON_REAL] = MEMBER_REAL,
		[JSON_TRUE] = MEMBER_TRUE,
		[JSON_FALSE] = MEMBER_FALSE,
		[JSON_NULL] = MEMBER_NULL,
		[JSON_ARRAY] = MEMBER_ARRAY,
		[JSON_OBJECT] = MEMBER_OBJECT,
	};
	if (!VEC_ROOM(object->members, object->capacity, object->count))
		return false;
	struct json_member *member = &object->members[object->count++];
	*member = (struct json_member){key, key ? strlen(key) : 0, kinds[json_typeof(value)],
		"", 0, json_integer_value(value), 0};
	if (member->kind == MEMBER_STRING) {
		member->text = json_string_value(value);
		member->length = json_string_length(value);
	}
	return true;
}

/* Adds the members of an array or object, and theirs. False: out of memory. */
static bool
add_members(struct object *object, json_t *value, unsigned depth)
{
	const char *key;
	json_t *child;
	size_t i;
	json_array_foreach(value, i, child)
	{
		if (!add_tree(object, NULL, child, depth))
			return false;
	}
	json_object_foreach(value, key, child)
	{
		if (!add_tree(object, key, child, depth))
			return false;
	}
	return true;
}

static bool
add_tree(struct object *object, const char *key, json_t *value, unsigned depth)
{
	size_t at = object->count;
	if (!add_member(object, key, value))
		return false;
	if (depth < DEPTH_MAX && !add_members(object, value, depth + 1))
		return false;
	object->members[at].children = object->count - at - 1;
	return true;
}

/* Returns the end of the string that begins at i. */
static size_t
skip_string(const uint8_t *text, size_t n, size_t i)
{
	for (i++; i < n && text[i] != '"'; i++)
		i += text[i] == '\\';
	return i < n ? i + 1 : n;
}

/* Returns the end of the number that begins at i; *whole: whether the number is an integer. */
static size_t
skip_number(const uint8_t *text, size_t n, size_t i, bool *whole)
{
	size_t end = i;
	while (end < n && text[end] && strchr("+-.0123456789Ee", text[end]))
		end++;
	*whole = true;
	for (; i < end; i++)
		*whole = *whole && !strchr("+.Ee", text[i]);
	return end;
}

/* Copies the line with long integers as strings. */
static void
quote_large(struct buf *dst, const uint8_t *text, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		bool whole = false;
		end = i + 1;
		if (text[i] == '"')
			end = skip_string(text, n, i);
		else if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))
			end = skip_number(text, n, i, &whole);
		bool large = whole && end - i >= LARGE_DIGITS;
		if (large)
			buf_byte(dst, '"');
		buf_append(dst, text + i, end - i);
		if (large)
			buf_byte(dst, '"');
	}
}

/* Parses a line; NULL: failure, *no_memory: out of memory. */
static json_t *
load(const uint8_t *text, size_t n, json_error_t *failure, bool *no_memory)
{
	json_t *root = json_loadb((const char *)text, n, FLAGS, failure);
	struct buf quoted = {0};
	if (!root && json_error_code(failure) == json_error_numeric_overflow) {
		quote_large(&quoted, text, n);
		if (!quoted.failed)
			root = json_loadb(
				(const char *)quoted.data, quoted.size, FLAGS, failure);
	}
	*no_memory = quoted.failed ||
		     (!root && json_error_code(failure) == json_error_out_of_memory);
	buf_free(&quoted);
	return root;
}

enum poly_status
object_parse(struct object *object, const uint8_t *text, size_t n, struct poly_error *error)
{
	json_error_t failure;
	json_decref(object->root);
	object->count = 0;
	bool no_memory;
	json_t *root = object->root = load(text, n, &failure, &no_memory);
	if (no_memory)
		return err_memory(error);
	if (!root) {
		make_printable(failure.text);
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the line is not JSON: %s (column %d)", failure.text, failure.column);
	}
	if (!json_is_object(root))
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the line is JSON, but not an object");
	return add_members(object, root, 1) ? POLY_OK : err_memory(error);
}

void
object_free(struct object *object)
{
	json_decref(object->root);
	mem_free(object->members);
	memset(object, 0, sizeof *object);
}

#else

enum poly_status
object_parse(struct object *object, const uint8_t *text, size_t n, struct poly_error *error)
{
	(void)object, (void)text, (void)n;
	return err_missing(error, "reading JSON Lines", "libjansson-dev");
}

void
object_free(struct object *object)
{
	(void)object;
}

#endif
