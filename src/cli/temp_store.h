/* SPDX-License-Identifier: MIT */
/* Temporary files without names, for simulations that look at a trace twice. */
#ifndef CLI_TEMP_STORE_H
#define CLI_TEMP_STORE_H

#include "polytrace/polytrace.h"

/* In the folder $TMPDIR, or /tmp where it is not set. */
extern const struct poly_stats_stores temp_stores;

/* Ends the first look at a trace of a name; false, and told, where the second one fails. */
bool temp_store_finish_stats(struct poly_stats *stats, const char *name);

#endif
