/* SPDX-License-Identifier: MIT */
/*
 * The aligned listing. Its columns and their widths follow from the first rows, which are kept
 * as text until then; a longer cell of a later row shifts the rest of its line. The later rows
 * are written by several threads, as those of a format whose rows are independent.
 */
#include "cli/print/listing.h"

#include "cli/options/column_list.h"
#include "cli/print/listing_cells.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum columns. */
#define COLUMNS_MAX 160

/* Columns of accesses. */
#define ACCESS_COLUMNS access, address, size, value

/* Minimum width of the column row, whose numbers grow. */
#define ROW_WIDTH 7

/* Rows that determine the widths, at most, and bytes of their cells. */
#define MEASURED_ROWS 1000
#define MEASURED_BYTES ((size_t)1 << 20)

/* Bytes of lines that a thread passes on together. */
#define SLICE_BYTES ((size_t)32 << 10)

/* The first rows, until columns and widths are known. */
struct measured_rows {
	char *text; /* cells without padding, one after the other */
	size_t used;
	uint16_t *sizes; /* of the cells */
	size_t count, columns;
	const char *colors[MEASURED_ROWS];
	poly_columns seen; /* columns with values */
};

/* The lines of a thread. */
struct listing_slice {
	struct listing *listing;
	struct cell_source cells;
	size_t used;
	char *lines; /* SLICE_BYTES + OUTPUT_ROOM */
};

struct listing {
	const struct poly_trace_info *info;
	struct output *output;
	const char *name;
	struct cell_source cells;
	struct listing_column shown[COLUMNS_MAX];
	size_t count;
	const char *registers; /* names, or NULL */
	bool is_default, colored;
	atomic_bool headed;		/* the header is printed, and the columns have widths */
	bool works;			/* decoders format rows */
	struct measured_rows *measured; /* NULL: none yet, or printed */
	struct poly_writer *writer;	/* of the other rows; NULL: not opened */
	struct poly_format_plugin plugin;
	struct listing_slice slice; /* with which those of the plugin begin */
	unsigned threads;
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

static size_t
put_string(char *dst, const char *text)
{
	size_t n = strlen(text);
	memcpy(dst, text, n);
	return n;
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

/* Writes the line of a row; returns its length. */
static size_t
format_row(const struct listing *listing, struct cell_source *cells,
	const struct poly_batch *batch, size_t row, char *line)
{
	const char *color = row_color(listing, batch, row);
	size_t n = color ? put_string(line, color) : 0;
	cell_read_state(cells, batch, row);
	for (size_t i = 0; i < listing->count; i++) {
		const struct listing_column *shown = &listing->shown[i];
		if (i)
			n += put_string(line + n, "  ");
		size_t cell = cell_print(cells, shown, batch, row, line + n);
		n += pad_cell(shown, line + n, cell, i + 1 == listing->count);
	}
	if (color)
		n += put_string(line + n, "\033[0m");
	line[n++] = '\n';
	return n;
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

/* If the trace does not state its columns, those with values in its first rows count. */
static poly_columns
default_columns(const struct listing *listing, poly_columns columns)
{
	if (!POLY_HAS(columns, record) && POLY_HAS(columns, kind))
		poly_columns_add(&columns, POLY_COLUMN_record);
	if (listing->cells.disassembly)
		poly_columns_add(&columns, POLY_COLUMN_text);
	/* Trace hooks have data, but no accesses. */
	poly_columns defaults = POLY_COLUMNS(LISTING_DEFAULT);
	if (POLY_HAS(columns, hook)) {
		defaults = poly_columns_minus(defaults, POLY_COLUMNS(ACCESS_COLUMNS));
		poly_columns_add(&defaults, POLY_COLUMN_payload);
	}
	return poly_columns_common(columns, defaults);
}

/* Returns whether the columns follow from the values of the first rows. */
static bool
finds_columns(const struct listing *listing)
{
	return listing->is_default &&
	       poly_columns_equal(listing->info->columns, POLY_ALL_COLUMNS);
}

/* Adds the columns that are, or may be, shown. */
static void
begin_measuring(struct listing *listing)
{
	struct measured_rows *measured = diag_allocate(1, sizeof *measured);
	if (finds_columns(listing))
		add_set(listing, POLY_COLUMNS(LISTING_DEFAULT, payload));
	else if (listing->is_default)
		add_set(listing, default_columns(listing, listing->info->columns));
	each_name(listing->registers, listing, add_register);
	for (size_t i = 0; i < listing->count; i++) {
		struct listing_column *shown = &listing->shown[i];
		shown->measured = i;
		if (shown->width < strlen(shown->title))
			shown->width = strlen(shown->title);
	}
	measured->columns = listing->count;
	measured->text = diag_allocate(MEASURED_BYTES + OUTPUT_ROOM, 1);
	measured->sizes =
		diag_allocate(MEASURED_ROWS * listing->count, sizeof *measured->sizes);
	listing->measured = measured;
}

/* Stores the cells of a row. */
static void
measure_row(struct listing *listing, const struct poly_batch *batch, size_t row)
{
	struct measured_rows *measured = listing->measured;
	uint16_t *sizes = measured->sizes + measured->count * measured->columns;
	cell_read_state(&listing->cells, batch, row);
	for (size_t i = 0; i < listing->count; i++) {
		struct listing_column *shown = &listing->shown[i];
		char *text = measured->text + measured->used;
		const size_t n = cell_print(&listing->cells, shown, batch, row, text);
		measured->used += n;
		sizes[i] = (uint16_t)n;
		if (n > shown->width)
			shown->width = n;
		if (poly_present(batch, shown->column, row))
			poly_columns_add(&measured->seen, shown->column);
	}
	if (poly_present(batch, POLY_COLUMN_kind, row))
		poly_columns_add(&measured->seen, POLY_COLUMN_kind);
	measured->colors[measured->count++] = row_color(listing, batch, row);
}

/* Removes the columns without values. */
static void
choose_columns(struct listing *listing)
{
	const poly_columns columns = default_columns(listing, listing->measured->seen);
	const size_t count = listing->count;
	listing->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct listing_column *shown = &listing->shown[i];
		if (shown->cell == CELL_REGISTER || shown->column == POLY_COLUMN_row ||
			poly_columns_has(columns, shown->column))
			listing->shown[listing->count++] = *shown;
	}
}

/* Prints a measured row, whose cells begin at text. */
static void
print_measured_row(struct listing *listing, size_t row, const char *text)
{
	const struct measured_rows *measured = listing->measured;
	const uint16_t *sizes = measured->sizes + row * measured->columns;
	char *line = output_room(listing->output);
	size_t n = measured->colors[row] ? put_string(line, measured->colors[row]) : 0;
	size_t at = 0, next = 0;
	for (size_t i = 0; i < listing->count; i++) {
		const struct listing_column *shown = &listing->shown[i];
		for (; next < shown->measured; next++)
			at += sizes[next];
		if (i)
			n += put_string(line + n, "  ");
		memcpy(line + n, text + at, sizes[next]);
		n += pad_cell(shown, line + n, sizes[next], i + 1 == listing->count);
	}
	if (measured->colors[row])
		n += put_string(line + n, "\033[0m");
	line[n++] = '\n';
	output_commit(listing->output, n);
}

static void
free_measured(struct listing *listing)
{
	if (!listing->measured)
		return;
	free(listing->measured->text);
	free(listing->measured->sizes);
	free(listing->measured);
	listing->measured = NULL;
}

/* Prints the header and the measured rows. */
static void
print_measured(struct listing *listing)
{
	const struct measured_rows *measured = listing->measured;
	const char *text = measured->text;
	if (finds_columns(listing))
		choose_columns(listing);
	print_header(listing);
	listing->headed = true;
	for (size_t row = 0; row < measured->count; row++) {
		print_measured_row(listing, row, text);
		for (size_t i = 0; i < measured->columns; i++)
			text += measured->sizes[row * measured->columns + i];
	}
	free_measured(listing);
}

/* Prints a batch that has rows to be measured. */
static void
print_first_rows(struct listing *listing, const struct poly_batch *batch)
{
	size_t row = 0;
	if (!listing->measured)
		begin_measuring(listing);
	const struct measured_rows *measured = listing->measured;
	while (row < batch->rows && measured->count < MEASURED_ROWS &&
		measured->used < MEASURED_BYTES)
		measure_row(listing, batch, row++);
	if (measured->count < MEASURED_ROWS && measured->used < MEASURED_BYTES)
		return;
	print_measured(listing);
	for (; row < batch->rows; row++) {
		char *line = output_room(listing->output);
		output_commit(listing->output,
			format_row(listing, &listing->cells, batch, row, line));
	}
}

static enum poly_status
begin_slice(const struct poly_plugin_output *output, struct poly_error *error)
{
	struct listing_slice *slice = output->state;
	const struct listing *listing = slice->listing;
	(void)error;
	slice->lines = diag_allocate(SLICE_BYTES + OUTPUT_ROOM, 1);
	slice->cells.registers = listing->cells.registers;
	if (listing->cells.disassembly)
		slice->cells.disassembly = disassembly_new(listing->info, listing->name);
	return POLY_OK;
}

static enum poly_status
write_slice(const struct poly_plugin_output *output, const struct poly_batch *batch,
	struct poly_error *error)
{
	struct listing_slice *slice = output->state;
	/* A decoder's rows, which are delivered. */
	if (!slice->listing->headed) {
		snprintf(error->message, sizeof error->message, "unknown widths");
		return error->status = POLY_ERR_USAGE;
	}
	for (size_t row = 0; row < batch->rows; row++) {
		slice->used += format_row(
			slice->listing, &slice->cells, batch, row, slice->lines + slice->used);
		if (slice->used < SLICE_BYTES && row + 1 < batch->rows)
			continue;
		output->write(output, slice->lines, slice->used);
		slice->used = 0;
	}
	return POLY_OK;
}

static void
close_slice(const struct poly_plugin_output *output)
{
	const struct listing_slice *slice = output->state;
	/* Decoders, whose rows have no registers, close slices, too. */
	if (slice->cells.had_state)
		slice->listing->cells.had_state = true;
	disassembly_free(slice->cells.disassembly);
	free(slice->lines);
}

static bool
shows_sites(const struct listing *listing)
{
	bool shows = false;
	for (size_t i = 0; i < listing->count; i++)
		shows |= listing->shown[i].column == POLY_COLUMN_site;
	return shows;
}

/* Opens the writer of the rows that follow the measured ones. */
static enum poly_status
open_writer(struct listing *listing, struct poly_error *error)
{
	static const struct poly_format_info format = {.name = "listing",
		.family = "listing",
		.title = "aligned listing",
		.extensions = "",
		.spec = "polytrace-view(1)",
		.can_write = true};
	const struct poly_format_plugin *const plugins[] = {&listing->plugin, NULL};
	const struct poly_sink sink = {output_write, listing->output};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	listing->slice.listing = listing;
	listing->plugin = (struct poly_format_plugin){.size = sizeof listing->plugin,
		.info = &format,
		.writer_state_size = sizeof(struct listing_slice),
		.begin_write = begin_slice,
		.write = write_slice,
		.close_writer = close_slice,
		.writer_state = &listing->slice,
		.rows_independent = true};
	options.format = format.name;
	options.formats = plugins;
	options.threads = listing->threads;
	/* Cells of other columns do not depend on the numbers of sites. */
	if (!shows_sites(listing))
		options.columns = POLY_COLUMNS_EXCEPT(site);
	return poly_writer_open_sink(&sink, listing->info, &options, &listing->writer, error);
}

const struct poly_decoder_work *
listing_work(struct listing *listing)
{
	const struct poly_decoder_work *work = NULL;
	struct poly_error error;
	if (!listing->registers && open_writer(listing, &error) == POLY_OK)
		work = poly_writer_decoder_work(listing->writer);
	listing->works = work;
	return work;
}

bool
listing_batch(struct listing *listing, const struct poly_batch *batch)
{
	struct poly_error error;
	enum poly_status status = POLY_OK;
	if (!listing->headed) {
		print_first_rows(listing, batch);
		return !output_failed(listing->output);
	}
	if (!listing->writer)
		status = open_writer(listing, &error);
	if (status == POLY_OK)
		status = poly_writer_write(listing->writer, batch, &error);
	if (status != POLY_OK && !output_failed(listing->output))
		diag_error(listing->name, &error);
	return status == POLY_OK;
}

bool
listing_finish(struct listing *listing)
{
	struct poly_error error;
	enum poly_status status = POLY_OK;
	if (listing->measured)
		print_measured(listing);
	if (listing->writer)
		status = poly_writer_finish(listing->writer, &error);
	/* Closing notes whether slices had registers. */
	if (!listing->works) {
		poly_writer_close(listing->writer);
		listing->writer = NULL;
	}
	if (status != POLY_OK && !output_failed(listing->output))
		diag_error(listing->name, &error);
	return status == POLY_OK;
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
	listing->name = name;
	listing->threads = options->threads;
	listing->cells.registers = options->registers;
	listing->cells.disassembly = disassembly_new(info, name);
	if (listing->is_default)
		add_column(listing, POLY_COLUMN_row);
	else
		each_name(options->columns, listing, add_named);
	return listing;
}

poly_columns
listing_derived(const struct listing *listing)
{
	return listing->cells.disassembly ? POLY_COLUMNS(text) : POLY_NO_COLUMNS;
}

bool
listing_had_registers(const struct listing *listing)
{
	return listing->cells.had_state;
}

void
listing_free(struct listing *listing)
{
	poly_writer_close(listing->writer);
	free_measured(listing);
	disassembly_free(listing->cells.disassembly);
	free(listing);
}
