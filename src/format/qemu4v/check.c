/* SPDX-License-Identifier: MIT */
/*
 * The rules of QEMU4V and Tarmac traces.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/qemu4v.h"

#include "base/num.h"

/* clang-format off */
const struct poly_rule qemu4v_rules[QEMU4V_RULE_COUNT + 1] = {
	{"Q01", POLY_WARNING, "a line has at most 16384 bytes", "QEMU4V Trace Format"},
	{"Q02", POLY_WARNING, "times do not decrease", "QEMU4V Trace Format, Instruction record"},
	{"Q03", POLY_WARNING, "the unit of time is known, and the same in the whole trace", "QEMU4V Trace Format, Instruction record"},
	{"Q04", POLY_WARNING, "memory data have two digits per byte", "QEMU4V Trace Format, Memory access record"},
	{"Q05", POLY_WARNING, "an access moves 1 to 64 bytes", "QEMU4V Trace Format, Memory access record"},
	{"Q06", POLY_WARNING, "an opcode has 4, 8 or 16 digits", "QEMU4V Trace Format, Instruction record"},
	{"Q07", POLY_WARNING, "the mode is svc, irq, fiq, usr, mon, sys, abt or und", "QEMU4V Trace Format, Instruction record"},
	{"Q08", POLY_WARNING, "security is s or ns", "QEMU4V Trace Format, Instruction record"},
	{"Q09", POLY_NOTE, "an instruction has a security", "QEMU4V Trace Format, Instruction record"},
	{"Q10", POLY_WARNING, "with several processors, accesses and registers follow an instruction of their time", "QEMU4V Trace Format, Memory access record"},
	{"Q11", POLY_WARNING, "the last line ends in a newline", "QEMU4V Trace Format"},
	{"Q12", POLY_WARNING, "an address has one opcode per processor and mode", "QEMU4V Trace Format, Instruction record"},
	{"Q13", POLY_WARNING, "instruction numbers of a processor are consecutive", "QEMU4V Trace Format, Instruction record"},
	{"Q14", POLY_WARNING, "values of a register have one width", "QEMU4V Trace Format, Register write record"},
	{"Q15", POLY_NOTE, "no digit is unknown", "Arm Fast Models, Tarmac Trace"},
	{"Q16", POLY_WARNING, "a memory dump continues below its first line", "Arm Fast Models, Tarmac Trace"},
	{"Q17", POLY_WARNING, "a record is an instruction, an access or a register", "QEMU4V Trace Format"},
	{"Q18", POLY_NOTE, "all addresses have one width, as one producer writes them", "Arm Fast Models, Tarmac Trace"},
	{"Q19", POLY_ERROR, "the last line is a complete record", "QEMU4V Trace Format"},
	{"Q20", POLY_WARNING, "the instruction set is A, T or X; in Tarmac also O, T16 or T32", "QEMU4V Trace Format, Instruction record"},
	{"Q21", POLY_WARNING, "a time has at most 19 digits", "QEMU4V Trace Format, Instruction record"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

/* A row that is checked. */
struct qemu4v_subject {
	struct reading *reading;
	struct qemu4v_check *check;
	const struct poly_batch *batch;
	size_t row;
};

typedef unsigned long long number;

/* Second number of keys of registers, which no address has. */
#define REGISTER_KEY ((uint64_t)1 << 63)

/* Newlines after a line that is parsed again. */
#define LINE_PADDING 8

/* True if forms that QEMU4V Trace Format lacks are violations. */
static bool
is_strict(const struct qemu4v_subject *subject)
{
	const struct qemu4v_reader *reader = subject->reading->state;
	return !reader->tarmac;
}

#define FOUND(subject, rule, ...)                             \
	findings_add((subject)->reading->findings, rule,      \
		(subject)->batch->first + (subject)->row + 1, \
		(subject)->batch->origin[(subject)->row], __VA_ARGS__)

static bool
has(const struct qemu4v_subject *subject, enum poly_column column)
{
	return poly_present(subject->batch, column, subject->row);
}

static const char *
name_of(const struct qemu4v_subject *subject, enum poly_column column)
{
	if (!has(subject, column))
		return "";
	const char *name = poly_trace_name(subject->batch->info,
		(uint32_t)poly_batch_integer(subject->batch, column, subject->row));
	return name ? name : "";
}

/* True if a word is in a list whose words have a blank on both sides. */
static bool
is_among(const char *word, const char *list)
{
	size_t n = strlen(word);
	for (const char *p = list; n && (p = strstr(p, word)); p++) {
		if (p[-1] == ' ' && p[n] == ' ')
			return true;
	}
	return false;
}

static void
check_time(const struct qemu4v_subject *subject)
{
	struct qemu4v_sequence *sequence = &subject->check->sequence;
	if (!has(subject, POLY_COLUMN_time))
		return;
	uint64_t time = subject->batch->time[subject->row];
	if (!sequence->has_time) {
		sequence->firsts.has_time = true;
		sequence->firsts.time = time;
	} else if (time < sequence->row_time) {
		FOUND(subject, QEMU4V_Q02, "time %llu follows %llu", (number)time,
			(number)sequence->row_time);
	}
	sequence->has_time = true;
	sequence->row_time = time;
}

/* Checks the instruction set, which forms of Tarmac may omit. */
static void
check_set(const struct qemu4v_subject *subject)
{
	const char *set = name_of(subject, POLY_COLUMN_instruction_set);
	const bool strict = is_strict(subject);
	if (set[0] ? !is_among(set, strict ? " A T X " : " A T X O T16 T32 ") : strict)
		FOUND(subject, QEMU4V_Q20, "instruction set '%.40s', expected %s", set,
			strict ? "A, T or X" : "A, T, X, O, T16 or T32");
}

static void
check_mode(const struct qemu4v_subject *subject)
{
	const char *mode = name_of(subject, POLY_COLUMN_mode),
		   *security = name_of(subject, POLY_COLUMN_security);
	if (is_strict(subject) && !is_among(mode, " svc irq fiq usr mon sys abt und "))
		FOUND(subject, QEMU4V_Q07, "mode '%.40s'", mode);
	if (security[0] == 0)
		FOUND(subject, QEMU4V_Q09, "no security");
	else if (is_strict(subject) && !is_among(security, " s ns "))
		FOUND(subject, QEMU4V_Q08, "security '%.40s', expected 's' or 'ns'", security);
}

/* Checks that an address has one opcode. */
static void
check_opcode(const struct qemu4v_subject *subject, uint32_t cpu)
{
	struct qemu4v_check *check = subject->check;
	const struct poly_batch *batch = subject->batch;
	size_t row = subject->row;
	if (!has(subject, POLY_COLUMN_opcode))
		return;
	const uint32_t mode = has(subject, POLY_COLUMN_mode) ? batch->mode[row] + 1 : 0;
	const uint64_t context = (uint64_t)cpu << 32 | mode, opcode = batch->opcode[row];
	struct deferred_checks *deferred = subject->reading->deferred;
	if (deferred) {
		check_defer_value(deferred, row, batch->pc[row], context, opcode);
		return;
	}
	uint64_t key = map_pair(&check->opcodes, batch->pc[row], context);
	uint64_t *before = map_before(&check->opcodes, key, opcode, QEMU4V_ADDRESSES_MAX);
	if (!before || *before == opcode)
		return;
	FOUND(subject, QEMU4V_Q12, "opcode 0x%llx at 0x%llx, expected 0x%llx as before",
		(number)opcode, (number)batch->pc[row], (number)*before);
	subject->reading->has_disagreed = true;
	*before = opcode;
}

/* True if an instruction of a processor may follow another one. Numbers may wrap at 32 bits. */
static bool
is_next_number(uint64_t before, uint64_t id)
{
	return id == before + 1 || (!id && before == UINT32_MAX);
}

/* Checks the number of an instruction. */
static void
check_number(const struct qemu4v_subject *subject, uint32_t cpu)
{
	struct qemu4v_sequence *sequence = &subject->check->sequence;
	if (cpu >= QEMU4V_CPUS_MAX || !has(subject, POLY_COLUMN_instruction_id))
		return;
	const uint64_t id = subject->batch->instruction_id[subject->row];
	if (!bit_test(&sequence->numbered, cpu)) {
		bit_set(&sequence->firsts.numbered, cpu);
		sequence->firsts.ids[cpu] = id;
	} else if (!is_next_number(sequence->ids[cpu], id)) {
		FOUND(subject, QEMU4V_Q13, "number %llu follows %llu of processor %u",
			(number)id, (number)sequence->ids[cpu], (unsigned)cpu);
	}
	bit_set(&sequence->numbered, cpu);
	sequence->ids[cpu] = id;
}

static uint32_t
cpu_of(const struct qemu4v_subject *subject)
{
	return has(subject, POLY_COLUMN_cpu) ? subject->batch->cpu[subject->row] : 0;
}

/* Notes the processor of an instruction. */
static void
note_cpu(struct qemu4v_sequence *sequence, uint32_t cpu)
{
	if (!sequence->has_insn) {
		sequence->firsts.has_insn = true;
		sequence->firsts.cpu = cpu;
	}
	sequence->many_cpus |= sequence->has_insn && cpu != sequence->cpu;
	sequence->cpu = cpu;
	sequence->has_insn = true;
}

static void
check_instruction(const struct qemu4v_subject *subject)
{
	const uint32_t cpu = cpu_of(subject);
	unsigned size = has(subject, POLY_COLUMN_opcode_size)
				? subject->batch->opcode_size[subject->row]
				: 0;
	bool strict = is_strict(subject);
	if (size == 0 && (strict || has(subject, POLY_COLUMN_opcode)))
		FOUND(subject, QEMU4V_Q06, "an odd number of digits");
	else if (strict && size != 2 && size != 4 && size != 8)
		FOUND(subject, QEMU4V_Q06, "%u digits", 2 * size);
	check_set(subject);
	check_mode(subject);
	check_opcode(subject, cpu);
	check_number(subject, cpu);
	note_cpu(&subject->check->sequence, cpu);
}

/* Checks that an access or register has a processor, if the trace has several. */
static void
check_owner(const struct qemu4v_subject *subject)
{
	const struct qemu4v_reader *reader = subject->reading->state;
	struct qemu4v_sequence *sequence = &subject->check->sequence;
	if (!reader->owns || has(subject, POLY_COLUMN_cpu))
		return;
	sequence->firsts.unowned |= !sequence->many_cpus;
	if (sequence->many_cpus)
		FOUND(subject, QEMU4V_Q10, "no instruction of this time");
}

static void
check_memory(const struct qemu4v_subject *subject)
{
	uint32_t size = 0;
	check_owner(subject);
	if (has(subject, POLY_COLUMN_size))
		size = subject->batch->size[subject->row];
	if (size == 0 || size > 64)
		FOUND(subject, QEMU4V_Q05, "%u bytes", (unsigned)size);
}

/* Checks that the values of a register have one width. */
static void
check_value(const struct qemu4v_subject *subject)
{
	const struct poly_batch *batch = subject->batch;
	struct deferred_checks *deferred = subject->reading->deferred;
	if (!has(subject, POLY_COLUMN_size) || !has(subject, POLY_COLUMN_reg))
		return;
	uint32_t reg = batch->reg[subject->row], size = batch->size[subject->row];
	if (deferred) {
		check_defer_value(deferred, subject->row, reg, REGISTER_KEY, size);
		return;
	}
	if (reg >= QEMU4V_REGISTERS_MAX || size > UINT16_MAX)
		return;
	uint16_t *width = &subject->check->widths[reg];
	if (*width && *width != size) {
		FOUND(subject, QEMU4V_Q14, "'%.40s' has %u bytes, expected %u as before",
			name_of(subject, POLY_COLUMN_reg), (unsigned)size, (unsigned)*width);
		subject->reading->has_disagreed = true;
	}
	*width = (uint16_t)size;
}

static void
check_register(const struct qemu4v_subject *subject)
{
	check_owner(subject);
	check_value(subject);
}

/* Checks the width of an address; reports once. */
static void
check_width(const struct qemu4v_subject *subject, const struct qemu4v *line)
{
	const char *fact = poly_trace_fact(subject->batch->info, "qemu4v.address");
	uint64_t digits;
	if (subject->check->sequence.mixed || line->is == QEMU4V_REGISTER ||
		!line->address_digits || !fact || !num_parse(fact, strlen(fact), &digits))
		return;
	unsigned expected = qemu4v_address_digits(line->address, (unsigned)digits);
	if (line->address_digits != expected) {
		FOUND(subject, QEMU4V_Q18, "an address of %u digits, expected %u",
			line->address_digits, expected);
		subject->check->sequence.mixed = true;
	}
}

static void
check_unit(const struct qemu4v_subject *subject, const struct qemu4v_word *unit)
{
	const struct qemu4v_reader *reader = subject->reading->state;
	const struct qemu4v_word *expected = &reader->unit;
	if (unit->length && unit->length < 40 &&
		(unit->length != expected->length ||
			memcmp(expected->text, unit->text, unit->length) != 0))
		FOUND(subject, QEMU4V_Q03, "unit '%.*s', expected '%.*s'", (int)unit->length,
			(const char *)unit->text, (int)expected->length,
			(const char *)expected->text);
}

/* Checks the rules that need the line's own bytes, if the row stores them. */
static void
check_line(const struct qemu4v_subject *subject)
{
	uint8_t text[QEMU4V_LINE_MAX + LINE_PADDING];
	struct qemu4v line;
	size_t n;
	const uint8_t *raw =
		poly_batch_bytes(subject->batch, POLY_COLUMN_raw, subject->row, &n);
	if (n == 0 || n > QEMU4V_LINE_MAX)
		return;
	bool ended = raw[n - 1] == '\n';
	memcpy(text, raw, n);
	memset(text + n, '\n', LINE_PADDING);
	qemu4v_parse(text, n, ended, &line);
	if (subject->batch->record[subject->row] == QEMU4V_PICTURE && line.is != QEMU4V_PICTURE)
		qemu4v_parse_rest(text, n, ended, &line);
	if (line.is >= QEMU4V_BLANK)
		return;
	check_unit(subject, &line.unit);
	if (line.stamp == QEMU4V_STAMP_OWN && !line.has_time)
		FOUND(subject, QEMU4V_Q21,
			"a time of more than 19 digits, which no column holds");
	bool plain = line.is <= QEMU4V_REGISTER;
	if (plain)
		check_width(subject, &line);
	if ((plain || line.is == QEMU4V_PICTURE) && line.data.unknown)
		FOUND(subject, QEMU4V_Q15, "unknown digits");
	else if (line.is == QEMU4V_MEMORY && line.data.count &&
		 line.data.count != 2 * (uint64_t)line.size)
		FOUND(subject, QEMU4V_Q04, "%zu digits for %u bytes", line.data.count,
			(unsigned)line.size);
}

static void
check_row(const struct qemu4v_subject *subject)
{
	static const char *const forms[] = {"a transfer of control", "an event", "a bus cycle",
		"a memory dump", "an exception", "a branch", "a system operation",
		"a coprocessor transfer", "text"};
	unsigned record = subject->batch->record[subject->row];
	check_time(subject);
	if (record == QEMU4V_INSTRUCTION)
		check_instruction(subject);
	else if (record == QEMU4V_MEMORY ||
		 (record == QEMU4V_PICTURE && has(subject, POLY_COLUMN_access)))
		check_memory(subject);
	else if (record == QEMU4V_REGISTER)
		check_register(subject);
	if (record > QEMU4V_REGISTER && record < QEMU4V_BLANK && is_strict(subject))
		FOUND(subject, QEMU4V_Q17, "%s", forms[record - QEMU4V_FLOW]);
	if (record < QEMU4V_BLANK && has(subject, POLY_COLUMN_raw))
		check_line(subject);
}

static void
check_clock(struct reading *reading)
{
	const struct qemu4v_reader *reader = reading->state;
	const struct qemu4v_word *unit = &reader->unit;
	if (!qemu4v_is_unit(unit->text, unit->length))
		findings_add(reading->findings, QEMU4V_Q03, 0, POLY_NO_OFFSET,
			"unknown unit '%.*s', expected clk, cyc, tic, cs, fs, ps, ns, us or ms",
			(int)unit->length, (const char *)unit->text);
}

void
qemu4v_check(struct reading *reading, const struct poly_batch *batch)
{
	struct qemu4v_reader *reader = reading->state;
	struct qemu4v_check *check = &reader->check;
	if (!batch)
		return;
	if (reading->deferred)
		check->sequence.firsts = (struct qemu4v_firsts){.unowned = false};
	else if (batch->first == 0 && batch->rows)
		check_clock(reading);
	for (size_t row = 0; row < batch->rows; row++)
		check_row(&(struct qemu4v_subject){reading, check, batch, row});
}

/* True if the first numbers of processors follow their last ones. */
static bool
numbers_fit(const struct qemu4v_sequence *before, const struct qemu4v_firsts *firsts)
{
	const uint64_t both = before->numbered & firsts->numbered;
	for (unsigned cpu = 0; cpu < QEMU4V_CPUS_MAX; cpu++) {
		if (bit_test(&both, cpu) && !is_next_number(before->ids[cpu], firsts->ids[cpu]))
			return false;
	}
	return true;
}

/* True if instructions have more than one processor. */
static bool
has_many_cpus(const struct qemu4v_sequence *before, const struct qemu4v_firsts *firsts)
{
	return before->many_cpus ||
	       (before->has_insn && firsts->has_insn && before->cpu != firsts->cpu);
}

bool
qemu4v_check_fits(const struct reading *reading, const void *state)
{
	const struct qemu4v_reader *reader = reading->state;
	const struct qemu4v_sequence *before = &reader->check.sequence, *after = state;
	const struct qemu4v_firsts *firsts = &after->firsts;
	if (firsts->has_time && before->has_time && firsts->time < before->row_time)
		return false;
	if (firsts->unowned && has_many_cpus(before, firsts))
		return false;
	return numbers_fit(before, firsts);
}

void
qemu4v_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct qemu4v_reader *reader = reading->state;
	const struct qemu4v_subject subject = {reading, &reader->check, batch, row};
	(void)prefix;
	if (batch->record[row] == QEMU4V_INSTRUCTION)
		check_opcode(&subject, cpu_of(&subject));
	else if (batch->record[row] == QEMU4V_REGISTER)
		check_value(&subject);
}

void
qemu4v_check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct qemu4v_reader *reader = reading->state;
	struct qemu4v_sequence *sequence = &reader->check.sequence;
	const struct qemu4v_sequence *after = state;
	(void)first;
	if (batch->first == 0)
		check_clock(reading);
	sequence->many_cpus |= after->many_cpus || has_many_cpus(sequence, &after->firsts);
	if (after->has_time)
		sequence->row_time = after->row_time;
	if (after->has_insn)
		sequence->cpu = after->cpu;
	sequence->has_time |= after->has_time;
	sequence->has_insn |= after->has_insn;
	sequence->numbered |= after->numbered;
	for (unsigned cpu = 0; cpu < QEMU4V_CPUS_MAX; cpu++) {
		if (bit_test(&after->numbered, cpu))
			sequence->ids[cpu] = after->ids[cpu];
	}
}
