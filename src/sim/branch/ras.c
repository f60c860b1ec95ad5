/* SPDX-License-Identifier: MIT */
/* A return-address stack. */
#include "sim/branch/btb.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

enum poly_status
ras_init(struct ras *ras, uint32_t room, struct poly_error *error)
{
	memset(ras, 0, sizeof *ras);
	if (!room || room > RAS_MAX)
		return err_usage(error, "return-address stack has %u entries, expected 1 to %d",
			room, RAS_MAX);
	ras->addresses = mem_new(room, sizeof *ras->addresses);
	ras->room = room;
	return ras->addresses ? POLY_OK : err_memory(error);
}

static void
push(struct ras *ras, uint64_t address)
{
	ras->addresses[ras->top] = address;
	ras->top = ras->top + 1 < ras->room ? ras->top + 1 : 0;
	ras->depth += ras->depth < ras->room;
}

/* Pops an address. Returns whether it equals the given one. */
static bool
pop(struct ras *ras, uint64_t address)
{
	if (!ras->depth)
		return false;
	ras->top = ras->top ? ras->top - 1 : ras->room - 1;
	ras->depth--;
	return ras->addresses[ras->top] == address;
}

void
ras_run(struct ras *ras, const uint8_t *kinds, const uint64_t *addresses, uint8_t *right,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		right[i] = 0;
		if (kinds[i] == RAS_CALL) {
			push(ras, addresses[i]);
		} else if (kinds[i] == RAS_RETURN) {
			right[i] = pop(ras, addresses[i]);
			ras->returns++;
			ras->wrong += !right[i];
		}
	}
}

void
ras_fini(struct ras *ras)
{
	mem_free(ras->addresses);
	ras->addresses = NULL;
}
