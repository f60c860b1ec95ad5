/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: packed traces with correct checksums and arbitrary other contents. Bytes 0 and 1
 * select how they are read; the checksums of the file after them are corrected.
 */
#include "polytrace/polytrace.h"

#include "base/bits.h"
#include "format/ptz/ptz.h"
#include "base/checksum.h"
#include "model/batch_internal.h"
#include "model/chain_graph.h"

#include <stdlib.h>
#include <string.h>

/* Batches that are read at most: a few bytes may stand for very many rows. */
#define BATCHES 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
put_number(uint8_t *to, uint64_t v)
{
	store_le32(to, (uint32_t)v);
	store_le32(to + 4, (uint32_t)(v >> 32));
}

static void
put_check(uint8_t *to, const uint8_t *p, size_t n)
{
	put_number(to, checksum(p, n));
}

/* Corrects the checksums of a segment's streams, which follow n bytes of header and front. */
static void
mend_streams(uint8_t *section, size_t n, size_t left)
{
	const uint8_t *stream = section + n;
	for (size_t at = PTZ_HEADER_SIZE + PTZ_FRONT_SIZE; at + PTZ_STREAM_SIZE <= n;
		at += PTZ_STREAM_SIZE) {
		const size_t packed = load_le32(section + at + 12);
		if (packed > left)
			return;
		put_check(section + at + 16, stream, packed);
		stream += packed;
		left -= packed;
	}
}

/* Mends the checksums of a file. */
static void
mend(uint8_t *p, size_t left)
{
	if (left < PTZ_MAGIC_SIZE)
		return;
	memcpy(p, PTZ_MAGIC, PTZ_MAGIC_SIZE);
	p += PTZ_MAGIC_SIZE;
	left -= PTZ_MAGIC_SIZE;
	uint64_t chain = 0;
	while (left >= PTZ_HEADER_SIZE) {
		const size_t front = load_le32(p + 4);
		const uint64_t body = load_le64(p + 8);
		left -= PTZ_HEADER_SIZE;
		if (front > left || body < front)
			return;
		if (load_le32(p) == PTZ_TAG_SEGMENT)
			mend_streams(p, PTZ_HEADER_SIZE + front, left - front);
		if (load_le32(p) == PTZ_TAG_INDEX && front >= PTZ_CHAIN_SIZE)
			put_number(p + PTZ_HEADER_SIZE + front - PTZ_CHAIN_SIZE, chain);
		put_check(p + 16, p + PTZ_HEADER_SIZE, front);
		put_check(p + 24, p, 24);
		chain = ptz_next_chain(chain, p);
		if (body > left)
			return;
		p += PTZ_HEADER_SIZE + body;
		left -= body;
	}
}

static int
drop(void *user, const void *data, size_t n)
{
	(void)user;
	(void)data;
	(void)n;
	return 0;
}

static void
drain(struct poly_reader *reader, const char *format)
{
	struct poly_sink sink = {drop, NULL};
	struct poly_write_options target = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer = NULL;
	const struct poly_batch *batch;
	target.format = format;
	poly_writer_open_sink(&sink, poly_reader_info(reader), &target, &writer, NULL);
	for (unsigned i = 0; i < BATCHES; i++) {
		if (poly_reader_next(reader, &batch, NULL) != POLY_OK ||
			(writer && poly_writer_write(writer, batch, NULL) != POLY_OK))
			break;
	}
	if (writer)
		poly_writer_finish(writer, NULL);
	poly_writer_close(writer);
}

/* Maximum number of records examined, if they are also counted. */
#define RECORDS 100000

/* What is examined: records by kind, those that the reader counts, and their order. */
struct kinds {
	uint64_t counts[POLY_KIND_COUNT], records, order;
	uint8_t rows[RECORDS]; /* kinds of the weighted rows of a run */
	size_t count;
};

static void
add_kind(struct kinds *kinds, uint8_t kind)
{
	kinds->order = kinds->order * 31 + kind;
}

/* Adds a row; its position among the records is known only with the last row of the run. */
static void
take_kind(struct kinds *kinds, const struct poly_batch *batch, size_t row)
{
	const bool has = poly_present(batch, POLY_COLUMN_kind, row);
	const uint64_t *weights = poly_batch_weights(batch);
	const uint8_t kind = has ? batch->kind[row] : POLY_KIND_COUNT;
	if (has)
		kinds->counts[kind] += weights ? weights[row] : 1;
	if (weights)
		kinds->rows[kinds->count++] = kind;
	else
		add_kind(kinds, kind);
}

static void
take_order(struct kinds *kinds, const struct poly_chain_graph *order)
{
	struct chain_walk walk = {order, 0, order->records};
	uint32_t chain, records;
	while (chain_next(&walk, &chain, &records)) {
		uint32_t row = order->first[chain];
		for (; records; records--, row = order->next[row])
			add_kind(kinds, kinds->rows[row]);
	}
	kinds->count = 0;
}

static void
count_kinds(struct poly_reader *reader, struct kinds *kinds)
{
	const struct poly_batch *batch;
	struct poly_reader_counts seen;
	memset(kinds, 0, sizeof *kinds);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			take_kind(kinds, batch, row);
		if (batch_order(batch))
			take_order(kinds, batch_order(batch));
	}
	poly_reader_count(reader, &seen);
	kinds->records = seen.records;
	memset(kinds->rows, 0, sizeof kinds->rows);
}

/* What is counted is what is there. */
static void
compare_counts(const uint8_t *data, size_t size, struct poly_read_options options)
{
	static struct kinds kinds[2];
	options.columns = POLY_COLUMNS(kind);
	options.check = false;
	options.count = RECORDS;
	for (unsigned weighted = 0; weighted < 2; weighted++) {
		struct poly_reader *reader;
		if (poly_reader_open_memory(data, size, &options, &reader, NULL) != POLY_OK)
			return;
		poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = POLY_ALL_COLUMNS,
				.weights = weighted},
			NULL);
		count_kinds(reader, &kinds[weighted]);
		poly_reader_close(reader);
	}
	if (memcmp(&kinds[0], &kinds[1], sizeof kinds[0]) != 0)
		abort();
}

/* What takes the bytes is not more than they are. */
static void
ask_space(const uint8_t *data, size_t size, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_size_breakdown space;
	uint64_t packed = 0;
	if (poly_reader_open_memory(data, size, options, &reader, NULL) != POLY_OK)
		return;
	poly_reader_size_breakdown(reader, &space, NULL);
	for (size_t i = 0; i < space.count; i++)
		packed += space.items[i].packed;
	if (packed > size)
		abort();
	poly_reader_close(reader);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	uint8_t *bytes = malloc(size);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	memcpy(bytes, data, size);
	mend(bytes + 2, size - 2);
	options.format = "ptz";
	options.skip_errors = data[0] & 1;
	options.check = data[0] & 2;
	options.one_thread = !(data[0] & 64);
	options.threads = 2;
	options.batch_rows = data[0] & 4 ? 5 : POLY_BATCH_ROWS;
	options.skip = data[0] & 8 ? data[1] * 10u : 0;
	if (data[0] & 16)
		options.columns = POLY_COLUMNS(address, text);
	if (poly_reader_open_memory(bytes + 2, size - 2, &options, &reader, NULL) == POLY_OK)
		drain(reader, data[0] & 32 ? "ptz" : "jsonl");
	poly_reader_close(reader);
	ask_space(bytes + 2, size - 2, &options);
	if (data[0] & 64)
		compare_counts(bytes + 2, size - 2, options);
	free(bytes);
	return 0;
}
