/* SPDX-License-Identifier: MIT */
/*
 * Levels of caches, coherent caches and next uses by hand, and their limits. Models:
 * tests/models/.
 */
#include "test_help.h"

#include "sim/cache/miss_classes.h"
#include "sim/cache/coherence.h"
#include "sim/cache/hierarchy.h"
#include "sim/cache/next_use.h"
#include "sim/cache/belady.h"
#include "sim/memory/paging.h"
#include "sim/memory/tlb.h"

#include <errno.h>

static const struct hierarchy_level small = {
	.cache = {.sets = 1, .ways = 2, .line_size = 64}, .latency = 2};
static const struct hierarchy_level large = {
	.cache = {.sets = 1, .ways = 4, .line_size = 64}, .latency = 10};

static void
an_access_costs_what_its_levels_cost(void **state)
{
	/* Lines 0 1 2 0: the last one is in the second level still. Then 2: in the first. */
	static const uint64_t addresses[] = {0, 64, 128, 0, 128};
	static const uint8_t kinds[] = {0, 1, 0, 0, 0};
	static const uint32_t expected[] = {112, 112, 112, 12, 2};
	const struct hierarchy_config config = {
		.levels = {small, large}, .count = 2, .memory_latency = 100};
	struct hierarchy *hierarchy;
	uint32_t cycles[5];
	(void)state;
	assert_int_equal(hierarchy_new(&config, &hierarchy, NULL), POLY_OK);
	hierarchy_run(hierarchy,
		&(struct hierarchy_batch){.addresses = addresses, .kinds = kinds, .count = 5},
		cycles);
	assert_memory_equal(cycles, expected, sizeof cycles);
	const struct hierarchy_totals *totals = hierarchy_totals(hierarchy);
	assert_int_equal(totals->cycles, 350);
	assert_int_equal(totals->memory_reads, 3);
	/* Line 1 was stored to, and made room for line 0. */
	assert_int_equal(hierarchy_counts(hierarchy, 1)->lines_put, 1);
	assert_int_equal(totals->memory_writes, 0);
	hierarchy_count_anew(hierarchy);
	assert_int_equal(totals->accesses, 0);
	hierarchy_free(hierarchy);
}

static void
a_next_line_prefetcher_is_right_every_other_time(void **state)
{
	struct hierarchy_config config = {.levels = {large}, .count = 1, .memory_latency = 100};
	struct hierarchy *hierarchy;
	uint64_t addresses[100];
	static const uint8_t kinds[100];
	(void)state;
	config.levels[0].prefetch = PREFETCH_NEXT;
	config.levels[0].prefetch_degree = 1;
	for (size_t i = 0; i < 100; i++)
		addresses[i] = 64 * i;
	assert_int_equal(hierarchy_new(&config, &hierarchy, NULL), POLY_OK);
	hierarchy_run(hierarchy,
		&(struct hierarchy_batch){.addresses = addresses, .kinds = kinds, .count = 100},
		NULL);
	const struct hierarchy_counts *counts = hierarchy_counts(hierarchy, 0);
	assert_int_equal(counts->misses[CACHE_READ], 50);
	assert_int_equal(counts->prefetches, 50);
	assert_int_equal(counts->prefetch_hits, 50);
	hierarchy_free(hierarchy);
}

static void
invalid_levels_are_rejected(void **state)
{
	struct hierarchy_config configs[7];
	static const char *const messages[] = {
		"0 levels, expected 1 to 4",
		"lines of 64 bytes above lines of 32 bytes: lines of a lower level cannot be "
		"shorter",
		("lines of 64 bytes above lines of 128 bytes: inclusive and exclusive levels "
		 "need equal lines"),
		"exclusive levels must be write-back and write-allocate",
		"17 lines per prefetch, expected 1 to 16",
		"a cache without valid bits cannot be a level of a hierarchy",
		"an exclusive level holds victims itself and cannot have a victim cache",
	};
	(void)state;
	for (size_t i = 0; i < 7; i++)
		configs[i] = (struct hierarchy_config){.levels = {small, large}, .count = 2};
	configs[0].count = 0;
	configs[1].levels[1].cache.line_size = 32;
	configs[2].levels[1].cache.line_size = 128;
	configs[2].inclusion = HIERARCHY_INCLUSIVE;
	configs[3].levels[0].cache.no_allocate = true;
	configs[3].inclusion = HIERARCHY_EXCLUSIVE;
	configs[4].levels[1].prefetch = PREFETCH_STREAM;
	configs[4].levels[1].prefetch_degree = 17;
	configs[5].levels[0].cache.always_valid = true;
	configs[6].levels[1].victims = 4;
	configs[6].inclusion = HIERARCHY_EXCLUSIVE;
	for (size_t i = 0; i < 7; i++) {
		struct hierarchy *hierarchy;
		struct poly_error error;
		assert_int_equal(
			hierarchy_new(&configs[i], &hierarchy, &error), POLY_ERR_USAGE);
		assert_string_equal(error.message, messages[i]);
	}
}

static const struct coherence_config two_threads = {.threads = 2,
	.cache = {.sets = 1, .ways = 2, .line_size = 64},
	.word_size = 4,
	.lines = 100};

static void
neighbours_in_a_line_share_it_falsely(void **state)
{
	/* Thread 0 stores to the first word, thread 1 to the second, in turn; at last thread 1
	 * reads what thread 0 stored. */
	static const uint64_t addresses[] = {0, 4, 0, 4, 0, 0};
	static const uint8_t kinds[] = {1, 1, 1, 1, 1, 0};
	static const uint32_t sizes[] = {4, 4, 4, 4, 4, 4}, threads[] = {0, 1, 0, 1, 0, 1};
	static const uint8_t expected[] = {COHERENCE_COLD, COHERENCE_COLD, COHERENCE_FALSE,
		COHERENCE_FALSE, COHERENCE_FALSE, COHERENCE_TRUE};
	struct coherence *coherence;
	uint8_t outcomes[6];
	size_t count;
	(void)state;
	assert_int_equal(coherence_new(&two_threads, &coherence, NULL), POLY_OK);
	assert_int_equal(
		coherence_run(coherence,
			&(struct coherence_batch){addresses, kinds, sizes, threads, 6, NULL},
			outcomes, NULL),
		POLY_OK);
	assert_memory_equal(outcomes, expected, sizeof outcomes);
	const struct coherence_line *lines = coherence_lines(coherence, &count);
	assert_int_equal(count, 1);
	assert_int_equal(lines[0].false_misses, 3);
	assert_int_equal(lines[0].true_misses, 1);
	assert_int_equal(lines[0].invalidations, 4);
	assert_int_equal(lines[0].threads, 3);
	assert_int_equal(coherence_counts(coherence, 0)->supplied, 3);
	coherence_free(coherence);
}

static void
invalid_coherent_caches_are_rejected(void **state)
{
	struct coherence_config configs[] = {two_threads, two_threads, two_threads};
	static const char *const messages[] = {"65 threads, expected 1 to 64",
		"words of 3 bytes, a line of 64 bytes has to have 1 to 64",
		"coherent caches must be write-back and write-allocate, with valid bits"};
	(void)state;
	configs[0].threads = 65;
	configs[1].word_size = 3;
	configs[2].cache.write_through = true;
	for (size_t i = 0; i < 3; i++) {
		struct coherence *coherence;
		struct poly_error error;
		assert_int_equal(
			coherence_new(&configs[i], &coherence, &error), POLY_ERR_USAGE);
		assert_string_equal(error.message, messages[i]);
	}
}

/* Memory that fails from some place on. */
struct store {
	char bytes[400000];
	uint64_t good;
};

static bool
put(void *user, uint64_t at, const void *data, size_t size)
{
	struct store *store = user;
	errno = ENOSPC;
	if (at + size > store->good)
		return false;
	memcpy(store->bytes + at, data, size);
	return true;
}

static bool
get(void *user, uint64_t at, void *data, size_t size)
{
	struct store *store = user;
	memcpy(data, store->bytes + at, size);
	return true;
}

static void
next_uses_are_found_over_blocks(void **state)
{
	/* Lines 0 to 2999 round and round: each is used again 3000 uses later, to the end. */
	enum { USES = 40000, LINES = 3000 };
	static struct store memory[2];
	const struct sim_store stores[] = {{put, get, memory}, {put, get, memory + 1}};
	struct next_use *next;
	struct poly_error error;
	static uint64_t lines[USES], read[USES], uses[USES];
	(void)state;
	memory[0].good = memory[1].good = sizeof memory->bytes;
	for (uint64_t i = 0; i < USES; i++)
		lines[i] = i % LINES << 20;
	assert_int_equal(next_use_new(stores, &next, &error), POLY_OK);
	assert_int_equal(next_use_add(next, lines, 777, &error), POLY_OK);
	assert_int_equal(next_use_add(next, lines + 777, USES - 777, &error), POLY_OK);
	assert_int_equal(next_use_resolve(next, 1 << 20, NULL, &error), POLY_OK);
	assert_int_equal(next_use_read(next, read, uses, 1000, &error), POLY_OK);
	assert_int_equal(next_use_read(next, read, uses + 1000, USES - 1000, &error), POLY_OK);
	for (uint64_t i = 0; i < USES; i++)
		assert_int_equal(uses[i], i + LINES < USES ? i + LINES : NEXT_USE_NONE);
	assert_int_equal(next_use_read(next, read, uses, 1, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "more uses than in the first pass");
	next_use_free(next);
}

static void
next_uses_of_samples_are_those_of_all_lines(void **state)
{
	/* 20,000 lines, of which a table of 3072 can only have a sample. */
	enum { USES = 45000, LINES = 20000 };
	static struct store memory[2];
	const struct sim_store stores[] = {{put, get, memory}, {put, get, memory + 1}};
	struct line_sample sample = {.set_bits = 0};
	struct next_use *next;
	static uint64_t lines[USES], read[USES], uses[USES], later[LINES];
	size_t sampled = 0;
	(void)state;
	memory[0].good = memory[1].good = sizeof memory->bytes;
	for (uint64_t i = 0; i < USES; i++)
		lines[i] = i * i % 20011 % LINES;
	memset(later, 0xff, sizeof later);
	assert_int_equal(next_use_new(stores, &next, NULL), POLY_OK);
	assert_int_equal(next_use_add(next, lines, USES, NULL), POLY_OK);
	assert_int_equal(next_use_resolve(next, 98304, NULL, NULL), POLY_ERR_LIMIT);
	assert_int_equal(next_use_resolve(next, 98304, &sample, NULL), POLY_OK);
	assert_int_equal(next_use_read(next, read, uses, USES, NULL), POLY_OK);
	for (size_t i = USES; i-- > 0; later[lines[i]] = i) {
		assert_int_equal(read[i], lines[i]);
		if (!line_sample_has(&sample, line_sample_hash(&sample, lines[i])))
			continue;
		sampled++;
		assert_int_equal(uses[i], later[lines[i]]);
	}
	assert_in_range(sample.rate, 2, 4);
	assert_in_range(sampled, USES >> (sample.rate + 1), USES >> (sample.rate - 1));
	next_use_free(next);
}

static void
a_full_store_is_reported(void **state)
{
	static struct store memory[2];
	const struct sim_store stores[] = {{put, get, memory}, {put, get, memory + 1}};
	struct next_use *next;
	struct poly_error error;
	static uint64_t lines[100];
	(void)state;
	memory->good = 799;
	assert_int_equal(next_use_new(stores, &next, &error), POLY_OK);
	assert_int_equal(next_use_add(next, lines, 100, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	next_use_free(next);
}

static enum poly_status
use_levels(void *error)
{
	struct hierarchy_config config = {.levels = {small, large}, .count = 2};
	struct hierarchy *hierarchy;
	struct miss_classes *classify;
	struct tlb *tlb;
	const struct tlb_config translations = {
		.page_size = 4096, .levels = {{8, 2, CACHE_LRU, 1}}, .count = 1};
	config.levels[1].victims = 2;
	config.levels[0].prefetch = PREFETCH_STRIDE;
	config.levels[0].prefetch_degree = 1;
	enum poly_status status = hierarchy_new(&config, &hierarchy, error);
	hierarchy_free(hierarchy);
	if (status != POLY_OK)
		return status;
	status = tlb_new(&translations, &tlb, error);
	tlb_free(tlb);
	if (status != POLY_OK)
		return status;
	status = miss_classes_new(&small.cache, &classify, error);
	miss_classes_free(classify);
	return status;
}

static enum poly_status
use_pages(void *error)
{
	for (int policy = 0; policy < PAGING_POLICIES; policy++) {
		const struct paging_config config = {100, 4096, (enum paging_policy)policy};
		struct paging *paging;
		const enum poly_status status = paging_new(&config, &paging, error);
		paging_free(paging);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}

static enum poly_status
use_next(void *error)
{
	static struct store memory[2];
	const struct sim_store stores[] = {{put, get, memory}, {put, get, memory + 1}};
	static uint64_t lines[3000];
	struct next_use *next;
	memory[0].good = memory[1].good = sizeof memory->bytes;
	for (uint64_t i = 0; i < 3000; i++)
		lines[i] = i;
	enum poly_status status = next_use_new(stores, &next, error);
	if (status == POLY_OK)
		status = next_use_add(next, lines, 3000, error);
	if (status == POLY_OK)
		status = next_use_resolve(next, 1 << 20, NULL, error);
	next_use_free(next);
	return status;
}

static enum poly_status
use_coherence(void *error)
{
	struct coherence *coherence;
	static const uint64_t address = 64;
	static const uint8_t kind = CACHE_WRITE;
	static const uint32_t size = 4, thread = 1;
	enum poly_status status = coherence_new(&two_threads, &coherence, error);
	if (status == POLY_OK)
		status = coherence_run(coherence,
			&(struct coherence_batch){.addresses = &address,
				.kinds = &kind,
				.sizes = &size,
				.threads = &thread,
				.count = 1},
			NULL, error);
	coherence_free(coherence);
	return status;
}

static void
lack_of_memory_is_survived(void **state)
{
	struct poly_error error;
	(void)state;
	law_memory(use_levels, &error);
	law_memory(use_pages, &error);
	law_memory(use_next, &error);
	law_memory(use_coherence, &error);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_access_costs_what_its_levels_cost),
		cmocka_unit_test(a_next_line_prefetcher_is_right_every_other_time),
		cmocka_unit_test(invalid_levels_are_rejected),
		cmocka_unit_test(neighbours_in_a_line_share_it_falsely),
		cmocka_unit_test(invalid_coherent_caches_are_rejected),
		cmocka_unit_test(next_uses_are_found_over_blocks),
		cmocka_unit_test(next_uses_of_samples_are_those_of_all_lines),
		cmocka_unit_test(a_full_store_is_reported),
		cmocka_unit_test(lack_of_memory_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
