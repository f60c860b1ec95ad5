/* SPDX-License-Identifier: MIT */
/*
 * BACH bus traces against the listings that the format's own program printed, a table of all
 * byte enables, and a decoder of single bits.
 */
#include "trace_help.h"

#include "format/bus/decode.h"
#include "format/bus/text.h"

/* A trace of records written as 12 hexadecimal digits each, blanks between them. */
static struct buf
records(const char *digits)
{
	struct buf bytes = {0};
	for (; *digits; digits++) {
		char pair[3] = {digits[0], digits[0] == ' ' ? 0 : digits[1], 0};
		if (*digits == ' ')
			continue;
		buf_byte(&bytes, (uint8_t)strtoul(pair, NULL, 16));
		digits++;
	}
	return bytes;
}

static void
expect_listing(const char *binary, const char *listing)
{
	struct buf bytes = load_sample(binary), expected = {0};
	size_t have = strlen(listing);
	if (have > 3 && strcmp(listing + have - 3, ".gz") == 0) {
		char path[500];
		struct poly_error error;
		struct poly_reader *reader;
		snprintf(path, sizeof path, "%s/tests/data/%s", getenv("POLYTRACE_ROOT"),
			listing);
		enum poly_status status = poly_reader_open(path, NULL, &reader, &error);
		skip_unsupported(status, &error);
		if (status != POLY_OK)
			fail_msg("%s", error.message);
		expected = convert(reader, "bach-text", NULL, NULL);
	} else {
		expected = load_sample(listing);
	}
	struct buf got =
		convert(open_bytes(&bytes, NULL, NULL, false), "bach-text", NULL, NULL);
	expect_same(&got, &expected);
	buf_free(&got);
	buf_free(&bytes);
	buf_free(&expected);
}

static void
listings_are_those_of_the_formats_program(void **state)
{
	(void)state;
	expect_listing("bach/nibbles.tr", "bach/nibbles.txt");
	expect_listing("bach/enables.tr", "bach/enables.txt");
	expect_listing("bach/special.tr", "bach/special.txt");
	expect_listing("bach/start_2k.bach", "bach/start_2k.txt");
	expect_listing("bach/bios_irq_4k.bach", "bach/bios_irq_4k.txt.gz");
}

static void
byte_enables_give_address_and_size(void **state)
{
	(void)state;
	struct buf bytes = load_sample("bach/enables.tr"),
		   table = load_sample("bach/enables.csv");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 256);
	const char *line = strchr(buf_text(&table), '\n') + 1;
	for (size_t row = 0; row < 256; row++, line = strchr(line, '\n') + 1) {
		unsigned enables, count;
		char gapless[8] = "";
		/* If no byte is enabled, the table specifies nothing further. */
		unsigned long address = 0x100000 + 8 * 0xff;
		int fields = sscanf(
			line, "%x,%u,%*u,%*u,%7[^,],%lx", &enables, &count, gapless, &address);
		assert_int_equal(fields, row == 0xff ? 2 : 4);
		assert_int_equal(batch->byte_enables[row], enables);
		assert_int_equal(batch->size[row], count);
		assert_int_equal(batch->address[row], address);
		assert_int_equal(bus_byte_count((uint8_t)enables), count);
		assert_int_equal(bus_span((uint8_t)enables) == count && count,
			strcmp(gapless, "yes") == 0);
	}
	poly_reader_close(reader);
	buf_free(&bytes);
	buf_free(&table);
}

/* Expected columns of every operation, from the table of BYU BACH bus trace reference 2.2. */
static void
operations_match_their_signals(void **state)
{
	(void)state;
	static const char *const meaning[16] = {"other", "event", "other", "event", "other",
		"access io_read 8", "other", "access io_write 8", "access fetch 32",
		"access fetch 8", "other", "other", "access read 32", "access read 8",
		"access write 32", "access write 8"};
	struct buf bytes = load_sample("bach/nibbles.tr");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 16);
	for (size_t row = 0; row < 16; row++) {
		char text[80], kind[20], access[20], size[20];
		poly_batch_format(batch, POLY_COLUMN_kind, row, kind, sizeof kind);
		poly_batch_format(batch, POLY_COLUMN_access, row, access, sizeof access);
		poly_batch_format(batch, POLY_COLUMN_size, row, size, sizeof size);
		snprintf(text, sizeof text, *access ? "%s %s %s" : "%s", kind, access, size);
		assert_string_equal(text, meaning[row]);
		const bool line = row == 8 || row == 12 || row == 14;
		assert_int_equal(batch->address[row],
			line ? 0x123400 + 8 * row / 32 * 32 : 0x123400 + 8 * row);
		assert_int_equal(poly_present(batch, POLY_COLUMN_requested_address, row), line);
		if (line)
			assert_int_equal(batch->requested_address[row], 0x123400 + 8 * row);
	}
	poly_reader_close(reader);
	reader = open_bytes(&bytes, NULL, "bach.line=8", false);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->size[8], 8);
	assert_int_equal(batch->address[14], 0x123470);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
special_cycles_are_events(void **state)
{
	(void)state;
	static const char *const events[12] = {"interrupt_acknowledge", "interrupt_acknowledge",
		"shutdown", "flush", "halt", "stop_grant", "write_back", "flush_acknowledge",
		"branch_trace", "", "", ""};
	struct buf bytes = load_sample("bach/special.tr");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 12);
	for (size_t row = 0; row < 12; row++) {
		char text[40];
		poly_batch_format(batch, POLY_COLUMN_event, row, text, sizeof text);
		assert_string_equal(text, events[row]);
		assert_int_equal(poly_present(batch, POLY_COLUMN_access, row), row >= 10);
	}
	assert_int_equal(batch->address[8], 0x401230);
	assert_int_equal(batch->address[10], 0x3f8);
	assert_int_equal(batch->address[11], 0x3f9);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static uint8_t
random_byte(void)
{
	static uint32_t x = 12345;
	x = x * 1664525 + 1013904223;
	return (uint8_t)(x >> 24);
}

#define RANDOM 1000

/* Columns of random records by one version of the decoder. */
struct decoded {
	uint8_t kinds[RANDOM], records[RANDOM], enables[RANDOM], control[RANDOM],
		accesses[RANDOM];
	uint64_t addresses[RANDOM];
	uint32_t sizes[RANDOM];
	struct bus_found found;
};

/* Decodes into the columns of a set of bits, in the order of struct decoded. */
static void
decode_with(bus_decode_fn decode, const struct buf *bytes, bool little, unsigned columns,
	struct decoded *to)
{
	const struct bus_layout layout = {little, 32};
	memset(to, 0, sizeof *to);
#define WANTED(column, bit) (columns >> (bit)&1 ? to->column : NULL)
	const struct bus_columns wanted = {.kind = WANTED(kinds, 0),
		.record = WANTED(records, 1),
		.enables = WANTED(enables, 2),
		.control = WANTED(control, 3),
		.access = WANTED(accesses, 4),
		.address = WANTED(addresses, 5),
		.size = WANTED(sizes, 6)};
#undef WANTED
	to->found = decode(bytes->data, bytes->size / 6, &layout, &wanted);
}

/* Every version gives the same as the plain one, whatever columns are wanted. */
static void
expect_versions_agree(const struct buf *bytes, bool little)
{
	static struct decoded plain, fast;
	bus_decode_fn decode;
	for (unsigned column = 0; column < 8; column++) {
		unsigned columns = column < 7 ? 1u << column : 0x7f;
		decode_with(bus_decode_plain, bytes, little, columns, &plain);
		for (size_t v = 0; (decode = bus_decoder_at(v)); v++) {
			decode_with(decode, bytes, little, columns, &fast);
			assert_memory_equal(&plain, &fast, sizeof plain);
		}
	}
}

/* Compares a decoded record with its bytes, bit by bit; false: it accesses nothing. */
static bool
expect_record(const struct decoded *fast, size_t i, const uint8_t *p, bool little)
{
	unsigned first = 8, count = 0, op = p[5] >> 4;
	for (unsigned lane = 0; lane < 8; lane++) {
		count += !(p[4] >> lane & 1);
		if (first == 8 && !(p[4] >> lane & 1))
			first = lane;
	}
	bool moves = op == 5 || op == 7 || op == 8 || op == 9 || op >= 12;
	bool line = op == 8 || op == 12 || op == 14;
	uint32_t address =
		little ? p[3] * 0x1000000u + p[2] * 0x10000u + p[1] * 0x100u + p[0] / 8 * 8u
		       : p[0] * 0x1000000u + p[1] * 0x10000u + p[2] * 0x100u + p[3] / 8 * 8u;
	assert_int_equal(fast->addresses[i], address + (moves && first < 8 ? first : 0));
	assert_int_equal(fast->sizes[i], line ? 32 : count);
	return moves;
}

static void
all_decoders_agree_with_single_bits(void **state)
{
	(void)state;
	static uint8_t bytes[RANDOM * 6 + BUS_DECODE_SLACK];
	static struct decoded fast;
	for (size_t n = 0; n < RANDOM; n = n < 140 ? n + 1 : 2 * n + 1) {
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = random_byte();
		bool little = n % 2, idle = false, lines = false;
		for (size_t i = 0; n % 3 == 0 && i < n; i++)
			bytes[6 * i + (little ? 0 : 3)] &= 0xf8;
		/* Now and then one record alone is odd, or accesses nothing. */
		for (size_t i = 0; n % 5 == 0 && i < n; i++)
			bytes[6 * i + 5] |= 0xd0;
		if (n % 15 == 0 && n) {
			bytes[6 * (n / 2) + (little ? 0 : 3)] |= 1;
			bytes[6 * (n / 3) + 5] = n % 2 ? 0x10 : 0xf0;
		}
		const struct buf records = {.data = bytes, .size = 6 * n};
		expect_versions_agree(&records, little);
		decode_with(bus_decoder_at(0), &records, little, 0x7f, &fast);
		assert_int_equal(fast.found.odd, n && (n % 3 != 0 || n % 15 == 0));
		for (size_t i = 0; i < n; i++)
			idle |= !expect_record(&fast, i, bytes + 6 * i, little);
		for (size_t i = 0; i < n; i++)
			lines |= fast.sizes[i] == 32;
		assert_int_equal(fast.found.idle, idle);
		assert_int_equal(fast.found.line, lines);
	}
}

static void
both_printers_equal_printf(void **state)
{
	(void)state;
	static const char *const names[16] = {"INVALID", "INT_ACK", "INVALID", "SPECIAL",
		"INVALID", "IO_READ", "INVALID", "IO_WRITE", "I_FETCH", "NC_I_FETCH", "INVALID",
		"INVALID", "D_READ", "NC_D_READ", "WRITE_BACK", "D_WRITE"};
	static uint64_t address[RANDOM];
	static uint8_t enables[RANDOM], control[RANDOM];
	static char text[RANDOM * BUS_LINE_MAX + BUS_PRINT_ROOM],
		expected[RANDOM * BUS_LINE_MAX + 1];
	struct poly_batch batch = {.rows = RANDOM,
		.address = address,
		.byte_enables = enables,
		.control = control};
	size_t size = 0;
	for (size_t i = 0; i < RANDOM; i++) {
		address[i] = (uint64_t)random_byte() << 24 | (uint64_t)random_byte() << 16 |
			     (uint64_t)random_byte() << 8 | random_byte();
		enables[i] = random_byte();
		control[i] = random_byte();
		size += (size_t)snprintf(expected + size, sizeof expected - size,
			"%08x %02x %s\n", (unsigned)address[i] / 8 * 8, enables[i],
			names[control[i] >> 4]);
	}
	assert_int_equal(bus_print_plain(text, &batch, 0, RANDOM), size);
	assert_memory_equal(text, expected, size);
	memset(text, 0, sizeof text);
	assert_int_equal(bus_printer()(text, &batch, 0, RANDOM), size);
	assert_memory_equal(text, expected, size);
	for (size_t i = 900; i < RANDOM; i++) {
		address[i] |= (uint64_t)1 << 32;
		assert_int_equal(bus_print_plain(text, &batch, 0, RANDOM), 0);
		assert_int_equal(bus_printer()(text, &batch, 0, RANDOM), 0);
		address[i] &= UINT32_MAX;
	}
}

static void
every_truncation_is_written_unchanged(void **state)
{
	(void)state;
	static const char *const samples[] = {"bach/special.tr", "bach/special.txt"};
	for (size_t i = 0; i < 2; i++) {
		struct buf whole = load_sample(samples[i]);
		const char *format = i ? "bach-text" : "bach";
		for (size_t n = 1; n <= whole.size; n++) {
			struct buf cut = {0};
			buf_append(&cut, whole.data, n);
			struct buf out = convert(
				open_bytes(&cut, format, NULL, false), format, NULL, NULL);
			expect_same(&out, &cut);
			buf_free(&cut);
			buf_free(&out);
		}
		buf_free(&whole);
	}
}

static void
undefined_bits_are_preserved_unless_cleared(void **state)
{
	(void)state;
	struct buf bytes = records("00123405 00 9f 00123408 fe 5a 00123410 00 d1"), out;
	out = convert(open_bytes(&bytes, "bach", "bach.endian=be", false), "bach", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	out = convert(open_bytes(&bytes, "bach", "bach.endian=be", false), "bach",
		"bach.low=zero", NULL);
	struct buf clean = records("00123405 00 90 00123408 fe 50 00123410 00 d0");
	expect_same(&out, &clean);
	buf_free(&out);
	buf_free(&clean);
	out = convert(open_bytes(&bytes, "bach", "bach.endian=be", false), "bach",
		"bach.endian=le", NULL);
	clean = records("05341200 00 9f 08341200 fe 5a 10341200 00 d1");
	expect_same(&out, &clean);
	buf_free(&clean);
	buf_free(&bytes);
	bytes = convert(
		open_bytes(&out, "bach", "bach.endian=le", false), "bach-text", NULL, NULL);
	assert_string_equal(buf_text(&bytes),
		"00123405 00 NC_I_FETCH\n00123408 fe IO_READ\n00123410 00 NC_D_READ\n");
	buf_free(&out);
	/* The listing keeps the address as it was recorded, and loses the undefined bits. */
	out = convert(open_bytes(&bytes, NULL, NULL, false), "bach", NULL, NULL);
	clean = records("00123405 00 90 00123408 fe 50 00123410 00 d0");
	expect_same(&out, &clean);
	buf_free(&out);
	buf_free(&clean);
	buf_free(&bytes);
}

static void
both_byte_orders_are_recognised(void **state)
{
	(void)state;
	struct buf big = load_sample("bach/start_2k.bach"), little = {0};
	for (size_t i = 0; i < big.size; i += 6) {
		for (size_t k = 4; k--;)
			buf_byte(&little, big.data[i + k]);
		buf_append(&little, big.data + i + 4, 2);
	}
	struct poly_reader *reader = open_bytes(&big, NULL, NULL, false);
	assert_string_equal(poly_trace_fact(poly_reader_info(reader), "bach.endian"), "be");
	assert_int_equal(poly_reader_info(reader)->byte_order, POLY_BYTE_ORDER_BIG);
	struct buf one = convert(reader, "bach-text", NULL, NULL);
	reader = open_bytes(&little, NULL, NULL, false);
	assert_string_equal(poly_trace_fact(poly_reader_info(reader), "bach.endian"), "le");
	assert_non_null(poly_trace_fact(poly_reader_info(reader), "bach.endian.evidence"));
	assert_non_null(strstr(poly_reader_evidence(reader), "little endian"));
	struct buf two = convert(reader, "bach-text", NULL, NULL);
	expect_same(&two, &one);
	buf_free(&two);
	two = convert(open_bytes(&little, NULL, NULL, false), "bach", NULL, NULL);
	expect_same(&two, &little);
	buf_free(&one);
	buf_free(&two);
	buf_free(&big);
	buf_free(&little);
}

static void
constant_bytes_and_text_are_not_a_trace(void **state)
{
	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		struct buf bytes = {0};
		struct poly_reader *reader;
		struct poly_error error;
		for (size_t i = 0; i < 600; i++)
			buf_byte(&bytes, (uint8_t)byte);
		assert_int_equal(
			poly_reader_open_memory(bytes.data, bytes.size, NULL, &reader, &error),
			POLY_ERR_FORMAT);
		buf_free(&bytes);
	}
	struct buf text = {0};
	for (size_t i = 0; i < 100; i++)
		buf_string(&text, "0008p00010p0");
	struct poly_reader *reader;
	assert_int_equal(poly_reader_open_memory(text.data, text.size, NULL, &reader, NULL),
		POLY_ERR_FORMAT);
	buf_free(&text);
}

/* As in the middle of records of another size; nibbles.tr has as many, and is a short trace. */
static void
many_undefined_operations_are_not_a_trace(void **state)
{
	(void)state;
	struct buf bytes = {0};
	for (unsigned i = 0; i < 160; i++) {
		uint8_t record[6] = {0, 0, (uint8_t)i, 8, 0, i % 4 ? 0x90 : 0xa0};
		buf_append(&bytes, record, sizeof record);
	}
	struct poly_reader *reader;
	assert_int_equal(poly_reader_open_memory(bytes.data, bytes.size, NULL, &reader, NULL),
		POLY_ERR_FORMAT);
	bytes.size = 24 * 6; /* 6 of them are undefined */
	reader = open_memory(&bytes, NULL);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
expect_findings(const char *digits, const char *option, const char *expected)
{
	struct buf bytes = records(digits),
		   codes = find_all(open_bytes(&bytes, "bach", option, true));
	assert_string_equal(buf_text(&codes), expected);
	buf_free(&bytes);
	buf_free(&codes);
}

static void
every_rule_has_its_smallest_violation(void **state)
{
	(void)state;
	const char *be = "bach.endian=be";
	expect_findings("00001000 00 90 00001008 f0 d0 00001008 fe f0", be, "");
	expect_findings("00001000 00 90 0000", be, "B01:2 ");
	expect_findings("00001000 00 00 00001000 00 21 00001000 00 42 00001000 00 60", be,
		"B02:1 B02:2 B02:3 B02:4 ");
	expect_findings("00001000 00 a0 00001000 00 b0", be, "B02:1 B02:2 ");
	expect_findings("00001004 00 90", be, "B03:1 B09:0 ");
	expect_findings(
		"00001000 ff 90 00001000 5a d0 00001000 ff 80", be, "B04:1 B04:2 B07:0 ");
	expect_findings("00000000 7f 30 00000018 fb 30 00000010 fb 30", be, "B05:1 B05:2 ");
	expect_findings("00000000 ef 10 00000000 fe 10", be, "");
	expect_findings("00000000 fe 10", be, "B06:1 ");
	expect_findings("00000000 ef 10", be, "B06:1 ");
	expect_findings("00000000 ef 10 00000000 ef 10 00000000 fe 10", be, "B06:1 ");
	expect_findings("00000000 fd 10", be, "B06:1 ");
	expect_findings("00001000 00 c0 00001000 00 d0", be, "B07:0 ");
	expect_findings("00001000 00 c0 00001000 00 f0", be, "");
	expect_findings("00010000 fe 50", be, "B08:1 ");
	expect_findings("00001000 00 90", "bach.endian=le", "");
	expect_findings("01001000 00 90", "bach.endian=le", "B03:1 B09:0 ");
	expect_findings(
		"000003f8 c3 50 000003f8 e7 70 000003f8 e0 70", be, "B10:1 B10:2 B10:3 ");
	expect_findings("000003f8 f0 50 000003f8 0f 70 000003f8 9f 70", be, "");
}

static void
strict_reading_ends_at_the_first_warning(void **state)
{
	(void)state;
	struct buf bytes =
		records("00001000 00 90 00001008 00 90 00001000 00 20 00001000 00 90");
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_error error;
	const struct poly_batch *batch;
	options.strict = true;
	options.format = "bach";
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(batch->rows, 3);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_int_equal(error.record, 3);
	assert_int_equal(error.offset, 12);
	poly_reader_close(reader);
	buf_free(&bytes);
}

/* That the first acknowledge stays alone is known by the second one, in another batch. */
static void
strict_reading_delivers_nothing_after_a_late_error(void **state)
{
	(void)state;
	struct buf bytes = records("00000000 ef 10 00000000 ef 10 00000000 fe 10");
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_error error;
	const struct poly_batch *batch;
	options.strict = true;
	options.format = "bach";
	options.batch_rows = 1;
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(batch->rows, 1);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_int_equal(error.record, 1);
	assert_int_equal(error.offset, 0);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
odd_lines_are_preserved_and_foreign_ones_reported(void **state)
{
	(void)state;
	static const char text[] = "00123400 00 NC_I_FETCH\n"
				   "  0012340A\t FE  d_write\r\n"
				   "what is this?\n"
				   "00123410 00 D_READ\n"
				   "\n"
				   "00123418 00 NC_D_READ";
	struct buf bytes = {0}, notes = {0};
	buf_string(&bytes, text);
	struct poly_reader *reader = open_bytes(&bytes, "bach-text", NULL, false);
	const struct poly_batch *batch;
	struct poly_error error;
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(batch->rows, 2);
	assert_int_equal(batch->address[1], 0x123408);
	assert_int_equal(batch->access[1], POLY_ACCESS_WRITE);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_int_equal(error.line, 3);
	assert_int_equal(error.offset, 48);
	assert_string_equal(error.message, "'what is this?' is not a record (expected address, "
					   "byte enables and operation)");
	poly_reader_close(reader);
	struct buf out =
		convert(open_bytes(&bytes, "bach-text", NULL, true), "bach-text", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	out = convert(open_bytes(&bytes, "bach-text", NULL, true), "bach", NULL, &notes);
	struct buf expected =
		records("00123400 00 90 0012340a fe f0 00123410 00 c0 00123418 00 d0");
	expect_same(&out, &expected);
	assert_string_equal(
		buf_text(&notes), "2 records dropped that access no memory or port\n");
	buf_free(&out);
	buf_free(&expected);
	buf_free(&notes);
	buf_free(&bytes);
}

static void
endless_lines_are_skipped_piecewise(void **state)
{
	(void)state;
	struct buf bytes = bytes_of("00123400 00 NC_I_FETCH\n");
	for (size_t i = 0; i < 4096; i++)
		buf_byte(&bytes, 'x');
	/* What follows looks like a record, but it stands within the long line. */
	buf_string(&bytes, "00123408 00 D_READ\n00123410 00 D_READ\n");
	struct poly_reader *reader = open_bytes(&bytes, "bach-text", NULL, true);
	const struct poly_batch *batch;
	struct poly_reader_counts counts;
	size_t records = 0, corrupt = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			corrupt += batch->record[row] == BUS_RECORD_CORRUPT;
			records += batch->record[row] != BUS_RECORD_CORRUPT;
		}
	}
	poly_reader_count(reader, &counts);
	assert_int_equal(records, 2);
	assert_int_equal(corrupt, 2);
	assert_int_equal(counts.skipped_bytes, 4096 + 19);
	assert_int_equal(counts.skipped_places, 1);
	poly_reader_close(reader);
	reader = open_bytes(&bytes, "bach-text", NULL, false);
	struct poly_error error;
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_string_equal(error.message, "the line is longer than 4096 bytes");
	assert_int_equal(error.line, 2);
	poly_reader_close(reader);
	buf_free(&bytes);
}

/* The published 20,000 records in both byte orders, and their one listing. */
static void
published_records_are_listed_alike_in_both_orders(void **state)
{
	(void)state;
	struct buf big = load_public("bach6_be_20k.tr"),
		   little = load_public("bach6_le_20k.tr"),
		   zipped = load_public("bach6_20k.txt.gz");
	struct buf one = convert(open_bytes(&big, NULL, NULL, false), "bach-text", NULL, NULL);
	struct buf two =
		convert(open_bytes(&little, NULL, NULL, false), "bach-text", NULL, NULL);
	struct buf listing =
		convert(open_bytes(&zipped, NULL, NULL, false), "bach-text", NULL, NULL);
	expect_same(&one, &listing);
	expect_same(&two, &listing);
	buf_free(&one);
	one = convert(open_bytes(&little, NULL, NULL, false), "bach", NULL, NULL);
	expect_same(&one, &little);
	buf_free(&one);
	buf_free(&two);
	buf_free(&listing);
	buf_free(&zipped);
	buf_free(&big);
	buf_free(&little);
}

static void
published_records_have_their_published_counts(void **state)
{
	(void)state;
	struct buf bytes = load_public("bach6_le_20k.tr");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	size_t counts[BUS_RECORD_COUNT] = {0}, whole = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			counts[batch->record[row]]++;
			whole += batch->byte_enables[row] == 0;
		}
	}
	assert_int_equal(counts[6], 10092); /* NC_I_FETCH */
	assert_int_equal(counts[8], 5312);  /* NC_D_READ */
	assert_int_equal(counts[10], 4596); /* D_WRITE */
	assert_int_equal(whole, 19945);
	poly_reader_close(reader);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listings_are_those_of_the_formats_program),
		cmocka_unit_test(byte_enables_give_address_and_size),
		cmocka_unit_test(operations_match_their_signals),
		cmocka_unit_test(special_cycles_are_events),
		cmocka_unit_test(all_decoders_agree_with_single_bits),
		cmocka_unit_test(both_printers_equal_printf),
		cmocka_unit_test(every_truncation_is_written_unchanged),
		cmocka_unit_test(undefined_bits_are_preserved_unless_cleared),
		cmocka_unit_test(both_byte_orders_are_recognised),
		cmocka_unit_test(constant_bytes_and_text_are_not_a_trace),
		cmocka_unit_test(many_undefined_operations_are_not_a_trace),
		cmocka_unit_test(every_rule_has_its_smallest_violation),
		cmocka_unit_test(strict_reading_ends_at_the_first_warning),
		cmocka_unit_test(strict_reading_delivers_nothing_after_a_late_error),
		cmocka_unit_test(odd_lines_are_preserved_and_foreign_ones_reported),
		cmocka_unit_test(endless_lines_are_skipped_piecewise),
		cmocka_unit_test(published_records_are_listed_alike_in_both_orders),
		cmocka_unit_test(published_records_have_their_published_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
