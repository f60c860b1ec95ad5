/* SPDX-License-Identifier: MIT */
/* What a comparison compares: the words of its options, parsed, and names of both traces as
 * one.
 */
#ifndef CORRELATE_DIFF_RULES_H
#define CORRELATE_DIFF_RULES_H

#include "polytrace/diff.h"

#include "base/intern.h"

/* Bits of what is left out. */
enum {
	IGNORE_REGISTERS = 1,
	IGNORE_MEMORY = 2,
	IGNORE_SYNC = 4,
	IGNORE_TAIL = 8,
};

/* Bits of what is tolerated. */
enum {
	TOLERATE_REDUNDANT = 1,
	TOLERATE_REPEATED = 2,
	TOLERATE_SPLIT = 4,
	TOLERATE_UNKNOWN = 8,
	TOLERATE_SKIPPED = 16,
};

/* Most columns of an instruction that are compared beside pc and opcode. */
#define FIELDS_MAX 40

/* Addresses from first to last. */
struct address_range {
	uint64_t first, last;
};

struct diff_rules {
	poly_columns ignored, also;
	unsigned ignore, tolerate;
	unsigned accesses; /* bit n: accesses of that direction are ignored */
	unsigned window, resync, context;
	bool ordered, each_cpu;
	bool lenient; /* what a record lacks is not compared: the formats differ */
	bool records; /* the traces have no instructions */
	bool states;  /* payloads may be the registers of a PowerPC */
	struct address_range *ranges;
	size_t range_count;
	struct intern registers; /* names in lower case */
	uint32_t *roots;  /* by number of a register's name: that of what it is an alias of */
	uint8_t *without; /* by the same number: 1 where the register is ignored */
	uint32_t known;	  /* elements of roots and without */
	struct intern names; /* all other names */
	poly_columns compared;
	enum poly_column fields[FIELDS_MAX];
	size_t field_count;
};

/* Parses the options. rules are zero, and given back by rules_free even after a failure. */
enum poly_status rules_parse(struct diff_rules *rules, const struct poly_diff_options *options,
	struct poly_error *error);

/* Decides what of two traces is compared. */
enum poly_status rules_resolve(struct diff_rules *rules, const struct poly_diff_side sides[2],
	struct poly_error *error);

/* The columns of a trace that would be compared if the other one had them. */
poly_columns rules_default_columns(
	const struct diff_rules *rules, const struct poly_trace_info *info);

/* The number of a register of either trace, the same for its aliases; INTERN_FAILED. */
uint32_t rules_register(struct diff_rules *rules, const char *name);

/* True where a register (a number of rules_register) is not compared. */
bool rules_ignore_register(const struct diff_rules *rules, uint32_t number);

/* True where an access that begins at an address is not compared. */
bool rules_ignore_address(const struct diff_rules *rules, uint64_t address);

/* Gives everything back. */
void rules_free(struct diff_rules *rules);

#endif
