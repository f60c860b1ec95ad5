/* SPDX-License-Identifier: MIT */
/*
 * Detects the forms of AIX traces, and reads their headers.
 *
 * spec: AIX <sys/trchdr.h>.
 */
#include "format/aix/aix.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Bytes by which the form of bare events is detected. */
#define SAMPLE_BYTES ((size_t)16 << 10)

/* Maximum offset of the sample. */
#define SAMPLE_OFFSET_MAX ((uint64_t)64 << 10)

/* The first hook of bare events that are detected without aix.form. */
#define HOOK_HEADER 0x0030

/* Maximum bytes of a table of hooks. */
#define HOOKS_MAX ((size_t)64 << 10)

/* Maximum evidence of structure alone, and that of a magic, in bits. */
#define STRUCTURE_BITS 24
#define MAGIC_BITS 32

const char *const aix_record_names[AIX_RECORD_COUNT] = {
	[AIX_HOOK32] = "hook32",
	[AIX_HOOK64] = "hook64",
	[AIX_HEADER] = "header",
	[AIX_BLOCK] = "block",
	[AIX_GAP] = "gap",
	[AIX_CORRUPT] = "corrupt",
};

static bool
is_magic(uint32_t magic)
{
	return aix_header_size(magic) || magic == AIX_MAGIC_STREAM;
}

/*
 * Returns whether the sizes of the generic entries of a sample count their data words: as the
 * reading by which more bytes are entries; as the specification states if both are equal.
 */
static bool
sizes_count_words(const uint8_t *p, size_t n)
{
	struct aix_form form = {.wide = true, .has_tid = true};
	const size_t buffer = aix_chain_size(&form, p, n);
	form.length_is_data = true;
	return aix_chain_size(&form, p, n) >= buffer;
}

/* Finds the form of bare events with more evidence; returns the evidence in bits. */
static int
guess_form(const uint8_t *p, size_t n, bool at_end, struct aix_form *form)
{
	const struct aix_form narrow = {.has_tid = true},
			      wide = {.wide = true,
				      .has_tid = true,
				      .length_is_data = sizes_count_words(p, n)};
	int narrow_bits = aix_chain_bits(&narrow, p, n, at_end);
	int wide_bits = aix_chain_bits(&wide, p, n, at_end);
	*form = wide_bits > narrow_bits ? wide : narrow;
	return wide_bits > narrow_bits ? wide_bits : narrow_bits;
}

/*
 * Returns the number of complete entries at the front, at most three, the first of which is a
 * header entry; *rest is the number of bytes after them.
 */
static unsigned
count_entries(const struct aix_form *form, const uint8_t *p, size_t n, size_t *rest)
{
	unsigned count = 0;
	struct aix_entry entry;
	while (count < 3 && aix_entry_parse(form, p, n, &entry) == AIX_COMPLETE &&
		(count || entry.hook == HOOK_HEADER)) {
		p += entry.length;
		n -= entry.length;
		count++;
	}
	*rest = n;
	return count;
}

int
aix_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	struct aix_form form;
	uint32_t magic = n >= 4 ? load_be32(p) : 0;
	if (is_magic(magic)) {
		snprintf(note->text, sizeof note->text, "magic 0x%08x", magic);
		return MAGIC_BITS;
	}
	size_t sample = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	int bits = guess_form(p, sample, eof && n <= SAMPLE_BYTES, &form);
	size_t rest;
	const unsigned entries = count_entries(&form, p, sample, &rest);
	note->consistent = bits && entries && (entries == 3 || !rest);
	if (entries < 3 || !bits)
		return 0;
	snprintf(note->text, sizeof note->text,
		"begins with hook 003 and other entries of %d-bit hook words",
		form.wide ? 64 : 32);
	return bits < STRUCTURE_BITS - 12 ? 12 + bits : STRUCTURE_BITS;
}

static bool
number_fact(struct reading *reading, const char *key, const char *format, uint64_t v)
{
	char text[40];
	snprintf(
		text, sizeof text, format[0] == 'x' ? "0x%llx" : "%llu", (unsigned long long)v);
	return info_fact(reading->info, key, text);
}

/* Stores the values of a header as facts. */
static bool
header_facts(struct reading *reading, const struct aix_header *header)
{
	return number_fact(reading, "aix.entries", "d", header->entries) &&
	       number_fact(reading, "aix.currentry", "d", header->current) &&
	       number_fact(reading, "aix.mode", "x", header->mode) &&
	       number_fact(reading, "aix.wrapcount", "d", header->wraps) &&
	       number_fact(reading, "aix.ic.offset", "d", header->initial) &&
	       number_fact(reading, "aix.ic.size", "d", header->initial_size);
}

static bool
state_facts(struct reading *reading)
{
	const struct aix_reader *state = reading->state;
	const struct aix_form *form = &state->form;
	const char *container = !state->magic			   ? "raw"
				: state->magic == AIX_MAGIC_STREAM ? "stream"
								   : "log";
	return info_fact(reading->info, "aix.container", container) &&
	       number_fact(reading, "aix.word", "d", form->wide ? 64 : 32) &&
	       (!state->magic || number_fact(reading, "aix.magic", "x", state->magic)) &&
	       (form->wide ||
		       info_fact(reading->info, "aix.tid", form->has_tid ? "yes" : "no")) &&
	       (!form->length_is_data || info_fact(reading->info, "aix.len64g", "data"));
}

/* Reads the header, the directory and the list of blocks. */
static enum poly_status
open_log(struct reading *reading, struct poly_error *error)
{
	struct aix_reader *state = reading->state;
	struct aix_header *header = &state->header;
	size_t have, size = aix_header_size(state->magic);
	const uint8_t *p = in_peek(reading->in, size, &have);
	header->magic = state->magic;
	header->size = size;
	state->front = size;
	state->short_front = have < size;
	if (state->short_front)
		return POLY_OK;
	aix_header_load(header, p);
	uint64_t front = aix_front_size(header);
	struct aix_header read = *header;
	if (front > AIX_DIRECTORY_MAX) {
		findings_add(reading->findings, AIX_L02, 1, 0,
			"the directory has %u entries, at most %zu are supported; it is "
			"skipped",
			header->entries, (AIX_DIRECTORY_MAX - size) / header->entry);
		read.entries = 0;
		front = size;
	}
	p = in_peek(reading->in, (size_t)front, &have);
	state->front = (size_t)front;
	state->short_front = have < front;
	if (state->short_front)
		read.entries = (uint32_t)((have - size) / header->entry);
	if (header->entries && header->current >= header->entries)
		findings_add(reading->findings, AIX_L02, 1, 8, "currentry is %u of %u entries",
			header->current, header->entries);
	if (!aix_blocks_find(&read, p + size, read.entries, &state->blocks) ||
		!header_facts(reading, header))
		return err_memory(error);
	if (state->blocks.overlaps)
		findings_add(reading->findings, AIX_L03, 1, state->blocks.overlap,
			"%zu blocks begin within the directory or another block, the first at "
			"%llu; they are not read",
			state->blocks.overlaps, (unsigned long long)state->blocks.overlap);
	return POLY_OK;
}

static enum poly_status
open_bare(struct reading *reading, struct poly_error *error)
{
	struct aix_reader *state = reading->state;
	size_t have;
	const uint64_t named = reading->options[AIX_OPTION_FORM];
	state->is_inside = true;
	state->left = UINT64_MAX;
	if (named) {
		state->form.wide = named == AIX_FORM_RAW64;
		return POLY_OK;
	}
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	have = have < SAMPLE_BYTES ? have : SAMPLE_BYTES;
	/* An empty file has no events. */
	if (guess_form(p, have, have < SAMPLE_BYTES, &state->form) || have == 0)
		return POLY_OK;
	char first[40] = "fewer than 4 bytes";
	if (have >= 4)
		snprintf(first, sizeof first, "0x%08x", load_be32(p));
	return err_set(error, POLY_ERR_FORMAT, 0,
		"L01: the trace begins with %s, expected the magic of a log, 0xefdf1111 to "
		"0xefdf1114, or events; set aix.form=raw32 or aix.form=raw64 for bare events",
		first);
}

/* Returns whether the sizes of 64-bit generic entries count their data words, by the first
 * events of the trace. */
static bool
detect_length(const struct reading *reading)
{
	const struct aix_reader *state = reading->state;
	uint64_t at = state->front;
	size_t have;
	if (aix_header_size(state->magic) && state->header.initial_size)
		at = state->header.initial;
	if (at > SAMPLE_OFFSET_MAX)
		at = state->front;
	const uint8_t *p = in_peek(reading->in, (size_t)at + SAMPLE_BYTES, &have);
	if (have <= at)
		return false;
	have -= (size_t)at;
	return sizes_count_words(p + at, have < SAMPLE_BYTES ? have : SAMPLE_BYTES);
}

/* Returns the columns that are absent in every row of such a trace. */
static poly_columns
absent_columns(const struct aix_reader *state)
{
	poly_columns absent = POLY_NO_COLUMNS;
	if (!aix_header_size(state->magic))
		absent = poly_columns_union(absent, POLY_COLUMNS(address, size, value));
	if (!state->form.wide)
		poly_columns_add(&absent, POLY_COLUMN_counters);
	if (!state->form.wide && !(state->header.mode & AIX_MODE_CPU_FILE))
		poly_columns_add(&absent, POLY_COLUMN_cpu);
	if (!state->form.wide && !state->form.has_tid)
		poly_columns_add(&absent, POLY_COLUMN_thread);
	return absent;
}

/* Loads the table of hooks from a file. */
static enum poly_status
load_hooks(struct aix_reader *state, const char *path, struct poly_error *error)
{
	struct in *in;
	size_t have;
	struct poly_error failure;
	enum poly_status status = in_open(path, NULL, &in, &failure);
	if (status != POLY_OK)
		return err_set(error, status, POLY_NO_OFFSET, "'%s' %s", path, failure.message);
	const uint8_t *p = in_peek(in, HOOKS_MAX + 1, &have);
	status = in_status(in, &failure);
	if (status < 0)
		err_set(error, status, failure.offset, "'%s' %s", path, failure.message);
	if (status == POLY_OK && have > HOOKS_MAX)
		status = err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"'%s' has more than %zu bytes, the limit of a table of hooks", path,
			HOOKS_MAX);
	if (status >= POLY_OK)
		status = aix_attribution_new(
			(const char *)p, have, path, &state->attribution, error);
	in_close(in);
	return status;
}

/* Loads the table of hooks of the option, if it is set. */
static enum poly_status
load_option_hooks(struct reading *reading, struct poly_error *error)
{
	const char *path = reading->texts ? reading->texts[AIX_OPTION_HOOKS] : NULL;
	return path ? load_hooks(reading->state, path, error) : POLY_OK;
}

/* Returns whether a log is not read in the order of the file, or events anywhere name its cpu.
 */
static bool
is_unsplittable(const struct aix_reader *state)
{
	size_t i = 0;
	while (i < state->blocks.count && state->blocks.order[i] == i)
		i++;
	return i < state->blocks.count || state->short_front ||
	       (state->header.mode & AIX_MODE_CPU_FILE);
}

enum poly_status
aix_open(struct reading *reading, struct poly_error *error)
{
	struct aix_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	enum poly_status status;
	size_t have;
	const uint8_t *p = in_peek(reading->in, 4, &have);
	uint32_t magic = have >= 4 ? load_be32(p) : 0;
	state->magic = is_magic(magic) && !reading->options[AIX_OPTION_FORM] ? magic : 0;
	if (aix_header_size(state->magic)) {
		status = open_log(reading, error);
	} else if (state->magic) {
		state->front = 4;
		state->is_inside = true;
		state->left = UINT64_MAX;
		status = POLY_OK;
	} else {
		status = open_bare(reading, error);
	}
	if (status == POLY_OK)
		status = load_option_hooks(reading, error);
	if (status != POLY_OK)
		return status;
	const uint64_t tid = reading->options[AIX_OPTION_TID];
	if (state->magic)
		state->form.wide = magic == AIX_MAGIC_64 || magic == AIX_MAGIC_STREAM;
	state->form.has_tid = tid ? tid == AIX_TID_YES : magic != AIX_MAGIC_OLD;
	state->form.length_is_data = reading->options[AIX_OPTION_LENGTH] == AIX_LENGTH_DATA;
	if (state->form.wide && reading->options[AIX_OPTION_LENGTH] == AIX_AUTO)
		state->form.length_is_data = detect_length(reading);
	view->byte_order = POLY_BYTE_ORDER_BIG;
	view->clock = "ticks";
	view->columns = poly_columns_minus(view->columns, absent_columns(state));
	view->records = aix_record_names;
	view->record_count = AIX_RECORD_COUNT;
	reading->unsplittable = is_unsplittable(state);
	return state_facts(reading) ? POLY_OK : err_memory(error);
}

bool
aix_open_decoder(struct reading *reading, const struct reading *opened)
{
	struct aix_reader *state = reading->state;
	const struct aix_reader *from = opened->state;
	const size_t count = from->blocks.count;
	if (load_option_hooks(reading, NULL) != POLY_OK)
		return false;
	state->form = from->form;
	state->magic = from->magic;
	state->header = from->header;
	state->front = from->front;
	state->is_inside = from->is_inside;
	state->left = from->left;
	if (!count)
		return true;
	state->blocks.list = mem_new(count, sizeof *state->blocks.list);
	state->blocks.order = mem_new(count, sizeof *state->blocks.order);
	if (!state->blocks.list || !state->blocks.order)
		return false;
	memcpy(state->blocks.list, from->blocks.list, count * sizeof *state->blocks.list);
	memcpy(state->blocks.order, from->blocks.order, count * sizeof *state->blocks.order);
	state->blocks.count = count;
	return true;
}
