/* SPDX-License-Identifier: MIT */
/*
 * Counts the loads and stores of a trace of any format, and the bytes they move.
 *
 * usage: count_loads TRACE
 */
#include <polytrace/polytrace.h>

#include <stdio.h>

int
main(int argc, char **argv)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	unsigned long long count[2] = {0}, bytes[2] = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: count_loads TRACE\n");
		return 2;
	}
	options.columns = POLY_COLUMNS(access, size);
	if (poly_reader_open(argv[1], &options, &reader, &error) != POLY_OK) {
		fprintf(stderr, "count_loads: %s: %s\n", argv[1], error.message);
		return 2;
	}
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			if (!poly_present(batch, POLY_COLUMN_access, row) ||
				batch->access[row] > POLY_ACCESS_WRITE)
				continue;
			int kind = batch->access[row] == POLY_ACCESS_WRITE;
			count[kind]++;
			if (poly_present(batch, POLY_COLUMN_size, row))
				bytes[kind] += batch->size[row];
		}
	}
	printf("%llu loads of %llu bytes, %llu stores of %llu bytes\n", count[0], bytes[0],
		count[1], bytes[1]);
	if (status != POLY_END)
		fprintf(stderr, "count_loads: %s: %s\n", argv[1], error.message);
	poly_reader_close(reader);
	return status == POLY_END ? 0 : 2;
}
