/* SPDX-License-Identifier: MIT */
/* Parses the options of a comparison. spec: QEMU4V / MicroTESK and ARM Tarmac text traces 6 */
#include "correlate/diff/rules.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "isa/isa.h"
#include "model/columns.h"

#include <string.h>

/* Significant bytes of a register's name. */
#define NAME_MAX 64

/* Columns of instructions compared by default if both traces have them. */
#define DEFAULT_FIELDS                                                                         \
	next_pc, branch, target, fallthrough, mnemonic, uop_name, src1, src2, dest, uop_index, \
		immediate, flags, executed, payload

/* Columns of the steps of traces without instructions. */
#define RECORD_FIELDS event, byte_enables, hook, subhook

/* Columns that name registers. */
#define REGISTERS reg, src1, src2, dest

/* Columns of the records of a step. */
#define EFFECTS access, address, size, value, reg, sync

/* Columns that are not fields: compared otherwise, or never. */
#define NO_FIELDS EFFECTS, kind, record, pc, opcode, raw, verbatim, origin, site

/* Columns that are never compared. */
#define NEVER record, raw, verbatim, origin, site

struct option_word {
	const char *text;
	size_t length;
};

typedef enum poly_status parse_fn(
	struct diff_rules *rules, const struct option_word *word, struct poly_error *error);

static bool
word_is(const struct option_word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

static enum poly_status
word_error(const struct option_word *word, const char *expected, struct poly_error *error)
{
	return err_usage(error, "unknown word '%.*s' (expected %s)",
		(int)(word->length < 60 ? word->length : 60), word->text, expected);
}

/*
 * Folds the name of a register to the same for every format, n the length of dst: lower case,
 * and a bank as in r13_usr also for r13 (usr) and r13(usr). Returns the length.
 */
static size_t
fold_name(char *dst, size_t n, const char *name, size_t length)
{
	size_t used = 0;
	for (size_t i = 0; i < length && used < n; i++) {
		const char c = name[i];
		const bool opens =
			c == '(' || (c == ' ' && i + 1 < length && name[i + 1] == '(');
		i += opens && c == ' ';
		if (opens)
			dst[used++] = '_';
		else if (c != ')')
			dst[used++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
	}
	return used;
}

/* Returns the index of a word in a NULL-terminated list; -1: not found. */
static int
find_word(const struct option_word *word, const char *const *list)
{
	for (int i = 0; list[i]; i++) {
		if (word_is(word, list[i]))
			return i;
	}
	return -1;
}

/* Returns the number of a register's name, in lower case, and makes room for it in roots;
 * INTERN_FAILED. */
static uint32_t
register_number(struct diff_rules *rules, const char *name, size_t length)
{
	char folded[NAME_MAX];
	length = fold_name(folded, sizeof folded, name, length);
	uint32_t number = intern_add(&rules->registers, folded, length);
	if (number == INTERN_FAILED || number < rules->known)
		return number;
	uint32_t room = number + 64;
	uint32_t *roots = mem_resize(rules->roots, room, sizeof *roots);
	if (roots)
		rules->roots = roots;
	uint8_t *without = roots ? mem_resize(rules->without, room, 1) : NULL;
	if (!without)
		return INTERN_FAILED;
	rules->without = without;
	for (uint32_t i = rules->known; i < room; i++) {
		roots[i] = i;
		without[i] = 0;
	}
	rules->known = room;
	return number;
}

/* Returns the number that a register is an alias of. */
static uint32_t
root_of(const struct diff_rules *rules, uint32_t number)
{
	while (rules->roots[number] != number)
		number = rules->roots[number];
	return number;
}

uint32_t
rules_register(struct diff_rules *rules, const char *name)
{
	const size_t length = strlen(name), whole = strcspn(name, "<");
	uint32_t number = register_number(rules, name, length);
	if (number != INTERN_FAILED && rules->ignore & IGNORE_CONTROL &&
		isa_is_control_register(rules->isa, name))
		rules->without[root_of(rules, number)] = 1;
	if (number == INTERN_FAILED || whole == length || !whole)
		return number == INTERN_FAILED ? number : root_of(rules, number);
	/* A part, V0<127:64>, is ignored with its register. */
	const uint32_t parent = register_number(rules, name, whole);
	if (parent == INTERN_FAILED)
		return parent;
	number = root_of(rules, number);
	rules->without[number] |= rules->without[root_of(rules, parent)];
	return number;
}

bool
rules_ignore_register(const struct diff_rules *rules, uint32_t number)
{
	return rules->without[number];
}

bool
rules_ignore_address(const struct diff_rules *rules, uint64_t address)
{
	for (size_t i = 0; i < rules->range_count; i++) {
		if (address >= rules->ranges[i].first && address <= rules->ranges[i].last)
			return true;
	}
	return false;
}

static enum poly_status
join_registers(struct diff_rules *rules, const struct option_word *a,
	const struct option_word *b, struct poly_error *error)
{
	uint32_t from = register_number(rules, a->text, a->length);
	uint32_t target = register_number(rules, b->text, b->length);
	if (from == INTERN_FAILED || target == INTERN_FAILED)
		return err_memory(error);
	rules->roots[root_of(rules, from)] = root_of(rules, target);
	return POLY_OK;
}

/* Register names of the calling conventions, by prefix and number. */
static const struct {
	const char *set, *prefix, *names;
} conventions[] = {
	{"arm", "r", "10 sl 11 fp 12 ip 13 sp 14 lr 15 pc"},
	{"mips", "r",
		"0 zero 1 at 2 v0 3 v1 4 a0 5 a1 6 a2 7 a3 8 t0 9 t1 10 t2 11 t3 12 t4 13 t5 "
		"14 t6 15 t7 16 s0 17 s1 18 s2 19 s3 20 s4 21 s5 22 s6 23 s7 24 t8 25 t9 26 k0 "
		"27 k1 28 gp 29 sp 30 fp 30 s8 31 ra"},
	{"mips", "$",
		"0 zero 1 at 2 v0 3 v1 4 a0 5 a1 6 a2 7 a3 8 t0 9 t1 10 t2 11 t3 12 t4 13 t5 "
		"14 t6 15 t7 16 s0 17 s1 18 s2 19 s3 20 s4 21 s5 22 s6 23 s7 24 t8 25 t9 26 k0 "
		"27 k1 28 gp 29 sp 30 fp 31 ra"},
	{"riscv", "x",
		"0 zero 1 ra 2 sp 3 gp 4 tp 5 t0 6 t1 7 t2 8 s0 8 fp 9 s1 10 a0 11 a1 12 a2 "
		"13 a3 14 a4 15 a5 16 a6 17 a7 18 s2 19 s3 20 s4 21 s5 22 s6 23 s7 24 s8 25 s9 "
		"26 s10 27 s11 28 t3 29 t4 30 t5 31 t6"},
};

/* Adds the aliases of a convention: number, name, number, name. */
static enum poly_status
join_convention(struct diff_rules *rules, const char *prefix, const char *names,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	while (*names && status == POLY_OK) {
		char numbered[8];
		size_t first = strlen(prefix), digits = strcspn(names, " ");
		memcpy(numbered, prefix, first);
		memcpy(numbered + first, names, digits);
		names += digits + 1;
		const struct option_word a = {numbered, first + digits},
					 b = {names, strcspn(names, " ")};
		names += b.length + (names[b.length] != 0);
		status = join_registers(rules, &a, &b, error);
	}
	return status;
}

static enum poly_status
parse_alias(struct diff_rules *rules, const struct option_word *word, struct poly_error *error)
{
	const char *equals = memchr(word->text, '=', word->length);
	if (equals && equals > word->text && equals + 1 < word->text + word->length) {
		const struct option_word a = {word->text, (size_t)(equals - word->text)};
		const struct option_word b = {equals + 1, word->length - a.length - 1};
		return join_registers(rules, &a, &b, error);
	}
	bool known = false;
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++) {
		if (status != POLY_OK || !word_is(word, conventions[i].set))
			continue;
		known = true;
		status = join_convention(
			rules, conventions[i].prefix, conventions[i].names, error);
	}
	return known ? status : word_error(word, "NAME=NAME, 'arm', 'mips' or 'riscv'", error);
}

static enum poly_status
parse_tolerance(
	struct diff_rules *rules, const struct option_word *word, struct poly_error *error)
{
	static const char *const words[] = {"redundant-writes", "repeated-writes",
		"split-accesses", "unknown-values", "skipped", "repeated-reads", NULL};
	int bit = find_word(word, words);
	if (bit < 0)
		return word_error(word,
			"'redundant-writes', 'repeated-writes', 'repeated-reads', "
			"'split-accesses', 'unknown-values' or 'skipped'",
			error);
	rules->tolerate |= 1u << bit;
	return POLY_OK;
}

static enum poly_status
parse_also(struct diff_rules *rules, const struct option_word *word, struct poly_error *error)
{
	enum poly_column column = poly_column_find(word->text, word->length);
	if (column == POLY_COLUMN_COUNT)
		return word_error(word, "a column of polytrace-columns(5)", error);
	if (poly_columns_has(POLY_COLUMNS(NEVER), column))
		return err_usage(error,
			"column '%s' cannot be compared: it describes the file, not the "
			"execution",
			poly_column_name(column));
	if (!poly_columns_has(POLY_COLUMNS(NO_FIELDS), column))
		poly_columns_add(&rules->also, column);
	return POLY_OK;
}

static enum poly_status
parse_range(struct diff_rules *rules, const struct option_word *word, struct poly_error *error)
{
	struct address_range range;
	size_t n = 0;
	while (n + 1 < word->length && memcmp(word->text + n, "..", 2) != 0)
		n++;
	if (n + 2 > word->length || !num_parse(word->text, n, &range.first) ||
		!num_parse(word->text + n + 2, word->length - n - 2, &range.last) ||
		range.first > range.last)
		return word_error(word,
			"a column, 'reg:NAME', 'registers', 'csrs', 'counters', 'memory', "
			"'sync', "
			"'tail', a direction of accesses, or addresses 'LO..HI'",
			error);
	struct address_range *ranges =
		mem_resize(rules->ranges, rules->range_count + 1, sizeof *ranges);
	if (!ranges)
		return err_memory(error);
	rules->ranges = ranges;
	ranges[rules->range_count++] = range;
	return POLY_OK;
}

static enum poly_status
parse_ignored(
	struct diff_rules *rules, const struct option_word *word, struct poly_error *error)
{
	static const char *const words[] = {
		"registers", "memory", "sync", "tail", "csrs", "counters", NULL};
	int bit = find_word(word, words);
	if (bit >= 0) {
		rules->ignore |= 1u << bit;
		return POLY_OK;
	}
	int access = poly_enum_find(POLY_FORM_ACCESS, word->text, word->length);
	if (access >= 0) {
		rules->accesses |= 1u << access;
		return POLY_OK;
	}
	if (word->length > 4 && memcmp(word->text, "reg:", 4) == 0) {
		uint32_t number = register_number(rules, word->text + 4, word->length - 4);
		if (number == INTERN_FAILED)
			return err_memory(error);
		rules->without[root_of(rules, number)] = 1;
		return POLY_OK;
	}
	enum poly_column column = poly_column_find(word->text, word->length);
	if (column == POLY_COLUMN_COUNT)
		return parse_range(rules, word, error);
	if (column == POLY_COLUMN_kind || column == POLY_COLUMN_pc)
		return err_usage(error,
			"column '%s' cannot be ignored: the traces are aligned by it",
			poly_column_name(column));
	poly_columns_add(&rules->ignored, column);
	return POLY_OK;
}

/* Parses each word of a list of texts. */
static enum poly_status
parse_words(struct diff_rules *rules, const char *const *texts, parse_fn *parse_option,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (; texts && *texts; texts++) {
		const char *text = *texts;
		while (status == POLY_OK) {
			const struct option_word word = {text, strcspn(text, ",")};
			status = parse_option(rules, &word, error);
			text += word.length;
			if (!*text++)
				break;
		}
	}
	return status;
}

static enum poly_status
check_number(const char *name, unsigned long value, const unsigned long limits[2],
	struct poly_error *error)
{
	if (value >= limits[0] && value <= limits[1])
		return POLY_OK;
	return err_usage(error, "options.%s is out of range (found %lu, expected %lu to %lu)",
		name, value, limits[0], limits[1]);
}

static enum poly_status
check_numbers(const struct poly_diff_options *options, struct poly_error *error)
{
	if (options->size == 0)
		return err_usage(error, "options of size 0: not initialized");
	const unsigned long windows[2] = {1, POLY_DIFF_WINDOW_MAX},
			    resyncs[2] = {0, POLY_DIFF_RESYNC_MAX},
			    contexts[2] = {0, POLY_DIFF_CONTEXT_MAX};
	enum poly_status status = check_number("window", options->window, windows, error);
	if (status == POLY_OK)
		status = check_number("resync", options->resync, resyncs, error);
	if (status == POLY_OK)
		status = check_number("context", options->context, contexts, error);
	return status;
}

enum poly_status
rules_parse(struct diff_rules *rules, const struct poly_diff_options *provided,
	struct poly_error *error)
{
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	memcpy(&options, provided,
		provided->size < sizeof options ? provided->size : sizeof options);
	options.size = provided->size;
	enum poly_status status = check_numbers(&options, error);
	rules->window = options.window;
	rules->resync = options.resync;
	rules->context = options.context;
	rules->ordered = options.ordered;
	rules->each_cpu = options.each_cpu;
	/* Aliases first: ignoring a register applies to all of its names. */
	if (status == POLY_OK)
		status = parse_words(rules, options.aliases, parse_alias, error);
	if (status == POLY_OK)
		status = parse_words(rules, options.ignore, parse_ignored, error);
	if (status == POLY_OK)
		status = parse_words(rules, options.also, parse_also, error);
	if (status == POLY_OK)
		status = parse_words(rules, options.tolerate, parse_tolerance, error);
	return status;
}

poly_columns
rules_default_columns(const struct diff_rules *rules, const struct poly_trace_info *info)
{
	poly_columns defaults = POLY_COLUMNS_INIT(pc, opcode, DEFAULT_FIELDS, EFFECTS);
	if (rules->records)
		defaults = poly_columns_union(defaults, POLY_COLUMNS(RECORD_FIELDS));
	if (rules->ignore & IGNORE_REGISTERS)
		defaults = poly_columns_minus(defaults, POLY_COLUMNS(REGISTERS));
	if (rules->ignore & IGNORE_MEMORY)
		defaults = poly_columns_minus(defaults, POLY_COLUMNS(access, address, size));
	if (rules->ignore & IGNORE_SYNC)
		defaults = poly_columns_minus(defaults, POLY_COLUMNS(sync));
	defaults =
		poly_columns_minus(poly_columns_union(defaults, rules->also), rules->ignored);
	return poly_columns_common(info->columns, defaults);
}

/* Determines the numbered registers that are not compared; false: out of memory. */
static bool
ignore_numbers(struct diff_rules *rules)
{
	for (unsigned i = 0; i <= UINT8_MAX; i++) {
		char name[8] = "";
		num_decimal(name, i);
		const uint32_t number = rules_register(rules, name);
		if (number == INTERN_FAILED)
			return false;
		rules->number_ignored[i] = rules_ignore_register(rules, number);
	}
	return true;
}

/* Ignores what the program of a trace does not record, in words of the option ignore. */
static enum poly_status
ignore_unrecorded(
	struct diff_rules *rules, const struct poly_trace_info *info, struct poly_error *error)
{
	const char *const texts[] = {poly_trace_fact(info, "unrecorded"), NULL};
	/* Words of newer versions, or of other programs, are not faults of the options. */
	return parse_words(rules, texts, parse_ignored, error) == POLY_ERR_MEMORY
		       ? POLY_ERR_MEMORY
		       : POLY_OK;
}

/* Returns whether traces of one format are of different dialects, whose records differ in what
 * they state. */
static bool
dialects_differ(const struct poly_trace_info *a, const struct poly_trace_info *b)
{
	const char *one = poly_trace_fact(a, "dialect"), *other = poly_trace_fact(b, "dialect");
	return one && other && strcmp(one, other) != 0;
}

/* Lists the columns of an instruction compared besides pc and opcode. */
static void
list_fields(struct diff_rules *rules)
{
	FOR_COLUMNS(column, poly_columns_minus(rules->compared, POLY_COLUMNS(NO_FIELDS)))
	{
		if (rules->field_count < FIELDS_MAX)
			rules->fields[rules->field_count++] = column;
	}
}

/* Returns whether encodings may exceed the column opcode: they are in the payload. */
static bool
has_long_encodings(const struct poly_trace_info *info)
{
	return isa_length_max(info->isa) > sizeof(uint64_t);
}

enum poly_status
rules_resolve(struct diff_rules *rules, const struct poly_trace_info *const infos[2],
	struct poly_error *error)
{
	const struct poly_trace_info *a = infos[0], *b = infos[1];
	bool has[2] = {POLY_HAS(a->columns, pc), POLY_HAS(b->columns, pc)};
	if (has[0] != has[1])
		return err_usage(error,
			"the %s trace has no instructions, but the other one has",
			has[0] ? "second" : "first");
	if (a->isa && b->isa && strcmp(a->isa, b->isa) != 0)
		return err_usage(error, "instruction sets differ (%s and %s)", a->isa, b->isa);
	rules->records = !has[0];
	rules->skips_synthetic =
		POLY_HAS(a->columns, synthetic) != POLY_HAS(b->columns, synthetic);
	rules->isa = a->isa ? a->isa : b->isa;
	for (unsigned side = 0; side < 2; side++) {
		const enum poly_status status = ignore_unrecorded(rules, infos[side], error);
		if (status != POLY_OK)
			return status;
	}
	rules->lenient = (rules->tolerate & TOLERATE_UNKNOWN) || dialects_differ(a, b) ||
			 strcmp(a->raw_format ? a->raw_format : a->format,
				 b->raw_format ? b->raw_format : b->format) != 0;
	rules->compared = poly_columns_common(
		rules_default_columns(rules, a), rules_default_columns(rules, b));
	/* The payload of one of them has encodings, that of the other one other bytes. */
	if (has_long_encodings(a) != has_long_encodings(b))
		poly_columns_remove(&rules->compared, POLY_COLUMN_payload);
	list_fields(rules);
	return ignore_numbers(rules) ? POLY_OK : err_memory(error);
}

void
rules_free(struct diff_rules *rules)
{
	mem_free(rules->ranges);
	mem_free(rules->roots);
	mem_free(rules->without);
	intern_free(&rules->registers);
	intern_free(&rules->names);
}
