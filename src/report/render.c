/* SPDX-License-Identifier: MIT */
/* Rendering: output to the sink, and numbers as text. */
#include "report/render.h"

#include "base/err.h"
#include "base/num.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minimum size of a chunk in bytes. */
#define RENDER_CHUNK 65536

static void
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
	for (; *string; string++) {
		uint8_t c = (uint8_t)*string, next = (uint8_t)string[1];
		bool wide = c == 0xc2 && next < 0xa0;
		if (!wide && c >= 0x20 && c != 0x7f) {
			buf_byte(out, c);
			continue;
		}
		buf_string(out, "\\x");
		buf_append(out, num_hex_pairs + 2 * (wide ? next : c), 2);
		string += wide;
	}
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

static enum poly_status
render_check(const struct poly_report *report, struct poly_error *error)
{
	if (report->failed)
		return err_memory(error);
	if (report->misuse)
		return err_usage(error, "%s", report->misuse);
	if (report->depth)
		return err_usage(error, "report: a section or table is still open");
	return POLY_OK;
}

/* Calls the renderer, which fills render->out; returns false if the rendering is unknown. */
static bool
render_by(struct render *render)
{
	switch (render->options.rendering) {
	case POLY_RENDER_TEXT: render_text(render, false); return true;
	case POLY_RENDER_TERMINAL: render_text(render, true); return true;
	case POLY_RENDER_JSON: render_json(render, false); return true;
	case POLY_RENDER_JSON_LINE: render_json(render, true); return true;
	case POLY_RENDER_CSV: render_csv(render); return true;
	case POLY_RENDER_HTML: render_html(render); return true;
	}
	return false;
}

enum poly_status
poly_report_render(const struct poly_report *report, enum poly_rendering rendering,
	const struct poly_sink *sink, struct poly_error *error)
{
	struct poly_render_options options = POLY_RENDER_OPTIONS_INIT;
	options.rendering = rendering;
	return poly_report_render_with(report, &options, sink, error);
}

enum poly_status
poly_report_render_with(const struct poly_report *report,
	const struct poly_render_options *options, const struct poly_sink *sink,
	struct poly_error *error)
{
	enum poly_status status = render_check(report, error);
	if (status != POLY_OK)
		return status;
	struct render render = {
		.report = report, .sink = sink, .options = POLY_RENDER_OPTIONS_INIT};
	if (options->size == 0)
		return err_usage(error, "options.size: found 0; initialize options with "
					"POLY_RENDER_OPTIONS_INIT");
	memcpy(&render.options, options,
		options->size < sizeof *options ? options->size : sizeof *options);
	if (render.options.width == 0 && options->rendering == POLY_RENDER_TERMINAL)
		render.options.width = 80;
	if (!render_by(&render))
		return err_usage(
			error, "options.rendering: unknown value %d", (int)options->rendering);
	if (render.out.failed || render.path.failed)
		status = err_memory(error);
	else
		render_write(&render);
	buf_free(&render.out);
	buf_free(&render.path);
	if (status == POLY_OK && render.sys_errno) {
		errno = render.sys_errno;
		status = err_set(error, POLY_ERR_IO, POLY_NO_OFFSET, "cannot write the report");
	}
	return status;
}
