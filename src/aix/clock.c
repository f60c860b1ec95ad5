/* SPDX-License-Identifier: MIT */
/* spec: AIX Trace Hook IDs, 00A. */
#include "aix/clock.h"

#include "base/bits.h"
#include "base/wide.h"

#define HOOK_UTILITY 0x00a0
#define SUB_RATE 0x25c
#define TYPE_CONVERTED 2 /* the only type whose ticks are not nanoseconds */

bool
aix_rate_event(struct aix_rate *rate, const struct aix_event *event)
{
	if (event->hook != HOOK_UTILITY || aix_event_sub(event) != SUB_RATE)
		return false;
	/*
	 * The words follow D1 if it holds the sub-hook, or if a buffer holds all three words.
	 */
	size_t at = event->generic && (!event->wide || event->size >= 32) ? event->word : 0;
	if (event->size < at + 24)
		return false;
	rate->multiplier = load_be64(event->data + at);
	rate->divisor = load_be64(event->data + at + 8);
	bool converted = load_be64(event->data + at + 16) == TYPE_CONVERTED;
	if (!converted || !rate->multiplier || !rate->divisor)
		rate->multiplier = rate->divisor = 1;
	return true;
}

uint64_t
aix_time_unwrap(uint64_t last, uint32_t now)
{
	uint32_t back = (uint32_t)last - now;
	if (back && back < AIX_TIME_BACK_MAX && last >= back)
		return last - back;
	return last + (uint32_t)(now - (uint32_t)last);
}

uint64_t
aix_clock_ticks(struct aix_clock *clock, const struct aix_event *event)
{
	uint64_t ticks = event->time;
	if (!event->wide && clock->started && ticks <= UINT32_MAX)
		ticks = aix_time_unwrap(clock->last, (uint32_t)ticks);
	clock->started = true;
	clock->last = ticks;
	return ticks;
}

uint64_t
aix_rate_ns(const struct aix_rate *rate, uint64_t ticks)
{
	uint64_t m = rate->multiplier, d = rate->divisor, product;
	if (!d || m == d)
		return ticks;
	if (!__builtin_mul_overflow(ticks, m, &product))
		return product / d;
	const struct wide ns = wide_multiply(ticks, m);
	return ns.high >= d ? UINT64_MAX : wide_divide(ns, d);
}
