/* SPDX-License-Identifier: MIT */
/*
 * What is counted of bus cycles.
 *
 * spec: seed 001; reference bach 2.2 to 2.4, 3, 4.2, 4.3
 */
#ifndef ANALYSIS_STATS_BUS_H
#define ANALYSIS_STATS_BUS_H

#include "analysis/analysis.h"

/* Regions of memory below 4 GiB, by the upper bits of the address. */
#define BUS_REGION_SHIFT 20
#define BUS_REGIONS ((size_t)1 << (32 - BUS_REGION_SHIFT))
#define BUS_PAGE_SHIFT 12
#define BUS_PAGES ((size_t)1 << (32 - BUS_PAGE_SHIFT))
#define BUS_PORTS 65536

#define BUS_SEEN 0x100

/* What was moved, of memory. */
enum { BUS_FETCHES, BUS_READS, BUS_WRITES, BUS_WAYS };

/* Transfers of one way, and those of them that go on where the one before ended. */
struct bus_run {
	uint64_t transfers, sequential, longest;
	uint64_t head, tail;  /* transfers of the first run, of the last one */
	uint64_t first, next; /* where the first run begins, where the last one would go on */
	bool has_next;
};

struct bus_port {
	uint64_t reads, writes, bytes;
};

struct bus {
	uint64_t top;		      /* option */
	uint64_t cycles[16][256];     /* by operation and byte enables */
	uint64_t cycle_bytes[16];     /* moved, by operation */
	uint64_t cycle_transfers[16]; /* of eight bytes */
	uint64_t requests[256];	      /* of byutr, by type */
	uint64_t request_bytes[256];  /* moved */
	uint64_t request_transfers[256];
	uint64_t attributes[4]; /* memory requests by type of memory */
	uint64_t agents[256];
	uint64_t events[POLY_EVENT_COUNT];
	uint64_t reserved;		      /* special cycles without a meaning */
	uint64_t dummies, vectors, pairs;     /* interrupt acknowledges: first, second, both */
	uint16_t first_enables, last_enables; /* of those, and BUS_SEEN; 0: there was none */
	struct bus_run runs[BUS_WAYS];
	uint64_t regions[BUS_REGIONS][BUS_WAYS];
	uint64_t beyond; /* accesses to memory above 4 GiB */
	uint64_t pages[BUS_PAGES / 64];
	bool has_ports;
	struct bus_port ports[BUS_PORTS];
	uint64_t ports_beyond; /* accesses to ports above 0xffff */
};

/* Adds a run that stands behind another one. */
void bus_run_join(struct bus_run *run, const struct bus_run *more);

/* Writes what was counted. */
void bus_report(const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
