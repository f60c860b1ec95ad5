/* SPDX-License-Identifier: MIT */
/*
 * The laws: what must hold of every format in the registry, tried on every sample. TAP.
 *
 * usage: laws ROOT SAMPLES [threads]: all laws, or those that start threads. A line of SAMPLES
 * is "format path [option=value]"; paths are relative to ROOT/tests/data. Of bytes that read
 * the same as two formats, name the preferred one.
 */
#include "format_law.h"

#include "../memory_law.h"

#include "format/core/format.h"

#include <stdlib.h>
#include <string.h>

struct rewriting_in_need {
	const struct sample *sample;
	struct poly_read_options options;
	struct buf out;
	enum poly_status expected; /* if there is memory */
};

/* Rewrites the first bytes of a sample; the sink has room. */
static enum poly_status
rewrite_start(void *context)
{
	struct rewriting_in_need *rewriting = context;
	const struct sample *sample = rewriting->sample;
	struct outcome outcome;
	rewrite(sample->data, sample->size < 4096 ? sample->size : 4096, &rewriting->options,
		&rewriting->out, &outcome);
	return outcome.status == rewriting->expected ? POLY_OK : outcome.status;
}

/* Lack of memory is reported, or the reader does without. */
static bool
law_lack_of_memory(const struct sample *sample, const struct poly_read_options *options)
{
	struct rewriting_in_need rewriting = {
		.sample = sample, .options = *options, .expected = POLY_OK};
	rewriting.options.check = true;
	buf_reserve(&rewriting.out, (size_t)16 * 4096 + 65536);
	rewriting.expected = rewrite_start(&rewriting);
	const struct memory_result result =
		memory_law_check(&(struct memory_law){.run = rewrite_start,
			.context = &rewriting,
			.is_tolerant = true,
			.is_sampled = true});
	buf_free(&rewriting.out);
	return !result.fault[0] || fails("%s", result.fault);
}

static const struct {
	const char *name;
	format_law *holds;
	bool threads; /* it starts some */
} laws[] = {
	{"what_is_read_is_written_the_same", law_identity, false},
	{"what_is_packed_is_unpacked_the_same", law_packing, false},
	{"packing_does_not_depend_on_batches", law_packing_of_batches, true},
	{"truncation_loses_nothing", law_truncation, false},
	{"flipped_bytes_are_survived", law_flipped_bytes, false},
	{"joined_traces_have_the_rows_of_both", law_joining, false},
	{"blocks_and_batches_change_nothing", law_blocks_and_batches, true},
	{"threads_change_nothing", law_threads, true},
	{"threads_change_nothing_of_repeated_samples", law_threads_repeated, true},
	{"threads_change_nothing_of_packed_samples", law_threads_packed, true},
	{"decoders_write_the_same", law_encoding_decoders, true},
	{"projection_changes_nothing", law_projection, false},
	{"writers_say_which_columns_they_look_at", law_writers_columns, false},
	{"the_end_is_sticky", law_end_is_sticky, false},
	{"content_tells_the_format", law_detection, false},
	{"probes_are_pure", law_probes_are_pure, false},
	{"checking_changes_nothing", law_check_and_strict, false},
	{"lack_of_memory_is_reported", law_lack_of_memory, false},
};

static bool
load(struct sample *sample, const char *root)
{
	char path[600];
	snprintf(path, sizeof path, "%s/tests/data/%s", root, sample->name.path);
	FILE *file = fopen(path, "rb");
	if (!file)
		return fails("cannot open %s", path);
	fseek(file, 0, SEEK_END);
	sample->size = (size_t)ftell(file);
	rewind(file);
	sample->data = malloc(sample->size ? sample->size : 1);
	bool good = fread(sample->data, 1, sample->size, file) == sample->size;
	fclose(file);
	return good || fails("cannot read %s", path);
}

/* False where the build lacks the library that the sample's format needs. */
static bool
can_be_read(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error;
	enum poly_status status =
		poly_reader_open_memory(sample->data, sample->size, options, &reader, &error);
	poly_reader_close(reader);
	return status != POLY_ERR_UNSUPPORTED || fails("%s", error.message);
}

static void
try_sample(struct sample *sample, const char *root, bool threads)
{
	if (!load(sample, root)) {
		law_result(false, "the_sample_is_there", sample->name.path);
		return;
	}
	const char *words[] = {sample->name.option, NULL};
	const struct poly_read_options options = read_options(sample, words);
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		if ((threads && !laws[i].threads) || !sample_takes_share(LAWS_SHARE))
			continue;
		fails("no reason");
		const bool readable = can_be_read(sample, &options),
			   holds = readable && laws[i].holds(sample, &options);
		if (readable && (holds || !law_lacks_library()))
			law_result(holds, laws[i].name, sample->name.path);
		else
			law_skip(laws[i].name, sample->name.path);
	}
	free(sample->data);
}

/* Empty input and zeros match no format. */
static void
try_zeros(void)
{
	static const uint8_t zeros[65536];
	const struct format *format;
	for (size_t i = 0; (format = format_at(i)); i++) {
		struct probe_note note = {.text = ""};
		bool good = !format->probe ||
			    (format->probe(zeros, 0, true, &note) <= 0 &&
				    format->probe(zeros, sizeof zeros, true, &note) <= 0);
		fails("%s bids", format->info.name);
		law_result(good, "zeros_are_no_format", "all");
	}
}

/* A format that is read and written must have a sample. */
static void
try_coverage(const char *names)
{
	const struct format *format;
	for (size_t i = 0; (format = format_at(i)); i++) {
		char word[40];
		snprintf(word, sizeof word, " %s ", format->info.name);
		bool good = !format->info.can_read || strstr(names, word);
		fails("%s has no sample", format->info.name);
		law_result(good, "every_format_has_a_sample", "all");
	}
}

int
main(int argc, char **argv)
{
	const bool threads = argc == 4 && strcmp(argv[3], "threads") == 0;
	FILE *list = argc == 3 || threads ? fopen(argv[2], "r") : NULL;
	struct sample sample = {.size = 0};
	struct buf names = {0};
	if (!list) {
		fprintf(stderr, "usage: laws ROOT SAMPLES [threads]\n");
		return 2;
	}
	buf_string(&names, " ");
	while (next_sample(list, &sample.name)) {
		buf_printf(&names, "%s ", sample.name.format);
		try_sample(&sample, argv[1], threads);
	}
	fclose(list);
	if (sample_is_complete())
		expect_encoding();
	if (!threads) {
		try_zeros();
		try_coverage(buf_text(&names));
	}
	buf_free(&names);
	return law_end();
}
