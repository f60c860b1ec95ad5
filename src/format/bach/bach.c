/* SPDX-License-Identifier: MIT */
/*
 * BYU BACH: six-byte records of a Pentium's bus cycles, taken from its pins.
 *
 * spec: BYU BACH trace format; BYU BACH bus trace reference 2 to 6
 */
#include "format/bus/decode.h"
#include "format/bus/text.h"
#include "format/bus/trace.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_ENDIAN, OPTION_LINE, OPTION_LOW };
enum { ENDIAN_BE, ENDIAN_LE, ENDIAN_AUTO };
enum { LOW_KEEP, LOW_ZERO };

/* Records examined to detect the byte order (BYU BACH bus trace reference 4.4). */
#define SAMPLE_RECORDS 65536

/* Number of undefined operations; a short trace may have each once. */
#define UNDEFINED_MAX 6

/* Records that determine a bid; a hundred suffice for the maximum bid. */
#define BID_RECORDS 4096

struct bach_reader {
	struct bus_layout layout;
	bus_decode_fn decode;
	struct bus_check check;
	/* Columns access and address for internal use, if they are not selected. */
	uint8_t accesses[POLY_BATCH_ROWS];
	uint64_t addresses[POLY_BATCH_ROWS];
};

struct bach_writer {
	bool little;
	uint8_t low; /* mask of the bits of control that are written */
	struct bus_conversion conversion;
};

/* Evidence from the start of an input. */
struct bach_sample {
	size_t records;
	size_t aligned[2]; /* A2 to A0 are 0: as big, as little endian */
	size_t valid;	   /* records whose operation is defined */
};

static void
read_sample(struct bach_sample *sample, const uint8_t *p, size_t n)
{
	memset(sample, 0, sizeof *sample);
	sample->records = n / BUS_CYCLE_SIZE;
	if (sample->records > SAMPLE_RECORDS)
		sample->records = SAMPLE_RECORDS;
	for (size_t i = 0; i < sample->records; i++, p += BUS_CYCLE_SIZE) {
		sample->aligned[0] += (p[3] & 7) == 0;
		sample->aligned[1] += (p[0] & 7) == 0;
		sample->valid += BUS_VALID >> (p[5] >> 4) & 1;
	}
}

/* Returns the squared counts of a byte's values in n records: larger if it changes less. */
static uint64_t
evenness(const uint8_t *p, size_t n)
{
	uint64_t counts[256] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		counts[p[i * BUS_CYCLE_SIZE]]++;
	for (size_t i = 0; i < 256; i++)
		sum += counts[i] * counts[i];
	return sum;
}

/*
 * Returns whether little endian aligns more addresses; if both align equally many, whether its
 * highest byte changes less; big endian by default.
 */
static bool
sample_is_little(const struct bach_sample *sample, const uint8_t *p)
{
	if (sample->aligned[0] != sample->aligned[1])
		return sample->aligned[1] > sample->aligned[0];
	return evenness(p + 3, sample->records) > evenness(p, sample->records);
}

/* Returns the evidence of one record for a bus cycle, in quarters of bits; negative: against.
 */
static int
record_bits(const struct bus_cycle *cycle)
{
	unsigned operation = cycle->control >> 4;
	if (!(BUS_VALID >> operation & 1))
		return -6;
	if (BUS_LINES >> operation & 1)
		return 3;
	bool whole = bus_byte_count(cycle->enables) == bus_span(cycle->enables) &&
		     cycle->enables != 0xff;
	if (operation == BUS_SPECIAL || operation == BUS_INT_ACK)
		whole = bus_event(cycle) >= 0;
	return !whole ? -3 : cycle->enables == 0 ? 5 : 9;
}

/*
 * Returns the evidence of a sample's first records, in quarters of bits; reads on while they
 * are alike. A record that repeats its predecessor adds no evidence.
 */
static int
sample_bits(const struct bach_sample *sample, const uint8_t *p, bool little, size_t *different)
{
	long bits = 0;
	*different = 0;
	for (size_t i = 0; i < sample->records && (i < BID_RECORDS || *different < 3);
		i++, p += BUS_CYCLE_SIZE) {
		if (i && memcmp(p, p - BUS_CYCLE_SIZE, BUS_CYCLE_SIZE) == 0)
			continue;
		struct bus_cycle cycle = bus_load(p, little);
		++*different;
		bits += record_bits(&cycle) + (cycle.address & 7 ? -24 : 8);
	}
	return bits > 4 * 24 ? 4 * 24 : bits < 0 ? 0 : (int)bits;
}

static int
bach_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct bach_sample sample;
	size_t different;
	read_sample(&sample, p, n);
	bool little = sample_is_little(&sample, p);
	note->consistent =
		sample.aligned[little] == sample.records &&
		!bus_is_text(p, n < BUS_CYCLE_SIZE ? n : sample.records * BUS_CYCLE_SIZE);
	if (n < 3 * BUS_CYCLE_SIZE)
		return 0;
	int bits = sample_bits(&sample, p, little, &different) / 4;
	note->near = bits > 0 && !bus_is_text(p, sample.records * BUS_CYCLE_SIZE);
	snprintf(note->text, sizeof note->text,
		"%zu of the first %zu addresses are multiples of 8 (%s endian), %zu operations "
		"are defined",
		sample.aligned[little], sample.records, little ? "little" : "big",
		sample.valid);
	size_t undefined = sample.records - sample.valid;
	bool good = 10 * sample.aligned[little] >= 9 * sample.records &&
		    8 * undefined <= 3 * sample.records &&
		    undefined <= UNDEFINED_MAX + sample.records / 16 && different >= 3;
	return good && !bus_is_text(p, sample.records * BUS_CYCLE_SIZE) ? bits : 0;
}

/* Sets the byte order, and adds its evidence as a fact unless it is the default. */
static bool
open_order(struct reading *reading)
{
	struct bach_reader *reader = reading->state;
	struct bach_sample sample;
	size_t have;
	if (reading->options[OPTION_ENDIAN] != ENDIAN_AUTO) {
		reader->layout.little = reading->options[OPTION_ENDIAN] == ENDIAN_LE;
		return true;
	}
	const uint8_t *p = in_peek(reading->in, SAMPLE_RECORDS * BUS_CYCLE_SIZE, &have);
	read_sample(&sample, p, have);
	reader->layout.little = sample_is_little(&sample, p);
	if (!reader->layout.little)
		return true;
	char why[160];
	snprintf(why, sizeof why,
		"%zu of the first %zu addresses are multiples of 8 as little endian, %zu as "
		"big endian",
		sample.aligned[1], sample.records, sample.aligned[0]);
	return info_fact(reading->info, "bach.endian.evidence", why);
}

static enum poly_status
bach_open(struct reading *reading, struct poly_error *error)
{
	struct bach_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	reader->layout.line = reading->options[OPTION_LINE] ? 8 : BUS_LINE_SIZE;
	reader->decode = bus_decoder_at(0);
	if (!open_order(reading) ||
		!info_fact(reading->info, "bach.endian", reader->layout.little ? "le" : "be") ||
		!info_fact(reading->info, "bach.line", reader->layout.line == 8 ? "8" : "32"))
		return err_memory(error);
	view->isa = "x86";
	view->address_bits = 32;
	view->addresses = POLY_ADDRESS_PHYSICAL;
	view->byte_order = reader->layout.little ? POLY_BYTE_ORDER_LITTLE : POLY_BYTE_ORDER_BIG;
	view->records = bus_record_names;
	view->record_count = BUS_RECORD_COUNT;
	return POLY_OK;
}

/* Stores the raw bytes of rows whose address has low bits, which no column preserves. */
static void
store_odd(const struct bach_reader *reader, struct batch *batch, const uint8_t *p, size_t n)
{
	for (size_t row = 0; row < n; row++, p += BUS_CYCLE_SIZE) {
		if (bus_load(p, reader->layout.little).address & 7)
			batch_put_bytes(batch, POLY_COLUMN_raw, row, p, BUS_CYCLE_SIZE);
	}
}

/* Sets the events of the rows in a bitmap of 64 rows from first on. */
static void
put_events(const struct bach_reader *reader, struct batch *batch, size_t first, uint64_t rows,
	const uint8_t *p)
{
	for (; rows; rows &= rows - 1) {
		size_t row = first + (size_t)__builtin_ctzll(rows);
		struct bus_cycle cycle =
			bus_load(p + row * BUS_CYCLE_SIZE, reader->layout.little);
		int event = bus_event(&cycle);
		if (event >= 0)
			batch_put(batch, event, row, (uint8_t)event);
	}
}

/* Returns a bitmap of up to 64 rows from first on that access nothing. */
static uint64_t
idle_rows(const uint8_t *accesses, size_t first, size_t n)
{
	uint64_t rows = 0;
	if (n - first < 64) {
		for (size_t i = 0; first + i < n; i++)
			rows |= (uint64_t)(accesses[first + i] / BUS_NO_ACCESS) << i;
		return rows;
	}
	/* The multiplication collects the bits of eight bytes in the top byte. */
	for (size_t i = 0; i < 64; i += 8) {
		uint64_t marks = load_le64(accesses + first + i) / BUS_NO_ACCESS;
		marks &= 0x0101010101010101;
		rows |= (marks * 0x0102040810204080 >> 56) << i;
	}
	return rows;
}

/* Sets presence of access and size if some rows have none, 64 rows at a time; and events. */
static void
mark_accesses(const struct bach_reader *reader, struct batch *batch, const uint8_t *accesses,
	const uint8_t *p, size_t n)
{
	for (size_t row = 0; row < n; row += 64) {
		uint64_t idle = idle_rows(accesses, row, n);
		if (batch->view.event)
			put_events(reader, batch, row, idle, p);
		if (batch->view.access)
			batch->bits[POLY_COLUMN_access][row / 64] = ~idle;
		if (batch->view.size)
			batch->bits[POLY_COLUMN_size][row / 64] = ~idle;
	}
}

/* Aligns the addresses of rows that transfer lines, and stores the requested ones. */
static void
align_lines(const struct bach_reader *reader, struct batch *batch, uint64_t *addresses,
	const uint8_t *p, size_t n)
{
	const uint64_t offset = reader->layout.line - 1;
	for (size_t row = 0; row < n; row++, p += BUS_CYCLE_SIZE) {
		if (!(BUS_LINES >> (p[5] >> 4) & 1))
			continue;
		batch_put(batch, requested_address, row, addresses[row]);
		addresses[row] &= ~offset;
	}
}

/* Fills the selected columns for n records at p. */
static void
decode(struct bach_reader *reader, struct batch *batch, const uint8_t *p, size_t n)
{
	const struct poly_batch *view = &batch->view;
	const bool accesses = view->access || view->size || view->event;
	uint64_t *addresses =
		view->address || !view->requested_address ? view->address : reader->addresses;
	const struct bus_columns columns = {.kind = view->kind,
		.record = view->record,
		.enables = view->byte_enables,
		.control = view->control,
		.access = view->access || !accesses ? view->access : reader->accesses,
		.address = addresses,
		.size = view->size};
	struct bus_found found = reader->decode(p, n, &reader->layout, &columns);
	if (view->raw && found.odd)
		store_odd(reader, batch, p, n);
	if (found.line)
		align_lines(reader, batch, addresses, p, n);
	if (found.idle) {
		mark_accesses(reader, batch, columns.access, p, n);
	} else {
		batch_all_present(batch, POLY_COLUMN_access);
		batch_all_present(batch, POLY_COLUMN_size);
	}
}

static enum poly_status
bach_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	(void)error;
	struct bach_reader *reader = reading->state;
	size_t have;
	const uint8_t *p = in_peek(reading->in, BUS_CYCLE_SIZE, &have);
	size_t n = have / BUS_CYCLE_SIZE;
	if (n == 0)
		return bus_read_tail(
			reading, batch, BUS_B01, BUS_RECORD_CORRUPT, BUS_CYCLE_SIZE);
	if (n > batch->capacity)
		n = batch->capacity;
	decode(reader, batch, p, n);
	if (batch->view.origin) {
		uint64_t offset = in_offset(reading->in);
		for (size_t row = 0; row < n; row++)
			batch->view.origin[row] = offset + row * BUS_CYCLE_SIZE;
	}
	static const enum poly_column always[] = {POLY_COLUMN_kind, POLY_COLUMN_record,
		POLY_COLUMN_address, POLY_COLUMN_byte_enables, POLY_COLUMN_control,
		POLY_COLUMN_origin};
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		batch_all_present(batch, always[i]);
	batch->view.rows = n;
	in_consume(reading->in, n * BUS_CYCLE_SIZE);
	return POLY_OK;
}

static size_t
bach_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)reading;
	(void)p;
	return records_find_split(BUS_CYCLE_SIZE, offset, n);
}

static void
bach_check(struct reading *reading, const struct poly_batch *batch)
{
	struct bach_reader *reader = reading->state;
	bus_check(reading, &reader->check, batch);
}

static void
bach_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct bach_reader *reader = reading->state;
	(void)prefix;
	bus_check_deferred(reading, &reader->check, batch, row);
}

static void
bach_check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct bach_reader *reader = reading->state;
	(void)batch, (void)first;
	bus_check_add(&reader->check, state);
}

static enum poly_status
bach_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct bach_writer *writer = writing->state;
	uint64_t order = writing->options[OPTION_ENDIAN];
	const char *fact = poly_trace_fact(writing->source, "bach.endian");
	writer->little =
		order == ENDIAN_LE || (order == ENDIAN_AUTO && fact && strcmp(fact, "le") == 0);
	writer->low = writing->options[OPTION_LOW] == LOW_ZERO ? 0xf0 : 0xff;
	writer->conversion.raw = bus_raw_contents(writing->source);
	writing->uses = bus_uses(writing->source);
	return POLY_OK;
}

/* Writes a row, from its columns or from its raw bytes. */
static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct bach_writer *writer = writing->state;
	struct bus_conversion *conversion = &writer->conversion;
	size_t size;
	if (writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row) &&
		!poly_present(batch, POLY_COLUMN_control, row)) {
		const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &size);
		out_write(writing->out, bytes, size);
		return POLY_OK;
	}
	enum poly_status status = bus_convert(writing, conversion, batch, row, error);
	for (size_t i = 0; status == POLY_OK && i < conversion->count; i++) {
		uint8_t *dst = out_room(writing->out, BUS_CYCLE_SIZE);
		conversion->cycles[i].control &= writer->low;
		bus_store(dst, &conversion->cycles[i], writer->little);
		out_commit(writing->out, BUS_CYCLE_SIZE);
	}
	return status;
}

/* Writes rows from columns alone; returns false, without output, if an address exceeds 32 bits.
 */
static bool
write_plain(struct writing *writing, const struct poly_batch *batch)
{
	const struct bach_writer *writer = writing->state;
	uint8_t *dst = out_room(writing->out, batch->rows * BUS_CYCLE_SIZE);
	uint64_t all = 0;
	for (size_t row = 0; row < batch->rows; row++, dst += BUS_CYCLE_SIZE) {
		all |= batch->address[row];
		struct bus_cycle cycle = {(uint32_t)batch->address[row] & ~7u,
			batch->byte_enables[row], batch->control[row] & writer->low};
		bus_store(dst, &cycle, writer->little);
	}
	if (all > UINT32_MAX)
		return false;
	out_commit(writing->out, batch->rows * BUS_CYCLE_SIZE);
	return true;
}

static enum poly_status
bach_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (bus_rows_plain(batch) && write_plain(writing, batch))
		return POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

static const char *const endian_words[] = {"be", "le", "auto", NULL};
static const char *const low_words[] = {"keep", "zero", NULL};

static const struct poly_option options[] = {
	{"bach.endian", POLY_OPTION_CHOICE, POLY_OPTION_READ | POLY_OPTION_WRITE,
		.initial = ENDIAN_AUTO, .choices = endian_words,
		.help = "byte order of addresses (default auto: the one with more multiples of "
			"8; written: that of the source)",
		.source = "BYU BACH bus trace reference 3/1"},
	BUS_LINE_OPTION,
	{"bach.low", POLY_OPTION_CHOICE, POLY_OPTION_WRITE, .initial = LOW_KEEP,
		.choices = low_words,
		.help = "preserve or clear the undefined lower four bits of control (default "
			"keep)",
		.source = "BYU BACH bus trace reference 3/6"},
	{.name = NULL},
};

static const struct format bach = {
	.content = {.users = "BYU BACH monitor",
		.kinds = POLY_KIND_BIT(ACCESS) | POLY_KIND_BIT(EVENT),
		.fills = POLY_COLUMNS_INIT(size, byte_enables, control, requested_address)},
	.info =
		{
			.name = "bach",
			.family = "bach",
			.title = "BYU BACH six-byte bus trace of a Pentium",
			.extensions = "bach tr",
			.listing = "bach-text",
			.options = options,
			BUS_CYCLE_INFO,
		},
	.reader_size = sizeof(struct bach_reader),
	.writer_size = sizeof(struct bach_writer),
	.rows_independent = true,
	.probe = bach_probe,
	.open = bach_open,
	.read = bach_read,
	.find_split = bach_cut,
	.check = bach_check,
	.checks_chunks = true,
	.check_offset = offsetof(struct bach_reader, check),
	.check_size = sizeof(struct bus_check),
	.check_deferred = bach_check_deferred,
	.check_adopt = bach_check_adopt,
	.wopen = bach_wopen,
	.raw_facts = (const char *const[]){"bach.endian", "bach.line", NULL},
	.write = bach_write,
};

const struct format *const formats_bach[] = {&bach, NULL};
