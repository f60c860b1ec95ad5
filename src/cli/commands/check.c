/* SPDX-License-Identifier: MIT */
/* polytrace check: validates traces against their format. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/options/switches.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"

#include <stdio.h>
#include <string.h>

static const struct opt *const check_tables[] = {
	rendering_table, tables_table, bounds_table, input_table, NULL};

/* Findings by severity. */
struct severity_counts {
	uint64_t of[POLY_ERROR + 1];
};

static void
add_row(struct poly_report *report, const struct poly_finding *finding, const char *code,
	enum poly_severity severity)
{
	poly_report_cell_text(report, severity_name(severity));
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

/* Adds the first violation of every rule, with the number of violations. */
static void
add_findings(struct poly_report *report, const struct poly_reader *reader,
	struct severity_counts *counts)
{
	struct poly_finding finding;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (finding_is_repeated(reader, i, finding.rule))
			continue;
		counts->of[finding.rule->severity] += finding.count;
		add_row(report, &finding, finding.rule->code, finding.rule->severity);
	}
}

/* Returns whether a finding of the format describes the corrupt data that ended the input. */
static bool
end_is_finding(const struct command_input *input)
{
	struct poly_finding finding;
	for (size_t i = 0; input->reader && poly_reader_finding_at(input->reader, i, &finding);
		i++) {
		if (input_is_end(input, &finding))
			return true;
	}
	return false;
}

/* Adds what ended the input, with its line, as the rules of text formats do. */
static void
add_end(struct poly_report *report, const struct command_input *input)
{
	const bool truncated = input_is_truncated(input);
	struct poly_error end = input->error, *error = &end;
	char message[sizeof error->message + 40];
	if (truncated && input->reader)
		poly_reader_truncation(input->reader, error);
	int used = 0;
	if (error->line)
		used = snprintf(message, sizeof message,
			"line %llu: ", (unsigned long long)error->line);
	switches_name(error, strlen(error->message), false, message + used,
		sizeof message - (size_t)used);
	const struct poly_finding finding = {.count = 1,
		.record = error->record,
		.offset = error->offset,
		.message = message};
	add_row(report, &finding,
		truncated	? "truncated"
		: input->reader ? "corrupt"
				: "unknown",
		POLY_ERROR);
}

/* Adds what ended the input, and the skipped data, which are not rules of the format. */
static void
add_corruption(struct poly_report *report, const struct command_input *input,
	struct severity_counts *counts)
{
	struct poly_reader_counts read = {0};
	if (input->reader)
		poly_reader_count(input->reader, &read);
	if (read.skipped_places) {
		char message[100];
		snprintf(message, sizeof message, "skipped %llu corrupt bytes",
			(unsigned long long)read.skipped_bytes);
		const struct poly_finding finding = {.count = read.skipped_places,
			.offset = POLY_NO_OFFSET,
			.message = message};
		counts->of[POLY_ERROR] += read.skipped_places;
		add_row(report, &finding, "skipped", POLY_ERROR);
	}
	if ((input->status == POLY_ERR_FORMAT || input_is_truncated(input)) &&
		!end_is_finding(input)) {
		counts->of[POLY_ERROR]++;
		add_end(report, input);
	}
}

static void
add_table(struct poly_report *report, const struct command_input *input,
	struct severity_counts *counts)
{
	poly_report_table(report, "findings");
	poly_report_column(report, "severity", false);
	poly_report_column(report, "code", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "record", true);
	poly_report_column(report, "offset", true);
	poly_report_column(report, "message", false);
	if (input->reader)
		add_findings(report, input->reader, counts);
	add_corruption(report, input, counts);
	poly_report_end(report);
}

/* Returns the verdict on what was read to its end. */
static const char *
verdict_of(const struct command_input *input, bool valid, bool has_warnings)
{
	const enum poly_understanding read =
		input->reader ? poly_reader_understanding(input->reader) : POLY_UNDERSTOOD;
	if (!valid)
		return "invalid";
	switch (read) {
	case POLY_NOT_UNDERSTOOD: return "not understood";
	case POLY_PARTLY_READ: return "partly read";
	case POLY_UNDERSTOOD: break;
	}
	return has_warnings ? "valid with warnings" : "valid";
}

/* Adds the verdict; returns the exit status. */
static int
add_verdict(struct poly_report *report, const struct command_input *input, bool strict,
	const struct severity_counts *counts)
{
	const bool truncated = input_is_truncated(input);
	bool valid =
		!truncated && !counts->of[POLY_ERROR] && !(strict && counts->of[POLY_WARNING]);
	bool trouble = input->status < 0 && input->status != POLY_ERR_FORMAT && !truncated;
	struct poly_reader_counts read = {0};
	if (input->reader)
		poly_reader_count(input->reader, &read);
	const char *verdict = truncated
				      ? "truncated"
				      : verdict_of(input, valid, counts->of[POLY_WARNING] != 0);
	poly_report_text(report, "verdict", trouble ? "unknown" : verdict);
	if (input->reader)
		poly_report_text(report, "format", poly_reader_format(input->reader)->name);
	poly_report_count(report, "records", read.records);
	poly_report_count(report, "errors", counts->of[POLY_ERROR]);
	poly_report_count(report, "warnings", counts->of[POLY_WARNING]);
	poly_report_count(report, "notes", counts->of[POLY_NOTE]);
	if (trouble)
		return STATUS_ERROR;
	return strncmp(verdict, "valid", 5) == 0 ? STATUS_DONE : STATUS_NEGATIVE;
}

static int
check_one(struct inputs *inputs, const char *path)
{
	struct command_input input;
	const struct input_needs wants = {.check = true, .quiet = true};
	if (!input_open(&input, path, inputs->options, &wants) &&
		input.status != POLY_ERR_FORMAT && input.status != POLY_ERR_TRUNCATED) {
		diag_error(input.name, &input.error);
		return STATUS_ERROR;
	}
	input_add_work(&input, poly_decoder_work_none());
	if (input.reader)
		input_plan(&input, POLY_NO_COLUMNS, INPUT_READS);
	while (input.reader && input_next(&input))
		;
	progress_clear(&input.progress);
	struct severity_counts found = {{0}};
	struct poly_report *report = report_new();
	poly_report_text(report, "file", input.name);
	add_table(report, &input, &found);
	int status = add_verdict(report, &input, inputs->options->strict, &found);
	int rendered = report_render(report, inputs->options, inputs->output);
	output_flush(inputs->output);
	if (status == STATUS_ERROR)
		input_print_end(&input);
	input_discard(&input);
	return rendered > status ? rendered : status;
}

static int
check_run(void *fields, char **operands)
{
	struct inputs inputs = {.options = fields, .process = check_one, .headed = true};
	return inputs_run(&inputs, operands);
}

const struct command command_check = {
	.name = "check",
	.group = GROUP_INSPECT,
	.summary = "validate traces against their format",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace check trace.tt6e", "polytrace check --strict --json trace.tt6"},
	.options = check_tables,
	.options_size = sizeof(struct input_options),
	.run = check_run,
};
