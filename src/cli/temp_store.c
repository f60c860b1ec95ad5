/* SPDX-License-Identifier: MIT */
/* Temporary files without names. */
#include "cli/temp_store.h"

#include "cli/diagnostics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct temp_store {
	int file;
};

static void *
temp_store_open(void *user)
{
	const char *folder = getenv("TMPDIR");
	char name[1000];
	(void)user;
	if (!folder || !*folder)
		folder = "/tmp";
	if (snprintf(name, sizeof name, "%s/polytrace-XXXXXX", folder) >= (int)sizeof name) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	struct temp_store *spare = malloc(sizeof *spare);
	if (!spare)
		return NULL;
	spare->file = mkstemp(name);
	if (spare->file < 0) {
		free(spare);
		return NULL;
	}
	/* The system gives it back when it is closed, however that comes about. */
	unlink(name);
	return spare;
}

static bool
temp_store_write(void *store, uint64_t at, const void *data, size_t size)
{
	const struct temp_store *spare = store;
	const char *from = data;
	while (size) {
		const ssize_t done = pwrite(spare->file, from, size, (off_t)at);
		if (done < 0 && errno != EINTR)
			return false;
		if (done < 0)
			continue;
		from += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

static bool
temp_store_read(void *store, uint64_t at, void *data, size_t size)
{
	const struct temp_store *spare = store;
	char *to = data;
	while (size) {
		const ssize_t done = pread(spare->file, to, size, (off_t)at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = EIO;
		if (done <= 0)
			return false;
		to += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

static void
temp_store_close(void *store)
{
	struct temp_store *spare = store;
	close(spare->file);
	free(spare);
}

const struct poly_stats_stores temp_stores = {
	.open = temp_store_open,
	.put = temp_store_write,
	.get = temp_store_read,
	.close = temp_store_close,
};

bool
temp_store_finish_stats(struct poly_stats *stats, const char *name)
{
	struct poly_error error;
	if (poly_stats_finish(stats, &error) == POLY_OK)
		return true;
	diag_error(name, &error);
	return false;
}
