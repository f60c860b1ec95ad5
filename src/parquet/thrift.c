/* SPDX-License-Identifier: MIT */
/* The compact protocol of Thrift. */
#include "parquet/thrift.h"

#include "parquet/encoding.h"

#include <string.h>

/* Types of fields. */
enum {
	FIELD_TRUE = 1,
	FIELD_FALSE = 2,
	FIELD_I8 = 3,
	FIELD_I16 = 4,
	FIELD_I32 = 5,
	FIELD_I64 = 6,
	FIELD_BINARY = 8,
	FIELD_LIST = 9,
	FIELD_STRUCT = 12,
};

/* Appends the header of a field. */
static void
append_field(struct thrift *thrift, unsigned field, unsigned type)
{
	unsigned *last = &thrift->last[thrift->depth];
	const unsigned step = field - *last;
	if (step < 16) {
		buf_byte(thrift->dst, (uint8_t)(step << 4 | type));
	} else {
		buf_byte(thrift->dst, (uint8_t)type);
		encode_zigzag(thrift->dst, field);
	}
	*last = field;
}

void
thrift_bool(struct thrift *thrift, unsigned field, bool value)
{
	append_field(thrift, field, value ? FIELD_TRUE : FIELD_FALSE);
}

void
thrift_i8(struct thrift *thrift, unsigned field, int8_t value)
{
	append_field(thrift, field, FIELD_I8);
	buf_byte(thrift->dst, (uint8_t)value);
}

void
thrift_i16(struct thrift *thrift, unsigned field, int16_t value)
{
	append_field(thrift, field, FIELD_I16);
	encode_zigzag(thrift->dst, value);
}

void
thrift_i32(struct thrift *thrift, unsigned field, int32_t value)
{
	append_field(thrift, field, FIELD_I32);
	encode_zigzag(thrift->dst, value);
}

void
thrift_i64(struct thrift *thrift, unsigned field, uint64_t value)
{
	append_field(thrift, field, FIELD_I64);
	encode_zigzag(thrift->dst, (int64_t)value);
}

void
thrift_binary(struct thrift *thrift, unsigned field, const void *bytes, size_t n)
{
	append_field(thrift, field, FIELD_BINARY);
	encode_varint(thrift->dst, n);
	buf_append(thrift->dst, bytes, n);
}

void
thrift_string(struct thrift *thrift, unsigned field, const char *text)
{
	thrift_binary(thrift, field, text, strlen(text));
}

void
thrift_list(struct thrift *thrift, unsigned field, enum thrift_type type, size_t count)
{
	append_field(thrift, field, FIELD_LIST);
	if (count < 15) {
		buf_byte(thrift->dst, (uint8_t)(count << 4 | type));
	} else {
		buf_byte(thrift->dst, (uint8_t)(0xf0 | type));
		encode_varint(thrift->dst, count);
	}
}

void
thrift_i32_element(struct thrift *thrift, int32_t value)
{
	encode_zigzag(thrift->dst, value);
}

void
thrift_string_element(struct thrift *thrift, const char *text)
{
	const size_t n = strlen(text);
	encode_varint(thrift->dst, n);
	buf_append(thrift->dst, text, n);
}

void
thrift_begin(struct thrift *thrift, unsigned field)
{
	if (field)
		append_field(thrift, field, FIELD_STRUCT);
	thrift->last[++thrift->depth] = 0;
}

void
thrift_end(struct thrift *thrift)
{
	buf_byte(thrift->dst, 0);
	thrift->depth--;
}
