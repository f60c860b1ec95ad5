/* SPDX-License-Identifier: MIT */
/* Files that appear when they are complete, and descriptors that are written directly. */
#include "io/atomic_file.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, NAMES_MAX = 1000, LINK_SIZE = 4000 };

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Names of open descriptors, which nothing may be renamed to. */
static bool
is_descriptor(const char *path)
{
	return begins(path, "/dev/fd/") || begins(path, "/dev/std") || begins(path, "/proc/");
}

/* directory of path, a name in it; NULL where memory fails. */
static char *
beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0, m = strlen(name) + 1;
	char *joined = mem_new(n + m, 1);
	if (joined) {
		memcpy(joined, path, n);
		memcpy(joined + n, name, m);
	}
	return joined;
}

/* Follows the links at the end of *path, which may lead to nothing yet. */
static enum poly_status
follow_links(char **path, struct poly_error *error)
{
	for (int i = 0; i < LINKS_MAX; i++) {
		char to[LINK_SIZE];
		ssize_t n = is_descriptor(*path) ? -1 : readlink(*path, to, sizeof to);
		if (n < 0)
			return POLY_OK;
		if (n == (ssize_t)sizeof to)
			break;
		to[n] = 0;
		char *next = *to == '/' ? mem_string(to) : beside(*path, to);
		if (!next)
			return err_memory(error);
		mem_free(*path);
		*path = next;
	}
	errno = ELOOP;
	return err_system(error, POLY_NO_OFFSET, "cannot be opened");
}

/* Makes the file beside the place, under a name that nothing else has; mode less the umask. */
static enum poly_status
open_beside(struct atomic_file *file, mode_t mode, struct poly_error *error)
{
	for (int i = 0; i < NAMES_MAX; i++) {
		char name[64];
		snprintf(name, sizeof name, ".polytrace-%ld-%d", (long)getpid(), i);
		char *path = beside(file->place, name);
		if (!path)
			return err_memory(error);
		file->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (file->fd >= 0) {
			file->path = path;
			return POLY_OK;
		}
		mem_free(path);
		if (errno != EEXIST)
			break;
	}
	return err_system(error, POLY_NO_OFFSET, "cannot be made");
}

/* A regular file is in the place: may it go, and who may read what replaces it? */
static enum poly_status
replace(struct atomic_file *file, const struct stat *old, struct poly_error *error)
{
	if (!file->overwrite)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET, "it exists already");
	if (access(file->place, W_OK) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	/* Nobody may open it before it has the old file's permissions. */
	enum poly_status status = open_beside(file, 0600, error);
	if (status == POLY_OK)
		(void)fchmod(file->fd, old->st_mode & 0777);
	return status;
}

static enum poly_status
open_direct(struct atomic_file *file, struct poly_error *error)
{
	do
		file->fd = open(file->place, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	while (file->fd < 0 && errno == EINTR);
	if (file->fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be opened");
	mem_free(file->place);
	file->place = NULL;
	return POLY_OK;
}

enum poly_status
atomic_file_open(
	struct atomic_file *file, const char *path, bool overwrite, struct poly_error *error)
{
	file->fd = -1;
	file->overwrite = overwrite;
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		file->fd = STDOUT_FILENO;
		return POLY_OK;
	}
	file->own = true;
	file->place = mem_string(path);
	if (!file->place)
		return err_memory(error);
	enum poly_status status = follow_links(&file->place, error);
	if (status != POLY_OK)
		return status;
	struct stat old;
	bool exists = stat(file->place, &old) == 0;
	if (is_descriptor(file->place) || (exists && !S_ISREG(old.st_mode)))
		return open_direct(file, error);
	return exists ? replace(file, &old, error) : open_beside(file, 0666, error);
}

/* Locks the file, and remembers what stands behind the place. */
static enum poly_status
take_over(struct atomic_file *file, const struct out_append_point *place,
	struct poly_error *error)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat there;
	const uint64_t behind = place->size - place->kept;
	if (fcntl(file->fd, F_SETLK, &lock) != 0)
		return err_system(error, POLY_NO_OFFSET, "somebody else writes to it");
	if (fstat(file->fd, &there) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be looked at");
	if (!S_ISREG(there.st_mode) || (uint64_t)there.st_size != place->size)
		return err_set(error, POLY_ERR_IO, POLY_NO_OFFSET,
			"somebody else writes to it: it has %lld bytes, and had %llu",
			(long long)there.st_size, (unsigned long long)place->size);
	if (behind <= ATOMIC_FILE_TAIL) {
		if (pread(file->fd, file->tail, (size_t)behind, (off_t)place->kept) !=
			(ssize_t)behind)
			return err_system(error, POLY_NO_OFFSET, "cannot be read");
		file->tail_size = (size_t)behind;
	}
	file->kept = place->kept;
	file->goes_on = true;
	if (ftruncate(file->fd, (off_t)place->kept) != 0 ||
		lseek(file->fd, (off_t)place->kept, SEEK_SET) < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	return POLY_OK;
}

enum poly_status
atomic_file_open_append(struct atomic_file *file, const struct out_append_point *place,
	struct poly_error *error)
{
	file->own = true;
	do
		file->fd = open(place->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	while (file->fd < 0 && errno == EINTR);
	if (file->fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	return take_over(file, place, error);
}

/* Makes the file what it was before it went on. */
static void
put_back(struct atomic_file *file)
{
	if (ftruncate(file->fd, (off_t)file->kept) == 0)
		(void)!pwrite(file->fd, file->tail, file->tail_size, (off_t)file->kept);
}

enum poly_status
atomic_file_write(
	struct atomic_file *file, const void *data, size_t n, struct poly_error *error)
{
	const char *p = data;
	while (n) {
		ssize_t done = write(file->fd, p, n);
		if (done < 0 && errno == EAGAIN) {
			/* A descriptor that somebody made non-blocking. */
			struct pollfd wait = {.fd = file->fd, .events = POLLOUT};
			(void)poll(&wait, 1, -1);
		} else if (done < 0 && errno != EINTR) {
			return err_system(error, POLY_NO_OFFSET, "cannot be written");
		} else if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return POLY_OK;
}

/* Makes sure that the place is ours: false where somebody else has it. */
static bool
take_place(const struct atomic_file *file)
{
	int fd = open(file->place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EEXIST;
}

/* Moves the complete file to its place; nothing that appeared there meanwhile is lost. */
static enum poly_status
put_in_place(struct atomic_file *file, struct poly_error *error)
{
	if (!file->overwrite) {
		if (link(file->path, file->place) == 0) {
			unlink(file->path);
			return POLY_OK;
		}
		/* Else it may be a file system without hard links. */
		if (errno == EEXIST || !take_place(file))
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"it was made by somebody else meanwhile");
	}
	if (rename(file->path, file->place) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be put in its place");
	return POLY_OK;
}

enum poly_status
atomic_file_finish(struct atomic_file *file, struct poly_error *error)
{
	int fd = file->fd;
	/* What replaces nothing has nothing to fall back to. */
	if (file->goes_on && fsync(fd) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	file->fd = -1;
	if (file->own && close(fd) != 0 && errno != EINTR)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	if (!file->path)
		return POLY_OK;
	enum poly_status status = put_in_place(file, error);
	if (status == POLY_OK) {
		mem_free(file->path);
		file->path = NULL;
	}
	return status;
}

void
atomic_file_close(struct atomic_file *file)
{
	if (file->own && file->fd >= 0) {
		if (file->goes_on)
			put_back(file);
		close(file->fd);
	}
	if (file->path)
		unlink(file->path);
	mem_free(file->path);
	mem_free(file->place);
}
