/* SPDX-License-Identifier: MIT */
/* polytrace record: records a program that it runs. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/options/switches.h"
#include "cli/print/diagnostics.h"
#include "cli/print/progress.h"
#include "cli/print/term.h"
#include "cli/programs/child.h"
#include "cli/programs/lackey_run.h"
#include "cli/programs/program.h"
#include "cli/programs/thread_outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_options {
	const char *output, *to, *cpu, *libraries, *start, *stop;
	struct opt_list to_options, labels;
	struct opt_number skip, count;
	unsigned threads, with;
	bool registers, no_data, text, force, strict;
};

enum recorder { WITH_QEMU, WITH_LACKEY };
static const char *const with_words[] = {"qemu", "lackey", NULL};
static const char *const threads_words[] = {"auto", "merged", "split", NULL};

#define FIELD(member) .field = offsetof(struct record_options, member)

static const struct opt record_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to this file, compressed by its extension (default: the name "
			"of the program, and .ptz)"},
	OUTPUT_FORCE_OPTION(offsetof(struct record_options, force)),
	{"to", 't', OPT_TEXT, "FORMAT", FIELD(to),
		.help = "write this format (default: by the extension of OUT)"},
	{"to-option", 'T', OPT_LIST, "NAME=VALUE", FIELD(to_options),
		.help = "set an option of the output format"},
	{"label", 0, OPT_LIST, "KEY=VALUE", FIELD(labels),
		.help = "add a label, in formats that hold labels: ptz and jsonl"},
	{"strict", FIELD(strict), .help = "treat any loss of information as an error"},
	{"registers", FIELD(registers),
		.help = "record what each instruction writes to registers, and the data of "
			"accesses"},
	{"no-data", FIELD(no_data), .help = "record instructions only, without accesses"},
	{"text", FIELD(text), .help = "record the disassembly of instructions"},
	{"skip", 's', OPT_NUMBER, "N", FIELD(skip),
		.help = "do not record the first N instructions"},
	{"count", 'n', OPT_NUMBER, "N", .choices = opt_from_one, FIELD(count),
		.help = "record at most N instructions; the program runs on to its end"},
	{"start-at", 0, OPT_TEXT, "SYMBOL", FIELD(start),
		.help = "start at the first instruction of this function or address"},
	{"stop-at", 0, OPT_TEXT, "SYMBOL", FIELD(stop),
		.help = "stop after the first recorded instruction at this function or "
			"address"},
	{"threads", 0, OPT_CHOICE, "auto|merged|split", .choices = threads_words,
		FIELD(threads),
		.help = "write all threads to OUT, or each to a file with its number in the "
			"name (default auto: split if the format holds no threads; then OUT "
			"has the first one)"},
	{"with", 0, OPT_CHOICE, "qemu|lackey", .choices = with_words, FIELD(with),
		.help = "record with QEMU (default), or addresses and sizes alone with "
			"valgrind's tool lackey"},
	{"cpu", 0, OPT_TEXT, "MODEL", FIELD(cpu),
		.help = "emulate this model of processor; 'qemu-ppc -cpu help' lists those of "
			"PowerPC"},
	{"library-path", 'L', OPT_TEXT, "DIR", FIELD(libraries),
		.help = "find the dynamic linker and the shared libraries of the program in "
			"this folder"},
	{"help", 'h', OPT_HELP, .help = "print this help"},
	{0},
};

static const struct opt *const record_tables[] = {record_table, NULL};

/* Maximum arguments of the emulator before those of the program. */
#define EMULATOR_ARGUMENTS 12

/* State of a recording. */
struct record {
	const struct record_options *options;
	char *const *operands; /* the program and its arguments */
	struct program program;
	char emulator[32];
	char *plugin, *library_folder, *output;
	const struct poly_format_info *target;
	struct poly_recording *recording;
	struct poly_symbols *symbols; /* NULL: not needed */
	struct poly_write_options writing;
	struct thread_outputs outputs;
	struct child child;
	struct progress progress;
	bool has_failed; /* a message was printed */
};

static bool
print_error(const struct poly_error *error)
{
	diag_error("record", error);
	return false;
}

/* Returns the default name of the output: that of the program, with the extension of the
 * format.
 */
static char *
default_output(const struct record *record)
{
	const char *slash = strrchr(record->program.path, '/');
	const char *name = slash ? slash + 1 : record->program.path;
	const char *to = record->options->to;
	const struct poly_format_info *known = to ? poly_format_find(to) : NULL;
	const char *extension = known && *known->extensions ? known->extensions : to;
	const size_t n = to ? strcspn(extension, " :") : 0;
	const size_t size = strlen(name) + n + sizeof ".ptz";
	char *output = diag_allocate(size, 1);
	if (to)
		snprintf(output, size, "%s.%.*s", name, (int)n, extension);
	else
		snprintf(output, size, "%s.ptz", name);
	return output;
}

/* Sets the output and its format. */
static bool
find_output(struct record *record)
{
	const struct record_options *options = record->options;
	static char *const no_inputs[] = {NULL};
	if (options->output && strcmp(options->output, "-") == 0) {
		diag_print("record", "standard output is that of the program; name a file with "
				     "-o");
		return false;
	}
	if (options->output) {
		const size_t size = strlen(options->output) + 1;
		record->output = memcpy(diag_allocate(size, 1), options->output, size);
	} else {
		record->output = default_output(record);
	}
	record->target = options->to ? poly_format_find(options->to)
				     : poly_format_by_name(record->output, true);
	if (!record->target) {
		diag_print("record",
			options->to ? "no such format: '%s'; 'polytrace formats' "
				      "lists the formats"
				    : "no format has the ending of '%s'; name a "
				      "format with --to",
			options->to ? options->to : record->output);
		return false;
	}
	record->outputs.policy =
		(struct output_policy){options->force, no_inputs, {record->program.path}};
	record->outputs.path = record->output;
	return options->threads == THREADS_SPLIT ||
	       output_is_allowed(&record->outputs.policy, record->output);
}

/* Finds emulator, plugin and shared libraries of the program. */
static bool
find_emulator(struct record *record)
{
	const struct record_options *options = record->options;
	const struct program *program = &record->program;
	snprintf(record->emulator, sizeof record->emulator, "qemu-%s", program->target);
	if (!program_is_installed(record->emulator)) {
		diag_print("record",
			"the emulator %s is not installed; install the package qemu-user",
			record->emulator);
		return false;
	}
	if (!options->libraries)
		record->library_folder = program_library_folder(program);
	if (program->interpreter && !options->libraries && !record->library_folder &&
		!program_exists(program->interpreter)) {
		diag_print(program->path,
			"the dynamic linker of the program, %s, does not exist; name the "
			"folder of its libraries with -L, or link the program statically",
			program->interpreter);
		return false;
	}
	record->plugin = program_plugin();
	return record->plugin;
}

static int
discard_bytes(void *user, const void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}

/* Opens and closes a writer without an output, so that options that it refuses are reported
 * before the program runs. */
static bool
try_writer(struct record *record)
{
	const struct poly_sink sink = {discard_bytes, NULL};
	struct poly_writer *writer;
	struct poly_error error;
	const enum poly_status status = poly_writer_open_sink(&sink,
		poly_recording_info(record->recording), &record->writing, &writer, &error);
	poly_writer_close(writer);
	if (status != POLY_OK)
		diag_writer_error(record->output, &error);
	return status == POLY_OK;
}

/* Sets the options of the writers. */
static void
set_writing(struct record *record)
{
	const struct record_options *options = record->options;
	record->writing = (struct poly_write_options)POLY_WRITE_OPTIONS_INIT;
	record->writing.format = options->to ? options->to : record->target->name;
	record->writing.options = options->to_options.items;
	record->writing.labels = options->labels.items;
	record->writing.strict = options->strict;
	record->writing.overwrite = options->force;
	/* A run cannot be repeated: what was recorded outlives a killed recorder. */
	record->writing.keep_unfinished = true;
}

/* Creates the recording. */
static bool
new_recording(struct record *record)
{
	const struct record_options *options = record->options;
	struct poly_recording_options recording = POLY_RECORDING_OPTIONS_INIT;
	struct poly_error error;
	recording.target = record->program.target;
	recording.accesses = !options->no_data;
	recording.registers = options->registers;
	recording.texts = options->text;
	recording.functions = POLY_HAS(record->target->columns, sync);
	recording.skip = options->skip.value;
	recording.count = options->count.value;
	if (poly_recording_new(&recording, &record->recording, &error) != POLY_OK)
		return print_error(&error);
	set_writing(record);
	record->outputs.options = &record->writing;
	record->outputs.info = poly_recording_info(record->recording);
	return try_writer(record);
}

/* Adds a fact; texts have printable ASCII characters only. */
static void
add_fact(struct record *record, const char *key, const char *value)
{
	struct poly_error error;
	if (poly_recording_fact(record->recording, key, value, &error) != POLY_OK)
		diag_no_memory();
}

/* Adds the command line as a fact; other characters than printable ASCII ones become '?'. */
static void
add_command(struct record *record)
{
	size_t size = 1, used = 0;
	for (char *const *each = record->operands; *each; each++)
		size += strlen(*each) + 1;
	char *command = diag_allocate(size, 1);
	for (char *const *each = record->operands; *each; each++) {
		if (used)
			command[used++] = ' ';
		for (const char *p = *each; *p; p++)
			command[used++] = *p >= ' ' && *p < 0x7f ? *p : '?';
	}
	add_fact(record, "recording.command", command);
	free(command);
}

/* Determines the address of a symbol in the running program, or of a number. */
static bool
find_address(struct record *record, const char *option, const char *text, uint64_t *address)
{
	struct poly_error error;
	char *end;
	errno = 0;
	const uint64_t number = strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && !*end && !errno) {
		*address = number;
		return true;
	}
	if (!record->symbols &&
		poly_symbols_open(record->program.path, &record->symbols, &error) != POLY_OK) {
		diag_error(record->program.path, &error);
		return false;
	}
	const struct poly_symbol *symbol =
		poly_symbols_named(record->symbols, text, strlen(text));
	if (!symbol) {
		diag_print(option, "the program has no symbol '%s'; give an address", text);
		return false;
	}
	*address = symbol->address;
	return true;
}

/* Finds the addresses of both options; they are those of the file. */
static bool
find_addresses(struct record *record, uint64_t *start, uint64_t *stop)
{
	const struct record_options *options = record->options;
	return (!options->start || find_address(record, "--start-at", options->start, start)) &&
	       (!options->stop || find_address(record, "--stop-at", options->stop, stop));
}

/* Returns whether the emulator must execute one instruction at a time: of x86, blocks of
 * several count the iterations of repeated string instructions in another way; of PowerPC, the
 * addresses of some accesses are read from registers, which are up to date between blocks only.
 */
static bool
needs_single_steps(const struct record *record)
{
	const char *isa = poly_recording_isa(record->program.target);
	return strncmp(isa, "x86", 3) == 0 ||
	       (strcmp(isa, "powerpc") == 0 && !record->options->no_data);
}

static bool
start_program(struct record *record)
{
	const struct record_options *options = record->options;
	size_t count = 0, used = 0;
	char plugin[40];
	while (record->operands[count])
		count++;
	const size_t size = strlen(record->plugin) + sizeof plugin;
	char *load = diag_allocate(size, 1);
	const char **arguments = diag_allocate(count + EMULATOR_ARGUMENTS, sizeof *arguments);
	snprintf(load, size, "%s,channel=%d", record->plugin,
		poly_recording_file(record->recording));
	arguments[used++] = record->emulator;
	if (options->cpu) {
		arguments[used++] = "-cpu";
		arguments[used++] = options->cpu;
	}
	if (options->libraries || record->library_folder) {
		arguments[used++] = "-L";
		arguments[used++] =
			options->libraries ? options->libraries : record->library_folder;
	}
	if (options->registers || needs_single_steps(record))
		arguments[used++] = "-singlestep";
	arguments[used++] = "-plugin";
	arguments[used++] = load;
	arguments[used++] = "-0";
	arguments[used++] = record->operands[0];
	arguments[used++] = record->program.path;
	for (size_t i = 1; i < count; i++)
		arguments[used++] = record->operands[i];
	const bool started = child_start(&record->child, arguments);
	free(arguments);
	free(load);
	return started;
}

/* Waits until the program is loaded; false, after a message: it has ended before. */
static bool
wait_until_loaded(struct record *record, uint64_t *code)
{
	while (!poly_recording_is_loaded(record->recording, code)) {
		child_update(&record->child);
		if (record->child.has_ended) {
			diag_print(record->program.path,
				"%s has ended before the program was loaded (%s %d)",
				record->emulator,
				record->child.signal ? "signal" : "exit status",
				record->child.signal ? record->child.signal
						     : record->child.status);
			return false;
		}
		child_wait(&record->child);
	}
	return true;
}

/* Watches the functions of the program that synchronize threads. */
static void
watch_functions(struct record *record, uint64_t offset)
{
	const struct poly_symbol *symbol;
	if (!POLY_HAS(record->target->columns, sync) ||
		(!record->symbols && poly_symbols_open(record->program.path, &record->symbols,
					     NULL) != POLY_OK))
		return;
	for (size_t i = 0; (symbol = poly_symbols_at(record->symbols, i)) != NULL; i++) {
		if (symbol->is_code && strncmp(symbol->name, "pthread_", 8) == 0)
			poly_recording_watch(
				record->recording, symbol->name, symbol->address + offset);
	}
}

/* Starts the program and opens the output before its first instruction. */
static bool
begin(struct record *record)
{
	uint64_t start = 0, stop = 0, code;
	char text[40];
	if (!find_addresses(record, &start, &stop) || !start_program(record) ||
		!wait_until_loaded(record, &code))
		return false;
	const uint64_t offset = code - record->program.code;
	add_command(record);
	if (record->options->cpu)
		add_fact(record, "recording.cpu", record->options->cpu);
	if (offset) {
		snprintf(text, sizeof text, "0x%" PRIx64, offset);
		add_fact(record, "recording.load_offset", text);
	}
	watch_functions(record, offset);
	start += offset;
	stop += offset;
	if (!thread_outputs_open(&record->outputs, (enum thread_files)record->options->threads))
		return false;
	poly_recording_run(record->recording, record->options->start ? &start : NULL,
		record->options->stop ? &stop : NULL);
	return true;
}

/* Writes the rows that there are; returns whether there were any. */
static bool
write_rows(struct record *record)
{
	const struct poly_batch *batch;
	struct poly_error error;
	bool any = false;
	enum poly_status status;
	while ((status = poly_recording_next(record->recording, &batch, &error)) == POLY_OK) {
		any = true;
		if (record->has_failed)
			continue;
		record->has_failed = !thread_outputs_write(&record->outputs, batch);
		if (record->has_failed || poly_recording_is_complete(record->recording))
			poly_recording_stop(record->recording);
	}
	if (status != POLY_END && !record->has_failed) {
		record->has_failed = true;
		poly_recording_stop(record->recording);
		print_error(&error);
	}
	return any && status == POLY_END;
}

/* Records until the program has ended. */
static void
record_program(struct record *record)
{
	struct poly_recording_counts counts;
	progress_start(&record->progress, true);
	while (!record->child.has_ended) {
		const bool any = write_rows(record);
		child_update(&record->child);
		if (any) {
			poly_recording_count(record->recording, &counts);
			progress_count(&record->progress, counts.instructions, "instructions");
			child_work(&record->child);
		} else if (!record->child.has_ended) {
			child_wait(&record->child);
		}
	}
	poly_recording_finish(record->recording);
	write_rows(record);
	progress_clear(&record->progress);
}

/* Prints what was recorded, and what was not. */
static void
print_counts(const struct record *record)
{
	struct poly_recording_counts counts;
	char processes[40] = "";
	poly_recording_count(record->recording, &counts);
	if (counts.forks)
		snprintf(processes, sizeof processes, " in %" PRIu64 " processes",
			counts.forks + 1);
	diag_print(record->output,
		"recorded %" PRIu64 " instruction%s of %" PRIu64 " thread%s%s",
		counts.instructions, counts.instructions == 1 ? "" : "s", counts.threads,
		counts.threads == 1 ? "" : "s", processes);
	if (counts.executions)
		diag_times("record",
			"the program executed another program, which is not recorded",
			counts.executions);
	if (counts.lacks_registers)
		diag_print("record",
			"%s were not recorded: %s does not let its plugins read registers",
			record->options->registers
				? "registers, and what follows from them,"
				: "synchronization, and accesses that follow from registers,",
			record->emulator);
	if (counts.lost_threads)
		diag_print("record",
			"%" PRIu64 " threads were not recorded: more than 512 at a time",
			counts.lost_threads);
	if (counts.lost_sites)
		diag_print("record",
			"%" PRIu64 " static instructions were not recorded: too many",
			counts.lost_sites);
}

/* Lets the command end as the program did; returns the exit status. */
static int
end_as(const struct child *child)
{
	if (child->signal) {
		diag_print("record", "the program was killed by signal %d (%s)", child->signal,
			strsignal(child->signal));
		progress_end_by(child->signal);
	}
	return child->status;
}

/* Returns whether all options apply to lackey; prints a message if not. */
static bool
suits_lackey(const struct record_options *options)
{
	const char *option = options->registers			 ? "--registers"
			     : options->no_data			 ? "--no-data"
			     : options->text			 ? "--text"
			     : options->skip.is_set		 ? "--skip"
			     : options->count.is_set		 ? "--count"
			     : options->start			 ? "--start-at"
			     : options->stop			 ? "--stop-at"
			     : options->threads == THREADS_SPLIT ? "--threads=split"
			     : options->cpu			 ? "--cpu"
			     : options->libraries		 ? "--library-path"
								 : NULL;
	if (option)
		diag_print("record", "%s does not apply to '--with=lackey'", option);
	return !option;
}

/* Runs the program under valgrind; returns the exit status. */
static int
run_lackey(struct record *record)
{
	struct lackey_run run = {.operands = record->operands,
		.output = record->output,
		.writing = &record->writing};
	set_writing(record);
	if (!suits_lackey(record->options) || !program_is_native(&record->program) ||
		!lackey_run(&run))
		return STATUS_ERROR;
	return end_as(&run.child);
}

/* Runs and records the program; returns the exit status. */
static int
run(struct record *record)
{
	if (!begin(record)) {
		child_kill(&record->child);
		return STATUS_ERROR;
	}
	record_program(record);
	if (record->has_failed || !thread_outputs_finish(&record->outputs))
		return STATUS_ERROR;
	print_counts(record);
	return end_as(&record->child);
}

static void
free_record(struct record *record)
{
	thread_outputs_free(&record->outputs);
	poly_recording_free(record->recording);
	poly_symbols_free(record->symbols);
	program_free(&record->program);
	free(record->plugin);
	free(record->library_folder);
	free(record->output);
}

static int
record_run(void *fields, char **operands)
{
	struct record record = {.options = fields, .operands = operands};
	int status = STATUS_ERROR;
	record.child.has_ended = true;
	if (!operands[0])
		diag_print("record", "no program; name it and its arguments after --");
	else if (record.options->no_data && record.options->registers)
		diag_print("record", "--no-data and --registers exclude each other");
	else if (program_find(&record.program, operands[0]) && find_output(&record))
		status = record.options->with == WITH_LACKEY ? run_lackey(&record)
			 : find_emulator(&record) && new_recording(&record) ? run(&record)
									    : STATUS_ERROR;
	free_record(&record);
	return status;
}

const struct command command_record = {
	.name = "record",
	.group = GROUP_RECORD,
	.summary = "record a program while it runs",
	.usage = "[options] -- PROGRAM [ARGUMENT...]",
	.examples = {"polytrace record -- ls -l",
		"polytrace record --registers -o true.jsonl -- true"},
	.options = record_tables,
	.options_size = sizeof(struct record_options),
	.run = record_run,
};
