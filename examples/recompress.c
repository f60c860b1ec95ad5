/* SPDX-License-Identifier: MIT */
/*
 * Copies a trace into another file, whose suffix selects format (.tt6, .full, .bach, .jsonl …) and
 * compression (.gz, .zst …).
 *
 * usage: recompress FROM TO
 */
#include <polytrace/polytrace.h>

#include <stdio.h>

static enum poly_status
copy(struct poly_reader *reader, struct poly_writer *writer, struct poly_error *error)
{
	const struct poly_batch *batch;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, error)) == POLY_OK) {
		status = poly_writer_write(writer, batch, error);
		if (status != POLY_OK)
			return status;
	}
	return status == POLY_END ? poly_writer_finish(writer, error) : status;
}

int
main(int argc, char **argv)
{
	struct poly_reader *reader = NULL;
	struct poly_writer *writer = NULL;
	struct poly_error error;
	enum poly_status status = POLY_ERR_USAGE;

	if (argc != 3) {
		fprintf(stderr, "usage: recompress FROM TO\n");
		return 2;
	}
	status = poly_reader_open(argv[1], NULL, &reader, &error);
	if (status == POLY_OK)
		status = poly_writer_open(
			argv[2], poly_reader_info(reader), NULL, &writer, &error);
	if (status == POLY_OK)
		status = copy(reader, writer, &error);
	if (status != POLY_OK)
		fprintf(stderr, "recompress: %s\n", error.message);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status == POLY_OK ? 0 : 2;
}
