/* SPDX-License-Identifier: MIT */
/*
 * TAGE. A bimodal table, and tagged tables T1 to Tn with increasing history lengths, of 2^k
 * entries. An entry has a tag of w bits, a counter from -4 to 3 that predicts taken from 0 on,
 * and a use from 0 to 3. With p the shifted address and fold(L, b) the xor of the youngest L
 * outcomes, each outcome i (0: the youngest) moved up by i mod b:
 *
 *   index = (p ^ p >> k ^ fold(L, k)) mod 2^k    tag = (p ^ fold(L, w) ^ 2 fold(L, w - 1)) mod
 * 2^w
 *
 * The provider is the entry with its tag in the table with the longest history, the alternative
 * what would predict without it; without any the bimodal counter is the prediction. A provider
 * whose use is 0 and whose counter is 0 or -1 is new: the alternative predicts if a 4-bit
 * counter, initially 8, is 8 or more. Then, in this order:
 *
 * 1. If a new provider and the alternative differ, that counter is incremented if the
 * alternative was right, else decremented.
 * 2. If the prediction was wrong, an entry is allocated in a table with a longer history than
 * the provider's: from the shorter to the longer, entries with use 0 are selected with a
 * probability of two in three, the last of them always. The entry gets the tag, use 0, and the
 * counter 0 (taken) or -1. If no use is 0, the use of each of the entries is decremented.
 * 3. The provider's counter, or the bimodal one, moves towards the outcome.
 * 4. If provider and alternative differ, the provider's use is incremented if it was right,
 * else decremented.
 * 5. The outcome joins the history. After every 2^period_log2 branches all uses are aged:
 * their high bit and their low bit are cleared in turn.
 *
 * Random numbers come from xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003; 13, 17, 5): a
 * step, then the condition state mod 3 != 0.
 *
 * spec: A. Seznec, P. Michaud, "A case for (partially) tagged geometric history length branch
 * prediction", JILP 8, 2006, section 3; without its path history.
 */
#include "sim/branch/bpred_family.h"
#include "sim/branch/bpred_history.h"

#include <string.h>

enum { COUNTER_MIN = -4, COUNTER_MAX = 3, USE_MAX = 3, TRUST_MAX = 15, TRUSTED = 8 };
enum { ENTRY_BITS = 3 + 2, TRUST_BITS = 4 };

struct tage_entry {
	uint16_t tag;
	int8_t counter;
	uint8_t use;
};

/* A tagged table's histories. */
struct tage_folds {
	struct folded index, tag, tag_less;
};

struct tage {
	unsigned shift, tables, log2, tag_bits;
	uint64_t base_mask, period, branches;
	uint32_t random;
	uint8_t trust;	/* trust in the alternatives of new entries */
	uint8_t clears; /* the bits of uses to be cleared next */
	uint8_t *base;	/* after the entries, in the same block */
	struct bpred_history past;
	struct tage_folds folds[BPRED_TAGE_TABLES];
	struct tage_entry entries[];
};

/* Prediction of the tables for a branch. */
struct tage_vote {
	struct tage_entry *at[BPRED_TAGE_TABLES];
	uint16_t tag[BPRED_TAGE_TABLES];
	uint8_t *base;
	int provider; /* the number of its table; -1: the bimodal one */
	bool is_new;
	uint8_t provided, other, predicted; /* 1: taken */
};

static enum poly_status
check_lengths(const struct bpred_tage *tage, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	unsigned low = 1;
	for (unsigned i = 0; i < tage->tables && !status; i++) {
		status = bpred_range("history of a tagged table", tage->length[i], low,
			BPRED_TAGE_MAX, error);
		low = tage->length[i] + 1u;
	}
	return status;
}

static enum poly_status
check(const struct bpred_config *config, struct poly_error *error)
{
	const struct bpred_tage *tage = &config->tage;
	enum poly_status status = bpred_range(
		"log2 of the bimodal entries", config->entries_log2, 0, BPRED_LOG2_MAX, error);
	if (!status)
		status = bpred_range(
			"number of tagged tables", tage->tables, 1, BPRED_TAGE_TABLES, error);
	if (!status)
		status = bpred_range("log2 of the tagged entries", tage->entries_log2, 1,
			BPRED_TAGE_LOG2_MAX, error);
	if (!status)
		status = bpred_range("width of tags", tage->tag_bits, 2, 15, error);
	if (!status)
		status = bpred_range(
			"log2 of the period of aging", tage->period_log2, 1, 40, error);
	if (!status)
		status = bpred_range("seed", tage->seed, 1, UINT32_MAX, error);
	return status ? status : check_lengths(tage, error);
}

static uint64_t
bits(const struct bpred_config *config)
{
	const struct bpred_tage *tage = &config->tage;
	uint64_t entry = ENTRY_BITS + tage->tag_bits;
	return ((uint64_t)2 << config->entries_log2) +
	       (tage->tables * entry << tage->entries_log2) + tage->length[tage->tables - 1] +
	       TRUST_BITS + tage->period_log2;
}

static size_t
size(const struct bpred_config *config)
{
	size_t entries = (size_t)config->tage.tables << config->tage.entries_log2;
	return sizeof(struct tage) + entries * sizeof(struct tage_entry) +
	       ((size_t)1 << config->entries_log2);
}

static void
reset(void *state, const struct bpred_config *config)
{
	struct tage *all = state;
	const struct bpred_tage *tage = &config->tage;
	size_t entries = (size_t)tage->tables << tage->entries_log2;
	all->shift = config->pc_shift;
	all->tables = tage->tables;
	all->log2 = tage->entries_log2;
	all->tag_bits = tage->tag_bits;
	all->base_mask = bpred_mask(config->entries_log2);
	all->period = (uint64_t)1 << tage->period_log2;
	all->random = tage->seed;
	all->trust = TRUSTED;
	all->clears = 2;
	all->base = (uint8_t *)(all->entries + entries);
	history_init(&all->past);
	for (unsigned i = 0; i < tage->tables; i++)
		all->folds[i] = (struct tage_folds){folded_begin(tage->length[i], all->log2),
			folded_begin(tage->length[i], all->tag_bits),
			folded_begin(tage->length[i], all->tag_bits - 1)};
	memset(all->base, (int)config->initial, (size_t)1 << config->entries_log2);
	/* A tag that no address can have. */
	for (size_t i = 0; i < entries; i++)
		all->entries[i].tag = UINT16_MAX;
}

static void
look_up(struct tage *all, uint64_t pc, struct tage_vote *vote)
{
	const uint32_t entry_mask = (uint32_t)bpred_mask(all->log2);
	const uint32_t tag_mask = (uint32_t)bpred_mask(all->tag_bits);
	uint32_t mixed = (uint32_t)(pc ^ pc >> all->log2);
	vote->base = &all->base[pc & all->base_mask];
	vote->provider = -1;
	vote->provided = vote->other = *vote->base >> 1;
	for (unsigned i = 0; i < all->tables; i++) {
		const struct tage_folds *folds = &all->folds[i];
		uint32_t index = (mixed ^ folds->index.value) & entry_mask;
		uint32_t tag = (uint32_t)pc ^ folds->tag.value ^ folds->tag_less.value << 1;
		vote->tag[i] = (uint16_t)(tag & tag_mask);
		vote->at[i] = &all->entries[((size_t)i << all->log2) + index];
		if (vote->at[i]->tag == vote->tag[i]) {
			vote->other = vote->provided;
			vote->provided = vote->at[i]->counter >= 0;
			vote->provider = (int)i;
		}
	}
	const struct tage_entry *entry = vote->provider < 0 ? NULL : vote->at[vote->provider];
	vote->is_new = entry && !entry->use && (entry->counter == 0 || entry->counter == -1);
	vote->predicted = vote->is_new && all->trust >= TRUSTED ? vote->other : vote->provided;
}

static bool
chance(struct tage *all)
{
	uint32_t x = all->random;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	all->random = x;
	return x % 3 != 0;
}

/* Step 2: an entry in a longer table. */
static void
allocate(struct tage *all, struct tage_vote *vote, uint8_t taken)
{
	int last = -1;
	unsigned first = (unsigned)(vote->provider + 1);
	for (unsigned i = first; i < all->tables; i++)
		last = vote->at[i]->use ? last : (int)i;
	for (unsigned i = first; i < all->tables && last < 0; i++)
		vote->at[i]->use--;
	for (unsigned i = first; (int)i <= last; i++) {
		if (vote->at[i]->use || ((int)i < last && !chance(all)))
			continue;
		*vote->at[i] = (struct tage_entry){vote->tag[i], (int8_t)(taken - 1), 0};
		return;
	}
}

/* Increments or decrements a number, saturating at low and high. */
static int
nudge(int value, bool up, int low, int high)
{
	return up ? value + (value < high) : value - (value > low);
}

static void
learn(struct tage *all, struct tage_vote *vote, uint8_t taken)
{
	bool differ = vote->provided != vote->other, right = vote->provided == taken;
	if (vote->is_new && differ)
		all->trust = (uint8_t)nudge(all->trust, !right, 0, TRUST_MAX);
	if (vote->predicted != taken)
		allocate(all, vote, taken);
	if (vote->provider < 0) {
		*vote->base = bpred_next(*vote->base, taken);
		return;
	}
	struct tage_entry *entry = vote->at[vote->provider];
	entry->counter = (int8_t)nudge(entry->counter, taken, COUNTER_MIN, COUNTER_MAX);
	if (differ)
		entry->use = (uint8_t)nudge(entry->use, right, 0, USE_MAX);
}

/* Step 5. */
static void
age(struct tage *all, uint8_t taken)
{
	for (unsigned i = 0; i < all->tables; i++) {
		folded_push(&all->folds[i].index, &all->past, taken);
		folded_push(&all->folds[i].tag, &all->past, taken);
		folded_push(&all->folds[i].tag_less, &all->past, taken);
	}
	history_push(&all->past, taken);
	if (++all->branches % all->period)
		return;
	size_t entries = (size_t)all->tables << all->log2;
	for (size_t i = 0; i < entries; i++)
		all->entries[i].use &= (uint8_t)~all->clears;
	all->clears ^= 3;
}

static void
run(void *state, const struct bpred_batch *batch, uint8_t *predicted)
{
	struct tage *all = state;
	struct tage_vote vote;
	for (size_t i = 0; i < batch->n; i++) {
		look_up(all, batch->pc[i] >> all->shift, &vote);
		predicted[i] = vote.predicted;
		learn(all, &vote, batch->taken[i]);
		age(all, batch->taken[i]);
	}
}

const struct bpred_family bpred_tage = {
	.name = "tage", .check = check, .bits = bits, .size = size, .reset = reset, .run = run};
