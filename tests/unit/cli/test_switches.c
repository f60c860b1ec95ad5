/* SPDX-License-Identifier: MIT */
/* Switches of the command in messages of the library. */
#include "test_help.h"

#include "cli/options/switches.h"

static void
options_are_named_by_their_switches(void **state)
{
	static const struct {
		const char *message, *reading, *writing;
	} cases[] = {
		{"unrecognized format; set options.format",
			"unrecognized format; use --from FORMAT",
			"unrecognized format; use --to FORMAT"},
		{"options.format: no such format 'x'",
			"--from: no such format 'x'; 'polytrace formats' lists the formats",
			"--to: no such format 'x'; 'polytrace formats' lists the formats"},
		{"options.columns and options.labels", "--columns and --label",
			"--columns and --label"},
		{"no option is named", "no option is named", "no option is named"},
		{"", "", ""},
	};
	char text[200];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *message = cases[i].message;
		switches_name(message, strlen(message), false, text, sizeof text);
		assert_string_equal(text, cases[i].reading);
		switches_name(message, strlen(message), true, text, sizeof text);
		assert_string_equal(text, cases[i].writing);
	}
}

static void
a_small_buffer_truncates_the_message(void **state)
{
	char text[12];
	(void)state;
	switches_name("set options.format", 18, false, text, sizeof text);
	assert_string_equal(text, "use --from ");
	switches_name("set options.format", 3, false, text, sizeof text);
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
