/* SPDX-License-Identifier: MIT */
/*
 * The report: its options, and the selection of merged events.
 *
 * spec: AIX trace reference 7.1, 7.2.
 */
#include "trcfmt/report/report.h"

#include "trcfmt/report/report_date.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/thread.h"

#include <string.h>

poly_columns
poly_trcrpt_columns(void)
{
	return event_merge_columns();
}

size_t
report_id(uint16_t hook, bool lower, char text[5])
{
	size_t n = hook & 15 ? 4 : 3;
	num_hex(text, n == 4 ? hook : hook >> 4, (unsigned)n);
	for (size_t i = 0; i < n && !lower; i++) {
		if (text[i] >= 'a')
			text[i] = (char)(text[i] - 'a' + 'A');
	}
	return n;
}

const char *
report_program(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

size_t
report_wall(struct event_formatter *formatter, int64_t ns, char text[40])
{
	static const int64_t second = 1000000000;
	const struct header *header = &formatter->report->header;
	if (!header->has_date)
		return 0;
	int64_t since = report_since(ns, (int64_t)(header->date_ns - formatter->report->base));
	int64_t whole = since / second - (since % second < 0);
	uint64_t fraction = (uint64_t)(since - whole * second);
	/* Formats each second once: many events share it. */
	if (!*formatter->clock || formatter->second != whole) {
		date_iso(&formatter->report->settings.eval, header->date + whole,
			formatter->clock);
		formatter->second = whole;
	}
	size_t n = strlen(formatter->clock);
	memcpy(text, formatter->clock, n);
	text[n] = '.';
	for (unsigned i = 9; i > 0; i--, fraction /= 10)
		text[n + i] = (char)('0' + fraction % 10);
	return n + 10;
}

/* Returns the next word of a line from `at` on, with its size in *n; NULL: none. */
static const char *
next_word(const char *at, const char *end, size_t *n)
{
	static const char between[] = " \t\r,;:=";
	while (at < end && strchr(between, *at))
		at++;
	*n = 0;
	while (at + *n < end && !strchr(between, at[*n]))
		++*n;
	return *n ? at : NULL;
}

static bool
parse_address(const char *word, size_t n, uint64_t *address)
{
	size_t prefix = n > 2 && word[0] == '0' && (word[1] | 32) == 'x' ? 2 : 0;
	return n > prefix && n - prefix <= 16 &&
	       num_parse_hex(word + prefix, n - prefix, address);
}

/* Returns the address word of a line: the first that begins with a digit, else the first that
 * consists of hexadecimal digits; NULL: none. */
static const char *
find_address(const char *line, const char *end, uint64_t *address)
{
	const char *letters = NULL;
	size_t n;
	for (const char *word = line; (word = next_word(word, end, &n)); word += n) {
		bool digit = *word >= '0' && *word <= '9';
		if ((digit || !letters) && parse_address(word, n, address)) {
			if (digit)
				return word;
			letters = word;
		}
	}
	if (letters && next_word(letters, end, &n))
		parse_address(letters, n, address);
	return letters;
}

/* Parses a line of trcnm: a name and an address in either order; other words are ignored. */
static enum poly_status
parse_name(struct poly_trcrpt *report, const char *line, const char *end)
{
	uint64_t address = 0;
	char copy[128];
	const char *position = find_address(line, end, &address), *name = line;
	size_t name_size = 0;
	while ((name = next_word(name, end, &name_size)) &&
		(name == position || name_size < 2 || name_size >= sizeof copy))
		name += name_size;
	/* Entry points begin with a full stop, which the names of system calls lack. */
	if (name && *name == '.' && name_size > 1) {
		name++;
		name_size--;
	}
	if (!position || !name)
		return POLY_OK;
	memcpy(copy, name, name_size);
	copy[name_size] = 0;
	report->named = true;
	enum poly_status status = aix_attribution_name(report->attribution, address, copy);
	return status == POLY_OK ? trcfmt_eval_handler(report->formatter.eval, address, copy)
				 : status;
}

/* Parses a line with a decimal errno value and its name. */
static enum poly_status
parse_errno(struct poly_trcrpt *report, const char *line, const char *end)
{
	char name[40];
	uint64_t number;
	size_t digits = 0, from, n;
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	while (line + digits < end && line[digits] >= '0' && line[digits] <= '9')
		digits++;
	for (from = digits; line + from < end && strchr(" \t", line[from]);)
		from++;
	for (n = 0; line + from + n < end && !strchr(" \t\r#", line[from + n]);)
		n++;
	if (!n || n >= sizeof name || from == digits || !num_parse(line, digits, &number))
		return POLY_OK;
	memcpy(name, line + from, n);
	name[n] = 0;
	return trcfmt_eval_errno(report->formatter.eval, number, name);
}

/* Parses each line of a text; other lines are skipped. */
static enum poly_status
parse_lines(struct poly_trcrpt *report, const struct poly_trcrpt_text *text,
	enum poly_status (*parse_line)(struct poly_trcrpt *, const char *, const char *),
	struct poly_error *error)
{
	const char *at = text->text, *end = at ? at + text->size : NULL;
	while (at && at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		if (parse_line(report, at, feed ? feed : end) == POLY_ERR_MEMORY)
			return err_memory(error);
		at = feed ? feed + 1 : end;
	}
	return POLY_OK;
}

/* -s and -e. */
static enum poly_status
parse_dates(struct poly_trcrpt *report, const struct poly_trcrpt_options *options,
	struct poly_error *error)
{
	const struct trcfmt_options *zone = &report->settings.eval;
	const char *wrong = NULL;
	report->has_date = options->date != NULL;
	report->requests_hooks = options->only || options->only_groups;
	report->has_start = options->start != NULL;
	report->has_end = options->end != NULL;
	if (options->date && !date_parse(zone, options->date, &report->date))
		return err_usage(error, "invalid date '%.40s' (expected 'YYYY-MM-DD hh:mm:ss')",
			options->date);
	if (options->start && !date_parse_short(zone, options->start, &report->start))
		wrong = options->start;
	if (options->end && !date_parse_short(zone, options->end, &report->end))
		wrong = options->end;
	if (!wrong)
		return POLY_OK;
	return err_usage(error, "invalid date '%.40s' (expected 'mmddhhmmssyy')", wrong);
}

/* Parses an expression, so that a syntax error is reported before a trace is read. */
static enum poly_status
check_where(const char *where, struct poly_error *error)
{
	struct poly_filter *filter;
	enum poly_status status = poly_filter_new(where, &filter, error);
	poly_filter_free(filter);
	return status;
}

static enum poly_status
set_options(struct poly_trcrpt *report, const struct poly_trcrpt_options *options,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; options->settings && options->settings[i]; i++) {
		status = settings_parse(&report->settings, options->settings[i], error);
		if (status != POLY_OK)
			return status;
	}
	report->form = options->form;
	report->csv_safe = options->csv_safe;
	report->no_header = options->no_header;
	report->wall = options->wall;
	report->color = options->color;
	report->threads = thread_count(options->thread_count);
	report->found = options->found;
	report->progress = options->progress;
	report->user = options->user;
	report->settings.layout.shown[LAYOUT_wall] = options->wall;
	layout_finish(&report->settings.layout);
	if (report->settings.hist && report->form != POLY_TRCRPT_TEXT)
		return err_usage(error,
			"a histogram has only the text form; the summary has its counts in all "
			"forms");
	status = parse_dates(report, options, error);
	if (status == POLY_OK)
		status = select_init(&report->select, options, error);
	if (status == POLY_OK && options->where) {
		report->where = mem_string(options->where);
		status = report->where ? check_where(options->where, error) : err_memory(error);
	}
	if (status == POLY_OK && options->match) {
		report->match = mem_string(options->match);
		status = report->match ? POLY_OK : err_memory(error);
	}
	return status;
}

bool
report_formatter_init(struct event_formatter *formatter, const struct poly_trcrpt *report)
{
	formatter->report = report;
	formatter->facts = report->formatter.facts;
	formatter->eval = trcfmt_eval_new(report->templates, &report->settings.eval);
	formatter->fault_counts =
		mem_new(report->templates->count + 1, sizeof *formatter->fault_counts);
	return formatter->eval && formatter->fault_counts;
}

void
report_formatter_fini(struct event_formatter *formatter)
{
	trcfmt_eval_free(formatter->eval);
	mem_free(formatter->fault_counts);
	mem_free(formatter->own_spans);
	buf_free(&formatter->own);
	buf_free(&formatter->joined);
	buf_free(&formatter->out);
}

/* Finds the templates that can be run in any order. */
static void
find_dependences(struct poly_trcrpt *report)
{
	for (size_t i = 0; i < report->templates->count; i++) {
		const enum trcfmt_dependence found = trcfmt_eval_dependence(
			report->formatter.eval, &report->templates->templates[i]);
		report->independent[i] = found == TRCFMT_INDEPENDENT;
		report->counts_lines |= found == TRCFMT_COUNTS_LINES;
	}
}

/* Allocates the report's components. */
static enum poly_status
create_components(struct poly_trcrpt *report, const struct poly_trcrpt_options *options,
	struct poly_error *error)
{
	const struct poly_trcrpt_text *table = &options->hooks;
	enum poly_status status = aix_attribution_new(
		table->text, table->size, table->name, &report->attribution, error);
	if (status != POLY_OK)
		return status;
	if (!report_formatter_init(&report->formatter, report))
		return err_memory(error);
	report->independent =
		mem_new(report->templates->count + 1, sizeof *report->independent);
	if (report->settings.hist)
		report->hist = mem_new(65536, sizeof *report->hist);
	if (!report->independent || (report->settings.hist && !report->hist))
		return err_memory(error);
	if (table->text) {
		report->hook_table = mem_string(table->name ? table->name : "a table");
		status = report->hook_table ? POLY_OK : err_memory(error);
	}
	if (status == POLY_OK)
		status = parse_lines(report, &options->names, parse_name, error);
	if (status == POLY_OK && options->names.size && !report->named)
		return err_usage(error,
			"'%s' has no names of addresses, expected the output of trcnm",
			options->names.name ? options->names.name : "options.names");
	if (status == POLY_OK)
		status = parse_lines(report, &options->errnos, parse_errno, error);
	if (status == POLY_OK)
		find_dependences(report);
	return status;
}

enum poly_status
poly_trcrpt_new(const struct poly_templates *templates,
	const struct poly_trcrpt_options *options, struct poly_trcrpt **report,
	struct poly_error *error)
{
	struct poly_trcrpt_options effective = POLY_TRCRPT_OPTIONS_INIT;
	*report = NULL;
	if (options && !options->size)
		return err_usage(error, "options of size 0");
	if (options)
		memcpy(&effective, options,
			options->size < sizeof effective ? options->size : sizeof effective);
	struct poly_trcrpt *new = mem_new(1, sizeof *new);
	if (!new)
		return err_memory(error);
	new->templates = templates;
	settings_init(&new->settings);
	enum poly_status status = set_options(new, &effective, error);
	if (status == POLY_OK)
		status = create_components(new, &effective, error);
	if (status == POLY_OK)
		*report = new;
	else
		poly_trcrpt_free(new);
	return status;
}

/* Returns the time of a second since the first event, from the date and time of another event.
 */
static int64_t
time_of(int64_t second, int64_t date, int64_t shift)
{
	int64_t ns;
	if (__builtin_mul_overflow(second - date, INT64_C(1000000000), &ns) ||
		__builtin_add_overflow(ns, shift, &ns))
		return second < date ? INT64_MIN : INT64_MAX;
	return ns;
}

/* Converts requested dates to times since the first event, whose time is base. */
static void
resolve_dates(struct poly_trcrpt *report)
{
	struct report_settings *settings = &report->settings;
	struct header *header = &report->header;
	if (report->has_date)
		header->date_ns = report->base;
	int64_t shift = (int64_t)(header->date_ns - report->base);
	if (report->has_start) {
		settings->has_start = true;
		settings->start = time_of(report->start, header->date, shift);
	}
	if (report->has_end) {
		settings->has_end = true;
		/* The end second is included. */
		settings->end = time_of(report->end + 1, header->date, shift);
		settings->end -= settings->end != INT64_MIN && settings->end != INT64_MAX;
	}
}

enum poly_status
report_begin(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs,
	struct poly_error *error)
{
	event_merge_where(&report->merge, report->where);
	enum poly_status status =
		event_merge_init(&report->merge, inputs->sources, inputs->count, error);
	report->names = inputs->names;
	if (status != POLY_OK)
		return status;
	report_header_read(report, inputs);
	if ((report->wall || report->has_start || report->has_end) && !report->header.has_date)
		return err_usage(error, "the trace has no date; set options.date");
	return POLY_OK;
}

/* True if an event of the same time was identical. */
static bool
is_twin(struct poly_trcrpt *report, const struct event_input *input)
{
	const struct aix_event *event = &input->event;
	uint8_t head[24] = {0};
	if (!event->has_time)
		return false;
	if (input->ns != report->twin_ns)
		report->twin_count = 0;
	report->twin_ns = input->ns;
	store_be32(head, (uint32_t)event->hook << 16 | event->subhook);
	store_be32(head + 4, (uint32_t)event->type << 8 | event->wide);
	store_be32(head + 8, (uint32_t)(event->thread >> 32));
	store_be32(head + 12, (uint32_t)event->thread);
	store_be32(head + 16, event->has_cpu ? event->cpu + 1 : 0);
	if (!report->seed.factor)
		hash_seed_draw(&report->seed);
	const uint64_t hash =
		hash_pair(&report->seed, hash_bytes(&report->seed, head, sizeof head),
			hash_bytes(&report->seed, event->data, event->size));
	for (unsigned i = 0; i < report->twin_count && i < 64; i++) {
		if (report->twins[i] == hash)
			return true;
	}
	report->twins[report->twin_count++ % 64] = hash;
	return false;
}

enum poly_status
report_next(struct poly_trcrpt *report, struct event_input **input, struct report_event *shown,
	struct poly_error *error)
{
	do {
		enum poly_status status = event_merge_next(&report->merge, input, error);
		if (status != POLY_OK)
			return status;
	} while (report->settings.remove_duplicates && is_twin(report, *input));
	const struct aix_event *event = &(*input)->event;
	if (!report->begun && event->has_time) {
		report->begun = true;
		/* Elapsed time counts from TRACE ON (AIX trace reference 4.8). */
		report->base = report->header.has_on ? report->header.date_ns : (*input)->ns;
		resolve_dates(report);
	}
	*shown = (struct report_event){.event = event,
		.who = aix_attribution_event(report->attribution, event),
		.chosen = event_merge_chosen(*input),
		.id = event->hook,
		.ns = report->begun ? (int64_t)((*input)->ns - report->base) : 0,
		.file = report->names[*input - report->merge.inputs],
		.inputs = report->merge.live};
	struct aix_rate rate;
	if (aix_rate_event(&rate, event))
		report->late_rates += rate.multiplier != report->merge.rate.multiplier ||
				      rate.divisor != report->merge.rate.divisor;
	report->lost[0] += event->hook == 0x0050;
	report->lost[1] += event->hook == 0x0060;
	return POLY_OK;
}

bool
report_selects(const struct poly_trcrpt *report, const struct report_event *shown)
{
	const struct report_settings *settings = &report->settings;
	if (!shown->chosen)
		return false;
	if ((settings->has_start && shown->ns < settings->start) ||
		(settings->has_end && shown->ns > settings->end))
		return false;
	return select_event(&report->select, shown->event, &shown->who);
}

void
report_end(struct poly_trcrpt *report)
{
	report->failed = report->merge.failed;
	event_merge_fini(&report->merge);
}

size_t
poly_trcrpt_failed(const struct poly_trcrpt *report)
{
	return report->failed;
}

void
poly_trcrpt_free(struct poly_trcrpt *report)
{
	if (!report)
		return;
	report_formatter_fini(&report->formatter);
	mem_free(report->independent);
	aix_attribution_free(report->attribution);
	select_fini(&report->select);
	event_merge_fini(&report->merge);
	report_header_free(&report->header);
	map_free(&report->undefined);
	mem_free(report->match);
	mem_free(report->where);
	mem_free(report->hook_table);
	mem_free(report->hist);
	mem_free(report);
}
