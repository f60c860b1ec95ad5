/* SPDX-License-Identifier: MIT */
/*
 * Coherent private caches, one of each thread (or of what stands for it): misses by cause, and
 * the lines that threads take from each other. An access over the end of a line is one of each
 * of its lines.
 */
#include "analysis/sim/sharing.h"

#include "analysis/branch_stream.h"
#include "base/err.h"

/* Lines of one access; what a trace says to be longer is cut. */
#define PIECES_MOST 64

enum { OPTION_SIZE, OPTION_WAYS, OPTION_LINE, OPTION_WORD, OPTION_TOP };

static enum poly_status
sharing_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct sharing *it = state;
	const uint64_t *values = setup->values;
	const uint64_t set = values[OPTION_WAYS] * values[OPTION_LINE];
	it->contexts = setup->contexts;
	it->top = values[OPTION_TOP];
	if (values[OPTION_SIZE] % set)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"%llu bytes are not sets of %llu ways of %llu bytes",
			(unsigned long long)values[OPTION_SIZE],
			(unsigned long long)values[OPTION_WAYS],
			(unsigned long long)values[OPTION_LINE]);
	it->config = (struct coherence_config){.threads = COHERENCE_THREADS,
		.cache = {.sets = values[OPTION_SIZE] / set,
			.ways = (uint32_t)values[OPTION_WAYS],
			.line_size = (uint32_t)values[OPTION_LINE]},
		.word_size = (uint32_t)values[OPTION_WORD],
		.lines = SHARING_LINES_MOST};
	const enum poly_status status = coherence_new(&it->config, &it->coherence, error);
	return status == POLY_OK ? sharing_places_init(&it->places, error) : status;
}

/* Simulates what waits; false: no memory. */
static bool
run(struct sharing *it, bool counts)
{
	struct sharing_step *step = &it->step;
	const struct coherence_batch batch = {step->addresses, step->kinds, step->sizes,
		step->threads, step->count, step->taken};
	coherence_counting(it->coherence, counts);
	const enum poly_status status =
		coherence_run(it->coherence, &batch, step->outcomes, NULL);
	it->full = status == POLY_ERR_LIMIT;
	const bool ok = status == POLY_OK ? !counts || sharing_places_add(&it->places, step,
							       it->config.cache.line_size)
					  : it->full;
	step->count = 0;
	return ok;
}

/* Adds an access, a piece a line; false: no memory. */
static bool
add(struct sharing *it, size_t use, uint16_t context, bool counts)
{
	struct sharing_step *step = &it->step;
	const uint32_t line = it->config.cache.line_size;
	const uint32_t size = it->uses.sizes[use];
	uint64_t address = it->uses.addresses[use];
	uint32_t left = size ? size : CACHE_STORE_SIZE;
	for (int i = 0; i < PIECES_MOST && left && !it->full; i++) {
		const uint32_t rest = line - (uint32_t)(address & (line - 1));
		const uint32_t piece = left < rest ? left : rest;
		step->addresses[step->count] = address;
		step->pcs[step->count] = it->uses.pcs[use];
		step->sizes[step->count] = piece;
		step->threads[step->count] = context;
		step->kinds[step->count++] = it->uses.kinds[use];
		address += piece;
		left -= piece;
		if (step->count == SHARING_STEP && !run(it, counts))
			return false;
	}
	return true;
}

static bool
sharing_update(void *state, const struct analysis_rows *rows)
{
	struct sharing *it = state;
	bool ok = true;
	if (it->full)
		return true;
	if (rows->counts)
		count_context_instructions(rows, it->instructions, COHERENCE_THREADS);
	mem_refs_find(&it->uses, rows->batch, MEM_REFS_DATA);
	for (size_t i = 0; i < it->uses.count && ok; i++) {
		const size_t row = it->uses.rows[i];
		const uint16_t context =
			rows->context ? rows->context[row] : rows->sole_context;
		if (context < COHERENCE_THREADS)
			ok = add(it, i, context, rows->counts);
		else
			it->left_out += rows->counts;
	}
	return ok && (it->full || run(it, rows->counts));
}

static void
sharing_fini(void *state)
{
	struct sharing *it = state;
	coherence_free(it->coherence);
	sharing_places_fini(&it->places);
}

static const struct poly_option options[] = {
	[OPTION_SIZE] = {"sharing.size", POLY_OPTION_SIZE, POLY_OPTION_READ, 32768, 4, 1 << 26,
		NULL, "bytes of the cache of each thread", NULL},
	[OPTION_WAYS] = {"sharing.ways", POLY_OPTION_NUMBER, POLY_OPTION_READ, 8, 1,
		CACHE_WAYS_MAX, NULL, "ways of its sets", NULL},
	[OPTION_LINE] = {"sharing.line", POLY_OPTION_SIZE, POLY_OPTION_READ, 64, 4, 4096, NULL,
		"bytes of a line, a power of two", NULL},
	[OPTION_WORD] = {"sharing.word", POLY_OPTION_SIZE, POLY_OPTION_READ, 4, 1, 4096, NULL,
		"bytes that are shared as a whole, a power of two; a line has at most 64 such",
		NULL},
	[OPTION_TOP] = {"sharing.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 1, UINT32_MAX,
		NULL, "most lines of a table, and most instructions of another", NULL},
	{0}};

const struct analysis analysis_sharing = {
	.info = {.name = "sharing",
		.title = "Coherent caches",
		.summary = "lines that threads take from each other, and whether they share "
			   "what is in them",
		.needs = POLY_HAS(kind) | POLY_HAS(access) | POLY_HAS(address),
		.wants = MEM_REFS_COLUMNS | INSTRUCTION_COUNT_COLUMNS,
		.is_simulation = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct sharing),
	.init = sharing_init,
	.update = sharing_update,
	.report = sharing_report,
	.fini = sharing_fini,
};
