/* SPDX-License-Identifier: MIT */
/* Ranks by MPI. spec: MPI: A Message-Passing Interface Standard, 3.1. */
#include "cli/programs/ranks.h"

#ifdef POLY_WITH_MPI
#include "cli/print/diagnostics.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* Maximum number of bytes of a message; MPI counts with an int. */
#define MESSAGE_MAX ((size_t)1 << 30)

/* Joins the ranks, if a launcher started this process. */
static bool
join(void)
{
	int is_joined = 0, level;
	if (MPI_Initialized(&is_joined) == MPI_SUCCESS && is_joined)
		return true;
	if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
		return false;
	/* Errors end all ranks: the default handler is MPI_ERRORS_ARE_FATAL. */
	return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS;
}

unsigned
ranks_count(void)
{
	int count = 1;
	if (join())
		MPI_Comm_size(MPI_COMM_WORLD, &count);
	return (unsigned)count;
}

unsigned
ranks_number(void)
{
	int number = 0;
	if (join())
		MPI_Comm_rank(MPI_COMM_WORLD, &number);
	return (unsigned)number;
}

void
ranks_send(const void *bytes, size_t size)
{
	const unsigned char *next = bytes;
	uint64_t length = size;
	MPI_Send(&length, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
	while (size) {
		const size_t n = size < MESSAGE_MAX ? size : MESSAGE_MAX;
		MPI_Send(next, (int)n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		next += n;
		size -= n;
	}
}

unsigned char *
ranks_receive(unsigned rank, size_t *size)
{
	uint64_t length = 0;
	MPI_Recv(&length, 1, MPI_UINT64_T, (int)rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	unsigned char *bytes = diag_allocate((size_t)length + 1, 1);
	for (size_t at = 0; at < length;) {
		const size_t left = (size_t)length - at,
			     n = left < MESSAGE_MAX ? left : MESSAGE_MAX;
		MPI_Recv(bytes + at, (int)n, MPI_BYTE, (int)rank, 0, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		at += n;
	}
	*size = (size_t)length;
	return bytes;
}

void
ranks_leave(void)
{
	int is_joined = 0;
	if (MPI_Initialized(&is_joined) == MPI_SUCCESS && is_joined)
		MPI_Finalize();
}

#else

unsigned
ranks_count(void)
{
	return 1;
}

unsigned
ranks_number(void)
{
	return 0;
}

void
ranks_send(const void *bytes, size_t size)
{
	(void)bytes, (void)size;
}

unsigned char *
ranks_receive(unsigned rank, size_t *size)
{
	(void)rank;
	*size = 0;
	return NULL;
}

void
ranks_leave(void)
{
}

#endif
