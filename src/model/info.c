/* SPDX-License-Identifier: MIT */
/* The trace's information. */
#include "model/info.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

void
info_init(struct info *info)
{
	memset(info, 0, sizeof *info);
	info->view.names = &info->names;
}

const char *
info_string(struct info *info, const char *text)
{
	return intern_text(&info->strings, intern_add(&info->strings, text, strlen(text)));
}

/* Adds or replaces the value of a key. False: out of memory. */
static bool
state(struct info *info, struct info_facts *facts, const char *key, const char *value)
{
	const char *k = info_string(info, key), *v = info_string(info, value);
	if (!k || !v)
		return false;
	for (size_t i = 0; i < facts->count; i++) {
		if (facts->list[i].key == k) {
			facts->list[i].value = v;
			return true;
		}
	}
	if (!VEC_ROOM(facts->list, facts->capacity, facts->count))
		return false;
	facts->list[facts->count++] = (struct poly_fact){k, v};
	return true;
}

bool
info_fact(struct info *info, const char *key, const char *value)
{
	const bool good = state(info, &info->facts, key, value);
	info->view.facts = info->facts.list;
	info->view.fact_count = info->facts.count;
	return good;
}

bool
info_label(struct info *info, const char *key, const char *value)
{
	const bool good = state(info, &info->labels, key, value);
	info->view.labels = info->labels.list;
	info->view.label_count = info->labels.count;
	return good;
}

uint32_t
info_name(struct info *info, const char *name, size_t n)
{
	return intern_add(&info->names.names, name, n);
}

bool
info_keep_name(struct info *info, const char *name, size_t n, uint32_t *number)
{
	const struct intern *names = &info->names.names;
	*number = intern_find(names, name, n);
	if (*number != INTERN_FAILED)
		return true;
	const size_t bytes = names->bytes + names->count * (size_t)INFO_NAME_COST + n;
	if (info->names_max ? names->count >= info->names_max : bytes > INFO_NAMES_MAX) {
		info->full = true;
		return false;
	}
	*number = info_name(info, name, n);
	info->no_memory |= *number == INTERN_FAILED;
	return *number != INTERN_FAILED;
}

void
info_fini(struct info *info)
{
	intern_free(&info->names.names);
	intern_free(&info->strings);
	mem_free(info->facts.list);
	mem_free(info->labels.list);
	info_init(info);
}

/* Copies a string unless it is NULL; returns false if out of memory. */
static bool
copy_string(struct info *info, const char **string)
{
	if (*string)
		*string = info_string(info, *string);
	return *string != NULL;
}

/* Copies what does not change while a trace is read. */
static bool
copy_constants(struct info_copy *copy, const struct poly_trace_info *source)
{
	struct info *info = &copy->info;
	struct poly_trace_info *view = &info->view;
	info_init(info);
	*view = *source;
	view->names = &info->names;
	view->records = copy->records;
	view->record_count = 0;
	view->facts = view->labels = NULL;
	view->fact_count = view->label_count = 0;
	bool good = true;
	const char **strings[] = {&view->isa, &view->clock, &view->producer};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		good = good && (!*strings[i] || copy_string(info, strings[i]));
	for (size_t i = 0; i < source->fact_count; i++)
		good = good && info_fact(info, source->facts[i].key, source->facts[i].value);
	for (size_t i = 0; i < source->label_count; i++)
		good = good && info_label(info, source->labels[i].key, source->labels[i].value);
	return good;
}

bool
info_copy_update(struct info_copy *copy, const struct poly_trace_info *source)
{
	struct info *info = &copy->info;
	struct poly_trace_info *view = &info->view;
	bool good = view->format || copy_constants(copy, source);
	const char *name;
	while (good && (name = poly_trace_name(source, info->names.names.count)) != NULL)
		good = info_name(info, name, strlen(name)) != INTERN_FAILED;
	for (; good && view->record_count < source->record_count; view->record_count++) {
		const char **record = &copy->records[view->record_count];
		*record = source->records[view->record_count];
		good = copy_string(info, record);
	}
	return good;
}

bool
info_copy_without_names(struct info_copy *copy, const struct poly_trace_info *source)
{
	struct poly_trace_info without = *source;
	without.names = NULL;
	return info_copy_update(copy, &without);
}

void
info_copy_fini(struct info_copy *copy)
{
	info_fini(&copy->info);
}

const char *
poly_trace_name(const struct poly_trace_info *info, uint32_t number)
{
	return info->names ? intern_text(&info->names->names, number) : NULL;
}

/* Returns the value of a key; NULL: none. */
static const char *
stated(const struct poly_fact *list, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].key, key) == 0)
			return list[i].value;
	}
	return NULL;
}

const char *
poly_trace_fact(const struct poly_trace_info *info, const char *key)
{
	return stated(info->facts, info->fact_count, key);
}

const char *
poly_trace_label(const struct poly_trace_info *info, const char *key)
{
	return stated(info->labels, info->label_count, key);
}
