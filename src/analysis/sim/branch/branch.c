/* SPDX-License-Identifier: MIT */
/*
 * Simulates branch prediction: predictors of directions, a sweep of sizes, and predictors of
 * targets. All threads of a trace share the predictors, as on one processor that runs them in
 * turn; so do traces that are reported together.
 *
 * spec: CIS 501, homework 3 (branch prediction)
 */
#include "analysis/sim/branch/branch.h"

#include "analysis/facts/column_stats.h"
#include "base/err.h"
#include "base/mem.h"

/* ITTAGE: sizes as those of the default TAGE. */
static const struct ittage_config default_ittage = {.base_log2 = 9,
	.tables = 5,
	.entries_log2 = 8,
	.tag_bits = 9,
	.length = {4, 10, 24, 60, 140}};

enum {
	OPTION_PREDICTORS,
	OPTION_SWEEP,
	OPTION_BRANCHES,
	OPTION_SHIFT,
	OPTION_INITIAL,
	OPTION_GSHARE,
	OPTION_SETS,
	OPTION_WAYS,
	OPTION_STACK,
	OPTION_TOP,
	OPTION_BUDGET
};

static enum poly_status
init_targets(struct branch_simulation *sim, const uint64_t *values, struct poly_error *error)
{
	struct ittage_config indirect = default_ittage;
	sim->btb_config = (struct btb_config){.sets = (uint32_t)values[OPTION_SETS],
		.ways = (uint32_t)values[OPTION_WAYS],
		.pc_shift = (unsigned)values[OPTION_SHIFT]};
	indirect.pc_shift = sim->btb_config.pc_shift;
	enum poly_status status = btb_new(&sim->btb_config, &sim->btb, error);
	if (status == POLY_OK)
		status = ras_init(&sim->ras, (uint32_t)values[OPTION_STACK], error);
	if (status == POLY_OK)
		status = ittage_new(&indirect, &sim->ittage, error);
	return status;
}

static enum poly_status
branch_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct branch_simulation *sim = state;
	const uint64_t *values = setup->values;
	const struct bpred_config common = {.pc_shift = (unsigned)values[OPTION_SHIFT],
		.initial = (unsigned)values[OPTION_INITIAL],
		.mask_first = values[OPTION_GSHARE] == 1};
	sim->predicts_all = values[OPTION_BRANCHES] == 1;
	sim->top = values[OPTION_TOP];
	if (!branch_stream_init(&sim->stream))
		return err_memory(error);
	enum poly_status status =
		branch_parse_predictors(sim, setup->texts[OPTION_PREDICTORS], &common, error);
	if (status == POLY_OK)
		status = branch_parse_sweep(sim, setup->texts[OPTION_SWEEP], &common, error);
	if (status == POLY_OK)
		status = branch_parse_budgets(sim, setup->texts[OPTION_BUDGET], &common, error);
	return status == POLY_OK ? init_targets(sim, values, error) : status;
}

static void
branch_begin(void *state, const struct poly_trace_info *info)
{
	struct branch_simulation *sim = state;
	branch_stream_begin_trace(&sim->stream, info);
}

/* Counts the predictions of the last predictor by known static branch. */
static bool
count_sites(struct branch_simulation *sim)
{
	struct branch_columns *columns = &sim->columns;
	uint8_t *predicted = sim->predictors[sim->count - 1].predicted;
	size_t n = 0;
	for (size_t i = 0; i < columns->n; i++) {
		if (columns->site[i] == OP_NONE)
			continue;
		columns->site[n] = columns->site[i];
		columns->taken[n] = columns->taken[i];
		predicted[n++] = predicted[i];
	}
	return bpred_sites_count(&sim->sites, columns->site, columns->taken, predicted, n);
}

/* Runs the strip through a predictor of a budget or of the list, or through the sweep. */
static void
run_predictor(void *user, size_t i)
{
	struct branch_simulation *sim = user;
	const struct bpred_batch *batch = &sim->batch;
	if (i == sim->budget_count + sim->count) {
		bpred_sweep_run(sim->sweep, batch);
		return;
	}
	struct branch_predictor *predictor = i < sim->budget_count
						     ? &sim->budgets[i].predictor
						     : &sim->predictors[i - sim->budget_count];
	if (!predictor->bpred)
		return;
	bpred_run(predictor->bpred, batch, predictor->predicted);
	if (sim->counts)
		predictor->mispredictions +=
			bpred_wrong(predictor->predicted, batch->taken, batch->n);
}

static size_t
branch_tasks(const void *state)
{
	const struct branch_simulation *sim = state;
	return sim->budget_count + sim->count + (sim->sweep != NULL);
}

/* Predicts the gathered branches. */
static bool
run_strip(struct branch_simulation *sim, const struct analysis_rows *rows)
{
	struct branch_columns *columns = &sim->columns;
	sim->batch =
		(struct bpred_batch){columns->pc, columns->target, columns->taken, columns->n};
	sim->counts = rows->counts;
	thread_pool_for_each(rows->team, run_predictor, sim, branch_tasks(sim));
	if (sim->counts) {
		sim->branches += columns->n;
		for (size_t i = 0; i < columns->n; i++)
			sim->taken += columns->taken[i];
	}
	const bool has_sites = sim->counts && sim->predictors[sim->count - 1].bpred;
	bool ok = !has_sites || count_sites(sim);
	columns->n = 0;
	return ok;
}

/* Gathers a branch, if branches of its kind are predicted. */
static bool
add_branch(struct branch_simulation *sim, const struct executed_branch *executed,
	const struct analysis_rows *rows)
{
	struct branch_columns *columns = &sim->columns;
	if (!sim->predicts_all && !(executed->flow & ISA_CONDITIONAL))
		return true;
	columns->pc[columns->n] = executed->pc;
	/* Not the executed target, which would reveal the outcome. */
	columns->target[columns->n] = executed->static_target;
	columns->taken[columns->n] = executed->taken;
	columns->site[columns->n++] = executed->site;
	return columns->n < BRANCH_STRIP || run_strip(sim, rows);
}

/*
 * Predicts the target of a taken branch by the BTB, and by ITTAGE if it is indirect and not a
 * return, which the RAS predicts.
 */
static void
predict_target(
	struct branch_simulation *sim, const struct executed_branch *executed, bool counts)
{
	const uint8_t taken = executed->taken,
		      has_target = executed->taken && executed->has_target;
	const uint8_t indirect =
		has_target && (executed->flow & (ISA_INDIRECT | ISA_RETURNS)) == ISA_INDIRECT;
	const struct btb_batch batch = {&executed->pc, &executed->target, &taken, NULL, 1};
	const struct ittage_batch targets = {
		&executed->pc, &executed->target, &taken, &indirect, 1};
	uint64_t found;
	uint8_t hit;
	ittage_run(sim->ittage, &targets, &found);
	if (counts && indirect) {
		sim->ittage_lookups++;
		sim->ittage_hits += found == executed->target;
	}
	if (!has_target)
		return;
	btb_run(sim->btb, &batch, &hit, &found);
	sim->btb_lookups += counts;
	sim->btb_hits += counts && hit && found == executed->target;
}

/* Applies a call or return to the RAS. */
static void
predict_return(
	struct branch_simulation *sim, const struct executed_branch *executed, bool counts)
{
	const bool returns = executed->flow & ISA_RETURNS, calls = executed->flow & ISA_CALLS;
	const uint8_t kind = returns ? RAS_RETURN : RAS_CALL;
	uint8_t hit;
	if (!executed->taken || (!returns && !calls))
		return;
	if (returns ? !executed->has_target : !executed->has_fallthrough)
		return;
	ras_run(&sim->ras, &kind, returns ? &executed->target : &executed->fallthrough, &hit,
		1);
	sim->ras_lookups += counts && returns;
	sim->ras_hits += counts && hit;
}

/* Starts or stops counting. */
static void
set_counting(struct branch_simulation *sim, bool counts)
{
	for (size_t i = 0; i < sim->swept_count && counts != sim->is_counting; i++) {
		if (sim->swept_indices[i] == BRANCH_ELSEWHERE)
			continue;
		const uint64_t now = bpred_sweep_wrong(sim->sweep, sim->swept_indices[i]);
		sim->swept_mispredictions[i] += counts ? 0 - now : now;
	}
	sim->is_counting = counts;
}

static bool
branch_update(void *state, const struct analysis_rows *rows)
{
	struct branch_simulation *sim = state;
	bool ok = true;
	set_counting(sim, rows->counts);
	if (rows->counts)
		sim->instructions += count_batch_instructions(rows->batch);
	branch_stream_update(&sim->stream, rows);
	for (size_t i = 0; i < sim->stream.count && ok; i++) {
		const struct executed_branch *executed = &sim->stream.list[i];
		if (sim->btb) {
			predict_target(sim, executed, rows->counts);
			predict_return(sim, executed, rows->counts);
		}
		ok = add_branch(sim, executed, rows);
	}
	return ok && (!sim->columns.n || run_strip(sim, rows));
}

static void
branch_fini(void *state)
{
	struct branch_simulation *sim = state;
	branch_stream_fini(&sim->stream);
	for (size_t i = 0; i < sim->count; i++)
		bpred_free(sim->predictors[i].bpred);
	for (size_t i = 0; i < sim->budget_count; i++)
		bpred_free(sim->budgets[i].predictor.bpred);
	mem_free(sim->budgets);
	bpred_sweep_free(sim->sweep);
	mem_free(sim->swept_configs);
	mem_free(sim->swept_indices);
	mem_free(sim->swept_mispredictions);
	bpred_sites_free(&sim->sites);
	btb_free(sim->btb);
	ras_fini(&sim->ras);
	ittage_free(sim->ittage);
}

static const char *const branches_choices[] = {"conditional", "all", NULL};
static const char *const gshare_choices[] = {"mask-after", "mask-first", NULL};
static const char *const default_predictors[] = {
	"taken,not-taken,btfn,bimodal,gshare,pag,tournament,perceptron,tage", NULL};
static const char *const no_sweep[] = {"", NULL};

static const struct poly_option options[] = {
	[OPTION_PREDICTORS] = {"branch.predictors", POLY_OPTION_TEXT,
		.choices = default_predictors,
		.help = "predictors, separated by commas, each with its numbers after colons",
		.source = "CIS 501, homework 3"},
	[OPTION_SWEEP] = {"branch.sweep", POLY_OPTION_TEXT, .choices = no_sweep,
		.help = "compare bimodal and gshare predictors by log2 of counters and history "
			"length, as 3..20:0..12"},
	[OPTION_BRANCHES] = {"branch.branches", POLY_OPTION_CHOICE, .maximum = 1,
		.choices = branches_choices, .help = "branches to predict",
		.source = "CIS 501, homework 3"},
	[OPTION_SHIFT] = {"branch.pc-shift", POLY_OPTION_NUMBER, .maximum = 63,
		.help = "number of low address bits to ignore",
		.source = "CIS 501, homework 3"},
	[OPTION_INITIAL] = {"branch.init", POLY_OPTION_NUMBER, .maximum = 3,
		.help = "initial state of the counters", .source = "CIS 501, homework 3"},
	[OPTION_GSHARE] = {"branch.gshare", POLY_OPTION_CHOICE, .maximum = 1,
		.choices = gshare_choices,
		.help = "truncate the index after or before the history is xored into it",
		.source = "CIS 501, homework 3"},
	[OPTION_SETS] = {"branch.btb-sets", POLY_OPTION_NUMBER, .initial = 512, .minimum = 1,
		.maximum = BTB_ENTRIES_MAX, .help = "sets of the BTB"},
	[OPTION_WAYS] = {"branch.btb-ways", POLY_OPTION_NUMBER, .initial = 4, .minimum = 1,
		.maximum = BTB_WAYS_MAX, .help = "ways of the BTB"},
	[OPTION_STACK] = {"branch.stack", POLY_OPTION_NUMBER, .initial = 16, .minimum = 1,
		.maximum = RAS_MAX, .help = "entries of the RAS"},
	[OPTION_TOP] = {"branch.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1,
		.maximum = UINT32_MAX, .help = "list the N most mispredicted branches"},
	[OPTION_BUDGET] = {"branch.budget", POLY_OPTION_TEXT, .choices = no_sweep,
		.help = "compare the largest predictors of each kind within budgets, log2 of "
			"bits, as 10..16"},
	{0},
};

/* Returns whether a trace has columns that identify branches. */
static bool
branch_suits(const struct poly_trace_info *info)
{
	return poly_columns_overlap(info->columns, POLY_COLUMNS(branch, opcode, mnemonic));
}

const struct analysis analysis_branch = {
	.info = {.name = "branch",
		.title = "Branch prediction",
		.summary = "simulate predictors of branch directions and targets",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(BRANCH_STREAM_COLUMNS),
		.kind = POLY_ANALYSIS_SIMULATION,
		.options = options},
	.ordered = ORDERED_MACHINE,
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs = NEEDS_FLOW,
	.needs_warmup = true,
	.suits = branch_suits,
	.state_size = sizeof(struct branch_simulation),
	.init = branch_init,
	.begin = branch_begin,
	.update = branch_update,
	.task_count = branch_tasks,
	.machines = &branch_machines,
	.report = branch_report,
	.fini = branch_fini,
};
