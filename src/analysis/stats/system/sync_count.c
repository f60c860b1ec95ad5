/* SPDX-License-Identifier: MIT */
/* Counts operations of synchronization. */
#include "analysis/stats/system/sync.h"

#include "analysis/facts/archive.h"

#include "base/vec.h"

void
sync_clear_history(struct sync_profile *sync)
{
	for (uint32_t i = 0; i < sync->object_count; i++)
		sync->objects[i].has_signal = false;
	for (uint32_t i = 0; i < sync->user_count; i++)
		sync->users[i].has_count = sync->users[i].is_held = false;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		sync->contexts[i].last_row = sync->contexts[i].held_count = 0;
}

/* A growing list, and the indices of its elements by key. */
struct indexed_list {
	struct map *numbers;
	void *list; /* address of the pointer to the elements */
	uint32_t *count, *capacity;
	uint32_t max_count;
	size_t size; /* of an element in bytes */
};

/*
 * Returns the number of a key, or of a new element if there is none yet; SYNC_NONE if the list
 * is full. False: out of memory.
 */
static bool
number_of(const struct indexed_list *indexed, uint64_t key, uint32_t *number, bool *added)
{
	const uint64_t *known = map_find(indexed->numbers, key);
	*added = false;
	*number = known ? (uint32_t)*known : SYNC_NONE;
	if (known || *indexed->count == indexed->max_count)
		return true;
	if (*indexed->count == *indexed->capacity &&
		!vec_grow(indexed->list, indexed->size, indexed->capacity,
			sizeof *indexed->capacity, (size_t)*indexed->count + 1))
		return false;
	if (!map_get(indexed->numbers, key, *indexed->count, added))
		return false;
	*number = (*indexed->count)++;
	return true;
}

struct sync_address *
sync_object_of(struct sync_profile *sync, uint64_t address, bool *ok)
{
	const struct indexed_list indexed = {&sync->object_numbers, &sync->objects,
		&sync->object_count, &sync->object_capacity, SYNC_OBJECTS_MAX,
		sizeof *sync->objects};
	uint32_t number;
	bool added;
	*ok = number_of(&indexed, address, &number, &added);
	if (!*ok || number == SYNC_NONE)
		return NULL;
	if (added)
		sync->objects[number] =
			(struct sync_address){.address = address, .alternates = true};
	return &sync->objects[number];
}

struct sync_user *
sync_user_of(struct sync_profile *sync, uint32_t object, uint16_t context, bool *ok)
{
	const struct indexed_list indexed = {&sync->user_numbers, &sync->users,
		&sync->user_count, &sync->user_capacity, SYNC_USERS_MAX, sizeof *sync->users};
	uint32_t number;
	bool added;
	*ok = number_of(&indexed, (uint64_t)object << 16 | context, &number, &added);
	if (!*ok || number == SYNC_NONE)
		return NULL;
	if (added) {
		sync->users[number] = (struct sync_user){.object = object, .context = context};
		sync->objects[object].contexts++;
	}
	return &sync->users[number];
}

bool
sync_count_pairs(struct sync_profile *sync, const struct sync_pair *pairs)
{
	const struct indexed_list indexed = {&sync->pair_numbers, &sync->pairs,
		&sync->pair_count, &sync->pair_capacity, SYNC_PAIRS_MAX, sizeof *sync->pairs};
	uint32_t number;
	bool added;
	const bool ok = number_of(
		&indexed, (uint64_t)pairs->outer << 32 | pairs->inner, &number, &added);
	if (!ok || number == SYNC_NONE)
		return ok;
	if (added)
		sync->pairs[number] = *pairs;
	else
		sync->pairs[number].count += pairs->count;
	return true;
}

/* Derives the signals since the context's previous operation from the operation's count. */
static void
add_signal_count(struct sync_profile *sync, struct sync_address *object, struct sync_user *user,
	uint64_t count, bool signals)
{
	if (user->has_count && count < user->count) {
		sync->backward++;
	} else if (user->has_count) {
		const uint64_t increment = count - user->count;
		object->increments += increment;
		object->wait_signal += !user->was_signal && signals;
		object->signal_wait += user->was_signal && !signals;
		object->signal_signal += user->was_signal && signals;
		sync->after += !user->was_signal && signals && increment == 1;
		sync->before += !user->was_signal && signals && increment == 0;
	}
	user->has_count = true;
	user->count = count;
}

/* Ends the hold of an address by a signal of its context. */
static void
release(struct sync_address *object, struct sync_user *user, struct sync_context *context,
	uint64_t record)
{
	const uint64_t length = context->instructions - user->since;
	user->is_held = false;
	user->held += length;
	object->holds++;
	object->held += length;
	object->hold_bits[length ? 64 - __builtin_clzll(length) : 0]++;
	if (object->holds == 1 || length > object->longest.length)
		object->longest =
			(struct sync_hold){length, user->since_record, record, user->context};
	for (uint32_t i = 0; i < context->held_count; i++) {
		if (context->held[i] == user->object)
			context->held[i] = context->held[--context->held_count];
	}
}

static bool
acquire(struct sync_profile *sync, struct sync_user *user, struct sync_context *context,
	uint64_t record)
{
	for (uint32_t i = 0; i < context->held_count; i++) {
		if (context->held[i] != user->object &&
			!sync_count_pairs(sync,
				&(struct sync_pair){context->held[i], user->object, 1, record}))
			return false;
	}
	if (!user->is_held && context->held_count < SYNC_HELD_MAX)
		context->held[context->held_count++] = user->object;
	user->is_held = true;
	user->since = context->instructions;
	user->since_record = record;
	return true;
}

/* Counts a handover, and whether the context was blocked until the other's signal. */
static void
count_handover(struct sync_address *object, struct sync_user *user,
	const struct sync_context *context, bool can_wait)
{
	if (!object->has_signal || object->signal_context == user->context)
		return;
	object->handovers++;
	if (can_wait && context->last_row && context->last_row < object->signal_row) {
		object->blocked++;
		user->blocked++;
	}
}

bool
sync_count_operation(struct sync_profile *sync, const struct sync_operation *event)
{
	const unsigned operation = event->operation;
	const bool signals = operation == POLY_SYNC_SIGNAL || operation == POLY_SYNC_BROADCAST;
	struct sync_context *context = &sync->contexts[event->context];
	bool ok;
	if (!part_log_add(&sync->log, event))
		return false;
	struct sync_address *object = sync_object_of(sync, event->address, &ok);
	struct sync_user *user = object ? sync_user_of(sync, (uint32_t)(object - sync->objects),
						  event->context, &ok)
					: NULL;
	sync->untracked += ok && !user;
	if (!user)
		return ok;
	object->counts[operation]++;
	user->counts[operation]++;
	object->alternates &= signals == user->is_held;
	if (event->has_value)
		add_signal_count(sync, object, user, event->value, signals);
	user->was_signal = signals;
	if (!signals) {
		count_handover(object, user, context, operation == POLY_SYNC_WAIT);
		return acquire(sync, user, context, event->record);
	}
	if (user->is_held)
		release(object, user, context, event->record);
	object->has_signal = true;
	object->signal_context = event->context;
	object->signal_row = event->row;
	return true;
}

static void
transfer_hold(struct archive *archive, struct sync_hold *hold)
{
	ARCHIVE(archive, hold->length);
	ARCHIVE(archive, hold->wait);
	ARCHIVE(archive, hold->signal);
	archive_context(archive, &hold->context);
}

/* Transfers an address; its users set the number of its contexts. */
static void
transfer_object(struct archive *archive, struct sync_address *object)
{
	ARCHIVE_ARRAY(archive, object->counts);
	ARCHIVE(archive, object->alternates);
	ARCHIVE(archive, object->has_signal);
	archive_context(archive, &object->signal_context);
	ARCHIVE(archive, object->signal_row);
	ARCHIVE(archive, object->handovers);
	ARCHIVE(archive, object->blocked);
	ARCHIVE(archive, object->increments);
	ARCHIVE(archive, object->wait_signal);
	ARCHIVE(archive, object->signal_wait);
	ARCHIVE(archive, object->signal_signal);
	ARCHIVE(archive, object->holds);
	ARCHIVE(archive, object->held);
	ARCHIVE_ARRAY(archive, object->hold_bits);
	transfer_hold(archive, &object->longest);
}

static void
transfer_objects(struct sync_profile *sync, struct archive *archive)
{
	const size_t count = archive_count(archive, sync->object_count, SYNC_OBJECTS_MAX);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		uint64_t address = archive_loads(archive) ? 0 : sync->objects[i].address;
		bool ok = true;
		ARCHIVE(archive, address);
		if (archive_loads(archive) && !archive_failed(archive))
			sync_object_of(sync, address, &ok);
		archive_allocate(archive, ok);
		archive_require(archive, i < sync->object_count);
		if (!archive_failed(archive))
			transfer_object(archive, &sync->objects[i]);
	}
}

static void
transfer_user(struct archive *archive, struct sync_user *user)
{
	ARCHIVE(archive, user->has_count);
	ARCHIVE(archive, user->was_signal);
	ARCHIVE(archive, user->count);
	ARCHIVE(archive, user->is_held);
	ARCHIVE(archive, user->since);
	ARCHIVE(archive, user->since_record);
	ARCHIVE_ARRAY(archive, user->counts);
	ARCHIVE(archive, user->blocked);
	ARCHIVE(archive, user->held);
}

static void
transfer_users(struct sync_profile *sync, struct archive *archive)
{
	const size_t count = archive_count(archive, sync->user_count, SYNC_USERS_MAX);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		struct sync_user key = {.object = 0};
		bool ok = true;
		if (!archive_loads(archive))
			key = sync->users[i];
		ARCHIVE(archive, key.object);
		archive_context(archive, &key.context);
		archive_require(archive, key.object < sync->object_count);
		if (archive_loads(archive) && !archive_failed(archive))
			sync_user_of(sync, key.object, key.context, &ok);
		archive_allocate(archive, ok);
		archive_require(archive, i < sync->user_count);
		if (!archive_failed(archive))
			transfer_user(archive, &sync->users[i]);
	}
}

static void
transfer_pairs(struct sync_profile *sync, struct archive *archive)
{
	const size_t count = archive_count(archive, sync->pair_count, SYNC_PAIRS_MAX);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		struct sync_pair pair = {.outer = 0};
		if (!archive_loads(archive))
			pair = sync->pairs[i];
		ARCHIVE(archive, pair.outer);
		ARCHIVE(archive, pair.inner);
		ARCHIVE(archive, pair.count);
		ARCHIVE(archive, pair.first);
		archive_require(archive,
			pair.outer < sync->object_count && pair.inner < sync->object_count);
		if (archive_loads(archive) && !archive_failed(archive))
			archive_allocate(archive, sync_count_pairs(sync, &pair));
		archive_require(archive, i < sync->pair_count);
	}
}

void
sync_transfer_tables(struct sync_profile *sync, struct archive *archive)
{
	transfer_objects(sync, archive);
	transfer_users(sync, archive);
	transfer_pairs(sync, archive);
}
