/* SPDX-License-Identifier: MIT */
/* Laws of outputs and of lack of memory. */
#include "analysis_law.h"

#include "../memory_law.h"

#include <string.h>

/* Outputs that were written, by analysis and output. */
static bool is_written[NAMES_MAX][8];

/* Notes the outputs of an analysis whose text is not empty. */
static void
note_outputs(size_t i, struct buf *texts)
{
	const struct poly_analysis_output *outputs = analysis_at(i)->info.outputs;
	for (size_t k = 0; outputs && outputs[k].name; k++) {
		char name[60];
		snprintf(name, sizeof name, "\n%s:\n", outputs[k].name);
		const char *text = strstr(buf_text(texts), name);
		is_written[i][k] |= text && text[strlen(name)] && text[strlen(name)] != '\n';
	}
}

/* The texts of an analysis do not depend on batches, nor on further columns. */
static bool
texts_are_same(const struct sample *sample, const struct analysis *analysis, struct buf *whole)
{
	static const struct feeding feedings[] = {
		{.rows = 1}, {.rows = 37}, {.rows = 1000}, {.every_column = true}};
	struct buf other = {0};
	bool good = true;
	for (size_t i = 0; good && i < sizeof feedings / sizeof *feedings; i++)
		good = report_texts(sample, analysis, &feedings[i], &other) >= 0 &&
		       is_same(&other, whole, analysis->info.name, feedings[i].rows);
	buf_free(&other);
	return good;
}

bool
law_outputs(const struct sample *sample)
{
	const struct feeding feeding = {.every_column = false};
	const struct analysis *analysis;
	struct buf whole = {0};
	bool good = true;
	for (size_t i = 0; good && (analysis = analysis_at(i)); i++) {
		size_t k = 0;
		while (sample->names[k] && strcmp(sample->names[k], analysis->info.name) != 0)
			k++;
		if (!sample->names[k] || !has_texts(analysis))
			continue;
		good = report_texts(sample, analysis, &feeding, &whole) >= 0 &&
		       texts_are_same(sample, analysis, &whole);
		note_outputs(i, &whole);
	}
	buf_free(&whole);
	return good;
}

void
expect_outputs(void)
{
	const struct analysis *analysis;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		const struct poly_analysis_output *outputs = analysis->info.outputs;
		for (size_t k = 0; outputs && outputs[k].name; k++) {
			fails("output %s of %s was never written", outputs[k].name,
				analysis->info.name);
			law_result(is_written[i][k], "outputs_were_tried", "all");
		}
	}
}

/* A run while allocations fail: of the first rows, or of a packed sample with weights. */
struct attempt {
	const struct sample *sample;
	const char *const *names; /* one; NULL: all that can merge, in parts */
	const struct buf *packed; /* or NULL */
	struct buf whole, report;
};

/* Reports; texts that the analysis writes follow. */
static enum poly_status
try_attempt(const struct attempt *attempt, struct buf *report)
{
	const struct feeding feeding = {.limit = 1};
	const uint64_t half = attempt->sample->rows / 2;
	const struct merge_plan plan = {.parts = 3, .cuts = {half, half}, .traces = 1};
	/* Segments with weighted rows, and a last one that is read in part. */
	const struct packed_reading reading = {"", 0, 300, 0, 0, true};
	if (attempt->packed)
		return read_packed(attempt->packed, &reading, attempt->names, true, report);
	if (!attempt->names)
		return report_merged(attempt->sample, &plan, &feeding, report);
	const struct analysis *analysis = analysis_named(attempt->names[0]);
	return has_texts(analysis)
		       ? report_texts(attempt->sample, analysis, &feeding, report)
		       : report_whole(attempt->sample, attempt->names, 1, &feeding, report);
}

static enum poly_status
report_in_need(void *context)
{
	struct attempt *attempt = context;
	const enum poly_status status = try_attempt(attempt, &attempt->report);
	if (status < 0)
		return status;
	return is_same(&attempt->report, &attempt->whole, "report of bytes",
		       attempt->whole.size)
		       ? POLY_OK
		       : POLY_ERR_FORMAT;
}

/*
 * Whether each failing allocation is reported or leaves the report unchanged: each of the first
 * allocations, then some of the repetitive ones; each one of a packed sample, which has few.
 */
static bool
survives(struct attempt *attempt)
{
	bool good = try_attempt(attempt, &attempt->whole) >= 0;
	/* So that the sink does not allocate. */
	buf_reserve(&attempt->report, 2 * attempt->whole.size + 65536);
	if (good) {
		fails(".");
		const struct memory_result result =
			memory_law_check(&(struct memory_law){.run = report_in_need,
				.context = attempt,
				.is_tolerant = true,
				.is_sampled = true,
				.every = attempt->packed ? 0 : 32});
		good = !result.fault[0] ||
		       fails_also("; %s: %s", attempt->names ? attempt->names[0] : "parts",
			       result.fault);
	}
	buf_free(&attempt->whole);
	buf_free(&attempt->report);
	return good;
}

bool
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
