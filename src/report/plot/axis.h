/* SPDX-License-Identifier: MIT */
/*
 * The axis of a plot: maps numbers to positions between 0 and 1, and has ticks. Linear axes
 * have ticks at multiples of 1, 2 or 5 times a power of ten, axes of addresses at multiples of
 * a power of two, logarithmic axes at powers of ten.
 */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum number of ticks of an axis. */
#define AXIS_TICKS 12

/* Maximum size of a label in bytes. */
#define AXIS_LABEL 48

enum axis_kind {
	AXIS_LINEAR,
	AXIS_COUNT, /* linear, with ticks at whole numbers */
	AXIS_LOG,
	AXIS_HEX,
};

struct axis {
	enum axis_kind kind;
	double low, high; /* the ends; above 0 on a logarithmic axis */
	double zero;	  /* logarithmic: fraction of the axis before low, for 0 */
	size_t count;	  /* of ticks */
	double ticks[AXIS_TICKS];
};

/*
 * Returns an axis from low to high, widened if they are equal, with at most max_ticks (2 to
 * AXIS_TICKS) ticks.
 */
struct axis axis_make(enum axis_kind kind, double low, double high, size_t max_ticks);

/* Returns the same axis with its ends moved outwards to ticks. */
struct axis axis_rounded(enum axis_kind kind, double low, double high, size_t max_ticks);

/* Returns the position of a number, 0 to 1; numbers beyond an end are at the end. */
double axis_position(const struct axis *axis, double number);

/* Formats the label of tick i. */
void axis_label(const struct axis *axis, size_t i, char *text);

/* Formats an end of the axis, or another number on it, for people. */
void axis_end(const struct axis *axis, double number, char *text);

/* Formats a finite number for people, with three significant digits: 1.5M for 1500000. */
void axis_number(double number, char *text);

#endif
