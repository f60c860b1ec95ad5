/* SPDX-License-Identifier: MIT */
/* A typical BACH printer after the format's specification: fread and printf. */
#include "baseline.h"

uint64_t
baseline_bach(const char *path, FILE *output)
{
	static const char *const names[16] = {"INVALID", "INT_ACK", "INVALID", "SPECIAL",
		"INVALID", "IO_READ", "INVALID", "IO_WRITE", "I_FETCH", "NC_I_FETCH", "INVALID",
		"INVALID", "D_READ", "NC_D_READ", "WRITE_BACK", "D_WRITE"};
	unsigned char bytes[4], enables, control;
	uint64_t records = 0;
	FILE *from = fopen(path, "rb");
	if (!from)
		return 0;
	while (fread(bytes, 4, 1, from) == 1 && fread(&enables, 1, 1, from) == 1 &&
		fread(&control, 1, 1, from) == 1) {
		unsigned address = (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 |
				   (unsigned)bytes[2] << 8 | bytes[3];
		fprintf(output, "%08x %02x %s\n", address, enables, names[control >> 4]);
		records++;
	}
	fclose(from);
	return records;
}
