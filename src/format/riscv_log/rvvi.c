/* SPDX-License-Identifier: MIT */
/*
 * RVVI-TEXT: tokens separated by blanks; a backslash at the end joins lines; comments stand in
 * single quotes.
 *
 * spec: riscv-verification/RVVI, RVVI-TEXT/README.md, version 0.3
 */
#include "format/riscv_log/scan.h"

/* Skips blanks, comments and joined line ends; false: the record ends. */
static bool
skip_space(struct rv_scan *at)
{
	for (;;) {
		scan_blanks(at);
		if (scan_byte(at, '\''))
			scan_until(at, '\'');
		else if (!SCAN(at, "\\\r\n") && !SCAN(at, "\\\n") && !scan_byte(at, '\n') &&
			 !SCAN(at, "\r\n"))
			break;
	}
	return !scan_ended(at);
}

/* Returns the next token; size 0: there is none. */
static struct rv_span
next_token(struct rv_scan *at)
{
	const bool has_token = skip_space(at);
	const uint8_t *start = at->p;
	if (has_token && *start == '"') {
		at->p++;
		scan_until(at, '"');
		return (struct rv_span){start, (size_t)(at->p - start)};
	}
	while (at->p != at->end && !scan_is(*at->p, " \t\r\n'"))
		at->p++;
	return (struct rv_span){start, (size_t)(at->p - start)};
}

static bool
next_decimal(struct rv_scan *at, uint64_t *value)
{
	struct rv_scan token = scan_span(next_token(at));
	return scan_decimal(&token, value) && scan_ended(&token);
}

/* Hexadecimal digits with or without 0x. */
static bool
next_hex(struct rv_scan *at, struct rv_number *value)
{
	struct rv_scan token = scan_span(next_token(at));
	if (token.end - token.p > 1 && token.p[1] == 'x')
		SCAN(&token, "0x");
	return scan_digits(&token, value) && scan_ended(&token);
}

/* X, F, V: decimal index; C: hexadecimal index. */
static bool
parse_register(struct rv_scan *at, struct rv_record *record, enum rv_file file)
{
	struct rv_number index, value;
	uint64_t number;
	if (file == RV_CSR) {
		if (!next_hex(at, &index) || index.value >= RV_CSRS)
			return false;
		number = index.value;
	} else if (!next_decimal(at, &number) || number > 31) {
		return false;
	}
	struct rv_effect *effect = next_hex(at, &value) ? rv_add(record, file) : NULL;
	if (!effect)
		return false;
	effect->number = (uint16_t)number;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, WINDOW_ZEROS, POLY_COLUMN_value);
	return true;
}

static bool
parse_instruction(struct rv_scan *at, struct rv_record *record)
{
	struct rv_number pc, opcode;
	/* A second one on the line would be a record of its own, which is not supported. */
	if (record->has_opcode || !next_hex(at, &pc) || !next_hex(at, &opcode) ||
		pc.digits.size > 16 || opcode.digits.size > 16)
		return false;
	record->is = RV_INSTRUCTION;
	record->pc = pc.value;
	record->pc_digits = (uint8_t)pc.digits.size;
	rv_set_opcode(record, opcode.value);
	return true;
}

/* Skips the tokens of NET and META. */
static bool
skip_tokens(struct rv_scan *at, uint64_t count)
{
	for (; count; count--) {
		if (!next_token(at).size)
			return false;
	}
	return true;
}

/* Parses an element that changes the state alone. */
static bool
parse_state(struct rv_scan *at, struct rv_span token, struct rv_state *state,
	struct rv_record *record)
{
	uint64_t value;
	struct rv_number mode;
	if (span_is(token, "HART")) {
		if (!next_decimal(at, &value) || value > UINT32_MAX)
			return false;
		/* The rows before it have it, too. */
		record->is_shapeless |= record->count || record->has_opcode;
		state->hart = (uint32_t)value;
	} else if (span_is(token, "ORDER")) {
		record->is_shapeless = true;
		return next_decimal(at, &state->order);
	} else if (span_is(token, "ISSUE") || span_is(token, "CYCLE")) {
		const struct rv_span digits = next_token(at);
		struct rv_scan number = scan_span(digits);
		scan_vary(record, digits, WINDOW_DECIMAL, WINDOW_NO_COLUMN);
		return scan_decimal(&number, &value) && scan_ended(&number);
	} else if (span_is(token, "TIME")) {
		if (!next_decimal(at, &value))
			return false;
		record->is_shapeless = true;
		state->time += value;
		record->has_time = true;
	} else if (span_is(token, "MODE")) {
		if (!next_hex(at, &mode) || mode.value > 3)
			return false;
		record->mode = rv_mode((unsigned)mode.value);
		return record->mode;
	} else if (span_is(token, "VIRT") || span_is(token, "DM")) {
		return next_hex(at, &mode);
	} else if (span_is(token, "NET")) {
		return skip_tokens(at, 2);
	} else if (span_is(token, "META")) {
		return next_decimal(at, &value) && skip_tokens(at, value);
	} else {
		return false;
	}
	return true;
}

static bool
parse_element(struct rv_scan *at, struct rv_span token, struct rv_state *state,
	struct rv_record *record)
{
	if (span_is(token, "RET") || span_is(token, "TRAP")) {
		record->is_trapped = *token.text == 'T';
		return parse_instruction(at, record);
	}
	if (token.size != 1)
		return parse_state(at, token, state, record);
	switch (*token.text) {
	case 'X': return parse_register(at, record, RV_X);
	case 'F': return parse_register(at, record, RV_F);
	case 'V': return parse_register(at, record, RV_V);
	case 'C': return parse_register(at, record, RV_CSR);
	default: return false;
	}
}

/* Returns whether a token begins the lines before the first event. */
static bool
is_header(struct rv_span token)
{
	return span_is(token, "VERSION") || span_is(token, "VENDOR") ||
	       span_is(token, "PARAMS");
}

static bool
rvvi_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	struct rv_scan at = scan_span(text);
	struct rv_span token = next_token(&at);
	record->is = RV_REGISTER;
	if (!token.size || is_header(token)) {
		record->is = RV_HEADER;
		struct rv_scan line = scan_span(text);
		record->text = scan_line(&line);
		return true;
	}
	while (token.size) {
		if (!parse_element(&at, token, state, record))
			return false;
		record->start = at.p;
		token = next_token(&at);
	}
	record->has_hart = true;
	record->hart = state->hart;
	record->time = state->time;
	if (record->is == RV_REGISTER && !record->count) {
		record->is = RV_HEADER;
		struct rv_scan line = scan_span(text);
		record->text = scan_line(&line);
	}
	record->has_id = record->is == RV_INSTRUCTION;
	record->id = state->order;
	state->order += record->has_id;
	return true;
}

static bool
rvvi_recognise(struct rv_span line)
{
	struct rv_scan at = scan_span(line);
	return SCAN(&at, "VERSION ") && (uint8_t)(scan_peek(&at) - '0') < 10;
}

static bool
rvvi_joins(struct rv_span record, struct rv_span next)
{
	(void)next;
	size_t n = record.size;
	n -= n && record.text[n - 1] == '\n';
	n -= n && record.text[n - 1] == '\r';
	return n && record.text[n - 1] == '\\';
}

static void
append_decimal(struct buf *out, uint64_t value)
{
	char text[24];
	buf_append(out, text, num_decimal(text, value));
}

static void
append_effect(const struct rv_form *form, const struct rv_effect *effect, struct buf *out)
{
	static const char letters[] = "XFVC";
	if (effect->file > RV_CSR || !effect->has_value)
		return;
	const char name[] = {' ', letters[effect->file], ' '};
	buf_append(out, name, sizeof name);
	if (effect->file == RV_CSR) {
		buf_string(out, "0x");
		rv_append_hex(out, effect->number, 3);
	} else {
		append_decimal(out, effect->number);
	}
	buf_string(out, " 0x");
	rv_append_value(out, effect, rv_digits(form, effect));
}

static void
rvvi_format(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	if (record->is != RV_INSTRUCTION)
		return;
	buf_string(out, "HART ");
	append_decimal(out, record->hart);
	buf_string(out, record->is_trapped ? " TRAP 0x" : " RET 0x");
	rv_append_hex(out, record->pc, form->xlen / 4);
	buf_string(out, " 0x");
	rv_append_hex(out, record->opcode, 2u * record->opcode_size);
	for (uint32_t i = 0; i < record->count; i++)
		append_effect(form, &record->effects[i], out);
	if (record->mode) {
		const int level = rv_level(record->mode);
		buf_string(out, " MODE 0x");
		append_decimal(out, level < 0 ? 3 : (uint64_t)level);
	}
	buf_byte(out, '\n');
}

const struct rv_dialect rv_rvvi = {
	.name = "rvvi",
	.unrecorded = "memory",
	.has_state = true,
	.is_predicted = true,
	.is_one_line = true,
	.holds = 1 << RV_X | 1 << RV_F | 1 << RV_V | 1 << RV_CSR | 1 << RV_FETCH,
	.recognise = rvvi_recognise,
	.parse = rvvi_parse,
	.joins = rvvi_joins,
	.format = rvvi_format,
	.header = "VERSION 0 3\nVENDOR \"polytrace\" 0 1\n",
};
