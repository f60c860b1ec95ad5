/* SPDX-License-Identifier: MIT */
/*
 * Lines of QEMU4V and Tarmac traces, and what their readers, writers and rules share.
 *
 * spec: seed 002; reference qemu4v-tarmac
 */
#ifndef FORMAT_QEMU4V_H
#define FORMAT_QEMU4V_H

#include "format/line.h"

#include "base/bits.h"
#include "base/map.h"

/* Bytes of the longest line that is read. */
#define QEMU4V_LINE_MOST 16384

/* Hexadecimal digits of the longest opcode. */
#define QEMU4V_OPCODE_DIGITS 30

/* Hexadecimal digits of the longest data that the writer makes lines of. */
#define QEMU4V_DATA_DIGITS 4096

/* Indexes into qemu4v_rules, which are named as in reference qemu4v-tarmac 5. */
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
	QEMU4V_RULE_COUNT
};

extern const struct poly_rule qemu4v_rules[QEMU4V_RULE_COUNT + 1];

/* Values of the column record, and what a line may be. */
enum qemu4v_record {
	QEMU4V_INSTRUCTION,
	QEMU4V_MEMORY,
	QEMU4V_REGISTER,
	QEMU4V_FLOW,  /* FD, FI, FR: a transfer of control */
	QEMU4V_EVENT, /* E */
	QEMU4V_BUS,   /* BR, BW: a cycle of the bus */
	/* What QEMU4V does not have. */
	QEMU4V_PICTURE,	    /* LD, ST: bytes of memory as they lie there */
	QEMU4V_EXCEPTION,   /* EXC, Reset */
	QEMU4V_BRANCH,	    /* BR: where a branch went */
	QEMU4V_OPERATION,   /* R DC, R IC, R TLBI, R AT: a system operation */
	QEMU4V_COPROCESSOR, /* MCR, MCW: a transfer from or to a coprocessor */
	QEMU4V_TEXT,	    /* SIGNAL: and others that are known, and hold text */
	/* What is no record. */
	QEMU4V_BLANK,	/* nothing but white space */
	QEMU4V_COMMENT, /* what begins with #, and the heading of Tarmac files */
	QEMU4V_OTHER,	/* none of these */
	QEMU4V_DAMAGED, /* a last line that was cut off, or what was passed over */
	QEMU4V_RECORD_COUNT
};

/* Options, in the order of the table. */
enum qemu4v_option {
	QEMU4V_OPTION_OWNER,
	QEMU4V_OPTION_DATA,
	QEMU4V_OPTION_UNIT,
	QEMU4V_OPTION_PROFILE /* of the format qemu4v alone */
};

/* Words of a choice. */
enum qemu4v_owner { QEMU4V_OWNER_INSTRUCTION, QEMU4V_OWNER_NONE };
enum qemu4v_data { QEMU4V_DATA_VALUE, QEMU4V_DATA_MEMORY };
extern const char *const qemu4v_data_orders[];
enum qemu4v_profile { QEMU4V_PROFILE_SEED, QEMU4V_PROFILE_MICROTESK };

/* A part of a line; not terminated, and empty where the line lacks it. */
struct qemu4v_word {
	const uint8_t *text;
	size_t length;
};

/* Hexadecimal digits of an opcode, a value or moved data. */
struct qemu4v_digits {
	struct qemu4v_word word; /* all of it, with separators */
	size_t count;		 /* hexadecimal digits in it */
	size_t unknown;		 /* places with an x, - or # where a digit should be */
	uint64_t value;		 /* of the last 16 digits */
};

/* Whose time a line has. */
enum qemu4v_stamp {
	QEMU4V_STAMP_NONE,   /* it has none */
	QEMU4V_STAMP_BEFORE, /* that of the line before, as it is indented */
	QEMU4V_STAMP_OWN
};

/* A line. Fields that its kind of record does not have are undefined. */
struct qemu4v {
	enum qemu4v_record is;
	enum qemu4v_stamp stamp;
	bool plain;   /* written as the strict profile has it, but for widths, unit and cpu */
	bool foreign; /* in a way that the seed does not have, and the other fields don't tell
		       */
	bool has_time, has_cpu, has_id, has_real, has_executed, has_pc;
	bool executed, ended;
	bool fetch;  /* the access is of an instruction */
	bool turned; /* set by the reader: data stand in the order of memory */
	char access; /* R or W */
	char bus;    /* letter between the M and access; 0: none */
	uint32_t cpu;
	uint32_t size;		  /* bytes of memory */
	unsigned fraction_digits; /* behind the time's point */
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
 * Parses a line that may go on with the picture of memory before it; false where it does not
 * look like that. Sets address, access R, and data.word to the four groups.
 */
bool qemu4v_parse_rest(const uint8_t *text, size_t size, bool ended, struct qemu4v *line);

/* Bytes of a picture of memory. */
#define QEMU4V_PICTURE_BYTES 16

/* A run of bytes of a picture of memory. */
struct qemu4v_run {
	unsigned place, size; /* bytes from the picture's address on, and how many */
	bool known;	      /* all of them */
	uint8_t bytes[QEMU4V_PICTURE_BYTES]; /* highest address first */
};

/* Finds the i-th run from 0, lowest address first; returns how many there are. */
unsigned qemu4v_run(const struct qemu4v *line, unsigned i, struct qemu4v_run *run);

/* Puts the bytes of digits, of which there is an even number, into to, and returns how many. */
size_t qemu4v_bytes(const struct qemu4v_digits *digits, uint8_t *to);

/* True for the units of time that are known. */
bool qemu4v_is_unit(const uint8_t *text, size_t n);

/* The value of the first size bytes (1 to 8) with their order turned round. */
uint64_t qemu4v_turned(uint64_t value, uint32_t size);

/* Turns the order of n bytes round. */
void qemu4v_turn(uint8_t *bytes, size_t n);

/* Digits that a translated address is usually written with. */
#define QEMU4V_REAL_DIGITS 12

/* Digits that an address is written with where addresses usually have usual. */
static inline unsigned
qemu4v_address_digits(uint64_t address, unsigned usual)
{
	return address >> (4 * usual - 1) >> 1 ? 16 : usual;
}

/* Registers whose width the rules remember, and addresses whose opcode. */
#define QEMU4V_REGISTERS_SEEN 4096
#define QEMU4V_ADDRESSES_SEEN ((size_t)1 << 20)

/* Processors whose instruction numbers the rules follow. */
#define QEMU4V_CPUS_SEEN 64

/* What the rules remember between rows. */
struct qemu4v_check {
	uint64_t row_time; /* of the last row with one */
	bool has_time, has_insn, many_cpus;
	uint32_t cpu; /* of the last instruction */
	bool mixed;   /* Q18 was found */
	uint64_t ids[QEMU4V_CPUS_SEEN];
	bool counts[QEMU4V_CPUS_SEEN]; /* ids has the last one */
	uint16_t widths[QEMU4V_REGISTERS_SEEN];
	struct map opcodes;
};

/* Tests the rules on a batch. */
void qemu4v_check(
	struct reading *reading, struct qemu4v_check *check, const struct poly_batch *batch);

/* What time counts: units of ten to the exponent seconds, or of something else. */
struct qemu4v_clock {
	struct qemu4v_word unit; /* as it is written */
	uint64_t bytes, mask; /* of its first eight bytes; no other line's where it is longer */
	int exponent;	      /* of ten; of the unit where it is no physical time */
	bool physical;
};

/* A clock that counts times with a unit and a fraction of some digits. */
struct qemu4v_clock qemu4v_clock(const struct qemu4v_word *unit, unsigned fraction_digits);

/* Names of units that times can be expressed in, of trace_unit and of the command. */
extern const char *const qemu4v_units[];

/* The clock's name in text, which has room for 40 bytes. */
const char *qemu4v_clock_name(const struct qemu4v_clock *clock, char *text);

/* As qemu4v_time, for lines that have it in another unit or with a fraction. */
bool qemu4v_convert_time(
	const struct qemu4v_clock *clock, const struct qemu4v *line, uint64_t *time);

/* True where a line's time counts ticks of a clock, as it is written. */
static inline bool
qemu4v_is_ticks(const struct qemu4v_clock *clock, const struct qemu4v *line)
{
	return line->unit.length == clock->unit.length && !line->fraction_digits &&
	       (load_le64(line->unit.text) & clock->mask) == clock->bytes;
}

/* The time of a line on a clock; false, and *time as it was, where it has none there. */
static inline bool
qemu4v_time(const struct qemu4v_clock *clock, const struct qemu4v *line, uint64_t *time)
{
	if (!line->has_time || !qemu4v_is_ticks(clock, line))
		return line->has_time && qemu4v_convert_time(clock, line, time);
	*time = line->time;
	return true;
}

/* Values of the column time where a line has none, until the batch is settled. */
#define QEMU4V_TIME_BEFORE UINT64_MAX	     /* it has that of the line before */
#define QEMU4V_TIME_UNKNOWN (UINT64_MAX - 1) /* it can't be expressed */

/* Processors with a name that get a number. */
#define QEMU4V_NAMED 256

/* What records have from those before them. */
struct qemu4v_around {
	bool timed; /* the last record that says a time has it here */
	uint64_t time;
	bool owns; /* the last instruction has a processor and a time */
	uint32_t owner;
	uint64_t owner_time;
	uint32_t next; /* number of the next processor with a name */
	size_t named;
	struct {
		uint32_t name, cpu;
	} names[QEMU4V_NAMED];
};

/* The last picture of memory, that the next line may go on with. */
struct qemu4v_picture {
	uint64_t at, end; /* offsets of its last line, and behind that */
	bool rest;	  /* that line went on with it */
	unsigned column;  /* of its address in the first line, from 0 */
	char access;
	bool has_cpu;
	uint32_t cpu;
	bool has_name;
	uint32_t name; /* of its processor */
};

/* Names that are found without looking into the table of all. */
#define QEMU4V_KNOWN 256

/* A short name and its number; text is NULL where there is none. */
struct qemu4v_known {
	const char *text;
	size_t length;
	uint64_t bytes; /* the first eight */
	uint32_t number;
};

/* The reader half; see struct format. */
struct qemu4v_reader {
	struct lines lines;
	struct qemu4v_clock clock; /* of the column time */
	struct qemu4v_word unit;   /* of the first time; "clk" where it has none */
	unsigned address_digits;
	bool tarmac; /* it is read as the format tarmac */
	bool memory_order, owns;
	bool numbers; /* processors with a name get numbers */
	bool unended; /* the last line had no newline */
	struct qemu4v_around around;
	struct qemu4v_picture picture;
	struct qemu4v_known known[QEMU4V_KNOWN];
	struct qemu4v_check check;
};

/* The number of a name; false where it cannot be kept. */
bool qemu4v_find_name(
	struct reading *reading, const struct qemu4v_word *word, uint32_t *number);

/* Makes rows of lines; see struct line_format. */
bool qemu4v_take(struct reading *reading, struct batch *batch, size_t row,
	const struct line *text, struct line_fault *fault);

/* Lines at the front of an input, by what they are. */
struct qemu4v_sample {
	size_t records, others;
	char unit[16];		  /* of the first record; empty: none */
	unsigned fraction_digits; /* of its time */
	unsigned address_digits;  /* of the first address; 0: none */
	size_t foreign;		  /* first line from 1 that is not QEMU4V; 0: none */
	const char *why;	  /* what it has */
	bool heading;		  /* the first line is that of Tarmac files */
	bool named;		  /* there is a processor with a name and without a number */
};

/* Bytes at the front of an input that are looked at. */
#define QEMU4V_SAMPLE_BYTES ((size_t)32 << 10)

void qemu4v_sample(struct qemu4v_sample *sample, const uint8_t *p, size_t n);

int qemu4v_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note);
int qemu4v_probe_tarmac(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

/* Columns that rows are settled by; see struct format. */
poly_columns qemu4v_also(const struct reading *reading, poly_columns wanted);

/*
 * Fills in, in the rows of a batch that follows the one before, what they have from others:
 * times of indented lines, numbers of processors with a name, and the processor of accesses and
 * registers. Needs the columns of qemu4v_also.
 */
void qemu4v_settle(struct reading *reading, struct qemu4v_around *around, struct batch *batch);

/*
 * As struct format's cut: before an instruction of another time than the line before it, so
 * that no record has its processor from the other side.
 */
size_t qemu4v_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);

/* The writer half; see struct format. */
struct qemu4v_writer {
	char unit[16];
	unsigned address_digits;
	bool tarmac;	   /* the format is tarmac */
	bool microtesk;	   /* as MicroTESK writes QEMU4V */
	bool memory_order; /* values are turned round in the file */
	bool keeps;	   /* rows' own bytes are of this format, and are written as they are */
	bool keeps_order;  /* their data too stand in the order that is written */
	uint64_t count;	   /* instructions written, but for those in copied lines */
	uint64_t copied;   /* times in copied lines that are known of */
	uint64_t last_time; /* time of the last one */
};

enum poly_status qemu4v_wopen(struct writing *writing, struct poly_error *error);
enum poly_status qemu4v_wopen_tarmac(struct writing *writing, struct poly_error *error);
enum poly_status qemu4v_write_row(struct writing *writing, const struct poly_batch *batch,
	size_t row, struct poly_error *error);

#endif
