/* SPDX-License-Identifier: MIT */
/* Names of files that are not traces of any format, by their magic or first line. */
#include "format/core/foreign.h"

#include "polytrace/batch.h"

#include <stdbool.h>
#include <string.h>

/* Lines of a table that have the same number of cells. */
#define TABLE_LINES 3

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

/* Returns whether the first lines are printable and have the same number of commas, not 0. */
static bool
is_table(const uint8_t *p, size_t n)
{
	size_t first = 0;
	for (unsigned line = 0; line < TABLE_LINES; line++) {
		size_t commas = 0;
		for (; n && *p != '\n'; p++, n--) {
			commas += *p == ',';
			if (*p < ' ' && *p != '\t' && *p != '\r')
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

const char *
foreign_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *raw = strstr(slash ? slash : name, ".raw");
	return raw && (!raw[4] || raw[4] == '.')
		       ? "a raw file, which drraw2trace converts if it is drmemtrace's"
		       : NULL;
}

const char *
foreign_text(const uint8_t *p, size_t n)
{
	size_t blanks = 0;
	while (blanks < n && p[blanks] && strchr(" \t\r\n", p[blanks]))
		blanks++;
	if (blanks == n)
		return NULL;
	if (p[blanks] == '{' || p[blanks] == '[')
		return "JSON that is not in lines of columns";
	if (has_column_names((const char *)p, n))
		return "CSV of trace columns, which are written but not read";
	return is_table(p, n) ? "comma-separated values" : NULL;
}
