/* SPDX-License-Identifier: MIT */
/* Options of the library by the switches of the command that set them. */
#include "cli/switches.h"

#include <string.h>

/* A phrase of the library's messages, and its replacement in messages about reading and about
 * writing. The first phrase that fits is replaced. */
static const struct {
	const char *phrase, *reading, *writing;
} phrases[] = {
	{"set options.format", "use --from FORMAT", "use --to FORMAT"},
	{"options.format", "--from", "--to"},
	{"set options.isa", "use --isa NAME", "use --isa NAME"},
	{"options.isa", "--isa", "--isa"},
	{"set it in the options of a writer", "use --to-option", "use --to-option"},
	{"set it in the options of a reader", "use --option", "use --option"},
	{"options.options", "--option", "--to-option"},
	{"options.columns", "--columns", "--columns"},
	{"options.labels", "--label", "--label"},
	{"options.threads", "--threads", "--threads"},
	{"options.max_line", "--max-line", "--max-line"},
	{"options.analyses", "--analyses", "--analyses"},
	{"options.warmup", "--warmup", "--warmup"},
	{"set options.date", "use --date DATE", "use --date DATE"},
	{"options.date", "--date", "--date"},
	{"options.groups", "--groups", "--groups"},
	{"see options.settings", "see polytrace-trcrpt(1)", "see polytrace-trcrpt(1)"},
};

/* Returns the index of the phrase at the front of a message, or -1. */
static int
find_phrase(const char *message, size_t n)
{
	for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
		const size_t length = strlen(phrases[i].phrase);
		if (length <= n && memcmp(message, phrases[i].phrase, length) == 0)
			return (int)i;
	}
	return -1;
}

void
switches_name(const char *message, size_t n, bool writes, char *text, size_t size)
{
	size_t used = 0;
	while (n && used + 1 < size) {
		const int found = find_phrase(message, n);
		const char *copied = message;
		size_t skipped = 1, length = 1;
		if (found >= 0) {
			copied = writes ? phrases[found].writing : phrases[found].reading;
			skipped = strlen(phrases[found].phrase);
			length = strlen(copied);
		}
		if (length > size - 1 - used)
			length = size - 1 - used;
		memcpy(text + used, copied, length);
		used += length;
		message += skipped;
		n -= skipped;
	}
	text[used] = 0;
}
