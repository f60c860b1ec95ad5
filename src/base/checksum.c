/* SPDX-License-Identifier: MIT */
/* Checksums. spec: XXH3 of the xxHash library, version 0.8. */
#include "base/checksum.h"

#ifdef POLY_WITH_XXHASH
#include <xxhash.h>
#endif

bool
checksum_available(void)
{
#ifdef POLY_WITH_XXHASH
	return true;
#else
	return false;
#endif
}

uint64_t
checksum(const void *p, size_t n)
{
#ifdef POLY_WITH_XXHASH
	return XXH3_64bits(p, n);
#else
	(void)p;
	(void)n;
	return 0;
#endif
}
