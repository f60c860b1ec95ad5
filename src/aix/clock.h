/* SPDX-License-Identifier: MIT */
/*
 * The clock of an AIX trace: ticks as nanoseconds.
 *
 * spec: reference aix 4.8 (Time).
 */
#ifndef AIX_CLOCK_H
#define AIX_CLOCK_H

#include "aix/event.h"

/* How ticks become time: ns = ticks * multiplier / divisor. */
struct aix_rate {
	uint64_t multiplier, divisor; /* 0: no hook has told yet, and both count as 1 */
};

/* The clock of one file. Zero-initialise. */
struct aix_clock {
	bool started;
	uint64_t last; /* ticks of the event before, wraps added */
};

/*
 * Takes the rate from hook 00A, sub-hook 25C: three words of 8 bytes, multiplier, divisor and
 * type; of a type other than 2 the rate is 1. Returns false where the event is another.
 */
bool aix_rate_event(struct aix_rate *rate, const struct aix_event *event);

/*
 * Ticks of the next event of a file. 32-bit timestamps wrap: one that lies more than half their
 * range before that of the last event is in the next round, which hook 00A, sub-hook 0 (TSYNC)
 * sees to being told in time. The event must have a time.
 */
uint64_t aix_clock_ticks(struct aix_clock *clock, const struct aix_event *event);

/* Ticks as nanoseconds, downwards; UINT64_MAX where they are more than it holds. */
uint64_t aix_rate_ns(const struct aix_rate *rate, uint64_t ticks);

#endif
