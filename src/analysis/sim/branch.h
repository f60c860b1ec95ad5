/* SPDX-License-Identifier: MIT */
/* The simulation of branch prediction: its state, and what parts of it share. */
#ifndef ANALYSIS_SIM_BRANCH_H
#define ANALYSIS_SIM_BRANCH_H

#include "analysis/branch_stream.h"
#include "sim/bpred.h"
#include "sim/bpred_sites.h"
#include "sim/bpred_sweep.h"
#include "sim/btb.h"
#include "sim/ittage.h"

#define BRANCH_PREDICTORS 64  /* in a list, at most */
#define BRANCH_BUDGET_MOST 20 /* log2 of the bits of a budget */
#define BRANCH_STRIP 4096     /* branches that are predicted at a time */

/* A predictor of the list. */
struct branch_predictor {
	struct bpred_config config;
	struct bpred *bpred;
	uint64_t wrong;
	uint8_t predicted[BRANCH_STRIP]; /* of the branches that were predicted last */
};

/* A predictor that is compared with others that need no more bits. */
struct branch_budget {
	struct branch_predictor predictor;
	uint64_t bits; /* of the budget */
};

/* Branches that wait to be predicted, as columns. */
struct branch_columns {
	uint64_t pc[BRANCH_STRIP], target[BRANCH_STRIP];
	uint32_t site[BRANCH_STRIP];
	uint8_t taken[BRANCH_STRIP];
	size_t n;
};

struct branch {
	struct branch_stream jumps;
	uint64_t instructions, branches, taken;
	bool is_counting; /* the last rows counted */
	bool takes_all;	  /* unconditional branches, too */
	uint64_t top;
	struct branch_predictor predictors[BRANCH_PREDICTORS];
	size_t count;
	struct bpred_sweep *sweep; /* NULL: none is asked for */
	struct bpred_config *swept;
	/* Of each, its mispredictions when counting ended, less those when it began; modulo
	 * 2^64. */
	uint64_t *swept_wrong;
	size_t swept_count;
	bool sweeps_histories; /* beside sizes */
	struct branch_budget *budgets;
	size_t budget_count;
	struct bpred_sites sites; /* what the last predictor did */
	struct btb_config btb_config;
	struct btb *btb;
	struct ras ras;
	struct ittage *ittage;
	/* Of each predictor of targets, what it was asked and what it knew. */
	uint64_t btb_asked, btb_right, returns, returns_right, indirect, indirect_right;
	struct branch_columns columns;
	/* Of the branches that are predicted now. */
	struct bpred_batch batch;
	bool counts;
};

/*
 * Takes a list of predictors, as "bimodal:12,gshare:14:8", into at most BRANCH_PREDICTORS
 * configurations, which begin as common. POLY_ERR_USAGE: the message says what is wrong.
 */
enum poly_status branch_parse(struct branch *branch, const char *list,
	const struct bpred_config *common, struct poly_error *error);

/*
 * Takes sizes, as "3..20", into a sweep of bimodal predictors and of gshare ones with as long a
 * history, or with all of "3..20:4..12". "": none.
 */
enum poly_status branch_parse_sweep(struct branch *branch, const char *sizes,
	const struct bpred_config *common, struct poly_error *error);

/* Takes log2 of budgets in bits, as "10..16", and makes predictors of each. "": none. */
enum poly_status branch_budgets(struct branch *branch, const char *text,
	const struct bpred_config *common, struct poly_error *error);

/* Takes "LOW..HIGH" or one number, up to most; false: it is something else. */
bool branch_range(const char *text, unsigned most, unsigned *low, unsigned *high);

/* A predictor of a kind with the usual numbers, else as common. */
void branch_usual(
	struct bpred_config *config, enum bpred_kind kind, const struct bpred_config *common);

/* What a configuration is called: "gshare:14:8". */
void branch_name(const struct bpred_config *config, char *name, size_t size);

/* Writes the answer. */
void branch_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
