/* SPDX-License-Identifier: MIT */
/*
 * Options of commands as tables: parsing and help are made from them, and a test holds the
 * manual pages against them.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {
	OPT_FLAG,   /* takes nothing; the field is a bool */
	OPT_TEXT,   /* the field is a const char *, NULL where not given */
	OPT_NUMBER, /* the field is a struct opt_number */
	OPT_RANGE,  /* the field is a struct opt_range */
	OPT_CHOICE, /* one of the words of choices; the field is the unsigned index */
	OPT_LIST,   /* may be given often; the field is a struct opt_list */
	OPT_HELP,   /* asks for the help; no field */
};

struct opt_number {
	bool given;
	uint64_t value;
};

/* FIRST-LAST, or FIRST- for what has no end: from 1, both included. */
struct opt_range {
	bool given;
	uint64_t first, last;
};

struct opt_list {
	const char **items; /* NULL at the end, or NULL where none was given */
	size_t count;
};

/* One option. Tables end with a NULL name. */
struct opt {
	const char *name;	    /* without its dashes */
	char letter;		    /* short name, or 0 */
	enum opt_type type;	    /* what it takes and fills */
	const char *argument;	    /* what it takes, as the help shows it; NULL: nothing */
	const char *const *choices; /* words of OPT_CHOICE, NULL at the end; for OPT_NUMBER the
				       largest number, or that and the smallest, or
				       NULL: any will do */
	size_t field;		    /* offset in the command's struct of options */
	const char *help;	    /* one sentence */
};

enum opt_result {
	OPT_PARSED,
	OPT_WANTS_HELP, /* -h or --help was among them */
	OPT_INVALID,	/* the message says why */
};

/* Of OPT_NUMBER: any but 0; threads. Of OPT_CHOICE: what to do at damage. */
extern const char *const opt_from_one[], *const opt_threads[], *const opt_on_error[];

/* Room for a message of opt_parse. */
#define OPT_MESSAGE 300

/*
 * Parses arguments (NULL at the end) by the tables (NULL at the end) into fields, in the manner
 * of GNU: --name=value, --name value, -abc, -ovalue, --; options and operands may be mixed, and
 * names are never abbreviated. The operands are moved to the front of arguments, with a NULL
 * behind them.
 */
enum opt_result opt_parse(const struct opt *const *tables, void *fields, char **arguments,
	char message[OPT_MESSAGE]);

/* Frees the lists that opt_parse made. */
void opt_free(const struct opt *const *tables, void *fields);

/* Writes the help of the tables' options through write, a line each. */
void opt_help(const struct opt *const *tables,
	int (*write)(void *user, const void *data, size_t size), void *user);

/* How far two words are apart: letters to change, add or take away. */
size_t opt_distance(const char *a, const char *b);

/* True where a word that is so far from a known one can be a slip. */
bool opt_near(const char *word, size_t distance);

#endif
