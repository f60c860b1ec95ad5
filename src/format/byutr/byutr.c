/* SPDX-License-Identifier: MIT */
/*
 * BYU address traces, version 1: records of 12 bytes, or of 16 and 24 with the types of other
 * compilers.
 *
 * spec: BYU BACH bus trace reference 2.4
 */
#include "format/bus/text.h"
#include "format/bus/trace.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_RECORD };
enum { RULE_Y01, RULE_Y02, RULE_Y03 };

/* Records examined to detect the record size. */
#define SAMPLE_RECORDS 4096

/* Bytes of the largest record. */
#define RECORD_MAX 24

/* Maximum bytes that a record transfers. */
#define SIZE_MAX_BYTES 32

/* Delta of a first record if no clock has run yet. */
#define NO_TIME UINT32_MAX

static const uint8_t layouts[3] = {12, 16, 24};

/* One record; delta in clocks since the previous one. */
struct byutr_request {
	uint64_t address, delta;
	uint8_t type, size, attribute, agent;
	bool padded; /* unused bytes are not 0 */
};

struct byutr_reader {
	size_t size;	  /* of a record in bytes */
	uint64_t time;	  /* of the last record */
	uint64_t checked; /* time of the last record checked */
};

struct byutr_writer {
	size_t size;   /* of a record in bytes */
	uint64_t time; /* of the last record */
	bool clocked;  /* the source's times are bus clocks */
};

/* Columns of a type of request; -1: none. */
struct meaning {
	uint8_t type;
	uint8_t kind;
	int8_t access, event;
};

#define ACCESS(type, access)                                     \
	{                                                        \
		type, POLY_KIND_ACCESS, POLY_ACCESS_##access, -1 \
	}
#define EVENT(type, event)                                    \
	{                                                     \
		type, POLY_KIND_EVENT, -1, POLY_EVENT_##event \
	}

/* In the order of record_names. */
static const struct meaning meanings[] = {
	ACCESS(0x00, FETCH),
	ACCESS(0x01, READ),
	ACCESS(0x02, READ),
	ACCESS(0x03, WRITE),
	ACCESS(0x10, IO_READ),
	ACCESS(0x11, IO_WRITE),
	EVENT(0x20, DEFERRED_REPLY),
	EVENT(0x21, INTERRUPT_ACKNOWLEDGE),
	EVENT(0x22, AGENT_RESPONSE),
	EVENT(0x23, BRANCH_TRACE),
	EVENT(0x31, SHUTDOWN),
	EVENT(0x32, FLUSH),
	EVENT(0x33, HALT),
	EVENT(0x34, SYNC),
	EVENT(0x35, FLUSH_ACKNOWLEDGE),
	EVENT(0x36, STOP_GRANT),
	EVENT(0x37, SMI_ACKNOWLEDGE),
};
#define MEANINGS (sizeof meanings / sizeof *meanings)

enum { RECORD_UNKNOWN = MEANINGS, RECORD_CORRUPT, RECORD_COUNT };
static const char *const record_names[RECORD_COUNT] = {"fetch", "read", "read_invalidate",
	"write", "io_read", "io_write", "deferred_reply", "interrupt_acknowledge",
	"agent_response", "branch_trace", "shutdown", "flush", "halt", "sync",
	"flush_acknowledge", "stop_grant", "smi_acknowledge", "unknown", "corrupt"};

/* Returns the index of a type in meanings; MEANINGS if it is unknown. */
static size_t
find_meaning(uint8_t type)
{
	size_t i = 0;
	while (i < MEANINGS && meanings[i].type != type)
		i++;
	return i;
}

/*
 * record12 = address:4 type:1 size:1 attribute:1 agent:1 delta:4
 * record16 = address:8 type:1 size:1 attribute:1 agent:1 delta:4
 * record24 = address:8 type:1 size:1 attribute:1 agent:1 unused:4 delta:8
 */
static struct byutr_request
load_request(const uint8_t *p, size_t size)
{
	const uint8_t *middle = p + (size == 12 ? 4 : 8);
	return (struct byutr_request){
		.address = size == 12 ? load_le32(p) : load_le64(p),
		.delta = size == 24 ? load_le64(p + 16) : load_le32(middle + 4),
		.type = middle[0],
		.size = middle[1],
		.attribute = middle[2],
		.agent = middle[3],
		.padded = size == 24 && load_le32(p + 12) != 0,
	};
}

static void
store_request(uint8_t *p, size_t size, const struct byutr_request *request)
{
	uint8_t *middle = p + (size == 12 ? 4 : 8);
	memset(p, 0, size);
	store_le32(p, (uint32_t)request->address);
	if (size != 12)
		store_le32(p + 4, (uint32_t)(request->address >> 32));
	middle[0] = request->type;
	middle[1] = request->size;
	middle[2] = request->attribute;
	middle[3] = request->agent;
	if (size == 24) {
		store_le32(p + 16, (uint32_t)request->delta);
		store_le32(p + 20, (uint32_t)(request->delta >> 32));
	} else {
		store_le32(middle + 4, (uint32_t)request->delta);
	}
}

/* Evidence from the start of an input under one layout. */
struct byutr_sample {
	size_t records, different; /* read; different from the previous one */
	size_t good;		   /* with a known type and plausible size */
	long bits;		   /* evidence for the layout in quarters of bits */
};

/* Returns a record's evidence for its layout in quarters of bits; negative: implausible. */
static int
request_bits(const struct byutr_request *request)
{
	size_t i = find_meaning(request->type);
	if (i == MEANINGS || request->size > SIZE_MAX_BYTES || request->padded)
		return -40;
	if (request->size == 0)
		return meanings[i].kind == POLY_KIND_EVENT ? 4 : -40;
	return (request->type ? 12 : 4) + (request->size == 8 ? 12 : 6);
}

static void
read_sample(struct byutr_sample *sample, const uint8_t *p, size_t n, size_t size)
{
	memset(sample, 0, sizeof *sample);
	for (; n >= size && sample->records < SAMPLE_RECORDS; p += size, n -= size) {
		bool repeated = sample->records && memcmp(p, p - size, size) == 0;
		struct byutr_request request = load_request(p, size);
		int bits = request_bits(&request);
		sample->records++;
		sample->good += bits > 0;
		sample->different += !repeated;
		if (!repeated || bits < 0)
			sample->bits += bits;
	}
}

/* Returns the record size with the most evidence, and that evidence; 0: none fits. */
static size_t
best_layout(const uint8_t *p, size_t n, struct byutr_sample *best)
{
	size_t size = 0;
	memset(best, 0, sizeof *best);
	for (size_t i = 0; i < sizeof layouts; i++) {
		struct byutr_sample sample;
		read_sample(&sample, p, n, layouts[i]);
		if (sample.bits <= 0 || 100 * sample.good < 98 * sample.records)
			continue;
		/* A few records of one size may look like as many of another, with a rest. */
		const bool fits = n % layouts[i] == 0 && size && n % size != 0;
		if (!size || sample.bits > best->bits || (sample.bits == best->bits && fits)) {
			*best = sample;
			size = layouts[i];
		}
	}
	return size;
}

static int
byutr_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct byutr_sample sample;
	size_t size = best_layout(p, n, &sample);
	if (!size) {
		note->consistent = n < layouts[0] && !bus_is_text(p, n);
		return 0;
	}
	snprintf(note->text, sizeof note->text,
		"%zu of the first %zu records of %zu bytes have a known type and size",
		sample.good, sample.records, size);
	if (bus_is_text(p, sample.records * size))
		return 0;
	note->near = true;
	note->consistent = sample.good == sample.records;
	if (sample.different < 3)
		return 0;
	return sample.bits > 4 * 24 ? 24 : (int)(sample.bits / 4);
}

static enum poly_status
byutr_open(struct reading *reading, struct poly_error *error)
{
	struct byutr_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	struct byutr_sample sample;
	size_t have;
	char word[8];
	if (reading->options[OPTION_RECORD] < sizeof layouts) {
		reader->size = layouts[reading->options[OPTION_RECORD]];
	} else {
		const uint8_t *p =
			in_peek(reading->in, (size_t)SAMPLE_RECORDS * RECORD_MAX, &have);
		reader->size = best_layout(p, have, &sample);
		if (!reader->size)
			reader->size = layouts[0];
	}
	snprintf(word, sizeof word, "%zu", reader->size);
	if (!info_fact(reading->info, "byutr.record", word))
		return err_memory(error);
	view->isa = "x86";
	view->address_bits = reader->size == 12 ? 32 : 64;
	view->addresses = POLY_ADDRESS_PHYSICAL;
	view->byte_order = POLY_BYTE_ORDER_LITTLE;
	view->clock = "bus clocks";
	view->records = record_names;
	view->record_count = RECORD_COUNT;
	return POLY_OK;
}

/* Returns whether no clock had run, which only a first record may state. */
static bool
no_time(const struct byutr_request *request, uint64_t offset)
{
	return offset == 0 && (request->delta == NO_TIME || request->delta == UINT64_MAX);
}

/* Adds a row for the record at p, which is at offset. */
static void
put_request(struct reading *reading, struct batch *batch, const uint8_t *p, uint64_t offset)
{
	struct byutr_reader *reader = reading->state;
	struct byutr_request request = load_request(p, reader->size);
	const size_t i = find_meaning(request.type), row = batch->view.rows++;
	bool unclocked = no_time(&request, offset);
	reader->time += unclocked ? 0 : request.delta;
	batch_put(batch, kind, row, i < MEANINGS ? meanings[i].kind : POLY_KIND_OTHER);
	batch_put(batch, record, row, (uint8_t)i);
	if (i < MEANINGS && meanings[i].access >= 0)
		batch_put(batch, access, row, (uint8_t)meanings[i].access);
	if (i < MEANINGS && meanings[i].event >= 0)
		batch_put(batch, event, row, (uint8_t)meanings[i].event);
	batch_put(batch, time, row, reader->time);
	batch_put(batch, address, row, request.address);
	batch_put(batch, size, row, request.size);
	batch_put(batch, request, row, request.type);
	batch_put(batch, memory_type, row, request.attribute);
	batch_put(batch, agent, row, request.agent);
	batch_put(batch, origin, row, offset);
	if (unclocked || request.padded)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, p, reader->size);
}

static enum poly_status
byutr_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	(void)error;
	struct byutr_reader *reader = reading->state;
	size_t have;
	const uint8_t *p = in_peek(reading->in, reader->size, &have);
	size_t n = have / reader->size;
	if (n == 0)
		return bus_read_tail(reading, batch, RULE_Y01, RECORD_CORRUPT, reader->size);
	if (n > batch->capacity)
		n = batch->capacity;
	if (reading->is_chunk)
		reader->time = 0;
	const uint64_t offset = in_offset(reading->in);
	for (size_t at = 0; at < n * reader->size; at += reader->size)
		put_request(reading, batch, p + at, offset + at);
	in_consume(reading->in, n * reader->size);
	return POLY_OK;
}

static size_t
byutr_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	const struct byutr_reader *reader = reading->state;
	(void)p;
	return records_find_split(reader->size, offset, n);
}

/* Adds the time before a batch, whose times a decoder counts from its first record. */
static bool
byutr_complete_rows(
	struct reading *reading, struct batch *batch, const uint8_t *p, uint64_t offset)
{
	(void)p;
	(void)offset;
	struct byutr_reader *reader = reading->state;
	uint64_t *times = batch->view.time;
	const size_t rows = batch->view.rows;
	for (size_t row = 0; times && row < rows; row++)
		times[row] += reader->time;
	if (times)
		reader->time = times[rows - 1];
	return true;
}

/* clang-format off */
static const struct poly_rule rules[] = {
	{"Y01", POLY_ERROR, "the last record is complete", "BYU BACH bus trace reference 5"},
	{"Y02", POLY_WARNING, "the type is known, the size is at most 32, and the time is not ffffffff after the first record", "BYU BACH bus trace reference 5"},
	{"Y03", POLY_NOTE, "the address is a multiple of 8", "BYU BACH bus trace reference 5"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

static void
check_row(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct byutr_reader *reader = reading->state;
	struct findings *findings = reading->findings;
	uint64_t record = batch->first + row + 1, offset = batch->origin[row];
	uint64_t delta = batch->time[row] - reader->checked;
	reader->checked = batch->time[row];
	if (batch->record[row] == RECORD_UNKNOWN)
		findings_add(findings, RULE_Y02, record, offset, "unknown type 0x%02x",
			batch->request[row]);
	if (batch->size[row] > SIZE_MAX_BYTES)
		findings_add(findings, RULE_Y02, record, offset,
			"%u bytes, expected at most %d", batch->size[row], SIZE_MAX_BYTES);
	if (record > 1 && (delta == NO_TIME || delta == UINT64_MAX))
		findings_add(findings, RULE_Y02, record, offset,
			"time ffffffff, expected only in the first record");
	if (batch->address[row] & 7)
		findings_add(findings, RULE_Y03, record, offset,
			"address 0x%llx, expected a multiple of 8",
			(unsigned long long)batch->address[row]);
}

/* Continues after a batch of a decoder. */
static void
check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct byutr_reader *reader = reading->state;
	(void)state, (void)first;
	reader->checked = batch->time[batch->rows - 1];
}

static void
byutr_check(struct reading *reading, const struct poly_batch *batch)
{
	/* Decoders do not know the time before a batch. */
	if (reading->deferred && batch->rows) {
		check_row(reading, batch, 0);
		check_defer_prefix(reading, 1);
	}
	for (size_t row = reading->deferred ? 1 : 0; batch && row < batch->rows; row++) {
		if (batch->record[row] != RECORD_CORRUPT)
			check_row(reading, batch, row);
	}
}

/* Returns the record size to write: the requested one, the source's, or 12. */
static size_t
target_layout(const struct writing *writing)
{
	if (writing->options[OPTION_RECORD] < sizeof layouts)
		return layouts[writing->options[OPTION_RECORD]];
	const char *fact = poly_trace_fact(writing->source, "byutr.record");
	for (size_t i = 0; fact && i < sizeof layouts; i++) {
		char word[8];
		snprintf(word, sizeof word, "%u", layouts[i]);
		if (strcmp(word, fact) == 0)
			return layouts[i];
	}
	return layouts[0];
}

static enum poly_status
byutr_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct byutr_writer *writer = writing->state;
	const char *clock = writing->source->clock;
	writer->size = target_layout(writing);
	writer->clocked = clock && strcmp(clock, "bus clocks") == 0;
	return POLY_OK;
}

/* Returns a row's type of request (BYU BACH bus trace reference 6.7); -1: none. */
static int
type_of_row(const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_request, row))
		return batch->request[row];
	int event = poly_present(batch, POLY_COLUMN_event, row) ? batch->event[row] : -1;
	int access = poly_present(batch, POLY_COLUMN_access, row) ? batch->access[row] : -1;
	if (event == POLY_EVENT_WRITE_BACK)
		event = POLY_EVENT_SYNC;
	for (size_t i = 0; i < MEANINGS; i++) {
		if (event >= 0 ? meanings[i].event == event
			       : access >= 0 && meanings[i].access == access)
			return meanings[i].type;
	}
	return -1;
}

/* Returns the clocks since the previous record, limited to the layout's range. */
static uint64_t
delta_of_row(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct byutr_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_time, row))
		return 0;
	if (!writer->clocked) {
		writing_note(writing, "times in other units than bus clocks, written as 0");
		return 0;
	}
	uint64_t delta = batch->time[row] - writer->time;
	writer->time = batch->time[row];
	if (writer->size != 24 && delta > UINT32_MAX) {
		writing_note(writing, "times of 2^32 clocks and more, reduced to 2^32 - 1");
		delta = UINT32_MAX;
	}
	return delta;
}

/* Returns the bytes of a row's access; an interrupt acknowledge has 1. */
static uint8_t
size_of_row(struct writing *writing, const struct poly_batch *batch, size_t row, int type)
{
	if (!poly_present(batch, POLY_COLUMN_size, row)) {
		if (poly_present(batch, POLY_COLUMN_access, row))
			writing_note(writing, "accesses of unknown size, written as 0");
		return type == 0x21;
	}
	if (batch->size[row] <= UINT8_MAX)
		return (uint8_t)batch->size[row];
	writing_note(writing, "sizes above 255 bytes, written as 255");
	return UINT8_MAX;
}

/* Sets a request, whose type is set already, from the columns of a row. */
static enum poly_status
request_of_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct byutr_request *request, struct poly_error *error)
{
	const struct byutr_writer *writer = writing->state;
	bool addressed = poly_present(batch, POLY_COLUMN_address, row);
	if (!addressed && poly_present(batch, POLY_COLUMN_access, row))
		return writing_lacks(batch, row, "address", error);
	request->address = addressed ? batch->address[row] : 0;
	request->size = size_of_row(writing, batch, row, request->type);
	request->delta = delta_of_row(writing, batch, row);
	if (poly_present(batch, POLY_COLUMN_memory_type, row))
		request->attribute = batch->memory_type[row];
	if (poly_present(batch, POLY_COLUMN_agent, row))
		request->agent = batch->agent[row];
	if (writer->size != 12 || request->address <= UINT32_MAX)
		return POLY_OK;
	err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
		"address 0x%llx exceeds the 32 bits of a 12-byte record; set byutr.record=16",
		(unsigned long long)request->address);
	if (error)
		error->record = poly_batch_number(batch, row);
	return POLY_ERR_LOSS;
}

/* Writes a row's raw bytes if they fit the layout; returns whether it did. */
static bool
write_raw(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct byutr_writer *writer = writing->state;
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (n != writer->size && poly_present(batch, POLY_COLUMN_request, row))
		return false;
	if (poly_present(batch, POLY_COLUMN_time, row))
		writer->time = batch->time[row];
	out_write(writing->out, bytes, n);
	return true;
}

/* Sets what only the raw bytes of another layout preserve. */
static void
apply_raw(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct byutr_request *request)
{
	uint8_t copy[RECORD_MAX] = {0};
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	memcpy(copy, bytes, n < RECORD_MAX ? n : RECORD_MAX);
	struct byutr_request recorded = load_request(copy, n);
	if (no_time(&recorded, poly_batch_number(batch, row) - 1))
		request->delta = NO_TIME;
	if (recorded.padded)
		writing_note(writing, "unused bytes other than 0 dropped");
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct byutr_writer *writer = writing->state;
	bool has_raw = writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row);
	if (has_raw && write_raw(writing, batch, row))
		return POLY_OK;
	int type = type_of_row(batch, row);
	if (type < 0) {
		writing_note(writing, "records dropped that are not requests");
		return POLY_OK;
	}
	struct byutr_request request = {.type = (uint8_t)type};
	enum poly_status status = request_of_row(writing, batch, row, &request, error);
	if (status != POLY_OK)
		return status;
	if (has_raw)
		apply_raw(writing, batch, row, &request);
	store_request(out_room(writing->out, writer->size), writer->size, &request);
	out_commit(writing->out, writer->size);
	return POLY_OK;
}

static enum poly_status
byutr_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

/* The time is that of the last record; few are dropped. */
static bool
byutr_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count)
{
	struct byutr_writer *writer = writing->state;
	for (size_t i = row + count; writer->clocked && i-- > row;) {
		if (poly_present(batch, POLY_COLUMN_time, i)) {
			writer->time = batch->time[i];
			break;
		}
	}
	return true;
}

static const char *const record_words[] = {"12", "16", "24", "auto", NULL};

static const struct poly_option options[] = {
	{"byutr.record", POLY_OPTION_CHOICE, POLY_OPTION_READ | POLY_OPTION_WRITE,
		.initial = sizeof layouts, .choices = record_words,
		.help = "bytes per record (default auto: detect it; written: that of the "
			"source, or 12)",
		.source = "BYU BACH bus trace reference 3/12"},
	{.name = NULL},
};

static const struct format byutr = {
	.content = {.users = "BYU trace archive",
		.kinds = POLY_KIND_BIT(ACCESS) | POLY_KIND_BIT(EVENT),
		.own_columns = POLY_COLUMNS_INIT(size),
		.fills = POLY_COLUMNS_INIT(time, size, request, memory_type, agent)},
	.info =
		{
			.name = "byutr",
			.family = "byutr",
			.title = "BYU address trace of bus requests",
			.extensions = "byutr tr",
			.spec = "BYU BACH bus trace reference 2.4",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, record, time, access, address, size,
				event, request, memory_type, agent, raw, origin),
			.needs = POLY_COLUMNS_INIT(access, address),
			.options = options,
			.rules = rules,
		},
	.reader_size = sizeof(struct byutr_reader),
	.writer_size = sizeof(struct byutr_writer),
	.probe = byutr_probe,
	.open = byutr_open,
	.read = byutr_read,
	.find_split = byutr_find_split,
	.complete_rows = byutr_complete_rows,
	.check = byutr_check,
	.checks_chunks = true,
	.check_adopt = check_adopt,
	.wopen = byutr_wopen,
	.raw_facts = (const char *const[]){"byutr.record", NULL},
	.write = byutr_write,
	.predict_state = byutr_predict_state,
	.numbers_size = sizeof(struct byutr_writer),
};

const struct format *const formats_byutr[] = {&byutr, NULL};
