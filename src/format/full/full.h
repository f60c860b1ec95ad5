/* SPDX-License-Identifier: MIT */
/*
 * What the files of the FULL format share: the five layouts of a record, the order of bytes,
 * registers by offset, and which address may follow which instruction.
 *
 * spec: seed 000 (FULL trace format); reference amber 4.7 to 4.9.
 */
#ifndef FORMAT_FULL_H
#define FORMAT_FULL_H

#include "polytrace/powerpc.h"

#include "base/map.h"
#include "format/format.h"

#define FULL_MAGIC 0xa1118e17u
#define FULL_MAGIC_SIZE 4

#define FULL_LAYOUTS 5
#define FULL_RECORD_LEAST 1004 /* bytes of the smallest record */
#define FULL_RECORD_MOST 1160  /* bytes of the largest record */

/* Bytes from the opcode word to the end of the thread state, in the largest layout. */
#define FULL_HEAD_MOST 320

/* Where a layout's registers stand: offsets in bytes from the opcode word. */
struct full_layout {
	uint16_t record;	  /* bytes of a whole record */
	bool wide;		  /* thread state of 64 bits */
	uint16_t pc, msr, gpr;	  /* srr0, srr1, r0; 4 bytes each, 8 if wide */
	uint16_t cr, xer;	  /* xer, lr and ctr as srr0; cr has 4 bytes */
	uint16_t lr, ctr, mq;	  /* mq has 4 bytes; offset 0: there is none */
	uint16_t vrsave;	  /* the last 4 bytes of the thread state proper */
	uint16_t floats, vectors; /* the other two states */
};

/* The bit of srr1 that is set in user programs (PR). */
#define FULL_MSR_USER 0x4000u

/* By ascending size of the record: A to E. */
extern const struct full_layout full_layouts[FULL_LAYOUTS];

/* Offsets in the float state and in the vector state. */
#define FULL_FPSCR_PAD 256
#define FULL_FPSCR 260
#define FULL_VSCR 512
#define FULL_PAD5 528
#define FULL_VRVALID 544
#define FULL_PAD6 548
#define FULL_PAD5_SIZE 16
#define FULL_PAD6_SIZE 28

/* How the records of a trace are to be read. */
struct full_dialect {
	const struct full_layout *layout;
	bool little; /* bytes of every word, and of every 64-bit register, are reversed */
	bool post;   /* the state of a record is that after its instruction */
};

/* A number of 4 bytes in the dialect's order. */
static inline uint32_t
full_word(const struct full_dialect *dialect, const uint8_t *p)
{
	return dialect->little ? load_le32(p) : load_be32(p);
}

/* A number of 8 bytes in the dialect's order. */
static inline uint64_t
full_long(const struct full_dialect *dialect, const uint8_t *p)
{
	return dialect->little ? load_le64(p) : load_be64(p);
}

/* A register of the thread state that is as wide as the layout's srr0. */
static inline uint64_t
full_register(const struct full_dialect *dialect, const uint8_t *p)
{
	return dialect->layout->wide ? full_long(dialect, p) : full_word(dialect, p);
}

/* General purpose register n of a record. */
static inline uint64_t
full_gpr(const struct full_dialect *dialect, const uint8_t *record, unsigned n)
{
	unsigned size = dialect->layout->wide ? 8 : 4;
	return full_register(dialect, record + dialect->layout->gpr + n * size);
}

/* True where the state runs in 64-bit mode: its MSR says so (bit 0, SF). */
static inline bool
full_is_wide(const struct full_dialect *dialect, const uint8_t *record)
{
	return dialect->layout->wide &&
	       full_long(dialect, record + dialect->layout->msr) >> 63 != 0;
}

/* The layout whose records have so many bytes, or NULL. */
const struct full_layout *full_layout_find(uint64_t record_size);

/* A run of count numbers of unit bytes each (4 or 8) in a record. */
struct full_run {
	uint16_t offset; /* from the opcode word */
	uint16_t count, unit;
};

#define FULL_RUNS 12

/*
 * The runs of a layout in ascending order; the bytes behind the opcode word that are in none
 * are padding. Equal indices of layouts of one width mean the same registers.
 */
void full_runs(const struct full_layout *layout, struct full_run runs[FULL_RUNS]);

/* True where mq, fpscr_pad, save_pad5 or save_pad6 of a whole record is not zero; *what gets
 * the name of the first. */
bool full_pads_set(
	const struct full_dialect *dialect, const uint8_t *record, const char **what);

/* The state of a whole record. */
void full_state(const struct full_dialect *dialect, const uint8_t *record,
	struct poly_powerpc_state *state);

/* An instruction and the registers before it that say where it may lead. */
struct full_step {
	uint32_t opcode;
	bool wide; /* addresses have 64 bits */
	uint64_t pc, lr, ctr;
};

/* The step from the record before to the record now, of which only as much is read as its
 * opcode word in a trace of states after the instruction. */
struct full_step full_step_between(
	const struct full_dialect *dialect, const uint8_t *before, const uint8_t *now);

/* Where a branch goes if it is taken, and whether it is; from the state before it. */
struct full_branch {
	bool is_branch;	  /* b, bc, bclr, bcctr and their forms */
	bool conditional; /* may fall through */
	bool taken;
	uint64_t target, fallthrough;
};

/* The branch of a step; cr is the condition register before it. */
struct full_branch full_branch(const struct full_step *step, uint32_t cr);

/* False where next can't be the address after the step (amber 4.9); rfi leads anywhere. */
bool full_follows(const struct full_step *step, uint64_t next);

/* The addresses that may follow, for messages: "10000048 or 1000004c". */
void full_expected(const struct full_step *step, char *text, size_t size);

/* Codes of the four synchronisation records, which may stand between records. */
#define FULL_ESCAPE_SIZE 12

/* The enum poly_sync of the first word of a synchronisation record; -1: it is none. */
int full_sync_find(uint32_t word);

/* The first word of the synchronisation record of a value of enum poly_sync. */
uint32_t full_sync_word(unsigned sync);

/* Names of the column record. The synchronisation records stand in the order of poly_sync. */
enum full_record {
	FULL_INSTRUCTION,
	FULL_SYNC, /* + enum poly_sync */
	FULL_DAMAGED = FULL_SYNC + POLY_SYNC_COUNT,
	FULL_RECORD_COUNT
};

/* Options, in the order of the table. */
enum full_option {
	FULL_OPTION_RECORD,  /* 0: auto, else 1 + index into full_layouts */
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
	FULL_A01,
	FULL_A03,
	FULL_A04,
	FULL_A05,
	FULL_A06,
	FULL_A07,
	FULL_A08,
	FULL_A15,
	FULL_A17,
	FULL_A20,
	FULL_A21,
	FULL_A22,
	FULL_A23,
};

/* What the front of a trace says of its layout. */
struct full_detection {
	const struct full_layout *layout; /* NULL: undecided */
	bool post;
	size_t first;	  /* offset of the first record behind the magic; its size if none */
	unsigned records; /* whole records that were looked at */
	unsigned best,
		second; /* per mille of checks that were true: this and the next layout */
};

/*
 * Looks at the n bytes behind the magic (amber 4.9). layout and state are options; little is
 * the order of bytes; escapes: synchronisation records may stand between records.
 */
struct full_detection full_detect(
	const uint8_t *p, size_t n, bool little, const uint64_t *options);

/* What the check keeps from row to row. */
struct full_check {
	bool begun;	       /* an instruction was seen */
	bool known;	       /* the next address is still to come: of step, record, offset */
	struct full_step step; /* lr and ctr are not set */
	uint64_t record, offset; /* of the step's row, as in findings */
	struct map opcodes;	 /* by pc: its first opcode */
	struct map outside;	 /* by opcode class outside the TT6 tables: how often */
};

/* Tests the rules on a batch; NULL: the trace has ended. */
void full_check(struct full_check *check, struct reading *reading,
	const struct full_dialect *dialect, const struct poly_batch *batch);

/* Gives back what the check holds. */
void full_check_fini(struct full_check *check);

/* The reader half's state. */
struct full_reader {
	struct full_dialect dialect;
	bool escapes; /* synchronisation records may stand between records */
	bool lost;    /* the search for a sound record has not ended */
	bool follows; /* before holds the record before the next one */
	uint8_t before[FULL_HEAD_MOST];
	struct full_check check;
};

enum poly_status full_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status full_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);

/* The writer half of the format. */
struct full_writer {
	const struct full_layout *layout; /* NULL: that of the first payload */
	struct full_dialect from;	  /* of the source; its layout is that of the payload */
	bool little;			  /* order of the bytes that are written */
	bool keeps_raw;			  /* damaged bytes fit the target as they are */
	bool magic;			  /* the magic is still to be written */
	bool magic_little;		  /* its order */
};
enum poly_status full_wopen(struct writing *writing, struct poly_error *error);
enum poly_status full_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status full_wfinish(struct writing *writing, struct poly_error *error);

#endif
