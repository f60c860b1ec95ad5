/* SPDX-License-Identifier: MIT */
/*
 * Recordings of running programs, as rows.
 *
 * A recording is a piece of memory that it shares with an emulator: QEMU's emulation of user
 * programs, which loads the plugin polytrace-qemu.so with the option channel=N, the number of
 * the open file of the memory. The caller starts the emulator and gets rows while it runs:
 *
 *	poly_recording_new(&options, &recording, &error);
 *	... start qemu-ARCH -plugin PATH/polytrace-qemu.so,channel=N PROGRAM, N being the
 *	    result of poly_recording_file ...
 *	... wait until poly_recording_is_loaded ...
 *	poly_recording_run(recording, NULL, NULL);
 *	for (;;) {
 *		status = poly_recording_next(recording, &batch, &error);
 *		... POLY_OK: use the batch; POLY_END: wait a moment; when the program has ended,
 *		    poly_recording_finish, and get the remaining rows ...
 *	}
 *	poly_recording_free(recording);
 *
 * Rows are an instruction (kind, thread, pc, opcode, opcode_size; of more than 8 bytes payload
 * instead of opcode; of ARM instruction_set, A or T; if requested, text), followed by its
 * accesses (access, address, size) and the registers that it changed (reg, value, size). With
 * registers, accesses have values, and instructions mode (usr) and, of ARM, executed. The first
 * rows of a thread are its registers before its first recorded instruction. A batch has rows of
 * one thread. Facts of the information on the trace state what is exact and what follows from
 * rules.
 *
 * The order of threads is that in which they filled pieces of the memory, or made system calls;
 * threads are numbered from 1, in the order in which they began, in all processes of the
 * program.
 *
 * A recording is used by one thread at a time.
 */
#ifndef POLYTRACE_RECORDING_H
#define POLYTRACE_RECORDING_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_recording;

/*
 * What to record. Initialise with POLY_RECORDING_OPTIONS_INIT, then change fields. Later
 * versions may append fields; a program built against an earlier version gets their initial
 * values.
 */
struct poly_recording_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	const char *target; /* the emulated processor, as QEMU names it: "riscv64" */
	bool accesses;	    /* record accesses */
	bool registers;	    /* record registers, and values of accesses */
	bool functions;	    /* record calls of poly_recording_watch */
	uint64_t skip;	    /* instructions that are not recorded at first */
	uint64_t count;	    /* maximum number of recorded instructions; 0: all */
	bool texts;	    /* instructions have their disassembly as text */
};

/* Initial values: all instructions and accesses; a target must be set. */
#define POLY_RECORDING_OPTIONS_INIT                                             \
	{                                                                       \
		.size = sizeof(struct poly_recording_options), .accesses = true \
	}

/* Numbers of a recording. */
struct poly_recording_counts {
	uint64_t instructions; /* recorded so far */
	uint64_t threads;      /* that have begun */
	uint64_t lost_threads; /* not recorded: too many at a time */
	uint64_t forks;	       /* processes that the program has forked */
	uint64_t executions;   /* of other programs, which are not recorded */
	uint64_t lost_sites;   /* static instructions that are not recorded: too many */
	bool lacks_registers;  /* the emulator does not let the plugin read registers, for them,
				  for accesses of PowerPC or for synchronization */
};

/* Returns the i-th target from 0, as QEMU names it, static; NULL after the last one. */
POLY_API const char *poly_recording_target_at(size_t i);

/* Returns the instruction set of a target, as poly_isa_at lists it, static; NULL: no such
 * target. */
POLY_API const char *poly_recording_isa(const char *target);

/*
 * Creates a recording. On POLY_OK *recording belongs to the caller, who frees it; on failure it
 * is NULL. POLY_ERR_USAGE: no such target, or options of size 0. POLY_ERR_IO: the system does
 * not provide the memory. POLY_ERR_UNSUPPORTED: texts, for which this build has no library.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_recording_new(const struct poly_recording_options *options,
	struct poly_recording **recording, struct poly_error *error);

/* Returns the open file of the shared memory, which started processes inherit; it belongs to
 * the recording. */
POLY_API int poly_recording_file(const struct poly_recording *recording);

/* Adds a fact to the recording's information; copies both strings. POLY_ERR_MEMORY. */
POLY_API enum poly_status poly_recording_fact(struct poly_recording *recording, const char *key,
	const char *value, struct poly_error *error);

/* Returns the information on the trace, valid as long as the recording. */
POLY_API const struct poly_trace_info *poly_recording_info(
	const struct poly_recording *recording);

/* Returns whether the program is loaded and its first instruction waits for
 * poly_recording_run; then sets *code to the address of its code: that of the first executable
 * segment. */
POLY_API bool poly_recording_is_loaded(struct poly_recording *recording, uint64_t *code);

/*
 * Records calls of a function that synchronizes threads, by its name: pthread_mutex_lock,
 * _trylock, _unlock, pthread_cond_wait, _timedwait, _signal, _broadcast. address: that of its
 * first instruction. Its rows have sync, address (of the mutex or condition) and value: signals
 * the number of signals of that address, which they increment, before the call; waits that
 * number, after a call that succeeded. False: another name, no functions were requested, or
 * there are more than 64. Before poly_recording_run.
 */
POLY_API bool poly_recording_watch(
	struct poly_recording *recording, const char *function, uint64_t address);

/*
 * Lets the program run. start: recording begins with the first instruction at this address;
 * stop: it ends after the first recorded instruction at this address. NULL: no such address.
 */
POLY_API void poly_recording_run(
	struct poly_recording *recording, const uint64_t *start, const uint64_t *stop);

/*
 * Gets the next rows, at least one, valid until the next call. POLY_END: there are none at the
 * moment; after poly_recording_finish, there are none left. POLY_ERR_FORMAT: the program has
 * overwritten the shared memory. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_recording_next(struct poly_recording *recording,
	const struct poly_batch **batch, struct poly_error *error);

/* Returns whether the recording has all requested instructions. */
POLY_API bool poly_recording_is_complete(const struct poly_recording *recording);

/* Ends the recording; the program runs on without being recorded. */
POLY_API void poly_recording_stop(struct poly_recording *recording);

/* Ends the recording of a program that has ended, however it did; poly_recording_next has the
 * rows that its threads left. */
POLY_API void poly_recording_finish(struct poly_recording *recording);

/* Gets the numbers of a recording. */
POLY_API void poly_recording_count(
	const struct poly_recording *recording, struct poly_recording_counts *counts);

/* Frees a recording. Accepts NULL. */
POLY_API void poly_recording_free(struct poly_recording *recording);

#ifdef __cplusplus
}
#endif

#endif
