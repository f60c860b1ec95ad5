/* SPDX-License-Identifier: MIT */
/* Uses in two passes: addresses, marks and next uses, each in a store of their own. */
#include "analysis/sim/replay.h"

#include "base/err.h"
#include "base/mem.h"

/* A mark is the kind of a use, and whether it counts. */
#define COUNTS 0x80

struct replay {
	struct poly_stats_stores stores;
	void *addresses, *marks, *ahead[REPLAY_SIZES]; /* opened stores */
	struct next_use *next[REPLAY_SIZES];
	unsigned shifts[REPLAY_SIZES];
	size_t sizes;
	uint64_t kept, seen; /* uses */
	enum poly_status status;
	struct poly_error failure; /* where status is one */
	uint64_t lines[USES_MOST];
	uint8_t marked[USES_MOST];
	/* What replay_next gives: */
	uint64_t again[REPLAY_STEP], uses[REPLAY_SIZES][REPLAY_STEP];
};

static enum poly_status
open_store(struct replay *replay, void **store, struct poly_error *error)
{
	*store = replay->stores.open(replay->stores.user);
	return *store ? POLY_OK
		      : err_system(error, POLY_NO_OFFSET,
				"a temporary store cannot be made for what comes later");
}

enum poly_status
replay_new(const struct poly_stats_stores *stores, struct replay **replay,
	struct poly_error *error)
{
	*replay = NULL;
	if (!stores)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"policy 'opt' looks at a trace twice, which takes temporary stores, "
			"and none are given");
	struct replay *made = mem_new(1, sizeof *made);
	if (!made)
		return err_memory(error);
	made->stores = *stores;
	enum poly_status status = open_store(made, &made->addresses, error);
	if (status == POLY_OK)
		status = open_store(made, &made->marks, error);
	if (status != POLY_OK) {
		replay_free(made);
		return status;
	}
	*replay = made;
	return POLY_OK;
}

static void
close_store(struct replay *replay, void *store)
{
	if (store)
		replay->stores.close(store);
}

void
replay_free(struct replay *replay)
{
	if (!replay)
		return;
	close_store(replay, replay->addresses);
	close_store(replay, replay->marks);
	for (size_t i = 0; i < REPLAY_SIZES; i++) {
		next_use_free(replay->next[i]);
		close_store(replay, replay->ahead[i]);
	}
	mem_free(replay);
}

enum poly_status
replay_size(struct replay *replay, unsigned shift, size_t *place, struct poly_error *error)
{
	for (*place = 0; *place < replay->sizes; ++*place)
		if (replay->shifts[*place] == shift)
			return POLY_OK;
	if (replay->sizes == REPLAY_SIZES)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"policy 'opt' with more than %d sizes of lines", REPLAY_SIZES);
	enum poly_status status = open_store(replay, &replay->ahead[*place], error);
	if (status != POLY_OK)
		return status;
	const struct sim_store store = {
		replay->stores.put, replay->stores.get, replay->ahead[*place]};
	status = next_use_new(&store, REPLAY_LINES_MOST, &replay->next[*place], error);
	if (status == POLY_OK)
		replay->shifts[replay->sizes++] = shift;
	return status;
}

/* The lines of one size, for their next uses. */
static enum poly_status
learn(struct replay *replay, size_t place, const struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++)
		replay->lines[i] = uses->addresses[i] >> replay->shifts[place];
	return next_use_learn(
		replay->next[place], replay->lines, uses->count, &replay->failure);
}

static enum poly_status
keep(struct replay *replay, const struct uses *uses, bool counts)
{
	const uint64_t from = replay->kept;
	const size_t count = uses->count;
	for (size_t i = 0; i < count; i++)
		replay->marked[i] = uses->kinds[i] | (counts ? COUNTS : 0);
	if (!replay->stores.put(replay->addresses, from * sizeof *uses->addresses,
		    uses->addresses, count * sizeof *uses->addresses) ||
		!replay->stores.put(replay->marks, from, replay->marked, count))
		return err_system(&replay->failure, POLY_NO_OFFSET, "accesses cannot be kept");
	replay->kept += count;
	return POLY_OK;
}

void
replay_keep(struct replay *replay, const struct uses *uses, bool counts)
{
	if (replay->status == POLY_OK)
		replay->status = keep(replay, uses, counts);
	for (size_t i = 0; i < replay->sizes && replay->status == POLY_OK; i++)
		replay->status = learn(replay, i, uses);
}

/* Ends the first pass. */
static enum poly_status
settle(struct replay *replay, struct poly_error *error)
{
	for (size_t i = 0; i < replay->sizes && replay->status == POLY_OK; i++)
		replay->status = next_use_settle(replay->next[i], &replay->failure);
	if (replay->status != POLY_OK && error)
		*error = replay->failure;
	return replay->status;
}

/* The next uses of the second pass; POLY_END. */
static enum poly_status
next_step(struct replay *replay, struct replay_step *step, struct poly_error *error)
{
	const uint64_t left = replay->kept - replay->seen;
	size_t count = left < REPLAY_STEP ? (size_t)left : REPLAY_STEP, alike = 1;
	if (!count)
		return POLY_END;
	if (!replay->stores.get(replay->marks, replay->seen, replay->marked, count) ||
		!replay->stores.get(replay->addresses, replay->seen * sizeof *replay->again,
			replay->again, count * sizeof *replay->again))
		return err_system(error, POLY_NO_OFFSET, "accesses cannot be read again");
	step->counts = replay->marked[0] & COUNTS;
	while (alike < count && !(replay->marked[alike] & COUNTS) == !step->counts)
		alike++;
	for (size_t i = 0; i < alike; i++)
		replay->marked[i] &= (uint8_t)~COUNTS;
	step->uses = (struct cache_batch){replay->again, replay->marked, NULL, alike};
	for (size_t i = 0; i < replay->sizes; i++) {
		const enum poly_status status =
			next_use_read(replay->next[i], replay->uses[i], alike, error);
		if (status != POLY_OK)
			return status;
		step->next[i] = replay->uses[i];
	}
	replay->seen += alike;
	return POLY_OK;
}

enum poly_status
replay_again(struct replay *replay, replay_fn *take, void *user, bool *finished,
	struct poly_error *error)
{
	struct replay_step step;
	if (*finished)
		return POLY_OK;
	enum poly_status status = settle(replay, error);
	if (status == POLY_ERR_LIMIT)
		return POLY_OK;
	while (status == POLY_OK && (status = next_step(replay, &step, error)) == POLY_OK)
		if (!take(user, &step))
			return err_memory(error);
	*finished = status == POLY_END;
	return *finished ? POLY_OK : status;
}
