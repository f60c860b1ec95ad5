/* SPDX-License-Identifier: MIT */
/*
 * A predictor of indirect branch targets, after ITTAGE: a table of last targets, and tagged
 * tables T1 to Tn with increasing history lengths.
 *
 * The history consists of bits: one per branch that is not indirect (1: taken), two per
 * indirect one, the higher first, of (t ^ t >> 2 ^ t >> 4 ^ t >> 6) mod 4 with t its target.
 * Indexes and tags are computed from it as in bpred_tage.c. An entry has a tag, a target, a
 * confidence from 0 to 3 and a use of one bit. With provider and alternative as there, and the
 * last target (initially 0) as the base prediction, the alternative predicts if the provider's
 * confidence is 0. Then, in this order:
 *
 * 1. If the prediction was wrong, the shortest table above the provider whose entry has use 0
 * gets an entry: tag, target, confidence 0, use 0. If there are none, their uses become 0.
 * 2. If the provider was right, its confidence is incremented; else it is decremented, or, at
 * 0, its target is replaced. If provider and alternative differ, its use becomes 1 if it was
 * right, else 0.
 * 3. The last target is updated.
 *
 * spec: A. Seznec, "A 64-Kbytes ITTAGE indirect branch predictor", JWAC-2, 2011, sections 2 and
 * 3; without its path history, aging and loop parts.
 */
#ifndef SIM_ITTAGE_H
#define SIM_ITTAGE_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
	ITTAGE_TABLES = 15,   /* at most */
	ITTAGE_LOG2_MAX = 20, /* of the entries of each, and of the last targets */
	ITTAGE_MAX = 1024,    /* maximum history length in bits */
};

/* Configuration of a predictor. */
struct ittage_config {
	unsigned pc_shift;     /* low bits of addresses that are ignored, 0 to 63 */
	unsigned base_log2;    /* log2 of the last targets, 0 to ITTAGE_LOG2_MAX */
	unsigned tables;       /* 0 to ITTAGE_TABLES */
	unsigned entries_log2; /* of each table, 1 to ITTAGE_LOG2_MAX */
	unsigned tag_bits;     /* 2 to 15 */
	uint16_t
		length[ITTAGE_TABLES]; /* history lengths in bits, ascending, 1 to ITTAGE_MAX */
};

/* Branches, as columns of n entries. */
struct ittage_batch {
	const uint64_t *pc, *target; /* addresses, in bytes; targets of indirect ones only */
	const uint8_t *taken;	     /* 1: taken, 0: not */
	const uint8_t *indirect;     /* 1: an indirect branch, which is predicted */
	size_t n;
};

/* A predictor; one thread at a time may use it. */
struct ittage;

/*
 * Creates an empty predictor, of at most 376 MiB. POLY_ERR_USAGE if a number of the
 * configuration is out of range (the message names it), POLY_ERR_MEMORY.
 */
enum poly_status ittage_new(
	const struct ittage_config *config, struct ittage **created, struct poly_error *error);

/* Predicts a batch: found[i] becomes the target of an indirect branch, of others 0. */
void ittage_run(struct ittage *ittage, const struct ittage_batch *batch, uint64_t *found);

/* Frees a predictor. Accepts NULL. */
void ittage_free(struct ittage *ittage);

#endif
