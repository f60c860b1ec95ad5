/* SPDX-License-Identifier: MIT */
/* Merging of traces in memory, and TT6 traces of hand-written words. */
#ifndef TESTS_MERGE_HELP_H
#define TESTS_MERGE_HELP_H

#include "trace_help.h"

#include "base/bits.h"

#define THREADS_MAX 8

/* A trace in memory. */
struct trace {
	struct buf bytes;
	const char *format;
	size_t batch_rows; /* maximum; 0: the reader's */
};

static inline struct poly_reader *
open_trace(const struct trace *trace)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = trace->format;
	options.batch_rows = trace->batch_rows;
	options.one_thread = true;
	return open_memory(&trace->bytes, &options);
}

/* The sample of four threads. */
static inline void
load_threads(struct trace traces[4])
{
	for (int i = 0; i < 4; i++) {
		char name[40];
		snprintf(name, sizeof name, "pthr/thread_%03d.tt6", i + 1);
		traces[i] = (struct trace){load_sample(name), "tt6", 0};
	}
}

/* A TT6 trace of words. */
static inline struct trace
make_trace(const uint32_t *words, size_t count)
{
	struct trace trace = {.format = "tt6"};
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[4];
		store_be32(bytes, words[i]);
		buf_append(&trace.bytes, bytes, sizeof bytes);
	}
	return trace;
}

/* Words of TT6, and a trace of some. */
#define SIGNAL 0x00200002
#define WAIT 0x00300002
#define NOP 0x60000000
#define STORE 0x90000000 /* stw r0,0(0) */
#define LOAD 0x80000000	 /* lwz r0,0(0) */
#define MAKE(...) \
	make_trace((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static inline void
free_traces(struct trace *traces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_free(&traces[i].bytes);
}

/* Learns traces, as threads 1, 2 and so on; returns the status of resolving their events. */
static inline enum poly_status
learn(struct poly_merge *merge, const struct trace *traces, size_t count,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		const struct poly_batch *batch;
		struct poly_reader *reader = open_trace(&traces[i]);
		status = poly_merge_add(merge, i + 1, "trace", error);
		while (status == POLY_OK && poly_reader_next(reader, &batch, error) == POLY_OK)
			status = poly_merge_read_events(merge, i, batch, error);
		poly_reader_close(reader);
	}
	return status == POLY_OK ? poly_merge_resolve(merge, error) : status;
}

/* What is called for each row of a merged trace. */
struct visitor {
	void (*visit)(void *user, const struct poly_batch *batch, size_t row);
	void *user;
};

/* Reads the merged records, with a visitor or NULL; returns the last status. */
static inline enum poly_status
read_merged(struct poly_merge *merge, const struct trace *traces, size_t count,
	const struct visitor *visitor, struct poly_error *error)
{
	struct poly_reader *readers[THREADS_MAX];
	const struct poly_batch *batch;
	uint64_t rows = 0;
	for (size_t i = 0; i < count; i++) {
		readers[i] = open_trace(&traces[i]);
		const struct poly_source source = poly_reader_source(readers[i]);
		poly_merge_set_source(merge, i, &source);
	}
	enum poly_status status = poly_merge_start(merge, error);
	while (status == POLY_OK &&
		(status = poly_merge_next(merge, &batch, error)) == POLY_OK) {
		assert_true(batch->rows > 0 && batch->first == rows);
		for (size_t row = 0; visitor && row < batch->rows; row++)
			visitor->visit(visitor->user, batch, row);
		rows += batch->rows;
	}
	if (status != POLY_OK && batch)
		assert_int_equal(poly_merge_next(merge, &batch, NULL), status);
	for (size_t i = 0; i < count; i++)
		poly_reader_close(readers[i]);
	return status;
}

static inline struct poly_merge *
new_merge(const struct poly_merge_options *options)
{
	struct poly_merge *merge;
	assert_int_equal(poly_merge_new(options, &merge, NULL), POLY_OK);
	return merge;
}

/* Appends "thread:pc " to a text of 2000 bytes. */
static inline void
add_text(void *user, const struct poly_batch *batch, size_t row)
{
	char value[40], *text = user;
	size_t used = strlen(text);
	snprintf(value, sizeof value, "%llu:%llx ", (unsigned long long)batch->thread[row],
		(unsigned long long)batch->pc[row]);
	snprintf(text + used, 2000 - used, "%s", value);
}

/* The next random number. */
static inline uint64_t
next_chance(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

#endif
