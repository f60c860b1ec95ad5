/* SPDX-License-Identifier: MIT */
/*
 * Parties by number: dense from 0, in the order of first appearance, over all traces of a run.
 * Threads of the same number are one party whatever trace they are in.
 */
#ifndef ANALYSIS_PARTIES_H
#define ANALYSIS_PARTIES_H

#include "analysis/party.h"

#include "base/intern.h"
#include "base/map.h"

/* Most parties that are told apart; all further ones count as the last. */
#define ANALYSIS_PARTIES 1024

/* Keys that are looked at before the map. */
#define PARTIES_RECENT 64

/* Zero-initialise; parties_fini gives back. At most 40 KiB and the names of processors. */
struct parties {
	uint64_t keys[ANALYSIS_PARTIES]; /* by number, as party_key but for names */
	uint16_t count;
	bool more;	     /* the last one stands for others, too */
	struct map numbers;  /* by key */
	struct intern names; /* of processors, of all traces */
	const struct poly_trace_info *info;
	struct {
		uint64_t key; /* of party_key */
		uint16_t number;
		bool used;
	} recent[PARTIES_RECENT]; /* of the trace */
};

/* A trace begins. Its names must stay until the next one does. */
void parties_begin(struct parties *parties, const struct poly_trace_info *info);

/*
 * Finds the party of each row of a batch that has rows. Where all are of the same one, it is
 * *only and party is not filled; *mixed tells. False: memory could not be had.
 */
bool parties_fill(struct parties *parties, const struct poly_batch *batch, uint16_t *party,
	uint16_t *only, bool *mixed);

/* Adds another run's parties; to, of from->count elements, becomes their numbers here. */
bool parties_merge(struct parties *into, const struct parties *from, uint16_t *to);

/* Appends what a number stands for, as "thread 3"; nothing where a row does not say who. */
void parties_name(const struct parties *parties, uint16_t number, struct buf *to);

/* Gives the memory back. */
void parties_fini(struct parties *parties);

#endif
