/* SPDX-License-Identifier: MIT */
/*
 * Traces of ChampSim: a record per instruction, of 64 bytes.
 *
 *     record = ip:8 is_branch:1 is_taken:1 dests:2 sources:4 stores:16 loads:32 ;
 *
 * Numbers are little endian; operands that an instruction does not have are 0.
 *
 * spec: polytrace-champsim(5)
 */
#include "format/champsim/champsim.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

/* The rules, by their index in the table. */
enum champsim_rule {
	RULE_TRUNCATED,
	RULE_IP,
	RULE_FLAGS,
	RULE_TAKEN,
	RULE_HOLE,
	RULE_TWICE,
	RULE_KIND,
	RULE_ALWAYS,
	RULE_NEXT,
	RULE_PADDING,
};

/* Distance of successive instructions in bytes. */
#define LENGTH_MAX 15

struct champsim_reader {
	enum champsim_layout layout;
	unsigned operand; /* the next one of the record at the front; 0: its instruction */
	/* The last record whose rules were tested. */
	bool has_last, last_continues;
	uint64_t last_ip;
};

/* A record at the front of the input, and its rows. */
struct decoded_record {
	const uint8_t *bytes;
	uint64_t origin, number; /* of the instruction's row, from 1 */
	struct champsim_record record;
	enum champsim_kind kind;
	bool is_taken;
	const uint64_t *next; /* ip of the next record; NULL: there is none */
};

/* Fails for what is not a trace that is read. */
static enum poly_status
reject(const uint8_t *p, size_t n, const struct champsim_sample *sample,
	struct poly_error *error)
{
	if (sample)
		return err_set(error, POLY_ERR_UNSUPPORTED, 0,
			"ChampSim records of a dialect with operands of graphs are not read "
			"(found %zu bytes per record, expected 64, 72 or 96)",
			champsim_size(sample->layout));
	const uint8_t *end = memchr(p, '\n', n);
	const int shown = (int)(end && end - p < 40 ? end - p : n < 40 ? (ptrdiff_t)n : 40);
	return err_set(error, POLY_ERR_FORMAT, 0,
		"not a ChampSim trace (found text '%.*s', expected records of 64, 72 or 96 "
		"bytes)",
		shown, (const char *)p);
}

/* Finds the layout of the records. */
static enum poly_status
find_layout(struct reading *reading, struct poly_error *error)
{
	struct champsim_reader *reader = reading->state;
	struct champsim_sample sample;
	size_t have;
	reader->layout = (enum champsim_layout)reading->options[CHAMPSIM_OPTION_RECORD];
	if (reader->layout < CHAMPSIM_READ)
		return POLY_OK;
	const uint8_t *p = in_peek(reading->in, (size_t)1000 * CHAMPSIM_SIZE_MAX, &have);
	if (!champsim_detect(p, have, &sample)) {
		/* Too few records, or no program: what most of them are valid in. */
		reader->layout = sample.layout < CHAMPSIM_READ ? sample.layout : CHAMPSIM_64;
		return have >= CHAMPSIM_SIZE && champsim_is_text(p, have)
			       ? reject(p, have, NULL, error)
			       : POLY_OK;
	}
	reader->layout = sample.layout;
	return sample.layout < CHAMPSIM_READ ? POLY_OK : reject(p, have, &sample, error);
}

static enum poly_status
champsim_open(struct reading *reading, struct poly_error *error)
{
	const struct champsim_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	const enum poly_status status = find_layout(reading, error);
	if (status != POLY_OK)
		return status;
	if (!info_fact(reading->info, "champsim.record", champsim_layouts[reader->layout]))
		return err_memory(error);
	view->address_bits = 64;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->byte_order = POLY_BYTE_ORDER_LITTLE;
	view->records = champsim_kind_names;
	view->record_count = CHAMPSIM_KINDS;
	return POLY_OK;
}

/* Returns the kind of a record, by the registers or the flag. */
static enum champsim_kind
kind_of(const struct reading *reading, const struct champsim_record *record)
{
	const enum champsim_kind kind = champsim_kind_of(record);
	const bool by_flag = reading->options[CHAMPSIM_OPTION_BRANCHES] == CHAMPSIM_BY_FLAG;
	if (by_flag && !record->is_branch)
		return CHAMPSIM_INSTRUCTION;
	return kind == CHAMPSIM_INSTRUCTION && record->is_branch ? CHAMPSIM_OTHER : kind;
}

/* Decodes the record at p. */
static struct decoded_record
decode(const struct reading *reading, const uint8_t *p, uint64_t origin)
{
	const struct champsim_reader *reader = reading->state;
	struct decoded_record instruction = {
		.bytes = p, .origin = origin, .record = champsim_load(p, reader->layout)};
	const bool by_flag = reading->options[CHAMPSIM_OPTION_BRANCHES] == CHAMPSIM_BY_FLAG;
	instruction.kind = kind_of(reading, &instruction.record);
	instruction.is_taken = instruction.record.is_taken != 0 ||
			       (!by_flag && champsim_always_taken(instruction.kind));
	return instruction;
}

/* Returns whether a set has an operand twice. */
static bool
repeats_register(const uint8_t *set)
{
	for (size_t i = 1; i < CHAMPSIM_OPERANDS_MAX; i++) {
		if (set[i] && memchr(set, set[i], i))
			return true;
	}
	return false;
}

static bool
repeats_address(const uint64_t *set)
{
	for (size_t i = 1; i < CHAMPSIM_OPERANDS_MAX; i++) {
		for (size_t j = 0; set[i] && j < i; j++) {
			if (set[i] == set[j])
				return true;
		}
	}
	return false;
}

/* Tests the rules that concern the operands. */
static void
check_operands(struct findings *findings, const struct decoded_record *instruction)
{
	const struct champsim_record *record = &instruction->record;
	const uint64_t number = instruction->number, origin = instruction->origin;
	if (champsim_holes(record))
		findings_add(findings, RULE_HOLE, number, origin,
			"an operand follows a 0, expected operands from the left on");
	if (repeats_register(record->dests) || repeats_register(record->sources) ||
		repeats_address(record->stores) || repeats_address(record->loads))
		findings_add(findings, RULE_TWICE, number, origin,
			"an operand occurs twice in its set");
	if (!record->is_padded)
		findings_add(findings, RULE_PADDING, number, origin,
			"padding has bytes other than 0");
}

/* Tests the rules that concern control flow. */
static void
check_flow(struct reading *reading, const struct decoded_record *instruction)
{
	struct champsim_reader *reader = reading->state;
	struct findings *findings = reading->findings;
	const struct champsim_record *record = &instruction->record;
	const uint64_t number = instruction->number, origin = instruction->origin;
	const enum champsim_kind kind = champsim_kind_of(record);
	if (record->is_taken && !record->is_branch && kind == CHAMPSIM_INSTRUCTION)
		findings_add(findings, RULE_TAKEN, number, origin,
			"an instruction that is not a branch is taken");
	if ((kind != CHAMPSIM_INSTRUCTION) != (record->is_branch != 0))
		findings_add(findings, RULE_KIND, number, origin,
			"is_branch is %u, but the registers are those of '%s'",
			record->is_branch, champsim_kind_names[kind]);
	if (champsim_always_taken(kind) && !record->is_taken)
		findings_add(findings, RULE_ALWAYS, number, origin, "'%s' is not taken",
			champsim_kind_names[kind]);
	if (reader->has_last && reader->last_continues &&
		record->ip - reader->last_ip > LENGTH_MAX)
		findings_add(findings, RULE_NEXT, number, origin,
			"ip 0x%llx follows 0x%llx, which is not a taken branch",
			(unsigned long long)record->ip, (unsigned long long)reader->last_ip);
	reader->has_last = true;
	reader->last_ip = record->ip;
	reader->last_continues = !instruction->is_taken;
}

static void
check_instruction(struct reading *reading, const struct decoded_record *instruction)
{
	struct findings *findings = reading->findings;
	const struct champsim_record *record = &instruction->record;
	if (!record->ip)
		findings_add(findings, RULE_IP, instruction->number, instruction->origin,
			"ip 0, at which ChampSim stops");
	if (record->is_branch > 1 || record->is_taken > 1)
		findings_add(findings, RULE_FLAGS, instruction->number, instruction->origin,
			"is_branch is %u and is_taken is %u, expected 0 or 1",
			record->is_branch, record->is_taken);
	check_operands(findings, instruction);
	check_flow(reading, instruction);
}

/* Sets the columns of an instruction. */
static void
put_instruction(struct reading *reading, struct batch *batch, size_t row,
	const struct decoded_record *instruction)
{
	const struct champsim_reader *reader = reading->state;
	const struct champsim_record *record = &instruction->record;
	const size_t size = champsim_size(reader->layout);
	uint8_t payload[CHAMPSIM_PAYLOAD_MAX];
	batch_put(batch, kind, row, POLY_KIND_INSTRUCTION);
	batch_put(batch, record, row, (uint8_t)instruction->kind);
	if (instruction->kind != CHAMPSIM_INSTRUCTION) {
		batch_put(batch, branch, row,
			instruction->is_taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
		if (instruction->is_taken && instruction->next)
			batch_put(batch, target, row, *instruction->next);
	}
	if (record->sources[0])
		batch_put(batch, src1, row, record->sources[0]);
	if (record->sources[1])
		batch_put(batch, src2, row, record->sources[1]);
	if (record->dests[0])
		batch_put(batch, dest, row, record->dests[0]);
	champsim_get_payload(instruction->bytes, reader->layout, payload);
	batch_put_bytes(batch, POLY_COLUMN_payload, row, payload,
		champsim_payload_size(reader->layout));
	/* Other operands are written from the left on. */
	if (champsim_holes(record) & CHAMPSIM_ADDRESS_HOLE)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, instruction->bytes, size);
}

/* Returns the address of the n-th operand from 1, loads first; 0: it has none. */
static uint64_t
operand_at(const struct champsim_record *record, unsigned n)
{
	return n <= CHAMPSIM_OPERANDS_MAX ? record->loads[n - 1]
					  : record->stores[n - 1 - CHAMPSIM_OPERANDS_MAX];
}

/* Sets the columns of the n-th operand from 1. */
static void
put_operand(
	struct batch *batch, size_t row, const struct decoded_record *instruction, unsigned n)
{
	const bool is_load = n <= CHAMPSIM_OPERANDS_MAX;
	batch_put(batch, kind, row, POLY_KIND_ACCESS);
	batch_put(batch, record, row, is_load ? CHAMPSIM_LOAD : CHAMPSIM_STORE);
	batch_put(batch, access, row, is_load ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
	batch_put(batch, address, row, operand_at(&instruction->record, n));
}

/* Fills rows of a record as far as there is room; returns whether the record is complete. */
static bool
put_rows(struct reading *reading, struct batch *batch, struct decoded_record *instruction)
{
	struct champsim_reader *reader = reading->state;
	for (; reader->operand <= 2 * CHAMPSIM_OPERANDS_MAX; reader->operand++) {
		const size_t row = batch->view.rows;
		if (reader->operand && !operand_at(&instruction->record, reader->operand))
			continue;
		if (row == batch->capacity)
			return false;
		instruction->number = reading->record + row + 1;
		if (!reader->operand) {
			put_instruction(reading, batch, row, instruction);
			if (reading->check)
				check_instruction(reading, instruction);
		} else {
			put_operand(batch, row, instruction, reader->operand);
		}
		batch_put(batch, pc, row, instruction->record.ip);
		batch_put(batch, origin, row, instruction->origin);
		if (reader->layout == CHAMPSIM_CLOUDSUITE)
			batch_put(batch, process, row, instruction->record.process);
		batch->view.rows++;
	}
	reader->operand = 0;
	return true;
}

/* Delivers an incomplete last record. */
static enum poly_status
read_tail(struct reading *reading, struct batch *batch, const uint8_t *p, size_t n)
{
	const struct champsim_reader *reader = reading->state;
	const uint64_t offset = in_offset(reading->in);
	if (!n)
		return POLY_END;
	if (in_ended(reading->in))
		findings_add_truncation(reading->findings, RULE_TRUNCATED, reading->record + 1,
			offset, "the last record has %zu bytes, expected %zu", n,
			champsim_size(reader->layout));
	batch_put(batch, kind, 0, POLY_KIND_OTHER);
	batch_put(batch, record, 0, CHAMPSIM_CORRUPT);
	batch_put(batch, origin, 0, offset);
	batch_put_bytes(batch, POLY_COLUMN_raw, 0, p, n);
	batch->view.rows = 1;
	in_consume(reading->in, n);
	return POLY_OK;
}

static enum poly_status
champsim_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct champsim_reader *reader = reading->state;
	const size_t size = champsim_size(reader->layout);
	const uint64_t offset = in_offset(reading->in);
	size_t have, at = 0;
	(void)error;
	const uint8_t *p = in_peek(reading->in, 2 * size, &have);
	const size_t n = have / size;
	if (!n)
		return read_tail(reading, batch, p, have);
	/* The last record is read with its successor, unless there is none. */
	while (at < n && (!at || at + 1 < n)) {
		uint64_t next = 0;
		struct decoded_record instruction =
			decode(reading, p + at * size, offset + at * size);
		if (at + 1 < n) {
			next = load_le64(p + (at + 1) * size);
			instruction.next = &next;
		}
		if (!put_rows(reading, batch, &instruction))
			break;
		at++;
	}
	in_consume(reading->in, at * size);
	return POLY_OK;
}

/*
 * Between records of which the first one is not a taken branch, whose target is the ip of the
 * other. The first one is among the bytes, for champsim_enter_split.
 */
static size_t
champsim_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	const struct champsim_reader *reader = reading->state;
	const size_t size = champsim_size(reader->layout);
	size_t split = records_find_split(size, offset, n);
	for (; split >= size; split -= size) {
		const struct decoded_record last = decode(reading, p + split - size, 0);
		if (last.kind == CHAMPSIM_INSTRUCTION || !last.is_taken)
			return split;
	}
	return 0;
}

static void
champsim_enter_split(struct reading *reading, const uint8_t *before, size_t n)
{
	struct champsim_reader *reader = reading->state;
	const size_t size = champsim_size(reader->layout);
	const struct decoded_record last = decode(reading, before + n - size, 0);
	reader->operand = 0;
	reader->has_last = true;
	reader->last_ip = last.record.ip;
	reader->last_continues = !last.is_taken;
}

static const char *const branch_words[] = {"registers", "flag", NULL};

static const struct poly_option options[] = {
	[CHAMPSIM_OPTION_RECORD] = {"champsim.record", POLY_OPTION_CHOICE,
		POLY_OPTION_READ | POLY_OPTION_WRITE, .initial = CHAMPSIM_READ,
		.choices = champsim_layouts,
		.help = "layout of the records (default auto: the one whose flags and operands "
			"fit; when writing, that of the source, or 64)",
		.source = "polytrace-champsim(5)"},
	[CHAMPSIM_OPTION_BRANCHES] = {"champsim.branches", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		.choices = branch_words,
		.help = "find branches by their registers, as ChampSim does, or by the byte "
			"is_branch (default registers)",
		.source = "polytrace-champsim(5)"},
	{.name = NULL},
};

/* clang-format off */
static const struct poly_rule rules[] = {
	[RULE_TRUNCATED] = {"CHS1", POLY_ERROR, "the last record is complete", "polytrace-champsim(5)"},
	[RULE_IP] = {"CHS2", POLY_ERROR, "the ip is not 0", "polytrace-champsim(5)"},
	[RULE_FLAGS] = {"CHS3", POLY_WARNING, "is_branch and is_taken are 0 or 1", "polytrace-champsim(5)"},
	[RULE_TAKEN] = {"CHS4", POLY_WARNING, "only branches are taken", "polytrace-champsim(5)"},
	[RULE_HOLE] = {"CHS5", POLY_WARNING, "operands are filled from the left", "polytrace-champsim(5)"},
	[RULE_TWICE] = {"CHS6", POLY_WARNING, "an operand occurs once in its set", "polytrace-champsim(5)"},
	[RULE_KIND] = {"CHS7", POLY_NOTE, "is_branch agrees with the registers", "polytrace-champsim(5)"},
	[RULE_ALWAYS] = {"CHS8", POLY_NOTE, "unconditional branches are taken", "polytrace-champsim(5)"},
	[RULE_NEXT] = {"CHS9", POLY_NOTE, "an instruction that is not a taken branch is followed within 15 bytes, or by itself", "polytrace-champsim(5)"},
	[RULE_PADDING] = {"CHS10", POLY_NOTE, "padding is 0", "polytrace-champsim(5)"},
	{.code = NULL},
};
/* clang-format on */

static const struct format champsim = {
	.content = {.users = "ChampSim",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS),
		.own_columns = POLY_COLUMNS_INIT(target, src1, src2, dest, payload),
		.fills = POLY_COLUMNS_INIT(branch, target, src1, src2, dest, payload)},
	.info = {.name = "champsim",
		.family = "champsim",
		.title = "ChampSim instruction trace",
		.extensions = "champsim champsimtrace champsim.trace",
		.spec = "polytrace-champsim(5)",
		.can_read = true,
		.can_write = true,
		.columns = POLY_COLUMNS_INIT(kind, record, process, pc, branch, target, access,
			address, src1, src2, dest, payload, raw, origin),
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.options = options,
		.rules = rules},
	.effects = EFFECTS_SEPARATE,
	.reader_size = sizeof(struct champsim_reader),
	.writer_size = sizeof(struct champsim_writer),
	.probe = champsim_probe,
	.open = champsim_open,
	.read = champsim_read,
	.find_split = champsim_find_split,
	.enter_split = champsim_enter_split,
	.split_context = CHAMPSIM_SIZE_MAX,
	.wopen = champsim_wopen,
	.raw_facts = (const char *const[]){"champsim.record", NULL},
	.one_dialect = true,
	.write = champsim_write,
	.wfinish = champsim_wfinish,
	.wclose = champsim_wclose,
};

const struct format *const formats_champsim[] = {&champsim, NULL};
