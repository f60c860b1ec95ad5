/* SPDX-License-Identifier: MIT */
/* Def-use queries: the last writer or the next reader of a register or address. */
#include "polytrace/defuse.h"

#include "analysis/facts/context.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "isa/powerpc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of an instruction's text with its end, in bytes; longer ones are truncated. */
#define TEXT_SIZE 200

/* The stored columns of a row. */
struct defuse_row {
	uint64_t record, time, context, address, value, pc, opcode;
	uint32_t size, reg;
	uint8_t access, opcode_size;
	bool has_time, has_address, has_size, has_value, has_reg, has_access, has_pc,
		has_opcode;
	char text[TEXT_SIZE];
};

struct poly_defuse {
	struct poly_defuse_options options;
	char *reg;
	const struct poly_trace_info *info;
	bool by_opcode;			 /* instructions identify registers, not records */
	struct powerpc_registers wanted; /* registers of the query */
	struct map instructions;	 /* index of last, by context */
	struct defuse_row *last;	 /* the last instruction of each context */
	uint32_t last_count, last_capacity;
	bool is_found, failed;
	bool is_open; /* the answer can belong to its context's next instruction */
	struct defuse_row answer, instruction; /* instruction: record 0: none */
};

poly_columns
poly_defuse_columns(void)
{
	return POLY_COLUMNS(CONTEXT_COLUMNS, kind, time, pc, opcode, opcode_size, access,
		address, size, value, reg, text, synthetic);
}

/* Compares names, ignoring case. */
static bool
is_same_name(const char *a, const char *b)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
		a++, b++;
	return *a == *b;
}

/* Finds the PowerPC registers of a name; false: unknown. */
static bool
find_powerpc(const char *name, struct powerpc_registers *set)
{
	static const struct {
		const char *name;
		unsigned number;
	} special[] = {{"xer", POWERPC_XER}, {"lr", POWERPC_LR}, {"ctr", POWERPC_CTR},
		{"msr", POWERPC_MSR}, {"fpscr", POWERPC_FPSCR}, {"vscr", POWERPC_VSCR},
		{"vrsave", POWERPC_VRSAVE}, {"mq", POWERPC_MQ}};
	char candidate[8];
	*set = (struct powerpc_registers){{0}};
	for (unsigned i = 0; i < POWERPC_CR + 8; i++) {
		const bool is_cr = i >= POWERPC_CR;
		snprintf(candidate, sizeof candidate, "%c%u", is_cr ? 'c' : "rfv"[i / 32],
			i % 32);
		if (is_cr)
			snprintf(candidate, sizeof candidate, "cr%u", i - POWERPC_CR);
		if (is_same_name(name, candidate) || (is_cr && is_same_name(name, "cr")))
			set->bits[i / 64] |= (uint64_t)1 << i % 64;
	}
	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		if (is_same_name(name, special[i].name))
			set->bits[special[i].number / 64] |= (uint64_t)1
							     << special[i].number % 64;
	}
	return set->bits[0] || set->bits[1];
}

/* Fails if the trace cannot answer the query. */
static enum poly_status
check_query(struct poly_defuse *defuse, struct poly_error *error)
{
	const struct poly_trace_info *info = defuse->info;
	const bool is_powerpc = info->isa && strcmp(info->isa, "powerpc") == 0 &&
				POLY_HAS(info->columns, opcode);
	const poly_columns accesses = POLY_COLUMNS_INIT(access, address);
	if (!defuse->reg) {
		if (poly_columns_subset(accesses, info->columns))
			return POLY_OK;
		return err_usage(error,
			"the trace has no memory accesses (columns 'access' and 'address')");
	}
	defuse->by_opcode =
		is_powerpc && (defuse->options.is_reader || !POLY_HAS(info->columns, reg));
	if (defuse->by_opcode && !find_powerpc(defuse->reg, &defuse->wanted))
		return err_usage(error,
			"no such register '%.40s', expected r0 to r31, f0 to f31, v0 to "
			"v31, cr, cr0 to cr7, xer, lr, ctr, msr, fpscr, vscr, vrsave or mq",
			defuse->reg);
	if (defuse->by_opcode || (!defuse->options.is_reader && POLY_HAS(info->columns, reg)))
		return POLY_OK;
	return err_usage(error, "the trace does not identify the registers that are %s",
		defuse->options.is_reader ? "read" : "written");
}

enum poly_status
poly_defuse_new(const struct poly_defuse_options *options, const struct poly_trace_info *info,
	struct poly_defuse **defuse, struct poly_error *error)
{
	*defuse = NULL;
	if (options->size == 0)
		return err_usage(error, "the options were not initialized");
	struct poly_defuse *query = mem_new(1, sizeof *query);
	if (!query)
		return err_memory(error);
	memcpy(&query->options, options,
		options->size < sizeof query->options ? options->size : sizeof query->options);
	query->info = info;
	query->reg = query->options.reg ? mem_string(query->options.reg) : NULL;
	enum poly_status status = query->options.reg && !query->reg ? err_memory(error)
								    : check_query(query, error);
	if (status == POLY_OK)
		*defuse = query;
	else
		poly_defuse_free(query);
	return status;
}

static bool
touches_register(const struct poly_defuse *defuse, const struct poly_batch *batch, size_t row)
{
	struct powerpc_registers reads, writes;
	const struct powerpc_registers *set = defuse->options.is_reader ? &reads : &writes;
	if (!defuse->by_opcode) {
		if (batch->kind[row] != POLY_KIND_REGISTER ||
			!poly_present(batch, POLY_COLUMN_reg, row))
			return false;
		const char *name = poly_trace_name(defuse->info, batch->reg[row]);
		return name && is_same_name(name, defuse->reg);
	}
	return batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       poly_present(batch, POLY_COLUMN_opcode, row) &&
	       powerpc_registers((uint32_t)batch->opcode[row], &reads, &writes) &&
	       ((set->bits[0] & defuse->wanted.bits[0]) ||
		       (set->bits[1] & defuse->wanted.bits[1]));
}

static bool
touches_address(const struct poly_defuse *defuse, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return false;
	const unsigned access = batch->access[row];
	const unsigned wanted =
		defuse->options.is_reader ? POLY_ACCESS_READ : POLY_ACCESS_WRITE;
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	return access == wanted && defuse->options.address - batch->address[row] < size;
}

/* Stores a row. */
static void
store_row(const struct poly_batch *batch, size_t row, struct defuse_row *stored)
{
#define STORE(column)                                                                  \
	do {                                                                           \
		stored->has_##column = poly_present(batch, POLY_COLUMN_##column, row); \
		if (stored->has_##column)                                              \
			stored->column = batch->column[row];                           \
	} while (0)
	stored->record = poly_batch_number(batch, row);
	stored->context = context_key(batch, row);
	STORE(time);
	STORE(address);
	STORE(size);
	STORE(value);
	STORE(reg);
	STORE(access);
	STORE(pc);
	STORE(opcode);
#undef STORE
	stored->opcode_size =
		poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row] : 0;
	stored->text[0] = 0;
	if (poly_present(batch, POLY_COLUMN_text, row)) {
		size_t n;
		const uint8_t *text = poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
		n = n < TEXT_SIZE - 1 ? n : TEXT_SIZE - 1;
		memcpy(stored->text, text, n);
		stored->text[n] = 0;
	}
}

/* Returns the last instruction of a context; NULL: out of memory. */
static struct defuse_row *
last_of(struct poly_defuse *defuse, uint64_t context)
{
	bool added;
	const uint64_t *known = map_find(&defuse->instructions, context);
	if (known)
		return &defuse->last[*known];
	if (!map_get(&defuse->instructions, context, defuse->last_count, &added))
		return NULL;
	if (!VEC_ROOM(defuse->last, defuse->last_capacity, defuse->last_count))
		return NULL;
	defuse->last[defuse->last_count] = (struct defuse_row){.context = context};
	return &defuse->last[defuse->last_count++];
}

/* Stores the answer. */
static void
store_answer(struct poly_defuse *defuse, const struct poly_batch *batch, size_t row)
{
	defuse->is_found = true;
	store_row(batch, row, &defuse->answer);
	const struct defuse_row *last = last_of(defuse, defuse->answer.context);
	defuse->failed |= !last;
	if (!last)
		return;
	defuse->instruction = *last;
	defuse->is_open = defuse->answer.has_time && last->record != defuse->answer.record &&
			  !(last->has_time && last->time == defuse->answer.time);
}

/* Stores the last instruction of each context. */
static void
store_instruction(struct poly_defuse *defuse, const struct poly_batch *batch, size_t row)
{
	struct defuse_row *last = last_of(defuse, context_key(batch, row));
	defuse->failed |= !last;
	if (!last)
		return;
	store_row(batch, row, last);
	if (!defuse->is_open || last->context != defuse->answer.context)
		return;
	/* A record before the instruction of the same time belongs to that instruction. */
	defuse->is_open = false;
	if (last->has_time && last->time == defuse->answer.time)
		defuse->instruction = *last;
}

bool
poly_defuse_update(struct poly_defuse *defuse, const struct poly_batch *batch)
{
	const bool is_reader = defuse->options.is_reader;
	for (size_t row = 0; row < batch->rows && !defuse->failed; row++) {
		const uint64_t number = poly_batch_number(batch, row);
		if (poly_present(batch, POLY_COLUMN_time, row))
			defuse->is_open &= batch->time[row] == defuse->answer.time;
		const bool is_over =
			is_reader ? defuse->is_found : number >= defuse->options.record;
		if (is_over && !defuse->is_open)
			return false;
		if (!poly_present(batch, POLY_COLUMN_kind, row))
			continue;
		if (batch->kind[row] == POLY_KIND_INSTRUCTION)
			store_instruction(defuse, batch, row);
		if (is_over || (is_reader && number <= defuse->options.record))
			continue;
		if (defuse->reg ? touches_register(defuse, batch, row)
				: touches_address(defuse, batch, row))
			store_answer(defuse, batch, row);
	}
	return !defuse->failed && (!is_reader || !defuse->is_found || defuse->is_open);
}

bool
poly_defuse_failed(const struct poly_defuse *defuse)
{
	return defuse->failed;
}

bool
poly_defuse_found(const struct poly_defuse *defuse)
{
	return defuse->is_found;
}

static void
report_instruction(
	const struct poly_defuse *defuse, unsigned digits, struct poly_report *report)
{
	const struct defuse_row *row = &defuse->instruction;
	if (!row->record)
		return;
	poly_report_count(report, "instruction_record", row->record);
	if (row->has_pc)
		poly_report_address(report, "pc", row->pc, digits);
	if (row->has_opcode)
		poly_report_address(report, "opcode", row->opcode,
			row->opcode_size && row->opcode_size <= 8 ? 2 * row->opcode_size : 1u);
	if (row->text[0])
		poly_report_text(report, "text", row->text);
}

void
poly_defuse_report(const struct poly_defuse *defuse, struct poly_report *report)
{
	const struct defuse_row *row = &defuse->answer;
	const unsigned bits = defuse->info->address_bits, digits = bits ? (bits + 3) / 4 : 1;
	struct buf context = {0};
	poly_report_section(report, "answer");
	if (defuse->is_found) {
		poly_report_count(report, "record", row->record);
		if (row->has_time)
			poly_report_count(report, "time", row->time);
		context_append_name(defuse->info, row->context, &context);
		poly_report_text(report, "context", context.size ? buf_text(&context) : NULL);
		if (row->has_reg)
			poly_report_text(
				report, "register", poly_trace_name(defuse->info, row->reg));
		if (row->has_access)
			poly_report_text(report, "access",
				poly_enum_name(POLY_FORM_ACCESS, row->access));
		if (row->has_address)
			poly_report_address(report, "address", row->address, digits);
		if (row->has_size)
			poly_report_count(report, "size", row->size);
		if (row->has_value)
			poly_report_address(report, "value", row->value,
				row->has_size && row->size && row->size <= 8 ? 2 * row->size
									     : 1u);
		report_instruction(defuse, digits, report);
	}
	poly_report_end(report);
	buf_free(&context);
}

void
poly_defuse_free(struct poly_defuse *defuse)
{
	if (!defuse)
		return;
	map_free(&defuse->instructions);
	mem_free(defuse->last);
	mem_free(defuse->reg);
	mem_free(defuse);
}
