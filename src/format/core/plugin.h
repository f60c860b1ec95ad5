/* SPDX-License-Identifier: MIT */
/* Formats of the caller (polytrace/extend.h) as formats of the framework. */
#ifndef FORMAT_PLUGIN_H
#define FORMAT_PLUGIN_H

#include "polytrace/extend.h"

#include "format/core/format.h"

/* The formats of a handle: those of the build's list, then the caller's. */
struct format_list {
	struct format *formats;		    /* the caller's */
	struct poly_format_plugin *plugins; /* to which these refer */
	size_t count;
};

/*
 * Adds the caller's formats, NULL at the end or NULL, to an empty list. POLY_ERR_USAGE: one
 * does not obey the interface. POLY_ERR_MEMORY.
 */
enum poly_status format_list_init(struct format_list *list,
	const struct poly_format_plugin *const *plugins, struct poly_error *error);

/* As format_at, format_find and poly_format_by_name, for the formats of a list. */
const struct format *format_list_at(const struct format_list *list, size_t i);
const struct format *format_list_find(const struct format_list *list, const char *name);
const struct format *format_list_by_name(
	const struct format_list *list, const char *path, bool writing);

/* Frees a list. */
void format_list_fini(struct format_list *list);

/* The probe of a format of the caller, for struct format. */
int plugin_probe(const struct poly_format_plugin *plugin, const uint8_t *p, size_t n, bool eof,
	struct probe_note *note);

#endif
