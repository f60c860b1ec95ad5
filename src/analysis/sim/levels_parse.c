/* SPDX-License-Identifier: MIT */
/*
 * Levels of caches by a text, and those of processors.
 *
 * text    = { setting | comment }, with blanks or ends of lines between them
 * comment = "#" to the end of the line
 * setting = NAME "=" VALUE; that of "source" goes to the end of the line
 */
#include "analysis/sim/levels.h"

#include "analysis/sim/sweep.h"
#include "base/err.h"
#include "lang/caret.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MOST = 40, WHAT_MOST = 320 };

const struct levels_preset levels_presets[] = {
	{"pentium", levels_pentium},
	{"ppc7400", levels_ppc7400},
	{"ppc7450", levels_ppc7450},
	{"ppc970", levels_ppc970},
	{"skylake", levels_skylake},
	{"zen4", levels_zen4},
	{"cortex-a53", levels_cortex_a53},
	{"cortex-a72", levels_cortex_a72},
	{NULL, NULL},
};

const char *const levels_inclusions[] = {"nine", "inclusive", "exclusive", NULL};

struct parsing {
	const char *text;
	struct levels *levels;
	struct poly_error *error;
};

/* Bytes of the text. */
struct word {
	const char *at;
	size_t n;
};

/* Says what is wrong with a line, and shows where. */
static enum poly_status
show(const struct parsing *parsing, const char *at, const char *what)
{
	char shown[CARET_ROOM];
	const char *line = parsing->text;
	unsigned number = 1;
	for (const char *p = parsing->text; p < at; p++)
		if (*p == '\n') {
			line = p + 1;
			number++;
		}
	caret_show(shown, line, strcspn(line, "\n"), (size_t)(at - line));
	return err_set(parsing->error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"line %u of the levels%s%s", number, what, shown);
}

/* Says that something else than a word was expected. */
static enum poly_status
fail(const struct parsing *parsing, struct word word, const char *expected)
{
	char what[WHAT_MOST + SHOWN_MOST + 20]; /* with what stands around both */
	snprintf(what, sizeof what, " has '%.*s', expected %s",
		word.n < SHOWN_MOST ? (int)word.n : SHOWN_MOST, word.at, expected);
	return show(parsing, word.at, what);
}

static bool
is_word(struct word word, const char *name)
{
	return strlen(name) == word.n && strncmp(word.at, name, word.n) == 0;
}

/* False: a word is no number up to most. */
static bool
take_number(struct word word, uint64_t most, uint64_t *value)
{
	const char *end;
	char digits[16];
	if (word.n == 0 || word.n >= sizeof digits)
		return false;
	memcpy(digits, word.at, word.n);
	digits[word.n] = '\0';
	end = digits;
	return sweep_number(&end, value) && end == digits + word.n && *value <= most;
}

/* A word with a number behind a colon: "victims:8". */
static bool
take_counted(struct word word, const char *name, uint32_t *value)
{
	const size_t size = strlen(name);
	uint64_t number;
	if (word.n <= size + 1 || strncmp(word.at, name, size) != 0 || word.at[size] != ':' ||
		!take_number((struct word){word.at + size + 1, word.n - size - 1},
			CACHE_LINES_MAX, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

/* One of the words behind a level's numbers; false: it is none. */
static bool
take_word(struct word word, struct hierarchy_level *level)
{
	static const struct {
		const char *name;
		enum prefetch_kind kind;
	} prefetchers[] = {{"next", PREFETCH_NEXT}, {"stride", PREFETCH_STRIDE},
		{"stream", PREFETCH_STREAM}};
	for (int i = 0; i < CACHE_POLICIES; i++)
		if (is_word(word, sweep_policies[i])) {
			level->cache.policy = (enum cache_policy)i;
			return true;
		}
	for (size_t i = 0; i < sizeof prefetchers / sizeof *prefetchers; i++)
		if (take_counted(word, prefetchers[i].name, &level->prefetch_degree)) {
			level->prefetch = prefetchers[i].kind;
			return true;
		}
	if (is_word(word, "through"))
		level->cache.write_through = true;
	else if (is_word(word, "around"))
		level->cache.no_allocate = true;
	else
		return take_counted(word, "victims", &level->victims);
	return true;
}

/* What a level is by its numbers, if there can be such a one. */
static enum poly_status
set_numbers(const struct parsing *parsing, struct word word, const uint64_t *numbers,
	struct hierarchy_level *level)
{
	const uint64_t set = numbers[1] * numbers[2];
	char what[WHAT_MOST];
	struct poly_error why;
	if (numbers[0] % set) {
		snprintf(what, sizeof what,
			"a size of sets of %" PRIu64 " ways of %" PRIu64 " bytes", numbers[1],
			numbers[2]);
		return fail(parsing, word, what);
	}
	level->cache.sets = numbers[0] / set;
	level->cache.ways = (uint32_t)numbers[1];
	level->cache.line_size = (uint32_t)numbers[2];
	level->latency = (uint32_t)numbers[3];
	const struct hierarchy_config alone = {.levels = {*level}, .count = 1};
	if (hierarchy_check(&alone, &why) == POLY_OK)
		return POLY_OK;
	snprintf(what, sizeof what, ": %.150s", why.message);
	return show(parsing, word.at, what);
}

/* "32k/8/64/4/plru": size, ways, line, cycles, words. */
static enum poly_status
take_level(const struct parsing *parsing, struct word word, struct hierarchy_level *level)
{
	static const char *const expected[] = {"its size in bytes, as 32k", "its ways, as 8",
		"the bytes of its lines, as 64", "its cycles, as 4"};
	uint64_t numbers[4] = {0, 0, 0, 1};
	const char *end = word.at + word.n;
	size_t part = 0;
	for (const char *p = word.at; p < end; part++) {
		const char *stroke = memchr(p, '/', (size_t)(end - p));
		const struct word one = {p, (size_t)((stroke ? stroke : end) - p)};
		const bool is_number = part < 3 || (part == 3 && *p >= '0' && *p <= '9');
		if (is_number && (!take_number(one, UINT32_MAX, &numbers[part]) ||
					 (!numbers[part] && part < 3)))
			return fail(parsing, one, expected[part]);
		if (!is_number && is_word(one, "opt"))
			return show(
				parsing, one.at, " has policy opt, which is for single caches");
		if (!is_number && !take_word(one, level))
			return fail(parsing, one,
				"lru, fifo, random, plru, srrip, drrip, pointer, through, "
				"around, victims:N, next:N, stride:N or stream:N");
		p += one.n + (stroke != NULL);
	}
	if (part < 3)
		return fail(parsing, word, "SIZE/WAYS/LINE/CYCLES, as 32k/8/64/4");
	return set_numbers(parsing, word, numbers, level);
}

static enum poly_status
take_inclusion(const struct parsing *parsing, struct word value)
{
	for (int i = 0; levels_inclusions[i]; i++)
		if (is_word(value, levels_inclusions[i])) {
			parsing->levels->config.inclusion = (enum hierarchy_inclusion)i;
			return POLY_OK;
		}
	return fail(parsing, value, "nine, inclusive or exclusive");
}

static enum poly_status
take_memory(const struct parsing *parsing, struct word value)
{
	uint64_t cycles;
	if (!take_number(value, UINT32_MAX, &cycles))
		return fail(parsing, value, "the cycles of memory, as 200");
	parsing->levels->config.memory_latency = (uint32_t)cycles;
	return POLY_OK;
}

static enum poly_status
take_source(const struct parsing *parsing, struct word value)
{
	char *source = parsing->levels->source;
	if (value.n >= sizeof parsing->levels->source)
		return fail(parsing, value, "a text of at most 199 bytes");
	memcpy(source, value.at, value.n);
	source[value.n] = '\0';
	return POLY_OK;
}

/* The level behind those that are there. */
static enum poly_status
take_next_level(const struct parsing *parsing, struct word name, struct word value)
{
	static const char *const expected[HIERARCHY_LEVELS + 1] = {
		"l1 or l1i and l1d, memory, inclusion or source",
		"l1i, l2, memory, inclusion or source", "l1i, l3, memory, inclusion or source",
		"l1i, l4, memory, inclusion or source", "l1i, memory, inclusion or source"};
	struct hierarchy_config *config = &parsing->levels->config;
	const char next[] = {'l', (char)('1' + (int)config->count), '\0'};
	const bool is_next = is_word(name, next) || (!config->count && is_word(name, "l1d"));
	if (config->count == HIERARCHY_LEVELS || !is_next)
		return fail(parsing, name, expected[config->count]);
	return take_level(parsing, value, &config->levels[config->count++]);
}

static enum poly_status
take_setting(const struct parsing *parsing, struct word name, struct word value)
{
	struct hierarchy_config *config = &parsing->levels->config;
	if (is_word(name, "memory"))
		return take_memory(parsing, value);
	if (is_word(name, "inclusion"))
		return take_inclusion(parsing, value);
	if (is_word(name, "source"))
		return take_source(parsing, value);
	if (!is_word(name, "l1i"))
		return take_next_level(parsing, name, value);
	if (config->split)
		return fail(parsing, name, "one l1i");
	config->split = true;
	return take_level(parsing, value, &config->instructions);
}

/* Takes "NAME=VALUE", with blanks or not around the sign; *text is behind it then. */
static enum poly_status
take_pair(const struct parsing *parsing, const char **text)
{
	const struct word name = {*text, strcspn(*text, "= \t\r\n#")};
	const char *p = name.at + name.n;
	p += strspn(p, " \t");
	if (*p++ != '=')
		return fail(parsing, name, "NAME=VALUE");
	p += strspn(p, " \t");
	const struct word value = {
		p, strcspn(p, is_word(name, "source") ? "\r\n" : " \t\r\n#")};
	*text = p + value.n;
	return take_setting(parsing, name, value);
}

enum poly_status
levels_parse(const char *text, struct levels *levels, struct poly_error *error)
{
	static const char blanks[] = " \t\r\n";
	const struct parsing parsing = {text, levels, error};
	enum poly_status status = POLY_OK;
	*levels = (struct levels){.config = {.memory_latency = 100}};
	for (const char *p = text + strspn(text, blanks); *p && status == POLY_OK;
		p += strspn(p, blanks)) {
		if (*p == '#')
			p += strcspn(p, "\n");
		else
			status = take_pair(&parsing, &p);
	}
	return status == POLY_OK ? hierarchy_check(&levels->config, error) : status;
}
