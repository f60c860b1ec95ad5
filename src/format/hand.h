/* SPDX-License-Identifier: MIT */
/*
 * A hand of a crew: decodes chunks of a trace, knowing nothing of what stands before them.
 *
 * It reads as the reader does, with a state, names and sites of its own. What is not plain (an
 * error, a finding, a lack of memory) is left to the reader, who decodes the chunk again.
 */
#ifndef FORMAT_HAND_H
#define FORMAT_HAND_H

#include "format/format.h"
#include "model/site.h"
#include "model/id_remap.h"

/* What is decoded, and how. */
struct crew_plan {
	const struct format *format;
	struct in *in;		       /* nothing of it is consumed */
	struct reading *reading;       /* the reader's */
	struct sites *sites;	       /* the reader's */
	poly_columns columns;	       /* that batches have storage for */
	size_t batch_rows;	       /* most rows of a batch */
	size_t block_size, chunk_size; /* in bytes */
	unsigned threads;	       /* that decode */
};

/* A batch of a chunk. */
struct piece {
	struct batch batch;
	uint64_t end; /* offset in the input behind its rows */
	bool settled; /* its names and sites have the reader's numbers */
};

/* Bytes between two places where the trace may be cut, and the rows that they are. */
struct chunk {
	uint8_t *memory; /* see crew.c for its size */
	uint8_t *data;	 /* in it: the first byte */
	size_t fresh;	 /* bytes of the input that were read for it */
	size_t filled;	 /* bytes that are there: those, and what the one before left over */
	size_t size;	 /* bytes that belong to it; the next chunk begins with the others */
	uint64_t offset; /* of its first byte in the input */
	bool irregular;	 /* it has no rows: the reader decodes it */
	bool open;	 /* it could not be cut: the next one begins anywhere */
	bool over;	 /* nothing more can be read */
	bool last;	 /* the input ends behind it */
	enum poly_status end; /* where it is over: how */
	struct poly_error failure;
	struct piece **pieces;
	size_t piece_count, piece_capacity; /* filled, and allocated */
	uint64_t lines;			    /* passed in it */
	/* Names and sites that the hand has numbered since it told the last ones. */
	const char **names;
	struct site *sites;
	size_t name_count, site_count;
};

/* Gives back what it holds. */
void chunk_fini(struct chunk *chunk);

struct hand {
	const struct crew_plan *plan;
	struct reading reading;
	struct info info;
	struct findings findings;
	struct sites sites;
	uint32_t names_told, sites_told;
	/* The reader's numbers of its names and sites, as far as they are known. */
	struct id_remap names, site_numbers;
	bool opened;
};

/* Opens the format for a hand; false where that can't be done. hand_fini is called anyway. */
bool hand_init(struct hand *hand, const struct crew_plan *plan);

/* Makes rows of a chunk, or makes it irregular. */
void hand_decode(struct hand *hand, struct chunk *chunk);

/* Gives back what it holds. */
void hand_fini(struct hand *hand);

#endif
