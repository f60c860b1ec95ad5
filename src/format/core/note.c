/* SPDX-License-Identifier: MIT */
/* Counts the notes of a writer. */
#include "format/core/note.h"

#include <string.h>

static void
add_note(struct notes *notes, const char *what, uint64_t count)
{
	for (size_t i = 0; i < NOTES_MAX; i++) {
		const char *known = notes->list[i].what;
		if (known && known != what && strcmp(known, what) != 0)
			continue;
		notes->list[i].what = what;
		notes->list[i].count += count;
		return;
	}
}

void
writing_note(struct writing *writing, const char *what)
{
	if (writing->cache)
		writing_no_cache(writing);
	else
		add_note(writing->notes, what, 1);
}

void
notes_move(struct notes *notes, struct notes *later)
{
	for (size_t i = 0; i < NOTES_MAX && later->list[i].what; i++)
		add_note(notes, later->list[i].what, later->list[i].count);
	*later = (struct notes){{{NULL, 0}}};
}
