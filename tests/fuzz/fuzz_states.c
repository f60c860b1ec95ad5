/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: saved results with valid heads and versions, which are saved again, merged and
 * reported. The input has the sizes of two of them, 4 bytes each, and then their bytes after
 * the version.
 */
#include "../sinks.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "polytrace/polytrace.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes of the sizes in an input, and of a head. */
enum { SIZES = 8, HEAD = 32 };

/* Loads results; NULL: they are not valid. */
static struct poly_stats *
load(const uint8_t *data, size_t size)
{
	struct poly_stats *stats = NULL;
	struct poly_error error;
	struct buf file = {0};
	uint8_t head[HEAD] = "\x89PST\r\n\x1a\n\1";
	buf_append(&file, head, sizeof head);
	buf_byte(&file, (uint8_t)(strlen(poly_version()) + 1));
	buf_string(&file, poly_version());
	buf_append(&file, data, size);
	store_le64(file.data + 16, file.size - HEAD);
	store_le64(file.data + 24, checksum(file.data + HEAD, file.size - HEAD));
	poly_stats_load(file.data, file.size, &stats, &error);
	buf_free(&file);
	return stats;
}

static void
report(struct poly_stats *stats)
{
	struct poly_error error;
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	struct poly_report *report = poly_report_new();
	poly_stats_save(stats, NULL, 0, &sink, &error);
	poly_stats_finish(stats, &error);
	poly_stats_report(stats, NULL, report);
	poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, &error);
	poly_report_free(report);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct poly_error error;
	const uint64_t first = size < SIZES ? 0 : load_le32(data);
	const uint64_t second = size < SIZES ? 0 : load_le32(data + 4);
	if (size < SIZES || first + second > size - SIZES)
		return 0;
	struct poly_stats *stats = load(data + SIZES, (size_t)first);
	struct poly_stats *next = load(data + SIZES + first, (size_t)second);
	if (stats && next)
		poly_stats_merge(stats, next, &error);
	if (stats)
		report(stats);
	poly_stats_free(stats);
	poly_stats_free(next);
	return 0;
}
