/* SPDX-License-Identifier: MIT */
/* What columns.def says of the columns, and their values as text. */
#include "polytrace/trace.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	const char *doc;
	enum poly_form form;
} columns[] = {
#define COLUMN(name, type, form, doc) {#name, doc, POLY_FORM_##form},
#include "polytrace/columns.def"
#undef COLUMN
};

_Static_assert(POLY_COLUMN_COUNT <= 64, "poly_columns is a 64-bit set");

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

/* By form; forms that are no enumeration have no names. */
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
	return (unsigned)column < POLY_COLUMN_COUNT ? columns[column].name : NULL;
}

enum poly_form
poly_column_form(enum poly_column column)
{
	return columns[column].form;
}

const char *
poly_column_doc(enum poly_column column)
{
	return (unsigned)column < POLY_COLUMN_COUNT ? columns[column].doc : NULL;
}

enum poly_column
poly_column_find(const char *name, size_t n)
{
	unsigned c = 0;
	while (c < POLY_COLUMN_COUNT &&
		(strlen(columns[c].name) != n || memcmp(columns[c].name, name, n) != 0))
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

/* The value of an integer column; slices have none. */
#define INTEGER(name) return (uint64_t)batch->name[row]
#define NO_INTEGER(name) return 0
#define INTEGER_KIND INTEGER
#define INTEGER_ACCESS INTEGER
#define INTEGER_BRANCH INTEGER
#define INTEGER_SYNC INTEGER
#define INTEGER_EVENT INTEGER
#define INTEGER_FLAGS INTEGER
#define INTEGER_RECORD INTEGER
#define INTEGER_NAME INTEGER
#define INTEGER_BOOL INTEGER
#define INTEGER_DEC INTEGER
#define INTEGER_HEX INTEGER
#define INTEGER_BYTES NO_INTEGER
#define INTEGER_TEXT NO_INTEGER

uint64_t
poly_batch_integer(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	switch ((unsigned)column) {
#define COLUMN(name, type, form, doc) \
	case POLY_COLUMN_##name:      \
		INTEGER_##form(name);
#include "polytrace/columns.def"
#undef COLUMN
	}
	return 0;
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
	}
	*length = slices ? slices[row].length : 0;
	return *length ? batch->arena + slices[row].offset : (const uint8_t *)"";
}

static size_t
format_bytes(const uint8_t *bytes, size_t n, char *text, size_t size)
{
	size_t shown = size ? (size - 1) / 2 : 0;
	if (shown > n)
		shown = n;
	for (size_t i = 0; i < shown; i++)
		num_hex(text + 2 * i, bytes[i], 2);
	if (size)
		text[2 * shown] = 0;
	return 2 * n;
}

static size_t
format_text(const uint8_t *bytes, size_t n, char *text, size_t size)
{
	size_t shown = size && size - 1 < n ? size - 1 : n;
	if (size) {
		memcpy(text, bytes, shown);
		text[shown] = 0;
	}
	return n;
}

/* A name, or the number where it has none (a producer's mistake that must still be seen). */
static size_t
format_name(const char *name, uint64_t value, char *text, size_t size)
{
	int n = name ? snprintf(text, size, "%s", name)
		     : snprintf(text, size, "%llu", (unsigned long long)value);
	return (size_t)n;
}

static size_t
format_integer(const struct poly_batch *batch, enum poly_column column, uint64_t value,
	char *text, size_t size)
{
	const struct poly_trace_info *info = batch->info;
	switch (columns[column].form) {
	case POLY_FORM_RECORD:
		return format_name(value < info->record_count ? info->records[value] : NULL,
			value, text, size);
	case POLY_FORM_NAME:
		return format_name(poly_trace_name(info, (uint32_t)value), value, text, size);
	case POLY_FORM_BOOL: return format_name(value ? "true" : "false", value, text, size);
	case POLY_FORM_HEX:
		return (size_t)snprintf(text, size, "0x%llx", (unsigned long long)value);
	case POLY_FORM_DEC:
		if (column == POLY_COLUMN_immediate)
			return (size_t)snprintf(text, size, "%lld", (long long)value);
		return format_name(NULL, value, text, size);
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS:
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: break;
	}
	return format_name(
		poly_enum_name(columns[column].form, (unsigned)value), value, text, size);
}

size_t
poly_batch_format(const struct poly_batch *batch, enum poly_column column, size_t row,
	char *text, size_t size)
{
	if (size)
		*text = 0;
	if (!poly_present(batch, column, row))
		return 0;
	enum poly_form form = columns[column].form;
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT) {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
		return form == POLY_FORM_TEXT ? format_text(bytes, n, text, size)
					      : format_bytes(bytes, n, text, size);
	}
	return format_integer(
		batch, column, poly_batch_integer(batch, column, row), text, size);
}
