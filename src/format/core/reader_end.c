/* SPDX-License-Identifier: MIT */
/* Readers: what ends them, and positions. */
#include "format/core/reader_state.h"

#include "base/err.h"

uint64_t
reader_count_records(const struct poly_batch *batch)
{
	const struct decoder_result *decoded = batch_decoded(batch);
	if (decoded)
		return decoded->records;
	const uint64_t *weights = poly_batch_weights(batch);
	uint64_t records = weights ? 0 : batch->rows;
	for (size_t row = 0; weights && row < batch->rows; row++)
		records += weights[row];
	return records;
}

uint64_t
reader_shown_records(const struct poly_reader *reader)
{
	return reader->shown ? reader_count_records(&reader->shown->view) : 0;
}

uint64_t
reader_offset(const struct poly_reader *reader)
{
	return reader->pool ? decode_pool_offset(reader->pool) : in_offset(reader->in);
}

/* Whether a finding is of what precedes all records. */
static bool
is_of_header(const struct finding *finding)
{
	return !finding->record && finding->offset != POLY_NO_OFFSET;
}

/* Returns the first warning or error; NULL: no such finding. */
static const struct finding *
first_warning(const struct findings *findings)
{
	const struct finding *first = NULL;
	for (size_t i = 0; i < findings->kept_count; i++) {
		const struct finding *finding = &findings->kept[i];
		if (findings_rule(findings, finding->rule)->severity == POLY_NOTE)
			continue;
		if (is_of_header(finding))
			return finding;
		first = first ? first : finding;
	}
	return first;
}

enum poly_status
reader_apply_strict(struct poly_reader *reader, struct poly_error *failure)
{
	const struct findings *findings = &reader->findings;
	const struct finding *finding = first_warning(findings);
	if (!finding)
		return POLY_OK;
	/* A later record may cause a finding about a record that was delivered before. */
	const uint64_t before = reader->reading.record;
	const uint64_t rows = finding->record > before ? finding->record - before : 0;
	const bool precedes_all = is_of_header(finding);
	if ((finding->record || precedes_all) && rows < reader_shown_rows(reader))
		reader->shown->view.rows = (size_t)rows;
	err_set(failure, POLY_ERR_FORMAT, finding->offset, "%s: %s",
		findings_rule(findings, finding->rule)->code,
		(const char *)findings->texts.data + finding->message);
	failure->record = precedes_all ? 1 : finding->record;
	const struct poly_error *truncation = &findings->truncation;
	if (findings->truncated && truncation->record == finding->record &&
		truncation->offset == finding->offset)
		failure->status = POLY_ERR_TRUNCATED;
	return failure->status;
}

enum poly_status
reader_check_end(struct poly_reader *reader, struct poly_error *failure)
{
	size_t have;
	in_peek(reader->reading.in, 1, &have);
	return have ? POLY_END : in_status(reader->reading.in, failure);
}

/* Returns what a reader that met no failure ends with. */
static enum poly_status
apply_truncation(struct poly_reader *reader)
{
	if (!reader->findings.truncated)
		return POLY_END;
	reader->failure = reader->findings.truncation;
	return POLY_ERR_TRUNCATED;
}

void
reader_end(
	struct poly_reader *reader, enum poly_status status, const struct poly_error *failure)
{
	if (status < 0) {
		reader->failure = *failure;
		reader->failure.status = status;
		/* The last record is incomplete if the stream ends within it. */
		if (status == POLY_ERR_TRUNCATED && reader->findings.truncated)
			reader->failure.record = reader->findings.truncation.record;
		if (!reader->failure.record)
			reader->failure.record =
				reader->reading.record + reader_shown_records(reader) + 1;
	} else {
		if (reader->reading.check && reader->format->check)
			reader->format->check(&reader->reading, NULL);
		if (reader->options.strict)
			status = reader_apply_strict(reader, &reader->failure);
		if (status >= 0)
			status = apply_truncation(reader);
	}
	reader->truncated = status == POLY_ERR_TRUNCATED;
	reader->ended = reader->truncated && reader->options.partial ? POLY_END : status;
}
