/* SPDX-License-Identifier: MIT */
/* TT6 and TT6E against the listings of generated traces. */
#include "tt6_help.h"

#include <jansson.h>

static uint64_t
json_number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (json_is_string(value))
		return strtoull(json_string_value(value), NULL, 16);
	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

/* The column has the listing's value of the key, or nothing where the listing has none. */
static void
assert_column(const struct poly_batch *batch, enum poly_column column, size_t row,
	const json_t *object, const char *key)
{
	bool listed = json_object_get(object, key) != NULL;
	if (poly_present(batch, column, row) != listed)
		fail_msg("record %llu: column %s, key %s",
			(unsigned long long)(batch->first + row + 1), poly_column_name(column),
			key);
	if (listed)
		assert_int_equal(
			poly_batch_integer(batch, column, row), json_number_of(object, key));
}

static void
assert_sync(const struct poly_batch *batch, size_t row, const json_t *object)
{
	static const char *const names[] = {"signal", "broadcast", "wait", "trywait"};
	assert_int_equal(batch->kind[row], POLY_KIND_SYNC);
	assert_column(batch, POLY_COLUMN_escape, row, object, "code");
	assert_column(batch, POLY_COLUMN_address, row, object, "addr");
	assert_column(batch, POLY_COLUMN_value, row, object, "count");
	assert_string_equal(batch->info->records[batch->record[row]], names[batch->sync[row]]);
}

static void
assert_listed(const struct poly_batch *batch, size_t row, const json_t *object)
{
	static const char *const kinds[][2] = {{"initial_pc", "initial_pc"},
		{"compute", "compute"}, {"flow", "flow"}, {"mem", "memory"},
		{"memx", "extended"}};
	const char *kind = json_string_value(json_object_get(object, "kind"));
	assert_int_equal(batch->first + row + 1, json_number_of(object, "i"));
	assert_int_equal(batch->origin[row], 4 * json_number_of(object, "w"));
	assert_column(batch, POLY_COLUMN_pc, row, object, "pc");
	assert_column(batch, POLY_COLUMN_opcode, row, object, "op");
	if (strcmp(kind, "sync") == 0) {
		assert_sync(batch, row, object);
		return;
	}
	assert_column(batch, POLY_COLUMN_next_pc, row, object, "next");
	assert_column(batch, POLY_COLUMN_address, row, object, "ea");
	assert_column(batch, POLY_COLUMN_value, row, object, "ext");
	assert_int_equal(poly_present(batch, POLY_COLUMN_synthetic, row),
		json_object_get(object, "synth") != NULL);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i][0], kind) == 0)
			assert_string_equal(
				batch->info->records[batch->record[row]], kinds[i][1]);
	}
}

static FILE *
open_listing(const char *name)
{
	char command[5000], listing[300];
	snprintf(listing, sizeof listing, "%s.jsonl.gz", name);
	const char *path = find_file(listing);
	assert_non_null(path);
	snprintf(command, sizeof command, "gzip -dc '%s'", path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	return pipe;
}

static void
assert_listing(const char *name, const char *format)
{
	struct buf bytes = {0};
	load(name, &bytes);
	FILE *listing = open_listing(name);
	struct poly_read_options options = options_for(format);
	struct poly_reader *reader = open_memory(&bytes, &options);
	const struct poly_batch *batch;
	char line[1000];
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			assert_non_null(fgets(line, sizeof line, listing));
			json_t *object = json_loads(line, 0, NULL);
			assert_non_null(object);
			assert_listed(batch, row, object);
			json_decref(object);
		}
	}
	assert_null(fgets(line, sizeof line, listing));
	assert_int_equal(pclose(listing), 0);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
small_listings_agree_in_every_field(void **state)
{
	(void)state;
	assert_listing("tt6/altivec.tt6", "tt6");
	assert_listing("tt6/altivec.tt6e", "tt6e");
	assert_listing("tt6/isamix.tt6", "tt6");
	assert_listing("tt6/isamix.tt6e", "tt6e");
	assert_listing("tt6/sort.tt6", "tt6");
	assert_listing("tt6/sort.tt6e", "tt6e");
	assert_listing("tt6/thread_002.tt6e", "tt6e");
}

static void
large_listings_agree_in_every_field(void **state)
{
	static const char *const names[] = {"tt6/sort_start", "tt6/sortos",
		"tt6/pthr/thread_001", "tt6/pthr/thread_002", "tt6/pthr/thread_003",
		"tt6/pthr/thread_004"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char name[100];
		snprintf(name, sizeof name, "%s.tt6", names[i]);
		if (!find_file(name))
			skip();
		assert_listing(name, "tt6");
		snprintf(name, sizeof name, "%s.tt6e", names[i]);
		assert_listing(name, "tt6e");
	}
}

/* The true PC that the listing has for a record, which is a branch after a signal. */
static uint64_t
listed_true_pc(const char *name, uint64_t record)
{
	FILE *listing = open_listing(name);
	uint64_t found = 0;
	char line[1000];
	while (fgets(line, sizeof line, listing)) {
		json_t *object = json_loads(line, 0, NULL);
		if (json_number_of(object, "i") == record && json_object_get(object, "tpc"))
			found = json_number_of(object, "tpc");
		json_decref(object);
	}
	pclose(listing);
	return found;
}

static void
a_wrong_branch_reports_the_true_pc(void **state)
{
	(void)state;
	static const char name[] = "tt6/pthr/../isamix.tt6"; /* the large one */
	struct buf bytes = {0};
	struct poly_finding finding;
	const struct poly_batch *batch;
	load(name, &bytes);
	struct poly_read_options options = options_for("tt6");
	options.check = true;
	struct poly_reader *reader = open_memory(&bytes, &options);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	unsigned wrong = 0;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (strcmp(finding.rule->code, "A06") != 0)
			continue;
		char expected[40];
		snprintf(expected, sizeof expected, "0x%llx",
			(unsigned long long)listed_true_pc(name, finding.record));
		assert_non_null(strstr(finding.message, expected));
		wrong++;
	}
	assert_int_equal(wrong, 2);
	poly_reader_close(reader);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_listings_agree_in_every_field),
		cmocka_unit_test(large_listings_agree_in_every_field),
		cmocka_unit_test(a_wrong_branch_reports_the_true_pc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
