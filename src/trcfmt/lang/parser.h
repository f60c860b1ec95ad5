/* SPDX-License-Identifier: MIT */
/*
 * State of the template parser. Its functions return false on an error, which they have
 * reported; the template that is being parsed is then dropped.
 */
#ifndef TRCFMT_PARSER_H
#define TRCFMT_PARSER_H

#include "trcfmt/lang/join.h"
#include "trcfmt/lang/program.h"
#include "trcfmt/lang/text.h"

/* Limits of a file (rule T15), beside TRCFMT_FILE_SIZE. */
#define TRCFMT_ITEMS ((size_t)1 << 20) /* items, and nodes of expressions */
#define TRCFMT_MACROS 65536u	       /* names */
#define TRCFMT_ARGUMENTS 255u	       /* of a call */
#define TRCFMT_SIZE 65535u	       /* bytes of A, columns, places of G, O, R */
#define TRCFMT_BITS 4096u	       /* of B */
#define TRCFMT_OWN_MACROS 255u	       /* assigned in a template without T10 */

enum trcfmt_rule {
#define RULE(code, severity, title, source) RULE_##code,
#include "trcfmt/lang/rules.def"
#undef RULE
	RULE_COUNT,
};

extern const struct poly_rule trcfmt_rules[RULE_COUNT + 1];

struct template_parser {
	struct poly_templates *templates;
	struct poly_template_options options;
	struct poly_error *error;
	enum poly_status status; /* of the first error */
	bool stopped;		 /* out of memory, or a limit of the whole file: parsing ends */
	bool trusted;		 /* the library's own text, which may define ids below 010 */
	struct join_source source;
	struct joined joined;

	/* The template that is being parsed. */
	const char *text;
	size_t size, at;
	struct hook_template template;
	unsigned depth;	     /* of braces and parentheses */
	uint32_t number;     /* of the template, from 1 */
	uint32_t *seen;	     /* by macro: 2 * number: assigned; 2 * number + 1: reported */
	size_t seen_count;   /* elements of seen */
	unsigned own_macros; /* assigned */
};

/* A parsed expression, and the nesting depth of its operators. */
struct parsed_expr {
	uint32_t expr;
	unsigned depth;
};

/* finding.c: reports a finding at a position; returns false, for the caller to return. */
bool parser_report(struct template_parser *parser, enum trcfmt_rule rule, size_t at,
	const char *message, ...) __attribute__((format(printf, 4, 5)));

/* Reports that memory ran out; returns false. */
bool parser_out_of_memory(struct template_parser *parser);

/* load.c: adds the predefined macros, in order. */
bool parser_predefine(struct intern *macros);

/* Starts parsing the joined template: resets parser->template, skips blanks. */
void parser_begin(struct template_parser *parser);

/* Parses a template to the end of its line. */
bool parser_template(struct template_parser *parser);

/* Parse its id, and its version. */
bool parser_hook(struct template_parser *parser);
bool parser_version(struct template_parser *parser);

/* lexer.c: returns the character at the position, or `ahead` after it; NUL at the end. */
char parser_peek(const struct template_parser *parser);
char parser_peek_at(const struct template_parser *parser, size_t ahead);
bool parser_ended(const struct template_parser *parser);

/* Skips blanks; returns the character after them. */
char parser_skip(struct template_parser *parser);

/* Skips blanks; if c follows, skips it and returns true. */
bool parser_next_is(struct template_parser *parser, char c);

/* Returns the number of letters, digits and "_" at the position. */
size_t parser_word(const struct template_parser *parser);

/* Parses decimal digits; false, without a finding, if there are none or too many. */
bool parser_digits(struct template_parser *parser, uint64_t *value);

/* Parses a quoted string into the texts, followed by a NUL. */
bool parser_string(struct template_parser *parser, uint32_t *text, uint32_t *length);

/* Copies n bytes into the texts, followed by a NUL. */
bool parser_copy(struct template_parser *parser, const char *text, size_t n, uint32_t *at);

/* code.c: kinds of words. */
enum word_kind {
	WORD_CODE, /* an output or interpreter code */
	WORD_MOVE, /* G, O, R, W */
	WORD_OTHER,
	WORD_WRONG, /* was reported */
};

/*
 * Parses the word at the position into item if it is a format code or a position code, with its
 * ".n". argument: a further "." ends the code instead of being an error.
 */
enum word_kind parser_code(
	struct template_parser *parser, bool argument, struct template_item *item);

/* expr.c: parses an expression; argument: as an argument of a call, where "." may join two. */
bool parser_expr(struct template_parser *parser, bool argument, struct parsed_expr *parsed);

/* Parses a code, or a macro and its cast. */
bool parser_value(struct template_parser *parser, bool argument, uint32_t *expr);

/* Parses the name after the "$" at the position; gets the macro's number. */
bool parser_macro(struct template_parser *parser, bool assigned, uint32_t *macro);

/* parse.c: parses a descriptor, to the end of the template or the "}" that ends it. */
bool parser_descriptor(struct template_parser *parser);

/* Parses "L=" and the name of a level, as an item. */
bool parser_level(struct template_parser *parser);

/* Appends an item; NULL: a limit, or out of memory. Valid until the next call. */
struct template_item *parser_item(
	struct template_parser *parser, enum trcfmt_item kind, size_t at);

/* Enters a brace or a parenthesis; the caller leaves it by depth--. */
bool parser_nest(struct template_parser *parser, size_t at);

/* switch.c: parses the cases after a selector; "," is next. */
bool parser_switch(struct template_parser *parser, size_t at, uint32_t selector);

/* call.c: parses a call of the name of n bytes at the position. */
bool parser_call(struct template_parser *parser, size_t n);

/* Returns the size of the name at the position if it names a built-in or "(" follows, else 0.
 */
size_t parser_call_name(const struct template_parser *parser);

/* check.c: reports warnings. */
void check_hook(struct template_parser *parser, size_t at);
void check_use(struct template_parser *parser, uint32_t macro, size_t at);
void check_assignment(struct template_parser *parser, uint32_t macro, size_t at);

/* Makes room for one element after count; returns the array, or NULL. */
void *parser_grow(struct template_parser *parser, void *array, size_t count, size_t size);

#endif
