/* SPDX-License-Identifier: MIT */
/*
 * Units of time.
 *
 * spec: QEMU4V Trace Format, Instruction record; Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/qemu4v.h"

#include <stdio.h>

const char *const qemu4v_units[] = {"trace", "fs", "ps", "ns", "us", "ms", NULL};

/* Exponent of qemu4v_units[1], and the step to the next unit. */
#define FIRST_EXPONENT (-15)
#define EXPONENT_STEP 3

static bool
is_word(const struct qemu4v_word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Returns the index of a physical unit in qemu4v_units; 0 for other units. */
static int
find_unit(const struct qemu4v_word *unit)
{
	for (int i = 1; qemu4v_units[i]; i++) {
		if (is_word(unit, qemu4v_units[i]))
			return i;
	}
	return 0;
}

struct qemu4v_clock
qemu4v_clock(const struct qemu4v_word *unit, unsigned fraction_digits)
{
	int index = find_unit(unit), digits = fraction_digits < 9 ? (int)fraction_digits : 9;
	struct qemu4v_clock clock = {.unit = *unit, .physical = index != 0};
	if (!index) {
		clock.exponent = -digits;
	} else {
		/* Choose the coarsest unit in which times have no fraction. */
		int i = index - (digits + EXPONENT_STEP - 1) / EXPONENT_STEP;
		i = i < 1 ? 1 : i;
		clock.exponent = FIRST_EXPONENT + EXPONENT_STEP * (i - 1);
		clock.unit = (struct qemu4v_word){
			(const uint8_t *)qemu4v_units[i], strlen(qemu4v_units[i])};
	}
	/* If ticks are fractions of a unit, no line's unit matches the clock's. */
	size_t n = clock.unit.length;
	clock.bytes = 1;
	if (n && n <= 8 && (clock.physical || digits == 0)) {
		uint8_t bytes[8] = {0};
		memcpy(bytes, clock.unit.text, n);
		clock.bytes = load_le64(bytes);
		clock.mask = UINT64_MAX >> (64 - 8 * n);
	}
	return clock;
}

const char *
qemu4v_clock_name(const struct qemu4v_clock *clock, char *text)
{
	int n = snprintf(text, 40, "%.*s",
		clock->unit.length < 20 ? (int)clock->unit.length : 20,
		(const char *)clock->unit.text);
	if (!clock->physical && clock->exponent)
		snprintf(text + n, 40 - (size_t)n, "/1%0*d", -clock->exponent, 0);
	return text;
}

/* Multiplies by ten to the exponent; false if the result is not a number of 64 bits. */
static bool
scale(uint64_t *value, int exponent)
{
	for (; exponent > 0; exponent--) {
		if (*value > UINT64_MAX / 10)
			return false;
		*value *= 10;
	}
	for (; exponent < 0; exponent++) {
		if (*value % 10)
			return false;
		*value /= 10;
	}
	return true;
}

bool
qemu4v_convert_time(const struct qemu4v_clock *clock, const struct qemu4v *line, uint64_t *time)
{
	const struct qemu4v_word clk = {(const uint8_t *)"clk", 3};
	const struct qemu4v_word *unit = line->unit.length ? &line->unit : &clk;
	int index = find_unit(unit), digits = (int)line->fraction_digits;
	bool same = clock->physical
			    ? index != 0
			    : unit->length == clock->unit.length &&
				      memcmp(unit->text, clock->unit.text, unit->length) == 0;
	uint64_t value = line->time, fraction = digits ? line->fraction : 0;
	if (!same || line->fraction_digits > 18 || !scale(&value, digits) ||
		value > UINT64_MAX - fraction)
		return false;
	value += fraction;
	int exponent = index ? FIRST_EXPONENT + EXPONENT_STEP * (index - 1) : 0;
	if (!scale(&value, exponent - digits - clock->exponent) || value >= QEMU4V_TIME_UNKNOWN)
		return false;
	*time = value;
	return true;
}
