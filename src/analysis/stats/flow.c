/* SPDX-License-Identifier: MIT */
/*
 * Flow: whether each instruction stands where the one before it went, and how long execution
 * goes on without a jump.
 *
 * spec: reference cis501 2.4 (invariant 2), amber 4.1 and 4.6 (synthetic records).
 */
#include "analysis/analysis.h"

#include "analysis/counters.h"
#include "analysis/pair_index.h"
#include "analysis/top_n.h"
#include "base/mem.h"
#include "report/terms.h"

/* Most places where flow breaks that are told apart. */
#define PLACES ((uint32_t)1 << 16)

/* How an instruction follows another one. */
enum step { SEQUENTIAL, BRANCHED, JUMPED, BROKEN, UNKNOWN, STEPS };

/* Why flow may break, the first that holds. */
enum reason {
	REASON_SYNTHETIC, /* the tracer's own records stand between */
	REASON_EVENT,	  /* an interrupt or another event does */
	REASON_GAP,	  /* something that is no record of the program does */
	REASON_SYNC,	  /* a synchronisation does */
	REASON_MODE,	  /* the processor's mode changed */
	REASON_SYSTEM,	  /* the last instruction is one of the system */
	REASON_REPEAT,	  /* the same instruction again */
	REASON_BRANCH,	  /* the branch went elsewhere than its record says */
	REASON_NONE,
	REASONS
};

/* The last instruction of a context. */
struct last {
	uint64_t pc, behind, expected;
	uint64_t run;	    /* instructions in sequence up to it; 0: there was none */
	uint64_t run_start; /* where they began */
	uint32_t mode;
	bool has_behind;
	bool has_expected; /* its record says where it goes */
	bool jumps;	   /* it may go anywhere */
	bool is_delayed;   /* the next one does, instead, */
	bool annuls;	   /* and is left out where this one falls through */
	bool is_system;
	uint8_t between; /* reasons seen since; bits */
};

/* What is known of a place where flow broke. */
struct place {
	uint64_t expected, count;
	bool has_expected;
	uint8_t reason;
};

/* Instructions in sequence. */
struct runs {
	uint64_t lengths[65]; /* by bits of their length */
	uint64_t count, sum, longest, longest_start;
};

struct flow {
	bool told;     /* the trace says of branches where they go */
	bool is_empty; /* nothing is known of any context's last instruction */
	struct last last[ANALYSIS_CONTEXTS_MAX];
	uint64_t steps[STEPS];
	uint64_t reasons[REASONS];
	struct runs runs;
	struct pair_index places; /* pc and next pc */
	struct place *list;	  /* by number of that pair */
	uint32_t capacity;
	uint64_t beyond; /* breaks at places beyond the most */
	uint64_t top;
};

static enum poly_status
flow_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct flow *it = state;
	(void)error;
	it->top = setup->values[0];
	return POLY_OK;
}

static void
count_run(struct runs *runs, const struct last *last)
{
	if (!last->run)
		return;
	runs->lengths[64 - (unsigned)__builtin_clzll(last->run)]++;
	runs->count++;
	runs->sum += last->run;
	if (last->run > runs->longest) {
		runs->longest = last->run;
		runs->longest_start = last->run_start;
	}
}

/* Runs that are open end with the trace, and where rows are left out. */
static void
forget(struct flow *it)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		count_run(&it->runs, &it->last[i]);
		it->last[i] = (struct last){0};
	}
	it->is_empty = true;
}

static void
flow_begin(void *state, const struct poly_trace_info *info)
{
	struct flow *it = state;
	it->told = info->columns & (POLY_HAS(branch) | POLY_HAS(next_pc));
	forget(it);
}

static enum reason
reason_of(const struct last *last, uint64_t pc, uint32_t mode)
{
	for (unsigned i = REASON_SYNTHETIC; i <= REASON_SYNC; i++) {
		if (last->between >> i & 1)
			return (enum reason)i;
	}
	if (mode != last->mode)
		return REASON_MODE;
	if (last->is_system)
		return REASON_SYSTEM;
	if (pc == last->pc)
		return REASON_REPEAT;
	return last->has_expected ? REASON_BRANCH : REASON_NONE;
}

/* Counts a place where flow broke; false: no memory. */
static bool
count_break(struct flow *it, const struct last *last, uint64_t pc, enum reason reason)
{
	const uint32_t number = pair_index_add(&it->places, last->pc, pc, PLACES);
	void *list = it->list;
	it->reasons[reason]++;
	if (number == PAIR_INDEX_FULL) {
		it->beyond++;
		return true;
	}
	const bool ok =
		number != PAIR_INDEX_FAILED &&
		counters_grow_array(&list, &it->capacity, (size_t)number + 1, sizeof *it->list);
	it->list = list;
	if (!ok)
		return false;
	struct place *place = &it->list[number];
	if (!place->count) {
		place->has_expected = last->has_expected || last->has_behind;
		place->expected = last->has_expected ? last->expected : last->behind;
		place->reason = (uint8_t)reason;
	}
	place->count++;
	return true;
}

static enum step
step_to(const struct last *last, uint64_t pc)
{
	const bool behind =
		last->has_behind &&
		(pc == last->behind || (last->annuls && pc == last->behind + OP_DELAY_SLOT));
	if (last->has_expected)
		return pc != last->expected ? BROKEN : behind ? SEQUENTIAL : BRANCHED;
	if (behind)
		return SEQUENTIAL;
	if (last->jumps)
		return JUMPED;
	return last->has_behind ? BROKEN : UNKNOWN;
}

/* Goes from the last instruction of a context to the one at pc; false: no memory. */
static bool
go_to(struct flow *it, struct last *last, uint64_t pc, uint32_t mode)
{
	bool ok = true;
	if (!last->run) {
		last->run = 1;
		last->run_start = pc;
		return true;
	}
	const enum step step = step_to(last, pc);
	it->steps[step]++;
	if (step == SEQUENTIAL) {
		last->run++;
		return true;
	}
	if (step == BROKEN)
		ok = count_break(it, last, pc, reason_of(last, pc, mode));
	count_run(&it->runs, last);
	last->run = 1;
	last->run_start = pc;
	return ok;
}

/* Where the record of a row says that execution goes on. */
static void
expect(struct last *last, const struct poly_batch *batch, size_t row)
{
	const bool branches = poly_present(batch, POLY_COLUMN_branch, row);
	const bool taken = branches && batch->branch[row] == POLY_BRANCH_TAKEN;
	if (poly_present(batch, POLY_COLUMN_next_pc, row)) {
		last->has_expected = true;
		last->expected = batch->next_pc[row];
	} else if (taken && poly_present(batch, POLY_COLUMN_target, row)) {
		last->has_expected = true;
		last->expected = batch->target[row];
	} else if (branches && !taken && last->has_behind) {
		last->has_expected = true;
		last->expected = last->behind;
	} else if (taken) {
		last->jumps = true;
	}
}

/* The instruction of a row is now the last one of its context. */
static void
take_last(
	const struct flow *it, struct last *last, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const struct static_op *op = static_op_at(rows->ops, rows->op[row]);
	const bool was_delayed = last->is_delayed;
	last->pc = batch->pc[row];
	last->has_expected = false;
	last->is_delayed = !it->told && (op->flow & OP_DELAYED);
	last->annuls = last->is_delayed && (op->flow & OP_ANNULS);
	last->jumps = was_delayed || (!it->told && (op->flow & OP_JUMPS) && !last->is_delayed);
	last->is_system = op->class == OP_SYSTEM;
	last->between = 0;
	last->mode = poly_present(batch, POLY_COLUMN_mode, row) ? batch->mode[row] : 0;
	last->has_behind = true;
	if (poly_present(batch, POLY_COLUMN_fallthrough, row))
		last->behind = batch->fallthrough[row];
	else if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		last->behind = last->pc + batch->opcode_size[row];
	else
		last->has_behind = false;
}

/* Takes a row that is none of the program's instructions. */
static void
take_between(struct last *last, const struct poly_batch *batch, size_t row)
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
take_row(struct flow *it, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct last *last = &it->last[rows->context ? rows->context[row] : rows->sole_context];
	const bool is_instruction = poly_present(batch, POLY_COLUMN_kind, row) &&
				    batch->kind[row] == POLY_KIND_INSTRUCTION;
	bool ok = true;
	if (!is_instruction ||
		(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row])) {
		take_between(last, batch, row);
		return true;
	}
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return true;
	/* Further micro-operations belong to the instruction before them. */
	if (!last->run || !poly_present(batch, POLY_COLUMN_uop_index, row) ||
		batch->uop_index[row] == 1) {
		const uint32_t mode =
			poly_present(batch, POLY_COLUMN_mode, row) ? batch->mode[row] : 0;
		ok = go_to(it, last, batch->pc[row], mode);
		take_last(it, last, rows, row);
	}
	expect(last, batch, row);
	return ok;
}

static bool
flow_update(void *state, const struct analysis_rows *rows)
{
	struct flow *it = state;
	bool ok = true;
	if (!rows->counts) {
		if (!it->is_empty)
			forget(it);
		return true;
	}
	it->is_empty = false;
	for (size_t row = 0; row < rows->batch->rows && ok; row++)
		ok = take_row(it, rows, row);
	return ok;
}

static const char *const reason_names[REASONS] = {
	"synthetic", "event", "gap", "sync", "mode", "system", "repeat", "branch", "none"};

static void
report_reasons(const struct flow *it, struct poly_report *report)
{
	poly_report_table(report, "reasons");
	poly_report_column(report, "reason", false);
	top_n_columns(report);
	for (size_t i = 0; i < REASONS; i++) {
		if (!it->reasons[i])
			continue;
		poly_report_cell_text(report, reason_names[i]);
		top_n_cells(report, it->reasons[i], it->steps[BROKEN]);
	}
	poly_report_end(report);
}

static void
report_places(const struct flow *it, struct poly_report *report)
{
	struct ranked *ranks = mem_new((size_t)it->places.count + 1, sizeof *ranks);
	const size_t n = ranks ? it->places.count : 0;
	for (uint32_t i = 0; i < n; i++)
		ranks[i] = (struct ranked){it->list[i].count, i};
	top_n_sort(ranks, n);
	poly_report_table(report, "places");
	poly_report_column(report, "pc", false);
	poly_report_column(report, "next_pc", false);
	poly_report_column(report, "expected", false);
	poly_report_column(report, "reason", false);
	poly_report_column(report, "count", true);
	for (size_t i = 0; i < n && i < it->top; i++) {
		const struct indexed_pair *pair = &it->places.list[ranks[i].number];
		const struct place *place = &it->list[ranks[i].number];
		poly_report_cell_address(report, pair->a, 8);
		poly_report_cell_address(report, pair->b, 8);
		if (place->has_expected)
			poly_report_cell_address(report, place->expected, 8);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_text(report, reason_names[place->reason]);
		poly_report_cell_count(report, place->count);
	}
	poly_report_end(report);
	mem_free(ranks);
}

static void
report_runs(const struct flow *it, struct poly_report *report)
{
	struct runs now = it->runs;
	struct poly_plot plot = POLY_PLOT_INIT;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		count_run(&now, &it->last[i]);
	poly_report_count(report, "runs", now.count);
	poly_report_real(report, "mean_run", (double)now.sum / (double)now.count, 4);
	poly_report_count(report, "longest_run", now.longest);
	poly_report_address(report, "longest_run_start", now.longest_start, 8);
	poly_report_table(report, "run_lengths");
	poly_report_column(report, "from", true);
	top_n_columns(report);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "from";
	plot.y[0] = "percent";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (size_t i = 1; i < 65; i++) {
		if (!now.lengths[i])
			continue;
		poly_report_cell_count(report, (uint64_t)1 << (i - 1));
		top_n_cells(report, now.lengths[i], now.count);
	}
	poly_report_end(report);
}

static void
flow_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	static const char *const keys[STEPS] = {
		KEY("sequential"),
		KEY("branched"),
		KEY("jumped"),
		KEY("broken"),
		KEY("unknown"),
	};
	const struct flow *it = state;
	uint64_t all = 0;
	(void)ops;
	for (size_t i = 0; i < STEPS; i++)
		all += it->steps[i];
	poly_report_count(report, "steps", all);
	for (size_t i = 0; i < STEPS; i++)
		poly_report_count(report, keys[i], it->steps[i]);
	poly_report_real(report, "broken_percent", top_n_percent(it->steps[BROKEN], all), 2);
	if (it->beyond)
		poly_report_count(report, "beyond", it->beyond);
	report_reasons(it, report);
	report_places(it, report);
	report_runs(it, report);
}

static void
flow_fini(void *state)
{
	struct flow *it = state;
	pair_index_fini(&it->places);
	mem_free(it->list);
}

static const struct poly_option options[] = {
	{"flow.top", POLY_OPTION_NUMBER, 0, 10, 1, UINT32_MAX, NULL,
		"most places of a table, the most frequent first", NULL},
	{0},
};

const struct analysis analysis_flow = {
	.info = {.name = "flow",
		.title = "Flow",
		.summary = "whether instructions stand where the ones before them went",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = POLY_HAS(opcode_size) | POLY_HAS(fallthrough) | POLY_HAS(branch) |
			 POLY_HAS(target) | POLY_HAS(next_pc) | POLY_HAS(uop_index) |
			 POLY_HAS(synthetic) | POLY_HAS(mode),
		.options = options},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct flow),
	.init = flow_init,
	.begin = flow_begin,
	.update = flow_update,
	.report = flow_report,
	.fini = flow_fini,
};
