/* SPDX-License-Identifier: MIT */
/*
 * Where branches go: a branch target buffer, a return address stack, and a predictor of
 * indirect jumps. Like bpred.h's these are machines over columns of branches in order.
 *
 * The buffer of San Francisco State's course (reference cis501 7.1.7, system 2) is
 * {.sets = M, .ways = 1}, asked where the branch is predicted taken. That of the pipelines of
 * cis501v2 (7.1.8) is {.sets = 2^n, .ways = 1, .pc_shift = 1}, asked likewise: the next pc is
 * what it finds, and else what stands behind the branch; a full tag tells branches apart
 * whether the bits of the index are in it or not.
 */
#ifndef SIM_BTB_H
#define SIM_BTB_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BTB_ENTRIES_MAX = 1 << 22, /* sets times ways */
	BTB_WAYS_MAX = 64,
	RAS_MAX = 1 << 16, /* addresses on a stack */
};

/* A branch target buffer's shape. */
struct btb_config {
	uint32_t sets;	   /* any number from 1; the set is (pc >> pc_shift) mod sets */
	uint32_t ways;	   /* 1 to BTB_WAYS_MAX, the least recently used one is replaced */
	unsigned tag_bits; /* of (pc >> pc_shift) / sets that are compared; 0: all */
	unsigned pc_shift; /* 0 to 63 */
};

/* Branches, as columns of n entries. */
struct btb_batch {
	const uint64_t *pc, *target; /* addresses, in bytes */
	const uint8_t *taken;	     /* 1: taken, 0: not */
	const uint8_t *asked;	     /* 1: the buffer is looked at; NULL: always */
	size_t n;
};

/* A branch target buffer; one thread at a time may use it. */
struct btb;

/*
 * Makes an empty buffer: 24 bytes an entry. POLY_ERR_USAGE where a number of the configuration
 * is out of its range (the message says which), POLY_ERR_MEMORY.
 */
enum poly_status btb_new(
	const struct btb_config *config, struct btb **made, struct poly_error *error);

/*
 * Takes branches. hit[i] becomes 1 where the buffer was asked and had the branch, and found[i]
 * then its target, else 0. Afterwards a branch that is taken is put into the buffer, or its
 * target renewed. Being found or put there counts as use.
 */
void btb_run(struct btb *btb, const struct btb_batch *batch, uint8_t *hit, uint64_t *found);

/* Bits of state: tags, targets of 64 bits, valid bits, and an order of ways. */
uint64_t btb_bits(const struct btb_config *config);

/* Gives a buffer's memory back. Accepts NULL. */
void btb_free(struct btb *btb);

/* What a record means to a stack of return addresses. */
enum ras_kind {
	RAS_OTHER,  /* nothing */
	RAS_CALL,   /* its address is where it will return to: pushed */
	RAS_RETURN, /* its address is where it returned to: compared with what is popped */
};

/* A return address stack: where it is full the oldest address is overwritten. */
struct ras {
	uint64_t *addresses;
	uint32_t room, depth, top; /* depth: addresses that are on it */
	uint64_t returns, wrong;   /* returns seen; wrong also where the stack was empty */
};

/*
 * Prepares a stack of 1 to RAS_MAX addresses. POLY_ERR_USAGE where it is another number,
 * POLY_ERR_MEMORY.
 */
enum poly_status ras_init(struct ras *ras, uint32_t room, struct poly_error *error);

/* Takes n records: kinds and addresses. right[i] becomes 1 for returns that were predicted. */
void ras_run(struct ras *ras, const uint8_t *kinds, const uint64_t *addresses, uint8_t *right,
	size_t n);

/* Gives a stack's memory back. */
void ras_fini(struct ras *ras);

#endif
