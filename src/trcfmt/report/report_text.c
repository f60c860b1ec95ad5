/* SPDX-License-Identifier: MIT */
/*
 * Writes events in the columns of trcrpt.
 *
 * spec: AIX trace reference 7.2.
 */
#include "trcfmt/report/report.h"

#include "base/num.h"

#include <string.h>

/* Writes the line of headings. */
static void
write_heading(struct event_formatter *formatter)
{
	uint8_t *dst = buf_reserve(&formatter->out, LAYOUT_LINE_MAX + 64);
	if (!dst)
		return;
	formatter->out.size += layout_heading(&formatter->report->settings.layout, (char *)dst);
	buf_string(&formatter->out, "\n\n");
	formatter->page = 0;
}

void
report_text_begin(struct poly_trcrpt *report)
{
	if (report->no_header)
		return;
	report_header_write(report, &report->formatter.out);
	if (!report->hist)
		write_heading(&report->formatter);
}

/* Writes a number, left-aligned, if known. */
static void
write_number(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column, bool known, uint64_t number)
{
	char digits[20];
	if (known && layout->shown[column])
		layout_number(line, layout, column, digits, num_decimal(digits, number));
	else
		layout_skip(line, layout, column);
}

static void
write_string(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column, const char *text)
{
	if (text && layout->shown[column])
		layout_text(line, layout, column, text, strlen(text));
	else
		layout_skip(line, layout, column);
}

/* Writes the event's process, thread, CPU and system call. */
static void
write_context(const struct report_layout *layout, struct layout_line *line,
	const struct report_event *shown)
{
	const struct aix_context *who = &shown->who;
	write_string(line, layout, LAYOUT_exec, who->exec ? report_program(who->exec) : NULL);
	write_number(line, layout, LAYOUT_cpuid, who->has_cpu, who->cpu);
	write_number(line, layout, LAYOUT_pid, who->has_pid, who->pid);
	write_number(line, layout, LAYOUT_tid, who->has_tid, who->tid);
	write_number(line, layout, LAYOUT_depth, shown->depth > 0, shown->depth);
	write_string(line, layout, LAYOUT_svc, who->svc);
	write_string(line, layout, LAYOUT_filename, report_program(shown->file));
	write_number(line, layout, LAYOUT_reportedcpus, true, shown->inputs);
}

/* Writes the first register traced with the event. */
static void
write_register(const struct report_layout *layout, struct layout_line *line,
	const struct aix_event *event)
{
	char digits[16];
	if (!layout->shown[LAYOUT_purr] || !event->register_count) {
		layout_skip(line, layout, LAYOUT_purr);
		return;
	}
	num_hex_bytes(digits, event->registers, 8);
	for (size_t i = 0; i < sizeof digits; i++) {
		if (digits[i] >= 'a')
			digits[i] = (char)(digits[i] - 'a' + 'A');
	}
	layout_number(line, layout, LAYOUT_purr, digits, 16);
}

static void
write_times(struct event_formatter *formatter, struct layout_line *line,
	const struct report_event *shown)
{
	const struct report_layout *layout = &formatter->report->settings.layout;
	char text[40];
	if (layout->shown[LAYOUT_wall])
		layout_number(line, layout, LAYOUT_wall, text,
			report_wall(formatter, shown->ns, text));
	if (layout->stamp == STAMP_NONE)
		return;
	unsigned decimals = layout->stamp == STAMP_MICRO ? 6 : 9;
	layout_number(line, layout, LAYOUT_elapsed, text,
		layout_decimal(text, shown->ns, 9, decimals));
	if (layout->stamp == STAMP_NANO)
		layout_number(line, layout, LAYOUT_delta, text,
			layout_decimal(text, shown->delta, 6, 6));
	if (layout->stamp == STAMP_NANO_USEC)
		layout_number(line, layout, LAYOUT_delta, text,
			layout_decimal(text, shown->delta, 3, 3));
}

/* Writes the columns before the text. */
static void
write_columns(struct event_formatter *formatter, struct layout_line *line,
	const struct report_event *shown)
{
	const struct report_layout *layout = &formatter->report->settings.layout;
	char id[5];
	layout_text(line, layout, LAYOUT_ids, id, report_id(shown->id, false, id));
	write_context(layout, line, shown);
	write_register(layout, line, shown->event);
	write_times(formatter, line, shown);
}

/* Copies n bytes of text, control characters as full stops. */
static void
copy_printable(uint8_t *dst, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = (uint8_t)text[i] < ' ' || text[i] == 0x7f ? '.' : (uint8_t)text[i];
}

static const char *const colors[] = {[LEVEL_APPL] = "\033[0m",
	[LEVEL_SVC] = "\033[36m",
	[LEVEL_KERN] = "\033[33m",
	[LEVEL_INT] = "\033[35m"};

/* Writes a span at its level, after `used` columns of its line; returns the columns then used.
 */
static size_t
write_span(struct event_formatter *formatter, const struct report_event *shown, size_t used,
	const struct trcfmt_span *span)
{
	const struct report_layout *layout = &formatter->report->settings.layout;
	size_t column = layout->base + span->level * layout->level;
	size_t blanks = used < column ? column - used : used > 0;
	uint8_t *dst =
		span->length ? buf_reserve(&formatter->out, blanks + span->length + 16) : NULL;
	if (!dst)
		return used;
	bool colored = formatter->report->color && span->level != LEVEL_APPL;
	memset(dst, ' ', blanks);
	dst += blanks;
	if (colored) {
		memcpy(dst, colors[span->level], 5);
		dst += 5;
	}
	copy_printable(dst, shown->text + span->offset, span->length);
	dst += span->length;
	if (colored) {
		memcpy(dst, colors[LEVEL_APPL], 4);
		dst += 4;
	}
	formatter->out.size = (size_t)(dst - formatter->out.data);
	return used + blanks + span->length;
}

static void
end_line(struct event_formatter *formatter)
{
	buf_byte(&formatter->out, '\n');
	formatter->lines++;
	formatter->page++;
}

void
report_text_event(struct event_formatter *formatter, const struct report_event *shown)
{
	const struct report_settings *settings = &formatter->report->settings;
	if (settings->page_lines && formatter->page >= settings->page_lines &&
		!formatter->report->no_header) {
		buf_byte(&formatter->out, '\n');
		write_heading(formatter);
	}
	uint8_t *dst = buf_reserve(&formatter->out, LAYOUT_LINE_MAX);
	if (!dst)
		return;
	struct layout_line line = {(char *)dst, 0, 0};
	write_columns(formatter, &line, shown);
	copy_printable(dst, line.text, line.size);
	formatter->out.size += line.size;
	size_t used = line.size;
	for (size_t i = 0; i < shown->span_count; i++) {
		const struct trcfmt_span *span = &shown->spans[i];
		if (i == 0 ? settings->layout.two_lines : !span->continues) {
			end_line(formatter);
			used = 0;
		}
		used = write_span(formatter, shown, used, span);
	}
	end_line(formatter);
}

void
report_text_hist(struct poly_trcrpt *report)
{
	struct poly_template_info info;
	if (!report->no_header)
		buf_string(&report->formatter.out, "ID         COUNT LABEL\n\n");
	for (unsigned hook = 0; hook < 65536; hook++) {
		if (!report->hist[hook])
			continue;
		char id[5];
		size_t n = report_id((uint16_t)hook, false, id);
		const char *label = builtin_label((uint16_t)hook);
		for (size_t i = 0; poly_template_at(report->templates, i, &info); i++) {
			if (info.hook == hook && *info.label)
				label = info.label + (*info.label == '@');
		}
		buf_printf(&report->formatter.out, "%-5.*s%11llu %s\n", (int)n, id,
			(unsigned long long)report->hist[hook], label ? label : "");
	}
}
