// SPDX-License-Identifier: MIT
// The public headers from C++: the options, the columns and their list, and a trace read.
#include <polytrace/polytrace.h>

#include <cstdio>
#include <cstring>

static const char *const names[] = {
#define COLUMN(name, type, form, doc) #name,
#include <polytrace/columns.def>
#undef COLUMN
};

int
main(int argc, char **argv)
{
	poly_read_options options = POLY_READ_OPTIONS_INIT;
	poly_write_options target = POLY_WRITE_OPTIONS_INIT;
	poly_reader *reader = nullptr;
	const poly_batch *batch = nullptr;
	poly_error error = {};
	unsigned long long rows = 0;

	for (int c = 0; c < POLY_COLUMN_COUNT; c++)
		if (std::strcmp(poly_column_name(static_cast<poly_column>(c)), names[c]))
			return 1;
	options.columns = POLY_COLUMNS(pc, opcode);
	if (argc != 2 || target.size != sizeof target ||
		poly_reader_open(argv[1], &options, &reader, &error) != POLY_OK)
		return 2;
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		for (size_t row = 0; row < batch->rows; row++)
			rows += poly_present(batch, POLY_COLUMN_pc, row);
	std::printf("%llu\n", rows);
	poly_reader_close(reader);
	return 0;
}
