/* SPDX-License-Identifier: MIT */
/* Changes of variables, and the header that declares them. */
#include "format/vcd/vcd.h"

#include "base/bits.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* Printable characters of a variable's identifier code. */
#define CODE_FIRST '!'
#define CODE_COUNT 94u

/* Appends the code of a variable. */
static void
append_code(struct buf *buf, uint32_t number)
{
	do {
		buf_byte(buf, (uint8_t)(CODE_FIRST + number % CODE_COUNT));
		number /= CODE_COUNT;
	} while (number-- > 0);
}

/* Appends a name without blanks, and without characters that would select bits. */
static void
append_name(struct buf *buf, const char *name)
{
	if (!*name)
		buf_byte(buf, '_');
	for (; *name; name++) {
		const bool is_plain = *name > ' ' && *name < 0x7f && *name != '[' &&
				      *name != ']' && *name != '$';
		buf_byte(buf, is_plain ? (uint8_t)*name : '_');
	}
}

/* Finds or adds the variable of a name; NULL: out of memory, or too late for a new one. */
static struct vcd_variable *
find_variable(struct writing *writing, uint32_t scope, const char *name)
{
	struct vcd_writer *state = writing->state;
	bool added;
	const uint32_t number = intern_add(&state->names, name, strlen(name));
	if (number == INTERN_FAILED) {
		state->body.failed = true;
		return NULL;
	}
	const uint64_t key = (uint64_t)scope << 32 | number;
	const uint64_t *known = map_find(&state->numbers, key);
	if (known)
		return &state->variables[*known];
	if (state->has_header || state->count == VCD_VARIABLES) {
		writing_note(writing, "changes of registers that appear too late to be "
				      "declared were dropped");
		return NULL;
	}
	if (!VEC_ROOM(state->variables, state->capacity, state->count)) {
		state->body.failed = true;
		return NULL;
	}
	if (!map_get(&state->numbers, key, state->count, &added)) {
		state->body.failed = true;
		return NULL;
	}
	state->variables[state->count] = (struct vcd_variable){.scope = scope, .name = number};
	return &state->variables[state->count++];
}

/* Appends the time of a change, if it is later. */
static void
append_time(struct writing *writing, uint64_t time)
{
	struct vcd_writer *state = writing->state;
	if (state->has_now && time < state->now)
		writing_note(writing, "times that go back were written as the last time");
	if (state->has_now && time <= state->now)
		return;
	state->has_now = true;
	state->now = time;
	buf_printf(&state->body, "#%llu\n", (unsigned long long)time);
}

/* Appends bits without leading zeros, which readers add. */
static void
append_bits(struct buf *buf, const struct vcd_value *value)
{
	bool begun = false;
	buf_byte(buf, 'b');
	if (!value->bytes)
		buf_byte(buf, 'x');
	for (size_t i = 0; value->bytes && i < value->size; i++) {
		for (unsigned bit = 8; bit-- > 0;) {
			const bool is_set = value->bytes[i] >> bit & 1;
			const bool is_last = i + 1 == value->size && bit == 0;
			begun |= is_set;
			if (begun || is_last)
				buf_byte(buf, is_set ? '1' : '0');
		}
	}
	buf_byte(buf, ' ');
}

/* Sets the value of a variable; true if it is unchanged. */
static bool
has_value(struct vcd_variable *variable, const struct vcd_value *value)
{
	uint64_t number = 0;
	for (size_t i = 0; i < value->size && value->bytes; i++)
		number = number << 8 | value->bytes[i];
	const bool is_same = variable->is_known && value->bytes && value->size <= 8 &&
			     variable->width <= 64 && variable->value == number;
	variable->is_known = value->bytes != NULL;
	variable->value = number;
	return is_same;
}

bool
vcd_change(struct writing *writing, const struct vcd_moment *moment, const char *name,
	const struct vcd_value *value)
{
	struct vcd_writer *state = writing->state;
	struct vcd_variable *variable = find_variable(writing, moment->scope, name);
	if (!variable)
		return !state->body.failed;
	const uint32_t width = 8 * (uint32_t)value->size;
	if (width > variable->width && state->has_header)
		writing_note(
			writing, "values that are wider than earlier ones may be truncated");
	else if (width > variable->width)
		variable->width = width;
	if (has_value(variable, value))
		return true;
	append_time(writing, moment->time);
	append_bits(&state->body, value);
	append_code(&state->body, (uint32_t)(variable - state->variables));
	buf_byte(&state->body, '\n');
	return !state->body.failed;
}

/* Writes a register of a FULL record, of size bytes. */
static bool
change_register(struct writing *writing, const struct vcd_moment *moment, const char *name,
	uint64_t value, size_t size)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
	const struct vcd_value changed = {bytes, size};
	return vcd_change(writing, moment, name, &changed);
}

/* Writes the changed numbered registers. */
static bool
change_files(struct writing *writing, const struct vcd_moment *moment,
	const struct poly_powerpc_state *now)
{
	struct vcd_writer *state = writing->state;
	/* Compare only with a record of the same scope. */
	const bool is_own = state->has_last && state->last_scope == moment->scope;
	const struct poly_powerpc_state *last = is_own ? &state->last : NULL;
	const size_t size = now->wide ? 8 : 4;
	char name[8];
	bool good = true;
	for (unsigned i = 0; i < 32 && good; i++) {
		snprintf(name, sizeof name, "r%u", i);
		if (!last || last->gpr[i] != now->gpr[i])
			good = change_register(writing, moment, name, now->gpr[i], size);
		snprintf(name, sizeof name, "f%u", i);
		if (good && (!last || last->fpr[i] != now->fpr[i]))
			good = change_register(writing, moment, name, now->fpr[i], 8);
		const struct vcd_value vector = {now->vr[i], sizeof now->vr[i]};
		snprintf(name, sizeof name, "v%u", i);
		/* A vector register has a value only if it is live. */
		const bool is_live = now->vrvalid >> (31 - i) & 1;
		const bool was_live = last && last->vrvalid >> (31 - i) & 1;
		if (good && is_live &&
			(!was_live || memcmp(last->vr[i], now->vr[i], sizeof now->vr[i]) != 0))
			good = vcd_change(writing, moment, name, &vector);
	}
	return good;
}

bool
vcd_change_powerpc(struct writing *writing, const struct vcd_moment *moment,
	const struct poly_powerpc_state *now)
{
	struct vcd_writer *state = writing->state;
	const size_t size = now->wide ? 8 : 4;
	const struct {
		const char *name;
		uint64_t value;
		size_t size;
	} special[] = {{"msr", now->msr, size}, {"cr", now->cr, 4}, {"xer", now->xer, size},
		{"lr", now->lr, size}, {"ctr", now->ctr, size}, {"fpscr", now->fpscr, 4},
		{"vrsave", now->vrsave, 4}, {"vscr", now->vscr, 4}};
	bool good = change_files(writing, moment, now);
	for (size_t i = 0; i < sizeof special / sizeof *special && good; i++)
		good = change_register(
			writing, moment, special[i].name, special[i].value, special[i].size);
	state->last = *now;
	state->last_scope = moment->scope;
	state->has_last = true;
	return good;
}

/* Returns the unit of a trace's clock if VCD has it. */
static const char *
unit_of(const struct vcd_writer *state, const struct poly_trace_info *source)
{
	static const char *const units[] = {"fs", "ps", "ns", "us", "ms", "s"};
	for (size_t i = 0; state->by_time && i < sizeof units / sizeof *units; i++) {
		if (strcmp(units[i], source->clock) == 0)
			return units[i];
	}
	return NULL;
}

static void
append_variables(const struct vcd_writer *state, uint32_t scope, struct buf *buf)
{
	for (uint32_t i = 0; i < state->count; i++) {
		const struct vcd_variable *variable = &state->variables[i];
		if (variable->scope != scope)
			continue;
		buf_printf(buf, "$var wire %u ", variable->width ? variable->width : 1);
		append_code(buf, i);
		buf_byte(buf, ' ');
		append_name(buf, intern_text(&state->names, variable->name));
		buf_string(buf, " $end\n");
	}
}

/* Appends the header: units, scopes, variables, and unknown initial values. */
static void
append_header(
	const struct vcd_writer *state, const struct poly_trace_info *source, struct buf *buf)
{
	const char *unit = unit_of(state, source);
	buf_printf(buf, "$version polytrace " POLY_VERSION " $end\n");
	if (!unit)
		buf_printf(buf, "$comment times are %s%s $end\n",
			state->by_time ? "ticks of the clock " : "record numbers",
			state->by_time ? source->clock : "");
	buf_printf(buf, "$timescale 1 %s $end\n", unit ? unit : "ns");
	for (uint32_t scope = 0; scope < state->scopes.count; scope++) {
		buf_string(buf, "$scope module ");
		append_name(buf, intern_text(&state->scopes, scope));
		buf_string(buf, " $end\n");
		append_variables(state, scope, buf);
		buf_string(buf, "$upscope $end\n");
	}
	buf_string(buf, "$enddefinitions $end\n$dumpvars\n");
	for (uint32_t i = 0; i < state->count; i++) {
		buf_string(buf, "bx ");
		append_code(buf, i);
		buf_byte(buf, '\n');
	}
	buf_string(buf, "$end\n");
}

enum poly_status
vcd_flush(struct writing *writing, struct poly_error *error)
{
	struct vcd_writer *state = writing->state;
	struct buf header = {0};
	if (!state->has_header)
		append_header(state, writing->source, &header);
	state->has_header = true;
	const bool failed = header.failed || state->body.failed;
	out_write(writing->out, header.data, header.size);
	out_write(writing->out, state->body.data, state->body.size);
	buf_free(&header);
	buf_clear(&state->body);
	return failed ? err_memory(error) : POLY_OK;
}
