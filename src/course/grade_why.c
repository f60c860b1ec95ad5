/* SPDX-License-Identifier: MIT */
/* Explains fields of the courses' outputs: state before, operation, state after.
 */
#include "course/grade.h"

#include <inttypes.h>
#include <string.h>

static bool
equals(struct grade_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.start, word, text.size);
}

static void
append(struct buf *out, struct grade_text text)
{
	buf_append(out, text.start, text.size);
}

/* Parses a hexadecimal or decimal number; skips other characters. */
static uint64_t
parse_number(struct grade_text text, unsigned base)
{
	uint64_t value = 0;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.start[i];
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;
		if (digit < base)
			value = value * base + digit;
	}
	return value;
}

/* The parsed record of a branch. */
struct grade_branch {
	uint64_t pc, history;
	struct grade_text pc_text, outcome, history_text;
};

static struct grade_branch
read_branch(const struct grade_layout *layout, const struct grade_record *record)
{
	struct grade_branch branch = {.pc_text = grade_field(layout, record, "pc"),
		.outcome = grade_field(layout, record, "outcome"),
		.history_text = grade_field(layout, record, "history")};
	branch.pc = parse_number(branch.pc_text, 16);
	for (size_t i = 0; i < branch.history_text.size; i++)
		branch.history = branch.history << 1 | (branch.history_text.start[i] == 'T');
	return branch;
}

/* Appends the index of a branch's counter in a table, and returns it. */
static uint64_t
append_index(const struct grade_branch *branch, const char *table, struct grade_text counters,
	struct buf *out)
{
	bool mixed = !strcmp(table, "gshare table");
	uint64_t index = (mixed ? branch->pc ^ branch->history : branch->pc) % counters.size;
	buf_string(out, mixed ? "(" : "");
	append(out, branch->pc_text);
	if (mixed) {
		buf_string(out, " xor history ");
		append(out, branch->history_text);
		buf_byte(out, ')');
	}
	buf_printf(out, " mod %zu = %" PRIu64, counters.size, index);
	return index;
}

/* Explains a table or the history before a branch by the previous branch. */
static void
explain_state(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out)
{
	struct grade_text now = grade_field(layout, record, field);
	if (!before) {
		buf_string(out,
			"at the first branch each counter is 0 (N or B) and the history "
			"is all not taken");
		return;
	}
	struct grade_text previous = grade_field(layout, before, field);
	struct grade_branch branch = read_branch(layout, before);
	buf_string(out, "state before: ");
	append(out, previous);
	buf_string(out, "; operation: branch ");
	append(out, branch.pc_text);
	buf_string(out, equals(branch.outcome, "T") ? " was taken" : " was not taken");
	if (strcmp(field, "history") && previous.size == now.size && previous.size) {
		buf_string(out, ", counter ");
		uint64_t index = append_index(&branch, field, previous, out);
		buf_printf(out, " goes from %c to %c", previous.start[index], now.start[index]);
	}
	if (!strcmp(field, "chooser table"))
		buf_string(out, " (updated only if bimodal and gshare disagree)");
	buf_string(out, "; expected after: ");
	append(out, now);
}

/* Appends the choice of a branch's table, and returns the table. */
static const char *
append_choice(const struct grade_layout *layout, const struct grade_record *record,
	const struct grade_branch *branch, struct buf *out)
{
	struct grade_text chooser = grade_field(layout, record, "chooser table");
	if (!chooser.size)
		return grade_field(layout, record, "gshare table").size ? "gshare table"
									: "bimodal table";
	buf_string(out, "chooser ");
	uint64_t index = append_index(branch, "chooser table", chooser, out);
	bool is_gshare = chooser.start[index] == 'g' || chooser.start[index] == 'G';
	buf_printf(out, " is %c, so %s predicts; ", chooser.start[index],
		is_gshare ? "gshare" : "bimodal");
	return is_gshare ? "gshare table" : "bimodal table";
}

static void
explain_prediction(
	const struct grade_layout *layout, const struct grade_record *record, struct buf *out)
{
	struct grade_branch branch = read_branch(layout, record);
	const char *table = append_choice(layout, record, &branch, out);
	struct grade_text counters = grade_field(layout, record, table);
	if (!counters.size) {
		buf_string(out, "a static predictor always has the same prediction");
		return;
	}
	buf_string(out, "state before: ");
	append(out, counters);
	buf_string(out, "; operation: counter ");
	uint64_t index = append_index(&branch, table, counters, out);
	char counter = counters.start[index];
	buf_printf(out, " of the %s is %c; expected after: prediction %c", table, counter,
		counter == 't' || counter == 'T' ? 'T' : 'N');
}

static void
explain_result(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, struct buf *out)
{
	struct grade_text zero = {"0", 1};
	buf_string(out, "state before: ");
	append(out, before ? grade_field(layout, before, "mispredictions") : zero);
	buf_string(out, " mispredictions; operation: prediction ");
	append(out, grade_field(layout, record, "prediction"));
	buf_string(out, ", outcome ");
	append(out, grade_field(layout, record, "outcome"));
	buf_string(out, "; expected after: ");
	append(out, grade_field(layout, record, "result"));
	buf_string(out, ", ");
	append(out, grade_field(layout, record, "mispredictions"));
	buf_string(out, " mispredictions");
}

void
grade_explain_predictor(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out)
{
	if (strstr(field, "table") || !strcmp(field, "history"))
		explain_state(layout, before, record, field, out);
	else if (!strcmp(field, "prediction"))
		explain_prediction(layout, record, out);
	else if (!strcmp(field, "result") || !strcmp(field, "mispredictions"))
		explain_result(layout, before, record, out);
	else
		buf_string(out, "each conditional branch of the trace has a line: a branch "
				"field and flags R");
}

void
grade_explain_scoreboard(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out)
{
	bool is_source = strstr(field, "ready") != NULL;
	if (strcmp(field, "scoreboard") && strcmp(field, "cycle") &&
		strcmp(field, "micro-op") && !is_source)
		return;
	buf_string(out, "state before: ");
	if (before) {
		buf_string(out, "at cycle ");
		append(out, grade_field(layout, before, "cycle"));
		buf_string(out, " the scoreboard was ");
		append(out, grade_field(layout, before, "scoreboard"));
		buf_string(out, "; its numbers decrease by one per cycle");
	} else {
		buf_string(out, "the scoreboard is empty");
	}
	buf_string(out, "; operation: micro-op ");
	append(out, grade_field(layout, record, "micro-op"));
	buf_string(out, " reads ");
	append(out, grade_field(layout, record, "source 1"));
	buf_string(out, " and ");
	append(out, grade_field(layout, record, "source 2"));
	buf_string(out, " and writes ");
	append(out, grade_field(layout, record, "destination"));
	buf_string(out, " (-1: none); expected after: ");
	append(out, grade_field(layout, record, is_source ? field : "scoreboard"));
}

/* Returns the text of the n-th set, "[S...]". */
static struct grade_text
set_of(struct grade_text cache, size_t n)
{
	struct grade_text set = {cache.start, 0};
	for (size_t i = 0; i < cache.size; i++) {
		if (cache.start[i] != ']')
			continue;
		if (!n--) {
			set.size = (size_t)(cache.start + i + 1 - set.start);
			return set;
		}
		set.start = cache.start + i + 1;
		set.start += i + 1 < cache.size && cache.start[i + 1] == ' ';
	}
	return (struct grade_text){"", 0};
}

/* Returns the first set that differs between two states. */
static size_t
first_changed_set(struct grade_text before, struct grade_text after)
{
	size_t n = 0;
	for (struct grade_text a, b; (a = set_of(before, n)).size; n++) {
		b = set_of(after, n);
		if (a.size != b.size || memcmp(a.start, b.start, a.size))
			break;
	}
	return n;
}

static void
append_access(
	const struct grade_layout *layout, const struct grade_record *record, struct buf *out)
{
	buf_string(out, equals(grade_field(layout, record, "load or store"), "S") ? "store to "
										  : "load of ");
	buf_string(out, "block ");
	struct grade_text block = grade_field(layout, record, "block");
	while (block.size && (*block.start == '|' || *block.start == ' ')) {
		block.start++;
		block.size--;
	}
	append(out, block);
	buf_string(out, ", a ");
	append(out, grade_field(layout, record, "hit or miss"));
}

void
grade_explain_cache(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out)
{
	struct grade_text now = grade_field(layout, record, "cache");
	if (strcmp(field, "cache")) {
		buf_string(out, "operation: ");
		append_access(layout, record, out);
		buf_string(out, "; a hit needs the block's tag in its set, an empty frame is "
				"clean with the tag 0, and the frame at LRU is replaced");
		return;
	}
	if (!before) {
		buf_string(out, "at the first access each frame is clean with the tag 0, and "
				"each LRU is 0");
		return;
	}
	struct grade_text previous = grade_field(layout, before, "cache");
	size_t set = first_changed_set(previous, now);
	buf_string(out, "state before: ");
	append(out, set_of(previous, set));
	buf_string(out, "; operation: ");
	append_access(layout, before, out);
	buf_string(out, "; expected after: ");
	append(out, set_of(now, set));
}

/* Appends the five stages' cycles of a record, as "0 1 2 3 4". */
static void
append_stages(
	const struct grade_layout *layout, const struct grade_record *record, struct buf *out)
{
	for (size_t i = 0; i < 5; i++) {
		buf_string(out, i ? " " : "");
		append(out, grade_field(layout, record, layout->fields[i]));
	}
}

void
grade_explain_stages(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out)
{
	static const char *const rules[][2] = {{"F", "is entered when the previous instruction "
						     "enters D, or, after bmispred, a "
						     "cycle after its X"},
		{"D", "is entered a cycle after F, later by an i$miss, and not before the "
		      "previous instruction is in X"},
		{"X", "is entered after D, when the previous instruction is in M and all "
		      "sources are available"},
		{"M", "is entered a cycle after X, and not before the previous instruction is "
		      "in W"},
		{"W", "is entered a cycle after M, later by the memory latency"}};
	size_t i = 0;
	while (i < 5 && strcmp(field, rules[i][0]) != 0)
		i++;
	if (i == 5)
		return;
	buf_string(out, "state before: ");
	if (before) {
		buf_string(out, "F D X M W of ");
		append(out, grade_field(layout, before, "instruction"));
		buf_string(out, " are ");
		append_stages(layout, before, out);
		buf_byte(out, ' ');
		append(out, grade_field(layout, before, "labels"));
	} else {
		buf_string(out, "no instruction is in the pipeline");
	}
	buf_string(out, "; operation: ");
	append(out, grade_field(layout, record, "instruction"));
	buf_printf(out, ", whose %s %s; expected after: ", field, rules[i][1]);
	append_stages(layout, record, out);
}

void
grade_explain_sfsu(const struct grade_layout *layout, const struct grade_record *before,
	const struct grade_record *record, const char *field, struct buf *out)
{
	const struct grade_text zero = {"0", 1};
	const struct grade_text state = grade_field(layout, record, "state before");
	const bool looks_up = equals(state, "2") || equals(state, "3");
	if (!strcmp(field, "accesses") || !strcmp(field, "misses")) {
		buf_string(out, "state before: ");
		append(out, before ? grade_field(layout, before, field) : zero);
		buf_printf(out, " %s; operation: a counter of ", field);
		append(out, state);
		buf_printf(out, " predicts %s, so the BTB is %s; expected after: ",
			looks_up ? "taken" : "not taken",
			looks_up ? "looked up" : "not looked up");
		append(out, grade_field(layout, record, field));
	} else if (!strcmp(field, "state before") || !strcmp(field, "state after")) {
		buf_string(out, "operation: counter ");
		append(out, grade_field(layout, record, "counter"));
		buf_string(out,
			", initially 1, is incremented to at most 3 by a taken branch and "
			"decremented to at least 0 by others; expected: from ");
		append(out, state);
		buf_string(out, " to ");
		append(out, grade_field(layout, record, "state after"));
	}
}
