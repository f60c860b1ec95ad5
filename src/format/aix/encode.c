/* SPDX-License-Identifier: MIT */
/*
 * Rows as entries. What a row does not say is taken from what it has: its type from its data,
 * its time and its registers.
 *
 * spec: seed 003 (Trace Entries); reference aix 4.8.
 */
#include "format/aix/aix.h"

#include "base/err.h"

#include <string.h>

/* Bytes of the data words of an entry, at most. */
#define WORDS_MOST 5

/* What the columns of a row say. */
struct values {
	const struct poly_batch *batch;
	size_t row;
	uint16_t hook, subhook, type;
	const uint8_t *data, *registers;
	size_t size, registers_size; /* in bytes */
	bool has_type, has_time, has_thread, has_cpu;
	uint64_t time, thread;
	uint32_t cpu;
};

static const uint8_t *
bytes_of(const struct poly_batch *batch, enum poly_column column, size_t row, size_t *size)
{
	*size = 0;
	if (!poly_present(batch, column, row))
		return NULL;
	return poly_batch_bytes(batch, column, row, size);
}

static bool
take_values(const struct poly_batch *batch, size_t row, struct values *values)
{
	*values = (struct values){.batch = batch,
		.row = row,
		.has_type = poly_present(batch, POLY_COLUMN_hook_type, row),
		.has_time = poly_present(batch, POLY_COLUMN_time, row),
		.has_thread = poly_present(batch, POLY_COLUMN_thread, row),
		.has_cpu = poly_present(batch, POLY_COLUMN_cpu, row)};
	values->data = bytes_of(batch, POLY_COLUMN_payload, row, &values->size);
	values->registers = bytes_of(batch, POLY_COLUMN_counters, row, &values->registers_size);
	if (poly_present(batch, POLY_COLUMN_subhook, row))
		values->subhook = batch->subhook[row];
	if (values->has_type)
		values->type = batch->hook_type[row];
	if (values->has_time)
		values->time = batch->time[row];
	if (values->has_thread)
		values->thread = batch->thread[row];
	if (values->has_cpu)
		values->cpu = batch->cpu[row];
	if (!poly_present(batch, POLY_COLUMN_hook, row))
		return false;
	values->hook = batch->hook[row];
	return true;
}

bool
aix_needs_wide(const struct poly_batch *batch, size_t row)
{
	struct values values;
	return take_values(batch, row, &values) &&
	       ((values.hook & 15) || values.type > 15 || values.registers_size ||
		       values.thread > UINT32_MAX);
}

/* POLY_ERR_LOSS for a row that an entry can't hold. */
#define REFUSE(values, error, ...)                                     \
	(err_set((error), POLY_ERR_LOSS, POLY_NO_OFFSET, __VA_ARGS__), \
		refused((values), (error)))

static enum poly_status
refused(const struct values *values, struct poly_error *error)
{
	if (error)
		error->record = values->batch->first + values->row + 1;
	return POLY_ERR_LOSS;
}

static void
append_zeros(struct buf *to, size_t n)
{
	static const uint8_t zeros[8 * WORDS_MOST];
	buf_append(to, zeros, n);
}

static void
append32(struct buf *to, uint32_t v)
{
	uint8_t word[4];
	store_be32(word, v);
	buf_append(to, word, sizeof word);
}

static void
append64(struct buf *to, uint64_t v)
{
	append32(to, (uint32_t)(v >> 32));
	append32(to, (uint32_t)v);
}

/* The hook type of a row that does not say it. */
static uint16_t
guess_type32(const struct values *values)
{
	unsigned type = values->has_time ? AIX_TYPE_STAMPED : 0;
	if (values->size == 0)
		return (uint16_t)(type | 1);
	if (values->size == 4)
		return (uint16_t)(type | 2);
	bool words = values->size % 4 == 0 && values->size <= 4 * WORDS_MOST;
	return (uint16_t)(words ? type | 6 : type);
}

/* What an entry with a 32-bit hook word can't hold. */
static enum poly_status
judge32(const struct values *values, int words, struct poly_error *error)
{
	if (values->hook & 15)
		return REFUSE(values, error,
			"hook 0x%04x needs hook words of 64 bits: aix.word=64", values->hook);
	if (words < 0)
		return REFUSE(values, error,
			"hook type 0x%x, expected 0, 1, 2, 6, 8, 9, 0xa or 0xe", values->type);
	if (values->thread > UINT32_MAX)
		return REFUSE(values, error,
			"thread %llu needs hook words of 64 bits: aix.word=64",
			(unsigned long long)values->thread);
	if (values->registers_size)
		return REFUSE(
			values, error, "counters need hook words of 64 bits: aix.word=64");
	if ((values->type & AIX_TYPE_WORDS) == 0 && values->size < 4)
		return REFUSE(values, error,
			"payload has %zu bytes, expected a data word of 4 before a buffer",
			values->size);
	if ((values->type & AIX_TYPE_WORDS) == 0 && values->size - 4 > UINT16_MAX)
		return REFUSE(values, error, "payload has %zu bytes, expected at most %d",
			values->size, UINT16_MAX + 4);
	if ((values->type & AIX_TYPE_WORDS) != 0 && values->size > 4 * (size_t)words)
		return REFUSE(values, error, "payload has %zu bytes, and type 0x%x holds %d",
			values->size, values->type, 4 * words);
	return POLY_OK;
}

/* The low bits of the time; more are told by the reader from the entries before. */
static void
put_time32(struct writing *writing, uint64_t time)
{
	struct aix_writer *writer = writing->state;
	struct aix_encoder *encoder = &writer->encoder;
	append32(&encoder->bytes, (uint32_t)time);
	encoder->time = aix_time_unwrap(encoder->time, (uint32_t)time);
	if (encoder->time != time)
		writing_note(writing, "times were cut to the 32 bits of the timer");
	encoder->time = time;
}

static enum poly_status
encode32(struct writing *writing, struct values *values, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	struct buf *to = &writer->encoder.bytes;
	if (!values->has_type)
		values->type = guess_type32(values);
	int words = aix_type_words(values->type);
	enum poly_status status = judge32(values, words, error);
	if (status != POLY_OK)
		return status;
	bool generic = (values->type & AIX_TYPE_WORDS) == 0;
	uint16_t data = generic ? (uint16_t)(values->size - 4) : values->subhook;
	append32(to, (uint32_t)(values->hook | (values->type & 15u)) << 16 | data);
	if (values->size)
		buf_append(to, values->data, values->size);
	append_zeros(to, generic ? -values->size % 4 : 4 * (size_t)words - values->size);
	if (writer->encoder.form.has_tid)
		append32(to, (uint32_t)values->thread);
	if (values->type & AIX_TYPE_STAMPED)
		put_time32(writing, values->time);
	return POLY_OK;
}

/* The flags of a row that does not say them. */
static uint16_t
guess_type64(const struct values *values)
{
	unsigned flags = values->has_time ? AIX_FLAG_STAMPED : 0;
	size_t registers = values->registers_size / 8;
	if (values->has_cpu)
		flags |= AIX_FLAG_CPU;
	if (registers)
		flags |= AIX_FLAG_REGISTERS | (unsigned)((registers - 1) & AIX_FLAG_COUNT);
	if (values->size % 8 && values->size % 4 == 0 && values->size <= 4 * WORDS_MOST)
		flags |= AIX_FLAG_WORDS32;
	else if (values->size % 8 || values->size > 8 * WORDS_MOST)
		flags |= AIX_FLAG_GENERIC | (values->size < 8 ? AIX_FLAG_WORDS32 : 0);
	return (uint16_t)flags;
}

/* What an entry with a 64-bit hook word can't hold. */
static enum poly_status
judge64(const struct values *values, size_t word, struct poly_error *error)
{
	size_t registers = values->type & AIX_FLAG_REGISTERS
				   ? 8 * ((values->type & AIX_FLAG_COUNT) + (size_t)1)
				   : 0;
	if (values->hook >> 12 == 0 && values->hook & 15)
		return REFUSE(values, error,
			"hook 0x%04x can't be: the first digit is 0 and the last is not",
			values->hook);
	if (values->size < word)
		return REFUSE(values, error,
			"payload has %zu bytes, expected a data word of %zu before a buffer",
			values->size, word);
	if (values->size - word > UINT16_MAX)
		return REFUSE(values, error, "payload has %zu bytes, expected at most %zu",
			values->size, UINT16_MAX + word);
	if (values->registers_size != registers)
		return REFUSE(values, error,
			"counters have %zu bytes, and the flags 0x%04x say %zu",
			values->registers_size, values->type, registers);
	return POLY_OK;
}

static enum poly_status
encode64(struct writing *writing, struct values *values, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	struct buf *to = &writer->encoder.bytes;
	if (!values->has_type)
		values->type = guess_type64(values);
	size_t word = 0;
	if (values->type & AIX_FLAG_GENERIC && !writer->encoder.form.length_is_data)
		word = values->type & AIX_FLAG_WORDS32 ? 4 : 8;
	enum poly_status status = judge64(values, word, error);
	if (status != POLY_OK)
		return status;
	append32(to, (uint32_t)values->type << 16 | (uint16_t)(values->size - word));
	append32(to, (uint32_t)values->hook << 16 | values->subhook);
	if (values->size)
		buf_append(to, values->data, values->size);
	append_zeros(to, -values->size % 8);
	append64(to, values->thread);
	if (values->type & AIX_FLAG_CPU)
		append64(to, values->cpu);
	if (values->type & AIX_FLAG_STAMPED)
		append64(to, values->time);
	if (values->registers_size)
		buf_append(to, values->registers, values->registers_size);
	return POLY_OK;
}

/* True where the type of a row is the flags of a 64-bit hook word. */
static bool
has_flags(struct writing *writing, const struct values *values)
{
	const struct aix_writer *writer = writing->state;
	unsigned record = aix_record_of(writing, values->batch, values->row);
	if (record == AIX_HOOK32 || record == AIX_HOOK64)
		return record == AIX_HOOK64;
	/* No entry with flags as low as a hook type has anything that they would tell. */
	return values->type > 15 || (writer->encoder.form.wide && values->type == 0);
}

/* A hook type as flags: a 32-bit hook in a trace of 64-bit ones (reference aix 4.8). */
static void
widen(struct values *values)
{
	unsigned type = values->type;
	values->type = type & AIX_TYPE_STAMPED ? AIX_FLAG_STAMPED : 0;
	if ((type & AIX_TYPE_WORDS) == 0)
		values->type |= AIX_FLAG_GENERIC;
	if (values->size)
		values->type |= AIX_FLAG_WORDS32;
}

/* Flags as a hook type, where the data words have 4 bytes. */
static enum poly_status
narrow(struct writing *writing, struct values *values, struct poly_error *error)
{
	unsigned flags = values->type;
	if (values->size && !(flags & AIX_FLAG_WORDS32))
		return REFUSE(values, error,
			"data words of 8 bytes need hook words of 64 bits: aix.word=64");
	if (flags & AIX_FLAG_CPU)
		writing_note(writing, "cpu ids of events were dropped");
	values->has_time = flags & AIX_FLAG_STAMPED && values->has_time;
	values->type = guess_type32(values);
	if (flags & AIX_FLAG_GENERIC)
		values->type &= AIX_TYPE_STAMPED;
	return POLY_OK;
}

/* Fits a row's type to the hook words that are written. */
static enum poly_status
fit_type(struct writing *writing, struct values *values, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	bool flags = values->has_type && has_flags(writing, values);
	if (!values->has_type || flags == writer->encoder.form.wide)
		return POLY_OK;
	writing_note(writing, flags ? "hook words of 64 bits became ones of 32"
				    : "hook words of 32 bits became ones of 64");
	if (flags)
		return narrow(writing, values, error);
	widen(values);
	return POLY_OK;
}

/* What a row has to have: what its type says is there. */
static enum poly_status
lacks(struct writing *writing, const struct values *values, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	const struct aix_form *form = &writer->encoder.form;
	const unsigned stamped = form->wide ? AIX_FLAG_STAMPED : AIX_TYPE_STAMPED;
	if (values->has_type && values->type & stamped && !values->has_time)
		return writing_lacks(values->batch, values->row, "time", error);
	if (values->has_type && form->wide && values->type & AIX_FLAG_CPU && !values->has_cpu)
		return writing_lacks(values->batch, values->row, "cpu", error);
	if (form->has_tid && !values->has_thread)
		writing_note(writing, "threads that are not known were written as 0");
	if (!writing->own_raw && poly_present(values->batch, POLY_COLUMN_process, values->row))
		writing_note(writing, "processes were dropped: only hooks tell them");
	if (!form->has_tid && values->has_thread)
		writing_note(writing, "threads were dropped");
	return POLY_OK;
}

enum poly_status
aix_encode(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	struct aix_encoder *encoder = &writer->encoder;
	struct values values;
	size_t size;
	buf_clear(&encoder->bytes);
	bool whole = take_values(batch, row, &values);
	const uint8_t *raw = bytes_of(batch, POLY_COLUMN_raw, row, &size);
	if (raw && writing->own_raw && writer->container == AIX_SAME) {
		buf_append(&encoder->bytes, raw, size);
		encoder->time = values.has_time ? values.time : encoder->time;
		return POLY_OK;
	}
	if (!whole)
		return writing_lacks(batch, row, "hook", error);
	enum poly_status status = fit_type(writing, &values, error);
	if (status == POLY_OK)
		status = lacks(writing, &values, error);
	if (status == POLY_OK)
		status = encoder->form.wide ? encode64(writing, &values, error)
					    : encode32(writing, &values, error);
	if (status == POLY_OK && encoder->bytes.failed)
		status = err_memory(error);
	return status;
}
