/* SPDX-License-Identifier: MIT */
/*
 * A ring of chunks. Everybody takes the next free one, reads its bytes, puts in front of them
 * what the chunk before left over, as soon as that is read too, and decodes; the reader is
 * given the rows of one after the other. Compressed input is read in turn.
 */
#include "format/crew.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/source.h"

#include <pthread.h>
#include <string.h>

/* Bytes of a chunk: few enough to stay in a processor's own cache. */
#define CHUNK_SIZE ((size_t)256 << 10)

/* And at least: a chunk has its price. */
#define CHUNK_LEAST ((size_t)64)

/* A place of the ring. */
struct slot {
	struct chunk chunk;
	struct member *member; /* who decoded it; NULL: nobody */
	bool joined;	       /* its end is known; guarded by lock */
	bool done;	       /* the reader may have it; guarded by lock */
};

/* Who decodes: the first one is the reader, the others are threads. */
struct member {
	struct crew *crew;
	struct hand hand;
	pthread_t thread;
	bool started;
	/* The reader's numbers, for the hand to fetch; changed by the reader under lock. */
	struct id_remap names, sites;
};

struct crew {
	struct crew_plan plan;
	struct member *members;
	unsigned opened; /* of the members */
	struct slot *slots;
	size_t slot_count;
	bool random;			   /* the input is read anywhere at the same time */
	uint64_t start;			   /* its offset */
	pthread_mutex_t turn;		   /* of who reads, where it is not */
	pthread_mutex_t lock;		   /* of what follows */
	pthread_cond_t freed, found, done; /* a slot; its end; its rows */
	size_t taken, used;		   /* slots, ever */
	bool ended;			   /* the last chunk was found */
	bool stop;
	bool names_full; /* the reader can keep no more names: it decodes everything itself */
	/* The reader's side. */
	struct slot *present;
	size_t given;	 /* pieces of the present chunk, or bytes where it is irregular */
	uint64_t offset; /* behind the last piece */
	struct in *own;	 /* of irregular chunks */
};

size_t
crew_chunk_size(size_t block_size)
{
	if (block_size == 0 || block_size > CHUNK_SIZE)
		return CHUNK_SIZE;
	return block_size > CHUNK_LEAST ? block_size : CHUNK_LEAST;
}

static struct slot *
slot_at(const struct crew *crew, size_t number)
{
	return &crew->slots[number % crew->slot_count];
}

/* Where a chunk ends; what is left over must be small enough to be moved. */
static void
cut(const struct crew *crew, struct hand *hand, struct chunk *chunk)
{
	size_t size = crew->plan.format->cut(
		&hand->reading, chunk->offset, chunk->data, chunk->filled);
	chunk->open = size == 0 || chunk->filled - size > crew->plan.chunk_size;
	chunk->size = chunk->open ? chunk->filled : size;
}

/* Puts what the chunk before left over in front of what was read, and finds the end. */
static void
join(struct crew *crew, struct hand *hand, struct chunk *chunk, const struct chunk *before)
{
	size_t rest = before ? before->filled - before->size : 0;
	if (before && before->over) {
		/* The end stays, even if the file has grown. */
		chunk->fresh = 0;
		chunk->over = true;
		chunk->end = before->end;
		chunk->failure = before->failure;
	}
	chunk->data = chunk->memory + crew->plan.chunk_size - rest;
	chunk->offset = before ? before->offset + before->size : crew->start;
	chunk->filled = chunk->size = rest + chunk->fresh;
	if (rest)
		memcpy(chunk->data, before->data + before->size, rest);
	/* What cannot be cut off from the end is a last record, or none. */
	chunk->irregular = (before && before->open) || (!chunk->fresh && rest);
	chunk->open = false;
	if (chunk->fresh)
		cut(crew, hand, chunk);
	chunk->irregular |= chunk->open;
	chunk->last = chunk->over && chunk->size == chunk->filled;
}

/* Reads the bytes of a chunk: at its place, where the input can, or those that come next. */
static void
read_bytes(struct crew *crew, struct chunk *chunk, size_t number)
{
	const size_t size = crew->plan.chunk_size;
	struct in *in = crew->plan.in;
	struct source_room room = {chunk->memory + size, size, 0};
	if (crew->random) {
		chunk->end = in_take_at(
			in, crew->start + (uint64_t)number * size, &room, &chunk->failure);
	} else {
		room.got = in_take(in, room.to, size);
		chunk->end = room.got < size ? in_status(in, &chunk->failure) : POLY_OK;
	}
	chunk->fresh = room.got;
	chunk->over = chunk->end != POLY_OK;
}

/* Takes the next place of the ring; NULL where none is free, or all is over. */
static struct slot *
take_slot(struct crew *crew, size_t *number, bool *over)
{
	struct slot *slot = NULL;
	pthread_mutex_lock(&crew->lock);
	*over = crew->ended || crew->stop;
	if (!*over && crew->taken - crew->used < crew->slot_count) {
		*number = crew->taken++;
		slot = slot_at(crew, *number);
		slot->joined = false;
	}
	pthread_mutex_unlock(&crew->lock);
	return slot;
}

/* Waits until the end of the chunk before is known; it is being read. NULL: there is none. */
static const struct chunk *
chunk_before(struct crew *crew, size_t number)
{
	const struct slot *before = number ? slot_at(crew, number - 1) : NULL;
	pthread_mutex_lock(&crew->lock);
	while (before && !before->joined)
		pthread_cond_wait(&crew->found, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	return before ? &before->chunk : NULL;
}

/* Takes a chunk; NULL where none can be had now. *over: nor will it ever be. */
static struct slot *
take(struct member *member, bool *over)
{
	struct crew *crew = member->crew;
	size_t number;
	/* Whoever has the turn waits for nobody, so that the reader may wait for it. */
	if (!crew->random)
		pthread_mutex_lock(&crew->turn);
	struct slot *slot = take_slot(crew, &number, over);
	if (slot)
		read_bytes(crew, &slot->chunk, number);
	if (!crew->random)
		pthread_mutex_unlock(&crew->turn);
	if (!slot)
		return NULL;
	join(crew, &member->hand, &slot->chunk, chunk_before(crew, number));
	slot->member = member;
	pthread_mutex_lock(&crew->lock);
	slot->joined = true;
	crew->ended |= slot->chunk.last;
	pthread_cond_broadcast(&crew->found);
	pthread_mutex_unlock(&crew->lock);
	return slot;
}

/* Fetches what one translation has more than another. */
static bool
fetch(struct id_remap *to, const struct id_remap *from)
{
	size_t more = from->count - to->count;
	return !more || id_remap_add(to, from->to + to->count, more);
}

/* Learns the reader's numbers; false where its rows would be of no use. */
static bool
prepare(struct member *member)
{
	struct crew *crew = member->crew;
	struct hand *hand = &member->hand;
	pthread_mutex_lock(&crew->lock);
	bool useful = !crew->stop && !crew->names_full && fetch(&hand->names, &member->names) &&
		      fetch(&hand->site_numbers, &member->sites);
	pthread_mutex_unlock(&crew->lock);
	return useful;
}

/* Decodes a chunk, if one can be had. */
static bool
work_once(struct member *member, bool *over)
{
	struct crew *crew = member->crew;
	struct slot *slot = take(member, over);
	if (!slot)
		return false;
	if (!slot->chunk.irregular && prepare(member))
		hand_decode(&member->hand, &slot->chunk);
	else
		slot->chunk.irregular = true;
	pthread_mutex_lock(&crew->lock);
	slot->done = true;
	pthread_cond_signal(&crew->done);
	pthread_mutex_unlock(&crew->lock);
	return true;
}

static void *
work(void *user)
{
	struct member *member = user;
	struct crew *crew = member->crew;
	bool over = false;
	while (!over) {
		if (work_once(member, &over))
			continue;
		pthread_mutex_lock(&crew->lock);
		while (!over && !crew->stop && crew->taken - crew->used == crew->slot_count)
			pthread_cond_wait(&crew->freed, &crew->lock);
		over |= crew->stop;
		pthread_mutex_unlock(&crew->lock);
	}
	return NULL;
}

static bool
is_done(struct crew *crew, const struct slot *slot)
{
	pthread_mutex_lock(&crew->lock);
	bool done = slot->done;
	pthread_mutex_unlock(&crew->lock);
	return done;
}

/*
 * Goes on to the next chunk, and gives the present one back: not before, as its end is needed
 * for the next one. The reader does not wait while there is something to decode.
 */
static struct chunk *
advance(struct crew *crew)
{
	bool over;
	struct slot *next = slot_at(crew, crew->present ? crew->used + 1 : 0);
	while (!is_done(crew, next) && work_once(&crew->members[0], &over))
		;
	pthread_mutex_lock(&crew->lock);
	while (!next->done)
		pthread_cond_wait(&crew->done, &crew->lock);
	if (crew->present) {
		crew->present->done = false;
		crew->used++;
		pthread_cond_signal(&crew->freed);
	}
	pthread_mutex_unlock(&crew->lock);
	crew->present = next;
	crew->given = 0;
	crew->offset = next->chunk.offset;
	return &next->chunk;
}

/* The reader's numbers of a chunk's new names and sites. POLY_END: it can't keep a name. */
static enum poly_status
number(const struct crew *crew, const struct chunk *chunk, uint32_t *names, uint32_t *sites)
{
	struct info *info = crew->plan.reading->info;
	for (size_t i = 0; i < chunk->name_count; i++) {
		const char *name = chunk->names[i];
		if (!info_keep_name(info, name, strlen(name), &names[i]))
			return info->no_memory ? POLY_ERR_MEMORY : POLY_END;
	}
	for (size_t i = 0; i < chunk->site_count; i++) {
		const struct site *site = &chunk->sites[i];
		sites[i] = sites_number(crew->plan.sites, site->pc, site->opcode);
		if (sites[i] == UINT32_MAX)
			return POLY_ERR_MEMORY;
	}
	return POLY_OK;
}

/* Learns the new names and sites of a plain chunk, which may turn out to be none. */
static enum poly_status
adopt(struct crew *crew, struct chunk *chunk)
{
	size_t names = chunk->name_count, sites = chunk->site_count;
	if (names + sites == 0)
		return POLY_OK;
	struct member *member = crew->present->member;
	uint32_t *numbers = mem_new(names + sites, sizeof *numbers);
	if (!numbers)
		return POLY_ERR_MEMORY;
	enum poly_status status = number(crew, chunk, numbers, numbers + names);
	chunk->irregular = status == POLY_END;
	pthread_mutex_lock(&crew->lock);
	crew->names_full |= chunk->irregular;
	bool added = status != POLY_OK ||
		     (id_remap_add(&member->names, numbers, names) &&
			     id_remap_add(&member->sites, numbers + names, sites));
	pthread_mutex_unlock(&crew->lock);
	mem_free(numbers);
	return status < 0 || !added ? POLY_ERR_MEMORY : POLY_OK;
}

/* The next piece of the present chunk. */
static struct batch *
give(struct crew *crew)
{
	struct piece *piece = crew->present->chunk.pieces[crew->given++];
	const struct member *member = crew->present->member;
	if (!piece->settled) {
		id_remap_apply_names(&member->names, &piece->batch);
		id_remap_apply(&member->sites, &piece->batch, POLY_COLUMN_site);
	}
	crew->offset = piece->end;
	return &piece->batch;
}

/* How the input ended. */
static enum poly_status
end_of(const struct chunk *chunk, struct poly_error *error)
{
	if (chunk->end < 0)
		*error = chunk->failure;
	return chunk->end;
}

enum poly_status
crew_next(struct crew *crew, struct batch **batch, struct poly_error *error)
{
	struct chunk *chunk = crew->present ? &crew->present->chunk : NULL;
	*batch = NULL;
	for (;;) {
		if (chunk && !chunk->irregular && crew->given < chunk->piece_count) {
			*batch = give(crew);
			return POLY_OK;
		}
		if (chunk && chunk->last)
			return end_of(chunk, error);
		chunk = advance(crew);
		chunk->irregular |= crew->names_full;
		if (!chunk->irregular && adopt(crew, chunk) != POLY_OK)
			return err_memory(error);
		if (chunk->irregular) {
			in_restart(crew->own, chunk->offset);
			return POLY_OK;
		}
		crew->plan.reading->line += chunk->lines;
	}
}

/* Bytes of irregular chunks: one, and those behind it that begin within a record. */
static enum poly_status
own_read(void *self, uint8_t *to, size_t size, size_t *got, struct poly_error *error)
{
	struct crew *crew = self;
	const struct chunk *chunk = &crew->present->chunk;
	while (crew->given == chunk->size) {
		*got = 0;
		if (chunk->last)
			return end_of(chunk, error);
		if (!chunk->open)
			return POLY_END;
		chunk = advance(crew);
	}
	size_t left = chunk->size - crew->given;
	*got = left < size ? left : size;
	memcpy(to, chunk->data + crew->given, *got);
	crew->given += *got;
	return POLY_OK;
}

static void
own_close(void *self)
{
	(void)self;
}

struct in *
crew_in(struct crew *crew)
{
	return crew->own;
}

uint64_t
crew_offset(const struct crew *crew)
{
	bool own = crew->present && crew->present->chunk.irregular;
	return own ? in_offset(crew->own) : crew->offset;
}

void
crew_free(struct crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->stop = true;
	pthread_cond_broadcast(&crew->freed);
	pthread_mutex_unlock(&crew->lock);
	for (unsigned i = 0; i < crew->opened; i++) {
		if (crew->members[i].started)
			pthread_join(crew->members[i].thread, NULL);
	}
	for (unsigned i = 0; i < crew->opened; i++) {
		struct member *member = &crew->members[i];
		hand_fini(&member->hand);
		id_remap_free(&member->names);
		id_remap_free(&member->sites);
	}
	for (size_t i = 0; crew->slots && i < crew->slot_count; i++)
		chunk_fini(&crew->slots[i].chunk);
	in_close(crew->own);
	pthread_cond_destroy(&crew->freed);
	pthread_cond_destroy(&crew->found);
	pthread_cond_destroy(&crew->done);
	pthread_mutex_destroy(&crew->turn);
	pthread_mutex_destroy(&crew->lock);
	mem_free(crew->slots);
	mem_free(crew->members);
	mem_free(crew);
}

/* Memory of the ring: for each thread a chunk in work and one that waits, and the reader's two.
 */
static bool
make_slots(struct crew *crew)
{
	const size_t size = 2 * crew->plan.chunk_size + IN_PADDING;
	crew->slot_count = 2 * (size_t)crew->plan.threads + 2;
	crew->slots = mem_new(crew->slot_count, sizeof *crew->slots);
	for (size_t i = 0; crew->slots && i < crew->slot_count; i++) {
		/* Not zeroed: only what is used is to be touched. */
		crew->slots[i].chunk.memory = mem_resize(NULL, size, 1);
		if (!crew->slots[i].chunk.memory)
			return false;
	}
	return crew->slots != NULL;
}

/* Opens the hands: all of them, before the first one takes from the input. */
static bool
make_members(struct crew *crew)
{
	crew->members = mem_new(crew->plan.threads, sizeof *crew->members);
	bool good = crew->members != NULL;
	while (good && crew->opened < crew->plan.threads) {
		struct member *member = &crew->members[crew->opened++];
		member->crew = crew;
		good = hand_init(&member->hand, &crew->plan);
	}
	return good;
}

/* Starts the threads; false where none could be. */
static bool
start(struct crew *crew)
{
	unsigned started = 0;
	for (unsigned i = 1; i < crew->opened; i++) {
		struct member *member = &crew->members[i];
		member->started = thread_start(&member->thread, work, member);
		started += member->started;
	}
	return started > 0;
}

struct crew *
crew_new(const struct crew_plan *plan)
{
	struct crew *crew = mem_new(1, sizeof *crew);
	if (!crew)
		return NULL;
	crew->plan = *plan;
	if (crew->plan.threads > CREW_MOST)
		crew->plan.threads = CREW_MOST;
	pthread_mutex_init(&crew->turn, NULL);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->freed, NULL);
	pthread_cond_init(&crew->found, NULL);
	crew->start = in_offset(plan->in);
	crew->random = in_is_random(plan->in);
	pthread_cond_init(&crew->done, NULL);
	const struct source source = {own_read, own_close, crew, NULL};
	crew->own = in_of_source(&source, plan->block_size);
	if (!crew->own || !make_slots(crew) || !make_members(crew) || !start(crew)) {
		crew_free(crew);
		return NULL;
	}
	return crew;
}
