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

/* Compounds that have a hyphen, and the keys' words that make them. */
static const char *const compounds[][2] = {
	{"back_invalidations", "back-invalidations"},
	{"cache_to_cache", "cache-to-cache"},
	{"control_flow_discontinuities", "control-flow discontinuities"},
	{"def_use", "def-use"},
	{"happens_before", "happens-before"},
	{"inter_event", "inter-event"},
	{"last_value", "last-value"},
	{"lock_order_inversions", "lock-order inversions"},
	{"macro_op", "macro-op"},
	{"macro_ops", "macro-ops"},
	{"memory_order", "memory-order"},
	{"micro_op", "micro-op"},
	{"micro_ops", "micro-ops"},
	{"set_associative", "set-associative"},
	{"store_to_load", "store-to-load"},
	{"writeback", "write-back"},
	{"writebacks", "write-backs"},
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
	const char *compound =
		word_find(compounds, sizeof compounds / sizeof *compounds, word, n);
	if (compound) {
		word = compound;
		n = strlen(compound);
	}
	if (first && n && *word >= 'a' && *word <= 'z') {
		buf_byte(label, (uint8_t)(*word - 'a' + 'A'));
		word++;
		n--;
	}
	buf_append(label, word, n);
}

/* Returns the length of the words that start here and belong together: a compound, or a word.
 */
static size_t
words_length(const char *words)
{
	for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++) {
		const size_t n = strlen(compounds[i][0]);
		if (strncmp(words, compounds[i][0], n) == 0 && (!words[n] || words[n] == '_'))
			return n;
	}
	return strcspn(words, "_");
}

const char *
terms_derive(struct buf *label, const char *key)
{
	for (const char *word = key;; word++) {
		const size_t n = words_length(word);
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
