/* SPDX-License-Identifier: MIT */
/*
 * Words of -O that set options of analyses, simulators and homeworks. Options of formats and
 * analyses are named FAMILY.NAME and ANALYSIS.NAME, so the name determines whose option it is;
 * the name alone means an option of the only analysis, simulator or homework that is requested.
 */
#ifndef CLI_ANALYSIS_WORDS_H
#define CLI_ANALYSIS_WORDS_H

#include "polytrace/stats.h"

#include "cli/options/opt.h"

/* Copies of words as "ANALYSIS.NAME=VALUE". */
struct analysis_words {
	char **items; /* NULL at the end */
	size_t count;
};

/*
 * Moves the words that set options of analyses out of a list; the others are options of
 * formats. names: the requested analyses, NULL at the end; NULL: the default ones. False: a
 * word names no option, and a message has been printed. The caller frees the words in any case.
 */
bool analysis_words_take(
	struct opt_list *list, const char *const *names, struct analysis_words *words);

/* Returns whether an analysis has an option of this name, of n bytes, without its prefix. */
bool analysis_has_option(const struct poly_analysis_info *info, const char *name, size_t n);

/* Lists the options of an analysis as "a, b", without their prefix; returns text. */
const char *analysis_list_options(
	const struct poly_analysis_info *info, char *text, size_t size);

/* Appends a word; prefix and separator stand before its name. */
void analysis_words_add(struct analysis_words *words, const char *analysis, const char *word);

/* Appends "ANALYSIS.NAME=VALUE". */
void analysis_words_set(struct analysis_words *words, const char *analysis, const char *name,
	const char *value);

/* Frees the words. */
void analysis_words_free(struct analysis_words *words);

#endif
