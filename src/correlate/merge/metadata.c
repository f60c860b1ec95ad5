/* SPDX-License-Identifier: MIT */
/* The metadata of a merged trace: the values that all traces share. */
#include "correlate/merge/merge.h"

#include "base/err.h"

#include "polytrace/format.h"

#include <stdio.h>
#include <string.h>

static const struct poly_trace_info *
info_of(const struct poly_merge *merge, size_t i)
{
	return merge->inputs[i].source.info;
}

static bool
same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns a text of the first trace if all others have the same, else NULL. */
static const char *
shared(struct poly_merge *merge, const char *(*text)(const struct poly_trace_info *))
{
	const char *first = text(info_of(merge, 0));
	for (size_t i = 1; i < merge->sync.count; i++) {
		if (!same_text(first, text(info_of(merge, i))))
			return NULL;
	}
	return first ? info_string(&merge->merger.info, first) : NULL;
}

#define TEXT_OF(field)                                                    \
	static const char *field##_of(const struct poly_trace_info *info) \
	{                                                                 \
		return info->field;                                       \
	}
TEXT_OF(format)
TEXT_OF(isa)
TEXT_OF(clock)
TEXT_OF(producer)
#undef TEXT_OF

/* Returns the format of the raw bytes, unless these contain the thread number. */
static const char *
raw_format_of(const struct poly_trace_info *info)
{
	return info->family && !POLY_HAS(info->family->columns, thread) ? info->raw_format
									: NULL;
}

/* Sets the widest address width, and the values that all traces share. */
static void
share_numbers(struct poly_merge *merge)
{
	struct poly_trace_info *view = &merge->merger.info.view;
	const struct poly_trace_info *first = info_of(merge, 0);
	view->addresses = first->addresses;
	view->byte_order = first->byte_order;
	view->has_first_pc = first->has_first_pc;
	view->first_pc = first->first_pc;
	for (size_t i = 0; i < merge->sync.count; i++) {
		const struct poly_trace_info *info = info_of(merge, i);
		if (info->address_bits > view->address_bits)
			view->address_bits = info->address_bits;
		if (info->addresses != view->addresses)
			view->addresses = POLY_ADDRESS_UNKNOWN;
		if (info->byte_order != view->byte_order)
			view->byte_order = POLY_BYTE_ORDER_NONE;
		if (!info->has_first_pc || info->first_pc != view->first_pc)
			view->has_first_pc = false;
	}
}

/* Returns the value of a key in a trace. */
typedef const char *text_fn(const struct poly_trace_info *info, const char *key);

/* True if every trace has the same value of a key as the first one. */
static bool
is_shared(const struct poly_merge *merge, const struct poly_fact *fact, text_fn *get_text)
{
	for (size_t i = 1; i < merge->sync.count; i++) {
		if (!same_text(fact->value, get_text(info_of(merge, i), fact->key)))
			return false;
	}
	return true;
}

/* Sets the facts and labels that all traces share; false: out of memory. */
static bool
share_metadata(struct poly_merge *merge)
{
	struct info *info = &merge->merger.info;
	const struct poly_trace_info *first = info_of(merge, 0);
	bool valid = true;
	for (size_t i = 0; i < first->fact_count && valid; i++) {
		if (is_shared(merge, &first->facts[i], poly_trace_fact))
			valid = info_fact(info, first->facts[i].key, first->facts[i].value);
	}
	for (size_t i = 0; i < first->label_count && valid; i++) {
		if (is_shared(merge, &first->labels[i], poly_trace_label))
			valid = info_label(info, first->labels[i].key, first->labels[i].value);
	}
	return valid;
}

bool
metadata_share(struct poly_merge *merge)
{
	struct info *info = &merge->merger.info;
	info->view.format = shared(merge, format_of);
	if (!info->view.format)
		info->view.format = "merge";
	info->view.raw_format = shared(merge, raw_format_of);
	info->view.family = info->view.raw_format ? info_of(merge, 0)->family : NULL;
	info->view.isa = shared(merge, isa_of);
	info->view.clock = shared(merge, clock_of);
	info->view.producer = shared(merge, producer_of);
	share_numbers(merge);
	if (!info->view.raw_format && !poly_columns_equal(info->view.columns, POLY_ALL_COLUMNS))
		info->view.columns = poly_columns_minus(info->view.columns, POLY_COLUMNS(raw));
	bool valid = share_metadata(merge);
	for (size_t i = 0; i < merge->sync.count && valid; i++) {
		char key[40];
		snprintf(key, sizeof key, "merge.thread.%llu",
			(unsigned long long)merge->sync.threads[i].number);
		valid = info_fact(info, key, merge->sync.threads[i].name);
	}
	return valid;
}
