/* SPDX-License-Identifier: MIT */
/* Each rank sends what it sees to rank 0, which compares it with what it sees itself. */
#include "cli/programs/agreement.h"

#include "cli/print/diagnostics.h"
#include "cli/programs/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)64 << 10) /* bytes that are read at once */
#define BLOCKS_MAX 1024		 /* of a file */

/* A file as a rank sees it. */
struct file_view {
	uint64_t size, digest; /* of a regular file */
	int64_t error;	       /* errno; 0: it can be read */
};

/* A rank, and what it sees. */
struct rank_view {
	char host[256];
	uint64_t arguments_digest;
	struct file_view files[];
};

/* Adds bytes and their number to a digest, as FNV-1a does. */
static uint64_t
add_bytes(uint64_t digest, const void *bytes, size_t n)
{
	const uint8_t *next = bytes;
	digest ^= n;
	for (size_t i = 0; i < n; i++)
		digest = (digest ^ next[i]) * 0x100000001b3;
	return digest;
}

/* Adds blocks of a file to its digest, up to all; returns errno. */
static int
digest_file(int file, struct file_view *view)
{
	const uint64_t blocks = view->size / BLOCK + 1,
		       selected = blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
	uint8_t *block = diag_allocate(BLOCK, 1);
	int error = 0;
	for (uint64_t i = 0; i < selected && !error; i++) {
		/* The last block ends where the file does. */
		const uint64_t at = selected < blocks && i + 1 == selected
					    ? view->size - BLOCK
					    : blocks / selected * i * BLOCK;
		const ssize_t n = pread(file, block, BLOCK, (off_t)at);
		error = n < 0 ? errno : 0;
		view->digest = add_bytes(view->digest, block, n < 0 ? 0 : (size_t)n);
	}
	free(block);
	return error;
}

/* Reads what is compared of an operand. */
static struct file_view
view_file(const char *path)
{
	struct file_view view = {.error = 0};
	struct stat status;
	if (strcmp(path, "-") == 0)
		return view;
	if (stat(path, &status) != 0) {
		view.error = errno;
		return view;
	}
	if (!S_ISREG(status.st_mode))
		return view;
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	view.size = (uint64_t)status.st_size;
	view.error = file < 0 ? errno : digest_file(file, &view);
	if (file >= 0)
		close(file);
	return view;
}

/* Names a rank in the messages that follow. */
static void
set_origin(unsigned rank, const char *host)
{
	char origin[320];
	snprintf(origin, sizeof origin, "rank %u of %u on %s: ", rank, ranks_count(), host);
	diag_set_origin(origin);
}

uint64_t
agreement_begin(char **arguments)
{
	char host[256] = "";
	uint64_t digest = 0;
	gethostname(host, sizeof host - 1);
	if (ranks_count() > 1)
		set_origin(ranks_number(), host);
	for (; *arguments; arguments++)
		digest = add_bytes(digest, *arguments, strlen(*arguments));
	return digest;
}

/* Prints how the views of a file differ; false: they do not. */
static bool
print_difference(const char *path, unsigned rank, const struct rank_view *views[2],
	const struct file_view *first, const struct file_view *second)
{
	if (first->error == second->error && first->size == second->size &&
		first->digest == second->digest)
		return false;
	const bool fails = second->error || !first->error;
	set_origin(fails ? rank : 0, views[fails]->host);
	if (first->error != second->error)
		diag_print(path, "cannot open file: %s",
			strerror((int)(fails ? second->error : first->error)));
	else
		diag_print(path,
			"not the file of rank 0 on %s (found %" PRIu64
			" bytes, digest %016" PRIx64 ", expected %" PRIu64
			" bytes, digest %016" PRIx64
			"); all ranks need the same files under the same names",
			views[0]->host, second->size, second->digest, first->size,
			first->digest);
	return true;
}

/* Compares the view of a rank with that of rank 0; false: they differ, which was printed. */
static bool
compare_views(const struct rank_view *own, const struct rank_view *view, unsigned rank,
	char **operands)
{
	const struct rank_view *views[] = {own, view};
	bool differs = view->arguments_digest != own->arguments_digest;
	if (differs) {
		set_origin(rank, view->host);
		diag_print(NULL,
			"not the arguments, or not the program, of rank 0 on %s; all ranks "
			"need the same",
			own->host);
	}
	for (size_t i = 0; operands[i] && !differs; i++)
		differs = print_difference(
			operands[i], rank, views, &own->files[i], &view->files[i]);
	set_origin(0, own->host);
	return !differs;
}

/* Receives the views of all ranks in rank 0; returns whether they are equal. */
static bool
compare_ranks(const struct rank_view *own, size_t own_size, char **operands)
{
	struct rank_view *view = diag_allocate(1, own_size);
	bool agrees = true;
	for (unsigned rank = 1; rank < ranks_count() && agrees; rank++) {
		size_t size;
		unsigned char *bytes = ranks_receive(rank, &size);
		/* Views of other sizes are those of other arguments. */
		if (bytes)
			memcpy(view, bytes, size < own_size ? size : own_size);
		agrees = bytes && compare_views(own, view, rank, operands);
		free(bytes);
	}
	free(view);
	return agrees;
}

bool
agreement_check(uint64_t arguments_digest, char **operands)
{
	size_t files = 0;
	bool agrees = true;
	if (ranks_count() == 1)
		return true;
	while (operands[files])
		files++;
	const size_t size = sizeof(struct rank_view) + files * sizeof(struct file_view);
	struct rank_view *view = diag_allocate(1, size);
	view->arguments_digest = arguments_digest;
	gethostname(view->host, sizeof view->host - 1);
	for (size_t i = 0; i < files; i++)
		view->files[i] = view_file(operands[i]);
	if (ranks_number())
		ranks_send(view, size);
	else
		agrees = compare_ranks(view, size, operands);
	free(view);
	return agrees;
}
