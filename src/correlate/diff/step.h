/* SPDX-License-Identifier: MIT */
/* Steps of a trace: an instruction with what it did; rings of them; and their making of rows.
 */
#ifndef CORRELATE_DIFF_STEP_H
#define CORRELATE_DIFF_STEP_H

#include "base/buf.h"
#include "correlate/diff/rules.h"

/* Most records of one step; what follows begins another one. */
#define EFFECTS_MAX 1024

/* What a record of a step is. */
enum effect_type { EFFECT_REGISTER, EFFECT_MEMORY, EFFECT_SYNC };

/* Bits of what a record has. */
enum {
	HAS_ACCESS = 1,
	HAS_ADDRESS = 2,
	HAS_SIZE = 4,
	HAS_VALUE = 8,
	HAS_WIDE = 16, /* a value of more than 8 bytes */
};

/* What the comparison made of a record. */
enum fate {
	FATE_OPEN,    /* nothing was found for it */
	FATE_SAME,    /* the other trace has it, or need not have it */
	FATE_CHANGED, /* its mate is a changed record of the same step; told by the first trace
		       */
	FATE_MOVED,   /* its mate is the same record of another step; told by the earlier one */
};

struct effect {
	uint8_t type, access, has, fate;
	uint8_t cause;		 /* of FATE_CHANGED */
	uint32_t name;		 /* a register by its number in the rules */
	uint32_t shown;		 /* the same by its number in the trace */
	uint32_t size;		 /* bytes of an access */
	uint32_t offset, length; /* of a wide value in the step's bytes */
	uint32_t mate;		 /* number of a record in mate_step, of the other trace */
	uint64_t mate_step;
	uint64_t address, value;
	uint64_t known; /* bits of value that are known */
};

/* The number of no step. */
#define STEP_NONE UINT64_MAX

struct step {
	uint64_t instruction; /* number in the trace from 1; 0: no instruction */
	uint64_t record;      /* number of its first record */
	uint64_t pc, opcode, time;
	uint64_t key, position; /* of pc and opcode, of pc alone */
	uint64_t partner;	/* the other trace's step that it was compared with, or none */
	bool has_pc, has_opcode, has_time;
	bool is_partial; /* it has what was of no instruction, or had no room in the step before
			    it */
	bool differs;	 /* it was compared, and is not the same in the other trace */
	uint8_t opcode_size;	     /* bytes; 0: not known */
	uint64_t fields_present;     /* bit n: field n of the rules */
	uint64_t fields[FIELDS_MAX]; /* of BYTES and TEXT: a hash */
	struct effect *effects;
	uint32_t effect_count, effect_room;
	struct buf bytes;	      /* wide values and text */
	uint32_t text, text_length;   /* in bytes */
	uint32_t state, state_length; /* the same for a payload of registers */
};

/* The steps tail to head - 1 of a trace, by their numbers. */
struct ring {
	struct step *slots;
	size_t room; /* a power of two, or 0 */
	uint64_t tail, head;
};

static inline struct step *
ring_at(const struct ring *ring, uint64_t number)
{
	return &ring->slots[number & (ring->room - 1)];
}

/* A new step at the head, empty; NULL without memory. Other steps may have moved. */
struct step *ring_push(struct ring *ring);

/* Gives everything back. */
void ring_free(struct ring *ring);

/* Room for a record of a step, zero; NULL without memory. */
struct effect *step_add(struct step *step);

/* A step without anything in it, its memory kept. */
void step_clear(struct step *step);

/* Takes the records of another step over; false without memory. */
bool step_absorb(struct step *dst, struct step *src);

/* Wide value of a record of a step. */
static inline const uint8_t *
step_wide(const struct step *step, const struct effect *effect)
{
	return step->bytes.data + effect->offset;
}

/* What of a trace goes into one row of rings: all of it, or what one processor did. */
struct stream_side {
	struct ring ring;
	struct step lead;      /* records that may be of the next instruction */
	bool skipping;	       /* the last instruction is left out, and what it did */
	bool has_skipped_time; /* it has a time */
	uint64_t skipped_time; /* that time */
	uint64_t skip;	       /* instructions to be left out yet */
};

/* A trace that is made into steps. */
struct builder {
	struct poly_diff_side source;
	struct diff_rules *rules;
	const struct poly_batch *batch; /* NULL before the first one */
	size_t row;			/* the next of batch */
	bool ended;
	enum poly_status status; /* what ended it */
	struct poly_error error;
	uint64_t instructions; /* begun so far */
	poly_columns has;      /* compared, and this batch has it */
	uint32_t *registers;   /* number in the rules by number in the trace; 0: not asked yet,
				  else 1 more */
	uint32_t *names;
	uint32_t register_room, name_room;
};

/* The columns that a stream looks at. */
poly_columns builder_columns(
	const struct diff_rules *rules, const struct poly_trace_info *info);

/* True where another row can be taken: the next batch is there, with rows left. */
bool builder_has_row(struct builder *builder);

/* Puts the next row, which stream_ready found, into a lane; false without memory. */
bool builder_add_row(struct builder *builder, struct stream_side *stream);

/* Nothing follows in a lane; false without memory. */
bool builder_finish(struct builder *builder, struct stream_side *stream);

/* True for rows that begin a step. */
bool builder_is_head(const struct diff_rules *rules, unsigned kind);

/* The number in the rules of a name of the trace, a register or not; INTERN_FAILED. */
uint32_t builder_name(struct builder *builder, uint32_t number, bool is_register);

/* Gives everything back. */
void builder_free(struct builder *builder);

#endif
