/* SPDX-License-Identifier: MIT */
/* The registry of compressions, in the order of the build's list. */
#include "io/filter.h"

#include "base/err.h"

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

enum poly_status
filter_missing(const char *name, const char *package, struct poly_error *error)
{
	return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
		"%s is not in this build: it was made without the library of package '%s'",
		name, package);
}
