/* SPDX-License-Identifier: MIT */
/* Names and validation, shared by the pipelines. */
#include "sim/pipeline/pipeline.h"

#include "base/err.h"

const char *
pipeline_part_name(enum pipeline_part part)
{
	static const char *const names[] = {
		[PIPELINE_BUSY] = "busy",
		[PIPELINE_FETCH] = "fetch",
		[PIPELINE_BRANCH] = "branch",
		[PIPELINE_SQUASH] = "squash",
		[PIPELINE_LOAD] = "load",
		[PIPELINE_MISS] = "miss",
		[PIPELINE_EXECUTE] = "execute",
		[PIPELINE_ORDER] = "order",
	};
	return part < PIPELINE_PARTS ? names[part] : NULL;
}

/* Validates a number from min to max; what names it in the message. */
static bool
fits(const char *what, unsigned found, unsigned min, unsigned max, struct poly_error *error)
{
	if (found >= min && found <= max)
		return true;
	err_usage(error, "%s is %u, expected %u to %u", what, found, min, max);
	return false;
}

static bool
latencies_fit(const unsigned *latency, struct poly_error *error)
{
	for (size_t i = 0; i < PIPELINE_CLASSES; i++) {
		if (!fits("a latency in cycles", latency[i], 1, PIPELINE_LATENCY_MAX, error))
			return false;
	}
	return true;
}

enum poly_status
pipeline_inorder_sound(const struct pipeline_inorder_config *config, struct poly_error *error)
{
	if (config->order > PIPELINE_ORDER_ALL)
		return err_usage(
			error, "unknown rule %d for the order of writes", (int)config->order);
	bool is_valid = fits("the width", config->width, 1, PIPELINE_WIDTH_MAX, error) &&
			fits("the penalty in cycles", config->penalty, 0, PIPELINE_LATENCY_MAX,
				error) &&
			latencies_fit(config->latency, error);
	return is_valid ? POLY_OK : POLY_ERR_USAGE;
}

enum poly_status
pipeline_ooo_sound(const struct pipeline_ooo_config *config, struct poly_error *error)
{
	if (config->memory > PIPELINE_MEMORY_STORE_SETS)
		return err_usage(
			error, "unknown rule %d for loads and stores", (int)config->memory);
	/* A micro-op with two destinations cannot be renamed with one register. */
	bool is_valid =
		fits("the width", config->width, 1, PIPELINE_WIDTH_MAX, error) &&
		fits("the reorder buffer's size", config->size, 1, PIPELINE_SIZE_MAX, error) &&
		(!config->registers ||
			fits("the number of registers for results", config->registers, 2,
				PIPELINE_RENAMED_MAX, error)) &&
		fits("the penalty in cycles", config->penalty, 0, PIPELINE_LATENCY_MAX,
			error) &&
		fits("the number of extra cycles", config->extra_max, 0, PIPELINE_LATENCY_MAX,
			error) &&
		fits("the number of bits of a site", config->site_bits, 0,
			PIPELINE_SITE_BITS_MAX, error) &&
		latencies_fit(config->latency, error);
	return is_valid ? POLY_OK : POLY_ERR_USAGE;
}
