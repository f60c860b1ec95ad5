/* SPDX-License-Identifier: MIT */
/* Saves results with the parts of traces that they are of, and merges them by these parts. */
#include "cli/files/saved_stats.h"

#include "polytrace/byte_output.h"

#include "cli/options/limits.h"
#include "cli/print/diagnostics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that files of saved results begin with. */
static const char magic[] = "\x89PST\r\n\x1a\n";
enum { MAGIC_SIZE = sizeof magic - 1 };

bool
saved_is(const char *path)
{
	char bytes[MAGIC_SIZE];
	FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
	const size_t n = file ? fread(bytes, 1, MAGIC_SIZE, file) : 0;
	if (file)
		fclose(file);
	return n == MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0;
}

bool
saved_is_allowed(const struct input_options *options)
{
	const struct {
		bool is_set;
		const char *name;
	} refused[] = {
		{options->start_at, "start-at"},
		{options->stop_at, "stop-at"},
		{options->from_time.is_set, "from-time"},
		{options->to_time.is_set, "to-time"},
		{options->symbols, "symbols"},
		{options->every.is_set, "every"},
		{options->sample.is_set, "sample"},
		{options->head.is_set, "head"},
		{options->tail.is_set, "tail"},
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (!refused[i].is_set)
			continue;
		diag_print(NULL,
			"--save conflicts with --%s: parts are selected by --range, "
			"--skip and --count, and rows by --where",
			refused[i].name);
		return false;
	}
	return true;
}

/* Accepts bytes and discards them. */
static int
discard(void *user, const void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}

bool
saved_can_save(struct poly_stats *stats, struct poly_error *error)
{
	const struct poly_part part = {.file = "", .format = "", .reading = "", .first = 1};
	const struct poly_sink sink = {.write = discard};
	return poly_stats_save(stats, &part, 1, &sink, error) == POLY_OK;
}

/* Formats the options that change the rows of a trace; the caller frees the text. */
static char *
describe_reading(const struct input_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		diag_no_memory();
	for (size_t i = 0; i < options->options.count; i++)
		fprintf(stream, "-O %s\n", options->options.items[i]);
	if (options->isa)
		fprintf(stream, "--isa=%s\n", options->isa);
	if (options->on_error == ON_ERROR_SKIP)
		fputs("--on-error=skip\n", stream);
	if (options->by_thread)
		fputs("--by-thread\n", stream);
	if (options->max_line.is_set)
		fprintf(stream, "--max-line=%llu\n",
			(unsigned long long)options->max_line.value);
	if (options->where)
		fprintf(stream, "--where=%s\n", options->where);
	if (fclose(stream) != 0)
		diag_no_memory();
	return text;
}

/* Returns a copy of a text; exits if out of memory. */
static char *
copy_text(const char *text)
{
	char *copy = diag_allocate(strlen(text) + 1, 1);
	strcpy(copy, text);
	return copy;
}

bool
saved_add(struct saved_parts *parts, const struct command_input *input,
	const struct input_options *options)
{
	struct poly_reader_counts counts;
	struct poly_error error;
	struct poly_part part = {.first = input->skip + 1};
	if (poly_file_identify(input->path, &part.identity, &error) != POLY_OK) {
		diag_error(input->name, &error);
		return false;
	}
	const uint64_t count = options->range.is_set   ? options->range.last - input->skip
			       : options->count.is_set ? options->count.value
						       : UINT64_MAX;
	poly_reader_count(input->reader, &counts);
	part.file = copy_text(input->name);
	part.format = copy_text(poly_reader_info(input->reader)->format);
	part.reading = describe_reading(options);
	part.records = counts.records;
	part.rows = input->selection ? poly_selection_count(input->selection) : counts.records;
	part.is_partial = input_is_partial(input) || input_is_truncated(input);
	part.is_end = part.is_partial || part.records < count;
	struct poly_part *list = diag_allocate(parts->count + 1, sizeof *list);
	if (parts->count)
		memcpy(list, parts->list, parts->count * sizeof *list);
	list[parts->count++] = part;
	free(parts->list);
	parts->list = list;
	return true;
}

bool
saved_write(struct poly_stats *stats, const struct saved_parts *parts, const char *path)
{
	struct poly_error error;
	struct poly_byte_output *file;
	enum poly_status status = poly_byte_output_open(path, true, &file, &error);
	if (status == POLY_OK) {
		const struct poly_sink sink = {poly_byte_output_write, file};
		status = poly_stats_save(stats, parts ? parts->list : NULL,
			parts ? parts->count : 0, &sink, &error);
	}
	if (status == POLY_OK)
		status = poly_byte_output_finish(file, &error);
	if (status != POLY_OK)
		diag_error(diag_output_name(path), &error);
	poly_byte_output_close(file);
	return status == POLY_OK;
}

/* Appends to a stream of memory; a poly_write_fn. */
static int
write_stream(void *stream, const void *data, size_t size)
{
	return fwrite(data, 1, size, stream) == size ? 0 : errno;
}

bool
saved_write_bytes(
	struct poly_stats *stats, const struct saved_parts *parts, char **bytes, size_t *size)
{
	struct poly_error error;
	FILE *stream = open_memstream(bytes, size);
	if (!stream)
		diag_no_memory();
	const struct poly_sink sink = {write_stream, stream};
	const enum poly_status status =
		parts ? poly_stats_save(stats, parts->list, parts->count, &sink, &error)
		      : poly_stats_save_share(stats, &sink, &error);
	if (fclose(stream) != 0)
		diag_no_memory();
	if (status == POLY_OK)
		return true;
	diag_error("stats", &error);
	free(*bytes);
	*bytes = NULL;
	*size = 0;
	return false;
}

/* Reads a file; NULL: a message was printed. The caller frees. */
static unsigned char *
read_file(const char *path, size_t *size)
{
	size_t room = (size_t)64 << 10;
	unsigned char *bytes = diag_allocate(room, 1);
	FILE *file = fopen(path, "rb");
	size_t n;
	*size = 0;
	while (file && (n = fread(bytes + *size, 1, room - *size, file)) != 0) {
		*size += n;
		if (*size < room)
			continue;
		unsigned char *larger = diag_allocate(room, 2);
		memcpy(larger, bytes, *size);
		free(bytes);
		bytes = larger;
		room *= 2;
	}
	if (file && !ferror(file)) {
		fclose(file);
		return bytes;
	}
	diag_print(path, "cannot read: %s", strerror(errno));
	if (file)
		fclose(file);
	free(bytes);
	return NULL;
}

/* Results of a file. */
struct saved_file {
	const char *path;
	struct poly_stats *stats;
	size_t trace; /* the first file with a part of the same trace as its first part */
	size_t number;
};

static bool
load_file(struct saved_file *file)
{
	struct poly_error error;
	size_t size;
	unsigned char *bytes = read_file(file->path, &size);
	if (!bytes)
		return false;
	const enum poly_status status = poly_stats_load(bytes, size, &file->stats, &error);
	if (status != POLY_OK)
		diag_error(file->path, &error);
	free(bytes);
	return status == POLY_OK;
}

/* Orders files by their traces, then by their records. */
static int
compare_files(const void *a, const void *b)
{
	const struct saved_file *x = a, *y = b;
	const struct poly_part *p = poly_stats_part_at(x->stats, 0);
	const struct poly_part *q = poly_stats_part_at(y->stats, 0);
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	if (p->records != q->records)
		return p->records < q->records ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void
sort_files(struct saved_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;
		while (!poly_part_is_same_trace(poly_stats_part_at(files[i].stats, 0),
			poly_stats_part_at(files[k].stats, 0)))
			k++;
		files[i].trace = k;
		files[i].number = i;
	}
	qsort(files, count, sizeof *files, compare_files);
}

/* Merges the results of all files into those of the first one. */
static bool
merge_files(struct saved_file *files, size_t count)
{
	struct poly_error error;
	for (size_t i = 1; i < count; i++) {
		if (poly_stats_merge(files[0].stats, files[i].stats, &error) != POLY_OK) {
			diag_error(files[i].path, &error);
			return false;
		}
		poly_stats_free(files[i].stats);
		files[i].stats = NULL;
	}
	return true;
}

struct poly_stats *
saved_load(char **paths)
{
	size_t count = 0;
	bool ok = true;
	while (paths[count])
		count++;
	struct saved_file *files = diag_allocate(count, sizeof *files);
	for (size_t i = 0; ok && i < count; i++) {
		files[i].path = paths[i];
		ok = load_file(&files[i]);
	}
	if (ok)
		sort_files(files, count);
	ok = ok && merge_files(files, count);
	struct poly_stats *merged = ok ? files[0].stats : NULL;
	for (size_t i = ok; i < count; i++)
		poly_stats_free(files[i].stats);
	free(files);
	return merged;
}

bool
saved_is_complete(const struct poly_stats *stats)
{
	const struct poly_part *part;
	for (size_t i = 0; (part = poly_stats_part_at(stats, i)); i++) {
		if (part->first != 1)
			diag_print(part->file,
				"records 1 to %llu are missing; use --partial to accept that",
				(unsigned long long)(part->first - 1));
		else if (!part->is_end)
			diag_print(part->file,
				"no part is known to have the records from %llu on; read the "
				"last part without an end, or use --partial",
				(unsigned long long)(part->first + part->records));
		if (part->first != 1 || !part->is_end)
			return false;
	}
	return true;
}

void
saved_report_columns(struct poly_report *report)
{
	poly_report_table(report, "files");
	poly_report_column(report, "file", false);
	poly_report_column(report, "records", true);
	poly_report_column(report, "partial", false);
}

void
saved_report_row(const char *name, uint64_t rows, bool is_partial, struct poly_report *report)
{
	poly_report_cell_text(report, name);
	poly_report_cell_count(report, rows);
	poly_report_cell_text(report, is_partial ? "yes" : NULL);
}

void
saved_report_names(const struct poly_stats *stats, struct poly_report *report)
{
	const struct poly_part *part = poly_stats_part_at(stats, 0);
	if (!poly_stats_part_at(stats, 1)) {
		poly_report_text(report, "file", part->file);
		if (part->is_partial)
			poly_report_bool(report, "partial", true);
		return;
	}
	saved_report_columns(report);
	for (size_t i = 0; (part = poly_stats_part_at(stats, i)); i++)
		saved_report_row(part->file, part->rows, part->is_partial, report);
	poly_report_end(report);
}

void
saved_parts_free(struct saved_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		free((char *)(uintptr_t)parts->list[i].file);
		free((char *)(uintptr_t)parts->list[i].format);
		free((char *)(uintptr_t)parts->list[i].reading);
	}
	free(parts->list);
}
