/* SPDX-License-Identifier: MIT */
/* Growable arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/vec.h"

static void
elements_stay_when_an_array_grows(void **state)
{
	(void)state;
	uint64_t *list = NULL;
	size_t capacity = 0, growths = 0;
	for (size_t count = 0; count < 10000; count++) {
		const size_t old = capacity;
		assert_true(VEC_ROOM(list, capacity, count));
		assert_true(capacity > count && (old == capacity || capacity >= 2 * old));
		growths += old != capacity;
		list[count] = ~(uint64_t)count;
	}
	assert_in_range(growths, 1, 14);
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(list[i], ~(uint64_t)i);
	mem_free(list);
}

static void
new_elements_are_zeroed(void **state)
{
	(void)state;
	uint16_t *list = NULL;
	uint32_t capacity = 0;
	for (size_t count = 1; count < 5000; count = count * 3 / 2 + 1) {
		const uint32_t old = capacity;
		assert_true(VEC_RESERVE_ZEROED(list, capacity, count));
		assert_true(capacity >= count);
		for (size_t i = old; i < capacity; i++) {
			assert_int_equal(list[i], 0);
			list[i] = 0xffff;
		}
	}
	assert_true(VEC_ROOM_ZEROED(list, capacity, capacity));
	assert_int_equal(list[capacity - 1], 0);
	mem_free(list);
}

/* Arrays of elements of any size have the same capacity, so that one number is enough. */
static void
arrays_of_one_capacity_grow_alike(void **state)
{
	(void)state;
	uint8_t *small = NULL;
	struct {
		char bytes[1000];
	} *large = NULL;
	uint32_t capacities[2] = {0, 0};
	for (size_t count = 1; count < 3000; count += count) {
		assert_true(VEC_RESERVE(small, capacities[0], count));
		assert_true(VEC_RESERVE(large, capacities[1], count));
		assert_int_equal(capacities[0], capacities[1]);
	}
	mem_free(small);
	mem_free(large);
}

static void
an_array_without_room_is_unchanged(void **state)
{
	(void)state;
	char *list = NULL;
	uint32_t narrow = 0;
	size_t wide = 0;
	uint64_t *numbers = NULL;
	assert_true(VEC_RESERVE(list, narrow, 100));
	char *const before = list;
	const size_t beyond = (size_t)UINT32_MAX + 1;
	assert_false(VEC_RESERVE(list, narrow, beyond));
	assert_ptr_equal(list, before);
	assert_int_equal(narrow, 100);
	assert_false(VEC_RESERVE(numbers, wide, SIZE_MAX / 8 + 1));
	assert_null(numbers);
	assert_int_equal(wide, 0);
#ifdef POLY_FAULT_INJECTION
	mem_fail_at(1);
	assert_false(VEC_ROOM(list, narrow, narrow));
	assert_false(VEC_ROOM_ZEROED(list, narrow, narrow));
	mem_fail_at(0);
	assert_ptr_equal(list, before);
	assert_int_equal(narrow, 100);
#endif
	mem_free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay_when_an_array_grows),
		cmocka_unit_test(new_elements_are_zeroed),
		cmocka_unit_test(arrays_of_one_capacity_grow_alike),
		cmocka_unit_test(an_array_without_room_is_unchanged),
	};
	return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
