/* SPDX-License-Identifier: MIT */
/*
 * Writing a report: every event runs its template, also where it is not shown, because what
 * templates remember is needed by later ones.
 *
 * spec: reference aix 5, 7.1, 7.2.
 */
#include "trcfmt/report.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes that are handed to the sink at once, and events between two calls of progress. */
#define FLUSH_SIZE ((size_t)64 << 10)
#define PROGRESS_EVENTS 4096

enum { L08, L09, L11, L12, L14, L15, L16, L17 };

static const struct poly_rule rules[] = {
	[L08] = {"L08", POLY_WARNING, "every hook has a template", "reference aix 5"},
	[L09] = {"L09", POLY_WARNING, "templates read no more than the entry",
		"reference aix 5"},
	[L11] = {"L11", POLY_NOTE, "no entries were lost: the trace has neither hook 005 nor 006", "reference aix 5"},
	[L12] = {"L12", POLY_NOTE, "the trace has a hook that identifies processes: 106, 10C, 134, 139 or 465",
		"reference aix 5"},
	[L14] = {"L14", POLY_WARNING, "strings are no longer than the rest of the entry",
		"reference aix 5"},
	[L16] = {"L16", POLY_WARNING, "templates run to their end", "polytrace-trcrpt(1)"},
	[L17] = {"L17", POLY_WARNING, "the rate of the clock is told by the first events",
		"polytrace-trcrpt(1)"},
	[L15] = {"L15", POLY_WARNING, "the data pointer stays within the entry",
		"reference aix 5"},
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
	return err_system(error, POLY_NO_OFFSET, "cannot be written");
}

/* How each fault of a template is told. */
static const struct {
	unsigned fault; /* enum trcfmt_fault */
	unsigned rule;
	const char *what;
} faults[TOLD_COUNT] = {
	[TOLD_OVERREAD] = {FAULT_OVERREAD, L09, "reads past the entry"},
	[TOLD_STRING] = {FAULT_STRING, L14, "has a string longer than the rest of the entry"},
	[TOLD_POINTER] = {FAULT_POINTER, L15, "moves the data pointer out of the entry"},
	[TOLD_DIVISION] = {FAULT_DIVISION, L16, "divides by zero"},
	[TOLD_STEPS] = {FAULT_STEPS, L16, "runs too long"},
	[TOLD_OUTPUT] = {FAULT_OUTPUT, L16, "makes too much text"},
};

/* Remembers what running a template found wrong. */
static void
note_faults(struct poly_trcrpt *report, const struct template *template,
	const struct trcfmt_result *result)
{
	struct told *told = &report->told[template - report->templates->templates];
	for (unsigned f = 0; f < TOLD_COUNT; f++)
		told->count[f] += (result->faults & faults[f].fault) != 0;
	if (!told->line)
		told->line = result->fault_line;
}

/* The text by its template; false: it is not shown. What is found wrong counts where wanted. */
static bool
run_template(struct poly_trcrpt *report, struct shown *shown, bool *stop)
{
	const struct template *template = shown->template;
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
		note_faults(report, template, &result);
	/* One that is not asked for does not end what is. */
	*stop = result.outcome == OUTCOME_STOP && shown->wanted;
	shown->text = result.text;
	shown->pieces = result.pieces;
	shown->piece_count = result.piece_count;
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
note_undefined(struct poly_trcrpt *report, uint16_t hook)
{
	bool added;
	uint64_t *count = map_get(&report->undefined, hook, 0, &added);
	if (count)
		++*count;
}

/* The text of an event; false: it is not shown. */
static bool
make_text(struct poly_trcrpt *report, struct shown *shown, bool *stop)
{
	*stop = false;
	shown->depth = shown->who.depth;
	shown->template = trcfmt_template(report->templates, shown->event->hook);
	/* An id of zero is shown by template 004 (reference aix 4.8). */
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
	enum own_kind kind = own_text(report, shown);
	if (kind == OWN_UNDEFINED && shown->wanted)
		note_undefined(report, shown->event->hook);
	return kind == OWN_TEXT || (kind == OWN_UNDEFINED && !report->settings.skip_undefined);
}

/* True where one of the lines holds the text that is looked for. */
static bool
matches(const struct poly_trcrpt *report, const struct shown *shown)
{
	if (!report->match)
		return true;
	size_t n = strlen(report->match);
	for (size_t i = 0; i < shown->piece_count; i++) {
		const char *at = shown->text + shown->pieces[i].offset;
		const char *end = at + shown->pieces[i].length;
		for (; (size_t)(end - at) >= n; at++) {
			if (memcmp(at, report->match, n) == 0)
				return true;
		}
	}
	return false;
}

/* DELTA, against the last event that counts. */
static void
set_delta(struct poly_trcrpt *report, struct shown *shown, bool shows)
{
	shown->delta = report->any ? report_since(shown->ns, report->before) : 0;
	if (shows || report->settings.delta_all) {
		report->before = shown->ns;
		report->any = true;
	}
}

static void
write_event(struct poly_trcrpt *report, const struct shown *shown)
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

/* One event after the other, up to the end, $STOP or a failure. */
static enum poly_status
write_events(struct poly_trcrpt *report, struct poly_error *error)
{
	struct merge_input *input;
	struct shown shown;
	enum poly_status status = POLY_OK;
	bool stop = false;
	for (uint64_t events = 1; !stop; events++) {
		status = report_next(report, &input, &shown, error);
		if (status != POLY_OK)
			return status;
		shown.wanted = report_wants(report, &shown);
		bool shows = make_text(report, &shown, &stop);
		shows = shows && shown.wanted && matches(report, &shown);
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
tell(const struct poly_trcrpt *report, unsigned rule, uint64_t count, uint16_t hook,
	const char *message)
{
	if (report->found && count)
		report->found(report->user, &rules[rule], count, hook, message);
}

/* What was found wrong: by hook, by template, of the trace. */
static void
tell_findings(const struct poly_trcrpt *report)
{
	char message[160], id[5];
	for (unsigned hook = 0; hook < 65536; hook++) {
		const uint64_t *count = map_find(&report->undefined, hook);
		if (!count)
			continue;
		snprintf(message, sizeof message, "no template for hook %.*s",
			(int)report_id((uint16_t)hook, false, id), id);
		tell(report, L08, *count, (uint16_t)hook, message);
	}
	for (size_t i = 0; i < report->templates->count; i++) {
		const struct template *template = &report->templates->templates[i];
		for (unsigned f = 0; f < TOLD_COUNT; f++) {
			snprintf(message, sizeof message,
				"the template of hook %.*s %s (line %u of '%s')",
				(int)report_id(template->hook, false, id), id, faults[f].what,
				(unsigned)report->told[i].line,
				report->templates->name ? report->templates->name : "");
			tell(report, faults[f].rule, report->told[i].count[f], template->hook,
				message);
		}
	}
	tell(report, L11, report->lost[0], 0x0050, "LOGFILE WRAPAROUND: entries are lost");
	tell(report, L11, report->lost[1], 0x0060, "TRACEBUFFER WRAPAROUND: entries are lost");
	tell(report, L17, report->late_rates, 0x00a0,
		"hook 00A, sub-hook 25C, tells another rate of the clock than the first events "
		"of "
		"the traces, by which times are converted");
	if (report->any && !aix_attribution_trusted(report->attribution))
		tell(report, L12, 1, 0,
			"none of the hooks 106, 10C, 134, 139, 465 is in the trace: process, "
			"program and cpu of the events are not to be trusted");
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
		tell_findings(report);
	report_end(report);
	return status;
}
