/* SPDX-License-Identifier: MIT */
/*
 * The plugin that an emulator loads to record a program: stores its instructions, accesses and
 * registers in the channel, which the recorder passes as an open file.
 *
 * Threads of the emulator call it concurrently. Each has a producer of its own, by the number
 * of its processor; only the table of sites has a lock, and is used for translation alone.
 */
#include "record/plugin.h"

#include "base/mem.h"
#include "polytrace/batch.h"
#include "record/plugin_powerpc.h"
#include "record/plugin_sync.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define PROCESSORS_MAX 4096

/* Nanoseconds of a wait for the recorder. */
#define WAIT_MIN 50000
#define WAIT_MAX 1000000

struct plugin plugin;

static struct {
	qemu_plugin_id id;
	int32_t process;
	bool started;
	pthread_mutex_t lock; /* of the sites */
	uint32_t *table;      /* numbers of sites plus 1, by hash; 0: empty */
	size_t capacity, count;
} local = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct producer producers[PROCESSORS_MAX];

/* Where a thread stores what is not recorded; never read. */
static uint32_t discarded[CHANNEL_WORDS];
static _Atomic uint32_t discarded_count;

static void
pause_for(long *nanoseconds)
{
	const struct timespec time = {0, *nanoseconds};
	nanosleep(&time, NULL);
	if (*nanoseconds < WAIT_MAX)
		*nanoseconds *= 2;
}

/* Returns whether nothing more is recorded: the recorder states it, or has ended. */
static bool
is_closed(void)
{
	struct channel *channel = plugin.channel;
	if (kill(channel->recorder, 0) != 0 && errno == ESRCH)
		atomic_store(&channel->closed, 1);
	return atomic_load(&channel->closed);
}

static void
after_reset(qemu_plugin_id id)
{
	(void)id;
}

/* Lets a thread run on without being recorded; if nothing more is, at full speed. */
static void
discard(struct producer *producer)
{
	static _Atomic bool is_reset;
	producer->words = discarded;
	producer->shared = &discarded_count;
	producer->used = 0;
	producer->slot = NULL;
	producer->pending_count = 0;
	if (atomic_load(&plugin.channel->closed) && !atomic_exchange(&is_reset, true))
		qemu_plugin_reset(local.id, after_reset);
}

/* Sets the chunk at the head of the producer's slot. */
static void
use_head(struct producer *producer)
{
	struct channel_slot *slot = producer->slot;
	const size_t number = (size_t)(slot - plugin.channel->slots);
	const uint32_t chunk = atomic_load(&slot->head) % CHANNEL_CHUNKS;
	producer->words = plugin.channel->words[number][chunk];
	producer->shared = &slot->used[chunk];
	producer->used = 0;
	atomic_store(producer->shared, 0);
}

/* Passes the current chunk to the recorder, and waits for a free one. False: nothing more is
 * recorded. */
static bool
hand_over(struct producer *producer)
{
	struct channel_slot *slot = producer->slot;
	const uint32_t head = atomic_load(&slot->head);
	slot->ticket[head % CHANNEL_CHUNKS] = atomic_fetch_add(&plugin.channel->tickets, 1);
	atomic_store(&slot->head, head + 1);
	long nanoseconds = WAIT_MIN;
	uint32_t most = CHANNEL_CHUNKS - 1;
	while (head + 1 - atomic_load(&slot->tail) > most) {
		/* Waits seldom, and then for half of the chunks. */
		most = CHANNEL_CHUNKS / 2;
		if (is_closed())
			return false;
		pause_for(&nanoseconds);
	}
	use_head(producer);
	return !atomic_load(&plugin.channel->closed);
}

/* Forgets the thread that a producer had. */
static void
release(struct producer *producer)
{
	producer->slot = NULL;
	producer->words = NULL;
	producer->used = PLUGIN_FULL;
	producer->cpu = NULL;
	producer->has_registers = false;
	producer->pending_count = 0;
}

/* Claims a free slot for a thread; false: there is none. */
static bool
claim_free(struct producer *producer)
{
	struct channel *channel = plugin.channel;
	for (size_t i = 0; i < CHANNEL_SLOTS; i++) {
		struct channel_slot *slot = &channel->slots[i];
		uint32_t expected = CHANNEL_FREE;
		if (!atomic_compare_exchange_strong(&slot->state, &expected, CHANNEL_CLAIMED))
			continue;
		slot->process = local.process;
		slot->thread = atomic_fetch_add(&channel->threads, 1) + 1;
		producer->slot = slot;
		use_head(producer);
		atomic_fetch_add(&channel->live, 1);
		atomic_store(&slot->state, CHANNEL_LIVE);
		return true;
	}
	return false;
}

/* Returns whether the recorder is going to free a slot. */
static bool
will_be_free(void)
{
	for (size_t i = 0; i < CHANNEL_SLOTS; i++) {
		const struct channel_slot *slot = &plugin.channel->slots[i];
		const uint32_t state = atomic_load(&slot->state);
		if (state == CHANNEL_FREE || state == CHANNEL_ENDED ||
			(state == CHANNEL_LIVE && kill(slot->process, 0) != 0 &&
				errno == ESRCH))
			return true;
	}
	return false;
}

/* Claims a slot for a thread; false: all are in use, or nothing more is recorded. */
static bool
claim(struct producer *producer)
{
	struct channel *channel = plugin.channel;
	long nanoseconds = WAIT_MIN;
	bool done, waits = true;
	if (claim_free(producer))
		return true;
	atomic_fetch_add(&channel->waiting, 1);
	while (!(done = claim_free(producer)) && (waits = will_be_free()) && !is_closed())
		pause_for(&nanoseconds);
	atomic_fetch_sub(&channel->waiting, 1);
	if (!waits)
		atomic_fetch_add(&channel->lost_threads, 1);
	return done;
}

void
plugin_make_room(struct producer *producer)
{
	if (!producer->slot && producer->words != discarded && !is_closed() && claim(producer))
		return;
	if (!producer->slot || !hand_over(producer))
		discard(producer);
}

static inline struct producer *
producer_of(unsigned vcpu)
{
	struct producer *producer = &producers[vcpu % PROCESSORS_MAX];
	if (__builtin_expect(producer->used >= PLUGIN_FULL, 0))
		plugin_make_room(producer);
	return producer;
}

static void
on_instruction(unsigned vcpu, void *site)
{
	struct producer *producer = producer_of(vcpu);
	if (__builtin_expect(producer->pending_count, 0) &&
		plugin_find_processor(producer, vcpu))
		plugin_sync_return(producer, plugin.channel->site[(uintptr_t)site].pc);
	producer->words[producer->used] = (uint32_t)(uintptr_t)site;
	plugin_publish(producer, producer->used + 1);
}

uint64_t
plugin_read_memory(uint64_t address, unsigned size, bool big_endian)
{
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)(address + guest_base);
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[big_endian ? i : size - 1 - i];
	return value;
}

static inline uint32_t
access_bits(qemu_plugin_meminfo info)
{
	return 1u << qemu_plugin_mem_size_shift(info) |
	       (uint32_t)(qemu_plugin_mem_is_store(info) ? POLY_ACCESS_WRITE : POLY_ACCESS_READ)
		       << CHANNEL_ACCESS_SHIFT;
}

static void
on_access(unsigned vcpu, qemu_plugin_meminfo info, uint64_t address, void *user)
{
	(void)user;
	struct producer *producer = &producers[vcpu % PROCESSORS_MAX];
	if (producer->words)
		plugin_put_access(producer, access_bits(info), address, NULL);
}

static void
on_access_with_value(unsigned vcpu, qemu_plugin_meminfo info, uint64_t address, void *user)
{
	(void)user;
	struct producer *producer = &producers[vcpu % PROCESSORS_MAX];
	const unsigned size = 1u << qemu_plugin_mem_size_shift(info);
	uint64_t value = 0;
	if (!producer->words)
		return;
	if (size <= sizeof value)
		value = plugin_read_memory(address, size, qemu_plugin_mem_is_big_endian(info));
	plugin_put_access(
		producer, access_bits(info), address, size <= sizeof value ? &value : NULL);
}

unsigned
plugin_get_register(struct producer *producer, unsigned number, uint64_t *value)
{
	g_byte_array_set_size(producer->bytes, 0);
	plugin.read_register(producer->cpu, producer->bytes, (int)number);
	const unsigned n = producer->bytes->length;
	if (!n || n > sizeof *value)
		return 0;
	*value = 0;
	for (unsigned i = 0; i < n; i++) {
		const unsigned at = plugin.target->big_endian ? i : n - 1 - i;
		*value = *value << 8 | producer->bytes->data[at];
	}
	if (plugin.target->mask && plugin.target->masked == number)
		*value &= plugin.target->mask;
	return n;
}

bool
plugin_find_processor(struct producer *producer, unsigned vcpu)
{
	if (!producer->cpu)
		producer->cpu = qemu_get_cpu((int)vcpu);
	if (!producer->bytes)
		producer->bytes = g_byte_array_sized_new(16);
	return producer->cpu && producer->bytes;
}

/* Stores the registers that the previous instruction has changed; at first all of them. */
static void
put_registers(struct producer *producer, unsigned vcpu)
{
	const bool is_first = !producer->has_registers;
	uint32_t at = producer->used;
	if (!plugin_find_processor(producer, vcpu))
		return;
	for (size_t i = 0; i < plugin.target->register_count; i++) {
		const struct target_register *each = &plugin.target->registers[i];
		uint64_t value;
		const unsigned size = plugin_get_register(producer, each->number, &value);
		if (!size || (!is_first && value == producer->registers[i]))
			continue;
		producer->registers[i] = value;
		producer->words[at] = (uint32_t)CHANNEL_REGISTER << CHANNEL_TYPE_SHIFT |
				      (uint32_t)i | size << CHANNEL_BYTES_SHIFT;
		at = plugin_put_number(producer, at + 1, value);
	}
	producer->has_registers = true;
	plugin_publish(producer, at);
}

/* The same for instructions of PowerPC whose accesses follow from registers. */
static void
on_powerpc_access(unsigned vcpu, void *number)
{
	struct producer *producer = producer_of(vcpu);
	const uint8_t *bytes = plugin.channel->site[(uintptr_t)number].encoding;
	const bool values = plugin.channel->content & CHANNEL_REGISTERS;
	uint32_t opcode = 0;
	for (unsigned i = 0; i < 4; i++)
		opcode = opcode << 8 | bytes[plugin.target->big_endian ? i : 3 - i];
	const bool readable = producer->slot && plugin_find_processor(producer, vcpu);
	if (readable && values)
		put_registers(producer, vcpu);
	else if (readable)
		plugin_powerpc_before(producer, opcode);
	on_instruction(vcpu, number);
	if (readable)
		plugin_powerpc_after(producer, opcode, values);
}

/* Precedes the record of the first instruction of a function that synchronizes threads. */
static void
on_function(unsigned vcpu, void *number)
{
	struct producer *producer = producer_of(vcpu);
	if (producer->slot && plugin_find_processor(producer, vcpu))
		plugin_sync_enter(producer, plugin.channel->site[(uintptr_t)number].pc);
}

static void
on_instruction_with_registers(unsigned vcpu, void *site)
{
	struct producer *producer = producer_of(vcpu);
	if (producer->slot)
		put_registers(producer, vcpu);
	on_instruction(vcpu, site);
}

/* Determines the mode of a site of ARM when it is executed first. */
static void
on_arm_instruction(unsigned vcpu, void *number)
{
	enum { THUMB = 1 << 5 };
	struct producer *producer = producer_of(vcpu);
	struct channel_site *site = &plugin.channel->site[(uintptr_t)number];
	const struct target_register *cpsr =
		&plugin.target->registers[plugin.target->register_count - 1];
	uint64_t value;
	if (atomic_load(&site->mode) != CHANNEL_MODE_UNKNOWN ||
		!plugin_find_processor(producer, vcpu) ||
		!plugin_get_register(producer, cpsr->number, &value))
		return;
	atomic_store(&site->mode, value & THUMB ? CHANNEL_MODE_THUMB : CHANNEL_MODE_ARM);
}

/* Waits with the first instruction until the recorder is ready. */
static void
wait_for_recorder(void)
{
	struct channel *channel = plugin.channel;
	long nanoseconds = WAIT_MIN;
	local.started = true;
	if (qemu_plugin_start_code)
		channel->start_code = qemu_plugin_start_code();
	atomic_store(&channel->phase, CHANNEL_LOADED);
	while (atomic_load(&channel->phase) != CHANNEL_RUNNING && !is_closed())
		pause_for(&nanoseconds);
}

static uint64_t
hash_site(uint64_t pc, const uint8_t *encoding, unsigned size)
{
	uint64_t hash = pc;
	for (unsigned i = 0; i < size; i++)
		hash = (hash ^ encoding[i]) * UINT64_C(0x100000001b3);
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return hash >> 32;
}

static bool
grow_table(void)
{
	const size_t capacity = local.capacity ? 2 * local.capacity : 1 << 14;
	uint32_t *table = mem_new(capacity, sizeof *table);
	if (!table)
		return false;
	for (size_t i = 0; i < local.capacity; i++) {
		if (!local.table[i])
			continue;
		const struct channel_site *site = &plugin.channel->site[local.table[i] - 1];
		size_t at = hash_site(site->pc, site->encoding, site->size);
		while (table[at & (capacity - 1)])
			at++;
		table[at & (capacity - 1)] = local.table[i];
	}
	mem_free(local.table);
	local.table = table;
	local.capacity = capacity;
	return true;
}

/* Returns the number of a site; CHANNEL_SITES: there are too many. */
static uint32_t
find_site(uint64_t pc, const uint8_t *encoding, unsigned size)
{
	struct channel *channel = plugin.channel;
	if (2 * local.count >= local.capacity && !grow_table())
		return CHANNEL_SITES;
	size_t at = hash_site(pc, encoding, size);
	uint32_t number;
	while ((number = local.table[at++ & (local.capacity - 1)]) != 0) {
		const struct channel_site *site = &channel->site[number - 1];
		if (site->pc == pc && site->size == size &&
			memcmp(site->encoding, encoding, size) == 0)
			return number - 1;
	}
	number = atomic_load(&channel->sites);
	do {
		if (number >= CHANNEL_SITES)
			return CHANNEL_SITES;
	} while (!atomic_compare_exchange_weak(&channel->sites, &number, number + 1));
	struct channel_site *site = &channel->site[number];
	site->pc = pc;
	site->size = (uint8_t)size;
	memcpy(site->encoding, encoding, size);
	local.table[(at - 1) & (local.capacity - 1)] = number + 1;
	local.count++;
	return number;
}

/* Returns the bytes of an encoding. QEMU 7.2 adds two to the last one of a page in Thumb. */
static unsigned
size_of(const struct qemu_plugin_insn *instruction)
{
	const size_t size = qemu_plugin_insn_size(instruction);
	const uint8_t *bytes = qemu_plugin_insn_data(instruction);
	if (strcmp(plugin.target->isa, "arm") == 0 && size > 2) {
		const unsigned first = bytes[plugin.target->big_endian ? 0 : 1];
		const bool is_short = first >> 3 != 0x1d && first >> 3 < 0x1e;
		if (size == 6)
			return 4;
		if (qemu_plugin_insn_vaddr(instruction) % 4 == 2 && is_short)
			return 2;
	}
	return (unsigned)(size < CHANNEL_ENCODING ? size : CHANNEL_ENCODING);
}

/* Records the mode of a site, which a block of instructions or the address may show; otherwise
 * the processor does, when it executes the site. */
static void
find_mode(struct qemu_plugin_insn *instruction, uint32_t number, bool in_thumb)
{
	struct channel_site *site = &plugin.channel->site[number];
	if (in_thumb || site->size == 2 || site->pc % 4)
		atomic_store(&site->mode, CHANNEL_MODE_THUMB);
	else if (atomic_load(&site->mode) == CHANNEL_MODE_UNKNOWN && plugin.read_register)
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_arm_instruction,
			QEMU_CB_NO_REGS, (void *)(uintptr_t)number);
}

/* Returns whether a block has an encoding of 2 bytes, as Thumb has. */
static bool
has_short_encoding(const struct qemu_plugin_tb *block)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		if (size_of(qemu_plugin_tb_get_insn(block, i)) == 2)
			return true;
	}
	return false;
}

/* Returns whether the accesses of a site are taken from registers. */
static bool
computes_accesses(const struct channel_site *site)
{
	uint32_t opcode = 0;
	for (unsigned i = 0; i < 4; i++)
		opcode = opcode << 8 | site->encoding[plugin.target->big_endian ? i : 3 - i];
	return plugin.read_register && plugin.channel->content & CHANNEL_ACCESSES &&
	       strcmp(plugin.target->isa, "powerpc") == 0 && plugin_powerpc_computes(opcode);
}

/* Instruments the records of a site. */
static void
instrument(struct qemu_plugin_insn *instruction, uint32_t number)
{
	void *const site = (void *)(uintptr_t)number;
	const uint32_t content = plugin.channel->content;
	const bool registers = content & CHANNEL_REGISTERS && plugin.read_register,
		   computes = computes_accesses(&plugin.channel->site[number]);
	qemu_plugin_register_vcpu_insn_exec_cb(instruction,
		computes    ? on_powerpc_access
		: registers ? on_instruction_with_registers
			    : on_instruction,
		QEMU_CB_NO_REGS, site);
	if (content & CHANNEL_ACCESSES && !computes)
		qemu_plugin_register_vcpu_mem_cb(instruction,
			content & CHANNEL_REGISTERS && &guest_base ? on_access_with_value
								   : on_access,
			QEMU_CB_NO_REGS, QEMU_MEM_RW, NULL);
}

static void
on_translation(qemu_plugin_id id, struct qemu_plugin_tb *block)
{
	const bool is_arm = strcmp(plugin.target->isa, "arm") == 0,
		   in_thumb = is_arm && has_short_encoding(block),
		   has_sync = plugin.read_register && plugin.channel->function_count;
	(void)id;
	pthread_mutex_lock(&local.lock);
	if (!local.started)
		wait_for_recorder();
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *each = qemu_plugin_tb_get_insn(block, i);
		const uint32_t site = find_site(qemu_plugin_insn_vaddr(each),
			qemu_plugin_insn_data(each), size_of(each));
		if (site == CHANNEL_SITES) {
			atomic_fetch_add(&plugin.channel->lost_sites, 1);
			continue;
		}
		if (is_arm)
			find_mode(each, site, in_thumb);
		if (has_sync && plugin_sync_begins(qemu_plugin_insn_vaddr(each)))
			qemu_plugin_register_vcpu_insn_exec_cb(
				each, on_function, QEMU_CB_NO_REGS, (void *)(uintptr_t)site);
		instrument(each, site);
	}
	pthread_mutex_unlock(&local.lock);
}

/* Returns whether a system call creates a thread or a process. */
static bool
is_creation(int64_t number)
{
	for (size_t i = 0; i < TARGET_CREATIONS; i++) {
		if (plugin.target->creations[i] && plugin.target->creations[i] == number)
			return true;
	}
	return false;
}

/* What other threads see after a system call depends on what this one did before. */
static void
on_system_call(QEMU_SYSCALL_PARAMETERS)
{
	(void)id, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7,
		(void)a8;
	struct producer *producer = &producers[vcpu % PROCESSORS_MAX];
	if (number == plugin.target->execve)
		atomic_fetch_add(&plugin.channel->executions, 1);
	if (producer->slot && producer->used &&
		(atomic_load(&plugin.channel->live) > 1 || is_creation(number)) &&
		!hand_over(producer))
		discard(producer);
}

/* Only an execution that failed returns. */
static void
on_system_return(qemu_plugin_id id, unsigned vcpu, int64_t number, int64_t result)
{
	(void)id, (void)vcpu, (void)result;
	if (number == plugin.target->execve)
		atomic_fetch_sub(&plugin.channel->executions, 1);
}

static void
on_thread_end(qemu_plugin_id id, unsigned vcpu)
{
	(void)id;
	struct producer *producer = &producers[vcpu % PROCESSORS_MAX];
	struct channel_slot *slot = producer->slot;
	if (slot && hand_over(producer)) {
		atomic_fetch_sub(&plugin.channel->live, 1);
		atomic_store(&slot->state, CHANNEL_ENDED);
	}
	release(producer);
}

static void
before_fork(void)
{
	pthread_mutex_lock(&local.lock);
}

static void
after_fork(void)
{
	pthread_mutex_unlock(&local.lock);
}

/* The new process has one thread, which needs a slot of its own. */
static void
after_fork_in_child(void)
{
	local.process = getpid();
	for (size_t i = 0; i < PROCESSORS_MAX; i++) {
		if (producers[i].words != discarded)
			release(&producers[i]);
	}
	atomic_fetch_add(&plugin.channel->forks, 1);
	pthread_mutex_unlock(&local.lock);
}

/* Returns the function that reads registers of the target; NULL: the emulator exports none. */
static qemu_read_register *
register_reader(const char *isa)
{
	static const struct {
		const char *isa;
		qemu_read_register *read;
	} readers[] = {{"aarch64", aarch64_cpu_gdb_read_register},
		{"arm", arm_cpu_gdb_read_register}, {"mips", mips_cpu_gdb_read_register},
		{"powerpc", ppc_cpu_gdb_read_register}, {"riscv", riscv_cpu_gdb_read_register},
		{"s390x", s390_cpu_gdb_read_register}, {"x86", x86_cpu_gdb_read_register}};
	if (!qemu_get_cpu || !g_byte_array_sized_new || !g_byte_array_set_size)
		return NULL;
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
		if (strncmp(isa, readers[i].isa, strlen(readers[i].isa)) == 0)
			return readers[i].read;
	}
	return NULL;
}

/* Maps the channel of an open file, and closes it. */
static struct channel *
map_channel(int file)
{
	struct channel *channel =
		mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (channel == MAP_FAILED)
		return NULL;
	if (channel->magic != CHANNEL_MAGIC || channel->size != sizeof *channel) {
		munmap(channel, sizeof *channel);
		return NULL;
	}
	return channel;
}

PUBLIC extern const int qemu_plugin_version;
PUBLIC const int qemu_plugin_version = QEMU_PLUGIN_ABI;

PUBLIC int qemu_plugin_install(
	qemu_plugin_id id, const struct qemu_info *info, int argc, char **argv);

PUBLIC int
qemu_plugin_install(qemu_plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
	static const char option[] = "channel=";
	local.id = id;
	local.process = getpid();
	plugin.target = target_find(info->target_name);
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], option, sizeof option - 1) == 0)
			plugin.channel = map_channel(atoi(argv[i] + sizeof option - 1));
	}
	if (!plugin.channel || !plugin.target || info->system_emulation) {
		qemu_plugin_outs("polytrace: this plugin is loaded by 'polytrace record'\n");
		return -1;
	}
	for (size_t i = 0; i < PROCESSORS_MAX; i++)
		producers[i].used = PLUGIN_FULL;
	plugin.read_register = register_reader(plugin.target->isa);
	if (!plugin.read_register)
		atomic_fetch_or(&plugin.channel->missing, CHANNEL_REGISTERS);
	if (pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_return);
	qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
	return 0;
}
