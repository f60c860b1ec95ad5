/* SPDX-License-Identifier: MIT */
/*
 * Apple amber's TT6 and TT6E: columns, options and rules. TT6E is listed first: it is preferred
 * if the content fits both (Apple amber traces 3/4).
 *
 * spec: TT6 trace format; Apple amber traces 3, 4, 5.
 */
#include "format/tt6/tt6.h"

static const char *const endians[] = {"be", "le", "auto", NULL};
static const char *const thirds[] = {"raw", "count", NULL};
static const char *const zeros[] = {"escape", "opcode", NULL};
static const char *const missings[] = {"refuse", "zero", NULL};

#define COMMON_OPTIONS                                                                         \
	[TT6_OPTION_ENDIAN] = {"amber.endian", POLY_OPTION_CHOICE,                             \
		POLY_OPTION_READ | POLY_OPTION_WRITE, .initial = TT6_AUTO, .choices = endians, \
		.help = "byte order of words (default auto: detect it; written: that of the "  \
			"source)",                                                             \
		.source = "Apple amber traces 3/3, 4.9"},                                      \
	[TT6_OPTION_THIRD] = {"amber.third", POLY_OPTION_CHOICE, POLY_OPTION_READ,             \
		.choices = thirds,                                                             \
		.help = "interpret the third word of lswx and stswx as a raw XER (default) "   \
			"or as a byte count",                                                  \
		.source = "Apple amber traces 3/5"},                                           \
	[TT6_OPTION_ZERO] = {"amber.zero", POLY_OPTION_CHOICE, POLY_OPTION_READ,               \
		.choices = zeros,                                                              \
		.help = "interpret words with primary opcode 0 as escape records (default) "   \
			"or as illegal instructions",                                          \
		.source = "Apple amber traces 3/6"},                                           \
	[TT6_OPTION_SPLICE] = {"amber.splice", POLY_OPTION_BOOL, POLY_OPTION_READ,             \
		.initial = 1,                                                                  \
		.help = "accept 48000000 with another next address as a splice of traces "     \
			"(default 1)",                                                         \
		.source = "Apple amber traces 3/14"}

#define OPTIONS(missing)                                                                       \
	{                                                                                      \
		COMMON_OPTIONS,                                                                \
			[TT6_OPTION_MISSING] = {missing, POLY_OPTION_CHOICE,                   \
				POLY_OPTION_WRITE, .choices = missings,                        \
				.help = "for an instruction without the address or the third " \
					"word "                                                \
					"that the format requires, fail (default) or write 0", \
				.source = "Apple amber traces 6"},                             \
		{                                                                              \
			.name = NULL                                                           \
		}                                                                              \
	}

static const struct poly_option tt6_options[] = OPTIONS("tt6.missing");
static const struct poly_option tt6e_options[] = OPTIONS("tt6e.missing");

#define RULE(number, severity, title) \
	[TT6_##number] = {#number, POLY_##severity, title, "Apple amber traces 5"}

static const struct poly_rule rules[] = {
	RULE(A01, ERROR, "the size is a multiple of 4"),
	RULE(A02, ERROR, "the last record and every escape payload end within the file"),
	RULE(A03, ERROR, "the initial PC is a multiple of 4"),
	RULE(A04, WARNING, "next addresses of flow records are multiples of 4"),
	RULE(A05, WARNING, "b branches to its target"),
	RULE(A06, WARNING, "bc branches to its target or falls through"),
	RULE(A07, WARNING, "sc returns to the next instruction or to the one after it"),
	RULE(A08, WARNING, "a PC has one opcode (checks the first 1048576 PCs)"),
	RULE(A09, WARNING, "escape codes are 0 to 5 or 0x20 to 0x3f"),
	RULE(A10, WARNING, "sync escapes have two words, escapes of codes 0 to 5 at most 64"),
	RULE(A11, NOTE, "sync escapes have one of the four defined codes"),
	RULE(A12, WARNING, "no escape is null"),
	RULE(A13, WARNING, "an address escape is followed by its instruction"),
	RULE(A14, WARNING, "an address escape agrees with the address in the record"),
	RULE(A15, NOTE, "every instruction that accesses memory has its address recorded"),
	RULE(A16, WARNING, "TT6E: every twi is followed by the synthetic b 0x700, rfi"),
	RULE(A17, WARNING, "opcodes 58 and 62 are of a valid form"),
	RULE(A18, NOTE, "the third word of lswx and stswx is at most 127"),
	RULE(A19, WARNING, "sync counts of an address increase"),
	RULE(A20, WARNING, "TT6E: the synthetic rfi returns to the instruction after its twi"),
	RULE(A24, NOTE, "the content distinguishes TT6 from TT6E"),
	{.code = NULL},
};

/* TT6 holds no synthetic rows; its writer reads the column to drop them. */
#define COLUMNS                                                                              \
	kind, record, pc, opcode, opcode_size, next_pc, branch, target, fallthrough, access, \
		address, size, value, sync, escape, real_pc, real_address, real_target,      \
		payload, raw, origin, synthetic, requested_address

#define INFO(word, text, options_table)                                               \
	{                                                                             \
		.name = word, .family = "tt6", .title = text, .extensions = word,     \
		.spec = "TT6 trace format; Apple amber traces 4", .can_read = true,   \
		.can_write = true, .columns = POLY_COLUMNS_INIT(COLUMNS),             \
		.needs = POLY_COLUMNS_INIT(kind, pc, opcode), .needs_isa = "powerpc", \
		.options = (options_table), .rules = rules,                           \
	}

#define CONTENT                                                                              \
	{                                                                                    \
		.users = "Apple amber, simg4",                                               \
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(SYNC) |                  \
			 POLY_KIND_BIT(OTHER),                                               \
		.own_columns = POLY_COLUMNS_INIT(synthetic, payload),                        \
		.fills = POLY_COLUMNS_INIT(next_pc, branch, target, access, address, escape) \
	}

#define FUNCTIONS(word)                                                                       \
	.reader_size = sizeof(struct tt6), .writer_size = sizeof(struct tt6_writer),          \
	.probe = word##_probe, .open = word##_open, .read = tt6_read, .check = tt6_check,     \
	.checks_chunks = true, .check_offset = offsetof(struct tt6, sequence),                \
	.check_size = sizeof(struct tt6_sequence), .check_deferred = tt6_check_deferred,      \
	.check_adopt = tt6_check_adopt, .find_split = tt6_find_split,                         \
	.open_decoder = tt6_open_decoder, .enter_split = tt6_enter_split, .split_context = 4, \
	.is_at_split = tt6_is_at_split, .close = tt6_close, .effects = EFFECTS_JOINED,        \
	.wopen = word##_wopen, .write = tt6_write, .write_row = tt6_write_row,                \
	.predict_state = tt6_predict_state,                                                   \
	.numbers_size = offsetof(struct tt6_writer, held.words), .wfinish = tt6_wfinish,      \
	.wclose = tt6_wclose

static const struct format tt6e = {.content = CONTENT,
	.info = INFO("tt6e", "Apple amber TT6E: TT6 with cache addresses and trap returns",
		tt6e_options),
	FUNCTIONS(tt6e)};

static const struct format tt6 = {.content = CONTENT,
	.info = INFO(
		"tt6", "Apple amber TT6: instructions, next PCs, data addresses", tt6_options),
	FUNCTIONS(tt6)};

extern const struct format *const formats_tt6[];
const struct format *const formats_tt6[] = {&tt6e, &tt6, NULL};
