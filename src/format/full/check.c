/* SPDX-License-Identifier: MIT */
/*
 * The rules of a FULL trace that are tested on its rows.
 *
 * spec: reference amber 5 (A03 to A08, A15, A17, A21).
 */
#include "format/full/full.h"

#include "isa/powerpc.h"

#include <string.h>

/* PCs that are watched at most: a bound for the memory of a long or broken trace. */
#define WATCHED_MOST ((size_t)1 << 20)

/* A row that is tested. */
struct place {
	struct full_check *check;
	struct findings *findings;
	const struct poly_batch *batch;
	size_t row;
};

static uint64_t
record_of(const struct place *place)
{
	return place->batch->first + place->row + 1;
}

static uint64_t
offset_of(const struct place *place)
{
	return place->batch->origin[place->row];
}

/* A04 to A07: where the step led. */
static void
check_next(const struct full_check *check, struct findings *findings, uint64_t next)
{
	const struct full_step *step = &check->step;
	uint32_t primary = step->opcode >> 26;
	if (powerpc_class(step->opcode) != POWERPC_FLOW)
		return;
	if (next & 3)
		findings_add(findings, FULL_A04, check->record, check->offset,
			"'%08x' at %08llx leads to %08llx, expected a multiple of 4",
			step->opcode, (unsigned long long)step->pc, (unsigned long long)next);
	if (primary < 16 || primary > 18 || full_follows(step, next))
		return;
	static const enum full_rule rules[] = {FULL_A06, FULL_A07, FULL_A05};
	char expected[64];
	full_expected(step, expected, sizeof expected);
	findings_add(findings, rules[primary - 16], check->record, check->offset,
		"'%08x' at %08llx leads to %08llx, expected %s", step->opcode,
		(unsigned long long)step->pc, (unsigned long long)next, expected);
}

/* A08; not tested further where memory is short. */
static void
check_opcode(const struct place *place, uint64_t pc, uint32_t opcode)
{
	const uint64_t *first = map_before(&place->check->opcodes, pc, opcode, WATCHED_MOST);
	if (first && *first != opcode)
		findings_add(place->findings, FULL_A08, record_of(place), offset_of(place),
			"%08llx has opcode %08x, and had %08x", (unsigned long long)pc, opcode,
			(uint32_t)*first);
}

/* A15, counted by what tells such opcodes apart, and A17. */
static void
check_form(const struct place *place, uint32_t opcode)
{
	uint32_t primary = opcode >> 26;
	if (powerpc_find(opcode)->flags & POWERPC_OUTSIDE) {
		bool added;
		uint64_t *count = map_get(&place->check->outside,
			primary == 31 ? opcode & 0xfc0007fe : opcode & 0xfc000000, 0, &added);
		if (count)
			++*count;
	}
	if ((primary == 58 || primary == 62) && (opcode & 3) == 3)
		findings_add(place->findings, FULL_A17, record_of(place), offset_of(place),
			"opcode %08x has low bits 3, expected 0, 1 or 2", opcode);
}

/* A21. */
static void
check_pads(const struct place *place, const struct full_dialect *dialect)
{
	size_t size;
	const uint8_t *payload =
		poly_batch_bytes(place->batch, POLY_COLUMN_payload, place->row, &size);
	uint8_t record[FULL_RECORD_MOST] = {0};
	const char *what;
	memcpy(record + 4, payload, size);
	if (full_pads_set(dialect, record, &what))
		findings_add(place->findings, FULL_A21, record_of(place), offset_of(place),
			"%s is not zero", what);
}

/* The rules about addresses, of an instruction whose own is known. */
static void
check_address(const struct place *place, uint32_t opcode, bool wide)
{
	struct full_check *check = place->check;
	const struct poly_batch *batch = place->batch;
	uint64_t pc = batch->pc[place->row];
	if (!check->begun && (pc & 3))
		findings_add(place->findings, FULL_A03, record_of(place), offset_of(place),
			"the initial PC is %08llx, expected a multiple of 4",
			(unsigned long long)pc);
	if (check->known)
		check_next(check, place->findings, pc);
	check_opcode(place, pc, opcode);
	check->begun = check->known = true;
	check->step = (struct full_step){.opcode = opcode, .wide = wide, .pc = pc};
	check->record = record_of(place);
	check->offset = offset_of(place);
	if (poly_present(batch, POLY_COLUMN_next_pc, place->row)) {
		check_next(check, place->findings, batch->next_pc[place->row]);
		check->known = false;
	}
}

static void
check_row(const struct place *place, const struct full_dialect *dialect)
{
	const struct poly_batch *batch = place->batch;
	if (batch->record[place->row] == FULL_DAMAGED)
		place->check->known = false;
	if (batch->record[place->row] != FULL_INSTRUCTION)
		return;
	uint32_t opcode = (uint32_t)batch->opcode[place->row];
	if (poly_present(batch, POLY_COLUMN_pc, place->row))
		check_address(place, opcode, batch->info->address_bits == 64);
	check_form(place, opcode);
	check_pads(place, dialect);
}

/* A15 at the end: one finding for each kind of opcode. */
static void
report_outside(const struct full_check *check, struct findings *findings)
{
	for (size_t i = 0; check->outside.entries && i <= check->outside.mask; i++) {
		const struct map_entry *entry = &check->outside.entries[i];
		if (!check->outside.used[i])
			continue;
		const char *name = powerpc_find((uint32_t)entry->key)->mnemonic;
		findings_add(findings, FULL_A15, 0, POLY_NO_OFFSET,
			"'%s' was met %llu times; TT6 has no address for it", name ? name : "?",
			(unsigned long long)entry->value);
	}
}

void
full_check(struct full_check *check, struct reading *reading,
	const struct full_dialect *dialect, const struct poly_batch *batch)
{
	if (!batch) {
		report_outside(check, reading->findings);
		return;
	}
	struct place place = {check, reading->findings, batch, 0};
	for (; place.row < batch->rows; place.row++)
		check_row(&place, dialect);
}

void
full_check_fini(struct full_check *check)
{
	map_free(&check->opcodes);
	map_free(&check->outside);
}
