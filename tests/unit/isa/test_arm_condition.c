/* SPDX-License-Identifier: MIT */
/* Conditions of ARM instructions, against the table of the manual. */
#include "test_help.h"

#include "isa/arm_condition.h"

#include <string.h>

/* Arm Architecture Reference Manual ARMv7-A, table A8-1: a condition of the flags N, Z, C and V
 * in each row; '!': not, '&': and, '|': or; "N=V": N equals V. */
static const char *const table[16] = {"Z", "!Z", "C", "!C", "N", "!N", "V", "!V", "C&!Z",
	"!C|Z", "N=V", "N#V", "!Z&N=V", "Z|N#V", "", ""};

static bool
flag_is(const char *term, unsigned flags)
{
	const char *const names = "VCZN";
	const bool negated = *term == '!';
	const bool value = flags >> (strchr(names, term[negated]) - names) & 1;
	if (term[1] == '=' || term[1] == '#')
		return (value == (flags & 1)) == (term[1] == '=');
	return value != negated;
}

static bool
holds(const char *row, unsigned flags)
{
	const char *joint = strpbrk(row, "&|");
	if (!*row)
		return true;
	if (!joint)
		return flag_is(row, flags);
	return *joint == '&' ? flag_is(row, flags) && flag_is(joint + 1, flags)
			     : flag_is(row, flags) || flag_is(joint + 1, flags);
}

static void
conditions_of_a32_are_those_of_the_table(void **state)
{
	(void)state;
	for (uint32_t condition = 0; condition < 16; condition++) {
		for (uint32_t flags = 0; flags < 16; flags++)
			assert_int_equal(arm_condition_passes(condition << 28 | 0x01a00000, 4,
						 false, flags << 28 | 0x10),
				holds(table[condition], flags));
	}
}

static void
branches_of_thumb_have_conditions(void **state)
{
	(void)state;
	for (uint32_t condition = 0; condition < 14; condition++) {
		for (uint32_t flags = 0; flags < 16; flags++) {
			const bool expected = holds(table[condition], flags);
			assert_int_equal(arm_condition_passes(
						 0xd000 | condition << 8, 2, true, flags << 28),
				expected);
			assert_int_equal(arm_condition_passes(0xf0008000 | condition << 22, 4,
						 true, flags << 28),
				expected);
		}
	}
	/* UDF and SVC; BL; LDR: always. */
	assert_true(arm_condition_passes(0xde00, 2, true, 0));
	assert_true(arm_condition_passes(0xdf00, 2, true, 0));
	assert_true(arm_condition_passes(0xf000f800, 4, true, 0));
	assert_true(arm_condition_passes(0x6800, 2, true, 0));
	/* MSR APSR_nzcvq, r0 has the pattern of a branch but for its condition. */
	assert_true(arm_condition_passes(0xf3808800, 4, true, 0));
}

static void
it_blocks_have_conditions(void **state)
{
	(void)state;
	/* ITSTATE is in bits 26 to 25 (1 to 0) and 15 to 10 (7 to 2). */
	for (uint32_t block = 0; block < 256; block++) {
		const uint32_t cpsr = (block & 3) << 25 | (block & 0xfc) << 8 | 0x20;
		for (uint32_t flags = 0; flags < 16; flags++) {
			const bool expected = !(block & 15) || holds(table[block >> 4], flags);
			assert_int_equal(
				arm_condition_passes(0x6800, 2, true, flags << 28 | cpsr),
				expected);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_of_a32_are_those_of_the_table),
		cmocka_unit_test(branches_of_thumb_have_conditions),
		cmocka_unit_test(it_blocks_have_conditions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
