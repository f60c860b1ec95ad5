/* SPDX-License-Identifier: MIT */
/*
 * Files that get their name when complete, and descriptors that are written directly.
 *
 * Where the system can, a file has no name until then: a killed process leaves nothing. Only
 * one that replaces another has a temporary name between two system calls, because linkat(2)
 * replaces nothing and rename(2) needs a name.
 */
#ifdef __linux__
/* For O_TMPFILE; the functions used are those of POSIX. */
#define _GNU_SOURCE
#endif
#include "io/atomic_file.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, NAMES_MAX = 1000, LINK_SIZE = 4000, FILES_MAX = 1024 };

/* Bytes of the destination's name that the temporary file's has, too. */
#define NAME_SHOWN 200

/* Unfinished files, for atomic_file_discard_all; further ones are not discarded. */
static _Atomic(struct atomic_file *) unfinished[FILES_MAX];

/* Calls of atomic_file_discard_all that have not returned. */
static atomic_int discarding;

static bool
starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns whether path names an open descriptor: a file cannot be renamed to it. */
static bool
is_descriptor(const char *path)
{
	return starts_with(path, "/dev/fd/") || starts_with(path, "/dev/std") ||
	       starts_with(path, "/proc/");
}

/* Joins the directory of path and a name; NULL: out of memory. */
static char *
join_path(const char *path, const char *name)
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

/* Follows the links at the end of *path, possibly to a file that does not exist yet. */
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
		char *next = *to == '/' ? mem_string(to) : join_path(*path, to);
		if (!next)
			return err_memory(error);
		mem_free(*path);
		*path = next;
	}
	errno = ELOOP;
	return err_system(error, POLY_NO_OFFSET, "cannot open file");
}

/* Adds a file to those to discard. */
static void
note_unfinished(struct atomic_file *file)
{
	for (int i = 0; i < FILES_MAX && !file->slot; i++) {
		struct atomic_file *none = NULL;
		if (atomic_compare_exchange_strong(&unfinished[i], &none, file))
			file->slot = i + 1;
	}
}

/* Removes a file from those to discard, unless it is being discarded: waits for that. */
static void
note_finished(struct atomic_file *file)
{
	struct atomic_file *self = file;
	if (file->slot &&
		!atomic_compare_exchange_strong(&unfinished[file->slot - 1], &self, NULL))
		while (atomic_load(&discarding))
			sched_yield();
	file->slot = 0;
}

/* Returns the i-th name beside the destination, which contains the destination's; NULL: out of
 * memory. */
static char *
temporary_path(const struct atomic_file *file, int i)
{
	const char *slash = strrchr(file->destination, '/');
	char name[NAME_SHOWN + 50];
	snprintf(name, sizeof name, ".%.*s.polytrace-%ld-%d", NAME_SHOWN,
		slash ? slash + 1 : file->destination, (long)getpid(), i);
	return join_path(file->destination, name);
}

/* Gives a file without a name one; false with errno set. */
static bool
link_to(const char *unnamed, const char *path)
{
	return linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/*
 * Gives the file a unique temporary name: that of a new file with this mode less the umask, or
 * that of the file without a name whose path this is (NULL: none).
 */
static enum poly_status
name_temporarily(
	struct atomic_file *file, const char *unnamed, mode_t mode, struct poly_error *error)
{
	for (int i = 0; i < NAMES_MAX; i++) {
		file->path = temporary_path(file, i);
		if (!file->path)
			return err_memory(error);
		/* Earlier than the name, so that no signal comes between. */
		file->is_named = true;
		note_unfinished(file);
		if (!unnamed)
			file->fd =
				open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (unnamed ? link_to(unnamed, file->path) : file->fd >= 0)
			return POLY_OK;
		note_finished(file);
		mem_free(file->path);
		file->path = NULL;
		file->is_named = false;
		if (errno != EEXIST)
			break;
	}
	return err_system(error, POLY_NO_OFFSET, "cannot create output file");
}

/* Opens a file without a name in the folder of the destination; false: the system cannot. */
static bool
open_unnamed(struct atomic_file *file, mode_t mode)
{
#ifdef O_TMPFILE
	char path[40];
	char *folder = join_path(file->destination, ".");
	file->fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
	mem_free(folder);
	if (file->fd < 0)
		return false;
	/* It is named by this path, which needs /proc. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
	file->path = access(path, F_OK) == 0 ? mem_string(path) : NULL;
	if (file->path) {
		note_unfinished(file);
		return true;
	}
	close(file->fd);
	file->fd = -1;
#else
	(void)file;
	(void)mode;
#endif
	return false;
}

/* Opens the unfinished file; mode less the umask. */
static enum poly_status
open_temporary(struct atomic_file *file, mode_t mode, struct poly_error *error)
{
	if (!file->keeps_unfinished && open_unnamed(file, mode))
		return POLY_OK;
	return name_temporarily(file, NULL, mode, error);
}

/*
 * Opens the unfinished file for an existing regular file: checks overwrite, copies permissions.
 */
static enum poly_status
open_replacement(struct atomic_file *file, const struct stat *old, struct poly_error *error)
{
	if (!file->overwrite)
		return err_usage(error, "file exists; set options.overwrite");
	if (access(file->destination, W_OK) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot write");
	/* Private until it has the old file's permissions. */
	enum poly_status status = open_temporary(file, 0600, error);
	if (status == POLY_OK)
		(void)fchmod(file->fd, old->st_mode & 0777);
	return status;
}

static enum poly_status
open_direct(struct atomic_file *file, struct poly_error *error)
{
	do
		file->fd = open(file->destination, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	while (file->fd < 0 && errno == EINTR);
	if (file->fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot open file");
	mem_free(file->destination);
	file->destination = NULL;
	return POLY_OK;
}

enum poly_status
atomic_file_open(
	struct atomic_file *file, const char *path, unsigned flags, struct poly_error *error)
{
	file->fd = -1;
	file->overwrite = flags & OUT_OVERWRITES;
	file->keeps_unfinished = flags & OUT_KEEPS_UNFINISHED;
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		file->fd = STDOUT_FILENO;
		return POLY_OK;
	}
	file->own = true;
	file->destination = mem_string(path);
	if (!file->destination)
		return err_memory(error);
	enum poly_status status = follow_links(&file->destination, error);
	if (status != POLY_OK)
		return status;
	struct stat old;
	bool exists = stat(file->destination, &old) == 0;
	if (is_descriptor(file->destination) || (exists && !S_ISREG(old.st_mode)))
		return open_direct(file, error);
	return exists ? open_replacement(file, &old, error) : open_temporary(file, 0666, error);
}

/* Locks the file, saves the bytes after the append position, and truncates it there. */
static enum poly_status
lock_for_append(struct atomic_file *file, const struct out_append_point *point,
	struct poly_error *error)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat there;
	const uint64_t tail = point->size - point->kept;
	if (fcntl(file->fd, F_SETLK, &lock) != 0)
		return err_system(error, POLY_NO_OFFSET,
			"cannot lock file: another process writes to it");
	if (fstat(file->fd, &there) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot get file status");
	if (!S_ISREG(there.st_mode) || (uint64_t)there.st_size != point->size)
		return err_set(error, POLY_ERR_IO, POLY_NO_OFFSET,
			"another process writes to the file (found %lld bytes, expected "
			"%llu)",
			(long long)there.st_size, (unsigned long long)point->size);
	if (tail <= ATOMIC_FILE_TAIL) {
		if (pread(file->fd, file->tail, (size_t)tail, (off_t)point->kept) !=
			(ssize_t)tail)
			return err_system(error, POLY_NO_OFFSET, "cannot read");
		file->tail_size = (size_t)tail;
	}
	file->kept = point->kept;
	file->appends = true;
	note_unfinished(file);
	if (ftruncate(file->fd, (off_t)point->kept) != 0 ||
		lseek(file->fd, (off_t)point->kept, SEEK_SET) < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot write");
	return POLY_OK;
}

enum poly_status
atomic_file_open_append(struct atomic_file *file, const struct out_append_point *point,
	struct poly_error *error)
{
	file->own = true;
	do
		file->fd = open(point->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	while (file->fd < 0 && errno == EINTR);
	if (file->fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot write");
	return lock_for_append(file, point, error);
}

/* Restores the file to its state before the append, unless another process appended more. */
static void
restore_tail(struct atomic_file *file)
{
	struct stat there;
	if (fstat(file->fd, &there) != 0 || there.st_size > lseek(file->fd, 0, SEEK_CUR))
		return;
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
			/* The descriptor is non-blocking. */
			struct pollfd wait = {.fd = file->fd, .events = POLLOUT};
			(void)poll(&wait, 1, -1);
		} else if (done < 0 && errno != EINTR) {
			return err_system(error, POLY_NO_OFFSET, "cannot write");
		} else if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return POLY_OK;
}

/* Creates the destination if it does not exist; false: another process created it. */
static bool
claim_destination(const struct atomic_file *file)
{
	int fd = open(file->destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EEXIST;
}

/* Returns whether atomic_file_discard_all has discarded the file. */
static bool
is_discarded(const struct atomic_file *file)
{
	return file->slot && atomic_load(&unfinished[file->slot - 1]) != file;
}

/*
 * Gives a complete file without a name that of the destination, or, if it replaces another one,
 * a temporary name.
 */
static enum poly_status
name_complete(struct atomic_file *file, struct poly_error *error)
{
	char *unnamed = file->path;
	enum poly_status status = POLY_OK;
	note_finished(file);
	file->path = NULL;
	if (!link_to(unnamed, file->destination)) {
		if (errno != EEXIST)
			status = err_system(
				error, POLY_NO_OFFSET, "cannot name the output file");
		else if (!file->overwrite)
			status = err_usage(error, "file exists: another process created it");
		else
			status = name_temporarily(file, unnamed, 0, error);
	}
	mem_free(unnamed);
	return status;
}

/* Renames the complete file; without overwrite never replaces a file created meanwhile. */
static enum poly_status
rename_into_place(struct atomic_file *file, struct poly_error *error)
{
	bool claimed = false;
	if (!file->overwrite) {
		if (link(file->path, file->destination) == 0)
			return unlink(file->path) == 0
				       ? POLY_OK
				       : err_system(error, POLY_NO_OFFSET,
						 "cannot remove the temporary file");
		/* Else it may be a file system without hard links. */
		if (errno == EEXIST || !claim_destination(file))
			return err_usage(error, "file exists: another process created it");
		claimed = true;
	}
	if (rename(file->path, file->destination) == 0)
		return POLY_OK;
	const enum poly_status status =
		err_system(error, POLY_NO_OFFSET, "cannot rename the output file");
	if (claimed)
		unlink(file->destination);
	return status;
}

/* Waits until the bytes are on the device; file systems without one do not support it. */
static bool
store_durably(int fd)
{
	int result;
	do
		result = fsync(fd);
	while (result != 0 && errno == EINTR);
	return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

/* Stores the name of the file on the device, as far as the folder can be opened. */
static bool
store_name(const struct atomic_file *file)
{
	char *folder = join_path(file->destination, ".");
	if (!folder)
		return false;
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool stored = fd < 0 || store_durably(fd);
	if (fd >= 0)
		close(fd);
	mem_free(folder);
	return stored;
}

enum poly_status
atomic_file_finish(struct atomic_file *file, struct poly_error *error)
{
	int fd = file->fd;
	/* An append has no old file to fall back to. */
	if (file->appends)
		note_finished(file);
	if (file->path && is_discarded(file))
		return err_set(error, POLY_ERR_IO, POLY_NO_OFFSET, "the output was discarded");
	/* After a crash of the system the name is that of the old file or of the new one, not
	 * of an empty one. */
	if ((file->appends || file->path) && !store_durably(fd))
		return err_system(error, POLY_NO_OFFSET, "cannot write");
	enum poly_status status = POLY_OK;
	if (file->path && !file->is_named)
		status = name_complete(file, error);
	file->fd = -1;
	if (file->own && close(fd) != 0 && errno != EINTR && status == POLY_OK)
		status = err_system(error, POLY_NO_OFFSET, "cannot write");
	if (status == POLY_OK && file->path)
		status = rename_into_place(file, error);
	if (status == POLY_OK && file->path) {
		note_finished(file);
		mem_free(file->path);
		file->path = NULL;
	}
	if (status == POLY_OK && file->destination && !store_name(file))
		status = err_system(error, POLY_NO_OFFSET, "cannot store the name");
	return status;
}

void
atomic_file_discard_all(void)
{
	atomic_fetch_add(&discarding, 1);
	for (int i = 0; i < FILES_MAX; i++) {
		struct atomic_file *file = atomic_exchange(&unfinished[i], NULL);
		if (file && file->appends)
			restore_tail(file);
		else if (file && file->is_named)
			unlink(file->path);
	}
	atomic_fetch_sub(&discarding, 1);
}

void
atomic_file_close(struct atomic_file *file)
{
	note_finished(file);
	if (file->own && file->fd >= 0) {
		if (file->appends)
			restore_tail(file);
		close(file->fd);
	}
	if (file->path && file->is_named)
		unlink(file->path);
	mem_free(file->path);
	mem_free(file->destination);
}
