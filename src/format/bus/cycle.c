/* SPDX-License-Identifier: MIT */
/* Decoding a six-byte bus record. spec: BYU BACH trace format; BYU BACH bus trace
 * reference 2.2, 4.1 to 4.5 */
#include "format/bus/cycle.h"

const char *const bus_record_names[BUS_RECORD_COUNT] = {"INVALID", "INT_ACK", "SPECIAL",
	"IO_READ", "IO_WRITE", "I_FETCH", "NC_I_FETCH", "D_READ", "NC_D_READ", "WRITE_BACK",
	"D_WRITE", "corrupt"};

#define A POLY_KIND_ACCESS
#define E POLY_KIND_EVENT
#define X POLY_KIND_OTHER
const uint8_t bus_kinds[16] = {X, E, X, E, X, A, X, A, A, A, X, X, A, A, A, A};
#undef A
#undef E
#undef X

const uint8_t bus_records[16] = {0, 1, 0, 2, 0, 3, 0, 4, 5, 6, 0, 0, 7, 8, 9, 10};

#define NONE BUS_NO_ACCESS
const uint8_t bus_accesses[16] = {NONE, NONE, NONE, NONE, NONE, POLY_ACCESS_IO_READ, NONE,
	POLY_ACCESS_IO_WRITE, POLY_ACCESS_FETCH, POLY_ACCESS_FETCH, NONE, NONE,
	POLY_ACCESS_READ, POLY_ACCESS_READ, POLY_ACCESS_WRITE, POLY_ACCESS_WRITE};
#undef NONE

const uint8_t bus_first_low[16] = {0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 8};
const uint8_t bus_first_high[16] = {4, 5, 4, 6, 4, 5, 4, 7, 4, 5, 4, 6, 4, 5, 4, 8};
const uint8_t bus_count[16] = {4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0};

unsigned
bus_span(uint8_t enables)
{
	unsigned last = 8, first = bus_first_lane(enables);
	if (enables == 0xff)
		return 0;
	while (enables >> (last - 1) & 1)
		last--;
	return last - first;
}

/* Returns the event of a special cycle by its byte enables (BYU BACH bus trace reference 4.3).
 */
static int
special_event(const struct bus_cycle *cycle)
{
	uint32_t address = cycle->address & ~7u;
	switch (cycle->enables) {
	case 0xfe: return POLY_EVENT_SHUTDOWN;
	case 0xfd: return POLY_EVENT_FLUSH;
	case 0xfb:
		return address == 0	 ? POLY_EVENT_HALT
		       : address == 0x10 ? POLY_EVENT_STOP_GRANT
					 : -1;
	case 0xf7: return POLY_EVENT_WRITE_BACK;
	case 0xef: return POLY_EVENT_FLUSH_ACKNOWLEDGE;
	case 0xdf: return POLY_EVENT_BRANCH_TRACE;
	default: return -1;
	}
}

int
bus_event(const struct bus_cycle *cycle)
{
	switch (cycle->control >> 4) {
	case BUS_INT_ACK: return POLY_EVENT_INTERRUPT_ACKNOWLEDGE;
	case BUS_SPECIAL: return special_event(cycle);
	default: return -1;
	}
}

static char
upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool
same_name(const char *name, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!name[i] || upper(text[i]) != name[i])
			return false;
	}
	return name[n] == 0;
}

int
bus_operation(const char *name, size_t n)
{
	for (int operation = 0; operation < 16; operation++) {
		if (same_name(bus_record_names[bus_records[operation]], name, n))
			return operation;
	}
	return -1;
}

uint8_t
bus_enables(unsigned first, unsigned size)
{
	unsigned lanes = (1u << size) - 1;
	return (uint8_t) ~(lanes << first);
}

void
bus_store(uint8_t *p, const struct bus_cycle *cycle, bool little)
{
	if (little)
		store_le32(p, cycle->address);
	else
		store_be32(p, cycle->address);
	p[4] = cycle->enables;
	p[5] = cycle->control;
}
