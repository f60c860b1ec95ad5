/* SPDX-License-Identifier: MIT */
/* Lines of QEMU4V traces, and what their reader, writer and rules share. spec: seed 002 */
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
	QEMU4V_FLOW,	/* FD, FI, FR: a transfer of control */
	QEMU4V_EVENT,	/* E */
	QEMU4V_BUS,	/* BR, BW: a cycle of the bus */
	QEMU4V_BLANK,	/* nothing but white space */
	QEMU4V_COMMENT, /* what begins with #, and the heading of Tarmac files */
	QEMU4V_OTHER,	/* none of these */
	QEMU4V_DAMAGED, /* a last line that was cut off, or what was passed over */
	QEMU4V_RECORD_COUNT
};

/* Options, in the order of the table. */
enum qemu4v_option { QEMU4V_OPTION_OWNER, QEMU4V_OPTION_DATA };

/* Words of a choice. */
enum qemu4v_owner { QEMU4V_OWNER_INSTRUCTION, QEMU4V_OWNER_NONE };
enum qemu4v_data { QEMU4V_DATA_VALUE, QEMU4V_DATA_MEMORY };
extern const char *const qemu4v_data_orders[];

/* A part of a line; not terminated, and empty where the line lacks it. */
struct qemu4v_word {
	const uint8_t *text;
	size_t length;
};

/* Hexadecimal digits of an opcode, a value or moved data. */
struct qemu4v_digits {
	struct qemu4v_word word; /* all of it, with separators */
	size_t count;		 /* hexadecimal digits in it */
	uint64_t value;		 /* of the last 16 digits */
	bool known;		 /* nothing but digits and separators */
	bool unknown;		 /* there is an x or - where a digit should be */
};

/* A line. Fields that its kind of record does not have are undefined. */
struct qemu4v {
	enum qemu4v_record is;
	bool plain; /* written as the strict profile has it, apart from widths and unit */
	bool has_time, has_cpu, has_id, has_real, has_executed;
	bool executed, ended;
	bool turned; /* set by the reader: data stand in the order of memory */
	char access; /* R or W */
	uint32_t cpu;
	uint32_t size; /* bytes of memory */
	unsigned address_digits;
	uint64_t time, id, address, real;
	struct qemu4v_digits data; /* opcode, data, value; count 0: none */
	struct qemu4v_word unit, iset, mode, security, attributes, reg, text;
	struct qemu4v_word time_text, id_text, address_text; /* the digits */
};

/* Parses a line; the words point into it. */
void qemu4v_parse(const uint8_t *text, size_t size, bool ended, struct qemu4v *line);

/* Puts the bytes of digits, of which there is an even number, into to, and returns how many. */
size_t qemu4v_bytes(const struct qemu4v_digits *digits, uint8_t *to);

/* True for the units of time that are known. */
bool qemu4v_is_unit(const uint8_t *text, size_t n);

/* The value of the first size bytes (1 to 8) with their order turned round. */
uint64_t qemu4v_turned(uint64_t value, uint32_t size);

/* Turns the order of n bytes round. */
void qemu4v_turn(uint8_t *bytes, size_t n);

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
	uint64_t row_time, insn_time; /* of the last row and instruction with one */
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

/* The last instruction, as the records behind it have its processor. */
struct qemu4v_around {
	bool known; /* it has a processor and a time */
	uint32_t cpu;
	uint64_t time;
};

/* Names that are found without looking into the table of all. */
#define QEMU4V_KNOWN 256

/* A short name and its number; text is NULL where there is none. */
struct qemu4v_known {
	const char *text;
	size_t length;
	uint32_t number;
};

/* The reader half; see struct format. */
struct qemu4v_reader {
	struct lines lines;
	struct qemu4v_word unit; /* of the column time */
	unsigned address_digits;
	bool memory_order, owns;
	bool unended; /* the last line had no newline */
	struct qemu4v_around around;
	struct qemu4v_known known[QEMU4V_KNOWN];
	struct qemu4v_check check;
};

/* The time of a line on the trace's clock; false where it has none there. */
static inline bool
qemu4v_time(const struct qemu4v_reader *reader, const struct qemu4v *line, uint64_t *time)
{
	size_t n = reader->unit.length;
	*time = line->time;
	return line->has_time && line->unit.length == n &&
	       memcmp(line->unit.text, reader->unit.text, n) == 0;
}

/*
 * Fills in, in the rows of a batch that follows the one before, what they have from others:
 * the processor of accesses and registers. Needs the columns of qemu4v_also.
 */
void qemu4v_settle(
	const struct reading *reading, struct qemu4v_around *around, struct batch *batch);

/*
 * As struct format's cut: before an instruction of another time than the line before it, so
 * that no record has its processor from the other side.
 */
size_t qemu4v_cut(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);

/* The writer half; see struct format. */
struct qemu4v_writer {
	char unit[16];
	unsigned address_digits;
	bool memory_order;  /* values are turned round in the file */
	bool keeps;	    /* rows' own bytes are written as they are */
	uint64_t count;	    /* instructions written */
	uint64_t last_time; /* time of the last one */
};

enum poly_status qemu4v_wopen(struct writing *writing, struct poly_error *error);
enum poly_status qemu4v_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);

#endif
