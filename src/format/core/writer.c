/* SPDX-License-Identifier: MIT */
/* Writers: loss of information, opening, sticky errors, notes. */
#include "polytrace/writer.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "format/core/parallel_writer.h"
#include "format/core/format.h"
#include "format/core/label.h"
#include "format/core/option.h"
#include "format/core/line_cache.h"
#include "format/core/line_ends.h"
#include "format/core/note.h"
#include "format/core/row_encoder.h"
#include "format/core/writer_work.h"
#include "model/batch_internal.h"
#include "model/columns.h"
#include "model/common_names.h"

#include <stdio.h>
#include <string.h>

/* Minimum rows of a batch for parallel encoding. */
#define PARALLEL_ROWS_MIN 1024

struct poly_writer {
	struct format_list formats; /* the caller's, too */
	const struct format *format;
	struct writing writing;
	struct notes notes;
	struct option_values values;
	struct info labels;		  /* only the labels to be written */
	struct info selection;		  /* the source's, with the fact that it is selected */
	struct common_names names;	  /* of all traces; its info is what the format sees */
	struct line_cache lines;	  /* if the format writes by row */
	unsigned threads;		  /* encoder threads; 1: no parallel writer */
	struct parallel_writer *parallel; /* NULL: not created */
	struct writer_work *work;	  /* of decoders; or NULL */
	bool opened;			  /* the format's wopen was called */
	bool strict;			  /* a note is a failure */
	bool completed;			  /* the format's wfinish was called */
	bool has_verbatim;	 /* the source has the column; its info may be freed by now */
	struct effects *effects; /* converts rows to the format's form; or NULL */
	enum poly_status status;
	struct poly_error failure;
};

/* Moves a column of a set to a list; returns the number of columns added, 0 or 1. */
static size_t
move_column(enum poly_column *list, poly_columns *columns, enum poly_column column)
{
	if (!poly_columns_has(*columns, column))
		return 0;
	poly_columns_remove(columns, column);
	*list = column;
	return 1;
}

size_t
writing_list_columns(struct writing *writing, enum poly_column list[WRITING_COLUMNS_MAX],
	struct poly_error *error)
{
	const poly_columns hidden = POLY_COLUMNS(raw, origin, site, verbatim);
	poly_columns columns = writing->columns;
	size_t count = 0;
	if (writing_every_column(writing))
		columns =
			poly_columns_union(poly_columns_minus(writing->source->columns, hidden),
				poly_columns_minus(writing->columns, POLY_ALL_COLUMNS));
	writing->uses = columns;
	if (writing->row)
		poly_columns_add(&columns, POLY_COLUMN_row);
	for (size_t i = 0; i < writing->order_count; i++)
		count += move_column(list + count, &columns, writing->order[i]);
	count += move_column(list + count, &columns, POLY_COLUMN_row);
	for (unsigned c = 0; c < COLUMN_STORED_END; c++)
		count += move_column(list + count, &columns, (enum poly_column)c);
	if (!count)
		err_usage(error, "no column to write");
	return count;
}

enum poly_status
writing_lacks(const struct poly_batch *batch, size_t row, const char *column,
	struct poly_error *error)
{
	uint64_t origin = POLY_NO_OFFSET;
	if (poly_present(batch, POLY_COLUMN_origin, row))
		origin = batch->origin[row];
	err_set(error, POLY_ERR_LOSS, origin, "the record has no '%s' (required by the format)",
		column);
	if (error)
		error->record = poly_batch_number(batch, row);
	return POLY_ERR_LOSS;
}

poly_columns
poly_format_loss(const struct poly_trace_info *source, const struct poly_format_info *target,
	poly_columns *missing)
{
	poly_columns kept = poly_columns_union(
		target->columns, POLY_COLUMNS(origin, site, verbatim, kind, record));
	if (source->raw_format && strcmp(source->raw_format, target->family) == 0)
		poly_columns_add(&kept, POLY_COLUMN_raw);
	const struct format *format = format_find(target->name);
	const poly_columns columns =
		effects_result_columns(format ? format->effects : EFFECTS_AS_READ, source);
	if (missing)
		*missing = poly_columns_minus(target->needs, columns);
	/* A source that may have any column does not state which ones it has. */
	return poly_columns_equal(columns, POLY_ALL_COLUMNS)
		       ? POLY_NO_COLUMNS
		       : poly_columns_minus(
				 poly_columns_common(columns, source->columns), kept);
}

bool
format_isa_is_of(const char *isa, const char *family)
{
	const size_t n = strlen(family);
	return strncmp(isa, family, n) == 0 &&
	       (isa[n] == 0 || isa[n] == '-' || (isa[n] >= '0' && isa[n] <= '9'));
}

static enum poly_status
refuse_loss(const struct poly_trace_info *source, const struct poly_format_info *target,
	bool strict, struct poly_error *error)
{
	char names[300];
	poly_columns missing, lost = poly_format_loss(source, target, &missing);
	if (target->needs_isa && source->isa &&
		!format_isa_is_of(source->isa, target->needs_isa))
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"format '%s' holds %s only (found %s)", target->name, target->needs_isa,
			source->isa);
	if (!poly_columns_empty(missing)) {
		columns_list(missing, names, sizeof names);
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"format '%s' requires columns that '%s' does not have: %s",
			target->name, source->format, names);
	}
	if (strict && !poly_columns_empty(lost)) {
		columns_list(lost, names, sizeof names);
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"format '%s' cannot hold columns of '%s': %s", target->name,
			source->format, names);
	}
	if (strict && source->label_count && !target->holds_labels)
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"format '%s' cannot hold the labels of '%s'", target->name,
			source->format);
	return POLY_OK;
}

/* Finds the format of a name or, if name is NULL, of the path's ending. */
static enum poly_status
find_writer(struct poly_writer *writer, const char *path, const char *name,
	struct poly_error *error)
{
	const struct format_list *formats = &writer->formats;
	writer->format = name	? format_list_find(formats, name)
			 : path ? format_list_by_name(formats, path, true)
				: NULL;
	if (!writer->format)
		return name ? err_usage(error, "options.format: no such format '%s'", name)
			    : err_usage(error, "no format has the ending of the file name; set "
					       "options.format");
	if (!writer->format->info.can_write)
		return err_usage(error, "format '%s' can only be read", name);
	return POLY_OK;
}

/* Checks all arguments before the output is opened, so that a refusal creates no file. */
static enum poly_status
writer_prepare(struct poly_writer *writer, const char *path,
	const struct poly_write_options *options, struct poly_error *error)
{
	const struct poly_trace_info *source = writer->writing.source;
	enum poly_status status = format_list_init(&writer->formats, options->formats, error);
	if (status == POLY_OK)
		status = find_writer(writer, path, options->format, error);
	if (status != POLY_OK)
		return status;
	const struct poly_format_info *target = &writer->format->info;
	status = refuse_loss(source, target, options->strict, error);
	const struct option_words requested = {
		options->format, options->options, &writer->formats};
	if (status == POLY_OK)
		status = option_values(
			target, POLY_OPTION_WRITE, &requested, &writer->values, error);
	if (status != POLY_OK)
		return status;
	struct writing *writing = &writer->writing;
	writing->plugin = writer->format->plugin;
	writing->options = writer->values.values;
	writing->is_set = writer->values.given;
	writing->texts = writer->values.texts;
	writing->columns = poly_columns_common(
		options->columns, poly_columns_union(POLY_ALL_COLUMNS,
					  columns_of_registers(info_register_count(source))));
	writing->row = POLY_HAS(options->columns, row);
	writing->order = options->order;
	writing->order_count = options->order_count;
	/* Messages contain the record's offset. */
	writing->uses = poly_columns_union(poly_columns_union(target->columns, target->needs),
		POLY_COLUMNS(kind, record, raw, origin));
	writing->notes = &writer->notes;
	writer->strict = options->strict;
	writing->threads = thread_count(options->threads);
	const char *free_fact = writer->format->free_fact;
	writing->is_free = free_fact && poly_trace_fact(source, free_fact);
	const bool shares = writer->format->rows_independent || writer->format->predict_state;
	writer->threads = shares ? writing->threads : 1;
	writing->own_raw =
		source->raw_format && strcmp(source->raw_format, target->family) == 0;
	writing->state = mem_new(1, writer->format->writer_size);
	return writing->state ? POLY_OK : err_memory(error);
}

static void
note_effect(void *user, const char *what)
{
	writing_note(user, what);
}

/* Converts the rows of the source if the format takes another form. */
static enum poly_status
convert_effects(struct poly_writer *writer, struct poly_error *error)
{
	struct writing *writing = &writer->writing;
	/* Formats without encodings may derive registers from them. */
	const struct effects_options options = {.form = writer->format->effects,
		.wanted = poly_columns_union(writing->uses, POLY_COLUMNS(opcode, opcode_size)),
		.note = note_effect,
		.user = writing};
	if (writing->own_raw || !effects_suits(options.form, writing->source))
		return POLY_OK;
	enum poly_status status =
		effects_new(&options, writing->source, &writer->effects, error);
	if (status == POLY_OK)
		writing->source = effects_info(writer->effects);
	return status;
}

/* Determines whether the rows are selected, and states it as a fact. */
static enum poly_status
state_selection(struct poly_writer *writer, bool selected, struct poly_error *error)
{
	struct writing *writing = &writer->writing;
	const struct poly_trace_info *source = writing->source;
	const struct format *own = source->raw_format ? format_find(source->raw_format) : NULL;
	const char *fact = own ? own->selected_fact : NULL;
	writing->selected = selected || (fact && poly_trace_fact(source, fact));
	if (!fact || !selected)
		return POLY_OK;
	struct info *info = &writer->selection;
	const size_t count = source->fact_count;
	const struct poly_fact *facts = source->facts;
	info->view = *source;
	bool good = true;
	for (size_t i = 0; i < count && good; i++)
		good = info_fact(info, facts[i].key, facts[i].value);
	if (!good || !info_fact(info, fact, "yes"))
		return err_memory(error);
	writing->source = &info->view;
	return POLY_OK;
}

/* Collects the labels to be written, if the format stores labels. */
static enum poly_status
gather_labels(struct poly_writer *writer, const struct poly_write_options *options,
	struct poly_error *error)
{
	struct writing *writing = &writer->writing;
	const bool has_labels = options->labels && *options->labels;
	writing->labels = &writer->labels.view;
	if (!writer->format->info.holds_labels && has_labels)
		return err_usage(error, "options.labels: format '%s' cannot hold labels",
			writer->format->info.name);
	if (options->append && has_labels)
		return err_usage(
			error, "options.labels: appending cannot change the labels of a file");
	if (!writer->format->info.holds_labels || options->append)
		return POLY_OK;
	return label_gather(
		&writer->labels, writing->source, options->selected, options->labels, error);
}

/* Lets the format examine the file that it appends to, and opens the file. */
static enum poly_status
append_start(struct poly_writer *writer, const char *path, struct poly_error *error)
{
	struct writing *writing = &writer->writing;
	const struct format *format = writer->format;
	uint64_t taken, total;
	if (!format->appends)
		return err_usage(error, "options.append: format '%s' cannot be appended to",
			format->info.name);
	if (!path || strcmp(path, "-") == 0)
		return err_usage(error, "options.append: not a regular file");
	enum poly_status status = in_open(path, NULL, &writing->old, error);
	if (status != POLY_OK)
		return status;
	in_progress(writing->old, &taken, &total);
	if (strcmp(in_layers(writing->old), "none") != 0)
		status = err_usage(error, "options.append: cannot append to a compressed file");
	else if (!in_is_random(writing->old))
		status = err_usage(error, "options.append: not a regular file");
	writing->path = path;
	writer->opened = status == POLY_OK;
	if (status == POLY_OK)
		status = format->wopen(writing, error);
	/* Before the file is locked: closing it unlocks it. */
	in_close(writing->old);
	writing->old = NULL;
	writing->path = NULL;
	const struct out_append_point place = {path, writing->kept, total};
	return status == POLY_OK ? out_open_append(&place, &writing->out, error) : status;
}

/* The destination of the bytes. */
struct destination {
	const char *path; /* NULL: the sink */
	struct poly_sink sink;
};

/* Checks the arguments, opens the output and opens the format on it. */
static enum poly_status
writer_start(struct poly_writer *writer, const struct destination *dst,
	const struct poly_write_options *options, struct poly_error *error)
{
	enum poly_status status = writer_prepare(writer, dst->path, options, error);
	if (status == POLY_OK)
		status = state_selection(writer, options->selected, error);
	if (status == POLY_OK)
		status = common_names_begin(&writer->names, writer->writing.source, error);
	writer->writing.source = &writer->names.info;
	if (status == POLY_OK)
		status = gather_labels(writer, options, error);
	if (status == POLY_OK)
		status = convert_effects(writer, error);
	if (status != POLY_OK)
		return status;
	if (options->append)
		return append_start(writer, dst->path, error);
	struct out **out = &writer->writing.out;
	const unsigned flags = (options->overwrite ? OUT_OVERWRITES : 0u) |
			       (options->keep_unfinished ? OUT_KEEPS_UNFINISHED : 0u);
	status = dst->path ? out_open(dst->path, flags, out, error)
			   : out_open_function(dst->sink.write, dst->sink.user, out, error);
	if (status != POLY_OK)
		return status;
	writer->opened = true;
	return writer->format->wopen ? writer->format->wopen(&writer->writing, error) : POLY_OK;
}

static enum poly_status
writer_open(const struct destination *dst, const struct poly_trace_info *source,
	const struct poly_write_options *options, struct poly_writer **result,
	struct poly_error *error)
{
	struct poly_write_options known = POLY_WRITE_OPTIONS_INIT;
	*result = NULL;
	enum poly_status status = option_struct(&known, sizeof known, options, error);
	if (status != POLY_OK)
		return status;
	struct poly_writer *writer = mem_new(1, sizeof *writer);
	if (!writer)
		return err_memory(error);
	info_init(&writer->labels);
	info_init(&writer->selection);
	writer->writing.source = source;
	status = writer_start(writer, dst, &known, error);
	writer->has_verbatim = POLY_HAS(writer->writing.source->columns, verbatim);
	if (status == POLY_OK)
		*result = writer;
	else
		poly_writer_close(writer);
	return status;
}

enum poly_status
poly_writer_open(const char *path, const struct poly_trace_info *source,
	const struct poly_write_options *options, struct poly_writer **writer,
	struct poly_error *error)
{
	struct destination dst = {path, {NULL, NULL}};
	return writer_open(&dst, source, options, writer, error);
}

enum poly_status
poly_writer_open_sink(const struct poly_sink *sink, const struct poly_trace_info *source,
	const struct poly_write_options *options, struct poly_writer **writer,
	struct poly_error *error)
{
	struct destination dst = {NULL, *sink};
	return writer_open(&dst, source, options, writer, error);
}

/* Under strict every note is a failure. */
static enum poly_status
refuse_notes(struct poly_writer *writer)
{
	const char *note = writer->notes.list[0].what;
	if (!writer->strict || !note)
		return POLY_OK;
	return err_set(&writer->failure, POLY_ERR_LOSS, POLY_NO_OFFSET,
		"options.strict permits no loss: %s", note);
}

poly_columns
poly_writer_columns(const struct poly_writer *writer)
{
	return writer->effects ? effects_columns(writer->effects) : writer->writing.uses;
}

uint64_t
poly_writer_existing_records(const struct poly_writer *writer)
{
	return writer->writing.before;
}

/* Stores a failure, and returns it. */
static enum poly_status
writer_status(struct poly_writer *writer, enum poly_status status, struct poly_error *error)
{
	if (status == POLY_OK)
		status = out_status(writer->writing.out, &writer->failure);
	writer->status = status;
	if (status != POLY_OK && error)
		*error = writer->failure;
	return status;
}

/*
 * Returns whether several threads encode a batch. Verbatim lines are written by one thread:
 * whether a line ends depends on the previous ones.
 */
static bool
is_shared(struct poly_writer *writer, const struct poly_batch *batch)
{
	const bool verbatim = batch->verbatim || writer->has_verbatim;
	/* If one of two threads decodes, predictions of states cost more than they save. */
	const bool decodes = writer->threads == 2 && writer->format->predict_state &&
			     batch->internal && batch->internal->stored;
	if (writer->threads < 2 || decodes || batch->rows < PARALLEL_ROWS_MIN ||
		(verbatim && POLY_HAS(writer->writing.uses, verbatim)))
		return false;
	if (!writer->parallel)
		writer->parallel =
			parallel_writer_new(writer->format, &writer->writing, writer->threads);
	if (!writer->parallel)
		writer->threads = 1;
	return writer->parallel;
}

/* Writes a batch with the format's functions. */
static enum poly_status
write_batch(
	struct poly_writer *writer, const struct poly_batch *batch, struct poly_error *error)
{
	const struct format *format = writer->format;
	struct poly_patterns *patterns = batch_patterns(batch);
	const bool copies = patterns && format->write_row;
	enum poly_status status = POLY_OK;
	if (!copies && patterns && patterns->lazy)
		status = patterns->materialize(patterns, &batch, error);
	const bool open = status == POLY_OK && !copies &&
			  line_ends_matter(format, &writer->writing) &&
			  line_ends_are_open(&writer->writing, batch);
	if (status == POLY_OK && !copies && !open && is_shared(writer, batch))
		return parallel_writer_write(writer->parallel, &writer->writing, batch, error);
	parallel_writer_flush(writer->parallel, writer->writing.out);
	if (open)
		return line_ends_write(format, &writer->writing, batch, error);
	if (copies)
		return line_cache_write(&writer->lines, format, &writer->writing, batch, error);
	return status == POLY_OK ? format_write_rows(format, &writer->writing, batch, error)
				 : status;
}

/* Returns whether rows are written that depend on the previous ones: lines of the column
 * verbatim, and numbers of sites: a decoder knows only its own. */
static bool
depends_on_rows(const struct poly_writer *writer)
{
	const struct writing *writing = &writer->writing;
	return (writer->has_verbatim && POLY_HAS(writing->uses, verbatim)) ||
	       (POLY_HAS(writing->columns, site) &&
		       (writing->plugin || POLY_HAS(writing->uses, site)));
}

const struct poly_decoder_work *
poly_writer_decoder_work(struct poly_writer *writer)
{
	if (writer->work || !writer->format->rows_independent || writer->threads < 2 ||
		writer->effects || writer->strict || depends_on_rows(writer))
		return NULL;
	writer->work = writer_work_new(writer->format, &writer->writing);
	return writer->work ? writer_work_of(writer->work) : NULL;
}

/* Writes a batch of the source's rows; NULL: the last ones were written. */
static enum poly_status
write_rows(struct poly_writer *writer, const struct poly_batch *batch, struct poly_error *error)
{
	const struct poly_batch *converted;
	enum poly_status status = POLY_OK;
	struct poly_patterns *patterns = batch ? batch_patterns(batch) : NULL;
	if (batch && batch_decoded(batch)) {
		parallel_writer_flush(writer->parallel, writer->writing.out);
		return writer_work_write(writer->work, &writer->writing, batch, error);
	}
	if (!writer->effects)
		return batch ? write_batch(writer, batch, error) : POLY_OK;
	if (patterns && patterns->lazy)
		status = patterns->materialize(patterns, &batch, error);
	if (status == POLY_OK)
		effects_put(writer->effects, batch);
	while (status == POLY_OK) {
		status = effects_take(writer->effects, &converted, error);
		if (status == POLY_OK)
			status = write_batch(writer, converted, error);
	}
	return status == POLY_END ? POLY_OK : status;
}

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Returns whether the column raw has the same meaning in two traces. */
static bool
is_same_raw(const struct poly_trace_info *a, const struct poly_trace_info *b)
{
	const struct format *format = a->raw_format ? format_find(a->raw_format) : NULL;
	const char *const *fact = format ? format->raw_facts : NULL;
	if (!a->raw_format || !is_same_text(a->raw_format, b->raw_format))
		return false;
	for (; fact && *fact; fact++) {
		if (!is_same_text(poly_trace_fact(a, *fact), poly_trace_fact(b, *fact)))
			return false;
	}
	return true;
}

/* Returns whether rows of a trace can be written only with those of their own dialect. */
static bool
is_bound_to_dialect(const struct poly_writer *writer, const struct poly_trace_info *info)
{
	const char *own = writer->names.info.raw_format;
	const struct format *format = own ? format_find(own) : NULL;
	return format && format->one_dialect && is_same_text(own, info->raw_format) &&
	       (writer->writing.own_raw || writer->format->is_packed);
}

/* Drops bytes that have another meaning; corrupt records are nothing else. */
static enum poly_status
drop_raw(struct poly_writer *writer, struct poly_batch *batch, struct poly_error *error)
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (!poly_present(batch, POLY_COLUMN_raw, row))
			continue;
		if (row_is_corrupt(batch, row))
			return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
				"record %llu: corrupt bytes of another dialect than the first "
				"trace's",
				(unsigned long long)poly_batch_number(batch, row));
		writing_note(
			&writer->writing, "bytes of records of another dialect were dropped");
	}
	batch->raw = NULL;
	batch->present[POLY_COLUMN_raw] = NULL;
	return POLY_OK;
}

/*
 * Gives the rows of other traces than the first one its numbers of names. Numbers of sites
 * cannot be adapted, and bytes that have another meaning are not written.
 */
static enum poly_status
adapt_names(
	struct poly_writer *writer, const struct poly_batch **batch, struct poly_error *error)
{
	struct common_names *names = &writer->names;
	struct poly_patterns *patterns = batch_patterns(*batch);
	enum poly_status status = POLY_OK;
	if (!names->mapped && !common_names_change(names, *batch))
		return common_names_adapt(names, batch, error);
	if ((*batch)->site && POLY_HAS(writer->writing.uses, site))
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"the column site numbers the instructions of one trace; write one "
			"trace, or exclude it by options.columns");
	if (patterns && patterns->lazy)
		status = patterns->materialize(patterns, batch, error);
	/* Its first record begins a line, whatever the last one of the other trace has left. */
	if (common_names_change(names, *batch)) {
		writer->writing.line_is_open =
			line_ends_matter(writer->format, &writer->writing);
		writer->writing.line_is_part = false;
	}
	const bool has_raw = is_same_raw(&names->info, (*batch)->info);
	if (!has_raw && is_bound_to_dialect(writer, (*batch)->info))
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"the trace has another dialect of the format '%s' than the first one",
			names->info.raw_format);
	if (status == POLY_OK)
		status = common_names_adapt(names, batch, error);
	if (has_raw || status != POLY_OK || !(*batch)->raw)
		return status;
	return drop_raw(writer, &names->view, error);
}

enum poly_status
poly_writer_write(
	struct poly_writer *writer, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = writer->status;
	if (status == POLY_OK)
		status = adapt_names(writer, &batch, &writer->failure);
	if (status == POLY_OK)
		status = write_rows(writer, batch, &writer->failure);
	if (status == POLY_OK)
		status = refuse_notes(writer);
	return writer_status(writer, status, error);
}

enum poly_status
poly_writer_complete(struct poly_writer *writer, const char **path, struct poly_error *error)
{
	enum poly_status status = writer->status;
	if (status == POLY_OK && !writer->completed) {
		status = write_rows(writer, NULL, &writer->failure);
		parallel_writer_flush(writer->parallel, writer->writing.out);
		if (status == POLY_OK && writer->format->wfinish)
			status = writer->format->wfinish(&writer->writing, &writer->failure);
		if (status == POLY_OK)
			status = refuse_notes(writer);
		if (status == POLY_OK)
			status = out_complete(writer->writing.out, &writer->failure);
		writer->completed = true;
	}
	if (path)
		*path = out_path(writer->writing.out);
	return writer_status(writer, status, error);
}

enum poly_status
poly_writer_finish(struct poly_writer *writer, struct poly_error *error)
{
	enum poly_status status = poly_writer_complete(writer, NULL, error);
	if (status == POLY_OK)
		status = out_finish(writer->writing.out, &writer->failure);
	return writer_status(writer, status, error);
}

const char *
poly_writer_note_at(const struct poly_writer *writer, size_t i, uint64_t *count)
{
	if (i >= NOTES_MAX || !writer->notes.list[i].what)
		return NULL;
	*count = writer->notes.list[i].count;
	return writer->notes.list[i].what;
}

void
poly_writer_close(struct poly_writer *writer)
{
	if (!writer)
		return;
	if (writer->opened && writer->format->wclose)
		writer->format->wclose(&writer->writing);
	out_close(writer->writing.out);
	parallel_writer_free(writer->parallel);
	writer_work_free(writer->work);
	line_cache_fini(&writer->lines);
	effects_free(writer->effects);
	mem_free(writer->writing.state);
	format_list_fini(&writer->formats);
	option_values_free(&writer->values);
	info_fini(&writer->labels);
	info_fini(&writer->selection);
	common_names_fini(&writer->names);
	mem_free(writer);
}
