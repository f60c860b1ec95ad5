/* SPDX-License-Identifier: MIT */
/*
 * Six tables of counters in one. The i-th has 2^(base + i) counters and is indexed by the low
 * base + i bits of the common index, so the counters of a branch are a path from the root of a
 * binary tree, selected by the bits from base on; the low base bits select the tree. A tree
 * has one bit per counter in each of two words, and all six counters of a branch learn at once
 * by logic on these. Their mispredictions are a word, too, in which the bits of one level
 * belong to one table; the set bits are summed for many words together.
 *
 * A counter is two bits: whether it is high (predicts taken), and whether it is strong (0 and
 * 3). After a misprediction a strong counter becomes weak, and a weak one changes sides and
 * stays weak; after a correct prediction it becomes strong.
 */
#ifndef SIM_BPRED_TREE_H
#define SIM_BPRED_TREE_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
	BPRED_TREE_LEVELS = 6,
	BPRED_STRIP = 4096 /* branches in a strip */
};

/* Up to a strip of branches, as columns of n entries. */
struct bpred_strip {
	uint32_t looked_up[BPRED_STRIP]; /* truncated to an index by each table */
	int8_t taken[BPRED_STRIP];	 /* -1: taken, 0: not */
	size_t n;
};

/* A tree's counters; bit n of each word is the n-th node, its children are 2 n and 2 n + 1. */
struct bpred_nodes {
	uint64_t high, strong; /* bit 0 is unused */
};

/* 2^base trees. */
struct bpred_tree {
	unsigned base;
	struct bpred_nodes *nodes;
};

/*
 * Creates trees whose counters start at initial (0 to 3); base is 0 to BPRED_LOG2_MAX.
 * POLY_OK, or POLY_ERR_MEMORY with nothing to free.
 */
enum poly_status bpred_tree_init(
	struct bpred_tree *tree, unsigned base, unsigned initial, struct poly_error *error);

/*
 * Predicts a strip and learns; adds to wrong[i] the mispredictions of table i of
 * BPRED_TREE_LEVELS. words is scratch space for BPRED_STRIP words.
 */
void bpred_tree_run(struct bpred_tree *tree, const struct bpred_strip *strip, uint64_t *words,
	uint64_t *wrong);

/* Frees the memory. Accepts zeroed trees. */
void bpred_tree_fini(struct bpred_tree *tree);

#endif
