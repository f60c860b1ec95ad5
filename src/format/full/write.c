/* SPDX-License-Identifier: MIT */
/*
 * Writing FULL traces, in the layout and byte order of their source or in another of the same
 * width.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7, 3 (3, 19).
 */
#include "format/full/full.h"

#include "base/num.h"

#include <string.h>

static bool
fact_is(const struct writing *writing, const char *key, const char *value)
{
	const char *fact = poly_trace_fact(writing->source, key);
	return fact && strcmp(fact, value) == 0;
}

enum poly_status
full_wopen(struct writing *writing, struct poly_error *error)
{
	struct full_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	uint64_t record = writing->options[FULL_OPTION_RECORD],
		 order = writing->options[FULL_OPTION_ENDIAN];
	if (source->raw_format && strcmp(source->raw_format, "tt6") == 0)
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"cannot write TT6 as FULL: FULL records require registers");
	writing->uses = POLY_COLUMNS(opcode, payload, sync, address, value, raw, origin);
	writer->source.little = fact_is(writing, "amber.endian", "le");
	writer->little = order == FULL_AUTO ? writer->source.little : order == FULL_SECOND;
	writer->magic = !fact_is(writing, "amber.magic", "none");
	writer->magic_little = writer->little;
	if (order == FULL_AUTO && poly_trace_fact(source, "amber.magic"))
		writer->magic_little = fact_is(writing, "amber.magic", "le");
	uint64_t size = 0;
	const char *fact = poly_trace_fact(source, "amber.record");
	if (record)
		writer->layout = &powerpc_layouts[record - 1];
	if (fact && num_parse(fact, strlen(fact), &size) && !record)
		writer->layout = powerpc_layout_find(size);
	writer->preserves_raw = writing->own_raw && writer->little == writer->source.little &&
				(!record || !size || writer->layout->record == size);
	return POLY_OK;
}

static void
store_word(const struct full_writer *writer, uint8_t *p, uint32_t v)
{
	if (writer->little)
		store_le32(p, v);
	else
		store_be32(p, v);
}

/* Writes the magic before any other output. */
static void
write_magic(struct writing *writing)
{
	struct full_writer *writer = writing->state;
	uint8_t bytes[FULL_MAGIC_SIZE];
	if (!writer->magic)
		return;
	writer->magic = false;
	if (writer->magic_little)
		store_le32(bytes, FULL_MAGIC);
	else
		store_be32(bytes, FULL_MAGIC);
	out_write(writing->out, bytes, sizeof bytes);
}

/* Copies the numbers of a run, with or without reversing their bytes. */
static void
copy_run(uint8_t *dst, const uint8_t *from, const struct full_run *run, bool reverse)
{
	size_t size = (size_t)run->count * run->unit;
	if (!reverse) {
		memcpy(dst, from, size);
		return;
	}
	for (size_t i = 0; i < size; i++)
		dst[i] = from[i ^ (run->unit - 1u)];
}

/* Returns whether the bytes from start to end are zero. */
static bool
is_padding(const uint8_t *record, size_t start, size_t end)
{
	for (; start < end; start++) {
		if (record[start])
			return false;
	}
	return true;
}

/*
 * Converts a record to another layout and byte order; returns false if bytes that only the
 * source has would be lost.
 */
static bool
convert_record(const struct full_writer *writer, const uint8_t *from, uint8_t *dst)
{
	struct full_run source[FULL_RUNS], target[FULL_RUNS];
	bool reverse = writer->source.little != writer->little, clean = true;
	size_t end = 4;
	full_runs(writer->source.layout, source);
	full_runs(writer->layout, target);
	for (size_t i = 0; i < FULL_RUNS; i++) {
		if (!source[i].count)
			continue;
		copy_run(dst + target[i].offset, from + source[i].offset, &source[i], reverse);
		clean = clean && is_padding(from, end, source[i].offset);
		end = source[i].offset + (size_t)source[i].count * source[i].unit;
	}
	return clean && is_padding(from, end, writer->source.layout->record);
}

/* Determines the layout of a row's payload, and of the target if none was set. */
static enum poly_status
choose_layout(
	struct full_writer *writer, size_t payload, uint64_t origin, struct poly_error *error)
{
	const struct powerpc_layout *from = powerpc_layout_find((uint64_t)payload + 4);
	if (!from)
		return err_set(error, POLY_ERR_LOSS, origin,
			"the payload has %zu bytes, expected 1000, 1004, 1144, 1148 or 1156",
			payload);
	writer->source.layout = from;
	if (!writer->layout)
		writer->layout = from;
	if (from->wide == writer->layout->wide)
		return POLY_OK;
	return err_set(error, POLY_ERR_LOSS, origin,
		"cannot write records of %u bytes with %u-bit registers as records of %u bytes "
		"with %u-bit registers",
		(unsigned)from->record, from->wide ? 64u : 32u,
		(unsigned)writer->layout->record, from->wide ? 32u : 64u);
}

static enum poly_status
write_record(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct full_writer *writer = writing->state;
	uint64_t origin = POLY_NO_OFFSET;
	if (!poly_present(batch, POLY_COLUMN_payload, row))
		return writing_lacks(batch, row, "payload", error);
	if (poly_present(batch, POLY_COLUMN_origin, row))
		origin = batch->origin[row];
	size_t size;
	const uint8_t *payload = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &size);
	enum poly_status status = choose_layout(writer, size, origin, error);
	if (status != POLY_OK)
		return status;
	write_magic(writing);
	uint8_t from[POWERPC_RECORD_MAX] = {0}, dst[POWERPC_RECORD_MAX] = {0};
	store_word(writer, dst, (uint32_t)batch->opcode[row]);
	if (writer->layout == writer->source.layout &&
		writer->little == writer->source.little) {
		memcpy(dst + 4, payload, size);
	} else {
		memcpy(from + 4, payload, size);
		if (!convert_record(writer, from, dst))
			return err_set(error, POLY_ERR_LOSS, origin,
				"the record's padding is not zero, and would be lost in "
				"another layout or "
				"byte order");
	}
	out_write(writing->out, dst, writer->layout->record);
	return POLY_OK;
}

static enum poly_status
write_sync(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct full_writer *writer = writing->state;
	uint8_t bytes[FULL_ESCAPE_SIZE];
	if (!poly_present(batch, POLY_COLUMN_address, row))
		return writing_lacks(batch, row, "address", error);
	if (!poly_present(batch, POLY_COLUMN_value, row))
		return writing_lacks(batch, row, "value", error);
	write_magic(writing);
	store_word(writer, bytes, full_sync_word(batch->sync[row]));
	store_word(writer, bytes + 4, (uint32_t)batch->address[row]);
	store_word(writer, bytes + 8, (uint32_t)batch->value[row]);
	out_write(writing->out, bytes, sizeof bytes);
	return POLY_OK;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct full_writer *writer = writing->state;
	if (writer->preserves_raw && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t size;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &size);
		write_magic(writing);
		out_write(writing->out, raw, size);
		return POLY_OK;
	}
	if (poly_present(batch, POLY_COLUMN_sync, row))
		return write_sync(writing, batch, row, error);
	if (poly_present(batch, POLY_COLUMN_opcode, row))
		return write_record(writing, batch, row, error);
	writing_note(writing, "records that are neither instructions nor synchronization");
	return POLY_OK;
}

enum poly_status
full_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; row < batch->rows && status == POLY_OK; row++) {
		status = write_row(writing, batch, row, error);
		if (status != POLY_OK && error)
			error->record = poly_batch_number(batch, row);
	}
	return status;
}

enum poly_status
full_wfinish(struct writing *writing, struct poly_error *error)
{
	(void)error;
	write_magic(writing);
	return POLY_OK;
}
