/* SPDX-License-Identifier: MIT */
/*
 * The compact protocol of Thrift, in which Parquet has its metadata. A struct is a sequence of
 * fields with increasing numbers, and ends with a zero byte.
 * spec: Apache Thrift, doc/specs/thrift-compact-protocol.md
 */
#ifndef PARQUET_THRIFT_H
#define PARQUET_THRIFT_H

#include "base/buf.h"

/* Maximum depth of structs. */
#define THRIFT_DEPTH 8

/* Types of the elements of a list. */
enum thrift_type { THRIFT_I32 = 5, THRIFT_BINARY = 8, THRIFT_STRUCT = 12 };

/* The struct that is being written. */
struct thrift {
	struct buf *dst;
	unsigned depth;
	unsigned last[THRIFT_DEPTH]; /* number of the last field, by depth */
};

/* Appends a field. */
void thrift_bool(struct thrift *thrift, unsigned field, bool value);
void thrift_i8(struct thrift *thrift, unsigned field, int8_t value);
void thrift_i16(struct thrift *thrift, unsigned field, int16_t value);
void thrift_i32(struct thrift *thrift, unsigned field, int32_t value);
void thrift_i64(struct thrift *thrift, unsigned field, uint64_t value);
void thrift_binary(struct thrift *thrift, unsigned field, const void *bytes, size_t n);
void thrift_string(struct thrift *thrift, unsigned field, const char *text);

/* Begins a list of count elements, which follow. */
void thrift_list(struct thrift *thrift, unsigned field, enum thrift_type type, size_t count);

/* Appends an element of a list. */
void thrift_i32_element(struct thrift *thrift, int32_t value);
void thrift_string_element(struct thrift *thrift, const char *text);

/* Begins a struct: a field or, if field is 0, an element of a list. */
void thrift_begin(struct thrift *thrift, unsigned field);

/* Ends the innermost struct. */
void thrift_end(struct thrift *thrift);

#endif
