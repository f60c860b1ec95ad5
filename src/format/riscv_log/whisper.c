/* SPDX-License-Identifier: MIT */
/*
 * Logs of Whisper: a line per change, joined by a + at the end of all but the last one.
 *
 *     line   = "#" int hart mode hex hex file index hex text
 *              [ "[" hex [ ":" hex ] "]" ] [ " +" ] ;
 *
 *     file   = "r" | "f" | "v" | "m" | "c" ;
 *
 * spec: tenstorrent/whisper, printTrace.cpp
 */
#include "format/riscv_log/scan.h"

/* Adds the changed register or store of a line; r 0 0 means no change. */
static bool
parse_change(struct rv_scan *at, struct rv_record *record)
{
	struct rv_number index, value;
	const uint8_t file = scan_peek(at);
	at->p += !scan_ended(at);
	if (!scan_blanks(at) || !scan_digits(at, &index) || index.digits.size > 16 ||
		!scan_blanks(at) || !scan_digits(at, &value))
		return false;
	if (file == 'r' && !index.value)
		return true;
	const enum rv_file is = file == 'r'   ? RV_X
				: file == 'f' ? RV_F
				: file == 'v' ? RV_V
				: file == 'c' ? RV_CSR
					      : RV_WRITE;
	if ((is == RV_WRITE && file != 'm') || (is < RV_CSR && index.value > 31) ||
		(is == RV_CSR && index.value >= RV_CSRS))
		return false;
	struct rv_effect *effect = rv_add(record, is);
	if (!effect)
		return false;
	effect->number = (uint16_t)index.value;
	scan_set_value(effect, &value);
	if (is != RV_WRITE)
		return true;
	/* Stored values have the register's width. */
	effect->number = 0;
	effect->address = index.value;
	rv_narrow(effect, rv_access_size(record));
	return true;
}

/* Adds the access of a load from the address in brackets at the end of the text. */
static bool
add_load(struct rv_span brackets, struct rv_record *record)
{
	struct rv_scan at = scan_span(brackets);
	uint64_t address;
	for (uint32_t i = 0; i < record->count; i++) {
		if (record->effects[i].file == RV_WRITE && !rv_is_amo(record))
			return true;
	}
	if (!scan_byte(&at, '[') || !scan_hex64(&at, &address))
		return true;
	struct rv_effect *effect = rv_add(record, RV_READ);
	if (!effect)
		return false;
	effect->address = address;
	effect->size = rv_access_size(record);
	return true;
}

/* Splits the text of a line: the end that is not disassembly is removed. */
static struct rv_span
parse_text(struct rv_span text, struct rv_record *record, struct rv_span *brackets)
{
	static const char *const traps[] = {"(exception)", "(interrupted)"};
	text = scan_trim(text);
	if (text.size && text.text[text.size - 1] == '+')
		text = scan_trim((struct rv_span){text.text, text.size - 1});
	for (size_t i = 0; i < 2; i++) {
		const size_t n = strlen(traps[i]);
		if (text.size < n || memcmp(text.text + text.size - n, traps[i], n) != 0)
			continue;
		record->is_trapped = true;
		text = scan_trim((struct rv_span){text.text, text.size - n});
	}
	size_t n = text.size;
	if (!n || text.text[n - 1] != ']')
		return text;
	while (n && text.text[n - 1] != '[')
		n--;
	if (!n || text.size - n < 3 || memcmp(text.text + n, "0x", 2) != 0)
		return text;
	*brackets = (struct rv_span){text.text + n - 1, text.size - n + 1};
	return scan_trim((struct rv_span){text.text, n - 1});
}

/* Parses one line of a record; *is_first: it sets the instruction. */
static bool
parse_line(
	struct rv_span line, bool is_first, struct rv_record *record, struct rv_span *brackets)
{
	struct rv_scan at = scan_span(line);
	struct rv_number hart, pc, opcode;
	uint64_t id;
	if (!scan_byte(&at, '#') || !scan_decimal(&at, &id) || !scan_blanks(&at) ||
		!scan_digits(&at, &hart) || hart.value > UINT32_MAX || !scan_blanks(&at))
		return false;
	const struct rv_span mode = scan_word(&at);
	if (!scan_blanks(&at) || !scan_digits(&at, &pc) || pc.digits.size > 16 ||
		!scan_blanks(&at) || !scan_digits(&at, &opcode) || opcode.digits.size > 8 ||
		!scan_blanks(&at))
		return false;
	if (is_first) {
		record->has_id = record->has_hart = true;
		record->id = id;
		record->hart = (uint32_t)hart.value;
		record->pc = pc.value;
		record->mode = mode.size == 1 && *mode.text <= '3'
				       ? rv_mode((unsigned)*mode.text - '0')
				       : rv_mode_of(mode);
		rv_set_opcode(record, opcode.value);
	}
	if (!record->mode || record->pc != pc.value || !parse_change(&at, record))
		return false;
	scan_blanks(&at);
	record->text = parse_text(scan_rest(&at), record, brackets);
	return true;
}

/* Returns whether the last line of a record states that another one follows. */
static bool
is_continued(struct rv_span record)
{
	size_t n = record.size;
	while (n && scan_is(record.text[n - 1], " \t\r\n"))
		n--;
	return n && record.text[n - 1] == '+';
}

static bool
whisper_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	struct rv_scan rest = scan_span(text);
	struct rv_span brackets = {NULL, 0};
	bool is_first = true;
	/* The log is truncated, or corrupt. */
	if (is_continued(text))
		return false;
	do {
		if (!parse_line(scan_line(&rest), is_first, record, &brackets))
			return false;
		is_first = false;
	} while (!scan_ended(&rest));
	return add_load(brackets, record);
}

static bool
whisper_recognise(struct rv_span line)
{
	struct rv_scan at = scan_span(line);
	uint64_t number;
	return scan_byte(&at, '#') && scan_decimal(&at, &number) && scan_blanks(&at) &&
	       scan_decimal(&at, &number) && scan_blanks(&at) && !scan_ended(&at) &&
	       scan_is(*at.p, "MSUHVD0123");
}

static bool
whisper_joins(struct rv_span record, struct rv_span next)
{
	return is_continued(record) && *record.text == '#' &&
	       (!next.text || (next.size && *next.text == '#'));
}

const struct rv_dialect rv_whisper = {
	.name = "whisper",
	.producer = "Whisper",
	.recognise = whisper_recognise,
	.parse = whisper_parse,
	.joins = whisper_joins,
};
