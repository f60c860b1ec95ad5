/* SPDX-License-Identifier: MIT */
/* Options of the commands that run analyses. */
#include "cli/options/analysis_options.h"

#include "cli/options/limits.h"
#include "cli/print/diagnostics.h"
#include "cli/files/temp_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member) .field = offsetof(struct analysis_options, member)

const struct opt analysis_options_table[] = {
	{"analyses", 'a', OPT_TEXT, "LIST", FIELD(analyses),
		.help = "run these analyses and simulators, separated by commas, instead of "
			"the default ones"},
	{"all", FIELD(all), .help = "run every analysis that applies to the trace"},
	{"warmup", 0, OPT_NUMBER, "N", FIELD(warmup),
		.help = "warm up: use the first N records to initialize state without counting "
			"them"},
	{"sample-units", 0, OPT_TEXT, "LENGTH/PERIOD", FIELD(units),
		.help = "count only the last LENGTH of every PERIOD records, and report "
			"confidence intervals"},
	{0},
};

/* Splits a list at its commas, in place; returns its words, NULL at the end. */
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

/* Parses "LENGTH/PERIOD"; false: it is not valid, and a message has been printed. */
static bool
parse_units(const char *text, struct poly_stats_options *options)
{
	struct opt_number length = {0}, period = {0};
	char buffer[60];
	const size_t n = strcspn(text, "/");
	snprintf(buffer, sizeof buffer, "%.*s", (int)n, text);
	if (n < sizeof buffer && text[n] == '/' && opt_parse_count(&length, buffer) &&
		opt_parse_count(&period, text + n + 1) && length.value &&
		length.value <= period.value) {
		options->unit = length.value;
		options->period = period.value;
		return true;
	}
	diag_print(NULL,
		"--sample-units=%s: invalid value (expected LENGTH/PERIOD in records, LENGTH "
		"from "
		"1 to PERIOD, as 1k/100k)",
		text);
	return false;
}

/* Loads the symbols that queries print; false: an error, which was printed. */
static bool
load_symbols(struct analysis_request *request, const char *path)
{
	struct poly_error error;
	bool has_query = false;
	for (size_t i = 0; request->names && request->names[i]; i++) {
		const struct poly_analysis_info *info = poly_analysis_find(request->names[i]);
		has_query |= info && info->kind == POLY_ANALYSIS_QUERY;
	}
	if (!has_query || !path)
		return true;
	if (poly_symbols_open(path, &request->symbols, &error) != POLY_OK) {
		diag_error(diag_input_name(path), &error);
		return false;
	}
	request->options.symbols = request->symbols;
	return true;
}

bool
analysis_request_init(struct analysis_request *request, struct analysis_options *options)
{
	const struct poly_stats_options initial = POLY_STATS_OPTIONS_INIT;
	*request = (struct analysis_request){.options = initial};
	if (options->analyses) {
		request->text = diag_allocate(strlen(options->analyses) + 1, 1);
		strcpy(request->text, options->analyses);
		request->names = split_list(request->text);
	}
	if (request->names && !request->names[0]) {
		diag_print(NULL,
			"--analyses: empty list; 'polytrace help analyses' lists the analyses");
		return false;
	}
	if (options->all && options->analyses) {
		diag_print(NULL, "--all conflicts with --analyses; use one of them");
		return false;
	}
	if (!analysis_words_take(&options->source.options, request->names, &request->words) ||
		!limits_set(
			&options->source, request->names, &request->words, &request->options) ||
		!load_symbols(request, options->source.symbols))
		return false;
	request->options.analyses = request->names;
	request->options.options = (const char *const *)request->words.items;
	request->options.all = options->all;
	request->options.stores = &temp_stores;
	request->options.warmup = options->warmup.value;
	request->options.threads = (unsigned)options->source.threads.value;
	return !options->units || parse_units(options->units, &request->options);
}

void
analysis_request_free(struct analysis_request *request)
{
	analysis_words_free(&request->words);
	poly_symbols_free(request->symbols);
	free(request->names);
	free(request->text);
}
