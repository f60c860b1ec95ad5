/* SPDX-License-Identifier: MIT */
/* Finding a trace's format by its content. */
#include "format/probe.h"

#include <stdio.h>
#include <string.h>

/* What an ending of the name adds to a bid, in fractions of a bit: it only breaks ties. */
#define BID_SCALE 8
#define BID_ENDING 4

/* Formats that are remembered for what they miss, and the characters of them that are told. */
#define MISSES_MOST 32
#define NEAREST_SIZE 256

/* Bytes at the front that say whether it is text. */
#define PRINTABLE_LOOK 512

/* Bytes of the first look. */
#define SHORT_LOOK ((size_t)256 << 10)

struct bid {
	const struct format *format;
	int score; /* BID_SCALE * bits, and BID_ENDING for the name */
	struct probe_note note;
};

struct contest {
	struct bid best;
	const struct format *rival; /* of another family, with an equal score, where tied */
	bool tied;
	bool whole;	  /* it saw all there is */
	bool undecidable; /* a sibling of best has as many bits; the ending may have decided */
	bool printable;	  /* the front is text */
	size_t miss_count;
	struct bid
		misses[MISSES_MOST]; /* of formats that did not bid but had to say something */
};

static void
add_miss(struct contest *contest, const struct bid *bid)
{
	if (bid->note.text[0] && contest->miss_count < MISSES_MOST)
		contest->misses[contest->miss_count++] = *bid;
}

/* What formats miss, as many of them as there is room for: those first that are as the front.
 */
static void
tell_misses(const struct contest *contest, char text[NEAREST_SIZE])
{
	size_t used = 0;
	for (size_t i = 0; i < 2 * contest->miss_count; i++) {
		const struct bid *miss = &contest->misses[i % contest->miss_count];
		bool alike = miss->format->is_text == contest->printable;
		if (alike != (i < contest->miss_count))
			continue;
		int size = snprintf(text + used, NEAREST_SIZE - used, "%s%s: %s",
			used ? "; " : "", miss->format->info.name, miss->note.text);
		if ((size_t)size >= NEAREST_SIZE - used) {
			text[used] = 0;
			return;
		}
		used += (size_t)size;
	}
}

static bool
is_printable(const uint8_t *p, size_t n)
{
	size_t i = 0;
	n = n < PRINTABLE_LOOK ? n : PRINTABLE_LOOK;
	while (i < n && ((p[i] >= ' ' && p[i] <= '~') || (p[i] >= '\t' && p[i] <= '\r')))
		i++;
	return i == n;
}

static bool
are_siblings(const struct bid *a, const struct bid *b)
{
	return a->format && strcmp(a->format->info.family, b->format->info.family) == 0;
}

static void
add_bid(struct contest *contest, const struct bid *bid)
{
	const struct bid *best = &contest->best;
	bool sibling = are_siblings(best, bid);
	bool same_bits = best->format && bid->score / BID_SCALE == best->score / BID_SCALE;
	if (!best->format || bid->score > best->score) {
		contest->undecidable = sibling && same_bits;
		contest->tied = false;
		contest->best = *bid;
	} else if (sibling && same_bits) {
		contest->undecidable = true;
	} else if (bid->score == best->score) {
		contest->rival = bid->format;
		contest->tied = true;
	}
}

static void
hold_contest(struct contest *contest, const uint8_t *p, size_t n, bool eof, const char *name)
{
	const struct format *format;
	for (size_t i = 0; (format = format_at(i)); i++) {
		if (!format->probe)
			continue;
		struct bid bid = {.format = format};
		int bits = format->probe(p, n, eof, &bid.note);
		if (bits <= 0) {
			add_miss(contest, &bid);
			continue;
		}
		bid.score = BID_SCALE * bits;
		if (name && format_has_ending(format, name))
			bid.score += BID_ENDING;
		add_bid(contest, &bid);
	}
}

/*
 * Holds a contest on at most most bytes. Where damage ended the input its length says nothing.
 * POLY_END: the input is empty.
 */
static enum poly_status
look_at(struct in *in, size_t most, const char *name, struct contest *contest,
	struct poly_error *error)
{
	size_t n;
	const uint8_t *p = in_peek(in, most, &n);
	enum poly_status end = n < most ? in_status(in, error) : POLY_OK;
	if (n == 0)
		return end;
	*contest = (struct contest){.whole = n < most, .printable = is_printable(p, n)};
	hold_contest(contest, p, n < most ? n : most, contest->whole && end >= 0, name);
	return POLY_OK;
}

/* A short look tells most traces; the long one is for those that it leaves open. */
static enum poly_status
decide(struct in *in, const char *name, struct contest *contest, struct poly_error *error)
{
	enum poly_status status = look_at(in, SHORT_LOOK, name, contest, error);
	bool open = !contest->best.format || contest->tied || contest->undecidable;
	if (status == POLY_OK && open && !contest->whole)
		status = look_at(in, IN_PEEK_MAX, name, contest, error);
	return status;
}

static enum poly_status
no_format(const struct contest *contest, struct poly_error *error)
{
	char nearest[NEAREST_SIZE] = "none";
	tell_misses(contest, nearest);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"no format fits; name it with --from (nearest: %s)%s", nearest,
		contest->printable ? "; any text can be read by a description of its columns: "
				     "--from text:..., see polytrace-text(5)"
				   : "");
}

enum poly_status
probe_format(struct in *in, const char *name, const struct format **format, char *evidence,
	struct poly_error *error)
{
	struct contest contest = {0};
	enum poly_status status = decide(in, name, &contest, error);
	if (status == POLY_END)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the input is empty, so its format can't be told; name it with --from");
	if (status != POLY_OK)
		return status;
	const struct bid *best = &contest.best;
	if (!best->format)
		return no_format(&contest, error);
	if (contest.tied)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"'%s' and '%s' fit equally well; name the right one with --from",
			best->format->info.name, contest.rival->info.name);
	*format = best->format;
	bool ending = best->score % BID_SCALE != 0;
	snprintf(evidence, PROBE_EVIDENCE, "%s (%d bits)%s%s", best->note.text,
		best->score / BID_SCALE,
		contest.undecidable ? "; undecidable by content within its family" : "",
		!ending		      ? ""
		: contest.undecidable ? ", the name's ending decides"
				      : ", and the name's ending agrees");
	return POLY_OK;
}
