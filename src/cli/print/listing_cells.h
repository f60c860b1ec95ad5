/* SPDX-License-Identifier: MIT */
/* The cells of a listing: values of rows as text. */
#ifndef CLI_LISTING_CELLS_H
#define CLI_LISTING_CELLS_H

#include "polytrace/polytrace.h"

#include "cli/print/disassembly.h"

enum cell {
	CELL_COLUMN,   /* a column */
	CELL_TEXT,     /* the column text, or disassembly, with remarks */
	CELL_REGISTER, /* a register of a FULL record */
};

struct listing_column {
	enum cell cell;
	enum poly_column column; /* of CELL_COLUMN and CELL_TEXT */
	enum poly_form form;	 /* of the column */
	char title[40];		 /* in the header; register name of a CELL_REGISTER */
	const struct poly_format_info *names; /* has names of the registers, or NULL */
	unsigned digits;		      /* minimum digits of a hexadecimal number */
	bool right;			      /* right-aligned */
	size_t width;
	size_t measured; /* index among the measured columns */
};

/* What cells show besides columns. A thread has its own. */
struct cell_source {
	struct disassembly *disassembly; /* NULL: none */
	bool registers;			 /* there are cells of registers */
	struct poly_powerpc_state state; /* of the row, where has_state */
	bool has_state, had_state;
};

/* Reads the registers of a row, before its cells are printed. */
void cell_read_state(struct cell_source *source, const struct poly_batch *batch, size_t row);

/*
 * Writes a cell without padding and returns its length. All cells of a row with their padding
 * have at most OUTPUT_ROOM bytes.
 */
size_t cell_print(struct cell_source *source, const struct listing_column *shown,
	const struct poly_batch *batch, size_t row, char *dst);

#endif
