/* SPDX-License-Identifier: MIT */
/* Options of the library by the switches of the command that set them. */
#include "cli/options/switches.h"

#include <stdio.h>
#include <string.h>

/* The words of the library that name an option, and those of the command about reading and
 * about writing. */
static const struct {
	const char *words, *reading, *writing;
	const char *remedy; /* appended to a message that begins with the option; or NULL */
} switches[] = {
	{"set options.format", "use --from FORMAT", "use --to FORMAT", NULL},
	{"options.format", "--from", "--to", "; 'polytrace formats' lists the formats"},
	{"set options.isa", "use --isa NAME", "use --isa NAME", NULL},
	{"set write_options.options", "use --to-option", "use --to-option", NULL},
	{"set read_options.options", "use --option", "use --option", NULL},
	{"set options.overwrite", "use --force to replace it", "use --force to replace it",
		NULL},
	{"options.columns", "--columns", "--columns", NULL},
	{"options.labels", "--label", "--label", NULL},
	{"options.symbols", "--symbols", "--symbols", NULL},
	{"options.by_thread", "--by-thread", "--by-thread", NULL},
	{"options.analyses", "--analyses", "--analyses",
		"; 'polytrace help analyses' lists the analyses"},
	{"options.real_addresses", "--address=real", "--address=real", NULL},
	{"set options.date", "use --date DATE", "use --date DATE", NULL},
	{"options.groups", "--groups", "--groups", NULL},
	{"options.settings", "polytrace-trcrpt(1)", "polytrace-trcrpt(1)", NULL},
};

void
switches_name(const struct poly_error *error, size_t n, bool writes, char *text, size_t size)
{
	const char *const words = error->message + error->option_at;
	const size_t length = error->option_size, end = error->option_at + length;
	/* An option of a format or analysis has the same name in the command. */
	const bool is_own = length > strlen(error->option) && end <= n;
	for (size_t i = 0; is_own && i < sizeof switches / sizeof *switches; i++) {
		if (strlen(switches[i].words) != length ||
			memcmp(switches[i].words, words, length) != 0)
			continue;
		const bool begins = error->option_at == 0 && switches[i].remedy;
		snprintf(text, size, "%.*s%s%.*s%s", (int)error->option_at, error->message,
			writes ? switches[i].writing : switches[i].reading, (int)(n - end),
			error->message + end, begins ? switches[i].remedy : "");
		return;
	}
	snprintf(text, size, "%.*s", (int)n, error->message);
}
