/* SPDX-License-Identifier: MIT */
/* Names of files that are not traces of any format, by their magic or first line. */
#include "format/core/foreign.h"

#include "polytrace/batch.h"

#include <stdbool.h>
#include <string.h>

/* Lines of a table that have the same number of cells. */
#define TABLE_LINES 3

/* First lines of a listing, one of which identifies it. */
#define LISTING_LINES 20

/* Bytes at a fixed offset that identify a kind of file. */
struct magic {
	size_t offset, size;
	const char *bytes, *name;
};

#define MAGIC(at, text, what)                                                             \
	{                                                                                 \
		.offset = (at), .size = sizeof(text) - 1, .bytes = (text), .name = (what) \
	}

/* spec: magic numbers as the documents of the file formats state them */
static const struct magic magics[] = {
	MAGIC(0, "\177ELF", "an ELF file"),
	MAGIC(0, "\xef\xdf\x11", "an AIX trace of an unknown version"),
	MAGIC(1, "\x11\xdf\xef", "an AIX trace with the bytes of its words reversed"),
	MAGIC(0, "!<arch>\n", "an ar archive"),
	MAGIC(0, "<bigaf>\n", "an AIX archive"),
	MAGIC(0, "PK\3\4", "a ZIP archive"),
	MAGIC(0, "PK\5\6", "a ZIP archive"),
	MAGIC(0, "\377\6\0\0sNaPpY",
		"data compressed by snappy, as .sz files of drmemtrace are"),
	MAGIC(0, "7z\274\257\47\34", "a 7z archive"),
	MAGIC(0, "Rar!\32\7", "a RAR archive"),
	MAGIC(0, "070701", "a cpio archive"),
	MAGIC(0, "070702", "a cpio archive"),
	MAGIC(0, "070707", "a cpio archive"),
	MAGIC(257, "ustar", "a tar archive"),
	MAGIC(0, "PERFILE2", "a file of perf"),
	MAGIC(0, "\xc1\x1f\xfc\xc1", "a CTF packet"),
	MAGIC(0, "\xc1\xfc\x1f\xc1", "a CTF packet"),
	MAGIC(0, "gem5", "a gem5 protobuf trace"),
	MAGIC(0, "\324\303\262\241", "a pcap file"),
	MAGIC(0, "\241\262\303\324", "a pcap file"),
	MAGIC(0, "\n\r\r\n", "a pcapng file"),
	MAGIC(0, "SQLite format 3", "an SQLite database"),
	MAGIC(0, "PAR1", "a Parquet file"),
	MAGIC(0, "ARROW1", "an Arrow file"),
	MAGIC(0, "\211HDF\r\n\32\n", "an HDF5 file"),
	MAGIC(0, "\211PNG\r\n\32\n", "a PNG image"),
	MAGIC(0, "%PDF-", "a PDF document"),
	MAGIC(0, "<!DOCTYPE html", "an HTML page"),
	MAGIC(0, "<html", "an HTML page"),
	MAGIC(0, "<?xml", "an XML document"),
	MAGIC(0, "$date", "a value change dump (VCD)"),
	MAGIC(0, "$version", "a value change dump (VCD)"),
	MAGIC(0, "$timescale", "a value change dump (VCD)"),
	MAGIC(0, "$comment", "a value change dump (VCD)"),
	MAGIC(0, "O3PipeView:", "a gem5 O3PipeView log"),
	MAGIC(0, "Kanata\t", "a Konata pipeline log"),
	MAGIC(0, "ZSTF", "an STF trace"),
	MAGIC(0, "\1STF", "an STF trace"),
	MAGIC(0, "BT9_SPA_TRACE_FORMAT", "a BT9 branch trace"),
	MAGIC(0, "Idx:", "a listing of OpenCSD"),
};

static bool
has_magic(const struct magic *magic, const uint8_t *p, size_t n)
{
	return n >= magic->offset + magic->size &&
	       memcmp(p + magic->offset, magic->bytes, magic->size) == 0;
}

/* Returns the length of a cell, up to a comma or the end of its line. */
static size_t
cell_length(const char *p, size_t n)
{
	size_t length = 0;
	while (length < n && p[length] != ',' && p[length] != '\n' && p[length] != '\r')
		length++;
	return length;
}

/* Returns whether the first line is a list of columns, as the writer of CSV begins. */
static bool
has_column_names(const char *p, size_t n)
{
	size_t cells = 0;
	for (;;) {
		const size_t length = cell_length(p, n);
		const bool is_row = length == 3 && memcmp(p, "row", 3) == 0;
		if (length == n ||
			(!is_row && poly_column_find(p, length) == POLY_COLUMN_COUNT))
			return false;
		cells++;
		if (p[length] != ',')
			return cells > 1;
		p += length + 1;
		n -= length + 1;
	}
}

/*
 * Returns whether the first lines are printable and have the same number of commas, not 0.
 * Other texts with commas have blanks after them or between fields.
 */
static bool
is_table(const uint8_t *p, size_t n)
{
	size_t first = 0;
	for (unsigned line = 0; line < TABLE_LINES; line++) {
		size_t commas = 0;
		for (; n && *p != '\n'; p++, n--) {
			const bool is_comma = *p == ',';
			commas += is_comma;
			if ((*p < ' ' && *p != '\r') ||
				((is_comma || *p == ' ') && n > 1 && p[1] == ' '))
				return false;
		}
		if (!n || !commas || (line && commas != first))
			return false;
		first = commas;
		p++;
		n--;
	}
	return true;
}

const char *
foreign_magic(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		if (has_magic(&magics[i], p, n))
			return magics[i].name;
	}
	return NULL;
}

/* Returns the number of decimal digits at the front. */
static size_t
count_digits(const uint8_t *p, size_t n)
{
	size_t digits = 0;
	while (digits < n && p[digits] >= '0' && p[digits] <= '9')
		digits++;
	return digits;
}

/* Returns whether a line has a time in seconds and a colon, as lines of perf script have after
 * the program, its numbers and the processor. */
static bool
has_time_of_perf(const uint8_t *line, size_t n)
{
	enum { MICROSECONDS = 6, NANOSECONDS = 9 };
	for (size_t i = 1; i < n; i++) {
		const uint8_t *p = line + i;
		const size_t seconds = p[-1] == ' ' ? count_digits(p, n - i) : 0;
		if (!seconds || i + seconds == n || p[seconds] != '.')
			continue;
		const size_t rest = n - i - seconds - 1,
			     digits = count_digits(p + seconds + 1, rest);
		if ((digits == MICROSECONDS || digits == NANOSECONDS) && digits + 1 < rest &&
			p[seconds + 1 + digits] == ':' && p[seconds + 2 + digits] == ' ')
			return true;
	}
	return false;
}

/* Returns whether a line has a text. */
static bool
has_text(const uint8_t *line, size_t n, const char *text)
{
	const size_t size = strlen(text);
	for (size_t i = 0; i + size <= n; i++) {
		if (memcmp(line + i, text, size) == 0)
			return true;
	}
	return false;
}

/* Returns what a line of a known listing belongs to; NULL: unknown. */
static const char *
name_line(const uint8_t *line, size_t n)
{
	size_t blanks = 0;
	while (blanks < n && line[blanks] == ' ')
		blanks++;
	const size_t tick = count_digits(line + blanks, n - blanks), at = blanks + tick;
	if (tick && n - at > 8 && memcmp(line + at, ": system", 8) == 0)
		return "a debug log of gem5";
	if (n > 2 && memcmp(line, "ID", 2) == 0 && has_text(line, n, "ELAPSED_SEC"))
		return "a report of AIX trcrpt";
	if (has_text(line, n, "# captured on") || has_time_of_perf(line, n))
		return "a listing of perf script";
	return NULL;
}

/* Returns what one of the first lines of n bytes belongs to; NULL: unknown. */
static const char *
name_listing(const uint8_t *p, size_t n)
{
	const char *name = NULL;
	for (unsigned line = 0; line < LISTING_LINES && n && !name; line++) {
		const uint8_t *newline = memchr(p, '\n', n);
		const size_t size = newline ? (size_t)(newline - p) : n;
		name = name_line(p, size);
		p += size + (newline != NULL);
		n -= size + (newline != NULL);
	}
	return name;
}

/* Returns whether a text begins as JSON: its first value is an object or an array. */
static bool
is_json(const uint8_t *p, size_t n)
{
	size_t i = 1;
	while (i < n && p[i] && strchr(" \t\r\n", p[i]))
		i++;
	const char *first = *p == '{' ? "\"}" : "{[\"]-0123456789";
	if ((*p != '{' && *p != '[') || i == n || !p[i] || !strchr(first, p[i]))
		return false;
	const size_t digits = count_digits(p + i, n - i);
	return !digits || i + digits == n || strchr(", .\n", p[i + digits]) != NULL;
}

const char *
foreign_text(const uint8_t *p, size_t n)
{
	size_t blanks = 0;
	while (blanks < n && p[blanks] && strchr(" \t\r\n", p[blanks]))
		blanks++;
	if (blanks == n)
		return NULL;
	if (is_json(p + blanks, n - blanks))
		return "JSON that is not in lines of columns";
	if (has_column_names((const char *)p, n))
		return "CSV of trace columns, which are written but not read";
	const char *listing = name_listing(p, n);
	return listing ? listing : is_table(p, n) ? "comma-separated values" : NULL;
}
