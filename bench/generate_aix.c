/* SPDX-License-Identifier: MIT */
/*
 * Generates any number of AIX trace events, and template files for them. Same arguments, same
 * bytes.
 *
 * usage: generate_aix trace EVENTS HOOKS >FILE	a stream of 32-bit events of HOOKS hooks
 *        generate_aix templates COUNT >FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hooks begin with id 140, above those that identify processes. */
#define FIRST 0x140
#define THREE_DIGITS 3000

static uint64_t state = 88172645463325252u;

static uint32_t
random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) % n);
}

static void
write_word(uint32_t word)
{
	putchar((int)(word >> 24));
	putchar((int)(word >> 16 & 255));
	putchar((int)(word >> 8 & 255));
	putchar((int)(word & 255));
}

/* Type E: five data words, thread id, timestamp. One event in 64 is a dispatch. */
static void
write_event(uint32_t *time, uint32_t *thread, uint32_t hooks)
{
	uint32_t hook = FIRST + random_below(hooks), words[5];
	for (int i = 0; i < 5; i++)
		words[i] = random_below(0x7fffffff) >> random_below(24);
	if (random_below(64) == 0) {
		hook = 0x106;
		*thread = 100 + random_below(40);
		words[0] = *thread * 16;
		words[1] = *thread;
	}
	*time += 100 + random_below(4000);
	write_word(hook << 20 | 0xe0000 | random_below(16));
	for (int i = 0; i < 5; i++)
		write_word(words[i]);
	write_word(*thread);
	write_word(*time);
}

static void
write_trace(unsigned long events, uint32_t hooks)
{
	uint32_t time = 0, thread = 100;
	for (; events; events--)
		write_event(&time, &thread, hooks);
}

static void
write_templates(unsigned long count)
{
	static const char *const levels[] = {"APPL", "SVC", "KERN", "INT"};
	puts("106 1.0 L=KERN \"dispatch:\" O2.0 \"pid=\" D4 \"tid=\" D4 \"priority=\" D4");
	for (unsigned long i = 0; i < count; i++) {
		unsigned long hook = FIRST + i;
		if (i >= THREE_DIGITS)
			hook = 0x4001 + (i - THREE_DIGITS) / 15 * 16 + (i - THREE_DIGITS) % 15;
		printf("%03lX 1.0 L=%s \"event %lu\" O2.0 \"pid=\" D4 \"addr=\" X4 \"len=\" "
		       "U4 \\\n\t\"flags=\" X4, 0 \"none\", \\* { \"mode=\" $HD } \"rc=\" D4\n",
			hook, levels[i % 4], i);
	}
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "trace") == 0)
		write_trace(strtoul(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10));
	else if (argc == 3 && strcmp(argv[1], "templates") == 0)
		write_templates(strtoul(argv[2], NULL, 10));
	else
		return 2;
	return fflush(stdout) ? 1 : 0;
}
