/* SPDX-License-Identifier: MIT */
/* Readers: metadata, counts and findings. */
#include "format/core/reader_state.h"

const struct poly_trace_info *
poly_reader_info(const struct poly_reader *reader)
{
	return &reader->info.view;
}

const struct poly_format_info *
poly_reader_format(const struct poly_reader *reader)
{
	return &reader->format->info;
}

const char *
poly_reader_evidence(const struct poly_reader *reader)
{
	return reader->probed.evidence;
}

const char *
poly_reader_compression(const struct poly_reader *reader)
{
	return in_layers(reader->in);
}

void
poly_reader_count(const struct poly_reader *reader, struct poly_reader_counts *counts)
{
	*counts = reader->counts;
	in_progress(reader->in, &counts->input_bytes, &counts->input_total);
	counts->content_bytes = reader_offset(reader);
}

uint64_t
poly_reader_corrupt_records(const struct poly_reader *reader)
{
	return reader->corrupt_records;
}

bool
poly_reader_finding_at(const struct poly_reader *reader, size_t i, struct poly_finding *finding)
{
	const struct findings *findings = &reader->findings;
	if (i >= findings->kept_count || findings->texts.failed)
		return false;
	const struct finding *kept = &findings->kept[i];
	*finding = (struct poly_finding){findings_rule(findings, kept->rule),
		findings->counts[kept->rule], kept->record, kept->offset,
		(const char *)findings->texts.data + kept->message};
	return true;
}

enum poly_understanding
poly_reader_understanding(const struct poly_reader *reader)
{
	/* One of these lines may be output of the program. */
	enum { LINES_PER_UNKNOWN = 100 };
	const struct findings *findings = &reader->findings;
	const struct poly_read_options *options = &reader->options;
	/* Findings are of the selected records, each of which has a line at most. */
	const bool is_bounded = options->skip || options->count != UINT64_MAX;
	const uint64_t lines = is_bounded ? reader->counts.records : reader->reading.line;
	const uint64_t unknown = findings_count_lines(findings, FINDINGS_NOT_UNDERSTOOD);
	if (unknown > lines / LINES_PER_UNKNOWN)
		return POLY_NOT_UNDERSTOOD;
	return findings_count_lines(findings, FINDINGS_PARTLY_READ) ? POLY_PARTLY_READ
								    : POLY_UNDERSTOOD;
}

bool
poly_reader_truncation(const struct poly_reader *reader, struct poly_error *error)
{
	if (reader->truncated && error)
		*error = reader->failure;
	return reader->truncated;
}

static enum poly_status
next_batch(void *reader, const struct poly_batch **batch, struct poly_error *error)
{
	return poly_reader_next(reader, batch, error);
}

struct poly_source
poly_reader_source(struct poly_reader *reader)
{
	return (struct poly_source){poly_reader_info(reader), next_batch, reader};
}
