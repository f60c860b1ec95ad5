/* SPDX-License-Identifier: MIT */
/* Records of ChampSim: their layouts, and the kinds of branches. */
#ifndef FORMAT_CHAMPSIM_CHAMPSIM_H
#define FORMAT_CHAMPSIM_CHAMPSIM_H

#include "format/core/format.h"
#include "format/operation/operation.h"

enum champsim_option { CHAMPSIM_OPTION_RECORD, CHAMPSIM_OPTION_BRANCHES };

/* Values of champsim.branches. */
enum { CHAMPSIM_BY_REGISTERS, CHAMPSIM_BY_FLAG };

/* Registers that determine the kind of a branch: Pin's numbers. */
enum { CHAMPSIM_SP = 6, CHAMPSIM_FLAGS = 25, CHAMPSIM_IP = 26 };

/* Layouts, in the order of champsim.record; the last one is only recognized. */
enum champsim_layout {
	CHAMPSIM_64,
	CHAMPSIM_72,
	CHAMPSIM_LOAD_TYPE,
	CHAMPSIM_CLOUDSUITE,
	CHAMPSIM_READ, /* layouts that are read; also the value auto of the option */
	CHAMPSIM_152 = CHAMPSIM_READ,
	CHAMPSIM_LAYOUTS
};

#define CHAMPSIM_SIZE 64      /* bytes of a record of the common layout */
#define CHAMPSIM_SIZE_MAX 152 /* of the largest record */

/* Registers of a record of 64 bytes, and operands of any record. */
enum { CHAMPSIM_DESTS = 2, CHAMPSIM_SOURCES = 4 };
enum { CHAMPSIM_OPERANDS_MAX = 4 };

/* Bytes of the largest payload. */
#define CHAMPSIM_PAYLOAD_MAX 32

/* A record. */
struct champsim_record {
	uint64_t ip;
	uint8_t is_branch, is_taken;
	uint8_t dests[CHAMPSIM_OPERANDS_MAX], sources[CHAMPSIM_OPERANDS_MAX];
	uint64_t stores[CHAMPSIM_OPERANDS_MAX], loads[CHAMPSIM_OPERANDS_MAX];
	uint16_t process; /* of cloudsuite */
	bool is_padded;	  /* bytes that have no meaning are 0 */
};

/* Values of the column record: instructions by their branches, and their operands. */
enum champsim_kind {
	CHAMPSIM_INSTRUCTION,
	CHAMPSIM_DIRECT_JUMP,
	CHAMPSIM_INDIRECT_JUMP,
	CHAMPSIM_CONDITIONAL,
	CHAMPSIM_DIRECT_CALL,
	CHAMPSIM_INDIRECT_CALL,
	CHAMPSIM_RETURN,
	CHAMPSIM_OTHER,
	CHAMPSIM_LOAD,
	CHAMPSIM_STORE,
	CHAMPSIM_CORRUPT,
	CHAMPSIM_KINDS
};

extern const char *const champsim_kind_names[CHAMPSIM_KINDS];

/* The words of champsim.record, in the order of the layouts, then auto. */
extern const char *const champsim_layouts[];

/* Returns the bytes of a record. */
size_t champsim_size(enum champsim_layout layout);

/* Returns the bytes of a record that are neither its ip nor memory operands: its payload. */
size_t champsim_payload_size(enum champsim_layout layout);

/* Copies the payload of a record at p. */
void champsim_get_payload(const uint8_t *p, enum champsim_layout layout, uint8_t *payload);

/* Sets the payload of a record at p. */
void champsim_put_payload(uint8_t *p, enum champsim_layout layout, const uint8_t *payload);

/* Decodes a record. */
struct champsim_record champsim_load(const uint8_t *p, enum champsim_layout layout);

/* Encodes what a record has, and keeps the other bytes of the record at p. */
void champsim_store(
	uint8_t *p, enum champsim_layout layout, const struct champsim_record *record);

/* Returns the stores, or loads, of a layout. */
unsigned champsim_stores(enum champsim_layout layout);
unsigned champsim_loads(enum champsim_layout layout);

/* Returns the kind of branch by the sets of registers, the first rule that fits. */
enum champsim_kind champsim_kind_of(const struct champsim_record *record);

/* Sets of operands that have a 0 before an operand, as bits. */
enum { CHAMPSIM_REGISTER_HOLE = 1, CHAMPSIM_ADDRESS_HOLE = 2 };

/* Returns the sets of a record that are not filled from the left. */
unsigned champsim_holes(const struct champsim_record *record);

/* Returns whether branches of a kind are always taken. */
bool champsim_always_taken(enum champsim_kind kind);

/* Returns whether a set of n registers has one. */
bool champsim_has(const uint8_t *set, size_t n, uint8_t reg);

/* Evidence of the records at the front of an input for a layout. */
struct champsim_sample {
	enum champsim_layout layout;
	size_t records, valid, different; /* examined; valid; unlike their predecessors */
	size_t sequential;		  /* continue within 15 bytes */
	size_t branches, jumps;		  /* by the flag; of these with the ip as destination */
};

/* Returns whether bytes are text. */
bool champsim_is_text(const uint8_t *p, size_t n);

/* Finds the layout with the most evidence in n bytes; false: none fits, and in best most
 * records are valid. */
bool champsim_detect(const uint8_t *p, size_t n, struct champsim_sample *best);

/* The probe of struct format. */
int champsim_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

/* Special registers of an instruction set; ISA_NO_REGISTER: it has none. */
struct champsim_registers {
	unsigned stack, flags, ip, zero;
};

/* What did not fit in a record. */
struct champsim_loss {
	bool dests, sources, condition;
};

/* Finds the special registers of an instruction set; NULL: none. */
struct champsim_registers champsim_registers_of(const char *isa);

/* Sets the flag and registers of a record. */
struct champsim_loss champsim_encode(const struct champsim_registers *registers,
	const struct operation *operation, struct champsim_record *record);

/* An instruction that is written when the next one is known. */
struct champsim_pending {
	bool is_open, is_own; /* own: registers are those of the payload */
	bool has_outcome, has_raw, has_end;
	uint64_t end; /* address after the instruction */
	uint8_t raw[CHAMPSIM_SIZE_MAX];
	uint8_t bytes[CHAMPSIM_SIZE_MAX]; /* those of the payload, if its layout is written */
	unsigned stores, loads;		  /* of the record */
	struct operation operation;
	struct champsim_record record;
};

/* The writer's state. */
struct champsim_writer {
	bool is_own, is_same; /* payloads are those of a layout; of the written one */
	enum champsim_layout source, layout; /* of payloads; of written records */
	struct operations operations;
	struct champsim_registers registers;
	struct champsim_pending pending;
	bool has_context;
	uint64_t context; /* of the last instruction */
};

/* The writer's functions of struct format. */
enum poly_status champsim_wopen(struct writing *writing, struct poly_error *error);
enum poly_status champsim_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status champsim_wfinish(struct writing *writing, struct poly_error *error);
void champsim_wclose(struct writing *writing);

#endif
