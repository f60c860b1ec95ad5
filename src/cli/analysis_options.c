/* SPDX-License-Identifier: MIT */
/* Options of the analyses. */
#include "cli/analysis_options.h"

#include "cli/diagnostics.h"
#include "cli/temp_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct opt analysis_options_table[] = {
	{"analyses", 'a', OPT_TEXT, "LIST", NULL, offsetof(struct analysis_options, analyses),
		"names of analyses separated by commas, instead of the usual ones"},
	{"all", 0, OPT_FLAG, NULL, NULL, offsetof(struct analysis_options, all),
		"every analysis that suits the trace"},
	{"analysis-option", 'A', OPT_LIST, "NAME=VALUE", NULL,
		offsetof(struct analysis_options, options), "set an option of an analysis"},
	{"warmup", 0, OPT_NUMBER, "N", NULL, offsetof(struct analysis_options, warmup),
		"do not count the first N records, but know them as what was before"},
	{"sample-units", 0, OPT_TEXT, "LENGTH/PERIOD", NULL,
		offsetof(struct analysis_options, units),
		"count only the last LENGTH of every PERIOD records, and tell how sure it is"},
	{0},
};

/* A list separated by commas as words, NULL at the end; text is cut, and words points into it.
 */
static const char **
split_list(char *text)
{
	size_t count = 2;
	for (const char *p = text; *p; p++)
		count += *p == ',';
	const char **words = diag_allocate(count, sizeof *words);
	char *rest = NULL;
	count = 0;
	for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		words[count++] = word;
	return words;
}

/* Takes "LENGTH/PERIOD"; false, and told, where it is none. */
static bool
take_units(const char *text, struct poly_stats_options *asked)
{
	unsigned long long unit, period;
	char more;
	if (strspn(text, "0123456789/") == strlen(text) && strlen(text) < 40 &&
		sscanf(text, "%18llu/%18llu%c", &unit, &period, &more) == 2 && unit &&
		unit <= period) {
		asked->unit = unit;
		asked->period = period;
		return true;
	}
	diag_print(NULL,
		"option '--sample-units' is '%s', expected LENGTH/PERIOD in records, LENGTH "
		"from 1 "
		"to PERIOD, as 1000/100000",
		text);
	return false;
}

bool
analysis_request_init(struct analysis_request *asked, const struct analysis_options *options)
{
	const struct poly_stats_options initial = POLY_STATS_OPTIONS_INIT;
	*asked = (struct analysis_request){.options = initial};
	if (options->analyses) {
		asked->text = diag_allocate(strlen(options->analyses) + 1, 1);
		strcpy(asked->text, options->analyses);
		asked->names = split_list(asked->text);
	}
	asked->options.analyses = asked->names;
	asked->options.options = options->options.items;
	asked->options.all = options->all;
	asked->options.stores = &temp_stores;
	asked->options.warmup = options->warmup.value;
	asked->options.threads = (unsigned)options->source.threads.value;
	if (asked->names && !asked->names[0]) {
		diag_print(NULL,
			"option '--analyses' names none; 'polytrace stats --list' shows them");
		return false;
	}
	if (options->all && options->analyses) {
		diag_print(NULL, "options '--all' and '--analyses' exclude each other");
		return false;
	}
	return !options->units || take_units(options->units, &asked->options);
}

void
analysis_request_free(struct analysis_request *asked)
{
	free(asked->names);
	free(asked->text);
}
