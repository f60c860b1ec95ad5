/* SPDX-License-Identifier: MIT */
/*
 * Logs of QEMU: -d in_asm,exec,cpu, and the lines of its plugin execlog.
 *
 * A line "Trace" executes the newest block that was translated at its address; the register
 * dump after it is the state before the block, so that what an instruction changed follows from
 * the next dump of the same processor. The rows of a Trace are therefore made when its dump
 * ends: first the registers that the previous instruction changed, then the instructions.
 *
 * spec: QEMU user manual, "-d item1[,...]"; "Text and event logs", section 1.
 */
#include "format/qemu_log/qemu_log.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "format/core/encodings.h"

#include <stdio.h>

/* Bytes that open classifies. */
#define SAMPLE_BYTES ((size_t)256 << 10)

enum log_rule { G01, G02, G03, G04 };

enum log_record {
	LOG_INSTRUCTION,
	LOG_REGISTER,
	LOG_ACCESS,
	LOG_TEXT,
	LOG_CORRUPT,
	LOG_RECORD_COUNT
};

static const char *const record_names[LOG_RECORD_COUNT] = {
	"instruction", "register", "access", "text", "corrupt"};

/* A processor. */
struct log_processor {
	bool has_state;
	uint64_t set[2];
	uint64_t value[QEMU_LOG_REGISTERS];
	uint64_t pc; /* of its last instruction */
	bool has_pc;
	bool may_repeat; /* that instruction can be followed by itself without a change */
	/* A Trace whose dump other processors' lines precede. */
	bool has_pending;
	uint64_t pending_pc;
};

/* A line Trace, a register dump, or both. */
struct log_group {
	bool is_open;
	bool has_trace, has_dump;
	uint32_t cpu;
	uint64_t pc;
	uint64_t offset; /* of its first line */
	unsigned lines;	 /* of its dump */
	struct log_dump dump;
};

/* Rows that are still to be delivered. */
struct log_queue {
	uint64_t offset;
	uint32_t cpu;
	uint64_t registers[2]; /* bit n: register n */
	uint64_t pc;	       /* of the instruction that changed them */
	bool has_pc;
	uint32_t first, count; /* instructions of the block */
	uint64_t alone;	       /* address of an instruction without a block */
	bool is_alone;
	uint32_t access, access_count; /* of execlog, whose instruction is pc */
};

struct log_reader {
	enum log_target target;
	struct log_blocks blocks;
	struct log_processor *processors[QEMU_LOG_PROCESSORS];
	struct log_group group;
	struct buf text;     /* lines of the group */
	unsigned dump_lines; /* of the last complete dump */
	struct log_queue queue;
	struct log_access *accesses; /* of the queue */
	uint32_t access_capacity;
	uint32_t names[QEMU_LOG_REGISTERS]; /* their numbers plus 1 */
	uint32_t sets[2];		    /* of ARM: A, T */
	bool has_blocks;		    /* the log has translated blocks */
	bool has_executions;
	bool has_numbers;   /* dumps name their processor */
	uint64_t truncated; /* bytes of a last line without newline */
};

static int
qemu_log_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct log_sample sample;
	(void)eof;
	log_sample_take(&sample, p, n);
	const size_t records = sample.traces + sample.dumps + sample.plugin;
	note->near = records || sample.blocks > 1;
	note->consistent = note->near && !sample.others;
	note->distinct = note->consistent && sample.traces;
	if (note->near)
		snprintf(note->text, sizeof note->text,
			"%zu lines Trace, %zu register dumps and %zu lines of execlog in the "
			"first %zu lines",
			sample.traces, sample.dumps, sample.plugin, sample.lines);
	if (records < 3 || sample.others > sample.lines / 4)
		return 0;
	return sample.traces > 2 || sample.dumps > 2 ? 32 : 20;
}

/* Takes the instruction set over from the program's file, which also has the byte order. */
static enum poly_status
adopt_isa(struct reading *reading, struct poly_error *error)
{
	struct log_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	/* Names of one family have the same first letters: mips32, mips32el. */
	enum { FAMILY = 4 };
	if (!reading->encodings)
		return POLY_OK;
	if (view->isa && strncmp(view->isa, reading->encodings->isa, FAMILY) != 0)
		return err_usage(error,
			"options.symbols: the file is not the program of this log (found %s, "
			"expected %s)",
			reading->encodings->isa, view->isa);
	view->isa = reading->encodings->isa;
	/* Lines and modes of these sets are read in other ways. */
	if (strncmp(view->isa, "mips", FAMILY) == 0)
		reader->target = LOG_MIPS;
	if (strcmp(view->isa, "arm") == 0)
		reader->target = LOG_ARM;
	return POLY_OK;
}

static enum poly_status
qemu_log_open(struct reading *reading, struct poly_error *error)
{
	static const char *const sets[] = {"A", "T"};
	struct log_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	struct log_sample sample;
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	log_sample_take(&sample, p, have);
	reader->target = sample.target;
	reader->has_blocks = sample.blocks;
	view->isa = log_sample_isa(&sample);
	const enum poly_status status = adopt_isa(reading, error);
	if (status != POLY_OK)
		return status;
	view->address_bits = sample.digits == 8 ? 32 : sample.digits == 16 ? 64 : 0;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->producer = "QEMU";
	view->records = record_names;
	view->record_count = LOG_RECORD_COUNT;
	reading->unsplittable = true;
	if (!sample.plugin)
		view->columns =
			poly_columns_minus(view->columns, POLY_COLUMNS(access, address));
	if (!sample.dumps)
		view->columns = poly_columns_minus(view->columns, POLY_COLUMNS(reg, value));
	if (!sample.plugin && !sample.dumps)
		view->columns = poly_columns_minus(view->columns, POLY_COLUMNS(size));
	if (reader->target != LOG_ARM)
		view->columns =
			poly_columns_minus(view->columns, POLY_COLUMNS(instruction_set));
	for (unsigned i = 0; i < 2; i++) {
		reader->sets[i] = info_name(reading->info, sets[i], 1);
		if (reader->sets[i] == INTERN_FAILED)
			return err_memory(error);
	}
	return POLY_OK;
}

static bool
is_empty(const struct log_queue *queue)
{
	return !queue->registers[0] && !queue->registers[1] && !queue->count &&
	       !queue->is_alone && queue->access == queue->access_count;
}

/* Adds a row with what all rows have. */
static size_t
add_row(struct batch *batch, const struct log_queue *queue, enum poly_kind kind,
	enum log_record record)
{
	const size_t row = batch->view.rows++;
	batch_put(batch, kind, row, (uint8_t)kind);
	batch_put(batch, record, row, (uint8_t)record);
	batch_put(batch, cpu, row, queue->cpu);
	batch_put(batch, origin, row, queue->offset);
	return row;
}

/* Returns the number of a register's name; INTERN_FAILED: out of memory. */
static uint32_t
name_of(struct reading *reading, unsigned number)
{
	struct log_reader *reader = reading->state;
	char name[16];
	if (!reader->names[number]) {
		if (!log_register_name(reader->target, number, name))
			return INTERN_FAILED;
		const uint32_t id = info_name(reading->info, name, strlen(name));
		if (id == INTERN_FAILED)
			return id;
		reader->names[number] = id + 1;
	}
	return reader->names[number] - 1;
}

/* Adds the row of a changed register; false: out of memory. */
static bool
add_register(struct reading *reading, struct batch *batch, unsigned number)
{
	struct log_reader *reader = reading->state;
	struct log_queue *queue = &reader->queue;
	const struct log_processor *processor = reader->processors[queue->cpu];
	const uint32_t name = name_of(reading, number);
	if (name == INTERN_FAILED)
		return false;
	const size_t row = add_row(batch, queue, POLY_KIND_REGISTER, LOG_REGISTER);
	if (queue->has_pc)
		batch_put(batch, pc, row, queue->pc);
	batch_put(batch, reg, row, name);
	batch_put(batch, value, row, processor->value[number]);
	batch_put(batch, size, row, reader->group.dump.size[number]);
	return true;
}

/* Returns whether a processor of ARM is in Thumb state; *is_known: its dump shows it. */
static bool
is_thumb(const struct log_reader *reader, uint32_t cpu, bool *is_known)
{
	enum { CPSR = 15, THUMB = 1 << 5 };
	const struct log_processor *processor =
		cpu < QEMU_LOG_PROCESSORS ? reader->processors[cpu] : NULL;
	*is_known = processor && processor->set[0] >> CPSR & 1;
	return *is_known && processor->value[CPSR] & THUMB;
}

/* Sets the encoding that the program's file has at an address, in a row of the queue. */
static void
put_encoding(struct reading *reading, struct batch *batch, size_t row, uint64_t pc)
{
	struct log_reader *reader = reading->state;
	struct encoding found;
	bool is_known = true, thumb = false;
	if (reader->target == LOG_ARM)
		thumb = is_thumb(reader, reader->queue.cpu, &is_known);
	if (!is_known || !encodings_find(reading->encodings, pc, thumb, &found))
		return;
	batch_put(batch, opcode_size, row, (uint8_t)found.size);
	if (found.size <= 8)
		batch_put(batch, opcode, row, found.opcode);
	else
		batch_put_bytes(batch, POLY_COLUMN_payload, row, found.bytes, found.size);
	if (reader->target == LOG_ARM)
		batch_put(batch, instruction_set, row, reader->sets[thumb]);
}

/* Adds the row of an instruction of a block. */
static void
add_instruction(struct reading *reading, struct batch *batch, uint32_t number)
{
	struct log_reader *reader = reading->state;
	const struct log_instruction *each = &reader->blocks.list[number];
	const uint8_t *texts = reader->blocks.texts.data;
	const size_t row =
		add_row(batch, &reader->queue, POLY_KIND_INSTRUCTION, LOG_INSTRUCTION);
	batch_put(batch, pc, row, each->pc);
	batch_put_bytes(batch, POLY_COLUMN_text, row, texts + each->text, each->text_size);
	if (!each->size) {
		put_encoding(reading, batch, row, each->pc);
		return;
	}
	batch_put(batch, opcode_size, row, each->size);
	if (each->size <= 8)
		batch_put(batch, opcode, row, each->opcode);
	else
		batch_put_bytes(
			batch, POLY_COLUMN_payload, row, texts + each->bytes, each->size);
	if (reader->target == LOG_ARM)
		batch_put(batch, instruction_set, row, reader->sets[each->has_halfwords]);
}

static void
add_access(struct batch *batch, const struct log_queue *queue, const struct log_access *access)
{
	const size_t row = add_row(batch, queue, POLY_KIND_ACCESS, LOG_ACCESS);
	batch_put(batch, pc, row, queue->pc);
	batch_put(batch, access, row, access->is_store ? POLY_ACCESS_WRITE : POLY_ACCESS_READ);
	batch_put(batch, address, row, access->address);
}

/* Delivers rows of the queue, as far as the batch has room; false: out of memory. */
static bool
deliver(struct reading *reading, struct batch *batch)
{
	struct log_reader *reader = reading->state;
	struct log_queue *queue = &reader->queue;
	for (unsigned i = 0; i < QEMU_LOG_REGISTERS; i++) {
		if (!(queue->registers[i / 64] >> i % 64 & 1))
			continue;
		if (batch->view.rows == batch->capacity)
			return true;
		if (!add_register(reading, batch, i))
			return false;
		queue->registers[i / 64] &= ~((uint64_t)1 << i % 64);
	}
	for (; queue->count && batch->view.rows < batch->capacity; queue->count--)
		add_instruction(reading, batch, queue->first++);
	if (queue->is_alone && batch->view.rows < batch->capacity) {
		const size_t row =
			add_row(batch, queue, POLY_KIND_INSTRUCTION, LOG_INSTRUCTION);
		batch_put(batch, pc, row, queue->alone);
		put_encoding(reading, batch, row, queue->alone);
		queue->is_alone = false;
	}
	for (; queue->access < queue->access_count && batch->view.rows < batch->capacity;
		queue->access++)
		add_access(batch, queue, &reader->accesses[queue->access]);
	return true;
}

/* Returns the registers of a dump that differ from those of the processor, and takes them
 * over. */
static void
take_changes(
	struct log_queue *queue, struct log_processor *processor, const struct log_dump *dump)
{
	for (unsigned i = 0; i < QEMU_LOG_REGISTERS; i++) {
		const uint64_t bit = (uint64_t)1 << i % 64;
		if (!(dump->set[i / 64] & bit))
			continue;
		if (!(processor->set[i / 64] & bit) || processor->value[i] != dump->value[i])
			queue->registers[i / 64] |= bit;
		processor->set[i / 64] |= bit;
		processor->value[i] = dump->value[i];
	}
}

/* Returns whether an instruction may leave the registers as they are and be executed again. */
static bool
may_repeat(const struct log_reader *reader, uint32_t count, uint32_t first)
{
	/* Names of branches begin with these letters in all sets: b, j, l(oop), c(all), r(et).
	 */
	const struct log_instruction *last =
		count ? &reader->blocks.list[first + count - 1] : NULL;
	return count != 1 || !last->text_size ||
	       strchr("bjlcr", reader->blocks.texts.data[last->text]);
}

/* Fills the queue, which is empty, with the rows of a group. */
static void
fill_queue(struct reading *reading, const struct log_group *group)
{
	struct log_reader *reader = reading->state;
	struct log_queue *queue = &reader->queue;
	struct log_processor *processor = reader->processors[group->cpu];
	reader->has_executions = true;
	*queue = (struct log_queue){.offset = group->offset,
		.cpu = group->cpu,
		.pc = processor->pc,
		.has_pc = processor->has_pc};
	if (group->has_dump)
		take_changes(queue, processor, &group->dump);
	queue->count = log_block_find(&reader->blocks, group->pc, &queue->first);
	queue->is_alone = !queue->count;
	queue->alone = group->pc;
	const bool is_repeated = group->has_dump && processor->has_state && processor->has_pc &&
				 processor->pc == group->pc && !queue->registers[0] &&
				 !queue->registers[1] && !processor->may_repeat;
	if (is_repeated) {
		queue->count = 0;
		queue->is_alone = false;
		findings_add(reading->findings, G03, reading->record + 1, group->offset,
			"the block at 0x%llx was begun again without a change; its first "
			"execution is not counted",
			(unsigned long long)group->pc);
	}
	processor->has_state |= group->has_dump;
	processor->pc = queue->count ? reader->blocks.list[queue->first + queue->count - 1].pc
				     : group->pc;
	processor->has_pc = true;
	processor->may_repeat = may_repeat(reader, queue->count, queue->first);
}

/* Fills the queue with the pending Trace of a processor, which gets no dump. */
static void
fill_pending(struct reading *reading, uint32_t cpu, uint64_t offset)
{
	struct log_reader *reader = reading->state;
	struct log_processor *processor = reader->processors[cpu];
	const struct log_group pending = {
		.has_trace = true, .cpu = cpu, .pc = processor->pending_pc, .offset = offset};
	processor->has_pending = false;
	fill_queue(reading, &pending);
}

/* Completes the group: fills the queue, which is empty, or keeps a Trace until its dump. A
 * pending Trace of the same processor comes first; then the group stays open. */
static enum poly_status
end_group(struct reading *reading, struct poly_error *error)
{
	struct log_reader *reader = reading->state;
	struct log_group *group = &reader->group;
	if (!group->is_open)
		return POLY_OK;
	const uint32_t cpu = group->cpu;
	if (cpu >= QEMU_LOG_PROCESSORS)
		return err_set(error, POLY_ERR_LIMIT, group->offset,
			"processor %u (expected at most %d)", cpu, QEMU_LOG_PROCESSORS - 1);
	if (!reader->processors[cpu])
		reader->processors[cpu] = mem_new(1, sizeof *reader->processors[cpu]);
	struct log_processor *processor = reader->processors[cpu];
	if (!processor)
		return err_memory(error);
	if (processor->has_pending &&
		(group->has_trace || group->pc != processor->pending_pc)) {
		fill_pending(reading, cpu, group->offset);
		return POLY_OK;
	}
	processor->has_pending = false;
	group->is_open = false;
	if (!group->has_dump && reader->has_numbers) {
		processor->has_pending = true;
		processor->pending_pc = group->pc;
		return POLY_OK;
	}
	if (group->has_dump) {
		reader->dump_lines = group->lines;
		log_dump_end(&group->dump);
	}
	fill_queue(reading, group);
	return POLY_OK;
}

/* Fills the queue with a pending Trace at the end of the log; false: there is none. */
static bool
end_pending(struct reading *reading)
{
	const struct log_reader *reader = reading->state;
	for (uint32_t cpu = 0; cpu < QEMU_LOG_PROCESSORS; cpu++) {
		if (reader->processors[cpu] && reader->processors[cpu]->has_pending) {
			fill_pending(reading, cpu, in_offset(reading->in));
			return true;
		}
	}
	return false;
}

/* Begins a group with the first line of a dump, or with a Trace. */
static void
begin_group(struct reading *reading, uint64_t offset)
{
	struct log_reader *reader = reading->state;
	reader->group = (struct log_group){
		.is_open = true, .offset = offset, .dump = {.target = reader->target}};
}

/* Reports the line of a row. */
static void
add_line_finding(struct reading *reading, size_t row, enum findings_line_rule rule,
	const struct log_line *line, const char *what)
{
	const struct findings_line described = {.record = reading->record + row + 1,
		.offset = in_offset(reading->in),
		.number = reading->line + 1,
		.text = line->text,
		.size = line->size};
	findings_add_line(reading->findings, rule, &described, what);
}

/* Adds the row of a line that is none of the log's own. */
static void
add_text(struct reading *reading, struct batch *batch, const struct log_line *line,
	uint64_t offset)
{
	const size_t row = batch->view.rows++;
	add_line_finding(
		reading, row, FINDINGS_NOT_UNDERSTOOD, line, "is not a line of the log");
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, LOG_TEXT);
	batch_put(batch, origin, row, offset);
	batch_put_bytes(batch, POLY_COLUMN_text, row, line->text, line->size);
}

/* Sets the opcode of a line of execlog, whose first four bytes it has in this machine's order:
 * of RISC-V, whose text begins with the opcode. False: another set. */
static bool
put_execlog_opcode(struct batch *batch, size_t row, struct log_execlog *found)
{
	size_t n = 0;
	uint64_t opcode;
	while (n < found->text.size && num_hex_digit(found->text.text[n]) >= 0)
		n++;
	if ((n != 4 && n != 8) || n + 2 > found->text.size || found->text.text[n] != ' ' ||
		!num_parse_hex(found->text.text, n, &opcode) ||
		(opcode ^ found->opcode) & (n == 4 ? 0xffff : 0xffffffff))
		return false;
	batch_put(batch, opcode, row, opcode);
	batch_put(batch, opcode_size, row, (uint8_t)(n / 2));
	while (n < found->text.size && found->text.text[n] == ' ')
		n++;
	found->text = (struct log_line){found->text.text + n, found->text.size - n};
	return true;
}

/* Adds the instruction of a line of execlog, and fills the queue with its accesses; false: out
 * of memory. */
static bool
add_execlog(struct reading *reading, struct batch *batch, const struct log_line *line,
	struct log_execlog *found)
{
	struct log_reader *reader = reading->state;
	struct log_queue *queue = &reader->queue;
	struct log_access access;
	*queue = (struct log_queue){
		.offset = in_offset(reading->in), .cpu = (uint32_t)found->cpu, .pc = found->pc};
	const size_t row = add_row(batch, queue, POLY_KIND_INSTRUCTION, LOG_INSTRUCTION);
	batch_put(batch, pc, row, found->pc);
	if (!put_execlog_opcode(batch, row, found))
		put_encoding(reading, batch, row, found->pc);
	batch_put_bytes(batch, POLY_COLUMN_text, row, found->text.text, found->text.size);
	reader->has_executions = true;
	while (log_next_access(found, &access)) {
		if (!VEC_ROOM(reader->accesses, reader->access_capacity, queue->access_count))
			return false;
		reader->accesses[queue->access_count++] = access;
	}
	if (!found->is_read)
		add_line_finding(reading, row, FINDINGS_PARTLY_READ, line,
			"has more than an instruction and its accesses");
	return true;
}

/* Returns whether a line continues the group. */
static bool
continues_group(struct reading *reading, const struct log_line *line)
{
	struct log_reader *reader = reading->state;
	struct log_group *group = &reader->group;
	const enum log_target begins = log_dump_begins(line);
	if (!group->is_open)
		return false;
	if (begins && !reader->target)
		reader->target = begins;
	if (!reader->target || (begins == reader->target && group->has_dump) ||
		group->lines == QEMU_LOG_DUMP_MAX)
		return false;
	group->dump.target = reader->target;
	if (!group->has_dump && begins != reader->target)
		return false;
	if (!log_dump_line(&group->dump, line))
		return false;
	reader->has_numbers |= group->dump.has_cpu;
	if (!group->has_dump && group->has_trace && group->dump.has_cpu &&
		group->dump.cpu != group->cpu)
		return false;
	group->has_dump = true;
	group->lines++;
	return true;
}

/* Begins what a line begins; a line of text is a row. */
static void
begin_line(struct reading *reading, struct batch *batch, const struct log_line *line,
	uint64_t offset)
{
	struct log_reader *reader = reading->state;
	struct log_group *group = &reader->group;
	struct log_execlog execlog;
	unsigned digits;
	uint32_t cpu;
	uint64_t pc;
	if (log_block_line(&reader->blocks, line, reader->target))
		return;
	log_block_end(&reader->blocks);
	if (log_parse_trace(line, &cpu, &pc, &digits)) {
		begin_group(reading, offset);
		group->has_trace = true;
		group->cpu = cpu;
		group->pc = pc;
	} else if (log_begins(line, "----------------")) {
		log_block_begin(&reader->blocks);
		reader->has_blocks = true;
	} else if (log_dump_begins(line) &&
		   (!reader->target || log_dump_begins(line) == reader->target)) {
		begin_group(reading, offset);
		continues_group(reading, line);
	} else if (log_parse_execlog(line, &execlog)) {
		reader->blocks.no_memory |= !add_execlog(reading, batch, line, &execlog);
	} else if (line->size && !log_begins(line, "IN:") &&
		   !log_begins(line, "Linking TBs ")) {
		add_text(reading, batch, line, offset);
	}
	if (log_begins(line, "IN:"))
		log_block_begin(&reader->blocks);
}

/* Completes what a dump alone states: its processor and address. */
static void
settle_group(struct log_group *group)
{
	if (group->has_trace || !group->has_dump)
		return;
	group->pc = group->dump.pc;
	group->cpu = group->dump.has_cpu ? group->dump.cpu : 0;
	group->is_open = group->dump.has_pc;
}

/* Keeps a line of the group, in case that the input ends within it. */
static bool
keep_line(struct log_reader *reader, const struct log_line *line)
{
	buf_append(&reader->text, line->text, line->size);
	buf_byte(&reader->text, '\n');
	return !reader->text.failed;
}

/* Returns whether the input ended within the open group, before n bytes of a last line. */
static bool
ends_within_group(const struct log_reader *reader, size_t n)
{
	const struct log_group *group = &reader->group;
	return group->is_open && (n || group->lines < reader->dump_lines ||
					 (group->has_dump && !group->dump.is_complete));
}

/* Reads a line; *used: whether it is consumed. */
static enum poly_status
read_line(struct reading *reading, struct batch *batch, const struct log_line *line, bool *used,
	struct poly_error *error)
{
	struct log_reader *reader = reading->state;
	*used = true;
	if (continues_group(reading, line))
		return keep_line(reader, line) ? POLY_OK : err_memory(error);
	/* The registers of a group that ends come first, then this line. */
	if (reader->group.is_open) {
		settle_group(&reader->group);
		*used = false;
		return end_group(reading, error);
	}
	buf_clear(&reader->text);
	begin_line(reading, batch, line, in_offset(reading->in));
	if (reader->blocks.no_memory || !keep_line(reader, line))
		return err_memory(error);
	if (reader->blocks.is_full)
		return err_set(error, POLY_ERR_LIMIT, in_offset(reading->in),
			"more than %u translated instructions", QEMU_LOG_INSTRUCTIONS_MAX);
	return POLY_OK;
}

/* Reads a last line without newline and the group before it, or a part of a line that is too
 * long. */
static enum poly_status
read_rest(struct reading *reading, struct batch *batch, const uint8_t *p, size_t n)
{
	struct log_reader *reader = reading->state;
	const uint64_t record = reading->record + batch->view.rows + 1;
	const bool is_long = n > QEMU_LOG_LINE_MAX,
		   has_group = !is_long && reader->group.is_open;
	const uint64_t offset = has_group ? reader->group.offset : in_offset(reading->in);
	const size_t size = is_long ? QEMU_LOG_LINE_MAX : n;
	const size_t row = batch->view.rows++;
	if (!has_group)
		buf_clear(&reader->text);
	else
		reader->group.is_open = false;
	buf_append(&reader->text, p, size);
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, LOG_CORRUPT);
	batch_put(batch, origin, row, offset);
	batch_put_bytes(batch, POLY_COLUMN_raw, row, reader->text.data, reader->text.size);
	if (is_long)
		findings_add(reading->findings, G02, record, offset,
			"the line is longer than %zu bytes", QEMU_LOG_LINE_MAX);
	else
		findings_add_truncation(reading->findings, G01, record, offset,
			"the log is truncated within %s", has_group ? "a dump" : "a line");
	in_consume(reading->in, size);
	return POLY_OK;
}

/* Reads what the next bytes are. *ended: the input ends. */
static enum poly_status
read_next(struct reading *reading, struct batch *batch, bool *ended, struct poly_error *error)
{
	struct log_reader *reader = reading->state;
	size_t n;
	const uint8_t *p = in_peek(reading->in, QEMU_LOG_LINE_MAX + 1, &n);
	const uint8_t *newline = n ? memchr(p, '\n', n) : NULL;
	if (newline && newline - p <= (ptrdiff_t)QEMU_LOG_LINE_MAX) {
		const size_t size = (size_t)(newline - p);
		const struct log_line line = {
			(const char *)p, size - (size && p[size - 1] == '\r')};
		bool used;
		const enum poly_status status = read_line(reading, batch, &line, &used, error);
		if (used) {
			in_consume(reading->in, size + 1);
			reading->line++;
		}
		return status;
	}
	const bool is_cut = n <= QEMU_LOG_LINE_MAX && ends_within_group(reader, n);
	if (reader->group.is_open && !is_cut) {
		settle_group(&reader->group);
		return end_group(reading, error);
	}
	if (is_cut && in_ended(reading->in))
		return read_rest(reading, batch, p, n);
	if (!n && end_pending(reading))
		return POLY_OK;
	*ended = !n;
	if (!n && reader->has_blocks && !reader->has_executions)
		findings_add(reading->findings, G04, 0, POLY_NO_OFFSET,
			"no block was executed; record with -d in_asm,exec");
	return n ? read_rest(reading, batch, p, n) : in_status(reading->in, error);
}

static enum poly_status
qemu_log_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct log_reader *reader = reading->state;
	enum poly_status status = POLY_OK;
	bool ended = false;
	while (status == POLY_OK && !ended) {
		if (!deliver(reading, batch))
			return err_memory(error);
		if (batch->view.rows == batch->capacity)
			return POLY_OK;
		if (!is_empty(&reader->queue))
			continue;
		status = read_next(reading, batch, &ended, error);
	}
	return batch->view.rows && status == POLY_END ? POLY_OK : status;
}

static void
qemu_log_close(struct reading *reading)
{
	struct log_reader *reader = reading->state;
	for (size_t i = 0; i < QEMU_LOG_PROCESSORS; i++)
		mem_free(reader->processors[i]);
	log_blocks_free(&reader->blocks);
	buf_free(&reader->text);
	mem_free(reader->accesses);
}

static const struct poly_option no_options[] = {{.name = NULL}};

static const struct poly_rule rules[] = {
	[G01] = {"G01", POLY_ERROR,
		"the last line is complete, and so is the register dump that it ends",
		"QEMU user manual, -d"},
	[G02] = {"G02", POLY_WARNING, "a line has at most 16384 bytes", "QEMU user manual, -d"},
	[G03] = {"G03", POLY_NOTE, "every block that was begun was executed",
		"Text and event logs 1.1"},
	[G04] = {"G04", POLY_WARNING, "a log of translated blocks has executions",
		"Text and event logs 1.1"},
	{0},
};

static const struct format qemu_log = {
	.content = {.users = "QEMU",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(REGISTER)},
	.info = {.name = "qemu-log",
		.family = "qemu-log",
		.title = "log of QEMU: -d in_asm,exec,cpu, or plugin execlog",
		.extensions = "qemu execlog",
		.spec = "QEMU user manual, -d; polytrace-qemu-log(5)",
		.can_read = true,
		.columns = POLY_COLUMNS_INIT(kind, record, cpu, pc, opcode, opcode_size, access,
			address, size, value, reg, instruction_set, text, payload, raw, origin),
		.options = no_options,
		.rules = rules},
	.is_text = true,
	.reader_size = sizeof(struct log_reader),
	.probe = qemu_log_probe,
	.open = qemu_log_open,
	.read = qemu_log_read,
	.close = qemu_log_close,
};

const struct format *const formats_qemu_log[] = {&qemu_log, NULL};
