/* SPDX-License-Identifier: MIT */
/*
 * The native container: any trace in a fraction of its bytes, with every column apart.
 * spec: polytrace-ptz(5).
 */
#include "format/ptz/file.h"

#include <stdio.h>
#include <string.h>

/* What the magic is worth. */
#define MAGIC_BITS 64

static int
ptz_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	if (n < PTZ_MAGIC_SIZE || memcmp(p, PTZ_MAGIC, PTZ_MAGIC_SIZE) != 0)
		return 0;
	snprintf(note->text, sizeof note->text, "it begins with the magic of packed traces");
	return MAGIC_BITS;
}

static const char *const levels[] = {"fast", "usual", "small", NULL};

static const struct poly_option options[] = {
	[PTZ_OPTION_LEVEL] = {"ptz.level", POLY_OPTION_CHOICE, POLY_OPTION_WRITE, 1, 0, 0,
		levels, "how much time is spent on making it smaller", NULL},
	[PTZ_OPTION_ROWS] = {"ptz.rows", POLY_OPTION_NUMBER, POLY_OPTION_WRITE, PTZ_ROWS_MOST,
		1, PTZ_ROWS_MOST, NULL,
		"most records of a segment: what is read to get at one of them", NULL},
	{.name = NULL},
};

static const struct poly_rule rules[] = {
	[PTZ_RULE_DAMAGED] = {"P01", POLY_ERROR, "every checksum is that of its bytes",
		"polytrace-ptz(5)"},
	[PTZ_RULE_CUT] = {"P02", POLY_WARNING, "the file is whole, and ends in an index",
		"polytrace-ptz(5)"},
	[PTZ_RULE_ORDER] = {"P03", POLY_ERROR,
		"segments and the records before them are numbered on without a gap",
		"polytrace-ptz(5)"},
	[PTZ_RULE_CHAIN] = {"P04", POLY_ERROR, "an index stands behind the parts that it says",
		"polytrace-ptz(5)"},
	{.code = NULL},
};

static const struct format ptz = {
	.info = {.name = "ptz",
		.family = "ptz",
		.title = "packed trace: any format, small, fast to load, with random access",
		.extensions = "ptz",
		.spec = "polytrace-ptz(5)",
		.can_read = true,
		.can_write = true,
		.holds_labels = true,
		.columns = POLY_ALL_COLUMNS & ~PTZ_PLACES,
		.options = options,
		.rules = rules},
	.is_packed = true,
	.accepts_weights = true,
	.reader_size = sizeof(struct ptz_reader),
	.writer_size = sizeof(struct ptz_writer),
	.probe = ptz_probe,
	.open = ptz_open,
	.skip_records = ptz_jump,
	.read = ptz_read,
	.resync = ptz_resync,
	.size_breakdown = ptz_space,
	.close = ptz_close,
	.wopen = ptz_wopen,
	.appends = true,
	.write = ptz_write,
	.wfinish = ptz_wfinish,
	.wclose = ptz_wclose,
};

const struct format *const formats_ptz[] = {&ptz, NULL};
