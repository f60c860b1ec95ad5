/* SPDX-License-Identifier: MIT */
/*
 * Parses and searches the table of kernel hooks.
 *
 * spec: AIX Trace Hook IDs; the data words are assumed.
 */
#include "aix/hooks.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/*
 * Every row is assumed. A 32-bit entry of 00A has its sub-hook in D1, so its data begin with
 * D2; a 64-bit entry has it in the hook word.
 */
const char aix_hooks_text[] = "00A/1:32  process  pid=D2 name=T3\n"
			      "00A/1:64  process  pid=D1 name=T2\n"
			      "00A/16:32 process  pid=D2 name=T3\n"
			      "00A/16:64 process  pid=D1 name=T2\n"
			      "00A/3:32  current  pid=D2\n"
			      "00A/3:64  current  pid=D1\n"
			      "100       enter\n"
			      "101       call     svc=D1\n"
			      "102       handler\n"
			      "103       handled\n"
			      "104       return   svc=D1\n"
			      "106       dispatch pid=D1 tid=D2 cpu=HD\n"
			      "10C       idle     pid=D1 tid=D2 cpu=HD\n"
			      "112       lock     lock=D1\n"
			      "113       unlock   lock=D1\n"
			      "134       exec     pid=D1 tid=D2 name=T3\n"
			      "135       exit     tid=TID\n"
			      "139       fork     pid=D1 tid=D2\n"
			      "200       leave\n"
			      "465       thread   pid=D1 tid=D2\n";

static const char *const actions[AIX_ACTION_COUNT + 1] = {
	[AIX_DISPATCH] = "dispatch",
	[AIX_IDLE] = "idle",
	[AIX_PROCESS] = "process",
	[AIX_EXEC] = "exec",
	[AIX_FORK] = "fork",
	[AIX_EXIT] = "exit",
	[AIX_THREAD] = "thread",
	[AIX_CALL] = "call",
	[AIX_RETURN] = "return",
	[AIX_CURRENT] = "current",
	[AIX_ENTER] = "enter",
	[AIX_LEAVE] = "leave",
	[AIX_HANDLER] = "handler",
	[AIX_HANDLED] = "handled",
	[AIX_LOCK] = "lock",
	[AIX_UNLOCK] = "unlock",
};

static const char *const fields[AIX_FIELD_COUNT + 1] = {
	[AIX_FIELD_tid] = "tid",
	[AIX_FIELD_pid] = "pid",
	[AIX_FIELD_name] = "name",
	[AIX_FIELD_svc] = "svc",
	[AIX_FIELD_cpu] = "cpu",
	[AIX_FIELD_lock] = "lock",
};

/* Position in the text, for messages. */
struct hooks_parser {
	const char *name;
	const char *line; /* where the line begins */
	const char *at, *end;
	uint64_t number; /* of the line */
	struct poly_error *error;
};

/* Sets the error of the n bytes at the position; returns false. */
static bool
set_error(const struct hooks_parser *parse, size_t n, const char *what, const char *expected)
{
	err_usage(parse->error, "%s '%.*s' in line %llu, column %llu of '%s', expected %s",
		what, (int)(n < 40 ? n : 40), parse->at, (unsigned long long)parse->number,
		(unsigned long long)(parse->at - parse->line) + 1, parse->name, expected);
	if (parse->error)
		parse->error->line = parse->number;
	return false;
}

/* Skips blanks; returns the length of the next word, 0 at the end of the line. */
static size_t
next_word(struct hooks_parser *parse)
{
	while (parse->at < parse->end && (*parse->at == ' ' || *parse->at == '\t'))
		parse->at++;
	size_t n = 0;
	while (parse->at + n < parse->end && !strchr(" \t\r\n#", parse->at[n]))
		n++;
	return n;
}

/* Returns the index of a word in a NULL-terminated list, or that of the NULL. */
static size_t
find_word(const char *const *words, const char *word, size_t n)
{
	size_t i = 0;
	while (words[i] && (strlen(words[i]) != n || memcmp(words[i], word, n) != 0))
		i++;
	return i;
}

/* HOOK[/SUB][:32|:64], the hook with three or four digits. */
static bool
parse_hook(struct hooks_parser *parse, size_t n, struct aix_hook *row)
{
	const char *form = "a hook such as 106, 1060, 00A/1 or 00A/1:64";
	uint64_t hook, sub = 0;
	size_t id = 0, from, end;
	while (id < n && parse->at[id] != '/' && parse->at[id] != ':')
		id++;
	for (end = from = id; end < n && parse->at[end] != ':'; end++)
		continue;
	row->has_sub = end > from;
	if ((id != 3 && id != 4) || !num_parse_hex(parse->at, id, &hook))
		return set_error(parse, n, "hook", form);
	if (row->has_sub && (end - from < 2 || end - from > 5 ||
				    !num_parse_hex(parse->at + from + 1, end - from - 1, &sub)))
		return set_error(parse, n, "hook", form);
	if (n - end == 3 && memcmp(parse->at + end, ":32", 3) == 0)
		row->bits = 32;
	else if (n - end == 3 && memcmp(parse->at + end, ":64", 3) == 0)
		row->bits = 64;
	else if (n != end)
		return set_error(parse, n, "hook", form);
	row->hook = (uint16_t)(id == 3 ? hook << 4 : hook);
	row->sub = (uint16_t)sub;
	parse->at += n;
	return true;
}

/* Parses Dn, Tn, HD or TID after the "=". */
static bool
parse_place(const char *text, size_t n, struct aix_place *place)
{
	uint64_t number;
	if (n == 2 && memcmp(text, "HD", 2) == 0) {
		place->kind = AIX_HOOK_DATA;
		return true;
	}
	if (n == 3 && memcmp(text, "TID", 3) == 0) {
		place->kind = AIX_THREAD_ID;
		return true;
	}
	if (n < 2 || n > 3 || (text[0] != 'D' && text[0] != 'T') ||
		!num_parse(text + 1, n - 1, &number) || !number)
		return false;
	place->kind = text[0] == 'D' ? AIX_WORD : AIX_TEXT;
	place->number = (uint8_t)number;
	return true;
}

/* FIELD=PLACE */
static bool
parse_field(struct hooks_parser *parse, size_t n, struct aix_hook *row)
{
	const char *equals = memchr(parse->at, '=', n);
	size_t length = equals ? (size_t)(equals - parse->at) : n;
	size_t field = find_word(fields, parse->at, length);
	if (!equals || field == AIX_FIELD_COUNT)
		return set_error(parse, n, "field", "tid=, pid=, name=, svc=, cpu= or lock=");
	struct aix_place *place = &row->places[field];
	parse->at += length + 1;
	n -= length + 1;
	if (!parse_place(parse->at, n, place))
		return set_error(parse, n, "place", "D1 to D99, T1 to T99, HD or TID");
	if ((field == AIX_FIELD_name && place->kind != AIX_TEXT) ||
		(field != AIX_FIELD_name && field != AIX_FIELD_svc && place->kind == AIX_TEXT))
		return set_error(parse, n, "place",
			field == AIX_FIELD_name ? "that of a text" : "that of a number");
	parse->at += n;
	return true;
}

/* Parses HOOK ACTION FIELD=PLACE ..., or an empty or comment line. */
static bool
parse_line(struct hooks_parser *parse, struct aix_hook *row, bool *empty)
{
	size_t n = next_word(parse);
	*empty = n == 0;
	if (*empty)
		return true;
	if (!parse_hook(parse, n, row))
		return false;
	n = next_word(parse);
	size_t action = find_word(actions, parse->at, n);
	if (action == AIX_ACTION_COUNT)
		return set_error(parse, n, "action",
			"dispatch, idle, process, exec, fork, exit, thread, call, return, "
			"current, enter, leave, handler, handled, lock or unlock");
	row->action = (uint8_t)action;
	parse->at += n;
	while ((n = next_word(parse)) > 0) {
		if (!parse_field(parse, n, row))
			return false;
	}
	return true;
}

/*
 * Orders rows by hook; within a hook those with a sub-hook, then those with a width, come
 * first.
 */
static int
compare_rows(const struct aix_hook *a, const struct aix_hook *b)
{
	if (a->hook != b->hook)
		return a->hook < b->hook ? -1 : 1;
	if (a->has_sub != b->has_sub)
		return a->has_sub ? -1 : 1;
	if (a->sub != b->sub)
		return a->sub < b->sub ? -1 : 1;
	return (int)b->bits - (int)a->bits;
}

/* Inserts a row in order; a later row replaces an earlier one for the same hook. */
static bool
add_row(struct aix_hooks *hooks, const struct hooks_parser *parse, const struct aix_hook *row)
{
	size_t i = hooks->count;
	while (i > 0 && compare_rows(&hooks->rows[i - 1], row) >= 0)
		i--;
	if (i < hooks->count && compare_rows(&hooks->rows[i], row) == 0) {
		hooks->rows[i] = *row;
		return true;
	}
	if (hooks->count == AIX_HOOKS_MAX)
		return set_error(parse, 0, "row", "250 rows at most");
	memmove(hooks->rows + i + 1, hooks->rows + i, (hooks->count - i) * sizeof *row);
	hooks->rows[i] = *row;
	hooks->count++;
	return true;
}

static bool
parse_lines(struct aix_hooks *hooks, struct hooks_parser *parse)
{
	const char *end = parse->end;
	while (parse->at < end) {
		const char *feed = memchr(parse->at, '\n', (size_t)(end - parse->at));
		struct aix_hook row = {0};
		bool empty;
		parse->line = parse->at;
		parse->end = feed ? feed : end;
		parse->number++;
		if (!parse_line(parse, &row, &empty))
			return false;
		if (!empty && !add_row(hooks, parse, &row))
			return false;
		parse->at = feed ? feed + 1 : end;
	}
	return true;
}

enum poly_status
aix_hooks_parse(struct aix_hooks *hooks, const char *text, size_t n, const char *name,
	struct poly_error *error)
{
	struct hooks_parser parse = {name ? name : "hooks", text, text, text + n, 0, error};
	memset(hooks, 0, sizeof *hooks);
	hooks->rows = mem_new(AIX_HOOKS_MAX, sizeof *hooks->rows);
	if (!hooks->rows)
		return err_memory(error);
	if (!parse_lines(hooks, &parse)) {
		aix_hooks_fini(hooks);
		return POLY_ERR_USAGE;
	}
	for (size_t i = hooks->count; i-- > 0;)
		hooks->by_hook[hooks->rows[i].hook] = (uint8_t)(i + 1);
	return POLY_OK;
}

const struct aix_hook *
aix_hooks_find(const struct aix_hooks *hooks, const struct aix_event *event)
{
	size_t i = hooks->by_hook[event->hook];
	if (!i)
		return NULL;
	uint16_t sub = aix_event_sub(event);
	unsigned bits = event->wide ? 64 : 32;
	for (i--; i < hooks->count && hooks->rows[i].hook == event->hook; i++) {
		const struct aix_hook *row = &hooks->rows[i];
		if ((!row->has_sub || row->sub == sub) && (!row->bits || row->bits == bits))
			return row;
	}
	return NULL;
}

bool
aix_hook_number(const struct aix_hook *row, enum aix_field field, const struct aix_event *event,
	uint64_t *number)
{
	const struct aix_place *place = &row->places[field];
	switch ((enum aix_place_kind)place->kind) {
	case AIX_WORD:
		*number = aix_event_word(event, place->number);
		return (size_t)place->number * event->word <= event->size;
	case AIX_HOOK_DATA: *number = event->subhook; return true;
	case AIX_THREAD_ID: *number = event->thread; return event->has_thread;
	case AIX_NOWHERE:
	case AIX_TEXT: break;
	}
	return false;
}

const char *
aix_hook_text(const struct aix_hook *row, enum aix_field field, const struct aix_event *event,
	size_t *length)
{
	const struct aix_place *place = &row->places[field];
	size_t at = (size_t)(place->number - 1) * event->word;
	if (place->kind != AIX_TEXT || at >= event->size)
		return NULL;
	const uint8_t *text = event->data + at, *nul = memchr(text, 0, event->size - at);
	*length = nul ? (size_t)(nul - text) : event->size - at;
	return *length ? (const char *)text : NULL;
}

void
aix_hooks_fini(struct aix_hooks *hooks)
{
	mem_free(hooks->rows);
	hooks->rows = NULL;
	hooks->count = 0;
}
