/* SPDX-License-Identifier: MIT */
/*
 * What Arm's tools read: the forms of Tarmac in which rows of other formats are written.
 *
 * spec: Arm Fast Models, Tarmac Trace; ARM-software/tarmac-trace-utilities, parser
 */
#ifndef FORMAT_QEMU4V_TARMAC_H
#define FORMAT_QEMU4V_TARMAC_H

#include "format/qemu4v/line_buffer.h"

/* Bytes of the longest name of a register, with its NUL. */
#define TARMAC_NAME_MAX 40

/* Bytes that the largest access moves in a line. */
#define TARMAC_ACCESS_MAX 16

/* Bytes of the longest name of an event. */
#define TARMAC_EVENT_MAX 200

/* A register as Arm's tools name it. */
struct tarmac_register {
	char name[TARMAC_NAME_MAX];
	unsigned digits; /* of its value */
};

/* Chooses the forms after the writer was opened. */
void tarmac_open_writer(struct writing *writing);

/*
 * Chooses whether records name processors, before a row is written. POLY_ERR_LOSS: earlier
 * records were written without one, and the row's cannot be.
 */
enum poly_status tarmac_choose_cpus(struct writing *writing, const struct poly_batch *batch,
	size_t row, struct poly_error *error);

void tarmac_append_cpu(struct writing *writing, struct line_buffer *line,
	const struct poly_batch *batch, size_t row);

/* Converts a time to the written unit. */
uint64_t tarmac_time(struct writing *writing, uint64_t time);

/* Returns the instruction set to write for that of a row, which may be "". */
const char *tarmac_iset(struct writing *writing, const char *iset);

/* Finds the register of a name; false if Arm's tools do not read it with these data. */
bool tarmac_find_register(const struct qemu4v_writer *writer, const char *name,
	const struct row_content *content, struct tarmac_register *found);

/* Returns the size of the first access into which one of size bytes is split. */
unsigned tarmac_access_size(uint64_t size);

/* Parses the text of an event: address, number and name. */
struct tarmac_event {
	uint64_t address, number;
	struct qemu4v_word name;
};
bool tarmac_parse_event(const struct qemu4v_word *text, struct tarmac_event *event);

#endif
