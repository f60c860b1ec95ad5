/* SPDX-License-Identifier: MIT */
/*
 * The functions of QEMU that the plugin uses. Debian has no header of the interface; these
 * declarations follow its documentation, version 1 (QEMU 4.2 and later).
 *
 * Version 1 does not read registers. QEMU 7.2 exports functions of its own for it, which are
 * declared weak: without them the plugin records no registers.
 *
 * spec: QEMU documentation, "TCG plugins" (docs/devel/tcg-plugins), interface version 1.
 */
#ifndef RECORD_QEMU_API_H
#define RECORD_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_ABI 1

typedef uint64_t qemu_plugin_id;
typedef uint32_t qemu_plugin_meminfo;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* What an emulator passes to qemu_plugin_install. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	/* More follows for system emulation. */
};

enum qemu_cb_flags { QEMU_CB_NO_REGS };
enum qemu_mem_rw { QEMU_MEM_R = 1, QEMU_MEM_W, QEMU_MEM_RW };

typedef void qemu_simple_cb(qemu_plugin_id id);
typedef void qemu_vcpu_cb(qemu_plugin_id id, unsigned vcpu);
typedef void qemu_tb_cb(qemu_plugin_id id, struct qemu_plugin_tb *block);
typedef void qemu_insn_cb(unsigned vcpu, void *user);
typedef void qemu_mem_cb(unsigned vcpu, qemu_plugin_meminfo info, uint64_t address, void *user);
#define QEMU_SYSCALL_PARAMETERS                                                     \
	qemu_plugin_id id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, \
		uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8
typedef void qemu_syscall_cb(QEMU_SYSCALL_PARAMETERS);
typedef void qemu_syscall_ret_cb(
	qemu_plugin_id id, unsigned vcpu, int64_t number, int64_t result);

void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id id, qemu_vcpu_cb *cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id id, qemu_tb_cb *cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id id, qemu_syscall_cb *cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id id, qemu_syscall_ret_cb *cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
	qemu_insn_cb *cb, enum qemu_cb_flags flags, void *user);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, qemu_mem_cb *cb,
	enum qemu_cb_flags flags, enum qemu_mem_rw rw, void *user);
void qemu_plugin_reset(qemu_plugin_id id, qemu_simple_cb *cb);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
	const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo info);
bool qemu_plugin_mem_is_big_endian(qemu_plugin_meminfo info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo info);
bool qemu_plugin_bool_parse(const char *name, const char *value, bool *result);
void qemu_plugin_outs(const char *text);

/* Not part of the interface; present in 7.2. */
#define QEMU_WEAK __attribute__((weak))
struct qemu_cpu;
struct qemu_bytes {
	uint8_t *data;
	unsigned length;
};
typedef int qemu_read_register(struct qemu_cpu *cpu, struct qemu_bytes *bytes, int number);
extern uint64_t qemu_plugin_start_code(void) QEMU_WEAK;
extern struct qemu_cpu *qemu_get_cpu(int index) QEMU_WEAK;
extern uintptr_t guest_base QEMU_WEAK;
extern struct qemu_bytes *g_byte_array_sized_new(unsigned size) QEMU_WEAK;
extern struct qemu_bytes *g_byte_array_set_size(
	struct qemu_bytes *bytes, unsigned size) QEMU_WEAK;
extern qemu_read_register aarch64_cpu_gdb_read_register QEMU_WEAK,
	arm_cpu_gdb_read_register QEMU_WEAK, mips_cpu_gdb_read_register QEMU_WEAK,
	ppc_cpu_gdb_read_register QEMU_WEAK, riscv_cpu_gdb_read_register QEMU_WEAK,
	s390_cpu_gdb_read_register QEMU_WEAK, x86_cpu_gdb_read_register QEMU_WEAK;

#endif
