/* SPDX-License-Identifier: MIT */
/*
 * Formats of the caller: adapters between the public interface of polytrace/extend.h and struct
 * format, which check all that the caller's functions return and store.
 */
#include "format/core/plugin.h"

#include "base/mem.h"
#include "format/core/contract.h"
#include "model/columns.h"
#include "model/option.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Maximum size of a state in bytes. */
#define STATE_MAX ((size_t)1 << 30)

struct plugin_reader {
	struct poly_plugin_input input; /* first: the caller's functions return it */
	struct reading *reading;
	_Alignas(max_align_t) unsigned char state[];
};

struct plugin_writer {
	struct poly_plugin_output output; /* first, likewise */
	struct writing *writing;
	_Alignas(max_align_t) unsigned char state[];
};

struct plugin_rows {
	struct poly_plugin_rows rows; /* first, likewise */
	const struct plugin_reader *reader;
	struct batch *batch;
	enum poly_status status; /* POLY_OK until a call is invalid or fails */
	char fault[200];	 /* the first invalid call */
};

/* Checks and passes on the status and error of a caller's function. */
static enum poly_status
check_status(const struct poly_format_plugin *plugin, const char *function,
	enum poly_status status, struct poly_error *failure, struct poly_error *error)
{
	const struct contract contract = {.kind = "format", .name = plugin->info->name};
	return contract_check_status(&contract, function, status, failure, error);
}

/* Returns an error without a position, which a caller's function may fill. */
static struct poly_error
no_error(void)
{
	return (struct poly_error){.offset = POLY_NO_OFFSET};
}

static const uint8_t *
input_peek(const struct poly_plugin_input *input, size_t want, size_t *have)
{
	const struct plugin_reader *reader = (const struct plugin_reader *)input;
	return in_peek(reader->reading->in, want < IN_PEEK_MAX ? want : IN_PEEK_MAX, have);
}

static void
input_consume(const struct poly_plugin_input *input, size_t size)
{
	const struct plugin_reader *reader = (const struct plugin_reader *)input;
	size_t have;
	in_peek(reader->reading->in, 1, &have);
	in_consume(reader->reading->in, size < have ? size : have);
}

static uint64_t
input_offset(const struct poly_plugin_input *input)
{
	return in_offset(((const struct plugin_reader *)input)->reading->in);
}

static void
input_add_finding(const struct poly_plugin_input *input, unsigned rule, size_t row,
	uint64_t offset, const char *message)
{
	const struct reading *reading = ((const struct plugin_reader *)input)->reading;
	findings_add(reading->findings, rule, reading->record + row + 1, offset, "%s",
		message ? message : "");
}

int
plugin_probe(const struct poly_format_plugin *plugin, const uint8_t *p, size_t n, bool eof,
	struct probe_note *note)
{
	const int bits = plugin->probe(p, n, eof, note->text, sizeof note->text);
	note->text[sizeof note->text - 1] = 0;
	note->near = bits > 0;
	return bits;
}

/* Returns what is wrong with metadata that a format filled; NULL: nothing. */
static const char *
info_fault(const struct poly_trace_info *filled)
{
	if (filled->record_count && !filled->records)
		return "records is NULL";
	for (unsigned i = 0; i < filled->record_count; i++)
		if (!filled->records[i])
			return "the name of a record is NULL";
	if ((unsigned)filled->byte_order > POLY_BYTE_ORDER_LITTLE)
		return "byte_order is not a constant of enum poly_byte_order";
	if ((unsigned)filled->addresses > POLY_ADDRESS_PHYSICAL)
		return "addresses is not a constant of enum poly_address_space";
	return filled->address_bits > 64 ? "address_bits exceeds 64" : NULL;
}

/* Copies the fields of a trace's metadata that a format may fill. */
static enum poly_status
copy_info(const struct poly_format_plugin *plugin, struct poly_trace_info *view,
	const struct poly_trace_info *filled, struct poly_error *error)
{
	if (filled->record_count > UINT8_MAX)
		return err_usage(error, "format '%s': open returned %u records (maximum %u)",
			plugin->info->name, filled->record_count, UINT8_MAX);
	const char *fault = info_fault(filled);
	if (fault)
		return err_usage(error, "format '%s': open: %s", plugin->info->name, fault);
	view->isa = filled->isa;
	view->address_bits = filled->address_bits;
	view->addresses = filled->addresses;
	view->byte_order = filled->byte_order;
	view->clock = filled->clock;
	view->producer = filled->producer;
	view->has_first_pc = filled->has_first_pc;
	view->first_pc = filled->first_pc;
	view->records = filled->records;
	view->record_count = filled->record_count;
	return POLY_OK;
}

static enum poly_status
plugin_open(struct reading *reading, struct poly_error *error)
{
	const struct poly_format_plugin *plugin = reading->plugin;
	struct plugin_reader *reader = reading->state;
	struct poly_trace_info info = reading->info->view;
	struct poly_error failure = no_error();
	reader->reading = reading;
	reader->input = (struct poly_plugin_input){.state = reader->state,
		.options = reading->options,
		.texts = reading->texts,
		.peek = input_peek,
		.consume = input_consume,
		.offset = input_offset,
		.add_finding = input_add_finding};
	if (!plugin->open)
		return POLY_OK;
	const enum poly_status status = check_status(
		plugin, "open", plugin->open(&reader->input, &info, &failure), &failure, error);
	return status < 0 ? status : copy_info(plugin, &reading->info->view, &info, error);
}

/* Stores why a call of put or put_bytes is not valid. */
static void
refuse_value(struct plugin_rows *rows, enum poly_column column, size_t row, const char *fault)
{
	const char *name = poly_column_name(column);
	if (rows->status != POLY_OK)
		return;
	rows->status = POLY_ERR_USAGE;
	snprintf(rows->fault, sizeof rows->fault, "row %zu of the batch, column %s: %s", row,
		name ? name : "unknown", fault);
}

/* Returns whether a column of a row may be filled with a form. */
static bool
may_fill(struct plugin_rows *rows, enum poly_column column, size_t row)
{
	const struct poly_format_info *info = rows->reader->reading->plugin->info;
	const bool is_known =
		(unsigned)column < POLY_COLUMN_COUNT && column != POLY_COLUMN_site;
	if (!is_known || !poly_columns_has(info->columns, column))
		refuse_value(rows, column, row, "not one of the format's columns");
	else if (row >= rows->rows.capacity)
		refuse_value(rows, column, row, "the row exceeds the capacity");
	return rows->status == POLY_OK;
}

/* Returns whether a number is a value of a column. */
static bool
is_value(const struct plugin_rows *rows, enum poly_column column, uint64_t value)
{
	const struct column_traits *traits = &column_table[column];
	const unsigned bits = 8 * traits->size;
	switch (traits->form) {
	case POLY_FORM_RECORD: return value < rows->batch->view.info->record_count;
	case POLY_FORM_BOOL: return value <= 1;
	case POLY_FORM_DEC:
	case POLY_FORM_HEX:
		return bits == 64 ||
		       (traits->is_signed ? (uint64_t)sign_extend(value, bits) == value
					  : value >> bits == 0);
	case POLY_FORM_NAME:
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: return false;
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS: break;
	}
	return value <= UINT8_MAX && poly_enum_name(traits->form, (unsigned)value);
}

static void
rows_put(struct poly_plugin_rows *filled, enum poly_column column, size_t row, uint64_t value)
{
	struct plugin_rows *rows = (struct plugin_rows *)filled;
	if (!may_fill(rows, column, row))
		return;
	if (is_value(rows, column, value))
		batch_put_integer(rows->batch, column, row, value);
	else
		refuse_value(rows, column, row, "invalid value, or a column of text");
}

static void
rows_put_bytes(struct poly_plugin_rows *filled, enum poly_column column, size_t row,
	const void *data, size_t size)
{
	struct plugin_rows *rows = (struct plugin_rows *)filled;
	struct info *info = rows->reader->reading->info;
	uint32_t number;
	if (!may_fill(rows, column, row))
		return;
	const enum poly_form form = column_table[column].form;
	if (size > UINT32_MAX - rows->batch->arena.size || (!data && size))
		refuse_value(rows, column, row, "data is NULL, or too long");
	else if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		batch_put_bytes(rows->batch, column, row, data ? data : "", size);
	else if (form != POLY_FORM_NAME)
		refuse_value(rows, column, row, "a column of numbers");
	else if (info_keep_name(info, data ? data : "", size, &number))
		batch_put_integer(rows->batch, column, row, number);
	else if (rows->status == POLY_OK)
		rows->status = info->no_memory ? POLY_ERR_MEMORY : POLY_ERR_LIMIT;
}

/* Checks the rows that a format filled. */
static enum poly_status
check_rows(const struct plugin_rows *rows, enum poly_status status, struct poly_error *error)
{
	const char *name = rows->reader->reading->plugin->info->name;
	const size_t count = rows->rows.count, capacity = rows->batch->capacity;
	if (rows->status == POLY_ERR_MEMORY)
		return err_memory(error);
	if (rows->status == POLY_ERR_LIMIT)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"format '%s': too many different names", name);
	if (rows->status != POLY_OK)
		return err_usage(error, "format '%s': %s", name, rows->fault);
	if (count > capacity || (status == POLY_OK && !count))
		return err_usage(error,
			"format '%s': read returned %zu rows (expected 1 to %zu)", name, count,
			capacity);
	return POLY_OK;
}

/* A violation of the interface ends the trace without the rows of the call. */
static enum poly_status
plugin_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	const struct plugin_reader *reader = reading->state;
	struct poly_error failure = no_error();
	struct plugin_rows rows = {.rows = {.capacity = batch->capacity,
					   .put = rows_put,
					   .put_bytes = rows_put_bytes},
		.reader = reader,
		.batch = batch};
	enum poly_status status = reading->plugin->read(&reader->input, &rows.rows, &failure);
	const enum poly_status checked = check_rows(&rows, status, error);
	if (checked != POLY_OK)
		return checked;
	batch->view.rows = rows.rows.count;
	if (status == POLY_END && rows.rows.count)
		return POLY_OK;
	return check_status(reading->plugin, "read", status, &failure, error);
}

static void
plugin_close(struct reading *reading)
{
	const struct plugin_reader *reader = reading->state;
	if (reading->plugin->close)
		reading->plugin->close(&reader->input);
}

static void
output_write(const struct poly_plugin_output *output, const void *data, size_t size)
{
	out_write(((const struct plugin_writer *)output)->writing->out, data, size);
}

static void
output_note(const struct poly_plugin_output *output, const char *sentence)
{
	writing_note(((const struct plugin_writer *)output)->writing, sentence);
}

/* Calls a function of a writer that has no further arguments; NULL: nothing to do. */
static enum poly_status
call_writer(struct writing *writing, const char *name,
	enum poly_status (*function)(
		const struct poly_plugin_output *output, struct poly_error *error),
	struct poly_error *error)
{
	const struct plugin_writer *writer = writing->state;
	struct poly_error failure = no_error();
	if (!function)
		return POLY_OK;
	const enum poly_status status = check_status(
		writing->plugin, name, function(&writer->output, &failure), &failure, error);
	return status == POLY_END ? POLY_OK : status;
}

static enum poly_status
plugin_wopen(struct writing *writing, struct poly_error *error)
{
	struct plugin_writer *writer = writing->state;
	writer->writing = writing;
	writer->output = (struct poly_plugin_output){.state = writer->state,
		.options = writing->options,
		.texts = writing->texts,
		.source = writing->source,
		.write = output_write,
		.note = output_note};
	if (writing->plugin->writer_state)
		memcpy(writer->state, writing->plugin->writer_state,
			writing->plugin->writer_state_size);
	return call_writer(writing, "begin_write", writing->plugin->begin_write, error);
}

static enum poly_status
plugin_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	const struct plugin_writer *writer = writing->state;
	struct poly_error failure = no_error();
	const enum poly_status status = check_status(writing->plugin, "write",
		writing->plugin->write(&writer->output, batch, &failure), &failure, error);
	return status == POLY_END ? POLY_OK : status;
}

static enum poly_status
plugin_wfinish(struct writing *writing, struct poly_error *error)
{
	return call_writer(writing, "finish_write", writing->plugin->finish_write, error);
}

static void
plugin_wclose(struct writing *writing)
{
	const struct plugin_writer *writer = writing->state;
	if (writing->plugin->close_writer && writer->writing)
		writing->plugin->close_writer(&writer->output);
}

/* Fills the format of a plugin. */
static void
adapt_format(struct format *format, const struct poly_format_plugin *plugin)
{
	static const struct poly_option no_options[] = {{.name = NULL}};
	static const struct poly_rule no_rules[] = {{.code = NULL}};
	const struct poly_format_info *info = plugin->info;
	*format = (struct format){.info = *info,
		.content = {.users = "the program", .kinds = POLY_KINDS_ALL},
		.plugin = plugin,
		.rows_independent = plugin->rows_independent,
		.reader_size = sizeof(struct plugin_reader) + plugin->state_size,
		.writer_size = sizeof(struct plugin_writer) + plugin->writer_state_size,
		.open = info->can_read ? plugin_open : NULL,
		.read = plugin->read ? plugin_read : NULL,
		.close = plugin_close,
		.wopen = plugin_wopen,
		.write = plugin->write ? plugin_write : NULL,
		.wfinish = plugin_wfinish,
		.wclose = plugin_wclose};
	if (!info->options)
		format->info.options = no_options;
	if (!info->rules)
		format->info.rules = no_rules;
}

/* Copies a plugin, whose struct may be that of an earlier version, and checks it. */
static enum poly_status
add_plugin(struct format_list *list, const struct poly_format_plugin *plugin,
	struct poly_error *error)
{
	struct poly_format_plugin *copy = &list->plugins[list->count];
	struct contract contract = {.kind = "format", .number = list->count};
	const enum poly_status status = option_struct(copy, sizeof *copy, plugin, error);
	if (status != POLY_OK)
		return status;
	contract.name = copy->info ? copy->info->name : NULL;
	if (!copy->info) {
		contract_fail(&contract, "info is NULL");
	} else if (copy->state_size > STATE_MAX || copy->writer_state_size > STATE_MAX) {
		contract_fail(&contract, "a state has more than %zu bytes", STATE_MAX);
	} else {
		adapt_format(&list->formats[list->count], copy);
		if (format_check_contract(&contract, &list->formats[list->count]) &&
			format_list_find(list, contract.name))
			contract_fail(&contract, "the name is not unique");
	}
	list->count++;
	return *contract.fault ? err_usage(error, "options.formats: %s", contract.fault)
			       : POLY_OK;
}

enum poly_status
format_list_init(struct format_list *list, const struct poly_format_plugin *const *plugins,
	struct poly_error *error)
{
	size_t count = 0;
	enum poly_status status = POLY_OK;
	while (plugins && plugins[count])
		count++;
	if (!count)
		return POLY_OK;
	list->formats = mem_new(count, sizeof *list->formats);
	list->plugins = mem_new(count, sizeof *list->plugins);
	if (!list->formats || !list->plugins)
		return err_memory(error);
	for (size_t i = 0; i < count && status == POLY_OK; i++)
		status = add_plugin(list, plugins[i], error);
	return status;
}

void
format_list_fini(struct format_list *list)
{
	mem_free(list->formats);
	mem_free(list->plugins);
	*list = (struct format_list){.count = 0};
}
