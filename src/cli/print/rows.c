/* SPDX-License-Identifier: MIT */
/* Rows of SQL as a table, JSON Lines or CSV. */
#include "cli/print/rows.h"

#include "polytrace/report.h"

#include "cli/print/diagnostics.h"
#include "cli/print/rendering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows whose widths a table has, at most, their bytes, and the maximum width of a column. */
#define ROWS_MEASURED 1000
#define BYTES_MEASURED ((size_t)1 << 20)
#define WIDTH_MAX 60

/* A cell of a row that waits for the widths. */
struct cell {
	char *text; /* visible */
	size_t width;
	bool is_number;
};

struct row_printer {
	struct sql_database *database;
	struct output *output;
	enum poly_rendering rendering;
	bool safe; /* texts in CSV that spreadsheets execute get an apostrophe */
	size_t columns;
	char **names; /* unique in JSON */
	size_t *widths;
	bool *right;	    /* columns of numbers */
	struct cell *cells; /* of the measured rows, until these are printed */
	size_t rows, bytes; /* of the measured ones */
	bool measures;
	bool headed; /* the header of CSV is printed */
};

/* Appends text to a string of the heap. */
static char *
copy_text(const char *text, size_t n)
{
	char *copy = diag_allocate(n + 1, 1);
	if (n)
		memcpy(copy, text, n);
	return copy;
}

/* Returns the name of a column; in JSON later ones of the same name have a number. */
static char *
make_name(const struct row_printer *printer, size_t column)
{
	const char *name = sql_column_name(printer->database, (int)column);
	size_t same = 0;
	for (size_t i = 0; i < column; i++)
		same += strcmp(sql_column_name(printer->database, (int)i), name) == 0;
	if (!same || printer->rendering != POLY_RENDER_JSON_LINE)
		return copy_text(name, strlen(name));
	const size_t size = strlen(name) + 24;
	char *numbered = diag_allocate(size, 1);
	snprintf(numbered, size, "%s:%zu", name, same);
	return numbered;
}

/* Returns the bytes of the character at text, of at most n bytes; 0: it is not UTF-8. */
static size_t
character_size(const unsigned char *text, size_t n)
{
	const unsigned char c = *text;
	const size_t size = c < 0x80   ? 1
			    : c < 0xc2 ? 0
			    : c < 0xe0 ? 2
			    : c < 0xf0 ? 3
			    : c < 0xf5 ? 4
				       : 0;
	if (size == 0 || size > n)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong forms, surrogates, beyond U+10FFFF. */
	const bool invalid = (c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) ||
			     (c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] > 0x8f);
	return invalid ? 0 : size;
}

/* Writes a string of JSON; bytes that are not UTF-8 become U+FFFD. */
static void
print_json_string(struct output *output, const char *text, size_t n)
{
	output_text(output, "\"");
	for (size_t i = 0, size; i < n; i += size ? size : 1) {
		const unsigned char c = (unsigned char)text[i];
		char escape[8];
		size = character_size((const unsigned char *)text + i, n - i);
		if (!size) {
			output_text(output, "\xef\xbf\xbd");
		} else if (c == '"' || c == '\\') {
			output_write(output, "\\", 1);
			output_write(output, text + i, 1);
		} else if (c < 0x20) {
			snprintf(escape, sizeof escape, "\\u%04x", c);
			output_text(output, escape);
		} else {
			output_write(output, text + i, size);
		}
	}
	output_text(output, "\"");
}

/* Writes bytes in hexadecimal. */
static void
print_bytes(struct output *output, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char digits[3];
		snprintf(digits, sizeof digits, "%02x", (unsigned char)bytes[i]);
		output_write(output, digits, 2);
	}
}

/* Writes a number; reals with the fewest digits that are read back as the same one. */
static void
print_number(struct output *output, const struct sql_value *value)
{
	char text[40];
	if (value->type != SQL_REAL || strstr(value->bytes, "Inf")) {
		output_write(output, value->bytes, value->size);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value->real);
		if (strtod(text, NULL) == value->real)
			break;
	}
	output_text(output, text);
	/* It stays a real one. */
	if (!strpbrk(text, ".e"))
		output_text(output, ".0");
}

static void
print_json_value(struct output *output, const struct sql_value *value)
{
	/* Infinities are not numbers in JSON. */
	const bool infinite = value->type == SQL_REAL && strstr(value->bytes, "Inf");
	if (value->type == SQL_NULL || infinite) {
		output_text(output, "null");
	} else if (value->type == SQL_TEXT) {
		print_json_string(output, value->bytes, value->size);
	} else if (value->type == SQL_BLOB) {
		output_text(output, "\"");
		print_bytes(output, value->bytes, value->size);
		output_text(output, "\"");
	} else {
		print_number(output, value);
	}
}

static void
print_json_row(struct row_printer *printer)
{
	struct output *output = printer->output;
	output_text(output, "{");
	for (size_t i = 0; i < printer->columns; i++) {
		const struct sql_value value = sql_value_at(printer->database, (int)i);
		if (i)
			output_text(output, ", ");
		print_json_string(output, printer->names[i], strlen(printer->names[i]));
		output_text(output, ": ");
		print_json_value(output, &value);
	}
	output_text(output, "}\n");
}

/* Writes a text as a field of CSV. */
static void
print_csv_text(struct row_printer *printer, const char *text, size_t n)
{
	struct output *output = printer->output;
	const bool escapes = printer->safe && n && memchr("=+-@\t\r", *text, 6);
	bool quotes = n == 0 || escapes;
	for (size_t i = 0; i < n && !quotes; i++)
		quotes = memchr(",\"\r\n", text[i], 4);
	if (quotes)
		output_text(output, "\"");
	if (escapes)
		output_text(output, "'");
	while (n) {
		const char *quote = quotes ? memchr(text, '"', n) : NULL;
		const size_t part = quote ? (size_t)(quote - text) + 1 : n;
		output_write(output, text, part);
		if (quote)
			output_text(output, "\"");
		text += part;
		n -= part;
	}
	if (quotes)
		output_text(output, "\"");
}

/* Prints the header of CSV. */
static void
print_csv_header(struct row_printer *printer)
{
	for (size_t i = 0; i < printer->columns; i++) {
		output_text(printer->output, i ? "," : "");
		print_csv_text(printer, printer->names[i], strlen(printer->names[i]));
	}
	output_text(printer->output, "\n");
	printer->headed = true;
}

static void
print_csv_row(struct row_printer *printer)
{
	struct output *output = printer->output;
	if (!printer->headed)
		print_csv_header(printer);
	for (size_t i = 0; i < printer->columns; i++) {
		const struct sql_value value = sql_value_at(printer->database, (int)i);
		if (i)
			output_text(output, ",");
		if (value.type == SQL_TEXT)
			print_csv_text(printer, value.bytes, value.size);
		else if (value.type == SQL_BLOB)
			print_bytes(output, value.bytes, value.size);
		else if (value.type != SQL_NULL)
			print_number(output, &value);
	}
	output_text(output, "\n");
}

/* Returns the characters of a text in UTF-8. */
static size_t
count_characters(const char *text)
{
	size_t count = 0;
	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* Returns the value of a column as a cell of a table. */
static struct cell
make_cell(struct row_printer *printer, size_t column)
{
	const struct sql_value value = sql_value_at(printer->database, (int)column);
	struct cell cell = {.is_number = value.type == SQL_INTEGER || value.type == SQL_REAL};
	if (value.type == SQL_NULL) {
		cell.text = copy_text("-", 1);
	} else if (value.type == SQL_BLOB) {
		cell.text = diag_allocate(2 * value.size + 1, 1);
		for (size_t i = 0; i < value.size; i++)
			snprintf(cell.text + 2 * i, 3, "%02x", (unsigned char)value.bytes[i]);
	} else {
		const size_t size = 6 * value.size + 1;
		cell.text = diag_allocate(size, 1);
		poly_text_visible(cell.text, size, value.bytes, value.size);
	}
	cell.width = count_characters(cell.text);
	return cell;
}

/* Prints blanks. */
static void
pad(struct output *output, size_t n)
{
	for (; n; n--)
		output_write(output, " ", 1);
}

/* Prints a cell in the width of its column; the last cell of a line has no blanks after it. */
static void
print_cell(struct row_printer *printer, size_t column, const struct cell *cell)
{
	const size_t width = printer->widths[column];
	const size_t blanks = width > cell->width ? width - cell->width : 0;
	if (printer->right[column])
		pad(printer->output, blanks);
	output_text(printer->output, cell->text);
	if (column + 1 == printer->columns)
		output_text(printer->output, "\n");
	else
		pad(printer->output, (printer->right[column] ? 0 : blanks) + 2);
}

/* Prints the header of a table and its measured rows. */
static void
print_measured(struct row_printer *printer)
{
	printer->measures = false;
	for (size_t i = 0; i < printer->columns; i++) {
		bool numbers = false, others = false;
		printer->widths[i] = count_characters(printer->names[i]);
		for (size_t row = 0; row < printer->rows; row++) {
			const struct cell *cell = &printer->cells[row * printer->columns + i];
			size_t width = cell->width < WIDTH_MAX ? cell->width : WIDTH_MAX;
			if (width > printer->widths[i])
				printer->widths[i] = width;
			numbers |= cell->is_number;
			others |= !cell->is_number && strcmp(cell->text, "-") != 0;
		}
		printer->right[i] = numbers && !others;
	}
	for (size_t i = 0; i < printer->columns; i++) {
		struct cell cell = {
			printer->names[i], count_characters(printer->names[i]), false};
		print_cell(printer, i, &cell);
	}
	for (size_t i = 0; i < printer->rows * printer->columns; i++) {
		print_cell(printer, i % printer->columns, &printer->cells[i]);
		free(printer->cells[i].text);
	}
	printer->rows = 0;
}

static void
print_table_row(struct row_printer *printer)
{
	if (printer->measures &&
		(printer->rows == ROWS_MEASURED || printer->bytes > BYTES_MEASURED))
		print_measured(printer);
	for (size_t i = 0; i < printer->columns; i++) {
		struct cell cell = make_cell(printer, i);
		if (printer->measures) {
			printer->cells[printer->rows * printer->columns + i] = cell;
			printer->bytes += cell.width;
			continue;
		}
		print_cell(printer, i, &cell);
		free(cell.text);
	}
	printer->rows += printer->measures;
}

/* Makes the names of columns visible; a header stands before the first row. */
static void
begin_table(struct row_printer *printer)
{
	printer->measures = true;
	printer->cells = diag_allocate(ROWS_MEASURED * printer->columns, sizeof(struct cell));
	for (size_t i = 0; i < printer->columns; i++) {
		const size_t n = strlen(printer->names[i]), size = 6 * n + 1;
		char *visible = diag_allocate(size, 1);
		poly_text_visible(visible, size, printer->names[i], n);
		free(printer->names[i]);
		printer->names[i] = visible;
	}
}

struct row_printer *
rows_new(const struct input_options *options, struct sql_database *database,
	struct output *output)
{
	struct row_printer *printer = diag_allocate(1, sizeof *printer);
	printer->database = database;
	printer->output = output;
	printer->rendering = rendering_of_options(options);
	printer->safe = options->csv_safe;
	printer->columns = (size_t)sql_column_count(database);
	printer->names = diag_allocate(printer->columns, sizeof *printer->names);
	printer->widths = diag_allocate(printer->columns, sizeof *printer->widths);
	printer->right = diag_allocate(printer->columns, sizeof *printer->right);
	for (size_t i = 0; i < printer->columns; i++)
		printer->names[i] = make_name(printer, i);
	if (printer->rendering == POLY_RENDER_TEXT)
		begin_table(printer);
	else
		output_quote(output);
	return printer;
}

void
rows_print(struct row_printer *printer)
{
	if (printer->rendering == POLY_RENDER_TEXT)
		print_table_row(printer);
	else if (printer->rendering == POLY_RENDER_CSV)
		print_csv_row(printer);
	else
		print_json_row(printer);
}

void
rows_finish(struct row_printer *printer, bool failed)
{
	const bool empty = failed && !printer->rows;
	if (printer->measures && !empty)
		print_measured(printer);
	if (printer->rendering == POLY_RENDER_CSV && !printer->headed && !failed)
		print_csv_header(printer);
	for (size_t i = 0; i < printer->columns; i++)
		free(printer->names[i]);
	free(printer->names);
	free(printer->widths);
	free(printer->right);
	free(printer->cells);
	free(printer);
}
