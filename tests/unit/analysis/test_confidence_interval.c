/* SPDX-License-Identifier: MIT */
/* Tests confidence intervals with worked examples and by their coverage. */
#include "trace_help.h"

#include "analysis/core/confidence_interval.h"

#include <math.h>

#define UNIT 50
#define UNITS_MAX 700

static void
expect_near(double found, double expected)
{
	if (fabs(found - expected) > 5e-4)
		fail_msg("found %f, expected %f", found, expected);
}

static void
a_hand_worked_interval_is_found(void **unused)
{
	(void)unused;
	struct ratio_sums sums = {0};
	ratio_sums_add(&sums, 3, 4);
	ratio_sums_add(&sums, 2, 4);
	ratio_sums_add(&sums, 1, 4);
	/* r = 6/12; residuals 1 0 -1; their variance 1; t = 4.303: 4.303 * sqrt(1/3) / 4. */
	struct confidence_interval interval = confidence_interval_of(&sums, 3, 0);
	expect_near(interval.estimate, 0.5);
	expect_near(interval.low, 0);
	expect_near(interval.high, 0.5 + 0.62109);
	/* With three quarters sampled, the interval is half as wide. */
	interval = confidence_interval_of(&sums, 3, 0.75);
	expect_near(interval.low, 0.5 - 0.31054);
	expect_near(interval.high, 0.5 + 0.31054);
}

static void
a_quotient_that_never_varies_is_certain(void **unused)
{
	(void)unused;
	struct ratio_sums sums = {0};
	for (uint64_t i = 1; i <= 1000; i++)
		ratio_sums_add(&sums, i, 3 * i);
	const struct confidence_interval interval = confidence_interval_of(&sums, 1000, 0.1);
	expect_near(interval.low, 1.0 / 3);
	expect_near(interval.high, 1.0 / 3);
}

static void
nothing_is_said_of_nothing(void **unused)
{
	(void)unused;
	struct ratio_sums sums = {0};
	assert_true(isnan(confidence_interval_of(&sums, 0, 0.1).estimate));
	ratio_sums_add(&sums, 0, 0);
	ratio_sums_add(&sums, 0, 0);
	assert_true(isnan(confidence_interval_of(&sums, 2, 0.1).estimate));
	ratio_sums_add(&sums, 1, 2);
	sums = (struct ratio_sums){0};
	ratio_sums_add(&sums, 1, 2);
	assert_true(confidence_interval_of(&sums, 1, 0.1).estimate == 0.5);
	assert_true(isnan(confidence_interval_of(&sums, 1, 0.1).low));
}

/* Derives the quantile of an interval from two units, 0 and 2, and others of 1 exactly. */
static double
quantile(uint64_t freedom)
{
	struct ratio_sums sums = {0};
	const double n = (double)freedom + 1;
	ratio_sums_add(&sums, 0, 1);
	ratio_sums_add(&sums, 2, 1);
	for (uint64_t i = 2; i <= freedom; i++)
		ratio_sums_add(&sums, 1, 1);
	const double half = confidence_interval_of(&sums, freedom + 1, 0).high - 1;
	return half / sqrt(2 / (n - 1) / n);
}

static void
quantiles_are_those_of_printed_tables(void **unused)
{
	(void)unused;
	/* Abramowitz and Stegun, table 26.10. */
	static const struct {
		uint64_t freedom;
		double t;
	} table[] = {{1, 12.706}, {2, 4.303}, {10, 2.228}, {30, 2.042}, {40, 2.021},
		{60, 2.000}, {120, 1.980}, {100000, 1.960}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		expect_near(quantile(table[i].freedom), table[i].t);
}

/* Counts of a unit. */
struct unit {
	unsigned part, whole;
};

/* Counts the loads per complete unit of a trace, and returns the number of units. */
static size_t
units_of(const char *name, struct unit *units)
{
	struct buf bytes = load_sample(name);
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	size_t rows = 0;
	memset(units, 0, UNITS_MAX * sizeof *units);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, rows++) {
			struct unit *unit = &units[rows / UNIT];
			unit->whole += batch->kind[row] == POLY_KIND_INSTRUCTION;
			unit->part += poly_present(batch, POLY_COLUMN_access, row) &&
				      batch->access[row] == POLY_ACCESS_READ;
		}
	}
	poly_reader_close(reader);
	buf_free(&bytes);
	return rows / UNIT;
}

static size_t
draw(uint64_t *seed, size_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(*seed >> 33) % below;
}

/* Counts the samples, out of 2000, whose interval contains the true quotient. */
static unsigned
count_covered(struct unit *units, size_t count, size_t taken, uint64_t seed)
{
	double part = 0, whole = 0;
	unsigned covered = 0;
	for (size_t i = 0; i < count; i++) {
		part += units[i].part;
		whole += units[i].whole;
	}
	for (unsigned round = 0; round < 2000; round++) {
		struct ratio_sums sums = {0};
		for (size_t i = 0; i < taken; i++) {
			const size_t other = i + draw(&seed, count - i);
			const struct unit unit = units[other];
			units[other] = units[i];
			units[i] = unit;
			ratio_sums_add(&sums, unit.part, unit.whole);
		}
		const struct confidence_interval interval =
			confidence_interval_of(&sums, taken, (double)taken / (double)count);
		covered += interval.low <= part / whole && part / whole <= interval.high;
	}
	return covered;
}

static void
the_true_value_is_in_95_of_100_intervals(void **unused)
{
	(void)unused;
	static const char *const names[] = {
		"amber/memset_thread_001.tt6", "pthr/thread_001.tt6"};
	struct unit units[UNITS_MAX];
	for (size_t i = 0; i < 2; i++) {
		const size_t count = units_of(names[i], units);
		assert_in_range(count, 300, UNITS_MAX);
		const unsigned covered = count_covered(units, count, 60, i);
		if (covered < 1840 || covered > 1960)
			fail_msg("%s: %u of 2000 intervals", names[i], covered);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hand_worked_interval_is_found),
		cmocka_unit_test(a_quotient_that_never_varies_is_certain),
		cmocka_unit_test(nothing_is_said_of_nothing),
		cmocka_unit_test(quantiles_are_those_of_printed_tables),
		cmocka_unit_test(the_true_value_is_in_95_of_100_intervals),
	};
	return cmocka_run_group_tests_name("confidence", tests, NULL, NULL);
}
