/* SPDX-License-Identifier: MIT */
/* Records of synchronization. */
#include "record/plugin_sync.h"

static const struct channel_function *
find_function(uint64_t pc)
{
	const struct channel *channel = plugin.channel;
	for (uint32_t i = 0; i < channel->function_count && i < CHANNEL_FUNCTIONS; i++) {
		if (channel->functions[i].address == pc)
			return &channel->functions[i];
	}
	return NULL;
}

bool
plugin_sync_begins(uint64_t pc)
{
	return find_function(pc);
}

/* Returns the number of signals of an object, after adding some. */
static uint64_t
count_signals(uint64_t object, uint64_t added)
{
	uint64_t at = object * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	for (uint32_t tries = 0; tries < CHANNEL_OBJECTS; tries++, at++) {
		struct channel_object *entry =
			&plugin.channel->objects[at % (uint64_t)CHANNEL_OBJECTS];
		uint64_t found = 0;
		if (atomic_compare_exchange_strong(&entry->address, &found, object) ||
			found == object)
			return atomic_fetch_add(&entry->count, added) + added;
	}
	return 0;
}

static void
put_sync(struct producer *producer, const struct channel_function *function, uint64_t object)
{
	const bool is_signal = !function->at_return;
	if (producer->used >= PLUGIN_FULL)
		plugin_make_room(producer);
	uint32_t at = producer->used;
	producer->words[at] = (uint32_t)CHANNEL_SYNC << CHANNEL_TYPE_SHIFT | function->sync;
	at = plugin_put_number(producer, at + 1, object);
	plugin_publish(
		producer, plugin_put_number(producer, at, count_signals(object, is_signal)));
}

/* Reads a number of the size of an address on the stack. */
static uint64_t
read_stack(uint64_t address)
{
	return plugin_read_memory(
		address, plugin.target->address_bits / 8u, plugin.target->big_endian);
}

/* Determines the argument and the return address of a call; false: they cannot be read. */
static bool
get_call(struct producer *producer, uint64_t *argument, uint64_t *return_address)
{
	const struct target *target = plugin.target;
	if (!plugin_get_register(producer, target->argument, argument) ||
		!plugin_get_register(producer, target->link, return_address))
		return false;
	if (!target->has_stack_call)
		return true;
	/* Of i386 the argument is on the stack, too. */
	if (target->argument == target->link)
		*argument = read_stack(*argument + target->address_bits / 8u);
	*return_address = read_stack(*return_address);
	return true;
}

void
plugin_sync_enter(struct producer *producer, uint64_t pc)
{
	const struct channel_function *function = find_function(pc);
	uint64_t object, return_address;
	if (!function || !get_call(producer, &object, &return_address))
		return;
	if (!function->at_return)
		put_sync(producer, function, object);
	else if (producer->pending_count < PENDING_MAX)
		producer->pending[producer->pending_count++] =
			(struct pending_call){return_address, object, function};
}

void
plugin_sync_return(struct producer *producer, uint64_t pc)
{
	while (producer->pending_count) {
		const struct pending_call *last =
			&producer->pending[producer->pending_count - 1];
		uint64_t result = 0;
		/* Of ARM and MIPS the lowest bit of a return address is a mode. */
		if ((last->return_address ^ pc) > 1)
			return;
		producer->pending_count--;
		if (plugin_get_register(producer, plugin.target->result, &result) &&
			(!last->function->is_tried || !(uint32_t)result))
			put_sync(producer, last->function, last->object);
	}
}
