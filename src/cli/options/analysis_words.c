/* SPDX-License-Identifier: MIT */
/* Words of -O that set options of analyses, simulators and homeworks. */
#include "cli/options/analysis_words.h"

#include "polytrace/polytrace.h"

#include "cli/options/describe.h"
#include "cli/print/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
analysis_words_add(struct analysis_words *words, const char *analysis, const char *word)
{
	const size_t size = strlen(analysis) + strlen(word) + 2;
	char **items = diag_allocate(words->count + 2, sizeof *items);
	for (size_t i = 0; i < words->count; i++)
		items[i] = words->items[i];
	items[words->count] = diag_allocate(size, 1);
	snprintf(items[words->count], size, "%s%s%s", analysis, *analysis ? "." : "", word);
	free(words->items);
	words->items = items;
	words->count++;
}

void
analysis_words_set(
	struct analysis_words *words, const char *analysis, const char *name, const char *value)
{
	const size_t size = strlen(name) + strlen(value) + 2;
	char *word = diag_allocate(size, 1);
	snprintf(word, size, "%s=%s", name, value);
	analysis_words_add(words, analysis, word);
	free(word);
}

void
analysis_words_free(struct analysis_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct analysis_words){0};
}

/* Returns the analysis whose option a word names by "ANALYSIS."; NULL: none. */
static const struct poly_analysis_info *
find_by_prefix(const char *word)
{
	char name[60];
	const size_t n = strcspn(word, ".=");
	if (word[n] != '.' || n >= sizeof name)
		return NULL;
	snprintf(name, sizeof name, "%.*s", (int)n, word);
	return poly_analysis_find(name);
}

bool
analysis_has_option(const struct poly_analysis_info *info, const char *name, size_t n)
{
	const size_t prefix = strlen(info->name) + 1;
	const struct poly_option *option = info->options;
	while (option && option->name &&
		(strlen(option->name + prefix) != n ||
			memcmp(option->name + prefix, name, n) != 0))
		option++;
	return option && option->name;
}

/* Returns whether the sweep of a simulator has lists of this name, as its default shows. */
static bool
sweeps(const struct poly_analysis_info *info, const char *name, size_t n)
{
	const size_t prefix = strlen(info->name) + 1;
	for (const struct poly_option *option = info->options; option && option->name;
		option++) {
		char buffer[60];
		const char *list = describe_initial(option, buffer, sizeof buffer);
		if (strcmp(option->name + prefix, "sweep") != 0)
			continue;
		for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
			if (strncmp(list, name, n) == 0 && list[n] == '=')
				return true;
		}
	}
	return false;
}

const char *
analysis_list_options(const struct poly_analysis_info *info, char *text, size_t size)
{
	const size_t prefix = strlen(info->name) + 1;
	size_t used = 0;
	*text = 0;
	for (const struct poly_option *option = info->options;
		option && option->name && used < size; option++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
			option->name + prefix);
	return text;
}

/* Reports a name (of n bytes) that is not an option of an analysis; returns false. */
static bool
refuse_name(const struct poly_analysis_info *info, const char *word, const char *name, size_t n)
{
	char options[400];
	char subject[120];
	snprintf(subject, sizeof subject, "-O %s", word);
	if (sweeps(info, name, n))
		diag_print(subject, "'%.*s' is a list of the sweep; use --sweep %s", (int)n,
			name, name);
	else
		diag_print(subject, "%s '%s' has no option '%.*s' (expected %s)",
			info->kind == POLY_ANALYSIS_SIMULATION ? "simulator" : "analysis",
			info->name, (int)n, name,
			*analysis_list_options(info, options, sizeof options) ? options
									      : "none");
	return false;
}

/* Reports a name without an analysis where several are requested; returns false. */
static bool
refuse_prefix(const char *word, size_t n)
{
	char subject[120];
	const struct poly_analysis_info *info;
	size_t i = 0;
	while ((info = poly_analysis_at(i)) && !analysis_has_option(info, word, n))
		i++;
	snprintf(subject, sizeof subject, "-O %s", word);
	if (info)
		diag_print(subject, "missing analysis (expected ANALYSIS.%.*s, as %s.%.*s)",
			(int)n, word, info->name, (int)n, word);
	else
		diag_print(subject,
			"no analysis has an option '%.*s'; 'polytrace help analyses' lists "
			"them",
			(int)n, word);
	return false;
}

/* Copies a word if it sets an option of an analysis; false: it names none, and a message has
 * been printed. */
static bool
take_word(const char *word, const char *const *names, struct analysis_words *words, bool *taken)
{
	const size_t n = strcspn(word, "=");
	const struct poly_analysis_info *info = find_by_prefix(word);
	*taken = info || !memchr(word, '.', n);
	if (!*taken)
		return true;
	if (info) {
		const size_t prefix = strlen(info->name) + 1;
		if (!analysis_has_option(info, word + prefix, n - prefix))
			return refuse_name(info, word, word + prefix, n - prefix);
		analysis_words_add(words, "", word);
		return true;
	}
	info = names && names[0] && !names[1] ? poly_analysis_find(names[0]) : NULL;
	if (!info)
		return refuse_prefix(word, n);
	if (!analysis_has_option(info, word, n))
		return refuse_name(info, word, word, n);
	analysis_words_add(words, info->name, word);
	return true;
}

bool
analysis_words_take(
	struct opt_list *list, const char *const *names, struct analysis_words *words)
{
	size_t count = 0;
	bool valid = true, taken;
	*words = (struct analysis_words){0};
	for (size_t i = 0; valid && i < list->count; i++) {
		valid = take_word(list->items[i], names, words, &taken);
		if (!taken)
			list->items[count++] = list->items[i];
	}
	list->count = count;
	if (list->items)
		list->items[count] = NULL;
	return valid;
}
