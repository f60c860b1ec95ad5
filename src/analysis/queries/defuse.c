/* SPDX-License-Identifier: MIT */
/*
 * Def-use query: the last writer of a register or address before a record, or the next reader
 * after one.
 *
 * Register records write registers. In traces without them, instructions of known instruction
 * sets do; they also read registers. Any record with an access and an address accesses memory,
 * of the given size or else 1 byte.
 */
#include "analysis/core/analysis.h"

#include "model/context.h"
#include "analysis/facts/row_isa.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "effects/effects.h"

#include <ctype.h>
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

struct defuse {
	const char *reg;  /* name in any case; NULL: query the address */
	bool has_address; /* false: any address */
	uint64_t address; /* in bytes */
	bool is_reader;	  /* the first reader after record, else the last writer before it */
	uint64_t record;
	unsigned digits;		 /* of addresses */
	bool by_opcode;			 /* instructions identify registers, not records */
	struct isa_registers wanted;	 /* registers of the query */
	poly_columns columns;		 /* to read of the trace */
	struct row_isa isa;		 /* of the trace, with by_opcode */
	struct map instructions;	 /* index of last, by context */
	struct defuse_row *last;	 /* the last instruction of each context */
	uint32_t last_count, last_capacity;
	bool is_found, failed;
	bool is_complete; /* no further row can change the answer */
	bool is_open;	  /* the answer can belong to its context's next instruction */
	bool is_new;	  /* the answer's names are not yet stored */
	struct defuse_row answer, instruction; /* instruction: record 0: none */
	struct buf context_name, reg_name;     /* of the answer, with their NUL */
};

extern const struct analysis analysis_defuse;

enum { OPTION_REGISTER, OPTION_ADDRESS, OPTION_BEFORE, OPTION_AFTER };

/* Parses an address or the name of a symbol. */
static enum poly_status
parse_address(struct defuse *defuse, const char *text, const struct poly_symbols *symbols,
	struct poly_error *error)
{
	const struct poly_symbol *symbol =
		symbols ? poly_symbols_named(symbols, text, strlen(text)) : NULL;
	defuse->has_address = true;
	defuse->address = symbol ? symbol->address : 0;
	if (symbol || num_parse(text, strlen(text), &defuse->address))
		return POLY_OK;
	return err_usage(
		error, "'%.60s' is not an address%s", text, symbols ? " or symbol" : "");
}

static enum poly_status
defuse_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct defuse *defuse = state;
	const bool *given = setup->given;
	if (given[OPTION_REGISTER] && given[OPTION_ADDRESS])
		return err_usage(
			error, "'defuse.register' and 'defuse.address' exclude each other");
	if (given[OPTION_BEFORE] && given[OPTION_AFTER])
		return err_usage(
			error, "'defuse.before' and 'defuse.after' exclude each other");
	defuse->reg = setup->texts[OPTION_REGISTER];
	defuse->is_reader = given[OPTION_AFTER];
	defuse->record = UINT64_MAX;
	if (given[OPTION_BEFORE] || given[OPTION_AFTER])
		defuse->record =
			setup->values[defuse->is_reader ? OPTION_AFTER : OPTION_BEFORE];
	return given[OPTION_ADDRESS] ? parse_address(defuse, setup->texts[OPTION_ADDRESS],
					       setup->symbols, error)
				     : POLY_OK;
}

/* Compares names, ignoring case. */
static bool
is_same_name(const char *a, const char *b)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
		a++, b++;
	return *a == *b;
}

/* Fails if the trace cannot answer the query. */
static enum poly_status
defuse_check(void *state, const struct poly_trace_info *info, struct poly_error *error)
{
	struct defuse *defuse = state;
	const char *list = POLY_HAS(info->columns, opcode) && row_isa_name(info) != NULL
				   ? isa_register_list(info->isa)
				   : NULL;
	const poly_columns accesses = POLY_COLUMNS_INIT(access, address);
	if (!defuse->reg) {
		if (poly_columns_subset(accesses, info->columns))
			return POLY_OK;
		return err_usage(error,
			"the trace has no memory accesses (columns 'access' and 'address')");
	}
	/* States show only writes that change a register. */
	defuse->by_opcode = list && (defuse->is_reader || !POLY_HAS(info->columns, reg) ||
					    effects_has_states(info));
	if (defuse->by_opcode && !isa_registers_named(info->isa, defuse->reg, &defuse->wanted))
		return err_usage(
			error, "no such register '%.40s', expected %s", defuse->reg, list);
	if (defuse->by_opcode || (!defuse->is_reader && POLY_HAS(info->columns, reg)))
		return POLY_OK;
	return err_usage(error, "the trace does not identify the registers that are %s",
		defuse->is_reader ? "read" : "written");
}

static void
defuse_begin(void *state, const struct poly_trace_info *info)
{
	struct defuse *defuse = state;
	defuse->digits = info->address_bits ? (info->address_bits + 3) / 4 : 1;
	row_isa_begin(&defuse->isa, info);
	defuse->columns = poly_columns_minus(
		poly_columns_union(analysis_defuse.info.needs, analysis_defuse.info.wants),
		POLY_COLUMNS(payload, instruction_set));
	if (defuse->by_opcode)
		defuse->columns = poly_columns_union(defuse->columns, row_isa_columns(info));
	map_free(&defuse->instructions);
	defuse->last_count = 0;
	defuse->is_open = false;
}

/* Whether the instruction of a row accesses a register of the query. */
static bool
has_register(struct defuse *defuse, const struct poly_batch *batch, size_t row)
{
	struct isa_instruction room;
	const struct isa_instruction *found =
		row_isa_describe(&defuse->isa, batch, row, &room, &defuse->failed);
	if (!found || !found->has_registers)
		return false;
	const struct isa_registers *set = defuse->is_reader ? &found->reads : &found->writes;
	return (set->bits[0] & defuse->wanted.bits[0]) ||
	       (set->bits[1] & defuse->wanted.bits[1]);
}

static bool
touches_register(struct defuse *defuse, const struct poly_batch *batch, size_t row)
{
	if (defuse->by_opcode)
		return batch->kind[row] == POLY_KIND_INSTRUCTION &&
		       has_register(defuse, batch, row);
	if (batch->kind[row] != POLY_KIND_REGISTER ||
		!poly_present(batch, POLY_COLUMN_reg, row))
		return false;
	const char *name = poly_trace_name(batch->info, batch->reg[row]);
	return name && is_same_name(name, defuse->reg);
}

static poly_columns
defuse_columns(const void *state)
{
	return ((const struct defuse *)state)->columns;
}

static bool
touches_address(const struct defuse *defuse, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return false;
	const unsigned access = batch->access[row];
	const unsigned wanted = defuse->is_reader ? POLY_ACCESS_READ : POLY_ACCESS_WRITE;
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	return access == wanted &&
	       (!defuse->has_address || defuse->address - batch->address[row] < size);
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
last_of(struct defuse *defuse, uint64_t context)
{
	bool added;
	const uint64_t *known = map_find(&defuse->instructions, context);
	if (known)
		return &defuse->last[*known];
	/* Room first: a key without an element would outlive the failure. */
	if (!VEC_ROOM(defuse->last, defuse->last_capacity, defuse->last_count) ||
		!map_get(&defuse->instructions, context, defuse->last_count, &added))
		return NULL;
	defuse->last[defuse->last_count] = (struct defuse_row){.context = context};
	return &defuse->last[defuse->last_count++];
}

/* Stores the answer. */
static void
store_answer(struct defuse *defuse, const struct poly_batch *batch, size_t row)
{
	defuse->is_found = defuse->is_new = true;
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
store_instruction(struct defuse *defuse, const struct poly_batch *batch, size_t row)
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

/* Stores the names of a new answer, which the trace need not outlive. */
static void
store_names(struct defuse *defuse, const struct poly_trace_info *info)
{
	struct buf *context = &defuse->context_name, *reg = &defuse->reg_name;
	const char *name = NULL;
	if (defuse->answer.has_reg)
		name = poly_trace_name(info, defuse->answer.reg);
	buf_clear(context);
	buf_clear(reg);
	context_append_name(info, defuse->answer.context, context);
	buf_byte(context, 0);
	buf_string(reg, name ? name : "");
	buf_byte(reg, 0);
	defuse->failed |= context->failed || reg->failed;
	defuse->is_new = false;
}

/* Reads a row; sets is_complete if it is past those that matter. */
static void
read_row(struct defuse *defuse, const struct poly_batch *batch, size_t row)
{
	const uint64_t number = poly_batch_number(batch, row);
	if (poly_present(batch, POLY_COLUMN_time, row))
		defuse->is_open &= batch->time[row] == defuse->answer.time;
	const bool is_over = defuse->is_reader ? defuse->is_found : number >= defuse->record;
	defuse->is_complete = is_over && !defuse->is_open;
	if (defuse->is_complete || !poly_present(batch, POLY_COLUMN_kind, row))
		return;
	if (batch->kind[row] == POLY_KIND_INSTRUCTION)
		store_instruction(defuse, batch, row);
	if (is_over || (defuse->is_reader && number <= defuse->record))
		return;
	if (defuse->reg ? touches_register(defuse, batch, row)
			: touches_address(defuse, batch, row))
		store_answer(defuse, batch, row);
}

static bool
defuse_update(void *state, const struct analysis_rows *rows)
{
	struct defuse *defuse = state;
	for (size_t row = 0; row < rows->batch->rows && !defuse->is_complete && !defuse->failed;
		row++)
		read_row(defuse, rows->batch, row);
	defuse->is_complete |= defuse->is_reader && defuse->is_found && !defuse->is_open;
	if (defuse->is_new)
		store_names(defuse, rows->batch->info);
	return !defuse->failed;
}

static enum poly_status
defuse_status(const void *state, struct poly_error *error)
{
	(void)error;
	return ((const struct defuse *)state)->is_complete ? POLY_END : POLY_OK;
}

static enum poly_status
defuse_finish(void *state, struct poly_error *error)
{
	(void)error;
	return ((const struct defuse *)state)->is_found ? POLY_OK : POLY_END;
}

/* Adds the instruction of the answer. */
static void
report_instruction(const struct defuse *defuse, struct poly_report *report)
{
	const struct defuse_row *row = &defuse->instruction;
	if (!row->record)
		return;
	poly_report_count(report, "instruction_record", row->record);
	if (row->has_pc)
		poly_report_address(report, "pc", row->pc, defuse->digits);
	if (row->has_opcode)
		poly_report_address(report, "opcode", row->opcode,
			row->opcode_size && row->opcode_size <= 8 ? 2 * row->opcode_size : 1u);
	if (row->text[0])
		poly_report_text(report, "text", row->text);
}

/* Returns a stored name; NULL: empty. */
static const char *
name_or_null(const struct buf *name)
{
	return *name->data ? (const char *)name->data : NULL;
}

/*
 * Writes a section "answer", empty without an answer: record, time, context, register, access,
 * address, size and value, if present; instruction_record (of the last instruction of that
 * context up to the record), and its pc, opcode and text.
 */
static void
defuse_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct defuse *defuse = state;
	const struct defuse_row *row = &defuse->answer;
	(void)ops;
	poly_report_section(report, "answer");
	if (defuse->is_found) {
		poly_report_count(report, "record", row->record);
		if (row->has_time)
			poly_report_count(report, "time", row->time);
		poly_report_text(report, "context", name_or_null(&defuse->context_name));
		if (row->has_reg)
			poly_report_text(report, "register", name_or_null(&defuse->reg_name));
		if (row->has_access)
			poly_report_text(report, "access",
				poly_enum_name(POLY_FORM_ACCESS, row->access));
		if (row->has_address)
			poly_report_address(report, "address", row->address, defuse->digits);
		if (row->has_size)
			poly_report_count(report, "size", row->size);
		if (row->has_value)
			poly_report_address(report, "value", row->value,
				row->has_size && row->size && row->size <= 8 ? 2 * row->size
									     : 1u);
		report_instruction(defuse, report);
	}
	poly_report_end(report);
}

static void
defuse_fini(void *state)
{
	struct defuse *defuse = state;
	row_isa_fini(&defuse->isa);
	map_free(&defuse->instructions);
	mem_free(defuse->last);
	buf_free(&defuse->context_name);
	buf_free(&defuse->reg_name);
}

static const struct poly_option options[] = {
	[OPTION_REGISTER] = {.name = "defuse.register",
		.type = POLY_OPTION_TEXT,
		.use = POLY_OPTION_READ,
		.help = "find accesses to a register by its name, in any case"},
	[OPTION_ADDRESS] = {.name = "defuse.address",
		.type = POLY_OPTION_TEXT,
		.use = POLY_OPTION_READ,
		.help = "find accesses to an address or symbol (default: any address)"},
	[OPTION_BEFORE] = {.name = "defuse.before",
		.type = POLY_OPTION_NUMBER,
		.use = POLY_OPTION_READ,
		.initial = UINT64_MAX,
		.maximum = UINT64_MAX,
		.help = "find the last writer before this record"},
	[OPTION_AFTER] = {.name = "defuse.after",
		.type = POLY_OPTION_NUMBER,
		.use = POLY_OPTION_READ,
		.maximum = UINT64_MAX,
		.help = "find the first reader after this record, if set"},
	{0},
};

/* No merge: the instruction of an access depends on the order of all records. */
const struct analysis analysis_defuse = {
	.info = {.name = "defuse",
		.title = "Def-use query",
		.summary = "last writer or next reader of a register or address",
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(CONTEXT_COLUMNS, time, pc, opcode, opcode_size,
			access, address, size, value, reg, text, payload, instruction_set),
		.kind = POLY_ANALYSIS_QUERY,
		.options = options},
	.ordered = "a value may be defined by any preceding record",
	.state_size = sizeof(struct defuse),
	.check = defuse_check,
	.columns = defuse_columns,
	.init = defuse_init,
	.begin = defuse_begin,
	.update = defuse_update,
	.status = defuse_status,
	.separates_effects = true,
	.finish = defuse_finish,
	.report = defuse_report,
	.fini = defuse_fini,
};
