/* SPDX-License-Identifier: MIT */
/*
 * The axis of a plot: from numbers to places between 0 and 1, and its ticks. Linear axes have
 * ticks at 1, 2 and 5 times a power of ten, axes of addresses at powers of two, logarithmic
 * ones at powers of ten.
 */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* Most ticks of an axis. */
#define AXIS_TICKS 12

/* Bytes that hold any label. */
#define AXIS_LABEL 48

enum axis_kind {
	AXIS_LINEAR,
	AXIS_COUNT, /* linear, with ticks at whole numbers */
	AXIS_LOG,
	AXIS_HEX,
};

struct axis {
	enum axis_kind kind;
	double low, high; /* its ends; above 0 where it is logarithmic */
	double zero;	  /* of a logarithmic one: the part in front of low, where 0 stands */
	size_t count;	  /* of ticks */
	double ticks[AXIS_TICKS];
};

/*
 * An axis from low to high, at which ends it keeps; or with rounded, to the ticks around them.
 * Where there is nothing between them it is made wider. At most so many (2 to AXIS_TICKS)
 * ticks.
 */
struct axis axis_make(enum axis_kind kind, double low, double high, size_t most);

/* The same axis with its ends at ticks. */
struct axis axis_rounded(enum axis_kind kind, double low, double high, size_t most);

/* Where a number stands, 0 to 1; numbers beyond the ends stand at them. */
double axis_place(const struct axis *axis, double number);

/* What stands at tick i. */
void axis_label(const struct axis *axis, size_t i, char *text);

/* An end of the axis, or another number on it, for people. */
void axis_end(const struct axis *axis, double number, char *text);

/* A finite number for people, of at most decimals digits behind the point, 1.5M for 1500000. */
void axis_number(double number, char *text);

#endif
