/* SPDX-License-Identifier: MIT */
/* Logs references for a second pass: addresses, flags and next uses, each in a store of its
 * own. */
#include "analysis/sim/access_log.h"

#include "base/err.h"
#include "base/mem.h"

/* Flags: the kind of a reference, and this bit if it counts. */
#define COUNTS 0x80

struct access_log {
	struct poly_stats_stores stores;
	void *addresses, *flag_store, *next_use_store; /* opened stores */
	struct next_use *next;
	unsigned shift;
	uint64_t appended, replayed; /* references */
	enum poly_status status;
	struct poly_error failure; /* if status is an error */
	uint64_t lines[MEM_REFS_MAX];
	uint8_t flags[MEM_REFS_MAX];
	/* The current step of the second pass: */
	uint64_t step_addresses[ACCESS_LOG_STEP], next_uses[ACCESS_LOG_STEP];
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
	enum poly_status status = open_store(log, &log->addresses, error);
	if (status == POLY_OK)
		status = open_store(log, &log->flag_store, error);
	if (status == POLY_OK)
		status = open_store(log, &log->next_use_store, error);
	if (status != POLY_OK)
		return status;
	const struct sim_store store = {log->stores.put, log->stores.get, log->next_use_store};
	return next_use_new(&store, ACCESS_LOG_LINES_MAX, &log->next, error);
}

enum poly_status
access_log_new(const struct poly_stats_stores *stores, unsigned shift, struct access_log **log,
	struct poly_error *error)
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
	close_store(log, log->addresses);
	close_store(log, log->flag_store);
	close_store(log, log->next_use_store);
	mem_free(log);
}

/* Adds the lines to the search for next uses. */
static enum poly_status
add_next_uses(struct access_log *log, const struct mem_refs *refs)
{
	for (size_t i = 0; i < refs->count; i++)
		log->lines[i] = refs->addresses[i] >> log->shift;
	return next_use_add(log->next, log->lines, refs->count, &log->failure);
}

static enum poly_status
store_refs(struct access_log *log, const struct mem_refs *refs, bool counts)
{
	const uint64_t from = log->appended;
	const size_t count = refs->count;
	for (size_t i = 0; i < count; i++)
		log->flags[i] = refs->kinds[i] | (counts ? COUNTS : 0);
	if (!log->stores.put(log->addresses, from * sizeof *refs->addresses, refs->addresses,
		    count * sizeof *refs->addresses) ||
		!log->stores.put(log->flag_store, from, log->flags, count))
		return err_system(&log->failure, POLY_NO_OFFSET, "cannot store accesses");
	log->appended += count;
	return POLY_OK;
}

void
access_log_append(struct access_log *log, const struct mem_refs *refs, bool counts)
{
	if (log->status == POLY_OK)
		log->status = store_refs(log, refs, counts);
	if (log->status == POLY_OK)
		log->status = add_next_uses(log, refs);
}

/* Ends the first pass. */
static enum poly_status
resolve_next_uses(struct access_log *log, struct poly_error *error)
{
	if (log->status == POLY_OK)
		log->status = next_use_resolve(log->next, &log->failure);
	if (log->status != POLY_OK && error)
		*error = log->failure;
	return log->status;
}

/* Reads the next step of the second pass; POLY_END at the end. */
static enum poly_status
next_step(struct access_log *log, struct access_log_step *step, struct poly_error *error)
{
	const uint64_t left = log->appended - log->replayed;
	size_t count = left < ACCESS_LOG_STEP ? (size_t)left : ACCESS_LOG_STEP, same = 1;
	if (!count)
		return POLY_END;
	if (!log->stores.get(log->flag_store, log->replayed, log->flags, count) ||
		!log->stores.get(log->addresses, log->replayed * sizeof *log->step_addresses,
			log->step_addresses, count * sizeof *log->step_addresses))
		return err_system(error, POLY_NO_OFFSET, "cannot read stored accesses");
	step->counts = log->flags[0] & COUNTS;
	while (same < count && !(log->flags[same] & COUNTS) == !step->counts)
		same++;
	for (size_t i = 0; i < same; i++)
		log->flags[i] &= (uint8_t)~COUNTS;
	step->refs = (struct cache_batch){log->step_addresses, log->flags, NULL, same};
	step->shift = log->shift;
	step->next = log->next_uses;
	log->replayed += same;
	return next_use_read(log->next, log->next_uses, same, error);
}

enum poly_status
access_log_replay(struct access_log *log, access_log_fn *step_fn, void *user, bool *finished,
	struct poly_error *error)
{
	struct access_log_step step;
	if (*finished)
		return POLY_OK;
	enum poly_status status = resolve_next_uses(log, error);
	if (status == POLY_ERR_LIMIT)
		return POLY_OK;
	while (status == POLY_OK && (status = next_step(log, &step, error)) == POLY_OK)
		if (!step_fn(user, &step))
			return err_memory(error);
	*finished = status == POLY_END;
	return *finished ? POLY_OK : status;
}
