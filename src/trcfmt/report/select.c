/* SPDX-License-Identifier: MIT */
/* spec: AIX trace reference 7.1. */
#include "trcfmt/report/select.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

#define GROUP_REMEDY \
	"AIX's groups are not published: define it by a line such as 'disk: 10B,1060'"

/* A word of a list, separated by commas or blanks. */
struct list_word {
	const char *text;
	size_t size;
};

/* Returns the next word of a list up to end; text is NULL after the last one. */
static struct list_word
next_word(const char **list, const char *end)
{
	const char *at = *list;
	while (at < end && strchr(", \t\r\n", *at))
		at++;
	const char *from = at;
	while (at < end && !strchr(", \t\r\n", *at))
		at++;
	*list = at;
	return (struct list_word){at > from ? from : NULL, (size_t)(at - from)};
}

/* Adds the hooks of a word to a set: hh, hhh or hhhh. */
static bool
mark_hook(uint64_t *set, const struct list_word *word)
{
	uint64_t id;
	if (word->size < 2 || word->size > 4 || !num_parse_hex(word->text, word->size, &id))
		return false;
	if (word->size == 4)
		bit_set(set, (size_t)id);
	if (word->size == 3)
		bit_set(set, (size_t)id << 4);
	for (size_t i = 0; i < 256 && word->size == 2; i++)
		bit_set(set, (size_t)id << 8 | i);
	return true;
}

static enum poly_status
mark_hooks(uint64_t *set, const char *list, const char *end, struct poly_error *error)
{
	struct list_word word;
	while ((word = next_word(&list, end)).text) {
		if (!mark_hook(set, &word))
			return err_usage(error,
				"invalid hook '%.*s' (expected two to four hexadecimal digits)",
				(int)(word.size < 40 ? word.size : 40), word.text);
	}
	return POLY_OK;
}

/* Adds the hooks of a group, from the lines "NAME: hook,hook,..." of the file of groups. */
static enum poly_status
mark_group(uint64_t *set, const struct poly_trcrpt_text *groups, const struct list_word *name,
	struct poly_error *error)
{
	const char *at = groups->text, *end = at ? at + groups->size : NULL;
	while (at && at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed ? feed : end;
		const char *colon = memchr(at, ':', (size_t)(stop - at));
		if (colon && (size_t)(colon - at) == name->size &&
			memcmp(at, name->text, name->size) == 0)
			return mark_hooks(set, colon + 1, stop, error);
		at = feed ? feed + 1 : end;
	}
	const int size = (int)(name->size < 40 ? name->size : 40);
	if (groups->text)
		return err_usage(error,
			"no such event group '%.*s' in the file of groups; " GROUP_REMEDY, size,
			name->text);
	return err_usage(error,
		"no such event group '%.*s' in options.groups, which is empty; " GROUP_REMEDY,
		size, name->text);
}

/* Adds the hooks of two options: a list of hooks and a list of groups. */
static enum poly_status
parse_hook_options(uint64_t *set, const char *hooks, const char *groups,
	const struct poly_trcrpt_options *options, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	struct list_word name;
	if (hooks)
		status = mark_hooks(set, hooks, hooks + strlen(hooks), error);
	const char *end = groups ? groups + strlen(groups) : NULL;
	while (status == POLY_OK && groups && (name = next_word(&groups, end)).text)
		status = mark_group(set, &options->groups, &name, error);
	return status;
}

static enum poly_status
parse_hooks(struct event_selection *select, const struct poly_trcrpt_options *options,
	struct poly_error *error)
{
	enum poly_status status = parse_hook_options(
		select->hooks, options->only, options->only_groups, options, error);
	if (status == POLY_OK)
		status = parse_hook_options(select->except, options->except,
			options->except_groups, options, error);
	if (!options->only && !options->only_groups)
		memset(select->hooks, 0xff, sizeof select->hooks);
	for (size_t i = 0; i < 65536 / 64; i++)
		select->hooks[i] &= ~select->except[i];
	return status;
}

static enum poly_status
add_number(struct map *map, uint64_t number, struct poly_error *error)
{
	bool added;
	return map_get(map, number, 0, &added) ? POLY_OK : err_memory(error);
}

static enum poly_status
id_error(const char *what, const struct list_word *word, struct poly_error *error)
{
	return err_usage(error, "invalid %s '%.*s' (expected a number)", what,
		(int)(word->size < 40 ? word->size : 40), word->text);
}

/* -p: a word that begins with a digit is a process id. */
static enum poly_status
parse_processes(struct event_selection *select, const char *list, struct poly_error *error)
{
	const char *end = list + strlen(list);
	struct list_word word;
	uint64_t pid;
	select->by_process = true;
	select->names = mem_new(strlen(list) + 2, 1);
	if (!select->names)
		return err_memory(error);
	while ((word = next_word(&list, end)).text) {
		if (*word.text < '0' || *word.text > '9') {
			memcpy(select->names + select->names_size, word.text, word.size);
			select->names_size += word.size + 1;
			continue;
		}
		if (!num_parse(word.text, word.size, &pid))
			return id_error("process", &word, error);
		if (add_number(&select->pids, pid, error) != POLY_OK)
			return POLY_ERR_MEMORY;
	}
	return POLY_OK;
}

static enum poly_status
parse_threads(struct event_selection *select, const char *list, struct poly_error *error)
{
	const char *end = list + strlen(list);
	struct list_word word;
	uint64_t tid;
	select->by_thread = true;
	select->not_threads = *list == '!';
	list += select->not_threads;
	while ((word = next_word(&list, end)).text) {
		if (!num_parse(word.text, word.size, &tid))
			return id_error("thread", &word, error);
		if (add_number(&select->tids, tid, error) != POLY_OK)
			return POLY_ERR_MEMORY;
	}
	return POLY_OK;
}

/* "N=VALUE" or "DN=VALUE". */
static enum poly_status
parse_data(struct event_selection *select, const char *text, struct poly_error *error)
{
	const char *number = text + (*text == 'D'), *equals = strchr(number, '=');
	uint64_t word, value;
	if (!equals || !num_parse(number, (size_t)(equals - number), &word) || !word ||
		word > 255 || !num_parse(equals + 1, strlen(equals + 1), &value))
		return err_usage(error,
			"invalid data '%.60s' (expected a data word and its value, such as "
			"'1=0x20')",
			text);
	if (select->data_count == SELECT_DATA_MAX)
		return err_usage(error, "more than %d data words requested", SELECT_DATA_MAX);
	select->data[select->data_count].word = (uint8_t)word;
	select->data[select->data_count++].value = value;
	return POLY_OK;
}

enum poly_status
select_init(struct event_selection *select, const struct poly_trcrpt_options *options,
	struct poly_error *error)
{
	memset(select, 0, sizeof *select);
	enum poly_status status = parse_hooks(select, options, error);
	if (status == POLY_OK && options->processes)
		status = parse_processes(select, options->processes, error);
	if (status == POLY_OK && options->threads)
		status = parse_threads(select, options->threads, error);
	for (size_t i = 0; status == POLY_OK && options->data && options->data[i]; i++)
		status = parse_data(select, options->data[i], error);
	select->everything = !options->only && !options->only_groups && !options->except &&
			     !options->except_groups && !select->by_process &&
			     !select->by_thread && !select->data_count;
	return status;
}

/* True if a program's path or its last component is among the names. */
static bool
is_named(const struct event_selection *select, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	for (size_t at = 0; at < select->names_size; at += strlen(select->names + at) + 1) {
		if (strcmp(select->names + at, path) == 0 ||
			strcmp(select->names + at, last) == 0)
			return true;
	}
	return false;
}

static bool
is_process(const struct event_selection *select, const struct aix_context *who)
{
	return (who->has_pid && map_find(&select->pids, who->pid)) ||
	       (who->exec && is_named(select, who->exec));
}

static bool
has_data(const struct event_selection *select, const struct aix_event *event)
{
	for (size_t i = 0; i < select->data_count; i++) {
		if ((size_t)select->data[i].word * event->word > event->size ||
			aix_event_word(event, select->data[i].word) != select->data[i].value)
			return false;
	}
	return true;
}

bool
select_event(const struct event_selection *select, const struct aix_event *event,
	const struct aix_context *who)
{
	if (select->everything)
		return true;
	if (!bit_test(select->hooks, event->hook))
		return false;
	if (select->by_process && !is_process(select, who))
		return false;
	if (select->by_thread) {
		bool listed = who->has_tid && map_find(&select->tids, who->tid);
		if (listed == select->not_threads)
			return false;
	}
	return has_data(select, event);
}

void
select_fini(struct event_selection *select)
{
	map_free(&select->pids);
	map_free(&select->tids);
	mem_free(select->names);
	select->names = NULL;
}
