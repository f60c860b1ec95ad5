/* SPDX-License-Identifier: MIT */
/* memfd_create is of Linux, as the emulation of programs is. */
#define _GNU_SOURCE
#include "record/shared_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

void *
shared_memory_new(size_t size, int *file)
{
#ifdef MFD_CLOEXEC
	*file = memfd_create("polytrace", 0);
#else
	*file = -1;
	errno = ENOSYS;
#endif
	if (*file < 0)
		return NULL;
	void *memory = MAP_FAILED;
	if (ftruncate(*file, (off_t)size) == 0)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
	if (memory != MAP_FAILED)
		return memory;
	const int why = errno;
	close(*file);
	errno = why;
	return NULL;
}

void
shared_memory_free(void *memory, size_t size, int file)
{
	if (!memory)
		return;
	munmap(memory, size);
	close(file);
}
