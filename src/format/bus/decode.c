/* SPDX-License-Identifier: MIT */
/* Decoding six-byte bus records into columns: portable C. spec: BYU BACH bus trace
 * reference 4.1, 4.2 */
#include "format/bus/decode.h"

#include "format/bus/cycle.h"

/* Rows of a step, whose byte enables and control are buffered. */
#define STEP 64

static void
translate(uint8_t *dst, const uint8_t *control, size_t n, const uint8_t table[16])
{
	for (size_t i = 0; i < n; i++)
		dst[i] = table[control[i] >> 4];
}

/* Fills the column address; returns whether an operation transfers a line. */
static bool
put_addresses(const struct bus_columns *columns, const uint8_t *p, size_t n,
	const struct bus_columns *step, bool little)
{
	unsigned lines = 0;
	for (size_t i = 0; i < n; i++, p += BUS_CYCLE_SIZE) {
		const unsigned operation = step->control[i] >> 4;
		bool moves = BUS_TRANSFERS >> operation & 1;
		unsigned lane = moves ? bus_first_lane(step->enables[i]) : 0;
		columns->address[i] = (bus_load(p, little).address & ~7u) | lane;
		lines |= BUS_LINES >> operation & 1;
	}
	return lines;
}

static void
put_sizes(const struct bus_columns *columns, size_t n, const struct bus_columns *step,
	uint8_t line)
{
	for (size_t i = 0; i < n; i++) {
		bool whole = BUS_LINES >> (step->control[i] >> 4) & 1;
		columns->size[i] = whole ? line : bus_byte_count(step->enables[i]);
	}
}

/* Fills the column access; returns whether an operation accesses nothing. */
static bool
put_accesses(const struct bus_columns *columns, size_t n, const struct bus_columns *step)
{
	uint8_t all = 0;
	translate(columns->access, step->control, n, bus_accesses);
	for (size_t i = 0; i < n; i++)
		all |= columns->access[i];
	return all & BUS_NO_ACCESS;
}

/* Decodes n records, at most STEP. */
static void
decode_step(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *columns, struct bus_found *found)
{
	uint8_t enables[STEP], control[STEP];
	const struct bus_columns step = {
		.enables = columns->enables ? columns->enables : enables,
		.control = columns->control ? columns->control : control};
	for (size_t i = 0; i < n; i++) {
		const uint8_t *record = p + i * BUS_CYCLE_SIZE;
		step.enables[i] = record[4];
		step.control[i] = record[5];
		found->odd |= record[layout->little ? 0 : 3] & 7;
	}
	if (columns->kind)
		translate(columns->kind, step.control, n, bus_kinds);
	if (columns->record)
		translate(columns->record, step.control, n, bus_records);
	if (columns->access)
		found->idle |= put_accesses(columns, n, &step);
	if (columns->address)
		found->line |= put_addresses(columns, p, n, &step, layout->little);
	if (columns->size)
		put_sizes(columns, n, &step, layout->line);
}

struct bus_found
bus_decode_plain(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *columns)
{
	struct bus_found found = {false, false, false};
	for (size_t i = 0; i < n; i += STEP) {
		struct bus_columns rest = bus_columns_from(columns, i);
		decode_step(p + i * BUS_CYCLE_SIZE, n - i < STEP ? n - i : STEP, layout, &rest,
			&found);
	}
	return found;
}
