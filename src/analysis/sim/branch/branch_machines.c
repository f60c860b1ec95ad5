/* SPDX-License-Identifier: MIT */
/*
 * Predictors that processes divide. Machines are the predictors of the list from the last one,
 * whose counts by branch are reported, those of budgets, and what the sweep has of each size:
 * sizes of the same predictor are simulated together (sim/branch/bpred_sweep.h).
 */
#include "analysis/sim/branch/branch.h"

#include "analysis/core/analysis.h"
#include "analysis/facts/archive.h"
#include "base/mem.h"

static size_t
count_machines(const void *state)
{
	const struct branch_simulation *sim = state;
	return sim->count + sim->budget_count + sim->swept_per_size;
}

/* Returns the predictor of a machine that is not of the sweep. */
static struct branch_predictor *
find_predictor(struct branch_simulation *sim, size_t machine)
{
	return machine < sim->count ? &sim->predictors[sim->count - 1 - machine]
				    : &sim->budgets[machine - sim->count].predictor;
}

/* Returns the machine of a predictor of the sweep. */
static size_t
machine_of_swept(const struct branch_simulation *sim, size_t i)
{
	return sim->count + sim->budget_count + i % sim->swept_per_size;
}

/* Creates the sweep again with the predictors of a share alone; false: out of memory. */
static bool
select_swept(struct branch_simulation *sim, const struct poly_share *share)
{
	struct bpred_config *configs = mem_new(sim->swept_count, sizeof *configs);
	size_t count = 0;
	for (size_t i = 0; configs && i < sim->swept_count; i++) {
		sim->swept_indices[i] = BRANCH_ELSEWHERE;
		if (!share_has(share, machine_of_swept(sim, i)))
			continue;
		sim->swept_indices[i] = count;
		configs[count++] = sim->swept_configs[i];
	}
	bpred_sweep_free(sim->sweep);
	sim->sweep = NULL;
	const bool ok = configs && (!count || bpred_sweep_new(configs, count, &sim->sweep,
						      NULL) == POLY_OK);
	mem_free(configs);
	return ok;
}

static bool
select_machines(void *state, const struct poly_share *share)
{
	struct branch_simulation *sim = state;
	for (size_t i = 0; i < sim->count + sim->budget_count; i++) {
		struct branch_predictor *predictor = find_predictor(sim, i);
		if (share_has(share, i))
			continue;
		bpred_free(predictor->bpred);
		predictor->bpred = NULL;
	}
	if (share->index) {
		btb_free(sim->btb);
		sim->btb = NULL;
	}
	return !sim->swept_count || select_swept(sim, share);
}

uint64_t
branch_swept_mispredictions(const struct branch_simulation *sim, size_t i)
{
	const size_t index = sim->swept_indices[i];
	const bool continues = sim->is_counting && index != BRANCH_ELSEWHERE;
	return sim->swept_mispredictions[i] +
	       (continues ? bpred_sweep_wrong(sim->sweep, index) : 0);
}

static void
transfer_machines(void *state, const struct poly_share *share, struct archive *archive)
{
	struct branch_simulation *sim = state;
	for (size_t i = 0; i < sim->count + sim->budget_count; i++)
		if (share_has(share, i))
			ARCHIVE(archive, find_predictor(sim, i)->mispredictions);
	for (size_t i = 0; i < sim->swept_count; i++) {
		uint64_t mispredictions = branch_swept_mispredictions(sim, i);
		if (!share_has(share, machine_of_swept(sim, i)))
			continue;
		ARCHIVE(archive, mispredictions);
		if (archive_loads(archive))
			sim->swept_mispredictions[i] = mispredictions;
	}
}

const struct analysis_machines branch_machines = {
	.count = count_machines,
	.select = select_machines,
	.transfer = transfer_machines,
};
