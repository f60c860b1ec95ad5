/* SPDX-License-Identifier: MIT */
/*
 * Parses cache hierarchies; lists those of processors.
 *
 * text    = { setting | comment }, separated by blanks or line ends
 * comment = "#" to the end of the line
 * setting = NAME "=" VALUE; the value of "source" extends to the end of the line
 */
#include "analysis/sim/levels.h"

#include "analysis/sim/sweep.h"
#include "base/err.h"
#include "lang/caret.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MAX = 40, MESSAGE_MAX = 320 };

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

struct levels_parser {
	const char *text;
	struct levels *levels;
	struct poly_error *error;
};

/* A word of the text. */
struct levels_word {
	const char *start;
	size_t n;
};

/* Sets an error about a line, and shows the position. */
static enum poly_status
fail_at(const struct levels_parser *parser, const char *start, const char *message)
{
	char shown[CARET_ROOM];
	const char *line = parser->text;
	unsigned number = 1;
	for (const char *p = parser->text; p < start; p++)
		if (*p == '\n') {
			line = p + 1;
			number++;
		}
	caret_show(shown, line, strcspn(line, "\n"), (size_t)(start - line));
	return err_usage(parser->error, "line %u of the levels%s%s", number, message, shown);
}

/* Sets the error of an unexpected word. */
static enum poly_status
fail_word(const struct levels_parser *parser, struct levels_word word, const char *expected)
{
	char message[MESSAGE_MAX + SHOWN_MAX + 20]; /* including the text around both */
	snprintf(message, sizeof message, " has '%.*s', expected %s",
		word.n < SHOWN_MAX ? (int)word.n : SHOWN_MAX, word.start, expected);
	return fail_at(parser, word.start, message);
}

static bool
is_word(struct levels_word word, const char *name)
{
	return strlen(name) == word.n && strncmp(word.start, name, word.n) == 0;
}

/* Parses a number up to max; false: invalid. */
static bool
parse_number(struct levels_word word, uint64_t max, uint64_t *value)
{
	const char *end;
	char digits[16];
	if (word.n == 0 || word.n >= sizeof digits)
		return false;
	memcpy(digits, word.start, word.n);
	digits[word.n] = '\0';
	end = digits;
	return sweep_parse_number(&end, value) && end == digits + word.n && *value <= max;
}

/* Parses a name with a number after a colon: "victims:8". */
static bool
parse_counted(struct levels_word word, const char *name, uint32_t *value)
{
	const size_t size = strlen(name);
	uint64_t number;
	if (word.n <= size + 1 || strncmp(word.start, name, size) != 0 ||
		word.start[size] != ':' ||
		!parse_number((struct levels_word){word.start + size + 1, word.n - size - 1},
			CACHE_LINES_MAX, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

/* Parses a property after a level's numbers; false: invalid. */
static bool
parse_word(struct levels_word word, struct hierarchy_level *level)
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
		if (parse_counted(word, prefetchers[i].name, &level->prefetch_degree)) {
			level->prefetch = prefetchers[i].kind;
			return true;
		}
	if (is_word(word, "through"))
		level->cache.write_through = true;
	else if (is_word(word, "around"))
		level->cache.no_allocate = true;
	else
		return parse_counted(word, "victims", &level->victims);
	return true;
}

/* Sets a level by its numbers, after validating them. */
static enum poly_status
set_numbers(const struct levels_parser *parser, struct levels_word word,
	const uint64_t *numbers, struct hierarchy_level *level)
{
	const uint64_t set = numbers[1] * numbers[2];
	char message[MESSAGE_MAX];
	struct poly_error reason;
	if (numbers[0] % set) {
		snprintf(message, sizeof message,
			"a multiple of %" PRIu64 " ways of %" PRIu64 " bytes", numbers[1],
			numbers[2]);
		return fail_word(parser, word, message);
	}
	level->cache.sets = numbers[0] / set;
	level->cache.ways = (uint32_t)numbers[1];
	level->cache.line_size = (uint32_t)numbers[2];
	level->latency = (uint32_t)numbers[3];
	const struct hierarchy_config alone = {.levels = {*level}, .count = 1};
	if (hierarchy_check(&alone, &reason) == POLY_OK)
		return POLY_OK;
	snprintf(message, sizeof message, ": %.150s", reason.message);
	return fail_at(parser, word.start, message);
}

/* Parses "32k/8/64/4/plru": size, ways, line size, cycles, properties. */
static enum poly_status
parse_level(const struct levels_parser *parser, struct levels_word word,
	struct hierarchy_level *level)
{
	static const char *const expected[] = {"a size in bytes, as 32k", "ways, as 8",
		"a line size in bytes, as 64", "cycles, as 4"};
	uint64_t numbers[4] = {0, 0, 0, 1};
	const char *end = word.start + word.n;
	size_t index = 0;
	for (const char *p = word.start; p < end; index++) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		const struct levels_word field = {p, (size_t)((slash ? slash : end) - p)};
		const bool is_number = index < 3 || (index == 3 && *p >= '0' && *p <= '9');
		if (is_number && (!parse_number(field, UINT32_MAX, &numbers[index]) ||
					 (!numbers[index] && index < 3)))
			return fail_word(parser, field, expected[index]);
		if (!is_number && is_word(field, "opt"))
			return fail_at(parser, field.start,
				" has policy opt, expected another (opt is for single caches)");
		if (!is_number && !parse_word(field, level))
			return fail_word(parser, field,
				"lru, fifo, random, plru, srrip, drrip, pointer, through, "
				"around, victims:N, next:N, stride:N or stream:N");
		p += field.n + (slash != NULL);
	}
	if (index < 3)
		return fail_word(parser, word, "SIZE/WAYS/LINE/CYCLES, as 32k/8/64/4");
	return set_numbers(parser, word, numbers, level);
}

static enum poly_status
parse_inclusion(const struct levels_parser *parser, struct levels_word value)
{
	for (int i = 0; levels_inclusions[i]; i++)
		if (is_word(value, levels_inclusions[i])) {
			parser->levels->config.inclusion = (enum hierarchy_inclusion)i;
			return POLY_OK;
		}
	return fail_word(parser, value, "nine, inclusive or exclusive");
}

static enum poly_status
parse_memory(const struct levels_parser *parser, struct levels_word value)
{
	uint64_t cycles;
	if (!parse_number(value, UINT32_MAX, &cycles))
		return fail_word(parser, value, "cycles of memory, as 200");
	parser->levels->config.memory_latency = (uint32_t)cycles;
	return POLY_OK;
}

static enum poly_status
parse_source(const struct levels_parser *parser, struct levels_word value)
{
	char *source = parser->levels->source;
	if (value.n >= sizeof parser->levels->source)
		return fail_word(parser, value, "at most 199 bytes");
	memcpy(source, value.start, value.n);
	source[value.n] = '\0';
	return POLY_OK;
}

/* Parses the level after the previous ones. */
static enum poly_status
parse_next_level(
	const struct levels_parser *parser, struct levels_word name, struct levels_word value)
{
	static const char *const expected[HIERARCHY_LEVELS + 1] = {
		"l1 or l1i and l1d, memory, inclusion or source",
		"l1i, l2, memory, inclusion or source", "l1i, l3, memory, inclusion or source",
		"l1i, l4, memory, inclusion or source", "l1i, memory, inclusion or source"};
	struct hierarchy_config *config = &parser->levels->config;
	const char next[] = {'l', (char)('1' + (int)config->count), '\0'};
	const bool is_next = is_word(name, next) || (!config->count && is_word(name, "l1d"));
	if (config->count == HIERARCHY_LEVELS || !is_next)
		return fail_word(parser, name, expected[config->count]);
	return parse_level(parser, value, &config->levels[config->count++]);
}

static enum poly_status
parse_setting(
	const struct levels_parser *parser, struct levels_word name, struct levels_word value)
{
	struct hierarchy_config *config = &parser->levels->config;
	if (is_word(name, "memory"))
		return parse_memory(parser, value);
	if (is_word(name, "inclusion"))
		return parse_inclusion(parser, value);
	if (is_word(name, "source"))
		return parse_source(parser, value);
	if (!is_word(name, "l1i"))
		return parse_next_level(parser, name, value);
	if (config->split)
		return fail_word(parser, name, "only one l1i");
	config->split = true;
	return parse_level(parser, value, &config->instructions);
}

/* Parses "NAME=VALUE", with optional blanks around the sign, and moves *text past it. */
static enum poly_status
parse_pair(const struct levels_parser *parser, const char **text)
{
	const struct levels_word name = {*text, strcspn(*text, "= \t\r\n#")};
	const char *p = name.start + name.n;
	p += strspn(p, " \t");
	if (*p++ != '=')
		return fail_word(parser, name, "NAME=VALUE");
	p += strspn(p, " \t");
	const struct levels_word value = {
		p, strcspn(p, is_word(name, "source") ? "\r\n" : " \t\r\n#")};
	*text = p + value.n;
	return parse_setting(parser, name, value);
}

enum poly_status
levels_parse(const char *text, struct levels *levels, struct poly_error *error)
{
	static const char blanks[] = " \t\r\n";
	const struct levels_parser parser = {text, levels, error};
	enum poly_status status = POLY_OK;
	*levels = (struct levels){.config = {.memory_latency = 100}};
	for (const char *p = text + strspn(text, blanks); *p && status == POLY_OK;
		p += strspn(p, blanks)) {
		if (*p == '#')
			p += strcspn(p, "\n");
		else
			status = parse_pair(&parser, &p);
	}
	return status == POLY_OK ? hierarchy_check(&levels->config, error) : status;
}
