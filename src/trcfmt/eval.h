/* SPDX-License-Identifier: MIT */
/*
 * Running a template over an event: the text it makes, and the state that it leaves behind.
 *
 * spec: seed 003; reference aix 4.3 to 4.7.
 */
#ifndef TRCFMT_EVAL_H
#define TRCFMT_EVAL_H

#include "trcfmt/program.h"

#include "aix/attribution.h"

/* Limits of one event. */
#define TRCFMT_STEPS 100000u		/* items run, and turns of loops */
#define TRCFMT_OUTPUT ((size_t)1 << 20) /* bytes of text */

/* Choices of the user; see polytrace-trcrpt(1). */
struct trcfmt_options {
	bool raw_spacing;   /* aix.spacing=raw: 3 (1) */
	unsigned start64;   /* aix.start64: 2, 6 or 8; 0: 6 */
	unsigned start64g;  /* aix.start64g: 8 or 16; 0: 8 */
	bool nomatch_value; /* aix.nomatch=value: 3 (9) */
	bool overread_zero; /* aix.overread=zero: 3 (13) */
	int tz_minutes;	    /* aix.tz: east of UTC: 3 (10) */
	bool tz_local;	    /* aix.tz=local */
};

/* Facts of the trace that macros print. */
struct trcfmt_facts {
	const char *logfile;
	unsigned environment; /* 32 or 64 */
	uint64_t total_cpus, traced_cpus, reported_cpus;
	const char *ip_address, *buffering, *large_data_types; /* NULL: not known */
};

/* What an event stands in. */
struct trcfmt_context {
	const struct aix_event *event;
	const struct aix_context *who;
	struct aix_attribution *attribution; /* NULL: interrupts and P are told nothing */
	const struct trcfmt_facts *facts;
	uint64_t ns;   /* since the first event */
	uint64_t line; /* of the report ($LINENO) */
};

/*
 * A run of text; a line is one or more of them, at the columns of their levels, with a blank at
 * least between them. None ends in a blank, and only the one of an empty line is empty.
 */
struct trcfmt_piece {
	uint8_t level;	/* enum trcfmt_level */
	bool continues; /* on the line of the piece before: the level changed within it */
	uint32_t offset, length; /* in the text */
};

enum trcfmt_outcome {
	OUTCOME_PRINT,
	OUTCOME_SKIP, /* $SKIP, $NOPRINT: the event is not shown */
	OUTCOME_STOP, /* $STOP: nor is any after it */
};

/* What running a template found wrong. */
enum trcfmt_fault {
	FAULT_OVERREAD = 1,  /* L09: it reads past the entry */
	FAULT_STRING = 2,    /* L14: the length of an S is larger than the rest */
	FAULT_POINTER = 4,   /* L15: moved before 0 or beyond the entry */
	FAULT_STEPS = 8,     /* TRCFMT_STEPS */
	FAULT_OUTPUT = 16,   /* TRCFMT_OUTPUT */
	FAULT_DIVISION = 32, /* by zero */
	FAULT_MEMORY = 64,
};

struct trcfmt_result {
	enum trcfmt_outcome outcome;
	const char *text; /* tabs are expanded; no line ends in a blank */
	const struct trcfmt_piece *pieces;
	size_t piece_count;
	unsigned faults;     /* bits of enum trcfmt_fault */
	uint32_t fault_line; /* of the template file, where the first of them occurred */
};

struct trcfmt_eval;

/* A new evaluator for templates, which outlive it; NULL: no memory. */
struct trcfmt_eval *trcfmt_eval_new(
	const struct poly_templates *templates, const struct trcfmt_options *options);

/*
 * Gives the second-level interrupt handler at an address a name, as a list of names has it
 * (slihlookup). POLY_ERR_MEMORY.
 */
enum poly_status trcfmt_eval_handler(
	struct trcfmt_eval *eval, uint64_t address, const char *name);

/* Gives an errno value a name in place of AIX's (aix.errno: 3 (11)). POLY_ERR_MEMORY. */
enum poly_status trcfmt_eval_errno(struct trcfmt_eval *eval, uint64_t number, const char *name);

/*
 * Runs template over an event. The text is the evaluator's and holds until the next call.
 * Numbers of names and files that are remembered are bounded.
 */
struct trcfmt_result trcfmt_eval_run(struct trcfmt_eval *eval, const struct template *template,
	const struct trcfmt_context *context);

/* Gives everything back. Accepts NULL. */
void trcfmt_eval_free(struct trcfmt_eval *eval);

#endif
