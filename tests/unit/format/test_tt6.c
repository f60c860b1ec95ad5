/* SPDX-License-Identifier: MIT */
/*
 * TT6 and TT6E against the listings of made traces, against known counts (Apple amber
 * traces 7.2), against a decoder of one record at a time, and rule by rule on the smallest
 * inputs.
 */
#include "test_help.h"

#include <unistd.h>

#include "format/tt6/tt6.h"

#if defined(POLY_WITH_JANSSON)
#include <jansson.h>
#endif

static char found_path[4096];

/* A file of tests/data, or of the shared data beside the project; NULL where it isn't there. */
static const char *
find_file(const char *name)
{
	const char *root = getenv("POLYTRACE_ROOT"), *shared = getenv("POLYTRACE_SHARED");
	snprintf(found_path, sizeof found_path, "%s/tests/data/%s", root ? root : ".", name);
	if (access(found_path, R_OK) == 0)
		return found_path;
	if (shared)
		snprintf(found_path, sizeof found_path, "%s/data/made/%s", shared, name);
	else
		snprintf(found_path, sizeof found_path, "%s/../shared/data/made/%s",
			root ? root : ".", name);
	return access(found_path, R_OK) == 0 ? found_path : NULL;
}

/* The bytes of such a file; skips the test where it isn't there. */
static void
load(const char *name, struct buf *bytes)
{
	const char *path = find_file(name);
	if (!path)
		skip();
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char block[4096];
	size_t n;
	while ((n = fread(block, 1, sizeof block, file)) > 0)
		buf_append(bytes, block, n);
	fclose(file);
}

static struct poly_reader *
open_bytes(const struct buf *bytes, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error = {.message = ""};
	enum poly_status status =
		poly_reader_open_memory(bytes->data ? (const void *)bytes->data : "",
			bytes->size, options, &reader, &error);
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

static struct poly_read_options
options_for(const char *format)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = format;
	return options;
}

static uint64_t
note_count(const struct poly_writer *writer, const char *part)
{
	uint64_t count;
	const char *note;
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++) {
		if (strstr(note, part))
			return count;
	}
	return 0;
}

/* A conversion: options for reading and writing, and the result. */
struct conversion {
	struct poly_read_options read;
	const char *to;
	const char *const *options;
	size_t skip; /* records skipped at the start */
	struct buf out;
	struct poly_error error;
	const char *note; /* part of a note to be counted */
	uint64_t notes;
};

static enum poly_status
write_rows(
	struct conversion *conversion, struct poly_reader *reader, struct poly_writer *writer)
{
	const struct poly_batch *batch;
	enum poly_status status = POLY_OK;
	uint64_t row = 0;
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		if (row >= conversion->skip)
			status = poly_writer_write(writer, batch, &conversion->error);
		row += batch->rows;
	}
	return status == POLY_OK ? poly_writer_finish(writer, &conversion->error) : status;
}

static enum poly_status
convert(struct conversion *conversion, const struct buf *bytes)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	options.options = conversion->options;
	if (conversion->skip)
		conversion->read.batch_rows = 1;
	struct poly_reader *reader = open_bytes(bytes, &conversion->read);
	options.format = conversion->to;
	const struct poly_sink sink = {collect, &conversion->out};
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, &conversion->error);
	if (status == POLY_OK) {
		status = write_rows(conversion, reader, writer);
		if (conversion->note)
			conversion->notes = note_count(writer, conversion->note);
		poly_writer_close(writer);
	}
	poly_reader_close(reader);
	return status;
}

static void
assert_bytes(const struct buf *out, const uint8_t *expected, size_t n)
{
	assert_int_equal(out->size, n);
	if (n)
		assert_memory_equal(out->data, expected, n);
}

/* What a whole reading with check gives. */
struct outcome {
	uint64_t records, instructions, synthetic;
	uint64_t by_record[TT6_RECORD_COUNT];
	uint64_t found[TT6_A24 + 1]; /* by rule */
	char message[TT6_A24 + 1][400];
	enum poly_status status;
};

static void
count_rows(struct outcome *outcome, const struct poly_batch *batch)
{
	for (size_t row = 0; row < batch->rows; row++) {
		outcome->records++;
		outcome->instructions += batch->kind[row] == POLY_KIND_INSTRUCTION;
		outcome->by_record[batch->record[row]]++;
		outcome->synthetic += poly_present(batch, POLY_COLUMN_synthetic, row);
	}
}

static void
read_all(const struct buf *bytes, const struct poly_read_options *requested,
	struct outcome *outcome)
{
	struct poly_read_options options = *requested;
	const struct poly_batch *batch;
	struct poly_finding finding;
	options.check = true;
	struct poly_reader *reader = open_bytes(bytes, &options);
	memset(outcome, 0, sizeof *outcome);
	while ((outcome->status = poly_reader_next(reader, &batch, NULL)) == POLY_OK)
		count_rows(outcome, batch);
	const struct poly_rule *rules = poly_reader_format(reader)->rules;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		outcome->found[finding.rule - rules] = finding.count;
		snprintf(outcome->message[finding.rule - rules], 400, "%s", finding.message);
	}
	poly_reader_close(reader);
}

#if defined(POLY_WITH_JANSSON)

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
	struct poly_reader *reader = open_bytes(&bytes, &options);
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
	struct poly_reader *reader = open_bytes(&bytes, &options);
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

#endif

/* One reading of Apple amber traces 7.2. */
struct reading_case {
	const char *name, *format;
	uint64_t instructions, wrong, conflicts, synthetic;
	uint64_t compute, memory, flow, extended; /* all 0: not stated */
};

static void
assert_reading(const struct reading_case *expected)
{
	struct buf bytes = {0};
	struct outcome outcome;
	load(expected->name, &bytes);
	struct poly_read_options options = options_for(expected->format);
	read_all(&bytes, &options, &outcome);
	assert_int_equal(outcome.instructions, expected->instructions);
	assert_int_equal(outcome.found[TT6_A05] + outcome.found[TT6_A06], expected->wrong);
	assert_int_equal(outcome.found[TT6_A08], expected->conflicts);
	assert_int_equal(outcome.synthetic, expected->synthetic);
	if (expected->flow) {
		assert_int_equal(outcome.by_record[TT6_IS_COMPUTE], expected->compute);
		assert_int_equal(outcome.by_record[TT6_IS_MEMORY], expected->memory);
		assert_int_equal(outcome.by_record[TT6_IS_FLOW], expected->flow);
		assert_int_equal(outcome.by_record[TT6_IS_EXTENDED], expected->extended);
	}
	buf_free(&bytes);
}

static void
traces_have_the_known_counts(void **state)
{
	/* Of the right reading of thread_001.tt6e the synthetic branch is exempt. */
	static const struct reading_case cases[] = {
		{"amber/thread_001.tt6", "tt6", 90, 0, 0, 0, 44, 30, 13, 3},
		{"amber/thread_001.tt6e", "tt6e", 92, 0, 0, 2, 39, 35, 15, 3},
		{"amber/thread_001.tt6", "tt6e", 87, 1, 0, 0, 0, 0, 0, 0},
		{"amber/thread_001.tt6e", "tt6", 97, 0, 6, 0, 0, 0, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_reading(&cases[i]);
}

static void
long_traces_have_the_known_counts(void **state)
{
	static const struct reading_case cases[] = {
		{"amber/memset_thread_001.tt6", "tt6", 30233, 0, 0, 0, 16536, 6357, 7340, 0},
		{"amber/memset_thread_001.tt6e", "tt6e", 30233, 0, 0, 0, 15003, 7890, 7340, 0},
		{"amber/memset_thread_001.tt6", "tt6e", 29273, 387, 6, 0, 0, 0, 0, 0},
		{"amber/memset_thread_001.tt6e", "tt6", 31766, 387, 1554, 0, 0, 0, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_reading(&cases[i]);
}

/* Words as they stand in a big-endian file. */
static void
put_words(struct buf *bytes, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t word[4];
		store_be32(word, words[i]);
		buf_append(bytes, word, 4);
	}
}

#define NOP 0x60000000u
#define LWZ 0x80610000u	   /* lwz r3,0(r1) */
#define DCBZ 0x7c0007ecu   /* dcbz 0,r0 */
#define LSWX 0x7ca0fc2au   /* lswx r5,0,r31 */
#define LXVD2X 0x7c001e98u /* lxvd2x: accesses memory, has no address in TT6 */
#define TWI 0x0fe00000u	   /* twi 31,r0,0 */
#define BLR 0x4e800020u
#define SC 0x44000002u

/* The smallest input that breaks a rule: words, how many, the rule and how often. */
struct rule_case {
	enum tt6_rule rule;
	const char *format, *option;
	uint32_t words[10];
	size_t count;
	uint64_t times;
};

static const struct rule_case rule_cases[] = {
	{TT6_A03, "tt6", NULL, {0x1002, NOP}, 2, 1},
	{TT6_A04, "tt6", NULL, {0x1000, BLR, 0x2002}, 3, 1},
	{TT6_A05, "tt6", NULL, {0x1000, 0x48000010, 0x1014}, 3, 1},
	{TT6_A05, "tt6", NULL, {0x1000, 0x48000010, 0x1010}, 3, 0},
	{TT6_A05, "tt6", NULL, {0x1000, 0x48000102, 0x100}, 3, 0},
	{TT6_A05, "tt6", NULL, {0x1000, TT6_SPLICE, 0x9000, NOP}, 4, 0},
	{TT6_A05, "tt6", "amber.splice=0", {0x1000, TT6_SPLICE, 0x9000, NOP}, 4, 1},
	{TT6_A06, "tt6", NULL, {0x1000, 0x41820010, 0x1008}, 3, 1},
	{TT6_A06, "tt6", NULL, {0x1000, 0x41820010, 0x1010}, 3, 0},
	{TT6_A06, "tt6", NULL, {0x1000, 0x41820010, 0x1004}, 3, 0},
	{TT6_A07, "tt6", NULL, {0x1000, SC, 0x100c}, 3, 1},
	{TT6_A07, "tt6", NULL, {0x1000, SC, 0x1008}, 3, 0},
	{TT6_A08, "tt6", NULL, {0x1000, NOP, 0x4bfffffc, 0x1000, 0x38000000}, 5, 1},
	{TT6_A08, "tt6", NULL, {0x1000, NOP, 0x4bfffffc, 0x1000, NOP}, 5, 0},
	{TT6_A09, "tt6", NULL, {0x1000, 0x00060001, 7, NOP}, 4, 1},
	{TT6_A09, "tt6", NULL, {0x1000, 0x00400000, NOP}, 3, 1},
	{TT6_A10, "tt6", NULL, {0x1000, 0x00200001, 7, NOP}, 4, 1},
	{TT6_A11, "tt6", NULL, {0x1000, 0x003f0001, 7, NOP}, 4, 1},
	{TT6_A12, "tt6", NULL, {0x1000, 0, NOP}, 3, 1},
	{TT6_A12, "tt6", "amber.zero=opcode", {0x1000, 0, NOP}, 3, 0},
	{TT6_A13, "tt6", NULL, {0x1000, NOP, 0x00010001, 0x2000}, 4, 1},
	{TT6_A13, "tt6", NULL, {0x1000, 0x00040001, 8, 0x00040001, 8, NOP}, 6, 1},
	{TT6_A13, "tt6", NULL, {0x1000, 0x00040001, 8, 0x00050001, 8, NOP}, 6, 0},
	{TT6_A14, "tt6", NULL, {0x1000, 0x00010001, 0x2004, LWZ, 0x2000}, 5, 1},
	{TT6_A14, "tt6", NULL, {0x1000, 0x00010001, 0x2000, LWZ, 0x2000}, 5, 0},
	{TT6_A15, "tt6", NULL, {0x1000, LXVD2X, LXVD2X}, 3, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, TWI, NOP}, 3, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, TWI}, 2, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, NOP, 0x48000702, 0x700, TT6_RFI, 0x1004}, 6, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, TWI, 0x48000702, 0x700, TT6_RFI, 0x1004}, 6, 0},
	{TT6_A16, "tt6", NULL, {0x1000, TWI, NOP}, 3, 0},
	{TT6_A17, "tt6", NULL, {0x1000, 0xe8000003, 0x2000}, 3, 1},
	{TT6_A17, "tt6", NULL, {0x1000, 0xf8000003, 0x2000}, 3, 1},
	{TT6_A17, "tt6", NULL, {0x1000, 0xe8000002, 0x2000}, 3, 0},
	{TT6_A18, "tt6", NULL, {0x1000, LSWX, 0x2000, 0x80000007}, 4, 1},
	{TT6_A18, "tt6", NULL, {0x1000, LSWX, 0x2000, 127}, 4, 0},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 1, 0x210002, 64, 1}, 7, 1},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 2, 0x200002, 64, 1}, 7, 1},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 2, 0x300002, 64, 1}, 7, 1},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 1, 0x200002, 68, 1}, 7, 0},
	{TT6_A24, "tt6e", NULL, {0x1000, NOP}, 2, 1},
	{TT6_A24, "tt6e", NULL, {0x1000, DCBZ, 0x2000}, 3, 0},
};

/* Findings that a case may have beside its own. */
static bool
may_be_found(const struct rule_case *rule_case, enum tt6_rule rule)
{
	return rule == rule_case->rule || rule == TT6_A24 ||
	       (rule_case->rule == TT6_A24 && rule == TT6_A16);
}

static void
every_rule_has_a_smallest_input(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rule_cases / sizeof *rule_cases; i++) {
		const struct rule_case *rule_case = &rule_cases[i];
		const char *words[] = {"amber.endian=be", rule_case->option, NULL};
		struct buf bytes = {0};
		struct outcome outcome;
		put_words(&bytes, rule_case->words, rule_case->count);
		struct poly_read_options options = options_for(rule_case->format);
		options.options = words;
		read_all(&bytes, &options, &outcome);
		if (outcome.found[rule_case->rule] != rule_case->times)
			fail_msg("case %zu: found %llu times", i,
				(unsigned long long)outcome.found[rule_case->rule]);
		for (unsigned rule = 0; rule <= TT6_A24; rule++) {
			if (outcome.found[rule] && !may_be_found(rule_case, rule))
				fail_msg("case %zu: rule %u is broken too: %s", i, rule,
					outcome.message[rule]);
		}
		buf_free(&bytes);
	}
}

static void
a_context_escape_of_65_words_is_too_long(void **state)
{
	(void)state;
	uint32_t words[70] = {0x1000, 0x00000041};
	struct buf bytes = {0};
	struct outcome outcome;
	struct poly_read_options options = options_for("tt6");
	put_words(&bytes, words, 2 + 65);
	read_all(&bytes, &options, &outcome);
	assert_int_equal(outcome.found[TT6_A10], 1);
	assert_int_equal(outcome.by_record[TT6_IS_SEGMENT], 1);
	buf_free(&bytes);
}

static void
truncated_files_preserve_their_tail(void **state)
{
	static const struct {
		size_t size, records, a01, a02;
	} cases[] = {{0, 0, 1, 0}, {3, 1, 1, 0}, {4, 1, 0, 0}, {5, 2, 1, 0}, {8, 2, 0, 1},
		{10, 2, 1, 1}, {12, 2, 0, 0}, {16, 3, 0, 1}, {20, 3, 0, 1}, {24, 3, 0, 0}};
	static const uint32_t words[] = {0x1000, LWZ, 0x2000, LSWX, 0x2000, 7};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		struct outcome outcome;
		put_words(&bytes, words, 6);
		bytes.size = cases[i].size;
		struct conversion conversion = {.read = options_for("tt6"), .to = "tt6"};
		read_all(&bytes, &conversion.read, &outcome);
		assert_int_equal(outcome.status, POLY_END);
		assert_int_equal(outcome.records, cases[i].records);
		assert_int_equal(outcome.found[TT6_A01], cases[i].a01);
		assert_int_equal(outcome.found[TT6_A02], cases[i].a02);
		assert_int_equal(convert(&conversion, &bytes), POLY_OK);
		assert_bytes(&conversion.out, bytes.data, bytes.size);
		buf_free(&conversion.out);
		buf_free(&bytes);
	}
}

/* Returns the bytes of the file from a record on, with the initial PC that they need. */
static void
assert_cut(const struct buf *bytes, const char *format, size_t skipped)
{
	struct poly_read_options options = options_for(format);
	struct conversion conversion = {
		.read = options_for(format), .to = format, .skip = skipped};
	struct poly_reader *reader = open_bytes(bytes, &options);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_true(skipped < batch->rows);
	size_t origin = (size_t)batch->origin[skipped], first = skipped;
	while (first < batch->rows && batch->kind[first] != POLY_KIND_INSTRUCTION)
		first++;
	uint32_t pc = first < batch->rows ? (uint32_t)batch->pc[first] : 0;
	poly_reader_close(reader);
	assert_int_equal(convert(&conversion, bytes), POLY_OK);
	assert_int_equal(conversion.out.size, 4 + bytes->size - origin);
	assert_int_equal(load_be32(conversion.out.data), pc);
	assert_memory_equal(
		conversion.out.data + 4, bytes->data + origin, bytes->size - origin);
	buf_free(&conversion.out);
}

static void
a_trace_can_be_split_before_any_record(void **state)
{
	static const char *const cases[][2] = {{"tt6/isamix.tt6", "tt6"},
		{"tt6/isamix.tt6e", "tt6e"}, {"amber/thread_001.tt6e", "tt6e"},
		{"amber/sync.tt6", "tt6"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		struct outcome outcome;
		load(cases[i][0], &bytes);
		struct poly_read_options options = options_for(cases[i][1]);
		read_all(&bytes, &options, &outcome);
		for (size_t skipped = 1; skipped < outcome.records; skipped += 1 + skipped / 40)
			assert_cut(&bytes, cases[i][1], skipped);
		buf_free(&bytes);
	}
}

static void
escapes_are_written_as_they_were(void **state)
{
	/* Every code with 0 to 3 words, a high word of 0 included; a null escape; a large one.
	 */
	(void)state;
	struct buf bytes = {0};
	uint32_t words[] = {0x1000, 0x00000000, 0x00070003, 0, 0, 5, NOP};
	put_words(&bytes, words, 7);
	for (uint32_t code = 0; code < 0x42; code++) {
		for (uint32_t count = 0; count < 4; count++) {
			uint32_t escape[] = {code << 16 | count, code % 2 ? 0 : 9, code, 3};
			put_words(&bytes, escape, 1 + count);
		}
	}
	put_words(&bytes, words + 6, 1);
	for (size_t little = 0; little < 2; little++) {
		const char *order[] = {little ? "amber.endian=le" : "amber.endian=be", NULL};
		struct conversion conversion = {.read = options_for("tt6e"), .to = "tt6e"};
		conversion.read.options = order;
		for (size_t i = 0; little && i < bytes.size; i += 4)
			store_le32(bytes.data + i, load_be32(bytes.data + i));
		assert_int_equal(convert(&conversion, &bytes), POLY_OK);
		assert_bytes(&conversion.out, bytes.data, bytes.size);
		buf_free(&conversion.out);
	}
	buf_free(&bytes);
}

static void
address_escapes_describe_the_next_instruction(void **state)
{
	static const uint32_t words[] = {0x1000, 0x00010001, 0x2000, 0x00050002, 1, 0x5000,
		0x00030001, 0x6000, 0x00200002, 64, 1, DCBZ, NOP};
	(void)state;
	for (size_t rows = 1; rows < 8; rows++) {
		struct buf bytes = {0};
		const struct poly_batch *batch;
		put_words(&bytes, words, 13);
		struct poly_read_options options = options_for("tt6");
		options.batch_rows = rows;
		struct poly_reader *reader = open_bytes(&bytes, &options);
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK &&
			batch->first + batch->rows <= 5)
			;
		size_t row = (size_t)(5 - batch->first);
		assert_int_equal(batch->opcode[row], DCBZ);
		assert_true(poly_present(batch, POLY_COLUMN_address, row));
		assert_int_equal(batch->address[row], 0x2000);
		assert_int_equal(batch->access[row], POLY_ACCESS_WRITE);
		assert_true(poly_present(batch, POLY_COLUMN_access, row));
		assert_int_equal(batch->real_pc[row], 0x100005000);
		assert_true(poly_present(batch, POLY_COLUMN_real_target, row));
		assert_int_equal(batch->real_target[row], 0x6000);
		assert_false(poly_present(batch, POLY_COLUMN_real_address, row));
		if (row + 1 < batch->rows || poly_reader_next(reader, &batch, NULL) == POLY_OK)
			row = (size_t)(6 - batch->first);
		assert_int_equal(batch->opcode[row], NOP);
		assert_false(poly_present(batch, POLY_COLUMN_address, row));
		assert_false(poly_present(batch, POLY_COLUMN_real_pc, row));
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

static uint32_t
next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 32);
}

/* A word of a trace that never was: often a known instruction, rarely an escape. */
static uint32_t
random_word(uint64_t *state)
{
	static const uint32_t words[] = {NOP, LWZ, DCBZ, LSWX, TWI, BLR, TT6_BRANCH_SYNTHETIC,
		TT6_TRAP, TT6_RFI, 0xe8000002, 0xe8000001, 0xbba10000, 0x7ca0a4aa, 0x7c0002ac,
		0x41820010, 0x00010001, 0x00300002};
	uint32_t random = next_random(state);
	if (random % 3 == 0)
		return words[(random >> 8) % (sizeof words / sizeof *words)];
	return random % 3 == 1 ? next_random(state) | 0x80000000u : next_random(state);
}

/* Checks that a row matches the plain decoding of its bytes. */
static void
assert_plain(const struct poly_batch *batch, size_t row, const struct tt6_record *record,
	uint32_t pc)
{
	bool has_address = record->shape == TT6_MEMORY || record->shape == TT6_EXTENDED;
	assert_int_equal(batch->kind[row], POLY_KIND_INSTRUCTION);
	assert_true(poly_present(batch, POLY_COLUMN_pc, row));
	assert_int_equal(batch->pc[row], pc);
	assert_int_equal(batch->opcode[row], record->opcode);
	assert_int_equal(
		poly_present(batch, POLY_COLUMN_next_pc, row), record->shape == TT6_FLOW);
	assert_int_equal(
		poly_present(batch, POLY_COLUMN_value, row), record->shape == TT6_EXTENDED);
	if (record->shape == TT6_FLOW)
		assert_int_equal(batch->next_pc[row], record->second);
	if (record->shape == TT6_EXTENDED)
		assert_int_equal(batch->value[row], record->third);
	if (!has_address)
		return;
	const struct powerpc_instruction *known = powerpc_find(record->opcode);
	uint32_t size = powerpc_size(record->opcode, record->third, 0);
	bool is_string = record->opcode >> 26 == 31 && known->flags & POWERPC_STRING;
	assert_true(poly_present(batch, POLY_COLUMN_address, row));
	assert_int_equal(batch->address[row], record->second);
	assert_int_equal(poly_present(batch, POLY_COLUMN_access, row), known->access >= 0);
	if (known->access >= 0)
		assert_int_equal(batch->access[row], known->access);
	assert_int_equal(poly_present(batch, POLY_COLUMN_size, row),
		known->access >= 0 && (size || is_string));
	if (size && known->access >= 0)
		assert_int_equal(batch->size[row], size);
}

/* Walks plainly beside the reader. */
struct walk {
	const struct buf *bytes;
	struct tt6_tables tables;
	bool little, extended;
	size_t at;
	uint32_t pc;
};

/* The synthetic pair stands at the walk's place. */
static bool
pair_at(const struct walk *walk, size_t at)
{
	const struct buf *bytes = walk->bytes;
	return walk->extended && at + 16 <= bytes->size &&
	       tt6_load(bytes->data + at, walk->little) >> 26 == 18 &&
	       tt6_load(bytes->data + at + 4, walk->little) == TT6_TRAP &&
	       tt6_load(bytes->data + at + 8, walk->little) == TT6_RFI;
}

static void
step(struct walk *walk, const struct poly_batch *batch, size_t row)
{
	struct tt6_record record;
	const struct buf *bytes = walk->bytes;
	bool is_whole = tt6_decode(&walk->tables, walk->little, bytes->data + walk->at,
		bytes->size - walk->at, &record);
	assert_int_equal(batch->origin[row], walk->at);
	if (!is_whole) {
		assert_int_equal(batch->record[row], TT6_IS_CORRUPT);
		walk->at = bytes->size;
		return;
	}
	if (record.shape == TT6_ESCAPE) {
		assert_int_equal(batch->escape[row], tt6_code(record.opcode));
		assert_false(poly_present(batch, POLY_COLUMN_pc, row));
	} else {
		assert_plain(batch, row, &record, walk->pc);
		bool is_second = walk->pc == TT6_TRAP && record.opcode == TT6_RFI &&
				 walk->at >= 8 && pair_at(walk, walk->at - 8);
		assert_int_equal(poly_present(batch, POLY_COLUMN_synthetic, row),
			pair_at(walk, walk->at) || is_second);
		walk->pc = record.shape == TT6_FLOW ? record.second : walk->pc + 4;
	}
	walk->at += record.length;
}

static void
assert_differential(const struct buf *bytes, const char *format,
	const struct poly_read_options *base, bool little)
{
	struct poly_read_options options = *base;
	const char *words[] = {little ? "amber.endian=le" : "amber.endian=be", NULL};
	options.format = format;
	options.options = words;
	struct walk walk = {.bytes = bytes, .little = little};
	walk.extended = strcmp(format, "tt6e") == 0;
	tt6_tables_fill(&walk.tables, walk.extended, false);
	struct poly_reader *reader = open_bytes(bytes, &options);
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			if (walk.at) {
				step(&walk, batch, row);
				continue;
			}
			walk.pc = tt6_load(bytes->data, little);
			assert_int_equal(batch->record[row], TT6_IS_INITIAL_PC);
			walk.at = 4;
		}
	}
	assert_int_equal(walk.at, bytes->size);
	poly_reader_close(reader);
}

static void
the_fast_decoder_agrees_with_the_plain_one(void **state)
{
	static const size_t batch_rows[] = {1, 7, 100, 700, POLY_BATCH_ROWS};
	static const size_t block_sizes[] = {1, 13, 4096, 0};
	uint64_t random = 1;
	(void)state;
	for (size_t round = 0; round < 60; round++) {
		struct buf bytes = {0};
		size_t count = 1 + next_random(&random) % 6000;
		for (size_t i = 0; i < count; i++) {
			static const uint32_t pair[] = {
				TT6_BRANCH_SYNTHETIC, TT6_TRAP, TT6_RFI, 0x4000};
			uint32_t word = random_word(&random);
			put_words(&bytes, word % 16 ? &word : pair, word % 16 ? 1 : 4);
		}
		bytes.size -= next_random(&random) % 4;
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		options.batch_rows = batch_rows[round % 5];
		options.block_size = block_sizes[round % 4];
		if (bytes.size >= 4)
			assert_differential(
				&bytes, round % 2 ? "tt6" : "tt6e", &options, round % 3 == 2);
		buf_free(&bytes);
	}
}

static void
branches_are_derived(void **state)
{
	static const uint32_t words[] = {0x1000, 0x41820010, 0x1010, 0x41820010, 0x1014,
		0x48000000, 0x1014, 0x4d820020, 0x1018, 0x4d820020, 0x3000, BLR, 0x4000, SC,
		0x4004, 0x41820004, 0x4008};
	/* branch taken (1), not (0), not known (2); target, 0: none; fallthrough, 0: none */
	static const uint32_t expected[][3] = {{1, 0x1010, 0x1004}, {0, 0x1020, 0x1014},
		{1, 0x1014, 0}, {0, 0, 0x1018}, {1, 0x3000, 0x101c}, {1, 0x4000, 0}, {2, 0, 0},
		{2, 0x4008, 0x4008}};
	(void)state;
	struct buf bytes = {0};
	const struct poly_batch *batch;
	put_words(&bytes, words, sizeof words / sizeof *words);
	struct poly_read_options options = options_for("tt6");
	struct poly_reader *reader = open_bytes(&bytes, &options);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 9);
	for (size_t i = 0; i < 8; i++) {
		size_t row = i + 1;
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_branch, row), expected[i][0] != 2);
		if (expected[i][0] != 2)
			assert_int_equal(batch->branch[row], expected[i][0]);
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_target, row), expected[i][1] != 0);
		if (expected[i][1])
			assert_int_equal(batch->target[row], expected[i][1]);
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_fallthrough, row), expected[i][2] != 0);
		if (expected[i][2])
			assert_int_equal(batch->fallthrough[row], expected[i][2]);
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
a_plain_count_is_the_size_if_the_option_is_set(void **state)
{
	static const uint32_t words[] = {0x1000, LSWX, 0x2000, 0x183};
	static const char *const plain[] = {"amber.third=count", NULL};
	(void)state;
	struct buf bytes = {0};
	const struct poly_batch *batch;
	put_words(&bytes, words, 4);
	for (size_t i = 0; i < 2; i++) {
		struct poly_read_options options = options_for("tt6");
		options.options = i ? plain : NULL;
		struct poly_reader *reader = open_bytes(&bytes, &options);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_int_equal(batch->size[1], i ? 0x183 : 3);
		poly_reader_close(reader);
	}
	buf_free(&bytes);
}

static void
tt6e_becomes_tt6(void **state)
{
	static const char *const names[] = {
		"amber/thread_001", "tt6/isamix", "tt6/sort", "tt6/altivec"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char name[100];
		struct buf from = {0}, expected = {0};
		snprintf(name, sizeof name, "%s.tt6e", names[i]);
		load(name, &from);
		snprintf(name, sizeof name, "%s.tt6", names[i]);
		load(name, &expected);
		struct conversion conversion = {.read = options_for("tt6e"), .to = "tt6"};
		assert_int_equal(convert(&conversion, &from), POLY_OK);
		assert_bytes(&conversion.out, expected.data, expected.size);
		buf_free(&conversion.out);
		buf_free(&from);
		buf_free(&expected);
	}
}

static void
a_cache_operation_needs_its_address_in_tt6e(void **state)
{
	static const uint32_t words[] = {0x1000, DCBZ, NOP};
	static const uint32_t with_zero[] = {0x1000, DCBZ, 0, NOP};
	static const uint32_t escaped[] = {0x1000, 0x00010001, 0x2000, DCBZ};
	static const uint32_t filled[] = {0x1000, 0x00010001, 0x2000, DCBZ, 0x2000};
	static const char *const zero[] = {"tt6e.missing=zero", NULL};
	struct buf bytes = {0}, expected = {0};
	(void)state;
	put_words(&bytes, words, 3);
	struct conversion refused = {.read = options_for("tt6"), .to = "tt6e"};
	assert_int_equal(convert(&refused, &bytes), POLY_ERR_LOSS);
	assert_non_null(strstr(refused.error.message, "'address'"));
	assert_non_null(strstr(refused.error.message, "tt6e.missing"));
	assert_int_equal(refused.error.record, 2);
	struct conversion zeroed = {.read = options_for("tt6"),
		.to = "tt6e",
		.options = zero,
		.note = "written with 0"};
	assert_int_equal(convert(&zeroed, &bytes), POLY_OK);
	put_words(&expected, with_zero, 4);
	assert_bytes(&zeroed.out, expected.data, expected.size);
	assert_int_equal(zeroed.notes, 1);
	buf_clear(&bytes);
	buf_clear(&expected);
	put_words(&bytes, escaped, 4);
	put_words(&expected, filled, 5);
	struct conversion taken = {.read = options_for("tt6"), .to = "tt6e"};
	assert_int_equal(convert(&taken, &bytes), POLY_OK);
	assert_bytes(&taken.out, expected.data, expected.size);
	buf_free(&refused.out);
	buf_free(&zeroed.out);
	buf_free(&taken.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
every_twi_has_its_pair_in_tt6e(void **state)
{
	/* The escape after a twi follows the pair; a last twi is dropped. */
	static const uint32_t words[] = {
		0x1000, TWI, 0x00020001, 7, TWI, NOP, TWI, 0x00020001, 8};
	static const uint32_t paired[] = {0x1000, TWI, 0x48000702, 0x700, 0x4c000064, 0x1004,
		0x00020001, 7, TWI, 0x48000702, 0x700, 0x4c000064, 0x1008, NOP, 0x00020001, 8};
	struct buf bytes = {0}, expected = {0};
	(void)state;
	put_words(&bytes, words, 9);
	put_words(&expected, paired, 16);
	struct conversion conversion = {
		.read = options_for("tt6"), .to = "tt6e", .note = "last twi"};
	assert_int_equal(convert(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, expected.data, expected.size);
	assert_int_equal(conversion.notes, 1);
	buf_free(&conversion.out);
	/* In a TT6E source the pairs of twi are explicit. */
	conversion = (struct conversion){.read = options_for("tt6e"), .to = "tt6e"};
	assert_int_equal(convert(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, bytes.data, bytes.size);
	buf_free(&conversion.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
a_pc_discontinuity_becomes_a_splice(void **state)
{
	static const uint32_t trapped[] = {
		0x1000, TWI, 0x48000702, 0x700, TT6_RFI, 0x5000, NOP};
	static const uint32_t plain[] = {0x1000, TWI, TT6_SPLICE, 0x5000, NOP};
	struct buf bytes = {0}, expected = {0};
	(void)state;
	put_words(&bytes, trapped, 7);
	put_words(&expected, plain, 5);
	struct conversion conversion = {
		.read = options_for("tt6e"), .to = "tt6", .note = "PC discontinuities"};
	assert_int_equal(convert(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, expected.data, expected.size);
	assert_int_equal(conversion.notes, 1);
	buf_free(&conversion.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
concatenated_traces_are_spliced(void **state)
{
	static const uint32_t one[] = {0x1000, NOP, BLR, 0x2000}, two[] = {0x3000, LWZ, 0x4000};
	static const uint32_t both[] = {
		0x1000, NOP, BLR, 0x2000, TT6_SPLICE, 0x3000, LWZ, 0x4000};
	struct buf bytes = {0}, expected = {0};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	(void)state;
	put_words(&bytes, one, 4);
	put_words(&bytes, two, 3);
	put_words(&expected, both, 8);
	struct buf parts[] = {
		{.data = bytes.data, .size = 16}, {.data = bytes.data + 16, .size = 12}};
	struct conversion conversion = {.read = options_for("tt6")};
	struct poly_reader *readers[] = {open_bytes(&parts[0], &conversion.read),
		open_bytes(&parts[1], &conversion.read)};
	const struct poly_sink sink = {collect, &conversion.out};
	options.format = "tt6";
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(readers[0]), &options, &writer, NULL),
		POLY_OK);
	const struct poly_batch *batch;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(poly_reader_next(readers[i], &batch, NULL), POLY_OK);
		assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
		poly_reader_close(readers[i]);
	}
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	assert_bytes(&conversion.out, expected.data, expected.size);
	poly_writer_close(writer);
	buf_free(&conversion.out);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
a_branch_waits_for_the_next_instruction(void **state)
{
	struct buf bytes = {0};
	(void)state;
	load("amber/thread_001.tt6", &bytes);
	struct conversion conversion = {
		.read = options_for("tt6"), .to = "tt6", .note = "last branch"};
	conversion.read.columns = POLY_COLUMNS_EXCEPT(next_pc);
	assert_int_equal(convert(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, bytes.data, 552); /* but the last one, an sc */
	assert_int_equal(conversion.notes, 1);
	buf_free(&conversion.out);
	buf_free(&bytes);
}

static void
full_becomes_tt6_and_tt6e(void **state)
{
	static const struct {
		const char *from, *to;
		size_t size; /* 0: all */
	} cases[] = {{"amber/thread_001.full1004", "amber/thread_001.tt6", 552},
		{"amber/thread_001.full1004", "amber/thread_001.tt6e", 588},
		{"amber/thread_001.full1008", "amber/thread_001.tt6", 552},
		{"amber/thread_001.full1008", "amber/thread_001.tt6e", 588},
		{"full/altivec.full", "full/altivec.tt6", 0},
		{"full/altivec.full", "full/altivec.tt6e", 0},
		{"full/isamix.full", "full/isamix.tt6", 0},
		{"full/isamix.full", "full/isamix.tt6e", 0},
		{"full/sort.full", "full/sort.tt6", 0},
		{"full/sort.full", "full/sort.tt6e", 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf from = {0}, to = {0};
		load(cases[i].from, &from);
		load(cases[i].to, &to);
		struct conversion conversion = {
			.read = options_for("full"), .to = strrchr(cases[i].to, '.') + 1};
		assert_int_equal(convert(&conversion, &from), POLY_OK);
		assert_bytes(&conversion.out, to.data, cases[i].size ? cases[i].size : to.size);
		buf_free(&conversion.out);
		buf_free(&from);
		buf_free(&to);
	}
}

/* The bid of a format on bytes. */
static int
bid_on(const char *format, const void *data, size_t n, struct probe_note *note)
{
	memset(note, 0, sizeof *note);
	return format_find(format)->probe(data, n, true, note);
}

static void
content_distinguishes_tt6_from_tt6e(void **state)
{
	static const struct {
		const char *name;
		int tt6, tt6e;
	} cases[] = {{"amber/thread_001.tt6", 24, 0}, {"amber/thread_001.tt6e", 0, 24},
		{"amber/sync.tt6", 24, 24}, {"tt6/isamix.tt6", 24, 0},
		{"tt6/isamix.tt6e", 0, 24}, {"tt6/sort.tt6", 24, 24},
		{"tt6/thread_002.tt6e", 24, 24}};
	struct probe_note note;
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		load(cases[i].name, &bytes);
		assert_int_equal(bid_on("tt6", bytes.data, bytes.size, &note), cases[i].tt6);
		assert_int_equal(bid_on("tt6e", bytes.data, bytes.size, &note), cases[i].tt6e);
		buf_free(&bytes);
	}
}

static void
the_evidence_states_the_counts(void **state)
{
	struct buf bytes = {0};
	struct probe_note note;
	(void)state;
	load("amber/thread_001.tt6e", &bytes);
	bid_on("tt6e", bytes.data, bytes.size, &note);
	assert_non_null(
		strstr(note.text, "relative branches, all correct; a twi is followed by its "
				  "synthetic pair"));
	buf_clear(&bytes);
	load("amber/thread_001.tt6", &bytes);
	bid_on("tt6", bytes.data, bytes.size, &note);
	assert_non_null(strstr(note.text, "8 relative branches, all correct"));
	buf_free(&bytes);
}

static void
other_content_gets_no_bid(void **state)
{
	static const char *const names[] = {"bach/enables.tr", "bach/start_2k.bach",
		"bach/bios_irq_4k.bach", "byutr/types12.tr", "full/start.full1008",
		"bach/enables.txt"};
	struct probe_note note;
	uint8_t *zeros = calloc(1, 65536);
	uint64_t random = 5;
	(void)state;
	assert_non_null(zeros);
	assert_int_equal(bid_on("tt6", zeros, 65536, &note), 0);
	for (size_t i = 0; i < 65536; i++)
		zeros[i] = (uint8_t)(next_random(&random) >> 7);
	zeros[3] = 0;
	assert_int_equal(bid_on("tt6e", zeros, 65536, &note), 0);
	free(zeros);
	static const char text[] =
		"Here is some text, 4 bytes each: HIJK @ABC; and so on it goes.  ";
	assert_int_equal(bid_on("tt6", text, sizeof text - 1, &note), 0);
	static const uint32_t two_branches[] = {
		0x1000, 0x48000010, 0x1010, 0x4bfffff0, 0x1000, NOP};
	struct buf few = {0};
	put_words(&few, two_branches, 6);
	assert_int_equal(bid_on("tt6", few.data, few.size, &note), 0);
	put_words(&few, two_branches + 1, 2);
	store_be32(few.data + 24, 0x4bfffffc); /* a third one: b -4 */
	store_be32(few.data + 28, 0x1000);
	store_be32(few.data + 20, NOP);
	assert_int_equal(bid_on("tt6", few.data, few.size, &note), 24);
	buf_free(&few);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf bytes = {0};
		load(names[i], &bytes);
		assert_int_equal(bid_on("tt6", bytes.data, bytes.size, &note), 0);
		assert_int_equal(bid_on("tt6e", bytes.data, bytes.size, &note), 0);
		buf_free(&bytes);
	}
}

static void
a_swapped_file_is_recognised_and_written_swapped(void **state)
{
	struct buf bytes = {0};
	struct probe_note note;
	struct outcome outcome;
	(void)state;
	load("amber/thread_001.tt6", &bytes);
	for (size_t i = 0; i < bytes.size; i += 4)
		store_le32(bytes.data + i, load_be32(bytes.data + i));
	assert_int_equal(bid_on("tt6", bytes.data, bytes.size, &note), 24);
	assert_non_null(strstr(note.text, "byte-swapped"));
	struct conversion conversion = {.read = options_for("tt6"), .to = "tt6"};
	read_all(&bytes, &conversion.read, &outcome);
	assert_int_equal(outcome.instructions, 90);
	assert_int_equal(outcome.found[TT6_A05] + outcome.found[TT6_A06], 0);
	assert_int_equal(convert(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, bytes.data, bytes.size);
	buf_free(&conversion.out);
	buf_free(&bytes);
}

static void
strict_reading_stops_after_the_first_warning(void **state)
{
	static const uint32_t words[] = {0x1000, NOP, 0x48000010, 0x1018, NOP, NOP};
	struct buf bytes = {0};
	const struct poly_batch *batch;
	struct poly_error error;
	(void)state;
	put_words(&bytes, words, 6);
	struct poly_read_options options = options_for("tt6");
	options.strict = true;
	struct poly_reader *reader = open_bytes(&bytes, &options);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(batch->rows, 3);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_int_equal(error.record, 3);
	assert_int_equal(error.offset, 8);
	assert_non_null(strstr(error.message, "A05"));
	poly_reader_close(reader);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(POLY_WITH_JANSSON)
		cmocka_unit_test(small_listings_agree_in_every_field),
		cmocka_unit_test(large_listings_agree_in_every_field),
		cmocka_unit_test(a_wrong_branch_reports_the_true_pc),
#endif
		cmocka_unit_test(traces_have_the_known_counts),
		cmocka_unit_test(long_traces_have_the_known_counts),
		cmocka_unit_test(every_rule_has_a_smallest_input),
		cmocka_unit_test(a_context_escape_of_65_words_is_too_long),
		cmocka_unit_test(truncated_files_preserve_their_tail),
		cmocka_unit_test(a_trace_can_be_split_before_any_record),
		cmocka_unit_test(escapes_are_written_as_they_were),
		cmocka_unit_test(address_escapes_describe_the_next_instruction),
		cmocka_unit_test(the_fast_decoder_agrees_with_the_plain_one),
		cmocka_unit_test(branches_are_derived),
		cmocka_unit_test(a_plain_count_is_the_size_if_the_option_is_set),
		cmocka_unit_test(tt6e_becomes_tt6),
		cmocka_unit_test(a_cache_operation_needs_its_address_in_tt6e),
		cmocka_unit_test(every_twi_has_its_pair_in_tt6e),
		cmocka_unit_test(a_pc_discontinuity_becomes_a_splice),
		cmocka_unit_test(concatenated_traces_are_spliced),
		cmocka_unit_test(a_branch_waits_for_the_next_instruction),
		cmocka_unit_test(full_becomes_tt6_and_tt6e),
		cmocka_unit_test(content_distinguishes_tt6_from_tt6e),
		cmocka_unit_test(the_evidence_states_the_counts),
		cmocka_unit_test(other_content_gets_no_bid),
		cmocka_unit_test(a_swapped_file_is_recognised_and_written_swapped),
		cmocka_unit_test(strict_reading_stops_after_the_first_warning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
