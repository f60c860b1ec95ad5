/* SPDX-License-Identifier: MIT */
/*
 * Logs of AIX traces: the header, the directory, and which bytes are blocks.
 *
 *     log = header , nentries * { offset size } , blocks ;
 *
 * spec: AIX <sys/trchdr.h>.
 */
#ifndef FORMAT_AIX_LOG_H
#define FORMAT_AIX_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AIX_MAGIC_OLD 0xefdf1111u    /* 32-bit, before AIX 4.1: no thread ids */
#define AIX_MAGIC_32 0xefdf1112u     /* 32-bit */
#define AIX_MAGIC_64 0xefdf1113u     /* 64-bit */
#define AIX_MAGIC_STREAM 0xefdf1114u /* 64-bit: events follow at once */

/* A bit of mode. */
#define AIX_MODE_CPU_FILE 8u

/* Bytes of the longest directory that is read. */
#define AIX_DIRECTORY_MAX ((size_t)1 << 20)

/* Index of the block of initial conditions, which has no directory entry. */
#define AIX_INITIAL UINT32_MAX

struct aix_header {
	uint32_t magic, entries, current, mode, wraps;
	uint64_t initial, initial_size; /* offset and bytes of the initial conditions */
	size_t size;			/* bytes of the header */
	size_t entry;			/* bytes of a directory entry */
};

struct aix_block {
	uint64_t offset, size;
	uint64_t avail,
		place;	/* available bytes of a stashed block, and their offset in the spool */
	uint32_t index; /* in the directory */
	bool stashed;	/* it was stashed */
};

/* The blocks of a log that are read; they do not overlap. */
struct aix_blocks {
	struct aix_block *list; /* by offset */
	uint32_t *order;	/* indexes into list, in reading order */
	size_t count;
	size_t overlaps;  /* blocks that were skipped because they overlap others */
	uint64_t overlap; /* offset of the first of them */
};

/* Returns the bytes of the header that begins with a magic; 0: not the magic of a log. */
size_t aix_header_size(uint32_t magic);

/* Parses the header at p, all of whose bytes are available. */
void aix_header_load(struct aix_header *header, const uint8_t *p);

/* Returns the bytes of the header and the directory. */
uint64_t aix_front_size(const struct aix_header *header);

/* Writes a header of its size at p; fd and fp are 0. */
void aix_header_store(const struct aix_header *header, uint8_t *p);

/* Writes a directory entry. */
void aix_entry_store(
	const struct aix_header *header, uint8_t *p, uint64_t offset, uint64_t size);

/*
 * Finds the blocks by the first `entries` entries of the directory at p. False: out of memory.
 * The caller frees them with aix_blocks_fini in both cases.
 */
bool aix_blocks_find(const struct aix_header *header, const uint8_t *p, uint32_t entries,
	struct aix_blocks *blocks);

/* Frees the memory. */
void aix_blocks_fini(struct aix_blocks *blocks);

#endif
