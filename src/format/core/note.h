/* SPDX-License-Identifier: MIT */
/* Notes of a writer about information that is not written unchanged, with their numbers. */
#ifndef FORMAT_NOTE_H
#define FORMAT_NOTE_H

#include "format/core/format.h"

/* Maximum number of different notes of a writer; each format has fewer. */
#define NOTES_MAX 16

struct notes {
	struct {
		const char *what; /* static */
		uint64_t count;
	} list[NOTES_MAX];
};

/* Adds the notes of later rows, and clears them. */
void notes_move(struct notes *notes, struct notes *later);

#endif
