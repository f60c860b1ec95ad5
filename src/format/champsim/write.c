/* SPDX-License-Identifier: MIT */
/*
 * Writes ChampSim's records from the rows of any trace: an instruction and its accesses.
 *
 * spec: polytrace-champsim(5)
 */
#include "format/champsim/champsim.h"

#include "model/context.h"

#include <string.h>

/* Determines the layouts of the payloads and of the records to be written. */
static enum poly_status
find_layouts(struct writing *writing, struct poly_error *error)
{
	struct champsim_writer *writer = writing->state;
	const char *fact = poly_trace_fact(writing->source, "champsim.record");
	const unsigned wanted = (unsigned)writing->options[CHAMPSIM_OPTION_RECORD];
	for (unsigned i = 0; fact && i < CHAMPSIM_READ; i++) {
		if (strcmp(fact, champsim_layouts[i]) != 0)
			continue;
		writer->is_own = true;
		writer->source = (enum champsim_layout)i;
	}
	writer->layout = wanted < CHAMPSIM_READ ? (enum champsim_layout)wanted
			 : writer->is_own	? writer->source
						: CHAMPSIM_64;
	writer->is_same = writer->is_own && writer->layout == writer->source;
	if (writer->is_same || writer->layout == CHAMPSIM_64)
		return POLY_OK;
	return err_usage(error,
		"champsim.record: records of layout '%s' are written only from a trace "
		"that has them (found '%s', expected 64 or auto)",
		champsim_layouts[writer->layout], fact ? fact : "none");
}

enum poly_status
champsim_wopen(struct writing *writing, struct poly_error *error)
{
	struct champsim_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	const enum poly_status status = find_layouts(writing, error);
	if (status != POLY_OK)
		return status;
	writer->registers = champsim_registers_of(operations_isa(source));
	writing->uses = poly_columns_union(
		writing->uses, POLY_COLUMNS(OPERATION_COLUMNS, cpu, cpu_name, process, thread));
	return writer->is_own ? POLY_OK : operations_open(&writer->operations, source, error);
}

/* Returns whether the raw bytes of the pending record have its operands. */
static bool
raw_agrees(const struct champsim_writer *writer)
{
	const struct champsim_pending *pending = &writer->pending;
	const struct champsim_record raw = champsim_load(pending->raw, writer->layout);
	size_t loads = 0, stores = 0;
	bool same = true;
	for (size_t i = 0; i < CHAMPSIM_OPERANDS_MAX; i++) {
		same &= !raw.loads[i] || pending->record.loads[loads++] == raw.loads[i];
		same &= !raw.stores[i] || pending->record.stores[stores++] == raw.stores[i];
	}
	return same && loads == pending->loads && stores == pending->stores;
}

/* Sets the outcome of the pending branch; next: address of the next instruction, or NULL. */
static void
resolve(struct writing *writing, struct champsim_pending *pending, const uint64_t *next)
{
	struct champsim_record *record = &pending->record;
	if (pending->has_outcome || !record->is_branch)
		return;
	if (champsim_always_taken(champsim_kind_of(record)))
		record->is_taken = 1;
	else if (next && pending->has_end)
		record->is_taken = *next != pending->end;
	else
		writing_note(writing, "branches of unknown outcome, written as not taken");
}

/* Writes the pending record. */
static void
flush(struct writing *writing, const uint64_t *next)
{
	struct champsim_writer *writer = writing->state;
	struct champsim_pending *pending = &writer->pending;
	if (!pending->is_open)
		return;
	const size_t size = champsim_size(writer->layout);
	pending->is_open = false;
	if (pending->has_raw && raw_agrees(writer)) {
		out_write(writing->out, pending->raw, size);
		return;
	}
	if (!pending->is_own) {
		const struct champsim_loss loss = champsim_encode(
			&writer->registers, &pending->operation, &pending->record);
		if (loss.dests)
			writing_note(writing, "destination registers that exceed 2 of an "
					      "instruction were dropped");
		if (loss.sources)
			writing_note(writing, "source registers that exceed 4 of an "
					      "instruction were dropped");
		if (loss.condition)
			writing_note(writing, "conditional calls and returns, written as "
					      "conditional jumps");
		if (!pending->operation.is_known)
			writing_note(writing, "instructions with unknown registers");
		resolve(writing, pending, next);
	}
	champsim_store(pending->bytes, writer->layout, &pending->record);
	out_write(writing->out, pending->bytes, size);
}

/* Sets what the payload of a row of a ChampSim trace states; false: it has none. */
static bool
apply_payload(struct champsim_writer *writer, const struct poly_batch *batch, size_t row)
{
	struct champsim_pending *pending = &writer->pending;
	uint8_t bytes[CHAMPSIM_SIZE_MAX] = {0};
	size_t n;
	if (!writer->is_own || !poly_present(batch, POLY_COLUMN_payload, row))
		return false;
	const uint8_t *payload = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	if (n != champsim_payload_size(writer->source))
		return false;
	champsim_put_payload(bytes, writer->source, payload);
	const uint64_t ip = pending->record.ip;
	pending->record = champsim_load(bytes, writer->source);
	pending->record.ip = ip;
	if (writer->is_same)
		memcpy(pending->bytes, bytes, champsim_size(writer->layout));
	return true;
}

/* Notes what a record of another layout loses. */
static void
note_layout(struct writing *writing, const struct champsim_record *record)
{
	const struct champsim_writer *writer = writing->state;
	if (writer->source == CHAMPSIM_CLOUDSUITE && (record->dests[2] || record->dests[3]))
		writing_note(writing,
			"destination registers that exceed 2 of an instruction were dropped");
	if (writer->source == CHAMPSIM_CLOUDSUITE)
		writing_note(writing, "address spaces were dropped");
	else if (writer->source != CHAMPSIM_64)
		writing_note(writing, "types of instructions or loads were dropped");
}

/* Notes that instructions of several execution contexts become one sequence. Returns whether
 * this one is of the context of the last one. */
static bool
follows_last(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct champsim_writer *writer = writing->state;
	const uint64_t context = context_key(batch, row);
	const bool is_other = writer->has_context && context != writer->context;
	if (is_other)
		writing_note(writing, "instructions that follow those of another thread or "
				      "processor, written as one sequence");
	writer->has_context = true;
	writer->context = context;
	return !is_other;
}

/* Begins the record of an instruction. */
static void
open_instruction(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct champsim_writer *writer = writing->state;
	struct champsim_pending *pending = &writer->pending;
	const bool follows = follows_last(writing, batch, row);
	flush(writing, follows ? &batch->pc[row] : NULL);
	*pending = (struct champsim_pending){.is_open = true, .record.ip = batch->pc[row]};
	pending->is_own = apply_payload(writer, batch, row);
	if (pending->is_own && !writer->is_same)
		note_layout(writing, &pending->record);
	if (writing->own_raw && writer->is_same && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		pending->has_raw = n == champsim_size(writer->layout);
		memcpy(pending->raw, raw, pending->has_raw ? n : 0);
	}
	if (!batch->pc[row])
		writing_note(writing, "instructions at address 0, at which ChampSim stops");
}

/* Adds what a row states of the pending instruction. */
static void
add_row(struct champsim_writer *writer, const struct poly_batch *batch, size_t row)
{
	struct champsim_pending *pending = &writer->pending;
	if (pending->is_own)
		return;
	operation_add(&writer->operations, batch, row, &pending->operation);
	pending->has_end = operation_end(&writer->operations, batch, row, &pending->end);
	if (poly_present(batch, POLY_COLUMN_branch, row)) {
		pending->has_outcome = true;
		pending->record.is_taken = batch->branch[row] == POLY_BRANCH_TAKEN;
	}
}

/* Adds an address to a set of the pending record. */
static void
add_address(struct writing *writing, uint64_t *set, unsigned *count, unsigned room,
	uint64_t address)
{
	for (unsigned i = 0; i < *count; i++) {
		if (set[i] == address &&
			!((struct champsim_writer *)writing->state)->pending.is_own) {
			writing_note(writing, "repeated accesses of an instruction to one "
					      "address were dropped");
			return;
		}
	}
	if (!address)
		writing_note(writing, "accesses to address 0 were dropped");
	else if (*count == room)
		writing_note(writing, "accesses that exceed the loads or stores of a "
				      "record were dropped");
	else
		set[(*count)++] = address;
}

/* Adds the access of a row. */
static void
add_access(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct champsim_writer *writer = writing->state;
	struct champsim_pending *pending = &writer->pending;
	struct champsim_record *record = &pending->record;
	const unsigned access = batch->access[row];
	if (access == POLY_ACCESS_FETCH)
		return;
	const bool is_other = poly_present(batch, POLY_COLUMN_pc, row) &&
			      batch->pc[row] != pending->record.ip;
	if (!pending->is_open || is_other)
		writing_note(writing, "accesses without their instruction were dropped");
	else if (access == POLY_ACCESS_READ)
		add_address(writing, record->loads, &pending->loads,
			champsim_loads(writer->layout), batch->address[row]);
	else if (access == POLY_ACCESS_WRITE)
		add_address(writing, record->stores, &pending->stores,
			champsim_stores(writer->layout), batch->address[row]);
	else
		writing_note(writing, "accesses that are not reads or writes were dropped");
}

/* Returns whether a row is a later micro-operation of the pending instruction. */
static bool
is_later_uop(const struct champsim_writer *writer, const struct poly_batch *batch, size_t row)
{
	return writer->pending.is_open && poly_present(batch, POLY_COLUMN_uop_index, row) &&
	       batch->uop_index[row] > 1 && batch->pc[row] == writer->pending.record.ip;
}

/* Writes the bytes of an incomplete record; other bytes of a trace are dropped. */
static void
write_other(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct champsim_writer *writer = writing->state;
	size_t n;
	if (!writing->own_raw || !writer->is_same ||
		!poly_present(batch, POLY_COLUMN_raw, row)) {
		writing_note(writing,
			"records that are neither instructions nor accesses were dropped");
		return;
	}
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	flush(writing, NULL);
	out_write(writing->out, raw, n);
}

static void
write_row(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct champsim_writer *writer = writing->state;
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	const bool has_access = poly_present(batch, POLY_COLUMN_access, row) &&
				poly_present(batch, POLY_COLUMN_address, row);
	if (kind == POLY_KIND_INSTRUCTION && poly_present(batch, POLY_COLUMN_synthetic, row) &&
		batch->synthetic[row]) {
		writing_note(writing, "instructions that were not executed were dropped");
		return;
	}
	if (kind == POLY_KIND_INSTRUCTION && poly_present(batch, POLY_COLUMN_pc, row)) {
		if (!is_later_uop(writer, batch, row))
			open_instruction(writing, batch, row);
		add_row(writer, batch, row);
	} else if (!has_access) {
		write_other(writing, batch, row);
	}
	if (has_access)
		add_access(writing, batch, row);
}

enum poly_status
champsim_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	(void)error;
	for (size_t row = 0; row < batch->rows; row++)
		write_row(writing, batch, row);
	return POLY_OK;
}

enum poly_status
champsim_wfinish(struct writing *writing, struct poly_error *error)
{
	(void)error;
	flush(writing, NULL);
	return POLY_OK;
}

void
champsim_wclose(struct writing *writing)
{
	struct champsim_writer *writer = writing->state;
	operations_close(&writer->operations);
}
