/* SPDX-License-Identifier: MIT */
/* What the drivers of simulators share: accesses from standard input and settings. */
#ifndef MODELS_DRIVE_H
#define MODELS_DRIVE_H

#include <stddef.h>
#include <stdint.h>

/* Accesses as columns; one line of input each: "r|w|f ADDRESS SIZE THREAD", address in hex. */
struct accesses {
	uint64_t *addresses;
	uint8_t *kinds; /* enum cache_kind */
	uint32_t *sizes, *threads;
	size_t count;
};

/* Settings of the command line: KEY=NUMBER. */
struct settings {
	char **words; /* up to a NULL */
};

/* The number of a key, or otherwise; behind a prefix ("l2." "ways") where that is not NULL. */
uint64_t setting(const struct settings *settings, const char *prefix, const char *key,
	uint64_t otherwise);

/* A driver prints what its machine says of the accesses. */
#define DRIVER(name) \
	void drive_##name(const struct settings *settings, const struct accesses *accesses)
DRIVER(cache);
DRIVER(distance);
DRIVER(associativity);
DRIVER(shards);
DRIVER(hierarchy);
DRIVER(classify);
DRIVER(opt);
DRIVER(paging);
DRIVER(tlb);
DRIVER(coherence);

#endif
