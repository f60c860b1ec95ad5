/* SPDX-License-Identifier: MIT */
/* The identity of a file's content. */
#include "polytrace/parts.h"

#include "base/checksum.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes at both ends of a file that identify it. */
#define IDENTITY_BYTES ((size_t)1 << 20)

/* Sets *sum to the checksum of size bytes at an offset; false: failure, with errno set. */
static bool
sum_bytes(int fd, uint8_t *room, size_t size, uint64_t offset, uint64_t *sum)
{
	size_t done = 0;
	while (done < size) {
		const ssize_t n = pread(fd, room + done, size - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	*sum = checksum(room, size);
	return true;
}

/* Reads the identity of an open file. */
static enum poly_status
identify(int fd, struct poly_file_identity *identity, struct poly_error *error)
{
	struct stat stat;
	if (fstat(fd, &stat) != 0)
		return err_system(error, POLY_NO_OFFSET, "cannot read");
	if (!S_ISREG(stat.st_mode))
		return err_usage(error, "not a regular file, which saved results need");
	identity->size = (uint64_t)stat.st_size;
	const size_t size =
		identity->size < IDENTITY_BYTES ? (size_t)identity->size : IDENTITY_BYTES;
	uint8_t *room = mem_new(size + 1, 1);
	if (!room)
		return err_memory(error);
	const bool ok = sum_bytes(fd, room, size, 0, &identity->head) &&
			sum_bytes(fd, room, size, identity->size - size, &identity->tail);
	const enum poly_status status =
		ok ? POLY_OK : err_system(error, POLY_NO_OFFSET, "cannot read");
	mem_free(room);
	return status;
}

enum poly_status
poly_file_identify(
	const char *path, struct poly_file_identity *identity, struct poly_error *error)
{
	if (!checksum_available())
		return err_missing(error, "saving results", "libxxhash-dev");
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_system(error, POLY_NO_OFFSET, "cannot open file");
	const enum poly_status status = identify(fd, identity, error);
	close(fd);
	return status;
}
