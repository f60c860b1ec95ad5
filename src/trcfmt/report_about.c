/* SPDX-License-Identifier: MIT */
/*
 * What a trace says of itself: the header of its report.
 *
 * The ids of these hooks and what they are about is published, their layout is not; all of
 * it is assumed: names of a system in fields of 32 bytes as uname returns them, numbers as data
 * words, lists and commands as text.
 *
 * spec: reference aix 4.8 (Predefined hooks), 7.2.
 */
#include "trcfmt/report.h"

#include "trcfmt/report_date.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

#define HOOK_ON 0x0010
#define HOOK_HEADER 0x0030
#define HOOK_UTILITY 0x00a0

/* Sub-hooks of 003. */
enum { HEADER_SYSTEM = 1, HEADER_COMMAND, HEADER_ALL, HEADER_ONLY, HEADER_EXCEPT };

/* Sub-hooks of 00A. */
enum { UTILITY_ADDRESS = 5, UTILITY_BUFFERING = 6, UTILITY_CPUS = 0x12 };

/* Bytes of a name as uname returns it, on AIX. */
#define NAME_SIZE 32

/* Word i of what an entry carries: D1 of a generic 32-bit one is its sub-hook. */
static uint64_t
carried(const struct aix_event *event, unsigned i)
{
	return aix_event_word(event, i + (event->generic && !event->wide));
}

/* n printable bytes of a buffer from byte at on, to a NUL; 0 where another byte is there. */
static size_t
text_at(const struct aix_event *event, size_t at, size_t most, const char **text)
{
	size_t n = 0;
	if (event->generic)
		at += event->word;
	if (at >= event->size)
		return 0;
	*text = (const char *)event->data + at;
	for (; n < most && at + n < event->size && (*text)[n]; n++) {
		if ((*text)[n] < ' ' || (*text)[n] == 0x7f)
			return 0;
	}
	return n;
}

static void
learn_text(struct buf *to, const struct aix_event *event, const char *before)
{
	const char *text;
	size_t n = text_at(event, 0, 4096, &text);
	if (!n || to->size)
		return;
	buf_string(to, before);
	buf_append(to, text, n);
}

/* "System: AIX 7.1 Node: host", "Machine: 000691854C00". */
static void
learn_system(struct about *about, const struct aix_event *event)
{
	const char *field[5];
	int n[5];
	for (size_t i = 0; i < 5; i++) {
		n[i] = (int)text_at(event, i * NAME_SIZE, NAME_SIZE - 1, &field[i]);
		if (!n[i])
			return;
	}
	snprintf(about->system, sizeof about->system, "System: %.*s %.*s.%.*s Node: %.*s", n[0],
		field[0], n[3], field[3], n[2], field[2], n[1], field[1]);
	snprintf(about->machine, sizeof about->machine, "Machine: %.*s", n[4], field[4]);
}

static void
learn_header(struct about *about, const struct aix_event *event)
{
	switch (aix_event_sub(event)) {
	case HEADER_SYSTEM: learn_system(about, event); break;
	case HEADER_COMMAND: learn_text(&about->command, event, ""); break;
	case HEADER_ALL:
		if (!about->hooks.size)
			buf_string(&about->hooks, "Tracing all hooks.");
		break;
	case HEADER_ONLY: learn_text(&about->hooks, event, "Tracing only these hooks, "); break;
	case HEADER_EXCEPT:
		learn_text(&about->hooks, event, "Tracing all hooks except these, ");
		break;
	default: break;
	}
}

static void
learn_utility(struct about *about, const struct aix_event *event)
{
	const char *text;
	size_t n;
	uint32_t address;
	switch (aix_event_sub(event)) {
	case UTILITY_ADDRESS:
		address = (uint32_t)carried(event, 1);
		snprintf(about->address, sizeof about->address, "%08X %u.%u.%u.%u",
			(unsigned)address, (unsigned)(address >> 24),
			(unsigned)(address >> 16 & 255), (unsigned)(address >> 8 & 255),
			(unsigned)(address & 255));
		break;
	case UTILITY_BUFFERING:
		n = text_at(event, 0, 60, &text);
		if (n)
			snprintf(about->buffering, sizeof about->buffering, "%.*s", (int)n,
				text);
		break;
	case UTILITY_CPUS:
		about->total_cpus = carried(event, 1);
		about->traced_cpus = carried(event, 2);
		break;
	default: break;
	}
}

static void
learn_event(struct poly_trcrpt *report, const struct aix_event *event)
{
	struct about *about = &report->about;
	if (event->hook == HOOK_HEADER)
		learn_header(about, event);
	if (event->hook == HOOK_UTILITY)
		learn_utility(about, event);
	if (event->hook != HOOK_ON || about->has_date || !event->has_time)
		return;
	about->date_ns = aix_rate_ns(&report->merge.rate, event->time);
	about->has_date =
		event->size >= event->word && aix_event_word(event, 1) <= (uint64_t)DATE_LAST;
	about->date = (int64_t)aix_event_word(event, 1);
}

void
about_learn(struct poly_trcrpt *report)
{
	struct aix_event event;
	for (size_t i = 0; i < report->merge.count; i++) {
		const struct poly_batch *batch = report->merge.inputs[i].batch;
		for (size_t row = 0; batch && row < batch->rows; row++) {
			if (aix_event_of_row(batch, row, &event))
				learn_event(report, &event);
		}
	}
	report->facts.total_cpus = report->about.total_cpus;
	report->facts.traced_cpus = report->about.traced_cpus;
	report->facts.reported_cpus = report->merge.count;
	if (*report->about.address)
		report->facts.ip_address = strchr(report->about.address, ' ') + 1;
	if (*report->about.buffering)
		report->facts.buffering = report->about.buffering;
	if (report->has_date) {
		report->about.has_date = true;
		report->about.date = report->date;
	}
}

static void
line(struct buf *out, const char *before, const char *text)
{
	if (*text)
		buf_printf(out, "%s%s\n", before, text);
}

/* What whose events are is told by, where a column shows it. */
static void
write_table(const struct poly_trcrpt *report, struct buf *out)
{
	const bool *shown = report->settings.layout.shown;
	if (!shown[LAYOUT_exec] && !shown[LAYOUT_pid] && !shown[LAYOUT_svc] &&
		!shown[LAYOUT_cpuid])
		return;
	if (report->hook_table)
		buf_printf(out, "Hooks that tell of processes: '%s'\n", report->hook_table);
	else
		buf_string(out, "Hooks that tell of processes: built-in table, assumed\n");
}

void
about_write(struct poly_trcrpt *report, struct buf *out)
{
	struct about *about = &report->about;
	size_t from = out->size;
	char date[DATE_SIZE] = "";
	if (about->has_date)
		date_long(&report->settings.eval, about->date, date);
	line(out, "", date);
	line(out, "", about->system);
	line(out, "", about->machine);
	line(out, "Internet Address: ", about->address);
	if (about->total_cpus)
		buf_printf(out, "The system contains %llu cpus, of which %llu were traced.\n",
			(unsigned long long)about->total_cpus,
			(unsigned long long)about->traced_cpus);
	line(out, "Buffering: ", about->buffering);
	if (about->hooks.size)
		line(out, "", buf_text(&about->hooks));
	write_table(report, out);
	if (out->size > from)
		buf_byte(out, '\n');
	if (about->command.size)
		buf_printf(out, "%s\n\n", buf_text(&about->command));
}

void
about_fini(struct about *about)
{
	buf_free(&about->hooks);
	buf_free(&about->command);
}
