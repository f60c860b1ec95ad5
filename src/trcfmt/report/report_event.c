/* SPDX-License-Identifier: MIT */
/* Formats an event: runs its template, counts faults, writes its lines. */
#include "trcfmt/report/report.h"

#include "base/err.h"

#include <errno.h>

static const unsigned fault_bits[REPORTED_COUNT] = {
	[REPORTED_OVERREAD] = FAULT_OVERREAD,
	[REPORTED_STRING] = FAULT_STRING,
	[REPORTED_POINTER] = FAULT_POINTER,
	[REPORTED_DIVISION] = FAULT_DIVISION,
	[REPORTED_STEPS] = FAULT_STEPS,
	[REPORTED_OUTPUT] = FAULT_OUTPUT,
};

/* Counts the faults of running a template. */
static void
count_faults(struct event_formatter *formatter, const struct hook_template *template,
	const struct trcfmt_result *result)
{
	struct fault_counts *counts =
		&formatter->fault_counts[template - formatter->report->templates->templates];
	for (unsigned f = 0; f < REPORTED_COUNT; f++)
		counts->count[f] += (result->faults & fault_bits[f]) != 0;
	if (!counts->line)
		counts->line = result->fault_line;
	formatter->has_faults = true;
}

enum trcfmt_outcome
report_run_template(struct event_formatter *formatter, struct report_event *shown,
	struct aix_attribution *attribution)
{
	const struct hook_template *template = shown->template;
	const struct trcfmt_context context = {.event = shown->event,
		.who = &shown->who,
		.attribution = attribution,
		.facts = &formatter->facts,
		.ns = (uint64_t)shown->ns,
		.line = formatter->lines + 1};
	formatter->facts.logfile = shown->file;
	formatter->facts.environment = shown->event->wide ? 64 : 32;
	const struct trcfmt_result result =
		trcfmt_eval_run(formatter->eval, template, &context);
	if (result.faults & FAULT_MEMORY)
		formatter->out.failed = true;
	/* Only faults of selected events count. */
	if (result.faults && shown->wanted)
		count_faults(formatter, template, &result);
	shown->text = result.text;
	shown->spans = result.spans;
	shown->span_count = result.span_count;
	const char *texts = (const char *)formatter->report->templates->texts.data;
	if (template->label_length) {
		shown->label = texts + template->label;
		shown->label_size = template->label_length;
	}
	if (shown->label_size && *shown->label == '@') {
		shown->label++;
		shown->label_size--;
	}
	return result.outcome;
}

void
report_write_event(struct event_formatter *formatter, const struct report_event *shown)
{
	const enum poly_trcrpt_form form = formatter->report->form;
	if (form == POLY_TRCRPT_TEXT)
		report_text_event(formatter, shown);
	else if (form == POLY_TRCRPT_JSON)
		report_json_event(formatter, shown);
	else
		report_csv_event(formatter, shown);
}

enum poly_status
report_flush(struct event_formatter *formatter, struct poly_error *error)
{
	const struct poly_sink *sink = formatter->report->sink;
	int number = 0;
	if (formatter->out.failed)
		return err_memory(error);
	if (formatter->out.size)
		number = sink->write(sink->user, formatter->out.data, formatter->out.size);
	buf_clear(&formatter->out);
	if (!number)
		return POLY_OK;
	errno = number;
	return err_system(error, POLY_NO_OFFSET, "cannot write");
}
