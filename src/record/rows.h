/* SPDX-License-Identifier: MIT */
/* The state of a recording, and the rows of its records. */
#ifndef RECORD_ROWS_H
#define RECORD_ROWS_H

#include "polytrace/recording.h"

#include "base/buf.h"
#include "isa/isa.h"
#include "model/batch.h"
#include "model/info.h"
#include "record/channel.h"
#include "record/target.h"

enum { RECORD_INSTRUCTION, RECORD_ACCESS, RECORD_REGISTER, RECORD_SYNC, RECORD_COUNT };

/* A static instruction in the form of the columns. */
struct recorded_site {
	uint64_t pc, opcode;
	uint32_t instruction_set; /* its name */
	uint8_t size, mode;	  /* mode: enum channel_mode */
	bool is_known;
	uint8_t encoding[CHANNEL_ENCODING];
	size_t text, text_size; /* in the texts of the recording */
};

/* The thread of a slot. */
struct thread {
	uint64_t pc;	  /* of its current instruction */
	uint32_t cpsr;	  /* of ARM, if registers are recorded */
	bool has_pc;	  /* it has executed an instruction */
	bool is_selected; /* that instruction is recorded */
	bool has_state; /* its registers are recorded, from the first selected instruction on */
	uint8_t bytes[TARGET_REGISTERS_MAX]; /* of its registers until then; 0: not known */
	uint64_t values[TARGET_REGISTERS_MAX];
};

struct poly_recording {
	const struct target *target;
	struct poly_recording_options options;
	struct channel *channel;
	int file;
	struct info info;
	struct batch rows;
	uint32_t names[TARGET_REGISTERS_MAX]; /* of registers */
	uint32_t sets[3];		      /* of instruction sets, by enum channel_mode */
	uint32_t user_mode;		      /* name of the processor mode */
	struct isa_decoder *decoder;	      /* for texts; NULL: none */
	struct isa_decoder *thumb;	      /* of ARM */
	struct buf texts;		      /* of sites */
	struct recorded_site *sites;
	uint32_t site_capacity;
	struct thread threads[CHANNEL_SLOTS];
	struct channel_slot *slot; /* whose chunk is being read; NULL: none */
	uint32_t position;	   /* in that chunk, in words */
	uint64_t first;		   /* rows of earlier batches */
	uint64_t instructions;	   /* selected */
	uint64_t skip;		   /* instructions to skip */
	uint64_t start, stop;
	bool has_start, has_stop; /* not yet reached */
	bool is_bounded;	  /* skip, count, start or stop is set */
	bool is_complete;
	bool is_finished;
};

/* Returns the number of the slot that is being read. */
static inline size_t
recording_slot(const struct poly_recording *recording)
{
	return (size_t)(recording->slot - recording->channel->slots);
}

/* Rows of a batch from which on the next instruction begins another one, so that the accesses
 * and registers of an instruction mostly are in its batch. */
#define ROWS_FULL (POLY_BATCH_ROWS - 2 * TARGET_REGISTERS_MAX)

/*
 * Adds the rows of records from recording->position on, which it advances, of the chunk being
 * read, which has used words; until the chunk ends or the batch is full. POLY_ERR_FORMAT: the
 * records are invalid. POLY_ERR_MEMORY.
 */
enum poly_status rows_add(struct poly_recording *recording, const uint32_t *words,
	uint32_t used, struct poly_error *error);

#endif
