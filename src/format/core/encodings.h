/* SPDX-License-Identifier: MIT */
/* Encodings of instructions by their address in the program's ELF file, for traces that lack
 * them. */
#ifndef FORMAT_ENCODINGS_H
#define FORMAT_ENCODINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct poly_symbols;
struct isa_decoder;

/* All 0: none. */
struct encodings {
	const struct poly_symbols *symbols;
	const char *isa;	     /* of the file, as poly_isa_at lists it */
	struct isa_decoder *decoder; /* of x86; NULL: not needed, or no library */
};

/* An encoding, in the form of the columns opcode, opcode_size and payload. */
struct encoding {
	uint64_t opcode;      /* of the first 8 bytes */
	const uint8_t *bytes; /* as in the file */
	unsigned size;
};

/* Prepares the encodings of a file; symbols: NULL, or of any file. False: it has none. */
bool encodings_open(struct encodings *encodings, const struct poly_symbols *symbols);

/* Finds the encoding at an address; thumb: the mode of ARM. encodings NULL: none. False: no
 * code or instruction was found. */
bool encodings_find(
	struct encodings *encodings, uint64_t pc, bool thumb, struct encoding *found);

/* Frees what encodings_open prepared. */
void encodings_close(struct encodings *encodings);

#endif
