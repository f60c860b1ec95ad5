/* SPDX-License-Identifier: MIT */
/*
 * The header of the report: metadata of the traces.
 *
 * The ids and the contents of these hooks are published, their layout is not. The assumed
 * layout: names of a system in fields of 32 bytes as uname returns them, numbers as data words,
 * lists and commands as text.
 *
 * spec: AIX trace reference 4.8 (Predefined hooks), 7.2.
 */
#include "trcfmt/report/report.h"

#include "trcfmt/report/report_date.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

/* Sub-hooks of 003. */
enum { HEADER_SYSTEM = 1, HEADER_COMMAND, HEADER_ALL, HEADER_ONLY, HEADER_EXCEPT };

/* Sub-hooks of 00A. */
enum { UTILITY_ADDRESS = 5, UTILITY_BUFFERING = 6, UTILITY_CPUS = 0x12 };

/* Rows of an input in which TRACE ON is searched. */
#define HEAD_ROWS ((size_t)1 << 22)

/* Size of a name in bytes as uname returns it on AIX. */
#define NAME_SIZE 32

/* Returns data word i, without the sub-hook, which is D1 of a generic 32-bit entry. */
static uint64_t
data_word(const struct aix_event *event, unsigned i)
{
	return aix_event_word(event, i + (event->generic && !event->wide));
}

/* Gets the printable text of a buffer from byte `at` on, up to a NUL; returns its size, 0 if
 * another byte occurs. */
static size_t
text_at(const struct aix_event *event, size_t at, size_t limit, const char **text)
{
	size_t n = 0;
	if (event->generic)
		at += event->word;
	if (at >= event->size)
		return 0;
	*text = (const char *)event->data + at;
	for (; n < limit && at + n < event->size && (*text)[n]; n++) {
		if ((*text)[n] < ' ' || (*text)[n] == 0x7f)
			return 0;
	}
	return n;
}

static void
read_text(struct buf *dst, const struct aix_event *event, const char *before)
{
	const char *text;
	size_t n = text_at(event, 0, 4096, &text);
	if (!n || dst->size)
		return;
	buf_string(dst, before);
	buf_append(dst, text, n);
}

/* "System: AIX 7.1 Node: host", "Machine: 000691854C00". */
static void
read_system(struct header *header, const struct aix_event *event)
{
	const char *field[5];
	int n[5];
	for (size_t i = 0; i < 5; i++) {
		n[i] = (int)text_at(event, i * NAME_SIZE, NAME_SIZE - 1, &field[i]);
		if (!n[i])
			return;
	}
	snprintf(header->system, sizeof header->system, "System: %.*s %.*s.%.*s Node: %.*s",
		n[0], field[0], n[3], field[3], n[2], field[2], n[1], field[1]);
	snprintf(header->machine, sizeof header->machine, "Machine: %.*s", n[4], field[4]);
}

static void
read_header(struct header *header, const struct aix_event *event)
{
	switch (aix_event_sub(event)) {
	case HEADER_SYSTEM: read_system(header, event); break;
	case HEADER_COMMAND: read_text(&header->command, event, ""); break;
	case HEADER_ALL:
		if (!header->hooks.size)
			buf_string(&header->hooks, "Tracing all hooks.");
		break;
	case HEADER_ONLY: read_text(&header->hooks, event, "Tracing only these hooks, "); break;
	case HEADER_EXCEPT:
		read_text(&header->hooks, event, "Tracing all hooks except these, ");
		break;
	default: break;
	}
}

static void
read_utility(struct header *header, const struct aix_event *event)
{
	const char *text;
	size_t n;
	uint32_t address;
	switch (aix_event_sub(event)) {
	case UTILITY_ADDRESS:
		address = (uint32_t)data_word(event, 1);
		snprintf(header->address, sizeof header->address, "%08X %u.%u.%u.%u",
			(unsigned)address, (unsigned)(address >> 24),
			(unsigned)(address >> 16 & 255), (unsigned)(address >> 8 & 255),
			(unsigned)(address & 255));
		break;
	case UTILITY_BUFFERING:
		n = text_at(event, 0, 60, &text);
		if (n)
			snprintf(header->buffering, sizeof header->buffering, "%.*s", (int)n,
				text);
		break;
	case UTILITY_CPUS:
		header->total_cpus = data_word(event, 1);
		header->traced_cpus = data_word(event, 2);
		break;
	default: break;
	}
}

/* Reads what an event states; ns: its time, or that of the event before it. */
static void
read_event(struct poly_trcrpt *report, const struct aix_event *event, uint64_t ns)
{
	struct header *header = &report->header;
	if (event->hook == HOOK_HEADER)
		read_header(header, event);
	if (event->hook == HOOK_UTILITY)
		read_utility(header, event);
	if (event->hook != HOOK_ON || !event->has_time ||
		(header->has_on && header->date_ns <= ns))
		return;
	header->has_on = true;
	header->date_ns = ns;
	header->has_date =
		event->size >= event->word && aix_event_word(event, 1) <= (uint64_t)DATE_LAST;
	header->date = (int64_t)aix_event_word(event, 1);
}

/* The head of an input, up to TRACE ON. */
struct head {
	struct aix_clock clock;
	uint64_t ns; /* of the last event with a time */
	bool is_on;  /* TRACE ON was read */
};

/* Reads the events of a batch; after TRACE ON only the rest of its batch. */
static void
read_batch(struct poly_trcrpt *report, struct head *head, const struct poly_batch *batch)
{
	struct aix_event event;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!aix_event_of_row(batch, row, &event))
			continue;
		if (event.has_time)
			head->ns = aix_rate_ns(
				&report->merge.rate, aix_clock_ticks(&head->clock, &event));
		head->is_on |= event.hook == HOOK_ON;
		read_event(report, &event, head->ns);
	}
}

/* Reads an input a second time, up to TRACE ON. */
static void
read_head(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs, size_t i)
{
	struct head head = {.ns = 0};
	struct poly_source source;
	const struct poly_batch *batch;
	size_t rows = 0;
	if (!inputs->head || !inputs->head(inputs->user, i, &source))
		return;
	while (!head.is_on && rows < HEAD_ROWS &&
		source.next(source.user, &batch, NULL) == POLY_OK) {
		read_batch(report, &head, batch);
		rows += batch->rows;
	}
}

void
report_header_read(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs)
{
	for (size_t i = 0; i < report->merge.count; i++) {
		const struct poly_batch *batch = report->merge.inputs[i].batch;
		struct head head = {.ns = 0};
		if (batch)
			read_batch(report, &head, batch);
		if (batch && !head.is_on)
			read_head(report, inputs, i);
	}
	report->formatter.facts.total_cpus = report->header.total_cpus;
	report->formatter.facts.traced_cpus = report->header.traced_cpus;
	report->formatter.facts.reported_cpus = report->merge.count;
	if (*report->header.address)
		report->formatter.facts.ip_address = strchr(report->header.address, ' ') + 1;
	if (*report->header.buffering)
		report->formatter.facts.buffering = report->header.buffering;
	if (report->has_date) {
		report->header.has_date = true;
		report->header.date = report->date;
	}
}

static void
append_line(struct buf *out, const char *before, const char *text)
{
	if (*text)
		buf_printf(out, "%s%s\n", before, text);
}

/* Names the table of hooks, if a column shows values that it determines. */
static void
write_table(const struct poly_trcrpt *report, struct buf *out)
{
	const bool *shown = report->settings.layout.shown;
	if (!shown[LAYOUT_exec] && !shown[LAYOUT_pid] && !shown[LAYOUT_svc] &&
		!shown[LAYOUT_cpuid])
		return;
	if (report->hook_table)
		buf_printf(out, "Process hooks: '%s'\n", report->hook_table);
	else
		buf_string(out, "Process hooks: built-in table, assumed\n");
}

void
report_header_write(struct poly_trcrpt *report, struct buf *out)
{
	struct header *header = &report->header;
	size_t from = out->size;
	char date[DATE_SIZE] = "";
	if (header->has_date)
		date_long(&report->settings.eval, header->date, date);
	append_line(out, "", date);
	append_line(out, "", header->system);
	append_line(out, "", header->machine);
	append_line(out, "Internet Address: ", header->address);
	if (header->total_cpus)
		buf_printf(out, "The system contains %llu cpus, of which %llu were traced.\n",
			(unsigned long long)header->total_cpus,
			(unsigned long long)header->traced_cpus);
	append_line(out, "Buffering: ", header->buffering);
	if (header->hooks.size)
		append_line(out, "", buf_text(&header->hooks));
	write_table(report, out);
	if (out->size > from)
		buf_byte(out, '\n');
	if (header->command.size)
		buf_printf(out, "%s\n\n", buf_text(&header->command));
}

void
report_header_free(struct header *header)
{
	buf_free(&header->hooks);
	buf_free(&header->command);
}
