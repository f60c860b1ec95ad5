/* SPDX-License-Identifier: MIT */
/*
 * The out-of-order core of homework 5 (Penn) and 6 (WUSTL): renaming with a free list, a
 * reorder buffer, oldest-first issue, and rules for when a load may pass a store; with the
 * printout of every micro-op at its commit.
 *
 * The rules NAIVE and up are those of a later project, of which only totals are known. The
 * details here are the only ones of some hundred variants that reproduce the totals of gcc-1K:
 * in the cycle in which a store completes, after the commits and before anything issues, the
 * oldest younger load of its address that has already issued is squashed with all younger
 * micro-ops; fetching resumes in the next cycle. Loads that commit in the cycle of the store
 * escape.
 *
 * spec: CIS 501 homework 5 (out of order), CSE 560M homework 6; published totals of gcc-1K
 */
#ifndef COURSE_OOO_H
#define COURSE_OOO_H

#include "course/course.h"

#include "polytrace/status.h"

enum ooo_memory {
	OOO_RENAME_ONLY,  /* no cycles: renaming, and registers are freed at once */
	OOO_NONE,	  /* a load waits only for its registers */
	OOO_CONSERVATIVE, /* and until all older stores complete */
	OOO_PERFECT,	  /* and until older stores to the same address complete */
	OOO_NAIVE,	  /* only for registers; violations squash and refetch */
	OOO_STORE_SETS,	  /* and until older stores of its set complete (ss2) */
	OOO_STORE_SETS_1, /* and until the youngest older store of its set completes (ss3) */
};

enum {
	OOO_WIDTH_MAX = 1024,
	OOO_SIZE_MAX = 65536,	   /* of the reorder buffer, and physical registers */
	OOO_LATENCY_MAX = 1000000, /* cycles */
	OOO_SETS_MAX =
		1 << 20, /* maximum number of pcs in store sets: later ones are ignored */
};

struct ooo_config {
	enum ooo_memory memory;
	unsigned width;	       /* maximum micro-ops fetched, issued, committed per cycle */
	unsigned registers;    /* physical ones: more than COURSE_REGISTERS + 1 */
	unsigned size;	       /* micro-ops in the reorder buffer */
	unsigned load_latency; /* cycles: 4 at WUSTL, 3 at Penn; all others take 1 */
	bool is_quiet;	       /* without the lines of micro-ops and their heading */
};

struct ooo;

/* Validates a configuration; POLY_ERR_USAGE with a message. */
enum poly_status ooo_check(const struct ooo_config *config, struct poly_error *error);

/* Creates a core; NULL with POLY_ERR_MEMORY or _USAGE in error. */
struct ooo *ooo_new(const struct ooo_config *config, struct poly_error *error);

/* Appends the heading, with the name of the trace. */
void ooo_begin(const struct ooo *core, const char *trace, struct buf *out);

/*
 * Runs the core until a micro-op is fetched. Appends a line per commit to out, unless NULL.
 * POLY_ERR_MEMORY: the core cannot continue.
 */
enum poly_status ooo_add(struct ooo *core, const struct course_uop *uop, struct buf *out,
	struct poly_error *error);

/*
 * Runs the core until it is empty, and appends the remaining lines and the summary unless out
 * is NULL. POLY_ERR_MEMORY: the core cannot continue.
 */
enum poly_status ooo_end(struct ooo *core, struct buf *out, struct poly_error *error);

/* Returns the cycles, after ooo_end. */
uint64_t ooo_cycles(const struct ooo *core);

/* Returns the loads that were squashed because an older store to their address completed after
 * them. */
uint64_t ooo_violations(const struct ooo *core);

/* Accepts NULL. */
void ooo_free(struct ooo *core);

#endif
