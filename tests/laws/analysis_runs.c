/* SPDX-License-Identifier: MIT */
/* Runs of analyses on samples. */
#include "analysis_law.h"

#include "../sinks.h"

#include "analysis/core/analysis_instance.h"
#include "model/slice.h"

#include <string.h>

/* A run with the rows from the end of the previous one to its own end. */
struct run_part {
	struct poly_stats *stats;
	uint64_t end;
};

const struct analysis *
analysis_named(const char *name)
{
	const struct analysis *analysis;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (strcmp(analysis->info.name, name) == 0)
			break;
	}
	return analysis;
}

enum poly_status
open_sample(const struct sample *sample, struct poly_reader **reader, struct poly_error *error)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *words[] = {sample->name.option, NULL};
	options.format = sample->name.format;
	options.one_thread = true;
	options.options = sample->name.option[0] ? words : NULL;
	return poly_reader_open(sample->path, &options, reader, error);
}

enum poly_status
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

/* Updates the parts with their rows of a batch, before which the traces have a number of rows;
 * advances *part. */
static enum poly_status
feed_batch(struct run_part **part, const struct poly_batch *batch, uint64_t before,
	const struct feeding *feeding, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	size_t row = 0;
	while (status == POLY_OK && row < batch->rows) {
		while ((*part)->end <= before + row)
			++*part;
		const uint64_t remaining = (*part)->end - before;
		const size_t end = remaining < batch->rows ? (size_t)remaining : batch->rows;
		status = feed_interval((*part)->stats, batch, (const size_t[]){row, end},
			feeding->rows, error);
		row = end;
	}
	return status;
}

/* Begins a trace in the parts that have rows of it, or no rows but a border in it; bounds: rows
 * before and up to the end of it, UINT64_MAX: it is the last one. */
static enum poly_status
begin_parts(struct run_part *parts, size_t count, const uint64_t bounds[2],
	struct poly_reader *reader, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; status == POLY_OK && i < count; i++) {
		const uint64_t begin = i ? parts[i - 1].end : 0;
		if (begin < bounds[1] && (begin >= bounds[0] || parts[i].end > bounds[0]))
			status = poly_stats_begin(
				parts[i].stats, poly_reader_info(reader), error);
	}
	return status;
}

/* Updates parts with the rows of a trace, before which there are a number of rows; the last
 * part has no end. */
static enum poly_status
feed_trace(struct poly_reader *reader, struct run_part **part, uint64_t before,
	const struct feeding *feeding, struct poly_error *error)
{
	const struct poly_batch *batch;
	enum poly_status status = POLY_OK;
	uint64_t fed = 0;
	if (!feeding->every_column)
		status = poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_stats_columns((*part)->stats)},
			error);
	while (status == POLY_OK && (!feeding->limit || fed < feeding->limit) &&
		(status = poly_reader_next(reader, &batch, error)) == POLY_OK) {
		status = feed_batch(part, batch, before + batch->first, feeding, error);
		fed += batch->rows;
	}
	/* Corrupt samples are reported up to there. */
	return status == POLY_END || status == POLY_ERR_FORMAT || status == POLY_ERR_TRUNCATED
		       ? POLY_OK
		       : status;
}

/* Maximum number of traces of a run. */
enum { TRACES_MAX = 2 };

/* Parts, and the readers of the traces that they are updated with. */
struct fed_parts {
	struct run_part *parts;
	size_t count;
	struct poly_reader *readers[TRACES_MAX];
	uint64_t traces; /* number of times that a sample is read */
};

/* Updates parts with a sample; leaves the readers open, if there are several parts. */
static enum poly_status
feed_traces(const struct sample *sample, struct fed_parts *fed, const struct feeding *feeding,
	struct poly_error *error)
{
	struct run_part *part = fed->parts;
	enum poly_status status = POLY_OK;
	for (uint64_t i = 0; status == POLY_OK && i < fed->traces; i++) {
		const uint64_t before = i * sample->rows;
		status = open_sample(sample, &fed->readers[i], error);
		const uint64_t bounds[2] = {
			before, i + 1 < fed->traces ? before + sample->rows : UINT64_MAX};
		if (status == POLY_OK)
			status = begin_parts(
				fed->parts, fed->count, bounds, fed->readers[i], error);
		while (status == POLY_OK && i && part->end <= before)
			part++;
		if (status == POLY_OK)
			status = feed_trace(fed->readers[i], &part, before, feeding, error);
		if (fed->count > 1)
			continue;
		poly_reader_close(fed->readers[i]);
		fed->readers[i] = NULL;
	}
	return status;
}

/* Updates parts with a sample; the last part has no end. */
static enum poly_status
feed(const struct sample *sample, struct run_part *parts, size_t count,
	const struct feeding *feeding, struct poly_error *error)
{
	struct fed_parts fed = {parts, count, {NULL}, feeding->twice ? 2 : 1};
	const enum poly_status status = feed_traces(sample, &fed, feeding, error);
	for (size_t i = 0; i < TRACES_MAX; i++)
		poly_reader_close(fed.readers[i]);
	return status;
}

enum poly_status
new_run(const char *const *names, unsigned threads, struct poly_stats **stats,
	struct poly_error *error)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.threads = threads;
	return poly_stats_new(&options, stats, error);
}

enum poly_status
report_options(const struct sample *sample, struct poly_stats_options options,
	const struct feeding *feeding, struct buf *out)
{
	struct poly_error error;
	struct run_part part = {NULL, UINT64_MAX};
	if (!options.analyses)
		options.analyses = sample->names;
	enum poly_status status = poly_stats_new(&options, &part.stats, &error);
	if (status == POLY_OK && feeding->block_rows)
		part.stats->block_rows = feeding->block_rows;
	if (status == POLY_OK)
		status = feed(sample, &part, 1, feeding, &error);
	if (status == POLY_OK)
		status = render(part.stats, out, &error);
	poly_stats_free(part.stats);
	return status;
}

enum poly_status
report_whole(const struct sample *sample, const char *const *names, unsigned threads,
	const struct feeding *feeding, struct buf *out)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.threads = threads;
	return report_options(sample, options, feeding, out);
}

/* Sets the parts of traces that a run has rows of; returns their number. */
static size_t
describe_part(const struct sample *sample, const struct merge_plan *plan, size_t i,
	struct poly_part described[TRACES_MAX])
{
	const uint64_t begin = i ? plan->cuts[i - 1] : 0;
	const uint64_t end = i + 1 < plan->parts ? plan->cuts[i] : plan->traces * sample->rows;
	size_t count = 0;
	for (uint64_t trace = 0; trace < plan->traces; trace++) {
		const uint64_t low = trace * sample->rows, high = low + sample->rows;
		const bool is_last = trace + 1 == plan->traces;
		const uint64_t first = begin > low ? begin : low;
		const uint64_t last = end < high ? end : high;
		/* As begin_parts. */
		if ((begin >= high && !is_last) || (begin < low && end <= low))
			continue;
		described[count++] = (struct poly_part){.file = "sample",
			.format = "format",
			.reading = "",
			.identity = {.size = trace},
			.first = first - low + 1,
			.records = last > first ? last - first : 0,
			.rows = last > first ? last - first : 0};
	}
	return count;
}

/* Replaces a run by the one that was saved and loaded, and saved to the same bytes. */
static enum poly_status
reload(struct poly_stats **stats, const struct poly_part *parts, size_t count,
	struct poly_error *error)
{
	struct buf saved = {0}, again = {0};
	const struct poly_sink sink = {collect, &saved}, second = {collect, &again};
	enum poly_status status = poly_stats_save(*stats, parts, count, &sink, error);
	poly_stats_free(*stats);
	*stats = NULL;
	if (status == POLY_OK)
		status = poly_stats_load(saved.data, saved.size, stats, error);
	if (status == POLY_OK)
		status = poly_stats_save(*stats, NULL, 0, &second, error);
	if (status == POLY_OK && !is_same(&again, &saved, "saved again", saved.size))
		status = POLY_ERR_FORMAT;
	buf_free(&saved);
	buf_free(&again);
	return status;
}

/* Saves and loads all parts. */
static enum poly_status
reload_parts(const struct sample *sample, const struct merge_plan *plan, struct run_part *parts,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; status == POLY_OK && i < plan->parts; i++) {
		struct poly_part described[TRACES_MAX];
		const size_t count = describe_part(sample, plan, i, described);
		status = reload(&parts[i].stats, described, count, error);
	}
	return status;
}

/* Returns the part whose right neighbour is merged next. */
static size_t
next_merge(enum merge_order order, size_t count, size_t last)
{
	switch (order) {
	case MERGE_FROM_RIGHT: return count - 2;
	case MERGE_BALANCED: return last + 2 < count ? last + 1 : 0;
	case MERGE_RANDOM: return (size_t)random_below(count - 1);
	case MERGE_FROM_LEFT:
	default: return 0;
	}
}

/* Merges all parts into the first one. */
static enum poly_status
merge_parts(
	struct run_part *parts, size_t count, enum merge_order order, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t last = count; status == POLY_OK && count > 1; count--) {
		last = next_merge(order, count, last);
		status = poly_stats_merge(parts[last].stats, parts[last + 1].stats, error);
		poly_stats_free(parts[last + 1].stats);
		memmove(&parts[last + 1], &parts[last + 2], (count - last - 2) * sizeof *parts);
		parts[count - 1].stats = NULL;
	}
	return status;
}

enum poly_status
report_merged(const struct sample *sample, const struct merge_plan *plan,
	const struct feeding *feeding, struct buf *report)
{
	struct poly_error error = {0};
	struct run_part parts[PARTS_MAX] = {{NULL, 0}};
	struct fed_parts fed = {parts, plan->parts, {NULL}, plan->traces};
	enum poly_status status = POLY_OK;
	for (size_t i = 0; status == POLY_OK && i < plan->parts; i++) {
		parts[i].end = i + 1 < plan->parts ? plan->cuts[i] : UINT64_MAX;
		status = new_run(sample->parts, 1, &parts[i].stats, &error);
	}
	if (status == POLY_OK)
		status = feed_traces(sample, &fed, feeding, &error);
	if (status == POLY_OK && plan->saves)
		status = reload_parts(sample, plan, parts, &error);
	if (status == POLY_OK)
		status = merge_parts(parts, plan->parts, plan->order, &error);
	if (status == POLY_OK && plan->saves)
		status = reload(&parts[0].stats, NULL, 0, &error);
	if (status == POLY_OK)
		status = render(parts[0].stats, report, &error);
	if (status != POLY_OK)
		fails("status %d: %s", status, error.message);
	for (size_t i = 0; i < PARTS_MAX; i++)
		poly_stats_free(parts[i].stats);
	for (size_t i = 0; i < TRACES_MAX; i++)
		poly_reader_close(fed.readers[i]);
	return status;
}

bool
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

bool
has_texts(const struct analysis *analysis)
{
	return analysis->info.outputs || analysis->info.kind == POLY_ANALYSIS_HOMEWORK;
}

/* Appends the outputs of a finished run, each after its name and status. */
static enum poly_status
append_outputs(const struct poly_stats *stats, const struct analysis *analysis, struct buf *out,
	struct poly_error *error)
{
	const struct poly_analysis_output *output = analysis->info.outputs;
	const struct poly_sink sink = {collect, out};
	enum poly_status status = POLY_OK;
	for (; status >= 0 && output && output->name; output++) {
		buf_printf(out, "\n%s:\n", output->name);
		status = poly_stats_write(
			stats, analysis->info.name, output->name, &sink, error);
		/* Too large for its format. */
		if (status == POLY_ERR_LIMIT) {
			buf_string(out, error->message);
			status = POLY_OK;
		}
	}
	return status;
}

/* Options without which an analysis lacks an output or a table. */
static const char *const *
required_options(const struct analysis *analysis)
{
	static const char *const options[][4] = {{"phases", "phases.vectors=1"},
		{"pipeline", "pipeline.count=20", "pipeline.top=9"}};
	static const char *const none = NULL;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		if (strcmp(options[i][0], analysis->info.name) == 0)
			return options[i] + 1;
	}
	return &none;
}

enum poly_status
report_texts(const struct sample *sample, const struct analysis *analysis,
	const struct feeding *feeding, struct buf *out)
{
	const char *const names[] = {analysis->info.name, NULL};
	const struct poly_sink sink = {collect, out};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_error error = {.message = ""};
	struct run_part part = {NULL, UINT64_MAX};
	struct buf report = {0};
	options.analyses = names;
	options.options = required_options(analysis);
	if (analysis->info.kind == POLY_ANALYSIS_HOMEWORK)
		options.sink = &sink;
	buf_clear(out);
	enum poly_status status = poly_stats_new(&options, &part.stats, &error);
	if (status == POLY_OK && feeding->block_rows)
		part.stats->block_rows = feeding->block_rows;
	if (status == POLY_OK)
		status = feed(sample, &part, 1, feeding, &error);
	if (status == POLY_OK)
		status = render(part.stats, &report, &error);
	if (status >= 0 && report.failed)
		status = POLY_ERR_MEMORY;
	if (status >= 0) {
		buf_append(out, report.data, report.size);
		status = append_outputs(part.stats, analysis, out, &error);
	}
	buf_free(&report);
	poly_stats_free(part.stats);
	if (status < 0)
		fails("%s: status %d: %s", analysis->info.name, status, error.message);
	return status;
}
