/* SPDX-License-Identifier: MIT */
/* oracleGeneral, typed by hand from libCacheSim's reader, against a quadratic model of next
 * requests, and its published trace. */
#include "trace_help.h"

#include "base/bits.h"

struct request {
	uint32_t time, size;
	uint64_t object;
	int64_t next;
};

static void
add(struct buf *to, struct request request)
{
	uint8_t bytes[24];
	store_le32(bytes, request.time);
	store_le64(bytes + 4, request.object);
	store_le32(bytes + 12, request.size);
	store_le64(bytes + 16, (uint64_t)request.next);
	buf_append(to, bytes, sizeof bytes);
}

static void
a_request_is_an_access(void **state)
{
	(void)state;
	static const uint8_t bytes[72] = "\x5a\xf7\x55\0"
					 "\x89\x17\x8f\2\0\0\0\0"
					 "\0\2\0\0"
					 "\3\0\0\0\0\0\0\0"
					 "\x5a\xf7\x55\0"
					 "\0\0\0\0\0\0\0\x80"
					 "\0\x1a\0\0"
					 "\xff\xff\xff\xff\xff\xff\xff\xff"
					 "\xff\xff\xff\xff"
					 "\x89\x17\x8f\2\0\0\0\0"
					 "\0\2\0\0"
					 "\xff\xff\xff\xff\xff\xff\xff\x7f";
	struct buf trace = {0};
	buf_append(&trace, bytes, sizeof bytes);
	struct buf rows = list_rows(open_bytes(&trace, "oraclegeneral", NULL, false),
		"kind record time access address size payload origin", NULL);
	assert_string_equal(buf_text(&rows),
		"access request 5633882 read 0x28f1789 512 0300000000000000 0\n"
		"access request 5633882 read 0x8000000000000000 6656 ffffffffffffffff 24\n"
		"access request 4294967295 read 0x28f1789 512 ffffffffffffff7f 48\n");
	buf_free(&rows);
	struct buf codes = find_all(open_bytes(&trace, "oraclegeneral", NULL, true));
	assert_string_equal(buf_text(&codes), "");
	buf_free(&codes);
	buf_free(&trace);
}

static void
every_rule_has_its_smallest_violation(void **state)
{
	(void)state;
	static const struct {
		struct request requests[3];
		size_t extra;
		const char *codes;
	} cases[] = {
		{{{5, 1, 9, 2}, {5, 1, 9, -1}, {6, 1, 8, -1}}, 0, ""},
		{{{5, 1, 9, 7}, {5, 1, 8, -1}, {6, 1, 7, -1}}, 0, ""},
		{{{5, 1, 9, 2}, {5, 1, 9, -1}, {6, 1, 8, -1}}, 1, "ORG1:4 "},
		{{{5, 1, 9, -1}, {4, 1, 8, -1}, {6, 1, 7, -1}}, 0, "ORG2:2 "},
		{{{5, 1, 9, 0}, {5, 1, 8, -1}, {6, 1, 7, -1}}, 0, "ORG3:1 "},
		{{{5, 1, 9, -1}, {5, 1, 8, -2}, {6, 1, 7, -1}}, 0, "ORG3:2 "},
		{{{5, 1, 9, -1}, {5, 1, 9, -1}, {6, 1, 7, -1}}, 0, "ORG4:2 "},
		{{{5, 1, 9, 3}, {5, 1, 9, -1}, {6, 1, 7, -1}}, 0, "ORG4:2 "},
		{{{5, 1, 9, 3}, {5, 1, 8, -1}, {6, 1, 7, -1}}, 0, "ORG4:0 "},
		{{{5, 1, 9, -1}, {5, 0, 8, -1}, {6, 1, 7, -1}}, 0, "ORG5:2 "},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf trace = {0};
		for (size_t j = 0; j < 3; j++)
			add(&trace, cases[i].requests[j]);
		if (cases[i].extra)
			buf_byte(&trace, 1);
		struct buf codes = find_all(open_bytes(&trace, "oraclegeneral", NULL, true));
		if (strcmp(buf_text(&codes), cases[i].codes) != 0)
			fail_msg("%zu: %s", i, buf_text(&codes));
		struct buf out = convert(open_bytes(&trace, "oraclegeneral", NULL, true),
			"oraclegeneral", NULL, NULL);
		expect_same(&out, &trace);
		buf_free(&out);
		buf_free(&codes);
		buf_free(&trace);
	}
}

/* Sets the next requests of a list by their definition. */
static void
link_requests(struct request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		requests[i].next = -1;
		for (size_t j = n - 1; j > i; j--) {
			if (requests[j].object == requests[i].object)
				requests[i].next = (int64_t)j + 1;
		}
	}
}

/* Returns a number below n, of a fixed sequence. */
static uint64_t
below(uint64_t n)
{
	static uint64_t state = 9;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

/* More requests than are handled at a time. */
#define MANY 1300

static void
next_requests_are_those_of_a_quadratic_model(void **state)
{
	(void)state;
	static struct request requests[MANY];
	struct buf lines = {0}, expected = {0}, notes = {0};
	for (size_t i = 0; i < MANY; i++) {
		requests[i] = (struct request){.time = (uint32_t)i / 3,
			.object = below(4) ? below(50) : below(100000),
			.size = 1 + (uint32_t)below(300)};
		buf_printf(&lines, "%u %llx %u %c\n", requests[i].time,
			(unsigned long long)requests[i].object, requests[i].size, "rw"[i % 2]);
	}
	link_requests(requests, MANY);
	for (size_t i = 0; i < MANY; i++)
		add(&expected, requests[i]);
	struct buf out =
		convert(open_bytes(&lines, "text:time,address,size,access:r/w", NULL, false),
			"oraclegeneral", NULL, &notes);
	expect_same(&out, &expected);
	assert_string_equal(buf_text(&notes),
		"1300 times in other units, written as seconds\n"
		"650 writes, which requests do not distinguish from reads\n");
	/* A selection has numbers of its own. */
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.skip = 100;
	struct buf rest = convert(open_memory(&out, &options), "oraclegeneral", NULL, NULL);
	link_requests(requests + 100, MANY - 100);
	buf_clear(&expected);
	for (size_t i = 100; i < MANY; i++)
		add(&expected, requests[i]);
	expect_same(&rest, &expected);
	buf_free(&rest);
	buf_free(&out);
	buf_free(&notes);
	buf_free(&expected);
	buf_free(&lines);
}

static void
an_access_is_a_request_for_each_line_that_it_touches(void **state)
{
	(void)state;
	struct buf lines = bytes_of("3f 1\n3f 2\n40 64\n0 0\nffffffffffffffff 8\n40 -\n"),
		   expected = {0}, notes = {0};
	struct request requests[] = {{.object = 0}, {.object = 0}, {.object = 1}, {.object = 1},
		{.object = 0}, {.object = UINT64_MAX / 64}, {.object = 1}};
	link_requests(requests, 7);
	for (size_t i = 0; i < 7; i++) {
		requests[i].size = 64;
		add(&expected, requests[i]);
	}
	struct buf out = convert(
		open_bytes(&lines, "text:kind=access,access=read,address,size|-", NULL, false),
		"oraclegeneral", "oraclegeneral.line=64", &notes);
	expect_same(&out, &expected);
	assert_string_equal(buf_text(&notes),
		"6 requests without a time, written with time 0\n"
		"1 accesses of unknown size, written as 1 byte\n");
	buf_free(&out);
	buf_free(&notes);
	buf_free(&expected);
	buf_free(&lines);
}

static void
what_is_not_a_request_is_counted(void **state)
{
	(void)state;
	struct buf
		lines = bytes_of(
			"{\"polytrace\":\"trace\",\"version\":1,\"clock\":\"seconds\"}\n"
			"{\"kind\":\"instruction\",\"pc\":\"0x10\"}\n"
			"{\"kind\":\"access\",\"access\":\"prefetch\",\"address\":\"0x10\"}\n"
			"{\"kind\":\"access\",\"access\":\"fetch\",\"address\":\"0x10\","
			"\"size\":4,\"time\":4294967296}\n"),
		expected = {0}, notes = {0};
	struct buf out = convert(
		open_bytes(&lines, "jsonl", NULL, false), "oraclegeneral", NULL, &notes);
	add(&expected, (struct request){UINT32_MAX, 4, 16, -1});
	expect_same(&out, &expected);
	assert_string_equal(buf_text(&notes),
		"1 records that are not accesses were dropped\n"
		"1 accesses that are not memory reads, writes or fetches were dropped\n"
		"1 times of 2^32 seconds and more, reduced to 2^32 - 1\n");
	buf_free(&out);
	buf_free(&notes);
	buf_free(&expected);
	buf_free(&lines);
}

/* The list of objects is another file of the same library. */
static void
the_trace_of_the_library_has_its_numbers(void **state)
{
	(void)state;
	struct buf bytes = load_shared(
			   "public/libcachesim/cloudPhysicsIO_5k.oracleGeneral.bin"),
		   ids = load_shared("public/libcachesim/cloudPhysicsIO_5k.txt.gz");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, true);
	const struct poly_batch *batch;
	uint64_t size = 0, never = 0;
	size_t n;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			size += batch->size[row];
			const uint8_t *next =
				poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
			never += load_le64(next) == UINT64_MAX;
		}
	}
	poly_reader_close(reader);
	assert_int_equal(size, 39817728);
	assert_int_equal(never, 1351);
	struct buf found = list_rows(open_bytes(&bytes, NULL, NULL, false), "address", NULL),
		   listed = list_rows(
			   open_bytes(&ids, "text:kind=access,access=read,address:dec", NULL,
				   false),
			   "address", NULL);
	expect_same(&found, &listed);
	struct buf codes = find_all(open_bytes(&bytes, NULL, NULL, true));
	assert_string_equal(buf_text(&codes), "");
	struct buf out =
		convert(open_bytes(&bytes, NULL, NULL, false), "oraclegeneral", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	buf_free(&codes);
	buf_free(&found);
	buf_free(&listed);
	buf_free(&ids);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_an_access),
		cmocka_unit_test(every_rule_has_its_smallest_violation),
		cmocka_unit_test(next_requests_are_those_of_a_quadratic_model),
		cmocka_unit_test(an_access_is_a_request_for_each_line_that_it_touches),
		cmocka_unit_test(what_is_not_a_request_is_counted),
		cmocka_unit_test(the_trace_of_the_library_has_its_numbers),
	};
	return cmocka_run_group_tests_name("oraclegeneral", tests, NULL, NULL);
}
