/* SPDX-License-Identifier: MIT */
/*
 * Reading ahead: a thread fills a small ring of blocks while the consumer works on the bytes
 * before. The thread owns everything below; the two meet only in the ring's counts.
 */
#include "io/source.h"

#include "base/mem.h"
#include "base/thread.h"

#include <pthread.h>
#include <string.h>

enum { BLOCKS = 4 };

/* Bytes of a block at least, however small the reads: handing over has its price. */
#define BLOCK_MIN ((size_t)4096)

struct block {
	uint8_t *data;
	size_t size, taken;	 /* bytes in the block, and those consumed */
	enum poly_status status; /* status at the end of the block */
	struct poly_error error;
};

struct read_ahead {
	struct source below;
	struct root_source *root;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, freed; /* blocks filled and freed, since the start; guarded by lock */
	bool stop;	      /* guarded by lock */
	size_t block_size;    /* of the blocks */
	size_t step;	      /* maximum bytes per read */
	struct block blocks[BLOCKS];
};

/* Fills a block until it is full or the source ends or fails. */
static void
fill(struct read_ahead *ahead, struct block *block)
{
	block->size = block->taken = 0;
	do {
		size_t got = 0, left = ahead->block_size - block->size;
		block->status = ahead->below.read(ahead->below.self, block->data + block->size,
			left < ahead->step ? left : ahead->step, &got, &block->error);
		block->size += got;
	} while (block->status == POLY_OK && block->size < ahead->block_size);
}

static void *
run(void *user)
{
	struct read_ahead *ahead = user;
	bool running = true;
	while (running) {
		pthread_mutex_lock(&ahead->lock);
		while (ahead->filled - ahead->freed == BLOCKS && !ahead->stop)
			pthread_cond_wait(&ahead->changed, &ahead->lock);
		struct block *block = &ahead->blocks[ahead->filled % BLOCKS];
		running = !ahead->stop;
		pthread_mutex_unlock(&ahead->lock);
		if (!running)
			break;
		fill(ahead, block);
		running = block->status == POLY_OK;
		pthread_mutex_lock(&ahead->lock);
		ahead->filled++;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
	return NULL;
}

/* Returns the present block to the thread. */
static void
release(struct read_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->freed++;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

static enum poly_status
ahead_read(void *self, uint8_t *dst, size_t size, size_t *got, struct poly_error *error)
{
	struct read_ahead *ahead = self;
	pthread_mutex_lock(&ahead->lock);
	while (ahead->filled == ahead->freed)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	struct block *block = &ahead->blocks[ahead->freed % BLOCKS];
	pthread_mutex_unlock(&ahead->lock);

	size_t left = block->size - block->taken;
	*got = left < size ? left : size;
	memcpy(dst, block->data + block->taken, *got);
	block->taken += *got;
	if (block->taken < block->size)
		return POLY_OK;
	/* A block with another status is the last one; it stays. */
	if (block->status == POLY_OK) {
		release(ahead);
		return POLY_OK;
	}
	if (block->status < 0)
		*error = block->error;
	return block->status;
}

static void
ahead_free(struct read_ahead *ahead)
{
	for (int i = 0; i < BLOCKS; i++)
		mem_free(ahead->blocks[i].data);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	mem_free(ahead);
}

static void
ahead_close(void *self)
{
	struct read_ahead *ahead = self;
	root_source_stop(ahead->root);
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	ahead->below.close(ahead->below.self);
	ahead_free(ahead);
}

bool
source_read_ahead(struct source *source, struct root_source *root, size_t block_size)
{
	struct read_ahead *ahead = mem_new(1, sizeof *ahead);
	if (!ahead)
		return false;
	ahead->below = *source;
	ahead->root = root;
	ahead->step = block_size;
	ahead->block_size = block_size > BLOCK_MIN ? block_size : BLOCK_MIN;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	bool ready = root_source_make_stoppable(root);
	for (int i = 0; i < BLOCKS && ready; i++) {
		ahead->blocks[i].data = mem_resize(NULL, ahead->block_size, 1);
		ready = ahead->blocks[i].data;
	}
	if (!ready || !thread_start(&ahead->thread, run, ahead)) {
		ahead_free(ahead);
		return false;
	}
	*source = (struct source){ahead_read, ahead_close, ahead, NULL};
	return true;
}
