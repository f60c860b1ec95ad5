/* SPDX-License-Identifier: MIT */
/* Draws a plot by its kind. */
#include "report/plot/svg.h"

void
svg_plot(struct render *render, const struct plot_view *view, size_t number)
{
	struct svg svg = {
		.render = render, .view = view, .out = &render->out, .number = number};
	if (view->rows == 0)
		return;
	svg_caption(&svg);
	switch (view->plot->kind) {
	case POLY_PLOT_BARS: svg_bars(&svg); break;
	case POLY_PLOT_HISTOGRAM:
		if (view_is_text(view, view->plot->x))
			svg_bars(&svg);
		else
			svg_histogram(&svg);
		break;
	case POLY_PLOT_CURVE: svg_curve(&svg); break;
	case POLY_PLOT_HEAT: svg_heat(&svg); break;
	case POLY_PLOT_TIMELINE: svg_timeline(&svg); break;
	}
	if (svg.text.failed)
		render->out.failed = true;
	buf_free(&svg.text);
}
