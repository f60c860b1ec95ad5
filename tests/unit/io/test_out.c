/* SPDX-License-Identifier: MIT */
/* Output: buffering, files that appear when complete, compression by name. */
#include "test_help.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/out.h"

static int syncs;

/* In place of the system's: counts the files and folders that are stored durably. */
int
fsync(int fd)
{
	syncs++;
	errno = EINVAL; /* as of file systems that do not support it */
	return fd < 0 ? 0 : -1;
}

/* A directory of its own for every test. */
static int
enter(void **state)
{
	char name[] = "/tmp/test_out_XXXXXX";
	if (!mkdtemp(name) || chdir(name) != 0)
		return -1;
	*state = mem_string(name);
	umask(022);
	return *state ? 0 : -1;
}

static int
leave(void **state)
{
	DIR *directory = opendir(".");
	const struct dirent *entry;
	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove(entry->d_name);
	closedir(directory);
	int failed = chdir("/") || rmdir(*state);
	mem_free(*state);
	return failed;
}

static size_t
entries(void)
{
	size_t n = 0;
	DIR *directory = opendir(".");
	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n - 2;
}

static void
read_all(FILE *file, struct buf *to)
{
	size_t n;
	assert_non_null(file);
	do {
		uint8_t *p = buf_reserve(to, 65536);
		assert_non_null(p);
		n = fread(p, 1, 65536, file);
		to->size += n;
	} while (n);
}

static void
expect_file(const char *path, const void *data, size_t n)
{
	struct buf got = {0};
	FILE *file = fopen(path, "rb");
	read_all(file, &got);
	fclose(file);
	assert_int_equal(got.size, n);
	assert_memory_equal(got.data, data, n);
	buf_free(&got);
}

static void
make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static mode_t
mode_of(const char *path)
{
	struct stat stat_;
	assert_int_equal(stat(path, &stat_), 0);
	return stat_.st_mode & 0777;
}

/* Flags of new files: without a name, where the system can, and with one. */
static const unsigned ways[] = {0, OUT_KEEPS_UNFINISHED};

enum { WAYS = sizeof ways / sizeof *ways };

/* Opens, writes text and finishes; all must succeed. */
static void
write_text(const char *path, unsigned flags, const char *text)
{
	struct out *out;
	struct poly_error error;
	if (out_open(path, flags, &out, &error) != POLY_OK)
		fail_msg("%s", error.message);
	out_write(out, text, strlen(text));
	assert_int_equal(out_finish(out, &error), POLY_OK);
	out_close(out);
}

static void
compressions_that_are_only_read_are_refused(void **state)
{
	(void)state;
	struct out *out;
	struct poly_error error;
	const enum poly_status status = out_open("trace.zip", false, &out, &error);
	skip_unsupported(status, &error);
	assert_int_equal(status, POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"files with the extension 'zip' can be read, not written; choose another one");
	assert_int_equal(entries(), 0);
}

static void
a_file_appears_when_it_is_finished(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		struct out *out;
		assert_int_equal(out_open("a", ways[i], &out, NULL), POLY_OK);
		out_write(out, "text", 4);
		assert_int_equal(access("a", F_OK), -1);
		assert_int_equal(out_finish(out, NULL), POLY_OK);
		expect_file("a", "text", 4);
		assert_int_equal(out_finish(out, NULL), POLY_OK);
		out_close(out);
		assert_int_equal(entries(), 1);
		assert_int_equal(mode_of("a"), 0644);
		unlink("a");
	}
}

/* Returns whether the file system has files without names. */
static bool
has_unnamed_files(void)
{
	FILE *found =
		popen("python3 -c 'import os; os.open(\".\", os.O_TMPFILE | os.O_WRONLY)' "
		      "2>/dev/null",
			"r");
	assert_non_null(found);
	return pclose(found) == 0;
}

static void
an_unfinished_file_has_a_name_only_if_it_is_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		struct out *out;
		assert_int_equal(out_open("a", ways[i], &out, NULL), POLY_OK);
		out_write(out, "text", 4);
		assert_int_equal(out_complete(out, NULL), POLY_OK);
		assert_int_equal(entries(), ways[i] || !has_unnamed_files());
		expect_file(out_path(out), "text", 4);
		out_close(out);
		assert_int_equal(entries(), 0);
	}
}

static void
a_discarded_file_never_appears(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		struct out *out;
		assert_int_equal(out_open("a", ways[i], &out, NULL), POLY_OK);
		out_write(out, "text", 4);
		atomic_file_discard_all();
		assert_int_equal(entries(), 0);
		assert_int_equal(out_finish(out, NULL), POLY_ERR_IO);
		out_close(out);
		assert_int_equal(entries(), 0);
	}
}

static void
an_unfinished_file_is_removed(void **state)
{
	(void)state;
	make_file("a", "old");
	for (size_t way = 0; way < WAYS; way++) {
		struct out *out;
		assert_int_equal(
			out_open("a", ways[way] | OUT_OVERWRITES, &out, NULL), POLY_OK);
		for (int i = 0; i < 100000; i++)
			out_write(out, "text", 4);
		out_close(out);
		assert_int_equal(entries(), 1);
		expect_file("a", "old", 3);
	}
}

static void
an_existing_file_is_replaced_only_when_allowed(void **state)
{
	(void)state;
	struct out *out;
	struct poly_error error;
	make_file("a", "old");
	assert_int_equal(out_open("a", false, &out, &error), POLY_ERR_USAGE);
	assert_null(out);
	assert_string_equal(error.message, "file exists; set options.overwrite");
	expect_file("a", "old", 3);
	assert_int_equal(chmod("a", 0600), 0);
	for (size_t i = 0; i < WAYS; i++) {
		write_text("a", ways[i] | OUT_OVERWRITES, i ? "newer" : "new");
		expect_file("a", i ? "newer" : "new", i ? 5 : 3);
		assert_int_equal(mode_of("a"), 0600);
		assert_int_equal(entries(), 1);
	}
}

static void
a_file_and_its_name_are_stored_durably(void **state)
{
	(void)state;
	syncs = 0;
	write_text("a", false, "old");
	assert_int_equal(syncs, 2);
	write_text("a", true, "new");
	assert_int_equal(syncs, 4);
	expect_file("a", "new", 3);
}

static void
a_file_created_meanwhile_is_preserved(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		struct out *out;
		assert_int_equal(out_open("a", ways[i], &out, NULL), POLY_OK);
		out_write(out, "text", 4);
		make_file("a", "other");
		assert_int_equal(out_finish(out, NULL), POLY_ERR_USAGE);
		out_close(out);
		expect_file("a", "other", 5);
		assert_int_equal(entries(), 1);
		unlink("a");
	}
}

static void
links_are_written_through(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0777), 0);
	make_file("d/a", "old");
	assert_int_equal(symlink("d/a", "one"), 0);
	assert_int_equal(symlink("one", "two"), 0);
	assert_int_equal(symlink("d/b", "new"), 0);
	write_text("two", true, "text");
	write_text("new", false, "more");
	expect_file("d/a", "text", 4);
	expect_file("d/b", "more", 4);
	struct stat link;
	assert_int_equal(lstat("two", &link), 0);
	assert_true(S_ISLNK(link.st_mode));
	assert_int_equal(symlink("loop", "loop"), 0);
	struct out *out;
	assert_int_equal(out_open("loop", true, &out, NULL), POLY_ERR_IO);
	unlink("d/a");
	unlink("d/b");
}

static void
a_failed_creation_is_an_error_with_its_reason(void **state)
{
	(void)state;
	struct out *out;
	struct poly_error error;
	assert_int_equal(out_open("no/a", true, &out, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOENT);
	assert_non_null(strstr(error.message, "No such file"));
	assert_int_equal(out_open(".", true, &out, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, EISDIR);
	assert_int_equal(entries(), 0);
}

static void
a_full_device_is_a_sticky_error(void **state)
{
	(void)state;
	struct out *out;
	struct poly_error error;
	assert_int_equal(out_open("/dev/full", false, &out, NULL), POLY_OK);
	out_write(out, "text", 4);
	assert_int_equal(out_status(out, NULL), POLY_OK);
	assert_int_equal(out_finish(out, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	for (int i = 0; i < 100; i++) {
		memset(out_room(out, OUT_ROOM_MAX), 'x', OUT_ROOM_MAX);
		out_commit(out, OUT_ROOM_MAX);
	}
	assert_int_equal(out_status(out, NULL), POLY_ERR_IO);
	assert_int_equal(out_finish(out, NULL), POLY_ERR_IO);
	out_close(out);
}

static void
a_closed_pipe_is_an_error(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	signal(SIGPIPE, SIG_IGN);
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
	struct out *out;
	struct poly_error error;
	assert_int_equal(out_open(path, false, &out, NULL), POLY_OK);
	close(ends[0]);
	out_write(out, "text", 4);
	assert_int_equal(out_finish(out, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, EPIPE);
	out_close(out);
	close(ends[1]);
}

/* As on a full disk, but without one: the kernel refuses what is beyond a limit. */
static void
a_file_that_cannot_grow_is_an_error_and_removed(void **state)
{
	(void)state;
	struct out *out;
	struct poly_error error;
	struct rlimit old, limit;
	char block[5000] = "";
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 300000;
	signal(SIGXFSZ, SIG_IGN);
	make_file("a", "old");
	assert_int_equal(out_open("a", true, &out, NULL), POLY_OK);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 200; i++)
		out_write(out, block, sizeof block);
	assert_int_equal(out_finish(out, &error), POLY_ERR_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(error.sys_errno, EFBIG);
	assert_string_equal(error.message, "cannot write: File too large");
	out_close(out);
	expect_file("a", "old", 3);
	assert_int_equal(entries(), 1);
}

/* The file that replaces a private one is private while it is written. */
static void
a_private_file_is_replaced_privately(void **state)
{
	(void)state;
	struct out *out;
	make_file("a", "old");
	assert_int_equal(chmod("a", 0600), 0);
	assert_int_equal(out_open("a", true, &out, NULL), POLY_OK);
	assert_int_equal(mode_of(out_path(out)), 0600);
	assert_int_equal(out_finish(out, NULL), POLY_OK);
	out_close(out);
	assert_int_equal(mode_of("a"), 0600);
}

static void
a_replaced_file_keeps_its_permissions(void **state)
{
	(void)state;
	static const mode_t modes[] = {0600, 0640, 0644, 0664, 0755};
	make_file("a", "old");
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		assert_int_equal(chmod("a", modes[i]), 0);
		write_text("a", true, "new");
		assert_int_equal(mode_of("a"), modes[i]);
	}
}

/* The lowest number that is free. */
static int
free_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void
no_descriptor_is_left_open(void **state)
{
	(void)state;
	static const char *const paths[] = {"a", "a.gz", "/dev/null", "-"};
	int before = free_descriptor();
	for (int i = 0; i < 8; i++) {
		struct out *out;
		if (out_open(paths[i / 2], true, &out, NULL) != POLY_OK)
			continue;
		if (i % 2)
			assert_int_equal(out_finish(out, NULL), POLY_OK);
		out_close(out);
		assert_int_equal(free_descriptor(), before);
	}
}

/* Keeps what it is given until there are 1000000 bytes. */
static int
keep(void *user, const void *data, size_t n)
{
	struct buf *buf = user;
	if (buf->size + n > 1000000)
		return EFBIG;
	buf_append(buf, data, n);
	return 0;
}

static void
rooms_and_writes_arrive_in_order(void **state)
{
	(void)state;
	struct out *out;
	struct buf kept = {0}, truth = {0};
	assert_int_equal(out_open_function(keep, &kept, &out, NULL), POLY_OK);
	size_t n = 1;
	for (int i = 0; truth.size < 900000; i++) {
		uint8_t *from = buf_reserve(&truth, n);
		for (size_t k = 0; k < n; k++)
			from[k] = (uint8_t)((unsigned)i * 31 + k);
		truth.size += n;
		if (i % 2) {
			out_write(out, from, n);
		} else {
			memcpy(out_room(out, n < OUT_ROOM_MAX ? n + 1 : n), from, n);
			out_commit(out, n);
		}
		n = n * 7 % OUT_ROOM_MAX + 1;
	}
	assert_int_equal(out_finish(out, NULL), POLY_OK);
	out_close(out);
	assert_int_equal(kept.size, truth.size);
	assert_memory_equal(kept.data, truth.data, truth.size);
	buf_free(&kept);
	buf_free(&truth);
}

static void
a_failing_function_is_an_error_with_its_errno(void **state)
{
	(void)state;
	struct out *out;
	struct buf kept = {0};
	struct poly_error error;
	assert_int_equal(out_open_function(keep, &kept, &out, NULL), POLY_OK);
	for (int i = 0; i < 20; i++) {
		memset(out_room(out, OUT_ROOM_MAX), 'x', OUT_ROOM_MAX);
		out_commit(out, OUT_ROOM_MAX);
	}
	assert_int_equal(out_finish(out, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, EFBIG);
	assert_true(kept.size > 0);
	out_close(out);
	buf_free(&kept);
}

/* Whether a program can be run. */
static bool
installed(const char *program)
{
	char command[128];
	snprintf(command, sizeof command, "%s --version >program.txt 2>&1", program);
	return system(command) == 0;
}

static void
expect_compressed(const char *program, const char *path, size_t n)
{
	if (!installed(program)) {
		print_message("%s is not installed\n", program);
		return;
	}
	struct buf truth = {0}, got = {0};
	for (size_t i = 0; truth.size < n; i++)
		buf_printf(&truth, "%zu %zx\n", i * i % 7919, i);
	truth.size = n;
	struct out *out;
	enum poly_status status = out_open(path, true, &out, NULL);
	if (status == POLY_ERR_UNSUPPORTED) {
		buf_free(&truth);
		return;
	}
	assert_int_equal(status, POLY_OK);
	for (size_t at = 0, step = 1; at < n; at += step, step = step * 3 % 200000 + 1) {
		step = step < n - at ? step : n - at;
		out_write(out, truth.data + at, step);
	}
	assert_int_equal(out_finish(out, NULL), POLY_OK);
	out_close(out);
	struct stat stat_;
	assert_int_equal(stat(path, &stat_), 0);
	assert_true(n < 1000 || (size_t)stat_.st_size < n * 3 / 4);

	char command[128];
	snprintf(command, sizeof command, "%s -dc <%s", program, path);
	FILE *pipe = popen(command, "r");
	read_all(pipe, &got);
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(got.size, n);
	assert_memory_equal(got.data, truth.data, n);
	buf_free(&truth);
	buf_free(&got);
}

static void
the_system_tools_decompress_the_output(void **state)
{
	(void)state;
	static const char *const tools[][2] = {{"gzip", "a.gz"}, {"zstd", "a.zst"},
		{"xz", "a.xz"}, {"bzip2", "a.bz2"}, {"lz4", "a.lz4"}};
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		expect_compressed(tools[i][0], tools[i][1], 0);
		expect_compressed(tools[i][0], tools[i][1], 1);
		expect_compressed(tools[i][0], tools[i][1], 3000000);
	}
}

/* Writes n bytes to a file in blocks of limited size. False: not in this build. */
static bool
compress(const char *path, const struct buf *text, size_t piece)
{
	struct out *out;
	if (out_open(path, true, &out, NULL) == POLY_ERR_UNSUPPORTED)
		return false;
	for (size_t at = 0; at < text->size; at += piece)
		out_write(out, text->data + at,
			piece < text->size - at ? piece : text->size - at);
	assert_int_equal(out_finish(out, NULL), POLY_OK);
	out_close(out);
	return true;
}

static void
the_size_of_writes_does_not_change_compressed_data(void **state)
{
	(void)state;
	static const char *const paths[] = {"a.gz", "a.zst", "a.xz", "a.bz2", "a.lz4"};
	static const size_t pieces[] = {1000, 65536, 66000, 300001, 131072};
	struct buf text = {0};
	for (size_t i = 0; text.size < 600000; i++)
		buf_printf(&text, "%zu %zx\n", i * i % 7919, i);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct buf whole = {0};
		for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
			struct buf some = {0};
			if (!compress(paths[i], &text, pieces[k]))
				break;
			FILE *file = fopen(paths[i], "rb");
			read_all(file, k ? &some : &whole);
			fclose(file);
			if (k)
				assert_int_equal(some.size, whole.size);
			if (k)
				assert_memory_equal(some.data, whole.data, whole.size);
			buf_free(&some);
		}
		buf_free(&whole);
	}
	buf_free(&text);
}

static void
a_compressed_pipe_that_closes_is_an_error(void **state)
{
	(void)state;
	static const char *const paths[] = {"a.gz", "a.zst", "a.xz", "a.bz2", "a.lz4"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct out *out;
		struct poly_error error;
		unlink(paths[i]);
		assert_int_equal(symlink("/dev/full", paths[i]), 0);
		enum poly_status status = out_open(paths[i], true, &out, NULL);
		if (status == POLY_ERR_UNSUPPORTED)
			continue;
		assert_int_equal(status, POLY_OK);
		out_write(out, "text", 4);
		assert_int_equal(out_finish(out, &error), POLY_ERR_IO);
		assert_int_equal(error.sys_errno, ENOSPC);
		out_close(out);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(compressions_that_are_only_read_are_refused),
		TEST(a_file_appears_when_it_is_finished),
		TEST(an_unfinished_file_has_a_name_only_if_it_is_kept),
		TEST(a_discarded_file_never_appears),
		TEST(an_unfinished_file_is_removed),
		TEST(an_existing_file_is_replaced_only_when_allowed),
		TEST(a_file_and_its_name_are_stored_durably),
		TEST(a_file_created_meanwhile_is_preserved),
		TEST(links_are_written_through),
		TEST(a_failed_creation_is_an_error_with_its_reason),
		TEST(a_full_device_is_a_sticky_error),
		TEST(a_closed_pipe_is_an_error),
		TEST(a_file_that_cannot_grow_is_an_error_and_removed),
		TEST(a_private_file_is_replaced_privately),
		TEST(a_replaced_file_keeps_its_permissions),
		TEST(no_descriptor_is_left_open),
		TEST(rooms_and_writes_arrive_in_order),
		TEST(a_failing_function_is_an_error_with_its_errno),
		TEST(the_system_tools_decompress_the_output),
		TEST(the_size_of_writes_does_not_change_compressed_data),
		TEST(a_compressed_pipe_that_closes_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
