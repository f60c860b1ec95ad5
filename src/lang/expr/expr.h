/* SPDX-License-Identifier: MIT */
/*
 * An expression over the columns of a trace: tokens, the tree that the parser makes of them,
 * the results of binding it to a trace, and its evaluation over strips of rows.
 *
 * The grammar, the loosest binding first; what binds alike goes from left to right:
 *
 *     condition  = conjunct { ("or" | "||") conjunct }
 *     conjunct   = negated { ("and" | "&&") negated }
 *     negated    = ("not" | "!") negated | test
 *     test       = value [ ("==" | "=" | "!=" | "<" | "<=" | ">" | ">=") value
 *                        | ("~" | "!~") string | [ "not" ] "in" set ]
 *     set        = range | "{" range { "," range } "}"
 *     range      = value [ ".." value ]
 *     value      = bits { "|" bits }, and so on by "^", "&", "<<" ">>", "+" "-", "*" "/" "%"
 *     unary      = ("-" | "~") unary | primary
 *     primary    = number | string | word | "has" "(" column ")" | "(" ( condition | value )
 * ")"
 */
#ifndef LANG_EXPR_EXPR_H
#define LANG_EXPR_EXPR_H

#include "polytrace/filter.h"

#include "base/bits.h"
#include "base/buf.h"
#include "lang/regex.h"
#include "model/batch_gather.h"

/* Limits of an expression. */
#define EXPR_TEXT_MAX ((size_t)64 << 10)
#define EXPR_DEPTH 64	/* of brackets */
#define EXPR_CHAIN 4096 /* operators, one within the other */

/* Rows evaluated at a time, so that intermediate results stay in the first-level cache. */
#define EXPR_STRIP 512
#define EXPR_WORDS (EXPR_STRIP / 64)

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_WORD,
	TOKEN_SIGN, /* an operator or bracket */
};

struct token {
	enum token_kind kind;
	size_t at, length; /* in the expression */
	uint64_t number;
	size_t text, text_length; /* of a string, in the parser's texts */
};

enum node_kind {
	/* Numbers of 64 bits, absent in some rows. */
	NODE_NUMBER,   /* number */
	NODE_COLUMN,   /* column */
	NODE_ROW,      /* number of the record, from 1 */
	NODE_REGISTER, /* text: its name; column: while rows are evaluated */
	NODE_NEGATE,   /* left */
	NODE_INVERT,
	NODE_ADD, /* left, right */
	NODE_SUBTRACT,
	NODE_MULTIPLY,
	NODE_DIVIDE, /* fails where right is 0 */
	NODE_REMAINDER,
	NODE_AND_BITS,
	NODE_OR_BITS,
	NODE_XOR_BITS,
	NODE_SHIFT_LEFT,
	NODE_SHIFT_RIGHT,
	/* Texts, only within tests. */
	NODE_STRING, /* text */
	NODE_WORD,   /* text: a value of the column that it is compared with */
	/* Conditions, true or false. */
	NODE_EQUAL, /* left, right */
	NODE_LESS,
	NODE_LESS_EQUAL,
	NODE_BETWEEN, /* left, from right to third */
	NODE_MATCH,   /* the text of the column left equals text */
	NODE_REGEX,   /* the text of the column left matches regex */
	NODE_HAS,     /* column is present; with text: that of a register */
	NODE_NOT,     /* left */
	NODE_AND,     /* left, right */
	NODE_OR,
};

struct node {
	enum node_kind kind;
	bool is_signed;		     /* numbers: compared as such */
	bool is_named;		     /* STRING, WORD: has addresses, number to name_last */
	enum poly_column column;     /* of COLUMN, HAS, MATCH, REGEX */
	uint32_t left, right, third; /* operands */
	uint64_t number, name_last;  /* of NUMBER; the last address of a name */
	size_t text, text_length;    /* of STRING, WORD, MATCH, in texts */
	struct regex *regex;	     /* of REGEX */
	bool ranged;		     /* a test of a column: first <= value <= last, or empty */
	bool empty;		     /* no number passes */
	uint64_t first, last;
	uint8_t *verdicts; /* by number of a name: 0 unknown, 1 false, 2 true */
	uint32_t verdict_count;
	size_t at, length; /* in the expression */
	uint32_t chain;	   /* depth of the tree below */
	uint32_t room;	   /* strips needed for evaluation */
};

/* The numbers of a strip. */
struct strip {
	uint64_t value[EXPR_STRIP];
	uint64_t have[EXPR_WORDS];
};

/* What prevents a test. */
enum filter_fault {
	FAULT_NONE,
	FAULT_MEMORY,
	FAULT_DIVISION, /* by 0, in a row that the result depends on */
	FAULT_PATTERN,	/* the same of a text on which a regular expression exceeds its limit */
};

/* Rows of a strip: those for which a condition holds, and those that cannot be decided. */
struct decision {
	uint64_t holds[EXPR_WORDS], fails[EXPR_WORDS];
};

struct poly_filter {
	char *text; /* the expression */
	struct node *nodes;
	uint32_t count, capacity;
	uint32_t root;
	struct buf texts; /* strings, each with a NUL */
	poly_columns columns;
	bool has_found_registers; /* the nodes' columns are those of the trace's plan */
	struct strip *strips; /* intermediate results */
	struct buf shown;     /* text of a value */
	enum filter_fault fault; /* of the last test */
	uint64_t fault_row;	 /* in the batch */
	const uint64_t *needed;	 /* bits of the rows at which a test can fail; NULL: all rows */
	const struct poly_trace_info *info;
	struct batch_gather gather;
};

/* POLY_ERR_USAGE with a message, and a caret under the byte at of the text. */
enum poly_status expr_error(const char *text, size_t at, struct poly_error *error,
	const char *message, ...) __attribute__((format(printf, 4, 5)));

/* Parses the token at *at and advances *at past it; appends strings to texts. */
enum poly_status expr_token(const char *text, size_t *at, struct buf *texts,
	struct token *token, struct poly_error *error);

/* Parses filter->text into a tree; names, which may be NULL, are names of addresses. */
enum poly_status expr_parse(struct poly_filter *filter, const struct poly_filter_names *names,
	struct poly_error *error);

/* Evaluates the tree over rows from base to base + rows, at most EXPR_STRIP. */
void expr_run(struct poly_filter *filter, const struct poly_batch *batch, size_t base,
	size_t rows, uint64_t bits[EXPR_WORDS]);

/* A test of some rows. */
struct expr_test {
	const uint64_t *needed; /* bits of the rows at which it may fail */
	uint64_t *selected;	/* as poly_filter_test sets them */
	size_t valid; /* rows before the one at which it failed, whose bits are valid */
};

/* Same as poly_filter_test, of some rows. */
enum poly_status expr_test_rows(struct poly_filter *filter, const struct poly_batch *batch,
	struct expr_test *test, struct poly_error *error);

/* Converts tests of a column against constants to ranges; words are those of filter->info. */
void expr_find_ranges(struct poly_filter *filter);

/* Frees the verdicts on the names of a trace. */
void expr_clear_verdicts(struct poly_filter *filter);

#endif
