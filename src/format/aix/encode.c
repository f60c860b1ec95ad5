/* SPDX-License-Identifier: MIT */
/*
 * Encodes rows as entries. If a row has no type, it is derived from its data, time and
 * registers.
 *
 * spec: trcfmt File Format, Trace Entries and Data Pointer.
 */
#include "format/aix/aix.h"

#include "aix/clock.h"

#include "base/err.h"

#include <string.h>

/* Maximum number of data words of an entry. */
#define WORDS_MAX 5

/* Values of the columns of a row. */
struct entry_values {
	const struct poly_batch *batch;
	size_t row;
	uint16_t hook, subhook, type;
	const uint8_t *data, *registers;
	size_t size, registers_size; /* in bytes */
	bool has_type, has_time, has_thread, has_cpu;
	uint64_t time, thread;
	uint32_t cpu;
};

unsigned
aix_record_of(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct aix_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	if (!poly_present(batch, POLY_COLUMN_record, row))
		return AIX_RECORD_COUNT;
	uint8_t number = batch->record[row], *known = &writer->records[number];
	if (*known)
		return *known - 1u;
	unsigned record = 0;
	const char *name = number < source->record_count ? source->records[number] : "";
	while (record < AIX_RECORD_COUNT && strcmp(name, aix_record_names[record]) != 0)
		record++;
	*known = (uint8_t)(record + 1);
	return record;
}

static const uint8_t *
bytes_of(const struct poly_batch *batch, enum poly_column column, size_t row, size_t *size)
{
	*size = 0;
	if (!poly_present(batch, column, row))
		return NULL;
	return poly_batch_bytes(batch, column, row, size);
}

static bool
load_values(const struct poly_batch *batch, size_t row, struct entry_values *values)
{
	*values = (struct entry_values){.batch = batch,
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
	struct entry_values values;
	return load_values(batch, row, &values) &&
	       ((values.hook & 15) || values.type > 15 || values.registers_size ||
		       values.thread > UINT32_MAX);
}

/* Reports POLY_ERR_LOSS for a row that an entry cannot hold. */
#define REJECT(values, error, ...)                                     \
	(err_set((error), POLY_ERR_LOSS, POLY_NO_OFFSET, __VA_ARGS__), \
		rejected((values), (error)))

static enum poly_status
rejected(const struct entry_values *values, struct poly_error *error)
{
	if (error)
		error->record = poly_batch_number(values->batch, values->row);
	return POLY_ERR_LOSS;
}

static void
append_zeros(struct buf *bytes, size_t n)
{
	static const uint8_t zeros[8 * WORDS_MAX];
	buf_append(bytes, zeros, n);
}

static void
append32(struct buf *bytes, uint32_t v)
{
	uint8_t word[4];
	store_be32(word, v);
	buf_append(bytes, word, sizeof word);
}

static void
append64(struct buf *bytes, uint64_t v)
{
	append32(bytes, (uint32_t)(v >> 32));
	append32(bytes, (uint32_t)v);
}

/* Derives the hook type of a row without one. */
static uint16_t
guess_type32(const struct entry_values *values)
{
	unsigned type = values->has_time ? AIX_TYPE_STAMPED : 0;
	if (values->size == 0)
		return (uint16_t)(type | 1);
	if (values->size == 4)
		return (uint16_t)(type | 2);
	bool words = values->size % 4 == 0 && values->size <= 4 * WORDS_MAX;
	return (uint16_t)(words ? type | 6 : type);
}

/* Checks that an entry with a 32-bit hook word can hold a row. */
static enum poly_status
check_fit32(const struct entry_values *values, int words, struct poly_error *error)
{
	if (values->hook & 15)
		return REJECT(values, error,
			"hook 0x%04x needs hook words of 64 bits; set aix.word=64",
			values->hook);
	if (words < 0)
		return REJECT(values, error,
			"hook type 0x%x, expected 0, 1, 2, 6, 8, 9, 0xa or 0xe", values->type);
	if (values->thread > UINT32_MAX)
		return REJECT(values, error,
			"thread %llu needs hook words of 64 bits; set aix.word=64",
			(unsigned long long)values->thread);
	if (values->registers_size)
		return REJECT(
			values, error, "counters need hook words of 64 bits; set aix.word=64");
	if ((values->type & AIX_TYPE_WORDS) == 0 && values->size < 4)
		return REJECT(values, error,
			"payload has %zu bytes, expected a data word of 4 before a buffer",
			values->size);
	if ((values->type & AIX_TYPE_WORDS) == 0 && values->size - 4 > UINT16_MAX)
		return REJECT(values, error, "payload has %zu bytes, expected at most %d",
			values->size, UINT16_MAX + 4);
	if ((values->type & AIX_TYPE_WORDS) != 0 && values->size > 4 * (size_t)words)
		return REJECT(values, error,
			"payload has %zu bytes, type 0x%x holds at most %d", values->size,
			values->type, 4 * words);
	return POLY_OK;
}

/*
 * Follows the reader, which reconstructs the upper bits of a time of 32 bits from earlier
 * entries.
 */
static void
follow_time32(struct writing *writing, uint64_t time)
{
	struct aix_writer *writer = writing->state;
	struct aix_encoder *encoder = &writer->encoder;
	encoder->time = aix_time_unwrap(encoder->time, (uint32_t)time);
	if (encoder->time != time)
		writing_note(writing, "times were truncated to the 32 bits of the timer");
	encoder->time = time;
}

static enum poly_status
encode32(struct writing *writing, struct entry_values *values, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	struct buf *bytes = &writer->encoder.bytes;
	if (!values->has_type)
		values->type = guess_type32(values);
	int words = aix_type_words(values->type);
	enum poly_status status = check_fit32(values, words, error);
	if (status != POLY_OK)
		return status;
	bool generic = (values->type & AIX_TYPE_WORDS) == 0;
	uint16_t data = generic ? (uint16_t)(values->size - 4) : values->subhook;
	append32(bytes, (uint32_t)(values->hook | (values->type & 15u)) << 16 | data);
	if (values->size)
		buf_append(bytes, values->data, values->size);
	append_zeros(bytes, generic ? -values->size % 4 : 4 * (size_t)words - values->size);
	if (writer->encoder.form.has_tid)
		append32(bytes, (uint32_t)values->thread);
	if (values->type & AIX_TYPE_STAMPED) {
		append32(bytes, (uint32_t)values->time);
		follow_time32(writing, values->time);
	}
	return POLY_OK;
}

/* Derives the flags of a row without a type. */
static uint16_t
guess_type64(const struct entry_values *values)
{
	unsigned flags = values->has_time ? AIX_FLAG_STAMPED : 0;
	size_t registers = values->registers_size / 8;
	if (values->has_cpu)
		flags |= AIX_FLAG_CPU;
	if (registers)
		flags |= AIX_FLAG_REGISTERS | (unsigned)((registers - 1) & AIX_FLAG_COUNT);
	if (values->size % 8 && values->size % 4 == 0 && values->size <= 4 * WORDS_MAX)
		flags |= AIX_FLAG_WORDS32;
	else if (values->size % 8 || values->size > 8 * WORDS_MAX)
		flags |= AIX_FLAG_GENERIC | (values->size < 8 ? AIX_FLAG_WORDS32 : 0);
	return (uint16_t)flags;
}

/* Checks that an entry with a 64-bit hook word can hold a row. */
static enum poly_status
check_fit64(const struct entry_values *values, size_t word, struct poly_error *error)
{
	size_t registers = values->type & AIX_FLAG_REGISTERS
				   ? 8 * ((values->type & AIX_FLAG_COUNT) + (size_t)1)
				   : 0;
	if (values->hook >> 12 == 0 && values->hook & 15)
		return REJECT(values, error,
			"hook 0x%04x is not valid: its first digit is 0, its last is not",
			values->hook);
	if (values->size < word)
		return REJECT(values, error,
			"payload has %zu bytes, expected a data word of %zu before a buffer",
			values->size, word);
	if (values->size - word > UINT16_MAX)
		return REJECT(values, error, "payload has %zu bytes, expected at most %zu",
			values->size, UINT16_MAX + word);
	if (values->registers_size != registers)
		return REJECT(values, error,
			"counters have %zu bytes, expected %zu by the flags 0x%04x",
			values->registers_size, registers, values->type);
	return POLY_OK;
}

static enum poly_status
encode64(struct writing *writing, struct entry_values *values, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	struct buf *bytes = &writer->encoder.bytes;
	if (!values->has_type)
		values->type = guess_type64(values);
	size_t word = 0;
	if (values->type & AIX_FLAG_GENERIC && !writer->encoder.form.length_is_data)
		word = values->type & AIX_FLAG_WORDS32 ? 4 : 8;
	enum poly_status status = check_fit64(values, word, error);
	if (status != POLY_OK)
		return status;
	append32(bytes, (uint32_t)values->type << 16 | (uint16_t)(values->size - word));
	append32(bytes, (uint32_t)values->hook << 16 | values->subhook);
	if (values->size)
		buf_append(bytes, values->data, values->size);
	append_zeros(bytes, -values->size % 8);
	append64(bytes, values->thread);
	if (values->type & AIX_FLAG_CPU)
		append64(bytes, values->cpu);
	if (values->type & AIX_FLAG_STAMPED)
		append64(bytes, values->time);
	if (values->registers_size)
		buf_append(bytes, values->registers, values->registers_size);
	return POLY_OK;
}

/* True if the type of a row holds the flags of a 64-bit hook word. */
static bool
has_flags(struct writing *writing, const struct entry_values *values)
{
	const struct aix_writer *writer = writing->state;
	unsigned record = aix_record_of(writing, values->batch, values->row);
	if (record == AIX_HOOK32 || record == AIX_HOOK64)
		return record == AIX_HOOK64;
	/* Flags below 16 do not describe any part of an entry. */
	return values->type > 15 || (writer->encoder.form.wide && values->type == 0);
}

/*
 * Converts a hook type to flags: a 32-bit hook in a trace of 64-bit ones (trcfmt File Format,
 * Trace Entries).
 */
static void
type_to_flags(struct entry_values *values)
{
	unsigned type = values->type;
	values->type = type & AIX_TYPE_STAMPED ? AIX_FLAG_STAMPED : 0;
	if ((type & AIX_TYPE_WORDS) == 0)
		values->type |= AIX_FLAG_GENERIC;
	if (values->size)
		values->type |= AIX_FLAG_WORDS32;
}

/* Converts flags to a hook type, if the data words have 4 bytes. */
static enum poly_status
flags_to_type(struct writing *writing, struct entry_values *values, struct poly_error *error)
{
	unsigned flags = values->type;
	if (values->size && !(flags & AIX_FLAG_WORDS32))
		return REJECT(values, error,
			"data words of 8 bytes need hook words of 64 bits; set aix.word=64");
	if (flags & AIX_FLAG_CPU)
		writing_note(writing, "cpu ids of events were dropped");
	values->has_time = flags & AIX_FLAG_STAMPED && values->has_time;
	values->type = guess_type32(values);
	if (flags & AIX_FLAG_GENERIC)
		values->type &= AIX_TYPE_STAMPED;
	return POLY_OK;
}

/* Converts a row's type to the width of the written hook words. */
static enum poly_status
fit_type(struct writing *writing, struct entry_values *values, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	bool flags = values->has_type && has_flags(writing, values);
	if (!values->has_type || flags == writer->encoder.form.wide)
		return POLY_OK;
	writing_note(writing, flags ? "hook words of 64 bits were converted to 32 bits"
				    : "hook words of 32 bits were converted to 64 bits");
	if (flags)
		return flags_to_type(writing, values, error);
	type_to_flags(values);
	return POLY_OK;
}

/* Checks that a row has the values that its type requires. */
static enum poly_status
check_present(
	struct writing *writing, const struct entry_values *values, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	const struct aix_form *form = &writer->encoder.form;
	const unsigned stamped = form->wide ? AIX_FLAG_STAMPED : AIX_TYPE_STAMPED;
	if (values->has_type && values->type & stamped && !values->has_time)
		return writing_lacks(values->batch, values->row, "time", error);
	if (values->has_type && form->wide && values->type & AIX_FLAG_CPU && !values->has_cpu)
		return writing_lacks(values->batch, values->row, "cpu", error);
	if (form->has_tid && !values->has_thread)
		writing_note(writing, "unknown threads were written as 0");
	if (!writing->own_raw && poly_present(values->batch, POLY_COLUMN_process, values->row))
		writing_note(writing, "processes were dropped: only hooks identify them");
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
	struct entry_values values;
	size_t size;
	buf_clear(&encoder->bytes);
	bool has_hook = load_values(batch, row, &values);
	const uint8_t *raw = bytes_of(batch, POLY_COLUMN_raw, row, &size);
	if (raw && writer->own_form) {
		buf_append(&encoder->bytes, raw, size);
		if (values.has_time && !encoder->form.wide)
			follow_time32(writing, values.time);
		return POLY_OK;
	}
	if (!has_hook)
		return writing_lacks(batch, row, "hook", error);
	enum poly_status status = fit_type(writing, &values, error);
	if (status == POLY_OK)
		status = check_present(writing, &values, error);
	if (status == POLY_OK)
		status = encoder->form.wide ? encode64(writing, &values, error)
					    : encode32(writing, &values, error);
	if (status == POLY_OK && encoder->bytes.failed)
		status = err_memory(error);
	return status;
}
