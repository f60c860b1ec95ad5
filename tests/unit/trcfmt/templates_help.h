/* SPDX-License-Identifier: MIT */
/* Parsing of template files, with their findings as text. */
#ifndef TESTS_TEMPLATES_HELP_H
#define TESTS_TEMPLATES_HELP_H

#include "test_help.h"

#include "polytrace/templates.h"

#include "lang/caret.h"
#include "trcfmt/lang/program.h"
#include "trcfmt/lang/text.h"

/* The findings, one line each: rule, line:column, hook. */
struct found {
	struct buf list, messages;
};

static inline void
take_finding(void *user, const struct poly_template_finding *finding)
{
	struct found *found = user;
	buf_printf(&found->list, "%s %llu:%llu %04x\n", finding->rule->code,
		(unsigned long long)finding->line, (unsigned long long)finding->column,
		finding->hook);
	buf_printf(&found->messages, "%s\n", finding->message);
}

static inline void
free_found(struct found *found)
{
	buf_free(&found->list);
	buf_free(&found->messages);
}

static inline enum poly_status
parse(const char *text, size_t n, struct found *found, struct poly_templates **templates)
{
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	options.found = take_finding;
	options.user = found;
	return poly_templates_parse(text, n, &options, templates, NULL);
}

static inline struct poly_templates *
parse_sound(const char *text)
{
	struct found found = {0};
	struct poly_templates *templates;
	assert_int_equal(parse(text, strlen(text), &found, &templates), POLY_OK);
	assert_string_equal(buf_text(&found.messages), "");
	free_found(&found);
	return templates;
}

/* A file with every part of the language. */
static const char sample[] =
	"# comment\n134 1.0 L=KERN \"exec\\\"\" O2.0 \\n \\t X2, 1 \"a\", \\\n"
	"  2 { LOOP D4 { X0 \"b\" } }, \\* { {{ $x = ($D1 + 2) * X2 & 0x7 }} $x%B2.3 } \\\n"
	"  lookuppninstall1 pfsrdwrinstall2 (X4.X4, $x) L=INT A8.16 G4 R2 W1\n"
	"0100 2.1 S1, \"text\" { U4 }\n";

#endif
