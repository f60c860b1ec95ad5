/* SPDX-License-Identifier: MIT */
/* The registered formats: their columns, options and rules. */
#ifndef POLYTRACE_FORMAT_H
#define POLYTRACE_FORMAT_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of an option's value. */
enum poly_option_type {
	POLY_OPTION_BOOL,   /* 0 or 1 */
	POLY_OPTION_NUMBER, /* an unsigned number, decimal or 0x, from minimum to maximum; the
			       suffixes k, M, G and T are powers of 1000 */
	POLY_OPTION_CHOICE, /* one of the words of choices; the value is the word's index */
	POLY_OPTION_TEXT,   /* any text, which the format parses when it is opened */
	POLY_OPTION_SIZE,   /* a NUMBER of bytes, whose suffixes are powers of 1024 */
};

/* When an option applies; both may be set. */
enum poly_option_use {
	POLY_OPTION_READ = 1,  /* it changes how a trace is read */
	POLY_OPTION_WRITE = 2, /* it changes how a trace is written */
};

/*
 * An option of a format. Tables end with a NULL name; all are static. If the first option is a
 * TEXT, its value may follow the format's name and a colon: "text:pc:hex".
 */
struct poly_option {
	const char *name;	    /* as the user writes it: "bach.endian" */
	enum poly_option_type type; /* type of the value */
	unsigned use;		    /* bits of enum poly_option_use; 0: of an analysis */
	uint64_t initial;	    /* default value; index for a choice */
	uint64_t minimum, maximum;  /* range of a NUMBER or SIZE, both included */
	const char *const *choices; /* words of a CHOICE, NULL at the end; initial of a TEXT */
	const char *help;	    /* one sentence: its effect */
	const char *source;	    /* reference document and section, or NULL */
};

/* The severity of a finding. */
enum poly_severity {
	POLY_NOTE,    /* information only */
	POLY_WARNING, /* legal or recoverable, but unexpected; an error under strict */
	POLY_ERROR,   /* not usable as a trace of the format */
};

/* A rule that reading or checking a trace tests. Tables end with a NULL code; static. */
struct poly_rule {
	const char *code;	     /* "A05": stable, unique within the format */
	enum poly_severity severity; /* of its findings */
	const char *title;	     /* one sentence: the condition that must hold */
	const char *source;	     /* reference document and section */
};

/* The description of a format. Static and read-only: any thread may use it. */
struct poly_format_info {
	const char *name;	  /* as in the options of readers and writers */
	const char *family;	  /* formats of one family share their raw bytes */
	const char *title;	  /* one line */
	const char *extensions;	  /* file name extensions without dots, separated by blanks */
	const char *spec;	  /* the document that defines the layout */
	bool can_read, can_write; /* which directions are built in */
	poly_columns columns;	  /* columns that its records can hold */
	poly_columns needs;	  /* columns that a writer requires */
	const char *needs_isa;	  /* the only instruction set, or NULL */
	const char *listing;	  /* format of the listing of its own tools, or NULL */
	const char *summary;	  /* format of the summary of its own tools, or NULL */
	bool holds_labels;	  /* it stores the labels of a trace */
	const struct poly_option *options; /* never NULL */
	const struct poly_rule *rules;	   /* never NULL */
	/*
	 * Names by the numbers of the columns src1, src2 and dest; NULL: no names. An element
	 * is NULL if its number has no name.
	 */
	const char *const *registers;
	unsigned register_count; /* elements of registers */
};

/* What the records of a format may have, and what its writer stores of other traces. */
struct poly_format_content {
	const char *users; /* programs and courses that use it */
	/*
	 * Kinds of its records, as a set of POLY_KIND_BIT, without kind other if such records
	 * are only undefined bytes. own_kinds: those of them that its writer drops, and counts,
	 * unless the trace is of the format's family.
	 */
	unsigned kinds, own_kinds;
	/*
	 * Columns that its writer stores only if the trace is of the format's family, or an
	 * option requests it.
	 */
	poly_columns own_columns;
	/*
	 * Columns that a written trace has even if its source has not: they follow from other
	 * columns, or have default values. Those that are in own_columns, too, always follow.
	 */
	poly_columns fills;
};

/* The bit of a kind of records in a set: POLY_KIND_BIT(ACCESS). */
#define POLY_KIND_BIT(kind) (1u << POLY_KIND_##kind)

/* The set of all kinds. */
#define POLY_KINDS_ALL ((1u << POLY_KIND_COUNT) - 1)

/* Returns the i-th format from 0 in the order of the build's list; NULL after the last one. */
POLY_API const struct poly_format_info *poly_format_at(size_t i);

/* Returns the format of a name, ignoring a colon and what follows it; NULL: no such format. */
POLY_API const struct poly_format_info *poly_format_find(const char *name);

/* Returns the content of a format of the build's list; NULL: not one of these formats. */
POLY_API const struct poly_format_content *poly_format_content_of(
	const struct poly_format_info *format);

/* Returns whether the records of a format of the build's list are lines of text. */
POLY_API bool poly_format_is_text(const struct poly_format_info *format);

/*
 * Returns the format of a file name's extension, after removing extensions of compression (.gz
 * .zst .xz .bz2 .lz4); if writing is true, only formats that can be written. NULL: no format
 * has the extension.
 */
POLY_API const struct poly_format_info *poly_format_by_name(const char *path, bool writing);

#ifdef __cplusplus
}
#endif

#endif
