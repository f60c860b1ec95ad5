/* SPDX-License-Identifier: MIT */
/* The trace's information. */
#include "model/info.h"

#include "base/mem.h"

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

bool
info_fact(struct info *info, const char *key, const char *value)
{
	const char *k = info_string(info, key), *v = info_string(info, value);
	if (!k || !v)
		return false;
	size_t count = info->view.fact_count;
	for (size_t i = 0; i < count; i++) {
		if (info->facts[i].key == k) {
			info->facts[i].value = v;
			return true;
		}
	}
	if (count == info->fact_capacity) {
		size_t capacity = count ? 2 * count : 8;
		struct poly_fact *facts = mem_resize(info->facts, capacity, sizeof *facts);
		if (!facts)
			return false;
		info->view.facts = info->facts = facts;
		info->fact_capacity = capacity;
	}
	info->facts[count] = (struct poly_fact){k, v};
	info->view.fact_count = count + 1;
	return true;
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
	if (names->bytes + names->count * (size_t)INFO_NAME_COST + n > INFO_NAMES_MOST) {
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
	mem_free(info->facts);
	info_init(info);
}

const char *
poly_trace_name(const struct poly_trace_info *info, uint32_t number)
{
	return info->names ? intern_text(&info->names->names, number) : NULL;
}

const char *
poly_trace_fact(const struct poly_trace_info *info, const char *key)
{
	for (size_t i = 0; i < info->fact_count; i++) {
		if (strcmp(info->facts[i].key, key) == 0)
			return info->facts[i].value;
	}
	return NULL;
}
