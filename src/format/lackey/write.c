/* SPDX-License-Identifier: MIT */
/*
 * Writes lackey traces. The two rows of a modify become one line.
 *
 * spec: polytrace-lackey(5)
 */
#include "format/lackey/lackey.h"

#include "base/num.h"

enum poly_status
lackey_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct lackey_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	memset(writer->records, LACKEY_RECORD_COUNT, sizeof writer->records);
	for (size_t i = 0; writing->own_raw && i < source->record_count; i++) {
		for (uint8_t is = 0; is < LACKEY_RECORD_COUNT; is++) {
			if (strcmp(source->records[i], lackey_records[is]) == 0)
				writer->records[i] = is;
		}
	}
	writing->uses = poly_columns_union(writing->uses, POLY_COLUMNS(uop_index, synthetic));
	if (!writing->own_raw)
		writing->uses = poly_columns_minus(writing->uses, POLY_COLUMNS(process, text));
	return POLY_OK;
}

static void
print(struct writing *writing, char letter, uint64_t address, uint64_t size)
{
	char *dst = (char *)out_room(writing->out, 48), *at = dst;
	unsigned digits = num_hex_width(address);
	digits = digits < LACKEY_ADDRESS_DIGITS ? LACKEY_ADDRESS_DIGITS : digits;
	at[0] = letter == 'I' ? 'I' : ' ';
	at[1] = letter == 'I' ? ' ' : letter;
	at[2] = ' ';
	num_hex(at + 3, address, digits);
	at += 3 + digits;
	*at++ = ',';
	at += num_decimal(at, size);
	*at++ = '\n';
	out_commit(writing->out, (size_t)(at - dst));
}

/* Writes the pending load of a modify whose store is not part of the selection. */
static void
flush_modify(struct writing *writing)
{
	struct lackey_writer *writer = writing->state;
	if (writer->modify)
		print(writing, 'L', writer->address, writer->size);
	writer->modify = writer->skip_store = false;
	writer->address = writer->size = 0;
}

/* Writes an access; the load of a modify waits for its store. */
static enum poly_status
write_access(struct writing *writing, const struct poly_batch *batch, size_t row, bool modify,
	struct poly_error *error)
{
	struct lackey_writer *writer = writing->state;
	enum poly_access access = (enum poly_access)batch->access[row];
	if (access != POLY_ACCESS_READ && access != POLY_ACCESS_WRITE) {
		flush_modify(writing);
		writing_note(writing, "accesses that are not loads or stores were dropped");
		return POLY_OK;
	}
	if (!poly_present(batch, POLY_COLUMN_size, row))
		return writing_lacks(batch, row, "size", error);
	uint64_t address = batch->address[row], size = batch->size[row];
	bool writes = access == POLY_ACCESS_WRITE;
	if (modify && writes && writer->modify && address == writer->address &&
		size == writer->size) {
		print(writing, 'M', address, size);
		writer->modify = false;
		writer->address = writer->size = 0;
		return POLY_OK;
	}
	flush_modify(writing);
	if (modify && !writes) {
		writer->modify = true;
		writer->address = address;
		writer->size = size;
		return POLY_OK;
	}
	print(writing, writes ? 'S' : 'L', address, size);
	return POLY_OK;
}

/* Writes one line per instruction, at its first micro-operation. */
static enum poly_status
write_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	bool later =
		poly_present(batch, POLY_COLUMN_uop_index, row) && batch->uop_index[row] != 1;
	bool synthetic =
		poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row];
	if (later)
		return POLY_OK;
	flush_modify(writing);
	if (synthetic) {
		writing_note(writing, "instructions that were not executed were dropped");
		return POLY_OK;
	}
	if (!poly_present(batch, POLY_COLUMN_opcode_size, row))
		return writing_lacks(batch, row, "opcode_size", error);
	print(writing, 'I', batch->pc[row], batch->opcode_size[row]);
	return POLY_OK;
}

static enum poly_status
write_columns(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct lackey_writer *writer = writing->state;
	enum poly_status status = POLY_OK;
	bool instruction = poly_present(batch, POLY_COLUMN_kind, row) &&
			   batch->kind[row] == POLY_KIND_INSTRUCTION &&
			   poly_present(batch, POLY_COLUMN_pc, row);
	bool access = poly_present(batch, POLY_COLUMN_access, row) &&
		      poly_present(batch, POLY_COLUMN_address, row);
	bool modify = poly_present(batch, POLY_COLUMN_record, row) &&
		      writer->records[batch->record[row]] == LACKEY_MODIFY;
	if (instruction)
		status = write_instruction(writing, batch, row, error);
	if (access && status == POLY_OK)
		status = write_access(writing, batch, row, modify, error);
	if (!instruction && !access)
		writing_note(writing,
			"records that are neither instructions nor accesses were dropped");
	return status;
}

bool
lackey_continues_line(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct lackey_writer *writer = writing->state;
	return writer->skip_store && poly_present(batch, POLY_COLUMN_record, row) &&
	       writer->records[batch->record[row]] == LACKEY_MODIFY &&
	       poly_present(batch, POLY_COLUMN_access, row) &&
	       batch->access[row] == POLY_ACCESS_WRITE;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct lackey_writer *writer = writing->state;
	bool modify = poly_present(batch, POLY_COLUMN_record, row) &&
		      writer->records[batch->record[row]] == LACKEY_MODIFY;
	if (writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		flush_modify(writing);
		out_write(writing->out, raw, n);
		writer->skip_store = modify;
		return POLY_OK;
	}
	const bool passed = lackey_continues_line(writing, batch, row);
	writer->skip_store = false;
	return passed ? POLY_OK : write_columns(writing, batch, row, error);
}

enum poly_status
lackey_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

/* A load of a modify waits for its store, which is the next row. */
bool
lackey_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count)
{
	struct lackey_writer *writer = writing->state;
	const size_t last = row + count - 1;
	const bool is_modify = poly_present(batch, POLY_COLUMN_record, last) &&
			       writer->records[batch->record[last]] == LACKEY_MODIFY,
		   is_raw = writing->own_raw && poly_present(batch, POLY_COLUMN_raw, last),
		   is_load = poly_present(batch, POLY_COLUMN_access, last) &&
			     batch->access[last] == POLY_ACCESS_READ &&
			     poly_present(batch, POLY_COLUMN_address, last) &&
			     poly_present(batch, POLY_COLUMN_size, last);
	writer->skip_store = is_modify && is_raw;
	writer->modify = is_modify && is_load && !is_raw;
	writer->address = writer->modify ? batch->address[last] : 0;
	writer->size = writer->modify ? batch->size[last] : 0;
	return true;
}

enum poly_status
lackey_wfinish(struct writing *writing, struct poly_error *error)
{
	(void)error;
	flush_modify(writing);
	return POLY_OK;
}
