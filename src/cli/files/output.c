/* SPDX-License-Identifier: MIT */
/* Standard output. */
#include "cli/files/output.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct output *
output_new(void)
{
	return diag_allocate(1, sizeof(struct output));
}

static void
write_all(struct output *output, const char *data, size_t size)
{
	while (size && !output->failure) {
		ssize_t n = write(STDOUT_FILENO, data, size);
		if (n < 0 && errno != EINTR)
			output->failure = errno;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
}

void
output_flush(struct output *output)
{
	write_all(output, output->data, output->used);
	output->used = 0;
}

char *
output_room(struct output *output)
{
	if (output->used > OUTPUT_ROOM)
		output_flush(output);
	return output->data + output->used;
}

void
output_commit(struct output *output, size_t n)
{
	output->used += n;
}

int
output_write(void *user, const void *data, size_t size)
{
	struct output *output = user;
	if (size > OUTPUT_ROOM) {
		output_flush(output);
		write_all(output, data, size);
	} else if (size) {
		memcpy(output_room(output), data, size);
		output_commit(output, size);
	}
	return output->failure;
}

void
output_text(struct output *output, const char *text)
{
	output_write(output, text, strlen(text));
}

bool
output_failed(const struct output *output)
{
	return output->failure != 0;
}

int
output_finish(struct output *output)
{
	output_flush(output);
	if (!output->failure && close(STDOUT_FILENO) != 0)
		output->failure = errno;
	int failure = output->failure;
	free(output);
	if (!failure || failure == EPIPE)
		return STATUS_DONE;
	diag_print("standard output", "%s", strerror(failure));
	return STATUS_ERROR;
}
