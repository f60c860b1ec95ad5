/* SPDX-License-Identifier: MIT */
/* What surrounds the formats: the registry, their options, ties of detection. */
#include "trace_help.h"

#include "format/core/option.h"

static void
expect_name(const char *path, bool writing, const char *name)
{
	const struct poly_format_info *info = poly_format_by_name(path, writing);
	if (!info != !name || (name && strcmp(info->name, name) != 0))
		fail_msg("'%s' is taken for %s", path, info ? info->name : "nothing");
}

static void
the_suffix_of_a_name_selects_the_format(void **state)
{
	(void)state;
	static const char *const endings[] = {"", ".gz", ".zst", ".xz", ".bz2", ".lz4"};
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		char path[60];
		snprintf(path, sizeof path, "a.b/x.tt6%s", endings[i]);
		expect_name(path, true, "tt6");
		expect_name(path, false, "tt6");
		snprintf(path, sizeof path, "x.bach.txt%s", endings[i]);
		expect_name(path, true, "bach-text");
	}
	expect_name("x.csv", true, "csv");
	expect_name("x.csv", false, NULL); /* it can only be written */
	expect_name("x.ndjson", true, "jsonl");
	static const char *const nothing[] = {"", "tt6", ".tt6", "xtt6", "x.tt", "x.tt6.",
		"x.TT6", "x.tt6.gzip", "x.gz", "x.txt", "x.tt6/y"};
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
		expect_name(nothing[i], true, NULL);
}

static void
formats_are_found_by_name(void **state)
{
	(void)state;
	const struct poly_format_info *info;
	size_t count = 0;
	for (; (info = poly_format_at(count)); count++) {
		assert_ptr_equal(poly_format_find(info->name), info);
		assert_true(info->can_read || info->can_write);
		assert_true(poly_columns_subset(info->needs, info->columns));
		assert_non_null(info->options);
		assert_non_null(info->rules);
	}
	assert_true(count > 5);
	assert_null(poly_format_at(count + 1));
	assert_ptr_equal(poly_format_find("text:pc:hex"), poly_format_find("text"));
	assert_null(poly_format_find(":text"));
	assert_null(poly_format_find("tt"));
	assert_null(poly_format_find(""));
}

static const char *const words[] = {"one", "two", NULL};
static const struct poly_option table[] = {
	{"x.number", POLY_OPTION_NUMBER, POLY_OPTION_READ | POLY_OPTION_WRITE, 7, 5, 20, NULL,
		"", NULL},
	{"x.bool", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 0, NULL, "", NULL},
	{"x.word", POLY_OPTION_CHOICE, POLY_OPTION_WRITE, 1, 0, 0, words, "", NULL},
	{.name = NULL},
};
static const struct poly_format_info made = {.name = "made", .options = table};

/* The values of words that are separated by blanks. */
static enum poly_status
take(const char *given, enum poly_option_use use, struct option_values *values,
	struct poly_error *error)
{
	static char text[100];
	const char *list[8] = {NULL};
	size_t n = 0;
	snprintf(text, sizeof text, "%s", given);
	for (char *at = text; *at;) {
		size_t length = strcspn(at, " ");
		list[n++] = at;
		at += length;
		if (*at)
			*at++ = 0;
	}
	const struct option_words words_given = {.words = list};
	return option_values(&made, use, &words_given, values, error);
}

static void
options_have_values_in_their_range(void **state)
{
	(void)state;
	struct option_values values;
	struct poly_error error;
	assert_int_equal(take("", POLY_OPTION_READ, &values, &error), POLY_OK);
	assert_int_equal(values.values[0], 7);
	assert_int_equal(values.values[2], 1);
	assert_false(values.given[0] || values.given[1] || values.given[2]);
	option_values_free(&values);
	assert_int_equal(
		take("x.bool=1 x.number=0x14 x.number=5", POLY_OPTION_READ, &values, &error),
		POLY_OK);
	assert_int_equal(values.values[0], 5);
	assert_int_equal(values.values[1], 1);
	assert_true(values.given[0] && values.given[1] && !values.given[2]);
	option_values_free(&values);
	option_values_free(&values);
	assert_int_equal(take("x.word=one bach.line=8", POLY_OPTION_WRITE, &values, &error),
		POLY_ERR_USAGE); /* another format's option, but for reading */
	assert_int_equal(
		take("x.word=one bach.endian=le", POLY_OPTION_WRITE, &values, &error), POLY_OK);
	assert_int_equal(values.values[2], 0);
	option_values_free(&values);
	static const struct {
		const char *given, *message;
	} wrong[] = {
		{"x.number=4", "option 'x.number' is '4', expected a number from 5 to 20"},
		{"x.number=21", "expected a number from 5 to 20"},
		{"x.number=5k", "expected a number from 5 to 20"},
		{"x.number=", "option 'x.number' is '', expected"},
		{"x.bool=2", "expected a number from 0 to 1"},
		{"x.number", "has no value"},
		{"x.numbe=7", "unknown option 'x.numbe'"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(take(wrong[i].given, POLY_OPTION_READ, &values, &error),
			POLY_ERR_USAGE);
		assert_null(values.values);
		if (!strstr(error.message, wrong[i].message))
			fail_msg("'%s' without '%s'", error.message, wrong[i].message);
	}
	assert_int_equal(
		take("x.word=three", POLY_OPTION_WRITE, &values, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "expected one or two"));
}

static const char *const initial_text[] = {"default", NULL};
static const struct poly_option texts_table[] = {
	{"x.first", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0, NULL, "", NULL},
	{"x.other", POLY_OPTION_TEXT, POLY_OPTION_READ | POLY_OPTION_WRITE, 0, 0, 0,
		initial_text, "", NULL},
	{.name = NULL},
};
static const struct poly_format_info texts_made = {.name = "texts", .options = texts_table};

/* Lists the texts of options, "-" for none; or the error. */
static void
expect_texts(const char *format, const char *word, const char *expected)
{
	const char *list[] = {word, NULL};
	const struct option_words words_given = {.format = format, .words = list};
	struct option_values values;
	struct poly_error error;
	char got[500];
	if (option_values(&texts_made, POLY_OPTION_READ, &words_given, &values, &error) ==
		POLY_OK)
		snprintf(got, sizeof got, "%s%s %s%s", values.texts[0] ? values.texts[0] : "-",
			values.given[0] ? "!" : "", values.texts[1],
			values.given[1] ? "!" : "");
	else
		snprintf(got, sizeof got, "%s", error.message);
	assert_string_equal(got, expected);
	option_values_free(&values);
}

static void
text_after_a_format_name_is_its_first_option(void **state)
{
	(void)state;
	expect_texts(NULL, NULL, "- default");
	expect_texts("texts", NULL, "- default");
	expect_texts("texts:", NULL, "! default");
	expect_texts("texts:a:b=c", NULL, "a:b=c! default");
	expect_texts("texts", "x.first=a=b", "a=b! default");
	expect_texts("texts:a", "x.first=b", "b! default");
	expect_texts("texts:a", "x.other=", "a! !");
	struct option_values values;
	struct poly_error error;
	const struct option_words words_given = {.format = "made:5"};
	assert_int_equal(option_values(&made, POLY_OPTION_READ, &words_given, &values, &error),
		POLY_ERR_USAGE);
	assert_string_equal(error.message, "format 'made' takes no argument (found '5')");
	const struct option_words written = {.format = "texts:5"};
	assert_int_equal(
		option_values(&texts_made, POLY_OPTION_WRITE, &written, &values, &error),
		POLY_ERR_USAGE);
}

/* Records of byutr with 12 bytes that are two sound bus cycles each. */
static void
equal_bids_of_strangers_are_an_error_but_for_the_name(void **state)
{
	(void)state;
	struct buf bytes = {0};
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	for (unsigned i = 0; i < 400; i++) {
		const uint8_t record[] = {
			0x30, 0, (uint8_t)(8 * i), 0, 0, 0x18, 0, 0, 0x0b, 0, 0, 0xc1};
		buf_append(&bytes, record, sizeof record);
	}
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, &error),
		POLY_ERR_FORMAT);
	assert_string_equal(error.message,
		"ambiguous format ('bach' and 'byutr' match equally well); set options.format");
	static const char *const names[] = {"bach", "byutr"};
	for (size_t i = 0; i < 2; i++) {
		char name[20];
		snprintf(name, sizeof name, "x.%s.gz", names[i]);
		options.name = name;
		reader = open_memory(&bytes, &options);
		assert_string_equal(poly_reader_format(reader)->name, names[i]);
		poly_reader_close(reader);
	}
	buf_free(&bytes);
}

/* Probes that were reported to the caller. */
struct reported {
	size_t count;
	char near[100]; /* names of the formats that some records match */
	char din[100];	/* evidence of din */
};

static void
record_probe(void *user, const struct poly_probe *probe)
{
	struct reported *reported = user;
	reported->count++;
	assert_true(probe->bits || probe->evidence[0]);
	if (probe->near) {
		strcat(reported->near, probe->format->name);
		strcat(reported->near, " ");
	}
	if (strcmp(probe->format->name, "din") == 0)
		snprintf(reported->din, sizeof reported->din, "%d: %s", probe->bits,
			probe->evidence);
}

static void
the_evidence_of_each_probe_is_reported(void **state)
{
	(void)state;
	static const char unrecognized[] = "I  04016d90,3\n0 10\nneither\nnor\n";
	static const char din[] = "0 10\n1 20\n2 30\n0 40\n";
	struct reported reported = {0};
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.on_probe = record_probe;
	options.probe_user = &reported;
	assert_int_equal(poly_reader_open_memory(unrecognized, sizeof unrecognized - 1,
				 &options, &reader, &error),
		POLY_ERR_FORMAT);
	assert_string_equal(error.message,
		"unrecognized format (nearest: lackey, din); set options.format "
		"('text:DESCRIPTION' reads any other text)");
	assert_true(reported.count >= 2);
	assert_non_null(strstr(reported.near, "lackey "));
	assert_null(strstr(reported.near, "tt6"));
	assert_string_equal(
		reported.din, "0: 1 of the first 4 lines are a label and an address");
	memset(&reported, 0, sizeof reported);
	assert_int_equal(
		poly_reader_open_memory(din, sizeof din - 1, &options, &reader, &error),
		POLY_OK);
	assert_string_equal(
		reported.din, "10: 4 of the first 4 lines are a label and an address");
	poly_reader_close(reader);
	memset(&reported, 0, sizeof reported);
	options.format = "din";
	assert_int_equal(
		poly_reader_open_memory(din, sizeof din - 1, &options, &reader, &error),
		POLY_OK);
	assert_int_equal(reported.count, 0);
	poly_reader_close(reader);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_suffix_of_a_name_selects_the_format),
		cmocka_unit_test(formats_are_found_by_name),
		cmocka_unit_test(options_have_values_in_their_range),
		cmocka_unit_test(text_after_a_format_name_is_its_first_option),
		cmocka_unit_test(equal_bids_of_strangers_are_an_error_but_for_the_name),
		cmocka_unit_test(the_evidence_of_each_probe_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
