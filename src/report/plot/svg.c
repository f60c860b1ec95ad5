/* SPDX-License-Identifier: MIT */
/* Common elements of plots: figure, legend, axes, hover values. */
#include "report/plot/svg.h"

#include "base/num.h"

#include <math.h>
#include <string.h>

/* Width of a plot with its margins on a narrow page, in pixels. */
#define SVG_NARROW 296

/* Minimum width of a centred axis title in pixels, which may overlap the margins. */
#define SVG_TITLE 180

/* Minimum width in pixels at which the style shows all ticks; else every other one. */
#define SVG_WIDE 400

void
svg_text(struct buf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': buf_string(out, "&amp;"); break;
		case '<': buf_string(out, "&lt;"); break;
		case '>': buf_string(out, "&gt;"); break;
		case '"': buf_string(out, "&quot;"); break;
		default: buf_byte(out, (uint8_t)*text); break;
		}
	}
}

void
svg_number(struct buf *out, double number)
{
	char digits[20];
	if (number < 0)
		buf_byte(out, '-');
	uint64_t hundredths = (uint64_t)(fmin(fabs(number), 1e9) * 100 + 0.5);
	buf_append(out, digits, num_decimal(digits, hundredths / 100));
	if (hundredths % 100 == 0)
		return;
	buf_byte(out, '.');
	buf_byte(out, (uint8_t)('0' + hundredths / 10 % 10));
	if (hundredths % 10)
		buf_byte(out, (uint8_t)('0' + hundredths % 10));
}

void
svg_part(struct buf *out, double part)
{
	svg_number(out, 100 * part);
	buf_byte(out, '%');
}

void
svg_attribute(struct buf *out, const char *name, double part)
{
	buf_printf(out, " %s=\"", name);
	svg_part(out, part);
	buf_byte(out, '"');
}

/* Sums character widths of a wide sans-serif face of 12 pixels. */
unsigned
svg_width(const char *text)
{
	unsigned tenths = 0;
	for (; *text; text++) {
		if (((uint8_t)*text & 0xc0) == 0x80)
			continue;
		if ((uint8_t)*text >= 0x80)
			tenths += 120;
		else if (strchr("ijlI.,:;'|!()[] ", *text))
			tenths += 48;
		else if (strchr("mwMW%@", *text))
			tenths += 120;
		else if (strchr("<>=+~#&^", *text))
			tenths += 102;
		else
			tenths += *text >= 'A' && *text <= 'Z' ? 95 : 77;
	}
	return tenths / 10 + 1;
}

unsigned
svg_truncate(struct buf *text, unsigned max)
{
	if (svg_width(buf_text(text)) <= max)
		return svg_width(buf_text(text));
	while (text->size && svg_width(buf_text(text)) > max - 12) {
		do
			text->size--;
		while (text->size && (text->data[text->size] & 0xc0) == 0x80);
	}
	buf_string(text, "…");
	return max;
}

/* Returns the width of the widest label of an axis in pixels. */
static unsigned
labels_width(const struct axis *axis)
{
	unsigned widest = 0;
	for (size_t i = 0; i < axis->count; i++) {
		char label[AXIS_LABEL];
		axis_label(axis, i, label);
		widest = svg_width(label) > widest ? svg_width(label) : widest;
	}
	return widest;
}

void
svg_margins(struct svg *svg)
{
	svg->left = svg->right = 24;
	unsigned width = labels_width(&svg->y) + 12;
	svg->left = width > svg->left ? width : svg->left;
}

void
svg_fit_x(struct svg *svg, enum axis_kind kind, const struct plot_range *range, bool rounded)
{
	unsigned margins = svg->left + svg->right, width;
	unsigned room = margins + 100 < SVG_NARROW ? SVG_NARROW - margins : 100;
	size_t max_ticks = 9;
	do {
		max_ticks--;
		svg->x = rounded ? axis_rounded(kind, range->low, range->high, max_ticks)
				 : axis_make(kind, range->low, range->high, max_ticks);
		width = labels_width(&svg->x) + 10;
	} while (max_ticks > 2 &&
		 (svg->x.count * width > SVG_WIDE || (svg->x.count + 1) / 2 * width > room));
	svg->right = width / 2 > svg->right ? width / 2 : svg->right;
	svg->left = width / 2 > svg->left ? width / 2 : svg->left;
}

void
svg_caption(struct svg *svg)
{
	buf_string(svg->out, "<figure>\n<figcaption>");
	buf_clear(&svg->text);
	view_title_plot(&svg->text, svg->view);
	svg_text(svg->out, buf_text(&svg->text));
	buf_string(svg->out, "</figcaption>\n");
}

void
svg_legend(struct svg *svg)
{
	buf_string(svg->out, "<ul class=\"legend\">");
}

void
svg_legend_entry(struct svg *svg, size_t series, const char *text)
{
	buf_printf(svg->out,
		"<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"s%zu\" "
		"width=\"12\" height=\"12\" rx=\"2\"/></svg> ",
		series % SVG_SERIES);
	svg_text(svg->out, text);
	buf_string(svg->out, "</li>");
}

void
svg_legend_end(struct svg *svg)
{
	buf_string(svg->out, "</ul>\n");
}

void
svg_legend_y(struct svg *svg)
{
	const struct plot *plot = svg->view->plot;
	if (plot->y_count < 2)
		return;
	svg_legend(svg);
	for (size_t i = 0; i < plot->y_count; i++) {
		buf_clear(&svg->text);
		view_title(&svg->text, svg->view, plot->y[i], TREE_NO_TEXT, TREE_NO_TEXT);
		svg_legend_entry(svg, i, buf_text(&svg->text));
	}
	svg_legend_end(svg);
}

void
svg_legend_names(struct svg *svg, const struct plot_names *names)
{
	if (names->count < 2)
		return;
	svg_legend(svg);
	for (size_t i = 0; i < names->count && i < SVG_SERIES; i++) {
		buf_clear(&svg->text);
		view_text(&svg->text, svg->view, names->rows[i], names->column);
		svg_legend_entry(svg, i, buf_text(&svg->text));
	}
	svg_legend_end(svg);
}

/* Returns the title of an axis, truncated if too wide; valid until the next call. */
static const char *
svg_title(struct svg *svg, bool horizontal)
{
	unsigned room = horizontal ? SVG_NARROW - svg->left - svg->right : SVG_NARROW - 24;
	buf_clear(&svg->text);
	if (horizontal != svg->turned)
		view_title_x(&svg->text, svg->view);
	else
		view_title_y(&svg->text, svg->view);
	svg_truncate(&svg->text, room < SVG_TITLE ? SVG_TITLE : room);
	return buf_text(&svg->text);
}

void
svg_open(struct svg *svg, const char *kind)
{
	struct buf *out = svg->out;
	buf_printf(out, "<div class=\"plot\" style=\"padding-left:%upx;padding-right:%upx\">\n",
		svg->left, svg->right);
	buf_printf(out,
		"<svg height=\"%u\" role=\"img\" aria-labelledby=\"plot-%zu plot-%zu-about\">"
		"<title id=\"plot-%zu\">",
		svg->height, svg->number, svg->number, svg->number);
	buf_clear(&svg->text);
	view_title_plot(&svg->text, svg->view);
	svg_text(out, buf_text(&svg->text));
	buf_printf(
		out, "</title><desc id=\"plot-%zu-about\">%s. Horizontal: ", svg->number, kind);
	svg_text(out, svg_title(svg, true));
	buf_string(out, ". Vertical: ");
	svg_text(out, svg_title(svg, false));
	buf_string(out, ". The table has the values.</desc>\n");
}

void
svg_axis_x(struct svg *svg)
{
	struct buf *out = svg->out;
	buf_string(out, "<g class=\"x axis\">");
	if (svg->x.zero > 0)
		buf_string(out, "<text y=\"100%\" dy=\"18\" x=\"0\" class=\"tick\">0</text>");
	for (size_t i = 0; i < svg->x.count; i++) {
		char label[AXIS_LABEL];
		double part = axis_position(&svg->x, svg->x.ticks[i]);
		axis_label(&svg->x, i, label);
		buf_string(out, i % 2 ? "<g class=\"wide\">" : "<g>");
		buf_string(out, "<line y2=\"100%\"");
		svg_attribute(out, "x1", part);
		svg_attribute(out, "x2", part);
		buf_string(out, "/><text class=\"tick\" y=\"100%\" dy=\"18\"");
		svg_attribute(out, "x", part);
		buf_printf(out, ">%s</text></g>", label);
	}
	buf_string(out, "<line class=\"base\" y1=\"100%\" y2=\"100%\" x2=\"100%\"/>"
			"<text class=\"title\" x=\"50%\" y=\"100%\" dy=\"38\">");
	svg_text(out, svg_title(svg, true));
	buf_string(out, "</text></g>\n");
}

void
svg_title_y(struct svg *svg)
{
	buf_printf(svg->out, "<text class=\"title\" x=\"0\" dx=\"-%u\" dy=\"-14\">",
		svg->left - 4);
	svg_text(svg->out, svg_title(svg, false));
	buf_string(svg->out, "</text>");
}

void
svg_axis_y(struct svg *svg)
{
	struct buf *out = svg->out;
	buf_string(out, "<g class=\"y axis\">");
	for (size_t i = 0; i < svg->y.count; i++) {
		char label[AXIS_LABEL];
		double part = 1 - axis_position(&svg->y, svg->y.ticks[i]);
		axis_label(&svg->y, i, label);
		buf_string(out, "<line x2=\"100%\"");
		svg_attribute(out, "y1", part);
		svg_attribute(out, "y2", part);
		buf_string(out, "/><text class=\"tick\" dx=\"-8\" dy=\"4\"");
		svg_attribute(out, "y", part);
		buf_printf(out, ">%s</text>", label);
	}
	svg_title_y(svg);
	buf_string(out, "</g>\n");
}

void
svg_hover(struct svg *svg, size_t row, const size_t *columns, size_t count)
{
	buf_string(svg->out, "<title>");
	for (size_t i = 0; i < count; i++) {
		if (columns[i] == PLOT_NO_COLUMN)
			continue;
		buf_clear(&svg->text);
		buf_string(&svg->text, i ? "; " : "");
		view_title(&svg->text, svg->view, columns[i], TREE_NO_TEXT, TREE_NO_TEXT);
		buf_string(&svg->text, ": ");
		view_text(&svg->text, svg->view, row, columns[i]);
		svg_text(svg->out, buf_text(&svg->text));
	}
	buf_string(svg->out, "</title>");
	render_flush(svg->render);
}

void
svg_close(struct svg *svg, const char *note)
{
	buf_string(svg->out, "</svg>\n</div>\n");
	if (note)
		buf_printf(svg->out, "<p class=\"remark\">%s</p>\n", note);
	buf_string(svg->out, "</figure>\n");
}
