/* SPDX-License-Identifier: MIT */
/* Labels. */
#include "format/label.h"

#include "base/err.h"

#include <string.h>

/* Bytes of a key. */
#define KEY_MOST 64

/* The first control character of a text; NULL: there is none. */
static const char *
control_in(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return text;
	}
	return NULL;
}

enum poly_status
label_check(const char *text, size_t n, const char *value, struct poly_error *error)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	if (n == 0 || n > KEY_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the key of label '%s' has %zu bytes, expected 1 to %d", text, n,
			KEY_MOST);
	if (strspn(text, good) < n)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the key of label '%s' has other characters than letters, digits, '.', "
			"'_' and '-'",
			text);
	const char *control = control_in(value);
	if (control)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the value of label '%.*s' has a control character (0x%02x), expected "
			"text of one line",
			(int)n, text, (unsigned char)*control);
	return POLY_OK;
}

/* One that the user gave, in given[i]. */
static enum poly_status
take_given(struct info *to, const char *const *given, size_t i, struct poly_error *error)
{
	const size_t n = strcspn(given[i], "=");
	if (!given[i][n])
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"label '%s' has no '=', expected KEY=VALUE", given[i]);
	const enum poly_status status = label_check(given[i], n, given[i] + n + 1, error);
	if (status != POLY_OK)
		return status;
	for (size_t j = 0; j < i; j++) {
		if (strncmp(given[i], given[j], n + 1) == 0)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"label '%.*s' is given twice", (int)n, given[i]);
	}
	char key[KEY_MOST + 1];
	memcpy(key, given[i], n);
	key[n] = 0;
	return info_label(to, key, given[i] + n + 1) ? POLY_OK : err_memory(error);
}

enum poly_status
label_gather(struct info *to, const struct poly_trace_info *source, const char *const *given,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < source->label_count; i++) {
		if (!info_label(to, source->labels[i].key, source->labels[i].value))
			return err_memory(error);
	}
	for (size_t i = 0; given && given[i] && status == POLY_OK; i++)
		status = take_given(to, given, i, error);
	if (status == POLY_OK && to->view.label_count > LABELS_MAX)
		status = err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"a trace has at most %d labels, and these are %zu", LABELS_MAX,
			to->view.label_count);
	return status;
}
