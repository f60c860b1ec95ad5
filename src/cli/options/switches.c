/* SPDX-License-Identifier: MIT */
/* Options of the library by the switches of the command that set them. */
#include "cli/options/switches.h"

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
	{"set options.overwrite", "use --force to replace it", "use --force to replace it"},
	{"options.columns", "--columns", "--columns"},
	{"options.labels", "--label", "--label"},
	{"options.symbols", "--symbols", "--symbols"},
	{"options.by_thread", "--by-thread", "--by-thread"},
	{"options.threads", "--threads", "--threads"},
	{"options.max_line", "--max-line", "--max-line"},
	{"options.analyses", "--analyses", "--analyses"},
	{"options.warmup", "--warmup", "--warmup"},
	{"options.real_addresses", "--address=real", "--address=real"},
	{"set options.date", "use --date DATE", "use --date DATE"},
	{"options.date", "--date", "--date"},
	{"options.groups", "--groups", "--groups"},
	{"see options.settings", "see polytrace-trcrpt(1)", "see polytrace-trcrpt(1)"},
};

/* Messages without a remedy, by their first words, and the remedy. */
static const char *const remedies[][2] = {
	{"options.format: no such format", "; 'polytrace formats' lists the formats"},
	{"no such analysis", "; 'polytrace help analyses' lists the analyses"},
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

/* Appends n bytes to a text, as far as there is room, which it keeps for the final NUL. */
static void
append(char *text, size_t size, size_t *used, const char *bytes, size_t n)
{
	if (n > size - 1 - *used)
		n = size - 1 - *used;
	memcpy(text + *used, bytes, n);
	*used += n;
	text[*used] = 0;
}

void
switches_name(const char *message, size_t n, bool writes, char *text, size_t size)
{
	const char *const end = message + n;
	const char *remedy = "";
	size_t used = 0;
	for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++) {
		if (strncmp(message, remedies[i][0], strlen(remedies[i][0])) == 0)
			remedy = remedies[i][1];
	}
	*text = 0;
	while (message < end) {
		const int found = find_phrase(message, (size_t)(end - message));
		if (found < 0) {
			append(text, size, &used, message++, 1);
			continue;
		}
		const char *name = writes ? phrases[found].writing : phrases[found].reading;
		append(text, size, &used, name, strlen(name));
		message += strlen(phrases[found].phrase);
	}
	append(text, size, &used, remedy, strlen(remedy));
}
