/* SPDX-License-Identifier: MIT */
/* The options of every command that reads. */
#ifndef CLI_INPUT_OPTIONS_H
#define CLI_INPUT_OPTIONS_H

#include "polytrace/polytrace.h"

#include "cli/options/opt.h"

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
	bool strict, partial, verbose, by_thread;
	unsigned on_error;
	bool json, csv, csv_safe, force;
	const char *table, *tables;
	/* Of commands that run simulators (cli/options/limits.h): */
	const char *limit;
	struct opt_number points;
	unsigned address; /* 1: real ones */
};

/* The options of an input. */
extern const struct opt input_table[];

/* The options that bound the records that are read, by their numbers; into the same struct. */
extern const struct opt bounds_table[];

/* The options that select among these records; into the same struct. */
extern const struct opt selection_table[];

/* --json, --csv and --csv-safe, into the same struct. */
extern const struct opt rendering_table[];

/* --table, of commands whose reports have several tables; into the same struct. */
extern const struct opt one_table_table[];

/* The same, and -o with --force: files of the tables. */
extern const struct opt tables_table[];

/* Derives the selection from the options; returns whether it may exclude records. */
bool input_options_select(
	const struct input_options *options, struct poly_selection_options *selection);

/* Returns whether the options may exclude records. */
bool input_is_selected(const struct input_options *options);

#endif
