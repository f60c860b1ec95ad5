/* SPDX-License-Identifier: MIT */
/* Memory references, gathered from columns. */
#include "analysis/sim/mem_refs.h"

const char *const mem_refs_choices[] = {"data", "instructions", "all", "uops", NULL};

static void
add(struct mem_refs *refs, uint64_t address, uint32_t size, uint8_t kind)
{
	refs->pcs[refs->count] = address;
	refs->addresses[refs->count] = address;
	refs->sizes[refs->count] = size;
	refs->kinds[refs->count++] = kind;
}

/* Returns whether a row is an executed instruction, or, if requested, a micro-operation. */
static bool
is_fetched(const struct poly_batch *batch, size_t row, bool uops)
{
	if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION ||
		(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]))
		return false;
	return uops || !poly_present(batch, POLY_COLUMN_uop_index, row) ||
	       batch->uop_index[row] == 1;
}

static void
add_fetch(struct mem_refs *refs, const struct poly_batch *batch, size_t row, bool uops)
{
	if (!poly_present(batch, POLY_COLUMN_pc, row) || !is_fetched(batch, row, uops))
		return;
	const bool sized = poly_present(batch, POLY_COLUMN_opcode_size, row);
	add(refs, batch->pc[row], sized ? batch->opcode_size[row] : 0, CACHE_FETCH);
}

void
mem_refs_begin_operations(struct mem_refs *refs, const struct poly_trace_info *info)
{
	refs->operates = true;
	refs->operation_of = isa_cache_operations(info->isa);
}

/* The register rB of dst and dstst: block size in vectors of 16 bytes, count and stride, in
 * which 0 stands for the maximum. spec: AltiVec, dst. */
struct mem_stream
mem_refs_stream(uint32_t description)
{
	const uint32_t vectors = description >> 24 & 31, count = description >> 16 & 255;
	const int32_t stride = (int16_t)(uint16_t)description;
	return (struct mem_stream){
		16 * (vectors ? vectors : 32), count ? count : 256, stride ? stride : 32768};
}

/* Returns the cache operation of a row. */
static enum isa_cache
operation_of(const struct mem_refs *refs, const struct poly_batch *batch, size_t row)
{
	const bool known =
		refs->operation_of && poly_present(batch, POLY_COLUMN_opcode, row) &&
		!(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]);
	return known ? refs->operation_of(batch->opcode[row]) : ISA_CACHE_NONE;
}

/* Adds a cache operation that is not an access. */
static void
add_operation(struct mem_refs *refs, const struct poly_batch *batch, size_t row,
	enum mem_refs_selection selection)
{
	static const uint8_t kinds[] = {[ISA_CACHE_CLEAN] = CACHE_CLEAN,
		[ISA_CACHE_FLUSH] = CACHE_FLUSH,
		[ISA_CACHE_INVALIDATE] = CACHE_INVALIDATE,
		[ISA_CACHE_CODE] = CACHE_CODE,
		[ISA_CACHE_PREFETCH] = CACHE_PREFETCH,
		[ISA_CACHE_STREAM] = REF_STREAM};
	const enum isa_cache operation = operation_of(refs, batch, row);
	const bool of_code = operation == ISA_CACHE_CODE;
	if (!kinds[operation] ||
		(selection != MEM_REFS_ALL && of_code != (selection != MEM_REFS_DATA)))
		return;
	if (operation == ISA_CACHE_STREAM && !poly_present(batch, POLY_COLUMN_value, row))
		return;
	const uint64_t value = operation == ISA_CACHE_STREAM ? batch->value[row] : 0;
	add(refs, batch->address[row], (uint32_t)value, kinds[operation]);
	refs->has_operations = true;
}

static void
add_access(struct mem_refs *refs, const struct analysis_rows *rows, size_t row,
	enum mem_refs_selection selection)
{
	const struct poly_batch *batch = rows->batch;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return;
	if (batch->access[row] > POLY_ACCESS_FETCH) {
		add_operation(refs, batch, row, selection);
		return;
	}
	const bool fetch = batch->access[row] == POLY_ACCESS_FETCH;
	if (selection != MEM_REFS_ALL && fetch != (selection != MEM_REFS_DATA))
		return;
	const bool sized = poly_present(batch, POLY_COLUMN_size, row);
	refs->truncated += sized && rows->counts && batch->size[row] > ACCESS_BYTES_MAX;
	const bool write = batch->access[row] == POLY_ACCESS_WRITE;
	const bool allocate = write && operation_of(refs, batch, row) == ISA_CACHE_ALLOCATE;
	add(refs, batch->address[row], sized ? batch->size[row] : 0,
		fetch	? CACHE_FETCH
		: write ? CACHE_WRITE
			: CACHE_READ);
	if (allocate) {
		refs->kinds[refs->count - 1] = REF_ALLOCATE;
		refs->has_operations = true;
	}
}

/* Adds the cache operation of a special bus cycle: INVD, WBINVD or the pin FLUSH#. */
static void
add_event(struct mem_refs *refs, const struct poly_batch *batch, size_t row)
{
	static const uint8_t kinds[POLY_EVENT_COUNT] = {
		[POLY_EVENT_FLUSH] = CACHE_INVALIDATE_ALL,
		[POLY_EVENT_WRITE_BACK] = CACHE_CLEAN_ALL,
		[POLY_EVENT_FLUSH_ACKNOWLEDGE] = CACHE_FLUSH_ALL};
	const unsigned event = batch->event[row];
	if (event >= POLY_EVENT_COUNT || !kinds[event])
		return;
	add(refs, 0, 0, kinds[event]);
	refs->has_operations = true;
}

/* Adds the references of a row. */
static void
add_row(struct mem_refs *refs, const struct analysis_rows *rows, size_t row,
	enum mem_refs_selection selection)
{
	const struct poly_batch *batch = rows->batch;
	const enum poly_column column = rows->is_real ? POLY_COLUMN_real_pc : POLY_COLUMN_pc;
	const size_t before = refs->count;
	if (selection != MEM_REFS_DATA)
		add_fetch(refs, batch, row, selection == MEM_REFS_UOPS);
	add_access(refs, rows, row, selection);
	if (refs->operates && poly_present(batch, POLY_COLUMN_event, row))
		add_event(refs, batch, row);
	if (refs->count == before)
		return;
	const bool has_pc = poly_present(batch, column, row);
	const uint64_t pc = !has_pc ? 0 : rows->is_real ? batch->real_pc[row] : batch->pc[row];
	for (size_t i = before; i < refs->count; i++) {
		refs->rows[i] = (uint16_t)row;
		refs->pcs[i] = has_pc ? pc : refs->pcs[i];
	}
}

/* Returns the rows of a word of presence bits that can have references to data. */
static uint64_t
data_rows(const struct mem_refs *refs, const struct poly_batch *batch, size_t word)
{
	const uint64_t *accesses = batch->present[POLY_COLUMN_access];
	const uint64_t *events = batch->present[POLY_COLUMN_event];
	const uint64_t bits =
		(accesses ? accesses[word] : 0) | (refs->operates && events ? events[word] : 0);
	const size_t left = batch->rows - 64 * word;
	return left < 64 ? bits & ((UINT64_C(1) << left) - 1) : bits;
}

void
mem_refs_gather(struct mem_refs *refs, const struct analysis_rows *rows,
	enum mem_refs_selection selection)
{
	const struct poly_batch *batch = rows->batch;
	refs->count = 0;
	refs->has_operations = false;
	for (size_t row = 0; row < batch->rows && selection != MEM_REFS_DATA; row++)
		add_row(refs, rows, row, selection);
	for (size_t word = 0; 64 * word < batch->rows && selection == MEM_REFS_DATA; word++)
		for (uint64_t bits = data_rows(refs, batch, word); bits; bits &= bits - 1)
			add_row(refs, rows, 64 * word + (size_t)__builtin_ctzll(bits),
				selection);
}

void
report_instructions(struct poly_report *report, uint64_t instructions)
{
	if (instructions)
		poly_report_count(report, "instructions", instructions);
	else
		poly_report_text(report, "instructions", NULL);
}

void
report_mpki_cell(struct poly_report *report, uint64_t misses, uint64_t instructions)
{
	if (instructions)
		poly_report_cell_real(report, 1000 * (double)misses / (double)instructions, 3);
	else
		poly_report_cell_text(report, NULL);
}

void
report_miss_cells(
	struct poly_report *report, uint64_t misses, uint64_t accesses, uint64_t instructions)
{
	poly_report_cell_count(report, misses);
	poly_report_cell_ratio(report, (double)misses, (double)accesses, 3);
	report_mpki_cell(report, misses, instructions);
}

uint64_t
sum_kinds(const uint64_t *counts)
{
	uint64_t sum = 0;
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		sum += counts[kind];
	return sum;
}

void
report_access_cells(struct poly_report *report, const uint64_t *accesses,
	const uint64_t *misses, uint64_t instructions)
{
	const uint64_t sum = sum_kinds(accesses);
	poly_report_cell_count(report, sum);
	report_miss_cells(report, sum_kinds(misses), sum, instructions);
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		poly_report_cell_count(report, misses[kind]);
}

bool
has_mem_refs(const struct poly_trace_info *info)
{
	return POLY_HAS(info->columns, pc) ||
	       poly_columns_subset(POLY_COLUMNS(access, address), info->columns);
}
