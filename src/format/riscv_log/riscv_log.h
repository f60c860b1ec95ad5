/* SPDX-License-Identifier: MIT */
/*
 * Logs of RISC-V simulators and cores as text: records that all dialects share, and the
 * interface of a dialect, which parses lines into records and, if it can be written, formats
 * records.
 *
 * spec: polytrace-riscv-log(5)
 */
#ifndef FORMAT_RISCV_LOG_H
#define FORMAT_RISCV_LOG_H

#include "format/line/line.h"

#include "base/intern.h"

/* Maximum bytes of a record, which may have several lines. */
#define RV_RECORD_MAX ((size_t)64 << 10)

/* Bytes of the largest value whose digits are in a number. */
#define RV_NUMBER_BYTES 8

/* Number of control and status registers. */
#define RV_CSRS 4096

/* The rules, by their index in the table. */
enum rv_rule { R02, R03, R04, R05, R06, R07, RV_RULE_COUNT };

extern const struct poly_rule rv_rules[RV_RULE_COUNT + 1];

/* Values of the column record. */
enum rv_kind {
	RV_INSTRUCTION,
	RV_REGISTER,
	RV_MEMORY,
	RV_EXCEPTION,
	RV_VECTOR, /* the vector state that Spike prints */
	RV_SYMBOL,
	RV_REPEAT, /* executions that Spike counted instead of printing them */
	RV_HEADER,
	RV_TEXT,
	RV_CORRUPT,
	RV_KIND_COUNT
};

extern const char *const rv_kinds[RV_KIND_COUNT];

/* The type of an effect. */
enum rv_file { RV_X, RV_F, RV_V, RV_CSR, RV_READ, RV_WRITE, RV_FETCH, RV_STATE, RV_TRAP };

/* Bytes of a line, or of the writer's copies; not terminated. */
struct rv_span {
	const uint8_t *text;
	size_t size;
};

/* An effect of an instruction. */
struct rv_effect {
	uint8_t file;	 /* enum rv_file */
	bool has_value;	 /* value, or digits if it has more than RV_NUMBER_BYTES */
	uint16_t number; /* of the register */
	uint32_t size;	 /* of the register's value or the access in bytes; 0: not known */
	uint64_t address, value;
	struct rv_span digits; /* of a value of more than RV_NUMBER_BYTES */
	const uint8_t *start;  /* of its text in the line; NULL: not set */
	struct rv_span
		name; /* of RV_CSR, if the log has it; of RV_STATE and RV_TRAP its text */
};

/* A number of a record that other records may have instead. */
struct rv_field {
	const uint8_t *start;
	uint8_t size, form, column; /* form and column: see struct window */
};

/* Maximum number of them that are noted. */
#define RV_FIELDS_MAX 16

/* The numbers of a record that vary, in the order of its text. */
struct rv_fields {
	unsigned count; /* more than RV_FIELDS_MAX: some are missing */
	struct rv_field field[RV_FIELDS_MAX];
};

/* A record: an instruction with its effects, effects alone, or another line. */
struct rv_record {
	enum rv_kind is; /* of its first row; RV_REGISTER: it has effects alone */
	bool has_hart, has_opcode, has_id, has_time;
	bool is_trapped;   /* the instruction was not retired */
	bool is_shapeless; /* other numbers in its fields may change more than these */
	uint8_t pc_digits; /* of its address in the log; 0: they do not state the width */
	uint8_t opcode_size;
	uint32_t hart;
	uint64_t pc, opcode, id, time;
	const char *mode;    /* one of rv_modes; NULL: not stated */
	struct rv_span text; /* disassembly, or the text of another line; size 0: none */
	struct rv_span mnemonic;
	struct rv_effect *effects;
	uint32_t count, capacity;
	const uint8_t *start;	  /* of the next effect's text; or NULL */
	struct rv_fields *fields; /* or NULL */
	struct rv_effect
		*scratch; /* the only effect, instead of effects; NULL: all are stored */
	bool no_memory;
	const char *unread; /* what was ignored, after the quoted line; NULL: nothing */
};

/* What lines pass on to those after them. */
struct rv_state {
	uint32_t hart;
	uint64_t order, time;
};

/* The widths and choices of a log. */
struct rv_form {
	unsigned xlen;	    /* 32 or 64 */
	bool has_execution; /* Spike prints lines before execution, */
	bool has_commit;    /* and lines at commit */
};

/* A dialect. */
struct rv_dialect {
	const char *name;
	const char *producer; /* NULL: not known */
	/* What the logs do not record, in words of the comparison's option ignore; or NULL. */
	const char *unrecorded;
	bool is_variant;   /* its logs have lines of Spike, too */
	bool has_state;	   /* lines depend on those before them */
	bool has_text;	   /* instructions are written with their text */
	bool needs_mode;   /* instructions are written with their privilege level */
	bool is_predicted; /* effects have their start, numbers have fields */
	bool is_one_line;  /* the end of the line states facts of the instruction */
	uint16_t holds;	   /* effects that are written: one bit per enum rv_file */
	/* Returns whether a line can only be of this dialect. */
	bool (*recognise)(struct rv_span line);
	/*
	 * Parses a record into *record, which is cleared; *state is that after it. False: not
	 * a record of the dialect.
	 */
	bool (*parse)(struct rv_span text, struct rv_state *state, struct rv_record *record);
	/*
	 * Returns whether a line continues a record; next.text NULL: whether any line could.
	 * NULL: records have one line.
	 */
	bool (*joins)(struct rv_span record, struct rv_span next);
	/* Formats a record. NULL: the dialect is not written. */
	void (*format)(
		const struct rv_form *form, const struct rv_record *record, struct buf *out);
	const char *header; /* first lines of a written log; or NULL */
};

/* All dialects; those with format first, in the order of the option riscv.dialect, 1 being the
 * first. NULL-terminated. */
extern const struct rv_dialect *const rv_dialects[];

extern const struct rv_dialect rv_spike, rv_cva6, rv_sail, rv_rvvi, rv_riscv_dv, rv_ibex,
	rv_cv32e40p, rv_rocket, rv_whisper, rv_whisper_csv;

/* What a line of Spike shows of its version and options. */
enum rv_style {
	RV_STYLE_EXECUTION = 1,
	RV_STYLE_COMMIT = 2,
	RV_STYLE_BARE = 4,   /* a commit line without "core" */
	RV_STYLE_SPACED = 8, /* "x 5" */
	RV_STYLE_MEMORY = 16,
	RV_STYLE_CSR = 32,
};

/* Returns the bits of enum rv_style of a line. */
unsigned rv_spike_style(struct rv_span line);

/* Returns the name of a privilege level 0, 1 or 3: "U", "S", "M"; NULL for others. */
const char *rv_mode(unsigned level);

/* Returns the static copy of the name of a mode, U, S, M, HS, VS, VU or D; NULL for others. */
const char *rv_mode_of(struct rv_span name);

/* Returns the level of a mode's name, of this or another format; -1: not known. */
int rv_level(const char *mode);

/* Sets the opcode of an instruction and its size, which its low bits state. */
void rv_set_opcode(struct rv_record *record, uint64_t opcode);

/*
 * Returns what the rows of a record do not have of its line, to follow the quoted line; NULL:
 * nothing.
 */
const char *rv_find_unread(const struct rv_record *record);

/* Returns the bytes that an instruction reads or writes at an address; 0: not known. */
uint32_t rv_access_size(const struct rv_record *record);

/* Sets the size of an access whose value has the width of a register; 0: it stays. */
void rv_narrow(struct rv_effect *effect, uint32_t size);

/* Returns whether an instruction reads and writes memory at one address (AMO). */
bool rv_is_amo(const struct rv_record *record);

/* Sets the shape of a row of a record; is_written: only lines that the writer spells
 * differently have their bytes in rows. */
void rv_set_shape(const struct rv_dialect *dialect, const struct rv_record *record,
	bool is_written, const struct line *line);

/* Adds a cleared effect; NULL: out of memory, which the record remembers. */
struct rv_effect *rv_add(struct rv_record *record, enum rv_file file);

/* Clears a record; its memory stays. */
void rv_clear(struct rv_record *record);

/*
 * Finds the register of a name, as x5, t0, f10, fa0, v3; false: none of these. CSRs have their
 * own table.
 */
bool rv_find_register(struct rv_span name, enum rv_file *file, uint16_t *number);

/* The numbers of CSRs by name. */
struct rv_csrs {
	struct intern names;
	uint16_t numbers[RV_CSRS];
	bool no_memory; /* the table could not be filled */
};

/* Finds the number of a CSR's name, which may be a number with 0x; the table fills itself.
 * False: no such CSR, or no_memory. */
bool rv_find_csr(struct rv_csrs *csrs, struct rv_span name, uint16_t *number);

/* Appends the name of a register, as x5 or mstatus, to a buffer. */
void rv_append_register(struct buf *out, const struct rv_effect *effect);

/* Appends the last digits of a number in hexadecimal. */
void rv_append_hex(struct buf *out, uint64_t value, unsigned digits);

/* Appends a span. */
void rv_append_span(struct buf *out, struct rv_span span);

/* Appends a disassembly with single blanks between its words. */
void rv_append_text(struct buf *out, struct rv_span text);

/* Appends the value of an effect, digits of it at least; those of a larger value are all
 * written. */
void rv_append_value(struct buf *out, const struct rv_effect *effect, unsigned digits);

/* Returns the size of a register's value in a log. */
static inline unsigned
rv_digits(const struct rv_form *form, const struct rv_effect *effect)
{
	return effect->size && effect->size <= RV_NUMBER_BYTES ? 2 * effect->size
							       : form->xlen / 4;
}

/* Writer functions; see struct format. */
enum poly_status rv_wopen(struct writing *writing, struct poly_error *error);
enum poly_status rv_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status rv_wfinish(struct writing *writing, struct poly_error *error);
void rv_wclose(struct writing *writing);

/* The number of the option riscv.dialect. */
enum { RV_OPTION_DIALECT };

/* State of the writer. */
struct rv_writer {
	const struct rv_dialect *dialect;
	struct rv_form form;
	bool copies;	/* rows' own bytes are of the written dialect */
	bool has_begun; /* the first record was written, or needs no header */
	bool is_open;	/* record waits for its effects */
	struct rv_record record;
	struct buf bytes; /* that record's spans point into, after its end */
	struct buf line;
	struct rv_csrs csrs;
	uint8_t kinds[256]; /* by value of the source's column record */
	uint64_t id;
};

#endif
