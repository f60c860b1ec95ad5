/* SPDX-License-Identifier: MIT */
/* Merging of a sample whose true order is known. */
#include "merge_help.h"

/* An event of the sample. */
struct sample_event {
	unsigned thread; /* from 0 */
	bool signals;
	uint64_t address, count;
};

struct sample_log {
	struct sample_event events[200];
	size_t count;
};

/* The true order of the sample. Failed tries are not recorded in traces. */
static void
read_log(struct sample_log *log)
{
	struct buf text = load_sample("pthr/synclog.jsonl");
	buf_byte(&text, 0);
	char *line = (char *)text.data;
	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		unsigned thread, count;
		unsigned long long address;
		char name[40], event[20];
		*end = 0;
		assert_int_equal(sscanf(line,
					 "{\"thread\":%u,\"func\":\"%39[^\"]\",\"event\":\"%19["
					 "^\"]\",\"obj\":\"%llx\",\"count\":%u}",
					 &thread, name, event, &address, &count),
			5);
		if (strcmp(event, "failed") == 0)
			continue;
		log->events[log->count++] = (struct sample_event){
			thread, strcmp(event, "entry") == 0, address, count};
	}
	buf_free(&text);
}

static void
note_event(void *user, const struct poly_batch *batch, size_t row)
{
	struct sample_log *log = user;
	assert_true(poly_present(batch, POLY_COLUMN_thread, row));
	if (!poly_present(batch, POLY_COLUMN_sync, row))
		return;
	const bool signals =
		batch->sync[row] == POLY_SYNC_SIGNAL || batch->sync[row] == POLY_SYNC_BROADCAST;
	log->events[log->count++] = (struct sample_event){(unsigned)batch->thread[row] - 1,
		signals, batch->address[row], batch->value[row]};
}

static bool
same_event(const struct sample_event *a, const struct sample_event *b)
{
	return b && a->thread == b->thread && a->signals == b->signals &&
	       a->address == b->address && a->count == b->count;
}

/* The n-th event of a log that is of a thread, or signals an address; NULL: there is none. */
static const struct sample_event *
nth_of_thread(const struct sample_log *log, unsigned thread, size_t n)
{
	for (size_t i = 0; i < log->count; i++) {
		if (log->events[i].thread == thread && n-- == 0)
			return &log->events[i];
	}
	return NULL;
}

static const struct sample_event *
nth_signal(const struct sample_log *log, uint64_t address, size_t n)
{
	for (size_t i = 0; i < log->count; i++) {
		const struct sample_event *event = &log->events[i];
		if (event->signals && event->address == address && n-- == 0)
			return event;
	}
	return NULL;
}

static size_t
signals_before(const struct sample_log *log, size_t end, uint64_t address)
{
	size_t count = 0;
	for (size_t i = 0; i < end; i++)
		count += log->events[i].signals && log->events[i].address == address;
	return count;
}

/* The order found has the order of each thread and of the signals of each address of the true
 * one, and before each wait the signals that were there before it in truth. */
static void
assert_fits(const struct sample_log *found, const struct sample_log *truth)
{
	size_t of_thread[THREADS_MAX] = {0};
	assert_int_equal(found->count, truth->count);
	for (size_t i = 0; i < found->count; i++) {
		const struct sample_event *event = &found->events[i];
		const size_t before = signals_before(found, i, event->address);
		assert_true(same_event(event,
			nth_of_thread(truth, event->thread, of_thread[event->thread]++)));
		if (event->signals)
			assert_true(
				same_event(event, nth_signal(truth, event->address, before)));
		else
			assert_int_equal(before, event->count);
	}
}

static void
four_threads_merge_in_the_order_of_execution(void **state)
{
	static struct sample_log truth;
	static const uint64_t quanta[] = {0, 1, 37, 1000};
	static const size_t sizes[] = {POLY_BATCH_ROWS, 100, 7};
	struct trace traces[4];
	(void)state;
	truth.count = 0;
	read_log(&truth);
	assert_int_equal(truth.count, 98);
	load_threads(traces);
	for (size_t i = 0; i < 12; i++) {
		static struct sample_log found;
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		for (size_t t = 0; t < 4; t++)
			traces[t].batch_rows = sizes[i / 4];
		options.quantum = quanta[i % 4];
		options.analyse = i % 2;
		struct poly_merge *merge = new_merge(&options);
		found.count = 0;
		assert_int_equal(learn(merge, traces, 4, &error), POLY_OK);
		assert_int_equal(read_merged(merge, traces, 4,
					 &(struct visitor){note_event, &found}, &error),
			POLY_END);
		assert_fits(&found, &truth);
		assert_null(poly_merge_note_at(merge, 0, NULL));
		poly_merge_free(merge);
	}
	free_traces(traces, 4);
}

/* Compares merged rows with those of the traces alone. */
struct alone {
	struct poly_reader *readers[THREADS_MAX];
	const struct poly_batch *batches[THREADS_MAX];
	size_t rows[THREADS_MAX];
	uint64_t seen;
};

static void
compare_row(void *user, const struct poly_batch *batch, size_t row)
{
	struct alone *alone = user;
	const size_t t = (size_t)batch->thread[row] - 1;
	const struct poly_batch *other = alone->batches[t];
	if (!other || alone->rows[t] == other->rows) {
		assert_int_equal(
			poly_reader_next(alone->readers[t], &alone->batches[t], NULL), POLY_OK);
		other = alone->batches[t];
		alone->rows[t] = 0;
	}
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		char a[300], b[300];
		if (c == POLY_COLUMN_thread || c == POLY_COLUMN_site ||
			c == POLY_COLUMN_verbatim)
			continue;
		poly_batch_format(batch, (enum poly_column)c, row, a, sizeof a);
		poly_batch_format(other, (enum poly_column)c, alone->rows[t], b, sizeof b);
		if (strcmp(a, b) != 0)
			fail_msg("thread %zu: %s is %s, alone %s", t + 1,
				poly_column_name((enum poly_column)c), a, b);
	}
	alone->rows[t]++;
	alone->seen++;
}

static void
every_record_stays_in_the_order_of_its_thread(void **state)
{
	static const uint64_t quanta[] = {0, 3, 500};
	struct trace traces[4];
	(void)state;
	load_threads(traces);
	for (size_t i = 0; i < 3; i++) {
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		struct alone alone = {.seen = 0};
		options.quantum = quanta[i];
		struct poly_merge *merge = new_merge(&options);
		for (size_t t = 0; t < 4; t++)
			alone.readers[t] = open_trace(&traces[t]);
		assert_int_equal(learn(merge, traces, 4, &error), POLY_OK);
		assert_int_equal(read_merged(merge, traces, 4,
					 &(struct visitor){compare_row, &alone}, &error),
			POLY_END);
		assert_int_equal(alone.seen, 16719 + 2464 + 2233 + 3473);
		for (size_t t = 0; t < 4; t++) {
			const struct poly_batch *batch;
			assert_int_equal(alone.rows[t], alone.batches[t]->rows);
			assert_int_equal(
				poly_reader_next(alone.readers[t], &batch, NULL), POLY_END);
			poly_reader_close(alone.readers[t]);
		}
		poly_merge_free(merge);
	}
	free_traces(traces, 4);
}

/* The schedule determines the rows: thread and number, one by one. */
struct expected_rows {
	struct poly_merge_run runs[2000];
	size_t count, run;
	uint64_t used;
};

static void
follow_schedule(void *user, const struct poly_batch *batch, size_t row)
{
	struct expected_rows *expected = user;
	const struct poly_merge_run *run = &expected->runs[expected->run];
	assert_true(expected->run < expected->count);
	assert_int_equal(batch->thread[row], run->trace + 1);
	if (++expected->used == run->records) {
		expected->run++;
		expected->used = 0;
	}
}

static void
the_schedule_is_the_order_of_the_records(void **state)
{
	static struct expected_rows expected;
	struct trace traces[4];
	struct poly_error error;
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	uint64_t next[4] = {1, 1, 1, 1};
	(void)state;
	memset(&expected, 0, sizeof expected);
	options.quantum = 50;
	load_threads(traces);
	struct poly_merge *merge = new_merge(&options);
	struct poly_merge_run run;
	assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_merge_start(merge, &error), POLY_ERR_USAGE);
	poly_merge_rewind(merge);
	assert_int_equal(learn(merge, traces, 4, &error), POLY_OK);
	while (poly_merge_next_run(merge, &run, &error) == POLY_OK) {
		assert_true(run.records >= 1 && run.records <= 50 && *run.why);
		assert_int_equal(run.first, next[run.trace]);
		next[run.trace] += run.records;
		expected.runs[expected.count++] = run;
	}
	assert_int_equal(read_merged(merge, traces, 4,
				 &(struct visitor){follow_schedule, &expected}, &error),
		POLY_END);
	assert_int_equal(expected.run, expected.count);
	poly_merge_free(merge);
	free_traces(traces, 4);
}

static void
traces_without_synchronisation_follow_each_other(void **state)
{
	/* Apple amber traces 7.2: 90 and 30,233 records, each after its initial PC. */
	struct trace traces[] = {{load_sample("amber/thread_001.tt6"), "tt6", 0},
		{load_sample("amber/memset_thread_001.tt6"), "tt6", 0},
		{load_sample("amber/sync.tt6"), "tt6", 0}};
	struct poly_error error;
	struct poly_merge_run run;
	static const uint64_t records[] = {91, 30234, 0};
	(void)state;
	struct poly_merge *merge = new_merge(NULL);
	assert_int_equal(learn(merge, traces, 2, &error), POLY_OK);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_OK);
		assert_int_equal(run.trace, i);
		assert_int_equal(run.records, records[i]);
	}
	assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_END);
	poly_merge_free(merge);
	/* The four records of the seed: nothing contradicts itself. */
	merge = new_merge(NULL);
	assert_int_equal(learn(merge, &traces[2], 1, &error), POLY_OK);
	assert_null(poly_merge_note_at(merge, 0, NULL));
	assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_OK);
	assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_END);
	poly_merge_free(merge);
	free_traces(traces, 3);
}

/* Everything that allocates in merging: readers of four traces for both readings are open. */
struct merging {
	struct trace traces[4];
	struct poly_reader *readers[8];
	struct poly_merge *merge;
};

static void
open_readers(void *context)
{
	struct merging *merging = context;
	for (size_t i = 0; i < 8; i++)
		merging->readers[i] = open_trace(&merging->traces[i % 4]);
}

/* Adds the traces and reads their events. */
static enum poly_status
learn_all(struct merging *merging)
{
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	const struct poly_batch *batch;
	options.analyse = true;
	enum poly_status status = poly_merge_new(&options, &merging->merge, NULL);
	for (size_t i = 0; i < 4 && status == POLY_OK; i++)
		status = poly_merge_add(merging->merge, i + 1, "trace", NULL);
	for (size_t i = 0; i < 4 && status == POLY_OK; i++) {
		while (status == POLY_OK && (status = poly_reader_next(merging->readers[i],
						     &batch, NULL)) == POLY_OK)
			status = poly_merge_read_events(merging->merge, i, batch, NULL);
		status = status == POLY_END ? POLY_OK : status;
	}
	return status == POLY_OK ? poly_merge_resolve(merging->merge, NULL) : status;
}

static enum poly_status
merge_all(void *context)
{
	struct merging *merging = context;
	const struct poly_batch *batch;
	enum poly_status status = learn_all(merging);
	for (size_t i = 0; i < 4 && status == POLY_OK; i++) {
		const struct poly_source source = poly_reader_source(merging->readers[4 + i]);
		poly_merge_set_source(merging->merge, i, &source);
	}
	if (status == POLY_OK)
		status = poly_merge_start(merging->merge, NULL);
	while (status == POLY_OK)
		status = poly_merge_next(merging->merge, &batch, NULL);
	return status;
}

static void
close_readers(void *context)
{
	struct merging *merging = context;
	poly_merge_free(merging->merge);
	for (size_t i = 0; i < 8; i++)
		poly_reader_close(merging->readers[i]);
}

static void
lack_of_memory_is_survived(void **state)
{
	struct merging merging;
	(void)state;
	load_threads(merging.traces);
	law_memory_as(&(struct memory_law){.run = merge_all,
		.prepare = open_readers,
		.release = close_readers,
		.context = &merging,
		.is_sampled = true});
	free_traces(merging.traces, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_threads_merge_in_the_order_of_execution),
		cmocka_unit_test(every_record_stays_in_the_order_of_its_thread),
		cmocka_unit_test(the_schedule_is_the_order_of_the_records),
		cmocka_unit_test(traces_without_synchronisation_follow_each_other),
		cmocka_unit_test(lack_of_memory_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
