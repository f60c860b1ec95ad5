/* SPDX-License-Identifier: MIT */
/*
 * Finds data races: unordered accesses of two threads to common bytes, at least one a write.
 * Shadow memory stores the last accesses of a bounded number of words, so races can be missed.
 * False positives are due only to synchronisation that the trace does not record.
 */
#include "correlate/merge/analysis.h"

#include <string.h>

/* Maximum number of bytes of an access that are checked. */
#define ACCESS_BYTES_MAX 4096

/* True if the accesses are ordered in case one thread created the other between them: the other
 * one has a higher number and an unknown creator, and the first one's past does not include it.
 */
static bool
may_be_creation(const struct merge_analysis *analysis, const struct shadow_cell *before,
	const struct shadow_cell *now)
{
	const struct sync_thread *threads = analysis->sync->threads;
	const bool is_first = threads[before->thread].number < threads[now->thread].number;
	const struct shadow_cell *creator = is_first ? before : now;
	const struct shadow_cell *created = is_first ? now : before;
	return threads[created->thread].creator == SYNC_NONE &&
	       !analysis_knows(analysis, creator, created->thread);
}

static bool
add_race(struct merge_analysis *analysis, const struct shadow_cell *before,
	const struct shadow_cell *now, uint64_t address)
{
	const uint64_t low = before->pc < now->pc ? before->pc : now->pc;
	const uint64_t high = before->pc < now->pc ? now->pc : before->pc;
	/* Hash of two addresses. */
	const bool is_creation = may_be_creation(analysis, before, now);
	const uint64_t key =
		(low * 0x9E3779B97F4A7C15u ^ (high * 0xC2B2AE3D27D4EB4Fu) >> 7) + is_creation;
	const uint64_t *found = map_find(&analysis->race_numbers, key);
	bool added;
	analysis->races_found++;
	analysis->creation_races += is_creation;
	if (found) {
		analysis->races[*found].count++;
		return true;
	}
	if (analysis->race_count == RACES_MAX) {
		analysis->races_unlisted++;
		return true;
	}
	if (!map_get(&analysis->race_numbers, key, analysis->race_count, &added))
		return false;
	analysis->races[analysis->race_count++] =
		(struct race){address, is_creation, {*before, *now}, 1};
	return true;
}

/* True if a stored access of another thread does not happen before this one. */
static bool
races(const struct merge_analysis *analysis, const struct shadow_cell *before,
	const struct shadow_cell *now)
{
	return before->thread != now->thread && (before->bytes & now->bytes) &&
	       (before->writes || now->writes) && !(before->atomic && now->atomic) &&
	       analysis->progresses[now->thread].clock[before->thread] < before->epoch;
}

/* True if a stored access of the same thread subsumes this one. */
static bool
covers(const struct shadow_cell *before, const struct shadow_cell *now)
{
	return before->thread == now->thread && before->epoch == now->epoch &&
	       (now->bytes & ~before->bytes) == 0 && before->writes >= now->writes &&
	       before->atomic <= now->atomic;
}

/* Returns the cell for an access: an empty one, one that it subsumes, or the oldest. */
static struct shadow_cell *
cell_for(struct merge_analysis *analysis, struct word *word, const struct shadow_cell *now)
{
	struct shadow_cell *oldest = word->cells;
	for (size_t i = 0; i < SHADOW_CELLS; i++) {
		struct shadow_cell *cell = &word->cells[i];
		const bool less = cell->thread == now->thread &&
				  (cell->bytes & ~now->bytes) == 0 &&
				  cell->writes <= now->writes && cell->atomic >= now->atomic;
		if (!cell->bytes || less)
			return cell;
		if (cell->record < oldest->record)
			oldest = cell;
	}
	analysis->forgotten++;
	return oldest;
}

/* Returns the shadow word of an address, cleared if it held another one. */
static struct word *
find_shadow_word(struct merge_analysis *analysis, uint64_t number)
{
	const uint64_t hash = number * 0x9E3779B97F4A7C15u;
	struct word *word = &analysis->shadow_words[hash >> 48 & (SHADOW_WORDS - 1)];
	if (word->number == number)
		return word;
	for (size_t i = 0; i < SHADOW_CELLS; i++)
		analysis->forgotten += word->cells[i].bytes != 0;
	memset(word, 0, sizeof *word);
	word->number = number;
	return word;
}

static bool
check_word(struct merge_analysis *analysis, uint64_t number, const struct shadow_cell *now)
{
	struct word *word = find_shadow_word(analysis, number);
	for (size_t i = 0; i < SHADOW_CELLS; i++) {
		if (word->cells[i].bytes && covers(&word->cells[i], now))
			return true;
	}
	for (size_t i = 0; i < SHADOW_CELLS; i++) {
		const struct shadow_cell *cell = &word->cells[i];
		if (races(analysis, cell, now) &&
			!add_race(analysis, cell, now,
				number * 8 + (uint64_t)__builtin_ctz(cell->bytes & now->bytes)))
			return false;
	}
	*cell_for(analysis, word, now) = *now;
	return true;
}

bool
analysis_access(struct merge_analysis *analysis, const struct memory_access *access)
{
	struct shadow_cell now = {
		.epoch = analysis->progresses[access->thread].clock[access->thread],
		.pc = access->pc,
		.record = access->record,
		.thread = access->thread,
		.writes = access->writes,
		.atomic = access->atomic};
	uint64_t address = access->address;
	uint32_t left = access->size < ACCESS_BYTES_MAX ? access->size : ACCESS_BYTES_MAX;
	while (left) {
		const uint32_t src = address % 8, room = 8 - src;
		const uint32_t n = left < room ? left : room;
		now.bytes = (uint8_t)((0xffu >> (8 - n)) << src);
		if (!check_word(analysis, address / 8, &now))
			return false;
		address += n;
		left -= n;
	}
	return true;
}
