/* SPDX-License-Identifier: MIT */
/*
 * Samples of repetitive cases. With POLYTRACE_SAMPLE=N in the environment, a test tries about
 * one of N cases, which POLYTRACE_SEED determines. Without it, a test tries all cases.
 */
#ifndef TESTS_SAMPLING_H
#define TESTS_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns a number of the environment, or 0. */
static inline uint64_t
sample_setting(const char *name)
{
	const char *text = getenv(name);
	return text ? strtoull(text, NULL, 0) : 0;
}

/* Whether all cases are tried. */
static inline bool
sample_is_complete(void)
{
	return sample_setting("POLYTRACE_SAMPLE") < 2;
}

/* The seed of random cases. A complete run has the same cases every time. */
static inline uint64_t
sample_seed(void)
{
	return sample_is_complete() ? 0 : sample_setting("POLYTRACE_SEED");
}

/* Whether the next case is in a sample of one of N / share. Not for several threads. */
static inline bool
sample_takes_share(unsigned share)
{
	static uint64_t state;
	const uint64_t one_of = sample_setting("POLYTRACE_SAMPLE") / share;
	if (one_of < 2)
		return true;
	state = (state ? state : sample_seed() + 1) * 6364136223846793005u +
		1442695040888963407u;
	return (state >> 33) % one_of == 0;
}

/* Whether the next case is in the sample. Not for several threads. */
static inline bool
sample_takes(void)
{
	return sample_takes_share(1);
}

/* Whether a case is tried of some that take long: a sample has one, which the seed and the
 * build determine. */
static inline bool
sample_takes_case(unsigned index, unsigned count)
{
	return sample_is_complete() ||
	       (sample_setting("POLYTRACE_SEED") + sample_setting("POLYTRACE_SAMPLE") / 8) %
			       count ==
		       index;
}

#endif
