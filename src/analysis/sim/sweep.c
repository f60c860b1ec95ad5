/* SPDX-License-Identifier: MIT */
/* Caches by a text: lists of values by key, and all their combinations. */
#include "analysis/sim/sweep.h"

#include "base/err.h"

#include <inttypes.h>
#include <string.h>

#define VALUES_MOST 64 /* of a key */
#define WORD_MOST 40   /* bytes of a key and a value */

const char *const sweep_policies[] = {
	"lru", "fifo", "random", "plru", "srrip", "drrip", "pointer", NULL};

enum key { SIZE, WAYS, LINE, POLICY, WRITE, ALLOCATE, VALID, KEYS };

static const char *const yes_no[] = {"no", "yes", NULL};
static const char *const writes[] = {"back", "through", NULL};

/* Keys; words: NULL where values are numbers. */
static const struct {
	const char *name;
	const char *const *words;
	uint64_t initial;
} keys[KEYS] = {
	[SIZE] = {"size", NULL, 32768},
	[WAYS] = {"ways", NULL, 8},
	[LINE] = {"line", NULL, 64},
	[POLICY] = {"policy", sweep_policies, CACHE_LRU},
	[WRITE] = {"write", writes, 0},
	[ALLOCATE] = {"allocate", yes_no, 1},
	[VALID] = {"valid", yes_no, 1},
};

struct values {
	uint64_t values[VALUES_MOST];
	size_t count;
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
	*value <<= shift;
	return *value < (UINT64_C(1) << 50);
}

static bool
add(struct values *values, uint64_t value)
{
	if (values->count == VALUES_MOST)
		return false;
	values->values[values->count++] = value;
	return true;
}

/* A value: a word of the key, a number, or numbers that double: "1k..4M". */
static bool
take_value(enum key key, const char *word, struct values *values)
{
	uint64_t first, last;
	if (keys[key].words) {
		for (size_t i = 0; keys[key].words[i]; i++)
			if (strcmp(keys[key].words[i], word) == 0)
				return add(values, i);
		return false;
	}
	if (key == WAYS && strcmp(word, "full") == 0)
		return add(values, 0);
	if (!sweep_number(&word, &first) || !first)
		return false;
	last = first;
	if (strncmp(word, "..", 2) == 0) {
		word += 2;
		if (!sweep_number(&word, &last) || last < first)
			return false;
	}
	for (uint64_t value = first; value <= last; value *= 2)
		if (!add(values, value))
			return false;
	return *word == '\0';
}

/* The key that a word begins with, or the one before; *value: what is behind it. */
static bool
take_key(const char *word, enum key *key, const char **value)
{
	const char *equals = strchr(word, '=');
	*value = word;
	if (!equals)
		return *key < KEYS;
	*value = equals + 1;
	for (*key = 0; *key < KEYS; (*key)++) {
		const char *name = keys[*key].name;
		if (strlen(name) == (size_t)(equals - word) &&
			strncmp(name, word, strlen(name)) == 0)
			return true;
	}
	return false;
}

static enum poly_status
take_values(const char *text, struct values *values, struct poly_error *error)
{
	enum key key = KEYS;
	for (const char *p = text; *p;) {
		const size_t n = strcspn(p, ",");
		char word[WORD_MOST + 1];
		const char *value;
		if (n > WORD_MOST)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"a value of %zu bytes, at most %d are expected", n, WORD_MOST);
		memcpy(word, p, n);
		word[n] = '\0';
		if (!take_key(word, &key, &value) || !take_value(key, value, &values[key]))
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"'%s' is no setting of caches, expected size=32k, ways=8, "
				"line=64, policy=lru, write=back, allocate=yes or valid=yes",
				word);
		p += n + (p[n] == ',');
	}
	return POLY_OK;
}

/* One combination; place counts through all of them. */
static void
combine(const struct values *values, size_t place, uint64_t *chosen)
{
	for (size_t i = KEYS; i-- > 0;) {
		const size_t count = values[i].count;
		chosen[i] = count ? values[i].values[place % count] : keys[i].initial;
		place /= count ? count : 1;
	}
}

static enum poly_status
add_cache(struct sweep *sweep, const uint64_t *chosen, bool several, struct poly_error *error)
{
	const uint64_t lines = chosen[SIZE] / chosen[LINE];
	const uint64_t ways = chosen[WAYS] ? chosen[WAYS] : lines;
	if (several && lines < ways)
		return POLY_OK;
	if (sweep->count == SWEEP_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"more than %d caches at once", SWEEP_MOST);
	if (!ways || lines % ways || chosen[SIZE] % chosen[LINE] || ways > CACHE_LINES_MOST ||
		chosen[LINE] > CACHE_LINE_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"%" PRIu64 " bytes are not sets of %" PRIu64 " ways of %" PRIu64
			" bytes",
			chosen[SIZE], ways, chosen[LINE]);
	struct cache_config *config = &sweep->configs[sweep->count++];
	*config = (struct cache_config){.sets = lines / ways,
		.ways = (uint32_t)ways,
		.line_size = (uint32_t)chosen[LINE],
		.policy = (enum cache_policy)chosen[POLICY],
		.write_through = chosen[WRITE] == 1,
		.no_allocate = chosen[ALLOCATE] == 0,
		.always_valid = chosen[VALID] == 0};
	return cache_check(config, error);
}

enum poly_status
sweep_parse(const char *text, struct sweep *sweep, struct poly_error *error)
{
	struct values values[KEYS] = {{{0}, 0}};
	uint64_t chosen[KEYS];
	size_t count = 1;
	sweep->count = 0;
	enum poly_status status = take_values(text, values, error);
	for (size_t i = 0; i < KEYS; i++)
		count *= values[i].count ? values[i].count : 1;
	if (status == POLY_OK && count > 16 * SWEEP_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"more than %d caches at once", SWEEP_MOST);
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		combine(values, i, chosen);
		status = add_cache(sweep, chosen, count > 1, error);
	}
	if (status == POLY_OK && !sweep->count)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"all sizes are smaller than a set");
	return status;
}
