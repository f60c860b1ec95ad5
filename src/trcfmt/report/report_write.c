/* SPDX-License-Identifier: MIT */
/*
 * Writes a report. Every event runs its template even if it is not shown, because later events
 * depend on the state of templates.
 *
 * spec: AIX trace reference 5, 7.1, 7.2.
 */
#include "trcfmt/report/report.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes per write to the sink, and events between two calls of progress. */
#define FLUSH_SIZE ((size_t)64 << 10)
#define PROGRESS_EVENTS 4096

enum { L08, L09, L11, L12, L14, L15, L16, L17 };

static const struct poly_rule rules[] = {
	[L08] = {"L08", POLY_WARNING, "every hook has a template", "AIX trace reference 5"},
	[L09] = {"L09", POLY_WARNING, "templates do not read past the entry",
		"AIX trace reference 5"},
	[L11] = {"L11", POLY_NOTE,
		"no entries were lost: the trace has neither hook 005 nor 006",
		"AIX Trace Hook IDs"},
	[L12] = {"L12", POLY_NOTE,
		"the trace has a hook that identifies processes: 106, 10C, 134, 139 or 465",
		"AIX Trace Hook IDs"},
	[L14] = {"L14", POLY_WARNING, "strings are no longer than the rest of the entry",
		"AIX trace reference 5"},
	[L16] = {"L16", POLY_WARNING, "templates run to their end", "polytrace-trcrpt(1)"},
	[L17] = {"L17", POLY_WARNING, "the clock rate is stated by the first events",
		"polytrace-trcrpt(1)"},
	[L15] = {"L15", POLY_WARNING, "the data pointer stays within the entry",
		"AIX trace reference 5"},
};

static enum poly_status
flush(struct poly_trcrpt *report, struct poly_error *error)
{
	if (report->out.failed)
		return err_memory(error);
	int number = 0;
	if (report->out.size)
		number = report->sink->write(
			report->sink->user, report->out.data, report->out.size);
	buf_clear(&report->out);
	if (!number)
		return POLY_OK;
	errno = number;
	return err_system(error, POLY_NO_OFFSET, "cannot write");
}

/* The rule and the message of each fault of a template. */
static const struct {
	unsigned fault; /* enum trcfmt_fault */
	unsigned rule;
	const char *what;
} faults[REPORTED_COUNT] = {
	[REPORTED_OVERREAD] = {FAULT_OVERREAD, L09, "reads past the entry"},
	[REPORTED_STRING] = {FAULT_STRING, L14,
		"has a string longer than the rest of the entry"},
	[REPORTED_POINTER] = {FAULT_POINTER, L15, "moves the data pointer out of the entry"},
	[REPORTED_DIVISION] = {FAULT_DIVISION, L16, "divides by zero"},
	[REPORTED_STEPS] = {FAULT_STEPS, L16, "exceeds the limit of steps"},
	[REPORTED_OUTPUT] = {FAULT_OUTPUT, L16, "exceeds the limit of text"},
};

/* Counts the faults of running a template. */
static void
count_faults(struct poly_trcrpt *report, const struct hook_template *template,
	const struct trcfmt_result *result)
{
	struct fault_counts *fault_counts =
		&report->fault_counts[template - report->templates->templates];
	for (unsigned f = 0; f < REPORTED_COUNT; f++)
		fault_counts->count[f] += (result->faults & faults[f].fault) != 0;
	if (!fault_counts->line)
		fault_counts->line = result->fault_line;
}

/* Formats the text by its template; false: it is not shown. Only faults of selected events
 * count. */
static bool
run_template(struct poly_trcrpt *report, struct report_event *shown, bool *stop)
{
	const struct hook_template *template = shown->template;
	const struct trcfmt_context context = {.event = shown->event,
		.who = &shown->who,
		.attribution = report->attribution,
		.facts = &report->facts,
		.ns = (uint64_t)shown->ns,
		.line = report->lines + 1};
	report->facts.logfile = shown->file;
	report->facts.environment = shown->event->wide ? 64 : 32;
	struct trcfmt_result result = trcfmt_eval_run(report->eval, template, &context);
	if (result.faults & FAULT_MEMORY)
		report->out.failed = true;
	if (result.faults && shown->wanted)
		count_faults(report, template, &result);
	/* Only a selected event ends the report. */
	*stop = result.outcome == OUTCOME_STOP && shown->wanted;
	shown->text = result.text;
	shown->spans = result.spans;
	shown->span_count = result.span_count;
	const char *texts = (const char *)report->templates->texts.data;
	if (template->label_length) {
		shown->label = texts + template->label;
		shown->label_size = template->label_length;
	}
	if (shown->label_size && *shown->label == '@') {
		shown->label++;
		shown->label_size--;
	}
	return result.outcome == OUTCOME_PRINT;
}

/* Counts an event that has no template. */
static void
count_undefined(struct poly_trcrpt *report, uint16_t hook)
{
	bool added;
	uint64_t *count = map_get(&report->undefined, hook, 0, &added);
	if (count)
		++*count;
}

/* Formats the text of an event; false: it is not shown. */
static bool
make_text(struct poly_trcrpt *report, struct report_event *shown, bool *stop)
{
	*stop = false;
	shown->depth = shown->who.depth;
	shown->template = trcfmt_template(report->templates, shown->event->hook);
	/* Template 004 formats an id of zero (AIX trace reference 4.8). */
	if (!shown->template && shown->event->hook == 0) {
		shown->id = 0x0040;
		shown->template = trcfmt_template(report->templates, shown->id);
	}
	if (shown->template) {
		bool shows = run_template(report, shown, stop);
		unsigned after = aix_attribution_interrupt(report->attribution, 0);
		if (after > shown->depth)
			shown->depth = after;
		return shows;
	}
	enum builtin_kind kind = builtin_text(report, shown);
	if (kind == OWN_UNDEFINED && shown->wanted)
		count_undefined(report, shown->event->hook);
	return kind == OWN_TEXT || (kind == OWN_UNDEFINED && !report->settings.skip_undefined);
}

/* True if a line of the text contains the requested text. */
static bool
matches(const struct poly_trcrpt *report, const struct report_event *shown)
{
	if (!report->match)
		return true;
	size_t n = strlen(report->match);
	for (size_t i = 0; i < shown->span_count; i++) {
		const char *at = shown->text + shown->spans[i].offset;
		const char *end = at + shown->spans[i].length;
		for (; (size_t)(end - at) >= n; at++) {
			if (memcmp(at, report->match, n) == 0)
				return true;
		}
	}
	return false;
}

/* Returns whether an event is part of the metadata, which the built-in templates report in the
 * header alone, unless its hook is requested. */
static bool
is_metadata(const struct poly_trcrpt *report, const struct report_event *shown)
{
	const uint16_t hook = shown->event->hook;
	return (hook == HOOK_HEADER || hook == HOOK_UTILITY) && report->templates->built_in &&
	       report->form == POLY_TRCRPT_TEXT && !report->requests_hooks;
}

/* Computes DELTA since the last event that counts. */
static void
set_delta(struct poly_trcrpt *report, struct report_event *shown, bool shows)
{
	shown->delta = report->any ? report_since(shown->ns, report->before) : 0;
	if (shows || report->settings.delta_all) {
		report->before = shown->ns;
		report->any = true;
	}
}

static void
write_event(struct poly_trcrpt *report, const struct report_event *shown)
{
	if (report->hist)
		report->hist[shown->event->hook]++;
	else if (report->form == POLY_TRCRPT_TEXT)
		report_text_event(report, shown);
	else if (report->form == POLY_TRCRPT_JSON)
		report_json_event(report, shown);
	else
		report_csv_event(report, shown);
}

/* Writes events up to the end, $STOP or a failure. */
static enum poly_status
write_events(struct poly_trcrpt *report, struct poly_error *error)
{
	struct event_input *input;
	struct report_event shown;
	enum poly_status status = POLY_OK;
	bool stop = false;
	for (uint64_t events = 1; !stop; events++) {
		status = report_next(report, &input, &shown, error);
		if (status != POLY_OK)
			return status;
		shown.wanted = report_selects(report, &shown);
		bool shows = make_text(report, &shown, &stop);
		shows = shows && shown.wanted && matches(report, &shown) &&
			!is_metadata(report, &shown);
		set_delta(report, &shown, shows);
		if (shows)
			write_event(report, &shown);
		if (report->out.size >= FLUSH_SIZE || report->out.failed)
			status = flush(report, error);
		if (status != POLY_OK)
			return status;
		if (events % PROGRESS_EVENTS == 0 && report->progress &&
			report->progress(report->user))
			return err_set(
				error, POLY_ERR_CANCELLED, POLY_NO_OFFSET, "interrupted");
	}
	return POLY_END;
}

static void
report_finding(const struct poly_trcrpt *report, unsigned rule, uint64_t count, uint16_t hook,
	const char *message)
{
	if (report->found && count)
		report->found(report->user, &rules[rule], count, hook, message);
}

/* Reports findings by hook, by template, and of the trace. */
static void
report_findings(const struct poly_trcrpt *report)
{
	char message[160], id[5];
	for (unsigned hook = 0; hook < 65536; hook++) {
		const uint64_t *count = map_find(&report->undefined, hook);
		if (!count)
			continue;
		snprintf(message, sizeof message, "no template for hook %.*s",
			(int)report_id((uint16_t)hook, false, id), id);
		report_finding(report, L08, *count, (uint16_t)hook, message);
	}
	for (size_t i = 0; i < report->templates->count; i++) {
		const struct hook_template *template = &report->templates->templates[i];
		for (unsigned f = 0; f < REPORTED_COUNT; f++) {
			snprintf(message, sizeof message,
				"the template of hook %.*s %s (line %u of '%s')",
				(int)report_id(template->hook, false, id), id, faults[f].what,
				(unsigned)report->fault_counts[i].line,
				report->templates->name ? report->templates->name : "");
			report_finding(report, faults[f].rule, report->fault_counts[i].count[f],
				template->hook, message);
		}
	}
	report_finding(
		report, L11, report->lost[0], 0x0050, "LOGFILE WRAPAROUND: entries are lost");
	report_finding(report, L11, report->lost[1], 0x0060,
		"TRACEBUFFER WRAPAROUND: entries are lost");
	report_finding(report, L17, report->late_rates, 0x00a0,
		"hook 00A, sub-hook 25C, states another clock rate than the first events of "
		"the traces, which is used");
	if (report->any && !aix_attribution_trusted(report->attribution))
		report_finding(report, L12, 1, 0,
			"none of the hooks 106, 10C, 134, 139, 465 is in the trace: process, "
			"program and cpu of the events are unreliable");
}

enum poly_status
poly_trcrpt_write(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs,
	const struct poly_sink *sink, struct poly_error *error)
{
	report->sink = sink;
	enum poly_status status = report_begin(report, inputs, error);
	if (status == POLY_OK) {
		if (report->form == POLY_TRCRPT_TEXT)
			report_text_begin(report);
		else if (report->form == POLY_TRCRPT_CSV)
			report_csv_begin(report);
		status = write_events(report, error);
	}
	if (status == POLY_END && report->hist)
		report_text_hist(report);
	enum poly_status flushed = flush(report, status < 0 ? NULL : error);
	status = status < 0 ? status : flushed;
	if (status == POLY_OK || report->merge.failed != SIZE_MAX)
		report_findings(report);
	report_end(report);
	return status;
}
