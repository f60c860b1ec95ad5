/* SPDX-License-Identifier: MIT */
#include "record/target.h"

#include <string.h>

static const struct target_register x86_64[] = {{"rax", 0}, {"rbx", 1}, {"rcx", 2}, {"rdx", 3},
	{"rsi", 4}, {"rdi", 5}, {"rbp", 6}, {"rsp", 7}, {"r8", 8}, {"r9", 9}, {"r10", 10},
	{"r11", 11}, {"r12", 12}, {"r13", 13}, {"r14", 14}, {"r15", 15}};

static const struct target_register i386[] = {{"eax", 0}, {"ecx", 1}, {"edx", 2}, {"ebx", 3},
	{"esp", 4}, {"ebp", 5}, {"esi", 6}, {"edi", 7}};

static const struct target_register arm[] = {{"r0", 0}, {"r1", 1}, {"r2", 2}, {"r3", 3},
	{"r4", 4}, {"r5", 5}, {"r6", 6}, {"r7", 7}, {"r8", 8}, {"r9", 9}, {"r10", 10},
	{"r11", 11}, {"r12", 12}, {"sp", 13}, {"lr", 14}, {"cpsr", 25}};

static const struct target_register aarch64[] = {{"x0", 0}, {"x1", 1}, {"x2", 2}, {"x3", 3},
	{"x4", 4}, {"x5", 5}, {"x6", 6}, {"x7", 7}, {"x8", 8}, {"x9", 9}, {"x10", 10},
	{"x11", 11}, {"x12", 12}, {"x13", 13}, {"x14", 14}, {"x15", 15}, {"x16", 16},
	{"x17", 17}, {"x18", 18}, {"x19", 19}, {"x20", 20}, {"x21", 21}, {"x22", 22},
	{"x23", 23}, {"x24", 24}, {"x25", 25}, {"x26", 26}, {"x27", 27}, {"x28", 28},
	{"x29", 29}, {"x30", 30}, {"sp", 31}, {"nzcv", 33}};

static const struct target_register mips[] = {{"at", 1}, {"v0", 2}, {"v1", 3}, {"a0", 4},
	{"a1", 5}, {"a2", 6}, {"a3", 7}, {"t0", 8}, {"t1", 9}, {"t2", 10}, {"t3", 11},
	{"t4", 12}, {"t5", 13}, {"t6", 14}, {"t7", 15}, {"s0", 16}, {"s1", 17}, {"s2", 18},
	{"s3", 19}, {"s4", 20}, {"s5", 21}, {"s6", 22}, {"s7", 23}, {"t8", 24}, {"t9", 25},
	{"k0", 26}, {"k1", 27}, {"gp", 28}, {"sp", 29}, {"fp", 30}, {"ra", 31}, {"lo", 33},
	{"hi", 34}};

static const struct target_register powerpc[] = {{"r0", 0}, {"r1", 1}, {"r2", 2}, {"r3", 3},
	{"r4", 4}, {"r5", 5}, {"r6", 6}, {"r7", 7}, {"r8", 8}, {"r9", 9}, {"r10", 10},
	{"r11", 11}, {"r12", 12}, {"r13", 13}, {"r14", 14}, {"r15", 15}, {"r16", 16},
	{"r17", 17}, {"r18", 18}, {"r19", 19}, {"r20", 20}, {"r21", 21}, {"r22", 22},
	{"r23", 23}, {"r24", 24}, {"r25", 25}, {"r26", 26}, {"r27", 27}, {"r28", 28},
	{"r29", 29}, {"r30", 30}, {"r31", 31}, {"f0", 32}, {"f1", 33}, {"f2", 34}, {"f3", 35},
	{"f4", 36}, {"f5", 37}, {"f6", 38}, {"f7", 39}, {"f8", 40}, {"f9", 41}, {"f10", 42},
	{"f11", 43}, {"f12", 44}, {"f13", 45}, {"f14", 46}, {"f15", 47}, {"f16", 48},
	{"f17", 49}, {"f18", 50}, {"f19", 51}, {"f20", 52}, {"f21", 53}, {"f22", 54},
	{"f23", 55}, {"f24", 56}, {"f25", 57}, {"f26", 58}, {"f27", 59}, {"f28", 60},
	{"f29", 61}, {"f30", 62}, {"f31", 63}, {"msr", 65}, {"cr", 66}, {"lr", 67}, {"ctr", 68},
	{"xer", 69}, {"fpscr", 70}};

static const struct target_register riscv[] = {{"ra", 1}, {"sp", 2}, {"gp", 3}, {"tp", 4},
	{"t0", 5}, {"t1", 6}, {"t2", 7}, {"s0", 8}, {"s1", 9}, {"a0", 10}, {"a1", 11},
	{"a2", 12}, {"a3", 13}, {"a4", 14}, {"a5", 15}, {"a6", 16}, {"a7", 17}, {"s2", 18},
	{"s3", 19}, {"s4", 20}, {"s5", 21}, {"s6", 22}, {"s7", 23}, {"s8", 24}, {"s9", 25},
	{"s10", 26}, {"s11", 27}, {"t3", 28}, {"t4", 29}, {"t5", 30}, {"t6", 31}};

static const struct target_register s390[] = {{"r0", 2}, {"r1", 3}, {"r2", 4}, {"r3", 5},
	{"r4", 6}, {"r5", 7}, {"r6", 8}, {"r7", 9}, {"r8", 10}, {"r9", 11}, {"r10", 12},
	{"r11", 13}, {"r12", 14}, {"r13", 15}, {"r14", 16}, {"r15", 17}};

#define REGISTERS(list) .registers = (list), .register_count = sizeof(list) / sizeof *(list)

static const struct target targets[] = {
	{
		.name = "aarch64",
		.isa = "aarch64",
		.argument = 0,
		.link = 30,
		.result = 0,
		.execve = 221,
		.creations = {220},
		.masked = 33, /* PSTATE */
		.mask = 0xf0000000,
		.address_bits = 64,
		REGISTERS(aarch64),
	},
	{
		.name = "arm",
		.isa = "arm",
		.argument = 0,
		.link = 14,
		.result = 0,
		.execve = 11,
		.creations = {2, 120, 190},
		.address_bits = 32,
		REGISTERS(arm),
	},
	{
		.name = "armeb",
		.isa = "arm",
		.argument = 0,
		.link = 14,
		.result = 0,
		.execve = 11,
		.creations = {2, 120, 190},
		.address_bits = 32,
		.big_endian = true,
		REGISTERS(arm),
	},
	{
		.name = "i386",
		.isa = "x86",
		.argument = 4,
		.link = 4,
		.result = 0,
		.has_stack_call = true,
		.execve = 11,
		.creations = {2, 120, 190},
		.address_bits = 32,
		.has_own_order = true,
		REGISTERS(i386),
	},
	{
		.name = "mips",
		.isa = "mips32",
		.argument = 4,
		.link = 31,
		.result = 2,
		.execve = 4011,
		.creations = {4002, 4120},
		.address_bits = 32,
		.big_endian = true,
		REGISTERS(mips),
	},
	{
		.name = "mipsel",
		.isa = "mips32el",
		.argument = 4,
		.link = 31,
		.result = 2,
		.execve = 4011,
		.creations = {4002, 4120},
		.address_bits = 32,
		REGISTERS(mips),
	},
	{
		.name = "mips64",
		.isa = "mips64",
		.argument = 4,
		.link = 31,
		.result = 2,
		.execve = 5057,
		.creations = {5055, 5056},
		.address_bits = 64,
		.big_endian = true,
		REGISTERS(mips),
	},
	{
		.name = "mips64el",
		.isa = "mips64el",
		.argument = 4,
		.link = 31,
		.result = 2,
		.execve = 5057,
		.creations = {5055, 5056},
		.address_bits = 64,
		REGISTERS(mips),
	},
	{
		.name = "ppc",
		.isa = "powerpc",
		.argument = 3,
		.link = 67,
		.result = 3,
		.execve = 11,
		.creations = {2, 120, 189},
		.address_bits = 32,
		.big_endian = true,
		REGISTERS(powerpc),
	},
	{
		.name = "ppc64",
		.isa = "powerpc",
		.argument = 3,
		.link = 67,
		.result = 3,
		.execve = 11,
		.creations = {2, 120, 189},
		.address_bits = 64,
		.big_endian = true,
		REGISTERS(powerpc),
	},
	{
		.name = "ppc64le",
		.isa = "powerpc",
		.argument = 3,
		.link = 67,
		.result = 3,
		.execve = 11,
		.creations = {2, 120, 189},
		.address_bits = 64,
		REGISTERS(powerpc),
	},
	{
		.name = "riscv32",
		.isa = "riscv32",
		.argument = 10,
		.link = 1,
		.result = 10,
		.execve = 221,
		.creations = {220},
		.address_bits = 32,
		REGISTERS(riscv),
	},
	{
		.name = "riscv64",
		.isa = "riscv64",
		.argument = 10,
		.link = 1,
		.result = 10,
		.execve = 221,
		.creations = {220},
		.address_bits = 64,
		REGISTERS(riscv),
	},
	{
		.name = "s390x",
		.isa = "s390x",
		.argument = 4,
		.link = 16,
		.result = 4,
		.execve = 11,
		.creations = {2, 120, 190},
		.address_bits = 64,
		.big_endian = true,
		.has_own_order = true,
		REGISTERS(s390),
	},
	{
		.name = "x86_64",
		.isa = "x86-64",
		.argument = 5,
		.link = 7,
		.result = 0,
		.has_stack_call = true,
		.execve = 59,
		.creations = {56, 57, 58},
		.address_bits = 64,
		.has_own_order = true,
		REGISTERS(x86_64),
	},
};

const struct target *
target_at(size_t i)
{
	return i < sizeof targets / sizeof *targets ? &targets[i] : NULL;
}

const struct target *
target_find(const char *name)
{
	const struct target *target;
	for (size_t i = 0; (target = target_at(i)) != NULL; i++) {
		if (strcmp(target->name, name) == 0)
			return target;
	}
	return NULL;
}
