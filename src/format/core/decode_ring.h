/* SPDX-License-Identifier: MIT */
/*
 * The ring of a decode pool, and its numbers: those that names, sites and rows of a chunk have
 * in the trace.
 */
#ifndef FORMAT_DECODE_RING_H
#define FORMAT_DECODE_RING_H

#include "format/core/chunk_decoder.h"

#include <pthread.h>

/* A number of records that is not known. */
#define NO_NUMBER UINT64_MAX

/* A slot of the ring. */
struct ring_slot {
	struct chunk chunk;
	struct worker *worker; /* that decoded it; NULL: none */
	size_t number;	       /* of the chunk, from 0 */
	uint64_t before;       /* records before it, as its work assumed */
	uint64_t rows;	       /* that were decoded, if counted */
	bool decoded, counted; /* decoding has ended, with rows; guarded by lock */
	bool joined;	       /* its end is known; guarded by lock */
	bool done;	       /* the reader may use it; guarded by lock */
};

/* A worker: the first one is the reader, the others are threads. */
struct worker {
	struct decode_pool *pool;
	struct chunk_decoder decoder;
	pthread_t thread;
	bool started;
	/* The reader's numbers, for the decoder to fetch; changed by the reader under lock. */
	struct id_remap names, records, sites;
	unsigned generation; /* of sites */
	unsigned valid_from; /* first generation without sites of discarded rows */
};

struct decode_pool {
	struct decode_plan plan;
	struct worker *workers;
	struct batch_store *store;
	unsigned opened;  /* workers whose decoder is open */
	unsigned started; /* threads */
	struct ring_slot *slots;
	size_t slot_count;
	bool random;		      /* the input can be read at any offset */
	pthread_mutex_t input_mutex;  /* held while reading the input, unless random */
	pthread_mutex_t lock;	      /* guards the fields below */
	pthread_cond_t slot_freed;    /* the reader freed a slot */
	pthread_cond_t chunk_joined;  /* the end of a chunk is known */
	pthread_cond_t chunk_decoded; /* the rows of a chunk are complete */
	size_t claimed, released;     /* slots, since the start */
	uint64_t position;	      /* of the bytes that the next chunk reads */
	uint64_t unworked;   /* bytes of next chunks whose rows are stored, despite work */
	uint64_t work_pause; /* the same after work in vain, in chunks */
	pthread_cond_t chunk_counted; /* decoding of a chunk has ended, or records is known */
	uint64_t records;	      /* before the slot that is released next, or NO_NUMBER */
	bool ended;		      /* the last chunk was read */
	bool stop;
	unsigned check_version; /* changed by the reader, as full_rules */
	uint64_t full_rules;	/* rules for which the reader stores no further findings */
	bool names_full;  /* the reader can store no more names: it decodes all chunks itself */
	int credit;	  /* right guesses of split points less wrong ones */
	uint64_t unsplit; /* bytes of next chunks in which no split point is guessed */
	uint64_t pause;	  /* the same, which the reader decodes, after too many wrong guesses */
	/* The reader's side. */
	struct ring_slot *present;
	size_t delivered;     /* batches of the present chunk, or bytes if it is irregular */
	struct batch decoded; /* without rows: what decoders did with a chunk */
	uint64_t offset;      /* after the last delivered batch */
	struct in *own;	      /* the bytes of irregular chunks */
};

static inline struct ring_slot *
ring_slot_at(const struct decode_pool *pool, size_t number)
{
	return &pool->slots[number % pool->slot_count];
}

/* Fetches the reader's numbers; false if the decoded rows would not be used. */
bool ring_prepare_decoder(struct worker *worker);

/* Notes the rows of a chunk, or that it is irregular, for the numbers of the next ones. */
void ring_count_rows(struct decode_pool *pool, struct ring_slot *slot);

/* Waits for the number of records before a chunk while the chunks before are being decoded;
 * NO_NUMBER: unknown. */
uint64_t ring_wait_for_records(struct decode_pool *pool, const struct ring_slot *slot);

/* Makes the sites of a decoded chunk invalid, as it did not begin at a split point. */
void ring_discard_chunk(struct decode_pool *pool, const struct ring_slot *slot);

/* Returns whether the numbers of a decoded chunk depend on a discarded one. */
bool ring_is_stale(const struct ring_slot *slot);

/* Returns whether work on the present chunk assumed another number of records before it. */
bool ring_is_misnumbered(const struct decode_pool *pool);

/* Adds the new names and sites of a regular chunk to the reader's, or makes it irregular. */
enum poly_status ring_adopt_new(struct decode_pool *pool, struct chunk *chunk);

#endif
