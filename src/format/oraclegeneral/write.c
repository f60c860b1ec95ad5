/* SPDX-License-Identifier: MIT */
/*
 * Writes the accesses of any trace as requests. The number of the next request of an object is
 * known only after all of them: it is found from the last request back to the first.
 *
 * spec: polytrace-oraclegeneral(5)
 */
#include "format/oraclegeneral/oraclegeneral.h"

#include "base/map.h"
#include "base/mem.h"
#include "io/spill_buffer.h"

#include <string.h>

/* Bytes of requests in memory; the others are in a file. */
#define SPILL_MEMORY ((size_t)16 << 20)

/* Maximum lines of an access. */
#define LINES_MAX 65536

/* Requests that are handled at a time. */
#define BLOCK 512

enum poly_status
oracle_wopen(struct writing *writing, struct poly_error *error)
{
	struct oracle_writer *writer = writing->state;
	writer->line = writing->options[0];
	const bool is_direct = strcmp(writing->source->format, "oraclegeneral") == 0;
	writer->is_prefix =
		writing->own_raw && !writer->line && (is_direct || !writing->selected);
	writer->requests = spill_buffer_new(SPILL_MEMORY);
	return writer->requests ? POLY_OK : err_memory(error);
}

/* Returns the time of a row. */
static uint32_t
time_of(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const char *clock = writing->source->clock;
	if (!poly_present(batch, POLY_COLUMN_time, row)) {
		writing_note(writing, "requests without a time, written with time 0");
		return 0;
	}
	if (!clock || strcmp(clock, "seconds") != 0)
		writing_note(writing, "times in other units, written as seconds");
	if (batch->time[row] <= UINT32_MAX)
		return (uint32_t)batch->time[row];
	writing_note(writing, "times of 2^32 seconds and more, reduced to 2^32 - 1");
	return UINT32_MAX;
}

static enum poly_status
add_request(struct oracle_writer *writer, uint8_t request[ORACLE_SIZE], uint64_t object,
	uint32_t size, struct poly_error *error)
{
	store_le64(request + 4, object);
	store_le32(request + 12, size);
	writer->count++;
	return spill_buffer_append(writer->requests, request, ORACLE_SIZE, error);
}

/* Adds a request for an access, or for each line that it touches. */
static enum poly_status
add_access(struct writing *writing, const struct poly_batch *batch, size_t row,
	uint8_t request[ORACLE_SIZE], struct poly_error *error)
{
	struct oracle_writer *writer = writing->state;
	const uint64_t address = batch->address[row];
	const bool is_sized = poly_present(batch, POLY_COLUMN_size, row);
	const uint32_t size = is_sized ? batch->size[row] : 1;
	enum poly_status status = POLY_OK;
	if (!is_sized)
		writing_note(writing, "accesses of unknown size, written as 1 byte");
	if (!writer->line)
		return add_request(writer, request, address, size, error);
	const uint64_t rest = UINT64_MAX - address,
		       more = size ? (size - 1 < rest ? size - 1 : rest) : 0;
	uint64_t object = address / writer->line, last = (address + more) / writer->line;
	if (last - object >= LINES_MAX) {
		writing_note(writing, "accesses of more than 65536 lines, written as these");
		last = object + LINES_MAX - 1;
	}
	for (; status == POLY_OK && object <= last; object++)
		status = add_request(writer, request, object, (uint32_t)writer->line, error);
	return status;
}

/* Returns whether a row is an access that becomes a request. */
static bool
is_request(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row)) {
		writing_note(writing, "records that are not accesses were dropped");
		return false;
	}
	switch ((enum poly_access)batch->access[row]) {
	case POLY_ACCESS_READ:
	case POLY_ACCESS_FETCH: return true;
	case POLY_ACCESS_WRITE:
		writing_note(writing, "writes, which requests do not distinguish from reads");
		return true;
	case POLY_ACCESS_PREFETCH:
	case POLY_ACCESS_CACHE:
	case POLY_ACCESS_IO_READ:
	case POLY_ACCESS_IO_WRITE:
	case POLY_ACCESS_COUNT: break;
	}
	writing_note(
		writing, "accesses that are not memory reads, writes or fetches were dropped");
	return false;
}

/* Stores an incomplete last request of a trace of this format. */
static void
add_tail(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct oracle_writer *writer = writing->state;
	size_t n;
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	buf_clear(&writer->tail);
	buf_append(&writer->tail, raw, n);
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct oracle_writer *writer = writing->state;
	uint8_t request[ORACLE_SIZE] = {0};
	size_t n = 0;
	if (writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row)) {
		add_tail(writing, batch, row);
		return POLY_OK;
	}
	if (!is_request(writing, batch, row))
		return POLY_OK;
	if (writer->tail.size) {
		writing_note(writing, "incomplete requests before others were dropped");
		buf_clear(&writer->tail);
	}
	store_le32(request, time_of(writing, batch, row));
	const uint8_t *payload = poly_present(batch, POLY_COLUMN_payload, row)
					 ? poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n)
					 : NULL;
	writer->is_prefix &=
		n == ORACLE_NEXT_SIZE && poly_batch_number(batch, row) == writer->count + 1;
	if (writer->is_prefix)
		memcpy(request + ORACLE_NEXT, payload, n);
	return add_access(writing, batch, row, request, error);
}

enum poly_status
oracle_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

/* Reads n requests from the number first, counted from 0. */
static enum poly_status
read_requests(const struct oracle_writer *writer, uint64_t first, size_t n, uint8_t *block,
	struct poly_error *error)
{
	return spill_buffer_read(
		writer->requests, first * ORACLE_SIZE, block, n * ORACLE_SIZE, error);
}

/* Appends the numbers of the next requests to a buffer, the last request first. */
static enum poly_status
find_next(struct oracle_writer *writer, struct map *seen, struct spill_buffer *next,
	uint8_t *block, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (uint64_t end = writer->count; status == POLY_OK && end;) {
		const size_t n = end < BLOCK ? (size_t)end : BLOCK;
		uint8_t number[ORACLE_NEXT_SIZE];
		end -= n;
		status = read_requests(writer, end, n, block, error);
		for (size_t i = n; status == POLY_OK && i-- > 0;) {
			bool added = false;
			uint64_t *later = map_get(seen, load_le64(block + i * ORACLE_SIZE + 4),
				end + i + 1, &added);
			if (!later)
				return err_memory(error);
			store_le64(number, added ? (uint64_t)ORACLE_NEVER : *later);
			*later = end + i + 1;
			status = spill_buffer_append(next, number, sizeof number, error);
		}
	}
	return status;
}

/* Writes the requests, with the numbers in next unless they have their own. */
static enum poly_status
write_requests(struct writing *writing, const struct spill_buffer *next, uint8_t *block,
	struct poly_error *error)
{
	const struct oracle_writer *writer = writing->state;
	uint8_t numbers[BLOCK * ORACLE_NEXT_SIZE];
	enum poly_status status = POLY_OK;
	for (uint64_t first = 0; first < writer->count; first += BLOCK) {
		const uint64_t left = writer->count - first;
		const size_t n = left < BLOCK ? (size_t)left : BLOCK;
		status = read_requests(writer, first, n, block, error);
		if (status == POLY_OK && next)
			status = spill_buffer_read(next, (left - n) * ORACLE_NEXT_SIZE, numbers,
				n * ORACLE_NEXT_SIZE, error);
		if (status != POLY_OK)
			return status;
		for (size_t i = 0; next && i < n; i++)
			memcpy(block + i * ORACLE_SIZE + ORACLE_NEXT,
				numbers + (n - 1 - i) * ORACLE_NEXT_SIZE, ORACLE_NEXT_SIZE);
		out_write(writing->out, block, n * ORACLE_SIZE);
	}
	return POLY_OK;
}

enum poly_status
oracle_wfinish(struct writing *writing, struct poly_error *error)
{
	struct oracle_writer *writer = writing->state;
	struct map seen = {.count = 0};
	uint8_t *block = mem_new(BLOCK, ORACLE_SIZE);
	struct spill_buffer *next = spill_buffer_new(SPILL_MEMORY);
	enum poly_status status =
		block && next && !writer->tail.failed ? POLY_OK : err_memory(error);
	if (status == POLY_OK && !writer->is_prefix)
		status = find_next(writer, &seen, next, block, error);
	if (status == POLY_OK)
		status = write_requests(writing, writer->is_prefix ? NULL : next, block, error);
	if (status == POLY_OK)
		out_write(writing->out, writer->tail.data, writer->tail.size);
	map_free(&seen);
	spill_buffer_free(next);
	mem_free(block);
	return status;
}

void
oracle_wclose(struct writing *writing)
{
	struct oracle_writer *writer = writing->state;
	spill_buffer_free(writer->requests);
	buf_free(&writer->tail);
}
