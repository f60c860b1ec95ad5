/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: distances from the definition of a value in a register or in memory to its use,
 * by context.
 *
 * Bounded: WORDS_MAX stored words of 8 bytes; bytes that exceed the table are counted as such,
 * and their loads as independent.
 */
#include "analysis/stats/code/dependencies.h"

#include "analysis/facts/column_stats.h"
#include "analysis/facts/branch_stream.h"
#include "base/err.h"
#include "isa/isa.h"

/* Max. number of bytes of an access that count. */
#define ACCESS_BYTES_MAX 4096

enum { OPTION_WINDOW };

static enum poly_status
dependencies_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct dependencies *dependencies = state;
	(void)error;
	dependencies->window = setup->values[OPTION_WINDOW];
	dependencies_init_stored(dependencies);
	return POLY_OK;
}

static void
dependencies_begin(void *state, const struct poly_trace_info *info)
{
	struct dependencies *dependencies = state;
	dependencies->failed |= !dependencies_count_log(dependencies);
	dependencies->stack_register = isa_stack_register(info->isa);
	dependencies_clear(dependencies);
	part_log_begin(&dependencies->log);
}

/* Counts the registers that an instruction of a context reads; false: out of memory. */
static bool
read_registers(struct dependencies *dependencies, uint16_t number, const struct static_op *op,
	bool counts)
{
	struct dependent_event read = {.kind = DEPENDENT_READ,
		.load = {.bytes.context = number,
			.now = dependencies->contexts[number]->instructions}};
	bool ok = true;
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->reads.bits[i];
		dependencies->reads += counts ? (uint64_t)__builtin_popcountll(left) : 0;
		while (left && ok) {
			read.reg = (uint8_t)(64 * i + row_bits_next(&left));
			ok = dependencies_read(dependencies, &read, counts);
		}
	}
	return ok;
}

/* Counts an instruction and its register operands; false: out of memory. */
static bool
execute(struct dependencies *dependencies, uint16_t number, const struct static_op *op,
	bool counts)
{
	const unsigned stack = dependencies->stack_register;
	struct register_context *context = dependencies->contexts[number];
	context->instructions++;
	context->stores = 0;
	context->has_stack = stack < REGISTERS && op->has_registers &&
			     (op->reads.bits[stack / 64] >> stack % 64 & 1);
	dependencies->undecoded += counts && !op->has_registers;
	if (!op->has_registers)
		return true;
	if (!read_registers(dependencies, number, op, counts))
		return false;
	const struct register_value new_value = {
		context->instructions, 0, op->class == OP_LOAD};
	for (size_t i = 0; i < REGISTERS / 64; i++) {
		uint64_t left = op->writes.bits[i];
		dependencies->writes += counts ? (uint64_t)__builtin_popcountll(left) : 0;
		while (left) {
			struct register_value *value =
				&context->registers[64 * i + row_bits_next(&left)];
			if (counts)
				dependencies_overwrite(dependencies, value);
			*value = new_value;
		}
	}
	return true;
}

static bool
update_row(struct dependencies *dependencies, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct byte_range bytes = {
		.context = rows->context ? rows->context[row] : rows->sole_context,
		.counts = rows->counts};
	if (!dependencies_context(dependencies, bytes.context))
		return false;
	if (poly_present(batch, POLY_COLUMN_kind, row) &&
		batch->kind[row] == POLY_KIND_INSTRUCTION &&
		!(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) &&
		!execute(dependencies, bytes.context, static_op_at(rows->ops, rows->op[row]),
			rows->counts))
		return false;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		(batch->access[row] != POLY_ACCESS_READ &&
			batch->access[row] != POLY_ACCESS_WRITE))
		return true;
	bytes.address = batch->address[row];
	bytes.size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	if (bytes.size > ACCESS_BYTES_MAX)
		bytes.size = ACCESS_BYTES_MAX;
	return dependencies_access(
		dependencies, &bytes, batch->access[row] == POLY_ACCESS_WRITE);
}

static bool
dependencies_update(void *state, const struct analysis_rows *rows)
{
	struct dependencies *dependencies = state;
	part_log_see(&dependencies->log, rows->batch);
	/* Parts have no warm-up. */
	if (!rows->counts && !dependencies_count_log(dependencies))
		return false;
	if (rows->counts)
		dependencies->instructions += count_batch_instructions(rows->batch);
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(state, rows, row))
			return false;
	}
	return !dependencies->failed &&
	       (!dependencies->log.is_full || dependencies_count_log(dependencies));
}

static enum poly_status
dependencies_finish(void *state, struct poly_error *error)
{
	return dependencies_count_log(state) ? POLY_OK : err_memory(error);
}

static bool
dependencies_is_too_long(const void *state)
{
	const struct dependencies *dependencies = state;
	return dependencies->log.is_full || dependencies->is_too_long;
}

static const struct poly_option options[] = {
	[OPTION_WINDOW] = {"dependencies.window", POLY_OPTION_NUMBER, .initial = 64,
		.maximum = UINT32_MAX,
		.help = "count a load within N instructions after the store of its bytes as "
			"near"},
	{0}};

const struct analysis analysis_dependencies = {
	.info = {.name = "dependencies",
		.title = "Dependencies",
		.summary = "def-use distances in registers, dead writes, store-to-load "
			   "distances and forwarding",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(access, address, size, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs = NEEDS_INSTRUCTIONS,
	.needs_warmup = true,
	.state_size = sizeof(struct dependencies),
	.init = dependencies_init,
	.begin = dependencies_begin,
	.update = dependencies_update,
	.merge = dependencies_merge,
	.is_too_long = dependencies_is_too_long,
	.finish = dependencies_finish,
	.report = dependencies_report,
	.fini = dependencies_fini,
};
