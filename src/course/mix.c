/* SPDX-License-Identifier: MIT */
/* Homework 1: the mix of micro-ops. */
#include "course/mix.h"

#include "course/text.h"

#include <inttypes.h>

const char *const course_category_names[COURSE_CATEGORIES] = {
	"loads", "stores", "unconditionalbranches", "conditionalbranches", "other"};

/* Bits that a distance takes: 2 + floor(log2(distance)); 2 for none (3, row 24). */
static unsigned
distance_bits(uint64_t from, uint64_t to)
{
	const uint64_t distance = to > from ? to - from : from - to;
	return distance ? 65 - (unsigned)__builtin_clzll(distance) : 2;
}

static void
end_group(struct course_mix *mix)
{
	if (mix->open)
		mix->groups[mix->open < COURSE_MIX_SIZES ? mix->open : 0]++;
	mix->open = 0;
}

void
course_mix_cut(struct course_mix *mix)
{
	end_group(mix);
	mix->ends_writing = false;
}

static void
take_group(struct course_mix *mix, const struct course_uop *uop)
{
	if (uop->uop == 1) {
		const uint64_t bytes = uop->fallthrough ? uop->fallthrough - uop->pc : 0;
		end_group(mix);
		mix->sizes[bytes < COURSE_MIX_SIZES ? bytes : 0]++;
		mix->open = 1;
	} else if (mix->open) {
		mix->open++;
	} else if (!mix->count.mops) {
		mix->lead++;
	}
}

static enum course_category
category_of(const struct course_uop *uop)
{
	if (uop->ldst != '-')
		return uop->ldst == 'L' ? COURSE_LOAD : COURSE_STORE;
	if (uop->target && uop->flags == '-')
		return COURSE_UNCONDITIONAL;
	return uop->target && uop->flags == 'R' ? COURSE_CONDITIONAL : COURSE_OTHER;
}

void
course_mix_uop(struct course_mix *mix, const struct course_uop *uop)
{
	const bool conditional = uop->target && uop->flags == 'R';
	take_group(mix, uop);
	mix->categories[category_of(uop)]++;
	if (uop->target) {
		mix->bits[distance_bits(uop->pc, uop->target)]++;
		if (uop->fallthrough)
			mix->from_behind[distance_bits(uop->fallthrough, uop->target)]++;
	}
	mix->pairs += mix->ends_writing && conditional;
	if (!mix->count.uops)
		mix->begins_conditional = conditional;
	mix->ends_writing = uop->flags == 'W';
	course_count(&mix->count, uop);
}

static void
add(uint64_t *to, const uint64_t *more, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += more[i];
}

void
course_mix_merge(struct course_mix *mix, const struct course_mix *more)
{
	if (!more->count.uops)
		return;
	mix->pairs += more->pairs + (mix->ends_writing && more->begins_conditional);
	if (!mix->count.uops)
		mix->begins_conditional = more->begins_conditional;
	mix->ends_writing = more->ends_writing;
	if (mix->open)
		mix->open += more->lead;
	else if (!mix->count.mops)
		mix->lead += more->lead;
	if (more->count.mops) {
		end_group(mix);
		mix->open = more->open;
	}
	mix->count.uops += more->count.uops;
	mix->count.mops += more->count.mops;
	add(mix->groups, more->groups, COURSE_MIX_SIZES);
	add(mix->sizes, more->sizes, COURSE_MIX_SIZES);
	add(mix->bits, more->bits, COURSE_MIX_BITS);
	add(mix->from_behind, more->from_behind, COURSE_MIX_BITS);
	add(mix->categories, more->categories, COURSE_CATEGORIES);
}

uint64_t
course_mix_sum(const uint64_t *counts, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

static double
quotient(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole;
}

uint64_t
course_mix_far(const struct course_mix *mix)
{
	return course_mix_sum(mix->bits, COURSE_MIX_BITS) -
	       course_mix_sum(mix->bits, COURSE_MIX_SHORT + 1);
}

double
course_mix_size(const struct course_mix *mix)
{
	uint64_t bytes = 0;
	for (size_t i = 1; i < COURSE_MIX_SIZES; i++)
		bytes += i * mix->sizes[i];
	return quotient(bytes, course_mix_sum(mix->sizes + 1, COURSE_MIX_SIZES - 1));
}

enum course_category
course_mix_most(const struct course_mix *mix)
{
	enum course_category most = COURSE_LOAD;
	for (enum course_category i = COURSE_STORE; i < COURSE_CATEGORIES; i++)
		most = mix->categories[i] > mix->categories[most] ? i : most;
	return most;
}

double
course_mix_near(const struct course_mix *mix, unsigned n)
{
	return quotient(
		course_mix_sum(mix->bits, n + 1), course_mix_sum(mix->bits, COURSE_MIX_BITS));
}

double
course_mix_small(const struct course_mix *mix, unsigned n)
{
	return quotient(course_mix_sum(mix->sizes + 1, n),
		course_mix_sum(mix->sizes + 1, COURSE_MIX_SIZES - 1));
}

/* A line for each number from first on that occurs: what it says, the number, unit, percent. */
static void
put_percents(struct buf *to, const char *const words[2], const uint64_t *counts, size_t n,
	size_t first)
{
	const uint64_t whole = course_mix_sum(counts, n);
	for (size_t i = first; i < n; i++) {
		if (counts[i])
			buf_printf(to, "  Percent of %s %2zu%s: %4.1f%%\n", words[0], i,
				words[1], course_percent(counts[i], whole));
	}
}

void
course_mix_wustl(const struct course_mix *mix, struct buf *to)
{
	static const char *const words[][2] = {{"mops consisting of", " uops"},
		{"mops of length", " bytes"}, {"targets requiring", " bits"},
		{"uops of type", " "}};
	put_percents(to, words[0], mix->groups, COURSE_MIX_SIZES, 1);
	put_percents(to, words[1], mix->sizes, COURSE_MIX_SIZES, 1);
	put_percents(to, words[2], mix->bits, COURSE_MIX_BITS, 1);
	put_percents(to, words[3], mix->categories, COURSE_CATEGORIES, 0);
}

static void
put_real(struct buf *to, const char *what, double value)
{
	if (value >= 0)
		buf_printf(to, "%s = %.6f\n", what, value);
}

/* The counts of a distribution that are not 0: what of number, unit. */
static void
put_counts(struct buf *to, const char *const words[2], const uint64_t *counts, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (counts[i])
			buf_printf(to, "%s %zu %s = %" PRIu64 "\n", words[0], i, words[1],
				counts[i]);
	}
}

static void
put_fractions(const struct course_mix *mix, struct buf *to)
{
	for (unsigned n = 1; n <= COURSE_MIX_PENN && course_mix_near(mix, n) >= 0; n++)
		buf_printf(to, "fractionOfBranchTargetsLteNBits(%u) = %.6f\n", n,
			course_mix_near(mix, n));
	for (unsigned n = 1; n <= COURSE_MIX_PENN && course_mix_small(mix, n) >= 0; n++)
		buf_printf(to, "fractionOfInsnsLteNBytes(%u) = %.6f\n", n,
			course_mix_small(mix, n));
}

void
course_mix_penn(const struct course_mix *mix, struct buf *to)
{
	static const char *const words[][2] = {{"macro-ops of", "micro-ops"},
		{"macro-ops of", "bytes"}, {"branch targets of", "bits"}};
	const uint64_t uops = mix->count.uops, far = course_mix_far(mix);
	buf_printf(to, "micro-ops = %" PRIu64 "\nmacro-ops = %" PRIu64 "\n", uops,
		mix->count.mops);
	put_real(to, "micro-ops per macro-op", quotient(uops, mix->count.mops));
	put_counts(to, words[0], mix->groups, COURSE_MIX_SIZES);
	put_real(to, "avgInsnSize", course_mix_size(mix));
	put_counts(to, words[1], mix->sizes, COURSE_MIX_SIZES);
	put_counts(to, words[2], mix->bits, COURSE_MIX_BITS);
	for (size_t i = 0; i < COURSE_CATEGORIES; i++)
		buf_printf(
			to, "%s = %" PRIu64 "\n", course_category_names[i], mix->categories[i]);
	if (uops)
		buf_printf(to, "mostCommonUopCategory = %s\n",
			course_category_names[course_mix_most(mix)]);
	put_fractions(mix, to);
	buf_printf(to, "branches of more than %d bits = %" PRIu64 "\n", COURSE_MIX_SHORT, far);
	put_real(to, "instructions with short offsets, relative", quotient(uops + far, uops));
	buf_printf(to, "fused pairs = %" PRIu64 "\n", mix->pairs);
	put_real(to, "speedup of fusion", quotient(uops, uops - mix->pairs));
}
