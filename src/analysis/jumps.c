/* SPDX-License-Identifier: MIT */
/* Finding branches, and which way they went. */
#include "analysis/jumps.h"

#include "analysis/tally.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Branches that may be found in a batch, or wait for the first rows of a further part. */
#define MOST (POLY_BATCH_ROWS > ANALYSIS_PARTIES ? POLY_BATCH_ROWS : ANALYSIS_PARTIES)

bool
jumps_init(struct jumps *jumps)
{
	jumps->list = mem_new(MOST, sizeof *jumps->list);
	return jumps->list != NULL;
}

void
jumps_forget(struct jumps *jumps)
{
	for (size_t i = 0; jumps->derives && i < ANALYSIS_PARTIES; i++)
		jumps->waiting[i].rows = 0;
}

void
jumps_begin(struct jumps *jumps, const struct poly_trace_info *info)
{
	jumps_forget(jumps);
	jumps->derives = !(info->columns & POLY_HAS(branch));
	memset(jumps->firsts, 0, sizeof jumps->firsts);
}

uint64_t
jumps_aim(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	if (poly_present(batch, POLY_COLUMN_target, row))
		return batch->target[row];
	if (rows->op[row] == OP_NONE || !poly_present(batch, POLY_COLUMN_pc, row))
		return JUMPS_NOWHERE;
	const struct op *op = ops_at(rows->ops, rows->op[row]);
	return op->has_reach ? batch->pc[row] + (uint64_t)op->reach : JUMPS_NOWHERE;
}

/* What is known of the branch of a row but for its way. */
static struct jump
take_row(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct jump it = {.pc = batch->pc[row],
		.aim = jumps_aim(rows, row),
		.op = rows->op[row],
		.flow = ops_at(rows->ops, rows->op[row])->flow,
		.site = rows->site[row],
		.party = rows->party ? rows->party[row] : rows->only};
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		it.has_behind = true;
		it.behind = batch->fallthrough[row];
	} else if (poly_present(batch, POLY_COLUMN_opcode_size, row)) {
		it.has_behind = true;
		it.behind = it.pc + batch->opcode_size[row];
		if (it.flow & OP_DELAYED)
			it.behind += OP_DELAY_SLOT;
	}
	return it;
}

/* The rows of a word that are instructions which the tracer did not put there. */
static uint64_t
real_instructions(const struct poly_batch *batch, size_t word)
{
	const size_t n = batch->rows - 64 * word < 64 ? batch->rows - 64 * word : 64;
	uint64_t rows = tally_present(batch, POLY_COLUMN_kind, word);
	const uint64_t synthetic = tally_present(batch, POLY_COLUMN_synthetic, word);
	if (rows)
		rows &= tally_equal(batch->kind + 64 * word, n, POLY_KIND_INSTRUCTION);
	if (synthetic)
		rows &= ~synthetic | tally_equal(batch->synthetic + 64 * word, n, 0);
	return rows;
}

/* The rows of a word that count as instructions. */
static uint64_t
first_operations(const struct poly_batch *batch, size_t word)
{
	const size_t n = batch->rows - 64 * word < 64 ? batch->rows - 64 * word : 64;
	const uint64_t uops = tally_present(batch, POLY_COLUMN_uop, word);
	uint64_t rows = real_instructions(batch, word);
	if (uops)
		rows &= ~uops | tally_equal(batch->uop + 64 * word, n, 1);
	return rows;
}

/* Branches that say themselves which way they went. */
static void
find_told(struct jumps *jumps, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	for (size_t word = 0; word < tally_words(batch); word++) {
		uint64_t branches = tally_present(batch, POLY_COLUMN_branch, word);
		if (branches)
			branches &= real_instructions(batch, word) &
				    tally_present(batch, POLY_COLUMN_pc, word);
		jumps->is_told |= branches != 0;
		while (branches) {
			const size_t row = 64 * word + tally_next(&branches);
			struct jump it = take_row(rows, row);
			it.taken = batch->branch[row] == POLY_BRANCH_TAKEN;
			it.has_target = poly_present(batch, POLY_COLUMN_target, row);
			if (it.has_target) {
				it.target = batch->target[row];
			} else if (it.taken && poly_present(batch, POLY_COLUMN_next_pc, row)) {
				it.has_target = true;
				it.target = batch->next_pc[row];
			}
			jumps->list[jumps->count++] = it;
		}
	}
}

/* A branch that waits for the instruction at pc went there. */
static void
end_waiting(struct jumps *jumps, struct jumps_waiting *waiting, uint64_t pc)
{
	struct jump *it = &waiting->jump;
	/* What stands in the delay slot was left out. */
	if (waiting->rows == 2 && (it->flow & OP_ANNULS) && it->has_behind && pc == it->behind)
		waiting->rows = 1;
	if (waiting->rows == 0 || --waiting->rows)
		return;
	it->taken = it->taken || !it->has_behind || pc != it->behind;
	it->has_target = it->taken;
	it->target = it->taken ? pc : 0;
	jumps->list[jumps->count++] = *it;
}

/* An instruction of a trace that does not tell of branches. */
static void
derive(struct jumps *jumps, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t party = rows->party ? rows->party[row] : rows->only;
	const unsigned flow = ops_at(rows->ops, rows->op[row])->flow;
	struct jumps_waiting *waiting = &jumps->waiting[party];
	if (jumps->firsts[party] < 2)
		jumps->first[party][jumps->firsts[party]++] = batch->pc[row];
	end_waiting(jumps, waiting, batch->pc[row]);
	/* A branch in the delay slot of another one has no meaning. */
	if (!(flow & OP_JUMPS) || waiting->rows)
		return;
	waiting->jump = take_row(rows, row);
	if (poly_present(batch, POLY_COLUMN_executed, row) && !batch->executed[row]) {
		jumps->list[jumps->count++] = waiting->jump;
		return;
	}
	waiting->jump.taken = !(flow & OP_CONDITIONAL);
	waiting->rows = flow & OP_DELAYED ? 2 : 1;
}

void
jumps_find(struct jumps *jumps, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	jumps->count = 0;
	if (!jumps->derives) {
		find_told(jumps, rows);
		return;
	}
	for (size_t word = 0; word < tally_words(batch); word++) {
		uint64_t some = first_operations(batch, word) &
				tally_present(batch, POLY_COLUMN_pc, word);
		while (some)
			derive(jumps, rows, 64 * word + tally_next(&some));
	}
}

void
jumps_join(struct jumps *into, const struct jumps *from, const struct analysis_numbers *numbers)
{
	into->count = 0;
	into->is_told |= from->is_told;
	for (size_t i = 0; i < ANALYSIS_PARTIES; i++) {
		if (!from->firsts[i])
			continue;
		const uint16_t party = numbers->parties[i];
		struct jumps_waiting *waiting = &into->waiting[party];
		for (size_t j = 0; j < from->firsts[i]; j++) {
			if (into->firsts[party] < 2)
				into->first[party][into->firsts[party]++] = from->first[i][j];
			end_waiting(into, waiting, from->first[i][j]);
		}
		if (!from->waiting[i].rows)
			continue;
		*waiting = from->waiting[i];
		if (waiting->jump.op != OP_NONE)
			waiting->jump.op = numbers->ops[waiting->jump.op];
		if (waiting->jump.site != OP_NONE)
			waiting->jump.site = numbers->sites[waiting->jump.site];
		waiting->jump.party = party;
	}
}

uint64_t
jumps_instructions(const struct poly_batch *batch)
{
	uint64_t count = 0;
	for (size_t word = 0; word < tally_words(batch); word++)
		count += (uint64_t)__builtin_popcountll(first_operations(batch, word));
	return count;
}

void
jumps_instructions_by_party(const struct analysis_rows *rows, uint64_t *counts, size_t parties)
{
	if (!rows->party) {
		if (rows->only < parties)
			counts[rows->only] += jumps_instructions(rows->batch);
		return;
	}
	for (size_t word = 0; word < tally_words(rows->batch); word++) {
		uint64_t some = first_operations(rows->batch, word);
		while (some) {
			const uint16_t party = rows->party[64 * word + tally_next(&some)];
			if (party < parties)
				counts[party]++;
		}
	}
}

void
jumps_note(const char *follows, struct poly_report *report)
{
	char text[300];
	snprintf(text, sizeof text,
		"the trace has a column 'branch' by its header, and no record has a value "
		"there%s; without that column branches are found by where instructions go on",
		follows);
	poly_report_text(report, "note", text);
}

enum jump_kind
jump_kind(const struct op *op)
{
	if (op->flow & OP_RETURNS)
		return JUMP_RETURN;
	if (op->flow & OP_CALLS)
		return JUMP_CALL;
	if (op->flow & OP_CONDITIONAL)
		return JUMP_CONDITIONAL;
	return op->flow & OP_INDIRECT ? JUMP_INDIRECT : JUMP_DIRECT;
}

const char *
jump_kind_name(enum jump_kind kind)
{
	static const char *const names[JUMP_KINDS] = {
		"return", "call", "conditional", "indirect", "direct"};
	return names[kind];
}

void
jumps_fini(struct jumps *jumps)
{
	mem_free(jumps->list);
}
