/* SPDX-License-Identifier: MIT */
/* The labels of report keys. */
#include "report/terms.h"

#include <string.h>

static const struct term terms[] = {
#define TERM(key, label, unit) {#key, label, unit},
#include "report/terms.def"
#undef TERM
};

#define TERM_COUNT (sizeof terms / sizeof *terms)

/* Words that are not spelled in lower case. */
static const char *const spellings[][2] = {
	{"btb", "BTB"},
	{"bic", "BIC"},
	{"cpi", "CPI"},
	{"cpu", "CPU"},
	{"cpus", "CPUs"},
	{"gib", "GiB"},
	{"id", "ID"},
	{"ids", "IDs"},
	{"ipc", "IPC"},
	{"isa", "ISA"},
	{"lru", "LRU"},
	{"mpki", "MPKI"},
	{"pc", "PC"},
	{"pcs", "PCs"},
	{"pid", "PID"},
	{"ras", "RAS"},
	{"tid", "TID"},
	{"tlb", "TLB"},
	{"uop", "µop"},
	{"uops", "µops"},
	{"wustl", "WUSTL"},
};

/* Last words that name a unit. */
static const char *const units[][2] = {
	{"bits", "bits"},
	{"bytes", "bytes"},
	{"ns", "ns"},
	{"percent", "%"},
	{"s", "s"},
	{"us", "us"},
};

const struct term *
terms_at(size_t i)
{
	return i < TERM_COUNT ? &terms[i] : NULL;
}

const struct term *
terms_find(const char *key)
{
	size_t low = 0, high = TERM_COUNT;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(key, terms[middle].key);
		if (order == 0)
			return &terms[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Returns the value of a word of n bytes in a table; NULL if the table lacks the word. */
static const char *
word_find(const char *const (*table)[2], size_t count, const char *word, size_t n)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(table[i][0], word, n) == 0 && !table[i][0][n])
			return table[i][1];
	}
	return NULL;
}

/* Appends a word of n bytes in its spelling. */
static void
word_append(struct buf *label, const char *word, size_t n, bool first)
{
	const char *spelling =
		word_find(spellings, sizeof spellings / sizeof *spellings, word, n);
	if (spelling) {
		buf_string(label, spelling);
		return;
	}
	if (first && n && *word >= 'a' && *word <= 'z') {
		buf_byte(label, (uint8_t)(*word - 'a' + 'A'));
		word++;
		n--;
	}
	buf_append(label, word, n);
}

const char *
terms_derive(struct buf *label, const char *key)
{
	for (const char *word = key;; word++) {
		const size_t n = strcspn(word, "_");
		const char *unit = NULL;
		if (word > key && !word[n])
			unit = word_find(units, sizeof units / sizeof *units, word, n);
		if (unit)
			return unit;
		if (word > key)
			buf_byte(label, ' ');
		word_append(label, word, n, word == key);
		word += n;
		if (!*word)
			return NULL;
	}
}
