/* SPDX-License-Identifier: MIT */
/*
 * SBBT, the branch traces of MBPlib: a header and a record of 16 bytes per branch.
 *
 *     file   = "SBBT" newline version:3 instructions:8 branches:8 { branch } ;
 *     branch = word:8 word:8 ;
 *
 * spec: polytrace-sbbt(5)
 */
#include "format/sbbt/sbbt.h"

#include "base/bits.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>

/* Branches that determine the layout. */
#define SAMPLE_BRANCHES 4096

/* Bytes of the magic without the version. */
#define MAGIC_ALONE 5

/* Bits of the first word that have no meaning, by layout. */
#define NEW_RESERVED 0x7f0u
#define OLD_RESERVED 0x0feu

/* The rules, by their index in the table. */
enum sbbt_rule {
	RULE_TRUNCATED,
	RULE_BRANCHES,
	RULE_INSTRUCTIONS,
	RULE_TYPE,
	RULE_RESERVED,
	RULE_TAKEN,
	RULE_GAP,
	RULE_CONDITIONAL,
};

struct sbbt_reader {
	bool has_header, is_old;
	bool has_ended; /* the end was reported */
	uint64_t header_instructions, header_branches;
	uint64_t instructions, branches; /* read so far */
};

static int
sbbt_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	if (n < MAGIC_ALONE || memcmp(p, SBBT_MAGIC, MAGIC_ALONE) != 0)
		return 0;
	snprintf(note->text, sizeof note->text, "the input starts with the magic of SBBT");
	return n >= SBBT_MAGIC_SIZE && memcmp(p, SBBT_MAGIC, SBBT_MAGIC_SIZE) == 0 ? 64 : 40;
}

/* Determines the layout by the reserved bits of the first branches. */
static enum poly_status
find_layout(struct reading *reading, struct poly_error *error)
{
	struct sbbt_reader *reader = reading->state;
	size_t have, records = 0, fit[2] = {0, 0};
	const uint8_t *p = in_peek(reading->in, SAMPLE_BRANCHES * SBBT_SIZE, &have);
	for (; have >= SBBT_SIZE && records < SAMPLE_BRANCHES; p += SBBT_SIZE) {
		const uint32_t low = load_le32(p);
		fit[SBBT_NEW] += !(low & NEW_RESERVED);
		fit[SBBT_OLD] += !(low & OLD_RESERVED);
		records++;
		have -= SBBT_SIZE;
	}
	reader->is_old = 2 * fit[SBBT_NEW] < records && fit[SBBT_OLD] > fit[SBBT_NEW];
	if (2 * fit[reader->is_old] >= records)
		return POLY_OK;
	return err_set(error, POLY_ERR_FORMAT, SBBT_HEADER,
		"branches have neither the current layout nor the old one (found %zu and %zu "
		"of %zu without reserved bits); set sbbt.layout",
		fit[SBBT_NEW], fit[SBBT_OLD], records);
}

/* Adds the counts of the header and the layout as facts; false: out of memory. */
static bool
add_facts(struct reading *reading)
{
	const struct sbbt_reader *reader = reading->state;
	char instructions[24] = "", branches[24] = "";
	num_decimal(instructions, reader->header_instructions);
	num_decimal(branches, reader->header_branches);
	return info_fact(reading->info, "sbbt.layout", sbbt_layouts[reader->is_old]) &&
	       info_fact(reading->info, "sbbt.instructions", instructions) &&
	       info_fact(reading->info, "sbbt.branches", branches);
}

/* Reads the header. */
static enum poly_status
read_header(struct reading *reading, struct poly_error *error)
{
	struct sbbt_reader *reader = reading->state;
	size_t have;
	const uint8_t *p = in_peek(reading->in, SBBT_HEADER, &have);
	if (have < SBBT_HEADER)
		return POLY_OK;
	if (memcmp(p, SBBT_MAGIC, MAGIC_ALONE) != 0)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"not an SBBT trace (found 0x%08x, expected the magic 'SBBT')",
			load_be32(p));
	if (memcmp(p, SBBT_MAGIC, SBBT_MAGIC_SIZE) != 0)
		return err_set(error, POLY_ERR_UNSUPPORTED, MAGIC_ALONE,
			"version of SBBT is not supported (found %u.%u.%u, expected 1.0.0)",
			p[5], p[6], p[7]);
	reader->has_header = true;
	reader->header_instructions = load_le64(p + 8);
	reader->header_branches = load_le64(p + 16);
	in_consume(reading->in, SBBT_HEADER);
	reader->is_old = reading->options[0] == SBBT_OLD;
	enum poly_status status =
		reading->options[0] == SBBT_AUTO ? find_layout(reading, error) : POLY_OK;
	return status == POLY_OK && !add_facts(reading) ? err_memory(error) : status;
}

static enum poly_status
sbbt_open(struct reading *reading, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	const enum poly_status status = read_header(reading, error);
	view->address_bits = 64;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->byte_order = POLY_BYTE_ORDER_LITTLE;
	view->records = sbbt_records;
	view->record_count = SBBT_RECORDS;
	return status;
}

/* Tests the rules on a branch. */
static void
check_branch(struct reading *reading, const struct sbbt_branch *branch, uint64_t number,
	uint32_t reserved)
{
	struct findings *findings = reading->findings;
	const uint64_t offset = SBBT_HEADER + (number - 1) * SBBT_SIZE;
	const unsigned conditional = branch->kind & SBBT_CONDITIONAL;
	if (branch->kind == SBBT_INVALID)
		findings_add(findings, RULE_TYPE, number, offset,
			"type 3, expected 0 (jump), 1 (return) or 2 (call)");
	if (reserved)
		findings_add(findings, RULE_RESERVED, number, offset,
			"reserved bits 0x%03x, expected 0", reserved);
	if (!conditional && branch->kind != SBBT_INVALID && !branch->is_taken)
		findings_add(findings, RULE_TAKEN, number, offset, "'%s' is not taken",
			sbbt_records[branch->kind]);
	if (!branch->gap)
		findings_add(findings, RULE_GAP, number, offset,
			"0 instructions since the last branch, expected 1 to %d", SBBT_GAP_MAX);
	if (conditional && branch->kind >= SBBT_RETURN)
		findings_add(findings, RULE_CONDITIONAL, number, offset, "'%s'",
			sbbt_records[branch->kind]);
}

/* Adds a row for the branch at p, which is at offset. */
static void
put_branch(struct reading *reading, struct batch *batch, const uint8_t *p, uint64_t offset)
{
	struct sbbt_reader *reader = reading->state;
	const size_t row = batch->view.rows++;
	const struct sbbt_branch branch = sbbt_load(p, reader->is_old);
	const uint32_t reserved = load_le32(p) & (reader->is_old ? OLD_RESERVED : NEW_RESERVED);
	reader->instructions += branch.gap;
	reader->branches = (offset - SBBT_HEADER) / SBBT_SIZE + 1;
	batch_put(batch, kind, row, POLY_KIND_INSTRUCTION);
	batch_put(batch, record, row, (uint8_t)branch.kind);
	batch_put(batch, pc, row, branch.ip);
	batch_put(batch, branch, row,
		branch.is_taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
	if (branch.target)
		batch_put(batch, target, row, branch.target);
	batch_put(batch, instruction_id, row, reader->instructions);
	batch_put(batch, origin, row, offset);
	/* Bytes that the columns determine mark a branch that the header does not count. */
	if (reserved || branch.kind == SBBT_INVALID ||
		reader->branches > reader->header_branches)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, p, SBBT_SIZE);
	if (reading->check)
		check_branch(reading, &branch, reader->branches, reserved);
}

/* Adds the row of bytes that are not a branch. */
static enum poly_status
put_rest(struct reading *reading, struct batch *batch, const uint8_t *p, size_t n)
{
	batch_put(batch, kind, 0, POLY_KIND_OTHER);
	batch_put(batch, record, 0, SBBT_CORRUPT);
	batch_put(batch, origin, 0, in_offset(reading->in));
	batch_put_bytes(batch, POLY_COLUMN_raw, 0, p, n);
	batch->view.rows = 1;
	in_consume(reading->in, n);
	return POLY_OK;
}

/* Ends the trace: with a row for an incomplete branch or header, or for branches that the
 * header states and that are missing, without bytes. */
static enum poly_status
read_end(struct reading *reading, struct batch *batch)
{
	struct sbbt_reader *reader = reading->state;
	size_t n;
	const size_t expected = reader->has_header ? SBBT_SIZE : SBBT_HEADER;
	const uint8_t *p = in_peek(reading->in, expected, &n);
	const bool lacks = reader->has_header && reader->branches < reader->header_branches;
	if (reader->has_ended || !(n || lacks || !reader->has_header) ||
		(!n && reading->is_split))
		return POLY_END;
	reader->has_ended = true;
	if (in_ended(reading->in) && (n || !reader->has_header))
		findings_add_truncation(reading->findings, RULE_TRUNCATED, reading->record + 1,
			in_offset(reading->in), "the last %s has %zu bytes, expected %zu",
			reader->has_header ? "branch" : "header", n, expected);
	else if (in_ended(reading->in))
		findings_add_truncation(reading->findings, RULE_BRANCHES, reading->record + 1,
			in_offset(reading->in), "found %llu branches, the header states %llu",
			(unsigned long long)reader->branches,
			(unsigned long long)reader->header_branches);
	return put_rest(reading, batch, p, n);
}

static enum poly_status
sbbt_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct sbbt_reader *reader = reading->state;
	const uint64_t offset = in_offset(reading->in);
	size_t have;
	(void)error;
	const uint8_t *p = in_peek(reading->in, SBBT_SIZE, &have);
	size_t n = reader->has_header ? have / SBBT_SIZE : 0;
	if (!n)
		return read_end(reading, batch);
	if (n > batch->capacity)
		n = batch->capacity;
	if (reading->is_chunk)
		reader->instructions = 0;
	for (size_t at = 0; at < n * SBBT_SIZE; at += SBBT_SIZE)
		put_branch(reading, batch, p + at, offset + at);
	in_consume(reading->in, n * SBBT_SIZE);
	return POLY_OK;
}

static size_t
sbbt_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)reading;
	(void)p;
	return records_find_split(SBBT_SIZE, offset - SBBT_HEADER, n);
}

static bool
sbbt_open_decoder(struct reading *reading, const struct reading *opened)
{
	struct sbbt_reader *reader = reading->state;
	*reader = *(const struct sbbt_reader *)opened->state;
	return true;
}

/* Adds the instructions before a batch, which a decoder counts from its first branch. */
static bool
sbbt_complete_rows(
	struct reading *reading, struct batch *batch, const uint8_t *p, uint64_t offset)
{
	(void)p;
	(void)offset;
	struct sbbt_reader *reader = reading->state;
	uint64_t *ids = batch->view.instruction_id;
	const size_t rows = batch->view.rows;
	reader->branches += rows;
	for (size_t row = 0; ids && row < rows; row++)
		ids[row] += reader->instructions;
	if (ids)
		reader->instructions = ids[rows - 1];
	return true;
}

/* Tests the counts of the header at the end. */
static void
sbbt_check(struct reading *reading, const struct poly_batch *batch)
{
	const struct sbbt_reader *reader = reading->state;
	if (batch || !reader->has_header)
		return;
	if (reader->branches > reader->header_branches)
		findings_add(reading->findings, RULE_BRANCHES, 0, POLY_NO_OFFSET,
			"found %llu branches, the header states %llu",
			(unsigned long long)reader->branches,
			(unsigned long long)reader->header_branches);
	if (reader->instructions > reader->header_instructions)
		findings_add(reading->findings, RULE_INSTRUCTIONS, 0, POLY_NO_OFFSET,
			"found %llu instructions up to the last branch, the header states %llu",
			(unsigned long long)reader->instructions,
			(unsigned long long)reader->header_instructions);
}

static const struct poly_option options[] = {
	{"sbbt.layout", POLY_OPTION_CHOICE, POLY_OPTION_READ | POLY_OPTION_WRITE,
		.initial = SBBT_AUTO, .choices = sbbt_layouts,
		.help = "layout of the branches: that of MBPlib since 2023, or the one before "
			"(default auto: the one whose reserved bits are 0; when writing, that "
			"of "
			"the source, or new)",
		.source = "polytrace-sbbt(5)"},
	{.name = NULL},
};

/* clang-format off */
static const struct poly_rule rules[] = {
	[RULE_TRUNCATED] = {"SBB1", POLY_ERROR, "the header and the last branch are complete", "polytrace-sbbt(5)"},
	[RULE_BRANCHES] = {"SBB2", POLY_WARNING, "the header states the number of branches", "polytrace-sbbt(5)"},
	[RULE_INSTRUCTIONS] = {"SBB3", POLY_WARNING, "the header states at least the instructions up to the last branch", "polytrace-sbbt(5)"},
	[RULE_TYPE] = {"SBB4", POLY_ERROR, "a branch is a jump, a return or a call", "polytrace-sbbt(5)"},
	[RULE_RESERVED] = {"SBB5", POLY_WARNING, "reserved bits are 0", "polytrace-sbbt(5)"},
	[RULE_TAKEN] = {"SBB6", POLY_WARNING, "unconditional branches are taken", "polytrace-sbbt(5)"},
	[RULE_GAP] = {"SBB7", POLY_WARNING, "a branch is at least one instruction after the last one", "polytrace-sbbt(5)"},
	[RULE_CONDITIONAL] = {"SBB8", POLY_NOTE, "calls and returns are unconditional", "polytrace-sbbt(5)"},
	{.code = NULL},
};
/* clang-format on */

static const struct format sbbt = {
	.content = {.users = "MBPlib",
		.kinds = POLY_KIND_BIT(INSTRUCTION),
		.own_columns = POLY_COLUMNS_INIT(instruction_id),
		.fills = POLY_COLUMNS_INIT(branch, target, instruction_id)},
	.info = {.name = "sbbt",
		.family = "sbbt",
		.title = "SBBT branch trace of MBPlib",
		.extensions = "sbbt",
		.spec = "polytrace-sbbt(5)",
		.can_read = true,
		.can_write = true,
		.columns = POLY_COLUMNS_INIT(
			kind, record, pc, branch, target, instruction_id, raw, origin),
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.options = options,
		.rules = rules},
	.effects = EFFECTS_SEPARATE,
	.reader_size = sizeof(struct sbbt_reader),
	.writer_size = sizeof(struct sbbt_writer),
	.probe = sbbt_probe,
	.open = sbbt_open,
	.read = sbbt_read,
	.find_split = sbbt_find_split,
	.open_decoder = sbbt_open_decoder,
	.complete_rows = sbbt_complete_rows,
	.reads_end = true,
	.check = sbbt_check,
	.wopen = sbbt_wopen,
	.raw_facts = (const char *const[]){"sbbt.layout", NULL},
	.write = sbbt_write,
	.wfinish = sbbt_wfinish,
	.wclose = sbbt_wclose,
};

const struct format *const formats_sbbt[] = {&sbbt, NULL};
