/* SPDX-License-Identifier: MIT */
/* Files that appear when they are complete, and descriptors that are written directly. */
#include "io/target.h"

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
open_beside(struct target *target, mode_t mode, struct poly_error *error)
{
	for (int i = 0; i < NAMES_MAX; i++) {
		char name[64];
		snprintf(name, sizeof name, ".polytrace-%ld-%d", (long)getpid(), i);
		char *path = beside(target->place, name);
		if (!path)
			return err_memory(error);
		target->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (target->fd >= 0) {
			target->path = path;
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
replace(struct target *target, const struct stat *old, struct poly_error *error)
{
	if (!target->overwrite)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET, "it exists already");
	if (access(target->place, W_OK) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	/* Nobody may open it before it has the old file's permissions. */
	enum poly_status status = open_beside(target, 0600, error);
	if (status == POLY_OK)
		(void)fchmod(target->fd, old->st_mode & 0777);
	return status;
}

static enum poly_status
open_direct(struct target *target, struct poly_error *error)
{
	do
		target->fd = open(target->place, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	while (target->fd < 0 && errno == EINTR);
	if (target->fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be opened");
	mem_free(target->place);
	target->place = NULL;
	return POLY_OK;
}

enum poly_status
target_open(struct target *target, const char *path, bool overwrite, struct poly_error *error)
{
	target->fd = -1;
	target->overwrite = overwrite;
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		target->fd = STDOUT_FILENO;
		return POLY_OK;
	}
	target->own = true;
	target->place = mem_string(path);
	if (!target->place)
		return err_memory(error);
	enum poly_status status = follow_links(&target->place, error);
	if (status != POLY_OK)
		return status;
	struct stat old;
	bool exists = stat(target->place, &old) == 0;
	if (is_descriptor(target->place) || (exists && !S_ISREG(old.st_mode)))
		return open_direct(target, error);
	return exists ? replace(target, &old, error) : open_beside(target, 0666, error);
}

/* Locks the file, and remembers what stands behind the place. */
static enum poly_status
take_over(struct target *target, const struct out_place *place, struct poly_error *error)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat there;
	const uint64_t behind = place->size - place->kept;
	if (fcntl(target->fd, F_SETLK, &lock) != 0)
		return err_system(error, POLY_NO_OFFSET, "somebody else writes to it");
	if (fstat(target->fd, &there) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be looked at");
	if (!S_ISREG(there.st_mode) || (uint64_t)there.st_size != place->size)
		return err_set(error, POLY_ERR_IO, POLY_NO_OFFSET,
			"somebody else writes to it: it has %lld bytes, and had %llu",
			(long long)there.st_size, (unsigned long long)place->size);
	if (behind <= TARGET_TAIL) {
		if (pread(target->fd, target->tail, (size_t)behind, (off_t)place->kept) !=
			(ssize_t)behind)
			return err_system(error, POLY_NO_OFFSET, "cannot be read");
		target->tail_size = (size_t)behind;
	}
	target->kept = place->kept;
	target->goes_on = true;
	if (ftruncate(target->fd, (off_t)place->kept) != 0 ||
		lseek(target->fd, (off_t)place->kept, SEEK_SET) < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	return POLY_OK;
}

enum poly_status
target_open_behind(
	struct target *target, const struct out_place *place, struct poly_error *error)
{
	target->own = true;
	do
		target->fd = open(place->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	while (target->fd < 0 && errno == EINTR);
	if (target->fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	return take_over(target, place, error);
}

/* Makes the file what it was before it went on. */
static void
put_back(struct target *target)
{
	if (ftruncate(target->fd, (off_t)target->kept) == 0)
		(void)!pwrite(target->fd, target->tail, target->tail_size, (off_t)target->kept);
}

enum poly_status
target_write(struct target *target, const void *data, size_t n, struct poly_error *error)
{
	const char *p = data;
	while (n) {
		ssize_t done = write(target->fd, p, n);
		if (done < 0 && errno == EAGAIN) {
			/* A descriptor that somebody made non-blocking. */
			struct pollfd wait = {.fd = target->fd, .events = POLLOUT};
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
take_place(const struct target *target)
{
	int fd = open(target->place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EEXIST;
}

/* Moves the complete file to its place; nothing that appeared there meanwhile is lost. */
static enum poly_status
put_in_place(struct target *target, struct poly_error *error)
{
	if (!target->overwrite) {
		if (link(target->path, target->place) == 0) {
			unlink(target->path);
			return POLY_OK;
		}
		/* Else it may be a file system without hard links. */
		if (errno == EEXIST || !take_place(target))
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"it was made by somebody else meanwhile");
	}
	if (rename(target->path, target->place) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be put in its place");
	return POLY_OK;
}

enum poly_status
target_finish(struct target *target, struct poly_error *error)
{
	int fd = target->fd;
	/* What replaces nothing has nothing to fall back to. */
	if (target->goes_on && fsync(fd) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	target->fd = -1;
	if (target->own && close(fd) != 0 && errno != EINTR)
		return err_system(error, POLY_NO_OFFSET, "cannot be written");
	if (!target->path)
		return POLY_OK;
	enum poly_status status = put_in_place(target, error);
	if (status == POLY_OK) {
		mem_free(target->path);
		target->path = NULL;
	}
	return status;
}

void
target_close(struct target *target)
{
	if (target->own && target->fd >= 0) {
		if (target->goes_on)
			put_back(target);
		close(target->fd);
	}
	if (target->path)
		unlink(target->path);
	mem_free(target->path);
	mem_free(target->place);
}
