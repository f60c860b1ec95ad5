/* SPDX-License-Identifier: MIT */
/*
 * Branch targets: a branch target buffer (BTB) and a return-address stack (RAS). Like those of
 * bpred.h these are machines over columns of branches in order.
 *
 * The BTB of San Francisco State's course (system 2 of its assignment) is {.sets = M, .ways =
 * 1}, looked up if the branch is predicted taken. That of the pipelines of cis501v2 is {.sets
 * = 2^n, .ways = 1, .pc_shift = 1}, looked up likewise: the next pc is the target found, or
 * else the instruction after the branch; a full tag distinguishes branches whether it contains
 * the bits of the index or not.
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

/* Configuration of a BTB. */
struct btb_config {
	uint32_t sets;	   /* any number from 1; the set is (pc >> pc_shift) mod sets */
	uint32_t ways;	   /* 1 to BTB_WAYS_MAX, the least recently used one is replaced */
	unsigned tag_bits; /* bits of (pc >> pc_shift) / sets that are compared; 0: all */
	unsigned pc_shift; /* 0 to 63 */
};

/* Branches, as columns of n entries. */
struct btb_batch {
	const uint64_t *pc, *target; /* addresses, in bytes */
	const uint8_t *taken;	     /* 1: taken, 0: not */
	const uint8_t *looked_up;    /* 1: the BTB is looked up; NULL: always */
	size_t n;
};

/* A BTB; one thread at a time may use it. */
struct btb;

/*
 * Creates an empty BTB: 24 bytes per entry. POLY_ERR_USAGE if a number of the configuration is
 * out of range (the message names it), POLY_ERR_MEMORY.
 */
enum poly_status btb_new(
	const struct btb_config *config, struct btb **created, struct poly_error *error);

/*
 * Runs branches. hit[i] becomes 1 if the BTB was looked up and had the branch, and found[i]
 * its target; else both are 0. Then a taken branch is inserted, or its target updated. A hit
 * or an insertion counts as a use.
 */
void btb_run(struct btb *btb, const struct btb_batch *batch, uint8_t *hit, uint64_t *found);

/* Returns the bits of state: tags, 64-bit targets, valid bits, and the order of the ways. */
uint64_t btb_bits(const struct btb_config *config);

/* Frees a BTB. Accepts NULL. */
void btb_free(struct btb *btb);

/* Effect of a record on a return-address stack. */
enum ras_kind {
	RAS_OTHER,  /* nothing */
	RAS_CALL,   /* a call: its return address is pushed */
	RAS_RETURN, /* a return: its target is compared with the popped address */
};

/* A return-address stack; when it is full, the oldest address is overwritten. */
struct ras {
	uint64_t *addresses;
	uint32_t room, depth, top; /* depth: addresses on the stack */
	uint64_t returns, wrong;   /* returns; wrong includes those on an empty stack */
};

/*
 * Initialises a stack of 1 to RAS_MAX addresses. POLY_ERR_USAGE for another number,
 * POLY_ERR_MEMORY.
 */
enum poly_status ras_init(struct ras *ras, uint32_t room, struct poly_error *error);

/* Runs n records: kinds and addresses. right[i] becomes 1 for correctly predicted returns. */
void ras_run(struct ras *ras, const uint8_t *kinds, const uint64_t *addresses, uint8_t *right,
	size_t n);

/* Frees the memory of a stack. */
void ras_fini(struct ras *ras);

#endif
