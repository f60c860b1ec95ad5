/* SPDX-License-Identifier: MIT */
/*
 * The native container: a compressed, seekable trace of any format, stored by column.
 * spec: polytrace-ptz(5).
 */
#include "format/ptz/file.h"

#include <stdio.h>
#include <string.h>

/* Evidence of the magic. */
#define MAGIC_BITS 64

static int
ptz_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	const bool has_head = ptz_starts_head(p, n);
	note->consistent = memcmp(p, PTZ_MAGIC, n < PTZ_MAGIC_SIZE ? n : PTZ_MAGIC_SIZE) == 0;
	if (n < PTZ_MAGIC_SIZE || (!note->consistent && !has_head))
		return 0;
	snprintf(note->text, sizeof note->text, "the input starts with the %s of packed traces",
		note->consistent ? "magic" : "head section");
	return MAGIC_BITS;
}

static const char *const levels[] = {"fast", "default", "small", NULL};

static const struct poly_option options[] = {
	[PTZ_OPTION_LEVEL] = {"ptz.level", POLY_OPTION_CHOICE, POLY_OPTION_WRITE, .initial = 1,
		.choices = levels, .help = "set the compression level"},
	[PTZ_OPTION_ROWS] = {"ptz.rows", POLY_OPTION_NUMBER, POLY_OPTION_WRITE,
		.initial = PTZ_ROWS_MAX, .minimum = 1, .maximum = PTZ_ROWS_MAX,
		.help = "set the maximum number of records per segment, the unit of random "
			"access"},
	{.name = NULL},
};

static const struct poly_rule rules[] = {
	[PTZ_RULE_CORRUPT] = {"P01", POLY_ERROR, "every checksum matches its bytes",
		"polytrace-ptz(5)"},
	[PTZ_RULE_TRUNCATED] = {"P02", POLY_ERROR,
		"the file is complete and ends with an index", "polytrace-ptz(5)"},
	[PTZ_RULE_ORDER] = {"P03", POLY_ERROR,
		"segment numbers and counts of preceding records are consecutive",
		"polytrace-ptz(5)"},
	[PTZ_RULE_CHAIN] = {"P04", POLY_ERROR, "an index matches the sections before it",
		"polytrace-ptz(5)"},
	[PTZ_RULE_MISSING] = {"P05", POLY_ERROR, "no record is missing", "polytrace-ptz(5)"},
	[PTZ_RULE_REPAIRED] = {"P06", POLY_WARNING, "no segment has to be repaired",
		"polytrace-ptz(5)"},
	{.code = NULL},
};

static const struct format ptz = {
	.content = {.users = "polytrace", .kinds = POLY_KINDS_ALL},
	.info = {.name = "ptz",
		.family = "ptz",
		.title = "packed trace: any format, compressed, seekable",
		.extensions = "ptz",
		.spec = "polytrace-ptz(5)",
		.can_read = true,
		.can_write = true,
		.holds_labels = true,
		.columns = POLY_COLUMNS_EXCEPT_INIT(PTZ_POSITION_COLUMNS),
		.options = options,
		.rules = rules},
	.is_packed = true,
	.accepts_weights = true,
	.reader_size = sizeof(struct ptz_reader),
	.writer_size = sizeof(struct ptz_writer),
	.probe = ptz_probe,
	.open = ptz_open,
	.skip_records = ptz_skip_records,
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
