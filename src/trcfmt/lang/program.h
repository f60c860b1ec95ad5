/* SPDX-License-Identifier: MIT */
/*
 * A parsed template file, as the parser builds it and the evaluator runs it.
 *
 * Items form one array. The items in braces follow the item that they belong to, up to
 * item.end, so that an evaluator walks by index and skips by assignment:
 *
 *     switch  [case item ...] [case item ...]      loop  item ...
 *
 * spec: IBM, trcfmt File Format (Trace Data Formatting); AIX trace reference 4.1.
 */
#ifndef TRCFMT_PROGRAM_H
#define TRCFMT_PROGRAM_H

#include "polytrace/templates.h"

#include "base/buf.h"
#include "base/intern.h"

/* Maximum nesting depth of braces and parentheses, and of operators. */
#define TRCFMT_DEPTH 64

/* Columns of the report (L=). */
enum trcfmt_level { LEVEL_APPL, LEVEL_SVC, LEVEL_KERN, LEVEL_INT };

/* Output and interpreter codes (AIX trace reference 4.4). */
enum trcfmt_code {
	CODE_A,	 /* text of size bytes in columns columns */
	CODE_B,	 /* bits binary digits */
	CODE_X,	 /* hexadecimal */
	CODE_D,	 /* signed decimal */
	CODE_U,	 /* unsigned decimal */
	CODE_O,	 /* octal ("o") */
	CODE_F,	 /* floating point */
	CODE_S,	 /* length of size bytes, then text */
	CODE_T,	 /* date and time */
	CODE_E,	 /* errno name */
	CODE_P,	 /* path of the executable of a process */
	CODE_HT, /* hook type */
	CODE_HB, /* bytes of the buffer */
	CODE_HD, /* hook data */
};

struct format_code {
	uint8_t code;	  /* enum trcfmt_code */
	bool word;	  /* "W": the size of a data word */
	bool sized;	  /* A: with a number of columns */
	uint16_t size;	  /* bytes; 0 where word is set */
	uint32_t columns; /* of A */
	uint32_t bits;	  /* of B: 8 m + n */
};

/* Kinds of nodes of an expression. */
enum trcfmt_operator {
	EXPR_NUMBER, /* number */
	EXPR_CODE,   /* code reads at the data pointer */
	EXPR_MACRO,  /* macro */
	EXPR_CAST,   /* macro, converted as code reads */
	EXPR_ADD,    /* left, right; all operators work on 64 bits and wrap */
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE, /* unsigned */
	EXPR_AND,
	EXPR_JOIN, /* "left . right" in an argument: page address and segment id */
};

#define EXPR_NONE UINT32_MAX

struct template_expr {
	uint8_t op; /* enum trcfmt_operator */
	uint64_t number;
	struct format_code code;
	uint32_t macro;	      /* number in program->macros */
	uint32_t left, right; /* indices into program->exprs */
};

enum trcfmt_item {
	ITEM_TEXT,    /* text */
	ITEM_NEWLINE, /* \n */
	ITEM_TAB,     /* \t */
	ITEM_GO,      /* G: bits from the start */
	ITEM_ADVANCE, /* O: bits forward */
	ITEM_BACK,    /* R: bits back; 0: to the byte's boundary */
	ITEM_WORD,    /* W: number is that of the data word */
	ITEM_CODE,    /* prints code */
	ITEM_VALUE,   /* prints expr: a macro, or one with a cast */
	ITEM_SWITCH,  /* selector expr; its cases follow up to end */
	ITEM_CASE,    /* see match; its items follow up to end */
	ITEM_LOOP,    /* expr times the items up to end */
	ITEM_ASSIGN,  /* macro = expr */
	ITEM_CALL,    /* built-in number with the arguments */
	ITEM_LEVEL,   /* number is an enum trcfmt_level */
};

/* What a case matches. */
enum trcfmt_match {
	MATCH_NUMBER, /* number; a negative one in two's complement (AIX trace reference 3 (7))
		       */
	MATCH_TEXT,   /* text */
	MATCH_ANY,    /* the wildcard */
};

struct template_item {
	uint8_t item;	   /* enum trcfmt_item */
	uint8_t match;	   /* of a case: enum trcfmt_match */
	bool bits;	   /* of a case: its number is written with 0x */
	bool direct;	   /* of a case: a string without braces, which is its only item */
	bool label;	   /* of a text: it is the template's label */
	uint8_t arguments; /* of a call: number of arguments, from first_argument on */
	struct format_code code;
	uint32_t end;	/* index of the first item after those that belong to this one */
	uint32_t expr;	/* index into program->exprs, or EXPR_NONE */
	uint32_t macro; /* of an assignment */
	uint32_t first_argument; /* of a call: index into program->arguments */
	uint32_t text, length;	 /* in program->texts; also the text that a case matches. It may
				    hold newlines and tabs: "\n" and "\t" within quotes */
	uint64_t number;	 /* see the item */
	uint32_t line;		 /* of the file, from 1 */
};

struct hook_template {
	uint16_t hook; /* in the form of four digits */
	uint8_t level; /* enum trcfmt_level */
	bool wide_id;  /* written with four digits */
	uint32_t version, release;
	uint32_t first, end;		/* items */
	uint32_t label, label_length;	/* in texts, with the @; length 0: none */
	uint32_t source, source_length; /* in texts: its lines, unchanged */
	uint32_t line;			/* of its first line, from 1 */
};

/* Built-in macros, such as BUILTIN_lookuppninstall1, and predefined ones, such as MACRO_D1. */
enum trcfmt_builtin {
#define BUILTIN(name, spelling, min, max, section, test) BUILTIN_##name,
#include "trcfmt/lang/directives.def"
	BUILTIN_UNKNOWN, /* any other call, which prints nothing (T11) */
};

enum trcfmt_macro {
#define MACRO(name, section, test) MACRO_##name,
#include "trcfmt/lang/directives.def"
	MACRO_FIRST_OWN, /* first number of the macros that templates assign */
};

struct poly_templates {
	/* In the order of the file; of several templates of a hook the last, at the position of
	 * the first.
	 */
	struct hook_template *templates;
	size_t count;
	uint16_t *by_order;	 /* indices into templates, in the order of hooks */
	uint16_t by_hook[65536]; /* index into templates, plus 1; 0: none */
	struct template_item *items;
	size_t item_count;
	struct template_expr *exprs;
	size_t expr_count;
	uint32_t *arguments; /* indices into exprs */
	size_t argument_count;
	struct intern macros; /* names without "$"; the predefined ones come first, in order */
	struct buf texts;
	char *name; /* of the file */
	bool built_in;
};

/* Returns the template of a hook; NULL: none. */
static inline const struct hook_template *
trcfmt_template(const struct poly_templates *templates, uint16_t hook)
{
	uint16_t i = templates->by_hook[hook];
	return i ? &templates->templates[i - 1] : NULL;
}

#endif
