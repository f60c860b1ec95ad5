/* SPDX-License-Identifier: MIT */
/*
 * Compressed input: layers, corrupt data, limits, the thread. The oracles are what the system's
 * own programs compress, and the plain data.
 */
#include "test_help.h"

#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "io/filter.h"
#include "io/in.h"

/* Two components of a method of Python's zipfile; in a seekable file, local headers have sizes.
 */
#define ZIP(method, file)                                                            \
	"python3 -c \"import io, sys, zipfile; data = sys.stdin.buffer.read(); "     \
	"out = " file "; z = zipfile.ZipFile(out, 'w', zipfile.ZIP_" method "); "    \
	"n = len(data) // 2; z.writestr('b', data[:n]); z.writestr('a', data[n:]); " \
	"z.close(); out != sys.stdout.buffer and sys.stdout.buffer.write(out.getvalue())\""
#define SIZED "io.BytesIO()"
#define UNSIZED "sys.stdout.buffer"

static const struct kind {
	const char *program, *command;
	size_t magic; /* bytes from which on the beginning is known as the filter's */
} kinds[] = {
	{"gzip", "gzip -c", 3},
	{"zstd", "zstd -q -c", 4},
	{"zstd", "zstd -q -c --no-check -19", 4},
	{"xz", "xz -c", 6},
	{"bzip2", "bzip2 -c", 4},
	{"lz4", "lz4 -q -c", 4},
	{"lz4", "lz4 -q -c -BX -B4 -BD --content-size", 4},
	{"zip", ZIP("DEFLATED", SIZED), 4},
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* Whether the filter of a name has its library in this build. */
static bool
is_built(const char *name)
{
	const struct filter *filter;
	for (size_t i = 0; (filter = filter_at(i)); i++) {
		if (strcmp(filter->name, name) == 0)
			return !filter->missing;
	}
	fail_msg("no such filter: %s", name);
	return false;
}

/* Appends what a command makes of the data; false where its program is not there. */
static bool
run(const char *command, const struct buf *data, struct buf *to)
{
	char path[] = "/tmp/test_filters_XXXXXX", line[600];
	size_t n, before = to->size;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	if (data->size)
		assert_true(write(fd, data->data, data->size) == (ssize_t)data->size);
	close(fd);
	snprintf(line, sizeof line, "{ %s; } <%s 2>/dev/null", command, path);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	do {
		n = fread(buf_reserve(to, 65536), 1, 65536, pipe);
		to->size += n;
	} while (n);
	int status = pclose(pipe);
	unlink(path);
	return status == 0 && to->size > before;
}

/* Numbers as text: compresses, and every place differs from every other. */
static void
make_text(struct buf *text, size_t n)
{
	for (size_t i = 0; text->size < n; i++)
		buf_printf(text, "%zu %zx\n", i, i * i * 2654435761U % 1000003);
	text->size = n;
}

/* Appends what a kind's program makes of the data; false where it or its library is missing. */
static bool
pack(const struct kind *kind, const struct buf *data, struct buf *to)
{
	return is_built(kind->program) && run(kind->command, data, to);
}

/* All that an input gives. */
static enum poly_status
drain(struct in *in, struct buf *to, struct poly_error *error)
{
	size_t have;
	for (;;) {
		const uint8_t *p = in_peek(in, 1, &have);
		if (!have)
			break;
		buf_append(to, p, have);
		in_consume(in, have);
	}
	assert_int_equal(in_offset(in), to->size);
	return in_status(in, error);
}

/* Opens memory, drains it and closes it. */
static enum poly_status
decode(const struct buf *data, const struct in_options *options, struct buf *to,
	struct poly_error *error)
{
	struct in *in;
	buf_clear(to);
	enum poly_status status = in_open_memory(data->data, data->size, options, &in, error);
	if (status == POLY_OK)
		status = drain(in, to, error);
	in_close(in);
	return status;
}

static void
expect_prefix(const struct buf *got, const struct buf *truth)
{
	assert_true(got->size <= truth->size);
	if (got->size)
		assert_memory_equal(got->data, truth->data, got->size);
}

/* Reads it with every block size, with and without the thread. */
static void
expect_alike(const struct buf *packed, const char *layers, const struct buf *text)
{
	static const size_t block_sizes[] = {0, 1, 7, 4096};
	struct buf got = {0};
	for (size_t i = 0; i < 8; i++) {
		struct in *in;
		struct in_options options = {.nesting_limit = 4,
			.block_size = block_sizes[i / 2],
			.one_thread = i % 2};
		if (options.block_size && packed->size > 100000)
			break;
		assert_int_equal(
			in_open_memory(packed->data, packed->size, &options, &in, NULL),
			POLY_OK);
		assert_string_equal(in_layers(in), layers);
		buf_clear(&got);
		assert_int_equal(drain(in, &got, NULL), POLY_END);
		expect_same(&got, text);
		in_close(in);
	}
	buf_free(&got);
}

static void
every_block_size_and_thread_count_produces_the_same_bytes(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 30000, 1000000};
	for (size_t i = 0; i < KINDS * 4; i++) {
		if (!sample_takes())
			continue;
		struct buf text = {0}, packed = {0};
		make_text(&text, sizes[i % 4]);
		if (pack(&kinds[i / 4], &text, &packed))
			expect_alike(&packed, kinds[i / 4].program, &text);
		buf_free(&text);
		buf_free(&packed);
	}
}

static void
members_one_after_another_are_one_stream(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, all = {0}, got = {0};
	for (size_t i = 0; i < KINDS; i++) {
		buf_clear(&packed);
		buf_clear(&all);
		bool installed = true;
		for (size_t n = 0; n < 10 && installed; n++) {
			text.size = 0;
			make_text(&text, n * n * n * 17);
			buf_append(&all, text.data, text.size);
			installed = pack(&kinds[i], &text, &packed);
		}
		for (size_t block = 0; block < 4 && installed; block++) {
			struct in_options options = {.nesting_limit = 4, .block_size = block};
			assert_int_equal(decode(&packed, &options, &got, NULL), POLY_END);
			expect_same(&got, &all);
		}
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&all);
	buf_free(&got);
}

static void
other_bytes_after_the_last_member_are_corrupt(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	struct poly_error error;
	make_text(&text, 5000);
	for (size_t i = 0; i < KINDS; i++) {
		buf_clear(&packed);
		if (!pack(&kinds[i], &text, &packed))
			continue;
		size_t whole = packed.size;
		buf_string(&packed, "after the end");
		assert_int_equal(decode(&packed, NULL, &got, &error), POLY_ERR_FORMAT);
		expect_same(&got, &text);
		assert_int_equal(error.offset, text.size);
		packed.size = whole;
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

static void
zeros_after_gzip_are_padding(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	make_text(&text, 5000);
	if (!pack(&kinds[0], &text, &packed))
		skip();
	for (int i = 0; i < 1000; i++)
		buf_byte(&packed, 0);
	for (size_t block = 0; block < 3; block++) {
		struct in_options options = {.nesting_limit = 4, .block_size = block};
		assert_int_equal(decode(&packed, &options, &got, NULL), POLY_END);
		expect_same(&got, &text);
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

/* Truncated at n bytes: the bytes before are valid, and the message has the offset. */
static void
expect_cut_off(const struct buf *packed, size_t n, const struct buf *text, struct buf *got)
{
	struct poly_error error;
	struct buf part = {.data = packed->data, .size = n};
	char place[200];
	struct in_options options = {
		.nesting_limit = 4, .block_size = n % 3 * 11, .one_thread = n % 16 != 0};
	assert_int_equal(decode(&part, &options, got, &error), POLY_ERR_TRUNCATED);
	expect_prefix(got, text);
	snprintf(place, sizeof place, " stream (compressed offset %zu; %zu bytes recovered)", n,
		got->size);
	if (!strstr(error.message, place))
		fail_msg("'%s' without '%s'", error.message, place);
	assert_int_equal(error.offset, got->size);
}

static void
truncation_at_every_byte_is_reported_with_its_offset(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	make_text(&text, 1000);
	for (size_t i = 0; i < KINDS; i++) {
		buf_clear(&packed);
		bool installed = pack(&kinds[i], &text, &packed);
		size_t most = 0;
		for (size_t n = kinds[i].magic; n < packed.size && installed; n++) {
			if (n + 1 < packed.size && !sample_takes())
				continue;
			expect_cut_off(&packed, n, &text, &got);
			most = got.size > most ? got.size : most;
		}
		/* All bytes precede the checksum, if the format has one. */
		assert_true(!installed || most == text.size ||
			    strstr(kinds[i].command, "no-check"));
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

/* Corrupt data in the second member leaves the first one complete. */
static void
records_before_corrupt_data_are_delivered(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	struct poly_error error;
	make_text(&text, 300000);
	for (size_t i = 0; i < KINDS; i++) {
		buf_clear(&packed);
		if (!pack(&kinds[i], &text, &packed))
			continue;
		size_t first = packed.size;
		pack(&kinds[i], &text, &packed);
		packed.data[first + (packed.size - first) / 2] ^= 0x5a;
		for (size_t block = 0; block < 3; block++) {
			struct in_options options = {.nesting_limit = 4,
				.block_size = block * 999,
				.one_thread = block == 1};
			enum poly_status status = decode(&packed, &options, &got, &error);
			/* Without a checksum not all corrupt data can be detected. */
			if (!strstr(kinds[i].command, "no-check"))
				assert_int_equal(status, POLY_ERR_FORMAT);
			assert_true(got.size >= text.size);
			assert_memory_equal(got.data, text.data, text.size);
		}
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

static void
flipped_bytes_are_survived(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	make_text(&text, 700);
	const struct in_options options = {
		.nesting_limit = 4, .one_thread = true, .expansion_limit = 100};
	for (size_t i = 0; i < KINDS; i++) {
		buf_clear(&packed);
		pack(&kinds[i], &text, &packed);
		for (size_t at = 0; at < packed.size * 8; at += 7) {
			struct poly_error error = {0};
			if (!sample_takes())
				continue;
			packed.data[at / 8] ^= (uint8_t)(1 << at % 8);
			enum poly_status status = decode(&packed, &options, &got, &error);
			assert_true(status == POLY_END || error.message[0]);
			assert_true(got.size < (2 << 20) + packed.size * 100);
			packed.data[at / 8] ^= (uint8_t)(1 << at % 8);
		}
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

/* Components that are stored, and those whose sizes follow them. */
static void
every_form_of_zip_is_read(void **state)
{
	(void)state;
	static const struct kind forms[] = {{"zip", ZIP("STORED", SIZED), 4},
		{"zip", ZIP("DEFLATED", UNSIZED), 4}, {"zip", ZIP("STORED", UNSIZED), 4},
		{"zip", "zip -q - - | cat", 4}};
	struct buf text = {0}, packed = {0}, got = {0};
	for (size_t i = 0; i < 4; i++) {
		text.size = packed.size = 0;
		make_text(&text, 300000);
		if (!pack(&forms[i], &text, &packed))
			continue;
		expect_alike(&packed, "zip", &text);
		text.size = packed.size = 0;
		make_text(&text, 1000);
		pack(&forms[i], &text, &packed);
		expect_alike(&packed, "zip", &text);
		for (size_t n = 4; n < packed.size; n++) {
			if (sample_takes())
				expect_cut_off(&packed, n, &text, &got);
		}
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

/* A lost or added component, a changed size: none is searched for, or skipped. */
static void
corrupt_structure_of_zip_is_reported(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	struct poly_error error;
	make_text(&text, 1000);
	if (!pack(&(struct kind){"zip", ZIP("DEFLATED", SIZED), 4}, &text, &packed))
		skip();
	for (size_t i = 0; i < packed.size; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			if (!sample_takes())
				continue;
			packed.data[i] ^= (uint8_t)(1u << bit);
			const enum poly_status status = decode(&packed, NULL, &got, &error);
			/* Times, versions and flags do not concern the data; the first header
			 * identifies the archive. */
			assert_true(status == POLY_ERR_FORMAT || status == POLY_ERR_TRUNCATED ||
				    got.size == text.size ||
				    (i < 30 && got.size == packed.size));
			packed.data[i] ^= (uint8_t)(1u << bit);
		}
	}
	/* The second signature. */
	uint8_t *second = packed.data + 4;
	while (load_le32(second) != 0x04034b50)
		second++;
	second[2] ^= 1;
	assert_int_equal(decode(&packed, NULL, &got, &error), POLY_ERR_FORMAT);
	assert_int_equal(got.size, text.size / 2);
	assert_non_null(strstr(error.message, "expected a component or the directory"));
	second[2] ^= 1;
	/* The number of components in the end record, 12 bytes before the end. */
	packed.data[packed.size - 12]++;
	assert_int_equal(decode(&packed, NULL, &got, &error), POLY_ERR_FORMAT);
	assert_non_null(strstr(error.message, "2 components, the directory lists 3"));
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

static void
nested_layers_are_decoded(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0}, got = {0};
	make_text(&text, 300000);
	if (!is_built("gzip") || !is_built("xz") || !is_built("zstd") ||
		!run("gzip -c | xz -c | zstd -q -c", &text, &packed))
		skip();
	struct in *in;
	assert_int_equal(in_open_memory(packed.data, packed.size, NULL, &in, NULL), POLY_OK);
	assert_string_equal(in_layers(in), "zstd, xz, gzip");
	assert_int_equal(drain(in, &got, NULL), POLY_END);
	expect_same(&got, &text);
	uint64_t taken, total;
	in_progress(in, &taken, &total);
	assert_int_equal(taken, packed.size);
	assert_int_equal(total, packed.size);
	in_close(in);

	struct poly_error error;
	struct in_options options = {.nesting_limit = 2};
	assert_int_equal(decode(&packed, &options, &got, &error), POLY_ERR_LIMIT);
	assert_string_equal(error.message,
		"more than 2 layers of compression (options.nesting_limit): gzip "
		"inside 'zstd, xz'");
	options.nesting_limit = 3;
	assert_int_equal(decode(&packed, &options, &got, &error), POLY_END);

	/* The message names the corrupt layer. */
	packed.size -= 10;
	assert_int_equal(decode(&packed, NULL, &got, &error), POLY_ERR_TRUNCATED);
	expect_prefix(&got, &text);
	assert_non_null(strstr(error.message, "truncated zstd stream"));
	assert_int_equal(error.offset, got.size);
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

static void
expansion_beyond_the_limit_is_rejected(void **state)
{
	(void)state;
	struct buf zeros = {0}, packed = {0}, got = {0};
	struct poly_error error;
	memset(buf_reserve(&zeros, 8 << 20), 0, 8 << 20);
	zeros.size = 8 << 20;
	for (size_t i = 0; i < KINDS; i++) {
		struct in_options options = {.nesting_limit = 4, .expansion_limit = 50};
		buf_clear(&packed);
		if (!pack(&kinds[i], &zeros, &packed))
			continue;
		assert_int_equal(decode(&packed, &options, &got, &error), POLY_ERR_LIMIT);
		assert_non_null(strstr(error.message, "expands more than 50 times"));
		assert_true(got.size <= (2 << 20) + packed.size * 50);
		options.expansion_limit = 10 << 20;
		assert_int_equal(decode(&packed, &options, &got, &error), POLY_END);
		expect_same(&got, &zeros);
		/* A small output is never refused. */
		zeros.size = 1 << 20;
		buf_clear(&packed);
		pack(&kinds[i], &zeros, &packed);
		options.expansion_limit = 2;
		assert_int_equal(decode(&packed, &options, &got, &error), POLY_END);
		expect_same(&got, &zeros);
		zeros.size = 8 << 20;
	}
	buf_free(&zeros);
	buf_free(&packed);
	buf_free(&got);
}

static void
windows_beyond_the_limit_are_rejected(void **state)
{
	(void)state;
	/* 'a large window', by zstd --long=31 and by xz --lzma2=dict=512MiB. */
	static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0xa8, 0x79, 0x00, 0x00,
		0x61, 0x20, 0x6c, 0x61, 0x72, 0x67, 0x65, 0x20, 0x77, 0x69, 0x6e, 0x64, 0x6f,
		0x77, 0x0a, 0xcf, 0x97, 0x2e, 0xc1};
	static const uint8_t xz[] = {0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6,
		0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x22, 0x00, 0x00, 0x00, 0x82, 0x40, 0xac,
		0xdc, 0x01, 0x00, 0x0e, 0x61, 0x20, 0x6c, 0x61, 0x72, 0x67, 0x65, 0x20, 0x77,
		0x69, 0x6e, 0x64, 0x6f, 0x77, 0x0a, 0x00, 0x00, 0x93, 0x4d, 0x05, 0xcd, 0x93,
		0xe3, 0x8f, 0x3f, 0x00, 0x01, 0x27, 0x0f, 0xdf, 0x1a, 0xfc, 0x6a, 0x1f, 0xb6,
		0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
	struct buf text = {0}, packed = {0}, got = {0};
	struct poly_error error;
	if (is_built("zstd")) {
		buf_append(&packed, zstd, sizeof zstd);
		assert_int_equal(decode(&packed, NULL, &got, &error), POLY_ERR_LIMIT);
		assert_non_null(strstr(error.message, "limit of 27 bits (128 MiB)"));
	}
	buf_clear(&packed);
	if (is_built("xz")) {
		buf_append(&packed, xz, sizeof xz);
		assert_int_equal(decode(&packed, NULL, &got, &error), POLY_ERR_LIMIT);
		assert_non_null(strstr(error.message, "needs 513 MiB of memory"));
	}
	buf_clear(&packed);
	make_text(&text, 1000);
	if (is_built("xz") && run("xz -c -9e", &text, &packed))
		assert_int_equal(decode(&packed, NULL, &got, &error), POLY_END);
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

static void
skippable_frames_are_skipped(void **state)
{
	(void)state;
	static const size_t skipping[] = {1, 5};
	struct buf text = {0}, packed = {0}, got = {0};
	make_text(&text, 1000);
	for (size_t i = 0; i < 2; i++) {
		buf_clear(&packed);
		buf_append(&packed, "\x53\x2a\x4d\x18\x05\0\0\0other", 13);
		if (!pack(&kinds[skipping[i]], &text, &packed))
			continue;
		buf_append(&packed, "\x50\x2a\x4d\x18\x03\0\0\0end", 11);
		for (size_t block = 0; block < 3; block++) {
			struct in_options options = {.nesting_limit = 4, .block_size = block};
			assert_int_equal(decode(&packed, &options, &got, NULL), POLY_END);
			expect_same(&got, &text);
		}
	}
	buf_free(&text);
	buf_free(&packed);
	buf_free(&got);
}

static void
a_library_that_is_not_in_the_build_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *name, *package;
		uint8_t magic[6];
	} missing[] = {
		{"gzip", "libisal-dev", {0x1f, 0x8b, 8}},
		{"zstd", "libzstd-dev", {0x28, 0xb5, 0x2f, 0xfd}},
		{"xz", "liblzma-dev", {0xfd, '7', 'z', 'X', 'Z', 0}},
		{"bzip2", "libbz2-dev", {'B', 'Z', 'h', '9'}},
		{"lz4", "liblz4-dev", {0x04, 0x22, 0x4d, 0x18}},
	};
	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
		struct poly_error error;
		struct in *in;
		if (is_built(missing[i].name))
			continue;
		size_t n = i == 0 ? 3 : i == 2 ? 6 : 4;
		assert_int_equal(in_open_memory(missing[i].magic, n, NULL, &in, &error),
			POLY_ERR_UNSUPPORTED);
		assert_null(in);
		assert_int_equal(error.status, POLY_ERR_UNSUPPORTED);
		assert_non_null(strstr(error.message, missing[i].name));
		assert_non_null(strstr(error.message, missing[i].package));
	}
}

/* An initial program counter may be the first four bytes of a magic; the following words vary.
 */
static void
traces_that_begin_like_a_magic_are_traces(void **state)
{
	(void)state;
	static const uint32_t counters[] = {
		0x1f8b0800, 0x28b52ffc, 0xfd377a58, 0x425a6838, 0x04224d18, 0x502a4d18};
	uint8_t trace[256];
	uint32_t x = 7;
	unsigned taken = 0;
	for (unsigned round = 0; round < 6000; round++) {
		store_be32(trace, counters[round % 6]);
		for (size_t i = 4; i < sizeof trace; i += 4) {
			x = x * 1664525 + 1013904223;
			store_be32(trace + i, x ^ x >> 16);
		}
		const struct filter *filter;
		for (size_t i = 0; (filter = filter_at(i)); i++)
			taken += filter->probe(trace, sizeof trace) > 0;
	}
	/* A gzip header has 13 bits that can be verified before the data. */
	assert_true(taken <= 3);
}

static void
closing_stops_the_thread(void **state)
{
	(void)state;
	struct buf zeros = {0}, packed = {0};
	memset(buf_reserve(&zeros, 8 << 20), 0, 8 << 20);
	zeros.size = 8 << 20;
	for (size_t i = 0; i < KINDS * 10; i++) {
		if (i % 10 == 0)
			buf_clear(&packed);
		if (!sample_takes())
			continue;
		if (!packed.size && !pack(&kinds[i / 10], &zeros, &packed))
			continue;
		struct in *in;
		size_t have;
		assert_int_equal(
			in_open_memory(packed.data, packed.size, NULL, &in, NULL), POLY_OK);
		for (size_t n = i % 10; n; n--) {
			in_peek(in, 1, &have);
			in_consume(in, have);
		}
		in_close(in);
	}
	buf_free(&zeros);
	buf_free(&packed);
}

static void
closing_does_not_wait_for_a_pipe_that_stays_open(void **state)
{
	(void)state;
	struct buf text = {0}, packed = {0};
	make_text(&text, 60000);
	if (!pack(&kinds[0], &text, &packed))
		skip();
	assert_true(packed.size > 8192);
	int ends[2];
	char path[64];
	size_t have;
	assert_int_equal(pipe(ends), 0);
	/* Enough to be recognised; the rest never comes. */
	assert_int_equal(write(ends[1], packed.data, packed.size - 100), packed.size - 100);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	struct in *in;
	assert_int_equal(in_open(path, NULL, &in, NULL), POLY_OK);
	assert_memory_equal(in_peek(in, 100, &have), text.data, 100);
	nanosleep(&(struct timespec){0, 20000000}, NULL); /* lets the thread reach the read */
	in_close(in);
	close(ends[0]);
	close(ends[1]);
	buf_free(&text);
	buf_free(&packed);
}

/* Packed bytes, and room for the unpacked ones. */
struct unpacking {
	struct buf text, packed, got;
};

static enum poly_status
unpack(void *context)
{
	struct unpacking *unpacking = context;
	const struct in_options options = {.nesting_limit = 4, .one_thread = true};
	const enum poly_status status =
		decode(&unpacking->packed, &options, &unpacking->got, NULL);
	if (status == POLY_END)
		expect_same(&unpacking->got, &unpacking->text);
	return status;
}

static void
every_failing_allocation_is_reported(void **state)
{
	struct unpacking unpacking = {0};
	(void)state;
	make_text(&unpacking.text, 1000);
	buf_reserve(&unpacking.got, 4096);
	for (size_t i = 0; i < KINDS; i++) {
		buf_clear(&unpacking.packed);
		if (pack(&kinds[i], &unpacking.text, &unpacking.packed))
			assert_true(law_memory(unpack, &unpacking) >= 1);
	}
	buf_free(&unpacking.text);
	buf_free(&unpacking.packed);
	buf_free(&unpacking.got);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_size_and_thread_count_produces_the_same_bytes),
		cmocka_unit_test(members_one_after_another_are_one_stream),
		cmocka_unit_test(other_bytes_after_the_last_member_are_corrupt),
		cmocka_unit_test(every_form_of_zip_is_read),
		cmocka_unit_test(corrupt_structure_of_zip_is_reported),
		cmocka_unit_test(zeros_after_gzip_are_padding),
		cmocka_unit_test(truncation_at_every_byte_is_reported_with_its_offset),
		cmocka_unit_test(records_before_corrupt_data_are_delivered),
		cmocka_unit_test(flipped_bytes_are_survived),
		cmocka_unit_test(nested_layers_are_decoded),
		cmocka_unit_test(expansion_beyond_the_limit_is_rejected),
		cmocka_unit_test(windows_beyond_the_limit_are_rejected),
		cmocka_unit_test(skippable_frames_are_skipped),
		cmocka_unit_test(a_library_that_is_not_in_the_build_is_named),
		cmocka_unit_test(traces_that_begin_like_a_magic_are_traces),
		cmocka_unit_test(closing_stops_the_thread),
		cmocka_unit_test(closing_does_not_wait_for_a_pipe_that_stays_open),
		cmocka_unit_test(every_failing_allocation_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
