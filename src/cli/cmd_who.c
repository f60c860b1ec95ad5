/* SPDX-License-Identifier: MIT */
/* polytrace who: finds the last writer or the next reader of a register or address. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct who_options {
	struct source_options source; /* first: the reading options are in it */
	const char *reg, *address;
	struct opt_number before, after;
};

static const struct opt who_table[] = {
	{"reg", 'r', OPT_TEXT, "NAME", NULL, offsetof(struct who_options, reg),
		"find accesses to register NAME"},
	{"addr", 'a', OPT_TEXT, "ADDRESS", NULL, offsetof(struct who_options, address),
		"find accesses to ADDRESS, a number or a symbol"},
	{"before", 0, OPT_NUMBER, "N", NULL, offsetof(struct who_options, before),
		"find the last writer before record N (default: the end of the trace)"},
	{"after", 0, OPT_NUMBER, "N", NULL, offsetof(struct who_options, after),
		"find the first reader after record N"},
	{0},
};

static const struct opt *const who_tables[] = {
	who_table, rendering_table, selection_table, source_table, NULL};

/* Parses an address or symbol; prints an error and returns false on failure. */
static bool
find_address(const struct source *source, const char *text, uint64_t *address)
{
	char *end;
	const struct poly_symbol *symbol =
		source->symbols ? poly_symbols_named(source->symbols, text, strlen(text))
				: NULL;
	const bool has_prefix = text[0] == '0' && (text[1] | 32) == 'x';
	errno = 0;
	*address = symbol ? symbol->address : strtoull(text, &end, has_prefix ? 16 : 10);
	if (symbol || (isdigit((unsigned char)*text) && !*end && !errno))
		return true;
	say("who", "'%s' is not an address%s", text,
		source->symbols ? " or symbol" : "; for symbols use '--symbols'");
	return false;
}

/* Runs the query on an input; prints an error and returns NULL on failure. */
static struct poly_defuse *
run_query(struct source *source, const struct who_options *options)
{
	struct poly_defuse_options query = POLY_DEFUSE_OPTIONS_INIT;
	struct poly_defuse *defuse;
	struct poly_error error;
	query.reg = options->reg;
	if (options->address && !find_address(source, options->address, &query.address))
		return NULL;
	query.is_reader = options->after.given;
	if (options->before.given)
		query.record = options->before.value;
	if (options->after.given)
		query.record = options->after.value;
	if (poly_defuse_new(&query, poly_reader_info(source->reader), &defuse, &error) !=
		POLY_OK) {
		say_error(source->name, &error);
		return NULL;
	}
	const struct poly_batch *batch;
	while ((batch = source_next(source)) && poly_defuse_update(defuse, batch))
		;
	if (poly_defuse_failed(defuse))
		say_no_memory();
	return defuse;
}

static int
who_one(struct inputs *inputs, const char *path)
{
	const struct who_options *options = inputs->command;
	const struct source_wants wants = {.columns = poly_defuse_columns()};
	struct source source;
	int status = STATUS_TROUBLE;
	if (!source_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	struct poly_defuse *defuse = run_query(&source, options);
	progress_clear(&source.progress);
	if (defuse) {
		struct poly_report *report = source_report();
		poly_report_text(report, "file", source.name);
		poly_defuse_report(defuse, report);
		status = source_render(report, inputs->options, inputs->output);
		output_flush(inputs->output);
	}
	if (defuse && !poly_defuse_found(defuse) && status == STATUS_DONE) {
		status = STATUS_NEGATIVE;
		if (!source_partial(&source))
			say(source.name, "no %s found",
				options->after.given ? "reader" : "writer");
	}
	poly_defuse_free(defuse);
	const int ended = source_close(&source);
	return status > ended ? status : ended;
}

static int
who_run(void *fields, char **operands)
{
	const struct who_options *options = fields;
	const char *fault = NULL;
	if (!options->reg == !options->address)
		fault = "expected either '--reg' or '--addr'";
	else if (options->before.given && options->after.given)
		fault = "options '--before' and '--after' exclude each other";
	if (fault) {
		say("who", "%s", fault);
		return STATUS_TROUBLE;
	}
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = true,
		.one = who_one};
	return inputs_run(&inputs, operands);
}

const struct command command_who = {
	.name = "who",
	.summary = "find the last writer or the next reader of a register or address",
	.usage = "[options] [FILE...]",
	.options = who_tables,
	.options_size = sizeof(struct who_options),
	.run = who_run,
};
