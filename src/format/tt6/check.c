/* SPDX-License-Identifier: MIT */
/*
 * The rules of TT6 and TT6E that need more than one look at a record: branches against their
 * targets, one opcode a PC, escapes and what follows them, twi and its synthetic pair, sync
 * counts.
 *
 * spec: reference amber 5 (A04 to A19, A24).
 */
#include "base/mem.h"
#include "format/tt6/tt6.h"

/* Addresses that are watched at most: a bound for the memory of a long or broken trace. */
#define WATCHED_MOST ((size_t)1 << 20)

/* Instructions outside the tables that are told apart; their mnemonics are fewer. */
#define OUTSIDE_MOST 128

/* A record to come back to. */
struct place {
	uint64_t record, offset;
};

/* An address that an escape gave for the next instruction. */
struct announced {
	bool given;
	uint64_t value;
	struct place place;
};

/* A memory instruction whose address TT6 does not record. */
struct outside {
	const char *mnemonic;
	uint64_t count;
	struct place first;
};

struct tt6_check {
	struct map opcodes; /* pc: its first opcode */
	struct map signals; /* sync address: its last signal's count */
	struct announced announced[TT6_CODE_LAST_CONTEXT + 1];
	struct outside outside[OUTSIDE_MOST];
	size_t outside_count;
	struct place twi;     /* the last instruction, where it is a twi */
	bool after_twi;	      /* and was not followed yet */
	bool tells;	      /* a cache operation or twi was seen */
	bool has_instruction; /* any was seen */
};

/* The row that is looked at. */
struct checking {
	struct reading *reading;
	struct tt6_check *check;
	const struct poly_batch *batch;
	size_t row;
	struct place place;
	uint32_t pc, opcode, next;
};

#define FOUND(checking, rule, ...)                                                  \
	findings_add((checking)->reading->findings, rule, (checking)->place.record, \
		(checking)->place.offset, __VA_ARGS__)

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

/* A05 and A06: op 18 and 16 state their target. PC of the record as the branch implies it. */
static void
check_relative(const struct checking *checking)
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
			"%s at 0x%x goes to 0x%x, expected 0x%x: a discontinuity of the PC",
			name, (unsigned)pc, (unsigned)next, (unsigned)branch.target);
	else
		FOUND(checking, rule,
			"%s at 0x%x goes to 0x%x, expected 0x%x: a discontinuity of the PC, "
			"which by this branch is 0x%x",
			name, (unsigned)pc, (unsigned)next, (unsigned)branch.target,
			(unsigned)(next - (branch.target - pc)));
}

static bool
is_splice(const struct checking *checking)
{
	return checking->reading->options[TT6_OPTION_SPLICE] &&
	       checking->opcode == TT6_SPLICE && checking->next != checking->pc;
}

/* A04 to A07, and A08, of an instruction that is not synthetic. */
static void
check_flow(const struct checking *checking, bool is_synthetic)
{
	uint32_t pc = checking->pc, next = checking->next;
	if (next % 4)
		FOUND(checking, TT6_A04, "the next address is 0x%x, expected a multiple of 4",
			(unsigned)next);
	if (is_synthetic || is_splice(checking))
		return;
	check_relative(checking);
	if (checking->opcode >> 26 == 17 && next != pc + 4 && next != pc + 8)
		FOUND(checking, TT6_A07, "sc at 0x%x goes on at 0x%x, expected 0x%x or 0x%x",
			(unsigned)pc, (unsigned)next, (unsigned)(pc + 4), (unsigned)(pc + 8));
}

static void
check_opcode(const struct checking *checking)
{
	uint32_t opcode = checking->opcode;
	uint64_t *before =
		map_before(&checking->check->opcodes, checking->pc, opcode, WATCHED_MOST);
	if (before && *before != opcode)
		FOUND(checking, TT6_A08, "PC 0x%x has opcode 0x%x, and had 0x%x before",
			(unsigned)checking->pc, (unsigned)opcode, (unsigned)*before);
	if ((opcode >> 26 == 58 || opcode >> 26 == 62) && (opcode & 3) == 3)
		FOUND(checking, TT6_A17, "opcode 0x%x has low bits 3, which is no valid form",
			(unsigned)opcode);
}

/* A15: counted by mnemonic, told at the end. */
static void
check_outside(const struct checking *checking, const struct powerpc_instruction *found)
{
	struct tt6_check *check = checking->check;
	if (!(found->flags & POWERPC_OUTSIDE))
		return;
	size_t i = 0;
	while (i < check->outside_count && check->outside[i].mnemonic != found->mnemonic)
		i++;
	if (i == OUTSIDE_MOST)
		return;
	if (i == check->outside_count) {
		check->outside_count++;
		check->outside[i] = (struct outside){found->mnemonic, 0, checking->place};
	}
	check->outside[i].count++;
}

static void
check_third(const struct checking *checking, const struct powerpc_instruction *found)
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
found_lone_twi(const struct checking *checking)
{
	findings_add(checking->reading->findings, TT6_A16, checking->check->twi.record,
		checking->check->twi.offset,
		"twi is not followed by the synthetic b 0x700, rfi");
}

/* A16, in the order of instructions; escapes may stand between. */
static void
check_twi(const struct checking *checking, bool is_synthetic)
{
	struct tt6_check *check = checking->check;
	const struct tt6 *state = checking->reading->state;
	bool begins_pair = is_synthetic && checking->opcode >> 26 == 18;
	if (state->extended && check->after_twi && !begins_pair)
		found_lone_twi(checking);
	if (state->extended && begins_pair && !check->after_twi)
		FOUND(checking, TT6_A16, "the synthetic b 0x700, rfi does not follow a twi");
	check->after_twi = checking->opcode >> 26 == 3;
	check->twi = checking->place;
	check->tells |= check->after_twi || begins_pair ||
			powerpc_class_fast(checking->opcode) == POWERPC_CACHE;
}

/* A14, and the end of what escapes announced. */
static void
check_announced(const struct checking *checking)
{
	struct announced *address = &checking->check->announced[TT6_CODE_DATA_ADDRESS];
	const struct tt6 *state = checking->reading->state;
	bool has_own = state->tables.fact[tt6_place(checking->opcode)] & TT6_HAS_ADDRESS;
	if (has_own && address->given) {
		uint64_t own = checking->batch->address[checking->row];
		if (own != address->value)
			FOUND(checking, TT6_A14,
				"the record's address is 0x%llx, the escape before it says "
				"0x%llx",
				(unsigned long long)own, (unsigned long long)address->value);
	}
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++)
		checking->check->announced[code].given = false;
}

static void
check_instruction(struct checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	size_t row = checking->row;
	checking->check->has_instruction = true;
	checking->pc = (uint32_t)batch->pc[row];
	checking->opcode = (uint32_t)batch->opcode[row];
	checking->next = (uint32_t)batch->next_pc[row];
	bool is_synthetic = poly_present(batch, POLY_COLUMN_synthetic, row);
	bool is_flow = poly_present(batch, POLY_COLUMN_next_pc, row);
	if (is_flow)
		check_flow(checking, is_synthetic);
	if (!is_synthetic && !(is_flow && is_splice(checking)))
		check_opcode(checking);
	const struct powerpc_instruction *found = powerpc_find(checking->opcode);
	check_outside(checking, found);
	check_third(checking, found);
	check_twi(checking, is_synthetic);
	check_announced(checking);
}

/* Words of an escape row's payload. */
static uint64_t
payload_words(const struct checking *checking)
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

/* A09 to A12: code and count of an escape. */
static void
check_code(const struct checking *checking, unsigned code, uint64_t words)
{
	bool is_context = code <= TT6_CODE_LAST_CONTEXT;
	bool is_sync = code >= TT6_CODE_SIGNAL && code <= TT6_CODE_LAST_SYNC;
	if (!is_context && !is_sync)
		FOUND(checking, TT6_A09,
			"escape code 0x%x with %llu words is not defined; they are kept", code,
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
		FOUND(checking, TT6_A12, "a word is 00000000, a null escape");
}

/* A13: the same code again before an instruction took it. */
static void
announce(const struct checking *checking, unsigned code)
{
	struct announced *announced = &checking->check->announced[code];
	if (announced->given)
		findings_add(checking->reading->findings, TT6_A13, announced->place.record,
			announced->place.offset,
			"escape 0x%x is followed by another of the same code", code);
	*announced = (struct announced){
		true, checking->batch->value[checking->row], checking->place};
}

/* A19, as far as one thread's file can tell: its own signals at an address. */
static void
check_sync(const struct checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	uint64_t address = batch->address[checking->row], count = batch->value[checking->row];
	unsigned sync = batch->sync[checking->row];
	if (sync == POLY_SYNC_SIGNAL || sync == POLY_SYNC_BROADCAST) {
		uint64_t *last =
			map_before(&checking->check->signals, address, count, WATCHED_MOST);
		if (last && count <= *last)
			FOUND(checking, TT6_A19,
				"the signal count of 0x%llx is %llu, and was %llu before: %s",
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
			"the wait count of 0x%llx is %llu, below the thread's own signal %llu",
			(unsigned long long)address, (unsigned long long)count,
			(unsigned long long)*last);
}

static void
check_escape(const struct checking *checking)
{
	const struct poly_batch *batch = checking->batch;
	unsigned code = batch->escape[checking->row];
	check_code(checking, code, payload_words(checking));
	if (poly_present(batch, POLY_COLUMN_sync, checking->row))
		check_sync(checking);
	else if (tt6_binds(code) && poly_present(batch, POLY_COLUMN_value, checking->row))
		announce(checking, code);
}

static void
check_end(struct checking *checking)
{
	struct tt6_check *check = checking->check;
	struct findings *findings = checking->reading->findings;
	const struct tt6 *state = checking->reading->state;
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++) {
		const struct announced *announced = &check->announced[code];
		if (announced->given)
			findings_add(findings, TT6_A13, announced->place.record,
				announced->place.offset,
				"escape 0x%x is followed by the end of the file", code);
	}
	for (size_t i = 0; i < check->outside_count; i++) {
		const struct outside *outside = &check->outside[i];
		findings_add(findings, TT6_A15, outside->first.record, outside->first.offset,
			"'%s' accesses memory and has no address in TT6: %llu times",
			outside->mnemonic, (unsigned long long)outside->count);
	}
	if (state->extended && check->after_twi)
		found_lone_twi(checking);
	if (check->has_instruction && !check->tells)
		findings_add(findings, TT6_A24, 0, POLY_NO_OFFSET,
			"no cache operation and no twi: the same bytes are TT6 and TT6E");
}

void
tt6_check(struct reading *reading, const struct poly_batch *batch)
{
	struct tt6 *state = reading->state;
	struct checking checking = {.reading = reading, .check = state->check, .batch = batch};
	if (!batch) {
		check_end(&checking);
		return;
	}
	for (size_t row = 0; row < batch->rows; row++) {
		checking.row = row;
		checking.place = (struct place){batch->first + row + 1, batch->origin[row]};
		if (batch->kind[row] == POLY_KIND_INSTRUCTION)
			check_instruction(&checking);
		else if (poly_present(batch, POLY_COLUMN_escape, row))
			check_escape(&checking);
	}
}
