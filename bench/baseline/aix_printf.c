/* SPDX-License-Identifier: MIT */
/* A typical hand-written reader of bare 32-bit AIX events: fread, shifts and one printf. */
#include "baseline.h"

static uint32_t
word_at(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint64_t
baseline_aix(const char *path, FILE *output)
{
	unsigned char bytes[28];
	uint64_t events = 0, first = 0, before = 0, now = 0;
	FILE *from = fopen(path, "rb");
	if (!from)
		return 0;
	while (fread(bytes, 4, 1, from) == 1) {
		uint32_t hook = word_at(bytes), data[5];
		/* Only entries of type E, five words, thread id and timestamp. */
		if ((hook >> 16 & 15) != 14 || fread(bytes, 28, 1, from) != 1)
			break;
		for (int i = 0; i < 5; i++)
			data[i] = word_at(bytes + 4 * i);
		/* The timer wraps. */
		now += (uint32_t)(word_at(bytes + 24) - (uint32_t)now);
		if (!events++)
			first = before = now;
		fprintf(output,
			"%03X  %15.9f %12.6f   pid=%d addr=%08X len=%u flags=%08X mode=%04X "
			"rc=%d tid=%u\n",
			(unsigned)(hook >> 20), (double)(now - first) / 1e9,
			(double)(now - before) / 1e6, (int)data[0], (unsigned)data[1],
			(unsigned)data[2], (unsigned)data[3], (unsigned)(hook & 0xffff),
			(int)data[4], (unsigned)word_at(bytes + 20));
		before = now;
	}
	fclose(from);
	return events;
}
