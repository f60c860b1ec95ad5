/* SPDX-License-Identifier: MIT */
/*
 * The rules of AIX traces that are checked on rows, not while reading.
 *
 * spec: polytrace-aix(5), L06 to L13.
 */
#include "format/aix/aix.h"

/* Hooks of AIX Trace Hook IDs, in the form of four digits. */
#define HOOK_TSYNC 0x0000
#define HOOK_LOG_WRAP 0x0050
#define HOOK_BUFFER_WRAP 0x0060

struct event_check {
	struct reading *reading;
	uint64_t record;
	const struct aix_event *event;
};

#define FOUND(at, rule, ...)                                                             \
	findings_add((at)->reading->findings, (rule), (at)->record, (at)->event->offset, \
		__VA_ARGS__)

static bool
identifies_process(uint16_t hook)
{
	return hook == 0x1060 || hook == 0x10c0 || hook == 0x1340 || hook == 0x1390 ||
	       hook == 0x4650;
}

static void
check_time(const struct event_check *at)
{
	struct aix_reader *state = at->reading->state;
	struct aix_check *check = &state->check;
	const struct aix_event *event = at->event;
	if (!event->has_time)
		return;
	const size_t slot = event->has_cpu ? event->cpu % 63 + 1 : 0;
	bool same = check->last[slot].timed && check->last[slot].cpu == event->cpu;
	if (same && event->time < check->last[slot].time)
		FOUND(at, AIX_L10, "the time goes back by %llu ticks",
			(unsigned long long)(check->last[slot].time - event->time));
	check->last[slot].timed = true;
	check->last[slot].cpu = event->cpu;
	check->last[slot].time = event->time;
}

static void
check_event(const struct event_check *at)
{
	struct aix_reader *state = at->reading->state;
	const struct aix_event *event = at->event;
	state->check.any = true;
	state->check.attributed |= identifies_process(event->hook);
	check_time(at);
	if (event->generic && event->size > event->word &&
		event->size - event->word > AIX_GENERIC_MAX)
		FOUND(at, AIX_L06, "generic data have %zu bytes, expected at most %d",
			event->size - event->word, AIX_GENERIC_MAX);
	if (event->hook == HOOK_TSYNC && !event->has_time)
		FOUND(at, AIX_L07, "hook id 000 without a timestamp");
	if (event->hook == HOOK_LOG_WRAP)
		FOUND(at, AIX_L11, "the log file wrapped around: hook data %u, data word %llu",
			event->subhook, (unsigned long long)aix_event_word(event, 1));
	if (event->hook == HOOK_BUFFER_WRAP)
		FOUND(at, AIX_L11,
			"the trace buffer wrapped around: hook data %u, data word %llu "
			"(missed entries)",
			event->subhook, (unsigned long long)aix_event_word(event, 1));
}

/* Checks the rules of the whole trace. */
static void
check_end(struct reading *reading)
{
	const struct aix_reader *state = reading->state;
	if (state->check.any && !state->check.attributed)
		findings_add(reading->findings, AIX_L12, 0, POLY_NO_OFFSET,
			"none of the hooks 106, 10C, 134, 139 and 465 is in the trace: "
			"processes and programs cannot be identified");
	if (state->header.wraps)
		findings_add(reading->findings, AIX_L13, 0, POLY_NO_OFFSET,
			"the log wrapped around %u times: its oldest block is entry %u",
			state->header.wraps, state->header.current);
}

void
aix_check(struct reading *reading, const struct poly_batch *batch)
{
	struct aix_event event;
	if (!batch)
		check_end(reading);
	for (size_t row = 0; batch && row < batch->rows; row++) {
		struct event_check at = {reading, batch->first + row + 1, &event};
		if (aix_event_of_row(batch, row, &event))
			check_event(&at);
	}
}
