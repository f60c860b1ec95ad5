/* SPDX-License-Identifier: MIT */
/* Why fields of the courses' outputs are what they are: state before, operation, state after.
 */
#include "course/grade.h"

#include <inttypes.h>
#include <string.h>

static bool
is(struct grade_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.at, word, text.size);
}

static void
put(struct buf *to, struct grade_text text)
{
	buf_append(to, text.at, text.size);
}

/* A number of hexadecimal or decimal digits; blanks and signs before it are passed over. */
static uint64_t
number(struct grade_text text, unsigned base)
{
	uint64_t value = 0;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.at[i];
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;
		if (digit < base)
			value = value * base + digit;
	}
	return value;
}

/* The record of a branch, read back. */
struct branch {
	uint64_t pc, history;
	struct grade_text pc_text, outcome, history_text;
};

static struct branch
read_branch(const struct grade_layout *layout, const struct grade_record *record)
{
	struct branch branch = {.pc_text = grade_field(layout, record, "pc"),
		.outcome = grade_field(layout, record, "outcome"),
		.history_text = grade_field(layout, record, "history")};
	branch.pc = number(branch.pc_text, 16);
	for (size_t i = 0; i < branch.history_text.size; i++)
		branch.history = branch.history << 1 | (branch.history_text.at[i] == 'T');
	return branch;
}

/* Says which counter of a table a branch has; returns its index. */
static uint64_t
put_index(const struct branch *branch, const char *table, struct grade_text counters,
	struct buf *to)
{
	bool mixed = !strcmp(table, "gshare table");
	uint64_t index = (mixed ? branch->pc ^ branch->history : branch->pc) % counters.size;
	buf_string(to, mixed ? "(" : "");
	put(to, branch->pc_text);
	if (mixed) {
		buf_string(to, " xor history ");
		put(to, branch->history_text);
		buf_byte(to, ')');
	}
	buf_printf(to, " mod %zu = %" PRIu64, counters.size, index);
	return index;
}

/* Why a table or the history is as it is before a branch: what the one before it did. */
static void
explain_state(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to)
{
	struct grade_text now = grade_field(layout, record, field);
	if (!before) {
		buf_string(to, "at the first branch each counter is 0 (N or B) and the history "
			       "has nothing taken");
		return;
	}
	struct grade_text then = grade_field(layout, before, field);
	struct branch branch = read_branch(layout, before);
	buf_string(to, "state before: ");
	put(to, then);
	buf_string(to, "; operation: branch ");
	put(to, branch.pc_text);
	buf_string(to, is(branch.outcome, "T") ? " was taken" : " was not taken");
	if (strcmp(field, "history") && then.size == now.size && then.size) {
		buf_string(to, ", counter ");
		uint64_t index = put_index(&branch, field, then, to);
		buf_printf(to, " goes from %c to %c", then.at[index], now.at[index]);
	}
	if (!strcmp(field, "chooser table"))
		buf_string(to, " (it moves only where bimodal and gshare disagree)");
	buf_string(to, "; expected after: ");
	put(to, now);
}

/* Says which table a branch is predicted by. */
static const char *
put_choice(const struct grade_layout *layout, const struct grade_record *record,
	const struct branch *branch, struct buf *to)
{
	struct grade_text chooser = grade_field(layout, record, "chooser table");
	if (!chooser.size)
		return grade_field(layout, record, "gshare table").size ? "gshare table"
									: "bimodal table";
	buf_string(to, "chooser ");
	uint64_t index = put_index(branch, "chooser table", chooser, to);
	bool other = chooser.at[index] == 'g' || chooser.at[index] == 'G';
	buf_printf(to, " is %c, so %s predicts; ", chooser.at[index],
		other ? "gshare" : "bimodal");
	return other ? "gshare table" : "bimodal table";
}

static void
explain_prediction(
	const struct grade_layout *layout, const struct grade_record *record, struct buf *to)
{
	struct branch branch = read_branch(layout, record);
	const char *table = put_choice(layout, record, &branch, to);
	struct grade_text counters = grade_field(layout, record, table);
	if (!counters.size) {
		buf_string(to, "a static predictor always says the same");
		return;
	}
	buf_string(to, "state before: ");
	put(to, counters);
	buf_string(to, "; operation: counter ");
	uint64_t index = put_index(&branch, table, counters, to);
	char counter = counters.at[index];
	buf_printf(to, " of the %s is %c; expected after: prediction %c", table, counter,
		counter == 't' || counter == 'T' ? 'T' : 'N');
}

static void
explain_result(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, struct buf *to)
{
	struct grade_text zero = {"0", 1};
	buf_string(to, "state before: ");
	put(to, before ? grade_field(layout, before, "mispredictions") : zero);
	buf_string(to, " mispredictions; operation: prediction ");
	put(to, grade_field(layout, record, "prediction"));
	buf_string(to, ", outcome ");
	put(to, grade_field(layout, record, "outcome"));
	buf_string(to, "; expected after: ");
	put(to, grade_field(layout, record, "result"));
	buf_string(to, ", ");
	put(to, grade_field(layout, record, "mispredictions"));
	buf_string(to, " mispredictions");
}

void
grade_explain_predictor(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to)
{
	if (strstr(field, "table") || !strcmp(field, "history"))
		explain_state(layout, before, record, field, to);
	else if (!strcmp(field, "prediction"))
		explain_prediction(layout, record, to);
	else if (!strcmp(field, "result") || !strcmp(field, "mispredictions"))
		explain_result(layout, before, record, to);
	else
		buf_string(to, "each conditional branch of the trace has a line: a branch "
			       "field and flags R");
}

void
grade_explain_scoreboard(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to)
{
	bool is_source = strstr(field, "ready") != NULL;
	if (strcmp(field, "scoreboard") && strcmp(field, "cycle") &&
		strcmp(field, "micro-op") && !is_source)
		return;
	buf_string(to, "state before: ");
	if (before) {
		buf_string(to, "at cycle ");
		put(to, grade_field(layout, before, "cycle"));
		buf_string(to, " the scoreboard was ");
		put(to, grade_field(layout, before, "scoreboard"));
		buf_string(to, "; each cycle later its numbers are one lower");
	} else {
		buf_string(to, "the scoreboard is empty");
	}
	buf_string(to, "; operation: micro-op ");
	put(to, grade_field(layout, record, "micro-op"));
	buf_string(to, " reads ");
	put(to, grade_field(layout, record, "source 1"));
	buf_string(to, " and ");
	put(to, grade_field(layout, record, "source 2"));
	buf_string(to, " and writes ");
	put(to, grade_field(layout, record, "destination"));
	buf_string(to, " (-1: none); expected after: ");
	put(to, grade_field(layout, record, is_source ? field : "scoreboard"));
}

/* The text of the set that an n-th "[S" begins. */
static struct grade_text
set_of(struct grade_text cache, size_t n)
{
	struct grade_text set = {cache.at, 0};
	for (size_t i = 0; i < cache.size; i++) {
		if (cache.at[i] != ']')
			continue;
		if (!n--) {
			set.size = (size_t)(cache.at + i + 1 - set.at);
			return set;
		}
		set.at = cache.at + i + 1;
		set.at += i + 1 < cache.size && cache.at[i + 1] == ' ';
	}
	return (struct grade_text){"", 0};
}

/* The first set that differs between two states. */
static size_t
set_changed(struct grade_text one, struct grade_text other)
{
	size_t n = 0;
	for (struct grade_text a, b; (a = set_of(one, n)).size; n++) {
		b = set_of(other, n);
		if (a.size != b.size || memcmp(a.at, b.at, a.size))
			break;
	}
	return n;
}

static void
put_access(const struct grade_layout *layout, const struct grade_record *record, struct buf *to)
{
	buf_string(to, is(grade_field(layout, record, "load or store"), "S") ? "store to "
									     : "load of ");
	buf_string(to, "block ");
	struct grade_text block = grade_field(layout, record, "block");
	while (block.size && (*block.at == '|' || *block.at == ' ')) {
		block.at++;
		block.size--;
	}
	put(to, block);
	buf_string(to, ", a ");
	put(to, grade_field(layout, record, "hit or miss"));
}

void
grade_explain_cache(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to)
{
	struct grade_text now = grade_field(layout, record, "cache");
	if (strcmp(field, "cache")) {
		buf_string(to, "operation: ");
		put_access(layout, record, to);
		buf_string(to, "; a hit needs the block's tag in its set, an empty frame is "
			       "clean with the tag 0, and the frame at LRU goes");
		return;
	}
	if (!before) {
		buf_string(to, "at the first access each frame is clean with the tag 0, and "
			       "each LRU is 0");
		return;
	}
	struct grade_text then = grade_field(layout, before, "cache");
	size_t set = set_changed(then, now);
	buf_string(to, "state before: ");
	put(to, set_of(then, set));
	buf_string(to, "; operation: ");
	put_access(layout, before, to);
	buf_string(to, "; expected after: ");
	put(to, set_of(now, set));
}

/* The five stages' cycles of a record, as "0 1 2 3 4". */
static void
put_stages(const struct grade_layout *layout, const struct grade_record *record, struct buf *to)
{
	for (size_t i = 0; i < 5; i++) {
		buf_string(to, i ? " " : "");
		put(to, grade_field(layout, record, layout->fields[i]));
	}
}

void
grade_explain_stages(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to)
{
	static const char *const rules[][2] = {
		{"F", "is entered when the one before leaves it for D, or, behind bmispred, a "
		      "cycle after that one's X"},
		{"D", "is entered a cycle after F, later by an i$miss, and not before the one "
		      "before is in X"},
		{"X", "is entered when D is over, the one before is in M, and all sources "
		      "are there"},
		{"M", "is entered a cycle after X, and not before the one before is in W"},
		{"W", "is entered a cycle after M, later by what memory takes"}};
	size_t i = 0;
	while (i < 5 && strcmp(field, rules[i][0]) != 0)
		i++;
	if (i == 5)
		return;
	buf_string(to, "state before: ");
	if (before) {
		buf_string(to, "F D X M W of ");
		put(to, grade_field(layout, before, "instruction"));
		buf_string(to, " are ");
		put_stages(layout, before, to);
		buf_byte(to, ' ');
		put(to, grade_field(layout, before, "labels"));
	} else {
		buf_string(to, "no instruction is in the pipeline");
	}
	buf_string(to, "; operation: ");
	put(to, grade_field(layout, record, "instruction"));
	buf_printf(to, ", whose %s %s; expected after: ", field, rules[i][1]);
	put_stages(layout, record, to);
}

void
grade_explain_sfsu(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *to)
{
	const struct grade_text zero = {"0", 1};
	const struct grade_text state = grade_field(layout, record, "state before");
	const bool asks = is(state, "2") || is(state, "3");
	if (!strcmp(field, "accesses") || !strcmp(field, "misses")) {
		buf_string(to, "state before: ");
		put(to, before ? grade_field(layout, before, field) : zero);
		buf_printf(to, " %s; operation: a counter of ", field);
		put(to, state);
		buf_printf(to, " predicts %s, so the target buffer is %s; expected after: ",
			asks ? "taken" : "not taken", asks ? "asked" : "not asked");
		put(to, grade_field(layout, record, field));
	} else if (!strcmp(field, "state before") || !strcmp(field, "state after")) {
		buf_string(to, "operation: counter ");
		put(to, grade_field(layout, record, "counter"));
		buf_string(to, ", which was 1 at first, goes up to 3 for a taken branch and "
			       "down to 0 for another; expected: from ");
		put(to, state);
		buf_string(to, " to ");
		put(to, grade_field(layout, record, "state after"));
	}
}
