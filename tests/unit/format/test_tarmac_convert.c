/* SPDX-License-Identifier: MIT */
/* Conversions from and to Tarmac. */
#include "trace_help.h"

static void
expect_converted_and_noted(
	const char *text, const char *target, const char *option, const char *expected)
{
	struct buf bytes = {0}, notes = {0};
	buf_string(&bytes, text);
	struct buf out = convert(open_bytes(&bytes, NULL, NULL, false), target, option, &notes);
	buf_string(&out, "--\n");
	buf_append(&out, notes.data, notes.size);
	assert_string_equal(buf_text(&out), expected);
	buf_free(&out);
	buf_free(&notes);
	buf_free(&bytes);
}

static void
tarmac_becomes_qemu4v(void **state)
{
	(void)state;
	expect_converted_and_noted(
		"1 clk cpu1 IT (1) 8000:00000000c000_NS e3a00001 A svc_s : MOV r0,#1\n"
		"      cpu1 R r13 (usr) 20000000 (MSP)\n"
		"2 clk IT (2) 00008004 -------- A svc_s : ?\n"
		"2 clk MR16 00001000 0011223344556677 8899aabbccddeeff\n"
		"2 clk MR4 00001000 xxxxxxxx\n"
		"2 clk LD 00010000 ........ ........ ..665544 33..1100\n"
		"2 clk R r0 0000000x\n"
		"2 clk MSW4___D 00001000 01020304\n"
		"2 clk EXC [0x18] IRQ\n"
		"# text\n",
		"qemu4v", NULL,
		"1 clk 1 IT (1) 8000 e3a00001 A svc_s : MOV r0,#1\n"
		"1 clk R r13(usr) 20000000\n"
		"2 clk MR16 1000 00112233445566778899aabbccddeeff\n"
		"2 clk MR2 0000000000010000 1100\n2 clk MR4 0000000000010003 66554433\n"
		"2 clk MW4 1000 04030201\n--\n"
		"2 names of processors were dropped\n"
		"1 translations of addresses were dropped\n"
		"1 instructions without an opcode were dropped\n"
		"1 accesses that no line can hold were dropped\n"
		"1 registers that no line can hold were dropped\n"
		"1 attributes that QEMU4V does not have were dropped\n"
		"2 records that are not instructions, accesses or registers were dropped\n");
}

static void
qemu4v_to_tarmac_and_back_is_lossless(void **state)
{
	(void)state;
	static const char *const samples[] = {"qemu4v/seed3.q4v", "qemu4v/arm_start_2k.q4v"};
	for (size_t i = 0; i < 2; i++) {
		struct buf bytes = load_sample(samples[i]);
		struct buf there = convert(
			open_bytes(&bytes, "qemu4v", NULL, false), "tarmac", NULL, NULL);
		struct buf back = convert(
			open_bytes(&there, "tarmac", NULL, false), "qemu4v", NULL, NULL);
		expect_same(&back, &bytes);
		buf_free(&back);
		buf_free(&there);
		buf_free(&bytes);
	}
}

static void
rows_of_other_traces_become_tarmac(void **state)
{
	(void)state;
	expect_converted_and_noted(
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\"}\n"
		"{\"kind\":\"instruction\",\"pc\":\"0x1000\",\"opcode\":\"0x4770\","
		"\"opcode_size\":2,\"cpu\":3}\n"
		"{\"kind\":\"instruction\",\"pc\":\"0x1004\",\"opcode\":\"0x1\","
		"\"time\":9,\"cpu_name\":\"a.b\",\"mode\":\"EL3h\",\"real_pc\":"
		"\"0x8004\",\"instruction_set\":\"O\",\"text\":\"x\"}\n"
		"{\"kind\":\"access\",\"access\":\"fetch\",\"address\":\"0x2000\","
		"\"size\":2,\"value\":\"0xab\"}\n"
		"{\"kind\":\"register\",\"reg\":\"r13 (usr)\",\"size\":4,"
		"\"value\":\"0xab\"}\n"
		"{\"kind\":\"event\"}\n",
		"tarmac", NULL,
		"1 clk cpu3 IT (1) 00001000 4770 A : \n"
		"9 clk cpu0 IT (2) 0000000000001004:000000008004 00000001 O EL3h : x\n"
		"9 clk cpu0 MR2_I 00002000 00ab\n9 clk cpu0 R r13 (usr) 000000ab\n--\n"
		"1 names of processors were dropped\n"
		"3 records without a processor were written with processor 0\n"
		"1 records that are not instructions, accesses or registers were dropped\n");
}

static void
microtesk_has_its_own_profile(void **state)
{
	(void)state;
	expect_converted_and_noted(
		"7 clk 0 IT (7) 00000004 3c080001 A svc : lui t0,0x1\n"
		"7 clk MR4 00001000 0000002A\n"
		"9 clk 1 IS (8) 00000008 4501 T usr_s : nop\n9 clk R t0 00010000\n",
		"qemu4v", "qemu4v.profile=microtesk",
		"0 clk 0 IT (0) 0000000000000004 3c080001 A svc_ns : lui t0,0x1\n"
		"0 clk MR4 0000000000001000 0000002a\n"
		"1 clk 1 IT (1) 0000000000000008 4501 A svc_ns : nop\n"
		"1 clk R t0 00010000\n--\n"
		"1 instruction sets and modes were replaced by A and svc_ns\n"
		"1 skipped instructions were written as taken\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tarmac_becomes_qemu4v),
		cmocka_unit_test(qemu4v_to_tarmac_and_back_is_lossless),
		cmocka_unit_test(rows_of_other_traces_become_tarmac),
		cmocka_unit_test(microtesk_has_its_own_profile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
