/* SPDX-License-Identifier: MIT */
/* The trace's information as its producer fills it: owns the strings and facts. */
#ifndef MODEL_INFO_H
#define MODEL_INFO_H

#include "polytrace/batch.h"
#include "polytrace/trace.h"

#include "base/intern.h"

/* Maximum bytes of stored names, including INFO_NAME_COST for each. */
#define INFO_NAMES_MAX ((size_t)4 << 20)
#define INFO_NAME_COST 64

struct poly_trace_names {
	struct intern names; /* strings of the NAME columns */
	bool is_weighted;    /* rows may stand for several records, as the plan of the reader
				permits */
	/* Of the columns of registers, as the plan of the reader has them. */
	const char *const *registers;
	unsigned register_count;
};

/* Returns the number of columns of registers. */
static inline unsigned
info_register_count(const struct poly_trace_info *info)
{
	return info->names ? info->names->register_count : 0;
}

struct info {
	struct poly_trace_info view; /* what consumers see; scalar fields are set directly */
	struct poly_trace_names names;
	struct intern strings; /* owns text of facts and producer */
	struct info_facts {
		struct poly_fact *list;
		size_t count, capacity;
	} facts, labels;    /* storage of those in view */
	uint32_t names_max; /* for info_keep_name: maximum number of names; 0: INFO_NAMES_MAX */
	bool full;	    /* names exceed the maximum: see info_keep_name */
	bool no_memory;	    /* info_keep_name ran out of memory */
};

/* Initialises an empty information. */
void info_init(struct info *info);

/* Adds or replaces a fact; copies key and value. False: out of memory. */
bool info_fact(struct info *info, const char *key, const char *value);

/* Adds or replaces a label, likewise. */
bool info_label(struct info *info, const char *key, const char *value);

/* Returns a copy of a string that lives as long as the information; NULL: out of memory. */
const char *info_string(struct info *info, const char *text);

/* Returns the number of a name of n bytes for a NAME column; INTERN_FAILED: out of memory. */
uint32_t info_name(struct info *info, const char *name, size_t n);

/*
 * As info_name, for names whose number the input alone limits. False: out of memory (sets
 * no_memory for good), or the names exceed names_max or INFO_NAMES_MAX bytes (sets full for
 * good).
 */
bool info_keep_name(struct info *info, const char *name, size_t n, uint32_t *number);

/* Frees the strings, names and facts. */
void info_fini(struct info *info);

/* A copy of a trace's information, which does not depend on its reader. Zeroed is empty. */
struct info_copy {
	struct info info;
	const char *records[UINT8_MAX + 1]; /* storage of those in info.view */
};

/*
 * Makes the copy; later calls add the names and records that the trace has gained, while other
 * threads may use copies of info.view made before. False: out of memory.
 */
bool info_copy_update(struct info_copy *copy, const struct poly_trace_info *source);

/* As info_copy_update, without names. */
bool info_copy_without_names(struct info_copy *copy, const struct poly_trace_info *source);

/* Returns the information of a trace with the names and records of a batch, which may be a
 * decoder's. */
static inline struct poly_trace_info
info_of_batch(const struct info_copy *trace, const struct poly_batch *batch)
{
	struct poly_trace_info info = trace->info.view;
	info.names = batch->info->names;
	info.records = batch->info->records;
	info.record_count = batch->info->record_count;
	return info;
}

/* Frees the copy and makes it empty. */
void info_copy_fini(struct info_copy *copy);

#endif
