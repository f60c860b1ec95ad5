/* SPDX-License-Identifier: MIT */
/* Steps of a trace (an instruction and its records), rings of steps, and their construction
 * from rows.
 */
#ifndef CORRELATE_DIFF_STEP_H
#define CORRELATE_DIFF_STEP_H

#include "base/buf.h"
#include "correlate/diff/rules.h"
#include "effects/effects.h"

#include <string.h>

/* Maximum number of records of a step; further ones begin another step. */
#define EFFECTS_MAX 1024

/* Types of records of a step. */
enum effect_type { EFFECT_REGISTER, EFFECT_MEMORY, EFFECT_SYNC };

/* The values that a record has, as bits. */
enum {
	HAS_ACCESS = 1,
	HAS_ADDRESS = 2,
	HAS_SIZE = 4,
	HAS_VALUE = 8,
	HAS_WIDE = 16, /* a value of more than 8 bytes */
};

/* Result of comparing a record. */
enum fate {
	FATE_OPEN,    /* no counterpart found */
	FATE_SAME,    /* equal in the other trace, or tolerated */
	FATE_CHANGED, /* its mate is a changed record of the same step; reported for the first
		       * trace
		       */
	FATE_MOVED, /* its mate is the same record of another step; reported for the earlier one
		     */
};

struct effect {
	uint8_t type, access, has, fate;
	uint8_t cause;		 /* of FATE_CHANGED */
	uint32_t name;		 /* a register by its number in the rules */
	uint32_t shown;		 /* the register by its number in the trace */
	uint32_t size;		 /* bytes of an access */
	uint32_t offset, length; /* of a wide value in the step's bytes */
	uint32_t mate;		 /* index of a record in mate_step, of the other trace */
	uint64_t mate_step;
	uint64_t address, value;
	uint64_t known; /* known bits of value */
};

/* Not a step. */
#define STEP_NONE UINT64_MAX

struct step {
	uint64_t instruction; /* number in the trace from 1; 0: none */
	uint64_t record;      /* number of its first record */
	uint64_t pc, opcode, time;
	uint64_t key, position; /* of pc and opcode, of pc alone */
	uint64_t partner; /* the other trace's step that it was compared with, or STEP_NONE */
	bool has_pc, has_opcode, has_time;
	bool is_partial; /* holds records without an instruction, or beyond the room of the step
			    before */
	bool differs;	 /* it was compared and differs */
	bool reads_counter;	     /* its registers are not compared, as it reads a counter */
	bool is_counted;	     /* its head counts as an instruction */
	uint8_t opcode_size;	     /* in bytes; 0: unknown */
	uint64_t fields_present;     /* bit n: field n of the rules */
	uint64_t fields[FIELDS_MAX]; /* of BYTES and TEXT: step_field */
	struct effect *effects;
	uint32_t effect_count, effect_room;
	struct buf bytes;	    /* wide values, text and fields */
	uint32_t text, text_length; /* in bytes */
};

/* The steps tail to head - 1 of a trace. */
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

/* Appends an empty step; NULL: out of memory. Other steps may move. */
struct step *ring_push(struct ring *ring);

/* Frees the memory. */
void ring_free(struct ring *ring);

/* Appends a zeroed record to a step; NULL: out of memory. */
struct effect *step_add(struct step *step);

/* Clears a step but not its memory. */
void step_clear(struct step *step);

/* Moves the records of another step to dst; false: out of memory. */
bool step_absorb(struct step *dst, struct step *src);

/* Returns the value of a field of bytes in a step: their place in its bytes, and their number.
 */
static inline uint64_t
step_field(size_t offset, size_t length)
{
	return (uint64_t)offset << 32 | (uint32_t)length;
}

/* Returns whether two steps have the same bytes in a field of bytes. */
static inline bool
step_field_same(const struct step *a, const struct step *b, size_t field)
{
	const uint64_t of_a = a->fields[field], of_b = b->fields[field];
	const uint32_t length = (uint32_t)of_a;
	return length == (uint32_t)of_b &&
	       (!length || memcmp(a->bytes.data + (of_a >> 32), b->bytes.data + (of_b >> 32),
				   length) == 0);
}

/* Returns the wide value of a record of a step. */
static inline const uint8_t *
step_wide(const struct step *step, const struct effect *effect)
{
	return step->bytes.data + effect->offset;
}

/* One side of a stream: the steps of a trace, or of one processor in it. */
struct stream_side {
	struct ring ring;
	struct step lead;      /* records that may belong to the next instruction */
	bool skipping;	       /* the last instruction and its records are skipped */
	bool has_skipped_time; /* that instruction has a time */
	uint64_t skipped_time; /* the time */
	uint64_t skip;	       /* instructions still to be skipped */
};

/* Builds the steps of a trace. */
/* The compared numbers of a read. */
struct last_read {
	bool is_set; /* the last record was a read */
	unsigned has;
	uint64_t address, size, value;
};

struct builder {
	struct poly_source source; /* of rows whose effects are separate */
	struct effects *effects;   /* converts the trace's rows to them; or NULL */
	uint64_t skip;		   /* number of initial instructions to skip */
	bool drops_initial;	   /* registers before the first instruction are not compared */
	struct diff_rules *rules;
	const struct poly_batch *batch; /* NULL before the first one */
	size_t row;			/* the next of batch */
	bool ended;
	enum poly_status status; /* status at the end */
	struct poly_error error;
	uint64_t instructions; /* so far: rows that begin a step */
	uint64_t
		counted; /* of them those that are executed, and not further micro-operations */
	poly_columns has;    /* compared columns of this batch */
	uint32_t *registers; /* number in the rules, plus 1, by number in the trace; 0: not
				mapped yet */
	uint32_t *names;
	uint32_t register_room, name_room;
	struct last_read last_read;
};

/* Returns the columns that a builder reads. */
poly_columns builder_columns(
	const struct diff_rules *rules, const struct poly_trace_info *info);

/* Reads the next batch if necessary; true if a row is available. */
bool builder_has_row(struct builder *builder);

/* Returns whether the trace begins with registers before its first instruction; before any row
 * is added. */
bool builder_has_initial(struct builder *builder);

/* Adds the next row, after builder_has_row, to a stream; false: out of memory. */
bool builder_add_row(struct builder *builder, struct stream_side *stream);

/* Completes a stream at the end of the trace; false: out of memory. */
bool builder_finish(struct builder *builder, struct stream_side *stream);

/* True for rows that begin a step. */
bool builder_is_head(const struct diff_rules *rules, unsigned kind);

/* Counts a row that begins a step; returns whether it counts as an instruction. */
bool builder_count_head(struct builder *builder, size_t row);

/* Returns the number in the rules of a name of the trace; INTERN_FAILED. */
uint32_t builder_name(struct builder *builder, uint32_t number, bool is_register);

/* Frees the memory. */
void builder_free(struct builder *builder);

#endif
