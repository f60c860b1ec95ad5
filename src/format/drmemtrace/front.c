/* SPDX-License-Identifier: MIT */
/* The front of a file of drmemtrace: header, version, file type, sizes, first timestamp. */
#include "base/err.h"
#include "format/drmemtrace/reader.h"

#include <stdio.h>
#include <string.h>

/* Bits of a header and of the type after it that are determined. */
#define BITS 90

/* Returns whether entries can follow a header with this type. */
static bool
may_follow(unsigned type)
{
	return type == DRM_THREAD || type == DRM_MARKER;
}

/* Returns whether n bytes, fewer than an entry, are the first ones of a header. */
static bool
begins_header(const uint8_t *p, size_t n)
{
	static const uint8_t header[DRM_ENTRY_SIZE] = {DRM_HEADER};
	for (size_t i = 0; i < n; i++) {
		if (i == 4 ? !p[i] || p[i] > DRM_VERSION_MAX : p[i] != header[i])
			return false;
	}
	return true;
}

/* Stores what a marker of the front states. */
static void
read_marker(struct drm_front *front, const struct drm_entry *entry)
{
	switch (entry->size) {
	case DRM_TIMESTAMP:
		front->has_due = true;
		front->due = entry->value;
		break;
	case DRM_FILE_TYPE:
		if (!front->has_file_type)
			front->file_type = entry->value;
		front->has_file_type = true;
		break;
	case DRM_CACHE_LINE_SIZE: front->cache_line = entry->value; break;
	case DRM_PAGE_SIZE: front->page = entry->value; break;
	case DRM_CHUNK_COUNT: front->chunk = entry->value; break;
	default: break;
	}
}

enum drm_form
drm_front_read(struct drm_front *front, const uint8_t *p, size_t n)
{
	*front = (struct drm_front){.version = 0};
	if (n < DRM_ENTRY_SIZE)
		return begins_header(p, n) ? DRM_FORM_SHORT : DRM_FORM_NONE;
	const struct drm_entry header = drm_load(p);
	if (header.type != DRM_HEADER || header.size || !load_le32(p + 4))
		return DRM_FORM_NONE;
	if (load_le32(p + 4) <= DRM_VERSION_MAX && may_follow(p[8] | (unsigned)p[9] << 8))
		return DRM_FORM_NARROW;
	front->version = header.value;
	if (n < 2 * DRM_ENTRY_SIZE)
		return header.value <= DRM_VERSION_MAX ? DRM_FORM_SHORT : DRM_FORM_NONE;
	if (!may_follow(drm_load(p + DRM_ENTRY_SIZE).type))
		return DRM_FORM_NONE;
	if (header.value > DRM_VERSION_MAX)
		return header.value <= UINT8_MAX ? DRM_FORM_VERSION : DRM_FORM_NONE;
	n = n < DRM_FRONT_SIZE ? n : DRM_FRONT_SIZE;
	for (size_t at = DRM_ENTRY_SIZE; at + DRM_ENTRY_SIZE <= n && !front->has_due;
		at += DRM_ENTRY_SIZE) {
		const struct drm_entry entry = drm_load(p + at);
		if (entry.type == DRM_MARKER)
			read_marker(front, &entry);
	}
	return DRM_FORM_OK;
}

/* Reports a front that cannot be read. */
static enum poly_status
refuse(enum drm_form form, const struct drm_front *front, const uint8_t *p,
	struct poly_error *error)
{
	if (form == DRM_FORM_NARROW)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"DM01: entries of 8 bytes, of a recording of a 32-bit program, are not "
			"supported (expected entries of 12 bytes)");
	if (form == DRM_FORM_VERSION)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"DM01: version %llu is not supported (expected 1 to %u)",
			(unsigned long long)front->version, DRM_VERSION_MAX);
	return err_set(error, POLY_ERR_FORMAT, 0,
		"DM01: the trace begins with an entry of type %u (expected %u, a header); if "
		"it "
		"is a raw file of the tracer, convert it by drraw2trace",
		p[0] | (unsigned)p[1] << 8, DRM_HEADER);
}

enum poly_status
drm_front_open(struct in *in, struct drm_front *front, struct poly_error *error)
{
	size_t have;
	const uint8_t *p = in_peek(in, DRM_FRONT_SIZE, &have);
	const enum drm_form form = drm_front_read(front, p, have);
	const enum poly_status status = have ? POLY_OK : in_status(in, error);
	if (status < 0 && status != POLY_ERR_TRUNCATED)
		return status;
	return form == DRM_FORM_OK || form == DRM_FORM_SHORT ? POLY_OK
							     : refuse(form, front, p, error);
}

const char *
drm_isa(const struct drm_stream *stream)
{
	const uint64_t type = stream->front.file_type;
	if (type & DRM_REGDEPS)
		return NULL;
	return type & DRM_AARCH64  ? "aarch64"
	       : type & DRM_ARM	   ? "arm"
	       : type & DRM_X86_32 ? "x86"
	       : type & DRM_X86_64 ? "x86-64"
				   : NULL;
}

int
drm_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct drm_front front;
	const enum drm_form form = drm_front_read(&front, p, n);
	(void)eof;
	note->near = form > DRM_FORM_SHORT;
	note->consistent = form == DRM_FORM_SHORT;
	note->distinct = note->consistent && n >= DRM_ENTRY_SIZE;
	if (form == DRM_FORM_NARROW)
		snprintf(note->text, sizeof note->text, "a header and entries of 8 bytes");
	else if (note->near || note->distinct)
		snprintf(note->text, sizeof note->text, "a header of version %llu",
			(unsigned long long)front.version);
	return note->near ? BITS : 0;
}
