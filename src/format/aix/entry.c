/* SPDX-License-Identifier: MIT */
/* spec: trcfmt File Format, Trace Entries and Data Pointer. */
#include "format/aix/entry.h"

#include "aix/clock.h"
#include "base/bits.h"

/* Evidence of an entry that ends at the end of the input, in bits. */
#define END_BITS 8

/* Data words of the 32-bit hook types; -1: not a type. */
static const int8_t type_words[8] = {0, 0, 1, -1, -1, -1, 5, -1};

int
aix_type_words(unsigned type)
{
	return type > 15 ? -1 : type_words[type & AIX_TYPE_WORDS];
}

static size_t
round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static enum aix_parse
parse32(const struct aix_form *form, const uint8_t *p, struct aix_entry *entry)
{
	uint32_t word = load_be32(p);
	*entry = (struct aix_entry){.hook = (uint16_t)(word >> 16 & 0xfff0),
		.subhook = (uint16_t)word,
		.type = (uint16_t)(word >> 16 & 15),
		.data = 4};
	int words = aix_type_words(entry->type);
	if (words < 0)
		return AIX_BAD;
	entry->size = (entry->type & AIX_TYPE_WORDS) == 0 ? 4 + (size_t)entry->subhook
							  : 4 * (size_t)words;
	entry->length = round_up(4 + entry->size, 4);
	if (form->has_tid) {
		entry->tid = entry->length;
		entry->length += 4;
	}
	if (entry->type & AIX_TYPE_STAMPED) {
		entry->time = entry->length;
		entry->length += 4;
	}
	return AIX_COMPLETE;
}

/* An id whose first digit is 0 ends in 0 (trcfmt File Format, HookID). */
static bool
is_hook(uint16_t hook)
{
	return hook >> 12 != 0 || (hook & 15) == 0;
}

/* Adds a part of 8 bytes if it is present; returns its offset, or 0. */
static size_t
add_part(struct aix_entry *entry, bool present)
{
	size_t at = present ? entry->length : 0;
	entry->length += present ? 8 : 0;
	return at;
}

static enum aix_parse
parse64(const struct aix_form *form, const uint8_t *p, struct aix_entry *entry)
{
	uint32_t low = load_be32(p), high = load_be32(p + 4);
	*entry = (struct aix_entry){.hook = (uint16_t)(high >> 16),
		.subhook = (uint16_t)high,
		.type = (uint16_t)(low >> 16),
		.data = 8,
		.size = low & 0xffff};
	if (!is_hook(entry->hook))
		return AIX_BAD;
	if (entry->type & AIX_FLAG_GENERIC && !form->length_is_data)
		entry->size += entry->type & AIX_FLAG_WORDS32 ? 4 : 8;
	entry->length = round_up(8 + entry->size, 8);
	entry->tid = add_part(entry, true);
	entry->cpu = add_part(entry, entry->type & AIX_FLAG_CPU);
	entry->time = add_part(entry, entry->type & AIX_FLAG_STAMPED);
	if (entry->type & AIX_FLAG_REGISTERS) {
		entry->register_count = (entry->type & AIX_FLAG_COUNT) + 1u;
		entry->registers = entry->length;
		entry->length += 8 * (size_t)entry->register_count;
	}
	return AIX_COMPLETE;
}

enum aix_parse
aix_entry_parse(
	const struct aix_form *form, const uint8_t *p, size_t n, struct aix_entry *entry)
{
	entry->length = form->wide ? 8 : 4;
	if (n < entry->length)
		return AIX_SHORT;
	enum aix_parse parse = form->wide ? parse64(form, p, entry) : parse32(form, p, entry);
	return parse == AIX_COMPLETE && n < entry->length ? AIX_SHORT : parse;
}

bool
aix_entry_is_padded_with_zeros(const struct aix_entry *entry, const uint8_t *p)
{
	size_t end = entry->tid ? entry->tid : entry->time ? entry->time : entry->length;
	size_t at = entry->data + entry->size;
	while (at < end && p[at] == 0)
		at++;
	return at == end;
}

uint64_t
aix_entry_number(const struct aix_form *form, const uint8_t *p, size_t at)
{
	return form->wide ? load_be64(p + at) : load_be32(p + at);
}

/* Evidence of one entry, in bits; below 0: probably not an entry. */
static int
entry_bits(const struct aix_form *form, const struct aix_entry *entry)
{
	const unsigned unknown = 0x07ffu & ~(entry->type & AIX_FLAG_REGISTERS ? 7u : 0u);
	bool generic = form->wide ? (entry->type & AIX_FLAG_GENERIC) != 0
				  : (entry->type & AIX_TYPE_WORDS) == 0;
	if (entry->hook == 0 || (generic && entry->size > AIX_GENERIC_MAX + 8))
		return -1;
	if (!form->wide)
		return 1;
	if (entry->type & unknown || entry->size > AIX_GENERIC_MAX + 8)
		return -1;
	return generic || entry->size % 4 == 0 ? 3 : 2;
}

/*
 * Evidence of an entry's time after that of the previous one, in bits; below 0: the times do
 * not follow each other.
 */
static int
time_bits(const struct aix_form *form, uint64_t last, uint64_t now)
{
	uint64_t delta = form->wide ? now - last : (uint32_t)(now - last);
	/* Times that increase slowly share their upper bits. */
	if (delta < AIX_TIME_BACK_MAX)
		return 4;
	return now < last ? -1 : 0;
}

int
aix_chain_bits(const struct aix_form *form, const uint8_t *p, size_t n, bool at_end)
{
	struct aix_entry entry;
	uint64_t last = 0;
	bool timed = false;
	int bits = 0;
	while (n && bits < 2 * AIX_CHAIN_ENOUGH) {
		if (aix_entry_parse(form, p, n, &entry) != AIX_COMPLETE)
			return bits;
		int by_entry = entry_bits(form, &entry), by_time = 0;
		if (entry.time) {
			uint64_t now = aix_entry_number(form, p, entry.time);
			by_time = timed ? time_bits(form, last, now) : 0;
			last = now;
			timed = true;
		}
		if (by_entry < 0 || by_time < 0)
			return bits;
		bits += by_entry + by_time;
		p += entry.length;
		n -= entry.length;
	}
	return n == 0 && at_end && bits ? bits + END_BITS : bits;
}

size_t
aix_chain_size(const struct aix_form *form, const uint8_t *p, size_t n)
{
	struct aix_entry entry;
	size_t done = 0;
	while (aix_entry_parse(form, p + done, n - done, &entry) == AIX_COMPLETE &&
		entry_bits(form, &entry) >= 0 &&
		aix_entry_is_padded_with_zeros(&entry, p + done))
		done += entry.length;
	return done;
}
