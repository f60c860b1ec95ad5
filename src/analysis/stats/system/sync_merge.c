/* SPDX-License-Identifier: MIT */
/* Merges the operations of parts of a trace, which are repeated, and of other traces. */
#include "analysis/stats/system/sync.h"

#include "base/mem.h"

/* Two profiles, and how rows and instructions of the later one follow those of the earlier one.
 */
struct sync_merge {
	struct sync_profile *into;
	const struct sync_profile *from;
	const uint16_t *contexts;
	uint64_t rows;		/* of into before the merge */
	uint64_t row_offset;	/* of records of from */
	uint64_t *instructions; /* of into before the merge, by context of from */
	uint32_t *objects;	/* of into, by object of from; SYNC_NONE: untracked */
};

static uint64_t
sum_counts(const uint64_t counts[POLY_SYNC_COUNT])
{
	uint64_t sum = 0;
	for (size_t i = 0; i < POLY_SYNC_COUNT; i++)
		sum += counts[i];
	return sum;
}

/* Adds the counts of an address, and sets its last signal. */
static void
add_object(const struct sync_merge *merge, struct sync_address *into,
	const struct sync_address *from)
{
	for (size_t i = 0; i < POLY_SYNC_COUNT; i++)
		into->counts[i] += from->counts[i];
	into->alternates &= from->alternates;
	into->has_signal = from->has_signal;
	into->signal_context = merge->contexts[from->signal_context];
	into->signal_row = merge->rows + from->signal_row;
	into->handovers += from->handovers;
	into->blocked += from->blocked;
	into->increments += from->increments;
	into->wait_signal += from->wait_signal;
	into->signal_wait += from->signal_wait;
	into->signal_signal += from->signal_signal;
	if (from->holds && (!into->holds || from->longest.length > into->longest.length)) {
		into->longest = from->longest;
		into->longest.context = merge->contexts[from->longest.context];
	}
	into->holds += from->holds;
	into->held += from->held;
	for (size_t i = 0; i < sizeof into->hold_bits / sizeof *into->hold_bits; i++)
		into->hold_bits[i] += from->hold_bits[i];
}

static bool
add_objects(const struct sync_merge *merge)
{
	for (uint32_t i = 0; i < merge->from->object_count; i++) {
		const struct sync_address *from = &merge->from->objects[i];
		bool ok;
		struct sync_address *into = sync_object_of(merge->into, from->address, &ok);
		if (!ok)
			return false;
		merge->objects[i] = into ? (uint32_t)(into - merge->into->objects) : SYNC_NONE;
		if (into)
			add_object(merge, into, from);
		else
			merge->into->untracked += sum_counts(from->counts);
	}
	return true;
}

/* Adds the users of addresses, and sets their history. */
static bool
add_users(const struct sync_merge *merge)
{
	for (uint32_t i = 0; i < merge->from->user_count; i++) {
		const struct sync_user *from = &merge->from->users[i];
		const uint32_t object = merge->objects[from->object];
		bool ok = true;
		struct sync_user *into = object == SYNC_NONE
						 ? NULL
						 : sync_user_of(merge->into, object,
							   merge->contexts[from->context], &ok);
		if (!ok)
			return false;
		if (!into)
			continue;
		for (size_t k = 0; k < POLY_SYNC_COUNT; k++)
			into->counts[k] += from->counts[k];
		into->blocked += from->blocked;
		into->held += from->held;
		into->has_count = from->has_count;
		into->was_signal = from->was_signal;
		into->count = from->count;
		into->is_held = from->is_held;
		into->since = merge->instructions[from->context] + from->since;
		into->since_record = from->since_record;
	}
	return true;
}

static bool
add_pairs(const struct sync_merge *merge)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < merge->from->pair_count; i++) {
		struct sync_pair pair = merge->from->pairs[i];
		pair.outer = merge->objects[pair.outer];
		pair.inner = merge->objects[pair.inner];
		ok = pair.outer == SYNC_NONE || pair.inner == SYNC_NONE ||
		     sync_count_pairs(merge->into, &pair);
	}
	return ok;
}

/* Sets the addresses that contexts hold. */
static void
copy_held(const struct sync_merge *merge, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sync_context *from = &merge->from->contexts[i];
		struct sync_context *into = &merge->into->contexts[merge->contexts[i]];
		into->held_count = 0;
		for (uint32_t k = 0; k < from->held_count; k++) {
			const uint32_t object = merge->objects[from->held[k]];
			if (object != SYNC_NONE)
				into->held[into->held_count++] = object;
		}
	}
}

/* Adds the tables of a run that no history precedes. */
static bool
add_tables(struct sync_merge *merge, size_t contexts)
{
	struct sync_profile *into = merge->into;
	const struct sync_profile *from = merge->from;
	into->after += from->after;
	into->before += from->before;
	into->backward += from->backward;
	into->untracked += from->untracked;
	merge->objects = mem_new((size_t)from->object_count + 1, sizeof *merge->objects);
	const bool ok =
		merge->objects && add_objects(merge) && add_users(merge) && add_pairs(merge);
	if (ok)
		copy_held(merge, contexts);
	mem_free(merge->objects);
	return ok;
}

/* Repeats the operations of a part. */
static bool
repeat_events(const struct sync_merge *merge)
{
	const struct part_log *log = &merge->from->log;
	bool ok = true;
	for (size_t i = 0; ok && i < log->count; i++) {
		struct sync_operation event =
			*(const struct sync_operation *)part_log_at(log, i);
		struct sync_context *context =
			&merge->into->contexts[merge->contexts[event.context]];
		context->instructions = merge->instructions[event.context] + event.instructions;
		if (event.last_row)
			context->last_row = merge->rows + event.last_row;
		event.instructions = context->instructions;
		event.last_row = context->last_row;
		event.row += merge->rows;
		event.record += merge->row_offset;
		event.context = merge->contexts[event.context];
		ok = sync_count_operation(merge->into, &event);
	}
	return ok;
}

/* Sets the numbers of instructions and the last rows of contexts. */
static void
end_contexts(const struct sync_merge *merge, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sync_context *from = &merge->from->contexts[i];
		struct sync_context *into = &merge->into->contexts[merge->contexts[i]];
		into->instructions = merge->instructions[i] + from->instructions;
		if (from->last_row)
			into->last_row = merge->rows + from->last_row;
	}
	merge->into->rows = merge->rows + merge->from->rows;
}

bool
sync_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct sync_profile *sum = into;
	const struct sync_profile *sync = from;
	struct sync_merge merge = {.into = sum,
		.from = sync,
		.contexts = numbers->contexts,
		.rows = sum->rows,
		.row_offset = numbers->row_offset};
	merge.instructions =
		mem_new((size_t)numbers->context_count + 1, sizeof *merge.instructions);
	if (!merge.instructions)
		return false;
	for (size_t i = 0; i < numbers->context_count; i++)
		merge.instructions[i] = sum->contexts[numbers->contexts[i]].instructions;
	if (!numbers->continues)
		sync_clear_history(sum);
	part_log_merge(&sum->log, &sync->log, numbers->continues);
	const bool ok = sync->log.is_part ? repeat_events(&merge)
					  : add_tables(&merge, numbers->context_count);
	if (sum->log.is_full)
		part_log_end(&sum->log);
	if (ok)
		end_contexts(&merge, numbers->context_count);
	mem_free(merge.instructions);
	return ok;
}
