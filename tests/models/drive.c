/* SPDX-License-Identifier: MIT */
/*
 * Simulates accesses of standard input and prints the results, for comparison with models in
 * Python: drive MACHINE KEY=NUMBER... <ACCESSES
 */
#include "drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	void (*run)(const struct settings *, const struct accesses *);
} machines[] = {
	{"cache", drive_cache},
	{"distance", drive_distance},
	{"associativity", drive_associativity},
	{"shards", drive_shards},
	{"hierarchy", drive_hierarchy},
	{"classify", drive_classify},
	{"opt", drive_opt},
	{"paging", drive_paging},
	{"tlb", drive_tlb},
	{"coherence", drive_coherence},
};

uint64_t
setting(const struct settings *settings, const char *prefix, const char *key,
	uint64_t otherwise)
{
	const size_t before = prefix ? strlen(prefix) : 0, size = strlen(key);
	for (char **word = settings->words; *word; word++)
		if (strncmp(*word, prefix ? prefix : "", before) == 0 &&
			strncmp(*word + before, key, size) == 0 &&
			(*word)[before + size] == '=')
			return strtoull(*word + before + size + 1, NULL, 0);
	return otherwise;
}

static void *
grow(void *old, size_t count, size_t size)
{
	void *p = realloc(old, count * size);
	if (!p)
		exit(1);
	return p;
}

static void
read_accesses(struct accesses *to)
{
	size_t room = 0;
	char kind;
	uint64_t address;
	uint32_t size, thread;
	while (scanf(" %c %" SCNx64 " %" SCNu32 " %" SCNu32, &kind, &address, &size, &thread) ==
		4) {
		if (to->count == room) {
			room = room ? 2 * room : 4096;
			to->addresses = grow(to->addresses, room, sizeof *to->addresses);
			to->kinds = grow(to->kinds, room, sizeof *to->kinds);
			to->sizes = grow(to->sizes, room, sizeof *to->sizes);
			to->threads = grow(to->threads, room, sizeof *to->threads);
		}
		to->addresses[to->count] = address;
		to->kinds[to->count] = kind == 'w' ? 1 : kind == 'f' ? 2 : 0;
		to->sizes[to->count] = size;
		to->threads[to->count++] = thread;
	}
}

int
main(int argc, char **argv)
{
	struct accesses accesses = {0};
	if (argc < 2)
		return 2;
	const struct settings settings = {argv + 2};
	read_accesses(&accesses);
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (strcmp(argv[1], machines[i].name) == 0) {
			machines[i].run(&settings, &accesses);
			return 0;
		}
	return 2;
}
