/* SPDX-License-Identifier: MIT */
/* Results of work that is done where rows are decoded. */
#include "model/decoder_work.h"

#include <string.h>

static void *
begin_none(const struct poly_decoder_work *work, struct numbering numbering)
{
	static char part;
	(void)work;
	(void)numbering;
	return &part;
}

static bool
add_none(const struct poly_decoder_work *work, void *part, const struct poly_batch *batch)
{
	(void)work;
	(void)part;
	(void)batch;
	return true;
}

static void
end_none(const struct poly_decoder_work *work, void *part)
{
	(void)work;
	(void)part;
}

const struct poly_decoder_work *
poly_decoder_work_none(void)
{
	static const struct poly_decoder_work none = {.begin = begin_none,
		.add = add_none,
		.end = end_none,
		.part_max = (size_t)64 << 20};
	return &none;
}

bool
decoder_result_begin(struct decoder_result *result, const struct poly_decoder_work *const *work,
	unsigned count, struct numbering numbering)
{
	bool good = true;
	result->work = work;
	result->count = count;
	for (unsigned i = 0; i < count; i++) {
		result->parts[i] = work[i]->begin(work[i], numbering);
		good = good && result->parts[i];
	}
	return good;
}

bool
decoder_result_add(struct decoder_result *result, const struct poly_batch *batch)
{
	result->records += batch->rows;
	for (unsigned i = 0; i < result->count; i++) {
		const struct poly_decoder_work *work = result->work[i];
		if (!work->add(work, result->parts[i], batch))
			return false;
	}
	return true;
}

void *
decoder_result_take(struct decoder_result *result, const struct poly_decoder_work *work)
{
	for (unsigned i = 0; i < result->count; i++) {
		void *part = result->parts[i];
		if (result->work[i] != work)
			continue;
		result->parts[i] = NULL;
		return part;
	}
	return NULL;
}

void
decoder_result_clear(struct decoder_result *result)
{
	for (unsigned i = 0; i < result->count; i++) {
		if (result->parts[i])
			result->work[i]->end(result->work[i], result->parts[i]);
	}
	memset(result, 0, sizeof *result);
}
