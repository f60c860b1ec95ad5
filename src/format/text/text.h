/* SPDX-License-Identifier: MIT */
/*
 * Text whose lines the user describes. A description is compiled once into steps, which parse
 * or write a line.
 *
 * spec: polytrace-text(5)
 */
#ifndef FORMAT_TEXT_TEXT_H
#define FORMAT_TEXT_TEXT_H

#include "format/line/line.h"

/* Bytes of the longest line and of the longest description. */
#define TEXT_LINE_MAX ((size_t)16 << 10)
#define TEXT_DESCRIPTION_MAX 1000

/* Maximum number of fields and constants, of all their spellings, and of steps. */
#define TEXT_FIELDS_MAX 48
#define TEXT_WORDS_MAX 128
#define TEXT_STEPS_MAX 160

enum { TEXT_OPTION_COLUMNS, TEXT_OPTION_SEPARATOR, TEXT_OPTION_COMMENT, TEXT_OPTION_SKIP };

enum text_rule { TEXT_X01, TEXT_X02, TEXT_X03, TEXT_X04 };

/* Values of the column record. */
enum text_record {
	TEXT_LINE,
	TEXT_HEADER,
	TEXT_COMMENT,
	TEXT_BLANK,
	TEXT_CORRUPT,
	TEXT_RECORD_COUNT
};

/* Spelling of a field. */
enum text_form {
	TEXT_HEX,
	TEXT_DECIMAL,
	TEXT_OCTAL,
	TEXT_AUTO,  /* hexadecimal with 0x, octal with a leading 0, or decimal */
	TEXT_WORDS, /* only as one of its spellings */
	TEXT_NAME,
	TEXT_TOKEN, /* text up to the end of the field */
	TEXT_REST,  /* text up to the end of the line */
	TEXT_SKIP,  /* any text, which no column holds */
};

/* A slice of the description. */
struct text_slice {
	uint16_t at, size;
};

/* A spelling of a value; not present: of an absent value. */
struct text_word {
	struct text_slice spelling;
	bool present;
	uint64_t value;
};

struct text_field {
	enum poly_column column; /* POLY_COLUMN_COUNT if it is skipped */
	enum text_form form;
	bool prefix;		   /* hexadecimal is written with 0x */
	bool named;		   /* the spellings are the enumeration's names */
	bool constant;		   /* not part of lines: value is the same in all rows */
	bool variable;		   /* its number is predicted, see text_plan_variable_fields */
	uint8_t digits;		   /* minimum digits of a written number */
	uint8_t first_word, words; /* its spellings */
	uint64_t value;
	struct text_slice name; /* value of a constant in a column of names */
};

enum text_step_kind {
	TEXT_STEP_FIELD,
	TEXT_STEP_LITERAL,
	TEXT_STEP_GAP, /* the separator */
	TEXT_STEP_END,
};

struct text_step {
	enum text_step_kind kind;
	uint8_t field;		   /* of a FIELD */
	struct text_slice literal; /* of a LITERAL */
	bool optional;		   /* of a GAP: the line may end before it */
	bool open;		   /* of an END: any text may follow */
};

/* A compiled description. */
struct text_description {
	char text[TEXT_DESCRIPTION_MAX + 1];
	char separator; /* a character, or 0: white space */
	struct text_field fields[TEXT_FIELDS_MAX];
	uint8_t field_count;
	struct text_word words[TEXT_WORDS_MAX];
	uint8_t word_count;
	struct text_step steps[TEXT_STEPS_MAX]; /* up to an END */
	uint8_t step_count;
	poly_columns columns; /* of its fields */
	poly_columns constants;
};

/*
 * Compiles a description; separator is the value of the option. POLY_ERR_USAGE: the message
 * states what was expected, and marks the position by a caret.
 */
enum poly_status text_describe(struct text_description *description, const char *text,
	const char *separator, struct poly_error *error);

/*
 * Returns the spelling of a field's value, or of an absent value if present is false; or NULL.
 */
const struct text_word *text_word_of(const struct text_description *description,
	const struct text_field *field, bool present, uint64_t value);

/* Values of the fields of a line. */
struct text_values {
	bool exact; /* spelled as the writer spells it */
	bool present[TEXT_FIELDS_MAX];
	uint64_t value[TEXT_FIELDS_MAX]; /* of numbers and enumerations */
	struct text_bytes {
		const uint8_t *text;
		size_t size;
	} bytes[TEXT_FIELDS_MAX]; /* of names and texts */
};

/* Parses a line of size bytes without its newline; false, with fault, if it does not match. */
bool text_parse(const struct text_description *description, const uint8_t *line, size_t size,
	struct text_values *values, struct line_fault *fault);

/* Blanks are white space, and are ignored around other separators. */
static inline bool
text_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* Returns the text of a slice. */
static inline const char *
text_at(const struct text_description *description, struct text_slice slice)
{
	return description->text + slice.at;
}

/* Returns the size of the text before a literal, or n if the literal does not occur. */
size_t text_before(const uint8_t *text, size_t n, const char *literal, size_t size);

/*
 * Chooses the numeric fields that line templates treat as variable: their digits cannot be
 * mistaken for another part of the line. Returns their columns.
 */
poly_columns text_plan_variable_fields(
	struct text_description *description, const char *comment);

/* Sets the template of a parsed line: its variable fields. */
void text_set_template(const struct text_description *description,
	const struct text_values *values, struct line_shape *shape);

struct text_reader {
	struct lines lines;
	struct line_format format;
	struct text_description description;
	char comment[32];    /* leading text of comments; empty: no comments */
	uint64_t header_end; /* offset of the first line after the headings */
};

struct text_writer {
	struct text_description description;
	bool copies_raw; /* rows' own bytes are copied */
	struct buf line;
	bool is_preset; /* writes memory accesses alone */
};

enum poly_status text_preset_wopen(
	struct writing *writing, const char *columns, struct poly_error *error);
enum poly_status text_wopen(struct writing *writing, struct poly_error *error);
enum poly_status text_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
void text_wclose(struct writing *writing);

#endif
