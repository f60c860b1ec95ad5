/* SPDX-License-Identifier: MIT */
/*
 * Formats, analyses and simulators of the caller, beside those of the library.
 *
 *     static const struct poly_format_plugin hits = {
 *             .size = sizeof hits, .info = &hits_info, .read = hits_read};
 *     const struct poly_format_plugin *const formats[] = {&hits, NULL};
 *     options.formats = formats;
 *     poly_reader_open("trace.hits", &options, &reader, &error);
 *
 * A plugin is a constant struct of functions, which readers, writers and handles of poly_stats
 * take by their options. It must outlive them. Everything that it changes belongs to a state,
 * which the library allocates for each handle: so a plugin may be used by several handles, in
 * any threads, at the same time. The functions of a state are called by one thread at a time,
 * which need not be the caller's.
 *
 * The library checks a plugin when it receives it, and what its functions return and store. It
 * reports a violation of this interface as POLY_ERR_USAGE, with the name of the plugin and what
 * is missing or wrong.
 */
#ifndef POLYTRACE_EXTEND_H
#define POLYTRACE_EXTEND_H

#include "polytrace/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The input of a format, as its functions receive it. */
struct poly_plugin_input {
	void *state;		  /* state_size bytes, which the library zeroes and frees */
	const uint64_t *options;  /* values of the options, by their index in info->options */
	const char *const *texts; /* of TEXT options, by index, or NULL if none is TEXT;
				     elements may be NULL */
	/*
	 * Returns the next bytes of the decompressed trace without consuming them, and their
	 * number in *have: at least want (at most 4 MiB) unless the trace ends before, often
	 * more. Valid until the next call. Never NULL.
	 */
	const uint8_t *(*peek)(
		const struct poly_plugin_input *input, size_t want, size_t *have);
	/* Consumes size bytes, at most those of the last peek. */
	void (*consume)(const struct poly_plugin_input *input, size_t size);
	/* Returns the number of consumed bytes. */
	uint64_t (*offset)(const struct poly_plugin_input *input);
	/*
	 * Adds a violation of a rule, an index into info->rules, by a row of the batch that
	 * read fills; message states what was found and what was expected. offset is that of
	 * the record in the trace, or POLY_NO_OFFSET.
	 */
	void (*add_finding)(const struct poly_plugin_input *input, unsigned rule, size_t row,
		uint64_t offset, const char *message);
};

/* The rows that a format fills. A call with an invalid argument makes reading fail. */
struct poly_plugin_rows {
	size_t capacity; /* maximum number of rows, at least 1 */
	size_t count;	 /* number of rows; 0 at first, set by the format */
	/*
	 * Stores the value of an integer column in a row below capacity; signed columns take
	 * the bits of an int64_t. The columns are those of info->columns, except for site,
	 * which the library fills.
	 */
	void (*put)(struct poly_plugin_rows *rows, enum poly_column column, size_t row,
		uint64_t value);
	/* Stores the name of a NAME column, up to a NUL, or the bytes of a BYTES or TEXT
	 * column, by size. */
	void (*put_bytes)(struct poly_plugin_rows *rows, enum poly_column column, size_t row,
		const void *data, size_t size);
};

/* The output of a format, as its functions receive it. */
struct poly_plugin_output {
	void *state;		  /* writer_state_size bytes, at first zero or writer_state of
				     the plugin, freed by the library */
	const uint64_t *options;  /* as in struct poly_plugin_input */
	const char *const *texts; /* likewise */
	const struct poly_trace_info *source; /* metadata of the trace that is written */
	/* Appends size bytes. Failures are reported later. */
	void (*write)(const struct poly_plugin_output *output, const void *data, size_t size);
	/*
	 * Counts a note about information that is not written: a sentence, which must be a
	 * string constant. See poly_writer_note_at.
	 */
	void (*note)(const struct poly_plugin_output *output, const char *sentence);
};

/*
 * A format. Functions that return a status fill *error, which is never NULL, if they fail:
 * message, and offset and record if they are known. They return POLY_ERR_FORMAT for corrupt
 * data, POLY_ERR_MEMORY, or any other status. All functions but read or write may be NULL.
 */
struct poly_format_plugin {
	size_t size; /* of this struct in bytes */
	/*
	 * Its description. name, family, title, extensions and spec are not NULL; the name is
	 * that of no other format. can_read and can_write state which functions there are.
	 * options and rules may be NULL. Names of options and codes of rules begin with the
	 * name of the format, by convention.
	 */
	const struct poly_format_info *info;
	size_t state_size;	  /* bytes of the state of a reader; 0: none */
	size_t writer_state_size; /* bytes of the state of a writer; 0: none */
	/*
	 * Returns the strength of the evidence, in bits, that a trace is of this format, which
	 * begins with size bytes (at most 4 MiB; the complete trace if is_complete), at most 8
	 * per byte; 0: it is not. Structure alone, without a magic number, is worth at most 24
	 * bits. evidence has room for evidence_size bytes, and is empty: one line of text.
	 * NULL: the format is only used if it is named.
	 */
	int (*probe)(const uint8_t *bytes, size_t size, bool is_complete, char *evidence,
		size_t evidence_size);
	/*
	 * Reads the header, if the format has one, and fills these fields of *info: isa,
	 * address_bits, addresses, byte_order, clock, producer, has_first_pc, first_pc, records
	 * and record_count. Strings and arrays must be valid until close returns.
	 */
	enum poly_status (*open)(const struct poly_plugin_input *input,
		struct poly_trace_info *info, struct poly_error *error);
	/*
	 * Fills rows from row 0 on, consumes their bytes, and sets rows->count. POLY_OK: at
	 * least one row. POLY_END: the trace has ended. A failure may come with the rows before
	 * it; then the corrupt bytes are not consumed.
	 */
	enum poly_status (*read)(const struct poly_plugin_input *input,
		struct poly_plugin_rows *rows, struct poly_error *error);
	/* Frees what the state refers to; also called if open failed. */
	void (*close)(const struct poly_plugin_input *input);
	/* Begins a trace. */
	enum poly_status (*begin_write)(
		const struct poly_plugin_output *output, struct poly_error *error);
	/* Writes the rows of a batch. */
	enum poly_status (*write)(const struct poly_plugin_output *output,
		const struct poly_batch *batch, struct poly_error *error);
	/* Ends a trace; not called after a failure. */
	enum poly_status (*finish_write)(
		const struct poly_plugin_output *output, struct poly_error *error);
	/* Frees what the state refers to; also called after a failure. */
	void (*close_writer)(const struct poly_plugin_output *output);
	/*
	 * The first contents of a writer's state, writer_state_size bytes, which outlive the
	 * writer; NULL: zeros.
	 */
	const void *writer_state;
	/*
	 * The bytes and notes of a row depend on the row alone. A writer of several threads
	 * then has several states, which begin_write prepares and close_writer frees,
	 * and calls write with slices of a batch, concurrently but for one state at a time.
	 * Decoders may call all three (poly_writer_decoder_work); then a state gets the rows of
	 * one decoder, source has no names, and names and records are those of batch->info.
	 * What begin_write writes is a header, which stands in the output once; finish_write is
	 * called for one state that need not have seen all rows.
	 */
	bool rows_independent;
};

/*
 * An analysis or a simulator, requested and reported like those of the library. It receives
 * rows that are counted, never weighted ones. init, begin, merge, finish and free_state may be
 * NULL.
 */
struct poly_analysis_plugin {
	size_t size; /* of this struct in bytes */
	/*
	 * Its description. name, title and summary are not NULL; the name is that of no other
	 * analysis. options may be NULL; their names begin with the name of the analysis and a
	 * dot.
	 */
	const struct poly_analysis_info *info;
	size_t state_size; /* bytes of its state, which the library zeroes and frees; 0: none */
	/* Prepares the state by the values of the options, as in struct poly_plugin_input. */
	enum poly_status (*init)(void *state, const uint64_t *options, const char *const *texts,
		struct poly_error *error);
	/* Begins a trace: forgets history, keeps counts. */
	void (*begin)(void *state, const struct poly_trace_info *info);
	/* Adds the rows of a batch; false: out of memory, which ends the run. */
	bool (*update)(void *state, const struct poly_batch *batch);
	/*
	 * Adds the counts of from, which saw later rows, as if into had been updated with them;
	 * false: out of memory. NULL: the result depends on the order of all rows, and handles
	 * cannot be merged.
	 */
	bool (*merge)(void *into, const void *from);
	/* Ends the rows. */
	enum poly_status (*finish)(void *state, struct poly_error *error);
	/*
	 * Writes the result into the open section of a report, also without rows. Keys must
	 * outlive the report.
	 */
	void (*report)(const void *state, struct poly_report *report);
	/* Frees what the state refers to; also called if init failed. */
	void (*free_state)(void *state);
};

#ifdef __cplusplus
}
#endif

#endif
