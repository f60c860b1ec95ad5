/* SPDX-License-Identifier: MIT */
/* What the dialects share: registers, modes, and sizes of accesses. */
#include "format/riscv_log/scan.h"

#include "base/vec.h"
#include "isa/riscv.h"

#include <stdio.h>

const char *const rv_kinds[RV_KIND_COUNT] = {
	[RV_INSTRUCTION] = "instruction",
	[RV_REGISTER] = "register",
	[RV_MEMORY] = "memory",
	[RV_EXCEPTION] = "exception",
	[RV_VECTOR] = "vector",
	[RV_SYMBOL] = "symbol",
	[RV_REPEAT] = "repeat",
	[RV_HEADER] = "header",
	[RV_TEXT] = "text",
	[RV_CORRUPT] = "corrupt",
};

const struct rv_dialect *const rv_dialects[] = {&rv_spike, &rv_cva6, &rv_sail, &rv_rvvi,
	&rv_riscv_dv, &rv_ibex, &rv_cv32e40p, &rv_rocket, &rv_whisper, &rv_whisper_csv, NULL};

const struct poly_rule rv_rules[RV_RULE_COUNT + 1] = {
	[R02] = {"R02", POLY_ERROR, "the last line is complete", "polytrace-riscv-log(5)"},
	[R03] = {"R03", POLY_ERROR, "a record has at most 65536 bytes",
		"polytrace-riscv-log(5)"},
	[R04] = {"R04", POLY_NOTE, "lines are spelled as the dialect is written",
		"polytrace-riscv-log(5)"},
	[R05] = {"R05", POLY_NOTE, "an instruction precedes effects", "polytrace-riscv-log(5)"},
	[R06] = {"R06", POLY_WARNING, "a store has at most the size that its opcode states",
		"polytrace-riscv-log(5)"},
	[R07] = {"R07", POLY_WARNING, "numbers of instructions count up by one",
		"polytrace-riscv-log(5)"},
	{.code = NULL},
};

/* Modes, at their privilege levels, then others. */
static const char *const modes[] = {"U", "S", "HS", "M", "VS", "VU", "D", NULL};

const char *
rv_mode(unsigned level)
{
	return level < 4 && level != 2 ? modes[level] : NULL;
}

const char *
rv_mode_of(struct rv_span name)
{
	for (size_t i = 0; modes[i]; i++) {
		if (span_is(name, modes[i]))
			return modes[i];
	}
	return NULL;
}

int
rv_level(const char *mode)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = {{"U", 0}, {"S", 1}, {"HS", 1}, {"M", 3}, {"VS", 1}, {"VU", 0}, {"D", 3},
		{"usr", 0}, {"svc", 1}, {"0", 0}, {"1", 1}, {"3", 3}};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		if (strcmp(mode, levels[i].name) == 0)
			return levels[i].level;
	}
	return -1;
}

void
rv_set_opcode(struct rv_record *record, uint64_t opcode)
{
	const bool is_short = (opcode & 3) != 3;
	record->has_opcode = true;
	record->opcode = opcode & (is_short ? 0xffff : 0xffffffff);
	record->opcode_size = is_short ? 2 : 4;
}

uint32_t
rv_access_size(const struct rv_record *record)
{
	/* Loads and stores of integers and floating point: the size is a field. */
	if (!record->has_opcode)
		return 0;
	const uint32_t opcode = (uint32_t)record->opcode;
	const unsigned major = opcode & 0x7f;
	if (major == 0x03 || major == 0x23)
		return UINT32_C(1) << (opcode >> 12 & 3);
	const struct riscv_row *row = riscv_find(opcode, RISCV_64, false);
	row = row ? row : riscv_find(opcode, RISCV_32, false);
	return row && row->direction && !riscv_is_vector(opcode) ? row->size : 0;
}

void
rv_narrow(struct rv_effect *effect, uint32_t size)
{
	if (!size)
		return;
	effect->size = size;
	if (size > RV_NUMBER_BYTES)
		return;
	effect->digits.size = 0;
	if (size < RV_NUMBER_BYTES)
		effect->value &= ((uint64_t)1 << 8 * size) - 1;
}

bool
rv_is_amo(const struct rv_record *record)
{
	/* Not load-reserved and store-conditional. */
	return record->opcode_size == 4 && (record->opcode & 0x7f) == 0x2f &&
	       record->opcode >> 28 != 1;
}

const char *
rv_find_unread(const struct rv_record *record)
{
	const unsigned major = record->opcode & 0x7f;
	if (record->unread)
		return record->unread;
	/* Loads of integers and floating point, or of vectors. */
	const bool loads = record->opcode_size == 4 && (major == 0x03 || major == 0x07);
	for (uint32_t i = 0; loads && i < record->count; i++) {
		if (record->effects[i].file == RV_WRITE)
			return "is a load that states a store";
	}
	return NULL;
}

void
rv_clear(struct rv_record *record)
{
	*record = (struct rv_record){.is = RV_INSTRUCTION,
		.effects = record->effects,
		.capacity = record->capacity,
		.fields = record->fields,
		.scratch = record->scratch};
	if (record->fields)
		record->fields->count = 0;
}

struct rv_effect *
rv_add(struct rv_record *record, enum rv_file file)
{
	if (record->scratch) {
		*record->scratch = (struct rv_effect){.file = (uint8_t)file};
		return record->scratch;
	}
	if (!VEC_ROOM(record->effects, record->capacity, record->count)) {
		record->no_memory = true;
		return NULL;
	}
	struct rv_effect *effect = &record->effects[record->count++];
	*effect = (struct rv_effect){.file = (uint8_t)file, .start = record->start};
	return effect;
}

/* Parses x5, f10 or v3; false: another name. */
static bool
find_numbered(struct rv_span name, enum rv_file *file, uint16_t *number)
{
	static const char letters[] = "xfv";
	const char *letter = name.size ? memchr(letters, *name.text, 3) : NULL;
	struct rv_scan at = scan_span(name);
	uint64_t value;
	if (!letter || !scan_byte(&at, *letter) || !scan_below(&at, 31, &value) ||
		!scan_ended(&at))
		return false;
	*file = (enum rv_file)(letter - letters);
	*number = (uint16_t)value;
	return true;
}

bool
rv_find_register(struct rv_span name, enum rv_file *file, uint16_t *number)
{
	if (find_numbered(name, file, number))
		return true;
	if (span_is(name, "fp")) {
		*file = RV_X;
		*number = 8;
		return true;
	}
	for (unsigned i = 0; i < RISCV_FFLAGS; i++) {
		if (!span_is(name, riscv_register_name(i)))
			continue;
		*file = i < RISCV_F ? RV_X : i < RISCV_V ? RV_F : RV_V;
		*number = (uint16_t)(i % 32);
		return true;
	}
	return false;
}

/* Adds the names of all CSRs; false: out of memory. */
static bool
fill_csrs(struct rv_csrs *csrs)
{
	for (unsigned i = 0; i < RV_CSRS; i++) {
		char name[32];
		riscv_csr_name(i, name, sizeof name);
		const uint32_t number = intern_add(&csrs->names, name, strlen(name));
		if (number >= RV_CSRS)
			return false;
		csrs->numbers[number] = (uint16_t)i;
	}
	return true;
}

bool
rv_find_csr(struct rv_csrs *csrs, struct rv_span name, uint16_t *number)
{
	if (!csrs->names.count && !fill_csrs(csrs)) {
		intern_free(&csrs->names);
		csrs->no_memory = true;
		return false;
	}
	const uint32_t found = intern_find(&csrs->names, (const char *)name.text, name.size);
	if (found == INTERN_FAILED)
		return false;
	*number = csrs->numbers[found];
	return true;
}

void
rv_append_hex(struct buf *out, uint64_t value, unsigned digits)
{
	char text[16];
	digits = digits < 1 ? 1 : digits < 16 ? digits : 16;
	num_hex(text, value, digits);
	buf_append(out, text, digits);
}

void
rv_append_span(struct buf *out, struct rv_span span)
{
	buf_append(out, span.text, span.size);
}

void
rv_append_text(struct buf *out, struct rv_span text)
{
	struct rv_scan at = scan_span(text);
	while (!scan_ended(&at)) {
		if (scan_blanks(&at))
			buf_byte(out, ' ');
		rv_append_span(out, scan_word(&at));
	}
}

void
rv_append_value(struct buf *out, const struct rv_effect *effect, unsigned digits)
{
	if (effect->digits.size)
		rv_append_span(out, effect->digits);
	else
		rv_append_hex(out, effect->value, digits);
}

void
rv_append_register(struct buf *out, const struct rv_effect *effect)
{
	static const char letters[] = {[RV_X] = 'x', [RV_F] = 'f', [RV_V] = 'v'};
	char name[32];
	if (effect->file < RV_CSR) {
		char text[4] = {letters[effect->file]};
		buf_append(out, text, 1 + num_decimal(text + 1, effect->number & 31));
	} else if (effect->name.size) {
		rv_append_span(out, effect->name);
	} else {
		riscv_csr_name(effect->number, name, sizeof name);
		buf_string(out, name);
	}
}
