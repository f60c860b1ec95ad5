/* SPDX-License-Identifier: MIT */
/* Variables of a value change dump, and writing of their changes. */
#ifndef FORMAT_VCD_VCD_H
#define FORMAT_VCD_VCD_H

#include "polytrace/powerpc.h"

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "format/core/format.h"

/*
 * Maximum bytes of buffered changes: a dump declares its variables before their first change,
 * but the registers of a trace are known only as it is read.
 */
#define VCD_HELD_MAX ((size_t)32 << 20)

/* Widest register, in bytes. */
#define VCD_WIDTH_MAX 256

/* Maximum number of variables of a dump. */
#define VCD_VARIABLES 65536

enum { VCD_OPTION_TIME };
enum { VCD_TIME_AUTO, VCD_TIME_RECORD };

struct vcd_variable {
	uint32_t scope, name;
	uint32_t width; /* in bits */
	bool is_known;
	uint64_t value; /* valid up to 64 bits */
};

struct vcd_writer {
	struct intern names, scopes;
	struct map numbers; /* by scope and name */
	struct vcd_variable *variables;
	uint32_t count, capacity;
	struct buf body; /* changes that are not written yet */
	bool has_header, has_now;
	uint64_t now; /* the time of the last change */
	bool by_time;
	struct poly_powerpc_state last; /* of the last FULL record */
	uint32_t last_scope;		/* scope of that record */
	bool has_last;
};

/* The bytes of a value, most significant first; NULL: unknown. */
struct vcd_value {
	const uint8_t *bytes;
	size_t size;
};

/* Scope and time of a change. */
struct vcd_moment {
	uint32_t scope;
	uint64_t time;
};

/* Writes a variable's value if it changed; false: out of memory. */
bool vcd_change(struct writing *writing, const struct vcd_moment *moment, const char *name,
	const struct vcd_value *value);

/* Writes the changed registers of a FULL record; false: out of memory. */
bool vcd_change_powerpc(struct writing *writing, const struct vcd_moment *moment,
	const struct poly_powerpc_state *state);

/* Writes the header once, then the buffered changes; POLY_ERR_MEMORY. */
enum poly_status vcd_flush(struct writing *writing, struct poly_error *error);

#endif
