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
};

static bool
is_word(const char *value, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(value, word, n) == 0;
}

/* Parses one of two words. */
static bool
parse_word(bool *field, const char *value, size_t n, const char *const words[2])
{
	*field = is_word(value, n, words[1]);
	return *field || is_word(value, n, words[0]);
}

static bool
parse_switch(bool *field, const char *value, size_t n)
{
	static const char *const words[] = {"off", "on"};
	return parse_word(field, value, n, words);
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

#define SWITCH(word, field)                                                              \
	static bool parse_##word(struct report_settings *s, const char *value, size_t n) \
	{                                                                                \
		return parse_switch(&s->field, value, n);                                \
	}
SWITCH(two_lines, layout.two_lines)
SWITCH(cpuid, layout.shown[LAYOUT_cpuid])
SWITCH(exec, layout.shown[LAYOUT_exec])
SWITCH(filename, layout.shown[LAYOUT_filename])
SWITCH(hist, hist)
SWITCH(ids, layout.shown[LAYOUT_ids])
SWITCH(pid, layout.shown[LAYOUT_pid])
SWITCH(purr, layout.shown[LAYOUT_purr])
SWITCH(removedups, remove_duplicates)
SWITCH(reportedcpus, layout.shown[LAYOUT_reportedcpus])
SWITCH(tid, layout.shown[LAYOUT_tid])

/* The depth of interrupts is shown beside the system call. */
static bool
parse_svc(struct report_settings *s, const char *value, size_t n)
{
	bool good = parse_switch(&s->layout.shown[LAYOUT_svc], value, n);
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
parse_delta(struct report_settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"printed", "all"};
	return parse_word(&s->delta_all, value, n, words);
}

static bool
parse_undefined(struct report_settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"dump", "skip"};
	return parse_word(&s->skip_undefined, value, n, words);
}

static bool
parse_spacing(struct report_settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"ibm", "raw"};
	return parse_word(&s->eval.raw_spacing, value, n, words);
}

static bool
parse_nomatch(struct report_settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"nothing", "value"};
	return parse_word(&s->eval.nomatch_value, value, n, words);
}

static bool
parse_overread(struct report_settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"stop", "zero"};
	return parse_word(&s->eval.overread_zero, value, n, words);
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

static const struct setting_parser table[] = {
	{{"2line", "on|off", "off", "print the text on a line of its own"}, parse_two_lines},
	{{"component", "off", "off", "print names of component traces (not supported)"},
		parse_component},
	{{"cpuid", "on|off", "off", "print the column CPU"}, parse_cpuid},
	{{"endtime", "S", "", "exclude events later than S seconds"}, parse_end},
	{{"exec", "on|off", "off", "print the column PROCESS NAME"}, parse_exec},
	{{"filename", "on|off", "off", "print the column FILE: the event's trace file"},
		parse_filename},
	{{"hist", "on|off", "off", "print only the number of events of each hook"}, parse_hist},
	{{"ids", "on|off", "on", "print the column ID"}, parse_ids},
	{{"pagesize", "0..500", "0", "lines between headings (0: only one heading)"},
		parse_page_size},
	{{"pid", "on|off", "off", "print the column PID"}, parse_pid},
	{{"PURR", "on|off", "off", "print the column PURR: that register, if traced"},
		parse_purr},
	{{"removedups", "on|off", "off", "remove duplicate events"}, parse_removedups},
	{{"reportedcpus", "on|off", "off",
		 "print the column RCPU: the number of inputs that have events left"},
		parse_reportedcpus},
	{{"starttime", "S", "", "exclude events earlier than S seconds"}, parse_start},
	{{"svc", "on|off", "off", "print the columns I (depth of interrupts) and SYSTEM CALL"},
		parse_svc},
	{{"tid", "on|off", "off", "print the column TID"}, parse_tid},
	{{"timestamp", "0..3", "0",
		 "print times as 0: s and ms, 1: s with 6 decimals, 2: s and us, 3: none"},
		parse_timestamp},
	{{"aix.columns", "NAME:WIDTH", "", "set the width of a column; repeatable"},
		parse_columns},
	{{"aix.delta", "printed|all", "printed",
		 "reference event of DELTA: the event printed before, or the event before"},
		parse_delta},
	{{"aix.nomatch", "nothing|value", "nothing",
		 "print for a switch without a matching case"},
		parse_nomatch},
	{{"aix.overread", "stop|zero", "stop", "at a read past the entry, stop or read zeros"},
		parse_overread},
	{{"aix.spacing", "ibm|raw", "ibm", "rule for blanks between items"}, parse_spacing},
	{{"aix.start64", "2|6|8", "6", "first data byte of 64-bit entries"}, parse_start64},
	{{"aix.start64g", "8|16", "8", "first data byte of generic 64-bit entries"},
		parse_start64g},
	{{"aix.tz", "utc|local|+hhmm|-hhmm", "utc", "time zone of dates"}, parse_tz},
	{{"aix.undefined", "dump|skip", "dump", "dump or skip events without a template"},
		parse_undefined},
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
		if (equals && table[i].parse(settings, equals + 1, n - name - 1))
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
