/* SPDX-License-Identifier: MIT */
/*
 * Predicts branches of standard input, lines of address and target (hexadecimal) and 1 or 0,
 * for the configuration of each argument, a kind and its numbers, and prints the predictions
 * of each as a line of 1 and 0. If all are bimodal or gshare, a further line has the counts of
 * a sweep.
 */
#include "sim/branch/bpred.h"
#include "sim/branch/bpred_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCHES_MAX = 200000, CONFIGS_MAX = 64, ODD_BATCH = 4099 };

static uint64_t pc[BRANCHES_MAX], target[BRANCHES_MAX];
static uint8_t taken[BRANCHES_MAX], predicted[BRANCHES_MAX];

static size_t
read_branches(void)
{
	size_t n = 0;
	unsigned outcome;
	while (n < BRANCHES_MAX &&
		scanf("%" SCNx64 " %" SCNx64 " %u", &pc[n], &target[n], &outcome) == 3)
		taken[n++] = outcome != 0;
	return n;
}

static unsigned
number(char **words)
{
	return (unsigned)strtoul(*words, words, 0);
}

/* kind:shift entries history local bimodal chooser initial mask-first tables tagged tag period
 * seed lengths…, in this order. */
static struct bpred_config
parse(char *text)
{
	char *words = strchr(text, ':');
	struct bpred_config config = {0};
	*words++ = 0;
	config.kind = bpred_find(text);
	config.pc_shift = number(&words);
	config.entries_log2 = number(&words);
	config.history = number(&words);
	config.local_log2 = number(&words);
	config.bimodal_log2 = number(&words);
	config.chooser_log2 = number(&words);
	config.initial = number(&words);
	config.mask_first = number(&words) != 0;
	config.tage.tables = number(&words);
	config.tage.entries_log2 = number(&words);
	config.tage.tag_bits = number(&words);
	config.tage.period_log2 = number(&words);
	config.tage.seed = number(&words);
	for (unsigned i = 0; i < config.tage.tables && i < BPRED_TAGE_TABLES; i++)
		config.tage.length[i] = (uint16_t)number(&words);
	return config;
}

/* Batches of an odd size, so that where one ends is seen not to matter. */
static struct bpred_batch
batch_at(size_t from, size_t n)
{
	size_t rows = n - from < ODD_BATCH ? n - from : ODD_BATCH;
	return (struct bpred_batch){pc + from, target + from, taken + from, rows};
}

static int
list(const struct bpred_config *config, size_t n)
{
	struct bpred *bpred;
	struct poly_error error;
	if (bpred_new(config, &bpred, &error)) {
		fprintf(stderr, "bpred_listing: %s\n", error.message);
		return 1;
	}
	for (size_t from = 0; from < n; from += ODD_BATCH) {
		struct bpred_batch batch = batch_at(from, n);
		bpred_run(bpred, &batch, predicted + from);
	}
	for (size_t i = 0; i < n; i++)
		putchar('0' + predicted[i]);
	putchar('\n');
	bpred_free(bpred);
	return 0;
}

static int
sweep(const struct bpred_config *configs, size_t count, size_t n)
{
	struct bpred_sweep *all;
	if (bpred_sweep_new(configs, count, &all, NULL))
		return 0;
	for (size_t from = 0; from < n; from += ODD_BATCH) {
		struct bpred_batch batch = batch_at(from, n);
		bpred_sweep_run(all, &batch);
	}
	for (size_t i = 0; i < count; i++)
		printf("%" PRIu64 "%c", bpred_sweep_wrong(all, i), i + 1 < count ? ' ' : '\n');
	bpred_sweep_free(all);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct bpred_config configs[CONFIGS_MAX];
	size_t n = read_branches(), count = (size_t)argc - 1;
	if (count > CONFIGS_MAX)
		return 2;
	for (size_t i = 0; i < count; i++) {
		configs[i] = parse(argv[i + 1]);
		if (list(&configs[i], n))
			return 1;
	}
	return sweep(configs, count, n);
}
