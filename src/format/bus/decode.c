/* SPDX-License-Identifier: MIT */
/* Six-byte bus records taken apart into columns: plain C. spec: reference bach 4.1, 4.2 */
#include "format/bus/decode.h"

#include "format/bus/cycle.h"

/* Rows of a step, whose byte enables and control are held. */
#define STEP 64

static void
translate(uint8_t *to, const uint8_t *control, size_t n, const uint8_t table[16])
{
	for (size_t i = 0; i < n; i++)
		to[i] = table[control[i] >> 4];
}

static void
put_addresses(const struct bus_columns *to, const uint8_t *p, size_t n,
	const struct bus_columns *step, bool little)
{
	for (size_t i = 0; i < n; i++, p += BUS_CYCLE_SIZE) {
		bool moves = BUS_TRANSFERS >> (step->control[i] >> 4) & 1;
		unsigned lane = moves ? bus_first_lane(step->enables[i]) : 0;
		to->address[i] = (bus_load(p, little).address & ~7u) | lane;
	}
}

static void
put_sizes(const struct bus_columns *to, size_t n, const struct bus_columns *step, uint8_t line)
{
	for (size_t i = 0; i < n; i++) {
		bool whole = BUS_LINES >> (step->control[i] >> 4) & 1;
		to->size[i] = whole ? line : bus_byte_count(step->enables[i]);
	}
}

/* True where an operation accesses nothing. */
static bool
put_accesses(const struct bus_columns *to, size_t n, const struct bus_columns *step)
{
	uint8_t all = 0;
	translate(to->access, step->control, n, bus_accesses);
	for (size_t i = 0; i < n; i++)
		all |= to->access[i];
	return all & BUS_NO_ACCESS;
}

/* Decodes n records, STEP at most. */
static void
decode_step(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *to, struct bus_found *found)
{
	uint8_t enables[STEP], control[STEP];
	const struct bus_columns step = {.enables = to->enables ? to->enables : enables,
		.control = to->control ? to->control : control};
	for (size_t i = 0; i < n; i++) {
		const uint8_t *record = p + i * BUS_CYCLE_SIZE;
		step.enables[i] = record[4];
		step.control[i] = record[5];
		found->odd |= record[layout->little ? 0 : 3] & 7;
	}
	if (to->kind)
		translate(to->kind, step.control, n, bus_kinds);
	if (to->record)
		translate(to->record, step.control, n, bus_records);
	if (to->access)
		found->idle |= put_accesses(to, n, &step);
	if (to->address)
		put_addresses(to, p, n, &step, layout->little);
	if (to->size)
		put_sizes(to, n, &step, layout->line);
}

struct bus_found
bus_decode_plain(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *to)
{
	struct bus_found found = {false, false};
	for (size_t i = 0; i < n; i += STEP) {
		struct bus_columns rest = bus_columns_behind(to, i);
		decode_step(p + i * BUS_CYCLE_SIZE, n - i < STEP ? n - i : STEP, layout, &rest,
			&found);
	}
	return found;
}
