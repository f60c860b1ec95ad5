/* SPDX-License-Identifier: MIT */
/* Laws of reading formats. */
#include "format_law.h"

#include "../sampling.h"

#include "format/core/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool
law_blocks_and_batches(const struct sample *sample, const struct poly_read_options *options)
{
	static const size_t sizes[] = {1, 3, 64, 4093};
	struct outcome whole, other;
	bool good = true;
	read_bytes(sample->data, sample->size, options, &whole);
	for (size_t i = 0; good && i < 8; i++) {
		struct poly_read_options changed = *options;
		size_t value = sizes[i % 4];
		if (i < 4)
			changed.block_size = value;
		else
			changed.batch_rows = value;
		changed.one_thread = i % 2;
		read_bytes(sample->data, sample->size, &changed, &other);
		good = same_outcome(&other, &whole, i < 4 ? "block size" : "batch rows", value);
		free(other.rows);
	}
	free(whole.rows);
	return good;
}

bool
law_projection(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome whole, other;
	bool good = true;
	read_bytes(sample->data, sample->size, options, &whole);
	for (unsigned c = 0; good && c < POLY_COLUMN_COUNT; c++) {
		struct poly_read_options changed = *options;
		changed.columns = POLY_NO_COLUMNS;
		poly_columns_add(&changed.columns, (enum poly_column)c);
		read_bytes(sample->data, sample->size, &changed, &other);
		if (other.count != whole.count || other.columns[c] != whole.columns[c])
			good = fails("column %s alone is not what it is among all",
				poly_column_name((enum poly_column)c));
		free(other.rows);
	}
	free(whole.rows);
	return good;
}

bool
law_end_is_sticky(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status =
		poly_reader_open_memory(sample->data, sample->size, options, &reader, &error);
	if (status != POLY_OK)
		return fails("cannot open: %s", error.message);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		;
	bool good = true;
	for (int i = 0; good && i < 3; i++) {
		status = poly_reader_next(reader, &batch, &error);
		good = ((status == POLY_END || status == POLY_ERR_TRUNCATED) && !batch) ||
		       fails("status %d after the end", status);
	}
	poly_reader_close(reader);
	return good;
}

/* The content alone determines the format: no name, and through a pipe. */
bool
law_detection(const struct sample *sample, const struct poly_read_options *options)
{
	int ends[2];
	char path[40];
	/* A format that has no probe must be named. */
	if (!format_find(sample->name.format)->probe)
		return true;
	if (pipe(ends) != 0)
		return fails("no pipe");
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		for (size_t done = 0; done < sample->size;) {
			ssize_t n = write(ends[1], sample->data + done, sample->size - done);
			if (n <= 0)
				_exit(1);
			done += (size_t)n;
		}
		_exit(0);
	}
	close(ends[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	struct poly_read_options guess = *options;
	guess.format = NULL;
	struct outcome named, found = {0};
	read_bytes(sample->data, sample->size, options, &named);
	struct poly_reader *reader;
	found.status = poly_reader_open(path, &guess, &reader, &found.error);
	bool good = found.status == POLY_OK || fails("not recognised: %s", found.error.message);
	if (good) {
		const char *format = poly_reader_format(reader)->name;
		if (strcmp(format, sample->name.format) != 0)
			good = fails(
				"taken for '%s': %s", format, poly_reader_evidence(reader));
		drain(reader, &found, NULL, LINES_USUAL);
	}
	good = good && same_outcome(&found, &named, "read by content", 0);
	poly_reader_close(reader);
	close(ends[0]);
	waitpid(child, NULL, 0);
	free(named.rows);
	free(found.rows);
	return good;
}

bool
law_probes_are_pure(const struct sample *sample, const struct poly_read_options *options)
{
	(void)options;
	const struct format *format;
	uint8_t *copy = malloc(sample->size);
	bool good = true;
	memcpy(copy, sample->data, sample->size);
	for (size_t i = 0; good && (format = format_at(i)); i++) {
		if (!format->probe)
			continue;
		struct probe_note one = {.text = ""}, two = {.text = ""};
		int first = format->probe(copy, sample->size, true, &one);
		for (size_t n = 0; n < sample->size && n < 300; n++) {
			if (sample_takes())
				format->probe(copy, n, n % 2, &two);
		}
		memset(&two, 0, sizeof two);
		int second = format->probe(copy, sample->size, true, &two);
		good = (first == second && strcmp(one.text, two.text) == 0) ||
		       fails("%s bids %d, then %d", format->info.name, first, second);
		good = good && (memcmp(copy, sample->data, sample->size) == 0 ||
				       fails("%s changed the bytes", format->info.name));
	}
	free(copy);
	return good;
}

/* Checking changes no row, and strict reading gives a beginning of them. */
bool
law_check_and_strict(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome whole, checked, strict;
	struct poly_read_options changed = *options;
	read_bytes(sample->data, sample->size, options, &whole);
	changed.check = true;
	read_bytes(sample->data, sample->size, &changed, &checked);
	changed.strict = true;
	read_bytes(sample->data, sample->size, &changed, &strict);
	bool good = same_outcome(&checked, &whole, "checked", 1);
	if (good && strict.opened && strict.count > whole.count)
		good = fails("strict reading gave more rows");
	for (size_t i = 0; good && i < strict.count; i++)
		good = strict.rows[i] == whole.rows[i] ||
		       fails("strict: row %zu differs", i + 1);
	free(whole.rows);
	free(checked.rows);
	free(strict.rows);
	return good;
}
