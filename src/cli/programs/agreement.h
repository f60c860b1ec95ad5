/* SPDX-License-Identifier: MIT */
/* What the ranks of a run (cli/programs/ranks.h) must have in common. */
#ifndef CLI_AGREEMENT_H
#define CLI_AGREEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Names this rank and its host in all messages, if there are several; returns a digest of the
 * arguments (NULL at the end). */
uint64_t agreement_begin(char **arguments);

/*
 * Returns in rank 0 whether all ranks have the same arguments, and the same files under the
 * names of their operands (NULL at the end); else it printed a message about the first that
 * differs. The others return true at once, and are stopped if rank 0 ends. A file has the same
 * size and a digest of its bytes; above 64 MiB, of blocks at equal distances, the first and the
 * last among them. Names that no rank has, directories and pipes agree.
 */
bool agreement_check(uint64_t arguments_digest, char **operands);

#endif
