/* SPDX-License-Identifier: MIT */
/*
 * The bottom of an input: a file by read(), or memory. Mapping a file instead would make the
 * peak of resident memory grow with the input, and is no faster where the bytes are decoded.
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
	struct origin origin;
	int fd;
	bool own; /* fd was opened here */
};

struct source_memory {
	struct origin origin;
	const uint8_t *all, *data;
	size_t left;
};

bool
root_source_make_stoppable(struct origin *origin)
{
	if (!origin->waits)
		return true;
	if (pipe(origin->wake) != 0) {
		origin->wake[0] = origin->wake[1] = -1;
		return false;
	}
	for (int i = 0; i < 2; i++)
		(void)fcntl(origin->wake[i], F_SETFD, FD_CLOEXEC);
	return true;
}

void
root_source_stop(struct origin *origin)
{
	atomic_store(&origin->stopped, true);
	if (origin->wake[1] >= 0)
		while (write(origin->wake[1], "", 1) < 0 && errno == EINTR)
			;
}

static enum poly_status
stopped(const struct origin *origin, struct poly_error *error)
{
	return err_set(
		error, POLY_ERR_CANCELLED, atomic_load(&origin->taken), "reading was stopped");
}

/* Waits until reading would not block, or until root_source_stop. */
static int
file_wait(const struct source_file *file)
{
	struct pollfd wait[2] = {{.fd = file->fd, .events = POLLIN},
		{.fd = file->origin.wake[0], .events = POLLIN}};
	int n;
	do
		n = poll(wait, 2, -1);
	while (n < 0 && errno == EINTR);
	return n;
}

static enum poly_status
file_read(void *self, uint8_t *to, size_t size, size_t *got, struct poly_error *error)
{
	struct source_file *file = self;
	struct origin *origin = &file->origin;
	*got = 0;
	for (;;) {
		if (origin->wake[0] >= 0 && file_wait(file) < 0)
			break;
		if (atomic_load(&origin->stopped))
			return stopped(origin, error);
		ssize_t n = read(file->fd, to, size);
		if (n >= 0) {
			*got = (size_t)n;
			atomic_fetch_add(&origin->taken, (uint64_t)n);
			return n ? POLY_OK : POLY_END;
		}
		if (errno == EAGAIN) /* a descriptor that somebody made non-blocking */
			file_wait(file);
		else if (errno != EINTR)
			break;
	}
	return err_system(error, atomic_load(&origin->taken), "cannot be read");
}

/* Bytes up to there were taken. */
static void
note_taken(struct origin *origin, uint64_t end)
{
	uint64_t taken = atomic_load(&origin->taken);
	while (taken < end && !atomic_compare_exchange_weak(&origin->taken, &taken, end))
		;
}

static enum poly_status
file_read_at(void *self, uint64_t offset, struct source_room *room, struct poly_error *error)
{
	struct source_file *file = self;
	for (room->got = 0; room->got < room->size;) {
		if (atomic_load(&file->origin.stopped))
			return stopped(&file->origin, error);
		ssize_t n = pread(file->fd, room->to + room->got, room->size - room->got,
			(off_t)(offset + room->got));
		if (n == 0)
			return POLY_END;
		if (n > 0)
			room->got += (size_t)n;
		else if (errno != EINTR)
			return err_system(error, offset + room->got, "cannot be read");
	}
	note_taken(&file->origin, offset + room->got);
	return POLY_OK;
}

static void
file_close(void *self)
{
	struct source_file *file = self;
	for (int i = 0; i < 2; i++)
		if (file->origin.wake[i] >= 0)
			close(file->origin.wake[i]);
	if (file->own)
		close(file->fd);
	mem_free(file);
}

/* Learns what kind of file it is. */
static void
file_inspect(struct source_file *file)
{
	struct stat stat;
	file->origin.waits = fstat(file->fd, &stat) != 0 || !S_ISREG(stat.st_mode);
	if (file->origin.waits)
		return;
	file->origin.total = stat.st_size > 0 ? (uint64_t)stat.st_size : 0;
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
source_file_open(const char *path, struct source *source, struct origin **origin,
	struct poly_error *error)
{
	struct source_file *file = mem_new(1, sizeof *file);
	if (!file)
		return err_memory(error);
	file->origin.wake[0] = file->origin.wake[1] = -1;
	file->own = strcmp(path, "-") != 0;
	file->fd = file->own ? open_file(path) : STDIN_FILENO;
	if (file->fd < 0) {
		enum poly_status status = err_system(error, POLY_NO_OFFSET, "cannot be opened");
		mem_free(file);
		return status;
	}
	file_inspect(file);
	*source = (struct source){file_read, file_close, file, NULL};
	/* Standard input may begin anywhere, and others may go on with it. */
	if (file->own && !file->origin.waits)
		source->read_at = file_read_at;
	*origin = &file->origin;
	return POLY_OK;
}

static enum poly_status
memory_read(void *self, uint8_t *to, size_t size, size_t *got, struct poly_error *error)
{
	struct source_memory *memory = self;
	*got = 0;
	if (atomic_load(&memory->origin.stopped))
		return stopped(&memory->origin, error);
	if (!memory->left)
		return POLY_END;
	*got = size < memory->left ? size : memory->left;
	memcpy(to, memory->data, *got);
	memory->data += *got;
	memory->left -= *got;
	atomic_fetch_add(&memory->origin.taken, *got);
	return POLY_OK;
}

static enum poly_status
memory_read_at(void *self, uint64_t offset, struct source_room *room, struct poly_error *error)
{
	struct source_memory *memory = self;
	const uint64_t total = memory->origin.total, left = offset < total ? total - offset : 0;
	room->got = 0;
	if (atomic_load(&memory->origin.stopped))
		return stopped(&memory->origin, error);
	room->got = room->size < left ? room->size : (size_t)left;
	if (room->got)
		memcpy(room->to, memory->all + offset, room->got);
	note_taken(&memory->origin, offset + room->got);
	return room->got < room->size ? POLY_END : POLY_OK;
}

static void
memory_close(void *self)
{
	mem_free(self);
}

enum poly_status
source_memory_open(const void *data, size_t size, struct source *source, struct origin **origin,
	struct poly_error *error)
{
	struct source_memory *memory = mem_new(1, sizeof *memory);
	if (!memory)
		return err_memory(error);
	memory->origin.wake[0] = memory->origin.wake[1] = -1;
	memory->origin.total = size;
	memory->all = memory->data = data;
	memory->left = size;
	*source = (struct source){memory_read, memory_close, memory, memory_read_at};
	*origin = &memory->origin;
	return POLY_OK;
}
