/* SPDX-License-Identifier: MIT */
/* Finds cycles in the lock order: potential deadlocks in other executions. */
#include "correlate/merge/analysis.h"

#include "base/mem.h"
#include "report/table.h"
#include "report/tree.h"

#include <string.h>

/* Maximum number of reported cycles, and of searches. */
#define CYCLES_MAX 100
#define SEARCHES_MAX 1000

/* The lock orders as a graph, edges grouped by their first lock. */
struct lock_graph {
	const struct merge_analysis *analysis;
	size_t objects;
	size_t *first;	  /* by object, its first edge, and a sentinel */
	size_t *edges;	  /* orders */
	uint32_t *degree; /* by object, remaining edges to it */
	bool *gone;	  /* by object: it is not on a cycle */
	size_t *reached;  /* by object: the edge that reached it, plus 1; 0: not reached */
	uint32_t *queue;
};

static bool
graph_open(struct lock_graph *graph, const struct merge_analysis *analysis)
{
	const size_t n = graph->objects = analysis->sync->object_count;
	graph->analysis = analysis;
	graph->first = mem_new(n + 2, sizeof *graph->first);
	graph->edges = mem_new(analysis->order_count + 1, sizeof *graph->edges);
	graph->degree = mem_new(n + 1, sizeof *graph->degree);
	graph->gone = mem_new(n + 1, sizeof *graph->gone);
	graph->reached = mem_new(n + 1, sizeof *graph->reached);
	graph->queue = mem_new(n + 1, sizeof *graph->queue);
	if (!graph->first || !graph->edges || !graph->degree || !graph->gone ||
		!graph->reached || !graph->queue)
		return false;
	for (size_t i = 0; i < analysis->order_count; i++) {
		graph->first[analysis->orders[i].first + 2]++;
		graph->degree[analysis->orders[i].second]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		graph->first[i] += graph->first[i - 1];
	for (size_t i = 0; i < analysis->order_count; i++)
		graph->edges[graph->first[analysis->orders[i].first + 1]++] = i;
	return true;
}

static void
graph_close(struct lock_graph *graph)
{
	mem_free(graph->first);
	mem_free(graph->edges);
	mem_free(graph->degree);
	mem_free(graph->gone);
	mem_free(graph->reached);
	mem_free(graph->queue);
}

/* Removes locks without incoming edges, repeatedly: they are not on a cycle. */
static void
trim(struct lock_graph *graph)
{
	size_t head = 0, tail = 0;
	for (size_t i = 0; i < graph->objects; i++) {
		if (!graph->degree[i])
			graph->queue[tail++] = (uint32_t)i;
	}
	while (head < tail) {
		const uint32_t object = graph->queue[head++];
		graph->gone[object] = true;
		for (size_t e = graph->first[object]; e < graph->first[object + 1]; e++) {
			const uint32_t target = graph->analysis->orders[graph->edges[e]].second;
			if (!--graph->degree[target])
				graph->queue[tail++] = target;
		}
	}
}

/* Searches the shortest cycle through a lock and locks of higher numbers. */
static bool
search(struct lock_graph *graph, uint32_t start)
{
	size_t head = 0, tail = 0;
	memset(graph->reached, 0, graph->objects * sizeof *graph->reached);
	graph->queue[tail++] = start;
	while (head < tail && !graph->reached[start]) {
		const uint32_t object = graph->queue[head++];
		for (size_t e = graph->first[object]; e < graph->first[object + 1]; e++) {
			const uint32_t target = graph->analysis->orders[graph->edges[e]].second;
			if (target < start || graph->gone[target] || graph->reached[target])
				continue;
			graph->reached[target] = graph->edges[e] + 1;
			if (target != start)
				graph->queue[tail++] = target;
		}
	}
	return graph->reached[start] != 0;
}

/* True if the edges of the found cycle are from more than one thread. */
static bool
needs_threads(const struct lock_graph *graph, uint32_t start)
{
	const struct lock_order *orders = graph->analysis->orders;
	const struct lock_order *last = &orders[graph->reached[start] - 1];
	const uint64_t thread = last->thread;
	bool several = last->several;
	while (last->first != start && !several) {
		last = &orders[graph->reached[last->first] - 1];
		several = last->several || last->thread != thread;
	}
	return several;
}

/* Adds the cycle backwards, from its last edge: "0x20 under 0x10 (thread 2, record 5), ...". */
static void
add_cycle_row(const struct lock_graph *graph, uint32_t start, struct poly_report *report)
{
	const struct lock_order *order = NULL;
	struct buf text = {0};
	uint64_t locks = 0;
	for (uint32_t at = start; !order || at != start; at = order->first, locks++) {
		order = &graph->analysis->orders[graph->reached[at] - 1];
		buf_printf(&text, "%s0x%llx under 0x%llx (thread %llu, record %llu)",
			locks ? ", " : "",
			(unsigned long long)graph->analysis->sync->objects[at].address,
			(unsigned long long)graph->analysis->sync->objects[order->first]
				.address,
			(unsigned long long)order->thread, (unsigned long long)order->record);
	}
	poly_report_cell_count(report, locks);
	poly_report_cell_text(report, buf_text(&text));
	buf_free(&text);
}

void
deadlock_report(const struct merge_analysis *analysis, struct poly_report *report)
{
	struct lock_graph graph = {0};
	size_t listed = 0, searches = 0;
	table_open(report, "potential_deadlocks", "locks cycle:text");
	if (!graph_open(&graph, analysis)) {
		tree_fail(report);
	} else {
		trim(&graph);
		for (uint32_t i = 0;
			i < graph.objects && listed < CYCLES_MAX && searches < SEARCHES_MAX;
			i++) {
			if (graph.gone[i])
				continue;
			searches++;
			if (!search(&graph, i) || !needs_threads(&graph, i))
				continue;
			add_cycle_row(&graph, i, report);
			listed++;
		}
	}
	graph_close(&graph);
	poly_report_end(report);
}
