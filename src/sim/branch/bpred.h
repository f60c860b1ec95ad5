/* SPDX-License-Identifier: MIT */
/*
 * Predictors of branch directions. A predictor is a state machine over columns: it gets the
 * branches of a trace in order, in batches, and predicts each before it learns the outcome.
 * The caller selects the branches (conditional ones, or all): others are neither predicted nor
 * part of a history.
 *
 * In what follows pc is the branch's address shifted right by pc_shift, a history is a number
 * whose bit 0 is the youngest outcome (1: taken), starting at 0, and a counter is a saturating
 * two-bit number, incremented if the branch is taken and decremented if it is not; 2 and 3
 * predict taken.
 *
 * spec: CIS 501 homework 3, and its solution's chooser (tournament). T.-Y. Yeh, Y. Patt, "A
 * comparison of dynamic branch predictors that use two levels of branch history", ISCA 1993
 * (GAg, PAg, PAp). S. McFarling, "Combining branch predictors", DEC WRL TN-36, 1993 (gshare,
 * tournament). D. Jiménez, C. Lin, "Dynamic branch prediction with perceptrons", HPCA 2001. A.
 * Seznec, P. Michaud, "A case for (partially) tagged geometric history length branch
 * prediction", JILP 8, 2006 (TAGE).
 */
#ifndef SIM_BPRED_H
#define SIM_BPRED_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BPRED_LOG2_MAX = 26,	    /* of the entries of a table */
	BPRED_HISTORY_MAX = 64,	    /* history length of gshare and the tournament */
	BPRED_PERCEPTRON_MAX = 512, /* history length of a perceptron */
	BPRED_TAGE_TABLES = 15,	    /* tagged tables of TAGE, at most */
	BPRED_TAGE_LOG2_MAX = 20,   /* of the entries of one of them */
	BPRED_TAGE_MAX = 1024,	    /* its history length */
};

enum bpred_kind {
	BPRED_TAKEN,	 /* predicts that each branch is taken */
	BPRED_NOT_TAKEN, /* predicts that none is */
	BPRED_BTFN,	 /* backward taken, forward not: taken if target <= address */
	BPRED_BIMODAL,	 /* counters by pc mod 2^entries_log2 */
	BPRED_GSHARE,	 /* counters by (pc xor history) mod 2^entries_log2 */
	BPRED_GAG,	 /* counters by history */
	BPRED_PAG, /* histories by pc mod 2^local_log2, one table of counters by history */
	BPRED_PAP, /* the same, a table of counters for each history */
	BPRED_TOURNAMENT, /* bimodal, gshare, and counters by pc that choose (7.1.3) */
	BPRED_PERCEPTRON, /* weights by pc mod 2^entries_log2 */
	BPRED_TAGE,	  /* a bimodal table, and tagged ones with increasing history lengths */
	BPRED_KINDS,
};

/* The tagged tables of TAGE; see bpred_tage.c for what each number does. */
struct bpred_tage {
	unsigned tables;       /* 1 to BPRED_TAGE_TABLES */
	unsigned entries_log2; /* of each table, 1 to BPRED_TAGE_LOG2_MAX */
	unsigned tag_bits;     /* 2 to 15 */
	unsigned period_log2;  /* 2^this branches lie between two agings, 1 to 40 */
	uint32_t seed;	       /* of the choice of a table for a new entry, not 0 */
	uint16_t length[BPRED_TAGE_TABLES]; /* outcomes of each, ascending, 1 to BPRED_TAGE_MAX
					     */
};

/* Configuration of a predictor. Fields that a kind does not name are ignored. */
struct bpred_config {
	enum bpred_kind kind;
	unsigned pc_shift; /* low bits of the address that are ignored, 0 to 63 */
	unsigned
		entries_log2;  /* bimodal, gshare, tournament: counters of the bimodal or gshare
				  table; perceptron: rows; TAGE: counters of the bimodal table */
	unsigned history;      /* history length: gshare, tournament 0 to BPRED_HISTORY_MAX;
				  GAg, PAg, PAp: 0 to BPRED_LOG2_MAX; perceptron: 0 to
				  BPRED_PERCEPTRON_MAX */
	unsigned local_log2;   /* PAg, PAp: histories; PAp: history + local_log2 is at most
				  BPRED_LOG2_MAX */
	unsigned bimodal_log2; /* tournament: counters of the bimodal table */
	unsigned chooser_log2; /* tournament: counters that choose, 0 and 1 for bimodal */
	unsigned initial; /* value of the prediction counters, 0 to 3; the choosers start at 0,
			     TAGE's tagged counters are set before they are read */
	bool mask_first;  /* gshare and tournament: (pc mod 2^entries_log2) xor history, in a
			     table with 2^history counters if that is more (3, row 4) */
	struct bpred_tage tage;
};

/* Consecutive branches, as columns of n entries. */
struct bpred_batch {
	const uint64_t *pc;	/* address, in bytes */
	const uint64_t *target; /* its target; NULL: unknown (BTFN needs it) */
	const uint8_t *taken;	/* 1: taken, 0: not */
	size_t n;
};

/*
 * Validates a configuration. POLY_ERR_USAGE: the message names the wrong number and its range.
 */
enum poly_status bpred_check(const struct bpred_config *config, struct poly_error *error);

/*
 * Returns the bits of state in hardware: counters, weights, histories, tags and aging. 0 for
 * static predictors. The configuration must be valid.
 */
uint64_t bpred_bits(const struct bpred_config *config);

/* Returns the short name of a kind: "bimodal"; finds a kind by its name, or returns
 * BPRED_KINDS. */
const char *bpred_name(enum bpred_kind kind);
enum bpred_kind bpred_find(const char *name);

/* A predictor; one thread at a time may use it. */
struct bpred;

/*
 * Creates a predictor in its initial state. Its memory is bounded by the limits above: 2^26
 * bytes per table of counters or weights, four times that for histories of PAg and PAp, 60 MiB
 * for TAGE's tagged tables. The statuses of bpred_check, and POLY_ERR_MEMORY.
 */
enum poly_status bpred_new(
	const struct bpred_config *config, struct bpred **created, struct poly_error *error);

/* Predicts a batch: predicted[i] becomes 1 (taken) or 0. */
void bpred_run(struct bpred *bpred, const struct bpred_batch *batch, uint8_t *predicted);

/* Frees a predictor. Accepts NULL. */
void bpred_free(struct bpred *bpred);

/* Returns the number of n predictions that differ from the outcomes. */
uint64_t bpred_wrong(const uint8_t *predicted, const uint8_t *taken, size_t n);

#endif
