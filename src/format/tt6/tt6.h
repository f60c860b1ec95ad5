/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the TT6 and TT6E files: tables by encoding, the decoder of one record,
 * the intermediate rows between decoding and columns, options, rules and record names.
 *
 * spec: TT6 trace format; Apple amber traces 3, 4 and 5.
 */
#ifndef FORMAT_TT6_H
#define FORMAT_TT6_H

#include "base/map.h"
#include "format/core/format.h"
#include "isa/powerpc.h"

/* Encodings that the tables distinguish: those of powerpc_classes. */
#define TT6_ENCODINGS 2112

#define TT6_BRANCH_SYNTHETIC 0x48000702u /* ba 0x700 as written after a twi */
#define TT6_TRAP 0x700u			 /* target of that branch */
#define TT6_RFI 0x4c000064u
#define TT6_SPLICE 0x48000000u /* b 0: separates joined traces (Apple amber traces 3/14) */

/* Number and meaning of a record's words. */
enum tt6_shape {
	TT6_COMPUTE,  /* opcode */
	TT6_MEMORY,   /* opcode, data address */
	TT6_FLOW,     /* opcode, address of the next instruction */
	TT6_EXTENDED, /* opcode, data address, third word */
	TT6_ESCAPE,   /* code and count, count words */
};

/* Values of the column record. */
enum tt6_record_name {
	TT6_IS_INITIAL_PC,
	TT6_IS_COMPUTE,
	TT6_IS_FLOW,
	TT6_IS_MEMORY,
	TT6_IS_EXTENDED,
	TT6_IS_SIGNAL,
	TT6_IS_BROADCAST,
	TT6_IS_WAIT,
	TT6_IS_TRYWAIT,
	TT6_IS_SEGMENT, /* escape codes 0 to 5 in their order */
	TT6_IS_DATA_ADDRESS,
	TT6_IS_CONDITION_REGISTER,
	TT6_IS_REAL_TARGET,
	TT6_IS_REAL_ADDRESS,
	TT6_IS_REAL_PC,
	TT6_IS_ESCAPE,
	TT6_IS_CORRUPT,
	TT6_RECORD_COUNT
};

/* Escape codes (TT6 trace format, escape records; Apple amber traces 4.4). */
enum tt6_code {
	TT6_CODE_SEGMENT,
	TT6_CODE_DATA_ADDRESS,
	TT6_CODE_CONDITION_REGISTER,
	TT6_CODE_REAL_TARGET,
	TT6_CODE_REAL_ADDRESS,
	TT6_CODE_REAL_PC,
	TT6_CODE_LAST_CONTEXT = TT6_CODE_REAL_PC,
	TT6_CODE_SIGNAL = 0x20,
	TT6_CODE_BROADCAST = 0x21,
	TT6_CODE_WAIT = 0x30,
	TT6_CODE_TRYWAIT = 0x31,
	TT6_CODE_LAST_SYNC = 0x3f,
};

/* Options in the order of the tables; the last one is for tt6e only. */
enum tt6_option {
	TT6_OPTION_ENDIAN, /* enum tt6_endian */
	TT6_OPTION_THIRD,  /* 0 raw, 1 count */
	TT6_OPTION_ZERO,   /* 0 escape, 1 opcode */
	TT6_OPTION_SPLICE, /* bool */
	TT6_OPTION_MISSING /* 0 refuse, 1 zero */
};

enum tt6_endian { TT6_BIG, TT6_LITTLE, TT6_AUTO };

/* Rules in the order of the table. */
enum tt6_rule {
	TT6_A01,
	TT6_A02,
	TT6_A03,
	TT6_A04,
	TT6_A05,
	TT6_A06,
	TT6_A07,
	TT6_A08,
	TT6_A09,
	TT6_A10,
	TT6_A11,
	TT6_A12,
	TT6_A13,
	TT6_A14,
	TT6_A15,
	TT6_A16,
	TT6_A17,
	TT6_A18,
	TT6_A19,
	TT6_A20,
	TT6_A24
};

/* Bits of a fact: what a row of an encoding has. */
#define TT6_HAS_PC 1u
#define TT6_HAS_ADDRESS 2u
#define TT6_HAS_NEXT 4u
#define TT6_HAS_THIRD 8u
#define TT6_HAS_ACCESS 16u
#define TT6_HAS_SIZE 32u
#define TT6_HAS_OPEN \
	64u /* access and size depend on more bits of the opcode, or on the third word */
#define TT6_IS_ALIGNED 128u /* the access ignores the lowest bits of the address */

/* Positions of the other bytes of a fact. */
#define TT6_FACT_RECORD 8  /* enum tt6_record_name */
#define TT6_FACT_ACCESS 16 /* enum poly_access */
#define TT6_FACT_SIZE 24   /* bytes */

/* By tt6_index of the encoding, for one interpretation. */
struct tt6_tables {
	uint8_t shape[TT6_ENCODINGS]; /* enum tt6_shape */
	uint32_t fact[TT6_ENCODINGS]; /* bits TT6_HAS_..., and three bytes; 0: an escape */
};

/* Returns the index of an opcode in the tables. */
static inline unsigned
tt6_index(uint32_t opcode)
{
	uint32_t primary = opcode >> 26;
	return powerpc_classes.base[primary] + (opcode >> 1 & powerpc_classes.mask[primary]);
}

static inline uint32_t
tt6_load(const uint8_t *p, bool little)
{
	return little ? load_le32(p) : load_be32(p);
}

/* Fills the tables. extended: TT6E. zero_is_opcode: words with primary opcode 0 are compute
 * instructions. */
void tt6_tables_fill(struct tt6_tables *tables, bool extended, bool zero_is_opcode);

/* A decoded record. */
struct tt6_record {
	enum tt6_shape shape;
	uint32_t opcode;	/* or the escape word */
	uint32_t second, third; /* following words; 0 if the record has fewer */
	size_t length;		/* bytes */
};

/* Return the code and the number of payload words of an escape word. */
static inline unsigned
tt6_code(uint32_t word)
{
	return word >> 16 & 0x3ff;
}

static inline uint32_t
tt6_count(uint32_t word)
{
	return word & 0xffff;
}

/*
 * Decodes the record at the start of n bytes. Returns false if it is incomplete; then length is
 * the number of bytes that it needs, 4 if its first word is incomplete.
 */
bool tt6_decode(const struct tt6_tables *tables, bool little, const uint8_t *p, size_t n,
	struct tt6_record *record);

/* Returns whether a code's payload is an address that also describes the next instruction. */
static inline bool
tt6_binds(unsigned code)
{
	return code == TT6_CODE_DATA_ADDRESS ||
	       (code >= TT6_CODE_REAL_TARGET && code <= TT6_CODE_LAST_CONTEXT);
}

/* Returns the sync operation of an escape code, or -1. */
int tt6_sync(unsigned code);

/* Returns the escape code of a sync operation. */
unsigned tt6_sync_code(enum poly_sync sync);

/* Rows decoded before their columns are filled: the intermediate rows fit the L1 cache. */
#define TT6_CHUNK 512

/*
 * Output of the decoding loop: columns of the batch from the chunk's first row on, or scratch
 * for columns that are not selected. Every word is stored wherever it might belong; the facts
 * specify where it does. Rows that are not instructions have fact 0.
 */
struct tt6_rows {
	uint64_t *pc, *opcode, *value, *origin;
	uint64_t *second; /* address, and copied to next_pc */
	uint32_t fact[TT6_CHUNK];
	size_t count;
	uint64_t at;   /* offset in the input after the rows */
	bool has_trap; /* a flow record has TT6_TRAP as next address */
	uint64_t scratch[5][TT6_CHUNK];
};

/* A row that is not an instruction. */
struct tt6_special {
	uint16_t row;  /* within the chunk */
	uint8_t name;  /* enum tt6_record_name */
	bool is_value; /* value holds the payload */
	uint16_t code; /* of an escape */
	uint32_t address;
	uint64_t value; /* payload, count of a sync record, or initial PC */
};

/* Addresses from escapes for the next instruction, by code. */
struct tt6_pending {
	uint64_t value[TT6_CODE_LAST_CONTEXT + 1];
	bool is_set[TT6_CODE_LAST_CONTEXT + 1];
	bool any;
};

/* Record and offset of an earlier record, for findings. */
struct tt6_origin {
	uint64_t record, offset;
};

/* An address from an escape for the next instruction. */
struct tt6_announced {
	bool is_set;
	uint64_t value;
	struct tt6_origin origin;
};

/* State of the check that follows from the last rows. */
struct tt6_sequence {
	bool is_known; /* in decoders: it does not depend on rows before the chunk */
	struct tt6_announced announced[TT6_CODE_LAST_CONTEXT + 1];
	struct tt6_origin twi; /* the last instruction, if it is a twi */
	uint32_t twi_return;   /* the PC after the last twi */
	bool after_twi;	       /* the last instruction is a twi */
	bool returns;	       /* the last instruction is the branch of a pair after a twi */
	bool is_distinct;      /* a cache operation or twi occurred */
	bool has_instruction;  /* any instruction occurred */
};

/* Tables of the check, which decoders of chunks do not have. */
struct tt6_check;

/* Reader state. */
struct tt6 {
	struct tt6_tables tables;
	struct tt6_rows rows;
	struct tt6_special specials[TT6_CHUNK];
	size_t special_count;
	struct tt6_pending pending;
	struct tt6_check *check; /* NULL if nothing is checked */
	struct tt6_sequence sequence;
	uint32_t pc;	     /* of the next instruction */
	bool extended;	     /* TT6E */
	bool little;	     /* the words are byte-swapped */
	bool count_is_plain; /* third words of lswx and stswx are plain counts */
	bool started;	     /* the initial PC was read */
	bool rfi_due;	     /* the next instruction is the second of a synthetic pair */
};

/* Fills the columns of the chunk in state->rows, which starts at row base of the batch (a
 * multiple of 64). lookahead: the opcode of a complete record after the chunk, or 0. */
void tt6_columns(struct tt6 *state, struct batch *batch, size_t base, uint32_t lookahead);

/* Reading. */
enum poly_status tt6_open(struct reading *reading, struct poly_error *error);
enum poly_status tt6e_open(struct reading *reading, struct poly_error *error);
enum poly_status tt6_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void tt6_close(struct reading *reading);

/* Split points: after a flow record. See struct format. */
size_t tt6_find_split(
	const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);
bool tt6_open_decoder(struct reading *reading, const struct reading *opened);
void tt6_enter_split(struct reading *reading, const uint8_t *before, size_t n);
bool tt6_is_at_split(const struct reading *reading, const uint8_t *before, size_t n);

/* Creates the check's state (NULL: out of memory), checks a batch, and frees the state. */
struct tt6_check *tt6_check_new(void);
void tt6_check(struct reading *reading, const struct poly_batch *batch);
void tt6_check_free(struct tt6_check *check);

/* The check of decoders of chunks; see struct format. */
void tt6_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row);
void tt6_check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first);

/* Probes. */
int tt6_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);
int tt6e_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

/* Bytes at the start that determine the byte order. */
#define TT6_ORDER_BYTES ((size_t)64 << 10)

/* Returns whether the first bytes (at most TT6_ORDER_BYTES count) are plausible only
 * byte-swapped. */
bool tt6_is_little(const uint8_t *p, size_t n);

/* What the last words written need: the pc of the next instruction. */
enum tt6_missing {
	TT6_MISSING_NONE,
	TT6_MISSING_INITIAL_PC,
	TT6_MISSING_NEXT_PC,
	TT6_MISSING_TRAP_RETURN
};

/* Escapes that wait for their instruction. */
struct tt6_held {
	bool is_empty;	   /* none of the following */
	bool is_lost;	   /* columns of the instruction do not replace all words, if dropped */
	struct buf words;  /* as they are written, with other records between them */
	struct buf others; /* the words of those */
	uint64_t next;	   /* number of the record after the last one */
	uint64_t context;  /* key of its thread; 0: none */
	/* By code, since the last instruction; the value of the last escape of the code. */
	bool has[TT6_CODE_LAST_CONTEXT + 1], has_value[TT6_CODE_LAST_CONTEXT + 1];
	uint64_t value[TT6_CODE_LAST_CONTEXT + 1];
};

/* A twi whose synthetic pair follows. */
struct tt6_pair {
	uint64_t next;	  /* number of the record that continues it; 0: none is open */
	uint64_t last;	  /* number of the last record */
	uint32_t pc;	  /* of the twi */
	unsigned written; /* instructions of the pair */
	bool drops;	  /* the last record was a synthetic one without its twi */
};

/* Writer state. Before held.words are the numbers that predict_state predicts. */
struct tt6_writer {
	struct tt6_pair pair;
	enum tt6_missing missing; /* what the incomplete record needs */
	bool started;		  /* the initial PC's word was reserved or written */
	bool has_initial_pc;	  /* the source states the initial PC */
	struct tt6_held held;
	bool holding;	    /* words are of an escape that waits */
	bool source_is_tt6; /* addresses of cache operations are from escapes */
	struct tt6_tables tables;
	struct buf bytes;     /* an incomplete record, and all that follows it */
	bool extended;	      /* TT6E */
	bool little;	      /* words are written byte-swapped */
	bool adds_pairs;      /* add a synthetic pair to every twi */
	bool same_family;     /* the source is of this family */
	bool missing_is_zero; /* option tt6.missing or tt6e.missing */
};

/* Returns whether the address of a row has no word in its record, so that an escape of the
 * source states it. */
bool tt6_lacks_word(const struct writing *writing, const struct poly_batch *batch, size_t row);

/* Drops the held escapes unless a further one belongs to the same instruction. */
void tt6_held_continue(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Notes an escape whose words were added to the held ones. */
void tt6_held_add(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Returns whether a synchronisation or another escape stands between held escapes and their
 * instruction, so that it is held, too. */
bool tt6_held_surrounds(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Writes held escapes before a row that is not an instruction, or drops them. */
void tt6_held_pass(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Writes the escapes of an instruction, held or from its columns. */
void tt6_held_settle(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Drops the held escapes without a note. */
void tt6_held_clear(struct tt6_held *held);

/* Writes held escapes at the end. */
void tt6_held_finish(struct writing *writing);

/* Notes a twi, whose synthetic pair follows. */
void tt6_pair_open(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Completes the pair of the last twi if a row does not; returns whether the row is a synthetic
 * instruction without its twi, which is to be dropped. */
bool tt6_pair_pass(struct writing *writing, const struct poly_batch *batch, size_t row);

/* Stores a word in the order of the output. */
void tt6_store_word(const struct tt6_writer *writer, uint8_t *p, uint32_t word);

/* Writes words; returns their address, valid until the next ones; NULL: out of memory, recorded
 * in the buffer of an incomplete record. */
const uint8_t *tt6_put_words(struct writing *writing, const uint32_t *words, size_t count);

/* Writes a word. */
void tt6_put_word(struct writing *writing, uint32_t word);

/* Writes bytes in the order of the output. */
void tt6_put_bytes(struct writing *writing, const uint8_t *bytes, size_t n);

/* Writes an escape record of count words. */
void tt6_put_record(
	struct writing *writing, unsigned code, const uint32_t *words, uint32_t count);

/* Writes an escape with an address or value, of one word or two. */
void tt6_put_escape(struct writing *writing, unsigned code, uint64_t value);

/* Expects the next instruction at a pc. */
void tt6_expect(struct writing *writing, uint32_t pc);

/* Values of writing->context: the next PC is expected, and in the lower bits; or a record
 * is incomplete. */
#define TT6_EXPECTS ((uint64_t)1 << 32)
#define TT6_INCOMPLETE ((uint64_t)1 << 33)

/* The next row cannot be copied: it may complete held escapes or the pair of a twi. */
#define TT6_WAITS ((uint64_t)1 << 34)

/* Writing. */
enum poly_status tt6_wopen(struct writing *writing, struct poly_error *error);
enum poly_status tt6e_wopen(struct writing *writing, struct poly_error *error);
enum poly_status tt6_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status tt6_write_row(struct writing *writing, const struct poly_batch *batch,
	size_t row, struct poly_error *error);
bool tt6_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count);
enum poly_status tt6_wfinish(struct writing *writing, struct poly_error *error);
void tt6_wclose(struct writing *writing);

#endif
