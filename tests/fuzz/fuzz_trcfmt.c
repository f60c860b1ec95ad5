/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: templates and the events that they are run on. Bytes 0 and 1 are how long the
 * text of the templates is, byte 2 the options; then the text, then events: the 8 bytes of
 * their fields, how many bytes of data there are, and the data. What is printed keeps what
 * trcfmt/eval/eval.h promises.
 */
#include "polytrace/polytrace.h"
#include "trcfmt/eval/eval.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 16
#define FIELDS 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
expect(bool holds)
{
	if (!holds)
		abort();
}

static void
check_text(const struct trcfmt_result *result)
{
	const char *text = result->text;
	size_t at = 0;
	expect(result->faults & FAULT_MEMORY || result->span_count > 0);
	for (size_t i = 0; i < result->span_count; i++) {
		const struct trcfmt_span *span = &result->spans[i];
		expect(span->offset == at && span->level <= LEVEL_INT);
		expect(!span->continues || (i > 0 && span->length));
		at += span->length;
		expect(span->length == 0 || text[at - 1] != ' ');
	}
	expect(at <= TRCFMT_OUTPUT && (at == 0 || strlen(text) == at));
	for (size_t i = 0; i < at; i++)
		expect((uint8_t)text[i] >= ' ' && text[i] != 0x7f);
}

/* The event whose fields stand at p, of n bytes of data. */
static struct aix_event
make_event(const uint8_t *p, size_t n)
{
	struct aix_event event = {
		.wide = p[0] & 1,
		.hook = (uint16_t)(p[1] << 8 | p[2]),
		.type = (uint16_t)(p[3] << 8 | p[4]),
		.subhook = (uint16_t)(p[5] << 8 | p[6]),
		.thread = p[7],
		.has_thread = p[0] & 2,
		.data = n ? p + FIELDS : NULL,
		.size = n,
		.registers = p,
		.register_count = p[0] >> 7,
		.offset = 24,
	};
	if (!event.wide)
		event.type &= 15;
	event.generic =
		event.wide ? event.type & AIX_FLAG_GENERIC : (event.type & AIX_TYPE_WORDS) == 0;
	event.word = event.wide && !(event.type & AIX_FLAG_WORDS32) ? 8 : 4;
	return event;
}

static void
run_event(const struct poly_templates *templates, struct trcfmt_eval *eval,
	struct aix_attribution *attribution, struct aix_event *event, uint64_t number)
{
	static const struct trcfmt_facts facts = {
		"log", 64, 4, 2, 1, "9.53.155.187", NULL, NULL};
	/* Any template will do where the event's hook has none. */
	if (!trcfmt_template(templates, event->hook))
		event->hook = templates->templates[event->hook % templates->count].hook;
	const struct aix_context who = aix_attribution_event(attribution, event);
	const struct trcfmt_context context = {
		event, &who, attribution, &facts, 1000 * number, number};
	struct trcfmt_result result =
		trcfmt_eval_run(eval, trcfmt_template(templates, event->hook), &context);
	check_text(&result);
}

static void
run_events(const struct poly_templates *templates, const struct trcfmt_options *options,
	const uint8_t *p, size_t size)
{
	struct trcfmt_eval *eval = trcfmt_eval_new(templates, options);
	struct aix_attribution *attribution = NULL;
	if (eval)
		aix_attribution_new(NULL, 0, NULL, &attribution, NULL);
	for (uint64_t i = 1; attribution && i <= EVENTS_MAX && size >= FIELDS; i++) {
		size_t n = (size_t)p[8] << 8 | p[9];
		if (n > size - FIELDS)
			n = size - FIELDS;
		struct aix_event event = make_event(p, n);
		run_event(templates, eval, attribution, &event, i);
		p += FIELDS + n;
		size -= FIELDS + n;
	}
	aix_attribution_free(attribution);
	trcfmt_eval_free(eval);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	size_t n = (size_t)data[0] << 8 | data[1];
	const uint8_t choice = data[2];
	if (n > size - 3)
		n = size - 3;
	struct poly_template_options how = POLY_TEMPLATE_OPTIONS_INIT;
	how.left_to_right = choice & 1;
	const struct trcfmt_options options = {
		.raw_spacing = choice & 2,
		.start64 = choice & 4 ? 8 : 0,
		.start64g = choice & 4 ? 16 : 0,
		.nomatch_value = choice & 8,
		.overread_zero = choice & 16,
		.tz_minutes = choice & 32 ? -330 : 0,
		.tz_local = choice & 64,
	};
	struct poly_templates *templates = NULL;
	char *text = malloc(n + 1);
	if (text)
		memcpy(text, data + 3, n);
	if (text && poly_templates_parse(text, n, &how, &templates, NULL) == POLY_OK &&
		templates->count)
		run_events(templates, &options, data + 3 + n, size - 3 - n);
	poly_templates_free(templates);
	free(text);
	return 0;
}
