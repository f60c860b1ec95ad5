/* SPDX-License-Identifier: MIT */
/* Homeworks 5 and 6 of Penn and WUSTL: superscalar in order, and out of order. */
#include "analysis/course/model.h"

#include "analysis/facts/uops.h"

#include "course/ooo.h"
#include "course/superscalar.h"

/* Options of the superscalar core, in the order of their table. */
enum { EXPERIMENT, WIDTH, CACHE_STORES, FLAGS, CYCLES, IN_ORDER_DEBUG };
enum { FLAGS_49, FLAGS_NONE };
enum { CYCLES_COUNT, CYCLES_LAST };
static const char *const flags[] = {"49", "none", NULL};
static const char *const totals[] = {"count", "last", NULL};

static const struct poly_option superscalar_options[] = {
	{"experiment", POLY_OPTION_NUMBER, 0, SUPERSCALAR_PLAIN, SUPERSCALAR_PLAIN,
		SUPERSCALAR_CACHE, NULL,
		"1: registers and width, 2: also mispredictions, 3: also taken branches, 4: "
		"also a "
		"cache",
		"CSE 560M, homework 5"},
	{"width", POLY_OPTION_NUMBER, 0, 1, 1, SUPERSCALAR_WIDTH_MAX, NULL,
		"maximum number of micro-operations that issue per cycle",
		"CSE 560M, homework 5"},
	{"cache-stores", POLY_OPTION_BOOL, 0, 0, 0, 1, NULL,
		"also access the cache of experiment 4 by stores", "CSE 560M, homework 5"},
	{"flags", POLY_OPTION_CHOICE, 0, FLAGS_49, 0, 0, flags,
		"register of the condition codes", "CSE 560M, homework 5"},
	{"cycles", POLY_OPTION_CHOICE, 0, CYCLES_COUNT, 0, 0, totals,
		"print the number of cycles, or the number of the last cycle",
		"CSE 560M, homework 5"},
	MODEL_DEBUG,
	{0},
};

struct in_order_homework {
	struct superscalar *core;
	bool is_quiet;
};

static enum poly_status
in_order_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct in_order_homework *homework = state;
	const uint64_t *value = values->values;
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
in_order_begin(void *state, struct model_output *output)
{
	(void)state;
	superscalar_begin(&output->lines);
}

static enum poly_status
in_order_add(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	const struct in_order_homework *homework = state;
	(void)error;
	superscalar_add(homework->core, uop, homework->is_quiet ? NULL : &output->lines);
	return POLY_OK;
}

static enum poly_status
in_order_end(void *state, struct model_output *output, struct poly_error *error)
{
	const struct in_order_homework *homework = state;
	(void)error;
	superscalar_end(homework->core, &output->lines);
	return POLY_OK;
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

/* The core's numbers; latency: of a load at the course. */
#define OOO_NUMBERS(latency)                                                                   \
	{"width", POLY_OPTION_NUMBER, 0, 8, 1, OOO_WIDTH_MAX, NULL,                            \
		"maximum number of micro-operations fetched, issued and committed per cycle",  \
		"CIS 501, homework 5; CSE 560M, homework 6"},                                  \
		{"registers", POLY_OPTION_NUMBER, 0, 2048, COURSE_REGISTERS + 2, OOO_SIZE_MAX, \
			NULL, "physical registers",                                            \
			"CIS 501, homework 5; CSE 560M, homework 6"},                          \
		{"rob", POLY_OPTION_NUMBER, 0, 128, 1, OOO_SIZE_MAX, NULL,                     \
			"entries of the reorder buffer",                                       \
			"CIS 501, homework 5; CSE 560M, homework 6"},                          \
	{                                                                                      \
		"latency", POLY_OPTION_NUMBER, 0, latency, 1, OOO_LATENCY_MAX, NULL,           \
			"latency of a load in cycles; all others take 1",                      \
			"CIS 501, homework 5; CSE 560M, homework 6"                            \
	}

static const struct poly_option penn_ooo_options[] = {
	{"memory", POLY_OPTION_CHOICE, 0, OOO_CONSERVATIVE, 0, 0, rules,
		"when a load may pass an older store; rename: only renaming, without cycles",
		"CIS 501, homework 5; CSE 560M, homework 6"},
	OOO_NUMBERS(3),
	MODEL_DEBUG,
	MODEL_TRACE,
	{0},
};

static const struct poly_option wustl_ooo_options[] = {
	{"experiment", POLY_OPTION_CHOICE, 0, OOO_NONE, 0, 0, experiments,
		"1: no memory dependences, 2: conservative, 3: perfect; rename: only renaming, "
		"without cycles",
		"CIS 501, homework 5; CSE 560M, homework 6"},
	OOO_NUMBERS(4),
	MODEL_DEBUG,
	MODEL_TRACE,
	{0},
};

/* The configuration that the courses' programs print for renaming only. */
enum { RENAME_WIDTH = 1, RENAME_ROB = 64 };

struct ooo_homework {
	struct ooo *core;
};

static enum poly_status
ooo_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct ooo_homework *homework = state;
	const uint64_t *value = values->values;
	struct ooo_config config = {.memory = (enum ooo_memory)value[RULE],
		.width = (unsigned)value[OOO_WIDTH],
		.registers = (unsigned)value[REGISTERS],
		.size = (unsigned)value[ROB],
		.load_latency = (unsigned)value[LATENCY],
		.is_quiet = !value[OOO_DEBUG]};
	if (config.memory == OOO_RENAME_ONLY && !values->given[OOO_WIDTH])
		config.width = RENAME_WIDTH;
	if (config.memory == OOO_RENAME_ONLY && !values->given[ROB])
		config.size = RENAME_ROB;
	enum poly_status status = ooo_check(&config, error);
	if (status != POLY_OK)
		return status;
	homework->core = ooo_new(&config, error);
	return homework->core ? POLY_OK : POLY_ERR_MEMORY;
}

static void
ooo_heading(void *state, struct model_output *output)
{
	const struct ooo_homework *homework = state;
	ooo_begin(homework->core, output->trace, &output->lines);
}

static enum poly_status
ooo_add_uop(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	const struct ooo_homework *homework = state;
	return ooo_add(homework->core, uop, &output->lines, error);
}

static enum poly_status
ooo_finish(void *state, struct model_output *output, struct poly_error *error)
{
	struct ooo_homework *homework = state;
	return ooo_end(homework->core, &output->lines, error);
}

static void
ooo_fini(void *state)
{
	struct ooo_homework *homework = state;
	ooo_free(homework->core);
}

const struct model model_wustl_hw5 = {.info = {.course = "wustl",
					      .name = "hw5",
					      .title = "a superscalar processor in order",
					      .source = "CSE 560M, homework 5",
					      .needs = POLY_COLUMNS_INIT(UOP_NEEDS),
					      .wants = POLY_COLUMNS_INIT(UOP_WANTS),
					      .options = superscalar_options},
	.state_size = sizeof(struct in_order_homework),
	.init = in_order_init,
	.begin = in_order_begin,
	.add_uop = in_order_add,
	.end = in_order_end,
	.fini = in_order_fini};

const struct model model_penn_hw5 = {
	.info = {.course = "penn",
		.name = "hw5",
		.title = "an out-of-order processor",
		.source = "CIS 501, homework 5; CSE 560M, homework 6",
		.needs = POLY_COLUMNS_INIT(UOP_NEEDS),
		.wants = POLY_COLUMNS_INIT(UOP_WANTS, UOP_NAMES),
		.options = penn_ooo_options},
	.state_size = sizeof(struct ooo_homework),
	.init = ooo_init,
	.begin = ooo_heading,
	.add_uop = ooo_add_uop,
	.end = ooo_finish,
	.fini = ooo_fini};

const struct model model_wustl_hw6 = {
	.info = {.course = "wustl",
		.name = "hw6",
		.title = "an out-of-order processor",
		.source = "CIS 501, homework 5; CSE 560M, homework 6",
		.needs = POLY_COLUMNS_INIT(UOP_NEEDS),
		.wants = POLY_COLUMNS_INIT(UOP_WANTS, UOP_NAMES),
		.options = wustl_ooo_options},
	.state_size = sizeof(struct ooo_homework),
	.init = ooo_init,
	.begin = ooo_heading,
	.add_uop = ooo_add_uop,
	.end = ooo_finish,
	.fini = ooo_fini};
