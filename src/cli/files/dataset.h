/* SPDX-License-Identifier: MIT */
/*
 * A folder of files that are one table, divided by the values of a column:
 * OUT/thread=3/part-0.parquet, as Hive, Spark, ClickHouse and DuckDB name them.
 */
#ifndef CLI_DATASET_H
#define CLI_DATASET_H

#include "cli/files/command_input.h"

struct dataset;

/* What is written, and where. Valid until the dataset is freed. */
struct dataset_options {
	const char *folder; /* which does not exist, or is empty */
	const char *ending; /* of the files, without a dot */
	enum poly_column
		column; /* whose values are in the names of folders, not in the files */
	const struct poly_write_options *writing;
};

/* Checks the column and creates the folder; NULL: a message was printed. */
struct dataset *dataset_new(
	const struct dataset_options *options, const struct poly_trace_info *info);

/* Writes the rows of a batch; false: a message was printed. */
bool dataset_write(struct dataset *dataset, const struct poly_batch *batch);

/* Finishes all files; false: a message was printed. */
bool dataset_finish(struct dataset *dataset);

/* Frees the dataset, whose files are removed unless it was finished. Accepts NULL. */
void dataset_free(struct dataset *dataset);

#endif
