/* SPDX-License-Identifier: MIT */
/* Homeworks 1 to 4 of Penn and WUSTL: the mix, the scoreboard, predictors and caches. */
#include "analysis/course/model.h"

#include "analysis/facts/uops.h"

#include "course/cache.h"
#include "course/mix.h"
#include "course/predictors.h"
#include "course/scoreboard.h"

#include "base/err.h"

static const struct poly_option no_options[] = {{0}};

static enum poly_status
mix_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	(void)output, (void)error;
	course_mix_uop(state, uop);
	return POLY_OK;
}

static enum poly_status
mix_end_penn(void *state, struct model_output *output, struct poly_error *error)
{
	(void)error;
	course_mix_cut(state);
	course_mix_penn(state, &output->lines);
	return POLY_OK;
}

static enum poly_status
mix_end_wustl(void *state, struct model_output *output, struct poly_error *error)
{
	(void)error;
	course_mix_cut(state);
	course_mix_wustl(state, &output->lines);
	return POLY_OK;
}

/* Options of homework 2a, in the order of their table. */
enum { BOARD_LATENCY, BOARD_ORDER, BOARD_DEBUG };
enum { ORDER_ENFORCED, ORDER_RELAXED };
static const char *const orders[] = {"enforced", "relaxed", NULL};

static const struct poly_option board_options[] = {
	{"latency", POLY_OPTION_NUMBER, 0, 2, 1, COURSE_LATENCY_MAX, NULL,
		"latency of a load in cycles; all others take 1", "CIS 501, homework 2a"},
	{"write-order", POLY_OPTION_CHOICE, 0, ORDER_ENFORCED, 0, 0, orders,
		"enforce the order of writes to a register, or relax it",
		"CIS 501, homework 2a"},
	MODEL_DEBUG,
	MODEL_TRACE,
	{0},
};

static enum poly_status
board_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct course_scoreboard *board = state;
	const uint64_t *value = values->values;
	enum poly_status status = course_scoreboard_init(board, (unsigned)value[BOARD_LATENCY],
		value[BOARD_ORDER] == ORDER_RELAXED, error);
	board->is_quiet = !value[BOARD_DEBUG];
	return status;
}

static void
board_begin(void *state, struct model_output *output)
{
	course_scoreboard_begin(state, output->trace, &output->lines);
}

static enum poly_status
board_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	(void)error;
	course_scoreboard_uop(state, uop, &output->lines);
	return POLY_OK;
}

static enum poly_status
board_end(void *state, struct model_output *output, struct poly_error *error)
{
	(void)error;
	course_scoreboard_end(state, &output->lines);
	return POLY_OK;
}

/* Options of homework 3, in the order of their tables. */
enum { PREDICTOR, SIZE, HISTORY, GSHARE_SIZE, CHOOSER_SIZE, PREDICTOR_DEBUG };
enum { TAKEN, NOT_TAKEN, BIMODAL, GSHARE, TOURNAMENT, FAIR };
static const char *const predictors[] = {
	"taken", "not-taken", "bimodal", "gshare", "tournament", "fair", NULL};

#define PREDICTOR_OPTIONS                                                                     \
	{"predictor", POLY_OPTION_CHOICE, 0, BIMODAL, 0, 0, predictors,                       \
		"predictor; fair: the tournament of 2^size counters in total",                \
		"CIS 501, homework 3"},                                                       \
		{"size", POLY_OPTION_NUMBER, 0, 3, 0, COURSE_PREDICTOR_LOG2_MAX, NULL,        \
			"log2 of the counters of a table", "CIS 501, homework 3"},            \
		{"history", POLY_OPTION_NUMBER, 0, 0, 0, COURSE_PREDICTOR_HISTORY_MAX, NULL,  \
			"history length of gshare in outcomes (unset: log2 of its counters)", \
			"CIS 501, homework 3"},                                               \
		{"gshare-size", POLY_OPTION_NUMBER, 0, 0, 0, COURSE_PREDICTOR_LOG2_MAX, NULL, \
			"log2 of the counters of the tournament's gshare (unset: size)",      \
			"CIS 501, homework 3"},                                               \
	{                                                                                     \
		"chooser-size", POLY_OPTION_NUMBER, 0, 0, 0, COURSE_PREDICTOR_LOG2_MAX, NULL, \
			"log2 of the counters of the chooser (unset: size)",                  \
			"CIS 501, homework 3"                                                 \
	}

static const struct poly_option penn_predictor_options[] = {PREDICTOR_OPTIONS, {0}};
static const struct poly_option wustl_predictor_options[] = {
	PREDICTOR_OPTIONS, MODEL_DEBUG, MODEL_TRACE, {0}};

/* Returns the value of an option, or a fallback if it is not set. */
static unsigned
value_or(const struct option_values *values, size_t option, unsigned fallback)
{
	return values->given[option] ? (unsigned)values->values[option] : fallback;
}

static enum poly_status
predictor_config(const struct option_values *values, struct course_predictor_config *config,
	struct poly_error *error)
{
	static const enum course_predictor_kind kinds[] = {COURSE_TAKEN, COURSE_NOT_TAKEN,
		COURSE_BIMODAL, COURSE_GSHARE, COURSE_TOURNAMENT, COURSE_TOURNAMENT};
	const bool is_fair = values->values[PREDICTOR] == FAIR;
	const unsigned size = (unsigned)values->values[SIZE];
	if (is_fair && size < 2)
		return err_usage(error,
			"a fair tournament of 2^%u counters is too small for three tables, "
			"expected 2^2 or more",
			size);
	config->kind = kinds[values->values[PREDICTOR]];
	config->bimodal_log2 = is_fair ? size - 2 : size;
	config->chooser_log2 = value_or(values, CHOOSER_SIZE, config->bimodal_log2);
	config->gshare_log2 = is_fair ? size - 1 : size;
	if (config->kind == COURSE_TOURNAMENT)
		config->gshare_log2 = value_or(values, GSHARE_SIZE, config->gshare_log2);
	config->history = value_or(values, HISTORY, config->gshare_log2);
	return POLY_OK;
}

static enum poly_status
predictor_init_penn(void *state, const struct option_values *values, struct poly_error *error)
{
	struct course_predictor_config config = {.layout = COURSE_PENN};
	enum poly_status status = predictor_config(values, &config, error);
	return status ? status : course_predictor_init(state, &config, error);
}

static enum poly_status
predictor_init_wustl(void *state, const struct option_values *values, struct poly_error *error)
{
	struct course_predictor_config config = {
		.layout = COURSE_WUSTL, .is_quiet = !values->values[PREDICTOR_DEBUG]};
	enum poly_status status = predictor_config(values, &config, error);
	return status ? status : course_predictor_init(state, &config, error);
}

static void
predictor_begin(void *state, struct model_output *output)
{
	course_predictor_begin(state, output->trace, &output->lines);
}

static enum poly_status
predictor_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	(void)error;
	course_predictor_uop(state, uop, &output->lines);
	return POLY_OK;
}

static enum poly_status
predictor_end(void *state, struct model_output *output, struct poly_error *error)
{
	(void)error;
	course_predictor_end(state, &output->lines);
	return POLY_OK;
}

static void
predictor_fini(void *state)
{
	course_predictor_fini(state);
}

/* Options of homework 4, in the order of their table. */
enum {
	CACHE_SIZE,
	CACHE_BLOCK,
	CACHE_WAYS,
	CACHE_POLICY,
	CACHE_VALID,
	CACHE_PREDICTOR,
	CACHE_DEBUG
};
static const char *const policies[] = {"pointer", "lru", NULL}; /* enum course_policy */

static const struct poly_option cache_options[] = {
	{"size", POLY_OPTION_SIZE, 0, 512, 1, UINT64_MAX, NULL, "cache size in bytes",
		"CIS 501, homework 4"},
	{"block", POLY_OPTION_SIZE, 0, 32, 1, UINT64_MAX, NULL, "block size in bytes",
		"CIS 501, homework 4"},
	{"ways", POLY_OPTION_NUMBER, 0, 1, 1, COURSE_CACHE_WAYS_MAX, NULL, "blocks per set",
		"CIS 501, homework 4"},
	{"policy", POLY_OPTION_CHOICE, 0, COURSE_POINTER, 0, 0, policies,
		"replacement policy: the course's pointer, or LRU", "CIS 501, homework 4"},
	{"valid", POLY_OPTION_BOOL, 0, 0, 0, 1, NULL,
		"use valid bits; without them an empty frame has the tag 0",
		"CIS 501, homework 4"},
	{"way-predictor", POLY_OPTION_NUMBER, 0, 0, 0, COURSE_WAY_ENTRIES_MAX, NULL,
		"entries of the way predictor, for 2 ways; 0: none", "CIS 501, homework 4"},
	MODEL_DEBUG,
	MODEL_TRACE,
	{0},
};

struct cache_homework {
	struct course_cache cache;
	uint64_t uops;
	bool is_quiet;
};

static enum poly_status
cache_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct cache_homework *homework = state;
	const uint64_t *value = values->values;
	const struct course_cache_config config = {.capacity = value[CACHE_SIZE],
		.block = value[CACHE_BLOCK],
		.ways = (uint32_t)value[CACHE_WAYS],
		.policy = (enum course_policy)value[CACHE_POLICY],
		.has_valid = value[CACHE_VALID],
		.way_entries = (uint32_t)value[CACHE_PREDICTOR]};
	homework->is_quiet = !value[CACHE_DEBUG];
	return course_cache_init(&homework->cache, &config, error);
}

static void
cache_begin(void *state, struct model_output *output)
{
	const struct cache_homework *homework = state;
	course_cache_begin(&homework->cache, output->trace, homework->is_quiet, &output->lines);
}

static enum poly_status
cache_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	struct cache_homework *homework = state;
	(void)error;
	homework->uops++;
	course_cache_uop(&homework->cache, uop, homework->is_quiet ? NULL : &output->lines);
	return POLY_OK;
}

static enum poly_status
cache_end(void *state, struct model_output *output, struct poly_error *error)
{
	const struct cache_homework *homework = state;
	(void)error;
	course_cache_end(&homework->cache, homework->uops, &output->lines);
	return POLY_OK;
}

static void
cache_fini(void *state)
{
	struct cache_homework *homework = state;
	course_cache_fini(&homework->cache);
}

#define MIX_INFO(which)                                                         \
	.course = which, .name = "hw1", .title = "the instruction mix",         \
	.source = "CIS 501, homework 1", .needs = POLY_COLUMNS_INIT(UOP_NEEDS), \
	.wants = POLY_COLUMNS_INIT(UOP_WANTS), .options = no_options
#define BOARD_INFO(which)                                                                    \
	.course = which, .name = "hw2a", .title = "an in-order processor with a scoreboard", \
	.source = "CIS 501, homework 2a", .needs = POLY_COLUMNS_INIT(UOP_NEEDS),             \
	.wants = POLY_COLUMNS_INIT(UOP_WANTS), .options = board_options
#define PREDICTOR_INFO(which)                                                   \
	.course = which, .name = "hw3", .title = "branch predictors",           \
	.source = "CIS 501, homework 3", .needs = POLY_COLUMNS_INIT(UOP_NEEDS), \
	.wants = POLY_COLUMNS_INIT(UOP_WANTS)
#define CACHE_INFO(which)                                                       \
	.course = which, .name = "hw4", .title = "a data cache",                \
	.source = "CIS 501, homework 4", .needs = POLY_COLUMNS_INIT(UOP_NEEDS), \
	.wants = POLY_COLUMNS_INIT(UOP_WANTS), .options = cache_options

const struct model model_penn_hw1 = {.info = {MIX_INFO("penn")},
	.state_size = sizeof(struct course_mix),
	.add_uop = mix_add,
	.end = mix_end_penn};

const struct model model_wustl_hw1 = {.info = {MIX_INFO("wustl")},
	.state_size = sizeof(struct course_mix),
	.add_uop = mix_add,
	.end = mix_end_wustl};

const struct model model_penn_hw2a = {.info = {BOARD_INFO("penn")},
	.state_size = sizeof(struct course_scoreboard),
	.init = board_init,
	.begin = board_begin,
	.add_uop = board_add,
	.end = board_end};

const struct model model_wustl_hw2a = {.info = {BOARD_INFO("wustl")},
	.state_size = sizeof(struct course_scoreboard),
	.init = board_init,
	.begin = board_begin,
	.add_uop = board_add,
	.end = board_end};

const struct model model_penn_hw3 = {
	.info = {PREDICTOR_INFO("penn"), .options = penn_predictor_options},
	.state_size = sizeof(struct course_predictor),
	.init = predictor_init_penn,
	.begin = predictor_begin,
	.add_uop = predictor_add,
	.end = predictor_end,
	.fini = predictor_fini};

const struct model model_wustl_hw3 = {
	.info = {PREDICTOR_INFO("wustl"), .options = wustl_predictor_options},
	.state_size = sizeof(struct course_predictor),
	.init = predictor_init_wustl,
	.begin = predictor_begin,
	.add_uop = predictor_add,
	.end = predictor_end,
	.fini = predictor_fini};

const struct model model_penn_hw4 = {.info = {CACHE_INFO("penn")},
	.state_size = sizeof(struct cache_homework),
	.init = cache_init,
	.begin = cache_begin,
	.add_uop = cache_add,
	.end = cache_end,
	.fini = cache_fini};

const struct model model_wustl_hw4 = {.info = {CACHE_INFO("wustl")},
	.state_size = sizeof(struct cache_homework),
	.init = cache_init,
	.begin = cache_begin,
	.add_uop = cache_add,
	.end = cache_end,
	.fini = cache_fini};
