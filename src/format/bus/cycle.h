/* SPDX-License-Identifier: MIT */
/*
 * What a six-byte bus record says: the meaning of control nibbles and byte enables, shared by
 * its binary form, its listing and the conversions. Pure.
 *
 * spec: seed 001; reference bach 2.2, 4.1 to 4.3
 */
#ifndef FORMAT_BUS_CYCLE_H
#define FORMAT_BUS_CYCLE_H

#include "polytrace/batch.h"

#include "base/bits.h"

#include <stdbool.h>

/* Bytes of a binary record. */
#define BUS_CYCLE_SIZE 6

/* Bytes of a cache line, moved by a cacheable read or a write-back. */
#define BUS_LINE_SIZE 32

struct bus_cycle {
	uint32_t address; /* as recorded: A2 to A0 should be 0 */
	uint8_t enables;  /* BE7# to BE0#: a 0 bit asks for that byte */
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
#define BUS_VALID 0xf3aau     /* those that are not INVALID */
#define BUS_TRANSFERS 0xf3a0u /* those that move data */
#define BUS_LINES 0x5100u     /* those that move a whole line */
#define BUS_IO 0x00a0u	      /* those at ports */

/* What bus_accesses holds for operations that access nothing. */
#define BUS_NO_ACCESS 0x80

/* Names of records: the seed's, and the one of bytes that are no record. */
enum { BUS_RECORD_INVALID = 0, BUS_RECORD_DAMAGED = 11, BUS_RECORD_COUNT = 12 };
extern const char *const bus_record_names[BUS_RECORD_COUNT];

/* By operation: enum poly_kind, index into bus_record_names, enum poly_access. */
extern const uint8_t bus_kinds[16], bus_records[16], bus_accesses[16];

/*
 * By one nibble of byte enables: the first lane asked for (8: none) when it is the low or high
 * one, and the lanes asked for.
 */
extern const uint8_t bus_first_low[16], bus_first_high[16], bus_count[16];

/* The first byte lane asked for; 0 where there is none. */
static inline unsigned
bus_first_lane(uint8_t enables)
{
	unsigned low = bus_first_low[enables & 15], high = bus_first_high[enables >> 4];
	return (low < high ? low : high) & 7;
}

/* How many bytes are asked for. */
static inline unsigned
bus_byte_count(uint8_t enables)
{
	return (unsigned)bus_count[enables & 15] + bus_count[enables >> 4];
}

/* Bytes from the first to the last that is asked for; more than the count where there are gaps.
 */
unsigned bus_span(uint8_t enables);

/* The event of an interrupt acknowledge or special cycle; -1 where there is none. */
int bus_event(const struct bus_cycle *cycle);

/* The operation of a name; -1 where there is none. INVALID is operation 0. */
int bus_operation(const char *name, size_t n);

/* Byte enables of size bytes (1 to 8) from lane first on, up to the highest lane. */
uint8_t bus_enables(unsigned first, unsigned size);

/* The record in six bytes, of either byte order. */
static inline struct bus_cycle
bus_load(const uint8_t *p, bool little)
{
	return (struct bus_cycle){little ? load_le32(p) : load_be32(p), p[4], p[5]};
}

/* Stores it so. */
void bus_store(uint8_t *p, const struct bus_cycle *cycle, bool little);

#endif
