/* SPDX-License-Identifier: MIT */
/* Numbers the operations and sites of rows. */
#include "analysis/facts/static_ops.h"

#include "analysis/core/analysis.h"
#include "analysis/facts/counters.h"
#include "analysis/facts/static_ops_facts.h"
#include "analysis/facts/column_stats.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "isa/flow.h"
#include "polytrace/disasm.h"

#include <string.h>

/* Kind of a key, in its uppermost bits. */
enum {
	KEY_SHIFT = 62,
	KEY_POWERPC = 0, /* a: opcode */
	KEY_CODED = 1,	 /* a: encoding; b: size, mode, instruction sets of trace and row */
	KEY_NAMED = 2,	 /* a: columns; b: mnemonic and micro-operation */
	KEY_TEXT = 3	 /* a: columns, length of the text; b: pc or mnemonic */
};

#define KEY_OF(kind, rest) ((uint64_t)(kind) << KEY_SHIFT | (rest))

/* A name in a key, of 30 bits; 0: none. */
#define KEY_NAME(number) (((uint64_t)(number) + 1) & 0x3fffffff)

/* In b of KEY_CODED: nine bits of the size, three of the mode, six of the set that describes
 * encodings (plus 1; 0: none), then the instruction set that the row names. */
enum {
	KEY_SIZE_MASK = 0x1ff,
	KEY_MODE_SHIFT = 9,
	KEY_SET_SHIFT = 12,
	KEY_CODED_MASK = 0x3ffff
};

/* Bytes of an opcode; a longer encoding is a name in its key. */
enum { OPCODE_MAX = 8 };

/* Bit positions of the columns in a. */
enum { AT_SRC1 = 0, AT_SRC2 = 9, AT_DEST = 18, AT_FLAGS = 27, AT_ACCESS = 30, AT_BRANCH = 34 };
enum { AT_SIZE = 35, AT_LENGTH = 44, AT_CLASS = 44, AT_FLOW = 48 };

#define STRIP 64

static bool
is_powerpc(const struct poly_trace_info *info)
{
	return info->isa && strcmp(info->isa, "powerpc") == 0;
}

/* Whether opcodes alone identify operations, so that no further column is needed. */
static bool
is_coded(const struct poly_trace_info *info)
{
	return is_powerpc(info) && POLY_HAS(info->columns, opcode);
}

/* Sets the control flow of the records that are named after branches; returns whether there are
 * any. */
static bool
find_record_flow(const struct poly_trace_info *info, uint8_t flow[UINT8_MAX + 1])
{
	unsigned all = 0;
	memset(flow, 0, UINT8_MAX + 1);
	for (unsigned i = 0; i < info->record_count && i <= UINT8_MAX; i++) {
		flow[i] = (uint8_t)flow_of_record(info->records[i]);
		all |= flow[i];
	}
	return all;
}

/* Forgets the last instructions. */
static void
forget_last(struct static_ops *ops)
{
	memset(ops->last, 0, sizeof ops->last);
	ops->has_forgotten = true;
}

/* Forgets the last instructions of the trace before; those before the first row of the first
 * trace are not known. */
static void
begin_last(struct static_ops *ops)
{
	if (ops->is_begun)
		forget_last(ops);
	for (size_t i = 0; !ops->is_begun && i < STATIC_OPS_CONTEXTS; i++)
		ops->last[i] = SITE_OPEN + 1;
	ops->is_begun = true;
}

void
static_ops_begin_trace(struct static_ops *ops, const struct poly_trace_info *info)
{
	row_isa_begin(&ops->isa, info);
	ops->is_powerpc = is_powerpc(info);
	ops->is_coded = is_coded(info);
	find_record_flow(info, ops->record_flow);
	if (ops->trace_sites)
		memset(ops->trace_sites, 0,
			ops->trace_site_capacity * sizeof *ops->trace_sites);
	begin_last(ops);
	for (size_t i = 0; i < STATIC_OPS_CACHE; i++)
		ops->cache[i].op = ops->coded[i].op = OP_NONE;
	pair_index_fini(&ops->trace_keys);
}

poly_columns
static_ops_columns(const struct poly_trace_info *info, unsigned shares)
{
	poly_columns columns =
		POLY_COLUMNS_INIT(kind, pc, opcode, opcode_size, instruction_set);
	uint8_t record_flow[UINT8_MAX + 1];
	if (!shares)
		return POLY_NO_COLUMNS;
	if (find_record_flow(info, record_flow))
		poly_columns_add(&columns, POLY_COLUMN_record);
	if (!is_coded(info))
		columns =
			poly_columns_union(columns, POLY_COLUMNS(mnemonic, uop_name, text, src1,
							    src2, dest, flags, branch, access));
	columns = poly_columns_union(columns, row_isa_columns(info));
	columns = poly_columns_common(columns, info->columns);
	if (shares & SHARES_SITES)
		poly_columns_add(&columns, POLY_COLUMN_site);
	return columns;
}

/* Adds the values of a column of bytes in the rows of a strip, plus 1, to their keys. */
static void
add_bytes(uint64_t *keys, const uint8_t *values, uint64_t present, unsigned shift)
{
	if (present == ~(uint64_t)0) {
		for (size_t i = 0; i < STRIP; i++)
			keys[i] |= ((uint64_t)values[i] + 1) << shift;
		return;
	}
	while (present) {
		const size_t i = row_bits_next(&present);
		keys[i] |= ((uint64_t)values[i] + 1) << shift;
	}
}

/* Sets the keys of a strip of rows from all columns but names. */
static void
strip_columns(const struct poly_batch *batch, size_t word, uint64_t keys[STRIP])
{
	const struct {
		const uint8_t *values;
		enum poly_column column;
		unsigned shift;
	} fields[] = {
		{batch->src1, POLY_COLUMN_src1, AT_SRC1},
		{batch->src2, POLY_COLUMN_src2, AT_SRC2},
		{batch->dest, POLY_COLUMN_dest, AT_DEST},
		{batch->flags, POLY_COLUMN_flags, AT_FLAGS},
		{batch->access, POLY_COLUMN_access, AT_ACCESS},
		{batch->opcode_size, POLY_COLUMN_opcode_size, AT_SIZE},
	};
	const uint64_t branches = row_bits_present(batch, POLY_COLUMN_branch, word);
	for (size_t i = 0; i < STRIP; i++)
		keys[i] = (branches >> i & 1) << AT_BRANCH;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (fields[i].values)
			add_bytes(keys, fields[i].values + STRIP * word,
				row_bits_present(batch, fields[i].column, word),
				fields[i].shift);
	}
}

/*
 * Sets *encoding to the number of the name of a row's encoding, of more bytes than an opcode;
 * 0: it has none, or its instruction set is not known. False: out of memory.
 */
static bool
name_encoding(
	struct static_ops *ops, const struct poly_batch *batch, size_t row, uint64_t *encoding)
{
	char digits[2 * UINT8_MAX];
	uint8_t room[OPCODE_MAX];
	size_t size;
	*encoding = 0;
	if (!ops->isa.names[ROW_ISA_OF_TRACE] || !batch->opcode_size ||
		batch->opcode_size[row] <= OPCODE_MAX)
		return true;
	const uint8_t *bytes = row_isa_encoding(batch, row, room, &size);
	if (!bytes)
		return true;
	num_hex_bytes(digits, bytes, size);
	const uint32_t number = intern_add(&ops->names, digits, 2 * size);
	*encoding = KEY_NAME(number);
	return number != INTERN_FAILED;
}

/* Returns the rest of the key of an encoding: its size, mode and, in the trace, the name of its
 * instruction set. */
static uint64_t
key_of_coded(const struct static_ops *ops, const struct poly_batch *batch, size_t row,
	uint64_t columns)
{
	const unsigned mode = row_isa_mode_of(&ops->isa, batch, row);
	uint64_t key = KEY_OF(KEY_CODED, columns >> AT_SIZE & KEY_SIZE_MASK);
	key |= (uint64_t)mode << KEY_MODE_SHIFT;
	key |= (uint64_t)ops->isa.numbers[mode] << KEY_SET_SHIFT;
	if (poly_present(batch, POLY_COLUMN_instruction_set, row))
		key |= KEY_NAME(batch->instruction_set[row]) << 30;
	return key;
}

/* Returns the key of a row in its trace; columns: from strip_columns; encoding: of
 * name_encoding. */
static struct static_op_key
row_key(const struct static_ops *ops, const struct poly_batch *batch, size_t row,
	uint64_t columns, uint64_t encoding)
{
	struct static_op_key key = {columns, KEY_OF(KEY_NAMED, 0)};
	if (encoding || poly_present(batch, POLY_COLUMN_opcode, row)) {
		key.a = encoding ? encoding : batch->opcode[row];
		key.b = ops->is_powerpc ? KEY_OF(KEY_POWERPC, 0)
					: key_of_coded(ops, batch, row, columns);
		return key;
	}
	/* Ignore columns that another analysis requested. */
	if (ops->is_coded) {
		key.a &= (uint64_t)0x1ff << AT_SIZE;
		return key;
	}
	if (poly_present(batch, POLY_COLUMN_mnemonic, row))
		key.b |= KEY_NAME(batch->mnemonic[row]);
	if (poly_present(batch, POLY_COLUMN_uop_name, row))
		key.b |= KEY_NAME(batch->uop_name[row]) << 30;
	if (key.b == KEY_OF(KEY_NAMED, 0) && poly_present(batch, POLY_COLUMN_text, row)) {
		key.a |= (uint64_t)batch->text[row].length << AT_LENGTH;
		key.b = KEY_OF(KEY_TEXT, 0);
		if (poly_present(batch, POLY_COLUMN_pc, row))
			key.b |= batch->pc[row] & (((uint64_t)1 << KEY_SHIFT) - 1);
	} else if (key.b == KEY_OF(KEY_NAMED, 0) && key.a >> AT_BRANCH & 1 &&
		   poly_present(batch, POLY_COLUMN_record, row)) {
		key.a |= (uint64_t)ops->record_flow[batch->record[row]] << AT_FLOW;
	}
	return key;
}

/* Interns a name; *field is its field of a key, 0: none. False: out of memory. */
static bool
intern_name(struct static_ops *ops, const char *name, const char **interned, uint64_t *field)
{
	*interned = NULL;
	*field = 0;
	if (!name || !*name)
		return true;
	const uint32_t number = intern_add(&ops->names, name, strlen(name));
	*interned = intern_text(&ops->names, number);
	*field = KEY_NAME(number);
	return number != INTERN_FAILED;
}

/* Returns the name of a row in a column, or NULL. */
static const char *
row_name(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	return poly_present(batch, column, row)
		       ? poly_trace_name(
				 batch->info, (uint32_t)poly_batch_integer(batch, column, row))
		       : NULL;
}

/* Describes the encoding of a row, in the mode of its key; length 0: not an instruction of a
 * known set. False: out of memory. */
static bool
describe_encoding(struct static_ops *ops, const struct poly_batch *batch, size_t row,
	const struct static_op_key *key, struct isa_instruction *instruction)
{
	const unsigned mode = key->b >> KEY_MODE_SHIFT & 7;
	uint8_t room[OPCODE_MAX];
	bool failed = false;
	size_t size;
	instruction->length = 0;
	if (key->b >> KEY_SHIFT != KEY_CODED)
		return true;
	struct isa_decoder *decoder =
		row_isa_decoder(&ops->isa, (enum row_isa_mode)mode, &failed);
	const uint8_t *bytes = row_isa_encoding(batch, row, room, &size);
	if (!decoder || !bytes || !isa_describe(decoder, bytes, size, instruction) ||
		instruction->length != size)
		instruction->length = 0;
	return !failed;
}

/* Derives the properties of a row without a PowerPC opcode, and its key over all traces; false:
 * out of memory. */
static bool
describe_row(struct static_ops *ops, const struct poly_batch *batch, size_t row,
	struct static_op *op, struct static_op_key *key)
{
	char word[MNEMONIC_SIZE] = "";
	const uint64_t kind = key->b >> KEY_SHIFT;
	const char *name = row_name(batch, POLY_COLUMN_mnemonic, row), *ignored;
	const char *text = name;
	size_t n = text ? strlen(text) : 0;
	uint64_t mnemonic, micro, set;
	struct isa_instruction instruction;
	if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		op->size = batch->opcode_size[row];
	if (ops->is_coded)
		return true;
	if (!describe_encoding(ops, batch, row, key, &instruction))
		return false;
	const bool is_known = instruction.length != 0;
	if (poly_present(batch, POLY_COLUMN_text, row))
		text = (const char *)poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
	if (text)
		static_op_from_text(op, text, n, kind == KEY_CODED ? key->a : 0, word);
	if (is_known)
		static_op_from_isa(op, &instruction);
	if (is_known && !*word)
		memcpy(word, instruction.mnemonic, sizeof word);
	if (!intern_name(ops, name ? name : word, &op->mnemonic, &mnemonic) ||
		!intern_name(ops, row_name(batch, POLY_COLUMN_uop_name, row), &op->micro_op,
			&micro) ||
		!intern_name(
			ops, row_name(batch, POLY_COLUMN_instruction_set, row), &ignored, &set))
		return false;
	if (kind == KEY_CODED) {
		/* The displacement is a property of the encoding; the target is not. */
		op->has_reach = is_known ? op->has_reach
					 : text && op->flow & ISA_JUMPS &&
						   !(op->flow & ISA_INDIRECT) &&
						   poly_present(batch, POLY_COLUMN_pc, row) &&
						   static_op_reach_of_text(
							   text, n, batch->pc[row], &op->reach);
		key->b = KEY_OF(KEY_CODED, (key->b & KEY_CODED_MASK) | set << 30);
		return true;
	}
	if (kind == KEY_NAMED)
		op->flow |= (uint8_t)(key->a >> AT_FLOW);
	static_op_from_columns(op, batch, row);
	if (kind == KEY_NAMED) {
		key->b = KEY_OF(KEY_NAMED, mnemonic | micro << 30);
		return true;
	}
	key->a &= ((uint64_t)1 << AT_LENGTH) - 1;
	key->a |= (uint64_t)op->class << AT_CLASS | (uint64_t)op->flow << AT_FLOW;
	key->b = KEY_OF(KEY_TEXT, mnemonic);
	return true;
}

/* Sets *number to the number of an operation by its key over all traces; false: out of memory.
 */
static bool
number_op(struct static_ops *ops, const struct static_op *op, const struct static_op_key *key,
	uint32_t *number)
{
	if (!VEC_ROOM(ops->list, ops->capacity, ops->count))
		return false;
	*number = pair_index_add(&ops->key_index, key->a, key->b, STATIC_OPS_MAX);
	if (*number == PAIR_INDEX_FAILED)
		return false;
	if (*number == ops->count)
		ops->list[ops->count++] = *op;
	return true;
}

/* Numbers the operation of a row without a PowerPC opcode whose key is new. */
static bool
add_op(struct static_ops *ops, const struct poly_batch *batch, size_t row,
	struct static_op_key key, uint32_t *number)
{
	struct static_op op = {0};
	return describe_row(ops, batch, row, &op, &key) && number_op(ops, &op, &key, number);
}

/* Numbers the operation of a PowerPC opcode. */
static bool
add_powerpc(struct static_ops *ops, struct static_op_key key, uint32_t *number)
{
	struct static_op op = {0};
	struct isa_instruction instruction;
	bool failed = false;
	uint64_t ignored;
	*number = pair_index_find(&ops->key_index, key.a, key.b);
	if (*number != PAIR_INDEX_FULL)
		return true;
	struct isa_decoder *decoder = row_isa_decoder(&ops->isa, ROW_ISA_OF_TRACE, &failed);
	if (!decoder)
		return false;
	isa_describe_opcode(decoder, (uint32_t)key.a, 4, &instruction);
	static_op_from_isa(&op, &instruction);
	return intern_name(ops, instruction.mnemonic, &op.mnemonic, &ignored) &&
	       number_op(ops, &op, &key, number);
}

/* Numbers the operation of a row whose key is not in the cache. */
static bool
find_op(struct static_ops *ops, const struct poly_batch *batch, size_t row,
	struct static_op_key key, uint32_t *number)
{
	if (key.b >> KEY_SHIFT == KEY_POWERPC)
		return add_powerpc(ops, key, number);
	const uint32_t old_count = ops->trace_keys.count;
	if (!VEC_ROOM(ops->trace_ops, ops->trace_op_capacity, old_count))
		return false;
	const uint32_t known = pair_index_add(&ops->trace_keys, key.a, key.b, STATIC_OPS_MAX);
	if (known == PAIR_INDEX_FAILED)
		return false;
	if (known < old_count) {
		*number = ops->trace_ops[known];
		return true;
	}
	const bool ok = add_op(ops, batch, row, key, number);
	if (known != PAIR_INDEX_FULL)
		ops->trace_ops[known] = *number;
	return ok;
}

/* Returns the cache entry of a key. */
static struct static_op_cached *
cache_entry(struct static_ops *ops, const struct static_op_key *key)
{
	const uint64_t mixed = (key->a ^ key->b * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	return &ops->cache[mixed >> 52 & (STATIC_OPS_CACHE - 1)];
}

/* Numbers the operation of a row; false: out of memory. */
static bool
row_op(struct static_ops *ops, const struct poly_batch *batch, size_t row, uint64_t columns,
	uint32_t *number)
{
	uint64_t encoding;
	if (!name_encoding(ops, batch, row, &encoding))
		return false;
	const struct static_op_key key = row_key(ops, batch, row, columns, encoding);
	struct static_op_cached *cached = cache_entry(ops, &key);
	if (cached->op != OP_NONE && cached->key.a == key.a && cached->key.b == key.b) {
		*number = cached->op;
		return true;
	}
	if (!find_op(ops, batch, row, key, number))
		return false;
	*cached = (struct static_op_cached){key, *number};
	return true;
}

/* The rows of a word that are instructions. */
static uint64_t
instructions(const struct poly_batch *batch, size_t word)
{
	const uint64_t present = row_bits_present(batch, POLY_COLUMN_kind, word);
	const size_t rows = batch->rows - STRIP * word;
	return present ? present & row_bits_equal(batch->kind + STRIP * word,
					   rows < STRIP ? rows : STRIP, POLY_KIND_INSTRUCTION)
		       : 0;
}

/* Numbers the operations of the given rows of a word, which have PowerPC opcodes. */
static bool
fill_powerpc(struct static_ops *ops, const struct poly_batch *batch, size_t word, uint64_t rows,
	uint32_t *op)
{
	const uint64_t *opcodes = batch->opcode + STRIP * word;
	while (rows) {
		const size_t i = row_bits_next(&rows);
		const uint32_t opcode = (uint32_t)opcodes[i];
		/* 2^32 divided by the golden ratio: Fibonacci hashing */
		struct static_op_coded *entry =
			&ops->coded[opcode * 0x9e3779b1u >> 20 & (STATIC_OPS_CACHE - 1)];
		if (entry->op != OP_NONE && entry->opcode == opcodes[i]) {
			op[i] = entry->op;
			continue;
		}
		if (!find_op(ops, batch, STRIP * word + i,
			    (struct static_op_key){opcodes[i], KEY_OF(KEY_POWERPC, 0)}, &op[i]))
			return false;
		*entry = (struct static_op_coded){
			opcode, opcodes[i] == opcode ? op[i] : OP_NONE};
	}
	return true;
}

/* Numbers the operations of the given rows of a word. */
static bool
fill_ops(struct static_ops *ops, const struct poly_batch *batch, size_t word, uint64_t rows,
	uint32_t *op)
{
	uint64_t columns[STRIP];
	bool ok = true;
	if (rows && ops->is_powerpc &&
		!(rows & ~row_bits_present(batch, POLY_COLUMN_opcode, word)))
		return fill_powerpc(ops, batch, word, rows, op);
	strip_columns(batch, word, columns);
	while (rows && ok) {
		const size_t i = row_bits_next(&rows);
		ok = row_op(ops, batch, STRIP * word + i, columns[i], &op[i]);
	}
	return ok;
}

/* Adds the site of a row, whose number in the trace is from; false: out of memory. */
static bool
add_site(struct static_ops *ops, const struct poly_batch *batch, size_t row, uint32_t from,
	uint32_t op)
{
	const bool coded = poly_present(batch, POLY_COLUMN_opcode, row);
	const uint64_t pc = batch->pc[row];
	if (!VEC_ROOM(ops->sites, ops->site_capacity, ops->site_count) ||
		!VEC_ROOM_ZEROED(ops->trace_sites, ops->trace_site_capacity, from))
		return false;
	const uint32_t number = pair_index_add(
		&ops->site_index, pc, coded ? batch->opcode[row] : 0, STATIC_SITES_MAX);
	if (number == PAIR_INDEX_FAILED)
		return false;
	ops->trace_sites[from] = number + 1;
	if (number == PAIR_INDEX_FULL || number < ops->site_count)
		return true;
	ops->sites[ops->site_count++] = (struct static_site){.pc = pc,
		.op = op,
		.size = poly_present(batch, POLY_COLUMN_opcode_size, row)
				? batch->opcode_size[row]
				: static_op_at(ops, op)->size};
	return true;
}

/* Numbers the site of a row with operation op; OP_NONE: the row does not have one. */
static bool
row_site(struct static_ops *ops, const struct poly_batch *batch, size_t row, uint32_t op,
	uint32_t *site)
{
	*site = OP_NONE;
	if (!poly_present(batch, POLY_COLUMN_site, row) ||
		!poly_present(batch, POLY_COLUMN_pc, row))
		return true;
	const uint32_t from = batch->site[row];
	if (from >= STATIC_SITES_MAX)
		return true;
	if (from >= ops->trace_site_capacity || !ops->trace_sites[from]) {
		if (!add_site(ops, batch, row, from, op))
			return false;
	}
	*site = ops->trace_sites[from] - 1;
	return true;
}

/* Numbers the sites of the rows of a word; instructions: those that are instructions. */
static bool
fill_sites(struct static_ops *ops, const struct poly_batch *batch, size_t word,
	const struct static_ops_rows *rows, uint64_t instructions)
{
	const size_t first = STRIP * word;
	const size_t end = batch->rows - first < STRIP ? batch->rows : first + STRIP;
	const uint64_t *weights = poly_batch_weights(batch);
	bool ok = true;
	for (size_t row = first; row < end && ok; row++) {
		uint32_t *last =
			&ops->last[rows->context ? rows->context[row] : rows->sole_context];
		if (instructions >> (row - first) & 1) {
			ok = row_site(ops, batch, row, rows->op[row], &rows->site[row]);
			*last = rows->site[row] + 1;
		} else if (!weights && poly_present(batch, POLY_COLUMN_kind, row) &&
			   (batch->kind[row] == POLY_KIND_ACCESS ||
				   batch->kind[row] == POLY_KIND_REGISTER)) {
			rows->site[row] = *last - 1;
		}
	}
	return ok;
}

/*
 * Numbers the sites, and from them the operations, of a word if all its rows are instructions
 * with a known site and an opcode; false: some are not.
 */
static bool
fill_known(struct static_ops *ops, const struct poly_batch *batch, size_t word,
	const struct static_ops_rows *rows)
{
	const size_t first = STRIP * word;
	const uint64_t all = ~(uint64_t)0;
	if (!ops->is_powerpc || batch->rows - first < STRIP || !rows->site ||
		row_bits_present(batch, POLY_COLUMN_site, word) != all ||
		row_bits_present(batch, POLY_COLUMN_opcode, word) != all)
		return false;
	for (size_t i = 0; i < STRIP; i++) {
		const uint32_t from = batch->site[first + i];
		const uint32_t site =
			from < ops->trace_site_capacity ? ops->trace_sites[from] - 1 : OP_NONE;
		if (site == OP_NONE || ops->sites[site].op == OP_NONE)
			return false;
		rows->site[first + i] = site;
		rows->op[first + i] = ops->sites[site].op;
	}
	for (size_t i = rows->context ? 0 : STRIP - 1; i < STRIP; i++)
		ops->last[rows->context ? rows->context[first + i] : rows->sole_context] =
			rows->site[first + i] + 1;
	return true;
}

bool
static_ops_number_rows(struct static_ops *ops, const struct poly_batch *batch,
	const struct static_ops_rows *rows)
{
	struct static_ops_rows output = *rows;
	bool ok = true;
	if (!output.op)
		output.op = ops->spare;
	for (size_t row = 0; row < batch->rows; row++)
		output.op[row] = OP_NONE;
	for (size_t row = 0; output.site && row < batch->rows; row++)
		output.site[row] = OP_NONE;
	for (size_t word = 0; word < row_bits_words(batch) && ok; word++) {
		const uint64_t found = instructions(batch, word);
		if (found == ~(uint64_t)0 && fill_known(ops, batch, word, &output))
			continue;
		ok = fill_ops(ops, batch, word, found, output.op + STRIP * word);
		if (ok && output.site)
			ok = fill_sites(ops, batch, word, &output, found);
	}
	/* Weighted rows do not identify the last record. */
	if (poly_batch_weights(batch))
		forget_last(ops);
	return ok;
}

/* Remaps the name of an encoding. */
static bool
remap_encoding(struct static_ops *into, const struct static_ops *from, uint64_t *encoding)
{
	const char *digits = intern_text(&from->names, (uint32_t)*encoding - 1);
	const uint32_t number = digits ? intern_add(&into->names, digits, strlen(digits)) : 0;
	*encoding = KEY_NAME(number);
	return number != INTERN_FAILED;
}

/* Remaps the names of an operation and of its key to those of into. */
static bool
remap_op(struct static_ops *into, const struct static_ops *from, struct static_op *op,
	struct static_op_key *key)
{
	const uint64_t kind = key->b >> KEY_SHIFT, mask = 0x3fffffff;
	const char *ignored;
	uint64_t mnemonic, micro, set;
	const uint32_t number = (uint32_t)(key->b >> 30 & mask) - 1;
	if (kind == KEY_CODED && (key->b & KEY_SIZE_MASK) > OPCODE_MAX + 1 &&
		!remap_encoding(into, from, &key->a))
		return false;
	if (!intern_name(into, op->mnemonic, &op->mnemonic, &mnemonic) ||
		!intern_name(into, op->micro_op, &op->micro_op, &micro) ||
		!intern_name(into, kind == KEY_CODED ? intern_text(&from->names, number) : NULL,
			&ignored, &set))
		return false;
	if (kind == KEY_CODED)
		key->b = KEY_OF(KEY_CODED, (key->b & KEY_CODED_MASK) | set << 30);
	else if (kind != KEY_POWERPC)
		key->b = KEY_OF(kind, mnemonic | micro << 30);
	return true;
}

bool
static_ops_merge(
	struct static_ops *into, const struct static_ops *from, uint32_t *op, uint32_t *site)
{
	for (uint32_t i = 0; i < from->count; i++) {
		struct static_op static_op = from->list[i];
		struct static_op_key key = {
			from->key_index.list[i].a, from->key_index.list[i].b};
		if (!remap_op(into, from, &static_op, &key) ||
			!number_op(into, &static_op, &key, &op[i]))
			return false;
	}
	for (uint32_t i = 0; i < from->site_count; i++) {
		if (!VEC_ROOM(into->sites, into->site_capacity, into->site_count))
			return false;
		site[i] = pair_index_add(&into->site_index, from->site_index.list[i].a,
			from->site_index.list[i].b, STATIC_SITES_MAX);
		if (site[i] == PAIR_INDEX_FAILED)
			return false;
		if (site[i] != into->site_count)
			continue;
		struct static_site static_site = from->sites[i];
		static_site.op = static_site.op == OP_NONE ? OP_NONE : op[static_site.op];
		into->sites[into->site_count++] = static_site;
	}
	return true;
}

void
static_ops_merge_last(struct static_ops *into, const struct static_ops *from,
	const struct analysis_numbers *numbers)
{
	if (!from->is_begun)
		return;
	if (!into->is_begun)
		begin_last(into);
	if (!numbers->continues || from->has_forgotten)
		forget_last(into);
	for (uint16_t i = 0; i < STATIC_OPS_CONTEXTS && numbers->context_count > i; i++) {
		const uint32_t last = from->last[i];
		if (last && last != SITE_OPEN + 1)
			into->last[numbers->contexts[i]] = numbers->sites[last - 1] + 1;
		else if (!last)
			into->last[numbers->contexts[i]] = 0;
	}
}

const struct static_op *
static_op_at(const struct static_ops *ops, uint32_t op)
{
	static const struct static_op unknown = {0};
	return op < ops->count ? &ops->list[op] : &unknown;
}

const char *
static_op_set(const struct static_ops *ops, uint32_t op)
{
	const uint64_t key = op < ops->count ? ops->key_index.list[op].b : KEY_OF(KEY_TEXT, 0);
	const unsigned number = key >> KEY_SET_SHIFT & 63;
	if (key >> KEY_SHIFT == KEY_POWERPC)
		return "powerpc";
	return key >> KEY_SHIFT == KEY_CODED && number ? poly_isa_at(number - 1) : NULL;
}

const char *
op_class_name(enum op_class cls)
{
	static const char *const names[OP_CLASS_COUNT] = {"unknown", "integer", "float",
		"vector", "load", "store", "branch", "cache", "system", "atomic"};
	return names[cls];
}

void
static_ops_fini(struct static_ops *ops)
{
	pair_index_fini(&ops->key_index);
	pair_index_fini(&ops->site_index);
	pair_index_fini(&ops->trace_keys);
	mem_free(ops->trace_ops);
	intern_free(&ops->names);
	row_isa_fini(&ops->isa);
	mem_free(ops->list);
	mem_free(ops->sites);
	mem_free(ops->trace_sites);
	memset(ops, 0, sizeof *ops);
}
