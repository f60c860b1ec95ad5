/* SPDX-License-Identifier: MIT */
/* Variables of a value change dump, and how their changes are written. */
#ifndef FORMAT_VCD_VCD_H
#define FORMAT_VCD_VCD_H

#include "polytrace/powerpc.h"

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "format/format.h"

/*
 * Changes that are held back, in bytes: a dump names its variables before their first change,
 * and which registers a trace has is seen only as it is read.
 */
#define VCD_HELD_MOST ((size_t)32 << 20)

/* Widest register, in bytes. */
#define VCD_WIDTH_MOST 256

/* Variables of a dump; a trace does not have that many registers. */
#define VCD_VARIABLES 65536

enum { VCD_OPTION_TIME };
enum { VCD_TIME_AUTO, VCD_TIME_RECORD };

struct vcd_variable {
	uint32_t scope, name;
	uint32_t width; /* in bits */
	bool is_known;
	uint64_t value; /* of those of at most 64 bits */
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
	uint32_t last_scope;		/* which it is of */
	bool has_last;
};

/* The bytes of a value, the uppermost one first; NULL: it is not known. */
struct vcd_value {
	const uint8_t *bytes;
	size_t size;
};

/* Where and when something changes. */
struct vcd_place {
	uint32_t scope;
	uint64_t time;
};

/* Tells a change of a variable, if it is one; false: no memory. */
bool vcd_change(struct writing *writing, const struct vcd_place *place, const char *name,
	const struct vcd_value *value);

/* Tells what changed of the registers of a FULL record; false: no memory. */
bool vcd_change_powerpc(struct writing *writing, const struct vcd_place *place,
	const struct poly_powerpc_state *state);

/* Writes what is held back, below the header; POLY_ERR_MEMORY. */
enum poly_status vcd_flush(struct writing *writing, struct poly_error *error);

#endif
