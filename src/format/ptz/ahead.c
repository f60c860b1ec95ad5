/* SPDX-License-Identifier: MIT */
/*
 * A ring of segments. Everybody loads the next one that nobody has taken; the reader takes them
 * in order, and does not wait while there is one to load.
 */
#include "format/ptz/ahead.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/checksum.h"

#include <pthread.h>
#include <string.h>

/* Parts that are no segments, one behind the other, that are passed over. */
#define OTHERS_MOST 4

/* A segment, loaded or in work. */
struct slot {
	uint64_t offset; /* of its part */
	struct ptz_part part;
	struct unpacked segment;
	bool good; /* it was loaded */
	bool done; /* nobody works on it; guarded by lock */
};

/* Who loads: the first one is the reader, the others are threads. */
struct member {
	struct ptz_ahead *ahead;
	struct block_unpacker *unpacker;
	struct buf bytes; /* of a part */
	pthread_t thread;
	bool started;
};

struct ptz_ahead {
	struct ptz_ahead_plan plan;
	struct member *members;
	unsigned opened;	    /* of the members */
	struct slot *slots;	    /* one for each member */
	pthread_mutex_t lock;	    /* of what follows */
	pthread_cond_t freed, done; /* a slot; its segment */
	size_t taken, used;	    /* slots, ever */
	size_t far;		    /* slots that may be in use besides the one that is met */
	uint64_t next;		    /* offset of the part that nobody has looked at */
	bool over;		    /* there is no segment */
	bool stop;
};

static struct slot *
slot_at(const struct ptz_ahead *ahead, size_t number)
{
	return &ahead->slots[number % ahead->plan.threads];
}

/*
 * The head of the part at an offset, and of a segment how many records are before it; false
 * where no whole part stands there.
 */
static bool
look(const struct in *in, uint64_t offset, struct ptz_part *part, uint64_t *before)
{
	/* The fronts of a segment and of an index, which alone stand behind one, are longer. */
	uint8_t head[PTZ_HEAD_SIZE + sizeof *before];
	uint64_t taken, total;
	in_progress(in, &taken, &total);
	if (offset > total || total - offset < sizeof head)
		return false;
	if (!ptz_take_at(in, offset, head, sizeof head) || !ptz_part_read(head, part))
		return false;
	*before = load_le64(head + PTZ_HEAD_SIZE);
	return part->front <= part->body && part->front <= PTZ_FRONT_MOST &&
	       part->body <= total - offset - PTZ_HEAD_SIZE;
}

bool
ptz_ahead_pays(const struct in *in, uint64_t offset)
{
	struct ptz_part part;
	uint64_t before;
	return look(in, offset, &part, &before) && part.tag == PTZ_TAG_SEGMENT;
}

/* Takes the next segment under lock; NULL where none can be had now. */
static struct slot *
claim(struct member *member)
{
	struct ptz_ahead *ahead = member->ahead;
	/* The reader is never without the one that it has met. */
	const size_t least = member == ahead->members;
	const size_t most = ahead->far > least ? ahead->far : least;
	struct slot *slot = slot_at(ahead, ahead->taken);
	uint64_t before;
	if (ahead->over || ahead->stop || ahead->taken - ahead->used >= most)
		return NULL;
	for (unsigned others = 0; others <= OTHERS_MOST; others++) {
		slot->offset = ahead->next;
		if (!look(ahead->plan.in, slot->offset, &slot->part, &before))
			break;
		ahead->next += PTZ_HEAD_SIZE + slot->part.body;
		if (slot->part.tag != PTZ_TAG_SEGMENT)
			continue;
		if (before >= ahead->plan.end)
			break;
		slot->done = false;
		ahead->taken++;
		return slot;
	}
	ahead->over = true;
	return NULL;
}

/* size bytes of a part, which stand at from in it; NULL: they can't be had. */
static const uint8_t *
fetch(struct member *member, const struct slot *slot, uint64_t from, size_t size)
{
	uint8_t *to = buf_reserve(&member->bytes, size);
	const struct in *in = member->ahead->plan.in;
	return to && ptz_take_at(in, slot->offset + from, to, size) ? to : NULL;
}

static bool
load_slot(struct member *member, struct slot *slot)
{
	const struct ptz_ahead_plan *plan = &member->ahead->plan;
	const struct ptz_unpacker with = {
		member->unpacker, plan->wanted, plan->of_column, plan->of_count};
	struct unpacked *segment = &slot->segment;
	const size_t front = slot->part.front;
	unpacked_clear(segment);
	buf_clear(&member->bytes);
	const uint8_t *p = fetch(member, slot, PTZ_HEAD_SIZE, front);
	if (!p || checksum(p, front) != slot->part.front_check ||
		unpacked_front(segment, p, front, NULL) != POLY_OK)
		return false;
	const uint64_t size = unpacked_size(segment);
	if (size != slot->part.body - front || size > PTZ_SEGMENT_MOST)
		return false;
	p = fetch(member, slot, PTZ_HEAD_SIZE + front, (size_t)size);
	return p && unpacked_load(segment, &with, p, NULL) == POLY_OK;
}

/* Loads a segment, if one can be had. Under lock, which is left for the work. */
static bool
work_once(struct member *member)
{
	struct ptz_ahead *ahead = member->ahead;
	struct slot *slot = claim(member);
	if (!slot)
		return false;
	pthread_mutex_unlock(&ahead->lock);
	slot->good = load_slot(member, slot);
	pthread_mutex_lock(&ahead->lock);
	slot->done = true;
	pthread_cond_signal(&ahead->done);
	return true;
}

static void *
work(void *user)
{
	struct member *member = user;
	struct ptz_ahead *ahead = member->ahead;
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->stop) {
		if (!work_once(member))
			pthread_cond_wait(&ahead->freed, &ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* The first segment of the ring, when it is loaded; NULL: there is none. Under lock. */
static struct slot *
first(struct ptz_ahead *ahead)
{
	if (ahead->taken == ahead->used)
		return NULL;
	struct slot *slot = slot_at(ahead, ahead->used);
	while (!slot->done)
		pthread_cond_wait(&ahead->done, &ahead->lock);
	return slot;
}

/* Gives the first place of the ring back. Under lock. */
static void
drop(struct ptz_ahead *ahead)
{
	ahead->used++;
	pthread_cond_signal(&ahead->freed);
}

/*
 * Settles how far ahead is loaded: while segments are asked for one after the other twice as
 * far each time, and not at all behind those that were loaded in vain.
 */
static void
settle_far(struct ptz_ahead *ahead, uint64_t offset)
{
	const bool none = ahead->taken == ahead->used;
	const uint64_t expected = none ? ahead->next : slot_at(ahead, ahead->used)->offset;
	const size_t most = ahead->plan.threads, twice = ahead->far ? 2 * ahead->far : 1;
	if (!none && expected < offset)
		ahead->far = 0;
	else if (expected == offset)
		ahead->far = twice < most ? twice : most;
}

/* What stands before an offset was passed over: drops it. Under lock. */
static void
go_to(struct ptz_ahead *ahead, uint64_t offset)
{
	settle_far(ahead, offset);
	if (ahead->next <= offset) {
		ahead->next = offset;
		ahead->over = false;
	}
	while (ahead->taken != ahead->used && slot_at(ahead, ahead->used)->offset < offset) {
		first(ahead);
		drop(ahead);
	}
	pthread_cond_broadcast(&ahead->freed);
}

static bool
is_same(const struct ptz_part *a, const struct ptz_part *b)
{
	return a->tag == b->tag && a->front == b->front && a->body == b->body &&
	       a->front_check == b->front_check;
}

bool
ptz_ahead_take(struct ptz_ahead *ahead, const struct ptz_met *met, struct unpacked *segment)
{
	bool taken = false, more = true;
	pthread_mutex_lock(&ahead->lock);
	go_to(ahead, met->offset);
	while (more && (ahead->taken == ahead->used || !slot_at(ahead, ahead->used)->done))
		more = work_once(&ahead->members[0]);
	struct slot *slot = first(ahead);
	if (slot && slot->offset == met->offset) {
		taken = slot->good && is_same(&slot->part, met->part);
		if (taken)
			unpacked_swap(segment, &slot->segment);
		drop(ahead);
	}
	pthread_mutex_unlock(&ahead->lock);
	return taken;
}

void
ptz_ahead_free(struct ptz_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_broadcast(&ahead->freed);
	pthread_mutex_unlock(&ahead->lock);
	for (unsigned i = 0; i < ahead->opened; i++) {
		if (ahead->members[i].started)
			pthread_join(ahead->members[i].thread, NULL);
	}
	for (unsigned i = 0; i < ahead->opened; i++) {
		block_unpacker_free(ahead->members[i].unpacker);
		buf_free(&ahead->members[i].bytes);
	}
	for (unsigned i = 0; ahead->slots && i < ahead->plan.threads; i++)
		unpacked_fini(&ahead->slots[i].segment);
	pthread_cond_destroy(&ahead->freed);
	pthread_cond_destroy(&ahead->done);
	pthread_mutex_destroy(&ahead->lock);
	mem_free(ahead->slots);
	mem_free(ahead->members);
	mem_free(ahead);
}

static bool
make_members(struct ptz_ahead *ahead)
{
	const unsigned threads = ahead->plan.threads;
	ahead->slots = mem_new(threads, sizeof *ahead->slots);
	ahead->members = mem_new(threads, sizeof *ahead->members);
	bool good = ahead->slots && ahead->members;
	while (good && ahead->opened < threads) {
		struct member *member = &ahead->members[ahead->opened++];
		member->ahead = ahead;
		good = block_unpacker_new(&member->unpacker, NULL) == POLY_OK;
	}
	return good;
}

/* Starts the threads; false where none could be. */
static bool
start(struct ptz_ahead *ahead)
{
	unsigned started = 0;
	for (unsigned i = 1; i < ahead->opened; i++) {
		struct member *member = &ahead->members[i];
		member->started = thread_start(&member->thread, work, member);
		started += member->started;
	}
	return started > 0;
}

struct ptz_ahead *
ptz_ahead_new(const struct ptz_ahead_plan *plan)
{
	struct ptz_ahead *ahead = mem_new(1, sizeof *ahead);
	if (!ahead)
		return NULL;
	ahead->plan = *plan;
	/* Where nothing stands: the threads wait for the reader to tell. */
	ahead->over = true;
	if (ahead->plan.threads > PTZ_AHEAD_THREADS)
		ahead->plan.threads = PTZ_AHEAD_THREADS;
	pthread_mutex_init(&ahead->lock, NULL);
	ahead->far = 1;
	pthread_cond_init(&ahead->freed, NULL);
	pthread_cond_init(&ahead->done, NULL);
	if (!make_members(ahead) || !start(ahead)) {
		ptz_ahead_free(ahead);
		return NULL;
	}
	return ahead;
}
