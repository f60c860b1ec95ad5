/* SPDX-License-Identifier: MIT */
/*
 * The listing of six-byte bus traces that the format's own program prints: a line a record,
 * address, byte enables and the name of the operation.
 *
 * spec: seed 001, its program; reference bach 4.5
 */
#include "format/bus/text.h"
#include "format/bus/trace.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_LINE };

/* Bytes of the longest line that is read. */
#define LINE_MOST 4096

/* Rows that are printed into one room. */
#define PRINT_ROWS 2048

struct text_reader {
	bool within;	/* the front is inside of a line whose beginning was passed over */
	uint32_t moved; /* bytes that a cacheable operation moves */
	struct bus_check check;
};

struct text_writer {
	struct bus_conversion conversion;
	bus_print_fn print;
};

/* Lines at the front of an input, and how many of them are records. */
struct sample {
	size_t lines, records;
};

static void
take_sample(struct sample *sample, const char *p, size_t n, bool eof)
{
	const char *end = p + n;
	memset(sample, 0, sizeof *sample);
	while (p < end && sample->lines < 64) {
		size_t left = (size_t)(end - p), limit = left < LINE_MOST ? left : LINE_MOST;
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
	struct sample sample;
	take_sample(&sample, (const char *)p, n, eof);
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are records of the listing", sample.records,
			sample.lines);
	/* The last line may be cut off. */
	if (sample.records < 3 || sample.records + 1 < sample.lines)
		return 0;
	return 24;
}

static enum poly_status
text_open(struct reading *reading, struct poly_error *error)
{
	struct text_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	reader->moved = reading->options[OPTION_LINE] ? 8 : BUS_LINE_SIZE;
	if (!info_fact(reading->info, "bach.line", reader->moved == 8 ? "8" : "32"))
		return err_memory(error);
	view->isa = "x86";
	view->address_bits = 32;
	view->addresses = POLY_ADDRESS_PHYSICAL;
	view->records = bus_record_names;
	view->record_count = BUS_RECORD_COUNT;
	return POLY_OK;
}

/* The columns of a record; its line is kept where printing would not give the same one. */
static void
put_cycle(struct text_reader *reader, struct batch *batch, size_t row,
	const struct bus_cycle *cycle)
{
	unsigned operation = cycle->control >> 4;
	bool moves = BUS_TRANSFERS >> operation & 1;
	int event = bus_event(cycle);
	uint64_t address = cycle->address & ~7u;
	batch_put(batch, kind, row, bus_kinds[operation]);
	batch_put(batch, record, row, bus_records[operation]);
	batch_put(batch, byte_enables, row, cycle->enables);
	batch_put(batch, control, row, cycle->control);
	batch_put(batch, address, row,
		moves ? address | bus_first_lane(cycle->enables) : address);
	if (moves) {
		bool whole = BUS_LINES >> operation & 1;
		batch_put(batch, access, row, bus_accesses[operation]);
		batch_put(batch, size, row,
			whole ? reader->moved : bus_byte_count(cycle->enables));
	}
	if (event >= 0)
		batch_put(batch, event, row, (uint8_t)event);
}

/* The failure of a line that is no record; the rows before it stand. */
static enum poly_status
bad_line(const struct reading *reading, const char *line, size_t n, struct poly_error *error)
{
	const struct text_reader *reader = reading->state;
	int shown = 0;
	while (shown < 40 && (size_t)shown < n && line[shown] >= ' ' && line[shown] < 0x7f)
		shown++;
	if (reader->within || n > LINE_MOST)
		err_set(error, POLY_ERR_FORMAT, in_offset(reading->in),
			"the line is longer than %d bytes", LINE_MOST);
	else
		err_set(error, POLY_ERR_FORMAT, in_offset(reading->in),
			"'%.*s' is no record, expected address, byte enables and operation",
			shown, line);
	if (error)
		error->line = reading->line + 1;
	return POLY_ERR_FORMAT;
}

/*
 * The bytes of the line at the front, its newline included; one more than LINE_MOST where it is
 * longer than that. 0: nothing is left.
 */
static size_t
next_line(struct in *in, const uint8_t **line, bool *ended)
{
	size_t have, want = 64;
	for (;; want *= 4) {
		if (want > LINE_MOST)
			want = LINE_MOST + 1;
		*line = in_peek(in, want, &have);
		size_t n = have < LINE_MOST ? have : LINE_MOST;
		const uint8_t *newline = n ? memchr(*line, '\n', n) : NULL;
		*ended = newline != NULL;
		if (newline)
			return (size_t)(newline - *line) + 1;
		if (have < want || have > LINE_MOST)
			return have > LINE_MOST ? LINE_MOST + 1 : have;
	}
}

static enum poly_status
read_line(struct reading *reading, struct batch *batch, size_t row, struct poly_error *error)
{
	struct text_reader *reader = reading->state;
	const uint8_t *line;
	bool ended, exact;
	size_t n = next_line(reading->in, &line, &ended);
	struct bus_cycle cycle;
	uint64_t offset = in_offset(reading->in);
	if (n == 0)
		return POLY_END;
	if (!reader->within && n <= LINE_MOST &&
		bus_parse((const char *)line, n, &cycle, &exact)) {
		put_cycle(reader, batch, row, &cycle);
		if (!exact || (cycle.address & 7))
			batch_put_bytes(batch, POLY_COLUMN_raw, row, line, n);
	} else if (!ended && n <= LINE_MOST && !reader->within) {
		if (in_status(reading->in, NULL) == POLY_END)
			findings_add(reading->findings, BUS_B01, reading->record + row + 1,
				offset, "the last line has no end, and its %zu bytes no record",
				n);
		bus_put_damaged(batch, row, BUS_RECORD_DAMAGED, line, n);
	} else {
		return bad_line(reading, (const char *)line, n, error);
	}
	batch_put(batch, origin, row, offset);
	in_consume(reading->in, n);
	reading->line++;
	return POLY_OK;
}

static enum poly_status
text_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	size_t row = 0;
	while (row < batch->capacity &&
		(status = read_line(reading, batch, row, error)) == POLY_OK)
		row++;
	batch->view.rows = row;
	return row && status == POLY_END ? POLY_OK : status;
}

static size_t
text_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)reading;
	(void)offset;
	while (n > 0 && p[n - 1] != '\n')
		n--;
	return n;
}

/* Passes over a line, or over the part of it that may be looked at. */
static enum poly_status
text_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	(void)error;
	struct text_reader *reader = reading->state;
	const uint8_t *line;
	bool ended;
	size_t n = next_line(reading->in, &line, &ended);
	if (n == 0)
		return POLY_END;
	if (n > LINE_MOST)
		n = LINE_MOST;
	bus_put_damaged(batch, 0, BUS_RECORD_DAMAGED, line, n);
	batch_put(batch, origin, 0, in_offset(reading->in));
	batch->view.rows = 1;
	in_consume(reading->in, n);
	reader->within = !ended;
	reading->line += ended;
	return POLY_OK;
}

static void
text_check(struct reading *reading, const struct poly_batch *batch)
{
	struct text_reader *reader = reading->state;
	bus_check(reading, &reader->check, batch);
}

static enum poly_status
text_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct text_writer *writer = writing->state;
	writer->conversion.raw = bus_raw_of(writing->source);
	writing->uses = bus_uses(writing->source);
	writer->print = bus_printer();
	return POLY_OK;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct text_writer *writer = writing->state;
	struct bus_conversion *conversion = &writer->conversion;
	if (conversion->raw == BUS_RAW_TEXT && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *line = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		out_write(writing->out, line, n);
		return POLY_OK;
	}
	enum poly_status status = bus_convert(writing, conversion, batch, row, error);
	for (size_t i = 0; status == POLY_OK && i < conversion->count; i++) {
		char *to = (char *)out_room(writing->out, BUS_PRINT_ROOM);
		out_commit(writing->out, bus_print(to, &conversion->cycles[i]));
	}
	return status;
}

/* False where it can't be done; nothing of those rows is written then. */
static bool
write_plain(struct writing *writing, const struct poly_batch *batch, size_t row, size_t n)
{
	const struct text_writer *writer = writing->state;
	char *to = (char *)out_room(writing->out, n * BUS_LINE_MOST + BUS_PRINT_ROOM);
	size_t size = writer->print(to, batch, row, n);
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
	.info =
		{
			.name = "bach-text",
			.family = "bach-text",
			.title = "listing of a BYU BACH six-byte bus trace",
			.extensions = "bach.txt",
			.options = options,
			BUS_CYCLE_INFO,
		},
	.reader_size = sizeof(struct text_reader),
	.writer_size = sizeof(struct text_writer),
	.probe = text_probe,
	.open = text_open,
	.read = text_read,
	.resync = text_resync,
	.cut = text_cut,
	.check = text_check,
	.wopen = text_wopen,
	.write = text_write,
};

const struct format *const formats_bach_text[] = {&bach_text, NULL};
