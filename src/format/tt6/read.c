/* SPDX-License-Identifier: MIT */
/*
 * Reading Apple amber's TT6 and TT6E: streams of 32-bit words without magic, counts or marks.
 *
 *     file = initial PC , { escape | compute | flow | memory | extended } ;
 *
 * Reading never fails on content, as any words are a stream of records: so there is nothing to
 * resynchronise. What is wrong shows in branches that do not go where they should, which check
 * tells. A cut-off record at the end is a row "damaged".
 *
 * Chunks of rows are decoded by a loop that does nothing else (decode_run), straight into the
 * columns that hold words; a second pass (columns.c) adds presence bits and what follows
 * from the encoding. Escapes, the initial PC and the end of the input go through the plain
 * decoder, one at a time.
 *
 * spec: seed 000; reference amber 3, 4, 5.
 */
#include "format/tt6/tt6.h"

#include <string.h>

/* Bytes of payload after which a batch is given away, so that it stays small. */
#define ARENA_ENOUGH ((size_t)1 << 20)

#define RECORD_MOST 12 /* bytes of the longest instruction record */

static const char *const record_names[TT6_RECORD_COUNT] = {
	[TT6_IS_INITIAL_PC] = "initial_pc",
	[TT6_IS_COMPUTE] = "compute",
	[TT6_IS_FLOW] = "flow",
	[TT6_IS_MEMORY] = "memory",
	[TT6_IS_EXTENDED] = "extended",
	[TT6_IS_SIGNAL] = "signal",
	[TT6_IS_BROADCAST] = "broadcast",
	[TT6_IS_WAIT] = "wait",
	[TT6_IS_TRYWAIT] = "trywait",
	[TT6_IS_SEGMENT] = "segment",
	[TT6_IS_DATA_ADDRESS] = "data_address",
	[TT6_IS_CONDITION_REGISTER] = "condition_register",
	[TT6_IS_REAL_TARGET] = "real_target",
	[TT6_IS_REAL_ADDRESS] = "real_address",
	[TT6_IS_REAL_PC] = "real_pc",
	[TT6_IS_ESCAPE] = "escape",
	[TT6_IS_DAMAGED] = "damaged",
};

/* Facts that a writer needs to make the same file; the framework frees them. */
static bool
state_facts(struct reading *reading, const struct tt6 *state)
{
	return info_fact(reading->info, "amber.format", state->extended ? "tt6e" : "tt6") &&
	       (!state->little || info_fact(reading->info, "amber.endian", "le"));
}

static enum poly_status
open_as(struct reading *reading, bool extended, struct poly_error *error)
{
	struct tt6 *state = reading->state;
	state->extended = extended;
	state->count_is_plain = reading->options[TT6_OPTION_THIRD];
	tt6_tables_fill(&state->tables, extended, reading->options[TT6_OPTION_ZERO]);
	state->little = reading->options[TT6_OPTION_ENDIAN] == TT6_LITTLE;
	size_t have, want = 4;
	if (reading->options[TT6_OPTION_ENDIAN] == TT6_AUTO)
		want = TT6_ORDER_BYTES;
	const uint8_t *p = in_peek(reading->in, want, &have);
	if (reading->options[TT6_OPTION_ENDIAN] == TT6_AUTO)
		state->little = tt6_is_little(p, have);
	struct poly_trace_info *view = &reading->info->view;
	if (!extended)
		view->columns &= ~POLY_HAS(synthetic);
	view->isa = "powerpc";
	view->address_bits = 32;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->byte_order = state->little ? POLY_BYTE_ORDER_LITTLE : POLY_BYTE_ORDER_BIG;
	view->records = record_names;
	view->record_count = TT6_RECORD_COUNT;
	view->has_first_pc = have >= 4;
	view->first_pc = have >= 4 ? tt6_load(p, state->little) : 0;
	if (reading->check && !(state->check = tt6_check_new()))
		return err_memory(error);
	return state_facts(reading, state) ? POLY_OK : err_memory(error);
}

enum poly_status
tt6_open(struct reading *reading, struct poly_error *error)
{
	return open_as(reading, false, error);
}

enum poly_status
tt6e_open(struct reading *reading, struct poly_error *error)
{
	return open_as(reading, true, error);
}

/*
 * Decodes at most rows instructions from the front of p, which has enough bytes for as many;
 * fewer where an escape comes up. Returns the bytes used. The lengths of records hang on one
 * another: branches let the processor run ahead, which arithmetic on the length would not.
 */
static inline size_t
decode_run(struct tt6 *state, const uint8_t *p, size_t rows, bool little)
{
	struct tt6_rows *to = &state->rows;
	uint64_t *pcs = to->pc, *opcodes = to->opcode, *seconds = to->second;
	uint64_t *origins = to->origin, at = to->at;
	bool has_trap = false;
	size_t row = to->count, end = row + rows, i = 0;
	uint32_t pc = state->pc;
	while (row < end) {
		uint32_t opcode = tt6_load(p + i, little), second = tt6_load(p + i + 4, little);
		uint32_t fact = state->tables.fact[tt6_place(opcode)];
		pcs[row] = pc;
		opcodes[row] = opcode;
		seconds[row] = second;
		origins[row] = at + i;
		to->fact[row] = fact;
		if (!(fact & (TT6_HAS_ADDRESS | TT6_HAS_NEXT))) {
			if (!fact)
				break;
			row++;
			pc += 4;
			i += 4;
			continue;
		}
		pc += 4;
		if (fact & TT6_HAS_NEXT) {
			pc = second;
			has_trap |= second == TT6_TRAP;
		} else if (fact & TT6_HAS_THIRD) {
			to->value[row] = tt6_load(p + i + 8, little);
			i += 4;
		}
		row++;
		i += 8;
	}
	to->count = row;
	to->at = at + i;
	to->has_trap |= has_trap;
	state->pc = pc;
	return i;
}

/* Not inlined, so that the loop has the registers for itself. */
static __attribute__((noinline)) size_t
decode_big(struct tt6 *state, const uint8_t *p, size_t rows)
{
	return decode_run(state, p, rows, false);
}

static __attribute__((noinline)) size_t
decode_little(struct tt6 *state, const uint8_t *p, size_t rows)
{
	return decode_run(state, p, rows, true);
}

/* A row for bytes of the input that are no instruction; its columns are filled later. */
static struct tt6_special *
add_special(struct tt6 *state, enum tt6_record_name name, size_t length)
{
	struct tt6_rows *rows = &state->rows;
	struct tt6_special *special = &state->specials[state->special_count++];
	*special = (struct tt6_special){.row = (uint16_t)rows->count, .name = (uint8_t)name};
	rows->fact[rows->count] = 0;
	rows->origin[rows->count] = rows->at;
	rows->count++;
	rows->at += length;
	return special;
}

static void
add_instruction(struct tt6 *state, const struct tt6_record *record)
{
	struct tt6_rows *rows = &state->rows;
	size_t row = rows->count++;
	rows->pc[row] = state->pc;
	rows->opcode[row] = record->opcode;
	rows->second[row] = record->second;
	rows->value[row] = record->third;
	rows->origin[row] = rows->at;
	rows->fact[row] = state->tables.fact[tt6_place(record->opcode)];
	rows->has_trap |= record->shape == TT6_FLOW && record->second == TT6_TRAP;
	rows->at += record->length;
	state->pc = record->shape == TT6_FLOW ? record->second : state->pc + 4;
}

/* What a row is reached by while it is decoded: the chunk begins at row base of the batch. */
struct filling {
	struct reading *reading;
	struct batch *batch;
	size_t base;
};

static void
found(const struct filling *filling, enum tt6_rule rule, const char *message, uint64_t detail)
{
	const struct tt6 *state = filling->reading->state;
	uint64_t row = filling->base + state->rows.count;
	findings_add(filling->reading->findings, rule, filling->reading->record + row + 1,
		state->rows.at, message, (unsigned long long)detail);
}

/* The payload as big-endian words, whatever the order in the file. */
static void
put_payload(const struct filling *filling, const uint8_t *p, size_t n)
{
	const struct tt6 *state = filling->reading->state;
	struct batch *batch = filling->batch;
	size_t row = filling->base + state->rows.count;
	uint8_t word[4];
	batch_put_bytes(batch, POLY_COLUMN_payload, row, p, state->little ? 0 : n);
	if (!batch->view.payload || !state->little)
		return;
	for (size_t i = 0; i < n; i += 4) {
		store_be32(word, load_le32(p + i));
		buf_append(&batch->arena, word, 4);
	}
	batch->view.payload[row].length = (uint32_t)n;
}

static enum tt6_record_name
escape_name(unsigned code, uint32_t count)
{
	int sync = tt6_sync(code);
	if (sync >= 0 && count == 2)
		return (enum tt6_record_name)(TT6_IS_SIGNAL + sync);
	if (code > TT6_CODE_LAST_CONTEXT || (code == TT6_CODE_SEGMENT && count == 0))
		return TT6_IS_ESCAPE;
	return (enum tt6_record_name)(TT6_IS_SEGMENT + code);
}

/* escape = word(top 6 bits 0) , count * word */
static void
add_escape(const struct filling *filling, const uint8_t *p, const struct tt6_record *record)
{
	struct tt6 *state = filling->reading->state;
	unsigned code = tt6_code(record->opcode);
	uint32_t count = tt6_count(record->opcode);
	bool is_sync = tt6_sync(code) >= 0 && count == 2;
	bool is_value = code >= TT6_CODE_DATA_ADDRESS && code <= TT6_CODE_LAST_CONTEXT &&
			(count == 1 || count == 2);
	/* A high word of 0 would be lost in value. */
	if (!is_sync && (!is_value || (count == 2 && record->second == 0)))
		put_payload(filling, p + 4, 4 * (size_t)count);
	struct tt6_special *special =
		add_special(state, escape_name(code, count), record->length);
	special->code = (uint16_t)code;
	special->is_value = is_sync || is_value;
	special->address = record->second;
	special->value = record->second;
	if (is_sync)
		special->value = record->third;
	else if (count == 2)
		special->value = (uint64_t)record->second << 32 | record->third;
}

/* What is left of the input is not a whole record. */
static void
add_damaged(const struct filling *filling, size_t needed)
{
	struct tt6 *state = filling->reading->state;
	struct in *in = filling->reading->in;
	size_t have;
	const uint8_t *p = in_peek(in, needed, &have);
	if (in_status(in, NULL) == POLY_END) {
		if (have >= 4)
			found(filling, TT6_A02,
				"the last record is cut off: %llu bytes are missing",
				needed - have);
		if (have % 4)
			found(filling, TT6_A01, "the last word has %llu of its 4 bytes",
				have % 4);
	}
	batch_put_bytes(
		filling->batch, POLY_COLUMN_raw, filling->base + state->rows.count, p, have);
	add_special(state, TT6_IS_DAMAGED, have);
	in_consume(in, have);
}

static void
add_initial_pc(const struct filling *filling, const uint8_t *p)
{
	struct tt6 *state = filling->reading->state;
	state->pc = tt6_load(p, state->little);
	state->started = true;
	if (state->pc % 4)
		found(filling, TT6_A03, "the initial PC is 0x%llx, expected a multiple of 4",
			state->pc);
	add_special(state, TT6_IS_INITIAL_PC, 4)->value = state->pc;
	in_consume(filling->reading->in, 4);
}

/* One record of any kind; false at the end of the input. */
static bool
add_record(const struct filling *filling)
{
	struct tt6 *state = filling->reading->state;
	struct in *in = filling->reading->in;
	struct tt6_record record = {.length = 4};
	size_t have;
	const uint8_t *p = in_peek(in, 4, &have);
	if (have == 0)
		return false;
	if (!state->started && have >= 4) {
		add_initial_pc(filling, p);
		return true;
	}
	while (!tt6_decode(&state->tables, state->little, p, have, &record)) {
		size_t before = record.length;
		p = in_peek(in, before, &have);
		if (have < before) {
			add_damaged(filling, before);
			return true;
		}
	}
	if (record.shape == TT6_ESCAPE)
		add_escape(filling, p, &record);
	else
		add_instruction(state, &record);
	in_consume(in, record.length);
	return true;
}

/* Empty rows that go to the columns of the batch, or to scratch. */
static void
place_rows(struct tt6 *state, const struct poly_batch *view, size_t base)
{
	struct tt6_rows *rows = &state->rows;
	rows->count = 0;
	rows->has_trap = false;
	rows->pc = view->pc ? view->pc + base : rows->scratch[0];
	rows->opcode = view->opcode ? view->opcode + base : rows->scratch[1];
	rows->second = view->address   ? view->address + base
		       : view->next_pc ? view->next_pc + base
				       : rows->scratch[2];
	rows->value = view->value ? view->value + base : rows->scratch[3];
	rows->origin = view->origin ? view->origin + base : rows->scratch[4];
	state->special_count = 0;
}

/* Decodes up to limit rows; false where no row after them fits the batch. */
static bool
fill_rows(const struct filling *filling, size_t limit)
{
	struct tt6 *state = filling->reading->state;
	struct in *in = filling->reading->in;
	place_rows(state, &filling->batch->view, filling->base);
	state->special_count = 0;
	state->rows.at = in_offset(in);
	while (state->rows.count < limit) {
		size_t have, used = 0;
		const uint8_t *p = in_peek(in, RECORD_MOST, &have);
		size_t rows = limit - state->rows.count;
		if (rows > have / RECORD_MOST)
			rows = have / RECORD_MOST;
		if (state->started)
			used = state->little ? decode_little(state, p, rows)
					     : decode_big(state, p, rows);
		in_consume(in, used);
		if (!used && !add_record(filling))
			return false;
		if (filling->batch->arena.size > ARENA_ENOUGH)
			return false;
	}
	return true;
}

/* The opcode of the record to come, where it may complete a synthetic pair and is whole. */
static uint32_t
look_ahead(const struct reading *reading)
{
	const struct tt6 *state = reading->state;
	size_t have, count = state->rows.count;
	if (!state->extended || !state->rows.has_trap || !count ||
		state->rows.second[count - 1] != TT6_TRAP)
		return 0;
	const uint8_t *p = in_peek(reading->in, 8, &have);
	return have >= 8 ? tt6_load(p, state->little) : 0;
}

enum poly_status
tt6_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	(void)error;
	struct tt6 *state = reading->state;
	struct filling filling = {reading, batch, 0};
	bool more = true;
	while (more && filling.base < batch->capacity) {
		size_t limit = batch->capacity - filling.base;
		more = fill_rows(&filling, limit < TT6_CHUNK ? limit : TT6_CHUNK);
		tt6_columns(state, batch, filling.base, look_ahead(reading));
		filling.base += state->rows.count;
	}
	batch->view.rows = filling.base;
	batch_all_present(batch, POLY_COLUMN_kind);
	batch_all_present(batch, POLY_COLUMN_record);
	batch_all_present(batch, POLY_COLUMN_origin);
	if (filling.base)
		return POLY_OK;
	if (in_offset(reading->in) == 0)
		findings_add(reading->findings, TT6_A01, 0, 0,
			"the file is empty, expected at least the 4 bytes of the initial PC");
	return POLY_END;
}

void
tt6_close(struct reading *reading)
{
	struct tt6 *state = reading->state;
	tt6_check_free(state->check);
}
