/* SPDX-License-Identifier: MIT */
/* spec: seed 003 (Trace Entries); reference aix 4.8. */
#include "format/aix/entry.h"

#include "base/bits.h"

/* Ticks by which a 32-bit timer may go back: more means that it wrapped. */
#define TIME_BACK_MOST ((uint32_t)1 << 28)

/* What an entry's end at the end of the input speaks for. */
#define END_BITS 8

/* Data words of the 32-bit hook types; those that are no type have none. */
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
	return AIX_WHOLE;
}

/* An id whose first digit is 0 ends in 0 (seed 003, HookID). */
static bool
is_hook(uint16_t hook)
{
	return hook >> 12 != 0 || (hook & 15) == 0;
}

/* The part of 8 bytes that a flag says is there. */
static size_t
take_part(struct aix_entry *entry, bool there)
{
	size_t at = there ? entry->length : 0;
	entry->length += there ? 8 : 0;
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
	entry->tid = take_part(entry, true);
	entry->cpu = take_part(entry, entry->type & AIX_FLAG_CPU);
	entry->time = take_part(entry, entry->type & AIX_FLAG_STAMPED);
	if (entry->type & AIX_FLAG_REGISTERS) {
		entry->register_count = (entry->type & AIX_FLAG_COUNT) + 1u;
		entry->registers = entry->length;
		entry->length += 8 * (size_t)entry->register_count;
	}
	return AIX_WHOLE;
}

enum aix_parse
aix_entry_parse(
	const struct aix_form *form, const uint8_t *p, size_t n, struct aix_entry *entry)
{
	entry->length = form->wide ? 8 : 4;
	if (n < entry->length)
		return AIX_SHORT;
	enum aix_parse found = form->wide ? parse64(form, p, entry) : parse32(form, p, entry);
	return found == AIX_WHOLE && n < entry->length ? AIX_SHORT : found;
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

/* Bits that an entry speaks for itself; below 0: it is not likely one. */
static int
entry_bits(const struct aix_form *form, const struct aix_entry *entry)
{
	const unsigned unknown = 0x07ffu & ~(entry->type & AIX_FLAG_REGISTERS ? 7u : 0u);
	bool generic = form->wide ? (entry->type & AIX_FLAG_GENERIC) != 0
				  : (entry->type & AIX_TYPE_WORDS) == 0;
	if (entry->hook == 0 || (generic && entry->size > AIX_GENERIC_MOST + 8))
		return -1;
	if (!form->wide)
		return 1;
	if (entry->type & unknown || entry->size > AIX_GENERIC_MOST + 8)
		return -1;
	return generic || entry->size % 4 == 0 ? 3 : 2;
}

/* What the time of an entry behind another one speaks; below 0: it does not follow. */
static int
time_bits(const struct aix_form *form, uint64_t last, uint64_t now)
{
	uint64_t delta = form->wide ? now - last : (uint32_t)(now - last);
	/* Times that grow by little share their upper bits. */
	if (delta < TIME_BACK_MOST)
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
		if (aix_entry_parse(form, p, n, &entry) != AIX_WHOLE)
			return bits;
		int more = entry_bits(form, &entry), by_time = 0;
		if (entry.time) {
			uint64_t now = aix_entry_number(form, p, entry.time);
			by_time = timed ? time_bits(form, last, now) : 0;
			last = now;
			timed = true;
		}
		if (more < 0 || by_time < 0)
			return bits;
		bits += more + by_time;
		p += entry.length;
		n -= entry.length;
	}
	return n == 0 && at_end && bits ? bits + END_BITS : bits;
}

uint64_t
aix_time_unwrap(uint64_t last, uint32_t now)
{
	uint32_t back = (uint32_t)last - now;
	if (back && back < TIME_BACK_MOST && last >= back)
		return last - back;
	return last + (uint32_t)(now - (uint32_t)last);
}
