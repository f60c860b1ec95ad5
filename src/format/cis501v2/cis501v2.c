/* SPDX-License-Identifier: MIT */
/*
 * The second format of the course CIS 501, of 2016: ARM (Thumb-2) instructions, thirteen fields
 * separated by tabs.
 *
 * spec: traces of Penn CIS 501, fall 2016
 */
#include "format/cis501v2/line.h"

#include <stdio.h>

/* Limits of the sample that the probe classifies. */
#define SAMPLE_LINES 64
#define SAMPLE_BYTES 8192

static const char *const record_names[RECORD_COUNT] = {
	"instruction",
	"conditional_direct",
	"conditional_indirect",
	"unconditional_direct",
	"unconditional_indirect",
	"blank",
	"corrupt",
};

/* State of the check between rows. */
struct v2_check {
	bool is_known; /* in decoders: it does not depend on rows before the chunk */
	bool has_last;
	uint64_t next_pc; /* address of the next instruction */
};

struct v2_reader {
	struct lines lines;
	struct v2_check check;
};

/* Counts of the lines at the front of an input, by their class. */
struct v2_sample {
	size_t good, bad, lines;
};

static int
v2_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct v2_sample sample = {0};
	struct line_fault fault;
	struct cis501v2 op;
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	for (size_t size; sample.lines < SAMPLE_LINES; p += size, n -= size, sample.lines++) {
		size = line_size(p, n, CIS501V2_LINE_MAX);
		if (size == 0)
			break;
		enum v2_record is = cis501v2_parse((const char *)p, size, &op, &fault);
		sample.good += is < BLANK;
		sample.bad += is == CORRUPT;
	}
	note->near = sample.good > 0;
	note->consistent = note->distinct = note->near && !sample.bad;
	if (sample.good)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are thirteen fields of an instruction",
			sample.good, sample.lines);
	if (sample.good < 3 || 4 * sample.bad > sample.good)
		return 0;
	return sample.bad ? 20 : 24;
}

static bool
is_conditional(unsigned type)
{
	return type == CONDITIONAL_DIRECT || type == CONDITIONAL_INDIRECT;
}

static void
store_registers(struct batch *batch, size_t row, const struct cis501v2 *op)
{
	if (op->dest != NO_REGISTER)
		batch_put(batch, dest, row, (uint8_t)op->dest);
	if (op->src1 != NO_REGISTER)
		batch_put(batch, src1, row, (uint8_t)op->src1);
	if (op->src2 != NO_REGISTER)
		batch_put(batch, src2, row, (uint8_t)op->src2);
}

static void
store_op(struct batch *batch, size_t row, const struct cis501v2 *op)
{
	batch_put(batch, pc, row, op->pc);
	batch_put(batch, opcode_size, row, (uint8_t)op->opcode_size);
	batch_put(batch, flags, row, (uint8_t)op->flags);
	if (op->direction != '_')
		batch_put(batch, branch, row,
			op->direction == 'T' ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
	if (op->target)
		batch_put(batch, target, row, op->target);
	if (is_conditional(op->type))
		batch_put(batch, fallthrough, row, op->pc + op->opcode_size);
	if (op->access != '_') {
		batch_put(batch, access, row,
			op->access == 'L' ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
		batch_put(batch, address, row, op->address);
		batch_put(batch, size, row, op->size);
	}
	store_registers(batch, row, op);
	batch_put_bytes(batch, POLY_COLUMN_text, row, op->text, op->length);
}

/* Width of an address that the writer writes. */
#define ADDRESS_DIGITS 8

/* The address of an access is the variable field of the line. */
static void
set_template(const struct cis501v2 *op, struct line_shape *shape)
{
	shape->place = true;
	shape->repeats = op->access == '_' || op->address_length == ADDRESS_DIGITS;
	if (op->access != '_')
		shape_window(shape, (const uint8_t *)op->address_text, op->address_length,
			WINDOW_ZEROS, POLY_COLUMN_address);
	shape->text = (const uint8_t *)op->text;
	shape->text_length = op->length;
}

static bool
v2_parse_line(struct reading *reading, struct batch *batch, size_t row, const struct line *line,
	struct line_fault *fault)
{
	const char *text = (const char *)line->text;
	struct cis501v2 op;
	enum v2_record is = cis501v2_parse(text, line->size, &op, fault);
	if (is == CORRUPT)
		return false;
	batch_put(batch, kind, row, is == BLANK ? POLY_KIND_OTHER : POLY_KIND_INSTRUCTION);
	batch_put(batch, record, row, (uint8_t)is);
	batch_put(batch, origin, row, line->offset);
	if (is != BLANK)
		store_op(batch, row, &op);
	if (is != BLANK && line->shape)
		set_template(&op, line->shape);
	if (is == BLANK || !cis501v2_is_exact(text, line->size, &op))
		batch_put_bytes(batch, POLY_COLUMN_raw, row, text, line->size);
	line_check_end(reading, row, line, V04);
	return true;
}

static const struct line_format line_format = {
	.limit = CIS501V2_LINE_MAX,
	.corrupt_kind = CORRUPT,
	.too_long = V01,
	.predict = {.windows = POLY_COLUMNS_INIT(address)},
	.parse_line = v2_parse_line,
};

static enum poly_status
v2_open(struct reading *reading, struct poly_error *error)
{
	(void)error;
	struct v2_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	lines_open(reading, &reader->lines, &line_format);
	view->isa = "arm";
	view->address_bits = 32;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->records = record_names;
	view->record_count = RECORD_COUNT;
	return POLY_OK;
}

static uint32_t
number_of(const struct poly_batch *batch, enum poly_column column, size_t row, uint32_t absent)
{
	return poly_present(batch, column, row)
		       ? (uint32_t)poly_batch_integer(batch, column, row)
		       : absent;
}

/* Returns the branch type that a row's record names, or that its columns imply. */
static unsigned
type_of(const struct poly_batch *batch, size_t row)
{
	unsigned record = number_of(batch, POLY_COLUMN_record, row, UINT32_MAX);
	for (unsigned i = 0; record < batch->info->record_count && i < BLANK; i++) {
		if (strcmp(batch->info->records[record], record_names[i]) == 0)
			return i;
	}
	if (!poly_present(batch, POLY_COLUMN_branch, row))
		return INSTRUCTION;
	return poly_present(batch, POLY_COLUMN_fallthrough, row) ? CONDITIONAL_DIRECT
								 : UNCONDITIONAL_DIRECT;
}

static void
set_access(const struct poly_batch *batch, size_t row, struct cis501v2 *op)
{
	unsigned access = number_of(batch, POLY_COLUMN_access, row, POLY_ACCESS_COUNT);
	op->access = access == POLY_ACCESS_READ ? 'L' : access == POLY_ACCESS_WRITE ? 'S' : '_';
	if (op->access == '_')
		return;
	op->address = number_of(batch, POLY_COLUMN_address, row, 0);
	op->size = number_of(batch, POLY_COLUMN_size, row, 0);
}

/*
 * Builds the instruction from the columns. Returns NULL, or the name of a missing or unsuitable
 * column.
 */
static const char *
op_of_columns(const struct poly_batch *batch, size_t row, struct cis501v2 *op)
{
	*op = (struct cis501v2){.type = type_of(batch, row), .direction = '_'};
	if (!poly_present(batch, POLY_COLUMN_pc, row) || batch->pc[row] > UINT32_MAX)
		return "pc";
	if (!poly_present(batch, POLY_COLUMN_opcode_size, row))
		return "opcode_size";
	if (!poly_present(batch, POLY_COLUMN_text, row))
		return "text";
	op->text = (const char *)poly_batch_bytes(batch, POLY_COLUMN_text, row, &op->length);
	if (!cis501v2_is_text(op->text, op->length))
		return "text";
	op->pc = (uint32_t)batch->pc[row];
	op->opcode_size = batch->opcode_size[row];
	if (poly_present(batch, POLY_COLUMN_branch, row))
		op->direction = batch->branch[row] == POLY_BRANCH_TAKEN ? 'T' : 'N';
	op->target = number_of(batch, POLY_COLUMN_target, row, 0);
	op->flags = number_of(batch, POLY_COLUMN_flags, row, 0) & 3;
	set_access(batch, row, op);
	op->dest = number_of(batch, POLY_COLUMN_dest, row, NO_REGISTER);
	op->src1 = number_of(batch, POLY_COLUMN_src1, row, NO_REGISTER);
	op->src2 = number_of(batch, POLY_COLUMN_src2, row, NO_REGISTER);
	return op->dest > NO_REGISTER	? "dest"
	       : op->src1 > NO_REGISTER ? "src1"
	       : op->src2 > NO_REGISTER ? "src2"
					: NULL;
}

/* Builds the instruction of a row, from its own bytes if it stores them. */
static bool
op_of_row(const struct poly_batch *batch, size_t row, struct cis501v2 *op)
{
	struct line_fault fault;
	size_t n;
	if (batch->record[row] >= BLANK)
		return false;
	if (!poly_present(batch, POLY_COLUMN_raw, row))
		return !op_of_columns(batch, row, op);
	const char *raw = (const char *)poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	return cis501v2_parse(raw, n, op, &fault) < BLANK;
}

static void
check_op(struct reading *reading, const struct poly_batch *batch, size_t row,
	const struct cis501v2 *op)
{
	struct v2_reader *reader = reading->state;
	const uint64_t record = batch->first + row + 1, offset = batch->origin[row];
	if (reader->check.has_last && reader->check.next_pc != op->pc)
		findings_add(reading->findings, V02, record, offset,
			"the pc is 0x%08x, expected 0x%08llx after the previous instruction",
			op->pc, (unsigned long long)reader->check.next_pc);
	if (op->opcode_size != 2 && op->opcode_size != 4)
		findings_add(reading->findings, V02, record, offset,
			"the size is %u bytes, expected 2 or 4", op->opcode_size);
	if (op->access == '_' && (op->address || op->size))
		findings_add(reading->findings, V02, record, offset,
			"address 0x%08x and size %u without L or S, expected 0 and 0",
			op->address, op->size);
	bool branch = op->type != INSTRUCTION;
	if (branch != (op->direction != '_') ||
		(branch && !is_conditional(op->type) && op->direction != 'T'))
		findings_add(reading->findings, V02, record, offset,
			"the branch type is '%s' and the direction '%c'",
			cis501v2_type(op->type), op->direction);
}

static void
check_row(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct v2_reader *reader = reading->state;
	struct v2_check *check = &reader->check;
	struct cis501v2 op;
	if (batch->record[row] == BLANK)
		findings_add(reading->findings, V03, batch->first + row + 1, batch->origin[row],
			"a blank line");
	if (!op_of_row(batch, row, &op)) {
		check->has_last &= batch->record[row] == BLANK;
		return;
	}
	check_op(reading, batch, row, &op);
	check->is_known = check->has_last = true;
	check->next_pc = op.direction == 'T' ? op.target : (uint32_t)(op.pc + op.opcode_size);
}

static void
v2_check(struct reading *reading, const struct poly_batch *batch)
{
	const struct v2_reader *reader = reading->state;
	size_t row = 0;
	if (reading->deferred) {
		/* What follows an instruction does not depend on rows before it. */
		while (!reader->check.is_known && row < batch->rows)
			check_row(reading, batch, row++);
		check_defer_prefix(reading, row);
	}
	for (; batch && row < batch->rows; row++)
		check_row(reading, batch, row);
}

static void
check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct v2_reader *reader = reading->state;
	(void)batch, (void)first;
	memcpy(&reader->check, state, sizeof reader->check);
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct cis501v2 op;
	if (writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		out_write(writing->out, raw, n);
		return POLY_OK;
	}
	if (number_of(batch, POLY_COLUMN_kind, row, POLY_KIND_OTHER) != POLY_KIND_INSTRUCTION) {
		writing_note(writing, "records that are not instructions were dropped");
		return POLY_OK;
	}
	const char *lacking = op_of_columns(batch, row, &op);
	if (lacking)
		return writing_lacks(batch, row, lacking, error);
	if (op.access == '_' && poly_present(batch, POLY_COLUMN_address, row))
		writing_note(
			writing, "addresses that are neither read nor written were dropped");
	char *dst = (char *)out_room(writing->out, CIS501V2_PRINT_ROOM + op.length);
	out_commit(writing->out, cis501v2_print(dst, &op));
	return POLY_OK;
}

static enum poly_status
v2_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

static const struct poly_option options[] = {{.name = NULL}};

/* clang-format off */
static const struct poly_rule rules[RULE_COUNT + 1] = {
	{"V01", POLY_ERROR, "a line has 13 fields separated by tabs, each in its range, and at most 4096 bytes", "traces of Penn CIS 501, fall 2016"},
	{"V02", POLY_WARNING, "the pc is the successor of the previous instruction, the size is 2 or 4 bytes, only L and S access memory, and unconditional branches are taken", "traces of Penn CIS 501, fall 2016"},
	{"V03", POLY_NOTE, "no line is blank", "traces of Penn CIS 501, fall 2016"},
	{"V04", POLY_NOTE, "the last line ends in a newline; the format cannot show whether the last instruction is complete", "traces of Penn CIS 501, fall 2016"},
	{NULL, POLY_NOTE, NULL, NULL},
};
/* clang-format on */

static const struct format cis501v2 = {
	.content = {.users = "Penn CIS 501",
		.kinds = POLY_KIND_BIT(INSTRUCTION),
		.fills = POLY_COLUMNS_INIT(flags)},
	.info =
		{
			.name = "cis501v2",
			.family = "cis501v2",
			.title = "Penn CIS 501 trace of ARM instructions",
			.extensions = "cis501v2",
			.spec = "traces of Penn CIS 501, fall 2016",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, record, pc, opcode_size, branch,
				target, fallthrough, access, address, size, flags, dest, src1,
				src2, text, raw, origin),
			.needs = POLY_COLUMNS_INIT(pc, opcode_size, text),
			.needs_isa = "arm",
			.options = options,
			.rules = rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct v2_reader),
	.writer_size = 1,
	.rows_independent = true,
	.probe = v2_probe,
	.open = v2_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = lines_find_split,
	.check = v2_check,
	.checks_chunks = true,
	.check_offset = offsetof(struct v2_reader, check),
	.check_size = sizeof(struct v2_check),
	.check_adopt = check_adopt,
	.close = lines_close,
	.write = v2_write,
};

const struct format *const formats_cis501v2[] = {&cis501v2, NULL};
