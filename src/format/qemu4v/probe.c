/* SPDX-License-Identifier: MIT */
/*
 * Distinguishes QEMU4V and Tarmac traces: a trace of the forms of QEMU4V Trace Format, and no
 * others, is QEMU4V.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/qemu4v.h"

#include <stdio.h>

/* Lines of the sample at the front. */
#define SAMPLE_LINES 256

/* Evidence of the heading of Tarmac files, in bits. */
#define HEADING_BITS 64

static bool
is_among(const struct qemu4v_word *word, const char *list)
{
	size_t n = word->length;
	for (const char *p = list; *p; p++) {
		if (p[0] == ' ' && strncmp(p + 1, (const char *)word->text, n) == 0 &&
			p[n + 1] == ' ')
			return true;
	}
	return false;
}

static const char *
foreign_instruction(const struct qemu4v *line)
{
	if (!line->has_cpu)
		return "an instruction without the number of a processor";
	if (!line->has_executed || !line->has_id)
		return "an instruction without IT or IS and a number";
	if (line->has_real)
		return "an address with its translation";
	if (line->data.unknown || !line->data.count)
		return "an unknown opcode";
	if (!is_among(&line->iset, " A T X "))
		return "another instruction set than A, T and X";
	if (!is_among(&line->mode, " svc irq fiq usr mon sys abt und "))
		return "a mode that QEMU4V does not name";
	return line->security.length && !is_among(&line->security, " s ns ")
		       ? "another security than s and ns"
		       : NULL;
}

/* Names a form of a line that QEMU4V does not have; NULL: none. */
static const char *
foreign_part(const struct qemu4v *line)
{
	if (line->is > QEMU4V_BUS)
		return line->is < QEMU4V_BLANK ? "a record that QEMU4V does not have" : NULL;
	if (line->stamp != QEMU4V_STAMP_OWN || !line->unit.length)
		return "no time with a unit";
	if (line->fraction_digits)
		return "a fraction of time";
	if (line->cpu_name.length)
		return "the name of a processor";
	if (line->foreign)
		return "a form that QEMU4V does not have";
	if (line->is == QEMU4V_INSTRUCTION)
		return foreign_instruction(line);
	if (line->is > QEMU4V_REGISTER)
		return NULL;
	if (line->has_cpu)
		return "a processor of an access or register";
	if (line->data.unknown)
		return "unknown digits";
	if (line->is == QEMU4V_REGISTER)
		return NULL;
	return line->has_real || (line->attributes.length &&
					 !is_among(&line->attributes, " X T L "))
		       ? "an access with other attributes than X, T and L"
		       : NULL;
}

static void
add_record(struct qemu4v_sample *sample, const struct qemu4v *line)
{
	size_t n = line->unit.length;
	bool first = !sample->records;
	if (first && n && n < sizeof sample->unit) {
		memcpy(sample->unit, line->unit.text, n);
		sample->fraction_digits = line->fraction_digits;
	}
	bool known = n && qemu4v_is_unit(line->unit.text, n);
	sample->records += known || line->stamp != QEMU4V_STAMP_OWN;
	sample->others += !known && line->stamp == QEMU4V_STAMP_OWN;
	if (line->is != QEMU4V_REGISTER && !sample->address_digits && line->is <= QEMU4V_MEMORY)
		sample->address_digits = line->address_digits;
}

static void
add_line(struct qemu4v_sample *sample, const struct qemu4v *line, size_t number)
{
	const char *why = foreign_part(line);
	if (why && !sample->foreign) {
		sample->foreign = number;
		sample->why = why;
	}
	if (line->is < QEMU4V_BLANK) {
		sample->named |= line->cpu_name.length && !line->has_cpu;
		sample->several |= line->has_cpu && line->cpu != 0;
	}
	if (line->is <= QEMU4V_REGISTER)
		add_record(sample, line);
	else
		sample->others += line->is >= QEMU4V_OTHER;
}

void
qemu4v_sample(struct qemu4v_sample *sample, const uint8_t *p, size_t n)
{
	static const char heading[] = "Tarmac Text Rev";
	memset(sample, 0, sizeof *sample);
	n = n < QEMU4V_SAMPLE_BYTES ? n : QEMU4V_SAMPLE_BYTES;
	sample->heading =
		n >= sizeof heading - 1 && memcmp(p, heading, sizeof heading - 1) == 0;
	for (size_t i = 0, size; i < SAMPLE_LINES; i++, p += size, n -= size) {
		struct qemu4v line;
		size = line_size(p, n, QEMU4V_LINE_MAX);
		if (size == 0)
			return;
		qemu4v_parse(p, size, true, &line);
		add_line(sample, &line, i + 1);
	}
}

/* Returns the evidence of the records of a sample, in bits. */
static int
bits_of(const struct qemu4v_sample *sample)
{
	if (sample->records < 3 || sample->others > sample->records)
		return 0;
	return sample->others ? 20 : 24;
}

int
qemu4v_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct qemu4v_sample sample;
	qemu4v_sample(&sample, p, n);
	note->near = sample.records > 0 && !sample.heading;
	note->consistent = note->distinct = note->near && !sample.foreign && !sample.others;
	if (sample.records && !sample.heading)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are instructions, accesses and registers "
			"with a time in '%s'",
			sample.records, sample.records + sample.others, sample.unit);
	if (sample.records && sample.foreign)
		snprintf(note->text, sizeof note->text, "line %zu has %s", sample.foreign,
			sample.why);
	return sample.foreign || sample.heading ? 0 : bits_of(&sample);
}

int
qemu4v_probe_tarmac(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct qemu4v_sample sample;
	qemu4v_sample(&sample, p, n);
	if (sample.heading) {
		snprintf(note->text, sizeof note->text, "the heading 'Tarmac Text Rev'");
		return HEADING_BITS;
	}
	note->consistent = sample.records > 0 && !sample.others;
	if (!sample.foreign)
		return 0;
	note->near = sample.records > 0;
	note->distinct = note->consistent;
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are instructions, accesses and registers, "
			"and line %zu has %s",
			sample.records, sample.records + sample.others, sample.foreign,
			sample.why);
	return bits_of(&sample);
}
