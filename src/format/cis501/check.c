/* SPDX-License-Identifier: MIT */
/* The rules of CIS 501 traces. spec: reference cis501 2.3, 2.4 and 5 */
#include "format/cis501/cis501.h"

#include "base/bits.h"

#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
const struct poly_rule cis501_rules[CIS501_RULE_COUNT + 1] = {
	{"C01", POLY_ERROR, "a line has no fewer than 14 fields", "reference cis501 5"},
	{"C02", POLY_ERROR, "a line has no more than 14 fields and 4096 bytes", "reference cis501 5"},
	{"C03", POLY_ERROR, "numbers are of their base, and in the range of their field", "reference cis501 5"},
	{"C04", POLY_ERROR, "letters are those of their field, and opcodes printable", "reference cis501 5"},
	{"C05", POLY_WARNING, "a decimal number has no 0 in front, which C reads as octal", "reference cis501 3/15"},
	{"C06", POLY_WARNING, "micro-operations are numbered 1, 2, 3 within their instruction", "reference cis501 2.4"},
	{"C07", POLY_WARNING, "micro-operations of one instruction agree in PC, fallthrough and macro opcode", "reference cis501 2.4"},
	{"C08", POLY_WARNING, "an instruction stands where the one before it leads", "reference cis501 2.4"},
	{"C09", POLY_WARNING, "a branch has a target other than 0, and nothing else has one", "reference cis501 2.4"},
	{"C10", POLY_WARNING, "a load or store has an address other than 0, and nothing else has one", "reference cis501 2.4"},
	{"C11", POLY_WARNING, "a branch is the last micro-operation of its instruction", "reference cis501 2.4"},
	{"C12", POLY_WARNING, "a branch that is not taken reads the flags, one that does not is taken, and none writes them", "reference cis501 2.4"},
	{"C13", POLY_WARNING, "the fallthrough stands 1 to 15 bytes behind the PC", "reference cis501 2.4"},
	{"C14", POLY_WARNING, "a load or store is no branch", "reference cis501 2.4"},
	{"C15", POLY_WARNING, "the target of JMP_IMM, and an address relative to the PC, is fallthrough + immediate", "reference cis501 2.3"},
	{"C16", POLY_WARNING, "registers are -1 to 48", "reference cis501 2.3"},
	{"C17", POLY_WARNING, "the macro opcode has at most 11 characters and the micro opcode 22", "reference cis501 3/20"},
	{"C18", POLY_WARNING, "a load has a destination, and a store has none", "reference cis501 5"},
	{"C19", POLY_NOTE, "the last line ends in a newline; whether the last instruction is whole can't be told", "reference cis501 5"},
	{"C20", POLY_NOTE, "there are no blank lines, carriage returns, 0x prefixes and upper-case digits", "reference cis501 3/16, 3/17"},
	{"C21", POLY_NOTE, "the opcode was seen in a published trace", "reference cis501 2.3"},
	{"C22", POLY_NOTE, "there is no row of headings before the records", "reference cis501 3/26"},
	{"C23", POLY_WARNING, "there is no row of headings behind a record", "reference cis501 3/26"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

/* What published traces have, between blanks. */
static const char *const known_opcodes[2] = {
	" MOV CMP J PUSH POP TEST CALL ADD MOVZX RET JMP LEA XOR AND SHL MOVSX SUB NOP SET SHR "
	"XCHG OR NOT SAR INC DEC MUL IMUL NEG CMOV ",
	" LOAD STORE ADD ADD_IMM SUB SUB_IMM AND AND_IMM OR XOR NOT SHL SHL_IMM SHR_IMM "
	"SAR_IMM "
	"LEA NOP SAVE_PC JMP_IMM JMP_REG ZEXT_BYTE_TO_DWORD ZEXT_WORD_TO_DWORD "
	"SEXT_DWORD_TO_QWORD MUL IMUL_T_IMM UPPER_HALF "};

/* A row under test. */
struct subject {
	struct reading *reading;
	struct cis501_check *check;
	struct cis501 op;
	uint64_t record, offset; /* number from 1; in bytes */
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

static void __attribute__((format(printf, 4, 5))) found(const struct subject *subject,
	enum cis501_rule rule, enum field field, const char *format, ...)
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

/* What was written otherwise than in the format's own files. */
static void
check_style(const struct subject *subject)
{
	unsigned style = subject->op.style;
	if (style & CIS501_ZERO)
		found(subject, CIS501_C05, LINE,
			"a decimal number begins with a 0, read as decimal");
	if (style & CIS501_PREFIX)
		found(subject, CIS501_C20, LINE, "0x before a number");
	if (style & CIS501_UPPER)
		found(subject, CIS501_C20, LINE, "upper-case digits");
	if (style & CIS501_RETURN)
		found(subject, CIS501_C20, LINE, "a carriage return");
}

static void
check_branch(const struct subject *subject)
{
	const struct cis501 *op = &subject->op;
	bool branch = op->branch != '-';
	if (branch != (op->target != 0))
		found(subject, CIS501_C09, TARGET, "0x%llx, and branch is '%c'",
			(number)op->target, op->branch);
	if (branch && (op->flags == 'W' || (op->branch == 'N' && op->flags != 'R')))
		found(subject, CIS501_C12, FLAGS, "'%c', and branch is '%c'", op->flags,
			op->branch);
	if (branch && op->access != '-')
		found(subject, CIS501_C14, ACCESS, "'%c', and branch is '%c'", op->access,
			op->branch);
}

static void
check_access(const struct subject *subject)
{
	const struct cis501 *op = &subject->op;
	if ((op->access != '-') != (op->address != 0))
		found(subject, CIS501_C10, ADDRESS, "0x%llx, and load/store is '%c'",
			(number)op->address, op->access);
	if (op->access == 'L' && op->dest == -1)
		found(subject, CIS501_C18, DEST, "-1 in a load");
	if (op->access == 'S' && op->dest != -1)
		found(subject, CIS501_C18, DEST, "%d in a store, expected -1", op->dest);
}

static void
check_register(const struct subject *subject, enum field field, int32_t value)
{
	if (value < -1 || value > 48)
		found(subject, CIS501_C16, field, "%d, expected -1 to 48%s", value,
			value == 49 ? "; courses' programs number the flags so" : "");
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

/* Opcode 0 is the macro opcode, 1 the micro opcode; name is its number, where it has one. */
static void
check_opcode(const struct subject *subject, unsigned opcode, const uint32_t *name)
{
	static const unsigned most[2] = {11, 22};
	const struct cis501_word *word = opcode ? &subject->op.micro : &subject->op.macro;
	enum field field = opcode ? MICRO : MACRO;
	int shown = line_shown((const uint8_t *)word->text, word->length);
	if (word->length > most[opcode])
		found(subject, CIS501_C17, field,
			"'%.*s' has %zu characters, and the course's parser reads %u", shown,
			word->text, word->length, most[opcode]);
	uint64_t *seen = subject->check->seen[opcode];
	if (!name || *name >= CIS501_NAMES_SEEN || bit_test(seen, *name))
		return;
	bit_set(seen, *name);
	if (!is_known(known_opcodes[opcode], word))
		found(subject, CIS501_C21, field, "'%.*s' is in no published trace", shown,
			word->text);
}

static bool
is_micro(const struct cis501 *op, const char *name)
{
	return op->micro.length == strlen(name) &&
	       memcmp(op->micro.text, name, op->micro.length) == 0;
}

/* Targets and addresses that are relative to the next instruction. */
static void
check_relative(const struct subject *subject)
{
	const struct cis501 *op = &subject->op;
	struct cis501_check *check = subject->check;
	uint64_t expected = op->fallthrough + (uint64_t)op->immediate;
	if (is_micro(op, "JMP_IMM") && op->target != expected)
		found(subject, CIS501_C15, TARGET,
			"0x%llx, expected 0x%llx: fallthrough + immediate", (number)op->target,
			(number)expected);
	expected += (uint64_t)check->saved_offset;
	bool relative = op->access != '-' && check->saved_pc >= 0 && op->src1 < 0 &&
			op->src2 == check->saved_pc;
	if (relative && op->address != expected)
		found(subject, CIS501_C15, ADDRESS,
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
check_within(const struct subject *subject)
{
	const struct cis501 *op = &subject->op, *last = &subject->check->last;
	if (op->pc != last->pc)
		found(subject, CIS501_C07, PC, "0x%llx, expected 0x%llx as in the line before",
			(number)op->pc, (number)last->pc);
	if (op->fallthrough != last->fallthrough)
		found(subject, CIS501_C07, FALLTHROUGH,
			"0x%llx, expected 0x%llx as in the line before",
			(number)op->fallthrough, (number)last->fallthrough);
	if (last->macro.length &&
		(op->macro.length != last->macro.length ||
			memcmp(op->macro.text, last->macro.text, op->macro.length) != 0))
		found(subject, CIS501_C07, MACRO, "not as in the line before");
	if (last->branch != '-')
		found(subject, CIS501_C11, UOP, "%u follows a branch in its instruction",
			(unsigned)op->uop);
}

/* The place of a micro-operation among those before it. */
static void
check_order(const struct subject *subject)
{
	const struct cis501 *op = &subject->op;
	struct cis501_check *check = subject->check;
	bool within = check->has_last && op->uop != 1 && op->uop - 1 == check->last.uop;
	if (!check->has_rows && op->uop != 1)
		found(subject, CIS501_C06, UOP,
			"%u, expected 1: the trace begins inside of an instruction",
			(unsigned)op->uop);
	if (!within)
		check->saved_pc = -1;
	if (within)
		check_within(subject);
	else if (check->has_last && op->uop != 1)
		found(subject, CIS501_C06, UOP, "%u, expected 1 or %llu", (unsigned)op->uop,
			(number)check->last.uop + 1);
	else if (check->has_last && op->pc != check->next_pc)
		found(subject, CIS501_C08, PC, "0x%llx, expected 0x%llx: %s of line %llu",
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
check_op(const struct subject *subject)
{
	const struct cis501 *op = &subject->op;
	uint64_t size = op->fallthrough - op->pc;
	check_style(subject);
	check_order(subject);
	check_branch(subject);
	check_access(subject);
	check_relative(subject);
	if (size == 0 || size > 15)
		found(subject, CIS501_C13, FALLTHROUGH,
			"0x%llx, expected 1 to 15 bytes behind 0x%llx", (number)op->fallthrough,
			(number)op->pc);
	check_register(subject, SRC1, op->src1);
	check_register(subject, SRC2, op->src2);
	check_register(subject, DEST, op->dest);
}

static void
check_row(struct subject *subject, const struct poly_batch *batch, size_t row)
{
	struct cis501_check *check = subject->check;
	uint8_t line[CIS501_LINE_MOST + 1];
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

/* A line that is no micro-operation. */
static void
check_other(const struct subject *subject, enum cis501_record record)
{
	struct cis501_check *check = subject->check;
	if (record == CIS501_BLANK)
		found(subject, CIS501_C20, LINE, "a blank line");
	else if (record == CIS501_HEADER && !check->has_rows)
		found(subject, CIS501_C22, LINE, "a row of headings");
	else if (record == CIS501_HEADER)
		found(subject, CIS501_C23, LINE, "a row of headings behind a record");
	else
		check->has_last = false;
	check->has_rows |= record == CIS501_DAMAGED;
}

/* Counts a row's newlines: one at its end, where it does not have its own bytes. */
static void
pass_newlines(struct cis501_check *check, const struct poly_batch *batch, size_t row)
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

void
cis501_check(
	struct reading *reading, struct cis501_check *check, const struct poly_batch *batch)
{
	if (!batch) {
		if (check->unended)
			findings_add(reading->findings, CIS501_C19, 0, POLY_NO_OFFSET,
				"line %llu has no newline: it may be cut off",
				(number)check->newlines + 1);
		return;
	}
	for (size_t row = 0; row < batch->rows; row++) {
		struct subject subject = {.reading = reading,
			.check = check,
			.record = batch->first + row + 1,
			.offset = batch->origin[row]};
		check->line = check->newlines + 1;
		pass_newlines(check, batch, row);
		if (batch->record[row] == CIS501_MICRO_OP)
			check_row(&subject, batch, row);
		else
			check_other(&subject, (enum cis501_record)batch->record[row]);
	}
}
