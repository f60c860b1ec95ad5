/* SPDX-License-Identifier: MIT */
/* Parses the options of branch predictors. */
#include "analysis/sim/branch/branch.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define NUMBERS_MAX 4

/* A number of a kind of predictor; they are in the order in which they follow its name. */
struct predictor_number {
	size_t field; /* in struct bpred_config, an unsigned */
	unsigned default_value;
};

#define FIELD(name, default_value)                                 \
	{                                                          \
		offsetof(struct bpred_config, name), default_value \
	}

static const struct {
	struct predictor_number numbers[NUMBERS_MAX];
	unsigned count;
} kinds[BPRED_KINDS] = {
	[BPRED_BIMODAL] = {{FIELD(entries_log2, 12)}, 1},
	[BPRED_GSHARE] = {{FIELD(entries_log2, 14), FIELD(history, 12)}, 2},
	[BPRED_GAG] = {{FIELD(history, 12)}, 1},
	[BPRED_PAG] = {{FIELD(local_log2, 10), FIELD(history, 10)}, 2},
	[BPRED_PAP] = {{FIELD(local_log2, 6), FIELD(history, 8)}, 2},
	[BPRED_TOURNAMENT] = {{FIELD(bimodal_log2, 12), FIELD(chooser_log2, 12),
				      FIELD(entries_log2, 13), FIELD(history, 13)},
		4},
	[BPRED_PERCEPTRON] = {{FIELD(entries_log2, 8), FIELD(history, 24)}, 2},
	[BPRED_TAGE] = {{FIELD(entries_log2, 12), FIELD(tage.entries_log2, 9)}, 2},
};

/* Seznec and Michaud's seven history lengths, and their parameters (JILP 8, 2006). */
static const struct bpred_tage default_tage = {.tables = 7,
	.entries_log2 = 9,
	.tag_bits = 9,
	.period_log2 = 18,
	.seed = 1,
	.length = {5, 9, 15, 25, 44, 76, 130}};

static unsigned *
field_of(struct bpred_config *config, const struct predictor_number *number)
{
	return (unsigned *)(void *)((char *)config + number->field);
}

/* Parses a decimal number; false: invalid. */
static bool
parse_number(const char **text, unsigned *value)
{
	const char *p = *text;
	*value = 0;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9' && *value < 100000; p++)
		*value = 10 * *value + (unsigned)(*p - '0');
	*text = p;
	return *p < '0' || *p > '9';
}

void
branch_default_config(
	struct bpred_config *config, enum bpred_kind kind, const struct bpred_config *common)
{
	*config = *common;
	config->kind = kind;
	config->tage = default_tage;
	for (unsigned i = 0; i < kinds[kind].count; i++)
		*field_of(config, &kinds[kind].numbers[i]) =
			kinds[kind].numbers[i].default_value;
}

/* Parses one predictor, initialized from common, and moves *text past it. */
static enum poly_status
parse_predictor(const char **text, struct bpred_config *config,
	const struct bpred_config *common, struct poly_error *error)
{
	char name[16] = "";
	const char *word = *text;
	size_t n = strcspn(word, ":,");
	if (n < sizeof name)
		memcpy(name, word, n);
	const enum bpred_kind kind = bpred_find(name);
	if (kind == BPRED_KINDS)
		return err_usage(error,
			"no such branch predictor '%.*s', expected taken, not-taken, btfn, "
			"bimodal, gshare, gag, pag, pap, tournament, perceptron or tage",
			n < 60 ? (int)n : 60, word);
	branch_default_config(config, kind, common);
	unsigned count = kinds[kind].count, count_given = 0;
	*text = word + n;
	while (**text == ':') {
		unsigned value;
		++*text;
		if (count_given == count || !parse_number(text, &value))
			return err_usage(error,
				"branch predictor '%.*s': expected at most %u numbers, each "
				"after a ':'",
				(int)n, word, count);
		*field_of(config, &kinds[kind].numbers[count_given++]) = value;
	}
	if (**text && **text != ',')
		return err_usage(
			error, "found '%.20s', expected ',' between branch predictors", *text);
	return bpred_check(config, error);
}

enum poly_status
branch_parse_predictors(struct branch_simulation *sim, const char *list,
	const struct bpred_config *common, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (sim->count = 0; status == POLY_OK; list++) {
		struct branch_predictor *predictor = &sim->predictors[sim->count];
		if (sim->count == BRANCH_PREDICTORS)
			return err_usage(
				error, "more than %d branch predictors", BRANCH_PREDICTORS);
		status = parse_predictor(&list, &predictor->config, common, error);
		if (status == POLY_OK)
			status = bpred_new(&predictor->config, &predictor->bpred, error);
		sim->count += status == POLY_OK;
		if (!*list)
			break;
	}
	return status;
}

/* Parses a number, or two separated by "..". */
static bool
parse_range(const char **text, unsigned max, unsigned *low, unsigned *high)
{
	bool valid = parse_number(text, low);
	*high = *low;
	if (valid && !strncmp(*text, "..", 2)) {
		*text += 2;
		valid = parse_number(text, high);
	}
	return valid && *low <= *high && *high <= max;
}

bool
branch_parse_range(const char *text, unsigned max, unsigned *low, unsigned *high)
{
	return parse_range(&text, max, low, high) && !*text;
}

/* The ranges of a sweep. */
struct sweep_ranges {
	unsigned sizes[2], histories[2];
	bool has_histories;
};

static enum poly_status
parse_ranges(const char *text, struct sweep_ranges *ranges, struct poly_error *error)
{
	const char *p = text;
	bool valid = parse_range(&p, BPRED_LOG2_MAX, &ranges->sizes[0], &ranges->sizes[1]);
	ranges->has_histories = valid && *p == ':';
	if (ranges->has_histories) {
		p++;
		valid = parse_range(
			&p, BPRED_LOG2_MAX, &ranges->histories[0], &ranges->histories[1]);
	}
	if (!valid || *p)
		return err_usage(error,
			"sweep: found '%.40s', expected a range of log2 of counters, up to %d, "
			"as "
			"3..20, optionally followed by ':' and a range of history lengths",
			text, BPRED_LOG2_MAX);
	return POLY_OK;
}

/* Fills the sweep: a bimodal predictor, and gshare predictors, of each size. */
static void
fill_sweep(struct branch_simulation *sim, const struct sweep_ranges *ranges,
	const struct bpred_config *common)
{
	size_t n = 0;
	for (unsigned log2 = ranges->sizes[0]; log2 <= ranges->sizes[1]; log2++) {
		const unsigned first = ranges->has_histories ? ranges->histories[0] : log2;
		const unsigned last = ranges->has_histories ? ranges->histories[1] : log2;
		struct bpred_config config = *common;
		config.kind = BPRED_BIMODAL;
		config.entries_log2 = log2;
		sim->swept_configs[n++] = config;
		config.kind = BPRED_GSHARE;
		for (config.history = first; config.history <= last; config.history++)
			sim->swept_configs[n++] = config;
	}
}

enum poly_status
branch_parse_sweep(struct branch_simulation *sim, const char *sizes,
	const struct bpred_config *common, struct poly_error *error)
{
	struct sweep_ranges ranges = {.has_histories = false};
	size_t each = 2;
	if (!sizes || !*sizes)
		return POLY_OK;
	enum poly_status status = parse_ranges(sizes, &ranges, error);
	if (status != POLY_OK)
		return status;
	if (ranges.has_histories)
		each = ranges.histories[1] - ranges.histories[0] + 2;
	sim->sweeps_histories = ranges.has_histories;
	sim->swept_per_size = each;
	sim->swept_count = each * (ranges.sizes[1] - ranges.sizes[0] + 1);
	sim->swept_configs = mem_new(sim->swept_count, sizeof *sim->swept_configs);
	sim->swept_mispredictions =
		mem_new(sim->swept_count, sizeof *sim->swept_mispredictions);
	sim->swept_indices = mem_new(sim->swept_count, sizeof *sim->swept_indices);
	if (!sim->swept_configs || !sim->swept_mispredictions || !sim->swept_indices)
		return err_memory(error);
	fill_sweep(sim, &ranges, common);
	for (size_t i = 0; i < sim->swept_count; i++)
		sim->swept_indices[i] = i;
	return bpred_sweep_new(sim->swept_configs, sim->swept_count, &sim->sweep, error);
}

void
branch_format_name(const struct bpred_config *config, char *name, size_t size)
{
	struct bpred_config copy = *config;
	size_t n = (size_t)snprintf(name, size, "%s", bpred_name(config->kind));
	for (unsigned i = 0; i < kinds[config->kind].count && n < size; i++)
		n += (size_t)snprintf(name + n, size - n, ":%u",
			*field_of(&copy, &kinds[config->kind].numbers[i]));
}
