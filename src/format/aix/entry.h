/* SPDX-License-Identifier: MIT */
/*
 * Entries of AIX traces as bytes: where the parts of one stand.
 *
 *     entry32 = hookword(4) , { word(4) } | word(4) buffer , pad to 4 , [ tid(4) ] , [ time(4)
 * ] ; entry64 = hookword(8) , data | word buffer , pad to 8 , tid(8) , [ cpu(8) ] , [ time(8) ]
 * , { register(8) } ;
 *
 * spec: seed 003 (Trace Entries); reference aix 4.8. The place of the cpu id is assumed.
 */
#ifndef FORMAT_AIX_ENTRY_H
#define FORMAT_AIX_ENTRY_H

#include "aix/event.h"

/* Generic data have at most so many bytes (reference aix 2.2). */
#define AIX_GENERIC_MOST 4096

/* Bits that speak for entries from which on they are believed to be some. */
#define AIX_CHAIN_ENOUGH 12

/* What all entries of a trace have in common. */
struct aix_form {
	bool wide;	     /* hook words of 64 bits */
	bool has_tid;	     /* entries with 32-bit hook words end in a thread id */
	bool length_is_data; /* the length of a 64-bit generic entry counts its data word */
};

enum aix_parse {
	AIX_WHOLE, /* the entry is there */
	AIX_SHORT, /* it has length bytes, or its hook word has, and they are not all there */
	AIX_BAD,   /* it is none */
};

/* Where the parts of an entry stand, from its first byte; 0: it has no such part. */
struct aix_entry {
	uint16_t hook; /* in the form of four digits */
	uint16_t subhook, type;
	size_t length; /* of all */
	size_t data, size;
	size_t tid, cpu, time, registers;
	unsigned register_count;
};

/* Data words of a 32-bit hook type, 0 for generic data; -1: it is none. */
int aix_type_words(unsigned type);

/* Finds the parts of the entry at p, of which n bytes are there. */
enum aix_parse aix_entry_parse(
	const struct aix_form *form, const uint8_t *p, size_t n, struct aix_entry *entry);

/* True where the bytes between the data and the thread id are 0. */
bool aix_entry_is_padded_with_zeros(const struct aix_entry *entry, const uint8_t *p);

/* A number of an entry: 4 bytes, or 8 where its hook word has 64 bits. */
uint64_t aix_entry_number(const struct aix_form *form, const uint8_t *p, size_t at);

/*
 * Bits that speak for entries one behind the other at p, up to the first thing that is not
 * likely one, the end of the n bytes, or until more than enough speak. at_end: nothing follows
 * the n bytes, so that an entry which ends there speaks for itself.
 */
int aix_chain_bits(const struct aix_form *form, const uint8_t *p, size_t n, bool at_end);

/*
 * The time of a 32-bit timer that shows now, where it was last: the timer wraps, unless it goes
 * back by less than a sixteenth of its range.
 */
uint64_t aix_time_unwrap(uint64_t last, uint32_t now);

#endif
