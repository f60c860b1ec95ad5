/* SPDX-License-Identifier: MIT */
/* The processes of a run by mpirun: ranks, of which rank 0 prints. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of ranks; 1: not run by mpirun, or the build lacks MPI. Joins the others
 * at the first call. */
unsigned ranks_count(void);

/* Returns the number of this rank, from 0. */
unsigned ranks_number(void);

/* Sends bytes to rank 0; receives the next ones of a rank, which the caller frees. A failure
 * ends all ranks. */
void ranks_send(const void *bytes, size_t size);
unsigned char *ranks_receive(unsigned rank, size_t *size);

/* Leaves the other ranks, if they were joined; before the process ends. */
void ranks_leave(void);

#endif
