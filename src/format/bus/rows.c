/* SPDX-License-Identifier: MIT */
/* Converting rows of any trace to bus cycles. spec: BYU BACH bus trace reference 6.7 */
#include "format/bus/rows.h"

#include "format/bus/text.h"

#include <string.h>

/* Maximum bytes of an access that is split into transfers. */
#define SPLIT_MAX 64

/* A power of two that exceeds the bytes of any instruction. */
#define BUS_FETCH_MAX 16

enum bus_raw
bus_raw_contents(const struct poly_trace_info *info)
{
	if (!info->raw_format)
		return BUS_RAW_NONE;
	if (strcmp(info->raw_format, "bach-text") == 0)
		return BUS_RAW_TEXT;
	if (strcmp(info->raw_format, "bach") != 0)
		return BUS_RAW_NONE;
	const char *order = poly_trace_fact(info, "bach.endian");
	return order && strcmp(order, "le") == 0 ? BUS_RAW_LITTLE : BUS_RAW_BIG;
}

poly_columns
bus_uses(const struct poly_trace_info *info)
{
	const poly_columns recorded =
		POLY_COLUMNS_INIT(address, byte_enables, control, raw, requested_address);
	if (strcmp(info->format, "bach") == 0 || strcmp(info->format, "bach-text") == 0)
		return recorded;
	return poly_columns_union(recorded,
		POLY_COLUMNS(access, size, event, origin, kind, pc, opcode_size, uop_index));
}

static bool
in_all_rows(const struct poly_batch *batch, enum poly_column column)
{
	const uint64_t *bits = batch->present[column];
	size_t words = batch->rows / 64;
	uint64_t all = UINT64_MAX, last = ((uint64_t)1 << (batch->rows % 64)) - 1;
	for (size_t i = 0; bits && i < words; i++)
		all &= bits[i];
	return bits && all == UINT64_MAX && (!last || (bits[words] & last) == last);
}

static bool
in_no_row(const struct poly_batch *batch, enum poly_column column)
{
	const uint64_t *bits = batch->present[column];
	return !bits || bit_count(bits, batch->rows) == 0;
}

bool
bus_rows_plain(const struct poly_batch *batch)
{
	return in_all_rows(batch, POLY_COLUMN_address) &&
	       in_all_rows(batch, POLY_COLUMN_byte_enables) &&
	       in_all_rows(batch, POLY_COLUMN_control) && in_no_row(batch, POLY_COLUMN_raw) &&
	       in_no_row(batch, POLY_COLUMN_requested_address);
}

static bool
recorded_raw(
	const struct poly_batch *batch, size_t row, enum bus_raw raw, struct bus_cycle *cycle)
{
	size_t n;
	bool exact;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (raw == BUS_RAW_TEXT)
		return bus_parse((const char *)bytes, n, cycle, &exact);
	if (raw == BUS_RAW_NONE || n != BUS_CYCLE_SIZE)
		return false;
	*cycle = bus_load(bytes, raw == BUS_RAW_LITTLE);
	return true;
}

bool
bus_recorded_cycle(
	const struct poly_batch *batch, size_t row, enum bus_raw raw, struct bus_cycle *cycle)
{
	if (!poly_present(batch, POLY_COLUMN_control, row) ||
		!poly_present(batch, POLY_COLUMN_byte_enables, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		batch_stated_address(batch, row) > UINT32_MAX)
		return false;
	if (poly_present(batch, POLY_COLUMN_raw, row) && recorded_raw(batch, row, raw, cycle))
		return true;
	*cycle = (struct bus_cycle){(uint32_t)batch_stated_address(batch, row) & ~7u,
		batch->byte_enables[row], batch->control[row]};
	return true;
}

/* Byte enables and address of the special cycles (BYU BACH bus trace reference 4.3); 0: none.
 */
static const struct {
	uint8_t enables, address;
} special_cycles[POLY_EVENT_COUNT] = {
	[POLY_EVENT_SHUTDOWN] = {0xfe, 0},
	[POLY_EVENT_FLUSH] = {0xfd, 0},
	[POLY_EVENT_HALT] = {0xfb, 0},
	[POLY_EVENT_STOP_GRANT] = {0xfb, 0x10},
	[POLY_EVENT_WRITE_BACK] = {0xf7, 0},
	[POLY_EVENT_SYNC] = {0xf7, 0},
	[POLY_EVENT_FLUSH_ACKNOWLEDGE] = {0xef, 0},
	[POLY_EVENT_BRANCH_TRACE] = {0xdf, 0},
};

static void
add_cycle(struct bus_conversion *conversion, uint32_t address, uint8_t enables,
	unsigned operation)
{
	conversion->cycles[conversion->count++] =
		(struct bus_cycle){address & ~7u, enables, (uint8_t)(operation << 4)};
}

static void
convert_event(struct writing *writing, struct bus_conversion *conversion,
	const struct poly_batch *batch, size_t row)
{
	unsigned event = batch->event[row];
	if (event == POLY_EVENT_INTERRUPT_ACKNOWLEDGE) {
		add_cycle(conversion, 0, 0xfe, BUS_INT_ACK);
		return;
	}
	uint8_t enables = event < POLY_EVENT_COUNT ? special_cycles[event].enables : 0;
	if (!enables) {
		writing_note(writing, "events dropped that have no bus cycle");
		return;
	}
	uint32_t address = special_cycles[event].address;
	if (event == POLY_EVENT_BRANCH_TRACE && poly_present(batch, POLY_COLUMN_address, row))
		address = (uint32_t)batch->address[row];
	add_cycle(conversion, address, enables, BUS_SPECIAL);
}

/* Operations of an access of up to 8 bytes, and of a line (0: none). */
static const struct {
	uint8_t single, line;
} access_operations[POLY_ACCESS_COUNT] = {
	[POLY_ACCESS_READ] = {BUS_NC_READ, BUS_READ},
	[POLY_ACCESS_WRITE] = {BUS_WRITE, BUS_WRITE_BACK},
	[POLY_ACCESS_FETCH] = {BUS_NC_FETCH, BUS_FETCH},
	[POLY_ACCESS_IO_READ] = {BUS_IO_READ, 0},
	[POLY_ACCESS_IO_WRITE] = {BUS_IO_WRITE, 0},
};

/* Adds transfers of at most 8 bytes within 8, in address order. */
static void
split_access(
	struct bus_conversion *conversion, uint32_t address, unsigned size, unsigned operation)
{
	while (size) {
		unsigned first = address & 7, n = size < 8 - first ? size : 8 - first;
		add_cycle(conversion, address, bus_enables(first, n), operation);
		address += n;
		size -= n;
	}
}

static void
convert_access(struct writing *writing, struct bus_conversion *conversion,
	const struct poly_batch *batch, size_t row)
{
	unsigned access = batch->access[row];
	uint32_t address = (uint32_t)batch->address[row], size = 1;
	unsigned single = access < POLY_ACCESS_COUNT ? access_operations[access].single : 0;
	if (!single) {
		writing_note(writing, "prefetches and cache operations dropped");
		return;
	}
	if (poly_present(batch, POLY_COLUMN_size, row))
		size = batch->size[row];
	else
		writing_note(writing, "accesses of unknown size, written as 1 byte");
	if (size == 0 || size > SPLIT_MAX) {
		writing_note(writing, "accesses dropped whose size is 0 or exceeds 64 bytes");
	} else if (size == BUS_LINE_SIZE && access_operations[access].line) {
		const uint32_t request = (uint32_t)batch_stated_address(batch, row);
		const unsigned first = request & 7;
		add_cycle(conversion, request, bus_enables(first, 8 - first),
			access_operations[access].line);
	} else {
		const size_t before = conversion->count;
		split_access(conversion, address, size, single);
		if (conversion->count > before + 1)
			writing_note(
				writing, "accesses split into transfers of at most 8 bytes");
	}
}

/* Fails with an address that the bus does not have. */
static enum poly_status
refuse_address(
	const struct poly_batch *batch, size_t row, uint64_t address, struct poly_error *error)
{
	uint64_t origin = POLY_NO_OFFSET;
	if (poly_present(batch, POLY_COLUMN_origin, row))
		origin = batch->origin[row];
	err_set(error, POLY_ERR_LOSS, origin, "address 0x%llx exceeds 32 bits",
		(unsigned long long)address);
	if (error)
		error->record = poly_batch_number(batch, row);
	return POLY_ERR_LOSS;
}

static enum poly_status
check_address(const struct poly_batch *batch, size_t row, struct poly_error *error)
{
	if (!poly_present(batch, POLY_COLUMN_address, row))
		return writing_lacks(batch, row, "address", error);
	if (batch->address[row] <= UINT32_MAX && batch_stated_address(batch, row) <= UINT32_MAX)
		return POLY_OK;
	return refuse_address(batch, row, batch->address[row], error);
}

/* Returns whether a row is an instruction whose bytes are fetched: of x86, as that of other
 * processors does not use this bus. */
static bool
is_fetched(const struct poly_batch *batch, size_t row)
{
	const char *isa = batch->info->isa;
	return isa && strncmp(isa, "x86", 3) == 0 &&
	       poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       poly_present(batch, POLY_COLUMN_pc, row) &&
	       poly_present(batch, POLY_COLUMN_opcode_size, row) &&
	       (!poly_present(batch, POLY_COLUMN_uop_index, row) || batch->uop_index[row] == 1);
}

enum poly_status
bus_convert(struct writing *writing, struct bus_conversion *conversion,
	const struct poly_batch *batch, size_t row, struct poly_error *error)
{
	const bool fetched = is_fetched(batch, row);
	conversion->count = 0;
	if (bus_recorded_cycle(batch, row, conversion->raw, &conversion->cycles[0])) {
		conversion->count = 1;
		return POLY_OK;
	}
	if (fetched && batch->pc[row] > UINT32_MAX)
		return refuse_address(batch, row, batch->pc[row], error);
	if (fetched)
		split_access(conversion, (uint32_t)batch->pc[row],
			batch->opcode_size[row] & (BUS_FETCH_MAX - 1), BUS_NC_FETCH);
	if (poly_present(batch, POLY_COLUMN_event, row)) {
		convert_event(writing, conversion, batch, row);
	} else if (poly_present(batch, POLY_COLUMN_access, row)) {
		enum poly_status status = check_address(batch, row, error);
		if (status != POLY_OK)
			return status;
		convert_access(writing, conversion, batch, row);
	} else if (!fetched) {
		writing_note(writing, "records dropped that access no memory or port");
	}
	return POLY_OK;
}
