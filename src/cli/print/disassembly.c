/* SPDX-License-Identifier: MIT */
/* Disassembly for listings, cached by site. */
#include "cli/print/disassembly.h"

#include "cli/print/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sites whose texts are kept, and the bytes of all texts that are kept at once. */
#define SITES_MAX ((uint32_t)1 << 14)
#define TEXTS_MAX ((size_t)1 << 20)

/*
 * The text of a site, which is a pc and an opcode: at one site, encodings of several sizes and
 * instruction sets can have the same value.
 */
struct site_text {
	uint32_t site;
	size_t text;		    /* its offset in texts plus 1; 0: not yet disassembled */
	size_t size;		    /* bytes of its encoding */
	struct poly_disasm *disasm; /* of its instruction set */
};

struct disassembly {
	struct poly_disasm *disasm;
	struct poly_disasm *thumb; /* of ARM, whose rows may be either; or NULL */
	bool powerpc;
	bool sized;		 /* rows state the size of their opcodes */
	struct site_text *sites; /* by the site's number, modulo SITES_MAX */
	char *texts;		 /* concatenated, each with a NUL */
	size_t used, room;	 /* bytes of texts */
};

/* Whether an instruction set is known by name. */
static bool
is_known(const char *isa)
{
	const char *name;
	for (size_t i = 0; isa && (name = poly_isa_at(i)); i++) {
		if (strcmp(name, isa) == 0)
			return true;
	}
	return false;
}

struct disassembly *
disassembly_new(const struct poly_trace_info *info, const char *name)
{
	if (!is_known(info->isa) || !POLY_HAS(info->columns, opcode))
		return NULL;
	struct disassembly *disassembly = diag_allocate(1, sizeof *disassembly);
	struct poly_error error;
	disassembly->powerpc = strcmp(info->isa, "powerpc") == 0;
	/* Instructions of PowerPC always have 4 bytes. */
	disassembly->sized = !disassembly->powerpc && POLY_HAS(info->columns, opcode_size);
	enum poly_status status = poly_disasm_open(info->isa, &disassembly->disasm, &error);
	if (status == POLY_OK && strcmp(info->isa, "arm") == 0 &&
		POLY_HAS(info->columns, instruction_set))
		status = poly_disasm_open("thumb", &disassembly->thumb, &error);
	if (status == POLY_OK)
		return disassembly;
	if (status == POLY_ERR_MEMORY)
		diag_no_memory();
	diag_error(name, &error);
	disassembly_free(disassembly);
	return NULL;
}

void
disassembly_free(struct disassembly *disassembly)
{
	if (!disassembly)
		return;
	poly_disasm_close(disassembly->disasm);
	poly_disasm_close(disassembly->thumb);
	free(disassembly->sites);
	free(disassembly->texts);
	free(disassembly);
}

/* Returns the entry of a site, which replaces another one's. */
static struct site_text *
place_of(struct disassembly *disassembly, uint32_t site)
{
	if (!disassembly->sites)
		disassembly->sites = diag_allocate(SITES_MAX, sizeof *disassembly->sites);
	struct site_text *place = &disassembly->sites[site % SITES_MAX];
	if (place->site != site)
		*place = (struct site_text){.site = site};
	return place;
}

/* Returns an encoding longer than an opcode; NULL: the row has none. */
static const char *
disassemble_long(struct disassembly *disassembly, const struct poly_batch *batch, size_t row)
{
	size_t n = 0;
	const uint8_t *bytes = NULL;
	if (poly_present(batch, POLY_COLUMN_opcode_size, row) &&
		poly_present(batch, POLY_COLUMN_payload, row))
		bytes = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	if (!n || n != batch->opcode_size[row])
		return NULL;
	bool placed = poly_present(batch, POLY_COLUMN_pc, row);
	return poly_disasm_bytes(disassembly->disasm, placed ? batch->pc[row] : 0, bytes, n);
}

/* Returns the bytes of a row's opcode; 0: unknown, although the trace states sizes. */
static size_t
size_of(const struct disassembly *disassembly, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		return batch->opcode_size[row];
	return disassembly->sized ? 0 : 4;
}

/* Returns the disassembler of a row's instruction set. */
static struct poly_disasm *
disasm_of(const struct disassembly *disassembly, const struct poly_batch *batch, size_t row)
{
	if (!disassembly->thumb || !poly_present(batch, POLY_COLUMN_instruction_set, row))
		return disassembly->disasm;
	const char *set = poly_trace_name(batch->info, batch->instruction_set[row]);
	return set && *set == 'T' ? disassembly->thumb : disassembly->disasm;
}

static const char *
disassemble(struct disassembly *disassembly, const struct poly_batch *batch, size_t row)
{
	bool placed = poly_present(batch, POLY_COLUMN_pc, row);
	return poly_disasm_text(disasm_of(disassembly, batch, row), placed ? batch->pc[row] : 0,
		batch->opcode[row], (unsigned)size_of(disassembly, batch, row));
}

/* Stores the text of a site; returns its offset in texts. */
static size_t
keep(struct disassembly *disassembly, const char *text)
{
	const size_t size = strlen(text) + 1;
	if (disassembly->used + size > TEXTS_MAX) {
		memset(disassembly->sites, 0, SITES_MAX * sizeof *disassembly->sites);
		disassembly->used = 0;
	}
	if (disassembly->room - disassembly->used < size) {
		disassembly->room = 2 * (disassembly->room + size);
		disassembly->texts = realloc(disassembly->texts, disassembly->room);
		if (!disassembly->texts)
			diag_no_memory();
	}
	const size_t offset = disassembly->used;
	memcpy(disassembly->texts + offset, text, size);
	disassembly->used += size;
	return offset;
}

const char *
disassembly_text(struct disassembly *disassembly, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_opcode, row))
		return disassemble_long(disassembly, batch, row);
	size_t size = size_of(disassembly, batch, row);
	if (!size)
		return NULL;
	if (!poly_present(batch, POLY_COLUMN_site, row))
		return disassemble(disassembly, batch, row);
	struct site_text *place = place_of(disassembly, batch->site[row]);
	struct poly_disasm *disasm = disasm_of(disassembly, batch, row);
	if (place->text && (place->size != size || place->disasm != disasm))
		return disassemble(disassembly, batch, row);
	if (!place->text) {
		const size_t text = keep(disassembly, disassemble(disassembly, batch, row));
		*place = (struct site_text){batch->site[row], text + 1, size, disasm};
	}
	return disassembly->texts + place->text - 1;
}

/* Appends the code of an escape record without a value, and its first words if decoded. */
static int
describe_escape(const struct poly_batch *batch, size_t row, char *text)
{
	enum { WORDS_MAX = 4 };
	char digits[2 * 4 * WORDS_MAX + 4] = "";
	if (poly_present(batch, POLY_COLUMN_payload, row))
		poly_batch_format(batch, POLY_COLUMN_payload, row, digits, sizeof digits);
	size_t length = strlen(digits);
	bool is_long = length > 8 * WORDS_MAX;
	int n = snprintf(text, DISASSEMBLY_REMARK, "; escape 0x%03x%s",
		(unsigned)batch->escape[row], length ? ":" : "");
	for (size_t i = 0; i + 8 <= length && i < 8 * WORDS_MAX; i += 8)
		n += snprintf(text + n, DISASSEMBLY_REMARK - (size_t)n, " 0x%.8s", digits + i);
	return n +
	       snprintf(text + n, DISASSEMBLY_REMARK - (size_t)n, "%s", is_long ? " ..." : "");
}

size_t
disassembly_remark(const struct disassembly *disassembly, const struct poly_batch *batch,
	size_t row, char *text)
{
	struct poly_powerpc_stream stream;
	int n = 0;
	if (!disassembly->powerpc)
		return 0;
	if (poly_powerpc_stream_of(batch, row, &stream)) {
		n = snprintf(text, DISASSEMBLY_REMARK, "; stream: %u x %u bytes, stride %d",
			stream.block_count, 16 * stream.block_size, stream.stride);
	} else if (poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) {
		n = snprintf(text, DISASSEMBLY_REMARK, "; put there by the tracer");
	} else if (poly_present(batch, POLY_COLUMN_escape, row) &&
		   !poly_present(batch, POLY_COLUMN_value, row)) {
		n = describe_escape(batch, row, text);
	}
	return (size_t)n;
}
