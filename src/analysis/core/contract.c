/* SPDX-License-Identifier: MIT */
/* Checks the registered analyses against the contract of analysis.h. */
#include "analysis/core/contract.h"

#include <string.h>

bool
analysis_check_contract(struct contract *contract, const struct analysis *analysis)
{
	const struct poly_analysis_info *info = &analysis->info;
	const struct contract_member members[] = {{"name", info->name}, {"title", info->title},
		{"summary", info->summary}, {"update", analysis->update},
		{"report", analysis->report}, {NULL, false}};
	if (!contract_check_members(contract, members) ||
		!contract_check_options(contract, info->options))
		return false;
	if (!info->outputs != !analysis->write)
		return contract_fail(
			contract, "outputs and write are not both set or both NULL");
	if (!analysis->plugin && !analysis->merge != !!analysis->ordered)
		return contract_fail(contract, "merge and ordered are both set or both NULL");
	if (info->is_default && info->kind != POLY_ANALYSIS_STATISTIC)
		return contract_fail(contract, "is_default is set, but it is not a statistic");
	const size_t n = strlen(info->name);
	for (const struct poly_option *option = info->options; option->name; option++) {
		if (strncmp(option->name, info->name, n) != 0 || option->name[n] != '.')
			return contract_fail(contract,
				"option %s: the name does not begin with '%s.'", option->name,
				info->name);
	}
	return true;
}

bool
analysis_check_contracts(const struct analysis *(*at)(size_t i), struct contract *contract)
{
	const struct analysis *analysis;
	*contract = (struct contract){.kind = "analysis"};
	for (size_t i = 0; (analysis = at(i)); i++) {
		contract->name = analysis->info.name;
		contract->number = i;
		if (!analysis_check_contract(contract, analysis))
			return false;
		for (size_t other = 0; other < i; other++) {
			if (strcmp(at(other)->info.name, analysis->info.name) == 0)
				return contract_fail(contract, "the name is not unique");
		}
	}
	return true;
}
