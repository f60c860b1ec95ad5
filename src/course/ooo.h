/* SPDX-License-Identifier: MIT */
/*
 * The out-of-order core of homework 5 (Penn) and 6 (WUSTL): renaming with a free list, a
 * reorder buffer, oldest-first issue, and rules for when a load may pass a store; with the
 * printout of every micro-op as it commits.
 *
 * The rules NAIVE and up are of a later project, of which only totals are known. The details
 * here are those under which the totals for gcc-1K come out, the only ones of some hundred
 * tried: in the cycle in which a store is done, behind the commits and before anything issues,
 * the oldest younger load of its address that has issued already is squashed with all behind
 * it; fetching goes on in the next cycle. What commits together with the store escapes.
 *
 * spec: reference cis501 7.1.6, 7.2 (totals)
 */
#ifndef COURSE_OOO_H
#define COURSE_OOO_H

#include "course/course.h"

#include "polytrace/status.h"

enum ooo_memory {
	OOO_RENAME_ONLY,  /* no cycles: renaming, and the registers are free again at once */
	OOO_NONE,	  /* a load waits for its registers alone */
	OOO_CONSERVATIVE, /* and until all older stores are done */
	OOO_PERFECT,	  /* and until older stores to the same address are done */
	OOO_NAIVE,	/* for registers alone; what went wrong is squashed and fetched again */
	OOO_STORE_SETS, /* and until older stores of its set are done (ss2) */
	OOO_STORE_SETS_1, /* and until the youngest older store of its set is done (ss3) */
};

enum {
	OOO_WIDTH_MAX = 1024,
	OOO_SIZE_MAX = 65536,	   /* of the reorder buffer, and physical registers */
	OOO_LATENCY_MAX = 1000000, /* cycles */
	OOO_SETS_MAX = 1 << 20,	   /* pcs that store sets know: later ones are not learned */
};

struct ooo_config {
	enum ooo_memory memory;
	unsigned width;	       /* micro-ops fetched, issued, committed in a cycle at most */
	unsigned registers;    /* physical ones: more than COURSE_REGISTERS + 1 */
	unsigned size;	       /* micro-ops in the reorder buffer */
	unsigned load_latency; /* cycles: 4 at WUSTL, 3 at Penn; everything else takes 1 */
	bool is_quiet;	       /* without the lines of micro-ops and what goes with them */
};

struct ooo;

/* Whether a configuration can be; POLY_ERR_USAGE says what is wrong with it. */
enum poly_status ooo_sound(const struct ooo_config *config, struct poly_error *error);

/* A core before its first cycle; NULL and POLY_ERR_MEMORY or _USAGE in error. */
struct ooo *ooo_new(const struct ooo_config *config, struct poly_error *error);

/* Appends the heading, with the name of the trace. */
void ooo_begin(const struct ooo *core, const char *trace, struct buf *out);

/*
 * Runs the core until a micro-op is fetched. A line a commit goes to out, unless NULL.
 * POLY_ERR_MEMORY: the core can't go on.
 */
enum poly_status ooo_add(struct ooo *core, const struct course_uop *uop, struct buf *out,
	struct poly_error *error);

/*
 * Runs the core until it is empty, and appends the rest of the lines and the summary unless
 * out is NULL. POLY_ERR_MEMORY: the core can't go on.
 */
enum poly_status ooo_end(struct ooo *core, struct buf *out, struct poly_error *error);

/* After ooo_end: cycles. */
uint64_t ooo_cycles(const struct ooo *core);

/* Loads that were squashed because an older store to their address was done after them. */
uint64_t ooo_violations(const struct ooo *core);

/* Accepts NULL. */
void ooo_free(struct ooo *core);

#endif
