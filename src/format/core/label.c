/* SPDX-License-Identifier: MIT */
/* Labels. */
#include "format/core/label.h"

#include "base/err.h"

#include <string.h>

/* Maximum length of a key in bytes. */
#define KEY_MAX 64

/* Returns the first control character of a text, or NULL. */
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
	if (n == 0 || n > KEY_MAX)
		return err_usage(error, "label '%s': key of %zu bytes (expected 1 to %d)", text,
			n, KEY_MAX);
	if (strspn(text, good) < n)
		return err_usage(error,
			"label '%s': invalid character in the key (expected letters, digits, "
			"'.', "
			"'_' and '-')",
			text);
	const char *control = control_in(value);
	if (control)
		return err_usage(error,
			"label '%.*s': control character 0x%02x in the value (expected one "
			"line of "
			"text)",
			(int)n, text, (unsigned char)*control);
	return POLY_OK;
}

/* Adds the user's label labels[i]. */
static enum poly_status
add_label(struct info *info, const char *const *labels, size_t i, struct poly_error *error)
{
	const size_t n = strcspn(labels[i], "=");
	if (!labels[i][n])
		return err_usage(error, "label '%s': no '=' (expected KEY=VALUE)", labels[i]);
	const enum poly_status status = label_check(labels[i], n, labels[i] + n + 1, error);
	if (status != POLY_OK)
		return status;
	for (size_t j = 0; j < i; j++) {
		if (strncmp(labels[i], labels[j], n + 1) == 0)
			return err_usage(
				error, "label '%.*s': specified twice", (int)n, labels[i]);
	}
	char key[KEY_MAX + 1];
	memcpy(key, labels[i], n);
	key[n] = 0;
	return info_label(info, key, labels[i] + n + 1) ? POLY_OK : err_memory(error);
}

enum poly_status
label_gather(struct info *info, const struct poly_trace_info *source, bool selected,
	const char *const *labels, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < source->label_count; i++) {
		/* It is about the first records of the source. */
		if (selected && strcmp(source->labels[i].key, POLY_LABEL_WARMUP) == 0)
			continue;
		if (!info_label(info, source->labels[i].key, source->labels[i].value))
			return err_memory(error);
	}
	for (size_t i = 0; labels && labels[i] && status == POLY_OK; i++)
		status = add_label(info, labels, i, error);
	if (status == POLY_OK && info->view.label_count > LABELS_MAX)
		status = err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"too many labels (found %zu, expected at most %d)",
			info->view.label_count, LABELS_MAX);
	return status;
}
