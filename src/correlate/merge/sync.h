/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation events of several threads: what was learnt of them, and an order of them.
 *
 * spec: reference amber 7.1 (readings R1 to R6; edges PO, SEQ, HB, SNAP, MX), 5 (A19).
 */
#ifndef CORRELATE_MERGE_SYNC_H
#define CORRELATE_MERGE_SYNC_H

#include "polytrace/merge.h"

#include "base/buf.h"
#include "base/map.h"

/* No thread, object or ordinal. */
#define SYNC_NONE UINT32_MAX

/* Notes that are kept. */
#define SYNC_NOTES_MAX 100

/* What became of an event in the order. */
enum event_flag {
	EVENT_WAITED = 1,	 /* it was not ready when its thread came to it */
	EVENT_SNAP_DROPPED = 2,	 /* a signal: waits that count fewer stand behind it */
	EVENT_MUTEX_DROPPED = 4, /* an acquire: the section overlaps others by its counts */
	EVENT_OWNER_RELAXED = 8, /* an acquire: another thread held the mutex */
	EVENT_FORCED = 16,	 /* against a hard edge */
};

struct sync_event {
	uint64_t ordinal;     /* of a signal from 1; signals that a wait counts */
	uint64_t record;      /* records of its thread before it */
	uint64_t instruction; /* instructions of its thread before it */
	uint64_t section;     /* an acquire: ordinal of the unlock that ends it; 0: none */
	uint64_t waited;      /* EVENT_WAITED: records of others in the meantime */
	uint32_t object;      /* number of its address */
	uint32_t mutex;	      /* an acquire: the object acquired, else SYNC_NONE */
	uint8_t kind;	      /* enum poly_sync */
	uint8_t flags;	      /* enum event_flag */
};

/* An event, by its thread and its place in it. */
struct event_ref {
	uint32_t thread;
	size_t event;
};

/* A place with the ordinal of its event. */
struct event_mark {
	uint64_t ordinal;
	struct event_ref at;
};

struct sync_object {
	uint64_t address;
	uint64_t min_count;	    /* count of a signal as recorded; UINT64_MAX: no signal */
	bool tried, broadcast;	    /* a trywait, a broadcast was seen */
	bool alternates;	    /* strictly wait, signal, wait, signal in every thread */
	bool is_mutex;		    /* else a condition variable */
	struct event_mark *signals; /* by ordinal, thread, place */
	struct event_mark *waits;   /* by ordinal, thread, place */
	uint32_t *left; /* waits of equal ordinal not in the order yet, at the first */
	size_t signal_count, wait_count;
	size_t next_signal, next_wait; /* the first that is not in the order yet */
	uint32_t owner;		       /* thread that holds the mutex, or SYNC_NONE */
};

/* Why an event can't be next. */
enum block_reason {
	BLOCK_NONE,
	BLOCK_SEQUENCE, /* a signal: an earlier one of its address is not there */
	BLOCK_SIGNAL,	/* a wait: a signal that it counts is not there */
	BLOCK_SNAPSHOT, /* a signal: a wait that does not count it is not there */
	BLOCK_SECTION,	/* an acquire: sections that end before its own are not over */
	BLOCK_OWNER,	/* an acquire: another thread holds the mutex */
};

struct block_state {
	enum block_reason reason;
	struct event_ref on; /* the event that has to come first; BLOCK_OWNER: the next one of
			    the thread that holds it, which may be none */
	uint32_t object;     /* whose signal, wait or owner it is */
	uint64_t ordinal;    /* of the event that has to come first */
};

struct sync_thread {
	uint64_t number;
	char *name;
	struct sync_event *events;
	size_t count, capacity;
	uint64_t records, instructions; /* in the whole trace */
	/* The order so far. */
	size_t next;	   /* event */
	uint64_t position; /* records that are in it */
	uint64_t since;	   /* length of the order when block was first met */
	struct block_state
		block; /* why next could not go on when last tried; BLOCK_NONE: it could */
};

struct sync_state {
	struct poly_merge_options options;
	struct sync_thread *threads;
	size_t count, capacity; /* of threads */
	struct map numbers;	/* of objects, by address */
	struct sync_object *objects;
	size_t object_count, object_capacity;
	struct event_mark *marks; /* of all signals and waits, as objects slice them */
	uint32_t *left;
	bool resolved, before; /* the counts of signals are those before them */
	bool decided;	       /* the numbering was found out or given */
	/* The order so far. */
	uint64_t total;				       /* its records */
	size_t turn;				       /* the thread that ran last */
	uint64_t used;				       /* records of its quantum */
	uint64_t relaxed, snapshots, sections, forced; /* how often */
	struct buf why;
	char *notes[SYNC_NOTES_MAX];
	uint64_t note_count, resolved_notes;
	bool no_memory; /* for a note */
};

/* The event at a place. */
static inline struct sync_event *
sync_event_at(const struct sync_state *sync, struct event_ref at)
{
	return &sync->threads[at.thread].events[at.event];
}

/* True where an event is in the order. */
static inline bool
sync_done(const struct sync_state *sync, struct event_ref at)
{
	return at.event < sync->threads[at.thread].next;
}

/* True where the event is a signal or broadcast. */
static inline bool
event_signals(const struct sync_event *event)
{
	return event->kind == POLY_SYNC_SIGNAL || event->kind == POLY_SYNC_BROADCAST;
}

/* Adds a thread and learns its rows; see poly_merge_add and poly_merge_learn. */
enum poly_status sync_add(
	struct sync_state *sync, uint64_t number, const char *name, struct poly_error *error);
enum poly_status sync_read_events(struct sync_state *sync, size_t thread,
	const struct poly_batch *batch, struct poly_error *error);

/* Numbering, objects, sections, and notes on what can't be. POLY_ERR_MEMORY. */
enum poly_status sync_resolve(struct sync_state *sync, struct poly_error *error);

/* Notes on counts that can't be: A19. POLY_ERR_MEMORY. */
enum poly_status sync_check(struct sync_state *sync, struct poly_error *error);

/* Adds a note. */
void sync_note(struct sync_state *sync, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes the notes of the order back. */
void sync_discard_notes(struct sync_state *sync);

/* Begins the order again. */
void sync_rewind(struct sync_state *sync);

/* The next run of the order; see poly_merge_next_run. */
enum poly_status sync_next_run(
	struct sync_state *sync, struct poly_merge_run *run, struct poly_error *error);

/* Why the next event of a thread can't be in the order now. */
struct block_state sync_block(const struct sync_state *sync, size_t thread);

/*
 * No thread can go on: relaxes what is soft (or, where it is to be forced, hard), so that one
 * can. POLY_ERR_FORMAT: only hard edges are left.
 */
enum poly_status sync_relax(struct sync_state *sync, struct poly_error *error);

/* Appends what a thread had to wait for. */
void sync_describe_block(
	const struct sync_state *sync, const struct block_state *block, struct buf *text);

/* Gives everything back. */
void sync_fini(struct sync_state *sync);

#endif
