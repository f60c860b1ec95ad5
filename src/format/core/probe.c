/* SPDX-License-Identifier: MIT */
/* Finding a trace's format by its content. */
#include "format/core/probe.h"

#include "base/err.h"
#include "base/mem.h"
#include "format/core/foreign.h"

#include <stdio.h>
#include <string.h>

/* A matching ending of the name adds a fraction of a bit to a bid: it only breaks ties. */
#define BID_SCALE 8
#define BID_ENDING 4

/* Bits of a magic: content that no extension outweighs. */
#define MAGIC_BITS 32

/* Formats whose bids are recorded. */
#define BIDS_MAX 64

/* Size of the list of nearest formats in bytes. */
#define NEAREST_SIZE 200

/* Bytes at the front that decide whether the input is text. */
#define PRINTABLE_SAMPLE 512

/* Bytes that the first round examines. */
#define FIRST_ROUND ((size_t)256 << 10)

struct bid {
	const struct format *format;
	int bits;  /* as the probe returned them; 0 or less: no bid */
	int score; /* BID_SCALE * bits, and BID_ENDING for the name */
	struct probe_note note;
};

struct contest {
	const struct format_list *formats;
	const char *name;	    /* of the file; NULL: unknown */
	const struct bid *best;	    /* NULL: no format bids */
	const struct format *rival; /* of another family, with an equal score, if tied */
	bool tied;
	bool complete;	  /* the probes saw the complete input */
	bool undecidable; /* a sibling of best has as many bits; the ending may have decided */
	bool printable;	  /* the front is text */
	const struct bid *invalid; /* of a plugin; NULL: none */
	const char *foreign;	   /* what the input is instead of a trace; NULL: unknown */
	size_t bid_count;
	struct bid bids[BIDS_MAX]; /* of every format that has a probe */
};

/*
 * Lists the formats that some records match, separated by commas: text formats first if the
 * input is text, binary formats first if not.
 */
static void
list_nearest(const struct contest *contest, char text[NEAREST_SIZE])
{
	size_t used = 0;
	text[0] = 0;
	for (size_t i = 0; i < 2 * contest->bid_count; i++) {
		const struct bid *bid = &contest->bids[i % contest->bid_count];
		const bool same_kind = bid->format->is_text == contest->printable;
		if (!bid->note.near || same_kind != (i < contest->bid_count))
			continue;
		const int size = snprintf(text + used, NEAREST_SIZE - used, "%s%s",
			used ? ", " : "", bid->format->info.name);
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
	n = n < PRINTABLE_SAMPLE ? n : PRINTABLE_SAMPLE;
	while (i < n && ((p[i] >= ' ' && p[i] <= '~') || (p[i] >= '\t' && p[i] <= '\r')))
		i++;
	return i == n;
}

static bool
are_siblings(const struct bid *a, const struct bid *b)
{
	return strcmp(a->format->info.family, b->format->info.family) == 0;
}

/* Compares a bid with the best one. */
static void
rank_bid(struct contest *contest, const struct bid *bid)
{
	const struct bid *best = contest->best;
	const bool sibling = best && are_siblings(best, bid);
	const bool same_bits = best && bid->bits == best->bits;
	if (!best || bid->score > best->score) {
		contest->undecidable = sibling && same_bits;
		contest->tied = false;
		contest->best = bid;
	} else if (sibling && same_bits) {
		contest->undecidable = true;
	} else if (bid->score == best->score) {
		contest->rival = bid->format;
		contest->tied = true;
	}
}

static bool
has_probe(const struct format *format)
{
	return format->plugin ? format->plugin->probe != NULL : format->probe != NULL;
}

/* Collects the bids on n bytes; eof: the input ends there. */
static void
collect_bids(struct contest *contest, const uint8_t *p, size_t n, bool eof)
{
	const struct format *format;
	for (size_t i = 0; (format = format_list_at(contest->formats, i)); i++) {
		if (!has_probe(format) || contest->bid_count == BIDS_MAX)
			continue;
		struct bid *bid = &contest->bids[contest->bid_count++];
		*bid = (struct bid){.format = format};
		bid->bits = format->plugin ? plugin_probe(format->plugin, p, n, eof, &bid->note)
					   : format->probe(p, n, eof, &bid->note);
		if (bid->bits < 0 || (size_t)bid->bits > 8 * n)
			contest->invalid = format->plugin ? bid : contest->invalid;
		if (bid->bits <= 0 || contest->invalid)
			continue;
		bid->score = BID_SCALE * bid->bits;
		if (contest->name && format_has_ending(format, contest->name))
			bid->score += BID_ENDING;
		rank_bid(contest, bid);
	}
}

/*
 * Holds a contest on at most max bytes. The length of an input that ended with corrupt data
 * does not count as evidence. POLY_END: the input is empty.
 */
static enum poly_status
hold_contest(struct in *in, size_t max, struct contest *contest, struct poly_error *error)
{
	size_t n;
	const uint8_t *p = in_peek(in, max, &n);
	const enum poly_status end = n < max ? in_status(in, error) : POLY_OK;
	if (n == 0)
		return end;
	*contest = (struct contest){.formats = contest->formats, .name = contest->name};
	contest->complete = n < max;
	contest->printable = is_printable(p, n);
	n = n < max ? n : max;
	collect_bids(contest, p, n, contest->complete && end >= 0);
	const struct bid *invalid = contest->invalid;
	return invalid ? err_usage(error,
				 "format '%s': probe returned %d bits of %zu bytes (expected 0 "
				 "to %zu)",
				 invalid->format->info.name, invalid->bits, n, 8 * n)
		       : POLY_OK;
}

/* The first round decides for most traces; the second one examines more bytes of the others. */
static enum poly_status
decide(struct in *in, struct contest *contest, struct poly_error *error)
{
	enum poly_status status = hold_contest(in, FIRST_ROUND, contest, error);
	const bool open = !contest->best || contest->tied || contest->undecidable;
	if (status == POLY_OK && open && !contest->complete)
		status = hold_contest(in, IN_PEEK_MAX, contest, error);
	return status;
}

/* Hands the evidence of every format to the caller. */
static void
report_probes(const struct contest *contest, const struct poly_read_options *options)
{
	for (size_t i = 0; options->on_probe && i < contest->bid_count; i++) {
		const struct bid *bid = &contest->bids[i];
		const struct poly_probe probe = {.format = &bid->format->info,
			.bits = bid->bits > 0 ? bid->bits : 0,
			.near = bid->bits > 0 || bid->note.near,
			.evidence = bid->note.text};
		if (probe.bits || bid->note.text[0])
			options->on_probe(options->probe_user, &probe);
	}
}

/* Returns whether a bid is a candidate for an input with too few records to bid on. */
static bool
is_candidate(const struct contest *contest, const struct bid *bid, bool by_name)
{
	if (!by_name)
		return contest->complete && bid->note.distinct;
	return bid->note.consistent && contest->name &&
	       format_has_ending(bid->format, contest->name);
}

/*
 * Returns whether a bid without a magic, of a format without the extension, is set aside: the
 * format of the extension is of another family and consistent.
 */
static bool
yields_to_name(const struct contest *contest)
{
	const struct bid *best = contest->best;
	if (!contest->name || best->bits >= MAGIC_BITS || best->score % BID_SCALE != 0)
		return false;
	for (size_t i = 0; i < contest->bid_count; i++) {
		const struct bid *bid = &contest->bids[i];
		if (!are_siblings(best, bid) && is_candidate(contest, bid, true))
			return true;
	}
	return false;
}

/*
 * Chooses among formats that have no bid but no contradiction either: those whose extension the
 * name has, or the only one whose records are unmistakable. Of several, those with matching
 * records are preferred.
 */
static void
choose_consistent(struct contest *contest, bool by_name)
{
	for (size_t i = 0; i < contest->bid_count; i++) {
		const struct bid *bid = &contest->bids[i], *best = contest->best;
		if (!is_candidate(contest, bid, by_name))
			continue;
		if (!best || bid->note.near > best->note.near) {
			contest->best = bid;
			contest->tied = false;
		} else if (bid->note.near == best->note.near && !are_siblings(best, bid)) {
			contest->rival = bid->format;
			contest->tied = true;
		}
	}
}

/* Appends the missing newline of a last line to a copy, and collects the bids on that. */
static enum poly_status
complete_line(struct contest *contest, const uint8_t *p, size_t n, struct poly_error *error)
{
	uint8_t *copy = mem_new(n + 1, 1);
	if (!copy)
		return err_memory(error);
	memcpy(copy, p, n);
	copy[n] = '\n';
	contest->bid_count = 0;
	collect_bids(contest, copy, n + 1, true);
	mem_free(copy);
	return POLY_OK;
}

/* Finds a format for an input that no format bids on, or the one of its extension. */
static enum poly_status
decide_consistent(struct in *in, struct contest *contest, struct poly_error *error)
{
	size_t n;
	const uint8_t *p = in_peek(in, FIRST_ROUND, &n);
	enum poly_status status = POLY_OK;
	if (!contest->best && (contest->foreign = foreign_magic(p, n)))
		return POLY_OK;
	if (!contest->best && contest->complete && contest->printable && p[n - 1] != '\n')
		status = complete_line(contest, p, n, error);
	if (contest->best && yields_to_name(contest)) {
		contest->best = NULL;
		contest->tied = false;
	}
	if (status == POLY_OK && !contest->best)
		choose_consistent(contest, true);
	if (status == POLY_OK && !contest->best)
		choose_consistent(contest, false);
	if (status == POLY_OK && !contest->best)
		contest->foreign = foreign_text(p, n);
	return status;
}

/* Chooses the format of an empty input by its name. */
static enum poly_status
choose_empty(struct contest *contest, struct poly_error *error)
{
	const struct format *format;
	for (size_t i = 0; (format = format_list_at(contest->formats, i)); i++) {
		if (contest->name && has_probe(format) &&
			format_has_ending(format, contest->name)) {
			struct bid *bid = &contest->bids[contest->bid_count++];
			*bid = (struct bid){.format = format, .note.consistent = true};
		}
	}
	choose_consistent(contest, true);
	if (contest->best)
		return POLY_OK;
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"empty input: cannot detect the format; set options.format");
}

/* Returns the only binary format that has the extension; NULL: none or several. */
static const struct format *
binary_format_of_name(const struct contest *contest)
{
	const struct format *found = NULL;
	size_t count = 0;
	for (size_t i = 0; contest->name && i < contest->bid_count; i++) {
		const struct format *format = contest->bids[i].format;
		if (format->is_text || !format_has_ending(format, contest->name))
			continue;
		found = format;
		count++;
	}
	return count == 1 ? found : NULL;
}

static enum poly_status
fail_unrecognized(const struct contest *contest, struct poly_error *error)
{
	char nearest[NEAREST_SIZE];
	if (contest->foreign)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"unrecognized format (found %s, which cannot be read)%s",
			contest->foreign,
			contest->printable ? "; 'text:DESCRIPTION' as options.format reads text"
					   : "");
	const struct format *named = contest->printable ? binary_format_of_name(contest) : NULL;
	if (named)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"unrecognized format (found text, expected format '%s' by the file "
			"extension)",
			named->info.name);
	list_nearest(contest, nearest);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"unrecognized format%s%s%s; set options.format%s",
		nearest[0] ? " (nearest: " : "", nearest, nearest[0] ? ")" : "",
		contest->printable ? " ('text:DESCRIPTION' reads any other text)" : "");
}

/* Chooses the winner of a contest, or fails if there is none. */
static enum poly_status
choose_winner(
	const struct contest *contest, struct probe_result *result, struct poly_error *error)
{
	const struct bid *best = contest->best;
	if (!best)
		return fail_unrecognized(contest, error);
	if (contest->tied)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"ambiguous format ('%s' and '%s' match equally well); set "
			"options.format",
			best->format->info.name, contest->rival->info.name);
	const bool ending = best->score % BID_SCALE != 0;
	result->format = best->format;
	if (best->bits <= 0) {
		snprintf(result->evidence, sizeof result->evidence, "%s%s%s", best->note.text,
			*best->note.text ? "; " : "",
			contest->name && format_has_ending(best->format, contest->name)
				? "no contradiction, resolved by the file extension"
				: "no contradiction, and no other format has such records");
		return POLY_OK;
	}
	snprintf(result->evidence, sizeof result->evidence, "%s (%d bits)%s%s", best->note.text,
		best->bits,
		contest->undecidable ? "; ambiguous by content within its family" : "",
		!ending		       ? ""
		: contest->undecidable ? ", resolved by the file extension"
				       : ", and the file extension agrees");
	return POLY_OK;
}

enum poly_status
probe_format(struct in *in, const struct format_list *formats,
	const struct poly_read_options *options, struct probe_result *result,
	struct poly_error *error)
{
	struct contest *contest = mem_new(1, sizeof *contest);
	if (!contest)
		return err_memory(error);
	contest->formats = formats;
	contest->name = options->name;
	struct poly_error failure, empty;
	enum poly_status status = decide(in, contest, &failure);
	/* A compressed stream may be truncated before its first byte. */
	const bool is_empty = status == POLY_END || status == POLY_ERR_TRUNCATED;
	if (is_empty && choose_empty(contest, &empty) == POLY_OK)
		status = POLY_OK;
	else if (status < 0 && error)
		*error = failure;
	else if (status == POLY_END)
		status = choose_empty(contest, error);
	else if (status == POLY_OK)
		status = decide_consistent(in, contest, error);
	if (contest->bid_count)
		report_probes(contest, options);
	if (status == POLY_OK)
		status = choose_winner(contest, result, error);
	mem_free(contest);
	return status;
}
