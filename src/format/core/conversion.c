/* SPDX-License-Identifier: MIT */
/* What conversions to other formats store, by the registry and the metadata of the trace. */
#include "polytrace/writer.h"

#include "format/core/format.h"

#include <string.h>

/* Columns of every trace that are about its file, and never count. */
#define POSITION_COLUMNS origin, site, verbatim

/* Fact of traces whose records are register states (effects.h). */
#define STATES_FACT "amber.record"

/* Returns the content of a format; that of others than the build's is not known. */
static const struct poly_format_content *
content_of(const struct poly_format_info *format)
{
	static const struct poly_format_content unknown = {.kinds = POLY_KINDS_ALL};
	const struct poly_format_content *content = poly_format_content_of(format);
	return content ? content : &unknown;
}

/* Returns whether a format stores the records of any other, with their own bytes. */
static bool
holds_any(const struct poly_format_info *format)
{
	return poly_columns_subset(POLY_COLUMNS_EXCEPT(POSITION_COLUMNS),
		poly_columns_union(format->columns, POLY_COLUMNS(POSITION_COLUMNS)));
}

/*
 * Returns the columns that a format stores of a trace; family: that of the format, whose member
 * is the source, or NULL.
 */
static poly_columns
stored_columns(const struct poly_format_info *target, const struct poly_format_info *family)
{
	poly_columns stored = poly_columns_union(target->columns, POLY_COLUMNS(kind));
	/* Members of a family hold each other's own columns if both have them. */
	if (family)
		return poly_columns_minus(poly_columns_union(stored, POLY_COLUMNS(record, raw)),
			poly_columns_minus(content_of(target)->own_columns,
				content_of(family)->own_columns));
	stored = poly_columns_minus(stored, content_of(target)->own_columns);
	/* Names of records are those of the target, and raw bytes those of a family. */
	return holds_any(target) ? stored
				 : poly_columns_minus(stored, POLY_COLUMNS(record, raw));
}

/* Sets the kinds of records: kept, joined with instructions, dropped. */
static void
explain_kinds(const struct poly_format_info *target, unsigned kinds, enum effects_form form,
	struct poly_conversion *conversion)
{
	const struct poly_format_content *content = content_of(target);
	const unsigned effects = POLY_KIND_BIT(ACCESS) | POLY_KIND_BIT(REGISTER);
	const unsigned written =
		conversion->same_family ? content->kinds : content->kinds & ~content->own_kinds;
	if (form == EFFECTS_SEPARATE)
		kinds |= effects;
	else if (form != EFFECTS_AS_READ)
		conversion->kinds_joined = kinds & effects;
	conversion->kinds_kept = kinds & written & ~conversion->kinds_joined;
	conversion->kinds_dropped = kinds & ~written & ~conversion->kinds_joined;
}

/* Returns the format of the target's family that a trace has, by its name or its raw bytes. */
static const struct poly_format_info *
member_of(const struct poly_trace_info *source, const struct poly_format_info *target)
{
	const struct poly_format_info *format = poly_format_find(source->format);
	return format && strcmp(format->family, target->family) == 0 ? format : target;
}

static bool
is_wrong_isa(const struct poly_trace_info *source, const struct poly_format_info *target)
{
	return target->needs_isa && source->isa &&
	       !format_isa_is_of(source->isa, target->needs_isa);
}

/* Sets the columns that are kept, derived, lost and missing. */
static void
explain_columns(const struct poly_trace_info *source, const struct poly_format_info *target,
	enum effects_form form, struct poly_conversion *conversion)
{
	const struct poly_format_info *family =
		conversion->same_family ? member_of(source, target) : NULL;
	const poly_columns positions = POLY_COLUMNS(POSITION_COLUMNS),
			   stored = poly_columns_minus(
				   stored_columns(target, family), positions),
			   present = poly_columns_minus(source->columns, positions),
			   result = effects_result_columns(form, source);
	conversion->kept = poly_columns_common(present, stored);
	conversion->derived = poly_columns_common(poly_columns_minus(result, present), stored);
	if (!conversion->same_format) {
		const poly_columns filled = poly_columns_union(content_of(target)->fills,
			poly_columns_common(target->columns, POLY_COLUMNS(record)));
		conversion->derived = poly_columns_union(
			conversion->derived, poly_columns_minus(filled, conversion->kept));
	}
	conversion->lost = poly_columns_minus(
		present, poly_columns_union(conversion->kept, conversion->derived));
	conversion->missing = poly_columns_minus(target->needs, result);
}

void
poly_conversion_explain(const struct poly_trace_info *source, unsigned kinds,
	const struct poly_format_info *target, struct poly_conversion *conversion)
{
	const struct format *format = format_find(target->name);
	*conversion = (struct poly_conversion){.wrong_isa = is_wrong_isa(source, target),
		.same_format = source->format && strcmp(source->format, target->name) == 0,
		.same_family =
			source->raw_format && strcmp(source->raw_format, target->family) == 0,
		.labels_lost = source->label_count && !target->holds_labels};
	enum effects_form form = format ? format->effects : EFFECTS_AS_READ;
	if (conversion->same_family || !effects_suits(form, source))
		form = EFFECTS_AS_READ;
	explain_columns(source, target, form, conversion);
	explain_kinds(target, kinds, form, conversion);
	conversion->refused = !target->can_write || conversion->wrong_isa ||
			      !poly_columns_empty(conversion->missing);
}

void
poly_format_explain(const struct poly_format_info *source,
	const struct poly_format_info *target, struct poly_conversion *conversion)
{
	static const struct poly_fact states = {STATES_FACT, ""};
	const struct format *format = format_find(source->name);
	struct poly_trace_info info = {.format = source->name,
		.raw_format = source->family,
		.isa = source->needs_isa,
		.columns = source->columns};
	if (format && format->effects == EFFECTS_STATES) {
		info.facts = &states;
		info.fact_count = 1;
	}
	poly_conversion_explain(&info, content_of(source)->kinds, target, conversion);
}
