/* SPDX-License-Identifier: MIT */
/*
 * The clock of an AIX trace: converts ticks to nanoseconds.
 *
 * spec: AIX Trace Hook IDs, 00A.
 */
#ifndef AIX_CLOCK_H
#define AIX_CLOCK_H

#include "aix/event.h"

/* How ticks become time: ns = ticks * multiplier / divisor. */
struct aix_rate {
	uint64_t multiplier, divisor; /* 0: no hook has set them, both count as 1 */
};

/* The clock of one file. Zero-initialise. */
struct aix_clock {
	bool started;
	uint64_t last; /* ticks of the previous event, including wraps */
};

/*
 * Sets the rate from hook 00A, sub-hook 25C: three words of 8 bytes, multiplier, divisor and
 * type; of a type other than 2 the rate is 1. Returns false for other events.
 */
bool aix_rate_event(struct aix_rate *rate, const struct aix_event *event);

/* Ticks by which the time of a 32-bit timer may go back without a wrap. */
#define AIX_TIME_BACK_MAX ((uint32_t)1 << 28)

/*
 * Returns the full time of a 32-bit timer with the value now, after the time last: the timer
 * wraps, unless it goes back by less than a sixteenth of its range.
 */
uint64_t aix_time_unwrap(uint64_t last, uint32_t now);

/*
 * Returns the ticks of the next event of a file, which must have a time. 32-bit timestamps
 * wrap, as by aix_time_unwrap.
 */
uint64_t aix_clock_ticks(struct aix_clock *clock, const struct aix_event *event);

/* Converts ticks to nanoseconds, rounded down; UINT64_MAX on overflow. */
uint64_t aix_rate_ns(const struct aix_rate *rate, uint64_t ticks);

#endif
