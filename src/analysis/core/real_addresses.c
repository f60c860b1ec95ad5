/* SPDX-License-Identifier: MIT */
/* Rows with real addresses: columns are exchanged, and no row is copied. */
#include "analysis/core/real_addresses.h"

#include "base/err.h"
#include "model/columns.h"

enum poly_status
real_addresses_begin(struct real_addresses *real, const struct poly_trace_info *info,
	struct poly_error *error)
{
	real->is_active = info->addresses != POLY_ADDRESS_PHYSICAL;
	if (!real->is_active ||
		poly_columns_overlap(POLY_COLUMNS(real_address, real_pc), info->columns))
		return POLY_OK;
	return err_usage(error,
		"options.real_addresses: a trace of format '%s' has no real addresses (columns "
		"'real_address', 'real_pc')",
		info->format);
}

/* Returns whether a row is an executed instruction with a pc. */
static bool
is_instruction(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_pc, row) &&
	       poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

void
real_addresses_count(struct real_addresses *real, const struct poly_batch *batch)
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (poly_present(batch, POLY_COLUMN_access, row) &&
			poly_present(batch, POLY_COLUMN_address, row)) {
			real->accesses++;
			real->accesses_without +=
				!poly_present(batch, POLY_COLUMN_real_address, row);
		}
		if (is_instruction(batch, row)) {
			real->instructions++;
			real->instructions_without +=
				!poly_present(batch, POLY_COLUMN_real_pc, row);
		}
	}
}

static void
exchange(const uint64_t **a, const uint64_t **b)
{
	const uint64_t *old = *a;
	*a = *b;
	*b = old;
}

static void
exchange_columns(uint64_t **a, uint64_t **b)
{
	uint64_t *old = *a;
	*a = *b;
	*b = old;
}

void
real_addresses_view(struct poly_batch *view, const struct poly_batch *batch)
{
	*view = *batch;
	exchange_columns(&view->pc, &view->real_pc);
	exchange_columns(&view->address, &view->real_address);
	exchange(&view->present[POLY_COLUMN_pc], &view->present[POLY_COLUMN_real_pc]);
	exchange(&view->present[POLY_COLUMN_address], &view->present[POLY_COLUMN_real_address]);
}

enum poly_status
real_addresses_finish(const struct real_addresses *real, struct poly_error *error)
{
	const uint64_t all = real->accesses + real->instructions;
	if (!all || all != real->accesses_without + real->instructions_without)
		return POLY_OK;
	return err_usage(error,
		"options.real_addresses: no record of the trace has a real address (columns "
		"'real_address', 'real_pc')");
}

void
real_addresses_merge(struct real_addresses *into, const struct real_addresses *from)
{
	into->accesses += from->accesses;
	into->accesses_without += from->accesses_without;
	into->instructions += from->instructions;
	into->instructions_without += from->instructions_without;
}

void
real_addresses_report(const struct real_addresses *real, struct poly_report *report)
{
	poly_report_count(report, "accesses_without_real_address", real->accesses_without);
	poly_report_count(report, "instructions_without_real_pc", real->instructions_without);
}
