/* SPDX-License-Identifier: MIT */
/* The parser of expressions: by precedence, depth and number of nodes bounded. */
#include "lang/expr/expr.h"

#include "base/err.h"
#include "base/vec.h"
#include "model/columns.h"

#include <string.h>

/* State of the parser. */
struct parsing {
	struct poly_filter *filter;
	const struct poly_filter_names *names; /* of addresses, or NULL */
	struct token token;		       /* next token */
	size_t at;			       /* offset past the token */
	unsigned depth;
	struct poly_error *error;
	enum poly_status status; /* the first failure */
};

#define NO_NODE 0

#define NO_COLUMN "no such column; polytrace-columns(5) lists the columns"

static uint32_t condition(struct parsing *p);
static uint32_t value(struct parsing *p, unsigned rank);

static uint32_t
larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static const struct node *
at(const struct parsing *p, uint32_t node)
{
	return &p->filter->nodes[node];
}

static void
advance(struct parsing *p)
{
	if (p->status == POLY_OK)
		p->status = expr_token(
			p->filter->text, &p->at, &p->filter->texts, &p->token, p->error);
	if (p->status != POLY_OK)
		p->token = (struct token){.kind = TOKEN_END};
}

static bool
is(const struct parsing *p, enum token_kind kind, const char *text)
{
	return p->token.kind == kind && p->token.length == strlen(text) &&
	       memcmp(p->filter->text + p->token.at, text, p->token.length) == 0;
}

static bool
takes(struct parsing *p, enum token_kind kind, const char *text)
{
	if (p->status != POLY_OK || !is(p, kind, text))
		return false;
	advance(p);
	return true;
}

/* Fails with what was expected at the next token. */
static uint32_t
expected(struct parsing *p, const char *what)
{
	if (p->status == POLY_OK)
		p->status = expr_error(p->filter->text, p->token.at, p->error, "expected %s%s",
			what, p->token.kind == TOKEN_END ? " before the end" : "");
	return NO_NODE;
}

static uint32_t
fails(struct parsing *p, uint32_t node, const char *what)
{
	if (p->status == POLY_OK)
		p->status = expr_error(p->filter->text, at(p, node)->at, p->error, "%s", what);
	return NO_NODE;
}

static enum poly_status
too_deep(struct parsing *p)
{
	return err_set(p->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
		"the expression is nested too deeply (at most %d brackets and %d chained "
		"operators)",
		EXPR_DEPTH, EXPR_CHAIN);
}

/* Strips needed to evaluate a node, besides its result. */
static uint32_t
room_of(const struct poly_filter *filter, const struct node *node)
{
	const struct node *n = filter->nodes;
	uint32_t room;
	switch ((unsigned)node->kind) {
	case NODE_NEGATE:
	case NODE_INVERT:
	case NODE_NOT: return n[node->left].room;
	case NODE_AND:
	case NODE_OR: return larger(n[node->left].room, n[node->right].room);
	case NODE_EQUAL:
	case NODE_LESS:
	case NODE_LESS_EQUAL:
	case NODE_BETWEEN:
		room = larger(1 + n[node->left].room, 2 + n[node->right].room);
		return larger(room, 3 + n[node->third].room);
	}
	if (node->kind >= NODE_ADD && node->kind <= NODE_SHIFT_RIGHT)
		return larger(n[node->left].room, 1 + n[node->right].room);
	return 0;
}

/* Stores a copy of a node and returns its index. */
static uint32_t
put(struct parsing *p, struct node node)
{
	struct poly_filter *filter = p->filter;
	if (p->status != POLY_OK)
		return NO_NODE;
	if (filter->count) {
		node.chain = 1 + larger(at(p, node.left)->chain, at(p, node.right)->chain);
		node.room = room_of(filter, &node);
	}
	if (node.chain > EXPR_CHAIN) {
		p->status = too_deep(p);
		return NO_NODE;
	}
	if (!VEC_ROOM(filter->nodes, filter->capacity, filter->count)) {
		p->status = err_memory(p->error);
		return NO_NODE;
	}
	filter->nodes[filter->count] = node;
	return filter->count++;
}

static bool
is_condition(const struct node *node)
{
	return node->kind >= NODE_EQUAL;
}

static bool
is_number(const struct node *node)
{
	return node->kind < NODE_STRING;
}

/* Looks up a text as a name of addresses. */
static void
find_name(const struct parsing *p, struct node *node)
{
	const struct poly_filter_names *names = p->names;
	const char *name = (const char *)p->filter->texts.data + node->text;
	node->is_named = names && p->status == POLY_OK &&
			 names->find(names->user, name, node->text_length, &node->number,
				 &node->name_last);
}

/* Whether a text is the name of a register of any instruction set. */
static bool
is_register(const struct parsing *p, const struct node *node)
{
	return poly_isa_has_register(NULL, (const char *)p->filter->texts.data + node->text);
}

/* As a number, a name is its first address, or a register. */
static void
name_as_number(struct parsing *p, uint32_t number)
{
	struct node *node = p->status == POLY_OK ? &p->filter->nodes[number] : NULL;
	if (!node || (!node->is_named && (node->kind != NODE_WORD || !is_register(p, node))))
		return;
	node->kind = node->is_named ? NODE_NUMBER : NODE_REGISTER;
	node->is_named = false;
}

/* Adds a node with two numbers. */
static uint32_t
put_pair(struct parsing *p, enum node_kind kind, uint32_t left, uint32_t right)
{
	name_as_number(p, left);
	name_as_number(p, right);
	if (p->status != POLY_OK)
		return NO_NODE;
	const struct node *l = at(p, left), *r = at(p, right);
	const bool is_signed = l->is_signed || r->is_signed || kind == NODE_SUBTRACT;
	if (!is_number(l) || !is_number(r))
		return fails(p, is_number(l) ? right : left, "expected a number");
	return put(p, (struct node){.kind = kind,
			      .left = left,
			      .right = right,
			      .is_signed = is_signed,
			      .at = l->at});
}

/* Parses the name of a column and adds it to the columns used. */
static enum poly_column
take_column(struct parsing *p)
{
	const struct token token = p->token;
	const enum poly_column column =
		token.kind == TOKEN_WORD
			? poly_column_find(p->filter->text + token.at, token.length)
			: POLY_COLUMN_COUNT;
	if (column != POLY_COLUMN_COUNT) {
		poly_columns_add(&p->filter->columns, column);
		advance(p);
	}
	return column;
}

/* Takes the name of a register. */
static bool
take_register(struct parsing *p, struct node *node)
{
	node->text = p->filter->texts.size;
	node->text_length = p->token.length;
	buf_append(&p->filter->texts, p->filter->text + p->token.at, p->token.length);
	buf_byte(&p->filter->texts, 0);
	if (p->filter->texts.failed && p->status == POLY_OK)
		p->status = err_memory(p->error);
	if (p->status != POLY_OK || p->token.kind != TOKEN_WORD || !is_register(p, node))
		return false;
	node->column = POLY_COLUMN_NONE;
	advance(p);
	return true;
}

/* "has" "(" column ")" */
static uint32_t
has(struct parsing *p)
{
	struct node node = {.kind = NODE_HAS, .at = p->token.at};
	advance(p);
	if (!takes(p, TOKEN_SIGN, "("))
		return expected(p, "'(' and a column");
	node.column = takes(p, TOKEN_WORD, "row") ? POLY_COLUMN_row : take_column(p);
	if (node.column == POLY_COLUMN_COUNT && !take_register(p, &node))
		return expected(p, "the name of a column or register");
	return takes(p, TOKEN_SIGN, ")") ? put(p, node) : expected(p, "')'");
}

/* Parses a word: a column, row, or a value of the column that it is compared with. */
static uint32_t
word(struct parsing *p)
{
	const struct token token = p->token;
	struct node node = {.at = token.at, .length = token.length, .kind = NODE_ROW};
	if (takes(p, TOKEN_WORD, "row"))
		return put(p, node);
	node.column = take_column(p);
	node.kind = NODE_COLUMN;
	if (node.column != POLY_COLUMN_COUNT) {
		node.is_signed = column_table[node.column].is_signed;
		return put(p, node);
	}
	node.kind = NODE_WORD;
	node.text = p->filter->texts.size;
	node.text_length = token.length;
	buf_append(&p->filter->texts, p->filter->text + token.at, token.length);
	buf_byte(&p->filter->texts, 0);
	if (p->filter->texts.failed && p->status == POLY_OK)
		p->status = err_memory(p->error);
	find_name(p, &node);
	advance(p);
	return put(p, node);
}

/* primary = number | string | word | "has" "(" column ")" | "(" ( condition | value ) ")" */
static uint32_t
primary(struct parsing *p)
{
	const struct token token = p->token;
	struct node node = {.at = token.at, .length = token.length};
	switch (token.kind) {
	case TOKEN_NUMBER:
		advance(p);
		node.kind = NODE_NUMBER;
		node.number = token.number;
		return put(p, node);
	case TOKEN_STRING:
		advance(p);
		node.kind = NODE_STRING;
		node.text = token.text;
		node.text_length = token.text_length;
		find_name(p, &node);
		return put(p, node);
	case TOKEN_WORD: return is(p, TOKEN_WORD, "has") ? has(p) : word(p);
	case TOKEN_SIGN:
		if (takes(p, TOKEN_SIGN, "(")) {
			const uint32_t inner = condition(p);
			return takes(p, TOKEN_SIGN, ")") ? inner : expected(p, "')'");
		}
		break;
	case TOKEN_END: break;
	}
	return expected(p, "a column, a number or a string");
}

/* unary = ("-" | "~") unary | primary */
static uint32_t
unary(struct parsing *p)
{
	const size_t place = p->token.at;
	const bool minus = is(p, TOKEN_SIGN, "-");
	uint32_t inner = NO_NODE;
	if (!minus && !is(p, TOKEN_SIGN, "~"))
		return primary(p);
	advance(p);
	if (++p->depth > EXPR_DEPTH)
		p->status = too_deep(p);
	else
		inner = unary(p);
	p->depth--;
	name_as_number(p, inner);
	if (p->status != POLY_OK)
		return NO_NODE;
	if (!is_number(at(p, inner)))
		return fails(p, inner, "expected a number");
	struct node *constant = &p->filter->nodes[inner];
	if (constant->kind == NODE_NUMBER) {
		constant->number = minus ? -constant->number : ~constant->number;
		constant->is_signed |= minus;
		constant->at = place;
		return inner;
	}
	return put(p, (struct node){.kind = minus ? NODE_NEGATE : NODE_INVERT,
			      .left = inner,
			      .is_signed = minus || at(p, inner)->is_signed,
			      .at = place});
}

/* Binary operators on numbers, the loosest binding first. */
static const struct {
	const char *sign;
	unsigned rank;
	enum node_kind kind;
} operators[] = {{"|", 0, NODE_OR_BITS}, {"^", 1, NODE_XOR_BITS}, {"&", 2, NODE_AND_BITS},
	{"<<", 3, NODE_SHIFT_LEFT}, {">>", 3, NODE_SHIFT_RIGHT}, {"+", 4, NODE_ADD},
	{"-", 4, NODE_SUBTRACT}, {"*", 5, NODE_MULTIPLY}, {"/", 5, NODE_DIVIDE},
	{"%", 5, NODE_REMAINDER}};

#define RANKS 6
#define OPERATORS (sizeof operators / sizeof *operators)

static uint32_t
value(struct parsing *p, unsigned rank)
{
	if (rank == RANKS)
		return unary(p);
	uint32_t left = value(p, rank + 1);
	for (size_t i = 0; i < OPERATORS && p->status == POLY_OK;) {
		if (operators[i].rank != rank || !is(p, TOKEN_SIGN, operators[i].sign)) {
			i++;
			continue;
		}
		advance(p);
		left = put_pair(p, operators[i].kind, left, value(p, rank + 1));
		i = 0;
	}
	return left;
}

/* Replaces two backslashes by one in a plain string; returns its length. */
static size_t
unescape(uint8_t *text, size_t n)
{
	size_t to = 0;
	for (size_t from = 0; from < n; from++) {
		from += text[from] == '\\' && from + 1 < n && text[from + 1] == '\\';
		text[to++] = text[from];
	}
	return to;
}

/* Adds a test of a column's text. */
static uint32_t
put_text_test(struct parsing *p, uint32_t left, uint32_t right)
{
	if (p->status != POLY_OK)
		return NO_NODE;
	const uint32_t sides[] = {left, right};
	const unsigned which = at(p, left)->kind != NODE_COLUMN;
	const struct node *column = at(p, sides[which]), *text = at(p, sides[!which]);
	for (unsigned i = 0; column->kind != NODE_COLUMN && i < 2; i++) {
		if (at(p, sides[i])->kind == NODE_WORD)
			return fails(p, sides[i], NO_COLUMN);
	}
	if (column->kind != NODE_COLUMN)
		return fails(p, left, "a string can only be compared with a column");
	const size_t length = unescape(p->filter->texts.data + text->text, text->text_length);
	return put(p, (struct node){.kind = NODE_MATCH,
			      .left = sides[which],
			      .column = column->column,
			      .text = text->text,
			      .text_length = length,
			      .at = text->at,
			      .length = text->length});
}

/* Whether a word that names a column is a value of the column that it is compared with. */
static bool
is_value_of(const struct parsing *p, uint32_t word_node, uint32_t column_node)
{
	const struct node *w = at(p, word_node), *c = at(p, column_node);
	return w->kind == NODE_COLUMN && c->kind == NODE_COLUMN &&
	       poly_enum_find(
		       column_table[c->column].form, p->filter->text + w->at, w->length) >= 0;
}

static void
make_word(struct parsing *p, uint32_t number)
{
	struct node *node = &p->filter->nodes[number];
	node->kind = NODE_WORD;
	node->text = p->filter->texts.size;
	node->text_length = node->length;
	buf_append(&p->filter->texts, p->filter->text + node->at, node->length);
	buf_byte(&p->filter->texts, 0);
	if (p->filter->texts.failed && p->status == POLY_OK)
		p->status = err_memory(p->error);
}

/* Whether a name that is compared with this node is an address. */
static bool
wants_address(const struct node *node)
{
	if (node->kind != NODE_COLUMN)
		return is_number(node);
	const enum poly_form form = column_table[node->column].form;
	return form == POLY_FORM_DEC || form == POLY_FORM_HEX;
}

static uint32_t
put_equal(struct parsing *p, uint32_t left, uint32_t right)
{
	if (p->status != POLY_OK)
		return NO_NODE;
	const bool are_words =
		at(p, left)->kind == NODE_WORD && at(p, right)->kind == NODE_WORD;
	if (are_words || wants_address(at(p, right)))
		name_as_number(p, left);
	if (wants_address(at(p, left)))
		name_as_number(p, right);
	if (is_value_of(p, right, left))
		make_word(p, right);
	else if (is_value_of(p, left, right))
		make_word(p, left);
	if (p->status != POLY_OK)
		return NO_NODE;
	const enum node_kind l = at(p, left)->kind, r = at(p, right)->kind;
	if (l == NODE_STRING || l == NODE_WORD || r == NODE_STRING || r == NODE_WORD)
		return put_text_test(p, left, right);
	return put_pair(p, NODE_EQUAL, left, right);
}

/* Adds the test that a number is not 0. */
static uint32_t
put_any_bit(struct parsing *p, uint32_t number)
{
	const struct node zero = {.kind = NODE_NUMBER, .at = at(p, number)->at};
	const uint32_t test = put_pair(p, NODE_LESS, put(p, zero), number);
	if (p->status == POLY_OK)
		p->filter->nodes[test].is_signed = false;
	return test;
}

/* Makes a condition of a node: a condition itself, a boolean column, or bits of a number. */
static uint32_t
as_condition(struct parsing *p, uint32_t left)
{
	if (p->status != POLY_OK || is_condition(at(p, left)))
		return left;
	const struct node *node = at(p, left);
	if (node->kind == NODE_COLUMN && column_table[node->column].form == POLY_FORM_BOOL)
		return put_pair(p, NODE_EQUAL, left,
			put(p, (struct node){
				       .kind = NODE_NUMBER, .number = 1, .at = node->at}));
	if (node->kind == NODE_WORD)
		return fails(p, left, NO_COLUMN);
	if (node->kind >= NODE_AND_BITS && node->kind <= NODE_SHIFT_RIGHT)
		return put_any_bit(p, left);
	return fails(p, left, "expected a condition: a comparison, 'in', '~', or has(column)");
}

static uint32_t
put_not(struct parsing *p, uint32_t inner)
{
	if (p->status != POLY_OK)
		return NO_NODE;
	return put(p, (struct node){.kind = NODE_NOT, .left = inner, .at = at(p, inner)->at});
}

/* Adds the test that left lies between two numbers. */
static uint32_t
put_between(struct parsing *p, uint32_t left, uint32_t first, uint32_t last)
{
	const uint32_t between = put_pair(p, NODE_BETWEEN, left, first);
	name_as_number(p, last);
	if (p->status != POLY_OK)
		return NO_NODE;
	if (!is_number(at(p, last)))
		return fails(p, last, "expected a number");
	if (p->filter->nodes[between].room < 3 + at(p, last)->room)
		p->filter->nodes[between].room = 3 + at(p, last)->room;
	p->filter->nodes[between].third = last;
	p->filter->nodes[between].is_signed |= at(p, last)->is_signed;
	return between;
}

/* range = value [ ".." value ], in which a name alone is all of its addresses */
static uint32_t
range(struct parsing *p, uint32_t left)
{
	const uint32_t first = value(p, 0);
	if (takes(p, TOKEN_SIGN, ".."))
		return put_between(p, left, first, value(p, 0));
	if (p->status != POLY_OK || !at(p, first)->is_named || !wants_address(at(p, left)))
		return put_equal(p, left, first);
	const struct node last = {
		.kind = NODE_NUMBER, .number = at(p, first)->name_last, .at = at(p, first)->at};
	return put_between(p, left, first, put(p, last));
}

static uint32_t
put_either(struct parsing *p, enum node_kind kind, uint32_t left, uint32_t right)
{
	if (p->status != POLY_OK)
		return NO_NODE;
	return put(
		p, (struct node){
			   .kind = kind, .left = left, .right = right, .at = at(p, left)->at});
}

/* set = range | "{" range { "," range } "}" */
static uint32_t
set(struct parsing *p, uint32_t left)
{
	if (!takes(p, TOKEN_SIGN, "{"))
		return range(p, left);
	uint32_t any = range(p, left);
	while (takes(p, TOKEN_SIGN, ","))
		any = put_either(p, NODE_OR, any, range(p, left));
	return takes(p, TOKEN_SIGN, "}") ? any : expected(p, "',' or '}'");
}

/* ("~" | "!~") string */
static uint32_t
regular(struct parsing *p, uint32_t left)
{
	const struct token token = p->token;
	size_t place;
	if (token.kind != TOKEN_STRING)
		return expected(p, "a regular expression in quotes");
	if (p->status == POLY_OK && at(p, left)->kind != NODE_COLUMN)
		return fails(p, left, "a regular expression can only be matched with a column");
	struct node node = {.kind = NODE_REGEX, .left = left, .at = token.at};
	advance(p);
	if (p->status != POLY_OK)
		return NO_NODE;
	node.column = at(p, left)->column;
	struct poly_error error;
	p->status = regex_new((const char *)p->filter->texts.data + token.text,
		token.text_length, &node.regex, &place, &error);
	if (p->status == POLY_ERR_USAGE)
		expr_error(
			p->filter->text, token.at + 1 + place, p->error, "%s", error.message);
	else if (p->status != POLY_OK && p->error)
		*p->error = error;
	const uint32_t number = put(p, node);
	if (p->status != POLY_OK)
		regex_free(node.regex);
	return number;
}

/*
 * test = value [ ("==" | "=" | "!=" | "<" | "<=" | ">" | ">=") value
 *              | ("~" | "!~") string | [ "not" ] "in" set ]
 */
static uint32_t
test(struct parsing *p)
{
	const uint32_t left = value(p, 0);
	if (takes(p, TOKEN_SIGN, "==") || takes(p, TOKEN_SIGN, "="))
		return put_equal(p, left, value(p, 0));
	if (takes(p, TOKEN_SIGN, "!="))
		return put_not(p, put_equal(p, left, value(p, 0)));
	if (takes(p, TOKEN_SIGN, "<"))
		return put_pair(p, NODE_LESS, left, value(p, 0));
	if (takes(p, TOKEN_SIGN, "<="))
		return put_pair(p, NODE_LESS_EQUAL, left, value(p, 0));
	if (takes(p, TOKEN_SIGN, ">"))
		return put_pair(p, NODE_LESS, value(p, 0), left);
	if (takes(p, TOKEN_SIGN, ">="))
		return put_pair(p, NODE_LESS_EQUAL, value(p, 0), left);
	if (takes(p, TOKEN_SIGN, "~") || takes(p, TOKEN_SIGN, "=~"))
		return regular(p, left);
	if (takes(p, TOKEN_SIGN, "!~"))
		return put_not(p, regular(p, left));
	if (takes(p, TOKEN_WORD, "in"))
		return set(p, left);
	/* In brackets a value may be part of another one: "(a + b) * 2 == c". */
	if (is(p, TOKEN_SIGN, ")"))
		return left;
	if (!takes(p, TOKEN_WORD, "not"))
		return as_condition(p, left);
	return takes(p, TOKEN_WORD, "in") ? put_not(p, set(p, left)) : expected(p, "'in'");
}

/* negated = ("not" | "!") negated | test */
static uint32_t
negated(struct parsing *p)
{
	bool negate = false, any = false;
	for (; takes(p, TOKEN_WORD, "not") || takes(p, TOKEN_SIGN, "!"); any = true)
		negate = !negate;
	const uint32_t inner = any ? as_condition(p, test(p)) : test(p);
	return negate ? put_not(p, inner) : inner;
}

/* conjunct = negated { ("and" | "&&") negated } */
static uint32_t
conjunct(struct parsing *p)
{
	uint32_t left = negated(p);
	while (takes(p, TOKEN_WORD, "and") || takes(p, TOKEN_SIGN, "&&"))
		left = put_either(p, NODE_AND, left, as_condition(p, negated(p)));
	return left;
}

/* condition = conjunct { ("or" | "||") conjunct } */
static uint32_t
condition(struct parsing *p)
{
	if (++p->depth > EXPR_DEPTH && p->status == POLY_OK)
		p->status = too_deep(p);
	uint32_t left = NO_NODE;
	if (p->status == POLY_OK)
		left = conjunct(p);
	while (takes(p, TOKEN_WORD, "or") || takes(p, TOKEN_SIGN, "||"))
		left = put_either(p, NODE_OR, left, as_condition(p, conjunct(p)));
	p->depth--;
	return left;
}

enum poly_status
expr_parse(struct poly_filter *filter, const struct poly_filter_names *names,
	struct poly_error *error)
{
	struct parsing parsing = {.filter = filter, .names = names, .error = error};
	/* Index 0 is not a node. */
	put(&parsing, (struct node){.kind = NODE_NUMBER});
	advance(&parsing);
	filter->root = condition(&parsing);
	if (parsing.status == POLY_OK && parsing.token.kind != TOKEN_END)
		expected(&parsing, "'and', 'or' or the end");
	return parsing.status;
}
