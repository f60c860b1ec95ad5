/* SPDX-License-Identifier: MIT */
/* Events made by hand and the text that templates make of them. */
#ifndef TESTS_TRCFMT_HELP_H
#define TESTS_TRCFMT_HELP_H

#include "test_help.h"

#include "base/num.h"
#include "trcfmt/eval/eval.h"

/* Templates, and the event that they are run on. */
struct scene {
	struct poly_templates *templates;
	struct trcfmt_eval *eval;
	struct trcfmt_options options;
	struct aix_event event;
	struct aix_context who;
	struct trcfmt_facts facts;
	struct aix_attribution *attribution;
	uint64_t ns, line;
	struct trcfmt_result result;
	uint8_t data[70000], registers[96];
	char text[4096]; /* pieces on one line are parted by "|", lines by a new line */
};

/* A new scene with the templates of a file. */
static inline struct scene *
scene_new(const char *templates, const struct trcfmt_options *options)
{
	struct scene *scene = calloc(1, sizeof *scene);
	struct poly_error error;
	assert_non_null(scene);
	if (options)
		scene->options = *options;
	scene->facts = (struct trcfmt_facts){.logfile = "trc.log", .environment = 32};
	scene->line = 1;
	if (poly_templates_parse(
		    templates, strlen(templates), NULL, &scene->templates, &error) != POLY_OK)
		fail_msg("%s: %s", templates, error.message);
	scene->eval = trcfmt_eval_new(scene->templates, &scene->options);
	assert_non_null(scene->eval);
	return scene;
}

static inline void
scene_free(struct scene *scene)
{
	trcfmt_eval_free(scene->eval);
	poly_templates_free(scene->templates);
	aix_attribution_free(scene->attribution);
	free(scene);
}

static inline void
scene_data(struct scene *scene, const char *digits)
{
	scene->event.data = scene->data;
	scene->event.size = strlen(digits) / 2;
	assert_true(num_parse_bytes(digits, strlen(digits), scene->data));
}

/* The event of a 32-bit hook word and the digits of its data; thread 0x64. */
static inline void
scene_hook32(struct scene *scene, uint32_t word, const char *digits)
{
	scene->event = (struct aix_event){
		.generic = (word >> 16 & 7) == 0,
		.has_time = true,
		.has_thread = true,
		.thread = 0x64,
		.hook = (uint16_t)(word >> 16 & 0xfff0),
		.type = word >> 16 & 15,
		.subhook = (uint16_t)word,
		.word = 4,
		.offset = 40,
	};
	scene_data(scene, digits);
}

/* The same of a 64-bit hook word. */
static inline void
scene_hook64(struct scene *scene, uint64_t word, const char *digits)
{
	scene->event = (struct aix_event){
		.wide = true,
		.generic = word >> 62 & 1,
		.has_time = true,
		.has_thread = true,
		.thread = 0x64,
		.hook = (uint16_t)(word >> 16),
		.type = (uint16_t)(word >> 48),
		.subhook = (uint16_t)word,
		.word = word >> 61 & 1 ? 4 : 8,
		.offset = 40,
	};
	scene_data(scene, digits);
}

static inline size_t
scene_put(struct scene *scene, size_t at, const char *bytes, size_t n)
{
	assert_true(at + n < sizeof scene->text);
	memcpy(scene->text + at, bytes, n);
	scene->text[at + n] = '\0';
	return at + n;
}

/* Runs the template of the event. */
static inline void
scene_run(struct scene *scene)
{
	const struct trcfmt_context context = {&scene->event, &scene->who, scene->attribution,
		&scene->facts, scene->ns, scene->line};
	const struct hook_template *template =
		trcfmt_template(scene->templates, scene->event.hook);
	assert_non_null(template);
	scene->result = trcfmt_eval_run(scene->eval, template, &context);
}

/* The text of the event. */
static inline const char *
scene_text(struct scene *scene)
{
	scene_run(scene);
	size_t n = scene_put(scene, 0, "", 0);
	for (size_t i = 0; i < scene->result.span_count; i++) {
		const struct trcfmt_span *span = &scene->result.spans[i];
		if (i)
			n = scene_put(scene, n, span->continues ? "|" : "\n", 1);
		n = scene_put(scene, n, scene->result.text + span->offset, span->length);
	}
	return scene->text;
}

/* A scene with one template, for hook 0F1. */
static inline struct scene *
scene_of(const char *descriptor, const struct trcfmt_options *options)
{
	char templates[4096];
	snprintf(templates, sizeof templates, "0F1 1.0 L=KERN %s\n", descriptor);
	return scene_new(templates, options);
}

/* The text that a descriptor makes of an event with a 32-bit hook word is text. */
static inline void
assert_text(uint32_t word, const char *digits, const char *descriptor, const char *text)
{
	struct scene *scene = scene_of(descriptor, NULL);
	scene_hook32(scene, word, digits);
	assert_string_equal(scene_text(scene), text);
	assert_int_equal(scene->result.faults, 0);
	scene_free(scene);
}

/* The same for an event without data, whose hook data are 002A. */
static inline void
assert_prints(const char *descriptor, const char *text)
{
	assert_text(0x0f19002a, "", descriptor, text);
}

/* The same, of an event that the template does not fit. */
static inline void
assert_fault(
	const char *digits, const char *descriptor, const char *text, enum trcfmt_fault fault)
{
	struct scene *scene = scene_of(descriptor, NULL);
	scene_hook32(scene, 0x0f1e002a, digits);
	if (text)
		assert_string_equal(scene_text(scene), text);
	else
		scene_run(scene);
	assert_int_equal(scene->result.faults, fault);
	assert_int_equal(scene->result.fault_line, 1);
	scene_free(scene);
}

#endif
