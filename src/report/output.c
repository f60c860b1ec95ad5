/* SPDX-License-Identifier: MIT */
/* Output of the renderers: to the sink in chunks, and numbers as text. */
#include "report/render.h"

#include "base/num.h"
#include "base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minimum size of a chunk in bytes. */
#define RENDER_CHUNK 65536

void
render_write(struct render *render)
{
	if (!render->sys_errno && render->out.size)
		render->sys_errno = render->sink->write(
			render->sink->user, render->out.data, render->out.size);
	render->out.size = 0;
}

void
render_flush(struct render *render)
{
	if (render->out.size >= RENDER_CHUNK)
		render_write(render);
}

/* Inserts commas between the thousands of a number, in a buffer of RENDER_NUMBER bytes. */
static void
group_digits(char *text)
{
	text += *text == '-';
	for (size_t n = strspn(text, "0123456789"); n > 3; n -= 3) {
		memmove(text + n - 2, text + n - 3, strlen(text + n - 3) + 1);
		text[n - 3] = ',';
	}
}

static void
number_address(uint64_t number, unsigned digits, char *text)
{
	while (digits < 16 && number >> (4 * digits))
		digits++;
	text[0] = '0';
	text[1] = 'x';
	num_hex(text + 2, number, digits);
	text[2 + digits] = 0;
}

/* Replaces the decimal separator of the locale, of n bytes, by a point; 0: no separator. */
static void
point_replace(char *point, size_t n)
{
	if (!n)
		return;
	*point = '.';
	memmove(point + 1, point + n, strlen(point + n) + 1);
}

void
render_real(double real, unsigned decimals, char *text)
{
	snprintf(text, RENDER_NUMBER, "%.*f", (int)decimals, real);
	/* A negative number that is rounded to zero has no sign. */
	if (text[0] == '-' && !text[strcspn(text, "123456789")])
		memmove(text, text + 1, strlen(text));
	char *point = text + strspn(text, "-0123456789");
	point_replace(point, strcspn(point, "0123456789"));
}

/* Formats the shortest text that is read back as the same number, with a point. */
static void
render_exact(double real, char *text)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, RENDER_NUMBER, "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	char *point = text + strspn(text, "-0123456789");
	if (*point != 'e')
		point_replace(point, strcspn(point, "0123456789"));
}

static void
render_rounded(const struct report_item *item, char *text)
{
	const double scale = item->form == FORM_RATIO ? 100 : 1;
	render_real(scale * item->value.real, item->digits, text);
	if (item->digits)
		group_digits(text);
}

void
render_number(const struct report_item *item, bool rounded, char *text)
{
	switch (item->form) {
	case FORM_COUNT:
		text[num_decimal(text, item->value.number)] = 0;
		if (rounded && item->digits)
			group_digits(text);
		break;
	case FORM_ADDRESS: number_address(item->value.number, item->digits, text); break;
	case FORM_REAL:
	case FORM_RATIO:
		if (rounded)
			render_rounded(item, text);
		else
			render_exact(item->value.real, text);
		break;
	case FORM_ABSENT:
	case FORM_TEXT:
	case FORM_BOOL: *text = 0; break;
	}
}

void
render_visible(struct buf *out, const char *string)
{
	quote_visible(out, string, strlen(string));
}

size_t
poly_text_visible(char *dst, size_t size, const char *text, size_t n)
{
	char shown[QUOTE_CONTROL_SIZE];
	size_t used = 0;
	while (n && size) {
		const size_t control = quote_control((const uint8_t *)text, n, shown);
		const size_t length = control ? strlen(shown) : 1, read = control ? control : 1;
		if (used + length >= size)
			break;
		memcpy(dst + used, control ? shown : text, length);
		used += length;
		text += read;
		n -= read;
	}
	if (size)
		dst[used] = 0;
	return used;
}

void
render_item(struct buf *out, const struct poly_report *report, const struct report_item *item)
{
	char number[RENDER_NUMBER];
	if (item->form == FORM_TEXT) {
		render_visible(out, tree_text(report, item->value.text));
	} else if (item->form == FORM_BOOL) {
		buf_string(out, item->value.number ? "yes" : "no");
	} else {
		render_number(item, true, number);
		buf_string(out, number);
	}
}

void
render_title(struct buf *out, const struct poly_report *report, size_t title, size_t unit)
{
	if (title != TREE_NO_TEXT)
		render_visible(out, tree_text(report, title));
	if (unit == TREE_NO_TEXT)
		return;
	buf_string(out, " (");
	render_visible(out, tree_text(report, unit));
	buf_byte(out, ')');
}
