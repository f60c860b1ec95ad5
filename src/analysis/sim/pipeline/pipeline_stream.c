/* SPDX-License-Identifier: MIT */
/* Simulates one core: gathers instructions, then runs them through predictor, cache and
 * pipeline together.
 */
#include "analysis/sim/pipeline/pipeline_stalls.h"
#include "analysis/sim/pipeline/pipeline_sweep.h"

#include "analysis/sim/counts.h"
#include "base/mem.h"

static bool
open_core(struct pipeline_stream *stream, const struct pipeline_machine *machine)
{
	if (machine->is_ooo)
		stream->ooo = pipeline_ooo_new(&machine->ooo, NULL);
	else
		stream->inorder = pipeline_inorder_new(&machine->inorder, NULL);
	return (stream->ooo || stream->inorder) && pipeline_front_open(&stream->front, machine);
}

struct pipeline_stream *
pipeline_stream_new(const struct pipeline_machine *machine, struct pipeline_sweep *sweep)
{
	struct pipeline_stream *stream = mem_new(1, sizeof *stream);
	if (!stream)
		return NULL;
	bool ok = !machine || open_core(stream, machine);
	if (ok && sweep)
		stream->sweep = pipeline_sweep_stream_new(sweep);
	if (ok && (stream->sweep || !sweep))
		return stream;
	pipeline_stream_free(stream);
	return NULL;
}

void
pipeline_stream_free(struct pipeline_stream *stream)
{
	if (!stream)
		return;
	pipeline_inorder_free(stream->inorder);
	pipeline_ooo_free(stream->ooo);
	pipeline_front_close(&stream->front);
	pipeline_sweep_stream_free(stream->sweep);
	mem_free(stream);
}

void
pipeline_stream_push(struct pipeline_stream *stream, bool taken, struct pipeline_events *events)
{
	const struct pipeline_insn *insn = &stream->insn;
	struct pipeline_buffer *buffer = &stream->buffer;
	const size_t index = buffer->count++;
	stream->has_insn = false;
	stream->instructions += insn->begins;
	if (events)
		events->unknown += insn->is_unknown;
	buffer->ops[index] = insn->op;
	buffer->ops[index].flags |= taken ? PIPELINE_TAKEN : 0;
	/* If the address of a load is unknown, use one that no store has. */
	buffer->addresses[index] = insn->has_address ? insn->address : UINT64_MAX - insn->site;
	buffer->sites[index] = insn->site;
	if (stream->stalls) {
		buffer->op_pcs[index] = insn->pc;
		buffer->begins[index] = insn->begins;
	}
	if (stream->stages)
		stream->stages->buffer_names[index] =
			(struct pipeline_name){insn->pc, insn->operation};
	if (insn->is_conditional) {
		const size_t branch = buffer->branch_count++;
		buffer->pcs[branch] = insn->pc;
		buffer->targets[branch] = insn->target;
		buffer->taken[branch] = taken;
		buffer->branch_indices[branch] = (uint16_t)index;
	}
	if (insn->has_address) {
		const size_t access = buffer->access_count++;
		buffer->accesses[access] = insn->address;
		buffer->access_kinds[access] = insn->writes ? CACHE_WRITE : CACHE_READ;
		buffer->access_indices[access] = (uint16_t)index;
	}
	if (buffer->count == PIPELINE_BUFFER)
		pipeline_stream_run(stream, events);
}

bool
pipeline_front_open(struct pipeline_front *front, const struct pipeline_machine *machine)
{
	bool ok = true;
	front->miss = machine->miss;
	if (machine->has_cache)
		ok = cache_new(&machine->cache, &front->cache, NULL) == POLY_OK;
	if (ok && machine->has_bpred)
		ok = bpred_new(&machine->bpred, &front->bpred, NULL) == POLY_OK;
	return ok;
}

void
pipeline_front_close(struct pipeline_front *front)
{
	cache_free(front->cache);
	bpred_free(front->bpred);
}

/* Marks mispredicted branches; returns their number. */
static uint64_t
predict(const struct pipeline_front *front, struct pipeline_buffer *buffer,
	struct pipeline_op *ops)
{
	const struct bpred_batch batch = {
		buffer->pcs, buffer->targets, buffer->taken, buffer->branch_count};
	uint64_t mispredictions = 0;
	if (!front->bpred)
		return 0;
	bpred_run(front->bpred, &batch, buffer->predicted);
	for (size_t i = 0; i < buffer->branch_count; i++) {
		const bool differs = buffer->predicted[i] != buffer->taken[i];
		ops[buffer->branch_indices[i]].flags |= differs ? PIPELINE_MISPREDICTED : 0;
		mispredictions += differs;
	}
	return mispredictions;
}

/* Sets the additional cycles of loads that miss; returns the number of misses. */
static size_t
access_cache(const struct pipeline_front *front, struct pipeline_buffer *buffer,
	struct pipeline_op *ops)
{
	const struct cache_batch batch = {
		buffer->accesses, buffer->access_kinds, NULL, buffer->access_count};
	if (!front->cache)
		return 0;
	const size_t misses = cache_run(front->cache, &batch, buffer->missed);
	for (size_t i = 0; i < misses; i++) {
		struct pipeline_op *op = &ops[buffer->access_indices[buffer->missed[i]]];
		if ((op->flags & PIPELINE_CLASS) == PIPELINE_LOADS)
			op->extra = front->miss;
	}
	return misses;
}

void
pipeline_front_run(const struct pipeline_front *front, struct pipeline_buffer *buffer,
	struct pipeline_op *ops, struct pipeline_events *events)
{
	const uint64_t mispredictions = predict(front, buffer, ops);
	const size_t misses = access_cache(front, buffer, ops);
	if (!events)
		return;
	events->branches += buffer->branch_count;
	events->mispredictions += mispredictions;
	events->accesses += buffer->access_count;
	events->misses += misses;
}

/* Runs n micro-operations of the buffer, whose predictor and cache have run. */
static void
run_ops(struct pipeline_stream *stream, size_t first, size_t n, struct pipeline_times *times)
{
	const struct pipeline_buffer *buffer = &stream->buffer;
	const struct pipeline_ops ops = {
		buffer->ops + first, buffer->addresses + first, buffer->sites + first, n};
	if (stream->ooo)
		pipeline_ooo_run(stream->ooo, &ops, times);
	else if (stream->inorder)
		pipeline_inorder_run(stream->inorder, ops.ops, n, times);
}

/* Runs them one by one: the results before and after each differ by its cycles. */
static void
run_with_stalls(struct pipeline_stream *stream, struct pipeline_times *times, bool counts)
{
	const struct pipeline_buffer *buffer = &stream->buffer;
	struct pipeline_result now;
	const bool found = pipeline_stalls_find(stream->stalls, buffer);
	for (size_t i = 0; i < buffer->count; i++) {
		run_ops(stream, i, 1, times ? times + i : NULL);
		pipeline_stream_result(stream, &now);
		if (found && counts)
			pipeline_stalls_add(stream->stalls, stream, i, &now);
		stream->last = now;
		if (!(buffer->ops[i].flags & PIPELINE_MISPREDICTED))
			continue;
		stream->has_mispredicted = found;
		stream->mispredicted = found ? stream->stalls->ids[i] : 0;
	}
}

void
pipeline_stream_run(struct pipeline_stream *stream, struct pipeline_events *events)
{
	struct pipeline_buffer *buffer = &stream->buffer;
	if (stream->sweep)
		pipeline_sweep_stream_run(stream->sweep, buffer, events);
	pipeline_front_run(&stream->front, buffer, buffer->ops, events);
	struct pipeline_times *times = pipeline_stages_buffer(stream->stages);
	if (stream->stalls)
		run_with_stalls(stream, times, events != NULL);
	else
		run_ops(stream, 0, buffer->count, times);
	if (times)
		pipeline_stages_record(stream->stages, buffer->count);
	buffer->count = buffer->branch_count = buffer->access_count = 0;
}

void
pipeline_stream_result(const struct pipeline_stream *stream, struct pipeline_result *result)
{
	if (stream->ooo)
		pipeline_ooo_result(stream->ooo, result);
	else if (stream->inorder)
		pipeline_inorder_result(stream->inorder, result);
	else
		*result = (struct pipeline_result){0};
}

void
pipeline_stream_start_counting(struct pipeline_stream *stream)
{
	pipeline_stream_result(stream, &stream->before);
	stream->instructions = 0;
	if (stream->sweep)
		pipeline_sweep_stream_start_counting(stream->sweep);
}

void
pipeline_stream_add(const struct pipeline_stream *stream, struct pipeline_result *total)
{
	struct pipeline_result now;
	pipeline_stream_result(stream, &now);
	counts_add(total, &now, &stream->before, sizeof now);
}
