/* SPDX-License-Identifier: MIT */
/* Findings of reading, checking and writing. */
#include "model/findings.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a quoted line, with a NUL. */
#define QUOTED_MAX 80

static const struct poly_rule line_rules[FINDINGS_LINE_RULES] = {
	[FINDINGS_NOT_UNDERSTOOD] = {"TXT1", POLY_WARNING, "a line is understood",
		"polytrace-check(1)"},
	[FINDINGS_PARTLY_READ] = {"TXT2", POLY_WARNING, "a line is read completely",
		"polytrace-check(1)"},
};

bool
findings_init(struct findings *findings, const struct poly_rule *rules)
{
	memset(findings, 0, sizeof *findings);
	findings->rules = rules;
	findings->count = UINT64_MAX;
	while (rules && rules[findings->own_count].code)
		findings->own_count++;
	findings->rule_count = findings->own_count + FINDINGS_LINE_RULES;
	findings->counts = mem_new(findings->rule_count, sizeof *findings->counts);
	assert(findings->rule_count <= FINDINGS_RULES_MAX);
	findings->kept =
		mem_new((size_t)findings->rule_count * FINDINGS_KEPT, sizeof *findings->kept);
	return findings->counts && findings->kept;
}

/* Returns whether a record is outside the range of records whose findings are wanted. */
static bool
is_outside(const struct findings *findings, uint64_t record)
{
	return record &&
	       (record <= findings->skip || record - findings->skip > findings->count);
}

/* Stores a finding unless there are enough of its rule. */
static void
keep(struct findings *findings, unsigned rule, uint64_t record, uint64_t offset,
	const char *text)
{
	if (is_outside(findings, record) || findings->counts[rule]++ >= FINDINGS_KEPT)
		return;
	/* Which of reading and checking finds something first depends on the batch. */
	size_t place = findings->kept_count++;
	for (; place && findings->kept[place - 1].record - 1 > record - 1; place--)
		findings->kept[place] = findings->kept[place - 1];
	findings->kept[place] = (struct finding){rule, record, offset, findings->texts.size};
	buf_append(&findings->texts, text, strlen(text) + 1);
}

void
findings_add(struct findings *findings, unsigned rule, uint64_t record, uint64_t offset,
	const char *message, ...)
{
	char text[400];
	if (is_outside(findings, record) || rule >= findings->own_count)
		return;
	if (findings->counted || findings->counts[rule] >= FINDINGS_KEPT) {
		findings->unstored |= findings->counted && !(*findings->counted >> rule & 1);
		findings->counts[rule]++;
		return;
	}
	va_list list;
	va_start(list, message);
	vsnprintf(text, sizeof text, message, list);
	va_end(list);
	keep(findings, rule, record, offset, text);
}

void
findings_add_truncation(struct findings *findings, unsigned rule, uint64_t record,
	uint64_t offset, const char *message, ...)
{
	char text[400];
	if (is_outside(findings, record) || rule >= findings->own_count)
		return;
	va_list list;
	va_start(list, message);
	vsnprintf(text, sizeof text, message, list);
	va_end(list);
	keep(findings, rule, record, offset, text);
	findings->truncated = true;
	findings->truncation = (struct poly_error){
		.status = POLY_ERR_TRUNCATED, .record = record, .offset = offset};
	snprintf(findings->truncation.message, sizeof findings->truncation.message,
		"%s: %.380s", findings->rules[rule].code, text);
}

/* Quotes a line without its end, from its first word on: shortened, and printable. */
static void
quote_line(char quoted[QUOTED_MAX], const struct findings_line *line)
{
	const char *text = line->text;
	size_t n = line->size, at = 0;
	int used = 0;
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	while (at < n && (text[at] == ' ' || text[at] == '\t'))
		at++;
	for (; at < n && used < QUOTED_MAX - 8; at++)
		used += snprintf(quoted + used, QUOTED_MAX - (size_t)used,
			text[at] >= ' ' && text[at] < 0x7f ? "%c" : "\\x%02x",
			(uint8_t)text[at]);
	snprintf(quoted + used, QUOTED_MAX - (size_t)used, "%s", at < n ? "..." : "");
}

void
findings_add_line(struct findings *findings, enum findings_line_rule rule,
	const struct findings_line *line, const char *what)
{
	char quoted[QUOTED_MAX], text[400];
	const unsigned number = findings->own_count + rule;
	if (is_outside(findings, line->record))
		return;
	if (findings->counts[number] >= FINDINGS_KEPT) {
		findings->counts[number]++;
		return;
	}
	quote_line(quoted, line);
	snprintf(text, sizeof text, "line %llu: '%s' %s", (unsigned long long)line->number,
		quoted, what);
	keep(findings, number, line->record, line->offset, text);
}

const struct poly_rule *
findings_rule(const struct findings *findings, unsigned rule)
{
	return rule < findings->own_count ? &findings->rules[rule]
					  : &line_rules[rule - findings->own_count];
}

void
findings_set_truncation(struct findings *findings, uint64_t record, uint64_t offset)
{
	if (findings->truncated || is_outside(findings, record))
		return;
	findings->truncated = true;
	findings->truncation = (struct poly_error){
		.status = POLY_ERR_TRUNCATED, .record = record, .offset = offset};
}

uint64_t
findings_full(const struct findings *findings)
{
	uint64_t full = 0;
	for (unsigned rule = 0; rule < findings->rule_count; rule++)
		full |= (uint64_t)(findings->counts[rule] >= FINDINGS_KEPT) << rule;
	return full;
}

void
findings_clear(struct findings *findings)
{
	memset(findings->counts, 0, findings->rule_count * sizeof *findings->counts);
	findings->kept_count = 0;
	findings->truncated = findings->unstored = false;
	buf_clear(&findings->texts);
}

void
findings_fini(struct findings *findings)
{
	mem_free(findings->counts);
	mem_free(findings->kept);
	buf_free(&findings->texts);
	memset(findings, 0, sizeof *findings);
}
