/* SPDX-License-Identifier: MIT */
/*
 * A ring of segments. Each worker loads the next unclaimed one; the reader takes them in order,
 * and loads segments itself instead of waiting.
 */
#include "format/ptz/prefetch.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/checksum.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Minimum number of other threads for which the reader only delivers, if they have work. */
#define WAITING_MIN 7

/* Maximum number of consecutive sections to skip that are not segments. */
#define OTHERS_MAX 4

/* A segment, loaded or in progress. */
struct prefetch_slot {
	uint64_t offset; /* of its section */
	struct ptz_section section;
	struct unpacked segment;
	struct decoder_result result; /* of work on its rows; count 0: none */
	bool loaded;
	bool done; /* not in progress; guarded by lock */
};

/* A worker: the first one is the reader, the others are threads. */
struct prefetch_worker {
	struct ptz_prefetch *prefetch;
	struct block_unpacker *unpacker;
	struct buf bytes; /* of a section */
	struct segment_worker work;
	pthread_t thread;
	bool started;
};

struct ptz_prefetch {
	struct ptz_prefetch_plan plan;
	struct prefetch_worker *workers;
	unsigned worker_count;
	struct prefetch_slot *slots; /* one per worker */
	atomic_bool is_refused;	     /* work on a segment was in vain */
	pthread_mutex_t lock;	     /* guards the following members */
	pthread_cond_t freed, done;  /* a slot was freed; a segment was loaded */
	size_t claimed, released;    /* slots claimed and released, in total */
	size_t distance; /* maximum number of slots in use besides the current segment's */
	uint64_t next;	 /* offset of the first section not yet examined */
	bool at_end;	 /* no segment follows */
	bool stop;
};

static struct prefetch_slot *
slot_at(const struct ptz_prefetch *prefetch, size_t number)
{
	return &prefetch->slots[number % prefetch->plan.threads];
}

/*
 * Reads the header of the section at an offset and, for a segment, the number of preceding
 * records; returns false if no complete section is there.
 */
static bool
peek_section(
	const struct in *in, uint64_t offset, struct ptz_section *section, uint64_t *before)
{
	/* Fronts of segments and indexes, the only sections after a segment, are longer. */
	uint8_t head[PTZ_HEADER_SIZE + sizeof *before];
	uint64_t taken, total;
	in_progress(in, &taken, &total);
	if (offset > total || total - offset < sizeof head)
		return false;
	if (!ptz_read_at(in, offset, head, sizeof head) || !ptz_parse_header(head, section))
		return false;
	*before = load_le64(head + PTZ_HEADER_SIZE);
	return section->front <= section->body && section->front <= PTZ_FRONT_MAX &&
	       section->body <= total - offset - PTZ_HEADER_SIZE;
}

/* A segment that was found, and the number of records before it. */
struct found_segment {
	struct ptz_section section;
	uint64_t before;
};

/* Moves an offset past sections that are not segments; returns false if none follows soon. */
static bool
find_segment(const struct in *in, uint64_t *offset, struct found_segment *found)
{
	for (unsigned skipped = 0; skipped <= OTHERS_MAX; skipped++) {
		if (!peek_section(in, *offset, &found->section, &found->before))
			return false;
		if (found->section.tag == PTZ_TAG_SEGMENT)
			return true;
		*offset += PTZ_HEADER_SIZE + found->section.body;
	}
	return false;
}

bool
ptz_prefetch_is_useful(const struct in *in, uint64_t offset)
{
	struct found_segment found;
	return find_segment(in, &offset, &found);
}

/* Claims the next segment; NULL if none is available now. Caller holds lock. */
static struct prefetch_slot *
claim_slot(struct prefetch_worker *worker)
{
	struct ptz_prefetch *prefetch = worker->prefetch;
	/* The reader may always load the current segment. */
	const size_t min = worker == prefetch->workers;
	const size_t max = prefetch->distance > min ? prefetch->distance : min;
	struct prefetch_slot *slot = slot_at(prefetch, prefetch->claimed);
	struct found_segment found;
	if (prefetch->at_end || prefetch->stop || prefetch->claimed - prefetch->released >= max)
		return NULL;
	prefetch->at_end = !find_segment(prefetch->plan.in, &prefetch->next, &found) ||
			   found.before >= prefetch->plan.end;
	if (prefetch->at_end)
		return NULL;
	slot->offset = prefetch->next;
	slot->section = found.section;
	prefetch->next += PTZ_HEADER_SIZE + found.section.body;
	slot->done = false;
	prefetch->claimed++;
	return slot;
}

/* Reads size bytes at from within a section; NULL: they are missing, or out of memory. */
static const uint8_t *
read_bytes(struct prefetch_worker *worker, const struct prefetch_slot *slot, uint64_t from,
	size_t size)
{
	uint8_t *dst = buf_reserve(&worker->bytes, size);
	const struct in *in = worker->prefetch->plan.in;
	return dst && ptz_read_at(in, slot->offset + from, dst, size) ? dst : NULL;
}

/* Loads the segment of a slot. */
static bool
load_segment(struct prefetch_worker *worker, struct prefetch_slot *slot)
{
	const struct ptz_prefetch_plan *plan = &worker->prefetch->plan;
	const struct ptz_load_options options = {
		worker->unpacker, plan->wanted, plan->column_map, plan->column_count};
	struct unpacked *segment = &slot->segment;
	const size_t front = slot->section.front;
	unpacked_clear(segment);
	buf_clear(&worker->bytes);
	const uint8_t *p = read_bytes(worker, slot, PTZ_HEADER_SIZE, front);
	if (!p || checksum(p, front) != slot->section.front_checksum ||
		unpacked_parse_front(segment, p, front, NULL) != POLY_OK)
		return false;
	const uint64_t size = unpacked_size(segment);
	if (size != slot->section.body - front || size > PTZ_SEGMENT_MAX)
		return false;
	p = read_bytes(worker, slot, PTZ_HEADER_SIZE + front, (size_t)size);
	return p && unpacked_load(segment, &options, p, NULL) == POLY_OK;
}

/* Loads a segment, and works on its rows; if that is in vain, it is loaded again, and threads
 * work on no further one. */
static bool
load_slot(struct prefetch_worker *worker, struct prefetch_slot *slot)
{
	struct ptz_prefetch *prefetch = worker->prefetch;
	const struct segment_work_plan *work = &prefetch->plan.work;
	decoder_result_clear(&slot->result);
	if (!load_segment(worker, slot))
		return false;
	if (!work->count || prefetch->is_refused ||
		segment_work_on(
			&worker->work, work, &slot->segment, slot->offset, &slot->result))
		return true;
	prefetch->is_refused = true;
	return load_segment(worker, slot);
}

/* Loads a segment, if one is available. Caller holds lock, which is released while loading. */
static bool
load_next(struct prefetch_worker *worker)
{
	struct ptz_prefetch *prefetch = worker->prefetch;
	struct prefetch_slot *slot = claim_slot(worker);
	if (!slot)
		return false;
	pthread_mutex_unlock(&prefetch->lock);
	slot->loaded = load_slot(worker, slot);
	pthread_mutex_lock(&prefetch->lock);
	slot->done = true;
	pthread_cond_signal(&prefetch->done);
	return true;
}

static void *
run_worker(void *user)
{
	struct prefetch_worker *worker = user;
	struct ptz_prefetch *prefetch = worker->prefetch;
	pthread_mutex_lock(&prefetch->lock);
	while (!prefetch->stop) {
		if (!load_next(worker))
			pthread_cond_wait(&prefetch->freed, &prefetch->lock);
	}
	pthread_mutex_unlock(&prefetch->lock);
	return NULL;
}

/* Waits for the first segment of the ring; NULL: the ring is empty. Caller holds lock. */
static struct prefetch_slot *
wait_for_first(struct ptz_prefetch *prefetch)
{
	if (prefetch->claimed == prefetch->released)
		return NULL;
	struct prefetch_slot *slot = slot_at(prefetch, prefetch->released);
	while (!slot->done)
		pthread_cond_wait(&prefetch->done, &prefetch->lock);
	return slot;
}

/* Releases the first slot of the ring. Caller holds lock. */
static void
release_first(struct ptz_prefetch *prefetch)
{
	prefetch->released++;
	pthread_cond_signal(&prefetch->freed);
}

/*
 * Adapts the prefetch distance: doubles it while the reader takes consecutive segments, and
 * stops prefetching after segments that were loaded but not used.
 */
static void
adapt_distance(struct ptz_prefetch *prefetch, uint64_t offset)
{
	const bool none = prefetch->claimed == prefetch->released;
	struct found_segment found;
	if (none && prefetch->next < offset)
		find_segment(prefetch->plan.in, &prefetch->next, &found);
	const uint64_t expected =
		none ? prefetch->next : slot_at(prefetch, prefetch->released)->offset;
	const size_t max = prefetch->plan.threads,
		     twice = prefetch->distance ? 2 * prefetch->distance : 1;
	if (!none && expected < offset)
		prefetch->distance = 0;
	else if (expected == offset)
		prefetch->distance = twice < max ? twice : max;
}

/* Releases the segments before an offset, which the reader skipped. Caller holds lock. */
static void
advance_to(struct ptz_prefetch *prefetch, uint64_t offset)
{
	adapt_distance(prefetch, offset);
	if (prefetch->next <= offset) {
		prefetch->next = offset;
		prefetch->at_end = false;
	}
	while (prefetch->claimed != prefetch->released &&
		slot_at(prefetch, prefetch->released)->offset < offset) {
		wait_for_first(prefetch);
		release_first(prefetch);
	}
	pthread_cond_broadcast(&prefetch->freed);
}

static bool
is_same(const struct ptz_section *a, const struct ptz_section *b)
{
	return a->tag == b->tag && a->front == b->front && a->body == b->body &&
	       a->front_checksum == b->front_checksum;
}

/* Returns whether the reader loads a segment instead of waiting for the first one of the ring.
 * Caller holds lock. */
static bool
reader_loads(const struct ptz_prefetch *prefetch)
{
	if (prefetch->claimed == prefetch->released)
		return true;
	return !slot_at(prefetch, prefetch->released)->done &&
	       (!prefetch->plan.work.count || prefetch->plan.threads <= WAITING_MIN);
}

bool
ptz_prefetch_take(struct ptz_prefetch *prefetch, const struct ptz_reached *reached,
	struct unpacked *segment, struct decoder_result *result)
{
	bool taken = false, progress = true;
	pthread_mutex_lock(&prefetch->lock);
	advance_to(prefetch, reached->offset);
	while (progress && reader_loads(prefetch))
		progress = load_next(&prefetch->workers[0]);
	struct prefetch_slot *slot = wait_for_first(prefetch);
	if (slot && slot->offset == reached->offset) {
		taken = slot->loaded && is_same(&slot->section, reached->section);
		taken = taken &&
			(!slot->result.count || reached->before == slot->segment.first);
		if (taken) {
			unpacked_swap(segment, &slot->segment);
			*result = slot->result;
			slot->result.count = 0;
		}
		release_first(prefetch);
	}
	pthread_mutex_unlock(&prefetch->lock);
	return taken;
}

void
ptz_prefetch_free(struct ptz_prefetch *prefetch)
{
	if (!prefetch)
		return;
	pthread_mutex_lock(&prefetch->lock);
	prefetch->stop = true;
	pthread_cond_broadcast(&prefetch->freed);
	pthread_mutex_unlock(&prefetch->lock);
	for (unsigned i = 0; i < prefetch->worker_count; i++) {
		if (prefetch->workers[i].started)
			pthread_join(prefetch->workers[i].thread, NULL);
	}
	for (unsigned i = 0; i < prefetch->worker_count; i++) {
		block_unpacker_free(prefetch->workers[i].unpacker);
		buf_free(&prefetch->workers[i].bytes);
		segment_worker_fini(&prefetch->workers[i].work);
	}
	for (unsigned i = 0; prefetch->slots && i < prefetch->plan.threads; i++) {
		unpacked_fini(&prefetch->slots[i].segment);
		decoder_result_clear(&prefetch->slots[i].result);
	}
	pthread_cond_destroy(&prefetch->freed);
	pthread_cond_destroy(&prefetch->done);
	pthread_mutex_destroy(&prefetch->lock);
	mem_free(prefetch->slots);
	mem_free(prefetch->workers);
	mem_free(prefetch);
}

static bool
create_workers(struct ptz_prefetch *prefetch)
{
	const unsigned threads = prefetch->plan.threads;
	prefetch->slots = mem_new(threads, sizeof *prefetch->slots);
	prefetch->workers = mem_new(threads, sizeof *prefetch->workers);
	bool loaded = prefetch->slots && prefetch->workers;
	while (loaded && prefetch->worker_count < threads) {
		struct prefetch_worker *worker = &prefetch->workers[prefetch->worker_count];
		worker->work.index = prefetch->worker_count++;
		worker->prefetch = prefetch;
		loaded = block_unpacker_new(&worker->unpacker, NULL) == POLY_OK;
	}
	return loaded;
}

/* Starts the threads; returns false if none could be started. */
static bool
start_workers(struct ptz_prefetch *prefetch)
{
	unsigned started = 0;
	for (unsigned i = 1; i < prefetch->worker_count; i++) {
		struct prefetch_worker *worker = &prefetch->workers[i];
		worker->started = thread_start(&worker->thread, run_worker, worker);
		started += worker->started;
	}
	return started > 0;
}

struct ptz_prefetch *
ptz_prefetch_new(const struct ptz_prefetch_plan *plan)
{
	struct ptz_prefetch *prefetch = mem_new(1, sizeof *prefetch);
	if (!prefetch)
		return NULL;
	prefetch->plan = *plan;
	/* The threads wait until the reader reaches its first segment. */
	prefetch->at_end = true;
	pthread_mutex_init(&prefetch->lock, NULL);
	prefetch->distance = 1;
	pthread_cond_init(&prefetch->freed, NULL);
	pthread_cond_init(&prefetch->done, NULL);
	if (!create_workers(prefetch) || !start_workers(prefetch)) {
		ptz_prefetch_free(prefetch);
		return NULL;
	}
	return prefetch;
}
