/* SPDX-License-Identifier: MIT */
#include "lang/regex.h"

#include "base/err.h"
#include "base/mem.h"

#ifdef POLY_WITH_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Maximum steps of one match: a few milliseconds. */
#define STEPS_MAX 200000

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

enum poly_status
regex_new(const char *pattern, size_t n, struct regex **regex, size_t *place,
	struct poly_error *error)
{
	int number;
	PCRE2_UCHAR8 message[120];
	struct regex *compiled = *regex = mem_new(1, sizeof *compiled);
	*place = 0;
	if (!compiled)
		return err_memory(error);
	compiled->code = pcre2_compile((PCRE2_SPTR)pattern, n, 0, &number, place, NULL);
	if (!compiled->code) {
		pcre2_get_error_message(number, message, sizeof message);
		regex_free(compiled);
		*regex = NULL;
		return err_usage(error, "%s", (const char *)message);
	}
	compiled->data = pcre2_match_data_create_from_pattern(compiled->code, NULL);
	compiled->context = pcre2_match_context_create(NULL);
	if (!compiled->data || !compiled->context) {
		regex_free(compiled);
		*regex = NULL;
		return err_memory(error);
	}
	pcre2_set_match_limit(compiled->context, STEPS_MAX);
	pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE);
	return POLY_OK;
}

enum regex_result
regex_match(const struct regex *regex, const void *text, size_t n)
{
	const int found =
		pcre2_match(regex->code, text, n, 0, 0, regex->data, regex->context);
	if (found >= 0)
		return REGEX_YES;
	return found == PCRE2_ERROR_NOMATCH ? REGEX_NO : REGEX_UNDECIDED;
}

void
regex_free(struct regex *regex)
{
	if (!regex)
		return;
	pcre2_match_context_free(regex->context);
	pcre2_match_data_free(regex->data);
	pcre2_code_free(regex->code);
	mem_free(regex);
}
#else
enum poly_status
regex_new(const char *pattern, size_t n, struct regex **regex, size_t *place,
	struct poly_error *error)
{
	(void)pattern;
	(void)n;
	*regex = NULL;
	*place = 0;
	return err_missing(error, "regular expressions", "libpcre2-dev");
}

enum regex_result
regex_match(const struct regex *regex, const void *text, size_t n)
{
	(void)regex;
	(void)text;
	(void)n;
	return REGEX_NO;
}

void
regex_free(struct regex *regex)
{
	(void)regex;
}
#endif
