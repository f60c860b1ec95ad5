/* SPDX-License-Identifier: MIT */
/* polytrace merge: merges per-thread or per-processor traces into one. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/print/diagnostics.h"
#include "cli/files/trace_output.h"
#include "cli/print/term.h"
#include "cli/print/rendering.h"
#include "cli/options/column_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Maximum number of inputs that are decoded by more than one thread each. */
#define INPUTS_FOR_THREADS 8

/* Values of --by. */
enum { BY_AUTO, BY_SYNC, BY_TIME };

struct merge_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output, *to, *columns;
	struct opt_list to_options;
	struct opt_number quantum;
	unsigned by, numbering, wait;
	bool schedule, report, force, accepts_contradictions;
};

static const char *const by_words[] = {"auto", "sync", "time", NULL};
static const char *const numbering_words[] = {"auto", "after", "before", NULL};
static const char *const wait_words[] = {"completion", "lower-bound", NULL};

#define FIELD(member) .field = offsetof(struct merge_options, member)

static const struct opt merge_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to OUT ('-': standard output), compressed by its extension"},
	OUTPUT_FORCE_OPTION(offsetof(struct merge_options, force)),
	{"to", 't', OPT_TEXT, "FORMAT", FIELD(to),
		.help = "set the output format (default: by the extension of OUT)"},
	{"to-option", 'T', OPT_LIST, "NAME=VALUE", FIELD(to_options),
		.help = "set an option of the output format"},
	{"columns", 'c', OPT_TEXT, "A,B,...", FIELD(columns),
		.help = "write only these columns, in formats that hold any"},
	{"by", 0, OPT_CHOICE, "auto|sync|time", .choices = by_words, FIELD(by),
		.help = "merge by synchronization records or by time (default: what the traces "
			"have)"},
	{"numbering", 0, OPT_CHOICE, "auto|after|before", .choices = numbering_words,
		FIELD(numbering),
		.help = "numbering of signals: the count after or before each signal (default "
			"auto: detected)"},
	{"wait", 0, OPT_CHOICE, "completion|lower-bound", .choices = wait_words, FIELD(wait),
		.help = "count of waits: at completion (default), or a lower bound of it"},
	{"quantum", 'q', OPT_NUMBER, "N", FIELD(quantum),
		.help = "switch threads after N records (default 0: only when a thread "
			"blocks)"},
	{"accept-contradictions", FIELD(accepts_contradictions),
		.help = "continue if the records contradict each other"},
	{"schedule", FIELD(schedule),
		.help = "print the order: thread, first record, records, reason"},
	{"report", FIELD(report),
		.help = "print locks, contention, potential deadlocks and races"},
	{0},
};

static const struct opt *const merge_tables[] = {
	merge_table, rendering_table, one_table_table, bounds_table, input_table, NULL};

/* An input, in the order of threads. */
struct merged {
	const char *path;
	uint64_t thread;
	struct command_input source;
	bool open;
};

/* State of a merge. */
struct merge_job {
	const struct merge_options *options;
	struct input_options reading; /* for each input */
	struct merged *inputs;
	size_t count;
	enum poly_merge_by by;
	const struct poly_format_info *target; /* NULL: no output */
	poly_columns columns;		       /* to write */
	struct poly_merge *merge;
	struct trace_output output;
	struct output *printed; /* standard output */
	uint64_t printed_notes; /* number */
	bool has_skipped;	/* corrupt data, when events were read */
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Returns the number after "thread" in a file name, possibly with a separator between; 0: none.
 */
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

/* Numbers the threads by the file names, if these have distinct numbers, else by position
 * from 1. */
static void
number_threads(struct merge_job *job)
{
	bool named = true;
	for (size_t i = 0; i < job->count; i++) {
		struct merged *input = &job->inputs[i];
		input->thread = number_in_name(input->path);
		named = named && input->thread;
	}
	if (named)
		qsort(job->inputs, job->count, sizeof *job->inputs, compare_threads);
	for (size_t i = 1; i < job->count; i++)
		named = named && job->inputs[i].thread != job->inputs[i - 1].thread;
	if (named)
		return;
	for (size_t i = 0; i < job->count; i++)
		job->inputs[i].thread = i + 1;
}

static bool
open_input(struct merge_job *job, struct merged *input, poly_columns columns)
{
	const struct merge_options *options = job->options;
	/* Of simultaneously open inputs only the first one shows progress. */
	const bool shows = input == job->inputs || !job->inputs->open;
	const bool prints = options->output && strcmp(options->output, "-") == 0;
	const struct input_needs wants = {
		.columns = columns, .repairs = true, .prints = prints || !shows};
	input->open = input_open(&input->source, input->path, &job->reading, &wants);
	return input->open;
}

/* Closes an input; quiet: without messages. */
static int
close_input(struct merged *input, bool quiet)
{
	int status = STATUS_DONE;
	if (input->open && quiet)
		input_discard(&input->source);
	else if (input->open)
		status = input_close(&input->source);
	input->open = false;
	return status;
}

/* Detects what all inputs can be merged by. */
static bool
detect_by(struct merge_job *job)
{
	bool sync = false, time = true;
	for (size_t i = 0; i < job->count; i++) {
		if (!open_input(job, &job->inputs[i], POLY_NO_COLUMNS))
			return false;
		const struct poly_trace_info *info =
			poly_reader_info(job->inputs[i].source.reader);
		sync |= POLY_HAS(info->columns, sync);
		time &= POLY_HAS(info->columns, time);
		close_input(&job->inputs[i], true);
	}
	job->by = time ? POLY_MERGE_BY_TIME : POLY_MERGE_BY_SYNC;
	if (sync != time)
		return true;
	diag_print("merge", "the traces %s; choose with --by",
		sync ? "can have synchronization records and times"
		     : "have neither synchronization records nor times");
	return false;
}

/* True if a file can be read twice. */
static bool
can_be_read_again(const char *path)
{
	struct stat about;
	const bool file =
		strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
	if (!file)
		diag_print(diag_input_name(path),
			"merging by synchronization reads the inputs twice, so "
			"they must be files; '--by time' reads them once");
	return file;
}

static bool
find_order(struct merge_job *job)
{
	const struct merge_options *options = job->options;
	job->by = options->by == BY_TIME ? POLY_MERGE_BY_TIME : POLY_MERGE_BY_SYNC;
	for (size_t i = 0; options->by != BY_TIME && i < job->count; i++) {
		if (!can_be_read_again(job->inputs[i].path))
			return false;
	}
	if (options->by == BY_AUTO && !detect_by(job))
		return false;
	if (job->by == POLY_MERGE_BY_SYNC || (!options->schedule && !options->report))
		return true;
	diag_print("merge", "'--schedule' and '--report' require merging by synchronization");
	return false;
}

static bool
find_target(struct merge_job *job)
{
	const struct merge_options *options = job->options;
	job->target = options->to ? poly_format_find(options->to)
				  : poly_format_by_name(options->output, true);
	const struct poly_format_info *target = job->target;
	const bool plain = strcmp(options->output, "-") == 0;
	if (plain && (options->schedule || options->report))
		diag_print("merge",
			"standard output cannot have both records and '--schedule' or "
			"'--report'");
	else if (plain && !options->to)
		diag_print("merge", "no output format for standard output; set it with --to");
	else if (!target && options->to)
		diag_print("merge", "unknown format '%s'; 'polytrace formats' lists them",
			options->to);
	else if (!target)
		diag_print("merge", "no format for the extension of '%s'; set it with --to",
			options->output);
	else if (options->columns && !poly_columns_equal(target->columns, POLY_ALL_COLUMNS))
		diag_print("merge",
			"format '%s' has fixed columns; '--columns' applies to jsonl and csv "
			"only",
			target->name);
	else
		return !options->columns || columns_parse(options->columns, &job->columns);
	return false;
}

/* Prints an error of the merge, which has no position in a file. */
static int
merge_failed(const struct poly_error *error)
{
	diag_print("merge", "%s", error->message);
	return STATUS_ERROR;
}

static int
start_merge(struct merge_job *job)
{
	const struct merge_options *requested = job->options;
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	options.by = job->by;
	options.numbering = (enum poly_merge_numbering)requested->numbering;
	options.wait = (enum poly_merge_wait)requested->wait;
	options.quantum = requested->quantum.value;
	options.force = requested->accepts_contradictions;
	options.analyse = requested->report;
	enum poly_status status = poly_merge_new(&options, &job->merge, &error);
	for (size_t i = 0; i < job->count && status == POLY_OK; i++)
		status = poly_merge_add(job->merge, job->inputs[i].thread,
			base_name(job->inputs[i].path), &error);
	return status == POLY_OK ? STATUS_DONE : merge_failed(&error);
}

/* Reads the events of one input. */
static int
read_events(struct merge_job *job, size_t i)
{
	struct merged *input = &job->inputs[i];
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status = POLY_OK;
	if (!open_input(job, input, poly_merge_columns(job->merge)))
		return STATUS_ERROR;
	while (status == POLY_OK && (batch = input_next(&input->source)))
		status = poly_merge_read_events(job->merge, i, batch, &error);
	if (status != POLY_OK) {
		close_input(input, true);
		return merge_failed(&error);
	}
	const int closed = close_input(input, false);
	job->has_skipped |= input->source.has_skipped;
	return closed;
}

/* Prints new notes; with --strict they are failures. */
static int
print_notes(struct merge_job *job)
{
	uint64_t count = 0;
	const char *note;
	poly_merge_note_at(job->merge, 0, &count);
	const bool any = count > job->printed_notes;
	while (job->printed_notes < count &&
		(note = poly_merge_note_at(job->merge, (size_t)job->printed_notes, NULL))) {
		diag_print("merge", "%s", note);
		job->printed_notes++;
	}
	if (job->printed_notes < count)
		diag_print("merge", "%llu more notes",
			(unsigned long long)(count - job->printed_notes));
	job->printed_notes = count;
	return any && job->options->source.strict ? STATUS_ERROR : STATUS_DONE;
}

static int
read_all_events(struct merge_job *job)
{
	struct poly_error error;
	int status = STATUS_DONE;
	for (size_t i = 0; i < job->count && status != STATUS_ERROR; i++)
		status = read_events(job, i);
	if (status == STATUS_ERROR)
		return status;
	if (poly_merge_resolve(job->merge, &error) != POLY_OK)
		return merge_failed(&error);
	return print_notes(job);
}

/* Adds the order to a report; prints a contradiction. */
static int
print_schedule(struct merge_job *job, struct poly_report *report)
{
	struct poly_merge_run run;
	struct poly_error error;
	enum poly_status status;
	poly_report_table(report, "schedule");
	poly_report_column(report, "thread", true);
	poly_report_column(report, "first_record", true);
	poly_report_column(report, "records", true);
	poly_report_column(report, "reason", false);
	while ((status = poly_merge_next_run(job->merge, &run, &error)) == POLY_OK) {
		poly_report_cell_count(report, job->inputs[run.trace].thread);
		poly_report_cell_count(report, run.first);
		poly_report_cell_count(report, run.records);
		poly_report_cell_text(report, run.why);
	}
	poly_report_end(report);
	return status == POLY_END ? STATUS_DONE : merge_failed(&error);
}

/* Returns the columns to read for the output and the report. */
static poly_columns
columns_to_read(const struct merge_job *job)
{
	poly_columns columns = poly_merge_columns(job->merge);
	if (job->by == POLY_MERGE_BY_TIME)
		columns = POLY_COLUMNS(time);
	if (job->target)
		columns = poly_columns_union(columns, poly_writer_columns(job->output.writer));
	if (job->options->report)
		columns = poly_columns_union(columns, POLY_COLUMNS(pc, opcode, access, size));
	return columns;
}

static void
print_loss(const struct merge_job *job)
{
	char names[500];
	const struct poly_trace_info *info = poly_merge_info(job->merge);
	const poly_columns lost = poly_format_loss(info, job->target, NULL);
	if (poly_columns_empty(lost))
		return;
	columns_format_names(lost, names, sizeof names);
	diag_print(job->output.name, "format '%s' cannot hold these columns: %s",
		job->target->name, names);
}

static int
open_writer(struct merge_job *job)
{
	const struct merge_options *requested = job->options;
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = requested->to ? requested->to : job->target->name;
	options.options = requested->to_options.items;
	options.strict = requested->source.strict;
	options.overwrite = requested->force;
	options.columns = job->columns;
	options.selected = job->count > 1 || input_is_selected(&requested->source);
	if (!trace_output_open(
		    &job->output, requested->output, poly_merge_info(job->merge), &options))
		return STATUS_ERROR;
	print_loss(job);
	return STATUS_DONE;
}

/* Opens all inputs to read their records. */
static int
open_inputs(struct merge_job *job)
{
	const poly_columns columns =
		job->target ? poly_columns_union(
				      columns_to_write(POLY_ALL_COLUMNS), POLY_COLUMNS(time))
			    : columns_to_read(job);
	struct poly_error error;
	for (size_t i = 0; i < job->count; i++) {
		struct merged *input = &job->inputs[i];
		if (!open_input(job, input, columns) ||
			!input_isas_agree(&input->source, &job->inputs[0].source))
			return STATUS_ERROR;
		const struct poly_source rows = poly_reader_source(input->source.reader);
		poly_merge_set_source(job->merge, i, &rows);
	}
	if (poly_merge_start(job->merge, &error) != POLY_OK)
		return merge_failed(&error);
	if (!job->target)
		return STATUS_DONE;
	const int status = open_writer(job);
	for (size_t i = 0; status == STATUS_DONE && i < job->count; i++)
		input_plan(&job->inputs[i].source, columns_to_read(job), INPUT_READS);
	return status;
}

/* Prints a failure of the merge; that of an input with its name. */
static int
reading_failed(struct merge_job *job, const struct poly_error *error)
{
	const size_t failed = poly_merge_failed(job->merge);
	if (failed == SIZE_MAX)
		return merge_failed(error);
	job->inputs[failed].source.status = error->status;
	job->inputs[failed].source.error = *error;
	input_print_end(&job->inputs[failed].source);
	return STATUS_ERROR;
}

/* Completes the output after the last record. */
static int
finish_writer(struct merge_job *job, int status)
{
	if (status != STATUS_DONE && job->output.is_file && !job->options->source.partial) {
		diag_print(job->output.name, "output discarded; use --partial to keep "
					     "the records before the failure");
		return status;
	}
	const int finished = trace_output_finish(&job->output, "merge");
	return finished > status ? finished : status;
}

/* Writes and analyses the merged records. */
static int
write_records(struct merge_job *job)
{
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	while ((status = poly_merge_next(job->merge, &batch, &error)) == POLY_OK) {
		if (job->target &&
			poly_writer_write(job->output.writer, batch, &error) != POLY_OK)
			return trace_output_failed(&job->output, "merge", &error);
	}
	int done = status == POLY_END ? STATUS_DONE : reading_failed(job, &error);
	const int noted = print_notes(job);
	done = noted > done ? noted : done;
	return job->target ? finish_writer(job, done) : done;
}

/* Reads the inputs to write and analyse their records. */
static int
merge_records(struct merge_job *job)
{
	int status = open_inputs(job);
	if (status == STATUS_DONE)
		status = write_records(job);
	trace_output_close(&job->output);
	for (size_t i = 0; i < job->count; i++) {
		/* By synchronisation the first reading has printed the messages. */
		const bool quiet = status == STATUS_ERROR || job->by == POLY_MERGE_BY_SYNC;
		const int closed = close_input(&job->inputs[i], quiet);
		status = closed > status ? closed : status;
	}
	return status;
}

/* Produces schedule, records and report, as requested. */
static int
merge_resolved(struct merge_job *job)
{
	const struct merge_options *options = job->options;
	struct poly_report *report = report_new();
	int status = STATUS_DONE;
	if (options->schedule) {
		status = print_schedule(job, report);
		if (!options->output && !options->report)
			status = print_notes(job) > status ? STATUS_ERROR : status;
	}
	if (status == STATUS_DONE && (options->output || options->report))
		status = merge_records(job);
	if (options->report)
		poly_merge_report(job->merge, report);
	if (!options->schedule && !options->report) {
		poly_report_free(report);
		return status;
	}
	const int rendered = report_render(report, &options->source, job->printed);
	return rendered > status ? rendered : status;
}

static int
merge_files(struct merge_job *job)
{
	int status = STATUS_ERROR;
	if (job->options->output && !find_target(job))
		return status;
	number_threads(job);
	if (!find_order(job))
		return status;
	status = start_merge(job);
	if (status == STATUS_DONE && job->by == POLY_MERGE_BY_SYNC)
		status = read_all_events(job);
	if (status == STATUS_DONE)
		status = merge_resolved(job);
	poly_merge_free(job->merge);
	return status == STATUS_DONE && job->has_skipped ? STATUS_NEGATIVE : status;
}

static int
merge_operands(const struct merge_options *options, char **operands)
{
	struct merge_job job = {.options = options,
		.reading = options->source,
		.columns = POLY_ALL_COLUMNS_INIT};
	while (operands[job.count])
		job.count++;
	/* Many simultaneously open inputs use one thread each. */
	if (job.count > INPUTS_FOR_THREADS && !job.reading.threads.value)
		job.reading.threads = (struct opt_number){true, 1};
	job.inputs = diag_allocate(job.count, sizeof *job.inputs);
	for (size_t i = 0; i < job.count; i++)
		job.inputs[i].path = operands[i];
	job.printed = output_new();
	int status = merge_files(&job);
	const int printed = output_finish(job.printed);
	free(job.inputs);
	return printed > status ? printed : status;
}

static int
merge_run(void *fields, char **operands)
{
	const struct merge_options *options = fields;
	const struct output_policy policy = {
		options->force, operands, {options->source.symbols}};
	if (!rendering_is_valid(&options->source))
		return STATUS_ERROR;
	if (!operands[0])
		diag_print("merge",
			"no input files; name one, or '-' for standard input, for each "
			"thread or processor");
	else if (!options->output && !options->schedule && !options->report)
		diag_print("merge", "no output; use -o, --schedule or --report");
	else if (output_is_allowed(&policy, options->output))
		return merge_operands(options, operands);
	return STATUS_ERROR;
}

const struct command command_merge = {
	.name = "merge",
	.group = GROUP_CONVERT,
	.summary = "merge per-thread or per-processor traces into one",
	.usage = "[options] FILE...",
	.examples = {"polytrace merge --schedule trace.tt6",
		"polytrace merge --report trace.tt6"},
	.options = merge_tables,
	.options_size = sizeof(struct merge_options),
	.run = merge_run,
};
