/* SPDX-License-Identifier: MIT */
/*
 * The rules of TT6 and TT6E that need more than one record: branches and their targets, one
 * opcode per PC, escapes and the instructions after them, twi and its synthetic pair, sync
 * counts.
 *
 * spec: Apple amber traces 5 (A04 to A20, A24).
 */
#include "base/mem.h"
#include "format/tt6/tt6.h"

#include <string.h>

/* Maximum number of addresses checked: limits the memory for a long or corrupt trace. */
#define CHECKED_MAX ((size_t)1 << 20)

/* Maximum number of instructions outside the tables; there are fewer mnemonics. */
#define OUTSIDE_MAX 128

/* A memory instruction whose address TT6 does not record. */
struct tt6_outside {
	const char *mnemonic;
	uint64_t count;
	struct tt6_origin first;
};

struct tt6_check {
	struct map opcodes; /* pc: its first opcode */
	struct map signals; /* sync address: its last signal's count */
	struct tt6_outside outside[OUTSIDE_MAX];
	size_t outside_count;
};

/* The row to check. */
struct tt6_checking {
	struct reading *reading;
	struct tt6_check *check;
	struct tt6_sequence *sequence;
	const struct poly_batch *batch;
	size_t row;
	struct tt6_origin origin;
	uint32_t pc, opcode, next;
	bool is_synthetic, is_flow;
};

#define FOUND(checking, rule, ...)                                                   \
	findings_add((checking)->reading->findings, rule, (checking)->origin.record, \
		(checking)->origin.offset, __VA_ARGS__)

struct tt6_check *
tt6_check_new(void)
{
	return mem_new(1, sizeof(struct tt6_check));
}

void
tt6_check_free(struct tt6_check *check)
{
	if (!check)
		return;
	map_free(&check->opcodes);
	map_free(&check->signals);
	mem_free(check);
}

/* A05 and A06: op 18 and 16 encode their target. Also reports the PC that the branch implies.
 */
static void
check_relative(const struct tt6_checking *checking)
{
	uint32_t pc = checking->pc, next = checking->next, opcode = checking->opcode;
	struct powerpc_branch branch = powerpc_branch(opcode, pc);
	bool is_conditional = opcode >> 26 == 16, is_absolute = opcode & 2;
	if (!branch.has_target || next == branch.target || (is_conditional && next == pc + 4))
		return;
	enum tt6_rule rule = is_conditional ? TT6_A06 : TT6_A05;
	const char *name = is_conditional ? "bc" : "b";
	if (is_absolute)
		FOUND(checking, rule,
			"%s at 0x%x leads to 0x%x, expected 0x%x (PC discontinuity)", name,
			(unsigned)pc, (unsigned)next, (unsigned)branch.target);
	else
		FOUND(checking, rule,
			"%s at 0x%x leads to 0x%x, expected 0x%x (PC discontinuity; the branch "
			"implies PC 0x%x)",
			name, (unsigned)pc, (unsigned)next, (unsigned)branch.target,
			(unsigned)(next - (branch.target - pc)));
}

static bool
is_splice(const struct tt6_checking *checking)
{
	return checking->reading->options[TT6_OPTION_SPLICE] &&
	       checking->opcode == TT6_SPLICE && checking->next != checking->pc;
}

/* A04 to A07, and A08, for an instruction that is not synthetic. */
static void
check_flow(const struct tt6_checking *checking, bool is_synthetic)
{
	uint32_t pc = checking->pc, next = checking->next;
	if (next % 4)
		FOUND(checking, TT6_A04, "the next address is 0x%x, expected a multiple of 4",
			(unsigned)next);
	if (is_synthetic || is_splice(checking))
		return;
	check_relative(checking);
	if (checking->opcode >> 26 == 17 && next != pc + 4 && next != pc + 8)
		FOUND(checking, TT6_A07, "sc at 0x%x leads to 0x%x, expected 0x%x or 0x%x",
			(unsigned)pc, (unsigned)next, (unsigned)(pc + 4), (unsigned)(pc + 8));
}

/* A08. */
static inline void
check_opcode(const struct tt6_checking *checking)
{
	const uint32_t opcode = checking->opcode;
	struct deferred_checks *deferred = checking->reading->deferred;
	if (deferred) {
		check_defer_value(deferred, checking->row, checking->pc, 0, opcode);
		return;
	}
	const uint64_t *previous =
		map_before(&checking->check->opcodes, checking->pc, opcode, CHECKED_MAX);
	if (!previous || *previous == opcode)
		return;
	checking->reading->has_disagreed = true;
	FOUND(checking, TT6_A08, "PC 0x%x has opcode 0x%x, expected 0x%x as before",
		(unsigned)checking->pc, (unsigned)opcode, (unsigned)*previous);
}

static void
check_form(const struct tt6_checking *checking)
{
	const uint32_t opcode = checking->opcode;
	if ((opcode >> 26 == 58 || opcode >> 26 == 62) && (opcode & 3) == 3)
		FOUND(checking, TT6_A17,
			"opcode 0x%x has low bits 3, which is not a valid form",
			(unsigned)opcode);
}

/* A15: counted by mnemonic, reported at the end. */
static void
check_outside(const struct tt6_checking *checking, const struct powerpc_instruction *found)
{
	struct tt6_check *check = checking->check;
	if (!(found->flags & POWERPC_OUTSIDE))
		return;
	if (checking->reading->deferred) {
		check_defer(checking->reading->deferred, checking->row);
		return;
	}
	size_t i = 0;
	while (i < check->outside_count && check->outside[i].mnemonic != found->mnemonic)
		i++;
	if (i == OUTSIDE_MAX)
		return;
	if (i == check->outside_count) {
		check->outside_count++;
		check->outside[i] = (struct tt6_outside){found->mnemonic, 0, checking->origin};
	}
	check->outside[i].count++;
}

static void
check_third(const struct tt6_checking *checking, const struct powerpc_instruction *found)
{
	if (!(found->flags & POWERPC_STRING) ||
		!poly_present(checking->batch, POLY_COLUMN_value, checking->row))
		return;
	uint64_t third = checking->batch->value[checking->row];
	if (third > 127)
		FOUND(checking, TT6_A18,
			"the third word of '%s' is 0x%llx: a raw XER, not a count of bytes",
			found->mnemonic, (unsigned long long)third);
}

static void
found_lone_twi(const struct tt6_checking *checking)
{
	findings_add(checking->reading->findings, TT6_A16, checking->sequence->twi.record,
		checking->sequence->twi.offset,
		"twi is not followed by the synthetic b 0x700, rfi");
}

/* A16 and A20, in the order of instructions; escapes may be between them. */
static inline __attribute__((always_inline)) void
check_twi(const struct tt6_checking *checking, bool is_synthetic)
{
	struct tt6_sequence *sequence = checking->sequence;
	const struct tt6 *state = checking->reading->state;
	bool begins_pair = is_synthetic && checking->opcode >> 26 == 18;
	if (state->extended && sequence->after_twi && !begins_pair)
		found_lone_twi(checking);
	if (state->extended && begins_pair && !sequence->after_twi)
		FOUND(checking, TT6_A16, "the synthetic b 0x700, rfi does not follow a twi");
	if (state->extended && sequence->returns && checking->next != sequence->twi_return)
		FOUND(checking, TT6_A20,
			"the synthetic rfi leads to 0x%x, expected 0x%x, the instruction after "
			"the twi",
			(unsigned)checking->next, (unsigned)sequence->twi_return);
	sequence->returns = begins_pair && sequence->after_twi;
	sequence->after_twi = checking->opcode >> 26 == 3;
	if (sequence->after_twi)
		sequence->twi_return = checking->pc + 4;
	sequence->twi = checking->origin;
	sequence->is_distinct |= sequence->after_twi || begins_pair ||
				 powerpc_class_fast(checking->opcode) == POWERPC_CACHE;
}

/* A14; discards the escapes of this instruction. */
static void
check_announced(const struct tt6_checking *checking)
{
	struct tt6_announced *address = &checking->sequence->announced[TT6_CODE_DATA_ADDRESS];
	const struct tt6 *state = checking->reading->state;
	bool has_own = state->tables.fact[tt6_index(checking->opcode)] & TT6_HAS_ADDRESS;
	if (has_own && address->is_set) {
		const uint64_t own = checking->batch->address[checking->row];
		const uint64_t ignored = powerpc_ignored_bits(powerpc_find(checking->opcode));
		if (own != (address->value & ~ignored))
			FOUND(checking, TT6_A14,
				"the record's address is 0x%llx, the preceding escape has "
				"0x%llx",
				(unsigned long long)own, (unsigned long long)address->value);
	}
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++)
		checking->sequence->announced[code].is_set = false;
}

/* Loads the columns of an instruction. */
static inline void
load_instruction(struct tt6_checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	checking->pc = (uint32_t)batch->pc[checking->row];
	checking->opcode = (uint32_t)batch->opcode[checking->row];
	checking->next = (uint32_t)batch->next_pc[checking->row];
	checking->is_synthetic = poly_present(batch, POLY_COLUMN_synthetic, checking->row);
	checking->is_flow = poly_present(batch, POLY_COLUMN_next_pc, checking->row);
}

static void
check_instruction(struct tt6_checking *checking)
{
	load_instruction(checking);
	const bool is_synthetic = checking->is_synthetic, is_flow = checking->is_flow;
	checking->sequence->has_instruction = true;
	if (is_flow)
		check_flow(checking, is_synthetic);
	if (!is_synthetic && !(is_flow && is_splice(checking))) {
		check_opcode(checking);
		check_form(checking);
	}
	const struct powerpc_instruction *found = powerpc_find(checking->opcode);
	check_outside(checking, found);
	check_third(checking, found);
	check_twi(checking, is_synthetic);
	check_announced(checking);
}

/* Returns the number of words of an escape row's payload. */
static uint64_t
payload_words(const struct tt6_checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	size_t row = checking->row, n;
	if (poly_present(batch, POLY_COLUMN_payload, row)) {
		poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
		return n / 4;
	}
	if (poly_present(batch, POLY_COLUMN_sync, row))
		return 2;
	return batch->value[row] >> 32 ? 2 : 1;
}

/* A09 to A12: code and word count of an escape. */
static void
check_code(const struct tt6_checking *checking, unsigned code, uint64_t words)
{
	bool is_context = code <= TT6_CODE_LAST_CONTEXT;
	bool is_sync = code >= TT6_CODE_SIGNAL && code <= TT6_CODE_LAST_SYNC;
	if (!is_context && !is_sync)
		FOUND(checking, TT6_A09,
			"undefined escape code 0x%x with %llu words, which are preserved", code,
			(unsigned long long)words);
	if (tt6_sync(code) >= 0 && words != 2)
		FOUND(checking, TT6_A10, "sync escape 0x%x has %llu words, expected 2", code,
			(unsigned long long)words);
	if (is_context && words > 64)
		FOUND(checking, TT6_A10, "escape 0x%x has %llu words, expected at most 64",
			code, (unsigned long long)words);
	if (is_sync && tt6_sync(code) < 0)
		FOUND(checking, TT6_A11, "sync escape 0x%x is reserved", code);
	if (code == 0 && words == 0)
		FOUND(checking, TT6_A12, "null escape (word 00000000)");
}

/* A13: a second escape of the same code before an instruction. */
static void
announce(const struct tt6_checking *checking, unsigned code)
{
	struct tt6_announced *announced = &checking->sequence->announced[code];
	if (announced->is_set)
		findings_add(checking->reading->findings, TT6_A13, announced->origin.record,
			announced->origin.offset,
			"escape 0x%x is followed by another of the same code", code);
	*announced = (struct tt6_announced){
		true, checking->batch->value[checking->row], checking->origin};
}

/* A19, for the signals of this file's thread at an address. */
static void
check_sync(const struct tt6_checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	uint64_t address = batch->address[checking->row], count = batch->value[checking->row];
	unsigned sync = batch->sync[checking->row];
	if (sync == POLY_SYNC_SIGNAL || sync == POLY_SYNC_BROADCAST) {
		uint64_t *last =
			map_before(&checking->check->signals, address, count, CHECKED_MAX);
		if (last && count <= *last)
			FOUND(checking, TT6_A19,
				"the signal count of 0x%llx is %llu, expected more than %llu: "
				"%s",
				(unsigned long long)address, (unsigned long long)count,
				(unsigned long long)*last,
				count == *last ? "a duplicate" : "not increasing");
		if (last && count > *last)
			*last = count;
		return;
	}
	const uint64_t *last = map_find(&checking->check->signals, address);
	if (last && count < *last)
		FOUND(checking, TT6_A19,
			"the wait count of 0x%llx is %llu, less than the thread's own signal "
			"count %llu",
			(unsigned long long)address, (unsigned long long)count,
			(unsigned long long)*last);
}

static void
check_escape(const struct tt6_checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	unsigned code = batch->escape[checking->row];
	check_code(checking, code, payload_words(checking));
	const bool is_sync = poly_present(batch, POLY_COLUMN_sync, checking->row);
	if (is_sync && checking->reading->deferred)
		check_defer(checking->reading->deferred, checking->row);
	else if (is_sync)
		check_sync(checking);
	else if (tt6_binds(code) && poly_present(batch, POLY_COLUMN_value, checking->row))
		announce(checking, code);
}

static void
check_end(struct tt6_checking *checking)
{
	struct tt6_check *check = checking->check;
	struct tt6_sequence *sequence = checking->sequence;
	struct findings *findings = checking->reading->findings;
	const struct tt6 *state = checking->reading->state;
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++) {
		const struct tt6_announced *announced = &sequence->announced[code];
		if (announced->is_set)
			findings_add(findings, TT6_A13, announced->origin.record,
				announced->origin.offset,
				"escape 0x%x is followed by the end of the file", code);
	}
	for (size_t i = 0; i < check->outside_count; i++) {
		const struct tt6_outside *outside = &check->outside[i];
		findings_add(findings, TT6_A15, outside->first.record, outside->first.offset,
			"'%s' accesses memory without an address in TT6: %llu times",
			outside->mnemonic, (unsigned long long)outside->count);
	}
	if (state->extended && sequence->after_twi)
		found_lone_twi(checking);
	if (sequence->has_instruction && !sequence->is_distinct)
		findings_add(findings, TT6_A24, 0, POLY_NO_OFFSET,
			"no cache operation and no twi: the content is valid TT6 and TT6E");
}

static inline void
set_row(struct tt6_checking *checking, size_t row)
{
	checking->row = row;
	checking->origin = (struct tt6_origin){
		checking->batch->first + row + 1, checking->batch->origin[row]};
}

/*
 * Defers the rows of a chunk up to the first instruction, inclusive, that does not begin the
 * pair of a twi: what follows it does not depend on rows before it. Returns their number.
 */
static size_t
defer_prefix(struct tt6_checking *checking)
{
	struct tt6_sequence *sequence = checking->sequence;
	size_t row = 0;
	for (; !sequence->is_known && row < checking->batch->rows; row++) {
		if (checking->batch->kind[row] != POLY_KIND_INSTRUCTION)
			continue;
		set_row(checking, row);
		load_instruction(checking);
		sequence->is_known = !checking->is_synthetic || checking->opcode >> 26 != 18;
		if (sequence->is_known)
			check_twi(checking, checking->is_synthetic);
	}
	check_defer_prefix(checking->reading, row);
	return row;
}

void
tt6_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	struct tt6 *state = reading->state;
	struct tt6_checking checking = {.reading = reading,
		.check = state->check,
		.sequence = &state->sequence,
		.batch = batch};
	(void)prefix;
	set_row(&checking, row);
	if (batch->kind[row] != POLY_KIND_INSTRUCTION) {
		if (poly_present(batch, POLY_COLUMN_escape, row) &&
			poly_present(batch, POLY_COLUMN_sync, row))
			check_sync(&checking);
		return;
	}
	load_instruction(&checking);
	if (!checking.is_synthetic && !(checking.is_flow && is_splice(&checking)))
		check_opcode(&checking);
	check_outside(&checking, powerpc_find(checking.opcode));
}

void
tt6_check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct tt6_sequence *sequence = &((struct tt6 *)reading->state)->sequence;
	const bool is_distinct = sequence->is_distinct,
		   has_instruction = sequence->has_instruction;
	(void)batch;
	memcpy(sequence, state, sizeof *sequence);
	sequence->is_distinct |= is_distinct;
	sequence->has_instruction |= has_instruction;
	sequence->twi.record += first;
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++)
		sequence->announced[code].origin.record += first;
}

void
tt6_check(struct reading *reading, const struct poly_batch *batch)
{
	struct tt6 *state = reading->state;
	struct tt6_checking checking = {.reading = reading,
		.check = state->check,
		.sequence = &state->sequence,
		.batch = batch};
	if (!batch) {
		check_end(&checking);
		return;
	}
	for (size_t row = reading->deferred ? defer_prefix(&checking) : 0; row < batch->rows;
		row++) {
		set_row(&checking, row);
		if (batch->kind[row] == POLY_KIND_INSTRUCTION)
			check_instruction(&checking);
		else if (poly_present(batch, POLY_COLUMN_escape, row))
			check_escape(&checking);
	}
}
