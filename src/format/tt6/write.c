/* SPDX-License-Identifier: MIT */
/*
 * Writing TT6 and TT6E from any rows with pc and opcode.
 *
 * A record that states the next PC is completed by the next instruction: the record and all
 * that follows are buffered until then. The same applies to the initial PC if the source has no
 * row for it, and to the synthetic pair of a twi.
 *
 * spec: TT6 trace format; Apple amber traces 3/14, 3/17, 3/18, 4.6, 4.8, 6.
 */
#include "format/tt6/tt6.h"

#include "model/attached.h"
#include "model/context.h"

#include <string.h>

/* Maximum bytes buffered after an incomplete record. */
#define BUFFERED_MAX ((size_t)16 << 20)

#define PAIR_BYTES 20 /* twi and its synthetic pair */

static enum poly_status
wopen_as(struct writing *writing, bool extended)
{
	struct tt6_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	const char *endian = poly_trace_fact(source, "amber.endian");
	const char *format = poly_trace_fact(source, "amber.format");
	uint64_t order = writing->options[TT6_OPTION_ENDIAN];
	writer->same_family = writing->own_raw;
	writer->extended = extended;
	writer->adds_pairs = extended && (!format || strcmp(format, "tt6e") != 0);
	writer->source_is_tt6 = format && strcmp(format, "tt6") == 0;
	writer->missing_is_zero = writing->options[TT6_OPTION_MISSING];
	writer->little = order == TT6_LITTLE;
	if (order == TT6_AUTO)
		writer->little = writer->same_family && endian && strcmp(endian, "le") == 0;
	if (POLY_HAS(source->columns, escape))
		writing->uses =
			poly_columns_union(writing->uses, POLY_COLUMNS(CONTEXT_COLUMNS));
	tt6_tables_fill(&writer->tables, extended, true);
	return POLY_OK;
}

enum poly_status
tt6_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	return wopen_as(writing, false);
}

enum poly_status
tt6e_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	return wopen_as(writing, true);
}

/* Makes the next record incomplete: its last word is set by the next instruction. */
static void
begin_incomplete(struct writing *writing, enum tt6_missing missing)
{
	struct tt6_writer *writer = writing->state;
	/* A cached row cannot be incomplete. */
	writing_no_cache(writing);
	if (writing->cache)
		return;
	writer->missing = missing;
	writing->context |= TT6_INCOMPLETE;
}

/* Returns the bytes of the incomplete record. */
static size_t
incomplete_length(const struct tt6_writer *writer)
{
	switch (writer->missing) {
	case TT6_MISSING_INITIAL_PC: return 4;
	case TT6_MISSING_NEXT_PC: return 8;
	case TT6_MISSING_TRAP_RETURN: return PAIR_BYTES;
	case TT6_MISSING_NONE: break;
	}
	return 0;
}

/* Writes the buffered bytes. */
static void
flush_bytes(struct writing *writing)
{
	struct tt6_writer *writer = writing->state;
	writer->missing = TT6_MISSING_NONE;
	writing->context &= ~TT6_INCOMPLETE;
	out_write(writing->out, writer->bytes.data, writer->bytes.size);
	buf_clear(&writer->bytes);
}

/* Sets the last word of the incomplete record and writes it. */
static void
complete_record(struct writing *writing, uint32_t pc)
{
	struct tt6_writer *writer = writing->state;
	if (writer->missing == TT6_MISSING_NONE)
		return;
	if (!writer->bytes.failed)
		tt6_store_word(writer, writer->bytes.data + incomplete_length(writer) - 4, pc);
	flush_bytes(writing);
}

/* Drops the incomplete record, and preserves what follows it. */
static void
drop_incomplete(struct tt6_writer *writer)
{
	const size_t length = incomplete_length(writer);
	memmove(writer->bytes.data, writer->bytes.data + length, writer->bytes.size - length);
	writer->bytes.size -= length;
}

/* Returns an integer of a row as a word. */
static uint32_t
word_of(struct writing *writing, uint64_t value)
{
	if (value >> 32)
		writing_note(writing, "addresses and values truncated to 32 bits");
	return (uint32_t)value;
}

/* Reserves the initial PC's word, before anything else is written. */
static void
reserve_initial_pc(struct writing *writing)
{
	struct tt6_writer *writer = writing->state;
	if (writer->started)
		return;
	writer->started = true;
	begin_incomplete(writing, TT6_MISSING_INITIAL_PC);
	tt6_put_word(writing, 0);
}

/* Writes a splice: the execution up to this PC is not in the trace (Apple amber traces 3/14).
 */
static void
put_splice(struct writing *writing, uint32_t pc)
{
	tt6_put_word(writing, TT6_SPLICE);
	tt6_put_word(writing, pc);
}

/* Writes the file's initial PC, or splices on a further trace. */
static void
write_initial_pc(struct writing *writing, uint64_t value)
{
	struct tt6_writer *writer = writing->state;
	uint32_t pc = word_of(writing, value);
	/* A splice to the PC that is expected would be a branch. */
	const bool is_expected =
		writer->missing == TT6_MISSING_INITIAL_PC ||
		(writing->context & TT6_EXPECTS && pc == (uint32_t)writing->context);
	writing->context = (writing->context & TT6_INCOMPLETE) | TT6_EXPECTS | pc;
	if (!writer->started) {
		writer->started = writer->has_initial_pc = true;
		begin_incomplete(writing, TT6_MISSING_INITIAL_PC);
		tt6_put_word(writing, pc);
		return;
	}
	if (is_expected)
		return;
	writing_note(writing, "initial PCs after the first, written as splices");
	complete_record(writing, pc);
	put_splice(writing, pc);
}

static void
write_payload(
	struct writing *writing, unsigned code, const struct poly_batch *batch, size_t row)
{
	size_t n;
	const uint8_t *p = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	if (n % 4 || n / 4 > 0xffff) {
		writing_note(writing, "escapes dropped whose payload is not 0 to 65535 words");
		return;
	}
	tt6_put_word(writing, code << 16 | (uint32_t)(n / 4));
	for (size_t i = 0; i < n; i += 4)
		tt6_put_word(writing, load_be32(p + i));
}

static enum poly_status
write_sync(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	if (!poly_present(batch, POLY_COLUMN_address, row))
		return writing_lacks(batch, row, "address", error);
	if (!poly_present(batch, POLY_COLUMN_value, row))
		return writing_lacks(batch, row, "value", error);
	if (batch->sync[row] >= POLY_SYNC_COUNT) {
		writing_note(writing, "synchronizations of an unknown kind dropped");
		return POLY_OK;
	}
	uint32_t words[] = {
		word_of(writing, batch->address[row]), word_of(writing, batch->value[row])};
	tt6_put_record(writing, tt6_sync_code((enum poly_sync)batch->sync[row]), words, 2);
	return POLY_OK;
}

/* escape = word(top 6 bits 0) , count * word */
static enum poly_status
write_escape(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	reserve_initial_pc(writing);
	if (poly_present(batch, POLY_COLUMN_sync, row))
		return write_sync(writing, batch, row, error);
	unsigned code = batch->escape[row];
	if (code > 0x3ff) {
		writing_note(writing, "escapes dropped whose code is above 0x3ff");
	} else if (poly_present(batch, POLY_COLUMN_payload, row)) {
		write_payload(writing, code, batch, row);
	} else if (poly_present(batch, POLY_COLUMN_value, row)) {
		tt6_put_escape(writing, code, batch->value[row]);
	} else {
		tt6_put_record(writing, code, NULL, 0);
	}
	return POLY_OK;
}

/* Fails for a column that a row lacks, unless 0 is written for it. */
static enum poly_status
accept_missing(struct writing *writing, const struct poly_batch *batch, size_t row,
	const char *column, struct poly_error *error)
{
	const struct tt6_writer *writer = writing->state;
	struct poly_error plain = {.offset = POLY_NO_OFFSET};
	if (writer->missing_is_zero) {
		writing_note(
			writing, "addresses and third words that are unknown, written as 0");
		return POLY_OK;
	}
	enum poly_status status = writing_lacks(batch, row, column, &plain);
	err_set(error, status, plain.offset,
		"the instruction has no '%s', which the format requires; %s.missing=zero "
		"writes 0",
		column, writer->extended ? "tt6e" : "tt6");
	if (error)
		error->record = plain.record;
	return status;
}

/* Marks a word at p as the number of a column. */
static void
mark_word(struct writing *writing, enum poly_column column, const uint8_t *p)
{
	const struct tt6_writer *writer = writing->state;
	writing_patch_field(
		writing, column, writer->little ? WRITING_LITTLE : WRITING_BIG, p, 4);
}

/* memory = opcode , data address ; extended = opcode , data address , third word */
static enum poly_status
write_memory(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct tt6_writer *writer = writing->state;
	uint32_t opcode = (uint32_t)batch->opcode[row];
	bool is_extended = writer->tables.shape[tt6_index(opcode)] == TT6_EXTENDED;
	const bool has_address = poly_present(batch, POLY_COLUMN_address, row),
		   has_third = poly_present(batch, POLY_COLUMN_value, row);
	enum poly_status status = POLY_OK;
	if (!has_address)
		status = accept_missing(writing, batch, row, "address", error);
	if (status == POLY_OK && is_extended && !has_third)
		status = accept_missing(writing, batch, row, "value", error);
	if (status != POLY_OK)
		return status;
	const uint32_t words[] = {opcode,
		has_address ? word_of(writing, batch_stated_address(batch, row)) : 0,
		is_extended && has_third ? word_of(writing, batch->value[row]) : 0};
	const uint8_t *p = tt6_put_words(writing, words, is_extended ? 3 : 2);
	if (poly_present(batch, POLY_COLUMN_requested_address, row))
		writing_no_cache(writing);
	if (writing->cache && has_address)
		mark_word(writing, POLY_COLUMN_address, p + 4);
	if (writing->cache && is_extended && has_third)
		mark_word(writing, POLY_COLUMN_value, p + 8);
	return POLY_OK;
}

/* flow = opcode , next PC */
static void
write_flow(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	uint32_t next = 0;
	writing->context = 0;
	if (poly_present(batch, POLY_COLUMN_next_pc, row)) {
		next = word_of(writing, batch->next_pc[row]);
		writing->context = TT6_EXPECTS | next;
	} else {
		begin_incomplete(writing, TT6_MISSING_NEXT_PC);
	}
	const uint32_t words[] = {(uint32_t)batch->opcode[row], next};
	tt6_put_words(writing, words, 2);
}

/* Writes a twi and, if required, its synthetic pair: ba 0x700, rfi to the next instruction. */
static void
write_compute(struct writing *writing, uint32_t opcode)
{
	const struct tt6_writer *writer = writing->state;
	const bool has_pair = writer->adds_pairs && opcode >> 26 == 3;
	if (has_pair) {
		writing->context = 0;
		begin_incomplete(writing, TT6_MISSING_TRAP_RETURN);
	}
	tt6_put_word(writing, opcode);
	if (!has_pair)
		return;
	tt6_put_word(writing, TT6_BRANCH_SYNTHETIC);
	tt6_put_word(writing, TT6_TRAP);
	tt6_put_word(writing, TT6_RFI);
	tt6_put_word(writing, 0);
}

/* Returns whether the row is dropped, which is noted. */
static bool
is_dropped(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct tt6_writer *writer = writing->state;
	if (poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row] &&
		(!writer->extended || writer->adds_pairs)) {
		if (!writer->extended)
			writing_note(writing, "synthetic instructions dropped");
		return true;
	}
	if (batch->opcode[row] >> 26 == 0 && !writer->same_family) {
		writing_note(writing, "instructions dropped whose opcode is that of an escape");
		return true;
	}
	return false;
}

/* Completes the incomplete record with an instruction's pc, or splices if the pc is unexpected.
 */
static enum poly_status
apply_pc(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return writing_lacks(batch, row, "pc", error);
	uint32_t pc = word_of(writing, batch->pc[row]);
	if (writing->cache)
		writing_cache_key(writing, TT6_EXPECTS | pc);
	const bool is_first =
		!writing->cache &&
		((struct tt6_writer *)writing->state)->missing == TT6_MISSING_INITIAL_PC;
	complete_record(writing, pc);
	if (!is_first && writing->context & TT6_EXPECTS && pc != (uint32_t)writing->context) {
		writing_note(
			writing, "PC discontinuities without a branch, written as splices");
		put_splice(writing, pc);
	}
	writing->context = TT6_EXPECTS | (uint32_t)(pc + 4);
	return POLY_OK;
}

/* Writes the escapes of an instruction. */
static void
settle_escapes(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	if (!writing->cache)
		tt6_held_settle(writing, batch, row);
	else if (poly_present(batch, POLY_COLUMN_real_pc, row) ||
		 poly_present(batch, POLY_COLUMN_real_address, row) ||
		 poly_present(batch, POLY_COLUMN_real_target, row) ||
		 tt6_lacks_word(writing, batch, row))
		writing_no_cache(writing);
}

/* Notes the pair of a twi, which follows in the source. */
static void
open_pair(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	writing_no_cache(writing);
	if (writing->cache)
		return;
	tt6_pair_open(writing, batch, row);
	writing->context |= TT6_WAITS;
}

static void
note_dropped_address(struct writing *writing)
{
	const struct tt6_writer *writer = writing->state;
	if (!writer->source_is_tt6)
		writing_note(writing, "addresses of cache operations dropped");
}

static enum poly_status
write_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct tt6_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_opcode, row))
		return writing_lacks(batch, row, "opcode", error);
	if (is_dropped(writing, batch, row)) {
		writing_no_cache(writing);
		return POLY_OK;
	}
	if (batch->opcode[row] >> 32) {
		writing_note(writing, "instructions dropped that are longer than 4 bytes");
		return POLY_OK;
	}
	reserve_initial_pc(writing);
	enum poly_status status = apply_pc(writing, batch, row, error);
	if (status != POLY_OK)
		return status;
	uint32_t opcode = (uint32_t)batch->opcode[row];
	settle_escapes(writing, batch, row);
	switch (writer->tables.shape[tt6_index(opcode)]) {
	case TT6_MEMORY:
	case TT6_EXTENDED: return write_memory(writing, batch, row, error);
	case TT6_FLOW: write_flow(writing, batch, row); break;
	default:
		if (!writer->extended && powerpc_class_fast(opcode) == POWERPC_CACHE &&
			poly_present(batch, POLY_COLUMN_address, row))
			note_dropped_address(writing);
		write_compute(writing, opcode);
		if (writer->extended && !writer->adds_pairs && opcode >> 26 == 3)
			open_pair(writing, batch, row);
	}
	return POLY_OK;
}

/* Holds an escape until its instruction, if it follows the last one. */
static enum poly_status
hold_escape(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct tt6_writer *writer = writing->state;
	tt6_held_continue(writing, batch, row);
	reserve_initial_pc(writing);
	writer->holding = true;
	const enum poly_status status = write_escape(writing, batch, row, error);
	writer->holding = false;
	tt6_held_add(writing, batch, row);
	writing->context |= TT6_WAITS;
	return status == POLY_OK && writer->held.words.failed ? err_memory(error) : status;
}

/* Writes a record between two instructions: after held escapes, which precede it. */
static enum poly_status
write_point(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct tt6_writer *writer = writing->state;
	struct buf *words = &writer->held.words;
	if (!tt6_held_surrounds(writing, batch, row)) {
		tt6_held_pass(writing, batch, row);
		return write_escape(writing, batch, row, error);
	}
	const size_t start = words->size;
	writer->holding = true;
	const enum poly_status status = write_escape(writing, batch, row, error);
	writer->holding = false;
	buf_append(&writer->held.others, words->data + start, words->size - start);
	return status == POLY_OK && (words->failed || writer->held.others.failed)
		       ? err_memory(error)
		       : status;
}

/* Writes a row that is not an instruction. */
static enum poly_status
write_other(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	/* Such rows are few, and do not change the expected pc. */
	writing_no_cache(writing);
	if (writing->cache)
		return POLY_OK;
	if (attached_to_next(batch, row))
		return hold_escape(writing, batch, row, error);
	if (poly_present(batch, POLY_COLUMN_escape, row) ||
		poly_present(batch, POLY_COLUMN_sync, row))
		return write_point(writing, batch, row, error);
	tt6_held_pass(writing, batch, row);
	if (poly_present(batch, POLY_COLUMN_kind, row) && batch->kind[row] == POLY_KIND_OTHER &&
		poly_present(batch, POLY_COLUMN_pc, row))
		write_initial_pc(writing, batch->pc[row]);
	else
		writing_note(writing, "records dropped that are neither instructions nor "
				      "synchronizations nor escapes");
	return POLY_OK;
}

static void
write_raw(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	size_t n;
	const uint8_t *p = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	writing_no_cache(writing);
	if (writing->cache)
		return;
	tt6_held_pass(writing, batch, row);
	tt6_put_bytes(writing, p, n);
}

enum poly_status
tt6_write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct tt6_writer *writer = writing->state;
	enum poly_status status = POLY_OK;
	if (writing->cache) {
		/* Templates are written as in the middle of a trace. */
		writer->started = true;
		writer->missing = TT6_MISSING_NONE;
	}
	if (writer->extended && !writer->adds_pairs && !writing->cache &&
		tt6_pair_pass(writing, batch, row))
		return POLY_OK;
	if (writer->same_family && poly_present(batch, POLY_COLUMN_raw, row))
		write_raw(writing, batch, row);
	else if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		 batch->kind[row] == POLY_KIND_INSTRUCTION)
		status = write_instruction(writing, batch, row, error);
	else
		status = write_other(writing, batch, row, error);
	if (status == POLY_OK && writer->bytes.failed)
		return err_memory(error);
	if (status == POLY_OK &&
		(writer->bytes.size > BUFFERED_MAX || writer->held.words.size > BUFFERED_MAX))
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"more than %zu bytes of escapes precede the next instruction",
			BUFFERED_MAX);
	return status;
}

enum poly_status
tt6_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = tt6_write_row(writing, batch, row, error);
	return status;
}

/* Returns whether the pc of a row precedes the expected one. */
static bool
sets_expected(const struct tt6_writer *writer, const struct poly_batch *batch, size_t row)
{
	const bool is_instruction = !poly_present(batch, POLY_COLUMN_kind, row) ||
				    batch->kind[row] == POLY_KIND_INSTRUCTION,
		   is_raw = writer->same_family && poly_present(batch, POLY_COLUMN_raw, row),
		   is_synthetic = poly_present(batch, POLY_COLUMN_synthetic, row) &&
				  batch->synthetic[row] &&
				  (!writer->extended || writer->adds_pairs);
	return is_instruction && !is_raw && !is_synthetic &&
	       poly_present(batch, POLY_COLUMN_pc, row) &&
	       poly_present(batch, POLY_COLUMN_opcode, row);
}

/* Predicts that nothing waits for the next row but its pc, which the last instruction states.
 */
bool
tt6_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count)
{
	struct tt6_writer *writer = writing->state;
	size_t i = row + count;
	writer->started = true;
	writer->missing = TT6_MISSING_NONE;
	writer->pair = (struct tt6_pair){.next = 0};
	if (writer->extended && !writer->adds_pairs)
		writer->pair.last = poly_batch_number(batch, i - 1);
	buf_clear(&writer->bytes);
	tt6_held_clear(&writer->held);
	while (i > row && !sets_expected(writer, batch, i - 1))
		i--;
	if (i == row)
		return true;
	const bool is_flow =
		writer->tables.shape[tt6_index((uint32_t)batch->opcode[i - 1])] == TT6_FLOW;
	const uint64_t next = is_flow && poly_present(batch, POLY_COLUMN_next_pc, i - 1)
				      ? batch->next_pc[i - 1]
				      : batch->pc[i - 1] + 4;
	tt6_expect(writing, (uint32_t)next);
	return true;
}

enum poly_status
tt6_wfinish(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct tt6_writer *writer = writing->state;
	tt6_held_finish(writing);
	switch (writer->missing) {
	case TT6_MISSING_NEXT_PC:
		writing_note(writing, "last branch dropped: its next address is unknown");
		drop_incomplete(writer);
		break;
	case TT6_MISSING_TRAP_RETURN:
		writing_note(writing, "last twi dropped: the next instruction is unknown");
		drop_incomplete(writer);
		break;
	case TT6_MISSING_INITIAL_PC:
		if (!writer->has_initial_pc)
			writing_note(writing, "unknown initial PC written as 0");
		break;
	case TT6_MISSING_NONE: break;
	}
	flush_bytes(writing);
	return POLY_OK;
}

void
tt6_wclose(struct writing *writing)
{
	struct tt6_writer *writer = writing->state;
	buf_free(&writer->bytes);
	buf_free(&writer->held.words);
	buf_free(&writer->held.others);
}
