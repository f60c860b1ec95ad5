/* SPDX-License-Identifier: MIT */
/*
 * The decoder of one worker of a decode pool: decodes chunks of a trace without knowing what
 * precedes them.
 *
 * It reads as the reader does, with a state, names and sites of its own. It leaves irregular
 * chunks (with an error, a finding, or if memory runs out) to the reader, which decodes them
 * again.
 */
#ifndef FORMAT_CHUNK_DECODER_H
#define FORMAT_CHUNK_DECODER_H

#include "format/core/format.h"
#include "model/batch_store.h"
#include "model/decoder_work.h"
#include "model/site.h"
#include "model/id_remap.h"

/* What a decode pool decodes, and how. */
struct decode_plan {
	const struct format *format;
	struct in *in;		       /* read at offsets; nothing is consumed */
	struct reading *reading;       /* the reader's */
	struct sites *sites;	       /* the reader's */
	poly_columns columns;	       /* that batches have storage for */
	size_t batch_rows;	       /* maximum number of rows of a batch */
	size_t block_size, chunk_size; /* in bytes */
	size_t work_size;	       /* bytes of a chunk that decoders work on */
	unsigned threads;	       /* that decode */
	bool checks;		       /* decoders check their batches */
	size_t held_max;	       /* maximum number of held batches */
	/* What decoders do with the rows instead of storing them: work_count pointers. */
	const struct poly_decoder_work *work[POLY_DECODER_WORK_MAX];
	unsigned work_count;
	bool numbered; /* the work needs the numbers of the rows: they are decoded before */
};

/* A batch of a chunk. */
struct chunk_batch {
	struct stored_batch *stored; /* NULL: allocated when it is filled */
	struct batch_check check;    /* if the plan has checks */
	uint64_t end;		     /* offset in the input after its rows */
	bool translated;	     /* its names and sites have the reader's numbers */
};

/* The bytes between two split points of a trace, and their rows. */
struct chunk {
	bool works;	   /* the plan's work is done on its rows, which are not stored */
	bool may_split;	   /* it may end at a split point */
	bool streamed;	   /* only its last bytes are in memory, the decoder reads the others */
	uint64_t position; /* where its own bytes begin, if the input is random */
	size_t extent;	   /* bytes to be read for it */
	uint8_t *memory;   /* see chunk_memory_size */
	uint8_t *data;	   /* in it: the first byte, unless streamed */
	uint8_t *end_data; /* in it: the byte after the chunk */
	size_t held;	   /* bytes of the chunk before end_data that are in memory */
	size_t read;	   /* bytes of the input that were read for it, or will be */
	size_t filled;	   /* those, and the rest of the previous chunk */
	size_t size;	   /* bytes that belong to it; the next chunk begins with the rest */
	uint8_t *enter_data; /* in memory: the byte after the context */
	size_t context;	     /* bytes of the previous chunk in front of the first one */
	bool first;	     /* it has no previous chunk */
	uint64_t offset;     /* of its first byte in the input */
	bool irregular;	     /* it has no rows: the reader decodes it */
	bool open; /* no split point found: the next chunk may begin within a record */
	bool over; /* the input has no more bytes */
	bool last; /* the input ends after it */
	enum poly_status end; /* how the input ended, if over */
	struct poly_error failure;
	/* For the next chunk, as they were when it was joined: */
	size_t rest;	     /* bytes after it that were read for it */
	uint64_t end_offset; /* of the byte after it */
	bool is_final;	     /* the input has no more bytes than the rest */
	struct chunk_batch *batches;
	size_t batch_count, batch_capacity; /* filled, and allocated */
	struct decoder_result result;	    /* instead of batches; count 0: none */
	uint64_t lines;			    /* counted in it */
	/*
	 * New names and sites: the decoder numbered them after it listed the previous ones. The
	 * names of records follow the other ones.
	 */
	const char **names;
	struct site *sites;
	size_t name_count, record_count, site_count;
	unsigned generation;	/* of the decoder's sites */
	unsigned check_version; /* of what the decoder knew to agree with the reader's tables */
};

/* Empties a chunk: held batches leave it, the others are filled again. */
void chunk_reclaim(struct chunk *chunk);

/* Frees everything that a chunk holds. */
void chunk_fini(struct chunk *chunk);

struct chunk_decoder {
	const struct decode_plan *plan;
	struct batch_store *store; /* of all decoders */
	struct reading reading;
	struct in *view, *stream; /* its input: a chunk in memory, or a streamed one */
	uint64_t stream_at;	  /* offset of the next byte to be read for stream */
	uint64_t stream_end;
	struct info info;
	struct findings findings;
	struct sites sites;
	uint32_t names_listed, records_listed, sites_listed;
	/* The reader's numbers of its names and sites, as far as they are known. */
	struct id_remap names, records, site_numbers;
	unsigned index;		     /* of the decoder */
	unsigned generation;	     /* counts how often the sites were discarded */
	struct agreed_value *agreed; /* see check_defer_value; if the plan has checks */
	unsigned check_version;
	uint64_t full_rules; /* those of the reader */
	bool opened;
};

/*
 * Opens the format for a decoder; false on failure. The caller calls chunk_decoder_fini in both
 * cases.
 */
bool chunk_decoder_init(struct chunk_decoder *decoder, const struct decode_plan *plan,
	struct batch_store *store);

/*
 * Decodes the rows of a chunk, for its result if it works and the plan is not numbered, else
 * for its batches, or marks it as irregular: also if the work ended its part.
 */
void chunk_decoder_run(struct chunk_decoder *decoder, struct chunk *chunk);

/*
 * Replaces the rows of a decoded chunk, before which the trace has a number of records, by the
 * result of work on them; false: it keeps them.
 */
bool chunk_decoder_work(struct chunk_decoder *decoder, struct chunk *chunk, uint64_t before);

/*
 * Discards the sites, some of which no row of the trace has: a chunk did not begin at a split
 * point. The next chunk is of this generation.
 */
void chunk_decoder_discard_sites(struct chunk_decoder *decoder, unsigned generation);

/* Forgets the values that agree with the reader's tables. */
void chunk_decoder_forget_checks(struct chunk_decoder *decoder);

/* Frees everything that a decoder holds. */
void chunk_decoder_fini(struct chunk_decoder *decoder);

#endif
