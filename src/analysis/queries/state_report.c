/* SPDX-License-Identifier: MIT */
/* Reports a state. */
#include "analysis/queries/state.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/table.h"
#include "report/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares names with embedded numbers in natural order: r2 before r10. */
static int
compare_names(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			const size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");
			if (m != n)
				return m < n ? -1 : 1;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
	}
	return *a ? 1 : *b ? -1 : 0;
}

static int
by_context_and_name(const void *left, const void *right)
{
	const struct state_register *a = left, *b = right;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return compare_names(a->name, b->name);
}

static int
by_address(const void *left, const void *right)
{
	const struct state_block *a = left, *b = right;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Adds a cell with the value of a register, with the digits of its width. */
static void
cell_value(const struct state_register *reg, struct poly_report *report)
{
	char text[2 + 2 * STATE_REGISTER_MAX + 1] = "0x";
	if (reg->digits) {
		num_hex_bytes(text + 2, reg->wide, reg->digits / 2);
		text[2 + reg->digits] = 0;
	} else {
		const unsigned digits = reg->size && reg->size <= 8 ? 2 * reg->size : 1;
		snprintf(text, sizeof text, "0x%0*llx", (int)digits,
			(unsigned long long)reg->value);
		for (unsigned i = 0; i < digits && i < 16; i++) {
			if (reg->unknown >> 4 * i & 15)
				text[2 + digits - 1 - i] = '-';
		}
	}
	poly_report_cell_text(report, text);
}

static void
report_named(const struct state *state, struct poly_report *report)
{
	const uint32_t count = state->register_count;
	struct state_register *list = mem_new((size_t)count + 1, sizeof *list);
	if (list && count) {
		memcpy(list, state->registers, count * sizeof *list);
		qsort(list, count, sizeof *list, by_context_and_name);
	}
	for (uint32_t i = 0; list && i < count; i++) {
		if (!list[i].is_known)
			continue;
		poly_report_cell_text(report, list[i].context_name);
		poly_report_cell_text(report, list[i].name);
		cell_value(&list[i], report);
		poly_report_cell_count(report, list[i].record);
	}
	if (!list)
		tree_fail(report);
	mem_free(list);
}

/* Reports a register of a FULL record, if the state has one of that name. */
static void
report_powerpc(const struct state *state, const char *name, struct poly_report *report)
{
	char text[2 + 33] = "0x";
	if (!poly_powerpc_register(&state->powerpc, name, text + 2))
		return;
	poly_report_cell_text(report, NULL);
	poly_report_cell_text(report, name);
	poly_report_cell_text(report, text);
	poly_report_cell_count(report, state->powerpc_record);
}

static void
report_all_powerpc(const struct state *state, struct poly_report *report)
{
	static const char *const special[] = {
		"pc", "msr", "cr", "xer", "lr", "ctr", "mq", "fpscr", "vscr", "vrsave"};
	char name[8];
	for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
		report_powerpc(state, special[i], report);
	for (unsigned i = 0; i < 96; i++) {
		/* Only live vector registers were saved. */
		if (i >= 64 && !(state->powerpc.vrvalid >> (31 - i % 32) & 1))
			continue;
		snprintf(name, sizeof name, "%c%u", "rfv"[i / 32], i % 32);
		report_powerpc(state, name, report);
	}
}

static void
report_registers(const struct state *state, struct poly_report *report)
{
	table_open(report, "registers", "context:text register:text value:text record");
	if (state->has_powerpc)
		report_all_powerpc(state, report);
	report_named(state, report);
	poly_report_end(report);
}

static void
report_memory(const struct state *state, struct poly_report *report)
{
	const unsigned digits = state->address_bits ? (state->address_bits + 3) / 4 : 8;
	struct state_block *list = mem_new((size_t)state->block_count + 1, sizeof *list);
	table_open(report, "memory", "address bytes:text record");
	if (list && state->block_count)
		memcpy(list, state->blocks, state->block_count * sizeof *list);
	if (list)
		qsort(list, state->block_count, sizeof *list, by_address);
	for (uint32_t i = 0; list && i < state->block_count; i++) {
		char text[16 * 3 + 1];
		for (unsigned k = 0; k < 16; k++) {
			memcpy(text + 3 * k, ".. ", 3);
			if (list[i].known >> k & 1)
				num_hex_bytes(text + 3 * k, &list[i].bytes[k], 1);
		}
		text[16 * 3 - 1] = 0;
		if (!list[i].known)
			continue;
		poly_report_cell_address(report, list[i].address, digits);
		poly_report_cell_text(report, text);
		poly_report_cell_count(report, list[i].record);
	}
	poly_report_end(report);
	if (!list)
		tree_fail(report);
	mem_free(list);
}

void
query_state_report(
	const void *analysis, const struct static_ops *ops, struct poly_report *report)
{
	const struct state *state = analysis;
	const unsigned bits = state->address_bits;
	(void)ops;
	poly_report_section(report, "state");
	poly_report_count(report, "record", state->record);
	if (state->instruction) {
		poly_report_count(report, "instruction_record", state->instruction);
		poly_report_address(report, "pc", state->pc, bits ? (bits + 3) / 4 : 1);
	}
	if (state->has_time)
		poly_report_count(report, "time", state->time);
	poly_report_end(report);
	report_registers(state, report);
	report_memory(state, report);
}
