/* SPDX-License-Identifier: MIT */
/*
 * Attribution of events to the threads, processes and cpus that a trace has identified.
 *
 * A process, system call or interrupt that an event ends is removed at the next event, so that
 * the event itself still belongs to it.
 *
 * spec: AIX Trace Hook IDs; the data words are assumed.
 */
#include "aix/attribution.h"

#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"

#include <string.h>

/* Maximum threads, and processes, that are tracked; bytes of all names; bytes of one name. */
#define ENTRIES_MAX ((size_t)1 << 20)
#define NAMES_MAX ((size_t)16 << 20)
#define PROGRAM_NAME_MAX 1023
#define CPUS_MAX 4096

#define NO_CPU UINT32_MAX

struct aix_thread {
	bool has_pid;
	uint32_t svc; /* number of a name, plus 1; 0: none */
	uint32_t cpu; /* that it was dispatched on; NO_CPU: not known */
	uint64_t pid;
};

struct aix_cpu {
	bool has_tid;
	unsigned depth;
	uint64_t tid;
};

struct aix_attribution {
	struct aix_hooks hooks;
	struct map threads; /* by tid: index into thread */
	struct aix_thread *thread;
	size_t thread_count, thread_capacity;
	struct map paths;    /* by pid: number of a name, plus 1 */
	struct map services; /* by address or number of a system call: number of a name */
	struct intern names;
	struct aix_cpu *cpus;	     /* CPUS_MAX */
	const struct aix_hook *hook; /* of the last event */
	struct aix_context context;  /* of the last event */
	size_t last;		     /* its thread; SIZE_MAX: none */
	bool trusted;
};

enum poly_status
aix_attribution_new(const char *table, size_t n, const char *name,
	struct aix_attribution **attribution, struct poly_error *error)
{
	*attribution = NULL;
	struct aix_attribution *new = mem_new(1, sizeof *new);
	if (!new)
		return err_memory(error);
	new->cpus = mem_new(CPUS_MAX, sizeof *new->cpus);
	new->last = SIZE_MAX;
	enum poly_status status;
	if (!new->cpus)
		status = err_memory(error);
	else if (table)
		status = aix_hooks_parse(&new->hooks, table, n, name, error);
	else
		status = aix_hooks_parse(
			&new->hooks, aix_hooks_text, strlen(aix_hooks_text), "hooks", error);
	if (status == POLY_OK)
		*attribution = new;
	else
		aix_attribution_free(new);
	return status;
}

/* Finds or adds a thread; returns its index, or SIZE_MAX: limit reached or out of memory. */
static size_t
find_thread(struct aix_attribution *a, uint64_t tid)
{
	uint64_t *index = map_find(&a->threads, tid);
	if (index)
		return (size_t)*index;
	if (a->thread_count == ENTRIES_MAX)
		return SIZE_MAX;
	if (!VEC_ROOM(a->thread, a->thread_capacity, a->thread_count))
		return SIZE_MAX;
	bool added;
	if (!map_get(&a->threads, tid, a->thread_count, &added))
		return SIZE_MAX;
	a->thread[a->thread_count] = (struct aix_thread){.cpu = NO_CPU};
	return a->thread_count++;
}

/* Finds or adds a name; returns its number plus 1, or 0: limit reached or out of memory. */
static uint32_t
store_name(struct aix_attribution *a, const char *text, size_t n)
{
	if (n > PROGRAM_NAME_MAX)
		n = PROGRAM_NAME_MAX;
	uint32_t number = intern_find(&a->names, text, n);
	if (number == INTERN_FAILED && a->names.bytes + n <= NAMES_MAX &&
		a->names.count < ENTRIES_MAX)
		number = intern_add(&a->names, text, n);
	return number == INTERN_FAILED ? 0 : number + 1;
}

static void
set_path(struct aix_attribution *a, uint64_t pid, uint32_t name)
{
	bool added;
	uint64_t *value = map_find(&a->paths, pid);
	if (!value && a->paths.count < ENTRIES_MAX)
		value = map_get(&a->paths, pid, 0, &added);
	if (value)
		*value = name;
}

static void
set_pid(struct aix_attribution *a, uint64_t tid, uint64_t pid)
{
	size_t i = find_thread(a, tid);
	if (i == SIZE_MAX)
		return;
	a->thread[i].has_pid = true;
	a->thread[i].pid = pid;
}

const char *
aix_attribution_path(const struct aix_attribution *a, uint64_t pid)
{
	uint64_t *value = map_find(&a->paths, pid);
	return value && *value ? intern_text(&a->names, (uint32_t)*value - 1) : NULL;
}

/* Removes the process, system call or interrupt that the last event ended. */
static void
end_last_event(struct aix_attribution *a)
{
	if (!a->hook)
		return;
	struct aix_thread *thread = a->last == SIZE_MAX ? NULL : &a->thread[a->last];
	struct aix_cpu *cpu = &a->cpus[a->context.cpu % CPUS_MAX];
	if (a->hook->action == AIX_LEAVE && cpu->depth)
		cpu->depth--;
	if (a->hook->action == AIX_RETURN && thread)
		thread->svc = 0;
	if (a->hook->action == AIX_EXIT && thread) {
		if (thread->has_pid)
			set_path(a, thread->pid, 0);
		*thread = (struct aix_thread){.cpu = NO_CPU};
	}
	a->hook = NULL;
}

/* Returns the system call of an event: a text, or the name of a number. */
static uint32_t
find_service(struct aix_attribution *a, const struct aix_event *event)
{
	uint64_t number;
	size_t n;
	const char *text = aix_hook_text(a->hook, AIX_FIELD_svc, event, &n);
	if (text)
		return store_name(a, text, n);
	if (!aix_hook_number(a->hook, AIX_FIELD_svc, event, &number))
		return 0;
	uint64_t *name = map_find(&a->services, number);
	if (name)
		return (uint32_t)*name;
	char digits[16];
	unsigned width = num_hex_width(number);
	num_hex(digits, number, width);
	for (unsigned i = 0; i < width; i++) {
		if (digits[i] >= 'a')
			digits[i] = (char)(digits[i] - 'a' + 'A');
	}
	return store_name(a, digits, width);
}

static void
apply_dispatch(struct aix_attribution *a, const struct aix_event *event)
{
	uint64_t cpu = a->context.cpu, pid;
	if (!event->has_cpu && aix_hook_number(a->hook, AIX_FIELD_cpu, event, &cpu)) {
		a->context.has_cpu = true;
		a->context.cpu = (uint32_t)cpu;
	}
	if (!aix_hook_number(a->hook, AIX_FIELD_tid, event, &a->context.tid))
		return;
	a->context.has_tid = true;
	a->last = find_thread(a, a->context.tid);
	a->cpus[a->context.cpu % CPUS_MAX].has_tid = true;
	a->cpus[a->context.cpu % CPUS_MAX].tid = a->context.tid;
	if (aix_hook_number(a->hook, AIX_FIELD_pid, event, &pid))
		set_pid(a, a->context.tid, pid);
	if (a->last != SIZE_MAX && a->context.has_cpu)
		a->thread[a->last].cpu = a->context.cpu;
}

/* Sets the program of the event's process, or of the thread's process. */
static void
apply_program(struct aix_attribution *a, const struct aix_event *event)
{
	size_t n;
	uint64_t pid, tid;
	bool has_pid = aix_hook_number(a->hook, AIX_FIELD_pid, event, &pid);
	if (has_pid && aix_hook_number(a->hook, AIX_FIELD_tid, event, &tid))
		set_pid(a, tid, pid);
	if (!has_pid && a->last != SIZE_MAX && a->thread[a->last].has_pid) {
		has_pid = true;
		pid = a->thread[a->last].pid;
	}
	const char *text = aix_hook_text(a->hook, AIX_FIELD_name, event, &n);
	const char *blank = text ? memchr(text, ' ', n) : NULL;
	/* Arguments can follow the program (AIX trace reference 7.2). */
	if (blank && blank > text)
		n = (size_t)(blank - text);
	if (has_pid && text)
		set_path(a, pid, store_name(a, text, n));
}

/* Adds a created thread; a forked process runs its parent's program. */
static void
apply_thread(struct aix_attribution *a, const struct aix_event *event)
{
	uint64_t pid, tid;
	if (!aix_hook_number(a->hook, AIX_FIELD_pid, event, &pid))
		return;
	if (aix_hook_number(a->hook, AIX_FIELD_tid, event, &tid))
		set_pid(a, tid, pid);
	if (a->hook->action != AIX_FORK || a->last == SIZE_MAX || !a->thread[a->last].has_pid)
		return;
	uint64_t *path = map_find(&a->paths, a->thread[a->last].pid);
	if (path)
		set_path(a, pid, (uint32_t)*path);
}

static void
apply_hook(struct aix_attribution *a, const struct aix_event *event)
{
	uint64_t pid;
	switch ((enum aix_action)a->hook->action) {
	case AIX_DISPATCH:
	case AIX_IDLE: apply_dispatch(a, event); break;
	case AIX_PROCESS:
	case AIX_EXEC: apply_program(a, event); break;
	case AIX_FORK:
	case AIX_THREAD: apply_thread(a, event); break;
	case AIX_CURRENT:
		if (a->context.has_tid && aix_hook_number(a->hook, AIX_FIELD_pid, event, &pid))
			set_pid(a, a->context.tid, pid);
		break;
	case AIX_CALL:
		if (a->last != SIZE_MAX)
			a->thread[a->last].svc = find_service(a, event);
		break;
	case AIX_ENTER: a->cpus[a->context.cpu % CPUS_MAX].depth++; break;
	case AIX_EXIT:
	case AIX_RETURN:
	case AIX_LEAVE:
	case AIX_HANDLER:
	case AIX_HANDLED:
	case AIX_LOCK:
	case AIX_UNLOCK:
	case AIX_ACTION_COUNT: break;
	}
}

/* Sets the thread and cpu of an event, from the event or from the last dispatch. */
static void
begin_event(struct aix_attribution *a, const struct aix_event *event)
{
	struct aix_context *context = &a->context;
	bool same = event->has_thread && context->has_tid && context->tid == event->thread;
	*context = (struct aix_context){.has_tid = event->has_thread,
		.has_cpu = event->has_cpu,
		.tid = event->thread,
		.cpu = event->cpu};
	const struct aix_cpu *cpu = &a->cpus[context->cpu % CPUS_MAX];
	if (!context->has_tid && cpu->has_tid) {
		context->has_tid = true;
		context->tid = cpu->tid;
	}
	if (!same || a->last == SIZE_MAX)
		a->last = context->has_tid ? find_thread(a, context->tid) : SIZE_MAX;
	if (!context->has_cpu && a->last != SIZE_MAX && a->thread[a->last].cpu != NO_CPU) {
		context->has_cpu = true;
		context->cpu = a->thread[a->last].cpu;
	}
}

/* Sets what the thread and the cpu of an event determine. */
static struct aix_context
complete_context(struct aix_attribution *a)
{
	a->context.depth = a->cpus[a->context.cpu % CPUS_MAX].depth;
	if (a->last == SIZE_MAX)
		return a->context;
	const struct aix_thread *thread = &a->thread[a->last];
	a->context.has_pid = thread->has_pid;
	a->context.pid = thread->pid;
	if (thread->has_pid)
		a->context.exec = aix_attribution_path(a, thread->pid);
	if (thread->svc)
		a->context.svc = intern_text(&a->names, thread->svc - 1);
	return a->context;
}

bool
aix_attribution_uses(const struct aix_attribution *a, const struct aix_event *event)
{
	return aix_hooks_find(&a->hooks, event) != NULL;
}

struct aix_context
aix_attribution_other(struct aix_attribution *a, const struct aix_event *event)
{
	end_last_event(a);
	begin_event(a, event);
	a->hook = NULL;
	return complete_context(a);
}

struct aix_context
aix_attribution_event(struct aix_attribution *a, const struct aix_event *event)
{
	end_last_event(a);
	begin_event(a, event);
	a->hook = aix_hooks_find(&a->hooks, event);
	if (a->hook) {
		unsigned action = a->hook->action;
		a->trusted |= action == AIX_DISPATCH || action == AIX_IDLE ||
			      action == AIX_EXEC || action == AIX_FORK || action == AIX_THREAD;
		apply_hook(a, event);
	}
	return complete_context(a);
}

unsigned
aix_attribution_interrupt(struct aix_attribution *a, int by)
{
	struct aix_cpu *cpu = &a->cpus[a->context.cpu % CPUS_MAX];
	bool entered = a->hook && a->hook->action == AIX_ENTER;
	bool left = a->hook && a->hook->action == AIX_LEAVE;
	if (by > 0 && !entered)
		cpu->depth++;
	else if (by < 0 && !left && cpu->depth)
		cpu->depth--;
	return cpu->depth;
}

enum poly_status
aix_attribution_name(struct aix_attribution *a, uint64_t svc, const char *name)
{
	bool added;
	uint32_t number = store_name(a, name, strlen(name));
	if (!number)
		return a->names.count < ENTRIES_MAX ? POLY_ERR_MEMORY : POLY_ERR_LIMIT;
	uint64_t *value = map_get(&a->services, svc, number, &added);
	if (!value)
		return POLY_ERR_MEMORY;
	*value = number;
	return POLY_OK;
}

const struct aix_hook *
aix_attribution_hook(const struct aix_attribution *a)
{
	return a->hook;
}

bool
aix_attribution_trusted(const struct aix_attribution *a)
{
	return a->trusted;
}

void
aix_attribution_free(struct aix_attribution *a)
{
	if (!a)
		return;
	aix_hooks_fini(&a->hooks);
	map_free(&a->threads);
	map_free(&a->paths);
	map_free(&a->services);
	mem_free(a->thread);
	intern_free(&a->names);
	mem_free(a->cpus);
	mem_free(a);
}
