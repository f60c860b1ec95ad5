/* SPDX-License-Identifier: MIT */
/* The rules of bus cycle traces. spec: BYU BACH bus trace reference 5 */
#include "format/bus/check.h"

/* clang-format off */
const struct poly_rule bus_rules[BUS_RULE_COUNT + 1] = {
	{"B01", POLY_ERROR, "every record is complete", "BYU BACH bus trace reference 5"},
	{"B02", POLY_WARNING, "the operation is defined (not 0, 2, 4, 6, 10 or 11)", "BYU BACH bus trace reference 2.2"},
	{"B03", POLY_WARNING, "A2 to A0 of the address are 0", "BYU BACH bus trace reference 4.1"},
	{"B04", POLY_WARNING, "a transfer enables at least one byte, without gaps", "BYU BACH bus trace reference 2.3"},
	{"B05", POLY_WARNING, "the byte enables and address identify a defined special cycle", "BYU BACH bus trace reference 4.3"},
	{"B06", POLY_WARNING, "an interrupt acknowledge is a pair with byte enables ef and fe", "BYU BACH bus trace reference 4.3"},
	{"B07", POLY_NOTE, "a trace does not mix cacheable operations with noncacheable fetches and reads", "BYU BACH bus trace reference 2.2"},
	{"B08", POLY_NOTE, "the address of a port is at most 0xffff", "BYU BACH bus trace reference 5"},
	{"B09", POLY_WARNING, "the other byte order does not align more addresses", "BYU BACH bus trace reference 4.4"},
	{"B10", POLY_WARNING, "a port access spans at most 4 bytes and crosses no 4-byte boundary", "BYU BACH bus trace reference 5"},
	{"B11", POLY_NOTE, "the last line of a listing ends in a newline", "BYU BACH trace format"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

/* The record to check. */
struct bus_subject {
	struct reading *reading;
	size_t row;
	struct bus_cycle cycle;
	uint64_t record, offset; /* record number from 1; byte offset */
	unsigned operation;
	unsigned span; /* bytes from the first to the last enabled */
};

#define found(subject, rule, ...)                                                              \
	findings_add((subject)->reading->findings, rule, (subject)->record, (subject)->offset, \
		__VA_ARGS__)

static void
check_transfer(const struct bus_subject *subject)
{
	uint8_t enables = subject->cycle.enables;
	unsigned count = bus_byte_count(enables);
	if (count == 0)
		found(subject, BUS_B04, "byte enables ff enable no byte");
	else if (count != subject->span)
		found(subject, BUS_B04, "byte enables %02x enable %u bytes in a span of %u",
			enables, count, subject->span);
}

static void
check_port(const struct bus_subject *subject)
{
	uint32_t address =
		(subject->cycle.address & ~7u) + bus_first_lane(subject->cycle.enables);
	if (address > 0xffff)
		found(subject, BUS_B08, "port 0x%08x, expected at most 0xffff", address);
	if ((address & 3) + subject->span > 4)
		found(subject, BUS_B10, "%u bytes at port 0x%x cross a 4-byte boundary",
			subject->span, address);
}

static void
check_special(const struct bus_subject *subject)
{
	const struct bus_cycle *cycle = &subject->cycle;
	if (bus_event(cycle) < 0)
		found(subject, BUS_B05,
			"reserved special cycle: byte enables %02x, address 0x%08x",
			cycle->enables, cycle->address);
}

static void
report_unpaired(struct reading *reading, struct bus_check *check)
{
	findings_add(reading->findings, BUS_B06, check->pending, check->pending_offset,
		"an interrupt acknowledge with byte enables ef is not followed by fe");
	check->pending = 0;
}

static void
check_acknowledge(const struct bus_subject *subject, struct bus_check *check)
{
	uint8_t enables = subject->cycle.enables;
	if (enables != 0xef && enables != 0xfe) {
		found(subject, BUS_B06, "byte enables %02x, expected ef or fe", enables);
	} else if (enables == 0xfe) {
		if (!check->pending)
			found(subject, BUS_B06,
				"an interrupt acknowledge with byte enables fe does not follow "
				"ef");
		check->pending = 0;
	} else {
		if (check->pending)
			report_unpaired(subject->reading, check);
		check->pending = subject->record;
		check->pending_offset = subject->offset;
	}
}

static void
check_operation(const struct bus_subject *subject, struct bus_check *check)
{
	unsigned operation = subject->operation;
	if (!(BUS_VALID >> operation & 1))
		found(subject, BUS_B02, "undefined operation %u", operation);
	else if (operation == BUS_INT_ACK && subject->reading->deferred)
		check_defer(subject->reading->deferred, subject->row);
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
	if (check->pending)
		report_unpaired(reading, check);
	if (check->lines && check->singles)
		findings_add(reading->findings, BUS_B07, 0, POLY_NO_OFFSET,
			"%llu cacheable operations and %llu noncacheable fetches and reads: "
			"partly cached trace, cacheable operations are assumed to transfer "
			"lines",
			(unsigned long long)check->lines, (unsigned long long)check->singles);
	if (reading->info->view.byte_order != POLY_BYTE_ORDER_NONE &&
		check->aligned[1] > check->aligned[0])
		findings_add(reading->findings, BUS_B09, 0, POLY_NO_OFFSET,
			"%llu addresses are aligned in this byte order, %llu in the other",
			(unsigned long long)check->aligned[0],
			(unsigned long long)check->aligned[1]);
}

/* Describes a row that is to be checked; false if it is not a record. */
static bool
find_subject(struct reading *reading, const struct poly_batch *batch, enum bus_raw raw,
	size_t row, struct bus_subject *subject)
{
	*subject = (struct bus_subject){.reading = reading,
		.row = row,
		.record = batch->first + row + 1,
		.offset = batch->origin[row]};
	if (!bus_recorded_cycle(batch, row, raw, &subject->cycle))
		return false;
	subject->operation = subject->cycle.control >> 4;
	subject->span = bus_span(subject->cycle.enables);
	return true;
}

void
bus_check_deferred(struct reading *reading, struct bus_check *check,
	const struct poly_batch *batch, size_t row)
{
	struct bus_subject subject;
	if (find_subject(reading, batch, bus_raw_contents(batch->info), row, &subject))
		check_acknowledge(&subject, check);
}

void
bus_check_add(struct bus_check *check, const struct bus_check *counted)
{
	check->aligned[0] += counted->aligned[0];
	check->aligned[1] += counted->aligned[1];
	check->lines += counted->lines;
	check->singles += counted->singles;
}

void
bus_check(struct reading *reading, struct bus_check *check, const struct poly_batch *batch)
{
	if (!batch) {
		check_end(reading, check);
		return;
	}
	if (reading->deferred)
		*check = (struct bus_check){.pending = 0};
	enum bus_raw raw = bus_raw_contents(batch->info);
	for (size_t row = 0; row < batch->rows; row++) {
		struct bus_subject subject;
		if (!find_subject(reading, batch, raw, row, &subject))
			continue;
		uint32_t address = subject.cycle.address;
		check->aligned[0] += (address & 7) == 0;
		check->aligned[1] += (address >> 24 & 7) == 0;
		if (address & 7)
			found(&subject, BUS_B03, "address 0x%08x, expected a multiple of 8",
				address);
		check_operation(&subject, check);
	}
}
