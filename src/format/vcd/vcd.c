/* SPDX-License-Identifier: MIT */
/*
 * VCD writer: pc and registers over time, for waveform viewers.
 *
 * Each processor, or thread, is a scope. Time is the trace's clock or, without one, the record
 * number.
 * spec: IEEE 1364-2005, 18.2 (four-state value change dump).
 */
#include "format/vcd/vcd.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Finds the scope of a row; INTERN_FAILED: out of memory. */
static uint32_t
scope_of(struct vcd_writer *state, const struct poly_batch *batch, size_t row)
{
	char generated[32] = "trace";
	const char *name = generated;
	if (poly_present(batch, POLY_COLUMN_cpu_name, row))
		name = poly_trace_name(batch->info, batch->cpu_name[row]);
	else if (poly_present(batch, POLY_COLUMN_cpu, row))
		snprintf(generated, sizeof generated, "cpu%u", batch->cpu[row]);
	else if (poly_present(batch, POLY_COLUMN_thread, row))
		snprintf(generated, sizeof generated, "thread%llu",
			(unsigned long long)batch->thread[row]);
	return name ? intern_add(&state->scopes, name, strlen(name)) : INTERN_FAILED;
}

/* Writes a register record. */
static bool
write_register(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct vcd_moment *moment)
{
	const char *name = poly_present(batch, POLY_COLUMN_reg, row)
				   ? poly_trace_name(batch->info, batch->reg[row])
				   : NULL;
	struct vcd_value value = {NULL, 0};
	uint8_t bytes[8];
	if (!name || !*name)
		return true;
	if (poly_present(batch, POLY_COLUMN_size, row))
		value.size = batch->size[row];
	if (poly_present(batch, POLY_COLUMN_value, row)) {
		if (!value.size || value.size > 8)
			value.size = 8;
		for (size_t i = 0; i < value.size; i++)
			bytes[i] = (uint8_t)(batch->value[row] >> 8 * (value.size - 1 - i));
		value.bytes = bytes;
	} else if (poly_present(batch, POLY_COLUMN_payload, row)) {
		value.bytes = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &value.size);
	}
	if (value.size > VCD_WIDTH_MAX) {
		writing_note(writing, "values of more than 2048 bits were dropped");
		return true;
	}
	return vcd_change(writing, moment, name, &value);
}

/* Writes the pc of an instruction, and its registers if the record has them all. */
static bool
write_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct vcd_moment *moment)
{
	const struct poly_trace_info *source = writing->source;
	struct poly_powerpc_state registers;
	uint8_t bytes[8];
	const size_t size =
		source->address_bits && source->address_bits <= 32 && !(batch->pc[row] >> 32)
			? 4
			: 8;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(batch->pc[row] >> 8 * (size - 1 - i));
	const struct vcd_value value = {bytes, size};
	if (!vcd_change(writing, moment, "pc", &value))
		return false;
	const bool is_powerpc = source->isa && strcmp(source->isa, "powerpc") == 0;
	if (!is_powerpc || !poly_present(batch, POLY_COLUMN_payload, row) ||
		poly_powerpc_state_decode(batch, row, &registers, NULL) != POLY_OK)
		return true;
	return vcd_change_powerpc(writing, moment, &registers);
}

static bool
write_row(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct vcd_writer *state = writing->state;
	struct vcd_moment moment = {.time = poly_batch_number(batch, row)};
	if (!poly_present(batch, POLY_COLUMN_kind, row))
		return true;
	const unsigned kind = batch->kind[row];
	const bool has_pc =
		kind == POLY_KIND_INSTRUCTION && poly_present(batch, POLY_COLUMN_pc, row);
	if (!has_pc && kind != POLY_KIND_REGISTER)
		return true;
	if (state->by_time)
		moment.time = poly_present(batch, POLY_COLUMN_time, row) ? batch->time[row]
									 : state->now;
	moment.scope = scope_of(state, batch, row);
	if (moment.scope == INTERN_FAILED)
		return false;
	return has_pc ? write_instruction(writing, batch, row, &moment)
		      : write_register(writing, batch, row, &moment);
}

static enum poly_status
vcd_wopen(struct writing *writing, struct poly_error *error)
{
	struct vcd_writer *state = writing->state;
	(void)error;
	state->by_time =
		writing->options[VCD_OPTION_TIME] == VCD_TIME_AUTO && writing->source->clock;
	return POLY_OK;
}

static enum poly_status
vcd_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct vcd_writer *state = writing->state;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!write_row(writing, batch, row))
			return err_memory(error);
	}
	if (state->body.size < (state->has_header ? OUT_ROOM_MAX : VCD_HELD_MAX))
		return POLY_OK;
	return vcd_flush(writing, error);
}

static void
vcd_wclose(struct writing *writing)
{
	struct vcd_writer *state = writing->state;
	buf_free(&state->body);
	intern_free(&state->names);
	intern_free(&state->scopes);
	map_free(&state->numbers);
	mem_free(state->variables);
}

static const char *const times[] = {"auto", "record", NULL};

static const struct poly_option options[] = {
	[VCD_OPTION_TIME] = {"vcd.time", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.initial = VCD_TIME_AUTO, .choices = times,
		.help = "use the trace's clock, or record numbers, as time (default auto: the "
			"clock if the trace has one)"},
	{.name = NULL},
};
static const struct poly_rule no_rules[] = {{.code = NULL}};

static const struct format vcd = {
	.content = {.users = "GTKWave",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(REGISTER)},
	.info = {.name = "vcd",
		.family = "vcd",
		.title = "value change dump of pc and registers, for waveform viewers",
		.extensions = "vcd",
		.spec = "IEEE 1364-2005, 18.2",
		.can_write = true,
		.columns = POLY_COLUMNS_INIT(
			kind, time, cpu, cpu_name, thread, pc, reg, size, value, payload),
		.needs = POLY_COLUMNS_INIT(pc),
		.options = options,
		.rules = no_rules},
	.is_text = true,
	.writer_size = sizeof(struct vcd_writer),
	.wopen = vcd_wopen,
	.write = vcd_write,
	.wfinish = vcd_flush,
	.wclose = vcd_wclose,
};

const struct format *const formats_vcd[] = {&vcd, NULL};
