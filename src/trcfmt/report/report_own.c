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
append_channel(struct poly_trcrpt *report, const struct aix_event *event)
{
	buf_printf(&report->own, " channel %u", (unsigned)event->subhook);
	if (event->size < event->word)
		return;
	char date[DATE_SIZE];
	date_long(&report->settings.eval, (int64_t)aix_event_word(event, 1), date);
	buf_printf(&report->own, "\n%s", date);
}

static void
append_undefined(struct poly_trcrpt *report, const struct report_event *shown)
{
	char id[5];
	size_t n = report_id(shown->event->hook, false, id);
	buf_printf(&report->own, " %.*s", (int)n, id);
	append_hook_word(&report->own, shown->event);
	append_dump(&report->own, shown->event);
}

/* Appends the text after the label of a hook of the trace facility. */
static enum builtin_kind
append_facility(struct poly_trcrpt *report, const struct report_event *shown)
{
	const struct aix_event *event = shown->event;
	unsigned long long d1 = aix_event_word(event, 1);
	switch (event->hook >> 4) {
	case 0x03:
	case 0x0a: return OWN_SILENT;
	case 0x01:
	case 0x02: append_channel(report, event); break;
	case 0x00:
	case 0x04:
		append_hook_word(&report->own, event);
		buf_printf(&report->own, " file=%s index=%llu", shown->file,
			(unsigned long long)event->offset);
		break;
	case 0x05: buf_printf(&report->own, " %llu", event->size ? d1 : event->subhook); break;
	case 0x06:
		buf_printf(
			&report->own, " %u %llu missed entries", (unsigned)event->subhook, d1);
		break;
	default: append_dump(&report->own, event); break;
	}
	return OWN_TEXT;
}

/* Makes each line of the text a span. */
static bool
make_spans(struct poly_trcrpt *report, struct report_event *shown)
{
	const char *text = (const char *)report->own.data;
	size_t n = report->own.size, count = 0, at = 0;
	while (at < n) {
		const char *feed = memchr(text + at, '\n', n - at);
		size_t end = feed ? (size_t)(feed - text) : n;
		if (!VEC_ROOM(report->own_spans, report->own_span_capacity, count))
			return false;
		report->own_spans[count++] = (struct trcfmt_span){
			LEVEL_APPL, false, (uint32_t)at, (uint32_t)(end - at)};
		at = end + 1;
	}
	shown->text = text;
	shown->spans = report->own_spans;
	shown->span_count = count;
	return true;
}

enum builtin_kind
builtin_text(struct poly_trcrpt *report, struct report_event *shown)
{
	enum builtin_kind kind = OWN_UNDEFINED;
	const char *label = builtin_label(shown->id);
	bool facility = label && shown->event->hook != 0x0070;
	if (!facility) {
		label = labels[0x07];
		shown->id = 0x0070;
	}
	shown->label = label;
	shown->label_size = strlen(label);
	buf_clear(&report->own);
	buf_string(&report->own, label);
	if (facility)
		kind = append_facility(report, shown);
	else
		append_undefined(report, shown);
	if (report->own.failed || !make_spans(report, shown))
		shown->span_count = 0;
	return kind;
}
