/* SPDX-License-Identifier: MIT */
/* Logs the events of parts of traces. */
#include "analysis/facts/part_log.h"

#include "base/mem.h"
#include "base/vec.h"
#include "polytrace/batch.h"

#include <string.h>

/* Removes all events. */
static void
drop_items(struct part_log *log)
{
	mem_free(log->items);
	log->items = NULL;
	log->count = log->capacity = 0;
}

void
part_log_begin(struct part_log *log)
{
	log->traces = log->traces ? 2 : 1;
	log->has_rows = log->is_part = log->is_full = false;
	drop_items(log);
}

void
part_log_see(struct part_log *log, const struct poly_batch *batch)
{
	if (!log->has_rows && batch->rows)
		log->is_part = log->traces == 1 && poly_batch_number(batch, 0) != 1;
	log->has_rows |= batch->rows != 0;
}

/* Makes room for a number of further events; false: out of memory. */
static bool
reserve(struct part_log *log, size_t count)
{
	if (log->count + count > PART_LOG_MAX_BYTES / log->item_size) {
		drop_items(log);
		log->is_full = true;
		return true;
	}
	return log->count + count <= log->capacity ||
	       vec_grow(&log->items, log->item_size, &log->capacity, sizeof log->capacity,
		       log->count + count);
}

bool
part_log_add(struct part_log *log, const void *item)
{
	if (!log->is_part || log->is_full)
		return true;
	if (!reserve(log, 1))
		return false;
	if (log->is_full)
		return true;
	memcpy(log->items + log->item_size * log->count++, item, log->item_size);
	return true;
}

bool
part_log_merge(struct part_log *into, const struct part_log *from, bool continues,
	enum part_log_merge *merge)
{
	*merge = continues && into->has_rows ? PART_LOG_REPEAT : PART_LOG_COPY;
	if (*merge == PART_LOG_REPEAT)
		return true;
	drop_items(into);
	into->traces = continues && into->traces < 2 ? from->traces : 2;
	into->has_rows = from->has_rows;
	into->is_part = into->traces == 1 && from->is_part;
	into->is_full = into->is_part && from->is_full;
	if (!into->is_part || !from->count)
		return true;
	if (!reserve(into, from->count))
		return false;
	memcpy(into->items, from->items, from->item_size * from->count);
	into->count = from->count;
	return true;
}

void
part_log_fini(struct part_log *log)
{
	drop_items(log);
}
