/* SPDX-License-Identifier: MIT */
/*
 * Writes a report. Every event runs its template even if it is not shown, because later events
 * depend on the state of templates.
 *
 * spec: AIX trace reference 5, 7.1, 7.2.
 */
#include "trcfmt/report/report_parallel.h"

#include "base/err.h"

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

/* The rule and the message of each fault of a template. */
static const struct {
	unsigned rule;
	const char *what;
} faults[REPORTED_COUNT] = {
	[REPORTED_OVERREAD] = {L09, "reads past the entry"},
	[REPORTED_STRING] = {L14, "has a string longer than the rest of the entry"},
	[REPORTED_POINTER] = {L15, "moves the data pointer out of the entry"},
	[REPORTED_DIVISION] = {L16, "divides by zero"},
	[REPORTED_STEPS] = {L16, "exceeds the limit of steps"},
	[REPORTED_OUTPUT] = {L16, "exceeds the limit of text"},
};

/* Counts an event that has no template. */
static void
count_undefined(struct poly_trcrpt *report, uint16_t hook)
{
	bool added;
	uint64_t *count = map_get(&report->undefined, hook, 0, &added);
	if (count)
		++*count;
}

/* Finds the template of an event. */
static void
find_template(const struct poly_trcrpt *report, struct report_event *shown)
{
	shown->template = trcfmt_template(report->templates, shown->event->hook);
	/* Template 004 formats an id of zero (AIX trace reference 4.8). */
	if (!shown->template && shown->event->hook == 0) {
		shown->id = 0x0040;
		shown->template = trcfmt_template(report->templates, shown->id);
	}
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

/*
 * Returns whether the text of an event can be formatted at any time, or not at all: it neither
 * changes later texts nor decides whether the event is shown.
 */
static bool
is_independent(const struct poly_trcrpt *report, const struct report_event *shown)
{
	if (report->match || !report->begun || is_metadata(report, shown))
		return false;
	return !shown->template ||
	       report->independent[shown->template - report->templates->templates];
}

/* Runs the template of an event now; false: it is not shown. */
static bool
run_now(struct poly_trcrpt *report, struct report_event *shown, bool *stop)
{
	if (!shown->template) {
		builtin_text(&report->formatter, shown);
		return true;
	}
	const enum trcfmt_outcome outcome =
		report_run_template(&report->formatter, shown, report->attribution);
	/* Only a selected event ends the report. */
	*stop = outcome == OUTCOME_STOP && shown->wanted;
	return outcome == OUTCOME_PRINT;
}

/* Formats the text of an event, or leaves that to a thread; false: it is not shown. */
static bool
make_text(struct poly_trcrpt *report, struct report_event *shown, bool *stop)
{
	bool shows = true;
	*stop = false;
	find_template(report, shown);
	shown->depth = shown->who.depth;
	if (!shown->template) {
		const enum builtin_kind kind = builtin_kind(shown);
		if (kind == OWN_UNDEFINED && shown->wanted)
			count_undefined(report, shown->event->hook);
		shows = kind == OWN_TEXT ||
			(kind == OWN_UNDEFINED && !report->settings.skip_undefined);
	}
	const bool independent = is_independent(report, shown);
	if (!independent || (shows && shown->wanted && !report->pool))
		shows = run_now(report, shown, stop) && shows;
	if (shown->template) {
		const unsigned after = aix_attribution_interrupt(report->attribution, 0);
		shown->depth = after > shown->depth ? after : shown->depth;
	}
	return shows;
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

/* Writes an event that is shown, or passes it to the threads. */
static enum poly_status
write_event(
	struct poly_trcrpt *report, const struct report_event *shown, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (report->hist) {
		report->hist[shown->event->hook]++;
		return POLY_OK;
	}
	if (report->pool && event_pool_add(report->pool, shown, &status, error))
		return status;
	struct report_event large = *shown;
	bool stop;
	if (report->pool)
		status = event_pool_drain(report->pool, error);
	if (!large.text)
		run_now(report, &large, &stop);
	report_write_event(&report->formatter, &large);
	return status;
}

/* Starts threads, unless the lines of an event depend on those before it. */
static void
start_threads(struct poly_trcrpt *report)
{
	const bool counts =
		report->counts_lines || (report->settings.page_lines && !report->no_header &&
						report->form == POLY_TRCRPT_TEXT);
	if (report->threads > 1 && !report->hist && !report->match && !counts)
		report->pool = event_pool_new(report);
}

/* Writes the lines that threads have not written; with them ends the report. */
static enum poly_status
stop_threads(struct poly_trcrpt *report, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (report->pool)
		status = event_pool_drain(report->pool, error);
	event_pool_free(report->pool);
	report->pool = NULL;
	return status == POLY_OK ? report_flush(&report->formatter, error) : status;
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
			status = write_event(report, &shown, error);
		const struct buf *out = &report->formatter.out;
		if (status == POLY_OK && (out->size >= FLUSH_SIZE || out->failed))
			status = report_flush(&report->formatter, error);
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
				(unsigned)report->formatter.fault_counts[i].line,
				report->templates->name ? report->templates->name : "");
			report_finding(report, faults[f].rule,
				report->formatter.fault_counts[i].count[f], template->hook,
				message);
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
		start_threads(report);
		status = write_events(report, error);
	}
	if (status == POLY_END && report->hist)
		report_text_hist(report);
	enum poly_status flushed = stop_threads(report, status < 0 ? NULL : error);
	status = status < 0 ? status : flushed;
	if (status == POLY_OK || report->merge.failed != SIZE_MAX)
		report_findings(report);
	report_end(report);
	return status;
}
