/* SPDX-License-Identifier: MIT */
/* polytrace pack: compresses traces losslessly, and verifies that they unpack to the same
 * bytes. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/files/trace_output.h"
#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"
#include "cli/options/column_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pack_options {
	struct input_options source;
	const char *output, *append;
	struct opt_list labels;
	bool force, fast, small, trusting, resume;
};

#define FIELD(member) .field = offsetof(struct pack_options, member)

static const struct opt pack_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to this file (default: FILE.ptz, without the extension of a "
			"compression)"},
	OUTPUT_FORCE_OPTION(offsetof(struct pack_options, force)),
	{"append", 0, OPT_TEXT, "PACKED", FIELD(append),
		.help = "append to this packed trace, whose metadata have to match"},
	{"label", 0, OPT_LIST, "KEY=VALUE", FIELD(labels),
		.help = "store a label with the packed trace, for instance its origin; "
			"'polytrace info' prints labels"},
	{"fast", FIELD(fast), .help = "compress faster"},
	{"small", FIELD(small), .help = "compress more, which takes longer"},
	{"no-verify", FIELD(trusting),
		.help = "skip unpacking the output and comparing it with FILE"},
	{"resume", FIELD(resume),
		.help = "skip each FILE that is a packed trace, or has one already"},
	{"from", 'f', OPT_TEXT, "FORMAT", FIELD(source.from),
		.help = "read as this format (default: detected by content)"},
	{"option", 'O', OPT_LIST, "NAME=VALUE", FIELD(source.options),
		.help = "set an option of the input format; 'polytrace formats NAME' lists "
			"them"},
	{"isa", 0, OPT_TEXT, "NAME", FIELD(source.isa),
		.help = "instruction set of the opcodes (default: that of the format)"},
	{"partial", FIELD(source.partial),
		.help = "accept truncated input: keep the records before its end, and exit "
			"with status 0"},
	{"threads", 0, OPT_NUMBER, "N", .choices = opt_threads, FIELD(source.threads),
		.help = "number of threads (default 0: one per CPU, at most 16)"},
	{"help", 'h', OPT_HELP, .help = "print this help"},
	{0},
};

static const struct opt *const pack_tables[] = {pack_table, NULL};

/* Results over all files. */
struct pack_totals {
	size_t packed, skipped, failed;
	uint64_t before, after; /* bytes of the files that were packed */
};

/* A trace to pack. */
struct pack_job {
	struct pack_totals *totals;
	const struct pack_options *options;
	const char *path, *output;
	struct trace_output written;
	const char *place;	      /* of the output's bytes until it is finished */
	bool stays;		      /* the trace can be read twice */
	uint64_t before, file, after; /* bytes: of the trace, of its file, packed */
	uint64_t there, records;      /* bytes and records that PACKED had before */
};

/* Gets the size of a file. Returns false if it is not a regular file, which can be read twice.
 */
static bool
file_size(const char *path, uint64_t *size)
{
	struct stat there;
	const bool stays = stat(path, &there) == 0 && S_ISREG(there.st_mode);
	*size = stays ? (uint64_t)there.st_size : 0;
	return stays;
}

/* Returns whether packing is useful and reversible; if not, prints the reason. */
static bool
can_be_packed(const struct pack_job *job, const struct command_input *source)
{
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	const char *format = info->format, *packed = poly_trace_fact(info, PACKED_FACT);
	if (strcmp(format, PACKED_FORMAT) == 0)
		diag_print(source->name,
			"already packed; use 'polytrace convert -T ptz.level=small' "
			"to compress it "
			"more");
	else if (!poly_format_find(format)->can_write)
		diag_print(source->name,
			"cannot pack format '%s', which cannot be written again; use "
			"'polytrace "
			"convert' to convert its records",
			format);
	else if (packed)
		diag_print(source->name,
			"contains records of a packed trace of format '%s', as which it would "
			"be "
			"unpacked; use 'polytrace convert' to convert its records",
			packed);
	else if (job->options->labels.count && poly_format_find(format)->holds_labels)
		diag_print(source->name,
			"format '%s' has labels of its own, so unpacking would add these; use "
			"'polytrace convert --label' to set them",
			format);
	else
		return true;
	return false;
}

static bool
open_output(struct pack_job *job, const struct command_input *source)
{
	const char *const level[] = {job->options->fast	   ? "ptz.level=fast"
				     : job->options->small ? "ptz.level=small"
							   : "ptz.level=default",
		NULL};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	writing.format = PACKED_FORMAT;
	writing.options = level;
	writing.append = job->options->append;
	writing.overwrite = job->options->force;
	writing.labels = job->options->labels.items;
	writing.threads = (unsigned)job->options->source.threads.value;
	return trace_output_open(
		&job->written, job->output, poly_reader_info(source->reader), &writing);
}

static void
print_notes(const struct trace_output *output)
{
	const char *note;
	uint64_t count;
	for (size_t i = 0; (note = poly_writer_note_at(output->writer, i, &count)); i++)
		diag_print(output->name, "%s", note);
}

/* Writes the packed trace up to its end, but not in its place; returns an exit status. */
static int
write_packed(struct pack_job *job, struct command_input *source)
{
	struct trace_output *output = &job->written;
	struct poly_reader_counts counts;
	struct poly_error error;
	if (!open_output(job, source))
		return STATUS_ERROR;
	print_notes(output);
	job->records = poly_writer_existing_records(output->writer);
	/* The writer has removed an incomplete end by now. */
	if (job->options->append)
		file_size(job->output, &job->there);
	enum poly_status status = trace_output_pump(output, source, &error);
	const bool partial = input_is_partial(source);
	if (status == POLY_OK && !partial)
		status = poly_writer_complete(output->writer, &job->place, &error);
	if (!job->place)
		job->place = job->output;
	poly_reader_count(source->reader, &counts);
	job->before = counts.content_bytes;
	if (status != POLY_OK)
		return trace_output_failed(output, output->name, &error);
	if (partial)
		diag_print(output->name, "not written");
	return partial ? STATUS_ERROR : STATUS_DONE;
}

/* Formats the ratio of two sizes, after a comma; nothing if either is 0. */
static void
format_ratio(uint64_t bytes, uint64_t packed, char *text, size_t size)
{
	const double before = (double)bytes, after = (double)packed;
	*text = 0;
	if (bytes && packed)
		snprintf(text, size, ", %.2f times %s",
			before < after ? after / before : before / after,
			before < after ? "larger" : "smaller");
}

static void
print_ratio(const struct pack_job *job, const char *verdict)
{
	char ratio[40], file[80] = "", to[40] = "";
	const double after = (double)job->after;
	format_ratio(job->before, job->after, ratio, sizeof ratio);
	if (job->stays && job->file && job->file != job->before)
		snprintf(file, sizeof file, ", %.2f times smaller than the file's %llu",
			(double)job->file / after, (unsigned long long)job->file);
	if (job->after)
		snprintf(to, sizeof to, " to %llu", (unsigned long long)job->after);
	diag_print(job->output, "%llu bytes packed%s%s%s; %s", (unsigned long long)job->before,
		to, ratio, job->after ? file : "", verdict);
}

/* Verifies the output before it gets its name; returns what to say about it, NULL: it differs.
 */
static const char *
verify_output(struct pack_job *job)
{
	if (!file_size(job->place, &job->after))
		return "not verified: cannot read the output again";
	job->after -= job->there;
	if (!job->stays)
		return "not verified: cannot read the input twice";
	if (job->options->trusting)
		return "not verified";
	const bool good = job->options->append
				  ? packed_verify_appended(job->output, job->path, job->records,
					    &job->options->source)
				  : packed_verify(job->place, job->written.name, job->path);
	if (!good)
		diag_print(job->output, "verification failed; %s",
			job->options->append ? "the records were removed" : "not written");
	return good ? "verified" : NULL;
}

/* Verifies and finishes the output; returns an exit status. */
static int
finish_output(struct pack_job *job)
{
	struct poly_error error;
	const char *verdict = job->written.is_file ? verify_output(job) : "";
	if (!verdict)
		return STATUS_ERROR;
	if (poly_writer_finish(job->written.writer, &error) != POLY_OK)
		return trace_output_failed(&job->written, job->written.name, &error);
	if (job->written.is_file)
		print_ratio(job, verdict);
	return STATUS_DONE;
}

static int
pack(struct pack_job *job)
{
	const struct input_needs wants = {.writes = true,
		.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(job->output, "-") == 0};
	struct input_options reading = job->options->source;
	struct command_input source;
	/* Corrupt data are preserved unchanged. */
	reading.on_error = ON_ERROR_SKIP;
	const struct output_policy policy = {
		job->options->force || job->options->append, NULL, {job->path}};
	if (!output_is_allowed(&policy, job->output))
		return STATUS_ERROR;
	job->stays = file_size(job->path, &job->file);
	if (!input_open(&source, job->path, &reading, &wants))
		return STATUS_ERROR;
	if (!can_be_packed(job, &source)) {
		input_discard(&source);
		return STATUS_ERROR;
	}
	int status = write_packed(job, &source);
	const int read = input_close(&source);
	/* Corrupt data that were skipped are in the packed trace. */
	if (status == STATUS_DONE && read == STATUS_ERROR && !source.has_skipped)
		status = read;
	if (status == STATUS_DONE)
		status = finish_output(job);
	trace_output_close(&job->written);
	return status;
}

/* Returns whether the trace is a packed trace, or has one that is not older. */
static bool
is_packed(const struct pack_job *job)
{
	struct stat trace, packed;
	char *before = packed_original_name(job->path);
	const bool itself = before != NULL;
	free(before);
	/* A packed trace that is older than the trace may be of another one. */
	return itself || (stat(job->path, &trace) == 0 && stat(job->output, &packed) == 0 &&
				 S_ISREG(packed.st_mode) && trace.st_mtime <= packed.st_mtime);
}

/* Packs a trace to the file that is named after it. */
static int
pack_to_default(struct pack_job *job)
{
	if (job->options->resume && is_packed(job)) {
		job->totals->skipped++;
		return STATUS_DONE;
	}
	return pack(job);
}

static int
pack_file(const struct pack_options *options, const char *path, struct pack_totals *totals)
{
	struct pack_job job = {.totals = totals, .options = options, .path = path};
	char *name = packed_name(path);
	const size_t skipped = totals->skipped;
	job.output = options->append ? options->append : options->output;
	int status;
	if (job.output) {
		status = pack(&job);
	} else {
		job.output = name;
		status = pack_to_default(&job);
	}
	free(name);
	if (status == STATUS_ERROR) {
		totals->failed++;
	} else if (totals->skipped == skipped) {
		totals->packed++;
		totals->before += job.before;
		totals->after += job.after;
	}
	return status;
}

/* Prints the results over several files. */
static void
print_totals(const struct pack_totals *totals, char **operands)
{
	char ratio[40], bytes[100] = "", skipped[40] = "", failed[40] = "";
	size_t count = 0;
	while (operands[count])
		count++;
	if (count < 2)
		return;
	format_ratio(totals->before, totals->after, ratio, sizeof ratio);
	if (totals->packed)
		snprintf(bytes, sizeof bytes, ", %llu bytes to %llu%s",
			(unsigned long long)totals->before, (unsigned long long)totals->after,
			ratio);
	if (totals->skipped)
		snprintf(skipped, sizeof skipped, "; %zu skipped", totals->skipped);
	if (totals->failed)
		snprintf(failed, sizeof failed, "; %zu failed", totals->failed);
	diag_print("pack", "%zu of %zu files packed%s%s%s", totals->packed, count, bytes,
		skipped, failed);
}

/* Returns whether each input has an output; if not, prints the reason. */
static bool
outputs_are_valid(const struct pack_options *options, char **operands)
{
	bool standard = !operands[0];
	for (size_t i = 0; operands[i]; i++)
		standard |= strcmp(operands[i], "-") == 0;
	if (options->output && options->append)
		diag_print("pack", "options '--output' and '--append' exclude each other");
	else if (options->append && options->labels.count)
		diag_print("pack",
			"options '--append' and '--label' exclude each other: the packed "
			"trace preserves its labels");
	else if (options->resume && (options->output || options->append))
		diag_print("pack",
			"option '--resume' requires outputs that are named after their inputs, "
			"without '--output' and '--append'");
	else if (options->append && strcmp(options->append, "-") == 0)
		diag_print("pack", "option '--append' requires a file, not '-'");
	else if (options->output && operands[0] && operands[1])
		diag_print(
			"pack", "option '-o' names one output, but there are several inputs");
	else if (!options->output && !options->append && standard)
		diag_print("pack", "no output for standard input; name one with '-o'");
	else
		return true;
	return false;
}

static int
pack_run(void *fields, char **operands)
{
	const struct pack_options *options = fields;
	struct pack_totals totals = {0};
	int worst = STATUS_DONE;
	if (!operands[0] && term_input()) {
		diag_print("pack", "no input: name a file, or '-' for standard input");
		return STATUS_ERROR;
	}
	if (options->fast && options->small) {
		diag_print("pack", "options '--fast' and '--small' exclude each other");
		return STATUS_ERROR;
	}
	if (!outputs_are_valid(options, operands))
		return STATUS_ERROR;
	if (!operands[0])
		return pack_file(options, "-", &totals);
	for (char **path = operands; *path && !progress_interrupted(); path++) {
		const int status = pack_file(options, *path, &totals);
		worst = status > worst ? status : worst;
		/* Appended records are in the order of the operands: stop at the first error.
		 */
		if (options->append && status != STATUS_DONE)
			break;
	}
	print_totals(&totals, operands);
	return worst;
}

const struct command command_pack = {
	.name = "pack",
	.group = GROUP_CONVERT,
	.summary = "compress traces losslessly and verify the result",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace pack trace.tt6e",
		"polytrace pack --small -o archive.ptz trace.bach"},
	.options = pack_tables,
	.options_size = sizeof(struct pack_options),
	.run = pack_run,
};
