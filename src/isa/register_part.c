/* SPDX-License-Identifier: MIT */
#include "isa/register_part.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct register_part whole = {.bits = 64};

/* The part of a name of x86: Intel SDM volume 1, 3.4.1. */
static struct register_part
x86_part(const char *name)
{
	static const char *const segments[] = {"es", "cs", "ss", "ds", "fs", "gs"};
	const size_t n = strlen(name);
	const char last = n ? name[n - 1] : 0;
	for (unsigned i = 0; i < 6; i++) {
		if (strcmp(name, segments[i]) == 0)
			return whole;
	}
	if (*name == 'r' && isdigit((unsigned char)name[1]))
		return last == 'd'   ? (struct register_part){.bits = 32, .clears = true}
		       : last == 'w' ? (struct register_part){.bits = 16}
		       : last == 'b' ? (struct register_part){.bits = 8}
				     : whole;
	if (n == 3 && *name == 'e')
		return (struct register_part){.bits = 32, .clears = true};
	if (n == 2 && last == 'h')
		return (struct register_part){.shift = 8, .bits = 8};
	if (last == 'l' && (n == 2 || n == 3))
		return (struct register_part){.bits = 8};
	return n == 2 && isalpha((unsigned char)last) ? (struct register_part){.bits = 16}
						      : whole;
}

/* The part of a name of AArch64: of x registers, and of the lower half of vectors. */
static struct register_part
aarch64_part(const char *name)
{
	const char *const file = *name && isdigit((unsigned char)name[1])
					 ? strchr("bhsw", *name)
					 : NULL;
	if (!file)
		return whole;
	return (struct register_part){.bits = *file == 'b'   ? 8
					      : *file == 'h' ? 16
							     : 32,
		.clears = true};
}

struct register_part
register_part_of(const char *isa, const char *name)
{
	char lower[16] = "";
	for (size_t i = 0; name[i] && i + 1 < sizeof lower; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	if (!isa)
		return whole;
	if (strcmp(isa, "powerpc") == 0 && strncmp(lower, "cr", 2) == 0 && lower[2] >= '0' &&
		lower[2] <= '7')
		return (struct register_part){
			.shift = (uint8_t)(28 - 4 * (lower[2] - '0')), .bits = 4};
	if (strcmp(isa, "aarch64") == 0)
		return aarch64_part(lower);
	/* Two single registers are one double register: Arm architecture, A2.6.2. */
	if (strcmp(isa, "arm") == 0 && *lower == 's' && isdigit((unsigned char)lower[1]))
		return (struct register_part){
			.shift = strtoul(lower + 1, NULL, 10) % 2 ? 32 : 0, .bits = 32};
	if (strncmp(isa, "x86", 3) == 0)
		return x86_part(lower);
	return whole;
}

bool
register_part_get(
	const struct register_part *written, const struct register_part *wanted, uint64_t *value)
{
	if (written->bits == wanted->bits)
		return written->shift == wanted->shift;
	const bool contains = written->shift <= wanted->shift &&
			      written->shift + written->bits >= wanted->shift + wanted->bits;
	if (contains)
		*value = *value >> (wanted->shift - written->shift) &
			 (((uint64_t)1 << wanted->bits) - 1);
	return contains || (written->clears && !wanted->shift && wanted->bits > written->bits);
}
