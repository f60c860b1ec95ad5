/* SPDX-License-Identifier: MIT */
/* Indexing static instructions. */
#include "model/site.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

#define NO_SITE UINT32_MAX

uint32_t
sites_number(struct sites *sites, uint64_t pc, uint64_t opcode)
{
	bool added;
	/* Reserve before the map refers to the site. */
	if (!VEC_ROOM(sites->list, sites->capacity, sites->count))
		return NO_SITE;
	for (uint64_t key = map_pair(&sites->numbers, pc, opcode);; key++) {
		const uint64_t *number = map_get(&sites->numbers, key, sites->count, &added);
		if (!number)
			return NO_SITE;
		if (added)
			sites->list[sites->count++] = (struct site){pc, opcode};
		if (sites->list[*number].pc == pc && sites->list[*number].opcode == opcode)
			return (uint32_t)*number;
	}
}

bool
sites_fill_row(struct sites *sites, struct batch *batch, size_t row)
{
	const struct poly_batch *view = &batch->view;
	if (!poly_present(view, POLY_COLUMN_pc, row))
		return true;
	bool coded = poly_present(view, POLY_COLUMN_opcode, row);
	uint32_t site = sites_number(sites, view->pc[row], coded ? view->opcode[row] : 0);
	if (site != NO_SITE)
		batch_put(batch, site, row, site);
	return site != NO_SITE;
}

/*
 * Slot of a pc in the cache of recent sites. A program stays in few pages for long, in which no
 * two instructions share a slot; neighbours in the program have neighbouring slots.
 */
static uint32_t *
recent_place(const struct sites *sites, uint64_t pc)
{
	return &sites->recent[(pc >> 1 ^ pc >> 16) % SITES_RECENT];
}

/* Finds or adds a site, in most cases without hashing. */
static uint32_t
recent_number(struct sites *sites, uint64_t pc, uint64_t opcode)
{
	uint32_t *recent = recent_place(sites, pc);
	if (*recent) {
		const struct site *site = &sites->list[*recent - 1];
		if (site->pc == pc && site->opcode == opcode)
			return *recent - 1;
	}
	const uint32_t site = sites_number(sites, pc, opcode);
	*recent = site + 1;
	return site;
}

/* Fills the rows of a word; false on failure. */
static bool
fill_word(struct sites *sites, struct batch *batch, size_t word, uint64_t rows)
{
	const struct poly_batch *view = &batch->view;
	const uint64_t *codes = view->present[POLY_COLUMN_opcode];
	const uint64_t coded = codes ? codes[word] : 0;
	batch->bits[POLY_COLUMN_site][word] |= rows;
	for (uint64_t left = rows; left; left &= left - 1) {
		const size_t bit = (size_t)__builtin_ctzll(left), row = 64 * word + bit;
		const uint64_t opcode = coded >> bit & 1 ? view->opcode[row] : 0;
		view->site[row] = recent_number(sites, view->pc[row], opcode);
		if (view->site[row] == NO_SITE)
			return false;
	}
	return true;
}

enum poly_status
sites_fill(struct sites *sites, struct batch *batch, struct poly_error *error)
{
	const struct poly_batch *view = &batch->view;
	const uint64_t *places = view->present[POLY_COLUMN_pc];
	if (!sites->recent)
		sites->recent = mem_new(SITES_RECENT, sizeof *sites->recent);
	if (!sites->recent)
		return err_memory(error);
	for (size_t word = 0; places && word < (view->rows + 63) / 64; word++) {
		const size_t rows = view->rows - 64 * word;
		uint64_t left = places[word] & ~view->present[POLY_COLUMN_site][word];
		if (rows < 64)
			left &= ((uint64_t)1 << rows) - 1;
		if (left && !fill_word(sites, batch, word, left))
			return err_memory(error);
	}
	return POLY_OK;
}

void
sites_fini(struct sites *sites)
{
	map_free(&sites->numbers);
	mem_free(sites->recent);
	mem_free(sites->list);
	memset(sites, 0, sizeof *sites);
}
