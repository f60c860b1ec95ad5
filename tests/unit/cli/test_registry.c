/* SPDX-License-Identifier: MIT */
/* Tests the contracts of registered formats, analyses and commands, and planted faults. */
#include "test_help.h"

#include "analysis/core/contract.h"
#include "cli/options/command_contract.h"
#include "format/core/contract.h"
#include "model/findings.h"
#include "model/option.h"

#define LIST(word) extern const struct command command_##word;
#include "command_list.def"
#undef LIST

static const struct command *const commands[] = {
#define LIST(word) &command_##word,
#include "command_list.def"
#undef LIST
	NULL,
};

static void
registered_formats_obey_the_contract(void **state)
{
	(void)state;
	struct contract contract;
	format_check_contracts(format_at, &contract);
	assert_string_equal(contract.fault, "");
}

static void
registered_analyses_obey_the_contract(void **state)
{
	(void)state;
	struct contract contract;
	analysis_check_contracts(analysis_at, &contract);
	assert_string_equal(contract.fault, "");
}

static void
registered_commands_obey_the_contract(void **state)
{
	(void)state;
	char fault[COMMAND_FAULT_ROOM];
	command_check_contracts(commands, fault);
	assert_string_equal(fault, "");
}

static enum poly_status
fake_open(struct reading *reading, struct poly_error *error)
{
	(void)reading;
	(void)error;
	return POLY_END;
}

static enum poly_status
fake_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	(void)reading;
	(void)batch;
	(void)error;
	return POLY_END;
}

static enum poly_status
fake_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	(void)writing;
	(void)batch;
	(void)error;
	return POLY_OK;
}

static const struct poly_option no_options[] = {{.name = NULL}};
static const struct poly_rule no_rules[] = {{.code = NULL}};

static const struct format good_format = {
	.content = {.users = "debuggers", .kinds = POLY_KIND_BIT(INSTRUCTION)},
	.info = {.name = "pcs",
		.family = "pcs",
		.title = "program counters",
		.extensions = "pcs",
		.spec = "a document",
		.columns = POLY_COLUMNS_INIT(kind, pc),
		.can_read = true,
		.options = no_options,
		.rules = no_rules},
	.open = fake_open,
	.read = fake_read,
};

/* The list that is checked: its first entry is changed by the tests. */
static struct format planted_formats[2];
static size_t planted_count;

static const struct format *
planted_format_at(size_t i)
{
	return i < planted_count ? &planted_formats[i] : NULL;
}

/* Checks a format alone, and compares the fault. */
static void
expect_format_fault(const struct format *format, const char *fault)
{
	struct contract contract;
	planted_formats[0] = *format;
	planted_count = 1;
	assert_int_equal(format_check_contracts(planted_format_at, &contract), !*fault);
	assert_string_equal(contract.fault, fault);
}

/* Checks the good format without a member, and compares the fault. */
#define EXPECT_FORMAT(member, value, fault)                  \
	do {                                                 \
		struct format changed_format = good_format;  \
		changed_format.member = (value);             \
		expect_format_fault(&changed_format, fault); \
	} while (0)

static void
a_fault_of_a_format_names_the_format_and_the_member(void **state)
{
	(void)state;
	expect_format_fault(&good_format, "");
	EXPECT_FORMAT(info.name, NULL, "format number 0: name is NULL");
	EXPECT_FORMAT(info.family, NULL, "format pcs: family is NULL");
	EXPECT_FORMAT(info.title, NULL, "format pcs: title is NULL");
	EXPECT_FORMAT(info.extensions, NULL, "format pcs: extensions is NULL");
	EXPECT_FORMAT(info.spec, NULL, "format pcs: spec is NULL");
	EXPECT_FORMAT(content.users, NULL, "format pcs: users is NULL");
	EXPECT_FORMAT(content.kinds, 0, "format pcs: kinds is 0");
	EXPECT_FORMAT(
		content.kinds, 1u << POLY_KIND_COUNT, "format pcs: kinds has an unknown kind");
	EXPECT_FORMAT(content.own_kinds, POLY_KIND_BIT(SYNC),
		"format pcs: own_kinds is not a subset of kinds");
	const poly_columns other = POLY_COLUMNS(time);
	EXPECT_FORMAT(info.needs, other, "format pcs: needs is not a subset of columns");
	EXPECT_FORMAT(content.own_columns, other,
		"format pcs: own_columns is not a subset of columns");
	EXPECT_FORMAT(content.fills, other, "format pcs: fills is not a subset of columns");
	EXPECT_FORMAT(info.options, NULL, "format pcs: options is NULL");
	EXPECT_FORMAT(info.rules, NULL, "format pcs: rules is NULL");
}

static void
functions_of_a_format_agree_with_its_directions(void **state)
{
	(void)state;
	struct format none = good_format;
	none.info.can_read = false;
	none.read = NULL;
	expect_format_fault(&none, "format pcs: neither can_read nor can_write is set");
	EXPECT_FORMAT(open, NULL, "format pcs: can_read is set, but open is NULL");
	EXPECT_FORMAT(read, NULL, "format pcs: can_read is set, but read is NULL");
	EXPECT_FORMAT(info.can_write, true,
		"format pcs: can_write is set, but write and write_row are NULL");
	EXPECT_FORMAT(write, fake_write, "format pcs: write is set, but can_write is not");
	EXPECT_FORMAT(appends, true, "format pcs: appends is set, but wopen is NULL");
	none.info.can_write = true;
	none.write = fake_write;
	expect_format_fault(&none, "");
	none.read = fake_read;
	expect_format_fault(&none, "format pcs: read is set, but can_read is not");
}

static void
names_of_formats_are_unique(void **state)
{
	(void)state;
	struct contract contract;
	planted_formats[0] = planted_formats[1] = good_format;
	planted_count = 2;
	assert_false(format_check_contracts(planted_format_at, &contract));
	assert_string_equal(contract.fault, "format pcs: the name is not unique");
}

static void
rules_have_unique_codes_titles_and_sources(void **state)
{
	(void)state;
	static const struct poly_rule no_source[] = {
		{"Z01", POLY_ERROR, "a condition", "source"},
		{"Z02", POLY_ERROR, "a condition", NULL}, {.code = NULL}};
	static const struct poly_rule no_title[] = {
		{"Z01", POLY_ERROR, NULL, "source"}, {.code = NULL}};
	static const struct poly_rule twice[] = {{"Z01", POLY_ERROR, "a condition", "source"},
		{"Z01", POLY_NOTE, "another", "source"}, {.code = NULL}};
	EXPECT_FORMAT(info.rules, no_source, "format pcs: rule Z02: source is NULL");
	EXPECT_FORMAT(info.rules, no_title, "format pcs: rule Z01: title is NULL");
	EXPECT_FORMAT(info.rules, twice, "format pcs: rule Z01: the code is not unique");
}

/* An option of an analysis or a format, followed by the end of the table. */
#define TABLE(...)                   \
	(const struct poly_option[]) \
	{                            \
		{__VA_ARGS__},       \
		{                    \
			.name = NULL \
		}                    \
	}

static void
options_have_help_and_a_valid_initial_value(void **state)
{
	(void)state;
	static const char *const words[] = {"a", "b", NULL};
	EXPECT_FORMAT(info.options, TABLE("x", POLY_OPTION_BOOL, 1, 0, 0, 1, NULL, NULL, NULL),
		"format pcs: option x: help is NULL");
	EXPECT_FORMAT(info.options, TABLE("x", POLY_OPTION_BOOL, 0, 0, 0, 1, NULL, "h", NULL),
		"format pcs: option x: use is 0");
	EXPECT_FORMAT(info.options, TABLE("x", POLY_OPTION_NUMBER, 1, 0, 1, 9, NULL, "h", NULL),
		"format pcs: option x: initial is out of range");
	EXPECT_FORMAT(info.options,
		TABLE("x", POLY_OPTION_CHOICE, 1, 2, 0, 0, words, "h", NULL),
		"format pcs: option x: initial is not a choice");
	EXPECT_FORMAT(info.options, TABLE("x", POLY_OPTION_CHOICE, 1, 0, 0, 0, NULL, "h", NULL),
		"format pcs: option x: initial is not a choice");
	EXPECT_FORMAT(
		info.options, TABLE("x", POLY_OPTION_CHOICE, 1, 1, 0, 0, words, "h", NULL), "");
}

static bool
fake_update(void *state, const struct analysis_rows *rows)
{
	(void)state;
	(void)rows;
	return true;
}

static void
fake_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	(void)state;
	(void)ops;
	(void)report;
}

static const struct analysis good_analysis = {
	.info = {.name = "hotpages",
		.title = "Hot pages",
		.summary = "counts accesses per page",
		.options = no_options},
	.update = fake_update,
	.ordered = "its rows have an order",
	.report = fake_report,
};

static struct analysis planted_analyses[2];
static size_t analysis_count;

static const struct analysis *
planted_analysis_at(size_t i)
{
	return i < analysis_count ? &planted_analyses[i] : NULL;
}

/* Checks count copies of an analysis, and compares the fault. */
static void
expect_analysis_fault(const struct analysis *analysis, size_t count, const char *fault)
{
	struct contract contract;
	planted_analyses[0] = planted_analyses[1] = *analysis;
	analysis_count = count;
	assert_int_equal(analysis_check_contracts(planted_analysis_at, &contract), !*fault);
	assert_string_equal(contract.fault, fault);
}

#define EXPECT_ANALYSIS(member, value, fault)                       \
	do {                                                        \
		struct analysis changed_analysis = good_analysis;   \
		changed_analysis.member = (value);                  \
		expect_analysis_fault(&changed_analysis, 1, fault); \
	} while (0)

static void
a_fault_of_an_analysis_names_the_analysis_and_the_member(void **state)
{
	(void)state;
	expect_analysis_fault(&good_analysis, 1, "");
	expect_analysis_fault(&good_analysis, 2, "analysis hotpages: the name is not unique");
	EXPECT_ANALYSIS(info.name, NULL, "analysis number 0: name is NULL");
	EXPECT_ANALYSIS(info.title, NULL, "analysis hotpages: title is NULL");
	EXPECT_ANALYSIS(info.summary, NULL, "analysis hotpages: summary is NULL");
	EXPECT_ANALYSIS(info.options, NULL, "analysis hotpages: options is NULL");
	EXPECT_ANALYSIS(update, NULL, "analysis hotpages: update is NULL");
	EXPECT_ANALYSIS(report, NULL, "analysis hotpages: report is NULL");
	EXPECT_ANALYSIS(info.outputs, (const struct poly_analysis_output[]){{0}},
		"analysis hotpages: outputs and write are not both set or both NULL");
	struct analysis query = good_analysis;
	query.info.kind = POLY_ANALYSIS_QUERY;
	query.info.is_default = true;
	expect_analysis_fault(
		&query, 1, "analysis hotpages: is_default is set, but it is not a statistic");
	EXPECT_ANALYSIS(info.options,
		TABLE("top", POLY_OPTION_NUMBER, 0, 5, 1, 9, NULL, "h", NULL),
		"analysis hotpages: option top: the name does not begin with 'hotpages.'");
}

static int
fake_run(void *options, char **operands)
{
	(void)options;
	(void)operands;
	return STATUS_DONE;
}

static const struct opt *const no_tables[] = {NULL};
static const struct command good_command = {.name = "list",
	.alias = "ls",
	.summary = "list records",
	.usage = "FILE",
	.examples = {"polytrace list a", "polytrace list b"},
	.options = no_tables,
	.run = fake_run};

/* Checks the good command and a second one, and compares the fault. */
static void
expect_command_fault(const struct command *second, const char *fault)
{
	const struct command *const list[] = {&good_command, second, NULL};
	char found[COMMAND_FAULT_ROOM];
	assert_int_equal(command_check_contracts(list, found), !*fault);
	assert_string_equal(found, fault);
}

#define EXPECT_COMMAND(member, value, fault)                   \
	do {                                                   \
		struct command changed_command = good_command; \
		changed_command.name = "tail";                 \
		changed_command.alias = NULL;                  \
		changed_command.member = (value);              \
		expect_command_fault(&changed_command, fault); \
	} while (0)

static void
a_fault_of_a_command_names_the_command_and_the_member(void **state)
{
	(void)state;
	expect_command_fault(NULL, "");
	EXPECT_COMMAND(alias, "t", "");
	EXPECT_COMMAND(alias, "ls", "command tail: the alias is not unique");
	EXPECT_COMMAND(name, "ls", "command ls: the name is not unique");
	EXPECT_COMMAND(name, NULL, "command number 1: name is NULL");
	EXPECT_COMMAND(summary, NULL, "command tail: summary is NULL");
	EXPECT_COMMAND(usage, NULL, "command tail: usage is NULL");
	EXPECT_COMMAND(options, NULL, "command tail: options is NULL");
	EXPECT_COMMAND(run, NULL, "command tail: run is NULL");
	EXPECT_COMMAND(group, (enum command_group)99, "command tail: group is unknown");
	EXPECT_COMMAND(examples[1], NULL, "command tail: examples are missing");
}

static void
tables_that_are_missing_are_empty(void **state)
{
	(void)state;
	struct option_values values = {0};
	struct findings findings;
	assert_null(option_find(NULL, "x", 1));
	assert_int_equal(option_values_init(NULL, &values, NULL), POLY_OK);
	assert_int_equal(values.count, 0);
	option_values_free(&values);
	assert_true(findings_init(&findings, NULL));
	findings_add(&findings, 0, 1, POLY_NO_OFFSET, "a finding without a rule");
	assert_int_equal(findings.kept_count, 0);
	findings_fini(&findings);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registered_formats_obey_the_contract),
		cmocka_unit_test(registered_analyses_obey_the_contract),
		cmocka_unit_test(registered_commands_obey_the_contract),
		cmocka_unit_test(a_fault_of_a_format_names_the_format_and_the_member),
		cmocka_unit_test(functions_of_a_format_agree_with_its_directions),
		cmocka_unit_test(names_of_formats_are_unique),
		cmocka_unit_test(rules_have_unique_codes_titles_and_sources),
		cmocka_unit_test(options_have_help_and_a_valid_initial_value),
		cmocka_unit_test(a_fault_of_an_analysis_names_the_analysis_and_the_member),
		cmocka_unit_test(a_fault_of_a_command_names_the_command_and_the_member),
		cmocka_unit_test(tables_that_are_missing_are_empty),
	};
	return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
