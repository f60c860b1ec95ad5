/* SPDX-License-Identifier: MIT */
/*
 * Simulates pipelines: the cycles of a core for the instructions of each context, and their
 * CPI stack.
 *
 * Bounded: PIPELINE_CONTEXTS contexts. If a trace does not record outcomes of branches, an
 * instruction waits for the next one of its context; the last one of each context does not
 * branch.
 *
 * spec: sim/pipeline/pipeline.h
 */
#include "analysis/sim/pipeline/pipeline_stalls.h"
#include "analysis/sim/pipeline/pipeline_sweep.h"

#include "analysis/facts/counters.h"
#include "analysis/facts/branch_stream.h"
#include "analysis/facts/column_stats.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

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
	OPTION_TOP,
};

static const char *const models[] = {"inorder", "ooo", NULL};
static const char *const memories[] = {
	"none", "conservative", "perfect", "naive", "store-sets", NULL};
static const char *const orders[] = {"free", "latency", "all", NULL};
static const char *const predictors[] = {
	"perfect", "taken", "not-taken", "btfn", "bimodal", "gshare", NULL};

/* The kinds of the choices; the first one is unused. */
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
		.extra_max = machine->miss,
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
pipeline_machine_init(
	struct pipeline_machine *machine, const uint64_t *values, struct poly_error *error)
{
	set_machine(machine, values);
	enum poly_status status = machine->is_ooo
					  ? pipeline_ooo_sound(&machine->ooo, error)
					  : pipeline_inorder_sound(&machine->inorder, error);
	if (status == POLY_OK && machine->has_cache && !machine->cache.sets)
		status = err_usage(error,
			"cache=%llu is not a multiple of %llu ways of %llu bytes",
			(unsigned long long)values[OPTION_CACHE],
			(unsigned long long)values[OPTION_WAYS],
			(unsigned long long)values[OPTION_LINE]);
	if (status == POLY_OK && machine->has_cache)
		status = cache_check(&machine->cache, error);
	if (status == POLY_OK && machine->has_bpred)
		status = bpred_check(&machine->bpred, error);
	return status;
}

/* Options that have no effect on the other model. */
static const struct {
	size_t option;
	bool is_ooo;
} model_options[] = {{OPTION_SIZE, true}, {OPTION_REGISTERS, true}, {OPTION_MEMORY, true},
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

/* Fails if an option was set or swept that has no effect on any machine. */
static enum poly_status
check_models(const struct pipeline_simulation *sim, const bool *given, struct poly_error *error)
{
	bool swept[2] = {false, false};
	for (size_t i = 0; sim->sweep && i < sim->sweep->count; i++)
		swept[sim->sweep->configs[i].machine.is_ooo] = true;
	for (size_t i = 0; i < sizeof model_options / sizeof *model_options; i++) {
		const size_t option = model_options[i].option;
		const bool is_ooo = model_options[i].is_ooo;
		const bool by_sweep = is_swept(sim->sweep, option);
		if (swept[is_ooo] || (!by_sweep && !given[option]) ||
			(!by_sweep && sim->machine.is_ooo == is_ooo))
			continue;
		return err_usage(error,
			"option '%s' has no effect on model '%s', expected model '%s'",
			analysis_pipeline.info.options[option].name, models[!is_ooo],
			models[is_ooo]);
	}
	return POLY_OK;
}

static enum poly_status
pipeline_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct pipeline_simulation *sim = state;
	const uint64_t *values = setup->values;
	const char *sweep = setup->texts ? setup->texts[OPTION_SWEEP] : NULL;
	enum poly_status status = pipeline_machine_init(&sim->machine, values, error);
	if (status == POLY_OK && sweep && *sweep)
		status = pipeline_sweep_new(sweep, values, &sim->sweep, error);
	if (status == POLY_OK)
		status = check_models(sim, setup->given, error);
	if (status == POLY_OK && values[OPTION_TOP]) {
		sim->stalls = pipeline_stalls_new(values[OPTION_TOP]);
		status = sim->stalls ? POLY_OK : err_memory(error);
	}
	if (status != POLY_OK || !values[OPTION_COUNT])
		return status;
	sim->stages = pipeline_stages_new(values[OPTION_FROM], values[OPTION_COUNT]);
	return sim->stages ? POLY_OK : err_memory(error);
}

/* Adds the counts of a context's machines to the totals. */
static void
add_stream(struct pipeline_simulation *sim, const struct pipeline_stream *stream)
{
	pipeline_stream_add(stream, &sim->total);
	sim->instructions += stream->instructions;
	if (sim->sweep)
		pipeline_sweep_stream_add(stream->sweep, sim->sweep->cycles);
}

/* Lists up to max registers of a set, the lowest numbers first; returns whether these are all.
 */
static bool
list_registers(const struct isa_registers *set, uint8_t *list, size_t max)
{
	size_t count = 0;
	for (size_t i = 0; i < max; i++)
		list[i] = PIPELINE_NONE;
	for (size_t word = 0; word < 2; word++) {
		uint64_t left = set->bits[word];
		while (left) {
			const size_t number = 64 * word + row_bits_next(&left);
			if (count == max || number >= PIPELINE_REGISTERS)
				return false;
			list[count++] = (uint8_t)number;
		}
	}
	return true;
}

static struct pipeline_op
make_op(const struct static_op *op, bool *fits)
{
	struct pipeline_op uop = {.flags = PIPELINE_OTHERS};
	const bool sources = list_registers(&op->reads, uop.sources, 3);
	*fits = list_registers(&op->writes, uop.dests, 2) && sources;
	if (op->class == OP_LOAD)
		uop.flags = PIPELINE_LOADS;
	else if (op->class == OP_FLOAT || op->class == OP_VECTOR)
		uop.flags = PIPELINE_FLOATS;
	return uop;
}

/* Appends the micro-ops of new static operations. */
static bool
extend_ops(struct pipeline_simulation *sim, const struct static_ops *ops)
{
	const bool ok = VEC_RESERVE(sim->ops, sim->op_capacity, ops->count) &&
			VEC_RESERVE(sim->flows, sim->flow_capacity, ops->count);
	for (; ok && sim->op_count < ops->count; sim->op_count++) {
		bool fits;
		const struct static_op *op = static_op_at(ops, sim->op_count);
		sim->ops[sim->op_count] = make_op(op, &fits);
		sim->flows[sim->op_count] = op->flow;
		sim->excess_ops += !fits;
	}
	return ok;
}

/* Starts or stops counting. */
static void
set_counting(struct pipeline_simulation *sim, bool counts)
{
	if (sim->is_counting == counts)
		return;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (sim->streams[i] && counts)
			pipeline_stream_start_counting(sim->streams[i]);
		else if (sim->streams[i])
			add_stream(sim, sim->streams[i]);
	}
	sim->is_counting = counts;
}

static struct pipeline_events *
active_events(struct pipeline_simulation *sim)
{
	return sim->is_counting ? &sim->events : NULL;
}

/* Adds an access to an instruction: the first address is used, and a write makes it a store.
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
make_insn(struct pipeline_simulation *sim, const struct analysis_rows *rows, size_t row)
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
	insn.begins =
		!poly_present(batch, POLY_COLUMN_uop_index, row) || batch->uop_index[row] == 1;
	insn.is_skipped =
		poly_present(batch, POLY_COLUMN_executed, row) && !batch->executed[row];
	/* An instruction with a false predicate occupies a slot, and uses no registers. */
	if (op != OP_NONE && !insn.is_skipped)
		insn.op = sim->ops[op];
	if (op != OP_NONE) {
		insn.is_conditional = sim->flows[op] & ISA_CONDITIONAL;
		insn.is_delayed = sim->flows[op] & ISA_DELAYED;
		insn.annuls = sim->flows[op] & ISA_ANNULS;
	}
	add_access(&insn, batch, row);
	return insn;
}

/* Returns whether the instruction was executed, and not inserted by the tracer. */
static bool
is_real(const struct poly_batch *batch, size_t row)
{
	return !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
}

/* Returns the address after a branch that is not taken. */
static uint64_t
fallthrough_of(const struct pipeline_insn *insn)
{
	return insn->pc + insn->size + (insn->is_delayed ? OP_DELAY_SLOT : 0);
}

/* Completes the waiting instruction, now that the next one, at pc, is known. */
static void
complete_insn(struct pipeline_stream *stream, uint64_t pc, struct pipeline_events *events)
{
	const struct pipeline_insn *insn = &stream->insn;
	pipeline_stream_push(stream, !insn->is_skipped && pc != fallthrough_of(insn), events);
	if (!stream->has_slot)
		return;
	stream->has_slot = false;
	stream->insn = stream->slot;
	pipeline_stream_push(stream, false, events);
}

/* Completes the waiting instruction at the end of a trace. Whether it branched is not known. */
static void
end_stream(struct pipeline_simulation *sim, struct pipeline_stream *stream)
{
	if (!stream->has_insn)
		return;
	stream->insn.is_conditional = false;
	complete_insn(stream, fallthrough_of(&stream->insn), active_events(sim));
	pipeline_stream_run(stream, active_events(sim));
}

/* Begins another trace: every context starts with a new core. */
static void
pipeline_begin(void *state, const struct poly_trace_info *info)
{
	struct pipeline_simulation *sim = state;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (sim->streams[i])
			end_stream(sim, sim->streams[i]);
		if (sim->streams[i] && sim->is_counting)
			add_stream(sim, sim->streams[i]);
		pipeline_stream_free(sim->streams[i]);
		sim->streams[i] = NULL;
	}
	pipeline_stages_begin(sim->stages);
	sim->has_late_outcomes = !POLY_HAS(info->columns, branch);
}

/* Processes an instruction: completes the previous one, and this one if its row has the
 * outcome. */
static void
execute_insn(struct pipeline_simulation *sim, struct pipeline_stream *stream,
	const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const struct pipeline_insn next = make_insn(sim, rows, row);
	const bool is_annulled =
		stream->insn.annuls && next.pc == fallthrough_of(&stream->insn);
	if (stream->has_insn && stream->insn.is_delayed && !stream->has_slot && !is_annulled) {
		stream->slot = next;
		stream->has_slot = true;
		return;
	}
	if (stream->has_insn)
		complete_insn(stream, next.pc, active_events(sim));
	stream->insn = next;
	stream->has_insn = sim->has_late_outcomes;
	if (stream->has_insn)
		return;
	const bool has_outcomes = poly_present(batch, POLY_COLUMN_branch, row);
	const bool taken = has_outcomes && batch->branch[row] == POLY_BRANCH_TAKEN;
	sim->has_outcomes |= has_outcomes;
	pipeline_stream_push(stream, taken, active_events(sim));
}

/* Creates the core of a context; records stages of the first context. NULL: out of memory. */
static struct pipeline_stream *
open_stream(struct pipeline_simulation *sim, uint16_t context)
{
	struct pipeline_stream *stream =
		pipeline_stream_new(sim->is_elsewhere ? NULL : &sim->machine, sim->sweep);
	if (stream && context == 0)
		stream->stages = sim->stages;
	if (stream)
		stream->stalls = sim->stalls;
	return stream;
}

/* Processes a row; false: out of memory. */
static bool
update_row(struct pipeline_simulation *sim, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	if (!poly_present(batch, POLY_COLUMN_kind, row))
		return true;
	const bool is_insn = batch->kind[row] == POLY_KIND_INSTRUCTION;
	if (context >= PIPELINE_CONTEXTS) {
		sim->untracked += is_insn && sim->is_counting;
		return true;
	}
	struct pipeline_stream **stream = &sim->streams[context];
	if (!is_insn) {
		if (*stream && (*stream)->has_insn)
			add_access((*stream)->has_slot ? &(*stream)->slot : &(*stream)->insn,
				batch, row);
		return true;
	}
	if (!is_real(batch, row))
		return true;
	if (!*stream)
		*stream = open_stream(sim, context);
	if (!*stream)
		return false;
	execute_insn(sim, *stream, rows, row);
	return true;
}

static size_t
pipeline_tasks(const void *state)
{
	const struct pipeline_simulation *sim = state;
	return sim->sweep ? sim->sweep->count : 1;
}

static bool
pipeline_update(void *state, const struct analysis_rows *rows)
{
	struct pipeline_simulation *sim = state;
	if (!extend_ops(sim, rows->ops))
		return false;
	set_counting(sim, rows->counts);
	if (sim->sweep)
		sim->sweep->team = rows->team;
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(sim, rows, row))
			return false;
	}
	/* Flush the buffers, so that a report is possible at any time. */
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (sim->streams[i])
			pipeline_stream_run(sim->streams[i], active_events(sim));
	}
	return !sim->stalls || !sim->stalls->failed;
}

static enum poly_status
pipeline_finish(void *state, struct poly_error *error)
{
	struct pipeline_simulation *sim = state;
	(void)error;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (sim->streams[i])
			end_stream(sim, sim->streams[i]);
	}
	return POLY_OK;
}

static void
pipeline_fini(void *state)
{
	struct pipeline_simulation *sim = state;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++)
		pipeline_stream_free(sim->streams[i]);
	pipeline_stages_free(sim->stages);
	pipeline_stalls_free(sim->stalls);
	mem_free(sim->sweep);
	mem_free(sim->ops);
	mem_free(sim->flows);
}

static const char *const no_sweep[] = {"", NULL};

static const struct poly_option options[] = {
	[OPTION_MODEL] = {"pipeline.model", POLY_OPTION_CHOICE, .initial = 1, .choices = models,
		.help = "issue in order or out of order"},
	[OPTION_WIDTH] = {"pipeline.width", POLY_OPTION_NUMBER, .initial = 4, .minimum = 1,
		.maximum = PIPELINE_WIDTH_MAX,
		.help = "micro-operations fetched, issued and committed per cycle"},
	[OPTION_SIZE] = {"pipeline.size", POLY_OPTION_NUMBER, .initial = 128, .minimum = 1,
		.maximum = PIPELINE_SIZE_MAX, .help = "entries of the reorder buffer"},
	[OPTION_REGISTERS] = {"pipeline.registers", POLY_OPTION_NUMBER,
		.maximum = PIPELINE_RENAMED_MAX,
		.help = "physical registers for results, 2 or more; 0: unlimited"},
	[OPTION_MEMORY] = {"pipeline.memory", POLY_OPTION_CHOICE,
		.initial = PIPELINE_MEMORY_STORE_SETS, .choices = memories,
		.help = "older stores that a load waits for (model ooo)"},
	[OPTION_ORDER] = {"pipeline.order", POLY_OPTION_CHOICE, .initial = PIPELINE_ORDER_FREE,
		.choices = orders, .help = "when a register may be overwritten (model inorder)",
		.source = "CIS 501, homeworks 2a and 5"},
	[OPTION_LOAD] = {"pipeline.load", POLY_OPTION_NUMBER, .initial = 4, .minimum = 1,
		.maximum = PIPELINE_LATENCY_MAX,
		.help = "latency of a load that hits, in cycles"},
	[OPTION_FLOAT] = {"pipeline.float", POLY_OPTION_NUMBER, .initial = 4, .minimum = 1,
		.maximum = PIPELINE_LATENCY_MAX,
		.help = "latency of floating-point and vector instructions, in cycles"},
	[OPTION_TAKEN_ENDS] = {"pipeline.taken-ends", POLY_OPTION_BOOL,
		.help = "end the fetch or issue group at a taken branch"},
	[OPTION_PREDICTOR] = {"pipeline.predictor", POLY_OPTION_CHOICE, .initial = 5,
		.choices = predictors, .help = "predictor of conditional branches"},
	[OPTION_BITS] = {"pipeline.bits", POLY_OPTION_NUMBER, .initial = 12,
		.maximum = BPRED_LOG2_MAX,
		.help = "log2 of the predictor's counters, and its history length"},
	[OPTION_PENALTY] = {"pipeline.penalty", POLY_OPTION_NUMBER, .initial = 10,
		.maximum = PIPELINE_LATENCY_MAX,
		.help = "misprediction penalty in cycles, from issue (inorder) or completion "
			"(ooo)"},
	[OPTION_CACHE] = {"pipeline.cache", POLY_OPTION_SIZE, .initial = 32768,
		.maximum = (uint64_t)1 << 31,
		.help = "data cache size in bytes; 0: loads never miss"},
	[OPTION_WAYS] = {"pipeline.ways", POLY_OPTION_NUMBER, .initial = 8, .minimum = 1,
		.maximum = CACHE_WAYS_MAX, .help = "ways of the data cache"},
	[OPTION_LINE] = {"pipeline.line", POLY_OPTION_SIZE, .initial = 64,
		.minimum = CACHE_LINE_MIN, .maximum = 65536, .help = "line size in bytes"},
	[OPTION_MISS] = {"pipeline.miss", POLY_OPTION_NUMBER, .initial = 20,
		.maximum = PIPELINE_LATENCY_MAX,
		.help = "additional latency of a load that misses, in cycles"},
	[OPTION_FROM] = {"pipeline.from", POLY_OPTION_NUMBER, .initial = 1, .minimum = 1,
		.maximum = UINT64_MAX,
		.help = "first micro-operation whose stages are recorded"},
	[OPTION_COUNT] = {"pipeline.count", POLY_OPTION_NUMBER, .maximum = PIPELINE_STAGES_MAX,
		.help = "number of micro-operations whose stages are recorded"},
	[OPTION_SWEEP] = {"pipeline.sweep", POLY_OPTION_TEXT, .choices = no_sweep,
		.help = "simulate every combination of lists of values: "
			"width=1,2,4,size=32..256"},
	[OPTION_TOP] = {"pipeline.top", POLY_OPTION_NUMBER, .maximum = UINT32_MAX,
		.help = "list the N instructions with the most stall cycles, by cause"},
	{0},
};

/*
 * An instruction is in stage F from fetch to issue, in X until its result is available, and in
 * C until it commits; an in-order core has only X. Stages of zero cycles are omitted. The
 * stages are those of pipeline.count instructions of the first context of the last trace.
 */
static const struct poly_analysis_output outputs[] = {
	[PIPELINE_KONATA] = {"konata",
		"stages as a log for the Konata viewer (version 0004 of its format); requires "
		"pipeline.count"},
	[PIPELINE_SVG] = {"svg",
		"stages as an image, one row per instruction and one column per cycle, at most "
		"1000 by 10000; requires pipeline.count"},
	{0},
};

const struct analysis analysis_pipeline = {
	.info = {.name = "pipeline",
		.title = "Pipeline",
		.summary = "simulate in-order and out-of-order pipelines: cycles and CPI stack",
		.kind = POLY_ANALYSIS_SIMULATION,
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(
			access, address, branch, target, executed, synthetic, uop_index),
		.options = options,
		.outputs = outputs},
	.ordered = ORDERED_MACHINE,
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs = NEEDS_FLOW,
	.needs_warmup = true,
	.state_size = sizeof(struct pipeline_simulation),
	.init = pipeline_init,
	.begin = pipeline_begin,
	.update = pipeline_update,
	.task_count = pipeline_tasks,
	.machines = &pipeline_machines,
	.finish = pipeline_finish,
	.report = pipeline_report,
	.write = pipeline_write,
	.fini = pipeline_fini,
};
