/* SPDX-License-Identifier: MIT */
/*
 * Penn's five-stage pipeline of the version 2 traces. Its options are the words in the names
 * of the course's stage-time files: fullbypass, memlat=1, gshare5i5h, btb5i,
 * cache=10i2w2b, latency=0h2c3d.
 */
#include "analysis/course/printout.h"

#include "course/v2.h"

#include "base/err.h"
#include "base/num.h"

#include <string.h>

/* In the order of their table. */
enum { BYPASS, MEMLAT, PREDICTOR, BTB, CACHE, LATENCY };
enum { BYPASS_FULL, BYPASS_MX, BYPASS_NONE };
static const char *const bypasses[] = {"full", "mx", "none", NULL};
static const char *const perfect[] = {"perfect", NULL}, *const btb[] = {"0i", NULL},
			 *const no_cache[] = {"none", NULL},
			 *const latencies[] = {"0h0c0d", NULL};

static const struct poly_option penn_v2_options[] = {
	{"penn_v2.bypass", POLY_OPTION_CHOICE, .initial = BYPASS_FULL, .choices = bypasses,
		.help = "bypasses: full is MX, WX and WM", .source = "CIS 501, fall 2016"},
	{"penn_v2.memlat", POLY_OPTION_NUMBER, .maximum = V2_LATENCY_MAX,
		.help = "additional cycles of loads and stores without a cache",
		.source = "CIS 501, fall 2016"},
	{"penn_v2.predictor", POLY_OPTION_TEXT, .choices = perfect,
		.help = "perfect, never, bimodal with index bits (bimodal5i), or gshare with "
			"index bits and outcomes (gshare5i5h)",
		.source = "CIS 501, fall 2016"},
	{"penn_v2.btb", POLY_OPTION_TEXT, .choices = btb, .help = "index bits of the BTB: 5i",
		.source = "CIS 501, fall 2016"},
	{"penn_v2.cache", POLY_OPTION_TEXT, .choices = no_cache,
		.help = "none, or both caches' index bits, ways and block bits: 10i2w2b",
		.source = "CIS 501, fall 2016"},
	{"penn_v2.latency", POLY_OPTION_TEXT, .choices = latencies,
		.help = "additional cycles of a hit, a clean miss and a dirty miss: 0h2c3d",
		.source = "CIS 501, fall 2016"},
	{0},
};

/* Parses numbers, each followed by its letter, in order, and nothing else. */
static bool
parse_numbers(const char *text, const char *letters, unsigned *numbers)
{
	for (size_t i = 0; letters[i]; i++) {
		const char *end = strchr(text, letters[i]);
		uint64_t value;
		if (!end || !num_parse(text, (size_t)(end - text), &value) ||
			value > UINT32_MAX)
			return false;
		numbers[i] = (unsigned)value;
		text = end + 1;
	}
	return *text == 0;
}

/* Parses the numbers of an option's text; POLY_ERR_USAGE: unlike the example. */
static enum poly_status
parse_numbers_of(const struct analysis_setup *setup, size_t option, const char *letters,
	unsigned *numbers, struct poly_error *error)
{
	static const char *const examples[] = {
		[BTB] = "5i", [CACHE] = "10i2w2b", [LATENCY] = "0h2c3d"};
	if (parse_numbers(setup->texts[option], letters, numbers))
		return POLY_OK;
	return err_usage(error,
		"option '%s': found '%.60s', expected numbers and letters as in %s",
		penn_v2_options[option].name, setup->texts[option], examples[option]);
}

static enum poly_status
parse_predictor(const char *text, struct v2_config *config, struct poly_error *error)
{
	unsigned numbers[2] = {0};
	bool valid = true;
	config->direction = V2_PERFECT;
	if (strcmp(text, "never") == 0) {
		config->direction = V2_NEVER;
	} else if (strncmp(text, "bimodal", 7) == 0) {
		config->direction = V2_BIMODAL;
		valid = parse_numbers(text + 7, "i", numbers);
	} else if (strncmp(text, "gshare", 6) == 0) {
		config->direction = V2_GSHARE;
		valid = parse_numbers(text + 6, "ih", numbers);
	} else {
		valid = strcmp(text, "perfect") == 0;
	}
	if (!valid)
		return err_usage(error,
			"option 'penn_v2.predictor': found '%.60s', expected perfect, never, "
			"or as bimodal5i or gshare5i5h",
			text);
	config->index_bits = numbers[0];
	config->history_bits = numbers[1];
	return POLY_OK;
}

static enum poly_status
parse_cache(
	const struct analysis_setup *setup, struct v2_cache *cache, struct poly_error *error)
{
	unsigned shape[3], cycles[3];
	if (strcmp(setup->texts[CACHE], "none") == 0)
		return POLY_OK;
	enum poly_status status = parse_numbers_of(setup, CACHE, "iwb", shape, error);
	if (status == POLY_OK && !shape[1])
		status = err_usage(error,
			"option 'penn_v2.cache': found 0 ways, expected 1 to %d", V2_WAYS_MAX);
	if (status == POLY_OK)
		status = parse_numbers_of(setup, LATENCY, "hcd", cycles, error);
	if (status == POLY_OK)
		*cache = (struct v2_cache){
			shape[0], shape[1], shape[2], cycles[0], cycles[1], cycles[2]};
	return status;
}

struct stages {
	struct v2_pipeline *pipeline;
	struct buf text; /* of the current instruction */
};

static enum poly_status
stages_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct stages *stages = state;
	const uint64_t *value = setup->values;
	struct v2_config config = {.mx = value[BYPASS] != BYPASS_NONE,
		.wx = value[BYPASS] == BYPASS_FULL,
		.wm = value[BYPASS] == BYPASS_FULL,
		.memory = (unsigned)value[MEMLAT]};
	enum poly_status status = parse_predictor(setup->texts[PREDICTOR], &config, error);
	if (status == POLY_OK)
		status = parse_numbers_of(setup, BTB, "i", &config.btb_bits, error);
	if (status == POLY_OK)
		status = parse_cache(setup, &config.cache, error);
	if (status == POLY_OK)
		status = v2_check(&config, error);
	if (status != POLY_OK)
		return status;
	stages->pipeline = v2_new(&config, error);
	return stages->pipeline ? POLY_OK : POLY_ERR_MEMORY;
}

static int8_t
register_of(const struct poly_batch *batch, enum poly_column column, const uint8_t *numbers,
	size_t row)
{
	const bool valid = poly_present(batch, column, row) && numbers[row] < V2_REGISTERS;
	return valid ? (int8_t)numbers[row] : V2_NONE;
}

/* Returns the instruction of a row; its text is stored in text. */
static struct v2_insn
insn_of_row(const struct poly_batch *batch, size_t row, struct buf *text)
{
	struct v2_insn insn = {.pc = batch->pc[row],
		.is_branch = poly_present(batch, POLY_COLUMN_branch, row),
		.dest = register_of(batch, POLY_COLUMN_dest, batch->dest, row),
		.src1 = register_of(batch, POLY_COLUMN_src1, batch->src1, row),
		.src2 = register_of(batch, POLY_COLUMN_src2, batch->src2, row)};
	buf_clear(text);
	if (poly_present(batch, POLY_COLUMN_text, row)) {
		size_t size;
		const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_text, row, &size);
		buf_append(text, bytes, size);
	}
	insn.text = buf_text(text);
	if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		insn.size = batch->opcode_size[row];
	if (insn.is_branch)
		insn.is_taken = batch->branch[row] == POLY_BRANCH_TAKEN;
	if (poly_present(batch, POLY_COLUMN_target, row))
		insn.target = batch->target[row];
	if (poly_present(batch, POLY_COLUMN_access, row)) {
		insn.is_load = batch->access[row] == POLY_ACCESS_READ;
		insn.is_store = !insn.is_load;
	}
	if (poly_present(batch, POLY_COLUMN_address, row))
		insn.address = batch->address[row];
	return insn;
}

static bool
stages_add_row(void *state, const struct poly_batch *batch, size_t row, struct buf *out)
{
	struct stages *stages = state;
	if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION ||
		!poly_present(batch, POLY_COLUMN_pc, row))
		return true;
	const struct v2_insn insn = insn_of_row(batch, row, &stages->text);
	if (!stages->text.failed)
		v2_add(stages->pipeline, &insn, out);
	return !stages->text.failed;
}

static void
stages_fini(void *state)
{
	struct stages *stages = state;
	v2_free(stages->pipeline);
	buf_free(&stages->text);
}

static const struct homework_model pipeline = {.state_size = sizeof(struct stages),
	.init = stages_init,
	.add_row = stages_add_row,
	.fini = stages_fini};

HOMEWORK(penn_v2, pipeline, .title = "Penn stage times",
	.summary = "a five-stage pipeline, for traces of version 2",
	.needs = POLY_COLUMNS_INIT(
		kind, pc, opcode_size, text, dest, src1, src2, branch, target),
	.wants = POLY_COLUMNS_INIT(access, address))
