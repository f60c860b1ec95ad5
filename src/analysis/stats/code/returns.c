/* SPDX-License-Identifier: MIT */
/*
 * Calls and returns: compares the targets of returns with a stack of the return addresses of
 * calls, like a return-address stack (RAS) of 1024 entries that unwinds to a matching entry.
 *
 * spec: Apple amber traces 6 (call and return pairing; bcl 20,31,$+4 calls nothing).
 */
#include "analysis/facts/archive.h"
#include "analysis/facts/branch_stream.h"

#include "analysis/facts/part_log.h"
#include "analysis/facts/top_n.h"
#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Entries of the stack of a context; another one replaces the oldest. */
#define FRAMES 1024

/* Depths of the stack, with 0. */
#define DEPTHS 1025

struct address_stack {
	uint64_t *addresses; /* FRAMES of them, allocated with the first call */
	uint32_t depth;	     /* number of valid entries */
	uint32_t bottom;     /* index of the lowest one */
};

/* A call or return of a context whose address is known. */
struct returns_event {
	uint64_t address; /* return address of a call, or target of a return */
	uint16_t context;
	bool is_return;
};

struct returns_counts {
	uint64_t calls, returns;
	uint64_t matched;	 /* to the return address of the last call */
	uint64_t unwinding;	 /* to the return address of an earlier call */
	uint64_t mismatched;	 /* to an address that is not on the stack */
	uint64_t underflows;	 /* with an empty stack */
	uint64_t frames_skipped; /* by unwinding returns */
	uint64_t overflows;	 /* calls whose entry was replaced */
	uint64_t depths[DEPTHS];
};

struct returns {
	struct branch_stream stream;
	struct address_stack stacks[ANALYSIS_CONTEXTS_MAX];
	struct returns_counts counts, before; /* before: the counts before a warm-up */
	struct part_log log;		      /* of struct returns_event */
	bool failed;			      /* out of memory */
};

static enum poly_status
returns_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct returns *returns = state;
	(void)setup;
	returns->log.item_size = sizeof(struct returns_event);
	return branch_stream_init(&returns->stream) ? POLY_OK : err_memory(error);
}

static void
clear_stacks(struct returns *returns)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		returns->stacks[i].depth = 0;
}

/* Returns the address a number of frames below the top. */
static uint64_t
address_at(const struct address_stack *stack, uint32_t below)
{
	return stack->addresses[(stack->bottom + stack->depth - 1 - below) % FRAMES];
}

static bool
push(struct returns *returns, struct address_stack *stack, uint64_t address)
{
	if (!stack->addresses)
		stack->addresses = mem_new(FRAMES, sizeof *stack->addresses);
	if (!stack->addresses)
		return false;
	if (stack->depth == FRAMES) {
		stack->bottom = (stack->bottom + 1) % FRAMES;
		stack->depth--;
		returns->counts.overflows++;
	}
	stack->addresses[(stack->bottom + stack->depth) % FRAMES] = address;
	stack->depth++;
	returns->counts.depths[stack->depth]++;
	return true;
}

/* Counts a return to an address, which pops the entries down to it if it is on the stack. */
static void
pop(struct returns *returns, struct address_stack *stack, uint64_t address)
{
	uint32_t below = 0;
	while (below < stack->depth && address_at(stack, below) != address)
		below++;
	if (stack->depth == 0) {
		returns->counts.underflows++;
		return;
	}
	if (below == stack->depth) {
		returns->counts.mismatched++;
		return;
	}
	returns->counts.matched += below == 0;
	returns->counts.unwinding += below != 0;
	returns->counts.frames_skipped += below;
	stack->depth -= below + 1;
}

/* Counts a call or return; false: out of memory. */
static bool
count_event(struct returns *returns, const struct returns_event *event)
{
	struct address_stack *stack = &returns->stacks[event->context];
	if (!event->is_return)
		return push(returns, stack, event->address);
	pop(returns, stack, event->address);
	return true;
}

/* Follows a call or return; those of a part are only stored. False: out of memory. */
static bool
follow(struct returns *returns, const struct returns_event *event)
{
	if (!returns->log.is_part)
		return count_event(returns, event);
	return part_log_add(&returns->log, event);
}

/* Counts the calls and returns of the last update of the stream. */
static bool
count_branches(struct returns *returns)
{
	bool ok = true;
	for (size_t i = 0; i < returns->stream.count && ok; i++) {
		const struct executed_branch *branch = &returns->stream.list[i];
		struct returns_event event = {.context = branch->context};
		if (!branch->taken)
			continue;
		if (branch->flow & ISA_RETURNS) {
			returns->counts.returns++;
			event.is_return = true;
			event.address = branch->target;
			ok = !branch->has_target || follow(returns, &event);
		} else if (branch->flow & ISA_CALLS) {
			returns->counts.calls++;
			event.address = branch->fallthrough;
			ok = !branch->has_fallthrough || follow(returns, &event);
		}
	}
	return ok;
}

/* Counts the events of a part that nothing precedes: from now on it is not a part. */
static bool
count_log(struct returns *returns)
{
	struct part_log log = returns->log;
	bool ok = true;
	returns->log.items = NULL;
	part_log_end(&returns->log);
	for (size_t i = 0; ok && i < log.count; i++)
		ok = count_event(returns, part_log_at(&log, i));
	part_log_fini(&log);
	return ok;
}

static bool
returns_update(void *state, const struct analysis_rows *rows)
{
	struct returns *returns = state;
	part_log_see(&returns->log, rows->batch);
	if (!rows->counts)
		part_log_end(&returns->log);
	branch_stream_update(&returns->stream, rows);
	if (returns->failed)
		return false;
	/* A warm-up changes the stacks but not the counts. */
	returns->before = returns->counts;
	bool ok = count_branches(returns);
	if (!rows->counts)
		returns->counts = returns->before;
	if (returns->log.is_full)
		ok = ok && count_log(returns);
	return ok;
}

static void
returns_begin(void *state, const struct poly_trace_info *info)
{
	struct returns *returns = state;
	returns->failed |= !count_log(returns);
	branch_stream_begin_trace(&returns->stream, info);
	part_log_begin(&returns->log);
	clear_stacks(returns);
}

static enum poly_status
returns_finish(void *state, struct poly_error *error)
{
	return count_log(state) ? POLY_OK : err_memory(error);
}

/* Copies the stacks of later rows; false: out of memory. */
static bool
copy_stacks(struct returns *into, const struct returns *from, const uint16_t *contexts)
{
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		const struct address_stack *stack = &from->stacks[i];
		if (!stack->depth)
			continue;
		struct address_stack *copy = &into->stacks[contexts[i]];
		if (!copy->addresses)
			copy->addresses = mem_new(FRAMES, sizeof *copy->addresses);
		if (!copy->addresses)
			return false;
		memcpy(copy->addresses, stack->addresses, FRAMES * sizeof *copy->addresses);
		copy->depth = stack->depth;
		copy->bottom = stack->bottom;
	}
	return true;
}

/* Adds counts; those of a part lack the events that are only stored. */
static void
add_counts(struct returns_counts *into, const struct returns_counts *from)
{
	into->calls += from->calls;
	into->returns += from->returns;
	into->matched += from->matched;
	into->unwinding += from->unwinding;
	into->mismatched += from->mismatched;
	into->underflows += from->underflows;
	into->frames_skipped += from->frames_skipped;
	into->overflows += from->overflows;
	for (size_t i = 0; i < DEPTHS; i++)
		into->depths[i] += from->depths[i];
}

static bool
returns_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct returns *sum = into;
	const struct returns *returns = from;
	bool ok = true;
	if (!numbers->continues) {
		ok = count_log(sum);
		clear_stacks(sum);
	}
	part_log_merge(&sum->log, &returns->log, numbers->continues);
	branch_stream_append(&sum->stream, &returns->stream, numbers);
	ok = ok && count_branches(sum);
	add_counts(&sum->counts, &returns->counts);
	for (size_t i = 0; ok && i < returns->log.count; i++) {
		struct returns_event event =
			*(const struct returns_event *)part_log_at(&returns->log, i);
		event.context = numbers->contexts[event.context];
		ok = follow(sum, &event);
	}
	if (sum->log.is_full)
		ok = ok && count_log(sum);
	return ok && copy_stacks(sum, returns, numbers->contexts);
}

static bool
returns_is_too_long(const void *state)
{
	return ((const struct returns *)state)->log.is_full;
}

static void
returns_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct returns_counts *counts = &((const struct returns *)state)->counts;
	uint64_t max_depth = 0;
	(void)ops;
	for (size_t i = 0; i < DEPTHS; i++)
		max_depth = counts->depths[i] ? i : max_depth;
	poly_report_count(report, "calls", counts->calls);
	poly_report_count(report, "returns", counts->returns);
	poly_report_count(report, "matched_returns", counts->matched);
	poly_report_ratio(report, "matched_return_ratio", (double)counts->matched,
		(double)counts->returns, 2);
	poly_report_count(report, "unwinding_returns", counts->unwinding);
	poly_report_count(report, "frames_skipped", counts->frames_skipped);
	poly_report_count(report, "mismatched_returns", counts->mismatched);
	poly_report_count(report, "ras_underflow", counts->underflows);
	poly_report_count(report, "call_depth_max", max_depth);
	if (counts->overflows)
		poly_report_count(report, "ras_overflow", counts->overflows);
	top_n_distribution(report, "call_depths", "call_depth", counts->depths, DEPTHS);
}

static void
returns_fini(void *state)
{
	struct returns *returns = state;
	branch_stream_fini(&returns->stream);
	part_log_fini(&returns->log);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(returns->stacks[i].addresses);
}

/* Returns whether a trace identifies calls. */
static bool
returns_suits(const struct poly_trace_info *info)
{
	return poly_columns_overlap(info->columns, POLY_COLUMNS(opcode, mnemonic, text));
}

static void
transfer_event(struct archive *archive, void *item)
{
	struct returns_event *event = item;
	ARCHIVE(archive, event->address);
	archive_context(archive, &event->context);
	ARCHIVE(archive, event->is_return);
}

/* Transfers a stack, with its lowest entry first. */
static void
transfer_stack(struct archive *archive, struct address_stack *stack)
{
	ARCHIVE_UP_TO(archive, stack->depth, FRAMES);
	if (archive_loads(archive) && stack->depth) {
		stack->addresses = mem_new(FRAMES, sizeof *stack->addresses);
		archive_allocate(archive, stack->addresses != NULL);
	}
	for (uint32_t i = 0; i < stack->depth && !archive_failed(archive); i++)
		ARCHIVE(archive, stack->addresses[(stack->bottom + i) % FRAMES]);
}

static void
transfer_counts(struct archive *archive, struct returns_counts *counts)
{
	ARCHIVE(archive, counts->calls);
	ARCHIVE(archive, counts->returns);
	ARCHIVE(archive, counts->matched);
	ARCHIVE(archive, counts->unwinding);
	ARCHIVE(archive, counts->mismatched);
	ARCHIVE(archive, counts->underflows);
	ARCHIVE(archive, counts->frames_skipped);
	ARCHIVE(archive, counts->overflows);
	ARCHIVE_ARRAY(archive, counts->depths);
}

static void
returns_transfer(void *state, struct archive *archive)
{
	struct returns *returns = state;
	branch_stream_transfer(&returns->stream, archive);
	transfer_counts(archive, &returns->counts);
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_stack(archive, &returns->stacks[i]);
	archive_log(archive, &returns->log, transfer_event);
}

static const struct poly_option options[] = {{0}};

const struct analysis analysis_returns = {
	.info = {.name = "returns",
		.title = "Calls and returns",
		.summary = "matched, unwinding and mismatched returns, and call depths",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(BRANCH_STREAM_COLUMNS),
		.is_default = true,
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs = NEEDS_FLOW,
	.needs_warmup = true,
	.suits = returns_suits,
	.state_size = sizeof(struct returns),
	.init = returns_init,
	.begin = returns_begin,
	.update = returns_update,
	.merge = returns_merge,
	.transfer = returns_transfer,
	.is_too_long = returns_is_too_long,
	.finish = returns_finish,
	.report = returns_report,
	.fini = returns_fini,
};
