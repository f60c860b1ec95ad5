/* SPDX-License-Identifier: MIT */
/* Findings of reading, checking and writing: all counted, the first few stored in detail. */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include "polytrace/format.h"
#include "polytrace/status.h"

#include "base/buf.h"

/* Findings stored per rule. */
#define FINDINGS_KEPT 5

/* Maximum number of rules, those of all text formats included. */
#define FINDINGS_RULES_MAX 64

/*
 * Rules that all text formats have after those of their own table: whether lines are read. They
 * are found while reading, by findings_add_line.
 */
enum findings_line_rule {
	FINDINGS_NOT_UNDERSTOOD, /* the line is neither a record nor known output */
	FINDINGS_PARTLY_READ,	 /* a record was read, but not all that its line has */
	FINDINGS_LINE_RULES
};

struct finding {
	unsigned rule;		 /* number of the rule */
	uint64_t record, offset; /* as in struct poly_finding */
	size_t message;		 /* offset of the text in texts */
};

struct findings {
	const struct poly_rule *rules; /* the format's table */
	uint64_t *counts;	       /* per rule */
	unsigned own_count;	       /* rules of the table */
	unsigned rule_count;	       /* all rules */
	/*
	 * The rules, by bit, whose findings are counted and not stored; other findings are then
	 * only noticed (unstored).
	 */
	const uint64_t *counted;
	bool unstored;
	struct finding *kept; /* in order of records, the whole trace last */
	size_t kept_count;
	struct buf texts;
	bool truncated;		      /* findings_add_truncation was called */
	struct poly_error truncation; /* what it reported */
	uint64_t skip;		      /* ignores findings at the first skip records */
	uint64_t count;		      /* ignores findings after count more records */
};

/* A line that findings_add_line reports. */
struct findings_line {
	uint64_t record, offset; /* as in struct poly_finding */
	uint64_t number;	 /* of the line, from 1 */
	const void *text;
	size_t size; /* of text in bytes; a line end is not quoted */
};

/* Initialises for a table of rules; NULL: an empty one. False: out of memory. */
bool findings_init(struct findings *findings, const struct poly_rule *rules);

/*
 * Adds a finding; ignores rules that the table does not have. rule is an index into the table,
 * record counts from 1 (0: the whole trace), offset in bytes or POLY_NO_OFFSET, message states
 * what was found and what was expected.
 */
void findings_add(struct findings *findings, unsigned rule, uint64_t record, uint64_t offset,
	const char *message, ...) __attribute__((format(printf, 5, 6)));

/*
 * Adds a finding about a line, which is quoted: shortened, and with escapes for all but
 * printable characters. what follows the quotation: "is not a record". The line must be parsed
 * each time that it occurs, so not predicted.
 */
void findings_add_line(struct findings *findings, enum findings_line_rule rule,
	const struct findings_line *line, const char *what);

/* Returns the number of findings of a rule about lines. */
static inline uint64_t
findings_count_lines(const struct findings *findings, enum findings_line_rule rule)
{
	return findings->counts[findings->own_count + rule];
}

/* Returns a rule by its number. */
const struct poly_rule *findings_rule(const struct findings *findings, unsigned rule);

/*
 * As findings_add, for an input that ends within a record: the reader ends with
 * POLY_ERR_TRUNCATED after the rows before the end.
 */
void findings_add_truncation(struct findings *findings, unsigned rule, uint64_t record,
	uint64_t offset, const char *message, ...) __attribute__((format(printf, 5, 6)));

/*
 * Notes that the input ends within a record, in a compressed stream: a record of which nothing
 * else is known. The failure of reading is that of the stream.
 */
void findings_set_truncation(struct findings *findings, uint64_t record, uint64_t offset);

/* Returns the rules, by bit, of which no more findings are stored. */
uint64_t findings_full(const struct findings *findings);

/* Removes all findings. */
void findings_clear(struct findings *findings);

/* Frees the findings. */
void findings_fini(struct findings *findings);

#endif
