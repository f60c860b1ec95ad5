/* SPDX-License-Identifier: MIT */
/* Which branch predictors are asked for. */
#include "analysis/sim/branch.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define NUMBERS_MOST 4

/* A number of a kind of predictor, in the order in which they stand behind its name. */
struct number {
	size_t field; /* in struct bpred_config, an unsigned */
	unsigned usual;
};

#define FIELD(name, usual)                                 \
	{                                                  \
		offsetof(struct bpred_config, name), usual \
	}

static const struct {
	struct number numbers[NUMBERS_MOST];
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

/* Seznec and Michaud's series of seven histories, and what goes with it (JILP 8, 2006). */
static const struct bpred_tage usual_tage = {.tables = 7,
	.entries_log2 = 9,
	.tag_bits = 9,
	.period_log2 = 18,
	.seed = 1,
	.length = {5, 9, 15, 25, 44, 76, 130}};

static unsigned *
field_of(struct bpred_config *config, const struct number *number)
{
	return (unsigned *)(void *)((char *)config + number->field);
}

/* Takes a decimal number and what separates it from what follows; false: there is none. */
static bool
take_number(const char **text, unsigned *value)
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
branch_usual(
	struct bpred_config *config, enum bpred_kind kind, const struct bpred_config *common)
{
	*config = *common;
	config->kind = kind;
	config->tage = usual_tage;
	for (unsigned i = 0; i < kinds[kind].count; i++)
		*field_of(config, &kinds[kind].numbers[i]) = kinds[kind].numbers[i].usual;
}

/* Takes one predictor, the rest as common; text is behind it then. */
static enum poly_status
take_predictor(const char **text, struct bpred_config *config,
	const struct bpred_config *common, struct poly_error *error)
{
	char name[16] = "";
	const char *word = *text;
	size_t n = strcspn(word, ":,");
	if (n < sizeof name)
		memcpy(name, word, n);
	const enum bpred_kind kind = bpred_find(name);
	if (kind == BPRED_KINDS)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"there is no branch predictor '%.*s', expected taken, not-taken, btfn, "
			"bimodal, gshare, gag, pag, pap, tournament, perceptron or tage",
			n < 60 ? (int)n : 60, word);
	branch_usual(config, kind, common);
	unsigned count = kinds[kind].count, given = 0;
	*text = word + n;
	while (**text == ':') {
		unsigned value;
		++*text;
		if (given == count || !take_number(text, &value))
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"branch predictor '%.*s' takes at most %u numbers, each behind "
				"a ':'",
				(int)n, word, count);
		*field_of(config, &kinds[kind].numbers[given++]) = value;
	}
	if (**text && **text != ',')
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"branch predictors are separated by ',', found '%.20s'", *text);
	return bpred_check(config, error);
}

enum poly_status
branch_parse(struct branch *branch, const char *list, const struct bpred_config *common,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (branch->count = 0; status == POLY_OK; list++) {
		struct branch_predictor *predictor = &branch->predictors[branch->count];
		if (branch->count == BRANCH_PREDICTORS)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"more than %d branch predictors", BRANCH_PREDICTORS);
		status = take_predictor(&list, &predictor->config, common, error);
		if (status == POLY_OK)
			status = bpred_new(&predictor->config, &predictor->bpred, error);
		branch->count += status == POLY_OK;
		if (!*list)
			break;
	}
	return status;
}

/* Takes a number, or two with ".." between them. */
static bool
take_range(const char **text, unsigned most, unsigned *low, unsigned *high)
{
	bool sound = take_number(text, low);
	*high = *low;
	if (sound && !strncmp(*text, "..", 2)) {
		*text += 2;
		sound = take_number(text, high);
	}
	return sound && *low <= *high && *high <= most;
}

bool
branch_range(const char *text, unsigned most, unsigned *low, unsigned *high)
{
	return take_range(&text, most, low, high) && !*text;
}

/* What a sweep is over. */
struct ranges {
	unsigned sizes[2], histories[2];
	bool has_histories;
};

static enum poly_status
take_ranges(const char *text, struct ranges *ranges, struct poly_error *error)
{
	const char *p = text;
	bool sound = take_range(&p, BPRED_LOG2_MAX, &ranges->sizes[0], &ranges->sizes[1]);
	ranges->has_histories = sound && *p == ':';
	if (ranges->has_histories) {
		p++;
		sound = take_range(
			&p, BPRED_LOG2_MAX, &ranges->histories[0], &ranges->histories[1]);
	}
	if (!sound || *p)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"sweep is '%.40s', expected log2 of the smallest and of the largest "
			"number of counters, up to %d, as 3..20, and behind a ':' the shortest "
			"and the longest history",
			text, BPRED_LOG2_MAX);
	return POLY_OK;
}

/* Of each size a bimodal predictor, and gshare ones. */
static void
fill_sweep(
	struct branch *branch, const struct ranges *ranges, const struct bpred_config *common)
{
	size_t n = 0;
	for (unsigned log2 = ranges->sizes[0]; log2 <= ranges->sizes[1]; log2++) {
		const unsigned first = ranges->has_histories ? ranges->histories[0] : log2;
		const unsigned last = ranges->has_histories ? ranges->histories[1] : log2;
		struct bpred_config config = *common;
		config.kind = BPRED_BIMODAL;
		config.entries_log2 = log2;
		branch->swept[n++] = config;
		config.kind = BPRED_GSHARE;
		for (config.history = first; config.history <= last; config.history++)
			branch->swept[n++] = config;
	}
}

enum poly_status
branch_parse_sweep(struct branch *branch, const char *sizes, const struct bpred_config *common,
	struct poly_error *error)
{
	struct ranges ranges = {.has_histories = false};
	size_t each = 2;
	if (!sizes || !*sizes)
		return POLY_OK;
	enum poly_status status = take_ranges(sizes, &ranges, error);
	if (status != POLY_OK)
		return status;
	if (ranges.has_histories)
		each = ranges.histories[1] - ranges.histories[0] + 2;
	branch->sweeps_histories = ranges.has_histories;
	branch->swept_count = each * (ranges.sizes[1] - ranges.sizes[0] + 1);
	branch->swept = mem_new(branch->swept_count, sizeof *branch->swept);
	branch->swept_wrong = mem_new(branch->swept_count, sizeof *branch->swept_wrong);
	if (!branch->swept || !branch->swept_wrong)
		return err_memory(error);
	fill_sweep(branch, &ranges, common);
	return bpred_sweep_new(branch->swept, branch->swept_count, &branch->sweep, error);
}

void
branch_name(const struct bpred_config *config, char *name, size_t size)
{
	struct bpred_config copy = *config;
	size_t n = (size_t)snprintf(name, size, "%s", bpred_name(config->kind));
	for (unsigned i = 0; i < kinds[config->kind].count && n < size; i++)
		n += (size_t)snprintf(name + n, size - n, ":%u",
			*field_of(&copy, &kinds[config->kind].numbers[i]));
}
