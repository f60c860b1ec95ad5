/* SPDX-License-Identifier: MIT */
/* Temporary files without names. */
#ifdef __linux__
/* For O_TMPFILE. */
#define _GNU_SOURCE
#endif
#include "cli/files/temp_store.h"

#include "cli/print/diagnostics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct temp_store {
	int descriptor;
};

/* Opens a file without a name in a folder; -1 with errno set. */
static int
open_unnamed(const char *folder)
{
	char name[1000];
#ifdef O_TMPFILE
	const int unnamed = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (unnamed >= 0)
		return unnamed;
#endif
	if (snprintf(name, sizeof name, "%s/polytrace-XXXXXX", folder) >= (int)sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	const int named = mkstemp(name);
	/* The system frees the file when it is closed, even if the command is killed. */
	if (named >= 0)
		unlink(name);
	return named;
}

static void *
temp_store_open(void *user)
{
	const char *folder = getenv("TMPDIR");
	(void)user;
	struct temp_store *file = malloc(sizeof *file);
	if (!file)
		return NULL;
	file->descriptor = open_unnamed(folder && *folder ? folder : "/tmp");
	if (file->descriptor >= 0)
		return file;
	free(file);
	return NULL;
}

static bool
temp_store_write(void *store, uint64_t at, const void *data, size_t size)
{
	const struct temp_store *file = store;
	const char *bytes = data;
	while (size) {
		const ssize_t done = pwrite(file->descriptor, bytes, size, (off_t)at);
		if (done < 0 && errno != EINTR)
			return false;
		if (done < 0)
			continue;
		bytes += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

static bool
temp_store_read(void *store, uint64_t at, void *data, size_t size)
{
	const struct temp_store *file = store;
	char *bytes = data;
	while (size) {
		const ssize_t done = pread(file->descriptor, bytes, size, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = EIO;
		if (done <= 0)
			return false;
		bytes += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

static void
temp_store_close(void *store)
{
	struct temp_store *file = store;
	close(file->descriptor);
	free(file);
}

const struct poly_stats_stores temp_stores = {
	.open = temp_store_open,
	.put = temp_store_write,
	.get = temp_store_read,
	.close = temp_store_close,
};

bool
temp_store_read_again(struct poly_stats *stats, const char *name)
{
	struct poly_error error;
	if (poly_stats_finish(stats, &error) >= 0)
		return true;
	diag_error(name, &error);
	return false;
}

void
temp_store_print_limits(const struct poly_stats *stats, const char *name)
{
	const char *limit, *analysis;
	for (size_t i = 0; (limit = poly_stats_limit_at(stats, i, &analysis)); i++)
		diag_print(name, "%s: %s", analysis, limit);
}

bool
temp_store_finish_stats(struct poly_stats *stats, const char *name)
{
	const bool ok = temp_store_read_again(stats, name);
	if (ok)
		temp_store_print_limits(stats, name);
	return ok;
}
