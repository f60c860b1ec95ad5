/* SPDX-License-Identifier: MIT */
/*
 * Options by tables: values from words "name=value", and structs of older callers. A table that
 * is NULL is empty.
 */
#ifndef MODEL_OPTION_H
#define MODEL_OPTION_H

#include "polytrace/format.h"

/* Values of a table's options, in its order. */
struct option_values {
	uint64_t *values;   /* default unless set */
	bool *given;	    /* which options were set */
	const char **texts; /* values of text options; NULL: unset, or not a text */
	char **copies;	    /* storage of the texts that were set */
	size_t count;
};

/* Finds the option of a name of n bytes; NULL: the table has no such option. */
const struct poly_option *option_find(
	const struct poly_option *table, const char *name, size_t n);

/* Measures the name in a word "name=value" in bytes. POLY_ERR_USAGE: no '='. */
enum poly_status option_name(const char *word, size_t *n, struct poly_error *error);

/* Sets the defaults of a table. The caller calls option_values_free, also after a failure. */
enum poly_status option_values_init(const struct poly_option *table,
	struct option_values *values, struct poly_error *error);

/* Parses the value of the table's option. POLY_ERR_USAGE: not a valid value. */
enum poly_status option_take(struct option_values *values, const struct poly_option *table,
	const struct poly_option *option, const char *text, struct poly_error *error);

/* Returns whether a number is valid for an option that is a number or a boolean. */
bool option_fits(const struct poly_option *option, uint64_t value);

/* Fails with the values that an option, a choice or a number, expects instead of text. */
enum poly_status option_refuse(
	const struct poly_option *option, const char *text, struct poly_error *error);

/*
 * Copies a caller's struct of options, which begins with its size, over the initial one of size
 * bytes: fields that an older caller does not have keep their defaults. from may be NULL.
 * POLY_ERR_USAGE: from has no size.
 */
enum poly_status option_struct(
	void *dst, size_t size, const void *from, struct poly_error *error);

/* Frees the arrays. May be called again, and on zeroed values. */
void option_values_free(struct option_values *values);

#endif
