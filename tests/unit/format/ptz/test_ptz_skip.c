/* SPDX-License-Identifier: MIT */
/* Selections of a packed trace, which skip segments, compared with those of its text. */
#include "ptz_help.h"

#define SEGMENT 4096
#define SEGMENTS 24
#define FORM "text:pc:hex|-,time:dec|-,address:hex|-"

static uint64_t
chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static struct buf text, packed;

/* A number, or that there is none. */
static void
put(struct buf *to, const char *format, bool there, uint64_t number)
{
	if (there)
		buf_printf(to, format, (unsigned long long)number);
	else
		buf_string(to, format[3] == 'x' ? "-" : " -");
}

/*
 * Runs of rows as long as segments: each with code of its own, and with times of its own in all
 * rows, in some, in all but the first, or in none; they increase, jump, repeat and decrease.
 */
static int
make_trace(void **unused)
{
	uint64_t state = 3, time = 100;
	(void)unused;
	for (unsigned s = 0; s < SEGMENTS; s++) {
		const uint64_t code = 0x1000 * (1 + chance(&state) % 6);
		const uint64_t kind = chance(&state) % 5, step = chance(&state) % 3;
		time = chance(&state) % 8 ? time + 20 * (chance(&state) % 3) : time / 2;
		for (unsigned row = 0; row < SEGMENT; row++) {
			const bool timed = kind == 1   ? chance(&state) % 3
					   : kind == 2 ? row > 1000
					   : kind == 3 ? row == SEGMENT - 1
						       : kind != 4;
			time += row % 1024 == 0 ? step : 0;
			put(&text, "%llx", chance(&state) % 50 != 0,
				code + 4 * (chance(&state) % 64));
			put(&text, " %llu", timed, time);
			put(&text, " %llx\n", s % 4 != 1 && chance(&state) % 2,
				0x100000 * (s / 3) + chance(&state) % 32);
			if (text.data[text.size - 1] != '\n')
				buf_byte(&text, '\n');
		}
	}
	packed = convert(open_bytes(&text, FORM, NULL, false), "ptz", "ptz.rows=4096", NULL);
	return 0;
}

static int
free_trace(void **unused)
{
	(void)unused;
	buf_free(&text);
	buf_free(&packed);
	return 0;
}

/* What a selection gave: records, and a hash of their numbers and values. */
struct outcome {
	enum poly_status status;
	uint64_t records, hash;
};

static void
add(struct outcome *to, uint64_t value)
{
	to->hash = (to->hash ^ value) * 0x100000001b3u;
	to->hash ^= to->hash >> 29;
}

static struct outcome
select_of(const struct buf *bytes, const char *format, const struct poly_read_options *reading,
	const struct poly_selection_options *selecting)
{
	static const enum poly_column columns[] = {
		POLY_COLUMN_pc, POLY_COLUMN_time, POLY_COLUMN_address};
	struct outcome outcome = {.hash = 1};
	struct poly_read_options options = *reading;
	struct poly_selection *selection;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	options.format = format;
	if (poly_selection_new(selecting, &selection, &error) != POLY_OK)
		fail_msg("%s", error.message);
	if (poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	assert_int_equal(
		poly_selection_bind(selection, poly_reader_info(reader), &error), POLY_OK);
	const struct poly_source source = poly_reader_source(reader);
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	plan.may_match = poly_selection_pruning(selection);
	plan.user = selection;
	poly_reader_plan(reader, &plan, NULL);
	while ((outcome.status = poly_selection_next(selection, &source, &batch, &error)) ==
		POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			add(&outcome, poly_batch_number(batch, row));
			for (unsigned c = 0; c < 3; c++)
				add(&outcome,
					poly_present(batch, columns[c], row)
						? poly_batch_integer(batch, columns[c], row)
						: UINT64_MAX - 5);
		}
		outcome.records += batch->rows;
	}
	poly_selection_free(selection);
	poly_reader_close(reader);
	return outcome;
}

static const char *
chance_filter(uint64_t *state, char room[120])
{
	const unsigned page = 0x1000 * (unsigned)(1 + chance(state) % 7);
	const unsigned time = (unsigned)(100 + chance(state) % 300);
	const unsigned data = 0x100000 * (unsigned)(chance(state) % 9);
	const unsigned row = (unsigned)(chance(state) % (SEGMENT * SEGMENTS));
	switch (chance(state) % 12) {
	case 0: snprintf(room, 120, "pc in 0x%x..0x%x", page, page + 0xfff); break;
	case 1: snprintf(room, 120, "pc == 0x%x", page + 8); break;
	case 2: snprintf(room, 120, "time > %u", time); break;
	case 3: snprintf(room, 120, "time <= %u and pc < 0x%x", time, page); break;
	case 4: snprintf(room, 120, "address in 0x%x..0x%x", data, data + 16); break;
	case 5: snprintf(room, 120, "address & ~0xfffff == 0x%x", data); break;
	case 6: snprintf(room, 120, "row >= %u and pc > 0x%x", row, page); break;
	case 7: snprintf(room, 120, "not (pc in 0x%x..0x%x)", page, page + 0x1fff); break;
	case 8: snprintf(room, 120, "has(address) and not has(time)"); break;
	case 9: snprintf(room, 120, "pc == 0x%x or address == 0x%x", page, data + 1); break;
	case 10: snprintf(room, 120, "row in %u..%u", row, row + 5000); break;
	default: snprintf(room, 120, "time == %u", time);
	}
	return room;
}

static void
selections_equal_those_of_the_text(void **unused)
{
	uint64_t state = 11, records = 0;
	(void)unused;
	for (unsigned i = 0; i < 250; i++) {
		struct poly_selection_options request = POLY_SELECTION_OPTIONS_INIT;
		struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
		char where[120], start[120], stop[120];
		if (chance(&state) % 3)
			request.where = chance_filter(&state, where);
		if (chance(&state) % 4 == 0)
			request.start_at = chance_filter(&state, start);
		if (chance(&state) % 6 == 0)
			request.stop_at = chance_filter(&state, stop);
		if ((request.has_times = chance(&state) % 2)) {
			request.from_time = chance(&state) % 4 ? 80 + chance(&state) % 300 : 0;
			request.to_time = chance(&state) % 4
						  ? request.from_time + chance(&state) % 100
						  : UINT64_MAX;
		}
		request.every = chance(&state) % 4 ? 0 : 3;
		request.sample = chance(&state) % 6 ? 0 : 5;
		request.head = chance(&state) % 5 ? UINT64_MAX : chance(&state) % 9000;
		request.tail = chance(&state) % 5 ? UINT64_MAX : chance(&state) % 9000;
		if (chance(&state) % 3 == 0)
			reading.skip = chance(&state) % (SEGMENT * SEGMENTS);
		if (chance(&state) % 4 == 0)
			reading.count = chance(&state) % 20000;
		reading.one_thread = chance(&state) % 2;
		if (chance(&state) % 4 == 0)
			reading.batch_rows = 1 + chance(&state) % 3000;
		if (!sample_takes())
			continue;
		const struct outcome plain = select_of(&text, FORM, &reading, &request);
		const struct outcome found = select_of(&packed, "ptz", &reading, &request);
		if (found.status != plain.status || found.records != plain.records ||
			found.hash != plain.hash)
			fail_msg("%u: %llu records, expected %llu: where %s, start %s, stop "
				 "%s, "
				 "times %d %llu %llu, skip %llu, count %llu",
				i, (unsigned long long)found.records,
				(unsigned long long)plain.records,
				request.where ? request.where : "-",
				request.start_at ? request.start_at : "-",
				request.stop_at ? request.stop_at : "-", request.has_times,
				(unsigned long long)request.from_time,
				(unsigned long long)request.to_time,
				(unsigned long long)reading.skip,
				(unsigned long long)reading.count);
		records += found.records;
	}
	assert_true(records > 50000 || !sample_is_complete());
}

/* A trace whose segments have a page and a time each: 0x1000 n and 10 n, n from 1. */
static struct buf
pages_packed(struct section_at *sections)
{
	struct buf lines = {0};
	for (unsigned i = 0; i < 8 * SEGMENT; i++) {
		const unsigned n = 1 + i / SEGMENT;
		buf_printf(&lines, "%x %u %x\n", 0x1000 * n + i % 64 * 4, 10 * n,
			0x100000 * n + i % 8);
	}
	struct buf file =
		convert(open_bytes(&lines, FORM, NULL, false), "ptz", "ptz.rows=4096", NULL);
	buf_free(&lines);
	assert_int_equal(find_sections(&file, sections), 10);
	return file;
}

/* Makes garbage of segments whose bits are not set. */
static void
spoil(struct buf *file, const struct section_at *sections, unsigned kept)
{
	for (unsigned n = 1; n <= 8; n++) {
		if (!(kept >> n & 1))
			memset(file->data + sections[n].offset, 0xaa, 32 + sections[n].body);
	}
}

static void
segments_without_selected_records_are_not_read(void **unused)
{
	enum { ALL = UINT8_MAX };
	static const struct {
		const char *where, *start_at;
		uint64_t from_time, to_time, tail, skip, count; /* 0: not requested */
		unsigned kept;					/* bit n: segment n */
		uint64_t records;
	} cases[] = {
		{"pc in 0x3000..0x3fff", NULL, 0, 0, 0, 0, 0, 1 << 3, SEGMENT},
		{"pc >> 12 in {2, 7}", NULL, 0, 0, 0, 0, 0, 1 << 2 | 1 << 7, 2 * SEGMENT},
		{"address == 0x500003", NULL, 0, 0, 0, 0, 0, 1 << 5, SEGMENT / 8},
		{"time == 80", NULL, 0, 0, 0, 0, 0, 1 << 8, SEGMENT},
		{"pc == 1", NULL, 0, 0, 0, 0, 0, 0, 0},
		{"row == 10000", NULL, 0, 0, 0, 0, 0, 1 << 3, 1},
		{NULL, "time > 65", 0, 0, 0, 0, 0, 1 << 7 | 1 << 8, 2 * SEGMENT},
		{"pc in 0x8000..0x8fff", "pc == 0x4004", 0, 0, 0, 0, 0, 1 << 4 | 1 << 8,
			SEGMENT},
		/* After the last selected one, the next may start without a time. */
		{NULL, NULL, 35, 45, 0, 0, 0, 1 << 4 | 1 << 5, SEGMENT},
		{NULL, NULL, 60, UINT64_MAX, 0, 0, 0, 1 << 6 | 1 << 7 | 1 << 8, 3 * SEGMENT},
		{"pc < 0x6000", NULL, 55, UINT64_MAX, 0, 0, 0, 1 << 6, 0},
		{NULL, NULL, 0, 0, 10, 0, 0, 1 << 8, 10},
		{NULL, NULL, 0, 0, SEGMENT, 0, 0, 1 << 8, SEGMENT},
		{NULL, NULL, 0, 0, SEGMENT + 1, 0, 0, 1 << 7 | 1 << 8, SEGMENT + 1},
		/* The records up to one, and after others; the last segment's header
		   determines the end of the trace. */
		{NULL, NULL, 0, 0, 10, 0, 5 * SEGMENT + 10, 1 << 6 | 1 << 8, 10},
		{NULL, NULL, 0, 0, 11, 0, 5 * SEGMENT + 10, 1 << 5 | 1 << 6 | 1 << 8, 11},
		{NULL, NULL, 0, 0, 11, SEGMENT + 1, 3 * SEGMENT,
			1 << 2 | 1 << 4 | 1 << 5 | 1 << 8, 11},
		{NULL, NULL, 0, 0, 3 * SEGMENT, 7 * SEGMENT, 0, 1 << 8, SEGMENT},
		{"pc >> 12 in {2, 7}", NULL, 0, 0, 10, 0, 0, 1 << 2 | 1 << 7, 10},
	};
	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_selection_options request = POLY_SELECTION_OPTIONS_INIT;
		struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
		struct section_at sections[SECTIONS_MAX];
		struct buf file = pages_packed(sections);
		request.where = cases[i].where;
		request.start_at = cases[i].start_at;
		request.has_times = cases[i].to_time;
		request.from_time = cases[i].from_time;
		request.to_time = cases[i].to_time;
		request.tail = cases[i].tail ? cases[i].tail : UINT64_MAX;
		reading.skip = cases[i].skip;
		reading.count = cases[i].count ? cases[i].count : UINT64_MAX;
		spoil(&file, sections, cases[i].kept);
		const struct outcome outcome = select_of(&file, "ptz", &reading, &request);
		if (outcome.status != POLY_END || outcome.records != cases[i].records)
			fail_msg("case %zu: status %d, %llu records", i, outcome.status,
				(unsigned long long)outcome.records);
		buf_free(&file);
	}
}

static void
conditions_on_every_record_skip_no_segment(void **unused)
{
	struct poly_selection_options request = POLY_SELECTION_OPTIONS_INIT;
	struct section_at sections[SECTIONS_MAX];
	struct buf file = pages_packed(sections);
	(void)unused;
	request.where = "pc in 0x3000..0x3fff";
	spoil(&file, sections, 1 << 3);
	for (unsigned i = 0; i < 5; i++) {
		struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
		reading.skip_errors = i == 0;
		reading.strict = i == 1;
		reading.check = i == 2;
		struct poly_selection_options selecting = request;
		selecting.keep_sites = i == 4;
		if (i == 3)
			selecting.where = "pc in 0x3000..0x3fff and site >= 0";
		const struct outcome outcome = select_of(&file, "ptz", &reading, &selecting);
		assert_int_equal(outcome.status, i ? POLY_ERR_FORMAT : POLY_END);
	}
	buf_free(&file);
}

/* Selects by a filter, or the last records, by an index whose numbers are wrong in turn. */
static void
try_wrong_index(uint64_t tail)
{
	struct poly_selection_options request = POLY_SELECTION_OPTIONS_INIT;
	const struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct section_at sections[SECTIONS_MAX];
	struct buf file = pages_packed(sections);
	uint8_t *index = file.data + sections[9].offset;
	const size_t entry = 24 + 3 * 16;
	request.where = tail ? NULL : "pc in 0x3000..0x3fff";
	request.tail = tail ? tail : UINT64_MAX;
	const struct outcome valid = select_of(&file, "ptz", &reading, &request);
	for (size_t at = 0; at < 8 * entry; at += 8) {
		uint8_t *p = index + 32 + 24 + at;
		const uint64_t was = load_le64(p);
		if (at % entry >= 24 /* the ranges are believed */ || !sample_takes())
			continue;
		store_number(p, was + 1, 8);
		mend_section(index);
		const struct outcome outcome = select_of(&file, "ptz", &reading, &request);
		assert_int_equal(outcome.status, valid.status);
		assert_int_equal(outcome.records, valid.records);
		assert_int_equal(outcome.hash, valid.hash);
		store_number(p, was, 8);
	}
	buf_free(&file);
}

static void
an_index_that_is_wrong_changes_nothing(void **unused)
{
	(void)unused;
	try_wrong_index(0);
	try_wrong_index(10);
	try_wrong_index(SEGMENT + 1);
	try_wrong_index(3 * SEGMENT - 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selections_equal_those_of_the_text),
		cmocka_unit_test(segments_without_selected_records_are_not_read),
		cmocka_unit_test(conditions_on_every_record_skip_no_segment),
		cmocka_unit_test(an_index_that_is_wrong_changes_nothing),
	};
	need_library_in_all("xxhash");
	return cmocka_run_group_tests(tests, make_trace, free_trace);
}
