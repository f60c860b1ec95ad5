/* SPDX-License-Identifier: MIT */
/*
 * The state of the analysis of bus cycles.
 *
 * spec: BYU BACH trace format; BYU BACH bus trace reference 2.2 to 2.4, 3, 4.2, 4.3
 */
#ifndef ANALYSIS_STATS_BUS_H
#define ANALYSIS_STATS_BUS_H

#include "analysis/core/analysis.h"

/* Regions of memory below 4 GiB, by the upper bits of the address. */
#define BUS_REGION_SHIFT 20
#define BUS_REGIONS ((size_t)1 << (32 - BUS_REGION_SHIFT))
#define BUS_PAGE_SHIFT 12
#define BUS_PAGES ((size_t)1 << (32 - BUS_PAGE_SHIFT))
#define BUS_PORTS 65536

#define BUS_SEEN 0x100

/* The kinds of memory transfers. */
enum { BUS_FETCHES, BUS_READS, BUS_WRITES, BUS_WAYS };

/* Transfers of a kind, and the runs of sequential ones. */
struct bus_run {
	uint64_t transfers, sequential, max;
	uint64_t head, tail;  /* lengths of the first and the last run */
	uint64_t first, next; /* begin of the first run, address after the last one */
	bool has_next;
};

struct bus_port {
	uint64_t reads, writes, bytes;
};

struct bus {
	uint64_t top;		      /* option */
	uint64_t cycles[16][256];     /* by operation and byte enables */
	uint64_t cycle_bytes[16];     /* transferred, by operation */
	uint64_t cycle_transfers[16]; /* of eight bytes */
	uint64_t requests[256];	      /* of byutr, by type */
	uint64_t request_bytes[256];  /* transferred */
	uint64_t request_transfers[256];
	uint64_t attributes[4]; /* memory requests by memory type */
	uint64_t agents[256];
	uint64_t events[POLY_EVENT_COUNT];
	uint64_t reserved; /* special cycles without a meaning */
	uint64_t dummies, vectors,
		pairs; /* interrupt acknowledge cycles: first, second, both */
	uint16_t first_enables, last_enables; /* of those, with BUS_SEEN; 0: none */
	struct bus_run runs[BUS_WAYS];
	uint64_t regions[BUS_REGIONS][BUS_WAYS];
	uint64_t above_4gib; /* accesses to memory above 4 GiB */
	uint64_t pages[BUS_PAGES / 64];
	bool has_ports;
	struct bus_port ports[BUS_PORTS];
	uint64_t untracked_ports; /* accesses to ports above 0xffff */
};

/* Merges the runs that follow those of run. */
void bus_run_merge(struct bus_run *run, const struct bus_run *next);

/* Writes the report. */
void bus_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
