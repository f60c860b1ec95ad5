/* SPDX-License-Identifier: MIT */
/* Products of 64-bit numbers, which have 128 bits: by the compiler's type, or without it on
 * machines of 32 bits. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdint.h>

struct wide {
	uint64_t high, low;
};

/* Returns a * b from the products of the halves. */
static inline struct wide
wide_multiply_halves(uint64_t a, uint64_t b)
{
	const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b,
		       b_high = b >> 32;
	const uint64_t low = a_low * b_low;
	/* Neither sum overflows: (2^32 - 1)^2 + 2 * (2^32 - 1) = 2^64 - 1. */
	const uint64_t middle = a_high * b_low + (low >> 32);
	const uint64_t cross = a_low * b_high + (uint32_t)middle;
	return (struct wide){.high = a_high * b_high + (middle >> 32) + (cross >> 32),
		.low = cross << 32 | (uint32_t)low};
}

/* Returns n / divisor, rounded down, bit by bit; divisor > n.high. */
static inline uint64_t
wide_divide_bits(struct wide n, uint64_t divisor)
{
	uint64_t rest = n.high, quotient = 0;
	for (int bit = 63; bit >= 0; bit--) {
		const uint64_t carry = rest >> 63;
		rest = rest << 1 | (n.low >> bit & 1);
		quotient <<= 1;
		if (carry || rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}
	return quotient;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide_number;

static inline struct wide
wide_multiply(uint64_t a, uint64_t b)
{
	const wide_number product = (wide_number)a * b;
	return (struct wide){.high = (uint64_t)(product >> 64), .low = (uint64_t)product};
}

static inline uint64_t
wide_divide(struct wide n, uint64_t divisor)
{
	return (uint64_t)(((wide_number)n.high << 64 | n.low) / divisor);
}
#else
static inline struct wide
wide_multiply(uint64_t a, uint64_t b)
{
	return wide_multiply_halves(a, b);
}

static inline uint64_t
wide_divide(struct wide n, uint64_t divisor)
{
	return wide_divide_bits(n, divisor);
}
#endif

#endif
