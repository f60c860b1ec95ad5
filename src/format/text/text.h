/* SPDX-License-Identifier: MIT */
/*
 * Text whose lines the user describes. A description is read once into steps, which take a line
 * to pieces or put one together.
 *
 * spec: polytrace-text(5)
 */
#ifndef FORMAT_TEXT_TEXT_H
#define FORMAT_TEXT_TEXT_H

#include "format/line.h"

/* Bytes of the longest line and of the longest description. */
#define TEXT_LINE_MOST ((size_t)16 << 10)
#define TEXT_DESCRIPTION_MOST 1000

/* Most fields and constants, spellings of all of them together, and steps. */
#define TEXT_FIELDS_MOST 48
#define TEXT_WORDS_MOST 128
#define TEXT_STEPS_MOST 160

enum { TEXT_OPTION_COLUMNS, TEXT_OPTION_SEPARATOR, TEXT_OPTION_COMMENT, TEXT_OPTION_SKIP };

enum text_rule { TEXT_T01, TEXT_T02, TEXT_T03, TEXT_T04 };

/* Values of the column record. */
enum text_record {
	TEXT_LINE,
	TEXT_HEADER,
	TEXT_COMMENT,
	TEXT_BLANK,
	TEXT_DAMAGED,
	TEXT_RECORD_COUNT
};

/* How a field is written. */
enum text_form {
	TEXT_HEX,
	TEXT_DECIMAL,
	TEXT_OCTAL,
	TEXT_AUTO,  /* hexadecimal with 0x, octal with a 0 in front, or decimal */
	TEXT_WORDS, /* only as one of its spellings */
	TEXT_NAME,
	TEXT_TOKEN, /* text up to the end of the field */
	TEXT_REST,  /* text up to the end of the line */
	TEXT_SKIP,  /* anything, which no column holds */
};

/* Bytes of the description. */
struct text_part {
	uint16_t at, size;
};

/* How a value is spelled; not present: so is an absent one. */
struct text_word {
	struct text_part spelling;
	bool present;
	uint64_t value;
};

struct text_field {
	enum poly_column column; /* POLY_COLUMN_COUNT where it is skipped */
	enum text_form form;
	bool prefix;		   /* hexadecimal is written with 0x */
	bool named;		   /* names of an enumeration are its spellings */
	bool constant;		   /* it is in no line: value is the same in all of them */
	bool windowed;		   /* its number may be predicted, see text_plan_windows */
	uint8_t digits;		   /* least digits of a number that is written */
	uint8_t first_word, words; /* its spellings */
	uint64_t value;
	struct text_part name; /* a constant's, of a column of names */
};

enum text_step_kind {
	TEXT_STEP_FIELD,
	TEXT_STEP_LITERAL,
	TEXT_STEP_GAP, /* the separator */
	TEXT_STEP_END,
};

struct text_step {
	enum text_step_kind kind;
	uint8_t field;		  /* of a FIELD */
	struct text_part literal; /* of a LITERAL */
	bool optional;		  /* of a GAP: the line may end before it */
	bool open;		  /* of an END: anything may stand behind */
};

/* A description that was read. */
struct text_description {
	char text[TEXT_DESCRIPTION_MOST + 1];
	char separator; /* a character, or 0: white space */
	struct text_field fields[TEXT_FIELDS_MOST];
	uint8_t field_count;
	struct text_word words[TEXT_WORDS_MOST];
	uint8_t word_count;
	struct text_step steps[TEXT_STEPS_MOST]; /* up to an END */
	uint8_t step_count;
	poly_columns columns; /* of its fields */
	poly_columns constants;
};

/*
 * Reads a description; separator is that of the option. POLY_ERR_USAGE: the message says what
 * was expected, and shows the place in lines of their own.
 */
enum poly_status text_describe(struct text_description *to, const char *text,
	const char *separator, struct poly_error *error);

/* The spelling of a value of a field, of an absent one where present is false; or NULL. */
const struct text_word *text_word_of(const struct text_description *description,
	const struct text_field *field, bool present, uint64_t value);

/* What the fields of a line say. */
struct text_values {
	bool exact; /* it would be written so */
	bool present[TEXT_FIELDS_MOST];
	uint64_t value[TEXT_FIELDS_MOST]; /* of numbers and enumerations */
	struct text_bytes {
		const uint8_t *text;
		size_t size;
	} bytes[TEXT_FIELDS_MOST]; /* of names and texts */
};

/* Takes a line of size bytes without its end to pieces; false, with fault, where it is none. */
bool text_parse(const struct text_description *description, const uint8_t *line, size_t size,
	struct text_values *values, struct line_fault *fault);

/* A separator is followed by blanks that mean nothing, and white space consists of them. */
static inline bool
text_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* Where a description's part stands. */
static inline const char *
text_at(const struct text_description *description, struct text_part part)
{
	return description->text + part.at;
}

/* The bytes from text on up to those of a literal, or n where it does not occur. */
size_t text_before(const uint8_t *text, size_t n, const char *literal, size_t size);

/*
 * Settles which fields are numbers that change from line to line and nothing else: the digits
 * of another one could not be taken for something else in the line. Returns their columns.
 */
poly_columns text_plan_windows(struct text_description *description, const char *comment);

/* Says of a line that was taken to pieces what of it may change. */
void text_shape(const struct text_description *description, const struct text_values *values,
	struct line_shape *shape);

struct text_reader {
	struct lines lines;
	struct line_format format;
	struct text_description description;
	char comment[32];    /* what a comment begins with; empty: there are none */
	uint64_t header_end; /* offset of the first line that is described */
};

struct text_writer {
	struct text_description description;
	bool keeps; /* rows' own bytes are written as they are */
	struct buf line;
};

enum poly_status text_wopen(struct writing *writing, struct poly_error *error);
enum poly_status text_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
void text_wclose(struct writing *writing);

#endif
