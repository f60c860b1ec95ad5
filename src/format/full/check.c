/* SPDX-License-Identifier: MIT */
/*
 * The rules of a FULL trace that are checked on its rows.
 *
 * spec: Apple amber traces 5 (A03 to A08, A15, A17, A21, which are F03 to F21 here).
 */
#include "format/full/full.h"

#include "base/mem.h"
#include "isa/powerpc.h"

#include <string.h>

/* Maximum number of PCs checked: limits the memory for a long or corrupt trace. */
#define CHECKED_MAX ((size_t)1 << 20)

/* The row to check. */
struct full_row {
	struct full_check *check;
	struct reading *reading;
	struct findings *findings;
	const struct poly_batch *batch;
	size_t index;
};

static uint64_t
record_of(const struct full_row *row)
{
	return row->batch->first + row->index + 1;
}

static uint64_t
offset_of(const struct full_row *row)
{
	return row->batch->origin[row->index];
}

/* F04 to F07: the successor of the step. */
static void
check_next(const struct full_check *check, struct findings *findings, uint64_t next)
{
	const struct full_step *step = &check->step;
	uint32_t primary = step->opcode >> 26;
	if (powerpc_class(step->opcode) != POWERPC_FLOW)
		return;
	if (next & 3)
		findings_add(findings, FULL_F04, check->record, check->offset,
			"'%08x' at %08llx leads to %08llx, expected a multiple of 4",
			step->opcode, (unsigned long long)step->pc, (unsigned long long)next);
	if (primary < 16 || primary > 18 || full_follows(step, next))
		return;
	static const enum full_rule rules[] = {FULL_F06, FULL_F07, FULL_F05};
	char expected[64];
	full_expected(step, expected, sizeof expected);
	findings_add(findings, rules[primary - 16], check->record, check->offset,
		"'%08x' at %08llx leads to %08llx, expected %s", step->opcode,
		(unsigned long long)step->pc, (unsigned long long)next, expected);
}

/* F08; skipped if out of memory. */
static void
check_opcode(const struct full_row *row, uint64_t pc, uint32_t opcode)
{
	if (row->reading->deferred) {
		check_defer_value(row->reading->deferred, row->index, pc, 0, opcode);
		return;
	}
	const uint64_t *first = map_before(&row->check->opcodes, pc, opcode, CHECKED_MAX);
	if (!first || *first == opcode)
		return;
	row->reading->has_disagreed = true;
	findings_add(row->findings, FULL_F08, record_of(row), offset_of(row),
		"PC %08llx has opcode %08x, expected %08x as before", (unsigned long long)pc,
		opcode, (uint32_t)*first);
}

/* F15, counted by the bits that distinguish such opcodes. */
static void
count_outside(const struct full_row *row, uint32_t opcode)
{
	bool added;
	if (!(powerpc_find(opcode)->flags & POWERPC_OUTSIDE))
		return;
	if (row->reading->deferred) {
		check_defer(row->reading->deferred, row->index);
		return;
	}
	uint64_t *count = map_get(&row->check->outside,
		opcode >> 26 == 31 ? opcode & 0xfc0007fe : opcode & 0xfc000000, 0, &added);
	if (count)
		++*count;
}

/* F15 and F17. */
static void
check_form(const struct full_row *row, uint32_t opcode)
{
	uint32_t primary = opcode >> 26;
	count_outside(row, opcode);
	if ((primary == 58 || primary == 62) && (opcode & 3) == 3)
		findings_add(row->findings, FULL_F17, record_of(row), offset_of(row),
			"opcode %08x has low bits 3, expected 0, 1 or 2", opcode);
}

/* F21. */
static void
check_pads(const struct full_row *row, const struct powerpc_dialect *dialect)
{
	size_t size;
	const uint8_t *payload =
		poly_batch_bytes(row->batch, POLY_COLUMN_payload, row->index, &size);
	uint8_t record[POWERPC_RECORD_MAX] = {0};
	const char *name;
	memcpy(record + 4, payload, size);
	if (full_pads_set(dialect, record, &name))
		findings_add(row->findings, FULL_F21, record_of(row), offset_of(row),
			"%s is not zero", name);
}

/* Checks the rules about addresses, for an instruction with a pc. */
static void
check_address(const struct full_row *row, uint32_t opcode, bool wide)
{
	struct full_check *check = row->check;
	const struct poly_batch *batch = row->batch;
	uint64_t pc = batch->pc[row->index];
	if (!check->started && (pc & 3))
		findings_add(row->findings, FULL_F03, record_of(row), offset_of(row),
			"the initial PC is %08llx, expected a multiple of 4",
			(unsigned long long)pc);
	if (check->known)
		check_next(check, row->findings, pc);
	check_opcode(row, pc, opcode);
	check->started = check->known = true;
	check->step = (struct full_step){.opcode = opcode, .wide = wide, .pc = pc};
	check->record = record_of(row);
	check->offset = offset_of(row);
	if (poly_present(batch, POLY_COLUMN_next_pc, row->index)) {
		check_next(check, row->findings, batch->next_pc[row->index]);
		check->known = false;
	}
}

static void
check_row(const struct full_row *row, const struct powerpc_dialect *dialect)
{
	const struct poly_batch *batch = row->batch;
	if (batch->record[row->index] == FULL_CORRUPT)
		row->check->known = false;
	if (batch->record[row->index] != FULL_INSTRUCTION)
		return;
	uint32_t opcode = (uint32_t)batch->opcode[row->index];
	if (poly_present(batch, POLY_COLUMN_pc, row->index))
		check_address(row, opcode, batch->info->address_bits == 64);
	check_form(row, opcode);
	check_pads(row, dialect);
}

/* F15 at the end: one finding per class of opcode. */
static void
report_outside(const struct full_check *check, struct findings *findings)
{
	struct map_entry *sorted = map_sorted(&check->outside);
	for (size_t i = 0; sorted && i < check->outside.count; i++) {
		const char *name = powerpc_find((uint32_t)sorted[i].key)->mnemonic;
		findings_add(findings, FULL_F15, 0, POLY_NO_OFFSET,
			"'%s' occurs %llu times; TT6 has no address for it", name ? name : "?",
			(unsigned long long)sorted[i].value);
	}
	mem_free(sorted);
}

/*
 * Defers the rows of a chunk up to the first instruction, inclusive: what follows it does not
 * depend on rows before it. Returns their number.
 */
static size_t
defer_prefix(struct full_row *row, const struct powerpc_dialect *dialect)
{
	for (; !row->check->is_known && row->index < row->batch->rows; row->index++) {
		row->check->is_known = row->batch->record[row->index] == FULL_INSTRUCTION &&
				       poly_present(row->batch, POLY_COLUMN_pc, row->index);
		if (row->check->is_known)
			check_row(row, dialect);
	}
	check_defer_prefix(row->reading, row->index);
	return row->index;
}

void
full_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct full_reader *reader = reading->state;
	const struct full_row deferred = {
		&reader->check, reading, reading->findings, batch, row};
	const uint32_t opcode = (uint32_t)batch->opcode[row];
	(void)prefix;
	if (batch->record[row] != FULL_INSTRUCTION)
		return;
	if (poly_present(batch, POLY_COLUMN_pc, row))
		check_opcode(&deferred, batch->pc[row], opcode);
	count_outside(&deferred, opcode);
}

void
full_check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct full_reader *reader = reading->state;
	(void)batch;
	memcpy(&reader->check, state, offsetof(struct full_check, opcodes));
	reader->check.record += first;
}

void
full_check(struct full_check *check, struct reading *reading,
	const struct powerpc_dialect *dialect, const struct poly_batch *batch)
{
	if (!batch) {
		report_outside(check, reading->findings);
		return;
	}
	struct full_row row = {check, reading, reading->findings, batch, 0};
	if (reading->deferred)
		row.index = defer_prefix(&row, dialect);
	for (; row.index < batch->rows; row.index++)
		check_row(&row, dialect);
}

void
full_check_fini(struct full_check *check)
{
	map_free(&check->opcodes);
	map_free(&check->outside);
}
