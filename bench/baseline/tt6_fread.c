/* SPDX-License-Identifier: MIT */
/* A typical TT6E decoder after the format's specification: fread and macros. */
#include "baseline.h"

#include <stdbool.h>

#define OP31(n) (major == 31 && minor == (n))
#define OP19(n) (major == 19 && minor == (n))

static bool
is_flow(uint32_t major, uint32_t minor)
{
	return major == 18 || major == 16 || OP19(528) || OP19(16) || OP19(50) || major == 17 ||
	       OP19(18);
}

static bool
is_memory(uint32_t major, uint32_t minor)
{
	return major == 34 || major == 35 || major == 50 || major == 51 || major == 48 ||
	       major == 49 || major == 42 || major == 43 || major == 40 || major == 41 ||
	       major == 46 || major == 32 || major == 33 || OP31(597) || OP31(119) ||
	       OP31(87) || OP31(631) || OP31(599) || OP31(567) || OP31(535) || OP31(375) ||
	       OP31(343) || OP31(790) || OP31(311) || OP31(279) || OP31(20) || OP31(534) ||
	       OP31(55) || OP31(23) || OP31(7) || OP31(39) || OP31(71) || OP31(103) ||
	       OP31(359) || OP31(310) || OP31(438) || major == 38 || major == 39 ||
	       major == 54 || major == 55 || major == 52 || major == 53 || major == 44 ||
	       major == 45 || major == 47 || major == 36 || major == 37 || OP31(247) ||
	       OP31(215) || OP31(759) || OP31(727) || OP31(983) || OP31(695) || OP31(663) ||
	       OP31(918) || OP31(439) || OP31(407) || OP31(725) || OP31(662) || OP31(150) ||
	       OP31(183) || OP31(151) || OP31(135) || OP31(167) || OP31(199) || OP31(231) ||
	       OP31(487) || major == 58 || major == 62 || OP31(21) || OP31(53) || OP31(84) ||
	       OP31(341) || OP31(373) || OP31(149) || OP31(181) || OP31(214) || OP31(758) ||
	       OP31(86) || OP31(470) || OP31(54) || OP31(278) || OP31(246) || OP31(1014) ||
	       OP31(982);
}

static bool
is_extended(uint32_t major, uint32_t minor)
{
	return OP31(533) || OP31(661) || OP31(342) || OP31(374);
}

static bool
next_word(FILE *from, uint32_t *word)
{
	unsigned char b[4];
	if (fread(b, 4, 1, from) != 1)
		return false;
	*word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return true;
}

/* Reads the words after an opcode; returns the PC of the next record. */
static uint32_t
next_record(FILE *from, struct baseline_record *record)
{
	uint32_t opcode = record->opcode, major = opcode >> 26, minor = opcode >> 1 & 0x3ff;
	uint32_t next = record->pc + 4;
	record->address = record->third = 0;
	if (major == 0) {
		for (uint32_t n = opcode & 0xffff; n && next_word(from, &record->third); n--)
			;
		return record->pc;
	}
	if (is_flow(major, minor)) {
		next_word(from, &next);
	} else if (is_memory(major, minor)) {
		next_word(from, &record->address);
	} else if (is_extended(major, minor)) {
		next_word(from, &record->address);
		next_word(from, &record->third);
	}
	return next;
}

uint64_t
baseline_tt6e(const char *path, struct baseline_record *records)
{
	FILE *from = fopen(path, "rb");
	uint32_t pc, opcode;
	uint64_t count = 1;
	if (!from || !next_word(from, &pc))
		return 0;
	for (; next_word(from, &opcode); count++) {
		struct baseline_record *record = &records[count % BASELINE_RECORDS];
		record->pc = pc;
		record->opcode = opcode;
		pc = next_record(from, record);
	}
	fclose(from);
	return count;
}
