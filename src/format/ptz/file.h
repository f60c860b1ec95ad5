/* SPDX-License-Identifier: MIT */
/* Reading and writing packed traces. */
#ifndef FORMAT_PTZ_FILE_H
#define FORMAT_PTZ_FILE_H

#include "format/ptz/prefetch.h"
#include "format/ptz/decode.h"
#include "format/ptz/parallel_encoder.h"
#include "model/slice.h"

/* The fact that names the original format. */
#define PTZ_FORMAT_FACT "ptz.format"

/* Options, in the order of their table. */
enum { PTZ_OPTION_LEVEL, PTZ_OPTION_ROWS };

/* Rules, in the order of their table. */
enum {
	PTZ_RULE_CORRUPT,
	PTZ_RULE_TRUNCATED,
	PTZ_RULE_ORDER,
	PTZ_RULE_CHAIN,
	PTZ_RULE_MISSING,
	PTZ_RULE_REPAIRED
};

/* A segment's entry in an index. */
struct ptz_index_entry {
	uint64_t offset, first, rows;
	unsigned known; /* bit k: the range of the k-th column is known */
	struct ptz_range range[PTZ_RANGES];
};

/* The front of an index. */
struct ptz_index_front {
	uint64_t before; /* offset of the previous index; 0: none */
	uint32_t segments, ranges, other_count;
	const uint8_t *others; /* offset (u64), tag (u32) and 0 (u32) of each */
	uint64_t chain;
};

/* A section of this tag at an offset, which ends before `end`. */
struct ptz_place {
	uint32_t tag;
	uint64_t offset, end;
};

/* All segments of a file. Zeroed is an empty index. */
struct ptz_index {
	struct buf entries; /* struct ptz_index_entry, in file order */
	size_t count;
	uint64_t records; /* in all segments */
	uint64_t end;	  /* offset of the last index, which follows all segments */
	uint32_t number;  /* of the last segment; 0: the segment does not match its entry */
	uint64_t copy;	  /* offset of the last copy of the head section; 0: none */
	size_t checked;	  /* entries that the selection has been applied to */
};

/* The chain of the sections before an offset; offset 0: not known. */
struct ptz_chain_at {
	uint64_t offset, chain;
};

struct ptz_reader {
	struct block_unpacker *unpacker;
	const char **records;
	uint8_t column_map[64]; /* file's column number -> column; 255: unknown */
	unsigned column_count;
	struct unpacked segment;
	struct ptz_prefetch *prefetch; /* NULL: segments are loaded by the reading thread */
	poly_columns prefetch_columns;
	bool prefetch_failed;	      /* threads could not be started */
	struct decoder_result result; /* of the segment, which has no rows; count 0: none */
	const struct batch *batch;    /* that is being filled */
	struct buf bytes;	      /* of a segment that is too large for in_peek */
	uint64_t offset;	      /* of the current section */
	uint64_t epoch;		      /* of the current segment's template numbers */
	uint64_t index;		      /* offset of the last index read; 0: none */
	struct ptz_index index_entries;
	uint32_t number;      /* of the current segment; 0: none */
	uint64_t next_record; /* records up to the end of the current segment */
	bool position_lost; /* number and next_record of the following segment are not known */
	unsigned broken;    /* rule that the next corruption violates */
	bool is_damaged;    /* bytes of the current section differ from their checksums */
	uint32_t tag;	    /* of the current section; 0: not known */
	bool rescued;	    /* the description was read in spite of corrupt bytes */
	uint64_t marked;    /* rows that stand for the segments before the next one */
	/* Chains before and after the current section, if known. */
	struct ptz_chain_at chain_before, chain_after;
	bool index_tried;	       /* the index was looked up */
	bool has_index;		       /* entries are those of the file */
	bool ended;		       /* the end of the trace was read */
	bool other_stream;	       /* the following bytes are not of this trace */
	bool reported;		       /* the next corruption was already reported */
	bool skipped;		       /* the corrupt section was already consumed */
	struct poly_patterns patterns; /* of the last batch */
	struct batch *last_batch;
	struct batch templates; /* template rows, for patterns */
	column_mask *varying;	/* by row of templates */
	struct buf space;	/* struct poly_size_item, if requested */
};

struct ptz_writer {
	struct parallel_encoder *parallel; /* or NULL: encoder has the active segment */
	struct segment_encoder *encoder;
	struct ptz_names names;
	struct ptz_extent extent; /* of the active segment */
	struct ptz_trials trials;
	struct slice slice;	/* of a batch that crosses a segment boundary */
	size_t rows_max;	/* of a segment */
	struct ptz_begin begin; /* of the active segment */
	uint64_t offset;	/* bytes written */
	struct buf entries; /* struct ptz_index_entry of the segments since the last index */
	uint64_t index;	    /* offset of the last index; 0: none */
	uint64_t chain;	    /* of the sections written so far */
	struct buf others;  /* struct ptz_place of sections that the next index lists */
	struct buf head;    /* front of the head section */
	struct buf front;   /* of another section */
};

/* Appends the trace's metadata as a front, without labels. */
void ptz_put_head(struct buf *out, const struct poly_trace_info *info, poly_columns columns);

/* Appends the labels of the metadata. */
void ptz_put_labels(struct buf *out, const struct poly_trace_info *labels);

/* Reads the description where the head section is corrupt: by its parity, or its copy. Returns
 * false if there is none. */
bool ptz_rescue_head(struct reading *reading, struct buf *head);

/* Parses a head section's front. POLY_ERR_FORMAT, POLY_ERR_MEMORY, POLY_ERR_UNSUPPORTED (later
 * version). */
enum poly_status ptz_parse_head(
	struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error);

enum poly_status ptz_open(struct reading *reading, struct poly_error *error);
enum poly_status ptz_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);

/* Sets the patterns of the last rows, and fills the columns that may not be deferred. */
void ptz_set_patterns(struct ptz_reader *state, struct batch *batch);

/* Sets each row's origin to the offset of its segment. */
void ptz_set_origins(const struct ptz_reader *state, struct batch *batch);

/* Skips whole segments within the first n records; returns the number of records skipped. */
uint64_t ptz_skip_records(struct reading *reading, uint64_t n);

/*
 * At the start of a section: skips the following segments that contain no selected record;
 * returns the number of records skipped.
 */
uint64_t ptz_skip_unselected(struct reading *reading);

/*
 * Loads all indexes of a file; state has the columns. Returns false, with nothing to free, if
 * the input is not random-access, the file has no end yet, or an index is corrupt or
 * implausible.
 */
bool ptz_load_index(
	const struct in *in, const struct ptz_reader *state, struct ptz_index *index);

/* Parses the header of the next section. POLY_END: end of input. POLY_ERR_FORMAT. */
enum poly_status ptz_peek_section(
	struct reading *reading, struct ptz_section *section, struct poly_error *error);

/* Checks and returns the front of a section, after its header. POLY_ERR_FORMAT. */
enum poly_status ptz_peek_front(struct reading *reading, const struct ptz_section *section,
	const uint8_t **front, struct poly_error *error);

/* Skips a section; returns false and reports a finding if the input ends within it. */
bool ptz_skip_section(struct reading *reading, const struct ptz_section *section);

/* Reports that only have bytes of the current section, of a segment's number, are present. */
void ptz_report_truncated_section(struct reading *reading, const struct ptz_section *section,
	uint64_t have, uint32_t number);

/*
 * Makes a segment the current one; after corrupt data reports the records that are missing
 * before it. POLY_ERR_FORMAT: it does not follow the previous one; it is read next.
 */
enum poly_status ptz_check_sequence(
	struct reading *reading, const uint8_t *front, struct poly_error *error);

/* Reports that records before the first one of what follows are missing, if any. */
void ptz_report_missing(struct reading *reading, uint64_t first);

/*
 * Appends the front of a section; an index must end before the next one: overlapping fronts
 * would read more than the file. Returns false if it is missing or corrupt.
 */
bool ptz_load_front(const struct in *in, const struct ptz_place *place, struct buf *fronts);

/* Parses an index's front of n bytes; returns false if it is corrupt. */
bool ptz_parse_index(const uint8_t *front, size_t n, struct ptz_index_front *index);

/* Returns whether a front's segment follows the current segment, as far as that is known. */
bool ptz_is_in_sequence(const struct ptz_reader *state, const uint8_t *front);

/* Makes a front's segment the current segment. */
void ptz_set_current(struct ptz_reader *state, const uint8_t *front);

/*
 * Verifies an index's chain and skips the section, whose front was checked. POLY_END: it is
 * truncated, which is reported. POLY_ERR_FORMAT: the index does not match the sections before
 * it.
 */
enum poly_status ptz_verify_and_skip(struct reading *reading, const struct ptz_section *section,
	const uint8_t *front, struct poly_error *error);

/* Reads all sections and measures their contents. POLY_ERR_FORMAT, POLY_ERR_MEMORY. */
enum poly_status ptz_space(
	struct reading *reading, struct poly_size_breakdown *space, struct poly_error *error);

/* Returns whether a valid head section follows the magic, or what is left of it. */
bool ptz_starts_head(const uint8_t *p, size_t n);

/* Returns whether a reader must know a tag, and this one does not. */
bool ptz_is_refused(uint32_t tag);

/* Returns whether a valid section header is at p, which has n bytes. */
bool ptz_is_header(const uint8_t *p, size_t n);

/* Skips corrupt data, up to a valid section header or to the end of the input, which may be the
 * end of the file even if the end's index offset is wrong. */
void ptz_skip_corrupt(struct reading *reading);

/*
 * Repairs the corrupt section at the reader's offset by the parity after it; *section is set to
 * its bytes, valid until the next call. Returns their number; 0: it cannot be repaired.
 */
size_t ptz_repair(struct reading *reading, const uint8_t **section);

/* Extends the known chain by the section at the reader's offset, which may be read a second
 * time. */
void ptz_extend_chain(
	struct ptz_reader *state, const uint8_t *head, const struct ptz_section *section);

enum poly_status ptz_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void ptz_close(struct reading *reading);

/*
 * Finds the position at which the writer continues the file that it appends to. POLY_ERR_LOSS:
 * the file's metadata do not match. POLY_ERR_FORMAT: not a packed trace, or corrupt before its
 * end. POLY_ERR_LIMIT, POLY_ERR_MEMORY.
 */
enum poly_status ptz_append(struct writing *writing, struct poly_error *error);

enum poly_status ptz_wopen(struct writing *writing, struct poly_error *error);
enum poly_status ptz_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status ptz_wfinish(struct writing *writing, struct poly_error *error);
void ptz_wclose(struct writing *writing);

#endif
