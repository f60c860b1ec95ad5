/* SPDX-License-Identifier: MIT */
/* Which templates depend on previous events, or their events on the text. */
#include "trcfmt/eval/eval_state.h"

/* The larger of two dependences. */
static enum trcfmt_dependence
both(enum trcfmt_dependence a, enum trcfmt_dependence b)
{
	return a > b ? a : b;
}

static enum trcfmt_dependence items_dependence(
	const struct trcfmt_eval *eval, const struct hook_template *template);

/* The path of a program is that of the moment, and so are names that the user sets. */
static enum trcfmt_dependence
code_dependence(const struct trcfmt_eval *eval, const struct format_code *code)
{
	return code->code == CODE_P || (code->code == CODE_E && eval->own_errno)
		       ? TRCFMT_ORDERED
		       : TRCFMT_INDEPENDENT;
}

/* Macros keep their values within an event. */
static enum trcfmt_dependence
macro_dependence(
	const struct trcfmt_eval *eval, const struct hook_template *template, uint32_t macro)
{
	const struct hook_template *other =
		trcfmt_template(eval->templates, TRCFMT_DEFAULT_HOOK);
	switch (macro) {
	case MACRO_LINENO: return TRCFMT_COUNTS_LINES;
	case MACRO_SKIP:
	case MACRO_NOPRINT:
	case MACRO_STOP: return TRCFMT_ORDERED;
	case MACRO_DEFAULT:
		return other && other != template ? items_dependence(eval, other)
						  : TRCFMT_INDEPENDENT;
	default: return TRCFMT_INDEPENDENT;
	}
}

/* Operators nest at most TRCFMT_DEPTH deep to the right; a chain grows to the left. */
static enum trcfmt_dependence
expr_dependence(
	const struct trcfmt_eval *eval, const struct hook_template *template, uint32_t index)
{
	enum trcfmt_dependence found = TRCFMT_INDEPENDENT;
	for (;;) {
		const struct template_expr *expr = &eval->templates->exprs[index];
		if (expr->op == EXPR_CODE || expr->op == EXPR_CAST)
			found = both(found, code_dependence(eval, &expr->code));
		if (expr->op == EXPR_MACRO || expr->op == EXPR_CAST)
			found = both(found, macro_dependence(eval, template, expr->macro));
		if (expr->op < EXPR_ADD)
			return found;
		found = both(found, expr_dependence(eval, template, expr->right));
		index = expr->left;
	}
}

static enum trcfmt_dependence
item_dependence(const struct trcfmt_eval *eval, const struct hook_template *template,
	const struct template_item *item)
{
	const struct poly_templates *templates = eval->templates;
	enum trcfmt_dependence found = TRCFMT_INDEPENDENT;
	if (item->item == ITEM_CODE)
		found = code_dependence(eval, &item->code);
	if (item->item == ITEM_CALL && item->number != BUILTIN_setdelim &&
		item->number != BUILTIN_UNKNOWN)
		found = TRCFMT_ORDERED;
	for (unsigned i = 0; item->item == ITEM_CALL && i < item->arguments; i++)
		found = both(found, expr_dependence(eval, template,
					    templates->arguments[item->first_argument + i]));
	const bool has_expr = item->item == ITEM_VALUE || item->item == ITEM_SWITCH ||
			      item->item == ITEM_LOOP || item->item == ITEM_ASSIGN;
	if (has_expr && item->expr != EXPR_NONE)
		found = both(found, expr_dependence(eval, template, item->expr));
	return found;
}

static enum trcfmt_dependence
items_dependence(const struct trcfmt_eval *eval, const struct hook_template *template)
{
	enum trcfmt_dependence found = TRCFMT_INDEPENDENT;
	for (uint32_t i = template->first; i < template->end; i++)
		found = both(
			found, item_dependence(eval, template, &eval->templates->items[i]));
	return found;
}

enum trcfmt_dependence
trcfmt_eval_dependence(const struct trcfmt_eval *eval, const struct hook_template *template)
{
	return items_dependence(eval, template);
}
