/* SPDX-License-Identifier: MIT */
/*
 * What records have from those around them: the time of indented lines, the numbers of
 * processors that have a name, and the processor of accesses and registers, which is that of
 * the instruction of their time. It is a pass over the rows of a batch, so that the row of a
 * line depends on nothing but the line.
 *
 * spec: reference qemu4v-tarmac 3/2
 */
#include "format/qemu4v/qemu4v.h"

/* How far behind a record the instruction that it is of may begin, in bytes. */
#define AHEAD_MOST ((uint64_t)32 << 10)

/* Bytes of the first look behind the batch. */
#define SHORT_LOOK ((size_t)2 << 10)

/* Rows of one time that wait for their instruction. */
struct waiting {
	size_t first; /* row */
	uint64_t time;
	bool any;
};

static inline bool
has(const struct batch *batch, enum poly_column column, size_t row)
{
	return bit_test(batch->bits[column], row);
}

static bool
is_owned(const struct batch *batch, size_t row)
{
	uint8_t kind = batch->view.kind[row];
	return (kind == POLY_KIND_ACCESS || kind == POLY_KIND_REGISTER) &&
	       !has(batch, POLY_COLUMN_cpu, row) && !has(batch, POLY_COLUMN_cpu_name, row);
}

/* Gives waiting rows the processor of an instruction, which begins at origin. */
static void
give(struct batch *batch, const struct waiting *waiting, size_t end, uint64_t origin,
	uint32_t cpu)
{
	for (size_t row = waiting->first; row < end; row++) {
		bool timed = has(batch, POLY_COLUMN_time, row) &&
			     batch->view.time[row] == waiting->time;
		if (timed && is_owned(batch, row) &&
			origin - batch->view.origin[row] <= AHEAD_MOST)
			batch_put(batch, cpu, row, cpu);
	}
}

/* The number of a processor with a name; false where there are too many. */
static bool
number_name(struct qemu4v_around *around, uint32_t name, uint32_t *cpu)
{
	for (size_t i = 0; i < around->named; i++) {
		if (around->names[i].name == name) {
			*cpu = around->names[i].cpu;
			return true;
		}
	}
	if (around->named == QEMU4V_NAMED || around->next == UINT32_MAX)
		return false;
	*cpu = around->next++;
	around->names[around->named].name = name;
	around->names[around->named++].cpu = *cpu;
	return true;
}

/* Numbers of processors with a name are above those that are used. */
static void
pass_number(struct qemu4v_around *around, uint32_t cpu)
{
	if (cpu >= around->next && cpu < UINT32_MAX)
		around->next = cpu + 1;
}

static inline void
pass_cpu(struct qemu4v_around *around, struct batch *batch, size_t row)
{
	uint32_t cpu;
	if (has(batch, POLY_COLUMN_cpu, row))
		pass_number(around, batch->view.cpu[row]);
	else if (has(batch, POLY_COLUMN_cpu_name, row) &&
		 number_name(around, batch->view.cpu_name[row], &cpu))
		batch_put(batch, cpu, row, cpu);
}

static inline void
pass_time(struct qemu4v_around *around, struct batch *batch, size_t row)
{
	uint64_t *time = &batch->view.time[row];
	if (has(batch, POLY_COLUMN_time, row)) {
		around->timed = true;
		around->time = *time;
	} else if (*time == QEMU4V_TIME_BEFORE) {
		*time = 0;
		if (around->timed)
			batch_put(batch, time, row, around->time);
	} else if (*time == QEMU4V_TIME_UNKNOWN) {
		*time = 0;
		around->timed = false;
	}
}

static void
pass_times(struct qemu4v_around *around, struct batch *batch, size_t rows)
{
	const uint64_t *present = batch->bits[POLY_COLUMN_time];
	for (size_t row = 0; row < rows; row++) {
		/* Mostly all have one of their own, and only the last one counts. */
		bool all = row % 64 == 0 && rows - row >= 64 && present[row / 64] == UINT64_MAX;
		row += all ? 63 : 0;
		pass_time(around, batch, row);
	}
}

static void
pass_instruction(
	struct qemu4v_around *around, struct batch *batch, struct waiting *waiting, size_t row)
{
	const struct poly_batch *view = &batch->view;
	bool timed = has(batch, POLY_COLUMN_time, row);
	around->owns = timed && has(batch, POLY_COLUMN_cpu, row);
	if (around->owns) {
		around->owner = view->cpu[row];
		around->owner_time = view->time[row];
	}
	if (around->owns && waiting->any && waiting->time == around->owner_time)
		give(batch, waiting, row, view->origin[row], around->owner);
	waiting->any &= !timed;
}

static inline void
pass_owned(
	struct qemu4v_around *around, struct batch *batch, struct waiting *waiting, size_t row)
{
	if (batch->view.kind[row] == POLY_KIND_INSTRUCTION) {
		pass_instruction(around, batch, waiting, row);
		return;
	}
	if (!has(batch, POLY_COLUMN_time, row))
		return;
	uint64_t time = batch->view.time[row];
	if (waiting->any && waiting->time != time)
		waiting->any = false;
	if (waiting->any || !is_owned(batch, row))
		return;
	if (around->owns && around->owner_time == time)
		batch_put(batch, cpu, row, around->owner);
	else
		*waiting = (struct waiting){row, time, true};
}

/* Looking for the instruction of waiting rows behind the batch. */
struct ahead {
	struct reading *reading;
	struct qemu4v_around around; /* as it becomes on the way */
	uint64_t wanted;	     /* time of the instruction */
	size_t at;		     /* where it begins */
	uint32_t cpu;
	enum { AHEAD_MORE, AHEAD_NONE, AHEAD_FOUND } answer;
};

/* The number of a line's processor. */
static bool
ahead_cpu(struct ahead *ahead, const struct qemu4v *line)
{
	const struct qemu4v_reader *reader = ahead->reading->state;
	uint32_t name;
	ahead->cpu = line->cpu;
	if (line->has_cpu)
		pass_number(&ahead->around, line->cpu);
	return line->has_cpu ||
	       (reader->numbers && line->cpu_name.length &&
		       qemu4v_find_name(ahead->reading, &line->cpu_name, &name) &&
		       number_name(&ahead->around, name, &ahead->cpu));
}

static void
ask_line(struct ahead *ahead, const struct qemu4v *line)
{
	const struct qemu4v_reader *reader = ahead->reading->state;
	struct qemu4v_around *around = &ahead->around;
	if (line->is >= QEMU4V_BLANK)
		return;
	bool cpu = ahead_cpu(ahead, line);
	if (qemu4v_time(&reader->clock, line, &around->time))
		around->timed = true;
	else if (line->stamp != QEMU4V_STAMP_BEFORE)
		around->timed = false;
	if (!around->timed)
		return;
	if (around->time != ahead->wanted)
		ahead->answer = AHEAD_NONE;
	else if (line->is == QEMU4V_INSTRUCTION)
		ahead->answer = cpu ? AHEAD_FOUND : AHEAD_NONE;
}

/* Asks the lines of n bytes. */
static void
ask_lines(struct ahead *ahead, const uint8_t *p, size_t n)
{
	for (size_t size, at = 0; ahead->answer == AHEAD_MORE; at += size) {
		struct qemu4v line;
		size = line_size(p + at, n - at, QEMU4V_LINE_MOST);
		if (size == 0 && n - at >= QEMU4V_LINE_MOST)
			ahead->answer = AHEAD_NONE;
		if (size == 0)
			return;
		qemu4v_parse(p + at, size, true, &line);
		ask_line(ahead, &line);
		ahead->at = at;
	}
}

/* Rows at the end of the batch are of an instruction behind it. */
static void
look_ahead(struct reading *reading, const struct qemu4v_around *around, struct batch *batch,
	const struct waiting *waiting)
{
	const size_t most = AHEAD_MOST + QEMU4V_LINE_MOST;
	struct ahead ahead = {.reading = reading, .around = *around, .wanted = waiting->time};
	size_t have, want = SHORT_LOOK;
	const uint8_t *p = in_peek(reading->in, want, &have);
	ask_lines(&ahead, p, have < most ? have : most);
	if (ahead.answer == AHEAD_MORE && have >= want) {
		p = in_peek(reading->in, most, &have);
		ahead.around = *around;
		ask_lines(&ahead, p, have < most ? have : most);
	}
	if (ahead.answer == AHEAD_FOUND)
		give(batch, waiting, batch->view.rows, in_offset(reading->in) + ahead.at,
			ahead.cpu);
}

poly_columns
qemu4v_also(const struct reading *reading, poly_columns wanted)
{
	(void)reading;
	return wanted & POLY_HAS(cpu)
		       ? POLY_HAS(kind) | POLY_HAS(time) | POLY_HAS(origin) | POLY_HAS(cpu_name)
		       : 0;
}

void
qemu4v_settle(struct reading *reading, struct qemu4v_around *around, struct batch *batch)
{
	const struct qemu4v_reader *reader = reading->state;
	struct waiting waiting = {.any = false};
	size_t rows = batch->view.rows;
	if (batch->view.time)
		pass_times(around, batch, rows);
	bool numbers = reader->numbers && batch->view.cpu;
	for (size_t row = 0; numbers && row < rows; row++)
		pass_cpu(around, batch, row);
	if (!reader->owns || !batch->view.cpu || !rows)
		return;
	/* What the line of the last row lost may be of its time. */
	bool cut = reader->unended && batch->view.kind[rows - 1] == POLY_KIND_INSTRUCTION;
	for (size_t row = 0; row < rows - cut; row++)
		pass_owned(around, batch, &waiting, row);
	if (waiting.any && !reader->unended)
		look_ahead(reading, around, batch, &waiting);
}

/* What a line says of the owner of others. */
struct stamp {
	bool timed, instruction;
	uint64_t time;
};

static struct stamp
stamp_of(const struct qemu4v_reader *reader, const uint8_t *text, size_t size)
{
	struct stamp stamp = {.timed = false};
	struct qemu4v line;
	if (size > QEMU4V_LINE_MOST)
		return stamp;
	qemu4v_parse(text, size, true, &line);
	stamp.instruction = line.is == QEMU4V_INSTRUCTION;
	stamp.timed = line.is < QEMU4V_BLANK && qemu4v_time(&reader->clock, &line, &stamp.time);
	return stamp;
}

size_t
qemu4v_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)offset;
	const struct qemu4v_reader *reader = reading->state;
	struct stamp line, next = {.timed = false};
	size_t end = lines_size(p, n);
	/* The first line may lack its beginning. */
	for (size_t start; end && (start = lines_size(p, end - 1)); end = start, next = line) {
		line = stamp_of(reader, p + start, end - start);
		if (next.instruction && next.timed && line.timed && line.time != next.time)
			return end;
	}
	return 0;
}
