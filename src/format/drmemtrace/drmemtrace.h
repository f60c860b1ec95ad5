/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the files of the format drmemtrace: entries, the front of a file, and
 * streams of entries.
 *
 *     entry = type:u16 size:u16 value:u64 ;    little endian, packed
 *
 * spec: DynamoRIO, clients/drcachesim/common/trace_entry.h; polytrace-drmemtrace(5)
 */
#ifndef FORMAT_DRMEMTRACE_H
#define FORMAT_DRMEMTRACE_H

#include "base/map.h"
#include "format/core/format.h"

/* Bytes of an entry. */
#define DRM_ENTRY_SIZE ((size_t)12)

/* The versions that are read. */
#define DRM_VERSION_MAX 7

/* The first version that has absolute pcs in kernel_event; that has taken and untaken. */
#define DRM_VERSION_PC 3
#define DRM_VERSION_BRANCHES 5

/* Maximum bytes of an encoding; instructions of a bundle. */
#define DRM_ENCODING_MAX 16
#define DRM_BUNDLE_MAX 8

/* Maximum numbers of threads and of encodings of a stream. */
#define DRM_THREADS_MAX ((uint32_t)256 << 10)
#define DRM_ENCODINGS_MAX ((uint32_t)8 << 20)

/* The id of the thread of an idle core. */
#define DRM_IDLE UINT64_MAX

/* Types of entries. */
enum drm_type {
	DRM_READ = 0,
	DRM_WRITE = 1,
	DRM_INSTR = 10,
	DRM_DIRECT_JUMP = 11,
	DRM_INDIRECT_JUMP = 12,
	DRM_CONDITIONAL_JUMP = 13,
	DRM_DIRECT_CALL = 14,
	DRM_INDIRECT_CALL = 15,
	DRM_RETURN = 16,
	DRM_BUNDLE = 17,
	DRM_IFLUSH = 18,
	DRM_IFLUSH_END = 19,
	DRM_DFLUSH = 20,
	DRM_DFLUSH_END = 21,
	DRM_THREAD = 22,
	DRM_THREAD_EXIT = 23,
	DRM_PID = 24,
	DRM_HEADER = 25,
	DRM_FOOTER = 26,
	DRM_MARKER = 28,
	DRM_NO_FETCH = 29,
	DRM_MAYBE_FETCH = 30,
	DRM_SYSENTER = 31,
	DRM_ENCODING = 47,
	DRM_TAKEN_JUMP = 48,
	DRM_UNTAKEN_JUMP = 49,
	DRM_TYPES = 50,
};

/* Numbers of markers. */
enum drm_marker {
	DRM_KERNEL_EVENT = 0,
	DRM_KERNEL_XFER = 1,
	DRM_TIMESTAMP = 2,
	DRM_CPU_ID = 3,
	DRM_SPLIT_VALUE = 8,
	DRM_FILE_TYPE = 9,
	DRM_CACHE_LINE_SIZE = 10,
	DRM_VERSION = 12,
	DRM_RSEQ_ABORT = 13,
	DRM_WINDOW_ID = 14,
	DRM_PHYSICAL_ADDRESS = 15,
	DRM_VIRTUAL_ADDRESS = 17,
	DRM_PAGE_SIZE = 18,
	DRM_SYSCALL_INDEX = 19,
	DRM_CHUNK_COUNT = 20,
	DRM_CHUNK_FOOTER = 21,
	DRM_RECORD_ORDINAL = 22,
	DRM_FILTER_ENDPOINT = 23,
	DRM_SYSCALL = 25,
	DRM_SYSCALL_TRACE_START = 27,
	DRM_SYSCALL_TRACE_END = 28,
	DRM_BRANCH_TARGET = 29,
	DRM_CORE_WAIT = 32,
	DRM_CORE_IDLE = 33,
	DRM_SWITCH_START = 34,
	DRM_SWITCH_END = 35,
	DRM_MIDBLOCK_END = 42,
	DRM_HARDWARE_EVENT = 43,
	DRM_HARDWARE_RETURN = 44,
	DRM_KERNEL_EVENT_RAW = 45,
	DRM_MARKERS = 47,
};

/* Bits of the file type. */
enum drm_file_type {
	DRM_FILTERED = 1,
	DRM_INSTRUCTIONS_ONLY = 4,
	DRM_AARCH64 = 8,
	DRM_ARM = 0x10,
	DRM_X86_32 = 0x20,
	DRM_X86_64 = 0x40,
	DRM_I_FILTERED = 0x80,
	DRM_D_FILTERED = 0x100,
	DRM_ENCODINGS = 0x200,
	DRM_SYSCALL_NUMBERS = 0x400,
	DRM_BIMODAL = 0x2000,
	DRM_CORE_SHARDED = 0x10000,
	DRM_REGDEPS = 0x20000,
};

/* The record names: types, markers, other markers, corrupt bytes. */
enum {
	DRM_RECORD_MARKER = DRM_TYPES,
	DRM_RECORD_OTHER = DRM_RECORD_MARKER + DRM_MARKERS,
	DRM_RECORD_CORRUPT,
	DRM_RECORDS
};

extern const char *const drm_records[DRM_RECORDS];

/* What an entry of a type is. */
enum drm_class {
	DRM_CLASS_STATE, /* what has no row: headers, threads, encodings */
	DRM_CLASS_DATA,	 /* a load, store, prefetch */
	DRM_CLASS_INSTRUCTION,
	DRM_CLASS_FLUSH,
	DRM_CLASS_EXIT,
	DRM_CLASS_MARKER,
};

/* The classes by type. */
extern const uint8_t drm_classes[DRM_TYPES];

/* The rules, by their index in the table. */
enum drm_rule {
	DRM_R01, /* header */
	DRM_R02, /* type */
	DRM_R03, /* end */
	DRM_R04, /* encoding */
	DRM_R05, /* no encoding */
	DRM_R06, /* ids */
	DRM_R07, /* markers of raw files */
	DRM_R08, /* flushes */
	DRM_R09, /* chunk without footer */
	DRM_R10, /* changes of version and file type */
	DRM_R11, /* fall-through */
	DRM_R12, /* branch target */
	DRM_R13, /* timestamps */
	DRM_R14, /* record_ordinal */
	DRM_R15, /* chunks */
	DRM_R16, /* kernel_xfer */
	DRM_R17, /* system calls */
	DRM_R18, /* traces of the kernel */
	DRM_R19, /* physical addresses */
	DRM_R20, /* branches without direction or target */
	DRM_R21, /* data in traces of instructions */
	DRM_R22, /* after the exit */
};

/* An entry. */
struct drm_entry {
	unsigned type, size;
	uint64_t value;
	const uint8_t *bytes; /* of value */
};

/* Loads the entry at p. */
static inline struct drm_entry
drm_load(const uint8_t *p)
{
	return (struct drm_entry){p[0] | (unsigned)p[1] << 8, p[2] | (unsigned)p[3] << 8,
		load_le64(p + 4), p + 4};
}

/* What the front of a file states. */
struct drm_front {
	uint64_t version;
	bool has_file_type;
	uint64_t file_type;
	uint64_t cache_line, page; /* bytes; 0: not stated */
	uint64_t chunk;		   /* instructions per chunk; 0: not stated */
	bool has_due;
	uint64_t due; /* the first timestamp */
};

/* What the bytes at the front of a file are. */
enum drm_form {
	DRM_FORM_NONE,	  /* of another format */
	DRM_FORM_SHORT,	  /* too short, but consistent */
	DRM_FORM_NARROW,  /* entries of 8 bytes: a program of 32 bits */
	DRM_FORM_VERSION, /* of an unknown version */
	DRM_FORM_OK,
};

/* Reads the front of a file from its first n bytes. */
enum drm_form drm_front_read(struct drm_front *front, const uint8_t *p, size_t n);

/* Bytes of the front that are read. */
#define DRM_FRONT_SIZE ((size_t)48 << 10)

/* As the probe of struct format. */
int drm_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

/* An encoding. */
struct drm_encoding {
	uint8_t size, bytes[DRM_ENCODING_MAX];
};

/* The encodings of a stream: the last one of each pc. */
struct drm_encodings {
	struct map by_pc; /* their indexes */
	struct drm_encoding *list;
	uint32_t count, capacity;
	struct drm_encoding next; /* of the next instruction, as far as read */
};

/* A thread of a stream. */
struct drm_thread {
	uint64_t tid, pid, time, pc, instructions;
	uint32_t cpu;
	bool has_pid, has_time, has_cpu;
	bool has_pc;		    /* pc is that of its last instruction */
	unsigned pc_size;	    /* bytes of that instruction */
	bool drops_time, drops_cpu; /* the next one repeats that before the chunk */
	/* Of the checks: */
	bool has_exited;
	bool has_expected; /* its next instruction is expected at a pc */
	bool is_target;	   /* of a branch */
	uint64_t expected;
	unsigned signals; /* kernel_event without kernel_xfer */
	bool was_syscall; /* its last instruction is a system call */
	bool is_known;	  /* that instruction has an encoding */
};

/* The entries of a file. */
struct drm_stream {
	struct in *in;
	const char *name; /* of a file of a directory, in messages; NULL: the input */
	struct drm_front front;
	struct map by_tid;	 /* indexes of threads */
	struct drm_thread *list; /* threads; the first one is that before any entry thread */
	uint32_t count, capacity, current;
	struct drm_encodings encodings;
	bool has_target; /* of the next indirect branch */
	uint64_t target;
	unsigned expanded; /* rows delivered of the bundle at the front */
	bool in_flush;	   /* its end follows */
	unsigned flush;	   /* type of the flush */
	uint64_t flush_start, flush_origin;
	bool in_kernel;
	bool is_idle;	       /* the entry belongs to the core, not to a thread */
	uint64_t visible;      /* records so far */
	unsigned last, marker; /* type and size of the last entry */
	bool has_version;      /* the marker */
	/* Of the checks: */
	uint64_t chunks, chunk_instructions, physical;
	bool is_unfiltered; /* after filter_endpoint */
	/* Of files that are merged: */
	bool is_merged;
	bool at_due; /* the timestamp that follows is due */
	bool has_ended;
	bool is_closed; /* it was read to its end */
	uint64_t due;	/* the time of the next entries */
};

/* A stream, and where its rows go. */
struct drm_cursor {
	struct reading *reading;
	struct drm_stream *stream;
	struct batch *batch;
	uint64_t offset; /* of the entry */
	uint32_t kernel; /* the name of the mode */
	bool keeps_hidden;
};

/* Returns the thread that the entries belong to. */
static inline struct drm_thread *
drm_current(const struct drm_cursor *cursor)
{
	return &cursor->stream->list[cursor->stream->current];
}

/* Returns whether instructions are missing in a stream. */
static inline bool
drm_is_filtered(const struct drm_stream *stream)
{
	const uint64_t type = stream->front.file_type;
	return type & (DRM_FILTERED | DRM_I_FILTERED) ||
	       (type & DRM_BIMODAL && !stream->is_unfiltered);
}

/* Adds a finding at the entry. */
void drm_find(const struct drm_cursor *cursor, enum drm_rule rule, const char *message, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a finding of a fatal fault at the entry, and sets the error. */
enum poly_status drm_fail(const struct drm_cursor *cursor, enum drm_rule rule,
	struct poly_error *error, const char *message, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds an entry encoding to that of the next instruction; false: too many bytes. */
bool drm_encoding_add(struct drm_encodings *encodings, const struct drm_entry *entry);

/*
 * Finds the encoding of an instruction at a pc: the pending one, which is stored, or the last
 * one of the pc; NULL: there is none. POLY_ERR_LIMIT; POLY_ERR_MEMORY.
 */
enum poly_status drm_encoding_find(struct drm_encodings *encodings, uint64_t pc,
	const struct drm_encoding **found, struct poly_error *error);

/* Frees the encodings. */
void drm_encodings_free(struct drm_encodings *encodings);

/* Finds the pc of the next instruction of the thread after the entry at the front; false:
 * unknown. */
bool drm_find_next(const struct drm_cursor *cursor, uint64_t *pc);

/* Tests the rules on an entry before its row; only if reading->check is set. */
void drm_check_entry(const struct drm_cursor *cursor, const struct drm_entry *entry);

/* Tests the rules on a fetched instruction, whose encoding may be NULL, and predicts the next.
 */
void drm_check_instruction(const struct drm_cursor *cursor, const struct drm_entry *entry,
	const struct drm_encoding *encoding);

/* Begins a stream on its input, whose front was read. POLY_ERR_MEMORY. */
enum poly_status drm_stream_begin(struct drm_stream *stream, struct poly_error *error);

/*
 * Reads rows until the batch is full, or in a merge until the next timestamp. POLY_END: the
 * stream ended.
 */
enum poly_status drm_stream_read(struct drm_cursor *cursor, struct poly_error *error);

/* Adds a row of the entry at the front, which is corrupt, and consumes it. POLY_END: no bytes.
 */
enum poly_status drm_stream_resync(struct drm_cursor *cursor, struct poly_error *error);

/* Closes the stream. */
void drm_stream_end(struct drm_stream *stream);

#endif
