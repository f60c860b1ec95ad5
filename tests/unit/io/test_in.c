/* SPDX-License-Identifier: MIT */
/* Input: the window over files, pipes and memory. The oracle is the plain data itself. */
#include "test_help.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/in.h"
#include "io/source.h"
#include "polytrace/byte_stream.h"

static const size_t block_sizes[] = {0, 1, 2, 4095, 65536, (size_t)8 << 20};

#define BLOCK_SIZES (sizeof block_sizes / sizeof *block_sizes)

/* Bytes that do not repeat with the period of a block. */
static uint8_t *
make_data(size_t n)
{
	uint8_t *data = mem_new(n, 1);
	assert_non_null(data);
	uint32_t x = 1;
	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (uint8_t)(i % 7 ? x >> 29 : x >> 24);
	}
	return data;
}

/* Consumes the whole input in pieces of changing sizes and compares it with the truth. */
static void
expect_bytes(struct in *in, const uint8_t *data, size_t n)
{
	size_t at = 0, have, step = 1;
	for (;;) {
		assert_int_equal(in_offset(in), at);
		const uint8_t *p = in_peek(in, step, &have);
		if (!have)
			break;
		assert_true(have >= step || in_status(in, NULL) != POLY_OK);
		assert_true(at + have <= n);
		size_t take = have < step ? have : step;
		assert_memory_equal(p, data + at, take);
		in_consume(in, take);
		at += take;
		step = step * 5 % 70001 + 1;
	}
	assert_int_equal(at, n);
	assert_int_equal(in_status(in, NULL), POLY_END);
	in_peek(in, 1, &have);
	assert_int_equal(have, 0);
	assert_int_equal(in_status(in, NULL), POLY_END);
}

static void
expect_progress(const struct in *in, size_t taken, size_t total)
{
	uint64_t is_taken, is_total;
	in_progress(in, &is_taken, &is_total);
	assert_int_equal(is_taken, taken);
	assert_int_equal(is_total, total);
}

static void
memory_is_read_alike_for_every_block_size(void **state)
{
	(void)state;
	size_t n = 900001;
	uint8_t *data = make_data(n);
	for (size_t i = 0; i < BLOCK_SIZES; i++) {
		struct in *in;
		struct in_options options = {.nesting_limit = 4, .block_size = block_sizes[i]};
		assert_int_equal(in_open_memory(data, n, &options, &in, NULL), POLY_OK);
		assert_string_equal(in_layers(in), "none");
		expect_bytes(in, data, n);
		expect_progress(in, n, n);
		in_close(in);
	}
	mem_free(data);
}

static void
a_file_is_read_alike_for_every_block_size(void **state)
{
	(void)state;
	size_t n = 900001;
	uint8_t *data = make_data(n);
	char path[] = "/tmp/test_in_XXXXXX";
	int fd = mkstemp(path);
	assert_true(write(fd, data, n) == (ssize_t)n);
	close(fd);
	for (size_t i = 0; i < BLOCK_SIZES; i++) {
		struct in *in;
		struct in_options options = {.nesting_limit = 4, .block_size = block_sizes[i]};
		assert_int_equal(in_open(path, &options, &in, NULL), POLY_OK);
		expect_bytes(in, data, n);
		expect_progress(in, n, n);
		in_close(in);
	}
	unlink(path);
	mem_free(data);
}

/* Makes standard input a pipe that a child writes n bytes to, a few at a time. */
static pid_t
feed_standard_input(const uint8_t *data, size_t n)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		/* The reader comes first, and has to wait. */
		nanosleep(&(struct timespec){0, 30000000}, NULL);
		for (size_t at = 0, step = 1; at < n; step = step * 3 % 9001 + 1) {
			ssize_t done = write(ends[1], data + at, step < n - at ? step : n - at);
			if (done < 0)
				_exit(1);
			at += (size_t)done;
		}
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	return child;
}

static void
standard_input_is_read_from_a_pipe(void **state)
{
	(void)state;
	size_t n = 900001;
	uint8_t *data = make_data(n);
	for (size_t i = 0; i < BLOCK_SIZES; i++) {
		struct in *in;
		struct in_options options = {.nesting_limit = 4, .block_size = block_sizes[i]};
		pid_t child = feed_standard_input(data, n);
		assert_int_equal(in_open("-", &options, &in, NULL), POLY_OK);
		expect_bytes(in, data, n);
		expect_progress(in, n, 0);
		in_close(in);
		assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), 0);
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
	mem_free(data);
}

static void
a_descriptor_that_does_not_block_is_waited_for(void **state)
{
	(void)state;
	size_t n = 300000;
	uint8_t *data = make_data(n);
	struct in *in;
	pid_t child = feed_standard_input(data, n);
	assert_int_equal(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(in_open("-", NULL, &in, NULL), POLY_OK);
	expect_bytes(in, data, n);
	in_close(in);
	assert_int_equal(waitpid(child, NULL, 0), child);
	mem_free(data);
}

/* Alternately through the window and past it. */
static void
bytes_are_taken_past_the_window(void **state)
{
	(void)state;
	size_t n = 900001, have;
	uint8_t *data = make_data(n), *taken = mem_new(n, 1);
	for (size_t i = 0; i < BLOCK_SIZES; i++) {
		struct in *in;
		struct in_options options = {.nesting_limit = 4, .block_size = block_sizes[i]};
		assert_int_equal(in_open_memory(data, n, &options, &in, NULL), POLY_OK);
		size_t at = 0, step = 7;
		for (; at + step < n; step = step * 5 % 70001 + 1) {
			assert_int_equal(in_read(in, taken, step), step);
			assert_memory_equal(taken, data + at, step);
			at += step;
			assert_int_equal(in_offset(in), at);
			const uint8_t *p = in_peek(in, 3, &have);
			assert_memory_equal(p, data + at, have < 3 ? have : 3);
			in_consume(in, have / 2);
			at += have / 2;
		}
		assert_int_equal(in_read(in, taken, n), n - at);
		assert_memory_equal(taken, data + at, n - at);
		assert_int_equal(in_status(in, NULL), POLY_END);
		assert_int_equal(in_read(in, taken, n), 0);
		in_close(in);
	}
	mem_free(data);
	mem_free(taken);
}

static void
bytes_are_taken_at_any_place(void **state)
{
	(void)state;
	size_t n = 100000;
	uint8_t *data = make_data(n), taken[3000];
	char path[] = "input.XXXXXX";
	int fd = mkstemp(path);
	assert_true(write(fd, data, n) == (ssize_t)n);
	close(fd);
	for (int turn = 0; turn < 2; turn++) {
		struct in *in;
		size_t have;
		assert_int_equal(turn ? in_open(path, NULL, &in, NULL)
				      : in_open_memory(data, n, NULL, &in, NULL),
			POLY_OK);
		assert_true(in_is_random(in));
		static const size_t places[] = {99000, 0, 97000, 12345, 100000, 97001, 300000};
		for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
			const size_t at = places[i];
			struct source_room room = {taken, sizeof taken, 0};
			size_t left = at < n ? n - at : 0;
			enum poly_status status = in_read_at(in, at, &room, NULL);
			assert_int_equal(status, left < sizeof taken ? POLY_END : POLY_OK);
			assert_int_equal(room.got, left < sizeof taken ? left : sizeof taken);
			assert_memory_equal(taken, data + (left ? at : 0), room.got);
		}
		/* Offsets beyond the end were not read. */
		expect_progress(in, n, n);
		assert_memory_equal(in_peek(in, 10, &have), data, 10);
		assert_int_equal(in_offset(in), 0);
		in_close(in);
	}
	unlink(path);
	mem_free(data);
}

static void
a_view_shows_the_bytes_of_the_caller(void **state)
{
	(void)state;
	size_t have;
	uint8_t bytes[5 + IN_PADDING] = "abcde";
	struct in *view = in_view();
	in_peek(view, 1, &have);
	assert_int_equal(have, 0);
	for (uint64_t offset = 7; offset < 9; offset++) {
		in_show(view, bytes, 5, offset);
		assert_ptr_equal(in_peek(view, 1, &have), bytes);
		assert_int_equal(have, 5);
		in_consume(view, 2);
		assert_int_equal(in_offset(view), offset + 2);
		assert_ptr_equal(in_peek(view, IN_PEEK_MAX, &have), bytes + 2);
		assert_int_equal(have, 3);
		assert_int_equal(in_status(view, NULL), POLY_END);
	}
	in_close(view);
}

/* Reads the letters a, b, c..., with an end after every third one. */
static enum poly_status
read_letters(void *self, uint8_t *to, size_t size, size_t *got, struct poly_error *error)
{
	uint8_t *letter = self;
	(void)error;
	*got = size != 0;
	*to = (*letter)++;
	return (*to - 'a') % 3 == 2 ? POLY_END : POLY_OK;
}

static void
close_nothing(void *self)
{
	(void)self;
}

static void
an_input_resumes_after_its_end(void **state)
{
	(void)state;
	uint8_t letter = 'a';
	size_t have;
	const struct source source = {read_letters, close_nothing, &letter, NULL};
	struct in *in = in_from_source(&source, 0);
	assert_memory_equal(in_peek(in, 9, &have), "abc", 3);
	assert_int_equal(have, 3);
	assert_int_equal(in_status(in, NULL), POLY_END);
	in_consume(in, 3);
	in_restart(in, 100);
	assert_int_equal(in_status(in, NULL), POLY_OK);
	assert_memory_equal(in_peek(in, 9, &have), "def", 3);
	assert_int_equal(have, 3);
	in_consume(in, 1);
	assert_int_equal(in_offset(in), 101);
	in_close(in);
}

static void
a_large_look_ahead_shows_what_is_consumed_later(void **state)
{
	(void)state;
	size_t n = 3 * IN_PEEK_MAX, have;
	uint8_t *data = make_data(n);
	struct in *in;
	assert_int_equal(in_open_memory(data, n, NULL, &in, NULL), POLY_OK);
	const uint8_t *p = in_peek(in, IN_PEEK_MAX, &have);
	assert_true(have >= IN_PEEK_MAX);
	assert_memory_equal(p, data, have);
	in_consume(in, 5);
	p = in_peek(in, SIZE_MAX, &have);
	assert_true(have >= IN_PEEK_MAX);
	assert_memory_equal(p, data + 5, have);
	/* The bytes after the view may be read. */
	unsigned sum = 0;
	for (size_t i = 0; i < IN_PADDING; i++)
		sum += p[have + i];
	assert_true(sum <= IN_PADDING * 255U);
	in_consume(in, have);
	p = in_peek(in, 1, &have);
	assert_true(have && have < IN_PEEK_MAX);
	assert_memory_equal(p, data + in_offset(in), have);
	in_close(in);
	mem_free(data);
}

static void
memory_does_not_grow_with_the_input(void **state)
{
	(void)state;
	struct in *in;
	struct rusage before, after;
	size_t have;
	assert_int_equal(in_open("/dev/zero", NULL, &in, NULL), POLY_OK);
	in_peek(in, IN_PEEK_MAX, &have);
	getrusage(RUSAGE_SELF, &before);
	while (in_offset(in) < (uint64_t)256 << 20) {
		in_peek(in, 100000, &have);
		in_consume(in, have - 1);
	}
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 8 << 10);
	in_close(in);
}

static void
an_empty_input_is_valid(void **state)
{
	(void)state;
	struct in *in;
	size_t have;
	assert_int_equal(in_open_memory("", 0, NULL, &in, NULL), POLY_OK);
	assert_non_null(in_peek(in, 1000, &have));
	assert_int_equal(have, 0);
	assert_int_equal(in_status(in, NULL), POLY_END);
	in_close(in);
	assert_int_equal(in_open("/dev/null", NULL, &in, NULL), POLY_OK);
	expect_bytes(in, NULL, 0);
	in_close(in);
	in_close(NULL);
}

static void
a_failed_open_is_an_error_with_its_reason(void **state)
{
	(void)state;
	struct in *in;
	struct poly_error error;
	assert_int_equal(in_open("/nowhere/at all", NULL, &in, &error), POLY_ERR_IO);
	assert_null(in);
	assert_int_equal(error.sys_errno, ENOENT);
	assert_string_equal(error.message, "cannot open file: No such file or directory");
}

static void
a_failing_read_is_a_sticky_error(void **state)
{
	(void)state;
	struct in *in;
	struct poly_error error;
	size_t have;
	assert_int_equal(in_open("/", NULL, &in, &error), POLY_OK);
	for (int i = 0; i < 2; i++) {
		in_peek(in, 1, &have);
		assert_int_equal(have, 0);
		assert_int_equal(in_status(in, &error), POLY_ERR_IO);
		assert_int_equal(error.sys_errno, EISDIR);
		assert_string_equal(error.message, "cannot read: Is a directory");
	}
	in_close(in);
}

/* All bytes of a content are those of data; returns how it ended. */
static enum poly_status
expect_content(const char *path, const uint8_t *data, size_t n, struct poly_error *error)
{
	struct poly_byte_stream *content;
	const void *bytes;
	size_t size, at = 0;
	enum poly_status status;
	assert_int_equal(poly_byte_stream_open(path, &content, error), POLY_OK);
	while ((status = poly_byte_stream_next(content, &bytes, &size, error)) == POLY_OK) {
		assert_true(size > 0 && size <= n - at);
		assert_memory_equal(bytes, data + at, size);
		at += size;
	}
	assert_int_equal(at, n);
	assert_int_equal(size, 0);
	assert_int_equal(poly_byte_stream_next(content, &bytes, &size, error), status);
	poly_byte_stream_close(content);
	return status;
}

static void
a_content_is_all_bytes_of_a_file(void **state)
{
	(void)state;
	const size_t n = (size_t)5 << 20;
	uint8_t *data = make_data(n);
	char path[] = "/tmp/test_content_XXXXXX";
	struct poly_error error;
	struct poly_byte_stream *content;
	const int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, data, n) == (ssize_t)n && close(fd) == 0);
	assert_int_equal(expect_content(path, data, n, &error), POLY_END);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(expect_content(path, data, 0, &error), POLY_END);
	unlink(path);
	assert_int_equal(poly_byte_stream_open(path, &content, &error), POLY_ERR_IO);
	assert_null(content);
	poly_byte_stream_close(NULL);
	mem_free(data);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_read_alike_for_every_block_size),
		cmocka_unit_test(a_file_is_read_alike_for_every_block_size),
		cmocka_unit_test(standard_input_is_read_from_a_pipe),
		cmocka_unit_test(a_descriptor_that_does_not_block_is_waited_for),
		cmocka_unit_test(bytes_are_taken_past_the_window),
		cmocka_unit_test(bytes_are_taken_at_any_place),
		cmocka_unit_test(a_view_shows_the_bytes_of_the_caller),
		cmocka_unit_test(an_input_resumes_after_its_end),
		cmocka_unit_test(a_large_look_ahead_shows_what_is_consumed_later),
		cmocka_unit_test(memory_does_not_grow_with_the_input),
		cmocka_unit_test(an_empty_input_is_valid),
		cmocka_unit_test(a_failed_open_is_an_error_with_its_reason),
		cmocka_unit_test(a_failing_read_is_a_sticky_error),
		cmocka_unit_test(a_content_is_all_bytes_of_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
