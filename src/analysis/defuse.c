/* SPDX-License-Identifier: MIT */
/* The last writer and the next reader of a register or an address. */
#include "polytrace/defuse.h"

#include "analysis/context.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "isa/powerpc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of text that are kept of an instruction. */
#define TEXT 200

/* What is kept of a row. */
struct deed {
	uint64_t record, time, context, address, value, pc, opcode;
	uint32_t size, reg;
	uint8_t access, opcode_size;
	bool has_time, has_address, has_size, has_value, has_reg, has_access, has_pc,
		has_opcode;
	char text[TEXT];
};

struct poly_defuse {
	struct poly_defuse_options options;
	char *reg;
	const struct poly_trace_info *info;
	bool by_opcode;			 /* instructions tell registers, not records */
	struct powerpc_registers wanted; /* the register, as instructions name it */
	struct map instructions;	 /* by context: an index of last */
	struct deed *last;		 /* the last instruction of each context */
	uint32_t last_count, last_capacity;
	bool is_found, failed;
	bool is_open;		       /* the answer may be of its context's next instruction */
	struct deed deed, instruction; /* instruction: record 0 where there was none */
};

poly_columns
poly_defuse_columns(void)
{
	return CONTEXT_COLUMNS | POLY_HAS(kind) | POLY_HAS(time) | POLY_HAS(pc) |
	       POLY_HAS(opcode) | POLY_HAS(opcode_size) | POLY_HAS(access) | POLY_HAS(address) |
	       POLY_HAS(size) | POLY_HAS(value) | POLY_HAS(reg) | POLY_HAS(text) |
	       POLY_HAS(synthetic);
}

/* Two names, capitals or not. */
static bool
is_same_name(const char *a, const char *b)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
		a++, b++;
	return *a == *b;
}

/* The registers of PowerPC that a name means; false: none. */
static bool
find_powerpc(const char *name, struct powerpc_registers *set)
{
	static const struct {
		const char *name;
		unsigned number;
	} special[] = {{"xer", POWERPC_XER}, {"lr", POWERPC_LR}, {"ctr", POWERPC_CTR},
		{"msr", POWERPC_MSR}, {"fpscr", POWERPC_FPSCR}, {"vscr", POWERPC_VSCR},
		{"vrsave", POWERPC_VRSAVE}, {"mq", POWERPC_MQ}};
	char made[8];
	*set = (struct powerpc_registers){{0}};
	for (unsigned i = 0; i < POWERPC_CR + 8; i++) {
		const bool is_cr = i >= POWERPC_CR;
		snprintf(made, sizeof made, "%c%u", is_cr ? 'c' : "rfv"[i / 32], i % 32);
		if (is_cr)
			snprintf(made, sizeof made, "cr%u", i - POWERPC_CR);
		if (is_same_name(name, made) || (is_cr && is_same_name(name, "cr")))
			set->bits[i / 64] |= (uint64_t)1 << i % 64;
	}
	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		if (is_same_name(name, special[i].name))
			set->bits[special[i].number / 64] |= (uint64_t)1
							     << special[i].number % 64;
	}
	return set->bits[0] || set->bits[1];
}

/* Whether a trace can tell what is asked. */
static enum poly_status
check_question(struct poly_defuse *who, struct poly_error *error)
{
	const struct poly_trace_info *info = who->info;
	const bool is_powerpc = info->isa && strcmp(info->isa, "powerpc") == 0 &&
				info->columns & POLY_HAS(opcode);
	const poly_columns accesses = POLY_HAS(access) | POLY_HAS(address);
	if (!who->reg) {
		if ((info->columns & accesses) == accesses)
			return POLY_OK;
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the trace does not tell accesses to memory");
	}
	who->by_opcode =
		is_powerpc && (who->options.is_reader || !(info->columns & POLY_HAS(reg)));
	if (who->by_opcode && !find_powerpc(who->reg, &who->wanted))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"there is no register '%.40s', expected r0 to r31, f0 to f31, v0 to "
			"v31, cr, cr0 to cr7, xer, lr, ctr, msr, fpscr, vscr, vrsave or mq",
			who->reg);
	if (who->by_opcode || (!who->options.is_reader && info->columns & POLY_HAS(reg)))
		return POLY_OK;
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"the trace does not tell which registers are %s",
		who->options.is_reader ? "read" : "written");
}

enum poly_status
poly_defuse_new(const struct poly_defuse_options *options, const struct poly_trace_info *info,
	struct poly_defuse **who, struct poly_error *error)
{
	*who = NULL;
	if (options->size == 0)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the options were not initialised");
	struct poly_defuse *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	memcpy(&it->options, options,
		options->size < sizeof it->options ? options->size : sizeof it->options);
	it->info = info;
	it->reg = it->options.reg ? mem_string(it->options.reg) : NULL;
	enum poly_status status =
		it->options.reg && !it->reg ? err_memory(error) : check_question(it, error);
	if (status == POLY_OK)
		*who = it;
	else
		poly_defuse_free(it);
	return status;
}

static bool
touches_register(const struct poly_defuse *who, const struct poly_batch *batch, size_t row)
{
	struct powerpc_registers reads, writes;
	const struct powerpc_registers *set = who->options.is_reader ? &reads : &writes;
	if (!who->by_opcode) {
		if (batch->kind[row] != POLY_KIND_REGISTER ||
			!poly_present(batch, POLY_COLUMN_reg, row))
			return false;
		const char *name = poly_trace_name(who->info, batch->reg[row]);
		return name && is_same_name(name, who->reg);
	}
	return batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       poly_present(batch, POLY_COLUMN_opcode, row) &&
	       powerpc_registers((uint32_t)batch->opcode[row], &reads, &writes) &&
	       ((set->bits[0] & who->wanted.bits[0]) || (set->bits[1] & who->wanted.bits[1]));
}

static bool
touches_address(const struct poly_defuse *who, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return false;
	const unsigned access = batch->access[row];
	const unsigned wanted = who->options.is_reader ? POLY_ACCESS_READ : POLY_ACCESS_WRITE;
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	return access == wanted && who->options.address - batch->address[row] < size;
}

/* Keeps what a row tells. */
static void
take_deed(const struct poly_batch *batch, size_t row, struct deed *deed)
{
#define TAKE(column)                                                                 \
	do {                                                                         \
		deed->has_##column = poly_present(batch, POLY_COLUMN_##column, row); \
		if (deed->has_##column)                                              \
			deed->column = batch->column[row];                           \
	} while (0)
	deed->record = poly_batch_number(batch, row);
	deed->context = context_key(batch, row);
	TAKE(time);
	TAKE(address);
	TAKE(size);
	TAKE(value);
	TAKE(reg);
	TAKE(access);
	TAKE(pc);
	TAKE(opcode);
#undef TAKE
	deed->opcode_size =
		poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row] : 0;
	deed->text[0] = 0;
	if (poly_present(batch, POLY_COLUMN_text, row)) {
		size_t n;
		const uint8_t *text = poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
		n = n < TEXT - 1 ? n : TEXT - 1;
		memcpy(deed->text, text, n);
		deed->text[n] = 0;
	}
}

/* The place of a context's last instruction; NULL: no memory. */
static struct deed *
place_of(struct poly_defuse *who, uint64_t context)
{
	bool added;
	const uint64_t *known = map_find(&who->instructions, context);
	if (known)
		return &who->last[*known];
	if (!map_get(&who->instructions, context, who->last_count, &added))
		return NULL;
	if (who->last_count == who->last_capacity) {
		const uint32_t capacity = who->last_capacity ? 2 * who->last_capacity : 4;
		struct deed *list = mem_resize(who->last, capacity, sizeof *list);
		if (!list)
			return NULL;
		who->last = list;
		who->last_capacity = capacity;
	}
	who->last[who->last_count] = (struct deed){.context = context};
	return &who->last[who->last_count++];
}

/* A row that did what is asked. */
static void
take_answer(struct poly_defuse *who, const struct poly_batch *batch, size_t row)
{
	who->is_found = true;
	take_deed(batch, row, &who->deed);
	const struct deed *place = place_of(who, who->deed.context);
	who->failed |= !place;
	if (!place)
		return;
	who->instruction = *place;
	who->is_open = who->deed.has_time && place->record != who->deed.record &&
		       !(place->has_time && place->time == who->deed.time);
}

/* Remembers the last instruction of each context. */
static void
take_instruction(struct poly_defuse *who, const struct poly_batch *batch, size_t row)
{
	struct deed *place = place_of(who, context_key(batch, row));
	who->failed |= !place;
	if (!place)
		return;
	take_deed(batch, row, place);
	if (!who->is_open || place->context != who->deed.context)
		return;
	/* A record before the instruction of its time is of that one. */
	who->is_open = false;
	if (place->has_time && place->time == who->deed.time)
		who->instruction = *place;
}

bool
poly_defuse_update(struct poly_defuse *who, const struct poly_batch *batch)
{
	const bool is_reader = who->options.is_reader;
	for (size_t row = 0; row < batch->rows && !who->failed; row++) {
		const uint64_t number = poly_batch_number(batch, row);
		if (poly_present(batch, POLY_COLUMN_time, row))
			who->is_open &= batch->time[row] == who->deed.time;
		const bool is_over = is_reader ? who->is_found : number >= who->options.record;
		if (is_over && !who->is_open)
			return false;
		if (!poly_present(batch, POLY_COLUMN_kind, row))
			continue;
		if (batch->kind[row] == POLY_KIND_INSTRUCTION)
			take_instruction(who, batch, row);
		if (is_over || (is_reader && number <= who->options.record))
			continue;
		if (who->reg ? touches_register(who, batch, row)
			     : touches_address(who, batch, row))
			take_answer(who, batch, row);
	}
	return !who->failed && (!is_reader || !who->is_found || who->is_open);
}

bool
poly_defuse_failed(const struct poly_defuse *who)
{
	return who->failed;
}

bool
poly_defuse_found(const struct poly_defuse *who)
{
	return who->is_found;
}

static void
report_instruction(const struct poly_defuse *who, unsigned digits, struct poly_report *report)
{
	const struct deed *it = &who->instruction;
	if (!it->record)
		return;
	poly_report_count(report, "instruction_record", it->record);
	if (it->has_pc)
		poly_report_address(report, "pc", it->pc, digits);
	if (it->has_opcode)
		poly_report_address(report, "opcode", it->opcode,
			it->opcode_size && it->opcode_size <= 8 ? 2 * it->opcode_size : 1u);
	if (it->text[0])
		poly_report_text(report, "text", it->text);
}

void
poly_defuse_report(const struct poly_defuse *who, struct poly_report *report)
{
	const struct deed *it = &who->deed;
	const unsigned bits = who->info->address_bits, digits = bits ? (bits + 3) / 4 : 1;
	struct buf context = {0};
	poly_report_section(report, "answer");
	if (who->is_found) {
		poly_report_count(report, "record", it->record);
		if (it->has_time)
			poly_report_count(report, "time", it->time);
		context_append_name(who->info, it->context, &context);
		poly_report_text(report, "context", context.size ? buf_text(&context) : NULL);
		if (it->has_reg)
			poly_report_text(
				report, "register", poly_trace_name(who->info, it->reg));
		if (it->has_access)
			poly_report_text(
				report, "access", poly_enum_name(POLY_FORM_ACCESS, it->access));
		if (it->has_address)
			poly_report_address(report, "address", it->address, digits);
		if (it->has_size)
			poly_report_count(report, "size", it->size);
		if (it->has_value)
			poly_report_address(report, "value", it->value,
				it->has_size && it->size && it->size <= 8 ? 2 * it->size : 1u);
		report_instruction(who, digits, report);
	}
	poly_report_end(report);
	buf_free(&context);
}

void
poly_defuse_free(struct poly_defuse *who)
{
	if (!who)
		return;
	map_free(&who->instructions);
	mem_free(who->last);
	mem_free(who->reg);
	mem_free(who);
}
