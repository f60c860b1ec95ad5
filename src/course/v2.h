/* SPDX-License-Identifier: MIT */
/*
 * The five-stage in-order pipeline of the course's later years (ARM traces): the cycle in
 * which each instruction enters F, D, X, M and W, with bypasses, a memory latency or caches,
 * and a branch predictor; and the lines of its stage-time files.
 *
 * spec: traces and stage times of Penn CIS 501, fall 2016
 */
#ifndef COURSE_V2_H
#define COURSE_V2_H

#include "base/buf.h"

#include "polytrace/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	V2_REGISTERS = 64,	  /* numbers of registers: 0 to 63 */
	V2_NONE = -1,		  /* no register */
	V2_INDEX_MAX = 20,	  /* bits of an index of a table or cache */
	V2_WAYS_MAX = 16,	  /* blocks in a set */
	V2_LATENCY_MAX = 1 << 20, /* cycles */
};

/* One record of a trace. The text is the caller's, and valid during a call. */
struct v2_insn {
	uint64_t pc, target, address;
	uint32_t size;		  /* bytes of the instruction */
	bool is_branch, is_taken; /* fields 3 and 4 */
	bool is_load, is_store;	  /* field 6 */
	int8_t dest, src1, src2;  /* fields 10 to 12 as 0 to 63, or V2_NONE */
	const char *text;	  /* field 13, never NULL */
};

enum v2_direction {
	V2_PERFECT, /* no predictor: no branch is mispredicted */
	V2_NEVER,   /* branches are predicted not to be taken */
	V2_BIMODAL,
	V2_GSHARE,
};

/* The instruction cache and the data cache: 10i1w2b is 10 index bits, 1 way and 2 block bits,
 * 0h2c3d the cycles.
 */
struct v2_cache {
	unsigned index_bits, ways, block_bits; /* ways 0: no cache */
	unsigned hit, clean, dirty; /* additional cycles of a hit, and of misses that replace a
				       clean or dirty block */
};

struct v2_config {
	bool mx, wx, wm; /* bypasses between stages */
	unsigned memory; /* additional cycles of a load or store without caches */
	enum v2_direction direction;
	unsigned index_bits;   /* of the counters */
	unsigned history_bits; /* of gshare, at most 32 */
	unsigned btb_bits;     /* of the index of branch targets */
	struct v2_cache cache;
};

/* The cycles in which an instruction enters the stages, and its labels. */
struct v2_times {
	uint64_t f, d, x, m, w;
	bool load_use, mispredicted, insn_miss, data_miss;
};

struct v2_pipeline;

/* Validates a configuration; POLY_ERR_USAGE with a message. */
enum poly_status v2_check(const struct v2_config *config, struct poly_error *error);

/* Creates an empty pipeline; NULL with POLY_ERR_MEMORY or _USAGE in error. */
struct v2_pipeline *v2_new(const struct v2_config *config, struct poly_error *error);

/* Returns the times of the next instruction; appends its line to out, unless NULL. */
struct v2_times v2_add(
	struct v2_pipeline *pipeline, const struct v2_insn *insn, struct buf *out);

/* Accepts NULL. */
void v2_free(struct v2_pipeline *pipeline);

#endif
