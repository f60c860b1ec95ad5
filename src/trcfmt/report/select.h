/* SPDX-License-Identifier: MIT */
/* Selection of events: -d -k -D -K -p -T, times, data words. spec: AIX trace reference 7.1. */
#ifndef TRCFMT_SELECT_H
#define TRCFMT_SELECT_H

#include "polytrace/trcrpt.h"

#include "aix/attribution.h"

#include "base/map.h"

#define SELECT_DATA_MAX 16

struct event_selection {
	uint64_t hooks[65536 / 64];  /* bit set: selected */
	uint64_t except[65536 / 64]; /* excluded; for select_init */
	struct map pids, tids;
	char *names; /* of programs, each followed by a NUL; NULL: none */
	size_t names_size;
	bool by_process, by_thread, not_threads;
	struct {
		uint8_t word;
		uint64_t value;
	} data[SELECT_DATA_MAX];
	size_t data_count;
	bool everything; /* no option excludes anything */
};

/*
 * Parses the options. POLY_ERR_USAGE: one is not valid. The caller calls select_fini in any
 * case.
 */
enum poly_status select_init(struct event_selection *select,
	const struct poly_trcrpt_options *options, struct poly_error *error);

/* True if an event is selected. */
bool select_event(const struct event_selection *select, const struct aix_event *event,
	const struct aix_context *who);

/* Frees the storage. */
void select_fini(struct event_selection *select);

#endif
