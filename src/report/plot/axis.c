/* SPDX-License-Identifier: MIT */
/* Axes: positions, ticks, labels. */
#include "report/plot/axis.h"

#include "report/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tolerance for rounding errors, relative to a tick. */
#define AXIS_SLACK 1e-9

/* Logarithmic axes span at most 1e-300 to 1e300. */
#define AXIS_DECADES 300

/* Returns the smallest of 1, 2, 5 times a power of ten that is at least min, which is above 0.
 */
static double
step_decimal(double min)
{
	static const double steps[] = {1, 2, 5, 10};
	double power = pow(10, floor(log10(min)));
	for (size_t i = 0; i < 3; i++) {
		if (steps[i] * power >= min * (1 - AXIS_SLACK))
			return steps[i] * power;
	}
	return steps[3] * power;
}

/* Returns the distance of ticks for at most max_ticks between low and high. */
static double
axis_step(enum axis_kind kind, double low, double high, size_t max_ticks)
{
	double min_step = (high - low) / (double)(max_ticks - 1);
	if (kind == AXIS_HEX)
		return exp2(fmax(0, ceil(log2(min_step) - AXIS_SLACK)));
	if (kind == AXIS_LOG)
		return fmax(1, ceil(min_step - AXIS_SLACK));
	return kind == AXIS_COUNT ? fmax(1, step_decimal(min_step)) : step_decimal(min_step);
}

/* Maps a number to the scale on which ticks are equidistant: decades if logarithmic. */
static double
axis_scale(enum axis_kind kind, double number)
{
	return kind == AXIS_LOG ? log10(number) : number;
}

/* Moves the ends apart if they are equal, or so close that their distance would vanish. */
static void
axis_widen(enum axis_kind kind, double *low, double *high)
{
	double min = fmax(fmax(fabs(*low), fabs(*high)) * 1e-12, 1e-290);
	if (*high - *low > min && *high > *low)
		return;
	bool linear = kind == AXIS_LINEAR || kind == AXIS_COUNT;
	double margin = linear && *low != 0 ? fabs(*low) / 2 : 1;
	*high += margin;
	if (kind != AXIS_LOG && *low != 0)
		*low = *low > 0 ? fmax(0, *low - margin) : *low - margin;
}

/* Sets the ticks of an axis with fewer than two default ticks: 1, 2 and 5 in its decades, or
 * its ends. */
static void
axis_fallback_ticks(struct axis *axis)
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
axis_build(enum axis_kind kind, double low, double high, size_t max_ticks, bool rounded)
{
	struct axis axis = {.kind = kind};
	double from = axis_scale(kind, low), to = axis_scale(kind, high);
	axis_widen(kind, &from, &to);
	double step = axis_step(kind, from, to, max_ticks);
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
		double tick = i * step + 0.0; /* avoids -0 */
		axis.ticks[axis.count++] = kind == AXIS_LOG ? pow(10, tick) : tick;
	}
	axis.low = kind == AXIS_LOG ? pow(10, from) : from;
	axis.high = kind == AXIS_LOG ? pow(10, to) : to;
	if (axis.count < 2)
		axis_fallback_ticks(&axis);
	return axis;
}

struct axis
axis_make(enum axis_kind kind, double low, double high, size_t max_ticks)
{
	return axis_build(kind, low, high, max_ticks, false);
}

struct axis
axis_rounded(enum axis_kind kind, double low, double high, size_t max_ticks)
{
	return axis_build(kind, low, high, max_ticks, true);
}

double
axis_position(const struct axis *axis, double number)
{
	if (axis->kind == AXIS_LOG && number <= 0)
		return 0;
	double low = axis_scale(axis->kind, axis->low),
	       high = axis_scale(axis->kind, axis->high);
	double position = (axis_scale(axis->kind, number) - low) / (high - low);
	return axis->zero + (1 - axis->zero) * fmin(1, fmax(0, position));
}

/* Removes trailing zeros after a point, and a trailing point. */
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

/* Formats a number with a suffix and at most the requested decimals. */
static void
label_fixed(double number, unsigned decimals, const char *suffix, char *text)
{
	char digits[RENDER_NUMBER];
	render_real(number, decimals, digits);
	trim_zeros(digits);
	snprintf(text, AXIS_LABEL, "%.40s%s", digits, suffix);
}

/* Formats a number to the digit of resolution, which is above 0. */
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

/* Formats a number on an axis of addresses; returns false on other axes. */
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
	double distance = axis->ticks[1] - axis->ticks[0];
	bool small = axis->kind == AXIS_LOG && tick < distance;
	label_number(tick, small ? tick : distance, text);
}

void
axis_number(double number, char *text)
{
	double size = fabs(number), last = size > 0 ? pow(10, floor(log10(size)) - 2) : 1;
	double rounded = last > 1 ? round(number / last) * last : number;
	label_number(rounded, last, text);
}
