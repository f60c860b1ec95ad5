/* SPDX-License-Identifier: MIT */
/* The formats of the build's list, and finding one by name. */
#include "format/core/plugin.h"
#include "polytrace/version.h"

#include <string.h>

#define LIST(word) extern const struct format *const formats_##word[];
#include "format_list.def"
#undef LIST

static const struct format *const *const groups[] = {
#define LIST(word) formats_##word,
#include "format_list.def"
#undef LIST
	NULL,
};

const struct format *
format_list_at(const struct format_list *list, size_t i)
{
	for (const struct format *const *const *group = groups; *group; group++) {
		for (const struct format *const *format = *group; *format; format++) {
			if (i-- == 0)
				return *format;
		}
	}
	return list && i < list->count ? &list->formats[i] : NULL;
}

const struct format *
format_list_find(const struct format_list *list, const char *name)
{
	const struct format *format;
	size_t n = strcspn(name, ":");
	for (size_t i = 0; (format = format_list_at(list, i)); i++) {
		if (strlen(format->info.name) == n && memcmp(format->info.name, name, n) == 0)
			return format;
	}
	return NULL;
}

const struct format *
format_at(size_t i)
{
	return format_list_at(NULL, i);
}

const struct format *
format_find(const char *name)
{
	return format_list_find(NULL, name);
}

const struct poly_format_info *
poly_format_at(size_t i)
{
	const struct format *format = format_at(i);
	return format ? &format->info : NULL;
}

const struct poly_format_info *
poly_format_find(const char *name)
{
	const struct format *format = format_find(name);
	return format ? &format->info : NULL;
}

const struct poly_format_content *
poly_format_content_of(const struct poly_format_info *info)
{
	const struct format *format = format_find(info->name);
	return format && &format->info == info ? &format->content : NULL;
}

bool
poly_format_is_text(const struct poly_format_info *format)
{
	const struct format *found = format_find(format->name);
	return found && found->is_text;
}

/* The length of a name without endings of compression. */
static size_t
bare_length(const char *path)
{
	static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2", ".lz4"};
	size_t n = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t m = strlen(endings[i]);
		if (n > m && memcmp(path + n - m, endings[i], m) == 0)
			return n - m;
	}
	return n;
}

static bool
has_ending(const char *path, size_t n, const char *extensions)
{
	while (extensions && *extensions) {
		size_t m = strcspn(extensions, " ");
		if (n > m + 1 && path[n - m - 1] == '.' &&
			memcmp(path + n - m, extensions, m) == 0)
			return true;
		extensions += m;
		extensions += strspn(extensions, " ");
	}
	return false;
}

bool
format_has_ending(const struct format *format, const char *path)
{
	return has_ending(path, bare_length(path), format->info.extensions);
}

const struct format *
format_list_by_name(const struct format_list *list, const char *path, bool writing)
{
	const struct format *format;
	for (size_t i = 0; (format = format_list_at(list, i)); i++) {
		bool able = writing ? format->info.can_write : format->info.can_read;
		if (able && format_has_ending(format, path))
			return format;
	}
	return NULL;
}

const struct poly_format_info *
poly_format_by_name(const char *path, bool writing)
{
	const struct format *format = format_list_by_name(NULL, path, writing);
	return format ? &format->info : NULL;
}

const char *
poly_version(void)
{
	return POLY_VERSION;
}
