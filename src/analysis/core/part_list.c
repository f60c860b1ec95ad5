/* SPDX-License-Identifier: MIT */
/* Parts of traces in the order of their results. */
#include "analysis/core/part_list.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* Returns a copy of a text in the list; NULL: out of memory. */
static const char *
keep(struct part_list *parts, const char *text)
{
	return intern_text(&parts->texts, intern_add(&parts->texts, text, strlen(text)));
}

bool
part_list_add(struct part_list *parts, const struct poly_part *added, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct poly_part part = added[i];
		part.file = keep(parts, part.file);
		part.format = keep(parts, part.format);
		part.reading = keep(parts, part.reading);
		if (!part.file || !part.format || !part.reading ||
			!VEC_ROOM(parts->list, parts->capacity, parts->count))
			return false;
		parts->list[parts->count++] = part;
	}
	return true;
}

/* Transfers a text of a part. */
static void
transfer_text(struct archive *archive, struct part_list *parts, const char **text)
{
	char *loaded = archive_text(archive, *text);
	if (!archive_loads(archive))
		return;
	archive_require(archive, loaded != NULL);
	*text = loaded ? keep(parts, loaded) : NULL;
	archive_allocate(archive, *text || !loaded);
	mem_free(loaded);
}

static void
transfer_part(struct archive *archive, struct part_list *parts, struct poly_part *part)
{
	transfer_text(archive, parts, &part->file);
	transfer_text(archive, parts, &part->format);
	transfer_text(archive, parts, &part->reading);
	ARCHIVE(archive, part->identity.size);
	ARCHIVE(archive, part->identity.head);
	ARCHIVE(archive, part->identity.tail);
	ARCHIVE(archive, part->first);
	ARCHIVE(archive, part->records);
	ARCHIVE(archive, part->rows);
	ARCHIVE(archive, part->is_end);
	ARCHIVE(archive, part->is_partial);
	archive_require(archive, part->first && part->first + part->records >= part->first);
}

void
part_list_transfer(struct part_list *parts, struct archive *archive)
{
	parts->count = ARCHIVE_ROOM(archive, parts->list, parts->capacity, parts->count);
	for (size_t i = 0; i < parts->count && !archive_failed(archive); i++)
		transfer_part(archive, parts, &parts->list[i]);
	if (archive_failed(archive))
		parts->count = 0;
}

bool
poly_part_is_same_trace(const struct poly_part *a, const struct poly_part *b)
{
	return a->identity.size == b->identity.size && a->identity.head == b->identity.head &&
	       a->identity.tail == b->identity.tail && strcmp(a->format, b->format) == 0 &&
	       strcmp(a->reading, b->reading) == 0;
}

bool
part_list_continues(const struct part_list *into, const struct part_list *from)
{
	return into->count && from->count &&
	       poly_part_is_same_trace(&into->list[into->count - 1], &from->list[0]);
}

/* Formats the records of a part. */
static void
describe(char *text, size_t size, const struct poly_part *part)
{
	if (part->records)
		snprintf(text, size, "records %llu to %llu", (unsigned long long)part->first,
			(unsigned long long)(part->first + part->records - 1));
	else
		snprintf(
			text, size, "no records from %llu on", (unsigned long long)part->first);
}

/* Fails because a part has records of another one, or they are not adjacent. */
static enum poly_status
refuse(const struct poly_part *before, const struct poly_part *part, struct poly_error *error)
{
	char first[80], second[80];
	const uint64_t end = before->first + before->records;
	describe(first, sizeof first, before);
	describe(second, sizeof second, part);
	if (part->first == end)
		return err_usage(error, "'%.200s': %s %s", part->file, second,
			before->is_end ? "follow the end of the trace"
				       : "do not follow the part before them in the results");
	if (part->first > end)
		return err_usage(error,
			"'%.200s': records %llu to %llu are missing between parts", part->file,
			(unsigned long long)end, (unsigned long long)(part->first - 1));
	if (part->first == before->first && part->records == before->records)
		return err_usage(error, "'%.200s': %s are in two parts", part->file, first);
	return err_usage(error, "'%.200s': %s and %s overlap", part->file, first, second);
}

enum poly_status
part_list_check(
	const struct part_list *into, const struct part_list *from, struct poly_error *error)
{
	const bool continues = part_list_continues(into, from);
	for (size_t i = 0; i < into->count; i++) {
		for (size_t j = 0; j < from->count; j++) {
			const struct poly_part *a = &into->list[i], *b = &from->list[j];
			const bool adjoins = continues && i == into->count - 1 && j == 0;
			if (poly_part_is_same_trace(a, b) &&
				(!adjoins || b->first != a->first + a->records ||
					(a->is_end && b->records)))
				return refuse(a, b, error);
		}
	}
	return POLY_OK;
}

bool
part_list_merge(struct part_list *into, const struct part_list *from)
{
	const struct poly_part *next = from->list;
	if (!part_list_continues(into, from))
		return part_list_add(into, from->list, from->count);
	struct poly_part *last = &into->list[into->count - 1];
	last->records += next->records;
	last->rows += next->rows;
	last->is_end = next->is_end;
	last->is_partial |= next->is_partial;
	return part_list_add(into, next + 1, from->count - 1);
}

void
part_list_fini(struct part_list *parts)
{
	mem_free(parts->list);
	intern_free(&parts->texts);
}
