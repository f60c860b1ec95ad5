/* SPDX-License-Identifier: MIT */
/* Eight samples of a cache with policy opt. */
#include "analysis/sim/opt_samples.h"

#include "analysis/sim/counts.h"
#include "base/err.h"
#include "base/mem.h"
#include "sim/cache/belady.h"

struct opt_samples {
	struct line_sample sample;
	struct cache_config config; /* of the estimated cache */
	unsigned line_shift, set_bits;
	bool is_open, is_valid;
	struct belady *caches[OPT_SAMPLES];
	uint64_t accesses[CACHE_KINDS];
	struct cache_counts counts[OPT_SAMPLES];
	/* References of the current step that are in samples, and those of one sample: */
	uint32_t sampled[ACCESS_LOG_STEP];
	uint64_t hashes[ACCESS_LOG_STEP];
	uint64_t addresses[ACCESS_LOG_STEP], next[ACCESS_LOG_STEP];
	uint8_t kinds[ACCESS_LOG_STEP];
};

/* Returns the configuration of a sample, with 0 sets or ways if it is too small. */
static struct cache_config
sample_config(const struct opt_samples *samples)
{
	const unsigned shift = samples->sample.rate + OPT_SAMPLES_LOG2;
	struct cache_config config = samples->config;
	if (samples->sample.set_bits) {
		config.sets = shift <= samples->set_bits ? config.sets >> shift : 0;
		return config;
	}
	const uint64_t half = shift < 32 ? (UINT64_C(1) << shift) / 2 : UINT32_MAX;
	config.ways = shift < 32 ? (uint32_t)((config.ways + half) >> shift) : 0;
	config.ways = config.ways < OPT_SAMPLES_WAYS ? 0 : config.ways;
	return config;
}

/* Creates the caches; false: out of memory. */
static bool
open_samples(struct opt_samples *samples)
{
	const struct cache_config config = sample_config(samples);
	bool ok = true;
	samples->is_open = true;
	samples->is_valid = config.sets && config.ways;
	for (int i = 0; i < OPT_SAMPLES && samples->is_valid && ok; i++)
		ok = belady_new(&config, &samples->caches[i], NULL) == POLY_OK;
	return ok;
}

/* Returns the address of a line in its sample: of sets, the sampled ones are adjacent. */
static uint64_t
sample_address(const struct opt_samples *samples, uint64_t line, uint64_t hash)
{
	const unsigned bits = samples->set_bits,
		       shift = samples->sample.rate + OPT_SAMPLES_LOG2;
	if (!samples->sample.set_bits)
		return line << samples->line_shift;
	const uint64_t set = (hash & ((UINT64_C(1) << bits) - 1)) >> shift;
	return (line >> bits << (bits - shift) | set) << samples->line_shift;
}

/* Simulates the references of a step in a sample. */
static void
run_sample(struct opt_samples *samples, unsigned number, const struct access_log_step *step,
	size_t sampled)
{
	struct cache_counts before, now;
	size_t count = 0;
	for (size_t i = 0; i < sampled; i++) {
		const uint32_t ref = samples->sampled[i];
		const uint64_t hash = samples->hashes[i];
		samples->addresses[count] = sample_address(
			samples, step->refs.addresses[ref] >> samples->line_shift, hash);
		samples->next[count] = step->next[ref];
		samples->kinds[count] = step->refs.kinds[ref];
		count += (hash >> samples->sample.rate) % OPT_SAMPLES == number;
	}
	const struct cache_batch batch = {samples->addresses, samples->kinds, NULL, count};
	belady_count(samples->caches[number], &before);
	belady_run(samples->caches[number], &batch, samples->next, NULL);
	belady_count(samples->caches[number], &now);
	if (step->counts)
		counts_add(&samples->counts[number], &now, &before, sizeof now);
}

static bool
run_step(void *user, const struct access_log_step *step)
{
	struct opt_samples *samples = user;
	size_t sampled = 0;
	if (!samples->is_open && !open_samples(samples))
		return false;
	for (size_t i = 0; i < step->refs.count; i++) {
		const uint64_t line = step->refs.addresses[i] >> samples->line_shift;
		const uint64_t hash = line_sample_hash(&samples->sample, line);
		samples->accesses[step->refs.kinds[i]] += step->counts;
		samples->sampled[sampled] = (uint32_t)i;
		samples->hashes[sampled] = hash;
		sampled += line_sample_has(&samples->sample, hash);
	}
	for (unsigned i = 0; i < OPT_SAMPLES && samples->is_valid; i++)
		run_sample(samples, i, step, sampled);
	return true;
}

/* Adds the counts of a sample to the estimate. */
static void
add_sample(const struct opt_samples *samples, const struct cache_counts *counts,
	struct opt_estimate *estimate)
{
	const unsigned rate = samples->sample.rate;
	struct cache_counts *sum = &estimate->counts;
	uint64_t misses = 0;
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		misses += counts->misses[kind];
		sum->misses[kind] += counts->misses[kind] << rate;
		sum->dirty_misses[kind] += counts->dirty_misses[kind] << rate;
	}
	sum->fills += counts->fills << rate;
	sum->evictions += counts->evictions << rate;
	sum->dirty_evictions += counts->dirty_evictions << rate;
	sum->bytes_from_below += counts->bytes_from_below << rate;
	sum->bytes_to_below += counts->bytes_to_below << rate;
	misses <<= rate + OPT_SAMPLES_LOG2;
	if (misses < estimate->misses_min)
		estimate->misses_min = misses;
	if (misses > estimate->misses_max)
		estimate->misses_max = misses;
}

/* Fills an estimate from the samples. */
static void
sum_samples(const struct opt_samples *samples, struct opt_estimate *estimate)
{
	uint64_t accesses = 0;
	*estimate = (struct opt_estimate){.is_valid = samples->is_valid};
	if (!samples->is_valid)
		return;
	estimate->misses_min = UINT64_MAX;
	for (int i = 0; i < OPT_SAMPLES; i++)
		add_sample(samples, &samples->counts[i], estimate);
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		const uint64_t all = samples->accesses[kind];
		accesses += all;
		estimate->counts.accesses[kind] = all;
		if (estimate->counts.misses[kind] > all)
			estimate->counts.misses[kind] = all;
	}
	if (estimate->misses_max > accesses)
		estimate->misses_max = accesses;
}

enum poly_status
opt_samples_run(struct access_log *log, const struct cache_config *config,
	struct opt_estimate *estimate, struct poly_error *error)
{
	struct opt_samples *samples = mem_new(1, sizeof *samples);
	if (!samples)
		return err_memory(error);
	samples->config = *config;
	samples->line_shift = (unsigned)__builtin_ctz(config->line_size);
	samples->set_bits = (unsigned)__builtin_ctzll(config->sets);
	if (samples->set_bits >= OPT_SAMPLES_SETS_LOG2)
		samples->sample.set_bits = samples->set_bits;
	const enum poly_status status =
		access_log_replay_sample(log, &samples->sample, run_step, samples, error);
	if (status == POLY_OK)
		sum_samples(samples, estimate);
	for (int i = 0; i < OPT_SAMPLES; i++)
		belady_free(samples->caches[i]);
	mem_free(samples);
	return status;
}
