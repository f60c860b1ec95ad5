/* SPDX-License-Identifier: MIT */
/*
 * Runs a pipeline of the course over a trace on standard input and prints its output, for
 * comparison with the models in Python.
 *
 * usage: course_driver superscalar EXPERIMENT WIDTH CACHE_STORES
 *        course_driver ooo MEMORY WIDTH REGISTERS SIZE LOAD_LATENCY
 *        course_driver v2 MX WX WM MEMORY DIRECTION BITS HISTORY BTB INDEX WAYS BLOCK HIT CLEAN
 * DIRTY
 */
#include "course/ooo.h"
#include "course/superscalar.h"
#include "course/v2.h"

#include <stdlib.h>
#include <string.h>

#include "uop_text.h"

static unsigned
number(char **argument)
{
	return *argument ? (unsigned)strtoul(*argument, NULL, 10) : 0;
}

static void
require(bool ok, const struct poly_error *error)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", error->message);
	exit(2);
}

static void
flush(struct buf *out)
{
	fputs(buf_text(out), stdout);
	buf_clear(out);
}

static void
run_superscalar(char **arguments, struct buf *out)
{
	struct poly_error error;
	struct course_uop uop = {0};
	struct uop_text text;
	const struct superscalar_config config = {
		.experiment = (enum superscalar_experiment)number(arguments),
		.width = number(arguments + 1),
		.cache_stores = number(arguments + 2)};
	struct superscalar *core = superscalar_new(&config, &error);
	require(core, &error);
	superscalar_begin(out);
	while (next_uop(stdin, &uop, &text)) {
		superscalar_add(core, &uop, out);
		flush(out);
	}
	superscalar_end(core, out);
	superscalar_free(core);
}

static void
run_ooo(char **arguments, struct buf *out)
{
	struct poly_error error;
	struct course_uop uop = {0};
	struct uop_text text;
	const struct ooo_config config = {.memory = (enum ooo_memory)number(arguments),
		.width = number(arguments + 1),
		.registers = number(arguments + 2),
		.size = number(arguments + 3),
		.load_latency = number(arguments + 4)};
	struct ooo *core = ooo_new(&config, &error);
	require(core, &error);
	ooo_begin(core, "standard input", out);
	while (next_uop(stdin, &uop, &text)) {
		require(ooo_add(core, &uop, out, &error) == POLY_OK, &error);
		flush(out);
	}
	require(ooo_end(core, out, &error) == POLY_OK, &error);
	ooo_free(core);
}

/* " r3", " sp", "  _" */
static int8_t
v2_register(const char *field)
{
	static const char *const names[] = {"sp", "lr", "pc"};
	field += strspn(field, " ");
	for (int8_t i = 0; i < 3; i++) {
		if (strcmp(field, names[i]) == 0)
			return (int8_t)(60 + i);
	}
	return *field == '_' ? V2_NONE : (int8_t)strtol(field + 1, NULL, 10);
}

static bool
next_insn(struct v2_insn *insn)
{
	static char line[512];
	char *fields[13] = {line};
	if (!fgets(line, sizeof line, stdin))
		return false;
	line[strcspn(line, "\n")] = 0;
	for (size_t i = 1; i < 13; i++) {
		char *tab = strchr(fields[i - 1], '\t');
		if (!tab)
			return false;
		*tab = 0;
		fields[i] = tab + 1;
	}
	*insn = (struct v2_insn){.pc = strtoull(fields[0], NULL, 16),
		.size = (uint32_t)strtoul(fields[1], NULL, 10),
		.is_branch = !strchr(fields[2], '_'),
		.is_taken = *fields[3] == 'T',
		.target = strtoull(fields[4], NULL, 16),
		.is_load = *fields[5] == 'L',
		.is_store = *fields[5] == 'S',
		.address = strtoull(fields[6], NULL, 16),
		.dest = v2_register(fields[9]),
		.src1 = v2_register(fields[10]),
		.src2 = v2_register(fields[11]),
		.text = fields[12]};
	return true;
}

static void
run_v2(char **arguments, struct buf *out)
{
	struct poly_error error;
	struct v2_insn insn;
	const struct v2_config config = {.mx = number(arguments),
		.wx = number(arguments + 1),
		.wm = number(arguments + 2),
		.memory = number(arguments + 3),
		.direction = (enum v2_direction)number(arguments + 4),
		.index_bits = number(arguments + 5),
		.history_bits = number(arguments + 6),
		.btb_bits = number(arguments + 7),
		.cache = {number(arguments + 8), number(arguments + 9), number(arguments + 10),
			number(arguments + 11), number(arguments + 12),
			number(arguments + 13)}};
	struct v2_pipeline *pipeline = v2_new(&config, &error);
	require(pipeline, &error);
	while (next_insn(&insn)) {
		v2_add(pipeline, &insn, out);
		flush(out);
	}
	v2_free(pipeline);
}

int
main(int argc, char **argv)
{
	struct buf out = {0};
	if (argc == 5 && strcmp(argv[1], "superscalar") == 0)
		run_superscalar(argv + 2, &out);
	else if (argc == 7 && strcmp(argv[1], "ooo") == 0)
		run_ooo(argv + 2, &out);
	else if (argc == 16 && strcmp(argv[1], "v2") == 0)
		run_v2(argv + 2, &out);
	else
		return 2;
	flush(&out);
	buf_free(&out);
	return 0;
}
