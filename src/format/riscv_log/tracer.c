/* SPDX-License-Identifier: MIT */
/*
 * Tracers of the cores Ibex and CV32E40P: a header, then time, cycle, pc, opcode, text and the
 * registers and accesses of each instruction.
 *
 *     items = { register ( ":" | "=" ) [ "0x" ] hex | "PA:" hex | "store:" hex
 *             | "load:" hex } ;
 *
 * A register with a colon is read, so that it has the value before the instruction; with = it
 * is written. Digits of bytes that are not stored are ?.
 *
 * spec: lowRISC/ibex, rtl/ibex_tracer.sv; openhwgroup/cv32e40p, bhv/cv32e40p_instr_trace.svh
 */
#include "format/riscv_log/scan.h"

/* Returns whether a line is a tracer's header. */
static bool
is_header(struct rv_span line, bool *has_context)
{
	static const char words[] = "Decoded instruction";
	struct rv_scan at = scan_span(line);
	scan_blanks(&at);
	*has_context = false;
	if (!SCAN(&at, "Time") || !scan_blanks(&at) || !SCAN(&at, "Cycle"))
		return false;
	for (; !scan_ended(&at); at.p++) {
		struct rv_scan word = at;
		*has_context |= SCAN(&word, "Ctx");
		if (SCAN(&word, words) || SCAN(&word, "Mnemonic"))
			return true;
	}
	return false;
}

/* Notes digits that were parsed up to a position. */
static void
note_digits(const struct rv_scan *at, struct rv_record *record, struct rv_span digits,
	unsigned column)
{
	/* Another last digit might be that of 0x. */
	record->is_shapeless |= scan_peek(at) == 'x';
	scan_vary(record, digits, WINDOW_ZEROS, column);
}

/* Parses the bytes of a store, some of whose digits may be unknown at both ends. */
static bool
parse_store(struct rv_scan *at, struct rv_record *record, struct rv_effect *effect)
{
	struct rv_number value;
	SCAN(at, "0x");
	while (scan_byte(at, '?'))
		;
	if (!scan_digits(at, &value) || value.digits.size > 16)
		return false;
	note_digits(at, record, value.digits, POLY_COLUMN_value);
	while (scan_byte(at, '?'))
		;
	effect->file = RV_WRITE;
	scan_set_value(effect, &value);
	return true;
}

/* The access of an instruction, which is added when its items are known. */
struct access {
	bool is_there;
	const uint8_t *start; /* of its text */
	struct rv_effect effect;
};

static bool
parse_access(struct rv_scan *at, struct rv_span name, struct rv_record *record,
	struct access *access)
{
	struct rv_number value;
	struct rv_effect *effect = &access->effect;
	if (!access->start)
		access->start = name.text;
	if (span_is(name, "store"))
		return access->is_there && parse_store(at, record, effect);
	SCAN(at, "0x");
	if (!scan_digits(at, &value) || value.digits.size > 16)
		return false;
	const bool is_address = span_is(name, "PA");
	note_digits(
		at, record, value.digits, is_address ? POLY_COLUMN_address : POLY_COLUMN_value);
	if (is_address) {
		access->is_there = true;
		effect->address = value.value;
	} else {
		scan_set_value(effect, &value);
	}
	return true;
}

/* Parses an item; unknown ones are skipped. */
static bool
parse_item(struct rv_scan *at, struct rv_record *record, struct access *access)
{
	const uint8_t *start = at->p;
	enum rv_file file;
	uint16_t number;
	struct rv_number value;
	while (at->p != at->end && !scan_is(*at->p, ":= \t"))
		at->p++;
	const struct rv_span name = {start, (size_t)(at->p - start)};
	const bool is_written = scan_peek(at) == '=';
	if (!is_written && scan_peek(at) != ':')
		return true;
	at->p++;
	if (span_is(name, "PA") || span_is(name, "store") || span_is(name, "load"))
		return parse_access(at, name, record, access);
	const bool is_register = rv_find_register(name, &file, &number);
	SCAN(at, "0x");
	if (!scan_digits(at, &value))
		return !is_register;
	/* The tracer prints x0, which is never written. */
	const bool is_stored = is_written && !(is_register && file == RV_X && !number);
	note_digits(at, record, value.digits, is_stored ? POLY_COLUMN_value : WINDOW_NO_COLUMN);
	if (!is_stored)
		return true;
	record->start = start;
	struct rv_effect *effect = rv_add(record, is_register ? file : RV_CSR);
	if (!effect)
		return false;
	effect->number = is_register ? number : RV_CSRS;
	effect->name = is_register ? (struct rv_span){NULL, 0} : name;
	scan_set_value(effect, &value);
	/* CHERI appends the upper half. */
	if (scan_byte(at, '+')) {
		record->unread = "has the upper half of a capability, which is ignored";
		scan_word(at);
	}
	return true;
}

/* Sets what an access is by its instruction, and adds it. */
static bool
add_access(struct rv_record *record, struct access *access)
{
	const uint32_t opcode = (uint32_t)record->opcode, size = rv_access_size(record);
	const bool is_store = access->effect.file == RV_WRITE || (opcode & 0x7f) == 0x23 ||
			      (opcode & 0x7f) == 0x27 ||
			      (record->opcode_size == 2 && opcode >> 13 > 4);
	if (!access->is_there)
		return true;
	record->start = access->start;
	if (is_store && rv_is_amo(record)) {
		/* Both rows have one text, so that the record is not predicted. */
		record->start = NULL;
		struct rv_effect *load = rv_add(record, RV_READ);
		if (!load)
			return false;
		load->address = access->effect.address;
		load->size = size;
	}
	struct rv_effect *effect = rv_add(record, is_store ? RV_WRITE : RV_READ);
	if (!effect)
		return false;
	const uint8_t file = effect->file;
	*effect = access->effect;
	effect->file = file;
	effect->start = record->start;
	/* What a load reports is the word of the bus, or the register. */
	rv_narrow(effect, size);
	return true;
}

static bool
is_item(const struct rv_scan *at)
{
	struct rv_scan item = *at;
	const struct rv_span word = scan_word(&item);
	const uint8_t *mark = memchr(word.text, '=', word.size);
	mark = mark ? mark : memchr(word.text, ':', word.size);
	return mark && mark != word.text;
}

/* Returns the text, which ends before the first item. */
static struct rv_span
parse_text(struct rv_scan *at, struct rv_record *record)
{
	struct rv_span text = {at->p, 0};
	scan_blanks(at);
	if (SCAN(at, "-->"))
		record->is_trapped = true;
	else
		SCAN(at, "==>");
	scan_blanks(at);
	text.text = at->p;
	while (!scan_ended(at) && !is_item(at)) {
		scan_word(at);
		text.size = (size_t)(at->p - text.text);
		scan_blanks(at);
	}
	return text;
}

/* Skips the letters of a context, which stand alone. */
static void
skip_context(struct rv_scan *at)
{
	struct rv_scan next = *at;
	scan_blanks(&next);
	const struct rv_span word = scan_word(&next);
	if (word.size && word.size <= 2 && *word.text < 'a')
		*at = next;
}

/* Parses a decimal number after blanks. */
static bool
scan_padded(struct rv_scan *at, struct rv_record *record, unsigned column, uint64_t *value)
{
	const uint8_t *start = at->p;
	scan_blanks(at);
	const bool good = scan_decimal(at, value);
	scan_vary(record, (struct rv_span){start, (size_t)(at->p - start)},
		WINDOW_DECIMAL | WINDOW_BLANKS, column);
	return good;
}

/* Parses the line of an instruction. */
static bool
parse_line(struct rv_span line, bool has_context, struct rv_record *record)
{
	struct rv_scan at = scan_span(line);
	struct rv_number pc, opcode;
	struct access access = {.is_there = false};
	uint64_t cycle;
	if (!scan_padded(&at, record, POLY_COLUMN_time, &record->time))
		return false;
	/* A unit may follow the time. */
	scan_byte(&at, 'n');
	scan_byte(&at, 's');
	if ((!scan_byte(&at, '\t') && !scan_byte(&at, ' ')) ||
		!scan_padded(&at, record, WINDOW_NO_COLUMN, &cycle) || !scan_blanks(&at) ||
		!scan_digits(&at, &pc) || pc.digits.size > 16 || !scan_blanks(&at) ||
		!scan_digits(&at, &opcode) || opcode.digits.size > 8)
		return false;
	record->has_time = true;
	record->pc = pc.value;
	record->pc_digits = 8;
	rv_set_opcode(record, opcode.value);
	if (has_context)
		skip_context(&at);
	record->text = parse_text(&at, record);
	while (!scan_ended(&at)) {
		if (!parse_item(&at, record, &access))
			return false;
		scan_blanks(&at);
	}
	return add_access(record, &access);
}

static bool
parse_log(struct rv_span text, bool has_context, struct rv_record *record)
{
	struct rv_scan rest = scan_span(text);
	const struct rv_span line = scan_line(&rest);
	bool context;
	if (!is_header(line, &context))
		return parse_line(line, has_context, record);
	record->is = RV_HEADER;
	record->text = line;
	return context == has_context;
}

static bool
ibex_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	return parse_log(text, false, record);
}

static bool
ibex_recognise(struct rv_span line)
{
	bool has_context;
	return is_header(line, &has_context) && !has_context;
}

const struct rv_dialect rv_ibex = {
	.name = "ibex",
	.producer = "Ibex",
	.is_predicted = true,
	.unrecorded = "csrs",
	.recognise = ibex_recognise,
	.parse = ibex_parse,
};

static bool
cv32e40p_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	return parse_log(text, true, record);
}

static bool
cv32e40p_recognise(struct rv_span line)
{
	bool has_context;
	return is_header(line, &has_context) && has_context;
}

const struct rv_dialect rv_cv32e40p = {
	.name = "cv32e40p",
	.producer = "CV32E40P",
	.is_predicted = true,
	.unrecorded = "csrs",
	.recognise = cv32e40p_recognise,
	.parse = cv32e40p_parse,
};
