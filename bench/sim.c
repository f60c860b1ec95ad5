/* SPDX-License-Identifier: MIT */
/*
 * Simulators compared with textbook versions on the same arrays. Interleaved runs, medians of
 * process CPU time. Both must return the same number.
 *
 * usage: sim ROUNDS TRACE [MAX] the loads and stores of a trace, at most MAX
 *        sim ROUNDS random LINES    3 million uses of random lines
 */
#include "baseline/caches.h"
#include "measure.h"
#include "polytrace/polytrace.h"
#include "sim/cache/all_associativity.h"
#include "sim/cache/all_associativity_state.h"
#include "sim/cache/cache.h"
#include "sim/cache/cache_state.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/stack_distance.h"
#include "sim/memory/time_bitmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 4096	/* uses per call of a simulator */
#define DUEL_STEP 16384 /* uses whose bytes fit into the second-level cache */
#define RANDOM_USES 3000000

/* Uses of lines of 64 bytes, in the forms of the baselines and of the simulators. */
struct use_stream {
	uint64_t *addresses, *numbers;
	uint8_t *kinds, *stores;
	uint32_t *ids;
	size_t count, room;
	uint32_t lines;
};

static void
die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void
check(enum poly_status status, const struct poly_error *error)
{
	if (status != POLY_OK)
		die(error->message);
}

static void
make_stream(struct use_stream *s, size_t room)
{
	s->room = room;
	s->addresses = calloc(room, sizeof *s->addresses);
	s->numbers = calloc(room, sizeof *s->numbers);
	s->kinds = calloc(room, 1);
	s->stores = calloc(room, 1);
	s->ids = calloc(room, sizeof *s->ids);
	if (!s->addresses || !s->numbers || !s->kinds || !s->stores || !s->ids)
		die("out of memory");
}

static void
add_use(struct use_stream *s, uint64_t address, enum cache_kind kind)
{
	if (s->count == s->room)
		return;
	s->addresses[s->count] = address;
	s->numbers[s->count] = address / 64;
	s->kinds[s->count] = (uint8_t)kind;
	s->stores[s->count++] = kind == CACHE_WRITE;
}

static void
number_lines(struct use_stream *s)
{
	struct dense_index dense;
	struct poly_error error;
	check(dense_index_init(&dense, DENSE_INDEX_MAX, &error), &error);
	check(dense_index_find(&dense, s->numbers, s->count, s->ids, &error), &error);
	s->lines = dense.count;
	dense_index_fini(&dense);
}

static void
load(struct use_stream *s, const char *path)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *b;
	struct poly_error error;
	reading.columns = POLY_COLUMNS(address, access);
	check(poly_reader_open(path, &reading, &reader, &error), &error);
	while (s->count < s->room && poly_reader_next(reader, &b, &error) == POLY_OK)
		for (size_t i = 0; i < b->rows; i++) {
			if (poly_present(b, POLY_COLUMN_access, i))
				add_use(s, b->address[i],
					b->access[i] == POLY_ACCESS_WRITE ? CACHE_WRITE
									  : CACHE_READ);
		}
	poly_reader_close(reader);
}

static void
make_random(struct use_stream *s, uint32_t lines)
{
	uint64_t state = cache_random_state(1);
	for (size_t i = 0; i < RANDOM_USES; i++)
		add_use(s, (uint64_t)(cache_random(&state) % lines) * 64,
			i % 4 ? 0 : CACHE_WRITE);
}

static size_t
step_at(const struct use_stream *s, size_t from)
{
	return s->count - from < STEP ? s->count - from : STEP;
}

static uint64_t
all_caches(const struct use_stream *s, int plain)
{
	struct all_associativity *all;
	struct poly_error error;
	uint64_t misses = 0;
	check(all_associativity_new(0, 13, &all, &error), &error);
	if (plain)
		all->run = all_associativity_plain;
	for (size_t i = 0; i < s->count; i += STEP)
		all_associativity_run(all, s->numbers + i, s->ids + i, step_at(s, i));
	for (unsigned bits = 0; bits <= 13; bits++)
		for (unsigned ways = 1; ways <= 16; ways++)
			misses += all_associativity_misses(all, bits, ways);
	all_associativity_free(all);
	return misses;
}

static uint64_t
all_distances(const struct use_stream *s, int plain)
{
	struct stack_distance *distance;
	struct poly_error error;
	uint64_t all = 0;
	size_t count;
	check(stack_distance_new(&distance, &error), &error);
	if (plain)
		distance->run = time_bitmap_run;
	for (size_t i = 0; i < s->count; i += STEP)
		check(stack_distance_run(distance, s->ids + i, step_at(s, i), s->lines, &error),
			&error);
	const uint64_t *counts = stack_distance_counts(distance, &count);
	for (size_t i = 0; i < count; i++)
		all += i * counts[i];
	stack_distance_free(distance);
	return all;
}

static const struct {
	const char *name;
	uint64_t (*textbook)(const struct baseline_uses *);
	uint64_t (*ours)(const struct use_stream *, int plain);
	size_t max; /* uses that the slow version runs */
} pairs[] = {
	{"224 LRU caches, linked lists", baseline_lru_lists, all_caches, 500000},
	{"stack distances, Fenwick tree", baseline_distances_fenwick, all_distances, SIZE_MAX},
};

/*
 * Prints the seconds of the textbook version, of ours and of ours without vectors, for n uses.
 */
static void
print_pair(const char *name, double n, const double seconds[3])
{
	printf("%-45s %8.1f ns/use, ours %6.1f (speedup %.1f), plain C %6.1f (speedup %.1f)\n",
		name, seconds[0] / n * 1e9, seconds[1] / n * 1e9, seconds[0] / seconds[1],
		seconds[2] / n * 1e9, seconds[0] / seconds[2]);
}

static void
compare(const struct use_stream *s, size_t pair, int rounds)
{
	static double slow[ROUNDS_MAX], fast[ROUNDS_MAX], plain[ROUNDS_MAX];
	struct use_stream sample = *s;
	sample.count = sample.count < pairs[pair].max ? sample.count : pairs[pair].max;
	const struct baseline_uses uses = {
		sample.numbers, sample.stores, sample.ids, sample.count, sample.lines};
	for (int round = 0; round < rounds; round++) {
		double start = cpu_seconds();
		const uint64_t expected = pairs[pair].textbook(&uses);
		slow[round] = cpu_seconds() - start;
		start = cpu_seconds();
		const uint64_t ours = pairs[pair].ours(&sample, 0);
		fast[round] = cpu_seconds() - start;
		start = cpu_seconds();
		const uint64_t plain_result = pairs[pair].ours(&sample, 1);
		plain[round] = cpu_seconds() - start;
		if (ours != expected || plain_result != expected)
			die("the simulators disagree");
	}
	print_pair(pairs[pair].name, (double)sample.count,
		(double[]){median(slow, rounds), median(fast, rounds), median(plain, rounds)});
}

/*
 * An LRU cache and the textbook's, interleaved per batch, which is in the nearest caches like a
 * batch that was just decoded.
 */
struct duel {
	struct cache *caches[2]; /* default, and without vectors */
	uint64_t misses[3];
	double seconds[3]; /* the textbook's, ours, plain */
	uint64_t addresses[DUEL_STEP], numbers[DUEL_STEP];
	uint8_t kinds[DUEL_STEP], stores[DUEL_STEP];
};

static void
duel_step(struct duel *d, const struct use_stream *s, size_t from)
{
	const size_t rest = s->count - from, count = rest < DUEL_STEP ? rest : DUEL_STEP;
	const struct baseline_uses uses = {d->numbers, d->stores, NULL, count, 0};
	const struct cache_batch batch = {d->addresses, d->kinds, NULL, count};
	memcpy(d->addresses, s->addresses + from, count * sizeof *d->addresses);
	memcpy(d->numbers, s->numbers + from, count * sizeof *d->numbers);
	memcpy(d->kinds, s->kinds + from, count);
	memcpy(d->stores, s->stores + from, count);
	double start = cpu_seconds();
	d->misses[0] += baseline_lru_stamps(&uses);
	d->seconds[0] += cpu_seconds() - start;
	for (int plain = 0; plain < 2; plain++) {
		start = cpu_seconds();
		d->misses[plain + 1] += cache_run(d->caches[plain], &batch, NULL);
		d->seconds[plain + 1] += cpu_seconds() - start;
	}
}

static void
duel(const struct use_stream *s, int rounds)
{
	static struct duel d;
	static double seconds[3][ROUNDS_MAX];
	const struct cache_config config = {.sets = 64, .ways = 8, .line_size = 64};
	struct poly_error error;
	for (int round = 0; round < rounds; round++) {
		d = (struct duel){0};
		for (int plain = 0; plain < 2; plain++)
			check(cache_new_with(&config, plain ? NULL : cache_lru8_at(0),
				      &d.caches[plain], &error),
				&error);
		baseline_lru_stamps(NULL);
		for (size_t from = 0; from < s->count; from += DUEL_STEP)
			duel_step(&d, s, from);
		for (int i = 0; i < 3; i++)
			seconds[i][round] = d.seconds[i];
		for (int plain = 0; plain < 2; plain++) {
			struct cache_counts counts;
			cache_count(d.caches[plain], &counts);
			if (d.misses[plain + 1] + counts.dirty_evictions != d.misses[0])
				die("the simulators disagree");
			cache_free(d.caches[plain]);
		}
	}
	print_pair("LRU, 32 KiB, 8 ways, time stamps", (double)s->count,
		(double[]){median(seconds[0], rounds), median(seconds[1], rounds),
			median(seconds[2], rounds)});
}

int
main(int argc, char **argv)
{
	const int rounds = argc > 2 ? atoi(argv[1]) : 0;
	struct use_stream s = {0};
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	const size_t number = argc > 3 ? strtoul(argv[3], NULL, 10) : 8000000;
	if (strcmp(argv[2], "random") == 0) {
		make_stream(&s, RANDOM_USES);
		make_random(&s, (uint32_t)number);
	} else {
		make_stream(&s, number);
		load(&s, argv[2]);
	}
	number_lines(&s);
	printf("%zu uses of %" PRIu32 " lines\n", s.count, s.lines);
	duel(&s, rounds);
	for (size_t pair = 0; pair < sizeof pairs / sizeof *pairs; pair++)
		compare(&s, pair, rounds);
	return 0;
}
