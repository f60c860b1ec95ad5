/* SPDX-License-Identifier: MIT */
/* Batches that consumers may hold. */
#include "model/batch_store.h"

#include "base/mem.h"
#include "model/batch_hold.h"

#include <assert.h>
#include <pthread.h>

struct batch_store {
	struct batch_store_plan plan;
	pthread_mutex_t lock; /* guards the fields below */
	size_t held;	      /* holds of all batches */
	bool closed;	      /* the producer is gone */
	struct stored_batch *spare;
};

struct batch_store *
batch_store_new(const struct batch_store_plan *plan)
{
	struct batch_store *store = mem_new(1, sizeof *store);
	if (!store)
		return NULL;
	store->plan = *plan;
	pthread_mutex_init(&store->lock, NULL);
	return store;
}

static void
free_batch(struct stored_batch *stored)
{
	batch_fini(&stored->batch);
	mem_free(stored);
}

static void
free_store(struct batch_store *store)
{
	for (struct stored_batch *next, *stored = store->spare; stored; stored = next) {
		next = stored->next;
		free_batch(stored);
	}
	pthread_mutex_destroy(&store->lock);
	mem_free(store);
}

void
batch_store_free(struct batch_store *store)
{
	if (!store)
		return;
	pthread_mutex_lock(&store->lock);
	store->closed = true;
	const bool unused = store->held == 0;
	pthread_mutex_unlock(&store->lock);
	if (unused)
		free_store(store);
}

/* Returns the batch that was released last, since a cache may still have it; NULL: none. */
static struct stored_batch *
take_spare(struct batch_store *store)
{
	pthread_mutex_lock(&store->lock);
	struct stored_batch *stored = store->spare;
	if (stored)
		store->spare = stored->next;
	pthread_mutex_unlock(&store->lock);
	return stored;
}

struct stored_batch *
batch_store_get(struct batch_store *store)
{
	const struct batch_store_plan *plan = &store->plan;
	struct stored_batch *stored = take_spare(store);
	if (stored) {
		stored->abandoned = false;
		batch_clear(&stored->batch);
		return stored;
	}
	stored = mem_new(1, sizeof *stored);
	if (!stored || batch_init(&stored->batch, plan->columns, plan->rows, plan->info,
			       NULL) != POLY_OK) {
		mem_free(stored);
		return NULL;
	}
	stored->store = store;
	return stored;
}

void
stored_batch_deliver(struct stored_batch *stored)
{
	stored->batch.internal.stored = stored;
	stored->batch.view.internal = &stored->batch.internal;
}

bool
stored_batch_reclaim(struct stored_batch *stored)
{
	struct batch_store *store = stored->store;
	pthread_mutex_lock(&store->lock);
	const bool unused = stored->holds == 0;
	stored->abandoned = !unused;
	pthread_mutex_unlock(&store->lock);
	return unused;
}

void
stored_batch_free(struct stored_batch *stored)
{
	if (stored && stored_batch_reclaim(stored))
		free_batch(stored);
}

/* Returns the batch that a view is of; NULL: it cannot be held, or it is a copy of the view. */
static struct stored_batch *
batch_of(const struct poly_batch *view)
{
	struct stored_batch *stored = view->internal ? view->internal->stored : NULL;
	return stored && &stored->batch.view == view ? stored : NULL;
}

bool
batch_hold(const struct poly_batch *batch, struct batch_hold *hold)
{
	struct stored_batch *stored = batch_of(batch);
	hold->batch = NULL;
	if (!stored)
		return false;
	struct batch_store *store = stored->store;
	pthread_mutex_lock(&store->lock);
	const bool granted = store->held < store->plan.held_max;
	store->held += granted;
	stored->holds += granted;
	pthread_mutex_unlock(&store->lock);
	if (granted)
		hold->batch = batch;
	return granted;
}

void
batch_hold_release(struct batch_hold *hold)
{
	struct stored_batch *stored = batch_of(hold->batch);
	assert(stored);
	struct batch_store *store = stored->store;
	hold->batch = NULL;
	pthread_mutex_lock(&store->lock);
	assert(stored->holds);
	stored->holds--;
	store->held--;
	if (stored->abandoned && !stored->holds) {
		stored->next = store->spare;
		store->spare = stored;
	}
	const bool last = store->closed && store->held == 0;
	pthread_mutex_unlock(&store->lock);
	if (last)
		free_store(store);
}
