/* SPDX-License-Identifier: MIT */
/*
 * Events in the columns of trcrpt.
 *
 * spec: reference aix 7.2.
 */
#include "trcfmt/report.h"

#include "base/num.h"

#include <string.h>

/* Headings are repeated after so many lines; see report_text_begin. */
static void
write_heading(struct poly_trcrpt *report)
{
	uint8_t *to = buf_reserve(&report->out, LAYOUT_LINE_MOST + 64);
	if (!to)
		return;
	report->out.size += layout_heading(&report->settings.layout, (char *)to);
	buf_string(&report->out, "\n\n");
	report->page = 0;
}

void
report_text_begin(struct poly_trcrpt *report)
{
	if (report->no_header)
		return;
	about_write(report, &report->out);
	if (!report->hist)
		write_heading(report);
}

/* A number, left-aligned, where it is known. */
static void
put_number(struct layout_line *line, const struct layout *layout, enum layout_column column,
	bool known, uint64_t number)
{
	char digits[20];
	if (known && layout->shown[column])
		layout_number(line, layout, column, digits, num_decimal(digits, number));
	else
		layout_skip(line, layout, column);
}

static void
put_string(struct layout_line *line, const struct layout *layout, enum layout_column column,
	const char *text)
{
	if (text && layout->shown[column])
		layout_text(line, layout, column, text, strlen(text));
	else
		layout_skip(line, layout, column);
}

/* Whose the event is. */
static void
put_who(const struct layout *layout, struct layout_line *line, const struct shown *shown)
{
	const struct aix_context *who = &shown->who;
	put_string(line, layout, LAYOUT_exec, who->exec ? report_program(who->exec) : NULL);
	put_number(line, layout, LAYOUT_cpuid, who->has_cpu, who->cpu);
	put_number(line, layout, LAYOUT_pid, who->has_pid, who->pid);
	put_number(line, layout, LAYOUT_tid, who->has_tid, who->tid);
	put_number(line, layout, LAYOUT_depth, shown->depth > 0, shown->depth);
	put_string(line, layout, LAYOUT_svc, who->svc);
	put_string(line, layout, LAYOUT_filename, report_program(shown->file));
	put_number(line, layout, LAYOUT_reportedcpus, true, shown->inputs);
}

/* The first of the registers that were traced with the event. */
static void
put_register(
	const struct layout *layout, struct layout_line *line, const struct aix_event *event)
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
put_times(struct poly_trcrpt *report, struct layout_line *line, const struct shown *shown)
{
	const struct layout *layout = &report->settings.layout;
	char text[40];
	if (layout->shown[LAYOUT_wall])
		layout_number(
			line, layout, LAYOUT_wall, text, report_wall(report, shown->ns, text));
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

/* The columns before the text. */
static void
put_columns(struct poly_trcrpt *report, struct layout_line *line, const struct shown *shown)
{
	const struct layout *layout = &report->settings.layout;
	char id[5];
	layout_text(line, layout, LAYOUT_ids, id, report_id(shown->id, false, id));
	put_who(layout, line, shown);
	put_register(layout, line, shown->event);
	put_times(report, line, shown);
}

/* n bytes of text, what a terminal would obey shown as a full stop. */
static void
put_safe(uint8_t *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)text[i] < ' ' || text[i] == 0x7f ? '.' : (uint8_t)text[i];
}

static const char *const colors[] = {[LEVEL_APPL] = "\033[0m",
	[LEVEL_SVC] = "\033[36m",
	[LEVEL_KERN] = "\033[33m",
	[LEVEL_INT] = "\033[35m"};

/* A piece of the text at its level, behind used columns of its line; the columns then used. */
static size_t
put_piece(struct poly_trcrpt *report, const struct shown *shown, size_t used,
	const struct trcfmt_piece *piece)
{
	const struct layout *layout = &report->settings.layout;
	size_t column = layout->base + piece->level * layout->level;
	size_t blanks = used < column ? column - used : used > 0;
	uint8_t *to =
		piece->length ? buf_reserve(&report->out, blanks + piece->length + 16) : NULL;
	if (!to)
		return used;
	bool colored = report->color && piece->level != LEVEL_APPL;
	memset(to, ' ', blanks);
	to += blanks;
	if (colored) {
		memcpy(to, colors[piece->level], 5);
		to += 5;
	}
	put_safe(to, shown->text + piece->offset, piece->length);
	to += piece->length;
	if (colored) {
		memcpy(to, colors[LEVEL_APPL], 4);
		to += 4;
	}
	report->out.size = (size_t)(to - report->out.data);
	return used + blanks + piece->length;
}

static void
end_line(struct poly_trcrpt *report)
{
	buf_byte(&report->out, '\n');
	report->lines++;
	report->page++;
}

void
report_text_event(struct poly_trcrpt *report, const struct shown *shown)
{
	const struct settings *settings = &report->settings;
	if (settings->page_lines && report->page >= settings->page_lines &&
		!report->no_header) {
		buf_byte(&report->out, '\n');
		write_heading(report);
	}
	uint8_t *to = buf_reserve(&report->out, LAYOUT_LINE_MOST);
	if (!to)
		return;
	struct layout_line line = {(char *)to, 0, 0};
	put_columns(report, &line, shown);
	put_safe(to, line.text, line.size);
	report->out.size += line.size;
	size_t used = line.size;
	for (size_t i = 0; i < shown->piece_count; i++) {
		const struct trcfmt_piece *piece = &shown->pieces[i];
		if (i == 0 ? settings->layout.two_lines : !piece->continues) {
			end_line(report);
			used = 0;
		}
		used = put_piece(report, shown, used, piece);
	}
	end_line(report);
}

void
report_text_hist(struct poly_trcrpt *report)
{
	struct poly_template_info info;
	if (!report->no_header)
		buf_string(&report->out, "ID         COUNT LABEL\n\n");
	for (unsigned hook = 0; hook < 65536; hook++) {
		if (!report->hist[hook])
			continue;
		char id[5];
		size_t n = report_id((uint16_t)hook, false, id);
		const char *label = own_label((uint16_t)hook);
		for (size_t i = 0; poly_template_at(report->templates, i, &info); i++) {
			if (info.hook == hook && *info.label)
				label = info.label + (*info.label == '@');
		}
		buf_printf(&report->out, "%-5.*s%11llu %s\n", (int)n, id,
			(unsigned long long)report->hist[hook], label ? label : "");
	}
}
