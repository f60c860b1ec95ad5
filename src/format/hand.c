/* SPDX-License-Identifier: MIT */
/* Decoding chunks. */
#include "format/hand.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

void
chunk_fini(struct chunk *chunk)
{
	for (size_t i = 0; i < chunk->piece_capacity; i++) {
		batch_fini(&chunk->pieces[i]->batch);
		mem_free(chunk->pieces[i]);
	}
	mem_free(chunk->pieces);
	mem_free(chunk->memory);
	mem_free(chunk->names);
	mem_free(chunk->sites);
}

bool
hand_init(struct hand *hand, const struct crew_plan *plan)
{
	const struct format *format = plan->format;
	struct reading *reading = &hand->reading;
	hand->plan = plan;
	info_init(&hand->info);
	*reading = *plan->reading;
	reading->info = &hand->info;
	reading->findings = &hand->findings;
	reading->sites = &hand->sites;
	reading->in = plan->in;
	reading->state = mem_new(1, format->reader_size);
	if (!reading->state || !findings_init(&hand->findings, format->info.rules))
		return false;
	hand->info.view.format = plan->reading->info->view.format;
	hand->info.view.raw_format = plan->reading->info->view.raw_format;
	hand->info.view.columns = format->info.columns;
	hand->opened = true;
	uint64_t before = in_offset(plan->in);
	bool good = !format->open || format->open(reading, NULL) == POLY_OK;
	assert(in_offset(plan->in) == before);
	(void)before;
	reading->in = good ? in_view() : NULL;
	return reading->in != NULL;
}

/* A further batch of a chunk, empty; NULL where there is no memory. */
static struct piece *
chunk_piece(struct hand *hand, struct chunk *chunk)
{
	const struct crew_plan *plan = hand->plan;
	if (chunk->piece_count < chunk->piece_capacity) {
		batch_clear(&chunk->pieces[chunk->piece_count]->batch);
		return chunk->pieces[chunk->piece_count];
	}
	struct piece **larger =
		mem_resize(chunk->pieces, chunk->piece_capacity + 1, sizeof(struct piece *));
	if (!larger)
		return NULL;
	chunk->pieces = larger;
	struct piece *piece = mem_new(1, sizeof *piece);
	if (!piece || batch_init(&piece->batch, plan->columns, plan->batch_rows,
			      &plan->reading->info->view, NULL) != POLY_OK) {
		mem_free(piece);
		return NULL;
	}
	chunk->pieces[chunk->piece_capacity++] = piece;
	return piece;
}

/* Makes the rows of a piece. */
static bool
fill_piece(struct hand *hand, struct piece *piece)
{
	struct reading *reading = &hand->reading;
	struct batch *batch = &piece->batch;
	struct poly_error failure; /* the reader will meet it again */
	if (hand->plan->format->read(reading, batch, &failure) != POLY_OK ||
		hand->findings.kept_count || hand->info.full || hand->info.no_memory ||
		batch_finish(batch, NULL) != POLY_OK ||
		(batch->view.site && sites_fill(&hand->sites, batch, NULL) != POLY_OK))
		return false;
	piece->end = in_offset(reading->in);
	reading->record += batch->view.rows;
	/* Mostly nothing is new; otherwise the reader will do it. */
	piece->settled = hand->info.names.names.count <= hand->names.count &&
			 hand->sites.count <= hand->site_numbers.count;
	if (piece->settled) {
		id_remap_apply_names(&hand->names, batch);
		id_remap_apply(&hand->site_numbers, batch, POLY_COLUMN_site);
	}
	return true;
}

/* Notes the names and sites that the reader does not know yet. */
static bool
tell(struct hand *hand, struct chunk *chunk)
{
	const struct intern *names = &hand->info.names.names;
	size_t name_count = names->count - hand->names_told,
	       site_count = hand->sites.count - hand->sites_told;
	if (name_count) {
		const char **list = mem_resize(chunk->names, name_count, sizeof *list);
		if (!list)
			return false;
		chunk->names = list;
		for (size_t i = 0; i < name_count; i++)
			list[i] = names->strings[hand->names_told + i];
	}
	if (site_count) {
		struct site *list = mem_resize(chunk->sites, site_count, sizeof *list);
		if (!list)
			return false;
		chunk->sites = list;
		memcpy(list, hand->sites.list + hand->sites_told, site_count * sizeof *list);
	}
	chunk->name_count = name_count;
	chunk->site_count = site_count;
	hand->names_told = names->count;
	hand->sites_told = hand->sites.count;
	return true;
}

static bool
decode(struct hand *hand, struct chunk *chunk)
{
	struct reading *reading = &hand->reading;
	const uint64_t end = chunk->offset + chunk->size;
	in_show(reading->in, chunk->data, chunk->size, chunk->offset);
	while (in_offset(reading->in) < end) {
		struct piece *piece = chunk_piece(hand, chunk);
		if (!piece || !fill_piece(hand, piece))
			return false;
		chunk->piece_count++;
	}
	chunk->lines = reading->line;
	return tell(hand, chunk);
}

void
hand_decode(struct hand *hand, struct chunk *chunk)
{
	hand->reading.line = hand->reading.record = 0;
	if (hand->findings.kept_count)
		findings_clear(&hand->findings);
	chunk->piece_count = chunk->name_count = chunk->site_count = 0;
	chunk->irregular |= !decode(hand, chunk);
}

void
hand_fini(struct hand *hand)
{
	const struct format *format = hand->plan->format;
	if (hand->opened && format->close)
		format->close(&hand->reading);
	if (hand->reading.in != hand->plan->in)
		in_close(hand->reading.in);
	mem_free(hand->reading.state);
	info_fini(&hand->info);
	findings_fini(&hand->findings);
	sites_fini(&hand->sites);
	id_remap_free(&hand->names);
	id_remap_free(&hand->site_numbers);
}
