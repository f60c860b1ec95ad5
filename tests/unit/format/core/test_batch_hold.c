/* SPDX-License-Identifier: MIT */
/* Batches that consumers hold beyond the next one. The oracle are copies made at delivery. */
#include "trace_help.h"

#include "model/batch_hold.h"
#include "model/batch_store.h"
#include "model/row_buffer.h"
#include "model/slice.h"

#include <pthread.h>

#define RELEASERS 3
#define HELD_MAX 2000

/* A held batch and a copy of it; the copy is NULL when it was compared. */
struct held {
	struct batch_hold hold;
	struct row_buffer *copy;
	uint64_t first;
};

/* What threads compare and release. */
struct exchange {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct held *held[HELD_MAX];
	size_t count;
	bool ended;
	unsigned seed;
	size_t differing;
};

static bool
is_same_value(const struct poly_batch *a, const struct poly_batch *b, enum poly_column column,
	size_t row)
{
	const enum poly_form form = poly_column_form(column);
	if (poly_present(a, column, row) != poly_present(b, column, row))
		return false;
	if (!poly_present(a, column, row))
		return true;
	if (form != POLY_FORM_BYTES && form != POLY_FORM_TEXT)
		return poly_batch_integer(a, column, row) == poly_batch_integer(b, column, row);
	size_t n, m;
	const uint8_t *p = poly_batch_bytes(a, column, row, &n);
	const uint8_t *q = poly_batch_bytes(b, column, row, &m);
	return n == m && (!n || memcmp(p, q, n) == 0);
}

static bool
is_copy(const struct held *held)
{
	const struct poly_batch *a = held->hold.batch, *b = &held->copy->view;
	bool same = a->rows == b->rows && a->first == held->first && a->info;
	for (unsigned c = 0; same && c < POLY_COLUMN_COUNT; c++)
		for (size_t row = 0; same && row < a->rows; row++)
			same = is_same_value(a, b, (enum poly_column)c, row);
	return same;
}

/* Compares a held batch, releases it and frees it; returns whether it was the same. */
static bool
release(struct held *held)
{
	const bool same = is_copy(held);
	batch_hold_release(&held->hold);
	row_buffer_free(held->copy);
	free(held);
	return same;
}

/* Removes a held batch: any one; NULL: none follows. */
static struct held *
take_any(struct exchange *exchange)
{
	struct held *held = NULL;
	pthread_mutex_lock(&exchange->lock);
	while (!exchange->count && !exchange->ended)
		pthread_cond_wait(&exchange->changed, &exchange->lock);
	if (exchange->count) {
		exchange->seed = exchange->seed * 1664525 + 1013904223;
		const size_t i = (exchange->seed >> 8) % exchange->count;
		held = exchange->held[i];
		exchange->held[i] = exchange->held[--exchange->count];
	}
	pthread_mutex_unlock(&exchange->lock);
	return held;
}

static void *
run_releaser(void *user)
{
	struct exchange *exchange = user;
	struct held *held;
	size_t differing = 0;
	while ((held = take_any(exchange)))
		differing += !release(held);
	pthread_mutex_lock(&exchange->lock);
	exchange->differing += differing;
	pthread_mutex_unlock(&exchange->lock);
	return NULL;
}

/* Holds a batch, or returns NULL. */
static struct held *
hold_batch(const struct poly_batch *batch)
{
	struct held *held = calloc(1, sizeof *held);
	assert_non_null(held);
	if (!batch_hold(batch, &held->hold)) {
		free(held);
		return NULL;
	}
	assert_ptr_equal(held->hold.batch, batch);
	held->first = batch->first;
	held->copy = row_buffer_new(batch->rows);
	assert_non_null(held->copy);
	assert_true(row_buffer_append(held->copy, batch, 0, batch->rows));
	return held;
}

static void
put(struct exchange *exchange, struct held *held)
{
	pthread_mutex_lock(&exchange->lock);
	assert_true(exchange->count < HELD_MAX);
	exchange->held[exchange->count++] = held;
	pthread_cond_signal(&exchange->changed);
	pthread_mutex_unlock(&exchange->lock);
}

static struct buf
make_trace(unsigned lines)
{
	struct buf text = {0};
	unsigned seed = 1;
	for (unsigned i = 0; i < lines; i++) {
		seed = seed * 1664525 + 1013904223;
		buf_printf(&text, "1 %x -1 49 45 - - L -264 %x %x 0 NAME_%u LOAD\n",
			0x400000 + 4 * (seed >> 20), seed, i, seed >> 24);
	}
	assert_false(text.failed);
	return text;
}

static struct poly_read_options
options_of(unsigned threads, size_t block_size)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "cis501";
	options.threads = threads;
	options.block_size = block_size;
	return options;
}

/* Reads a trace whose batches other threads compare and release; returns how many were held. */
static size_t
read_and_release(struct poly_reader *reader, bool close_first)
{
	static struct exchange exchange;
	const struct poly_batch *batch;
	struct poly_error error;
	pthread_t threads[RELEASERS];
	size_t count = 0;
	exchange = (struct exchange){.seed = 1};
	pthread_mutex_init(&exchange.lock, NULL);
	pthread_cond_init(&exchange.changed, NULL);
	for (unsigned i = 0; !close_first && i < RELEASERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_releaser, &exchange), 0);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		struct held *held = hold_batch(batch);
		count += held != NULL;
		if (held)
			put(&exchange, held);
	}
	if (close_first)
		poly_reader_close(reader);
	for (unsigned i = 0; close_first && i < RELEASERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_releaser, &exchange), 0);
	pthread_mutex_lock(&exchange.lock);
	exchange.ended = true;
	pthread_cond_broadcast(&exchange.changed);
	pthread_mutex_unlock(&exchange.lock);
	for (unsigned i = 0; i < RELEASERS; i++)
		pthread_join(threads[i], NULL);
	if (!close_first)
		poly_reader_close(reader);
	assert_int_equal(exchange.differing, 0);
	pthread_mutex_destroy(&exchange.lock);
	pthread_cond_destroy(&exchange.changed);
	return count;
}

static void
held_rows_stay_until_any_thread_releases_them(void **state)
{
	(void)state;
	static const unsigned threads[] = {1, 2, 3, 8, 64};
	static const size_t blocks[] = {100, 1000, 20000};
	struct buf text = make_trace(10000);
	for (size_t i = 0; i < 5 * 3 * 2; i++) {
		const unsigned n = threads[i % 5];
		if (!sample_takes())
			continue;
		struct poly_read_options options = options_of(n, blocks[i / 5 % 3]);
		const size_t held = read_and_release(open_memory(&text, &options), i / 15);
		assert_true(n == 1 ? held == 0 : held > 0);
	}
	buf_free(&text);
}

/* The reader reaches the end of the trace although nothing is released. */
static void
holds_are_limited_and_never_block_the_reader(void **state)
{
	(void)state;
	struct buf text = make_trace(20000);
	struct poly_read_options options = options_of(2, 1000);
	struct poly_reader *reader = open_memory(&text, &options);
	static struct batch_hold holds[HELD_MAX];
	const struct poly_batch *batch;
	size_t count = 0, refused = 0;
	uint64_t rows = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		rows += batch->rows;
		if (batch_hold(batch, &holds[count]))
			count++;
		else
			refused++;
		assert_true(count < HELD_MAX);
	}
	assert_int_equal(rows, 20000);
	assert_true(count >= 8);
	assert_true(refused > 0);
	for (size_t i = 0; i < count; i++)
		batch_hold_release(&holds[i]);
	poly_reader_close(reader);
	buf_free(&text);
}

static void
batches_of_one_thread_and_slices_are_not_held(void **state)
{
	(void)state;
	struct buf text = make_trace(1000);
	struct poly_read_options options = options_of(1, 0);
	struct poly_reader *reader = open_memory(&text, &options);
	const struct poly_batch *batch;
	struct batch_hold hold;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_false(batch_hold(batch, &hold));
	assert_null(hold.batch);
	poly_reader_close(reader);
	options = options_of(2, 1000);
	reader = open_memory(&text, &options);
	struct slice slice = {0};
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(slice_make(&slice, batch, 0, batch->rows, NULL), POLY_OK);
	assert_false(batch_hold(&slice.view, &hold));
	const struct poly_batch copy = *batch;
	assert_false(batch_hold(&copy, &hold));
	assert_true(batch_hold(batch, &hold));
	batch_hold_release(&hold);
	slice_fini(&slice);
	poly_reader_close(reader);
	buf_free(&text);
}

/* A batch is filled again as soon as its last hold is released, and not before. */
static void
released_batches_are_filled_again(void **state)
{
	(void)state;
	static const struct poly_trace_info info;
	const struct batch_store_plan plan = {POLY_COLUMNS(pc), 10, &info, 2};
	struct batch_store *store = batch_store_new(&plan);
	struct stored_batch *first = batch_store_get(store);
	struct batch_hold a, b, c;
	stored_batch_deliver(first);
	assert_true(batch_hold(&first->batch.view, &a));
	assert_true(batch_hold(a.batch, &b));
	assert_false(batch_hold(a.batch, &c));
	assert_false(stored_batch_reclaim(first));
	struct stored_batch *second = batch_store_get(store);
	assert_ptr_not_equal(second, first);
	batch_hold_release(&b);
	batch_hold_release(&a);
	assert_ptr_equal(batch_store_get(store), first);
	assert_null(first->batch.view.internal);
	stored_batch_deliver(second);
	assert_true(batch_hold(&second->batch.view, &a));
	batch_hold_release(&a);
	assert_true(stored_batch_reclaim(second));
	stored_batch_free(first);
	stored_batch_free(second);
	batch_store_free(store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_rows_stay_until_any_thread_releases_them),
		cmocka_unit_test(holds_are_limited_and_never_block_the_reader),
		cmocka_unit_test(batches_of_one_thread_and_slices_are_not_held),
		cmocka_unit_test(released_batches_are_filled_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
