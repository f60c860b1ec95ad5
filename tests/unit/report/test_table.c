/* SPDX-License-Identifier: MIT */
/* Tables whose columns are listed in one text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdint.h>

#include "base/buf.h"
#include "report/table.h"

static int
gather(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

static enum poly_status
render(const struct poly_report *report, struct buf *out)
{
	return poly_report_render(
		report, POLY_RENDER_TEXT, &(struct poly_sink){gather, out}, NULL);
}

/* Adds a row and ends the table. */
static void
add_row(struct poly_report *report)
{
	poly_report_cell_text(report, "L1");
	poly_report_cell_count(report, 12);
	poly_report_cell_count(report, 3);
	poly_report_end(report);
}

static void
columns_of_a_text_are_those_added_one_by_one(void **state)
{
	(void)state;
	struct poly_report *listed = poly_report_new(), *single = poly_report_new();
	struct buf expected = {0}, out = {0};
	table_open(listed, "tlb_levels", "level:text accesses");
	table_columns(listed, " misses ");
	add_row(listed);
	poly_report_table(single, "tlb_levels");
	poly_report_column(single, "level", false);
	poly_report_column(single, "accesses", true);
	poly_report_column(single, "misses", true);
	add_row(single);
	assert_int_equal(render(single, &expected), POLY_OK);
	assert_int_equal(render(listed, &out), POLY_OK);
	assert_string_equal(buf_text(&out), buf_text(&expected));
	buf_free(&expected);
	buf_free(&out);
	poly_report_free(listed);
	poly_report_free(single);
}

static void
columns_that_are_not_terms_are_a_wrong_use(void **state)
{
	(void)state;
	static const char *const wrong[] = {"no_such_key", "level:texts",
		"level:", "accesses,misses", ":text",
		"a_key_of_more_than_sixty_three_bytes_which_is_longer_than_that_of_any_term"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct poly_report *report = poly_report_new();
		struct buf out = {0};
		table_open(report, "tlb_levels", wrong[i]);
		poly_report_end(report);
		assert_int_equal(render(report, &out), POLY_ERR_USAGE);
		buf_free(&out);
		poly_report_free(report);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_a_text_are_those_added_one_by_one),
		cmocka_unit_test(columns_that_are_not_terms_are_a_wrong_use),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
