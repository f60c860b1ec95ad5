/* SPDX-License-Identifier: MIT */
/* The parts of the analysis pipeline: what is asked, the instructions of a context, the answer.
 */
#ifndef ANALYSIS_SIM_PIPELINE_H
#define ANALYSIS_SIM_PIPELINE_H

#include "analysis/analysis.h"

#include "sim/bpred.h"
#include "sim/cache.h"
#include "sim/pipeline.h"

/* Contexts that have a pipeline; the instructions of further ones are left out. */
enum { PIPELINE_CONTEXTS = 64, PIPELINE_BUFFER = 1024, PIPELINE_STAGES_MOST = 1 << 16 };

/* Classes of micro-ops besides PIPELINE_LOADS. */
enum { PIPELINE_OTHERS = 0, PIPELINE_FLOATS = 2 };

/* The machine, of which each context has one. */
struct pipeline_machine {
	bool is_ooo, has_cache, has_bpred;
	struct pipeline_inorder_config inorder;
	struct pipeline_ooo_config ooo;
	struct cache_config cache; /* of data */
	struct bpred_config bpred;
	uint16_t miss; /* extra cycles of a load that misses */
};

/* An instruction that is not run yet. */
struct pipeline_insn {
	struct pipeline_op op;
	uint64_t pc, target, address;
	uint32_t site, operation;
	uint8_t size; /* of the encoding in bytes; 0: not known */
	bool is_conditional, is_unknown, is_skipped, is_delayed, annuls, has_address, writes;
};

/* What a machine met, of what counts. */
struct pipeline_met {
	uint64_t branches, mispredicted; /* conditional ones */
	uint64_t accesses, misses;
	uint64_t unknown; /* instructions whose registers are not known */
};

/* Instructions that are run together, in columns; those of branches and accesses are shorter.
 */
struct pipeline_buffer {
	struct pipeline_op ops[PIPELINE_BUFFER];
	uint64_t addresses[PIPELINE_BUFFER];
	uint32_t sites[PIPELINE_BUFFER];
	uint64_t pcs[PIPELINE_BUFFER], targets[PIPELINE_BUFFER];
	uint8_t taken[PIPELINE_BUFFER], predicted[PIPELINE_BUFFER];
	uint16_t branch_places[PIPELINE_BUFFER];
	uint64_t accesses[PIPELINE_BUFFER];
	uint8_t access_kinds[PIPELINE_BUFFER];
	uint16_t access_places[PIPELINE_BUFFER];
	uint32_t missed[PIPELINE_BUFFER];
	size_t count, branch_count, access_count;
};

/* What an instruction is called by. */
struct pipeline_name {
	uint64_t pc;
	uint32_t operation;
};

/* Stages that are kept for logs and diagrams. */
struct pipeline_stages {
	uint64_t from, count; /* what is asked for: the number of the first, from 1 */
	uint64_t seen;	      /* instructions of the context */
	size_t kept;
	struct pipeline_times *times;
	struct pipeline_name *names;
	struct pipeline_times room[PIPELINE_BUFFER]; /* of those that are run together */
	struct pipeline_name called[PIPELINE_BUFFER];
};

/* What instructions meet before a pipeline. */
struct pipeline_front {
	struct cache *cache; /* NULL: loads never miss */
	struct bpred *bpred; /* NULL: branches are never mispredicted */
	uint16_t miss;
};

struct pipeline_sweep;
struct pipeline_sweep_stream;

/* A context's machine, and its instructions on the way there. */
struct pipeline_stream {
	struct pipeline_inorder *inorder; /* one of both is NULL */
	struct pipeline_ooo *ooo;
	struct pipeline_front front;
	struct pipeline_sweep_stream *sweep; /* NULL: none is asked for */
	struct pipeline_result before;	     /* when what counts began */
	bool waits;			     /* insn is there, and may have more rows */
	bool has_slot;			     /* so is slot, which is executed behind insn */
	struct pipeline_insn insn, slot;
	struct pipeline_stages
		*stages; /* of the analysis; NULL: none are kept of this context */
	struct pipeline_buffer buffer;
};

/* The analysis. */
struct pipeline_analysis {
	struct pipeline_machine machine;
	bool is_counting;  /* the last rows counted */
	bool is_told_late; /* of the trace: whether a branch was taken is seen behind it */
	bool is_told;	   /* some row said it itself */
	struct pipeline_stream *streams[PIPELINE_CONTEXTS];
	struct pipeline_op *ops; /* by operation: what is known of each beforehand */
	uint8_t *flows;		 /* of each: enum op_flow */
	uint32_t op_count, op_capacity, flow_capacity;
	uint32_t cut_ops;	      /* operations that have more registers than a micro-op */
	struct pipeline_result total; /* of what has ended */
	struct pipeline_met met;
	uint64_t left_out;		/* of contexts without a pipeline */
	struct pipeline_stages *stages; /* NULL: none are asked for */
	struct pipeline_sweep *sweep;	/* NULL: none is asked for */
};

/* Makes a machine of the values of options; POLY_ERR_USAGE: there can be none such. */
enum poly_status pipeline_machine_set(
	struct pipeline_machine *machine, const uint64_t *values, struct poly_error *error);

/* Fills a zeroed front; false: no memory. Closed in any case. */
bool pipeline_front_open(struct pipeline_front *front, const struct pipeline_machine *machine);

/* Gives back what it has. A zeroed one has nothing. */
void pipeline_front_close(struct pipeline_front *front);

/* Marks in ops, those of the buffer, what predictor and cache make of them; met: where to
 * count, NULL: nowhere. */
void pipeline_front_mark(const struct pipeline_front *front, struct pipeline_buffer *buffer,
	struct pipeline_op *ops, struct pipeline_met *met);

/* A machine at its beginning, and those of a sweep beside it, which may be NULL; NULL: no
 * memory. */
struct pipeline_stream *pipeline_stream_new(
	const struct pipeline_machine *machine, struct pipeline_sweep *sweep);

/* Puts the instruction that waits into the buffer, and runs that where it is full. */
void pipeline_stream_take(struct pipeline_stream *stream, bool taken, struct pipeline_met *met);

/* Runs what is in the buffer; met: where to count, NULL: nowhere. */
void pipeline_stream_run(struct pipeline_stream *stream, struct pipeline_met *met);

/* What the pipeline says. */
void pipeline_stream_result(
	const struct pipeline_stream *stream, struct pipeline_result *result);

/* What counts begins now. */
void pipeline_stream_mark(struct pipeline_stream *stream);

/* Adds what a pipeline did since its before. */
void pipeline_stream_add(const struct pipeline_stream *stream, struct pipeline_result *total);

/* Accepts NULL. */
void pipeline_stream_free(struct pipeline_stream *stream);

/* Room for the stages of count instructions, 1 or more, from one on; NULL: no memory. */
struct pipeline_stages *pipeline_stages_new(uint64_t from, uint64_t count);

/* Accepts NULL. */
void pipeline_stages_free(struct pipeline_stages *stages);

/* Another trace begins: the stages of the one before are forgotten. Accepts NULL. */
void pipeline_stages_begin(struct pipeline_stages *stages);

/* Where the times of up to PIPELINE_BUFFER instructions go; NULL: no more are wanted. */
struct pipeline_times *pipeline_stages_room(struct pipeline_stages *stages);

/* Keeps what is asked for of the n next instructions, which are called and have their room. */
void pipeline_stages_keep(struct pipeline_stages *stages, size_t n);

extern const struct analysis analysis_pipeline;

void pipeline_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
