/* SPDX-License-Identifier: MIT */
/* What formats there are, what each can carry, which options it takes and what is checked. */
#ifndef POLYTRACE_FORMAT_H
#define POLYTRACE_FORMAT_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an option's value is. */
enum poly_option_type {
	POLY_OPTION_BOOL,   /* 0 or 1 */
	POLY_OPTION_NUMBER, /* an unsigned number, decimal or 0x, from minimum to maximum; the
			       suffixes k, M, G and T are powers of 1000 */
	POLY_OPTION_CHOICE, /* one of the words of choices; the value is the word's index */
	POLY_OPTION_TEXT,   /* any text, which the format reads when it is opened */
	POLY_OPTION_SIZE,   /* a NUMBER of bytes, whose suffixes are powers of 1024 */
};

/* When an option counts; both may be set. */
enum poly_option_use {
	POLY_OPTION_READ = 1,  /* it changes how a trace is read */
	POLY_OPTION_WRITE = 2, /* it changes how a trace is written */
};

/*
 * An option of a format. Tables of them end with a NULL name; all are static. A text that is
 * the first option may be given behind the format's name and a colon: "text:pc:hex".
 */
struct poly_option {
	const char *name;	    /* as given by the user: "bach.endian" */
	enum poly_option_type type; /* what the value is */
	unsigned use;		    /* bits of enum poly_option_use */
	uint64_t initial;	    /* value where none is given; index for a choice */
	uint64_t minimum, maximum;  /* range of a NUMBER or SIZE, both included */
	const char *const *choices; /* words of a CHOICE, NULL at the end; initial of a TEXT */
	const char *help;	    /* one sentence: what it decides */
	const char *source;	    /* reference document and section, or NULL */
};

/* How bad a finding is. */
enum poly_severity {
	POLY_NOTE,    /* worth knowing */
	POLY_WARNING, /* legal or survivable, but not as expected; an error under strict reading
		       */
	POLY_ERROR,   /* not usable as what it claims to be */
};

/* Something that reading or checking a trace can find. Tables end with a NULL code; static. */
struct poly_rule {
	const char *code;	     /* "A05": stable, unique within the format */
	enum poly_severity severity; /* how bad it is */
	const char *title;	     /* one sentence: what has to hold */
	const char *source;	     /* reference document and section */
};

/* What the library knows of a format. Static and read-only: any thread may use it. */
struct poly_format_info {
	const char *name;	  /* as given to --from and --to */
	const char *family;	  /* formats of one family share their raw bytes */
	const char *title;	  /* one line */
	const char *extensions;	  /* usual endings without dots, separated by blanks */
	const char *spec;	  /* the document that defines the layout */
	bool can_read, can_write; /* which directions are built in */
	poly_columns columns;	  /* columns that its records can hold */
	poly_columns needs;	  /* columns without which nothing can be written */
	const char *needs_isa;	  /* instruction set that it is bound to, or NULL */
	const char *listing;	  /* format of its own tools' listing, or NULL */
	const char *summary;	  /* format of what its own tools tell of a trace, or NULL */
	bool holds_labels;	  /* labels of a trace are kept in it */
	const struct poly_option *options; /* never NULL */
	const struct poly_rule *rules;	   /* never NULL */
};

/* The version of the library as "1.2.3". Static. */
POLY_API const char *poly_version(void);

/* The i-th format from 0 in the order of the build's list; NULL after the last one. */
POLY_API const struct poly_format_info *poly_format_at(size_t i);

/* The format of a name, which ends at its first colon if it has any; NULL: there is none. */
POLY_API const struct poly_format_info *poly_format_find(const char *name);

/*
 * The format that a file name's ending asks for, after endings of compression (.gz .zst .xz
 * .bz2 .lz4) are taken off; only formats that can be written where writing is true. NULL
 * where no ending fits.
 */
POLY_API const struct poly_format_info *poly_format_by_name(const char *path, bool writing);

#ifdef __cplusplus
}
#endif

#endif
