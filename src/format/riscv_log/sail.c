/* SPDX-License-Identifier: MIT */
/*
 * Logs of the Sail model: one fact a line, an instruction before its effects.
 *
 *     line     = "[" int "] [" mode "]: 0x" hex " (0x" hex ") " text
 *              | register " <- 0x" hex
 *              | "CSR " name [ " (0x" hex ")" ] ( " <- " | " -> " ) "0x" hex
 *                [ " (input: " ... ]
 *              | "mem[" [ letter "," ] address "] " ( "->" | "<-" ) " 0x" hex ;
 *
 *     letter   = "X" | "R" | "W" ;
 *
 *     address  = "0x" hex | "0b" bits ;
 *
 * spec: riscv/sail-riscv, c_emulator/riscv_callbacks_log.cpp
 */
#include "format/riscv_log/scan.h"

/* The form of hexadecimal numbers. */
#define UPPER (WINDOW_ZEROS | WINDOW_UPPER)

static bool
parse_instruction(struct rv_scan at, struct rv_record *record)
{
	uint64_t opcode;
	const uint8_t *start = at.p + 1;
	if (!scan_byte(&at, '[') || !scan_decimal(&at, &record->id))
		return false;
	scan_vary(record, (struct rv_span){start, (size_t)(at.p - start)}, WINDOW_DECIMAL,
		POLY_COLUMN_instruction_id);
	if (!SCAN(&at, "] ["))
		return false;
	record->has_id = true;
	record->mode = rv_mode_of(scan_until(&at, ']'));
	if (!record->mode || !SCAN(&at, ": ") || !scan_hex64(&at, &record->pc) ||
		!SCAN(&at, " (") || !scan_hex64(&at, &opcode) || !scan_byte(&at, ')'))
		return false;
	rv_set_opcode(record, opcode);
	if (!scan_blanks(&at) && !scan_ended(&at))
		return false;
	record->text = scan_rest(&at);
	return true;
}

/* Parses an address in hexadecimal or binary digits. */
static bool
parse_address(struct rv_scan *at, struct rv_record *record, uint64_t *address)
{
	struct rv_number number;
	*address = 0;
	if (!SCAN(at, "0b")) {
		if (!scan_hex(at, &number) || number.digits.size > 16)
			return false;
		*address = number.value;
		scan_vary(record, number.digits, UPPER, POLY_COLUMN_address);
		return true;
	}
	const uint8_t *start = at->p;
	for (; scan_peek(at) == '0' || scan_peek(at) == '1'; at->p++)
		*address = *address << 1 | (*at->p & 1);
	return at->p != start && at->p - start <= 64;
}

static bool
parse_memory(struct rv_scan at, struct rv_record *record)
{
	struct rv_number value;
	enum rv_file file = RV_READ;
	const bool has_letter = at.end - at.p > 1 && at.p[1] == ',';
	const uint8_t letter = scan_peek(&at);
	if (has_letter && letter != 'X' && letter != 'R' && letter != 'W')
		return false;
	at.p += has_letter ? 2 : 0;
	struct rv_effect *effect = rv_add(record, file);
	if (!effect || !parse_address(&at, record, &effect->address) || !SCAN(&at, "] "))
		return false;
	if (SCAN(&at, "<- "))
		file = RV_WRITE;
	else if (!SCAN(&at, "-> "))
		return false;
	if (has_letter && letter == 'X')
		file = RV_FETCH;
	effect->file = (uint8_t)file;
	if ((has_letter && letter == 'W') != (file == RV_WRITE && has_letter) ||
		!scan_hex(&at, &value) || !scan_ended(&at))
		return false;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, UPPER, POLY_COLUMN_value);
	return true;
}

/* A CSR that is read is not an effect: the line is kept as a text. */
static bool
parse_csr(struct rv_scan at, struct rv_record *record)
{
	struct rv_number value;
	const struct rv_span whole = scan_rest(&(struct rv_scan){at.p - 4, at.end});
	const struct rv_span name = scan_word(&at);
	uint64_t number = RV_CSRS;
	scan_blanks(&at);
	if (scan_byte(&at, '(') &&
		(!scan_hex64(&at, &number) || number >= RV_CSRS || !SCAN(&at, ") ")))
		return false;
	const bool reads = SCAN(&at, "-> ");
	if ((!reads && !SCAN(&at, "<- ")) || !scan_hex(&at, &value))
		return false;
	if (reads) {
		record->is = RV_TEXT;
		record->text = whole;
		return scan_ended(&at);
	}
	struct rv_effect *effect = rv_add(record, RV_CSR);
	if (!effect)
		return false;
	effect->name = name;
	effect->number = (uint16_t)number;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, UPPER, POLY_COLUMN_value);
	return scan_ended(&at) || SCAN(&at, " (input: ");
}

static bool
parse_register(struct rv_scan at, struct rv_record *record)
{
	struct rv_number value;
	enum rv_file file;
	uint16_t number;
	if (!rv_find_register(scan_word(&at), &file, &number) || !SCAN(&at, " <- ") ||
		!scan_hex(&at, &value) || !scan_ended(&at))
		return false;
	struct rv_effect *effect = rv_add(record, file);
	if (!effect)
		return false;
	effect->number = number;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, UPPER, POLY_COLUMN_value);
	return true;
}

static bool
sail_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	struct rv_scan rest = scan_span(text), at = scan_span(scan_line(&rest));
	if (scan_peek(&at) == '[')
		return parse_instruction(at, record);
	record->is = RV_REGISTER;
	if (SCAN(&at, "mem["))
		return parse_memory(at, record);
	if (SCAN(&at, "CSR "))
		return parse_csr(at, record);
	if (parse_register(at, record))
		return true;
	record->is = RV_TEXT;
	record->text = scan_rest(&at);
	const struct rv_scan words = scan_span(record->text);
	at = words;
	return SCAN(&at, "PTW: ") || SCAN(&at, "trapping from ") || SCAN(&at, "handling ") ||
	       SCAN(&at, "ret-ing from ");
}

static bool
sail_recognise(struct rv_span line)
{
	struct rv_record record = {.count = 0};
	return line.size && *line.text == '[' && parse_instruction(scan_span(line), &record);
}

/* Turns the digits after a position into upper case. */
static void
raise_digits(struct buf *out, size_t start)
{
	for (size_t i = start; !out->failed && i < out->size; i++) {
		const uint8_t c = out->data[i];
		out->data[i] = (uint8_t)(c >= 'a' && c <= 'f' ? c - ('a' - 'A') : c);
	}
}

static void
append_number(struct buf *out, const char *before, uint64_t value, unsigned digits)
{
	buf_string(out, before);
	const size_t start = out->size;
	rv_append_hex(out, value, digits);
	raise_digits(out, start);
}

static void
append_effect(const struct rv_form *form, const struct rv_effect *effect, struct buf *out)
{
	static const char *const before[] = {
		[RV_READ] = "mem[R,0x", [RV_WRITE] = "mem[W,0x", [RV_FETCH] = "mem[X,0x"};
	const unsigned width = form->xlen / 4;
	if (effect->file > RV_FETCH || !effect->has_value)
		return;
	if (effect->file == RV_CSR)
		buf_string(out, "CSR ");
	if (effect->file < RV_READ) {
		rv_append_register(out, effect);
	} else {
		append_number(out, before[effect->file], effect->address, width);
		buf_byte(out, ']');
	}
	if (effect->file == RV_CSR) {
		append_number(out, " (0x", effect->number, 3);
		buf_byte(out, ')');
	}
	buf_string(
		out, effect->file < RV_READ || effect->file == RV_WRITE ? " <- 0x" : " -> 0x");
	const size_t start = out->size;
	rv_append_value(out, effect, rv_digits(form, effect));
	raise_digits(out, start);
	buf_byte(out, '\n');
}

static void
sail_format(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	char id[24];
	if (record->is == RV_INSTRUCTION) {
		buf_byte(out, '[');
		buf_append(out, id, num_decimal(id, record->id));
		buf_string(out, "] [");
		buf_string(out, record->mode ? record->mode : "M");
		append_number(out, "]: 0x", record->pc, form->xlen / 4);
		append_number(out, " (0x", record->opcode, 2u * record->opcode_size);
		buf_string(out, ") ");
		rv_append_text(out, record->text);
		buf_byte(out, '\n');
	}
	for (uint32_t i = 0; i < record->count; i++)
		append_effect(form, &record->effects[i], out);
}

const struct rv_dialect rv_sail = {
	.name = "sail",
	.producer = "Sail",
	.is_predicted = true,
	.has_text = true,
	.needs_mode = true,
	.holds = 1 << RV_X | 1 << RV_F | 1 << RV_V | 1 << RV_CSR | 1 << RV_READ |
		 1 << RV_WRITE | 1 << RV_FETCH,
	.recognise = sail_recognise,
	.parse = sail_parse,
	.format = sail_format,
};
