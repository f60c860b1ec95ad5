/* SPDX-License-Identifier: MIT */
/*
 * The format aix inside: its options and rules, and the states of its reader and writer.
 *
 * spec: seed 003; reference aix 3, 4.8, 5.
 */
#ifndef FORMAT_AIX_AIX_H
#define FORMAT_AIX_AIX_H

#include "aix/attribution.h"
#include "format/aix/entry.h"
#include "format/aix/log.h"
#include "format/format.h"
#include "io/spill_buffer.h"

enum aix_option {
	AIX_OPTION_FORM,
	AIX_OPTION_TID,
	AIX_OPTION_LENGTH,
	AIX_OPTION_CONTAINER,
	AIX_OPTION_WORD,
	AIX_OPTION_BLOCK,
	AIX_OPTION_HOOKS,
};

/* Values of the options; what is settled by the source, or by the content, is AUTO. */
enum { AIX_AUTO };
enum { AIX_FORM_RAW32 = 1, AIX_FORM_RAW64 };
enum { AIX_TID_YES = 1, AIX_TID_NO };
enum { AIX_LENGTH_BUFFER = 1, AIX_LENGTH_DATA };
enum aix_container { AIX_RAW = 1, AIX_STREAM, AIX_LOG, AIX_SAME };
enum { AIX_WORD_32 = 1, AIX_WORD_64 };

enum aix_rule {
	AIX_L01,
	AIX_L02,
	AIX_L03,
	AIX_L04,
	AIX_L05,
	AIX_L06,
	AIX_L07,
	AIX_L10,
	AIX_L11,
	AIX_L12,
	AIX_L13,
};

/* What the rules are told from while rows pass. */
struct aix_check {
	/* Of the last event with a time, by processor; one that shares its place is forgotten.
	 */
	struct {
		uint64_t time;
		bool timed;
		uint32_t cpu; /* 0 where it has none */
	} last[64];
	bool attributed; /* a hook that tells of processes was there */
	bool any;	 /* an event was there */
};

/* Bytes that are kept in memory of what was put aside. */
#define AIX_SPOOL_MEMORY ((size_t)1 << 20)

struct aix_reader {
	struct aix_form form;
	uint32_t magic; /* 0: bare events */
	struct aix_header header;
	struct aix_blocks blocks;
	size_t front;	/* bytes of the header and directory, until they are a row */
	bool cut_front; /* there are fewer of them */
	size_t next;	/* in the order of the blocks: the one to read */
	size_t passed;	/* in the list of the blocks: the one that comes in the input */
	struct aix_block *block;    /* that is read; NULL: none, or bare events */
	struct in *current;	    /* where the entries stand; NULL: between blocks */
	struct in *own;		    /* that, where it is of a block that was put aside */
	uint64_t left;		    /* bytes of the block */
	struct spill_buffer *spool; /* of an input that can't be read at any place */
	bool lost;		    /* within damage */
	bool has_cpu;		    /* the trace is of one processor */
	uint32_t cpu;
	uint64_t time;			     /* of the last entry with a 32-bit timer */
	struct aix_attribution *attribution; /* NULL: processes are not wanted */
	struct aix_check check;
};

/* What makes entries of rows. */
struct aix_encoder {
	struct aix_form form;
	uint64_t time;	  /* of the last entry with a 32-bit timer, as a reader will see it */
	struct buf bytes; /* the entry */
};

/* A part of a log that cannot be written yet, as what stands before it is not there. */
struct aix_piece {
	uint64_t offset, size; /* in the log */
	uint64_t place;	       /* in the spool */
};

struct aix_writer {
	enum aix_container container; /* 0: the first row will tell */
	struct aix_encoder encoder;
	bool word_known;      /* the encoder's form is settled */
	uint8_t records[256]; /* enum aix_record + 1 of the source's; 0: not looked up */
	struct spill_buffer *spool;
	uint64_t done;		  /* AIX_SAME: bytes written */
	uint64_t at;		  /* where the next entry goes */
	uint64_t left;		  /* bytes left of the block */
	struct aix_piece pending; /* the piece that grows; size 0: none */
	struct aix_piece *heap;	  /* the others, the first one in the log on top */
	size_t count, capacity;	  /* of the heap; AIX_LOG: of blocks */
	uint64_t *blocks;	  /* AIX_LOG: their sizes */
};

/* Names of the records, in the order of enum aix_record. */
extern const char *const aix_record_names[AIX_RECORD_COUNT];

/* What the source's record of a row means here; AIX_RECORD_COUNT: nothing. */
unsigned aix_record_of(struct writing *writing, const struct poly_batch *batch, size_t row);

/* True where a row needs a hook word of 64 bits. */
bool aix_needs_wide(const struct poly_batch *batch, size_t row);

/*
 * Makes the entry of a row in encoder->bytes. POLY_ERR_LOSS: the row lacks something, or the
 * entry can't hold it.
 */
enum poly_status aix_encode(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error);

/* Puts n bytes at an offset of the log that is written as it was. */
enum poly_status aix_put(struct writing *writing, uint64_t offset, const uint8_t *p, size_t n,
	struct poly_error *error);

/* Writes what aix_put held back; what is missing between becomes 0. */
enum poly_status aix_put_rest(struct writing *writing, struct poly_error *error);

/* Takes the entry for a new log. */
enum poly_status aix_log_add(struct writing *writing, struct poly_error *error);

/* Writes the new log. */
enum poly_status aix_log_finish(struct writing *writing, struct poly_error *error);

/* Writes n bytes from a place of the spool on. */
enum poly_status aix_unspool(
	struct writing *writing, uint64_t place, uint64_t n, struct poly_error *error);

enum poly_status aix_wopen(struct writing *writing, struct poly_error *error);
enum poly_status aix_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status aix_wfinish(struct writing *writing, struct poly_error *error);
void aix_wclose(struct writing *writing);

int aix_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

enum poly_status aix_open(struct reading *reading, struct poly_error *error);
enum poly_status aix_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void aix_close(struct reading *reading);
void aix_check(struct reading *reading, const struct poly_batch *batch);

#endif
