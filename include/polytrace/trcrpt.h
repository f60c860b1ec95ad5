/* SPDX-License-Identifier: MIT */
/*
 * Reports of AIX traces, as the command trcrpt lays them out, or as JSON Lines or CSV.
 *
 *     struct poly_trcrpt_options options = POLY_TRCRPT_OPTIONS_INIT;
 *     const char *settings[] = {"exec=on", "pid=on", NULL};
 *     options.settings = settings;
 *     if (poly_trcrpt_new(templates, &options, &report, &error) != POLY_OK) ...
 *     if (poly_trcrpt_write(report, &inputs, &sink, &error) != POLY_OK) ...
 *     poly_trcrpt_free(report);
 *
 * One thread at a time uses a report, and calls one of write, raw and summary.
 *
 * spec: AIX trace reference 7.1, 7.2; polytrace-trcrpt(1).
 */
#ifndef POLYTRACE_TRCRPT_H
#define POLYTRACE_TRCRPT_H

#include "polytrace/report.h"
#include "polytrace/source.h"
#include "polytrace/templates.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_trcrpt;

/* Output form of the events. */
enum poly_trcrpt_form {
	POLY_TRCRPT_TEXT, /* in the columns of trcrpt */
	POLY_TRCRPT_JSON, /* one object per line; polytrace-trcrpt(1) lists the keys */
	POLY_TRCRPT_CSV,  /* RFC 4180, after a line with the same keys */
};

/* The text of a file that the caller has read, or none. */
struct poly_trcrpt_text {
	const char *text; /* NULL: none */
	size_t size;	  /* in bytes */
	const char *name; /* of the file, for messages */
};

/*
 * Options of a report. Initialise with POLY_TRCRPT_OPTIONS_INIT, then change fields. Strings
 * must stay valid until poly_trcrpt_new has returned. Later versions may append fields;
 * programs built before get their initial values.
 */
struct poly_trcrpt_options {
	size_t size;		     /* of this struct in bytes; set by the macro, and not 0 */
	const char *const *settings; /* those of -O as "name=value", NULL at the end; or NULL;
					poly_trcrpt_setting_at lists them */
	enum poly_trcrpt_form form;  /* of the events */
	bool no_header;		     /* -h: no metadata and no headings */
	bool wall;		     /* the date and time of day in a column of its own */
	bool color;		     /* escape sequences of terminals by level */
	const char *only;	     /* -d: hooks as "hh", "hhh" or "hhhh", commas between; or
					NULL */
	const char *except;	     /* -k: in the same form */
	const char *only_groups;     /* -D: names of groups, commas between; or NULL */
	const char *except_groups;   /* -K: in the same form */
	const char *processes;	     /* -p: process ids, and names of programs; or NULL */
	const char *threads;	     /* -T: thread ids; with a leading "!" all others */
	const char *start;	     /* -s: mmddhhmmssyy of the first event; or NULL */
	const char *end;	     /* -e: mmddhhmmssyy of the last event; or NULL */
	const char *match;	     /* only events whose text holds this; or NULL */
	/*
	 * Only events that match this expression of polytrace-filter(7) over the columns of
	 * the inputs, which must be read with poly_trcrpt_columns and its columns; or NULL.
	 */
	const char *where;
	const char *const *data;       /* only events with these data words: "N=VALUE", NULL
					  at the end; or NULL */
	const char *date;	       /* of the first event, "YYYY-MM-DD hh:mm:ss"; NULL: as
					  the trace states */
	struct poly_trcrpt_text hooks; /* table of hooks (polytrace-trcrpt(1)); else built in */
	struct poly_trcrpt_text names; /* -n: lines of an address and a name */
	struct poly_trcrpt_text errnos; /* lines of an errno value and its name */
	struct poly_trcrpt_text groups; /* lines of a group's name, ":" and hooks */
	/*
	 * Called when the report ends, for each finding: rule (L08 to L17 of
	 * polytrace-trcrpt(1)), count, hook (four digits; 0: none), message as in struct
	 * poly_error. NULL: not called.
	 */
	void (*found)(void *user, const struct poly_rule *rule, uint64_t count, uint16_t hook,
		const char *message);
	/* Called every few thousand events; a result other than 0 cancels. NULL: not called. */
	int (*progress)(void *user);
	void *user;    /* passed to found and progress */
	bool csv_safe; /* CSV: texts that spreadsheets execute begin with an apostrophe */
	/*
	 * Number of threads that format events, including the caller's, at most 64. 0: one per
	 * CPU, at most 16. The report does not depend on it.
	 */
	unsigned thread_count;
};

/* Initial values: text with a header, the default columns of trcrpt, one thread. */
#define POLY_TRCRPT_OPTIONS_INIT                                                      \
	{                                                                             \
		.size = sizeof(struct poly_trcrpt_options), .form = POLY_TRCRPT_TEXT, \
		.thread_count = 1                                                     \
	}

/* A setting of -O. */
struct poly_trcrpt_setting {
	const char *name;    /* "exec", "aix.spacing" */
	const char *value;   /* valid values: "on|off" */
	const char *initial; /* default value */
	const char *help;    /* one sentence */
};

/* Returns the i-th setting from 0; NULL after the last one. Static. */
POLY_API const struct poly_trcrpt_setting *poly_trcrpt_setting_at(size_t i);

/* Returns the columns that a report requires of its sources. */
POLY_API poly_columns poly_trcrpt_columns(void);

/*
 * Creates a report with templates, which must outlive it. options may be NULL for the initial
 * values. On POLY_OK *report belongs to the caller; on failure it is NULL.
 * POLY_ERR_USAGE: options of size 0, or one that is not valid. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_trcrpt_new(const struct poly_templates *templates,
	const struct poly_trcrpt_options *options, struct poly_trcrpt **report,
	struct poly_error *error);

/* Open traces, which are merged by time. */
struct poly_trcrpt_inputs {
	const struct poly_source *sources; /* at their first event */
	const char *const *names;	   /* of their files */
	size_t count;			   /* how many: 1 or more */
	/*
	 * Opens another reading of an input from its first event, valid until the next call, or
	 * NULL: for what the report states first, but a trace states after many events. False:
	 * it cannot be read twice.
	 */
	bool (*head)(void *user, size_t input, struct poly_source *source);
	void *user; /* passed to head */
};

/*
 * Writes the report of the inputs into sink. All events before corrupt data are written before
 * the failure is returned. POLY_ERR_IO: sink failed (with sys_errno), or a reader. Else a
 * source's failure; POLY_ERR_CANCELLED; POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_trcrpt_write(struct poly_trcrpt *report,
	const struct poly_trcrpt_inputs *inputs, const struct poly_sink *sink,
	struct poly_error *error);

/*
 * Writes the rows of the inputs' selected events, in order of time, to a sink of batches (-r).
 * Selection by text does not apply. Fails as a source or the sink does.
 */
POLY_API enum poly_status poly_trcrpt_raw(struct poly_trcrpt *report,
	const struct poly_trcrpt_inputs *inputs, const struct poly_batch_sink *sink,
	struct poly_error *error);

/*
 * Writes statistics of the selected events into the open section of a tree. The keys
 * are stable.
 *
 *     trace:         hook_table (the table of process hooks), events, first_s, last_s and
 *                    span_s (since the first event), wraparounds (events 005 and 006)
 *     hooks[]        id, label, count, share (a ratio)
 *     processes[]    pid, name, threads, events, cpu_s (between dispatches)
 *     system_calls[] name, count, returned, total_us, mean_us, min_us, max_us (from call to
 *                    return)
 *     latencies[]    name, from_us, to_us, count: the calls by powers of two
 *     locks[]        address, acquisitions, releases, total_us, mean_us, min_us, max_us (from
 *                    112 to 113)
 *     interrupts[]   handler, count, total_us, mean_us, min_us, max_us
 *
 * Selection by text does not apply. Fails as a reader does; POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_trcrpt_summary(struct poly_trcrpt *report,
	const struct poly_trcrpt_inputs *inputs, struct poly_report *tree,
	struct poly_error *error);

/*
 * Returns the index of the input whose reader failed in a call above; otherwise the number of
 * inputs, or more.
 */
POLY_API size_t poly_trcrpt_failed(const struct poly_trcrpt *report);

/* Frees a report. Accepts NULL. */
POLY_API void poly_trcrpt_free(struct poly_trcrpt *report);

#ifdef __cplusplus
}
#endif

#endif
