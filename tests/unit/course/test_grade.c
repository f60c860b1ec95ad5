/* SPDX-License-Identifier: MIT */
/* Outputs of courses' simulators that differ in a place that is known. */
#include "test_help.h"

#include "polytrace/grade.h"

/* Returns the next line of a text, and moves past it; NULL: the end. */
static const char *
next_line(const char **text, size_t *size)
{
	const char *line = *text;
	*size = strcspn(line, "\n");
	if (!*line)
		return NULL;
	*text = line + *size + (line[*size] == '\n');
	return line;
}

/* Compares two texts; the caller frees the comparison. */
static struct poly_grade *
grade(const char *expected, const char *actual)
{
	struct poly_grade *made;
	enum poly_status status = POLY_OK;
	assert_int_equal(poly_grade_new(&made, NULL), POLY_OK);
	while (status == POLY_OK) {
		size_t size;
		const char *line = next_line(&expected, &size);
		assert_int_equal(poly_grade_expected(made, line, size, NULL), POLY_OK);
		line = next_line(&actual, &size);
		status = poly_grade_actual(made, line, size, NULL);
	}
	assert_int_equal(status, POLY_END);
	return made;
}

static void
assert_text(const char *found, const char *expected)
{
	if (!expected || !found)
		assert_true(found == expected);
	else
		assert_string_equal(found, expected);
}

/* Where two texts differ, in "layout: field", and why. */
static void
assert_grade(const char *expected, const char *actual, uint64_t line, const char *where,
	const char *why)
{
	char found[200];
	struct poly_grade *made = grade(expected, actual);
	const struct poly_grade_verdict *verdict = poly_grade_get_verdict(made);
	assert_int_equal(verdict->line, line);
	snprintf(found, sizeof found, "%s: %s", verdict->layout ? verdict->layout : "?",
		verdict->field ? verdict->field : "?");
	assert_string_equal(found, where);
	assert_text(verdict->why, why);
	poly_grade_free(made);
}

static void
equal_texts_have_no_difference(void **state)
{
	(void)state;
	struct poly_grade *made = grade("a\nb\n", "a\nb\n");
	assert_int_equal(poly_grade_get_verdict(made)->line, 0);
	poly_grade_free(made);
	made = grade("", "");
	assert_int_equal(poly_grade_get_verdict(made)->line, 0);
	poly_grade_free(made);
}

static void
a_truncated_output_differs_at_its_end(void **state)
{
	(void)state;
	struct poly_grade *made = grade("a\nb\n", "a\n");
	const struct poly_grade_verdict *verdict = poly_grade_get_verdict(made);
	assert_int_equal(verdict->line, 2);
	assert_string_equal(verdict->expected, "b");
	assert_null(verdict->actual);
	poly_grade_free(made);
	made = grade("a\n", "a\n\n");
	verdict = poly_grade_get_verdict(made);
	assert_int_equal(verdict->line, 2);
	assert_null(verdict->expected);
	assert_string_equal(verdict->actual, "");
	assert_int_equal(verdict->column, 1);
	poly_grade_free(made);
}

static void
any_text_has_a_line_and_a_column(void **state)
{
	(void)state;
	struct poly_grade *made = grade("one\ntwo three\nx\n", "one\ntwo there\ny\n");
	const struct poly_grade_verdict *verdict = poly_grade_get_verdict(made);
	assert_int_equal(verdict->line, 2);
	assert_int_equal(verdict->column, 7);
	assert_null(verdict->layout);
	assert_null(verdict->field);
	assert_string_equal(verdict->expected, "two three");
	assert_string_equal(verdict->actual, "two there");
	poly_grade_free(made);
}

#define PENN                                 \
	"NNNN | 4010  T | N  incorrect  1\n" \
	"nNNN | 4025  N | N  correct    1\n" \
	"nNNN | 4010  T | N  incorrect  2\n"

static void
fields_of_penns_bimodal_predictor_are_explained(void **state)
{
	(void)state;
	assert_grade(PENN, "nNNN | 4010  T | N  incorrect  1\n", 1,
		"bimodal predictor, Penn: bimodal table",
		"at the first branch each counter is 0 (N or B) and the history is all not "
		"taken");
	assert_grade(PENN,
		"NNNN | 4010  T | N  incorrect  1\n"
		"NnNN | 4025  N | N  correct    1\n",
		2, "bimodal predictor, Penn: bimodal table",
		"state before: NNNN; operation: branch 4010 was taken, counter 4010 mod 4 = 0 "
		"goes from N to n; expected after: nNNN");
	assert_grade(PENN,
		"NNNN | 4010  T | N  incorrect  1\n"
		"nNNN | 4025  N | T  correct    1\n",
		2, "bimodal predictor, Penn: prediction",
		"state before: nNNN; operation: counter 4025 mod 4 = 1 of the bimodal table is "
		"N; expected after: prediction N");
	assert_grade(PENN,
		"NNNN | 4010  T | N  incorrect  1\n"
		"nNNN | 4025  N | N  correct    1\n"
		"nNNN | 4010  T | N  incorrect  1\n",
		3, "bimodal predictor, Penn: mispredictions",
		"state before: 1 mispredictions; operation: prediction N, outcome T; expected "
		"after: incorrect, 2 mispredictions");
	assert_grade(PENN, "NNNN | 4010  T | N  incorrect 1\n", 1,
		"bimodal predictor, Penn: blanks", NULL);
	assert_grade(PENN, " NNNN | 4010\tT | N  incorrect  1\r\n", 1,
		"bimodal predictor, Penn: blanks", NULL);
}

static void
blanks_are_detected_in_any_line(void **state)
{
	static const struct {
		const char *expected, *actual, *field;
	} cases[] = {{"debug mode on\n", "debug mode on\r\n", "blanks"},
		{"debug mode on\n", "\tdebug  mode on \n", "blanks"}, {"\n", " \n", "blanks"},
		{"debug mode on\n", "debug mode o n\n", NULL},
		{"debug mode on\n", "debugmode on\n", NULL},
		{"debug mode on\n", "debug mode\n", NULL}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_grade *made = grade(cases[i].expected, cases[i].actual);
		assert_text(poly_grade_get_verdict(made)->field, cases[i].field);
		poly_grade_free(made);
	}
}

static void
histories_and_choosers_are_explained(void **state)
{
	(void)state;
	/* 5 xor 1 is 4, mod 2 it is 0; the chooser selects gshare. */
	const char *two = "G nn NN  N | 5  T | N  incorrect  1\n"
			  "G nt NN  T | 5  T | N  incorrect  2\n"
			  "G nT nN  T | 5  T | N  incorrect  3\n";
	assert_grade(two,
		"G nn NN  N | 5  T | N  incorrect  1\n"
		"G nt NN  N | 5  T | N  incorrect  2\n",
		2, "tournament predictor, Penn: history",
		"state before: N; operation: branch 5 was taken; expected after: T");
	assert_grade(two,
		"G nn NN  N | 5  T | N  incorrect  1\n"
		"G nt NN  T | 5  T | T  correct    1\n",
		2, "tournament predictor, Penn: prediction",
		"chooser 5 mod 1 = 0 is G, so gshare predicts; state before: NN; operation: "
		"counter (5 xor history T) mod 2 = 0 of the gshare table is N; expected after: "
		"prediction N");
	assert_grade(two,
		"G nn NN  N | 5  T | N  incorrect  1\n"
		"G nt NN  T | 5  T | N  incorrect  2\n"
		"G nT Nn  T | 5  T | N  incorrect  3\n",
		3, "tournament predictor, Penn: gshare table",
		"state before: NN; operation: branch 5 was taken, counter (5 xor history T) "
		"mod "
		"2 = 0 goes from N to n; expected after: nN");
}

#define WUSTL                                                                  \
	"debug mode on\nPC\tTableState\tPred\tOutcome\t  Result\tnIncorrect\n" \
	"5\tNN\tN\tT\tincorrect\t1\n"

static void
a_heading_describes_the_layout(void **state)
{
	(void)state;
	assert_grade(WUSTL "7\tNn\tN\tN\t  correct\t1\n", WUSTL "7\tNn\tT\tN\tincorrect\t2\n",
		4, "bimodal predictor, WUSTL: prediction",
		"state before: Nn; operation: counter 7 mod 2 = 1 of the bimodal table is n; "
		"expected after: prediction N");
	assert_grade(WUSTL "7\tNn\tN\tN\t  correct\t1\n", WUSTL "9\tNn\tN\tN\t  correct\t1\n",
		4, "bimodal predictor, WUSTL: pc",
		"each conditional branch of the trace has a line: a branch field and flags R");
	assert_grade(WUSTL "Num Uops (micro-ops): \t\t\t9\n",
		WUSTL "Num Uops (micro-ops): \t\t\t8\n", 4,
		"bimodal predictor, WUSTL: Num Uops (micro-ops)", NULL);
}

static void
scoreboards_are_explained(void **state)
{
	(void)state;
	const char *heading = "cycle\tuop  Src1 (ready?)\tSrc2 (ready?)\tDestReg\tLdSt\t"
			      "contents-of-the-scoreboard\n"
			      "    0    1\t-1 (Ready)\t 1 (Ready)\t-->  2\tL\t--3-\n";
	char expected[500], actual[500];
	snprintf(expected, sizeof expected,
		"%s    1    2\t 2 (NotReady)\t-1 (Ready)\t-->  0\t-\t--2-\n", heading);
	snprintf(actual, sizeof actual,
		"%s    1    2\t 2 (Ready)\t-1 (Ready)\t-->  0\t-\t1-2-\n", heading);
	assert_grade(expected, actual, 3, "scoreboard: source 1 ready",
		"state before: at cycle 0 the scoreboard was --3-; its numbers "
		"decrease by one per cycle; operation: micro-op 2 reads 2 and -1 and writes 0 (-1: "
		"none); expected after: (NotReady)");
}

#define CACHE                                                                               \
	"[SetNum: {WayNum: Tag,cl/dirty} LRU=WayNum]\t| Block-Addr\tType\tH/M\tEvicState\n" \
	"[S0: {W0: 0, C} LRU=0] [S1: {W0: 0, C} LRU=0] \t| 110\tS\tmiss\tclean\n"

static void
caches_are_explained(void **state)
{
	(void)state;
	assert_grade(CACHE
		"[S0: {W0: 0, C} LRU=0] [S1: {W0: 8, D} LRU=0] \t| 110\tL\thit\t--\n",
		CACHE "[S0: {W0: 0, C} LRU=0] [S1: {W0: 8, C} LRU=0] \t| 110\tL\thit\t--\n", 3,
		"cache: cache",
		"state before: [S1: {W0: 0, C} LRU=0]; operation: store to block 110, a miss; "
		"expected after: [S1: {W0: 8, D} LRU=0]");
	assert_grade(CACHE, "[SetNum: {WayNum: Tag}\n", 1, "cache: [SetNum", NULL);
}

#define STAGES "0 1 2 3 4 cmp r3, #1 {}\n1 2 3 4 6 push {r4, r5} {}\n"

static void
stages_are_explained(void **state)
{
	(void)state;
	/* Computed by hand: memory takes one more cycle, so the next instruction is in M one
	 * more cycle.
	 */
	assert_grade(STAGES "2 3 4 6 7 bne.n #0x10 {bmispred}\n",
		STAGES "2 3 4 5 7 bne.n #0x10 {bmispred}\n", 3, "stages, Penn version 2: M",
		"state before: F D X M W of push {r4, r5} are 1 2 3 4 6 {}; operation: bne.n "
		"#0x10, whose M is entered a cycle after X, and not before the "
		"previous instruction is in W; expected after: 2 3 4 6 7");
	assert_grade(STAGES, "1 2 3 4 5 cmp r3, #1 {}\n", 1, "stages, Penn version 2: F",
		"state before: no instruction is in the pipeline; operation: cmp r3, #1, whose "
		"F is entered when the previous instruction enters D, or, after bmispred, a "
		"cycle after its X; expected after: 0 1 2 3 4");
	assert_grade(STAGES "2 3 4 6 7 ldr r1, [r2] {load-use}\n",
		STAGES "2 3 4 6 7 ldr r1, [r2] {}\n", 3, "stages, Penn version 2: labels",
		NULL);
	assert_grade(STAGES, "0 1 2 3 4 cmp r4, #1 {}\n", 1,
		"stages, Penn version 2: instruction", NULL);
	/* The ten numbers of the out-of-order core are none of these. */
	assert_grade("0 1 2 3 4 5 6 7 8 9 nop {}\n", "0 1 2 3 4 5 6 7 8 8 nop {}\n", 1, "?: ?",
		NULL);
}

#define DYNAMIC "0 5 1 2 1 c 0 0\n1 5 2 3 1 c 1 0\n"
#define DYNAMIC_LAYOUT "predictor and BTB, SFSU"

static void
outputs_of_sfsu_have_fields(void **state)
{
	(void)state;
	assert_grade(DYNAMIC, "0 5 1 2 1 c 0 0\n1 5 2 3 1 c 0 0\n", 2,
		DYNAMIC_LAYOUT ": accesses",
		"state before: 0 accesses; operation: a counter of 2 predicts taken, so the "
		"BTB is looked up; expected after: 1");
	assert_grade(DYNAMIC, "0 5 0 1 1 c 0 0\n", 1, DYNAMIC_LAYOUT ": state before",
		"operation: counter 5, initially 1, is incremented to at most 3 by a taken "
		"branch and decremented to at least 0 by others; expected: from 1 to 2");
	assert_grade(DYNAMIC, "0 5 1 2 1 b 0 0\n", 1, DYNAMIC_LAYOUT ": tag", NULL);
	assert_grade(DYNAMIC "mispredicted branches = 2\n",
		DYNAMIC "mispredicted branches = 3\n", 3,
		DYNAMIC_LAYOUT ": mispredicted branches", NULL);
	assert_grade("branches = 9\nforward branches = 4\n",
		"branches = 9\nforward branches = 5\n", 2, "predictor, SFSU: forward branches",
		NULL);
	assert_grade("reads = 9\nread misses = 4\n", "reads = 9\nread misses = 5\n", 2,
		"cache, SFSU: read misses", NULL);
}

static void
lines_of_any_bytes_are_compared(void **state)
{
	(void)state;
	struct poly_grade *made;
	uint32_t seed = 1;
	/* Whatever stands under a heading is taken apart or not, and never read beyond. */
	const char *headings[] = {"PC\tPred\t", "PC\tBimodTable\t", "cycle\tuop  Src1",
		"[SetNum: ", "Processing trace...", "#: F I D C", "NN | 1  T | N  incorrect  1",
		"0 1 2 3 4 nop {}", "0 5 1 2 1 c 0 0", "reads = 1"};
	const char letters[] = "NntTBbgG |0123456789abcdef\t[]SW:{}-,\n";
	for (unsigned round = 0; round < 4000; round++) {
		char line[40], other[40];
		size_t size = round % 39;
		for (size_t i = 0; i < size; i++) {
			seed = seed * 1103515245 + 12345;
			line[i] = letters[(seed >> 16) % (sizeof letters - 1)];
		}
		memcpy(other, line, size);
		if (size)
			other[(seed >> 8) % size] ^= 1;
		assert_int_equal(poly_grade_new(&made, NULL), POLY_OK);
		const char *heading = headings[round % 10];
		poly_grade_expected(made, heading, strlen(heading), NULL);
		poly_grade_actual(made, heading, strlen(heading), NULL);
		poly_grade_expected(made, line, size, NULL);
		assert_int_equal(
			poly_grade_actual(made, other, size, NULL), size ? POLY_END : POLY_OK);
		assert_int_equal(poly_grade_get_verdict(made)->line, size ? 2 : 0);
		poly_grade_free(made);
	}
}

static enum poly_status
grade_line(void *context)
{
	const char *line = "NNNN | 4010  T | N  incorrect  1";
	const char *other = "nNNN | 4010  T | N  incorrect  1";
	struct poly_grade *grade;
	(void)context;
	enum poly_status status = poly_grade_new(&grade, NULL);
	if (status == POLY_OK)
		status = poly_grade_expected(grade, line, strlen(line), NULL);
	if (status == POLY_OK)
		status = poly_grade_actual(grade, other, strlen(other), NULL);
	assert_int_not_equal(status, POLY_OK);
	poly_grade_free(grade);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	(void)state;
	law_memory(grade_line, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_have_no_difference),
		cmocka_unit_test(a_truncated_output_differs_at_its_end),
		cmocka_unit_test(any_text_has_a_line_and_a_column),
		cmocka_unit_test(fields_of_penns_bimodal_predictor_are_explained),
		cmocka_unit_test(blanks_are_detected_in_any_line),
		cmocka_unit_test(histories_and_choosers_are_explained),
		cmocka_unit_test(a_heading_describes_the_layout),
		cmocka_unit_test(scoreboards_are_explained),
		cmocka_unit_test(caches_are_explained),
		cmocka_unit_test(stages_are_explained),
		cmocka_unit_test(outputs_of_sfsu_have_fields),
		cmocka_unit_test(lines_of_any_bytes_are_compared),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
