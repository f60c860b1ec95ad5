/* SPDX-License-Identifier: MIT */
/*
 * Values of registers, and of loads if the trace has their data.
 *
 * Bounded: REGISTERS_MAX registers of contexts and LOADS_MAX loads of contexts; values of
 * others are counted as untracked.
 */
#include "analysis/stats/data/values.h"

#include "analysis/facts/column_stats.h"
#include "base/bits.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define REGISTERS_MAX ((uint32_t)1 << 16)
#define LOADS_MAX ((uint32_t)1 << 18)

enum { OPTION_TOP };

static enum poly_status
values_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct value_profile *values = state;
	(void)error;
	values->top = (uint32_t)setup->values[OPTION_TOP];
	values->registers.max_count = REGISTERS_MAX;
	values->loads.max_count = LOADS_MAX;
	values->registers.is_fixed = values->loads.is_fixed = true;
	values->registers.item_size = values->loads.item_size = sizeof(struct value_slot);
	return POLY_OK;
}

/* Clears the last values. */
static void
clear_last(struct adaptive_bins *slots)
{
	for (uint32_t i = 0; i < slots->count; i++) {
		struct value_slot *slot = adaptive_bins_item(slots, i);
		slot->is_known = slot->has_stride = false;
	}
}

/* Returns whether the records of a trace have a PowerPC state. */
static bool
has_states(const struct poly_trace_info *info)
{
	return POLY_HAS(info->columns, payload) && poly_trace_fact(info, "amber.state");
}

static void
values_begin(void *state, const struct poly_trace_info *info)
{
	struct value_profile *values = state;
	values->is_full = has_states(info);
	clear_last(&values->registers);
	clear_last(&values->loads);
	map_free(&values->numbers);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (values->last[i])
			values->last[i]->is_known = false;
	}
}

/* A value of a slot of a table. */
struct observed_value {
	uint64_t value;
	uint32_t number; /* id of the register's name or index of the site */
	uint16_t context;
	uint8_t size; /* bytes, 1 to 8 */
	bool counts;
};

static void
count(struct value_locality *counts, uint64_t value, bool same, bool strided)
{
	counts->count++;
	counts->same += same;
	counts->strided += strided;
	counts->zero += value == 0;
}

/* Counts a value in its slot and in all; false: out of memory. */
static bool
add_value(struct value_profile *values, struct adaptive_bins *slots, struct value_locality *all,
	const struct observed_value *observed)
{
	const uint32_t found = adaptive_bins_get(slots, observed->number, observed->context);
	if (found == ADAPTIVE_BIN_NONE) {
		values->untracked += observed->counts;
		return !slots->failed;
	}
	struct value_slot *slot = adaptive_bins_item(slots, found);
	const uint64_t mask = UINT64_MAX >> (64 - 8 * observed->size);
	const uint64_t value = observed->value & mask, stride = (value - slot->last) & mask;
	const bool same = slot->is_known && value == slot->last;
	const bool strided = slot->has_stride && stride && stride == slot->stride;
	if (observed->counts) {
		count(&slot->counts, value, same, strided);
		count(all, value, same, strided);
	}
	slot->has_stride = slot->is_known;
	slot->stride = stride;
	slot->last = value;
	slot->is_known = true;
	return true;
}

/* Counts a value of a register; false: out of memory. */
static bool
add_register_value(struct value_profile *values, const struct observed_value *observed)
{
	const int64_t number = sign_extend(observed->value, 8 * observed->size);
	const uint64_t bits = (uint64_t)(number < 0 ? ~number : number);
	if (observed->counts)
		values->widths[bits ? 65 - __builtin_clzll(bits) : 1]++;
	return add_value(values, &values->registers, &values->all, observed);
}

/* Returns the id in names of a name of the trace; INTERN_FAILED: out of memory. */
static uint32_t
name_number(struct value_profile *values, const struct poly_batch *batch, uint32_t name)
{
	bool added;
	uint64_t *number = map_get(&values->numbers, name, INTERN_FAILED, &added);
	if (number && *number == INTERN_FAILED) {
		const char *text = poly_trace_name(batch->info, name);
		*number = intern_add(&values->names, text ? text : "", text ? strlen(text) : 0);
	}
	return number ? (uint32_t)*number : INTERN_FAILED;
}

/* Returns the bytes of a row's value, at most 8. */
static uint8_t
value_size(const struct poly_batch *batch, size_t row)
{
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 0;
	return size && size < 8 ? (uint8_t)size : 8;
}

/* Counts the value of a register or load in a row; false: out of memory. */
static bool
update_value(struct value_profile *values, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	struct observed_value observed = {batch->value[row], 0,
		rows->context ? rows->context[row] : rows->sole_context, value_size(batch, row),
		rows->counts};
	if (batch->kind[row] == POLY_KIND_REGISTER) {
		if (!poly_present(batch, POLY_COLUMN_reg, row))
			return true;
		observed.number = name_number(values, batch, batch->reg[row]);
		return observed.number != INTERN_FAILED &&
		       add_register_value(values, &observed);
	}
	if (batch->kind[row] != POLY_KIND_ACCESS || rows->site[row] == OP_NONE ||
		!poly_present(batch, POLY_COLUMN_access, row) ||
		batch->access[row] != POLY_ACCESS_READ)
		return true;
	observed.number = rows->site[row];
	return add_value(values, &values->loads, &values->loaded, &observed);
}

/* Returns the number of registers that differ between two states. */
static unsigned
count_changed(const struct poly_powerpc_state *a, const struct poly_powerpc_state *b)
{
	unsigned changed = 0;
	for (size_t i = 0; i < 32; i++) {
		changed += a->gpr[i] != b->gpr[i];
		changed += a->fpr[i] != b->fpr[i];
		changed += memcmp(a->vr[i], b->vr[i], sizeof a->vr[i]) != 0;
	}
	return changed + (a->cr != b->cr) + (a->xer != b->xer) + (a->lr != b->lr) +
	       (a->ctr != b->ctr) + (a->fpscr != b->fpscr) + (a->vscr != b->vscr);
}

/* Returns the i-th examined register of a state. */
static uint64_t
state_value(const struct poly_powerpc_state *state, unsigned i)
{
	return i < 32 ? state->gpr[i] : i == 32 ? state->lr : state->ctr;
}

/* Returns the name id of the i-th examined register; INTERN_FAILED: out of memory. */
static uint32_t
state_number(struct value_profile *values, unsigned i)
{
	char name[8];
	if (i < 32)
		snprintf(name, sizeof name, "r%u", i);
	else
		strcpy(name, i == 32 ? "lr" : "ctr");
	return intern_add(&values->names, name, strlen(name));
}

/* Counts the changes from the last state of a context; false: out of memory. */
static bool
update_changes(struct value_profile *values, const struct poly_powerpc_state *last,
	const struct poly_powerpc_state *now, struct observed_value *observed)
{
	if (observed->counts)
		values->changed[count_changed(last, now)]++;
	for (unsigned i = 0; i < STATE_NAMED; i++) {
		observed->value = state_value(now, i);
		if (observed->value == state_value(last, i))
			continue;
		observed->number = state_number(values, i);
		if (observed->number == INTERN_FAILED || !add_register_value(values, observed))
			return false;
	}
	return true;
}

/* Counts the changes of the state of a row; false: out of memory. */
static bool
update_state(struct value_profile *values, const struct analysis_rows *rows, size_t row)
{
	struct last_state now = {.is_known = true};
	struct observed_value observed = {
		.context = rows->context ? rows->context[row] : rows->sole_context,
		.counts = rows->counts};
	if (poly_powerpc_state_decode(rows->batch, row, &now.state, NULL) != POLY_OK)
		return true;
	struct last_state **last = &values->last[observed.context];
	if (!*last)
		*last = mem_new(1, sizeof **last);
	if (!*last)
		return false;
	observed.size = now.state.wide ? 8 : 4;
	const bool ok = !(*last)->is_known ||
			update_changes(values, &(*last)->state, &now.state, &observed);
	**last = now;
	return ok;
}

static bool
values_update(void *state, const struct analysis_rows *rows)
{
	struct value_profile *values = state;
	const struct poly_batch *batch = rows->batch;
	const enum poly_column column =
		values->is_full ? POLY_COLUMN_payload : POLY_COLUMN_value;
	for (size_t w = 0; w < row_bits_words(batch); w++) {
		uint64_t left = row_bits_present(batch, column, w) &
				row_bits_present(batch, POLY_COLUMN_kind, w);
		while (left) {
			const size_t row = 64 * w + row_bits_next(&left);
			if (!(values->is_full ? update_state(values, rows, row)
					      : update_value(values, rows, row)))
				return false;
		}
	}
	return true;
}

static void
values_fini(void *state)
{
	struct value_profile *values = state;
	intern_free(&values->names);
	map_free(&values->numbers);
	adaptive_bins_fini(&values->registers);
	adaptive_bins_fini(&values->loads);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(values->last[i]);
}

static bool
values_suits(const struct poly_trace_info *info)
{
	return has_states(info) || poly_columns_subset(POLY_COLUMNS(reg, value), info->columns);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"values.top", POLY_OPTION_NUMBER, .initial = 10, .maximum = 1000000,
		.help = "list the N registers with most values"},
	{0}};

const struct analysis analysis_values = {
	.info = {.name = "values",
		.title = "Values",
		.summary = "values written to registers and loaded: value locality, widths, "
			   "changed registers per record",
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(reg, value, size, access, payload, origin),
		.options = options},
	.ordered = ORDERED_HISTORY,
	.shares = SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct value_profile),
	.suits = values_suits,
	.init = values_init,
	.begin = values_begin,
	.update = values_update,
	.report = values_report,
	.fini = values_fini,
};
