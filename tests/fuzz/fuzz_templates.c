/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: template files and changes to them. Byte 0 selects the options, and whether the
 * text is a file, or a file, a NUL and changes. A parsed file satisfies the contract of
 * trcfmt/lang/program.h; applied changes can be undone byte for byte.
 */
#include "polytrace/templates.h"
#include "trcfmt/lang/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
expect(bool holds)
{
	if (!holds)
		abort();
}

static void
check_finding(void *user, const struct poly_template_finding *finding)
{
	(void)user;
	const char *caret = strrchr(finding->message, '^');
	expect(finding->line > 0 && finding->column > 0);
	expect(caret && caret[1] == '\0' && strlen(finding->message) < 360);
}

/* Returns the depth of an expression; its operands precede it. */
static unsigned
depth_of(const struct poly_templates *templates, uint32_t i)
{
	const struct template_expr *expr = &templates->exprs[i];
	expect(i < templates->expr_count);
	if (expr->op < EXPR_ADD)
		return 1;
	expect(expr->left < i && expr->right < i);
	unsigned left = depth_of(templates, expr->left),
		 right = depth_of(templates, expr->right);
	unsigned depth = 1 + (left > right ? left : right);
	expect(depth <= TRCFMT_DEPTH);
	return depth;
}

static void
check_item(const struct poly_templates *templates, const struct template_item *item)
{
	expect((size_t)item->text + item->length <= templates->texts.size);
	if (item->expr != EXPR_NONE)
		depth_of(templates, item->expr);
	for (unsigned i = 0; item->item == ITEM_CALL && i < item->arguments; i++) {
		expect(item->first_argument + i < templates->argument_count);
		depth_of(templates, templates->arguments[item->first_argument + i]);
	}
}

static void
check_items(
	const struct poly_templates *templates, uint32_t first, uint32_t end, unsigned depth)
{
	expect(depth <= 2 * TRCFMT_DEPTH + 2 && end <= templates->item_count);
	for (uint32_t i = first; i < end; i = templates->items[i].end) {
		const struct template_item *item = &templates->items[i];
		bool holds = item->item == ITEM_SWITCH || item->item == ITEM_CASE ||
			     item->item == ITEM_LOOP;
		expect(item->end > i && item->end <= end && (holds || item->end == i + 1));
		check_item(templates, item);
		check_items(templates, i + 1, item->end, depth + 1);
	}
}

static void
parse(const char *text, size_t n, bool left_to_right)
{
	struct poly_template_options options = POLY_TEMPLATE_OPTIONS_INIT;
	struct poly_templates *templates;
	struct poly_template_info info;
	struct poly_error error;
	options.left_to_right = left_to_right;
	options.found = check_finding;
	enum poly_status status = poly_templates_parse(text, n, &options, &templates, &error);
	expect((status == POLY_OK) == (templates != NULL));
	expect(status == POLY_OK || error.line > 0 || status == POLY_ERR_MEMORY);
	for (size_t i = 0; templates && poly_template_at(templates, i, &info); i++) {
		const struct hook_template *template = trcfmt_template(templates, info.hook);
		expect(template != NULL && strlen(info.source) <= n);
		if (template) /* gcc -O1 does not see that NULL ends the program */
			check_items(templates, template->first, template->end, 0);
	}
	poly_templates_free(templates);
}

static struct poly_updated *
update(const char *master, size_t master_size, const char *changes, size_t n, unsigned how)
{
	struct poly_update update = POLY_UPDATE_INIT;
	struct poly_updated *updated;
	update.master = master;
	update.master_size = master_size;
	update.changes = changes;
	update.changes_size = n;
	update.any_version = how & 1;
	update.later = how & 2;
	update.found = check_finding;
	enum poly_status status = poly_templates_update(&update, &updated, NULL);
	expect((status == POLY_OK) == (updated != NULL));
	return updated;
}

static void
change(const char *master, size_t master_size, const char *changes, size_t n, unsigned how)
{
	struct poly_updated *updated = update(master, master_size, changes, n, how);
	if (!updated)
		return;
	size_t size, undo_size, undone_size;
	const char *text = poly_updated_text(updated, &size);
	const char *undo = poly_updated_undo(updated, &undo_size);
	/* What was replaced may have been wrong, which cannot be put back. */
	struct poly_updated *undone = update(text, size, undo, undo_size, 1);
	if (undone) {
		const char *old = poly_updated_text(undone, &undone_size);
		expect(undone_size == master_size && memcmp(old, master, master_size) == 0);
	}
	poly_updated_free(undone);
	poly_updated_free(updated);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	const unsigned how = data[0];
	/* In memory of exact size, so that a read past the end is detected. */
	char *text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	const char *end = how & 8 ? memchr(text, 0, size - 1) : NULL;
	if (end) {
		size_t n = (size_t)(end - text);
		change(text, n, end + 1, size - 2 - n, how);
	} else {
		parse(text, size - 1, how & 4);
	}
	free(text);
	return 0;
}
