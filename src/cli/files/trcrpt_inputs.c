/* SPDX-License-Identifier: MIT */
/* Inputs of the command trcrpt. */
#include "cli/files/trcrpt_inputs.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit of CPU numbers. */
#define CPUS_MAX 4096

static void
grow(struct traces *traces)
{
	if (traces->count < traces->capacity)
		return;
	size_t capacity = traces->capacity ? 2 * traces->capacity : 8;
	struct command_input *sources = diag_allocate(capacity, sizeof *sources);
	struct poly_source *inputs = diag_allocate(capacity, sizeof *inputs);
	const char **names = diag_allocate(capacity, sizeof *names);
	char **owned_names = diag_allocate(capacity, sizeof *owned_names);
	for (size_t i = 0; i < traces->count; i++) {
		sources[i] = traces->sources[i];
		inputs[i] = traces->inputs[i];
		names[i] = traces->names[i];
		owned_names[i] = traces->owned_names[i];
	}
	free(traces->sources);
	free(traces->inputs);
	free(traces->names);
	free(traces->owned_names);
	traces->sources = sources;
	traces->inputs = inputs;
	traces->names = names;
	traces->owned_names = owned_names;
	traces->capacity = capacity;
}

/*
 * Opens an input: what detection does not recognize is a stream of bare events, which have no
 * magic. Standard input cannot be read twice, so it is AIX's unless a format is set.
 */
static bool
open_source(struct command_input *source, const char *path, const struct input_options *options,
	const struct input_needs *wants)
{
	struct input_needs quiet = *wants;
	struct input_options own = *options;
	if (options->from)
		return input_open(source, path, options, wants);
	quiet.quiet = true;
	if (strcmp(path, "-") != 0 && input_open(source, path, options, &quiet))
		return true;
	own.from = "aix";
	return input_open(source, path, &own, wants);
}

bool
traces_open(struct traces *traces, const char *path, const struct input_options *options)
{
	const struct input_needs wants = {.columns = traces->columns, .prints = true};
	grow(traces);
	struct command_input *source = &traces->sources[traces->count];
	if (traces->verbose)
		diag_print(NULL, "reading '%s'", path);
	if (!open_source(source, path, options, &wants))
		return false;
	if (!POLY_HAS(poly_reader_info(source->reader)->columns, hook)) {
		diag_print(source->name, "format '%s' has no trace hooks",
			poly_reader_format(source->reader)->name);
		input_discard(source);
		return false;
	}
	traces->options = options;
	traces->inputs[traces->count] = poly_reader_source(source->reader);
	traces->names[traces->count] = source->name;
	traces->count++;
	return true;
}

/* Opens the file of a CPU. */
static bool
open_cpu(struct traces *traces, const char *base, unsigned cpu,
	const struct input_options *options)
{
	size_t size = strlen(base) + 16;
	char *path = diag_allocate(size, 1);
	snprintf(path, size, "%s-%u", base, cpu);
	if (!traces_open(traces, path, options)) {
		free(path);
		return false;
	}
	traces->owned_names[traces->count - 1] = path;
	return true;
}

static bool
is_there(const char *base, unsigned cpu)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s-%u", base, cpu);
	return n > 0 && n < (int)sizeof path && access(path, F_OK) == 0;
}

/* Parses "3" or "2-5" at *list and moves that past it. */
static bool
parse_range(const char **list, unsigned long *from, unsigned long *last)
{
	char *end;
	if (**list < '0' || **list > '9')
		return false;
	*from = *last = strtoul(*list, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*last = strtoul(end + 1, &end, 10);
	*list = end;
	return *from <= *last && *last < CPUS_MAX && (*end == 0 || *end == ',' || *end == ' ');
}

bool
traces_open_cpus(struct traces *traces, const char *base, const char *list,
	const struct input_options *options)
{
	unsigned long from, last;
	if (strcmp(list, "all") == 0) {
		const size_t before = traces->count;
		/* Possibly only some of the CPUs were traced. */
		for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
			if (is_there(base, cpu) && !open_cpu(traces, base, cpu, options))
				return false;
		}
		if (traces->count == before)
			diag_print(base, "no file of a CPU found, such as '%s-0'", base);
		return true;
	}
	while (*list) {
		if (!parse_range(&list, &from, &last)) {
			diag_print("trcrpt",
				"option '-C': invalid list at '%s' (expected 'all' or CPUs "
				"such as '0,2-3')",
				list);
			return false;
		}
		for (; from <= last; from++) {
			if (!open_cpu(traces, base, (unsigned)from, options))
				return false;
		}
		list += *list != 0;
	}
	return true;
}

static void
close_head(struct traces *traces)
{
	if (traces->has_head)
		input_discard(&traces->head);
	traces->has_head = false;
}

/* Opens another reading of a file, as the head of struct poly_trcrpt_inputs. */
static bool
open_head(void *user, size_t i, struct poly_source *source)
{
	struct traces *traces = user;
	const struct input_needs wants = {.columns = traces->columns, .quiet = true};
	struct stat file;
	close_head(traces);
	if (stat(traces->names[i], &file) != 0 || !S_ISREG(file.st_mode) ||
		!open_source(&traces->head, traces->names[i], traces->options, &wants))
		return false;
	traces->has_head = true;
	*source = poly_reader_source(traces->head.reader);
	return true;
}

struct poly_trcrpt_inputs
traces_inputs(struct traces *traces)
{
	return (struct poly_trcrpt_inputs){.sources = traces->inputs,
		.names = traces->names,
		.count = traces->count,
		.head = open_head,
		.user = traces};
}

void
traces_failed(struct traces *traces, size_t i, const struct poly_error *error)
{
	traces->sources[i].status = error->status;
	traces->sources[i].error = *error;
}

int
traces_close(struct traces *traces)
{
	close_head(traces);
	int worst = STATUS_DONE;
	for (size_t i = 0; i < traces->count; i++) {
		int status = input_close(&traces->sources[i]);
		if (status > worst)
			worst = status;
		free(traces->owned_names[i]);
	}
	free(traces->sources);
	free(traces->inputs);
	free(traces->names);
	free(traces->owned_names);
	*traces = (struct traces){0};
	return worst;
}

bool
trcrpt_read_text(const char *path, struct poly_trcrpt_text *text)
{
	struct poly_error error;
	char *all;
	size_t n;
	if (poly_template_text_load(path, &all, &n, &error) != POLY_OK) {
		diag_error(diag_input_name(path), &error);
		return false;
	}
	*text = (struct poly_trcrpt_text){all, n, path};
	return true;
}
