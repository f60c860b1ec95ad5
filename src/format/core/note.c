/* SPDX-License-Identifier: MIT */
/* Counts the notes of a writer. */
#include "format/core/note.h"

#include <string.h>

void
writing_note(struct writing *writing, const char *what)
{
	if (writing->cache) {
		writing_no_cache(writing);
		return;
	}
	for (size_t i = 0; i < NOTES_MAX; i++) {
		const char *known = writing->notes->list[i].what;
		if (known && known != what && strcmp(known, what) != 0)
			continue;
		writing->notes->list[i].what = what;
		writing->notes->list[i].count++;
		return;
	}
}
