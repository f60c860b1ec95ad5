/* SPDX-License-Identifier: MIT */
/* Checks of formats against the contract of format.h. */
#ifndef FORMAT_CONTRACT_H
#define FORMAT_CONTRACT_H

#include "format/core/format.h"
#include "model/contract.h"

/*
 * Returns whether a format has all that format.h requires; else the contract holds the first
 * fault.
 */
bool format_check_contract(struct contract *contract, const struct format *format);

/*
 * Returns whether the formats of a list, such as format_at, have all that format.h requires,
 * and unique names; else the contract holds the first fault.
 */
bool format_check_contracts(const struct format *(*at)(size_t i), struct contract *contract);

#endif
