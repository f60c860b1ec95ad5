/* SPDX-License-Identifier: MIT */
/* spec: AIX trace reference 7.2. */
#include "trcfmt/report/layout.h"

#include "base/num.h"

#include <string.h>

/* The columns with their default widths. */
static const struct {
	const char *name, *heading;
	uint8_t width;
	bool right; /* aligned to the right */
} columns[LAYOUT_COLUMN_COUNT] = {
	[LAYOUT_ids] = {"ids", "ID", 5, false},		     /* published */
	[LAYOUT_exec] = {"exec", "PROCESS NAME", 15, false}, /* published */
	[LAYOUT_cpuid] = {"cpuid", "CPU", 4, false},
	[LAYOUT_pid] = {"pid", "PID", 9, false}, /* its start at 20 is published */
	[LAYOUT_tid] = {"tid", "TID", 10, false},
	[LAYOUT_depth] = {"depth", "I", 2, false},
	[LAYOUT_svc] = {"svc", "SYSTEM CALL", 12, false},
	[LAYOUT_filename] = {"filename", "FILE", 16, false},
	[LAYOUT_reportedcpus] = {"reportedcpus", "RCPU", 5, false},
	[LAYOUT_purr] = {"purr", "PURR", 17, false},
	[LAYOUT_wall] = {"wall", "TIME OF DAY", 30, false},
	[LAYOUT_elapsed] = {"elapsed", "ELAPSED_SEC", 15, true},
	[LAYOUT_delta] = {"delta", "DELTA_MSEC", 12, true},
	[LAYOUT_gap] = {"gap", "", 3, false}, /* its end at 57 is published */
};

/* Width of seconds with 6 decimals; their end before the gap is published. */
#define WIDTH_MICRO 11

/* Published. */
#define LEVEL_DISTANCE 8

/* Column of a text on a line of its own. */
#define BASE_OF_TWO_LINES 8

void
layout_init(struct report_layout *layout)
{
	memset(layout, 0, sizeof *layout);
	for (size_t c = 0; c < LAYOUT_COLUMN_COUNT; c++)
		layout->width[c] = columns[c].width;
	layout->level = LEVEL_DISTANCE;
	layout->shown[LAYOUT_ids] = true;
	layout->shown[LAYOUT_gap] = true;
}

bool
layout_set(struct report_layout *layout, const char *text, size_t n)
{
	const char *colon = memchr(text, ':', n);
	size_t name = colon ? (size_t)(colon - text) : n;
	uint64_t width;
	if (!colon || !num_parse(colon + 1, n - name - 1, &width) || width > LAYOUT_WIDTH_MAX ||
		!width)
		return false;
	if (name == 5 && memcmp(text, "level", 5) == 0) {
		layout->level = (unsigned)width;
		return true;
	}
	for (size_t c = 0; c < LAYOUT_COLUMN_COUNT; c++) {
		if (strlen(columns[c].name) == name &&
			memcmp(text, columns[c].name, name) == 0) {
			layout->width[c] = (unsigned)width;
			layout->explicit_elapsed |= c == LAYOUT_elapsed;
			return true;
		}
	}
	return false;
}

void
layout_finish(struct report_layout *layout)
{
	layout->shown[LAYOUT_elapsed] = layout->stamp != STAMP_NONE;
	layout->shown[LAYOUT_delta] =
		layout->stamp == STAMP_NANO || layout->stamp == STAMP_NANO_USEC;
	if (layout->stamp == STAMP_MICRO && !layout->explicit_elapsed)
		layout->width[LAYOUT_elapsed] = WIDTH_MICRO;
	layout->base = 0;
	for (size_t c = 0; c < LAYOUT_COLUMN_COUNT; c++) {
		if (layout->shown[c])
			layout->base += layout->width[c];
	}
	if (layout->two_lines)
		layout->base = BASE_OF_TWO_LINES;
}

/* Blanks up to a column. */
static void
pad(struct layout_line *line, size_t column)
{
	if (line->size < column) {
		memset(line->text + line->size, ' ', column - line->size);
		line->size = column;
	}
}

void
layout_skip(
	struct layout_line *line, const struct report_layout *layout, enum layout_column column)
{
	if (layout->shown[column])
		line->column += layout->width[column];
}

/* Appends one blank if the previous value reaches into the column. */
static void
begin(struct layout_line *line)
{
	if (line->size && line->size >= line->column)
		line->text[line->size++] = ' ';
	pad(line, line->column);
}

void
layout_text(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column, const char *text, size_t n)
{
	if (!layout->shown[column])
		return;
	begin(line);
	if (n >= layout->width[column])
		n = layout->width[column] - 1;
	memcpy(line->text + line->size, text, n);
	line->size += n;
	line->column += layout->width[column];
}

void
layout_number(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column, const char *text, size_t n)
{
	if (!layout->shown[column])
		return;
	size_t end = line->column + layout->width[column];
	if (columns[column].right && end > n)
		line->column = end - n;
	begin(line);
	memcpy(line->text + line->size, text, n);
	line->size += n;
	line->column = end;
}

size_t
layout_heading(const struct report_layout *layout, char *text)
{
	static const char *const levels[] = {"APPL", "SYSCALL", "KERNEL", "INTERRUPT"};
	struct layout_line line = {text, 0, 0};
	for (unsigned c = 0; c < LAYOUT_gap; c++) {
		const char *heading = columns[c].heading;
		if (c == LAYOUT_delta && layout->stamp == STAMP_NANO_USEC)
			heading = "DELTA_USEC";
		layout_number(&line, layout, (enum layout_column)c, heading, strlen(heading));
	}
	for (unsigned i = 0; i < 4 && !layout->two_lines; i++) {
		line.column = layout->base + i * layout->level;
		begin(&line);
		memcpy(line.text + line.size, levels[i], strlen(levels[i]));
		line.size += strlen(levels[i]);
	}
	return line.size;
}

size_t
layout_decimal(char *dst, int64_t value, unsigned scale, unsigned decimals)
{
	static const uint32_t powers[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
	uint64_t absolute = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint32_t unit = powers[scale - decimals];
	if (unit > 1)
		absolute = absolute / unit + (absolute % unit >= unit / 2);
	uint32_t fraction = (uint32_t)(absolute % powers[decimals]);
	size_t n = 0;
	if (value < 0)
		dst[n++] = '-';
	n += num_decimal(dst + n, absolute / powers[decimals]);
	if (!decimals)
		return n;
	dst[n++] = '.';
	for (unsigned i = decimals; i-- > 0; fraction /= 10)
		dst[n + i] = (char)('0' + fraction % 10);
	return n + decimals;
}
