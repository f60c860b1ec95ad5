/* SPDX-License-Identifier: MIT */
/*
 * Tables of comma-separated values: those of riscv-dv, and of Whisper's option --csv.
 *
 * spec: chipsalliance/riscv-dv, scripts/riscv_trace_csv.py; tenstorrent/whisper, printTrace.cpp
 */
#include "format/riscv_log/scan.h"

/* Cells of a line. */
#define CELLS_MAX 24

#define DV_HEADER "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad"
#define WHISPER_HEADER "pc, inst, modified regs, source operands, memory"

enum dv_cell {
	DV_PC,
	DV_INSTR,
	DV_GPR,
	DV_CSR,
	DV_BINARY,
	DV_MODE,
	DV_TEXT,
	DV_OPERAND,
	DV_CELLS
};

enum whisper_cell {
	WHISPER_PC,
	WHISPER_OPCODE,
	WHISPER_CHANGES,
	WHISPER_SOURCES,
	WHISPER_MEMORY,
	WHISPER_INFO,
	WHISPER_MODE,
	WHISPER_TRAP,
	WHISPER_TEXT,
	WHISPER_HART,
	WHISPER_CELLS
};

/* Parses a line that begins with the header of a table; false: it does not. */
static bool
parse_header(struct rv_span line, const char *header, struct rv_record *record)
{
	const size_t n = strlen(header);
	if (line.size < n || memcmp(line.text, header, n) != 0)
		return false;
	record->is = RV_HEADER;
	record->text = line;
	return true;
}

/* Splits a line into cells, with quotes or without and then trimmed; returns their number.
 * Doubled quotes within a cell are not resolved. */
static size_t
split(struct rv_span line, struct rv_span cells[CELLS_MAX])
{
	struct rv_scan at = scan_span(line);
	size_t n = 0;
	while (n < CELLS_MAX) {
		if (scan_byte(&at, '"')) {
			cells[n++] = scan_until(&at, '"');
			if (scan_ended(&at))
				break;
			if (!scan_byte(&at, ','))
				return 0;
			continue;
		}
		const bool is_last = !memchr(at.p, ',', (size_t)(at.end - at.p));
		struct rv_scan cell = scan_span(scan_trim(scan_until(&at, ',')));
		scan_blanks(&cell);
		cells[n++] = scan_rest(&cell);
		if (is_last)
			break;
	}
	return n;
}

/* Parses digits without 0x, which may stand there. */
static bool
parse_digits(struct rv_span cell, struct rv_number *number)
{
	struct rv_scan at = scan_span(cell);
	scan_blanks(&at);
	if (at.end - at.p > 1 && at.p[1] == 'x')
		SCAN(&at, "0x");
	return scan_digits(&at, number) && (scan_blanks(&at), scan_ended(&at));
}

static bool
parse_number(struct rv_span cell, uint64_t *value)
{
	struct rv_number number;
	const bool good = parse_digits(cell, &number) && number.digits.size <= 16;
	*value = good ? number.value : 0;
	return good;
}

/* Adds name:value;name:value, or with = instead of the colon. */
static bool
parse_changes(struct rv_span cell, char separator, bool are_csrs, struct rv_record *record)
{
	struct rv_scan at = scan_span(cell);
	while (!scan_ended(&at)) {
		record->start = at.p;
		struct rv_scan change = scan_span(scan_until(&at, ';'));
		struct rv_number value;
		enum rv_file file = RV_CSR;
		uint16_t number = RV_CSRS;
		scan_blanks(&change);
		const struct rv_span name = scan_until(&change, separator);
		if (!name.size || !parse_digits(scan_rest(&change), &value))
			return false;
		/* The target of a taken branch. */
		if (span_is(name, "pc"))
			continue;
		if (!are_csrs && !rv_find_register(name, &file, &number))
			file = RV_CSR;
		struct rv_effect *effect = rv_add(record, file);
		if (!effect)
			return false;
		effect->number = number;
		if (file == RV_CSR)
			effect->name = name;
		scan_set_value(effect, &value);
		scan_vary(record, value.digits, WINDOW_ZEROS, POLY_COLUMN_value);
		/* Whisper prints no leading zeros. */
		if (separator == '=' && effect->digits.size == 0)
			effect->size = 0;
	}
	return true;
}

static bool
dv_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	struct rv_span cells[CELLS_MAX];
	struct rv_scan rest = scan_span(text);
	const struct rv_span line = scan_line(&rest);
	uint64_t opcode, level;
	if (parse_header(line, DV_HEADER, record))
		return true;
	if (split(line, cells) < DV_CELLS || !parse_number(cells[DV_PC], &record->pc) ||
		!parse_number(cells[DV_BINARY], &opcode))
		return false;
	rv_set_opcode(record, opcode);
	if (cells[DV_MODE].size) {
		if (!parse_number(cells[DV_MODE], &level) || level > 3)
			return false;
		record->mode = rv_mode((unsigned)level);
	}
	record->text = cells[DV_TEXT];
	record->mnemonic = cells[DV_INSTR];
	return parse_changes(cells[DV_GPR], ':', false, record) &&
	       parse_changes(cells[DV_CSR], ':', true, record);
}

static bool
dv_recognise(struct rv_span line)
{
	struct rv_scan at = scan_span(line);
	return SCAN(&at, DV_HEADER);
}

/* Names of the integer registers in assembler's notation. */
static const char *const abi[] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
	"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7",
	"s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

/* Appends the effects of one column. */
static void
append_changes(const struct rv_form *form, const struct rv_record *record, bool are_csrs,
	struct buf *out)
{
	bool is_first = true;
	for (uint32_t i = 0; i < record->count; i++) {
		const struct rv_effect *effect = &record->effects[i];
		if (effect->file > RV_CSR || (effect->file == RV_CSR) != are_csrs ||
			!effect->has_value)
			continue;
		if (!is_first)
			buf_byte(out, ';');
		is_first = false;
		if (effect->file == RV_X)
			buf_string(out, abi[effect->number & 31]);
		else
			rv_append_register(out, effect);
		buf_byte(out, ':');
		rv_append_value(out, effect, rv_digits(form, effect));
	}
}

/* Appends a text in quotes, which it cannot contain, without blanks or with single ones. */
static void
append_quoted(struct buf *out, struct rv_span text, bool has_blanks)
{
	buf_byte(out, '"');
	const size_t start = out->size;
	if (has_blanks)
		rv_append_text(out, text);
	for (size_t i = 0; !has_blanks && i < text.size; i++) {
		if (!scan_is(text.text[i], " \t"))
			buf_byte(out, text.text[i]);
	}
	for (size_t i = start; !out->failed && i < out->size; i++)
		out->data[i] = out->data[i] == '"' ? '\'' : out->data[i];
	buf_byte(out, '"');
}

static void
dv_format(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	char level[24];
	if (record->is != RV_INSTRUCTION || record->is_trapped)
		return;
	struct rv_scan text = scan_span(record->text);
	const struct rv_span mnemonic = scan_word(&text);
	scan_blanks(&text);
	rv_append_hex(out, record->pc, num_hex_width(record->pc));
	buf_byte(out, ',');
	rv_append_span(out, mnemonic);
	buf_byte(out, ',');
	append_changes(form, record, false, out);
	buf_byte(out, ',');
	append_changes(form, record, true, out);
	buf_byte(out, ',');
	rv_append_hex(out, record->opcode, 8);
	buf_byte(out, ',');
	if (record->mode) {
		const int number = rv_level(record->mode);
		buf_append(out, level, num_decimal(level, number < 0 ? 3 : (uint64_t)number));
	}
	buf_byte(out, ',');
	append_quoted(out, record->text, true);
	buf_byte(out, ',');
	append_quoted(out, scan_rest(&text), false);
	buf_string(out, ",\n");
}

const struct rv_dialect rv_riscv_dv = {
	.name = "riscv-dv",
	.is_predicted = true,
	.is_one_line = true,
	.unrecorded = "memory",
	.has_text = true,
	.holds = 1 << RV_X | 1 << RV_F | 1 << RV_V | 1 << RV_CSR | 1 << RV_FETCH,
	.recognise = dv_recognise,
	.parse = dv_parse,
	.format = dv_format,
	.header = DV_HEADER "\n",
};

/* Adds address=value of a store, or an address. */
static bool
parse_memory(struct rv_span cell, struct rv_record *record)
{
	struct rv_scan at = scan_span(cell);
	while (!scan_ended(&at)) {
		struct rv_scan one = scan_span(scan_until(&at, ';'));
		const struct rv_span address = scan_until(&one, '=');
		const bool is_store = one.p != one.end;
		struct rv_number value;
		struct rv_effect *effect = rv_add(record, is_store ? RV_WRITE : RV_READ);
		struct rv_scan virtual = scan_span(address);
		if (!effect || !parse_number(scan_until(&virtual, ':'), &effect->address) ||
			(is_store && !parse_digits(scan_rest(&one), &value)))
			return false;
		/* Values have no leading zeros, so the size is that of the instruction. */
		if (is_store)
			scan_set_value(effect, &value);
		effect->size = rv_access_size(record);
	}
	return true;
}

/* Returns the mode of a letter or a word of letters. */
static bool
set_mode(struct rv_span word, struct rv_record *record)
{
	char upper[3] = "";
	for (size_t i = 0; i < word.size && i < 2; i++)
		upper[i] = (char)(word.text[i] & ~0x20);
	record->mode = rv_mode_of((struct rv_span){(const uint8_t *)upper, strlen(upper)});
	return record->mode || !word.size;
}

static bool
whisper_csv_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	struct rv_span cells[CELLS_MAX];
	struct rv_scan rest = scan_span(text);
	const struct rv_span line = scan_line(&rest);
	uint64_t opcode, hart;
	if (parse_header(line, WHISPER_HEADER, record))
		return true;
	if (split(line, cells) < WHISPER_CELLS || !parse_number(cells[WHISPER_HART], &hart) ||
		hart > UINT32_MAX)
		return false;
	/* The address of the instruction may be followed by the physical one. */
	struct rv_scan pc = scan_span(cells[WHISPER_PC]);
	if (!parse_number(scan_until(&pc, ':'), &record->pc) ||
		!parse_number(cells[WHISPER_OPCODE], &opcode))
		return false;
	rv_set_opcode(record, opcode);
	record->has_hart = true;
	record->hart = (uint32_t)hart;
	record->text = cells[WHISPER_TEXT];
	record->is_trapped = cells[WHISPER_TRAP].size;
	return set_mode(cells[WHISPER_MODE], record) &&
	       parse_changes(cells[WHISPER_CHANGES], '=', false, record) &&
	       parse_memory(cells[WHISPER_MEMORY], record);
}

static bool
whisper_csv_recognise(struct rv_span line)
{
	struct rv_scan at = scan_span(line);
	return SCAN(&at, WHISPER_HEADER);
}

const struct rv_dialect rv_whisper_csv = {
	.name = "whisper-csv",
	.producer = "Whisper",
	.recognise = whisper_csv_recognise,
	.parse = whisper_csv_parse,
};
