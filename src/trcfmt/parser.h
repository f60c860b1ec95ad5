/* SPDX-License-Identifier: MIT */
/*
 * A parser of templates at work. Its functions answer false where something is wrong, which
 * was then said; the template that is being parsed is given up.
 */
#ifndef TRCFMT_PARSER_H
#define TRCFMT_PARSER_H

#include "trcfmt/join.h"
#include "trcfmt/program.h"
#include "trcfmt/text.h"

/* Limits of a file (rule T15), beside TRCFMT_FILE_SIZE. */
#define TRCFMT_ITEMS ((size_t)1 << 20) /* items, and parts of expressions */
#define TRCFMT_MACROS 65536u	       /* names */
#define TRCFMT_ARGUMENTS 255u	       /* of a call */
#define TRCFMT_SIZE 65535u	       /* bytes of A, columns, places of G, O, R */
#define TRCFMT_BITS 4096u	       /* of B */
#define TRCFMT_OWN_MACROS 255u	       /* assigned in a template without T10 */

enum trcfmt_rule {
#define RULE(code, severity, title, source) RULE_##code,
#include "trcfmt/rules.def"
#undef RULE
	RULE_COUNT,
};

extern const struct poly_rule trcfmt_rules[RULE_COUNT + 1];

struct parser {
	struct poly_templates *to;
	struct poly_template_options options;
	struct poly_error *error;
	enum poly_status status; /* of the first error */
	bool stopped;		 /* memory, or a limit of the whole file: nothing follows */
	bool trusted;		 /* the library's own text, which may define ids below 010 */
	struct join_source source;
	struct joined joined;

	/* The template that is being parsed. */
	const char *text;
	size_t size, at;
	struct template template;
	unsigned depth;	     /* of braces and parentheses */
	uint32_t number;     /* of it, from 1 */
	uint32_t *seen;	     /* by macro: 2 * number: assigned; 2 * number + 1: complained of */
	size_t seen_count;   /* of macros that seen has room for */
	unsigned own_macros; /* assigned */
};

/* An expression that was parsed, and how deep its operators are nested. */
struct parsed {
	uint32_t expr;
	unsigned depth;
};

/* finding.c: false. Says what is wrong at a place; an error is the caller's to return. */
bool parser_find(struct parser *parser, enum trcfmt_rule rule, size_t at, const char *message,
	...) __attribute__((format(printf, 4, 5)));

/* Memory could not be had; false. */
bool parser_out_of_memory(struct parser *parser);

/* load.c: numbers the predefined macros. */
bool parser_predefine(struct intern *macros);

/* Begins what was joined: parser->template is empty, and blanks are passed. */
void parser_begin(struct parser *parser);

/* A template, with all that stands behind it on its line. */
bool parser_template(struct parser *parser);

/* Its id, and its version. */
bool parser_hook(struct parser *parser);
bool parser_version(struct parser *parser);

/* lexer.c: characters. The character at the place, or behind it; NUL at the end. */
char parser_peek(const struct parser *parser);
char parser_peek_at(const struct parser *parser, size_t ahead);
bool parser_ended(const struct parser *parser);

/* Passes over blanks; the character behind them. */
char parser_skip(struct parser *parser);

/* True, and passed with the blanks before it, where c is the next character. */
bool parser_next_is(struct parser *parser, char c);

/* Letters, digits and "_" at the place. */
size_t parser_word(const struct parser *parser);

/* Decimal digits at the place; false, and nothing said, where there are none or too many. */
bool parser_digits(struct parser *parser, uint64_t *value);

/* A string in quotes, into the texts with a NUL behind it. */
bool parser_string(struct parser *parser, uint32_t *text, uint32_t *length);

/* A copy of n bytes in the texts with a NUL behind it. */
bool parser_keep(struct parser *parser, const char *text, size_t n, uint32_t *at);

/* code.c: what a word of n bytes at the place is. */
enum word {
	WORD_CODE, /* an output or interpreter code */
	WORD_MOVE, /* G, O, R, W */
	WORD_OTHER,
	WORD_WRONG, /* was said */
};

/*
 * Takes the word if it is a code or a move, into item. A ".n" that the code takes belongs to
 * it; argument: another "." behind it is left, and else wrong.
 */
enum word parser_code(struct parser *parser, bool argument, struct item *item);

/* expr.c: an expression; argument: as one of a call, which "." may join. */
bool parser_expr(struct parser *parser, bool argument, struct parsed *parsed);

/* A code, or a macro and its cast. */
bool parser_value(struct parser *parser, bool argument, uint32_t *expr);

/* A macro's number, behind the "$" at the place. */
bool parser_macro(struct parser *parser, bool assigned, uint32_t *macro);

/* parse.c: a descriptor, to the end of the template or the "}" that ends it. */
bool parser_descriptor(struct parser *parser);

/* "L=" and the name of a level, as an item. */
bool parser_level(struct parser *parser);

/* A new item of a line; NULL: a limit, or no memory. Holds until the next one. */
struct item *parser_item(struct parser *parser, enum trcfmt_item kind, size_t at);

/* Goes one level deeper, at a brace or a parenthesis; the caller comes back by depth--. */
bool parser_deeper(struct parser *parser, size_t at);

/* switch.c: the cases behind a selector, whose "," is next. */
bool parser_switch(struct parser *parser, size_t at, uint32_t selector);

/* call.c: a call of the name of n bytes at the place. */
bool parser_call(struct parser *parser, size_t n);

/* Bytes of the name at the place if a built-in is called so, or "(" follows; else 0. */
size_t parser_call_name(const struct parser *parser);

/* check.c: findings that are no errors. */
void check_hook(struct parser *parser, size_t at);
void check_use(struct parser *parser, uint32_t macro, size_t at);
void check_assignment(struct parser *parser, uint32_t macro, size_t at);

/* Makes room for one more element behind count; the array, or NULL. */
void *parser_grow(struct parser *parser, void *array, size_t count, size_t size);

#endif
