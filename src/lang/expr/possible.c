/* SPDX-License-Identifier: MIT */
/*
 * Evaluates an expression over rows of which only the ranges of some columns are known. The
 * result is conservative: a condition that the ranges do not decide may hold and may fail.
 */
#include "lang/expr/expr.h"

/* Possible results of a condition. */
enum { MAY_HOLD = 1, MAY_FAIL = 2 };

/* Range of a node's numbers in the rows in which it is present. */
struct interval {
	uint64_t min, max;
	bool none; /* absent in every row */
	bool sure; /* present in every row */
};

static const struct interval anything = {0, UINT64_MAX, false, false};

static struct interval
of_column(enum poly_column column, const struct poly_bounds *bounds)
{
	for (size_t i = 0; i < bounds->count; i++) {
		const struct poly_range *range = &bounds->ranges[i];
		if (range->column == column)
			return (struct interval){
				range->min, range->max, range->min > range->max, false};
	}
	return anything;
}

/* Range after a mask: a mask that clears low bits only keeps the order. */
static struct interval
masked(struct interval left, uint64_t mask, bool sure)
{
	if ((~mask & (~mask + 1)) == 0)
		return (struct interval){left.min & mask, left.max & mask, false, sure};
	return (struct interval){0, left.max < mask ? left.max : mask, false, sure};
}

static struct interval
operate(const struct node *node, struct interval left, struct interval right)
{
	const bool sure = left.sure && right.sure, constant = right.min == right.max;
	const uint64_t k = right.min;
	uint64_t sum;
	switch ((unsigned)node->kind) {
	case NODE_ADD:
		if (!__builtin_add_overflow(left.max, right.max, &sum))
			return (struct interval){left.min + right.min, sum, false, sure};
		break;
	case NODE_SUBTRACT:
		if (left.min >= right.max)
			return (struct interval){
				left.min - right.max, left.max - right.min, false, sure};
		break;
	case NODE_DIVIDE:
		if (constant && k && !node->is_signed)
			return (struct interval){left.min / k, left.max / k, false, sure};
		break;
	case NODE_SHIFT_RIGHT:
		if (constant && k < 64)
			return (struct interval){left.min >> k, left.max >> k, false, sure};
		break;
	case NODE_AND_BITS:
		if (constant)
			return masked(left, k, sure);
		break;
	}
	return anything;
}

static struct interval
numbers(const struct poly_filter *filter, uint32_t number, const struct poly_bounds *bounds)
{
	const struct node *node = &filter->nodes[number];
	switch ((unsigned)node->kind) {
	case NODE_NUMBER: return (struct interval){node->number, node->number, false, true};
	case NODE_ROW:
		return (struct interval){
			bounds->first + 1, bounds->first + bounds->rows, false, true};
	case NODE_COLUMN: return of_column(node->column, bounds);
	case NODE_REGISTER: return anything;
	}
	const struct interval left = numbers(filter, node->left, bounds);
	if (left.none || node->kind == NODE_NEGATE || node->kind == NODE_INVERT)
		return left.none ? left : anything;
	const struct interval right = numbers(filter, node->right, bounds);
	return right.none ? right : operate(node, left, right);
}

/* Maps a range of signed numbers to unsigned ones of the same order. */
static struct interval
biased(struct interval interval)
{
	const uint64_t top = (uint64_t)1 << 63;
	if (!interval.none && (interval.min ^ interval.max) & top)
		return (struct interval){0, UINT64_MAX, false, interval.sure};
	interval.min ^= top;
	interval.max ^= top;
	return interval;
}

/* Possible results of low <= high (same) or low < high. */
static unsigned
in_order(struct interval low, struct interval high, bool same)
{
	const bool holds = low.min < high.max || (same && low.min == high.max);
	const bool fails = low.max > high.min || (!same && low.max == high.min);
	return (holds ? MAY_HOLD : 0) | (fails || !low.sure || !high.sure ? MAY_FAIL : 0);
}

/* Combines two conditions by and, or. */
static unsigned
both(unsigned left, unsigned right)
{
	return (left & right & MAY_HOLD) | ((left | right) & MAY_FAIL);
}

static unsigned
either(unsigned left, unsigned right)
{
	return ((left | right) & MAY_HOLD) | (left & right & MAY_FAIL);
}

static unsigned
comparison(const struct poly_filter *filter, const struct node *node,
	const struct poly_bounds *bounds)
{
	const bool between = node->kind == NODE_BETWEEN;
	struct interval operand[3] = {numbers(filter, node->left, bounds),
		numbers(filter, node->right, bounds),
		between ? numbers(filter, node->third, bounds) : anything};
	for (size_t i = 0; i < (between ? 3 : 2); i++) {
		if (operand[i].none)
			return MAY_FAIL;
		if (node->is_signed)
			operand[i] = biased(operand[i]);
	}
	switch ((unsigned)node->kind) {
	case NODE_LESS: return in_order(operand[0], operand[1], false);
	case NODE_LESS_EQUAL: return in_order(operand[0], operand[1], true);
	case NODE_EQUAL:
		return both(in_order(operand[0], operand[1], true),
			in_order(operand[1], operand[0], true));
	}
	/* No number lies between bounds of which the first always exceeds the second. */
	return both(both(in_order(operand[1], operand[0], true),
			    in_order(operand[0], operand[2], true)),
		in_order(operand[1], operand[2], true));
}

static unsigned
conditions(const struct poly_filter *filter, uint32_t number, const struct poly_bounds *bounds)
{
	const struct node *node = &filter->nodes[number];
	unsigned left;
	switch ((unsigned)node->kind) {
	case NODE_MATCH:
	case NODE_REGEX:
	case NODE_HAS:
		if (node->column == POLY_COLUMN_NONE || column_is_register(node->column))
			return MAY_HOLD | MAY_FAIL;
		return of_column(node->column, bounds).none ? MAY_FAIL : MAY_HOLD | MAY_FAIL;
	case NODE_EQUAL:
	case NODE_LESS:
	case NODE_LESS_EQUAL:
	case NODE_BETWEEN: return comparison(filter, node, bounds);
	}
	left = conditions(filter, node->left, bounds);
	if (node->kind == NODE_NOT)
		return (left & MAY_HOLD ? MAY_FAIL : 0) | (left & MAY_FAIL ? MAY_HOLD : 0);
	const unsigned right = conditions(filter, node->right, bounds);
	return node->kind == NODE_AND ? both(left, right) : either(left, right);
}

bool
poly_filter_possible(const struct poly_filter *filter, const struct poly_bounds *bounds)
{
	return conditions(filter, filter->root, bounds) & MAY_HOLD;
}
