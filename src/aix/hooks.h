/* SPDX-License-Identifier: MIT */
/*
 * Which data words of which kernel hooks say whose an event is, and what the hook tells: a
 * table, that of the library or one that the user gives.
 *
 * Nothing of it is published but the ids and the printed texts, so every row of the library's
 * own table is assumed: numbers stand in the order in which the texts print them, and names
 * behind them.
 *
 * spec: reference aix 3 (37), 4.8 (Data words of the kernel hooks).
 */
#ifndef AIX_HOOKS_H
#define AIX_HOOKS_H

#include "aix/event.h"

/* What a hook tells. */
enum aix_action {
	AIX_DISPATCH, /* thread tid of process pid runs from now on, on cpu */
	AIX_IDLE,     /* the same, of a thread that waits for work */
	AIX_PROCESS,  /* process pid runs the program name */
	AIX_EXEC,     /* process pid, or that of tid, runs the program name from now on */
	AIX_FORK,     /* process pid with its first thread tid was made */
	AIX_EXIT,     /* the process of the thread ends */
	AIX_THREAD,   /* thread tid of process pid was made */
	AIX_CALL,     /* the thread enters system call svc */
	AIX_RETURN,   /* the thread leaves its system call */
	AIX_CURRENT,  /* the thread is one of process pid */
	AIX_ENTER,    /* an interrupt begins */
	AIX_LEAVE,    /* an interrupt ends */
	AIX_HANDLER,  /* a second-level handler begins */
	AIX_HANDLED,  /* a second-level handler ends */
	AIX_LOCK,     /* the thread takes lock */
	AIX_UNLOCK,   /* the thread gives lock back */
	AIX_ACTION_COUNT,
};

/* What a row tells the place of. */
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
	AIX_NOWHERE,   /* the hook does not tell it */
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
	bool has_sub;	/* only for that sub-hook, as aix_event_sub tells it */
	uint8_t bits;	/* 32, 64: only for hook words of so many bits; 0: for both */
	uint8_t action; /* enum aix_action */
	uint16_t sub;
	struct aix_place places[AIX_FIELD_COUNT];
};

/* Most rows of a table. */
#define AIX_HOOKS_MOST 250

struct aix_hooks {
	struct aix_hook *rows; /* those of a hook one behind the other */
	size_t count;
	uint8_t by_hook[65536]; /* index of a hook's first row, plus 1; 0: none */
};

/* The table that is used where the user gives none, as lines that aix_hooks_parse takes. */
extern const char aix_hooks_text[];

/*
 * Reads a table of n bytes of lines, called name in messages (NULL: 'hooks'). On POLY_OK the
 * caller ends it with aix_hooks_fini. POLY_ERR_USAGE: the text is wrong; the message names line
 * and column. POLY_ERR_MEMORY.
 */
enum poly_status aix_hooks_parse(struct aix_hooks *hooks, const char *text, size_t n,
	const char *name, struct poly_error *error);

/* The row of an event; NULL: there is none. */
const struct aix_hook *aix_hooks_find(
	const struct aix_hooks *hooks, const struct aix_event *event);

/* The number that a row tells the place of; false: the row or the event does not have it. */
bool aix_hook_number(const struct aix_hook *row, enum aix_field field,
	const struct aix_event *event, uint64_t *number);

/* The text that a row tells the place of, and its length; NULL where there is none. */
const char *aix_hook_text(const struct aix_hook *row, enum aix_field field,
	const struct aix_event *event, size_t *length);

/* Gives the rows back. */
void aix_hooks_fini(struct aix_hooks *hooks);

#endif
