/* SPDX-License-Identifier: MIT */
/*
 * The order of records that were counted: rows of the batches of a stretch stand for them
 * (weight of struct poly_batch), and are numbered over these from 0. A chain is what was always
 * executed in one go; how often, and which one behind which, is what is left of the order.
 */
#ifndef MODEL_CHAIN_GRAPH_H
#define MODEL_CHAIN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* There is no next row in the chain. */
#define CHAIN_NONE UINT32_MAX

/* Holds as long as the batch that has it. */
struct poly_chain_graph {
	uint32_t rows;
	const uint32_t *next;	  /* by row: the one behind it wherever it is; or CHAIN_NONE */
	uint32_t chains;	  /* how many there are */
	const uint32_t *first;	  /* by chain: its first row */
	const uint32_t *length;	  /* by chain: records of an execution; 0: there was none */
	const uint32_t *executed; /* chains one behind the other, up to all records */
	uint32_t records;	  /* of all executions; the last one may have fewer */
};

/* Going through executions; at and left begin as 0 and the order's records. */
struct chain_walk {
	const struct poly_chain_graph *order;
	uint32_t at, left;
};

/* The next execution: which chain, and how many records. False: there is none. */
static inline bool
chain_next(struct chain_walk *walk, uint32_t *chain, uint32_t *records)
{
	if (!walk->left)
		return false;
	*chain = walk->order->executed[walk->at++];
	*records = walk->order->length[*chain];
	if (*records > walk->left)
		*records = walk->left;
	walk->left -= *records;
	return true;
}

#endif
