/* SPDX-License-Identifier: MIT */
/*
 * Evaluation of expressions, a node at a time over a strip of rows: loops that compilers turn
 * into vector code. The result is absent if an operand is, and a test of an absent value is
 * false. Divisions by 0 and patterns beyond their limit make a condition fail, unless the other
 * operand of "and" or "or" decides.
 */
#include "lang/expr/expr.h"

#include "base/mem.h"
#include "base/vec.h"
#include "model/columns.h"

#include <string.h>

/* Rows of a batch. */
struct rows {
	struct poly_filter *filter;
	const struct poly_batch *batch;
	size_t base, count;
	uint64_t *fails; /* of the condition whose numbers are evaluated */
};

/* Maximum number of names whose verdict is stored. */
#define VERDICTS_MAX ((uint32_t)1 << 22)

static void
take_presence(const struct rows *rows, enum poly_column column, uint64_t have[EXPR_WORDS])
{
	const uint64_t *present =
		column >= POLY_COLUMN_row ? NULL : rows->batch->present[column];
	if (column == POLY_COLUMN_row)
		memset(have, 0xff, EXPR_WORDS * sizeof *have);
	else if (present)
		memcpy(have, present + rows->base / 64, (rows->count + 63) / 64 * sizeof *have);
	else
		memset(have, 0, EXPR_WORDS * sizeof *have);
}

#define WIDEN(type)                              \
	for (size_t i = 0; i < rows->count; i++) \
	out->value[i] = ((const type *)data)[rows->base + i]

static void
take_column(const struct rows *rows, enum poly_column column, struct strip *out)
{
	const void *data = column_data(rows->batch, column);
	take_presence(rows, column, out->have);
	if (!data)
		return;
	switch (column_table[column].size) {
	case 1: WIDEN(uint8_t); break;
	case 2: WIDEN(uint16_t); break;
	case 4: WIDEN(uint32_t); break;
	default: WIDEN(uint64_t);
	}
}

#define OPERATE(operation)                         \
	for (size_t i = 0; i < rows->count; i++) { \
		const uint64_t a = x[i], b = y[i]; \
		x[i] = (operation);                \
	}

/* A quotient by 0 fails. */
static void
divide(const struct rows *rows, const struct node *node, struct strip *left,
	const struct strip *right)
{
	for (size_t i = 0; i < rows->count; i++) {
		const uint64_t a = left->value[i], b = right->value[i];
		const bool remainder = node->kind == NODE_REMAINDER;
		if (b == 0) {
			rows->fails[i / 64] |= left->have[i / 64] & (uint64_t)1 << i % 64;
			left->have[i / 64] &= ~((uint64_t)1 << i % 64);
		}
		else if (!node->is_signed)
			left->value[i] = remainder ? a % b : a / b;
		else if (b == UINT64_MAX)
			left->value[i] = remainder ? 0 : -a;
		else
			left->value[i] = (uint64_t)(remainder ? (int64_t)a % (int64_t)b
							      : (int64_t)a / (int64_t)b);
	}
}

static void
operate(const struct rows *rows, const struct node *node, struct strip *left,
	const struct strip *right)
{
	uint64_t *x = left->value;
	const uint64_t *y = right->value;
	for (size_t w = 0; w < EXPR_WORDS; w++)
		left->have[w] &= right->have[w];
	switch ((unsigned)node->kind) {
	case NODE_ADD: OPERATE(a + b) break;
	case NODE_SUBTRACT: OPERATE(a - b) break;
	case NODE_MULTIPLY: OPERATE(a * b) break;
	case NODE_AND_BITS: OPERATE(a & b) break;
	case NODE_OR_BITS: OPERATE(a | b) break;
	case NODE_XOR_BITS: OPERATE(a ^ b) break;
	case NODE_SHIFT_LEFT: OPERATE(b < 64 ? a << b : 0) break;
	case NODE_SHIFT_RIGHT: OPERATE(b < 64 ? a >> b : 0) break;
	default: divide(rows, node, left, right);
	}
}

/* Evaluates a node of numbers into out; room holds those of its operands. */
static void
numbers(const struct rows *rows, uint32_t number, struct strip *out, struct strip *room)
{
	const struct node *node = &rows->filter->nodes[number];
	const struct poly_batch *batch = rows->batch;
	switch ((unsigned)node->kind) {
	case NODE_REGISTER:
	case NODE_COLUMN: take_column(rows, node->column, out); return;
	case NODE_NUMBER:
	case NODE_ROW:
		memset(out->have, 0xff, sizeof out->have);
		for (size_t i = 0; i < rows->count; i++)
			out->value[i] = node->kind == NODE_NUMBER
						? node->number
						: poly_batch_number(batch, rows->base + i);
		return;
	case NODE_NEGATE:
	case NODE_INVERT:
		numbers(rows, node->left, out, room);
		for (size_t i = 0; i < rows->count; i++)
			out->value[i] =
				node->kind == NODE_NEGATE ? -out->value[i] : ~out->value[i];
		return;
	}
	numbers(rows, node->left, out, room);
	numbers(rows, node->right, room, room + 1);
	operate(rows, node, out, room);
}

#define COMPARE(operation)                                            \
	for (size_t w = 0; w < EXPR_WORDS; w++) {                     \
		const uint64_t *x = left->value + 64 * w;             \
		const uint64_t *y = right->value + 64 * w;            \
		uint64_t word = 0;                                    \
		for (size_t i = 0; i < 64; i++)                       \
			word |= (uint64_t)(x[i] operation y[i]) << i; \
		bits[w] = word & left->have[w] & right->have[w];      \
	}

/* Compares whole strips; expr_run clears the bits past the rows. */
static void
compare(enum node_kind kind, struct strip *left, struct strip *right, uint64_t bits[EXPR_WORDS])
{
	switch ((unsigned)kind) {
	case NODE_EQUAL: COMPARE(==) break;
	case NODE_LESS: COMPARE(<) break;
	default: COMPARE(<=) break;
	}
}

/* Maps signed numbers to unsigned ones of the same order. */
static void
bias(struct strip *strip)
{
	for (size_t i = 0; i < EXPR_STRIP; i++)
		strip->value[i] ^= (uint64_t)1 << 63;
}

static void
compare_node(const struct rows *rows, const struct node *node, struct strip *room,
	uint64_t bits[EXPR_WORDS])
{
	const bool between = node->kind == NODE_BETWEEN;
	numbers(rows, node->left, room, room + 1);
	numbers(rows, node->right, room + 1, room + 2);
	if (between)
		numbers(rows, node->third, room + 2, room + 3);
	for (size_t i = 0; node->is_signed && i < (between ? 3 : 2); i++)
		bias(&room[i]);
	if (!between) {
		compare(node->kind, room, room + 1, bits);
		return;
	}
	uint64_t low[EXPR_WORDS];
	compare(NODE_LESS_EQUAL, room + 1, room, low);
	compare(NODE_LESS_EQUAL, room, room + 2, bits);
	for (size_t w = 0; w < EXPR_WORDS; w++)
		bits[w] &= low[w];
}

/* Whether a text matches the node. */
static enum regex_result
suits(const struct poly_filter *filter, const struct node *node, const void *text, size_t n)
{
	if (node->kind == NODE_REGEX)
		return regex_match(node->regex, text, n);
	const bool is = n == node->text_length &&
			(n == 0 || memcmp(text, filter->texts.data + node->text, n) == 0);
	return is ? REGEX_YES : REGEX_NO;
}

/* Whether the text of a name or number matches the node; tests each name once. */
static enum regex_result
value_suits(const struct rows *rows, struct node *node, uint64_t value)
{
	char room[COLUMN_TEXT];
	size_t n;
	if (value < node->verdict_count && node->verdicts[value])
		return (enum regex_result)(node->verdicts[value] - 1);
	const char *text = column_text(rows->batch->info, node->column, value, room, &n);
	const enum regex_result is = suits(rows->filter, node, text, n);
	if (column_table[node->column].form == POLY_FORM_NAME && value < VERDICTS_MAX &&
		VEC_ROOM_ZEROED(node->verdicts, node->verdict_count, value))
		node->verdicts[value] = (uint8_t)(is + 1);
	return is;
}

/* Formats bytes in hexadecimal. */
static enum regex_result
bytes_suit(const struct rows *rows, const struct node *node, size_t row)
{
	size_t n;
	struct buf *shown = &rows->filter->shown;
	const uint8_t *bytes = poly_batch_bytes(rows->batch, node->column, row, &n);
	if (column_table[node->column].form == POLY_FORM_TEXT)
		return suits(rows->filter, node, bytes, n);
	buf_clear(shown);
	char *dst = (char *)buf_reserve(shown, 2 * n + 1);
	if (!dst) {
		rows->filter->fault = FAULT_MEMORY;
		return REGEX_NO;
	}
	poly_batch_format(rows->batch, node->column, row, dst, 2 * n + 1);
	return suits(rows->filter, node, dst, 2 * n);
}

static void
texts(const struct rows *rows, struct node *node, struct decision *decision)
{
	uint64_t have[EXPR_WORDS], *bits = decision->holds;
	const enum poly_form form = column_table[node->column].form;
	const bool is_bytes = form == POLY_FORM_TEXT || form == POLY_FORM_BYTES;
	memset(bits, 0, EXPR_WORDS * sizeof *bits);
	take_presence(rows, node->column, have);
	for (size_t i = 0; i < rows->count; i++) {
		const size_t row = rows->base + i;
		if (!(have[i / 64] >> i % 64 & 1))
			continue;
		const enum regex_result is =
			is_bytes ? bytes_suit(rows, node, row)
				 : value_suits(rows, node,
					   poly_batch_integer(
						   rows->batch, node->column, row));
		if (is == REGEX_YES)
			bits[i / 64] |= (uint64_t)1 << i % 64;
		else if (is == REGEX_UNDECIDED)
			decision->fails[i / 64] |= (uint64_t)1 << i % 64;
	}
}

/* Packs 64 bytes that are 0 or 1 into bits. */
static uint64_t
gather(const uint8_t bytes[64])
{
	uint64_t word = 0;
	for (unsigned i = 0; i < 8; i++)
		word |= (load_le64(bytes + 8 * i) * 0x0102040810204080 >> 56) << 8 * i;
	return word;
}

#define IN_RANGE(type)                           \
	for (size_t i = 0; i < rows->count; i++) \
	is[i] = (uint64_t)((const type *)data)[rows->base + i] - first <= span

/* Tests a column against a range: subtracting first leaves one comparison. */
static void
ranges(const struct rows *rows, const struct node *node, uint64_t bits[EXPR_WORDS])
{
	uint8_t is[EXPR_STRIP];
	uint64_t have[EXPR_WORDS];
	const void *data = column_data(rows->batch, node->column);
	const uint64_t first = node->first, span = node->last - node->first;
	memset(bits, 0, EXPR_WORDS * sizeof *bits);
	if (!data || node->empty)
		return;
	take_presence(rows, node->column, have);
	switch (column_table[node->column].size) {
	case 1: IN_RANGE(uint8_t); break;
	case 2: IN_RANGE(uint16_t); break;
	case 4: IN_RANGE(uint32_t); break;
	default: IN_RANGE(uint64_t);
	}
	memset(is + rows->count, 0, EXPR_STRIP - rows->count);
	for (size_t w = 0; w < (rows->count + 63) / 64; w++)
		bits[w] = gather(is + 64 * w) & have[w];
}

static bool
is_none(const uint64_t bits[EXPR_WORDS])
{
	uint64_t any = 0;
	for (size_t w = 0; w < EXPR_WORDS; w++)
		any |= bits[w];
	return any == 0;
}

/* Combines two decisions by "and"; by "or" if they are negated before and after. */
static void
decide_both(struct decision *left, const struct decision *right)
{
	for (size_t w = 0; w < EXPR_WORDS; w++) {
		const uint64_t left_may = left->holds[w] | left->fails[w],
			       right_may = right->holds[w] | right->fails[w];
		left->fails[w] = (left->fails[w] & right_may) | (right->fails[w] & left_may);
		left->holds[w] &= right->holds[w];
	}
}

static void
negate(struct decision *decision)
{
	for (size_t w = 0; w < EXPR_WORDS; w++)
		decision->holds[w] = ~decision->holds[w] & ~decision->fails[w];
}

/* Notes the fault of a condition. */
static void
note_fault(const struct rows *rows, const struct decision *decision, enum filter_fault fault)
{
	if (!is_none(decision->fails) && rows->filter->fault == FAULT_NONE)
		rows->filter->fault = fault;
}

/* Decides a test; false: the node is none. */
static bool
decide_test(const struct rows *rows, struct node *node, struct strip *room,
	struct decision *decision)
{
	struct rows failing = *rows;
	failing.fails = decision->fails;
	memset(decision->fails, 0, sizeof decision->fails);
	if (node->ranged) {
		ranges(rows, node, decision->holds);
		return true;
	}
	switch ((unsigned)node->kind) {
	case NODE_MATCH:
	case NODE_REGEX:
		texts(rows, node, decision);
		note_fault(rows, decision, FAULT_PATTERN);
		return true;
	case NODE_HAS: take_presence(rows, node->column, decision->holds); return true;
	case NODE_EQUAL:
	case NODE_LESS:
	case NODE_LESS_EQUAL:
	case NODE_BETWEEN:
		compare_node(&failing, node, room, decision->holds);
		note_fault(rows, decision, FAULT_DIVISION);
		return true;
	}
	return false;
}

static void
conditions(const struct rows *rows, uint32_t number, struct strip *room,
	struct decision *decision)
{
	struct node *node = &rows->filter->nodes[number];
	struct decision right;
	if (decide_test(rows, node, room, decision))
		return;
	conditions(rows, node->left, room, decision);
	if (node->kind == NODE_NOT) {
		negate(decision);
		return;
	}
	if (node->kind == NODE_AND && is_none(decision->holds) && is_none(decision->fails))
		return;
	conditions(rows, node->right, room, &right);
	if (node->kind == NODE_OR) {
		negate(decision);
		negate(&right);
	}
	decide_both(decision, &right);
	if (node->kind == NODE_OR)
		negate(decision);
}

void
expr_run(struct poly_filter *filter, const struct poly_batch *batch, size_t base, size_t rows,
	uint64_t bits[EXPR_WORDS])
{
	const struct rows some = {filter, batch, base, rows, NULL};
	struct decision decision;
	const enum filter_fault before = filter->fault;
	conditions(&some, filter->root, filter->strips, &decision);
	size_t failing = rows;
	for (size_t w = 0; w < EXPR_WORDS; w++) {
		const size_t from = 64 * w;
		uint64_t valid = UINT64_MAX;
		if (rows < from + 64)
			valid = rows > from ? ~(uint64_t)0 >> (from + 64 - rows) : 0;
		bits[w] = decision.holds[w] & valid;
		if (filter->needed)
			valid &= filter->needed[base / 64 + w];
		if (failing == rows && decision.fails[w] & valid)
			failing = from + (size_t)__builtin_ctzll(decision.fails[w] & valid);
	}
	if (filter->fault == FAULT_MEMORY || before != FAULT_NONE)
		return;
	filter->fault_row = base + failing;
	/* The other operands have decided. */
	if (failing == rows)
		filter->fault = FAULT_NONE;
}

void
expr_clear_verdicts(struct poly_filter *filter)
{
	for (uint32_t i = 0; i < filter->count; i++) {
		mem_free(filter->nodes[i].verdicts);
		filter->nodes[i].verdicts = NULL;
		filter->nodes[i].verdict_count = 0;
	}
}
