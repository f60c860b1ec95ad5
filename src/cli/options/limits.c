/* SPDX-License-Identifier: MIT */
/* --limit, --points and --address. */
#include "cli/options/limits.h"

#include "cli/print/diagnostics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const points_limits[] = {"64", "1", NULL};
static const char *const addresses[] = {"virtual", "real", NULL};

#define FIELD(member) .field = offsetof(struct input_options, member)

const struct opt limits_table[] = {
	{"limit", 0, OPT_TEXT, "memory=SIZE", FIELD(limit),
		.help = "memory limit of each simulator or analysis of memory accesses "
			"(default 1G); larger results are estimated from samples"},
	{"points", 0, OPT_NUMBER, "N", .choices = points_limits, FIELD(points),
		.help = "number of sizes of a miss ratio curve from a power of two to the "
			"next (default 1)"},
	{"address", 0, OPT_CHOICE, "virtual|real", .choices = addresses, FIELD(address),
		.help = "addresses in simulators of caches and analyses of memory: virtual "
			"(default), or real_address and real_pc of the trace"},
	{0},
};

/* Parses "memory=SIZE"; false: it is not valid, and a message has been printed. */
static bool
parse_limit(const char *text, uint64_t *memory)
{
	static const char key[] = "memory=";
	struct opt_number number;
	if (strncmp(text, key, sizeof key - 1) == 0 &&
		opt_parse_size(&number, text + sizeof key - 1) &&
		number.value >= POLY_STATS_MEMORY_MIN) {
		*memory = number.value;
		return true;
	}
	diag_print(NULL, "--limit=%s: invalid value (expected memory=SIZE, SIZE from %luM)",
		text, (unsigned long)(POLY_STATS_MEMORY_MIN >> 20));
	return false;
}

/* Returns the requested analysis that has curves; NULL: none. */
static const char *
find_curve(const char *const *names)
{
	const char *const name = "points";
	for (; names && *names; names++) {
		const struct poly_analysis_info *info = poly_analysis_find(*names);
		if (info && analysis_has_option(info, name, strlen(name)))
			return info->name;
	}
	return NULL;
}

bool
limits_set(const struct input_options *options, const char *const *names,
	struct analysis_words *words, struct poly_stats_options *request)
{
	char number[24];
	request->real_addresses = options->address;
	if (options->limit && !parse_limit(options->limit, &request->memory))
		return false;
	if (!options->points.is_set)
		return true;
	const char *analysis = find_curve(names);
	if (!analysis) {
		diag_print("--points",
			"no simulator or analysis with curves was requested (expected mrc)");
		return false;
	}
	snprintf(number, sizeof number, "%" PRIu64, options->points.value);
	analysis_words_set(words, analysis, "points", number);
	return true;
}
