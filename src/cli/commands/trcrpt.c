/* SPDX-License-Identifier: MIT */
/* polytrace trcrpt: formats reports of AIX traces, with the options of AIX's trcrpt. */
#include "polytrace/byte_output.h"
#include "polytrace/polytrace.h"
#include "polytrace/trcrpt.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"
#include "cli/files/trcrpt_inputs.h"
#include "cli/print/rendering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* AIX's default trace file. */
#define DEFAULT_TRACE "/var/adm/ras/trcfile"

struct trcrpt_options {
	const char *cpus, *only, *only_groups, *except, *except_groups, *start, *end;
	const char *processes, *threads, *templates, *names, *output, *wpars, *mode, *length;
	const char *match, *where, *date, *groups, *from;
	struct opt_list settings, data;
	bool force, check, list_groups, no_header, list_labels, merge, raw, verbose, extended;
	bool json, csv, csv_safe, wall, summary;
	unsigned color, on_error;
	bool partial;
	struct opt_number decoders;
};

#define FIELD(name) .field = offsetof(struct trcrpt_options, name)

static const struct opt trcrpt_table[] = {
	{"option", 'O', OPT_LIST, "NAME=VALUE,...", FIELD(settings),
		.help = "set options of the report, or of the input format"},
	{"hooks", 'd', OPT_TEXT, "LIST", FIELD(only),
		.help = "select these hooks: hh, hhh or hhhh, separated by commas"},
	{"not-hooks", 'k', OPT_TEXT, "LIST", FIELD(except), .help = "exclude these hooks"},
	{"event-groups", 'D', OPT_TEXT, "LIST", FIELD(only_groups),
		.help = "select the hooks of these groups, which --groups defines"},
	{"not-event-groups", 'K', OPT_TEXT, "LIST", FIELD(except_groups),
		.help = "exclude the hooks of these groups"},
	{"groups", 0, OPT_TEXT, "FILE", FIELD(groups),
		.help = "read event groups, one per line: 'NAME: hook,hook'"},
	{"list-groups", 'G', FIELD(list_groups), .help = "print the groups of --groups"},
	{"processes", 'p', OPT_TEXT, "LIST", FIELD(processes),
		.help = "select these processes: ids, or names of programs"},
	{"threads", 'T', OPT_TEXT, "LIST", FIELD(threads),
		.help = "select these threads; with a leading '!' exclude them"},
	{"start", 's', OPT_TEXT, "DATE", FIELD(start),
		.help = "exclude events before mmddhhmmssyy"},
	{"end", 'e', OPT_TEXT, "DATE", FIELD(end), .help = "exclude events after mmddhhmmssyy"},
	{"match", 0, OPT_TEXT, "TEXT", FIELD(match),
		.help = "select events whose text has a line that contains TEXT"},
	{"where", 'w', OPT_TEXT, "EXPR", FIELD(where),
		.help = "select events that match: 'hook == 0x1340 and thread > 9'; see "
			"polytrace-filter(7)"},
	{"data", 0, OPT_LIST, "N=VALUE", FIELD(data),
		.help = "select events whose data word N is VALUE; repeatable"},
	{"cpus", 'C', OPT_TEXT, "LIST|all", FIELD(cpus),
		.help = "also read the files of these CPUs: FILE-0, FILE-1 ..."},
	{"merge", 'm', FIELD(merge), .help = "merge several files by time"},
	{"templates", 't', OPT_TEXT, "FILE", FIELD(templates),
		.help = "read templates from FILE (default: the built-in ones)"},
	{"names", 'n', OPT_TEXT, "FILE", FIELD(names),
		.help = "read names of addresses from FILE, as trcnm prints them"},
	{"date", 0, OPT_TEXT, "DATE", FIELD(date),
		.help = "set the date of the first event: 'YYYY-MM-DD hh:mm:ss'"},
	{"wall", FIELD(wall), .help = "print the time of day"},
	{"no-header", 'h', FIELD(no_header),
		.help = "do not print metadata and headings (as on AIX; --help prints help)"},
	{"extended", 'x', FIELD(extended), .help = "same as '-O exec=on,svc=on'"},
	{"output", 'o', OPT_TEXT, "FILE", FIELD(output),
		.help = "write to FILE (default: standard output)"},
	OUTPUT_FORCE_OPTION(offsetof(struct trcrpt_options, force)),
	{"raw", 'r', FIELD(raw), .help = "write the selected events as a raw trace"},
	{"check", 'c', FIELD(check), .help = "validate the templates and exit"},
	{"labels", 'j', FIELD(list_labels), .help = "list hooks and labels"},
	{"summary", FIELD(summary),
		.help = "print statistics of hooks, processes, calls, locks and interrupts"},
	{"json", FIELD(json), .help = "print JSON Lines"},
	{"csv", FIELD(csv), .help = "print CSV"},
	{"csv-safe", FIELD(csv_safe),
		.help = "print CSV whose texts that spreadsheets would execute begin with an "
			"apostrophe"},
	{"color", 0, OPT_CHOICE, "auto|always|never", .choices = term_colors, FIELD(color),
		.help = "auto (the default): colors on a terminal, unless NO_COLOR is set"},
	{"verbose", 'v', FIELD(verbose), .help = "print the names of files that are read"},
	{"from", 'f', OPT_TEXT, "FORMAT", FIELD(from),
		.help = "set the input format (default: detected, else aix; of standard input: "
			"aix)"},
	{"on-error", 0, OPT_CHOICE, "stop|skip", .choices = opt_on_error, FIELD(on_error),
		.help = "on corrupt input: stop (default), or resynchronize at the next valid "
			"event"},
	{"partial", FIELD(partial),
		.help = "accept truncated input: keep the records before its end, and exit "
			"with status 0"},
	{"decoders", 0, OPT_NUMBER, "N", .choices = opt_threads, FIELD(decoders),
		.help = "number of threads that decode and format (default 0: one per CPU, at "
			"most 16)"},
	{"wpars", '@', OPT_TEXT, "LIST", FIELD(wpars),
		.help = "select workload partitions (not supported)"},
	{"lmt", 'M', OPT_TEXT, "common|rare|all[:DIR]", FIELD(mode),
		.help = "report lightweight memory traces (not supported: their layout is not "
			"published)"},
	{"components", 'l', OPT_TEXT, "LIST", FIELD(length),
		.help = "report the logs of components (not supported: their layout is not "
			"published)"},
	{"help", 0, OPT_HELP, .help = "print this help and exit"},
	{0},
};

static const struct opt *const trcrpt_tables[] = {trcrpt_table, NULL};

/* State of the command. */
struct trcrpt_job {
	const struct trcrpt_options *options;
	struct input_options reading;
	struct poly_trcrpt_options report;
	const char **settings; /* of the report, NULL at the end */
	size_t setting_count;
	const char **reader_settings;
	size_t reader_setting_count;
	char *items;		    /* storage of their strings */
	const char *hooks, *errnos; /* files of aix.hooks, aix.errno */
	bool left_to_right;	    /* aix.expr=ltr */
	struct poly_templates *templates;
	struct traces traces;
	struct output *output;	       /* standard output; NULL: a file */
	struct poly_byte_output *file; /* of -o */
	int failure;		       /* errno of the first failed write */
};

/* True if a setting is an option of the input format. */
static bool
is_of_reader(const char *text, const char *format_name)
{
	const struct poly_format_info *format =
		poly_format_find(format_name ? format_name : "aix");
	size_t n = strcspn(text, "=");
	for (const struct poly_option *o = format ? format->options : NULL; o && o->name; o++) {
		if (strlen(o->name) == n && memcmp(o->name, text, n) == 0)
			return true;
	}
	return false;
}

/* Handles settings of the command: those that name a file, or apply to the templates. */
static bool
set_own(struct trcrpt_job *job, const char *text)
{
	if (strncmp(text, "aix.hooks=", 10) == 0)
		job->hooks = text + 10;
	else if (strncmp(text, "aix.errno=", 10) == 0)
		job->errnos = text + 10;
	else if (strcmp(text, "aix.expr=ltr") == 0 || strcmp(text, "aix.expr=c") == 0)
		job->left_to_right = strcmp(text, "aix.expr=ltr") == 0;
	else
		return false;
	return true;
}

static void
add_setting(struct trcrpt_job *job, const char *text)
{
	const bool own = set_own(job, text);
	/* An expression uses the reader's processes, which depend on the table of hooks, too.
	 */
	if (is_of_reader(text, job->options->from) && (!own || job->options->where))
		job->reader_settings[job->reader_setting_count++] = text;
	else if (!own)
		job->settings[job->setting_count++] = text;
}

/* Splits -x and -O at commas into settings of the report and of the reader. */
static void
split_settings(struct trcrpt_job *job)
{
	const struct opt_list *list = &job->options->settings;
	size_t size = 0, commas = 4;
	for (size_t i = 0; i < list->count; i++) {
		size += strlen(list->items[i]) + 1;
		for (const char *p = list->items[i]; *p; p++)
			commas += *p == ',';
		commas++;
	}
	job->items = diag_allocate(size + 1, 1);
	job->settings = diag_allocate(commas, sizeof *job->settings);
	job->reader_settings = diag_allocate(commas, sizeof *job->reader_settings);
	if (job->options->extended) {
		add_setting(job, "exec=on");
		add_setting(job, "svc=on");
	}
	char *out = job->items;
	for (size_t i = 0; i < list->count; i++) {
		const char *from = list->items[i];
		for (bool rest = true; rest;) {
			size_t n = strcspn(from, ",");
			memcpy(out, from, n);
			if (n)
				add_setting(job, out);
			out += n + 1;
			rest = from[n] != 0;
			from += n + rest;
			from += strspn(from, " ");
		}
	}
}

static const char *
severity_of(const struct poly_rule *rule)
{
	return severity_name(rule->severity);
}

/* Prints a finding of the report. */
static void
print_finding(void *user, const struct poly_rule *rule, uint64_t count, uint16_t hook,
	const char *message)
{
	struct trcrpt_job *job = user;
	char rest[40] = "";
	(void)hook;
	/* The report precedes its findings; if writing it failed, only that is reported. */
	output_flush(job->output);
	if (output_failed(job->output))
		return;
	if (count > 1)
		snprintf(rest, sizeof rest, " (%llu times)", (unsigned long long)count);
	diag_print("trcrpt", "%s %s: %s%s", severity_of(rule), rule->code, message, rest);
}

/* Findings in a template file. Warnings are counted, and printed only by --check. */
struct template_findings {
	const char *name;
	bool all;
	uint64_t errors, warnings;
};

static void
print_template_finding(void *user, const struct poly_template_finding *finding)
{
	struct template_findings *found = user;
	bool error = finding->rule->severity == POLY_ERROR;
	found->errors += error;
	found->warnings += finding->rule->severity == POLY_WARNING;
	if (!error && !found->all)
		return;
	struct poly_error position = {.offset = POLY_NO_OFFSET, .line = finding->line};
	snprintf(position.message, sizeof position.message, "column %llu: %s %s: %s",
		(unsigned long long)finding->column, severity_of(finding->rule),
		finding->rule->code, finding->message);
	diag_error(found->name, &position);
}

/* Loads the templates; false, after a message, on failure. */
static bool
load_templates(struct trcrpt_job *job)
{
	const char *path = job->options->templates;
	struct template_findings found = {
		path ? path : "built-in templates", job->options->check, 0, 0};
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	struct poly_error error;
	enum poly_status status;
	options.found = print_template_finding;
	options.user = &found;
	options.left_to_right = job->left_to_right;
	options.skips_errors = !job->options->check;
	if (job->options->verbose)
		diag_print(NULL, "reading '%s'", found.name);
	if (path)
		status = poly_templates_load(path, &options, &job->templates, &error);
	else
		status = poly_templates_parse(NULL, 0, &options, &job->templates, &error);
	if (status != POLY_OK && !found.errors)
		diag_error(found.name, &error);
	else if (status == POLY_OK && found.errors)
		diag_print(found.name,
			"%llu template%s skipped; events of %s hook%s are shown as data",
			(unsigned long long)found.errors, found.errors == 1 ? "" : "s",
			found.errors == 1 ? "its" : "their", found.errors == 1 ? "" : "s");
	if (status == POLY_OK && found.warnings && !found.all)
		diag_print(found.name, "%llu warning%s; option '-c' prints %s",
			(unsigned long long)found.warnings, found.warnings == 1 ? "" : "s",
			found.warnings == 1 ? "it" : "them");
	return status == POLY_OK;
}

/* -j: hooks in lower case, and labels. */
static int
list_labels(struct trcrpt_job *job)
{
	struct poly_template_info info;
	for (size_t i = 0; poly_template_at(job->templates, i, &info); i++) {
		char line[600];
		bool wide = info.hook & 15;
		snprintf(line, sizeof line, "%0*x %.500s\n", wide ? 4 : 3,
			(unsigned)(wide ? info.hook : info.hook >> 4),
			info.label + (*info.label == '@'));
		output_text(job->output, line);
	}
	return STATUS_DONE;
}

static int
list_groups(struct trcrpt_job *job)
{
	if (!job->report.groups.text) {
		diag_print("trcrpt", "AIX's event groups are not published; define groups with "
				     "'--groups'");
		return STATUS_ERROR;
	}
	output_write(job->output, job->report.groups.text, job->report.groups.size);
	return STATUS_DONE;
}

/* A poly_write_fn for the file of -o, or standard output. */
static int
write_report(void *user, const void *data, size_t size)
{
	struct trcrpt_job *job = user;
	int number = 0;
	if (!job->file)
		number = output_write(job->output, data, size);
	else
		number = poly_byte_output_write(job->file, data, size);
	if (number && !job->failure)
		job->failure = number;
	return number;
}

static int
check_interrupt(void *user)
{
	(void)user;
	return progress_interrupted();
}

/* Reports a failure, at the input that caused it. */
static int
failed(struct trcrpt_job *job, const struct poly_trcrpt *report, const struct poly_error *error)
{
	size_t input = poly_trcrpt_failed(report);
	if (job->failure)
		return STATUS_DONE; /* reported with the output */
	if (error->status == POLY_ERR_CANCELLED)
		input = 0;
	if (input < job->traces.count) {
		traces_failed(&job->traces, input, error);
		return STATUS_DONE; /* reported with the input */
	}
	diag_error("trcrpt", error);
	return STATUS_ERROR;
}

static int
write_summary(struct trcrpt_job *job, struct poly_trcrpt *report)
{
	const struct poly_trcrpt_inputs inputs = traces_inputs(&job->traces);
	const struct poly_sink sink = {write_report, job};
	struct poly_report *tree = report_new();
	struct poly_error error;
	int result = STATUS_DONE;
	if (poly_trcrpt_summary(report, &inputs, tree, &error) != POLY_OK)
		result = failed(job, report, &error);
	if (poly_report_render(tree, rendering_of_options(&job->reading), &sink, &error) !=
			POLY_OK &&
		!job->failure) {
		diag_print(NULL, "%s", error.message);
		result = STATUS_ERROR;
	}
	poly_report_free(tree);
	return result;
}

static enum poly_status
write_batch(void *writer, const struct poly_batch *batch, struct poly_error *error)
{
	return poly_writer_write(writer, batch, error);
}

/* -r: writes the rows with the format's writer. */
static int
write_raw(struct trcrpt_job *job, struct poly_trcrpt *report)
{
	const struct poly_trcrpt_inputs inputs = traces_inputs(&job->traces);
	const struct poly_sink sink = {write_report, job};
	const char *container[] = {"aix.container=raw", NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	struct poly_error error;
	options.format = "aix";
	options.options = container;
	enum poly_status status = poly_writer_open_sink(
		&sink, job->traces.inputs[0].info, &options, &writer, &error);
	if (status != POLY_OK) {
		diag_error("trcrpt", &error);
		return STATUS_ERROR;
	}
	int result = STATUS_DONE;
	const struct poly_batch_sink rows = {write_batch, writer};
	if (poly_trcrpt_raw(report, &inputs, &rows, &error) != POLY_OK)
		result = failed(job, report, &error);
	if (poly_writer_finish(writer, &error) != POLY_OK && result == STATUS_DONE &&
		!job->failure) {
		diag_error("trcrpt", &error);
		result = STATUS_ERROR;
	}
	diag_notes("trcrpt", writer);
	poly_writer_close(writer);
	return result;
}

static int
write_events(struct trcrpt_job *job, struct poly_trcrpt *report)
{
	const struct poly_trcrpt_inputs inputs = traces_inputs(&job->traces);
	const struct poly_sink sink = {write_report, job};
	struct poly_error error;
	if (poly_trcrpt_write(report, &inputs, &sink, &error) != POLY_OK)
		return failed(job, report, &error);
	return STATUS_DONE;
}

/* Opens the operands; false, after a message, on failure. */
static bool
open_traces(struct trcrpt_job *job, char **operands)
{
	const struct trcrpt_options *options = job->options;
	bool all_columns = options->raw || options->where;
	job->traces.verbose = options->verbose;
	job->traces.columns = all_columns ? POLY_COLUMNS_EXCEPT(site) : poly_trcrpt_columns();
	char standard_input[] = "-", log[] = DEFAULT_TRACE, *only[] = {NULL, NULL};
	if (!operands[0]) {
		only[0] = access(DEFAULT_TRACE, F_OK) == 0 ? log : standard_input;
		if (only[0] == standard_input && term_input()) {
			diag_print(NULL,
				"no input file; name one, or '-' for standard input ('-h' is "
				"AIX's option "
				"for no header; '--help' prints help)");
			return false;
		}
		operands = only;
	}
	if (operands[1] && !options->merge) {
		diag_print("trcrpt", "several input files; merge them with '-m'");
		return false;
	}
	for (char **path = operands; *path; path++) {
		if (!traces_open(&job->traces, *path, &job->reading))
			return false;
		if (options->cpus &&
			!traces_open_cpus(&job->traces, *path, options->cpus, &job->reading))
			return false;
	}
	return true;
}

static int
write_traces(struct trcrpt_job *job)
{
	struct poly_trcrpt *report;
	struct poly_error error;
	int result;
	if (poly_trcrpt_new(job->templates, &job->report, &report, &error) != POLY_OK) {
		diag_error("trcrpt", &error);
		return STATUS_ERROR;
	}
	if (job->options->summary)
		result = write_summary(job, report);
	else if (job->options->raw)
		result = write_raw(job, report);
	else
		result = write_events(job, report);
	poly_trcrpt_free(report);
	return result;
}

/* Returns whether the file of -o may be written; false: a message was printed. */
static bool
output_is_valid(const struct trcrpt_job *job, char **operands)
{
	const struct trcrpt_options *options = job->options;
	struct output_policy policy = {options->force, operands,
		{options->templates, options->names, options->groups}};
	bool allowed = output_is_allowed(&policy, options->output);
	/* Logs of processors, which are not operands. */
	for (size_t i = 0; i < job->traces.count && allowed; i++) {
		policy.inputs[OUTPUT_POLICY_INPUTS - 1] = job->traces.names[i];
		allowed = output_is_allowed(&policy, options->output);
	}
	return allowed;
}

/* Opens the file of -o; false, after a message, on failure. */
static bool
open_output(struct trcrpt_job *job, char **operands)
{
	const char *path = job->options->output;
	struct poly_error error;
	if (!path || strcmp(path, "-") == 0)
		return !job->options->raw ||
		       output_may_print(poly_format_find("aix"), job->options->force);
	if (!output_is_valid(job, operands))
		return false;
	if (poly_byte_output_open(path, job->options->force, &job->file, &error) == POLY_OK)
		return true;
	diag_error(path, &error);
	return false;
}

/* Completes the output, or discards it if events are missing. */
static int
close_output(struct trcrpt_job *job, bool complete)
{
	struct poly_error error;
	int status = STATUS_DONE;
	if (!job->file)
		return status;
	if (!complete && !job->failure)
		diag_print(job->options->output, "output discarded");
	else if (poly_byte_output_finish(job->file, &error) != POLY_OK) {
		diag_error(job->options->output, &error);
		status = STATUS_ERROR;
	}
	poly_byte_output_close(job->file);
	job->file = NULL;
	return status;
}

static int
report_traces(struct trcrpt_job *job, char **operands)
{
	int result = STATUS_ERROR;
	if (open_traces(job, operands) && open_output(job, operands))
		result = write_traces(job);
	if (job->output)
		output_flush(job->output);
	const int closed = traces_close(&job->traces);
	result = closed > result ? closed : result;
	const int written = close_output(job, result != STATUS_ERROR);
	return written > result ? written : result;
}

static bool
prints_csv(const struct trcrpt_options *options)
{
	return options->csv || options->csv_safe;
}

/* Sets the options of the library. */
static void
fill_options(struct trcrpt_job *job)
{
	const struct trcrpt_options *options = job->options;
	struct poly_trcrpt_options *report = &job->report;
	split_settings(job);
	report->settings = job->settings;
	report->form = options->json	     ? POLY_TRCRPT_JSON
		       : prints_csv(options) ? POLY_TRCRPT_CSV
					     : POLY_TRCRPT_TEXT;
	report->csv_safe = options->csv_safe;
	report->no_header = options->no_header;
	report->wall = options->wall;
	report->color = !options->output && term_colored(options->color);
	report->only = options->only;
	report->except = options->except;
	report->only_groups = options->only_groups;
	report->except_groups = options->except_groups;
	report->processes = options->processes;
	report->threads = options->threads;
	report->start = options->start;
	report->end = options->end;
	report->match = options->match;
	report->where = options->where;
	report->data = options->data.items;
	report->date = options->date;
	report->thread_count = (unsigned)options->decoders.value;
	report->found = print_finding;
	report->progress = check_interrupt;
	report->user = job;
	job->reading.from = options->from;
	job->reading.on_error = options->on_error;
	job->reading.partial = options->partial;
	job->reading.threads = options->decoders;
	job->reading.json = options->json;
	job->reading.csv = options->csv;
	job->reading.csv_safe = options->csv_safe;
	job->reading.options =
		(struct opt_list){job->reader_settings, job->reader_setting_count};
}

/* Checks the combination of options; false, after a message, if it is not valid. */
static bool
options_are_valid(const struct trcrpt_options *options)
{
	const char *missing = NULL;
	if (options->wpars)
		missing = "-@: not supported: the records of workload partitions are not "
			  "published";
	if (options->mode)
		missing = "-M: not supported: the layout of lightweight memory traces is not "
			  "published";
	if (options->length)
		missing = "-l: not supported: the layout of component logs is not published";
	if (missing) {
		diag_print("trcrpt", "%s", missing);
		return false;
	}
	if ((options->only_groups || options->except_groups) && !options->groups) {
		diag_print("trcrpt", "AIX's event groups are not published; define groups with "
				     "'--groups'");
		return false;
	}
	if (options->json && prints_csv(options)) {
		diag_print("trcrpt", "options '--json' and '--csv' exclude each other");
		return false;
	}
	if (options->match && (options->raw || options->summary)) {
		diag_print("trcrpt",
			"option '--match' cannot be combined with '--raw' or '--summary'");
		return false;
	}
	if (options->raw && (options->json || prints_csv(options) || options->summary)) {
		diag_print("trcrpt",
			"option '--raw' cannot be combined with '--json', '--csv' or "
			"'--summary'");
		return false;
	}
	return true;
}

static bool
load_texts(struct trcrpt_job *job)
{
	const struct trcrpt_options *options = job->options;
	return (!job->hooks || trcrpt_read_text(job->hooks, &job->report.hooks)) &&
	       (!job->errnos || trcrpt_read_text(job->errnos, &job->report.errnos)) &&
	       (!options->names || trcrpt_read_text(options->names, &job->report.names)) &&
	       (!options->groups || trcrpt_read_text(options->groups, &job->report.groups));
}

static int
run_job(struct trcrpt_job *job, char **operands)
{
	const struct trcrpt_options *options = job->options;
	if (!options_are_valid(options) || !load_texts(job))
		return STATUS_ERROR;
	if (options->list_groups)
		return list_groups(job);
	if (!load_templates(job))
		return options->check ? STATUS_NEGATIVE : STATUS_ERROR;
	if (options->check)
		return STATUS_DONE;
	return options->list_labels ? list_labels(job) : report_traces(job, operands);
}

/* Frees a text of trcrpt_read_text. */
static void
free_text(struct poly_trcrpt_text *text)
{
	union {
		const char *text;
		char *bytes;
	} owned = {text->text};
	poly_template_text_free(owned.bytes);
}

static int
trcrpt_run(void *fields, char **operands)
{
	struct trcrpt_job job = {.options = fields, .report = POLY_TRCRPT_OPTIONS_INIT};
	job.output = output_new();
	fill_options(&job);
	if (job.options->json || prints_csv(job.options))
		output_quote(job.output);
	int status = run_job(&job, operands);
	int written = output_finish(job.output);
	poly_templates_free(job.templates);
	free_text(&job.report.hooks);
	free_text(&job.report.errnos);
	free_text(&job.report.names);
	free_text(&job.report.groups);
	free(job.settings);
	free(job.reader_settings);
	free(job.items);
	return written > status ? written : status;
}

const struct command command_trcrpt = {
	.name = "trcrpt",
	.group = GROUP_AIX,
	.summary = "format AIX traces as reports, as trcrpt does",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace trcrpt trcfile", "polytrace trcrpt -O exec=on -d 134 trcfile"},
	.options = trcrpt_tables,
	.options_size = sizeof(struct trcrpt_options),
	.run = trcrpt_run,
};
