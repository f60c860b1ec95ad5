/* SPDX-License-Identifier: MIT */
/* Laws of writing formats. */
#include "format_law.h"

#include "../sampling.h"

#include "format/core/format.h"

#include <stdlib.h>
#include <string.h>

/*
 * A rewritten trace: the same bytes, or those before the reported corrupt data. Corrupt data of
 * a packed trace is not written again, but must be reported. The bytes of a format that can
 * only be read are not compared.
 */
static bool
same_or_reported(const char *format, const struct outcome *outcome, const struct buf *out,
	const uint8_t *data, size_t size)
{
	if (!outcome->opened && outcome->error.message[0])
		return true;
	if (format_find(format)->is_packed && outcome->has_finding)
		return true;
	if (!format_find(format)->info.can_write)
		return outcome->status >= 0 || outcome->status == POLY_ERR_TRUNCATED ||
		       fails("status %d: %s", outcome->status, outcome->error.message);
	if (outcome->status == POLY_END && out->size != size)
		return fails("%zu bytes became %zu, without a note", size, out->size);
	if (outcome->status < 0 && outcome->status != POLY_ERR_FORMAT)
		return fails("status %d: %s", outcome->status, outcome->error.message);
	size_t n = out->size < size ? out->size : size;
	for (size_t i = 0; i < n; i++) {
		if (out->data[i] != data[i])
			return fails("byte %zu of %zu differs", i, size);
	}
	return out->size <= size || fails("%zu bytes became %zu", size, out->size);
}

bool
law_identity(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf out = {0};
	struct outcome outcome;
	rewrite(sample->data, sample->size, options, &out, &outcome);
	bool good = outcome.status == POLY_END ||
		    fails("status %d: %s", outcome.status, outcome.error.message);
	good = good && same_or_reported(
			       sample->name.format, &outcome, &out, sample->data, sample->size);
	buf_free(&out);
	return good;
}

/* A packed sample is unpacked to its bytes. */
static bool
unpacks(const struct sample *sample, const struct buf *packed, enum lines lines)
{
	struct buf out = {0};
	struct outcome outcome;
	struct poly_read_options plain = POLY_READ_OPTIONS_INIT;
	const struct rewriting rewriting = {
		packed->data, packed->size, &plain, sample->name.format, false, NULL, lines};
	plain.one_thread = true;
	rewrite_as(&rewriting, &out, &outcome);
	bool good =
		outcome.status == POLY_END || fails("unpacking %d: status %d: %s", lines,
						      outcome.status, outcome.error.message);
	if (good && (out.size != sample->size || memcmp(out.data, sample->data, out.size) != 0))
		good = fails("unpacking %d: %zu bytes became others, %zu", lines, sample->size,
			out.size);
	buf_free(&out);
	return good;
}

/* Any trace is packed and unpacked again to the same bytes, however its lines are written. */
bool
law_packing(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf packed = {0};
	struct outcome outcome;
	const struct rewriting rewriting = {
		sample->data, sample->size, options, "ptz", false, NULL, LINES_USUAL};
	if (!format_find(sample->name.format)->info.can_write)
		return true;
	rewrite_as(&rewriting, &packed, &outcome);
	bool good = outcome.status == POLY_END ||
		    fails("packing: status %d: %s", outcome.status, outcome.error.message);
	for (unsigned lines = 0; good && lines < LINES_WAYS; lines++)
		good = unpacks(sample, &packed, (enum lines)lines);
	buf_free(&packed);
	return good;
}

/* Where segments end, and what is in them, does not depend on how the rows come. */
bool
law_packing_of_batches(const struct sample *sample, const struct poly_read_options *options)
{
	static const size_t blocks[] = {64, 150, 400, 1500, 0};
	struct buf one = {0}, other = {0};
	bool good = true;
	seed_random(5);
	for (size_t i = 0; good && i < 6; i++) {
		if (!sample_takes())
			continue;
		const size_t rows = i % 2 ? 1 + random_below(200) : POLY_BATCH_ROWS;
		struct poly_read_options changed = *options;
		changed.one_thread = false;
		changed.threads = 1 + (unsigned)random_below(3);
		changed.block_size = blocks[random_below(5)];
		changed.batch_rows = 1 + random_below(i % 3 ? 100 : POLY_BATCH_ROWS);
		good = pack_small(sample, options, rows, &one) &&
		       pack_small(sample, &changed, rows, &other) &&
		       ((one.size == other.size &&
				memcmp(one.data, other.data, one.size) == 0) ||
			       fails("segments of %zu rows: %zu bytes of batches of %zu rows, "
				     "expected %zu",
				       rows, other.size, changed.batch_rows, one.size));
	}
	buf_free(&one);
	buf_free(&other);
	return good;
}

#define EDGE 4096
#define PLACES 1000

/* Traces up to this size are truncated at every byte, even in a sample of the cases. */
#define SHORT 400

/* The i-th place at which a sample is cut; SIZE_MAX after the last one. */
static size_t
place_at(size_t size, size_t i)
{
	if (size <= 2 * EDGE)
		return i < size ? i : SIZE_MAX;
	if (i < EDGE)
		return i;
	if (i < 2 * EDGE)
		return size - 2 * EDGE + i;
	return i < 2 * EDGE + PLACES ? random_below(size) : SIZE_MAX;
}

/*
 * The rows of a truncated trace are those of the complete one, except for the last ones: the
 * truncated row, and two before that may depend on it. If a trace is not read from front to
 * end, the missing rows may be anywhere.
 */
static bool
rows_are_a_prefix(const struct outcome *cut, const struct outcome *whole)
{
	if (whole->jumps)
		return true;
	size_t sure = cut->count > 3 ? cut->count - 3 : 0;
	if (sure > whole->count)
		return fails("%zu rows of %zu", cut->count, whole->count);
	for (size_t i = 0; i < sure; i++) {
		if (cut->rows[i] != whole->rows[i])
			return fails("row %zu of %zu differs", i + 1, cut->count);
	}
	return true;
}

static bool
cut_at(const struct sample *sample, const struct poly_read_options *options, size_t place,
	const struct outcome *whole)
{
	struct outcome outcome;
	struct buf out = {0};
	uint8_t *exact = malloc(place ? place : 1);
	memcpy(exact, sample->data, place);
	rewrite(exact, place, options, &out, &outcome);
	bool good = same_or_reported(sample->name.format, &outcome, &out, exact, place);
	if (good && whole && outcome.opened) {
		read_bytes(exact, place, options, &outcome);
		/* Few records of one layout may be those of another one. */
		good = (outcome.dialect != whole->dialect && place < sample->size / 2) ||
		       rows_are_a_prefix(&outcome, whole);
		free(outcome.rows);
	}
	buf_free(&out);
	free(exact);
	return good;
}

bool
law_truncation(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome whole;
	read_bytes(sample->data, sample->size, options, &whole);
	bool good = true;
	seed_random(1);
	for (size_t i = 0, turn = 0; good; i++) {
		size_t place = place_at(sample->size, i);
		if (place == SIZE_MAX)
			break;
		if (sample->size > SHORT && !sample_takes())
			continue;
		good = cut_at(sample, options, place, turn++ % 16 ? NULL : &whole);
		if (!good)
			fails_also(" (cut at %zu of %zu)", place, sample->size);
	}
	free(whole.rows);
	return good;
}

/* Corrupt data is reported or preserved: with skip_errors, every byte is written again. */
bool
law_flipped_bytes(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_read_options skipping = *options;
	skipping.skip_errors = skipping.check = true;
	uint8_t *copy = malloc(sample->size);
	bool good = true;
	seed_random(2);
	for (size_t i = 0; good && i < 300; i++) {
		if (!sample_takes())
			continue;
		struct outcome outcome;
		struct buf out = {0};
		memcpy(copy, sample->data, sample->size);
		for (size_t n = 1 + random_below(4); n; n--)
			copy[random_below(sample->size)] ^= (uint8_t)(1u << random_below(8));
		rewrite(copy, sample->size, &skipping, &out, &outcome);
		good = same_or_reported(
			sample->name.format, &outcome, &out, copy, sample->size);
		if (good && outcome.opened && outcome.status != POLY_END &&
			outcome.error.message[0] == 0)
			good = fails("status %d without a message", outcome.status);
		buf_free(&out);
	}
	free(copy);
	return good;
}

/* The output does not change if only the columns of poly_writer_columns are read. */
bool
law_writers_columns(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf all = {0}, few = {0};
	struct outcome one, other;
	const struct poly_format_info *format;
	bool good = true;
	for (size_t i = 0; good && (format = poly_format_at(i)); i++) {
		struct rewriting rewriting = {sample->data, sample->size, options, format->name,
			true, NULL, LINES_USUAL};
		if (!format->can_write)
			continue;
		rewrite_as(&rewriting, &all, &one);
		rewriting.every_column = false;
		rewrite_as(&rewriting, &few, &other);
		good = one.status == other.status && all.size == few.size &&
		       (!all.size || memcmp(all.data, few.data, all.size) == 0) &&
		       strcmp(one.error.message, other.error.message) == 0 &&
		       one.error.offset == other.error.offset;
		if (!good)
			fails("%s: %zu bytes, status %d, '%s'; by its columns %zu bytes, "
			      "status %d, '%s'",
				format->name, all.size, one.status, one.error.message, few.size,
				other.status, other.error.message);
	}
	buf_free(&all);
	buf_free(&few);
	return good;
}
