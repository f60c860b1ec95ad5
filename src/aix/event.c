/* SPDX-License-Identifier: MIT */
/* spec: trcfmt File Format, Trace Entries and Data Pointer. */
#include "aix/event.h"

#include "polytrace/trace.h"

#include <string.h>

#include "base/bits.h"

static void
load_data(const struct poly_batch *batch, size_t row, struct aix_event *event)
{
	if (poly_present(batch, POLY_COLUMN_payload, row))
		event->data = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &event->size);
	if (poly_present(batch, POLY_COLUMN_counters, row)) {
		size_t n;
		event->registers = poly_batch_bytes(batch, POLY_COLUMN_counters, row, &n);
		event->register_count = n / 8;
	}
}

static void
load_context(const struct poly_batch *batch, size_t row, struct aix_event *event)
{
	event->has_time = poly_present(batch, POLY_COLUMN_time, row);
	event->has_thread = poly_present(batch, POLY_COLUMN_thread, row);
	event->has_cpu = poly_present(batch, POLY_COLUMN_cpu, row);
	if (event->has_time)
		event->time = batch->time[row];
	if (event->has_thread)
		event->thread = batch->thread[row];
	if (event->has_cpu)
		event->cpu = batch->cpu[row];
	if (poly_present(batch, POLY_COLUMN_origin, row))
		event->offset = batch->origin[row];
}

/* Derives the hook type of a row without one from its data. */
static uint16_t
guess_type(const struct aix_event *event)
{
	uint16_t stamped = event->has_time ? AIX_TYPE_STAMPED : 0;
	if (event->size > 20 || event->size % 4)
		return stamped;
	return stamped | (event->size == 0 ? 1 : event->size == 4 ? 2 : 6);
}

/* True if the event has a hook word of 64 bits. */
static bool
is_wide(const struct poly_batch *batch, size_t row, const struct aix_event *event)
{
	if (poly_present(batch, POLY_COLUMN_record, row))
		return batch->record[row] == AIX_HOOK64;
	return event->hook & 15 || event->type > 15 || event->register_count ||
	       event->thread > UINT32_MAX;
}

bool
aix_event_of_row(const struct poly_batch *batch, size_t row, struct aix_event *event)
{
	if (!poly_present(batch, POLY_COLUMN_hook, row) ||
		(poly_present(batch, POLY_COLUMN_record, row) &&
			batch->record[row] > AIX_HOOK64))
		return false;
	*event = (struct aix_event){.hook = batch->hook[row]};
	load_data(batch, row, event);
	load_context(batch, row, event);
	if (poly_present(batch, POLY_COLUMN_subhook, row))
		event->subhook = batch->subhook[row];
	bool has_type = poly_present(batch, POLY_COLUMN_hook_type, row);
	if (has_type)
		event->type = batch->hook_type[row];
	event->wide = is_wide(batch, row, event);
	if (!has_type && !event->wide)
		event->type = guess_type(event);
	event->generic = event->wide ? (event->type & AIX_FLAG_GENERIC) != 0
				     : (event->type & AIX_TYPE_WORDS) == 0;
	event->word = event->wide && !(event->type & AIX_FLAG_WORDS32) ? 8 : 4;
	if (event->wide && event->generic) {
		const char *length = poly_trace_fact(batch->info, "aix.len64g");
		event->length_is_data = length && strcmp(length, "data") == 0;
	}
	return true;
}

unsigned
aix_event_hook_word(const struct aix_event *event, uint8_t word[8])
{
	if (!event->wide) {
		store_be32(word, (uint32_t)event->hook << 16 |
					 (uint32_t)(event->type & 15) << 16 | event->subhook);
		return 4;
	}
	size_t length = event->size;
	if (event->generic && !event->length_is_data)
		length -= length < event->word ? length : event->word;
	store_be32(word, (uint32_t)event->type << 16 | (uint16_t)length);
	store_be32(word + 4, (uint32_t)event->hook << 16 | event->subhook);
	return 8;
}

uint64_t
aix_event_word(const struct aix_event *event, unsigned i)
{
	size_t at = (size_t)(i - 1) * event->word;
	if (i == 0 || event->size < event->word || at > event->size - event->word)
		return 0;
	const uint8_t *p = event->data + at;
	return event->word == 8 ? load_be64(p) : load_be32(p);
}

uint16_t
aix_event_sub(const struct aix_event *event)
{
	return event->generic && !event->wide ? (uint16_t)aix_event_word(event, 1)
					      : event->subhook;
}
