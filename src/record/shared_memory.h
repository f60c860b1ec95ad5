/* SPDX-License-Identifier: MIT */
/* Anonymous memory that processes share by an open file. */
#ifndef RECORD_SHARED_MEMORY_H
#define RECORD_SHARED_MEMORY_H

#include <stddef.h>

/* Creates size bytes of zeroed memory; *file, which is inherited by processes that are
 * started, and the memory belong to the caller. NULL: failed, as errno states. */
void *shared_memory_new(size_t size, int *file);

/* Unmaps the memory and closes its file. Accepts NULL. */
void shared_memory_free(void *memory, size_t size, int file);

#endif
