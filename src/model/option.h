/* SPDX-License-Identifier: MIT */
/* Options by tables: values from the user's "name=value" words, and structs of older callers.
 */
#ifndef MODEL_OPTION_H
#define MODEL_OPTION_H

#include "polytrace/format.h"

/* Values of a table's options, in its order. */
struct option_values {
	uint64_t *values;   /* initial ones where none was given */
	bool *given;	    /* which ones were */
	const char **texts; /* of texts; NULL: none, or the option is no text */
	char **copies;	    /* of those that were given */
	size_t count;
};

/* The option of a name of n bytes; NULL where the table has none. */
const struct poly_option *option_find(
	const struct poly_option *table, const char *name, size_t n);

/* The bytes of the name of a word "name=value"; POLY_ERR_USAGE: there is no '='. */
enum poly_status option_name(const char *word, size_t *n, struct poly_error *error);

/* Initial values of a table. The caller frees what option_values_free frees, on failure too. */
enum poly_status option_values_init(const struct poly_option *table,
	struct option_values *values, struct poly_error *error);

/* Takes the text of a value of the table's option. POLY_ERR_USAGE: it does not fit. */
enum poly_status option_take(struct option_values *values, const struct poly_option *table,
	const struct poly_option *option, const char *text, struct poly_error *error);

/* Whether a number is one that an option, a number or a truth value, may have. */
bool option_fits(const struct poly_option *option, uint64_t value);

/* Says that a text is no value of an option, a choice or a number, and what is expected. */
enum poly_status option_refuse(
	const struct poly_option *option, const char *text, struct poly_error *error);

/*
 * Takes a caller's struct of options, which begins with its size, over the initial one of size
 * bytes: what an older caller does not know keeps its initial value. from may be NULL.
 * POLY_ERR_USAGE: from has no size.
 */
enum poly_status option_struct(
	void *to, size_t size, const void *from, struct poly_error *error);

/* Frees the arrays; may be called again, and on zeroed values. */
void option_values_free(struct option_values *values);

#endif
