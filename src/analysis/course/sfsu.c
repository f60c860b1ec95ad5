/* SPDX-License-Identifier: MIT */
/* San Francisco State's projects 1b (branch predictors) and 2 (a cache). */
#include "analysis/course/model.h"

#include "analysis/facts/uops.h"

#include "course/sfsu.h"

/* Options of project 1b, in the order of their table. */
enum { SYSTEM, PREDICTORS, ENTRIES, DEBUG };

static const struct poly_option branch_options[] = {
	{"system", POLY_OPTION_NUMBER, 0, 1, 1, 2, NULL,
		"1: predict backward branches taken, 2: counters and a BTB",
		"CSC 656, projects 1b and 2"},
	{"predictors", POLY_OPTION_NUMBER, 0, 8, 1, COURSE_SFSU_ENTRIES_MAX, NULL,
		"counters of system 2", "CSC 656, projects 1b and 2"},
	{"entries", POLY_OPTION_NUMBER, 0, 4, 1, COURSE_SFSU_ENTRIES_MAX, NULL,
		"entries of the BTB of system 2", "CSC 656, projects 1b and 2"},
	MODEL_DEBUG,
	{0},
};

struct sfsu_branches {
	bool is_dynamic, is_quiet;
	struct course_sfsu_static simple;
	struct course_sfsu_dynamic dynamic;
};

static enum poly_status
branches_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct sfsu_branches *homework = state;
	const uint64_t *value = values->values;
	homework->is_dynamic = value[SYSTEM] == 2;
	homework->is_quiet = !value[DEBUG];
	if (!homework->is_dynamic)
		return POLY_OK;
	return course_sfsu_dynamic_init(&homework->dynamic, (uint32_t)value[PREDICTORS],
		(uint32_t)value[ENTRIES], error);
}

static enum poly_status
branches_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	struct sfsu_branches *homework = state;
	(void)error;
	if (homework->is_dynamic)
		course_sfsu_dynamic_uop(
			&homework->dynamic, uop, homework->is_quiet ? NULL : &output->lines);
	else
		course_sfsu_static_uop(&homework->simple, uop);
	return POLY_OK;
}

static enum poly_status
branches_end(void *state, struct model_output *output, struct poly_error *error)
{
	const struct sfsu_branches *homework = state;
	(void)error;
	if (homework->is_dynamic)
		course_sfsu_dynamic_end(&homework->dynamic, &output->lines);
	else
		course_sfsu_static_end(&homework->simple, &output->lines);
	return POLY_OK;
}

static void
branches_fini(void *state)
{
	struct sfsu_branches *homework = state;
	course_sfsu_dynamic_fini(&homework->dynamic);
}

/* Options of project 2, in the order of their table. */
enum { CACHE_SIZE, CACHE_WAYS };

static const struct poly_option cache_options[] = {
	{"size", POLY_OPTION_SIZE, 0, 2048, 1, UINT64_MAX, NULL, "cache size in bytes",
		"CSC 656, projects 1b and 2"},
	{"ways", POLY_OPTION_NUMBER, 0, 1, 1, COURSE_CACHE_WAYS_MAX, NULL, "blocks per set",
		"CSC 656, projects 1b and 2"},
	{0},
};

static enum poly_status
cache_init(void *state, const struct option_values *values, struct poly_error *error)
{
	const struct course_cache_config config = course_sfsu_cache(
		values->values[CACHE_SIZE], (uint32_t)values->values[CACHE_WAYS]);
	return course_cache_init(state, &config, error);
}

static enum poly_status
cache_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	(void)output, (void)error;
	course_cache_uop(state, uop, NULL);
	return POLY_OK;
}

static enum poly_status
cache_end(void *state, struct model_output *output, struct poly_error *error)
{
	(void)error;
	course_sfsu_cache_end(state, &output->lines);
	return POLY_OK;
}

static void
cache_fini(void *state)
{
	course_cache_fini(state);
}

const struct model model_sfsu_1b = {.info = {.course = "sfsu",
					    .name = "1b",
					    .title = "branch predictors and a BTB",
					    .source = "CSC 656, projects 1b and 2",
					    .needs = POLY_COLUMNS_INIT(UOP_NEEDS),
					    .wants = POLY_COLUMNS_INIT(UOP_WANTS),
					    .options = branch_options},
	.state_size = sizeof(struct sfsu_branches),
	.init = branches_init,
	.add_uop = branches_add,
	.end = branches_end,
	.fini = branches_fini};

const struct model model_sfsu_2 = {.info = {.course = "sfsu",
					   .name = "2",
					   .title = "a write-back cache",
					   .source = "CSC 656, projects 1b and 2",
					   .needs = POLY_COLUMNS_INIT(UOP_NEEDS),
					   .wants = POLY_COLUMNS_INIT(UOP_WANTS),
					   .options = cache_options},
	.state_size = sizeof(struct course_cache),
	.init = cache_init,
	.add_uop = cache_add,
	.end = cache_end,
	.fini = cache_fini};
