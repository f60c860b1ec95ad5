/* SPDX-License-Identifier: MIT */
/* Finds executed branches and their outcomes. */
#include "analysis/facts/branch_stream.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Branches that a batch, or the first rows of an appended stream, can resolve. */
#define BRANCHES_MAX \
	(POLY_BATCH_ROWS > ANALYSIS_CONTEXTS_MAX ? POLY_BATCH_ROWS : ANALYSIS_CONTEXTS_MAX)

bool
branch_stream_init(struct branch_stream *stream)
{
	stream->list = mem_new(BRANCHES_MAX, sizeof *stream->list);
	return stream->list != NULL;
}

void
branch_stream_drop_pending(struct branch_stream *stream)
{
	for (size_t i = 0; stream->derives_outcomes && i < ANALYSIS_CONTEXTS_MAX; i++)
		stream->pending[i].rows = 0;
}

void
branch_stream_begin_trace(struct branch_stream *stream, const struct poly_trace_info *info)
{
	branch_stream_drop_pending(stream);
	stream->is_unstated = poly_columns_equal(info->columns, POLY_ALL_COLUMNS);
	stream->derives_outcomes = stream->is_unstated || !POLY_HAS(info->columns, branch);
	memset(stream->first_count, 0, sizeof stream->first_count);
}

uint64_t
branch_static_target(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	if (poly_present(batch, POLY_COLUMN_target, row))
		return batch->target[row];
	if (rows->op[row] == OP_NONE || !poly_present(batch, POLY_COLUMN_pc, row))
		return BRANCH_TARGET_UNKNOWN;
	const struct static_op *op = static_op_at(rows->ops, rows->op[row]);
	return op->has_reach ? batch->pc[row] + (uint64_t)op->reach : BRANCH_TARGET_UNKNOWN;
}

/* Reads the branch of a row, without its outcome. */
static struct executed_branch
read_branch(const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct executed_branch branch = {.pc = batch->pc[row],
		.static_target = branch_static_target(rows, row),
		.op = rows->op[row],
		.flow = static_op_at(rows->ops, rows->op[row])->flow,
		.site = rows->site[row],
		.context = rows->context ? rows->context[row] : rows->sole_context};
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		branch.has_fallthrough = true;
		branch.fallthrough = batch->fallthrough[row];
	} else if (poly_present(batch, POLY_COLUMN_opcode_size, row)) {
		branch.has_fallthrough = true;
		branch.fallthrough = branch.pc + batch->opcode_size[row];
		if (branch.flow & ISA_DELAYED)
			branch.fallthrough += OP_DELAY_SLOT;
	}
	return branch;
}

/* The rows of a word that are instructions and not synthetic. */
static uint64_t
real_instructions(const struct poly_batch *batch, size_t word)
{
	const size_t n = batch->rows - 64 * word < 64 ? batch->rows - 64 * word : 64;
	uint64_t rows = row_bits_present(batch, POLY_COLUMN_kind, word);
	const uint64_t synthetic = row_bits_present(batch, POLY_COLUMN_synthetic, word);
	if (rows)
		rows &= row_bits_equal(batch->kind + 64 * word, n, POLY_KIND_INSTRUCTION);
	if (synthetic)
		rows &= ~synthetic | row_bits_equal(batch->synthetic + 64 * word, n, 0);
	return rows;
}

uint64_t
instruction_rows(const struct poly_batch *batch, size_t word)
{
	const size_t n = batch->rows - 64 * word < 64 ? batch->rows - 64 * word : 64;
	const uint64_t uops = row_bits_present(batch, POLY_COLUMN_uop_index, word);
	uint64_t rows = real_instructions(batch, word);
	if (uops)
		rows &= ~uops | row_bits_equal(batch->uop_index + 64 * word, n, 1);
	return rows;
}

/* Finds branches whose rows record their outcome. */
static void
find_recorded(struct branch_stream *stream, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		uint64_t branches = row_bits_present(batch, POLY_COLUMN_branch, word);
		if (branches)
			branches &= real_instructions(batch, word) &
				    row_bits_present(batch, POLY_COLUMN_pc, word);
		stream->has_outcomes |= branches != 0;
		while (branches) {
			const size_t row = 64 * word + row_bits_next(&branches);
			struct executed_branch branch = read_branch(rows, row);
			branch.taken = batch->branch[row] == POLY_BRANCH_TAKEN;
			branch.has_target = poly_present(batch, POLY_COLUMN_target, row);
			if (branch.has_target) {
				branch.target = batch->target[row];
			} else if (branch.taken &&
				   poly_present(batch, POLY_COLUMN_next_pc, row)) {
				branch.has_target = true;
				branch.target = batch->next_pc[row];
			}
			stream->list[stream->count++] = branch;
		}
	}
}

/* Resolves a pending branch, which continues at pc. */
static void
resolve_pending(struct branch_stream *stream, struct pending_branch *pending, uint64_t pc)
{
	struct executed_branch *branch = &pending->branch;
	/* The instruction in the delay slot was annulled. */
	if (pending->rows == 2 && (branch->flow & ISA_ANNULS) && branch->has_fallthrough &&
		pc == branch->fallthrough)
		pending->rows = 1;
	if (pending->rows == 0 || --pending->rows)
		return;
	branch->taken = branch->taken || !branch->has_fallthrough || pc != branch->fallthrough;
	branch->has_target = branch->taken;
	branch->target = branch->taken ? pc : 0;
	stream->list[stream->count++] = *branch;
}

/* Follows an instruction of a trace without the column branch. */
static void
follow_instruction(struct branch_stream *stream, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	const unsigned flow = static_op_at(rows->ops, rows->op[row])->flow;
	struct pending_branch *pending = &stream->pending[context];
	if (stream->first_count[context] < 2)
		stream->first[context][stream->first_count[context]++] = batch->pc[row];
	resolve_pending(stream, pending, batch->pc[row]);
	/* A branch in a delay slot has no architected meaning. */
	if (!(flow & ISA_JUMPS) || pending->rows)
		return;
	pending->branch = read_branch(rows, row);
	if (poly_present(batch, POLY_COLUMN_executed, row) && !batch->executed[row]) {
		stream->list[stream->count++] = pending->branch;
		return;
	}
	pending->branch.taken = !(flow & ISA_CONDITIONAL);
	pending->rows = flow & ISA_DELAYED ? 2 : 1;
}

void
branch_stream_update(struct branch_stream *stream, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	stream->count = 0;
	for (size_t word = 0; stream->is_unstated && word < row_bits_words(batch); word++) {
		if (!row_bits_present(batch, POLY_COLUMN_branch, word))
			continue;
		branch_stream_drop_pending(stream);
		stream->is_unstated = stream->derives_outcomes = false;
	}
	if (!stream->derives_outcomes) {
		find_recorded(stream, rows);
		return;
	}
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		uint64_t instructions = instruction_rows(batch, word) &
					row_bits_present(batch, POLY_COLUMN_pc, word);
		while (instructions)
			follow_instruction(
				stream, rows, 64 * word + row_bits_next(&instructions));
	}
}

void
branch_stream_append(struct branch_stream *into, const struct branch_stream *from,
	const struct analysis_numbers *numbers)
{
	into->count = 0;
	if (!numbers->continues)
		branch_stream_drop_pending(into);
	into->has_outcomes |= from->has_outcomes;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (!from->first_count[i])
			continue;
		const uint16_t context = numbers->contexts[i];
		struct pending_branch *pending = &into->pending[context];
		for (size_t j = 0; j < from->first_count[i]; j++) {
			if (into->first_count[context] < 2)
				into->first[context][into->first_count[context]++] =
					from->first[i][j];
			resolve_pending(into, pending, from->first[i][j]);
		}
		if (!from->pending[i].rows)
			continue;
		*pending = from->pending[i];
		if (pending->branch.op != OP_NONE)
			pending->branch.op = numbers->ops[pending->branch.op];
		if (pending->branch.site != OP_NONE)
			pending->branch.site = numbers->sites[pending->branch.site];
		pending->branch.context = context;
	}
}

static void
transfer_branch(struct archive *archive, struct executed_branch *branch)
{
	ARCHIVE(archive, branch->pc);
	ARCHIVE(archive, branch->fallthrough);
	ARCHIVE(archive, branch->target);
	ARCHIVE(archive, branch->static_target);
	archive_index(archive, &branch->op, archive->ops);
	archive_index(archive, &branch->site, archive->sites);
	archive_context(archive, &branch->context);
	ARCHIVE(archive, branch->flow);
	ARCHIVE(archive, branch->taken);
	ARCHIVE(archive, branch->has_fallthrough);
	ARCHIVE(archive, branch->has_target);
}

void
branch_stream_transfer(struct branch_stream *stream, struct archive *archive)
{
	ARCHIVE(archive, stream->derives_outcomes);
	ARCHIVE(archive, stream->is_unstated);
	ARCHIVE(archive, stream->has_outcomes);
	for (size_t i = 0; i < archive->contexts; i++) {
		ARCHIVE(archive, stream->pending[i].rows);
		if (stream->pending[i].rows)
			transfer_branch(archive, &stream->pending[i].branch);
		ARCHIVE_UP_TO(archive, stream->first_count[i], 2);
		archive_numbers(archive, stream->first[i], sizeof *stream->first[i],
			stream->first_count[i], UINT64_MAX);
	}
}

uint64_t
count_batch_instructions(const struct poly_batch *batch)
{
	uint64_t count = 0;
	for (size_t word = 0; word < row_bits_words(batch); word++)
		count += (uint64_t)__builtin_popcountll(instruction_rows(batch, word));
	return count;
}

void
count_context_instructions(const struct analysis_rows *rows, uint64_t *counts, size_t contexts)
{
	if (!rows->context) {
		if (rows->sole_context < contexts)
			counts[rows->sole_context] += count_batch_instructions(rows->batch);
		return;
	}
	for (size_t word = 0; word < row_bits_words(rows->batch); word++) {
		uint64_t instructions = instruction_rows(rows->batch, word);
		while (instructions) {
			const uint16_t context =
				rows->context[64 * word + row_bits_next(&instructions)];
			if (context < contexts)
				counts[context]++;
		}
	}
}

void
branch_stream_report_note(const char *consequence, struct poly_report *report)
{
	char text[300];
	snprintf(text, sizeof text,
		"the header declares the column 'branch', but no record has a value there%s; "
		"without that column, outcomes are derived from the next instructions",
		consequence);
	poly_report_text(report, "note", text);
}

enum branch_kind
branch_kind_of(const struct static_op *op)
{
	if (op->flow & ISA_RETURNS)
		return BRANCH_KIND_RETURN;
	if (op->flow & ISA_CALLS)
		return BRANCH_KIND_CALL;
	if (op->flow & ISA_CONDITIONAL)
		return BRANCH_KIND_CONDITIONAL;
	return op->flow & ISA_INDIRECT ? BRANCH_KIND_INDIRECT : BRANCH_KIND_DIRECT;
}

const char *
branch_kind_name(enum branch_kind kind)
{
	static const char *const names[BRANCH_KIND_COUNT] = {
		"return", "call", "conditional", "indirect", "direct"};
	return names[kind];
}

void
branch_stream_fini(struct branch_stream *stream)
{
	mem_free(stream->list);
}
