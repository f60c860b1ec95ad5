/* SPDX-License-Identifier: MIT */
/*
 * Evaluates templates over events: the text of each event, and the state kept between events.
 *
 * spec: IBM, trcfmt File Format; AIX trace reference 4.3 to 4.7.
 */
#ifndef TRCFMT_EVAL_H
#define TRCFMT_EVAL_H

#include "trcfmt/lang/program.h"

#include "aix/attribution.h"

/* Limits of one event. */
#define TRCFMT_STEPS 100000u		/* items run, and loop iterations */
#define TRCFMT_OUTPUT ((size_t)1 << 20) /* bytes of text */

/* Options; see polytrace-trcrpt(1). */
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

/* An event and its context. */
struct trcfmt_context {
	const struct aix_event *event;
	const struct aix_context *who;
	struct aix_attribution *attribution; /* NULL: none, for interrupts and P */
	const struct trcfmt_facts *facts;
	uint64_t ns;   /* since the first event */
	uint64_t line; /* of the report ($LINENO) */
};

/*
 * A span of the text at one level. A line has one or more, at the columns of their levels, with
 * at least one blank between them. No span ends in a blank; only that of an empty line is
 * empty.
 */
struct trcfmt_span {
	uint8_t level;	/* enum trcfmt_level */
	bool continues; /* on the line of the span before: the level changed within the line */
	uint32_t offset, length; /* in the text */
};

enum trcfmt_outcome {
	OUTCOME_PRINT,
	OUTCOME_SKIP, /* $SKIP, $NOPRINT: the event is not shown */
	OUTCOME_STOP, /* $STOP: nor is any later one */
};

/* Faults of running a template. */
enum trcfmt_fault {
	FAULT_OVERREAD = 1,  /* L09: reads past the entry */
	FAULT_STRING = 2,    /* L14: the length of an S exceeds the rest */
	FAULT_POINTER = 4,   /* L15: moved before 0 or beyond the entry */
	FAULT_STEPS = 8,     /* TRCFMT_STEPS */
	FAULT_OUTPUT = 16,   /* TRCFMT_OUTPUT */
	FAULT_DIVISION = 32, /* by zero */
	FAULT_MEMORY = 64,
};

struct trcfmt_result {
	enum trcfmt_outcome outcome;
	const char *text; /* tabs are expanded; no line ends in a blank */
	const struct trcfmt_span *spans;
	size_t span_count;
	unsigned faults;     /* bits of enum trcfmt_fault */
	uint32_t fault_line; /* line of the template file of the first fault */
};

struct trcfmt_eval;

/* Returns a new evaluator for templates, which must outlive it; NULL: out of memory. */
struct trcfmt_eval *trcfmt_eval_new(
	const struct poly_templates *templates, const struct trcfmt_options *options);

/*
 * Sets the name of the second-level interrupt handler at an address, for slihlookup.
 * POLY_ERR_MEMORY.
 */
enum poly_status trcfmt_eval_handler(
	struct trcfmt_eval *eval, uint64_t address, const char *name);

/* Sets the name of an errno value in place of AIX's (aix.errno: 3 (11)). POLY_ERR_MEMORY. */
enum poly_status trcfmt_eval_errno(struct trcfmt_eval *eval, uint64_t number, const char *name);

/* What a template depends on, besides its event and the event's context. */
enum trcfmt_dependence {
	TRCFMT_INDEPENDENT,  /* nothing; the event is shown */
	TRCFMT_ORDERED,	     /* previous events; or it decides whether events are shown */
	TRCFMT_COUNTS_LINES, /* the number of lines before it, too ($LINENO) */
};

/* Returns the dependence of a template. */
enum trcfmt_dependence trcfmt_eval_dependence(
	const struct trcfmt_eval *eval, const struct hook_template *template);

/*
 * Runs template over an event. The evaluator owns the text, which is valid until the next call.
 */
struct trcfmt_result trcfmt_eval_run(struct trcfmt_eval *eval,
	const struct hook_template *template, const struct trcfmt_context *context);

/* Frees an evaluator. Accepts NULL. */
void trcfmt_eval_free(struct trcfmt_eval *eval);

#endif
