/* SPDX-License-Identifier: MIT */
/* Finding the operations and sites of rows. */
#include "analysis/ops.h"

#include "base/mem.h"

#include <string.h>

void
ops_begin(struct ops *ops, const struct poly_trace_info *info)
{
	(void)ops;
	(void)info;
}

poly_columns
ops_columns(const struct poly_trace_info *info, unsigned shares)
{
	return shares ? info->columns & (POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(opcode)) : 0;
}

bool
ops_fill(struct ops *ops, const struct poly_batch *batch, uint32_t *op, uint32_t *site)
{
	(void)ops;
	for (size_t row = 0; row < batch->rows; row++) {
		if (op)
			op[row] = OP_NONE;
		if (site)
			site[row] = OP_NONE;
	}
	return true;
}

void
ops_fini(struct ops *ops)
{
	map_free(&ops->found);
	intern_free(&ops->names);
	mem_free(ops->list);
	mem_free(ops->sites);
	memset(ops, 0, sizeof *ops);
}
