/* SPDX-License-Identifier: MIT */
#include "sim/pipeline/pipeline_svg.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

/* In user units: a cycle is a square, labels are on the left, the legend is above. */
enum { CELL = 18, TOP = 48, LABEL_MAX = 32, TICK = 5, CHARACTER = 8, WIDTH_MIN = 440 };

#define HEAD "instruction / cycle"

/* Colours of Okabe and Ito's palette for colour-blind readers. */
static const char style[] =
	"<style>svg{font:12px ui-monospace,monospace;color-scheme:light dark;"
	"--ink:#1a1a1a;--line:#ddd}"
	"@media(prefers-color-scheme:dark){svg{--ink:#eee;--line:#444}}"
	"text{fill:var(--ink);white-space:pre}.n{text-anchor:middle}.g{stroke:var(--line)}"
	".F{fill:#56b4e9}.X{fill:#e69f00}.C{fill:#009e73}.b{fill:#000}</style>\n";

struct picture {
	const struct pipeline_slice *slice;
	uint64_t start, end; /* cycles shown, end not included */
	uint64_t left;	     /* x of the first cycle */
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

/* Reserves the width of the longest number and label. */
static void
find_left(struct picture *picture)
{
	const struct pipeline_slice *slice = picture->slice;
	size_t max = sizeof HEAD - 1;
	for (size_t i = 0; i < slice->n; i++) {
		size_t characters = 2; /* of a number and a blank */
		for (uint64_t left = slice->first + i; left > 9; left /= 10)
			characters++;
		const size_t bytes = strlen(slice->labels[i]);
		/* One more for the mark of a truncated label. */
		characters += bytes > LABEL_MAX ? LABEL_MAX + 1 : bytes;
		max = characters > max ? characters : max;
	}
	picture->left = max * CHARACTER + CELL;
}

static uint64_t
x_of(const struct picture *picture, uint64_t cycle)
{
	return picture->left + (cycle - picture->start) * CELL;
}

/* At most LABEL_MAX characters of the label, escaped; control characters have no form in XML.
 */
static void
append_label(struct buf *out, const char *text)
{
	size_t characters = 0;
	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;
		if ((byte & 0xc0) != 0x80 && characters++ == LABEL_MAX) {
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

static const char *
meaning(char stage)
{
	if (stage == 'X')
		return "executes";
	return stage == 'F' ? "waits for issue" : "waits for commit";
}

static void
append_stage(struct picture *picture, char stage, uint64_t from, uint64_t to, size_t row)
{
	const size_t y = TOP + row * CELL;
	if (from == to)
		return;
	buf_printf(picture->out,
		"<rect class=\"%c\" x=\"%" PRIu64 "\" y=\"%zu\" width=\"%" PRIu64
		"\" height=\"%d\" rx=\"2\"><title>%" PRIu64 " %s, cycles %" PRIu64
		" to %" PRIu64 "</title></rect>\n",
		stage, x_of(picture, from) + 1, y + 1, (to - from) * CELL - 2, CELL - 2,
		picture->slice->first + row, meaning(stage), from, to - 1);
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

/* The legend of the stages. */
static void
append_legend(struct picture *picture)
{
	size_t x = 4;
	for (const char *stage = "FXC"; *stage; stage++) {
		buf_printf(picture->out,
			"<rect class=\"%c\" x=\"%zu\" y=\"3\" width=\"%d\" height=\"%d\" "
			"rx=\"2\"/><text class=\"n b\" x=\"%zu\" y=\"15\">%c</text>"
			"<text x=\"%zu\" y=\"15\">%s</text>\n",
			*stage, x, CELL - 2, CELL - 2, x + CELL / 2 - 1, *stage, x + CELL + 2,
			meaning(*stage));
		x += 2 * CELL + strlen(meaning(*stage)) * CHARACTER;
	}
}

/* Grid lines at regular intervals of cycles, with their numbers, and of instructions. */
static void
append_axes(struct picture *picture)
{
	const size_t rows = picture->slice->n, bottom = TOP + rows * CELL;
	const uint64_t first = (picture->start + TICK - 1) / TICK * TICK;
	for (uint64_t cycle = first; cycle < picture->end; cycle += TICK) {
		const uint64_t x = x_of(picture, cycle);
		buf_printf(picture->out,
			"<path class=\"g\" d=\"M%" PRIu64 " %dV%zu\"/>"
			"<text class=\"n\" x=\"%" PRIu64 "\" y=\"%d\">%" PRIu64 "</text>\n",
			x, TOP - 4, bottom, x + CELL / 2, TOP - 8, cycle);
	}
	for (size_t row = TICK; row < rows; row += TICK)
		buf_printf(picture->out, "<path class=\"g\" d=\"M4 %zuH%" PRIu64 "\"/>\n",
			TOP + row * CELL, x_of(picture, picture->end));
	buf_printf(picture->out, "<text x=\"4\" y=\"%d\">" HEAD "</text>\n", TOP - 8);
}

enum poly_status
pipeline_svg_append(
	const struct pipeline_slice *slice, struct buf *out, struct poly_error *error)
{
	struct picture picture = {.slice = slice, .out = out};
	find_cycles(&picture);
	const uint64_t cycles = picture.end - picture.start;
	if (slice->n > PIPELINE_SVG_OPS_MAX || cycles > PIPELINE_SVG_CYCLES_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"%zu instructions in %" PRIu64 " cycles are too many for a diagram of "
			"stages, expected at most %d in %d",
			slice->n, cycles, PIPELINE_SVG_OPS_MAX, PIPELINE_SVG_CYCLES_MAX);
	find_left(&picture);
	const uint64_t needed = x_of(&picture, picture.end) + CELL;
	const uint64_t width = needed > WIDTH_MIN ? needed : WIDTH_MIN;
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
	append_legend(&picture);
	append_axes(&picture);
	for (size_t row = 0; row < slice->n; row++)
		append_row(&picture, row);
	buf_string(out, "</svg>\n");
	const bool failed = out->failed || picture.label.failed;
	buf_free(&picture.label);
	return failed ? err_memory(error) : POLY_OK;
}
