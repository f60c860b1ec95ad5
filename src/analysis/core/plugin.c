/* SPDX-License-Identifier: MIT */
/* Analyses of the caller: adapters between polytrace/extend.h and struct analysis. */
#include "analysis/core/plugin.h"

#include "analysis/core/contract.h"
#include "base/err.h"
#include "base/mem.h"
#include "model/option.h"

#include <stddef.h>

/* Maximum size of a state in bytes. */
#define STATE_MAX ((size_t)1 << 30)

struct plugin_state {
	const struct poly_analysis_plugin *plugin;
	_Alignas(max_align_t) unsigned char state[]; /* the caller's */
};

static enum poly_status
plugin_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct plugin_state *own = state;
	const struct poly_analysis_plugin *plugin = own->plugin = setup->plugin;
	struct poly_error failure = {.offset = POLY_NO_OFFSET};
	if (!plugin->init)
		return POLY_OK;
	const enum poly_status status =
		plugin->init(own->state, setup->values, setup->texts, &failure);
	const struct contract contract = {.kind = "analysis", .name = plugin->info->name};
	return contract_check_status(&contract, "init", status, &failure, error);
}

static void
plugin_begin(void *state, const struct poly_trace_info *info)
{
	struct plugin_state *own = state;
	if (own->plugin->begin)
		own->plugin->begin(own->state, info);
}

static bool
plugin_update(void *state, const struct analysis_rows *rows)
{
	struct plugin_state *own = state;
	return own->plugin->update(own->state, rows->batch);
}

static bool
plugin_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct plugin_state *sum = into;
	const struct plugin_state *later = from;
	(void)numbers;
	return sum->plugin->merge(sum->state, later->state);
}

static enum poly_status
plugin_finish(void *state, struct poly_error *error)
{
	struct plugin_state *own = state;
	struct poly_error failure = {.offset = POLY_NO_OFFSET};
	if (!own->plugin->finish)
		return POLY_OK;
	const enum poly_status status = own->plugin->finish(own->state, &failure);
	const struct contract contract = {.kind = "analysis", .name = own->plugin->info->name};
	return contract_check_status(&contract, "finish", status, &failure, error);
}

static void
plugin_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct plugin_state *own = state;
	(void)ops;
	own->plugin->report(own->state, report);
}

static void
plugin_fini(void *state)
{
	struct plugin_state *own = state;
	if (own->plugin && own->plugin->free_state)
		own->plugin->free_state(own->state);
}

/* Fills the analysis of a plugin. */
static void
adapt_analysis(struct analysis *analysis, const struct poly_analysis_plugin *plugin)
{
	static const struct poly_option no_options[] = {{.name = NULL}};
	*analysis = (struct analysis){.info = *plugin->info,
		.plugin = plugin,
		.state_size = sizeof(struct plugin_state) + plugin->state_size,
		.init = plugin_init,
		.begin = plugin_begin,
		.update = plugin->update ? plugin_update : NULL,
		.merge = plugin->merge ? plugin_merge : NULL,
		.finish = plugin_finish,
		.report = plugin->report ? plugin_report : NULL,
		.fini = plugin_fini};
	if (!plugin->info->options)
		analysis->info.options = no_options;
}

/* Copies a plugin, whose struct may be that of an earlier version, and checks it. */
static enum poly_status
add_analysis(struct analysis_list *list, const struct poly_analysis_plugin *plugin,
	struct poly_error *error)
{
	struct poly_analysis_plugin *copy = &list->plugins[list->count];
	struct contract contract = {.kind = "analysis", .number = list->count};
	const enum poly_status status = option_struct(copy, sizeof *copy, plugin, error);
	if (status != POLY_OK)
		return status;
	contract.name = copy->info ? copy->info->name : NULL;
	if (!copy->info) {
		contract_fail(&contract, "info is NULL");
	} else if (copy->state_size > STATE_MAX) {
		contract_fail(&contract, "state_size is %zu (maximum %zu)", copy->state_size,
			STATE_MAX);
	} else {
		adapt_analysis(&list->analyses[list->count], copy);
		if (analysis_check_contract(&contract, &list->analyses[list->count]) &&
			analysis_list_find(list, contract.name))
			contract_fail(&contract, "the name is not unique");
	}
	list->count++;
	return *contract.fault ? err_usage(error, "options.plugins: %s", contract.fault)
			       : POLY_OK;
}

enum poly_status
analysis_list_init(struct analysis_list *list,
	const struct poly_analysis_plugin *const *plugins, struct poly_error *error)
{
	size_t count = 0;
	enum poly_status status = POLY_OK;
	while (plugins && plugins[count])
		count++;
	if (!count)
		return POLY_OK;
	list->analyses = mem_new(count, sizeof *list->analyses);
	list->plugins = mem_new(count, sizeof *list->plugins);
	if (!list->analyses || !list->plugins)
		return err_memory(error);
	for (size_t i = 0; i < count && status == POLY_OK; i++)
		status = add_analysis(list, plugins[i], error);
	return status;
}

void
analysis_list_fini(struct analysis_list *list)
{
	mem_free(list->analyses);
	mem_free(list->plugins);
	*list = (struct analysis_list){.count = 0};
}
