/* SPDX-License-Identifier: MIT */
/*
 * AIX traces: logs, streams and bare events of the trace command. What they can carry, their
 * options and rules.
 *
 * spec: seed 003; reference aix 3, 4.8, 5.
 */
#include "format/aix/aix.h"

static const char *const forms[] = {"auto", "raw32", "raw64", NULL};
static const char *const tids[] = {"auto", "yes", "no", NULL};
static const char *const lengths[] = {"auto", "buffer", "data", NULL};
static const char *const containers[] = {"auto", "raw", "stream", "log", NULL};
static const char *const words[] = {"auto", "32", "64", NULL};

static const struct poly_option options[] = {
	[AIX_OPTION_FORM] = {"aix.form", POLY_OPTION_CHOICE, POLY_OPTION_READ, AIX_AUTO, 0, 0,
		forms,
		"bare events with hook words of 32 or 64 bits; auto: a log or stream by its "
		"magic, and bare events by what they look like",
		"reference aix 3/29"},
	[AIX_OPTION_TID] = {"aix.tid", POLY_OPTION_CHOICE, POLY_OPTION_READ | POLY_OPTION_WRITE,
		AIX_AUTO, 0, 0, tids,
		"whether entries with 32-bit hook words have a thread id; auto: yes, but not "
		"in logs from before AIX 4.1, and for writing as the source",
		"reference aix 4.8"},
	[AIX_OPTION_LENGTH] = {"aix.len64g", POLY_OPTION_CHOICE,
		POLY_OPTION_READ | POLY_OPTION_WRITE, AIX_AUTO, 0, 0, lengths,
		"what the length of a 64-bit generic entry counts: the buffer, or all data "
		"with the data word before it; auto: the buffer, and for writing as the source",
		"reference aix 3/31"},
	[AIX_OPTION_CONTAINER] = {"aix.container", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		AIX_AUTO, 0, 0, containers,
		"what holds the events: nothing, a stream's magic, or a new log; auto: as the "
		"source has it, or a log",
		"reference aix 4.8"},
	[AIX_OPTION_WORD] = {"aix.word", POLY_OPTION_CHOICE, POLY_OPTION_WRITE, AIX_AUTO, 0, 0,
		words,
		"bits of a hook word; auto: as the source, or those that the first event needs",
		"reference aix 4.8"},
	[AIX_OPTION_BLOCK] = {"aix.block", POLY_OPTION_SIZE, POLY_OPTION_WRITE, 1 << 20, 64,
		1 << 30, NULL, "bytes of a block of a new log, about", "reference aix 4.8"},
	[AIX_OPTION_HOOKS] = {"aix.hooks", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0, NULL,
		"file with a table of the hooks that tell of processes, in place of the "
		"built-in one",
		"reference aix 3/37"},
	{.name = NULL},
};

/* clang-format off */
static const struct poly_rule rules[] = {
	[AIX_L01] = {"L01", POLY_ERROR, "the magic is known, or a bare form is named or told by its events", "reference aix 5"},
	[AIX_L02] = {"L02", POLY_ERROR, "header, directory, currentry and initial conditions lie within the file", "reference aix 5"},
	[AIX_L03] = {"L03", POLY_WARNING, "blocks lie within the file, and none within another", "reference aix 5"},
	[AIX_L04] = {"L04", POLY_WARNING, "hook types and hook ids are such as there are", "reference aix 5; seed 003"},
	[AIX_L05] = {"L05", POLY_WARNING, "entries end within their block, and the last one is whole", "reference aix 5"},
	[AIX_L06] = {"L06", POLY_WARNING, "generic data have at most 4096 bytes", "reference aix 5"},
	[AIX_L07] = {"L07", POLY_WARNING, "hook id 000 has a timestamp", "reference aix 5"},
	[AIX_L10] = {"L10", POLY_WARNING, "time does not go back from an event to the next one of the same processor", "reference aix 5"},
	[AIX_L11] = {"L11", POLY_NOTE, "no entries were lost: neither hook 005 nor 006 is there", "reference aix 5"},
	[AIX_L12] = {"L12", POLY_NOTE, "a hook tells of processes: 106, 10C, 134, 139 or 465", "reference aix 5"},
	[AIX_L13] = {"L13", POLY_NOTE, "the log did not wrap around", "reference aix 5"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

static const struct format aix = {
	.info =
		{
			.name = "aix",
			.family = "aix",
			.title = "AIX trace log, stream or bare events",
			.extensions = "aix trcfile",
			.spec = "seed 003; reference aix 4.8",
			.can_read = true,
			.can_write = true,
			.columns = POLY_HAS(kind) | POLY_HAS(record) | POLY_HAS(time) |
				   POLY_HAS(cpu) | POLY_HAS(process) | POLY_HAS(thread) |
				   POLY_HAS(address) | POLY_HAS(size) | POLY_HAS(value) |
				   POLY_HAS(hook) | POLY_HAS(subhook) | POLY_HAS(hook_type) |
				   POLY_HAS(counters) | POLY_HAS(payload) | POLY_HAS(raw) |
				   POLY_HAS(origin),
			.needs = POLY_HAS(hook),
			.options = options,
			.rules = rules,
		},
	.reader_size = sizeof(struct aix_reader),
	.writer_size = sizeof(struct aix_writer),
	.probe = aix_probe,
	.open = aix_open,
	.read = aix_read,
	.check = aix_check,
	.close = aix_close,
	.wopen = aix_wopen,
	.write = aix_write,
	.wfinish = aix_wfinish,
	.wclose = aix_wclose,
};

const struct format *const formats_aix[] = {&aix, NULL};
