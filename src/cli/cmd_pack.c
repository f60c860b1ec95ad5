/* SPDX-License-Identifier: MIT */
/* polytrace pack: writes traces as packed ones, and sees that they unpack to the same bytes. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/copy.h"
#include "cli/packed.h"
#include "cli/diagnostics.h"
#include "cli/term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pack_options {
	struct input_options source;
	const char *output, *append;
	struct opt_list labels;
	bool fast, small, trusting, resume;
};

static const struct opt pack_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", NULL, offsetof(struct pack_options, output),
		"write to this file; without it FILE.ptz, in which endings of compression are "
		"left out"},
	{"append", 0, OPT_TEXT, "PACKED", NULL, offsetof(struct pack_options, append),
		"write behind the records of this packed trace, which has to be of such a "
		"trace"},
	{"label", 0, OPT_LIST, "KEY=VALUE", NULL, offsetof(struct pack_options, labels),
		"keep this with the packed trace, where it came from for instance; 'polytrace "
		"info' shows it"},
	{"fast", 0, OPT_FLAG, NULL, NULL, offsetof(struct pack_options, fast),
		"spend less time on packing"},
	{"small", 0, OPT_FLAG, NULL, NULL, offsetof(struct pack_options, small),
		"spend more time on making it smaller"},
	{"no-verify", 0, OPT_FLAG, NULL, NULL, offsetof(struct pack_options, trusting),
		"do not unpack what was written to compare it with FILE"},
	{"resume", 0, OPT_FLAG, NULL, NULL, offsetof(struct pack_options, resume),
		"leave out each FILE that is packed, or whose packed trace is there already"},
	{"from", 'f', OPT_TEXT, "FORMAT", NULL, offsetof(struct pack_options, source.from),
		"read as this format, whatever the content looks like"},
	{"option", 'O', OPT_LIST, "NAME=VALUE", NULL,
		offsetof(struct pack_options, source.options),
		"set an option of the format read; 'polytrace formats NAME' lists them"},
	{"isa", 0, OPT_TEXT, "NAME", NULL, offsetof(struct pack_options, source.isa),
		"the instruction set that opcodes are of, which is else known by the format"},
	{"threads", 0, OPT_NUMBER, "N", opt_threads,
		offsetof(struct pack_options, source.threads),
		"decode with N threads, 64 at most; 0 (the default): one a processor, 16 at "
		"most"},
	{"help", 'h', OPT_HELP, NULL, NULL, 0, "print this help"},
	{0},
};

static const struct opt *const pack_tables[] = {pack_table, NULL};

/* What became of all files. */
struct totals {
	size_t packed, left_out, failed;
	uint64_t before, after; /* bytes of those that were packed */
};

/* A trace that is being packed. */
struct job {
	struct totals *totals;
	const struct pack_options *options;
	const char *path, *output;
	bool stays;		      /* the trace can be read twice */
	uint64_t before, file, after; /* bytes: of the trace, of its file, packed */
	uint64_t there, records;      /* bytes and records that PACKED had */
};

/* The size of a file, in *size. False: it is none that can be read twice. */
static bool
file_size(const char *path, uint64_t *size)
{
	struct stat there;
	const bool stays = stat(path, &there) == 0 && S_ISREG(there.st_mode);
	*size = stays ? (uint64_t)there.st_size : 0;
	return stays;
}

/* False, and told, where there is nothing to gain by packing, or it would be no trace again. */
static bool
can_be_packed(const struct job *job, const struct command_input *source)
{
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	const char *format = info->format, *packed = poly_trace_fact(info, PACKED_FACT);
	if (strcmp(format, PACKED_FORMAT) == 0)
		diag_print(source->name,
			"it is packed already; 'polytrace convert -T ptz.level=small' packs it "
			"again");
	else if (!poly_format_find(format)->can_write)
		diag_print(source->name,
			"format '%s' is only read, so it could not be unpacked; 'polytrace "
			"convert' writes its records",
			format);
	else if (packed)
		diag_print(source->name,
			"it tells of a packed trace of format '%s', as which it would be "
			"unpacked; 'polytrace convert' writes its records",
			packed);
	else if (job->options->labels.count && poly_format_find(format)->holds_labels)
		diag_print(source->name,
			"format '%s' holds labels itself, so unpacked it would have these, "
			"too; "
			"'polytrace convert --label' writes it with them",
			format);
	else
		return true;
	return false;
}

static enum poly_status
open_writer(const struct job *job, struct command_input *source, struct poly_writer **writer,
	struct poly_error *error)
{
	const char *const level[] = {job->options->fast	   ? "ptz.level=fast"
				     : job->options->small ? "ptz.level=small"
							   : "ptz.level=usual",
		NULL};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	writing.format = PACKED_FORMAT;
	writing.options = level;
	writing.append = job->options->append;
	writing.labels = job->options->labels.items;
	const enum poly_status status = poly_writer_open(
		job->output, poly_reader_info(source->reader), &writing, writer, error);
	if (status == POLY_OK)
		input_project(source, poly_writer_columns(*writer));
	return status;
}

static void
tell_notes(const struct job *job, const struct poly_writer *writer)
{
	const char *note;
	uint64_t count;
	for (size_t i = 0; writer && (note = poly_writer_note_at(writer, i, &count)); i++)
		diag_print(diag_output_name(job->output), "%s", note);
}

/* Writes the packed trace; returns an exit status. */
static int
write_packed(struct job *job, struct command_input *source)
{
	struct poly_writer *writer = NULL;
	struct poly_reader_counts counts;
	struct poly_error error;
	enum poly_status status = open_writer(job, source, &writer, &error);
	tell_notes(job, writer);
	if (status == POLY_OK) {
		job->records = poly_writer_before(writer);
		/* An end that was none is cut off by now. */
		if (job->options->append)
			file_size(job->output, &job->there);
		status = copy_rows(source, writer, &error);
	}
	if (status == POLY_OK && !input_is_partial(source))
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	/* A reader of standard output that went away is no failure. */
	if (status == POLY_ERR_IO && error.sys_errno == EPIPE && strcmp(job->output, "-") == 0)
		return STATUS_DONE;
	if (status != POLY_OK)
		diag_error(diag_output_name(job->output), &error);
	else if (input_is_partial(source))
		diag_print(diag_output_name(job->output), "not written");
	poly_reader_count(source->reader, &counts);
	job->before = counts.content_bytes;
	return status == POLY_OK && !input_is_partial(source) ? STATUS_DONE : STATUS_TROUBLE;
}

/* How much smaller bytes became, behind a comma; nothing where there were none. */
static void
show_ratio(uint64_t bytes, uint64_t packed, char *text, size_t size)
{
	const double before = (double)bytes, after = (double)packed;
	*text = 0;
	if (bytes && packed)
		snprintf(text, size, ", %.2f times %s",
			before < after ? after / before : before / after,
			before < after ? "larger" : "smaller");
}

static void
tell_ratio(const struct job *job, const char *verdict)
{
	char ratio[40], file[80] = "";
	const double after = (double)job->after;
	show_ratio(job->before, job->after, ratio, sizeof ratio);
	if (job->stays && job->file != job->before)
		snprintf(file, sizeof file, ", %.2f times smaller than the file's %llu",
			(double)job->file / after, (unsigned long long)job->file);
	diag_print(job->output, "%llu bytes packed in %llu%s%s; %s",
		(unsigned long long)job->before, (unsigned long long)job->after, ratio, file,
		verdict);
}

/* Sees that what was written is what was read; returns an exit status. */
static int
finish(struct job *job)
{
	if (strcmp(job->output, "-") == 0)
		return STATUS_DONE;
	if (!file_size(job->output, &job->after)) {
		diag_print(job->output,
			"%llu bytes packed; not verified: the output can't be read again",
			(unsigned long long)job->before);
		return STATUS_DONE;
	}
	job->after -= job->there;
	if (job->options->trusting || !job->stays) {
		tell_ratio(job, job->stays ? "not verified"
					   : "not verified: the input can't be read twice");
		return STATUS_DONE;
	}
	if (job->options->append ? packed_verify_behind(job->output, job->path, job->records,
					   &job->options->source)
				 : packed_verify(job->output, job->path)) {
		tell_ratio(job, job->options->append ? "its records are the same"
						     : "unpacked it is the same");
		return STATUS_DONE;
	}
	if (job->options->append)
		diag_print(job->output,
			"records from %llu on could not be verified; do not rely on them",
			(unsigned long long)job->records + 1);
	else
		diag_print(job->output, "it could not be verified; do not rely on it");
	return STATUS_TROUBLE;
}

static int
pack(struct job *job)
{
	const struct input_needs wants = {.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(job->output, "-") == 0};
	struct input_options reading = job->options->source;
	struct command_input source;
	/* Damage is kept as it stands. */
	reading.on_error = ON_ERROR_SKIP;
	if (!job->options->append && same_file(job->path, job->output)) {
		diag_print(job->output, "is read, and cannot be the output of '-o' too");
		return STATUS_TROUBLE;
	}
	job->stays = file_size(job->path, &job->file);
	if (!input_open(&source, job->path, &reading, &wants))
		return STATUS_TROUBLE;
	if (!can_be_packed(job, &source)) {
		input_discard(&source);
		return STATUS_TROUBLE;
	}
	const int status = write_packed(job, &source), read = input_close(&source);
	if (status != STATUS_DONE || read == STATUS_TROUBLE)
		return STATUS_TROUBLE;
	return finish(job);
}

/* True where an earlier run has packed the trace, or it is packed itself. */
static bool
is_packed(const struct job *job)
{
	struct stat trace, packed;
	char *before = packed_name_before(job->path);
	const bool itself = before != NULL;
	free(before);
	/* One that is older than its trace is of another one. */
	return itself || (stat(job->path, &trace) == 0 && stat(job->output, &packed) == 0 &&
				 S_ISREG(packed.st_mode) && trace.st_mtime <= packed.st_mtime);
}

/* Packs a trace to where its name says. */
static int
pack_beside(struct job *job)
{
	if (job->options->resume && is_packed(job)) {
		job->totals->left_out++;
		return STATUS_DONE;
	}
	return packed_in_the_way(job->output) ? STATUS_TROUBLE : pack(job);
}

static int
pack_file(const struct pack_options *options, const char *path, struct totals *totals)
{
	struct job job = {.totals = totals, .options = options, .path = path};
	char *name = packed_name(path);
	const size_t left_out = totals->left_out;
	job.output = options->append ? options->append : options->output;
	int status;
	if (job.output) {
		status = pack(&job);
	} else {
		job.output = name;
		status = pack_beside(&job);
	}
	free(name);
	if (status == STATUS_TROUBLE) {
		totals->failed++;
	} else if (totals->left_out == left_out) {
		totals->packed++;
		totals->before += job.before;
		totals->after += job.after;
	}
	return status;
}

/* What became of several files. */
static void
tell_totals(const struct totals *totals, char **operands)
{
	char ratio[40], bytes[100] = "", left_out[40] = "", failed[40] = "";
	size_t count = 0;
	while (operands[count])
		count++;
	if (count < 2)
		return;
	show_ratio(totals->before, totals->after, ratio, sizeof ratio);
	if (totals->packed)
		snprintf(bytes, sizeof bytes, ", %llu bytes in %llu%s",
			(unsigned long long)totals->before, (unsigned long long)totals->after,
			ratio);
	if (totals->left_out)
		snprintf(left_out, sizeof left_out, "; %zu left out", totals->left_out);
	if (totals->failed)
		snprintf(failed, sizeof failed, "; %zu failed", totals->failed);
	diag_print("pack", "%zu of %zu files packed%s%s%s", totals->packed, count, bytes,
		left_out, failed);
}

/* True where names of outputs are known, and told where they are not. */
static bool
outputs_sound(const struct pack_options *options, char **operands)
{
	bool standard = !operands[0];
	for (size_t i = 0; operands[i]; i++)
		standard |= strcmp(operands[i], "-") == 0;
	if (options->output && options->append)
		diag_print("pack", "options '--output' and '--append' exclude each other");
	else if (options->append && options->labels.count)
		diag_print("pack",
			"options '--append' and '--label' exclude each other: the packed "
			"trace keeps its labels");
	else if (options->resume && (options->output || options->append))
		diag_print("pack",
			"option '--resume' is for outputs that are named by their inputs, "
			"without '--output' and '--append'");
	else if (options->append && strcmp(options->append, "-") == 0)
		diag_print("pack", "only to a file can be appended");
	else if (options->output && operands[0] && operands[1])
		diag_print("pack", "'-o' names one output, and there are several inputs");
	else if (!options->output && !options->append && standard)
		diag_print("pack",
			"no output: standard input has no name; name the output with -o");
	else
		return true;
	return false;
}

static int
pack_run(void *fields, char **operands)
{
	const struct pack_options *options = fields;
	struct totals totals = {0};
	int worst = STATUS_DONE;
	if (!operands[0] && term_input()) {
		diag_print("pack", "no input: name a file, or '-' for standard input");
		return STATUS_TROUBLE;
	}
	if (options->fast && options->small) {
		diag_print("pack", "options '--fast' and '--small' exclude each other");
		return STATUS_TROUBLE;
	}
	if (!outputs_sound(options, operands))
		return STATUS_TROUBLE;
	if (!operands[0])
		return pack_file(options, "-", &totals);
	for (char **path = operands; *path && !progress_interrupted(); path++) {
		const int status = pack_file(options, *path, &totals);
		worst = status > worst ? status : worst;
		/* What is appended stands in the order of the operands. */
		if (options->append && status != STATUS_DONE)
			break;
	}
	tell_totals(&totals, operands);
	return worst;
}

const struct command command_pack = {
	.name = "pack",
	.group = GROUP_CONVERT,
	.summary = "make traces small, and see that nothing is lost",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace pack trace.tt6e",
		"polytrace pack --small -o archive.ptz trace.bach"},
	.options = pack_tables,
	.options_size = sizeof(struct pack_options),
	.run = pack_run,
};
