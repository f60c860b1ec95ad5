/* SPDX-License-Identifier: MIT */
/* Logs the events of parts of traces. */
#include "analysis/facts/part_log.h"

#include "base/mem.h"
#include "base/vec.h"
#include "polytrace/batch.h"

#include <string.h>

void
part_log_end(struct part_log *log)
{
	mem_free(log->items);
	log->items = NULL;
	log->count = log->capacity = 0;
	log->is_part = false;
}

void
part_log_begin(struct part_log *log)
{
	part_log_end(log);
	log->traces = log->traces ? 2 : 1;
	log->has_rows = log->is_full = false;
}

void
part_log_see(struct part_log *log, const struct poly_batch *batch)
{
	if (!log->has_rows && batch->rows)
		log->is_part = log->traces == 1 && poly_batch_number(batch, 0) != 1;
	log->has_rows |= batch->rows != 0;
}

bool
part_log_add(struct part_log *log, const void *item)
{
	if (!log->is_part)
		return true;
	if (log->count == log->capacity &&
		!vec_grow(&log->items, log->item_size, &log->capacity, sizeof log->capacity,
			log->count + 1))
		return false;
	memcpy(log->items + log->item_size * log->count++, item, log->item_size);
	log->is_full = log->count * log->item_size >= PART_LOG_MAX_BYTES;
	return true;
}

void
part_log_merge(struct part_log *into, const struct part_log *from, bool continues)
{
	if (!continues)
		part_log_end(into);
	if (!continues || from->traces > 1)
		into->traces = 2;
	else if (!into->traces)
		into->traces = from->traces;
	if (continues && into->traces == 1 && !into->has_rows)
		into->is_part = from->is_part;
	into->has_rows = from->has_rows || (continues && into->has_rows);
}

void
part_log_fini(struct part_log *log)
{
	part_log_end(log);
}
