/* SPDX-License-Identifier: MIT */
/*
 * Changes to a template file.
 *
 *     changes = "* /etc/trcfmt" EOL { comment | blank | change } ;
 *     change  = "+" template | "-" hookid { version } ;
 *
 * A comment "* /etc/trcfmt line N" says in which line the template behind "+" goes in, also
 * where the hook has one, and in which line that behind "-" begins, so that others of the hook
 * stay: without that, no undoing could bring back a file byte for byte.
 *
 * spec: reference aix 3 (6), 4.2, 5 (T14).
 */
#include "trcfmt/parser.h"
#include "trcfmt/pieces.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Most changes of a file: each looks at all pieces of the other. */
#define CHANGES_MOST ((size_t)8192)

static const char first_line[] = "* /etc/trcfmt";
static const char line_hint[] = "* /etc/trcfmt line ";

/* Comments behind the first line: how the last line of the file is to end. */
static const char *const end_hints[] = {
	"* /etc/trcfmt ends in a new line\n", "* /etc/trcfmt ends without a new line\n"};

/* A step, and what it has to be undone with. */
struct step {
	struct poly_update_step shown;
	struct piece before;	   /* what was replaced or deleted */
	uint32_t version, release; /* of what was added */
	size_t at;		   /* line in which that began */
};

struct poly_updated {
	struct buf text, undo;
	struct step *steps;
	size_t count;
};

struct updating {
	struct parser parser;
	struct pieces pieces;
	const struct poly_update *update;
	struct poly_updated *to;
};

static bool
add_step(struct updating *it, enum poly_update_action action, const struct piece *before,
	size_t at)
{
	struct poly_updated *to = it->to;
	if (to->count == CHANGES_MOST) {
		it->parser.stopped = true;
		return parser_find(
			&it->parser, RULE_T15, 0, "more than %zu changes", CHANGES_MOST);
	}
	struct step *more = parser_grow(&it->parser, to->steps, to->count, sizeof *more);
	if (!more)
		return false;
	to->steps = more;
	struct step *step = &more[to->count++];
	*step = (struct step){.at = at,
		.version = it->parser.template.version,
		.release = it->parser.template.release};
	step->shown = (struct poly_update_step){
		action, it->parser.template.hook, it->parser.template.line};
	if (before)
		step->before = *before;
	return true;
}

/* The line that the comment before the template that was joined names; 0: there is none. */
static size_t
hinted_line(const struct parser *parser)
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

/* Whether a template takes the place of another one. */
static bool
replaces(const struct updating *it, const struct piece *piece, const struct piece *before)
{
	if (it->update->any_version)
		return true;
	if (piece->version != before->version)
		return piece->version > before->version;
	return it->update->later ? piece->release > before->release
				 : piece->release >= before->release;
}

/* Adds a template in a line, or at the end where that is 0. */
static bool
insert(struct updating *it, const struct piece *piece, size_t line)
{
	size_t i = pieces_insert(&it->pieces, piece, line ? line : SIZE_MAX / 2);
	if (i == SIZE_MAX && it->pieces.count < PIECES_MOST)
		return parser_out_of_memory(&it->parser);
	if (i == SIZE_MAX) {
		it->parser.stopped = true;
		return parser_find(&it->parser, RULE_T15, 0,
			"more than %zu templates and comments in the template file",
			PIECES_MOST);
	}
	return add_step(it, POLY_UPDATE_ADDED, NULL, line ? pieces_line(&it->pieces, i) : 0);
}

/* The template behind "+", which parsed; the blank that divides them is no part of it. */
static bool
add(struct updating *it, size_t from)
{
	struct parser *parser = &it->parser;
	const struct template *template = &parser->template;
	const char *text = parser->source.text;
	from += text[from] == ' ';
	struct piece piece = piece_of(text + from, parser->joined.end - from);
	piece.hook = template->hook;
	piece.version = template->version;
	piece.release = template->release;
	size_t line = hinted_line(parser);
	size_t i = line ? SIZE_MAX : pieces_find(&it->pieces, piece.hook, it->pieces.count);
	if (i == SIZE_MAX)
		return insert(it, &piece, line);
	struct piece *before = &it->pieces.list[i];
	if (!replaces(it, &piece, before))
		return add_step(it, POLY_UPDATE_KEPT, NULL, 0);
	if (!add_step(it, POLY_UPDATE_REPLACED, before, 0))
		return false;
	*before = piece;
	return true;
}

/* Whether the version of a template is among those that stand behind "- hookid". */
static bool
version_named(struct parser *parser, size_t versions, const struct piece *piece)
{
	parser->at = versions;
	if (parser_skip(parser) == 0)
		return true;
	while (!parser_ended(parser)) {
		parser_version(parser);
		if (parser->template.version == piece->version &&
			parser->template.release == piece->release)
			return true;
		parser_skip(parser);
	}
	return false;
}

static bool
parse_deletion(struct parser *parser, size_t *versions)
{
	if (!parser_hook(parser))
		return false;
	*versions = parser->at;
	while (parser_skip(parser), !parser_ended(parser))
		if (!parser_version(parser))
			return false;
	return true;
}

/* "-": every template of the hook, from the last to the first. */
static bool
remove_templates(struct updating *it)
{
	size_t versions, i = it->pieces.count, line = hinted_line(&it->parser);
	bool any = false;
	if (!parse_deletion(&it->parser, &versions))
		return false;
	while ((i = pieces_find(&it->pieces, it->parser.template.hook, i)) != SIZE_MAX) {
		if (!version_named(&it->parser, versions, &it->pieces.list[i]) ||
			(line && pieces_line(&it->pieces, i) != line))
			continue;
		if (!add_step(it, POLY_UPDATE_DELETED, &it->pieces.list[i],
			    pieces_line(&it->pieces, i)))
			return false;
		pieces_remove(&it->pieces, i);
		any = true;
	}
	return any || add_step(it, POLY_UPDATE_ABSENT, NULL, 0);
}

/* One change, which was joined. */
static void
take_change(struct updating *it)
{
	struct parser *parser = &it->parser;
	parser_begin(parser);
	if (parser_ended(parser))
		return;
	char sign = parser_peek(parser);
	if (sign != '+' && sign != '-') {
		parser_find(parser, RULE_T14, parser->at, "expected '+' or '-' and a template");
		return;
	}
	size_t from = join_place(&parser->joined, ++parser->at).offset;
	parser_skip(parser);
	parser->template.line = join_place(&parser->joined, parser->at).line;
	if (sign == '-')
		remove_templates(it);
	else if (parser_template(parser))
		add(it, from);
	/* Nothing of it is run here. */
	parser->to->item_count = parser->to->expr_count = parser->to->argument_count = 0;
	buf_clear(&parser->to->texts);
}

static void
take_end_hint(struct updating *it)
{
	const struct join_source *source = &it->parser.source;
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(end_hints[i]);
		if (source->size - source->at >= n &&
			memcmp(source->text + source->at, end_hints[i], n) == 0)
			it->pieces.open = i;
	}
}

/* True, and passed, where the changes begin as they have to. */
static bool
take_first_line(struct updating *it)
{
	struct parser *parser = &it->parser;
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
take_changes(struct updating *it)
{
	struct parser *parser = &it->parser;
	if (!take_first_line(it)) {
		/* The place is the file's first byte, which no template has. */
		struct joint first = {0, 0, 1};
		struct joined none = {.joints = &first, .count = 1};
		parser->joined = none;
		parser_find(parser, RULE_T14, 0, "the first line is not '%s'", first_line);
		parser->joined = (struct joined){0};
		return;
	}
	take_end_hint(it);
	while (!parser->stopped && join_next(&parser->source, &parser->joined)) {
		take_change(it);
		/* In the master what follows would become part of it. */
		if (parser->joined.open)
			parser_find(
				parser, RULE_T05, parser->size, "the file ends behind '\\'");
	}
	if (parser->joined.failed)
		parser_out_of_memory(parser);
}

/* A hook is written with the last of its four digits only where that is not 0. */
static void
write_deletion(struct buf *to, const struct step *step)
{
	uint16_t hook = step->shown.hook;
	bool wide = hook & 0xf;
	buf_printf(to, "- %0*X %u.%u\n", wide ? 4 : 3, wide ? hook : hook >> 4, step->version,
		step->release);
}

/* Whether a text's last line has no new line at its end. */
static bool
is_open(const char *text, size_t n)
{
	return n > 0 && text[n - 1] != '\n';
}

static void
write_undo(struct updating *it)
{
	struct poly_updated *to = it->to;
	bool open = is_open(it->update->master, it->update->master_size);
	buf_printf(&to->undo, "%s\n", first_line);
	if (open != is_open((const char *)to->text.data, to->text.size))
		buf_string(&to->undo, end_hints[open]);
	for (size_t i = to->count; i-- > 0;) {
		const struct step *step = &to->steps[i];
		if (step->at)
			buf_printf(&to->undo, "%s%zu\n", line_hint, step->at);
		if (step->shown.action == POLY_UPDATE_ADDED)
			write_deletion(&to->undo, step);
		if (step->before.text) {
			buf_string(&to->undo, "+ ");
			piece_write(&to->undo, &step->before);
		}
	}
}

static void
finish(struct updating *it)
{
	struct poly_updated *to = it->to;
	pieces_write(&to->text, &it->pieces);
	write_undo(it);
	buf_text(&to->text);
	buf_text(&to->undo);
	if (to->text.failed || to->undo.failed)
		parser_out_of_memory(&it->parser);
}

static void
run(struct updating *it)
{
	struct parser *parser = &it->parser;
	const struct poly_update *update = it->update;
	if (!parser->to || !it->to || !parser_predefine(&parser->to->macros)) {
		parser_out_of_memory(parser);
		return;
	}
	parser->status =
		pieces_take(&it->pieces, update->master, update->master_size, parser->error);
	if (parser->status == POLY_OK)
		take_changes(it);
	if (parser->status == POLY_OK)
		finish(it);
}

enum poly_status
poly_templates_update(const struct poly_update *update, struct poly_updated **updated,
	struct poly_error *error)
{
	struct updating it = {.update = update};
	*updated = NULL;
	if (update->size < sizeof *update)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"an update says that it has %zu bytes, expected %zu", update->size,
			sizeof *update);
	if (update->master_size > TRCFMT_FILE_SIZE || update->changes_size > TRCFMT_FILE_SIZE)
		return err_set(error, POLY_ERR_LIMIT, TRCFMT_FILE_SIZE,
			"more than %zu bytes of templates", TRCFMT_FILE_SIZE);
	it.to = mem_new(1, sizeof *it.to);
	it.parser = (struct parser){.to = mem_new(1, sizeof *it.parser.to),
		.options = POLY_TEMPLATE_OPTIONS_INIT,
		.error = error,
		.source = {update->changes, update->changes_size, 0, 1}};
	it.parser.options.found = update->found;
	it.parser.options.user = update->user;
	run(&it);
	join_free(&it.parser.joined);
	mem_free(it.parser.seen);
	poly_templates_free(it.parser.to);
	pieces_free(&it.pieces);
	if (it.parser.status == POLY_OK)
		*updated = it.to;
	else
		poly_updated_free(it.to);
	return it.parser.status;
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
