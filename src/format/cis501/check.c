/* SPDX-License-Identifier: MIT */
/*
 * The rules of CIS 501 traces.
 *
 * spec: Instruction Trace Format (Penn CIS 501); published traces of Penn CIS 501
 */
#include "format/cis501/cis501.h"

#include "base/bits.h"

#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
const struct poly_rule cis501_rules[CIS501_RULE_COUNT + 1] = {
	{"C01", POLY_ERROR, "a line has at least 14 fields", "Instruction Trace Format (Penn CIS 501), Field Descriptions"},
	{"C02", POLY_ERROR, "a line has at most 14 fields and 4096 bytes", "Instruction Trace Format (Penn CIS 501), Field Descriptions"},
	{"C03", POLY_ERROR, "numbers have the base and the range of their field", "Instruction Trace Format (Penn CIS 501), Field Descriptions"},
	{"C04", POLY_ERROR, "letters are valid for their field, and opcodes are printable", "Instruction Trace Format (Penn CIS 501), Field Descriptions"},
	{"C05", POLY_WARNING, "a decimal number has no leading 0, which C reads as octal", "Instruction Trace Format (Penn CIS 501), Parser Code"},
	{"C06", POLY_WARNING, "micro-operations are numbered 1, 2, 3 within their instruction", "published traces of Penn CIS 501"},
	{"C07", POLY_WARNING, "micro-operations of one instruction agree in PC, fallthrough and macro opcode", "published traces of Penn CIS 501"},
	{"C08", POLY_WARNING, "the PC is the target or fallthrough of the previous instruction", "published traces of Penn CIS 501"},
	{"C09", POLY_WARNING, "a branch has a target other than 0; other micro-operations have target 0", "published traces of Penn CIS 501"},
	{"C10", POLY_WARNING, "a load or store has an address other than 0; other micro-operations have address 0", "published traces of Penn CIS 501"},
	{"C11", POLY_WARNING, "a branch is the last micro-operation of its instruction", "published traces of Penn CIS 501"},
	{"C12", POLY_WARNING, "a not-taken branch reads the flags, a branch that does not read them is taken, and no branch writes them", "published traces of Penn CIS 501"},
	{"C13", POLY_WARNING, "the fallthrough is 1 to 15 bytes after the PC", "published traces of Penn CIS 501"},
	{"C14", POLY_WARNING, "a load or store is not a branch", "published traces of Penn CIS 501"},
	{"C15", POLY_WARNING, "the target of JMP_IMM, and an address relative to the PC, is fallthrough + immediate", "published traces of Penn CIS 501"},
	{"C16", POLY_WARNING, "registers are -1 to 48", "published traces of Penn CIS 501"},
	{"C17", POLY_WARNING, "the macro opcode has at most 11 characters and the micro opcode 22", "Instruction Trace Format (Penn CIS 501), Parser Code"},
	{"C18", POLY_WARNING, "a load has a destination, and a store has none", "published traces of Penn CIS 501"},
	{"C19", POLY_NOTE, "the last line ends in a newline; the format cannot show whether the last instruction is complete", "Instruction Trace Format (Penn CIS 501), Parser Code"},
	{"C20", POLY_NOTE, "lines are not blank, and have neither carriage returns, 0x prefixes nor upper-case digits", "Instruction Trace Format (Penn CIS 501), Parser Code"},
	{"C21", POLY_NOTE, "the opcode was seen in a published trace", "published traces of Penn CIS 501"},
	{"C22", POLY_NOTE, "no header row precedes the records", "Instruction Trace Format (Penn CIS 501), Example Trace"},
	{"C23", POLY_WARNING, "no header row follows a record", "Instruction Trace Format (Penn CIS 501), Example Trace"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

/* Opcodes of the published traces, between blanks. */
static const char *const known_opcodes[2] = {
	" MOV CMP J PUSH POP TEST CALL ADD MOVZX RET JMP LEA XOR AND SHL MOVSX SUB NOP SET SHR "
	"XCHG OR NOT SAR INC DEC MUL IMUL NEG CMOV ",
	" LOAD STORE ADD ADD_IMM SUB SUB_IMM AND AND_IMM OR XOR NOT SHL SHL_IMM SHR_IMM "
	"SAR_IMM "
	"LEA NOP SAVE_PC JMP_IMM JMP_REG ZEXT_BYTE_TO_DWORD ZEXT_WORD_TO_DWORD "
	"SEXT_DWORD_TO_QWORD MUL IMUL_T_IMM UPPER_HALF "};

/* A row that is checked. */
struct cis501_subject {
	struct reading *reading;
	struct cis501_check *check;
	struct cis501 op;
	size_t row;
	uint64_t record, offset; /* record number from 1; byte offset */
	/* Of a row that decoders deferred: its batch, and the rows of which lines are counted.
	 */
	const struct poly_batch *deferred;
	size_t prefix;
};

/* Numbers of fields in messages; 0: the line as a whole. */
enum field {
	LINE,
	UOP,
	PC,
	SRC1,
	SRC2,
	DEST,
	FLAGS,
	BRANCH,
	ACCESS,
	IMMEDIATE,
	ADDRESS,
	FALLTHROUGH,
	TARGET,
	MACRO,
	MICRO
};

typedef unsigned long long number;

static void __attribute__((format(printf, 4, 5)))
add_finding(const struct cis501_subject *subject, enum cis501_rule rule, enum field field,
	const char *format, ...)
{
	char text[200], name[40] = "";
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (field != LINE)
		snprintf(name, sizeof name, ", field %u, %s", (unsigned)field,
			cis501_field_name((unsigned)field - 1));
	findings_add(subject->reading->findings, rule, subject->record, subject->offset,
		"line %llu%s: %s", (number)subject->check->line, name, text);
}

/* Reports spellings that the course's own files do not use. */
static void
check_style(const struct cis501_subject *subject)
{
	unsigned style = subject->op.style;
	if (style & CIS501_ZERO)
		add_finding(subject, CIS501_C05, LINE,
			"a decimal number begins with a 0, read as decimal");
	if (style & CIS501_PREFIX)
		add_finding(subject, CIS501_C20, LINE, "0x before a number");
	if (style & CIS501_UPPER)
		add_finding(subject, CIS501_C20, LINE, "upper-case digits");
	if (style & CIS501_RETURN)
		add_finding(subject, CIS501_C20, LINE, "a carriage return");
}

static void
check_branch(const struct cis501_subject *subject)
{
	const struct cis501 *op = &subject->op;
	bool branch = op->branch != '-';
	if (branch != (op->target != 0))
		add_finding(subject, CIS501_C09, TARGET, "0x%llx, and branch is '%c'",
			(number)op->target, op->branch);
	if (branch && (op->flags == 'W' || (op->branch == 'N' && op->flags != 'R')))
		add_finding(subject, CIS501_C12, FLAGS, "'%c', and branch is '%c'", op->flags,
			op->branch);
	if (branch && op->access != '-')
		add_finding(subject, CIS501_C14, ACCESS, "'%c', and branch is '%c'", op->access,
			op->branch);
}

static void
check_access(const struct cis501_subject *subject)
{
	const struct cis501 *op = &subject->op;
	if ((op->access != '-') != (op->address != 0))
		add_finding(subject, CIS501_C10, ADDRESS, "0x%llx, and load/store is '%c'",
			(number)op->address, op->access);
	if (op->access == 'L' && op->dest == -1)
		add_finding(subject, CIS501_C18, DEST, "-1 in a load");
	if (op->access == 'S' && op->dest != -1)
		add_finding(subject, CIS501_C18, DEST, "%d in a store, expected -1", op->dest);
}

static void
check_register(const struct cis501_subject *subject, enum field field, int32_t value)
{
	if (value < -1 || value > 48)
		add_finding(subject, CIS501_C16, field, "%d, expected -1 to 48%s", value,
			value == 49 ? "; the course's programs use 49 for the flags" : "");
}

static bool
is_known(const char *known, const struct cis501_word *word)
{
	for (const char *p = known + 1; *p; p += strcspn(p, " ") + 1) {
		if (strcspn(p, " ") == word->length && memcmp(p, word->text, word->length) == 0)
			return true;
	}
	return false;
}

/* Counts a row's newlines: one if the row does not store its own bytes. */
static void
count_newlines(struct cis501_check *check, const struct poly_batch *batch, size_t row)
{
	size_t n;
	check->unended = false;
	if (!poly_present(batch, POLY_COLUMN_raw, row)) {
		check->newlines++;
		return;
	}
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	for (size_t i = 0; i < n; i++)
		check->newlines += raw[i] == '\n';
	check->unended = n && raw[n - 1] != '\n';
}

/* Finds the line of a row that decoders deferred. */
static void
find_line(const struct cis501_subject *subject)
{
	struct cis501_check before = {.newlines = subject->check->newlines};
	for (size_t row = subject->prefix; row < subject->row; row++)
		count_newlines(&before, subject->deferred, row);
	subject->check->line = before.newlines + 1;
}

/* Checks that the macro opcode (0) or the micro opcode (1), of that name, is a known one. */
static void
check_known(const struct cis501_subject *subject, unsigned opcode, uint32_t name)
{
	const struct cis501_word *word = opcode ? &subject->op.micro : &subject->op.macro;
	uint64_t *seen = subject->check->seen[opcode];
	if (name >= CIS501_NAMES_MAX || bit_test(seen, name))
		return;
	bit_set(seen, name);
	if (is_known(known_opcodes[opcode], word))
		return;
	if (subject->deferred)
		find_line(subject);
	add_finding(subject, CIS501_C21, opcode ? MICRO : MACRO,
		"'%.*s' is in no published trace",
		line_shown((const uint8_t *)word->text, word->length), word->text);
}

/* Checks the macro opcode (0) or the micro opcode (1); name is its number, or NULL. */
static void
check_opcode(const struct cis501_subject *subject, unsigned opcode, const uint32_t *name)
{
	static const unsigned max[2] = {11, 22};
	const struct cis501_word *word = opcode ? &subject->op.micro : &subject->op.macro;
	struct deferred_checks *deferred = subject->reading->deferred;
	if (word->length > max[opcode])
		add_finding(subject, CIS501_C17, opcode ? MICRO : MACRO,
			"'%.*s' has %zu characters, the course's parser reads at most %u",
			line_shown((const uint8_t *)word->text, word->length), word->text,
			word->length, max[opcode]);
	if (name && deferred)
		check_defer_value(deferred, subject->row, *name, opcode, 0);
	else if (name)
		check_known(subject, opcode, *name);
}

static bool
is_micro(const struct cis501 *op, const char *name)
{
	return op->micro.length == strlen(name) &&
	       memcmp(op->micro.text, name, op->micro.length) == 0;
}

/* Checks targets and addresses that are relative to the next instruction. */
static void
check_relative(const struct cis501_subject *subject)
{
	const struct cis501 *op = &subject->op;
	struct cis501_check *check = subject->check;
	uint64_t expected = op->fallthrough + (uint64_t)op->immediate;
	if (is_micro(op, "JMP_IMM") && op->target != expected)
		add_finding(subject, CIS501_C15, TARGET,
			"0x%llx, expected 0x%llx: fallthrough + immediate", (number)op->target,
			(number)expected);
	expected += (uint64_t)check->saved_offset;
	bool relative = op->access != '-' && check->saved_pc >= 0 && op->src1 < 0 &&
			op->src2 == check->saved_pc;
	if (relative && op->address != expected)
		add_finding(subject, CIS501_C15, ADDRESS,
			"0x%llx, expected 0x%llx: relative to the PC", (number)op->address,
			(number)expected);
	if (is_micro(op, "SAVE_PC")) {
		check->saved_pc = op->dest;
		check->saved_offset = op->immediate;
	} else if (op->dest == check->saved_pc) {
		check->saved_pc = -1;
	}
}

static void
check_same_instruction(const struct cis501_subject *subject)
{
	const struct cis501 *op = &subject->op, *last = &subject->check->last;
	if (op->pc != last->pc)
		add_finding(subject, CIS501_C07, PC,
			"0x%llx, expected 0x%llx as in the previous line", (number)op->pc,
			(number)last->pc);
	if (op->fallthrough != last->fallthrough)
		add_finding(subject, CIS501_C07, FALLTHROUGH,
			"0x%llx, expected 0x%llx as in the previous line",
			(number)op->fallthrough, (number)last->fallthrough);
	if (last->macro.length &&
		(op->macro.length != last->macro.length ||
			memcmp(op->macro.text, last->macro.text, op->macro.length) != 0))
		add_finding(subject, CIS501_C07, MACRO, "differs from the previous line");
	if (last->branch != '-')
		add_finding(subject, CIS501_C11, UOP, "%u follows a branch in its instruction",
			(unsigned)op->uop);
}

/* Checks a micro-operation against its predecessors. */
static void
check_order(const struct cis501_subject *subject)
{
	const struct cis501 *op = &subject->op;
	struct cis501_check *check = subject->check;
	bool within = check->has_last && op->uop != 1 && op->uop - 1 == check->last.uop;
	if (!check->has_rows && op->uop != 1)
		add_finding(subject, CIS501_C06, UOP,
			"%u, expected 1: the trace begins inside an instruction",
			(unsigned)op->uop);
	if (!within)
		check->saved_pc = -1;
	if (within)
		check_same_instruction(subject);
	else if (check->has_last && op->uop != 1)
		add_finding(subject, CIS501_C06, UOP, "%u, expected 1 or %llu",
			(unsigned)op->uop, (number)check->last.uop + 1);
	else if (check->has_last && op->pc != check->next_pc)
		add_finding(subject, CIS501_C08, PC, "0x%llx, expected 0x%llx: %s of line %llu",
			(number)op->pc, (number)check->next_pc,
			check->jumped ? "target" : "fallthrough", (number)check->last_line);
	if (!within)
		check->jumped = false;
	check->jumped |= op->branch == 'T';
	if (op->branch == 'T')
		check->next_pc = op->target;
	else if (!check->jumped)
		check->next_pc = op->fallthrough;
}

static void
check_op(const struct cis501_subject *subject)
{
	const struct cis501 *op = &subject->op;
	uint64_t size = op->fallthrough - op->pc;
	check_style(subject);
	check_order(subject);
	check_branch(subject);
	check_access(subject);
	check_relative(subject);
	if (size == 0 || size > 15)
		add_finding(subject, CIS501_C13, FALLTHROUGH,
			"0x%llx, expected 1 to 15 bytes after 0x%llx", (number)op->fallthrough,
			(number)op->pc);
	check_register(subject, SRC1, op->src1);
	check_register(subject, SRC2, op->src2);
	check_register(subject, DEST, op->dest);
}

static void
check_row(struct cis501_subject *subject, const struct poly_batch *batch, size_t row)
{
	struct cis501_check *check = subject->check;
	uint8_t line[CIS501_LINE_MAX + 1];
	const struct cis501_word nothing = {"", 0};
	bool macro = poly_present(batch, POLY_COLUMN_mnemonic, row),
	     micro = poly_present(batch, POLY_COLUMN_uop_name, row);
	bool good = cis501_of_raw(batch, row, line, &subject->op) ||
		    !cis501_of_row(batch, row, &subject->op);
	if (!good)
		return;
	check_op(subject);
	check_opcode(subject, 0, macro ? &batch->mnemonic[row] : NULL);
	check_opcode(subject, 1, micro ? &batch->uop_name[row] : NULL);
	check->last = subject->op;
	check->last.micro = nothing;
	check->last.macro = macro ? cis501_word_of(batch, POLY_COLUMN_mnemonic, row) : nothing;
	check->last_line = check->line;
	check->has_last = check->has_rows = true;
}

/* Checks a line that is not a micro-operation. */
static void
check_other(const struct cis501_subject *subject, enum cis501_record record)
{
	struct cis501_check *check = subject->check;
	if (record == CIS501_BLANK)
		add_finding(subject, CIS501_C20, LINE, "a blank line");
	else if (record == CIS501_HEADER && !check->has_rows)
		add_finding(subject, CIS501_C22, LINE, "a header row");
	else if (record == CIS501_HEADER)
		add_finding(subject, CIS501_C23, LINE, "a header row after a record");
	else
		check->has_last = false;
	check->has_rows |= record == CIS501_CORRUPT;
}

static void
check_any(struct reading *reading, struct cis501_check *check, const struct poly_batch *batch,
	size_t row)
{
	struct cis501_subject subject = {.reading = reading,
		.check = check,
		.row = row,
		.record = batch->first + row + 1,
		.offset = batch->origin[row]};
	check->line = check->newlines + 1;
	count_newlines(check, batch, row);
	if (batch->record[row] == CIS501_MICRO_OP)
		check_row(&subject, batch, row);
	else
		check_other(&subject, (enum cis501_record)batch->record[row]);
}

/*
 * Defers the rows of a chunk up to the first micro-operation of an instruction, inclusive: what
 * follows it does not depend on rows before it. Returns their number in this batch.
 */
static size_t
defer_prefix(
	struct reading *reading, struct cis501_check *check, const struct poly_batch *batch)
{
	size_t row = 0;
	while (!check->is_known && row < batch->rows) {
		check->is_known = batch->record[row] == CIS501_MICRO_OP &&
				  poly_present(batch, POLY_COLUMN_uop_index, row) &&
				  batch->uop_index[row] == 1 &&
				  !poly_present(batch, POLY_COLUMN_raw, row);
		if (check->is_known) {
			check->has_rows = true;
			check_any(reading, check, batch, row);
		}
		row++;
	}
	check_defer_prefix(reading, row);
	/* The rest of the rows is counted from here. */
	check->last_line -= check->newlines;
	check->newlines = 0;
	return row;
}

void
cis501_check_deferred(struct reading *reading, struct cis501_check *check,
	const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct cis501_subject subject = {.reading = reading,
		.check = check,
		.row = row,
		.record = batch->first + row + 1,
		.offset = batch->origin[row],
		.deferred = batch,
		.prefix = prefix};
	uint8_t line[CIS501_LINE_MAX + 1];
	if (!cis501_of_raw(batch, row, line, &subject.op) &&
		cis501_of_row(batch, row, &subject.op))
		return;
	if (poly_present(batch, POLY_COLUMN_mnemonic, row))
		check_known(&subject, 0, batch->mnemonic[row]);
	if (poly_present(batch, POLY_COLUMN_uop_name, row))
		check_known(&subject, 1, batch->uop_name[row]);
}

void
cis501_check_adopt(struct cis501_check *check, const struct cis501_check *state)
{
	const uint64_t newlines = check->newlines;
	memcpy(check, state, CIS501_CHECK_SIZE);
	check->newlines += newlines;
	check->last_line += newlines;
}

void
cis501_check(
	struct reading *reading, struct cis501_check *check, const struct poly_batch *batch)
{
	size_t row = 0;
	if (!batch) {
		if (check->unended)
			findings_add(reading->findings, CIS501_C19, 0, POLY_NO_OFFSET,
				"line %llu has no newline: it may be truncated",
				(number)check->newlines + 1);
		return;
	}
	if (reading->deferred)
		row = defer_prefix(reading, check, batch);
	for (; row < batch->rows; row++)
		check_any(reading, check, batch, row);
}
