/* SPDX-License-Identifier: MIT */
/* What a conversion keeps, derives and loses, before it is run. */
#include "cli/print/explanation.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/rendering.h"

#include <string.h>
#include <unistd.h>

/* A conversion whose effect is printed. */
struct explanation {
	const char *source; /* name of a format */
	const struct poly_format_info *target;
	struct poly_conversion conversion;
};

/*
 * Returns the kinds of records that a trace may have: those of its format or, in a packed
 * trace, those of the formats whose records it may hold.
 */
static unsigned
kinds_of(const struct poly_trace_info *info)
{
	const struct poly_format_info *format = poly_format_find(info->format);
	const char *family = info->raw_format;
	unsigned kinds = 0;
	if (format && (!family || strcmp(format->family, family) == 0))
		return poly_format_content_of(format)->kinds;
	for (size_t i = 0; family && (format = poly_format_at(i)); i++) {
		if (strcmp(format->family, family) == 0)
			kinds |= poly_format_content_of(format)->kinds;
	}
	return kinds ? kinds : POLY_KINDS_ALL;
}

/* Explains the conversion of a file; false: it cannot be opened, which was printed. */
static bool
explain_file(
	struct explanation *explanation, const char *path, const struct input_options *options)
{
	const struct input_needs needs = {.writes = true};
	struct command_input input;
	if (!input_open(&input, path, options, &needs))
		return false;
	const struct poly_trace_info *info = poly_reader_info(input.reader);
	explanation->source = info->format;
	poly_conversion_explain(
		info, kinds_of(info), explanation->target, &explanation->conversion);
	input_discard(&input);
	return true;
}

static const char *
result_of(const struct poly_conversion *conversion)
{
	if (conversion->refused)
		return "refused";
	if (!poly_columns_empty(conversion->lost) || conversion->kinds_dropped ||
		conversion->labels_lost)
		return "lossy";
	return conversion->same_format ? "same bytes" : "lossless";
}

static void
report_reason(struct poly_report *report, const struct explanation *explanation)
{
	const struct poly_format_info *target = explanation->target;
	if (!target->can_write)
		poly_report_text(report, "reason", "the target format can only be read");
	else if (explanation->conversion.wrong_isa)
		poly_report_text(report, "reason", "the target format holds another ISA");
	else if (explanation->conversion.refused)
		poly_report_text(report, "reason", "required columns are missing");
}

static void
report_kinds(struct poly_report *report, const struct poly_conversion *conversion)
{
	poly_report_table(report, "records");
	poly_report_column(report, "kind", false);
	poly_report_column(report, "effect", false);
	for (unsigned kind = 0; kind < POLY_KIND_COUNT; kind++) {
		const unsigned bit = 1u << kind;
		const char *effect = conversion->kinds_kept & bit      ? "kept"
				     : conversion->kinds_joined & bit  ? "joined"
				     : conversion->kinds_dropped & bit ? "dropped"
								       : NULL;
		if (!effect)
			continue;
		poly_report_cell_text(report, poly_enum_name(POLY_FORM_KIND, kind));
		poly_report_cell_text(report, effect);
	}
	poly_report_end(report);
}

static void
report_columns(struct poly_report *report, const struct poly_conversion *conversion)
{
	const struct {
		const char *effect;
		const poly_columns *columns;
	} parts[] = {{"missing", &conversion->missing}, {"lost", &conversion->lost},
		{"derived", &conversion->derived}, {"kept", &conversion->kept}};
	poly_report_table(report, "columns");
	poly_report_column(report, "column", false);
	poly_report_column(report, "effect", false);
	poly_report_column(report, "meaning", false);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
			if (!poly_columns_has(*parts[i].columns, (enum poly_column)c))
				continue;
			poly_report_cell_text(report, poly_column_name((enum poly_column)c));
			poly_report_cell_text(report, parts[i].effect);
			poly_report_cell_text(report, poly_column_doc((enum poly_column)c));
		}
	}
	poly_report_end(report);
}

int
explanation_print(const char *source, const struct poly_format_info *target,
	const struct input_options *options)
{
	struct explanation explanation = {.source = source, .target = target};
	const struct poly_format_info *format = poly_format_find(source);
	const bool is_file = strcmp(source, "-") == 0 || access(source, F_OK) == 0 || !format;
	if (!rendering_is_valid(options))
		return STATUS_ERROR;
	if (!is_file)
		poly_format_explain(format, target, &explanation.conversion);
	else if (!explain_file(&explanation, source, options))
		return STATUS_ERROR;
	const struct poly_conversion *conversion = &explanation.conversion;
	struct poly_report *report = report_new();
	if (is_file)
		poly_report_text(report, "file", diag_input_name(source));
	poly_report_text(report, "source_format", explanation.source);
	poly_report_text(report, "target_format", target->name);
	poly_report_text(report, "result", result_of(conversion));
	report_reason(report, &explanation);
	if (conversion->labels_lost)
		poly_report_text(report, "labels", "lost");
	report_kinds(report, conversion);
	report_columns(report, conversion);
	const int status = report_print_list(report, options);
	return status == STATUS_DONE && conversion->refused ? STATUS_NEGATIVE : status;
}
