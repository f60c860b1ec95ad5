/* SPDX-License-Identifier: MIT */
/*
 * Merging: a sample whose true order is known, executions of a small simulator, whose orders
 * are judged by what was simulated, and times against a sort.
 */
#include "test_help.h"

#include "base/bits.h"

#define THREADS_MAX 8
#define EVENTS_MAX 4096

/* A trace in memory. */
struct trace {
	uint8_t *bytes;
	size_t size;
	const char *format;
};

static struct poly_reader *
open_trace(const struct trace *trace, size_t batch_rows)
{
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = trace->format;
	options.batch_rows = batch_rows;
	options.one_thread = true;
	if (poly_reader_open_memory(trace->bytes, trace->size, &options, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

static struct trace
load(const char *name, const char *format)
{
	char path[1000];
	struct trace trace = {.format = format};
	snprintf(path, sizeof path, "%s/tests/data/%s", getenv("POLYTRACE_ROOT"), name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	trace.size = (size_t)ftell(file);
	rewind(file);
	trace.bytes = malloc(trace.size + 1);
	assert_non_null(trace.bytes);
	assert_int_equal(fread(trace.bytes, 1, trace.size, file), trace.size);
	trace.bytes[trace.size] = 0;
	fclose(file);
	return trace;
}

/* Learns traces, as threads 1, 2 and so on; returns what settling them did. */
static enum poly_status
learn(struct poly_merge *merge, const struct trace *traces, size_t count, size_t batch_rows,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		const struct poly_batch *batch;
		struct poly_reader *reader = open_trace(&traces[i], batch_rows);
		status = poly_merge_add(merge, i + 1, "trace", error);
		while (status == POLY_OK && poly_reader_next(reader, &batch, error) == POLY_OK)
			status = poly_merge_read_events(merge, i, batch, error);
		poly_reader_close(reader);
	}
	return status == POLY_OK ? poly_merge_resolve(merge, error) : status;
}

/* Called for each row of a merged trace. */
typedef void visit_fn(void *user, const struct poly_batch *batch, size_t row);

/* Reads the merged records; returns how they ended. */
static enum poly_status
read_merged(struct poly_merge *merge, const struct trace *traces, size_t count,
	size_t batch_rows, visit_fn *visit, void *user, struct poly_error *error)
{
	struct poly_reader *readers[THREADS_MAX];
	const struct poly_batch *batch;
	uint64_t rows = 0;
	for (size_t i = 0; i < count; i++) {
		readers[i] = open_trace(&traces[i], batch_rows);
		const struct poly_source source = poly_reader_source(readers[i]);
		poly_merge_set_source(merge, i, &source);
	}
	enum poly_status status = poly_merge_start(merge, error);
	while (status == POLY_OK &&
		(status = poly_merge_next(merge, &batch, error)) == POLY_OK) {
		assert_true(batch->rows > 0 && batch->first == rows);
		for (size_t row = 0; visit && row < batch->rows; row++)
			visit(user, batch, row);
		rows += batch->rows;
	}
	if (status != POLY_OK && batch)
		assert_int_equal(poly_merge_next(merge, &batch, NULL), status);
	for (size_t i = 0; i < count; i++)
		poly_reader_close(readers[i]);
	return status;
}

static struct poly_merge *
new_merge(const struct poly_merge_options *options)
{
	struct poly_merge *merge;
	assert_int_equal(poly_merge_new(options, &merge, NULL), POLY_OK);
	return merge;
}

/* An event of the sample. */
struct sample_event {
	unsigned thread; /* from 0 */
	bool signals;
	uint64_t address, count;
};

struct sample_log {
	struct sample_event events[EVENTS_MAX];
	size_t count;
};

/* The true order of the sample. Failed tries are not recorded in traces. */
static void
read_log(struct sample_log *log)
{
	struct trace text = load("pthr/synclog.jsonl", NULL);
	char *line = (char *)text.bytes;
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
	free(text.bytes);
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
load_sample(struct trace traces[4])
{
	for (int i = 0; i < 4; i++) {
		char name[40];
		snprintf(name, sizeof name, "pthr/thread_%03d.tt6", i + 1);
		traces[i] = load(name, "tt6");
	}
}

static void
free_traces(struct trace *traces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(traces[i].bytes);
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
	load_sample(traces);
	for (size_t i = 0; i < 12; i++) {
		static struct sample_log found;
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		options.quantum = quanta[i % 4];
		options.analyse = i % 2;
		struct poly_merge *merge = new_merge(&options);
		found.count = 0;
		assert_int_equal(learn(merge, traces, 4, sizes[i / 4], &error), POLY_OK);
		assert_int_equal(
			read_merged(merge, traces, 4, sizes[i / 4], note_event, &found, &error),
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
	load_sample(traces);
	for (size_t i = 0; i < 3; i++) {
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		struct alone alone = {.seen = 0};
		options.quantum = quanta[i];
		struct poly_merge *merge = new_merge(&options);
		for (size_t t = 0; t < 4; t++)
			alone.readers[t] = open_trace(&traces[t], 0);
		assert_int_equal(learn(merge, traces, 4, 0, &error), POLY_OK);
		assert_int_equal(read_merged(merge, traces, 4, 0, compare_row, &alone, &error),
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
	load_sample(traces);
	struct poly_merge *merge = new_merge(&options);
	struct poly_merge_run run;
	assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_merge_start(merge, &error), POLY_ERR_USAGE);
	poly_merge_rewind(merge);
	assert_int_equal(learn(merge, traces, 4, 0, &error), POLY_OK);
	while (poly_merge_next_run(merge, &run, &error) == POLY_OK) {
		assert_true(run.records >= 1 && run.records <= 50 && *run.why);
		assert_int_equal(run.first, next[run.trace]);
		next[run.trace] += run.records;
		expected.runs[expected.count++] = run;
	}
	assert_int_equal(
		read_merged(merge, traces, 4, 0, follow_schedule, &expected, &error), POLY_END);
	assert_int_equal(expected.run, expected.count);
	poly_merge_free(merge);
	free_traces(traces, 4);
}

/* ---- A simulator of threads with mutexes and condition variables ---- */

#define SIM_THREADS 4
#define SIM_PAIRS 3
#define SIM_WORDS 8192

enum sim_what { SIM_LOCK, SIM_TRY, SIM_UNLOCK, SIM_WAIT, SIM_SIGNAL, SIM_BROADCAST };

/* An event as it was simulated. */
struct sim_event {
	enum sim_what what;
	unsigned pair;
	uint64_t ordinal; /* of a signal from 1, or signals so far */
	size_t word;	  /* where its count stands */
};

/* An access as it was simulated. */
struct sim_access {
	size_t event; /* of its thread that comes next */
	uint32_t address;
	bool writes;
};

struct sim_thread {
	struct sim_access accesses[EVENTS_MAX];
	size_t access_count;
	uint32_t words[SIM_WORDS];
	size_t word_count;
	struct sim_event events[EVENTS_MAX];
	size_t event_count;
	bool holds[SIM_PAIRS];
	int wants;   /* pair whose mutex it waits for, or -1 */
	int waits;   /* pair whose condition it waits for, or -1 */
	bool awoken; /* it was signalled */
};

struct sim {
	struct sim_thread threads[SIM_THREADS];
	unsigned pairs;
	int owner[SIM_PAIRS]; /* thread, or -1 */
	uint64_t unlocks[SIM_PAIRS], signals[SIM_PAIRS];
	bool before;   /* signals carry the count before them */
	bool accesses; /* memory is accessed, and no thread waits for a condition */
	uint64_t chance;
};

static uint64_t
next_chance(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned
below(struct sim *sim, unsigned n)
{
	return (unsigned)(next_chance(&sim->chance) % n);
}

static uint32_t
address_of(enum sim_what what, unsigned pair)
{
	const bool condition = what == SIM_WAIT || what == SIM_SIGNAL || what == SIM_BROADCAST;
	return (condition ? 0x3000u : 0x2000u) + 0x10u * pair;
}

static void
put_word(struct sim_thread *thread, uint32_t word)
{
	assert_true(thread->word_count < SIM_WORDS);
	thread->words[thread->word_count++] = word;
}

static void
put_event(struct sim *sim, struct sim_thread *thread, enum sim_what what, unsigned pair)
{
	static const uint32_t codes[] = {0x30, 0x31, 0x20, 0x30, 0x20, 0x21};
	const bool of_mutex = what == SIM_LOCK || what == SIM_TRY || what == SIM_UNLOCK;
	const bool is_signal =
		what == SIM_UNLOCK || what == SIM_SIGNAL || what == SIM_BROADCAST;
	uint64_t *count = of_mutex ? &sim->unlocks[pair] : &sim->signals[pair];
	*count += is_signal;
	put_word(thread, codes[what] << 16 | 2);
	put_word(thread, address_of(what, pair));
	assert_true(thread->event_count < EVENTS_MAX);
	thread->events[thread->event_count++] =
		(struct sim_event){what, pair, *count, thread->word_count};
	put_word(thread, (uint32_t)(*count - (is_signal && sim->before)));
}

/* Wakes one thread that waits for a condition, or all. */
static void
wake(struct sim *sim, unsigned pair, bool all)
{
	const unsigned start = below(sim, SIM_THREADS);
	for (unsigned i = 0; i < SIM_THREADS; i++) {
		struct sim_thread *thread = &sim->threads[(start + i) % SIM_THREADS];
		if (thread->waits != (int)pair || thread->awoken)
			continue;
		thread->awoken = true;
		if (!all)
			return;
	}
}

static unsigned
waiting(const struct sim *sim)
{
	unsigned count = 0;
	for (unsigned t = 0; t < SIM_THREADS; t++)
		count += sim->threads[t].waits >= 0;
	return count;
}

static void
unlock(struct sim *sim, struct sim_thread *thread, unsigned pair)
{
	put_event(sim, thread, SIM_UNLOCK, pair);
	thread->holds[pair] = false;
	sim->owner[pair] = -1;
}

static void
act(struct sim *sim, unsigned number, unsigned pair)
{
	struct sim_thread *thread = &sim->threads[number];
	unsigned held = 0, highest = 0;
	for (unsigned i = 0; i < sim->pairs; i++) {
		held += thread->holds[i];
		highest = thread->holds[i] ? i + 1 : highest;
	}
	switch (below(sim, 8)) {
	case 0:
	case 1:
		/* Only in rising order, so that the simulated program has no deadlock. */
		if (pair >= highest)
			thread->wants = (int)pair;
		break;
	case 2:
		if (pair >= highest && sim->owner[pair] < 0) {
			sim->owner[pair] = (int)number;
			thread->holds[pair] = true;
			put_event(sim, thread, SIM_TRY, pair);
		}
		break;
	case 3:
	case 4:
	case 5:
		if (thread->holds[pair])
			unlock(sim, thread, pair);
		break;
	case 6:
		if (held == 1 && thread->holds[pair] && waiting(sim) + 1 < SIM_THREADS &&
			!sim->accesses) {
			thread->waits = (int)pair;
			thread->awoken = false;
			sim->owner[pair] = -1;
		}
		break;
	default: {
		const bool all = below(sim, 4) == 0;
		put_event(sim, thread, all ? SIM_BROADCAST : SIM_SIGNAL, pair);
		wake(sim, pair, all);
	}
	}
}

#define STORE 0x90000000 /* stw r0,0(0) */
#define LOAD 0x80000000	 /* lwz r0,0(0) */
#define SIM_ADDRESSES 6

static void
put_access(struct sim *sim, struct sim_thread *thread)
{
	const bool writes = below(sim, 3) == 0;
	const uint32_t address = 0x5000 + 8 * below(sim, SIM_ADDRESSES);
	put_word(thread, writes ? STORE : LOAD);
	put_word(thread, address);
	assert_true(thread->access_count < EVENTS_MAX);
	thread->accesses[thread->access_count++] =
		(struct sim_access){thread->event_count, address, writes};
}

/* One step of a thread: it waits, or executes some instructions, or acts. */
static void
step(struct sim *sim, unsigned number)
{
	struct sim_thread *thread = &sim->threads[number];
	if (thread->wants >= 0) {
		if (sim->owner[thread->wants] >= 0)
			return;
		sim->owner[thread->wants] = (int)number;
		thread->holds[thread->wants] = true;
		put_event(sim, thread, SIM_LOCK, (unsigned)thread->wants);
		thread->wants = -1;
	} else if (thread->waits >= 0) {
		if (!thread->awoken || sim->owner[thread->waits] >= 0)
			return;
		sim->owner[thread->waits] = (int)number;
		put_event(sim, thread, SIM_WAIT, (unsigned)thread->waits);
		thread->waits = -1;
	} else if (sim->accesses && below(sim, 3) == 0) {
		put_access(sim, thread);
	} else if (below(sim, 2)) {
		for (unsigned n = below(sim, 6); n > 0; n--)
			put_word(thread, 0x60000000);
	} else {
		act(sim, number, below(sim, sim->pairs));
	}
}

/* One step of a thread that comes to its end: what it holds and who waits is let go. */
static void
wind_up(struct sim *sim, unsigned number)
{
	struct sim_thread *thread = &sim->threads[number];
	if (thread->wants >= 0 || thread->waits >= 0) {
		step(sim, number);
		return;
	}
	for (unsigned i = 0; i < sim->pairs; i++) {
		if (thread->holds[i])
			unlock(sim, thread, i);
	}
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		if (sim->threads[t].waits < 0 || sim->threads[t].awoken)
			continue;
		put_event(sim, thread, SIM_BROADCAST, (unsigned)sim->threads[t].waits);
		wake(sim, (unsigned)sim->threads[t].waits, true);
	}
}

static bool
is_busy(const struct sim *sim)
{
	bool busy = waiting(sim) > 0;
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		busy |= sim->threads[t].wants >= 0;
		for (unsigned i = 0; i < sim->pairs; i++)
			busy |= sim->threads[t].holds[i];
	}
	return busy;
}

static void
simulate(struct sim *sim, uint64_t seed, bool accesses)
{
	memset(sim, 0, sizeof *sim);
	sim->chance = seed;
	sim->accesses = accesses;
	sim->pairs = 1 + below(sim, SIM_PAIRS);
	sim->before = below(sim, 2);
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		sim->threads[t].wants = sim->threads[t].waits = -1;
		put_word(&sim->threads[t], 0x1000 + (accesses ? t << 20 : 0));
	}
	for (unsigned i = 0; i < SIM_PAIRS; i++)
		sim->owner[i] = -1;
	for (unsigned steps = 100 + below(sim, accesses ? 50 : 500); steps > 0; steps--)
		step(sim, below(sim, accesses ? 2 : SIM_THREADS));
	while (!accesses && is_busy(sim))
		wind_up(sim, below(sim, SIM_THREADS));
}

static void
write_traces(const struct sim *sim, struct trace traces[SIM_THREADS])
{
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		const struct sim_thread *thread = &sim->threads[t];
		traces[t] = (struct trace){
			malloc(4 * thread->word_count), 4 * thread->word_count, "tt6"};
		assert_non_null(traces[t].bytes);
		for (size_t i = 0; i < thread->word_count; i++)
			store_be32(traces[t].bytes + 4 * i, thread->words[i]);
	}
}

/* What is seen of a merged execution. */
struct judged {
	const struct sim *sim;
	size_t events[SIM_THREADS];
	uint64_t pc[SIM_THREADS];
	uint64_t unlocks[SIM_PAIRS], signals[SIM_PAIRS];
	int owner[SIM_PAIRS];
	uint64_t overlaps; /* of sections */
};

/* True where a thread's next event is that it is done waiting, by which it has the mutex again.
 */
static bool
has_given_up(const struct judged *judged, int thread, unsigned pair)
{
	const struct sim_thread *other = &judged->sim->threads[thread];
	const size_t i = judged->events[thread];
	return i < other->event_count && other->events[i].what == SIM_WAIT &&
	       other->events[i].pair == pair;
}

static void
judge_row(void *user, const struct poly_batch *batch, size_t row)
{
	struct judged *judged = user;
	const size_t t = (size_t)batch->thread[row] - 1;
	if (batch->kind[row] == POLY_KIND_INSTRUCTION) {
		assert_int_equal(batch->pc[row], judged->pc[t]);
		judged->pc[t] += 4;
	}
	if (!poly_present(batch, POLY_COLUMN_sync, row))
		return;
	assert_true(judged->events[t] < judged->sim->threads[t].event_count);
	const struct sim_event *event = &judged->sim->threads[t].events[judged->events[t]++];
	const unsigned pair = event->pair;
	int *owner = &judged->owner[pair];
	assert_int_equal(batch->address[row], address_of(event->what, pair));
	switch (event->what) {
	case SIM_UNLOCK:
		assert_int_equal(++judged->unlocks[pair], event->ordinal);
		*owner = -1;
		break;
	case SIM_SIGNAL:
	case SIM_BROADCAST: assert_int_equal(++judged->signals[pair], event->ordinal); break;
	case SIM_WAIT:
	case SIM_LOCK:
	case SIM_TRY:
		assert_int_equal(
			event->what == SIM_WAIT ? judged->signals[pair] : judged->unlocks[pair],
			event->ordinal);
		judged->overlaps +=
			*owner >= 0 && *owner != (int)t && !has_given_up(judged, *owner, pair);
		*owner = (int)t;
	}
}

static void
executions_merge_without_a_violation(void **state)
{
	static struct sim sim;
	unsigned relaxed = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct trace traces[SIM_THREADS];
		struct poly_error error;
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct judged judged = {.sim = &sim,
			.pc = {0x1000, 0x1000, 0x1000, 0x1000},
			.owner = {-1, -1, -1}};
		simulate(&sim, seed, false);
		write_traces(&sim, traces);
		options.quantum = seed % 3 == 0 ? 5 : 0;
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, SIM_THREADS, 0, &error), POLY_OK);
		assert_null(poly_merge_note_at(merge, 0, NULL));
		if (read_merged(merge, traces, SIM_THREADS, 0, judge_row, &judged, &error) !=
			POLY_END)
			fail_msg("seed %u: %s", (unsigned)seed, error.message);
		for (unsigned t = 0; t < SIM_THREADS; t++)
			assert_int_equal(judged.events[t], sim.threads[t].event_count);
		/* Overlapping sections are relaxed and noted. */
		assert_true(!judged.overlaps || poly_merge_note_at(merge, 0, NULL));
		relaxed += poly_merge_note_at(merge, 0, NULL) != NULL;
		poly_merge_free(merge);
		free_traces(traces, SIM_THREADS);
	}
	/* The counts alone do not always determine which of two waiters had the mutex first:
	 * Apple amber traces 7.1 has measured 14 of 1000, with fewer waits. */
	if (relaxed > 60)
		fail_msg("%u of 1000 executions were relaxed", relaxed);
}

/* The thread and the place in it of a signal by chance; false: there is none. */
static struct sim_event *
find_signal(struct sim *sim, unsigned *thread)
{
	struct sim_event *signals[SIM_THREADS * 400];
	unsigned threads[SIM_THREADS * 400], count = 0;
	for (unsigned t = 0; t < SIM_THREADS; t++) {
		for (size_t i = 0; i < sim->threads[t].event_count; i++) {
			struct sim_event *event = &sim->threads[t].events[i];
			const bool waits = event->what == SIM_LOCK || event->what == SIM_TRY ||
					   event->what == SIM_WAIT;
			assert_true(count < sizeof threads / sizeof *threads);
			threads[count] = t;
			signals[count] = event;
			count += !waits;
		}
	}
	if (!count)
		return NULL;
	const unsigned chosen = below(sim, count);
	*thread = threads[chosen];
	return signals[chosen];
}

/* True where a note or the error names the address. */
static bool
is_named(const struct poly_merge *merge, uint32_t address)
{
	char name[20];
	const char *note;
	snprintf(name, sizeof name, "0x%x", address);
	for (size_t i = 0; (note = poly_merge_note_at(merge, i, NULL)); i++) {
		if (strstr(note, name))
			return true;
	}
	return false;
}

static void
a_corrupted_count_is_detected_and_named(void **state)
{
	static struct sim sim;
	unsigned tried = 0;
	(void)state;
	for (uint64_t seed = 1; tried < 300; seed++) {
		struct trace traces[SIM_THREADS];
		struct poly_error error;
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		unsigned thread;
		simulate(&sim, seed, false);
		const struct sim_event *event = find_signal(&sim, &thread);
		if (!event)
			continue;
		uint32_t *word = &sim.threads[thread].words[event->word];
		const uint32_t count = *word;
		while (*word == count)
			*word = below(&sim, 3) ? below(&sim, 40) : (uint32_t)sim.chance;
		write_traces(&sim, traces);
		/* A single signal alone would only show another numbering. */
		options.numbering = sim.before ? POLY_MERGE_BEFORE : POLY_MERGE_AFTER;
		options.force = tried % 2;
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, SIM_THREADS, 0, &error), POLY_OK);
		if (!is_named(merge, address_of(event->what, event->pair)))
			fail_msg("seed %u: %u instead of %u", (unsigned)seed, *word, count);
		const enum poly_status status =
			read_merged(merge, traces, SIM_THREADS, 0, NULL, NULL, &error);
		assert_true(
			status == POLY_END || (!options.force && status == POLY_ERR_FORMAT));
		if (status == POLY_ERR_FORMAT)
			assert_non_null(strstr(error.message, "contradict"));
		poly_merge_free(merge);
		free_traces(traces, SIM_THREADS);
		tried++;
	}
}

/* ---- Traces by hand ---- */

/* A TT6 trace of words. */
static struct trace
make_trace(const uint32_t *words, size_t count)
{
	struct trace trace = {malloc(4 * count), 4 * count, "tt6"};
	assert_non_null(trace.bytes);
	for (size_t i = 0; i < count; i++)
		store_be32(trace.bytes + 4 * i, words[i]);
	return trace;
}

#define SIGNAL 0x00200002
#define WAIT 0x00300002
#define NOP 0x60000000
#define MAKE(...) \
	make_trace((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void
a_cycle_is_reported_with_its_positions(void **state)
{
	/* Each waits for the signal that the other sends after its own wait. */
	struct trace traces[] = {MAKE(0x1000, NOP, WAIT, 0x2000, 1, NOP, SIGNAL, 0x3000, 1),
		MAKE(0x1000, NOP, NOP, WAIT, 0x3000, 1, SIGNAL, 0x2000, 1)};
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	(void)state;
	struct poly_merge *merge = new_merge(&options);
	assert_int_equal(learn(merge, traces, 2, 0, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, 2, 0, NULL, NULL, &error), POLY_ERR_FORMAT);
	assert_string_equal(error.message,
		"the records contradict each other: thread 1 instruction 1, wait 1 of 0x2000, "
		"waits for signal 1 of 0x2000 in thread 2 instruction 2, which is after thread "
		"2 instruction 2, wait 1 of 0x3000, waits for signal 1 of 0x3000 in thread 1 "
		"instruction 2, which is after thread 1 instruction 1");
	poly_merge_free(merge);
	options.force = true;
	merge = new_merge(&options);
	assert_int_equal(learn(merge, traces, 2, 0, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, 2, 0, NULL, NULL, &error), POLY_END);
	assert_string_equal(poly_merge_note_at(merge, 0, NULL),
		"forced: thread 1, record 3 precedes signal 1 of 0x2000 in thread 2");
	poly_merge_free(merge);
	free_traces(traces, 2);
}

static void
invalid_counts_are_reported(void **state)
{
	struct trace traces[] = {
		MAKE(0x1000, SIGNAL, 0x2000, 1, SIGNAL, 0x2000, 4, SIGNAL, 0x2000, 3, NOP),
		MAKE(0x1000, SIGNAL, 0x2000, 4, WAIT, 0x2000, 9, NOP)};
	static const char *const expected[] = {
		"missing signal: 2 of 0x2000 is not in any trace",
		"duplicate signal: 4 of 0x2000 is in thread 1, record 3 and in thread 2, "
		"record "
		"2",
		"missing signal: thread 2, record 3 waits for 9 of 0x2000; the last in any "
		"trace is 4",
		"signals out of order: thread 1, record 4 is 3 of 0x2000 and follows "
		"4"};
	struct poly_error error;
	uint64_t count;
	(void)state;
	struct poly_merge *merge = new_merge(NULL);
	assert_int_equal(learn(merge, traces, 2, 0, &error), POLY_OK);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(poly_merge_note_at(merge, i, &count), expected[i]);
	assert_null(poly_merge_note_at(merge, 4, NULL));
	assert_int_equal(count, 4);
	poly_merge_free(merge);
	free_traces(traces, 2);
}

static void
add_text(void *user, const struct poly_batch *batch, size_t row)
{
	char value[40], *text = user;
	size_t used = strlen(text);
	snprintf(value, sizeof value, "%llu:%llx ", (unsigned long long)batch->thread[row],
		(unsigned long long)batch->pc[row]);
	snprintf(text + used, 2000 - used, "%s", value);
}

static void
a_signal_comes_after_the_waits_that_do_not_count_it(void **state)
{
	/* Round robin alone would let thread 1 signal twice before thread 2 comes to wait. */
	struct trace traces[] = {MAKE(0x1000, SIGNAL, 0x2000, 1, NOP, SIGNAL, 0x2000, 2, NOP),
		MAKE(0x8000, WAIT, 0x2000, 1, NOP)};
	char text[2000] = "";
	struct poly_error error;
	(void)state;
	struct poly_merge *merge = new_merge(NULL);
	assert_int_equal(learn(merge, traces, 2, 0, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, 2, 0, add_text, text, &error), POLY_END);
	/* Initial PCs and instructions have a pc; the other rows are whatever stood there. */
	assert_non_null(strstr(text, "1:1000 "));
	const char *last = strstr(text, "1:1004 "), *other = strstr(text, "2:8000 ");
	assert_true(last && other && other < last);
	poly_merge_free(merge);
	free_traces(traces, 2);
}

static void
a_wait_may_carry_a_lower_bound(void **state)
{
	/* Thread 2 reaches its second wait only after signal 2, and counts 1. */
	struct trace traces[] = {
		MAKE(0x1000, SIGNAL, 0x2000, 1, SIGNAL, 0x2000, 2, SIGNAL, 0x3000, 1),
		MAKE(0x1000, WAIT, 0x3000, 1, WAIT, 0x2000, 1, NOP)};
	(void)state;
	for (int bound = 0; bound < 2; bound++) {
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		options.wait = bound ? POLY_MERGE_WAIT_LOWER_BOUND : POLY_MERGE_WAIT_COMPLETION;
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, 2, 0, &error), POLY_OK);
		assert_int_equal(
			read_merged(merge, traces, 2, 0, NULL, NULL, &error), POLY_END);
		if (bound)
			assert_null(poly_merge_note_at(merge, 0, NULL));
		else
			assert_string_equal(poly_merge_note_at(merge, 0, NULL),
				"wait counts too few signals: thread 1, record 3 precedes "
				"wait 1 of 0x2000 in thread 2");
		poly_merge_free(merge);
	}
	free_traces(traces, 2);
}

/* A trace of events by chance: few addresses, small counts. */
static struct trace
make_nonsense(uint64_t *chance)
{
	static const uint32_t codes[] = {0x20, 0x21, 0x30, 0x31};
	uint32_t words[400];
	size_t count = 0;
	words[count++] = 0x1000;
	for (size_t n = next_chance(chance) % 90; n > 0; n--) {
		words[count++] = codes[next_chance(chance) % 4] << 16 | 2;
		words[count++] = 0x2000 + 16 * (uint32_t)(next_chance(chance) % 3);
		words[count++] = (uint32_t)(next_chance(chance) % 12);
		if (next_chance(chance) % 2)
			words[count++] = NOP;
	}
	return make_trace(words, count);
}

static void
count_row(void *user, const struct poly_batch *batch, size_t row)
{
	(void)batch;
	(void)row;
	++*(uint64_t *)user;
}

static void
reading_any_records_ends(void **state)
{
	uint64_t chance = 7;
	(void)state;
	for (unsigned n = 0; n < 500; n++) {
		struct trace traces[5];
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		uint64_t seen = 0, rows = 0;
		options.quantum = n % 3;
		options.force = n % 2;
		options.analyse = true;
		for (size_t i = 0; i < 5; i++) {
			const struct poly_batch *batch;
			traces[i] = make_nonsense(&chance);
			struct poly_reader *reader = open_trace(&traces[i], 0);
			while (poly_reader_next(reader, &batch, &error) == POLY_OK)
				rows += batch->rows;
			poly_reader_close(reader);
		}
		struct poly_merge *merge = new_merge(&options);
		assert_int_equal(learn(merge, traces, 5, 0, &error), POLY_OK);
		const enum poly_status status =
			read_merged(merge, traces, 5, 0, count_row, &seen, &error);
		/* Forced, every record is given. */
		assert_true(
			status == POLY_END || (!options.force && status == POLY_ERR_FORMAT));
		assert_true(status == POLY_END ? seen == rows : seen < rows);
		poly_merge_free(merge);
		free_traces(traces, 5);
	}
}

/* ---- By time ---- */

#define TIMED_TRACES 5
#define TIMED_ROWS 3000

/* A row as it should come. */
struct timed {
	uint64_t time, key;
	size_t trace, row;
	bool has_time;
};

static int
compare_timed(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

struct sorted {
	struct timed rows[TIMED_TRACES * TIMED_ROWS];
	size_t count, seen;
};

static void
compare_sorted(void *user, const struct poly_batch *batch, size_t row)
{
	struct sorted *sorted = user;
	assert_true(sorted->seen < sorted->count);
	const struct timed *expected = &sorted->rows[sorted->seen++];
	char name[20];
	snprintf(name, sizeof name, "op%zu", (expected->row * 7 + expected->trace) % 50);
	assert_int_equal(batch->pc[row], expected->key);
	assert_int_equal(batch->thread[row], expected->trace + 1);
	assert_int_equal(poly_present(batch, POLY_COLUMN_time, row), expected->has_time);
	if (expected->has_time)
		assert_int_equal(batch->time[row], expected->time);
	/* Each trace numbers names by itself. */
	assert_string_equal(poly_trace_name(batch->info, batch->mnemonic[row]), name);
}

/* Lines "time pc mnemonic", with equal times, gaps and lines without a time. */
static struct trace
make_timed(struct sorted *sorted, size_t trace, uint64_t *chance)
{
	char *text = malloc((size_t)TIMED_ROWS * 60);
	const size_t rows = trace == 3 ? 0 : 1 + next_chance(chance) % TIMED_ROWS;
	size_t size = 0;
	uint64_t time = 0;
	assert_non_null(text);
	for (size_t row = 0; row < rows; row++) {
		const bool has_time = next_chance(chance) % 5 != 0;
		if (has_time && next_chance(chance) % 3 == 0)
			time += next_chance(chance) % (row % 500 == 0 ? 2000 : 4);
		const uint64_t key = trace << 32 | row;
		char at[24] = "-";
		if (has_time)
			snprintf(at, sizeof at, "%llu", (unsigned long long)time);
		size += (size_t)sprintf(text + size, "%s %llx op%zu\n", at,
			(unsigned long long)key, (row * 7 + trace) % 50);
		sorted->rows[sorted->count++] = (struct timed){time, key, trace, row, has_time};
	}
	return (struct trace){(uint8_t *)text, size, "text:time:dec|-,pc:hex,mnemonic"};
}

static void
merging_by_time_is_a_stable_sort(void **state)
{
	static struct sorted sorted;
	static const size_t sizes[] = {0, 1000, 64, 1};
	uint64_t chance = 1;
	(void)state;
	for (size_t n = 0; n < 12; n++) {
		struct trace traces[TIMED_TRACES];
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		const size_t count = 1 + n % TIMED_TRACES;
		options.by = POLY_MERGE_BY_TIME;
		struct poly_merge *merge = new_merge(&options);
		sorted.count = sorted.seen = 0;
		for (size_t i = 0; i < count; i++) {
			traces[i] = make_timed(&sorted, i, &chance);
			assert_int_equal(poly_merge_add(merge, i + 1, "t", &error), POLY_OK);
		}
		qsort(sorted.rows, sorted.count, sizeof *sorted.rows, compare_timed);
		if (read_merged(merge, traces, count, sizes[n % 4], compare_sorted, &sorted,
			    &error) != POLY_END)
			fail_msg("%s", error.message);
		assert_int_equal(sorted.seen, sorted.count);
		assert_null(poly_merge_note_at(merge, 0, NULL));
		poly_merge_free(merge);
		free_traces(traces, count);
	}
}

static void
times_that_go_back_are_noted(void **state)
{
	char first[] = "1 10\n5 20\n3 30\n", second[] = "4 40\n";
	struct trace traces[] = {{(uint8_t *)first, strlen(first), "text:time:dec,pc:hex"},
		{(uint8_t *)second, strlen(second), "text:time:dec,pc:hex"}};
	char text[2000] = "";
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	(void)state;
	options.by = POLY_MERGE_BY_TIME;
	struct poly_merge *merge = new_merge(&options);
	assert_int_equal(poly_merge_add(merge, 1, "a", &error), POLY_OK);
	assert_int_equal(poly_merge_add(merge, 1, "b", &error), POLY_ERR_USAGE);
	assert_int_equal(poly_merge_add(merge, 2, "b", &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, 2, 0, add_text, text, &error), POLY_END);
	assert_string_equal(text, "1:10 2:40 1:20 1:30 ");
	assert_string_equal(poly_merge_note_at(merge, 0, NULL),
		"times decrease: thread 1, record 3 has time 3 after 5");
	poly_merge_free(merge);
}

/* ---- The reports ---- */

static int
append(void *user, const void *data, size_t size)
{
	char *text = user;
	const size_t used = strlen(text);
	assert_true(used + size < 60000);
	memcpy(text + used, data, size);
	text[used + size] = 0;
	return 0;
}

/* The report of traces merged with analysis, as JSON on one line. */
static void
report_on(const struct trace *traces, size_t count, char *text)
{
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	struct poly_report *report = poly_report_new();
	const struct poly_sink sink = {append, text};
	options.analyse = true;
	struct poly_merge *merge = new_merge(&options);
	*text = 0;
	assert_int_equal(learn(merge, traces, count, 0, &error), POLY_OK);
	assert_int_equal(read_merged(merge, traces, count, 0, NULL, NULL, &error), POLY_END);
	poly_merge_report(merge, report);
	assert_int_equal(
		poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, &error), POLY_OK);
	poly_report_free(report);
	poly_merge_free(merge);
}

static void
unordered_accesses_are_possible_races(void **state)
{
	static char text[60000];
	/* Under the mutex 0x2000 both use 0x5000; 0x6000 only one of them protects. 0x7000 is
	 * only read, and of 0x7100 each writes its own half. */
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 0, STORE, 0x5000, SIGNAL, 0x2000, 1,
					 STORE, 0x6000, LOAD, 0x7000, 0xb0000000, 0x7100),
		MAKE(0x8000, WAIT, 0x2000, 1, LOAD, 0x5000, LOAD, 0x6000, SIGNAL, 0x2000, 2,
			LOAD, 0x7000, 0xb0000000, 0x7102)};
	(void)state;
	report_on(traces, 2, text);
	assert_non_null(strstr(text, "\"access_pairs\": 1,"));
	assert_non_null(strstr(text,
		"\"address\": \"0x00006000\", \"thread\": 1, \"access\": \"write\", \"pc\": "
		"\"0x00001004\", \"record\": 5, \"other_thread\": 2, \"other_access\": "
		"\"read\", \"other_pc\": \"0x00008004\", \"other_record\": 4, \"count\": 1}"));
	/* The sections: one instruction of thread 1, two of thread 2. */
	assert_non_null(
		strstr(text, "\"address\": \"0x00002000\", \"locks\": 2, \"trylocks\": 0, "
			     "\"blocked_acquisitions\": 0, "
			     "\"wait_length\": 0, \"critical_sections\": 2, \"hold_time_mean\": "
			     "1.5, \"hold_time_max\": 2, "
			     "\"longest_hold_thread\": 2, \"longest_hold_record\": 2}"));
	free_traces(traces, 2);
}

/* True where a lock counts an unlock of a thread, from its event first on, as the last. */
static bool
follows(const struct sim_event *lock, const struct sim_thread *thread, size_t first)
{
	for (size_t i = first; i < thread->event_count; i++) {
		const struct sim_event *event = &thread->events[i];
		if (event->what == SIM_UNLOCK && event->pair == lock->pair &&
			event->ordinal == lock->ordinal &&
			(lock->what == SIM_LOCK || lock->what == SIM_TRY))
			return true;
	}
	return false;
}

/*
 * True where an event comes before another one: following each thread's own order, and from
 * every unlock to the locks that count it as the last.
 */
static bool
reaches(const struct sim *sim, const size_t from[2], const size_t to[2])
{
	/* The first event of each thread that must come later, as all after it. */
	size_t first[2] = {sim->threads[0].event_count, sim->threads[1].event_count};
	first[from[0]] = from[1];
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t t = 0; t < 2; t++) {
			const struct sim_thread *thread = &sim->threads[t];
			const struct sim_thread *other = &sim->threads[1 - t];
			for (size_t j = 0; j < first[1 - t]; j++) {
				if (!follows(&other->events[j], thread, first[t]))
					continue;
				first[1 - t] = j;
				changed = true;
			}
		}
	}
	return to[1] > first[to[0]];
}

/* True where two accesses to an address, one of them a write, are not ordered. */
static bool
has_race(const struct sim *sim, uint32_t address)
{
	for (size_t i = 0; i < sim->threads[0].access_count; i++) {
		const struct sim_access *a = &sim->threads[0].accesses[i];
		const size_t x[2] = {0, a->event};
		for (size_t j = 0; j < sim->threads[1].access_count; j++) {
			const struct sim_access *b = &sim->threads[1].accesses[j];
			const size_t y[2] = {1, b->event};
			if (a->address == address && b->address == address &&
				(a->writes || b->writes) && !reaches(sim, x, y) &&
				!reaches(sim, y, x))
				return true;
		}
	}
	return false;
}

static void
races_are_found(void **state)
{
	static struct sim sim;
	static char text[60000];
	unsigned with = 0, without = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct trace traces[SIM_THREADS];
		simulate(&sim, seed, true);
		write_traces(&sim, traces);
		report_on(traces, SIM_THREADS, text);
		for (unsigned i = 0; i < SIM_ADDRESSES; i++) {
			char found[60];
			const uint32_t address = 0x5000 + 8 * i;
			snprintf(found, sizeof found, "{\"address\": \"0x%08x\", \"thread\"",
				address);
			const bool truth = has_race(&sim, address);
			if (truth != (strstr(text, found) != NULL))
				fail_msg("seed %u: 0x%x %s a race", (unsigned)seed, address,
					truth ? "has" : "has not");
			with += truth;
			without += !truth;
		}
		free_traces(traces, SIM_THREADS);
	}
	assert_true(with > 20 && without > 20);
}

static void
a_mutex_given_up_in_a_wait_orders_accesses(void **state)
{
	static char text[60000];
	/* Thread 2 locks while thread 1 waits for the condition variable 0x3000. */
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 0, STORE, 0x5000, WAIT, 0x3000, 1,
					 STORE, 0x5000, SIGNAL, 0x2000, 2),
		MAKE(0x8000, WAIT, 0x2000, 0, STORE, 0x5000, SIGNAL, 0x3000, 1, SIGNAL, 0x2000,
			1, NOP)};
	(void)state;
	report_on(traces, 2, text);
	assert_non_null(strstr(text, "\"access_pairs\": 0,"));
	assert_non_null(strstr(text, "\"note_count\": 0,"));
	free_traces(traces, 2);
}

static void
locks_taken_in_both_orders_may_deadlock(void **state)
{
	static char text[60000];
	struct trace traces[] = {MAKE(0x1000, WAIT, 0x2000, 0, WAIT, 0x3000, 0, SIGNAL, 0x3000,
					 1, SIGNAL, 0x2000, 1, NOP),
		MAKE(0x1000, WAIT, 0x3000, 1, WAIT, 0x2000, 1, SIGNAL, 0x2000, 2, SIGNAL,
			0x3000, 2, NOP)};
	(void)state;
	report_on(traces, 2, text);
	assert_non_null(strstr(text,
		"\"potential_deadlocks\": [{\"locks\": 2, \"cycle\": \"0x2000 under "
		"0x3000 (thread 2, record "
		"3), 0x3000 under 0x2000 (thread 1, record 3)\"}]"));
	/* One thread alone cannot wait for itself so. */
	report_on(traces, 1, text);
	assert_non_null(strstr(text, "\"potential_deadlocks\": []"));
	free_traces(traces, 2);
}

static void
traces_without_synchronisation_follow_each_other(void **state)
{
	/* Apple amber traces 7.2: 90 and 30,233 records, each after its initial PC. */
	struct trace traces[] = {load("amber/thread_001.tt6", "tt6"),
		load("amber/memset_thread_001.tt6", "tt6"), load("amber/sync.tt6", "tt6")};
	struct poly_error error;
	struct poly_merge_run run;
	static const uint64_t records[] = {91, 30234, 0};
	(void)state;
	struct poly_merge *merge = new_merge(NULL);
	assert_int_equal(learn(merge, traces, 2, 0, &error), POLY_OK);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_OK);
		assert_int_equal(run.trace, i);
		assert_int_equal(run.records, records[i]);
	}
	assert_int_equal(poly_merge_next_run(merge, &run, &error), POLY_END);
	poly_merge_free(merge);
	/* The four records of the seed: nothing contradicts itself. */
	merge = new_merge(NULL);
	assert_int_equal(learn(merge, &traces[2], 1, 0, &error), POLY_OK);
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
		merging->readers[i] = open_trace(&merging->traces[i % 4], 0);
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
	load_sample(merging.traces);
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
		cmocka_unit_test(executions_merge_without_a_violation),
		cmocka_unit_test(a_corrupted_count_is_detected_and_named),
		cmocka_unit_test(a_cycle_is_reported_with_its_positions),
		cmocka_unit_test(invalid_counts_are_reported),
		cmocka_unit_test(a_signal_comes_after_the_waits_that_do_not_count_it),
		cmocka_unit_test(a_wait_may_carry_a_lower_bound),
		cmocka_unit_test(reading_any_records_ends),
		cmocka_unit_test(merging_by_time_is_a_stable_sort),
		cmocka_unit_test(times_that_go_back_are_noted),
		cmocka_unit_test(unordered_accesses_are_possible_races),
		cmocka_unit_test(races_are_found),
		cmocka_unit_test(a_mutex_given_up_in_a_wait_orders_accesses),
		cmocka_unit_test(locks_taken_in_both_orders_may_deadlock),
		cmocka_unit_test(traces_without_synchronisation_follow_each_other),
		cmocka_unit_test(lack_of_memory_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
