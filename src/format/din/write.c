/* SPDX-License-Identifier: MIT */
/*
 * Writes Dinero traces from rows of any format.
 *
 * spec: polytrace-din(5)
 */
#include "format/din/din.h"

/* First byte of a record type, by form; 0: the form cannot express it. */
static const char labels[DIN_FORMS][DIN_BLANK + 1] = {"01234", "rwim\0cv"};

/* Maps the source's record types to those of this format, by their names. */
static void
find_records(struct writing *writing)
{
	struct din_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	memset(writer->records, DIN_RECORD_COUNT, sizeof writer->records);
	for (size_t i = 0; writing->own_raw && i < source->record_count; i++) {
		for (uint8_t is = 0; is < DIN_BLANK; is++) {
			if (strcmp(source->records[i], din_records[is]) == 0)
				writer->records[i] = is;
		}
	}
}

enum poly_status
din_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct din_writer *writer = writing->state;
	const char *form = poly_trace_fact(writing->source, "din.form"),
		   *digits = poly_trace_fact(writing->source, "din.digits");
	uint64_t min = 0;
	writer->form = form && strcmp(form, din_forms[DIN_SIZED]) == 0 ? DIN_SIZED : DIN_PLAIN;
	if (digits && num_parse(digits, strlen(digits), &min) && min <= 16)
		writer->digits = (unsigned)min;
	writer->keeps = true;
	enum din_form wanted = (enum din_form)writing->options[DIN_OPTION_FORM];
	if (wanted != DIN_FORMS) {
		writer->keeps = wanted == writer->form;
		writer->form = wanted;
	}
	writing->uses = poly_columns_union(writing->uses, POLY_COLUMNS(uop_index, synthetic));
	if (!writing->own_raw && writer->form == DIN_PLAIN)
		writing->uses =
			poly_columns_minus(writing->uses, POLY_COLUMNS(opcode_size, size));
	find_records(writing);
	return POLY_OK;
}

/* A reference that is written. */
struct reference {
	enum din_record is;
	uint64_t address, size;
	bool sized;
};

static enum poly_status
write_reference(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct reference *reference, struct poly_error *error)
{
	const struct din_writer *writer = writing->state;
	char label = labels[writer->form][reference->is];
	if (!label) {
		writing_note(writing, writer->form == DIN_PLAIN
					      ? "operations on cache lines were dropped"

					      : "cache flushes were dropped");
		return POLY_OK;
	}
	if (writer->form == DIN_SIZED && !reference->sized)
		return writing_lacks(
			batch, row, reference->is == DIN_FETCH ? "opcode_size" : "size", error);
	char *dst = (char *)out_room(writing->out, 64), *at = dst;
	*at++ = label;
	*at++ = ' ';
	unsigned digits = address_digits(reference->address, writer->digits);
	num_hex(at, reference->address, digits);
	at += digits;
	if (writer->form == DIN_SIZED) {
		digits = num_hex_width(reference->size);
		*at++ = ' ';
		num_hex(at, reference->size, digits);
		at += digits;
	}
	*at++ = '\n';
	out_commit(writing->out, (size_t)(at - dst));
	return POLY_OK;
}

/* True for the first micro-operation of an executed instruction: it is fetched once. */
static bool
is_fetched(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION ||
		!poly_present(batch, POLY_COLUMN_pc, row) ||
		(poly_present(batch, POLY_COLUMN_uop_index, row) && batch->uop_index[row] != 1))
		return false;
	bool synthetic =
		poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row];
	if (synthetic)
		writing_note(writing, "instructions that were not executed were dropped");
	return !synthetic;
}

/* Returns the type of a row's own record, for sources of this format. */
static enum din_record
own_record(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct din_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_record, row))
		return DIN_RECORD_COUNT;
	return (enum din_record)writer->records[batch->record[row]];
}

static enum din_record
record_of_access(enum poly_access access)
{
	static const uint8_t records[POLY_ACCESS_COUNT] = {
		[POLY_ACCESS_READ] = DIN_READ,
		[POLY_ACCESS_WRITE] = DIN_WRITE,
		[POLY_ACCESS_FETCH] = DIN_FETCH,
		[POLY_ACCESS_PREFETCH] = DIN_RECORD_COUNT,
		[POLY_ACCESS_CACHE] = DIN_RECORD_COUNT,
		[POLY_ACCESS_IO_READ] = DIN_RECORD_COUNT,
		[POLY_ACCESS_IO_WRITE] = DIN_RECORD_COUNT,
	};
	return (enum din_record)records[access];
}

/* Writes the instruction fetch and the access of a row. */
static enum poly_status
write_columns(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct reference reference = {.is = own_record(writing, batch, row)};
	enum poly_status status = POLY_OK;
	bool fetched = is_fetched(writing, batch, row);
	if (fetched) {
		struct reference fetch = {DIN_FETCH, batch->pc[row], 0,
			poly_present(batch, POLY_COLUMN_opcode_size, row)};
		fetch.size = fetch.sized ? batch->opcode_size[row] : 0;
		status = write_reference(writing, batch, row, &fetch, error);
	}
	bool placed = poly_present(batch, POLY_COLUMN_address, row);
	if (reference.is == DIN_RECORD_COUNT && placed &&
		poly_present(batch, POLY_COLUMN_access, row)) {
		reference.is = record_of_access((enum poly_access)batch->access[row]);
		if (reference.is == DIN_RECORD_COUNT)
			writing_note(writing, "accesses that are not memory reads, writes or "
					      "fetches were dropped");
	} else if (!fetched && (reference.is == DIN_RECORD_COUNT || !placed)) {
		writing_note(writing,
			"records that are neither instructions nor accesses were dropped");
	}
	if (status != POLY_OK || reference.is == DIN_RECORD_COUNT || !placed)
		return status;
	reference.address = batch->address[row];
	reference.sized = poly_present(batch, POLY_COLUMN_size, row);
	reference.size = reference.sized ? batch->size[row] : 0;
	return write_reference(writing, batch, row, &reference, error);
}

enum poly_status
din_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	const struct din_writer *writer = writing->state;
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++) {
		bool raw = writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row);
		bool known = own_record(writing, batch, row) != DIN_RECORD_COUNT;
		if (raw && (writer->keeps || !known)) {
			size_t n;
			const uint8_t *bytes =
				poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
			out_write(writing->out, bytes, n);
		} else {
			status = write_columns(writing, batch, row, error);
		}
	}
	return status;
}
