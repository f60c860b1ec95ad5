/* SPDX-License-Identifier: MIT */
/* Keeping the lines of patterns. */
#include "format/pattern.h"

#include "base/mem.h"

#include <string.h>

void
pattern_lines_begin(struct pattern_lines *it, const struct poly_batch *batch)
{
	if (it->stretch && it->epoch == batch->pattern_epoch)
		return;
	it->epoch = batch->pattern_epoch;
	it->stretch++;
	if (it->stretch)
		return;
	for (uint32_t i = 0; i < it->count; i++)
		it->lines[i].stretch = 0;
	it->stretch = 1;
}

/* Room for the line of a pattern. Without memory fewer are kept. */
static bool
grow(struct pattern_lines *it, uint32_t pattern)
{
	uint32_t count = it->count ? it->count : 256;
	if (pattern < it->count)
		return true;
	if (pattern >= PATTERNS_MOST)
		return false;
	while (count <= pattern)
		count *= 2;
	struct pattern_line *lines = mem_resize(it->lines, count, sizeof *lines);
	if (!lines)
		return false;
	for (uint32_t i = it->count; i < count; i++)
		lines[i].stretch = 0;
	it->lines = lines;
	it->count = count;
	return true;
}

void
pattern_lines_keep(
	struct pattern_lines *it, uint32_t pattern, const char *text, size_t n, size_t place)
{
	if (n > PATTERN_LINE || !grow(it, pattern))
		return;
	struct pattern_line *line = &it->lines[pattern];
	line->stretch = it->stretch;
	line->size = (uint8_t)n;
	line->place = (uint8_t)place;
	memset(line->text, 0, sizeof line->text);
	memcpy(line->text, text, n);
}

void
pattern_lines_fini(struct pattern_lines *it)
{
	mem_free(it->lines);
	memset(it, 0, sizeof *it);
}
