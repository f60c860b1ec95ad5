/* SPDX-License-Identifier: MIT */
/*
 * Writes the branches of any trace as SBBT.
 *
 * spec: polytrace-sbbt(5)
 */
#include "format/sbbt/sbbt.h"

#include "base/bits.h"
#include "base/num.h"
#include "io/spill_buffer.h"

#include <string.h>

/* Bytes of branches that wait for the header in memory; the others are in a file. */
#define SPILL_MEMORY ((size_t)16 << 20)

/* Sets a number of the header of the source; false: it has none. */
static bool
find_count(const struct writing *writing, const char *key, uint64_t *count)
{
	const char *fact = poly_trace_fact(writing->source, key);
	return fact && num_parse(fact, strlen(fact), count);
}

/* Returns whether the records of the source are named as those that are read. */
static bool
has_own_records(const struct poly_trace_info *source)
{
	bool same = source->record_count == SBBT_RECORDS;
	for (unsigned i = 0; same && i < SBBT_RECORDS; i++)
		same = strcmp(source->records[i], sbbt_records[i]) == 0;
	return same;
}

enum poly_status
sbbt_wopen(struct writing *writing, struct poly_error *error)
{
	struct sbbt_writer *writer = writing->state;
	const char *layout = poly_trace_fact(writing->source, "sbbt.layout");
	const bool was_old = layout && strcmp(layout, sbbt_layouts[SBBT_OLD]) == 0;
	writer->is_own = writing->own_raw && has_own_records(writing->source);
	writer->has_header =
		!writer->is_own ||
		(find_count(writing, "sbbt.instructions", &writer->header_instructions) &&
			find_count(writing, "sbbt.branches", &writer->header_branches));
	writer->is_old = writing->options[0] == SBBT_AUTO ? writer->is_own && was_old
							  : writing->options[0] == SBBT_OLD;
	writer->is_raw = writer->is_own && writer->is_old == was_old;
	writing->uses = poly_columns_union(writing->uses, POLY_COLUMNS(OPERATION_COLUMNS));
	writer->spill = spill_buffer_new(SPILL_MEMORY);
	if (!writer->spill)
		return err_memory(error);
	return writer->is_own ? POLY_OK
			      : operations_open(&writer->operations, writing->source, error);
}

/* The place of a row in messages. */
struct record_place {
	uint64_t number, origin;
};

static enum poly_status
reject(const struct record_place *place, struct poly_error *error, const char *what,
	uint64_t found)
{
	err_set(error, POLY_ERR_LOSS, place->origin, what, (unsigned long long)found);
	if (error)
		error->record = place->number;
	return POLY_ERR_LOSS;
}

/* Writes a branch of the instruction number id, from 1. */
static enum poly_status
write_branch(struct sbbt_writer *writer, struct sbbt_branch *branch, uint64_t id,
	const struct record_place *place, struct poly_error *error)
{
	uint8_t bytes[SBBT_SIZE];
	const uint64_t gap = id - writer->last;
	if (gap > SBBT_GAP_MAX)
		return reject(place, error,
			"%llu instructions since the last branch, expected at most 4095", gap);
	if (!sbbt_has_address(branch->ip))
		return reject(place, error,
			"pc 0x%llx, expected 52 bits with their sign extended", branch->ip);
	if (!sbbt_has_address(branch->target))
		return reject(place, error,
			"target 0x%llx, expected 52 bits with their sign extended",
			branch->target);
	branch->gap = (unsigned)gap;
	writer->last = id;
	writer->instructions += gap;
	writer->branches++;
	sbbt_store(bytes, branch, writer->is_old);
	return spill_buffer_append(writer->spill, bytes, sizeof bytes, error);
}

/* Returns the kind of a branch by its control flow. */
static unsigned
kind_of(unsigned flow)
{
	return (flow & ISA_CONDITIONAL ? SBBT_CONDITIONAL : 0u) |
	       (flow & ISA_INDIRECT ? SBBT_INDIRECT : 0u) |
	       (flow & ISA_RETURNS	  ? SBBT_RETURN
		       : flow & ISA_CALLS ? SBBT_CALL
					  : 0u);
}

/* Sets the outcome and the target of the pending branch; next: the next instruction, or NULL.
 */
static void
resolve(struct writing *writing, const struct sbbt_pending *pending, const uint64_t *next,
	struct sbbt_branch *branch)
{
	const struct operation *operation = &pending->operation;
	const struct isa_instruction instruction = {
		.target_kind = operation->target_kind, .target = operation->target};
	branch->is_taken = pending->is_taken;
	if (pending->has_outcome)
		;
	else if (!(operation->flow & ISA_CONDITIONAL))
		branch->is_taken = true;
	else if (next && pending->has_end)
		branch->is_taken = *next != pending->end;
	else
		writing_note(writing, "branches of unknown outcome, written as not taken");
	branch->target = pending->target;
	if (pending->has_target || isa_target(&instruction, pending->pc, &branch->target))
		return;
	if (next && branch->is_taken)
		branch->target = *next;
	else
		writing_note(writing, "branches of unknown target, written with target 0");
}

/* Writes the pending instruction, if it is a branch. */
static enum poly_status
flush(struct writing *writing, const uint64_t *next, struct poly_error *error)
{
	struct sbbt_writer *writer = writing->state;
	struct sbbt_pending *pending = &writer->pending;
	const struct record_place place = {pending->number, pending->origin};
	if (!pending->is_open)
		return POLY_OK;
	pending->is_open = false;
	if (!(pending->operation.flow & ISA_JUMPS)) {
		writing_note(writing, "instructions that are not branches were dropped");
		return POLY_OK;
	}
	struct sbbt_branch branch = {
		.ip = pending->pc, .kind = kind_of(pending->operation.flow)};
	resolve(writing, pending, next, &branch);
	return write_branch(writer, &branch, writer->counted, &place, error);
}

/* Adds the row of an instruction, or of a later one of its micro-operations. */
static enum poly_status
add_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct sbbt_writer *writer = writing->state;
	struct sbbt_pending *pending = &writer->pending;
	const bool is_later = pending->is_open && batch->pc[row] == pending->pc &&
			      poly_present(batch, POLY_COLUMN_uop_index, row) &&
			      batch->uop_index[row] > 1;
	if (!is_later) {
		const enum poly_status status = flush(writing, &batch->pc[row], error);
		if (status != POLY_OK)
			return status;
		*pending = (struct sbbt_pending){.is_open = true,
			.pc = batch->pc[row],
			.number = poly_batch_number(batch, row),
			.origin = poly_present(batch, POLY_COLUMN_origin, row)
					  ? batch->origin[row]
					  : POLY_NO_OFFSET};
		writer->counted++;
	}
	operation_add(&writer->operations, batch, row, &pending->operation);
	pending->has_end = operation_end(&writer->operations, batch, row, &pending->end);
	if (poly_present(batch, POLY_COLUMN_branch, row)) {
		pending->has_outcome = true;
		pending->is_taken = batch->branch[row] == POLY_BRANCH_TAKEN;
	}
	if (poly_present(batch, POLY_COLUMN_target, row)) {
		pending->has_target = true;
		pending->target = batch->target[row];
	}
	return POLY_OK;
}

/* Writes the bytes of a row of an SBBT trace. */
static enum poly_status
write_raw(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct sbbt_writer *writer = writing->state;
	size_t n;
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (batch->kind[row] == POLY_KIND_INSTRUCTION && n == SBBT_SIZE) {
		uint8_t regular[SBBT_SIZE];
		const struct sbbt_branch branch = sbbt_load(raw, writer->is_old);
		sbbt_store(regular, &branch, writer->is_old);
		/* The header does not count it. */
		writer->is_irregular |= memcmp(raw, regular, SBBT_SIZE) == 0;
		writer->branches++;
		writer->instructions += branch.gap;
		writer->last = poly_present(batch, POLY_COLUMN_instruction_id, row)
				       ? batch->instruction_id[row]
				       : writer->last + branch.gap;
	} else {
		writer->is_irregular = true;
	}
	return spill_buffer_append(writer->spill, raw, n, error);
}

/* Writes a row of an SBBT trace. */
static enum poly_status
write_own(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct sbbt_writer *writer = writing->state;
	const uint64_t number = poly_batch_number(batch, row),
		       id = poly_present(batch, POLY_COLUMN_instruction_id, row)
				    ? batch->instruction_id[row]
				    : writer->last + 1;
	const struct record_place place = {number, SBBT_HEADER + (number - 1) * SBBT_SIZE};
	const bool has_raw = poly_present(batch, POLY_COLUMN_raw, row),
		   is_branch = batch->kind[row] == POLY_KIND_INSTRUCTION;
	/* A selection may begin far into the program; numbers of joined traces begin again. */
	if (!writer->branches && id > SBBT_GAP_MAX)
		writer->last = id - 1;
	else if (id < writer->last)
		writer->last = 0;
	if (has_raw && (writer->is_raw || !is_branch))
		return write_raw(writing, batch, row, error);
	if (!is_branch || batch->record[row] >= SBBT_INVALID) {
		writing_note(writing, "records that are not branches were dropped");
		return POLY_OK;
	}
	if (has_raw)
		writing_note(writing, "reserved bits were dropped");
	if (!writer->is_raw)
		writing_note(
			writing, "branches of the other layout, written in the chosen one");
	struct sbbt_branch branch = {.ip = batch->pc[row],
		.kind = batch->record[row],
		.is_taken = poly_present(batch, POLY_COLUMN_branch, row) &&
			    batch->branch[row] == POLY_BRANCH_TAKEN,
		.target =
			poly_present(batch, POLY_COLUMN_target, row) ? batch->target[row] : 0};
	return write_branch(writer, &branch, id, &place, error);
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct sbbt_writer *writer = writing->state;
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	const bool has_pc = poly_present(batch, POLY_COLUMN_pc, row);
	if (writer->is_own && poly_present(batch, POLY_COLUMN_record, row) &&
		(has_pc || kind != POLY_KIND_INSTRUCTION))
		return write_own(writing, batch, row, error);
	if (kind != POLY_KIND_INSTRUCTION || !has_pc) {
		writing_note(writing, "records that are not instructions were dropped");
		return POLY_OK;
	}
	if (poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) {
		writing_note(writing, "instructions that were not executed were dropped");
		return POLY_OK;
	}
	return add_instruction(writing, batch, row, error);
}

enum poly_status
sbbt_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

/* Writes the header. One of an SBBT trace stays as it is if all of its branches are written. */
static void
write_header(struct writing *writing)
{
	const struct sbbt_writer *writer = writing->state;
	const bool all = writer->is_own &&
			 (writer->is_irregular || writer->branches >= writer->header_branches);
	uint8_t *header = out_room(writing->out, SBBT_HEADER);
	memcpy(header, SBBT_MAGIC, SBBT_MAGIC_SIZE);
	store_le64(header + 8, all		? writer->header_instructions
			       : writer->is_own ? writer->instructions
						: writer->counted);
	store_le64(header + 16, all ? writer->header_branches : writer->branches);
	out_commit(writing->out, SBBT_HEADER);
}

enum poly_status
sbbt_wfinish(struct writing *writing, struct poly_error *error)
{
	struct sbbt_writer *writer = writing->state;
	enum poly_status status = flush(writing, NULL, error);
	if (status != POLY_OK)
		return status;
	if (writer->has_header)
		write_header(writing);
	const uint64_t size = spill_buffer_size(writer->spill);
	for (uint64_t at = 0; at < size && status == POLY_OK;) {
		const size_t n = size - at < OUT_ROOM_MAX ? (size_t)(size - at) : OUT_ROOM_MAX;
		status = spill_buffer_read(
			writer->spill, at, out_room(writing->out, n), n, error);
		out_commit(writing->out, status == POLY_OK ? n : 0);
		at += n;
	}
	return status;
}

void
sbbt_wclose(struct writing *writing)
{
	struct sbbt_writer *writer = writing->state;
	operations_close(&writer->operations);
	spill_buffer_free(writer->spill);
}
