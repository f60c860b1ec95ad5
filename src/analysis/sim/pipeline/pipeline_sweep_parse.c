/* SPDX-License-Identifier: MIT */
/* Parses the sweep of pipelines, and reports it. */
#include "analysis/sim/pipeline/pipeline_sweep.h"

#include "analysis/sim/sweep.h"
#include "base/err.h"
#include "base/mem.h"
#include "model/option.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 64, WORD_MAX = 60, OPTIONS_MAX = 32, NAME = 160 };

#define PREFIX "pipeline."

/* Values of a key, in the order of the text. */
struct sweep_list {
	uint64_t values[VALUES_MAX];
	size_t count;
};

struct pipeline_sweep_parser {
	struct pipeline_sweep *sweep;
	struct sweep_list values[PIPELINE_SWEEP_KEYS];
};

static const struct poly_option *
swept_option(const struct pipeline_sweep *sweep, size_t key)
{
	return &analysis_pipeline.info.options[sweep->keys[key]];
}

static const char *
name_of(const struct poly_option *option)
{
	return option->name + sizeof PREFIX - 1;
}

/* Sets the error of an invalid word. */
static enum poly_status
fail_setting(const char *word, struct poly_error *error)
{
	return err_usage(error,
		"'%s' is not a valid setting, expected values of options, each once, as "
		"width=1,2,4,rob=32..256,model=inorder,ooo",
		word);
}

static enum poly_status
add_value(const struct poly_option *option, uint64_t value, struct sweep_list *values,
	struct poly_error *error)
{
	if (values->count == VALUES_MAX)
		return err_usage(
			error, "'%s': more than %d values", name_of(option), VALUES_MAX);
	values->values[values->count++] = value;
	return POLY_OK;
}

static enum poly_status
parse_choice(const struct poly_option *option, const char *word, struct sweep_list *values,
	struct poly_error *error)
{
	for (size_t i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], word) == 0)
			return add_value(option, i, values, error);
	}
	return option_refuse(option, word, error);
}

/* Parses a number, numbers that double, "32..256", or a range, "1-4". */
static enum poly_status
parse_numbers(const struct poly_option *option, const char *word, struct sweep_list *values,
	struct poly_error *error)
{
	const char *p = word;
	uint64_t first, last;
	if (!sweep_parse_number(&p, &first))
		return fail_setting(word, error);
	const bool doubles = strncmp(p, "..", 2) == 0;
	last = first;
	if (doubles || *p == '-') {
		p += doubles ? 2 : 1;
		if ((doubles && !first) || !sweep_parse_number(&p, &last) || last < first)
			return fail_setting(word, error);
	}
	if (*p)
		return fail_setting(word, error);
	if (!option_fits(option, first) || !option_fits(option, last))
		return option_refuse(option, word, error);
	enum poly_status status = add_value(option, first, values, error);
	for (uint64_t value = first; status == POLY_OK && value < last;) {
		value += doubles ? value : 1;
		if (value <= last)
			status = add_value(option, value, values, error);
	}
	return status;
}

/* Returns whether an option configures the recording of stages, not the machine. */
static bool
is_stage_option(const char *name)
{
	return strcmp(name, "from") == 0 || strcmp(name, "count") == 0;
}

/* Adds the key of a name of n bytes; false: unknown, or a duplicate. */
static bool
parse_key(struct pipeline_sweep_parser *parser, const char *name, size_t n)
{
	struct pipeline_sweep *sweep = parser->sweep;
	const struct poly_option *options = analysis_pipeline.info.options;
	char word[sizeof PREFIX + WORD_MAX] = PREFIX;
	memcpy(word + sizeof PREFIX - 1, name, n);
	word[sizeof PREFIX - 1 + n] = '\0';
	/* The common abbreviation of the reorder buffer. */
	if (strcmp(word, PREFIX "rob") == 0)
		strcpy(word, PREFIX "size");
	const struct poly_option *option = option_find(options, word, strlen(word));
	if (!option || option->type == POLY_OPTION_TEXT || is_stage_option(name_of(option)) ||
		sweep->key_count == PIPELINE_SWEEP_KEYS)
		return false;
	for (size_t i = 0; i < sweep->key_count; i++) {
		if (sweep->keys[i] == (size_t)(option - options))
			return false;
	}
	sweep->keys[sweep->key_count++] = (size_t)(option - options);
	return true;
}

/* Parses a word between commas: "width=1", or a further value of the previous key. */
static enum poly_status
parse_word(struct pipeline_sweep_parser *parser, const char *word, struct poly_error *error)
{
	const char *equals = strchr(word, '=');
	if (equals && !parse_key(parser, word, (size_t)(equals - word)))
		return fail_setting(word, error);
	const size_t keys = parser->sweep->key_count;
	if (!keys)
		return fail_setting(word, error);
	const struct poly_option *option = swept_option(parser->sweep, keys - 1);
	struct sweep_list *values = &parser->values[keys - 1];
	word = equals ? equals + 1 : word;
	return option->type == POLY_OPTION_CHOICE ? parse_choice(option, word, values, error)
						  : parse_numbers(option, word, values, error);
}

static enum poly_status
parse_words(struct pipeline_sweep_parser *parser, const char *text, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (const char *p = text; *p && status == POLY_OK;) {
		char word[WORD_MAX + 1];
		const size_t n = strcspn(p, ",");
		snprintf(word, sizeof word, "%.*s", n < WORD_MAX ? (int)n : WORD_MAX, p);
		status = n > WORD_MAX ? fail_setting(word, error)
				      : parse_word(parser, word, error);
		p += n + (p[n] == ',');
	}
	return status;
}

static bool
is_same_front(const struct pipeline_machine *a, const struct pipeline_machine *b)
{
	if (a->has_cache != b->has_cache || a->has_bpred != b->has_bpred)
		return false;
	if (a->has_cache && (a->cache.sets != b->cache.sets || a->cache.ways != b->cache.ways ||
				    a->cache.line_size != b->cache.line_size))
		return false;
	if (a->has_bpred && (a->bpred.kind != b->bpred.kind ||
				    a->bpred.entries_log2 != b->bpred.entries_log2))
		return false;
	return !a->has_cache || a->miss == b->miss;
}

/* Assigns a pipeline to its front and, in order, to a lane. */
static void
index(struct pipeline_sweep *sweep, struct pipeline_sweep_config *config)
{
	const struct pipeline_machine *machine = &config->machine;
	uint32_t front = 0, group = 0;
	while (front < sweep->front_count &&
		!is_same_front(&sweep->fronts[front].machine, machine))
		front++;
	if (front == sweep->front_count)
		sweep->fronts[sweep->front_count++].machine = *machine;
	config->front = front;
	if (machine->is_ooo)
		return;
	while (group < sweep->group_count &&
		(sweep->groups[group].front != front ||
			sweep->groups[group].count == PIPELINE_LANES))
		group++;
	if (group == sweep->group_count)
		sweep->groups[sweep->group_count++].front = front;
	config->group = group;
	config->lane = sweep->groups[group].count++;
	sweep->groups[group].configs[config->lane] = machine->inorder;
}

void
pipeline_sweep_select(struct pipeline_sweep *sweep)
{
	memset(sweep->groups, 0, sizeof sweep->groups);
	sweep->front_count = sweep->group_count = 0;
	for (size_t i = 0; i < sweep->count; i++)
		if (!sweep->configs[i].is_elsewhere)
			index(sweep, &sweep->configs[i]);
}

/* Adds the number-th combination; the last key varies fastest. */
static enum poly_status
add_config(struct pipeline_sweep_parser *parser, size_t number, const uint64_t *values,
	struct poly_error *error)
{
	struct pipeline_sweep *sweep = parser->sweep;
	struct pipeline_sweep_config *config = &sweep->configs[sweep->count];
	uint64_t all[OPTIONS_MAX];
	size_t n = 0;
	for (; n < OPTIONS_MAX && analysis_pipeline.info.options[n].name; n++)
		all[n] = values[n];
	for (size_t key = sweep->key_count; key-- > 0;) {
		const struct sweep_list *list = &parser->values[key];
		config->values[key] = all[sweep->keys[key]] =
			list->values[number % list->count];
		number /= list->count;
	}
	enum poly_status status = pipeline_machine_init(&config->machine, all, error);
	if (status != POLY_OK)
		return status;
	index(sweep, config);
	sweep->count++;
	return POLY_OK;
}

enum poly_status
pipeline_sweep_new(const char *text, const uint64_t *values, struct pipeline_sweep **created,
	struct poly_error *error)
{
	struct pipeline_sweep_parser *parser = mem_new(1, sizeof *parser);
	struct pipeline_sweep *sweep = mem_new(1, sizeof *sweep);
	size_t count = 1;
	enum poly_status status = POLY_ERR_MEMORY;
	if (parser && sweep) {
		parser->sweep = sweep;
		status = parse_words(parser, text, error);
		for (size_t i = 0; i < sweep->key_count && count <= PIPELINE_SWEEP_MAX; i++)
			count *= parser->values[i].count;
	} else {
		err_memory(error);
	}
	if (status == POLY_OK && count > PIPELINE_SWEEP_MAX)
		status = err_usage(error, "more than %d pipelines", PIPELINE_SWEEP_MAX);
	for (size_t i = 0; i < count && status == POLY_OK; i++)
		status = add_config(parser, i, values, error);
	mem_free(parser);
	if (status != POLY_OK)
		mem_free(sweep);
	else
		*created = sweep;
	return status;
}

/* Formats a value; choices by name. */
static void
format_value(const struct poly_option *option, uint64_t value, char *text, size_t size)
{
	if (option->type == POLY_OPTION_CHOICE)
		snprintf(text, size, "%s", option->choices[value]);
	else
		snprintf(text, size, "%" PRIu64, value);
}

/* Formats all keys except the first, as "size=32 load=4". */
static void
format_other_options(const struct pipeline_sweep *sweep, size_t i, char *text, size_t size)
{
	size_t n = 0;
	for (size_t key = 1; key < sweep->key_count && n < size; key++) {
		const struct poly_option *option = swept_option(sweep, key);
		char value[24];
		format_value(option, sweep->configs[i].values[key], value, sizeof value);
		n += (size_t)snprintf(text + n, size - n, "%s%s=%s", key > 1 ? " " : "",
			name_of(option), value);
	}
}

/* Plots instructions per cycle by the first key, with one curve per combination of the
 * others. */
static void
plot(const struct pipeline_sweep *sweep, struct poly_report *report)
{
	const struct poly_option *first = swept_option(sweep, 0);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.title = "IPC";
	plot.kind = first->type == POLY_OPTION_NUMBER || first->type == POLY_OPTION_SIZE
			    ? POLY_PLOT_CURVE
			    : POLY_PLOT_BARS;
	plot.x = name_of(first);
	plot.y[0] = "ipc";
	if (plot.kind == POLY_PLOT_CURVE && sweep->key_count > 1)
		plot.series = sweep->key_count > 2 ? "other_options"
						   : name_of(swept_option(sweep, 1));
	plot.log_x = plot.kind == POLY_PLOT_CURVE;
	for (size_t i = 0; i < sweep->count; i++)
		plot.log_x = plot.log_x && sweep->configs[i].values[0];
	poly_report_plot(report, &plot);
}

static void
open_table(const struct pipeline_sweep *sweep, struct poly_report *report)
{
	poly_report_table(report, "sweep");
	for (size_t key = 0; key < sweep->key_count; key++) {
		const struct poly_option *option = swept_option(sweep, key);
		poly_report_column(report, name_of(option), option->type != POLY_OPTION_CHOICE);
		poly_report_heading(report, name_of(option));
	}
	if (sweep->key_count > 2)
		poly_report_column(report, "other_options", false);
	table_columns(report, "cycles cpi ipc mispredictions misses");
	plot(sweep, report);
}

static void
report_config(const struct pipeline_sweep *sweep, size_t i, struct poly_report *report)
{
	const struct pipeline_sweep_config *config = &sweep->configs[i];
	char text[NAME];
	for (size_t key = 0; key < sweep->key_count; key++) {
		const struct poly_option *option = swept_option(sweep, key);
		format_value(option, config->values[key], text, sizeof text);
		if (option->type == POLY_OPTION_CHOICE)
			poly_report_cell_text(report, text);
		else
			poly_report_cell_count(report, config->values[key]);
	}
	if (sweep->key_count < 3)
		return;
	format_other_options(sweep, i, text, sizeof text);
	poly_report_cell_text(report, text);
}

struct pipeline_sweep_counts
pipeline_sweep_count(const struct pipeline_sweep *sweep, const uint64_t *cycles, size_t i)
{
	const struct pipeline_sweep_config *config = &sweep->configs[i];
	const struct pipeline_events *events = &sweep->fronts[config->front].events;
	return config->is_elsewhere ? sweep->loaded[i]
				    : (struct pipeline_sweep_counts){cycles[i],
					      events->mispredictions, events->misses};
}

void
pipeline_sweep_report(const struct pipeline_sweep *sweep, const uint64_t *cycles,
	uint64_t instructions, struct poly_report *report)
{
	const double n = (double)instructions;
	open_table(sweep, report);
	for (size_t i = 0; i < sweep->count; i++) {
		const struct pipeline_sweep_counts counts =
			pipeline_sweep_count(sweep, cycles, i);
		const double own = (double)counts.cycles;
		report_config(sweep, i, report);
		poly_report_cell_count(report, counts.cycles);
		poly_report_cell_real(report, instructions ? own / n : 0, 4);
		poly_report_cell_real(report, counts.cycles ? n / own : 0, 4);
		poly_report_cell_count(report, counts.mispredictions);
		poly_report_cell_count(report, counts.misses);
	}
	poly_report_end(report);
}
