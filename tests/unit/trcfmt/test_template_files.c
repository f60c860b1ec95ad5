/* SPDX-License-Identifier: MIT */
/*
 * Files of templates: heads, lines, and the library's own ones. The expected results are
 * written by hand from IBM, trcfmt File Format and AIX trace reference 3.
 */
#include "polytrace/byte_output.h"

#include "templates_help.h"

static void
a_template_has_an_id_a_version_a_level_and_a_label(void **state)
{
	(void)state;
	struct poly_template_info info;
	struct poly_templates *templates = parse_sound("134 10.20 L=KERN \"@EXEC\" X2\n"
						       "010 1.0\n"
						       "  1342\t4294967295.0 \"x\"");
	assert_true(poly_template_at(templates, 0, &info));
	assert_int_equal(info.hook, 0x0100);
	assert_string_equal(info.level, "APPL");
	assert_string_equal(info.label, "");
	assert_string_equal(info.source, "010 1.0\n");
	assert_int_equal(info.line, 2);
	assert_true(poly_template_at(templates, 1, &info));
	assert_int_equal(info.hook, 0x1340);
	assert_int_equal(info.version, 10);
	assert_int_equal(info.release, 20);
	assert_string_equal(info.level, "KERN");
	assert_string_equal(info.label, "@EXEC");
	assert_true(poly_template_at(templates, 2, &info));
	assert_int_equal(info.hook, 0x1342);
	assert_int_equal(info.version, 4294967295);
	assert_string_equal(info.source, "  1342\t4294967295.0 \"x\"");
	assert_false(poly_template_at(templates, 3, &info));
	assert_false(templates->templates[0].wide_id);
	assert_true(templates->templates[2].wide_id);
	assert_ptr_equal(trcfmt_template(templates, 0x1342), &templates->templates[2]);
	assert_null(trcfmt_template(templates, 0x1341));
	poly_templates_free(templates);
}

static void
three_digits_of_an_id_are_four_with_a_zero(void **state)
{
	(void)state;
	struct poly_template_info info;
	struct poly_templates *templates =
		parse_sound("0aA0 1.0\n15A 1.0\nfff 1.0\nFFFF 1.0\n");
	static const uint16_t hooks[] = {0x0aa0, 0x15a0, 0xfff0, 0xffff};
	for (size_t i = 0; i < 4; i++) {
		assert_true(poly_template_at(templates, i, &info));
		assert_int_equal(info.hook, hooks[i]);
	}
	poly_templates_free(templates);
}

static void
comments_and_blank_lines_are_skipped(void **state)
{
	(void)state;
	struct poly_template_info info;
	struct poly_templates *templates = parse_sound("# one \\\n* two\n\n \t\r\n"
						       "010 1.0 \\\n"
						       "# in between\n"
						       "* and again \\\n"
						       "X2 \\\r\n"
						       "\n"
						       "#\n"
						       "020 1.0\n*");
	assert_true(poly_template_at(templates, 0, &info));
	assert_int_equal(info.line, 5);
	assert_string_equal(
		info.source, "010 1.0 \\\n# in between\n* and again \\\nX2 \\\r\n\n");
	assert_int_equal(templates->item_count, 1);
	assert_int_equal(templates->items[0].line, 8);
	assert_true(poly_template_at(templates, 1, &info));
	assert_int_equal(info.line, 11);
	poly_templates_free(templates);
}

static void
the_last_of_several_templates_applies(void **state)
{
	(void)state;
	struct found found = {0};
	struct poly_templates *templates;
	struct poly_template_info info;
	static const char text[] = "010 1.0 \"first\"\n020 1.0\n0100 0.5 \"second\"\n"
				   "010 1.0 \"third\"\n";
	assert_int_equal(parse(text, strlen(text), &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.list), "T08 3:1 0100\nT08 4:1 0100\n");
	assert_non_null(strstr(buf_text(&found.messages), "already has a template in line 1"));
	assert_non_null(strstr(buf_text(&found.messages), "already has a template in line 3"));
	assert_int_equal(templates->count, 2);
	assert_true(poly_template_at(templates, 0, &info));
	assert_string_equal(info.label, "third");
	poly_templates_free(templates);
	free_found(&found);
}

/* ---- the library's own templates, and files ---- */

static void
the_librarys_own_templates_are_valid(void **state)
{
	(void)state;
	/* AIX Trace Hook IDs. */
	static const struct {
		uint16_t hook;
		const char *label;
	} known[] = {{0x0010, "TRACE ON"}, {0x0020, "TRACE OFF"}, {0x0030, "@TRACE HEADER"},
		{0x0040, "TRACEID IS ZERO"}, {0x0050, "@LOGFILE WRAPAROUND"},
		{0x0060, "@TRACEBUFFER WRAPAROUND"}, {0x0070, "UNDEFINED TRACE ID"},
		{0x0080, "@DEFAULT TEMPLATE"}, {0x00a0, "@TRACE_UTIL"}, {0x0100, "USER1"},
		{0x0f00, "USERF"}, {0x1000, "FLIH"}, {0x1010, "@SYSTEM CALL"}, {0x1020, "SLIH"},
		{0x1030, "RETURN FROM SLIH"}, {0x1040, "@RETURN FROM SYSTEM CALL"},
		{0x1050, "LVM EVENTS"}, {0x1060, "DISPATCH"},
		{0x1070, "FILENAME TO VNODE (lookuppn)"},
		{0x1080, "FILE ORIENTED SYSTEM CALLS"}, {0x10a0, "KERN_PFS"}};
	static const uint16_t kernel[] = {0x100, 0x101, 0x102, 0x103, 0x104, 0x106, 0x107,
		0x10b, 0x10c, 0x112, 0x113, 0x119, 0x11e, 0x11f, 0x134, 0x135, 0x139, 0x14e,
		0x15b, 0x163, 0x19c, 0x1b0, 0x1b1, 0x1bf, 0x200, 0x20e, 0x20f, 0x210, 0x234,
		0x38f, 0x419, 0x465, 0x47f, 0x492, 0x4b0, 0x605, 0x609};
	struct found found = {0};
	struct poly_templates *templates;
	assert_int_equal(parse(NULL, 0, &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.messages), "");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct hook_template *template =
			trcfmt_template(templates, known[i].hook);
		if (!template)
			fail_msg("%04x", known[i].hook);
		else
			assert_string_equal((char *)templates->texts.data + template->label,
				known[i].label);
	}
	for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
		assert_non_null(trcfmt_template(templates, (uint16_t)(kernel[i] << 4)));
	for (unsigned hook = 0x100; hook < 0x1000; hook += 0x100)
		assert_non_null(trcfmt_template(templates, (uint16_t)hook));
	poly_templates_free(templates);
	/* As a user's file, they violate the rule on hooks below 010. */
	assert_int_equal(
		parse(trcfmt_default, strlen(trcfmt_default), &found, &templates), POLY_OK);
	assert_int_equal(strncmp(buf_text(&found.list), "T12 ", 4), 0);
	poly_templates_free(templates);
	free_found(&found);
}

static void
files_are_loaded_also_compressed(void **state)
{
	(void)state;
	static const char *const endings[] = {"", ".gz"};
	for (size_t i = 0; i < 2; i++) {
		struct poly_templates *templates;
		struct poly_template_info info;
		struct poly_error error;
		char path[60];
		snprintf(path, sizeof path, "test_templates%s", endings[i]);
		struct poly_byte_output *output;
		enum poly_status status = poly_byte_output_open(path, true, &output, &error);
		if (status == POLY_OK) {
			poly_byte_output_write(output, sample, sizeof sample - 1);
			status = poly_byte_output_finish(output, &error);
			poly_byte_output_close(output);
		}
		if (status == POLY_ERR_UNSUPPORTED)
			continue;
		assert_int_equal(status, POLY_OK);
		assert_int_equal(poly_templates_load(path, NULL, &templates, &error), POLY_OK);
		assert_true(poly_template_at(templates, 1, &info));
		assert_int_equal(info.hook, 0x1340);
		assert_string_equal(templates->name, path);
		poly_templates_free(templates);
		remove(path);
	}
}

static void
load_errors_are_reported(void **state)
{
	(void)state;
	struct poly_templates *templates;
	struct poly_error error;
	assert_int_equal(
		poly_templates_load("no/such/file", NULL, &templates, &error), POLY_ERR_IO);
	assert_null(templates);
	assert_int_equal(
		poly_templates_load("/dev/zero", NULL, &templates, &error), POLY_ERR_LIMIT);
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	options.size = 0;
	assert_int_equal(
		poly_templates_parse("", 0, &options, &templates, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_templates_parse("", 0, NULL, &templates, &error), POLY_OK);
	assert_false(poly_template_at(templates, 0, &(struct poly_template_info){0}));
	poly_templates_free(templates);
	poly_templates_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_template_has_an_id_a_version_a_level_and_a_label),
		cmocka_unit_test(three_digits_of_an_id_are_four_with_a_zero),
		cmocka_unit_test(comments_and_blank_lines_are_skipped),
		cmocka_unit_test(the_last_of_several_templates_applies),
		cmocka_unit_test(the_librarys_own_templates_are_valid),
		cmocka_unit_test(files_are_loaded_also_compressed),
		cmocka_unit_test(load_errors_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
