/* SPDX-License-Identifier: MIT */
/* Rendering: the way out, and numbers as text. */
#include "report/render.h"

#include "base/err.h"
#include "base/num.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes that gather before they are written. */
#define RENDER_PIECE 65536

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
	if (render->out.size >= RENDER_PIECE)
		render_write(render);
}

static void
number_grouped(uint64_t number, char *text)
{
	char digits[20];
	size_t n = num_decimal(digits, number);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = 0;
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

/* A real with a point whatever the locale writes there, which may be several bytes. */
static void
number_real(double real, unsigned decimals, char *text)
{
	int n = snprintf(text, RENDER_NUMBER, "%.*f", (int)decimals, real);
	if (!decimals)
		return;
	char *fraction = text + n - decimals, *point = fraction;
	while (point[-1] < '0' || point[-1] > '9')
		point--;
	*point = '.';
	memmove(point + 1, fraction, decimals + 1);
}

void
render_number(const struct item *item, bool grouped, char *text)
{
	switch (item->form) {
	case FORM_COUNT:
		if (grouped)
			number_grouped(item->value.number, text);
		else
			text[num_decimal(text, item->value.number)] = 0;
		break;
	case FORM_ADDRESS: number_address(item->value.number, item->digits, text); break;
	case FORM_REAL: number_real(item->value.real, item->digits, text); break;
	case FORM_ABSENT:
	case FORM_TEXT:
	case FORM_BOOL: *text = 0; break;
	}
}

static enum poly_status
render_check(const struct poly_report *report, struct poly_error *error)
{
	if (report->failed)
		return err_memory(error);
	if (report->misuse)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET, "%s", report->misuse);
	if (report->depth)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"a section or table of the report is still open");
	return POLY_OK;
}

enum poly_status
poly_report_render(const struct poly_report *report, enum poly_rendering rendering,
	const struct poly_sink *sink, struct poly_error *error)
{
	enum poly_status status = render_check(report, error);
	if (status != POLY_OK)
		return status;
	struct render render = {.report = report, .sink = sink};
	switch (rendering) {
	case POLY_RENDER_TEXT: render_text(&render); break;
	case POLY_RENDER_JSON: render_json(&render, false); break;
	case POLY_RENDER_JSON_LINE: render_json(&render, true); break;
	case POLY_RENDER_CSV: render_csv(&render); break;
	default:
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"no rendering has the number %d", (int)rendering);
	}
	if (render.out.failed || render.path.failed)
		status = err_memory(error);
	else
		render_write(&render);
	buf_free(&render.out);
	buf_free(&render.path);
	if (status == POLY_OK && render.sys_errno) {
		errno = render.sys_errno;
		status = err_set(
			error, POLY_ERR_IO, POLY_NO_OFFSET, "the report cannot be written");
	}
	return status;
}
