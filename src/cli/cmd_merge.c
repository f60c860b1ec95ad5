/* SPDX-License-Identifier: MIT */
/* polytrace merge: the traces of several threads or processors as one. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/source.h"
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Inputs for which more threads than one each are of use. */
#define INPUTS_FOR_THREADS 8

/* Answers of --by. */
enum { BY_AUTO, BY_SYNC, BY_TIME };

struct merge_options {
	struct source_options source; /* first: the reading options are in it */
	const char *output, *to, *columns;
	struct opt_list to_options;
	struct opt_number quantum;
	unsigned by, numbering, wait;
	bool schedule, report, force, partial;
};

static const char *const by_words[] = {"auto", "sync", "time", NULL};
static const char *const numbering_words[] = {"auto", "after", "before", NULL};
static const char *const wait_words[] = {"completion", "lower-bound", NULL};

static const struct opt merge_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", NULL, offsetof(struct merge_options, output),
		"write to this file ('-': standard output), compressed as its ending says"},
	{"to", 't', OPT_TEXT, "FORMAT", NULL, offsetof(struct merge_options, to),
		"write this format, whatever the ending of OUT says"},
	{"to-option", 'T', OPT_LIST, "NAME=VALUE", NULL,
		offsetof(struct merge_options, to_options),
		"set an option of the format that is written"},
	{"columns", 'c', OPT_TEXT, "A,B,...", NULL, offsetof(struct merge_options, columns),
		"write only these columns, in formats that hold any"},
	{"by", 0, OPT_CHOICE, "auto|sync|time", by_words, offsetof(struct merge_options, by),
		"merge by records of synchronisation or by time (default: what they have)"},
	{"numbering", 0, OPT_CHOICE, "auto|after|before", numbering_words,
		offsetof(struct merge_options, numbering),
		"a signal carries the count after or before itself (default: found out)"},
	{"wait", 0, OPT_CHOICE, "completion|lower-bound", wait_words,
		offsetof(struct merge_options, wait),
		"a wait carries the count when it was done (the default), or a lower bound"},
	{"quantum", 'q', OPT_NUMBER, "N", NULL, offsetof(struct merge_options, quantum),
		"give another thread its turn after N records; 0 (the default): when one can't "
		"go on"},
	{"force", 0, OPT_FLAG, NULL, NULL, offsetof(struct merge_options, force),
		"go on where the records contradict each other"},
	{"schedule", 0, OPT_FLAG, NULL, NULL, offsetof(struct merge_options, schedule),
		"print the order: thread, first record, records, why it could go on"},
	{"report", 0, OPT_FLAG, NULL, NULL, offsetof(struct merge_options, report),
		"print what the order tells: locks, contention, possible deadlocks and races"},
	{"partial", 0, OPT_FLAG, NULL, NULL, offsetof(struct merge_options, partial),
		"keep what was written before a failure or an interruption"},
	{0},
};

static const struct opt *const merge_tables[] = {
	merge_table, rendering_table, source_table, NULL};

/* An input, in the order of threads. */
struct merged {
	const char *path;
	uint64_t thread;
	struct source source;
	bool open;
};

/* A merge under way. */
struct merging {
	const struct merge_options *options;
	struct source_options reading; /* each input */
	struct merged *inputs;
	size_t count;
	enum poly_merge_by by;
	const struct poly_format_info *target; /* NULL: nothing is written */
	poly_columns columns;		       /* to be written */
	struct poly_merge *merge;
	struct poly_writer *writer;
	struct output *printed; /* standard output */
	uint64_t told;		/* notes */
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The number behind "thread" in a file's name, with or without a mark between; 0: none. */
static uint64_t
number_in_name(const char *path)
{
	const char *at = strstr(base_name(path), "thread");
	if (!at)
		return 0;
	at += strlen("thread");
	at += *at == '_' || *at == '-' || *at == '.';
	if (*at < '0' || *at > '9')
		return 0;
	errno = 0;
	const unsigned long long number = strtoull(at, NULL, 10);
	return errno ? 0 : number;
}

static int
compare_threads(const void *a, const void *b)
{
	const struct merged *x = a, *y = b;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Threads by the names of all files, if each has another number; else by position, from 1. */
static void
number_threads(struct merging *merging)
{
	bool named = true;
	for (size_t i = 0; i < merging->count; i++) {
		struct merged *input = &merging->inputs[i];
		input->thread = number_in_name(input->path);
		named = named && input->thread;
	}
	if (named)
		qsort(merging->inputs, merging->count, sizeof *merging->inputs,
			compare_threads);
	for (size_t i = 1; i < merging->count; i++)
		named = named && merging->inputs[i].thread != merging->inputs[i - 1].thread;
	if (named)
		return;
	for (size_t i = 0; i < merging->count; i++)
		merging->inputs[i].thread = i + 1;
}

static bool
open_input(struct merging *merging, struct merged *input, poly_columns columns)
{
	const struct merge_options *options = merging->options;
	/* Of inputs that are open at the same time the first one shows how far it has come. */
	const bool shows = input == merging->inputs || !merging->inputs->open;
	const bool prints = options->output && strcmp(options->output, "-") == 0;
	const struct source_wants wants = {.columns = columns, .prints = prints || !shows};
	input->open = source_open(&input->source, input->path, &merging->reading, &wants);
	return input->open;
}

/* Closes an input; quiet: what it would tell has been told, or does not matter. */
static int
close_input(struct merged *input, bool quiet)
{
	int status = STATUS_DONE;
	if (input->open && quiet)
		source_drop(&input->source);
	else if (input->open)
		status = source_close(&input->source);
	input->open = false;
	return status;
}

/* What all inputs can be merged by, where that is not asked for. */
static bool
find_by(struct merging *merging)
{
	bool sync = false, time = true;
	for (size_t i = 0; i < merging->count; i++) {
		if (!open_input(merging, &merging->inputs[i], 0))
			return false;
		const struct poly_trace_info *info =
			poly_reader_info(merging->inputs[i].source.reader);
		sync |= (info->columns & POLY_HAS(sync)) != 0;
		time &= (info->columns & POLY_HAS(time)) != 0;
		close_input(&merging->inputs[i], true);
	}
	merging->by = time ? POLY_MERGE_BY_TIME : POLY_MERGE_BY_SYNC;
	if (sync != time)
		return true;
	say("merge", "the traces %s; say with --by what to merge by",
		sync ? "may have records of synchronisation and times"
		     : "have neither records of synchronisation nor times");
	return false;
}

/* True where a file can be read twice. */
static bool
can_be_read_again(const char *path)
{
	struct stat about;
	const bool file =
		strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
	if (!file)
		say(say_input(path), "merging by synchronisation reads its inputs twice, so "
				     "they have to be files; '--by time' reads them once");
	return file;
}

static bool
find_order(struct merging *merging)
{
	const struct merge_options *options = merging->options;
	merging->by = options->by == BY_TIME ? POLY_MERGE_BY_TIME : POLY_MERGE_BY_SYNC;
	for (size_t i = 0; options->by != BY_TIME && i < merging->count; i++) {
		if (!can_be_read_again(merging->inputs[i].path))
			return false;
	}
	if (options->by == BY_AUTO && !find_by(merging))
		return false;
	if (merging->by == POLY_MERGE_BY_SYNC || (!options->schedule && !options->report))
		return true;
	say("merge", "'--schedule' and '--report' are for merging by synchronisation");
	return false;
}

static bool
find_target(struct merging *merging)
{
	const struct merge_options *options = merging->options;
	merging->target = options->to ? poly_format_find(options->to)
				      : poly_format_by_name(options->output, true);
	const struct poly_format_info *target = merging->target;
	const bool plain = strcmp(options->output, "-") == 0;
	if (plain && (options->schedule || options->report))
		say("merge",
			"standard output takes either records or '--schedule' and '--report'");
	else if (plain && !options->to)
		say("merge", "standard output has no ending; name its format with --to");
	else if (!target && options->to)
		say("merge", "there is no format '%s'; 'polytrace formats' lists them",
			options->to);
	else if (!target)
		say("merge", "no format is known by the ending of '%s'; name one with --to",
			options->output);
	else if (options->columns && target->columns != POLY_ALL_COLUMNS)
		say("merge",
			"the records of format '%s' always have the same columns; '--columns' "
			"is for jsonl and csv",
			target->name);
	else
		return !options->columns || source_columns(options->columns, &merging->columns);
	return false;
}

/* Tells an error of the merge; it has no place in a file. */
static int
merge_failed(const struct poly_error *error)
{
	say("merge", "%s", error->message);
	return STATUS_TROUBLE;
}

static int
start_merge(struct merging *merging)
{
	const struct merge_options *given = merging->options;
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	options.by = merging->by;
	options.numbering = (enum poly_merge_numbering)given->numbering;
	options.wait = (enum poly_merge_wait)given->wait;
	options.quantum = given->quantum.value;
	options.force = given->force;
	options.analyse = given->report;
	enum poly_status status = poly_merge_new(&options, &merging->merge, &error);
	for (size_t i = 0; i < merging->count && status == POLY_OK; i++)
		status = poly_merge_add(merging->merge, merging->inputs[i].thread,
			base_name(merging->inputs[i].path), &error);
	return status == POLY_OK ? STATUS_DONE : merge_failed(&error);
}

/* Reads one input for its events. */
static int
learn(struct merging *merging, size_t i)
{
	struct merged *input = &merging->inputs[i];
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status = POLY_OK;
	if (!open_input(merging, input, poly_merge_columns(merging->merge)))
		return STATUS_TROUBLE;
	while (status == POLY_OK && (batch = source_next(&input->source)))
		status = poly_merge_learn(merging->merge, i, batch, &error);
	if (status != POLY_OK) {
		close_input(input, true);
		return merge_failed(&error);
	}
	return close_input(input, false);
}

/* Tells the notes that have come; under --strict they are failures. */
static int
tell_notes(struct merging *merging)
{
	uint64_t count = 0;
	const char *note;
	poly_merge_note_at(merging->merge, 0, &count);
	const bool any = count > merging->told;
	while (merging->told < count &&
		(note = poly_merge_note_at(merging->merge, (size_t)merging->told, NULL))) {
		say("merge", "%s", note);
		merging->told++;
	}
	if (merging->told < count)
		say("merge", "and %llu more like these",
			(unsigned long long)(count - merging->told));
	merging->told = count;
	return any && merging->options->source.strict ? STATUS_TROUBLE : STATUS_DONE;
}

static int
learn_all(struct merging *merging)
{
	struct poly_error error;
	int status = STATUS_DONE;
	for (size_t i = 0; i < merging->count && status != STATUS_TROUBLE; i++)
		status = learn(merging, i);
	if (status == STATUS_TROUBLE)
		return status;
	if (poly_merge_settle(merging->merge, &error) != POLY_OK)
		return merge_failed(&error);
	return tell_notes(merging);
}

/* Adds the order to a report; what it contradicts itself by is told. */
static int
print_schedule(struct merging *merging, struct poly_report *report)
{
	struct poly_merge_run run;
	struct poly_error error;
	enum poly_status status;
	poly_report_table(report, "schedule");
	poly_report_column(report, "thread", true);
	poly_report_column(report, "first", true);
	poly_report_column(report, "records", true);
	poly_report_column(report, "why", false);
	while ((status = poly_merge_next_run(merging->merge, &run, &error)) == POLY_OK) {
		poly_report_cell_count(report, merging->inputs[run.trace].thread);
		poly_report_cell_count(report, run.first);
		poly_report_cell_count(report, run.records);
		poly_report_cell_text(report, run.why);
	}
	poly_report_end(report);
	return status == POLY_END ? STATUS_DONE : merge_failed(&error);
}

/* The columns that are read for what is written and reported. */
static poly_columns
columns_to_read(const struct merging *merging)
{
	poly_columns columns = poly_merge_columns(merging->merge);
	if (merging->by == POLY_MERGE_BY_TIME)
		columns = POLY_HAS(time);
	if (merging->target)
		columns |= poly_writer_columns(merging->writer);
	if (merging->options->report)
		columns |= POLY_HAS(pc) | POLY_HAS(opcode) | POLY_HAS(access) | POLY_HAS(size);
	return columns;
}

static void
tell_loss(const struct merging *merging)
{
	char names[500];
	const struct poly_trace_info *info = poly_merge_info(merging->merge);
	const poly_columns lost = poly_format_loss(info, merging->target, NULL);
	if (!lost)
		return;
	source_column_names(lost, names, sizeof names);
	say(say_output(merging->options->output), "format '%s' cannot hold these columns: %s",
		merging->target->name, names);
}

/* Without a column for it the threads of the merged records would be lost. */
static bool
holds_threads(const struct merging *merging)
{
	const poly_columns thread = POLY_HAS(thread);
	if (!(poly_merge_info(merging->merge)->columns & thread & merging->columns) ||
		merging->target->columns & thread)
		return true;
	say("merge", "format '%s' has no column 'thread' to tell the records of threads apart",
		merging->target->name);
	return false;
}

static int
open_writer(struct merging *merging)
{
	const struct merge_options *given = merging->options;
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_error error;
	if (!holds_threads(merging))
		return STATUS_TROUBLE;
	options.format = given->to ? given->to : merging->target->name;
	options.options = given->to_options.items;
	options.strict = given->source.strict;
	options.columns = merging->columns;
	if (poly_writer_open(given->output, poly_merge_info(merging->merge), &options,
		    &merging->writer, &error) != POLY_OK) {
		say_error(say_output(given->output), &error);
		return STATUS_TROUBLE;
	}
	tell_loss(merging);
	return STATUS_DONE;
}

/* Opens all inputs for the reading that gives the records. */
static int
open_inputs(struct merging *merging)
{
	const poly_columns columns =
		merging->target ? source_written_columns(POLY_ALL_COLUMNS) | POLY_HAS(time)
				: columns_to_read(merging);
	struct poly_error error;
	for (size_t i = 0; i < merging->count; i++) {
		struct merged *input = &merging->inputs[i];
		if (!open_input(merging, input, columns))
			return STATUS_TROUBLE;
		poly_merge_attach(merging->merge, i, input->source.reader);
	}
	if (poly_merge_start(merging->merge, &error) != POLY_OK)
		return merge_failed(&error);
	if (!merging->target)
		return STATUS_DONE;
	const int status = open_writer(merging);
	for (size_t i = 0; status == STATUS_DONE && i < merging->count; i++)
		source_want(&merging->inputs[i].source, columns_to_read(merging));
	return status;
}

/* A reader of standard output that went away is no failure. */
static int
writing_failed(const struct merging *merging, const struct poly_error *error)
{
	const char *output = merging->options->output;
	if (error->sys_errno == EPIPE && strcmp(output, "-") == 0)
		return STATUS_DONE;
	say_error(error->status == POLY_ERR_LOSS ? "merge" : say_output(output), error);
	return STATUS_TROUBLE;
}

/* What ended the merge before its end; that of an input is told with it. */
static int
reading_failed(struct merging *merging, const struct poly_error *error)
{
	const size_t failed = poly_merge_failed(merging->merge);
	if (failed == SIZE_MAX)
		return merge_failed(error);
	merging->inputs[failed].source.status = error->status;
	merging->inputs[failed].source.error = *error;
	source_tell_end(&merging->inputs[failed].source);
	return STATUS_TROUBLE;
}

static void
tell_writer(const struct merging *merging)
{
	const char *note, *output = say_output(merging->options->output);
	uint64_t count;
	for (size_t i = 0; (note = poly_writer_note_at(merging->writer, i, &count)); i++)
		say(output, "%s (%llu time%s)", note, (unsigned long long)count,
			count == 1 ? "" : "s");
}

/* Settles the output after the last record. */
static int
finish_writer(struct merging *merging, int status)
{
	struct poly_error error;
	const bool to_file = strcmp(merging->options->output, "-") != 0;
	if (status != STATUS_DONE && to_file && !merging->options->partial) {
		say(say_output(merging->options->output),
			"not written; --partial keeps what came before");
		return status;
	}
	if (poly_writer_finish(merging->writer, &error) != POLY_OK)
		return writing_failed(merging, &error);
	tell_writer(merging);
	return status;
}

/* Gives the records to whom they are for. */
static int
copy(struct merging *merging)
{
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	while ((status = poly_merge_next(merging->merge, &batch, &error)) == POLY_OK) {
		if (merging->target &&
			poly_writer_write(merging->writer, batch, &error) != POLY_OK)
			return writing_failed(merging, &error);
	}
	int done = status == POLY_END ? STATUS_DONE : reading_failed(merging, &error);
	const int noted = tell_notes(merging);
	done = noted > done ? noted : done;
	return merging->target ? finish_writer(merging, done) : done;
}

/* The reading that gives the records, where they are asked for. */
static int
merge_records(struct merging *merging)
{
	int status = open_inputs(merging);
	if (status == STATUS_DONE)
		status = copy(merging);
	poly_writer_close(merging->writer);
	for (size_t i = 0; i < merging->count; i++) {
		/* By synchronisation the first reading has told what there is to tell. */
		const bool quiet =
			status == STATUS_TROUBLE || merging->by == POLY_MERGE_BY_SYNC;
		const int closed = close_input(&merging->inputs[i], quiet);
		status = closed > status ? closed : status;
	}
	return status;
}

/* Schedule, records and report, as they are asked for. */
static int
merge_settled(struct merging *merging)
{
	const struct merge_options *options = merging->options;
	struct poly_report *report = source_report();
	int status = STATUS_DONE;
	if (options->schedule) {
		status = print_schedule(merging, report);
		if (!options->output && !options->report)
			status = tell_notes(merging) > status ? STATUS_TROUBLE : status;
	}
	if (status == STATUS_DONE && (options->output || options->report))
		status = merge_records(merging);
	if (options->report)
		poly_merge_report(merging->merge, report);
	if (!options->schedule && !options->report) {
		poly_report_free(report);
		return status;
	}
	const int rendered = source_render(report, &options->source, merging->printed);
	return rendered > status ? rendered : status;
}

static int
merge_files(struct merging *merging)
{
	int status = STATUS_TROUBLE;
	if (merging->options->output && !find_target(merging))
		return status;
	number_threads(merging);
	if (!find_order(merging))
		return status;
	status = start_merge(merging);
	if (status == STATUS_DONE && merging->by == POLY_MERGE_BY_SYNC)
		status = learn_all(merging);
	if (status == STATUS_DONE)
		status = merge_settled(merging);
	poly_merge_free(merging->merge);
	return status;
}

static int
merge_operands(const struct merge_options *options, char **operands)
{
	struct merging merging = {
		.options = options, .reading = options->source, .columns = POLY_ALL_COLUMNS};
	while (operands[merging.count])
		merging.count++;
	/* Many inputs that are open at the same time need no more threads each. */
	if (merging.count > INPUTS_FOR_THREADS && !merging.reading.threads.value)
		merging.reading.threads = (struct opt_number){true, 1};
	merging.inputs = say_allocate(merging.count, sizeof *merging.inputs);
	for (size_t i = 0; i < merging.count; i++)
		merging.inputs[i].path = operands[i];
	merging.printed = output_new();
	int status = merge_files(&merging);
	const int printed = output_finish(merging.printed);
	free(merging.inputs);
	return printed > status ? printed : status;
}

static int
merge_run(void *fields, char **operands)
{
	const struct merge_options *options = fields;
	if (!source_rendering_sound(&options->source))
		return STATUS_TROUBLE;
	if (!operands[0])
		say("merge", "no input: name a file, or '-' for standard input, for each "
			     "thread or processor");
	else if (!options->output && !options->schedule && !options->report)
		say("merge", "nothing to do: name an output with -o, or ask for --schedule or "
			     "--report");
	else
		return merge_operands(options, operands);
	return STATUS_TROUBLE;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "merge the traces of threads or processors into one",
	.usage = "[options] FILE...",
	.options = merge_tables,
	.options_size = sizeof(struct merge_options),
	.run = merge_run,
};
