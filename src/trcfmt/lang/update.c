/* SPDX-License-Identifier: MIT */
/*
 * Updates template files.
 *
 *     changes = "* /etc/trcfmt" EOL { comment | blank | change } ;
 *     change  = "+" template | "-" hookid { version } ;
 *
 * A comment "* /etc/trcfmt line N" states the line at which the template after "+" is inserted,
 * even if the hook has one, or at which the template after "-" begins, so that others of the
 * hook stay. Undoing changes byte for byte needs this.
 *
 * spec: AIX trace reference 3 (6), 4.2, 5 (T14).
 */
#include "trcfmt/lang/parser.h"
#include "trcfmt/lang/fragments.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Maximum number of changes of a file: each searches all fragments of the template file. */
#define CHANGES_MAX ((size_t)8192)

static const char first_line[] = "* /etc/trcfmt";
static const char line_hint[] = "* /etc/trcfmt line ";

/* Comments after the first line: whether the file shall end in a newline. */
static const char *const end_hints[] = {
	"* /etc/trcfmt ends in a new line\n", "* /etc/trcfmt ends without a new line\n"};

/* A step, and the data to undo it. */
struct update_record {
	struct poly_update_step shown;
	struct source_fragment before; /* the fragment replaced or deleted */
	uint32_t version, release;     /* of the template added */
	size_t at;		       /* line at which the template began */
};

struct poly_updated {
	struct buf text, undo;
	struct update_record *steps;
	size_t count;
};

struct update_state {
	struct template_parser parser;
	struct source_fragments fragments;
	const struct poly_update *update;
	struct poly_updated *updated;
};

static bool
add_step(struct update_state *updating, enum poly_update_action action,
	const struct source_fragment *before, size_t at)
{
	struct poly_updated *updated = updating->updated;
	if (updated->count == CHANGES_MAX) {
		updating->parser.stopped = true;
		return parser_report(
			&updating->parser, RULE_T15, 0, "more than %zu changes", CHANGES_MAX);
	}
	struct update_record *grown =
		parser_grow(&updating->parser, updated->steps, updated->count, sizeof *grown);
	if (!grown)
		return false;
	updated->steps = grown;
	struct update_record *step = &grown[updated->count++];
	*step = (struct update_record){.at = at,
		.version = updating->parser.template.version,
		.release = updating->parser.template.release};
	step->shown = (struct poly_update_step){
		action, updating->parser.template.hook, updating->parser.template.line};
	if (before)
		step->before = *before;
	return true;
}

/* Returns the line stated by the comment before the joined template; 0: none. */
static size_t
hinted_line(const struct template_parser *parser)
{
	const char *text = parser->source.text;
	size_t end = parser->joined.start, start, n = sizeof line_hint - 1;
	uint64_t line;
	end -= end > 0;
	for (start = end; start > 0 && text[start - 1] != '\n'; start--)
		if (end - start > n + 20)
			return 0;
	while (end > start && (text[end - 1] == '\r' || text[end - 1] == ' '))
		end--;
	if (end - start <= n || memcmp(text + start, line_hint, n) != 0 ||
		!num_parse(text + start + n, end - start - n, &line) || line > SIZE_MAX / 2)
		return 0;
	return (size_t)line;
}

/* True if a template replaces another one. */
static bool
replaces(const struct update_state *updating, const struct source_fragment *fragment,
	const struct source_fragment *before)
{
	if (updating->update->any_version)
		return true;
	if (fragment->version != before->version)
		return fragment->version > before->version;
	return updating->update->later ? fragment->release > before->release
				       : fragment->release >= before->release;
}

/* Inserts a template at a line, or at the end if that is 0. */
static bool
insert_template(
	struct update_state *updating, const struct source_fragment *fragment, size_t line)
{
	size_t i = fragments_insert(&updating->fragments, fragment, line ? line : SIZE_MAX / 2);
	if (i == SIZE_MAX && updating->fragments.count < FRAGMENTS_MAX)
		return parser_out_of_memory(&updating->parser);
	if (i == SIZE_MAX) {
		updating->parser.stopped = true;
		return parser_report(&updating->parser, RULE_T15, 0,
			"more than %zu templates and comments in the template file",
			FRAGMENTS_MAX);
	}
	return add_step(updating, POLY_UPDATE_ADDED, NULL,
		line ? fragments_line(&updating->fragments, i) : 0);
}

/* Adds or replaces the template after "+", which is valid; the blank between is not part of it.
 */
static bool
add_template(struct update_state *updating, size_t from)
{
	struct template_parser *parser = &updating->parser;
	const struct hook_template *template = &parser->template;
	const char *text = parser->source.text;
	from += text[from] == ' ';
	struct source_fragment fragment = fragment_new(text + from, parser->joined.end - from);
	fragment.hook = template->hook;
	fragment.version = template->version;
	fragment.release = template->release;
	size_t line = hinted_line(parser);
	size_t i = line ? SIZE_MAX
			: fragments_find(&updating->fragments, fragment.hook,
				  updating->fragments.count);
	if (i == SIZE_MAX)
		return insert_template(updating, &fragment, line);
	struct source_fragment *before = &updating->fragments.list[i];
	if (!replaces(updating, &fragment, before))
		return add_step(updating, POLY_UPDATE_KEPT, NULL, 0);
	if (!add_step(updating, POLY_UPDATE_REPLACED, before, 0))
		return false;
	*before = fragment;
	return true;
}

/* True if the version of a template is listed after "- hookid", or none is. */
static bool
version_named(
	struct template_parser *parser, size_t versions, const struct source_fragment *fragment)
{
	parser->at = versions;
	if (parser_skip(parser) == 0)
		return true;
	while (!parser_ended(parser)) {
		parser_version(parser);
		if (parser->template.version == fragment->version &&
			parser->template.release == fragment->release)
			return true;
		parser_skip(parser);
	}
	return false;
}

static bool
parse_deletion(struct template_parser *parser, size_t *versions)
{
	if (!parser_hook(parser))
		return false;
	*versions = parser->at;
	while (parser_skip(parser), !parser_ended(parser))
		if (!parser_version(parser))
			return false;
	return true;
}

/* "-": removes the templates of the hook, from the last to the first. */
static bool
remove_templates(struct update_state *updating)
{
	size_t versions, i = updating->fragments.count, line = hinted_line(&updating->parser);
	bool any = false;
	if (!parse_deletion(&updating->parser, &versions))
		return false;
	while ((i = fragments_find(&updating->fragments, updating->parser.template.hook, i)) !=
		SIZE_MAX) {
		if (!version_named(&updating->parser, versions, &updating->fragments.list[i]) ||
			(line && fragments_line(&updating->fragments, i) != line))
			continue;
		if (!add_step(updating, POLY_UPDATE_DELETED, &updating->fragments.list[i],
			    fragments_line(&updating->fragments, i)))
			return false;
		fragments_remove(&updating->fragments, i);
		any = true;
	}
	return any || add_step(updating, POLY_UPDATE_ABSENT, NULL, 0);
}

/* Applies the joined change. */
static void
apply_change(struct update_state *updating)
{
	struct template_parser *parser = &updating->parser;
	parser_begin(parser);
	if (parser_ended(parser))
		return;
	char sign = parser_peek(parser);
	if (sign != '+' && sign != '-') {
		parser_report(
			parser, RULE_T14, parser->at, "expected '+' or '-' and a template");
		return;
	}
	size_t from = join_position(&parser->joined, ++parser->at).offset;
	parser_skip(parser);
	parser->template.line = join_position(&parser->joined, parser->at).line;
	if (sign == '-')
		remove_templates(updating);
	else if (parser_template(parser))
		add_template(updating, from);
	/* Its items are not needed. */
	parser->templates->item_count = parser->templates->expr_count =
		parser->templates->argument_count = 0;
	buf_clear(&parser->templates->texts);
}

static void
read_end_hint(struct update_state *updating)
{
	const struct join_source *source = &updating->parser.source;
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(end_hints[i]);
		if (source->size - source->at >= n &&
			memcmp(source->text + source->at, end_hints[i], n) == 0)
			updating->fragments.open = i;
	}
}

/* Skips the first line; true if it is the required one. */
static bool
read_first_line(struct update_state *updating)
{
	struct template_parser *parser = &updating->parser;
	const char *text = parser->source.text;
	size_t size = parser->source.size, n = sizeof first_line - 1, end = 0;
	while (end < size && text[end] != '\n')
		end++;
	parser->source.at = end + (end < size);
	parser->source.line = 2;
	while (end > n && (text[end - 1] == ' ' || text[end - 1] == '\r'))
		end--;
	return end == n && memcmp(text, first_line, n) == 0;
}

static void
apply_changes(struct update_state *updating)
{
	struct template_parser *parser = &updating->parser;
	if (!read_first_line(updating)) {
		/* Report position: the first byte of the file, which is not part of a template.
		 */
		struct line_map_entry first = {0, 0, 1};
		struct joined none = {.line_map = &first, .count = 1};
		parser->joined = none;
		parser_report(parser, RULE_T14, 0, "the first line is not '%s'", first_line);
		parser->joined = (struct joined){0};
		return;
	}
	read_end_hint(updating);
	while (!parser->stopped && join_next(&parser->source, &parser->joined)) {
		apply_change(updating);
		/* In the template file the next template would become part of this one. */
		if (parser->joined.open)
			parser_report(
				parser, RULE_T05, parser->size, "the file ends after '\\'");
	}
	if (parser->joined.failed)
		parser_out_of_memory(parser);
}

/* Writes a hook with its fourth digit only if that is not 0. */
static void
write_deletion(struct buf *text, const struct update_record *step)
{
	uint16_t hook = step->shown.hook;
	bool wide = hook & 0xf;
	buf_printf(text, "- %0*X %u.%u\n", wide ? 4 : 3, wide ? hook : hook >> 4, step->version,
		step->release);
}

/* True if a text does not end in a newline. */
static bool
is_open(const char *text, size_t n)
{
	return n > 0 && text[n - 1] != '\n';
}

static void
write_undo(struct update_state *updating)
{
	struct poly_updated *updated = updating->updated;
	bool open = is_open(updating->update->master, updating->update->master_size);
	buf_printf(&updated->undo, "%s\n", first_line);
	if (open != is_open((const char *)updated->text.data, updated->text.size))
		buf_string(&updated->undo, end_hints[open]);
	for (size_t i = updated->count; i-- > 0;) {
		const struct update_record *step = &updated->steps[i];
		if (step->at)
			buf_printf(&updated->undo, "%s%zu\n", line_hint, step->at);
		if (step->shown.action == POLY_UPDATE_ADDED)
			write_deletion(&updated->undo, step);
		if (step->before.text) {
			buf_string(&updated->undo, "+ ");
			fragment_write(&updated->undo, &step->before);
		}
	}
}

static void
write_results(struct update_state *updating)
{
	struct poly_updated *updated = updating->updated;
	fragments_write(&updated->text, &updating->fragments);
	write_undo(updating);
	buf_text(&updated->text);
	buf_text(&updated->undo);
	if (updated->text.failed || updated->undo.failed)
		parser_out_of_memory(&updating->parser);
}

static void
run_update(struct update_state *updating)
{
	struct template_parser *parser = &updating->parser;
	const struct poly_update *update = updating->update;
	if (!parser->templates || !updating->updated ||
		!parser_predefine(&parser->templates->macros)) {
		parser_out_of_memory(parser);
		return;
	}
	parser->status = fragments_parse(
		&updating->fragments, update->master, update->master_size, parser->error);
	if (parser->status == POLY_OK)
		apply_changes(updating);
	if (parser->status == POLY_OK)
		write_results(updating);
}

enum poly_status
poly_templates_update(const struct poly_update *update, struct poly_updated **updated,
	struct poly_error *error)
{
	struct update_state updating = {.update = update};
	*updated = NULL;
	if (update->size < sizeof *update)
		return err_usage(error, "update of wrong size (found %zu bytes, expected %zu)",
			update->size, sizeof *update);
	if (update->master_size > TRCFMT_FILE_SIZE || update->changes_size > TRCFMT_FILE_SIZE)
		return err_set(error, POLY_ERR_LIMIT, TRCFMT_FILE_SIZE,
			"more than %zu bytes of templates", TRCFMT_FILE_SIZE);
	updating.updated = mem_new(1, sizeof *updating.updated);
	updating.parser = (struct template_parser){
		.templates = mem_new(1, sizeof *updating.parser.templates),
		.options = POLY_TEMPLATE_OPTIONS_INIT,
		.error = error,
		.source = {update->changes, update->changes_size, 0, 1}};
	updating.parser.options.found = update->found;
	updating.parser.options.user = update->user;
	run_update(&updating);
	join_free(&updating.parser.joined);
	mem_free(updating.parser.seen);
	poly_templates_free(updating.parser.templates);
	fragments_free(&updating.fragments);
	if (updating.parser.status == POLY_OK)
		*updated = updating.updated;
	else
		poly_updated_free(updating.updated);
	return updating.parser.status;
}

const char *
poly_updated_text(const struct poly_updated *updated, size_t *n)
{
	*n = updated->text.size;
	return (const char *)updated->text.data;
}

const char *
poly_updated_undo(const struct poly_updated *updated, size_t *n)
{
	*n = updated->undo.size;
	return (const char *)updated->undo.data;
}

bool
poly_updated_step(const struct poly_updated *updated, size_t i, struct poly_update_step *step)
{
	if (i >= updated->count)
		return false;
	*step = updated->steps[i].shown;
	return true;
}

void
poly_updated_free(struct poly_updated *updated)
{
	if (!updated)
		return;
	buf_free(&updated->text);
	buf_free(&updated->undo);
	mem_free(updated->steps);
	mem_free(updated);
}
