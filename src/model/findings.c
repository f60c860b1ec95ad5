/* SPDX-License-Identifier: MIT */
/* Findings of reading, checking and writing. */
#include "model/findings.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
findings_init(struct findings *findings, const struct poly_rule *rules)
{
	memset(findings, 0, sizeof *findings);
	findings->rules = rules;
	findings->count = UINT64_MAX;
	while (rules && rules[findings->rule_count].code)
		findings->rule_count++;
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
	if (is_outside(findings, record) || rule >= findings->rule_count ||
		findings->counts[rule]++ >= FINDINGS_KEPT)
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
	if (is_outside(findings, record) || rule >= findings->rule_count)
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
	if (is_outside(findings, record) || rule >= findings->rule_count)
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
