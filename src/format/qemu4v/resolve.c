/* SPDX-License-Identifier: MIT */
/*
 * Resolves values that records inherit from others: the time of indented lines, the numbers of
 * named processors, and the processor of accesses and registers, which is that of the
 * instruction with the same time. One scan of the rows of a batch does this, so that parsing
 * depends only on the line.
 *
 * spec: QEMU4V Trace Format, Memory access record
 */
#include "format/qemu4v/qemu4v.h"

/* Maximum distance from a record to a later instruction that owns it, in bytes. */
#define OWNER_DISTANCE_MAX ((uint64_t)32 << 10)

/* Bytes that are searched first after the batch. */
#define FIRST_PEEK ((size_t)2 << 10)

/* Rows of one time whose instruction has not been found yet. */
struct pending_rows {
	size_t first; /* row */
	uint64_t time;
	bool is_open;
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

/* Assigns the processor of an instruction at origin to pending rows. */
static void
assign_cpu(struct batch *batch, const struct pending_rows *pending, size_t end, uint64_t origin,
	uint32_t cpu)
{
	for (size_t row = pending->first; row < end; row++) {
		bool timed = has(batch, POLY_COLUMN_time, row) &&
			     batch->view.time[row] == pending->time;
		if (timed && is_owned(batch, row) &&
			origin - batch->view.origin[row] <= OWNER_DISTANCE_MAX)
			batch_put(batch, cpu, row, cpu);
	}
}

/* Finds or assigns the number of a named processor; false if there are too many. */
static bool
number_name(struct qemu4v_context *context, uint32_t name, uint32_t *cpu)
{
	for (size_t i = 0; i < context->named; i++) {
		if (context->names[i].name == name) {
			*cpu = context->names[i].cpu;
			return true;
		}
	}
	if (context->named == QEMU4V_NAMED_MAX || context->next == UINT32_MAX)
		return false;
	*cpu = context->next++;
	context->names[context->named].name = name;
	context->names[context->named++].cpu = *cpu;
	return true;
}

/* Keeps the numbers of named processors above the numbers in use. */
static void
reserve_number(struct qemu4v_context *context, uint32_t cpu)
{
	if (cpu >= context->next && cpu < UINT32_MAX)
		context->next = cpu + 1;
}

static inline void
resolve_cpu(struct qemu4v_context *context, struct batch *batch, size_t row)
{
	uint32_t cpu;
	if (has(batch, POLY_COLUMN_cpu, row))
		reserve_number(context, batch->view.cpu[row]);
	else if (has(batch, POLY_COLUMN_cpu_name, row) &&
		 number_name(context, batch->view.cpu_name[row], &cpu))
		batch_put(batch, cpu, row, cpu);
}

static inline void
resolve_time(struct qemu4v_context *context, struct batch *batch, size_t row)
{
	uint64_t *time = &batch->view.time[row];
	if (has(batch, POLY_COLUMN_time, row)) {
		context->timed = true;
		context->time = *time;
	} else if (*time == QEMU4V_TIME_BEFORE) {
		*time = 0;
		if (context->timed)
			batch_put(batch, time, row, context->time);
	} else if (*time == QEMU4V_TIME_UNKNOWN) {
		*time = 0;
		context->timed = false;
	}
}

static void
resolve_times(struct qemu4v_context *context, struct batch *batch, size_t rows)
{
	const uint64_t *present = batch->bits[POLY_COLUMN_time];
	for (size_t row = 0; row < rows; row++) {
		/* If 64 rows have their own time, only the last one matters. */
		bool all = row % 64 == 0 && rows - row >= 64 && present[row / 64] == UINT64_MAX;
		row += all ? 63 : 0;
		resolve_time(context, batch, row);
	}
}

static void
resolve_instruction(struct qemu4v_context *context, struct batch *batch,
	struct pending_rows *pending, size_t row)
{
	const struct poly_batch *view = &batch->view;
	bool timed = has(batch, POLY_COLUMN_time, row);
	context->owns = timed && has(batch, POLY_COLUMN_cpu, row);
	if (context->owns) {
		context->owner = view->cpu[row];
		context->owner_time = view->time[row];
	}
	if (context->owns && pending->is_open && pending->time == context->owner_time)
		assign_cpu(batch, pending, row, view->origin[row], context->owner);
	pending->is_open &= !timed;
}

static inline void
resolve_owner(struct qemu4v_context *context, struct batch *batch, struct pending_rows *pending,
	size_t row)
{
	if (batch->view.kind[row] == POLY_KIND_INSTRUCTION) {
		resolve_instruction(context, batch, pending, row);
		return;
	}
	if (!has(batch, POLY_COLUMN_time, row))
		return;
	uint64_t time = batch->view.time[row];
	if (pending->is_open && pending->time != time)
		pending->is_open = false;
	if (pending->is_open || !is_owned(batch, row))
		return;
	if (context->owns && context->owner_time == time)
		batch_put(batch, cpu, row, context->owner);
	else
		*pending = (struct pending_rows){row, time, true};
}

/* Search after the batch for the instruction of pending rows. */
struct owner_search {
	struct reading *reading;
	struct qemu4v_context context; /* updated by the searched lines */
	uint64_t wanted;	       /* time of the instruction */
	size_t at;		       /* its offset */
	uint32_t cpu;
	enum { SEARCH_PENDING, SEARCH_NONE, SEARCH_FOUND } answer;
};

/* Finds the number of a line's processor. */
static bool
find_cpu(struct owner_search *search, const struct qemu4v *line)
{
	const struct qemu4v_reader *reader = search->reading->state;
	uint32_t name;
	search->cpu = line->cpu;
	if (line->has_cpu)
		reserve_number(&search->context, line->cpu);
	return line->has_cpu ||
	       (reader->numbers && line->cpu_name.length &&
		       qemu4v_find_name(search->reading, &line->cpu_name, &name) &&
		       number_name(&search->context, name, &search->cpu));
}

static void
search_line(struct owner_search *search, const struct qemu4v *line)
{
	const struct qemu4v_reader *reader = search->reading->state;
	struct qemu4v_context *context = &search->context;
	if (line->is >= QEMU4V_BLANK)
		return;
	bool cpu = find_cpu(search, line);
	if (qemu4v_time(&reader->clock, line, &context->time))
		context->timed = true;
	else if (line->stamp != QEMU4V_STAMP_BEFORE)
		context->timed = false;
	if (!context->timed)
		return;
	if (context->time != search->wanted)
		search->answer = SEARCH_NONE;
	else if (line->is == QEMU4V_INSTRUCTION)
		search->answer = cpu ? SEARCH_FOUND : SEARCH_NONE;
}

/* Searches the lines of n bytes. */
static void
search_lines(struct owner_search *search, const uint8_t *p, size_t n)
{
	for (size_t size, at = 0; search->answer == SEARCH_PENDING; at += size) {
		struct qemu4v line;
		size = line_size(p + at, n - at, QEMU4V_LINE_MAX);
		if (size == 0 && n - at >= QEMU4V_LINE_MAX)
			search->answer = SEARCH_NONE;
		if (size == 0)
			return;
		qemu4v_parse(p + at, size, true, &line);
		search_line(search, &line);
		search->at = at;
	}
}

/* Searches after the batch for the instruction of its last rows. */
static void
search_owner(struct reading *reading, const struct qemu4v_context *context, struct batch *batch,
	const struct pending_rows *pending)
{
	const size_t max = OWNER_DISTANCE_MAX + QEMU4V_LINE_MAX;
	struct owner_search search = {
		.reading = reading, .context = *context, .wanted = pending->time};
	size_t have, want = FIRST_PEEK;
	const uint8_t *p = in_peek(reading->in, want, &have);
	search_lines(&search, p, have < max ? have : max);
	if (search.answer == SEARCH_PENDING && have >= want) {
		p = in_peek(reading->in, max, &have);
		search.context = *context;
		search_lines(&search, p, have < max ? have : max);
	}
	if (search.answer == SEARCH_FOUND)
		assign_cpu(batch, pending, batch->view.rows, in_offset(reading->in) + search.at,
			search.cpu);
}

poly_columns
qemu4v_also(const struct reading *reading, poly_columns wanted)
{
	(void)reading;
	return POLY_HAS(wanted, cpu) ? POLY_COLUMNS(kind, time, origin, cpu_name)
				     : POLY_NO_COLUMNS;
}

void
qemu4v_resolve(struct reading *reading, struct qemu4v_context *context, struct batch *batch)
{
	const struct qemu4v_reader *reader = reading->state;
	struct pending_rows pending = {.is_open = false};
	size_t rows = batch->view.rows;
	if (batch->view.time)
		resolve_times(context, batch, rows);
	bool numbers = reader->numbers && batch->view.cpu;
	for (size_t row = 0; numbers && row < rows; row++)
		resolve_cpu(context, batch, row);
	if (!reader->owns || !batch->view.cpu || !rows)
		return;
	/* A truncated last instruction may have lost its processor. */
	bool cut = reader->unended && batch->view.kind[rows - 1] == POLY_KIND_INSTRUCTION;
	for (size_t row = 0; row < rows - cut; row++)
		resolve_owner(context, batch, &pending, row);
	if (pending.is_open && !reader->unended)
		search_owner(reading, context, batch, &pending);
}

/* Time and kind of a line. */
struct line_stamp {
	bool timed, instruction;
	uint64_t time;
};

static struct line_stamp
stamp_of(const struct qemu4v_reader *reader, const uint8_t *text, size_t size)
{
	struct line_stamp stamp = {.timed = false};
	struct qemu4v line;
	if (size > QEMU4V_LINE_MAX)
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
	struct line_stamp line, next = {.timed = false};
	size_t end = lines_size(p, n);
	/* The first line may be incomplete. */
	for (size_t start; end && (start = lines_size(p, end - 1)); end = start, next = line) {
		line = stamp_of(reader, p + start, end - start);
		if (next.instruction && next.timed && line.timed && line.time != next.time)
			return end;
	}
	return 0;
}
