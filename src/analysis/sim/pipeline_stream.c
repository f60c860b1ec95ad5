/* SPDX-License-Identifier: MIT */
/* One machine: instructions are gathered, then go through predictor, cache and pipeline at
 * once.
 */
#include "analysis/sim/pipeline.h"

#include "base/mem.h"

struct pipeline_stream *
pipeline_stream_new(const struct pipeline_machine *machine)
{
	struct pipeline_stream *stream = mem_new(1, sizeof *stream);
	if (!stream)
		return NULL;
	if (machine->is_ooo)
		stream->ooo = pipeline_ooo_new(&machine->ooo, NULL);
	else
		stream->inorder = pipeline_inorder_new(&machine->inorder, NULL);
	bool ok = stream->ooo || stream->inorder;
	if (ok && machine->has_cache)
		ok = cache_new(&machine->cache, &stream->cache, NULL) == POLY_OK;
	if (ok && machine->has_bpred)
		ok = bpred_new(&machine->bpred, &stream->bpred, NULL) == POLY_OK;
	if (ok)
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
	cache_free(stream->cache);
	bpred_free(stream->bpred);
	mem_free(stream);
}

void
pipeline_stream_take(struct pipeline_stream *stream, bool taken,
	const struct pipeline_machine *machine, struct pipeline_met *met)
{
	const struct pipeline_insn *insn = &stream->insn;
	struct pipeline_buffer *buffer = &stream->buffer;
	const size_t place = buffer->count++;
	stream->waits = false;
	if (met)
		met->unknown += insn->is_unknown;
	buffer->ops[place] = insn->op;
	buffer->ops[place].flags |= taken ? PIPELINE_TAKEN : 0;
	/* Where the address of a load is not known, no store has it. */
	buffer->addresses[place] = insn->has_address ? insn->address : UINT64_MAX - insn->site;
	buffer->sites[place] = insn->site;
	if (stream->stages)
		stream->stages->called[place] =
			(struct pipeline_name){insn->pc, insn->operation};
	if (insn->is_conditional) {
		const size_t branch = buffer->branch_count++;
		buffer->pcs[branch] = insn->pc;
		buffer->targets[branch] = insn->target;
		buffer->taken[branch] = taken;
		buffer->branch_places[branch] = (uint16_t)place;
	}
	if (insn->has_address) {
		const size_t access = buffer->access_count++;
		buffer->accesses[access] = insn->address;
		buffer->access_kinds[access] = insn->writes ? CACHE_WRITE : CACHE_READ;
		buffer->access_places[access] = (uint16_t)place;
	}
	if (buffer->count == PIPELINE_BUFFER)
		pipeline_stream_run(stream, machine, met);
}

/* Marks branches that are mispredicted; how many. */
static uint64_t
predict(struct pipeline_stream *stream)
{
	struct pipeline_buffer *buffer = &stream->buffer;
	const struct bpred_batch batch = {
		buffer->pcs, buffer->targets, buffer->taken, buffer->branch_count};
	uint64_t wrong = 0;
	if (!stream->bpred)
		return 0;
	bpred_run(stream->bpred, &batch, buffer->predicted);
	for (size_t i = 0; i < buffer->branch_count; i++) {
		const bool differs = buffer->predicted[i] != buffer->taken[i];
		buffer->ops[buffer->branch_places[i]].flags |=
			differs ? PIPELINE_MISPREDICTED : 0;
		wrong += differs;
	}
	return wrong;
}

/* Gives loads that miss their extra cycles; how many accesses miss. */
static size_t
look_up(struct pipeline_stream *stream, uint16_t extra)
{
	struct pipeline_buffer *buffer = &stream->buffer;
	const struct cache_batch batch = {
		buffer->accesses, buffer->access_kinds, NULL, buffer->access_count};
	if (!stream->cache)
		return 0;
	const size_t misses = cache_run(stream->cache, &batch, buffer->missed);
	for (size_t i = 0; i < misses; i++) {
		struct pipeline_op *op = &buffer->ops[buffer->access_places[buffer->missed[i]]];
		if ((op->flags & PIPELINE_CLASS) == PIPELINE_LOADS)
			op->extra = extra;
	}
	return misses;
}

void
pipeline_stream_run(struct pipeline_stream *stream, const struct pipeline_machine *machine,
	struct pipeline_met *met)
{
	struct pipeline_buffer *buffer = &stream->buffer;
	const uint64_t wrong = predict(stream);
	const size_t misses = look_up(stream, machine->miss);
	const struct pipeline_ops ops = {
		buffer->ops, buffer->addresses, buffer->sites, buffer->count};
	struct pipeline_times *times = pipeline_stages_room(stream->stages);
	if (stream->ooo)
		pipeline_ooo_run(stream->ooo, &ops, times);
	else
		pipeline_inorder_run(stream->inorder, buffer->ops, buffer->count, times);
	if (times)
		pipeline_stages_keep(stream->stages, buffer->count);
	if (met) {
		met->branches += buffer->branch_count;
		met->mispredicted += wrong;
		met->accesses += buffer->access_count;
		met->misses += misses;
	}
	buffer->count = buffer->branch_count = buffer->access_count = 0;
}

void
pipeline_stream_result(const struct pipeline_stream *stream, struct pipeline_result *result)
{
	if (stream->ooo)
		pipeline_ooo_result(stream->ooo, result);
	else
		pipeline_inorder_result(stream->inorder, result);
}

void
pipeline_stream_add(const struct pipeline_stream *stream, struct pipeline_result *total)
{
	const struct pipeline_result *before = &stream->before;
	struct pipeline_result now;
	pipeline_stream_result(stream, &now);
	total->ops += now.ops - before->ops;
	total->cycles += now.cycles - before->cycles;
	total->squashes += now.squashes - before->squashes;
	for (size_t i = 0; i < PIPELINE_PARTS; i++)
		total->parts[i] += now.parts[i] - before->parts[i];
}
