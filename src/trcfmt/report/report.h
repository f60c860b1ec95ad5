/* SPDX-License-Identifier: MIT */
/*
 * Internals of the report.
 *
 * spec: AIX trace reference 7.1, 7.2.
 */
#ifndef TRCFMT_REPORT_H
#define TRCFMT_REPORT_H

#include "polytrace/trcrpt.h"

#include "trcfmt/eval/eval.h"
#include "trcfmt/report/event_merge.h"
#include "trcfmt/report/select.h"
#include "trcfmt/report/settings.h"

#include "base/buf.h"
#include "base/map.h"

/* Hooks of the trace facility. */
#define HOOK_ON 0x0010
#define HOOK_HEADER 0x0030
#define HOOK_UTILITY 0x00a0

/* Metadata of a trace, for the header of the report; strings are "" if unknown. */
struct header {
	bool has_on;   /* TRACE ON, at date_ns */
	bool has_date; /* seconds since 1970 of date_ns */
	int64_t date;
	uint64_t date_ns; /* its absolute time, as merge computes it */
	char system[100], machine[40], address[40], buffering[80];
	uint64_t total_cpus, traced_cpus; /* 0: not known */
	struct buf hooks, command;
};

/* An event and its text. */
struct report_event {
	const struct aix_event *event;
	struct aix_context who;
	bool chosen;			      /* selected by the filter, or there is none */
	bool wanted;			      /* selected by all options */
	const struct hook_template *template; /* NULL: built-in text */
	uint16_t id;			      /* in the column ID; 0x0070 without a template */
	const char *label;		      /* of label_size bytes */
	size_t label_size;
	unsigned depth;
	int64_t ns, delta; /* since the first event, since the event before */
	const char *file;  /* of the event's trace */
	size_t inputs;	   /* inputs that have events left */
	const char *text;
	const struct trcfmt_span *spans;
	size_t span_count;
};

/* Faults of templates that are reported, each once per template. */
enum reported_fault {
	REPORTED_OVERREAD, /* L09 */
	REPORTED_STRING,   /* L14 */
	REPORTED_POINTER,  /* L15 */
	REPORTED_DIVISION, /* L16, as those below */
	REPORTED_STEPS,
	REPORTED_OUTPUT,
	REPORTED_COUNT,
};

struct fault_counts {
	uint64_t count[REPORTED_COUNT];
	uint32_t line; /* of the template file */
};

/* What formats events. A thread has its own. */
struct event_formatter {
	const struct poly_trcrpt *report;
	struct trcfmt_eval *eval;
	struct trcfmt_facts facts;
	struct fault_counts *fault_counts; /* by template */
	bool has_faults;
	uint64_t lines;	   /* written */
	unsigned page;	   /* lines since the last heading */
	struct buf joined; /* lines of a text, for JSON and CSV */
	struct buf own;	   /* text of events that have no template */
	struct trcfmt_span *own_spans;
	size_t own_span_capacity;
	int64_t second; /* second of the text in clock; see report_wall */
	char clock[40];
	struct buf out; /* not yet written to sink */
};

struct event_pool;

struct poly_trcrpt {
	const struct poly_templates *templates;
	struct report_settings settings;
	struct event_selection select;
	enum poly_trcrpt_form form;
	bool csv_safe;
	bool no_header, wall, color;
	char *match;	  /* NULL: any text */
	char *where;	  /* filter of events; NULL: none */
	char *hook_table; /* file name of the table of hooks; NULL: built in */
	bool has_date, has_start, has_end;
	int64_t date, start, end; /* seconds since 1970 */
	void (*found)(void *user, const struct poly_rule *rule, uint64_t count, uint16_t hook,
		const char *message);
	int (*progress)(void *user);
	void *user;

	unsigned threads; /* that format events */
	struct aix_attribution *attribution;
	struct event_formatter formatter; /* of the reading thread */
	struct event_pool *pool;	  /* of the others; NULL: none */
	bool *independent;		  /* by template: TRCFMT_INDEPENDENT */
	bool counts_lines;		  /* a template is TRCFMT_COUNTS_LINES */
	struct event_merge merge;
	const char *const *names; /* of the inputs */
	size_t failed;		  /* index of the input that failed */
	struct header header;
	bool requests_hooks; /* hooks or groups are requested by name */
	bool named;	     /* the names of addresses have one */
	bool begun;	     /* base is known */
	uint64_t base;	     /* absolute time of the first event */
	int64_t before;	     /* ns of the event that DELTA counts from */
	bool any;	     /* before is set */
	uint64_t lost[2];    /* events of 005 and 006 */
	uint64_t late_rates; /* rate events that differ from the rate in use */

	struct map undefined; /* by hook: events without a template */
	uint64_t *hist;	      /* by hook; NULL: not requested */
	struct hash_seed seed;
	uint64_t twins[64]; /* hashes of the last events of the same time */
	unsigned twin_count;
	uint64_t twin_ns;

	const struct poly_sink *sink;
	int sys_errno; /* first errno that sink returned */
};

/* Reads the metadata events in the first batches of the inputs. */
void report_header_read(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs);

/* Appends the lines of the header, the last of them empty. */
void report_header_write(struct poly_trcrpt *report, struct buf *out);

/* Frees its texts. */
void report_header_free(struct header *header);

/* Kinds of events without a template: with a text, not shown, undefined. */
enum builtin_kind { OWN_TEXT, OWN_SILENT, OWN_UNDEFINED };

/* Returns the kind of an event that has no template. */
enum builtin_kind builtin_kind(const struct report_event *shown);

/* Formats the text of an event that has no template. */
void builtin_text(struct event_formatter *formatter, struct report_event *shown);

/* Returns the label of a hook of the trace facility (001 to 00A); NULL: it is not one. */
const char *builtin_label(uint16_t hook);

/* Formats the id of a hook, in upper or lower case; returns its length. */
size_t report_id(uint16_t hook, bool lower, char text[5]);

/* Formats the time of day of ns since the first event, with 9 decimals; returns its length, 0
 * if unknown. */
size_t report_wall(struct event_formatter *formatter, int64_t ns, char text[40]);

/* Returns ns minus before, which may wrap. */
static inline int64_t
report_since(int64_t ns, int64_t before)
{
	return (int64_t)((uint64_t)ns - (uint64_t)before);
}

/* Returns the last component of a path. */
const char *report_program(const char *path);

/* Write an event in the columns of trcrpt, as a JSON object, as a line of CSV. */
void report_text_event(struct event_formatter *formatter, const struct report_event *shown);
void report_json_event(struct event_formatter *formatter, const struct report_event *shown);
void report_csv_event(struct event_formatter *formatter, const struct report_event *shown);

/* Runs the template of an event, which is run once; sets its text and label. */
enum trcfmt_outcome report_run_template(struct event_formatter *formatter,
	struct report_event *shown, struct aix_attribution *attribution);

/* Writes an event in the report's form. */
void report_write_event(struct event_formatter *formatter, const struct report_event *shown);

/* Prepares a zeroed formatter; false: out of memory. The caller calls fini in any case. */
bool report_formatter_init(struct event_formatter *formatter, const struct poly_trcrpt *report);

/* Passes the lines of a formatter to the sink. POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status report_flush(struct event_formatter *formatter, struct poly_error *error);

/* Frees what a formatter holds. */
void report_formatter_fini(struct event_formatter *formatter);

/* Write the lines before the events. */
void report_text_begin(struct poly_trcrpt *report);
void report_csv_begin(struct poly_trcrpt *report);

/* Writes the histogram of hooks (hist=on). */
void report_text_hist(struct poly_trcrpt *report);

/*
 * Starts on inputs, gets the next event, ends. next: POLY_END after the last one; shown gets
 * everything but the text.
 */
enum poly_status report_begin(struct poly_trcrpt *report,
	const struct poly_trcrpt_inputs *inputs, struct poly_error *error);
enum poly_status report_next(struct poly_trcrpt *report, struct event_input **input,
	struct report_event *shown, struct poly_error *error);
void report_end(struct poly_trcrpt *report);

/* True if an event is within the requested times, and selected. */
bool report_selects(const struct poly_trcrpt *report, const struct report_event *shown);

#endif
