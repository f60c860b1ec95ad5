/* SPDX-License-Identifier: MIT */
/* Logs references for a second pass: lines, flags and next uses, each in a store of its own. */
#include "analysis/sim/access_log.h"

#include "base/err.h"
#include "base/mem.h"

/* Flags: the kind of a reference, and bits if it counts, and if it is a first access. */
#define COUNTS 0x80
#define FIRST 0x40

struct access_log {
	struct poly_stats_stores stores;
	void *line_store, *flag_store, *next_use_store; /* opened */
	struct next_use *next;
	unsigned shift;
	uint64_t memory;	     /* maximum, of next uses */
	uint64_t appended, replayed; /* references */
	enum poly_status status;
	struct poly_error failure; /* if status is an error */
	uint64_t lines[MEM_REFS_MAX];
	uint8_t flags[MEM_REFS_MAX];
	/* The current step of the second pass: */
	uint64_t step_addresses[ACCESS_LOG_STEP], next_uses[ACCESS_LOG_STEP];
	uint8_t first[ACCESS_LOG_STEP];
};

static enum poly_status
open_store(struct access_log *log, void **store, struct poly_error *error)
{
	*store = log->stores.open(log->stores.user);
	return *store ? POLY_OK
		      : err_system(error, POLY_NO_OFFSET, "cannot create a temporary store");
}

static enum poly_status
open_stores(struct access_log *log, struct poly_error *error)
{
	enum poly_status status = open_store(log, &log->line_store, error);
	if (status == POLY_OK)
		status = open_store(log, &log->flag_store, error);
	if (status == POLY_OK)
		status = open_store(log, &log->next_use_store, error);
	if (status != POLY_OK)
		return status;
	const struct sim_store stores[] = {{log->stores.put, log->stores.get, log->line_store},
		{log->stores.put, log->stores.get, log->next_use_store}};
	return next_use_new(stores, &log->next, error);
}

enum poly_status
access_log_new(const struct poly_stats_stores *stores, unsigned shift, uint64_t memory,
	struct access_log **log, struct poly_error *error)
{
	*log = NULL;
	if (!stores)
		return err_usage(error, "policy 'opt' needs a second pass of the accesses, and "
					"options.stores is NULL");
	struct access_log *opened = mem_new(1, sizeof *opened);
	if (!opened)
		return err_memory(error);
	opened->stores = *stores;
	opened->shift = shift;
	opened->memory = memory;
	const enum poly_status status = open_stores(opened, error);
	if (status != POLY_OK) {
		access_log_free(opened);
		return status;
	}
	*log = opened;
	return POLY_OK;
}

static void
close_store(struct access_log *log, void *store)
{
	if (store)
		log->stores.close(store);
}

void
access_log_free(struct access_log *log)
{
	if (!log)
		return;
	next_use_free(log->next);
	close_store(log, log->line_store);
	close_store(log, log->flag_store);
	close_store(log, log->next_use_store);
	mem_free(log);
}

static enum poly_status
store_refs(
	struct access_log *log, const struct mem_refs *refs, const uint8_t *first, bool counts)
{
	const size_t count = refs->count;
	for (size_t i = 0; i < count; i++) {
		log->flags[i] = refs->kinds[i] | (counts ? COUNTS : 0) |
				(first && first[i] ? FIRST : 0);
		log->lines[i] = refs->addresses[i] >> log->shift;
	}
	if (!log->stores.put(log->flag_store, log->appended, log->flags, count))
		return err_system(&log->failure, POLY_NO_OFFSET, "cannot store accesses");
	log->appended += count;
	return next_use_add(log->next, log->lines, count, &log->failure);
}

void
access_log_append(
	struct access_log *log, const struct mem_refs *refs, const uint8_t *first, bool counts)
{
	if (log->status == POLY_OK)
		log->status = store_refs(log, refs, first, counts);
}

/* Ends the first pass, or the previous second one. */
static enum poly_status
resolve_next_uses(struct access_log *log, struct line_sample *sample, struct poly_error *error)
{
	log->replayed = 0;
	if (log->status != POLY_OK && error)
		*error = log->failure;
	return log->status == POLY_OK ? next_use_resolve(log->next, log->memory, sample, error)
				      : log->status;
}

/* Reads the next step of the second pass; POLY_END at the end. */
static enum poly_status
next_step(struct access_log *log, struct access_log_step *step, struct poly_error *error)
{
	const uint64_t left = log->appended - log->replayed;
	size_t count = left < ACCESS_LOG_STEP ? (size_t)left : ACCESS_LOG_STEP, same = 1;
	if (!count)
		return POLY_END;
	if (!log->stores.get(log->flag_store, log->replayed, log->flags, count))
		return err_system(error, POLY_NO_OFFSET, "cannot read stored accesses");
	step->counts = log->flags[0] & COUNTS;
	while (same < count && !(log->flags[same] & COUNTS) == !step->counts)
		same++;
	const enum poly_status status =
		next_use_read(log->next, log->step_addresses, log->next_uses, same, error);
	for (size_t i = 0; i < same; i++) {
		log->step_addresses[i] <<= log->shift;
		log->first[i] = (log->flags[i] & FIRST) != 0;
		log->flags[i] &= (uint8_t) ~(COUNTS | FIRST);
	}
	step->refs = (struct cache_batch){log->step_addresses, log->flags, NULL, same};
	step->shift = log->shift;
	step->next = log->next_uses;
	step->first = log->first;
	log->replayed += same;
	return status;
}

/* Runs the second pass; POLY_END at its end. */
static enum poly_status
replay(struct access_log *log, access_log_fn *step_fn, void *user, struct poly_error *error)
{
	struct access_log_step step;
	enum poly_status status;
	while ((status = next_step(log, &step, error)) == POLY_OK)
		if (!step_fn(user, &step))
			return err_memory(error);
	return status;
}

enum poly_status
access_log_replay(struct access_log *log, access_log_fn *step_fn, void *user, bool *finished,
	struct poly_error *error)
{
	if (*finished)
		return POLY_OK;
	enum poly_status status = resolve_next_uses(log, NULL, error);
	if (status == POLY_ERR_LIMIT)
		return POLY_OK;
	if (status == POLY_OK)
		status = replay(log, step_fn, user, error);
	*finished = status == POLY_END;
	return *finished ? POLY_OK : status;
}

enum poly_status
access_log_replay_sample(struct access_log *log, struct line_sample *sample,
	access_log_fn *step_fn, void *user, struct poly_error *error)
{
	enum poly_status status = resolve_next_uses(log, sample, error);
	if (status == POLY_OK)
		status = replay(log, step_fn, user, error);
	return status == POLY_END ? POLY_OK : status;
}
