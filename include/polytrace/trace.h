/* SPDX-License-Identifier: MIT */
/* Metadata of a trace as a whole. */
#ifndef POLYTRACE_TRACE_H
#define POLYTRACE_TRACE_H

#include "polytrace/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Order of the bytes of a number in the trace's file. */
enum poly_byte_order {
	POLY_BYTE_ORDER_NONE,	/* text, or unknown */
	POLY_BYTE_ORDER_BIG,	/* most significant byte first */
	POLY_BYTE_ORDER_LITTLE, /* least significant byte first */
};

/* Address space of a trace. */
enum poly_address_space {
	POLY_ADDRESS_UNKNOWN,  /* not defined by the format */
	POLY_ADDRESS_VIRTUAL,  /* effective addresses of a process */
	POLY_ADDRESS_PHYSICAL, /* addresses on the bus */
};

struct poly_format_info;

/* A fact of the trace, by name: "amber.record" = "1004". */
struct poly_fact {
	const char *key;   /* lower case, dotted; unique within the trace */
	const char *value; /* UTF-8 text */
};

/*
 * Metadata of a trace, valid while its reader is open. The reader owns all strings. Absent
 * strings are NULL.
 */
struct poly_trace_info {
	const char *format;	/* name of the format that the trace is read as */
	const char *raw_format; /* family of formats whose bytes the column raw holds */
	const char *isa;	/* instruction set: "powerpc", "x86"; NULL: unknown */
	unsigned address_bits;	/* width of addresses in bits; 0: unknown */
	enum poly_address_space addresses;     /* virtual or physical */
	enum poly_byte_order byte_order;       /* of the file */
	const char *clock;		       /* unit of the column time; NULL: none */
	const char *producer;		       /* program that wrote the trace, if stated */
	bool has_first_pc;		       /* first_pc is known */
	uint64_t first_pc;		       /* address of the first instruction */
	poly_columns columns;		       /* columns that its rows may have */
	const char *const *records;	       /* names of the values of the column record */
	unsigned record_count;		       /* number of records, 0 to 255 */
	const struct poly_fact *facts;	       /* further facts, in their order in the trace */
	size_t fact_count;		       /* number of facts */
	const struct poly_trace_names *names;  /* interned strings; see poly_trace_name */
	const struct poly_fact *labels;	       /* the user's labels of the trace */
	size_t label_count;		       /* number of labels */
	const struct poly_format_info *family; /* the format of raw_format's name, or NULL */
};

/* Maximum number of known ranges of columns. */
#define POLY_RANGES_MAX 8

/* Range of the values of a column in consecutive records. */
struct poly_range {
	enum poly_column column; /* the column */
	uint64_t min, max;	 /* as numbers; min > max if no record has the column */
};

/* Bounds of consecutive records, known without reading them. */
struct poly_bounds {
	uint64_t first; /* number of preceding records of the trace */
	uint64_t rows;	/* number of records, 1 or more */
	size_t count;	/* number of ranges, at most POLY_RANGES_MAX */
	struct poly_range ranges[POLY_RANGES_MAX]; /* other columns are unbounded */
	uint64_t following; /* minimum number of requested records after them */
};

/*
 * Returns whether any record within bounds may match. False: no record matches, whatever
 * precedes it.
 */
typedef bool (*poly_may_match_fn)(void *user, const struct poly_bounds *bounds);

/*
 * Returns the interned string that a column of form NAME refers to, valid until the trace's
 * reader is closed; NULL for an unknown number.
 */
POLY_API const char *poly_trace_name(const struct poly_trace_info *info, uint32_t number);

/* Returns the value of a fact by its key, valid until the reader is closed; NULL if absent. */
POLY_API const char *poly_trace_fact(const struct poly_trace_info *info, const char *key);

/*
 * Returns the name of a column in a trace: that of a register in the plan of its reader, or as
 * poly_column_name does. Valid until the reader is closed; NULL if the plan does not have the
 * register.
 */
POLY_API const char *poly_trace_column_name(
	const struct poly_trace_info *info, enum poly_column column);

/*
 * Returns whether an instruction set, by its name, has a register that plans of readers can
 * name, in any case; isa NULL: whether any set has it.
 */
POLY_API bool poly_isa_has_register(const char *isa, const char *name);

/*
 * The label of a trace that states, in decimal digits, how many of its first records are
 * warm-up: they precede the part that the trace was extracted for, so that simulations should
 * not count them (poly_stats_options.warmup). Writers do not take it over if rows were selected
 * (poly_write_options.selected).
 */
#define POLY_LABEL_WARMUP "warmup"

/* Returns the value of a label, in the same way. */
POLY_API const char *poly_trace_label(const struct poly_trace_info *info, const char *key);

#ifdef __cplusplus
}
#endif

#endif
