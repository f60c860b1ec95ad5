/* SPDX-License-Identifier: MIT */
/* Switches of the command in messages of the library. */
#include "test_help.h"

#include "base/err.h"
#include "cli/options/switches.h"

static void
options_are_named_by_their_switches(void **state)
{
	static const char user[] = "options.columns";
	struct poly_error errors[6];
	static const char *const texts[][2] = {
		{"'options.columns' is unrecognized; use --from FORMAT",
			"'options.columns' is unrecognized; use --to FORMAT"},
		{"--from: no such format 'options.columns'; 'polytrace formats' lists the "
		 "formats",
			"--to: no such format 'options.columns'; 'polytrace formats' lists the "
			"formats"},
		{"exclude it by --columns ('options.columns')",
			"exclude it by --columns ('options.columns')"},
		{"unknown option 'options.columns'", "unknown option 'options.columns'"},
		{"options.nothing", "options.nothing"},
		{"no option is named", "no option is named"},
	};
	char text[200];
	(void)state;
	err_usage(&errors[0], "'%s' is unrecognized; set options.format", user);
	err_usage(&errors[1], "options.format: no such format '%s'", user);
	err_usage(&errors[2], "exclude it by options.columns ('%s')", user);
	err_usage(&errors[3], "unknown option '%s'", user);
	err_usage(&errors[4], "options.nothing");
	err_usage(&errors[5], "no option is named");
	for (size_t i = 0; i < 6; i++) {
		const size_t size = strlen(errors[i].message);
		switches_name(&errors[i], size, false, text, sizeof text);
		assert_string_equal(text, texts[i][0]);
		switches_name(&errors[i], size, true, text, sizeof text);
		assert_string_equal(text, texts[i][1]);
	}
}

static void
a_small_buffer_truncates_the_message(void **state)
{
	struct poly_error error;
	char text[12];
	(void)state;
	err_usage(&error, "set options.format");
	switches_name(&error, 18, false, text, sizeof text);
	assert_string_equal(text, "use --from ");
	switches_name(&error, 3, false, text, sizeof text);
	assert_string_equal(text, "set");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_named_by_their_switches),
		cmocka_unit_test(a_small_buffer_truncates_the_message),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
