/* SPDX-License-Identifier: MIT */
/* Recordings: their description, and the chunks of the channel in their order. */
#include "record/rows.h"

#include "base/err.h"
#include "base/mem.h"
#include "record/shared_memory.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const record_names[RECORD_COUNT] = {
	"instruction", "access", "register", "sync"};

static bool
register_names(struct poly_recording *recording)
{
	const struct target *target = recording->target;
	static const char *const sets[] = {
		[CHANNEL_MODE_ARM] = "A", [CHANNEL_MODE_THUMB] = "T"};
	for (size_t i = 0; i < target->register_count; i++) {
		const char *name = target->registers[i].name;
		recording->names[i] = info_name(&recording->info, name, strlen(name));
		if (recording->names[i] == INTERN_FAILED)
			return false;
	}
	recording->user_mode = info_name(&recording->info, "usr", 3);
	if (recording->user_mode == INTERN_FAILED)
		return false;
	for (unsigned i = CHANNEL_MODE_ARM; i <= CHANNEL_MODE_THUMB; i++) {
		recording->sets[i] = info_name(&recording->info, sets[i], 1);
		if (recording->sets[i] == INTERN_FAILED)
			return false;
	}
	return true;
}

static bool
is_arm(const struct target *target)
{
	return strcmp(target->isa, "arm") == 0;
}

/* Adds the facts that state which values are exact, and which follow from rules. */
static bool
add_facts(struct poly_recording *recording)
{
	const struct target *target = recording->target;
	const struct poly_recording_options *options = &recording->options;
	const bool is_powerpc = strcmp(target->isa, "powerpc") == 0;
	const struct {
		bool applies;
		const char *key, *value;
	} facts[] = {
		{true, "recording.target", target->name},
		{true, "recording.exact",
			options->registers  ? "instructions, accesses, changes of registers"
			: options->accesses ? "instructions, accesses"
					    : "instructions"},
		{true, "recording.rule.threads",
			"records of threads are in blocks that end at system calls"},
		{strncmp(target->isa, "x86", 3) == 0, "recording.rule.repeat",
			"iterations of repeated string instructions are instructions"},
		{is_powerpc && options->accesses, "recording.rule.accesses",
			"by registers: cache, multiple, string and conditional ones"},
		{options->registers, "recording.rule.data",
			"data of loads are those of memory after the instruction"},
		{options->functions, "recording.rule.sync",
			"calls of pthread functions, by symbol"},
	};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (facts[i].applies &&
			!info_fact(&recording->info, facts[i].key, facts[i].value))
			return false;
	}
	return true;
}

/* Sets the information on the trace. */
static bool
describe(struct poly_recording *recording)
{
	struct poly_trace_info *view = &recording->info.view;
	const struct target *target = recording->target;
	view->format = "recording";
	view->isa = target->isa;
	view->address_bits = target->address_bits;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->producer = "polytrace record";
	view->records = record_names;
	view->record_count = RECORD_COUNT;
	view->columns = POLY_COLUMNS(kind, record, thread, pc, opcode, opcode_size);
	if (target->has_own_order)
		poly_columns_add(&view->columns, POLY_COLUMN_payload);
	if (is_arm(target))
		poly_columns_add(&view->columns, POLY_COLUMN_instruction_set);
	if (recording->options.texts)
		poly_columns_add(&view->columns, POLY_COLUMN_text);
	if (recording->options.functions)
		view->columns =
			poly_columns_union(view->columns, POLY_COLUMNS(sync, address, value));
	if (recording->options.accesses)
		view->columns =
			poly_columns_union(view->columns, POLY_COLUMNS(access, address, size));
	if (recording->options.registers)
		view->columns =
			poly_columns_union(view->columns, POLY_COLUMNS(reg, size, value, mode));
	if (recording->options.registers && is_arm(target))
		poly_columns_add(&view->columns, POLY_COLUMN_executed);
	/* The third word of some records of TT6 is a register. */
	if (strcmp(target->isa, "powerpc") == 0)
		view->columns =
			poly_columns_union(view->columns, POLY_COLUMNS(reg, size, value));
	return add_facts(recording) && register_names(recording);
}

/* Opens the disassemblers of the texts. */
static enum poly_status
open_decoders(struct poly_recording *recording, struct poly_error *error)
{
	if (!recording->options.texts)
		return POLY_OK;
	const enum poly_status status =
		isa_open(recording->target->isa, &recording->decoder, error);
	if (status != POLY_OK || !is_arm(recording->target))
		return status;
	return isa_open("thumb", &recording->thumb, error);
}

/* Prepares the shared memory. */
static enum poly_status
open_channel(struct poly_recording *recording, struct poly_error *error)
{
	struct channel *channel = shared_memory_new(sizeof *channel, &recording->file);
	recording->channel = channel;
	if (!channel)
		return err_system(error, POLY_NO_OFFSET, "cannot share memory with a program");
	channel->magic = CHANNEL_MAGIC;
	channel->size = sizeof *channel;
	channel->recorder = getpid();
	channel->content = (recording->options.accesses ? (uint32_t)CHANNEL_ACCESSES : 0) |
			   (recording->options.registers ? (uint32_t)CHANNEL_REGISTERS : 0);
	return POLY_OK;
}

enum poly_status
poly_recording_new(const struct poly_recording_options *options, struct poly_recording **result,
	struct poly_error *error)
{
	*result = NULL;
	struct poly_recording_options known = POLY_RECORDING_OPTIONS_INIT;
	if (!options->size)
		return err_usage(error, "options of size 0: not initialized");
	memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
	const struct target *target = known.target ? target_find(known.target) : NULL;
	if (!target)
		return err_usage(error, "options.target: programs of '%s' cannot be recorded",
			known.target ? known.target : "");
	struct poly_recording *recording = mem_new(1, sizeof *recording);
	if (!recording)
		return err_memory(error);
	recording->target = target;
	recording->options = known;
	recording->skip = known.skip;
	info_init(&recording->info);
	enum poly_status status = describe(recording) ? POLY_OK : err_memory(error);
	if (status == POLY_OK)
		status = batch_init(&recording->rows, recording->info.view.columns,
			POLY_BATCH_ROWS, &recording->info.view, error);
	if (status == POLY_OK)
		status = open_decoders(recording, error);
	if (status == POLY_OK)
		status = open_channel(recording, error);
	if (status == POLY_OK)
		*result = recording;
	else
		poly_recording_free(recording);
	return status;
}

int
poly_recording_file(const struct poly_recording *recording)
{
	return recording->file;
}

enum poly_status
poly_recording_fact(struct poly_recording *recording, const char *key, const char *value,
	struct poly_error *error)
{
	return info_fact(&recording->info, key, value) ? POLY_OK : err_memory(error);
}

const struct poly_trace_info *
poly_recording_info(const struct poly_recording *recording)
{
	return &recording->info.view;
}

bool
poly_recording_is_loaded(struct poly_recording *recording, uint64_t *code)
{
	if (atomic_load(&recording->channel->phase) == CHANNEL_STARTING)
		return false;
	*code = recording->channel->start_code;
	return true;
}

bool
poly_recording_watch(struct poly_recording *recording, const char *function, uint64_t address)
{
	static const struct {
		const char *name;
		struct channel_function function;
	} known[] = {{"pthread_mutex_unlock", {.sync = POLY_SYNC_SIGNAL}},
		{"pthread_cond_signal", {.sync = POLY_SYNC_SIGNAL}},
		{"pthread_cond_broadcast", {.sync = POLY_SYNC_BROADCAST}},
		{"pthread_mutex_lock", {.sync = POLY_SYNC_WAIT, .at_return = true}},
		{"pthread_mutex_trylock",
			{.sync = POLY_SYNC_TRYWAIT, .is_tried = true, .at_return = true}},
		{"pthread_cond_wait", {.sync = POLY_SYNC_WAIT, .at_return = true}},
		{"pthread_cond_timedwait",
			{.sync = POLY_SYNC_WAIT, .is_tried = true, .at_return = true}}};
	struct channel *channel = recording->channel;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (!recording->options.functions || strcmp(known[i].name, function) != 0 ||
			channel->function_count == CHANNEL_FUNCTIONS)
			continue;
		struct channel_function *watched =
			&channel->functions[channel->function_count++];
		*watched = known[i].function;
		watched->address = address;
		return true;
	}
	return false;
}

void
poly_recording_run(
	struct poly_recording *recording, const uint64_t *start, const uint64_t *stop)
{
	recording->has_start = start;
	recording->has_stop = stop;
	recording->start = start ? *start : 0;
	recording->stop = stop ? *stop : 0;
	recording->is_bounded = start || stop || recording->skip || recording->options.count;
	atomic_store(&recording->channel->phase, CHANNEL_RUNNING);
}

/* Returns whether a slot has a chunk for the recorder. */
static bool
has_chunk(const struct channel_slot *slot)
{
	const uint32_t state = atomic_load(&slot->state);
	return (state == CHANNEL_LIVE || state == CHANNEL_ENDED) &&
	       atomic_load(&slot->head) != atomic_load(&slot->tail);
}

static uint64_t
next_ticket(const struct channel_slot *slot)
{
	return slot->ticket[atomic_load(&slot->tail) % CHANNEL_CHUNKS];
}

/* Finds the slot of the chunk with the lowest ticket. A chunk that precedes one that was found
 * may have been overlooked, so the search is repeated until it finds the same. */
static struct channel_slot *
find_chunk(const struct poly_recording *recording)
{
	struct channel *channel = recording->channel;
	struct channel_slot *best = NULL, *before;
	do {
		const uint32_t threads = atomic_load(&channel->threads);
		const uint32_t count = threads < CHANNEL_SLOTS ? threads : CHANNEL_SLOTS;
		before = best;
		for (struct channel_slot *slot = channel->slots; slot < channel->slots + count;
			slot++) {
			if (has_chunk(slot) && (!best || next_ticket(slot) < next_ticket(best)))
				best = slot;
		}
	} while (best != before);
	return best;
}

/* Begins to read a thread in a slot that another one had before. */
static void
begin_chunk(struct poly_recording *recording, struct channel_slot *slot)
{
	recording->slot = slot;
	recording->position = 0;
}

/* Frees the slot of a thread that has ended, if all its chunks have been read. */
static void
free_slot(struct poly_recording *recording, struct channel_slot *slot)
{
	if (slot == recording->slot || atomic_load(&slot->state) != CHANNEL_ENDED ||
		atomic_load(&slot->head) != atomic_load(&slot->tail))
		return;
	recording->threads[slot - recording->channel->slots] = (struct thread){.pc = 0};
	atomic_store(&slot->state, CHANNEL_FREE);
}

/* Returns the chunk that has been read. */
static void
end_chunk(struct poly_recording *recording)
{
	struct channel_slot *slot = recording->slot;
	const uint32_t tail = atomic_load(&slot->tail);
	atomic_store(&slot->used[tail % CHANNEL_CHUNKS], 0);
	atomic_store(&slot->tail, tail + 1);
	recording->slot = NULL;
	free_slot(recording, slot);
}

/* Converts records of the current chunk until it ends or the batch is full. */
static enum poly_status
convert_chunk(struct poly_recording *recording, struct poly_error *error)
{
	const struct channel_slot *slot = recording->slot;
	const uint32_t chunk = atomic_load(&slot->tail) % CHANNEL_CHUNKS;
	const uint32_t used = atomic_load_explicit(&slot->used[chunk], memory_order_acquire);
	const enum poly_status status = rows_add(recording,
		recording->channel->words[recording_slot(recording)][chunk], used, error);
	if (status == POLY_OK && recording->position == used)
		end_chunk(recording);
	return status;
}

/* Passes the last chunk of a thread on, in its place. */
static void
take_partial_chunk(struct poly_recording *recording, struct channel_slot *slot)
{
	const uint32_t head = atomic_load(&slot->head);
	if (head - atomic_load(&slot->tail) < CHANNEL_CHUNKS &&
		atomic_load(&slot->used[head % CHANNEL_CHUNKS])) {
		slot->ticket[head % CHANNEL_CHUNKS] =
			atomic_fetch_add(&recording->channel->tickets, 1);
		atomic_store(&slot->head, head + 1);
	}
	atomic_store(&slot->state, CHANNEL_ENDED);
	atomic_fetch_sub(&recording->channel->live, 1);
}

/* Takes what killed processes left in their slots, and frees those of ended threads; all: every
 * process has ended. */
static void
take_partial_chunks(struct poly_recording *recording, bool all)
{
	struct channel_slot *slots = recording->channel->slots;
	for (size_t i = 0; i < CHANNEL_SLOTS; i++) {
		if (atomic_load(&slots[i].state) == CHANNEL_LIVE &&
			(all || (kill(slots[i].process, 0) != 0 && errno == ESRCH)))
			take_partial_chunk(recording, &slots[i]);
		free_slot(recording, &slots[i]);
	}
}

/* Prepares an empty batch. */
static void
begin_rows(struct poly_recording *recording)
{
	recording->first += recording->rows.view.rows;
	batch_clear(&recording->rows);
	recording->rows.view.first = recording->first;
	batch_all_present(&recording->rows, POLY_COLUMN_kind);
	batch_all_present(&recording->rows, POLY_COLUMN_record);
	batch_all_present(&recording->rows, POLY_COLUMN_thread);
}

/* Returns whether the program has left what only the recorder writes as it was: it finds the
 * memory if it searches its own mappings. */
static bool
is_intact(const struct poly_recording *recording)
{
	const struct channel *channel = recording->channel;
	return channel->magic == CHANNEL_MAGIC && channel->size == sizeof *channel &&
	       channel->recorder == getpid() && atomic_load(&channel->phase) == CHANNEL_RUNNING;
}

enum poly_status
poly_recording_next(struct poly_recording *recording, const struct poly_batch **batch,
	struct poly_error *error)
{
	const struct poly_batch *view = &recording->rows.view;
	begin_rows(recording);
	if (!is_intact(recording))
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the program has overwritten the memory of the recording");
	if (atomic_load(&recording->channel->waiting))
		take_partial_chunks(recording, false);
	while (view->rows < ROWS_FULL) {
		struct channel_slot *slot =
			recording->slot ? recording->slot : find_chunk(recording);
		if (!slot || (view->rows && view->thread[0] != slot->thread))
			break;
		if (!recording->slot)
			begin_chunk(recording, slot);
		const enum poly_status status = convert_chunk(recording, error);
		if (status != POLY_OK)
			return status;
	}
	*batch = view;
	if (view->rows)
		return batch_finish(&recording->rows, error);
	if (!recording->is_finished)
		take_partial_chunks(recording, false);
	return POLY_END;
}

bool
poly_recording_is_complete(const struct poly_recording *recording)
{
	return recording->is_complete;
}

void
poly_recording_stop(struct poly_recording *recording)
{
	atomic_store(&recording->channel->closed, 1);
}

void
poly_recording_finish(struct poly_recording *recording)
{
	poly_recording_stop(recording);
	recording->is_finished = true;
	take_partial_chunks(recording, true);
}

void
poly_recording_count(
	const struct poly_recording *recording, struct poly_recording_counts *counts)
{
	struct channel *channel = recording->channel;
	const struct poly_recording_options *options = &recording->options;
	const bool needs_registers =
		options->registers || channel->function_count ||
		(options->accesses && strcmp(recording->target->isa, "powerpc") == 0);
	*counts = (struct poly_recording_counts){
		.instructions = recording->instructions,
		.threads = atomic_load(&channel->threads),
		.lost_threads = atomic_load(&channel->lost_threads),
		.forks = atomic_load(&channel->forks),
		.executions = atomic_load(&channel->executions),
		.lost_sites = atomic_load(&channel->lost_sites),
		.lacks_registers =
			needs_registers && atomic_load(&channel->missing) & CHANNEL_REGISTERS,
	};
}

void
poly_recording_free(struct poly_recording *recording)
{
	if (!recording)
		return;
	if (recording->channel)
		poly_recording_stop(recording);
	shared_memory_free(recording->channel, sizeof *recording->channel, recording->file);
	batch_fini(&recording->rows);
	mem_free(recording->sites);
	isa_close(recording->decoder);
	isa_close(recording->thumb);
	buf_free(&recording->texts);
	info_fini(&recording->info);
	mem_free(recording);
}

const char *
poly_recording_target_at(size_t i)
{
	const struct target *target = target_at(i);
	return target ? target->name : NULL;
}

const char *
poly_recording_isa(const char *target)
{
	const struct target *found = target_find(target);
	return found ? found->isa : NULL;
}
