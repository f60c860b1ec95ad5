/* SPDX-License-Identifier: MIT */
/*
 * Tarmac traces: every known form with hand-written fields, and published traces compared with
 * the dump of another reader.
 */
#include "trace_help.h"

#include <ctype.h>

static void
expect_shown(const char *text, const char *option, const char *columns, const char *expected)
{
	expect_shown_of("tarmac", text, option, columns, expected);
}

static void
times_have_units_and_fractions(void **state)
{
	(void)state;
	expect_shown("12 clk R r0 00000001\n", NULL, "record time", "register 12\n");
	expect_shown("541481 ns R r0 00000001\n", NULL, "record time", "register 541481\n");
	expect_shown("271ns R r0 00000001\n", NULL, "record time", "register 271\n");
	/* A tick is a picosecond if the first time has such a fraction. */
	expect_shown("10.356000us R r0 00000001\n11.000001us R r0 00000001\n", NULL,
		"record time", "register 10356000\nregister 11000001\n");
	expect_shown("2.5 clk R r0 00000001\n3 clk R r0 00000001\n", NULL, "time", "25\n30\n");
	expect_shown("1 cyc R r0 01\n2 tic R r0 01\n", NULL, "time", "1\nnull\n");
	expect_shown("7 R r0 00000001\n8 MR4 00001000 00000001\n", NULL, "record time",
		"register 7\nmemory 8\n");
}

static void
indented_lines_inherit_the_time_of_the_previous_line(void **state)
{
	(void)state;
	expect_shown("5 clk IT (1) 00001000 e1a00000 A svc_s : nop\n"
		     "      R r0 00000001\n"
		     "# comment\n"
		     "\tMR4 00001000 00000001\n"
		     "R r1 00000002\n"
		     "  R r2 00000003\n",
		NULL, "record time",
		"instruction 5\nregister 5\ncomment null\nmemory 5\nregister null\n"
		"register null\n");
}

static void
one_clock_counts_all_physical_times(void **state)
{
	(void)state;
	const char *text = "354ns R r0 01\n10.356000us R r0 01\n0.5ns R r0 01\n1 clk R r0 01\n";
	expect_shown(text, NULL, "time", "354\n10356\nnull\nnull\n");
	expect_shown(text, "tarmac.unit=ps", "time", "354000\n10356000\n500\nnull\n");
	expect_shown("99999999999999999999 ns R r0 01\n", NULL, "time", "null\n");
	expect_shown("9999999999999999999 us R r0 01\n", "tarmac.unit=fs", "time", "null\n");
}

static void
a_unit_that_is_not_a_time_is_not_converted(void **state)
{
	(void)state;
	static const char text[] = "1 clk R r0 01\n";
	const char *words[] = {"tarmac.unit=ns", NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	options.format = "tarmac";
	options.options = words;
	assert_int_equal(poly_reader_open_memory(text, strlen(text), &options, &reader, &error),
		POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"the trace's times are in 'clk', which cannot be converted to 'ns'");
}

static void
every_record_may_name_its_processor(void **state)
{
	(void)state;
	expect_shown("Tarmac Text Rev 3t\n"
		     "1 clk cpu1 IT (1) 00001000 e1a00000 A svc_s : nop\n"
		     "1 clk cpu1 R r0 00000001\n"
		     "2 clk cluster0.cpu1 R r0 00000001\n"
		     "2 clk Cluster1.CPU0 E 1 2 CoreEvent\n"
		     "3 clk 7 MW4 00001000 00000001\n"
		     "4 clk cluster0.cpu1 SIGNAL: x\n",
		NULL, "record cpu cpu_name",
		"comment null null\ninstruction 1 cpu1\nregister 1 cpu1\n"
		"register 2 cluster0.cpu1\nevent 3 Cluster1.CPU0\nmemory 7 null\n"
		"text 2 cluster0.cpu1\n");
}

/* Only traces with an early name are read by one thread, which numbers the names. */
static void
late_names_have_no_number(void **state)
{
	(void)state;
	struct buf text = {0}, expected = {0};
	for (unsigned i = 0; i < 300; i++) {
		buf_string(&text, "1 clk cpu1 R r0 00000001\n");
		buf_string(&expected, "1 cpu1\n");
	}
	buf_string(&text, "1 clk cluster0.cpu1 R r0 00000001\n");
	buf_string(&expected, "null cluster0.cpu1\n");
	expect_shown(buf_text(&text), NULL, "cpu cpu_name", buf_text(&expected));
	buf_free(&text);
	buf_free(&expected);
}

static void
instructions_have_many_forms(void **state)
{
	(void)state;
	expect_shown("1 clk IT (12) 00008000 e1a00000 A svc_s : nop\n"
		     "1 clk IS (13) 00008004 e1a00000 T32 EL3h_s : nop\n"
		     "1 clk IF (0000f00c:1f) 00008008 490d T16 thread : nop\n"
		     "1 clk IT (0000800c) 490d X hyp_n : nop\n"
		     "1 clk IT (0000800e:20) 490e T svc_s : nop\n"
		     "1 clk (14) 00008010 e1a00000 O usr_ns : nop\n",
		NULL,
		"executed instruction_id pc opcode opcode_size instruction_set mode security",
		"true 12 0x8000 0xe1a00000 4 A svc s\nfalse 13 0x8004 0xe1a00000 4 T32 EL3h s\n"
		"null 31 0x8008 0x490d 2 T16 thread null\n"
		"true null 0x800c 0x490d 2 X hyp n\ntrue 32 0x800e 0x490e 2 T svc s\n"
		"null 14 0x8010 0xe1a00000 4 O usr ns\n");
}

static void
addresses_have_translations(void **state)
{
	(void)state;
	expect_shown("1 clk IT (1) 8000:00000000c000 e1a00000 A svc_s : nop\n"
		     "1 clk IT (1) 8000:00000000c000_NS e1a00000 A svc_s : nop\n"
		     "1 clk IT (1) 8ffe:00000000cffe,00000000d000_S f04f0b00 T svc_s : nop\n"
		     "1 clk MR4 9000:00000000a000_NS 00000001\n",
		NULL, "pc real_pc address real_address",
		"0x8000 0xc000 null null\n0x8000 0xc000 null null\n"
		"0x8ffe 0xcffe null null\nnull null 0x9000 0xa000\n");
}

static void
modes_and_colons_are_optional(void **state)
{
	(void)state;
	expect_shown("1 clk IT (1) 00008000 e1a00000 A ---_- : nop\n"
		     "1 clk IT (1) 00008000 e1a00000 A : a : b\n"
		     "1 clk IT (1) 00008000 e1a00000 : nop\n"
		     "354ns IT 00000350 490d        LDR      r1,[pc,#52]  ; [0x388]\n"
		     "1 clk IT 00000350 490d T16 LDR r1\n"
		     "1 clk IT 00000350 490d\n"
		     "1 clk IT (1) 00008000 e1a00000 A svc_s :\n",
		NULL, "pc opcode instruction_set mode security text",
		"0x8000 0xe1a00000 A --- - nop\n0x8000 0xe1a00000 A null null a : b\n"
		"0x8000 0xe1a00000 null null null nop\n"
		"0x350 0x490d null null null LDR      r1,[pc,#52]  ; [0x388]\n"
		"0x350 0x490d T16 null null LDR r1\n0x350 0x490d null null null \n"
		"0x8000 0xe1a00000 A svc s \n");
}

static void
execution_summaries_are_instructions(void **state)
{
	(void)state;
	expect_shown("1 clk ES (00008000:e3a00000) A svc_s: MOV r0,#0\n"
		     "2 clk ES  (00008004:4770)  T usr_ns:  CCFAIL BXEQ lr\n"
		     "3 clk ES (00008008:--------) A svc_s: UNKNOWN\n"
		     "4 clk IT (4) 0000800c -------- O EL3h_s : UNKNOWN\n",
		NULL, "record executed pc opcode opcode_size instruction_set mode text",
		"instruction true 0x8000 0xe3a00000 4 A svc MOV r0,#0\n"
		"instruction false 0x8004 0x4770 2 T usr BXEQ lr\n"
		"instruction true 0x8008 null 4 A svc UNKNOWN\n"
		"instruction true 0x800c null 4 O EL3h UNKNOWN\n");
}

static void
exceptions_and_branches_are_records(void **state)
{
	(void)state;
	expect_shown("1 clk ES EXC [0x00] Reset\n2 clk EXC [0x18] IRQ\n3 clk ES Reset\n"
		     "4 clk BR (00008000) A\n5 clk FD (6) 80000004 80000010 A\n",
		NULL, "kind record time text pc target instruction_id instruction_set",
		"event exception 1 [0x00] Reset null null null null\n"
		"event exception 2 [0x18] IRQ null null null null\n"
		"event exception 3 Reset null null null null\n"
		"other branch 4 null null 0x8000 null A\n"
		"other flow 5 null 0x80000004 0x80000010 6 A\n");
}

static void
registers_have_banks_parts_and_notes(void **state)
{
	(void)state;
	expect_shown("1 clk R r13 (usr) 20000000\n1 clk R SCTLR (AARCH32) 00c50838\n"
		     "1 clk R V0<127:64> 0011223344556677\n1 clk R f0<31..0> 3f800000\n"
		     "1 clk R r13 20000000 (MSP)\n1 clk R cpsr 600001d3 __C_\n"
		     "1 clk R cpsr 600001d3 -Z--\n1 clk R cpsr 00000000600001d3\n",
		NULL, "reg size value",
		"r13 (usr) 4 0x20000000\nSCTLR (AARCH32) 4 0xc50838\n"
		"V0<127:64> 8 0x11223344556677\nf0<31..0> 4 0x3f800000\nr13 4 0x20000000\n"
		"cpsr 4 0x600001d3\ncpsr 4 0x600001d3\ncpsr 8 0x600001d3\n");
}

static void
values_have_separators_and_unknown_digits(void **state)
{
	(void)state;
	expect_shown("1 clk R X0 00000000_0000002a\n1 clk R X0 00000000:0000002a\n"
		     "1 clk R X0 00000000 0000002a\n1 clk R r0 0000000x\n1 clk R r0 XXXXXXXX\n"
		     "1 clk R r0 --------\n1 clk R X0 0000000- 00000001\n",
		NULL, "size value", "8 0x2a\n8 0x2a\n8 0x2a\n4 null\n4 null\n4 null\n8 null\n");
	expect_shown("1 clk R V0 00112233_44556677:8899aabb ccddeeff\n"
		     "1 clk R V1 00112233445566778899aabbccddeeff\n",
		NULL, "size value payload",
		"16 null 00112233445566778899aabbccddeeff\n"
		"16 null 00112233445566778899aabbccddeeff\n");
}

static void
a_vector_of_2048_bits_is_stored(void **state)
{
	(void)state;
	struct buf text = {0}, expected = {0};
	buf_string(&text, "1 clk R Z31 ");
	buf_string(&expected, "256 ");
	for (unsigned i = 0; i < 256; i++) {
		buf_printf(&text, "%s%02x", i && i % 4 == 0 ? "_" : "", i);
		buf_printf(&expected, "%02x", i);
	}
	buf_byte(&text, '\n');
	struct poly_reader *reader = open_bytes(&text, "tarmac", NULL, false);
	const struct poly_batch *batch;
	size_t n;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	const uint8_t *payload = poly_batch_bytes(batch, POLY_COLUMN_payload, 0, &n);
	assert_int_equal(batch->size[0], 256);
	assert_int_equal(n, 256);
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(payload[i], i);
	poly_reader_close(reader);
	buf_free(&text);
	buf_free(&expected);
}

static void
system_operations_are_not_registers(void **state)
{
	(void)state;
	expect_shown("1 clk R DC CIVAC:00008000\n1 clk R IC IALLU\n1 clk R TLBI ALLE3 0\n"
		     "1 clk R AT S1E1R 8000\n",
		NULL, "record reg text",
		"operation null DC CIVAC:00008000\noperation null IC IALLU\n"
		"operation null TLBI ALLE3 0\noperation null AT S1E1R 8000\n");
}

static void
accesses_have_many_forms(void **state)
{
	(void)state;
	expect_shown("1 clk MR4 00001000 00000001\n1 clk MW8 00001000 00000000_0000002a\n"
		     "1 clk MR4X 00001000 00000001\n1 clk MW4 X 00001000 00000001\n"
		     "1 clk R08 00001000 0011223344556677\n1 clk W04 X 00001000 00112233\n"
		     "1 clk MR16 00001000 0011223344556677 8899aabbccddeeff\n"
		     "1 clk MW16 00001000 00112233445566778899aabbccddeeff\n",
		NULL, "record access size access_attributes address value payload",
		"memory read 4 null 0x1000 0x1 null\nmemory write 8 null 0x1000 0x2a null\n"
		"memory read 4 X 0x1000 0x1 null\nmemory write 4 X 0x1000 0x1 null\n"
		"memory read 8 null 0x1000 0x11223344556677 null\n"
		"memory write 4 X 0x1000 0x112233 null\n"
		"memory read 16 null 0x1000 null 00112233445566778899aabbccddeeff\n"
		"memory write 16 null 0x1000 null 00112233445566778899aabbccddeeff\n");
}

static void
accesses_of_the_bus_have_their_letters(void **state)
{
	(void)state;
	expect_shown(
		"1 clk MSW4___D 00001000 01020304\n1 clk MNR4O__I 00008000 e28f8090\n"
		"1 clk MNR4O__A 00001000 00000001\n1 clk MR2_I 0000010a b5100000\n"
		"1 clk MR4_D 00000000 00204800\n1 clk MNW4____ (00008000:1f) 2000 00000001\n"
		"MNR4O___ 00008000 E28F8090\n",
		NULL, "access size access_attributes pc instruction_id value",
		"write 4 S___D null null 0x4030201\nfetch 4 NO__I null null 0xe28f8090\n"
		"read 4 NO__A null null 0x1\nfetch 2 _I null null 0xb5100000\n"
		"read 4 _D null null 0x204800\nwrite 4 N____ 0x8000 31 0x1\n"
		"read 4 NO___ null null 0xe28f8090\n");
}

static void
accesses_may_fail_and_data_may_be_unknown(void **state)
{
	(void)state;
	expect_shown("1 clk MR4 00001000 (ABORTED)\n1 clk MW4 00001000 (wait)\n"
		     "1 clk MR4 00001000 xxxxxxxx\n"
		     "1 clk MCW4___R (00008000:1f) TRANSFER 0000002a\n",
		NULL, "kind record access size text value",
		"access memory read 4 (ABORTED) null\naccess memory write 4 (wait) null\n"
		"access memory read 4 null null\nother coprocessor null 4 null 0x2a\n");
}

static void
a_memory_dump_has_an_access_per_run_of_bytes(void **state)
{
	(void)state;
	expect_shown("10 clk LD 00010000 ........ ........ ..665544 33..1100\n"
		     "         00010010 ffeeddcc bbaa9988 77665544 33221100\n"
		     "10 clk ST 00010020 ........ ........ ........ ..##..0a note\n"
		     "10 clk ST 00010030 ........ ........ ........ ........\n",
		NULL, "kind record time access address size value payload text",
		"access picture 10 read 0x10000 2 0x1100 null null\n"
		"access picture 10 read 0x10003 4 0x66554433 null null\n"
		"access picture 10 read 0x10010 16 null ffeeddccbbaa99887766554433221100 "
		"null\n"
		"access picture 10 write 0x10020 1 0xa null note\n"
		"access picture 10 write 0x10022 1 null null null\n"
		"access picture 10 null 0x10030 null null null null\n");
}

/* The rows of a memory dump do not depend on the batch size, and its line is written once. */
static void
memory_dumps_are_read_in_batches_of_one_row(void **state)
{
	(void)state;
	static const char text[] =
		"1 clk cpu3 LD 00010000 ..aa..bb ..cc..dd ..ee..ff ..00..11\n"
		"              00010010 ..aa..bb ..cc..dd ..ee..ff ..00..11\n";
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "tarmac";
	for (options.batch_rows = 1; options.batch_rows < 20; options.batch_rows++) {
		struct poly_reader *reader;
		assert_int_equal(
			poly_reader_open_memory(text, strlen(text), &options, &reader, NULL),
			POLY_OK);
		struct buf rows = show_rows(reader, "cpu address value");
		assert_string_equal(buf_text(&rows),
			"3 0x10000 0x11\n3 0x10002 0x0\n3 0x10004 0xff\n3 0x10006 0xee\n"
			"3 0x10008 0xdd\n3 0x1000a 0xcc\n3 0x1000c 0xbb\n3 0x1000e 0xaa\n"
			"3 0x10010 0x11\n3 0x10012 0x0\n3 0x10014 0xff\n3 0x10016 0xee\n"
			"3 0x10018 0xdd\n3 0x1001a 0xcc\n3 0x1001c 0xbb\n3 0x1001e 0xaa\n");
		buf_free(&rows);
	}
}

static void
events_and_messages_hold_text(void **state)
{
	(void)state;
	expect_shown("1 clk E 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC\n1 clk E HRESETn 0\n"
		     "1 clk CADI E 00008100 x\n1 clk SIGNAL: SIGNAL=IRQ STATE=1\n"
		     "1 clk CACHE MAINTENANCE x\n1 clk INFO_EXCEPTION_REASON: x\n"
		     "1 clk TTW DTLB 1\n1 clk P x\n"
		     "1 clk BR4D_PN I_RCB_ O_RCB_ 0 00001000 2a000000\n",
		NULL, "kind record text address size value",
		"event event 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC null null null\n"
		"event event HRESETn 0 null null null\n"
		"other text CADI E 00008100 x null null null\n"
		"other text SIGNAL: SIGNAL=IRQ STATE=1 null null null\n"
		"other text CACHE MAINTENANCE x null null null\n"
		"other text INFO_EXCEPTION_REASON: x null null null\n"
		"other text TTW DTLB 1 null null null\nother text P x null null null\n"
		"other bus BR4D_PN I_RCB_ O_RCB_ 0 00001000 2a000000 0x1000 4 0x2a000000\n");
}

static void
lines_of_gem5_are_read(void **state)
{
	(void)state;
	expect_shown("500 clk IT (1) 00008000 e3a00001 A usr_ns :   MOV   R0, #1\n"
		     "1000 clk system.cpu IT (2) 0000000000400000:000000400000_NS d2800020 O "
		     "EL0t_ns :   MOVZ   X0, #1\n"
		     "1000 clk system.cpu R X0 0000000000000001\n"
		     "1000 clk system.cpu MR16 0000000000400010:000000400010_NS "
		     "0011223344556677 8899aabbccddeeff\n",
		NULL, "time cpu cpu_name pc real_pc mode text reg size address",
		"500 null null 0x8000 null usr MOV   R0, #1 null null null\n"
		"1000 0 system.cpu 0x400000 0x400000 EL0t MOVZ   X0, #1 null null null\n"
		"1000 0 system.cpu null null null null X0 8 null\n"
		"1000 0 system.cpu null null null null null 16 0x400010\n");
}

static void
lines_of_the_first_simulator_have_no_time(void **state)
{
	(void)state;
	expect_shown("IT 00008044 e04ec00f SUB r12,r14,r15\nR r12 00000000\nIN: main\n"
		     "R is a register\n0x00008000:  e3a00001  mov r0, #1\n",
		NULL, "record time pc opcode text",
		"instruction null 0x8044 0xe04ec00f SUB r12,r14,r15\n"
		"register null null null null\nother null null null null\n"
		"other null null null null\nother null null null null\n");
}

static void
a_truncated_line_has_no_value(void **state)
{
	(void)state;
	expect_shown("783 clk R X8 00000", NULL, "record reg value", "register X8 null\n");
	expect_shown("1 clk IT 00000350 490", NULL, "record opcode", "corrupt null\n");
	expect_shown("1 clk E HRES", NULL, "record", "corrupt\n");
	expect_shown("1 clk LD 00001000 ........ ........ ........ 11223344", NULL, "record",
		"corrupt\n");
}

#define STRICT                                             \
	"1 clk 0 IT (1) 00001000 e1a00000 A svc_s : nop\n" \
	"1 clk MR4 00001000 0000002A\n"                    \
	"1 clk R r0 00000001\n"                            \
	"1 clk FD (1) 00001000 00002000 A\n"               \
	"1 clk E 1 2 x\n"

static void
expect_format(const char *text, const char *format)
{
	struct buf bytes = bytes_of(text);
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	assert_string_equal(poly_reader_format(reader)->name, format);
	assert_null(strstr(poly_reader_evidence(reader), "undecidable"));
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
one_form_of_tarmac_makes_a_trace_tarmac(void **state)
{
	(void)state;
	static const char *const lines[] = {"1 clk cpu0 R r0 00000001\n",
		"1 clk 0 R r0 00000001\n", "1ns R r0 00000001\n", "1.5 clk R r0 00000001\n",
		"  R r0 00000001\n", "1 clk R r0 0000000x\n", "1 clk R r0 (usr) 00000001\n",
		"1 clk R r0 00000001 (MSP)\n", "1 clk IT (1) 00001000 e1a00000 A svc_s : nop\n",
		"1 clk 0 IF (1) 00001000 e1a00000 A svc_s : nop\n",
		"1 clk 0 IT 00001000 e1a00000 A svc_s : nop\n",
		"1 clk 0 IT (1) 00001000 e1a00000 O svc_s : nop\n",
		"1 clk 0 IT (1) 00001000 e1a00000 A EL3h_s : nop\n",
		"1 clk 0 IT (1) 00001000 e1a00000 A svc_rt : nop\n",
		"1 clk 0 IT (1) 00001000:00001000 e1a00000 A svc_s : nop\n",
		"1 clk 0 IT (1) 00001000 -------- A svc_s : nop\n",
		"1 clk 0 IT (1) 00001000 e1a00000 nop\n", "1 clk ES (1000:4770) T svc_s: nop\n",
		"1 clk MNR4____ 00001000 00000001\n", "1 clk MR4_I 00001000 00000001\n",
		"1 clk MR4 X 00001000 00000001\n", "1 clk MR4 00001000 (ABORTED)\n",
		"1 clk R08 00001000 0000000000000001\n", "1 clk EXC x\n", "1 clk BR (0) A\n",
		"1 clk SIGNAL: x\n", "1 clk R DC x\n",
		"1 clk LD 00001000 ........ ........ ........ 00000001\n"};
	char text[500];
	expect_format(STRICT, "qemu4v");
	expect_format(STRICT "IN: main\n", "qemu4v");
	expect_format("Tarmac Text Rev 3t\n" STRICT, "tarmac");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		snprintf(text, sizeof text, "%s%s", STRICT, lines[i]);
		expect_format(text, "tarmac");
	}
}

static void
expect_findings(const char *text, const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf codes = find_all(open_bytes(&bytes, "tarmac", NULL, true));
	assert_string_equal(buf_text(&codes), expected);
	buf_free(&codes);
	buf_free(&bytes);
}

static void
every_rule_reports_its_smallest_violation(void **state)
{
	(void)state;
#define GOOD "1 clk cpu0 IT (1) 00001000 e1a00000 A svc_s : nop\n"
#define PICTURE " 00001000 ........ ........ ........ 00000001\n"
	expect_findings("Tarmac Text Rev 3t\n# text\n\n" GOOD "1 clk SIGNAL: x\n", "");
	expect_findings(GOOD "IN: main\n", "TXT1:2 ");
	expect_findings("2 clk R r0 00\n1 clk R r0 00\n", "Q02:2 ");
	expect_findings("1 us R r0 00\n1001 ns R r0 00\n", "TXT2:2 Q03:2 ");
	expect_findings("1 clk MR4 00001000 0000\n1 clk MR4 00001000 (ABORTED)\n", "Q04:1 ");
	expect_findings("1 clk MR65 00001000 00\n", "Q05:1 Q04:1 ");
	expect_findings("1 clk IT (1) 00001000 e1a00 A svc_s : nop\n", "Q06:1 ");
	expect_findings("1 clk IT (1) 00001000 e1a000 O EL1h_rt : nop\n", "");
	expect_findings("1 clk IT (1) 00001000 e1a00000 A thread : nop\n", "Q09:1 ");
	expect_findings(GOOD
		"2 clk cpu1 IT (1) 00001000 e1a00000 A svc_s : nop\n3 clk R r0 00\n",
		"Q10:3 ");
	expect_findings("1 clk R r0 00", "Q11:1 ");
	expect_findings(GOOD "2 clk cpu0 IT (2) 00001000 e1a00001 A svc_s : nop\n", "Q12:2 ");
	expect_findings(GOOD "2 clk cpu0 IT (3) 00001004 e1a00000 A svc_s : nop\n", "Q13:2 ");
	expect_findings("1 clk R r0 00\n2 clk R r0 0000\n", "Q14:2 ");
	expect_findings(
		"1 clk R r0 0x\n1 clk LD 00001000 ........ ........ ........ ##......\n",
		"Q15:1 Q15:2 ");
	expect_findings("1 clk LD" PICTURE "        " PICTURE, "");
	expect_findings("1 clk LD" PICTURE " " PICTURE, "Q16:2 ");
	expect_findings("1 clk LD" PICTURE GOOD "        " PICTURE, "TXT1:3 Q16:3 ");
	expect_findings(GOOD "1 clk MR1 0000000000002000 00\n", "Q18:2 ");
}

/* Counts the records of a kind in a listing. */
static unsigned
count_lines(const char *rows, const char *record)
{
	unsigned count = 0;
	size_t n = strlen(record);
	for (const char *p = rows; *p; p = strchr(p, '\n') + 1)
		count += strncmp(p, record, n) == 0 && p[n] == '\n';
	return count;
}

static void
expect_counts(const char *name, const char *const *records, const unsigned *counts)
{
	char path[100];
	snprintf(path, sizeof path, "public/tarmac/%s", name);
	struct buf bytes = load_shared(path);
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	assert_string_equal(poly_reader_format(reader)->name, "tarmac");
	struct buf rows = show_rows(reader, "record");
	unsigned all = 0;
	for (size_t i = 0; records[i]; i++) {
		assert_int_equal(count_lines(buf_text(&rows), records[i]), counts[i]);
		all += counts[i];
	}
	unsigned lines = 0;
	for (size_t i = 0; i < bytes.size; i++)
		lines += bytes.data[i] == '\n';
	assert_int_equal(lines, all);
	struct buf same = convert(open_bytes(&bytes, NULL, NULL, false), "tarmac", NULL, NULL);
	expect_same(&same, &bytes);
	buf_free(&same);
	buf_free(&rows);
	buf_free(&bytes);
}

static void
published_traces_have_their_records_and_are_reproduced(void **state)
{
	(void)state;
	static const char *const records[] = {
		"instruction", "register", "memory", "event", "text", "comment", "blank", NULL};
	expect_counts("calculator-aarch64-fastmodel.tarmac", records,
		(const unsigned[]){4783, 3929, 2832, 1, 15, 0, 0});
	expect_counts(
		"quicksort.tarmac", records, (const unsigned[]){2044, 1474, 788, 1, 15, 0, 0});
	expect_counts("parsertest-implicit-thumb.txt", records,
		(const unsigned[]){2, 5, 4, 7, 0, 14, 4});
}

/* Returns the value of a key of an event in another reader's dump, without quotes. */
static const char *
event_field(const char *event, const char *key, char value[300])
{
	char word[40];
	size_t n = 0;
	snprintf(word, sizeof word, " %s=", key);
	const char *p = strstr(event, word);
	assert_non_null(p);
	p += strlen(word);
	char end = *p == '"' ? '"' : ' ';
	for (p += *p == '"'; *p && *p != end && *p != '\n'; p++)
		value[n++] = *p;
	value[n] = 0;
	return value;
}

static uint64_t
event_number(const char *event, const char *key, int base)
{
	char value[300];
	return strtoull(event_field(event, key, value), NULL, base);
}

static void
expect_event(const struct poly_batch *batch, size_t row, const char *event, uint64_t scale)
{
	char value[300], got[300];
	assert_int_equal(batch->time[row], event_number(event, "time", 10) * scale);
	if (strncmp(event, "* InstructionEvent", 18) == 0) {
		assert_int_equal(batch->kind[row], POLY_KIND_INSTRUCTION);
		assert_int_equal(batch->executed[row],
			strcmp(event_field(event, "effect", value), "executed") == 0);
		assert_int_equal(batch->pc[row], event_number(event, "pc", 16));
		assert_int_equal(8 * batch->opcode_size[row], event_number(event, "width", 10));
		assert_int_equal(batch->opcode[row], event_number(event, "instruction", 16));
		assert_string_equal(shown(batch, POLY_COLUMN_text, row, got),
			event_field(event, "disassembly", value));
	} else if (strncmp(event, "* MemoryEvent", 13) == 0) {
		assert_int_equal(batch->kind[row], POLY_KIND_ACCESS);
		assert_int_equal(batch->access[row] != POLY_ACCESS_WRITE,
			strcmp(event_field(event, "read", value), "true") == 0);
		assert_int_equal(batch->address[row], event_number(event, "addr", 16));
		assert_int_equal(batch->size[row], event_number(event, "size", 10));
		assert_int_equal(batch->value[row], event_number(event, "contents", 16));
	} else if (strncmp(event, "* RegisterEvent", 15) == 0) {
		uint64_t bytes = 0;
		assert_int_equal(batch->kind[row], POLY_KIND_REGISTER);
		for (const char *p = event_field(event, "bytes", value); *p; p += 3) {
			bytes = bytes << 8 | strtoul(p, NULL, 16);
			if (!p[2])
				break;
		}
		assert_int_equal(batch->value[row], bytes);
	} else {
		assert_memory_equal(event, "* ExceptionEvent", 16);
		assert_int_equal(batch->kind[row], POLY_KIND_EVENT);
	}
}

/* Returns the next line of a text. */
static const char *
next_line(const char **text, char line[400])
{
	size_t n = strcspn(*text, "\n");
	snprintf(line, 400, "%.*s", (int)n, *text);
	*text += n + ((*text)[n] == '\n');
	return line;
}

/* A dump has each record's line, and the events of another reader for that line. */
static void
every_event_of_another_reader_is_found(void **state)
{
	(void)state;
	static const char head[] = "--- Tarmac line: ";
	struct buf dump = load_shared("public/tarmac/parsertest-implicit-thumb.ref");
	struct buf bytes = load_shared("public/tarmac/parsertest-implicit-thumb.txt");
	/*
	 * The other reader counts 10.356000us as 10356000, that is picoseconds, and 354ns as
	 * 354.
	 */
	struct poly_reader *reader = open_bytes(&bytes, "tarmac", "tarmac.unit=ps", false);
	const struct poly_batch *batch;
	const char *text = buf_text(&dump);
	char line[400];
	unsigned events = 0;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	for (size_t row = 0; row < batch->rows; row++) {
		size_t n;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		if (batch->kind[row] == POLY_KIND_OTHER)
			continue;
		next_line(&text, line);
		assert_memory_equal(line, head, strlen(head));
		assert_int_equal(strlen(line) - strlen(head), n - 1);
		assert_memory_equal(line + strlen(head), raw, n - 1);
		uint64_t scale = strstr(line, "ns IT") ? 1000 : 1;
		for (; *text == '*'; events++)
			expect_event(batch, row, next_line(&text, line), scale);
	}
	assert_int_equal(*text, 0);
	assert_int_equal(events, 16);
	poly_reader_close(reader);
	buf_free(&dump);
	buf_free(&bytes);
}

/* A line with palindromic data must not be the template of lines with other data. */
static void
data_in_memory_order_are_swapped_in_every_line(void **state)
{
	(void)state;
	struct buf lines = {0}, expected = {0};
	for (unsigned i = 0; i < 40; i++) {
		unsigned byte = i < 20 ? 0 : i;
		buf_printf(&lines, "%u clk IT (%u) 00010000 e0000000 A svc_s : ldr\n", i, i);
		buf_printf(&lines, "%u clk MR4 00002000 000000%02x\n", i, byte);
		buf_printf(&expected, "null\n0x%x\n", byte << 24);
	}
	expect_shown(buf_text(&lines), "tarmac.data=memory", "value", buf_text(&expected));
	buf_free(&expected);
	buf_free(&lines);
}

/* The upper half of data changes after lines in which it is 0. */
static void
data_in_two_halves_are_one_value_in_every_line(void **state)
{
	(void)state;
	struct buf lines = {0}, expected = {0};
	for (unsigned i = 0; i < 60; i++) {
		unsigned high = i / 20 * i, low = 0x89abcdef + i;
		buf_printf(&lines, "%u clk IT (%u) 00010000 e0000000 A svc_s : ldr\n", i, i);
		buf_printf(&lines, "%u clk MR8 00002000 %08x_%08x\n", i, high, low);
		buf_printf(&expected, "null\n0x%llx\n", (unsigned long long)high << 32 | low);
	}
	expect_shown(buf_text(&lines), NULL, "value", buf_text(&expected));
	struct buf again =
		convert(open_bytes(&lines, "tarmac", NULL, false), "tarmac", NULL, NULL);
	expect_same(&again, &lines);
	buf_free(&again);
	buf_free(&expected);
	buf_free(&lines);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_units_and_fractions),
		cmocka_unit_test(indented_lines_inherit_the_time_of_the_previous_line),
		cmocka_unit_test(one_clock_counts_all_physical_times),
		cmocka_unit_test(a_unit_that_is_not_a_time_is_not_converted),
		cmocka_unit_test(every_record_may_name_its_processor),
		cmocka_unit_test(late_names_have_no_number),
		cmocka_unit_test(instructions_have_many_forms),
		cmocka_unit_test(addresses_have_translations),
		cmocka_unit_test(modes_and_colons_are_optional),
		cmocka_unit_test(execution_summaries_are_instructions),
		cmocka_unit_test(exceptions_and_branches_are_records),
		cmocka_unit_test(registers_have_banks_parts_and_notes),
		cmocka_unit_test(values_have_separators_and_unknown_digits),
		cmocka_unit_test(a_vector_of_2048_bits_is_stored),
		cmocka_unit_test(system_operations_are_not_registers),
		cmocka_unit_test(accesses_have_many_forms),
		cmocka_unit_test(accesses_of_the_bus_have_their_letters),
		cmocka_unit_test(accesses_may_fail_and_data_may_be_unknown),
		cmocka_unit_test(a_memory_dump_has_an_access_per_run_of_bytes),
		cmocka_unit_test(memory_dumps_are_read_in_batches_of_one_row),
		cmocka_unit_test(events_and_messages_hold_text),
		cmocka_unit_test(lines_of_gem5_are_read),
		cmocka_unit_test(lines_of_the_first_simulator_have_no_time),
		cmocka_unit_test(a_truncated_line_has_no_value),
		cmocka_unit_test(one_form_of_tarmac_makes_a_trace_tarmac),
		cmocka_unit_test(every_rule_reports_its_smallest_violation),
		cmocka_unit_test(published_traces_have_their_records_and_are_reproduced),
		cmocka_unit_test(every_event_of_another_reader_is_found),
		cmocka_unit_test(data_in_memory_order_are_swapped_in_every_line),
		cmocka_unit_test(data_in_two_halves_are_one_value_in_every_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
