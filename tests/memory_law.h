/* SPDX-License-Identifier: MIT */
/*
 * The law of lack of memory: an operation runs with its first allocation and all later ones
 * failing, then from the second one on, and so on, until all of them succeed. Each lack is
 * reported as POLY_ERR_MEMORY, or the operation does without that memory, and every run frees
 * all that it allocated. In a build without failing allocations, the operation runs once.
 */
#ifndef TESTS_MEMORY_LAW_H
#define TESTS_MEMORY_LAW_H

#include "sampling.h"

#include "base/mem.h"
#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct memory_law {
	/* Allocates; returns a status of at least 0 for success, with results that it has
	 * checked. */
	enum poly_status (*run)(void *context);
	/* Called before and after each run, when allocations succeed; NULL: nothing to do. */
	void (*prepare)(void *context);
	void (*release)(void *context);
	void *context;
	bool is_tolerant; /* a lack of some memory need not be an error: less speed, say */
	bool is_sampled;  /* tries one of POLYTRACE_SAMPLE allocations */
	size_t every;	  /* tries each of the first allocations up to this number, then fewer
			     and fewer; 0: each */
};

/* The result of a law: how often the operation was tried, and the text of a violation. */
struct memory_result {
	size_t allocations; /* of the operation; SIZE_MAX: they cannot fail in this build */
	char fault[120];    /* "": the law holds */
};

#ifdef POLY_FAULT_INJECTION
/* Runs an operation with its k-th allocation failing; returns its number of allocations. */
static inline size_t
memory_law_try(const struct memory_law *law, size_t k, enum poly_status *status, size_t *leaks)
{
	const size_t live = mem_live();
	if (law->prepare)
		law->prepare(law->context);
	mem_fail_at(k);
	*status = law->run(law->context);
	const size_t count = mem_fail_at(0);
	if (law->release)
		law->release(law->context);
	*leaks = mem_live() - live;
	return count;
}

static inline struct memory_result
memory_law_check(const struct memory_law *law)
{
	struct memory_result result = {.fault = ""};
	for (size_t k = 1; !result.fault[0]; k += law->every ? 1 + k / law->every : 1) {
		enum poly_status status;
		size_t leaks;
		if (law->is_sampled && !sample_takes())
			continue;
		const size_t count = memory_law_try(law, k, &status, &leaks);
		const bool is_reached = count >= k;
		const bool is_valid = is_reached && status != POLY_ERR_MEMORY
					      ? law->is_tolerant && status >= POLY_OK
					      : is_reached || status >= POLY_OK;
		if (!is_valid || leaks)
			snprintf(result.fault, sizeof result.fault,
				"allocation %zu fails%s: status %d, %zd blocks are not freed",
				k, is_reached ? "" : ", which is not reached", status,
				(ptrdiff_t)leaks);
		result.allocations = count;
		if (!is_reached)
			break;
	}
	return result;
}
#else
static inline struct memory_result
memory_law_check(const struct memory_law *law)
{
	struct memory_result result = {.allocations = SIZE_MAX};
	if (law->prepare)
		law->prepare(law->context);
	const enum poly_status status = law->run(law->context);
	if (law->release)
		law->release(law->context);
	if (status < POLY_OK)
		snprintf(result.fault, sizeof result.fault, "status %d", status);
	return result;
}
#endif

#endif
