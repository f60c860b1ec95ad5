/* SPDX-License-Identifier: MIT */
/* Readers as sources of batches. */
#include "polytrace/reader.h"

static enum poly_status
next_batch(void *reader, const struct poly_batch **batch, struct poly_error *error)
{
	return poly_reader_next(reader, batch, error);
}

struct poly_source
poly_reader_source(struct poly_reader *reader)
{
	return (struct poly_source){poly_reader_info(reader), next_batch, reader};
}
