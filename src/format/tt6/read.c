/* SPDX-License-Identifier: MIT */
/*
 * Reading Apple amber's TT6 and TT6E: streams of 32-bit words without magic, counts or markers.
 *
 *     file = [ initial PC , { escape | compute | flow | memory | extended } ] ;
 *
 * Any words are a stream of records: reading never fails on content, and never needs to
 * resynchronise. Corrupt data shows as branches that do not lead to their target, which check
 * reports. A truncated record at the end becomes a row "corrupt".
 *
 * Chunks of rows are decoded by a minimal loop (decode_run), directly into the columns that
 * hold words; a second pass (columns.c) adds presence bits and whatever the encoding
 * determines. The plain decoder handles escapes, the initial PC and the end of the input, one
 * record at a time.
 *
 * spec: TT6 trace format; Apple amber traces 3, 4, 5.
 */
#include "format/tt6/tt6.h"

#include <string.h>

/* Maximum bytes of payload in a batch, which keeps it small. */
#define ARENA_MAX ((size_t)1 << 20)

#define RECORD_MAX 12 /* bytes of the longest instruction record */

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
	[TT6_IS_SEGMENT] = "segment_register",
	[TT6_IS_DATA_ADDRESS] = "data_address",
	[TT6_IS_CONDITION_REGISTER] = "condition_register",
	[TT6_IS_REAL_TARGET] = "real_target",
	[TT6_IS_REAL_ADDRESS] = "real_address",
	[TT6_IS_REAL_PC] = "real_pc",
	[TT6_IS_ESCAPE] = "escape",
	[TT6_IS_CORRUPT] = "corrupt",
};

/* Adds the facts that a writer needs to reproduce the file; the framework frees them. */
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
		view->columns = poly_columns_minus(view->columns, POLY_COLUMNS(synthetic));
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
 * Decodes at most rows instructions from p, which has enough bytes for them; stops at an
 * escape. Returns the bytes consumed. Each record's length depends on its opcode: a branch on
 * it can be predicted, whereas arithmetic on the length would serialise the loop.
 */
static inline size_t
decode_run(struct tt6 *state, const uint8_t *p, size_t rows, bool little)
{
	struct tt6_rows *dst = &state->rows;
	uint64_t *pcs = dst->pc, *opcodes = dst->opcode, *seconds = dst->second;
	uint64_t *origins = dst->origin, at = dst->at;
	bool has_trap = false;
	size_t row = dst->count, end = row + rows, i = 0;
	uint32_t pc = state->pc;
	while (row < end) {
		uint32_t opcode = tt6_load(p + i, little), second = tt6_load(p + i + 4, little);
		uint32_t fact = state->tables.fact[tt6_index(opcode)];
		pcs[row] = pc;
		opcodes[row] = opcode;
		seconds[row] = second;
		origins[row] = at + i;
		dst->fact[row] = fact;
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
			dst->value[row] = tt6_load(p + i + 8, little);
			i += 4;
		}
		row++;
		i += 8;
	}
	dst->count = row;
	dst->at = at + i;
	dst->has_trap |= has_trap;
	state->pc = pc;
	return i;
}

/* Not inlined, so that the loop can use all registers. */
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

/* Appends a row for bytes that are not an instruction; its columns are filled later. */
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
	rows->fact[row] = state->tables.fact[tt6_index(record->opcode)];
	rows->has_trap |= record->shape == TT6_FLOW && record->second == TT6_TRAP;
	rows->at += record->length;
	state->pc = record->shape == TT6_FLOW ? record->second : state->pc + 4;
}

/* The chunk being decoded, which starts at row base of the batch. */
struct tt6_filling {
	struct reading *reading;
	struct batch *batch;
	size_t base;
};

static void
found(const struct tt6_filling *filling, enum tt6_rule rule, const char *message,
	uint64_t detail)
{
	const struct tt6 *state = filling->reading->state;
	uint64_t row = filling->base + state->rows.count;
	findings_add(filling->reading->findings, rule, filling->reading->record + row + 1,
		state->rows.at, message, (unsigned long long)detail);
}

/* Reports that the input ends within the current record. */
static void
found_truncation(const struct tt6_filling *filling, enum tt6_rule rule, const char *message,
	uint64_t detail)
{
	const struct tt6 *state = filling->reading->state;
	uint64_t row = filling->base + state->rows.count;
	findings_add_truncation(filling->reading->findings, rule,
		filling->reading->record + row + 1, state->rows.at, message,
		(unsigned long long)detail);
}

/* Stores the payload as big-endian words, independent of the file's order. */
static void
put_payload(const struct tt6_filling *filling, const uint8_t *p, size_t n)
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
add_escape(const struct tt6_filling *filling, const uint8_t *p, const struct tt6_record *record)
{
	struct tt6 *state = filling->reading->state;
	unsigned code = tt6_code(record->opcode);
	uint32_t count = tt6_count(record->opcode);
	bool is_sync = tt6_sync(code) >= 0 && count == 2;
	bool is_value = code <= TT6_CODE_LAST_CONTEXT && (count == 1 || count == 2);
	/* value would lose a high word of 0. */
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

/* Appends the incomplete record at the end of the input. */
static void
add_truncated(const struct tt6_filling *filling, size_t needed)
{
	struct tt6 *state = filling->reading->state;
	struct in *in = filling->reading->in;
	size_t have;
	const uint8_t *p = in_peek(in, needed, &have);
	if (in_ended(in)) {
		if (have >= 4)
			found_truncation(filling, TT6_A02,
				"the last record is truncated: %llu bytes are missing",
				needed - have);
		else
			found_truncation(filling, TT6_A01,
				"the last word has %llu of its 4 bytes", have);
		if (have > 4 && have % 4)
			found(filling, TT6_A01, "the last word has %llu of its 4 bytes",
				have % 4);
	}
	batch_put_bytes(
		filling->batch, POLY_COLUMN_raw, filling->base + state->rows.count, p, have);
	add_special(state, TT6_IS_CORRUPT, have);
	in_consume(in, have);
}

static void
add_initial_pc(const struct tt6_filling *filling, const uint8_t *p)
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

/* Decodes one record of any kind; returns false at the end of the input. */
static bool
add_record(const struct tt6_filling *filling)
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
		size_t needed = record.length;
		p = in_peek(in, needed, &have);
		if (have < needed) {
			add_truncated(filling, needed);
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

/* Directs empty rows to the columns of the batch, or to scratch. */
static void
direct_rows(struct tt6 *state, const struct poly_batch *view, size_t base)
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

/* Decodes up to limit rows; returns false if the batch is complete. */
static bool
fill_rows(const struct tt6_filling *filling, size_t limit)
{
	struct tt6 *state = filling->reading->state;
	struct in *in = filling->reading->in;
	direct_rows(state, &filling->batch->view, filling->base);
	state->special_count = 0;
	state->rows.at = in_offset(in);
	while (state->rows.count < limit) {
		size_t have, used = 0;
		/* One byte: a longer peek would go beyond a split point. */
		const uint8_t *p = in_peek(in, 1, &have);
		size_t rows = limit - state->rows.count;
		if (rows > have / RECORD_MAX)
			rows = have / RECORD_MAX;
		if (state->started)
			used = state->little ? decode_little(state, p, rows)
					     : decode_big(state, p, rows);
		in_consume(in, used);
		if (!used && !add_record(filling))
			return false;
		if (filling->batch->arena.size > ARENA_MAX)
			return false;
	}
	return true;
}

/* Returns the opcode of the next record if it may complete a synthetic pair and is complete, or
 * 0. */
static uint32_t
peek_opcode(const struct reading *reading)
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
	struct tt6_filling filling = {reading, batch, 0};
	bool has_room = true;
	while (has_room && filling.base < batch->capacity) {
		size_t limit = batch->capacity - filling.base;
		has_room = fill_rows(&filling, limit < TT6_CHUNK ? limit : TT6_CHUNK);
		tt6_columns(state, batch, filling.base, peek_opcode(reading));
		filling.base += state->rows.count;
	}
	batch->view.rows = filling.base;
	batch_all_present(batch, POLY_COLUMN_kind);
	batch_all_present(batch, POLY_COLUMN_record);
	batch_all_present(batch, POLY_COLUMN_origin);
	return filling.base ? POLY_OK : POLY_END;
}

void
tt6_close(struct reading *reading)
{
	struct tt6 *state = reading->state;
	tt6_check_free(state->check);
}
