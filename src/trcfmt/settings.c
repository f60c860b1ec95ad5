/* SPDX-License-Identifier: MIT */
/* spec: reference aix 3 (overrides), 7.1 (-O). */
#include "trcfmt/settings.h"

#include "base/err.h"
#include "base/num.h"

#include <string.h>

/* A setting, and what takes its value of n bytes; false: it is none. */
struct setting {
	struct poly_trcrpt_setting public;
	bool (*take)(struct settings *settings, const char *value, size_t n);
};

static bool
is_word(const char *value, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(value, word, n) == 0;
}

/* One of two words. */
static bool
take_word(bool *field, const char *value, size_t n, const char *const words[2])
{
	*field = is_word(value, n, words[1]);
	return *field || is_word(value, n, words[0]);
}

static bool
take_switch(bool *field, const char *value, size_t n)
{
	static const char *const words[] = {"off", "on"};
	return take_word(field, value, n, words);
}

/* Seconds with up to 9 decimals. */
static bool
take_seconds(int64_t *ns, const char *value, size_t n)
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

#define SWITCH(word, field)                                                      \
	static bool take_##word(struct settings *s, const char *value, size_t n) \
	{                                                                        \
		return take_switch(&s->field, value, n);                         \
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

/* The depth of interrupts stands beside the system call. */
static bool
take_svc(struct settings *s, const char *value, size_t n)
{
	bool good = take_switch(&s->layout.shown[LAYOUT_svc], value, n);
	s->layout.shown[LAYOUT_depth] = s->layout.shown[LAYOUT_svc];
	return good;
}

/* The names of component traces are carried by no hook whose layout is known. */
static bool
take_component(struct settings *s, const char *value, size_t n)
{
	(void)s;
	return is_word(value, n, "off");
}

static bool
take_start(struct settings *s, const char *value, size_t n)
{
	return s->has_start = take_seconds(&s->start, value, n);
}

static bool
take_end(struct settings *s, const char *value, size_t n)
{
	return s->has_end = take_seconds(&s->end, value, n);
}

static bool
take_page_size(struct settings *s, const char *value, size_t n)
{
	uint64_t lines;
	if (!num_parse(value, n, &lines) || lines > 500)
		return false;
	s->page_lines = (unsigned)lines;
	return true;
}

static bool
take_timestamp(struct settings *s, const char *value, size_t n)
{
	if (n != 1 || *value < '0' || *value > '3')
		return false;
	s->layout.stamp = (enum layout_stamp)(*value - '0');
	return true;
}

static bool
take_columns(struct settings *s, const char *value, size_t n)
{
	return layout_set(&s->layout, value, n);
}

static bool
take_delta(struct settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"printed", "all"};
	return take_word(&s->delta_all, value, n, words);
}

static bool
take_undefined(struct settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"dump", "skip"};
	return take_word(&s->skip_undefined, value, n, words);
}

static bool
take_spacing(struct settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"ibm", "raw"};
	return take_word(&s->eval.raw_spacing, value, n, words);
}

static bool
take_nomatch(struct settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"nothing", "value"};
	return take_word(&s->eval.nomatch_value, value, n, words);
}

static bool
take_overread(struct settings *s, const char *value, size_t n)
{
	static const char *const words[] = {"stop", "zero"};
	return take_word(&s->eval.overread_zero, value, n, words);
}

static bool
take_start64(struct settings *s, const char *value, size_t n)
{
	s->eval.start64 = n == 1 ? (unsigned)(*value - '0') : 0;
	return s->eval.start64 == 2 || s->eval.start64 == 6 || s->eval.start64 == 8;
}

static bool
take_start64g(struct settings *s, const char *value, size_t n)
{
	s->eval.start64g = is_word(value, n, "16") ? 16 : 8;
	return s->eval.start64g == 16 || is_word(value, n, "8");
}

/* local, or hours and minutes east of UTC. */
static bool
take_tz(struct settings *s, const char *value, size_t n)
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

static const struct setting table[] = {
	{{"2line", "on|off", "off", "the text has a line of its own"}, take_two_lines},
	{{"component", "off", "off", "names of component traces, which are not supported"},
		take_component},
	{{"cpuid", "on|off", "off", "column CPU"}, take_cpuid},
	{{"endtime", "S", "", "no events later than S seconds"}, take_end},
	{{"exec", "on|off", "off", "column PROCESS NAME"}, take_exec},
	{{"filename", "on|off", "off", "column FILE: the file that the event is from"},
		take_filename},
	{{"hist", "on|off", "off", "only how often each hook occurs"}, take_hist},
	{{"ids", "on|off", "on", "column ID"}, take_ids},
	{{"pagesize", "0..500", "0", "lines between headings; 0: only one heading"},
		take_page_size},
	{{"pid", "on|off", "off", "column PID"}, take_pid},
	{{"PURR", "on|off", "off", "column PURR, where that register was traced"}, take_purr},
	{{"removedups", "on|off", "off", "leave out events that are there twice"},
		take_removedups},
	{{"reportedcpus", "on|off", "off", "column RCPU: inputs that have events left"},
		take_reportedcpus},
	{{"starttime", "S", "", "no events earlier than S seconds"}, take_start},
	{{"svc", "on|off", "off", "columns I (depth of interrupts) and SYSTEM CALL"}, take_svc},
	{{"tid", "on|off", "off", "column TID"}, take_tid},
	{{"timestamp", "0..3", "0",
		 "0: s and ms, 1: s with 6 decimals, 2: s and microseconds, 3: none"},
		take_timestamp},
	{{"aix.columns", "NAME:WIDTH", "", "width of a column; may be given often"},
		take_columns},
	{{"aix.delta", "printed|all", "printed", "the event that DELTA counts from"},
		take_delta},
	{{"aix.nomatch", "nothing|value", "nothing", "what a switch without a case prints"},
		take_nomatch},
	{{"aix.overread", "stop|zero", "stop", "bytes beyond the entry"}, take_overread},
	{{"aix.spacing", "ibm|raw", "ibm", "blanks between items"}, take_spacing},
	{{"aix.start64", "2|6|8", "6", "byte where data of 64-bit entries begin"},
		take_start64},
	{{"aix.start64g", "8|16", "8", "the same for generic ones"}, take_start64g},
	{{"aix.tz", "utc|local|+hhmm|-hhmm", "utc", "time zone of dates"}, take_tz},
	{{"aix.undefined", "dump|skip", "dump", "events without a template"}, take_undefined},
};

enum { SETTING_COUNT = sizeof table / sizeof *table };

const struct poly_trcrpt_setting *
poly_trcrpt_setting_at(size_t i)
{
	return i < SETTING_COUNT ? &table[i].public : NULL;
}

void
settings_init(struct settings *settings)
{
	memset(settings, 0, sizeof *settings);
	layout_init(&settings->layout);
}

/* NAME=VALUE of n bytes. */
static enum poly_status
take_one(struct settings *settings, const char *text, size_t n, struct poly_error *error)
{
	const char *equals = memchr(text, '=', n);
	size_t name = equals ? (size_t)(equals - text) : n;
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (!is_word(text, name, table[i].public.name))
			continue;
		if (equals && table[i].take(settings, equals + 1, n - name - 1))
			return POLY_OK;
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"setting '%.*s', expected %s=%s", (int)(n < 60 ? n : 60), text,
			table[i].public.name, table[i].public.value);
	}
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"unknown setting '%.*s', expected one of those of -O", (int)(n < 60 ? n : 60),
		text);
}

enum poly_status
settings_take(struct settings *settings, const char *text, struct poly_error *error)
{
	for (;; text++) {
		size_t n = strcspn(text, ",");
		enum poly_status status = take_one(settings, text, n, error);
		if (status != POLY_OK)
			return status;
		text += n;
		if (!*text)
			return POLY_OK;
	}
}
