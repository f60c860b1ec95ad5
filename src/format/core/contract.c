/* SPDX-License-Identifier: MIT */
/* Checks the registered formats against the contract of format.h. */
#include "format/core/contract.h"

#include <string.h>

/* Returns whether the functions of a format agree with can_read and can_write. */
static bool
check_functions(struct contract *contract, const struct format *format)
{
	const bool reads = format->info.can_read, writes = format->info.can_write;
	const bool has_write = format->write || format->write_row;
	if (!reads && !writes)
		return contract_fail(contract, "neither can_read nor can_write is set");
	if (reads && !format->open)
		return contract_fail(contract, "can_read is set, but open is NULL");
	if (reads && !format->read)
		return contract_fail(contract, "can_read is set, but read is NULL");
	if (!reads && format->read)
		return contract_fail(contract, "read is set, but can_read is not");
	if (writes && !has_write)
		return contract_fail(
			contract, "can_write is set, but write and write_row are NULL");
	if (!writes && has_write)
		return contract_fail(contract, "%s is set, but can_write is not",
			format->write ? "write" : "write_row");
	if (format->appends && !format->wopen)
		return contract_fail(contract, "appends is set, but wopen is NULL");
	return true;
}

/* Returns whether the sets of kinds and columns are parts of those that they refer to. */
static bool
check_content(struct contract *contract, const struct format *format)
{
	const struct poly_format_content *content = &format->content;
	const struct poly_format_info *info = &format->info;
	if (!content->kinds)
		return contract_fail(contract, "kinds is 0");
	if (content->kinds & ~POLY_KINDS_ALL)
		return contract_fail(contract, "kinds has an unknown kind");
	if (content->own_kinds & ~content->kinds)
		return contract_fail(contract, "own_kinds is not a subset of kinds");
	if (!poly_columns_subset(info->needs, info->columns))
		return contract_fail(contract, "needs is not a subset of columns");
	if (!poly_columns_subset(content->own_columns, info->columns))
		return contract_fail(contract, "own_columns is not a subset of columns");
	if (!poly_columns_subset(content->fills, info->columns))
		return contract_fail(contract, "fills is not a subset of columns");
	return true;
}

bool
format_check_contract(struct contract *contract, const struct format *format)
{
	const struct poly_format_info *info = &format->info;
	const struct contract_member members[] = {{"name", info->name},
		{"family", info->family}, {"title", info->title},
		{"extensions", info->extensions}, {"spec", info->spec},
		{"users", format->content.users}, {NULL, false}};
	if (!contract_check_members(contract, members) ||
		!contract_check_options(contract, info->options) ||
		!contract_check_rules(contract, info->rules))
		return false;
	for (const struct poly_option *option = info->options; option->name; option++) {
		if (!option->use)
			return contract_fail(contract, "option %s: use is 0", option->name);
	}
	return check_content(contract, format) && check_functions(contract, format);
}

bool
format_check_contracts(const struct format *(*at)(size_t i), struct contract *contract)
{
	const struct format *format;
	*contract = (struct contract){.kind = "format"};
	for (size_t i = 0; (format = at(i)); i++) {
		contract->name = format->info.name;
		contract->number = i;
		if (!format_check_contract(contract, format))
			return false;
		for (size_t other = 0; other < i; other++) {
			if (strcmp(at(other)->info.name, format->info.name) == 0)
				return contract_fail(contract, "the name is not unique");
		}
	}
	return true;
}
