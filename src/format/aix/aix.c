/* SPDX-License-Identifier: MIT */
/*
 * AIX traces: logs, streams and bare events of the trace command. Their columns, options and
 * rules.
 *
 * spec: trcfmt File Format, Trace Entries; AIX <sys/trchdr.h>.
 */
#include "format/aix/aix.h"

static const char *const forms[] = {"auto", "raw32", "raw64", NULL};
static const char *const tids[] = {"auto", "yes", "no", NULL};
static const char *const lengths[] = {"auto", "buffer", "data", NULL};
static const char *const containers[] = {"auto", "raw", "stream", "log", NULL};
static const char *const words[] = {"auto", "32", "64", NULL};

static const struct poly_option options[] = {
	[AIX_OPTION_FORM] = {"aix.form", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		.initial = AIX_AUTO, .choices = forms,
		.help = "read bare events with hook words of 32 or 64 bits (default auto: a "
			"log or stream by its magic, bare events by their structure)",
		.source = "AIX <sys/trchdr.h>"},
	[AIX_OPTION_TID] = {"aix.tid", POLY_OPTION_CHOICE, POLY_OPTION_READ | POLY_OPTION_WRITE,
		.initial = AIX_AUTO, .choices = tids,
		.help = "assume a thread id in entries with 32-bit hook words (default auto: "
			"yes, except in logs from before AIX 4.1; for writing as in the "
			"source)",
		.source = "trcfmt File Format, Trace Entries"},
	[AIX_OPTION_LENGTH] = {"aix.len64g", POLY_OPTION_CHOICE,
		POLY_OPTION_READ | POLY_OPTION_WRITE, .initial = AIX_AUTO, .choices = lengths,
		.help = "count the buffer, or all data with the data word, in the length of a "
			"64-bit generic entry (default auto: detected by the first events; for "
			"writing as in the source, else the buffer)",
		.source = "trcfmt File Format, 64-bit trace hook words"},
	[AIX_OPTION_CONTAINER] = {"aix.container", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.initial = AIX_AUTO, .choices = containers,
		.help = "write bare events, a stream with its magic, or a new log (default "
			"auto: as in the source, else a log)",
		.source = "AIX <sys/trchdr.h>"},
	[AIX_OPTION_WORD] = {"aix.word", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.initial = AIX_AUTO, .choices = words,
		.help = "write hook words of 32 or 64 bits (default auto: as in the source, "
			"else as the first event needs)",
		.source = "trcfmt File Format, Trace Entries"},
	[AIX_OPTION_BLOCK] = {"aix.block", POLY_OPTION_SIZE, POLY_OPTION_WRITE,
		.initial = 1 << 20, .minimum = 64, .maximum = 1 << 30,
		.help = "approximate bytes per block of a new log (default 1048576)",
		.source = "AIX <sys/trchdr.h>"},
	[AIX_OPTION_HOOKS] = {"aix.hooks", POLY_OPTION_TEXT, POLY_OPTION_READ,
		.help = "read the table of the hooks that identify processes from a file "
			"(default: the built-in table)",
		.source = "polytrace-trcrpt(1)"},
	{.name = NULL},
};

/* clang-format off */
static const struct poly_rule rules[] = {
	[AIX_L01] = {"L01", POLY_ERROR, "the magic is known, or a bare form is named or detected by its events", "AIX <sys/trchdr.h>"},
	[AIX_L02] = {"L02", POLY_ERROR, "header, directory, currentry and initial conditions lie within the file", "AIX <sys/trchdr.h>"},
	[AIX_L03] = {"L03", POLY_ERROR, "blocks lie within the file and do not overlap", "AIX <sys/trchdr.h>"},
	[AIX_L04] = {"L04", POLY_ERROR, "hook types and hook ids are valid", "trcfmt File Format, Trace Entries"},
	[AIX_L05] = {"L05", POLY_ERROR, "entries end within their block, and the last one is complete", "trcfmt File Format, Trace Entries"},
	[AIX_L06] = {"L06", POLY_WARNING, "generic data have at most 4096 bytes", "trcfmt File Format, Trace Entries"},
	[AIX_L07] = {"L07", POLY_WARNING, "hook id 000 has a timestamp", "AIX Trace Hook IDs"},
	[AIX_L10] = {"L10", POLY_WARNING, "times of a processor do not decrease", "trcfmt File Format, Trace Entries"},
	[AIX_L11] = {"L11", POLY_NOTE, "no entries were lost: the trace has neither hook 005 nor 006", "AIX Trace Hook IDs"},
	[AIX_L12] = {"L12", POLY_NOTE, "the trace has a hook that identifies processes: 106, 10C, 134, 139 or 465", "AIX Trace Hook IDs"},
	[AIX_L13] = {"L13", POLY_NOTE, "the log did not wrap around", "AIX <sys/trchdr.h>"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

static const struct format aix = {
	.content = {.users = "AIX trace, trcrpt",
		.kinds = POLY_KIND_BIT(EVENT) | POLY_KIND_BIT(OTHER),
		.own_kinds = POLY_KIND_BIT(OTHER)},
	.info =
		{
			.name = "aix",
			.family = "aix",
			.title = "AIX trace log, stream or bare events",
			.extensions = "aix trcfile",
			.spec = "trcfmt File Format, Trace Entries; AIX <sys/trchdr.h>",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, record, time, cpu, process, thread,
				address, size, value, hook, subhook, hook_type, counters,
				payload, raw, origin),
			.needs = POLY_COLUMNS_INIT(hook),
			.options = options,
			.rules = rules,
		},
	.raw_facts = (const char *const[]){"aix.word", "aix.tid", "aix.len64g", NULL},
	.selected_fact = "aix.selected",
	.reader_size = sizeof(struct aix_reader),
	.writer_size = sizeof(struct aix_writer),
	.probe = aix_probe,
	.open = aix_open,
	.read = aix_read,
	.find_split = aix_find_split,
	.open_decoder = aix_open_decoder,
	.enter_split = aix_enter_split,
	.is_at_split = aix_is_at_split,
	.complete_rows = aix_complete_rows,
	.reads_end = true,
	.check = aix_check,
	.close = aix_close,
	.wopen = aix_wopen,
	.write = aix_write,
	.wfinish = aix_wfinish,
	.wclose = aix_wclose,
};

const struct format *const formats_aix[] = {&aix, NULL};
