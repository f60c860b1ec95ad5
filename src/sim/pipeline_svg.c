/* SPDX-License-Identifier: MIT */
#include "sim/pipeline_svg.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

/* In user units: a cycle is a square, labels stand to the left. */
enum { CELL = 18, LABELS = 330, TOP = 40, LABEL_MOST = 32, TICK = 5 };

/* Colours of Okabe and Ito's palette, which those who see few colours tell apart. */
static const char style[] =
	"<style>svg{font:12px ui-monospace,monospace;color-scheme:light dark;"
	"--ink:#1a1a1a;--line:#ddd}"
	"@media(prefers-color-scheme:dark){svg{--ink:#eee;--line:#444}}"
	"text{fill:var(--ink)}.n{text-anchor:middle}.g{stroke:var(--line)}"
	".F{fill:#56b4e9}.X{fill:#e69f00}.C{fill:#009e73}.b{fill:#000}</style>\n";

struct picture {
	const struct pipeline_slice *slice;
	uint64_t start, end; /* cycles shown, end not included */
	struct buf label;    /* well-formed */
	struct buf *out;
};

static void
find_cycles(struct picture *picture)
{
	const struct pipeline_slice *slice = picture->slice;
	picture->start = slice->n ? slice->times[0].fetched : 0;
	picture->end = picture->start + 1;
	for (size_t i = 0; i < slice->n; i++) {
		const struct pipeline_times *at = &slice->times[i];
		if (at->fetched < picture->start)
			picture->start = at->fetched;
		if (at->committed + 1 > picture->end)
			picture->end = at->committed + 1;
	}
}

static uint64_t
x_of(const struct picture *picture, uint64_t cycle)
{
	return LABELS + (cycle - picture->start) * CELL;
}

/* At most LABEL_MOST characters of the label, escaped; control characters have no form in XML.
 */
static void
append_label(struct buf *out, const char *text)
{
	size_t characters = 0;
	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;
		if ((byte & 0xc0) != 0x80 && characters++ == LABEL_MOST) {
			buf_string(out, "…");
			return;
		}
		if (*c == '&')
			buf_string(out, "&amp;");
		else if (*c == '<')
			buf_string(out, "&lt;");
		else if (*c == '>')
			buf_string(out, "&gt;");
		else
			buf_byte(out, byte < 0x20 ? ' ' : byte);
	}
}

static void
append_stage(struct picture *picture, char stage, uint64_t from, uint64_t to, size_t row)
{
	const size_t y = TOP + row * CELL;
	if (from == to)
		return;
	buf_printf(picture->out,
		"<rect class=\"%c\" x=\"%" PRIu64 "\" y=\"%zu\" width=\"%" PRIu64
		"\" height=\"%d\" rx=\"2\"><title>%s, cycles %" PRIu64 " to %" PRIu64
		"</title></rect>\n",
		stage, x_of(picture, from) + 1, y + 1, (to - from) * CELL - 2, CELL - 2,
		stage == 'F'   ? "waits for issue"
		: stage == 'X' ? "executes"
			       : "waits for commit",
		from, to - 1);
	buf_printf(picture->out, "<text class=\"n b\" x=\"%" PRIu64 "\" y=\"%zu\">%c</text>\n",
		x_of(picture, from) + CELL / 2, y + CELL - 5, stage);
}

static void
append_row(struct picture *picture, size_t row)
{
	const struct pipeline_times *at = &picture->slice->times[row];
	struct buf *out = picture->out;
	buf_clear(&picture->label);
	utf8_append(&picture->label, picture->slice->labels[row]);
	buf_printf(out, "<text x=\"4\" y=\"%zu\">%" PRIu64 " ", TOP + row * CELL + CELL - 5,
		picture->slice->first + row);
	append_label(out, buf_text(&picture->label));
	buf_string(out, "</text>\n");
	append_stage(picture, 'F', at->fetched, at->issued, row);
	append_stage(picture, 'X', at->issued, at->done, row);
	append_stage(picture, 'C', at->done, at->committed, row);
}

/* A line every so many cycles, with its number. */
static void
append_axis(struct picture *picture)
{
	const size_t bottom = TOP + picture->slice->n * CELL;
	const uint64_t first = (picture->start + TICK - 1) / TICK * TICK;
	for (uint64_t cycle = first; cycle < picture->end; cycle += TICK) {
		const uint64_t x = x_of(picture, cycle);
		buf_printf(picture->out,
			"<path class=\"g\" d=\"M%" PRIu64 " %dV%zu\"/>"
			"<text class=\"n\" x=\"%" PRIu64 "\" y=\"%d\">%" PRIu64 "</text>\n",
			x, TOP - 4, bottom, x + CELL / 2, TOP - 8, cycle);
	}
	buf_printf(picture->out, "<text x=\"4\" y=\"%d\">instruction</text>", TOP - 8);
	buf_printf(picture->out, "<text class=\"n\" x=\"%d\" y=\"14\">cycle</text>\n",
		LABELS + CELL);
}

enum poly_status
pipeline_svg_append(
	const struct pipeline_slice *slice, struct buf *out, struct poly_error *error)
{
	struct picture picture = {.slice = slice, .out = out};
	find_cycles(&picture);
	const uint64_t cycles = picture.end - picture.start;
	if (slice->n > PIPELINE_SVG_OPS_MOST || cycles > PIPELINE_SVG_CYCLES_MOST)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"%zu instructions in %" PRIu64 " cycles are too many for a diagram of "
			"stages, expected at most %d in %d",
			slice->n, cycles, PIPELINE_SVG_OPS_MOST, PIPELINE_SVG_CYCLES_MOST);
	const uint64_t width = x_of(&picture, picture.end) + CELL;
	const size_t height = TOP + (slice->n + 1) * CELL;
	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64
		"\" height=\"%zu\" "
		"viewBox=\"0 0 %" PRIu64 " %zu\" role=\"img\" aria-labelledby=\"t d\">\n"
		"<title id=\"t\">Stages of instructions, cycle by cycle</title>\n"
		"<desc id=\"d\">F: fetched, waits for issue. X: executes. C: done, waits for "
		"commit.</desc>\n",
		width, height, width, height);
	buf_string(out, style);
	append_axis(&picture);
	for (size_t row = 0; row < slice->n; row++)
		append_row(&picture, row);
	buf_string(out, "</svg>\n");
	const bool failed = out->failed || picture.label.failed;
	buf_free(&picture.label);
	return failed ? err_memory(error) : POLY_OK;
}
