/* SPDX-License-Identifier: MIT */
/* Bus cycles: bytes, regions, ports, interrupts. */
#include "analysis/stats/system/bus.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "base/bits.h"

/* The second cycle of an interrupt acknowledge has the vector (BYU BACH bus trace
 * reference 4.3). */
#define ENABLES_DUMMY 0xef
#define ENABLES_VECTOR 0xfe

#define WIDTH 8 /* bytes of the bus */

#define OPERATION_INT_ACK 1
#define OPERATION_SPECIAL 3

void
bus_run_merge(struct bus_run *run, const struct bus_run *next)
{
	if (!next->transfers)
		return;
	if (!run->transfers) {
		*run = *next;
		return;
	}
	const bool joins = run->has_next && run->next == next->first;
	const uint64_t joined = joins ? run->tail + next->head : 0;
	if (joins && run->head == run->transfers)
		run->head += next->head;
	run->tail = joins && next->tail == next->transfers ? joined : next->tail;
	run->max = run->max > next->max ? run->max : next->max;
	run->max = run->max > joined ? run->max : joined;
	run->transfers += next->transfers;
	run->sequential += next->sequential + joins;
	run->next = next->next;
	run->has_next = next->has_next;
}

static enum poly_status
bus_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct bus *bus = state;
	(void)error;
	bus->top = setup->values[0];
	return POLY_OK;
}

static bool
bus_suits(const struct poly_trace_info *info)
{
	return poly_columns_overlap(info->columns, POLY_COLUMNS(control, request));
}

/* Clears the history: the next row is of another trace, or follows skipped rows. */
static void
forget_history(struct bus *bus)
{
	bus->last_enables = 0;
	for (size_t i = 0; i < BUS_WAYS; i++)
		bus->runs[i].has_next = false;
}

static void
bus_begin(void *state, const struct poly_trace_info *info)
{
	(void)info;
	forget_history(state);
}

static void
count_port(struct bus *bus, uint64_t port, uint32_t size, bool writes)
{
	if (port >= BUS_PORTS) {
		bus->untracked_ports++;
		return;
	}
	struct bus_port *entry = &bus->ports[port];
	bus->has_ports = true;
	entry->reads += !writes;
	entry->writes += writes;
	entry->bytes += size;
}

/* Adds a transfer of unit bytes at first to its run. */
static inline void
add_transfer(struct bus_run *run, uint64_t first, uint64_t unit)
{
	const bool follows = run->has_next && run->next == first;
	if (!run->transfers)
		run->first = first;
	run->head += run->head == run->transfers && (follows || !run->transfers);
	run->tail = follows ? run->tail + 1 : 1;
	run->max = run->tail > run->max ? run->tail : run->max;
	run->transfers++;
	run->sequential += follows;
	run->next = first + unit;
	run->has_next = true;
}

static inline void
count_memory(struct bus *bus, uint64_t address, uint32_t size, unsigned way)
{
	/* Lines and the width of the bus are powers of two, other sizes are not. */
	const uint64_t unit = size > WIDTH ? size : WIDTH;
	const uint64_t first =
		unit & (unit - 1) ? address - address % unit : address & ~(unit - 1);
	add_transfer(&bus->runs[way], first, unit);
	if (address >> 32) {
		bus->above_4gib++;
		return;
	}
	bus->regions[address >> BUS_REGION_SHIFT][way]++;
	bit_set(bus->pages, (size_t)(address >> BUS_PAGE_SHIFT));
}

/* Counts an access; returns the number of its transfers. */
static inline uint64_t
count_access(struct bus *bus, const struct poly_batch *batch, size_t row, uint32_t size)
{
	const unsigned access = batch->access[row];
	const uint64_t address = batch->address[row];
	if (access == POLY_ACCESS_IO_READ || access == POLY_ACCESS_IO_WRITE)
		count_port(bus, address, size, access == POLY_ACCESS_IO_WRITE);
	else if (access == POLY_ACCESS_FETCH)
		count_memory(bus, address, size, BUS_FETCHES);
	else
		count_memory(bus, address, size,
			access == POLY_ACCESS_WRITE ? BUS_WRITES : BUS_READS);
	return size > WIDTH ? ((uint64_t)size + WIDTH - 1) / WIDTH : 1;
}

static void
count_acknowledge(struct bus *bus, uint8_t enables)
{
	bus->dummies += enables == ENABLES_DUMMY;
	bus->vectors += enables == ENABLES_VECTOR;
	bus->pairs +=
		enables == ENABLES_VECTOR && bus->last_enables == (BUS_SEEN | ENABLES_DUMMY);
	bus->last_enables = (uint16_t)(BUS_SEEN | enables);
	if (!bus->first_enables)
		bus->first_enables = bus->last_enables;
}

static void
count_row(struct bus *bus, const struct poly_batch *batch, size_t row)
{
	const bool has_cycle = poly_present(batch, POLY_COLUMN_control, row);
	const bool has_request = poly_present(batch, POLY_COLUMN_request, row);
	const bool has_event = poly_present(batch, POLY_COLUMN_event, row);
	if (!has_cycle && !has_request)
		return;
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 0;
	const bool accesses = poly_present(batch, POLY_COLUMN_access, row) &&
			      poly_present(batch, POLY_COLUMN_address, row);
	const uint64_t transfers = accesses ? count_access(bus, batch, row, size) : 0;
	const uint32_t bytes = accesses ? size : 0;
	if (has_event && batch->event[row] < POLY_EVENT_COUNT)
		bus->events[batch->event[row]]++;
	if (has_cycle) {
		const unsigned operation = batch->control[row] >> 4;
		const uint8_t enables = poly_present(batch, POLY_COLUMN_byte_enables, row)
						? batch->byte_enables[row]
						: 0xff;
		bus->cycles[operation][enables]++;
		bus->cycle_bytes[operation] += bytes;
		bus->cycle_transfers[operation] += transfers;
		bus->reserved += !accesses && operation == OPERATION_SPECIAL && !has_event;
		if (!accesses && operation == OPERATION_INT_ACK)
			count_acknowledge(bus, enables);
	} else {
		const unsigned request = batch->request[row];
		bus->requests[request]++;
		bus->request_bytes[request] += bytes;
		bus->request_transfers[request] += transfers;
		if (accesses && batch->access[row] <= POLY_ACCESS_CACHE &&
			poly_present(batch, POLY_COLUMN_memory_type, row))
			bus->attributes[batch->memory_type[row] & 3]++;
		if (poly_present(batch, POLY_COLUMN_agent, row))
			bus->agents[batch->agent[row]]++;
	}
}

/* Returns the rows of a word that are cycles with an access, as nearly all are. */
static uint64_t
plain_rows(const struct poly_batch *batch, size_t word)
{
	return row_bits_present(batch, POLY_COLUMN_control, word) &
	       row_bits_present(batch, POLY_COLUMN_byte_enables, word) &
	       row_bits_present(batch, POLY_COLUMN_access, word) &
	       row_bits_present(batch, POLY_COLUMN_address, word) &
	       row_bits_present(batch, POLY_COLUMN_size, word) &
	       ~row_bits_present(batch, POLY_COLUMN_event, word);
}

/* As count_row, for plain_rows. */
static inline void
count_plain(struct bus *bus, const struct poly_batch *batch, size_t row)
{
	const unsigned operation = batch->control[row] >> 4;
	const uint32_t size = batch->size[row];
	bus->cycles[operation][batch->byte_enables[row]]++;
	bus->cycle_bytes[operation] += size;
	bus->cycle_transfers[operation] += count_access(bus, batch, row, size);
}

static bool
bus_update(void *state, const struct analysis_rows *rows)
{
	struct bus *bus = state;
	if (!rows->counts) {
		bus_begin(state, rows->batch->info);
		return true;
	}
	for (size_t word = 0; word < row_bits_words(rows->batch); word++) {
		const uint64_t plain = plain_rows(rows->batch, word);
		const size_t left = rows->batch->rows - 64 * word;
		for (size_t i = 0; i < 64 && i < left; i++) {
			if (plain >> i & 1)
				count_plain(bus, rows->batch, 64 * word + i);
			else
				count_row(bus, rows->batch, 64 * word + i);
		}
	}
	return true;
}

static void
add_counts(uint64_t *sums, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sums[i] += counts[i];
}

static void
merge_ports(struct bus *sum, const struct bus *bus)
{
	if (!bus->has_ports)
		return;
	sum->has_ports = true;
	for (size_t i = 0; i < BUS_PORTS; i++) {
		sum->ports[i].reads += bus->ports[i].reads;
		sum->ports[i].writes += bus->ports[i].writes;
		sum->ports[i].bytes += bus->ports[i].bytes;
	}
}

static bool
bus_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct bus *sum = into;
	const struct bus *bus = from;
	if (!numbers->continues)
		forget_history(sum);
	add_counts(sum->cycles[0], bus->cycles[0], (size_t)16 * 256);
	add_counts(sum->cycle_bytes, bus->cycle_bytes, 16);
	add_counts(sum->cycle_transfers, bus->cycle_transfers, 16);
	add_counts(sum->requests, bus->requests, 256);
	add_counts(sum->request_bytes, bus->request_bytes, 256);
	add_counts(sum->request_transfers, bus->request_transfers, 256);
	add_counts(sum->attributes, bus->attributes, 4);
	add_counts(sum->agents, bus->agents, 256);
	add_counts(sum->events, bus->events, POLY_EVENT_COUNT);
	add_counts(sum->regions[0], bus->regions[0], BUS_REGIONS * BUS_WAYS);
	sum->reserved += bus->reserved;
	sum->above_4gib += bus->above_4gib;
	sum->untracked_ports += bus->untracked_ports;
	sum->dummies += bus->dummies;
	sum->vectors += bus->vectors;
	sum->pairs += bus->pairs + (sum->last_enables == (BUS_SEEN | ENABLES_DUMMY) &&
					   bus->first_enables == (BUS_SEEN | ENABLES_VECTOR));
	if (!sum->first_enables)
		sum->first_enables = bus->first_enables;
	if (bus->first_enables)
		sum->last_enables = bus->last_enables;
	for (size_t i = 0; i < BUS_WAYS; i++)
		bus_run_merge(&sum->runs[i], &bus->runs[i]);
	for (size_t i = 0; i < BUS_PAGES / 64; i++)
		sum->pages[i] |= bus->pages[i];
	merge_ports(sum, bus);
	return true;
}

static void
transfer_run(struct archive *archive, struct bus_run *run)
{
	ARCHIVE(archive, run->transfers);
	ARCHIVE(archive, run->sequential);
	ARCHIVE(archive, run->max);
	ARCHIVE(archive, run->head);
	ARCHIVE(archive, run->tail);
	ARCHIVE(archive, run->first);
	ARCHIVE(archive, run->next);
	ARCHIVE(archive, run->has_next);
}

static void
transfer_ports(struct archive *archive, struct bus *bus)
{
	ARCHIVE(archive, bus->has_ports);
	for (size_t i = 0; bus->has_ports && i < BUS_PORTS && !archive_failed(archive); i++) {
		ARCHIVE(archive, bus->ports[i].reads);
		ARCHIVE(archive, bus->ports[i].writes);
		ARCHIVE(archive, bus->ports[i].bytes);
	}
}

static void
bus_transfer(void *state, struct archive *archive)
{
	struct bus *bus = state;
	for (size_t i = 0; i < sizeof bus->cycles / sizeof *bus->cycles; i++)
		ARCHIVE_ARRAY(archive, bus->cycles[i]);
	ARCHIVE_ARRAY(archive, bus->cycle_bytes);
	ARCHIVE_ARRAY(archive, bus->cycle_transfers);
	ARCHIVE_ARRAY(archive, bus->requests);
	ARCHIVE_ARRAY(archive, bus->request_bytes);
	ARCHIVE_ARRAY(archive, bus->request_transfers);
	ARCHIVE_ARRAY(archive, bus->attributes);
	ARCHIVE_ARRAY(archive, bus->agents);
	ARCHIVE_ARRAY(archive, bus->events);
	ARCHIVE(archive, bus->reserved);
	ARCHIVE(archive, bus->dummies);
	ARCHIVE(archive, bus->vectors);
	ARCHIVE(archive, bus->pairs);
	ARCHIVE_UP_TO(archive, bus->first_enables, BUS_SEEN | 0xff);
	ARCHIVE_UP_TO(archive, bus->last_enables, BUS_SEEN | 0xff);
	for (size_t i = 0; i < BUS_WAYS; i++)
		transfer_run(archive, &bus->runs[i]);
	archive_sparse(archive, bus->regions, sizeof **bus->regions, BUS_REGIONS * BUS_WAYS,
		UINT64_MAX);
	ARCHIVE(archive, bus->above_4gib);
	ARCHIVE_ARRAY(archive, bus->pages);
	transfer_ports(archive, bus);
	ARCHIVE(archive, bus->untracked_ports);
}

static const struct poly_option options[] = {
	{"bus.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1, .maximum = 65536,
		.help = "list the N busiest regions and ports"},
	{0},
};

const struct analysis analysis_bus = {
	.info = {.name = "bus",
		.title = "Bus",
		.summary =
			"bus cycles by operation, bus utilization, regions, ports, interrupts",
		.wants = POLY_COLUMNS_INIT(control, byte_enables, request, memory_type, agent,
			access, address, size, event),
		.is_default = true,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct bus),
	.suits = bus_suits,
	.init = bus_init,
	.begin = bus_begin,
	.update = bus_update,
	.merge = bus_merge,
	.transfer = bus_transfer,
	.report = bus_report,
};
