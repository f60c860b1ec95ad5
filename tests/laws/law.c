/* SPDX-License-Identifier: MIT */
/* What the programs of laws share. */
#include "law.h"

#include "../sampling.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static unsigned results, failures;
static char why[1000];
static uint64_t state;

bool
fails(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(why, sizeof why, format, list);
	va_end(list);
	return false;
}

bool
fails_also(const char *format, ...)
{
	const size_t used = strlen(why);
	va_list list;
	va_start(list, format);
	vsnprintf(why + used, sizeof why - used, format, list);
	va_end(list);
	return false;
}

void
law_result(bool holds, const char *law, const char *sample)
{
	results++;
	failures += !holds;
	/* A comment of one line. */
	for (char *end; !holds && (end = strchr(why, '\n'));)
		*end = ' ';
	if (!holds)
		printf("# %s\n", why);
	printf("%sok %u - %s: %s\n", holds ? "" : "not ", results, law, sample);
	fflush(stdout);
}

bool
law_lacks_library(void)
{
	const char *lacks = getenv("POLYTRACE_LACKS");
	return lacks && *lacks && strstr(why, "requires a library that this build lacks");
}

void
law_skip(const char *law, const char *sample)
{
	printf("ok %u - %s: %s # SKIP %s\n", ++results, law, sample, why);
}

int
law_end(void)
{
	printf("1..%u\n", results);
	return failures ? 1 : 0;
}

void
seed_random(uint64_t number)
{
	state = number + sample_seed();
}

uint64_t
random_below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n ? (state >> 33) % n : 0;
}

bool
next_sample(FILE *list, struct listed_sample *sample)
{
	char line[400];
	while (fgets(line, sizeof line, list)) {
		*sample = (struct listed_sample){.option = ""};
		if (line[0] != '#' && sscanf(line, "%31s %199s %63s", sample->format,
					      sample->path, sample->option) >= 2)
			return true;
	}
	return false;
}
