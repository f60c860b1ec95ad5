/* SPDX-License-Identifier: MIT */
/* Byte outputs: files that appear when they are complete. */
#include "polytrace/byte_output.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/atomic_file.h"
#include "io/out.h"

#include <errno.h>

struct poly_byte_output {
	struct out *out;
};

enum poly_status
poly_byte_output_open(const char *path, bool overwrite, struct poly_byte_output **output,
	struct poly_error *error)
{
	*output = NULL;
	struct poly_byte_output *opened = mem_new(1, sizeof *opened);
	if (!opened)
		return err_memory(error);
	const enum poly_status status =
		out_open(path, overwrite ? OUT_OVERWRITES : 0, &opened->out, error);
	if (status == POLY_OK)
		*output = opened;
	else
		mem_free(opened);
	return status;
}

int
poly_byte_output_write(void *output, const void *data, size_t size)
{
	const struct poly_byte_output *written = output;
	struct poly_error error;
	out_write(written->out, data, size);
	if (out_status(written->out, &error) == POLY_OK)
		return 0;
	return error.sys_errno ? error.sys_errno : EIO;
}

enum poly_status
poly_byte_output_finish(struct poly_byte_output *output, struct poly_error *error)
{
	return out_finish(output->out, error);
}

void
poly_byte_output_close(struct poly_byte_output *output)
{
	if (output)
		out_close(output->out);
	mem_free(output);
}

void
poly_outputs_discard(void)
{
	atomic_file_discard_all();
}
