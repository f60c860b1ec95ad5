/* SPDX-License-Identifier: MIT */
/*
 * FULL: Apple amber's trace of the complete user state. A magic word, then records of one size:
 * the opcode, the thread state, the float state, the vector state; synchronisation records may
 * be between them.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 3 (1 to 3, 19,
 * 22), 4.7, 4.9, 5.
 */
#include "format/full/full.h"

#include <stdio.h>
#include <string.h>

/* Bytes examined to detect the layout. */
#define SAMPLE_SIZE ((size_t)1 << 20)

static const char *const record_names[FULL_RECORD_COUNT] = {
	[FULL_INSTRUCTION] = "instruction",
	[FULL_SYNC + POLY_SYNC_SIGNAL] = "signal",
	[FULL_SYNC + POLY_SYNC_BROADCAST] = "broadcast",
	[FULL_SYNC + POLY_SYNC_WAIT] = "wait",
	[FULL_SYNC + POLY_SYNC_TRYWAIT] = "trywait",
	[FULL_CORRUPT] = "corrupt",
};

/* Reads the magic and byte order; POLY_ERR_FORMAT if it is not a FULL trace. */
static enum poly_status
read_magic(struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct full_reader *reader = reading->state;
	uint64_t order = reading->options[FULL_OPTION_ENDIAN];
	static const uint8_t big[] = {0xa1, 0x11, 0x8e, 0x17},
			     swapped[] = {0x17, 0x8e, 0x11, 0xa1};
	size_t here = n < FULL_MAGIC_SIZE ? n : FULL_MAGIC_SIZE;
	bool is_big = here == 0 || memcmp(p, big, here) == 0,
	     is_swapped = here && memcmp(p, swapped, here) == 0;
	if (!is_big && !is_swapped)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"not a FULL trace: it does not start with the magic a1118e17 in either "
			"byte order");
	reader->dialect.little = order == FULL_AUTO ? !is_big : order == FULL_SECOND;
	const char *magic = n < FULL_MAGIC_SIZE ? "none" : is_big ? "be" : "le";
	const char *endian = reader->dialect.little ? "le" : "be";
	if (n < FULL_MAGIC_SIZE && in_status(reading->in, NULL) == POLY_END)
		findings_add_truncation(reading->findings, FULL_F01, 0, 0,
			"the file has %zu bytes, expected at least the 4 of the magic", n);
	if (!is_big)
		findings_add(reading->findings, FULL_F23, 0, 0,
			"the magic is 178e11a1, byte-swapped, expected a1118e17");
	reading->info->view.byte_order =
		reader->dialect.little ? POLY_BYTE_ORDER_LITTLE : POLY_BYTE_ORDER_BIG;
	bool stated =
		info_fact(reading->info, "amber.endian", endian) &&
		(strcmp(magic, endian) == 0 || info_fact(reading->info, "amber.magic", magic));
	return stated ? POLY_OK : err_memory(error);
}

/* States the facts of the records, the first of which are the n bytes at p. */
static enum poly_status
state_facts(struct reading *reading, const struct full_detection *found, const uint8_t *p,
	size_t n, struct poly_error *error)
{
	struct full_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	const struct powerpc_layout *layout = found->layout;
	char size[8];
	view->records = record_names;
	view->record_count = FULL_RECORD_COUNT;
	view->isa = "powerpc";
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->address_bits = 32;
	if (!found->post)
		view->columns = poly_columns_minus(view->columns, POLY_COLUMNS(next_pc));
	if (n - found->first >= layout->record) {
		const uint8_t *first = p + found->first;
		view->address_bits = powerpc_is_wide(&reader->dialect, first) ? 64 : 32;
		view->has_first_pc = !found->post;
		if (!found->post)
			view->first_pc =
				powerpc_state_register(&reader->dialect, first + layout->pc);
	}
	snprintf(size, sizeof size, "%u", (unsigned)layout->record);
	if (!info_fact(reading->info, "amber.state", found->post ? "post" : "pre") ||
		(found->records && !info_fact(reading->info, "amber.record", size)))
		return err_memory(error);
	return POLY_OK;
}

static enum poly_status
full_open(struct reading *reading, struct poly_error *error)
{
	struct full_reader *reader = reading->state;
	size_t n;
	const uint8_t *p = in_peek(reading->in, SAMPLE_SIZE, &n);
	enum poly_status status = read_magic(reading, p, n, error);
	if (status != POLY_OK)
		return status;
	size_t magic = n < FULL_MAGIC_SIZE ? 0 : FULL_MAGIC_SIZE;
	reader->escapes = reading->options[FULL_OPTION_ESCAPES];
	struct full_detection found =
		full_detect(p + magic, n - magic, reader->dialect.little, reading->options);
	if (!found.layout && (status = in_status(reading->in, error)) < 0)
		return status;
	if (!found.layout)
		return err_set(error, POLY_ERR_FORMAT, FULL_MAGIC_SIZE,
			"F20: cannot determine the record size (the best layout passes %u of "
			"1000 "
			"checks, the next %u); set amber.record=1004, 1008, 1148, 1152 or "
			"1160",
			found.best, found.second);
	reader->dialect.layout = found.layout;
	reader->dialect.post = found.post;
	status = state_facts(reading, &found, p + magic, n - magic, error);
	in_consume(reading->in, magic);
	return status;
}

static void
full_check_batch(struct reading *reading, const struct poly_batch *batch)
{
	struct full_reader *reader = reading->state;
	full_check(&reader->check, reading, &reader->dialect, batch);
}

static void
full_close(struct reading *reading)
{
	struct full_reader *reader = reading->state;
	full_check_fini(&reader->check);
}

static int
full_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	static const uint64_t initial[] = {FULL_AUTO, FULL_AUTO, FULL_AUTO, 1};
	(void)eof;
	if (n < FULL_MAGIC_SIZE) {
		uint8_t magic[2][FULL_MAGIC_SIZE];
		store_be32(magic[0], FULL_MAGIC);
		store_le32(magic[1], FULL_MAGIC);
		note->consistent = memcmp(p, magic[0], n) == 0 || memcmp(p, magic[1], n) == 0;
		return 0;
	}
	bool little = load_le32(p) == FULL_MAGIC;
	if (!little && load_be32(p) != FULL_MAGIC) {
		snprintf(note->text, sizeof note->text, "no magic a1118e17");
		return 0;
	}
	size_t sample = n < SAMPLE_SIZE ? n : SAMPLE_SIZE;
	struct full_detection found =
		full_detect(p + FULL_MAGIC_SIZE, sample - FULL_MAGIC_SIZE, little, initial);
	const char *magic = little ? "magic a1118e17, byte-swapped" : "magic a1118e17";
	if (!found.layout)
		snprintf(note->text, sizeof note->text, "%s; record size undecided", magic);
	else if (!found.records)
		snprintf(note->text, sizeof note->text, "%s; no complete record", magic);
	else
		snprintf(note->text, sizeof note->text,
			"%s; records of %u bytes with the state %s the instruction", magic,
			(unsigned)found.layout->record, found.post ? "after" : "before");
	return 32;
}

static const char *const record_words[] = {
	"auto", "1004", "1008", "1148", "1152", "1160", NULL};
static const char *const state_words[] = {"auto", "pre", "post", NULL};
static const char *const endian_words[] = {"auto", "be", "le", NULL};

static const struct poly_option full_options[] = {
	[FULL_OPTION_RECORD] = {"amber.record", POLY_OPTION_CHOICE,
		POLY_OPTION_READ | POLY_OPTION_WRITE, .choices = record_words,
		.help = "bytes per FULL record, which determine its layout (default auto; "
			"written: that of the source)",
		.source = "Apple amber traces 3/1, 4.7"},
	[FULL_OPTION_STATE] = {"amber.state", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		.choices = state_words,
		.help = "interpret a record's state as that before or after its instruction "
			"(default auto)",
		.source = "Apple amber traces 3/2"},
	[FULL_OPTION_ENDIAN] = {"amber.endian", POLY_OPTION_CHOICE,
		POLY_OPTION_READ | POLY_OPTION_WRITE, .choices = endian_words,
		.help = "byte order of words and 64-bit registers (default auto)",
		.source = "Apple amber traces 3/3"},
	[FULL_OPTION_ESCAPES] = {"amber.full-escapes", POLY_OPTION_BOOL, POLY_OPTION_READ,
		.initial = 1,
		.help = "accept synchronization records between FULL records (default 1)",
		.source = "Apple amber traces 3/19"},
	{0},
};

static const struct poly_rule full_rules[] = {
	[FULL_F01] = {"F01", POLY_ERROR, "the size is at least 4 bytes",
		"Apple amber traces 5"},
	[FULL_F03] = {"F03", POLY_ERROR, "the initial PC is a multiple of 4",
		"Apple amber traces 5"},
	[FULL_F04] = {"F04", POLY_WARNING,
		"addresses after flow instructions are multiples of 4", "Apple amber traces 5"},
	[FULL_F05] = {"F05", POLY_WARNING, "b branches to its target", "Apple amber traces 5"},
	[FULL_F06] = {"F06", POLY_WARNING, "bc branches to its target or falls through",
		"Apple amber traces 5"},
	[FULL_F07] = {"F07", POLY_WARNING,
		"sc returns to the next instruction or to the one after it",
		"Apple amber traces 5"},
	[FULL_F08] = {"F08", POLY_WARNING, "a PC has one opcode (checks the first 1048576 PCs)",
		"Apple amber traces 5"},
	[FULL_F15] = {"F15", POLY_NOTE,
		"every opcode that accesses memory is in the TT6 tables, not classified as "
		"compute",
		"Apple amber traces 5, 2.4"},
	[FULL_F17] = {"F17", POLY_WARNING, "opcodes 58 and 62 are of a valid form",
		"Apple amber traces 5"},
	[FULL_F20] = {"F20", POLY_ERROR,
		"the record size can be determined, or is set by amber.record",
		"Apple amber traces 5, 4.9"},
	[FULL_F21] = {"F21", POLY_WARNING, "mq, fpscr_pad, save_pad5 and save_pad6 are zero",
		"Apple amber traces 5, 2.3"},
	[FULL_F22] = {"F22", POLY_ERROR, "the last record is complete", "Apple amber traces 5"},
	[FULL_F23] = {"F23", POLY_WARNING, "the magic is not byte-swapped",
		"Apple amber traces 5"},
	{0},
};

static const struct format full = {
	.content = {.users = "Apple amber",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(SYNC),
		.fills = POLY_COLUMNS_INIT(
			next_pc, branch, target, fallthrough, access, address)},
	.info = {.name = "full",
		.family = "full",
		.title = "Apple amber FULL: opcode and complete user state",
		.extensions = "full full1004 full1008",
		.spec = "TT6 trace format (FULL trace format); Apple amber traces 2.3, 4.7",
		.can_read = true,
		.can_write = true,
		.columns = POLY_COLUMNS_INIT(kind, record, pc, opcode, opcode_size, next_pc,
			branch, target, fallthrough, access, address, size, value, sync, escape,
			payload, raw, origin),
		.needs = POLY_COLUMNS_INIT(opcode, payload),
		.needs_isa = "powerpc",
		.options = full_options,
		.rules = full_rules},
	.reader_size = sizeof(struct full_reader),
	.writer_size = sizeof(struct full_writer),
	.probe = full_probe,
	.open = full_open,
	.read = full_read,
	.resync = full_resync,
	.find_split = full_find_split,
	.open_decoder = full_open_decoder,
	.enter_split = full_enter_split,
	.split_context = POWERPC_RECORD_MAX,
	.is_at_split = full_is_at_split,
	.check = full_check_batch,
	.checks_chunks = true,
	.check_offset = offsetof(struct full_reader, check),
	.check_size = offsetof(struct full_check, opcodes),
	.check_deferred = full_check_deferred,
	.check_adopt = full_check_adopt,
	.close = full_close,
	.effects = EFFECTS_STATES,
	.wopen = full_wopen,
	.raw_facts = (const char *const[]){"amber.record", "amber.endian", NULL},
	.write = full_write,
	.wfinish = full_wfinish,
};

const struct format *const formats_full[] = {&full, NULL};
