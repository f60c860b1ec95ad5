/* SPDX-License-Identifier: MIT */
/*
 * Pipelines by time stamps: micro-ops are taken in program order, once, and each gets the
 * cycles in which it moves on, worked out from those of the ones before it. No cycle is stepped
 * through, and the cycles are those that stepping through them gives.
 *
 * In order: a cycle issues up to width micro-ops, in order, each when its sources are ready.
 * Out of order: a cycle commits up to width done micro-ops from the oldest on, then issues up
 * to width, the oldest ready ones first, then fetches up to width into the reorder buffer.
 *
 * What branches and caches do comes with the micro-ops, as flags and extra cycles. Where the
 * cycles went is told by a stack whose parts add up to the cycles exactly.
 *
 * A pipeline belongs to one thread. Memory: a fixed size in order; out of order 8 bytes a cycle
 * that the micro-ops of a full reorder buffer can take one after the other, 24 bytes a place in
 * the reorder buffer, 8 a physical register, 12 a pc that store sets tell apart.
 *
 * spec: reference cis501 7.1.2, 7.1.5, 7.1.6 (what the models generalise); store sets: Chrysos
 * and Emer, "Memory Dependence Prediction using Store Sets", ISCA 1998, section 3, but that
 * stores of a set do not wait for each other, and that sets are never cleared
 */
#ifndef SIM_PIPELINE_H
#define SIM_PIPELINE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PIPELINE_REGISTERS =
		127,	      /* registers are numbers below; what they are is the caller's */
	PIPELINE_NONE = 127,  /* no register */
	PIPELINE_CLASSES = 8, /* classes of micro-ops, which have a latency each */
	PIPELINE_LOADS = 1,   /* the class of loads, alone; the others are the caller's */
	PIPELINE_WIDTH_MAX = 64, /* micro-ops a cycle */
	PIPELINE_LATENCY_MAX =
		4095, /* cycles, of a class, of a penalty and of what comes on top */
	PIPELINE_SIZE_MAX = 4096,     /* micro-ops in the reorder buffer */
	PIPELINE_RENAMED_MAX = 65536, /* physical registers */
	PIPELINE_SITE_BITS_MAX = 24,  /* of the tables of store sets */
};

enum pipeline_flag {
	PIPELINE_CLASS = PIPELINE_CLASSES - 1, /* these bits are the class */
	PIPELINE_STORE = 8,
	PIPELINE_TAKEN = 16,	    /* a branch that is taken */
	PIPELINE_MISPREDICTED = 32, /* a branch that was predicted wrongly */
};

/* A micro-op: what is known of it before it runs, and what branches and caches make of it. */
struct pipeline_op {
	uint8_t sources[3], dests[2]; /* registers, or PIPELINE_NONE */
	uint8_t flags;		      /* of enum pipeline_flag */
	uint16_t extra;		      /* cycles above the latency, up to PIPELINE_LATENCY_MAX */
};

/* When a micro-op whose destination is still to be written may issue, in order. */
enum pipeline_order {
	PIPELINE_ORDER_FREE,	/* at any time */
	PIPELINE_ORDER_LATENCY, /* when it is ready later than that (7.1.2) */
	PIPELINE_ORDER_ALL,	/* when that is written (7.1.5) */
};

struct pipeline_inorder_config {
	unsigned width;
	unsigned latency[PIPELINE_CLASSES]; /* cycles, from 1 */
	enum pipeline_order order;
	/* The next micro-op issues that many cycles after a mispredicted one; 0: as ever. */
	unsigned penalty;
	bool taken_ends;  /* nothing issues behind a taken branch in its cycle */
	bool cycles_only; /* the parts are not wanted, and stay 0: faster */
};

/* Which older stores a load waits for, and what happens when that was too few. */
enum pipeline_memory {
	PIPELINE_MEMORY_NONE,	      /* none; nothing */
	PIPELINE_MEMORY_CONSERVATIVE, /* all */
	PIPELINE_MEMORY_PERFECT,      /* those to the same address */
	PIPELINE_MEMORY_NAIVE,	      /* none; it is squashed, see pipeline_ooo_run */
	PIPELINE_MEMORY_STORE_SETS,   /* the youngest of its set; it is squashed */
};

struct pipeline_ooo_config {
	unsigned width;			    /* of fetch, of issue and of commit, each */
	unsigned size;			    /* micro-ops in the reorder buffer */
	unsigned registers;		    /* that hold results; 0: as many as it takes */
	unsigned latency[PIPELINE_CLASSES]; /* cycles, from 1 */
	unsigned extra_most; /* no micro-op has more extra cycles; bounds memory */
	/* Fetching goes on so many cycles after a mispredicted branch is done. */
	unsigned penalty;
	bool no_penalty; /* mispredictions are of no account */
	bool taken_ends; /* nothing is fetched behind a taken branch in its cycle */
	enum pipeline_memory memory;
	unsigned site_bits; /* store sets tell 2 to this power of pcs apart */
};

/* Where cycles went. */
enum pipeline_part {
	PIPELINE_BUSY,	  /* something issued (in order) or committed (out of order) */
	PIPELINE_FETCH,	  /* out of order: the oldest was not fetched yet, or just now */
	PIPELINE_BRANCH,  /* a mispredicted branch kept back what follows */
	PIPELINE_SQUASH,  /* a load was fetched again, as it had passed a store */
	PIPELINE_ORDER,	  /* in order: a destination was still to be written */
	PIPELINE_LOAD,	  /* a load's latency */
	PIPELINE_MISS,	  /* the extra cycles of a load */
	PIPELINE_EXECUTE, /* latency and extra cycles of anything else */
	PIPELINE_PARTS,
};

/* What a pipeline says at any time. */
struct pipeline_result {
	uint64_t ops, cycles;
	uint64_t parts[PIPELINE_PARTS]; /* cycles; their sum is cycles */
	uint64_t squashes;		/* loads that were fetched again */
};

/* The cycles in which a micro-op moved on. In order, fetched is issued and committed done. */
struct pipeline_times {
	uint64_t fetched, issued, done, committed;
};

/* Micro-ops that stand together in a trace, and when they moved on; for logs and diagrams. */
struct pipeline_slice {
	const struct pipeline_times *times;
	const char *const *labels; /* what each is, in UTF-8 */
	size_t n;
	uint64_t first; /* number of the first one in the trace, from 1 */
};

/* The name of a part, as "load"; NULL out of range. */
const char *pipeline_part_name(enum pipeline_part part);

/* Whether a configuration can be; POLY_ERR_USAGE says what is wrong with it. */
enum poly_status pipeline_inorder_sound(
	const struct pipeline_inorder_config *config, struct poly_error *error);
enum poly_status pipeline_ooo_sound(
	const struct pipeline_ooo_config *config, struct poly_error *error);

struct pipeline_inorder;

/* A pipeline before its first cycle; NULL with POLY_ERR_USAGE or _MEMORY in error. */
struct pipeline_inorder *pipeline_inorder_new(
	const struct pipeline_inorder_config *config, struct poly_error *error);

/* Runs n more micro-ops. times has room for n, or is NULL; with cycles_only it is not used. */
void pipeline_inorder_run(struct pipeline_inorder *pipeline, const struct pipeline_op *ops,
	size_t n, struct pipeline_times *times);

/* cycles: until the last micro-op issued, its cycle included. */
void pipeline_inorder_result(
	const struct pipeline_inorder *pipeline, struct pipeline_result *result);

/* Accepts NULL. */
void pipeline_inorder_free(struct pipeline_inorder *pipeline);

/* Columns of n micro-ops for an out-of-order pipeline. */
struct pipeline_ops {
	const struct pipeline_op *ops;
	const uint64_t *addresses; /* of loads and stores; NULL: all 0 */
	const uint32_t *sites;	   /* a number a pc, best dense from 0; NULL: all 0 */
	size_t n;
};

struct pipeline_ooo;

/* A pipeline before its first cycle; NULL with POLY_ERR_USAGE or _MEMORY in error. */
struct pipeline_ooo *pipeline_ooo_new(
	const struct pipeline_ooo_config *config, struct poly_error *error);

/*
 * Runs more micro-ops. times has room for them, or is NULL.
 *
 * A load that issued before an older store to the same address was done is squashed in the
 * cycle in which that is done, with all behind it, and fetched in the next. Store sets learn of
 * it then; a load knows what was learned of loads before it in the program, whenever those ran.
 */
void pipeline_ooo_run(struct pipeline_ooo *pipeline, const struct pipeline_ops *ops,
	struct pipeline_times *times);

/* cycles: until the last micro-op committed, its cycle included. */
void pipeline_ooo_result(const struct pipeline_ooo *pipeline, struct pipeline_result *result);

/* Accepts NULL. */
void pipeline_ooo_free(struct pipeline_ooo *pipeline);

#endif
