/* SPDX-License-Identifier: MIT */
/* One line of JSON, flattened: an object's members, each followed by its own, to depth 3. */
#ifndef FORMAT_JSONL_OBJECT_H
#define FORMAT_JSONL_OBJECT_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum member_kind {
	MEMBER_STRING,
	MEMBER_INTEGER, /* from INT64_MIN to INT64_MAX; beyond, its digits are a MEMBER_STRING
			 */
	MEMBER_REAL,
	MEMBER_TRUE,
	MEMBER_FALSE,
	MEMBER_NULL,
	MEMBER_ARRAY,
	MEMBER_OBJECT,
};

struct json_member {
	const char *key;   /* ends in NUL and has no other; NULL for an element of an array */
	size_t key_length; /* in bytes */
	enum member_kind kind;
	const char *text; /* of a STRING: UTF-8, which may have NULs */
	size_t length;	  /* of text in bytes */
	int64_t integer;  /* of an INTEGER */
	/* Of an ARRAY or OBJECT: number of the following members below it, at any depth. */
	size_t children;
};

/* Zeroed by its owner. */
struct object {
	void *root;		     /* owns what members point to */
	struct json_member *members; /* in the order of the text, each before its own members */
	size_t count;
	size_t capacity; /* of members */
};

/*
 * Parses n bytes, which must be one object, and replaces the contents of object.
 * POLY_ERR_FORMAT: not an object, or a key occurs twice; the message describes the bytes.
 * POLY_ERR_MEMORY. POLY_ERR_UNSUPPORTED: the build lacks the library.
 */
enum poly_status object_parse(
	struct object *object, const uint8_t *text, size_t n, struct poly_error *error);

/* Finds the outermost member of a key; NULL: no such key. */
const struct json_member *object_find(const struct object *object, const char *key);

/* Describes a member for messages: "'abc'", "17", "an array". At most 60 characters. */
void member_show(const struct json_member *member, char *dst, size_t size);

/* Quotes a member's key for messages; "an element" if it has no key. */
void member_show_key(const struct json_member *member, char *dst, size_t size);

/* Frees the members. */
void object_free(struct object *object);

#endif
