/* SPDX-License-Identifier: MIT */
/* The parsed options of a comparison, and the common numbering of names of both traces.
 */
#ifndef CORRELATE_DIFF_RULES_H
#define CORRELATE_DIFF_RULES_H

#include "polytrace/diff.h"

#include "base/intern.h"

/* What is ignored, as bits. */
enum {
	IGNORE_REGISTERS = 1,
	IGNORE_MEMORY = 2,
	IGNORE_SYNC = 4,
	IGNORE_TAIL = 8,
	IGNORE_CONTROL = 16,
	IGNORE_COUNTERS = 32,
};

/* What is tolerated, as bits. */
enum {
	TOLERATE_REDUNDANT = 1,
	TOLERATE_REPEATED = 2,
	TOLERATE_SPLIT = 4,
	TOLERATE_UNKNOWN = 8,
	TOLERATE_SKIPPED = 16,
	TOLERATE_REPEATED_READS = 32,
};

/* Maximum number of columns of an instruction compared besides pc and opcode. */
#define FIELDS_MAX 40

/* Addresses from first to last. */
struct address_range {
	uint64_t first, last;
};

struct diff_rules {
	poly_columns ignored, also;
	unsigned ignore, tolerate;
	unsigned accesses; /* bit n: ignore accesses of that direction */
	unsigned window, resync, context;
	bool ordered, each_cpu;
	const char *isa;      /* of either trace; NULL: not known */
	bool lenient;	      /* absent values are not compared, since the formats differ */
	bool records;	      /* the traces have no instructions */
	bool skips_synthetic; /* only one trace states what its tracer inserted */
	bool number_ignored[UINT8_MAX + 1]; /* the same of src1, src2 and dest, by number */
	struct address_range *ranges;
	size_t range_count;
	struct intern registers; /* names in lower case */
	uint32_t *roots;	 /* by number of a register's name: the number of its alias */
	uint8_t *without;	 /* by the same number: 1 if the register is ignored */
	uint32_t known;		 /* elements of roots and without */
	struct intern names;	 /* all other names */
	poly_columns compared;
	enum poly_column fields[FIELDS_MAX];
	size_t field_count;
};

/* Parses the options. rules are zero; the caller calls rules_free even after a failure. */
enum poly_status rules_parse(struct diff_rules *rules, const struct poly_diff_options *options,
	struct poly_error *error);

/* Determines the columns to compare of two traces. */
enum poly_status rules_resolve(struct diff_rules *rules,
	const struct poly_trace_info *const infos[2], struct poly_error *error);

/* Returns the columns of a trace that are compared if the other one has them. */
poly_columns rules_default_columns(
	const struct diff_rules *rules, const struct poly_trace_info *info);

/* Returns the number of a register of either trace, the same for its aliases; INTERN_FAILED. */
uint32_t rules_register(struct diff_rules *rules, const char *name);

/* True if a register (a number of rules_register) is not compared. */
bool rules_ignore_register(const struct diff_rules *rules, uint32_t number);

/* True if an access that begins at an address is not compared. */
bool rules_ignore_address(const struct diff_rules *rules, uint64_t address);

/* Frees the memory. */
void rules_free(struct diff_rules *rules);

#endif
