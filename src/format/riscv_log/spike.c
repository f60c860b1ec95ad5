/* SPDX-License-Identifier: MIT */
/*
 * Logs of Spike, -l and --log-commits, and of CVA6, whose tracer prints the same lines with
 * other widths.
 *
 *     line      = [ "core" int ":" ]
 *                 ( execution | commit | exception | tval | symbol | repeat ) ;
 *
 *     execution = hex "(" hex ")" text ;
 *
 *     commit    = level hex "(" hex ")" { item } ;
 *
 *     item      = ( "x" | "f" | "v" ) [ blank ] int hex | "c" int "_" name hex
 *               | "e" int ( "m" | "mf" ) int "l" int | "mem" hex [ hex ] ;
 *
 * An execution line and the commit line after it are one record, as are an execution line and
 * the exception that it ended in.
 *
 * spec: riscv-software-src/riscv-isa-sim, riscv/execute.cc; openhwgroup/cva6, rvfi_tracer.sv
 */
#include "format/riscv_log/scan.h"

/* The beginning of a line. */
struct rv_head {
	bool has_core, is_commit;
	uint32_t hart;
	unsigned level;
	uint64_t pc, opcode;
	uint8_t pc_digits;
};

static bool
parse_core(struct rv_scan *at, struct rv_head *head)
{
	uint64_t hart;
	*head = (struct rv_head){.has_core = false};
	/* Nearly all lines are of one of the first ten harts. */
	if (at->end - at->p > 10 && memcmp(at->p, "core   ", 7) == 0 && at->p[8] == ':' &&
		at->p[9] == ' ' && at->p[10] != ' ' && (uint8_t)(at->p[7] - '0') < 10) {
		head->has_core = true;
		head->hart = at->p[7] - (uint32_t)'0';
		at->p += 10;
		return true;
	}
	if (!SCAN(at, "core"))
		return true;
	scan_blanks(at);
	if (!scan_below(at, UINT32_MAX, &hart) || !scan_byte(at, ':'))
		return false;
	head->has_core = true;
	head->hart = (uint32_t)hart;
	return scan_blanks(at);
}

/* Parses everything up to the opcode; false: not an execution or commit line. */
static bool
parse_head(struct rv_scan *at, struct rv_head *head)
{
	if (!parse_core(at, head))
		return false;
	const uint8_t level = scan_peek(at);
	head->is_commit = at->end - at->p > 1 && at->p[1] == ' ';
	if (head->is_commit) {
		head->level = (unsigned)level - '0';
		at->p += 2;
		if (!rv_mode(head->level))
			return false;
	} else if (!head->has_core) {
		return false;
	}
	const uint8_t *start = at->p + 2;
	if (!scan_hex64(at, &head->pc))
		return false;
	head->pc_digits = (uint8_t)(at->p - start);
	return scan_blanks(at) && scan_byte(at, '(') && scan_hex64(at, &head->opcode) &&
	       scan_byte(at, ')');
}

/* Parses the number and value of x, f or v. */
static bool
parse_register(struct rv_scan *at, struct rv_record *record, enum rv_file file)
{
	struct rv_number value;
	uint64_t number;
	scan_blanks(at);
	if (!scan_below(at, 31, &number) || !scan_blanks(at) || !scan_hex(at, &value))
		return false;
	struct rv_effect *effect = rv_add(record, file);
	if (!effect)
		return false;
	effect->number = (uint16_t)number;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, WINDOW_ZEROS, POLY_COLUMN_value);
	return true;
}

/* Parses 768_mstatus 0x...; Spike names some registers by their number alone. */
static bool
parse_csr(struct rv_scan *at, struct rv_record *record)
{
	struct rv_number value;
	uint64_t number;
	if (!scan_below(at, RV_CSRS - 1, &number) || !scan_byte(at, '_'))
		return false;
	const struct rv_span name = scan_word(at);
	if (!name.size || !scan_blanks(at) || !scan_hex(at, &value))
		return false;
	struct rv_effect *effect = rv_add(record, RV_CSR);
	if (!effect)
		return false;
	effect->number = (uint16_t)number;
	effect->name = name;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, WINDOW_ZEROS, POLY_COLUMN_value);
	return true;
}

/* Parses the vector state after its letter: 32 m1 l4 or 8 mf2 l4. */
static bool
parse_vector(struct rv_scan *at, struct rv_record *record)
{
	const uint8_t *start = at->p - 1;
	uint64_t number;
	if (!scan_decimal(at, &number) || !scan_blanks(at) || !scan_byte(at, 'm'))
		return false;
	scan_byte(at, 'f');
	if (!scan_decimal(at, &number) || !scan_blanks(at) || !scan_byte(at, 'l') ||
		!scan_decimal(at, &number))
		return false;
	struct rv_effect *effect = rv_add(record, RV_STATE);
	if (!effect)
		return false;
	effect->name = (struct rv_span){start, (size_t)(at->p - start)};
	return true;
}

/* Parses an access: an address, and the value that is stored. */
static bool
parse_access(struct rv_scan *at, struct rv_record *record)
{
	struct rv_number value, address;
	if (!scan_blanks(at) || !scan_hex(at, &address) || address.digits.size > 16)
		return false;
	struct rv_scan next = *at;
	const bool is_store = scan_blanks(&next) && scan_peek(&next) == '0';
	struct rv_effect *effect = rv_add(record, is_store ? RV_WRITE : RV_READ);
	if (!effect)
		return false;
	effect->address = address.value;
	scan_vary(record, address.digits, WINDOW_ZEROS, POLY_COLUMN_address);
	effect->size = is_store ? 0 : rv_access_size(record);
	if (!is_store)
		return true;
	*at = next;
	if (!scan_hex(at, &value))
		return false;
	scan_set_value(effect, &value);
	scan_vary(record, value.digits, WINDOW_ZEROS, POLY_COLUMN_value);
	return true;
}

static bool
parse_item(struct rv_scan *at, struct rv_record *record)
{
	const uint8_t c = scan_peek(at);
	if (SCAN(at, "mem"))
		return parse_access(at, record);
	at->p++;
	switch (c) {
	case 'x': return parse_register(at, record, RV_X);
	case 'f': return parse_register(at, record, RV_F);
	case 'v': return parse_register(at, record, RV_V);
	case 'c': return parse_csr(at, record);
	case 'e': return parse_vector(at, record);
	default: return false;
	}
}

static bool
parse_items(struct rv_scan *at, struct rv_record *record)
{
	for (record->start = at->p; scan_blanks(at) && !scan_ended(at); record->start = at->p) {
		if (!parse_item(at, record))
			return false;
	}
	return scan_ended(at);
}

/* Sets what the head of an instruction states. */
static void
set_head(struct rv_record *record, const struct rv_head *head)
{
	record->has_hart = head->has_core;
	record->hart = head->hart;
	record->pc = head->pc;
	record->pc_digits = head->pc_digits;
	rv_set_opcode(record, head->opcode);
	if (head->is_commit)
		record->mode = rv_mode(head->level);
}

/* exception NAME, epc 0x..., and tval 0x... on a line of its own */
static bool
parse_exception(struct rv_scan *at, struct rv_scan *rest, struct rv_effect *effect)
{
	struct rv_head head;
	struct rv_number tval;
	if (!SCAN(at, "exception "))
		return false;
	effect->name = scan_until(at, ',');
	if (!SCAN(at, " epc ") || !scan_hex64(at, &effect->address) || !scan_ended(at))
		return false;
	if (scan_ended(rest))
		return true;
	*at = scan_span(scan_line(rest));
	if (!parse_core(at, &head) || !SCAN(at, "tval ") || !scan_hex(at, &tval) ||
		tval.digits.size > 16 || !scan_ended(at))
		return false;
	scan_set_value(effect, &tval);
	return scan_ended(rest);
}

/* Parses lines without an instruction. */
static bool
parse_other(struct rv_scan at, struct rv_scan *rest, struct rv_record *record)
{
	struct rv_head head;
	uint64_t number;
	if (!parse_core(&at, &head) || !head.has_core)
		return false;
	record->has_hart = true;
	record->hart = head.hart;
	struct rv_scan words = at;
	if (SCAN(&at, ">>>>")) {
		record->is = RV_SYMBOL;
		scan_blanks(&at);
		record->text = scan_rest(&at);
		return scan_ended(rest);
	}
	if (SCAN(&at, "Executed ")) {
		record->is = RV_REPEAT;
		record->text = scan_rest(&words);
		/* 1.0.0 prints hexadecimal digits, which may all be decimal. */
		return scan_decimal(&at, &number) || num_hex_digit((char)scan_peek(&at)) >= 0;
	}
	record->is = RV_EXCEPTION;
	struct rv_effect *effect = rv_add(record, RV_TRAP);
	return effect && parse_exception(&at, rest, effect);
}

/* Parses the lines of a record after an execution line. */
static bool
parse_following(struct rv_scan *rest, struct rv_record *record)
{
	struct rv_scan at = scan_span(scan_line(rest)), other = at;
	struct rv_head head;
	if (parse_head(&at, &head)) {
		record->mode = rv_mode(head.level);
		record->pc = head.pc;
		record->pc_digits = head.pc_digits;
		return parse_items(&at, record) && scan_ended(rest);
	}
	record->is_trapped = true;
	struct rv_effect *effect = rv_add(record, RV_TRAP);
	return effect && parse_core(&other, &head) && parse_exception(&other, rest, effect);
}

static bool
spike_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	(void)state;
	struct rv_scan rest = scan_span(text);
	struct rv_scan at = scan_span(scan_line(&rest)), start = at;
	struct rv_head head;
	if (!parse_head(&at, &head))
		return parse_other(start, &rest, record);
	set_head(record, &head);
	if (head.is_commit)
		return parse_items(&at, record) && scan_ended(&rest);
	if (!scan_blanks(&at) && !scan_ended(&at))
		return false;
	record->text = scan_rest(&at);
	return scan_ended(&rest) || parse_following(&rest, record);
}

static bool
spike_recognise(struct rv_span line)
{
	struct rv_scan at = scan_span(line), other = at;
	struct rv_head head;
	if (parse_head(&at, &head))
		return !head.is_commit || head.has_core || scan_ended(&at) || *at.p == ' ';
	return parse_core(&other, &head) && head.has_core &&
	       (SCAN(&other, "exception ") || SCAN(&other, ">>>>"));
}

/* Returns whether a commit line is that of an execution line. */
static bool
is_commit_of(const struct rv_head *first, const struct rv_head *second)
{
	struct rv_record a, b;
	rv_set_opcode(&a, first->opcode);
	rv_set_opcode(&b, second->opcode);
	/* Old logs of RV32 have addresses extended by their sign in execution lines. */
	const bool is_same =
		first->pc == second->pc || (uint64_t)(int64_t)(int32_t)second->pc == first->pc;
	return !first->is_commit && second->is_commit && is_same && a.opcode == b.opcode &&
	       (!second->has_core || first->hart == second->hart);
}

/* Returns whether a line is the exception that an execution line ended in. */
static bool
is_exception_of(const struct rv_head *first, struct rv_scan at)
{
	struct rv_head head;
	uint64_t epc;
	if (!parse_core(&at, &head) || !head.has_core || head.hart != first->hart ||
		!SCAN(&at, "exception "))
		return false;
	scan_until(&at, ',');
	return SCAN(&at, " epc ") && scan_hex64(&at, &epc) && epc == first->pc;
}

static bool
is_tval(struct rv_scan at)
{
	struct rv_head head;
	return parse_core(&at, &head) && head.has_core && SCAN(&at, "tval ");
}

static bool
spike_joins(struct rv_span record, struct rv_span next)
{
	struct rv_scan rest = scan_span(record), at = scan_span(scan_line(&rest));
	struct rv_scan following = scan_span(next), core = at;
	struct rv_head first, second;
	if (!parse_core(&core, &first) || !first.has_core)
		return false;
	/* A commit line, which most lines are, ends a record. */
	if (core.end - core.p > 1 && core.p[1] == ' ')
		return false;
	const bool is_exception = SCAN(&core, "exception ");
	if (!is_exception && (!parse_head(&at, &first) || first.is_commit))
		return false;
	const bool is_single = scan_ended(&rest);
	if (is_exception)
		return is_single && (!next.text || is_tval(following));
	if (!is_single) {
		/* Only an exception may have a third line. */
		const struct rv_span last = scan_line(&rest);
		return scan_ended(&rest) && is_exception_of(&first, scan_span(last)) &&
		       (!next.text || is_tval(following));
	}
	struct rv_scan head = following;
	return !next.text || (parse_head(&head, &second) && is_commit_of(&first, &second)) ||
	       is_exception_of(&first, following);
}

/* Appends "core%4d: ". */
static void
append_core(struct buf *out, const struct rv_record *record)
{
	char text[20];
	const size_t n = num_decimal(text, record->hart);
	buf_string(out, "core");
	buf_append(out, "   ", n < 4 ? 4 - n : 0);
	buf_append(out, text, n);
	buf_append(out, ": ", 2);
}

static void
append_execution(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	append_core(out, record);
	buf_append(out, "0x", 2);
	rv_append_hex(out, record->pc, form->xlen / 4);
	buf_append(out, " (0x", 4);
	rv_append_hex(out, record->opcode, 8);
	buf_append(out, ") ", 2);
}

static void
append_commit(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	const int level = record->mode ? rv_level(record->mode) : 3;
	buf_byte(out, (uint8_t)('0' + (level < 0 ? 3 : level)));
	buf_append(out, " 0x", 3);
	rv_append_hex(out, record->pc, form->xlen / 4);
	buf_append(out, " (0x", 4);
	rv_append_hex(out, record->opcode, 2u * record->opcode_size);
	buf_byte(out, ')');
}

/* Appends the name of a register: that of a CSR with its number. */
static void
append_name(struct buf *out, const struct rv_effect *effect, bool is_new)
{
	const size_t start = out->size;
	char number[24];
	if (effect->file == RV_CSR) {
		buf_byte(out, 'c');
		buf_append(out, number, num_decimal(number, effect->number));
		buf_byte(out, '_');
		rv_append_register(out, effect);
		return;
	}
	if (is_new) {
		rv_append_register(out, effect);
		if (out->size == start + 2)
			buf_byte(out, ' ');
		return;
	}
	buf_byte(out, effect->file == RV_X ? 'x' : effect->file == RV_F ? 'f' : 'v');
	if (effect->number < 10)
		buf_byte(out, ' ');
	buf_append(out, number, num_decimal(number, effect->number));
}

static void
append_trap(const struct rv_form *form, const struct rv_record *record,
	const struct rv_effect *effect, struct buf *out)
{
	append_core(out, record);
	buf_string(out, "exception ");
	rv_append_span(out, effect->name);
	buf_string(out, ", epc 0x");
	rv_append_hex(out, effect->address, form->xlen / 4);
	buf_byte(out, '\n');
	if (!effect->has_value)
		return;
	append_core(out, record);
	buf_string(out, "          tval 0x");
	rv_append_hex(out, effect->value, form->xlen / 4);
	buf_byte(out, '\n');
}

static void
append_effect(const struct rv_form *form, const struct rv_effect *effect, struct buf *out)
{
	const unsigned address = form->xlen / 4;
	if (effect->file == RV_FETCH || effect->file == RV_TRAP)
		return;
	buf_byte(out, ' ');
	if (effect->file == RV_STATE) {
		rv_append_span(out, effect->name);
	} else if (effect->file < RV_READ) {
		append_name(out, effect, true);
		buf_append(out, " 0x", 3);
		rv_append_value(out, effect, rv_digits(form, effect));
	} else {
		buf_append(out, "mem 0x", 6);
		rv_append_hex(out, effect->address, address);
		if (effect->file != RV_WRITE)
			return;
		buf_append(out, " 0x", 3);
		rv_append_value(out, effect, rv_digits(form, effect));
	}
}

static void
spike_format(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	const bool is_instruction = record->is == RV_INSTRUCTION;
	if (record->is == RV_SYMBOL && form->has_execution) {
		append_core(out, record);
		buf_string(out, ">>>>  ");
		rv_append_span(out, record->text);
		buf_byte(out, '\n');
	}
	if (is_instruction && form->has_execution &&
		(record->text.size || record->is_trapped || !form->has_commit)) {
		append_execution(form, record, out);
		rv_append_span(out, record->text);
		buf_byte(out, '\n');
	}
	if (is_instruction && form->has_commit && !record->is_trapped) {
		append_core(out, record);
		append_commit(form, record, out);
		for (uint32_t i = 0; i < record->count; i++)
			append_effect(form, &record->effects[i], out);
		buf_byte(out, '\n');
	}
	for (uint32_t i = 0; form->has_execution && i < record->count; i++) {
		if (record->effects[i].file == RV_TRAP)
			append_trap(form, record, &record->effects[i], out);
	}
}

unsigned
rv_spike_style(struct rv_span line)
{
	struct rv_effect scratch;
	struct rv_record record = {.scratch = &scratch};
	struct rv_scan at = scan_span(line);
	struct rv_head head;
	if (!parse_head(&at, &head))
		return 0;
	if (!head.is_commit)
		return RV_STYLE_EXECUTION;
	unsigned style = RV_STYLE_COMMIT | (head.has_core ? 0 : RV_STYLE_BARE);
	set_head(&record, &head);
	while (scan_blanks(&at) && !scan_ended(&at)) {
		const uint8_t *item = at.p;
		if (!parse_item(&at, &record))
			break;
		if (*item == 'm')
			style |= RV_STYLE_MEMORY;
		else if (*item == 'c')
			style |= RV_STYLE_CSR;
		else if (item[1] == ' ')
			style |= RV_STYLE_SPACED;
	}
	return style;
}

const struct rv_dialect rv_spike = {
	.name = "spike",
	.producer = "Spike",
	.is_predicted = true,
	.needs_mode = true,
	.holds = 1 << RV_X | 1 << RV_F | 1 << RV_V | 1 << RV_CSR | 1 << RV_READ |
		 1 << RV_WRITE | 1 << RV_FETCH | 1 << RV_STATE | 1 << RV_TRAP,
	.recognise = spike_recognise,
	.parse = spike_parse,
	.joins = spike_joins,
	.format = spike_format,
};

/* Parses "DASM(...)" after an execution line; false: the line does not have it. */
static bool
has_dasm(struct rv_span line)
{
	struct rv_scan at = scan_span(line);
	struct rv_head head;
	struct rv_number opcode;
	return parse_head(&at, &head) && !head.is_commit && scan_blanks(&at) &&
	       SCAN(&at, "DASM(") && scan_digits(&at, &opcode) && scan_byte(&at, ')');
}

/* core INTERRUPT 0: ..., CAUSE exception @ 0x... (0x...) */
static bool
parse_cva6_exception(struct rv_span line, struct rv_record *record)
{
	static const char mark[] = " exception @ ";
	for (size_t i = 0; i + sizeof mark - 1 <= line.size; i++) {
		struct rv_scan at = {line.text + i, line.text + line.size};
		if (!SCAN(&at, " exception @ "))
			continue;
		struct rv_effect *effect = rv_add(record, RV_TRAP);
		if (!effect || !scan_hex64(&at, &effect->address))
			return false;
		effect->name = (struct rv_span){line.text, i};
		record->is = RV_EXCEPTION;
		return true;
	}
	struct rv_scan at = scan_span(line);
	if (!SCAN(&at, "core") || !scan_blanks(&at) || !SCAN(&at, "INTERRUPT"))
		return false;
	struct rv_effect *effect = rv_add(record, RV_TRAP);
	record->is = RV_EXCEPTION;
	if (effect)
		effect->name = line;
	return effect;
}

static bool
cva6_parse(struct rv_span text, struct rv_state *state, struct rv_record *record)
{
	struct rv_scan rest = scan_span(text);
	const struct rv_span line = scan_line(&rest);
	if (!spike_parse(text, state, record)) {
		rv_clear(record);
		return parse_cva6_exception(line, record);
	}
	/* The text is the opcode again, for a disassembler. */
	if (has_dasm(line))
		record->text.size = 0;
	for (uint32_t i = 0; i < record->count; i++) {
		struct rv_effect *effect = &record->effects[i];
		const uint32_t size = rv_access_size(record);
		if (effect->file == RV_WRITE && size < effect->size)
			rv_narrow(effect, size);
	}
	return true;
}

static bool
cva6_joins(struct rv_span record, struct rv_span next)
{
	struct rv_scan rest = scan_span(record);
	if (!has_dasm(scan_line(&rest)) || !scan_ended(&rest))
		return false;
	return spike_joins(record, next);
}

static void
cva6_format(const struct rv_form *form, const struct rv_record *record, struct buf *out)
{
	if (record->is != RV_INSTRUCTION || record->is_trapped)
		return;
	append_execution(form, record, out);
	buf_string(out, "DASM(");
	rv_append_hex(out, record->opcode, 8);
	buf_append(out, ")\n", 2);
	append_commit(form, record, out);
	for (uint32_t i = 0; i < record->count; i++) {
		struct rv_effect effect = record->effects[i];
		if (effect.file == RV_CSR || effect.file == RV_STATE || effect.file > RV_WRITE)
			continue;
		if (effect.file < RV_READ) {
			buf_byte(out, ' ');
			append_name(out, &effect, false);
			buf_append(out, " 0x", 3);
			rv_append_value(out, &effect, rv_digits(form, &effect));
			continue;
		}
		/* Stored values have the register's width. */
		effect.size = form->xlen / 8;
		append_effect(form, &effect, out);
	}
	buf_byte(out, '\n');
}

const struct rv_dialect rv_cva6 = {
	.name = "cva6",
	.is_variant = true,
	.is_predicted = true,
	.producer = "CVA6",
	.unrecorded = "csrs",
	.needs_mode = true,
	.holds = 1 << RV_X | 1 << RV_F | 1 << RV_V | 1 << RV_READ | 1 << RV_WRITE |
		 1 << RV_FETCH,
	.recognise = has_dasm,
	.parse = cva6_parse,
	.joins = cva6_joins,
	.format = cva6_format,
};
