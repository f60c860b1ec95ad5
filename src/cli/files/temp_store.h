/* SPDX-License-Identifier: MIT */
/* Temporary files without names, for simulations that read a trace twice. */
#ifndef CLI_TEMP_STORE_H
#define CLI_TEMP_STORE_H

#include "polytrace/polytrace.h"

/* Stores in the folder $TMPDIR (default /tmp). */
extern const struct poly_stats_stores temp_stores;

/* Finishes analyses, which may read their stores again; false: an error, which was printed
 * about name. */
bool temp_store_finish_stats(struct poly_stats *stats, const char *name);

/* Its two steps: finishes analyses; and prints which limits they reached. */
bool temp_store_read_again(struct poly_stats *stats, const char *name);
void temp_store_print_limits(const struct poly_stats *stats, const char *name);

#endif
