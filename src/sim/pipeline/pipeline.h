/* SPDX-License-Identifier: MIT */
/*
 * Pipelines by time stamps: micro-ops are processed once, in program order, and the cycles of
 * each are computed from those of its predecessors. The result equals that of a cycle-by-cycle
 * simulation.
 *
 * In order: each cycle issues up to width micro-ops, in order, as soon as their sources are
 * ready. Out of order: each cycle commits up to width completed micro-ops, oldest first, then
 * issues up to width ready ones, oldest first, then fetches up to width into the reorder
 * buffer.
 *
 * The effects of branches and caches come with the micro-ops, as flags and extra cycles. A CPI
 * stack attributes every cycle to a cause; its components add up to the cycles exactly.
 *
 * A pipeline belongs to one thread. Memory: in order a fixed size; out of order 8 bytes per
 * cycle that the micro-ops of a full reorder buffer can take in sequence, 24 bytes per entry
 * of the reorder buffer, 8 per physical register, 12 per pc that store sets distinguish.
 *
 * spec: CIS 501 homeworks 2, 4 and 5, which the models generalise; store sets: Chrysos
 * and Emer, "Memory Dependence Prediction using Store Sets", ISCA 1998, section 3, except that
 * stores of a set do not wait for each other, and that sets are never cleared
 */
#ifndef SIM_PIPELINE_H
#define SIM_PIPELINE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PIPELINE_REGISTERS = 127, /* register numbers are below; the caller assigns them */
	PIPELINE_NONE = 127,	  /* no register */
	PIPELINE_CLASSES = 8,	  /* classes of micro-ops, with one latency each */
	PIPELINE_LOADS = 1,	  /* the class of loads; the caller assigns the others */
	PIPELINE_WIDTH_MAX = 64,  /* micro-ops per cycle */
	PIPELINE_LATENCY_MAX =
		4095, /* maximum cycles of a class, of a penalty and of extra cycles */
	PIPELINE_SIZE_MAX = 4096,     /* micro-ops in the reorder buffer */
	PIPELINE_RENAMED_MAX = 65536, /* physical registers */
	PIPELINE_SITE_BITS_MAX = 24,  /* log2 of the tables of store sets */
};

enum pipeline_flag {
	PIPELINE_CLASS = PIPELINE_CLASSES - 1, /* mask of the class */
	PIPELINE_STORE = 8,
	PIPELINE_TAKEN = 16,	    /* a taken branch */
	PIPELINE_MISPREDICTED = 32, /* a mispredicted branch */
};

/* A micro-op, with the effects of branches and caches. */
struct pipeline_op {
	uint8_t sources[3], dests[2]; /* registers, or PIPELINE_NONE */
	uint8_t flags;		      /* of enum pipeline_flag */
	uint16_t extra; /* cycles beyond the latency, up to PIPELINE_LATENCY_MAX */
};

/* In-order rule for a micro-op whose destination has a pending write. */
enum pipeline_order {
	PIPELINE_ORDER_FREE,	/* no constraint */
	PIPELINE_ORDER_LATENCY, /* if its result is ready after the pending one (CIS 501
				   homework 2) */
	PIPELINE_ORDER_ALL,	/* after the pending write (CIS 501 homework 4) */
};

struct pipeline_inorder_config {
	unsigned width;
	unsigned latency[PIPELINE_CLASSES]; /* cycles, from 1 */
	enum pipeline_order order;
	/* Cycles from a mispredicted branch to the next issue; 0: no penalty. */
	unsigned penalty;
	bool taken_ends;  /* a taken branch ends its issue cycle */
	bool cycles_only; /* omit the CPI stack, which stays 0: faster */
};

/* Memory disambiguation: the older stores that a load waits for, and the recovery. */
enum pipeline_memory {
	PIPELINE_MEMORY_NONE,	      /* none; no check */
	PIPELINE_MEMORY_CONSERVATIVE, /* all */
	PIPELINE_MEMORY_PERFECT,      /* those to the same address: an oracle */
	PIPELINE_MEMORY_NAIVE,	      /* none; squashed on a violation, see pipeline_ooo_run */
	PIPELINE_MEMORY_STORE_SETS, /* the youngest of its store set; squashed on a violation */
};

struct pipeline_ooo_config {
	unsigned width;			    /* of fetch, issue and commit, each */
	unsigned size;			    /* micro-ops in the reorder buffer */
	unsigned registers;		    /* physical registers for results; 0: unlimited */
	unsigned latency[PIPELINE_CLASSES]; /* cycles, from 1 */
	unsigned extra_max; /* maximum of extra cycles of a micro-op; bounds the memory */
	/* Cycles from the completion of a mispredicted branch to the next fetch. */
	unsigned penalty;
	bool no_penalty; /* ignore mispredictions */
	bool taken_ends; /* a taken branch ends its fetch cycle */
	enum pipeline_memory memory;
	unsigned site_bits; /* log2 of the pcs that store sets distinguish */
};

/* Components of the CPI stack. */
enum pipeline_part {
	PIPELINE_BUSY,	/* a micro-op issued (in order) or committed (out of order) */
	PIPELINE_FETCH, /* out of order: the oldest micro-op was not fetched yet, or just now */
	PIPELINE_BRANCH,  /* branch misprediction penalty */
	PIPELINE_SQUASH,  /* memory-order squash: a load was fetched again */
	PIPELINE_ORDER,	  /* in order: a destination had a pending write */
	PIPELINE_LOAD,	  /* a load's latency */
	PIPELINE_MISS,	  /* the extra cycles of a load */
	PIPELINE_EXECUTE, /* latency and extra cycles of all others */
	PIPELINE_PARTS,
};

/* Results of a pipeline, at any time. */
struct pipeline_result {
	uint64_t ops, cycles;
	uint64_t parts[PIPELINE_PARTS]; /* cycles; their sum is cycles */
	uint64_t squashes;		/* memory-order squashes */
};

/* Time stamps of a micro-op. In order, fetched equals issued and committed equals done. */
struct pipeline_times {
	uint64_t fetched, issued, done, committed;
};

/* Consecutive micro-ops of a trace with their time stamps; for logs and diagrams. */
struct pipeline_slice {
	const struct pipeline_times *times;
	const char *const *labels; /* label of each, in UTF-8 */
	size_t n;
	uint64_t first; /* record number of the first one, from 1 */
};

/* Returns the name of a component, as "load"; NULL out of range. */
const char *pipeline_part_name(enum pipeline_part part);

/* Validates a configuration; the message of POLY_ERR_USAGE names the error. */
enum poly_status pipeline_inorder_sound(
	const struct pipeline_inorder_config *config, struct poly_error *error);
enum poly_status pipeline_ooo_sound(
	const struct pipeline_ooo_config *config, struct poly_error *error);

struct pipeline_inorder;

/* A pipeline before its first cycle; NULL with POLY_ERR_USAGE or _MEMORY in error. */
struct pipeline_inorder *pipeline_inorder_new(
	const struct pipeline_inorder_config *config, struct poly_error *error);

/* Runs n more micro-ops. times has room for n, or is NULL; ignored with cycles_only. */
void pipeline_inorder_run(struct pipeline_inorder *pipeline, const struct pipeline_op *ops,
	size_t n, struct pipeline_times *times);

/* Copies the results; cycles includes the issue cycle of the last micro-op. */
void pipeline_inorder_result(
	const struct pipeline_inorder *pipeline, struct pipeline_result *result);

/* Accepts NULL. */
void pipeline_inorder_free(struct pipeline_inorder *pipeline);

/* Columns of n micro-ops for an out-of-order pipeline. */
struct pipeline_ops {
	const struct pipeline_op *ops;
	const uint64_t *addresses; /* of loads and stores; NULL: all 0 */
	const uint32_t *sites;	   /* a number per pc, preferably dense from 0; NULL: all 0 */
	size_t n;
};

struct pipeline_ooo;

/* A pipeline before its first cycle; NULL with POLY_ERR_USAGE or _MEMORY in error. */
struct pipeline_ooo *pipeline_ooo_new(
	const struct pipeline_ooo_config *config, struct poly_error *error);

/*
 * Runs more micro-ops. times has room for them, or is NULL.
 *
 * A load that issued before an older store to the same address was done is squashed, with all
 * younger micro-ops, in the cycle in which the store is done, and fetched in the next. Store
 * sets learn then; a load uses what older loads in program order have learned, whenever those
 * ran.
 */
void pipeline_ooo_run(struct pipeline_ooo *pipeline, const struct pipeline_ops *ops,
	struct pipeline_times *times);

/* Copies the results; cycles includes the commit cycle of the last micro-op. */
void pipeline_ooo_result(const struct pipeline_ooo *pipeline, struct pipeline_result *result);

/* Accepts NULL. */
void pipeline_ooo_free(struct pipeline_ooo *pipeline);

#endif
