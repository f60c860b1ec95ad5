/* SPDX-License-Identifier: MIT */
/*
 * The lowest source of an input: a file by read(), or memory. With a mapped file the peak of
 * resident memory would grow with the input, and decoding would not be faster.
 */
#include "io/source.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct source_file {
	struct root_source root;
	int fd;
	bool own; /* fd was opened here */
};

struct source_memory {
	struct root_source root;
	const uint8_t *all, *data;
	size_t left;
};

bool
root_source_make_stoppable(struct root_source *root)
{
	if (!root->waits)
		return true;
	if (pipe(root->wake) != 0) {
		root->wake[0] = root->wake[1] = -1;
		return false;
	}
	for (int i = 0; i < 2; i++)
		(void)fcntl(root->wake[i], F_SETFD, FD_CLOEXEC);
	return true;
}

void
root_source_stop(struct root_source *root)
{
	atomic_store(&root->stopped, true);
	if (root->wake[1] >= 0)
		while (write(root->wake[1], "", 1) < 0 && errno == EINTR)
			;
}

static enum poly_status
stopped(const struct root_source *root, struct poly_error *error)
{
	return err_set(
		error, POLY_ERR_CANCELLED, atomic_load(&root->taken), "reading cancelled");
}

/* Waits until reading would not block, or until root_source_stop. */
static int
file_wait(const struct source_file *file)
{
	struct pollfd wait[2] = {{.fd = file->fd, .events = POLLIN},
		{.fd = file->root.wake[0], .events = POLLIN}};
	int n;
	do
		n = poll(wait, 2, -1);
	while (n < 0 && errno == EINTR);
	return n;
}

static enum poly_status
file_read(void *self, uint8_t *dst, size_t size, size_t *got, struct poly_error *error)
{
	struct source_file *file = self;
	struct root_source *root = &file->root;
	*got = 0;
	for (;;) {
		if (root->wake[0] >= 0 && file_wait(file) < 0)
			break;
		if (atomic_load(&root->stopped))
			return stopped(root, error);
		ssize_t n = read(file->fd, dst, size);
		if (n >= 0) {
			*got = (size_t)n;
			atomic_fetch_add(&root->taken, (uint64_t)n);
			return n ? POLY_OK : POLY_END;
		}
		if (errno == EAGAIN) /* the descriptor is non-blocking */
			file_wait(file);
		else if (errno != EINTR)
			break;
	}
	return err_system(error, atomic_load(&root->taken), "cannot read");
}

/* Counts the bytes up to an offset as read. */
static void
note_taken(struct root_source *root, uint64_t end)
{
	uint64_t taken = atomic_load(&root->taken);
	while (taken < end && !atomic_compare_exchange_weak(&root->taken, &taken, end))
		;
}

static enum poly_status
file_read_at(void *self, uint64_t offset, struct source_room *room, struct poly_error *error)
{
	struct source_file *file = self;
	for (room->got = 0; room->got < room->size;) {
		if (atomic_load(&file->root.stopped))
			return stopped(&file->root, error);
		ssize_t n = pread(file->fd, room->dst + room->got, room->size - room->got,
			(off_t)(offset + room->got));
		if (n == 0) {
			/* The offset may be beyond the end. */
			if (room->got)
				note_taken(&file->root, offset + room->got);
			return POLY_END;
		}
		if (n > 0)
			room->got += (size_t)n;
		else if (errno != EINTR)
			return err_system(error, offset + room->got, "cannot read");
	}
	note_taken(&file->root, offset + room->got);
	return POLY_OK;
}

static void
file_close(void *self)
{
	struct source_file *file = self;
	for (int i = 0; i < 2; i++)
		if (file->root.wake[i] >= 0)
			close(file->root.wake[i]);
	if (file->own)
		close(file->fd);
	mem_free(file);
}

/* Determines the kind of the file. */
static void
file_inspect(struct source_file *file)
{
	struct stat stat;
	const bool is_known = fstat(file->fd, &stat) == 0;
	file->root.waits = !is_known || !S_ISREG(stat.st_mode);
	file->root.is_directory = is_known && file->own && S_ISDIR(stat.st_mode);
	if (file->root.waits)
		return;
	file->root.total = stat.st_size > 0 ? (uint64_t)stat.st_size : 0;
	(void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

/* Opening a pipe waits for its other end. */
static int
open_file(const char *path)
{
	int fd;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	return fd;
}

enum poly_status
source_file_open(const char *path, struct source *source, struct root_source **root,
	struct poly_error *error)
{
	struct source_file *file = mem_new(1, sizeof *file);
	if (!file)
		return err_memory(error);
	file->root.wake[0] = file->root.wake[1] = -1;
	file->own = strcmp(path, "-") != 0;
	file->fd = file->own ? open_file(path) : STDIN_FILENO;
	if (file->fd < 0) {
		enum poly_status status = err_system(error, POLY_NO_OFFSET, "cannot open file");
		mem_free(file);
		return status;
	}
	file_inspect(file);
	*source = (struct source){file_read, file_close, file, NULL};
	/* Standard input may start at any offset, and other processes may continue with it. */
	if (file->own && !file->root.waits)
		source->read_at = file_read_at;
	*root = &file->root;
	return POLY_OK;
}

static enum poly_status
memory_read(void *self, uint8_t *dst, size_t size, size_t *got, struct poly_error *error)
{
	struct source_memory *memory = self;
	*got = 0;
	if (atomic_load(&memory->root.stopped))
		return stopped(&memory->root, error);
	if (!memory->left)
		return POLY_END;
	*got = size < memory->left ? size : memory->left;
	memcpy(dst, memory->data, *got);
	memory->data += *got;
	memory->left -= *got;
	atomic_fetch_add(&memory->root.taken, *got);
	return POLY_OK;
}

static enum poly_status
memory_read_at(void *self, uint64_t offset, struct source_room *room, struct poly_error *error)
{
	struct source_memory *memory = self;
	const uint64_t total = memory->root.total, left = offset < total ? total - offset : 0;
	room->got = 0;
	if (atomic_load(&memory->root.stopped))
		return stopped(&memory->root, error);
	room->got = room->size < left ? room->size : (size_t)left;
	if (room->got) {
		memcpy(room->dst, memory->all + offset, room->got);
		note_taken(&memory->root, offset + room->got);
	}
	return room->got < room->size ? POLY_END : POLY_OK;
}

static void
memory_close(void *self)
{
	mem_free(self);
}

enum poly_status
source_memory_open(const void *data, size_t size, struct source *source,
	struct root_source **root, struct poly_error *error)
{
	struct source_memory *memory = mem_new(1, sizeof *memory);
	if (!memory)
		return err_memory(error);
	memory->root.wake[0] = memory->root.wake[1] = -1;
	memory->root.total = size;
	memory->all = memory->data = data;
	memory->left = size;
	*source = (struct source){memory_read, memory_close, memory, memory_read_at};
	*root = &memory->root;
	return POLY_OK;
}
