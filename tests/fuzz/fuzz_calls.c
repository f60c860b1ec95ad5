/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: random control flow of four threads over a few addresses, with calls, returns
 * and jumps chosen by the input, with and without symbols. Every instruction is in one stack.
 */
#include "polytrace/stats.h"

#include "base/buf.h"
#include "model/batch.h"
#include "model/info.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct info info;
static struct batch batch;
static struct poly_symbols *symbols;

static void
must(bool holds)
{
	if (!holds)
		abort();
}

static void
prepare(void)
{
	static const char list[] = "0 20 T a\n20 10 T b\n30 40 T c\n60 T d\n90 T e\n";
	if (symbols)
		return;
	info_init(&info);
	info.view.columns = POLY_COLUMNS(kind, pc, opcode, opcode_size, thread);
	info.view.isa = "powerpc";
	must(batch_init(&batch, info.view.columns, POLY_BATCH_ROWS, &info.view, NULL) ==
		POLY_OK);
	must(poly_symbols_open_memory(list, strlen(list), &symbols, NULL) == POLY_OK);
}

/* Reads two bytes per row: address; thread and opcode. */
static size_t
fill(const uint8_t *data, size_t size)
{
	static const uint32_t opcodes[] = {0x60000000, 0x48000001, 0x4e800020, 0x4e800420};
	size_t rows = size / 2 < POLY_BATCH_ROWS ? size / 2 : POLY_BATCH_ROWS;
	batch_clear(&batch);
	for (size_t row = 0; row < rows; row++) {
		const uint8_t *p = data + 2 * row;
		batch_put_integer(&batch, POLY_COLUMN_kind, row, POLY_KIND_INSTRUCTION);
		batch_put_integer(&batch, POLY_COLUMN_thread, row, p[1] >> 2 & 3);
		batch_put_integer(&batch, POLY_COLUMN_pc, row, (uint64_t)(p[0] & 63) * 4);
		batch_put_integer(&batch, POLY_COLUMN_opcode, row, opcodes[p[1] & 3]);
		batch_put_integer(&batch, POLY_COLUMN_opcode_size, row, 4);
	}
	batch.view.rows = rows;
	must(batch_finish(&batch, NULL) == POLY_OK);
	return rows;
}

static int
put(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

static void
count(size_t rows, bool has_symbols, bool merges)
{
	static const char *const names[] = {"calls", NULL};
	const char *const words[] = {merges ? "calls.unreturned=merge" : "calls.indent=1",
		has_symbols ? "calls.style=profile" : "calls.style=tree", NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *calls;
	struct buf out = {0};
	const struct poly_sink sink = {put, &out};
	uint64_t sum = 0;
	options.symbols = has_symbols ? symbols : NULL;
	options.analyses = names;
	options.options = words;
	must(poly_stats_new(&options, &calls, NULL) == POLY_OK);
	must(poly_stats_begin(calls, &info.view, NULL) == POLY_OK);
	must(poly_stats_update(calls, &batch.view, NULL) == POLY_OK);
	must(poly_stats_finish(calls, NULL) == POLY_OK);
	must(poly_stats_write(calls, "calls", "folded", &sink, NULL) == POLY_OK);
	for (const char *line = buf_text(&out); *line; line = strchr(line, '\n') + 1)
		sum += strtoull(strchr(line, ' '), NULL, 10);
	must(sum == rows);
	struct poly_report *report = poly_report_new();
	poly_stats_report(calls, "calls", report);
	must(poly_report_render(report, POLY_RENDER_CSV, &sink, NULL) == POLY_OK);
	poly_report_free(report);
	poly_stats_free(calls);
	buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	prepare();
	const size_t rows = fill(data, size);
	for (int way = 0; way < 4; way++)
		count(rows, way & 1, way & 2);
	return 0;
}
