/* SPDX-License-Identifier: MIT */
/* Programs to be recorded: their files, processors and addresses. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct program {
	char *path;	   /* of the file */
	char *interpreter; /* of a program with shared libraries: its dynamic linker; or NULL */
	const char *target; /* the processor, as QEMU names it */
	uint64_t code;	    /* address of the first executable segment in the file */
};

/* Finds a program as execvp does, and reads its ELF header. False, after a message: it does not
 * exist, or cannot be recorded. */
bool program_find(struct program *program, const char *name);

/* Returns whether a program is of the processor that this command is of; prints a message if
 * not. */
bool program_is_native(const struct program *program);

/* Returns whether a file exists. */
bool program_exists(const char *path);

/* Returns whether a command is in PATH. */
bool program_is_installed(const char *command);

/*
 * Returns the folder that has the dynamic linker of a program for another processor where
 * Debian's cross libraries are, such as /usr/riscv64-linux-gnu; NULL: the linker is where the
 * program names it, or nowhere. The caller frees it.
 */
char *program_library_folder(const struct program *program);

/* Returns the file of the plugin for QEMU; NULL, after a message: it is not installed. The
 * caller frees it. */
char *program_plugin(void);

/* Frees the strings of a program. */
void program_free(struct program *program);

#endif
