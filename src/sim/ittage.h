/* SPDX-License-Identifier: MIT */
/*
 * A predictor of where indirect jumps go, after ITTAGE: the last target of each place, and
 * tagged tables T1 to Tn with ever longer histories.
 *
 * The history has bits: one for each branch that is not indirect (1: taken), two for an
 * indirect one, first the higher, of (t ^ t >> 2 ^ t >> 4 ^ t >> 6) mod 4 with t its target.
 * Indexes and tags are made of it as bpred_tage.c says. An entry has a tag, a target, a
 * confidence from 0 to 3 and a use of one bit. With provider and alternative as there, and the
 * last target (0 before there is any) below the tables, the alternative predicts where the
 * provider's confidence is 0. Then, in this order:
 *
 * 1. Where the prediction was wrong the shortest table above the provider whose entry has use 0
 *    gets an entry: tag, target, confidence 0, use 0. Where there is none their uses become 0.
 * 2. Where the provider was right its confidence goes up; where it was wrong it goes down, or,
 * at 0, its target becomes the new one. Where provider and alternative differ its use becomes 1
 * if it was right, else 0.
 * 3. The last target of the place becomes the new one.
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
	ITTAGE_MAX = 1024,    /* bits of history that are looked at */
};

/* A predictor's shape. */
struct ittage_config {
	unsigned pc_shift;     /* low bits of addresses that are not looked at, 0 to 63 */
	unsigned base_log2;    /* places of last targets, 0 to ITTAGE_LOG2_MAX */
	unsigned tables;       /* 0 to ITTAGE_TABLES */
	unsigned entries_log2; /* of each table, 1 to ITTAGE_LOG2_MAX */
	unsigned tag_bits;     /* 2 to 15 */
	uint16_t length[ITTAGE_TABLES]; /* bits of history, ascending, 1 to ITTAGE_MAX */
};

/* Branches, as columns of n entries. */
struct ittage_batch {
	const uint64_t *pc, *target; /* addresses, in bytes; targets of indirect ones only */
	const uint8_t *taken;	     /* 1: taken, 0: not */
	const uint8_t *indirect;     /* 1: goes where a register says, and is predicted */
	size_t n;
};

/* A predictor; one thread at a time may use it. */
struct ittage;

/*
 * Makes an empty predictor, at most 376 MiB. POLY_ERR_USAGE where a number of the configuration
 * is out of its range (the message says which), POLY_ERR_MEMORY.
 */
enum poly_status ittage_new(
	const struct ittage_config *config, struct ittage **made, struct poly_error *error);

/* Predicts a batch: found[i] becomes the target of an indirect branch, of others 0. */
void ittage_run(struct ittage *ittage, const struct ittage_batch *batch, uint64_t *found);

/* Gives a predictor's memory back. Accepts NULL. */
void ittage_free(struct ittage *ittage);

#endif
