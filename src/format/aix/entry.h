/* SPDX-License-Identifier: MIT */
/*
 * Entries of AIX traces as bytes, and the offsets of their parts.
 *
 *     entry32 = hookword(4) , { word(4) } | word(4) buffer , pad to 4 , [ tid(4) ] , [ time(4)
 * ] ; entry64 = hookword(8) , data | word buffer , pad to 8 , tid(8) , [ cpu(8) ] , [ time(8) ]
 * , { register(8) } ;
 *
 * spec: trcfmt File Format, Trace Entries and Data Pointer. The position of the cpu id is
 * assumed.
 */
#ifndef FORMAT_AIX_ENTRY_H
#define FORMAT_AIX_ENTRY_H

#include "aix/event.h"

/* Maximum bytes of generic data (trcfmt File Format, Trace Entries). */
#define AIX_GENERIC_MAX 4096

/* Evidence, in bits, that is sufficient to accept bytes as entries. */
#define AIX_CHAIN_ENOUGH 12

/* Form that all entries of a trace share. */
struct aix_form {
	bool wide;	     /* hook words of 64 bits */
	bool has_tid;	     /* entries with 32-bit hook words end in a thread id */
	bool length_is_data; /* the length of a 64-bit generic entry counts its data word */
};

enum aix_parse {
	AIX_COMPLETE, /* all bytes of the entry are available */
	AIX_SHORT,    /* fewer than length bytes, or than a hook word, are available */
	AIX_BAD,      /* not an entry */
};

/* Offsets of an entry's parts from its first byte; 0: the part is absent. */
struct aix_entry {
	uint16_t hook; /* in the form of four digits */
	uint16_t subhook, type;
	size_t length; /* of all */
	size_t data, size;
	size_t tid, cpu, time, registers;
	unsigned register_count;
};

/* Returns the data words of a 32-bit hook type, 0 for generic data; -1: not a type. */
int aix_type_words(unsigned type);

/* Finds the parts of the entry at p; n bytes are available. */
enum aix_parse aix_entry_parse(
	const struct aix_form *form, const uint8_t *p, size_t n, struct aix_entry *entry);

/* True if the bytes between the data and the thread id are 0. */
bool aix_entry_is_padded_with_zeros(const struct aix_entry *entry, const uint8_t *p);

/* Loads a number of an entry: 4 bytes, or 8 if its hook word has 64 bits. */
uint64_t aix_entry_number(const struct aix_form *form, const uint8_t *p, size_t at);

/*
 * Returns the evidence, in bits, for consecutive entries at p, up to the first improbable
 * entry, the end of the n bytes, or sufficient evidence. at_end: nothing follows the n bytes,
 * so that an entry which ends there counts as evidence.
 */
int aix_chain_bits(const struct aix_form *form, const uint8_t *p, size_t n, bool at_end);

/* Returns the bytes of consecutive entries at p, up to the first improbable or incomplete one.
 */
size_t aix_chain_size(const struct aix_form *form, const uint8_t *p, size_t n);

#endif
