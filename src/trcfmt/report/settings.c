/* SPDX-License-Identifier: MIT */
/* spec: AIX trace reference 3 (overrides), 7.1 (-O). */
#include "trcfmt/report/settings.h"

#include "base/err.h"
#include "base/num.h"

#include <string.h>

/* A setting, and its parser for a value of n bytes; false: not valid. */
struct setting_parser {
	struct poly_trcrpt_setting public;
	bool (*parse)(struct report_settings *settings, const char *value, size_t n);
	size_t flag; /* without a parser: offset of the bool for which the value has two words
		      */
};

static bool
is_word(const char *value, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(value, word, n) == 0;
}

/* Parses one of two words: "on|off", or "no|yes" in that order. */
static bool
parse_flag(bool *flag, const char *words, const char *value, size_t n)
{
	const char *second = strchr(words, '|') + 1;
	const size_t first = (size_t)(second - 1 - words);
	const bool is_first = n == first && memcmp(value, words, n) == 0;
	const bool is_second = is_word(value, n, second);
	*flag = strcmp(words, "on|off") == 0 ? is_first : is_second;
	return is_first || is_second;
}

/* Parses seconds with up to 9 decimals. */
static bool
parse_seconds(int64_t *ns, const char *value, size_t n)
{
	const char *point = memchr(value, '.', n);
	size_t whole = point ? (size_t)(point - value) : n;
	uint64_t seconds, fraction = 0;
	if (!num_parse(value, whole, &seconds) || seconds > INT64_MAX / 1000000000 - 1)
		return false;
	for (size_t i = whole + 1; i <= whole + 9; i++) {
		if (i < n && (value[i] < '0' || value[i] > '9'))
			return false;
		fraction = fraction * 10 + (i < n ? (uint64_t)(value[i] - '0') : 0);
	}
	*ns = (int64_t)(seconds * 1000000000 + fraction);
	return n <= whole + 10;
}

/* The depth of interrupts is shown beside the system call. */
static bool
parse_svc(struct report_settings *s, const char *value, size_t n)
{
	bool good = parse_flag(&s->layout.shown[LAYOUT_svc], "on|off", value, n);
	s->layout.shown[LAYOUT_depth] = s->layout.shown[LAYOUT_svc];
	return good;
}

/* No hook of a known layout holds the names of component traces. */
static bool
parse_component(struct report_settings *s, const char *value, size_t n)
{
	(void)s;
	return is_word(value, n, "off");
}

static bool
parse_start(struct report_settings *s, const char *value, size_t n)
{
	return s->has_start = parse_seconds(&s->start, value, n);
}

static bool
parse_end(struct report_settings *s, const char *value, size_t n)
{
	return s->has_end = parse_seconds(&s->end, value, n);
}

static bool
parse_page_size(struct report_settings *s, const char *value, size_t n)
{
	uint64_t lines;
	if (!num_parse(value, n, &lines) || lines > 500)
		return false;
	s->page_lines = (unsigned)lines;
	return true;
}

static bool
parse_timestamp(struct report_settings *s, const char *value, size_t n)
{
	if (n != 1 || *value < '0' || *value > '3')
		return false;
	s->layout.stamp = (enum layout_stamp)(*value - '0');
	return true;
}

static bool
parse_columns(struct report_settings *s, const char *value, size_t n)
{
	return layout_set(&s->layout, value, n);
}

static bool
parse_start64(struct report_settings *s, const char *value, size_t n)
{
	s->eval.start64 = n == 1 ? (unsigned)(*value - '0') : 0;
	return s->eval.start64 == 2 || s->eval.start64 == 6 || s->eval.start64 == 8;
}

static bool
parse_start64g(struct report_settings *s, const char *value, size_t n)
{
	s->eval.start64g = is_word(value, n, "16") ? 16 : 8;
	return s->eval.start64g == 16 || is_word(value, n, "8");
}

/* Parses "local", "utc", or hours and minutes east of UTC. */
static bool
parse_tz(struct report_settings *s, const char *value, size_t n)
{
	uint64_t hours, minutes;
	s->eval.tz_local = is_word(value, n, "local");
	s->eval.tz_minutes = 0;
	if (s->eval.tz_local || is_word(value, n, "utc"))
		return true;
	if (n != 5 || (*value != '+' && *value != '-') || !num_parse(value + 1, 2, &hours) ||
		!num_parse(value + 3, 2, &minutes) || hours > 14 || minutes > 59)
		return false;
	s->eval.tz_minutes = (int)(hours * 60 + minutes) * (*value == '-' ? -1 : 1);
	return true;
}

#define FLAG(field) .flag = offsetof(struct report_settings, field)

static const struct setting_parser table[] = {
	{{"2line", "on|off", "off", "print the text on a line of its own"},
		FLAG(layout.two_lines)},
	{{"component", "off", "off", "print names of component traces (not supported)"},
		.parse = parse_component},
	{{"cpuid", "on|off", "off", "print the column CPU"}, FLAG(layout.shown[LAYOUT_cpuid])},
	{{"endtime", "S", "", "exclude events later than S seconds"}, .parse = parse_end},
	{{"exec", "on|off", "off", "print the column PROCESS NAME"},
		FLAG(layout.shown[LAYOUT_exec])},
	{{"filename", "on|off", "off", "print the column FILE: the event's trace file"},
		FLAG(layout.shown[LAYOUT_filename])},
	{{"hist", "on|off", "off", "print only the number of events of each hook"}, FLAG(hist)},
	{{"ids", "on|off", "on", "print the column ID"}, FLAG(layout.shown[LAYOUT_ids])},
	{{"pagesize", "0..500", "0", "lines between headings (0: only one heading)"},
		.parse = parse_page_size},
	{{"pid", "on|off", "off", "print the column PID"}, FLAG(layout.shown[LAYOUT_pid])},
	{{"PURR", "on|off", "off", "print the column PURR: that register, if traced"},
		FLAG(layout.shown[LAYOUT_purr])},
	{{"removedups", "on|off", "off", "remove duplicate events"}, FLAG(remove_duplicates)},
	{{"reportedcpus", "on|off", "off",
		 "print the column RCPU: the number of inputs that have events left"},
		FLAG(layout.shown[LAYOUT_reportedcpus])},
	{{"starttime", "S", "", "exclude events earlier than S seconds"}, .parse = parse_start},
	{{"svc", "on|off", "off", "print the columns I (depth of interrupts) and SYSTEM CALL"},
		.parse = parse_svc},
	{{"tid", "on|off", "off", "print the column TID"}, FLAG(layout.shown[LAYOUT_tid])},
	{{"timestamp", "0..3", "0",
		 "print times as 0: s and ms, 1: s with 6 decimals, 2: s and us, 3: none"},
		.parse = parse_timestamp},
	{{"aix.columns", "NAME:WIDTH", "", "set the width of a column; repeatable"},
		.parse = parse_columns},
	{{"aix.delta", "printed|all", "printed",
		 "reference event of DELTA: the event printed before, or the event before"},
		FLAG(delta_all)},
	{{"aix.nomatch", "nothing|value", "nothing",
		 "print for a switch without a matching case"},
		FLAG(eval.nomatch_value)},
	{{"aix.overread", "stop|zero", "stop", "at a read past the entry, stop or read zeros"},
		FLAG(eval.overread_zero)},
	{{"aix.spacing", "ibm|raw", "ibm", "rule for blanks between items"},
		FLAG(eval.raw_spacing)},
	{{"aix.start64", "2|6|8", "6", "first data byte of 64-bit entries"},
		.parse = parse_start64},
	{{"aix.start64g", "8|16", "8", "first data byte of generic 64-bit entries"},
		.parse = parse_start64g},
	{{"aix.tz", "utc|local|+hhmm|-hhmm", "utc", "time zone of dates"}, .parse = parse_tz},
	{{"aix.undefined", "dump|skip", "dump", "dump or skip events without a template"},
		FLAG(skip_undefined)},
};

enum { SETTING_COUNT = sizeof table / sizeof *table };

const struct poly_trcrpt_setting *
poly_trcrpt_setting_at(size_t i)
{
	return i < SETTING_COUNT ? &table[i].public : NULL;
}

void
settings_init(struct report_settings *settings)
{
	memset(settings, 0, sizeof *settings);
	layout_init(&settings->layout);
}

static bool
parse_value(const struct setting_parser *setting, struct report_settings *settings,
	const char *value, size_t n)
{
	if (setting->parse)
		return setting->parse(settings, value, n);
	bool *flag = (bool *)(void *)((char *)settings + setting->flag);
	return parse_flag(flag, setting->public.value, value, n);
}

/* NAME=VALUE of n bytes. */
static enum poly_status
parse_setting(
	struct report_settings *settings, const char *text, size_t n, struct poly_error *error)
{
	const char *equals = memchr(text, '=', n);
	size_t name = equals ? (size_t)(equals - text) : n;
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (!is_word(text, name, table[i].public.name))
			continue;
		if (equals && parse_value(&table[i], settings, equals + 1, n - name - 1))
			return POLY_OK;
		return err_usage(error, "invalid setting '%.*s' (expected %s=%s)",
			(int)(n < 60 ? n : 60), text, table[i].public.name,
			table[i].public.value);
	}
	return err_usage(error, "unknown setting '%.*s'; see options.settings",
		(int)(n < 60 ? n : 60), text);
}

enum poly_status
settings_parse(struct report_settings *settings, const char *text, struct poly_error *error)
{
	for (;; text++) {
		size_t n = strcspn(text, ",");
		enum poly_status status = parse_setting(settings, text, n, error);
		if (status != POLY_OK)
			return status;
		text += n;
		if (!*text)
			return POLY_OK;
	}
}
