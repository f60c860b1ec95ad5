/* SPDX-License-Identifier: MIT */
/* Branch predictors as in a course's program: one scan of the records per predictor. */
#include "baseline.h"

#include <string.h>

/* One predictor with a table of counters, and with history if it is a gshare. */
static uint64_t
one_pass(const struct baseline_uop *uops, size_t n, unsigned log2, int is_gshare)
{
	static int counters[1 << BASELINE_PREDICTOR_MAX];
	unsigned mask = (1u << log2) - 1, history = 0;
	uint64_t wrong = 0;
	memset(counters, 0, sizeof counters[0] << log2);
	for (size_t i = 0; i < n; i++) {
		if (uops[i].branch == '-' || uops[i].flags != 'R')
			continue;
		int taken = uops[i].branch == 'T';
		unsigned index = ((unsigned)uops[i].pc ^ (is_gshare ? history : 0)) & mask;
		if ((counters[index] >= 2) != taken)
			wrong++;
		if (taken) {
			if (counters[index] < 3)
				counters[index]++;
		} else if (counters[index] > 0) {
			counters[index]--;
		}
		history = history << 1 | (unsigned)taken;
	}
	return wrong;
}

void
baseline_predictors(const struct baseline_uop *uops, size_t n, uint64_t *wrong)
{
	for (unsigned log2 = BASELINE_PREDICTOR_MIN; log2 <= BASELINE_PREDICTOR_MAX; log2++) {
		*wrong++ = one_pass(uops, n, log2, 0);
		*wrong++ = one_pass(uops, n, log2, 1);
	}
}
