/* SPDX-License-Identifier: MIT */
/* Changes of variables, and the header that names them. */
#include "format/vcd/vcd.h"

#include "base/bits.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Printable characters that a variable's code is made of. */
#define CODE_FIRST '!'
#define CODE_COUNT 94u

/* Appends the code of a variable. */
static void
put_code(struct buf *to, uint32_t number)
{
	do {
		buf_byte(to, (uint8_t)(CODE_FIRST + number % CODE_COUNT));
		number /= CODE_COUNT;
	} while (number-- > 0);
}

/* A name as dumps have it: without blanks, and without what would be a choice of bits. */
static void
put_name(struct buf *to, const char *name)
{
	if (!*name)
		buf_byte(to, '_');
	for (; *name; name++) {
		const bool is_plain = *name > ' ' && *name < 0x7f && *name != '[' &&
				      *name != ']' && *name != '$';
		buf_byte(to, is_plain ? (uint8_t)*name : '_');
	}
}

/* The variable of a name; NULL: no memory, or none is taken any more. */
static struct vcd_variable *
find_variable(struct writing *writing, uint32_t scope, const char *name)
{
	struct vcd_writer *state = writing->state;
	bool added;
	const uint32_t number = intern_add(&state->names, name, strlen(name));
	if (number == INTERN_FAILED)
		return NULL;
	const uint64_t key = (uint64_t)scope << 32 | number;
	const uint64_t *known = map_find(&state->numbers, key);
	if (known)
		return &state->variables[*known];
	if (state->has_header || state->count == VCD_VARIABLES) {
		writing_note(writing,
			"changes of registers that appear too late to be named are "
			"left out");
		return NULL;
	}
	if (state->count == state->capacity) {
		const uint32_t capacity = state->capacity ? 2 * state->capacity : 64;
		struct vcd_variable *list =
			mem_resize(state->variables, capacity, sizeof *list);
		state->body.failed |= !list;
		if (!list)
			return NULL;
		state->variables = list;
		state->capacity = capacity;
	}
	if (!map_get(&state->numbers, key, state->count, &added)) {
		state->body.failed = true;
		return NULL;
	}
	state->variables[state->count] = (struct vcd_variable){.scope = scope, .name = number};
	return &state->variables[state->count++];
}

/* The time of a change, where it is another one. */
static void
put_time(struct writing *writing, uint64_t time)
{
	struct vcd_writer *state = writing->state;
	if (state->has_now && time < state->now)
		writing_note(writing, "times that go back are written as the last time");
	if (state->has_now && time <= state->now)
		return;
	state->has_now = true;
	state->now = time;
	buf_printf(&state->body, "#%llu\n", (unsigned long long)time);
}

/* Appends bits without the zeros at their front, which readers add. */
static void
put_bits(struct buf *to, const struct vcd_value *value)
{
	bool begun = false;
	buf_byte(to, 'b');
	if (!value->bytes)
		buf_byte(to, 'x');
	for (size_t i = 0; value->bytes && i < value->size; i++) {
		for (unsigned bit = 8; bit-- > 0;) {
			const bool is_set = value->bytes[i] >> bit & 1;
			const bool is_last = i + 1 == value->size && bit == 0;
			begun |= is_set;
			if (begun || is_last)
				buf_byte(to, is_set ? '1' : '0');
		}
	}
	buf_byte(to, ' ');
}

/* True where a variable has the value already; else it has from now on. */
static bool
has_value(struct vcd_variable *it, const struct vcd_value *value)
{
	uint64_t number = 0;
	for (size_t i = 0; i < value->size && value->bytes; i++)
		number = number << 8 | value->bytes[i];
	const bool is_same = it->is_known && value->bytes && value->size <= 8 &&
			     it->width <= 64 && it->value == number;
	it->is_known = value->bytes != NULL;
	it->value = number;
	return is_same;
}

bool
vcd_change(struct writing *writing, const struct vcd_place *place, const char *name,
	const struct vcd_value *value)
{
	struct vcd_writer *state = writing->state;
	struct vcd_variable *it = find_variable(writing, place->scope, name);
	if (!it)
		return !state->body.failed;
	const uint32_t width = 8 * (uint32_t)value->size;
	if (width > it->width && state->has_header)
		writing_note(writing, "values that are wider than those before may be cut off");
	else if (width > it->width)
		it->width = width;
	if (has_value(it, value))
		return true;
	put_time(writing, place->time);
	put_bits(&state->body, value);
	put_code(&state->body, (uint32_t)(it - state->variables));
	buf_byte(&state->body, '\n');
	return !state->body.failed;
}

/* A register of a FULL record, of size bytes. */
static bool
change_register(struct writing *writing, const struct vcd_place *place, const char *name,
	uint64_t value, size_t size)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
	const struct vcd_value told = {bytes, size};
	return vcd_change(writing, place, name, &told);
}

/* The numbered registers. */
static bool
change_files(struct writing *writing, const struct vcd_place *place,
	const struct poly_powerpc_state *now)
{
	struct vcd_writer *state = writing->state;
	/* What another thread had is no reason to leave anything out. */
	const bool is_own = state->has_last && state->last_scope == place->scope;
	const struct poly_powerpc_state *last = is_own ? &state->last : NULL;
	const size_t size = now->wide ? 8 : 4;
	char name[8];
	bool good = true;
	for (unsigned i = 0; i < 32 && good; i++) {
		snprintf(name, sizeof name, "r%u", i);
		if (!last || last->gpr[i] != now->gpr[i])
			good = change_register(writing, place, name, now->gpr[i], size);
		snprintf(name, sizeof name, "f%u", i);
		if (good && (!last || last->fpr[i] != now->fpr[i]))
			good = change_register(writing, place, name, now->fpr[i], 8);
		const struct vcd_value vector = {now->vr[i], sizeof now->vr[i]};
		snprintf(name, sizeof name, "v%u", i);
		/* What is not live is not there. */
		const bool is_live = now->vrvalid >> (31 - i) & 1;
		const bool was_live = last && last->vrvalid >> (31 - i) & 1;
		if (good && is_live &&
			(!was_live || memcmp(last->vr[i], now->vr[i], sizeof now->vr[i]) != 0))
			good = vcd_change(writing, place, name, &vector);
	}
	return good;
}

bool
vcd_change_powerpc(struct writing *writing, const struct vcd_place *place,
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
	bool good = change_files(writing, place, now);
	for (size_t i = 0; i < sizeof special / sizeof *special && good; i++)
		good = change_register(
			writing, place, special[i].name, special[i].value, special[i].size);
	state->last = *now;
	state->last_scope = place->scope;
	state->has_last = true;
	return good;
}

/* The unit of a trace's clock, where dumps have it. */
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
put_variables(const struct vcd_writer *state, uint32_t scope, struct buf *to)
{
	for (uint32_t i = 0; i < state->count; i++) {
		const struct vcd_variable *it = &state->variables[i];
		if (it->scope != scope)
			continue;
		buf_printf(to, "$var wire %u ", it->width ? it->width : 1);
		put_code(to, i);
		buf_byte(to, ' ');
		put_name(to, intern_text(&state->names, it->name));
		buf_string(to, " $end\n");
	}
}

/* The header: units, scopes, variables, and that nothing is known at first. */
static void
put_header(const struct vcd_writer *state, const struct poly_trace_info *source, struct buf *to)
{
	const char *unit = unit_of(state, source);
	buf_printf(to, "$version polytrace " POLY_VERSION " $end\n");
	if (!unit)
		buf_printf(to, "$comment times are %s%s $end\n",
			state->by_time ? "ticks of the clock " : "numbers of records",
			state->by_time ? source->clock : "");
	buf_printf(to, "$timescale 1 %s $end\n", unit ? unit : "ns");
	for (uint32_t scope = 0; scope < state->scopes.count; scope++) {
		buf_string(to, "$scope module ");
		put_name(to, intern_text(&state->scopes, scope));
		buf_string(to, " $end\n");
		put_variables(state, scope, to);
		buf_string(to, "$upscope $end\n");
	}
	buf_string(to, "$enddefinitions $end\n$dumpvars\n");
	for (uint32_t i = 0; i < state->count; i++) {
		buf_string(to, "bx ");
		put_code(to, i);
		buf_byte(to, '\n');
	}
	buf_string(to, "$end\n");
}

enum poly_status
vcd_flush(struct writing *writing, struct poly_error *error)
{
	struct vcd_writer *state = writing->state;
	struct buf header = {0};
	if (!state->has_header)
		put_header(state, writing->source, &header);
	state->has_header = true;
	const bool failed = header.failed || state->body.failed;
	out_write(writing->out, header.data, header.size);
	out_write(writing->out, state->body.data, state->body.size);
	buf_free(&header);
	buf_clear(&state->body);
	return failed ? err_memory(error) : POLY_OK;
}
