/* SPDX-License-Identifier: MIT */
/*
 * Writes events as JSON Lines objects and as CSV lines, with the same keys.
 *
 * spec: polytrace-trcrpt(1); RFC 8259; RFC 4180.
 */
#include "trcfmt/report/report.h"

#include "base/num.h"
#include "base/quote.h"
#include "base/utf8.h"

#include <string.h>

enum key {
	KEY_id,
	KEY_label,
	KEY_elapsed,
	KEY_delta,
	KEY_time,
	KEY_cpu,
	KEY_pid,
	KEY_tid,
	KEY_process,
	KEY_syscall,
	KEY_depth,
	KEY_level,
	KEY_file,
	KEY_text,
	KEY_COUNT,
};

static const char *const keys[KEY_COUNT] = {"id", "label", "elapsed", "delta", "time", "cpu",
	"pid", "tid", "process", "syscall", "depth", "level", "file", "text"};

static const char *const levels[] = {"APPL", "SVC", "KERN", "INT"};

/* A value as text, of a string or a number; absent if text is NULL. */
struct record_value {
	const char *text;
	size_t size;
	bool number;
};

/* State for formatting the values of an event. */
struct value_maker {
	struct event_formatter *formatter;
	const struct report_event *shown;
	char digits[40];
	struct buf *joined; /* lines of the text */
};

static struct record_value
string(const char *text)
{
	return (struct record_value){text, text ? strlen(text) : 0, false};
}

static struct record_value
number(struct value_maker *maker, bool known, uint64_t v)
{
	return (struct record_value){
		known ? maker->digits : NULL, num_decimal(maker->digits, v), true};
}

static struct record_value
seconds(struct value_maker *maker, int64_t ns)
{
	return (struct record_value){
		maker->digits, layout_decimal(maker->digits, ns, 9, 9), true};
}

/* Joins the lines of the text with newlines. */
static struct record_value
joined(struct value_maker *maker)
{
	const struct report_event *shown = maker->shown;
	struct buf *out = maker->joined;
	buf_clear(out);
	for (size_t i = 0; i < shown->span_count; i++) {
		const struct trcfmt_span *span = &shown->spans[i];
		if (i)
			buf_byte(out, span->continues ? ' ' : '\n');
		buf_append(out, shown->text + span->offset, span->length);
	}
	const char *text = buf_text(out);
	return (struct record_value){text, out->size, false};
}

static struct record_value
make_value(struct value_maker *maker, enum key key)
{
	const struct report_event *shown = maker->shown;
	const struct aix_context *who = &shown->who;
	size_t n;
	switch (key) {
	case KEY_id:
		n = report_id(shown->event->hook, false, maker->digits);
		return (struct record_value){maker->digits, n, false};
	case KEY_label:
		n = shown->label_size;
		return (struct record_value){n ? shown->label : NULL, n, false};
	case KEY_elapsed: return seconds(maker, shown->ns);
	case KEY_delta: return seconds(maker, shown->delta);
	case KEY_time:
		n = report_wall(maker->formatter, shown->ns, maker->digits);
		return (struct record_value){n ? maker->digits : NULL, n, false};
	case KEY_cpu: return number(maker, who->has_cpu, who->cpu);
	case KEY_pid: return number(maker, who->has_pid, who->pid);
	case KEY_tid: return number(maker, who->has_tid, who->tid);
	case KEY_process: return string(who->exec);
	case KEY_syscall: return string(who->svc);
	case KEY_depth: return number(maker, true, shown->depth);
	case KEY_level: return string(shown->span_count ? levels[shown->spans[0].level] : NULL);
	case KEY_file: return string(shown->file);
	case KEY_text: return joined(maker);
	case KEY_COUNT: break;
	}
	return (struct record_value){0};
}

/* Appends a value as a JSON string, with U+FFFD for invalid UTF-8. */
static void
append_json(struct event_formatter *formatter, const struct record_value *value)
{
	if (utf8_is_valid(value->text, value->size)) {
		quote_json(&formatter->out, value->text, value->size);
		return;
	}
	/* A copy that ends in a NUL, with '?' for inner ones. */
	struct buf copy = {0}, valid = {0};
	for (size_t i = 0; i < value->size; i++)
		buf_byte(&copy, value->text[i] ? (uint8_t)value->text[i] : '?');
	utf8_append(&valid, buf_text(&copy));
	quote_json(&formatter->out, buf_text(&valid), valid.size);
	formatter->out.failed |= copy.failed || valid.failed;
	buf_free(&copy);
	buf_free(&valid);
}

void
report_json_event(struct event_formatter *formatter, const struct report_event *shown)
{
	struct value_maker maker = {
		.formatter = formatter, .shown = shown, .joined = &formatter->joined};
	uint8_t before = '{';
	for (unsigned key = 0; key < KEY_COUNT; key++) {
		struct record_value value = make_value(&maker, (enum key)key);
		if (!value.text)
			continue;
		buf_byte(&formatter->out, before);
		buf_byte(&formatter->out, '"');
		buf_string(&formatter->out, keys[key]);
		buf_string(&formatter->out, "\":");
		if (value.number)
			buf_append(&formatter->out, value.text, value.size);
		else
			append_json(formatter, &value);
		before = ',';
	}
	buf_string(&formatter->out, "}\n");
}

void
report_csv_begin(struct poly_trcrpt *report)
{
	for (unsigned key = 0; key < KEY_COUNT; key++) {
		if (key)
			buf_byte(&report->formatter.out, ',');
		buf_string(&report->formatter.out, keys[key]);
	}
	buf_byte(&report->formatter.out, '\n');
}

void
report_csv_event(struct event_formatter *formatter, const struct report_event *shown)
{
	struct value_maker maker = {
		.formatter = formatter, .shown = shown, .joined = &formatter->joined};
	for (unsigned key = 0; key < KEY_COUNT; key++) {
		struct record_value value = make_value(&maker, (enum key)key);
		if (key)
			buf_byte(&formatter->out, ',');
		if (value.text && value.size)
			quote_csv(&formatter->out, value.text, value.size,
				formatter->report->csv_safe && !value.number);
	}
	buf_byte(&formatter->out, '\n');
}
