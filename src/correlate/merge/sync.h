/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation events of several threads, and their order.
 *
 * spec: Apple amber traces 7.1 (readings R1 to R6; edges PO, SEQ, HB, SNAP, MX), 5 (A19).
 */
#ifndef CORRELATE_MERGE_SYNC_H
#define CORRELATE_MERGE_SYNC_H

#include "polytrace/merge.h"

#include "base/buf.h"
#include "base/map.h"

/* No thread, object or ordinal. */
#define SYNC_NONE UINT32_MAX

/* Maximum number of stored notes. */
#define SYNC_NOTES_MAX 100

/* Flags of an event in the order. */
enum event_flag {
	EVENT_WAITED = 1,	 /* blocked when its thread reached it */
	EVENT_SNAP_DROPPED = 2,	 /* a signal: waits with lower counts follow it */
	EVENT_MUTEX_DROPPED = 4, /* an acquire: the section overlaps others by its counts */
	EVENT_OWNER_RELAXED = 8, /* an acquire: another thread held the mutex */
	EVENT_FORCED = 16,	 /* against a hard edge */
};

struct sync_event {
	uint64_t ordinal;     /* of a signal from 1; of a wait the signals that it counts */
	uint64_t record;      /* records of its thread before it */
	uint64_t instruction; /* instructions of its thread before it */
	uint64_t section;     /* an acquire: ordinal of its unlock; 0: none */
	uint64_t signal;      /* an acquire: last signal within its section; 0: none */
	uint64_t waited;      /* EVENT_WAITED: records of other threads meanwhile */
	uint32_t object;      /* index of its object */
	uint32_t mutex;	      /* an acquire: the object acquired, else SYNC_NONE */
	uint32_t signaled;    /* an acquire: the condition variable of that signal */
	uint8_t kind;	      /* enum poly_sync */
	uint8_t flags;	      /* enum event_flag */
};

/* Reference to an event: its thread and its index there. */
struct event_ref {
	uint32_t thread;
	size_t event;
};

/* Reference to an event, with its ordinal. */
struct event_mark {
	uint64_t ordinal;
	struct event_ref at;
};

struct sync_object {
	uint64_t address;
	uint64_t min_count;    /* minimum recorded count of a signal; UINT64_MAX: no signal */
	bool tried, broadcast; /* has a trywait, a broadcast */
	bool alternates;       /* strictly wait, signal, wait, signal in every thread */
	bool is_mutex;	       /* else a condition variable */
	struct event_mark *signals; /* by ordinal, thread, index */
	struct event_mark *waits;   /* by ordinal, thread, index */
	uint32_t *left; /* waits of equal ordinal not yet in the order, at the first of them */
	size_t signal_count, wait_count;
	size_t next_signal, next_wait; /* the first not yet in the order */
	uint32_t owner;		       /* thread that holds the mutex, or SYNC_NONE */
};

/* Why an event is blocked. */
enum block_reason {
	BLOCK_NONE,
	BLOCK_SEQUENCE, /* a signal: an earlier one of its address is not in the order */
	BLOCK_SIGNAL,	/* a wait: a signal that it counts is not in the order */
	BLOCK_SNAPSHOT, /* a signal: a wait that does not count it is not in the order */
	BLOCK_SECTION,	/* an acquire: sections that precede its own have not ended */
	BLOCK_OWNER,	/* an acquire: another thread holds the mutex */
};

struct block_state {
	enum block_reason reason;
	struct event_ref on; /* the event that must precede; BLOCK_OWNER: the next one of the
			     thread that holds the mutex, if any */
	uint32_t object;     /* object of that signal, wait or owner */
	uint64_t ordinal;    /* of the event that must precede */
};

/* A system call that creates a thread. */
struct sync_call {
	uint64_t next;	 /* address of the next instruction in memory */
	uint64_t record; /* its number in the trace, from 1 */
};

struct sync_thread {
	uint64_t number;
	char *name;
	struct sync_call *calls;
	size_t call_count, call_capacity;
	uint64_t first_pc; /* of its first instruction, if has_first */
	bool has_first;
	unsigned call_number;  /* of the next system call, while reading: */
	uint64_t number_age;   /* instructions since its load */
	uint32_t creator;      /* thread that created it; SYNC_NONE: not known */
	uint64_t created_at;   /* records of the creator up to its call */
	bool creation_dropped; /* it precedes its creation in the order */
	struct sync_event *events;
	size_t count, capacity;
	uint64_t records, instructions; /* in the whole trace */
	/* The order so far. */
	size_t next;	   /* event */
	uint64_t position; /* records in the order */
	uint64_t since;	   /* length of the order when block began */
	struct block_state
		block; /* why next was blocked when last tried; BLOCK_NONE: it was not */
};

struct sync_state {
	struct poly_merge_options options;
	struct sync_thread *threads;
	size_t count, capacity; /* of threads */
	struct map numbers;	/* indices of objects, by address */
	struct sync_object *objects;
	size_t object_count, object_capacity;
	struct event_mark *marks; /* of all signals and waits, sliced by object */
	uint32_t *left;
	bool resolved, before; /* before: signals carry the count before themselves */
	bool decided;	       /* the numbering was detected or set */
	/* The order so far. */
	uint64_t total;				       /* its records */
	size_t turn;				       /* the thread that ran last */
	uint64_t used;				       /* records of its quantum */
	uint64_t relaxed, snapshots, sections, forced; /* counts */
	struct buf why;
	char *notes[SYNC_NOTES_MAX];
	uint64_t note_count, resolved_notes;
	bool no_memory; /* out of memory for a note */
};

/* Returns the event of a reference. */
static inline struct sync_event *
sync_event_at(const struct sync_state *sync, struct event_ref at)
{
	return &sync->threads[at.thread].events[at.event];
}

/* True if an event is in the order. */
static inline bool
sync_done(const struct sync_state *sync, struct event_ref at)
{
	return at.event < sync->threads[at.thread].next;
}

/* True if the event is a signal or broadcast. */
static inline bool
event_signals(const struct sync_event *event)
{
	return event->kind == POLY_SYNC_SIGNAL || event->kind == POLY_SYNC_BROADCAST;
}

/* Adds a thread, reads its rows; see poly_merge_add and poly_merge_read_events. */
enum poly_status sync_add(
	struct sync_state *sync, uint64_t number, const char *name, struct poly_error *error);
enum poly_status sync_read_events(struct sync_state *sync, size_t thread,
	const struct poly_batch *batch, struct poly_error *error);

/* Reads the system calls of the next rows of a thread. POLY_ERR_MEMORY. */
enum poly_status sync_read_calls(
	struct sync_thread *thread, const struct poly_batch *batch, struct poly_error *error);

/* Determines the creators of threads, as far as they are known. */
void sync_find_creators(struct sync_state *sync);

/* True if the call that created a thread is in the order, or is not known. */
bool sync_is_created(const struct sync_state *sync, size_t thread);

/* Lets a thread precede its creation, with a note; false: none has to. */
bool sync_drop_creation(struct sync_state *sync);

/* Resolves numbering, objects and sections, and checks the counts. POLY_ERR_MEMORY. */
enum poly_status sync_resolve(struct sync_state *sync, struct poly_error *error);

/* Adds notes on invalid counts: A19. POLY_ERR_MEMORY. */
enum poly_status sync_check(struct sync_state *sync, struct poly_error *error);

/* Adds a note. */
void sync_note(struct sync_state *sync, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Discards the notes of the order. */
void sync_discard_notes(struct sync_state *sync);

/* Restarts the order. */
void sync_rewind(struct sync_state *sync);

/* Gets the next run of the order; see poly_merge_next_run. */
enum poly_status sync_next_run(
	struct sync_state *sync, struct poly_merge_run *run, struct poly_error *error);

/* Returns why the next event of a thread is blocked. */
struct block_state sync_block(const struct sync_state *sync, size_t thread);

/*
 * Relaxes a soft edge (or, if forced, a hard one) when all threads are blocked.
 * POLY_ERR_FORMAT: only hard edges remain.
 */
enum poly_status sync_relax(struct sync_state *sync, struct poly_error *error);

/* Appends a description of the event that a thread waited for. */
void sync_describe_block(
	const struct sync_state *sync, const struct block_state *block, struct buf *text);

/* Frees the memory. */
void sync_fini(struct sync_state *sync);

#endif
