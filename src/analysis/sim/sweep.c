/* SPDX-License-Identifier: MIT */
/* Parses sweeps: lists of values by key, and all their combinations. */
#include "analysis/sim/sweep.h"

#include "base/err.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WORD_MAX 40 /* maximum bytes of a key and a value */

const char *const sweep_policies[] = {
	"lru", "fifo", "random", "plru", "srrip", "drrip", "pointer", "opt", NULL};

enum { SIZE, WAYS, LINE, POLICY, WRITE, ALLOCATE, VALID, KEYS };

static const char *const yes_no[] = {"no", "yes", NULL};
static const char *const writes[] = {"back", "through", NULL};

static const struct sweep_key cache_keys[KEYS + 1] = {
	[SIZE] = {"size", NULL, 32768},
	[WAYS] = {"ways", NULL, 8},
	[LINE] = {"line", NULL, 64},
	[POLICY] = {"policy", sweep_policies, CACHE_LRU},
	[WRITE] = {"write", writes, 0},
	[ALLOCATE] = {"allocate", yes_no, 1},
	[VALID] = {"valid", yes_no, 1},
};

bool
sweep_parse_number(const char **text, uint64_t *value)
{
	const char *p = *text;
	unsigned shift = 0;
	for (*value = 0; *p >= '0' && *p <= '9' && *value < (UINT64_C(1) << 40); p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	if (p == *text)
		return false;
	if (*p == 'k' || *p == 'K')
		shift = 10;
	else if (*p == 'M')
		shift = 20;
	else if (*p == 'G')
		shift = 30;
	*text = p + (shift != 0);
	const bool fits = *value < (UINT64_C(1) << 50 >> shift);
	*value <<= shift;
	return fits;
}

static bool
add_value(struct sweep_values *values, uint64_t value)
{
	if (values->count == SWEEP_VALUES_MAX)
		return false;
	values->values[values->count++] = value;
	return true;
}

/* Parses numbers that double, "1k..4M", a range, "3-10", or one number. "full" is 0, for ways.
 */
static bool
parse_numbers(const char *word, struct sweep_values *values)
{
	uint64_t first, last;
	if (strcmp(word, "full") == 0)
		return add_value(values, 0);
	if (!sweep_parse_number(&word, &first) || !first)
		return false;
	const bool doubles = strncmp(word, "..", 2) == 0;
	last = first;
	if (doubles || *word == '-') {
		word += doubles ? 2 : 1;
		if (!sweep_parse_number(&word, &last) || last < first)
			return false;
	}
	for (uint64_t value = first; value <= last; value += doubles ? value : 1)
		if (!add_value(values, value))
			return false;
	return *word == '\0';
}

/* Parses a value: a choice of the key, or numbers. */
static bool
parse_value(const struct sweep_key *key, const char *word, struct sweep_values *values)
{
	if (!key->words)
		return parse_numbers(word, values);
	for (size_t i = 0; key->words[i]; i++)
		if (strcmp(key->words[i], word) == 0)
			return add_value(values, i);
	return false;
}

/* Parses the key at the start of a word; without one the previous key remains, and *key is NULL
 * if it is unknown. *value: the text after it. */
static bool
parse_key(const struct sweep_key *keys, const char *word, const struct sweep_key **key,
	const char **value)
{
	const char *equals = strchr(word, '=');
	*value = word;
	if (!equals)
		return *key;
	*value = equals + 1;
	*key = NULL;
	for (size_t i = 0; keys[i].name && !*key; i++) {
		const size_t n = strlen(keys[i].name);
		if (n == (size_t)(equals - word) && strncmp(keys[i].name, word, n) == 0)
			*key = &keys[i];
	}
	return *key;
}

size_t
sweep_count_combinations(const struct sweep_key *keys, const struct sweep_values *values)
{
	size_t count = 1;
	for (size_t i = 0; keys[i].name; i++)
		count *= values[i].count ? values[i].count : 1;
	return count;
}

static enum poly_status
fail_combinations(struct poly_error *error)
{
	return err_usage(error, "more than %d combinations", SWEEP_MAX);
}

/* Sets the error of an invalid value. */
static enum poly_status
fail(const char *word, const char *expected, bool full, struct poly_error *error)
{
	if (full)
		return err_usage(
			error, "'%s': more than %d values of a key", word, SWEEP_VALUES_MAX);
	return err_usage(error, "'%s' is not a valid setting, expected %s", word, expected);
}

enum poly_status
sweep_parse_values(const char *text, const struct sweep_key *keys, const char *expected,
	struct sweep_values *values, struct poly_error *error)
{
	const struct sweep_key *key = NULL;
	for (const char *p = text; *p;) {
		const size_t n = strcspn(p, ",");
		char word[WORD_MAX + 1];
		const char *value;
		if (n > WORD_MAX)
			return err_usage(error, "a value of %zu bytes, expected at most %d", n,
				WORD_MAX);
		memcpy(word, p, n);
		word[n] = '\0';
		if (!parse_key(keys, word, &key, &value) ||
			!parse_value(key, value, &values[key - keys]))
			return fail(word, expected,
				key && values[key - keys].count == SWEEP_VALUES_MAX, error);
		p += n + (p[n] == ',');
	}
	return sweep_count_combinations(keys, values) > 16 * SWEEP_MAX
		       ? fail_combinations(error)
		       : POLY_OK;
}

void
sweep_combine(const struct sweep_key *keys, const struct sweep_values *values, size_t index,
	uint64_t *combination)
{
	size_t count = 0;
	while (keys[count].name)
		count++;
	for (size_t i = count; i-- > 0;) {
		const size_t choices = values[i].count;
		combination[i] = choices ? values[i].values[index % choices] : keys[i].initial;
		index /= choices ? choices : 1;
	}
}

static enum poly_status
add_cache(struct sweep *sweep, const uint64_t *combination, bool is_sweep,
	struct poly_error *error)
{
	if (!combination[SIZE] || !combination[LINE])
		return err_usage(error, "'full' is valid only for ways");
	const uint64_t lines = combination[SIZE] / combination[LINE];
	const uint64_t ways = combination[WAYS] ? combination[WAYS] : lines;
	if (is_sweep && lines < ways)
		return POLY_OK;
	const bool is_opt = combination[POLICY] == SWEEP_OPT;
	if (sweep->count == SWEEP_MAX)
		return fail_combinations(error);
	if (!ways || lines % ways || combination[SIZE] % combination[LINE] ||
		ways > CACHE_LINES_MAX || combination[LINE] > CACHE_LINE_MAX)
		return err_usage(error,
			"size=%" PRIu64 " is not a multiple of %" PRIu64 " ways of %" PRIu64
			" bytes",
			combination[SIZE], ways, combination[LINE]);
	if (is_opt && (combination[WRITE] == 1 || combination[ALLOCATE] == 0 ||
			      combination[VALID] == 0))
		return err_usage(
			error, "policy opt: expected write=back, allocate=yes and valid=yes");
	sweep->is_opt[sweep->count] = is_opt;
	struct cache_config *config = &sweep->configs[sweep->count++];
	*config = (struct cache_config){.sets = lines / ways,
		.ways = (uint32_t)ways,
		.line_size = (uint32_t)combination[LINE],
		.policy = is_opt ? CACHE_LRU : (enum cache_policy)combination[POLICY],
		.write_through = combination[WRITE] == 1,
		.no_allocate = combination[ALLOCATE] == 0,
		.always_valid = combination[VALID] == 0};
	return cache_check(config, error);
}

enum poly_status
sweep_parse(const char *text, struct sweep *sweep, struct poly_error *error)
{
	struct sweep_values values[KEYS] = {{{0}, 0}};
	uint64_t combination[KEYS];
	sweep->count = 0;
	enum poly_status status = sweep_parse_values(text, cache_keys,
		"size=32k, ways=8, line=64, policy=lru, write=back, "
		"allocate=yes or valid=yes",
		values, error);
	const size_t count =
		status == POLY_OK ? sweep_count_combinations(cache_keys, values) : 0;
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		sweep_combine(cache_keys, values, i, combination);
		status = add_cache(sweep, combination, count > 1, error);
	}
	if (status == POLY_OK && !sweep->count)
		return err_usage(error, "all sizes are smaller than one set");
	return status;
}

/* Returns the bits that distinguish n values. */
static unsigned
log2_ceil(uint64_t n)
{
	return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

/* Returns the bits that encode an order of the ways. */
static uint64_t
bits_per_order(uint32_t ways)
{
	double bits = 0;
	for (uint32_t i = 2; i <= ways; i++)
		bits += log2(i);
	return (uint64_t)ceil(bits);
}

/* Returns the bits of the replacement state of a set. */
static uint64_t
bits_per_set(const struct cache_config *config)
{
	switch (config->policy) {
	case CACHE_LRU: return bits_per_order(config->ways);
	case CACHE_FIFO:
	case CACHE_POINTER: return log2_ceil(config->ways);
	case CACHE_PLRU: return config->ways - 1;
	case CACHE_SRRIP:
	case CACHE_DRRIP: return 2 * (uint64_t)config->ways;
	case CACHE_RANDOM:
	case CACHE_POLICIES: break;
	}
	return 0;
}

uint64_t
sweep_storage_bits(const struct cache_config *config, unsigned address_bits)
{
	const unsigned implied = log2_ceil(config->sets) + log2_ceil(config->line_size);
	const uint64_t tag = address_bits > implied ? address_bits - implied : 0;
	const uint64_t line = 8 * (uint64_t)config->line_size + tag + !config->always_valid +
			      !config->write_through;
	return config->sets * (config->ways * line + bits_per_set(config)) +
	       (config->policy == CACHE_DRRIP ? 10 : 0);
}
