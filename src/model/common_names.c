/* SPDX-License-Identifier: MIT */
#include "model/common_names.h"

#include "base/err.h"
#include "model/columns.h"

#include <string.h>

#define RECORDS_MAX (UINT8_MAX + 1)

/* Copies the fields of the first trace but for its names: facts may have been added. */
static void
copy_first(struct common_names *common)
{
	const struct poly_trace_names *names = common->first->names;
	const unsigned record_count = common->info.record_count;
	common->info = *common->first;
	common->info.names = &common->table.names;
	common->info.records = common->records;
	common->info.record_count = record_count;
	if (!names)
		return;
	common->table.names.is_weighted = names->is_weighted;
	common->table.names.registers = names->registers;
	common->table.names.register_count = names->register_count;
}

/* Stores which table the last batch has. */
static void
set_last(struct common_names *common, const struct poly_trace_names *names)
{
	common->last = names;
	if (names) /* it draws its seed at its first name */
		common->last_seed = names->names.numbers.seed;
}

bool
common_names_change(const struct common_names *common, const struct poly_batch *batch)
{
	const struct poly_trace_names *names = batch->info->names;
	const struct hash_seed *last = &common->last_seed;
	if (common->last != names || !names || !last->factor)
		return common->last != names;
	const struct hash_seed *seed = &names->names.numbers.seed;
	return seed->factor != last->factor || seed->mask != last->mask;
}

/* Adds the names that the table of a trace has gained; false: out of memory. */
static bool
add_names(struct common_names *common, const struct poly_trace_info *info)
{
	const char *name;
	while ((name = poly_trace_name(info, common->names.count)) != NULL) {
		const uint32_t number = info_name(&common->table, name, strlen(name));
		if (number == INTERN_FAILED || !id_remap_add(&common->names, &number, 1))
			return false;
	}
	return true;
}

/* Returns the common number of a record's name; RECORDS_MAX: there is none. */
static unsigned
find_record(const struct common_names *common, const char *name)
{
	for (unsigned i = 0; i < common->info.record_count; i++) {
		if (strcmp(common->records[i], name) == 0)
			return i;
	}
	return RECORDS_MAX;
}

/* Adds the names of records that a trace has gained. */
static enum poly_status
add_records(struct common_names *common, const struct poly_trace_info *info,
	struct poly_error *error)
{
	while (common->ids.count < info->record_count) {
		const char *name = info->records[common->ids.count];
		/* The first trace keeps its numbers. */
		uint32_t number = common->mapped ? find_record(common, name) : RECORDS_MAX;
		if (number == RECORDS_MAX) {
			number = common->info.record_count;
			if (number == RECORDS_MAX)
				return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
					"the traces have more than %u names of records",
					RECORDS_MAX);
			common->records[number] = info_string(&common->table, name);
			if (!common->records[number])
				return err_memory(error);
			common->info.record_count++;
		}
		if (!id_remap_add(&common->ids, &number, 1))
			return err_memory(error);
	}
	return POLY_OK;
}

enum poly_status
common_names_begin(struct common_names *common, const struct poly_trace_info *first,
	struct poly_error *error)
{
	info_init(&common->table);
	common->first = first;
	copy_first(common);
	set_last(common, first->names);
	return add_names(common, first) ? add_records(common, first, error) : err_memory(error);
}

/* Copies a column of a batch into the storage. */
static void
copy_column(
	struct common_names *common, const struct poly_batch *batch, enum poly_column column)
{
	memcpy(batch_column(&common->cells, column), column_data(batch, column),
		batch->rows * column_table[column].size);
}

/* Sets the view to a batch with common numbers. POLY_ERR_MEMORY. */
static enum poly_status
map_batch(struct common_names *common, const struct poly_batch *batch, struct poly_error *error)
{
	poly_columns mapped = POLY_COLUMNS(record);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (column_table[c].form == POLY_FORM_NAME)
			poly_columns_add(&mapped, (enum poly_column)c);
	}
	if (!common->cells.capacity && batch_init(&common->cells, mapped, POLY_BATCH_ROWS,
					       &common->info, error) != POLY_OK)
		return POLY_ERR_MEMORY;
	common->view = *batch;
	common->view.info = &common->info;
	common->view.internal = NULL;
	common->cells.view.rows = batch->rows;
	FOR_COLUMNS(column, mapped)
	{
		if (column_data(batch, column))
			copy_column(common, batch, column);
	}
	id_remap_apply_names(&common->names, &common->cells);
	id_remap_apply_records(&common->ids, &common->cells);
#define COLUMN(name, type, form, doc)              \
	if (batch->name && POLY_HAS(mapped, name)) \
		common->view.name = common->cells.view.name;
#include "polytrace/columns.def"
#undef COLUMN
	return POLY_OK;
}

enum poly_status
common_names_adapt(
	struct common_names *common, const struct poly_batch **batch, struct poly_error *error)
{
	const struct poly_trace_info *info = (*batch)->info;
	if (common_names_change(common, *batch)) {
		common->mapped = true;
		id_remap_free(&common->names);
		id_remap_free(&common->ids);
	}
	set_last(common, info->names);
	if (!common->mapped)
		copy_first(common);
	if (!add_names(common, info))
		return err_memory(error);
	enum poly_status status = add_records(common, info, error);
	if (status != POLY_OK || !common->mapped || !(*batch)->rows)
		return status;
	status = map_batch(common, *batch, error);
	*batch = &common->view;
	return status;
}

void
common_names_fini(struct common_names *common)
{
	batch_fini(&common->cells);
	id_remap_free(&common->names);
	id_remap_free(&common->ids);
	if (common->first)
		info_fini(&common->table);
}
