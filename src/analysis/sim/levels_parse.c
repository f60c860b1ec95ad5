/* SPDX-License-Identifier: MIT */
/* Levels of caches by a text, and those of processors. */
#include "analysis/sim/levels.h"

#include "analysis/sim/sweep.h"
#include "base/err.h"

#include <string.h>

#define WORD_MOST 100 /* bytes of what is said of a level */

const struct levels_preset levels_presets[] = {
	{"pentium", "l1i=8k/2/32/1 l1d=8k/2/32/1 memory=20",
		"Intel, Pentium Processor Family Developer's Manual"},
	{"ppc7450", "l1i=32k/8/32/1/plru l1d=32k/8/32/3/plru l2=256k/8/64/9 memory=100",
		"Freescale, MPC7450 RISC Microprocessor Family Reference Manual, chapter 3; "
		"sectors of the second level are taken for whole lines"},
	{"ppc970", "l1i=64k/1/128/1 l1d=32k/2/128/3/through l2=512k/8/128/11 memory=200",
		"IBM, PowerPC 970 RISC Microprocessor User's Manual"},
	{"skylake", "l1i=32k/8/64/4 l1d=32k/8/64/4 l2=256k/4/64/8 l3=8M/16/64/32 memory=200",
		"Intel 64 and IA-32 Architectures Optimization Reference Manual, Skylake cache "
		"parameters"},
	{"zen4", "l1i=32k/8/64/4 l1d=32k/8/64/4 l2=1M/8/64/10 l3=32M/16/64/36 memory=250",
		"AMD, Software Optimization Guide for the AMD Zen4 Microarchitecture"},
	{"cortex-a53", "l1i=32k/2/64/1 l1d=32k/4/64/3 l2=512k/16/64/12 memory=150",
		"Arm, Cortex-A53 MPCore Processor Technical Reference Manual; "
		"sizes are those that many have"},
	{NULL, NULL, NULL}};

static enum poly_status
fail(const char *word, struct poly_error *error)
{
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"'%s' is no level, expected l1d=SIZE/WAYS/LINE/CYCLES, as l1d=32k/8/64/4, or "
		"memory=CYCLES",
		word);
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

/* The level that a word is about, and what is said of it; false: there is none such. */
static bool
take_name(const char *word, struct hierarchy_config *config)
{
	uint64_t cycles;
	if (strncmp(word, "memory=", 7) == 0) {
		if (!take_number(word + 7, strlen(word + 7), UINT32_MAX, &cycles))
			return false;
		config->memory_latency = (uint32_t)cycles;
		return true;
	}
	if (strncmp(word, "l1i=", 4) == 0) {
		config->split = true;
		return take_level(word + 4, &config->instructions);
	}
	if (strncmp(word, "l1d=", 4) == 0 && config->count == 0)
		return take_level(word + 4, &config->levels[config->count++]);
	if (word[0] != 'l' || config->count == HIERARCHY_LEVELS ||
		word[1] != (char)('1' + (int)config->count) || word[2] != '=')
		return false;
	return take_level(word + 3, &config->levels[config->count++]);
}

enum poly_status
levels_parse(const char *text, struct hierarchy_config *config, struct poly_error *error)
{
	*config = (struct hierarchy_config){.memory_latency = 100};
	for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
		const size_t n = strcspn(p, " ");
		char word[WORD_MOST + 1];
		if (n > WORD_MOST)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"a level of %zu bytes, at most %d are expected", n, WORD_MOST);
		memcpy(word, p, n);
		word[n] = '\0';
		if (!take_name(word, config))
			return fail(word, error);
		p += n;
	}
	return hierarchy_check(config, error);
}
