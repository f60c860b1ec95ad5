/* SPDX-License-Identifier: MIT */
/* Saves and loads operations and sites. */
#include "analysis/facts/archive.h"
#include "analysis/facts/static_ops.h"

#include <string.h>

/* Transfers a name as its number among the names. */
static void
transfer_name(struct archive *archive, const struct intern *names, const char **name)
{
	uint32_t number = UINT32_MAX;
	if (!archive_loads(archive) && *name)
		number = intern_find(names, *name, strlen(*name));
	archive_index(archive, &number, names->count);
	if (archive_loads(archive))
		*name = intern_text(names, number);
}

static void
transfer_op(struct archive *archive, const struct intern *names, struct static_op *op)
{
	transfer_name(archive, names, &op->mnemonic);
	transfer_name(archive, names, &op->micro_op);
	ARCHIVE_UP_TO(archive, op->class, OP_CLASS_COUNT - 1);
	ARCHIVE(archive, op->flow);
	ARCHIVE(archive, op->size);
	ARCHIVE(archive, op->has_registers);
	ARCHIVE(archive, op->has_reach);
	ARCHIVE(archive, op->reach);
	ARCHIVE_ARRAY(archive, op->reads.bits);
	ARCHIVE_ARRAY(archive, op->writes.bits);
}

static void
transfer_ops(struct archive *archive, struct static_ops *ops)
{
	archive_intern(archive, &ops->names);
	archive_pairs(archive, &ops->key_index, UINT64_MAX);
	ops->count = (uint32_t)ARCHIVE_ROOM(archive, ops->list, ops->capacity, ops->count);
	archive_require(
		archive, ops->count <= STATIC_OPS_MAX && ops->count == ops->key_index.count);
	for (uint32_t i = 0; i < ops->count; i++)
		transfer_op(archive, &ops->names, &ops->list[i]);
}

static void
transfer_sites(struct archive *archive, struct static_ops *ops)
{
	archive_pairs(archive, &ops->site_index, UINT64_MAX);
	ops->site_count = (uint32_t)ARCHIVE_ROOM(
		archive, ops->sites, ops->site_capacity, ops->site_count);
	archive_require(archive, ops->site_count <= STATIC_SITES_MAX &&
					 ops->site_count == ops->site_index.count);
	for (uint32_t i = 0; i < ops->site_count; i++) {
		ARCHIVE(archive, ops->sites[i].pc);
		archive_index(archive, &ops->sites[i].op, ops->count);
		ARCHIVE(archive, ops->sites[i].size);
	}
}

/* Transfers the last site of a context, plus 1; SITE_OPEN plus 1 is saved as one more than
 * that of the last site. */
static void
transfer_last(struct archive *archive, uint32_t *last)
{
	uint64_t number = *last == SITE_OPEN + 1 ? (uint64_t)archive->sites + 1 : *last;
	ARCHIVE_UP_TO(archive, number, (uint64_t)archive->sites + 1);
	if (archive_loads(archive))
		*last = number > archive->sites ? SITE_OPEN + 1 : (uint32_t)number;
}

void
static_ops_transfer(struct static_ops *ops, struct archive *archive)
{
	transfer_ops(archive, ops);
	transfer_sites(archive, ops);
	archive->ops = ops->count;
	archive->sites = ops->site_count;
	ARCHIVE(archive, ops->is_begun);
	ARCHIVE(archive, ops->has_forgotten);
	/* All contexts that are not known are alike. */
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_last(archive, &ops->last[i]);
	if (archive->contexts < STATIC_OPS_CONTEXTS)
		transfer_last(archive, &ops->last[archive->contexts]);
	for (size_t i = archive->contexts + (size_t)1; i < STATIC_OPS_CONTEXTS; i++)
		ops->last[i] = ops->last[i - 1];
}
