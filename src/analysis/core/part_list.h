/* SPDX-License-Identifier: MIT */
/* The parts of traces that loaded results are of. */
#ifndef ANALYSIS_PART_LIST_H
#define ANALYSIS_PART_LIST_H

#include "polytrace/parts.h"

#include "analysis/facts/archive.h"

/* Zeroed is empty. */
struct part_list {
	struct poly_part *list; /* their texts are in texts */
	size_t count, capacity;
	struct intern texts;
};

/* Transfers the list. */
void part_list_transfer(struct part_list *parts, struct archive *archive);

/* Appends copies of parts; false: out of memory. */
bool part_list_add(struct part_list *parts, const struct poly_part *added, size_t count);

/* Returns whether the first part of from is of the same trace as the last one of into. */
bool part_list_continues(const struct part_list *into, const struct part_list *from);

/* Fails if records of from are also in into, do not follow them, or follow missing ones. */
enum poly_status part_list_check(
	const struct part_list *into, const struct part_list *from, struct poly_error *error);

/* Appends from, after part_list_check. False: out of memory. */
bool part_list_merge(struct part_list *into, const struct part_list *from);

void part_list_fini(struct part_list *parts);

#endif
