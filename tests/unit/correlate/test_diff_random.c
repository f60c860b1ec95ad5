/* SPDX-License-Identifier: MIT */
/* Comparison of random traces, against brute force. */
#include "diff_help.h"

#include "correlate/diff/align.h"

/* A small generator: the same numbers on every machine. */
static unsigned
chance(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % below;
}

/* By the words of align.h, tried one by one. */
static bool
agree_again(const struct align_side sides[2], size_t p, size_t q)
{
	size_t i = 0;
	for (; i < ALIGN_CONFIRM; i++) {
		bool ends[2] = {p + i >= sides[0].count, q + i >= sides[1].count};
		if (ends[0] || ends[1])
			return i > 0 &&
			       ((ends[0] && sides[0].ended) || (ends[1] && sides[1].ended));
		if (sides[0].keys[p + i] != sides[1].keys[q + i])
			return false;
	}
	return true;
}

static bool
align_slowly(const struct align_side sides[2], size_t most, struct alignment *found)
{
	for (size_t sum = 1; sum <= 2 * most; sum++) {
		for (size_t p = 0; p <= sum && p <= most; p++) {
			if (sum - p > most || !agree_again(sides, p, sum - p))
				continue;
			*found = (struct alignment){{p, sum - p}};
			return true;
		}
	}
	return false;
}

static void
alignment_is_that_of_brute_force(void **state)
{
	(void)state;
	uint64_t seed = 5;
	unsigned found = 0;
	for (unsigned round = 0; round < 20000; round++) {
		uint64_t keys[2][16];
		struct align_side sides[2];
		unsigned letters = 1 + chance(&seed, 4);
		for (unsigned side = 0; side < 2; side++) {
			sides[side] = (struct align_side){
				keys[side], chance(&seed, 17), chance(&seed, 2)};
			for (size_t i = 0; i < 16; i++)
				keys[side][i] = chance(&seed, letters);
		}
		/* It is called if the next keys differ. */
		keys[0][0] = 1000;
		size_t most = chance(&seed, 16);
		struct alignment fast, slow;
		bool expected = align_slowly(sides, most, &slow);
		assert_int_equal(align_find(sides, most, &fast), expected);
		if (expected) {
			assert_int_equal(fast.skipped[0], slow.skipped[0]);
			assert_int_equal(fast.skipped[1], slow.skipped[1]);
		}
		found += expected;
	}
	assert_true(found > 1000 && found < 19000);
}

/* Random instructions, of few registers and values. */
struct made {
	unsigned count;
	unsigned effects[40];
	unsigned kinds[40][4];
};

static void
make_random(struct made *made, uint64_t *seed)
{
	made->count = 1 + chance(seed, 40);
	for (unsigned i = 0; i < made->count; i++) {
		made->effects[i] = chance(seed, 5);
		for (unsigned e = 0; e < 4; e++)
			made->kinds[i][e] = chance(seed, 6);
	}
}

static void
print_made(struct buf *text, const struct made *made)
{
	for (unsigned i = 0; i < made->count; i++) {
		buf_printf(text, "%u clk 0 IT (%u) %08x e0000000 A usr : x\n", i, i,
			0x1000 + 4 * i);
		for (unsigned e = 0; e < made->effects[i]; e++) {
			unsigned kind = made->kinds[i][e];
			if (kind < 4)
				buf_printf(text, "%u clk R r%u %08x\n", i, kind % 2, kind / 2);
			else
				buf_printf(text, "%u clk MW4 00002000 %08x\n", i, kind);
		}
	}
}

/* True where each instruction has the same records, in whatever order. */
static bool
same_sets(const struct made *a, const struct made *b)
{
	for (unsigned i = 0; i < a->count; i++) {
		int counts[6] = {0};
		for (unsigned e = 0; e < a->effects[i]; e++)
			counts[a->kinds[i][e]]++;
		for (unsigned e = 0; e < b->effects[i]; e++)
			counts[b->kinds[i][e]]--;
		for (unsigned k = 0; k < 6; k++) {
			if (counts[k])
				return false;
		}
	}
	return true;
}

static void
random_traces_differ_just_where_their_sets_do(void **state)
{
	(void)state;
	uint64_t seed = 11;
	unsigned same = 0;
	for (unsigned round = 0; round < 400; round++) {
		struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct made a, b;
		struct buf texts[2] = {{0}, {0}};
		make_random(&a, &seed);
		b = a;
		for (unsigned swaps = chance(&seed, 4); swaps; swaps--) {
			unsigned i = chance(&seed, a.count);
			unsigned kind = b.kinds[i][0];
			b.kinds[i][0] = b.kinds[i][3];
			b.kinds[i][3] = kind;
		}
		print_made(&texts[0], &a);
		print_made(&texts[1], &b);
		options.context = chance(&seed, 4);
		struct poly_reader *const readers[2] = {
			open_rows(&texts[0], "qemu4v", 1 + chance(&seed, 30)),
			open_rows(&texts[1], "qemu4v", 1 + chance(&seed, 30))};
		struct buf found = compare(readers, &options);
		assert_int_equal(found.size == 0, same_sets(&a, &b));
		same += found.size == 0;
		buf_free(&found);
		buf_free(&texts[0]);
		buf_free(&texts[1]);
	}
	assert_true(same > 50 && same < 350);
}

/* Two traces, of which one alone executes runs of instructions at known places. */
struct planted {
	struct buf texts[2], expected;
	unsigned numbers[2]; /* of the next instruction of each trace */
	unsigned fresh;	     /* address of the next run */
};

/* Appends a run to one of the traces. */
static void
plant_run(struct planted *planted, unsigned side, unsigned run)
{
	struct buf *expected = &planted->expected;
	put_run(&planted->texts[side], planted->fresh, planted->fresh + 4 * (run - 1));
	if (run == 1)
		buf_printf(expected, "%s-instruction pc", side ? "extra" : "missing");
	else
		buf_printf(expected, "inserted %u instructions only in the %s trace", run,
			side ? "second" : "first");
	buf_printf(expected, side ? " -|0x%08x" : " 0x%08x|-", planted->fresh);
	buf_printf(expected, " @%u|%u +%u|%u\n", planted->numbers[0], planted->numbers[1],
		side ? 0 : run, side ? run : 0);
	planted->numbers[side] += run;
	planted->fresh += 4 * run + 16;
}

static void
planted_runs_are_found_at_their_position(void **state)
{
	(void)state;
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	uint64_t seed = 3;
	for (unsigned round = 0; round < 60; round++) {
		struct planted planted = {.numbers = {1, 1}, .fresh = 0x100000};
		unsigned since = 0;
		for (unsigned pc = 0x1000; pc < 0x1000 + 4 * 300; pc += 4) {
			unsigned run = chance(&seed, 3) ? 1 + chance(&seed, 150) : 1;
			unsigned side = chance(&seed, 2);
			/* Runs less than a confirmation apart would be one. */
			if (++since > ALIGN_CONFIRM && chance(&seed, 30) == 0) {
				plant_run(&planted, side, run);
				since = 0;
			}
			for (unsigned i = 0; i < 2; i++) {
				put_insn(&planted.texts[i], pc);
				planted.numbers[i]++;
			}
		}
		expect_between(&planted.texts[0], &planted.texts[1], "qemu4v", &options,
			buf_text(&planted.expected));
		buf_free(&planted.texts[0]);
		buf_free(&planted.texts[1]);
		buf_free(&planted.expected);
	}
}

/* The sample with removed, repeated or changed lines. */
static struct buf
random_sample(const struct buf *sample, uint64_t *seed)
{
	struct buf out = {0};
	const unsigned one_in = 20 + chance(seed, 2000);
	const char *p = (const char *)sample->data, *end = p + sample->size;
	while (p < end) {
		size_t n = strcspn(p, "\n") + 1;
		unsigned what = chance(seed, one_in);
		if (what != 1)
			buf_append(&out, p, n);
		if (what == 2)
			buf_append(&out, p, n);
		if (what == 3 || what == 4)
			out.data[out.size - 2 - chance(seed, (unsigned)n - 1)] = '7';
		p += n;
	}
	return out;
}

static void
findings_do_not_depend_on_batches(void **state)
{
	(void)state;
	uint64_t seed = 29;
	size_t shown = 0;
	struct buf sample = load_sample(SAMPLE);
	buf_text(&sample);
	for (unsigned round = 0; round < 60; round++) {
		struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
		struct buf changed = random_sample(&sample, &seed), first = {0};
		options.context = chance(&seed, 6);
		options.window = 1 + chance(&seed, 12);
		options.ordered = chance(&seed, 2);
		for (size_t i = 0; i < sizeof batch_rows / sizeof *batch_rows; i++) {
			struct poly_reader *const readers[2] = {
				open_rows(&sample, "qemu4v", batch_rows[i][0]),
				open_rows(&changed, "qemu4v", batch_rows[i][1])};
			struct buf found = compare_closely(readers, &options, true);
			if (i == 0)
				buf_append(&first, found.data, found.size);
			assert_string_equal(buf_text(&found), buf_text(&first));
			buf_free(&found);
		}
		shown += first.size != 0;
		buf_free(&first);
		buf_free(&changed);
	}
	assert_true(shown > 30);
	buf_free(&sample);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alignment_is_that_of_brute_force),
		cmocka_unit_test(planted_runs_are_found_at_their_position),
		cmocka_unit_test(findings_do_not_depend_on_batches),
		cmocka_unit_test(random_traces_differ_just_where_their_sets_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
