/* SPDX-License-Identifier: MIT */
/*
 * The aligned listing. Widths are those of the first batch; a longer cell in a later batch
 * shifts the rest of its line. Cells are written into the output's room, which holds the
 * longest line, as the size of every cell is bounded.
 */
#include "cli/print/listing.h"

#include "cli/options/column_list.h"
#include "cli/print/disassembly.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"

#include <stdlib.h>
#include <string.h>

/* Maximum columns, bytes of a cell of text or bytes, and bytes of a cell with a name. */
#define COLUMNS_MAX 160
#define LONG_CELL 2100
#define NAME_CELL 120

/* Columns of accesses. */
#define ACCESS_COLUMNS access, address, size, value

/* Minimum width of the column row, whose numbers grow. */
#define ROW_WIDTH 7

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
	unsigned digits;	 /* minimum digits of a hexadecimal number */
	bool right;		 /* right-aligned */
	size_t width;
};

struct listing {
	const struct poly_trace_info *info;
	struct output *output;
	struct disassembly *disassembly; /* NULL: none */
	struct listing_column shown[COLUMNS_MAX];
	size_t count;
	const char *registers; /* names, or NULL */
	bool is_default, colored, headed;
	struct poly_powerpc_state state; /* of the row, where has_state */
	bool has_state, had_state;
};

/* Calls add for every name of a list until a call returns false. */
static bool
each_name(const char *names, struct listing *listing,
	bool (*add)(struct listing *listing, const char *name, size_t n))
{
	if (names && !*names)
		return add(listing, names, 0);
	for (; names && *names; names += *names == ',') {
		size_t n = strcspn(names, ",");
		if (listing->count == COLUMNS_MAX) {
			diag_print("view", "more than %d columns", COLUMNS_MAX);
			return false;
		}
		if (!add(listing, names, n))
			return false;
		names += n;
	}
	return true;
}

static struct listing_column *
add_shown(struct listing *listing, enum cell cell, const char *title, size_t n)
{
	struct listing_column *shown = &listing->shown[listing->count++];
	shown->cell = cell;
	if (n >= sizeof shown->title)
		n = sizeof shown->title - 1;
	memcpy(shown->title, title, n);
	return shown;
}

static void
add_column(struct listing *listing, enum poly_column column)
{
	const poly_columns addresses = POLY_COLUMNS_INIT(pc, next_pc, target, fallthrough,
		address, real_pc, real_address, real_target, requested_address);
	const poly_columns bytes =
		POLY_COLUMNS_INIT(byte_enables, control, request, memory_type, agent);
	const poly_columns registers = POLY_COLUMNS_INIT(src1, src2, dest);
	const char *name = poly_column_name(column);
	struct listing_column *shown = add_shown(listing,
		column == POLY_COLUMN_text ? CELL_TEXT : CELL_COLUMN, name, strlen(name));
	shown->column = column;
	shown->form = poly_column_form(column);
	shown->right = shown->form == POLY_FORM_DEC;
	if (column == POLY_COLUMN_row)
		shown->width = ROW_WIDTH;
	if (poly_columns_has(addresses, column) && listing->info)
		shown->digits = listing->info->address_bits / 4;
	if (poly_columns_has(bytes, column))
		shown->digits = 2;
	if (poly_columns_has(POLY_COLUMNS(hook, subhook, hook_type), column))
		shown->digits = 4;
	if (poly_columns_has(registers, column) && listing->info)
		shown->names = listing->info->family;
}

/* Adds a column of a register, which the trace's plan has by now. */
static void
add_register_column(struct listing *listing, const char *name, size_t n)
{
	struct listing_column *shown = add_shown(listing, CELL_COLUMN, name, n);
	const char *held;
	shown->column = POLY_COLUMN_register;
	shown->form = POLY_FORM_HEX;
	for (unsigned i = 0; listing->info && i < POLY_REGISTERS_MAX; i++) {
		const enum poly_column column = (enum poly_column)(POLY_COLUMN_register + i);
		held = poly_trace_column_name(listing->info, column);
		if (held && strcmp(held, shown->title) == 0)
			shown->column = column;
	}
}

static bool
add_named(struct listing *listing, const char *name, size_t n)
{
	const enum poly_column column = column_list_find(name, n);
	if (column == POLY_COLUMN_COUNT)
		return columns_print_unknown(name, n);
	if (column == POLY_COLUMN_register)
		add_register_column(listing, name, n);
	else
		add_column(listing, column);
	return true;
}

static bool
add_register(struct listing *listing, const char *name, size_t n)
{
	static const struct poly_powerpc_state none;
	char text[33];
	struct listing_column *shown = add_shown(listing, CELL_REGISTER, name, n);
	if (poly_powerpc_register(&none, shown->title, text))
		return true;
	diag_print("view",
		"no such register: '%s' (expected r0 to r31, f0 to f31, v0 to v31, pc, "
		"msr, cr, xer, lr, ctr, mq, vrsave, fpscr, vscr or vrvalid)",
		shown->title);
	return false;
}

static void
add_set(struct listing *listing, poly_columns columns)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (poly_columns_has(columns, (enum poly_column)c))
			add_column(listing, (enum poly_column)c);
	}
}

bool
listing_columns(const struct listing_options *options, poly_columns *columns)
{
	struct listing *listing = diag_allocate(1, sizeof *listing);
	bool known = each_name(options->columns, listing, add_named) &&
		     each_name(options->registers, listing, add_register);
	*columns = POLY_COLUMNS(LISTING_NEEDS);
	if (!options->columns)
		*columns = poly_columns_union(*columns, POLY_COLUMNS(LISTING_DEFAULT));
	if (options->registers)
		poly_columns_add(columns, POLY_COLUMN_payload);
	for (size_t i = 0; i < listing->count; i++) {
		if (listing->shown[i].cell != CELL_REGISTER)
			poly_columns_add(columns, listing->shown[i].column);
	}
	*columns = poly_columns_common(*columns, POLY_ALL_COLUMNS);
	/* For remarks on escapes, and for the disassembly of ARM. */
	if (POLY_HAS(*columns, text))
		*columns = poly_columns_union(*columns, POLY_COLUMNS(payload, instruction_set));
	free(listing);
	return known;
}

struct listing *
listing_new(const struct listing_options *options, const struct poly_trace_info *info,
	struct output *output, const char *name)
{
	struct listing *listing = diag_allocate(1, sizeof *listing);
	listing->info = info;
	listing->output = output;
	listing->colored = options->colored;
	listing->is_default = !options->columns;
	listing->registers = options->registers;
	listing->disassembly = disassembly_new(info, name);
	if (listing->is_default)
		add_column(listing, POLY_COLUMN_row);
	else
		each_name(options->columns, listing, add_named);
	return listing;
}

poly_columns
listing_derived(const struct listing *listing)
{
	return listing->disassembly ? POLY_COLUMNS(text) : POLY_NO_COLUMNS;
}

bool
listing_had_registers(const struct listing *listing)
{
	return listing->had_state;
}

void
listing_free(struct listing *listing)
{
	disassembly_free(listing->disassembly);
	free(listing);
}

static size_t
put_string(char *dst, const char *text)
{
	size_t n = strlen(text);
	memcpy(dst, text, n);
	return n;
}

/* Writes v in hexadecimal with 0x and at least digits digits (at most 16). */
static size_t
put_hex(char *dst, uint64_t v, unsigned digits)
{
	static const char hex[] = "0123456789abcdef";
	unsigned n = digits ? digits : 1;
	while (n < 16 && v >> (4 * n))
		n++;
	dst[0] = '0';
	dst[1] = 'x';
	for (unsigned i = 0; i < n; i++)
		dst[2 + i] = hex[v >> (4 * (n - 1 - i)) & 15];
	return 2 + n;
}

static size_t
put_decimal(char *dst, uint64_t v)
{
	char digits[20];
	size_t n = 0;
	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		dst[i] = digits[n - 1 - i];
	return n;
}

/* Truncates a cell to max bytes, at most LONG_CELL, without its control characters. */
static size_t
sanitize(char *dst, size_t n, size_t max)
{
	char visible[LONG_CELL + 1];
	const size_t whole = n < max ? n : max;
	const size_t shown = poly_text_visible(visible, max + 1, dst, whole);
	const bool truncated = n > max || shown < whole;
	memcpy(dst, visible, shown);
	if (!truncated)
		return shown;
	n = shown < max ? shown : max - 3;
	n = n > max - 3 ? max - 3 : n;
	memcpy(dst + n, "...", 3);
	return n + 3;
}

static size_t
put_text(struct listing *listing, const struct poly_batch *batch, size_t row, char *dst)
{
	const size_t max = LONG_CELL - DISASSEMBLY_REMARK - 3;
	const char *text = NULL;
	size_t n = 0;
	if (poly_present(batch, POLY_COLUMN_text, row))
		n = sanitize(dst, poly_batch_format(batch, POLY_COLUMN_text, row, dst, max + 1),
			max);
	if (!n && listing->disassembly)
		text = disassembly_text(listing->disassembly, batch, row);
	if (text)
		n = put_string(dst, text);
	if (listing->disassembly) {
		char remark[DISASSEMBLY_REMARK];
		size_t length = disassembly_remark(listing->disassembly, batch, row, remark);
		if (length && n)
			n += put_string(dst + n, "  ");
		memcpy(dst + n, remark, length);
		n += length;
	}
	if (n)
		return n;
	*dst = '-';
	return 1;
}

static size_t
put_column(const struct listing_column *shown, const struct poly_batch *batch, size_t row,
	char *dst)
{
	if (!poly_present(batch, shown->column, row)) {
		*dst = '-';
		return 1;
	}
	const char *name = NULL;
	if (shown->names) {
		uint64_t number = poly_batch_integer(batch, shown->column, row);
		if (number < shown->names->register_count)
			name = shown->names->registers[number];
	}
	if (name)
		return put_string(dst, name);
	if (shown->form == POLY_FORM_HEX) {
		unsigned digits = shown->digits;
		if (shown->column == POLY_COLUMN_opcode &&
			poly_present(batch, POLY_COLUMN_opcode_size, row))
			digits =
				batch->opcode_size[row] < 8 ? 2u * batch->opcode_size[row] : 16;
		return put_hex(dst, poly_batch_integer(batch, shown->column, row), digits);
	}
	if (shown->form == POLY_FORM_DEC && shown->column != POLY_COLUMN_immediate)
		return put_decimal(dst, poly_batch_integer(batch, shown->column, row));
	bool is_long = shown->form == POLY_FORM_BYTES || shown->form == POLY_FORM_TEXT;
	size_t max = is_long ? LONG_CELL - 1 : NAME_CELL;
	return sanitize(dst, poly_batch_format(batch, shown->column, row, dst, max + 1), max);
}

static size_t
put_register(const struct listing *listing, const struct listing_column *shown, char *dst)
{
	if (listing->has_state)
		return poly_powerpc_register(&listing->state, shown->title, dst);
	*dst = '-';
	return 1;
}

/* Writes a cell without padding and returns its length. */
static size_t
put_cell(struct listing *listing, const struct listing_column *shown,
	const struct poly_batch *batch, size_t row, char *dst)
{
	switch (shown->cell) {
	case CELL_COLUMN: return put_column(shown, batch, row, dst);
	case CELL_TEXT: return put_text(listing, batch, row, dst);
	case CELL_REGISTER: return put_register(listing, shown, dst);
	}
	return 0;
}

/* Pads a cell of n bytes at dst, except after the last one of a line. */
static size_t
pad_cell(const struct listing_column *shown, char *dst, size_t n, bool last)
{
	if (n >= shown->width || (last && !shown->right))
		return n;
	size_t blanks = shown->width - n;
	if (shown->right)
		memmove(dst + blanks, dst, n);
	memset(shown->right ? dst : dst + n, ' ', blanks);
	return shown->width;
}

/* The colour of a row by its kind; NULL: none. */
static const char *
row_color(const struct listing *listing, const struct poly_batch *batch, size_t row)
{
	static const char *const colors[POLY_KIND_COUNT] = {
		[POLY_KIND_REGISTER] = "\033[34m",
		[POLY_KIND_SYNC] = "\033[35m",
		[POLY_KIND_EVENT] = "\033[33m",
		[POLY_KIND_OTHER] = "\033[2m",
	};
	if (!listing->colored || !poly_present(batch, POLY_COLUMN_kind, row))
		return NULL;
	return batch->kind[row] < POLY_KIND_COUNT ? colors[batch->kind[row]] : NULL;
}

static void
read_state(struct listing *listing, const struct poly_batch *batch, size_t row)
{
	listing->has_state = listing->registers && poly_powerpc_state_decode(batch, row,
							   &listing->state, NULL) == POLY_OK;
	listing->had_state |= listing->has_state;
}

static void
print_row(struct listing *listing, const struct poly_batch *batch, size_t row)
{
	char *line = output_room(listing->output);
	const char *color = row_color(listing, batch, row);
	size_t n = color ? put_string(line, color) : 0;
	read_state(listing, batch, row);
	for (size_t i = 0; i < listing->count; i++) {
		const struct listing_column *shown = &listing->shown[i];
		if (i)
			n += put_string(line + n, "  ");
		size_t cell = put_cell(listing, shown, batch, row, line + n);
		n += pad_cell(shown, line + n, cell, i + 1 == listing->count);
	}
	if (color)
		n += put_string(line + n, "\033[0m");
	line[n++] = '\n';
	output_commit(listing->output, n);
}

static void
print_header(struct listing *listing)
{
	char *line = output_room(listing->output);
	size_t n = listing->colored ? put_string(line, "\033[1m") : 0;
	for (size_t i = 0; i < listing->count; i++) {
		const struct listing_column *shown = &listing->shown[i];
		if (i)
			n += put_string(line + n, "  ");
		size_t cell = put_string(line + n, shown->title);
		n += pad_cell(shown, line + n, cell, i + 1 == listing->count);
	}
	if (listing->colored)
		n += put_string(line + n, "\033[0m");
	line[n++] = '\n';
	output_commit(listing->output, n);
}

/* The columns of a batch that have a value in any row. */
static poly_columns
columns_with_values(const struct poly_batch *batch)
{
	poly_columns columns = POLY_NO_COLUMNS;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		size_t row = 0;
		while (row < batch->rows && !poly_present(batch, (enum poly_column)c, row))
			row++;
		if (row < batch->rows)
			poly_columns_add(&columns, (enum poly_column)c);
	}
	return columns;
}

/* If the trace does not state its columns, those with values in its first rows count. */
static poly_columns
default_columns(const struct listing *listing, const struct poly_batch *batch)
{
	poly_columns columns = listing->info->columns;
	if (poly_columns_equal(columns, POLY_ALL_COLUMNS))
		columns = columns_with_values(batch);
	if (!POLY_HAS(columns, record) && POLY_HAS(columns, kind))
		poly_columns_add(&columns, POLY_COLUMN_record);
	if (listing->disassembly)
		poly_columns_add(&columns, POLY_COLUMN_text);
	/* Trace hooks have data, but no accesses. */
	poly_columns defaults = POLY_COLUMNS(LISTING_DEFAULT);
	if (POLY_HAS(columns, hook)) {
		defaults = poly_columns_minus(defaults, POLY_COLUMNS(ACCESS_COLUMNS));
		poly_columns_add(&defaults, POLY_COLUMN_payload);
	}
	return poly_columns_common(columns, defaults);
}

/* Chooses columns and widths by the first rows. */
static void
layout(struct listing *listing, const struct poly_batch *batch)
{
	if (listing->is_default)
		add_set(listing, default_columns(listing, batch));
	each_name(listing->registers, listing, add_register);
	for (size_t i = 0; i < listing->count; i++) {
		struct listing_column *shown = &listing->shown[i];
		if (shown->width < strlen(shown->title))
			shown->width = strlen(shown->title);
	}
	char *text = output_room(listing->output);
	for (size_t row = 0; row < batch->rows; row++) {
		read_state(listing, batch, row);
		for (size_t i = 0; i < listing->count; i++) {
			struct listing_column *shown = &listing->shown[i];
			size_t n = put_cell(listing, shown, batch, row, text);
			if (n > shown->width)
				shown->width = n;
		}
	}
}

void
listing_batch(struct listing *listing, const struct poly_batch *batch)
{
	if (!listing->headed) {
		layout(listing, batch);
		print_header(listing);
	}
	listing->headed = true;
	for (size_t row = 0; row < batch->rows && !output_failed(listing->output); row++)
		print_row(listing, batch, row);
}
