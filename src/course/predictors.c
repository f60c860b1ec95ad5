/* SPDX-License-Identifier: MIT */
/* Homework 3: branch predictors. The tables are plain on purpose: they are printed, line by
 * line. */
#include "course/predictors.h"

#include "course/counter.h"
#include "course/text.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

/* The counters of a branch, and their predictions. */
struct predictor_lookup {
	uint8_t *bimodal, *gshare, *chooser; /* NULL: the kind has no such table */
	bool bimodal_taken, gshare_taken, taken;
};

static enum poly_status
check(const struct course_predictor_config *config, struct poly_error *error)
{
	const unsigned max = COURSE_PREDICTOR_LOG2_MAX;
	if (config->layout == COURSE_PENN && config->kind < COURSE_BIMODAL)
		return err_usage(error,
			"Penn's layout does not have static predictors, expected WUSTL's "
			"layout");
	if (config->bimodal_log2 > max || config->gshare_log2 > max ||
		config->chooser_log2 > max)
		return err_usage(error,
			"found tables of 2^%u, 2^%u and 2^%u counters, expected at most 2^%u",
			config->bimodal_log2, config->gshare_log2, config->chooser_log2, max);
	if (config->history > COURSE_PREDICTOR_HISTORY_MAX)
		return err_usage(error, "found a history of %u outcomes, expected at most %d",
			config->history, COURSE_PREDICTOR_HISTORY_MAX);
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
put_bimodal(const struct course_predictor_config *config, struct buf *out)
{
	buf_printf(out, "2^%uentries, each has 2-bit sat ctrs", config->bimodal_log2);
}

static void
put_gshare(const struct course_predictor_config *config, struct buf *out)
{
	buf_printf(out, "2^%uentries, each has 2-bit sat ctrs, Plus BHR of length %u bits",
		config->gshare_log2, config->history);
}

static void
print_description(const struct course_predictor_config *config, struct buf *out)
{
	switch (config->kind) {
	case COURSE_TAKEN: buf_string(out, "taken"); return;
	case COURSE_NOT_TAKEN: buf_string(out, "not-taken"); return;
	case COURSE_BIMODAL: put_bimodal(config, out); return;
	case COURSE_GSHARE: put_gshare(config, out); return;
	case COURSE_TOURNAMENT: break;
	}
	buf_string(out, "Bimodal: ");
	put_bimodal(config, out);
	buf_string(out, "\nGSHARE: ");
	put_gshare(config, out);
	buf_printf(out, "\nChooser Table: 2^%uentries, each has 2-bit sat ctrs",
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
	const struct course_predictor *predictor, const char *name, struct buf *out)
{
	const struct course_predictor_config *config = &predictor->config;
	if (config->layout == COURSE_PENN)
		return;
	if (!config->is_quiet)
		buf_string(out, "debug mode on\n");
	course_text_name(out, name);
	buf_printf(out, "Branch Predictor: \t\t\t%s -- ", kind_names[config->kind]);
	print_description(config, out);
	buf_string(out, "\nInstruction Limit\t\t\tnone\n");
	if (!config->is_quiet)
		buf_string(out, column_lines[config->kind]);
}

/* Prints a table by index, each counter as one of four letters. */
static void
print_table(struct buf *out, const uint8_t *counters, unsigned log2, const char *letters)
{
	size_t n = (size_t)1 << log2;
	char *text = (char *)buf_reserve(out, n);
	for (size_t i = 0; i < n && text; i++)
		text[i] = letters[counters[i]];
	out->size += text ? n : 0;
}

/* Prints a history, the oldest outcome first. */
static void
print_history(const struct course_predictor *predictor, struct buf *out)
{
	for (unsigned i = predictor->config.history; i-- > 0;)
		buf_byte(out, predictor->history_bits >> i & 1 ? 'T' : 'N');
}

static void
print_bimodal_table(const struct course_predictor *predictor, struct buf *out)
{
	print_table(out, predictor->bimodal, predictor->config.bimodal_log2, "NntT");
}

static void
print_gshare_table(const struct course_predictor *predictor, struct buf *out)
{
	print_table(out, predictor->gshare, predictor->config.gshare_log2, "NntT");
}

static void
print_chooser_table(const struct course_predictor *predictor, struct buf *out)
{
	print_table(out, predictor->chooser, predictor->config.chooser_log2, "BbgG");
}

static void
print_penn_state(const struct course_predictor *predictor, struct buf *out)
{
	enum course_predictor_kind kind = predictor->config.kind;
	if (kind == COURSE_TOURNAMENT) {
		print_chooser_table(predictor, out);
		buf_byte(out, ' ');
	}
	if (kind != COURSE_GSHARE)
		print_bimodal_table(predictor, out);
	if (kind == COURSE_TOURNAMENT)
		buf_byte(out, ' ');
	if (kind != COURSE_BIMODAL) {
		print_gshare_table(predictor, out);
		buf_string(out, "  ");
		print_history(predictor, out);
	}
}

static void
print_wustl_state(const struct course_predictor *predictor, struct buf *out)
{
	enum course_predictor_kind kind = predictor->config.kind;
	if (kind == COURSE_BIMODAL || kind == COURSE_TOURNAMENT) {
		print_bimodal_table(predictor, out);
		buf_byte(out, '\t');
	}
	if (kind == COURSE_GSHARE || kind == COURSE_TOURNAMENT) {
		print_gshare_table(predictor, out);
		buf_byte(out, '\t');
		print_history(predictor, out);
		buf_byte(out, '\t');
	}
	if (kind == COURSE_TOURNAMENT) {
		print_chooser_table(predictor, out);
		buf_byte(out, '\t');
	}
}

/* Prints the line of a branch: the tables before it, and the count after it. */
static void
print_branch(const struct course_predictor *predictor, const struct course_uop *uop,
	bool predicted, struct buf *out)
{
	char prediction = predicted ? 'T' : 'N';
	const char *result = prediction == uop->branch ? "correct" : "incorrect";
	if (predictor->config.layout == COURSE_PENN) {
		print_penn_state(predictor, out);
		buf_printf(out, " | %" PRIx64 "  %c | %c  %-11s%" PRIu64 "\n", uop->pc,
			uop->branch, prediction, result, predictor->mispredictions);
		return;
	}
	buf_printf(out, "%" PRIx64 "\t", uop->pc);
	print_wustl_state(predictor, out);
	buf_printf(out, "%c\t%c\t%9s\t%" PRIu64 "\n", prediction, uop->branch, result,
		predictor->mispredictions);
}

static struct predictor_lookup
look_up(struct course_predictor *predictor, uint64_t pc)
{
	const struct course_predictor_config *config = &predictor->config;
	uint64_t history =
		config->history < 64 ? ((uint64_t)1 << config->history) - 1 : UINT64_MAX;
	uint64_t mixed = pc ^ (predictor->history_bits & history);
	struct predictor_lookup lookup = {.taken = config->kind == COURSE_TAKEN};
	if (predictor->bimodal) {
		lookup.bimodal = &predictor->bimodal[pc % ((size_t)1 << config->bimodal_log2)];
		lookup.taken = lookup.bimodal_taken = *lookup.bimodal >= 2;
	}
	if (predictor->gshare) {
		lookup.gshare = &predictor->gshare[mixed % ((size_t)1 << config->gshare_log2)];
		lookup.taken = lookup.gshare_taken = *lookup.gshare >= 2;
	}
	if (predictor->chooser) {
		lookup.chooser = &predictor->chooser[pc % ((size_t)1 << config->chooser_log2)];
		lookup.taken =
			*lookup.chooser >= 2 ? lookup.gshare_taken : lookup.bimodal_taken;
	}
	return lookup;
}

static void
train(struct course_predictor *predictor, const struct predictor_lookup *lookup, bool taken)
{
	if (lookup->bimodal)
		counter_train(lookup->bimodal, taken);
	if (lookup->gshare)
		counter_train(lookup->gshare, taken);
	if (lookup->chooser && lookup->bimodal_taken != lookup->gshare_taken)
		counter_train(lookup->chooser, lookup->gshare_taken == taken);
	predictor->history_bits = predictor->history_bits << 1 | taken;
}

void
course_predictor_uop(
	struct course_predictor *predictor, const struct course_uop *uop, struct buf *out)
{
	course_count(&predictor->count, uop);
	if (!course_is_conditional(uop))
		return;
	bool taken = uop->branch == 'T';
	const struct predictor_lookup lookup = look_up(predictor, uop->pc);
	predictor->branches++;
	predictor->mispredictions += lookup.taken != taken;
	if (!predictor->config.is_quiet)
		print_branch(predictor, uop, lookup.taken, out);
	train(predictor, &lookup, taken);
}

void
course_predictor_end(const struct course_predictor *predictor, struct buf *out)
{
	const struct course_predictor_config *config = &predictor->config;
	if (config->layout == COURSE_PENN)
		return;
	course_text_processed(out, predictor->count.uops);
	buf_printf(out, "** %s predictor, predicting ", kind_names[config->kind]);
	print_description(config, out);
	buf_printf(out, " ** \nPrediction Accuracy: %.2f%% (Mis-prediction rate: %.2f%%)\n",
		course_percent(
			predictor->branches - predictor->mispredictions, predictor->branches),
		course_percent(predictor->mispredictions, predictor->branches));
}

void
course_predictor_fini(struct course_predictor *predictor)
{
	mem_free(predictor->bimodal);
	mem_free(predictor->gshare);
	mem_free(predictor->chooser);
	memset(predictor, 0, sizeof *predictor);
}
