/* SPDX-License-Identifier: MIT */
/*
 * The report as its parts see it.
 *
 * spec: reference aix 7.1, 7.2.
 */
#ifndef TRCFMT_REPORT_H
#define TRCFMT_REPORT_H

#include "polytrace/trcrpt.h"

#include "trcfmt/eval.h"
#include "trcfmt/merge.h"
#include "trcfmt/select.h"
#include "trcfmt/settings.h"

#include "base/buf.h"
#include "base/map.h"

/* What a trace says of itself; strings are "" where it does not. */
struct about {
	bool has_date; /* seconds since 1970 of date_ns */
	int64_t date;
	uint64_t date_ns; /* absolute time of that, as merge tells it */
	char system[100], machine[40], address[40], buffering[80];
	uint64_t total_cpus, traced_cpus; /* 0: not known */
	struct buf hooks, command;
};

/* An event with its text, as it is to be shown. */
struct shown {
	const struct aix_event *event;
	struct aix_context who;
	bool chosen;			 /* by the filter, or there is none */
	bool wanted;			 /* it is selected */
	const struct template *template; /* NULL: built in, or none */
	uint16_t id;	   /* in the column ID; 0x0070 where there is no template */
	const char *label; /* of label_size bytes */
	size_t label_size;
	unsigned depth;
	int64_t ns, delta; /* since the first event, since the event before */
	const char *file;  /* that it is from */
	size_t inputs;	   /* that have events left */
	const char *text;
	const struct trcfmt_piece *pieces;
	size_t piece_count;
};

/* Faults of templates that are told, each once a template. */
enum told_fault {
	TOLD_OVERREAD, /* L09 */
	TOLD_STRING,   /* L14 */
	TOLD_POINTER,  /* L15 */
	TOLD_DIVISION, /* L16, with those below */
	TOLD_STEPS,
	TOLD_OUTPUT,
	TOLD_COUNT,
};

struct told {
	uint64_t count[TOLD_COUNT];
	uint32_t line; /* of the template file */
};

struct poly_trcrpt {
	const struct poly_templates *templates;
	struct settings settings;
	struct select select;
	enum poly_trcrpt_form form;
	bool no_header, wall, color;
	char *match;	  /* NULL: any text */
	char *where;	  /* filter of events; NULL: none */
	char *hook_table; /* name of the file that it is from; NULL: built in */
	bool has_date, has_start, has_end;
	int64_t date, start, end; /* seconds since 1970 */
	void (*found)(void *user, const struct poly_rule *rule, uint64_t count, uint16_t hook,
		const char *message);
	int (*progress)(void *user);
	void *user;

	struct aix_attribution *attribution;
	struct trcfmt_eval *eval;
	struct merge merge;
	const char *const *names; /* of the inputs */
	size_t failed;		  /* input that failed */
	struct about about;
	struct trcfmt_facts facts;
	bool begun;	     /* base is known */
	uint64_t base;	     /* absolute time of the first event */
	int64_t before;	     /* ns of the event that DELTA counts from */
	bool any;	     /* there was one */
	uint64_t lines;	     /* written */
	unsigned page;	     /* lines since the last heading */
	uint64_t lost[2];    /* events of 005 and 006 */
	uint64_t late_rates; /* that came when times were converted by another one */

	struct map undefined; /* by hook: events without a template */
	struct told *told;    /* by template */
	uint64_t *hist;	      /* by hook; NULL: not asked for */
	struct buf joined;    /* lines of a text, for JSON and CSV */
	struct buf own;	      /* text of events that have no template */
	struct trcfmt_piece *own_pieces;
	size_t own_piece_capacity;
	uint64_t twins[64]; /* hashes of the last events of the same time */
	unsigned twin_count;
	uint64_t twin_ns;

	int64_t second; /* that clock shows; see report_wall */
	char clock[40];
	struct buf out; /* on its way to sink */
	const struct poly_sink *sink;
	int sys_errno; /* what sink returned first */
};

/* Learns what the events say of the trace itself, from the first batches of the inputs. */
void about_learn(struct poly_trcrpt *report);

/* The lines of the header, the last of them empty, into out. */
void about_write(struct poly_trcrpt *report, struct buf *out);

/* Gives its texts back. */
void about_fini(struct about *about);

/* What an event without template is: named, shown as nothing, or undefined. */
enum own_kind { OWN_TEXT, OWN_SILENT, OWN_UNDEFINED };

/* Makes the text of an event that has no template. */
enum own_kind own_text(struct poly_trcrpt *report, struct shown *shown);

/* The label of a hook that the facility itself uses (001 to 00A); NULL: it is another. */
const char *own_label(uint16_t hook);

/* The id of a hook as it is printed, upper or lower case; returns its length. */
size_t report_id(uint16_t hook, bool lower, char text[5]);

/* The time of day of ns since the first event, with 9 decimals; its length, 0: not known. */
size_t report_wall(struct poly_trcrpt *report, int64_t ns, char text[40]);

/* How much later ns is than before; far apart numbers wrap. */
static inline int64_t
report_since(int64_t ns, int64_t before)
{
	return (int64_t)((uint64_t)ns - (uint64_t)before);
}

/* The last part of a path. */
const char *report_program(const char *path);

/* Writes an event in the columns of trcrpt, as an object, as a line of CSV. */
void report_text_event(struct poly_trcrpt *report, const struct shown *shown);
void report_json_event(struct poly_trcrpt *report, const struct shown *shown);
void report_csv_event(struct poly_trcrpt *report, const struct shown *shown);

/* Writes what stands before the events. */
void report_text_begin(struct poly_trcrpt *report);
void report_csv_begin(struct poly_trcrpt *report);

/* Writes how often each hook occurred (hist=on). */
void report_text_hist(struct poly_trcrpt *report);

/*
 * Starts on inputs, goes to the next selected event, ends. next: POLY_END behind the last.
 * shown gets everything but the text.
 */
enum poly_status report_begin(struct poly_trcrpt *report,
	const struct poly_trcrpt_inputs *inputs, struct poly_error *error);
enum poly_status report_next(struct poly_trcrpt *report, struct merge_input **input,
	struct shown *shown, struct poly_error *error);
void report_end(struct poly_trcrpt *report);

/* True where an event is within the times asked for, and selected. */
bool report_wants(const struct poly_trcrpt *report, const struct shown *shown);

#endif
