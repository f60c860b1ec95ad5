/* SPDX-License-Identifier: MIT */
/* The processes of a run by mpirun: ranks, of which rank 0 prints. A rank that fails ends all.
 */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Joins the other ranks, if a launcher started this process; once. From here on the messages of
 * ranks other than 0 are held back (cli/print/diagnostics.h). False: there are several ranks,
 * but the build lacks MPI, which rank 0 printed.
 */
bool ranks_join(void);

/* Returns the number of ranks; 1: not run by mpirun. */
unsigned ranks_count(void);

/* Returns the number of this rank, from 0. */
unsigned ranks_number(void);

/* Sends bytes to rank 0. */
void ranks_send(const void *bytes, size_t size);

/* Receives the next bytes of a rank, which the caller frees; NULL, and no bytes: a rank failed.
 */
unsigned char *ranks_receive(unsigned rank, size_t *size);

/* Returns whether another rank failed, so that this one ends, and prints nothing more. Rank 0
 * prints the messages of the rank that failed. */
bool ranks_are_stopped(void);

/* Leaves the other ranks, if they were joined; has this one failed, it ends all of them first.
 * Returns whether it or another failed. */
bool ranks_leave(bool has_failed);

#endif
