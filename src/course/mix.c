/* SPDX-License-Identifier: MIT */
/* Homework 1: the mix of micro-ops. */
#include "course/mix.h"

#include "course/text.h"

#include <inttypes.h>

const char *const course_category_names[COURSE_CATEGORIES] = {
	"loads", "stores", "unconditionalbranches", "conditionalbranches", "other"};

/* Returns the bits of a distance: 2 + floor(log2(distance)); 2 for distance 0. */
static unsigned
distance_bits(uint64_t source, uint64_t target)
{
	const uint64_t distance = target > source ? target - source : source - target;
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
count_group(struct course_mix *mix, const struct course_uop *uop)
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
	count_group(mix, uop);
	mix->categories[category_of(uop)]++;
	if (uop->target) {
		mix->bits[distance_bits(uop->pc, uop->target)]++;
		if (uop->fallthrough)
			mix->from_fallthrough[distance_bits(uop->fallthrough, uop->target)]++;
	}
	mix->pairs += mix->ends_writing && conditional;
	if (!mix->count.uops)
		mix->begins_conditional = conditional;
	mix->ends_writing = uop->flags == 'W';
	course_count(&mix->count, uop);
}

static void
add_counts(uint64_t *sum, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += counts[i];
}

void
course_mix_merge(struct course_mix *mix, const struct course_mix *next)
{
	if (!next->count.uops)
		return;
	mix->pairs += next->pairs + (mix->ends_writing && next->begins_conditional);
	if (!mix->count.uops)
		mix->begins_conditional = next->begins_conditional;
	mix->ends_writing = next->ends_writing;
	if (mix->open)
		mix->open += next->lead;
	else if (!mix->count.mops)
		mix->lead += next->lead;
	if (next->count.mops) {
		end_group(mix);
		mix->open = next->open;
	}
	mix->count.uops += next->count.uops;
	mix->count.mops += next->count.mops;
	add_counts(mix->groups, next->groups, COURSE_MIX_SIZES);
	add_counts(mix->sizes, next->sizes, COURSE_MIX_SIZES);
	add_counts(mix->bits, next->bits, COURSE_MIX_BITS);
	add_counts(mix->from_fallthrough, next->from_fallthrough, COURSE_MIX_BITS);
	add_counts(mix->categories, next->categories, COURSE_CATEGORIES);
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
quotient(uint64_t part, uint64_t total)
{
	return (double)part / (double)total;
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
course_mix_top_category(const struct course_mix *mix)
{
	enum course_category top = COURSE_LOAD;
	for (enum course_category i = COURSE_STORE; i < COURSE_CATEGORIES; i++)
		top = mix->categories[i] > mix->categories[top] ? i : top;
	return top;
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

/* Prints a line for each number from first that occurs: words, number, unit, percent. */
static void
print_percents(struct buf *out, const char *const words[2], const uint64_t *counts, size_t n,
	size_t first)
{
	const uint64_t total = course_mix_sum(counts, n);
	for (size_t i = first; i < n; i++) {
		if (counts[i])
			buf_printf(out, "  Percent of %s %2zu%s: %4.1f%%\n", words[0], i,
				words[1], course_percent(counts[i], total));
	}
}

void
course_mix_wustl(const struct course_mix *mix, struct buf *out)
{
	static const char *const words[][2] = {{"mops consisting of", " uops"},
		{"mops of length", " bytes"}, {"targets requiring", " bits"},
		{"uops of type", " "}};
	print_percents(out, words[0], mix->groups, COURSE_MIX_SIZES, 1);
	print_percents(out, words[1], mix->sizes, COURSE_MIX_SIZES, 1);
	print_percents(out, words[2], mix->bits, COURSE_MIX_BITS, 1);
	print_percents(out, words[3], mix->categories, COURSE_CATEGORIES, 0);
}

static void
print_real(struct buf *out, const char *what, double value)
{
	if (value >= 0)
		buf_printf(out, "%s = %.6f\n", what, value);
}

/* Prints the nonzero counts of a distribution: words, number, unit. */
static void
print_counts(struct buf *out, const char *const words[2], const uint64_t *counts, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (counts[i])
			buf_printf(out, "%s %zu %s = %" PRIu64 "\n", words[0], i, words[1],
				counts[i]);
	}
}

static void
print_fractions(const struct course_mix *mix, struct buf *out)
{
	for (unsigned n = 1; n <= COURSE_MIX_PENN && course_mix_near(mix, n) >= 0; n++)
		buf_printf(out, "fractionOfBranchTargetsLteNBits(%u) = %.6f\n", n,
			course_mix_near(mix, n));
	for (unsigned n = 1; n <= COURSE_MIX_PENN && course_mix_small(mix, n) >= 0; n++)
		buf_printf(out, "fractionOfInsnsLteNBytes(%u) = %.6f\n", n,
			course_mix_small(mix, n));
}

void
course_mix_penn(const struct course_mix *mix, struct buf *out)
{
	static const char *const words[][2] = {{"macro-ops of", "micro-ops"},
		{"macro-ops of", "bytes"}, {"branch targets of", "bits"}};
	const uint64_t uops = mix->count.uops, far = course_mix_far(mix);
	buf_printf(out, "micro-ops = %" PRIu64 "\nmacro-ops = %" PRIu64 "\n", uops,
		mix->count.mops);
	print_real(out, "micro-ops per macro-op", quotient(uops, mix->count.mops));
	print_counts(out, words[0], mix->groups, COURSE_MIX_SIZES);
	print_real(out, "avgInsnSize", course_mix_size(mix));
	print_counts(out, words[1], mix->sizes, COURSE_MIX_SIZES);
	print_counts(out, words[2], mix->bits, COURSE_MIX_BITS);
	for (size_t i = 0; i < COURSE_CATEGORIES; i++)
		buf_printf(out, "%s = %" PRIu64 "\n", course_category_names[i],
			mix->categories[i]);
	if (uops)
		buf_printf(out, "mostCommonUopCategory = %s\n",
			course_category_names[course_mix_top_category(mix)]);
	print_fractions(mix, out);
	buf_printf(out, "branches of more than %d bits = %" PRIu64 "\n", COURSE_MIX_SHORT, far);
	print_real(
		out, "instructions with short offsets, relative", quotient(uops + far, uops));
	buf_printf(out, "fused pairs = %" PRIu64 "\n", mix->pairs);
	print_real(out, "speedup of fusion", quotient(uops, uops - mix->pairs));
}
