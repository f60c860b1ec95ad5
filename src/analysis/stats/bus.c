/* SPDX-License-Identifier: MIT */
/* What a bus did: cycles, bytes, regions, ports, interrupts. */
#include "analysis/stats/bus.h"

#include "analysis/column_stats.h"
#include "base/bits.h"

/* The second cycle of an interrupt acknowledge has the vector (reference bach 4.3). */
#define ENABLES_DUMMY 0xef
#define ENABLES_VECTOR 0xfe

#define WIDTH 8 /* bytes of the bus */

#define OPERATION_INT_ACK 1
#define OPERATION_SPECIAL 3

void
bus_run_join(struct bus_run *run, const struct bus_run *more)
{
	if (!more->transfers)
		return;
	if (!run->transfers) {
		*run = *more;
		return;
	}
	const bool joins = run->has_next && run->next == more->first;
	const uint64_t joined = joins ? run->tail + more->head : 0;
	if (joins && run->head == run->transfers)
		run->head += more->head;
	run->tail = joins && more->tail == more->transfers ? joined : more->tail;
	run->longest = run->longest > more->longest ? run->longest : more->longest;
	run->longest = run->longest > joined ? run->longest : joined;
	run->transfers += more->transfers;
	run->sequential += more->sequential + joins;
	run->next = more->next;
	run->has_next = more->has_next;
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
	return info->columns & (POLY_HAS(control) | POLY_HAS(request));
}

/* What was before is not what comes before the next row: of another trace, or left out. */
static void
bus_begin(void *state, const struct poly_trace_info *info)
{
	struct bus *bus = state;
	(void)info;
	bus->last_enables = 0;
	for (size_t i = 0; i < BUS_WAYS; i++)
		bus->runs[i].has_next = false;
}

static void
count_port(struct bus *bus, uint64_t port, uint32_t size, bool writes)
{
	if (port >= BUS_PORTS) {
		bus->ports_beyond++;
		return;
	}
	struct bus_port *at = &bus->ports[port];
	bus->has_ports = true;
	at->reads += !writes;
	at->writes += writes;
	at->bytes += size;
}

/* A transfer of unit bytes from first on. */
static inline void
add_transfer(struct bus_run *run, uint64_t first, uint64_t unit)
{
	const bool follows = run->has_next && run->next == first;
	if (!run->transfers)
		run->first = first;
	run->head += run->head == run->transfers && (follows || !run->transfers);
	run->tail = follows ? run->tail + 1 : 1;
	run->longest = run->tail > run->longest ? run->tail : run->longest;
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
		bus->beyond++;
		return;
	}
	bus->regions[address >> BUS_REGION_SHIFT][way]++;
	bit_set(bus->pages, address >> BUS_PAGE_SHIFT);
}

/* What is accessed; the transfers that it takes. */
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
	const uint32_t moved = accesses ? size : 0;
	if (has_event && batch->event[row] < POLY_EVENT_COUNT)
		bus->events[batch->event[row]]++;
	if (has_cycle) {
		const unsigned operation = batch->control[row] >> 4;
		const uint8_t enables = poly_present(batch, POLY_COLUMN_byte_enables, row)
						? batch->byte_enables[row]
						: 0xff;
		bus->cycles[operation][enables]++;
		bus->cycle_bytes[operation] += moved;
		bus->cycle_transfers[operation] += transfers;
		bus->reserved += !accesses && operation == OPERATION_SPECIAL && !has_event;
		if (!accesses && operation == OPERATION_INT_ACK)
			count_acknowledge(bus, enables);
	} else {
		const unsigned request = batch->request[row];
		bus->requests[request]++;
		bus->request_bytes[request] += moved;
		bus->request_transfers[request] += transfers;
		if (accesses && batch->access[row] <= POLY_ACCESS_CACHE &&
			poly_present(batch, POLY_COLUMN_memory_type, row))
			bus->attributes[batch->memory_type[row] & 3]++;
		if (poly_present(batch, POLY_COLUMN_agent, row))
			bus->agents[batch->agent[row]]++;
	}
}

/* Rows of a word of the bitmaps that are cycles with an access: nearly all are. */
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

/* As count_row for those. */
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
add(uint64_t *to, const uint64_t *more, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += more[i];
}

static void
merge_ports(struct bus *to, const struct bus *more)
{
	if (!more->has_ports)
		return;
	to->has_ports = true;
	for (size_t i = 0; i < BUS_PORTS; i++) {
		to->ports[i].reads += more->ports[i].reads;
		to->ports[i].writes += more->ports[i].writes;
		to->ports[i].bytes += more->ports[i].bytes;
	}
}

static bool
bus_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct bus *to = into;
	const struct bus *more = from;
	(void)numbers;
	add(to->cycles[0], more->cycles[0], (size_t)16 * 256);
	add(to->cycle_bytes, more->cycle_bytes, 16);
	add(to->cycle_transfers, more->cycle_transfers, 16);
	add(to->requests, more->requests, 256);
	add(to->request_bytes, more->request_bytes, 256);
	add(to->request_transfers, more->request_transfers, 256);
	add(to->attributes, more->attributes, 4);
	add(to->agents, more->agents, 256);
	add(to->events, more->events, POLY_EVENT_COUNT);
	add(to->regions[0], more->regions[0], BUS_REGIONS * BUS_WAYS);
	to->reserved += more->reserved;
	to->beyond += more->beyond;
	to->ports_beyond += more->ports_beyond;
	to->dummies += more->dummies;
	to->vectors += more->vectors;
	to->pairs += more->pairs + (to->last_enables == (BUS_SEEN | ENABLES_DUMMY) &&
					   more->first_enables == (BUS_SEEN | ENABLES_VECTOR));
	if (!to->first_enables)
		to->first_enables = more->first_enables;
	if (more->first_enables)
		to->last_enables = more->last_enables;
	for (size_t i = 0; i < BUS_WAYS; i++)
		bus_run_join(&to->runs[i], &more->runs[i]);
	for (size_t i = 0; i < BUS_PAGES / 64; i++)
		to->pages[i] |= more->pages[i];
	merge_ports(to, more);
	return true;
}

static const struct poly_option options[] = {
	{"bus.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 1, 65536, NULL,
		"regions and ports that are listed", NULL},
	{0},
};

const struct analysis analysis_bus = {
	.info = {.name = "bus",
		.title = "Bus",
		.summary = "what a bus did: cycles, bytes, regions, ports, interrupts",
		.wants = POLY_HAS(control) | POLY_HAS(byte_enables) | POLY_HAS(request) |
			 POLY_HAS(memory_type) | POLY_HAS(agent) | POLY_HAS(access) |
			 POLY_HAS(address) | POLY_HAS(size) | POLY_HAS(event),
		.is_default = true,
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct bus),
	.suits = bus_suits,
	.init = bus_init,
	.begin = bus_begin,
	.update = bus_update,
	.merge = bus_merge,
	.report = bus_report,
};
