/* SPDX-License-Identifier: MIT */
/* An input of a command that reads traces. */
#ifndef CLI_COMMAND_INPUT_H
#define CLI_COMMAND_INPUT_H

#include "cli/files/output.h"
#include "cli/options/input_options.h"
#include "cli/print/progress.h"

/* An input that is being read. */
struct command_input {
	const char *path;
	const char *name; /* of path in messages */
	struct poly_reader *reader;
	struct poly_selection *selection; /* NULL: every record of the reader */
	bool selects;			  /* by more than positions */
	struct poly_symbols *symbols;	  /* of --symbols; NULL: none */
	struct progress progress;
	bool planned;				   /* input_plan was called */
	const char *registers[POLY_REGISTERS_MAX]; /* that the command reads as columns */
	unsigned register_count;
	const struct poly_decoder_work *work[POLY_DECODER_WORK_MAX]; /* of the plan */
	unsigned work_count;
	struct poly_writer *writer; /* whose work it is: closed after the reader; or NULL */
	bool prints_findings;	    /* when it is closed */
	bool accepts_partial;	    /* --partial */
	bool accepts_errors;	    /* --on-error=skip or --partial */
	bool skips;		    /* --on-error=skip */
	bool has_skipped;	    /* set by input_close: corrupt data were skipped */
	uint64_t skip;		    /* records to skip at the front */
	bool count_is_zero;	    /* --count is 0 */
	bool bounded;		    /* the reader is given a number of records */
	enum poly_status status;    /* why it ended */
	struct poly_error error;
};

/* How a command reads. */
struct input_needs {
	poly_columns columns;
	bool check;	     /* test every rule of the format */
	bool prints;	     /* the command prints while it reads */
	bool lists_findings; /* the command prints the findings */
	bool quiet;	     /* the command reports why an input cannot be opened */
	bool shows_sites;    /* the command prints numbers of sites: keep all */
	bool repairs;	     /* the command writes a new trace: without what --partial and
				--on-error=skip        accept, so that it is valid */
	bool writes; /* the command writes a trace: records stay with their instruction */
};

/*
 * Opens an input. False: status and error state why, and a message has been printed unless
 * needs->quiet.
 */
bool input_open(struct command_input *input, const char *path,
	const struct input_options *options, const struct input_needs *needs);

/* What a command does with the batches of an input. */
enum input_use {
	INPUT_READS,  /* reads the columns of each record */
	INPUT_WRITES, /* passes them on to a writer, and reads no column */
	INPUT_COUNTS, /* counts records, which may be weighted */
};

/*
 * Returns the number of records at the front of an open input that its label
 * POLY_LABEL_WARMUP states,
 * and prints that they are not counted; 0, after a message, if other records are selected.
 */
uint64_t input_label_warmup(const struct command_input *input);

/* Adds to what decoders do with the rows, before input_plan; false: nothing, as work is NULL or
 * the input has a selection. */
bool input_add_work(struct command_input *input, const struct poly_decoder_work *work);

/*
 * Plans the reading of an input: columns are those of its batches; those of its selection and
 * the registers of both are added. Call it before the first batch; later calls change nothing.
 * A failure is that of input_next.
 */
void input_plan(struct command_input *input, poly_columns columns, enum input_use use);

/* Returns the next batch; NULL at the end, at corrupt data and after Ctrl-C. */
const struct poly_batch *input_next(struct command_input *input);

/* Closes an input, prints what ended it and its findings; returns the exit status. */
int input_close(struct command_input *input);

/*
 * Returns the exit status for corrupt data in the file at path, which did not end its reading;
 * its
 * warnings and errors are printed unless *reported, which is set then.
 */
int input_report_corruption(const char *path, struct poly_reader *reader,
	const struct input_options *options, bool *reported);

/* Prints what ended an input early, if anything did. */
void input_print_end(const struct command_input *input);

/*
 * Returns whether two opened inputs may have the same instruction set; false after a message.
 * An input may state none.
 */
bool input_isas_agree(const struct command_input *input, const struct command_input *first);

/* Closes an input without messages. */
void input_discard(struct command_input *input);

/* Returns whether corrupt data were skipped, and no record remains. */
bool input_is_lost(const struct command_input *input);

/* Returns whether Ctrl-C or corrupt data ended the input early. */
bool input_is_partial(const struct command_input *input);

/* Returns whether the input was found to be truncated, with or without --partial. */
bool input_is_truncated(const struct command_input *input);

/* Returns whether an input was read from its beginning to its end. */
bool input_is_complete(const struct command_input *input);

/* Writes the name of an input into a report, and whether it is partial or corrupt; sets
 * whether output, on which the report is printed, may replace files. NULL: none. */
void input_report_name(
	const struct command_input *input, struct poly_report *report, struct output *output);

/*
 * Feeds all records of an input to analyses, and to a summary (NULL: none). False: an analysis
 * failed, and a message has been printed. The caller finishes the analyses: more inputs may
 * follow.
 */
bool input_analyse(
	struct command_input *input, struct poly_stats *stats, struct poly_stats *summary);

/* Returns whether one of the first i findings is of the same rule. */
bool finding_is_repeated(
	const struct poly_reader *reader, size_t i, const struct poly_rule *rule);

/* Returns whether a finding is the corrupt data that ended the input. */
bool input_is_end(const struct command_input *input, const struct poly_finding *finding);

#endif
