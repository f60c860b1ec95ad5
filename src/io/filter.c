/* SPDX-License-Identifier: MIT */
/* The registry of compressions, in the order of the build's list. */
#include "io/filter.h"

#define LIST(word) extern const struct filter filter_##word;
#include "filter_list.def"
#undef LIST

static const struct filter *const filters[] = {
#define LIST(word) &filter_##word,
#include "filter_list.def"
#undef LIST
	NULL};

const struct filter *
filter_at(size_t i)
{
	return i < sizeof filters / sizeof *filters ? filters[i] : NULL;
}
