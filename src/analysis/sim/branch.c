/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction, simulated: predictors of directions, a sweep of sizes, and where branches
 * go. All threads of a trace share the predictors, as on one processor that runs them in turn;
 * so do traces that are told of together.
 *
 * spec: reference cis501 3 (rows 1 to 5), 7.1.3
 */
#include "analysis/sim/branch.h"

#include "analysis/column_stats.h"
#include "base/err.h"
#include "base/mem.h"

/* ITTAGE: sizes as those of the usual TAGE. */
static const struct ittage_config usual_ittage = {.base_log2 = 9,
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
init_targets(struct branch *it, const uint64_t *values, struct poly_error *error)
{
	struct ittage_config indirect = usual_ittage;
	it->btb_config = (struct btb_config){.sets = (uint32_t)values[OPTION_SETS],
		.ways = (uint32_t)values[OPTION_WAYS],
		.pc_shift = (unsigned)values[OPTION_SHIFT]};
	indirect.pc_shift = it->btb_config.pc_shift;
	enum poly_status status = btb_new(&it->btb_config, &it->btb, error);
	if (status == POLY_OK)
		status = ras_init(&it->ras, (uint32_t)values[OPTION_STACK], error);
	if (status == POLY_OK)
		status = ittage_new(&indirect, &it->ittage, error);
	return status;
}

static enum poly_status
branch_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct branch *it = state;
	const uint64_t *values = setup->values;
	const struct bpred_config common = {.pc_shift = (unsigned)values[OPTION_SHIFT],
		.initial = (unsigned)values[OPTION_INITIAL],
		.mask_first = values[OPTION_GSHARE] == 1};
	it->takes_all = values[OPTION_BRANCHES] == 1;
	it->top = values[OPTION_TOP];
	if (!branch_stream_init(&it->jumps))
		return err_memory(error);
	enum poly_status status =
		branch_parse(it, setup->texts[OPTION_PREDICTORS], &common, error);
	if (status == POLY_OK)
		status = branch_parse_sweep(it, setup->texts[OPTION_SWEEP], &common, error);
	if (status == POLY_OK)
		status = branch_budgets(it, setup->texts[OPTION_BUDGET], &common, error);
	return status == POLY_OK ? init_targets(it, values, error) : status;
}

static void
branch_begin(void *state, const struct poly_trace_info *info)
{
	struct branch *it = state;
	branch_stream_begin_trace(&it->jumps, info);
}

/* Counts what the last predictor did with each static branch that is known. */
static bool
count_sites(struct branch *it)
{
	struct branch_columns *columns = &it->columns;
	uint8_t *predicted = it->predictors[it->count - 1].predicted;
	size_t n = 0;
	for (size_t i = 0; i < columns->n; i++) {
		if (columns->site[i] == OP_NONE)
			continue;
		columns->site[n] = columns->site[i];
		columns->taken[n] = columns->taken[i];
		predicted[n++] = predicted[i];
	}
	return bpred_sites_count(&it->sites, columns->site, columns->taken, predicted, n);
}

/* A predictor of a budget, or of the list, or the sweep. */
static void
predict_one(void *user, size_t i)
{
	struct branch *it = user;
	const struct bpred_batch *batch = &it->batch;
	if (i == it->budget_count + it->count) {
		bpred_sweep_run(it->sweep, batch);
		return;
	}
	struct branch_predictor *predictor = i < it->budget_count
						     ? &it->budgets[i].predictor
						     : &it->predictors[i - it->budget_count];
	bpred_run(predictor->bpred, batch, predictor->predicted);
	if (it->counts)
		predictor->wrong += bpred_wrong(predictor->predicted, batch->taken, batch->n);
}

static size_t
branch_tasks(const void *state)
{
	const struct branch *it = state;
	return it->budget_count + it->count + (it->sweep != NULL);
}

/* Predicts the branches that wait. */
static bool
predict(struct branch *it, const struct analysis_rows *rows)
{
	struct branch_columns *columns = &it->columns;
	it->batch =
		(struct bpred_batch){columns->pc, columns->target, columns->taken, columns->n};
	it->counts = rows->counts;
	thread_pool_for_each(rows->team, predict_one, it, branch_tasks(it));
	if (it->counts) {
		it->branches += columns->n;
		for (size_t i = 0; i < columns->n; i++)
			it->taken += columns->taken[i];
	}
	bool ok = !it->counts || count_sites(it);
	columns->n = 0;
	return ok;
}

/* Puts a branch among those that wait, if it is to be predicted. */
static bool
add(struct branch *it, const struct executed_branch *jump, const struct analysis_rows *rows)
{
	struct branch_columns *columns = &it->columns;
	if (!it->takes_all && !(jump->flow & OP_CONDITIONAL))
		return true;
	columns->pc[columns->n] = jump->pc;
	/* Not where it went, which would tell that it did. */
	columns->target[columns->n] = jump->static_target;
	columns->taken[columns->n] = jump->taken;
	columns->site[columns->n++] = jump->site;
	return columns->n < BRANCH_STRIP || predict(it, rows);
}

/*
 * Where a branch goes: what the target buffer says of one that is taken, and the predictor of
 * indirect ones of those that are no returns, which the stack knows better.
 */
static void
find_target(struct branch *it, const struct executed_branch *jump, bool counts)
{
	const uint8_t taken = jump->taken, goes = jump->taken && jump->has_target;
	const uint8_t indirect =
		goes && (jump->flow & (OP_INDIRECT | OP_RETURNS)) == OP_INDIRECT;
	const struct btb_batch batch = {&jump->pc, &jump->target, &taken, NULL, 1};
	const struct ittage_batch jumped = {&jump->pc, &jump->target, &taken, &indirect, 1};
	uint64_t found;
	uint8_t hit;
	ittage_run(it->ittage, &jumped, &found);
	if (counts && indirect) {
		it->indirect++;
		it->indirect_right += found == jump->target;
	}
	if (!goes)
		return;
	btb_run(it->btb, &batch, &hit, &found);
	it->btb_asked += counts;
	it->btb_right += counts && hit && found == jump->target;
}

/* What a branch does to the stack of return addresses. */
static void
follow_stack(struct branch *it, const struct executed_branch *jump, bool counts)
{
	const bool returns = jump->flow & OP_RETURNS, calls = jump->flow & OP_CALLS;
	const uint8_t kind = returns ? RAS_RETURN : RAS_CALL;
	uint8_t right;
	if (!jump->taken || (!returns && !calls))
		return;
	if (returns ? !jump->has_target : !jump->has_fallthrough)
		return;
	ras_run(&it->ras, &kind, returns ? &jump->target : &jump->fallthrough, &right, 1);
	it->returns += counts && returns;
	it->returns_right += counts && right;
}

/* What counts begins or ends. */
static void
set_counting(struct branch *it, bool counts)
{
	for (size_t i = 0; i < it->swept_count && counts != it->is_counting; i++) {
		const uint64_t now = bpred_sweep_wrong(it->sweep, i);
		it->swept_wrong[i] += counts ? 0 - now : now;
	}
	it->is_counting = counts;
}

static bool
branch_update(void *state, const struct analysis_rows *rows)
{
	struct branch *it = state;
	bool ok = true;
	set_counting(it, rows->counts);
	if (rows->counts)
		it->instructions += count_batch_instructions(rows->batch);
	branch_stream_update(&it->jumps, rows);
	for (size_t i = 0; i < it->jumps.count && ok; i++) {
		const struct executed_branch *jump = &it->jumps.list[i];
		find_target(it, jump, rows->counts);
		follow_stack(it, jump, rows->counts);
		ok = add(it, jump, rows);
	}
	return ok && (!it->columns.n || predict(it, rows));
}

static void
branch_fini(void *state)
{
	struct branch *it = state;
	branch_stream_fini(&it->jumps);
	for (size_t i = 0; i < it->count; i++)
		bpred_free(it->predictors[i].bpred);
	for (size_t i = 0; i < it->budget_count; i++)
		bpred_free(it->budgets[i].predictor.bpred);
	mem_free(it->budgets);
	bpred_sweep_free(it->sweep);
	mem_free(it->swept);
	mem_free(it->swept_wrong);
	bpred_sites_free(&it->sites);
	btb_free(it->btb);
	ras_fini(&it->ras);
	ittage_free(it->ittage);
}

static const char *const branches_choices[] = {"conditional", "all", NULL};
static const char *const gshare_choices[] = {"mask-after", "mask-first", NULL};
static const char *const usual_predictors[] = {
	"taken,not-taken,btfn,bimodal,gshare,pag,tournament,perceptron,tage", NULL};
static const char *const no_sweep[] = {"", NULL};

static const struct poly_option options[] = {
	[OPTION_PREDICTORS] = {"branch.predictors", POLY_OPTION_TEXT, 0, 0, 0, 0,
		usual_predictors,
		"predictors separated by commas, numbers of each behind colons",
		"cis501 7.1.3"},
	[OPTION_SWEEP] = {"branch.sweep", POLY_OPTION_TEXT, 0, 0, 0, 0, no_sweep,
		"log2 of the counters of bimodal and gshare predictors to compare, and lengths "
		"of histories, as 3..20:0..12",
		NULL},
	[OPTION_BRANCHES] = {"branch.branches", POLY_OPTION_CHOICE, 0, 0, 0, 1,
		branches_choices, "which branches are predicted", "cis501 3 (row 2)"},
	[OPTION_SHIFT] = {"branch.pc-shift", POLY_OPTION_NUMBER, 0, 0, 0, 63, NULL,
		"low bits of addresses that are not looked at", "cis501 3 (row 3)"},
	[OPTION_INITIAL] = {"branch.init", POLY_OPTION_NUMBER, 0, 0, 0, 3, NULL,
		"the counters' first state", "cis501 3 (row 5)"},
	[OPTION_GSHARE] = {"branch.gshare", POLY_OPTION_CHOICE, 0, 0, 0, 1, gshare_choices,
		"whether the index is cut behind or before the history is xored to it",
		"cis501 3 (row 4)"},
	[OPTION_SETS] = {"branch.btb-sets", POLY_OPTION_NUMBER, 0, 512, 1, BTB_ENTRIES_MAX,
		NULL, "sets of the target buffer", NULL},
	[OPTION_WAYS] = {"branch.btb-ways", POLY_OPTION_NUMBER, 0, 4, 1, BTB_WAYS_MAX, NULL,
		"ways of the target buffer", NULL},
	[OPTION_STACK] = {"branch.stack", POLY_OPTION_NUMBER, 0, 16, 1, RAS_MAX, NULL,
		"addresses on the return stack", NULL},
	[OPTION_TOP] = {"branch.top", POLY_OPTION_NUMBER, 0, 10, 1, UINT32_MAX, NULL,
		"most branches of a table, those mispredicted most often first", NULL},
	[OPTION_BUDGET] = {"branch.budget", POLY_OPTION_TEXT, 0, 0, 0, 0, no_sweep,
		"log2 of bits, as 10..16: the largest predictors of each kind that need no "
		"more",
		NULL},
	{0},
};

/* Whether anything tells branches. */
static bool
branch_suits(const struct poly_trace_info *info)
{
	return info->columns & (POLY_HAS(branch) | POLY_HAS(opcode) | POLY_HAS(mnemonic));
}

const struct analysis analysis_branch = {
	.info = {.name = "branch",
		.title = "Branch prediction",
		.summary = "predictors of branches, and of where they go",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = BRANCH_STREAM_COLUMNS,
		.is_simulation = true,
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.suits = branch_suits,
	.state_size = sizeof(struct branch),
	.init = branch_init,
	.begin = branch_begin,
	.update = branch_update,
	.task_count = branch_tasks,
	.report = branch_report,
	.fini = branch_fini,
};
