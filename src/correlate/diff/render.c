/* SPDX-License-Identifier: MIT */
/* Formats differences and the steps around them as text. */
#include "correlate/diff/diff.h"

#include "base/vec.h"
#include "model/columns.h"

#include <string.h>

/* Bytes of a wide value that are printed. */
#define WIDE_SHOWN 32

static const struct poly_trace_info *
info_of(const struct poly_diff *diff, unsigned side)
{
	return diff->builders[side].source.info;
}

/* Appends an address with the width of its trace's addresses. */
static void
append_address(const struct poly_diff *diff, unsigned side, struct buf *text, uint64_t address)
{
	unsigned bits = info_of(diff, side)->address_bits;
	buf_printf(text, "0x%0*llx", bits > 32 ? 16 : 8, (unsigned long long)address);
}

/* Appends a value with its unknown digits. */
static void
append_partial(struct buf *text, const struct effect *effect)
{
	buf_string(text, "0x");
	for (uint32_t digit = effect->length; digit-- > 0;) {
		if (effect->known >> 4 * digit & 15)
			buf_printf(text, "%x", (unsigned)(effect->value >> 4 * digit & 15));
		else
			buf_byte(text, 'x');
	}
}

static void
append_value(struct buf *text, const struct step *step, const struct effect *effect)
{
	if (effect->has & HAS_VALUE && effect->known != UINT64_MAX) {
		append_partial(text, effect);
	} else if (effect->has & HAS_VALUE) {
		buf_printf(text, "0x%llx", (unsigned long long)effect->value);
	} else if (effect->has & HAS_WIDE) {
		buf_string(text, "0x");
		for (uint32_t i = 0; i < effect->length && i < WIDE_SHOWN; i++)
			buf_printf(text, "%02x", step_wide(step, effect)[i]);
		if (effect->length > WIDE_SHOWN)
			buf_string(text, "...");
	} else {
		buf_string(text, "?");
	}
}

static const char *
register_name(const struct poly_diff *diff, unsigned side, const struct effect *effect)
{
	const char *name = poly_trace_name(info_of(diff, side), effect->shown);
	return name ? name : "?";
}

static const char *
direction(const struct effect *effect)
{
	enum poly_form form = effect->type == EFFECT_SYNC ? POLY_FORM_SYNC : POLY_FORM_ACCESS;
	const char *name = poly_enum_name(form, effect->access);
	if (effect->type == EFFECT_MEMORY && !(effect->has & HAS_ACCESS))
		return "access";
	return name ? name : "access";
}

/* Appends the subject of a record: "register r1", "read of 4 bytes at 0x1000". */
static void
append_subject(const struct poly_diff *diff, unsigned side, struct buf *text,
	const struct effect *effect)
{
	if (effect->type == EFFECT_REGISTER) {
		buf_printf(text, "register %s", register_name(diff, side, effect));
		return;
	}
	buf_string(text, direction(effect));
	if (effect->has & HAS_SIZE)
		buf_printf(text, " of %lu byte%s", (unsigned long)effect->size,
			effect->size == 1 ? "" : "s");
	if (effect->has & HAS_ADDRESS) {
		buf_string(text, " at ");
		append_address(diff, side, text, effect->address);
	}
}

/* Appends a record in the text of a step: "r1=0x2", "read4[0x1000]=0x2". */
static void
append_effect(const struct poly_diff *diff, unsigned side, struct buf *text,
	const struct step *step, const struct effect *effect)
{
	if (effect->type == EFFECT_REGISTER) {
		buf_string(text, register_name(diff, side, effect));
	} else {
		buf_string(text, direction(effect));
		if (effect->has & HAS_SIZE)
			buf_printf(text, "%lu", (unsigned long)effect->size);
		buf_byte(text, '[');
		if (effect->has & HAS_ADDRESS)
			append_address(diff, side, text, effect->address);
		buf_byte(text, ']');
	}
	if (effect->has & (HAS_VALUE | HAS_WIDE) || effect->type == EFFECT_REGISTER) {
		buf_byte(text, '=');
		append_value(text, step, effect);
	}
}

/* Appends the value of a field of an instruction; false if it has none. */
static bool
append_field(
	const struct poly_diff *diff, struct buf *text, const struct step *step, unsigned field)
{
	const enum poly_column column = diff->rules.fields[field];
	const enum poly_form form = poly_column_form(column);
	if (!(step->fields_present >> field & 1))
		return false;
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		return false;
	if (form == POLY_FORM_NAME) {
		buf_string(
			text, intern_text(&diff->rules.names, (uint32_t)step->fields[field]));
		return true;
	}
	char room[COLUMN_TEXT];
	size_t n;
	const char *shown =
		column_text(info_of(diff, 0), column, step->fields[field], room, &n);
	buf_append(text, shown, n);
	return true;
}

/* Appends the fields of a record of a trace without instructions. */
static void
append_fields(const struct poly_diff *diff, struct buf *text, const struct step *step)
{
	for (unsigned i = 0; i < diff->rules.field_count; i++) {
		struct buf value = {0};
		if (append_field(diff, &value, step, i))
			buf_printf(text, "%s%s=%s", text->size ? " " : "",
				poly_column_name(diff->rules.fields[i]), buf_text(&value));
		buf_free(&value);
	}
}

/* Formats a step in diff->steps[side]. */
static const char *
render_step(struct poly_diff *diff, unsigned side, uint64_t number)
{
	const struct step *step = stream_step(diff->current.stream, side, number);
	struct buf *text = &diff->steps[side];
	buf_clear(text);
	if (step->has_pc)
		append_address(diff, side, text, step->pc);
	else if (!diff->rules.records)
		buf_string(text, "no pc");
	if (diff->rules.records)
		append_fields(diff, text, step);
	if (step->has_opcode)
		buf_printf(text, " %0*llx", step->opcode_size ? 2 * step->opcode_size : 8,
			(unsigned long long)step->opcode);
	if (step->text_length) {
		buf_string(text, "  ");
		buf_append(text, step->bytes.data + step->text, step->text_length);
	}
	for (uint32_t i = 0; i < step->effect_count && i < 16; i++) {
		buf_string(text, i ? " " : "  ");
		append_effect(diff, side, text, step, &step->effects[i]);
	}
	if (step->effect_count > 16)
		buf_string(text, " ...");
	return buf_text(text);
}

/* Appends the pc or the opcode of a step; false without a step. */
static bool
append_instruction(
	const struct poly_diff *diff, unsigned side, struct buf *text, uint64_t number)
{
	struct diff_stream *stream = diff->current.stream;
	if (!stream_has(stream, side, number))
		return false;
	const struct step *step = stream_step(stream, side, number);
	if (diff->current.cause == POLY_DIFF_OPCODE)
		buf_printf(text, "%0*llx", step->opcode_size ? 2 * step->opcode_size : 8,
			(unsigned long long)step->opcode);
	else if (step->has_pc)
		append_address(diff, side, text, step->pc);
	else
		append_fields(diff, text, step);
	return true;
}

/* Appends the value of a record that the cause refers to. */
static void
append_record_value(
	const struct poly_diff *diff, unsigned side, struct buf *text, const struct step *step)
{
	const struct effect *effect = &step->effects[diff->current.effects[side]];
	const enum poly_diff_cause cause = diff->current.cause;
	if (cause == POLY_DIFF_REGISTER)
		buf_string(text, register_name(diff, side, effect));
	else if (cause == POLY_DIFF_ADDRESS)
		append_address(diff, side, text, effect->address);
	else if (cause == POLY_DIFF_SIZE)
		buf_printf(text, "%lu", (unsigned long)effect->size);
	else if (cause == POLY_DIFF_ACCESS)
		buf_string(text, direction(effect));
	else
		append_value(text, step, effect);
}

/* Returns the number of an instruction of a stream; 0: none. */
static uint64_t
instruction_of(struct diff_stream *stream, unsigned side, uint64_t number)
{
	return stream_has(stream, side, number) ? stream_step(stream, side, number)->instruction
						: 0;
}

/* Appends the value of the differing record in one trace; false: none. */
static bool
append_record_side(struct poly_diff *diff, unsigned side, struct buf *text)
{
	const struct difference *difference = &diff->current;
	if (difference->effects[side] >= 0) {
		append_record_value(diff, side, text,
			stream_step(difference->stream, side, difference->steps[side]));
		return true;
	}
	if (difference->cause != POLY_DIFF_REORDERED)
		return false;
	buf_printf(text, "with instruction %llu",
		(unsigned long long)instruction_of(
			difference->stream, side, difference->other_step));
	return true;
}

/* Appends the value of a difference in one trace; false: none. */
static bool
append_side(struct poly_diff *diff, unsigned side, struct buf *text)
{
	const struct difference *difference = &diff->current;
	const bool parted = difference->run[0] || difference->run[1] || difference->ends;
	const enum poly_diff_cause cause = difference->cause;
	if (difference->effects[0] >= 0 || difference->effects[1] >= 0)
		return append_record_side(diff, side, text);
	if (cause == POLY_DIFF_TAIL)
		return false;
	if (!parted && cause != POLY_DIFF_OPCODE)
		return append_field(diff, text,
			stream_step(difference->stream, side, difference->steps[side]),
			difference->field);
	/* The other trace has no value for a run of one trace. */
	if (!difference->run[side] && difference->run[!side] && cause != POLY_DIFF_BRANCH)
		return false;
	return append_instruction(diff, side, text, difference->steps[side]);
}

static void
append_what(struct poly_diff *diff, struct buf *text)
{
	const struct difference *difference = &diff->current;
	const unsigned side = difference->effects[0] >= 0 ? 0 : 1;
	const unsigned longer = difference->run[0] ? 0 : 1;
	const enum poly_diff_cause cause = difference->cause;
	if (difference->effects[side] >= 0)
		append_subject(diff, side, text,
			&stream_step(difference->stream, side, difference->steps[side])
				 ->effects[difference->effects[side]]);
	else if (cause == POLY_DIFF_FIELD)
		buf_string(text, poly_column_name(diff->rules.fields[difference->field]));
	else if (cause == POLY_DIFF_TAIL && !difference->run[0] && !difference->run[1])
		buf_printf(text, "the %s trace continues",
			stream_has(difference->stream, 0, difference->steps[0]) ? "first"
										: "second");
	else if (cause == POLY_DIFF_TAIL)
		buf_printf(text, "%llu more instruction%s in the %s trace",
			(unsigned long long)difference->run[longer],
			difference->run[longer] == 1 ? "" : "s", longer ? "second" : "first");
	else if (cause == POLY_DIFF_INSERTED)
		buf_printf(text, "%llu instructions only in the %s trace",
			(unsigned long long)difference->run[longer],
			longer ? "second" : "first");
	else if (cause == POLY_DIFF_OPCODE)
		buf_string(text, "opcode");
	else if (cause == POLY_DIFF_BRANCH)
		buf_string(text, "branch");
	else
		buf_string(text, "pc");
}

void
render_difference(struct poly_diff *diff)
{
	const struct difference *difference = &diff->current;
	struct poly_difference *result = &diff->result;
	memset(result, 0, sizeof *result);
	result->cause = difference->cause;
	for (unsigned i = 0; i < 3; i++)
		buf_clear(&diff->texts[i]);
	append_what(diff, &diff->texts[2]);
	result->subject = buf_text(&diff->texts[2]);
	for (unsigned side = 0; side < 2; side++) {
		if (append_side(diff, side, &diff->texts[side]))
			result->values[side] = buf_text(&diff->texts[side]);
		if (stream_has(difference->stream, side, difference->steps[side])) {
			const struct step *step =
				stream_step(difference->stream, side, difference->steps[side]);
			result->instruction[side] = step->instruction;
			result->record[side] = step->record;
		}
		result->run[side] = difference->run[side];
	}
	result->matching = difference->pair > difference->stream->reported
				   ? difference->pair - difference->stream->reported
				   : 0;
	result->ends = difference->ends;
	result->has_cpu = diff->rules.each_cpu;
	result->cpu = difference->stream->cpu;
}

static void
add_line(struct poly_diff *diff, uint64_t a, uint64_t b, char mark)
{
	if (!VEC_ROOM(diff->lines, diff->line_room, diff->line_count)) {
		diff_stop(diff, POLY_ERR_MEMORY);
		return;
	}
	diff->lines[diff->line_count++] = (struct context_line){{a, b}, 0, mark, false};
}

/* Adds the line of the previous steps of one or both traces, and moves before them. */
static bool
add_line_before(struct poly_diff *diff, uint64_t at[2])
{
	struct diff_stream *stream = diff->current.stream;
	const bool has[2] = {
		stream_has(stream, 0, at[0] - 1), stream_has(stream, 1, at[1] - 1)};
	if (has[0] && stream_step(stream, 0, at[0] - 1)->partner == STEP_NONE) {
		add_line(diff, --at[0], STEP_NONE, '<');
	} else if (has[1] && stream_step(stream, 1, at[1] - 1)->partner == STEP_NONE) {
		add_line(diff, STEP_NONE, --at[1], '>');
	} else if (has[0] && has[1]) {
		at[0]--;
		at[1]--;
		add_line(
			diff, at[0], at[1], stream_step(stream, 0, at[0])->differs ? '|' : ' ');
	} else {
		return false;
	}
	return true;
}

static void
render_before(struct poly_diff *diff)
{
	uint64_t at[2] = {diff->current.steps[0], diff->current.steps[1]};
	for (unsigned i = 0; i < diff->rules.context && add_line_before(diff, at); i++)
		;
	for (size_t i = 0, j = diff->line_count; i + 1 < j; i++) {
		const struct context_line line = diff->lines[i];
		diff->lines[i] = diff->lines[--j];
		diff->lines[j] = line;
	}
}

/* Returns the mark of two steps side by side. */
static char
mark_of(struct poly_diff *diff, const uint64_t at[2])
{
	struct diff_stream *stream = diff->current.stream;
	struct step *a = stream_step(stream, 0, at[0]), *b = stream_step(stream, 1, at[1]);
	if (a->partner != STEP_NONE)
		return a->differs ? '|' : ' ';
	return match_agrees(&diff->rules, a, b) ? ' ' : '|';
}

/* Adds the next line after a difference; false if both traces have ended. */
static bool
add_line_after(struct poly_diff *diff, uint64_t at[2])
{
	struct diff_stream *stream = diff->current.stream;
	const bool has[2] = {stream_has(stream, 0, at[0]), stream_has(stream, 1, at[1])};
	bool alone[2];
	for (unsigned side = 0; side < 2; side++)
		alone[side] =
			has[side] &&
			(!has[!side] || (at[side] < stream->at[side] &&
						stream_step(stream, side, at[side])->partner ==
							STEP_NONE));
	if (!has[0] && !has[1])
		return false;
	if (alone[0]) {
		add_line(diff, at[0]++, STEP_NONE, '<');
	} else if (alone[1]) {
		add_line(diff, STEP_NONE, at[1]++, '>');
	} else {
		add_line(diff, at[0], at[1], mark_of(diff, at));
		at[0]++;
		at[1]++;
	}
	return true;
}

/* Adds the lines of the difference: steps of one trace, or steps that differ. */
static void
render_here(struct poly_diff *diff, uint64_t at[2])
{
	const struct difference *difference = &diff->current;
	struct diff_stream *stream = difference->stream;
	uint64_t run = difference->run[0] > difference->run[1] ? difference->run[0]
							       : difference->run[1];
	const uint64_t limit = diff->rules.context + (uint64_t)1;
	const bool runs = run || difference->ends;
	if (difference->ends)
		run = limit;
	else if (!run)
		run = 1;
	for (uint64_t i = 0; i < run && i < limit; i++) {
		uint64_t steps[2];
		for (unsigned side = 0; side < 2; side++) {
			const bool in = !runs || difference->ends || i < difference->run[side];
			const uint64_t step = difference->steps[side] + i;
			steps[side] = in && stream_has(stream, side, step) ? step : STEP_NONE;
		}
		if (steps[0] == STEP_NONE && steps[1] == STEP_NONE)
			break;
		add_line(diff, steps[0], steps[1],
			steps[0] == STEP_NONE	? '>'
			: steps[1] == STEP_NONE ? '<'
						: '|');
	}
	if (run > limit && diff->line_count)
		diff->lines[diff->line_count - 1].skipped = run - limit;
	at[0] = difference->steps[0] + (runs ? difference->run[0] : 1);
	at[1] = difference->steps[1] + (runs ? difference->run[1] : 1);
}

/* Computes the lines of context around the current difference. */
static void
render_context(struct poly_diff *diff)
{
	const struct difference *difference = &diff->current;
	uint64_t at[2];
	diff->has_context = true;
	diff->line_count = 0;
	render_before(diff);
	size_t here = diff->line_count;
	for (unsigned side = 0; side < 2 && difference->cause != POLY_DIFF_TAIL; side++)
		stream_fill(diff, difference->stream, side,
			difference->steps[side] + difference->run[side] + diff->rules.context +
				2);
	render_here(diff, at);
	if (here < diff->line_count)
		diff->lines[here].here = true;
	if (difference->ends || difference->cause == POLY_DIFF_TAIL)
		return;
	for (unsigned i = 0; i < diff->rules.context && add_line_after(diff, at); i++)
		;
}

bool
poly_diff_line_at(struct poly_diff *diff, size_t i, struct poly_diff_line *line)
{
	if (!diff->has_context)
		render_context(diff);
	memset(line, 0, sizeof *line);
	if (i >= diff->line_count)
		return false;
	const struct context_line *shown = &diff->lines[i];
	line->mark = shown->mark;
	line->here = shown->here;
	line->skipped = shown->skipped;
	for (unsigned side = 0; side < 2; side++) {
		line->steps[side].text = "";
		if (shown->steps[side] == STEP_NONE)
			continue;
		const struct step *step =
			stream_step(diff->current.stream, side, shown->steps[side]);
		line->steps[side].instruction = step->instruction;
		line->steps[side].record = step->record;
		line->steps[side].text = render_step(diff, side, shown->steps[side]);
	}
	return true;
}
