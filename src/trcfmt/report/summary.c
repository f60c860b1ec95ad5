/* SPDX-License-Identifier: MIT */
/*
 * Statistics of a trace.
 *
 * spec: AIX trace reference 6 (1, 3), 4.8 (Predefined hooks).
 */
#include "trcfmt/report/report.h"

#include "base/err.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of processes, calls and locks, each. */
#define SUMMARY_ENTRIES_MAX ((size_t)1 << 20)

/* Powers of two of microseconds, the first below 1, the last unbounded. */
#define BUCKETS 32

/* Durations in ns. */
struct durations {
	uint64_t count, total, min, max;
};

struct process_entry {
	uint64_t pid, events, threads, ns;
	uint32_t name; /* plus 1; 0: not known */
};

struct call_entry {
	uint32_t name;
	uint64_t entered; /* calls, those that never returned included */
	struct durations durations;
	uint64_t buckets[BUCKETS];
};

struct lock_entry {
	uint64_t address, takes;
	struct durations durations;
};

/* A growable array of elements, with a map from keys to indices. */
struct entry_table {
	struct map map;
	void *elements;
	size_t count, capacity, size; /* size of an element in bytes */
};

/* An open interval of a CPU or a thread. */
struct open_interval {
	bool is_open;
	int64_t since;
	uint64_t what;
};

struct trace_summary {
	struct poly_trcrpt *report;
	struct intern names;
	struct entry_table processes, calls, locks;
	struct entry_table tids;       /* of struct open_interval: each thread's system call */
	struct entry_table running;    /* of struct open_interval by cpu: the running process */
	struct entry_table interrupts; /* of struct open_interval by cpu and depth */
	struct entry_table handlers;   /* of struct open_interval by cpu */
	struct entry_table held;       /* of struct open_interval by lock and thread */
	struct durations first, second; /* levels of interrupt handlers */
	struct map seen;		/* threads of known processes */
	uint64_t *hooks;
	uint64_t events;
	int64_t first_ns, last_ns;
	bool failed;
};

/* Returns the element of a key, zeroed if new; NULL: the table is full, or out of memory. */
static void *
find_entry(struct trace_summary *summary, struct entry_table *table, uint64_t key, bool *added)
{
	uint64_t *index = map_find(&table->map, key);
	*added = false;
	if (index)
		return (char *)table->elements + *index * table->size;
	if (table->count == SUMMARY_ENTRIES_MAX)
		return NULL;
	if ((table->count == table->capacity &&
		    !vec_grow(&table->elements, table->size, &table->capacity,
			    sizeof table->capacity, table->count + 1)) ||
		!map_get(&table->map, key, table->count, added)) {
		summary->failed = true;
		return NULL;
	}
	void *element = (char *)table->elements + table->count++ * table->size;
	memset(element, 0, table->size);
	return element;
}

static void
add_duration(struct durations *durations, int64_t ns)
{
	uint64_t duration = ns < 0 ? 0 : (uint64_t)ns;
	if (!durations->count || duration < durations->min)
		durations->min = duration;
	if (duration > durations->max)
		durations->max = duration;
	durations->count++;
	durations->total += duration;
}

/* Starts an interval. */
static void
begin_interval(struct trace_summary *summary, struct entry_table *table, uint64_t key,
	const struct open_interval *open)
{
	bool added;
	struct open_interval *entry = find_entry(summary, table, key, &added);
	if (entry)
		*entry = *open;
}

/* Ends the interval of a key; false: none is open. */
static bool
end_interval(struct entry_table *table, uint64_t key, struct open_interval *open)
{
	uint64_t *index = map_find(&table->map, key);
	if (!index)
		return false;
	struct open_interval *entry = (struct open_interval *)table->elements + *index;
	*open = *entry;
	entry->is_open = false;
	return open->is_open;
}

static uint32_t
name_of(struct trace_summary *summary, const char *name)
{
	uint32_t number = name ? intern_add(&summary->names, name, strlen(name)) : 0;
	if (name && number == INTERN_FAILED)
		summary->failed = true;
	return name && number != INTERN_FAILED ? number + 1 : 0;
}

static struct process_entry *
find_process(struct trace_summary *summary, uint64_t pid)
{
	bool added;
	struct process_entry *process = find_entry(summary, &summary->processes, pid, &added);
	if (process)
		process->pid = pid;
	return process;
}

static void
count_process(struct trace_summary *summary, const struct report_event *shown)
{
	const struct aix_context *who = &shown->who;
	struct process_entry *process = who->has_pid ? find_process(summary, who->pid) : NULL;
	if (!process)
		return;
	process->events++;
	if (who->exec)
		process->name = name_of(summary, who->exec);
}

/* Ends the interval of the process that ran on the CPU, starts that of the next one. */
static void
dispatch(struct trace_summary *summary, const struct report_event *shown, bool idle)
{
	struct open_interval open;
	if (end_interval(&summary->running, shown->who.cpu, &open)) {
		struct process_entry *process = find_process(summary, open.what);
		if (process && shown->ns > open.since)
			process->ns += (uint64_t)report_since(shown->ns, open.since);
	}
	open = (struct open_interval){true, shown->ns, shown->who.pid};
	if (shown->who.has_pid && !idle)
		begin_interval(summary, &summary->running, shown->who.cpu, &open);
}

static void
enter_call(struct trace_summary *summary, const struct report_event *shown)
{
	bool added;
	uint32_t name = name_of(summary, shown->who.svc);
	struct call_entry *call =
		name ? find_entry(summary, &summary->calls, name, &added) : NULL;
	if (!call)
		return;
	call->name = name;
	call->entered++;
	struct open_interval open = {true, shown->ns, name};
	if (shown->who.has_tid)
		begin_interval(summary, &summary->tids, shown->who.tid, &open);
}

static void
leave_call(struct trace_summary *summary, const struct report_event *shown)
{
	bool added;
	struct open_interval open;
	if (!end_interval(&summary->tids, shown->who.tid, &open))
		return;
	struct call_entry *call = find_entry(summary, &summary->calls, open.what, &added);
	int64_t ns = report_since(shown->ns, open.since);
	if (!call)
		return;
	add_duration(&call->durations, ns);
	unsigned bucket = 0;
	for (uint64_t us = ns < 0 ? 0 : (uint64_t)ns / 1000; us && bucket < BUCKETS - 1;
		us >>= 1)
		bucket++;
	call->buckets[bucket]++;
}

/* Counts the acquisition or release of a lock. A hold is identified by lock and thread. */
static void
count_lock(struct trace_summary *summary, const struct report_event *shown,
	const struct aix_hook *hook)
{
	bool added;
	uint64_t address;
	if (!aix_hook_number(hook, AIX_FIELD_lock, shown->event, &address))
		return;
	uint64_t key = address ^ shown->who.tid << 40;
	struct lock_entry *lock = find_entry(summary, &summary->locks, address, &added);
	struct open_interval open = {true, shown->ns, address};
	if (!lock)
		return;
	lock->address = address;
	if (hook->action == AIX_LOCK) {
		lock->takes++;
		begin_interval(summary, &summary->held, key, &open);
	} else if (end_interval(&summary->held, key, &open) && open.what == address) {
		add_duration(&lock->durations, report_since(shown->ns, open.since));
	}
}

static void
count_interrupt(
	struct trace_summary *summary, const struct report_event *shown, unsigned action)
{
	const struct open_interval now = {true, shown->ns, 0};
	uint64_t cpu = shown->who.cpu, level = cpu << 32 | shown->who.depth;
	struct open_interval open;
	if (action == AIX_ENTER)
		begin_interval(summary, &summary->interrupts, level, &now);
	else if (action == AIX_HANDLER)
		begin_interval(summary, &summary->handlers, cpu, &now);
	else if (action == AIX_LEAVE && end_interval(&summary->interrupts, level, &open))
		add_duration(&summary->first, report_since(shown->ns, open.since));
	else if (action == AIX_HANDLED && end_interval(&summary->handlers, cpu, &open))
		add_duration(&summary->second, report_since(shown->ns, open.since));
}

static void
count_action(struct trace_summary *summary, const struct report_event *shown,
	const struct aix_hook *hook)
{
	switch ((enum aix_action)hook->action) {
	case AIX_DISPATCH:
	case AIX_IDLE: dispatch(summary, shown, hook->action == AIX_IDLE); break;
	case AIX_CALL: enter_call(summary, shown); break;
	case AIX_RETURN: leave_call(summary, shown); break;
	case AIX_LOCK:
	case AIX_UNLOCK: count_lock(summary, shown, hook); break;
	case AIX_ENTER:
	case AIX_LEAVE:
	case AIX_HANDLER:
	case AIX_HANDLED: count_interrupt(summary, shown, hook->action); break;
	case AIX_PROCESS:
	case AIX_EXEC:
	case AIX_FORK:
	case AIX_EXIT:
	case AIX_THREAD:
	case AIX_CURRENT:
	case AIX_ACTION_COUNT: break;
	}
}

static void
count_thread(struct trace_summary *summary, const struct report_event *shown)
{
	bool added;
	if (!shown->who.has_tid || !shown->who.has_pid)
		return;
	if (summary->seen.count < SUMMARY_ENTRIES_MAX)
		summary->failed |= !map_get(&summary->seen, shown->who.tid, 0, &added);
	else
		added = false;
	struct process_entry *process = added ? find_process(summary, shown->who.pid) : NULL;
	if (process)
		process->threads++;
}

static void
count_event(struct trace_summary *summary, const struct report_event *shown)
{
	const struct aix_hook *hook = aix_attribution_hook(summary->report->attribution);
	if (!summary->events || shown->ns < summary->first_ns)
		summary->first_ns = shown->ns;
	if (!summary->events || shown->ns > summary->last_ns)
		summary->last_ns = shown->ns;
	summary->events++;
	summary->hooks[shown->event->hook]++;
	count_process(summary, shown);
	count_thread(summary, shown);
	if (hook)
		count_action(summary, shown, hook);
}

/* Ends the intervals of the processes that still run at the end of the trace. */
static void
end_running(struct trace_summary *summary)
{
	for (size_t i = 0; i < summary->running.count; i++) {
		const struct open_interval *open =
			(struct open_interval *)summary->running.elements + i;
		struct process_entry *process =
			open->is_open ? find_process(summary, open->what) : NULL;
		if (process && summary->last_ns > open->since)
			process->ns += (uint64_t)report_since(summary->last_ns, open->since);
	}
}

static double
microseconds(uint64_t ns)
{
	return (double)ns / 1e3;
}

static void
report_trace(const struct trace_summary *summary, struct poly_report *tree)
{
	const struct poly_trcrpt *report = summary->report;
	poly_report_section(tree, "trace");
	poly_report_text(tree, "hook_table",
		report->hook_table ? report->hook_table : "built-in table of hooks, assumed");
	poly_report_count(tree, "events", summary->events);
	poly_report_real(tree, "start_time_s", (double)summary->first_ns / 1e9, 9);
	poly_report_real(tree, "end_time_s", (double)summary->last_ns / 1e9, 9);
	poly_report_real(tree, "duration_s",
		(double)(uint64_t)report_since(summary->last_ns, summary->first_ns) / 1e9, 9);
	poly_report_count(tree, "wraparounds", report->lost[0] + report->lost[1]);
	poly_report_end(tree);
}

/* Returns the label of a hook from its template, or the trace facility's; NULL: none. */
static const char *
label_of(struct trace_summary *summary, uint16_t hook)
{
	const struct poly_templates *templates = summary->report->templates;
	const struct hook_template *template = trcfmt_template(templates, hook);
	if (!template || !template->label_length)
		return builtin_label(hook);
	const char *text = (const char *)templates->texts.data + template->label;
	size_t n = template->label_length, at = *text == '@';
	uint32_t number = intern_add(&summary->names, text + at, n - at);
	return intern_text(&summary->names, number);
}

static void
report_hooks(struct trace_summary *summary, struct poly_report *tree)
{
	table_open(tree, "hooks", "id:text label:text count share");
	for (unsigned hook = 0; hook < 65536; hook++) {
		if (!summary->hooks[hook])
			continue;
		char id[6] = "";
		id[report_id((uint16_t)hook, false, id)] = 0;
		poly_report_cell_text(tree, id);
		poly_report_cell_text(tree, label_of(summary, (uint16_t)hook));
		poly_report_cell_count(tree, summary->hooks[hook]);
		poly_report_cell_ratio(
			tree, (double)summary->hooks[hook], (double)summary->events, 2);
	}
	poly_report_end(tree);
}

static const char *
text_of(const struct trace_summary *summary, uint32_t name)
{
	return name ? intern_text(&summary->names, name - 1) : NULL;
}

/* Orders by decreasing CPU time, then by other keys so that the order is total. */
static int
compare_processes(const void *left, const void *right)
{
	const struct process_entry *a = left, *b = right;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->events != b->events)
		return a->events < b->events ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static void
report_processes(const struct trace_summary *summary, struct poly_report *tree)
{
	const struct process_entry *process = summary->processes.elements;
	size_t n = summary->processes.count;
	if (n)
		qsort(summary->processes.elements, n, sizeof *process, compare_processes);
	table_open(tree, "processes", "pid name:text threads events cpu_s");
	for (size_t i = 0; i < n; i++) {
		poly_report_cell_id(tree, process[i].pid);
		poly_report_cell_text(tree, text_of(summary, process[i].name));
		poly_report_cell_count(tree, process[i].threads);
		poly_report_cell_count(tree, process[i].events);
		poly_report_cell_real(tree, (double)process[i].ns / 1e9, 9);
	}
	poly_report_end(tree);
}

/* Adds the columns of durations. */
static void
duration_columns(struct poly_report *tree)
{
	table_columns(
		tree, "duration_total_us duration_mean_us duration_min_us duration_max_us");
}

static void
duration_cells(struct poly_report *tree, const struct durations *durations)
{
	for (size_t i = 0; i < 4 && !durations->count; i++)
		poly_report_cell_text(tree, NULL);
	if (!durations->count)
		return;
	double mean = microseconds(durations->total) / (double)durations->count;
	poly_report_cell_real(tree, microseconds(durations->total), 3);
	poly_report_cell_real(tree, mean, 3);
	poly_report_cell_real(tree, microseconds(durations->min), 3);
	poly_report_cell_real(tree, microseconds(durations->max), 3);
}

static int
compare_calls(const void *left, const void *right)
{
	const struct call_entry *a = left, *b = right;
	if (a->durations.total != b->durations.total)
		return a->durations.total < b->durations.total ? 1 : -1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void
report_calls(const struct trace_summary *summary, struct poly_report *tree)
{
	const struct call_entry *call = summary->calls.elements;
	size_t n = summary->calls.count;
	if (n)
		qsort(summary->calls.elements, n, sizeof *call, compare_calls);
	table_open(tree, "system_calls", "name:text count returns");
	duration_columns(tree);
	for (size_t i = 0; i < n; i++) {
		poly_report_cell_text(tree, text_of(summary, call[i].name));
		poly_report_cell_count(tree, call[i].entered);
		poly_report_cell_count(tree, call[i].durations.count);
		duration_cells(tree, &call[i].durations);
	}
	poly_report_end(tree);
	table_open(tree, "latencies", "name:text bin_start_us bin_end_us count");
	for (size_t i = 0; i < n * BUCKETS; i++) {
		unsigned bucket = i % BUCKETS;
		if (!call[i / BUCKETS].buckets[bucket])
			continue;
		poly_report_cell_text(tree, text_of(summary, call[i / BUCKETS].name));
		poly_report_cell_count(tree, bucket ? (uint64_t)1 << (bucket - 1) : 0);
		poly_report_cell_count(tree, (uint64_t)1 << bucket);
		poly_report_cell_count(tree, call[i / BUCKETS].buckets[bucket]);
	}
	poly_report_end(tree);
}

static int
compare_locks(const void *left, const void *right)
{
	const struct lock_entry *a = left, *b = right;
	if (a->durations.total != b->durations.total)
		return a->durations.total < b->durations.total ? 1 : -1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void
report_locks(const struct trace_summary *summary, struct poly_report *tree)
{
	const struct lock_entry *lock = summary->locks.elements;
	size_t n = summary->locks.count;
	if (n)
		qsort(summary->locks.elements, n, sizeof *lock, compare_locks);
	table_open(tree, "locks", "address:text acquisitions releases");
	duration_columns(tree);
	for (size_t i = 0; i < n; i++) {
		poly_report_cell_address(tree, lock[i].address, 8);
		poly_report_cell_count(tree, lock[i].takes);
		poly_report_cell_count(tree, lock[i].durations.count);
		duration_cells(tree, &lock[i].durations);
	}
	poly_report_end(tree);
}

static void
report_interrupts(const struct trace_summary *summary, struct poly_report *tree)
{
	const struct {
		const char *what;
		const struct durations *durations;
	} rows[] = {{"first level (100 to 200)", &summary->first},
		{"second level (102 to 103)", &summary->second}};
	table_open(tree, "interrupts", "handler:text count");
	duration_columns(tree);
	for (size_t i = 0; i < 2; i++) {
		if (!rows[i].durations->count)
			continue;
		poly_report_cell_text(tree, rows[i].what);
		poly_report_cell_count(tree, rows[i].durations->count);
		duration_cells(tree, rows[i].durations);
	}
	poly_report_end(tree);
}

static void
table_free(struct entry_table *table)
{
	map_free(&table->map);
	mem_free(table->elements);
}

static void
summary_free(struct trace_summary *summary)
{
	table_free(&summary->processes);
	table_free(&summary->calls);
	table_free(&summary->locks);
	table_free(&summary->tids);
	table_free(&summary->running);
	table_free(&summary->interrupts);
	table_free(&summary->handlers);
	table_free(&summary->held);
	map_free(&summary->seen);
	intern_free(&summary->names);
	mem_free(summary->hooks);
	mem_free(summary);
}

static struct trace_summary *
summary_new(struct poly_trcrpt *report)
{
	struct trace_summary *summary = mem_new(1, sizeof *summary);
	uint64_t *hooks = mem_new(65536, sizeof *hooks);
	if (!summary || !hooks) {
		mem_free(summary);
		mem_free(hooks);
		return NULL;
	}
	summary->report = report;
	summary->hooks = hooks;
	summary->processes.size = sizeof(struct process_entry);
	summary->calls.size = sizeof(struct call_entry);
	summary->locks.size = sizeof(struct lock_entry);
	summary->tids.size = summary->running.size = sizeof(struct open_interval);
	summary->interrupts.size = summary->handlers.size = sizeof(struct open_interval);
	summary->held.size = sizeof(struct open_interval);
	return summary;
}

static enum poly_status
count_events(struct trace_summary *summary, struct poly_error *error)
{
	struct poly_trcrpt *report = summary->report;
	struct event_input *input;
	struct report_event shown;
	enum poly_status status;
	while ((status = report_next(report, &input, &shown, error)) == POLY_OK) {
		if (report_selects(report, &shown))
			count_event(summary, &shown);
		report->any = true;
		if (summary->failed)
			return err_memory(error);
		if (summary->events % 4096 == 0 && report->progress &&
			report->progress(report->user))
			return err_set(
				error, POLY_ERR_CANCELLED, POLY_NO_OFFSET, "interrupted");
	}
	return status;
}

enum poly_status
poly_trcrpt_summary(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs,
	struct poly_report *tree, struct poly_error *error)
{
	struct trace_summary *summary = summary_new(report);
	if (!summary)
		return err_memory(error);
	enum poly_status status = report_begin(report, inputs, error);
	if (status == POLY_OK)
		status = count_events(summary, error);
	if (!summary->failed) {
		end_running(summary);
		report_trace(summary, tree);
		report_hooks(summary, tree);
		report_processes(summary, tree);
		report_calls(summary, tree);
		report_locks(summary, tree);
		report_interrupts(summary, tree);
	}
	summary_free(summary);
	report_end(report);
	return status == POLY_END ? POLY_OK : status;
}
