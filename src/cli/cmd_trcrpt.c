/* SPDX-License-Identifier: MIT */
/* polytrace trcrpt: AIX traces as reports, with the options of the command of that name. */
#include "polytrace/polytrace.h"
#include "polytrace/trcrpt.h"

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/term.h"
#include "cli/trcrpt_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where AIX leaves a trace. */
#define DEFAULT_TRACE "/var/adm/ras/trcfile"

struct trcrpt_options {
	const char *cpus, *only, *only_groups, *except, *except_groups, *start, *end;
	const char *processes, *threads, *templates, *names, *output, *wpars, *mode, *length;
	const char *match, *where, *date, *groups, *from;
	struct opt_list settings, data;
	bool check, list_groups, no_header, list_labels, merge, raw, verbose, extended;
	bool json, csv, wall, summary;
	unsigned color, on_error;
	struct opt_number decoders;
};

#define FIELD(name) offsetof(struct trcrpt_options, name)

static const struct opt trcrpt_table[] = {
	{"option", 'O', OPT_LIST, "NAME=VALUE,...", NULL, FIELD(settings),
		"settings of the report, or of the format read"},
	{"hooks", 'd', OPT_TEXT, "LIST", NULL, FIELD(only),
		"only these hooks: hh, hhh or hhhh, commas between"},
	{"not-hooks", 'k', OPT_TEXT, "LIST", NULL, FIELD(except), "all but these hooks"},
	{"event-groups", 'D', OPT_TEXT, "LIST", NULL, FIELD(only_groups),
		"only the hooks of these groups, which --groups defines"},
	{"not-event-groups", 'K', OPT_TEXT, "LIST", NULL, FIELD(except_groups),
		"all but the hooks of these groups"},
	{"groups", 0, OPT_TEXT, "FILE", NULL, FIELD(groups),
		"event groups, a line each: 'NAME: hook,hook'"},
	{"list-groups", 'G', OPT_FLAG, NULL, NULL, FIELD(list_groups),
		"print the groups of --groups"},
	{"processes", 'p', OPT_TEXT, "LIST", NULL, FIELD(processes),
		"only these processes: numbers, or names of programs"},
	{"threads", 'T', OPT_TEXT, "LIST", NULL, FIELD(threads),
		"only these threads; with a leading '!' all others"},
	{"start", 's', OPT_TEXT, "DATE", NULL, FIELD(start),
		"nothing earlier than mmddhhmmssyy"},
	{"end", 'e', OPT_TEXT, "DATE", NULL, FIELD(end), "nothing later than mmddhhmmssyy"},
	{"match", 0, OPT_TEXT, "TEXT", NULL, FIELD(match),
		"only events with this in a line of their text"},
	{"where", 'w', OPT_TEXT, "EXPR", NULL, FIELD(where),
		"only events for which this holds: 'hook == 0x1340 and thread > 9'; see "
		"polytrace-filter(7)"},
	{"data", 0, OPT_LIST, "N=VALUE", NULL, FIELD(data),
		"only events whose data word N is VALUE; may be given often"},
	{"cpus", 'C', OPT_TEXT, "LIST|all", NULL, FIELD(cpus),
		"read the files of these cpus too: FILE-0, FILE-1 ..."},
	{"merge", 'm', OPT_FLAG, NULL, NULL, FIELD(merge),
		"merge several files in order of time"},
	{"templates", 't', OPT_TEXT, "FILE", NULL, FIELD(templates),
		"templates; else the built-in ones"},
	{"names", 'n', OPT_TEXT, "FILE", NULL, FIELD(names),
		"names of addresses, as trcnm prints them"},
	{"date", 0, OPT_TEXT, "DATE", NULL, FIELD(date),
		"date of the first event: 'YYYY-MM-DD hh:mm:ss'"},
	{"wall", 0, OPT_FLAG, NULL, NULL, FIELD(wall), "print the time of day"},
	{"no-header", 'h', OPT_FLAG, NULL, NULL, FIELD(no_header),
		"print neither facts of the trace nor headings"},
	{"extended", 'x', OPT_FLAG, NULL, NULL, FIELD(extended), "as '-O exec=on,svc=on'"},
	{"output", 'o', OPT_TEXT, "FILE", NULL, FIELD(output), "write there"},
	{"raw", 'r', OPT_FLAG, NULL, NULL, FIELD(raw), "write the events as they are"},
	{"check", 'c', OPT_FLAG, NULL, NULL, FIELD(check), "only check the templates"},
	{"labels", 'j', OPT_FLAG, NULL, NULL, FIELD(list_labels), "list hooks and labels"},
	{"summary", 0, OPT_FLAG, NULL, NULL, FIELD(summary),
		"print statistics of hooks, processes, calls, locks and interrupts"},
	{"json", 0, OPT_FLAG, NULL, NULL, FIELD(json), "print JSON Lines"},
	{"csv", 0, OPT_FLAG, NULL, NULL, FIELD(csv), "print CSV"},
	{"color", 0, OPT_CHOICE, "auto|always|never", term_colors, FIELD(color),
		"auto (the default): colours on a terminal, unless NO_COLOR is set"},
	{"verbose", 'v', OPT_FLAG, NULL, NULL, FIELD(verbose), "tell the names of files"},
	{"from", 'f', OPT_TEXT, "FORMAT", NULL, FIELD(from),
		"read as this format, whatever the content looks like"},
	{"on-error", 0, OPT_CHOICE, "stop|skip", opt_on_error, FIELD(on_error),
		"at damage stop (the default), or go on at the next sound event"},
	{"decoders", 0, OPT_NUMBER, "N", opt_threads, FIELD(decoders),
		"decode with N threads, 64 at most; 0 (the default): one a processor"},
	{"wpars", '@', OPT_TEXT, "LIST", NULL, FIELD(wpars), "not supported"},
	{"mode", 'M', OPT_TEXT, "WORD", NULL, FIELD(mode), "not supported"},
	{"length", 'l', OPT_TEXT, "WORD", NULL, FIELD(length), "not supported"},
	{"help", 0, OPT_HELP, NULL, NULL, 0, "print this help"},
	{0},
};

static const struct opt *const trcrpt_tables[] = {trcrpt_table, NULL};

/* A run of the command. */
struct run {
	const struct trcrpt_options *options;
	struct input_options reading;
	struct poly_trcrpt_options report;
	const char **settings; /* of the report, NULL at the end */
	size_t setting_count;
	const char **reader_settings;
	size_t reader_setting_count;
	char *pieces;		    /* what they point into */
	const char *hooks, *errnos; /* files of aix.hooks, aix.errno */
	bool left_to_right;	    /* aix.expr=ltr */
	struct poly_templates *templates;
	struct traces traces;
	struct output *output; /* standard output; NULL: a file */
	FILE *file;	       /* of -o */
	int failure;	       /* errno of the first failed write */
};

/* True where a setting is one of the format that traces are read as. */
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

/* A setting that is no matter of the report's: it names a file, or is for the templates. */
static bool
take_own(struct run *run, const char *text)
{
	if (strncmp(text, "aix.hooks=", 10) == 0)
		run->hooks = text + 10;
	else if (strncmp(text, "aix.errno=", 10) == 0)
		run->errnos = text + 10;
	else if (strcmp(text, "aix.expr=ltr") == 0 || strcmp(text, "aix.expr=c") == 0)
		run->left_to_right = strcmp(text, "aix.expr=ltr") == 0;
	else
		return false;
	return true;
}

static void
add_setting(struct run *run, const char *text)
{
	const bool own = take_own(run, text);
	/* An expression looks at the reader's processes, which the table of hooks makes too. */
	if (is_of_reader(text, run->options->from) && (!own || run->options->where))
		run->reader_settings[run->reader_setting_count++] = text;
	else if (!own)
		run->settings[run->setting_count++] = text;
}

/* -x and -O, cut at commas, to the report or to the reader. */
static void
split_settings(struct run *run)
{
	const struct opt_list *list = &run->options->settings;
	size_t size = 0, commas = 4;
	for (size_t i = 0; i < list->count; i++) {
		size += strlen(list->items[i]) + 1;
		for (const char *p = list->items[i]; *p; p++)
			commas += *p == ',';
		commas++;
	}
	run->pieces = diag_allocate(size + 1, 1);
	run->settings = diag_allocate(commas, sizeof *run->settings);
	run->reader_settings = diag_allocate(commas, sizeof *run->reader_settings);
	if (run->options->extended) {
		add_setting(run, "exec=on");
		add_setting(run, "svc=on");
	}
	char *to = run->pieces;
	for (size_t i = 0; i < list->count; i++) {
		const char *from = list->items[i];
		for (bool more = true; more;) {
			size_t n = strcspn(from, ",");
			memcpy(to, from, n);
			if (n)
				add_setting(run, to);
			to += n + 1;
			more = from[n] != 0;
			from += n + more;
		}
	}
}

static const char *
severity_of(const struct poly_rule *rule)
{
	return severity_name(rule->severity);
}

/* What the report found wrong. */
static void
tell_finding(void *user, const struct poly_rule *rule, uint64_t count, uint16_t hook,
	const char *message)
{
	struct run *run = user;
	char more[40] = "";
	(void)hook;
	/* What belongs to the report appears before, and where it fails that alone is told. */
	output_flush(run->output);
	if (output_failed(run->output))
		return;
	if (count > 1)
		snprintf(more, sizeof more, " (%llu times)", (unsigned long long)count);
	diag_print("trcrpt", "%s %s: %s%s", severity_of(rule), rule->code, message, more);
}

/* What is wrong in a template file. Warnings are told only where it is to be checked. */
struct template_findings {
	const char *name;
	bool all;
	uint64_t errors;
};

static void
tell_template(void *user, const struct poly_template_finding *finding)
{
	struct template_findings *found = user;
	bool error = finding->rule->severity == POLY_ERROR;
	found->errors += error;
	if (!error && !found->all)
		return;
	struct poly_error place = {.offset = POLY_NO_OFFSET, .line = finding->line};
	snprintf(place.message, sizeof place.message, "column %llu: %s %s: %s",
		(unsigned long long)finding->column, severity_of(finding->rule),
		finding->rule->code, finding->message);
	diag_error(found->name, &place);
}

/* Loads the templates; false, and told, where they cannot be. */
static bool
load_templates(struct run *run)
{
	const char *path = run->options->templates;
	struct template_findings found = {
		path ? path : "built-in templates", run->options->check, 0};
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	struct poly_error error;
	enum poly_status status;
	options.found = tell_template;
	options.user = &found;
	options.left_to_right = run->left_to_right;
	if (run->options->verbose)
		diag_print(NULL, "reads '%s'", found.name);
	if (path)
		status = poly_templates_load(path, &options, &run->templates, &error);
	else
		status = poly_templates_parse(NULL, 0, &options, &run->templates, &error);
	if (status != POLY_OK && !found.errors)
		diag_error(found.name, &error);
	return status == POLY_OK;
}

/* -j: hooks in lower case, and labels. */
static int
list_labels(struct run *run)
{
	struct poly_template_info info;
	for (size_t i = 0; poly_template_at(run->templates, i, &info); i++) {
		char line[600];
		bool wide = info.hook & 15;
		snprintf(line, sizeof line, "%0*x %.500s\n", wide ? 4 : 3,
			(unsigned)(wide ? info.hook : info.hook >> 4),
			info.label + (*info.label == '@'));
		output_text(run->output, line);
	}
	return STATUS_DONE;
}

static int
list_groups(struct run *run)
{
	if (!run->report.groups.text) {
		diag_print("trcrpt",
			"AIX's event groups are not published; '--groups' names a file "
			"of groups");
		return STATUS_TROUBLE;
	}
	output_write(run->output, run->report.groups.text, run->report.groups.size);
	return STATUS_DONE;
}

/* A poly_write_fn to the file of -o, or to standard output. */
static int
write_report(void *user, const void *data, size_t size)
{
	struct run *run = user;
	int number = 0;
	if (!run->file)
		number = output_write(run->output, data, size);
	else if (fwrite(data, 1, size, run->file) != size)
		number = errno;
	if (number && !run->failure)
		run->failure = number;
	return number;
}

static int
go_on(void *user)
{
	(void)user;
	return progress_interrupted();
}

/* The report's failure, at the input whose it is. */
static int
failed(struct run *run, const struct poly_trcrpt *report, const struct poly_error *error)
{
	size_t input = poly_trcrpt_failed(report);
	if (run->failure)
		return STATUS_DONE; /* told with the output */
	if (error->status == POLY_ERR_CANCELLED)
		input = 0;
	if (input < run->traces.count) {
		traces_failed(&run->traces, input, error);
		return STATUS_DONE; /* told with the input */
	}
	diag_error("trcrpt", error);
	return STATUS_TROUBLE;
}

static int
write_summary(struct run *run, struct poly_trcrpt *report)
{
	const struct poly_trcrpt_inputs inputs = traces_inputs(&run->traces);
	const struct poly_sink sink = {write_report, run};
	struct poly_report *tree = report_new();
	struct poly_error error;
	int result = STATUS_DONE;
	if (poly_trcrpt_summary(report, &inputs, tree, &error) != POLY_OK)
		result = failed(run, report, &error);
	if (poly_report_render(tree, rendering_of_options(&run->reading), &sink, &error) !=
			POLY_OK &&
		!run->failure) {
		diag_print(NULL, "%s", error.message);
		result = STATUS_TROUBLE;
	}
	poly_report_free(tree);
	return result;
}

/* -r: the rows through the format's own writer. */
static int
write_raw(struct run *run, struct poly_trcrpt *report)
{
	const struct poly_trcrpt_inputs inputs = traces_inputs(&run->traces);
	const struct poly_sink sink = {write_report, run};
	const char *container[] = {"aix.container=raw", NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	struct poly_error error;
	options.format = "aix";
	options.options = container;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(run->traces.readers[0]), &options, &writer, &error);
	if (status != POLY_OK) {
		diag_error("trcrpt", &error);
		return STATUS_TROUBLE;
	}
	int result = STATUS_DONE;
	if (poly_trcrpt_raw(report, &inputs, writer, &error) != POLY_OK)
		result = failed(run, report, &error);
	if (poly_writer_finish(writer, &error) != POLY_OK && result == STATUS_DONE &&
		!run->failure) {
		diag_error("trcrpt", &error);
		result = STATUS_TROUBLE;
	}
	const char *note;
	uint64_t count;
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++)
		diag_print("trcrpt", "%s (%llu times)", note, (unsigned long long)count);
	poly_writer_close(writer);
	return result;
}

static int
write_events(struct run *run, struct poly_trcrpt *report)
{
	const struct poly_trcrpt_inputs inputs = traces_inputs(&run->traces);
	const struct poly_sink sink = {write_report, run};
	struct poly_error error;
	if (poly_trcrpt_write(report, &inputs, &sink, &error) != POLY_OK)
		return failed(run, report, &error);
	return STATUS_DONE;
}

/* Opens what the operands name; false, and told, where one cannot be. */
static bool
open_traces(struct run *run, char **operands)
{
	const struct trcrpt_options *options = run->options;
	bool all_columns = options->raw || options->where;
	run->traces.verbose = options->verbose;
	run->traces.columns =
		all_columns ? POLY_ALL_COLUMNS & ~POLY_HAS(site) : poly_trcrpt_columns();
	char standard_input[] = "-", log[] = DEFAULT_TRACE, *only[] = {NULL, NULL};
	if (!operands[0]) {
		only[0] = access(DEFAULT_TRACE, F_OK) == 0 ? log : standard_input;
		if (only[0] == standard_input && term_input()) {
			diag_print(NULL, "no input: name a file, or '-' for standard input");
			return false;
		}
		operands = only;
	}
	if (operands[1] && !options->merge) {
		diag_print("trcrpt", "there are several files; '-m' merges them");
		return false;
	}
	for (char **path = operands; *path; path++) {
		if (!traces_open(&run->traces, *path, &run->reading))
			return false;
		if (options->cpus &&
			!traces_open_cpus(&run->traces, *path, options->cpus, &run->reading))
			return false;
	}
	return true;
}

static int
write_of_traces(struct run *run)
{
	struct poly_trcrpt *report;
	struct poly_error error;
	int result;
	if (poly_trcrpt_new(run->templates, &run->report, &report, &error) != POLY_OK) {
		diag_error("trcrpt", &error);
		return STATUS_TROUBLE;
	}
	if (run->options->summary)
		result = write_summary(run, report);
	else if (run->options->raw)
		result = write_raw(run, report);
	else
		result = write_events(run, report);
	poly_trcrpt_free(report);
	return result;
}

/* True where a path leads to what is read, which writing there would destroy. */
static bool
is_input(const struct run *run, const char *path)
{
	const struct trcrpt_options *options = run->options;
	bool is = same_file(path, options->templates) || same_file(path, options->names) ||
		  same_file(path, options->groups);
	for (size_t i = 0; i < run->traces.count && !is; i++)
		is = same_file(path, run->traces.names[i]);
	return is;
}

/* Opens the file of -o, and closes it: false, and told, where it cannot be. */
static bool
open_output(struct run *run)
{
	const char *path = run->options->output;
	if (!path || strcmp(path, "-") == 0)
		return true;
	if (is_input(run, path)) {
		diag_print(path, "is read, and cannot be the output of '-o' too");
		return false;
	}
	run->file = fopen(path, "wb");
	if (!run->file)
		diag_print(path, "cannot be made: %s", strerror(errno));
	return run->file != NULL;
}

static int
close_output(struct run *run)
{
	if (!run->file)
		return STATUS_DONE;
	if (fclose(run->file) != 0 && !run->failure)
		run->failure = errno;
	if (!run->failure)
		return STATUS_DONE;
	diag_print(run->options->output, "cannot be written: %s", strerror(run->failure));
	return STATUS_TROUBLE;
}

static int
report_traces(struct run *run, char **operands)
{
	int result = STATUS_TROUBLE;
	if (open_traces(run, operands) && open_output(run))
		result = write_of_traces(run);
	if (run->output)
		output_flush(run->output);
	int written = close_output(run);
	int closed = traces_close(&run->traces);
	result = written > result ? written : result;
	return closed > result ? closed : result;
}

/* The options as the library takes them. */
static void
fill_options(struct run *run)
{
	const struct trcrpt_options *options = run->options;
	struct poly_trcrpt_options *report = &run->report;
	split_settings(run);
	report->settings = run->settings;
	report->form = options->json  ? POLY_TRCRPT_JSON
		       : options->csv ? POLY_TRCRPT_CSV
				      : POLY_TRCRPT_TEXT;
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
	report->found = tell_finding;
	report->progress = go_on;
	report->user = run;
	run->reading.from = options->from;
	run->reading.on_error = options->on_error;
	run->reading.threads = options->decoders;
	run->reading.json = options->json;
	run->reading.csv = options->csv;
	run->reading.options =
		(struct opt_list){run->reader_settings, run->reader_setting_count};
}

/* False, and told, where an option is one that cannot be had. */
static bool
is_sound(const struct trcrpt_options *options)
{
	const char *missing = NULL;
	if (options->wpars)
		missing = "-@: what a trace says of workload partitions is not published";
	if (options->mode)
		missing = "-M: its meaning is not published";
	if (options->length)
		missing = "-l: its meaning is not published";
	if (missing) {
		diag_print("trcrpt", "%s", missing);
		return false;
	}
	if (options->json && options->csv) {
		diag_print("trcrpt", "options '--json' and '--csv' exclude each other");
		return false;
	}
	if (options->match && (options->raw || options->summary)) {
		diag_print("trcrpt", "'--match' is for events that are printed");
		return false;
	}
	if (options->raw && (options->json || options->csv || options->summary)) {
		diag_print("trcrpt", "'-r' takes no other form");
		return false;
	}
	return true;
}

static bool
read_texts(struct run *run)
{
	const struct trcrpt_options *options = run->options;
	return (!run->hooks || trcrpt_read_text(run->hooks, &run->report.hooks)) &&
	       (!run->errnos || trcrpt_read_text(run->errnos, &run->report.errnos)) &&
	       (!options->names || trcrpt_read_text(options->names, &run->report.names)) &&
	       (!options->groups || trcrpt_read_text(options->groups, &run->report.groups));
}

static int
run_all(struct run *run, char **operands)
{
	const struct trcrpt_options *options = run->options;
	if (!is_sound(options) || !read_texts(run))
		return STATUS_TROUBLE;
	if (options->list_groups)
		return list_groups(run);
	if (!load_templates(run))
		return options->check ? STATUS_NEGATIVE : STATUS_TROUBLE;
	if (options->check)
		return STATUS_DONE;
	return options->list_labels ? list_labels(run) : report_traces(run, operands);
}

/* A text that trcrpt_read_text made. */
static void
free_text(struct poly_trcrpt_text *text)
{
	union {
		const char *text;
		char *made;
	} owned = {text->text};
	poly_template_text_free(owned.made);
}

static int
trcrpt_run(void *fields, char **operands)
{
	struct run run = {.options = fields, .report = POLY_TRCRPT_OPTIONS_INIT};
	run.output = output_new();
	fill_options(&run);
	int status = run_all(&run, operands);
	int written = output_finish(run.output);
	poly_templates_free(run.templates);
	free_text(&run.report.hooks);
	free_text(&run.report.errnos);
	free_text(&run.report.names);
	free_text(&run.report.groups);
	free(run.settings);
	free(run.reader_settings);
	free(run.pieces);
	return written > status ? written : status;
}

const struct command command_trcrpt = {
	.name = "trcrpt",
	.group = GROUP_AIX,
	.summary = "report AIX traces as trcrpt does",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace trcrpt trcfile", "polytrace trcrpt -O exec=on -d 134 trcfile"},
	.options = trcrpt_tables,
	.options_size = sizeof(struct trcrpt_options),
	.run = trcrpt_run,
};
