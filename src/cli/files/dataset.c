/* SPDX-License-Identifier: MIT */
/*
 * Folders of files, divided by the values of a column.
 *
 * A file holds the rows that it compresses together in memory. So the files that are open have
 * a maximum number of rows in all; then the largest is finished, and further rows of its value
 * go to a file with the next number.
 */
#include "cli/files/dataset.h"

#include "cli/files/split_output.h"
#include "cli/print/diagnostics.h"
#include "cli/print/progress.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum number of values, whose files may all be open. */
#define PARTS_MAX 256

/* Maximum number of rows in open files. */
#define OPEN_ROWS_MAX ((uint64_t)4 << 20)

/* The value of rows without one, as Hive spells it. */
#define WITHOUT "__HIVE_DEFAULT_PARTITION__"

/* The files of a value. */
struct dataset_part {
	uint64_t number; /* the value */
	bool has_value;
	char value[SPLIT_VALUE_MAX + 1]; /* as text */
	char *folder;
	unsigned files; /* opened so far */
	uint64_t rows;	/* in the open file */
	bool is_open;
	struct split_output file;
	bool is_written; /* by the present batch */
};

/* A file or a folder that is removed, after those that follow it, unless all are complete. */
struct created {
	struct created *before;
	bool is_folder;
	char path[];
};

/* The last one; also read by the handler of signals. */
static struct created *_Atomic last_created;

struct dataset {
	const struct dataset_options *options;
	const struct poly_trace_info *info; /* of the trace */
	struct poly_write_options writing;
	enum poly_column *order; /* of writing */
	struct dataset_part *parts;
	size_t count;
	uint64_t open_rows;
};

/* Removes what was created, the last one first; called by the handler of signals, too. */
static void
remove_created(void)
{
	for (const struct created *one = last_created; one; one = one->before) {
		if (one->is_folder)
			rmdir(one->path);
		else
			unlink(one->path);
	}
}

static void
add_created(const char *path, bool is_folder)
{
	const size_t size = strlen(path) + 1;
	struct created *one = diag_allocate(sizeof *one + size, 1);
	memcpy(one->path, path, size);
	one->is_folder = is_folder;
	one->before = last_created;
	last_created = one;
	progress_set_discard(remove_created);
}

/* Lets what was created stay; frees the list of it. */
static void
forget_created(void)
{
	struct created *one = last_created;
	progress_set_discard(NULL);
	last_created = NULL;
	while (one) {
		struct created *before = one->before;
		free(one);
		one = before;
	}
}

/* Creates a folder; false with errno set: it is not created. */
static bool
make_folder(const char *path)
{
	if (mkdir(path, 0777) != 0)
		return false;
	add_created(path, true);
	return true;
}

/* Returns whether the folder is empty after it was created, if it did not exist. */
static bool
create_folder(const char *path)
{
	if (make_folder(path))
		return true;
	if (errno != EEXIST) {
		diag_print(path, "cannot create folder: %s", strerror(errno));
		return false;
	}
	DIR *folder = opendir(path);
	if (!folder) {
		diag_print(path, "cannot open folder: %s", strerror(errno));
		return false;
	}
	size_t count = 0;
	while (readdir(folder))
		count++;
	closedir(folder);
	if (count > 2) /* "." and ".." */
		diag_print(path, "the folder is not empty; remove it, or name another one");
	return count <= 2;
}

/* Returns whether files can be named after values of the column. */
static bool
check_column(const struct dataset_options *options, const struct poly_trace_info *info)
{
	const char *name = poly_column_name(options->column);
	const enum poly_form form = poly_column_form(options->column);
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		diag_print("--partition", "column '%s' has texts or bytes; name another one",
			name);
	else if (!poly_columns_has(info->columns, options->column))
		diag_print("--partition", "the trace has no column '%s'", name);
	else
		return true;
	return false;
}

struct dataset *
dataset_new(const struct dataset_options *options, const struct poly_trace_info *info)
{
	if (!check_column(options, info) || !create_folder(options->folder))
		return NULL;
	struct dataset *dataset = diag_allocate(1, sizeof *dataset);
	const struct poly_write_options *writing = options->writing;
	dataset->options = options;
	dataset->info = info;
	dataset->writing = *writing;
	dataset->parts = diag_allocate(PARTS_MAX, sizeof *dataset->parts);
	dataset->order = diag_allocate(writing->order_count + 1, sizeof *dataset->order);
	dataset->writing.order = dataset->order;
	dataset->writing.order_count = 0;
	dataset->writing.selected = true;
	for (size_t i = 0; i < writing->order_count; i++) {
		if (writing->order[i] != options->column)
			dataset->order[dataset->writing.order_count++] = writing->order[i];
	}
	/* All files have the same columns, whether or not they have values: by name. */
	if (!writing->order_count)
		dataset->writing.columns = poly_columns_minus(
			info->columns, POLY_COLUMNS(raw, origin, site, verbatim));
	poly_columns_remove(&dataset->writing.columns, options->column);
	return dataset;
}

/* Returns the path of the folder of a value. */
static char *
folder_path(const struct dataset *dataset, const char *value)
{
	const char *name = poly_column_name(dataset->options->column);
	const size_t size =
		strlen(dataset->options->folder) + strlen(name) + 3 * strlen(value) + 3;
	char *path = diag_allocate(size, 1);
	size_t n = (size_t)snprintf(path, size, "%s/%s=", dataset->options->folder, name);
	for (; *value; value++) {
		const unsigned char c = (unsigned char)*value;
		const bool is_plain = isalnum(c) || strchr("_-+., ", c);
		n += (size_t)snprintf(path + n, size - n, is_plain ? "%c" : "%%%02X", c);
	}
	return path;
}

/* Returns the path of a file of a part. */
static char *
file_path(const struct dataset *dataset, const struct dataset_part *part, unsigned number)
{
	const size_t size = strlen(part->folder) + strlen(dataset->options->ending) + 24;
	char *path = diag_allocate(size, 1);
	snprintf(path, size, "%s/part-%u.%s", part->folder, number, dataset->options->ending);
	return path;
}

/* Returns the value of a row in the column; 0 if it has none. */
static uint64_t
value_at(const struct dataset *dataset, const struct poly_batch *batch, size_t row)
{
	const enum poly_column column = dataset->options->column;
	return poly_present(batch, column, row) ? poly_batch_integer(batch, column, row) : 0;
}

/* Adds the part of a new value; NULL: a message was printed. */
static struct dataset_part *
add_part(struct dataset *dataset, const struct poly_batch *batch, size_t row)
{
	const enum poly_column column = dataset->options->column;
	const char *name = poly_column_name(column);
	char number[24];
	if (dataset->count == PARTS_MAX) {
		diag_print("--partition",
			"column '%s' has more than %d values; select fewer with '--where', or "
			"name another column",
			name, PARTS_MAX);
		return NULL;
	}
	struct dataset_part *part = &dataset->parts[dataset->count];
	if (!split_value(batch, row, column, part->value))
		return NULL;
	part->has_value = poly_present(batch, column, row);
	part->number = value_at(dataset, batch, row);
	snprintf(number, sizeof number, "%" PRIu64, part->number);
	/* Readers take only decimal numbers for numbers. */
	const bool is_hex = poly_column_form(column) == POLY_FORM_HEX;
	const char *text = !part->has_value ? WITHOUT : is_hex ? number : part->value;
	if (!*text) {
		diag_print("--partition", "an empty value of column '%s' cannot name a folder",
			name);
		return NULL;
	}
	part->folder = folder_path(dataset, text);
	dataset->count++;
	if (make_folder(part->folder))
		return part;
	diag_print(part->folder, "cannot create folder: %s", strerror(errno));
	return NULL;
}

/* Returns the part of a row; NULL: a message was printed. */
static struct dataset_part *
find_part(struct dataset *dataset, const struct poly_batch *batch, size_t row)
{
	const bool has_value = poly_present(batch, dataset->options->column, row);
	const uint64_t number = value_at(dataset, batch, row);
	for (size_t i = 0; i < dataset->count; i++) {
		struct dataset_part *part = &dataset->parts[i];
		if (part->number == number && part->has_value == has_value)
			return part;
	}
	return add_part(dataset, batch, row);
}

/* Finishes the open file of a part. */
static bool
finish_part(struct dataset *dataset, struct dataset_part *part)
{
	const bool done = !part->is_open || split_output_finish(&part->file);
	split_output_discard(&part->file);
	dataset->open_rows -= part->rows;
	part->rows = 0;
	part->is_open = false;
	return done;
}

/* Writes the rows of a batch that have a part's value. */
static bool
write_part(struct dataset *dataset, struct dataset_part *part, const struct poly_batch *batch)
{
	char expression[SPLIT_EXPRESSION];
	if (!part->is_open) {
		part->file.path = file_path(dataset, part, part->files);
		add_created(part->file.path, false);
		if (!split_output_open(&part->file, dataset->info, &dataset->writing))
			return false;
		part->files++;
		part->is_open = true;
	}
	split_expression(
		dataset->options->column, part->has_value ? part->value : NULL, expression);
	return split_output_write(&part->file, expression, batch);
}

bool
dataset_write(struct dataset *dataset, const struct poly_batch *batch)
{
	struct dataset_part *largest = dataset->parts;
	for (size_t i = 0; i < dataset->count; i++)
		dataset->parts[i].is_written = false;
	for (size_t row = 0; row < batch->rows; row++) {
		struct dataset_part *part = find_part(dataset, batch, row);
		if (!part || (!part->is_written && !write_part(dataset, part, batch)))
			return false;
		part->is_written = true;
		part->rows++;
		dataset->open_rows++;
	}
	for (size_t i = 0; i < dataset->count; i++) {
		if (dataset->parts[i].rows > largest->rows)
			largest = &dataset->parts[i];
	}
	return dataset->open_rows < OPEN_ROWS_MAX || finish_part(dataset, largest);
}

bool
dataset_finish(struct dataset *dataset)
{
	bool good = true;
	for (size_t i = 0; i < dataset->count && good; i++)
		good = finish_part(dataset, &dataset->parts[i]);
	if (good)
		forget_created();
	return good;
}

void
dataset_free(struct dataset *dataset)
{
	if (!dataset)
		return;
	for (size_t i = 0; i < dataset->count; i++) {
		split_output_discard(&dataset->parts[i].file);
		free(dataset->parts[i].folder);
	}
	remove_created();
	forget_created();
	free(dataset->parts);
	free(dataset->order);
	free(dataset);
}
