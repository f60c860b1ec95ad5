/* SPDX-License-Identifier: MIT */
/* Checks that formats and analyses have in common. */
#include "model/contract.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
contract_fail(struct contract *contract, const char *message, ...)
{
	char text[150];
	va_list list;
	if (*contract->fault)
		return false;
	va_start(list, message);
	vsnprintf(text, sizeof text, message, list);
	va_end(list);
	if (contract->name)
		snprintf(contract->fault, sizeof contract->fault, "%s %.40s: %s",
			contract->kind, contract->name, text);
	else
		snprintf(contract->fault, sizeof contract->fault, "%s number %zu: %s",
			contract->kind, contract->number, text);
	return false;
}

enum poly_status
contract_check_status(const struct contract *contract, const char *function,
	enum poly_status status, struct poly_error *failure, struct poly_error *error)
{
	failure->message[sizeof failure->message - 1] = 0;
	if (status > POLY_END || status < POLY_ERR_CANCELLED)
		status = err_usage(failure, "%s '%s': %s returned the status %d",
			contract->kind, contract->name, function, (int)status);
	else if (status < 0 && !*failure->message)
		err_set(failure, status, failure->offset, "%s '%s': %s failed", contract->kind,
			contract->name, function);
	failure->status = status;
	if (status < 0 && error)
		*error = *failure;
	return status;
}

bool
contract_check_members(struct contract *contract, const struct contract_member *members)
{
	for (; members->name; members++) {
		if (!members->is_set)
			return contract_fail(contract, "%s is NULL", members->name);
	}
	return true;
}

/* Returns whether the default value of an option is valid. */
static bool
check_initial(struct contract *contract, const struct poly_option *option)
{
	uint64_t count = 0;
	switch (option->type) {
	case POLY_OPTION_BOOL: count = 2; break;
	case POLY_OPTION_CHOICE:
		while (option->choices && option->choices[count])
			count++;
		break;
	case POLY_OPTION_NUMBER:
	case POLY_OPTION_SIZE:
		return (option->initial >= option->minimum &&
			       option->initial <= option->maximum) ||
		       contract_fail(
			       contract, "option %s: initial is out of range", option->name);
	case POLY_OPTION_TEXT: return true;
	}
	return option->initial < count ||
	       contract_fail(contract, "option %s: initial is not a choice", option->name);
}

bool
contract_check_options(struct contract *contract, const struct poly_option *options)
{
	if (!options)
		return contract_fail(contract, "options is NULL");
	for (const struct poly_option *option = options; option->name; option++) {
		if (!option->help)
			return contract_fail(contract, "option %s: help is NULL", option->name);
		if (!check_initial(contract, option))
			return false;
		for (const struct poly_option *other = options; other < option; other++) {
			if (strcmp(other->name, option->name) == 0)
				return contract_fail(contract,
					"option %s: the name is not unique", option->name);
		}
	}
	return true;
}

bool
contract_check_rules(struct contract *contract, const struct poly_rule *rules)
{
	if (!rules)
		return contract_fail(contract, "rules is NULL");
	for (const struct poly_rule *rule = rules; rule->code; rule++) {
		if (!rule->title)
			return contract_fail(contract, "rule %s: title is NULL", rule->code);
		if (!rule->source)
			return contract_fail(contract, "rule %s: source is NULL", rule->code);
		for (const struct poly_rule *other = rules; other < rule; other++) {
			if (strcmp(other->code, rule->code) == 0)
				return contract_fail(contract,
					"rule %s: the code is not unique", rule->code);
		}
	}
	return true;
}
