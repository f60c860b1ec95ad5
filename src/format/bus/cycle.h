/* SPDX-License-Identifier: MIT */
/*
 * A six-byte bus record: the meaning of control nibbles and byte enables, shared by its binary
 * form, its listing and the conversions. Pure.
 *
 * spec: BYU BACH trace format; BYU BACH bus trace reference 2.2, 4.1 to 4.3
 */
#ifndef FORMAT_BUS_CYCLE_H
#define FORMAT_BUS_CYCLE_H

#include "polytrace/batch.h"

#include "base/bits.h"

#include <stdbool.h>

/* Bytes of a binary record. */
#define BUS_CYCLE_SIZE 6

/* Bytes of a cache line, transferred by a cacheable read or a write-back. */
#define BUS_LINE_SIZE 32

struct bus_cycle {
	uint32_t address; /* as recorded: A2 to A0 should be 0 */
	uint8_t enables;  /* BE7# to BE0#: a 0 bit enables that byte */
	uint8_t control;  /* the operation in the upper four bits */
};

/* Operations: the upper four bits of control. */
enum {
	BUS_INT_ACK = 1,
	BUS_SPECIAL = 3,
	BUS_IO_READ = 5,
	BUS_IO_WRITE = 7,
	BUS_FETCH = 8,
	BUS_NC_FETCH = 9,
	BUS_READ = 12,
	BUS_NC_READ = 13,
	BUS_WRITE_BACK = 14,
	BUS_WRITE = 15,
};

/* Sets of operations, bit n for operation n. */
#define BUS_VALID 0xf3aau     /* defined operations */
#define BUS_TRANSFERS 0xf3a0u /* operations that transfer data */
#define BUS_LINES 0x5100u     /* operations that transfer a whole line */
#define BUS_IO 0x00a0u	      /* operations at ports */

/* Value in bus_accesses of operations that access nothing. */
#define BUS_NO_ACCESS 0x80

/* Values of the column record: the specification's names, and corrupt bytes. */
enum { BUS_RECORD_INVALID = 0, BUS_RECORD_CORRUPT = 11, BUS_RECORD_COUNT = 12 };
extern const char *const bus_record_names[BUS_RECORD_COUNT];

/* By operation: enum poly_kind, index into bus_record_names, enum poly_access. */
extern const uint8_t bus_kinds[16], bus_records[16], bus_accesses[16];

/*
 * By one nibble of byte enables: the first enabled lane (8: none) if it is the low or high
 * nibble, and the number of enabled lanes.
 */
extern const uint8_t bus_first_low[16], bus_first_high[16], bus_count[16];

/* Returns the first enabled byte lane; 0 if none is. */
static inline unsigned
bus_first_lane(uint8_t enables)
{
	unsigned low = bus_first_low[enables & 15], high = bus_first_high[enables >> 4];
	return (low < high ? low : high) & 7;
}

/* Returns the number of enabled bytes. */
static inline unsigned
bus_byte_count(uint8_t enables)
{
	return (unsigned)bus_count[enables & 15] + bus_count[enables >> 4];
}

/* Returns the bytes from the first to the last enabled one; more than their number if there are
 * gaps. */
unsigned bus_span(uint8_t enables);

/* Returns the event of an interrupt acknowledge or special cycle; -1: none. */
int bus_event(const struct bus_cycle *cycle);

/* Returns the operation of a name; -1: unknown. INVALID is operation 0. */
int bus_operation(const char *name, size_t n);

/* Returns byte enables of size bytes (1 to 8) from lane first on, up to the highest lane. */
uint8_t bus_enables(unsigned first, unsigned size);

/* Loads a record from six bytes in either byte order. */
static inline struct bus_cycle
bus_load(const uint8_t *p, bool little)
{
	return (struct bus_cycle){little ? load_le32(p) : load_be32(p), p[4], p[5]};
}

/* Stores a record in six bytes. */
void bus_store(uint8_t *p, const struct bus_cycle *cycle, bool little);

#endif
