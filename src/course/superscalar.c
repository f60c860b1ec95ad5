/* SPDX-License-Identifier: MIT */
/*
 * One attempt after the other, as in the course's programs: this is meant to be compared with
 * the homework. sim/pipeline/pipeline.h has the fast models.
 *
 * spec: CSE 560M homework 5 (superscalar)
 */
#include "course/superscalar.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "course/counter.h"
#include "course/text.h"
#include "sim/cache/cache.h"

enum {
	LOAD_LATENCY = 2,
	MISS_PENALTY = 7,
	RESTART_PENALTY = 5,
	GSHARE_BITS = 16, /* of the index and of the history */
	BLOCK_SIZE = 64,
	SETS = 8192 / BLOCK_SIZE / 2,
};

/* Two blocks per set without valid bits: both initially have the tag 0. */
static const struct cache_config cache_of_loads = {.sets = SETS,
	.ways = 2,
	.line_size = BLOCK_SIZE,
	.policy = CACHE_POINTER,
	.always_valid = true};

struct superscalar {
	struct superscalar_config config;
	struct course_count count;
	struct course_uop last;		  /* the one that issued last, without its names */
	uint64_t cycle;			  /* the current one, from 0 */
	unsigned issued;		  /* in this cycle */
	bool over;			  /* no more can issue in this cycle */
	unsigned stall;			  /* remaining cycles of a misprediction */
	uint32_t history;		  /* outcomes, the youngest in bit 0 */
	unsigned board[COURSE_REGISTERS]; /* cycles until each register is ready */
	struct cache *cache;
	uint8_t counters[1 << GSHARE_BITS];
};

enum poly_status
superscalar_check(const struct superscalar_config *config, struct poly_error *error)
{
	if (config->experiment < SUPERSCALAR_PLAIN || config->experiment > SUPERSCALAR_CACHE)
		return err_usage(error, "no such experiment %d, expected 1 to 4",
			(int)config->experiment);
	if (config->width < 1 || config->width > SUPERSCALAR_WIDTH_MAX)
		return err_usage(error, "width: found %u micro-ops per cycle, expected 1 to %d",
			config->width, SUPERSCALAR_WIDTH_MAX);
	return POLY_OK;
}

struct superscalar *
superscalar_new(const struct superscalar_config *config, struct poly_error *error)
{
	if (superscalar_check(config, error) != POLY_OK)
		return NULL;
	struct superscalar *core = mem_new(1, sizeof *core);
	if (!core) {
		err_memory(error);
		return NULL;
	}
	core->config = *config;
	if (cache_new(&cache_of_loads, &core->cache, error) == POLY_OK)
		return core;
	mem_free(core);
	return NULL;
}

static bool
is_ready(const struct superscalar *core, int32_t number)
{
	return !course_is_register(number) || core->board[number] == 0;
}

/* Returns whether all sources and all destinations are ready. */
static bool
can_issue(const struct superscalar *core, const struct course_uop *uop)
{
	bool flags = uop->flags != '-' && !core->config.no_flags;
	return is_ready(core, uop->src1) && is_ready(core, uop->src2) &&
	       is_ready(core, uop->dest) && (!flags || is_ready(core, COURSE_FLAGS));
}

/* Predicts a branch and trains; returns whether it was mispredicted. */
static bool
mispredicts(struct superscalar *core, const struct course_uop *uop)
{
	const uint32_t mask = (1u << GSHARE_BITS) - 1;
	const bool taken = uop->branch == 'T';
	const bool wrong = counter_train(&core->counters[(uop->pc ^ core->history) & mask],
				   taken) != taken;
	core->history = (core->history << 1 | taken) & mask;
	return wrong;
}

/* Accesses the cache; returns whether it missed. */
static bool
misses(struct superscalar *core, uint64_t address)
{
	struct cache_outcome outcome;
	cache_access(core->cache, address, CACHE_READ, 0, &outcome);
	return !outcome.hit;
}

static unsigned
latency_of(struct superscalar *core, const struct course_uop *uop)
{
	unsigned latency = uop->ldst == 'L' ? LOAD_LATENCY : 1;
	bool cached = uop->ldst == 'L' || (uop->ldst == 'S' && core->config.cache_stores);
	if (core->config.experiment < SUPERSCALAR_CACHE || !cached)
		return latency;
	return latency + (misses(core, uop->address) ? MISS_PENALTY : 0);
}

static void
issue(struct superscalar *core, const struct course_uop *uop)
{
	const unsigned latency = latency_of(core, uop);
	if (course_is_register(uop->dest))
		core->board[uop->dest] = latency;
	if (uop->flags == 'W' && !core->config.no_flags)
		core->board[COURSE_FLAGS] = latency;
	if (core->config.experiment >= SUPERSCALAR_BRANCHES && course_is_conditional(uop) &&
		mispredicts(core, uop))
		core->stall = RESTART_PENALTY;
	core->issued++;
	core->over = core->issued == core->config.width || core->stall ||
		     (core->config.experiment >= SUPERSCALAR_FETCH_BREAK && uop->branch == 'T');
	core->last = *uop;
	core->last.macro = core->last.micro = "";
	course_count(&core->count, uop);
}

static void
end_cycle(struct superscalar *core)
{
	for (size_t i = 0; i < COURSE_REGISTERS; i++)
		core->board[i] -= core->board[i] > 0;
	core->stall -= core->stall > 0;
	core->cycle++;
	core->issued = 0;
	core->over = false;
}

/* The readiness of the sources before an attempt. */
struct readiness {
	bool src1, src2;
};

static struct readiness
readiness_of(const struct superscalar *core, const struct course_uop *uop)
{
	return (struct readiness){is_ready(core, uop->src1), is_ready(core, uop->src2)};
}

static void
print_attempt(const struct superscalar *core, const struct course_uop *uop,
	struct readiness ready, struct buf *out)
{
	static const char *const words[] = {"(NotReady)", "(Ready)"};
	if (!out)
		return;
	buf_printf(out,
		"%5" PRIu64 " %5" PRIu64 " %2" PRId32 " %-10s %2" PRId32 " %-10s  -> %2" PRId32
		"  %c  ",
		core->cycle, uop->number, uop->src1, words[ready.src1], uop->src2,
		words[ready.src2], uop->dest, uop->ldst);
	course_text_board(out, core->board);
	if (core->stall)
		buf_printf(out, " %u\n", core->stall);
	else
		buf_string(out, " -\n");
}

void
superscalar_begin(struct buf *out)
{
	buf_string(out, "Processing trace...\n");
}

void
superscalar_add(struct superscalar *core, const struct course_uop *uop, struct buf *out)
{
	for (bool issued = false; !issued;) {
		if (core->over)
			end_cycle(core);
		/* A stalled cycle prints the micro-op that issued last again, with the
		 * scoreboard.
		 */
		const struct course_uop *attempted = core->stall ? &core->last : uop;
		const struct readiness ready = readiness_of(core, attempted);
		issued = !core->stall && can_issue(core, uop);
		core->over = true;
		if (issued)
			issue(core, uop);
		print_attempt(core, attempted, ready, out);
	}
}

uint64_t
superscalar_cycles(const struct superscalar *core)
{
	return core->count.uops ? core->cycle + !core->config.last_cycle : 0;
}

void
superscalar_end(const struct superscalar *core, struct buf *out)
{
	buf_printf(out, "Processed %" PRIu64 " trace records.\n", core->count.uops);
	buf_printf(out, "Micro-ops: %" PRIu64 "\n", core->count.uops);
	buf_printf(out, "Macro-ops: %" PRIu64 "\n", core->count.mops);
	buf_printf(out, "TotalCycles: %" PRIu64 "\n", superscalar_cycles(core));
}

void
superscalar_free(struct superscalar *core)
{
	if (core)
		cache_free(core->cache);
	mem_free(core);
}
