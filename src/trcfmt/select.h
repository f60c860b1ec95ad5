/* SPDX-License-Identifier: MIT */
/* Which events are reported: -d -k -D -K -p -T, times, data words. spec: reference aix 7.1. */
#ifndef TRCFMT_SELECT_H
#define TRCFMT_SELECT_H

#include "polytrace/trcrpt.h"

#include "aix/attribution.h"

#include "base/map.h"

#define SELECT_DATA_MOST 16

struct select {
	uint64_t hooks[65536 / 64];  /* bit set: wanted */
	uint64_t except[65536 / 64]; /* of them unwanted; for select_init */
	struct map pids, tids;
	char *names; /* of programs, each with its NUL; NULL: none */
	size_t names_size;
	bool by_process, by_thread, not_threads;
	struct {
		uint8_t word;
		uint64_t value;
	} data[SELECT_DATA_MOST];
	size_t data_count;
	bool everything; /* no option leaves anything out */
};

/*
 * Takes the options. POLY_ERR_USAGE: one of them cannot be understood. Ended with select_fini
 * in any case.
 */
enum poly_status select_init(struct select *select, const struct poly_trcrpt_options *options,
	struct poly_error *error);

/* True where an event is wanted. */
bool select_event(const struct select *select, const struct aix_event *event,
	const struct aix_context *who);

/* Gives the storage back. */
void select_fini(struct select *select);

#endif
