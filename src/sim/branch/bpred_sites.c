/* SPDX-License-Identifier: MIT */
/* Counters of each static branch. */
#include "sim/branch/bpred_sites.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

bool
bpred_sites_count(struct bpred_sites *sites, const uint32_t *numbers, const uint8_t *taken,
	const uint8_t *predicted, size_t n)
{
	uint32_t highest = 0;
	for (size_t i = 0; i < n; i++)
		highest = numbers[i] > highest ? numbers[i] : highest;
	if (n && !VEC_ROOM_ZEROED(sites->sites, sites->capacity, highest))
		return false;
	if (n && sites->count <= highest)
		sites->count = (size_t)highest + 1;
	for (size_t i = 0; i < n; i++) {
		struct bpred_site *site = &sites->sites[numbers[i]];
		site->executions++;
		site->taken += taken[i];
		site->wrong += taken[i] ^ predicted[i];
	}
	return true;
}

/* Inserts a site into the sorted list of the count worst ones, of at most max. */
static size_t
insert(const struct bpred_sites *sites, uint32_t *worst, size_t count, size_t max, size_t site)
{
	uint64_t wrong = sites->sites[site].wrong;
	size_t at = count < max ? count : max - 1;
	if (count == max && wrong <= sites->sites[worst[at]].wrong)
		return count;
	for (; at && sites->sites[worst[at - 1]].wrong < wrong; at--)
		worst[at] = worst[at - 1];
	worst[at] = (uint32_t)site;
	return count < max ? count + 1 : count;
}

size_t
bpred_sites_worst(const struct bpred_sites *sites, uint32_t *worst, size_t max)
{
	size_t count = 0;
	for (size_t site = 0; site < sites->count && max; site++)
		if (sites->sites[site].wrong)
			count = insert(sites, worst, count, max, site);
	return count;
}

void
bpred_sites_free(struct bpred_sites *sites)
{
	mem_free(sites->sites);
	memset(sites, 0, sizeof *sites);
}

double
bpred_mpki(uint64_t wrong, uint64_t instructions)
{
	return instructions ? 1000.0 * (double)wrong / (double)instructions : 0.0;
}
