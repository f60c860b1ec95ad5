/* SPDX-License-Identifier: MIT */
/*
 * The PowerPC table against the seed's lists and the architecture's rules, written down here a
 * second time.
 *
 * spec: Apple amber traces (the two tables of classes), Apple amber
 * traces 2.4, 4.2, 4.3, 4.5, 4.8.
 */
#include "trace_help.h"

#include "isa/powerpc.h"
#include "polytrace/disasm.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The seed's lists, in its order: primaries alone, then minors of 31. */
static const unsigned memory_primaries[] = {34, 35, 50, 51, 48, 49, 42, 43, 40, 41, 46, 32, 33,
	38, 39, 54, 55, 52, 53, 44, 45, 47, 36, 37, 58, 62};
static const unsigned memory_minors[] = {597, 119, 87, 631, 599, 567, 535, 375, 343, 790, 311,
	279, 597, 20, 534, 55, 23, 7, 39, 71, 103, 359, 310, 438, 247, 215, 759, 727, 983, 695,
	663, 918, 439, 407, 725, 662, 150, 183, 151, 135, 167, 199, 231, 487, 21, 53, 84, 341,
	373, 149, 181, 214};
static const unsigned extended_minors[] = {533, 661, 342, 374};
static const unsigned cache_minors[] = {758, 86, 470, 54, 278, 246, 1014, 982};

static bool
has(const unsigned *list, size_t n, unsigned value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool
is_flow(unsigned major, unsigned minor)
{
	return major == 18 || major == 16 || (major == 19 && minor == 528) ||
	       (major == 19 && minor == 16) || (major == 19 && minor == 50) || major == 17 ||
	       (major == 19 && minor == 18);
}

static enum powerpc_class
class_of_seed(unsigned major, unsigned minor)
{
	if (major == 0)
		return POWERPC_ESCAPE;
	if (is_flow(major, minor))
		return POWERPC_FLOW;
	if (has(memory_primaries, COUNT(memory_primaries), major))
		return POWERPC_MEMORY;
	if (major != 31)
		return POWERPC_COMPUTE;
	if (has(memory_minors, COUNT(memory_minors), minor))
		return POWERPC_MEMORY;
	if (has(extended_minors, COUNT(extended_minors), minor))
		return POWERPC_EXTENDED;
	if (has(cache_minors, COUNT(cache_minors), minor))
		return POWERPC_CACHE;
	return POWERPC_COMPUTE;
}

static void
classes_are_those_of_the_seed_for_every_opcode(void **state)
{
	(void)state;
	for (uint32_t major = 0; major < 64; major++)
		for (uint32_t minor = 0; minor < 1024; minor++)
			for (uint32_t other = 0; other < 4; other++) {
				uint32_t opcode = major << 26 | minor << 1 | (other & 1) |
						  (other & 2 ? 0x03fff800 : 0);
				enum powerpc_class cls = class_of_seed(major, minor);
				assert_int_equal(powerpc_class(opcode), cls);
				assert_int_equal(powerpc_class_fast(opcode), cls);
				assert_int_equal(powerpc_find(opcode)->cls, cls);
			}
}

/* Reference amber 4.3, entry by entry: primary, minor or low bits (-1: none), access, bytes. */
static const struct {
	uint32_t primary;
	int minor;
	int access;
	uint32_t size;
} accesses[] = {
	{34, -1, POLY_ACCESS_READ, 1},
	{35, -1, POLY_ACCESS_READ, 1},
	{31, 87, POLY_ACCESS_READ, 1},
	{31, 119, POLY_ACCESS_READ, 1},
	{31, 7, POLY_ACCESS_READ, 1},
	{40, -1, POLY_ACCESS_READ, 2},
	{41, -1, POLY_ACCESS_READ, 2},
	{42, -1, POLY_ACCESS_READ, 2},
	{43, -1, POLY_ACCESS_READ, 2},
	{31, 279, POLY_ACCESS_READ, 2},
	{31, 311, POLY_ACCESS_READ, 2},
	{31, 343, POLY_ACCESS_READ, 2},
	{31, 375, POLY_ACCESS_READ, 2},
	{31, 790, POLY_ACCESS_READ, 2},
	{31, 39, POLY_ACCESS_READ, 2},
	{32, -1, POLY_ACCESS_READ, 4},
	{33, -1, POLY_ACCESS_READ, 4},
	{31, 23, POLY_ACCESS_READ, 4},
	{31, 55, POLY_ACCESS_READ, 4},
	{31, 20, POLY_ACCESS_READ, 4},
	{31, 534, POLY_ACCESS_READ, 4},
	{31, 341, POLY_ACCESS_READ, 4},
	{31, 373, POLY_ACCESS_READ, 4},
	{58, 2, POLY_ACCESS_READ, 4},
	{31, 310, POLY_ACCESS_READ, 4},
	{48, -1, POLY_ACCESS_READ, 4},
	{49, -1, POLY_ACCESS_READ, 4},
	{31, 535, POLY_ACCESS_READ, 4},
	{31, 567, POLY_ACCESS_READ, 4},
	{31, 71, POLY_ACCESS_READ, 4},
	{50, -1, POLY_ACCESS_READ, 8},
	{51, -1, POLY_ACCESS_READ, 8},
	{31, 599, POLY_ACCESS_READ, 8},
	{31, 631, POLY_ACCESS_READ, 8},
	{58, 0, POLY_ACCESS_READ, 8},
	{58, 1, POLY_ACCESS_READ, 8},
	{31, 21, POLY_ACCESS_READ, 8},
	{31, 53, POLY_ACCESS_READ, 8},
	{31, 84, POLY_ACCESS_READ, 8},
	{31, 103, POLY_ACCESS_READ, 16},
	{31, 359, POLY_ACCESS_READ, 16},
	{38, -1, POLY_ACCESS_WRITE, 1},
	{39, -1, POLY_ACCESS_WRITE, 1},
	{31, 215, POLY_ACCESS_WRITE, 1},
	{31, 247, POLY_ACCESS_WRITE, 1},
	{31, 135, POLY_ACCESS_WRITE, 1},
	{44, -1, POLY_ACCESS_WRITE, 2},
	{45, -1, POLY_ACCESS_WRITE, 2},
	{31, 407, POLY_ACCESS_WRITE, 2},
	{31, 439, POLY_ACCESS_WRITE, 2},
	{31, 918, POLY_ACCESS_WRITE, 2},
	{31, 167, POLY_ACCESS_WRITE, 2},
	{36, -1, POLY_ACCESS_WRITE, 4},
	{37, -1, POLY_ACCESS_WRITE, 4},
	{31, 151, POLY_ACCESS_WRITE, 4},
	{31, 183, POLY_ACCESS_WRITE, 4},
	{31, 150, POLY_ACCESS_WRITE, 4},
	{31, 662, POLY_ACCESS_WRITE, 4},
	{31, 438, POLY_ACCESS_WRITE, 4},
	{52, -1, POLY_ACCESS_WRITE, 4},
	{53, -1, POLY_ACCESS_WRITE, 4},
	{31, 663, POLY_ACCESS_WRITE, 4},
	{31, 695, POLY_ACCESS_WRITE, 4},
	{31, 983, POLY_ACCESS_WRITE, 4},
	{31, 199, POLY_ACCESS_WRITE, 4},
	{54, -1, POLY_ACCESS_WRITE, 8},
	{55, -1, POLY_ACCESS_WRITE, 8},
	{31, 727, POLY_ACCESS_WRITE, 8},
	{31, 759, POLY_ACCESS_WRITE, 8},
	{62, 0, POLY_ACCESS_WRITE, 8},
	{62, 1, POLY_ACCESS_WRITE, 8},
	{31, 149, POLY_ACCESS_WRITE, 8},
	{31, 181, POLY_ACCESS_WRITE, 8},
	{31, 214, POLY_ACCESS_WRITE, 8},
	{31, 231, POLY_ACCESS_WRITE, 16},
	{31, 487, POLY_ACCESS_WRITE, 16},
	{62, 2, POLY_ACCESS_WRITE, 16},
	/* lines are 32 bytes here */
	{31, 1014, POLY_ACCESS_WRITE, 32},
	{31, 758, POLY_ACCESS_WRITE, 32},
	{31, 470, POLY_ACCESS_CACHE, 32},
	{31, 86, POLY_ACCESS_CACHE, 32},
	{31, 54, POLY_ACCESS_CACHE, 32},
	{31, 982, POLY_ACCESS_CACHE, 32},
	{31, 278, POLY_ACCESS_PREFETCH, 32},
	{31, 246, POLY_ACCESS_PREFETCH, 32},
	{31, 342, POLY_ACCESS_PREFETCH, 0},
	{31, 374, POLY_ACCESS_PREFETCH, 0},
	/* rT is 29, NB is 5, XER is 0xc0000007 */
	{46, -1, POLY_ACCESS_READ, 12},
	{47, -1, POLY_ACCESS_WRITE, 12},
	{31, 597, POLY_ACCESS_READ, 5},
	{31, 725, POLY_ACCESS_WRITE, 5},
	{31, 533, POLY_ACCESS_READ, 7},
	{31, 661, POLY_ACCESS_WRITE, 7},
};

static uint32_t
encode(uint32_t primary, int minor, uint32_t operands)
{
	uint32_t extended = minor < 0 ? 0 : (uint32_t)minor;
	return primary << 26 | operands | extended << (primary == 31 ? 1 : 0);
}

static void
accesses_and_sizes_are_those_of_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(accesses); i++) {
		uint32_t opcode =
			encode(accesses[i].primary, accesses[i].minor, 29 << 21 | 5 << 11);
		assert_int_equal(powerpc_find(opcode)->access, accesses[i].access);
		assert_int_equal(powerpc_size(opcode, 0xc0000007, 32), accesses[i].size);
	}
	assert_int_equal(powerpc_size(0x7fa004aa, 0, 32), 32); /* lswi with NB 0 */
	assert_int_equal(powerpc_size(0x7c6418ae, 0, 0), 1);
	assert_int_equal(powerpc_size(0x38600000, 0, 32), 0);
}

/* Every instruction of the classes with an address has an access, and none of class compute
 * but those outside the tables. */
static void
instructions_with_an_address_have_an_access(void **state)
{
	(void)state;
	for (uint32_t major = 1; major < 64; major++)
		for (uint32_t minor = 0; minor < 2048; minor++) {
			const struct powerpc_instruction *found =
				powerpc_find(major << 26 | minor);
			bool has_address = found->cls == POWERPC_MEMORY ||
					   found->cls == POWERPC_CACHE ||
					   found->cls == POWERPC_EXTENDED;
			bool is_outside = found->flags & POWERPC_OUTSIDE;
			if (found->mnemonic)
				assert_int_equal(found->access >= 0, has_address || is_outside);
			else
				assert_int_equal(found->access, -1);
		}
}

/* Reference amber 2.4 b, c and d: read no address although they access memory. */
static void
memory_instructions_outside_the_tables_are_of_class_compute(void **state)
{
	static const unsigned minors[] = {277, 630, 791, 823, 919, 951, 52, 116, 276, 694, 726,
		182, 532, 660, 855, 887, 789, 821, 853, 885, 917, 949, 981, 1013, 582, 614, 710,
		742, 774, 902, 588, 844, 780, 332, 716, 972, 908, 524, 12, 268, 519, 551, 647,
		679};
	static const unsigned primaries[] = {56, 57, 60, 61, 6};
	(void)state;
	for (size_t i = 0; i < COUNT(minors); i++) {
		const struct powerpc_instruction *found =
			powerpc_find(encode(31, (int)minors[i], 0));
		assert_int_equal(found->cls, POWERPC_COMPUTE);
		assert_true(found->flags & POWERPC_OUTSIDE);
	}
	for (size_t i = 0; i < COUNT(primaries); i++)
		assert_true(powerpc_find(primaries[i] << 26)->flags & POWERPC_OUTSIDE);
}

static void
invalid_forms_have_no_mnemonic(void **state)
{
	(void)state;
	assert_null(powerpc_find(0)->mnemonic);
	assert_null(powerpc_find(58u << 26 | 3)->mnemonic);
	assert_null(powerpc_find(62u << 26 | 3)->mnemonic);
	assert_null(powerpc_find(31u << 26 | 1023 << 1)->mnemonic);
	assert_null(powerpc_find(5u << 26)->mnemonic);
}

static uint64_t
address_of(uint32_t opcode, bool wide)
{
	struct poly_powerpc_state registers = {0};
	registers.gpr[0] = 0x5555;
	registers.gpr[4] = 0xfffffff5;
	registers.gpr[5] = 0x1c;
	uint64_t address = 0;
	assert_true(powerpc_address(opcode, &registers, wide, &address));
	return address;
}

static void
addresses_follow_the_forms_of_the_reference(void **state)
{
	(void)state;
	assert_int_equal(address_of(0x80640008, false), 0xfffffffd); /* lwz r3, 8(r4) */
	assert_int_equal(address_of(0x80648000, false), 0xffff7ff5); /* lwz r3, -32768(r4) */
	assert_int_equal(address_of(0x80600010, false), 0x10);	     /* lwz r3, 16(0) */
	assert_int_equal(address_of(0x84600010, false), 0x5565);     /* lwzu r3, 16(r0) */
	assert_int_equal(address_of(0xe8640009, false), 0xfffffffd); /* ldu r3, 8(r4) */
	assert_int_equal(address_of(0xf864fffd, false), 0xfffffff1); /* stdu r3, -4(r4) */
	assert_int_equal(address_of(0x7c64282e, false), 0x11);	     /* lwzx r3, r4, r5 */
	assert_int_equal(address_of(0x7c64282e, true), 0x100000011);
	assert_int_equal(address_of(0x7c60282e, false), 0x1c);	     /* lwzx r3, 0, r5 */
	assert_int_equal(address_of(0x7c60286e, false), 0x5571);     /* lwzux r3, r0, r5 */
	assert_int_equal(address_of(0x7c642caa, false), 0xfffffff5); /* lswi r3, r4, 5 */
	assert_int_equal(address_of(0x7c042aac, false), 0xfffffff5); /* dst r4, r5, 0 */
	assert_int_equal(address_of(0x7c0428ac, false), 0x11);	     /* dcbf r4, r5 */
	assert_int_equal(address_of(0x7c6428ce, false), 0x10);	     /* lvx */
	assert_int_equal(address_of(0x7c64284e, false), 0x10);	     /* lvehx */
	assert_int_equal(address_of(0x7c64288e, false), 0x10);	     /* lvewx */
	assert_int_equal(address_of(0x7c64280e, false), 0x11);	     /* lvebx */
	struct poly_powerpc_state none = {0};
	uint64_t address;
	assert_false(powerpc_address(0x38600000, &none, false, &address)); /* li */
	assert_false(powerpc_address(0x7c64280c, &none, false, &address)); /* lvsl */
}

static void
branches_have_their_targets(void **state)
{
	(void)state;
	struct powerpc_branch b = powerpc_branch(0x4bfffff1, 0x1000); /* bl -16 */
	assert_true(b.is_branch && b.has_target && b.always && b.link);
	assert_int_equal(b.target, 0xff0);
	b = powerpc_branch(0x48000702, 0x1000); /* ba 0x700 */
	assert_true(b.has_target && b.always && !b.link);
	assert_int_equal(b.target, 0x700);
	b = powerpc_branch(0x4182fff8, 4); /* beq -8: below 0 */
	assert_true(b.has_target && !b.always);
	assert_int_equal(b.target, 0xfffffffc);
	b = powerpc_branch(0x4e800020, 0); /* blr */
	assert_true(b.is_branch && !b.has_target && b.always && !b.link);
	b = powerpc_branch(0x4e800421, 0); /* bctrl */
	assert_true(b.is_branch && b.always && b.link);
	b = powerpc_branch(0x4d820020, 0); /* beqlr */
	assert_true(b.is_branch && !b.always);
	b = powerpc_branch(0x42000008, 0); /* bdnz */
	assert_true(b.has_target && !b.always);
	assert_false(powerpc_branch(0x44000002, 0).is_branch);
	assert_false(powerpc_branch(0x4c000064, 0).is_branch);
	assert_false(powerpc_branch(0x7c642a15, 0).link);
}

/* The registers of sets by name, in the order of their numbers: "r3 f1 cr0". */
static void
spell(const struct isa_registers *set, char *text)
{
	static const char *const specials[] = {
		"xer", "lr", "ctr", "msr", "fpscr", "vscr", "vrsave", "mq"};
	static const char *const kinds[] = {"r", "f", "v", "cr"};
	*text = '\0';
	for (unsigned i = 0; i < POWERPC_REGISTER_COUNT; i++) {
		if (!(set->bits[i / 64] >> i % 64 & 1))
			continue;
		if (i < POWERPC_XER)
			text += sprintf(text, "%s%u ", kinds[i / 32], i % 32);
		else
			text += sprintf(text, "%s ", specials[i - POWERPC_XER]);
	}
}

static void
registers_read_and_written_are_those_of_the_architecture(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *reads, *writes;
	} cases[] = {
		{0x80640008, "r4 ", "r3 "},		      /* lwz r3, 8(r4) */
		{0x80600008, "", "r3 "},		      /* lwz r3, 8(0) */
		{0x94210010, "r1 ", "r1 "},		      /* stwu r1, 16(r1) */
		{0x7c64292e, "r3 r4 r5 ", ""},		      /* stwx r3, r4, r5 */
		{0x7c642a15, "r4 r5 ", "r3 cr0 "},	      /* add. */
		{0x7c642e14, "r4 r5 ", "r3 xer "},	      /* addo */
		{0x7c642914, "r4 r5 xer ", "r3 xer "},	      /* adde */
		{0x50641abc, "r3 r4 ", "r4 "},		      /* rlwimi r4, r3, ... */
		{0x54641abc, "r3 ", "r4 "},		      /* rlwinm r4, r3, ... */
		{0x2f840005, "r4 ", "cr7 "},		      /* cmpwi cr7, r4, 5 */
		{0x4d9e0020, "cr7 lr ", ""},		      /* beqlr cr7 */
		{0x42000008, "ctr ", "ctr "},		      /* bdnz */
		{0x4e800421, "ctr ", "lr "},		      /* bctrl */
		{0x48000001, "", "lr "},		      /* bl */
		{0xbba10008, "r1 ", "r29 r30 r31 "},	      /* lmw r29 */
		{0xbfa10008, "r1 r29 r30 r31 ", ""},	      /* stmw r29 */
		{0x7fe464aa, "r4 ", "r0 r1 r31 "},	      /* lswi r31, r4, 12 */
		{0x7c64292d, "r3 r4 r5 ", "cr0 "},	      /* stwcx. */
		{0xfc22193a, "f2 f3 f4 fpscr ", "f1 fpscr "}, /* fmadd f1, f2, f4, f3 */
		{0xfc201890, "f3 ", "f1 "},		      /* fmr f1, f3 */
		{0x10222484, "v2 v4 ", "v1 "},		      /* vor v1, v2, v4 */
		{0x10222406, "v2 v4 ", "v1 cr6 "},	      /* vcmpequb. */
		{0x10222200, "v2 v4 ", "v1 vscr "},	      /* vaddubs */
		{0x7c0803a6, "r0 ", "lr "},		      /* mtlr r0 */
		{0x7c6902a6, "ctr ", "r3 "},		      /* mfctr r3 */
		{0x7c6042a6, "vrsave ", "r3 "},		      /* mfvrsave r3 */
		{0x7c681120, "r3 ", "cr0 cr7 "},	      /* mtcrf 129, r3 */
		{0x4cc63182, "cr1 ", "cr1 "},		      /* crxor 6, 6, 6 */
		{0x7c042aac, "r4 r5 ", ""},		      /* dst r4, r5, 0 */
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct isa_registers reads, writes;
		char text[1024];
		assert_true(powerpc_registers(cases[i].opcode, &reads, &writes));
		spell(&reads, text);
		assert_string_equal(text, cases[i].reads);
		spell(&writes, text);
		assert_string_equal(text, cases[i].writes);
	}
	struct isa_registers none;
	assert_false(powerpc_registers(0, &none, &none));
}

static void
registers_are_found_by_their_names_alone(void **state)
{
	(void)state;
	struct poly_powerpc_state registers = {
		.wide = true, .pc = 0x1000, .cr = 0x24000082, .vscr = 0x10000};
	registers.gpr[31] = 0x123456789abcdef0;
	registers.fpr[1] = 0x3ff0000000000000;
	for (unsigned i = 0; i < 16; i++)
		registers.vr[2][i] = (uint8_t)i;
	char text[33];
	assert_int_equal(poly_powerpc_register(&registers, "r31", text), 16);
	assert_string_equal(text, "123456789abcdef0");
	assert_int_equal(poly_powerpc_register(&registers, "f1", text), 16);
	assert_string_equal(text, "3ff0000000000000");
	assert_int_equal(poly_powerpc_register(&registers, "v2", text), 32);
	assert_string_equal(text, "000102030405060708090a0b0c0d0e0f");
	assert_int_equal(poly_powerpc_register(&registers, "cr", text), 8);
	assert_string_equal(text, "24000082");
	assert_int_equal(poly_powerpc_register(&registers, "pc", text), 16);
	assert_string_equal(text, "0000000000001000");
	registers.wide = false;
	assert_int_equal(poly_powerpc_register(&registers, "pc", text), 8);
	assert_string_equal(text, "00001000");
	assert_int_equal(poly_powerpc_register(&registers, "r31", text), 8);
	assert_string_equal(text, "9abcdef0");
	assert_int_equal(poly_powerpc_register(&registers, "f1", text), 16);
	static const char *const wrong[] = {
		"", "r", "r32", "r01", "r+1", "v-1", "x3", "r3 ", "R3", "r0x1", "crx", "f100"};
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(poly_powerpc_register(&registers, wrong[i], text), 0);
}

static void
streams_have_their_zeros_expanded(void **state)
{
	(void)state;
	struct poly_powerpc_stream stream = poly_powerpc_stream_decode(0);
	assert_int_equal(stream.block_size, 32);
	assert_int_equal(stream.block_count, 256);
	assert_int_equal(stream.stride, 32768);
	stream = poly_powerpc_stream_decode(0xe20380f0);
	assert_int_equal(stream.block_size, 2);
	assert_int_equal(stream.block_count, 3);
	assert_int_equal(stream.stride, -32528);
}

static void
rows_of_dst_have_a_stream(void **state)
{
	(void)state;
	/* dst r3, r4, 0; dststt r3, r4, 1; dss 0; lwz r3, 0(r4); dst without a value */
	struct buf bytes =
		bytes_of("{\"polytrace\":\"trace\",\"version\":1,\"isa\":\"powerpc\"}\n"
			 "{\"opcode\":\"0x7c0322ac\",\"value\":\"0xe20380f0\"}\n"
			 "{\"opcode\":\"0x7e2322ec\",\"value\":\"0xe20380f0\"}\n"
			 "{\"opcode\":\"0x7c00066c\",\"value\":\"0xe20380f0\"}\n"
			 "{\"opcode\":\"0x80640000\",\"value\":\"0xe20380f0\"}\n"
			 "{\"opcode\":\"0x7c0322ac\"}\n");
	struct poly_reader *reader = open_bytes(&bytes, "jsonl", NULL, false);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 5);
	for (size_t row = 0; row < 5; row++) {
		struct poly_powerpc_stream stream;
		assert_int_equal(poly_powerpc_stream_of(batch, row, &stream), row < 2);
		if (row < 2)
			assert_int_equal(stream.stride, -32528);
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
disassembly_is_in_one_style(void **state)
{
	static const struct {
		uint64_t pc;
		uint32_t opcode;
		const char *text;
	} cases[] = {
		{0, 0x80610008, "lwz r3, 8(r1)"},
		{0, 0x3860ffff, "li r3, -1"},
		{0x10000000, 0x48000100, "b 0x10000100"},
		{0, 0x4bfffffc, "b 0xfffffffc"},
		{0x100000000, 0x4bfffffc, "b 0xfffffffc"},
		{0x200000000, 0x4bfffffd, "bl 0x1fffffffc"},
		{0x1000, 0x429f0005, "bcl 20, 31, 0x1004"},
		{0x1000, 0x409e0010, "bne cr7, 0x1010"},
		{0, 0x4e800020, "blr"},
		{0, 0x7c642c2a, "lswx r3, r4, r5"},
		{0, 0x7c642d2a, "stswx r3, r4, r5"},
		{0, 0x7c642a6c, "eciwx r3, r4, r5"},
		{0, 0x7c642b6c, "ecowx r3, r4, r5"},
		{0, 0x7c642e15, "addo. r3, r4, r5"},
		{0, 0x7e042aac, "dstt r4, r5, 0"},
		{0, 0x7fe00008, "trap"},
		{0, 0x4cc63182, "crclr 4*cr1+eq"},
		{0, 0, ".long 0x00000000"},
		{0, 0x17ffffff, ".long 0x17ffffff"},
	};
	(void)state;
	need_library("capstone");
	struct poly_disasm *disasm;
	struct poly_error error;
	assert_int_equal(poly_disasm_open("vax", &disasm, &error), POLY_ERR_USAGE);
	assert_null(disasm);
	enum poly_status status = poly_disasm_open("powerpc", &disasm, &error);
	if (status == POLY_ERR_UNSUPPORTED) {
		assert_non_null(strstr(error.message, "libcapstone"));
		skip();
	}
	assert_int_equal(status, POLY_OK);
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(poly_disasm_text(disasm, cases[i].pc, cases[i].opcode, 4),
			cases[i].text);
	assert_string_equal(poly_disasm_text(disasm, 0, 0xab, 2), ".long 0x00ab");
	poly_disasm_close(disasm);
	poly_disasm_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_those_of_the_seed_for_every_opcode),
		cmocka_unit_test(accesses_and_sizes_are_those_of_the_reference),
		cmocka_unit_test(instructions_with_an_address_have_an_access),
		cmocka_unit_test(memory_instructions_outside_the_tables_are_of_class_compute),
		cmocka_unit_test(invalid_forms_have_no_mnemonic),
		cmocka_unit_test(addresses_follow_the_forms_of_the_reference),
		cmocka_unit_test(branches_have_their_targets),
		cmocka_unit_test(registers_read_and_written_are_those_of_the_architecture),
		cmocka_unit_test(registers_are_found_by_their_names_alone),
		cmocka_unit_test(streams_have_their_zeros_expanded),
		cmocka_unit_test(rows_of_dst_have_a_stream),
		cmocka_unit_test(disassembly_is_in_one_style),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
