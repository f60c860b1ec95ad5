/* SPDX-License-Identifier: MIT */
/*
 * Loads the column address of a packed trace once per line of standard input, as bench_pack
 * does, and prints the process CPU seconds of each run: for comparisons with other processes,
 * interleaved.
 *
 * usage: column PACKED-FILE
 */
#include "measure.h"
#include "polytrace/polytrace.h"

#include <stdio.h>
#include <stdlib.h>

static void
load(const char *path)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	options.columns = POLY_COLUMNS(address);
	options.one_thread = true;
	enum poly_status status = poly_reader_open(path, &options, &reader, &error);
	while (status == POLY_OK)
		status = poly_reader_next(reader, &batch, &error);
	if (status < 0) {
		fprintf(stderr, "column: %s: %s\n", path, error.message);
		exit(2);
	}
	poly_reader_close(reader);
}

int
main(int argc, char **argv)
{
	char line[8];
	if (argc != 2) {
		fprintf(stderr, "usage: column PACKED-FILE\n");
		return 2;
	}
	while (fgets(line, sizeof line, stdin)) {
		const double start = cpu_seconds();
		load(argv[1]);
		printf("%.6f\n", cpu_seconds() - start);
		fflush(stdout);
	}
	return 0;
}
