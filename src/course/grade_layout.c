/* SPDX-License-Identifier: MIT */
/* The layouts of the courses' outputs. */
#include "course/grade.h"

#include <string.h>

#define RESULT "prediction", "outcome", "result", "mispredictions"
#define PENN_RESULT "", "pc", "outcome", "", "prediction", "result", "mispredictions"

static const struct grade_layout wustl_static = {
	.name = "static predictor, WUSTL",
	.heading = "PC\tPred\t",
	.separator = "\t",
	.fields = {"pc", RESULT},
	.explain = grade_explain_predictor,
};
static const struct grade_layout wustl_bimodal = {
	.name = "bimodal predictor, WUSTL",
	.heading = "PC\tTableState\tPred\t",
	.separator = "\t",
	.fields = {"pc", "bimodal table", RESULT},
	.explain = grade_explain_predictor,
};
static const struct grade_layout wustl_gshare = {
	.name = "gshare predictor, WUSTL",
	.heading = "PC\tTableState\t\tHist\t",
	.separator = "\t",
	.fields = {"pc", "gshare table", "history", RESULT},
	.explain = grade_explain_predictor,
};
static const struct grade_layout wustl_tournament = {
	.name = "tournament predictor, WUSTL",
	.heading = "PC\tBimodTable\t",
	.separator = "\t",
	.fields = {"pc", "bimodal table", "gshare table", "history", "chooser table", RESULT},
	.explain = grade_explain_predictor,
};
static const struct grade_layout scoreboard = {
	.name = "scoreboard",
	.heading = "cycle\tuop  Src1",
	.separator = " \t",
	.fields = {"cycle", "micro-op", "source 1", "source 1 ready", "source 2",
		"source 2 ready", "", "destination", "load or store", "scoreboard"},
	.explain = grade_explain_scoreboard,
};
static const struct grade_layout cache = {
	.name = "cache",
	.heading = "[SetNum: ",
	.separator = "\t",
	.fields = {"cache", "block", "load or store", "hit or miss", "evicted"},
	.explain = grade_explain_cache,
};
static const struct grade_layout superscalar = {
	.name = "superscalar",
	.heading = "Processing trace...",
	.separator = " ",
	.fields = {"cycle", "micro-op", "source 1", "source 1 ready", "source 2",
		"source 2 ready", "", "destination", "load or store", "scoreboard", "stall"},
	.explain = grade_explain_scoreboard,
};
static const struct grade_layout out_of_order = {
	.name = "out of order",
	.heading = "#: F I D C",
	.separator = " ,",
	.fields = {"micro-op", "fetch", "issue", "done", "commit", "renaming"},
};
static const struct grade_layout penn_bimodal = {
	.name = "bimodal predictor, Penn",
	.separator = " ",
	.fields = {"bimodal table", PENN_RESULT},
	.explain = grade_explain_predictor,
};
static const struct grade_layout penn_gshare = {
	.name = "gshare predictor, Penn",
	.separator = " ",
	.fields = {"gshare table", "history", PENN_RESULT},
	.explain = grade_explain_predictor,
};
static const struct grade_layout penn_tournament = {
	.name = "tournament predictor, Penn",
	.separator = " ",
	.fields = {"chooser table", "bimodal table", "gshare table", "history", PENN_RESULT},
	.explain = grade_explain_predictor,
};

static const struct grade_layout penn_stages = {
	.name = "stages, Penn version 2",
	.separator = " ",
	.tail = '{',
	.fields = {"F", "D", "X", "M", "W", "instruction", "labels"},
	.explain = grade_explain_stages,
};
static const struct grade_layout sfsu_dynamic = {
	.name = "predictor and BTB, SFSU",
	.separator = " ",
	.fields = {"branch", "counter", "state before", "state after", "entry", "tag",
		"accesses", "misses"},
	.explain = grade_explain_sfsu,
};
/* Layouts without records. */
static const struct grade_layout sfsu_predictor = {
	.name = "predictor, SFSU", .heading = "branches = ", .separator = ""};
static const struct grade_layout sfsu_cache = {
	.name = "cache, SFSU", .heading = "reads = ", .separator = ""};

const struct grade_layout *const grade_headed[] = {&wustl_static, &wustl_bimodal, &wustl_gshare,
	&wustl_tournament, &scoreboard, &cache, &superscalar, &out_of_order, &sfsu_predictor,
	&sfsu_cache, NULL};
const struct grade_layout *const grade_first[] = {
	&penn_bimodal, &penn_gshare, &penn_tournament, &penn_stages, &sfsu_dynamic, NULL};

static size_t
field_count(const struct grade_layout *layout)
{
	size_t n = 0;
	while (n < GRADE_FIELDS_MAX && layout->fields[n])
		n++;
	return n;
}

/* Returns the next field, without the separators around it; the last one is the rest. */
static struct grade_text
next_field(const char *separator, struct grade_text *rest, bool is_last)
{
	while (rest->size && memchr(separator, *rest->start, strlen(separator))) {
		rest->start++;
		rest->size--;
	}
	struct grade_text field = {rest->start, 0};
	while (field.size < rest->size &&
		(is_last || !memchr(separator, field.start[field.size], strlen(separator))))
		field.size++;
	rest->start += field.size;
	rest->size -= field.size;
	while (field.size && field.start[field.size - 1] == ' ')
		field.size--;
	return field;
}

/* Returns whether a text consists only of these characters. */
static bool
consists_of(struct grade_text text, const char *characters)
{
	for (size_t i = 0; i < text.size; i++)
		if (!memchr(characters, text.start[i], strlen(characters)))
			return false;
	return text.size > 0;
}

static bool
is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

/* Returns whether a field is valid for its name; any text is valid for the others. */
static bool
is_valid(const char *name, struct grade_text field)
{
	static const char *const hexadecimal[] = {"pc", "counter", "tag", NULL};
	static const char *const decimal[] = {"cycle", "mispredictions", "F", "D", "X", "M",
		"W", "branch", "entry", "accesses", "misses", NULL};
	static const char *const states[] = {"state before", "state after", NULL};
	if (!strcmp(name, "bimodal table") || !strcmp(name, "gshare table"))
		return consists_of(field, "NntT");
	if (!strcmp(name, "chooser table"))
		return consists_of(field, "BbgG");
	if (is_among(name, hexadecimal))
		return consists_of(field, "0123456789abcdef");
	if (is_among(name, decimal))
		return consists_of(field, "0123456789");
	if (is_among(name, states))
		return field.size == 1 && consists_of(field, "0123");
	/* Further numbers would be further stages, of another core. */
	if (!strcmp(name, "instruction"))
		return field.size &&
		       !consists_of((struct grade_text){field.start, 1}, "0123456789");
	if (!strcmp(name, "labels"))
		return field.size > 1 && field.start[field.size - 1] == '}';
	if (!strcmp(name, "cache"))
		return field.size > 2 && field.start[2] >= '0' && field.start[2] <= '9';
	return field.size > 0;
}

/* Splits off the end of a line, from the last tail; of size 0 if there is none. */
static struct grade_text
split_tail(struct grade_text *line, char tail)
{
	struct grade_text end = {line->start, line->size};
	while (end.size && line->start[end.size - 1] != tail)
		end.size--;
	if (!end.size)
		return end;
	end.start += end.size - 1;
	end.size = line->size - (size_t)(end.start - line->start);
	line->size -= end.size;
	return end;
}

bool
grade_split(
	const struct grade_layout *layout, struct grade_text line, struct grade_record *record)
{
	const size_t n = field_count(layout), others = n - (layout->tail != 0);
	struct grade_text tail = {"", 0};
	if (layout->tail)
		tail = split_tail(&line, layout->tail);
	*record = (struct grade_record){.count = n};
	for (size_t i = 0; i < n; i++) {
		record->fields[i] =
			i < others ? next_field(layout->separator, &line, i + 1 == others)
				   : tail;
		if (!is_valid(layout->fields[i], record->fields[i]))
			return false;
	}
	return n > 0;
}

struct grade_text
grade_field(
	const struct grade_layout *layout, const struct grade_record *record, const char *name)
{
	for (size_t i = 0; i < record->count; i++)
		if (!strcmp(layout->fields[i], name))
			return record->fields[i];
	return (struct grade_text){"", 0};
}
