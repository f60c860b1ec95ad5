/* SPDX-License-Identifier: MIT */
/*
 * Internals of the format aix: its options and rules, and the states of its reader and writer.
 *
 * spec: trcfmt File Format, Trace Entries; AIX <sys/trchdr.h>.
 */
#ifndef FORMAT_AIX_AIX_H
#define FORMAT_AIX_AIX_H

#include "aix/attribution.h"
#include "format/aix/entry.h"
#include "format/aix/log.h"
#include "format/core/format.h"
#include "io/spill_buffer.h"

enum aix_option {
	AIX_OPTION_FORM,
	AIX_OPTION_TID,
	AIX_OPTION_LENGTH,
	AIX_OPTION_CONTAINER,
	AIX_OPTION_WORD,
	AIX_OPTION_BLOCK,
	AIX_OPTION_HOOKS,
};

/* Values of the options; AUTO takes the value of the source, or detects it. */
enum { AIX_AUTO };
enum { AIX_FORM_RAW32 = 1, AIX_FORM_RAW64 };
enum { AIX_TID_YES = 1, AIX_TID_NO };
enum { AIX_LENGTH_BUFFER = 1, AIX_LENGTH_DATA };
enum aix_container { AIX_RAW = 1, AIX_STREAM, AIX_LOG, AIX_SAME };
enum { AIX_WORD_32 = 1, AIX_WORD_64 };

enum aix_rule {
	AIX_L01,
	AIX_L02,
	AIX_L03,
	AIX_L04,
	AIX_L05,
	AIX_L06,
	AIX_L07,
	AIX_L10,
	AIX_L11,
	AIX_L12,
	AIX_L13,
};

/* State of the rules between rows. */
struct aix_check {
	/*
	 * The last event with a time, by processor; a processor that maps to the same slot
	 * replaces it.
	 */
	struct {
		uint64_t time;
		bool timed;
		uint32_t cpu; /* 0 if unknown */
	} last[64];
	bool attributed; /* a hook that identifies processes was seen */
	bool any;	 /* an event was seen */
};

/*
 * Maximum bytes of a row of corrupt data or of a gap; also the bytes that are searched for
 * entries.
 */
#define AIX_ROW_BYTES ((size_t)64 << 10)

/* Bytes of stashed data that stay in memory. */
#define AIX_SPOOL_MEMORY ((size_t)1 << 20)

/* The processor of a per-CPU file. */
struct aix_file_cpu {
	bool is_known;
	uint32_t id;
};

struct aix_reader {
	struct aix_form form;
	uint32_t magic; /* 0: bare events */
	struct aix_header header;
	struct aix_blocks blocks;
	size_t front;	  /* bytes of the header and directory; 0 once their row was stored */
	bool short_front; /* the file is shorter */
	size_t next;	  /* index in blocks.order: the next block to read */
	size_t passed;	  /* index in blocks.list: the next block in the input */
	struct aix_block *block;    /* being read; NULL: none, or bare events */
	bool is_inside;		    /* entries follow; else between blocks */
	struct in *own;		    /* holds the entries if the block was stashed; else NULL */
	uint64_t left;		    /* bytes left of the block */
	struct spill_buffer *spool; /* stashed blocks of an input without random access */
	bool in_corrupt;	    /* within corrupt data */
	struct aix_file_cpu cpu;
	uint64_t time;			     /* of the last entry with a 32-bit timer */
	struct aix_attribution *attribution; /* NULL: processes are not requested */
	struct aix_check check;
};

/* Encodes rows as entries. */
struct aix_encoder {
	struct aix_form form;
	uint64_t time; /* of the last entry with a 32-bit timer, as a reader reconstructs it */
	struct buf bytes; /* the entry */
};

/* Bytes of a log that wait until the bytes before them are written. */
struct aix_extent {
	uint64_t offset, size; /* in the log */
	uint64_t place;	       /* offset in the spool */
};

struct aix_writer {
	enum aix_container container; /* 0: chosen by the first row */
	struct aix_encoder encoder;
	bool word_known;      /* the encoder's form is chosen */
	bool own_form;	      /* entries have the form of the source's */
	bool is_log;	      /* the source is a log */
	uint8_t records[256]; /* enum aix_record + 1 of the source's; 0: not looked up */
	struct spill_buffer *spool;
	uint64_t done;		   /* AIX_SAME: bytes written */
	uint64_t at;		   /* offset of the next entry */
	uint64_t left;		   /* bytes left of the block */
	struct aix_extent pending; /* the extent that is being appended to; size 0: none */
	struct aix_extent *heap;   /* the other extents, ordered by offset */
	size_t count, capacity;	   /* of the heap; AIX_LOG: of blocks */
	uint64_t *blocks;	   /* AIX_LOG: their sizes */
	uint32_t mode;		   /* AIX_LOG: of the header */
	struct aix_file_cpu cpu;   /* AIX_LOG: as a reader learns it */
	uint64_t cpu_events;	   /* AIX_LOG: events whose cpu id was not dropped */
	bool cpus_differ;	   /* AIX_LOG: events have other cpu ids */
};

/* Names of the records, in the order of enum aix_record. */
extern const char *const aix_record_names[AIX_RECORD_COUNT];

/* Returns the record type of a row by the source's name for it; AIX_RECORD_COUNT if unknown. */
unsigned aix_record_of(struct writing *writing, const struct poly_batch *batch, size_t row);

/* True if a row needs a hook word of 64 bits. */
bool aix_needs_wide(const struct poly_batch *batch, size_t row);

/*
 * Encodes a row as an entry in encoder->bytes. POLY_ERR_LOSS: the row lacks a value, or the
 * entry cannot hold it.
 */
enum poly_status aix_encode(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error);

/* Learns a per-CPU file's processor from the first event that has it. */
void aix_learn_cpu(struct aix_file_cpu *cpu, uint32_t mode, const struct aix_event *event);

/* Writes n bytes at an offset of a log that is reproduced. */
enum poly_status aix_write_at(struct writing *writing, uint64_t offset, const uint8_t *p,
	size_t n, struct poly_error *error);

/* Writes the bytes that aix_write_at held, and zeros in the gaps between them. */
enum poly_status aix_write_held(struct writing *writing, struct poly_error *error);

/* Appends the encoded entry of a row to a new log. */
enum poly_status aix_log_add(struct writing *writing, const struct poly_batch *batch,
	size_t row, struct poly_error *error);

/* Writes the new log. */
enum poly_status aix_log_finish(struct writing *writing, struct poly_error *error);

/* Writes n bytes of the spool from an offset. */
enum poly_status aix_unspool(
	struct writing *writing, uint64_t place, uint64_t n, struct poly_error *error);

enum poly_status aix_wopen(struct writing *writing, struct poly_error *error);
enum poly_status aix_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status aix_wfinish(struct writing *writing, struct poly_error *error);
void aix_wclose(struct writing *writing);

/* Returns what holds the entries. */
static inline struct in *
aix_entries(const struct reading *reading)
{
	const struct aix_reader *state = reading->state;
	return state->own ? state->own : reading->in;
}

/* Converts an entry at p to an event. */
static inline struct aix_event
aix_event_of(const struct aix_reader *state, const struct aix_entry *entry, const uint8_t *p)
{
	const struct aix_form *form = &state->form;
	struct aix_event event = {.wide = form->wide,
		.hook = entry->hook,
		.subhook = entry->subhook,
		.type = entry->type,
		.generic = form->wide ? (entry->type & AIX_FLAG_GENERIC) != 0
				      : (entry->type & AIX_TYPE_WORDS) == 0,
		.word = form->wide && !(entry->type & AIX_FLAG_WORDS32) ? 8 : 4,
		.data = p + entry->data,
		.size = entry->size,
		.has_thread = entry->tid != 0,
		.has_cpu = entry->cpu || state->cpu.is_known,
		.cpu = entry->cpu ? (uint32_t)load_be64(p + entry->cpu) : state->cpu.id};
	if (entry->tid)
		event.thread = aix_entry_number(form, p, entry->tid);
	return event;
}

/*
 * Split points: between entries, and where blocks begin. See struct format. A decoder defers
 * the processes of rows: NULL is the event of a row that is none.
 */
size_t aix_find_split(
	const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);
bool aix_open_decoder(struct reading *reading, const struct reading *opened);
void aix_enter_split(struct reading *reading, const uint8_t *before, size_t n);
bool aix_is_at_split(const struct reading *reading, const uint8_t *before, size_t n);
void aix_defer_process(const struct reading *reading, struct batch *batch, size_t row,
	const struct aix_event *event);
bool aix_complete_rows(
	struct reading *reading, struct batch *batch, const uint8_t *p, uint64_t offset);

int aix_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

enum poly_status aix_open(struct reading *reading, struct poly_error *error);
enum poly_status aix_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void aix_close(struct reading *reading);
void aix_check(struct reading *reading, const struct poly_batch *batch);

#endif
