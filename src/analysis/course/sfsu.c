/* SPDX-License-Identifier: MIT */
/* San Francisco State's projects 1b (branch predictors) and 2 (a cache). */
#include "analysis/course/printout.h"

#include "analysis/facts/uops.h"

#include "course/sfsu.h"

/* Options of project 1b, in the order of their table. */
enum { SYSTEM, PREDICTORS, ENTRIES, DEBUG };

static const struct poly_option sfsu_1b_options[] = {
	{"sfsu_1b.system", POLY_OPTION_NUMBER, .initial = 1, .minimum = 1, .maximum = 2,
		.help = "1: predict backward branches taken, 2: counters and a BTB",
		.source = "CSC 656, projects 1b and 2"},
	{"sfsu_1b.predictors", POLY_OPTION_NUMBER, .initial = 8, .minimum = 1,
		.maximum = COURSE_SFSU_ENTRIES_MAX, .help = "counters of system 2",
		.source = "CSC 656, projects 1b and 2"},
	{"sfsu_1b.entries", POLY_OPTION_NUMBER, .initial = 4, .minimum = 1,
		.maximum = COURSE_SFSU_ENTRIES_MAX, .help = "entries of the BTB of system 2",
		.source = "CSC 656, projects 1b and 2"},
	HOMEWORK_DEBUG("sfsu_1b"),
	{0},
};

struct sfsu_branches {
	bool is_dynamic, is_quiet;
	struct course_sfsu_static simple;
	struct course_sfsu_dynamic dynamic;
};

static enum poly_status
branches_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct sfsu_branches *homework = state;
	const uint64_t *value = setup->values;
	homework->is_dynamic = value[SYSTEM] == 2;
	homework->is_quiet = !value[DEBUG];
	if (!homework->is_dynamic)
		return POLY_OK;
	return course_sfsu_dynamic_init(&homework->dynamic, (uint32_t)value[PREDICTORS],
		(uint32_t)value[ENTRIES], error);
}

static bool
branches_add(void *state, const struct course_uop *uop, struct buf *out)
{
	struct sfsu_branches *homework = state;
	if (homework->is_dynamic)
		course_sfsu_dynamic_uop(
			&homework->dynamic, uop, homework->is_quiet ? NULL : out);
	else
		course_sfsu_static_uop(&homework->simple, uop);
	return true;
}

static bool
branches_end(void *state, struct buf *out)
{
	const struct sfsu_branches *homework = state;
	if (homework->is_dynamic)
		course_sfsu_dynamic_end(&homework->dynamic, out);
	else
		course_sfsu_static_end(&homework->simple, out);
	return true;
}

static void
branches_fini(void *state)
{
	struct sfsu_branches *homework = state;
	course_sfsu_dynamic_fini(&homework->dynamic);
}

/* Options of project 2, in the order of their table. */
enum { CACHE_SIZE, CACHE_WAYS };

static const struct poly_option sfsu_2_options[] = {
	{"sfsu_2.size", POLY_OPTION_SIZE, .initial = 2048, .minimum = 1, .maximum = UINT64_MAX,
		.help = "cache size in bytes", .source = "CSC 656, projects 1b and 2"},
	{"sfsu_2.ways", POLY_OPTION_NUMBER, .initial = 1, .minimum = 1,
		.maximum = COURSE_CACHE_WAYS_MAX, .help = "blocks per set",
		.source = "CSC 656, projects 1b and 2"},
	{0},
};

static enum poly_status
cache_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	const struct course_cache_config config = course_sfsu_cache(
		setup->values[CACHE_SIZE], (uint32_t)setup->values[CACHE_WAYS]);
	return course_cache_init(state, &config, error);
}

static bool
cache_add(void *state, const struct course_uop *uop, struct buf *out)
{
	(void)out;
	course_cache_uop(state, uop, NULL);
	return true;
}

static bool
cache_end(void *state, struct buf *out)
{
	course_sfsu_cache_end(state, out);
	return true;
}

static void
cache_fini(void *state)
{
	course_cache_fini(state);
}

static const struct homework_model branches = {.state_size = sizeof(struct sfsu_branches),
	.init = branches_init,
	.add_uop = branches_add,
	.end = branches_end,
	.fini = branches_fini};
static const struct homework_model cache = {.state_size = sizeof(struct course_cache),
	.init = cache_init,
	.add_uop = cache_add,
	.end = cache_end,
	.fini = cache_fini};

HOMEWORK(sfsu_1b, branches, .title = "SFSU project 1b",
	.summary = "branch predictors and a BTB", .needs = POLY_COLUMNS_INIT(UOP_NEEDS),
	.wants = POLY_COLUMNS_INIT(UOP_WANTS))
HOMEWORK(sfsu_2, cache, .title = "SFSU project 2", .summary = "a write-back cache",
	.needs = POLY_COLUMNS_INIT(UOP_NEEDS), .wants = POLY_COLUMNS_INIT(UOP_WANTS))
