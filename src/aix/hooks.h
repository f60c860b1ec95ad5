/* SPDX-License-Identifier: MIT */
/*
 * Table of kernel hooks: the action of each hook, and the data words that identify an event's
 * process, thread and cpu. The table is the library's or the user's.
 *
 * Only the ids and the printed texts are published, so every row of the library's own table is
 * assumed: numbers have the order in which the texts print them, and names follow them.
 *
 * spec: AIX Trace Hook IDs; the data words are assumed.
 */
#ifndef AIX_HOOKS_H
#define AIX_HOOKS_H

#include "aix/event.h"

/* Actions of hooks. */
enum aix_action {
	AIX_DISPATCH, /* thread tid of process pid is dispatched on cpu */
	AIX_IDLE,     /* the same, for an idle thread */
	AIX_PROCESS,  /* process pid runs the program name */
	AIX_EXEC,     /* process pid, or that of tid, starts the program name */
	AIX_FORK,     /* process pid with its first thread tid was created */
	AIX_EXIT,     /* the process of the thread ends */
	AIX_THREAD,   /* thread tid of process pid was created */
	AIX_CALL,     /* the thread enters system call svc */
	AIX_RETURN,   /* the thread leaves its system call */
	AIX_CURRENT,  /* the thread belongs to process pid */
	AIX_ENTER,    /* an interrupt begins */
	AIX_LEAVE,    /* an interrupt ends */
	AIX_HANDLER,  /* a second-level handler begins */
	AIX_HANDLED,  /* a second-level handler ends */
	AIX_LOCK,     /* the thread acquires lock */
	AIX_UNLOCK,   /* the thread releases lock */
	AIX_ACTION_COUNT,
};

/* Fields whose places a row defines. */
enum aix_field {
	AIX_FIELD_tid,
	AIX_FIELD_pid,
	AIX_FIELD_name,
	AIX_FIELD_svc,
	AIX_FIELD_cpu,
	AIX_FIELD_lock,
	AIX_FIELD_COUNT,
};

enum aix_place_kind {
	AIX_NOWHERE,   /* the hook does not have it */
	AIX_WORD,      /* data word number */
	AIX_TEXT,      /* text from data word number on, to a NUL or the end */
	AIX_HOOK_DATA, /* hook data, or the sub-hook */
	AIX_THREAD_ID, /* the thread id of the entry */
};

struct aix_place {
	uint8_t kind;	/* enum aix_place_kind */
	uint8_t number; /* of the data word, from 1 */
};

/* A row of the table. */
struct aix_hook {
	uint16_t hook;	/* in the form of four digits */
	bool has_sub;	/* only for that sub-hook, as aix_event_sub returns it */
	uint8_t bits;	/* 32, 64: only for hook words of that width; 0: both */
	uint8_t action; /* enum aix_action */
	uint16_t sub;
	struct aix_place places[AIX_FIELD_COUNT];
};

/* Maximum number of rows of a table. */
#define AIX_HOOKS_MAX 250

struct aix_hooks {
	struct aix_hook *rows; /* the rows of a hook are consecutive */
	size_t count;
	uint8_t by_hook[65536]; /* index of a hook's first row, plus 1; 0: none */
};

/* The default table, as lines for aix_hooks_parse. */
extern const char aix_hooks_text[];

/*
 * Parses a table of n bytes of lines, called name in messages (NULL: 'hooks'). On POLY_OK the
 * caller ends it with aix_hooks_fini. POLY_ERR_USAGE: the text is wrong; the message names line
 * and column. POLY_ERR_MEMORY.
 */
enum poly_status aix_hooks_parse(struct aix_hooks *hooks, const char *text, size_t n,
	const char *name, struct poly_error *error);

/* Finds the row of an event; NULL: none. */
const struct aix_hook *aix_hooks_find(
	const struct aix_hooks *hooks, const struct aix_event *event);

/* Loads the number of a field; false: the row or the event does not have it. */
bool aix_hook_number(const struct aix_hook *row, enum aix_field field,
	const struct aix_event *event, uint64_t *number);

/* Returns the text of a field, and its length; NULL: the row or the event does not have it. */
const char *aix_hook_text(const struct aix_hook *row, enum aix_field field,
	const struct aix_event *event, size_t *length);

/* Frees the rows. */
void aix_hooks_fini(struct aix_hooks *hooks);

#endif
