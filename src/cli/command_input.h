/* SPDX-License-Identifier: MIT */
/* Inputs of the commands that read traces: their common options, one input, all inputs. */
#ifndef CLI_COMMAND_INPUT_H
#define CLI_COMMAND_INPUT_H

#include "polytrace/polytrace.h"

#include "cli/opt.h"
#include "cli/output.h"
#include "cli/progress.h"

/* Answers of --on-error. */
enum { ON_ERROR_STOP, ON_ERROR_SKIP };

/* What every command that reads takes; the first member of its struct of options. */
struct input_options {
	const char *from, *isa;
	const char *where, *start_at, *stop_at, *symbols;
	struct opt_number from_time, to_time, every, sample, seed, head, tail;
	struct opt_list options;
	struct opt_number skip, count, threads, max_line;
	struct opt_range range;
	bool strict;
	unsigned on_error;
	bool json, csv;
};

/* The table of the reading options. */
extern const struct opt input_table[];

/* The table of what is selected of the records, into the same struct. */
extern const struct opt selection_table[];

/* The table of --json and --csv, into the same struct. */
extern const struct opt rendering_table[];

/* An input that is being read. */
struct command_input {
	const char *path;
	const char *name; /* of path in messages */
	struct poly_reader *reader;
	struct poly_selection *selection; /* NULL: every record */
	struct poly_symbols *symbols;	  /* of --symbols; NULL: not given */
	struct progress progress;
	bool tells_findings;	 /* at its end */
	uint64_t skip;		 /* records that are left out at the front */
	bool count_is_zero;	 /* none is asked for */
	enum poly_status status; /* what ended it */
	struct poly_error error;
};

/* How a command wants to read. */
struct input_needs {
	poly_columns columns;
	bool check;	     /* every rule is to be tested */
	bool prints;	     /* it writes to standard output while it reads */
	bool lists_findings; /* it tells itself which rules were broken */
	bool quiet;	     /* it tells itself why an input cannot be opened */
	bool shows_sites;    /* numbers of sites are seen, so all of them have to be known */
};

/* True where the options leave out records. */
bool input_is_selected(const struct input_options *options);

/*
 * Opens an input. False: it could not be, status and error say why, and it has been told unless
 * the command is to.
 */
bool input_open(struct command_input *source, const char *path,
	const struct input_options *options, const struct input_needs *wants);

/* Asks for other columns from now on; those of the selection come with them. */
void input_project(struct command_input *source, poly_columns columns);

/* The next batch; NULL at the end, at damage and after Ctrl-C. */
const struct poly_batch *input_next(struct command_input *source);

/* Closes an input, tells what ended it and which rules were broken; returns the exit status. */
int input_close(struct command_input *source);

/* Tells what ended an input before its end, if anything did. */
void input_print_end(const struct command_input *source);

/* As input_close where the command has told everything itself. */
void input_discard(struct command_input *source);

/* True where Ctrl-C or damage ended it before its end. */
bool input_is_partial(const struct command_input *source);

/* Names a source in a report, and says where it is partial. */
void input_report_name(const struct command_input *source, struct poly_report *report);

/*
 * Gives a source, to its end, to analyses, and to a summary, which may be NULL. False, and
 * told, where the analyses fail. They are not finished: more sources may follow.
 */
bool input_analyse(
	struct command_input *source, struct poly_stats *stats, struct poly_summary *summary);

/* True where an earlier finding than the i-th is of the same rule. */
bool finding_is_repeated(
	const struct poly_reader *reader, size_t i, const struct poly_rule *rule);

/* True where a finding is the damage that ended the source. */
bool input_is_end(const struct command_input *source, const struct poly_finding *finding);

/*
 * True where two paths lead to one regular file, so that writing one destroys the other.
 * Neither is one that is NULL or '-'.
 */
bool same_file(const char *path, const char *other);

/* What inputs are processed with. */
struct inputs {
	const struct input_options *options;
	struct output *output;
	bool headed; /* name each of several inputs on standard output */
	int (*one)(struct inputs *inputs, const char *path); /* returns an exit status */
	int (*last)(struct inputs *inputs); /* after all, also if one failed; NULL: nothing */
	const void *command;		    /* the command's own options */
	void *state;			    /* what it gathers over all inputs */
};

/*
 * Processes each operand, or standard input where there are none and it is no terminal; returns
 * the worst exit status, with that of the output, which it finishes.
 */
int inputs_run(struct inputs *inputs, char **operands);

/*
 * The columns that a list of names separated by commas asks for. False, and told, where there
 * is no column of a name.
 */
bool columns_parse(const char *names, poly_columns *columns);

/* True where a list of names separated by commas has the column site. */
bool columns_name_site(const char *names);

/*
 * The columns to be asked of a reader for a writer that may write those in columns, and says
 * which it looks at when it is open. Sites cost time: they are only written by name.
 */
poly_columns columns_to_write(poly_columns columns);

/* Tells that there is no column of a name of n bytes; returns false. */
bool columns_print_unknown(const char *name, size_t n);

/* The names of a set of columns as "a, b". */
void columns_format_names(poly_columns columns, char *text, size_t size);

/* How reports are to be rendered. */
enum poly_rendering rendering_of_options(const struct input_options *options);

/* False, and told, where the options contradict each other. */
bool rendering_is_valid(const struct input_options *options);

/* The name of a severity. */
const char *severity_name(enum poly_severity severity);

/* An empty report. */
struct poly_report *report_new(void);

/* Renders a report to an output and frees it; returns the exit status. */
int report_render(
	struct poly_report *report, const struct input_options *options, struct output *output);

#endif
