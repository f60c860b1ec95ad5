/* SPDX-License-Identifier: MIT */
/*
 * What the built-in macros of templates remember from event to event: which file descriptor,
 * buffer and page belongs to which v-node, and the names of v-nodes.
 *
 * Everything is bounded: behind a limit nothing new is remembered.
 *
 * spec: seed 003 (Built-in Macros); reference aix 4.6.
 */
#ifndef TRCFMT_FILES_H
#define TRCFMT_FILES_H

#include "base/intern.h"
#include "base/map.h"

#define FILES_LINKS ((size_t)1 << 18)	    /* links held, of all relations together */
#define FILES_RANGES ((size_t)1 << 16)	    /* address ranges held */
#define FILES_CHAIN 16			    /* ranges of one segment that are looked at */
#define FILES_NAMES ((uint32_t)1 << 18)	    /* different names */
#define FILES_NAME_BYTES ((size_t)16 << 20) /* bytes of all names */
#define FILES_NAME 1023			    /* bytes of one name: AIX's PATH_MAX */

enum files_relation {
	FILES_CURRENT_FILE, /* process: name of the file that it looked up */
	FILES_LOOKED_UP,    /* process: v-node that it looked up */
	FILES_IN_USE,	    /* process: v-node that it reads or writes */
	FILES_DESCRIPTOR,   /* process, descriptor: v-node */
	FILES_NAME_OF,	    /* v-node: name */
	FILES_BUFFER,	    /* buffer: v-node */
	FILES_SEGMENT,	    /* segment id: newest of its ranges */
	FILES_HANDLER,	    /* address: name of a second-level interrupt handler */
	FILES_ERRNO,	    /* errno value: the name that the user gives it */
	FILES_TIMER,	    /* two numbers of a template, thread: time in ns */
};

struct files_key {
	enum files_relation relation;
	uint64_t a, b, c; /* what is linked; 0 where the relation has fewer */
};

struct files_link {
	struct files_key key;
	uint64_t value;
};

/* Pages of a segment that belong to a v-node. */
struct files_range {
	uint64_t segment, first, last; /* numbers of pages, both included */
	uint64_t vnode;
	uint32_t older; /* index plus 1 of the next older range of the segment; 0: none */
};

/* All zero: nothing is remembered. */
struct files {
	struct map places; /* hash of a key: index of its link */
	struct files_link *links;
	size_t link_count, link_capacity;
	struct files_range *ranges;
	size_t range_count, range_capacity;
	struct intern names;
};

/* Links key to value, in place of what it was linked to. False: no memory. */
bool files_put(struct files *files, const struct files_key *key, uint64_t value);

/* What key is linked to; false: nothing. */
bool files_get(const struct files *files, const struct files_key *key, uint64_t *value);

/* As files_put with n bytes of a name for the value; names that are too long are not taken. */
bool files_put_name(
	struct files *files, const struct files_key *key, const void *name, size_t n);

/* The name that key is linked to by files_put_name; NULL: none. */
const char *files_get_name(const struct files *files, const struct files_key *key);

/* The name of a v-node; NULL: none. */
const char *files_vnode_name(const struct files *files, uint64_t vnode);

/* Remembers a range, whose older is not looked at. False: no memory. */
bool files_put_range(struct files *files, const struct files_range *range);

/* The v-node that a page belongs to; false: none. */
bool files_get_page(
	const struct files *files, uint64_t segment, uint64_t page, uint64_t *vnode);

/* The v-node of the range of a segment that was remembered last; false: none. */
bool files_get_segment(const struct files *files, uint64_t segment, uint64_t *vnode);

/* Forgets everything and gives the memory back. */
void files_free(struct files *files);

#endif
