/* SPDX-License-Identifier: MIT */
/*
 * Values of registers, and of loads if the trace has their data.
 *
 * Bounded: REGISTERS_MAX registers of contexts and LOADS_MAX loads of contexts; values of
 * others are counted as untracked.
 */
#include "analysis/stats/data/values.h"

#include "analysis/facts/archive.h"
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

/* Clears the last values of slots. */
static void
clear_slots(struct adaptive_bins *slots)
{
	for (uint32_t i = 0; i < slots->count; i++) {
		struct value_slot *slot = adaptive_bins_item(slots, i);
		slot->is_known = slot->has_stride = false;
	}
}

/* Clears all last values. */
static void
clear_last(struct value_profile *values)
{
	clear_slots(&values->registers);
	clear_slots(&values->loads);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (values->states[i])
			values->states[i]->has_last = false;
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
	clear_last(values);
	map_free(&values->numbers);
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

/* Records the first value of a slot, or the stride to the second one. */
static void
add_first(struct value_slot *slot, uint64_t value, uint64_t stride, uint8_t size)
{
	if (slot->firsts && slot->is_known) {
		slot->first_stride = stride;
		slot->firsts = 2;
	} else if (!slot->firsts) {
		slot->first = value;
		slot->first_size = size;
		slot->firsts = 1;
	}
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
	if (slot->firsts < 2)
		add_first(slot, value, stride, observed->size);
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
	return add_value(values, &values->loads,
		observed.number == SITE_OPEN ? &values->open : &values->loaded, &observed);
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

/* Returns the states of a context; NULL: out of memory. */
static struct context_states *
states_of(struct value_profile *values, uint16_t context)
{
	if (!values->states[context])
		values->states[context] = mem_new(1, sizeof *values->states[context]);
	return values->states[context];
}

/* Counts the changes from the last state of a context to the next one; false: out of memory. */
static bool
add_state(struct value_profile *values, const struct poly_powerpc_state *state,
	struct observed_value *observed)
{
	struct context_states *states = states_of(values, observed->context);
	if (!states)
		return false;
	observed->size = state->wide ? 8 : 4;
	const bool ok =
		!states->has_last || update_changes(values, &states->last, state, observed);
	if (!states->has_first)
		states->first = *state;
	states->last = *state;
	states->has_first = states->has_last = true;
	return ok;
}

/* Counts the changes of the state of a row; false: out of memory. */
static bool
update_state(struct value_profile *values, const struct analysis_rows *rows, size_t row)
{
	struct poly_powerpc_state state;
	struct observed_value observed = {
		.context = rows->context ? rows->context[row] : rows->sole_context,
		.counts = rows->counts};
	return poly_powerpc_state_decode(rows->batch, row, &state, NULL) != POLY_OK ||
	       add_state(values, &state, &observed);
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
add_locality(struct value_locality *into, const struct value_locality *from)
{
	into->count += from->count;
	into->same += from->same;
	into->strided += from->strided;
	into->zero += from->zero;
}

/* A table of slots of a run, what they add up to, and the slots that are merged into it. */
struct slot_merge {
	struct adaptive_bins *slots;
	struct value_locality *all;
	struct value_profile *values; /* of slots */
};

/* Continues a slot with the values of a later one. */
static void
continue_slot(
	struct value_slot *into, const struct value_slot *from, struct value_locality *all)
{
	const uint64_t mask = UINT64_MAX >> (64 - 8 * from->first_size);
	const uint64_t stride = (from->first - into->last) & mask;
	struct value_locality border = {0};
	if (into->is_known) {
		border.same = from->first == into->last;
		border.strided = into->has_stride && stride && stride == into->stride;
		border.strided +=
			from->firsts == 2 && from->first_stride && from->first_stride == stride;
	}
	if (into->firsts == 1) {
		into->first_stride = stride;
		into->firsts = 2;
	} else if (!into->firsts) {
		into->first = from->first;
		into->first_size = from->first_size;
		into->first_stride = from->first_stride;
		into->firsts = from->firsts;
	}
	into->stride = from->has_stride ? from->stride : stride;
	into->has_stride = from->has_stride || into->is_known;
	into->last = from->last;
	into->is_known = from->is_known;
	add_locality(&into->counts, &from->counts);
	add_locality(&into->counts, &border);
	add_locality(all, &border);
}

/* Merges a slot into that of a number and a context; false: out of memory. */
static bool
merge_slot(const struct slot_merge *merge, uint32_t number, uint16_t context,
	const struct value_slot *slot)
{
	const uint32_t found = adaptive_bins_get(merge->slots, number, context);
	if (found == ADAPTIVE_BIN_NONE) {
		/* Its values are in the totals, but they are not tracked. */
		merge->values->untracked += slot->counts.count;
		merge->all->count -= slot->counts.count;
		merge->all->same -= slot->counts.same;
		merge->all->strided -= slot->counts.strided;
		merge->all->zero -= slot->counts.zero;
		return !merge->slots->failed;
	}
	continue_slot(adaptive_bins_item(merge->slots, found), slot, merge->all);
	return true;
}

/* Merges the registers, whose names have numbers of their own; false: out of memory. */
static bool
merge_registers(struct value_profile *into, const struct value_profile *from,
	const struct analysis_numbers *numbers)
{
	const struct slot_merge merge = {&into->registers, &into->all, into};
	bool ok = true;
	for (uint32_t i = 0; ok && i < from->registers.count; i++) {
		const struct adaptive_bin *bin = &from->registers.list[i];
		const char *name = intern_text(&from->names, (uint32_t)bin->number);
		const uint32_t number = intern_add(&into->names, name, strlen(name));
		ok = number != INTERN_FAILED &&
		     merge_slot(&merge, number, numbers->contexts[bin->tag],
			     adaptive_bins_item(&from->registers, i));
	}
	return ok;
}

/* Merges the loads; those before the first instruction of their context come first. */
static bool
merge_loads(struct value_profile *into, const struct value_profile *from,
	const struct analysis_numbers *numbers)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < from->loads.count; i++) {
		const struct adaptive_bin *bin = &from->loads.list[i];
		const struct value_slot *slot = adaptive_bins_item(&from->loads, i);
		const bool is_open = bin->number == SITE_OPEN;
		const uint32_t site =
			is_open ? numbers->open_sites[bin->tag] : numbers->sites[bin->number];
		const struct slot_merge merge = {
			&into->loads, site == SITE_OPEN ? &into->open : &into->loaded, into};
		if (is_open && site != OP_NONE)
			add_locality(merge.all, &slot->counts);
		if (site != OP_NONE)
			ok = merge_slot(&merge, site, numbers->contexts[bin->tag], slot);
	}
	return ok;
}

/* Continues the states of contexts; false: out of memory. */
static bool
merge_states(struct value_profile *into, const struct value_profile *from,
	const struct analysis_numbers *numbers)
{
	bool ok = true;
	for (size_t i = 0; ok && i < numbers->context_count; i++) {
		const struct context_states *states = from->states[i];
		struct observed_value observed = {
			.context = numbers->contexts[i], .counts = true};
		if (!states || !states->has_first)
			continue;
		ok = add_state(into, &states->first, &observed);
		if (!ok)
			break;
		into->states[observed.context]->last = states->last;
		into->states[observed.context]->has_last = states->has_last;
	}
	return ok;
}

static bool
values_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct value_profile *sum = into;
	const struct value_profile *values = from;
	if (!numbers->continues)
		clear_last(sum);
	add_locality(&sum->all, &values->all);
	add_locality(&sum->loaded, &values->loaded);
	for (size_t i = 0; i < sizeof sum->widths / sizeof *sum->widths; i++)
		sum->widths[i] += values->widths[i];
	for (size_t i = 0; i <= STATE_REGISTERS; i++)
		sum->changed[i] += values->changed[i];
	sum->untracked += values->untracked;
	return merge_states(sum, values, numbers) && merge_registers(sum, values, numbers) &&
	       merge_loads(sum, values, numbers);
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
		mem_free(values->states[i]);
}

static bool
values_suits(const struct poly_trace_info *info)
{
	return has_states(info) || poly_columns_subset(POLY_COLUMNS(reg, value), info->columns);
}

static void
transfer_locality(struct archive *archive, struct value_locality *locality)
{
	ARCHIVE(archive, locality->count);
	ARCHIVE(archive, locality->same);
	ARCHIVE(archive, locality->strided);
	ARCHIVE(archive, locality->zero);
}

static void
transfer_slot(struct archive *archive, void *item)
{
	struct value_slot *slot = item;
	ARCHIVE(archive, slot->last);
	ARCHIVE(archive, slot->stride);
	ARCHIVE(archive, slot->first);
	ARCHIVE(archive, slot->first_stride);
	ARCHIVE_UP_TO(archive, slot->first_size, sizeof slot->first);
	ARCHIVE_UP_TO(archive, slot->firsts, 2);
	archive_require(archive, !slot->firsts || slot->first_size);
	ARCHIVE(archive, slot->is_known);
	ARCHIVE(archive, slot->has_stride);
	transfer_locality(archive, &slot->counts);
}

static void
transfer_state(struct archive *archive, struct poly_powerpc_state *state)
{
	ARCHIVE(archive, state->wide);
	ARCHIVE(archive, state->pc);
	ARCHIVE(archive, state->msr);
	ARCHIVE_ARRAY(archive, state->gpr);
	ARCHIVE_ARRAY(archive, state->fpr);
	for (size_t i = 0; i < sizeof state->vr / sizeof *state->vr; i++)
		ARCHIVE_ARRAY(archive, state->vr[i]);
	ARCHIVE(archive, state->cr);
	ARCHIVE(archive, state->xer);
	ARCHIVE(archive, state->lr);
	ARCHIVE(archive, state->ctr);
	ARCHIVE(archive, state->mq);
	ARCHIVE(archive, state->vrsave);
	ARCHIVE(archive, state->fpscr);
	ARCHIVE(archive, state->vscr);
	ARCHIVE(archive, state->vrvalid);
}

static void
transfer_states(struct archive *archive, struct context_states **slot)
{
	bool is_used = *slot != NULL;
	ARCHIVE(archive, is_used);
	if (!is_used)
		return;
	if (archive_loads(archive))
		*slot = mem_new(1, sizeof **slot);
	archive_allocate(archive, *slot != NULL);
	if (!*slot)
		return;
	ARCHIVE(archive, (*slot)->has_first);
	ARCHIVE(archive, (*slot)->has_last);
	transfer_state(archive, &(*slot)->first);
	transfer_state(archive, &(*slot)->last);
}

static void
values_transfer(void *state, struct archive *archive)
{
	struct value_profile *values = state;
	archive_intern(archive, &values->names);
	archive_bins(archive, &values->registers, archive->contexts, transfer_slot);
	for (uint32_t i = 0; i < values->registers.count; i++)
		archive_require(
			archive, values->registers.list[i].number < values->names.count);
	archive_site_bins(archive, &values->loads, transfer_slot);
	transfer_locality(archive, &values->all);
	transfer_locality(archive, &values->loaded);
	transfer_locality(archive, &values->open);
	ARCHIVE_ARRAY(archive, values->widths);
	ARCHIVE(archive, values->is_full);
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_states(archive, &values->states[i]);
	ARCHIVE_ARRAY(archive, values->changed);
	ARCHIVE(archive, values->untracked);
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
	.shares = SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct value_profile),
	.suits = values_suits,
	.init = values_init,
	.begin = values_begin,
	.update = values_update,
	.merge = values_merge,
	.transfer = values_transfer,
	.report = values_report,
	.fini = values_fini,
};
