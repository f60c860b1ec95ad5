/* SPDX-License-Identifier: MIT */
/*
 * Laws that every analysis must satisfy, on every sample that it supports. TAP.
 *
 * usage: analyses ROOT SAMPLES [threads]: all laws, or those that start threads; SAMPLES: the
 * list of samples, as for laws
 */
#include "../sampling.h"

#include "analysis/core/analysis.h"
#include "base/buf.h"
#include "base/mem.h"
#include "model/slice.h"
#include "polytrace/polytrace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of cuts of a sample; one of fewer rows is cut at every row. */
#define CUTS 200

#define NAMES_MAX 64

struct sample {
	char format[32], option[64], path[600];
	char name[200];
	uint64_t rows;
	const char *names[NAMES_MAX + 1];    /* of the analyses that support it */
	const char *parts[NAMES_MAX + 1];    /* of those that can merge */
	const char *weighted[NAMES_MAX + 1]; /* of those that accept weights */
};

/* A run with the rows from the end of the previous one to its own end. */
struct run_part {
	struct poly_stats *stats;
	uint64_t end;
};

/* How a sample is passed to runs. */
struct feeding {
	bool every_column;
	size_t rows;	/* maximum per batch; 0: the reader's */
	uint64_t limit; /* rows; 0: all */
};

static unsigned tests, failures;
static char why[1000];
static uint64_t seed;
static bool has_weights[NAMES_MAX]; /* analyses that got weighted rows */

static uint64_t
random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (seed >> 33) % n : 0;
}

static void
result(bool good, const struct sample *sample, const char *law)
{
	tests++;
	failures += !good;
	if (!good)
		printf("# %s\n", why);
	printf("%sok %u - %s: %s\n", good ? "" : "not ", tests, law, sample->name);
	fflush(stdout);
}

static bool fails(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool
fails(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(why, sizeof why, format, list);
	va_end(list);
	return false;
}

static int
collect(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

/* Finishes a run, and renders its report as JSON. */
static enum poly_status
render(struct poly_stats *stats, struct buf *out, struct poly_error *error)
{
	const struct poly_sink sink = {collect, out};
	struct poly_report *report = poly_report_new();
	buf_clear(out);
	if (!report) {
		error->status = POLY_ERR_MEMORY;
		return POLY_ERR_MEMORY;
	}
	enum poly_status status = poly_stats_finish(stats, error);
	poly_stats_report(stats, NULL, report);
	if (status >= 0)
		status = poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, error);
	poly_report_free(report);
	return status;
}

static struct poly_reader *
open_sample(const struct sample *sample)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *words[] = {sample->option, NULL};
	struct poly_reader *reader;
	options.format = sample->format;
	options.one_thread = true;
	options.options = sample->option[0] ? words : NULL;
	return poly_reader_open(sample->path, &options, &reader, NULL) == POLY_OK ? reader
										  : NULL;
}

/* Updates a run with an interval of a batch, in slices of at most limit rows. */
static enum poly_status
feed_interval(struct poly_stats *stats, const struct poly_batch *batch, const size_t bounds[2],
	size_t limit, struct poly_error *error)
{
	struct slice slice = {0};
	enum poly_status status = POLY_OK;
	for (size_t row = bounds[0]; status == POLY_OK && row < bounds[1];) {
		size_t rows = bounds[1] - row;
		if (limit && rows > limit)
			rows = limit;
		status = slice_make(&slice, batch, row, rows, error);
		if (status == POLY_OK)
			status = poly_stats_update(stats, &slice.view, error);
		/* Complete results do not change. */
		if (status == POLY_END)
			status = POLY_OK;
		row += rows;
	}
	slice_fini(&slice);
	return status;
}

/* Updates the parts with their rows of a batch; advances *part. */
static enum poly_status
feed_batch(struct run_part **part, const struct poly_batch *batch,
	const struct feeding *feeding, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	size_t row = 0;
	while (status == POLY_OK && row < batch->rows) {
		while ((*part)->end <= batch->first + row)
			++*part;
		const uint64_t remaining = (*part)->end - batch->first;
		const size_t end = remaining < batch->rows ? (size_t)remaining : batch->rows;
		status = feed_interval((*part)->stats, batch, (const size_t[]){row, end},
			feeding->rows, error);
		row = end;
	}
	return status;
}

/* Updates parts with a sample; the last part has no end. */
static enum poly_status
feed(const struct sample *sample, struct run_part *parts, size_t count,
	const struct feeding *feeding, struct poly_error *error)
{
	struct poly_reader *reader = open_sample(sample);
	const struct poly_batch *batch;
	enum poly_status status = reader ? POLY_OK : POLY_ERR_IO;
	for (size_t i = 0; status == POLY_OK && i < count; i++)
		status = poly_stats_begin(parts[i].stats, poly_reader_info(reader), error);
	if (status == POLY_OK && !feeding->every_column)
		status = poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_stats_columns(parts[0].stats)},
			error);
	uint64_t fed = 0;
	while (status == POLY_OK && (!feeding->limit || fed < feeding->limit) &&
		poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		status = feed_batch(&parts, batch, feeding, error);
		fed += batch->rows;
	}
	poly_reader_close(reader);
	return status;
}

static enum poly_status
new_run(const char *const *names, unsigned threads, struct poly_stats **stats,
	struct poly_error *error)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.threads = threads;
	return poly_stats_new(&options, stats, error);
}

/* Reports a sample with options; by default, all supporting analyses. */
static enum poly_status
report_options(const struct sample *sample, struct poly_stats_options options,
	const struct feeding *feeding, struct buf *out)
{
	struct poly_error error;
	struct run_part part = {NULL, UINT64_MAX};
	if (!options.analyses)
		options.analyses = sample->names;
	enum poly_status status = poly_stats_new(&options, &part.stats, &error);
	if (status == POLY_OK)
		status = feed(sample, &part, 1, feeding, &error);
	if (status == POLY_OK)
		status = render(part.stats, out, &error);
	poly_stats_free(part.stats);
	return status;
}

/* Reports a sample with all rows in one run. */
static enum poly_status
report_whole(const struct sample *sample, const char *const *names, unsigned threads,
	const struct feeding *feeding, struct buf *out)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.threads = threads;
	return report_options(sample, options, feeding, out);
}

static bool
is_same(struct buf *found, struct buf *expected, const char *what, uint64_t value)
{
	size_t i = 0;
	while (i < found->size && i < expected->size && found->data[i] == expected->data[i])
		i++;
	if (found->size == expected->size && i == found->size)
		return true;
	const size_t from = i < 150 ? 0 : i - 150;
	return fails("%s %llu: ...%.250s, expected ...%.250s", what, (unsigned long long)value,
		found->size ? buf_text(found) + from : "", buf_text(expected) + from);
}

/* Reports three runs of the rows between cuts, merged from the left or from the right. */
static enum poly_status
report_merged(const struct sample *sample, const uint64_t cuts[2], bool from_right,
	const struct feeding *feeding, struct buf *report)
{
	struct poly_error error = {0};
	struct run_part parts[3] = {{NULL, cuts[0]}, {NULL, cuts[1]}, {NULL, UINT64_MAX}};
	enum poly_status status = POLY_OK;
	for (size_t i = 0; status == POLY_OK && i < 3; i++)
		status = new_run(sample->parts, 1, &parts[i].stats, &error);
	if (status == POLY_OK)
		status = feed(sample, parts, 3, feeding, &error);
	const size_t first = from_right ? 1 : 0, second = from_right ? 1 : 2;
	if (status == POLY_OK)
		status = poly_stats_merge(parts[first].stats, parts[first + 1].stats, &error);
	if (status == POLY_OK)
		status = poly_stats_merge(parts[0].stats, parts[second].stats, &error);
	if (status == POLY_OK)
		status = render(parts[0].stats, report, &error);
	if (status != POLY_OK)
		fails("status %d: %s", status, error.message);
	for (size_t i = 0; i < 3; i++)
		poly_stats_free(parts[i].stats);
	return status;
}

static bool
merged_at(
	const struct sample *sample, const uint64_t cuts[2], bool from_right, struct buf *whole)
{
	const struct feeding feeding = {.every_column = false};
	struct buf report = {0};
	const bool good =
		report_merged(sample, cuts, from_right, &feeding, &report) == POLY_OK &&
		is_same(&report, whole, from_right ? "from the right, cut at" : "cut at",
			cuts[0]);
	buf_free(&report);
	return good;
}

static bool
law_merge(const struct sample *sample)
{
	const struct feeding feeding = {.every_column = false};
	const uint64_t rows = sample->rows;
	struct buf whole = {0};
	bool good = !sample->parts[0] ||
		    report_whole(sample, sample->parts, 1, &feeding, &whole) == POLY_OK;
	seed = 1 + sample_seed();
	for (uint64_t i = 0; good && sample->parts[0] && i < (rows < CUTS ? rows + 1 : CUTS);
		i++) {
		if (!sample_takes())
			continue;
		uint64_t cuts[2];
		cuts[0] = rows < CUTS ? i : random_below(rows + 1);
		cuts[1] = cuts[0] + random_below(rows - cuts[0] + 1);
		good = merged_at(sample, cuts, i % 2, &whole);
	}
	buf_free(&whole);
	return good;
}

static bool
law_batches(const struct sample *sample)
{
	static const size_t sizes[] = {1, 7, 64, 1000, 4095};
	struct feeding feeding = {.every_column = false};
	struct buf whole = {0}, other = {0};
	report_whole(sample, sample->names, 1, &feeding, &whole);
	bool good = true;
	for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++) {
		feeding.rows = sizes[i];
		good = report_whole(sample, sample->names, 1, &feeding, &other) == POLY_OK &&
		       is_same(&other, &whole, "batches of", sizes[i]);
	}
	buf_free(&whole);
	buf_free(&other);
	return good;
}

static bool
law_projection(const struct sample *sample)
{
	struct feeding feeding = {.every_column = false};
	struct buf some = {0}, all = {0};
	report_whole(sample, sample->names, 1, &feeding, &some);
	feeding.every_column = true;
	const bool good = report_whole(sample, sample->names, 1, &feeding, &all) == POLY_OK &&
			  is_same(&some, &all, "of the requested columns,", 0);
	buf_free(&some);
	buf_free(&all);
	return good;
}

static bool
law_threads(const struct sample *sample)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	const struct feeding feeding = {.rows = 500};
	struct buf one = {0}, many = {0};
	report_whole(sample, sample->names, 1, &feeding, &one);
	bool good = true;
	for (size_t i = 0; good && i < sizeof threads / sizeof *threads; i++)
		good = report_whole(sample, sample->names, threads[i], &feeding, &many) ==
			       POLY_OK &&
		       is_same(&many, &one, "threads", threads[i]);
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* Reports a single analysis with options, on the given number of threads. */
static enum poly_status
report_alone(const struct sample *sample, const char *const *words, unsigned threads,
	struct buf *out)
{
	const struct feeding feeding = {.rows = 500};
	const char *const names[] = {words[0], NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.options = words + 1;
	options.threads = threads;
	return report_options(sample, options, &feeding, out);
}

/* Machines that threads simulate in parallel have the same results as in sequence. */
static bool
law_machines(const struct sample *sample)
{
	static const char *const words[][4] = {
		{"cache", "cache.sweep=size=1k..64k,ways=1,2,4,policy=lru,random", NULL},
		{"cache", "cache.sweep=size=1k,2k", "cache.causes=0", NULL},
		{"branch", "branch.sweep=3..12", "branch.budget=8..12", NULL},
		{"pipeline", "pipeline.sweep=width=1,2,4,cache=0,4096,model=inorder,ooo", NULL},
	};
	struct buf one = {0}, many = {0};
	bool good = true;
	for (size_t i = 0; good && i < sizeof words / sizeof *words; i++) {
		size_t name = 0;
		while (sample->names[name] && strcmp(sample->names[name], words[i][0]) != 0)
			name++;
		if (!sample->names[name])
			continue;
		good = report_alone(sample, words[i], 1, &one) == POLY_OK ||
		       fails("%s has no report", words[i][1]);
		for (unsigned threads = 2; good && threads <= 8; threads *= 2)
			good = report_alone(sample, words[i], threads, &many) == POLY_OK &&
			       is_same(&many, &one, words[i][0], threads);
	}
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* The results of an analysis do not depend on other requested ones. */
static bool
law_company(const struct sample *sample)
{
	const struct feeding feeding = {.every_column = false};
	struct buf all = {0}, one = {0};
	report_whole(sample, sample->names, 1, &feeding, &all);
	bool good = true;
	for (size_t i = 0; good && sample->names[i]; i++) {
		const char *names[] = {sample->names[i], NULL};
		good = report_whole(sample, names, 1, &feeding, &one) == POLY_OK;
		/* {"name": ...}\n without the outer braces */
		if (good && one.size > 3) {
			one.data[one.size - 2] = 0;
			good = strstr(buf_text(&all), (char *)one.data + 1) ||
			       fails("%s alone: %.400s", names[0], (char *)one.data);
		}
	}
	buf_free(&all);
	buf_free(&one);
	return good;
}

/* Reports all analyses without any row. */
static bool
report_none(const struct sample *sample, struct buf *out)
{
	struct poly_error error = {0};
	struct poly_stats *stats = NULL;
	struct poly_reader *reader = open_sample(sample);
	enum poly_status status = new_run(sample->names, 1, &stats, &error);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, poly_reader_info(reader), &error);
	if (status == POLY_OK)
		status = render(stats, out, &error);
	poly_stats_free(stats);
	poly_reader_close(reader);
	return status == POLY_OK || fails("status %d: %s", status, error.message);
}

/* Warm-up and sampling units may end anywhere in a batch. */
static bool
law_borders(const struct sample *sample)
{
	static const size_t sizes[] = {1, 7, 64, 1000};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct feeding feeding = {.every_column = false};
	struct buf whole = {0}, other = {0};
	options.warmup = sample->rows / 3;
	options.unit = 3;
	options.period = 10;
	bool good = report_options(sample, options, &feeding, &whole) == POLY_OK;
	for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++) {
		feeding.rows = sizes[i];
		good = report_options(sample, options, &feeding, &other) == POLY_OK &&
		       is_same(&other, &whole, "batches of", sizes[i]);
	}
	buf_free(&whole);
	buf_free(&other);
	return good;
}

/* After a warm-up as long as the trace or longer, the report is that of an empty trace. */
static bool
law_warm_up(const struct sample *sample)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	const struct feeding feeding = {.every_column = false};
	struct buf all = {0}, more = {0};
	options.warmup = sample->rows;
	bool good = report_options(sample, options, &feeding, &all) == POLY_OK;
	options.warmup = UINT64_MAX;
	good = good && report_options(sample, options, &feeding, &more) == POLY_OK &&
	       is_same(&more, &all, "a longer warm-up", 0) && report_none(sample, &more) &&
	       is_same(&all, &more, "a warm-up as long as the trace", 0);
	buf_free(&all);
	buf_free(&more);
	return good;
}

static bool
law_empty(const struct sample *sample)
{
	struct buf report = {0};
	const bool good = report_none(sample, &report);
	buf_free(&report);
	return good;
}

/* Packs a sample, each batch repeated, in segments of the given rows. */
static bool
pack_sample(const struct sample *sample, uint64_t times, const char *rows, struct buf *packed)
{
	const struct poly_sink sink = {collect, packed};
	const char *words[] = {rows, NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_error error = {0};
	struct poly_reader *reader = open_sample(sample);
	struct poly_writer *writer = NULL;
	const struct poly_batch *batch;
	options.format = "ptz";
	options.options = words;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, &error);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (uint64_t i = 0; status == POLY_OK && i < times; i++)
			status = poly_writer_write(writer, batch, &error);
	}
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status == POLY_OK || status == POLY_ERR_UNSUPPORTED ||
	       fails("packing: %s", error.message);
}

/* How a packed sample is read. */
struct packed_reading {
	const char *what;
	uint64_t skip, count;
	size_t rows, corrupt; /* maximum per batch; the corrupt byte, 0: none */
	bool alone;	      /* single-threaded */
};

/* Notes the analyses that got weighted rows. */
static void
note_weights(const struct poly_batch *batch, const char *const *names)
{
	const struct analysis *analysis;
	for (size_t i = 0; poly_batch_weights(batch) && (analysis = analysis_at(i)); i++) {
		for (size_t k = 0; names[k]; k++)
			has_weights[i] |= strcmp(analysis->info.name, names[k]) == 0;
	}
}

/* Reports a packed sample, with weighted rows or without. */
static enum poly_status
read_packed(const struct buf *packed, const struct packed_reading *reading,
	const char *const *names, bool weighted, struct buf *report)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader = NULL;
	struct poly_reader_counts counts;
	struct poly_stats *stats = NULL;
	struct poly_error error = {0};
	const struct poly_batch *batch;
	options.skip = reading->skip;
	options.count = reading->count;
	options.batch_rows = reading->rows;
	options.skip_errors = true;
	options.one_thread = reading->alone;
	enum poly_status status =
		poly_reader_open_memory(packed->data, packed->size, &options, &reader, &error);
	if (status == POLY_OK)
		status = new_run(names, names[1] && !reading->alone ? 2 : 1, &stats, &error);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, poly_reader_info(reader), &error);
	if (status == POLY_OK)
		status = poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_stats_columns(stats),
				.weights = weighted && poly_stats_accepts_weights(stats)},
			&error);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		status = poly_stats_update(stats, batch, &error);
		status = status == POLY_END ? POLY_OK : status;
		note_weights(batch, names);
	}
	if (status == POLY_END)
		status = render(stats, report, &error);
	if (status == POLY_OK) {
		poly_reader_count(reader, &counts);
		buf_printf(report, "%llu records, %llu bytes skipped in %llu regions",
			(unsigned long long)counts.records,
			(unsigned long long)counts.skipped_bytes,
			(unsigned long long)counts.skipped_places);
	}
	poly_stats_free(stats);
	poly_reader_close(reader);
	if (status != POLY_OK)
		fails("%s: %s", names[0], error.message);
	return status;
}

/* Whether weighted rows give the same report as single records. */
static bool
is_same_weighted(
	struct buf *packed, const struct packed_reading *reading, const char *const *names)
{
	struct buf rows = {0}, counted = {0};
	if (reading->corrupt)
		packed->data[reading->corrupt] ^= 0x10;
	const bool good = read_packed(packed, reading, names, false, &rows) == POLY_OK &&
			  read_packed(packed, reading, names, true, &counted) == POLY_OK &&
			  is_same(&counted, &rows, reading->what, packed->size);
	if (reading->corrupt)
		packed->data[reading->corrupt] ^= 0x10;
	buf_free(&rows);
	buf_free(&counted);
	return good;
}

/* Compares all analyses that accept weights, one by one and together. */
static bool
all_same_weighted(const struct sample *sample, struct buf *packed)
{
	const struct packed_reading readings[] = {
		{"packed, of bytes", 0, UINT64_MAX, 0, 0, false},
		{"a part, of bytes", 10000, 29000, 0, 0, false},
		{"small batches, of bytes", 0, UINT64_MAX, 37, 0, false},
		{"corrupt, of bytes", 0, UINT64_MAX, 0, packed->size / 2, false},
		{"corrupt at the end, of bytes", 0, UINT64_MAX, 0, packed->size / 8 * 7, false},
	};
	bool good = true;
	for (size_t k = 0; good && packed->size && k < sizeof readings / sizeof *readings;
		k++) {
		for (size_t i = 0; good && sample->weighted[i]; i++)
			good = !sample_takes() ||
			       is_same_weighted(packed, &readings[k],
				       (const char *[]){sample->weighted[i], NULL});
		good = good &&
		       (!sample->weighted[0] || !sample_takes() ||
			       is_same_weighted(packed, &readings[k], sample->weighted));
	}
	return good;
}

static bool
law_weights(const struct sample *sample)
{
	/* Few segments that repeat the sample, and many segments, with boundaries anywhere in
	 * the sample. */
	const struct {
		uint64_t rows;
		const char *word;
	} packings[] = {{40000, "ptz.rows=16384"}, {4000, "ptz.rows=97"}};
	bool good = true;
	for (size_t i = 0; good && i < sizeof packings / sizeof *packings; i++) {
		const uint64_t times = sample->rows ? packings[i].rows / sample->rows + 1 : 1;
		struct buf packed = {0};
		good = pack_sample(sample, times, packings[i].word, &packed) &&
		       all_same_weighted(sample, &packed);
		buf_free(&packed);
	}
	return good;
}

#ifdef POLY_FAULT_INJECTION
/* A run while allocations fail: of the first rows, or of a packed sample with weights. */
struct attempt {
	const struct sample *sample;
	const char *const *names; /* NULL: all that can merge, in parts */
	const struct buf *packed; /* or NULL */
};

static enum poly_status
try_once(const struct attempt *attempt, struct buf *report)
{
	const struct feeding feeding = {.limit = 1};
	const uint64_t half[2] = {attempt->sample->rows / 2, attempt->sample->rows / 2};
	/* Segments with weighted rows, and a last one that is read in part. */
	const struct packed_reading reading = {"", 0, 300, 0, 0, true};
	if (attempt->packed)
		return read_packed(attempt->packed, &reading, attempt->names, true, report);
	return attempt->names
		       ? report_whole(attempt->sample, attempt->names, 1, &feeding, report)
		       : report_merged(attempt->sample, half, false, &feeding, report);
}

/*
 * Whether each failing allocation is reported or leaves the report unchanged: each of the first
 * allocations, then some of the repetitive ones; each one of a packed sample, which has few.
 */
static bool
survives(const struct attempt *attempt)
{
	struct buf whole = {0}, report = {0};
	bool good = try_once(attempt, &whole) == POLY_OK;
	buf_reserve(&report, 2 * whole.size + 65536); /* so that the sink does not allocate */
	for (size_t k = 1; good; k += attempt->packed ? 1 : 1 + k / 32) {
		if (!sample_takes())
			continue;
		mem_fail_at(k);
		const enum poly_status status = try_once(attempt, &report);
		if (mem_fail_at(0) < k)
			break;
		if (status == POLY_OK)
			good = is_same(&report, &whole, "failing allocation", k);
		else if (status != POLY_ERR_MEMORY && status != POLY_ERR_IO)
			good = fails("allocation %zu fails: status %d", k, status);
	}
	buf_free(&whole);
	buf_free(&report);
	return good;
}

static bool
law_lack_of_memory(const struct sample *sample)
{
	const uint64_t times = sample->rows ? 300 / sample->rows + 1 : 1;
	struct buf packed = {0};
	struct attempt attempt = {.sample = sample};
	bool good = !sample->parts[0] || survives(&attempt);
	for (size_t i = 0; good && sample->names[i]; i++) {
		attempt.names = (const char *[]){sample->names[i], NULL};
		good = survives(&attempt);
	}
	good = good && pack_sample(sample, times, "ptz.rows=97", &packed);
	attempt.packed = &packed;
	for (size_t i = 0; good && packed.size && sample->weighted[i]; i++) {
		attempt.names = (const char *[]){sample->weighted[i], NULL};
		good = survives(&attempt);
	}
	buf_free(&packed);
	return good;
}
#endif

static const struct {
	const char *name;
	bool (*holds)(const struct sample *);
	bool threads; /* starts threads */
} laws[] = {
	{"merged_parts_report_the_same_as_one_run", law_merge, false},
	{"batches_change_nothing", law_batches, false},
	{"columns_that_are_not_requested_change_nothing", law_projection, false},
	{"threads_change_nothing", law_threads, true},
	{"machines_do_not_depend_on_threads", law_machines, true},
	{"other_analyses_change_nothing", law_company, false},
	{"an_empty_trace_has_a_report", law_empty, false},
	{"units_may_end_within_batches", law_borders, false},
	{"nothing_is_counted_while_warming_up", law_warm_up, false},
	{"weighted_rows_report_the_same_as_single_records", law_weights, false},
#ifdef POLY_FAULT_INJECTION
	{"lack_of_memory_is_reported", law_lack_of_memory, false},
#endif
};

/* Counts the rows, and finds the supporting analyses; false: unreadable in this build. */
static bool
prepare(struct sample *sample)
{
	struct poly_reader *reader = open_sample(sample);
	const struct poly_batch *batch;
	const struct analysis *analysis;
	size_t names = 0, parts = 0, weighted = 0;
	if (!reader)
		return false;
	for (size_t i = 0; (analysis = analysis_at(i)) && names < NAMES_MAX; i++) {
		const char *one[] = {analysis->info.name, NULL};
		struct poly_stats *stats;
		if (new_run(one, 1, &stats, NULL) != POLY_OK)
			continue;
		if (poly_stats_begin(stats, poly_reader_info(reader), NULL) == POLY_OK) {
			sample->names[names++] = one[0];
			if (analysis->merge)
				sample->parts[parts++] = one[0];
			if (analysis->update_weighted)
				sample->weighted[weighted++] = one[0];
		}
		poly_stats_free(stats);
	}
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		sample->rows += batch->rows;
	poly_reader_close(reader);
	return true;
}

static void
try_sample(struct sample *sample, bool threads)
{
	if (!prepare(sample)) {
		printf("ok %u - all: %s # SKIP not in this build\n", ++tests, sample->name);
		return;
	}
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		if (threads && !laws[i].threads)
			continue;
		fails("no result");
		result(laws[i].holds(sample), sample, laws[i].name);
	}
}

/* Checks that every analysis that accepts weights got some. */
static void
expect_weights(void)
{
	const struct analysis *analysis;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		struct sample sample = {.name = "all"};
		if (!analysis->update_weighted)
			continue;
		fails("%s got no weighted rows", analysis->info.name);
		result(has_weights[i], &sample, "weighted_rows_were_tried");
	}
}

int
main(int argc, char **argv)
{
	const bool threads = argc == 4 && strcmp(argv[3], "threads") == 0;
	FILE *list = argc == 3 || threads ? fopen(argv[2], "r") : NULL;
	char line[400];
	if (!list) {
		fprintf(stderr, "usage: analyses ROOT SAMPLES [threads]\n");
		return 2;
	}
	while (fgets(line, sizeof line, list)) {
		struct sample sample = {0};
		if (line[0] == '#' || sscanf(line, "%31s %199s %63s", sample.format,
					      sample.name, sample.option) < 2)
			continue;
		snprintf(sample.path, sizeof sample.path, "%s/tests/data/%s", argv[1],
			sample.name);
		try_sample(&sample, threads);
	}
	fclose(list);
	if (!threads)
		expect_weights();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
