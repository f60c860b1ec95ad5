/* SPDX-License-Identifier: MIT */
/*
 * Branches of SBBT in their two layouts.
 *
 * spec: polytrace-sbbt(5)
 */
#include "format/sbbt/sbbt.h"

#include "base/bits.h"

const char *const sbbt_records[SBBT_RECORDS] = {
	"direct_jump",
	"conditional_jump",
	"indirect_jump",
	"conditional_indirect_jump",
	"return",
	"conditional_return",
	"indirect_return",
	"conditional_indirect_return",
	"direct_call",
	"conditional_call",
	"indirect_call",
	"conditional_indirect_call",
	[SBBT_INVALID] = "invalid",
	[SBBT_CORRUPT] = "corrupt",
};

const char *const sbbt_layouts[] = {"new", "old", "auto", NULL};

bool
sbbt_has_address(uint64_t address)
{
	return (uint64_t)sign_extend(address, 52) == address;
}

/*
 * new: conditional:1 indirect:1 type:2 reserved:7 taken:1 ip:52
 * old: taken:1 reserved:7 type:2 conditional:1 indirect:1 ip:52
 * then, in both: gap:12 target:52
 */
struct sbbt_branch
sbbt_load(const uint8_t *p, bool is_old)
{
	const uint64_t first = load_le64(p), second = load_le64(p + 8);
	const unsigned low = first & 0xfff;
	const unsigned kind = is_old ? (low >> 10 & 3) | (low >> 8 & 3) << 2 : low & 15;
	return (struct sbbt_branch){
		.ip = (uint64_t)sign_extend(first >> 12, 52),
		.target = (uint64_t)sign_extend(second >> 12, 52),
		.kind = kind < SBBT_INVALID ? kind : SBBT_INVALID,
		.gap = second & 0xfff,
		.is_taken = is_old ? low & 1 : low >> 11,
	};
}

void
sbbt_store(uint8_t p[SBBT_SIZE], const struct sbbt_branch *branch, bool is_old)
{
	const unsigned taken = branch->is_taken, kind = branch->kind,
		       low = is_old ? taken | (kind >> 2) << 8 | (kind & 3) << 10
				    : taken << 11 | kind;
	store_le64(p, branch->ip << 12 | low);
	store_le64(p + 8, branch->target << 12 | branch->gap);
}
