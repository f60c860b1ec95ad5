/* SPDX-License-Identifier: MIT */
/* San Francisco State's projects 1b (branch predictors) and 2 (a cache). */
#include "analysis/course/model.h"

#include "analysis/uops.h"

#include "course/sfsu.h"

/* Options of project 1b, in the order of their table. */
enum { SYSTEM, PREDICTORS, ENTRIES, DEBUG };

static const struct poly_option branch_options[] = {
	{"system", POLY_OPTION_NUMBER, 0, 1, 1, 2, NULL,
		"1 predicts backward branches taken, 2 has counters and a target buffer",
		"reference cis501 7.1.7"},
	{"predictors", POLY_OPTION_NUMBER, 0, 8, 1, COURSE_SFSU_ENTRIES_MAX, NULL,
		"counters of system 2", "reference cis501 7.1.7"},
	{"entries", POLY_OPTION_NUMBER, 0, 4, 1, COURSE_SFSU_ENTRIES_MAX, NULL,
		"entries of its target buffer", "reference cis501 7.1.7"},
	MODEL_DEBUG,
	{0},
};

struct branches {
	bool is_dynamic, is_quiet;
	struct course_sfsu_static simple;
	struct course_sfsu_dynamic dynamic;
};

static enum poly_status
branches_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct branches *it = state;
	const uint64_t *value = values->values;
	it->is_dynamic = value[SYSTEM] == 2;
	it->is_quiet = !value[DEBUG];
	if (!it->is_dynamic)
		return POLY_OK;
	return course_sfsu_dynamic_init(
		&it->dynamic, (uint32_t)value[PREDICTORS], (uint32_t)value[ENTRIES], error);
}

static enum poly_status
branches_take(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	struct branches *it = state;
	(void)error;
	if (it->is_dynamic)
		course_sfsu_dynamic_uop(
			&it->dynamic, uop, it->is_quiet ? NULL : &output->lines);
	else
		course_sfsu_static_uop(&it->simple, uop);
	return POLY_OK;
}

static enum poly_status
branches_end(void *state, struct model_output *output, struct poly_error *error)
{
	const struct branches *it = state;
	(void)error;
	if (it->is_dynamic)
		course_sfsu_dynamic_end(&it->dynamic, &output->lines);
	else
		course_sfsu_static_end(&it->simple, &output->lines);
	return POLY_OK;
}

static void
branches_fini(void *state)
{
	struct branches *it = state;
	course_sfsu_dynamic_fini(&it->dynamic);
}

/* Options of project 2, in the order of their table. */
enum { CACHE_SIZE, CACHE_WAYS };

static const struct poly_option cache_options[] = {
	{"size", POLY_OPTION_SIZE, 0, 2048, 1, UINT64_MAX, NULL, "bytes of the cache",
		"reference cis501 7.1.7"},
	{"ways", POLY_OPTION_NUMBER, 0, 1, 1, COURSE_CACHE_WAYS_MAX, NULL, "blocks of a set",
		"reference cis501 7.1.7"},
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
cache_take(void *state, const struct course_uop *uop, struct model_output *output,
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
					    .title = "branch predictors and a target buffer",
					    .source = "reference cis501 7.1.7",
					    .needs = UOP_NEEDS,
					    .wants = UOP_WANTS,
					    .options = branch_options},
	.state_size = sizeof(struct branches),
	.init = branches_init,
	.take = branches_take,
	.end = branches_end,
	.fini = branches_fini};

const struct model model_sfsu_2 = {.info = {.course = "sfsu",
					   .name = "2",
					   .title = "a write-back cache",
					   .source = "reference cis501 7.1.7",
					   .needs = UOP_NEEDS,
					   .wants = UOP_WANTS,
					   .options = cache_options},
	.state_size = sizeof(struct course_cache),
	.init = cache_init,
	.take = cache_take,
	.end = cache_end,
	.fini = cache_fini};
