/* SPDX-License-Identifier: MIT */
/* Saves and loads the analysis flow. */
#include "analysis/stats/code/flow.h"

#include "analysis/facts/archive.h"
#include "base/mem.h"

static void
transfer_last(struct archive *archive, struct last_instruction *last)
{
	ARCHIVE(archive, last->run);
	ARCHIVE(archive, last->between);
	if (!last->run && !last->between)
		return;
	ARCHIVE(archive, last->pc);
	ARCHIVE(archive, last->fallthrough);
	ARCHIVE(archive, last->expected);
	ARCHIVE(archive, last->run_start);
	ARCHIVE(archive, last->mode);
	ARCHIVE(archive, last->has_fallthrough);
	ARCHIVE(archive, last->has_expected);
	ARCHIVE(archive, last->jumps);
	ARCHIVE(archive, last->is_delayed);
	ARCHIVE(archive, last->annuls);
	ARCHIVE(archive, last->is_system);
}

static void
transfer_row(struct archive *archive, struct flow_row *row)
{
	ARCHIVE(archive, row->position);
	ARCHIVE(archive, row->pc);
	ARCHIVE(archive, row->fallthrough);
	ARCHIVE(archive, row->expected);
	ARCHIVE(archive, row->mode);
	ARCHIVE(archive, row->reasons);
	ARCHIVE(archive, row->is_instruction);
	ARCHIVE(archive, row->is_later);
	ARCHIVE(archive, row->has_fallthrough);
	ARCHIVE(archive, row->has_expected);
	ARCHIVE(archive, row->has_branch);
	ARCHIVE(archive, row->is_taken);
	ARCHIVE(archive, row->is_delayed);
	ARCHIVE(archive, row->jumps);
	ARCHIVE(archive, row->annuls);
	ARCHIVE(archive, row->is_system);
}

static void
transfer_border(struct archive *archive, struct flow_border **slot)
{
	bool is_used = *slot != NULL;
	ARCHIVE(archive, is_used);
	if (!is_used)
		return;
	if (archive_loads(archive))
		*slot = mem_new(1, sizeof **slot);
	struct flow_border *border = *slot;
	archive_allocate(archive, border != NULL);
	if (!border)
		return;
	ARCHIVE_UP_TO(archive, border->count, BORDER_ROWS);
	ARCHIVE_UP_TO(archive, border->instructions, BORDER_INSTRUCTIONS);
	ARCHIVE(archive, border->run);
	ARCHIVE(archive, border->more);
	ARCHIVE(archive, border->ended);
	for (unsigned i = 0; i < border->count; i++)
		transfer_row(archive, &border->rows[i]);
}

static void
transfer_break(struct archive *archive, struct flow_break *item)
{
	ARCHIVE(archive, item->expected);
	ARCHIVE(archive, item->count);
	ARCHIVE(archive, item->first);
	ARCHIVE(archive, item->has_expected);
	ARCHIVE_UP_TO(archive, item->reason, REASONS - 1);
}

static void
transfer_runs(struct archive *archive, struct sequential_runs *runs)
{
	ARCHIVE_ARRAY(archive, runs->lengths);
	ARCHIVE(archive, runs->count);
	ARCHIVE(archive, runs->sum);
	ARCHIVE(archive, runs->max);
	ARCHIVE(archive, runs->longest_start);
	ARCHIVE(archive, runs->longest_end);
}

void
flow_transfer(void *state, struct archive *archive)
{
	struct flow_state *flow = state;
	ARCHIVE(archive, flow->has_targets);
	ARCHIVE(archive, flow->is_empty);
	ARCHIVE(archive, flow->is_too_long);
	ARCHIVE(archive, flow->rows);
	for (size_t i = 0; i < archive->contexts && !archive_failed(archive); i++) {
		transfer_last(archive, &flow->last[i]);
		transfer_border(archive, &flow->borders[i]);
	}
	archive_log(archive, &flow->log, NULL);
	ARCHIVE_ARRAY(archive, flow->transitions);
	ARCHIVE_ARRAY(archive, flow->reasons);
	transfer_runs(archive, &flow->runs);
	archive_pairs(archive, &flow->break_pairs, UINT64_MAX);
	const size_t breaks =
		ARCHIVE_ROOM(archive, flow->breaks, flow->capacity, flow->break_pairs.count);
	archive_require(archive, breaks == flow->break_pairs.count);
	for (size_t i = 0; i < breaks; i++)
		transfer_break(archive, &flow->breaks[i]);
	ARCHIVE(archive, flow->untracked);
}
