/* SPDX-License-Identifier: MIT */
/* Runs the items of a template. spec: IBM, trcfmt File Format; AIX trace reference 4.1, 4.3. */
#include "trcfmt/eval/eval_state.h"

#include "base/mem.h"

#include <string.h>
#include <time.h>

/* Cases of a switch compared in one step. */
#define CASES_A_STEP 16

void
eval_fault(struct trcfmt_eval *eval, enum trcfmt_fault fault)
{
	if (!eval->faults)
		eval->fault_line = eval->line;
	eval->faults |= fault;
}

void
eval_stop(struct trcfmt_eval *eval, enum trcfmt_fault fault)
{
	eval_fault(eval, fault);
	eval->flow = FLOW_END;
}

void
eval_move(struct trcfmt_eval *eval, uint64_t bits)
{
	if (bits > EVAL_POINTER_MAX)
		bits = EVAL_POINTER_MAX;
	if (eval->base * 8 + bits > (uint64_t)eval->image.size * 8)
		eval_fault(eval, FAULT_POINTER);
	eval->pointer = bits;
}

/* R m: whole bytes back, but not before the start; R0: to the start of the current * byte (AIX
 * trace reference 4.3). */
static void
run_back(struct trcfmt_eval *eval, uint64_t bits)
{
	if (bits == 0)
		eval->pointer -= eval->pointer % 8;
	else if (bits > eval->pointer) {
		eval_fault(eval, FAULT_POINTER);
		eval->pointer = 0;
	} else
		eval->pointer -= bits;
}

/* W m: word 0 is the hook word, data words count from 1. */
static void
run_word(struct trcfmt_eval *eval, uint64_t word)
{
	if (word > UINT32_MAX)
		word = UINT32_MAX;
	const uint64_t data =
		word ? eval->hook_bytes + (word - 1) * eval->context->event->word : 0;
	eval_move(eval, 8 * data);
}

static void
run_text(struct trcfmt_eval *eval, const struct template_item *item, bool chosen)
{
	const char *text = (const char *)eval->templates->texts.data + item->text;
	if (item->length == 0 || (item->label && text[0] == '@'))
		return;
	if (chosen)
		text_chosen(eval, text, item->length);
	else
		text_quoted(eval, text, item->length);
}

/* Prints a macro, or runs its action. */
static void
run_value(struct trcfmt_eval *eval, const struct template_item *item)
{
	const struct template_expr *expr = &eval->templates->exprs[item->expr];
	struct eval_value value;
	if (expr->op == EXPR_MACRO && macro_run_action(eval, expr->macro))
		return;
	if (!expr_value(eval, item->expr, &value))
		return;
	if (value.kind == VALUE_NUMBER || (value.kind == VALUE_CODE && !code_is_text(&value)))
		builtin_number_read(eval, value.number);
	code_print(eval, &value);
}

static void
run_code(struct trcfmt_eval *eval, const struct template_item *item)
{
	struct eval_value value;
	if (code_read(eval, &item->code, &value))
		code_print(eval, &value);
}

static bool
case_matches(struct trcfmt_eval *eval, const struct template_item *item,
	const struct eval_value *value)
{
	switch (item->match) {
	case MATCH_ANY: return true;
	case MATCH_TEXT:
		return code_matches(
			eval, value, eval->templates->texts.data + item->text, item->length);
	default:
		return code_matches_number(value, item->number) ||
		       (item->bits && code_matches_bits(eval, value, item->number));
	}
}

/* Runs the case at index i, whose items follow it. */
static void
run_case(struct trcfmt_eval *eval, uint32_t i)
{
	const struct template_item *items = eval->templates->items;
	if (items[i].direct && items[i].end > i + 1)
		run_text(eval, &items[i + 1], true);
	else
		eval_items(eval, i + 1, items[i].end);
}

/* Runs the first case that matches; if none does, prints nothing or, by option, the value (AIX
 * trace reference 3 (9)). */
static void
run_switch(struct trcfmt_eval *eval, uint32_t i)
{
	const struct template_item *items = eval->templates->items;
	const uint32_t end = items[i].end;
	struct eval_value value;
	if (!expr_value(eval, items[i].expr, &value))
		return;
	for (uint32_t at = i + 1, seen = 0; at < end; at = items[at].end, seen++) {
		if (seen % CASES_A_STEP == CASES_A_STEP - 1 && !eval_step(eval))
			return;
		if (case_matches(eval, &items[at], &value)) {
			run_case(eval, at);
			return;
		}
	}
	if (eval->options.nomatch_value && eval->flow != FLOW_END)
		code_print(eval, &value);
}

/* A negative count (of D) means no iteration. */
static void
run_loop(struct trcfmt_eval *eval, uint32_t i)
{
	const struct template_item *item = &eval->templates->items[i];
	struct eval_value value;
	if (!expr_value(eval, item->expr, &value))
		return;
	const bool negative =
		value.kind == VALUE_CODE && value.code->code == CODE_D && value.number >> 63;
	for (uint64_t turns = negative ? 0 : value.number; turns && eval_step(eval); turns--)
		eval_items(eval, i + 1, item->end);
}

static void
run_item(struct trcfmt_eval *eval, uint32_t i)
{
	const struct template_item *item = &eval->templates->items[i];
	switch (item->item) {
	case ITEM_TEXT: run_text(eval, item, false); break;
	case ITEM_NEWLINE: text_newline(eval); break;
	case ITEM_TAB: text_tab(eval); break;
	case ITEM_GO: eval_move(eval, item->number); break;
	case ITEM_ADVANCE:
		eval_move(eval, item->number > UINT64_MAX - eval->pointer
					? UINT64_MAX
					: eval->pointer + item->number);
		break;
	case ITEM_BACK: run_back(eval, item->number); break;
	case ITEM_WORD: run_word(eval, item->number); break;
	case ITEM_CODE: run_code(eval, item); break;
	case ITEM_VALUE: run_value(eval, item); break;
	case ITEM_SWITCH: run_switch(eval, i); break;
	case ITEM_LOOP: run_loop(eval, i); break;
	case ITEM_ASSIGN: {
		uint64_t number = expr_number(eval, item->expr);
		if (eval->flow != FLOW_END)
			macro_assign(eval, item->macro, number);
		break;
	}
	case ITEM_CALL: builtin_call(eval, item); break;
	case ITEM_LEVEL: text_level(eval, (uint8_t)item->number); break;
	default: break;
	}
}

/* Braces nest at most TRCFMT_DEPTH deep, which bounds the recursion. FLOW_LEAVE of an outer
 * descriptor does not end an inner one. */
void
eval_items(struct trcfmt_eval *eval, uint32_t i, uint32_t end)
{
	const struct template_item *items = eval->templates->items;
	const bool around = eval->flow == FLOW_LEAVE;
	while (i < end && eval_step(eval)) {
		const struct template_item *item = &items[i];
		eval->line = item->line;
		run_item(eval, i);
		i = item->item == ITEM_SWITCH || item->item == ITEM_LOOP ? item->end : i + 1;
	}
	if (eval->flow == FLOW_LEAVE && !around)
		eval->flow = FLOW_END;
}

struct trcfmt_eval *
trcfmt_eval_new(const struct poly_templates *templates, const struct trcfmt_options *options)
{
	struct trcfmt_eval *eval = mem_new(1, sizeof *eval);
	size_t macros = templates->macros.count;
	if (!eval)
		return NULL;
	eval->templates = templates;
	eval->options = *options;
	if (options->tz_local)
		tzset();
	eval->macros = mem_new(
		macros > MACRO_FIRST_OWN ? macros : MACRO_FIRST_OWN, sizeof *eval->macros);
	if (!eval->macros) {
		mem_free(eval);
		return NULL;
	}
	return eval;
}

enum poly_status
trcfmt_eval_handler(struct trcfmt_eval *eval, uint64_t address, const char *name)
{
	const struct files_key key = {FILES_HANDLER, address, 0, 0};
	return files_set_name(&eval->files, &key, name, strlen(name)) ? POLY_OK
								      : POLY_ERR_MEMORY;
}

enum poly_status
trcfmt_eval_errno(struct trcfmt_eval *eval, uint64_t number, const char *name)
{
	const struct files_key key = {FILES_ERRNO, number, 0, 0};
	eval->own_errno = true;
	return files_set_name(&eval->files, &key, name, strlen(name)) ? POLY_OK
								      : POLY_ERR_MEMORY;
}

/* Returns the initial data pointer in bytes (AIX trace reference 4.3). */
static unsigned
first_byte(const struct trcfmt_options *options, const struct aix_event *event)
{
	if (!event->wide)
		return event->generic ? 4 : 2;
	if (event->generic)
		return options->start64g ? options->start64g : 8;
	return options->start64 ? options->start64 : 6;
}

/* Builds the image that the data pointer addresses: hook word and data. False: out of memory.
 */
static bool
take_image(struct trcfmt_eval *eval, const struct aix_event *event)
{
	uint8_t word[8];
	eval->hook_bytes = aix_event_hook_word(event, word);
	buf_clear(&eval->image);
	buf_append(&eval->image, word, eval->hook_bytes);
	buf_append(&eval->image, event->data, event->size);
	return !eval->image.failed;
}

static bool
begin_event(struct trcfmt_eval *eval, const struct hook_template *template,
	const struct trcfmt_context *context)
{
	eval->context = context;
	eval->generation++;
	eval->pointer = eval->start = 8 * (uint64_t)first_byte(&eval->options, context->event);
	eval->base = 0;
	eval->read_count = eval->awaited = eval->depth = 0;
	eval->steps = TRCFMT_STEPS;
	eval->in_default = template->hook == TRCFMT_DEFAULT_HOOK;
	eval->flow = FLOW_ON;
	eval->outcome = OUTCOME_PRINT;
	eval->line = template->line;
	eval->faults = 0;
	eval->fault_line = 0;
	return text_begin(eval, template->level) && take_image(eval, context->event);
}

/* Returns the result of an event for which memory ran out. */
static struct trcfmt_result
no_memory(const struct hook_template *template)
{
	return (struct trcfmt_result){.outcome = OUTCOME_PRINT,
		.text = "",
		.faults = FAULT_MEMORY,
		.fault_line = template->line};
}

struct trcfmt_result
trcfmt_eval_run(struct trcfmt_eval *eval, const struct hook_template *template,
	const struct trcfmt_context *context)
{
	if (!begin_event(eval, template, context))
		return no_memory(template);
	eval_items(eval, template->first, template->end);
	text_end(eval);
	const char *text = buf_text(&eval->text.bytes);
	if (eval->text.bytes.failed)
		return no_memory(template);
	return (struct trcfmt_result){
		.outcome = eval->outcome,
		.text = text,
		.spans = eval->text.spans,
		.span_count = eval->text.span_count,
		.faults = eval->faults,
		.fault_line = eval->fault_line,
	};
}

void
trcfmt_eval_free(struct trcfmt_eval *eval)
{
	if (!eval)
		return;
	files_free(&eval->files);
	mem_free(eval->macros);
	mem_free(eval->text.spans);
	buf_free(&eval->text.bytes);
	buf_free(&eval->image);
	mem_free(eval);
}
