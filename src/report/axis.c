/* SPDX-License-Identifier: MIT */
/* Axes: places, ticks, labels. */
#include "report/axis.h"

#include "report/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rounding of what was computed never makes it another tick. */
#define AXIS_SLACK 1e-9

/* Decades of a logarithmic axis go from minus so many to so many. */
#define AXIS_DECADES 300

/* The smallest of 1, 2, 5 times a power of ten that is not below least, which is above 0. */
static double
step_decimal(double least)
{
	static const double steps[] = {1, 2, 5, 10};
	double power = pow(10, floor(log10(least)));
	for (size_t i = 0; i < 3; i++) {
		if (steps[i] * power >= least * (1 - AXIS_SLACK))
			return steps[i] * power;
	}
	return steps[3] * power;
}

/* The distance of ticks: so that there are at most so many between low and high. */
static double
axis_step(enum axis_kind kind, double low, double high, size_t most)
{
	double least = (high - low) / (double)(most - 1);
	if (kind == AXIS_HEX)
		return exp2(fmax(0, ceil(log2(least) - AXIS_SLACK)));
	if (kind == AXIS_LOG)
		return fmax(1, ceil(least - AXIS_SLACK));
	return kind == AXIS_COUNT ? fmax(1, step_decimal(least)) : step_decimal(least);
}

/* Where ticks and places are evenly spread: a logarithmic axis in its decades. */
static double
axis_even(enum axis_kind kind, double number)
{
	return kind == AXIS_LOG ? log10(number) : number;
}

/* Something is to be between the ends, and numbers so big that distances vanish do no harm. */
static void
axis_widen(enum axis_kind kind, double *low, double *high)
{
	double least = fmax(fmax(fabs(*low), fabs(*high)) * 1e-12, 1e-290);
	if (*high - *low > least && *high > *low)
		return;
	bool linear = kind == AXIS_LINEAR || kind == AXIS_COUNT;
	double more = linear && *low != 0 ? fabs(*low) / 2 : 1;
	*high += more;
	if (kind != AXIS_LOG && *low != 0)
		*low = *low > 0 ? fmax(0, *low - more) : *low - more;
}

/* Ticks of an axis that has no two of the usual ones: 1, 2 and 5 in its decades, or its ends.
 */
static void
axis_few(struct axis *axis)
{
	static const double within[] = {1, 2, 5};
	double decade = pow(10, floor(log10(axis->low)));
	axis->count = 0;
	for (size_t i = 0; axis->kind == AXIS_LOG && i < 9; i++) {
		double tick = within[i % 3] * decade * pow(10, (double)(i / 3));
		if (tick >= axis->low * (1 - AXIS_SLACK) &&
			tick <= axis->high * (1 + AXIS_SLACK))
			axis->ticks[axis->count++] = tick;
	}
	if (axis->count >= 2)
		return;
	axis->ticks[0] = axis->low;
	axis->ticks[1] = axis->high;
	axis->count = 2;
}

static struct axis
axis_build(enum axis_kind kind, double low, double high, size_t most, bool rounded)
{
	struct axis axis = {.kind = kind};
	double from = axis_even(kind, low), to = axis_even(kind, high);
	axis_widen(kind, &from, &to);
	double step = axis_step(kind, from, to, most);
	if (rounded) {
		from = step * floor(from / step + AXIS_SLACK);
		to = step * ceil(to / step - AXIS_SLACK);
		if (kind == AXIS_LOG) {
			from = fmax(from, -AXIS_DECADES);
			to = fmin(to, AXIS_DECADES);
		}
	}
	double first = ceil(from / step - AXIS_SLACK), last = floor(to / step + AXIS_SLACK);
	for (double i = first; i <= last && axis.count < AXIS_TICKS; i++) {
		double tick = i * step + 0.0; /* no -0 */
		axis.ticks[axis.count++] = kind == AXIS_LOG ? pow(10, tick) : tick;
	}
	axis.low = kind == AXIS_LOG ? pow(10, from) : from;
	axis.high = kind == AXIS_LOG ? pow(10, to) : to;
	if (axis.count < 2)
		axis_few(&axis);
	return axis;
}

struct axis
axis_make(enum axis_kind kind, double low, double high, size_t most)
{
	return axis_build(kind, low, high, most, false);
}

struct axis
axis_rounded(enum axis_kind kind, double low, double high, size_t most)
{
	return axis_build(kind, low, high, most, true);
}

double
axis_place(const struct axis *axis, double number)
{
	if (axis->kind == AXIS_LOG && number <= 0)
		return 0;
	double low = axis_even(axis->kind, axis->low), high = axis_even(axis->kind, axis->high);
	double place = (axis_even(axis->kind, number) - low) / (high - low);
	return axis->zero + (1 - axis->zero) * fmin(1, fmax(0, place));
}

/* Takes zeros behind a point away, and a point with nothing behind it. */
static void
trim_zeros(char *text)
{
	size_t n = strlen(text);
	if (!strchr(text, '.'))
		return;
	while (text[n - 1] == '0')
		n--;
	text[text[n - 1] == '.' ? n - 1 : n] = 0;
}

/* A number below a million, to three decimals where they make a difference of a label. */
static void
label_fixed(double number, unsigned decimals, const char *suffix, char *text)
{
	char digits[RENDER_NUMBER];
	render_real(number, decimals, digits);
	trim_zeros(digits);
	snprintf(text, AXIS_LABEL, "%.40s%s", digits, suffix);
}

/* A number whose last digit that counts is that of resolution, which is above 0. */
static void
label_number(double number, double resolution, char *text)
{
	static const char *const suffixes[] = {"", "k", "M", "G", "T", "P", "E"};
	double size = fabs(number);
	size_t power = 0;
	if (size >= 1e21 || (size > 0 && size < 1e-6)) {
		int exponent = (int)floor(log10(size) + AXIS_SLACK);
		char power_of_ten[16];
		snprintf(power_of_ten, sizeof power_of_ten, "e%d", exponent);
		label_fixed(number / pow(10, exponent), 2, power_of_ten, text);
		return;
	}
	while (power < 6 && size >= 1000) {
		size /= 1000;
		power++;
	}
	double unit = pow(1000, (double)power);
	double decimals = ceil(-log10(resolution / unit) - AXIS_SLACK);
	unsigned shown = decimals > 0 ? (unsigned)fmin(decimals, 15) : 0;
	label_fixed(number / unit, shown, suffixes[power], text);
}

/* A number on an axis of addresses; false on others. */
static bool
label_address(const struct axis *axis, double number, char *text)
{
	if (axis->kind != AXIS_HEX || number < 0 || number >= 0x1p64)
		return false;
	snprintf(text, AXIS_LABEL, "0x%llx", (unsigned long long)number);
	return true;
}

void
axis_end(const struct axis *axis, double number, char *text)
{
	if (!label_address(axis, number, text))
		axis_number(number, text);
}

void
axis_label(const struct axis *axis, size_t i, char *text)
{
	double tick = axis->ticks[i];
	if (label_address(axis, tick, text))
		return;
	double apart = axis->ticks[1] - axis->ticks[0];
	bool small = axis->kind == AXIS_LOG && tick < apart;
	label_number(tick, small ? tick : apart, text);
}

void
axis_number(double number, char *text)
{
	double size = fabs(number), last = size > 0 ? pow(10, floor(log10(size)) - 2) : 1;
	double rounded = last > 1 ? round(number / last) * last : number;
	label_number(rounded, last, text);
}
