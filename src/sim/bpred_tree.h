/* SPDX-License-Identifier: MIT */
/*
 * Six tables of counters in one. The i-th has 2^(base + i) counters and is indexed by the low
 * base + i bits of what all of them look up, so the counters of a branch are a path from the
 * root of a binary tree, chosen by the bits from base on; the low base bits choose the tree.
 * A tree is a bit for each counter in two words, and all six counters of a branch learn at once
 * by logic on these. What they mispredicted is a word too, in which bits of one level stand for
 * one table; how often each bit is set is added up for many words together.
 *
 * A counter is two bits: whether it is high (predicts taken), and whether it is strong (0 and
 * 3). Where it was wrong a strong one becomes weak, and a weak one goes over to the other side
 * and stays weak; where it was right it becomes strong.
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
	uint32_t looked_up[BPRED_STRIP]; /* what is cut to an index */
	int8_t taken[BPRED_STRIP];	 /* -1: taken, 0: not */
	size_t n;
};

/* A tree's counters; bit n of each word is the n-th node, its children are 2 n and 2 n + 1. */
struct bpred_nodes {
	uint64_t high, strong; /* bit 0 is no node */
};

/* 2^base trees. */
struct bpred_tree {
	unsigned base;
	struct bpred_nodes *nodes;
};

/*
 * Makes trees of counters that are initial (0 to 3); base is 0 to BPRED_LOG2_MAX. POLY_OK, or
 * POLY_ERR_MEMORY, where nothing is to be given back.
 */
enum poly_status bpred_tree_init(
	struct bpred_tree *tree, unsigned base, unsigned initial, struct poly_error *error);

/*
 * Predicts a strip and learns; adds to wrong[i] what table i of BPRED_TREE_LEVELS mispredicts.
 * words is room for BPRED_STRIP of them, to be overwritten.
 */
void bpred_tree_run(struct bpred_tree *tree, const struct bpred_strip *strip, uint64_t *words,
	uint64_t *wrong);

/* Gives the memory back. Accepts zeroed trees. */
void bpred_tree_fini(struct bpred_tree *tree);

#endif
