/* SPDX-License-Identifier: MIT */
/*
 * Control flow: the transitions from each instruction to the next one of its context, and runs
 * of sequential instructions.
 *
 * spec: published traces of Penn CIS 501 (invariant 2); Apple amber traces 4.1 and 4.6
 * (synthetic records).
 */
#include "analysis/core/analysis.h"

#include "analysis/facts/counters.h"
#include "analysis/facts/pair_index.h"
#include "analysis/facts/top_n.h"
#include "base/mem.h"
#include "base/vec.h"
#include "report/table.h"
#include "report/terms.h"

/* Max. number of unique discontinuities. */
#define BREAKS_MAX ((uint32_t)1 << 16)

/* The mode of an instruction that does not state it. */
#define NO_MODE UINT32_MAX

/* The kinds of transitions between instructions. */
enum flow_transition { SEQUENTIAL, BRANCHED, JUMPED, BROKEN, UNKNOWN, TRANSITIONS };

/* The reasons of a discontinuity; the first that holds applies. */
enum reason {
	REASON_SYNTHETIC, /* synthetic records in between */
	REASON_EVENT,	  /* an interrupt or another event in between */
	REASON_GAP,	  /* a record of kind "other" in between */
	REASON_SYNC,	  /* a synchronization operation in between */
	REASON_MODE,	  /* the processor's mode changed */
	REASON_SYSTEM,	  /* the last instruction is a system instruction */
	REASON_REPEAT,	  /* the same instruction is repeated */
	REASON_BRANCH,	  /* the record of the branch states another target */
	REASON_NONE,
	REASONS
};

/* The last instruction of a context. */
struct last_instruction {
	uint64_t pc, fallthrough, expected;
	uint64_t run;	    /* sequential instructions up to this one; 0: none */
	uint64_t run_start; /* the address of the first one */
	uint32_t mode;
	bool has_fallthrough;
	bool has_expected; /* its record states the next address */
	bool jumps;	   /* any address may follow */
	bool is_delayed;   /* its delay slot follows, then any address */
	bool annuls;	   /* the delay slot is skipped if it falls through */
	bool is_system;
	uint8_t between; /* reasons since then; bits */
};

/* A discontinuity between two addresses. */
struct flow_break {
	uint64_t expected, count;
	bool has_expected;
	uint8_t reason;
};

/* Runs of sequential instructions. */
struct sequential_runs {
	uint64_t lengths[65]; /* by bits of their length */
	uint64_t count, sum, max, longest_start;
};

struct flow_state {
	bool has_targets; /* the trace has the targets of branches */
	bool is_empty;	  /* no context has a last instruction */
	struct last_instruction last[ANALYSIS_CONTEXTS_MAX];
	uint64_t transitions[TRANSITIONS];
	uint64_t reasons[REASONS];
	struct sequential_runs runs;
	struct pair_index break_pairs; /* pc and next pc */
	struct flow_break *breaks;     /* by index of the pair */
	uint32_t capacity;
	uint64_t untracked; /* discontinuities that exceed the table */
	uint64_t top;
};

static enum poly_status
flow_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct flow_state *flow = state;
	(void)error;
	flow->top = setup->values[0];
	return POLY_OK;
}

static void
count_run(struct sequential_runs *runs, const struct last_instruction *last)
{
	if (!last->run)
		return;
	runs->lengths[64 - (unsigned)__builtin_clzll(last->run)]++;
	runs->count++;
	runs->sum += last->run;
	if (last->run > runs->max) {
		runs->max = last->run;
		runs->longest_start = last->run_start;
	}
}

/* Ends open runs at the end of a trace and at skipped rows. */
static void
end_runs(struct flow_state *flow)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		count_run(&flow->runs, &flow->last[i]);
		flow->last[i] = (struct last_instruction){0};
	}
	flow->is_empty = true;
}

static void
flow_begin(void *state, const struct poly_trace_info *info)
{
	struct flow_state *flow = state;
	flow->has_targets = poly_columns_overlap(info->columns, POLY_COLUMNS(branch, next_pc));
	end_runs(flow);
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

/* Counts a discontinuity; false: out of memory. */
static bool
count_break(struct flow_state *flow, const struct last_instruction *last, uint64_t pc,
	enum reason reason)
{
	const uint32_t index = pair_index_add(&flow->break_pairs, last->pc, pc, BREAKS_MAX);
	flow->reasons[reason]++;
	if (index == PAIR_INDEX_FULL) {
		flow->untracked++;
		return true;
	}
	if (index == PAIR_INDEX_FAILED || !VEC_ROOM_ZEROED(flow->breaks, flow->capacity, index))
		return false;
	struct flow_break *flow_break = &flow->breaks[index];
	if (!flow_break->count) {
		flow_break->has_expected = last->has_expected || last->has_fallthrough;
		flow_break->expected = last->has_expected ? last->expected : last->fallthrough;
		flow_break->reason = (uint8_t)reason;
	}
	flow_break->count++;
	return true;
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

/* Counts the transition from the last instruction of a context to pc; false: out of memory. */
static bool
count_transition(
	struct flow_state *flow, struct last_instruction *last, uint64_t pc, uint32_t mode)
{
	bool ok = true;
	if (!last->run) {
		last->run = 1;
		last->run_start = pc;
		return true;
	}
	const enum flow_transition transition = transition_to(last, pc);
	flow->transitions[transition]++;
	if (transition == SEQUENTIAL) {
		last->run++;
		return true;
	}
	if (transition == BROKEN)
		ok = count_break(flow, last, pc, reason_of(last, pc, mode));
	count_run(&flow->runs, last);
	last->run = 1;
	last->run_start = pc;
	return ok;
}

/* Sets the next address that the record of a row states. */
static void
set_expected(struct last_instruction *last, const struct poly_batch *batch, size_t row)
{
	const bool branches = poly_present(batch, POLY_COLUMN_branch, row);
	const bool taken = branches && batch->branch[row] == POLY_BRANCH_TAKEN;
	if (poly_present(batch, POLY_COLUMN_next_pc, row)) {
		last->has_expected = true;
		last->expected = batch->next_pc[row];
	} else if (taken && poly_present(batch, POLY_COLUMN_target, row)) {
		last->has_expected = true;
		last->expected = batch->target[row];
	} else if (branches && !taken && last->has_fallthrough) {
		last->has_expected = true;
		last->expected = last->fallthrough;
	} else if (taken) {
		last->jumps = true;
	}
}

/* Records the instruction of a row as the last one of its context. */
static void
set_last(const struct flow_state *flow, struct last_instruction *last,
	const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const struct static_op *op = static_op_at(rows->ops, rows->op[row]);
	const bool was_delayed = last->is_delayed;
	last->pc = batch->pc[row];
	last->has_expected = false;
	last->is_delayed = !flow->has_targets && (op->flow & ISA_DELAYED);
	last->annuls = last->is_delayed && (op->flow & ISA_ANNULS);
	last->jumps = was_delayed ||
		      (!flow->has_targets && (op->flow & ISA_JUMPS) && !last->is_delayed);
	last->is_system = op->class == OP_SYSTEM;
	last->between = 0;
	last->mode = poly_present(batch, POLY_COLUMN_mode, row) ? batch->mode[row] : NO_MODE;
	last->has_fallthrough = true;
	if (poly_present(batch, POLY_COLUMN_fallthrough, row))
		last->fallthrough = batch->fallthrough[row];
	else if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		last->fallthrough = last->pc + batch->opcode_size[row];
	else
		last->has_fallthrough = false;
}

/* Records a row between two instructions, which may be the reason of a discontinuity. */
static void
add_reason(struct last_instruction *last, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_kind, row))
		return;
	if (batch->kind[row] == POLY_KIND_INSTRUCTION)
		last->between |= 1u << REASON_SYNTHETIC;
	else if (batch->kind[row] == POLY_KIND_EVENT)
		last->between |= 1u << REASON_EVENT;
	else if (batch->kind[row] == POLY_KIND_OTHER)
		last->between |= 1u << REASON_GAP;
	else if (batch->kind[row] == POLY_KIND_SYNC)
		last->between |= 1u << REASON_SYNC;
}

static bool
count_row(struct flow_state *flow, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct last_instruction *last =
		&flow->last[rows->context ? rows->context[row] : rows->sole_context];
	const bool is_instruction = poly_present(batch, POLY_COLUMN_kind, row) &&
				    batch->kind[row] == POLY_KIND_INSTRUCTION;
	bool ok = true;
	if (!is_instruction ||
		(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row])) {
		add_reason(last, batch, row);
		return true;
	}
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return true;
	/* A later micro-operation belongs to the instruction before it. */
	if (!last->run || !poly_present(batch, POLY_COLUMN_uop_index, row) ||
		batch->uop_index[row] == 1) {
		const uint32_t mode =
			poly_present(batch, POLY_COLUMN_mode, row) ? batch->mode[row] : NO_MODE;
		ok = count_transition(flow, last, batch->pc[row], mode);
		set_last(flow, last, rows, row);
	}
	set_expected(last, batch, row);
	return ok;
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
	for (size_t row = 0; row < rows->batch->rows && ok; row++)
		ok = count_row(flow, rows, row);
	return ok;
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

static void
report_breaks(const struct flow_state *flow, struct poly_report *report)
{
	struct ranked *ranks = mem_new((size_t)flow->break_pairs.count + 1, sizeof *ranks);
	const size_t n = ranks ? flow->break_pairs.count : 0;
	for (uint32_t i = 0; i < n; i++)
		ranks[i] = (struct ranked){flow->breaks[i].count, i};
	top_n_sort(ranks, n);
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
		count_run(&runs, &flow->last[i]);
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
	.ordered = ORDERED_HISTORY,
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs = NEEDS_FLOW,
	.needs_warmup = true,
	.state_size = sizeof(struct flow_state),
	.init = flow_init,
	.begin = flow_begin,
	.update = flow_update,
	.report = flow_report,
	.fini = flow_fini,
};
