/* SPDX-License-Identifier: MIT */
/* Typical loops over text traces: fscanf, or fgets and sscanf. */
#include "baseline.h"

#include <inttypes.h>
#include <string.h>

#define LINE_ROOM 1024

/* As the course does: one fscanf of fourteen conversions per record. */
static uint64_t
cis501(FILE *from)
{
	int uop, src1, src2, dest;
	uint64_t pc, address, fallthrough, target, records = 0, instructions = 0;
	int64_t immediate;
	char flags, branch, access, macro[12], micro[23];
	while (fscanf(from,
		       "%i %" SCNx64 " %i %i %i %c %c %c %" SCNi64 " %" SCNx64 " %" SCNx64
		       " %" SCNx64 " %11s %22s",
		       &uop, &pc, &src1, &src2, &dest, &flags, &branch, &access, &immediate,
		       &address, &fallthrough, &target, macro, micro) == 14) {
		records++;
		instructions += uop == 1;
	}
	return instructions ? records : 0;
}

static uint64_t
qemu4v(FILE *from)
{
	char line[LINE_ROOM], unit[16], tag[16], mode[16], set, text[256], name[32];
	uint64_t time, id, pc, opcode, address, value, records = 0;
	unsigned cpu, size;
	while (fgets(line, sizeof line, from)) {
		int at = 0;
		if (sscanf(line, "%" SCNu64 " %15s %15s %n", &time, unit, tag, &at) < 3)
			continue;
		const char *rest = line + at;
		if (tag[0] == 'R')
			records += sscanf(rest, "%31s %" SCNx64, name, &value) == 2;
		else if (tag[0] == 'M')
			records += sscanf(tag + 2, "%u", &size) == 1 &&
				   sscanf(rest, "%" SCNx64 " %" SCNx64, &address, &value) == 2;
		else
			records += sscanf(tag, "%u", &cpu) == 1 &&
				   sscanf(rest,
					   "%3s (%" SCNu64 ") %" SCNx64 " %" SCNx64
					   " %c %15s : %255[^\n]",
					   tag, &id, &pc, &opcode, &set, mode, text) == 7;
	}
	return records;
}

static uint64_t
tarmac(FILE *from)
{
	char line[LINE_ROOM], unit[16], cpu[16], tag[16], mode[16], set, text[256], name[32];
	uint64_t time, id, pc, opcode, address, physical, high, low, records = 0;
	unsigned size;
	while (fgets(line, sizeof line, from)) {
		int at = 0;
		if (sscanf(line, "%" SCNu64 " %15s %15s %15s %n", &time, unit, cpu, tag, &at) <
			4)
			continue;
		const char *rest = line + at;
		if (tag[0] == 'R')
			records += sscanf(rest, "%31s %" SCNx64, name, &low) == 2;
		else if (tag[0] == 'M')
			records +=
				sscanf(tag + 2, "%u", &size) == 1 &&
				sscanf(rest, "%" SCNx64 ":%" SCNx64 "_NS %" SCNx64 "_%" SCNx64,
					&address, &physical, &high, &low) == 4;
		else
			records += sscanf(rest,
					   "(%" SCNu64 ") %" SCNx64 ":%" SCNx64 "_NS %" SCNx64
					   " %c %15s : %255[^\n]",
					   &id, &pc, &physical, &opcode, &set, mode, text) == 7;
	}
	return records;
}

static uint64_t
lackey(FILE *from)
{
	char line[LINE_ROOM], kind;
	uint64_t address, records = 0;
	unsigned size;
	while (fgets(line, sizeof line, from))
		records += sscanf(line, " %c %" SCNx64 ",%u", &kind, &address, &size) == 3
				   ? 1u + (kind == 'M')
				   : 0;
	return records;
}

static uint64_t
din(FILE *from)
{
	int label;
	uint64_t address, records = 0;
	while (fscanf(from, "%d %" SCNx64, &label, &address) == 2)
		records++;
	return records;
}

const struct baseline_text *
baseline_text(const char *format)
{
	static const struct baseline_text all[] = {
		{"cis501", "fscanf loop", cis501},
		{"qemu4v", "fgets and sscanf", qemu4v},
		{"tarmac", "fgets and sscanf", tarmac},
		{"lackey", "fgets and sscanf", lackey},
		{"din", "fscanf loop", din},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (strcmp(all[i].format, format) == 0)
			return &all[i];
	}
	return NULL;
}
