/* SPDX-License-Identifier: MIT */
/*
 * References split at the ends of lines (or pages): a reference that crosses them becomes one
 * reference to each of its lines, as Dinero IV splits it. References of unknown size, or of
 * size 0, are to the line of their address.
 */
#ifndef ANALYSIS_SIM_LINE_REFS_H
#define ANALYSIS_SIM_LINE_REFS_H

#include "analysis/sim/mem_refs.h"

/* The option of an analysis; 0: split. */
#define LINE_REFS_OPTION(name)                                                                 \
	{                                                                                      \
		name ".crossing", POLY_OPTION_CHOICE,                                          \
			.choices = line_refs_choices,                                          \
			.help = "split accesses that cross lines or pages, or reduce them to " \
				"the "                                                         \
				"first line or page"                                           \
	}
extern const char *const line_refs_choices[];

/* Zero-initialise, then set shifts and split. */
struct line_refs {
	unsigned shifts[CACHE_KINDS]; /* log2 of the line size, by kind of the reference */
	bool split;
	const struct mem_refs *refs; /* being split */
	size_t next;		     /* index of the next reference */
	uint32_t done;		     /* bytes of it that earlier steps have */
	struct mem_refs step;
};

/* Sets the line size of all kinds. */
void line_refs_set(struct line_refs *lines, unsigned shift, bool split);

/* Begins with references, which must stay valid until the last step. */
void line_refs_begin(struct line_refs *lines, const struct mem_refs *refs);

/* Returns the next step of references of one enum mem_refs_step, each within a line, valid
 * until the next one; NULL: the last step was returned. The references themselves are the only
 * step if none crosses a line or is an operation. */
const struct mem_refs *line_refs_next(struct line_refs *lines);

#endif
