/* SPDX-License-Identifier: MIT */
/* The report of bus cycles. */
#include "analysis/stats/system/bus.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

/* Names of operations. spec: BYU BACH trace format; BYU BACH bus trace reference 2.2 */
static const char *const operations[16] = {"INVALID_0", "INT_ACK", "INVALID_2", "SPECIAL",
	"INVALID_4", "IO_READ", "INVALID_6", "IO_WRITE", "I_FETCH", "NC_I_FETCH", "INVALID_10",
	"INVALID_11", "D_READ", "NC_D_READ", "WRITE_BACK", "D_WRITE"};

/* Operations that transfer data, bit n for operation n. */
#define TRANSFERS 0xf3a0u

/* Request types of byutr. spec: BYU BACH bus trace reference 2.4 */
static const struct {
	uint8_t type;
	const char *name;
} requests[] = {{0x00, "fetch"}, {0x01, "read"}, {0x02, "read_invalidate"}, {0x03, "write"},
	{0x10, "io_read"}, {0x11, "io_write"}, {0x20, "deferred_reply"},
	{0x21, "interrupt_acknowledge"}, {0x22, "agent_response"}, {0x23, "branch_trace"},
	{0x31, "shutdown"}, {0x32, "flush"}, {0x33, "halt"}, {0x34, "sync"},
	{0x35, "flush_acknowledge"}, {0x36, "stop_grant"}, {0x37, "smi_acknowledge"}};

/*
 * The conventional ports of PC devices: those of the IBM PC/AT (Technical Reference, I/O
 * address map) and of its successors.
 */
static const struct {
	uint16_t low, high;
	const char *name;
} ports[] = {{0x00, 0x1f, "DMA controller 1"}, {0x20, 0x3f, "interrupt controller 1"},
	{0x40, 0x5f, "timer"}, {0x60, 0x60, "keyboard data"}, {0x61, 0x61, "system control B"},
	{0x64, 0x64, "keyboard status"}, {0x70, 0x71, "real-time clock, NMI mask"},
	{0x80, 0x80, "diagnostics (POST)"}, {0x81, 0x8f, "DMA pages"},
	{0x92, 0x92, "system control A (A20)"}, {0xa0, 0xbf, "interrupt controller 2"},
	{0xc0, 0xdf, "DMA controller 2"}, {0xf0, 0xff, "numeric coprocessor"},
	{0x170, 0x177, "secondary IDE"}, {0x1f0, 0x1f7, "primary IDE"},
	{0x200, 0x207, "game port"}, {0x278, 0x27f, "parallel port 2"},
	{0x2e8, 0x2ef, "serial port 4"}, {0x2f8, 0x2ff, "serial port 2"},
	{0x376, 0x376, "secondary IDE control"}, {0x378, 0x37f, "parallel port 1"},
	{0x3b0, 0x3bf, "monochrome display"}, {0x3c0, 0x3cf, "EGA and VGA"},
	{0x3d0, 0x3df, "color display"}, {0x3e8, 0x3ef, "serial port 3"},
	{0x3f0, 0x3f5, "floppy disk"}, {0x3f6, 0x3f6, "primary IDE control"},
	{0x3f7, 0x3f7, "floppy disk"}, {0x3f8, 0x3ff, "serial port 1"},
	{0xcf8, 0xcfb, "PCI configuration address"}, {0xcfc, 0xcff, "PCI configuration data"}};

static const char *
port_name(size_t port)
{
	for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
		if (port >= ports[i].low && port <= ports[i].high)
			return ports[i].name;
	}
	return NULL;
}

static unsigned
requested_bytes(unsigned enables)
{
	return (unsigned)__builtin_popcount(~enables & 0xff);
}

/* Returns the number of byte lanes from the first to the last requested one. */
static unsigned
span(unsigned enables)
{
	const unsigned lanes = ~enables & 0xff;
	return lanes ? 32u - (unsigned)__builtin_clz(lanes) - (unsigned)__builtin_ctz(lanes)
		     : 0;
}

/* The counts of a kind of cycle; requested, transferred: bytes. */
struct cycle_sums {
	uint64_t cycles, requested, transferred, transfers;
};

static struct cycle_sums
sums_of_operation(const struct bus *bus, unsigned operation)
{
	struct cycle_sums sums = {
		0, 0, bus->cycle_bytes[operation], bus->cycle_transfers[operation]};
	for (unsigned enables = 0; enables < 256; enables++) {
		const uint64_t count = bus->cycles[operation][enables];
		sums.cycles += count;
		if (TRANSFERS >> operation & 1)
			sums.requested += count * requested_bytes(enables);
	}
	return sums;
}

static struct cycle_sums
sums_of_request(const struct bus *bus, unsigned type)
{
	const uint64_t bytes = bus->request_bytes[type];
	return (struct cycle_sums){
		bus->requests[type], bytes, bytes, bus->request_transfers[type]};
}

static void
add_sums(struct cycle_sums *total, const struct cycle_sums *sums)
{
	total->cycles += sums->cycles;
	total->requested += sums->requested;
	total->transferred += sums->transferred;
	total->transfers += sums->transfers;
}

static struct cycle_sums
sums_of_requests(const struct bus *bus)
{
	struct cycle_sums all = {0};
	for (unsigned i = 0; i < 256; i++) {
		const struct cycle_sums sums = sums_of_request(bus, i);
		add_sums(&all, &sums);
	}
	return all;
}

static struct cycle_sums
sums_of_all(const struct bus *bus)
{
	struct cycle_sums all = sums_of_requests(bus);
	for (unsigned i = 0; i < 16; i++) {
		const struct cycle_sums sums = sums_of_operation(bus, i);
		add_sums(&all, &sums);
	}
	return all;
}

static void
report_cycle(struct poly_report *report, const char *name, const struct cycle_sums *sums,
	uint64_t all)
{
	if (!sums->cycles)
		return;
	poly_report_cell_text(report, name);
	poly_report_cell_count(report, sums->cycles);
	poly_report_cell_ratio(report, (double)sums->cycles, (double)all, 2);
	poly_report_cell_count(report, sums->requested);
	poly_report_cell_count(report, sums->transferred);
	poly_report_cell_count(report, 8 * sums->transfers);
}

static void
report_cycles(const struct bus *bus, uint64_t all, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "cycles_by_operation",
		"operation:text cycles share requested_bytes transferred_bytes "
		"bus_capacity_bytes");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "operation";
	plot.y[0] = "cycles";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < 16; i++) {
		const struct cycle_sums sums = sums_of_operation(bus, i);
		report_cycle(report, operations[i], &sums, all);
	}
	struct cycle_sums unknown = sums_of_requests(bus);
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
		const struct cycle_sums sums = sums_of_request(bus, requests[i].type);
		report_cycle(report, requests[i].name, &sums, all);
		unknown.cycles -= sums.cycles;
		unknown.requested -= sums.requested;
		unknown.transferred -= sums.transferred;
		unknown.transfers -= sums.transfers;
	}
	report_cycle(report, "unknown", &unknown, all);
	poly_report_end(report);
}

/* Reports data cycles by the number of requested bytes. */
static void
report_sizes(const struct bus *bus, struct poly_report *report)
{
	uint64_t sizes[9] = {0}, gaps = 0, total = 0;
	for (unsigned i = 0; i < 16; i++) {
		for (unsigned enables = 0; enables < 256 && TRANSFERS >> i & 1; enables++) {
			sizes[requested_bytes(enables)] += bus->cycles[i][enables];
			if (requested_bytes(enables) != span(enables))
				gaps += bus->cycles[i][enables];
		}
	}
	for (unsigned i = 0; i < 9; i++)
		total += sizes[i];
	if (!total)
		return;
	poly_report_count(report, "cycles_with_gaps", gaps);
	table_open(report, "request_sizes", "size cycles share");
	for (unsigned i = 0; i < 9; i++) {
		if (!sizes[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, sizes[i]);
		poly_report_cell_ratio(report, (double)sizes[i], (double)total, 2);
	}
	poly_report_end(report);
}

static uint64_t
count_operation(const struct bus *bus, unsigned operation)
{
	return sums_of_operation(bus, operation).cycles;
}

static void
report_cacheability(const struct bus *bus, struct poly_report *report)
{
	static const char *const ways[] = {"fetch", "read", "write"};
	static const char *const types[] = {
		"uncacheable", "write_through", "write_protected", "write_back"};
	const uint64_t counts[3][2] = {{count_operation(bus, 8), count_operation(bus, 9)},
		{count_operation(bus, 12), count_operation(bus, 13)},
		{count_operation(bus, 14), count_operation(bus, 15)}};
	table_open(report, "cacheability", "access:text cacheable noncacheable");
	for (size_t i = 0; i < 3; i++) {
		if (!counts[i][0] && !counts[i][1])
			continue;
		poly_report_cell_text(report, ways[i]);
		poly_report_cell_count(report, counts[i][0]);
		poly_report_cell_count(report, counts[i][1]);
	}
	poly_report_end(report);
	table_open(report, "memory_types", "memory_type:text requests");
	for (size_t i = 0; i < 4; i++) {
		if (!bus->attributes[i])
			continue;
		poly_report_cell_text(report, types[i]);
		poly_report_cell_count(report, bus->attributes[i]);
	}
	poly_report_end(report);
}

static void
report_sequential_transfers(const struct bus *bus, struct poly_report *report)
{
	static const char *const ways[] = {"fetch", "read", "write"};
	table_open(report, "sequential_transfers",
		"access:text transfers sequential sequential_ratio sequential_runs "
		"run_length_mean run_length_max");
	for (size_t i = 0; i < BUS_WAYS; i++) {
		const struct bus_run *run = &bus->runs[i];
		const uint64_t runs = run->transfers - run->sequential;
		if (!run->transfers)
			continue;
		poly_report_cell_text(report, ways[i]);
		poly_report_cell_count(report, run->transfers);
		poly_report_cell_count(report, run->sequential);
		poly_report_cell_ratio(
			report, (double)run->sequential, (double)run->transfers, 2);
		poly_report_cell_count(report, runs);
		poly_report_cell_real(report, (double)run->transfers / (double)runs, 2);
		poly_report_cell_count(report, run->max);
	}
	poly_report_end(report);
}

static uint64_t
region_count(const struct bus *bus, size_t i)
{
	return bus->regions[i][BUS_FETCHES] + bus->regions[i][BUS_READS] +
	       bus->regions[i][BUS_WRITES];
}

static uint64_t
port_count(const struct bus *bus, size_t i)
{
	return bus->ports[i].reads + bus->ports[i].writes;
}

/*
 * Returns the next of n items by falling count, then by index; after: the previous item, n for
 * none. Returns n after the last one.
 */
static size_t
next_by_count(const struct bus *bus, uint64_t (*count)(const struct bus *, size_t), size_t n,
	size_t after)
{
	const uint64_t limit = after < n ? count(bus, after) : UINT64_MAX;
	size_t best = n;
	uint64_t best_count = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t found = count(bus, i);
		const bool follows = found < limit || (found == limit && i > after);
		if (follows && found > best_count) {
			best = i;
			best_count = found;
		}
	}
	return best;
}

static void
report_regions(const struct bus *bus, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t pages = 0, regions = 0;
	for (size_t i = 0; i < BUS_PAGES / 64; i++)
		pages += (uint64_t)__builtin_popcountll(bus->pages[i]);
	for (size_t i = 0; i < BUS_REGIONS; i++)
		regions += region_count(bus, i) != 0;
	poly_report_count(report, "unique_pages", pages);
	poly_report_count(report, "unique_regions", regions);
	if (bus->above_4gib)
		poly_report_count(report, "accesses_above_4_gib", bus->above_4gib);
	table_open(report, "busiest_regions", "address:text fetches reads writes");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "address";
	plot.y[0] = "fetches";
	plot.y[1] = "reads";
	plot.y[2] = "writes";
	plot.y_title = "Accesses";
	poly_report_plot(report, &plot);
	size_t region = BUS_REGIONS;
	for (uint64_t i = 0; i < bus->top; i++) {
		region = next_by_count(bus, region_count, BUS_REGIONS, region);
		if (region == BUS_REGIONS)
			break;
		poly_report_cell_address(report, (uint64_t)region << BUS_REGION_SHIFT, 8);
		for (size_t way = 0; way < BUS_WAYS; way++)
			poly_report_cell_count(report, bus->regions[region][way]);
	}
	poly_report_end(report);
}

static void
report_ports(const struct bus *bus, struct poly_report *report)
{
	uint64_t count = 0;
	for (size_t i = 0; i < BUS_PORTS && bus->has_ports; i++)
		count += port_count(bus, i) != 0;
	poly_report_count(report, "unique_ports", count);
	if (bus->untracked_ports)
		poly_report_count(report, "untracked_port_accesses", bus->untracked_ports);
	table_open(report, "busiest_ports", "port:text reads writes bytes device:text");
	size_t port = BUS_PORTS;
	for (uint64_t i = 0; i < bus->top && i < count; i++) {
		port = next_by_count(bus, port_count, BUS_PORTS, port);
		poly_report_cell_address(report, port, 4);
		poly_report_cell_count(report, bus->ports[port].reads);
		poly_report_cell_count(report, bus->ports[port].writes);
		poly_report_cell_count(report, bus->ports[port].bytes);
		poly_report_cell_text(report, port_name(port));
	}
	poly_report_end(report);
}

static void
report_events(const struct bus *bus, struct poly_report *report)
{
	const uint64_t acks = bus->events[POLY_EVENT_INTERRUPT_ACKNOWLEDGE];
	/* In six-byte records only the second cycle of a pair represents an interrupt. */
	const bool paired = count_operation(bus, 1) != 0;
	poly_report_count(report, "interrupts", bus->vectors + bus->requests[0x21]);
	poly_report_count(report, "interrupt_acknowledge_cycles", acks);
	if (paired)
		poly_report_count(report, "unpaired_acknowledge_cycles", acks - 2 * bus->pairs);
	table_open(report, "special_cycles", "event:text cycles");
	for (unsigned i = POLY_EVENT_INTERRUPT_ACKNOWLEDGE + 1; i < POLY_EVENT_COUNT; i++) {
		if (!bus->events[i])
			continue;
		poly_report_cell_text(report, poly_enum_name(POLY_FORM_EVENT, i));
		poly_report_cell_count(report, bus->events[i]);
	}
	if (bus->reserved) {
		poly_report_cell_text(report, "reserved");
		poly_report_cell_count(report, bus->reserved);
	}
	poly_report_end(report);
}

static void
report_agents(const struct bus *bus, struct poly_report *report)
{
	table_open(report, "requests_by_agent", "agent requests");
	for (size_t i = 0; i < 256; i++) {
		if (!bus->agents[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, bus->agents[i]);
	}
	poly_report_end(report);
}

void
bus_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct bus *bus = state;
	const struct cycle_sums all = sums_of_all(bus);
	(void)ops;
	poly_report_count(report, "bus_cycles", all.cycles);
	poly_report_count(report, "requested_bytes", all.requested);
	poly_report_count(report, "transferred_bytes", all.transferred);
	poly_report_count(report, "bus_capacity_bytes", 8 * all.transfers);
	poly_report_ratio(report, "bus_utilization", (double)all.transferred,
		(double)(8 * all.transfers), 2);
	report_cycles(bus, all.cycles, report);
	report_sizes(bus, report);
	report_cacheability(bus, report);
	report_sequential_transfers(bus, report);
	report_regions(bus, report);
	report_ports(bus, report);
	report_events(bus, report);
	report_agents(bus, report);
}
