/* SPDX-License-Identifier: MIT */
/* The simulation of pipelines: configuration, instructions of contexts, report.
 */
#ifndef ANALYSIS_SIM_PIPELINE_H
#define ANALYSIS_SIM_PIPELINE_H

#include "analysis/core/analysis.h"

#include "sim/branch/bpred.h"
#include "sim/cache/cache.h"
#include "sim/pipeline/pipeline.h"

/* Maximum number of contexts with a pipeline; instructions of further ones are not simulated.
 */
enum { PIPELINE_CONTEXTS = 64, PIPELINE_BUFFER = 1024, PIPELINE_STAGES_MAX = 1 << 16 };

/* Classes of micro-ops besides PIPELINE_LOADS. */
enum { PIPELINE_OTHERS = 0, PIPELINE_FLOATS = 2 };

/* The configuration of a core; each context has a core. */
struct pipeline_machine {
	bool is_ooo, has_cache, has_bpred;
	struct pipeline_inorder_config inorder;
	struct pipeline_ooo_config ooo;
	struct cache_config cache; /* of data */
	struct bpred_config bpred;
	uint16_t miss; /* additional cycles of a load that misses */
};

/* An instruction before its simulation. */
struct pipeline_insn {
	struct pipeline_op op;
	uint64_t pc, target, address;
	uint32_t site, operation;
	uint8_t size; /* of the encoding in bytes; 0: unknown */
	bool begins;  /* the first micro-operation of an instruction */
	bool is_conditional, is_unknown, is_skipped, is_delayed, annuls, has_address, writes;
};

/* Counts of events of a core. */
struct pipeline_events {
	uint64_t branches, mispredictions; /* conditional ones */
	uint64_t accesses, misses;
	uint64_t unknown; /* instructions with unknown registers */
};

/* Instructions that are simulated together, in columns; those of branches and accesses are
 * shorter.
 */
struct pipeline_buffer {
	struct pipeline_op ops[PIPELINE_BUFFER];
	uint64_t addresses[PIPELINE_BUFFER];
	uint32_t sites[PIPELINE_BUFFER];
	uint64_t pcs[PIPELINE_BUFFER], targets[PIPELINE_BUFFER];
	uint8_t taken[PIPELINE_BUFFER], predicted[PIPELINE_BUFFER];
	uint16_t branch_indices[PIPELINE_BUFFER];
	uint64_t accesses[PIPELINE_BUFFER];
	uint8_t access_kinds[PIPELINE_BUFFER];
	uint16_t access_indices[PIPELINE_BUFFER];
	uint32_t missed[PIPELINE_BUFFER];
	uint64_t op_pcs[PIPELINE_BUFFER]; /* with stalls, like begins */
	bool begins[PIPELINE_BUFFER];
	size_t count, branch_count, access_count;
};

/* Identifies an instruction in logs. */
struct pipeline_name {
	uint64_t pc;
	uint32_t operation;
};

/* Stages recorded for logs and diagrams. */
struct pipeline_stages {
	uint64_t from, count; /* requested: number of the first instruction, from 1 */
	uint64_t seen;	      /* instructions of the context until now */
	size_t recorded;
	struct pipeline_times *times;
	struct pipeline_name *names;
	struct pipeline_times buffer_times[PIPELINE_BUFFER]; /* of the current buffer */
	struct pipeline_name buffer_names[PIPELINE_BUFFER];
};

/* The predictor and cache of a pipeline. */
struct pipeline_front {
	struct cache *cache; /* NULL: loads never miss */
	struct bpred *bpred; /* NULL: branches are never mispredicted */
	uint16_t miss;
};

struct pipeline_sweep;
struct pipeline_sweep_stream;
struct pipeline_stalls;

/* The core of a context, and the instructions gathered for it. */
struct pipeline_stream {
	struct pipeline_inorder *inorder; /* one of the two is NULL; both: another process */
	struct pipeline_ooo *ooo;	  /* simulates the core */
	struct pipeline_front front;
	struct pipeline_sweep_stream *sweep; /* NULL: not requested */
	struct pipeline_result before;	     /* at the start of counting */
	uint64_t instructions;		     /* since the start of counting */
	bool has_insn;			     /* insn is valid, and further rows can extend it */
	bool has_slot;			     /* slot is valid, and executes after insn */
	struct pipeline_insn insn, slot;
	struct pipeline_stages *stages; /* NULL: the stages of this context are not recorded */
	struct pipeline_stalls *stalls; /* NULL: not requested */
	struct pipeline_result last;	/* with stalls: before the next micro-operation */
	bool has_mispredicted;
	uint32_t mispredicted; /* with stalls: dense number of the last mispredicted branch */
	struct pipeline_buffer buffer;
};

/* The simulation. */
struct pipeline_simulation {
	struct pipeline_machine machine;
	bool is_elsewhere;	/* another process simulates the machine */
	bool is_counting;	/* the last rows count */
	bool has_late_outcomes; /* of the trace: the next instruction determines a branch's
				   outcome */
	bool has_outcomes;	/* some row has the outcome of its branch */
	struct pipeline_stream *streams[PIPELINE_CONTEXTS];
	struct pipeline_op *ops; /* by static operation */
	uint8_t *flows;		 /* by static operation: enum isa_flow */
	uint32_t op_count, op_capacity, flow_capacity;
	uint32_t excess_ops; /* static operations with more registers than a micro-op has */
	struct pipeline_result total; /* of finished streams */
	uint64_t instructions;	      /* of finished streams */
	struct pipeline_events events;
	uint64_t untracked;		/* instructions of contexts without a pipeline */
	struct pipeline_stages *stages; /* NULL: not requested */
	struct pipeline_sweep *sweep;	/* NULL: not requested */
	struct pipeline_stalls *stalls; /* NULL: not requested */
};

/* Initializes a machine by the values of options; POLY_ERR_USAGE: invalid. */
enum poly_status pipeline_machine_init(
	struct pipeline_machine *machine, const uint64_t *values, struct poly_error *error);

/* Initializes a zeroed front; false: out of memory. To be closed in any case. */
bool pipeline_front_open(struct pipeline_front *front, const struct pipeline_machine *machine);

/* Frees the members of a front, which can be zeroed. */
void pipeline_front_close(struct pipeline_front *front);

/* Marks the mispredictions and misses of the buffer in ops; events: counts them, may be NULL.
 */
void pipeline_front_run(const struct pipeline_front *front, struct pipeline_buffer *buffer,
	struct pipeline_op *ops, struct pipeline_events *events);

/* Creates a core unless machine is NULL, and those of a sweep, which may be NULL; NULL: out of
 * memory. */
struct pipeline_stream *pipeline_stream_new(
	const struct pipeline_machine *machine, struct pipeline_sweep *sweep);

/* Moves insn into the buffer, and simulates the buffer if it is full. */
void pipeline_stream_push(
	struct pipeline_stream *stream, bool taken, struct pipeline_events *events);

/* Simulates the buffer; events: counts them, may be NULL. */
void pipeline_stream_run(struct pipeline_stream *stream, struct pipeline_events *events);

/* Returns the results of the pipeline. */
void pipeline_stream_result(
	const struct pipeline_stream *stream, struct pipeline_result *result);

/* Starts counting. */
void pipeline_stream_start_counting(struct pipeline_stream *stream);

/* Adds the results of a pipeline since the start of counting. */
void pipeline_stream_add(const struct pipeline_stream *stream, struct pipeline_result *total);

/* Accepts NULL. */
void pipeline_stream_free(struct pipeline_stream *stream);

/* Creates a recorder of the stages of count instructions, 1 or more, from an instruction; NULL:
 * out of memory. */
struct pipeline_stages *pipeline_stages_new(uint64_t from, uint64_t count);

/* Accepts NULL. */
void pipeline_stages_free(struct pipeline_stages *stages);

/* Begins another trace: deletes the recorded stages. Accepts NULL. */
void pipeline_stages_begin(struct pipeline_stages *stages);

/* Returns a buffer for the times of PIPELINE_BUFFER instructions; NULL: recording is complete.
 */
struct pipeline_times *pipeline_stages_buffer(struct pipeline_stages *stages);

/* Records the requested ones of the next n instructions, from buffer_times and buffer_names. */
void pipeline_stages_record(struct pipeline_stages *stages, size_t n);

/* Adds up the cycles of the pipelines of a sweep, PIPELINE_SWEEP_MAX. */
void pipeline_sum_swept(const struct pipeline_simulation *sim, uint64_t *cycles);

/* How processes divide the pipelines of a sweep. */
extern const struct analysis_machines pipeline_machines;

extern const struct analysis analysis_pipeline;

/* Outputs. */
enum { PIPELINE_KONATA, PIPELINE_SVG };

enum poly_status pipeline_write(const void *state, size_t output, const struct static_ops *ops,
	struct output_text *text, struct poly_error *error);

void pipeline_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
