/* SPDX-License-Identifier: MIT */
/*
 * The PowerPC table against the seed's lists and the architecture's rules, written down here a
 * second time.
 *
 * spec: seed 000 (the two tables of classes), reference amber 2.4, 4.2, 4.3, 4.5, 4.8.
 */
#include "isa/powerpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The seed's lists, in its order: primaries alone, then minors of 31. */
static const unsigned memory_primaries[] = {34, 35, 50, 51, 48, 49, 42, 43, 40, 41, 46, 32, 33,
	38, 39, 54, 55, 52, 53, 44, 45, 47, 36, 37, 58, 62};
static const unsigned memory_minors[] = {597, 119, 87, 631, 599, 567, 535, 375, 343, 790, 311,
	279, 597, 20, 534, 55, 23, 7, 39, 71, 103, 359, 310, 438, 247, 215, 759, 727, 983, 695,
	663, 918, 439, 407, 725, 662, 150, 183, 151, 135, 167, 199, 231, 487, 21, 53, 84, 341,
	373, 149, 181, 214};
static const unsigned extended_minors[] = {533, 661, 342, 374};
static const unsigned cache_minors[] = {758, 86, 470, 54, 278, 246, 1014, 982};

static bool
has(const unsigned *list, size_t n, unsigned value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool
is_flow(unsigned major, unsigned minor)
{
	return major == 18 || major == 16 || (major == 19 && minor == 528) ||
	       (major == 19 && minor == 16) || (major == 19 && minor == 50) || major == 17 ||
	       (major == 19 && minor == 18);
}

static enum powerpc_class
class_of_seed(unsigned major, unsigned minor)
{
	if (major == 0)
		return POWERPC_ESCAPE;
	if (is_flow(major, minor))
		return POWERPC_FLOW;
	if (has(memory_primaries, COUNT(memory_primaries), major))
		return POWERPC_MEMORY;
	if (major != 31)
		return POWERPC_COMPUTE;
	if (has(memory_minors, COUNT(memory_minors), minor))
		return POWERPC_MEMORY;
	if (has(extended_minors, COUNT(extended_minors), minor))
		return POWERPC_EXTENDED;
	if (has(cache_minors, COUNT(cache_minors), minor))
		return POWERPC_CACHE;
	return POWERPC_COMPUTE;
}

static void
classes_are_those_of_the_seed_for_every_opcode(void **state)
{
	(void)state;
	for (uint32_t major = 0; major < 64; major++)
		for (uint32_t minor = 0; minor < 1024; minor++)
			for (uint32_t other = 0; other < 4; other++) {
				uint32_t opcode = major << 26 | minor << 1 | (other & 1) |
						  (other & 2 ? 0x03fff800 : 0);
				enum powerpc_class cls = class_of_seed(major, minor);
				assert_int_equal(powerpc_class(opcode), cls);
				assert_int_equal(powerpc_class_fast(opcode), cls);
				assert_int_equal(powerpc_find(opcode)->cls, cls);
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_those_of_the_seed_for_every_opcode),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
