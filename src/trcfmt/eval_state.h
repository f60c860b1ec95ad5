/* SPDX-License-Identifier: MIT */
/*
 * The evaluator's own affairs: what it holds while it runs a template, and the parts that its
 * files take in that: text (eval_text), codes (eval_code), macros and expressions (eval_macro),
 * built-ins (eval_builtin).
 *
 * spec: reference aix 4.3 to 4.7.
 */
#ifndef TRCFMT_EVAL_STATE_H
#define TRCFMT_EVAL_STATE_H

#include "trcfmt/eval.h"
#include "trcfmt/files.h"

/* Template 008, which $DEFAULT uses. */
#define TRCFMT_DEFAULT_HOOK 0x0080

/* Largest $BASEPOINTER, in bytes, and data pointer, in bits: far behind any event. */
#define EVAL_BASE_MOST ((uint64_t)1 << 40)
#define EVAL_POINTER_MOST ((uint64_t)1 << 43)

/* What happens behind an item. */
enum flow {
	FLOW_ON,
	FLOW_LEAVE, /* the descriptor that holds it is the last that is run */
	FLOW_END,   /* nothing else is run */
};

/* The next reading that a built-in waits for. */
enum { AWAIT_NAME = 1, AWAIT_VNODE = 2 };

/* The text of an event as it grows. */
struct text {
	struct buf bytes;
	struct trcfmt_piece *pieces; /* there is always one, the last, that grows */
	size_t piece_count, piece_capacity;
	size_t room;	  /* bytes that may still be made, those that are trimmed included */
	uint64_t lines;	  /* that are complete */
	bool tight;	  /* setdelim(): no blanks between items */
	bool raw;	  /* as in struct trcfmt_options */
	bool behind_text; /* the last item that left a mark is a quoted string */
};

/* A macro of the event whose generation is the evaluator's. */
struct macro {
	uint64_t generation, number;
};

struct trcfmt_eval {
	const struct poly_templates *templates;
	struct trcfmt_options options;
	struct files files;
	bool own_errno;	      /* files has names of errno values */
	struct macro *macros; /* by number */
	uint64_t generation;  /* of the event */

	const struct trcfmt_context *context;
	struct buf image;    /* the event's hook word and data */
	unsigned hook_bytes; /* of its hook word */
	uint64_t start;	     /* where the data pointer stands at first, in bits */
	uint64_t pointer;    /* in bits */
	uint64_t base;	     /* $BASEPOINTER, in bytes */
	uint64_t latest[4];  /* numbers read, by turns */
	unsigned read_count; /* numbers read in this event */
	unsigned awaited;    /* bits AWAIT_ */
	uint32_t steps;	     /* that are left */
	unsigned depth;	     /* of the expression that is worked out */
	bool in_default;     /* template 008 is run */
	enum flow flow;
	enum trcfmt_outcome outcome;
	uint32_t line; /* of the item that is run */
	unsigned faults;
	uint32_t fault_line;
	struct text text;
};

/* Notes a fault; eval_stop also ends the template. */
void eval_fault(struct trcfmt_eval *eval, enum trcfmt_fault fault);
void eval_stop(struct trcfmt_eval *eval, enum trcfmt_fault fault);

/* Takes a step; false: none was left, or the template has ended. */
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

/* Moves the data pointer to a bit from the start of the event, or notes that it cannot. */
void eval_move(struct trcfmt_eval *eval, uint64_t bits);

/* ---- eval_text ---- */

/* Begins the text of an event. False: no memory. */
bool text_begin(struct trcfmt_eval *eval, uint8_t level);

/* Place for n bytes, which become part of the text; NULL: there is none, and the template is
 * ended. */
char *text_grow_slowly(struct trcfmt_eval *eval, size_t n);

static inline char *
text_grow(struct trcfmt_eval *eval, size_t n)
{
	struct text *text = &eval->text;
	if (n > text->room || n > text->bytes.capacity - text->bytes.size)
		return text_grow_slowly(eval, n);
	text->room -= n;
	text->bytes.size += n;
	return (char *)text->bytes.data + text->bytes.size - n;
}

/* Appends as it is; blanks are as many as there is room for. */
void text_append(struct trcfmt_eval *eval, const void *bytes, size_t n);
void text_string(struct trcfmt_eval *eval, const char *string);
void text_blanks(struct trcfmt_eval *eval, uint64_t n);

/* Appends what may hold anything: tabs are expanded, what can't be shown becomes a point. */
void text_clean(struct trcfmt_eval *eval, const void *bytes, size_t n);

/* A quoted string, and one that a case chooses directly (reference aix 4.7). */
void text_quoted(struct trcfmt_eval *eval, const char *string, size_t n);
void text_chosen(struct trcfmt_eval *eval, const char *string, size_t n);

/* Where a datum begins and what stands behind it; blank: one is due. */
size_t text_datum(struct trcfmt_eval *eval);
void text_datum_end(struct trcfmt_eval *eval, size_t begin, bool blank);

void text_newline(struct trcfmt_eval *eval);
void text_tab(struct trcfmt_eval *eval);
void text_level(struct trcfmt_eval *eval, uint8_t level);

/* Ends the last line. */
void text_end(struct trcfmt_eval *eval);

/* ---- eval_code ---- */

/* What a code has read or a macro stands for. */
struct value {
	enum {
		VALUE_NONE,   /* nothing: it is not known, and prints nothing */
		VALUE_NUMBER, /* of a macro or an expression */
		VALUE_TEXT,
		VALUE_CODE, /* prints as code says */
	} kind;
	const struct code *code;
	uint64_t number; /* of codes the low 64 bits; of S the length */
	uint64_t high;	 /* the bits above, of X only */
	uint64_t at;	 /* B: first bit in the image, where there are more than 64 */
	const uint8_t *bytes;
	size_t size;
	uint8_t own[8]; /* where bytes may point to */
};

/* Reads as code says at the data pointer, which moves on. False: the template is ended. */
bool code_take(struct trcfmt_eval *eval, const struct code *code, struct value *value);

/* Reads a number or a text as code says, as if the entry held it. */
bool code_cast(struct trcfmt_eval *eval, const struct code *code, const struct value *from,
	struct value *value);

/* Prints a datum. */
void code_print(struct trcfmt_eval *eval, const struct value *value);

/* True where a value is the number of a case, or its text. */
bool code_matches_number(const struct value *value, uint64_t number);

/* True where a signed datum below 0 has these bits in the entry: 0xFFFF as D2 is -1. */
bool code_matches_bits(
	const struct trcfmt_eval *eval, const struct value *value, uint64_t number);

bool code_matches(
	struct trcfmt_eval *eval, const struct value *value, const void *text, size_t n);

/* True where a value is text and has no number. */
bool code_is_text(const struct value *value);

/* ---- eval_macro ---- */

/* What a macro stands for now. */
void macro_value(struct trcfmt_eval *eval, uint32_t macro, struct value *value);

/* macro = number */
void macro_assign(struct trcfmt_eval *eval, uint32_t macro, uint64_t number);

/* Runs a macro that is an item and acts ($BREAK, ...); false: it is another. */
bool macro_act(struct trcfmt_eval *eval, uint32_t macro);

/* What an expression stands for; false: the template is ended. */
bool expr_value(struct trcfmt_eval *eval, uint32_t expr, struct value *value);

/* The same as a number. */
uint64_t expr_number(struct trcfmt_eval *eval, uint32_t expr);

/* ---- eval_builtin ---- */

/* A number, or a text, was read. */
void builtin_number_read(struct trcfmt_eval *eval, uint64_t number);
void builtin_text_read(struct trcfmt_eval *eval, const void *bytes, size_t n);

/* Runs a built-in. */
void builtin_call(struct trcfmt_eval *eval, const struct item *item);

#endif
