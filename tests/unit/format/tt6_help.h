/* SPDX-License-Identifier: MIT */
/* TT6 and TT6E: files of data, conversions in memory, and complete readings. */
#ifndef TESTS_TT6_HELP_H
#define TESTS_TT6_HELP_H

#include "trace_help.h"

#include <unistd.h>

#include "format/tt6/tt6.h"

/* A file of tests/data, or of the shared data beside the project; NULL where it isn't there. */
static inline const char *
find_file(const char *name)
{
	static char found_path[4096];
	const char *root = getenv("POLYTRACE_ROOT"), *shared = getenv("POLYTRACE_SHARED");
	snprintf(found_path, sizeof found_path, "%s/tests/data/%s", root ? root : ".", name);
	if (access(found_path, R_OK) == 0)
		return found_path;
	if (shared)
		snprintf(found_path, sizeof found_path, "%s/data/made/%s", shared, name);
	else
		snprintf(found_path, sizeof found_path, "%s/../shared/data/made/%s",
			root ? root : ".", name);
	return access(found_path, R_OK) == 0 ? found_path : NULL;
}

/* The bytes of such a file; skips the test where it isn't there. */
static inline void
load(const char *name, struct buf *bytes)
{
	const char *path = find_file(name);
	if (!path)
		skip();
	assert_true(load_path(path, bytes));
}

static inline struct poly_read_options
options_for(const char *format)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = format;
	return options;
}

static inline uint64_t
note_count(const struct poly_writer *writer, const char *part)
{
	uint64_t count;
	const char *note;
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++) {
		if (strstr(note, part))
			return count;
	}
	return 0;
}

/* A conversion: options for reading and writing, and the result. */
struct conversion {
	struct poly_read_options read;
	const char *to;
	const char *const *options;
	size_t skip; /* records skipped at the start */
	struct buf out;
	struct poly_error error;
	const char *note; /* part of a note to be counted */
	uint64_t notes;
};

/* Writes the rows after the skipped ones. */
static inline enum poly_status
write_rows(
	struct conversion *conversion, struct poly_reader *reader, struct poly_writer *writer)
{
	const struct poly_batch *batch;
	enum poly_status status = POLY_OK;
	uint64_t row = 0;
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		if (row >= conversion->skip)
			status = poly_writer_write(writer, batch, &conversion->error);
		row += batch->rows;
	}
	return status == POLY_OK ? poly_writer_finish(writer, &conversion->error) : status;
}

static inline enum poly_status
run_conversion(struct conversion *conversion, const struct buf *bytes)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	options.options = conversion->options;
	if (conversion->skip)
		conversion->read.batch_rows = 1;
	struct poly_reader *reader = open_memory(bytes, &conversion->read);
	options.format = conversion->to;
	const struct poly_sink sink = {collect, &conversion->out};
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, &conversion->error);
	if (status == POLY_OK) {
		status = write_rows(conversion, reader, writer);
		if (conversion->note)
			conversion->notes = note_count(writer, conversion->note);
		poly_writer_close(writer);
	}
	poly_reader_close(reader);
	return status;
}

static inline void
assert_bytes(const struct buf *out, const uint8_t *expected, size_t n)
{
	assert_int_equal(out->size, n);
	if (n)
		assert_memory_equal(out->data, expected, n);
}

/* What a whole reading with check gives. */
struct outcome {
	uint64_t records, instructions, synthetic;
	uint64_t by_record[TT6_RECORD_COUNT];
	uint64_t found[TT6_A24 + 1]; /* by rule */
	char message[TT6_A24 + 1][400];
	enum poly_status status;
};

static inline void
count_rows(struct outcome *outcome, const struct poly_batch *batch)
{
	for (size_t row = 0; row < batch->rows; row++) {
		outcome->records++;
		outcome->instructions += batch->kind[row] == POLY_KIND_INSTRUCTION;
		outcome->by_record[batch->record[row]]++;
		outcome->synthetic += poly_present(batch, POLY_COLUMN_synthetic, row);
	}
}

static inline void
read_all(const struct buf *bytes, const struct poly_read_options *requested,
	struct outcome *outcome)
{
	struct poly_read_options options = *requested;
	const struct poly_batch *batch;
	struct poly_finding finding;
	options.check = true;
	struct poly_reader *reader = open_memory(bytes, &options);
	memset(outcome, 0, sizeof *outcome);
	while ((outcome->status = poly_reader_next(reader, &batch, NULL)) == POLY_OK)
		count_rows(outcome, batch);
	const struct poly_rule *rules = poly_reader_format(reader)->rules;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		outcome->found[finding.rule - rules] = finding.count;
		snprintf(outcome->message[finding.rule - rules], 400, "%s", finding.message);
	}
	poly_reader_close(reader);
}

#define NOP 0x60000000u
#define LWZ 0x80610000u	   /* lwz r3,0(r1) */
#define DCBZ 0x7c0007ecu   /* dcbz 0,r0 */
#define LSWX 0x7ca0fc2au   /* lswx r5,0,r31 */
#define LXVD2X 0x7c001e98u /* lxvd2x: accesses memory, has no address in TT6 */
#define TWI 0x0fe00000u	   /* twi 31,r0,0 */
#define BLR 0x4e800020u
#define SC 0x44000002u

/* Words as they stand in a big-endian file. */
static inline void
put_words(struct buf *bytes, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t word[4];
		store_be32(word, words[i]);
		buf_append(bytes, word, 4);
	}
}

static inline uint32_t
next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 32);
}

#endif
