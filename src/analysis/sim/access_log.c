/* SPDX-License-Identifier: MIT */
/* Uses in two passes: addresses, marks and next uses, each in a store of their own. */
#include "analysis/sim/access_log.h"

#include "base/err.h"
#include "base/mem.h"

/* A mark is the kind of a use, and whether it counts. */
#define COUNTS 0x80

struct access_log {
	struct poly_stats_stores stores;
	void *addresses, *marks, *ahead[ACCESS_LOG_SIZES]; /* opened stores */
	struct next_use *next[ACCESS_LOG_SIZES];
	unsigned shifts[ACCESS_LOG_SIZES];
	size_t sizes;
	uint64_t kept, seen; /* uses */
	enum poly_status status;
	struct poly_error failure; /* where status is one */
	uint64_t lines[MEM_REFS_MAX];
	uint8_t marked[MEM_REFS_MAX];
	/* What replay_next gives: */
	uint64_t again[ACCESS_LOG_STEP], uses[ACCESS_LOG_SIZES][ACCESS_LOG_STEP];
};

static enum poly_status
open_store(struct access_log *log, void **store, struct poly_error *error)
{
	*store = log->stores.open(log->stores.user);
	return *store ? POLY_OK
		      : err_system(error, POLY_NO_OFFSET,
				"a temporary store cannot be made for what comes later");
}

enum poly_status
access_log_new(const struct poly_stats_stores *stores, struct access_log **log,
	struct poly_error *error)
{
	*log = NULL;
	if (!stores)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"policy 'opt' looks at a trace twice, which takes temporary stores, "
			"and none are given");
	struct access_log *made = mem_new(1, sizeof *made);
	if (!made)
		return err_memory(error);
	made->stores = *stores;
	enum poly_status status = open_store(made, &made->addresses, error);
	if (status == POLY_OK)
		status = open_store(made, &made->marks, error);
	if (status != POLY_OK) {
		access_log_free(made);
		return status;
	}
	*log = made;
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
	close_store(log, log->addresses);
	close_store(log, log->marks);
	for (size_t i = 0; i < ACCESS_LOG_SIZES; i++) {
		next_use_free(log->next[i]);
		close_store(log, log->ahead[i]);
	}
	mem_free(log);
}

enum poly_status
access_log_add_size(
	struct access_log *log, unsigned shift, size_t *place, struct poly_error *error)
{
	for (*place = 0; *place < log->sizes; ++*place)
		if (log->shifts[*place] == shift)
			return POLY_OK;
	if (log->sizes == ACCESS_LOG_SIZES)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"policy 'opt' with more than %d sizes of lines", ACCESS_LOG_SIZES);
	enum poly_status status = open_store(log, &log->ahead[*place], error);
	if (status != POLY_OK)
		return status;
	const struct sim_store store = {log->stores.put, log->stores.get, log->ahead[*place]};
	status = next_use_new(&store, ACCESS_LOG_LINES_MAX, &log->next[*place], error);
	if (status == POLY_OK)
		log->shifts[log->sizes++] = shift;
	return status;
}

/* The lines of one size, for their next uses. */
static enum poly_status
learn(struct access_log *log, size_t place, const struct mem_refs *uses)
{
	for (size_t i = 0; i < uses->count; i++)
		log->lines[i] = uses->addresses[i] >> log->shifts[place];
	return next_use_add(log->next[place], log->lines, uses->count, &log->failure);
}

static enum poly_status
keep(struct access_log *log, const struct mem_refs *uses, bool counts)
{
	const uint64_t from = log->kept;
	const size_t count = uses->count;
	for (size_t i = 0; i < count; i++)
		log->marked[i] = uses->kinds[i] | (counts ? COUNTS : 0);
	if (!log->stores.put(log->addresses, from * sizeof *uses->addresses, uses->addresses,
		    count * sizeof *uses->addresses) ||
		!log->stores.put(log->marks, from, log->marked, count))
		return err_system(&log->failure, POLY_NO_OFFSET, "accesses cannot be kept");
	log->kept += count;
	return POLY_OK;
}

void
access_log_append(struct access_log *log, const struct mem_refs *uses, bool counts)
{
	if (log->status == POLY_OK)
		log->status = keep(log, uses, counts);
	for (size_t i = 0; i < log->sizes && log->status == POLY_OK; i++)
		log->status = learn(log, i, uses);
}

/* Ends the first pass. */
static enum poly_status
settle(struct access_log *log, struct poly_error *error)
{
	for (size_t i = 0; i < log->sizes && log->status == POLY_OK; i++)
		log->status = next_use_resolve(log->next[i], &log->failure);
	if (log->status != POLY_OK && error)
		*error = log->failure;
	return log->status;
}

/* The next uses of the second pass; POLY_END. */
static enum poly_status
next_step(struct access_log *log, struct access_log_step *step, struct poly_error *error)
{
	const uint64_t left = log->kept - log->seen;
	size_t count = left < ACCESS_LOG_STEP ? (size_t)left : ACCESS_LOG_STEP, alike = 1;
	if (!count)
		return POLY_END;
	if (!log->stores.get(log->marks, log->seen, log->marked, count) ||
		!log->stores.get(log->addresses, log->seen * sizeof *log->again, log->again,
			count * sizeof *log->again))
		return err_system(error, POLY_NO_OFFSET, "accesses cannot be read again");
	step->counts = log->marked[0] & COUNTS;
	while (alike < count && !(log->marked[alike] & COUNTS) == !step->counts)
		alike++;
	for (size_t i = 0; i < alike; i++)
		log->marked[i] &= (uint8_t)~COUNTS;
	step->uses = (struct cache_batch){log->again, log->marked, NULL, alike};
	for (size_t i = 0; i < log->sizes; i++) {
		const enum poly_status status =
			next_use_read(log->next[i], log->uses[i], alike, error);
		if (status != POLY_OK)
			return status;
		step->next[i] = log->uses[i];
	}
	log->seen += alike;
	return POLY_OK;
}

enum poly_status
access_log_replay(struct access_log *log, access_log_fn *take, void *user, bool *finished,
	struct poly_error *error)
{
	struct access_log_step step;
	if (*finished)
		return POLY_OK;
	enum poly_status status = settle(log, error);
	if (status == POLY_ERR_LIMIT)
		return POLY_OK;
	while (status == POLY_OK && (status = next_step(log, &step, error)) == POLY_OK)
		if (!take(user, &step))
			return err_memory(error);
	*finished = status == POLY_END;
	return *finished ? POLY_OK : status;
}
