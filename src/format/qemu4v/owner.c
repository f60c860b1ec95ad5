/* SPDX-License-Identifier: MIT */
/*
 * What records have from those around them: the processor of accesses and registers, by the
 * instruction of the same time. It is a pass over the rows of a batch, so that the row of a
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

static bool
has(const struct batch *batch, enum poly_column column, size_t row)
{
	return bit_test(batch->bits[column], row);
}

static bool
is_owned(const struct batch *batch, size_t row)
{
	uint8_t kind = batch->view.kind[row];
	return (kind == POLY_KIND_ACCESS || kind == POLY_KIND_REGISTER) &&
	       !has(batch, POLY_COLUMN_cpu, row);
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

static void
pass_instruction(
	struct qemu4v_around *around, struct batch *batch, struct waiting *waiting, size_t row)
{
	const struct poly_batch *view = &batch->view;
	bool timed = has(batch, POLY_COLUMN_time, row);
	around->known = timed && has(batch, POLY_COLUMN_cpu, row);
	if (around->known) {
		around->cpu = view->cpu[row];
		around->time = view->time[row];
	}
	if (around->known && waiting->any && waiting->time == around->time)
		give(batch, waiting, row, view->origin[row], around->cpu);
	waiting->any &= !timed;
}

static inline void
pass_row(struct qemu4v_around *around, struct batch *batch, struct waiting *waiting, size_t row)
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
	if (around->known && around->time == time)
		batch_put(batch, cpu, row, around->cpu);
	else
		*waiting = (struct waiting){row, time, true};
}

/* Looking for the instruction of waiting rows behind the batch. */
struct ahead {
	const struct qemu4v_reader *reader;
	uint64_t wanted; /* its time */
	size_t at;	 /* where it begins */
	uint32_t cpu;
	enum { AHEAD_MORE, AHEAD_NONE, AHEAD_FOUND } answer;
};

static void
ask_line(struct ahead *ahead, const struct qemu4v *line)
{
	uint64_t time;
	if (line->is > QEMU4V_REGISTER || !qemu4v_time(ahead->reader, line, &time))
		return;
	if (time != ahead->wanted)
		ahead->answer = AHEAD_NONE;
	else if (line->is == QEMU4V_INSTRUCTION)
		ahead->answer = line->has_cpu ? AHEAD_FOUND : AHEAD_NONE;
	ahead->cpu = line->cpu;
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
look_ahead(const struct reading *reading, struct batch *batch, const struct waiting *waiting)
{
	const size_t most = AHEAD_MOST + QEMU4V_LINE_MOST;
	struct ahead ahead = {.reader = reading->state, .wanted = waiting->time};
	size_t have, want = SHORT_LOOK;
	const uint8_t *p = in_peek(reading->in, want, &have);
	ask_lines(&ahead, p, have < most ? have : most);
	if (ahead.answer == AHEAD_MORE && have >= want) {
		p = in_peek(reading->in, most, &have);
		ask_lines(&ahead, p, have < most ? have : most);
	}
	if (ahead.answer == AHEAD_FOUND)
		give(batch, waiting, batch->view.rows, in_offset(reading->in) + ahead.at,
			ahead.cpu);
}

void
qemu4v_settle(const struct reading *reading, struct qemu4v_around *around, struct batch *batch)
{
	const struct qemu4v_reader *reader = reading->state;
	struct waiting waiting = {.any = false};
	size_t rows = batch->view.rows;
	if (!reader->owns || !batch->view.cpu || !rows)
		return;
	/* What the line of the last row lost may be of its time. */
	bool cut = reader->unended && batch->view.kind[rows - 1] == POLY_KIND_INSTRUCTION;
	for (size_t row = 0; row < rows - cut; row++)
		pass_row(around, batch, &waiting, row);
	if (waiting.any && !reader->unended)
		look_ahead(reading, batch, &waiting);
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
	stamp.timed = line.is <= QEMU4V_REGISTER && qemu4v_time(reader, &line, &stamp.time);
	return stamp;
}

size_t
qemu4v_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	(void)offset;
	const struct qemu4v_reader *reader = reading->state;
	struct stamp line, next = {.timed = false};
	size_t end = lines_size(p, n);
	if (!reader->owns)
		return end;
	/* The first line may lack its beginning. */
	for (size_t start; end && (start = lines_size(p, end - 1)); end = start, next = line) {
		line = stamp_of(reader, p + start, end - start);
		if (next.instruction && next.timed && line.timed && line.time != next.time)
			return end;
	}
	return 0;
}
