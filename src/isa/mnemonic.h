/* SPDX-License-Identifier: MIT */
/* The words of a disassembled instruction. Pure functions; any thread. */
#ifndef ISA_MNEMONIC_H
#define ISA_MNEMONIC_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a mnemonic and a NUL; longer ones are truncated. */
#define MNEMONIC_SIZE 24

/* An instruction in lower case, without the blanks of its operands. */
struct mnemonic {
	char word[MNEMONIC_SIZE]; /* with all suffixes, except ".w" and ".n" */
	char base[MNEMONIC_SIZE]; /* up to the first dot */
	char operands[120];	  /* truncated; without a comment after ";" */
};

/* Reads a text of n bytes. */
void mnemonic_read(struct mnemonic *mnemonic, const char *text, size_t n);

/* Returns whether a word is in a list with blanks around each word; not if it is empty or has
 * MNEMONIC_SIZE bytes or more. */
bool mnemonic_is_among(const char *list, const char *word);

#endif
