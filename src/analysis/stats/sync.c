/* SPDX-License-Identifier: MIT */
/* Who waits for whom: signals and waits by address, contention, how long locks are held. */
#include "analysis/stats/sync.h"

#include "analysis/column_stats.h"
#include "base/mem.h"

enum { OPTION_TOP, OPTION_COUNT };
static const char *const count_words[] = {"auto", "after", "before", NULL};

static enum poly_status
sync_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct sync *sync = state;
	(void)error;
	sync->top = setup->values[OPTION_TOP];
	sync->numbering = setup->values[OPTION_COUNT];
	sync->names = setup->contexts;
	return POLY_OK;
}

/* What was before is not what comes before the next row: of another trace, or left out. */
static void
sync_begin(void *state, const struct poly_trace_info *info)
{
	struct sync *sync = state;
	(void)info;
	for (uint32_t i = 0; i < sync->object_count; i++)
		sync->objects[i].has_signal = false;
	for (uint32_t i = 0; i < sync->place_count; i++)
		sync->places[i].has_count = sync->places[i].is_held = false;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		sync->contexts[i].last_row = sync->contexts[i].held_count = 0;
}

/* A list that grows, and the numbers of its elements by key. */
struct growing {
	struct map *numbers;
	void **list;
	uint32_t *count, *capacity;
	uint32_t most;
	size_t size; /* of an element in bytes */
};

/*
 * The number of a key, which is that of a new element where there is none yet; SYNC_NONE where
 * most are there already. False: no memory.
 */
static bool
number_of(const struct growing *of, uint64_t key, uint32_t *number, bool *added)
{
	const uint64_t *known = map_find(of->numbers, key);
	*added = false;
	*number = known ? (uint32_t)*known : SYNC_NONE;
	if (known || *of->count == of->most)
		return true;
	if (*of->count == *of->capacity) {
		const uint32_t capacity = *of->capacity ? 2 * *of->capacity : 16;
		void *list = mem_resize(*of->list, capacity, of->size);
		if (!list)
			return false;
		*of->list = list;
		*of->capacity = capacity;
	}
	if (!map_get(of->numbers, key, *of->count, added))
		return false;
	*number = (*of->count)++;
	return true;
}

/* The object of an address; NULL with *ok: there are too many. */
static struct sync_object *
object_of(struct sync *sync, uint64_t address, bool *ok)
{
	void *list = sync->objects;
	const struct growing growing = {&sync->object_numbers, &list, &sync->object_count,
		&sync->object_capacity, SYNC_OBJECTS, sizeof *sync->objects};
	uint32_t number;
	bool added;
	*ok = number_of(&growing, address, &number, &added);
	sync->objects = list;
	if (!*ok || number == SYNC_NONE)
		return NULL;
	if (added)
		sync->objects[number] =
			(struct sync_object){.address = address, .alternates = true};
	return &sync->objects[number];
}

static struct sync_place *
place_of(struct sync *sync, uint32_t object, uint16_t context, bool *ok)
{
	void *list = sync->places;
	const struct growing growing = {&sync->place_numbers, &list, &sync->place_count,
		&sync->place_capacity, SYNC_PLACES, sizeof *sync->places};
	uint32_t number;
	bool added;
	*ok = number_of(&growing, (uint64_t)object << 16 | context, &number, &added);
	sync->places = list;
	if (!*ok || number == SYNC_NONE)
		return NULL;
	if (added) {
		sync->places[number] =
			(struct sync_place){.object = object, .context = context};
		sync->objects[object].contexts++;
	}
	return &sync->places[number];
}

/* Counts that inner was acquired while outer was held. */
static bool
count_pair(struct sync *sync, uint32_t outer, uint32_t inner, uint64_t record)
{
	void *list = sync->pairs;
	const struct growing growing = {&sync->pair_numbers, &list, &sync->pair_count,
		&sync->pair_capacity, SYNC_PAIRS, sizeof *sync->pairs};
	uint32_t number;
	bool added;
	const bool ok = number_of(&growing, (uint64_t)outer << 32 | inner, &number, &added);
	sync->pairs = list;
	if (!ok || number == SYNC_NONE)
		return ok;
	if (added)
		sync->pairs[number] =
			(struct sync_pair){.outer = outer, .inner = inner, .first = record};
	sync->pairs[number].count++;
	return true;
}

/* What the count of an operation tells of the signals since the context's last one there. */
static void
take_count(struct sync *sync, struct sync_object *object, struct sync_place *place,
	uint64_t count, bool signals)
{
	if (place->has_count && count < place->count) {
		sync->backward++;
	} else if (place->has_count) {
		const uint64_t risen = count - place->count;
		object->risen += risen;
		object->wait_signal += !place->was_signal && signals;
		object->signal_wait += place->was_signal && !signals;
		object->signal_signal += place->was_signal && signals;
		sync->after += !place->was_signal && signals && risen == 1;
		sync->before += !place->was_signal && signals && risen == 0;
	}
	place->has_count = true;
	place->count = count;
}

/* Signals of an address whose last wait of the context is not answered yet. */
static void
release(struct sync_object *object, struct sync_place *place, struct sync_context *context,
	uint64_t record)
{
	const uint64_t length = context->instructions - place->since;
	place->is_held = false;
	place->held += length;
	object->holds++;
	object->held += length;
	object->hold_bits[length ? 64 - __builtin_clzll(length) : 0]++;
	if (object->holds == 1 || length > object->longest.length)
		object->longest =
			(struct sync_hold){length, place->since_record, record, place->context};
	for (uint32_t i = 0; i < context->held_count; i++) {
		if (context->held[i] == place->object)
			context->held[i] = context->held[--context->held_count];
	}
}

static bool
acquire(struct sync *sync, struct sync_place *place, struct sync_context *context,
	uint64_t record)
{
	for (uint32_t i = 0; i < context->held_count; i++) {
		if (context->held[i] != place->object &&
			!count_pair(sync, context->held[i], place->object, record))
			return false;
	}
	if (!place->is_held && context->held_count < SYNC_HELD)
		context->held[context->held_count++] = place->object;
	place->is_held = true;
	place->since = context->instructions;
	place->since_record = record;
	return true;
}

/* Whether the context waited for another one's signal, in the order of the trace. */
static void
take_wait(struct sync_object *object, struct sync_place *place,
	const struct sync_context *context, bool can_wait)
{
	if (!object->has_signal || object->signal_context == place->context)
		return;
	object->handovers++;
	if (can_wait && context->last_row && context->last_row < object->signal_row) {
		object->contended++;
		place->contended++;
	}
}

/* Takes an operation of a context. */
static bool
take_operation(struct sync *sync, const struct poly_batch *batch, size_t row, uint16_t number)
{
	const unsigned operation = batch->sync[row];
	const bool signals = operation == POLY_SYNC_SIGNAL || operation == POLY_SYNC_BROADCAST;
	const uint64_t record = poly_batch_number(batch, row);
	struct sync_context *context = &sync->contexts[number];
	bool ok;
	struct sync_object *object = object_of(sync, batch->address[row], &ok);
	struct sync_place *place =
		object ? place_of(sync, (uint32_t)(object - sync->objects), number, &ok) : NULL;
	sync->beyond += ok && !place;
	if (!place)
		return ok;
	object->counts[operation]++;
	place->counts[operation]++;
	object->alternates &= signals == place->is_held;
	if (poly_present(batch, POLY_COLUMN_value, row))
		take_count(sync, object, place, batch->value[row], signals);
	place->was_signal = signals;
	if (!signals) {
		take_wait(object, place, context, operation == POLY_SYNC_WAIT);
		return acquire(sync, place, context, record);
	}
	if (place->is_held)
		release(object, place, context, record);
	object->has_signal = true;
	object->signal_context = number;
	object->signal_row = sync->rows + row + 1;
	return true;
}

static bool
is_operation(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_sync, row) &&
	       poly_present(batch, POLY_COLUMN_address, row) &&
	       batch->sync[row] < POLY_SYNC_COUNT;
}

/* A row of whatever kind. */
static bool
take_row(struct sync *sync, const struct poly_batch *batch, size_t row, uint16_t number)
{
	struct sync_context *context = &sync->contexts[number];
	bool ok = true;
	if (is_operation(batch, row))
		ok = take_operation(sync, batch, row, number);
	else if (poly_present(batch, POLY_COLUMN_kind, row))
		context->instructions += batch->kind[row] == POLY_KIND_INSTRUCTION &&
					 !(poly_present(batch, POLY_COLUMN_synthetic, row) &&
						 batch->synthetic[row]);
	context->last_row = sync->rows + row + 1;
	return ok;
}

/* Rows of one context without an operation, which most are. */
static void
take_plain(struct sync *sync, const struct poly_batch *batch, uint16_t number)
{
	struct sync_context *context = &sync->contexts[number];
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		const size_t left = batch->rows - 64 * word;
		const uint64_t rows = row_bits_present(batch, POLY_COLUMN_kind, word);
		if (!rows)
			continue;
		uint64_t them = rows & row_bits_equal(batch->kind + 64 * word,
					       left < 64 ? left : 64, POLY_KIND_INSTRUCTION);
		if (batch->synthetic)
			them &= ~(row_bits_present(batch, POLY_COLUMN_synthetic, word) &
				  row_bits_equal(batch->synthetic + 64 * word,
					  left < 64 ? left : 64, 1));
		context->instructions += (uint64_t)__builtin_popcountll(them);
	}
	context->last_row = sync->rows + batch->rows;
}

static bool
has_operations(const struct poly_batch *batch)
{
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		if (row_bits_present(batch, POLY_COLUMN_sync, word))
			return true;
	}
	return false;
}

static bool
sync_update(void *state, const struct analysis_rows *rows)
{
	struct sync *sync = state;
	const struct poly_batch *batch = rows->batch;
	bool ok = true;
	if (!rows->counts) {
		sync_begin(state, batch->info);
		return true;
	}
	if (!rows->context && !has_operations(batch)) {
		if (batch->rows)
			take_plain(sync, batch, rows->sole_context);
	} else {
		for (size_t row = 0; ok && row < batch->rows; row++)
			ok = take_row(sync, batch, row,
				rows->context ? rows->context[row] : rows->sole_context);
	}
	sync->rows += batch->rows;
	return ok;
}

static void
sync_fini(void *state)
{
	struct sync *sync = state;
	map_free(&sync->object_numbers);
	map_free(&sync->place_numbers);
	map_free(&sync->pair_numbers);
	mem_free(sync->objects);
	mem_free(sync->places);
	mem_free(sync->pairs);
}

static const struct poly_option options[] = {
	[OPTION_TOP] = {"sync.top", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 1, SYNC_PLACES,
		NULL, "addresses, contexts and pairs that are listed", NULL},
	[OPTION_COUNT] = {"sync.count", POLY_OPTION_CHOICE, POLY_OPTION_READ, SYNC_COUNT_AUTO,
		0, 0, count_words, "whether a signal carries the count after it or before it",
		"reference amber 3/9"},
	{0},
};

/*
 * No merge: what is held, and by whom, goes on over any cut. Most batches of most traces have
 * no operation and cost next to nothing.
 */
const struct analysis analysis_sync = {
	.info = {.name = "sync",
		.title = "Synchronisation",
		.summary = "who waits for whom: signals and waits by address, contention, and "
			   "how long locks are held",
		.needs = POLY_HAS(sync) | POLY_HAS(address),
		.wants = POLY_HAS(kind) | POLY_HAS(value) | POLY_HAS(synthetic),
		.is_default = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct sync),
	.init = sync_init,
	.begin = sync_begin,
	.update = sync_update,
	.report = sync_report,
	.fini = sync_fini,
};
