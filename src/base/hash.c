/* SPDX-License-Identifier: MIT */
/* Random seeds of hash tables. */
#define _DEFAULT_SOURCE
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

void
hash_seed_draw(struct hash_seed *seed)
{
	/* Before the system has random numbers, the time and the place in memory replace them.
	 */
	if (getrandom(seed, sizeof *seed, GRND_NONBLOCK) != sizeof *seed) {
		struct timespec now = {0};
		clock_gettime(CLOCK_MONOTONIC, &now);
		seed->mask = hash_fold((uint64_t)now.tv_nsec ^ 0x9e3779b97f4a7c15u,
			(uintptr_t)seed ^ 0xd6e8feb86659fd93u);
		seed->factor =
			hash_fold(seed->mask, (uint64_t)now.tv_sec ^ 0x9e3779b97f4a7c15u);
	}
	seed->factor |= 1;
}
