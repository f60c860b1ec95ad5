/* SPDX-License-Identifier: MIT */
/*
 * Hashes of numbers and bytes under a random seed, so that no input can be chosen to collide.
 *
 * A hash multiplies two 64-bit numbers, of which the seed is part, and folds the 128 bits of
 * the product: Wang Yi, Daniel Lemire and others, "Modern Non-Cryptographic Hash Function and
 * Pseudorandom Number Generator" (wyhash, 2020). Both halves of the product depend on the
 * secret factor, so equal places cannot be computed without it, unlike those of a
 * multiplication by a known number, which is invertible.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/bits.h"
#include "base/wide.h"

#include <stddef.h>
#include <stdint.h>

struct hash_seed {
	uint64_t mask, factor; /* factor: odd; 0: not drawn yet */
};

/* Draws a random seed. */
void hash_seed_draw(struct hash_seed *seed);

/* Returns the xor of both halves of a product. */
static inline uint64_t
hash_fold(uint64_t a, uint64_t b)
{
	const struct wide product = wide_multiply(a, b);
	return product.low ^ product.high;
}

/* Returns the hash of a hash and one more number. */
static inline uint64_t
hash_add(const struct hash_seed *seed, uint64_t hash, uint64_t number)
{
	return hash_fold(hash ^ number ^ seed->mask, seed->factor);
}

/* Returns the hash of a number. It is mixed twice, as after one product the hashes of
 * equidistant numbers may be equidistant, and fill a table in clusters. */
static inline uint64_t
hash_number(const struct hash_seed *seed, uint64_t number)
{
	return hash_add(seed, hash_add(seed, number, 0), 0);
}

/* Returns the hash of two numbers, to be mixed again for a place in a table. */
static inline uint64_t
hash_pair(const struct hash_seed *seed, uint64_t a, uint64_t b)
{
	return hash_fold(a ^ seed->mask, b ^ seed->factor);
}

/* The same of n bytes. */
static inline uint64_t
hash_bytes(const struct hash_seed *seed, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	const size_t size = n;
	uint64_t hash = 0, last = 0;
	for (; n >= 8; p += 8, n -= 8)
		hash = hash_add(seed, hash, load_le64(p));
	while (n)
		last = last << 8 | p[--n];
	return hash_pair(seed, hash ^ last, size);
}

#endif
