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

/* Takes one predictor; text is behind it then. */
static enum poly_status
take_predictor(const char **text, struct bpred_config *config, struct poly_error *error)
{
	char name[16] = "";
	const char *word = *text;
	size_t n = strcspn(word, ":,");
	if (n < sizeof name)
		memcpy(name, word, n);
	config->kind = bpred_find(name);
	config->tage = usual_tage;
	if (config->kind == BPRED_KINDS)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"there is no branch predictor '%.*s', expected taken, not-taken, btfn, "
			"bimodal, gshare, gag, pag, pap, tournament, perceptron or tage",
			n < 60 ? (int)n : 60, word);
	unsigned count = kinds[config->kind].count, given = 0;
	for (unsigned i = 0; i < count; i++)
		*field_of(config, &kinds[config->kind].numbers[i]) =
			kinds[config->kind].numbers[i].usual;
	*text = word + n;
	while (**text == ':') {
		unsigned value;
		++*text;
		if (given == count || !take_number(text, &value))
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"branch predictor '%.*s' takes at most %u numbers, each behind "
				"a ':'",
				(int)n, word, count);
		*field_of(config, &kinds[config->kind].numbers[given++]) = value;
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
		predictor->config = *common;
		status = take_predictor(&list, &predictor->config, error);
		if (status == POLY_OK)
			status = bpred_new(&predictor->config, &predictor->bpred, error);
		branch->count += status == POLY_OK;
		if (!*list)
			break;
	}
	return status;
}

static enum poly_status
take_sizes(const char *text, unsigned *low, unsigned *high, struct poly_error *error)
{
	const char *p = text;
	bool sound = take_number(&p, low);
	*high = *low;
	if (sound && !strncmp(p, "..", 2)) {
		p += 2;
		sound = take_number(&p, high);
	}
	if (!sound || *p || *low > *high || *high > BPRED_LOG2_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"sweep is '%.40s', expected log2 of the smallest and of the largest "
			"number of counters, up to %d, as 3..20",
			text, BPRED_LOG2_MOST);
	return POLY_OK;
}

enum poly_status
branch_parse_sweep(struct branch *branch, const char *sizes, const struct bpred_config *common,
	struct poly_error *error)
{
	unsigned low, high;
	if (!sizes || !*sizes)
		return POLY_OK;
	enum poly_status status = take_sizes(sizes, &low, &high, error);
	if (status != POLY_OK)
		return status;
	branch->swept_count = 2 * (high - low + 1);
	branch->swept = mem_new(branch->swept_count, sizeof *branch->swept);
	branch->swept_wrong = mem_new(branch->swept_count, sizeof *branch->swept_wrong);
	if (!branch->swept || !branch->swept_wrong)
		return err_memory(error);
	for (size_t i = 0; i < branch->swept_count; i++) {
		struct bpred_config *config = &branch->swept[i];
		*config = *common;
		config->kind = i % 2 ? BPRED_GSHARE : BPRED_BIMODAL;
		config->entries_log2 = low + (unsigned)(i / 2);
		config->history = i % 2 ? config->entries_log2 : 0;
	}
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
