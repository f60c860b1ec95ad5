/* SPDX-License-Identifier: MIT */
/* Checksums of bytes. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if this build lacks the library: then every checksum is 0. */
bool checksum_available(void);

/* XXH3 with 64 bits and seed 0 of n bytes. */
uint64_t checksum(const void *p, size_t n);

#endif
