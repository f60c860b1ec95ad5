/* SPDX-License-Identifier: MIT */
/*
 * Files of templates.
 *
 *     file     = { comment | blank | template } ;
 *     template = hookid version [ level ] [ descriptor ] ;
 *     hookid   = 3 HEX | 4 HEX ;
 *     version  = digits "." digits ;
 *
 * spec: seed 003; reference aix 4.1.
 */
#include "trcfmt/parser.h"
#include "trcfmt/text.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Bytes to the next blank. */
static size_t
token_size(const struct parser *parser)
{
	size_t n = 0;
	while (parser->at + n < parser->size && parser_peek_at(parser, n) != ' ' &&
		parser_peek_at(parser, n) != '\t')
		n++;
	return n;
}

bool
parser_hook(struct parser *parser)
{
	size_t n = token_size(parser);
	uint64_t id;
	const char *text = parser->text + parser->at;
	int shown = n > 40 ? 40 : (int)n;
	if ((n != 3 && n != 4) || !num_parse_hex(text, n, &id))
		return parser_find(parser, RULE_T01, parser->at,
			"'%.*s' is no hook id of 3 or 4 hexadecimal digits; a line goes on in "
			"the next one only behind '\\'",
			shown, text);
	if (n == 4 && id < 0x1000 && id & 0xf)
		return parser_find(parser, RULE_T01, parser->at,
			"hook id '%.4s' begins with 0, and its last digit is not 0", text);
	parser->template.hook = (uint16_t)(n == 3 ? id << 4 : id);
	parser->template.wide_id = n == 4;
	parser->at += n;
	return true;
}

bool
parser_version(struct parser *parser)
{
	parser_skip(parser);
	size_t start = parser->at, n = token_size(parser);
	uint64_t version, release;
	bool right = parser_digits(parser, &version) && parser_next_is(parser, '.') &&
		     parser_digits(parser, &release) && parser->at == start + n &&
		     version <= UINT32_MAX && release <= UINT32_MAX;
	if (!right)
		return parser_find(parser, RULE_T02, start,
			"expected a version such as 1.0, found '%.*s'", n > 40 ? 40 : (int)n,
			parser->text + start);
	parser->template.version = (uint32_t)version;
	parser->template.release = (uint32_t)release;
	return true;
}

/* The level that a template begins with is the template's, and no item. */
static void
take_level(struct parser *parser, const struct item *item)
{
	parser->template.level = (uint8_t)item->number;
	parser->to->item_count--;
}

bool
parser_template(struct parser *parser)
{
	struct poly_templates *to = parser->to;
	size_t start = parser->at;
	if (!parser_hook(parser))
		return false;
	check_hook(parser, start);
	if (!parser_version(parser))
		return false;
	parser_skip(parser);
	if (parser_peek(parser) == 'L' && parser_peek_at(parser, 1) == '=') {
		if (!parser_level(parser))
			return false;
		take_level(parser, &to->items[to->item_count - 1]);
	}
	if (!parser_descriptor(parser))
		return false;
	if (!parser_ended(parser))
		return parser_find(parser, RULE_T05, parser->at, "'}' ends nothing");
	parser->template.end = (uint32_t)to->item_count;
	return parser_keep(parser, parser->source.text + parser->joined.start,
		parser->joined.end - parser->joined.start, &parser->template.source);
}

/* Puts the template that was parsed in its place. */
static bool
add_template(struct parser *parser)
{
	struct poly_templates *to = parser->to;
	uint16_t *place = &to->by_hook[parser->template.hook];
	if (*place) {
		to->templates[*place - 1] = parser->template;
		return true;
	}
	struct template *more = parser_grow(parser, to->templates, to->count, sizeof *more);
	if (!more)
		return false;
	to->templates = more;
	more[to->count] = parser->template;
	*place = (uint16_t)++to->count;
	return true;
}

void
parser_begin(struct parser *parser)
{
	struct joined *joined = &parser->joined;
	parser->text = (const char *)joined->text.data;
	parser->size = joined->text.size;
	parser->at = 0;
	parser->depth = 0;
	parser->own_macros = 0;
	parser->number++;
	parser->template = (struct template){
		.first = (uint32_t)parser->to->item_count,
		.source_length = (uint32_t)(joined->end - joined->start),
	};
	parser_skip(parser);
	parser->template.line = join_place(joined, parser->at).line;
}

/* Parses what was joined; what stands in the way of that is left out. */
static void
take_template(struct parser *parser)
{
	struct poly_templates *to = parser->to;
	size_t exprs = to->expr_count, arguments = to->argument_count, texts = to->texts.size;
	parser_begin(parser);
	if (!parser_ended(parser)) {
		if (parser_template(parser)) {
			add_template(parser);
		} else {
			to->item_count = parser->template.first;
			to->expr_count = exprs;
			to->argument_count = arguments;
			to->texts.size = texts;
		}
	}
	if (parser->joined.open)
		parser_find(parser, RULE_T13, parser->size, "the file ends behind '\\'");
}

bool
parser_predefine(struct intern *macros)
{
	static const char *const names[] = {
#define MACRO(name, section, test) #name,
#include "trcfmt/directives.def"
	};
	for (size_t i = 0; i < MACRO_FIRST_OWN; i++)
		if (intern_add(macros, names[i], strlen(names[i])) == INTERN_FAILED)
			return false;
	return true;
}

/* Lists the templates by their hooks. */
static bool
put_in_order(struct parser *parser)
{
	struct poly_templates *to = parser->to;
	size_t n = 0;
	to->by_order = mem_new(to->count + 1, sizeof *to->by_order);
	if (!to->by_order)
		return parser_out_of_memory(parser);
	for (size_t hook = 0; hook < 65536; hook++)
		if (to->by_hook[hook])
			to->by_order[n++] = (uint16_t)(to->by_hook[hook] - 1);
	return true;
}

static void
parse_file(struct parser *parser)
{
	const char *name = parser->options.name;
	struct poly_templates *to = parser->to;
	to->name = mem_string(name ? name : "default.trcfmt");
	if (!to->name || !parser_predefine(&to->macros)) {
		parser_out_of_memory(parser);
		return;
	}
	while (!parser->stopped && join_next(&parser->source, &parser->joined))
		take_template(parser);
	if (parser->joined.failed)
		parser_out_of_memory(parser);
	if (!parser->stopped)
		put_in_order(parser);
}

/* The caller's options in to, which holds the initial ones; a struct may be an older one. */
static enum poly_status
take_options(struct poly_template_options *to, const struct poly_template_options *options,
	struct poly_error *error)
{
	if (!options)
		return POLY_OK;
	if (options->size == 0)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"options of templates have size 0: they were not initialised");
	memcpy(to, options, options->size < sizeof *to ? options->size : sizeof *to);
	return POLY_OK;
}

enum poly_status
poly_templates_parse(const char *text, size_t n, const struct poly_template_options *options,
	struct poly_templates **templates, struct poly_error *error)
{
	struct parser parser = {.options = POLY_TEMPLATE_OPTIONS_INIT, .error = error};
	*templates = NULL;
	if (take_options(&parser.options, options, error) != POLY_OK)
		return POLY_ERR_USAGE;
	if (!text) {
		text = trcfmt_default;
		n = strlen(text);
		parser.trusted = true;
	}
	if (n > TRCFMT_FILE_SIZE)
		return err_set(error, POLY_ERR_LIMIT, TRCFMT_FILE_SIZE,
			"more than %zu bytes of templates", TRCFMT_FILE_SIZE);
	parser.to = mem_new(1, sizeof *parser.to);
	if (!parser.to)
		return err_memory(error);
	parser.source = (struct join_source){text, n, 0, 1};
	parse_file(&parser);
	join_free(&parser.joined);
	mem_free(parser.seen);
	if (parser.status == POLY_OK)
		*templates = parser.to;
	else
		poly_templates_free(parser.to);
	return parser.status;
}

enum poly_status
poly_templates_load(const char *path, const struct poly_template_options *options,
	struct poly_templates **templates, struct poly_error *error)
{
	struct poly_template_options named = POLY_TEMPLATE_OPTIONS_INIT;
	struct buf text = {0};
	*templates = NULL;
	enum poly_status status = take_options(&named, options, error);
	named.name = path;
	if (status == POLY_OK)
		status = text_load(path, &text, error);
	if (status == POLY_OK)
		status = poly_templates_parse(
			buf_text(&text), text.size, &named, templates, error);
	buf_free(&text);
	return status;
}

bool
poly_template_at(
	const struct poly_templates *templates, size_t i, struct poly_template_info *info)
{
	static const char *const levels[] = {"APPL", "SVC", "KERN", "INT"};
	if (i >= templates->count)
		return false;
	const struct template *template = &templates->templates[templates->by_order[i]];
	const char *texts = (const char *)templates->texts.data;
	*info = (struct poly_template_info){
		.hook = template->hook,
		.version = template->version,
		.release = template->release,
		.label = template->label_length ? texts + template->label : "",
		.level = levels[template->level],
		.line = template->line,
		.source = texts + template->source,
	};
	return true;
}

void
poly_templates_free(struct poly_templates *templates)
{
	if (!templates)
		return;
	mem_free(templates->templates);
	mem_free(templates->by_order);
	mem_free(templates->items);
	mem_free(templates->exprs);
	mem_free(templates->arguments);
	intern_free(&templates->macros);
	buf_free(&templates->texts);
	mem_free(templates->name);
	mem_free(templates);
}
