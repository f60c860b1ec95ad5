/* SPDX-License-Identifier: MIT */
/*
 * Layouts of ChampSim's records, kinds of branches, and detection.
 *
 * spec: polytrace-champsim(5)
 */
#include "format/champsim/champsim.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

/* Records that are examined to detect the layout. */
#define SAMPLE_RECORDS 1000

/* Records of a trace whose ips mostly follow each other. */
#define SEQUENCE_MIN 8

/* Distance of successive instructions in bytes. */
#define LENGTH_MAX 15

const char *const champsim_kind_names[CHAMPSIM_KINDS] = {
	[CHAMPSIM_INSTRUCTION] = "instruction",
	[CHAMPSIM_DIRECT_JUMP] = "direct_jump",
	[CHAMPSIM_INDIRECT_JUMP] = "indirect_jump",
	[CHAMPSIM_CONDITIONAL] = "conditional_jump",
	[CHAMPSIM_DIRECT_CALL] = "direct_call",
	[CHAMPSIM_INDIRECT_CALL] = "indirect_call",
	[CHAMPSIM_RETURN] = "return",
	[CHAMPSIM_OTHER] = "other_branch",
	[CHAMPSIM_LOAD] = "load",
	[CHAMPSIM_STORE] = "store",
	[CHAMPSIM_CORRUPT] = "corrupt",
};

const char *const champsim_layouts[] = {
	[CHAMPSIM_64] = "64",
	[CHAMPSIM_72] = "72",
	[CHAMPSIM_LOAD_TYPE] = "load-type",
	[CHAMPSIM_CLOUDSUITE] = "cloudsuite",
	[CHAMPSIM_READ] = "auto",
	NULL,
};

/* A layout: offsets in bytes, and numbers of operands. */
struct layout {
	uint8_t size, is_branch, is_taken;
	uint8_t dests_at, dests, sources_at, sources;
	uint8_t stores_at, stores, loads_at, loads;
	uint8_t flags_at, flags;	   /* bytes that are 0 or 1 */
	uint8_t zeros_at, zeros;	   /* padding */
	uint8_t more_zeros_at, more_zeros; /* likewise */
};

/* clang-format off */
static const struct layout layouts[CHAMPSIM_LAYOUTS] = {
	[CHAMPSIM_64] = {.size = 64, .is_branch = 8, .is_taken = 9, .dests_at = 10, .dests = 2, .sources_at = 12, .sources = 4,
		.stores_at = 16, .stores = 2, .loads_at = 32, .loads = 4, .flags_at = 8, .flags = 2},
	/* Bytes 10 to 12: is_load, is_store, is_alu. */
	[CHAMPSIM_72] = {.size = 72, .is_branch = 9, .is_taken = 8, .dests_at = 13, .dests = 2, .sources_at = 15, .sources = 4,
		.stores_at = 24, .stores = 2, .loads_at = 40, .loads = 4, .flags_at = 8, .flags = 5, .zeros_at = 19, .zeros = 5},
	/* Bytes 64 to 67: the type of the load; compilers pad it to 8 bytes. */
	[CHAMPSIM_LOAD_TYPE] = {.size = 72, .is_branch = 8, .is_taken = 9, .dests_at = 10, .dests = 2, .sources_at = 12, .sources = 4,
		.stores_at = 16, .stores = 2, .loads_at = 32, .loads = 4, .flags_at = 8, .flags = 2, .zeros_at = 65, .zeros = 7},
	/* Bytes 88 and 89: the address space. */
	[CHAMPSIM_CLOUDSUITE] = {.size = 96, .is_branch = 8, .is_taken = 9, .dests_at = 10, .dests = 4, .sources_at = 14, .sources = 4,
		.stores_at = 24, .stores = 4, .loads_at = 56, .loads = 4, .flags_at = 8, .flags = 2, .zeros_at = 18, .zeros = 6,
		.more_zeros_at = 90, .more_zeros = 6},
	/* Bytes 10 to 95: operands of graphs. */
	[CHAMPSIM_152] = {.size = 152, .is_branch = 8, .is_taken = 9, .dests_at = 96, .dests = 2, .sources_at = 98, .sources = 4,
		.stores_at = 104, .stores = 2, .loads_at = 120, .loads = 4, .flags_at = 8, .flags = 2, .zeros_at = 102, .zeros = 2},
};
/* clang-format on */

size_t
champsim_size(enum champsim_layout layout)
{
	return layouts[layout].size;
}

/* Returns where the bytes that follow the memory operands begin. */
static size_t
tail_at(const struct layout *layout)
{
	return layout->loads_at + 8u * layout->loads;
}

size_t
champsim_payload_size(enum champsim_layout number)
{
	const struct layout *layout = &layouts[number];
	return layout->stores_at - 8u + layout->size - tail_at(layout);
}

void
champsim_get_payload(const uint8_t *p, enum champsim_layout number, uint8_t *payload)
{
	const struct layout *layout = &layouts[number];
	const size_t middle = layout->stores_at - 8u;
	memcpy(payload, p + 8, middle);
	memcpy(payload + middle, p + tail_at(layout), layout->size - tail_at(layout));
}

void
champsim_put_payload(uint8_t *p, enum champsim_layout number, const uint8_t *payload)
{
	const struct layout *layout = &layouts[number];
	const size_t middle = layout->stores_at - 8u;
	memcpy(p + 8, payload, middle);
	memcpy(p + tail_at(layout), payload + middle, layout->size - tail_at(layout));
}

/* Returns whether n bytes are 0. */
static bool
is_zero(const uint8_t *p, size_t n)
{
	uint8_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= p[i];
	return !all;
}

struct champsim_record
champsim_load(const uint8_t *p, enum champsim_layout number)
{
	const struct layout *layout = &layouts[number];
	struct champsim_record record = {.ip = load_le64(p),
		.is_branch = p[layout->is_branch],
		.is_taken = p[layout->is_taken],
		.is_padded = is_zero(p + layout->zeros_at, layout->zeros) &&
			     is_zero(p + layout->more_zeros_at, layout->more_zeros)};
	if (number == CHAMPSIM_CLOUDSUITE)
		record.process = (uint16_t)(p[88] | p[89] << 8);
	memcpy(record.dests, p + layout->dests_at, layout->dests);
	memcpy(record.sources, p + layout->sources_at, layout->sources);
	for (size_t i = 0; i < layout->stores; i++)
		record.stores[i] = load_le64(p + layout->stores_at + 8 * i);
	for (size_t i = 0; i < layout->loads; i++)
		record.loads[i] = load_le64(p + layout->loads_at + 8 * i);
	return record;
}

void
champsim_store(uint8_t *p, enum champsim_layout number, const struct champsim_record *record)
{
	const struct layout *layout = &layouts[number];
	store_le64(p, record->ip);
	p[layout->is_branch] = record->is_branch;
	p[layout->is_taken] = record->is_taken;
	memcpy(p + layout->dests_at, record->dests, layout->dests);
	memcpy(p + layout->sources_at, record->sources, layout->sources);
	for (size_t i = 0; i < layout->stores; i++)
		store_le64(p + layout->stores_at + 8 * i, record->stores[i]);
	for (size_t i = 0; i < layout->loads; i++)
		store_le64(p + layout->loads_at + 8 * i, record->loads[i]);
}

unsigned
champsim_stores(enum champsim_layout layout)
{
	return layouts[layout].stores;
}

unsigned
champsim_loads(enum champsim_layout layout)
{
	return layouts[layout].loads;
}

bool
champsim_has(const uint8_t *set, size_t n, uint8_t reg)
{
	return memchr(set, reg, n) != NULL;
}

/* The rules are those of ChampSim's inc/instruction.h since 2023, in its order. */
enum champsim_kind
champsim_kind_of(const struct champsim_record *record)
{
	const uint8_t *dests = record->dests, *sources = record->sources;
	const size_t n = CHAMPSIM_OPERANDS_MAX;
	const bool writes_sp = champsim_has(dests, n, CHAMPSIM_SP),
		   reads_sp = champsim_has(sources, n, CHAMPSIM_SP),
		   reads_flags = champsim_has(sources, n, CHAMPSIM_FLAGS),
		   reads_ip = champsim_has(sources, n, CHAMPSIM_IP);
	bool reads_other = false;
	for (size_t i = 0; i < n; i++)
		reads_other |= sources[i] && sources[i] != CHAMPSIM_SP &&
			       sources[i] != CHAMPSIM_FLAGS && sources[i] != CHAMPSIM_IP;
	if (!champsim_has(dests, n, CHAMPSIM_IP))
		return CHAMPSIM_INSTRUCTION;
	if (!reads_sp && !reads_flags && !reads_other)
		return CHAMPSIM_DIRECT_JUMP;
	if (!reads_sp && !reads_flags && !reads_ip)
		return CHAMPSIM_INDIRECT_JUMP;
	if (!reads_sp && reads_ip && !writes_sp)
		return CHAMPSIM_CONDITIONAL;
	if (reads_sp && reads_ip && writes_sp && !reads_flags)
		return reads_other ? CHAMPSIM_INDIRECT_CALL : CHAMPSIM_DIRECT_CALL;
	if (reads_sp && !reads_ip && writes_sp)
		return CHAMPSIM_RETURN;
	return CHAMPSIM_OTHER;
}

bool
champsim_always_taken(enum champsim_kind kind)
{
	return kind != CHAMPSIM_INSTRUCTION && kind != CHAMPSIM_CONDITIONAL &&
	       kind != CHAMPSIM_OTHER;
}

unsigned
champsim_holes(const struct champsim_record *record)
{
	unsigned registers = 0, addresses = 0;
	for (size_t i = 1; i < CHAMPSIM_OPERANDS_MAX; i++) {
		registers |= record->dests[i] && !record->dests[i - 1];
		registers |= record->sources[i] && !record->sources[i - 1];
		addresses |= record->stores[i] && !record->stores[i - 1];
		addresses |= record->loads[i] && !record->loads[i - 1];
	}
	return registers * CHAMPSIM_REGISTER_HOLE | addresses * CHAMPSIM_ADDRESS_HOLE;
}

/* Returns whether bytes are a record as tracers write it. */
static bool
is_valid(const uint8_t *p, enum champsim_layout number, struct champsim_record *record)
{
	const struct layout *layout = &layouts[number];
	uint8_t flags = 0;
	*record = champsim_load(p, number);
	for (size_t i = 0; i < layout->flags; i++)
		flags |= p[layout->flags_at + i];
	return record->ip && flags <= 1 && record->is_padded &&
	       (!record->is_taken || record->is_branch ||
		       champsim_has(record->dests, layout->dests, CHAMPSIM_IP)) &&
	       !champsim_holes(record);
}

static void
read_sample(
	struct champsim_sample *sample, const uint8_t *p, size_t n, enum champsim_layout layout)
{
	const size_t size = layouts[layout].size;
	struct champsim_record record;
	uint64_t last = 0;
	*sample = (struct champsim_sample){.layout = layout};
	for (; n >= size && sample->records < SAMPLE_RECORDS; p += size, n -= size) {
		sample->valid += is_valid(p, layout, &record);
		sample->different += !sample->records || memcmp(p, p - size, size) != 0;
		sample->sequential += sample->records && record.ip - last - 1 < LENGTH_MAX;
		sample->branches += record.is_branch == 1;
		sample->jumps += record.is_branch == 1 &&
				 champsim_has(record.dests, CHAMPSIM_OPERANDS_MAX, CHAMPSIM_IP);
		sample->records++;
		last = record.ip;
	}
}

/* Returns whether the records as a whole are a program's. */
static bool
is_program(const struct champsim_sample *sample)
{
	return sample->valid && 100 * sample->valid >= 98 * sample->records &&
	       2 * sample->jumps >= sample->branches &&
	       (sample->records < SEQUENCE_MIN ||
		       2 * sample->sequential >= sample->records - 1);
}

bool
champsim_detect(const uint8_t *p, size_t n, struct champsim_sample *best)
{
	bool found = false;
	read_sample(best, p, n, CHAMPSIM_64);
	for (unsigned i = 0; i < CHAMPSIM_LAYOUTS; i++) {
		struct champsim_sample sample;
		read_sample(&sample, p, n, (enum champsim_layout)i);
		const bool fulfils = is_program(&sample);
		if (found && !fulfils)
			continue;
		/* A few records of one layout may be those of another one, with a rest. */
		const size_t better = sample.valid * best->records,
			     worse = best->valid * sample.records;
		const bool fits = n % layouts[i].size == 0 && n % layouts[best->layout].size;
		if (fulfils > found || better > worse || (found && better == worse && fits))
			*best = sample;
		found |= fulfils;
	}
	return found;
}

bool
champsim_is_text(const uint8_t *p, size_t n)
{
	size_t i = 0;
	while (i < n && p[i] >= '\t' && p[i] <= '~')
		i++;
	return n && i == n;
}

int
champsim_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct champsim_sample sample;
	(void)eof;
	if (!champsim_detect(p, n, &sample)) {
		note->consistent = n < CHAMPSIM_SIZE && !champsim_is_text(p, n);
		return 0;
	}
	note->near = note->consistent = true;
	snprintf(note->text, sizeof note->text,
		"%zu of the first %zu records of %u bytes have flags and operands of "
		"instructions, %zu continue within %d bytes",
		sample.valid, sample.records, layouts[sample.layout].size, sample.sequential,
		LENGTH_MAX);
	return sample.different < 3 ? 0 : 24;
}
