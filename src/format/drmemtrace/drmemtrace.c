/* SPDX-License-Identifier: MIT */
/*
 * Traces of DynamoRIO's drmemtrace (offline traces of drcachesim): instructions, accesses and
 * markers of the threads of a program, or of cores.
 *
 * spec: DynamoRIO, clients/drcachesim/common/trace_entry.h; polytrace-drmemtrace(5)
 */
#include "format/drmemtrace/reader.h"

#include "base/err.h"

#include <stdio.h>

enum { OPTION_HIDDEN };
enum { HIDDEN_DROP, HIDDEN_KEEP };

/* Adds a fact that is a number. */
static bool
add_fact(struct reading *reading, const char *key, const char *format, uint64_t number)
{
	char text[40];
	snprintf(text, sizeof text, *format == 'x' ? "0x%llx" : "%llu",
		(unsigned long long)number);
	return info_fact(reading->info, key, text);
}

/* Adds the facts of the front of a file. */
static bool
add_facts(struct reading *reading, const struct drm_front *front)
{
	return (!front->version ||
		       add_fact(reading, "drmemtrace.version", "d", front->version)) &&
	       (!front->has_file_type ||
		       add_fact(reading, "drmemtrace.filetype", "x", front->file_type)) &&
	       (!front->cache_line || add_fact(reading, "drmemtrace.cache_line_size", "d",
					      front->cache_line)) &&
	       (!front->page || add_fact(reading, "drmemtrace.page_size", "d", front->page)) &&
	       (!front->chunk ||
		       add_fact(reading, "drmemtrace.chunk_instr_count", "d", front->chunk));
}

/* Sets the metadata of a trace by its first file. */
static enum poly_status
set_info(struct reading *reading, const struct drm_stream *first, struct poly_error *error)
{
	const struct drm_front *front = &first->front;
	struct drm_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	view->isa = drm_isa(first);
	view->address_bits = 64;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->byte_order = POLY_BYTE_ORDER_LITTLE;
	view->clock = "microseconds";
	view->producer = "drmemtrace";
	view->records = drm_records;
	view->record_count = DRM_RECORDS;
	if (!(front->file_type & DRM_ENCODINGS))
		view->columns = poly_columns_minus(view->columns, POLY_COLUMNS(opcode));
	reader->kernel = info_name(reading->info, "kernel", 6);
	if (reader->kernel == INTERN_FAILED || !add_facts(reading, front))
		return err_memory(error);
	return POLY_OK;
}

static enum poly_status
drm_open(struct reading *reading, struct poly_error *error)
{
	struct drm_reader *reader = reading->state;
	enum poly_status status;
	reading->unsplittable = true;
	if (in_is_directory(reading->in)) {
		status = drm_directory_open(reading, error);
		if (status == POLY_OK &&
			!add_fact(reading, "drmemtrace.files", "d", reader->count))
			return err_memory(error);
		return status == POLY_OK ? set_info(reading, reader->streams, error) : status;
	}
	status = drm_front_open(reading->in, &reader->file.front, error);
	reader->stream = &reader->file;
	reader->file.in = reading->in;
	if (status == POLY_OK)
		status = drm_stream_begin(&reader->file, error);
	return status == POLY_OK ? set_info(reading, &reader->file, error) : status;
}

/* Returns the cursor of a batch. */
static struct drm_cursor
cursor_of(struct reading *reading, struct batch *batch)
{
	struct drm_reader *reader = reading->state;
	return (struct drm_cursor){.reading = reading,
		.stream = reader->stream,
		.batch = batch,
		.kernel = reader->kernel,
		.keeps_hidden = reading->options[OPTION_HIDDEN] == HIDDEN_KEEP};
}

static enum poly_status
drm_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct drm_cursor cursor = cursor_of(reading, batch);
	const enum poly_status status = in_is_directory(reading->in)
						? drm_directory_read(&cursor, error)
						: drm_stream_read(&cursor, error);
	return status == POLY_END && batch->view.rows ? POLY_OK : status;
}

static enum poly_status
drm_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct drm_cursor cursor = cursor_of(reading, batch);
	/* Without a stream a file of a directory could not be opened. */
	return cursor.stream ? drm_stream_resync(&cursor, error) : POLY_ERR_FORMAT;
}

static void
drm_close(struct reading *reading)
{
	struct drm_reader *reader = reading->state;
	drm_stream_end(&reader->file);
	drm_directory_close(reader);
}

static const char *const hidden_words[] = {"drop", "keep", NULL};

static const struct poly_option options[] = {
	[OPTION_HIDDEN] = {"drmemtrace.hidden", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		.initial = HIDDEN_DROP, .choices = hidden_words,
		.help = "drop the entries that drmemtrace's own tools do not count as records, "
			"or keep them as rows (default drop)",
		.source = "polytrace-drmemtrace(5)"},
	{.name = NULL},
};

#define RULE(number, level, text)                \
	[DRM_R##number] = {.code = "DM" #number, \
		.severity = (level),             \
		.title = (text),                 \
		.source = "DynamoRIO, drcachesim/common/trace_entry.h"}

static const struct poly_rule rules[] = {
	RULE(01, POLY_ERROR, "a trace begins with a header of version 1 to 7"),
	RULE(02, POLY_ERROR, "an entry has a type from 0 to 49 and a size that it permits"),
	RULE(03, POLY_ERROR, "a trace ends with a footer"),
	RULE(04, POLY_ERROR, "an encoding has the size of its instruction"),
	RULE(05, POLY_ERROR,
		"if the file type has encodings, the first execution of a pc in a stream has "
		"one"),
	RULE(06, POLY_ERROR, "thread and process ids are not 0"),
	RULE(07, POLY_ERROR, "markers of raw files do not occur"),
	RULE(08, POLY_ERROR, "a flush without a size is followed by its end"),
	RULE(09, POLY_ERROR, "a chunk that another one follows ends with chunk_footer"),
	RULE(10, POLY_ERROR, "version and file type do not change"),
	RULE(11, POLY_WARNING,
		"after an instruction that does not branch follows the next one in memory"),
	RULE(12, POLY_WARNING, "after an indirect branch follows its target"),
	RULE(13, POLY_WARNING, "timestamps of a thread do not decrease"),
	RULE(14, POLY_WARNING, "record_ordinal is the number of the records before it"),
	RULE(15, POLY_WARNING,
		"chunks are numbered from 0 and have chunk_instr_count "
		"instructions, except for the last one"),
	RULE(16, POLY_WARNING, "kernel_xfer follows a kernel_event"),
	RULE(17, POLY_WARNING, "the marker syscall follows a system call instruction"),
	RULE(18, POLY_WARNING, "traces of the kernel have a start and an end, and do not nest"),
	RULE(19, POLY_WARNING,
		"physical_address is followed by virtual_address with the same low 12 bits"),
	RULE(20, POLY_WARNING,
		"from version 5 branches have their direction and, if indirect, their target"),
	RULE(21, POLY_WARNING, "a trace of instructions has no loads and stores"),
	RULE(22, POLY_WARNING, "nothing follows the exit of a thread"),
	{.code = NULL},
};

static const struct format drmemtrace = {
	.content = {.users = "DynamoRIO",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(EVENT)},
	.info = {.name = "drmemtrace",
		.family = "drmemtrace",
		.title = "DynamoRIO drmemtrace (drcachesim) offline trace",
		.extensions = "memtrace",
		.spec = "DynamoRIO, drcachesim/common/trace_entry.h",
		.can_read = true,
		.columns = POLY_COLUMNS_INIT(kind, record, time, cpu, process, thread, pc,
			opcode, opcode_size, next_pc, branch, target, access, address, size,
			value, mode, instruction_id, text, payload, raw, origin),
		.options = options,
		.rules = rules},
	.reads_directories = true,
	.reader_size = sizeof(struct drm_reader),
	.probe = drm_probe,
	.open = drm_open,
	.read = drm_read,
	.resync = drm_resync,
	.close = drm_close,
};

const struct format *const formats_drmemtrace[] = {&drmemtrace, NULL};
