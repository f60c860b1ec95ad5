/* SPDX-License-Identifier: MIT */
/*
 * Events as objects of JSON Lines and lines of CSV, with the same keys.
 *
 * spec: polytrace-trcrpt(1); RFC 8259; RFC 4180.
 */
#include "trcfmt/report.h"

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

/* A value on its way: n bytes, of a string or of a number; absent where text is NULL. */
struct value {
	const char *text;
	size_t size;
	bool number;
};

/* Where values are made. */
struct maker {
	struct poly_trcrpt *report;
	const struct shown *shown;
	char digits[40];
	struct buf *joined; /* lines of the text */
};

static struct value
string(const char *text)
{
	return (struct value){text, text ? strlen(text) : 0, false};
}

static struct value
number(struct maker *maker, bool known, uint64_t v)
{
	return (struct value){
		known ? maker->digits : NULL, num_decimal(maker->digits, v), true};
}

static struct value
seconds(struct maker *maker, int64_t ns)
{
	return (struct value){maker->digits, layout_decimal(maker->digits, ns, 9, 9), true};
}

/* The lines of the text with newlines between them. */
static struct value
joined(struct maker *maker)
{
	const struct shown *shown = maker->shown;
	struct buf *to = maker->joined;
	buf_clear(to);
	for (size_t i = 0; i < shown->piece_count; i++) {
		const struct trcfmt_piece *piece = &shown->pieces[i];
		if (i)
			buf_byte(to, piece->continues ? ' ' : '\n');
		buf_append(to, shown->text + piece->offset, piece->length);
	}
	const char *text = buf_text(to);
	return (struct value){text, to->size, false};
}

static struct value
make_value(struct maker *maker, enum key key)
{
	const struct shown *shown = maker->shown;
	const struct aix_context *who = &shown->who;
	size_t n;
	switch (key) {
	case KEY_id:
		n = report_id(shown->event->hook, false, maker->digits);
		return (struct value){maker->digits, n, false};
	case KEY_label:
		n = shown->label_size;
		return (struct value){n ? shown->label : NULL, n, false};
	case KEY_elapsed: return seconds(maker, shown->ns);
	case KEY_delta: return seconds(maker, shown->delta);
	case KEY_time:
		n = report_wall(maker->report, shown->ns, maker->digits);
		return (struct value){n ? maker->digits : NULL, n, false};
	case KEY_cpu: return number(maker, who->has_cpu, who->cpu);
	case KEY_pid: return number(maker, who->has_pid, who->pid);
	case KEY_tid: return number(maker, who->has_tid, who->tid);
	case KEY_process: return string(who->exec);
	case KEY_syscall: return string(who->svc);
	case KEY_depth: return number(maker, true, shown->depth);
	case KEY_level:
		return string(shown->piece_count ? levels[shown->pieces[0].level] : NULL);
	case KEY_file: return string(shown->file);
	case KEY_text: return joined(maker);
	case KEY_COUNT: break;
	}
	return (struct value){0};
}

/* n bytes as a JSON string, what is no UTF-8 as U+FFFD. */
static void
put_json(struct poly_trcrpt *report, const struct value *value)
{
	if (utf8_is_valid(value->text, value->size)) {
		quote_json(&report->out, value->text, value->size);
		return;
	}
	/* A copy that ends in a NUL, without those inside. */
	struct buf copy = {0}, sound = {0};
	for (size_t i = 0; i < value->size; i++)
		buf_byte(&copy, value->text[i] ? (uint8_t)value->text[i] : '?');
	utf8_append(&sound, buf_text(&copy));
	quote_json(&report->out, buf_text(&sound), sound.size);
	report->out.failed |= copy.failed || sound.failed;
	buf_free(&copy);
	buf_free(&sound);
}

void
report_json_event(struct poly_trcrpt *report, const struct shown *shown)
{
	struct maker maker = {.report = report, .shown = shown, .joined = &report->joined};
	uint8_t before = '{';
	for (unsigned key = 0; key < KEY_COUNT; key++) {
		struct value value = make_value(&maker, (enum key)key);
		if (!value.text)
			continue;
		buf_byte(&report->out, before);
		buf_byte(&report->out, '"');
		buf_string(&report->out, keys[key]);
		buf_string(&report->out, "\":");
		if (value.number)
			buf_append(&report->out, value.text, value.size);
		else
			put_json(report, &value);
		before = ',';
	}
	buf_string(&report->out, "}\n");
}

/* A field, in quotes where it has to be. */
static void
put_field(struct buf *to, const struct value *value)
{
	bool quoted = false;
	for (size_t i = 0; i < value->size && !quoted; i++)
		quoted = value->text[i] && strchr(",\"\r\n", value->text[i]);
	if (!quoted) {
		buf_append(to, value->text, value->size);
		return;
	}
	buf_byte(to, '"');
	for (size_t i = 0; i < value->size; i++) {
		if (value->text[i] == '"')
			buf_byte(to, '"');
		buf_byte(to, (uint8_t)value->text[i]);
	}
	buf_byte(to, '"');
}

void
report_csv_begin(struct poly_trcrpt *report)
{
	for (unsigned key = 0; key < KEY_COUNT; key++) {
		if (key)
			buf_byte(&report->out, ',');
		buf_string(&report->out, keys[key]);
	}
	buf_byte(&report->out, '\n');
}

void
report_csv_event(struct poly_trcrpt *report, const struct shown *shown)
{
	struct maker maker = {.report = report, .shown = shown, .joined = &report->joined};
	for (unsigned key = 0; key < KEY_COUNT; key++) {
		struct value value = make_value(&maker, (enum key)key);
		if (key)
			buf_byte(&report->out, ',');
		if (value.text)
			put_field(&report->out, &value);
	}
	buf_byte(&report->out, '\n');
}
