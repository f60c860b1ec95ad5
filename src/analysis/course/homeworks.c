/* SPDX-License-Identifier: MIT */
/* Homeworks 1 to 4 of Penn and WUSTL: the mix, the scoreboard, predictors and caches. */
#include "analysis/course/printout.h"

#include "analysis/facts/uops.h"

#include "course/cache.h"
#include "course/mix.h"
#include "course/predictors.h"
#include "course/scoreboard.h"

#include "base/err.h"

static const struct poly_option penn_hw1_options[] = {{0}}, wustl_hw1_options[] = {{0}};

static bool
mix_add(void *state, const struct course_uop *uop, struct buf *out)
{
	(void)out;
	course_mix_uop(state, uop);
	return true;
}

static bool
mix_end_penn(void *state, struct buf *out)
{
	course_mix_cut(state);
	course_mix_penn(state, out);
	return true;
}

static bool
mix_end_wustl(void *state, struct buf *out)
{
	course_mix_cut(state);
	course_mix_wustl(state, out);
	return true;
}

/* Options of homework 2a, in the order of their table. */
enum { BOARD_LATENCY, BOARD_ORDER, BOARD_DEBUG };
enum { ORDER_ENFORCED, ORDER_RELAXED };
static const char *const orders[] = {"enforced", "relaxed", NULL};

#define BOARD_OPTIONS(word)                                                                    \
	{                                                                                      \
		{word ".latency", POLY_OPTION_NUMBER, .initial = 2, .minimum = 1,              \
			.maximum = COURSE_LATENCY_MAX,                                         \
			.help = "latency of a load in cycles; all others take 1",              \
			.source = "CIS 501, homework 2a"},                                     \
			{word ".write-order", POLY_OPTION_CHOICE, .initial = ORDER_ENFORCED,   \
				.choices = orders,                                             \
				.help = "enforce the order of writes to a register, or relax " \
					"it",                                                  \
				.source = "CIS 501, homework 2a"},                             \
			HOMEWORK_DEBUG(word), HOMEWORK_TRACE(word),                            \
		{                                                                              \
			0                                                                      \
		}                                                                              \
	}

static const struct poly_option penn_hw2a_options[] = BOARD_OPTIONS("penn_hw2a");
static const struct poly_option wustl_hw2a_options[] = BOARD_OPTIONS("wustl_hw2a");

static enum poly_status
board_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct course_scoreboard *board = state;
	const uint64_t *value = setup->values;
	enum poly_status status = course_scoreboard_init(board, (unsigned)value[BOARD_LATENCY],
		value[BOARD_ORDER] == ORDER_RELAXED, error);
	board->is_quiet = !value[BOARD_DEBUG];
	return status;
}

static void
board_begin(const void *state, const char *trace, struct buf *out)
{
	course_scoreboard_begin(state, trace, out);
}

static bool
board_add(void *state, const struct course_uop *uop, struct buf *out)
{
	course_scoreboard_uop(state, uop, out);
	return true;
}

static bool
board_end(void *state, struct buf *out)
{
	course_scoreboard_end(state, out);
	return true;
}

/* Options of homework 3, in the order of their tables. */
enum { PREDICTOR, SIZE, HISTORY, GSHARE_SIZE, CHOOSER_SIZE, PREDICTOR_DEBUG };
enum { TAKEN, NOT_TAKEN, BIMODAL, GSHARE, TOURNAMENT, FAIR };
static const char *const predictors[] = {
	"taken", "not-taken", "bimodal", "gshare", "tournament", "fair", NULL};

#define PREDICTOR_OPTIONS(word)                                                                \
	{word ".predictor", POLY_OPTION_CHOICE, .initial = BIMODAL, .choices = predictors,     \
		.help = "predictor; fair: the tournament of 2^size counters in total",         \
		.source = "CIS 501, homework 3"},                                              \
		{word ".size", POLY_OPTION_NUMBER, .initial = 3,                               \
			.maximum = COURSE_PREDICTOR_LOG2_MAX,                                  \
			.help = "log2 of the counters of a table",                             \
			.source = "CIS 501, homework 3"},                                      \
		{word ".history", POLY_OPTION_NUMBER, .maximum = COURSE_PREDICTOR_HISTORY_MAX, \
			.help = "history length of gshare in outcomes (unset: log2 of its "    \
				"counters)",                                                   \
			.source = "CIS 501, homework 3"},                                      \
		{word ".gshare-size", POLY_OPTION_NUMBER,                                      \
			.maximum = COURSE_PREDICTOR_LOG2_MAX,                                  \
			.help = "log2 of the counters of the tournament's gshare (unset: "     \
				"size)",                                                       \
			.source = "CIS 501, homework 3"},                                      \
	{                                                                                      \
		word ".chooser-size", POLY_OPTION_NUMBER,                                      \
			.maximum = COURSE_PREDICTOR_LOG2_MAX,                                  \
			.help = "log2 of the counters of the chooser (unset: size)",           \
			.source = "CIS 501, homework 3"                                        \
	}

static const struct poly_option penn_hw3_options[] = {PREDICTOR_OPTIONS("penn_hw3"), {0}};
static const struct poly_option wustl_hw3_options[] = {PREDICTOR_OPTIONS("wustl_hw3"),
	HOMEWORK_DEBUG("wustl_hw3"), HOMEWORK_TRACE("wustl_hw3"), {0}};

/* Returns the value of an option, or a fallback if it is not set. */
static unsigned
value_or(const struct analysis_setup *setup, size_t option, unsigned fallback)
{
	return setup->given[option] ? (unsigned)setup->values[option] : fallback;
}

/* Initializes a predictor; config has what the options do not set. */
static enum poly_status
init_predictor(struct course_predictor *predictor, const struct analysis_setup *setup,
	struct course_predictor_config config, struct poly_error *error)
{
	static const enum course_predictor_kind kinds[] = {COURSE_TAKEN, COURSE_NOT_TAKEN,
		COURSE_BIMODAL, COURSE_GSHARE, COURSE_TOURNAMENT, COURSE_TOURNAMENT};
	const bool is_fair = setup->values[PREDICTOR] == FAIR;
	const unsigned size = (unsigned)setup->values[SIZE];
	if (is_fair && size < 2)
		return err_usage(error,
			"a fair tournament of 2^%u counters is too small for three tables, "
			"expected 2^2 or more",
			size);
	config.kind = kinds[setup->values[PREDICTOR]];
	config.bimodal_log2 = is_fair ? size - 2 : size;
	config.chooser_log2 = value_or(setup, CHOOSER_SIZE, config.bimodal_log2);
	config.gshare_log2 = is_fair ? size - 1 : size;
	if (config.kind == COURSE_TOURNAMENT)
		config.gshare_log2 = value_or(setup, GSHARE_SIZE, config.gshare_log2);
	config.history = value_or(setup, HISTORY, config.gshare_log2);
	return course_predictor_init(predictor, &config, error);
}

static enum poly_status
predictor_init_penn(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	const struct course_predictor_config config = {.layout = COURSE_PENN};
	return init_predictor(state, setup, config, error);
}

static enum poly_status
predictor_init_wustl(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	const struct course_predictor_config config = {
		.layout = COURSE_WUSTL, .is_quiet = !setup->values[PREDICTOR_DEBUG]};
	return init_predictor(state, setup, config, error);
}

static void
predictor_begin(const void *state, const char *trace, struct buf *out)
{
	course_predictor_begin(state, trace, out);
}

static bool
predictor_add(void *state, const struct course_uop *uop, struct buf *out)
{
	course_predictor_uop(state, uop, out);
	return true;
}

static bool
predictor_end(void *state, struct buf *out)
{
	course_predictor_end(state, out);
	return true;
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

#define CACHE_OPTIONS(word)                                                                    \
	{                                                                                      \
		{word ".size", POLY_OPTION_SIZE, .initial = 512, .minimum = 1,                 \
			.maximum = UINT64_MAX, .help = "cache size in bytes",                  \
			.source = "CIS 501, homework 4"},                                      \
			{word ".block", POLY_OPTION_SIZE, .initial = 32, .minimum = 1,         \
				.maximum = UINT64_MAX, .help = "block size in bytes",          \
				.source = "CIS 501, homework 4"},                              \
			{word ".ways", POLY_OPTION_NUMBER, .initial = 1, .minimum = 1,         \
				.maximum = COURSE_CACHE_WAYS_MAX, .help = "blocks per set",    \
				.source = "CIS 501, homework 4"},                              \
			{word ".policy", POLY_OPTION_CHOICE, .initial = COURSE_POINTER,        \
				.choices = policies,                                           \
				.help = "replacement policy: the course's pointer, or LRU",    \
				.source = "CIS 501, homework 4"},                              \
			{word ".valid", POLY_OPTION_BOOL,                                      \
				.help = "use valid bits; without them an empty frame has the " \
					"tag 0",                                               \
				.source = "CIS 501, homework 4"},                              \
			{word ".way-predictor", POLY_OPTION_NUMBER,                            \
				.maximum = COURSE_WAY_ENTRIES_MAX,                             \
				.help = "entries of the way predictor, for 2 ways; 0: none",   \
				.source = "CIS 501, homework 4"},                              \
			HOMEWORK_DEBUG(word), HOMEWORK_TRACE(word), {0},                       \
	}

static const struct poly_option penn_hw4_options[] = CACHE_OPTIONS("penn_hw4");
static const struct poly_option wustl_hw4_options[] = CACHE_OPTIONS("wustl_hw4");

struct cache_homework {
	struct course_cache cache;
	uint64_t uops;
	bool is_quiet;
};

static enum poly_status
cache_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct cache_homework *homework = state;
	const uint64_t *value = setup->values;
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
cache_begin(const void *state, const char *trace, struct buf *out)
{
	const struct cache_homework *homework = state;
	course_cache_begin(&homework->cache, trace, homework->is_quiet, out);
}

static bool
cache_add(void *state, const struct course_uop *uop, struct buf *out)
{
	struct cache_homework *homework = state;
	homework->uops++;
	course_cache_uop(&homework->cache, uop, homework->is_quiet ? NULL : out);
	return true;
}

static bool
cache_end(void *state, struct buf *out)
{
	const struct cache_homework *homework = state;
	course_cache_end(&homework->cache, homework->uops, out);
	return true;
}

static void
cache_fini(void *state)
{
	struct cache_homework *homework = state;
	course_cache_fini(&homework->cache);
}

#define INFO(heading, about)                                                           \
	.title = (heading), .summary = (about), .needs = POLY_COLUMNS_INIT(UOP_NEEDS), \
	.wants = POLY_COLUMNS_INIT(UOP_WANTS)

static const struct homework_model penn_mix = {
	.state_size = sizeof(struct course_mix), .add_uop = mix_add, .end = mix_end_penn};
static const struct homework_model wustl_mix = {
	.state_size = sizeof(struct course_mix), .add_uop = mix_add, .end = mix_end_wustl};
static const struct homework_model board = {.state_size = sizeof(struct course_scoreboard),
	.init = board_init,
	.begin = board_begin,
	.add_uop = board_add,
	.end = board_end};
static const struct homework_model penn_predictor = {
	.state_size = sizeof(struct course_predictor),
	.init = predictor_init_penn,
	.begin = predictor_begin,
	.add_uop = predictor_add,
	.end = predictor_end,
	.fini = predictor_fini};
static const struct homework_model wustl_predictor = {
	.state_size = sizeof(struct course_predictor),
	.init = predictor_init_wustl,
	.begin = predictor_begin,
	.add_uop = predictor_add,
	.end = predictor_end,
	.fini = predictor_fini};
static const struct homework_model cache = {.state_size = sizeof(struct cache_homework),
	.init = cache_init,
	.begin = cache_begin,
	.add_uop = cache_add,
	.end = cache_end,
	.fini = cache_fini};

HOMEWORK(penn_hw1, penn_mix, INFO("Penn homework 1", "the instruction mix"))
HOMEWORK(wustl_hw1, wustl_mix, INFO("WUSTL homework 1", "the instruction mix"))
HOMEWORK(penn_hw2a, board, INFO("Penn homework 2a", "an in-order processor with a scoreboard"))
HOMEWORK(
	wustl_hw2a, board, INFO("WUSTL homework 2a", "an in-order processor with a scoreboard"))
HOMEWORK(penn_hw3, penn_predictor, INFO("Penn homework 3", "branch predictors"))
HOMEWORK(wustl_hw3, wustl_predictor, INFO("WUSTL homework 3", "branch predictors"))
HOMEWORK(penn_hw4, cache, INFO("Penn homework 4", "a data cache"))
HOMEWORK(wustl_hw4, cache, INFO("WUSTL homework 4", "a data cache"))
