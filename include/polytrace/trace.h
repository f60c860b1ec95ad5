/* SPDX-License-Identifier: MIT */
/* The facts of a whole trace: what its records do not repeat. */
#ifndef POLYTRACE_TRACE_H
#define POLYTRACE_TRACE_H

#include "polytrace/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Order of the bytes of a number in the trace's file. */
enum poly_byte_order {
	POLY_BYTE_ORDER_NONE,	/* text, or not known */
	POLY_BYTE_ORDER_BIG,	/* most significant byte first */
	POLY_BYTE_ORDER_LITTLE, /* least significant byte first */
};

/* What the addresses of a trace are. */
enum poly_address_space {
	POLY_ADDRESS_UNKNOWN,  /* the format does not say */
	POLY_ADDRESS_VIRTUAL,  /* effective addresses of a process */
	POLY_ADDRESS_PHYSICAL, /* addresses on the bus */
};

/* A further fact, by name: "amber.record" = "1004". */
struct poly_fact {
	const char *key;   /* lower case, dotted; unique within the trace */
	const char *value; /* UTF-8 text */
};

/*
 * Facts of a trace. Known when a reader is open; all strings belong to the reader and hold
 * until it is closed. Absent strings are NULL.
 */
struct poly_trace_info {
	const char *format;	/* name of the format it is read as */
	const char *raw_format; /* whose bytes the column raw holds; a family's name */
	const char *isa;	/* instruction set: "powerpc", "x86"; NULL: not known */
	unsigned address_bits;	/* width of addresses in bits; 0: not known */
	enum poly_address_space addresses;    /* virtual or physical */
	enum poly_byte_order byte_order;      /* of the file */
	const char *clock;		      /* unit of the column time; NULL: there is none */
	const char *producer;		      /* what wrote the trace, where it says */
	bool has_first_pc;		      /* first_pc is known */
	uint64_t first_pc;		      /* address of the first instruction */
	poly_columns columns;		      /* columns that its rows can have */
	const char *const *records;	      /* names of the values of the column record */
	unsigned record_count;		      /* how many: 0 to 255 */
	const struct poly_fact *facts;	      /* further facts in the order they were stated */
	size_t fact_count;		      /* how many */
	const struct poly_trace_names *names; /* interned strings; see poly_trace_name */
	const struct poly_fact *labels;	      /* what a user said of the trace */
	size_t label_count;		      /* how many */
};

/* Ranges that are known of records. */
#define POLY_RANGES_MOST 8

/* What a column has in some records. */
struct poly_range {
	enum poly_column column;  /* whose */
	uint64_t least, greatest; /* as numbers; where no record has it, least is greater */
};

/* What is known of records that stand together, without reading them. */
struct poly_bounds {
	uint64_t first;				    /* records of the trace before them */
	uint64_t rows;				    /* how many they are: 1 or more */
	size_t count;				    /* of ranges, at most POLY_RANGES_MOST */
	struct poly_range ranges[POLY_RANGES_MOST]; /* of other columns nothing is known */
	uint64_t behind; /* at least so many records stand behind them and are asked for */
};

/*
 * The interned string that a column of form NAME refers to. It holds until the trace's reader
 * is closed; NULL where the trace has no such number.
 */
POLY_API const char *poly_trace_name(const struct poly_trace_info *info, uint32_t number);

/* The value of a fact by its key, held until the reader is closed; NULL where it is not stated.
 */
POLY_API const char *poly_trace_fact(const struct poly_trace_info *info, const char *key);

/* The same of a label. */
POLY_API const char *poly_trace_label(const struct poly_trace_info *info, const char *key);

#ifdef __cplusplus
}
#endif

#endif
