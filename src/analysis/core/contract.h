/* SPDX-License-Identifier: MIT */
/* Checks of analyses against the contract of analysis.h. */
#ifndef ANALYSIS_CONTRACT_H
#define ANALYSIS_CONTRACT_H

#include "analysis/core/analysis.h"
#include "model/contract.h"

/*
 * Returns whether an analysis has all that analysis.h requires; else the contract holds the
 * first fault.
 */
bool analysis_check_contract(struct contract *contract, const struct analysis *analysis);

/*
 * Returns whether the analyses of a list, such as analysis_at, have all that analysis.h
 * requires, and unique names; else the contract holds the first fault.
 */
bool analysis_check_contracts(
	const struct analysis *(*at)(size_t i), struct contract *contract);

#endif
