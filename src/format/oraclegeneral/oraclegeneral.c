/* SPDX-License-Identifier: MIT */
/*
 * oracleGeneral, the cache traces of libCacheSim: a record of 24 bytes per request.
 *
 *     request = time:4 object:8 size:4 next:8 ;
 *
 * Numbers are little endian. next is the number of the next request of the same object, from 1;
 * -1 or 2^63 - 1: there is none.
 *
 * spec: polytrace-oraclegeneral(5)
 */
#include "format/oraclegeneral/oraclegeneral.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Bytes that the probe examines. */
#define SAMPLE_BYTES ((size_t)256 << 10)

/* Larger numbers of next requests are not plausible. */
#define NEXT_MAX ((int64_t)1 << 48)

/* Next requests in the sample that suffice as evidence. */
#define EVIDENCE 3

/* Objects whose next requests are checked. */
#define OBJECTS_MAX ((size_t)1 << 22)

/* The rules, by their index in the table. */
enum oracle_rule {
	RULE_TRUNCATED,
	RULE_TIME,
	RULE_ORDER,
	RULE_NEXT,
	RULE_SIZE,
};

struct oracle_reader {
	uint64_t time;	  /* of the last request checked */
	uint64_t checked; /* requests */
	struct map next;  /* by object: what its last request states */
	bool is_full;	  /* there are more objects than are checked */
};

static const char *const records[ORACLE_RECORDS] = {"request", "corrupt"};

/* Returns whether a number of a next request states that there is none. */
static bool
is_never(int64_t next)
{
	return next == ORACLE_NEVER || next == INT64_MAX;
}

/* Evidence of the requests at the front of an input. */
struct oracle_sample {
	size_t requests, valid, links; /* links: next requests that are of the same object */
};

static void
read_sample(struct oracle_sample *sample, const uint8_t *p, size_t n)
{
	const size_t count = (n < SAMPLE_BYTES ? n : SAMPLE_BYTES) / ORACLE_SIZE;
	uint32_t time = 0;
	*sample = (struct oracle_sample){.requests = count};
	for (size_t i = 0; i < count; i++) {
		const uint8_t *request = p + i * ORACLE_SIZE;
		const int64_t next = (int64_t)load_le64(request + ORACLE_NEXT);
		const bool in_sample = next > 0 && (uint64_t)next <= count;
		const bool links =
			in_sample && (uint64_t)next > i + 1 &&
			memcmp(request + 4, p + ((size_t)next - 1) * ORACLE_SIZE + 4, 8) == 0;
		const bool is_later =
			!in_sample && ((next > 0 && next < NEXT_MAX) || is_never(next));
		sample->links += links;
		sample->valid += load_le32(request) >= time && (links || is_later);
		time = load_le32(request);
	}
}

static int
oracle_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct oracle_sample sample;
	(void)eof;
	read_sample(&sample, p, n);
	const bool good = 100 * sample.valid >= 98 * sample.requests;
	note->near = sample.links && good;
	note->consistent = good;
	if (note->near)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu requests are in order of time and state a later "
			"one, %zu of the same object among these",
			sample.valid, sample.requests, sample.links);
	return good && sample.requests > EVIDENCE && sample.links >= EVIDENCE ? 24 : 0;
}

static enum poly_status
oracle_open(struct reading *reading, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	(void)error;
	view->address_bits = 64;
	view->byte_order = POLY_BYTE_ORDER_LITTLE;
	view->clock = "seconds";
	view->records = records;
	view->record_count = ORACLE_RECORDS;
	return POLY_OK;
}

static void
put_request(struct batch *batch, size_t row, const uint8_t *p)
{
	batch_put(batch, kind, row, POLY_KIND_ACCESS);
	batch_put(batch, record, row, ORACLE_REQUEST);
	batch_put(batch, access, row, POLY_ACCESS_READ);
	batch_put(batch, time, row, load_le32(p));
	batch_put(batch, address, row, load_le64(p + 4));
	batch_put(batch, size, row, load_le32(p + 12));
	batch_put_bytes(batch, POLY_COLUMN_payload, row, p + ORACLE_NEXT, ORACLE_NEXT_SIZE);
}

/* Delivers an incomplete last request. */
static enum poly_status
read_tail(struct reading *reading, struct batch *batch, const uint8_t *p, size_t n)
{
	const uint64_t offset = in_offset(reading->in);
	if (!n)
		return POLY_END;
	if (in_ended(reading->in))
		findings_add_truncation(reading->findings, RULE_TRUNCATED, reading->record + 1,
			offset, "the last request has %zu bytes, expected %d", n, ORACLE_SIZE);
	batch_put(batch, kind, 0, POLY_KIND_OTHER);
	batch_put(batch, record, 0, ORACLE_CORRUPT);
	batch_put(batch, origin, 0, offset);
	batch_put_bytes(batch, POLY_COLUMN_raw, 0, p, n);
	batch->view.rows = 1;
	in_consume(reading->in, n);
	return POLY_OK;
}

static enum poly_status
oracle_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	const uint64_t offset = in_offset(reading->in);
	size_t have;
	(void)error;
	const uint8_t *p = in_peek(reading->in, ORACLE_SIZE, &have);
	size_t n = have / ORACLE_SIZE;
	if (!n)
		return read_tail(reading, batch, p, have);
	if (n > batch->capacity)
		n = batch->capacity;
	for (size_t row = 0; row < n; row++) {
		put_request(batch, row, p + row * ORACLE_SIZE);
		batch_put(batch, origin, row, offset + row * ORACLE_SIZE);
	}
	batch->view.rows = n;
	in_consume(reading->in, n * ORACLE_SIZE);
	return POLY_OK;
}

static size_t
oracle_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)reading;
	(void)p;
	return records_find_split(ORACLE_SIZE, offset, n);
}

/* Tests what the last request of an object states against this one; stores what it states. */
static void
check_next(struct reading *reading, uint64_t object, int64_t next, uint64_t offset)
{
	struct oracle_reader *reader = reading->state;
	const uint64_t number = reader->checked;
	uint64_t *stated = map_find(&reader->next, object);
	bool added;
	if (stated && *stated != number) {
		char text[40];
		snprintf(text, sizeof text, "%lld", (long long)*stated);
		findings_add(reading->findings, RULE_NEXT, number, offset,
			"object %llu is requested, but its last request states %s as the next "
			"one",
			(unsigned long long)object, is_never((int64_t)*stated) ? "none" : text);
	}
	if (!stated && reader->next.count >= OBJECTS_MAX)
		reader->is_full = true;
	else if (!stated)
		stated = map_get(&reader->next, object, 0, &added);
	if (stated)
		*stated = (uint64_t)next;
}

static void
check_request(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct oracle_reader *reader = reading->state;
	struct findings *findings = reading->findings;
	const uint64_t record = batch->first + row + 1, offset = batch->origin[row];
	size_t n;
	const uint8_t *payload = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	const int64_t next = (int64_t)load_le64(payload);
	reader->checked = record;
	if (batch->time[row] < reader->time)
		findings_add(findings, RULE_TIME, record, offset, "time %llu follows %llu",
			(unsigned long long)batch->time[row], (unsigned long long)reader->time);
	if (!is_never(next) && (next <= 0 || (uint64_t)next <= record))
		findings_add(findings, RULE_ORDER, record, offset,
			"the next request is %lld, expected a later one, or -1",
			(long long)next);
	if (!batch->size[row])
		findings_add(
			findings, RULE_SIZE, record, offset, "size 0, which libCacheSim skips");
	reader->time = batch->time[row];
	check_next(reading, batch->address[row], next, offset);
}

/* Tests the objects that were not requested again. */
static void
check_end(struct reading *reading)
{
	struct oracle_reader *reader = reading->state;
	struct map_entry *entries = reader->is_full ? NULL : map_sorted(&reader->next);
	for (size_t i = 0; entries && i < reader->next.count; i++) {
		const int64_t next = (int64_t)entries[i].value;
		if (next > 0 && (uint64_t)next <= reader->checked)
			findings_add(reading->findings, RULE_NEXT, 0, POLY_NO_OFFSET,
				"object %llu is not requested again, but its last request "
				"states %lld as the next one",
				(unsigned long long)entries[i].key, (long long)next);
	}
	mem_free(entries);
}

static void
oracle_check(struct reading *reading, const struct poly_batch *batch)
{
	if (!batch)
		check_end(reading);
	for (size_t row = 0; batch && row < batch->rows; row++) {
		if (batch->record[row] == ORACLE_REQUEST)
			check_request(reading, batch, row);
	}
}

static void
oracle_close(struct reading *reading)
{
	struct oracle_reader *reader = reading->state;
	map_free(&reader->next);
}

static const struct poly_option options[] = {
	{"oraclegeneral.line", POLY_OPTION_NUMBER, POLY_OPTION_WRITE, .maximum = 1 << 20,
		.help = "write a request for each line of N bytes that an access touches, its "
			"number as the object (default 0: the address is the object)",
		.source = "polytrace-oraclegeneral(5)"},
	{.name = NULL},
};

/* clang-format off */
static const struct poly_rule rules[] = {
	[RULE_TRUNCATED] = {"ORG1", POLY_ERROR, "the last request is complete", "polytrace-oraclegeneral(5)"},
	[RULE_TIME] = {"ORG2", POLY_WARNING, "times do not decrease", "polytrace-oraclegeneral(5)"},
	[RULE_ORDER] = {"ORG3", POLY_WARNING, "the next request is a later one, or none", "polytrace-oraclegeneral(5)"},
	[RULE_NEXT] = {"ORG4", POLY_WARNING, "the next request of an object is the one that a request states", "polytrace-oraclegeneral(5)"},
	[RULE_SIZE] = {"ORG5", POLY_NOTE, "the size is not 0", "polytrace-oraclegeneral(5)"},
	{.code = NULL},
};
/* clang-format on */

static const struct format oraclegeneral = {
	.content = {.users = "libCacheSim",
		.kinds = POLY_KIND_BIT(ACCESS),
		.own_columns = POLY_COLUMNS_INIT(payload),
		.fills = POLY_COLUMNS_INIT(time, size, payload)},
	.info = {.name = "oraclegeneral",
		.family = "oraclegeneral",
		.title = "oracleGeneral cache trace of libCacheSim",
		.extensions = "oracleGeneral oracleGeneral.bin",
		.spec = "polytrace-oraclegeneral(5)",
		.can_read = true,
		.can_write = true,
		.columns = POLY_COLUMNS_INIT(
			kind, record, time, access, address, size, payload, raw, origin),
		.needs = POLY_COLUMNS_INIT(access, address),
		.options = options,
		.rules = rules},
	/* Packed parts of a trace are numbered from 1, too, but state other next requests. */
	.selected_fact = "oraclegeneral.selected",
	.effects = EFFECTS_SEPARATE,
	.reader_size = sizeof(struct oracle_reader),
	.writer_size = sizeof(struct oracle_writer),
	.probe = oracle_probe,
	.open = oracle_open,
	.read = oracle_read,
	.find_split = oracle_find_split,
	.check = oracle_check,
	.close = oracle_close,
	.wopen = oracle_wopen,
	.write = oracle_write,
	.wfinish = oracle_wfinish,
	.wclose = oracle_wclose,
};

const struct format *const formats_oraclegeneral[] = {&oraclegeneral, NULL};
