/* SPDX-License-Identifier: MIT */
/* Caches by a text: lists of values by key, and all their combinations. */
#include "analysis/sim/sweep.h"

#include "base/err.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WORD_MOST 40 /* bytes of a key and a value */

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
sweep_number(const char **text, uint64_t *value)
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
add(struct sweep_values *values, uint64_t value)
{
	if (values->count == SWEEP_VALUES)
		return false;
	values->values[values->count++] = value;
	return true;
}

/* Numbers that double, "1k..4M", all between two, "3-10", or one. "full" is 0, for ways. */
static bool
take_numbers(const char *word, struct sweep_values *values)
{
	uint64_t first, last;
	if (strcmp(word, "full") == 0)
		return add(values, 0);
	if (!sweep_number(&word, &first) || !first)
		return false;
	const bool doubles = strncmp(word, "..", 2) == 0;
	last = first;
	if (doubles || *word == '-') {
		word += doubles ? 2 : 1;
		if (!sweep_number(&word, &last) || last < first)
			return false;
	}
	for (uint64_t value = first; value <= last; value += doubles ? value : 1)
		if (!add(values, value))
			return false;
	return *word == '\0';
}

/* A value: a word of the key, or numbers. */
static bool
take_value(const struct sweep_key *key, const char *word, struct sweep_values *values)
{
	if (!key->words)
		return take_numbers(word, values);
	for (size_t i = 0; key->words[i]; i++)
		if (strcmp(key->words[i], word) == 0)
			return add(values, i);
	return false;
}

/* The key that a word begins with, or the one before; *value: what is behind it. */
static bool
take_key(const struct sweep_key *keys, const char *word, const struct sweep_key **key,
	const char **value)
{
	const char *equals = strchr(word, '=');
	*value = word;
	if (!equals)
		return *key;
	*value = equals + 1;
	for (*key = keys; (*key)->name; ++*key) {
		const size_t n = strlen((*key)->name);
		if (n == (size_t)(equals - word) && strncmp((*key)->name, word, n) == 0)
			return true;
	}
	return false;
}

size_t
sweep_combinations(const struct sweep_key *keys, const struct sweep_values *values)
{
	size_t count = 1;
	for (size_t i = 0; keys[i].name; i++)
		count *= values[i].count ? values[i].count : 1;
	return count;
}

static enum poly_status
too_many(struct poly_error *error)
{
	return err_set(
		error, POLY_ERR_USAGE, POLY_NO_OFFSET, "more than %d at once", SWEEP_MOST);
}

/* Of a value that can't be taken: why. */
static enum poly_status
fail(const char *word, const char *what, bool full, struct poly_error *error)
{
	if (full)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"'%s' makes more than %d values of a key", word, SWEEP_VALUES);
	return err_set(
		error, POLY_ERR_USAGE, POLY_NO_OFFSET, "'%s' is no setting of %s", word, what);
}

enum poly_status
sweep_take(const char *text, const struct sweep_key *keys, const char *what,
	struct sweep_values *values, struct poly_error *error)
{
	const struct sweep_key *key = NULL;
	for (const char *p = text; *p;) {
		const size_t n = strcspn(p, ",");
		char word[WORD_MOST + 1];
		const char *value;
		if (n > WORD_MOST)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"a value of %zu bytes, at most %d are expected", n, WORD_MOST);
		memcpy(word, p, n);
		word[n] = '\0';
		if (!take_key(keys, word, &key, &value) ||
			!take_value(key, value, &values[key - keys]))
			return fail(word, what, key && values[key - keys].count == SWEEP_VALUES,
				error);
		p += n + (p[n] == ',');
	}
	return sweep_combinations(keys, values) > 16 * SWEEP_MOST ? too_many(error) : POLY_OK;
}

void
sweep_combine(const struct sweep_key *keys, const struct sweep_values *values, size_t place,
	uint64_t *chosen)
{
	size_t count = 0;
	while (keys[count].name)
		count++;
	for (size_t i = count; i-- > 0;) {
		const size_t choices = values[i].count;
		chosen[i] = choices ? values[i].values[place % choices] : keys[i].initial;
		place /= choices ? choices : 1;
	}
}

static enum poly_status
add_cache(struct sweep *sweep, const uint64_t *chosen, bool several, struct poly_error *error)
{
	if (!chosen[SIZE] || !chosen[LINE])
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"'full' is a number of ways, not of bytes");
	const uint64_t lines = chosen[SIZE] / chosen[LINE];
	const uint64_t ways = chosen[WAYS] ? chosen[WAYS] : lines;
	if (several && lines < ways)
		return POLY_OK;
	const bool is_opt = chosen[POLICY] == SWEEP_OPT;
	if (sweep->count == SWEEP_MOST)
		return too_many(error);
	if (!ways || lines % ways || chosen[SIZE] % chosen[LINE] || ways > CACHE_LINES_MAX ||
		chosen[LINE] > CACHE_LINE_MAX)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"%" PRIu64 " bytes are not sets of %" PRIu64 " ways of %" PRIu64
			" bytes",
			chosen[SIZE], ways, chosen[LINE]);
	if (is_opt && (chosen[WRITE] == 1 || chosen[ALLOCATE] == 0 || chosen[VALID] == 0))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"policy opt is for caches that are write-back and write-allocate, with "
			"valid bits");
	sweep->is_opt[sweep->count] = is_opt;
	struct cache_config *config = &sweep->configs[sweep->count++];
	*config = (struct cache_config){.sets = lines / ways,
		.ways = (uint32_t)ways,
		.line_size = (uint32_t)chosen[LINE],
		.policy = is_opt ? CACHE_LRU : (enum cache_policy)chosen[POLICY],
		.write_through = chosen[WRITE] == 1,
		.no_allocate = chosen[ALLOCATE] == 0,
		.always_valid = chosen[VALID] == 0};
	return cache_check(config, error);
}

enum poly_status
sweep_parse(const char *text, struct sweep *sweep, struct poly_error *error)
{
	struct sweep_values values[KEYS] = {{{0}, 0}};
	uint64_t chosen[KEYS];
	sweep->count = 0;
	enum poly_status status = sweep_take(text, cache_keys,
		"caches, expected size=32k, ways=8, line=64, policy=lru, write=back, "
		"allocate=yes or valid=yes",
		values, error);
	const size_t count = status == POLY_OK ? sweep_combinations(cache_keys, values) : 0;
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		sweep_combine(cache_keys, values, i, chosen);
		status = add_cache(sweep, chosen, count > 1, error);
	}
	if (status == POLY_OK && !sweep->count)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"all sizes are smaller than a set");
	return status;
}

/* Bits that tell so many things apart. */
static unsigned
bits_for(uint64_t things)
{
	return things > 1 ? 64 - (unsigned)__builtin_clzll(things - 1) : 0;
}

/* Of all orders of ways. */
static uint64_t
bits_of_orders(uint32_t ways)
{
	double bits = 0;
	for (uint32_t i = 2; i <= ways; i++)
		bits += log2(i);
	return (uint64_t)ceil(bits);
}

/* Of a set: what it replaces by. */
static uint64_t
bits_of_policy(const struct cache_config *config)
{
	switch (config->policy) {
	case CACHE_LRU: return bits_of_orders(config->ways);
	case CACHE_FIFO:
	case CACHE_POINTER: return bits_for(config->ways);
	case CACHE_PLRU: return config->ways - 1;
	case CACHE_SRRIP:
	case CACHE_DRRIP: return 2 * (uint64_t)config->ways;
	case CACHE_RANDOM:
	case CACHE_POLICIES: break;
	}
	return 0;
}

uint64_t
sweep_bits(const struct cache_config *config, unsigned address_bits)
{
	const unsigned known = bits_for(config->sets) + bits_for(config->line_size);
	const uint64_t tag = address_bits > known ? address_bits - known : 0;
	const uint64_t line = 8 * (uint64_t)config->line_size + tag + !config->always_valid +
			      !config->write_through;
	return config->sets * (config->ways * line + bits_of_policy(config)) +
	       (config->policy == CACHE_DRRIP ? 10 : 0);
}
