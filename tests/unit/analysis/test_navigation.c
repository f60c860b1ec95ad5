/* SPDX-License-Identifier: MIT */
/* Tests def-use queries and states against replays of generated traces. */
#include "test_help.h"

#define RECORDS 3000
#define REGISTERS 12
#define MEMORY 96
#define BASE 0x1000

/* The effect of a record of the generated trace. */
struct effect {
	char kind; /* 'I'nstruction, 'R'egister, 'r'ead, 'w'rite */
	unsigned reg, offset, size;
	uint64_t value;
};

static struct effect effects[RECORDS + 1];
static struct buf trace;

static uint64_t
chance(uint64_t *seed, uint64_t of)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (*seed >> 33) % of;
}

/* Tracks memory, so that reads have the written values. */
static int
make_trace(void **state)
{
	static uint8_t memory[MEMORY];
	uint64_t seed = 11;
	(void)state;
	for (size_t n = 1; n <= RECORDS; n++) {
		struct effect *effect = &effects[n];
		effect->kind = "IRrw"[n == 1 ? 0 : chance(&seed, 4)];
		effect->size = 1u << chance(&seed, 4);
		effect->offset = (unsigned)chance(&seed, MEMORY - effect->size);
		effect->reg = (unsigned)chance(&seed, REGISTERS);
		effect->value = chance(&seed, 1ULL << 31);
		if (effect->kind == 'I') {
			buf_printf(&trace, "%zu clk IT (%zu) %08zx e1a00000 A svc_s : nop\n", n,
				n, 4 * n);
		} else if (effect->kind == 'R') {
			buf_printf(&trace, "%zu clk R r%u %08llx\n", n, effect->reg,
				(unsigned long long)effect->value);
		} else {
			for (unsigned i = 0; i < effect->size && effect->kind == 'w'; i++)
				memory[effect->offset + i] = (uint8_t)(effect->value >> 8 * i);
			effect->value = 0;
			for (unsigned i = effect->size; i-- > 0;)
				effect->value = effect->value << 8 | memory[effect->offset + i];
			buf_printf(&trace, "%zu clk M%c%u %08x %0*llx\n", n,
				effect->kind == 'r' ? 'R' : 'W', effect->size,
				BASE + effect->offset, (int)(2 * effect->size),
				(unsigned long long)effect->value);
		}
	}
	return 0;
}

static int
free_trace(void **state)
{
	(void)state;
	buf_free(&trace);
	return 0;
}

static struct poly_reader *
open_made(size_t batch_rows)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	reading.format = "tarmac";
	reading.batch_rows = batch_rows;
	if (poly_reader_open_memory(trace.data, trace.size, &reading, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

/* A report as CSV, which is freed. */
static struct buf
rendered(struct poly_report *report)
{
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct poly_error error;
	if (poly_report_render(report, POLY_RENDER_CSV, &sink, &error) != POLY_OK)
		fail_msg("%s", error.message);
	poly_report_free(report);
	return out;
}

/* The state of a trace at a record, as CSV; closes the reader. order: as the option has it. */
static struct buf
state_of(struct poly_reader *reader, uint64_t at, const char *order)
{
	char position[40], bytes[40];
	const char *const names[] = {"state", NULL}, *const words[] = {position, bytes, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_report *report = poly_report_new();
	const struct poly_batch *batch;
	struct poly_stats *stats;
	snprintf(position, sizeof position, "state.at=%llu", (unsigned long long)at);
	snprintf(bytes, sizeof bytes, "state.order=%s", order);
	options.analyses = names;
	options.options = words;
	assert_int_equal(poly_stats_new(&options, &stats, NULL), POLY_OK);
	assert_int_equal(poly_stats_begin(stats, poly_reader_info(reader), NULL), POLY_OK);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		if (poly_stats_update(stats, batch, NULL) != POLY_OK)
			break;
	}
	poly_reader_close(reader);
	poly_stats_report(stats, "state", report);
	poly_stats_free(stats);
	return rendered(report);
}

/* The same from the list of effects, without the section "state". */
static struct buf
replayed(uint64_t at)
{
	struct buf out = {0};
	uint64_t memory_record[MEMORY / 16] = {0}, record[REGISTERS] = {0}, value[REGISTERS];
	int memory[MEMORY];
	memset(memory, -1, sizeof memory);
	for (uint64_t n = 1; n <= at; n++) {
		const struct effect *effect = &effects[n];
		for (unsigned i = 0; i < effect->size && strchr("rw", effect->kind); i++) {
			memory[effect->offset + i] = effect->value >> 8 * i & 0xff;
			memory_record[(effect->offset + i) / 16] = n;
		}
		if (effect->kind == 'R') {
			record[effect->reg] = n;
			value[effect->reg] = effect->value;
		}
	}
	buf_string(&out, "table,context,register,value,record\n");
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (record[i])
			buf_printf(&out, "registers,,r%u,0x%08llx,%llu\n", i,
				(unsigned long long)value[i], (unsigned long long)record[i]);
	}
	buf_string(&out, "\ntable,address,bytes,record\n");
	for (unsigned block = 0; block < MEMORY / 16; block++) {
		if (!memory_record[block])
			continue;
		buf_printf(&out, "memory,0x%08x,", BASE + 16 * block);
		for (unsigned i = 0; i < 16; i++) {
			const int byte = memory[16 * block + i];
			if (byte < 0)
				buf_printf(&out, "%s..", i ? " " : "");
			else
				buf_printf(&out, "%s%02x", i ? " " : "", (unsigned)byte);
		}
		buf_printf(&out, ",%llu\n", (unsigned long long)memory_record[block]);
	}
	return out;
}

static void
the_state_at_a_record_equals_a_replay(void **state)
{
	static const uint64_t places[] = {
		1, 2, 3, 5, 8, 20, 63, 64, 65, 100, 1000, 2047, 2048, 2999, 3000, 9999};
	(void)state;
	for (size_t i = 0; i < 2 * sizeof places / sizeof *places; i++) {
		const uint64_t at = places[i / 2];
		struct buf ours = state_of(open_made(i % 2 ? 7 : 0), at, "auto");
		struct buf expected = replayed(at < RECORDS ? at : RECORDS);
		const char *tables = strstr(buf_text(&ours), "table,context");
		assert_non_null(tables);
		assert_string_equal(tables, buf_text(&expected));
		buf_free(&ours);
		buf_free(&expected);
	}
}

static void
bytes_are_reversed_in_the_other_byte_order(void **state)
{
	(void)state;
	buf_free(&trace);
	buf_string(&trace, "1 clk IT (1) 00001000 e1a00000 A svc_s : nop\n"
			   "1 clk MW4 00002001 11223344\n"
			   "1 clk MW2 00002002 xxxx\n");
	struct buf little = state_of(open_made(0), 2, "little");
	assert_non_null(strstr(buf_text(&little), ",.. 44 33 22 11 .. "));
	struct buf big = state_of(open_made(0), 2, "big");
	assert_non_null(strstr(buf_text(&big), ",.. 11 22 33 44 .. "));
	/* A write of unknown data invalidates its bytes. */
	struct buf later = state_of(open_made(0), 3, "little");
	assert_non_null(strstr(buf_text(&later), ",.. 44 .. .. 11 .. "));
	buf_free(&little);
	buf_free(&big);
	buf_free(&later);
	buf_free(&trace);
	assert_int_equal(make_trace(NULL), 0);
}

/* A def-use query. */
struct question {
	const char *reg; /* NULL: query the address */
	uint64_t address;
	bool is_reader; /* the first reader after record, else the last writer before it */
	uint64_t record;
};

/* Creates the analysis of a question. */
static struct poly_stats *
new_query(const struct question *question)
{
	static const char *const names[] = {"defuse", NULL};
	char what[40], bound[40];
	const char *const words[] = {what, bound, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *who;
	struct poly_error error;
	snprintf(what, sizeof what, "defuse.address=%llu",
		(unsigned long long)question->address);
	if (question->reg)
		snprintf(what, sizeof what, "defuse.register=%s", question->reg);
	snprintf(bound, sizeof bound, "defuse.%s=%llu",
		question->is_reader ? "after" : "before", (unsigned long long)question->record);
	options.analyses = names;
	options.options = words;
	if (poly_stats_new(&options, &who, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return who;
}

/* Returns the record that answers a question; 0: none. */
static uint64_t
run_query(struct poly_reader *reader, const struct question *question, uint64_t *instruction)
{
	struct poly_report *report = poly_report_new();
	const struct poly_batch *batch;
	struct poly_stats *who = new_query(question);
	struct poly_error error;
	if (poly_stats_begin(who, poly_reader_info(reader), &error) != POLY_OK)
		fail_msg("%s", error.message);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK &&
		poly_stats_update(who, batch, NULL) == POLY_OK)
		;
	poly_reader_close(reader);
	const bool found = poly_stats_finish(who, NULL) == POLY_OK;
	poly_stats_report(who, "defuse", report);
	struct buf csv = rendered(report);
	const char *record = strstr(buf_text(&csv), "answer,record,");
	const char *by = strstr(buf_text(&csv), "answer,instruction_record,");
	assert_int_equal(found, record != NULL);
	*instruction = by ? strtoull(by + strlen("answer,instruction_record,"), NULL, 10) : 0;
	const uint64_t number = record ? strtoull(record + 14, NULL, 10) : 0;
	buf_free(&csv);
	poly_stats_free(who);
	return number;
}

static bool
does(const struct effect *effect, const struct question *options)
{
	if (options->reg)
		return effect->kind == 'R' && effect->reg == (unsigned)atoi(options->reg + 1);
	return effect->kind == (options->is_reader ? 'r' : 'w') &&
	       options->address - BASE - effect->offset < effect->size;
}

/* Searches all records for the answer. */
static uint64_t
looked_for(const struct question *options)
{
	uint64_t found = 0;
	for (uint64_t n = 1; n <= RECORDS; n++) {
		const bool counts = options->is_reader ? n > options->record && !found
						       : n < options->record;
		if (counts && does(&effects[n], options))
			found = n;
	}
	return found;
}

static void
writers_and_readers_are_those_of_a_search(void **state)
{
	uint64_t seed = 3, instruction;
	unsigned found = 0;
	(void)state;
	for (int i = 0; i < 400; i++) {
		struct question options = {.record = UINT64_MAX};
		char name[8];
		snprintf(name, sizeof name, "%c%u", i % 2 ? 'R' : 'r',
			(unsigned)chance(&seed, REGISTERS + 1));
		options.record = chance(&seed, i % 8 ? RECORDS + 2 : 40);
		options.address = BASE + chance(&seed, MEMORY + 1);
		options.is_reader = i % 3 == 0;
		if (i % 3 == 1)
			options.reg = name;
		if (!sample_takes())
			continue;
		const uint64_t answer =
			run_query(open_made(i % 5 ? 0 : 9), &options, &instruction);
		assert_int_equal(answer, looked_for(&options));
		found += answer != 0;
		for (uint64_t n = answer; n > 0; n--) {
			if (effects[n].kind == 'I') {
				assert_int_equal(instruction, n);
				break;
			}
		}
	}
	assert_true(found > 250 || !sample_is_complete());
}

/* Values of r0 to r31 before each record of a FULL trace. */
#define FULL_MAX 4000
static uint64_t values[FULL_MAX + 2][32];
/* Instructions do not identify the registers that a system call or lswx writes. */
static bool
is_vague(uint64_t opcode)
{
	return opcode == 0x44000002 || (opcode >> 26 == 31 && (opcode >> 1 & 0x3ff) == 533);
}

static uint64_t opcodes[FULL_MAX + 2];

static struct poly_reader *
open_full(void)
{
	char path[500];
	const char *root = getenv("POLYTRACE_ROOT");
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	snprintf(path, sizeof path, "%s/tests/data/full/thread_001.full1008.gz",
		root ? root : ".");
	const enum poly_status status = poly_reader_open(path, &reading, &reader, NULL);
	if (status == POLY_ERR_UNSUPPORTED)
		skip();
	assert_int_equal(status, POLY_OK);
	return reader;
}

static uint64_t
read_values(void)
{
	struct poly_reader *reader = open_full();
	struct poly_powerpc_state registers;
	const struct poly_batch *batch;
	uint64_t count = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows && count < FULL_MAX; row++) {
			count++;
			assert_int_equal(
				poly_powerpc_state_decode(batch, row, &registers, NULL),
				POLY_OK);
			opcodes[count] = batch->opcode[row];
			memcpy(values[count], registers.gpr, sizeof values[count]);
		}
	}
	poly_reader_close(reader);
	return count;
}

/* The last instruction before the n-th one that changes a register; 0: none. */
static uint64_t
last_change(unsigned reg, uint64_t n)
{
	uint64_t changed = 0;
	for (uint64_t m = 1; m < n; m++) {
		if (values[m][reg] != values[m + 1][reg] && !is_vague(opcodes[m]))
			changed = m;
	}
	return changed;
}

static void
instructions_of_powerpc_write_where_values_change(void **state)
{
	uint64_t instruction;
	unsigned changes = 0;
	(void)state;
	const uint64_t count = read_values();
	assert_true(count > 50);
	for (unsigned reg = 0; reg < 32; reg++) {
		for (uint64_t n = 1; n <= count; n += 3) {
			struct question options = {.record = UINT64_MAX};
			char name[8];
			if (!sample_takes())
				continue;
			snprintf(name, sizeof name, "r%u", reg);
			options.reg = name;
			options.record = n;
			const uint64_t writer = run_query(open_full(), &options, &instruction);
			const uint64_t changed = last_change(reg, n);
			/* The old value can have been written again. */
			if (writer < changed || writer >= n)
				fail_msg("r%u before %llu: %llu, changed by %llu", reg,
					(unsigned long long)n, (unsigned long long)writer,
					(unsigned long long)changed);
			changes += changed && writer == changed;
		}
	}
	assert_true(changes > 50 || !sample_is_complete());
}

static void
a_query_that_the_trace_cannot_answer_is_refused(void **state)
{
	struct question options = {.record = UINT64_MAX};
	struct poly_reader *generated = open_made(0), *full = open_full();
	(void)state;
	options.reg = "r1";
	options.is_reader = true;
	struct poly_stats *who = new_query(&options);
	assert_int_equal(
		poly_stats_begin(who, poly_reader_info(generated), NULL), POLY_ERR_USAGE);
	poly_stats_free(who);
	options.reg = "x1";
	who = new_query(&options);
	assert_int_equal(poly_stats_begin(who, poly_reader_info(full), NULL), POLY_ERR_USAGE);
	poly_stats_free(who);
	poly_reader_close(generated);
	poly_reader_close(full);
}

/* A batch of a trace, and a query of it. */
struct query {
	struct poly_reader *reader;
	const struct poly_batch *batch;
	const char *analysis, *option, *output; /* output NULL: none */
};

static void
open_query(struct query *query, const char *format, const char *text)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	reading.format = format;
	assert_int_equal(
		poly_reader_open_memory(text, strlen(text), &reading, &query->reader, NULL),
		POLY_OK);
	assert_int_equal(poly_reader_next(query->reader, &query->batch, NULL), POLY_OK);
}

/* Finishes a query, prints its report and writes its output. */
static enum poly_status
print_query(struct poly_stats *stats, const struct query *query)
{
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	struct poly_report *report = poly_report_new();
	enum poly_status status = poly_stats_finish(stats, NULL);
	if (status >= 0 && !report)
		status = POLY_ERR_MEMORY;
	if (status >= 0) {
		poly_stats_report(stats, query->analysis, report);
		status = poly_report_render(report, POLY_RENDER_TEXT, &sink, NULL);
	}
	poly_report_free(report);
	if (status == POLY_OK && query->output)
		status = poly_stats_write(stats, query->analysis, query->output, &sink, NULL);
	return status;
}

static enum poly_status
answer_query(void *context)
{
	const struct query *query = context;
	const char *const names[] = {query->analysis, NULL}, *const words[] = {
								     query->option, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	options.analyses = names;
	options.options = words;
	enum poly_status status = poly_stats_new(&options, &stats, NULL);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, query->batch->info, NULL);
	if (status == POLY_OK)
		status = poly_stats_update(stats, query->batch, NULL);
	if (status >= 0)
		status = print_query(stats, query);
	poly_stats_free(stats);
	return status;
}

/* Writes the batch as a value change dump. */
static enum poly_status
dump(void *context)
{
	const struct query *query = context;
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	options.format = "vcd";
	enum poly_status status =
		poly_writer_open_sink(&sink, query->batch->info, &options, &writer, NULL);
	if (status == POLY_OK)
		status = poly_writer_write(writer, query->batch, NULL);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, NULL);
	poly_writer_close(writer);
	return status;
}

static enum poly_status
open_symbols(void *list)
{
	struct poly_symbols *symbols;
	const enum poly_status status =
		poly_symbols_open_memory(list, strlen(list), &symbols, NULL);
	if (status == POLY_OK)
		poly_symbols_free(symbols);
	return status;
}

static void
lack_of_memory_is_survived_everywhere(void **state)
{
	static const char *const queries[][3] = {{"state", "state.order=big"},
		{"defuse", "defuse.register=r1"}, {"calls", "calls.unreturned=merge", "folded"},
		{"calls", "calls.style=profile", "folded"}};
	char list[] = "1000 10 T f\n1010 T g\n";
	struct query query = {.output = NULL};
	(void)state;
	open_query(&query, "tarmac",
		"1 clk IT (1) 00001000 eb000002 A svc_s : bl\n1 clk R r1 00000001\n"
		"2 clk IT (2) 00001010 e12fff1e A svc_s : bx lr\n"
		"2 clk MW4 00002001 11223344\n1 clk R v1 11112222333344445555\n"
		"3 clk IT (3) 00001004 e12fff1e A svc_s : nop\n");
	law_memory(open_symbols, list);
	law_memory(dump, &query);
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		query.analysis = queries[i][0];
		query.option = queries[i][1];
		query.output = queries[i][2];
		law_memory(answer_query, &query);
	}
	poly_reader_close(query.reader);
}

/* The row looks its context up twice: the second time after the failure. */
static void
lack_of_memory_is_survived_by_an_instruction_with_an_access(void **state)
{
	struct query query = {.analysis = "defuse", .option = "defuse.address=0x2000"};
	(void)state;
	need_library("capstone");
	open_query(&query, "jsonl",
		"{\"kind\":\"instruction\",\"pc\":\"0x1000\",\"access\":\"write\","
		"\"address\":\"0x2000\"}\n");
	law_memory(answer_query, &query);
	poly_reader_close(query.reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_at_a_record_equals_a_replay),
		cmocka_unit_test(bytes_are_reversed_in_the_other_byte_order),
		cmocka_unit_test(writers_and_readers_are_those_of_a_search),
		cmocka_unit_test(instructions_of_powerpc_write_where_values_change),
		cmocka_unit_test(a_query_that_the_trace_cannot_answer_is_refused),
		cmocka_unit_test(lack_of_memory_is_survived_everywhere),
		cmocka_unit_test(lack_of_memory_is_survived_by_an_instruction_with_an_access),
	};
	return cmocka_run_group_tests(tests, make_trace, free_trace);
}
