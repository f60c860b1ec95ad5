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

/* Returns the number of a key, or a default; prefix is prepended unless NULL ("l2." "ways"). */
uint64_t setting(const struct settings *settings, const char *prefix, const char *key,
	uint64_t otherwise);

/* A driver prints the results of its machine for the accesses. */
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
