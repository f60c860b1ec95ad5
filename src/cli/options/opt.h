/* SPDX-License-Identifier: MIT */
/*
 * Options of commands as tables. The parser and the help read them, and a test compares them
 * with the manual pages.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {
	OPT_FLAG,   /* no value; the field is a bool */
	OPT_TEXT,   /* the field is a const char *, NULL by default */
	OPT_NUMBER, /* a count or a time, with the suffixes k, M, G and T: powers of 1000; the
		       field is a struct opt_number */
	OPT_SIZE,   /* a number of bytes, with the same suffixes: powers of 1024; the field is a
		       struct opt_number */
	OPT_RANGE,  /* the field is a struct opt_range */
	OPT_CHOICE, /* one of the words of choices; the field is the unsigned index */
	OPT_LIST,   /* repeatable; the field is a struct opt_list */
	OPT_HELP,   /* requests the help; no field */
};

struct opt_number {
	bool is_set;
	uint64_t value;
};

/* FIRST-LAST, or FIRST- for a range without an end: from 1, both included. */
struct opt_range {
	bool is_set;
	uint64_t first, last;
};

struct opt_list {
	const char **items; /* NULL at the end; NULL if the option is absent */
	size_t count;
};

/* One option. Tables end with a NULL name. */
struct opt {
	const char *name;	    /* without its dashes */
	char letter;		    /* short name, or 0 */
	enum opt_type type;	    /* of its value and field */
	const char *argument;	    /* name of its value in the help; NULL: no value */
	const char *const *choices; /* words of OPT_CHOICE, NULL at the end; of numbers the
				       maximum, and optionally the minimum, as decimal texts;
				       NULL: no limits */
	size_t field;		    /* offset in the command's struct of options */
	const char *help;	    /* one sentence, from its verb on */
};

enum opt_result {
	OPT_PARSED,
	OPT_WANTS_HELP, /* -h or --help is present */
	OPT_INVALID,	/* the message states why */
	OPT_UNKNOWN,	/* the message names an option that is similar to no known one */
};

/* Limits of OPT_NUMBER: at least 1; threads. Words of OPT_CHOICE: reactions to corrupt data. */
extern const char *const opt_from_one[], *const opt_threads[], *const opt_on_error[];

/* Room for a message of opt_parse. */
#define OPT_MESSAGE 300

/*
 * Parses arguments (NULL at the end) by the tables (NULL at the end) into fields, as GNU
 * getopt_long does: --name=value, --name value, -abc, -ovalue, --; options and operands mix,
 * but names are never abbreviated. Moves the operands to the front of arguments, followed by
 * NULL.
 */
enum opt_result opt_parse(const struct opt *const *tables, void *fields, char **arguments,
	char message[OPT_MESSAGE]);

/* Parses a count with an optional suffix k, M, G or T, a power of 1000; false: not valid. */
bool opt_parse_count(struct opt_number *number, const char *text);

/* The same of bytes: powers of 1024. */
bool opt_parse_size(struct opt_number *number, const char *text);

/* Frees the lists that opt_parse allocated. */
void opt_free(const struct opt *const *tables, void *fields);

/* Returns the edit distance of two words: letters to change, insert or delete. */
size_t opt_distance(const char *a, const char *b);

/* Returns whether a word at this distance from a known one can be a misspelling. */
bool opt_near(const char *word, size_t distance);

#endif
