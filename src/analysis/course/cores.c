/* SPDX-License-Identifier: MIT */
/* Homeworks 5 and 6 of Penn and WUSTL: superscalar in order, and out of order. */
#include "analysis/course/model.h"

#include "analysis/uops.h"

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
		"1 registers and width, 2 mispredictions too, 3 taken branches too, 4 a cache "
		"too",
		"reference cis501 7.1.5"},
	{"width", POLY_OPTION_NUMBER, 0, 1, 1, SUPERSCALAR_WIDTH_MAX, NULL,
		"micro-ops that issue in a cycle at most", "reference cis501 7.1.5"},
	{"cache-stores", POLY_OPTION_BOOL, 0, 0, 0, 1, NULL,
		"whether stores use the cache of experiment 4, as loads do",
		"reference cis501 3, row 11"},
	{"flags", POLY_OPTION_CHOICE, 0, FLAGS_49, 0, 0, flags,
		"whether condition codes are register 49", "reference cis501 3, row 9"},
	{"cycles", POLY_OPTION_CHOICE, 0, CYCLES_COUNT, 0, 0, totals,
		"whether the total counts the cycles or is the last one's number",
		"reference cis501 3, row 23"},
	MODEL_DEBUG,
	{0},
};

struct in_order {
	struct superscalar *core;
	bool is_quiet;
};

static enum poly_status
in_order_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct in_order *it = state;
	const uint64_t *value = values->values;
	const struct superscalar_config config = {
		.experiment = (enum superscalar_experiment)value[EXPERIMENT],
		.width = (unsigned)value[WIDTH],
		.cache_stores = value[CACHE_STORES],
		.no_flags = value[FLAGS] == FLAGS_NONE,
		.last_cycle = value[CYCLES] == CYCLES_LAST};
	enum poly_status status = superscalar_sound(&config, error);
	if (status != POLY_OK)
		return status;
	it->is_quiet = !value[IN_ORDER_DEBUG];
	it->core = superscalar_new(&config, error);
	return it->core ? POLY_OK : POLY_ERR_MEMORY;
}

static void
in_order_begin(void *state, struct model_output *output)
{
	(void)state;
	superscalar_begin(&output->lines);
}

static enum poly_status
in_order_take(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	const struct in_order *it = state;
	(void)error;
	superscalar_add(it->core, uop, it->is_quiet ? NULL : &output->lines);
	return POLY_OK;
}

static enum poly_status
in_order_end(void *state, struct model_output *output, struct poly_error *error)
{
	const struct in_order *it = state;
	(void)error;
	superscalar_end(it->core, &output->lines);
	return POLY_OK;
}

static void
in_order_fini(void *state)
{
	struct in_order *it = state;
	superscalar_free(it->core);
}

/* Options of the out-of-order core, in the order of their tables. */
enum { RULE, OOO_WIDTH, REGISTERS, ROB, LATENCY, OOO_DEBUG };
static const char *const rules[] = {"rename", "none", "conservative", "perfect", "naive",
	"store-sets", "store-sets-1", NULL};				  /* enum ooo_memory */
static const char *const experiments[] = {"rename", "1", "2", "3", NULL}; /* the first four */

/* The core's numbers; latency: what a load takes there. */
#define OOO_NUMBERS(latency)                                                                   \
	{"width", POLY_OPTION_NUMBER, 0, 8, 1, OOO_WIDTH_MAX, NULL,                            \
		"micro-ops fetched, issued and committed in a cycle at most",                  \
		"reference cis501 7.1.6"},                                                     \
		{"registers", POLY_OPTION_NUMBER, 0, 2048, COURSE_REGISTERS + 2, OOO_SIZE_MAX, \
			NULL, "physical registers", "reference cis501 7.1.6"},                 \
		{"rob", POLY_OPTION_NUMBER, 0, 128, 1, OOO_SIZE_MAX, NULL,                     \
			"micro-ops in the reorder buffer", "reference cis501 7.1.6"},          \
	{                                                                                      \
		"latency", POLY_OPTION_NUMBER, 0, latency, 1, OOO_LATENCY_MAX, NULL,           \
			"cycles that a load takes; everything else takes 1",                   \
			"reference cis501 7.1.6"                                               \
	}

static const struct poly_option penn_ooo_options[] = {
	{"memory", POLY_OPTION_CHOICE, 0, OOO_CONSERVATIVE, 0, 0, rules,
		"when a load may pass an older store; rename: registers alone, without cycles",
		"reference cis501 7.1.6"},
	OOO_NUMBERS(3),
	MODEL_DEBUG,
	MODEL_TRACE,
	{0},
};

static const struct poly_option wustl_ooo_options[] = {
	{"experiment", POLY_OPTION_CHOICE, 0, OOO_NONE, 0, 0, experiments,
		"1 memory is not looked at, 2 conservatively, 3 perfectly; rename: registers "
		"alone, without cycles",
		"reference cis501 7.1.6"},
	OOO_NUMBERS(4),
	MODEL_DEBUG,
	MODEL_TRACE,
	{0},
};

/* What the courses' programs print where they rename alone. */
enum { RENAME_WIDTH = 1, RENAME_ROB = 64 };

struct out_of_order {
	struct ooo *core;
};

static enum poly_status
ooo_init(void *state, const struct option_values *values, struct poly_error *error)
{
	struct out_of_order *it = state;
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
	enum poly_status status = ooo_sound(&config, error);
	if (status != POLY_OK)
		return status;
	it->core = ooo_new(&config, error);
	return it->core ? POLY_OK : POLY_ERR_MEMORY;
}

static void
ooo_heading(void *state, struct model_output *output)
{
	const struct out_of_order *it = state;
	ooo_begin(it->core, output->trace, &output->lines);
}

static enum poly_status
ooo_take(void *state, const struct course_uop *uop, struct model_output *output,
	struct poly_error *error)
{
	const struct out_of_order *it = state;
	return ooo_add(it->core, uop, &output->lines, error);
}

static enum poly_status
ooo_finish(void *state, struct model_output *output, struct poly_error *error)
{
	struct out_of_order *it = state;
	return ooo_end(it->core, &output->lines, error);
}

static void
ooo_fini(void *state)
{
	struct out_of_order *it = state;
	ooo_free(it->core);
}

const struct model model_wustl_hw5 = {.info = {.course = "wustl",
					      .name = "hw5",
					      .title = "a superscalar processor in order",
					      .source = "reference cis501 7.1.5",
					      .needs = UOP_NEEDS,
					      .wants = UOP_WANTS,
					      .options = superscalar_options},
	.state_size = sizeof(struct in_order),
	.init = in_order_init,
	.begin = in_order_begin,
	.take = in_order_take,
	.end = in_order_end,
	.fini = in_order_fini};

const struct model model_penn_hw5 = {.info = {.course = "penn",
					     .name = "hw5",
					     .title = "an out-of-order processor",
					     .source = "reference cis501 7.1.6",
					     .needs = UOP_NEEDS,
					     .wants = UOP_WANTS | UOP_NAMES,
					     .options = penn_ooo_options},
	.state_size = sizeof(struct out_of_order),
	.init = ooo_init,
	.begin = ooo_heading,
	.take = ooo_take,
	.end = ooo_finish,
	.fini = ooo_fini};

const struct model model_wustl_hw6 = {.info = {.course = "wustl",
					      .name = "hw6",
					      .title = "an out-of-order processor",
					      .source = "reference cis501 7.1.6",
					      .needs = UOP_NEEDS,
					      .wants = UOP_WANTS | UOP_NAMES,
					      .options = wustl_ooo_options},
	.state_size = sizeof(struct out_of_order),
	.init = ooo_init,
	.begin = ooo_heading,
	.take = ooo_take,
	.end = ooo_finish,
	.fini = ooo_fini};
