/* SPDX-License-Identifier: MIT */
/*
 * The listing of six-byte bus traces as printed by the format's own program: one line per
 * record with address, byte enables and the name of the operation.
 *
 * spec: BYU BACH trace format (program); BYU BACH bus trace reference 4.5
 */
#include "format/bus/text.h"
#include "format/bus/trace.h"
#include "format/line/line.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_LINE };

/* Maximum bytes of a line. */
#define LINE_MAX 4096

/* Rows that are printed together. */
#define PRINT_ROWS 2048

struct listing_reader {
	struct lines lines;
	uint32_t moved; /* bytes that a cacheable operation transfers */
	struct bus_check check;
};

struct listing_writer {
	struct bus_conversion conversion;
	bus_print_fn print;
};

/* Lines at the start of an input, and how many of them are records. */
struct listing_sample {
	size_t lines, records;
};

static void
read_sample(struct listing_sample *sample, const char *p, size_t n, bool eof)
{
	const char *end = p + n;
	memset(sample, 0, sizeof *sample);
	while (p < end && sample->lines < 64) {
		size_t left = (size_t)(end - p), limit = left < LINE_MAX ? left : LINE_MAX;
		const char *newline = memchr(p, '\n', limit);
		if (!newline && !(eof && limit == left))
			return;
		size_t length = newline ? (size_t)(newline - p) + 1 : left;
		struct bus_cycle cycle;
		bool exact;
		sample->lines++;
		sample->records += bus_parse(p, length, &cycle, &exact);
		p += length;
	}
}

static int
text_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct listing_sample sample;
	read_sample(&sample, (const char *)p, n, eof);
	note->near = sample.records > 0;
	note->consistent = note->distinct = note->near && sample.records == sample.lines;
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are records of the listing", sample.records,
			sample.lines);
	/* The last line may be truncated. */
	if (sample.records < 3 || sample.records + 1 < sample.lines)
		return 0;
	return 24;
}

/* Sets the columns of a record. */
static void
put_cycle(struct listing_reader *reader, struct batch *batch, size_t row,
	const struct bus_cycle *cycle)
{
	unsigned operation = cycle->control >> 4;
	bool moves = BUS_TRANSFERS >> operation & 1;
	int event = bus_event(cycle);
	const bool line = BUS_LINES >> operation & 1;
	uint64_t address = cycle->address & ~7u;
	if (moves)
		address |= bus_first_lane(cycle->enables);
	batch_put(batch, kind, row, bus_kinds[operation]);
	batch_put(batch, record, row, bus_records[operation]);
	batch_put(batch, byte_enables, row, cycle->enables);
	batch_put(batch, control, row, cycle->control);
	batch_put(
		batch, address, row, line ? address & ~(uint64_t)(reader->moved - 1) : address);
	if (line)
		batch_put(batch, requested_address, row, address);
	if (moves) {
		batch_put(batch, access, row, bus_accesses[operation]);
		batch_put(batch, size, row,
			line ? reader->moved : bus_byte_count(cycle->enables));
	}
	if (event >= 0)
		batch_put(batch, event, row, (uint8_t)event);
}

/* Returns the number of bytes of a line to show in a message. */
static int
shown_size(const uint8_t *text, size_t n)
{
	int shown = 0;
	while (shown < 40 && (size_t)shown < n && text[shown] >= ' ' && text[shown] < 0x7f)
		shown++;
	return shown;
}

static bool
text_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *line, struct line_fault *fault)
{
	const char *text = (const char *)line->text;
	struct bus_cycle cycle;
	bool exact;
	if (!bus_parse(text, line->size, &cycle, &exact))
		return line_set_fault(fault, BUS_B01, 0,
			"'%.*s' is not a record (expected address, byte enables and operation)",
			shown_size(line->text, line->size), text);
	put_cycle(reading->state, batch, row, &cycle);
	/* Preserve a line that printing would not reproduce. */
	if (!exact || (cycle.address & 7))
		batch_put_bytes(batch, POLY_COLUMN_raw, row, text, line->size);
	batch_put(batch, origin, row, line->offset);
	line_check_end(reading, row, line, BUS_B11);
	return true;
}

static const struct line_format line_format = {
	.limit = LINE_MAX,
	.corrupt_kind = BUS_RECORD_CORRUPT,
	.too_long = BUS_B01,
	.parse_line = text_parse_line,
};

static enum poly_status
text_open(struct reading *reading, struct poly_error *error)
{
	struct listing_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	reader->moved = reading->options[OPTION_LINE] ? 8 : BUS_LINE_SIZE;
	if (!info_fact(reading->info, "bach.line", reader->moved == 8 ? "8" : "32"))
		return err_memory(error);
	lines_open(reading, &reader->lines, &line_format);
	view->isa = "x86";
	view->address_bits = 32;
	view->addresses = POLY_ADDRESS_PHYSICAL;
	view->records = bus_record_names;
	view->record_count = BUS_RECORD_COUNT;
	return POLY_OK;
}

static void
text_check(struct reading *reading, const struct poly_batch *batch)
{
	struct listing_reader *reader = reading->state;
	bus_check(reading, &reader->check, batch);
}

static void
text_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct listing_reader *reader = reading->state;
	(void)prefix;
	bus_check_deferred(reading, &reader->check, batch, row);
}

static void
text_check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct listing_reader *reader = reading->state;
	(void)batch, (void)first;
	bus_check_add(&reader->check, state);
}

static enum poly_status
text_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct listing_writer *writer = writing->state;
	writer->conversion.raw = bus_raw_contents(writing->source);
	writing->uses = bus_uses(writing->source);
	writer->print = bus_printer();
	return POLY_OK;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct listing_writer *writer = writing->state;
	struct bus_conversion *conversion = &writer->conversion;
	if (conversion->raw == BUS_RAW_TEXT && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *line = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		out_write(writing->out, line, n);
		return POLY_OK;
	}
	enum poly_status status = bus_convert(writing, conversion, batch, row, error);
	for (size_t i = 0; status == POLY_OK && i < conversion->count; i++) {
		char *dst = (char *)out_room(writing->out, BUS_PRINT_ROOM);
		out_commit(writing->out, bus_print(dst, &conversion->cycles[i]));
	}
	return status;
}

/* Writes rows from columns alone; returns false, without output, if that is impossible. */
static bool
write_plain(struct writing *writing, const struct poly_batch *batch, size_t row, size_t n)
{
	const struct listing_writer *writer = writing->state;
	char *dst = (char *)out_room(writing->out, n * BUS_LINE_MAX + BUS_PRINT_ROOM);
	size_t size = writer->print(dst, batch, row, n);
	out_commit(writing->out, size);
	return size != 0;
}

static enum poly_status
text_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	bool plain = bus_rows_plain(batch);
	for (size_t row = 0, n; row < batch->rows; row += n) {
		n = batch->rows - row < PRINT_ROWS ? batch->rows - row : PRINT_ROWS;
		if (plain && write_plain(writing, batch, row, n))
			continue;
		for (size_t i = row; status == POLY_OK && i < row + n; i++)
			status = write_row(writing, batch, i, error);
	}
	return status;
}

static const struct poly_option options[] = {
	BUS_LINE_OPTION,
	{.name = NULL},
};

static const struct format bach_text = {
	.content = {.users = "BYU BACH archive",
		.kinds = POLY_KIND_BIT(ACCESS) | POLY_KIND_BIT(EVENT),
		.own_columns = POLY_COLUMNS_INIT(control),
		.fills = POLY_COLUMNS_INIT(size, byte_enables, control, requested_address)},
	.info =
		{
			.name = "bach-text",
			.family = "bach-text",
			.title = "listing of a BYU BACH six-byte bus trace",
			.extensions = "bach.txt",
			.options = options,
			BUS_CYCLE_INFO,
		},
	.is_text = true,
	.reader_size = sizeof(struct listing_reader),
	.writer_size = sizeof(struct listing_writer),
	.rows_independent = true,
	.probe = text_probe,
	.open = text_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = lines_find_split,
	.check = text_check,
	.checks_chunks = true,
	.check_offset = offsetof(struct listing_reader, check),
	.check_size = sizeof(struct bus_check),
	.check_deferred = text_check_deferred,
	.check_adopt = text_check_adopt,
	.close = lines_close,
	.wopen = text_wopen,
	.write = text_write,
};

const struct format *const formats_bach_text[] = {&bach_text, NULL};
