/* SPDX-License-Identifier: MIT */
/*
 * Reading FULL records into batches.
 *
 * Addresses and branches are derived from the state before the instruction: that of its own
 * record or, in traces with the state after, that of the previous record.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 3 (19, 22), 4.3, 4.7, 4.8.
 */
#include "format/full/full.h"

#include "isa/powerpc.h"

#include <string.h>

/* Rows of a batch that includes the payload: a quarter of the L2 cache. */
#define PAYLOAD_ROWS 256

/* Bytes searched at a time for a valid record. */
#define SEARCH_SIZE ((size_t)1 << 18)

/* Maximum number of consecutive synchronisation records to skip when looking for the next
 * record. */
#define ESCAPES_MAX 64

/* Minimum number of failed checks, of five, that make a record corrupt. */
#define FAULTS_MIN 3

/* A batch being filled. */
struct full_fill {
	struct full_reader *reader;
	struct reading *reading;
	struct batch *batch;
	size_t rows_max;
	const uint8_t *previous; /* the last record, or NULL */
};

/* Sets address, access and operands of an instruction, from the state before it. */
static void
put_access(struct batch *batch, size_t row, uint32_t opcode,
	const struct powerpc_dialect *dialect, const uint8_t *state)
{
	unsigned cls = powerpc_class_fast(opcode), rb = opcode >> 11 & 31;
	if (cls != POWERPC_MEMORY && cls != POWERPC_CACHE && cls != POWERPC_EXTENDED)
		return;
	const struct powerpc_instruction *instruction = powerpc_find(opcode);
	struct poly_powerpc_state registers;
	unsigned ra = opcode >> 16 & 31;
	registers.gpr[ra] = powerpc_gpr(dialect, state, ra);
	registers.gpr[rb] = powerpc_gpr(dialect, state, rb);
	uint64_t address;
	if (powerpc_address(opcode, &registers, powerpc_is_wide(dialect, state), &address))
		batch_put(batch, address, row, address);
	if (instruction->access >= 0)
		batch_put(batch, access, row, (uint8_t)instruction->access);
	uint64_t xer = powerpc_state_register(dialect, state + dialect->layout->xer);
	bool string = cls == POWERPC_EXTENDED && instruction->access != POLY_ACCESS_PREFETCH;
	uint32_t size = powerpc_size(opcode, (uint32_t)xer, 0);
	if (size || string)
		batch_put(batch, size, row, size);
	if (cls == POWERPC_EXTENDED)
		batch_put(batch, value, row,
			string ? (uint32_t)xer : (uint32_t)registers.gpr[rb]);
}

static void
put_branch(struct batch *batch, size_t row, const struct full_step *step, uint32_t cr)
{
	struct full_branch branch = full_branch(step, cr);
	if (!branch.is_branch)
		return;
	batch_put(batch, branch, row, branch.taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
	batch_put(batch, target, row, branch.target);
	if (branch.conditional)
		batch_put(batch, fallthrough, row, branch.fallthrough);
}

static void
put_row(struct full_fill *fill, size_t row, enum full_record record, uint64_t origin)
{
	static const uint8_t kinds[FULL_RECORD_COUNT] = {
		[FULL_INSTRUCTION] = POLY_KIND_INSTRUCTION,
		[FULL_SYNC + POLY_SYNC_SIGNAL] = POLY_KIND_SYNC,
		[FULL_SYNC + POLY_SYNC_BROADCAST] = POLY_KIND_SYNC,
		[FULL_SYNC + POLY_SYNC_WAIT] = POLY_KIND_SYNC,
		[FULL_SYNC + POLY_SYNC_TRYWAIT] = POLY_KIND_SYNC,
		[FULL_CORRUPT] = POLY_KIND_OTHER,
	};
	batch_put(fill->batch, kind, row, kinds[record]);
	batch_put(fill->batch, record, row, (uint8_t)record);
	batch_put(fill->batch, origin, row, origin);
	fill->batch->view.rows = row + 1;
}

static void
put_corrupt(struct full_fill *fill, const uint8_t *p, size_t n)
{
	size_t row = fill->batch->view.rows;
	put_row(fill, row, FULL_CORRUPT, in_offset(fill->reading->in));
	batch_put_bytes(fill->batch, POLY_COLUMN_raw, row, p, n);
	fill->reader->has_previous = false;
	fill->previous = NULL;
	in_consume(fill->reading->in, n);
}

static void
put_record(struct full_fill *fill, const uint8_t *now, uint64_t origin)
{
	const struct powerpc_dialect *dialect = &fill->reader->dialect;
	const struct powerpc_layout *layout = dialect->layout;
	struct batch *batch = fill->batch;
	size_t row = batch->view.rows;
	const uint8_t *state = dialect->post ? fill->previous : now;
	uint32_t opcode = powerpc_word(dialect, now);
	put_row(fill, row, FULL_INSTRUCTION, origin);
	batch_put(batch, opcode, row, opcode);
	batch_put(batch, opcode_size, row, 4);
	if (dialect->post)
		batch_put(
			batch, next_pc, row, powerpc_state_register(dialect, now + layout->pc));
	batch_put_bytes(batch, POLY_COLUMN_payload, row, now + 4, layout->record - (size_t)4);
	if (!state)
		return;
	batch_put(batch, pc, row, powerpc_state_register(dialect, state + layout->pc));
	put_access(batch, row, opcode, dialect, state);
	if (powerpc_class_fast(opcode) == POWERPC_FLOW) {
		struct full_step step = full_step_between(dialect, state, now);
		put_branch(batch, row, &step, powerpc_word(dialect, state + layout->cr));
	}
}

/* Returns whether the n bytes at now may start a record that follows the previous one. */
static bool
continues(
	const struct full_reader *reader, const uint8_t *previous, const uint8_t *now, size_t n)
{
	const struct powerpc_dialect *dialect = &reader->dialect;
	const struct powerpc_layout *layout = dialect->layout;
	if (n >= 4 && powerpc_word(dialect, now) >> 26 == 0)
		return false;
	if (n < (size_t)layout->pc + (layout->wide ? 8 : 4))
		return true;
	uint64_t pc = powerpc_state_register(dialect, now + layout->pc);
	if (!previous)
		return (pc & 3) == 0;
	struct full_step step = full_step_between(dialect, previous, now);
	return full_follows(&step, pc);
}

/* Returns whether a complete record is implausible: reading is out of sync. */
static bool
is_corrupt(const struct full_reader *reader, const uint8_t *previous, const uint8_t *now)
{
	const struct powerpc_dialect *dialect = &reader->dialect;
	const struct powerpc_layout *layout = dialect->layout;
	uint64_t pc = powerpc_state_register(dialect, now + layout->pc);
	unsigned faults = powerpc_word(dialect, now) >> 26 == 0;
	faults += (pc & 3) != 0;
	faults += !full_is_msr(powerpc_state_register(dialect, now + layout->msr));
	if (faults == 0)
		return false;
	const char *name;
	if (previous) {
		struct full_step step = full_step_between(dialect, previous, now);
		faults += !full_follows(&step, pc);
	}
	faults += full_pads_set(dialect, now, &name);
	return faults >= FAULTS_MIN;
}

/* Returns whether a valid record is at p, followed by another or by the end. */
static bool
is_valid(const struct full_reader *reader, const uint8_t *p, size_t n)
{
	const struct powerpc_dialect *dialect = &reader->dialect;
	const struct powerpc_layout *layout = dialect->layout;
	const char *name;
	return n >= layout->record && powerpc_word(dialect, p) >> 26 != 0 &&
	       (powerpc_state_register(dialect, p + layout->pc) & 3) == 0 &&
	       full_is_msr(powerpc_state_register(dialect, p + layout->msr)) &&
	       !full_pads_set(dialect, p, &name) &&
	       continues(reader, p, p + layout->record, n - layout->record);
}

static bool
is_sync(const struct full_reader *reader, const uint8_t *p)
{
	return full_sync_find(powerpc_word(&reader->dialect, p)) >= 0;
}

/* Returns whether the next record is a synchronisation record: after it and its like a record
 * follows. */
static bool
is_escape(const struct full_fill *fill)
{
	const struct full_reader *reader = fill->reader;
	size_t have, size = reader->dialect.layout->record;
	const uint8_t *p = in_peek(
		fill->reading->in, (size_t)ESCAPES_MAX * FULL_ESCAPE_SIZE + size, &have);
	for (size_t i = 0; have >= FULL_ESCAPE_SIZE && is_sync(reader, p); i++) {
		if (i == ESCAPES_MAX)
			return true;
		p += FULL_ESCAPE_SIZE;
		have -= FULL_ESCAPE_SIZE;
	}
	return continues(reader, fill->previous, p, have);
}

static void
put_escape(struct full_fill *fill, const uint8_t *p)
{
	struct batch *batch = fill->batch;
	const struct powerpc_dialect *dialect = &fill->reader->dialect;
	size_t row = batch->view.rows;
	uint32_t word = powerpc_word(dialect, p);
	unsigned sync = (unsigned)full_sync_find(word);
	put_row(fill, row, FULL_SYNC + sync, in_offset(fill->reading->in));
	batch_put(batch, sync, row, (uint8_t)sync);
	batch_put(batch, escape, row, (uint16_t)(word >> 16));
	batch_put(batch, address, row, powerpc_word(dialect, p + 4));
	batch_put(batch, value, row, powerpc_word(dialect, p + 8));
	in_consume(fill->reading->in, FULL_ESCAPE_SIZE);
}

/* Delivers the bytes at the end that are less than a record. */
static enum poly_status
read_tail(struct full_fill *fill, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct reading *reading = fill->reading;
	enum poly_status status = in_status(reading->in, error);
	if (status < 0 || n == 0)
		return status;
	findings_add_truncation(reading->findings, FULL_F22,
		reading->record + fill->batch->view.rows + 1, in_offset(reading->in),
		"the last record has %zu bytes, expected %u", n,
		(unsigned)fill->reader->dialect.layout->record);
	put_corrupt(fill, p, n);
	return POLY_OK;
}

/*
 * Reads complete records from the n bytes at p, up to a synchronisation record or the batch's
 * limit; the first one is an instruction record whatever its opcode.
 */
static enum poly_status
read_records(struct full_fill *fill, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct full_reader *reader = fill->reader;
	size_t used = 0, size = reader->dialect.layout->record;
	uint64_t origin = in_offset(fill->reading->in);
	enum poly_status status = POLY_OK;
	while (fill->batch->view.rows < fill->rows_max && n - used >= size) {
		const uint8_t *now = p + used;
		if (used && reader->escapes && is_sync(reader, now))
			break;
		if (is_corrupt(reader, fill->previous, now)) {
			status = err_set(error, POLY_ERR_FORMAT, origin + used,
				"not a record: opcode %08x at pc %08llx",
				powerpc_word(&reader->dialect, now),
				(unsigned long long)powerpc_state_register(
					&reader->dialect, now + reader->dialect.layout->pc));
			break;
		}
		put_record(fill, now, origin + used);
		fill->previous = now;
		used += size;
	}
	if (used) {
		memcpy(reader->previous, fill->previous, sizeof reader->previous);
		reader->has_previous = true;
		reader->previous_end = origin + used;
		fill->previous = reader->previous;
	}
	in_consume(fill->reading->in, used);
	return status;
}

static enum poly_status
read_next(struct full_fill *fill, struct poly_error *error)
{
	struct full_reader *reader = fill->reader;
	size_t have, size = reader->dialect.layout->record;
	const uint8_t *p = in_peek(fill->reading->in, size, &have);
	if (reader->escapes && have >= FULL_ESCAPE_SIZE && is_sync(reader, p)) {
		bool escape = is_escape(fill);
		p = in_peek(fill->reading->in, size, &have);
		if (escape) {
			put_escape(fill, p);
			return POLY_OK;
		}
	}
	return have < size ? read_tail(fill, p, have, error)
			   : read_records(fill, p, have, error);
}

static struct full_fill
start_fill(struct reading *reading, struct batch *batch)
{
	struct full_reader *reader = reading->state;
	bool large = batch->view.payload && batch->capacity > PAYLOAD_ROWS;
	return (struct full_fill){reader, reading, batch,
		large ? PAYLOAD_ROWS : batch->capacity,
		reader->has_previous ? reader->previous : NULL};
}

enum poly_status
full_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct full_fill fill = start_fill(reading, batch);
	if (fill.reader->searching)
		return err_set(error, POLY_ERR_FORMAT, in_offset(reading->in),
			"no valid record found yet");
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && batch->view.rows < fill.rows_max)
		status = read_next(&fill, error);
	return status == POLY_END && batch->view.rows ? POLY_OK : status;
}

enum poly_status
full_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct full_fill fill = start_fill(reading, batch);
	struct full_reader *reader = fill.reader;
	size_t have, at = 1, lookahead = (size_t)2 * POWERPC_RECORD_MAX;
	const uint8_t *p = in_peek(reading->in, SEARCH_SIZE + lookahead, &have);
	bool last = have < SEARCH_SIZE + lookahead;
	size_t end = last ? have : SEARCH_SIZE;
	if (have == 0)
		return in_status(reading->in, error);
	while (at < end && !is_valid(reader, p + at, have - at))
		at++;
	reader->searching = at == end && !last;
	put_corrupt(&fill, p, at);
	return POLY_OK;
}

/* Returns whether a record ends after the n bytes at p, as far as can be seen. */
static bool
ends_record(const struct full_reader *reader, const uint8_t *p, size_t n)
{
	const struct powerpc_layout *layout = reader->dialect.layout;
	return n >= layout->record && is_valid(reader, p + n - layout->record, layout->record);
}

size_t
full_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	const struct full_reader *reader = reading->state;
	const size_t size = reader->dialect.layout->record;
	const size_t aligned = records_find_split(size, offset - FULL_MAGIC_SIZE, n);
	if (ends_record(reader, p, aligned))
		return aligned;
	for (size_t end = n; end >= size && n - end <= 2 * size; end--) {
		if (ends_record(reader, p, end))
			return end;
	}
	return 0;
}

bool
full_open_decoder(struct reading *reading, const struct reading *opened)
{
	struct full_reader *reader = reading->state;
	const struct full_reader *from = opened->state;
	reader->dialect = from->dialect;
	reader->escapes = from->escapes;
	reading->info->view.address_bits = opened->info->view.address_bits;
	return true;
}

void
full_enter_split(struct reading *reading, const uint8_t *before, size_t n)
{
	struct full_reader *reader = reading->state;
	const size_t size = reader->dialect.layout->record;
	reader->searching = false;
	reader->has_previous = n >= size;
	if (reader->has_previous)
		memcpy(reader->previous, before + n - size, sizeof reader->previous);
}

bool
full_is_at_split(const struct reading *reading, const uint8_t *before, size_t n)
{
	const struct full_reader *reader = reading->state;
	(void)before;
	return n >= reader->dialect.layout->record && reader->has_previous &&
	       reader->previous_end == in_offset(reading->in);
}
