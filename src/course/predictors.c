/* SPDX-License-Identifier: MIT */
/* Homework 3: branch predictors. The tables are plain on purpose: they are printed, line by
 * line. */
#include "course/predictors.h"

#include "course/text.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

/* The counters that a branch looks at, and what they say of it. */
struct looked_up {
	uint8_t *bimodal, *gshare, *chooser; /* NULL: the kind has no such table */
	bool bimodal_taken, gshare_taken, taken;
};

static enum poly_status
check(const struct course_predictor_config *config, struct poly_error *error)
{
	const unsigned most = COURSE_PREDICTOR_LOG2_MAX;
	if (config->layout == COURSE_PENN && config->kind < COURSE_BIMODAL)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"static predictors have no layout of Penn's, expected that of WUSTL");
	if (config->bimodal_log2 > most || config->gshare_log2 > most ||
		config->chooser_log2 > most)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"tables of 2^%u, 2^%u and 2^%u counters, expected at most 2^%u",
			config->bimodal_log2, config->gshare_log2, config->chooser_log2, most);
	if (config->history > COURSE_PREDICTOR_HISTORY_MAX)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"history of %u outcomes, expected at most %d", config->history,
			COURSE_PREDICTOR_HISTORY_MAX);
	return POLY_OK;
}

enum poly_status
course_predictor_init(struct course_predictor *predictor,
	const struct course_predictor_config *config, struct poly_error *error)
{
	memset(predictor, 0, sizeof *predictor);
	enum poly_status status = check(config, error);
	if (status)
		return status;
	predictor->config = *config;
	bool is_both = config->kind == COURSE_TOURNAMENT;
	bool has_bimodal = is_both || config->kind == COURSE_BIMODAL;
	bool has_gshare = is_both || config->kind == COURSE_GSHARE;
	if (has_bimodal)
		predictor->bimodal = mem_new((size_t)1 << config->bimodal_log2, 1);
	if (has_gshare)
		predictor->gshare = mem_new((size_t)1 << config->gshare_log2, 1);
	if (is_both)
		predictor->chooser = mem_new((size_t)1 << config->chooser_log2, 1);
	if ((has_bimodal && !predictor->bimodal) || (has_gshare && !predictor->gshare) ||
		(is_both && !predictor->chooser))
		return err_memory(error);
	return POLY_OK;
}

static void
put_bimodal(const struct course_predictor_config *config, struct buf *to)
{
	buf_printf(to, "2^%uentries, each has 2-bit sat ctrs", config->bimodal_log2);
}

static void
put_gshare(const struct course_predictor_config *config, struct buf *to)
{
	buf_printf(to, "2^%uentries, each has 2-bit sat ctrs, Plus BHR of length %u bits",
		config->gshare_log2, config->history);
}

static void
put_description(const struct course_predictor_config *config, struct buf *to)
{
	switch (config->kind) {
	case COURSE_TAKEN: buf_string(to, "taken"); return;
	case COURSE_NOT_TAKEN: buf_string(to, "not-taken"); return;
	case COURSE_BIMODAL: put_bimodal(config, to); return;
	case COURSE_GSHARE: put_gshare(config, to); return;
	case COURSE_TOURNAMENT: break;
	}
	buf_string(to, "Bimodal: ");
	put_bimodal(config, to);
	buf_string(to, "\nGSHARE: ");
	put_gshare(config, to);
	buf_printf(to, "\nChooser Table: 2^%uentries, each has 2-bit sat ctrs",
		config->chooser_log2);
}

static const char *const kind_names[] = {"static", "static", "bimodal", "gshare", "tour"};
static const char *const column_lines[] = {
	"PC\tPred\tOutcome\t  Result\tnIncorrect\n",
	"PC\tPred\tOutcome\t  Result\tnIncorrect\n",
	"PC\tTableState\tPred\tOutcome\t  Result\tnIncorrect\n",
	"PC\tTableState\t\tHist\tPred\tOutcome\t  Result\tnIncorrect\n",
	("PC\tBimodTable\tGshareTable\t\tHist\tChooseTable\tPred\tOutcome\tResult\t\t"
	 "nIncorrect\n"),
};

void
course_predictor_begin(
	const struct course_predictor *predictor, const char *name, struct buf *to)
{
	const struct course_predictor_config *config = &predictor->config;
	if (config->layout == COURSE_PENN)
		return;
	if (!config->is_quiet)
		buf_string(to, "debug mode on\n");
	course_text_name(to, name);
	buf_printf(to, "Branch Predictor: \t\t\t%s -- ", kind_names[config->kind]);
	put_description(config, to);
	buf_string(to, "\nInstruction Limit\t\t\tnone\n");
	if (!config->is_quiet)
		buf_string(to, column_lines[config->kind]);
}

/* A table in the order of its indexes, each counter as one of four letters. */
static void
put_table(struct buf *to, const uint8_t *counters, unsigned log2, const char *letters)
{
	size_t n = (size_t)1 << log2;
	char *text = (char *)buf_reserve(to, n);
	for (size_t i = 0; i < n && text; i++)
		text[i] = letters[counters[i]];
	to->size += text ? n : 0;
}

/* A history, the oldest outcome first. */
static void
put_history(const struct course_predictor *predictor, struct buf *to)
{
	for (unsigned i = predictor->config.history; i-- > 0;)
		buf_byte(to, predictor->past >> i & 1 ? 'T' : 'N');
}

static void
put_bimodal_table(const struct course_predictor *predictor, struct buf *to)
{
	put_table(to, predictor->bimodal, predictor->config.bimodal_log2, "NntT");
}

static void
put_gshare_table(const struct course_predictor *predictor, struct buf *to)
{
	put_table(to, predictor->gshare, predictor->config.gshare_log2, "NntT");
}

static void
put_chooser_table(const struct course_predictor *predictor, struct buf *to)
{
	put_table(to, predictor->chooser, predictor->config.chooser_log2, "BbgG");
}

static void
put_penn_state(const struct course_predictor *predictor, struct buf *to)
{
	enum course_predictor_kind kind = predictor->config.kind;
	if (kind == COURSE_TOURNAMENT) {
		put_chooser_table(predictor, to);
		buf_byte(to, ' ');
	}
	if (kind != COURSE_GSHARE)
		put_bimodal_table(predictor, to);
	if (kind == COURSE_TOURNAMENT)
		buf_byte(to, ' ');
	if (kind != COURSE_BIMODAL) {
		put_gshare_table(predictor, to);
		buf_string(to, "  ");
		put_history(predictor, to);
	}
}

static void
put_wustl_state(const struct course_predictor *predictor, struct buf *to)
{
	enum course_predictor_kind kind = predictor->config.kind;
	if (kind == COURSE_BIMODAL || kind == COURSE_TOURNAMENT) {
		put_bimodal_table(predictor, to);
		buf_byte(to, '\t');
	}
	if (kind == COURSE_GSHARE || kind == COURSE_TOURNAMENT) {
		put_gshare_table(predictor, to);
		buf_byte(to, '\t');
		put_history(predictor, to);
		buf_byte(to, '\t');
	}
	if (kind == COURSE_TOURNAMENT) {
		put_chooser_table(predictor, to);
		buf_byte(to, '\t');
	}
}

/* The line of a branch: the tables are still those before it, the count is that behind it. */
static void
put_branch(const struct course_predictor *predictor, const struct course_uop *uop,
	bool predicted, struct buf *to)
{
	char said = predicted ? 'T' : 'N';
	const char *result = said == uop->branch ? "correct" : "incorrect";
	if (predictor->config.layout == COURSE_PENN) {
		put_penn_state(predictor, to);
		buf_printf(to, " | %" PRIx64 "  %c | %c  %-11s%" PRIu64 "\n", uop->pc,
			uop->branch, said, result, predictor->wrong);
		return;
	}
	buf_printf(to, "%" PRIx64 "\t", uop->pc);
	put_wustl_state(predictor, to);
	buf_printf(
		to, "%c\t%c\t%9s\t%" PRIu64 "\n", said, uop->branch, result, predictor->wrong);
}

static struct looked_up
look_up(struct course_predictor *predictor, uint64_t pc)
{
	const struct course_predictor_config *config = &predictor->config;
	uint64_t history =
		config->history < 64 ? ((uint64_t)1 << config->history) - 1 : UINT64_MAX;
	uint64_t mixed = pc ^ (predictor->past & history);
	struct looked_up up = {.taken = config->kind == COURSE_TAKEN};
	if (predictor->bimodal) {
		up.bimodal = &predictor->bimodal[pc % ((size_t)1 << config->bimodal_log2)];
		up.taken = up.bimodal_taken = *up.bimodal >= 2;
	}
	if (predictor->gshare) {
		up.gshare = &predictor->gshare[mixed % ((size_t)1 << config->gshare_log2)];
		up.taken = up.gshare_taken = *up.gshare >= 2;
	}
	if (predictor->chooser) {
		up.chooser = &predictor->chooser[pc % ((size_t)1 << config->chooser_log2)];
		up.taken = *up.chooser >= 2 ? up.gshare_taken : up.bimodal_taken;
	}
	return up;
}

static void
move(uint8_t *counter, bool up)
{
	if (up && *counter < 3)
		++*counter;
	else if (!up && *counter > 0)
		--*counter;
}

static void
learn(struct course_predictor *predictor, const struct looked_up *up, bool taken)
{
	if (up->bimodal)
		move(up->bimodal, taken);
	if (up->gshare)
		move(up->gshare, taken);
	if (up->chooser && up->bimodal_taken != up->gshare_taken)
		move(up->chooser, up->gshare_taken == taken);
	predictor->past = predictor->past << 1 | taken;
}

void
course_predictor_uop(
	struct course_predictor *predictor, const struct course_uop *uop, struct buf *to)
{
	course_count(&predictor->count, uop);
	if (!course_is_conditional(uop))
		return;
	bool taken = uop->branch == 'T';
	const struct looked_up up = look_up(predictor, uop->pc);
	predictor->branches++;
	predictor->wrong += up.taken != taken;
	if (!predictor->config.is_quiet)
		put_branch(predictor, uop, up.taken, to);
	learn(predictor, &up, taken);
}

void
course_predictor_end(const struct course_predictor *predictor, struct buf *to)
{
	const struct course_predictor_config *config = &predictor->config;
	if (config->layout == COURSE_PENN)
		return;
	course_text_processed(to, predictor->count.uops);
	buf_printf(to, "** %s predictor, predicting ", kind_names[config->kind]);
	put_description(config, to);
	buf_printf(to, " ** \nPrediction Accuracy: %.2f%% (Mis-prediction rate: %.2f%%)\n",
		course_percent(predictor->branches - predictor->wrong, predictor->branches),
		course_percent(predictor->wrong, predictor->branches));
}

void
course_predictor_fini(struct course_predictor *predictor)
{
	mem_free(predictor->bimodal);
	mem_free(predictor->gshare);
	mem_free(predictor->chooser);
	memset(predictor, 0, sizeof *predictor);
}
