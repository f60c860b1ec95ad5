/* SPDX-License-Identifier: MIT */
/* The simulation of branch prediction: its state, shared by its files. */
#ifndef ANALYSIS_SIM_BRANCH_H
#define ANALYSIS_SIM_BRANCH_H

#include "analysis/facts/branch_stream.h"
#include "sim/branch/bpred.h"
#include "sim/branch/bpred_sites.h"
#include "sim/branch/bpred_sweep.h"
#include "sim/branch/btb.h"
#include "sim/branch/ittage.h"

#define BRANCH_PREDICTORS 64	  /* maximum number in a list */
#define BRANCH_BUDGET_LOG2_MAX 20 /* log2 of the bits of a budget, maximum */
#define BRANCH_STRIP 4096	  /* branches per strip */
#define BRANCH_ELSEWHERE SIZE_MAX

/* A predictor of the list. */
struct branch_predictor {
	struct bpred_config config;
	struct bpred *bpred; /* NULL: another process simulates it */
	uint64_t mispredictions;
	uint8_t predicted[BRANCH_STRIP]; /* of the last strip */
};

/* A predictor that is compared with others within the same budget. */
struct branch_budget {
	struct branch_predictor predictor;
	uint64_t bits; /* of the budget */
};

/* Gathered branches, as columns. */
struct branch_columns {
	uint64_t pc[BRANCH_STRIP], target[BRANCH_STRIP];
	uint32_t site[BRANCH_STRIP];
	uint8_t taken[BRANCH_STRIP];
	size_t n;
};

struct branch_simulation {
	struct branch_stream stream;
	uint64_t instructions, branches, taken;
	bool is_counting;  /* the last rows count */
	bool predicts_all; /* predicts unconditional branches, too */
	uint64_t top;
	struct branch_predictor predictors[BRANCH_PREDICTORS];
	size_t count;
	struct bpred_sweep *sweep; /* NULL: not requested, or of other processes alone */
	struct bpred_config *swept_configs;
	/* Per predictor: its index in the sweep; BRANCH_ELSEWHERE: another process simulates
	 * it. */
	size_t *swept_indices;
	/* Per predictor: mispredictions at the ends of counting minus those at its starts,
	 * modulo 2^64. */
	uint64_t *swept_mispredictions;
	size_t swept_count, swept_per_size;
	bool sweeps_histories; /* besides sizes */
	struct branch_budget *budgets;
	size_t budget_count;
	struct bpred_sites sites; /* counts of the last predictor */
	struct btb_config btb_config;
	struct btb *btb; /* NULL: another process predicts targets */
	struct ras ras;
	struct ittage *ittage;
	/* Lookups and correct predictions of each predictor of targets. */
	uint64_t btb_lookups, btb_hits, ras_lookups, ras_hits, ittage_lookups, ittage_hits;
	struct branch_columns columns;
	/* The current strip. */
	struct bpred_batch batch;
	bool counts;
};

/*
 * Parses a list of predictors, as "bimodal:12,gshare:14:8", into at most BRANCH_PREDICTORS
 * configurations, initialized from common. POLY_ERR_USAGE with a message.
 */
enum poly_status branch_parse_predictors(struct branch_simulation *sim, const char *list,
	const struct bpred_config *common, struct poly_error *error);

/*
 * Parses sizes, as "3..20", into a sweep of bimodal predictors and gshare predictors with
 * histories as long as the index, or with each length of "3..20:4..12". "": no sweep.
 */
enum poly_status branch_parse_sweep(struct branch_simulation *sim, const char *sizes,
	const struct bpred_config *common, struct poly_error *error);

/* Parses log2 of budgets in bits, as "10..16", and creates the predictors of each. "": no
 * budgets. */
enum poly_status branch_parse_budgets(struct branch_simulation *sim, const char *text,
	const struct bpred_config *common, struct poly_error *error);

/* Parses "LOW..HIGH" or one number, up to max; false: invalid. */
bool branch_parse_range(const char *text, unsigned max, unsigned *low, unsigned *high);

/* Initializes a predictor of a kind with its default numbers; the rest from common. */
void branch_default_config(
	struct bpred_config *config, enum bpred_kind kind, const struct bpred_config *common);

/* Formats the name of a configuration: "gshare:14:8". */
void branch_format_name(const struct bpred_config *config, char *name, size_t size);

/* Returns the mispredictions that count of a predictor of the sweep. */
uint64_t branch_swept_mispredictions(const struct branch_simulation *sim, size_t i);

/* How processes divide the predictors. */
extern const struct analysis_machines branch_machines;

/* Reports the results. */
void branch_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
