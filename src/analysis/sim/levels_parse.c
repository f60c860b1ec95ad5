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

#include <string.h>

#define WORD_MOST 100 /* bytes of what is said of a level */

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

/* Whether opt is among the words of n bytes of text: a policy, but none of levels. */
static bool
names_opt(const char *text, size_t n)
{
	const char *at = strstr(text, "/opt");
	return at && (size_t)(at - text) < n && strchr("/ \t\r\n#", at[4]);
}

/* Says what is wrong with the text from p on, and shows where. */
static enum poly_status
fail(const char *text, const char *p, struct poly_error *error)
{
	char shown[CARET_ROOM];
	const char *line = text;
	unsigned number = 1;
	for (const char *at = text; at < p; at++)
		if (*at == '\n') {
			line = at + 1;
			number++;
		}
	caret_show(shown, line, strcspn(line, "\n"), (size_t)(p - line));
	if (names_opt(p, strcspn(p, "\n#")))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"line %u of the levels has policy opt, which is for single caches%s",
			number, shown);
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"line %u of the levels is wrong, expected l1d=SIZE/WAYS/LINE/CYCLES, as "
		"l1d=32k/8/64/4, memory=CYCLES, inclusion=nine or source=TEXT%s",
		number, shown);
}

/* The number of a text of n bytes that is not longer; false: it is none. */
static bool
take_number(const char *text, size_t n, uint64_t most, uint64_t *value)
{
	const char *end;
	char digits[16];
	if (n == 0 || n >= sizeof digits)
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	text = digits;
	end = digits + n;
	return sweep_number(&text, value) && text == end && *value <= most;
}

/* A word with a number behind a colon: "victims:8". */
static bool
take_counted(const char *word, size_t n, const char *name, uint32_t *value)
{
	const size_t size = strlen(name);
	uint64_t number;
	if (n <= size + 1 || strncmp(word, name, size) != 0 || word[size] != ':' ||
		!take_number(word + size + 1, n - size - 1, CACHE_LINES_MOST, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool
is_word(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && strncmp(word, name, n) == 0;
}

/* One of the words behind a level's numbers. */
static bool
take_word(const char *word, size_t n, struct hierarchy_level *level)
{
	static const struct {
		const char *name;
		enum prefetch_kind kind;
	} prefetchers[] = {{"next", PREFETCH_NEXT}, {"stride", PREFETCH_STRIDE},
		{"stream", PREFETCH_STREAM}};
	for (int i = 0; i < CACHE_POLICIES; i++)
		if (is_word(word, n, sweep_policies[i])) {
			level->cache.policy = (enum cache_policy)i;
			return true;
		}
	for (size_t i = 0; i < sizeof prefetchers / sizeof *prefetchers; i++)
		if (take_counted(word, n, prefetchers[i].name, &level->prefetch_degree)) {
			level->prefetch = prefetchers[i].kind;
			return true;
		}
	if (is_word(word, n, "through"))
		level->cache.write_through = true;
	else if (is_word(word, n, "around"))
		level->cache.no_allocate = true;
	else
		return take_counted(word, n, "victims", &level->victims);
	return true;
}

/* "32k/8/64/4/plru": size, ways, line, cycles, words. */
static bool
take_level(const char *text, struct hierarchy_level *level)
{
	uint64_t numbers[4] = {0, 0, 0, 1};
	size_t part = 0;
	for (const char *p = text; *p; part++) {
		const size_t n = strcspn(p, "/");
		if (part < 4 && *p >= '0' && *p <= '9') {
			if (!take_number(p, n, UINT32_MAX, &numbers[part]))
				return false;
		} else if (part < 3 || !take_word(p, n, level)) {
			return false;
		}
		p += n + (p[n] == '/');
	}
	if (!numbers[1] || !numbers[2] || numbers[2] > CACHE_LINE_MOST ||
		numbers[0] % (numbers[1] * numbers[2]))
		return false;
	level->cache.sets = numbers[0] / (numbers[1] * numbers[2]);
	level->cache.ways = (uint32_t)numbers[1];
	level->cache.line_size = (uint32_t)numbers[2];
	level->latency = (uint32_t)numbers[3];
	return true;
}

/* What a word is about: "memory", "l1d"; false: nothing. */
static bool
take_setting(const char *name, const char *value, struct levels *levels)
{
	struct hierarchy_config *config = &levels->config;
	uint64_t cycles;
	if (strcmp(name, "memory") == 0) {
		if (!take_number(value, strlen(value), UINT32_MAX, &cycles))
			return false;
		config->memory_latency = (uint32_t)cycles;
		return true;
	}
	if (strcmp(name, "inclusion") == 0) {
		for (int i = 0; levels_inclusions[i]; i++)
			if (strcmp(value, levels_inclusions[i]) == 0) {
				config->inclusion = (enum hierarchy_inclusion)i;
				return true;
			}
		return false;
	}
	if (strcmp(name, "l1i") == 0) {
		config->split = true;
		return take_level(value, &config->instructions);
	}
	const bool first = strcmp(name, "l1d") == 0 && config->count == 0;
	const char next[] = {'l', (char)('1' + (int)config->count), '\0'};
	if (config->count == HIERARCHY_LEVELS || (!first && strcmp(name, next) != 0))
		return false;
	return take_level(value, &config->levels[config->count++]);
}

/* Copies n bytes as a string; false: they are too many. */
static bool
copy(char *to, size_t room, const char *from, size_t n)
{
	if (n >= room)
		return false;
	memcpy(to, from, n);
	to[n] = '\0';
	return true;
}

/* Takes "NAME=VALUE", with blanks or not around the sign; *text is behind it then. */
static bool
take_pair(const char **text, struct levels *levels)
{
	char name[10], value[WORD_MOST + 1];
	const char *p = *text;
	size_t n = strcspn(p, "= \t\r\n#");
	if (!copy(name, sizeof name, p, n))
		return false;
	p += n;
	p += strspn(p, " \t");
	if (*p++ != '=')
		return false;
	p += strspn(p, " \t");
	const bool is_source = strcmp(name, "source") == 0;
	n = strcspn(p, is_source ? "\r\n" : " \t\r\n#");
	*text = p + n;
	if (is_source)
		return copy(levels->source, sizeof levels->source, p, n);
	return copy(value, sizeof value, p, n) && take_setting(name, value, levels);
}

enum poly_status
levels_parse(const char *text, struct levels *levels, struct poly_error *error)
{
	static const char blanks[] = " \t\r\n";
	*levels = (struct levels){.config = {.memory_latency = 100}};
	for (const char *p = text + strspn(text, blanks); *p; p += strspn(p, blanks)) {
		const char *word = p;
		if (*p == '#')
			p += strcspn(p, "\n");
		else if (!take_pair(&p, levels))
			return fail(text, word, error);
	}
	return hierarchy_check(&levels->config, error);
}
