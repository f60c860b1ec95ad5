/* SPDX-License-Identifier: MIT */
/*
 * Rows as micro-operations of CIS 501 traces.
 *
 * spec: Instruction Trace Format (Penn CIS 501), Field Descriptions
 */
#include "format/cis501/cis501.h"

struct cis501_word
cis501_word_of(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	if (!poly_present(batch, column, row))
		return (struct cis501_word){"", 0};
	uint32_t number = (uint32_t)poly_batch_integer(batch, column, row);
	const char *name = poly_trace_name(batch->info, number);
	return (struct cis501_word){name ? name : "", name ? strlen(name) : 0};
}

/* The value of a column in a row, or a default if it is absent. */
#define VALUE(batch, column, row, absent) \
	(poly_present(batch, POLY_COLUMN_##column, row) ? (batch)->column[row] : (absent))

/* Loads a name of a row; false if it is not a valid word of a line. */
static bool
load_word(const struct poly_batch *batch, enum poly_column column, size_t row,
	struct cis501_word *word)
{
	*word = (struct cis501_word){"", 0};
	if (!poly_present(batch, column, row))
		return false;
	const uint32_t *numbers =
		column == POLY_COLUMN_mnemonic ? batch->mnemonic : batch->uop_name;
	const char *name = poly_trace_name(batch->info, numbers[row]);
	if (!name)
		return false;
	*word = (struct cis501_word){name, cis501_word_length(name)};
	return word->length != 0 && name[word->length] == '\0' &&
	       word->length < CIS501_LINE_MAX / 4;
}

static void
set_letters(const struct poly_batch *batch, size_t row, struct cis501 *op)
{
	op->flags = op->branch = op->access = '-';
	if (poly_present(batch, POLY_COLUMN_flags, row))
		op->flags = "-RWW"[batch->flags[row] & 3];
	if (poly_present(batch, POLY_COLUMN_branch, row))
		op->branch = batch->branch[row] == POLY_BRANCH_TAKEN ? 'T' : 'N';
	if (!poly_present(batch, POLY_COLUMN_access, row))
		return;
	if (batch->access[row] == POLY_ACCESS_READ)
		op->access = 'L';
	else if (batch->access[row] == POLY_ACCESS_WRITE)
		op->access = 'S';
}

const char *
cis501_of_row(const struct poly_batch *batch, size_t row, struct cis501 *op)
{
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return "pc";
	if (!poly_present(batch, POLY_COLUMN_fallthrough, row))
		return "fallthrough";
	*op = (struct cis501){.pc = batch->pc[row], .fallthrough = batch->fallthrough[row]};
	op->uop = VALUE(batch, uop_index, row, 0);
	if (op->uop == 0)
		return "uop_index";
	if (!load_word(batch, POLY_COLUMN_mnemonic, row, &op->macro))
		return "mnemonic";
	if (!load_word(batch, POLY_COLUMN_uop_name, row, &op->micro))
		return "uop_name";
	op->src1 = VALUE(batch, src1, row, -1);
	op->src2 = VALUE(batch, src2, row, -1);
	op->dest = VALUE(batch, dest, row, -1);
	set_letters(batch, row, op);
	op->immediate = VALUE(batch, immediate, row, 0);
	op->target = VALUE(batch, target, row, 0);
	if (op->access != '-')
		op->address = VALUE(batch, address, row, 0);
	return NULL;
}

bool
cis501_of_raw(const struct poly_batch *batch, size_t row, uint8_t line[CIS501_LINE_MAX + 1],
	struct cis501 *op)
{
	struct line_fault fault;
	size_t n;
	if (!poly_present(batch, POLY_COLUMN_raw, row))
		return false;
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (n == 0 || n > CIS501_LINE_MAX)
		return false;
	/* With cis501.lines=free a record may have newlines between its fields. */
	for (size_t i = 0; i < n; i++)
		line[i] = raw[i] == '\n' && i + 1 < n ? ' ' : raw[i];
	line[n] = '\n';
	return cis501_parse(line, op, &fault) == CIS501_MICRO_OP;
}
