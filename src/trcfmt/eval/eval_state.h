/* SPDX-License-Identifier: MIT */
/*
 * Internals of the evaluator: its state while it runs a template, and the functions of its
 * files: text (eval_text), codes (eval_code), macros and expressions (eval_macro), built-ins
 * (eval_builtin).
 *
 * spec: AIX trace reference 4.3 to 4.7.
 */
#ifndef TRCFMT_EVAL_STATE_H
#define TRCFMT_EVAL_STATE_H

#include "trcfmt/eval/eval.h"
#include "trcfmt/lang/files.h"

/* Template 008, which $DEFAULT runs. */
#define TRCFMT_DEFAULT_HOOK 0x0080

/* Largest $BASEPOINTER, in bytes, and data pointer, in bits: far beyond any event. */
#define EVAL_BASE_MAX ((uint64_t)1 << 40)
#define EVAL_POINTER_MAX ((uint64_t)1 << 43)

/* What runs after an item. */
enum eval_flow {
	FLOW_ON,
	FLOW_LEAVE, /* the rest of the innermost descriptor, then nothing */
	FLOW_END,   /* nothing */
};

/* Kinds of values that a built-in waits for. */
enum { AWAIT_NAME = 1, AWAIT_VNODE = 2 };

/* The text of an event as it grows. */
struct eval_text {
	struct buf bytes;
	struct trcfmt_span *spans; /* at least one; the last one grows */
	size_t span_count, span_capacity;
	size_t room;	   /* remaining bytes of TRCFMT_OUTPUT; trimmed blanks count */
	uint64_t lines;	   /* complete lines */
	bool tight;	   /* setdelim(): no blanks between items */
	bool raw;	   /* as in struct trcfmt_options */
	bool after_string; /* the last item that printed is a quoted string */
};

/* A macro; its value is set if its generation is the evaluator's. */
struct macro_value {
	uint64_t generation, number;
};

struct trcfmt_eval {
	const struct poly_templates *templates;
	struct trcfmt_options options;
	struct files files;
	bool own_errno;		    /* files has user names of errno values */
	struct macro_value *macros; /* by number */
	uint64_t generation;	    /* of the event */

	const struct trcfmt_context *context;
	struct buf image;    /* the event's hook word and data */
	unsigned hook_bytes; /* of its hook word */
	uint64_t start;	     /* initial data pointer, in bits */
	uint64_t pointer;    /* in bits */
	uint64_t base;	     /* $BASEPOINTER, in bytes */
	uint64_t latest[4];  /* the last numbers read, a ring */
	unsigned read_count; /* numbers read in this event */
	unsigned awaited;    /* bits AWAIT_ */
	uint32_t steps;	     /* remaining */
	unsigned depth;	     /* of the expression being evaluated */
	bool in_default;     /* template 008 is running */
	enum eval_flow flow;
	enum trcfmt_outcome outcome;
	uint32_t line; /* of the current item */
	unsigned faults;
	uint32_t fault_line;
	struct eval_text text;
};

/* Records a fault; eval_stop also ends the template. */
void eval_fault(struct trcfmt_eval *eval, enum trcfmt_fault fault);
void eval_stop(struct trcfmt_eval *eval, enum trcfmt_fault fault);

/* Counts a step; false: none remained, or the template has ended. */
static inline bool
eval_step(struct trcfmt_eval *eval)
{
	if (eval->flow == FLOW_END)
		return false;
	if (eval->steps == 0) {
		eval_stop(eval, FAULT_STEPS);
		return false;
	}
	eval->steps--;
	return true;
}

/* Runs the items of a descriptor. */
void eval_items(struct trcfmt_eval *eval, uint32_t i, uint32_t end);

/* Moves the data pointer to a bit from the start of the event, or records a fault. */
void eval_move(struct trcfmt_eval *eval, uint64_t bits);

/* ---- eval_text ---- */

/* Starts the text of an event. False: out of memory. */
bool text_begin(struct trcfmt_eval *eval, uint8_t level);

/* Appends n bytes to the text for the caller to fill; NULL: no room, and the template has
 * ended. */
char *text_grow_slowly(struct trcfmt_eval *eval, size_t n);

static inline char *
text_grow(struct trcfmt_eval *eval, size_t n)
{
	struct eval_text *text = &eval->text;
	if (n > text->room || n > text->bytes.capacity - text->bytes.size)
		return text_grow_slowly(eval, n);
	text->room -= n;
	text->bytes.size += n;
	return (char *)text->bytes.data + text->bytes.size - n;
}

/* Appends bytes unchanged; blanks only while there is room. */
void text_append(struct trcfmt_eval *eval, const void *bytes, size_t n);
void text_string(struct trcfmt_eval *eval, const char *string);
void text_blanks(struct trcfmt_eval *eval, uint64_t n);

/* Appends untrusted text: expands tabs, replaces unprintable bytes by a full stop. */
void text_clean(struct trcfmt_eval *eval, const void *bytes, size_t n);

/* Appends a quoted string, and one that a case selects directly (AIX trace reference 4.7). */
void text_quoted(struct trcfmt_eval *eval, const char *string, size_t n);
void text_chosen(struct trcfmt_eval *eval, const char *string, size_t n);

/* Marks the start and the end of a datum; blank: a blank follows it. */
size_t text_datum(struct trcfmt_eval *eval);
void text_datum_end(struct trcfmt_eval *eval, size_t begin, bool blank);

void text_newline(struct trcfmt_eval *eval);
void text_tab(struct trcfmt_eval *eval);
void text_level(struct trcfmt_eval *eval, uint8_t level);

/* Completes the last line. */
void text_end(struct trcfmt_eval *eval);

/* ---- eval_code ---- */

/* The value of a code or a macro. */
struct eval_value {
	enum {
		VALUE_NONE,   /* unknown: prints nothing */
		VALUE_NUMBER, /* of a macro or an expression */
		VALUE_TEXT,
		VALUE_CODE, /* prints by code */
	} kind;
	const struct format_code *code;
	uint64_t number; /* of codes the low 64 bits; of S the length */
	uint64_t high;	 /* the bits above, X only */
	uint64_t at;	 /* B of more than 64 bits: its first bit in the image */
	const uint8_t *bytes;
	size_t size;
	uint8_t own[8]; /* storage for bytes */
};

/* Reads a value by code at the data pointer and advances that. False: the template has ended.
 */
bool code_read(
	struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value);

/* Converts a number or a text by code, as if the entry held it. */
bool code_cast(struct trcfmt_eval *eval, const struct format_code *code,
	const struct eval_value *from, struct eval_value *value);

/* Prints a datum. */
void code_print(struct trcfmt_eval *eval, const struct eval_value *value);

/* True if a value equals the number of a case, or its text. */
bool code_matches_number(const struct eval_value *value, uint64_t number);

/* True if a signed datum has these bits in the entry: 0xFFFF as D2 is -1. */
bool code_matches_bits(
	const struct trcfmt_eval *eval, const struct eval_value *value, uint64_t number);

bool code_matches(
	struct trcfmt_eval *eval, const struct eval_value *value, const void *text, size_t n);

/* True if a value is text, without a number. */
bool code_is_text(const struct eval_value *value);

/* ---- eval_macro ---- */

/* Gets the value of a macro. */
void macro_value(struct trcfmt_eval *eval, uint32_t macro, struct eval_value *value);

/* macro = number */
void macro_assign(struct trcfmt_eval *eval, uint32_t macro, uint64_t number);

/* Runs the action of a macro that has one ($BREAK, ...); false: it has none. */
bool macro_run_action(struct trcfmt_eval *eval, uint32_t macro);

/* Gets the value of an expression; false: the template has ended. */
bool expr_value(struct trcfmt_eval *eval, uint32_t expr, struct eval_value *value);

/* Returns the value of an expression as a number. */
uint64_t expr_number(struct trcfmt_eval *eval, uint32_t expr);

/* ---- eval_builtin ---- */

/* Passes a number or a text that was read to the built-ins. */
void builtin_number_read(struct trcfmt_eval *eval, uint64_t number);
void builtin_text_read(struct trcfmt_eval *eval, const void *bytes, size_t n);

/* Runs a built-in. */
void builtin_call(struct trcfmt_eval *eval, const struct template_item *item);

#endif
