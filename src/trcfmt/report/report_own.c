/* SPDX-License-Identifier: MIT */
/*
 * Texts of events that have no template: the facility's own hooks, and undefined ones.
 *
 * spec: AIX trace reference 3 (15), 4.8 (Predefined hooks), 7.2.
 */
#include "trcfmt/report/report_date.h"
#include "trcfmt/report/report.h"

#include "base/bits.h"
#include "base/vec.h"

#include <string.h>

/* By the first two digits of the id of three digits. */
static const char *const labels[] = {
	[0x00] = "TSYNC",
	[0x01] = "TRACE ON",
	[0x02] = "TRACE OFF",
	[0x03] = "TRACE HEADER",
	[0x04] = "TRACEID IS ZERO",
	[0x05] = "LOGFILE WRAPAROUND",
	[0x06] = "TRACEBUFFER WRAPAROUND",
	[0x07] = "UNDEFINED TRACE ID",
	[0x08] = "DEFAULT TEMPLATE",
	[0x09] = "ERR",
	[0x0a] = "TRACE_UTIL",
};

/* Bytes per line of a dump. */
#define DUMP_LINE 16

const char *
builtin_label(uint16_t hook)
{
	size_t i = hook >> 4;
	return hook & 15 || i >= sizeof labels / sizeof *labels ? NULL : labels[i];
}

/* Upper-case hexadecimal digits. */
static void
append_hex(struct buf *out, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";
	for (size_t i = 0; i < n; i++) {
		buf_byte(out, (uint8_t)digits[bytes[i] >> 4]);
		buf_byte(out, (uint8_t)digits[bytes[i] & 15]);
	}
}

/* Appends the entry's data in words of 4 bytes, on lines of their own. */
static void
append_dump(struct buf *out, const struct aix_event *event)
{
	for (size_t at = 0; at < event->size; at += 4) {
		buf_byte(out, at % DUMP_LINE ? ' ' : '\n');
		append_hex(out, event->data + at, event->size - at < 4 ? event->size - at : 4);
	}
}

static void
append_hook_word(struct buf *out, const struct aix_event *event)
{
	uint8_t word[8];
	buf_string(out, " hookword=");
	append_hex(out, word, aix_event_hook_word(event, word));
}

/* "TRACE ON channel 0", and the date if the entry has one. */
static void
append_channel(struct event_formatter *formatter, const struct aix_event *event)
{
	buf_printf(&formatter->own, " channel %u", (unsigned)event->subhook);
	if (event->size < event->word)
		return;
	char date[DATE_SIZE];
	date_long(&formatter->report->settings.eval, (int64_t)aix_event_word(event, 1), date);
	buf_printf(&formatter->own, "\n%s", date);
}

static void
append_undefined(struct event_formatter *formatter, const struct report_event *shown)
{
	char id[5];
	size_t n = report_id(shown->event->hook, false, id);
	buf_printf(&formatter->own, " %.*s", (int)n, id);
	append_hook_word(&formatter->own, shown->event);
	append_dump(&formatter->own, shown->event);
}

/* Appends the text after the label of a hook of the trace facility. */
static void
append_facility(struct event_formatter *formatter, const struct report_event *shown)
{
	const struct aix_event *event = shown->event;
	unsigned long long d1 = aix_event_word(event, 1);
	switch (event->hook >> 4) {
	case 0x01:
	case 0x02: append_channel(formatter, event); break;
	case 0x00:
	case 0x04:
		append_hook_word(&formatter->own, event);
		buf_printf(&formatter->own, " file=%s index=%llu", shown->file,
			(unsigned long long)event->offset);
		break;
	case 0x05:
		buf_printf(&formatter->own, " %llu", event->size ? d1 : event->subhook);
		break;
	case 0x06:
		buf_printf(&formatter->own, " %u %llu missed entries", (unsigned)event->subhook,
			d1);
		break;
	default: append_dump(&formatter->own, event); break;
	}
}

/* Makes each line of the text a span. */
static bool
make_spans(struct event_formatter *formatter, struct report_event *shown)
{
	const char *text = (const char *)formatter->own.data;
	size_t n = formatter->own.size, count = 0, at = 0;
	while (at < n) {
		const char *feed = memchr(text + at, '\n', n - at);
		size_t end = feed ? (size_t)(feed - text) : n;
		if (!VEC_ROOM(formatter->own_spans, formatter->own_span_capacity, count))
			return false;
		formatter->own_spans[count++] = (struct trcfmt_span){
			LEVEL_APPL, false, (uint32_t)at, (uint32_t)(end - at)};
		at = end + 1;
	}
	shown->text = text;
	shown->spans = formatter->own_spans;
	shown->span_count = count;
	return true;
}

/* Returns whether an event is one of the trace facility, other than an undefined one. */
static bool
is_facility(const struct report_event *shown)
{
	return builtin_label(shown->id) && shown->event->hook != 0x0070;
}

enum builtin_kind
builtin_kind(const struct report_event *shown)
{
	const unsigned hook = shown->event->hook >> 4;
	if (!is_facility(shown))
		return OWN_UNDEFINED;
	return hook == 0x03 || hook == 0x0a ? OWN_SILENT : OWN_TEXT;
}

void
builtin_text(struct event_formatter *formatter, struct report_event *shown)
{
	const bool facility = is_facility(shown);
	if (!facility)
		shown->id = 0x0070;
	shown->label = facility ? builtin_label(shown->id) : labels[0x07];
	shown->label_size = strlen(shown->label);
	buf_clear(&formatter->own);
	buf_string(&formatter->own, shown->label);
	if (facility)
		append_facility(formatter, shown);
	else
		append_undefined(formatter, shown);
	if (formatter->own.failed || !make_spans(formatter, shown))
		shown->span_count = 0;
}
