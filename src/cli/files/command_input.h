/* SPDX-License-Identifier: MIT */
/* Inputs of the commands that read traces: common options, one input, all inputs. */
#ifndef CLI_COMMAND_INPUT_H
#define CLI_COMMAND_INPUT_H

#include "polytrace/polytrace.h"

#include "cli/options/opt.h"
#include "cli/files/output.h"
#include "cli/print/progress.h"

/* Values of --on-error. */
enum { ON_ERROR_STOP, ON_ERROR_SKIP };

/* Options of every command that reads; the first member of its struct of options. */
struct input_options {
	const char *from, *isa;
	const char *where, *start_at, *stop_at, *symbols;
	struct opt_number from_time, to_time, every, sample, seed, head, tail;
	struct opt_list options;
	struct opt_number skip, count, threads, max_line;
	struct opt_range range;
	bool strict, verbose;
	unsigned on_error;
	bool json, csv;
};

/* The options of an input. */
extern const struct opt input_table[];

/* The options that bound the records that are read, by their numbers; into the same struct. */
extern const struct opt bounds_table[];

/* The options that select among these records; into the same struct. */
extern const struct opt selection_table[];

/* --json and --csv, into the same struct. */
extern const struct opt rendering_table[];

/* An input that is being read. */
struct command_input {
	const char *path;
	const char *name; /* of path in messages */
	struct poly_reader *reader;
	struct poly_selection *selection; /* NULL: every record */
	struct poly_symbols *symbols;	  /* of --symbols; NULL: none */
	struct progress progress;
	bool prints_findings;	 /* when it is closed */
	uint64_t skip;		 /* records to skip at the front */
	bool count_is_zero;	 /* --count is 0 */
	enum poly_status status; /* why it ended */
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
};

/* Returns whether the options may exclude records. */
bool input_is_selected(const struct input_options *options);

/*
 * Opens an input. False: status and error state why, and a message has been printed unless
 * needs->quiet.
 */
bool input_open(struct command_input *input, const char *path,
	const struct input_options *options, const struct input_needs *needs);

/* Changes the columns of the following batches; those of the selection are added. */
void input_project(struct command_input *input, poly_columns columns);

/* Returns the next batch; NULL at the end, at corrupt data and after Ctrl-C. */
const struct poly_batch *input_next(struct command_input *input);

/* Closes an input, prints what ended it and its findings; returns the exit status. */
int input_close(struct command_input *input);

/* Prints what ended an input early, if anything did. */
void input_print_end(const struct command_input *input);

/* Closes an input without messages. */
void input_discard(struct command_input *input);

/* Returns whether Ctrl-C or corrupt data ended the input early. */
bool input_is_partial(const struct command_input *input);

/* Writes the name of an input into a report, and whether it is partial. */
void input_report_name(const struct command_input *input, struct poly_report *report);

/*
 * Feeds all records of an input to analyses, and to a summary (NULL: none). False: an analysis
 * failed, and a message has been printed. The caller finishes the analyses: more inputs may
 * follow.
 */
bool input_analyse(
	struct command_input *input, struct poly_stats *stats, struct poly_summary *summary);

/* Returns whether one of the first i findings is of the same rule. */
bool finding_is_repeated(
	const struct poly_reader *reader, size_t i, const struct poly_rule *rule);

/* Returns whether a finding is the corrupt data that ended the input. */
bool input_is_end(const struct command_input *input, const struct poly_finding *finding);

/*
 * Returns whether two paths (NULL and '-' never) lead to one regular file, so that writing one
 * destroys the other.
 */
bool same_file(const char *a, const char *b);

/* The job of a command on its inputs. */
struct inputs {
	const struct input_options *options;
	struct output *output;
	bool headed; /* print the name of each of several inputs */
	int (*process)(struct inputs *inputs,
		const char *path);	      /* one input; returns an exit status */
	int (*finish)(struct inputs *inputs); /* after all, even if one failed; NULL: nothing */
	const void *command;		      /* the command's own options */
	void *state;			      /* the command's state over all inputs */
};

/*
 * Processes each operand, or standard input if there are none and it is not a terminal;
 * finishes the output; returns the highest exit status.
 */
int inputs_run(struct inputs *inputs, char **operands);

/* Parses a list of column names separated by commas. False: one is unknown, and a message has
 * been printed. */
bool columns_parse(const char *names, poly_columns *columns);

/* Returns whether a list of names separated by commas contains the column site. */
bool columns_name_site(const char *names);

/*
 * Returns the columns to request for a writer that may write those in columns; the open writer
 * reports which it uses. Sites are expensive: they are written only by name.
 */
poly_columns columns_to_write(poly_columns columns);

/* Reports an unknown column, by its name of n bytes; returns false. */
bool columns_print_unknown(const char *name, size_t n);

/* Formats the names of a set of columns as "a, b". */
void columns_format_names(poly_columns columns, char *text, size_t size);

/* Returns the rendering of reports by the options. */
enum poly_rendering rendering_of_options(const struct input_options *options);

/* Returns whether the options agree on a rendering; prints a message otherwise. */
bool rendering_is_valid(const struct input_options *options);

/* Returns the name of a severity. */
const char *severity_name(enum poly_severity severity);

/* Returns an empty report; exits if out of memory. */
struct poly_report *report_new(void);

/* Renders a report to an output and frees it; returns the exit status. */
int report_render(
	struct poly_report *report, const struct input_options *options, struct output *output);

/*
 * Prints a report that is a list, wrapped at the width of the terminal unless the options
 * request JSON or CSV, and frees it; returns the exit status.
 */
int report_print_list(struct poly_report *report, const struct input_options *options);

#endif
