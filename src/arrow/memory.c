/* SPDX-License-Identifier: MIT */
/*
 * Allocation and release of Arrow structs. Each struct owns what it refers to, so that a
 * consumer may move children out of their parent.
 * spec: Arrow C data interface, "Memory management".
 */
#include "arrow/column.h"

#include "base/mem.h"

#include <string.h>

static void
free_array(struct ArrowArray *array)
{
	if (array && array->release)
		array->release(array);
	mem_free(array);
}

static void
release_array(struct ArrowArray *array)
{
	void **owned = array->private_data;
	for (int64_t i = 0; i < array->n_buffers; i++)
		mem_free(owned[i]);
	for (int64_t i = 0; i < array->n_children; i++)
		free_array(array->children[i]);
	free_array(array->dictionary);
	mem_free(owned);
	mem_free(array->children);
	array->release = NULL;
}

bool
arrow_array_init(struct ArrowArray *array, size_t buffers, size_t children)
{
	memset(array, 0, sizeof *array);
	void *owned = mem_new(buffers, sizeof(void *));
	struct ArrowArray **list =
		children ? mem_new(children, sizeof(struct ArrowArray *)) : NULL;
	if (!owned || (children && !list)) {
		mem_free(owned);
		mem_free(list);
		return false;
	}
	array->private_data = owned;
	array->buffers = owned;
	array->n_buffers = (int64_t)buffers;
	array->children = list;
	array->n_children = (int64_t)children;
	array->release = release_array;
	return true;
}

static void
free_schema(struct ArrowSchema *schema)
{
	if (schema && schema->release)
		schema->release(schema);
	mem_free(schema);
}

static void
release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++)
		free_schema(schema->children[i]);
	free_schema(schema->dictionary);
	mem_free(schema->children);
	mem_free(schema->private_data);
	schema->release = NULL;
}

bool
arrow_schema_init(struct ArrowSchema *schema, const char *name, size_t children)
{
	memset(schema, 0, sizeof *schema);
	char *copy = mem_string(name);
	struct ArrowSchema **list =
		children ? mem_new(children, sizeof(struct ArrowSchema *)) : NULL;
	if (!copy || (children && !list)) {
		mem_free(copy);
		mem_free(list);
		return false;
	}
	schema->private_data = copy;
	schema->name = copy;
	schema->children = list;
	schema->n_children = (int64_t)children;
	schema->release = release_schema;
	return true;
}
