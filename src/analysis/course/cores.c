/* SPDX-License-Identifier: MIT */
/* Homeworks 5 and 6 of Penn and WUSTL: superscalar in order, and out of order. */
#include "analysis/course/printout.h"

#include "analysis/facts/uops.h"

#include "course/ooo.h"
#include "course/superscalar.h"

/* Options of the superscalar core, in the order of their table. */
enum { EXPERIMENT, WIDTH, CACHE_STORES, FLAGS, CYCLES, IN_ORDER_DEBUG };
enum { FLAGS_49, FLAGS_NONE };
enum { CYCLES_COUNT, CYCLES_LAST };
static const char *const flags[] = {"49", "none", NULL};
static const char *const totals[] = {"count", "last", NULL};

static const struct poly_option wustl_hw5_options[] = {
	{"wustl_hw5.experiment", POLY_OPTION_NUMBER, .initial = SUPERSCALAR_PLAIN,
		.minimum = SUPERSCALAR_PLAIN, .maximum = SUPERSCALAR_CACHE,
		.help = "1: registers and width, 2: also mispredictions, 3: also taken "
			"branches, 4: also a cache",
		.source = "CSE 560M, homework 5"},
	{"wustl_hw5.width", POLY_OPTION_NUMBER, .initial = 1, .minimum = 1,
		.maximum = SUPERSCALAR_WIDTH_MAX,
		.help = "maximum number of micro-operations that issue per cycle",
		.source = "CSE 560M, homework 5"},
	{"wustl_hw5.cache-stores", POLY_OPTION_BOOL,
		.help = "also access the cache of experiment 4 by stores",
		.source = "CSE 560M, homework 5"},
	{"wustl_hw5.flags", POLY_OPTION_CHOICE, .initial = FLAGS_49, .choices = flags,
		.help = "register of the condition codes", .source = "CSE 560M, homework 5"},
	{"wustl_hw5.cycles", POLY_OPTION_CHOICE, .initial = CYCLES_COUNT, .choices = totals,
		.help = "print the number of cycles, or the number of the last cycle",
		.source = "CSE 560M, homework 5"},
	HOMEWORK_DEBUG("wustl_hw5"),
	{0},
};

struct in_order_homework {
	struct superscalar *core;
	bool is_quiet;
};

static enum poly_status
in_order_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct in_order_homework *homework = state;
	const uint64_t *value = setup->values;
	const struct superscalar_config config = {
		.experiment = (enum superscalar_experiment)value[EXPERIMENT],
		.width = (unsigned)value[WIDTH],
		.cache_stores = value[CACHE_STORES],
		.no_flags = value[FLAGS] == FLAGS_NONE,
		.last_cycle = value[CYCLES] == CYCLES_LAST};
	enum poly_status status = superscalar_check(&config, error);
	if (status != POLY_OK)
		return status;
	homework->is_quiet = !value[IN_ORDER_DEBUG];
	homework->core = superscalar_new(&config, error);
	return homework->core ? POLY_OK : POLY_ERR_MEMORY;
}

static void
in_order_begin(const void *state, const char *trace, struct buf *out)
{
	(void)state, (void)trace;
	superscalar_begin(out);
}

static bool
in_order_add(void *state, const struct course_uop *uop, struct buf *out)
{
	const struct in_order_homework *homework = state;
	superscalar_add(homework->core, uop, homework->is_quiet ? NULL : out);
	return true;
}

static bool
in_order_end(void *state, struct buf *out)
{
	const struct in_order_homework *homework = state;
	superscalar_end(homework->core, out);
	return true;
}

static void
in_order_fini(void *state)
{
	struct in_order_homework *homework = state;
	superscalar_free(homework->core);
}

/* Options of the out-of-order core, in the order of their tables. */
enum { RULE, OOO_WIDTH, REGISTERS, ROB, LATENCY, OOO_DEBUG };
static const char *const rules[] = {"rename", "none", "conservative", "perfect", "naive",
	"store-sets", "store-sets-1", NULL};				  /* enum ooo_memory */
static const char *const experiments[] = {"rename", "1", "2", "3", NULL}; /* the first four */

/* Options of the core after the first one; cycles: of a load at the course. */
#define OOO_OPTIONS(word, cycles)                                                           \
	{word ".width", POLY_OPTION_NUMBER, .initial = 8, .minimum = 1,                     \
		.maximum = OOO_WIDTH_MAX,                                                   \
		.help = "maximum number of micro-operations fetched, issued and committed " \
			"per cycle",                                                        \
		.source = "CIS 501, homework 5; CSE 560M, homework 6"},                     \
		{word ".registers", POLY_OPTION_NUMBER, .initial = 2048,                    \
			.minimum = COURSE_REGISTERS + 2, .maximum = OOO_SIZE_MAX,           \
			.help = "physical registers",                                       \
			.source = "CIS 501, homework 5; CSE 560M, homework 6"},             \
		{word ".rob", POLY_OPTION_NUMBER, .initial = 128, .minimum = 1,             \
			.maximum = OOO_SIZE_MAX, .help = "entries of the reorder buffer",   \
			.source = "CIS 501, homework 5; CSE 560M, homework 6"},             \
		{word ".latency", POLY_OPTION_NUMBER, .initial = cycles, .minimum = 1,      \
			.maximum = OOO_LATENCY_MAX,                                         \
			.help = "latency of a load in cycles; all others take 1",           \
			.source = "CIS 501, homework 5; CSE 560M, homework 6"},             \
		HOMEWORK_DEBUG(word), HOMEWORK_TRACE(word),                                 \
	{                                                                                   \
		0                                                                           \
	}

static const struct poly_option penn_hw5_options[] = {
	{"penn_hw5.memory", POLY_OPTION_CHOICE, .initial = OOO_CONSERVATIVE, .choices = rules,
		.help = "when a load may pass an older store; rename: only renaming, without "
			"cycles",
		.source = "CIS 501, homework 5; CSE 560M, homework 6"},
	OOO_OPTIONS("penn_hw5", 3),
};

static const struct poly_option wustl_hw6_options[] = {
	{"wustl_hw6.experiment", POLY_OPTION_CHOICE, .initial = OOO_NONE,
		.choices = experiments,
		.help = "1: no memory dependences, 2: conservative, 3: perfect; rename: only "
			"renaming, without cycles",
		.source = "CIS 501, homework 5; CSE 560M, homework 6"},
	OOO_OPTIONS("wustl_hw6", 4),
};

/* The configuration that the courses' programs print for renaming only. */
enum { RENAME_WIDTH = 1, RENAME_ROB = 64 };

struct ooo_homework {
	struct ooo *core;
};

static enum poly_status
ooo_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct ooo_homework *homework = state;
	const uint64_t *value = setup->values;
	struct ooo_config config = {.memory = (enum ooo_memory)value[RULE],
		.width = (unsigned)value[OOO_WIDTH],
		.registers = (unsigned)value[REGISTERS],
		.size = (unsigned)value[ROB],
		.load_latency = (unsigned)value[LATENCY],
		.is_quiet = !value[OOO_DEBUG]};
	if (config.memory == OOO_RENAME_ONLY && !setup->given[OOO_WIDTH])
		config.width = RENAME_WIDTH;
	if (config.memory == OOO_RENAME_ONLY && !setup->given[ROB])
		config.size = RENAME_ROB;
	enum poly_status status = ooo_check(&config, error);
	if (status != POLY_OK)
		return status;
	homework->core = ooo_new(&config, error);
	return homework->core ? POLY_OK : POLY_ERR_MEMORY;
}

static void
ooo_heading(const void *state, const char *trace, struct buf *out)
{
	const struct ooo_homework *homework = state;
	ooo_begin(homework->core, trace, out);
}

static bool
ooo_add_uop(void *state, const struct course_uop *uop, struct buf *out)
{
	const struct ooo_homework *homework = state;
	return ooo_add(homework->core, uop, out, NULL) == POLY_OK;
}

static bool
ooo_finish(void *state, struct buf *out)
{
	struct ooo_homework *homework = state;
	return ooo_end(homework->core, out, NULL) == POLY_OK;
}

static void
ooo_fini(void *state)
{
	struct ooo_homework *homework = state;
	ooo_free(homework->core);
}

static const struct homework_model in_order = {.state_size = sizeof(struct in_order_homework),
	.init = in_order_init,
	.begin = in_order_begin,
	.add_uop = in_order_add,
	.end = in_order_end,
	.fini = in_order_fini};
static const struct homework_model ooo = {.state_size = sizeof(struct ooo_homework),
	.init = ooo_init,
	.begin = ooo_heading,
	.add_uop = ooo_add_uop,
	.end = ooo_finish,
	.fini = ooo_fini};

HOMEWORK(wustl_hw5, in_order, .title = "WUSTL homework 5",
	.summary = "a superscalar processor in order", .needs = POLY_COLUMNS_INIT(UOP_NEEDS),
	.wants = POLY_COLUMNS_INIT(UOP_WANTS))
HOMEWORK(penn_hw5, ooo, .title = "Penn homework 5", .summary = "an out-of-order processor",
	.needs = POLY_COLUMNS_INIT(UOP_NEEDS), .wants = POLY_COLUMNS_INIT(UOP_WANTS, UOP_NAMES))
HOMEWORK(wustl_hw6, ooo, .title = "WUSTL homework 6", .summary = "an out-of-order processor",
	.needs = POLY_COLUMNS_INIT(UOP_NEEDS), .wants = POLY_COLUMNS_INIT(UOP_WANTS, UOP_NAMES))
