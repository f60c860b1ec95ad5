/* SPDX-License-Identifier: MIT */
/*
 * Logs of Rocket and BOOM: a line per cycle, which is an instruction if it has [1]; and commit
 * logs, in which a value that arrives after the commit has a line of its own.
 *
 *     line   = "C" int ":" int "[" bit "] pc=[" hex "] W[r" int "=" hex "][" bit "]"
 *              " R[r" int "=" hex "] R[r" int "=" hex "] inst=[" hex "] DASM(" hex ")"
 *            | [ "@@@ " ] level hex "(" hex ")"
 *              [ ( "x" | "f" ) int [ "p" int ] hex ] [ "|" int ]
 *            | ( "x" | "f" ) int "p" int hex ;
 *
 * spec: chipsalliance/rocket-chip, RocketCore.scala
 */
#include "format/riscv_log/scan.h"

/* Parses =digits] after the name of a register in brackets. */
static bool
parse_bracket(struct rv_scan *at, uint64_t *number, struct rv_number *value)
{
	scan_blanks(at);
	return scan_below(at, 31, number) && scan_byte(at, '=') && scan_digits(at, value) &&
	       scan_byte(at, ']');
}

static bool
add_register(struct rv_record *record, enum rv_file file, uint64_t number,
	const struct rv_number *value)
{
	struct rv_effect *effect = rv_add(record, file);
	if (!effect)
		return false;
	effect->number = (uint16_t)number;
	if (value)
		scan_set_value(effect, value);
	return true;
}

/* Parses the written register of a line per cycle. */
static bool
parse_write(struct rv_scan *at, struct rv_record *record, bool is_valid)
{
	struct rv_number value;
	uint64_t number;
	if (!SCAN(at, " W[r") || !parse_bracket(at, &number, &value) || !scan_byte(at, '['))
		return false;
	const bool is_enabled = scan_peek(at) == '1';
	if (!SCAN(at, "1]") && !SCAN(at, "0]"))
		return false;
	return !is_valid || !is_enabled || !number ||
	       add_register(record, RV_X, number, &value);
}

static bool
parse_cycle(struct rv_scan at, struct rv_record *record)
{
	struct rv_number pc, value, opcode;
	uint64_t hart, number;
	if (!scan_byte(&at, 'C') || !scan_below(&at, UINT32_MAX, &hart) || !scan_byte(&at, ':'))
		return false;
	scan_blanks(&at);
	if (!scan_decimal(&at, &record->time) || !SCAN(&at, " ["))
		return false;
	const bool is_valid = scan_peek(&at) == '1';
	if ((!SCAN(&at, "1]") && !SCAN(&at, "0]")) || !SCAN(&at, " pc=[") ||
		!scan_digits(&at, &pc) || !scan_byte(&at, ']') || pc.digits.size > 16 ||
		!parse_write(&at, record, is_valid))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!SCAN(&at, " R[r") || !parse_bracket(&at, &number, &value))
			return false;
	}
	if (!SCAN(&at, " inst=[") || !scan_digits(&at, &opcode) || opcode.digits.size > 16)
		return false;
	record->has_hart = record->has_time = true;
	record->hart = (uint32_t)hart;
	record->pc = pc.value;
	if (is_valid)
		rv_set_opcode(record, opcode.value);
	else
		record->is = RV_TEXT;
	return true;
}

/* Parses x5 0x..., x5 p12 0x... or x5 p12 0xXXXXXXXX, whose value follows later. */
static bool
parse_register(struct rv_scan *at, struct rv_record *record)
{
	const enum rv_file file = scan_byte(at, 'f') ? RV_F : RV_X;
	struct rv_number value;
	uint64_t number, physical;
	if (file == RV_X && !scan_byte(at, 'x'))
		return false;
	scan_blanks(at);
	if (!scan_below(at, 31, &number) || !scan_blanks(at))
		return false;
	if (scan_byte(at, 'p')) {
		scan_blanks(at);
		if (!scan_decimal(at, &physical) || !scan_blanks(at))
			return false;
	}
	if (!SCAN(at, "0x"))
		return false;
	if (scan_byte(at, 'X')) {
		while (scan_byte(at, 'X'))
			;
		return true;
	}
	return scan_digits(at, &value) && add_register(record, file, number, &value);
}

/* Skips " |CYCLE", which old logs of BOOM have. */
static bool
parse_end(struct rv_scan *at, struct rv_record *record)
{
	scan_blanks(at);
	if (scan_byte(at, '|')) {
		scan_blanks(at);
		record->has_time = scan_decimal(at, &record->time);
		scan_blanks(at);
	}
	return scan_ended(at);
}

static bool
parse_commit(struct rv_scan at, struct rv_record *record)
{
	uint64_t level, opcode;
	SCAN(&at, "@@@ ");
	if (scan_peek(&at) == 'x' || scan_peek(&at) == 'f') {
		/* A late value belongs to an instruction before. */
		record->is = RV_REGISTER;
		return parse_register(&at, record) && parse_end(&at, record);
	}
	if (!scan_below(&at, 3, &level) || !scan_blanks(&at) || !scan_hex64(&at, &record->pc) ||
		!scan_blanks(&at) || !scan_byte(&at, '(') || !scan_hex64(&at, &opcode) ||
		!scan_byte(&at, ')'))
		return false;
	record->mode = rv_mode((unsigned)level);
	rv_set_opcode(record, opcode);
	scan_blanks(&at);
	const uint8_t c = scan_peek(&at);
	return ((c != 'x' && c != 'f') || parse_register(&at, record)) &&
	       parse_end(&at, record);
}

static bool
rocket_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	struct rv_scan rest = scan_span(text), at = scan_span(scan_line(&rest));
	if (scan_peek(&at) != 'C')
		return parse_commit(at, record);
	if (!parse_cycle(at, record))
		return false;
	/* A cycle without an instruction. */
	if (record->is == RV_TEXT)
		record->text = scan_rest(&at);
	return true;
}

static bool
rocket_recognise(struct rv_span line)
{
	struct rv_scan at = scan_span(line);
	uint64_t number;
	if (scan_byte(&at, 'C'))
		return scan_decimal(&at, &number) && SCAN(&at, ":");
	if (SCAN(&at, "@@@ "))
		return true;
	return (scan_byte(&at, 'x') || scan_byte(&at, 'f')) && scan_decimal(&at, &number) &&
	       SCAN(&at, " p");
}

const struct rv_dialect rv_rocket = {
	.name = "rocket",
	.is_variant = true,
	.producer = "Rocket",
	.unrecorded = "memory,csrs",
	.recognise = rocket_recognise,
	.parse = rocket_parse,
};
