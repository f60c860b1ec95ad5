/* SPDX-License-Identifier: MIT */
/* A loop over a text trace from a pipe, as a separate program: baseline FORMAT <TRACE */
#include "baseline.h"

#include <inttypes.h>

int
main(int argc, char **argv)
{
	const struct baseline_text *loop = argc == 2 ? baseline_text(argv[1]) : NULL;
	if (!loop) {
		fprintf(stderr, "usage: baseline FORMAT <TRACE\n");
		return 2;
	}
	printf("%" PRIu64 "\n", loop->run(stdin));
	return 0;
}
