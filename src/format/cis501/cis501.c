/* SPDX-License-Identifier: MIT */
/*
 * The instruction traces of the University of Pennsylvania's course CIS 501: a line of fourteen
 * fields for every micro-operation.
 *
 * spec: Instruction Trace Format (Penn CIS 501); published traces of Penn CIS 501
 */
#include "format/cis501/cis501.h"

#include "base/bits.h"
#include "base/num.h"

#include <stdio.h>

enum { OPTION_LAYOUT, OPTION_LINES, OPTION_BRANCH };

/* Values of the options that readers have. */
enum { LINES_ONE, LINES_FREE };
enum { BRANCH_LETTER, BRANCH_TARGET };

/* Limits of the sample that the probe and the reader classify. */
#define SAMPLE_LINES 64
#define SAMPLE_BYTES 8192

/* Slots of the cache of short names, before the table of all names. */
#define NAME_SLOTS 256
#define NAME_SLOT_BYTES 24

/* A cached short name: its bytes, padded with 0, and its number. */
struct known {
	uint64_t bytes[NAME_SLOT_BYTES / 8];
	uint32_t number;
	bool valid;
};

struct cis501_reader {
	struct lines lines;
	struct cis501_free free; /* used instead of lines with cis501.lines=free */
	enum cis501_layout layout;
	struct known known[NAME_SLOTS];
	struct cis501_check check;
};

struct cis501_writer {
	enum cis501_layout layout;
	bool copies_raw; /* rows' own bytes are copied */
};

static const char *const record_names[CIS501_RECORD_COUNT] = {
	[CIS501_MICRO_OP] = "micro_op",
	[CIS501_BLANK] = "blank",
	[CIS501_HEADER] = "header",
	[CIS501_CORRUPT] = "corrupt",
};

/* Names of the layouts in their order; "auto" is the layout of the source. */
static const char *const layouts[] = {"columns", "blanks", "auto", NULL};

static const char *const line_words[] = {"one", "free", NULL};
static const char *const branch_words[] = {"letter", "target", NULL};

/* Counts of the lines at the front of an input, by their class. */
struct cis501_sample {
	size_t records, others, bad;
	size_t exact[CIS501_LAYOUTS]; /* records that are byte for byte in a layout */
};

static void
classify_lines(struct cis501_sample *sample, const uint8_t *p, size_t n)
{
	struct cis501 op;
	struct line_fault fault;
	memset(sample, 0, sizeof *sample);
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	for (size_t i = 0, size; i < SAMPLE_LINES; i++, p += size, n -= size) {
		size = line_size(p, n, CIS501_LINE_MAX);
		if (size == 0)
			return;
		enum cis501_record is = cis501_parse(p, &op, &fault);
		sample->records += is == CIS501_MICRO_OP;
		sample->bad += is == CIS501_CORRUPT;
		sample->others += is != CIS501_MICRO_OP;
		for (unsigned j = 0; is == CIS501_MICRO_OP && j < CIS501_LAYOUTS; j++)
			sample->exact[j] += cis501_is_exact(op.style, (enum cis501_layout)j);
	}
}

static int
cis501_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct cis501_sample sample;
	classify_lines(&sample, p, n);
	note->near = sample.records > 0;
	note->consistent = (sample.records || sample.others) && !sample.bad;
	note->distinct = note->near && note->consistent;
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are fourteen fields of a micro-operation",
			sample.records, sample.records + sample.others);
	if (sample.records < 3 || 4 * sample.bad > sample.records)
		return 0;
	return sample.bad ? 20 : 24;
}

/* The n-th eight bytes of a name, 0 past its end. Reads up to 8 bytes past the end. */
static inline uint64_t
name_bytes(const struct cis501_word *word, size_t n)
{
	if (word->length <= 8 * n)
		return 0;
	size_t left = word->length - 8 * n;
	uint64_t bytes = load_le64((const uint8_t *)word->text + 8 * n);
	return left >= 8 ? bytes : bytes & (((uint64_t)1 << (8 * left)) - 1);
}

/*
 * Finds the number of a name; false if it cannot be stored: the row then stores the line's
 * bytes.
 */
static inline bool
find_name(struct reading *reading, const struct cis501_word *word, uint32_t *number)
{
	struct cis501_reader *reader = reading->state;
	if (word->length > NAME_SLOT_BYTES)
		return info_keep_name(reading->info, word->text, word->length, number);
	const uint64_t a = name_bytes(word, 0), b = name_bytes(word, 1),
		       c = name_bytes(word, 2);
	uint64_t hash = (a ^ (b << 7 | b >> 57) ^ (c << 14 | c >> 50)) * 0x9e3779b97f4a7c15;
	struct known *known = &reader->known[hash >> 56];
	if (known->valid && known->bytes[0] == a && known->bytes[1] == b &&
		known->bytes[2] == c) {
		*number = known->number;
		return true;
	}
	if (!info_keep_name(reading->info, word->text, word->length, number))
		return false;
	*known = (struct known){{a, b, c}, *number, true};
	return true;
}

/* The register columns hold 0 to 255. */
static inline bool
is_register(int32_t number)
{
	return number >= -1 && number <= UINT8_MAX;
}

static inline void
store_registers(struct batch *batch, size_t row, const struct cis501 *op)
{
	if (op->src1 >= 0 && op->src1 <= UINT8_MAX)
		batch_put(batch, src1, row, (uint8_t)op->src1);
	if (op->src2 >= 0 && op->src2 <= UINT8_MAX)
		batch_put(batch, src2, row, (uint8_t)op->src2);
	if (op->dest >= 0 && op->dest <= UINT8_MAX)
		batch_put(batch, dest, row, (uint8_t)op->dest);
}

/* A branch without a letter is taken if it does not read the flags. */
static inline void
store_branch(struct batch *batch, size_t row, const struct cis501 *op, bool by_target)
{
	bool taken = op->branch == 'T' || (op->branch == '-' && op->flags != 'R');
	if (by_target ? op->target != 0 : op->branch != '-')
		batch_put(
			batch, branch, row, taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
}

static inline void
store_fields(struct batch *batch, size_t row, const struct cis501 *op)
{
	batch_put(batch, pc, row, op->pc);
	if (op->uop <= UINT8_MAX)
		batch_put(batch, uop_index, row, (uint8_t)op->uop);
	store_registers(batch, row, op);
	batch_put(batch, flags, row,
		op->flags == '-' ? POLY_FLAGS_NONE
				 : (op->flags == 'R' ? POLY_FLAGS_READ : POLY_FLAGS_WRITE));
	if (op->access != '-') {
		batch_put(batch, access, row,
			op->access == 'L' ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
		batch_put(batch, address, row, op->address);
	}
	batch_put(batch, immediate, row, op->immediate);
	batch_put(batch, fallthrough, row, op->fallthrough);
	if (op->target)
		batch_put(batch, target, row, op->target);
}

/* The address of an access is the variable field of the line. */
static void
set_template(const struct cis501_reader *reader, const struct cis501 *op, bool exact,
	struct line_shape *shape)
{
	const struct cis501_word *field = &op->address_field;
	bool padded = exact && reader->layout == CIS501_COLUMNS && field->length == 12;
	shape->repeats = shape->place = true;
	if (op->access != '-')
		shape_window(shape, (const uint8_t *)field->text, field->length,
			padded ? WINDOW_BLANKS : 0, POLY_COLUMN_address);
}

/* True if the writer reproduces the bytes of a micro-operation from its fields. */
static inline bool
is_exact(const struct cis501_reader *reader, const struct cis501_parsed *parsed, bool by_target)
{
	const struct cis501 *op = &parsed->op;
	return cis501_is_exact(op->style, reader->layout) && parsed->line->ended &&
	       !parsed->split && op->uop <= UINT8_MAX && is_register(op->src1) &&
	       is_register(op->src2) && is_register(op->dest) &&
	       (op->access != '-' || op->address == 0) &&
	       (!by_target || (op->branch != '-') == (op->target != 0));
}

void
cis501_put_row(struct reading *reading, struct batch *batch, size_t row,
	const struct cis501_parsed *parsed)
{
	const struct cis501_reader *reader = reading->state;
	const struct line *line = parsed->line;
	bool exact = parsed->is == CIS501_MICRO_OP;
	batch_put(batch, kind, row, exact ? POLY_KIND_INSTRUCTION : POLY_KIND_OTHER);
	batch_put(batch, record, row, (uint8_t)parsed->is);
	batch_put(batch, origin, row, line->offset);
	if (exact) {
		bool by_target = reading->options[OPTION_BRANCH] == BRANCH_TARGET;
		uint32_t number;
		store_fields(batch, row, &parsed->op);
		store_branch(batch, row, &parsed->op, by_target);
		exact = is_exact(reader, parsed, by_target);
		if (line->shape)
			set_template(reader, &parsed->op, exact, line->shape);
		if (find_name(reading, &parsed->op.macro, &number))
			batch_put(batch, mnemonic, row, number);
		else
			exact = false;
		if (find_name(reading, &parsed->op.micro, &number))
			batch_put(batch, uop_name, row, number);
		else
			exact = false;
	}
	if (!exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
}

static bool
cis501_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *line, struct line_fault *fault)
{
	struct cis501_parsed parsed;
	parsed.line = line;
	parsed.split = false;
	parsed.is = cis501_parse(line->text, &parsed.op, fault);
	if (parsed.is == CIS501_CORRUPT)
		return false;
	cis501_put_row(reading, batch, row, &parsed);
	return true;
}

static const struct line_format line_format = {
	.limit = CIS501_LINE_MAX,
	.corrupt_kind = CIS501_CORRUPT,
	.too_long = CIS501_C02,
	.predict = {.windows = POLY_COLUMNS_INIT(address), .typical_size = 104},
	.parse_line = cis501_parse_line,
};

static enum poly_status
cis501_open(struct reading *reading, struct poly_error *error)
{
	struct cis501_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	struct cis501_sample sample;
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	classify_lines(&sample, p, have);
	if (sample.exact[CIS501_BLANKS] > sample.exact[CIS501_COLUMNS])
		reader->layout = CIS501_BLANKS;
	const bool free = reading->options[OPTION_LINES] == LINES_FREE;
	if (!info_fact(reading->info, "cis501.layout", layouts[reader->layout]) ||
		(free && !info_fact(reading->info, "cis501.lines", "free")))
		return err_memory(error);
	lines_open(reading, &reader->lines, &line_format);
	view->isa = "x86-64";
	view->address_bits = 64;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->records = record_names;
	view->record_count = CIS501_RECORD_COUNT;
	reading->unsplittable = free;
	return POLY_OK;
}

static enum poly_status
cis501_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct cis501_reader *reader = reading->state;
	bool free = reading->options[OPTION_LINES] == LINES_FREE;
	enum poly_status status = free ? cis501_free_read(reading, &reader->free, batch, error)
				       : lines_read(reading, batch, error);
	return reading->info->no_memory ? err_memory(error) : status;
}

static enum poly_status
cis501_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct cis501_reader *reader = reading->state;
	if (reading->options[OPTION_LINES] == LINES_FREE)
		return cis501_free_resync(reading, &reader->free, batch);
	return lines_resync(reading, batch, error);
}

static void
cis501_check_batch(struct reading *reading, const struct poly_batch *batch)
{
	struct cis501_reader *reader = reading->state;
	cis501_check(reading, &reader->check, batch);
}

static void
check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct cis501_reader *reader = reading->state;
	cis501_check_deferred(reading, &reader->check, batch, prefix, row);
}

static void
check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	(void)batch, (void)first;
	struct cis501_reader *reader = reading->state;
	cis501_check_adopt(&reader->check, state);
}

static enum poly_status
cis501_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct cis501_writer *writer = writing->state;
	const char *fact = poly_trace_fact(writing->source, "cis501.layout");
	bool blanks = fact && strcmp(fact, layouts[CIS501_BLANKS]) == 0;
	writer->layout = blanks ? CIS501_BLANKS : CIS501_COLUMNS;
	writer->copies_raw = true;
	enum cis501_layout wanted = (enum cis501_layout)writing->options[OPTION_LAYOUT];
	if (wanted != CIS501_LAYOUTS) {
		writer->copies_raw = wanted == writer->layout;
		writer->layout = wanted;
	}
	return POLY_OK;
}

static void
print_op(struct writing *writing, const struct cis501 *op)
{
	const struct cis501_writer *writer = writing->state;
	size_t room = CIS501_PRINT_ROOM + op->macro.length + op->micro.length;
	char *dst = (char *)out_room(writing->out, room);
	const struct cis501_printed line = cis501_print(dst, op, writer->layout);
	if (writer->layout == CIS501_COLUMNS)
		writing_patch_field(writing, POLY_COLUMN_address, WRITING_HEX_PADDED,
			line.text + line.address_at, CIS501_ADDRESS_DIGITS);
	out_commit(writing->out, line.size);
}

/* Writes a row that has its own bytes: the bytes, or their fields in the requested layout. */
static void
write_raw(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct cis501_writer *writer = writing->state;
	uint8_t line[CIS501_LINE_MAX + 1];
	struct cis501 op;
	size_t n;
	if (!writer->copies_raw && cis501_of_raw(batch, row, line, &op)) {
		print_op(writing, &op);
		return;
	}
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	out_write(writing->out, raw, n);
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct cis501 op;
	if (writing->own_raw && poly_present(batch, POLY_COLUMN_raw, row)) {
		write_raw(writing, batch, row);
		return POLY_OK;
	}
	if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION) {
		writing_note(writing, "records that are not micro-operations were dropped");
		return POLY_OK;
	}
	const char *lacking = cis501_of_row(batch, row, &op);
	if (lacking)
		return writing_lacks(batch, row, lacking, error);
	if (poly_present(batch, POLY_COLUMN_flags, row) && batch->flags[row] == POLY_FLAGS_BOTH)
		writing_note(writing, "the flag reads of micro-operations that also write the "
				      "flags were dropped");
	if (op.access == '-' && poly_present(batch, POLY_COLUMN_address, row))
		writing_note(
			writing, "addresses that are neither read nor written were dropped");
	print_op(writing, &op);
	return POLY_OK;
}

static const struct poly_option options[] = {
	{"cis501.layout", POLY_OPTION_CHOICE, POLY_OPTION_WRITE, .initial = CIS501_LAYOUTS,
		.choices = layouts,
		.help = "align fields in columns, as the course's files do, or separate them "
			"by single blanks (default auto: as in the source, else columns)",
		.source = "published traces of Penn CIS 501"},
	{"cis501.lines", POLY_OPTION_CHOICE, POLY_OPTION_READ, .initial = LINES_ONE,
		.choices = line_words,
		.help = "read one record per line, or fourteen fields per record in any lines, "
			"as the course's C parser does (default one)",
		.source = "Instruction Trace Format (Penn CIS 501), Parser Code"},
	{"cis501.branch", POLY_OPTION_CHOICE, POLY_OPTION_READ, .initial = BRANCH_LETTER,
		.choices = branch_words,
		.help = "identify a branch by its letter, or by a target other than 0 (default "
			"letter)",
		.source = "Instruction Trace Format (Penn CIS 501), Field Descriptions"},
	{.name = NULL},
};

/* Registers of the published traces; the course's programs use flags for condition codes. */
static const char *const registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", [44] = "t0",
	"t1", [49] = "flags"};

static const struct format cis501 = {
	.content = {.users = "Penn CIS 501", .kinds = POLY_KIND_BIT(INSTRUCTION)},
	.info =
		{
			.name = "cis501",
			.family = "cis501",
			.title = "Penn CIS 501 trace of x86 micro-operations",
			.extensions = "cis501 trace",
			.spec = "Instruction Trace Format (Penn CIS 501)",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, record, pc, branch, target,
				fallthrough, access, address, mnemonic, uop_name, src1, src2,
				dest, uop_index, immediate, flags, raw, origin),
			.needs = POLY_COLUMNS_INIT(
				pc, fallthrough, uop_index, mnemonic, uop_name),
			.needs_isa = "x86",
			.summary = "cis501-summary",
			.options = options,
			.rules = cis501_rules,
			.registers = registers,
			.register_count = sizeof registers / sizeof *registers,
		},
	.is_text = true,
	.reader_size = sizeof(struct cis501_reader),
	.writer_size = sizeof(struct cis501_writer),
	.rows_independent = true,
	.probe = cis501_probe,
	.open = cis501_open,
	.read = cis501_read,
	.resync = cis501_resync,
	.find_split = lines_find_split,
	.check = cis501_check_batch,
	.checks_chunks = true,
	.check_offset = offsetof(struct cis501_reader, check),
	.check_size = CIS501_CHECK_SIZE,
	.check_deferred = check_deferred,
	.check_adopt = check_adopt,
	.close = lines_close,
	.effects = EFFECTS_MICRO_OPS,
	.wopen = cis501_wopen,
	.write_row = write_row,
	.free_fact = "cis501.lines",
};

const struct format *const formats_cis501[] = {&cis501, NULL};
