/* SPDX-License-Identifier: MIT */
/* The rules of bus cycle traces. spec: reference bach 5 */
#include "format/bus/check.h"

/* clang-format off */
const struct poly_rule bus_rules[BUS_RULE_COUNT + 1] = {
	{"B01", POLY_WARNING, "the last record is whole", "reference bach 5"},
	{"B02", POLY_WARNING, "the operation is none of 0, 2, 4, 6, 10, 11, which do not occur", "reference bach 2.2"},
	{"B03", POLY_WARNING, "A2 to A0 of the address are 0", "reference bach 4.1"},
	{"B04", POLY_WARNING, "a transfer asks for bytes, and without a gap", "reference bach 2.3"},
	{"B05", POLY_WARNING, "the byte enables and address are those of a known special cycle", "reference bach 4.3"},
	{"B06", POLY_WARNING, "an interrupt acknowledge is a pair with byte enables ef and fe", "reference bach 4.3"},
	{"B07", POLY_NOTE, "cacheable operations do not stand together with noncacheable fetches and reads", "reference bach 2.2"},
	{"B08", POLY_NOTE, "the address of a port is at most 0xffff", "reference bach 5"},
	{"B09", POLY_WARNING, "no more addresses are aligned in the other byte order", "reference bach 4.4"},
	{"B10", POLY_WARNING, "a port access spans at most 4 bytes and crosses no 4-byte boundary", "reference bach 5"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

/* A record under test. */
struct subject {
	struct reading *reading;
	struct bus_cycle cycle;
	uint64_t record, offset; /* number from 1; in bytes */
	unsigned operation;
	unsigned span; /* bytes from the first to the last asked for */
};

#define found(subject, rule, ...)                                                              \
	findings_add((subject)->reading->findings, rule, (subject)->record, (subject)->offset, \
		__VA_ARGS__)

static void
check_transfer(const struct subject *subject)
{
	uint8_t enables = subject->cycle.enables;
	unsigned count = bus_byte_count(enables);
	if (count == 0)
		found(subject, BUS_B04, "byte enables ff ask for no byte");
	else if (count != subject->span)
		found(subject, BUS_B04, "byte enables %02x ask for %u bytes in a span of %u",
			enables, count, subject->span);
}

static void
check_port(const struct subject *subject)
{
	uint32_t address =
		(subject->cycle.address & ~7u) + bus_first_lane(subject->cycle.enables);
	if (address > 0xffff)
		found(subject, BUS_B08, "port 0x%08x, expected at most 0xffff", address);
	if ((address & 3) + subject->span > 4)
		found(subject, BUS_B10, "%u bytes at port 0x%x, expected 4 within 4",
			subject->span, address);
}

static void
check_special(const struct subject *subject)
{
	const struct bus_cycle *cycle = &subject->cycle;
	if (bus_event(cycle) < 0)
		found(subject, BUS_B05,
			"special cycle with byte enables %02x and address 0x%08x is reserved",
			cycle->enables, cycle->address);
}

static void
lonely_acknowledge(struct reading *reading, struct bus_check *check)
{
	findings_add(reading->findings, BUS_B06, check->waiting, check->waiting_offset,
		"byte enables ef of an interrupt acknowledge have no fe after them");
	check->waiting = 0;
}

static void
check_acknowledge(const struct subject *subject, struct bus_check *check)
{
	uint8_t enables = subject->cycle.enables;
	if (enables != 0xef && enables != 0xfe) {
		found(subject, BUS_B06, "byte enables %02x, expected ef or fe", enables);
	} else if (enables == 0xfe) {
		if (!check->waiting)
			found(subject, BUS_B06,
				"byte enables fe of an interrupt acknowledge have no ef before "
				"them");
		check->waiting = 0;
	} else {
		if (check->waiting)
			lonely_acknowledge(subject->reading, check);
		check->waiting = subject->record;
		check->waiting_offset = subject->offset;
	}
}

static void
check_operation(const struct subject *subject, struct bus_check *check)
{
	unsigned operation = subject->operation;
	if (!(BUS_VALID >> operation & 1))
		found(subject, BUS_B02, "operation %u is not defined", operation);
	else if (operation == BUS_INT_ACK)
		check_acknowledge(subject, check);
	else if (operation == BUS_SPECIAL)
		check_special(subject);
	else if (!(BUS_LINES >> operation & 1))
		check_transfer(subject);
	if (BUS_IO >> operation & 1)
		check_port(subject);
	check->lines += BUS_LINES >> operation & 1;
	check->singles += operation == BUS_NC_FETCH || operation == BUS_NC_READ;
}

static void
check_end(struct reading *reading, struct bus_check *check)
{
	if (check->waiting)
		lonely_acknowledge(reading, check);
	if (check->lines && check->singles)
		findings_add(reading->findings, BUS_B07, 0, POLY_NO_OFFSET,
			"%llu cacheable operations and %llu noncacheable fetches and reads: a "
			"partly cached trace, in which the former are assumed to move lines",
			(unsigned long long)check->lines, (unsigned long long)check->singles);
	if (reading->info->view.byte_order != POLY_BYTE_ORDER_NONE &&
		check->aligned[1] > check->aligned[0])
		findings_add(reading->findings, BUS_B09, 0, POLY_NO_OFFSET,
			"%llu addresses are aligned as read, %llu in the other byte order",
			(unsigned long long)check->aligned[0],
			(unsigned long long)check->aligned[1]);
}

void
bus_check(struct reading *reading, struct bus_check *check, const struct poly_batch *batch)
{
	if (!batch) {
		check_end(reading, check);
		return;
	}
	enum bus_raw raw = bus_raw_of(batch->info);
	for (size_t row = 0; row < batch->rows; row++) {
		struct subject subject = {.reading = reading,
			.record = batch->first + row + 1,
			.offset = batch->origin[row]};
		if (!bus_recorded(batch, row, raw, &subject.cycle))
			continue;
		subject.operation = subject.cycle.control >> 4;
		subject.span = bus_span(subject.cycle.enables);
		uint32_t address = subject.cycle.address;
		check->aligned[0] += (address & 7) == 0;
		check->aligned[1] += (address >> 24 & 7) == 0;
		if (address & 7)
			found(&subject, BUS_B03, "address 0x%08x, expected a multiple of 8",
				address);
		check_operation(&subject, check);
	}
}
