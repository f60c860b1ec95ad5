/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the FULL files; isa/powerpc_state.h has the layouts of a record.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7 to 4.9.
 */
#ifndef FORMAT_FULL_H
#define FORMAT_FULL_H

#include "base/map.h"
#include "format/core/format.h"
#include "isa/powerpc_state.h"

#define FULL_MAGIC 0xa1118e17u
#define FULL_MAGIC_SIZE 4

#define FULL_RECORD_MIN 1004 /* bytes of the smallest record */

/* Maximum bytes from the opcode word to the end of the thread state. */
#define FULL_HEAD_MAX 320

/* The bit of srr1 that is set in user programs (PR). */
#define FULL_MSR_USER 0x4000u

/* The bits of an MSR that processors define: SF, TA, ISF, HV, VEC, POW, TGPR, ILE and below. */
#define FULL_MSR_DEFINED UINT64_C(0xf00000000207ffff)

/*
 * Returns whether srr1 may be an MSR: that of a user program, or of a supervisor, which has no
 * undefined bits.
 */
static inline bool
full_is_msr(uint64_t srr1)
{
	return srr1 & FULL_MSR_USER || !(srr1 & ~FULL_MSR_DEFINED);
}

/* A run of count numbers of unit bytes each (4 or 8) in a record. */
struct full_run {
	uint16_t offset; /* from the opcode word */
	uint16_t count, unit;
};

#define FULL_RUNS 12

/*
 * Lists the runs of a layout in ascending order; bytes after the opcode word that are in none
 * are padding. Equal indexes in layouts of one width are the same registers.
 */
void full_runs(const struct powerpc_layout *layout, struct full_run runs[FULL_RUNS]);

/* Returns whether mq, fpscr_pad, save_pad5 or save_pad6 of a complete record is not zero; *name
 * is set to the first of them. */
bool full_pads_set(
	const struct powerpc_dialect *dialect, const uint8_t *record, const char **name);

/* An instruction, and the preceding registers that determine its successors. */
struct full_step {
	uint32_t opcode;
	bool wide; /* addresses have 64 bits */
	uint64_t pc, lr, ctr;
};

/* Returns the step from one record to the next, of which only the opcode word is read, and that
 * only in a trace of states after the instruction. */
struct full_step full_step_between(
	const struct powerpc_dialect *dialect, const uint8_t *previous, const uint8_t *now);

/* A branch's outcome and target, by the state before it. */
struct full_branch {
	bool is_branch;	  /* b, bc, bclr, bcctr and their forms */
	bool conditional; /* may fall through */
	bool taken;
	uint64_t target, fallthrough;
};

/* Returns the branch of a step; cr is the condition register before it. */
struct full_branch full_branch(const struct full_step *step, uint32_t cr);

/* Returns false if next cannot be the address after the step (Apple amber traces 4.9); any
 * address may follow rfi. */
bool full_follows(const struct full_step *step, uint64_t next);

/* Formats the addresses that may follow, for messages: "10000048 or 1000004c". */
void full_expected(const struct full_step *step, char *text, size_t size);

/* Size of the four synchronisation records, which may be between records. */
#define FULL_ESCAPE_SIZE 12

/* Returns the enum poly_sync of a synchronisation record's first word, or -1. */
int full_sync_find(uint32_t word);

/* Returns the first word of a synchronisation record. */
uint32_t full_sync_word(unsigned sync);

/* Values of the column record; synchronisation records are in the order of poly_sync. */
enum full_record {
	FULL_INSTRUCTION,
	FULL_SYNC, /* + enum poly_sync */
	FULL_CORRUPT = FULL_SYNC + POLY_SYNC_COUNT,
	FULL_RECORD_COUNT
};

/* Options, in the order of the table. */
enum full_option {
	FULL_OPTION_RECORD,  /* 0: auto, else 1 + index into powerpc_layouts */
	FULL_OPTION_STATE,   /* enum full_choice */
	FULL_OPTION_ENDIAN,  /* enum full_choice */
	FULL_OPTION_ESCAPES, /* bool */
};

/* Values of the options amber.state and amber.endian. */
enum full_choice {
	FULL_AUTO,
	FULL_FIRST,  /* pre, be */
	FULL_SECOND, /* post, le */
};

/* Indices into the table of rules. */
enum full_rule {
	FULL_F01,
	FULL_F03,
	FULL_F04,
	FULL_F05,
	FULL_F06,
	FULL_F07,
	FULL_F08,
	FULL_F15,
	FULL_F17,
	FULL_F20,
	FULL_F21,
	FULL_F22,
	FULL_F23,
};

/* Detection result from the start of a trace. */
struct full_detection {
	const struct powerpc_layout *layout; /* NULL: undecided */
	bool post;
	size_t first;	  /* offset of the first record after the magic; the size if none */
	unsigned records; /* complete records examined */
	unsigned best, second; /* per mille of checks passed: best and second-best layout */
};

/*
 * Detects the layout from the n bytes after the magic (Apple amber traces 4.9), as far as
 * options do not set it.
 */
struct full_detection full_detect(
	const uint8_t *p, size_t n, bool little, const uint64_t *options);

/* State of the check between rows. */
struct full_check {
	bool is_known; /* in decoders: the step does not depend on rows before the chunk */
	bool started;  /* an instruction occurred */
	bool known;    /* step is set, and its successor is not yet known */
	struct full_step step;	 /* lr and ctr are not set */
	uint64_t record, offset; /* of the step's row, for findings */
	/* The reader's, after all that decoders have. */
	struct map opcodes; /* by pc: its first opcode */
	struct map outside; /* by opcode class outside the TT6 tables: occurrences */
};

/* Checks a batch; NULL: end of the trace. */
void full_check(struct full_check *check, struct reading *reading,
	const struct powerpc_dialect *dialect, const struct poly_batch *batch);

/* As struct format's check_deferred and check_adopt. */
void full_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row);
void full_check_adopt(struct reading *reading, const struct poly_batch *batch,
	const void *state, uint64_t first);

/* Frees the check's memory. */
void full_check_fini(struct full_check *check);

/* Reader state. */
struct full_reader {
	struct powerpc_dialect dialect;
	bool escapes;	   /* synchronisation records may be between records */
	bool searching;	   /* the search for a valid record continues */
	bool has_previous; /* previous holds the last record */
	uint8_t previous[FULL_HEAD_MAX];
	uint64_t previous_end; /* offset after it */
	struct full_check check;
};

enum poly_status full_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status full_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);

/* Split points: after an instruction record. See struct format. */
size_t full_find_split(
	const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);
bool full_open_decoder(struct reading *reading, const struct reading *opened);
void full_enter_split(struct reading *reading, const uint8_t *before, size_t n);
bool full_is_at_split(const struct reading *reading, const uint8_t *before, size_t n);

/* Writer state. */
struct full_writer {
	const struct powerpc_layout *layout; /* NULL: that of the first payload */
	struct powerpc_dialect source;	     /* its layout is that of the payload */
	bool little;			     /* byte order of the output */
	bool preserves_raw;		     /* the output preserves corrupt bytes */
	bool magic;			     /* the magic is not yet written */
	bool magic_little;		     /* its byte order */
};
enum poly_status full_wopen(struct writing *writing, struct poly_error *error);
enum poly_status full_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status full_wfinish(struct writing *writing, struct poly_error *error);

#endif
