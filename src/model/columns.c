/* SPDX-License-Identifier: MIT */
/* Traits of the columns, and their values as text. */
#include "model/columns.h"

#include "base/num.h"
#include "model/batch_internal.h"
#include "model/info.h"

#include <stdio.h>
#include <string.h>

#define IS_SIGNED(type) _Generic((type){0}, int64_t : true, default : false)

const struct column_traits column_table[POLY_COLUMN_row + 1] = {
#define COLUMN(name, type, form, doc) \
	{#name, doc, POLY_FORM_##form, sizeof(type), IS_SIGNED(type)},
#include "polytrace/columns.def"
#undef COLUMN
#define REGISTER(i)                                         \
	[POLY_COLUMN_register + (i)] = {.name = "register", \
		.doc = "value of a register",               \
		.form = POLY_FORM_HEX,                      \
		.size = sizeof(uint64_t)}
#define REGISTERS(i)                                                          \
	REGISTER(i), REGISTER((i) + 1), REGISTER((i) + 2), REGISTER((i) + 3), \
		REGISTER((i) + 4), REGISTER((i) + 5), REGISTER((i) + 6), REGISTER((i) + 7)
	REGISTERS(0),
	REGISTERS(8),
	REGISTERS(16),
	REGISTERS(24),
	[POLY_COLUMN_row] = {"row", "number of the record in its file, from 1", POLY_FORM_DEC,
		sizeof(uint64_t), .is_signed = false},
};

_Static_assert(POLY_COLUMN_COUNT <= POLY_COLUMN_row, "the last column is the record's number");

static const char *const kind_names[POLY_KIND_COUNT] = {
	[POLY_KIND_INSTRUCTION] = "instruction",
	[POLY_KIND_ACCESS] = "access",
	[POLY_KIND_REGISTER] = "register",
	[POLY_KIND_SYNC] = "sync",
	[POLY_KIND_EVENT] = "event",
	[POLY_KIND_OTHER] = "other",
};
static const char *const access_names[POLY_ACCESS_COUNT] = {
	[POLY_ACCESS_READ] = "read",
	[POLY_ACCESS_WRITE] = "write",
	[POLY_ACCESS_FETCH] = "fetch",
	[POLY_ACCESS_PREFETCH] = "prefetch",
	[POLY_ACCESS_CACHE] = "cache",
	[POLY_ACCESS_IO_READ] = "io_read",
	[POLY_ACCESS_IO_WRITE] = "io_write",
};
static const char *const branch_names[POLY_BRANCH_COUNT] = {
	[POLY_BRANCH_NOT_TAKEN] = "not_taken",
	[POLY_BRANCH_TAKEN] = "taken",
};
static const char *const sync_names[POLY_SYNC_COUNT] = {
	[POLY_SYNC_SIGNAL] = "signal",
	[POLY_SYNC_BROADCAST] = "broadcast",
	[POLY_SYNC_WAIT] = "wait",
	[POLY_SYNC_TRYWAIT] = "trywait",
};
static const char *const event_names[POLY_EVENT_COUNT] = {
	[POLY_EVENT_INTERRUPT_ACKNOWLEDGE] = "interrupt_acknowledge",
	[POLY_EVENT_SHUTDOWN] = "shutdown",
	[POLY_EVENT_FLUSH] = "flush",
	[POLY_EVENT_HALT] = "halt",
	[POLY_EVENT_STOP_GRANT] = "stop_grant",
	[POLY_EVENT_WRITE_BACK] = "write_back",
	[POLY_EVENT_FLUSH_ACKNOWLEDGE] = "flush_acknowledge",
	[POLY_EVENT_BRANCH_TRACE] = "branch_trace",
	[POLY_EVENT_SYNC] = "sync",
	[POLY_EVENT_SMI_ACKNOWLEDGE] = "smi_acknowledge",
	[POLY_EVENT_DEFERRED_REPLY] = "deferred_reply",
	[POLY_EVENT_AGENT_RESPONSE] = "agent_response",
};
static const char *const flags_names[POLY_FLAGS_COUNT] = {
	[POLY_FLAGS_NONE] = "none",
	[POLY_FLAGS_READ] = "read",
	[POLY_FLAGS_WRITE] = "write",
	[POLY_FLAGS_BOTH] = "both",
};

/* By form; only enumerations have names. */
static const struct {
	const char *const *names;
	unsigned count;
} vocabularies[] = {
	[POLY_FORM_KIND] = {kind_names, POLY_KIND_COUNT},
	[POLY_FORM_ACCESS] = {access_names, POLY_ACCESS_COUNT},
	[POLY_FORM_BRANCH] = {branch_names, POLY_BRANCH_COUNT},
	[POLY_FORM_SYNC] = {sync_names, POLY_SYNC_COUNT},
	[POLY_FORM_EVENT] = {event_names, POLY_EVENT_COUNT},
	[POLY_FORM_FLAGS] = {flags_names, POLY_FLAGS_COUNT},
	[POLY_FORM_TEXT] = {NULL, 0},
};

const char *
poly_column_name(enum poly_column column)
{
	return (unsigned)column <= POLY_COLUMN_row ? column_table[column].name : NULL;
}

enum poly_form
poly_column_form(enum poly_column column)
{
	return column_table[column].form;
}

const char *
poly_column_doc(enum poly_column column)
{
	return (unsigned)column <= POLY_COLUMN_row ? column_table[column].doc : NULL;
}

enum poly_column
poly_column_find(const char *name, size_t n)
{
	unsigned c = 0;
	while (c < POLY_COLUMN_COUNT && (strlen(column_table[c].name) != n ||
						memcmp(column_table[c].name, name, n) != 0))
		c++;
	return (enum poly_column)c;
}

const char *
poly_enum_name(enum poly_form form, unsigned value)
{
	return value < vocabularies[form].count ? vocabularies[form].names[value] : NULL;
}

int
poly_enum_find(enum poly_form form, const char *name, size_t n)
{
	for (unsigned i = 0; i < vocabularies[form].count; i++) {
		const char *held = vocabularies[form].names[i];
		if (strlen(held) == n && memcmp(held, name, n) == 0)
			return (int)i;
	}
	return -1;
}

poly_columns
columns_of_registers(unsigned count)
{
	poly_columns columns = POLY_NO_COLUMNS;
	for (unsigned i = 0; i < count; i++)
		poly_columns_add(&columns, (enum poly_column)(POLY_COLUMN_register + i));
	return columns;
}

const char *
poly_trace_column_name(const struct poly_trace_info *info, enum poly_column column)
{
	const unsigned number = (unsigned)column - POLY_COLUMN_register;
	if (!column_is_register(column))
		return poly_column_name(column);
	return number < info_register_count(info) ? info->names->registers[number] : NULL;
}

const void *
column_data(const struct poly_batch *batch, enum poly_column column)
{
	if (column_is_register(column))
		return batch->reserved[column - POLY_COLUMN_COUNT];
	switch ((unsigned)column) {
#define COLUMN(name, type, form, doc) \
	case POLY_COLUMN_##name:      \
		return batch->name;
#include "polytrace/columns.def"
#undef COLUMN
	}
	return NULL;
}

const uint64_t *
poly_batch_weights(const struct poly_batch *batch)
{
	return batch->internal ? batch->internal->weight : NULL;
}

void
columns_list(poly_columns columns, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	FOR_COLUMNS(column, columns)
	{
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s",
				used ? ", " : "", column_table[column].name);
	}
}

void
batch_keep_columns(struct poly_batch *batch, poly_columns kept)
{
#define COLUMN(name, type, form, doc)                      \
	if (!POLY_HAS(kept, name)) {                       \
		batch->name = NULL;                        \
		batch->present[POLY_COLUMN_##name] = NULL; \
	}
#include "polytrace/columns.def"
#undef COLUMN
}

uint64_t
poly_batch_integer(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	if (column == POLY_COLUMN_row)
		return poly_batch_number(batch, row);
	return column_load(&column_table[column], column_data(batch, column), row);
}

const uint8_t *
poly_batch_bytes(
	const struct poly_batch *batch, enum poly_column column, size_t row, size_t *length)
{
	const struct poly_slice *slices = NULL;
	switch ((unsigned)column) {
	case POLY_COLUMN_text: slices = batch->text; break;
	case POLY_COLUMN_payload: slices = batch->payload; break;
	case POLY_COLUMN_raw: slices = batch->raw; break;
	case POLY_COLUMN_verbatim: slices = batch->verbatim; break;
	case POLY_COLUMN_counters: slices = batch->counters; break;
	}
	*length = slices ? slices[row].length : 0;
	return *length ? batch->arena + slices[row].offset : (const uint8_t *)"";
}

/* Copies as much of a text of n bytes as fits, with a NUL; returns n. */
static size_t
put_text(const void *bytes, size_t n, char *text, size_t size)
{
	size_t shown = size && size - 1 < n ? size - 1 : n;
	if (size) {
		memcpy(text, bytes, shown);
		text[shown] = 0;
	}
	return n;
}

static size_t
put_bytes(const uint8_t *bytes, size_t n, char *text, size_t size)
{
	size_t shown = size ? (size - 1) / 2 : 0;
	if (shown > n)
		shown = n;
	num_hex_bytes(text, bytes, shown);
	if (size)
		text[2 * shown] = 0;
	return 2 * n;
}

static size_t
hex_text(uint64_t value, char *room)
{
	unsigned digits = num_hex_width(value);
	room[0] = '0';
	room[1] = 'x';
	num_hex(room + 2, value, digits);
	return digits + 2;
}

static size_t
signed_text(int64_t value, char *room)
{
	if (value >= 0)
		return num_decimal(room, (uint64_t)value);
	*room = '-';
	return 1 + num_decimal(room + 1, -(uint64_t)value);
}

/* Returns the name of a value; NULL for numbers and values without a name. */
static const char *
value_name(const struct poly_trace_info *info, enum poly_form form, uint64_t value)
{
	switch (form) {
	case POLY_FORM_RECORD: return value < info->record_count ? info->records[value] : NULL;
	case POLY_FORM_NAME: return poly_trace_name(info, (uint32_t)value);
	case POLY_FORM_BOOL: return value ? "true" : "false";
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS: return poly_enum_name(form, (unsigned)value);
	case POLY_FORM_HEX:
	case POLY_FORM_DEC:
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: break;
	}
	return NULL;
}

const char *
column_text(const struct poly_trace_info *info, enum poly_column column, uint64_t value,
	char *room, size_t *length)
{
	const struct column_traits *traits = &column_table[column];
	const char *name = value_name(info, traits->form, value);
	if (name) {
		*length = strlen(name);
		return name;
	}
	*length = traits->form == POLY_FORM_HEX ? hex_text(value, room)
		  : traits->is_signed		? signed_text((int64_t)value, room)
						: num_decimal(room, value);
	return room;
}

size_t
poly_batch_format(const struct poly_batch *batch, enum poly_column column, size_t row,
	char *text, size_t size)
{
	char room[COLUMN_TEXT];
	size_t n;
	if (!poly_present(batch, column, row))
		return put_text("", 0, text, size);
	enum poly_form form = column_table[column].form;
	if (form != POLY_FORM_BYTES && form != POLY_FORM_TEXT) {
		uint64_t value = poly_batch_integer(batch, column, row);
		const char *shown = column_text(batch->info, column, value, room, &n);
		return put_text(shown, n, text, size);
	}
	const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
	return form == POLY_FORM_TEXT ? put_text(bytes, n, text, size)
				      : put_bytes(bytes, n, text, size);
}
