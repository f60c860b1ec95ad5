/* SPDX-License-Identifier: MIT */
/* polytrace check: whether a trace is what its format says. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/source.h"

#include <stdio.h>
#include <string.h>

static const struct opt *const check_tables[] = {rendering_table, source_table, NULL};

/* How many of each severity. */
struct tally {
	uint64_t of[POLY_ERROR + 1];
};

static void
add_row(struct poly_report *report, const struct poly_finding *finding, const char *code,
	enum poly_severity severity)
{
	poly_report_cell_text(report, source_severity(severity));
	poly_report_cell_text(report, code);
	poly_report_cell_count(report, finding->count);
	if (finding->record)
		poly_report_cell_count(report, finding->record);
	else
		poly_report_cell_text(report, NULL);
	if (finding->offset != POLY_NO_OFFSET)
		poly_report_cell_count(report, finding->offset);
	else
		poly_report_cell_text(report, NULL);
	poly_report_cell_text(report, finding->message);
}

/* The first place of every rule that was broken, with how often it was. */
static void
add_findings(struct poly_report *report, const struct poly_reader *reader, struct tally *tally)
{
	struct poly_finding finding;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (source_told_before(reader, i, finding.rule))
			continue;
		tally->of[finding.rule->severity] += finding.count;
		add_row(report, &finding, finding.rule->code, finding.rule->severity);
	}
}

/* True where a rule of the format has told of the damage that ended the reading. */
static bool
told_by_rule(const struct source *source)
{
	struct poly_finding finding;
	for (size_t i = 0;
		source->reader && poly_reader_finding_at(source->reader, i, &finding); i++) {
		if (source_is_end(source, &finding))
			return true;
	}
	return false;
}

/* What ended the reading, with its line, as the rules of formats of lines tell theirs. */
static void
add_end(struct poly_report *report, const struct source *source)
{
	const struct poly_error *error = &source->error;
	char message[sizeof error->message + 40];
	bool has_column = strncmp(error->message, "column ", 7) == 0;
	int used = 0;
	if (error->line)
		used = snprintf(message, sizeof message, "line %llu%s ",
			(unsigned long long)error->line, has_column ? "," : ":");
	snprintf(message + used, sizeof message - (size_t)used, "%s", error->message);
	const struct poly_finding finding = {.count = 1,
		.record = error->record,
		.offset = error->offset,
		.message = message};
	add_row(report, &finding, source->reader ? "damage" : "unknown", POLY_ERROR);
}

/* What ended the reading, and what was passed over: no rules of the format. */
static void
add_damage(struct poly_report *report, const struct source *source, struct tally *tally)
{
	struct poly_reader_counts counts = {0};
	if (source->reader)
		poly_reader_count(source->reader, &counts);
	if (counts.skipped_places) {
		char message[100];
		snprintf(message, sizeof message, "%llu bytes of damage were passed over",
			(unsigned long long)counts.skipped_bytes);
		const struct poly_finding finding = {.count = counts.skipped_places,
			.offset = POLY_NO_OFFSET,
			.message = message};
		tally->of[POLY_ERROR] += counts.skipped_places;
		add_row(report, &finding, "skipped", POLY_ERROR);
	}
	if (source->status == POLY_ERR_FORMAT && !told_by_rule(source)) {
		tally->of[POLY_ERROR]++;
		add_end(report, source);
	}
}

static void
add_table(struct poly_report *report, const struct source *source, struct tally *tally)
{
	poly_report_table(report, "findings");
	poly_report_column(report, "severity", false);
	poly_report_column(report, "code", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "record", true);
	poly_report_column(report, "offset", true);
	poly_report_column(report, "message", false);
	if (source->reader)
		add_findings(report, source->reader, tally);
	add_damage(report, source, tally);
	poly_report_end(report);
}

/* Ends the input and adds the verdict; returns the exit status. */
static int
add_verdict(struct poly_report *report, const struct source *source, bool strict,
	const struct tally *tally)
{
	bool valid = !tally->of[POLY_ERROR] && !(strict && tally->of[POLY_WARNING]);
	bool trouble = source->status < 0 && source->status != POLY_ERR_FORMAT;
	struct poly_reader_counts counts = {0};
	if (source->reader)
		poly_reader_count(source->reader, &counts);
	const char *verdict = valid ? "valid" : "invalid";
	poly_report_text(report, "verdict", trouble ? "unknown" : verdict);
	if (source->reader)
		poly_report_text(report, "format", poly_reader_format(source->reader)->name);
	poly_report_count(report, "records", counts.records);
	poly_report_count(report, "errors", tally->of[POLY_ERROR]);
	poly_report_count(report, "warnings", tally->of[POLY_WARNING]);
	poly_report_count(report, "notes", tally->of[POLY_NOTE]);
	if (trouble)
		return STATUS_TROUBLE;
	return valid ? STATUS_DONE : STATUS_NEGATIVE;
}

static int
check_one(struct inputs *inputs, const char *path)
{
	struct source source;
	const struct source_wants wants = {.check = true, .quiet = true};
	if (!source_open(&source, path, inputs->options, &wants) &&
		source.status != POLY_ERR_FORMAT) {
		say_error(source.name, &source.error);
		return STATUS_TROUBLE;
	}
	while (source.reader && source_next(&source))
		;
	progress_clear(&source.progress);
	struct tally tally = {{0}};
	struct poly_report *report = source_report();
	poly_report_text(report, "file", source.name);
	add_table(report, &source, &tally);
	int status = add_verdict(report, &source, inputs->options->strict, &tally);
	int rendered = source_render(report, inputs->options, inputs->output);
	output_flush(inputs->output);
	if (status == STATUS_TROUBLE)
		source_tell_end(&source);
	source_drop(&source);
	return rendered > status ? rendered : status;
}

static int
check_run(void *fields, char **operands)
{
	struct inputs inputs = {.options = fields, .one = check_one, .headed = true};
	return inputs_run(&inputs, operands);
}

const struct command command_check = {
	.name = "check",
	.summary = "test whether a trace is what its format says",
	.usage = "[options] [FILE...]",
	.options = check_tables,
	.options_size = sizeof(struct source_options),
	.run = check_run,
};
