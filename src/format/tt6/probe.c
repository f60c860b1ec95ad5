/* SPDX-License-Identifier: MIT */
/*
 * Detecting TT6 and TT6E by content: the formats have no magic, so each interpretation is
 * judged by its consistency. A relative branch states its target twice, in the opcode and in
 * the following word; a PC has one opcode; a sync escape is one of four words; a twi is
 * followed by its synthetic pair in TT6E but not in TT6. The interpretation with fewer failures
 * wins. A length that is not a multiple of 4 does not count: the reader reports truncation.
 *
 * spec: Apple amber traces 4.9 (3) and (4).
 */
#include "base/mem.h"
#include "format/tt6/tt6.h"

#include <stdio.h>

/* PCs whose opcode is remembered; a newer PC replaces an older one. */
#define SEEN 8192

/* Words judged after the first record that TT6 and TT6E interpret differently. */
#define DECIDING_WORDS ((size_t)32 << 10)

/* Bytes at the front that decide whether the input is text. */
#define TEXT_BYTES 64

#define BID_MAX 24	 /* structural evidence alone is limited to this */
#define CONSISTENT_MIN 3 /* minimum number of consistent records */
#define BITS_OF_BRANCH 8 /* of 32 that match: branches may be few and similar */
#define BITS_OF_NEXT 2	 /* alignment of the next address of an indirect branch */

/* Evidence in some words under one interpretation. */
struct tt6_judgement {
	uint64_t right, wrong; /* relative branches */
	uint64_t syncs;	       /* well-formed sync escapes */
	uint64_t indirect;     /* other flow records with an aligned next address */
	uint64_t bad;	       /* undefined escapes, unaligned next addresses */
	uint64_t conflicts;    /* PCs with two opcodes */
	uint64_t pairs, lone;  /* twi with and without its synthetic pair */
	size_t diverges;       /* first word at which TT6 and TT6E differ; words: none */
	bool hopeless;	       /* judging was stopped */
};

/* One interpretation of the words. */
struct tt6_judge {
	const uint8_t *p;
	size_t words, i; /* i: word of the current record */
	bool little, extended;
	uint32_t pc, opcode, next;
	bool in_pair; /* the record is the rfi of a synthetic pair */
	struct tt6_tables tables;
	struct tt6_judgement found;
	struct seen_pc {
		uint32_t pc, opcode;
	} seen[SEEN];
};

static uint32_t
word_at(const struct tt6_judge *judge, size_t i)
{
	return i < judge->words ? tt6_load(judge->p + 4 * i, judge->little) : 0;
}

static void
judge_opcode(struct tt6_judge *judge)
{
	struct seen_pc *seen_pc = &judge->seen[judge->pc / 4 % SEEN];
	if (seen_pc->opcode && seen_pc->pc == judge->pc && seen_pc->opcode != judge->opcode)
		judge->found.conflicts++;
	else
		*seen_pc = (struct seen_pc){judge->pc, judge->opcode};
}

/* Returns whether a synthetic pair is at word i. */
static bool
is_pair(const struct tt6_judge *judge, size_t i)
{
	return word_at(judge, i) >> 26 == 18 && word_at(judge, i + 1) == TT6_TRAP &&
	       word_at(judge, i + 2) == TT6_RFI && i + 3 < judge->words;
}

static void
judge_flow(struct tt6_judge *judge)
{
	struct tt6_judgement *found = &judge->found;
	uint32_t pc = judge->pc, next = judge->next, opcode = judge->opcode;
	if (opcode == TT6_SPLICE && next != pc)
		return;
	struct powerpc_branch branch = powerpc_branch(opcode, pc);
	if (next % 4)
		found->bad++;
	else if (!branch.has_target)
		found->indirect++;
	else if (next == branch.target || (opcode >> 26 == 16 && next == pc + 4))
		found->right++;
	else
		found->wrong++;
}

static void
judge_escape(struct tt6_judge *judge)
{
	unsigned code = tt6_code(judge->opcode);
	if (tt6_sync(code) >= 0 && tt6_count(judge->opcode) == 2)
		judge->found.syncs++;
	else if (code > TT6_CODE_LAST_SYNC ||
		 (code > TT6_CODE_LAST_CONTEXT && code < TT6_CODE_SIGNAL) ||
		 tt6_count(judge->opcode) > 64 || judge->opcode == 0)
		judge->found.bad++;
}

/* Judges a compute record: TT6 and TT6E differ at a twi. */
static void
judge_compute(struct tt6_judge *judge)
{
	struct tt6_judgement *found = &judge->found;
	if (judge->opcode >> 26 != 3 || judge->i + 4 >= judge->words)
		return;
	if (is_pair(judge, judge->i + 1))
		found->pairs++;
	else
		found->lone++;
}

/* Judges an instruction record of a shape; returns its number of words. */
static size_t
judge_instruction(struct tt6_judge *judge, enum tt6_shape shape)
{
	bool is_exempt = judge->extended && (judge->in_pair || is_pair(judge, judge->i));
	if (!is_exempt && !(judge->opcode == TT6_SPLICE && judge->next != judge->pc))
		judge_opcode(judge);
	judge->in_pair = is_exempt && !judge->in_pair;
	if (shape == TT6_COMPUTE) {
		judge_compute(judge);
	} else if (shape == TT6_FLOW && !is_exempt) {
		judge_flow(judge);
	}
	judge->pc = shape == TT6_FLOW ? judge->next : judge->pc + 4;
	return shape == TT6_COMPUTE ? 1 : shape == TT6_EXTENDED ? 3 : 2;
}

/* Returns whether too much is wrong for a trace of either format. */
static bool
is_hopeless(const struct tt6_judgement *found)
{
	uint64_t good = found->right + found->syncs + found->indirect;
	return found->wrong + found->bad > 32 + good / 4;
}

static void
note_divergence(struct tt6_judge *judge)
{
	if (judge->found.diverges == judge->words &&
		powerpc_class_fast(judge->opcode) == POWERPC_CACHE)
		judge->found.diverges = judge->i;
}

/* Judges the records before word end. */
static void
judge_words(struct tt6_judge *judge, size_t end)
{
	judge->pc = word_at(judge, 0);
	judge->found.diverges = judge->words;
	for (judge->i = 1; judge->i < end;) {
		judge->opcode = word_at(judge, judge->i);
		judge->next = word_at(judge, judge->i + 1);
		enum tt6_shape shape =
			(enum tt6_shape)judge->tables.shape[tt6_index(judge->opcode)];
		note_divergence(judge);
		if (shape == TT6_ESCAPE) {
			judge_escape(judge);
			judge->i += 1 + (size_t)tt6_count(judge->opcode);
		} else if (shape == TT6_FLOW && judge->i + 1 == judge->words) {
			return;
		} else {
			judge->i += judge_instruction(judge, shape);
		}
		if (is_hopeless(&judge->found)) {
			judge->found.hopeless = true;
			return;
		}
		size_t enough = judge->found.diverges + DECIDING_WORDS;
		if (end > enough)
			end = enough;
	}
}

static uint64_t
consistent(const struct tt6_judgement *found)
{
	return found->right + found->syncs + found->indirect;
}

/* Returns whether at least 98 % of the redundant information, if any, matches (Apple amber
 * traces 4.9).
 */
static bool
has_no_contradiction(const struct tt6_judgement *found)
{
	return !found->hopeless &&
	       (found->wrong + found->bad) * 50 <= consistent(found) + found->wrong;
}

/* Returns whether there is enough redundant information, and it matches. */
static bool
is_plausible(const struct tt6_judgement *found)
{
	return has_no_contradiction(found) && consistent(found) >= CONSISTENT_MIN &&
	       found->right + found->syncs > 0;
}

static uint64_t
failures(const struct tt6_judgement *found, bool extended)
{
	return found->wrong + found->bad + found->conflicts +
	       (extended ? found->lone : found->pairs);
}

/* Judges one interpretation of the words at p; returns false if out of memory. */
static bool
judge_reading(
	const uint8_t *p, size_t n, bool little, bool extended, struct tt6_judgement *found)
{
	struct tt6_judge *judge = mem_new(1, sizeof *judge);
	if (!judge)
		return false;
	judge->p = p;
	judge->words = n / 4;
	judge->little = little;
	judge->extended = extended;
	tt6_tables_fill(&judge->tables, extended, false);
	judge_words(judge, judge->words);
	*found = judge->found;
	mem_free(judge);
	return true;
}

/* Returns whether the bytes at the front are printable: those of a text. */
static bool
is_text(const uint8_t *p, size_t n)
{
	size_t i = 0;
	n = n < TEXT_BYTES ? n : TEXT_BYTES;
	while (i < n && ((p[i] >= ' ' && p[i] <= '~') || (p[i] >= '\t' && p[i] <= '\r')))
		i++;
	return i == n;
}

/* Returns whether the initial PC, if present, is one. */
static bool
has_initial_pc(const uint8_t *p, size_t n, bool little)
{
	const uint32_t pc = n < 4 ? 4 : tt6_load(p, little);
	return pc != 0 && pc % 4 == 0;
}

/* Returns a reason against any interpretation; NULL: none. */
static const char *
objection(const uint8_t *p, size_t n, bool little)
{
	if (n < 4 * (CONSISTENT_MIN + 1))
		return "too short to detect a format";
	return has_initial_pc(p, n, little) ? NULL
					    : "the initial PC is 0 or not a multiple of 4";
}

static bool
makes_sense(const uint8_t *p, size_t n, bool little)
{
	struct tt6_judgement found;
	for (unsigned extended = 0; extended < 2; extended++) {
		if (!objection(p, n, little) && judge_reading(p, n, little, extended, &found) &&
			is_plausible(&found))
			return true;
	}
	return false;
}

/* Counts what no chance produces in a byte order without contradictions; -1: there are some. */
static int64_t
count_matches(const uint8_t *p, size_t n, bool little)
{
	int64_t matches = -1;
	for (unsigned extended = 0; extended < 2 && has_initial_pc(p, n, little); extended++) {
		struct tt6_judgement found;
		if (judge_reading(p, n, little, extended, &found) &&
			has_no_contradiction(&found) &&
			(int64_t)(found.right + found.syncs) > matches)
			matches = (int64_t)(found.right + found.syncs);
	}
	return matches;
}

bool
tt6_is_little(const uint8_t *p, size_t n)
{
	if (n > TT6_ORDER_BYTES)
		n = TT6_ORDER_BYTES;
	if (makes_sense(p, n, false))
		return false;
	if (makes_sense(p, n, true))
		return true;
	/* A trace that is too short to make sense has the order with more evidence. */
	const int64_t matches = count_matches(p, n, true);
	return matches > 0 && matches > count_matches(p, n, false);
}

/* Describes the evidence for the winning interpretation. */
static void
describe(const struct tt6_judgement *found, bool little, bool extended,
	uint64_t sibling_failures, struct probe_note *note)
{
	size_t size = sizeof note->text;
	unsigned long long branches = found->right + found->wrong, syncs = found->syncs;
	int used = snprintf(note->text, size, "%s", little ? "byte-swapped; " : "");
	if (branches && !found->wrong)
		used += snprintf(note->text + used, size - (size_t)used,
			"%llu relative branches, all correct", branches);
	if (found->wrong)
		used += snprintf(note->text + used, size - (size_t)used,
			"%llu relative branches, %llu wrong", branches,
			(unsigned long long)found->wrong);
	if (syncs)
		used += snprintf(note->text + used, size - (size_t)used, "%s%llu sync records",
			branches ? "; " : "", syncs);
	if (extended && found->pairs)
		used += snprintf(note->text + used, size - (size_t)used,
			"; a twi is followed by its synthetic pair");
	uint64_t own = failures(found, extended);
	if (sibling_failures > own)
		snprintf(note->text + used, size - (size_t)used,
			"; %llu contradictions, %llu as %s", (unsigned long long)own,
			(unsigned long long)sibling_failures, extended ? "tt6" : "tt6e");
}

/* Returns the bid of an interpretation with no more contradictions than its sibling. */
static int
bid_of(const struct tt6_judgement *found)
{
	uint64_t bits =
		BITS_OF_BRANCH * (found->right + found->syncs) + BITS_OF_NEXT * found->indirect;
	return bits < BID_MAX ? (int)bits : BID_MAX;
}

static int
probe_as(const uint8_t *p, size_t n, bool extended, struct probe_note *note)
{
	bool little = tt6_is_little(p, n);
	const char *against = objection(p, n, little);
	struct tt6_judgement own, sibling;
	if (!judge_reading(p, n, little, extended, &own))
		return 0;
	note->consistent =
		!is_text(p, n) && has_initial_pc(p, n, little) && has_no_contradiction(&own);
	if (against) {
		snprintf(note->text, sizeof note->text, "%s", against);
		return 0;
	}
	note->near = own.right + own.syncs > 0;
	if (!is_plausible(&own)) {
		snprintf(note->text, sizeof note->text,
			"%llu relative branches and sync records are consistent, %llu are not",
			(unsigned long long)(own.right + own.syncs),
			(unsigned long long)(own.wrong + own.bad));
		return 0;
	}
	sibling = own;
	if (own.diverges < n / 4 && !judge_reading(p, n, little, !extended, &sibling))
		return 0;
	uint64_t mine = failures(&own, extended), theirs = failures(&sibling, !extended);
	if (mine > theirs && is_plausible(&sibling)) {
		note->consistent = false;
		snprintf(note->text, sizeof note->text, "%llu contradictions, %llu as %s",
			(unsigned long long)mine, (unsigned long long)theirs,
			extended ? "tt6" : "tt6e");
		return 0;
	}
	describe(&own, little, extended, theirs, note);
	return bid_of(&own);
}

int
tt6_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	return probe_as(p, n, false, note);
}

int
tt6e_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	return probe_as(p, n, true, note);
}
