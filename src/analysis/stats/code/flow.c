/* SPDX-License-Identifier: MIT */
/*
 * Control flow: the transitions from each instruction to the next one of its context, and runs
 * of sequential instructions.
 *
 * spec: published traces of Penn CIS 501 (invariant 2); Apple amber traces 4.1 and 4.6
 * (synthetic records).
 */
#include "analysis/stats/code/flow.h"

#include "analysis/facts/counters.h"
#include "analysis/facts/top_n.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "report/table.h"
#include "report/terms.h"

#include <stdlib.h>
#include <string.h>

static enum poly_status
flow_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct flow_state *flow = state;
	(void)error;
	flow->top = setup->values[0];
	return POLY_OK;
}

/* Counts a run that ended at a position. */
static void
count_run(struct sequential_runs *runs, const struct last_instruction *last, uint64_t position)
{
	if (!last->run)
		return;
	runs->lengths[64 - (unsigned)__builtin_clzll(last->run)]++;
	runs->count++;
	runs->sum += last->run;
	if (last->run > runs->max || (last->run == runs->max && position < runs->longest_end)) {
		runs->max = last->run;
		runs->longest_start = last->run_start;
		runs->longest_end = position;
	}
}

/* Ends the run of a context at a position; the first one of a part is counted later. */
static void
end_run(struct flow_state *flow, size_t context, uint64_t position)
{
	struct last_instruction *last = &flow->last[context];
	struct flow_border *border = flow->borders[context];
	if (!border || border->ended) {
		count_run(&flow->runs, last, position);
		return;
	}
	border->more = last->run - border->run;
	border->ended = position;
}

/* Ends open runs at the end of a trace and at skipped rows. */
static void
end_runs(struct flow_state *flow)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		end_run(flow, i, flow->rows);
		flow->last[i] = (struct last_instruction){0};
	}
	flow->is_empty = true;
}

static enum reason
reason_of(const struct last_instruction *last, uint64_t pc, uint32_t mode)
{
	for (unsigned i = REASON_SYNTHETIC; i <= REASON_SYNC; i++) {
		if (last->between >> i & 1)
			return (enum reason)i;
	}
	if (mode != last->mode && mode != NO_MODE && last->mode != NO_MODE)
		return REASON_MODE;
	if (last->is_system)
		return REASON_SYSTEM;
	if (pc == last->pc)
		return REASON_REPEAT;
	return last->has_expected ? REASON_BRANCH : REASON_NONE;
}

/* Adds discontinuities of the reason and expected address of the first one; false: out of
 * memory. */
static bool
add_break(struct flow_state *flow, const struct indexed_pair *pair,
	const struct flow_break *added)
{
	const uint32_t index = pair_index_add(&flow->break_pairs, pair->a, pair->b, BREAKS_MAX);
	if (index == PAIR_INDEX_FULL) {
		flow->untracked += added->count;
		return true;
	}
	if (index == PAIR_INDEX_FAILED || !VEC_ROOM_ZEROED(flow->breaks, flow->capacity, index))
		return false;
	struct flow_break *flow_break = &flow->breaks[index];
	const uint64_t count = flow_break->count;
	if (!count || added->first < flow_break->first)
		*flow_break = *added;
	flow_break->count = count + added->count;
	return true;
}

/* Counts the discontinuity between the last instruction and a row; false: out of memory. */
static bool
count_break(struct flow_state *flow, const struct last_instruction *last, uint64_t pc,
	uint64_t position, enum reason reason)
{
	flow->reasons[reason]++;
	return add_break(flow, &(struct indexed_pair){last->pc, pc},
		&(struct flow_break){
			.expected = last->has_expected ? last->expected : last->fallthrough,
			.count = 1,
			.first = position,
			.has_expected = last->has_expected || last->has_fallthrough,
			.reason = (uint8_t)reason});
}

static enum flow_transition
transition_to(const struct last_instruction *last, uint64_t pc)
{
	const bool is_sequential =
		last->has_fallthrough &&
		(pc == last->fallthrough ||
			(last->annuls && pc == last->fallthrough + OP_DELAY_SLOT));
	if (last->has_expected)
		return pc != last->expected ? BROKEN : is_sequential ? SEQUENTIAL : BRANCHED;
	if (is_sequential)
		return SEQUENTIAL;
	if (last->jumps)
		return JUMPED;
	return last->has_fallthrough ? BROKEN : UNKNOWN;
}

/* Counts the transition from the last instruction of a context to a row; false: out of memory.
 */
static inline __attribute__((always_inline)) bool
count_transition(
	struct flow_state *flow, size_t context, const struct flow_row *row, bool counts)
{
	struct last_instruction *last = &flow->last[context];
	bool ok = true;
	if (!last->run) {
		last->run = 1;
		last->run_start = row->pc;
		return true;
	}
	const enum flow_transition transition = transition_to(last, row->pc);
	flow->transitions[transition] += counts;
	if (transition == SEQUENTIAL) {
		last->run++;
		return true;
	}
	if (transition == BROKEN && counts)
		ok = count_break(flow, last, row->pc, row->position,
			reason_of(last, row->pc, row->mode));
	if (counts)
		end_run(flow, context, row->position);
	last->run = 1;
	last->run_start = row->pc;
	return ok;
}

/* Sets the next address that a row states. */
static inline __attribute__((always_inline)) void
set_expected(struct last_instruction *last, const struct flow_row *row)
{
	if (row->has_expected) {
		last->has_expected = true;
		last->expected = row->expected;
	} else if (row->has_branch && !row->is_taken && last->has_fallthrough) {
		last->has_expected = true;
		last->expected = last->fallthrough;
	} else if (row->is_taken) {
		last->jumps = true;
	}
}

/* Records the instruction of a row as the last one of its context. */
static inline __attribute__((always_inline)) void
set_last(struct last_instruction *last, const struct flow_row *row)
{
	const bool was_delayed = last->is_delayed;
	last->pc = row->pc;
	last->has_expected = false;
	last->is_delayed = row->is_delayed;
	last->annuls = row->annuls;
	last->jumps = was_delayed || row->jumps;
	last->is_system = row->is_system;
	last->between = 0;
	last->mode = row->mode;
	last->has_fallthrough = row->has_fallthrough;
	last->fallthrough = row->fallthrough;
}

/* Follows a row of a context; counts: and counts it. False: out of memory. */
static inline __attribute__((always_inline)) bool
follow_row_inline(
	struct flow_state *flow, size_t context, const struct flow_row *row, bool counts)
{
	struct last_instruction *last = &flow->last[context];
	bool ok = true;
	if (!row->is_instruction) {
		last->between |= row->reasons;
		return true;
	}
	/* A later micro-operation belongs to the instruction before it. */
	if (!last->run || !row->is_later) {
		ok = count_transition(flow, context, row, counts);
		set_last(last, row);
	}
	set_expected(last, row);
	return ok;
}

static bool
follow_row(struct flow_state *flow, size_t context, const struct flow_row *row)
{
	return follow_row_inline(flow, context, row, true);
}

/* Stores a row of a border, unless it has no effect after the last stored one. */
static void
store_row(struct flow_state *flow, struct flow_border *border, const struct flow_row *row)
{
	struct flow_row *last = border->count ? &border->rows[border->count - 1] : NULL;
	if (last && !last->is_instruction && !row->is_instruction) {
		last->reasons |= row->reasons;
	} else if (last && last->is_instruction && row->is_later && !row->has_expected &&
		   !row->has_branch) {
		return;
	} else if (border->count == BORDER_ROWS) {
		flow->is_too_long = true;
	} else {
		border->rows[border->count++] = *row;
		border->instructions += row->is_instruction && !row->is_later;
	}
}

/*
 * Follows a row of a part. The first ones of a context are stored, and then give the last
 * instruction, which does not depend on the rows before them, without being counted.
 */
static bool
follow_part(struct flow_state *flow, size_t context, const struct flow_row *row)
{
	struct flow_border *border = flow->borders[context];
	if (!border)
		border = flow->borders[context] = mem_new(1, sizeof *border);
	if (!border)
		return false;
	if (border->instructions == BORDER_INSTRUCTIONS)
		return follow_row(flow, context, row);
	store_row(flow, border, row);
	if (border->instructions < BORDER_INSTRUCTIONS)
		return true;
	for (unsigned i = 0; i < border->count; i++)
		follow_row_inline(flow, context, &border->rows[i], false);
	border->run = flow->last[context].run;
	return true;
}

/* Whether a row is an instruction and not synthetic. */
static bool
row_is_executed(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

/* Returns the reason that a row between two instructions is for a discontinuity; bits. */
static uint8_t
reason_bits(const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_kind, row))
		return 0;
	switch (batch->kind[row]) {
	case POLY_KIND_INSTRUCTION: return 1u << REASON_SYNTHETIC;
	case POLY_KIND_EVENT: return 1u << REASON_EVENT;
	case POLY_KIND_OTHER: return 1u << REASON_GAP;
	case POLY_KIND_SYNC: return 1u << REASON_SYNC;
	default: return 0;
	}
}

/* Reads the next address that a row states. */
static inline __attribute__((always_inline)) void
read_expected(struct flow_row *flow_row, const struct poly_batch *batch, size_t row)
{
	flow_row->has_branch = poly_present(batch, POLY_COLUMN_branch, row);
	flow_row->is_taken = flow_row->has_branch && batch->branch[row] == POLY_BRANCH_TAKEN;
	const bool has_next = poly_present(batch, POLY_COLUMN_next_pc, row);
	flow_row->has_expected =
		has_next ||
		(flow_row->is_taken && poly_present(batch, POLY_COLUMN_target, row));
	flow_row->expected = !flow_row->has_expected ? 0
			     : has_next		     ? batch->next_pc[row]
						     : batch->target[row];
}

/* Returns the mode of a name. */
static uint32_t
mode_of(struct flow_state *flow, const struct poly_trace_info *info, uint32_t name)
{
	static const struct hash_seed seed = {0x243f6a8885a308d3, 0x9e3779b97f4a7c15};
	const size_t i = name % MODE_CACHE;
	if (flow->modes[i].name == name + 1)
		return flow->modes[i].mode;
	const char *text = poly_trace_name(info, name);
	const uint64_t mode = text ? hash_bytes(&seed, text, strlen(text)) : name;
	flow->modes[i].name = name + 1;
	flow->modes[i].mode = (uint32_t)mode & NO_MODE >> 1;
	return flow->modes[i].mode;
}

/* Reads the row of an instruction. */
static inline __attribute__((always_inline)) void
read_instruction(struct flow_state *flow, const struct analysis_rows *rows, size_t row,
	struct flow_row *flow_row)
{
	const struct poly_batch *batch = rows->batch;
	const struct static_op *op = static_op_at(rows->ops, rows->op[row]);
	const unsigned flags = flow->has_targets ? 0 : op->flow;
	flow_row->position = flow->rows + row + 1;
	flow_row->is_instruction = true;
	flow_row->reasons = 0;
	flow_row->pc = batch->pc[row];
	flow_row->is_later =
		poly_present(batch, POLY_COLUMN_uop_index, row) && batch->uop_index[row] != 1;
	flow_row->is_delayed = flags & ISA_DELAYED;
	flow_row->annuls = flow_row->is_delayed && (flags & ISA_ANNULS);
	flow_row->jumps = (flags & ISA_JUMPS) && !flow_row->is_delayed;
	flow_row->is_system = op->class == OP_SYSTEM;
	flow_row->mode = poly_present(batch, POLY_COLUMN_mode, row)
				 ? mode_of(flow, batch->info, batch->mode[row])
				 : NO_MODE;
	flow_row->has_fallthrough = true;
	flow_row->fallthrough = 0;
	if (poly_present(batch, POLY_COLUMN_fallthrough, row))
		flow_row->fallthrough = batch->fallthrough[row];
	else if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		flow_row->fallthrough = flow_row->pc + batch->opcode_size[row];
	else
		flow_row->has_fallthrough = false;
	read_expected(flow_row, batch, row);
}

/* Reads a row; false: it states nothing of the control flow. */
static inline __attribute__((always_inline)) bool
read_row(struct flow_state *flow, const struct analysis_rows *rows, size_t row,
	struct flow_row *flow_row)
{
	const struct poly_batch *batch = rows->batch;
	if (!row_is_executed(batch, row))
		*flow_row = (struct flow_row){.reasons = reason_bits(batch, row)};
	else if (poly_present(batch, POLY_COLUMN_pc, row))
		read_instruction(flow, rows, row, flow_row);
	else
		return false;
	return true;
}

/* Follows a row of a run that is not a part; its fields stay in registers. */
static bool
count_row(struct flow_state *flow, const struct analysis_rows *rows, size_t row)
{
	struct flow_row flow_row;
	return !read_row(flow, rows, row, &flow_row) ||
	       follow_row_inline(flow, rows->context ? rows->context[row] : rows->sole_context,
		       &flow_row, true);
}

/* Follows a row of a part. */
static bool
count_part_row(struct flow_state *flow, const struct analysis_rows *rows, size_t row)
{
	struct flow_row flow_row;
	return !read_row(flow, rows, row, &flow_row) ||
	       follow_part(flow, rows->context ? rows->context[row] : rows->sole_context,
		       &flow_row);
}

static bool
flow_update(void *state, const struct analysis_rows *rows)
{
	struct flow_state *flow = state;
	bool ok = true;
	if (!rows->counts) {
		if (!flow->is_empty)
			end_runs(flow);
		return true;
	}
	flow->is_empty = false;
	part_log_see(&flow->log, rows->batch);
	for (size_t row = 0; row < rows->batch->rows && ok; row++)
		ok = flow->log.is_part ? count_part_row(flow, rows, row)
				       : count_row(flow, rows, row);
	flow->rows += rows->batch->rows;
	return ok && !flow->failed;
}

/* Follows the rows of a border in a context, and then its first run; last: what the part ends
 * with. Positions of the part follow those before. False: out of memory. */
static bool
follow_border(struct flow_state *flow, size_t context, const struct flow_border *border,
	const struct last_instruction *part_last, uint64_t before)
{
	struct last_instruction *last = &flow->last[context];
	bool ok = true;
	for (unsigned i = 0; ok && i < border->count; i++) {
		struct flow_row row = border->rows[i];
		row.position += before;
		ok = flow->log.is_part ? follow_part(flow, context, &row)
				       : follow_row(flow, context, &row);
	}
	if (!ok || border->instructions < BORDER_INSTRUCTIONS)
		return ok;
	const uint64_t run = last->run, run_start = last->run_start;
	if (border->ended) {
		last->run += border->more;
		end_run(flow, context, border->ended + before);
	}
	*last = *part_last;
	if (!border->ended) {
		last->run = run + part_last->run - border->run;
		last->run_start = run_start;
	}
	return true;
}

/* Counts the borders of a part that nothing precedes; false: out of memory. */
static bool
count_borders(struct flow_state *flow)
{
	bool ok = true;
	part_log_end(&flow->log);
	for (size_t i = 0; ok && i < ANALYSIS_CONTEXTS_MAX; i++) {
		struct flow_border *border = flow->borders[i];
		const struct last_instruction last = flow->last[i];
		if (!border)
			continue;
		flow->borders[i] = NULL;
		flow->last[i] = (struct last_instruction){0};
		ok = follow_border(flow, i, border, &last, 0);
		mem_free(border);
	}
	return ok;
}

/* Ends a trace: the next row is the first one of another. */
static void
end_trace(struct flow_state *flow)
{
	flow->failed |= !count_borders(flow);
	end_runs(flow);
}

static void
flow_begin(void *state, const struct poly_trace_info *info)
{
	struct flow_state *flow = state;
	flow->has_targets = poly_columns_overlap(info->columns, POLY_COLUMNS(branch, next_pc));
	memset(flow->modes, 0, sizeof flow->modes);
	end_trace(flow);
	part_log_begin(&flow->log);
}

static enum poly_status
flow_finish(void *state, struct poly_error *error)
{
	return count_borders(state) ? POLY_OK : err_memory(error);
}

/* Merges the last instructions of contexts; false: out of memory. */
static bool
merge_contexts(struct flow_state *into, const struct flow_state *from,
	const struct analysis_numbers *numbers)
{
	bool ok = true;
	for (size_t i = 0; ok && i < numbers->context_count; i++) {
		const uint16_t context = numbers->contexts[i];
		if (from->borders[i])
			ok = follow_border(
				into, context, from->borders[i], &from->last[i], into->rows);
		else if (from->last[i].run || from->last[i].between)
			into->last[context] = from->last[i];
	}
	return ok;
}

static bool
merge_breaks(struct flow_state *into, const struct flow_state *from)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < from->break_pairs.count; i++) {
		struct flow_break added = from->breaks[i];
		added.first += into->rows;
		ok = add_break(into, &from->break_pairs.list[i], &added);
	}
	return ok;
}

static void
merge_runs(struct sequential_runs *into, const struct sequential_runs *from, uint64_t before)
{
	for (size_t i = 0; i < sizeof into->lengths / sizeof *into->lengths; i++)
		into->lengths[i] += from->lengths[i];
	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max ||
		(from->max == into->max && from->longest_end + before < into->longest_end)) {
		into->max = from->max;
		into->longest_start = from->longest_start;
		into->longest_end = from->longest_end + before;
	}
}

static bool
flow_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct flow_state *sum = into;
	const struct flow_state *flow = from;
	if (!numbers->continues)
		end_trace(sum);
	part_log_merge(&sum->log, &flow->log, numbers->continues);
	if (!merge_breaks(sum, flow) || !merge_contexts(sum, flow, numbers))
		return false;
	merge_runs(&sum->runs, &flow->runs, sum->rows);
	for (size_t i = 0; i < TRANSITIONS; i++)
		sum->transitions[i] += flow->transitions[i];
	for (size_t i = 0; i < REASONS; i++)
		sum->reasons[i] += flow->reasons[i];
	sum->untracked += flow->untracked;
	sum->rows += flow->rows;
	sum->is_empty &= flow->is_empty;
	sum->is_too_long |= flow->is_too_long;
	return !sum->failed;
}

static bool
flow_is_too_long(const void *state)
{
	return ((const struct flow_state *)state)->is_too_long;
}

static const char *const reason_names[REASONS] = {
	"synthetic", "event", "gap", "sync", "mode", "system", "repeat", "branch", "none"};

static void
report_reasons(const struct flow_state *flow, struct poly_report *report)
{
	table_open(report, "discontinuity_reasons", "reason:text");
	top_n_columns(report);
	for (size_t i = 0; i < REASONS; i++) {
		if (!flow->reasons[i])
			continue;
		poly_report_cell_text(report, reason_names[i]);
		top_n_cells(report, flow->reasons[i], flow->transitions[BROKEN]);
	}
	poly_report_end(report);
}

/* A discontinuity in the order of the report. */
struct ranked_break {
	uint64_t count, first;
	uint32_t number;
};

static int
compare_breaks(const void *a, const void *b)
{
	const struct ranked_break *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static void
report_breaks(const struct flow_state *flow, struct poly_report *report)
{
	struct ranked_break *ranks =
		mem_new((size_t)flow->break_pairs.count + 1, sizeof *ranks);
	const size_t n = ranks ? flow->break_pairs.count : 0;
	for (uint32_t i = 0; i < n; i++)
		ranks[i] =
			(struct ranked_break){flow->breaks[i].count, flow->breaks[i].first, i};
	if (ranks)
		qsort(ranks, n, sizeof *ranks, compare_breaks);
	table_open(report, "discontinuity_sites",
		"pc:text next_pc:text expected_pc:text reason:text count");
	for (size_t i = 0; i < n && i < flow->top; i++) {
		const struct indexed_pair *pair = &flow->break_pairs.list[ranks[i].number];
		const struct flow_break *flow_break = &flow->breaks[ranks[i].number];
		poly_report_cell_address(report, pair->a, 8);
		poly_report_cell_address(report, pair->b, 8);
		if (flow_break->has_expected)
			poly_report_cell_address(report, flow_break->expected, 8);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_text(report, reason_names[flow_break->reason]);
		poly_report_cell_count(report, flow_break->count);
	}
	poly_report_end(report);
	mem_free(ranks);
}

static void
report_runs(const struct flow_state *flow, struct poly_report *report)
{
	struct sequential_runs runs = flow->runs;
	struct poly_plot plot = POLY_PLOT_INIT;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		count_run(&runs, &flow->last[i], UINT64_MAX);
	poly_report_count(report, "sequential_runs", runs.count);
	poly_report_real(
		report, "sequential_run_length_mean", (double)runs.sum / (double)runs.count, 4);
	poly_report_count(report, "sequential_run_length_max", runs.max);
	poly_report_address(report, "longest_run_start", runs.longest_start, 8);
	table_open(report, "sequential_run_lengths", "sequential_run_length");
	top_n_columns(report);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "sequential_run_length";
	plot.y[0] = "share";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (size_t i = 1; i < 65; i++) {
		if (!runs.lengths[i])
			continue;
		poly_report_cell_count(report, (uint64_t)1 << (i - 1));
		top_n_cells(report, runs.lengths[i], runs.count);
	}
	poly_report_end(report);
}

static void
flow_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	static const char *const keys[TRANSITIONS] = {
		KEY("sequential"),
		KEY("branch_target"),
		KEY("assumed_branch_target"),
		KEY("control_flow_discontinuities"),
		KEY("transitions_after_unknown_size"),
	};
	const struct flow_state *flow = state;
	uint64_t all = 0;
	(void)ops;
	for (size_t i = 0; i < TRANSITIONS; i++)
		all += flow->transitions[i];
	poly_report_count(report, "transitions", all);
	for (size_t i = 0; i < TRANSITIONS; i++)
		poly_report_count(report, keys[i], flow->transitions[i]);
	poly_report_ratio(report, "discontinuity_ratio", (double)flow->transitions[BROKEN],
		(double)all, 2);
	if (flow->untracked)
		poly_report_count(report, "untracked_discontinuities", flow->untracked);
	report_reasons(flow, report);
	report_breaks(flow, report);
	report_runs(flow, report);
}

static void
flow_fini(void *state)
{
	struct flow_state *flow = state;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(flow->borders[i]);
	pair_index_fini(&flow->break_pairs);
	mem_free(flow->breaks);
}

static const struct poly_option options[] = {
	{"flow.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1, .maximum = UINT32_MAX,
		.help = "list the N most frequent discontinuities"},
	{0},
};

const struct analysis analysis_flow = {
	.info = {.name = "flow",
		.title = "Control flow",
		.summary =
			"sequential, branch and discontinuous transitions between instructions",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(opcode_size, fallthrough, branch, target, next_pc,
			uop_index, synthetic, mode),
		.options = options},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs = NEEDS_FLOW,
	.needs_warmup = true,
	.state_size = sizeof(struct flow_state),
	.init = flow_init,
	.begin = flow_begin,
	.update = flow_update,
	.merge = flow_merge,
	.transfer = flow_transfer,
	.is_too_long = flow_is_too_long,
	.finish = flow_finish,
	.report = flow_report,
	.fini = flow_fini,
};
