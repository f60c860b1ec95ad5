/* SPDX-License-Identifier: MIT */
/*
 * Control flow among weighted rows: each row of an interval's batches represents one or more
 * records (weight of struct poly_batch); rows are indexed from 0 over these batches. A chain is
 * a sequence of rows that was always executed as a whole. The graph has the rows of each chain
 * and the order in which chains were executed.
 */
#ifndef MODEL_CHAIN_GRAPH_H
#define MODEL_CHAIN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* End of a chain. */
#define CHAIN_NONE UINT32_MAX

/* Valid as long as its batch. */
struct poly_chain_graph {
	uint32_t rows;
	const uint32_t *next;	  /* by row: its successor in every chain, or CHAIN_NONE */
	uint32_t chains;	  /* number of chains */
	const uint32_t *first;	  /* by chain: its first row */
	const uint32_t *length;	  /* by chain: records per execution; 0: never executed */
	const uint32_t *executed; /* chains in execution order, until all records are covered */
	uint32_t records;	  /* of all executions; the last execution may be partial */
};

/* Iterates over executions; initialise at to 0 and left to the graph's records. */
struct chain_walk {
	const struct poly_chain_graph *order;
	uint32_t at, left;
};

/* Advances to the next execution: its chain and number of records. False at the end. */
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
