/* SPDX-License-Identifier: MIT */
/* Symbols against lists written by hand, a loop over random ones, and this very program. */
#include "test_help.h"

static struct poly_symbols *
open_list(const char *text)
{
	struct poly_symbols *symbols;
	struct poly_error error;
	if (poly_symbols_open_memory(text, strlen(text), &symbols, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return symbols;
}

static void
assert_name(const struct poly_symbols *symbols, uint64_t address, const char *name)
{
	const struct poly_symbol *symbol = poly_symbols_find(symbols, address);
	if (!name)
		assert_null(symbol);
	else if (!symbol)
		fail_msg("nothing at 0x%llx", (unsigned long long)address);
	else
		assert_string_equal(symbol->name, name);
}

static void
lines_of_every_form_are_parsed(void **state)
{
	(void)state;
	struct poly_symbols *symbols = open_list("# a remark\n"
						 "                 U printf\n"
						 "\n"
						 "0000000000001000 T start\n"
						 "00001040 00000010 t helper\r\n"
						 "0x1100 plain\n"
						 "00001200 W std::vector<int, a>::at(int)\n"
						 "00001300 t of_module\t[module]\n"
						 "00000000 A absolute\n"
						 "00002000 D table");
	const struct poly_symbol *symbol = poly_symbols_named(symbols, "helper", 6);
	assert_non_null(symbol);
	assert_int_equal(symbol->address, 0x1040);
	assert_int_equal(symbol->size, 16);
	assert_true(symbol->is_code);
	assert_false(poly_symbols_named(symbols, "table", 5)->is_code);
	assert_name(symbols, 0xfff, NULL);
	assert_name(symbols, 0x1000, "start");
	assert_name(symbols, 0x103f, "start");
	assert_name(symbols, 0x104f, "helper");
	assert_name(symbols, 0x1050, NULL);
	assert_name(symbols, 0x11ff, "plain");
	assert_name(symbols, 0x12ff, "std::vector<int, a>::at(int)");
	assert_name(symbols, 0x1300, "of_module");
	assert_name(symbols, 0x2fff, "table");
	assert_name(symbols, 0x3000, NULL);
	assert_null(poly_symbols_named(symbols, "absolute", 8));
	assert_null(poly_symbols_named(symbols, "star", 4));
	assert_null(poly_symbols_named(symbols, "start1", 6));
	poly_symbols_free(symbols);
}

static void
mapping_symbols_of_arm_are_not_symbols(void **state)
{
	(void)state;
	struct poly_symbols *symbols =
		open_list("8000 t $x.0\n8000 T f\n8004 t $d\n8008 t $dollar\n");
	assert_name(symbols, 0x8004, "f");
	assert_name(symbols, 0x8008, "$dollar");
	assert_null(poly_symbols_at(symbols, 2));
	poly_symbols_free(symbols);
}

static void
a_label_inside_a_function_has_a_name_alone(void **state)
{
	(void)state;
	struct poly_symbols *symbols = open_list("1000 100 T f\n1010 t label\n1100 T g\n");
	assert_name(symbols, 0x1010, "f");
	assert_name(symbols, 0x10ff, "f");
	assert_name(symbols, 0x1100, "g");
	assert_int_equal(poly_symbols_named(symbols, "label", 5)->size, 0);
	poly_symbols_free(symbols);
}

static void
nothing_reaches_beyond_the_last_address(void **state)
{
	(void)state;
	struct poly_symbols *symbols =
		open_list("fffffffffffffff0 100 T last\nfffffffffffffffe T end\n0 1 T first\n");
	assert_int_equal(poly_symbols_named(symbols, "last", 4)->size, 16);
	assert_name(symbols, UINT64_MAX, "last");
	assert_name(symbols, 0, "first");
	assert_name(symbols, 1, NULL);
	poly_symbols_free(symbols);
}

static void
the_better_of_equal_symbols_is_found(void **state)
{
	(void)state;
	struct poly_symbols *symbols = open_list("10 4 t x\n10 4 T _x\n10 4 D data\n"
						 "20 t same\n30 T same\n40 T same\n");
	assert_name(symbols, 0x12, "_x");
	assert_int_equal(poly_symbols_named(symbols, "same", 4)->address, 0x30);
	poly_symbols_free(symbols);
}

static void
an_invalid_list_is_rejected_with_its_line(void **state)
{
	struct poly_symbols *symbols;
	struct poly_error error;
	(void)state;
	const char *text = "1000 T f\nthe end\n";
	assert_int_equal(poly_symbols_open_memory(text, strlen(text), &symbols, &error),
		POLY_ERR_FORMAT);
	assert_null(symbols);
	assert_int_equal(error.line, 2);
	assert_int_equal(error.offset, 9);
	assert_int_equal(poly_symbols_open_memory("\n", 1, &symbols, &error), POLY_ERR_FORMAT);
	assert_int_equal(poly_symbols_open_memory("12345678901234567 f", 19, &symbols, &error),
		POLY_ERR_FORMAT);
	assert_int_equal(
		poly_symbols_open_memory("1 clk IT", 8, &symbols, &error), POLY_ERR_FORMAT);
	assert_int_equal(poly_symbols_open("no/such/file", &symbols, &error), POLY_ERR_IO);
}

#define COUNT 300

struct range {
	uint64_t address, size;
};

static uint64_t
chance(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 33;
}

/* Of the ranges that hold an address the one that begins last; -1: none. */
static int
brute_force(const struct range *ranges, uint64_t address)
{
	int best = -1;
	for (int i = 0; i < COUNT; i++) {
		if (address - ranges[i].address < ranges[i].size &&
			(best < 0 || ranges[i].address > ranges[best].address))
			best = i;
	}
	return best;
}

static void
overlapping_symbols_are_found_as_by_a_loop(void **state)
{
	static struct range ranges[COUNT];
	static char text[COUNT * 40];
	uint64_t seed = 4;
	(void)state;
	for (int round = 0; round < 20; round++) {
		size_t used = 0;
		for (int i = 0; i < COUNT; i++) {
			ranges[i].address = (uint64_t)i * 16 + chance(&seed) % 16;
			ranges[i].size = 1 + chance(&seed) % (i % 17 ? 24 : 900);
		}
		for (int i = 0; i < COUNT; i++) {
			/* In an order of their own. */
			const int j = i * 7 % COUNT;
			used += (size_t)sprintf(text + used, "%llx %llx T s%d\n",
				(unsigned long long)ranges[j].address,
				(unsigned long long)ranges[j].size, j);
		}
		struct poly_symbols *symbols = open_list(text);
		for (uint64_t address = 0; address < COUNT * 16 + 1000; address++) {
			char name[16];
			const int found = brute_force(ranges, address);
			snprintf(name, sizeof name, "s%d", found);
			assert_name(symbols, address, found < 0 ? NULL : name);
		}
		for (int i = 0; i < COUNT; i++) {
			char name[16];
			const int n = snprintf(name, sizeof name, "s%d", i);
			const struct poly_symbol *symbol =
				poly_symbols_named(symbols, name, (size_t)n);
			assert_non_null(symbol);
			assert_int_equal(symbol->address, ranges[i].address);
		}
		poly_symbols_free(symbols);
	}
}

/* Something of this program with a known address. */
int a_global_number = 7;

int main(void);

static void
this_program_has_its_own_symbols(void **state)
{
	struct poly_symbols *symbols;
	struct poly_error error;
	(void)state;
	const enum poly_status status = poly_symbols_open("/proc/self/exe", &symbols, &error);
	if (status == POLY_ERR_UNSUPPORTED || status == POLY_ERR_IO)
		skip();
	assert_int_equal(status, POLY_OK);
	const struct poly_symbol *main_symbol = poly_symbols_named(symbols, "main", 4);
	const struct poly_symbol *number = poly_symbols_named(symbols, "a_global_number", 15);
	assert_non_null(main_symbol);
	assert_non_null(number);
	assert_true(main_symbol->is_code);
	assert_false(number->is_code);
	/* Sanitizers add padding. */
	assert_true(number->size >= sizeof a_global_number);
	assert_int_equal(number->address - main_symbol->address,
		(uintptr_t)&a_global_number - (uintptr_t)main);
	assert_ptr_equal(poly_symbols_find(symbols, main_symbol->address + 1), main_symbol);
	poly_symbols_free(symbols);
}

static void
a_corrupt_elf_file_is_handled(void **state)
{
	struct poly_symbols *symbols;
	struct poly_error error;
	(void)state;
	FILE *file = fopen("/proc/self/exe", "rb");
	if (!file)
		skip();
	/* Headers with tables beyond the end, or corrupt headers. */
	static uint8_t whole[1 << 16];
	uint8_t *part = malloc(sizeof whole);
	uint64_t seed = 1;
	const size_t size = fread(whole, 1, sizeof whole, file);
	fclose(file);
	for (int i = 0; i < 400; i++) {
		const size_t n = i < 200 ? (size_t)i : size;
		memcpy(part, whole, n);
		for (int k = 0; i >= 200 && k < 3; k++)
			part[chance(&seed) % 128] = (uint8_t)chance(&seed);
		memcpy(part, whole, n < 4 ? n : 4);
		uint8_t *exact = malloc(n ? n : 1);
		memcpy(exact, part, n);
		if (poly_symbols_open_memory(exact, n, &symbols, &error) == POLY_OK)
			poly_symbols_free(symbols);
		free(exact);
	}
	free(part);
}

/* The names of a list, for expressions. */
static bool
find_name(void *user, const char *name, size_t length, uint64_t *first, uint64_t *last)
{
	const struct poly_symbol *symbol = poly_symbols_named(user, name, length);
	if (symbol) {
		*first = symbol->address;
		*last = symbol->address + (symbol->size ? symbol->size - 1 : 0);
	}
	return symbol != NULL;
}

/* The pcs of a trace for which an expression holds. */
static void
assert_chosen(const char *expression, const char *expected)
{
	struct poly_symbols *symbols =
		open_list("1000 10 T f\n1010 8 T read\n1018 8 T foo.part.0\n");
	const struct poly_filter_names names = {find_name, symbols};
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_filter *filter;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	char pcs[200] = "";
	const char *trace = "fff read\n1000 read\n100f write\n1010 read\n1017 write\n"
			    "1018 read\n101f read\n1020 write\n";
	if (poly_filter_new_named(expression, &names, &filter, &error) != POLY_OK)
		fail_msg("%s", error.message);
	reading.format = "text:pc:hex,access:read=read|write=write";
	assert_int_equal(
		poly_reader_open_memory(trace, strlen(trace), &reading, &reader, &error),
		POLY_OK);
	if (poly_filter_bind(filter, poly_reader_info(reader), &error) != POLY_OK)
		fail_msg("%s", error.message);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		const struct poly_batch *chosen = poly_filter_apply(filter, batch, &error);
		for (size_t row = 0; row < chosen->rows; row++)
			sprintf(pcs + strlen(pcs), "%llx ",
				(unsigned long long)chosen->pc[row]);
	}
	assert_string_equal(pcs, expected);
	poly_reader_close(reader);
	poly_filter_free(filter);
	poly_symbols_free(symbols);
}

static void
expressions_know_symbols(void **state)
{
	(void)state;
	assert_chosen("pc == f", "1000 ");
	assert_chosen("f == pc", "1000 ");
	assert_chosen("pc in f", "1000 100f ");
	assert_chosen("pc not in f", "fff 1010 1017 1018 101f 1020 ");
	assert_chosen("pc in -f..0x2000", "fff 1000 100f 1010 1017 1018 101f 1020 ");
	assert_chosen("pc in {f, read}", "1000 100f 1010 1017 ");
	assert_chosen("pc in f..read", "1000 100f 1010 ");
	assert_chosen("pc - f < 16 and pc >= f", "1000 100f ");
	assert_chosen("pc in 'foo.part.0'", "1018 101f ");
	assert_chosen("pc >= 'foo.part.0' + 7", "101f 1020 ");
	/* A word that is a value of its column stays one. */
	assert_chosen("access == read and pc in read", "1010 ");
}

static void
an_unknown_symbol_is_rejected(void **state)
{
	struct poly_filter *filter;
	struct poly_error error;
	struct poly_symbols *symbols = open_list("1000 10 T f\n");
	const struct poly_filter_names names = {find_name, symbols};
	(void)state;
	assert_int_equal(
		poly_filter_new_named("pc < g", &names, &filter, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_filter_new_named("f", &names, &filter, &error), POLY_ERR_USAGE);
	assert_int_equal(poly_filter_new("pc < f", &filter, &error), POLY_ERR_USAGE);
	poly_symbols_free(symbols);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_every_form_are_parsed),
		cmocka_unit_test(mapping_symbols_of_arm_are_not_symbols),
		cmocka_unit_test(a_label_inside_a_function_has_a_name_alone),
		cmocka_unit_test(nothing_reaches_beyond_the_last_address),
		cmocka_unit_test(the_better_of_equal_symbols_is_found),
		cmocka_unit_test(an_invalid_list_is_rejected_with_its_line),
		cmocka_unit_test(overlapping_symbols_are_found_as_by_a_loop),
		cmocka_unit_test(this_program_has_its_own_symbols),
		cmocka_unit_test(a_corrupt_elf_file_is_handled),
		cmocka_unit_test(expressions_know_symbols),
		cmocka_unit_test(an_unknown_symbol_is_rejected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
