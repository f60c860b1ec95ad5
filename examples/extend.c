/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace in a format of its own, analyzes it by an analysis of its own, and writes it
 * again.
 *
 * A trace of the format is the word "HITS" and, for each access, its address in 8 bytes, the
 * least significant first, the lowest bit of which is set if the access is a write.
 */
#include <polytrace/polytrace.h>

#include <stdio.h>
#include <string.h>

static const char magic[4] = "HITS";

static int
hits_probe(const uint8_t *bytes, size_t size, bool is_complete, char *evidence,
	size_t evidence_size)
{
	(void)is_complete;
	if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
		return 0;
	snprintf(evidence, evidence_size, "it begins with HITS");
	return 32;
}

static enum poly_status
hits_open(const struct poly_plugin_input *input, struct poly_trace_info *info,
	struct poly_error *error)
{
	size_t have;
	const uint8_t *bytes = input->peek(input, sizeof magic, &have);
	if (have < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
		snprintf(error->message, sizeof error->message, "the trace lacks its magic");
		return POLY_ERR_FORMAT;
	}
	input->consume(input, sizeof magic);
	info->byte_order = POLY_BYTE_ORDER_LITTLE;
	info->address_bits = 64;
	return POLY_OK;
}

static enum poly_status
hits_read(const struct poly_plugin_input *input, struct poly_plugin_rows *rows,
	struct poly_error *error)
{
	const uint64_t start = input->offset(input);
	size_t have;
	const uint8_t *bytes = input->peek(input, 8 * rows->capacity, &have);
	for (; rows->count < rows->capacity && 8 * rows->count + 8 <= have; rows->count++) {
		const size_t row = rows->count;
		uint64_t hit = 0;
		for (int i = 7; i >= 0; i--)
			hit = hit << 8 | bytes[8 * row + (size_t)i];
		rows->put(rows, POLY_COLUMN_kind, row, POLY_KIND_ACCESS);
		rows->put(rows, POLY_COLUMN_access, row,
			hit & 1 ? POLY_ACCESS_WRITE : POLY_ACCESS_READ);
		rows->put(rows, POLY_COLUMN_address, row, hit & ~(uint64_t)1);
		rows->put(rows, POLY_COLUMN_origin, row, start + 8 * row);
	}
	input->consume(input, 8 * rows->count);
	if (rows->count)
		return POLY_OK;
	if (have == 0)
		return POLY_END;
	snprintf(error->message, sizeof error->message,
		"the last record is truncated (found %zu bytes, expected 8)", have);
	error->offset = start;
	return POLY_ERR_FORMAT;
}

static enum poly_status
hits_begin_write(const struct poly_plugin_output *output, struct poly_error *error)
{
	(void)error;
	output->write(output, magic, sizeof magic);
	return POLY_OK;
}

static enum poly_status
hits_write(const struct poly_plugin_output *output, const struct poly_batch *batch,
	struct poly_error *error)
{
	(void)error;
	for (size_t row = 0; row < batch->rows; row++) {
		uint8_t bytes[8];
		if (!poly_present(batch, POLY_COLUMN_address, row) ||
			!poly_present(batch, POLY_COLUMN_access, row)) {
			output->note(output, "records that are not accesses were dropped");
			continue;
		}
		const bool is_write = batch->access[row] == POLY_ACCESS_WRITE;
		const uint64_t hit = (batch->address[row] & ~(uint64_t)1) | is_write;
		for (int i = 0; i < 8; i++)
			bytes[i] = (uint8_t)(hit >> 8 * i);
		output->write(output, bytes, sizeof bytes);
	}
	return POLY_OK;
}

static const struct poly_format_info hits_info = {
	.name = "hits",
	.family = "hits",
	.title = "accesses of 8 bytes",
	.extensions = "hits",
	.spec = "examples/extend.c",
	.can_read = true,
	.can_write = true,
	.columns = POLY_COLUMNS_INIT(kind, access, address, origin),
	.needs = POLY_COLUMNS_INIT(access, address),
};

static const struct poly_format_plugin hits = {
	.size = sizeof(struct poly_format_plugin),
	.info = &hits_info,
	.probe = hits_probe,
	.open = hits_open,
	.read = hits_read,
	.begin_write = hits_begin_write,
	.write = hits_write,
};

static const struct poly_format_plugin *const formats[] = {&hits, NULL};

/* The state of the analysis. */
struct traffic {
	uint64_t writes, accesses;
};

static bool
traffic_update(void *state, const struct poly_batch *batch)
{
	struct traffic *traffic = state;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!poly_present(batch, POLY_COLUMN_access, row))
			continue;
		traffic->accesses++;
		traffic->writes += batch->access[row] == POLY_ACCESS_WRITE;
	}
	return true;
}

static bool
traffic_merge(void *into, const void *from)
{
	struct traffic *sum = into;
	const struct traffic *traffic = from;
	sum->writes += traffic->writes;
	sum->accesses += traffic->accesses;
	return true;
}

static void
traffic_report(const void *state, struct poly_report *report)
{
	const struct traffic *traffic = state;
	poly_report_count(report, "accesses", traffic->accesses);
	poly_report_ratio(
		report, "write_ratio", (double)traffic->writes, (double)traffic->accesses, 1);
}

static const struct poly_analysis_info traffic_info = {
	.name = "traffic",
	.title = "Traffic",
	.summary = "accesses, and the ratio of writes",
	.needs = POLY_COLUMNS_INIT(access),
};

static const struct poly_analysis_plugin traffic = {
	.size = sizeof(struct poly_analysis_plugin),
	.info = &traffic_info,
	.state_size = sizeof(struct traffic),
	.update = traffic_update,
	.merge = traffic_merge,
	.report = traffic_report,
};

static const struct poly_analysis_plugin *const analyses[] = {&traffic, NULL};

static int
print_bytes(void *user, const void *data, size_t size)
{
	return fwrite(data, 1, size, user) == size ? 0 : 5;
}

/* The bytes that are written, which should equal those that are read. */
struct copy {
	uint8_t bytes[64];
	size_t size;
};

static int
append_bytes(void *user, const void *data, size_t size)
{
	struct copy *copy = user;
	if (size > sizeof copy->bytes - copy->size)
		return 5;
	memcpy(copy->bytes + copy->size, data, size);
	copy->size += size;
	return 0;
}

/* Analyzes and copies all batches. */
static enum poly_status
run(struct poly_reader *reader, struct poly_stats *stats, struct poly_writer *writer,
	struct poly_error *error)
{
	const struct poly_batch *batch;
	enum poly_status status = poly_stats_begin(stats, poly_reader_info(reader), error);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, error)) == POLY_OK) {
		status = poly_stats_update(stats, batch, error);
		if (status == POLY_OK)
			status = poly_writer_write(writer, batch, error);
	}
	if (status == POLY_END)
		status = poly_writer_finish(writer, error);
	return status == POLY_OK ? poly_stats_finish(stats, error) : status;
}

static enum poly_status
analyze_and_copy(const void *trace, size_t size, struct poly_report *report, struct copy *copy,
	struct poly_error *error)
{
	struct poly_read_options read_options = POLY_READ_OPTIONS_INIT;
	struct poly_write_options write_options = POLY_WRITE_OPTIONS_INIT;
	struct poly_stats_options stats_options = POLY_STATS_OPTIONS_INIT;
	const char *const names[] = {"traffic", NULL};
	const struct poly_sink sink = {append_bytes, copy};
	struct poly_reader *reader;
	struct poly_stats *stats = NULL;
	struct poly_writer *writer = NULL;
	read_options.formats = formats;
	write_options.formats = formats;
	write_options.format = "hits";
	stats_options.plugins = analyses;
	stats_options.analyses = names;
	enum poly_status status =
		poly_reader_open_memory(trace, size, &read_options, &reader, error);
	if (status == POLY_OK)
		status = poly_stats_new(&stats_options, &stats, error);
	if (status == POLY_OK)
		status = poly_writer_open_sink(
			&sink, poly_reader_info(reader), &write_options, &writer, error);
	if (status == POLY_OK)
		status = run(reader, stats, writer, error);
	if (status == POLY_OK)
		poly_stats_report(stats, NULL, report);
	poly_writer_close(writer);
	poly_stats_free(stats);
	poly_reader_close(reader);
	return status;
}

int
main(void)
{
	static const uint8_t trace[] = "HITS"
				       "\x00\x10\x00\x00\x00\x00\x00\x00"
				       "\x09\x10\x00\x00\x00\x00\x00\x00"
				       "\x10\x10\x00\x00\x00\x00\x00\x00"
				       "\x19\x10\x00\x00\x00\x00\x00\x80";
	const size_t size = sizeof trace - 1;
	const struct poly_sink output = {print_bytes, stdout};
	struct poly_report *report = poly_report_new();
	struct copy copy = {.size = 0};
	struct poly_error error;
	if (!report || analyze_and_copy(trace, size, report, &copy, &error) < 0 ||
		poly_report_render(report, POLY_RENDER_TEXT, &output, &error) != POLY_OK) {
		fprintf(stderr, "%s\n", report ? error.message : "out of memory");
		poly_report_free(report);
		return 1;
	}
	poly_report_free(report);
	return copy.size == size && memcmp(copy.bytes, trace, size) == 0 ? 0 : 1;
}
