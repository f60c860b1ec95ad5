/* SPDX-License-Identifier: MIT */
/*
 * State of the built-in macros from event to event: the v-node of each file descriptor, buffer
 * and page, and the names of v-nodes.
 *
 * All tables are bounded: beyond a limit nothing new is stored.
 *
 * spec: IBM, trcfmt File Format (Built-in Macros); AIX trace reference 4.6.
 */
#ifndef TRCFMT_FILES_H
#define TRCFMT_FILES_H

#include "base/intern.h"
#include "base/map.h"

#define FILES_LINKS ((size_t)1 << 18)	    /* links of all relations together */
#define FILES_RANGES ((size_t)1 << 16)	    /* address ranges */
#define FILES_CHAIN 16			    /* ranges of one segment that are searched */
#define FILES_NAMES ((uint32_t)1 << 18)	    /* different names */
#define FILES_NAME_BYTES ((size_t)16 << 20) /* bytes of all names */
#define FILES_NAME 1023			    /* bytes of one name: AIX's PATH_MAX */

enum files_relation {
	FILES_CURRENT_FILE, /* process: name of the file that the process looked up */
	FILES_LOOKED_UP,    /* process: v-node that the process looked up */
	FILES_IN_USE,	    /* process: v-node that the process reads or writes */
	FILES_DESCRIPTOR,   /* process, descriptor: v-node */
	FILES_NAME_OF,	    /* v-node: name */
	FILES_BUFFER,	    /* buffer: v-node */
	FILES_SEGMENT,	    /* segment id: newest of its ranges */
	FILES_HANDLER,	    /* address: name of a second-level interrupt handler */
	FILES_ERRNO,	    /* errno value: its name in the user's table */
	FILES_TIMER,	    /* two numbers of a template, thread: time in ns */
};

struct files_key {
	enum files_relation relation;
	uint64_t a, b, c; /* the parts of the key; 0 if the relation has fewer */
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

/* Initially all zero. */
struct files {
	struct map places; /* hash of a key: index of its link */
	struct files_link *links;
	size_t link_count, link_capacity;
	struct files_range *ranges;
	size_t range_count, range_capacity;
	struct intern names;
};

/* Links key to value, replacing a previous value. False: out of memory. */
bool files_set(struct files *files, const struct files_key *key, uint64_t value);

/* Gets the value of key; false: none. */
bool files_get(const struct files *files, const struct files_key *key, uint64_t *value);

/* As files_set with a name of n bytes for the value; names that are too long are ignored. */
bool files_set_name(
	struct files *files, const struct files_key *key, const void *name, size_t n);

/* Returns the name that files_set_name linked to key; NULL: none. */
const char *files_get_name(const struct files *files, const struct files_key *key);

/* Returns the name of a v-node; NULL: none. */
const char *files_vnode_name(const struct files *files, uint64_t vnode);

/* Stores a range; its field older is ignored. False: out of memory. */
bool files_add_range(struct files *files, const struct files_range *range);

/* Gets the v-node of a page; false: none. */
bool files_get_page(
	const struct files *files, uint64_t segment, uint64_t page, uint64_t *vnode);

/* Gets the v-node of the last stored range of a segment; false: none. */
bool files_get_segment(const struct files *files, uint64_t segment, uint64_t *vnode);

/* Frees the memory. */
void files_free(struct files *files);

#endif
