/* SPDX-License-Identifier: MIT */
/* Logs of RISC-V simulators and cores: lines made by hand from the documents of the dialects.
 */
#include "trace_help.h"

#include "../fuzz/lines.h"

#define COLUMNS "record kind pc opcode mode access address size value reg executed"

/* Records of three instructions make a log of Spike. */
#define SPIKE                                                                  \
	"core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000\n" \
	"core   0: 3 0x0000000000001004 (0x00028067)\n"

static void
lines_before_and_after_execution_are_one_record(void **state)
{
	(void)state;
	expect_rows("core   1: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n"
		    "core   1: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000\n"
		    "core   1: 0x0000000000001004 (0x00006299) c.lui   t0, 0x6\n"
		    "core   1: 1 0x0000000000001004 (0x6299) x5  0x0000000000006000\n",
		"riscv-log", "record cpu pc opcode opcode_size mode value reg text",
		"instruction 1 0x1000 0x297 4 M - - auipc   t0, 0x0\n"
		"register 1 - - - - 0x1000 x5 -\n"
		"instruction 1 0x1004 0x6299 2 S - - c.lui   t0, 0x6\n"
		"register 1 - - - - 0x6000 x5 -\n");
}

static void
an_exception_ends_the_execution_before_it(void **state)
{
	(void)state;
	expect_rows(
		"core   0: 0x000000008000005a (0x00542683) lw      a3, 5(s0)\n"
		"core   0: exception trap_load_address_misaligned, epc 0x000000008000005a\n"
		"core   0:           tval 0x0000000080002045\n"
		"core   0: >>>>  trap\n"
		"core   0: exception trap_instruction_access_fault, epc 0x0000000000000000\n"
		"core   0: 0x0000000080000060 (0x00000013) nop\n"
		"core   0: Executed 12 times\n",
		"riscv-log", "record kind pc value executed text",
		"instruction instruction 0x8000005a - false lw      a3, 5(s0)\n"
		"exception event 0x8000005a 0x80002045 - trap_load_address_misaligned\n"
		"symbol other - - - trap\n"
		"exception event 0x0 - - trap_instruction_access_fault\n"
		"instruction instruction 0x80000060 - - nop\n"
		"repeat other - - - Executed 12 times\n");
}

static void
an_exception_of_another_hart_keeps_its_hart(void **state)
{
	(void)state;
	expect_kept("core   2: 0x000000008000005a (0x00542683) lw      a3, 5(s0)\n"
		    "core   0: exception trap_load_address_misaligned, epc 0x000000008000005a\n"
		    "core   0:           tval 0x0000000080002045\n",
		"riscv-log", NULL);
}

static void
a_number_after_an_address_is_a_stored_value(void **state)
{
	(void)state;
	expect_rows(SPIKE
		"core   0: 3 0x0000000080000030 (0x0e62ae2f) x28 0x000000000000000a mem "
		"0x0000000080002038 mem 0x0000000080002038 0x00000007\n"
		"core   0: 3 0x0000000080000034 (0x00640023) mem 0x0000000080002040 0x7\n"
		"core   0: 3 0x0000000080000038 (0x30529073) c773_mtvec "
		"0x0000000080000180 e32 m1 l4\n",
		"riscv-log", COLUMNS,
		"instruction instruction 0x1000 0x297 M - - - - - -\n"
		"register register - - - - - 8 0x1000 x5 -\n"
		"instruction instruction 0x1004 0x28067 M - - - - - -\n"
		"instruction instruction 0x80000030 0xe62ae2f M - - - - - -\n"
		"register register - - - - - 8 0xa x28 -\n"
		"memory access - - - read 0x80002038 4 - - -\n"
		"memory access - - - write 0x80002038 4 0x7 - -\n"
		"instruction instruction 0x80000034 0x640023 M - - - - - -\n"
		"memory access - - - write 0x80002040 1 0x7 - -\n"
		"instruction instruction 0x80000038 0x30529073 M - - - - - -\n"
		"register register - - - - - 8 0x80000180 mtvec -\n"
		"vector other - - - - - - - - -\n");
}

static void
old_logs_of_rv32_extend_addresses_by_their_sign(void **state)
{
	(void)state;
	expect_rows("core   0: 0xffffffff80000004 (0x00000297) auipc   t0, 0x0\n"
		    "3 0x80000004 (0x00000297) x 5 0x80000004\n",
		"riscv-log", "record pc value size",
		"instruction 0x80000004 - -\nregister - 0x80000004 4\n");
}

static void
a_log_of_sail_states_sizes_and_fetches(void **state)
{
	(void)state;
	expect_rows("mem[X,0x0000000080000000] -> 0x0297\n"
		    "[0] [VS]: 0x0000000080000000 (0x0000B297) auipc t0, 0xb\n"
		    "a2 <- 0x000000000000ABCD\nCSR mstatus (0x300) <- 0x8000000A00006000\n"
		    "CSR mstatus <- 0x1 (input: 0x2)\nCSR mstatus (0x300) -> 0x1\n"
		    "mem[R,0x80002040] -> 0xFE\nmem[W,0x80002042] <- 0xFFFE\n"
		    "mem[0b10100] <- 0x12345678\ntrapping from M to M to handle u-ecall\n",
		"riscv-log", COLUMNS,
		"memory access - - - fetch 0x80000000 2 0x297 - -\n"
		"instruction instruction 0x80000000 0xb297 VS - - - - - -\n"
		"register register - - - - - 8 0xabcd x12 -\n"
		"register register - - - - - 8 0x8000000a00006000 mstatus -\n"
		"register register - - - - - 1 0x1 mstatus -\n"
		"text other - - - - - - - - -\n"
		"memory access - - - read 0x80002040 1 0xfe - -\n"
		"memory access - - - write 0x80002042 2 0xfffe - -\n"
		"memory access - - - write 0x14 4 0x12345678 - -\n"
		"text other - - - - - - - - -\n");
}

static void
rvvi_latches_harts_and_counts_events(void **state)
{
	(void)state;
	expect_rows("VERSION 0 3 'a comment'\nVENDOR \"a b\" 0 1\nPARAMS 1 XLEN 64\n"
		    "HART 2 ORDER 7 RET 80000000 00000297 X 5 80000000 'no 0x' MODE 1\n"
		    "RET 0x80000004 0x9002 \\\n  C 300 0x1 META 2 a b NET \"n\" 3\n"
		    "HART 0 TRAP 0x80000006 0x00000073 TIME 5\n",
		"riscv-log", "record cpu time pc opcode instruction_id mode value reg executed",
		"header - - - - - - - - -\nheader - - - - - - - - -\n"
		"header - - - - - - - - -\n"
		"instruction 2 - 0x80000000 0x297 7 S - - -\n"
		"register 2 - - - - - 0x80000000 x5 -\n"
		"instruction 2 - 0x80000004 0x9002 8 - - - -\n"
		"register 2 - - - - - 0x1 mstatus -\n"
		"instruction 0 5 0x80000006 0x73 9 - - - false\n");
}

static void
a_tracer_lists_reads_which_are_not_effects(void **state)
{
	(void)state;
	expect_rows(
		"Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n"
		"             30\t         5\t8000014e\t    137d\tc.addi\tx6,-1\t  "
		"x6:0x00000001  x6=0x00000000\n"
		"             32\t         6\t80000150\t00640123\tsb\tx6,2(x8)\t x8:0x80002000 "
		"x6:0x12345678 PA:0x80002002 store:0x??78????\n"
		"             34\t         7\t80000154\t00000073\t-->ecall\n",
		"riscv-log",
		"record time pc opcode access address size value reg executed text",
		"header - - - - - - - - - "
		"Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and "
		"memory "
		"contents\n"
		"instruction 30 0x8000014e 0x137d - - - - - - c.addi\tx6,-1\n"
		"register 30 - - - - 4 0x0 x6 - -\n"
		"instruction 32 0x80000150 0x640123 - - - - - - sb\tx6,2(x8)\n"
		"memory 32 - - write 0x80002002 1 0x78 - - -\n"
		"instruction 34 0x80000154 0x73 - - - - - false ecall\n");
}

static void
changes_of_whisper_are_joined(void **state)
{
	(void)state;
	expect_rows(
		"#1 0 M 0000000080000110 00053507 f 000000000000000a 3ff8000000000000 fld fa0, "
		"0(a0) [0x80002000]  +\n"
		"#1 0 M 0000000080000110 00053507 c 0000000000000300 8000000a00006000 fld fa0, "
		"0(a0) [0x80002000]\n"
		"#2 1 U 0000000080000114 00000073 r 0 0 ecall (exception)\n"
		"#3 1 U 0000000080000030 00640023 m 0000000080002040 00000000000012fe sb t1, "
		"0(s0) [0x80002040]\n",
		"riscv-log", "record cpu pc access address size value reg executed text",
		"instruction 0 0x80000110 - - - - - - fld fa0, 0(a0)\n"
		"register 0 - - - 8 0x3ff8000000000000 f10 - -\n"
		"register 0 - - - 8 0x8000000a00006000 mstatus - -\n"
		"memory 0 - read 0x80002000 8 - - - -\n"
		"instruction 1 0x80000114 - - - - - false ecall\n"
		"instruction 1 0x80000030 - - - - - - sb t1, 0(s0)\n"
		"memory 1 - write 0x80002040 1 0xfe - - -\n");
}

static void
lines_that_are_not_records_are_preserved_and_found(void **state)
{
	(void)state;
	struct buf bytes =
		bytes_of(SPIKE "warning: tohost\n"
			       "core   0: 3 0x0000000000001008 (0x00000013) x99 0x1\n"
			       "core   0: 3 0x000000000000100c (0x00000013) "
			       "mem 0x1 0x2 mem\n"
			       "core   0: 3 0x0000000000001010 (0x00000013) y\n");
	struct buf codes = find_all(open_bytes(&bytes, "riscv-log", NULL, true));
	assert_string_equal(buf_text(&codes), "TXT1:4 TXT1:5 TXT1:6 TXT1:7 ");
	buf_free(&codes);
	struct buf same =
		convert(open_bytes(&bytes, "riscv-log", NULL, false), "riscv-log", NULL, NULL);
	assert_string_equal(buf_text(&same), buf_text(&bytes));
	buf_free(&same);
	buf_free(&bytes);
}

static void
rules_of_stores_numbers_and_effects_are_checked(void **state)
{
	(void)state;
	struct buf store = bytes_of(SPIKE "core   0: 3 0x0000000080000034 (0x00640023) mem "
					  "0x0000000080002040 0x00ff\n");
	struct buf codes = find_all(open_bytes(&store, "riscv-log", NULL, true));
	assert_string_equal(buf_text(&codes), "R06:4 ");
	buf_free(&codes);
	buf_free(&store);
	struct buf sail = bytes_of("x5 <- 0x0000000000000000\n"
				   "[0] [M]: 0x0000000080000000 (0x00000013) nop\n"
				   "[2] [M]: 0x0000000080000004 (0x00000013)  nop\n"
				   "[3] [M]: 0x0000000080000008 (0x00000013) nop\n");
	codes = find_all(open_bytes(&sail, "riscv-log", NULL, true));
	assert_string_equal(buf_text(&codes), "R05:1 R07:3 R04:3 ");
	buf_free(&codes);
	buf_free(&sail);
}

/* Converts rows of another format. */
static struct buf
written_as(const char *option, struct buf *notes)
{
	struct buf bytes = bytes_of(
		"{\"polytrace\":\"trace\",\"version\":1,\"isa\":\"riscv64\"}\n"
		"{\"kind\":\"instruction\",\"pc\":\"0x80000000\",\"opcode\":\"0x28067\","
		"\"opcode_size\":4,\"mode\":\"svc\"}\n"
		"{\"kind\":\"register\",\"reg\":\"a0\",\"value\":\"0x12\"}\n"
		"{\"kind\":\"register\",\"reg\":\"mtvec\",\"value\":\"0x34\"}\n"
		"{\"kind\":\"register\",\"reg\":\"eax\",\"value\":\"0x56\"}\n"
		"{\"kind\":\"instruction\",\"pc\":\"0x80000004\",\"opcode\":\"0x157d\","
		"\"opcode_size\":2}\n"
		"{\"kind\":\"register\",\"reg\":\"s0\",\"value\":\"0x1234\"}\n"
		"{\"kind\":\"access\",\"access\":\"read\",\"address\":\"0x8\",\"size\":1}\n"
		"{\"kind\":\"access\",\"access\":\"write\",\"address\":\"0x10\","
		"\"size\":2,\"value\":\"0xabcd\"}\n"
		"{\"kind\":\"event\",\"text\":\"timer\"}\n");
	struct buf out =
		convert(open_bytes(&bytes, "jsonl", NULL, false), "riscv-log", option, notes);
	buf_free(&bytes);
	return out;
}

static void
expect_written(const char *option, const char *expected, const char *expected_notes)
{
	struct buf notes = {0}, out = written_as(option, &notes);
	assert_string_equal(buf_text(&out), expected);
	assert_string_equal(buf_text(&notes), expected_notes);
	buf_free(&out);
	buf_free(&notes);
}

static void
rows_of_other_formats_are_written_in_every_dialect(void **state)
{
	(void)state;
	expect_written(NULL,
		"core   0: 1 0x0000000080000000 (0x00028067) x10 0x0000000000000012 c773_mtvec "
		"0x0000000000000034\n"
		"core   0: 3 0x0000000080000004 (0x157d) x8  0x0000000000001234 mem "
		"0x0000000000000008 mem 0x0000000000000010 0xabcd\n",
		"1 registers that RISC-V does not have were dropped\n"
		"1 records that are neither instructions nor their effects were dropped\n"
		"1 privilege levels that are not known were written as M\n");
	expect_written("riscv.dialect=cva6",
		"core   0: 0x0000000080000000 (0x00028067) DASM(00028067)\n"
		"1 0x0000000080000000 (0x00028067) x10 0x0000000000000012\n"
		"core   0: 0x0000000080000004 (0x0000157d) DASM(0000157d)\n"
		"3 0x0000000080000004 (0x157d) x 8 0x0000000000001234 mem 0x0000000000000008 "
		"mem "
		"0x0000000000000010 0x000000000000abcd\n",
		"1 registers that RISC-V does not have were dropped\n"
		"1 writes of control and status registers were dropped\n"
		"1 records that are neither instructions nor their effects were dropped\n"
		"1 privilege levels that are not known were written as M\n");
	expect_written("riscv.dialect=sail",
		"[0] [S]: 0x0000000080000000 (0x00028067) jr t0\n"
		"x10 <- 0x0000000000000012\nCSR mtvec (0x305) <- 0x0000000000000034\n"
		"[1] [M]: 0x0000000080000004 (0x157D) add a0,a0,-1\n"
		"x8 <- 0x0000000000001234\nmem[R,0x0000000000000008] -> 0x34\n"
		"mem[W,0x0000000000000010] <- 0xABCD\n",
		"1 registers that RISC-V does not have were dropped\n"
		"1 records that are neither instructions nor their effects were dropped\n"
		"1 privilege levels that are not known were written as M\n");
	expect_written("riscv.dialect=rvvi",
		"VERSION 0 3\nVENDOR \"polytrace\" 0 1\n"
		"HART 0 RET 0x0000000080000000 0x00028067 X 10 0x0000000000000012 C 0x305 "
		"0x0000000000000034 MODE 0x1\n"
		"HART 0 RET 0x0000000080000004 0x157d X 8 0x0000000000001234\n",
		"1 registers that RISC-V does not have were dropped\n"
		"1 records that are neither instructions nor their effects were dropped\n"
		"2 accesses were dropped\n");
	expect_written("riscv.dialect=riscv-dv",
		"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n"
		"80000000,jr,a0:0000000000000012,mtvec:0000000000000034,00028067,1,"
		"\"jr t0\",\"t0\",\n"
		"80000004,add,s0:0000000000001234,,0000157d,,\"add "
		"a0,a0,-1\",\"a0,a0,-1\",\n",
		"1 registers that RISC-V does not have were dropped\n"
		"1 records that are neither instructions nor their effects were dropped\n"
		"2 accesses were dropped\n");
}

static void
a_large_value_is_its_bytes(void **state)
{
	(void)state;
	expect_rows("core   0: 3 0x00000000800000e4 (0x0203e207) e32 mf2 l4 v4  "
		    "0x00000004000000030000000200000001 c8_vstart 0x0000000000000000 mem "
		    "0x0000000080002000\n",
		"riscv-log", "record size value payload address text",
		"instruction - - - - -\nvector - - - - e32 mf2 l4\n"
		"register 16 - 00000004000000030000000200000001 - -\n"
		"register 8 0x0 - - -\nmemory - - - 0x80002000 -\n");
}

/*
 * A program of a dialect: the lines of its loop, and others that may be between them. In a
 * line, # is a digit, ^ a digit in upper case, and ~ a number that counts.
 */
struct program {
	const char *header;
	const char *loop[6], *others[7];
};

static const struct program programs[] = {
	{"VERSION 0 3\n",
		{"HART 0 RET 0x00001000 0x00000297 X 5 0x######## MODE 0x3\n",
			"RET 0x00001004 0x00000297 X 5 0x######## F 1 0x0000#### MODE 0x3\n",
			"RET 0x00001008 0x00028067 CYCLE ~ MODE 0x3\n",
			"RET 0x0000100c 0x00000297 V 5 0x################################\n",
			"C 0x300 0x########\n", "TRAP 0x00001010 0x00000073\n"},
		{"HART 1 TIME 5 RET 0x00001014 0x00028067 MODE 0x3\n", "HART 1\n",
			"ORDER 7 RET 0x00001018 0x00028067 MODE 0x3\n", "NET a 1\n",
			"RET 0x0000100c 0x00000297 X 5 0x######## HART 1 X 6 0x########\n",
			"RET 0x00001008 0x00028067 \\\nX 1 0x######## 'note' MODE 0x1\n",
			"HART 0\n"}},
	{"",
		{"[~] [M]: 0x00001000 (0x00000297) auipc t0, 0x0\n", "x5 <- 0x^^^^^^^^\n",
			"[~] [M]: 0x00001004 (0x6299) c.lui t0, 0x6\n",
			"mem[R,0x^^^^^^^^] -> 0x^^^^\n", "mem[W,0x^^^^^^^^] <- 0x^^^^\n",
			"CSR mepc (0x341) <- 0x^^^^^^^^\n"},
		{"trapping from U to M\n", "mem[0b1010101] <- 0x1^\n", "x6 <- 0x########\n",
			"CSR mepc -> 0x^^^^^^^^\n", "CSR mepc <- 0x^^^^ (input: 0x^^^^)\n",
			"f5 <- 0x^^^^^^^^^^^^^^^^\n",
			"[00~] [U]: 0x00001008 (0x9002) ebreak\n"}},
	{"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n",
		{"1000,auipc,t0:########,,00000297,3,\"auipc t0, 0x0\",\"t0,0x0\",\n",
			"1004,jr,,,00028067,3,\"jr t0\",\"t0\",\n",
			"1008,op,a0:########;ft1:########,,02028593,3,\"op  a0\",\"a0\",\n",
			"100c,csrrw,a0:########,mepc:########,34151573,3,\"csrrw "
			"a0\",\"a0\",\n",
			"1010,ret,,,00008082,,\"ret\",\"\",\n",
			"1014,auipc,t0:########,,00000297,3,\"auipc t0, 0x0\",\"t0,0x0\",\n"},
		{"1000,auipc,t0:########,,00000297,1,\"auipc t0, 0x0\",\"t0,0x0\",\n",
			"1000,auipc,t0:^^^^^^^^,,00000297,3,\"auipc t0, 0x0\",\"t0,0x0\",\n",
			"1000,auipc,t0:########,,00000297,3,\"auipc t0,  0x0\",\"t0,0x0\",\n",
			"1000,auipc,t0:#######,,00000297,3,\"auipc t0, 0x0\",\"t0,0x0\",\n",
			"1000,li,t0:########,,00000293,3,\"li t0, 0x0\",\"t0,0x0\",\n",
			"1008,op,a0:########,ft1:########,02028593,3,\"op\",\"a0\",\n",
			"1010,ret,,,00008082,,\"ret\",\n"}},
	{"Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n",
		{"    ~\t  ~\t00001000\t0042a383\tlw\tx7\t x5:0x######## x7=0x######## "
		 "PA:0x######## load:0x########\n",
			"    ~\t  ~\t00001004\t00428383\tlb\tx7\t x5:0x######## x7=0x######## "
			"PA:0x######## load:0x########\n",
			"    ~\t  ~\t00001008\t01c28023\tsb\tx7\t x28:0x######## "
			"PA:0x######## store:0x????##??\n",
			"    ~\t  ~\t0000100c\t01c2a023\tsw\tx7\t x28:0x######## "
			"PA:0x######## store:0x########\n",
			"    ~\t  ~\t00001010\t00128293\taddi\tx5\t x5:0x########  "
			"x5=0x########\n",
			"    ~\t  ~\t00001014\t30029073\tcsrrw\tx5\t x0=0x######## "
			"mepc=0x########\n"},
		{"    ~\t  ~\t00001018\t0062a3af\tamoadd.w\tx7\t x7=0x######## "
		 "PA:0x######## store:0x######## load:0x########\n",
			"    ~\t  ~\t00001014\t30029073\tcsrrw\tx5\t x0=0x######## "
			"mepc=#x########\n",
			"    ~ns\t  ~\t00001014\t30029073\tcsrrw\tx5\t x0=0x########\n",
			"    ~\t  ~\t00001000\t0042a383\tlw\tx7\t PA:0x######## "
			"load:0x######## x7=0x########\n",
			"    ~\t  ~\t00001010\t00128293\taddi\tx5\t x5=0x#######\n",
			"    ~\t  ~\t0000101c\t00000073\t-->ecall\n", "warning\n"}},
	{"",
		{"core   0: 0x00001000 (0x00112023) DASM(00112023)\n"
		 "3 0x00001000 (0x00112023) mem 0x######## 0x00000000########\n",
			"core   0: 0x00001004 (0x00110023) DASM(00110023)\n"
			"3 0x00001004 (0x00110023) mem 0x######## 0x00000000000000##\n",
			"core   0: 0x00001008 (0x00112083) DASM(00112083)\n"
			"3 0x00001008 (0x00112083) mem 0x######## x 1 0x########\n",
			"core   0: 0x0000100c (0x00008082) DASM(00008082)\n"
			"3 0x0000100c (0x8082)\n",
			"core   0: 0x00001010 (0x00108093) DASM(00108093)\n"
			"3 0x00001010 (0x00108093) x 1 0x########\n",
			"core   0: 0x00001014 (0x00108093) DASM(00108093)\n"
			"3 0x00001014 (0x00108093) x 2 0x######## x 3 0x########\n"},
		{"core   0: 0x00001000 (0x00112023) DASM(00112023)\n"
		 "3 0x00001000 (0x00112023) mem 0x######## 0xffffffff########\n",
			"core   0: 0x00001000 (0x00112023) DASM(00112023)\n"
			"3 0x00001000 (0x00112023) mem 0x######## 0x################\n",
			"core   0: 0x00001010 (0x00108093) DASM(00108093)\n"
			"3 0x00001010 (0x00108093) x1 0x########\n",
			"Illegal exception @ 0x00001018\n",
			"core   0: 0x00001014 (0x00108093) DASM(00108093)\n"
			"3 0x00001014 (0x00108093) x 2 0x######## x3 0x########\n",
			"core   0: 0x00001010 (0x00108093) DASM(00108093)\n"
			"3 0x00001010 (0x00108093) x 1 0x^^^^^^^^\n",
			"core   0: 0x0000100c (0x00008082) DASM(00008082)\n"}},
};

static uint64_t seed = 1;

static unsigned
random_below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % n);
}

/* Appends a line with numbers; returns its size. */
static size_t
append_line(char *to, const char *line, unsigned count)
{
	size_t n = 0;
	/* Many numbers are small. */
	const unsigned limit = random_below(2) ? 16 : 2;
	for (; *line; line++) {
		if (*line == '~')
			n += (size_t)sprintf(to + n, "%u", count + 995);
		else if (*line == '#' || *line == '^')
			to[n++] = (*line == '#' ? "0123456789abcdef"
						: "0123456789ABCDEF")[random_below(limit)];
		else
			to[n++] = *line;
	}
	return n;
}

/* Writes a log of a program's loop, from which one of rarity lines differs. */
static size_t
write_log(char *to, const struct program *program, unsigned rarity)
{
	size_t n = append_line(to, program->header, 0);
	for (unsigned i = 0; i < 300; i++)
		n += append_line(to + n,
			random_below(rarity) ? program->loop[i % 6]
					     : program->others[random_below(7)],
			i);
	return n;
}

static void
predicted_lines_have_the_rows_of_the_parser(void **state)
{
	static const poly_columns columns[] = {POLY_ALL_COLUMNS_INIT,
		POLY_COLUMNS_INIT(cpu, value), POLY_COLUMNS_EXCEPT_INIT(raw, text),
		POLY_COLUMNS_INIT(instruction_id, time, site)};
	static char log[96 << 10];
	(void)state;
	for (unsigned turn = 0; turn < 200; turn++) {
		const size_t n = write_log(log, &programs[turn % 5], 2 + random_below(40));
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		options.format = "riscv-log";
		options.one_thread = true;
		options.columns = columns[turn / 5 % 4];
		options.batch_rows = turn % 3 ? POLY_BATCH_ROWS : 100;
		options.check = turn % 7 == 0;
		const char *difference = lines_difference((const uint8_t *)log, n, &options,
			turn % 2 ? PREDICT_BEST : PREDICT_PLAIN);
		if (difference)
			fail_msg("%s differs in turn %u", difference, turn);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_before_and_after_execution_are_one_record),
		cmocka_unit_test(an_exception_ends_the_execution_before_it),
		cmocka_unit_test(an_exception_of_another_hart_keeps_its_hart),
		cmocka_unit_test(a_number_after_an_address_is_a_stored_value),
		cmocka_unit_test(old_logs_of_rv32_extend_addresses_by_their_sign),
		cmocka_unit_test(a_log_of_sail_states_sizes_and_fetches),
		cmocka_unit_test(rvvi_latches_harts_and_counts_events),
		cmocka_unit_test(a_tracer_lists_reads_which_are_not_effects),
		cmocka_unit_test(changes_of_whisper_are_joined),
		cmocka_unit_test(lines_that_are_not_records_are_preserved_and_found),
		cmocka_unit_test(rules_of_stores_numbers_and_effects_are_checked),
		cmocka_unit_test(rows_of_other_formats_are_written_in_every_dialect),
		cmocka_unit_test(a_large_value_is_its_bytes),
		cmocka_unit_test(predicted_lines_have_the_rows_of_the_parser),
	};
	return cmocka_run_group_tests_name("riscv_log", tests, NULL, NULL);
}
