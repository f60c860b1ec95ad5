/* SPDX-License-Identifier: MIT */
/*
 * Pipelines: how many cycles a core takes for the instructions of each context, and where they
 * go.
 *
 * Bounded: PIPELINE_CONTEXTS contexts. An instruction whose branch column does not tell which
 * way it went waits for the next one of its context; the last ones are left out there.
 *
 * spec: sim/pipeline.h
 */
#include "analysis/sim/pipeline_sweep.h"

#include "analysis/counters.h"
#include "analysis/branch_stream.h"
#include "analysis/column_stats.h"
#include "base/err.h"
#include "base/mem.h"

enum {
	OPTION_MODEL,
	OPTION_WIDTH,
	OPTION_SIZE,
	OPTION_REGISTERS,
	OPTION_MEMORY,
	OPTION_ORDER,
	OPTION_LOAD,
	OPTION_FLOAT,
	OPTION_TAKEN_ENDS,
	OPTION_PREDICTOR,
	OPTION_BITS,
	OPTION_PENALTY,
	OPTION_CACHE,
	OPTION_WAYS,
	OPTION_LINE,
	OPTION_MISS,
	OPTION_FROM,
	OPTION_COUNT,
	OPTION_SWEEP,
};

static const char *const models[] = {"inorder", "ooo", NULL};
static const char *const memories[] = {
	"none", "conservative", "perfect", "naive", "store-sets", NULL};
static const char *const orders[] = {"free", "latency", "all", NULL};
static const char *const predictors[] = {
	"perfect", "taken", "not-taken", "btfn", "bimodal", "gshare", NULL};

/* The predictors by the words, without the first. */
static const enum bpred_kind kinds[] = {
	BPRED_TAKEN, BPRED_TAKEN, BPRED_NOT_TAKEN, BPRED_BTFN, BPRED_BIMODAL, BPRED_GSHARE};

static void
set_latencies(unsigned *latency, const uint64_t *values)
{
	for (size_t i = 0; i < PIPELINE_CLASSES; i++)
		latency[i] = 1;
	latency[PIPELINE_LOADS] = (unsigned)values[OPTION_LOAD];
	latency[PIPELINE_FLOATS] = (unsigned)values[OPTION_FLOAT];
}

static void
set_pipelines(struct pipeline_machine *machine, const uint64_t *values)
{
	machine->is_ooo = values[OPTION_MODEL] == 1;
	machine->miss = (uint16_t)values[OPTION_MISS];
	machine->inorder =
		(struct pipeline_inorder_config){.width = (unsigned)values[OPTION_WIDTH],
			.order = (enum pipeline_order)values[OPTION_ORDER],
			.penalty = (unsigned)values[OPTION_PENALTY],
			.taken_ends = values[OPTION_TAKEN_ENDS]};
	machine->ooo = (struct pipeline_ooo_config){.width = (unsigned)values[OPTION_WIDTH],
		.size = (unsigned)values[OPTION_SIZE],
		.registers = (unsigned)values[OPTION_REGISTERS],
		.extra_most = machine->miss,
		.penalty = (unsigned)values[OPTION_PENALTY],
		.taken_ends = values[OPTION_TAKEN_ENDS],
		.memory = (enum pipeline_memory)values[OPTION_MEMORY],
		.site_bits = 14};
	set_latencies(machine->inorder.latency, values);
	set_latencies(machine->ooo.latency, values);
}

static void
set_machine(struct pipeline_machine *machine, const uint64_t *values)
{
	const uint64_t set = values[OPTION_WAYS] * values[OPTION_LINE];
	set_pipelines(machine, values);
	machine->has_cache = values[OPTION_CACHE];
	machine->cache = (struct cache_config){
		.sets = set && values[OPTION_CACHE] % set == 0 ? values[OPTION_CACHE] / set : 0,
		.ways = (uint32_t)values[OPTION_WAYS],
		.line_size = (uint32_t)values[OPTION_LINE],
		.policy = CACHE_LRU};
	machine->has_bpred = values[OPTION_PREDICTOR];
	machine->bpred = (struct bpred_config){.kind = kinds[values[OPTION_PREDICTOR]],
		.entries_log2 = (unsigned)values[OPTION_BITS],
		.history = (unsigned)values[OPTION_BITS]};
}

enum poly_status
pipeline_machine_set(
	struct pipeline_machine *machine, const uint64_t *values, struct poly_error *error)
{
	set_machine(machine, values);
	enum poly_status status = machine->is_ooo
					  ? pipeline_ooo_sound(&machine->ooo, error)
					  : pipeline_inorder_sound(&machine->inorder, error);
	if (status == POLY_OK && machine->has_cache && !machine->cache.sets)
		status = err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"%llu bytes are not sets of %llu ways of %llu bytes",
			(unsigned long long)values[OPTION_CACHE],
			(unsigned long long)values[OPTION_WAYS],
			(unsigned long long)values[OPTION_LINE]);
	if (status == POLY_OK && machine->has_cache)
		status = cache_check(&machine->cache, error);
	if (status == POLY_OK && machine->has_bpred)
		status = bpred_check(&machine->bpred, error);
	return status;
}

/* Options that change nothing of the other model. */
static const struct {
	size_t option;
	bool is_ooo;
} of_one_model[] = {{OPTION_SIZE, true}, {OPTION_REGISTERS, true}, {OPTION_MEMORY, true},
	{OPTION_ORDER, false}};

static bool
is_swept(const struct pipeline_sweep *sweep, size_t option)
{
	for (size_t i = 0; sweep && i < sweep->key_count; i++) {
		if (sweep->keys[i] == option)
			return true;
	}
	return false;
}

/* Fails where an option was given, or swept, that no machine looks at. */
static enum poly_status
check_models(const struct pipeline_analysis *it, const bool *given, struct poly_error *error)
{
	bool swept[2] = {false, false};
	for (size_t i = 0; it->sweep && i < it->sweep->count; i++)
		swept[it->sweep->configs[i].machine.is_ooo] = true;
	for (size_t i = 0; i < sizeof of_one_model / sizeof *of_one_model; i++) {
		const size_t option = of_one_model[i].option;
		const bool is_ooo = of_one_model[i].is_ooo;
		const bool by_sweep = is_swept(it->sweep, option);
		if (swept[is_ooo] || (!by_sweep && !given[option]) ||
			(!by_sweep && it->machine.is_ooo == is_ooo))
			continue;
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option '%s' changes nothing of model '%s', expected it with '%s'",
			analysis_pipeline.info.options[option].name, models[!is_ooo],
			models[is_ooo]);
	}
	return POLY_OK;
}

static enum poly_status
pipeline_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct pipeline_analysis *it = state;
	const uint64_t *values = setup->values;
	const char *sweep = setup->texts ? setup->texts[OPTION_SWEEP] : NULL;
	enum poly_status status = pipeline_machine_set(&it->machine, values, error);
	if (status == POLY_OK && sweep && *sweep)
		status = pipeline_sweep_new(sweep, values, &it->sweep, error);
	if (status == POLY_OK)
		status = check_models(it, setup->given, error);
	if (status != POLY_OK || !values[OPTION_COUNT])
		return status;
	it->stages = pipeline_stages_new(values[OPTION_FROM], values[OPTION_COUNT]);
	return it->stages ? POLY_OK : err_memory(error);
}

/* What a context's machines did that counts is done. */
static void
add_stream(struct pipeline_analysis *it, const struct pipeline_stream *stream)
{
	pipeline_stream_add(stream, &it->total);
	if (it->sweep)
		pipeline_sweep_stream_add(stream->sweep, it->sweep->cycles);
}

/* Another trace: every context begins with a machine that has seen nothing. */
static void
pipeline_begin(void *state, const struct poly_trace_info *info)
{
	struct pipeline_analysis *it = state;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (it->streams[i] && it->is_counting)
			add_stream(it, it->streams[i]);
		pipeline_stream_free(it->streams[i]);
		it->streams[i] = NULL;
	}
	pipeline_stages_begin(it->stages);
	it->is_told_late = !(info->columns & POLY_HAS(branch));
}

/* Up to most registers of a set, the lowest numbers first; whether there are no more. */
static bool
list_registers(const struct static_op_registers *set, uint8_t *list, size_t most)
{
	size_t count = 0;
	for (size_t i = 0; i < most; i++)
		list[i] = PIPELINE_NONE;
	for (size_t word = 0; word < 2; word++) {
		uint64_t left = set->bits[word];
		while (left) {
			const size_t number = 64 * word + row_bits_next(&left);
			if (count == most || number >= PIPELINE_REGISTERS)
				return false;
			list[count++] = (uint8_t)number;
		}
	}
	return true;
}

static struct pipeline_op
op_of(const struct static_op *op, bool *whole)
{
	struct pipeline_op made = {.flags = PIPELINE_OTHERS};
	const bool sources = list_registers(&op->reads, made.sources, 3);
	*whole = list_registers(&op->writes, made.dests, 2) && sources;
	if (op->class == OP_LOAD)
		made.flags = PIPELINE_LOADS;
	else if (op->class == OP_FLOAT || op->class == OP_VECTOR)
		made.flags = PIPELINE_FLOATS;
	return made;
}

/* Makes micro-ops of the operations that are new. */
static bool
reach_ops(struct pipeline_analysis *it, const struct static_ops *ops)
{
	void *list = it->ops, *flows = it->flows;
	bool ok = counters_grow_array(&list, &it->op_capacity, ops->count, sizeof *it->ops);
	it->ops = list;
	ok = ok &&
	     counters_grow_array(&flows, &it->flow_capacity, ops->count, sizeof *it->flows);
	it->flows = flows;
	for (; ok && it->op_count < ops->count; it->op_count++) {
		bool whole;
		const struct static_op *op = static_op_at(ops, it->op_count);
		it->ops[it->op_count] = op_of(op, &whole);
		it->flows[it->op_count] = op->flow;
		it->cut_ops += !whole;
	}
	return ok;
}

/* What counts begins or ends. */
static void
set_counting(struct pipeline_analysis *it, bool counts)
{
	if (it->is_counting == counts)
		return;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (it->streams[i] && counts)
			pipeline_stream_mark(it->streams[i]);
		else if (it->streams[i])
			add_stream(it, it->streams[i]);
	}
	it->is_counting = counts;
}

static struct pipeline_met *
met_of(struct pipeline_analysis *it)
{
	return it->is_counting ? &it->met : NULL;
}

/* An access of the instruction that waits: its first one counts, and a write makes it a store.
 */
static void
add_access(struct pipeline_insn *insn, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return;
	const uint8_t access = batch->access[row];
	if (access != POLY_ACCESS_READ && access != POLY_ACCESS_WRITE)
		return;
	if (!insn->has_address) {
		insn->address = batch->address[row];
		insn->writes = access == POLY_ACCESS_WRITE;
	}
	insn->has_address = true;
	if (access == POLY_ACCESS_WRITE)
		insn->op.flags |= PIPELINE_STORE;
	else
		insn->op.flags = (uint8_t)((insn->op.flags & ~PIPELINE_CLASS) | PIPELINE_LOADS);
}

static struct pipeline_insn
insn_of(struct pipeline_analysis *it, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint32_t op = rows->op[row];
	struct pipeline_insn insn = {.op = {{PIPELINE_NONE, PIPELINE_NONE, PIPELINE_NONE},
					     {PIPELINE_NONE, PIPELINE_NONE}, 0, 0},
		.pc = poly_present(batch, POLY_COLUMN_pc, row) ? batch->pc[row] : 0,
		.site = rows->site[row],
		.operation = op};
	insn.is_unknown = !static_op_at(rows->ops, op)->has_registers;
	insn.size = static_op_at(rows->ops, op)->size;
	insn.target = branch_static_target(rows, row);
	insn.is_skipped =
		poly_present(batch, POLY_COLUMN_executed, row) && !batch->executed[row];
	/* What its predicate skips takes its place and no more. */
	if (op != OP_NONE && !insn.is_skipped)
		insn.op = it->ops[op];
	if (op != OP_NONE) {
		insn.is_conditional = it->flows[op] & OP_CONDITIONAL;
		insn.is_delayed = it->flows[op] & OP_DELAYED;
		insn.annuls = it->flows[op] & OP_ANNULS;
	}
	add_access(&insn, batch, row);
	return insn;
}

/* The tracer did not put it there. */
static bool
is_real(const struct poly_batch *batch, size_t row)
{
	return !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

/* Where a branch goes on that is not taken. */
static uint64_t
behind(const struct pipeline_insn *insn)
{
	return insn->pc + insn->size + (insn->is_delayed ? OP_DELAY_SLOT : 0);
}

/* What waits is complete, as the next instruction, at pc, is known. */
static void
complete(struct pipeline_stream *stream, uint64_t pc, struct pipeline_met *met)
{
	const struct pipeline_insn *insn = &stream->insn;
	pipeline_stream_take(stream, !insn->is_skipped && pc != behind(insn), met);
	if (!stream->has_slot)
		return;
	stream->has_slot = false;
	stream->insn = stream->slot;
	pipeline_stream_take(stream, false, met);
}

/* An instruction: the one before it is complete, and so is this one where its row tells all. */
static void
execute(struct pipeline_analysis *it, struct pipeline_stream *stream,
	const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const struct pipeline_insn next = insn_of(it, rows, row);
	const bool is_annulled = stream->insn.annuls && next.pc == behind(&stream->insn);
	if (stream->waits && stream->insn.is_delayed && !stream->has_slot && !is_annulled) {
		stream->slot = next;
		stream->has_slot = true;
		return;
	}
	if (stream->waits)
		complete(stream, next.pc, met_of(it));
	stream->insn = next;
	stream->waits = it->is_told_late;
	if (stream->waits)
		return;
	const bool is_told = poly_present(batch, POLY_COLUMN_branch, row);
	const bool taken = is_told && batch->branch[row] == POLY_BRANCH_TAKEN;
	it->is_told |= is_told;
	pipeline_stream_take(stream, taken, met_of(it));
}

/* The machine of a context; stages are kept of the first one. NULL: no memory. */
static struct pipeline_stream *
open_stream(struct pipeline_analysis *it, uint16_t context)
{
	struct pipeline_stream *stream = pipeline_stream_new(&it->machine, it->sweep);
	if (stream && context == 0)
		stream->stages = it->stages;
	return stream;
}

/* False: no memory. */
static bool
update_row(struct pipeline_analysis *it, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	if (!poly_present(batch, POLY_COLUMN_kind, row))
		return true;
	const bool is_insn = batch->kind[row] == POLY_KIND_INSTRUCTION;
	if (context >= PIPELINE_CONTEXTS) {
		it->left_out += is_insn && it->is_counting;
		return true;
	}
	struct pipeline_stream **stream = &it->streams[context];
	if (!is_insn) {
		if (*stream && (*stream)->waits)
			add_access((*stream)->has_slot ? &(*stream)->slot : &(*stream)->insn,
				batch, row);
		return true;
	}
	if (!is_real(batch, row))
		return true;
	if (!*stream)
		*stream = open_stream(it, context);
	if (!*stream)
		return false;
	execute(it, *stream, rows, row);
	return true;
}

static size_t
pipeline_tasks(const void *state)
{
	const struct pipeline_analysis *it = state;
	return it->sweep ? it->sweep->count : 1;
}

static bool
pipeline_update(void *state, const struct analysis_rows *rows)
{
	struct pipeline_analysis *it = state;
	if (!reach_ops(it, rows->ops))
		return false;
	set_counting(it, rows->counts);
	if (it->sweep)
		it->sweep->team = rows->team;
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(it, rows, row))
			return false;
	}
	/* Nothing is left in buffers, so that an answer may be asked for at any time. */
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (it->streams[i])
			pipeline_stream_run(it->streams[i], met_of(it));
	}
	return true;
}

static void
pipeline_fini(void *state)
{
	struct pipeline_analysis *it = state;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++)
		pipeline_stream_free(it->streams[i]);
	pipeline_stages_free(it->stages);
	mem_free(it->sweep);
	mem_free(it->ops);
	mem_free(it->flows);
}

static const char *const no_sweep[] = {"", NULL};

static const struct poly_option options[] = {
	[OPTION_MODEL] = {"pipeline.model", POLY_OPTION_CHOICE, POLY_OPTION_READ, 1, 0, 0,
		models, "whether instructions issue in order or out of order", NULL},
	[OPTION_WIDTH] = {"pipeline.width", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4, 1,
		PIPELINE_WIDTH_MAX, NULL, "instructions a cycle", NULL},
	[OPTION_SIZE] = {"pipeline.size", POLY_OPTION_NUMBER, POLY_OPTION_READ, 128, 1,
		PIPELINE_SIZE_MAX, NULL, "instructions in the reorder buffer", NULL},
	[OPTION_REGISTERS] = {"pipeline.registers", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0,
		PIPELINE_RENAMED_MAX, NULL,
		"registers for results, 2 or more; 0: as many as it takes", NULL},
	[OPTION_MEMORY] = {"pipeline.memory", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		PIPELINE_MEMORY_STORE_SETS, 0, 0, memories,
		"which older stores a load waits for, out of order", NULL},
	[OPTION_ORDER] = {"pipeline.order", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		PIPELINE_ORDER_FREE, 0, 0, orders,
		"when a register may be written again, in order",
		"reference cis501 7.1.2, 7.1.5"},
	[OPTION_LOAD] = {"pipeline.load", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4, 1,
		PIPELINE_LATENCY_MAX, NULL, "cycles of a load that hits", NULL},
	[OPTION_FLOAT] = {"pipeline.float", POLY_OPTION_NUMBER, POLY_OPTION_READ, 4, 1,
		PIPELINE_LATENCY_MAX, NULL, "cycles of floating-point and vector instructions",
		NULL},
	[OPTION_TAKEN_ENDS] = {"pipeline.taken-ends", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0,
		0, NULL, "whether a taken branch is the last of its cycle", NULL},
	[OPTION_PREDICTOR] = {"pipeline.predictor", POLY_OPTION_CHOICE, POLY_OPTION_READ, 5, 0,
		0, predictors, "how conditional branches are predicted", NULL},
	[OPTION_BITS] = {"pipeline.bits", POLY_OPTION_NUMBER, POLY_OPTION_READ, 12, 0,
		BPRED_LOG2_MAX, NULL,
		"the predictor has 2 to this power of counters, and as long a history", NULL},
	[OPTION_PENALTY] = {"pipeline.penalty", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 0,
		PIPELINE_LATENCY_MAX, NULL,
		"cycles until a mispredicted branch is followed: from its issue in order, from "
		"its end out of order",
		NULL},
	[OPTION_CACHE] = {"pipeline.cache", POLY_OPTION_SIZE, POLY_OPTION_READ, 32768, 0,
		(uint64_t)1 << 31, NULL, "bytes of the data cache; 0: loads never miss", NULL},
	[OPTION_WAYS] = {"pipeline.ways", POLY_OPTION_NUMBER, POLY_OPTION_READ, 8, 1,
		CACHE_WAYS_MAX, NULL, "lines in a set of the cache", NULL},
	[OPTION_LINE] = {"pipeline.line", POLY_OPTION_SIZE, POLY_OPTION_READ, 64,
		CACHE_LINE_MIN, 65536, NULL, "bytes of a line", NULL},
	[OPTION_MISS] = {"pipeline.miss", POLY_OPTION_NUMBER, POLY_OPTION_READ, 20, 0,
		PIPELINE_LATENCY_MAX, NULL, "further cycles of a load that misses", NULL},
	[OPTION_FROM] = {"pipeline.from", POLY_OPTION_NUMBER, POLY_OPTION_READ, 1, 1,
		UINT64_MAX, NULL, "the first instruction whose stages are kept", NULL},
	[OPTION_COUNT] = {"pipeline.count", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0,
		PIPELINE_STAGES_MOST, NULL, "instructions whose stages are kept for files",
		NULL},
	[OPTION_SWEEP] = {"pipeline.sweep", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0,
		no_sweep,
		"pipelines to compare, as lists of values by option: width=1,2,4,size=32..256",
		NULL},
	{0},
};

const struct analysis analysis_pipeline = {
	.info = {.name = "pipeline",
		.title = "Pipeline",
		.summary = "the cycles that a core takes, in order or out of order, and where "
			   "they go",
		.is_simulation = true,
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = POLY_HAS(access) | POLY_HAS(address) | POLY_HAS(branch) |
			 POLY_HAS(target) | POLY_HAS(executed) | POLY_HAS(synthetic),
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct pipeline_analysis),
	.init = pipeline_init,
	.begin = pipeline_begin,
	.update = pipeline_update,
	.task_count = pipeline_tasks,
	.report = pipeline_report,
	.fini = pipeline_fini,
};
