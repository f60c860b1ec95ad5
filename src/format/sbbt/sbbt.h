/* SPDX-License-Identifier: MIT */
/* Branches of SBBT, and the state of its writer. */
#ifndef FORMAT_SBBT_SBBT_H
#define FORMAT_SBBT_SBBT_H

#include "format/core/format.h"
#include "format/operation/operation.h"

#define SBBT_HEADER 24 /* bytes of the header */
#define SBBT_SIZE 16   /* bytes of a branch */
#define SBBT_GAP_MAX 4095

/* The bytes that a file begins with. */
#define SBBT_MAGIC "SBBT\n\1\0\0"
#define SBBT_MAGIC_SIZE 8

enum { SBBT_NEW, SBBT_OLD, SBBT_AUTO };

/* Bits of a kind of branch. */
enum { SBBT_CONDITIONAL = 1, SBBT_INDIRECT = 2, SBBT_RETURN = 4, SBBT_CALL = 8 };

/* Values of the column record: kinds by their bits, then others. */
enum { SBBT_INVALID = 12, SBBT_CORRUPT, SBBT_RECORDS };

extern const char *const sbbt_records[SBBT_RECORDS];

struct sbbt_branch {
	uint64_t ip, target;
	unsigned kind, gap; /* kind: of sbbt_records */
	bool is_taken;
};

/* Decodes a branch. */
struct sbbt_branch sbbt_load(const uint8_t *p, bool is_old);

/* Stores a branch. */
void sbbt_store(uint8_t p[SBBT_SIZE], const struct sbbt_branch *branch, bool is_old);

/* The words of sbbt.layout, in the order of their values. */
extern const char *const sbbt_layouts[];

/* Returns whether an address is one of 52 bits with its sign extended. */
bool sbbt_has_address(uint64_t address);

/* An instruction that is written, if it is a branch, when the next one is known. */
struct sbbt_pending {
	bool is_open, has_outcome, is_taken, has_end, has_target;
	uint64_t pc, end, target, number, origin;
	struct operation operation;
};

struct spill_buffer;

/* The writer's state. */
struct sbbt_writer {
	bool is_own, has_header, is_raw; /* is_raw: the source's layout is the written one */
	bool is_old;			 /* the layout that is written */
	bool is_irregular;		 /* the source's branches are not those of its header */
	uint64_t header_instructions, header_branches;
	struct operations operations;
	struct spill_buffer *spill; /* the branches: the header with their number is first */
	struct sbbt_pending pending;
	uint64_t branches, instructions; /* written; up to the last one */
	uint64_t counted;		 /* instructions of the source */
	uint64_t last;			 /* number of the last branch's instruction */
};

/* The writer's functions of struct format. */
enum poly_status sbbt_wopen(struct writing *writing, struct poly_error *error);
enum poly_status sbbt_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status sbbt_wfinish(struct writing *writing, struct poly_error *error);
void sbbt_wclose(struct writing *writing);

#endif
