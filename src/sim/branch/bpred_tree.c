/* SPDX-License-Identifier: MIT */
/* Six tables of counters in one. */
#include "sim/branch/bpred_tree.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* The nodes on the way to the leaf that five bits choose, the lowest bit first from the root.
 */
#define NODE(level, leaf) (UINT64_C(1) << (1 << (level) | ((leaf) & ((1 << (level)) - 1))))
#define PATH(leaf)                                                                       \
	(NODE(0, leaf) | NODE(1, leaf) | NODE(2, leaf) | NODE(3, leaf) | NODE(4, leaf) | \
		NODE(5, leaf))
#define PATHS(leaf) PATH(leaf), PATH((leaf) + 1), PATH((leaf) + 2), PATH((leaf) + 3)
enum { LEAVES = 32 };
static const uint64_t paths[LEAVES] = {
	PATHS(0), PATHS(4), PATHS(8), PATHS(12), PATHS(16), PATHS(20), PATHS(24), PATHS(28)};

enum poly_status
bpred_tree_init(
	struct bpred_tree *tree, unsigned base, unsigned initial, struct poly_error *error)
{
	const size_t n = (size_t)1 << base;
	const struct bpred_nodes first = {
		initial >= 2 ? UINT64_MAX : 0, initial == 0 || initial == 3 ? UINT64_MAX : 0};
	*tree = (struct bpred_tree){base, mem_new(n, sizeof *tree->nodes)};
	if (!tree->nodes)
		return err_memory(error);
	for (size_t i = 0; i < n; i++)
		tree->nodes[i] = first;
	return POLY_OK;
}

/* Predicts and learns along a path. Returns the nodes that mispredicted. */
static inline uint64_t
step(struct bpred_nodes *nodes, uint64_t path, uint64_t outcome)
{
	const uint64_t wrong = (nodes->high ^ outcome) & path;
	nodes->high ^= wrong & ~nodes->strong;
	nodes->strong = (nodes->strong | path) ^ wrong;
	return wrong;
}

/* Adds the bits of each level of a word, each of which counts 2^weight_log2. */
static void
count_levels(uint64_t word, unsigned weight_log2, uint64_t *wrong)
{
	for (unsigned level = 0; level < BPRED_TREE_LEVELS; level++) {
		const unsigned width = 1U << level;
		const uint64_t nodes = (((uint64_t)1 << width) - 1) << width;
		wrong[level] += (uint64_t)__builtin_popcountll(word & nodes) << weight_log2;
	}
}

/*
 * Counts the bits of BPRED_STRIP words by level. Each round adds up the words, bit by bit:
 * the carries represent every two words and the remainder, so half as many words go to
 * the next round, and count twice as much there.
 */
static void
count(uint64_t *words, uint64_t *wrong)
{
	unsigned weight_log2 = 0;
	for (size_t n = BPRED_STRIP; n > 1; n /= 2) {
		uint64_t sum = 0;
		for (size_t i = 0; i < n; i += 2) {
			const uint64_t one = words[i], other = words[i + 1];
			words[i / 2] = (sum & one) | ((sum ^ one) & other);
			sum ^= one ^ other;
		}
		count_levels(sum, weight_log2++, wrong);
	}
	count_levels(words[0], weight_log2, wrong);
}

void
bpred_tree_run(struct bpred_tree *tree, const struct bpred_strip *strip, uint64_t *words,
	uint64_t *wrong)
{
	const unsigned base = tree->base;
	const uint32_t mask = ((uint32_t)1 << base) - 1;
	const size_t n = strip->n;
	struct bpred_nodes *nodes = tree->nodes;
	for (size_t i = 0; i < n; i++) {
		const uint32_t looked_up = strip->looked_up[i];
		words[i] = step(&nodes[looked_up & mask],
			paths[looked_up >> base & (LEAVES - 1)], (uint64_t)strip->taken[i]);
	}
	memset(words + n, 0, (BPRED_STRIP - n) * sizeof *words);
	count(words, wrong);
}

void
bpred_tree_fini(struct bpred_tree *tree)
{
	mem_free(tree->nodes);
}
