/* SPDX-License-Identifier: MIT */
/*
 * Lines of QEMU4V and Tarmac traces, and declarations shared by their readers, writers and
 * rules.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#ifndef FORMAT_QEMU4V_H
#define FORMAT_QEMU4V_H

#include "format/line/line.h"

#include "base/bits.h"
#include "base/map.h"

/* Bytes of the longest line that is read. */
#define QEMU4V_LINE_MAX 16384

/* Hexadecimal digits of the longest opcode. */
#define QEMU4V_OPCODE_DIGITS 30

/* Hexadecimal digits of the longest data that the writer writes. */
#define QEMU4V_DATA_DIGITS 4096

/* Indexes into qemu4v_rules. */
enum qemu4v_rule {
	QEMU4V_Q01,
	QEMU4V_Q02,
	QEMU4V_Q03,
	QEMU4V_Q04,
	QEMU4V_Q05,
	QEMU4V_Q06,
	QEMU4V_Q07,
	QEMU4V_Q08,
	QEMU4V_Q09,
	QEMU4V_Q10,
	QEMU4V_Q11,
	QEMU4V_Q12,
	QEMU4V_Q13,
	QEMU4V_Q14,
	QEMU4V_Q15,
	QEMU4V_Q16,
	QEMU4V_Q17,
	QEMU4V_Q18,
	QEMU4V_Q19,
	QEMU4V_Q20,
	QEMU4V_Q21,
	QEMU4V_RULE_COUNT
};

extern const struct poly_rule qemu4v_rules[QEMU4V_RULE_COUNT + 1];

/* Values of the column record: the classes of lines. */
enum qemu4v_record {
	QEMU4V_INSTRUCTION,
	QEMU4V_MEMORY,
	QEMU4V_REGISTER,
	QEMU4V_FLOW,  /* FD, FI, FR: a transfer of control */
	QEMU4V_EVENT, /* E */
	QEMU4V_BUS,   /* BR, BW: a bus cycle */
	/* Records that only Tarmac has. */
	QEMU4V_PICTURE,	    /* LD, ST: a memory dump */
	QEMU4V_EXCEPTION,   /* EXC, Reset */
	QEMU4V_BRANCH,	    /* BR: the target of a branch */
	QEMU4V_OPERATION,   /* R DC, R IC, R TLBI, R AT: a system operation */
	QEMU4V_COPROCESSOR, /* MCR, MCW: a transfer from or to a coprocessor */
	QEMU4V_TEXT,	    /* SIGNAL: and other known tags with text */
	/* Lines that are not records. */
	QEMU4V_BLANK,	/* nothing but white space */
	QEMU4V_COMMENT, /* a line with a leading #, and the heading of Tarmac files */
	QEMU4V_OTHER,	/* any other line */
	QEMU4V_CORRUPT, /* a truncated last line, or skipped bytes */
	QEMU4V_RECORD_COUNT
};

/* Options, in the order of the table. */
enum qemu4v_option {
	QEMU4V_OPTION_OWNER,
	QEMU4V_OPTION_DATA,
	QEMU4V_OPTION_UNIT,
	QEMU4V_OPTION_PROFILE,			  /* of the format qemu4v alone */
	TARMAC_OPTION_CPU = QEMU4V_OPTION_PROFILE /* of the format tarmac alone */
};

/* Values of the options. */
enum qemu4v_owner { QEMU4V_OWNER_INSTRUCTION, QEMU4V_OWNER_NONE };
enum qemu4v_data { QEMU4V_DATA_VALUE, QEMU4V_DATA_MEMORY };
extern const char *const qemu4v_data_orders[];
enum tarmac_cpu { TARMAC_CPU_AUTO, TARMAC_CPU_ALWAYS, TARMAC_CPU_NEVER };
enum qemu4v_profile { QEMU4V_PROFILE_QEMU4V, QEMU4V_PROFILE_MICROTESK };

/* A word of a line; not terminated, and empty if the line lacks it. */
struct qemu4v_word {
	const uint8_t *text;
	size_t length;
};

/* Hexadecimal digits of an opcode, a value or moved data. */
struct qemu4v_digits {
	struct qemu4v_word word; /* all digits, with separators */
	size_t count;		 /* hexadecimal digits in it */
	size_t unknown;		 /* unknown digits: x, - or # */
	uint64_t value;		 /* of the last 16 digits */
};

/* Source of a line's time. */
enum qemu4v_stamp {
	QEMU4V_STAMP_NONE,   /* it has none */
	QEMU4V_STAMP_BEFORE, /* the previous line's, as the line is indented */
	QEMU4V_STAMP_OWN
};

/* A parsed line. Fields that its record type lacks are undefined. */
struct qemu4v {
	enum qemu4v_record is;
	enum qemu4v_stamp stamp;
	bool plain;   /* spelled as in the strict profile, except for widths, unit and cpu */
	bool foreign; /* spelled in a way that QEMU4V does not have and other fields do not show
		       */
	bool has_time, has_cpu, has_id, has_real, has_executed, has_pc;
	bool executed, ended;
	bool rest;    /* of a register: more than annotations follow the value */
	bool fetch;   /* the access is an instruction fetch */
	bool swapped; /* set by the reader: data are in memory order */
	char access;  /* R or W */
	char bus;     /* letter between the M and access; 0: none */
	uint32_t cpu;
	uint32_t size;		  /* bytes of memory */
	unsigned fraction_digits; /* after the time's decimal point */
	unsigned address_digits;
	uint64_t time, fraction, id, address, real;
	uint64_t pc; /* of the access's instruction; target of a transfer of control */
	struct qemu4v_digits data; /* opcode, data, value; count and unknown 0: none */
	struct qemu4v_word unit, cpu_name, iset, mode, security, attributes, reg, text;
	struct qemu4v_word time_text, id_text, address_text, real_text; /* the digits */
};

/* Parses a line; the words point into it. */
void qemu4v_parse(const uint8_t *text, size_t size, bool ended, struct qemu4v *line);

/*
 * Parses a line that may continue the memory dump before it; false if it does not have that
 * form. Sets address, access R, and data.word to the four groups.
 */
bool qemu4v_parse_rest(const uint8_t *text, size_t size, bool ended, struct qemu4v *line);

/* Bytes of a line of a memory dump. */
#define QEMU4V_PICTURE_BYTES 16

/* A run of present bytes of a memory dump. */
struct qemu4v_run {
	unsigned place, size; /* offset from the dump's address, and size in bytes */
	bool known;	      /* all of them */
	uint8_t bytes[QEMU4V_PICTURE_BYTES]; /* highest address first */
};

/* Finds the i-th run from 0, lowest address first; returns the number of runs. */
unsigned qemu4v_run(const struct qemu4v *line, unsigned i, struct qemu4v_run *run);

/* Converts an even number of digits to bytes; returns their number. */
size_t qemu4v_bytes(const struct qemu4v_digits *digits, uint8_t *dst);

/* True for known units of time. */
bool qemu4v_is_unit(const uint8_t *text, size_t n);

/* Returns a value of size bytes (1 to 8) in reversed byte order. */
uint64_t qemu4v_swap_value(uint64_t value, uint32_t size);

/* Reverses the order of n bytes. */
void qemu4v_swap_bytes(uint8_t *bytes, size_t n);

/* Default digits of a translated address. */
#define QEMU4V_REAL_DIGITS 12

/* Returns the digits of a written address; `digits` is the trace's common width. */
static inline unsigned
qemu4v_address_digits(uint64_t address, unsigned digits)
{
	return address >> (4 * digits - 1) >> 1 ? 16 : digits;
}

/* Maximum registers whose width, and addresses whose opcode, the rules track. */
#define QEMU4V_REGISTERS_MAX 4096
#define QEMU4V_ADDRESSES_MAX ((size_t)1 << 20)

/* Maximum processors whose instruction numbers the rules track. */
#define QEMU4V_CPUS_MAX 64

/* Where a decoder of chunks checks a batch: what the rules compare with rows before the chunk.
 */
struct qemu4v_firsts {
	bool has_time, has_insn; /* time and cpu are set */
	bool unowned;		 /* a row has no processor, as accesses of a single one */
	uint64_t time;
	uint32_t cpu;	   /* of the first instruction of the chunk */
	uint64_t numbered; /* by processor: ids has its first number */
	uint64_t ids[QEMU4V_CPUS_MAX];
};

/* State of the rules that follows from the last rows. */
struct qemu4v_sequence {
	uint64_t row_time; /* of the last row with one */
	bool has_time, has_insn, many_cpus;
	bool mixed;	   /* Q18 was reported */
	uint32_t cpu;	   /* of the last instruction */
	uint64_t numbered; /* by processor: ids has its last number */
	uint64_t ids[QEMU4V_CPUS_MAX];
	struct qemu4v_firsts firsts; /* of the batch */
};

/* State of the rules between rows. */
struct qemu4v_check {
	struct qemu4v_sequence sequence;
	/* The reader's, after all that decoders have. */
	uint16_t widths[QEMU4V_REGISTERS_MAX];
	struct map opcodes;
};

/* Checks the rules on a batch; see struct format for these. */
void qemu4v_check(struct reading *reading, const struct poly_batch *batch);
bool qemu4v_check_fits(const struct reading *reading, const void *state);
void qemu4v_check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row);
void qemu4v_check_adopt(struct reading *reading, const struct poly_batch *batch,
	const void *state, uint64_t first);

/* Unit of the column time: ten to the exponent seconds, or a unit that is not physical. */
struct qemu4v_clock {
	struct qemu4v_word unit; /* as it is written */
	uint64_t bytes, mask;	 /* of its first eight bytes; match no line if it is longer */
	int exponent;		 /* of ten seconds; of ten units if not physical */
	bool physical;
};

/* Returns the clock for times with a unit and a number of fraction digits. */
struct qemu4v_clock qemu4v_clock(const struct qemu4v_word *unit, unsigned fraction_digits);

/* Names of the units to which times can be converted. */
extern const char *const qemu4v_units[];

/* Writes the clock's name to text, which holds 40 bytes. */
const char *qemu4v_clock_name(const struct qemu4v_clock *clock, char *text);

/* As qemu4v_time, for a time in another unit or with a fraction. */
bool qemu4v_convert_time(
	const struct qemu4v_clock *clock, const struct qemu4v *line, uint64_t *time);

/* True if a line's time counts ticks of a clock without conversion. */
static inline bool
qemu4v_is_ticks(const struct qemu4v_clock *clock, const struct qemu4v *line)
{
	return line->unit.length == clock->unit.length && !line->fraction_digits &&
	       (load_le64(line->unit.text) & clock->mask) == clock->bytes;
}

/* Converts the time of a line to a clock; false, and *time unchanged, if it cannot. */
static inline bool
qemu4v_time(const struct qemu4v_clock *clock, const struct qemu4v *line, uint64_t *time)
{
	if (!line->has_time || !qemu4v_is_ticks(clock, line))
		return line->has_time && qemu4v_convert_time(clock, line, time);
	*time = line->time;
	return true;
}

/* Values of the column time of lines without one, until qemu4v_resolve. */
#define QEMU4V_TIME_BEFORE UINT64_MAX	     /* the time of the previous line */
#define QEMU4V_TIME_UNKNOWN (UINT64_MAX - 1) /* the clock cannot express it */

/* Maximum number of named processors that get a number. */
#define QEMU4V_NAMED_MAX 256

/* Context that records inherit from earlier records. */
struct qemu4v_context {
	bool timed; /* time is that of the last record with one */
	uint64_t time;
	bool owns; /* the last instruction has a processor and a time */
	uint32_t owner;
	uint64_t owner_time;
	uint32_t next; /* number of the next processor with a name */
	size_t named;
	struct {
		uint32_t name, cpu;
	} names[QEMU4V_NAMED_MAX];
};

/* The last memory dump, which the next line may continue. */
struct qemu4v_picture {
	uint64_t at, end; /* offsets of its last line, and of the end of that line */
	bool continued;	  /* its last line is a continuation */
	unsigned column;  /* of its address in the first line, from 0 */
	char access;
	bool has_cpu;
	uint32_t cpu;
	bool has_name;
	uint32_t name; /* of its processor */
};

/* Slots of the cache of names, before the table of all names. */
#define QEMU4V_NAME_SLOTS 256

/* A cached name and its number; text is NULL in an empty slot. */
struct qemu4v_name {
	const char *text;
	size_t length;
	uint64_t bytes; /* the first eight */
	uint32_t number;
};

/* State of the readers; see struct format. */
struct qemu4v_reader {
	struct lines lines;
	struct qemu4v_clock clock; /* of the column time */
	struct qemu4v_word unit;   /* of the first time; default "clk" */
	unsigned address_digits;
	bool tarmac; /* it is read as the format tarmac */
	bool memory_order, owns;
	bool numbers; /* processors with a name get numbers */
	bool unended; /* the last line had no newline */
	struct qemu4v_context context;
	struct qemu4v_picture picture;
	struct qemu4v_name known[QEMU4V_NAME_SLOTS];
	struct qemu4v_check check;
};

/* Finds the number of a name; false if it cannot be stored. */
bool qemu4v_find_name(
	struct reading *reading, const struct qemu4v_word *word, uint32_t *number);

/* Parses a line into a row; see struct line_format. */
bool qemu4v_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *text, struct line_fault *fault);

/* Counts of the lines at the front of an input, by their class. */
struct qemu4v_sample {
	size_t records, others;
	char unit[16];		  /* of the first record; empty: none */
	unsigned fraction_digits; /* of its time */
	unsigned address_digits;  /* of the first address; 0: none */
	size_t foreign;		  /* first line from 1 that is not QEMU4V; 0: none */
	const char *why;	  /* the form that it has */
	bool heading;		  /* the first line is that of Tarmac files */
	bool named;		  /* a processor has a name and no number */
	bool several;		  /* a processor has a number above 0 */
};

/* Bytes of the sample at the front of an input. */
#define QEMU4V_SAMPLE_BYTES ((size_t)32 << 10)

void qemu4v_sample(struct qemu4v_sample *sample, const uint8_t *p, size_t n);

int qemu4v_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);
int qemu4v_probe_tarmac(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

/* Returns the columns that qemu4v_resolve needs; see struct format. */
poly_columns qemu4v_also(const struct reading *reading, poly_columns wanted);

/*
 * Fills in the values that rows of a batch inherit from others: times of indented lines,
 * numbers of named processors, and the processor of accesses and registers. Batches must be
 * consecutive. Needs the columns of qemu4v_also.
 */
void qemu4v_resolve(
	struct reading *reading, struct qemu4v_context *context, struct batch *batch);

/*
 * Implements struct format's cut: splits before an instruction whose time differs from that of
 * the previous line, so that no record inherits its processor across the split.
 */
size_t qemu4v_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);

/* State of the writers; see struct format. */
struct qemu4v_writer {
	char unit[16];
	unsigned address_digits;
	bool tarmac;	   /* the format is tarmac */
	bool microtesk;	   /* as MicroTESK writes QEMU4V */
	bool memory_order; /* data are written in memory order */
	bool copies_lines; /* rows' own bytes are of this format, and are copied */
	bool same_order;   /* copied data have the requested byte order */
	/* Of conversions to Tarmac: see tarmac.h. */
	bool converts;	 /* lines are written in the forms that Arm's tools read */
	bool rewrites;	 /* the source's lines are of Tarmac */
	uint8_t machine; /* its registers; bits of tarmac.c, 0: not Arm's */
	enum { TARMAC_CPUS_NONE, TARMAC_CPUS_EVERY, TARMAC_CPUS_UNKNOWN } cpus;
	uint64_t time_factor, time_divisor;
	uint64_t count;	    /* instructions written, except for copied lines */
	uint64_t copied;    /* number of copied times that last_time reflects */
	uint64_t last_time; /* of the last line */
};

enum poly_status qemu4v_wopen(struct writing *writing, struct poly_error *error);
enum poly_status qemu4v_wopen_tarmac(struct writing *writing, struct poly_error *error);
enum poly_status qemu4v_write_row(struct writing *writing, const struct poly_batch *batch,
	size_t row, struct poly_error *error);

/* Moves the state past rows; see struct format. */
bool qemu4v_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count);

#endif
