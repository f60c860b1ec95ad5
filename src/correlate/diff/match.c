/* SPDX-License-Identifier: MIT */
/* Matches the records of two steps as sets. spec: QEMU4V / MicroTESK and ARM Tarmac text traces
 * 6 */
#include "correlate/diff/match.h"

#include <string.h>

/* Maximum number of bytes of a step's accesses that are compared singly. */
#define BYTES_MAX 512

uint64_t
match_fields(const struct diff_rules *rules, const struct step *a, const struct step *b)
{
	uint64_t differ = a->fields_present ^ b->fields_present;
	uint64_t both = a->fields_present & b->fields_present;
	if (rules->lenient)
		differ = 0;
	for (size_t i = 0; i < rules->field_count; i++) {
		uint64_t bit = (uint64_t)1 << i;
		/* A trace without the column `executed` matches any value of it. */
		if (rules->fields[i] == POLY_COLUMN_executed)
			differ &= ~bit;
		const enum poly_form form = poly_column_form(rules->fields[i]);
		const bool is_bytes = form == POLY_FORM_BYTES || form == POLY_FORM_TEXT;
		if (both & bit &&
			(is_bytes ? !step_field_same(a, b, i) : a->fields[i] != b->fields[i]))
			differ |= bit;
	}
	return differ;
}

static bool
values_same(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	const unsigned valued = HAS_VALUE | HAS_WIDE;
	if (!(a->has & valued) || !(b->has & valued))
		return rules->lenient || !((a->has | b->has) & valued);
	if ((a->has & valued) != (b->has & valued))
		return false;
	if (a->has & HAS_VALUE && rules->tolerate & TOLERATE_UNKNOWN)
		return ((a->value ^ b->value) & a->known & b->known) == 0;
	if (a->has & HAS_VALUE)
		return a->value == b->value && a->known == b->known;
	return a->length == b->length &&
	       memcmp(step_wide(steps[0], a), step_wide(steps[1], b), a->length) == 0;
}

/* True if both numbers are equal, or absence is tolerated. */
static bool
numbers_same(const struct diff_rules *rules, const struct effect *a, const struct effect *b,
	unsigned has, const uint64_t values[2])
{
	if (a->has & b->has & has)
		return values[0] == values[1];
	return rules->lenient || !((a->has | b->has) & has);
}

static bool
accesses_same(const struct diff_rules *rules, const struct effect *a, const struct effect *b)
{
	const uint64_t values[2] = {a->access, b->access};
	return numbers_same(rules, a, b, HAS_ACCESS, values);
}

static bool
addresses_same(const struct diff_rules *rules, const struct effect *a, const struct effect *b)
{
	const uint64_t values[2] = {a->address, b->address};
	return numbers_same(rules, a, b, HAS_ADDRESS, values);
}

static bool
sizes_same(const struct diff_rules *rules, const struct effect *a, const struct effect *b)
{
	const uint64_t values[2] = {a->size, b->size};
	return numbers_same(rules, a, b, HAS_SIZE, values);
}

bool
match_effects_same(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == EFFECT_REGISTER)
		return a->name == b->name && values_same(rules, steps, a, b);
	if (a->type == EFFECT_SYNC && a->access != b->access)
		return false;
	return addresses_same(rules, a, b) &&
	       (a->type == EFFECT_SYNC ||
		       (accesses_same(rules, a, b) && sizes_same(rules, a, b))) &&
	       values_same(rules, steps, a, b);
}

bool
match_exactly(const struct diff_rules *rules, const struct step *a, const struct step *b)
{
	const struct step *const steps[2] = {a, b};
	if (a->key != b->key || !match_position(a, b) || a->has_opcode != b->has_opcode ||
		a->effect_count != b->effect_count || match_fields(rules, a, b))
		return false;
	for (uint32_t i = 0; i < a->effect_count; i++) {
		if (!match_effects_same(rules, steps, &a->effects[i], &b->effects[i]))
			return false;
	}
	return true;
}

static void
join(struct step *a, struct step *b, const uint32_t numbers[2], uint8_t fate)
{
	struct effect *of_a = &a->effects[numbers[0]], *of_b = &b->effects[numbers[1]];
	of_a->fate = of_b->fate = fate;
	of_a->mate = numbers[1];
	of_b->mate = numbers[0];
}

/* A relation of two records; true if it holds. */
typedef bool relation_fn(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b);

/* Pairs open records that are in a relation, in order. Returns the number of pairs. */
static size_t
join_related(const struct diff_rules *rules, struct step *a, struct step *b,
	relation_fn *related, int cause)
{
	const struct step *const steps[2] = {a, b};
	size_t joined = 0;
	for (uint32_t i = 0; i < a->effect_count; i++) {
		if (a->effects[i].fate != FATE_OPEN)
			continue;
		uint32_t j = 0;
		while (j < b->effect_count &&
			(b->effects[j].fate != FATE_OPEN ||
				!related(rules, steps, &a->effects[i], &b->effects[j])))
			j++;
		if (j == b->effect_count)
			continue;
		const uint32_t numbers[2] = {i, j};
		join(a, b, numbers, cause < 0 ? FATE_SAME : FATE_CHANGED);
		a->effects[i].cause = (uint8_t)(cause < 0 ? 0 : cause);
		joined++;
	}
	return joined;
}

static bool
same_register(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	(void)rules;
	(void)steps;
	return a->type == EFFECT_REGISTER && b->type == EFFECT_REGISTER && a->name == b->name;
}

static bool
other_register(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	return a->type == EFFECT_REGISTER && b->type == EFFECT_REGISTER &&
	       (a->has & b->has & (HAS_VALUE | HAS_WIDE)) && values_same(rules, steps, a, b);
}

/* Accesses of the same direction, address and size. */
static bool
other_value(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	(void)steps;
	return a->type == b->type && a->type != EFFECT_REGISTER && accesses_same(rules, a, b) &&
	       addresses_same(rules, a, b) && sizes_same(rules, a, b);
}

static bool
other_address(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	return a->type == b->type && a->type != EFFECT_REGISTER && accesses_same(rules, a, b) &&
	       sizes_same(rules, a, b) && values_same(rules, steps, a, b);
}

static bool
other_size(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	(void)steps;
	return a->type == EFFECT_MEMORY && b->type == EFFECT_MEMORY &&
	       accesses_same(rules, a, b) && addresses_same(rules, a, b);
}

static bool
other_access(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	(void)steps;
	return a->type == EFFECT_MEMORY && b->type == EFFECT_MEMORY &&
	       sizes_same(rules, a, b) && addresses_same(rules, a, b);
}

static bool
other_address_and_value(const struct diff_rules *rules, const struct step *const steps[2],
	const struct effect *a, const struct effect *b)
{
	(void)steps;
	return a->type == EFFECT_MEMORY && b->type == EFFECT_MEMORY &&
	       accesses_same(rules, a, b) && sizes_same(rules, a, b);
}

/* Relations of records that differ by one change, the likelier first. */
static const struct {
	relation_fn *related;
	enum poly_diff_cause cause;
} changes[] = {
	{same_register, POLY_DIFF_VALUE},
	{other_value, POLY_DIFF_VALUE},
	{other_register, POLY_DIFF_REGISTER},
	{other_address, POLY_DIFF_ADDRESS},
	{other_size, POLY_DIFF_SIZE},
	{other_access, POLY_DIFF_ACCESS},
	{other_address_and_value, POLY_DIFF_ADDRESS},
};

/* Marks a record as matched without a counterpart. */
static void
drop(struct step *step, uint32_t number)
{
	step->effects[number].fate = FATE_SAME;
	step->effects[number].mate = number;
}

/* Drops all but the last of several writes of a register. */
static void
drop_repeated(struct step *step)
{
	for (uint32_t i = 0; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		for (uint32_t j = i + 1;
			j < step->effect_count && effect->type == EFFECT_REGISTER; j++) {
			if (step->effects[j].type == EFFECT_REGISTER &&
				step->effects[j].name == effect->name)
				drop(step, i);
		}
	}
}

/* Drops reads of a step that are equal to an earlier one, and differ from it in time at most.
 */
static void
drop_repeated_reads(const struct diff_rules *rules, struct step *step)
{
	const struct step *const steps[2] = {step, step};
	for (uint32_t i = 1; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		if (effect->type != EFFECT_MEMORY || !(effect->has & HAS_ACCESS) ||
			effect->access != POLY_ACCESS_READ)
			continue;
		uint32_t j = 0;
		while (j < i && !match_effects_same(rules, steps, &step->effects[j], effect))
			j++;
		if (j < i)
			drop(step, i);
	}
}

/*
 * True if a register already has the value that a record of a side writes, by its own trace or,
 * if that has no value yet, by the other one.
 */
static bool
had_value(const struct match_state *state, unsigned side, const struct effect *effect)
{
	for (unsigned i = 0; i < 2; i++) {
		const unsigned from = i ? !side : side;
		const uint64_t *lost = map_find(&state->lost[from], effect->name);
		const uint64_t *value = map_find(&state->values[from], effect->name);
		if (lost && *lost)
			return false;
		if (value)
			return *value == effect->value;
	}
	return false;
}

static void
drop_redundant(const struct match_state *state, unsigned side, struct step *step)
{
	for (uint32_t i = 0; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		if (effect->fate == FATE_OPEN && effect->type == EFFECT_REGISTER &&
			effect->has & HAS_VALUE && effect->known == UINT64_MAX &&
			had_value(state, side, effect))
			drop(step, i);
	}
}

/* Stores whether the value of a register is unknown; false: out of memory. */
static bool
remember_lost(struct match_state *state, unsigned side, uint32_t name, bool is_lost)
{
	bool added;
	uint64_t *lost = is_lost ? map_get(&state->lost[side], name, 1, &added)
				 : map_find(&state->lost[side], name);
	if (lost)
		*lost = is_lost;
	return lost || !is_lost;
}

bool
match_remember(struct match_state *state, unsigned side, const struct step *step)
{
	for (uint32_t i = 0; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		const bool is_lost = !(effect->has & HAS_VALUE) || effect->known != UINT64_MAX;
		bool added;
		if (effect->type != EFFECT_REGISTER)
			continue;
		if (!remember_lost(state, side, effect->name, is_lost))
			return false;
		if (is_lost)
			continue;
		uint64_t *value = map_get(&state->values[side], effect->name, 0, &added);
		if (!value)
			return false;
		*value = effect->value;
	}
	return true;
}

/* An accessed byte. */
struct accessed_byte {
	uint64_t address;
	uint8_t access;
	bool known;
	uint8_t value;
};

/* Returns the byte at a position of an access, in one of both byte orders. */
static struct accessed_byte
touch(const struct step *step, const struct effect *effect, uint32_t position, bool big)
{
	struct accessed_byte byte = {effect->address + position, effect->access, false, 0};
	uint32_t from_low = big ? effect->size - 1 - position : position;
	if (effect->has & HAS_VALUE && effect->size <= 8 && effect->known == UINT64_MAX) {
		byte.known = true;
		byte.value = (uint8_t)(effect->value >> 8 * from_low);
	} else if (effect->has & HAS_WIDE && effect->length == effect->size) {
		byte.known = true;
		byte.value = step_wide(step, effect)[effect->size - 1 - from_low];
	}
	return byte;
}

/* Collects the bytes of open accesses; SIZE_MAX if they are too many or unknown. */
static size_t
touch_all(const struct step *step, struct accessed_byte bytes[BYTES_MAX], bool big)
{
	size_t count = 0;
	for (uint32_t i = 0; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		if (effect->fate != FATE_OPEN || effect->type != EFFECT_MEMORY)
			continue;
		if (!(effect->has & HAS_SIZE) || !(effect->has & HAS_ADDRESS) ||
			effect->size > BYTES_MAX - count)
			return SIZE_MAX;
		for (uint32_t position = 0; position < effect->size; position++)
			bytes[count++] = touch(step, effect, position, big);
	}
	return count;
}

/* Removes a byte from a set; false if it is not in the set. */
static bool
remove_byte(struct accessed_byte *bytes, size_t *count, const struct accessed_byte *byte,
	bool lenient)
{
	for (size_t i = 0; i < *count; i++) {
		const struct accessed_byte *peer = &bytes[i];
		bool same = byte->known == peer->known ? byte->value == peer->value : lenient;
		if (same && byte->address == peer->address && byte->access == peer->access) {
			bytes[i] = bytes[--*count];
			return true;
		}
	}
	return false;
}

static bool
bytes_same(const struct diff_rules *rules, const struct step *a, const struct step *b, bool big)
{
	struct accessed_byte of_a[BYTES_MAX], of_b[BYTES_MAX];
	size_t count = touch_all(a, of_a, big), left = touch_all(b, of_b, big);
	if (count != left || count == SIZE_MAX)
		return false;
	while (count && remove_byte(of_b, &left, &of_a[count - 1], rules->lenient))
		count--;
	return !count;
}

static void
drop_accesses(struct step *step)
{
	for (uint32_t i = 0; i < step->effect_count; i++) {
		if (step->effects[i].fate == FATE_OPEN &&
			step->effects[i].type == EFFECT_MEMORY)
			drop(step, i);
	}
}

static size_t
count_open(const struct step *step)
{
	size_t open = 0;
	for (uint32_t i = 0; i < step->effect_count; i++)
		open += step->effects[i].fate == FATE_OPEN;
	return open;
}

static void
reopen(struct step *step)
{
	for (uint32_t i = 0; i < step->effect_count; i++)
		step->effects[i].fate = FATE_OPEN;
}

/* Pairs equal records. */
static void
join_same(const struct diff_rules *rules, struct step *a, struct step *b)
{
	const struct step *const steps[2] = {a, b};
	uint32_t both = a->effect_count < b->effect_count ? a->effect_count : b->effect_count;
	for (uint32_t i = 0; i < both; i++) {
		const uint32_t numbers[2] = {i, i};
		if (a->effects[i].fate == FATE_OPEN && b->effects[i].fate == FATE_OPEN &&
			match_effects_same(rules, steps, &a->effects[i], &b->effects[i]))
			join(a, b, numbers, FATE_SAME);
	}
	join_related(rules, a, b, match_effects_same, -1);
}

/* Pairs equal records in any order, and drops tolerated ones. */
static void
join_tolerated(const struct diff_rules *rules, const struct match_state *state, struct step *a,
	struct step *b)
{
	if (rules->tolerate & TOLERATE_REPEATED) {
		drop_repeated(a);
		drop_repeated(b);
	}
	if (rules->tolerate & TOLERATE_REPEATED_READS) {
		drop_repeated_reads(rules, a);
		drop_repeated_reads(rules, b);
	}
	join_same(rules, a, b);
	if (rules->tolerate & TOLERATE_SPLIT && (count_open(a) || count_open(b)) &&
		(bytes_same(rules, a, b, false) || bytes_same(rules, a, b, true))) {
		drop_accesses(a);
		drop_accesses(b);
	}
	if (state && rules->tolerate & TOLERATE_REDUNDANT) {
		join_related(rules, a, b, same_register, POLY_DIFF_VALUE);
		drop_redundant(state, 0, a);
		drop_redundant(state, 1, b);
	}
}

size_t
match_steps(const struct diff_rules *rules, struct match_state *state, struct step *a,
	struct step *b, size_t *changed)
{
	*changed = 0;
	join_tolerated(rules, state, a, b);
	if (rules->tolerate & TOLERATE_REDUNDANT &&
		(!match_remember(state, 0, a) || !match_remember(state, 1, b)))
		return SIZE_MAX;
	size_t open = count_open(a) + count_open(b);
	for (size_t i = 0; open && i < sizeof changes / sizeof *changes; i++)
		open -= 2 *
			join_related(rules, a, b, changes[i].related, (int)changes[i].cause);
	for (uint32_t i = 0; i < a->effect_count; i++)
		*changed += a->effects[i].fate == FATE_CHANGED;
	return open;
}

bool
match_agrees(const struct diff_rules *rules, struct step *a, struct step *b)
{
	if (!match_position(a, b) || match_opcodes_differ(a, b) || match_fields(rules, a, b))
		return false;
	join_tolerated(rules, NULL, a, b);
	bool agrees = !count_open(a) && !count_open(b);
	reopen(a);
	reopen(b);
	return agrees;
}
