/* SPDX-License-Identifier: MIT */
/*
 * Macros and expressions.
 *
 * Numbers print in hexadecimal, process ids and line numbers included; a template gets decimal
 * digits by a cast ($PID%D4).
 *
 * spec: IBM, trcfmt File Format (Macros, Predefined Macros); AIX trace reference 4.5, 3 (16,
 * 17, 22, 28, 36).
 */
#include "trcfmt/eval/eval_state.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

/* Maximum nesting depth of operators that are evaluated. */
#define EXPR_DEPTH 500

static void
value_number(struct eval_value *value, uint64_t number)
{
	value->kind = VALUE_NUMBER;
	value->number = number;
	value->high = 0;
}

/* An unknown value prints nothing and counts as 0. */
static void
value_known(struct eval_value *value, bool known, uint64_t number)
{
	value_number(value, known ? number : 0);
	if (!known)
		value->kind = VALUE_NONE;
}

static void
value_text(struct eval_value *value, const char *text)
{
	value_known(value, text != NULL, 0);
	if (!text)
		return;
	value->kind = VALUE_TEXT;
	value->bytes = (const uint8_t *)text;
	value->size = strlen(text);
}

/*
 * $L1 and $L2: two words of a 32-bit hook, one of a 64-bit hook. They are L1 = D1 D2 and
 * L2 = D3 D4.
 */
static uint64_t
long_word(const struct aix_event *event, unsigned i)
{
	if (event->word == 8)
		return aix_event_word(event, i);
	return aix_event_word(event, 2 * i - 1) << 32 | aix_event_word(event, 2 * i);
}

/* $HB: size of the buffer in bytes; for a 32-bit hook word the hook data (trcfmt File Format).
 */
static uint64_t
buffer_bytes(const struct aix_event *event)
{
	if (!event->wide)
		return event->subhook;
	return event->generic && event->size > event->word ? event->size - event->word : 0;
}

static void
register_value(const struct aix_event *event, size_t i, struct eval_value *value)
{
	const bool there = i < event->register_count;
	value_known(value, there, there ? load_be64(event->registers + 8 * i) : 0);
}

/* Gets a macro of the event; false: macro is not one. */
static bool
event_macro(const struct trcfmt_eval *eval, uint32_t macro, struct eval_value *value)
{
	const struct aix_event *event = eval->context->event;
	switch (macro) {
	case MACRO_D1:
	case MACRO_D2:
	case MACRO_D3:
	case MACRO_D4:
	case MACRO_D5: value_number(value, aix_event_word(event, macro - MACRO_D1 + 1)); break;
	case MACRO_L1:
	case MACRO_L2: value_number(value, long_word(event, macro - MACRO_L1 + 1)); break;
	case MACRO_HB: value_number(value, buffer_bytes(event)); break;
	case MACRO_HD: value_number(value, event->subhook); break;
	case MACRO_HL: value_number(value, event->size); break;
	case MACRO_HT: value_number(value, event->type); break;
	case MACRO_TRACEID: value_number(value, event->hook); break;
	case MACRO_LOGID0:
	case MACRO_LOGIDX0: value_number(value, event->offset); break;
	case MACRO_HOOKENV: value_number(value, event->wide ? 64 : 32); break;
	case MACRO_WORDSIZE: value_number(value, event->word); break;
	case MACRO_GENERIC: value_number(value, event->generic); break;
	default:
		if (macro < MACRO_PURR || macro > MACRO_PMC8)
			return false;
		register_value(event, macro - MACRO_PURR, value);
	}
	return true;
}

/* Gets a macro of the process or the trace; false: macro is not one. */
static bool
trace_macro(const struct trcfmt_eval *eval, uint32_t macro, struct eval_value *value)
{
	const struct aix_context *who = eval->context->who;
	const struct trcfmt_facts *facts = eval->context->facts;
	switch (macro) {
	case MACRO_EXECPATH: value_text(value, who->exec); break;
	case MACRO_SVC: value_text(value, who->svc); break;
	case MACRO_PID: value_known(value, who->has_pid, who->pid); break;
	case MACRO_TID: value_known(value, who->has_tid, who->tid); break;
	case MACRO_CPUID: value_known(value, who->has_cpu, who->cpu); break;
	case MACRO_PRI: value_known(value, false, 0); break; /* in no column */
	case MACRO_LOGFILE: value_text(value, facts->logfile); break;
	case MACRO_TRACEENV: value_number(value, facts->environment); break;
	case MACRO_TOTALCPUS:
		value_known(value, facts->total_cpus != 0, facts->total_cpus);
		break;
	case MACRO_TRACEDCPUS:
		value_known(value, facts->traced_cpus != 0, facts->traced_cpus);
		break;
	case MACRO_REPORTEDCPUS:
		value_known(value, facts->reported_cpus != 0, facts->reported_cpus);
		break;
	case MACRO_IPADDR: value_text(value, facts->ip_address); break;
	case MACRO_BUFF: value_text(value, facts->buffering); break;
	case MACRO_LARGEDATATYPES: value_text(value, facts->large_data_types); break;
	default: return false;
	}
	return true;
}

void
macro_value(struct trcfmt_eval *eval, uint32_t macro, struct eval_value *value)
{
	const struct macro_value *own = &eval->macros[macro];
	if (own->generation == eval->generation) {
		value_number(value, own->number);
		return;
	}
	switch (macro) {
	case MACRO_BASEPOINTER: value_number(value, eval->base); return;
	case MACRO_DATAPOINTER: value_number(value, eval->pointer / 8); return;
	case MACRO_LOGIDX: value_number(value, eval->base + eval->pointer / 8); return;
	case MACRO_RELLINENO: value_number(value, eval->text.lines + 1); return;
	case MACRO_LINENO: value_number(value, eval->context->line + eval->text.lines); return;
	default:
		if (macro >= MACRO_FIRST_OWN ||
			(!event_macro(eval, macro, value) && !trace_macro(eval, macro, value)))
			value_number(value, 0);
	}
}

void
macro_assign(struct trcfmt_eval *eval, uint32_t macro, uint64_t number)
{
	if (macro == MACRO_DATAPOINTER)
		eval_move(eval, number < UINT64_MAX / 8 ? number * 8 : UINT64_MAX);
	else if (macro == MACRO_BASEPOINTER)
		eval->base = number < EVAL_BASE_MAX ? number : EVAL_BASE_MAX;
	else
		eval->macros[macro] = (struct macro_value){eval->generation, number};
}

/*
 * $ERROR: prints the event's position, then ends the template with the descriptor. The trace id
 * has four digits only if the last is not 0 (AIX trace reference 2.2).
 */
static void
error_message(struct trcfmt_eval *eval)
{
	const struct aix_event *event = eval->context->event;
	const char *file = eval->context->facts->logfile;
	const bool wide = event->hook & 15;
	char text[80];
	snprintf(text, sizeof text, " offset=%llu traceid=%0*X",
		(unsigned long long)event->offset, wide ? 4 : 3,
		(unsigned)(wide ? event->hook : event->hook >> 4));
	size_t begin = text_datum(eval);
	text_string(eval, "ERROR: logfile=");
	if (file)
		text_clean(eval, file, strlen(file));
	text_string(eval, text);
	text_datum_end(eval, begin, true);
	if (eval->flow == FLOW_ON)
		eval->flow = FLOW_LEAVE;
}

/*
 * $DEFAULT: runs the items of template 008 from the event's first data, then resumes the
 * template with its own data pointer. Template 008 must not run itself.
 */
static void
run_default(struct trcfmt_eval *eval)
{
	const struct hook_template *template =
		trcfmt_template(eval->templates, TRCFMT_DEFAULT_HOOK);
	if (eval->in_default) {
		eval_stop(eval, FAULT_STEPS);
		return;
	}
	if (!template)
		return;
	const uint64_t pointer = eval->pointer, base = eval->base;
	eval->in_default = true;
	eval->pointer = eval->start;
	eval->base = 0;
	eval_items(eval, template->first, template->end);
	eval->pointer = pointer;
	eval->base = base;
	eval->in_default = false;
}

static void
end_event(struct trcfmt_eval *eval, enum trcfmt_outcome outcome)
{
	eval->flow = FLOW_END;
	eval->outcome = outcome;
}

bool
macro_run_action(struct trcfmt_eval *eval, uint32_t macro)
{
	switch (macro) {
	case MACRO_BREAK: end_event(eval, OUTCOME_PRINT); return true;
	case MACRO_SKIP:
	case MACRO_NOPRINT: end_event(eval, OUTCOME_SKIP); return true;
	case MACRO_STOP: end_event(eval, OUTCOME_STOP); return true;
	case MACRO_DEFAULT: run_default(eval); return true;
	case MACRO_ERROR: error_message(eval); return true;
	default: return false;
	}
}

static uint64_t
expr_operate(struct trcfmt_eval *eval, const struct template_expr *expr)
{
	uint64_t left = expr_number(eval, expr->left);
	if (expr->op == EXPR_JOIN)
		return left;
	uint64_t right = expr_number(eval, expr->right);
	switch (expr->op) {
	case EXPR_ADD: return left + right;
	case EXPR_SUBTRACT: return left - right;
	case EXPR_MULTIPLY: return left * right;
	case EXPR_AND: return left & right;
	default: break;
	}
	if (!right) {
		eval_stop(eval, FAULT_DIVISION);
		return 0;
	}
	/* The smallest number has no negative. */
	return right == UINT64_MAX ? -left : (uint64_t)((int64_t)left / (int64_t)right);
}

bool
expr_value(struct trcfmt_eval *eval, uint32_t index, struct eval_value *value)
{
	const struct template_expr *expr = &eval->templates->exprs[index];
	struct eval_value from;
	switch (expr->op) {
	case EXPR_CODE: return code_read(eval, &expr->code, value);
	case EXPR_MACRO: macro_value(eval, expr->macro, value); return true;
	case EXPR_CAST:
		macro_value(eval, expr->macro, &from);
		return code_cast(eval, &expr->code, &from, value);
	default: value_number(value, expr_number(eval, index)); return eval->flow != FLOW_END;
	}
}

/*
 * Each node of an expression is a step. The number of F is its bits, so that a macro preserves
 * it; that of S is its length, that of other text 0.
 */
uint64_t
expr_number(struct trcfmt_eval *eval, uint32_t index)
{
	const struct template_expr *expr = &eval->templates->exprs[index];
	struct eval_value value;
	if (!eval_step(eval))
		return 0;
	if (expr->op == EXPR_NUMBER)
		return expr->number;
	if (expr->op < EXPR_ADD)
		return expr_value(eval, index, &value) ? value.number : 0;
	if (eval->depth >= EXPR_DEPTH) {
		eval_stop(eval, FAULT_STEPS);
		return 0;
	}
	eval->depth++;
	uint64_t number = expr_operate(eval, expr);
	eval->depth--;
	return number;
}
