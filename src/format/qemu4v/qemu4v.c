/* SPDX-License-Identifier: MIT */
/*
 * QEMU4V and Tarmac traces: lines of text for instructions, memory accesses and written
 * registers, and in Tarmac for much else. Both are read by the same parser.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/qemu4v.h"

#include "base/bits.h"
#include "base/num.h"

#include <stdio.h>

static const char *const record_names[QEMU4V_RECORD_COUNT] = {
	[QEMU4V_INSTRUCTION] = "instruction",
	[QEMU4V_MEMORY] = "memory",
	[QEMU4V_REGISTER] = "register",
	[QEMU4V_FLOW] = "flow",
	[QEMU4V_EVENT] = "event",
	[QEMU4V_BUS] = "bus",
	[QEMU4V_PICTURE] = "picture",
	[QEMU4V_EXCEPTION] = "exception",
	[QEMU4V_BRANCH] = "branch",
	[QEMU4V_OPERATION] = "operation",
	[QEMU4V_COPROCESSOR] = "coprocessor",
	[QEMU4V_TEXT] = "text",
	[QEMU4V_BLANK] = "blank",
	[QEMU4V_COMMENT] = "comment",
	[QEMU4V_OTHER] = "other",
	[QEMU4V_CORRUPT] = "corrupt",
};

static const char *const owners[] = {"instruction", "none", NULL};
static const char *const cpus[] = {"auto", "always", "never", NULL};
static const char *const profiles[] = {"qemu4v", "microtesk", NULL};
const char *const qemu4v_data_orders[] = {"value", "memory", NULL};

/* Chooses the clock of a trace, by its first record. */
static enum poly_status
choose_clock(
	struct reading *reading, const struct qemu4v_sample *sample, struct poly_error *error)
{
	struct qemu4v_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	const uint64_t wanted = reading->options[QEMU4V_OPTION_UNIT];
	char name[40];
	const char *name_of_unit =
		info_string(reading->info, sample->unit[0] ? sample->unit : "clk");
	if (!name_of_unit)
		return err_memory(error);
	struct qemu4v_word unit = {(const uint8_t *)name_of_unit, strlen(name_of_unit)};
	reader->unit = unit;
	struct qemu4v_clock clock = qemu4v_clock(&unit, sample->fraction_digits);
	if (wanted && !clock.physical)
		return err_usage(error,
			"the trace's times are in '%s', which cannot be converted to '%s'",
			qemu4v_clock_name(&clock, name), qemu4v_units[wanted]);
	if (wanted) {
		unit = (struct qemu4v_word){
			(const uint8_t *)qemu4v_units[wanted], strlen(qemu4v_units[wanted])};
		clock = qemu4v_clock(&unit, 0);
	}
	view->clock = info_string(reading->info, qemu4v_clock_name(&clock, name));
	if (!view->clock)
		return err_memory(error);
	reader->clock = clock;
	return POLY_OK;
}

static const struct line_format line_format = {
	.limit = QEMU4V_LINE_MAX,
	.corrupt_kind = QEMU4V_CORRUPT,
	.too_long = QEMU4V_Q01,
	.predict = {.windows = POLY_COLUMNS_INIT(
			    time, instruction_id, address, real_address, value)},
	.parse_line = qemu4v_parse_line,
};

static enum poly_status
open_lines(struct reading *reading, bool tarmac, struct poly_error *error)
{
	struct qemu4v_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	const uint64_t order = reading->options[QEMU4V_OPTION_DATA];
	struct qemu4v_sample sample;
	char digits[4] = "";
	size_t have;
	const uint8_t *p = in_peek(reading->in, QEMU4V_SAMPLE_BYTES, &have);
	qemu4v_sample(&sample, p, have);
	lines_open(reading, &reader->lines, &line_format);
	reader->tarmac = tarmac;
	/* Processors with a name are numbered in the order in which they appear. */
	reader->numbers = reading->unsplittable = sample.named;
	reader->address_digits = sample.address_digits ? sample.address_digits : 8;
	reader->memory_order = order == QEMU4V_DATA_MEMORY;
	reader->owns = reading->options[QEMU4V_OPTION_OWNER] == QEMU4V_OWNER_INSTRUCTION;
	digits[num_decimal(digits, reader->address_digits)] = 0;
	enum poly_status status = choose_clock(reading, &sample, error);
	if (status != POLY_OK)
		return status;
	if (sample.several && !info_fact(reading->info, "tarmac.cpus", "several"))
		return err_memory(error);
	if (!info_fact(reading->info, "qemu4v.form", tarmac ? "tarmac" : "qemu4v") ||
		!info_fact(reading->info, "qemu4v.address", digits) ||
		!info_fact(reading->info, "tarmac.data", qemu4v_data_orders[order]))
		return err_memory(error);
	view->address_bits = reader->address_digits <= 8 ? 32 : 64;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->records = record_names;
	view->record_count = QEMU4V_RECORD_COUNT;
	return POLY_OK;
}

static enum poly_status
qemu4v_open(struct reading *reading, struct poly_error *error)
{
	return open_lines(reading, false, error);
}

static enum poly_status
tarmac_open(struct reading *reading, struct poly_error *error)
{
	return open_lines(reading, true, error);
}

static enum poly_status
qemu4v_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct qemu4v_reader *reader = reading->state;
	enum poly_status status = lines_read(reading, batch, error);
	qemu4v_resolve(reading, &reader->context, batch);
	return status;
}

static void
qemu4v_close(struct reading *reading)
{
	struct qemu4v_reader *reader = reading->state;
	lines_close(reading);
	map_free(&reader->check.opcodes);
}

#define OWNER                                                                        \
	{                                                                            \
		"tarmac.owner", POLY_OPTION_CHOICE, POLY_OPTION_READ,                \
			.initial = QEMU4V_OWNER_INSTRUCTION, .choices = owners,      \
			.help = "for a record without a processor, use that of the " \
				"instruction with the same time, or none (default "  \
				"instruction)",                                      \
			.source = "QEMU4V Trace Format, Memory access record"        \
	}
#define DATA                                                                               \
	{                                                                                  \
		"tarmac.data", POLY_OPTION_CHOICE, POLY_OPTION_READ | POLY_OPTION_WRITE,   \
			.initial = QEMU4V_DATA_VALUE, .choices = qemu4v_data_orders,       \
			.help = "interpret memory data as a value, or as bytes in memory " \
				"order (default value)",                                   \
			.source = "Arm Fast Models, Tarmac Trace"                          \
	}
#define UNIT                                                                                  \
	{                                                                                     \
		"tarmac.unit", POLY_OPTION_CHOICE, POLY_OPTION_READ,                          \
			.choices = qemu4v_units,                                              \
			.help = "convert times to this unit (default trace: the unit of the " \
				"first record)",                                              \
			.source = "QEMU4V Trace Format, Instruction record"                   \
	}

static const struct poly_option tarmac_options[] = {
	[QEMU4V_OPTION_OWNER] = OWNER,
	[QEMU4V_OPTION_DATA] = DATA,
	[QEMU4V_OPTION_UNIT] = UNIT,
	[TARMAC_OPTION_CPU] = {"tarmac.cpu", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.initial = TARMAC_CPU_AUTO, .choices = cpus,
		.help = "write cpu0, cpu1, ... on every record always, never, or if the trace "
			"has several processors (default auto)",
		.source = "Arm Fast Models, Tarmac Trace"},
	{.name = NULL},
};

static const struct poly_option qemu4v_options[] = {
	[QEMU4V_OPTION_OWNER] = OWNER,
	[QEMU4V_OPTION_DATA] = DATA,
	[QEMU4V_OPTION_UNIT] = UNIT,
	[QEMU4V_OPTION_PROFILE] = {"qemu4v.profile", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.initial = QEMU4V_PROFILE_QEMU4V, .choices = profiles,
		.help = "write lines as QEMU4V Trace Format specifies them, or as MicroTESK "
			"writes them (default qemu4v)",
		.source = "QEMU4V Trace Format"},
	{.name = NULL},
};

/* Columns of both formats, which read each other's lines. */
#define COLUMNS                                                                              \
	kind, record, time, cpu, cpu_name, pc, opcode, opcode_size, target, access, address, \
		size, value, reg, mode, security, instruction_set, instruction_id,           \
		access_attributes, executed, real_pc, real_address, text, payload, raw, origin

#define CHUNK_CHECKS                                                                           \
	.checks_chunks = true, .check_offset = offsetof(struct qemu4v_reader, check.sequence), \
	.check_size = sizeof(struct qemu4v_sequence), .check_fits = qemu4v_check_fits,         \
	.check_deferred = qemu4v_check_deferred, .check_adopt = qemu4v_check_adopt

static const struct format qemu4v = {
	.content = {.users = "QEMU4V",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(REGISTER),
		.own_columns =
			POLY_COLUMNS_INIT(cpu_name, target, real_pc, real_address, payload),
		.fills = POLY_COLUMNS_INIT(
			time, cpu, mode, instruction_set, instruction_id, executed, text)},
	.info =
		{
			.name = "qemu4v",
			.family = "qemu4v",
			.title = "QEMU4V text trace",
			.extensions = "q4v",
			.spec = "QEMU4V Trace Format",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(COLUMNS),
			.needs = POLY_COLUMNS_INIT(pc, opcode),
			.options = qemu4v_options,
			.rules = qemu4v_rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct qemu4v_reader),
	.writer_size = sizeof(struct qemu4v_writer),
	.probe = qemu4v_probe,
	.open = qemu4v_open,
	.also = qemu4v_also,
	.read = qemu4v_read,
	.resync = lines_resync,
	.find_split = qemu4v_cut,
	.check = qemu4v_check,
	CHUNK_CHECKS,
	.close = qemu4v_close,
	.effects = EFFECTS_SEPARATE,
	.wopen = qemu4v_wopen,
	.write_row = qemu4v_write_row,
	.predict_state = qemu4v_predict_state,
	.numbers_size = sizeof(struct qemu4v_writer),
};

static const struct format tarmac = {
	.content = {.users = "Arm models, RTL",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(REGISTER) | POLY_KIND_BIT(EVENT),
		.own_kinds = POLY_KIND_BIT(EVENT),
		.own_columns = POLY_COLUMNS_INIT(cpu, target, real_pc, real_address, payload),
		.fills = POLY_COLUMNS_INIT(time, cpu, cpu_name, mode, security, instruction_set,
			instruction_id, executed, text)},
	.info =
		{
			.name = "tarmac",
			.family = "qemu4v",
			.title = "ARM Tarmac text trace",
			.extensions = "tarmac",
			.spec = "Arm Fast Models, Tarmac Trace",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(COLUMNS),
			.needs = POLY_COLUMNS_INIT(pc, opcode),
			.options = tarmac_options,
			.rules = qemu4v_rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct qemu4v_reader),
	.writer_size = sizeof(struct qemu4v_writer),
	.probe = qemu4v_probe_tarmac,
	.open = tarmac_open,
	.also = qemu4v_also,
	.read = qemu4v_read,
	.resync = lines_resync,
	.find_split = qemu4v_cut,
	.check = qemu4v_check,
	CHUNK_CHECKS,
	.close = qemu4v_close,
	.effects = EFFECTS_SEPARATE,
	.wopen = qemu4v_wopen_tarmac,
	.write_row = qemu4v_write_row,
	.predict_state = qemu4v_predict_state,
	.numbers_size = sizeof(struct qemu4v_writer),
};

const struct format *const formats_qemu4v[] = {&qemu4v, &tarmac, NULL};
