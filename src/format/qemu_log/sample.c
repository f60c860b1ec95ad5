/* SPDX-License-Identifier: MIT */
/* What the lines at the front of a log show, for the probe and for opening. */
#include "format/qemu_log/qemu_log.h"

#define SAMPLE_LINES 4096

static void
classify_line(struct log_sample *sample, struct log_blocks *blocks, const struct log_line *line)
{
	uint32_t cpu;
	uint64_t pc;
	struct log_execlog execlog;
	const enum log_target begins = log_dump_begins(line);
	struct log_dump dump = {.target = sample->target};
	sample->lines++;
	if (log_parse_trace(line, &cpu, &pc, &sample->digits)) {
		sample->traces++;
	} else if (log_begins(line, "----------------") || log_begins(line, "IN: ")) {
		sample->blocks++;
		if (*line->text == '-')
			log_block_begin(blocks);
	} else if (log_block_line(blocks, line, sample->target)) {
		const struct log_instruction *last =
			blocks->count ? &blocks->list[blocks->count - 1] : NULL;
		sample->has_halves |= last && last->has_halfwords;
		sample->has_bytes |=
			last && last->size && last->size != 4 && !last->has_halfwords;
	} else if (begins && !sample->target) {
		sample->target = begins;
		sample->dumps++;
	} else if (sample->target && log_dump_line(&dump, line)) {
		sample->dumps += begins == sample->target;
	} else if (log_parse_execlog(line, &execlog)) {
		sample->plugin++;
	} else if (line->size && !log_begins(line, "Linking TBs ")) {
		sample->others++;
	}
}

void
log_sample_take(struct log_sample *sample, const uint8_t *p, size_t n)
{
	struct log_blocks blocks = {.list = NULL};
	*sample = (struct log_sample){.lines = 0};
	while (n && sample->lines < SAMPLE_LINES) {
		const uint8_t *newline = memchr(p, '\n', n);
		const size_t size = newline ? (size_t)(newline - p) : 0;
		if (!newline || size > QEMU_LOG_LINE_MAX)
			break;
		const struct log_line line = {
			(const char *)p, size - (size && p[size - 1] == '\r')};
		classify_line(sample, &blocks, &line);
		p += size + 1;
		n -= size + 1;
	}
	log_blocks_free(&blocks);
}

const char *
log_sample_isa(const struct log_sample *sample)
{
	static const char *const of_targets[LOG_TARGETS] = {[LOG_X86_64] = "x86-64",
		[LOG_I386] = "x86",
		[LOG_ARM] = "arm",
		[LOG_AARCH64] = "aarch64",
		[LOG_PPC] = "powerpc",
		[LOG_RISCV] = "riscv64",
		[LOG_MIPS] = "mips32",
		[LOG_S390X] = "s390x"};
	if (sample->target == LOG_RISCV && sample->digits == 8)
		return "riscv32";
	if (sample->target == LOG_MIPS && sample->digits == 16)
		return "mips64";
	if (sample->target)
		return of_targets[sample->target];
	if (sample->has_bytes && !sample->has_halves)
		return sample->digits == 8 ? "x86" : "x86-64";
	return NULL;
}
