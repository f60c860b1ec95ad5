/* SPDX-License-Identifier: MIT */
/*
 * Template files.
 *
 *     file     = { comment | blank | template } ;
 *     template = hookid version [ level ] [ descriptor ] ;
 *     hookid   = 3 HEX | 4 HEX ;
 *     version  = digits "." digits ;
 *
 * spec: IBM, trcfmt File Format; AIX trace reference 4.1.
 */
#include "trcfmt/lang/parser.h"
#include "trcfmt/lang/text.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Returns the number of bytes to the next blank. */
static size_t
token_size(const struct template_parser *parser)
{
	size_t n = 0;
	while (parser->at + n < parser->size && parser_peek_at(parser, n) != ' ' &&
		parser_peek_at(parser, n) != '\t')
		n++;
	return n;
}

bool
parser_hook(struct template_parser *parser)
{
	size_t n = token_size(parser);
	uint64_t id;
	const char *text = parser->text + parser->at;
	int shown = n > 40 ? 40 : (int)n;
	if ((n != 3 && n != 4) || !num_parse_hex(text, n, &id))
		return parser_report(parser, RULE_T01, parser->at,
			"'%.*s' is not a hook id of 3 or 4 hexadecimal digits; a line that is "
			"continued must end in '\\'",
			shown, text);
	if (n == 4 && id < 0x1000 && id & 0xf)
		return parser_report(parser, RULE_T01, parser->at,
			"hook id '%.4s' begins with 0: its last digit must be 0", text);
	parser->template.hook = (uint16_t)(n == 3 ? id << 4 : id);
	parser->template.wide_id = n == 4;
	parser->at += n;
	return true;
}

bool
parser_version(struct template_parser *parser)
{
	parser_skip(parser);
	size_t start = parser->at, n = token_size(parser);
	uint64_t version, release;
	bool right = parser_digits(parser, &version) && parser_next_is(parser, '.') &&
		     parser_digits(parser, &release) && parser->at == start + n &&
		     version <= UINT32_MAX && release <= UINT32_MAX;
	if (!right)
		return parser_report(parser, RULE_T02, start,
			"expected a version such as 1.0, found '%.*s'", n > 40 ? 40 : (int)n,
			parser->text + start);
	parser->template.version = (uint32_t)version;
	parser->template.release = (uint32_t)release;
	return true;
}

/* Moves the level at the start of a template from the last item to the template. */
static void
set_level(struct template_parser *parser, const struct template_item *item)
{
	parser->template.level = (uint8_t)item->number;
	parser->templates->item_count--;
}

bool
parser_template(struct template_parser *parser)
{
	struct poly_templates *templates = parser->templates;
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
		set_level(parser, &templates->items[templates->item_count - 1]);
	}
	if (!parser_descriptor(parser))
		return false;
	if (!parser_ended(parser))
		return parser_report(parser, RULE_T05, parser->at, "'}' without '{'");
	parser->template.end = (uint32_t)templates->item_count;
	return parser_copy(parser, parser->source.text + parser->joined.start,
		parser->joined.end - parser->joined.start, &parser->template.source);
}

/* Stores the parsed template. */
static bool
add_template(struct template_parser *parser)
{
	struct poly_templates *templates = parser->templates;
	uint16_t *position = &templates->by_hook[parser->template.hook];
	if (*position) {
		templates->templates[*position - 1] = parser->template;
		return true;
	}
	struct hook_template *grown =
		parser_grow(parser, templates->templates, templates->count, sizeof *grown);
	if (!grown)
		return false;
	templates->templates = grown;
	grown[templates->count] = parser->template;
	*position = (uint16_t)++templates->count;
	return true;
}

void
parser_begin(struct template_parser *parser)
{
	struct joined *joined = &parser->joined;
	parser->text = (const char *)joined->text.data;
	parser->size = joined->text.size;
	parser->at = 0;
	parser->depth = 0;
	parser->own_macros = 0;
	parser->number++;
	parser->template = (struct hook_template){
		.first = (uint32_t)parser->templates->item_count,
		.source_length = (uint32_t)(joined->end - joined->start),
	};
	parser_skip(parser);
	parser->template.line = join_position(joined, parser->at).line;
}

/* Parses the joined template; drops it if it has an error. */
static void
parse_joined(struct template_parser *parser)
{
	struct poly_templates *templates = parser->templates;
	size_t exprs = templates->expr_count, arguments = templates->argument_count,
	       texts = templates->texts.size;
	parser_begin(parser);
	if (!parser_ended(parser)) {
		if (parser_template(parser)) {
			add_template(parser);
		} else {
			templates->item_count = parser->template.first;
			templates->expr_count = exprs;
			templates->argument_count = arguments;
			templates->texts.size = texts;
		}
	}
	if (parser->joined.open)
		parser_report(parser, RULE_T13, parser->size, "the file ends after '\\'");
}

bool
parser_predefine(struct intern *macros)
{
	static const char *const names[] = {
#define MACRO(name, section, test) #name,
#include "trcfmt/lang/directives.def"
	};
	for (size_t i = 0; i < MACRO_FIRST_OWN; i++)
		if (intern_add(macros, names[i], strlen(names[i])) == INTERN_FAILED)
			return false;
	return true;
}

/* Sorts the templates by hook. */
static bool
sort_by_hook(struct template_parser *parser)
{
	struct poly_templates *templates = parser->templates;
	size_t n = 0;
	templates->by_order = mem_new(templates->count + 1, sizeof *templates->by_order);
	if (!templates->by_order)
		return parser_out_of_memory(parser);
	for (size_t hook = 0; hook < 65536; hook++)
		if (templates->by_hook[hook])
			templates->by_order[n++] = (uint16_t)(templates->by_hook[hook] - 1);
	return true;
}

static void
parse_file(struct template_parser *parser)
{
	const char *name = parser->options.name;
	struct poly_templates *templates = parser->templates;
	templates->name = mem_string(name ? name : "default.trcfmt");
	if (!templates->name || !parser_predefine(&templates->macros)) {
		parser_out_of_memory(parser);
		return;
	}
	while (!parser->stopped && join_next(&parser->source, &parser->joined))
		parse_joined(parser);
	if (parser->joined.failed)
		parser_out_of_memory(parser);
	if (!parser->stopped)
		sort_by_hook(parser);
}

/* Copies the caller's options over the initial ones; its struct may be an older, shorter one.
 */
static enum poly_status
copy_options(struct poly_template_options *effective,
	const struct poly_template_options *options, struct poly_error *error)
{
	if (!options)
		return POLY_OK;
	if (options->size == 0)
		return err_usage(error, "template options of size 0: not initialized");
	memcpy(effective, options,
		options->size < sizeof *effective ? options->size : sizeof *effective);
	return POLY_OK;
}

enum poly_status
poly_templates_parse(const char *text, size_t n, const struct poly_template_options *options,
	struct poly_templates **templates, struct poly_error *error)
{
	struct template_parser parser = {.options = POLY_TEMPLATE_OPTIONS_INIT, .error = error};
	*templates = NULL;
	if (copy_options(&parser.options, options, error) != POLY_OK)
		return POLY_ERR_USAGE;
	if (!text) {
		text = trcfmt_default;
		n = strlen(text);
		parser.trusted = true;
	}
	if (n > TRCFMT_FILE_SIZE)
		return err_set(error, POLY_ERR_LIMIT, TRCFMT_FILE_SIZE,
			"more than %zu bytes of templates", TRCFMT_FILE_SIZE);
	parser.templates = mem_new(1, sizeof *parser.templates);
	if (!parser.templates)
		return err_memory(error);
	parser.templates->built_in = parser.trusted;
	parser.source = (struct join_source){text, n, 0, 1};
	parse_file(&parser);
	join_free(&parser.joined);
	mem_free(parser.seen);
	if (parser.options.skips_errors && !parser.stopped)
		parser.status = POLY_OK;
	if (parser.status == POLY_OK)
		*templates = parser.templates;
	else
		poly_templates_free(parser.templates);
	return parser.status;
}

enum poly_status
poly_templates_load(const char *path, const struct poly_template_options *options,
	struct poly_templates **templates, struct poly_error *error)
{
	struct poly_template_options named = POLY_TEMPLATE_OPTIONS_INIT;
	struct buf text = {0};
	*templates = NULL;
	enum poly_status status = copy_options(&named, options, error);
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
	const struct hook_template *template = &templates->templates[templates->by_order[i]];
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
