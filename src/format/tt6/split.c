/* SPDX-License-Identifier: MIT */
/*
 * Split points of TT6 and TT6E: after a flow record, whose last word is the pc of the next
 * instruction. Nothing marks a record, so where one ends is a guess: a decoder that starts at
 * any word soon meets the records, as branches that lead to their targets show.
 *
 * spec: TT6 trace format; Apple amber traces 4.9.
 */
#include "format/tt6/tt6.h"

#include <string.h>

/* Bytes at the end that are searched first, and if they have no split point. */
#define SEARCH_FIRST ((size_t)2 << 10)
#define SEARCH_MAX ((size_t)8 << 10)

/* Consecutive branches to their targets after which records are believed to be met. */
#define RIGHT_ENOUGH 3

/* Maximum words of an escape in a trace; others are words that are not a record's first one. */
#define ESCAPE_WORDS_MAX 64

/* A search through the n bytes at p. */
struct split_search {
	const struct tt6 *state;
	const uint8_t *p;
	size_t n;
	size_t at;	/* the next record */
	bool has_pc;	/* pc is known: a flow record precedes */
	uint32_t pc;	/* of the next instruction */
	unsigned right; /* consecutive branches to their targets */
	size_t best;	/* split point after most of them; 0: none */
	unsigned best_right;
};

/* A record is implausible: starts again at the next word. */
static void
restart(struct split_search *search)
{
	search->at += 4;
	search->has_pc = false;
	search->right = 0;
}

static bool
is_plausible_escape(uint32_t word)
{
	const unsigned code = tt6_code(word);
	return tt6_count(word) <= ESCAPE_WORDS_MAX &&
	       (tt6_sync(code) >= 0 || code <= TT6_CODE_LAST_CONTEXT);
}

/* Returns whether the address after a flow record contradicts its encoding; counts those that
 * the encoding determines. */
static bool
is_wrong_flow(struct split_search *search, const struct tt6_record *record)
{
	if (record->second % 4)
		return true;
	if (!search->has_pc || record->opcode == TT6_SPLICE)
		return false;
	const struct powerpc_branch branch = powerpc_branch(record->opcode, search->pc);
	if (!branch.has_target)
		return false;
	if (record->second == TT6_TRAP && search->state->extended)
		return false;
	const bool is_right = record->second == branch.target ||
			      (!branch.always && record->second == search->pc + 4);
	search->right += is_right;
	return !is_right;
}

/* Notes the split point after a flow record. */
static void
note_split(struct split_search *search, const struct tt6_record *record)
{
	const unsigned right = search->right < RIGHT_ENOUGH ? search->right : RIGHT_ENOUGH;
	search->at += record->length;
	search->has_pc = true;
	search->pc = record->second;
	if (right < search->best_right ||
		(search->state->extended && record->second == TT6_TRAP))
		return;
	search->best = search->at;
	search->best_right = right;
}

static void
pass_record(struct split_search *search, const struct tt6_record *record)
{
	if (record->shape == TT6_ESCAPE
			? !is_plausible_escape(record->opcode)
			: record->shape == TT6_FLOW && is_wrong_flow(search, record)) {
		restart(search);
	} else if (record->shape == TT6_FLOW) {
		note_split(search, record);
	} else {
		search->at += record->length;
		search->pc += record->shape == TT6_ESCAPE ? 0 : 4;
	}
}

/* Searches from an offset to the end of the bytes. */
static size_t
search_from(const struct tt6 *state, const uint8_t *p, size_t n, size_t at)
{
	struct split_search search = {.state = state, .p = p, .n = n, .at = at};
	struct tt6_record record;
	while (tt6_decode(
		       &state->tables, state->little, p + search.at, n - search.at, &record) ||
		(record.shape == TT6_ESCAPE && n - search.at >= 4)) {
		if (record.length > n - search.at)
			restart(&search);
		else
			pass_record(&search, &record);
	}
	return search.best;
}

size_t
tt6_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	/* Words are at multiples of 4 from the start of the input. */
	const size_t first = (size_t)(-offset % 4);
	size_t found = 0;
	for (size_t search = SEARCH_FIRST; !found && search <= SEARCH_MAX; search *= 4) {
		const size_t at = n > search ? (n - search) / 4 * 4 + first : first;
		found = at < n ? search_from(reading->state, p, n, at) : 0;
		if (n <= search)
			break;
	}
	return found;
}

bool
tt6_open_decoder(struct reading *reading, const struct reading *opened)
{
	struct tt6 *state = reading->state;
	const struct tt6 *from = opened->state;
	state->tables = from->tables;
	state->extended = from->extended;
	state->little = from->little;
	state->count_is_plain = from->count_is_plain;
	return true;
}

void
tt6_enter_split(struct reading *reading, const uint8_t *before, size_t n)
{
	struct tt6 *state = reading->state;
	state->started = true;
	state->rfi_due = false;
	state->rows.count = 0;
	memset(&state->pending, 0, sizeof state->pending);
	/* The first word of a trace alone is shorter. */
	state->pc = n >= 4 ? tt6_load(before + n - 4, state->little) : 0;
}

bool
tt6_is_at_split(const struct reading *reading, const uint8_t *before, size_t n)
{
	const struct tt6 *state = reading->state;
	const struct tt6_rows *rows = &state->rows;
	if (!state->started || n < 4 || state->pc != tt6_load(before + n - 4, state->little))
		return false;
	/* The second record of a synthetic pair depends on the first one. */
	if (state->extended && state->pc == TT6_TRAP)
		return false;
	/* The rows may not have their columns yet: escapes wait for an instruction. */
	return rows->count ? rows->fact[rows->count - 1] != 0 : !state->pending.any;
}
