/* SPDX-License-Identifier: MIT */
/*
 * An event of an AIX trace, from a row of the format aix: its hook word and its data.
 *
 * spec: trcfmt File Format, Trace Entries and Data Pointer.
 */
#ifndef AIX_EVENT_H
#define AIX_EVENT_H

#include "polytrace/batch.h"

/* Values of the column record in traces of the format aix. */
enum aix_record {
	AIX_HOOK32,  /* an event with a 32-bit hook word */
	AIX_HOOK64,  /* an event with a 64-bit hook word */
	AIX_HEADER,  /* a log's header and directory */
	AIX_BLOCK,   /* beginning of a data block of a log */
	AIX_GAP,     /* bytes of a log that no block holds */
	AIX_CORRUPT, /* bytes that are not an event */
	AIX_RECORD_COUNT,
};

/* Bits of a 32-bit hook type (trcfmt File Format, Trace Entries). */
#define AIX_TYPE_STAMPED 0x8u /* the entry has a timestamp */
#define AIX_TYPE_WORDS 0x7u   /* 0: generic, 1, 2, 6: with no, one, five data words */

/* Flags of a 64-bit hook word (trcfmt File Format, Trace Entries). */
#define AIX_FLAG_STAMPED 0x8000u   /* the entry has a timestamp */
#define AIX_FLAG_GENERIC 0x4000u   /* a data word and a buffer */
#define AIX_FLAG_WORDS32 0x2000u   /* data words of 4 bytes */
#define AIX_FLAG_CPU 0x1000u	   /* a cpu id is present */
#define AIX_FLAG_REGISTERS 0x0800u /* registers after the timestamp */
#define AIX_FLAG_COUNT 0x0007u	   /* number of registers, minus 1 */

struct aix_event {
	bool wide;	     /* its hook word has 64 bits */
	bool generic;	     /* its data are a data word and a buffer */
	bool length_is_data; /* the length in its 64-bit hook word counts the data word, too */
	bool has_time, has_thread, has_cpu;
	uint16_t hook;	  /* in the form of four digits: 0x1340 for hook 134 */
	uint16_t subhook; /* hook data, or sub-hook of a 64-bit hook word */
	uint16_t type;	  /* hook type, or flags of a 64-bit hook word */
	unsigned word;	  /* bytes of a data word: 4 or 8 */
	uint64_t time;	  /* ticks */
	uint64_t thread;  /* thread id */
	uint32_t cpu;
	const uint8_t *data;	  /* data words; D1 and the buffer if generic */
	size_t size;		  /* bytes of the data */
	const uint8_t *registers; /* of 8 bytes each, big-endian */
	size_t register_count;
	uint64_t offset; /* of its hook word in the trace */
};

/*
 * Loads the event of a row; false if the row is not an event. Without the columns record and
 * hook_type, as in JSON Lines of other programs, it assumes the smallest hook word that can
 * hold the event. Pointers refer to the row's batch. Reads the columns record, hook, subhook,
 * hook_type, payload, counters, time, thread, cpu and origin.
 */
bool aix_event_of_row(const struct poly_batch *batch, size_t row, struct aix_event *event);

/* Writes the hook word, big-endian; returns its bytes: 4 or 8. */
unsigned aix_event_hook_word(const struct aix_event *event, uint8_t word[8]);

/* Returns data word i, from 1, as unsigned; 0 if the event does not have it. */
uint64_t aix_event_word(const struct aix_event *event, unsigned i);

/*
 * Returns the number that distinguishes the records of a hook (00A): the sub-hook of a 64-bit
 * hook word, the hook data of a 32-bit one, or the low half of D1 if the hook data are a length
 * (assumed).
 */
uint16_t aix_event_sub(const struct aix_event *event);

#endif
